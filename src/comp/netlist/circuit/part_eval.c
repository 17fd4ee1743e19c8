/* comp/netlist/circuit/part_eval.c -- currents, charges and their derivatives
 * of a part.
 *
 * Constant coefficients are added row by row.  Each device remembers its last
 * branch voltages with everything that belongs to them: the Jacobian asks for
 * what the residual has just computed, and a device whose voltages have hardly
 * moved is continued linearly.
 */
#include "comp/netlist/circuit/part.h"
#include "comp/netlist/cut/topology.h"

#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double thermal = 0.0259; /* V, a size of voltages that matter */
static const double kappa = 0.01;     /* of tolerances: what Newton may leave */

/* ---- variables ----------------------------------------------------------- */

void yk_part_gather(yk_net_part *p, double t, const double *x, const double *u)
{
    memcpy(p->z, x, (size_t)p->n * sizeof *x);
    if (p->m) memcpy(p->z + p->n, u, (size_t)p->m * sizeof *u);
    for (int k = 0; k < p->drivens; k++) {
        const yk_part_driven *d = &p->driven[k];
        p->z[d->slot] =
            p->z[d->below] + d->sign * p->level * yk_source_value(d->source, t);
    }
}

static double row_of_stamps(const yk_stamps *s, int row, const double *z)
{
    double sum = 0.0;

    for (int k = s->start[row]; k < s->start[row + 1]; k++)
        sum += s->value[k] * z[s->slot[k]];
    return sum;
}

static void add_stamps(const yk_stamps *s, int n, const double *z, double *sum)
{
    for (int i = 0; i < n; i++) sum[i] = row_of_stamps(s, i, z);
}

/* ---- devices ------------------------------------------------------------- */

static bool is_near(const yk_net_part *p, const yk_part_device *d,
                    const double *b)
{
    for (int k = 0; k < d->device->branches; k++)
        if (!(fabs(b[k] - d->b[k]) <= p->bypass)) return false;
    return true;
}

static void load(yk_part_device *d, const double *b)
{
    memcpy(d->b, b, (size_t)d->device->branches * sizeof *b);
    d->device->ops->load(d->device, b, d->i, d->q, d->di, d->dq);
    d->valid = true;
}

/* Rounding is no limit. */
static bool is_far(const yk_device *device, const double *a, const double *b)
{
    for (int k = 0; k < device->branches; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-9 * (1.0 + fabs(b[k])))) return true;
    return false;
}

/* The device at the voltages z; db: how far the voltages are from those it was
 * computed at. */
static void refresh(yk_net_part *p, yk_part_device *d, double *db)
{
    const yk_device *device = d->device;
    double b[YK_DEVICE_BRANCHES];

    for (int k = 0; k < device->branches; k++)
        db[k] = b[k] =
            p->z[d->slot[device->plus[k]]] - p->z[d->slot[device->minus[k]]];
    if (p->is_beginning)
        load(d, d->held);
    else if (p->is_limiting) {
        if (device->ops->limit && device->ops->limit(device, d->held, b) &&
            is_far(device, db, b))
            p->limited = true;
        memcpy(d->held, b, (size_t)device->branches * sizeof *b);
        load(d, b);
    } else if (!d->valid || !is_near(p, d, b))
        load(d, b);
    for (int k = 0; k < device->branches; k++) db[k] -= d->b[k];
}

void yk_part_hold(yk_net_part *p, double t, const double *x, const double *u)
{
    yk_part_gather(p, t, x, u);
    for (int k = 0; k < p->devices; k++) {
        yk_part_device *d = &p->device[k];
        for (int j = 0; j < d->device->branches; j++)
            d->held[j] = p->z[d->slot[d->device->plus[j]]] -
                         p->z[d->slot[d->device->minus[j]]];
    }
}

static void add_device(yk_net_part *p, yk_part_device *d, double *q, double *f)
{
    const int nodes = d->device->nodes, branches = d->device->branches;
    double db[YK_DEVICE_BRANCHES];

    refresh(p, d, db);
    for (int j = 0; j < nodes; j++) {
        const int row = d->row[j];
        if (row < 0) continue;
        if (f) {
            double sum = d->i[j];
            for (int k = 0; k < branches; k++)
                sum += d->di[j * branches + k] * db[k];
            f[row] += sum;
        }
        if (q && d->device->has_charge) {
            double sum = d->q[j];
            for (int k = 0; k < branches; k++)
                sum += d->dq[j * branches + k] * db[k];
            q[row] += sum;
        }
    }
}

static void put(yk_goal goal, double value, double *x, double *u)
{
    if (goal >= 0) {
        if (x) x[goal] += value;
    } else if (goal < -1 && u)
        u[-2 - goal] += value;
}

/* Derivatives by branch voltages go to both nodes of the branch. */
static void put_device(const yk_part_device *d, const yk_goal *goal,
                       const double *slope, double *x, double *u)
{
    const yk_device *device = d->device;

    for (int j = 0; j < device->nodes; j++) {
        const yk_goal *to = goal + j * device->nodes;
        if (d->row[j] < 0) continue;
        for (int k = 0; k < device->branches; k++) {
            const double s = slope[j * device->branches + k];
            put(to[device->plus[k]], s, x, u);
            put(to[device->minus[k]], -s, x, u);
        }
    }
}

/* ---- functions ----------------------------------------------------------- */

/* p0 + p1 a + p2 b + p3 a^2 + p4 a b + p5 b^2 + ...: all products of a degree
 * in lexical order, then those of the next. */
static double polynomial(const yk_part_function *fn, double *slope)
{
    int at[16]; /* factors of the present product */
    const int n = fn->dimensions;
    double value = fn->coefs > 0 ? fn->coef[0] : 0.0;
    int degree = 1;

    for (int v = 0; v < n; v++) slope[v] = 0.0;
    for (int k = 0; k < degree && k < 16; k++) at[k] = 0;
    for (int c = 1; c < fn->coefs && degree < 16; c++) {
        double product = 1.0;
        for (int k = 0; k < degree; k++) product *= fn->arg[at[k]];
        value += fn->coef[c] * product;
        for (int k = 0; k < degree; k++) {
            double rest = fn->coef[c];
            for (int j = 0; j < degree; j++)
                if (j != k) rest *= fn->arg[at[j]];
            slope[at[k]] += rest;
        }
        int k = degree - 1; /* the next product: factors do not decrease */
        while (k >= 0 && at[k] == n - 1) k--;
        if (k < 0) {
            degree++;
            for (int j = 0; j < degree && j < 16; j++) at[j] = 0;
        } else {
            const int next = at[k] + 1;
            for (int j = k; j < degree; j++) at[j] = next;
        }
    }
    return value;
}

static bool is_charge(const yk_part_function *fn)
{
    return fn->law == YK_LAW_CAPACITOR || fn->law == YK_LAW_INDUCTOR;
}

/* Its expression, polynomial or input; the slopes by its own arguments, if they
 * are wanted. */
static double value_of(const yk_net_part *p, const yk_part_function *fn,
                       double t, bool slopes)
{
    double value = 0.0;

    t = yk_breaks_beside(p->breaks, fmax(t, 0.0));
    for (int v = 0; v < fn->vars; v++)
        fn->arg[v] = p->z[fn->plus[v]] - p->z[fn->minus[v]];
    if (fn->compiled && (!fn->held || p->holding))
        return yk_compiled_value(fn->compiled, fn->element, t, fn->arg,
                                 slopes ? fn->slope : NULL);
    if (fn->held && p->holding) {
        const yk_held *h = fn->held;
        const double *step = yk_part_held_values(p, fn, t);
        if (slopes)
            yk_expr_gradient(h->step, h->steps - 1, step, h->variables,
                             fn->slope, fn->work + h->steps);
        return step[h->steps - 1];
    }
    if (fn->expr) {
        yk_net_expr_eval(fn->expr, t, fn->arg, &value,
                         slopes ? fn->slope : NULL, fn->work);
        return value;
    }
    if (fn->coef) return polynomial(fn, fn->slope);
    fn->slope[0] = 1.0;
    return fn->arg[0];
}

/* From slopes of the value to those of the contribution, by all arguments. */
static void apply_law(const yk_part_function *fn, double value)
{
    const int own = fn->law < YK_LAW_RESISTOR ? fn->vars : fn->vars - 1;
    const double a = fn->arg[own];
    double factor = fn->factor;

    if (fn->law == YK_LAW_VOLTAGE) factor = -fn->factor;
    if (fn->law == YK_LAW_RESISTOR) factor = -fn->factor * a / (value * value);
    if (is_charge(fn)) factor = fn->factor * a;
    for (int v = 0; v < own; v++) fn->slope[v] *= factor;
    if (fn->law == YK_LAW_RESISTOR) fn->slope[own] = fn->factor / value;
    if (is_charge(fn)) fn->slope[own] = fn->factor * value;
}

/* The contribution to the first row. */
static double evaluate(const yk_net_part *p, const yk_part_function *fn,
                       double t, bool slopes)
{
    const double value = value_of(p, fn, t, slopes);

    if (fn->integrates) {
        const double charge = fn->factor * yk_part_integral(fn);
        memset(fn->slope, 0, (size_t)fn->vars * sizeof *fn->slope);
        fn->slope[fn->vars - 1] = fn->factor * value;
        return charge;
    }
    if (slopes) apply_law(fn, value);
    switch (fn->law) {
    case YK_LAW_CURRENT:
        return fn->factor * value;
    case YK_LAW_VOLTAGE:
        return -fn->factor * value;
    case YK_LAW_RESISTOR:
        return fn->factor * fn->arg[fn->vars - 1] / value;
    default:
        return fn->factor * value * fn->arg[fn->vars - 1];
    }
}

static void add_function(const yk_net_part *p, const yk_part_function *fn,
                         double t, double *q, double *f)
{
    double *const to = is_charge(fn) ? q : f;

    if (!to) return;
    const double value = evaluate(p, fn, t, false);
    if (fn->row[0] >= 0) to[fn->row[0]] += value;
    if (fn->row[1] >= 0) to[fn->row[1]] -= value;
}

static void put_function(const yk_net_part *p, const yk_part_function *fn,
                         double t, const yoke_jacobian *jac)
{
    double *const x = is_charge(fn) ? jac->C : jac->G;
    double *const u = is_charge(fn) ? jac->Cu : jac->Gu;

    if (!x && !u) return;
    evaluate(p, fn, t, true);
    for (int v = 0; v < fn->vars; v++)
        for (int end = 0; end < 2; end++) {
            const yk_goal *goal = fn->goal + 2 * (2 * v + end);
            const double s = end ? -fn->slope[v] : fn->slope[v];
            put(goal[0], s, x, u);
            put(goal[1], -s, x, u);
        }
}

/* ---- the whole ----------------------------------------------------------- */

static double conductance(const yk_net_part *p, int k)
{
    return p->closed[k] & YK_SWITCH_CLOSED ? p->sw[k].on : p->sw[k].off;
}

static void add_currents(yk_net_part *p, double t, double *f)
{
    if (p->follows) yk_part_follow(p);
    for (int k = 0; k < p->sources; k++) {
        const yk_part_source *s = &p->source[k];
        const double value = p->level * yk_source_value(s->source, t);
        for (int r = 0; r < 2; r++)
            if (s->row[r] >= 0) f[s->row[r]] += s->factor[r] * value;
    }
    for (int k = 0; k < p->switches; k++) {
        const yk_part_switch *s = &p->sw[k];
        const double i =
            conductance(p, k) * (p->z[s->slot[0]] - p->z[s->slot[1]]);
        if (s->row[0] >= 0) f[s->row[0]] += i;
        if (s->row[1] >= 0) f[s->row[1]] -= i;
    }
    for (int k = 0; k < p->injections; k++)
        f[p->injected[k]] -= p->z[p->n + p->foreign + p->values + k];
    if (p->shunt > 0.0)
        for (int i = 0; i < p->n; i++)
            if (p->diagonal[i] >= 0) f[i] += p->shunt * p->z[i];
}

yoke_status yk_part_eval(void *self, double t, const double *x, const double *u,
                         double *q, double *f, yoke_err *err)
{
    yk_net_part *p = self;

    (void)err;
    yk_part_gather(p, t, x, u);
    p->limited = false;
    if (f) {
        add_stamps(&p->g, p->n, p->z, f);
        add_currents(p, t, f);
    }
    if (q) add_stamps(&p->c, p->n, p->z, q);
    for (int k = 0; k < p->devices; k++) add_device(p, &p->device[k], q, f);
    for (int k = 0; k < p->functions; k++)
        add_function(p, &p->function[k], t, q, f);
    return YOKE_OK;
}

static void copy(double *to, const double *from, const yoke_pattern *pattern)
{
    if (to) memcpy(to, from, (size_t)yoke_pattern_count(pattern) * sizeof *to);
}

yoke_status yk_part_jacobian(void *self, double t, const double *x,
                             const double *u, const yoke_jacobian *jac,
                             yoke_err *err)
{
    yk_net_part *p = self;
    double db[YK_DEVICE_BRANCHES];

    (void)err;
    copy(jac->G, p->G, p->pattern_G);
    copy(jac->C, p->C, p->pattern_C);
    copy(jac->Gu, p->Gu, p->pattern_Gu);
    copy(jac->Cu, p->Cu, p->pattern_Cu);
    if (jac->Hx)
        for (int k = 0; k < yoke_pattern_count(p->pattern_Hx); k++)
            jac->Hx[k] = 1.0;
    if (p->devices + p->functions + p->switches == 0 && p->shunt == 0.0)
        return YOKE_OK;
    if (!p->is_limiting) yk_part_gather(p, t, x, u);
    for (int k = 0; k < p->devices; k++) {
        yk_part_device *d = &p->device[k];
        if (!p->is_limiting) refresh(p, d, db);
        put_device(d, d->g, d->di, jac->G, jac->Gu);
        if (d->device->has_charge) put_device(d, d->c, d->dq, jac->C, jac->Cu);
    }
    for (int k = 0; k < p->functions; k++)
        put_function(p, &p->function[k], t, jac);
    for (int k = 0; k < p->switches; k++) {
        const double g = conductance(p, k);
        for (int j = 0; j < 4; j++)
            put(p->sw[k].goal[j], j == 0 || j == 3 ? g : -g, jac->G, jac->Gu);
    }
    if (p->shunt > 0.0 && jac->G)
        for (int i = 0; i < p->n; i++)
            if (p->diagonal[i] >= 0) jac->G[p->diagonal[i]] += p->shunt;
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    yk_net_part *p = self;

    (void)err;
    yk_part_gather(p, t, x, u);
    for (int k = 0; k < p->outputs; k++) y[k] = p->z[p->output[k]];
    return YOKE_OK;
}

/* Linear continuation errs by the square of the change over a thermal voltage:
 * far less than Newton's tolerance. */
static void accuracy(void *self, double rtol)
{
    yk_net_part *p = self;

    p->bypass = thermal * sqrt(2e-3 * rtol);
    p->bend = fmin(rtol, 1e-3);
}

/* Everything that a device remembers lies behind its branch voltages (part.c). */
static size_t remembered(const yk_part_device *d)
{
    const size_t nodes = (size_t)d->device->nodes,
                 branches = (size_t)d->device->branches;

    return 2 * branches + 2 * nodes + 2 * nodes * branches;
}

/* Devices that are continued linearly from where another has left them would
 * carry his change into the solution, and back: they forget it. */
static void aside(void *self, bool on)
{
    yk_net_part *p = self;
    size_t count = 0;

    for (int k = 0; k < p->devices; k++) count += remembered(&p->device[k]) + 1;
    if (on && !p->aside) (void)yk_doubles(&p->aside, count + 1, NULL);
    double *at = p->aside;
    for (int k = 0; k < p->devices; k++) {
        yk_part_device *d = &p->device[k];
        const size_t size = remembered(d);
        if (!at) {
            d->valid = false;
            continue;
        }
        memcpy(on ? at : d->b, on ? d->b : at, size * sizeof *at);
        if (on) at[size] = d->valid;
        d->valid = !on && at[size] != 0.0;
        at += size + 1;
    }
}

/* A voltage that is an expression.  Where the slope of a matrix that is older was
 * steep and it is flat here, tanh(1e4*v(a,b)), increments are small although the
 * equation is open (its voltage was off by 1.2 V): is it closed to what
 * tolerances of the voltages make by the slopes here? */
static bool function_settled(const yk_net_part *p, const yk_part_function *fn,
                             double t)
{
    if (fn->law != YK_LAW_VOLTAGE || !fn->expr || fn->row[0] < 0) return true;
    const double value = fn->factor * value_of(p, fn, t, true);
    const double left = row_of_stamps(&p->g, fn->row[0], p->z) - value;
    double most = yk_tolerance(1e-6, p->bend, value);

    for (int v = 0; v < fn->vars; v++)
        most += fabs(fn->factor * fn->slope[v]) *
                yk_tolerance(
                    1e-6, p->bend,
                    fmax(fabs(p->z[fn->plus[v]]), fabs(p->z[fn->minus[v]])));
    return fabs(left) <= kappa * most;
}

/* The devices' share of the answer: their voltages move with dx and du. */
static bool settled(void *self, double t, const double *x, const double *dx,
                    const double *u, const double *du)
{
    yk_net_part *p = self;
    double b[YK_DEVICE_BRANCHES], db[YK_DEVICE_BRANCHES];

    if (!p->settles && p->functions == 0) return true;
    if (p->is_limiting && p->limited) return false;
    yk_part_gather(p, t, x, u);
    for (int k = 0; k < p->functions; k++)
        if (!function_settled(p, &p->function[k], t)) return false;
    memcpy(p->dz, dx, (size_t)p->n * sizeof *dx);
    for (int k = 0; k < p->m; k++) p->dz[p->n + k] = du ? du[k] : 0.0;
    for (int k = 0; k < p->drivens; k++)
        p->dz[p->driven[k].slot] = p->dz[p->driven[k].below];
    for (int k = 0; k < p->devices; k++) {
        const yk_part_device *d = &p->device[k];
        const yk_device *device = d->device;
        if (!device->ops->settled) continue;
        for (int j = 0; j < device->branches; j++) {
            const int plus = d->slot[device->plus[j]];
            const int minus = d->slot[device->minus[j]];
            b[j] = p->z[plus] - p->z[minus];
            db[j] = p->dz[plus] - p->dz[minus];
        }
        if (!device->ops->settled(device, b, db, p->bend)) return false;
    }
    return true;
}

static bool place(void *self, int unknown, char *text, size_t size)
{
    const yk_net_part *p = self;
    const yk_circuit *c = p->circuit;
    const int v = p->variable[unknown];
    char at[600];

    if (v < c->nodes) {
        const int node =
            yk_circuit_is_rate(c, v) ? c->rate_node[v - c->first_rate] : v;
        yk_circuit_at_node(c, node, at, sizeof at);
        snprintf(text, size, "at the node of %.60s of %.100s: %.400s",
                 c->name[node], c->net->path, at);
    } else {
        const yk_net_element *el = &c->net->element[c->owner[v - c->nodes]];
        snprintf(text, size, "%.60s stands in %.100s:%d", el->name, el->at.file,
                 el->at.line);
    }
    return true;
}

static void limit(void *self, bool on, double t, const double *x,
                  const double *u)
{
    yk_net_part *p = self;

    p->is_limiting = on;
    if (on) yk_part_hold(p, t, x, u);
}

/* ---- breakpoints --------------------------------------------------------- */

/* Instants that differ by less are one, found in two ways: the corner of a
 * source inside an expression too. */
static double same_instant(double t)
{
    return 64.0 * DBL_EPSILON * fabs(t);
}

static double source_break(const yk_net_part *p, double t)
{
    double next = INFINITY;

    for (int k = 0; k < p->drivens; k++)
        next = fmin(next, yk_source_break(p->driven[k].source, t));
    for (int k = 0; k < p->sources; k++)
        next = fmin(next, yk_source_break(p->source[k].source, t));
    return next;
}

/* The corner of a source that an instant of the expressions is, or itself. */
static double told_as(const yk_net_part *p, double at)
{
    const double corner = source_break(p, at - same_instant(at));

    return corner <= at + same_instant(at) ? corner : at;
}

static double next_break(void *self, double t)
{
    const yk_net_part *p = self;
    const double next = source_break(p, t);
    double at = t, told = INFINITY;

    if (!p->breaks) return next;
    do {
        at = yk_breaks_after(p->breaks, at,
                             fmin(next, fmax(p->circuit->stop, 2.0 * t)));
        told = isfinite(at) ? told_as(p, at) : INFINITY;
    } while (told <= t);
    return fmin(next, told);
}

/* ---- the system ----------------------------------------------------------- */

const yoke_help_ops yk_part_help = { .accuracy = accuracy,
                                     .aside = aside,
                                     .settled = settled,
                                     .limit = limit,
                                     .place = place,
                                     .explain = yk_part_explain };

const yoke_system_ops yk_part_ops = {
    .kind = "circuit",
    .eval = yk_part_eval,
    .output = output,
    .jacobian = yk_part_jacobian,
    .next_break = next_break,
    .free = yk_part_free,
};

const yoke_system_ops yk_part_event_system_ops = {
    .kind = "circuit",
    .eval = yk_part_eval,
    .output = output,
    .jacobian = yk_part_jacobian,
    .next_break = next_break,
    .save = yk_part_save,
    .restore = yk_part_restore,
    .free = yk_part_free,
};
