/* iter/constraint/collocated.c -- multipliers between parts that tell nothing.
 *
 * Parts that cannot be opened do not tell how their outputs move.  Here the
 * multipliers are those with which the equations hold at Radau's points of each
 * piece of the window,
 *
 *     R_j = g(tau_j) - g(t0) exp(-(tau_j - t0) / T) = 0,
 *
 * g between velocities, voltages of capacitors, or what follows the multipliers
 * at once.  What is left of g at the start of a window is carried and dies out
 * over a time T of the problem: closed within the window it would cost g / H in
 * the multipliers.  After each sweep
 *
 *     lambda_new = lambda - J^-1 R,
 *
 * J from the measured answer of the equations to a step of each multiplier
 * (collocated_probe.c), with all that follows it: the mass ratio does not
 * appear, and for linear parts it is exact.
 *
 * Limits: errors eps of the outputs are errors K eps / (S H) of multipliers
 * (docs/methods/constraints.md), so the parts are solved with tighter
 * tolerances; equations between positions are refused.
 */
#include "iter/constraint/collocated.h"
#include "iter/policy.h"

#include "base/tolerance.h"
#include "la/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef yk_collocated unit;

enum { MOST_SIZE = 1024, LEAST_POINTS = 4 };

static void unit_free(void *self)
{
    unit *c = self;

    if (!c) return;
    yk_constraint_common_clear(&c->of);
    yk_wave_free(c->one);
    yk_probe_clear(&c->probe);
    YK_FREE(c->knot, c->value, c->read, c->rest, c->matrix, c->pivot, c->z,
            c->u, c->g, c->D, c->gap, c->most, c->scale);
    YK_FREE(c->part, c);
}

/* ---- the equations ------------------------------------------------------- */

yoke_status yk_collocated_equations(unit *c, const yk_wave *u, double t,
                                    bool right, double *g, double *size,
                                    yoke_err *err)
{
    int row = 0, input = 0;

    (right ? yk_wave_eval_right : yk_wave_eval)(u, t, NULL, c->u);
    for (int k = 0; k < c->of.cluster->nodes; k++) {
        const yoke_system *s =
            yoke_graph_system(c->graph, c->of.cluster->node[k]);
        const yoke_system_info *f = yoke_system_facts(s);
        const yk_constraint_motion motion = { .t = t,
                                              .scale = c->t1 - c->t,
                                              .u = c->u + input,
                                              .stride = c->inputs };
        memset(c->D, 0, (size_t)(f->n * f->m) * sizeof *c->D);
        YK_TRY(yk_constraint_rates(s, &motion, g + row, c->n, c->D, f->m, err));
        for (int i = 0; size && i < f->n; i++)
            for (int j = 0; j < f->m; j++)
                size[row + i] =
                    fmax(size[row + i], fabs(c->D[i * f->m + j] * motion.u[j]));
        row += f->n;
        input += f->m;
    }
    return YOKE_OK;
}

/* ---- pieces -------------------------------------------------------------- */

/* Conditions that the steps of the parts in this window can answer to, about.
 * Each has two values of its inputs, or stages. */
static int conditions_of(const unit *c, const yk_wave *u)
{
    return 2 * yk_wave_pieces(u) / (c->parts > 1 ? c->parts : 1);
}

/* The instants at which something happens inside the window, sorted, behind
 * t0. */
static yoke_status find_cuts(unit *c, int *cuts, yoke_err *err)
{
    const double close = 1e-9 * (c->t1 - c->t);
    int count = 1, kept = 1;

    for (int i = 0; i < c->parts; i++) {
        const yk_propagator *p = c->part[i];
        const double *at = NULL;
        const int all = p->ops->instants ? p->ops->instants(p->self, &at) : 0;
        YK_TRY(YK_GROW(&c->knot, &c->knot_room, count + all + 2, err));
        for (int k = 0; k < all; k++) c->knot[count++] = at[k];
    }
    YK_TRY(YK_GROW(&c->knot, &c->knot_room, count + 2, err));
    c->knot[0] = c->t;
    qsort(c->knot + 1, (size_t)(count - 1), sizeof *c->knot,
          yk_compare_doubles);
    for (int k = 1; k < count; k++)
        if (c->knot[k] > c->knot[kept - 1] + close &&
            c->knot[k] < c->t1 - close)
            c->knot[kept++] = c->knot[k];
    *cuts = kept;
    return YOKE_OK;
}

/* Pieces no longer than `length` between the cuts. */
static yoke_status cut(unit *c, int cuts, double length, yoke_err *err)
{
    double *old = NULL;
    int pieces = 0;

    YK_TRY(yk_doubles(&old, (size_t)cuts + 1, err));
    memcpy(old, c->knot, (size_t)cuts * sizeof *old);
    old[cuts] = c->t1;
    for (int k = 0; k < cuts; k++)
        pieces += (int)ceil((old[k + 1] - old[k]) / length - 1e-6);
    yoke_status status =
        YK_GROW(&c->knot, &c->knot_room, pieces + cuts + 1, err);
    pieces = 0;
    for (int k = 0; status == YOKE_OK && k < cuts; k++) {
        const double span = old[k + 1] - old[k];
        const int parts = (int)fmax(ceil(span / length - 1e-6), 1.0);
        for (int i = 0; i < parts; i++)
            c->knot[pieces++] = old[k] + span * i / parts;
    }
    if (status == YOKE_OK) c->knot[pieces] = c->t1;
    c->grid.pieces = pieces;
    c->grid.knot = c->knot;
    yk_free(old);
    return status;
}

static yoke_status make_room(unit *c, yoke_err *err)
{
    c->size = c->grid.pieces * c->grid.points.count * c->n;
    c->factored = false;
    if (c->size > MOST_SIZE)
        return yk_fail(err, YOKE_RETRY,
                       "constraint \"%s\": its multipliers would need %d "
                       "values in [%.9g, %.9g]",
                       c->of.cluster->name, c->size, c->t, c->t1);
    const size_t size = (size_t)c->size;
    YK_TRY(YK_GROW(&c->value, &c->value_room, size, err));
    YK_TRY(YK_GROW(&c->read, &c->read_room, size, err));
    YK_TRY(YK_GROW(&c->rest, &c->rest_room, size, err));
    YK_TRY(YK_GROW(&c->pivot, &c->pivot_room, size, err));
    return YK_GROW(&c->matrix, &c->matrix_room, size * size, err);
}

/* Points of a piece: as many as the tolerance asks for, but not more conditions
 * than the steps of the parts can answer to. */
static int points_for(const unit *c, int most_points)
{
    const double wanted =
        ceil(YK_ITER_COLLOCATED_POINTS - log10(fmax(c->rtol, 1e-12)) - 1e-9);
    const int most = (int)fmin(wanted, YK_RADAU_MOST);

    if (most_points < LEAST_POINTS) return LEAST_POINTS;
    return most_points < most ? most_points : most;
}

/* The pieces of this window. */
static yoke_status divide(unit *c, const yk_wave *u, yoke_err *err)
{
    const double window = c->t1 - c->t;
    const int conditions = conditions_of(c, u);
    const int points = points_for(c, conditions);
    const double shortest = window / fmax(1.0, (double)(conditions / points));
    const double length =
        c->length > 0.0 ? fmin(fmax(c->length, shortest), window) : window;
    int cuts = 0;

    if (points != c->grid.points.count)
        yk_radau_points_make(&c->grid.points, points);
    YK_TRY(find_cuts(c, &cuts, err));
    YK_TRY(cut(c, cuts, length, err));
    return make_room(c, err);
}

/* ---- a sweep ------------------------------------------------------------- */

static double time_of(const unit *c, int row)
{
    const int points = c->grid.points.count;
    const double *at = &c->knot[row / points];
    const double place = c->grid.points.place[row % points];

    return place == 1.0 ? at[1] : at[0] + place * (at[1] - at[0]);
}

/* Does equation i follow a multiplier at once?  Then nothing of it is carried:
 * what is left of it at the start of a window is that of old multipliers. */
static bool follows(const unit *c, int i)
{
    for (int k = 0; k < c->n; k++)
        if (c->z[i * c->n + k].coef[0] != 0.0) return true;
    return false;
}

static yoke_status residuals(unit *c, const yk_wave *u, yoke_err *err)
{
    const double life = fmax(YK_ITER_COLLOCATED_LIFE * c->span, c->t1 - c->t);

    YK_TRY(yk_collocated_equations(c, u, c->t, true, c->gap, c->scale, err));
    for (int i = 0; i < c->n; i++)
        if (follows(c, i)) c->gap[i] = 0.0;
    for (int row = 0; row * c->n < c->size; row++) {
        const double t = time_of(c, row), left = exp(-(t - c->t) / life);
        double *const g = c->rest + row * c->n;
        YK_TRY(yk_collocated_equations(c, u, t, false, g, c->scale, err));
        for (int i = 0; i < c->n; i++) {
            g[i] -= c->gap[i] * left;
            c->read[row * c->n + i] = c->u[c->inputs + i];
        }
    }
    return YOKE_OK;
}

static yoke_status factor(unit *c, yoke_err *err)
{
    int row = 0;

    if (c->factored) return YOKE_OK;
    c->grid.n = c->n;
    c->grid.z = c->z;
    yk_collocation_matrix(&c->grid, c->matrix);
    const yoke_status status =
        yk_dense_factor(c->size, c->matrix, c->pivot, &row, err);
    if (status == YOKE_RETRY) /* at the start nothing is won by less time */
        return yk_fail(err, c->started ? YOKE_RETRY : YOKE_E_MODEL,
                       "constraint \"%s\" in [%.9g, %.9g]: the multipliers do "
                       "not determine its equations: they are redundant, or "
                       "the position is a special one",
                       c->of.cluster->name, c->t, c->t1);
    c->factored = status == YOKE_OK;
    return status;
}

static double tolerance_of(const unit *c, int i)
{
    return yk_tolerance(c->atol, c->rtol, c->most[i]);
}

/* The correction, in tolerances. */
static double move(unit *c)
{
    double most = 0.0;

    for (int i = 0; i < c->n; i++) c->most[i] = 0.0;
    for (int k = 0; k < c->size; k++) {
        c->value[k] = c->read[k] - c->rest[k];
        c->most[k % c->n] = fmax(c->most[k % c->n], fabs(c->value[k]));
    }
    for (int k = 0; k < c->size; k++)
        most = fmax(most, fabs(c->rest[k]) / tolerance_of(c, k % c->n));
    return most;
}

/* The last coefficient of the polynomials, the largest, in tolerances. */
static double tail_of(const unit *c)
{
    const int points = c->grid.points.count;
    double most = 0.0;

    for (int p = 0; p < c->grid.pieces; p++)
        for (int i = 0; i < c->n; i++) {
            double sum = 0.0;
            for (int j = 0; j < points; j++)
                sum += c->grid.points.tail[j] *
                       c->value[(p * points + j) * c->n + i];
            most = fmax(most, fabs(sum) / tolerance_of(c, i));
        }
    return most;
}

static yoke_status write(unit *c, yk_wave *y, yoke_err *err)
{
    const int points = c->grid.points.count;
    double *const coef = c->rest; /* no longer needed */

    yk_wave_clear(y, c->t);
    for (int p = 0; p < c->grid.pieces; p++) {
        for (int k = 0; k < points; k++)
            for (int i = 0; i < c->n; i++) {
                double sum = 0.0;
                for (int j = 0; j < points; j++)
                    sum += c->grid.points.power[k][j] *
                           c->value[(p * points + j) * c->n + i];
                coef[k * c->n + i] = sum;
            }
        YK_TRY(yk_wave_append(y, c->knot[p + 1], points - 1, coef, err));
    }
    memcpy(c->of.end + c->n, c->value + c->size - c->n,
           (size_t)c->n * sizeof *c->of.end);
    return yk_constraint_watch(&c->of, y, c->t, c->t1, err);
}

/* At the start of a run the equations must hold. */
static yoke_status check_start(const unit *c, yoke_err *err)
{
    for (int i = 0; !c->started && i < c->n; i++)
        if (fabs(c->gap[i]) > YK_ITER_COLLOCATED_START *
                                  yk_tolerance(c->atol, c->rtol, c->scale[i]))
            return yk_fail(err, YOKE_E_MODEL,
                           "constraint \"%s\" does not hold at the start: the "
                           "equation of \"%s\" is off by %.6g; give the parts "
                           "start values that agree",
                           c->of.cluster->name,
                           yoke_system_facts(c->of.cluster->system)->x_name[i],
                           c->gap[i]);
    return YOKE_OK;
}

/* Polynomials that have not settled: shorter pieces in the next sweep, or a
 * shorter window. */
static yoke_status refine(unit *c, const yk_wave *u, yoke_err *err)
{
    const int points = c->grid.points.count;
    const double window = c->t1 - c->t;
    const double wanted =
        window / c->grid.pieces *
        fmax(pow(YK_ITER_CONSTRAINT_AIM / c->tail, 1.0 / points), 0.25);

    c->trial = true; /* not to be accepted */
    if (c->tail > 0.5 * c->refused ||
        2 * c->grid.pieces * points > conditions_of(c, u))
        return yk_fail(err, YOKE_RETRY,
                       "constraint \"%s\" in [%.9g, %.9g]: polynomials of "
                       "degree %d leave %.3g tolerances of its multipliers, "
                       "and the parts take too few steps for shorter ones, or "
                       "are not accurate enough",
                       c->of.cluster->name, c->t, c->t1, points - 1, c->tail);
    c->refused = c->tail;
    c->length = wanted;
    return YOKE_OK;
}

static yoke_status correct(unit *c, const yk_wave *u, yk_wave *y, yoke_err *err)
{
    YK_TRY(residuals(c, u, err));
    YK_TRY(check_start(c, err));
    YK_TRY(factor(c, err));
    YK_TRY(yk_dense_solve(c->size, c->matrix, c->pivot, 1, c->rest, err));
    c->moved[1] = c->moved[0];
    c->moved[0] = move(c);
    c->tail = tail_of(c);
    YK_TRY(write(c, y, err));
    c->stale =
        c->stale || (c->sweeps > 1 && c->moved[0] > 1.0 &&
                     c->moved[0] > YK_ITER_COLLOCATED_SLOW * c->moved[1]);
    if (c->tail > 1.0 && c->moved[0] < YK_ITER_COLLOCATED_NEAR)
        return refine(c, u, err);
    return YOKE_OK;
}

/* Is the answer to the multipliers to be measured now? */
static bool must_probe(const unit *c)
{
    if (!c->known) return true;
    return c->t1 - c->t > YK_ITER_COLLOCATED_FAR * c->z[0].length ||
           (c->stale && (c->since < c->t || c->until != c->t1));
}

static yoke_status unit_sweep(void *self, double t1, const yk_wave *u,
                              yk_wave *y, yoke_err *err)
{
    unit *c = self;
    const bool again = c->swept && c->t1 == t1;
    bool more = false;

    if (!again) {
        /* Measured in a window that failed, it may be what failed. */
        if (c->since == c->t) c->known = false;
        c->sweeps = 0;
        c->probe.at = -1;
        c->refused = INFINITY;
        c->t1 = t1;
    }
    const bool anew = !again || c->trial;
    c->swept = false;
    c->trial = false;
    c->of.work.sweeps++;
    memset(c->scale, 0, (size_t)c->n * sizeof *c->scale);
    if (c->probe.at >= 0)
        YK_TRY(yk_probe_go_on(c, u, y, &more, err));
    else if (must_probe(c)) {
        YK_TRY(yk_probe_begin(c, u, y, err));
        more = true;
    }
    if (more) {
        c->swept = c->trial = true;
        return YOKE_OK;
    }
    c->sweeps++;
    if (anew) YK_TRY(divide(c, u, err));
    YK_TRY(correct(c, u, y, err));
    c->swept = true;
    return YOKE_OK;
}

/* ---- the propagator ------------------------------------------------------ */

static yoke_status unit_start(void *self, double t0, const double *x0,
                              const double *u0, double *y0, yoke_err *err)
{
    unit *c = self;
    const double *x = x0 ? x0 : yoke_system_facts(c->of.cluster->system)->x0;

    (void)u0, (void)err;
    c->t = c->t1 = t0;
    c->swept = c->started = c->known = c->trial = false;
    c->length = 0.0;
    c->since = -INFINITY;
    for (int i = 0; i < c->n; i++) {
        c->of.end[i] = y0[i] = x[i];
        c->most[i] = fabs(x[i]);
    }
    return YOKE_OK;
}

static yoke_status unit_accept(void *self, yoke_err *err)
{
    unit *c = self;

    (void)err;
    c->length = (c->t1 - c->t) / c->grid.pieces *
                fmin(pow(YK_ITER_CONSTRAINT_AIM / fmax(c->tail, 1e-300),
                         1.0 / c->grid.points.count),
                     YK_ITER_CONSTRAINT_GROW);
    yk_constraint_arrive(&c->of);
    c->window = c->t1 - c->t;
    c->t = c->t1;
    c->started = true;
    c->swept = false;
    return YOKE_OK;
}

/* One piece, but no guess that reaches too far. */
static double unit_reach(void *self)
{
    const unit *c = self;

    return fmin(YK_ITER_COLLOCATED_REACH * c->window, c->length);
}

/* At the start, for the first window: errors of the parts over a short one would
 * be all there is. */
static double unit_step(void *self)
{
    const unit *c = self;

    return c->started ? 0.0 : YK_ITER_COLLOCATED_FIRST * c->span;
}

static bool unit_trial(void *self)
{
    return ((unit *)self)->trial;
}

static const yk_handover_ops handover = {
    .give = yk_constraint_give,
    .take = unit_start,
    .join = unit_start,
};

static const yk_propagator_ops unit_ops = {
    .kind = "constraint",
    .start = unit_start,
    .sweep = unit_sweep,
    .accept = unit_accept,
    .watched = yk_constraint_watched,
    .next_break = yk_constraint_next_break,
    .moved = yk_constraint_moved,
    .trial = unit_trial,
    .step = unit_step,
    .reach = unit_reach,
    .handover = &handover,
    .work = yk_constraint_work,
    .free = unit_free,
};

static yoke_status build(void *self, const yk_constraint_setup *setup,
                         yoke_err *err)
{
    unit *c = self;
    const yoke_system_info *f = yoke_system_facts(setup->cluster->system);
    const size_t n = (size_t)f->n;

    c->graph = setup->graph;
    c->rtol = setup->rtol;
    c->atol = setup->atol;
    c->span = setup->span;
    c->n = f->n;
    c->inputs = f->m;
    YK_TRY(YK_NEW(&c->z, n * n, err));
    YK_TRY(yk_wave_create(&c->one, 1, err));
    YK_TRY(yk_probe_create(&c->probe, f->n, err));
    YK_TRY(YK_DOUBLES(n, err, &c->g, &c->gap, &c->most, &c->scale));
    YK_TRY(yk_doubles(&c->D, n * (size_t)(f->m + 1), err));
    return yk_doubles(&c->u, (size_t)f->m + n, err);
}

yoke_status yk_collocated_create(yk_propagator *out,
                                 const yk_constraint_setup *setup,
                                 yoke_err *err)
{
    return yk_constraint_make(out, &unit_ops, sizeof(unit), build, setup, err);
}

yoke_status yk_collocated_bind(const yk_propagator *unit_of, int units,
                               const yk_unit *all, int self, yoke_err *err)
{
    unit *c = unit_of->self;

    YK_TRY(YK_NEW(&c->part, units, err));
    for (int i = 0; i < units; i++) {
        bool reads = false;
        for (int f = 0; f < all[self].feeds; f++) {
            const yk_feed *feed = &all[self].feed[f];
            if (feed->delayed)
                return yk_fail(err, YOKE_E_MODEL,
                               "the constraint \"%s\" reads a delayed signal; "
                               "give it an owner",
                               c->of.cluster->name);
            reads = reads || (feed->unit == i && feed->to < c->inputs);
        }
        if (!reads || i == self) continue;
        c->part[c->parts++] = all[i].propagator;
    }
    return YOKE_OK;
}
