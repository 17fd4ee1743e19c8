/* comp/netlist/circuit/op.c -- the operating point: f(x) = 0 with capacitors
 * open and inductors shorted, which is what f of the charge form is.
 *
 * Newton's method with the limiting of SPICE: a device whose voltages would run
 * away is taken at nearer ones and continued linearly.  In long chains of
 * logic each iteration settles one gate more; if there are more cells than
 * iterations, they are solved one by one along the signals, and Newton's method
 * begins there.  Of a circuit with several operating points that may be one
 * with a loop at its end, so with fewer cells it comes after gmin stepping.
 * An iteration ends when x changes by less than the tolerance, or when f is no
 * more than its rounding: the current of a source with 0 V beside others of
 * amperes never settles to 1e-12 A.
 * If it fails, a conductance from every node to ground is lowered step by step
 * (gmin stepping), then the sources are raised step by step (source stepping);
 * both adapt their steps to what Newton's method manages.
 *
 * The start of a run with `uic` is one step of Euler's method, as short as can
 * be, from the charges that the initial conditions give: (q(x) - q0) / h + f(x)
 * = 0.  Charges that contradict each other or the sources flow together at once
 * and none is lost.  A second such step, from q(x), leaves the impulses out.
 * Where Newton's method fails the charges are raised with the sources.
 * Reference: Nagel, SPICE2, UCB/ERL M520 (1975), section 4.
 */
#include "comp/netlist/circuit/part.h"
#include "comp/netlist/cut/partition.h"
#include "comp/netlist/cut/topology.h"

#include "base/tolerance.h"
#include "la/lu.h"
#include "la/newton.h"
#include "la/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 100, POLISH = 8 };

static const double clamp = 1e6;         /* S, holds nodes at a given voltage */
static const double least_shunt = 1e-12; /* S */
static const double rounding = 16.0;     /* units: the terms of a sum, each of
                                          * a product and a difference */

typedef struct solver {
    yk_net_part *p;
    yk_lu *lu;
    double t;
    double *x, *f, *G, *old, *weight;
    double *u;       /* variables of other parts */
    double pull;     /* S, of every node to where it was in `old` */
    bool *held;      /* nodes that are held */
    double *target;  /* where */
    double *carried; /* A, beside the clamp that holds them */
    double reltol, vntol, abstol;
    int iterations;
    double residue; /* |f_i| over what rounding leaves of it, largest */
    int worst;      /* unknown that changed most in the last iteration */
    int column;     /* of a singular matrix, or -1 */

    /* With uic: the charges before, and the step; q0 NULL: none. */
    double *q0, *q, *C, *A, h;
    yoke_pattern *both;
    int *c_at, *g_at;
} solver;

/* ---- one Newton iteration ------------------------------------------------ */

static yoke_status charge_increment(solver *s, yoke_err *err)
{
    yk_net_part *p = s->p;
    const yoke_jacobian jac = { .G = s->G, .C = s->C };

    YK_TRY(yk_part_eval(p, s->t, s->x, NULL, s->q, s->f, err));
    YK_TRY(yk_part_jacobian(p, s->t, s->x, NULL, &jac, err));
    for (int i = 0; i < p->n; i++)
        s->f[i] += (s->q[i] - p->level * s->q0[i]) / s->h;
    memset(s->A, 0, (size_t)yoke_pattern_count(s->both) * sizeof *s->A);
    for (int k = 0; k < yoke_pattern_count(p->pattern_G); k++)
        s->A[s->g_at[k]] += s->G[k];
    for (int k = 0; k < yoke_pattern_count(p->pattern_C); k++)
        s->A[s->c_at[k]] += s->C[k] / s->h;
    s->column = -1;
    s->residue = INFINITY;
    YK_TRY(yk_lu_factor(s->lu, s->A, &s->column, err));
    return yk_lu_solve(s->lu, s->f, err);
}

/* V or A below which a size does not count. */
static double least_size(const solver *s, int i)
{
    const yk_net_part *p = s->p;

    return p->variable[i] < p->circuit->nodes ? s->vntol : s->abstol;
}

/* f_i is a sum of currents, about G_ij x_j each, known to some units of
 * rounding: |f_i| below that is no residual.  A reference of an amplifier's
 * model carries 1e-12 A that are the rounding of amperes beside it. */
static double over_rounding(const solver *s)
{
    const yoke_pattern *g = s->p->pattern_G;
    const double units = rounding * DBL_EPSILON;
    double worst = 0.0;

    memset(s->weight, 0, (size_t)s->p->n * sizeof *s->weight);
    for (int j = 0; j < s->p->n; j++)
        for (int k = g->start[j]; k < g->start[j + 1]; k++)
            s->weight[g->row[k]] +=
                fabs(s->G[k]) * (fabs(s->x[j]) + least_size(s, j));
    for (int i = 0; i < s->p->n; i++)
        if (s->f[i] != 0.0)
            worst = fmax(worst, fabs(s->f[i]) / (units * s->weight[i]));
    return worst;
}

static yoke_status increment(solver *s, yoke_err *err)
{
    yk_net_part *p = s->p;
    const yoke_jacobian jac = { .G = s->G };

    if (s->q0) return charge_increment(s, err);
    YK_TRY(yk_part_eval(p, s->t, s->x, s->u, NULL, s->f, err));
    memset(s->G, 0, (size_t)yoke_pattern_count(p->pattern_G) * sizeof *s->G);
    YK_TRY(yk_part_jacobian(p, s->t, s->x, s->u, &jac, err));
    for (int i = 0; i < p->n; i++)
        if (s->held[i]) {
            s->f[i] += clamp * (s->x[i] - s->target[i]) + s->carried[i];
            s->G[p->diagonal[i]] += clamp;
        }
    for (int i = 0; s->pull > 0.0 && i < p->n; i++)
        if (p->diagonal[i] >= 0) {
            s->f[i] += s->pull * (s->x[i] - s->old[i]);
            s->G[p->diagonal[i]] += s->pull;
        }
    s->column = -1;
    s->residue = over_rounding(s);
    YK_TRY(yk_lu_factor(s->lu, s->G, &s->column, err));
    YK_TRY(yk_lu_solve(s->lu, s->f, err));
    return YOKE_OK;
}

/* How large the last change was, relative to the tolerance. */
static double change(solver *s)
{
    const yk_net_part *p = s->p;

    for (int i = 0; i < p->n; i++)
        s->weight[i] = yk_tolerance(least_size(s, i), s->reltol, s->x[i]);
    return yk_weighted_max(p->n, s->f, s->weight, &s->worst);
}

static void subtract(solver *s)
{
    for (int i = 0; i < s->p->n; i++) s->x[i] -= s->f[i];
}

static yoke_status limited_increment(void *self, yk_newton_run *run,
                                     yoke_err *err)
{
    solver *s = self;

    YK_TRY(increment(s, err));
    const bool limited = s->p->limited || s->p->is_beginning;
    s->p->is_beginning = false;
    s->iterations++;
    run->size = NAN;
    if (!yk_all_finite(s->f, s->p->n, NULL)) return YOKE_OK;
    subtract(s);
    run->size = change(s);
    run->done = run->iterations > 1 && !limited &&
                (run->size <= 1.0 || s->residue <= 1.0);
    return YOKE_OK;
}

/* An increment that does not get on is left out. */
static yoke_status polish(void *self, yk_newton_run *run, yoke_err *err)
{
    solver *s = self;

    YK_TRY(increment(s, err));
    s->iterations++;
    run->size = change(s);
    if (run->size < 0.5 * run->before)
        subtract(s);
    else
        run->size = 0.0;
    return YOKE_OK;
}

/* Newton's method; then a few more iterations as long as they improve the
 * solution. */
static yoke_status newton(solver *s, int most, bool begin, yoke_err *err)
{
    yk_newton_run run = { s, limited_increment, .most = most };
    yk_newton_run more = { s, polish, .most = POLISH, .tolerance = 1e-8 };

    s->p->is_beginning = begin;
    yoke_status status = yk_newton_iterate(&run, err);
    if (run.end == YK_NEWTON_SLOW)
        return yk_fail(
            err, YOKE_RETRY,
            "no convergence in %d iterations, %s still changes by %.2g", most,
            s->p->circuit->name[s->p->variable[s->worst]], s->f[s->worst]);
    if (status != YOKE_OK) return status;
    status = yk_newton_iterate(&more, err);
    return more.end == YK_NEWTON_FAILED ? status : YOKE_OK;
}

static void begin_devices(yk_net_part *p)
{
    for (int k = 0; k < p->devices; k++) {
        yk_part_device *d = &p->device[k];
        memset(d->held, 0, (size_t)d->device->branches * sizeof *d->held);
        if (d->device->ops->begin && !p->circuit->net->element[d->element].off)
            d->device->ops->begin(d->device, d->held);
    }
}

/* ---- ways to help it
 * ---------------------------------------------------------- */

static void zero(solver *s)
{
    memset(s->x, 0, (size_t)s->p->n * sizeof *s->x);
    begin_devices(s->p);
}

/* The devices' voltages follow x when an attempt is taken back. */
static void keep(solver *s)
{
    memcpy(s->old, s->x, (size_t)s->p->n * sizeof *s->x);
}

static void back(solver *s)
{
    memcpy(s->x, s->old, (size_t)s->p->n * sizeof *s->x);
}

static yoke_status gmin_stepping(solver *s, yoke_err *err)
{
    yk_net_part *p = s->p;
    double factor = 10.0, done = 0.0;
    yoke_status status = YOKE_OK;

    zero(s);
    p->shunt = 1e-2;
    status = newton(s, MOST, true, err);
    if (status != YOKE_OK) return status;
    keep(s);
    done = p->shunt;
    while (done > least_shunt) {
        p->shunt = fmax(done / factor, least_shunt);
        const int before = s->iterations;
        status = newton(s, MOST, false, err);
        if (status == YOKE_OK) {
            done = p->shunt;
            keep(s);
            factor = fmin(s->iterations - before < MOST / 4 ? factor * factor
                                                            : factor,
                          1e3);
        } else {
            if (status < 0 || factor < 1.01) return status;
            back(s);
            factor = sqrt(factor);
        }
    }
    p->shunt = 0.0;
    return newton(s, MOST, false, err);
}

static yoke_status source_stepping(solver *s, yoke_err *err)
{
    yk_net_part *p = s->p;
    double done = 0.0, raise = 0.1;
    yoke_status status = YOKE_OK;

    zero(s);
    p->shunt = 0.0;
    p->level = 0.0;
    status = newton(s, MOST, true, err);
    if (status != YOKE_OK) return status;
    keep(s);
    while (done < 1.0) {
        p->level = fmin(done + raise, 1.0);
        status = newton(s, MOST, false, err);
        if (status == YOKE_OK) {
            done = p->level;
            keep(s);
            raise *= 2.0;
        } else {
            if (status < 0 || raise < 1e-6) return status;
            back(s);
            raise /= 4.0;
        }
    }
    return YOKE_OK;
}

/* Steps of implicit Euler for a circuit with a capacitance at every node, pull =
 * C/h, from zero on with all sources there: nodes find their levels one after
 * the other, as in chains of gates, where a shunt at all of them leaves none. */
static yoke_status settle_in_time(solver *s, yoke_err *err)
{
    static const double first = 1.0, most = 1e9, least = 1e-13;
    static const int attempts = 400;
    yoke_status status = YOKE_OK;

    s->p->shunt = 0.0;
    s->p->level = 1.0;
    zero(s);
    keep(s);
    s->pull = first;
    for (int k = 0; k < attempts && s->pull > least && s->pull < most; k++) {
        status = newton(s, MOST / 4, k == 0, err);
        if (status < 0) break;
        if (status == YOKE_OK)
            keep(s);
        else
            back(s);
        s->pull *= status == YOKE_OK ? 0.5 : 8.0;
    }
    s->pull = 0.0;
    return status < 0 ? status : newton(s, MOST, false, err);
}

/* ---- life ---------------------------------------------------------------- */

static yoke_status make(solver *s, yk_circuit *c, int count,
                        const int *variable, yoke_err *err)
{
    const yk_net_part_spec spec = { .count = count, .variable = variable };

    YK_TRY(yk_net_part_create(&s->p, c, &spec, err));
    const size_t n = (size_t)s->p->n + 1;
    YK_TRY(YK_DOUBLES(n, err, &s->x, &s->f, &s->old, &s->weight, &s->target,
                      &s->carried));
    YK_TRY(yk_doubles(&s->u, (size_t)s->p->m + 1, err));
    YK_TRY(YK_NEW(&s->held, n, err));
    YK_TRY(yk_doubles(&s->G, (size_t)yoke_pattern_count(s->p->pattern_G) + 1,
                      err));
    YK_TRY(yk_lu_create(&s->lu, s->p->pattern_G, false, err));
    s->reltol = fmin(yk_net_option(c->net, "reltol", 1e-3), 1e-3);
    s->vntol = yk_net_option(c->net, "vntol", 1e-6);
    s->abstol = yk_net_option(c->net, "abstol", 1e-12);
    return YOKE_OK;
}

static yoke_status make_whole(solver *s, yk_circuit *c, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int count = 0, *own = NULL;

    YK_TRY(yk_ints(&own, (size_t)c->variables + 1, err));
    for (int v = 1; v < c->variables; v++)
        if (yk_circuit_has(c, v)) own[count++] = v;
    status = make(s, c, count, own, err);
    yk_free(own);
    return status;
}

static void discard(solver *s)
{
    YK_FREE(s->q0, s->q, s->C, s->A, s->c_at, s->g_at);
    yoke_pattern_free(s->both);
    yk_lu_free(s->lu);
    YK_FREE(s->x, s->f, s->old, s->weight, s->target, s->carried, s->held, s->u,
            s->G);
    yk_part_free(s->p);
}

/* ---- cell by cell -------------------------------------------------------- */

/* One part, with the others as they are in `value`; it stays as it was if it
 * has no solution. */
static yoke_status solve_part(const solver *whole, const int *variable,
                              int count, double *value, yoke_err *err)
{
    solver s = { .t = whole->t, .column = -1 };
    const int *foreign = NULL;

    yoke_status status = make(&s, whole->p->circuit, count, variable, err);
    if (status == YOKE_OK) {
        const int foreigns = yk_part_foreign(s.p, &foreign);
        for (int k = 0; k < foreigns; k++) s.u[k] = value[foreign[k]];
        s.p->is_limiting = s.p->follows = true;
        zero(&s);
        status = newton(&s, MOST, true, err);
        if (status > 0) status = gmin_stepping(&s, err);
    }
    for (int i = 0; status == YOKE_OK && i < count; i++)
        value[variable[i]] = s.x[i];
    discard(&s);
    return status < 0 ? status : YOKE_OK;
}

/* Signals run from the first part to the last one: each is solved with what is
 * known of those before it.  `least` cells or more, else nothing is done. */
static yoke_status cell_by_cell(solver *s, int least, yoke_err *err)
{
    yk_circuit *c = s->p->circuit;
    yk_partition_options o = yk_partition_defaults();
    yk_partition cut;
    double *value = NULL;
    yoke_status status = YOKE_OK;

    o.cut = YK_CUT_CELLS;
    YK_TRY(yk_doubles(&value, (size_t)c->variables + 1, err));
    YK_GO(yk_circuit_cut(c, value, &o, &cut, err));
    if (cut.parts < least) status = YOKE_NOT_CONVERGED;
    if (status != YOKE_OK) goto done;
    for (int p = 0; p < cut.parts; p++)
        YK_GO(solve_part(s, cut.list + cut.first[p],
                         cut.first[p + 1] - cut.first[p], value, err));
    for (int i = 0; i < s->p->n; i++)
        s->x[i] = s->held[i] ? s->target[i] : value[s->p->variable[i]];
    yk_part_hold(s->p, s->t, s->x, s->u);
    s->p->shunt = 0.0;
    status = newton(s, MOST, false, err);
done:
    yk_free(value);
    return status;
}

/* ---- the whole
 * ---------------------------------------------------------------- */

/* Nodes of .ic or .nodeset; how many are held. */
static int hold(solver *s, const yk_net_level *level, int levels, bool yes)
{
    int count = 0;

    for (int k = 0; k < levels; k++)
        for (int i = 0; i < s->p->n; i++)
            if (s->p->variable[i] == level[k].node) {
                s->held[i] = yes;
                s->target[i] = level[k].value;
                if (yes) s->x[i] = level[k].value;
                count++;
            }
    return count;
}

/* A clamp gives way by what it carries over 1e6 S: 60 mV where idt(6e4) begins.
 * So that is put beside it.  A node that a source or a coil holds elsewhere does
 * not move, and carries on as before. */
static yoke_status reach_targets(solver *s, yoke_err *err)
{
    const size_t bytes = (size_t)s->p->n * sizeof *s->x;
    bool any = false, all = true;

    memcpy(s->old, s->x, bytes);
    for (int i = 0; i < s->p->n; i++) {
        if (!s->held[i] || fabs(s->x[i] - s->target[i]) < 1e-3 * s->vntol)
            continue;
        s->carried[i] = clamp * (s->x[i] - s->target[i]);
        any = true;
    }
    if (!any) return YOKE_OK;
    yoke_status status = newton(s, MOST, false, NULL);
    for (int i = 0; status == YOKE_OK && i < s->p->n; i++)
        if (fabs(s->x[i] - s->target[i]) > 0.5 * fabs(s->carried[i]) / clamp) {
            all = all && s->carried[i] == 0.0;
            s->carried[i] = 0.0;
        }
    if (status == YOKE_OK && all) return YOKE_OK;
    if (status != YOKE_OK) memset(s->carried, 0, bytes);
    memcpy(s->x, s->old, bytes);
    return newton(s, MOST, false, err);
}

/* The elements at the node, or the place of the branch. */
static void name_place(const yk_circuit *c, int variable, yoke_err *err)
{
    char text[900];

    if (variable < c->nodes) {
        yk_circuit_at_node(c, variable, text, sizeof text);
        yk_suffix(err, "; at this node: %s", text);
    } else {
        const yk_net_element *el =
            &c->net->element[c->owner[variable - c->nodes]];
        yk_suffix(err, "; %s stands in %.200s:%d", el->name, el->at.file,
                  el->at.line);
    }
}

/* An expression that has no value at the last point with all sources on. */
static bool name_expression(const solver *s, yoke_err *err)
{
    char text[600];

    s->p->level = 1.0;
    for (int i = 0; i < s->p->n; i++) {
        yoke_question ask = {
            .row = i, .column = -1, .t = s->t, .x = s->x, .u = s->u
        };
        if (!yk_part_explain(s->p, &ask, text, sizeof text)) continue;
        yk_suffix(err, "; %s", text);
        return true;
    }
    return false;
}

static yoke_status explain(const solver *s, const char *tried, yoke_err *err)
{
    const yk_circuit *c = s->p->circuit;

    if (name_expression(s, err)) {
        /* that is the reason */
    } else if (s->column >= 0 && s->column < s->p->n) {
        const int v = s->p->variable[s->column];
        yk_suffix(err,
                  "; the matrix is singular at %s: look for a node without a "
                  "path for direct current to ground, or for a loop of "
                  "voltage sources and inductors",
                  c->name[v]);
        name_place(c, v, err);
    } else if (s->p->n > 0)
        name_place(c, s->p->variable[s->worst], err);
    yk_prefix(err, "%s: no operating point (tried %s)", c->net->path, tried);
    if (err && err->status > 0) err->status = YOKE_NOT_CONVERGED;
    return YOKE_NOT_CONVERGED;
}

/* .ic is of the start of a transient, not of .op, .dc and .ac. */
static bool holds_ics(const solver *s)
{
    return !isnan(s->t);
}

static yoke_status solve(solver *s, yk_op_report *report, yoke_err *err)
{
    const yk_netlist *net = s->p->circuit->net;
    const bool ics = holds_ics(s);
    yoke_status status = YOKE_OK;

    s->p->is_limiting = s->p->follows = true;
    begin_devices(s->p);
    if (ics) hold(s, net->ic, net->ics, true);
    if (hold(s, net->nodeset, net->nodesets, true)) {
        status = newton(s, MOST, true, err);
        hold(s, net->nodeset, net->nodesets, false);
        if (ics) hold(s, net->ic, net->ics, true);
        if (status < 0) return status;
    }
    report->way = "Newton's method";
    status = newton(s, MOST, status != YOKE_OK || net->nodesets == 0, err);
    if (status > 0) {
        report->way = "Newton's method from cell to cell";
        status = cell_by_cell(s, MOST, err);
    }
    if (status > 0) {
        report->way = "gmin stepping";
        status = gmin_stepping(s, err);
    }
    if (status > 0) {
        report->way = "Newton's method from cell to cell";
        status = cell_by_cell(s, 0, err);
    }
    if (status > 0) {
        report->way = "source stepping";
        status = source_stepping(s, err);
    }
    if (status > 0) {
        report->way = "settling in time";
        status = settle_in_time(s, err);
    }
    if (status == YOKE_OK && ics) status = reach_targets(s, err);
    report->iterations = s->iterations;
    if (status > 0)
        return explain(s,
                       "Newton's method, the same from cell to cell, gmin "
                       "stepping, source stepping, settling in time",
                       err);
    return status;
}

/* From a point that is known; `x` and the switches come as they are there. */
static yoke_status solve_again(solver *s, yk_op_report *report, yoke_err *err)
{
    const yk_netlist *net = s->p->circuit->net;

    s->p->is_limiting = s->p->follows = true;
    if (holds_ics(s)) hold(s, net->ic, net->ics, true);
    yk_part_hold(s->p, s->t, s->x, s->u);
    yoke_status status = newton(s, MOST, false, err);
    if (status == YOKE_OK && holds_ics(s)) status = reach_targets(s, err);
    report->way = "that of the analysis before";
    report->iterations = s->iterations;
    return status;
}

static void take_values(const solver *s, yk_circuit *c, double *value)
{
    for (int i = 0; i < s->p->n; i++) value[s->p->variable[i]] = s->x[i];
    for (int k = 0; k < s->p->switches; k++)
        c->closed[s->p->sw[k].element] = s->p->closed[k];
    for (int k = 0; k < c->drivens; k++) {
        const int n = c->driven[k];
        value[n] = value[c->below[n]] +
                   c->sign[n] * yk_source_value(&c->source[c->driver[n]], s->t);
    }
}

/* `again`: value is such a point already. */
static yoke_status find(yk_circuit *c, double t, bool again, double *value,
                        yk_op_report *report, yoke_err *err)
{
    solver s = { .t = t, .column = -1 };
    yk_op_report unused;

    if (!report) report = &unused;
    yoke_status status = make_whole(&s, c, err);
    if (status == YOKE_OK && s.p->n > 0) {
        for (int i = 0; i < s.p->n; i++) s.x[i] = value[s.p->variable[i]];
        status = again ? solve_again(&s, report, err) : solve(&s, report, err);
    }
    if (status == YOKE_OK) take_values(&s, c, value);
    discard(&s);
    return status;
}

yoke_status yk_circuit_op(yk_circuit *c, double t, double *value,
                          yk_op_report *report, yoke_err *err)
{
    return find(c, t, false, value, report, err);
}

yoke_status yk_circuit_op_near(yk_circuit *c, double t, double *value,
                               yoke_err *err)
{
    const yoke_status status = find(c, t, true, value, NULL, err);

    return status > 0 ? yk_circuit_op(c, t, value, NULL, err) : status;
}

/* Switches and relations as they are where all voltages are 0, and all else as
 * they make it. */
static yoke_status solve_held(solver *s, yoke_err *err)
{
    yk_net_part *p = s->p;

    zero(s);
    p->shunt = 0.0;
    p->level = 1.0;
    p->is_limiting = true;
    p->follows = false;
    hold(s, p->circuit->net->ic, p->circuit->net->ics, true);
    (void)yk_part_settle(p, s->t, s->x, s->u);
    p->holding = true;
    yoke_status status = newton(s, MOST, true, err);
    if (status > 0) status = gmin_stepping(s, err);
    if (status > 0) status = source_stepping(s, err);
    return status;
}

yoke_status yk_circuit_held_point(yk_circuit *c, double t, double *value,
                                  yoke_err *err)
{
    solver s = { .t = t, .column = -1 };
    yoke_status status = make_whole(&s, c, err);

    if (status == YOKE_OK)
        status = s.p->holds + s.p->switches > 0 ? solve_held(&s, err)
                                                : YOKE_NOT_CONVERGED;
    if (status == YOKE_OK) take_values(&s, c, value);
    discard(&s);
    return status;
}

/* ---- one for all analyses ------------------------------------------------ */

static bool is_same(const yk_net_point *p, const yk_circuit *c, double t)
{
    if (!p->value || p->variables != c->variables) return false;
    for (int e = 0; e < c->net->elements; e++)
        if (c->net->element[e].source &&
            p->source[e] != yk_source_value(&c->source[e], t))
            return false;
    return true;
}

static yoke_status keep_point(yk_circuit *c, double t, const double *value,
                              yoke_err *err)
{
    yk_arena *arena = &c->net->arena;
    const int elements = c->net->elements;
    yk_net_point p = { .variables = c->variables };

    YK_TRY(YK_TAKE(arena, &p.source, elements + 1, err));
    YK_TRY(YK_TAKE(arena, &p.closed, elements + 1, err));
    YK_TRY(YK_TAKE(arena, &p.value, c->variables + 1, err));
    for (int e = 0; e < elements; e++) {
        p.closed[e] = c->closed[e];
        if (c->net->element[e].source)
            p.source[e] = yk_source_value(&c->source[e], t);
    }
    memcpy(p.value, value, (size_t)c->variables * sizeof *value);
    c->net->point = p;
    return YOKE_OK;
}

yoke_status yk_circuit_point(yk_circuit *c, double t, double *value,
                             yk_op_report *report, yoke_err *err)
{
    const yk_net_point *p = &c->net->point;

    if (is_same(p, c, t)) {
        memcpy(value, p->value, (size_t)c->variables * sizeof *value);
        for (int e = 0; e < c->net->elements; e++) c->closed[e] = p->closed[e];
        const yoke_status status = find(c, t, true, value, report, err);
        if (status <= 0) return status;
        memset(value, 0, (size_t)c->variables * sizeof *value);
    }
    YK_TRY(yk_circuit_op(c, t, value, report, err));
    return keep_point(c, t, value, err);
}

/* ---- uic ----------------------------------------------------------------- */

/* Terminal that an internal node stands for. */
static int terminal_of(const char *internal)
{
    return strcmp(internal, "base") == 0 ? 1
           : strcmp(internal, "emitter") == 0 || strcmp(internal, "source") == 0
               ? 2
               : 0;
}

/* Charges of a device at the voltages of its terminals, with those of ic = ...
 * if `own`. */
static void device_charges(const yk_circuit *c, int e, const double *value,
                           bool own, double *q)
{
    const yk_device *d = c->device[e];
    double v[YK_DEVICE_NODES], b[YK_DEVICE_BRANCHES], i[YK_DEVICE_NODES];
    double di[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    double dq[YK_DEVICE_NODES * YK_DEVICE_BRANCHES], ic;
    int plus, minus;

    for (int k = 0; k < d->terminals; k++) v[k] = value[c->pin[e][k]];
    for (int k = 0; own && k < YK_NET_ICS; k++)
        if (yk_net_ic(&c->net->element[e], k, &plus, &minus, &ic))
            v[plus] = v[minus] + ic;
    for (int k = d->terminals; k < d->nodes; k++)
        v[k] = k < d->nodes - d->rates
                   ? v[terminal_of(d->internal[k - d->terminals])]
                   : 0.0;
    for (int k = 0; k < d->branches; k++) b[k] = v[d->plus[k]] - v[d->minus[k]];
    d->ops->load(d, b, i, q, di, dq);
}

/* What ic = ... of an element adds to the charges at its nodes. */
static void add_own(const yk_net_part *p, int e, const double *value, double *q)
{
    const yk_circuit *c = p->circuit;
    const yk_net_element *el = &c->net->element[e];
    double before[YK_DEVICE_NODES], after[YK_DEVICE_NODES], ic;
    int plus, minus;

    if (!yk_net_ic(el, 0, &plus, &minus, &ic) &&
        !yk_net_ic(el, 1, &plus, &minus, &ic) &&
        !yk_net_ic(el, 2, &plus, &minus, &ic))
        return;
    if (el->kind == 'c') {
        const int a = el->node[plus], b = el->node[minus];
        const yk_part_function *fn =
            el->expr ? yk_part_function_of(p, e) : NULL;
        const double more =
            fn ? yk_part_charge_at(p, fn, ic) -
                     yk_part_charge_at(p, fn, value[a] - value[b])
               : yk_net_passive(c->net, el) *
                     yk_net_value(el->param, el->params, "m", 1.0, NULL) *
                     (ic - (value[a] - value[b]));
        q[a] += more;
        q[b] -= more;
    }
    if (!c->device[e]) return;
    device_charges(c, e, value, false, before);
    device_charges(c, e, value, true, after);
    for (int k = 0; k < c->device[e]->nodes - c->device[e]->rates; k++)
        q[c->pin[e][k]] += after[k] - before[k];
}

/* The charges in the equations of all variables at `value`, in a circuit
 * without driven nodes, and those of ic = ... */
static yoke_status first_charges(yk_netlist *net, double *value, double *q,
                                 yoke_err *err)
{
    yk_circuit *c = NULL;
    yk_net_part *p = NULL;
    yk_net_part_spec spec = { 0 };
    bool *external = NULL;
    int *own = NULL;
    double *x = NULL, *charge = NULL;
    yoke_status status = YOKE_OK;

    YK_GO(YK_NEW(&external, net->elements + 1, err));
    for (int e = 0; e < net->elements; e++) external[e] = true;
    YK_GO(yk_circuit_create(&c, net, 1e-9, 1e-6, external, err));
    YK_GO(yk_ints(&own, (size_t)c->variables + 1, err));
    for (int v = 1; v < c->variables; v++) own[spec.count++] = v;
    spec.variable = own;
    YK_GO(yk_net_part_create(&p, c, &spec, err));
    YK_GO(YK_DOUBLES((size_t)p->n + 1, err, &x, &charge));
    for (int e = 0; e < net->elements; e++)
        for (int k = c->device[e] ? c->device[e]->terminals : 0;
             c->device[e] && k < c->device[e]->nodes - c->device[e]->rates; k++)
            value[c->pin[e][k]] = value[c->pin[e][terminal_of(
                c->device[e]->internal[k - c->device[e]->terminals])]];
    for (int i = 0; i < p->n; i++) x[i] = value[p->variable[i]];
    YK_GO(yk_part_eval(p, 0.0, x, NULL, charge, NULL, err));
    for (int i = 0; i < p->n; i++) q[p->variable[i]] = charge[i];
    for (int e = 0; e < net->elements; e++) add_own(p, e, value, q);
done:
    yk_part_free(p);
    YK_FREE(external, own, x, charge);
    return status;
}

/* The variable in whose equation of `first_charges` the balance of row i is. */
static int balance_of(const yk_circuit *c, int variable)
{
    if (variable < c->nodes) return variable;
    const int e = c->owner[variable - c->nodes];
    for (int k = 0; k < 2; k++) {
        const int n = c->net->element[e].node[k];
        if (c->net->element[e].kind == 'v' && c->driver[n] == e) return n;
    }
    return variable;
}

static yoke_status prepare_charges(solver *s, yk_circuit *c, double *value,
                                   yoke_err *err)
{
    yk_net_part *p = s->p;
    const size_t n = (size_t)p->n + 1;
    double *all = NULL;
    yoke_status status = YOKE_OK;

    YK_GO(yk_doubles(&all, (size_t)c->variables + 1, err));
    YK_GO(first_charges(c->net, value, all, err));
    YK_GO(yk_doubles(&s->q, n, err));
    YK_GO(yk_doubles(&s->C, (size_t)yoke_pattern_count(p->pattern_C) + 1, err));
    YK_GO(yk_pattern_union(&s->both, p->pattern_C, p->pattern_G, &s->c_at,
                           &s->g_at, err));
    YK_GO(yk_doubles(&s->A, (size_t)yoke_pattern_count(s->both) + 1, err));
    yk_lu_free(s->lu);
    s->lu = NULL;
    YK_GO(yk_lu_create(&s->lu, s->both, false, err));
    YK_GO(yk_doubles(&s->q0, n, err));
    for (int i = 0; i < p->n; i++)
        s->q0[i] = all[balance_of(c, p->variable[i])];
done:
    yk_free(all);
    return status;
}

/* Switches begin as the user says and then follow their controls. */
static yoke_status settle_switches(solver *s, yoke_err *err)
{
    yk_net_part *p = s->p;

    for (int round = 0; round <= p->switches; round++) {
        yoke_status status = newton(s, MOST, false, err);
        if (status > 0) status = source_stepping(s, err);
        if (status != YOKE_OK) return status;
        yk_part_gather(p, s->t, s->x, NULL);
        if (!yk_part_follow(p)) break;
    }
    return YOKE_OK;
}

static yoke_status settle(solver *s, yoke_err *err)
{
    s->p->is_limiting = true;
    YK_TRY(settle_switches(s, err));
    YK_TRY(yk_part_eval(s->p, s->t, s->x, NULL, s->q0, NULL, err));
    return settle_switches(s, err);
}

yoke_status yk_circuit_settle(yk_circuit *c, double h, double *given,
                              double *value, yoke_err *err)
{
    solver s = { .t = 0.0, .column = -1, .h = h };
    yoke_status status = make_whole(&s, c, err);

    if (status == YOKE_OK && s.p->n > 0)
        status = prepare_charges(&s, c, given, err);
    if (status == YOKE_OK && s.p->n > 0) {
        for (int i = 0; i < s.p->n; i++) s.x[i] = value[s.p->variable[i]];
        status = settle(&s, err);
    }
    if (status > 0)
        status = explain(&s, "one short step from the charges of uic", err);
    if (status == YOKE_OK) take_values(&s, c, value);
    discard(&s);
    return status;
}
