/* verify/spot_check.c -- one piece of an accepted window, solved again.
 *
 * A unit, or everything as one system, begins at the values that the run has at
 * the beginning of the piece, with the accepted waveforms at its inputs, and is
 * solved by another method, with a hundredth of the tolerance and short steps.
 * All unknowns and outputs are compared over the piece, but for the
 * surroundings of jumps, where one of two right solutions may be on the other
 * side.
 *
 * A difference above ten tolerances has to be explained: the piece is solved by
 * a third way and from a beginning that is off by one tolerance.  What these
 * change, times ten, is what an unstable or ill-posed piece may differ by;
 * beyond that the run is wrong.
 */
#include "verify/spot.h"

#include "base/tolerance.h"
#include "decide/policy.h"
#include "model/units_point.h"
#include "step/steppers.h"
#include "sys/call.h"
#include "sys/system.h"
#include "verify/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Passes over anything, if not accurately: for what no error test passes. */
static const char plain[] = "implicit-euler";

/* A variable that is compared: where the run has it, and the check. */
typedef struct item {
    int node, index;
    bool is_output;
    int unit, component; /* of the run */
    int at;              /* unknown or output of the check */
    double tolerance;
    bool weak;     /* output or algebraic */
    bool junction; /* of a circuit with junctions */
} item;

typedef struct solution {
    yk_wave *x, *y;
    double *instant;
    int instants;
} solution;

typedef struct check {
    yk_spot *spot;
    const yk_spot_piece *piece;
    const yk_cluster *cluster;
    yoke_stepper_options stepper; /* that of the run */
    double rtol, atol;            /* what it promises */
    int n, p;
    int *watch;
    double *x0, *tolerance, *u0, *y0;
    yk_wave *u;
    int items;
    item *item;
    solution first, other, shifted;
    double *run_value, *x_value, *y_value;

    bool deep;   /* there are multipliers */
    bool strong; /* only unknowns with charge are compared: the solution is by
                    a method without an error test */
    double worst, worst_t, has, should;
    const item *where;
} check;

static void solution_clear(solution *s)
{
    yk_wave_free(s->x);
    yk_wave_free(s->y);
    yk_free(s->instant);
    *s = (solution){ .x = NULL };
}

static void check_clear(check *k)
{
    solution_clear(&k->first);
    solution_clear(&k->other);
    solution_clear(&k->shifted);
    yk_wave_free(k->u);
    YK_FREE(k->watch, k->x0, k->tolerance, k->u0, k->y0, k->item, k->run_value,
            k->x_value, k->y_value);
}

/* ---- what is compared ---------------------------------------------------- */

/* Without a charge, and in rows with charge only: what is left of those, such
 * as the current of a source.  It follows the slopes of waveforms. */
static bool is_rate(const yoke_system_info *f, int unknown)
{
    const yoke_pattern *g = f->G;
    bool any = false;

    if (f->C->start[unknown] < f->C->start[unknown + 1]) return false;
    for (int k = g->start[unknown]; k < g->start[unknown + 1]; k++) {
        bool charge = false;
        for (int e = 0; e < f->C->start[f->n] && !charge; e++)
            charge = f->C->row[e] == g->row[k];
        for (int e = 0; f->m > 0 && e < f->Cu->start[f->m] && !charge; e++)
            charge = f->Cu->row[e] == g->row[k];
        if (!charge) return false;
        any = true;
    }
    return any;
}

static void add_unknowns(check *k, int member)
{
    const yk_spot *spot = k->spot;
    const yk_unit_plan *plan = &spot->units->plan[0];
    const int node = k->cluster->node[member];
    const int unit = plan->schedule->cluster[node];
    const yk_cluster *from = &plan->cluster[unit];
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(spot->graph, node));
    int m = 0;

    while (from->node[m] != node) m++;
    for (int i = 0; i < f->n; i++) {
        const int at = k->cluster->x_at[member] + i;
        const bool deep =
            yk_propagator_is_deep(&plan->propagator[unit], from->x_at[m] + i);
        const double size = spot->size_x[spot->first_x[node] + i];
        k->tolerance[at] = yk_tolerance(k->atol * f->nominal[i], k->rtol, size);
        k->deep = k->deep || deep;
        if (deep || is_rate(f, i)) continue;
        k->item[k->items++] = (item){
            .node = node,
            .index = i,
            .unit = unit,
            .component = spot->place[unit][from->x_at[m] + i],
            .at = at,
            .tolerance = k->tolerance[at],
            .weak = f->C->start[i] == f->C->start[i + 1],
            .junction = yk_system_limits(yoke_graph_system(spot->graph, node)),
        };
    }
}

/* Does an output show an unknown that is not compared, or a multiplier of
 * another part? */
static bool shows_deep(const check *k, int node, int index, int unit)
{
    const yk_spot *spot = k->spot;
    const yk_unit_plan *plan = &spot->units->plan[0];
    const yk_cluster *from = &plan->cluster[unit];
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(spot->graph, node));
    int m = 0;

    while (from->node[m] != node) m++;
    for (int j = 0; j < f->n; j++)
        for (int e = f->Hx->start[j]; e < f->Hx->start[j + 1]; e++)
            if (f->Hx->row[e] == index &&
                (is_rate(f, j) || yk_propagator_is_deep(&plan->propagator[unit],
                                                        from->x_at[m] + j)))
                return true;
    for (int e = 0; k->deep && e < yoke_pattern_count(f->Hu); e++)
        if (f->Hu->row[e] == index) return true;
    return false;
}

static void add_output(check *k, int output)
{
    const yk_spot *spot = k->spot;
    const yk_unit_plan *plan = &spot->units->plan[0];
    const int node = k->cluster->out[output][0];
    const int index = k->cluster->out[output][1];
    const int unit = plan->schedule->cluster[node];
    const yk_cluster *from = &plan->cluster[unit];
    const double size = spot->size_y[spot->units->first_out[node] + index];

    if (shows_deep(k, node, index, unit)) return;
    for (int c = 0; c < from->outs; c++)
        if (from->out[c][0] == node && from->out[c][1] == index)
            k->item[k->items++] = (item){
                .node = node,
                .index = index,
                .is_output = true,
                .junction =
                    yk_system_limits(yoke_graph_system(spot->graph, node)),
                .weak = true,
                .unit = unit,
                .component = c,
                .at = output,
                .tolerance = fmax(k->atol, spot->options->iterate.atol) +
                             fmax(k->rtol, spot->options->iterate.rtol) * size,
            };
}

static yoke_status make_items(check *k, yoke_err *err)
{
    YK_TRY(YK_NEW(&k->item, k->n + k->p + 1, err));
    YK_TRY(yk_doubles(&k->tolerance, (size_t)k->n + 1, err));
    for (int m = 0; m < k->cluster->nodes; m++) add_unknowns(k, m);
    for (int o = 0; o < k->cluster->outs; o++) add_output(k, o);
    return YOKE_OK;
}

/* ---- the beginning --------------------------------------------------------
 */

/* Of a unit: its own unknowns. */
static void begin_unit(check *k)
{
    const yk_spot *spot = k->spot;
    const yk_propagator *p = &spot->units->plan[0].propagator[k->piece->unit];

    if (k->n == 0) return;
    yk_wave_eval_right(p->ops->watched(p->self), k->piece->begin, NULL,
                       k->run_value);
    for (int i = 0; i < k->n; i++)
        k->x0[i] = k->run_value[spot->place[k->piece->unit][i]];
}

/* Of everything: unknowns of the members, and inputs that the whole keeps as
 * unknowns. */
static yoke_status begin_whole(check *k, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_model_point point = { 0 };

    YK_GO(yk_units_point(k->spot->units, k->spot->graph, k->spot->place,
                         k->piece->begin, &point, err));
    yk_cluster_gather(k->cluster, point.graph, (const double *const *)point.x,
                      (const double *const *)point.u, k->x0);
done:
    yk_point_clear(&point);
    return status;
}

/* The accepted waveforms at the inputs, over the piece. */
static yoke_status make_inputs(check *k, yoke_err *err)
{
    const yk_spot *spot = k->spot;
    const yk_unit_plan *plan = &spot->units->plan[0];
    const yk_cluster *c = k->cluster;
    yoke_status status = YOKE_OK;
    yk_wave_term *term = NULL;

    YK_GO(YK_NEW(&term, c->sources + 1, err));
    for (int s = 0; s < c->sources; s++) {
        const yk_cluster_source *from = &c->source[s];
        const int unit = plan->schedule->cluster[from->node];
        term[s] = (yk_wave_term){ .to = from->to, .weight = from->weight };
        if (from->delayed) {
            term[s].wave =
                yk_delays_wave(spot->units->delays, from->link, &term[s].from);
            continue;
        }
        term[s].wave = yk_iteration_wave(spot->units->iteration, 0, unit);
        for (int o = 0; o < plan->cluster[unit].outs; o++)
            if (plan->cluster[unit].out[o][0] == from->node &&
                plan->cluster[unit].out[o][1] == from->output)
                term[s].from = o;
    }
    YK_GO(yk_wave_combine(k->u, k->piece->begin, k->piece->end, c->sources,
                          term, err));
    if (c->ins > 0) yk_wave_eval_right(k->u, k->piece->begin, NULL, k->u0);
done:
    yk_free(term);
    return status;
}

/* That of the unit; of everything the loosest, which reaches the others.  What
 * feeds a reader that amplifies has a smaller one than all is compared with. */
static yoke_status find_tolerance(check *k, yoke_err *err)
{
    const yk_unit_plan *plan = &k->spot->units->plan[0];

    k->rtol = k->stepper.rtol;
    k->atol = k->stepper.atol;
    for (int c = 0; k->piece->unit < 0 && c < plan->schedule->clusters; c++) {
        yoke_stepper_options o;
        YK_TRY(yk_ladder_stepper(k->spot->ladder, &plan->cluster[c], true, &o,
                                 err));
        k->rtol = fmax(k->rtol, o.rtol);
        k->atol = fmax(k->atol, o.atol);
    }
    return YOKE_OK;
}

static int widest(const yk_spot *spot)
{
    int most = 1;

    for (int c = 0; c < spot->units->plan[0].schedule->clusters; c++) {
        const yk_propagator *p = &spot->units->plan[0].propagator[c];
        if (p->p > most) most = p->p;
        if (p->watches > most) most = p->watches;
    }
    return most;
}

static yoke_status check_create(check *k, yoke_err *err)
{
    k->cluster = k->piece->unit < 0
                     ? k->spot->whole
                     : &k->spot->units->plan[0].cluster[k->piece->unit];
    k->n = yoke_system_facts(k->cluster->system)->n;
    k->p = k->cluster->outs;
    yk_system_aside(k->cluster->system, true); /* until the check ends */
    YK_TRY(
        yk_ladder_stepper(k->spot->ladder, k->cluster, true, &k->stepper, err));
    YK_TRY(find_tolerance(k, err));
    YK_TRY(make_items(k, err));
    YK_TRY(yk_ints(&k->watch, (size_t)k->n + 1, err));
    for (int i = 0; i < k->n; i++) k->watch[i] = i;
    YK_TRY(yk_doubles(&k->x0, (size_t)k->n + 1, err));
    YK_TRY(yk_doubles(&k->u0, (size_t)k->cluster->ins + 1, err));
    YK_TRY(yk_doubles(&k->y0, (size_t)k->p + 1, err));
    YK_TRY(yk_doubles(&k->run_value, (size_t)widest(k->spot), err));
    YK_TRY(yk_doubles(&k->x_value, (size_t)k->n + 1, err));
    YK_TRY(yk_doubles(&k->y_value, (size_t)k->p + 1, err));
    YK_TRY(yk_wave_create(&k->u, k->cluster->ins, err));
    YK_TRY(make_inputs(k, err));
    yk_model_restore(k->spot->model, k->piece->memory);
    if (k->piece->unit < 0) return begin_whole(k, err);
    begin_unit(k);
    return YOKE_OK;
}

/* ---- another way ----------------------------------------------------------
 */

typedef struct way {
    const char *method;
    double tighter; /* tolerances are divided by this */
    double steps;   /* the longest step is divided by this */
    bool shifted;   /* begins one tolerance beside */
    bool patient;   /* may take more steps than a check */
    bool loose;     /* what feeds a reader that amplifies has no tolerance of
                       its own: rounding may not permit it to all */
} way;

/* By half a tolerance to one and a half, no two of a few unknowns by nearly the
 * same: a current may be the difference of two voltages. */
static void shift(check *k, double *x)
{
    const double golden = 0.6180339887498949;
    unsigned long long seed = 1 + k->spot->seed;

    for (int i = 0; i < k->n; i++) {
        const double by = k->tolerance[i] * (0.5 + fmod(i * golden, 1.0));
        x[i] += yk_random(&seed) < 0.5 ? -by : by;
    }
}

static yoke_status keep_solution(const yk_propagator *p, solution *s,
                                 yoke_err *err)
{
    const double *t = NULL;

    YK_TRY(yk_wave_copy(s->x, p->ops->watched(p->self), err));
    s->instants = p->ops->instants ? p->ops->instants(p->self, &t) : 0;
    return yk_copy_doubles(&s->instant, t, (size_t)s->instants, err);
}

static yoke_status solve(check *k, const way *w, solution *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_stepper_options o = k->stepper;
    yk_propagator p = { 0 };
    double *x = NULL;

    solution_clear(s);
    YK_GO(yoke_stepper_set(&o, "method", w->method, err));
    o.rtol = fmin(w->loose ? k->rtol : o.rtol, k->rtol / w->tighter);
    o.rtol = fmax(o.rtol, YK_DECIDE_LEAST_RTOL);
    o.atol = fmin(w->loose ? k->atol : o.atol, k->atol / w->tighter);
    const double longest = k->piece->max_step / w->steps;
    o.step = yoke_stepper_is_fixed(w->method) ? longest : 0.0;
    o.steps = 0;
    o.min_step = 0.0;
    o.max_step = longest;
    o.dense = YOKE_DENSE_NATURAL;
    o.latent = o.warm = false;
    YK_GO(yk_wave_create(&s->x, k->n, err));
    YK_GO(yk_wave_create(&s->y, k->p, err));
    YK_GO(yk_stepper_create(&p, k->cluster->system, &o, k->n, k->watch, err));
    YK_GO(yk_copy_doubles(&x, k->x0, (size_t)k->n, err));
    if (w->shifted) shift(k, x);
    yk_model_restore(k->spot->model, k->piece->memory);
    p.ops->limit(p.self,
                 w->patient ? (long)(YK_SPOT_PATIENCE * (double)k->piece->limit)
                            : k->piece->limit);
    YK_GO(p.ops->handover->join(p.self, k->piece->begin, x, k->u0, k->y0, err));
    status = p.ops->sweep(p.self, k->piece->end, k->u, s->y, err);
    if (status == YOKE_OK) status = keep_solution(&p, s, err);
done:
    if (p.ops) {
        yoke_work work = { 0 };
        p.ops->work(p.self, &work);
        yk_work_add(&k->spot->work, &work);
        k->spot->spent += (double)work.residuals * k->n;
        p.ops->free(p.self);
    }
    yk_free(x);
    return status;
}

/* Not one of the run's own failures: there is no such check. */
static bool is_mine(yoke_status status)
{
    return status == YOKE_E_MEMORY || status == YOKE_STOPPED;
}

/* The first way that has a solution; *took is it. */
static yoke_status solve_any(check *k, int ways, const way *w, solution *s,
                             way *took, yoke_err *err)
{
    yoke_status status = YOKE_RETRY;

    for (int i = 0; i < ways && status != YOKE_OK; i++) {
        *took = w[i];
        status = solve(k, &w[i], s, err);
        if (is_mine(status)) return status;
    }
    return status;
}

/* ---- differences ----------------------------------------------------------
 */

/* Is t beside a jump, or between two that are one? */
static bool beside_jump(double t, double length, int count, const double *at,
                        int others, const double *other)
{
    const double near = YK_SPOT_BESIDE * length;

    for (int i = 0; i < count; i++) {
        if (fabs(t - at[i]) <= near) return true;
        for (int j = 0; j < others; j++)
            if (fabs(at[i] - other[j]) <= YK_SPOT_SAME_JUMP * length &&
                t >= fmin(at[i], other[j]) - near &&
                t <= fmax(at[i], other[j]) + near)
                return true;
    }
    return false;
}

static bool comparable(const check *k, double t, const solution *s)
{
    const yk_unit_plan *plan = &k->spot->units->plan[0];
    const double length = k->piece->end - k->piece->begin;

    if (beside_jump(t, length, s->instants, s->instant, 0, NULL)) return false;
    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_propagator *p = &plan->propagator[c];
        const double *at = NULL;
        const int count = p->ops->instants ? p->ops->instants(p->self, &at) : 0;
        if (beside_jump(t, length, count, at, s->instants, s->instant))
            return false;
    }
    return true;
}

static double value_of(const check *k, const item *i, const solution *s,
                       double t)
{
    yk_wave_eval(i->is_output ? s->y : s->x, t, NULL,
                 i->is_output ? k->y_value : k->x_value);
    return i->is_output ? k->y_value[i->at] : k->x_value[i->at];
}

/* How much an output changes with unknowns that are off by a tolerance: it may
 * be a small difference of large ones. */
static double output_spread(const check *k, const item *i, double t)
{
    unsigned long long seed = 1;
    double low = 0.0, high = 0.0;

    for (int r = 0; r < 6; r++) {
        if (k->n > 0) yk_wave_eval(k->first.x, t, NULL, k->x_value);
        for (int j = 0; r > 0 && j < k->n; j++)
            k->x_value[j] +=
                yk_random(&seed) < 0.5 ? -k->tolerance[j] : k->tolerance[j];
        if (k->cluster->ins > 0) yk_wave_eval(k->u, t, NULL, k->u0);
        if (yoke_system_output(k->cluster->system, t, k->x_value, k->u0,
                               k->y_value, NULL) != YOKE_OK)
            return INFINITY;
        const double y = k->y_value[i->at];
        low = r ? fmin(low, y) : y;
        high = r ? fmax(high, y) : y;
    }
    return high - low;
}

/* What an ill-posed piece may differ by, in tolerances. */
static double spread(const check *k, const item *i, double t)
{
    const double value = value_of(k, i, &k->first, t);
    double apart = 0.0;

    if (!k->other.x) return 0.0;
    apart += fabs(value_of(k, i, &k->other, t) - value);
    apart += fabs(value_of(k, i, &k->shifted, t) - value);
    if (i->is_output) apart += output_spread(k, i, t);
    return apart / i->tolerance;
}

static void compare_at(check *k, double t)
{
    const yk_wave *last = NULL;

    if (k->n > 0) yk_wave_eval(k->first.x, t, NULL, k->x_value);
    if (k->p > 0) yk_wave_eval(k->first.y, t, NULL, k->y_value);
    for (int j = 0; j < k->items; j++) {
        const item *i = &k->item[j];
        const yk_wave *w = yk_units_wave(k->spot->units, i->unit, i->is_output);
        if (w != last) yk_wave_eval(w, t, NULL, k->run_value);
        last = w;
        const double has = k->run_value[i->component];
        const bool end = t == k->piece->end && i->unit == k->piece->step;
        const double part = i->junction && !end ? YK_SPOT_BETWEEN : 1.0;
        const double should =
            i->is_output ? k->y_value[i->at] : k->x_value[i->at];
        double apart = fabs(has - should) / (part * i->tolerance);
        if (!(apart > k->worst) || !(i->tolerance > 0.0)) continue;
        if (k->strong && i->weak) continue;
        if (k->other.x) {
            apart -= YK_PROMISE * spread(k, i, t);
            if (k->n > 0) yk_wave_eval(k->first.x, t, NULL, k->x_value);
            if (k->p > 0) yk_wave_eval(k->first.y, t, NULL, k->y_value);
            if (!(apart > k->worst)) continue;
        }
        k->worst = apart;
        k->worst_t = t;
        k->where = i;
        k->has = has;
        k->should = should;
    }
}

static void compare(check *k)
{
    const double begin = k->piece->begin, length = k->piece->end - begin;

    k->worst = 0.0;
    k->where = NULL;
    for (int s = 1; s <= YK_SPOT_SAMPLES; s++) {
        const double t = s < YK_SPOT_SAMPLES
                             ? begin + length * s / YK_SPOT_SAMPLES
                             : k->piece->end;
        if (comparable(k, t, &k->first)) compare_at(k, t);
    }
}

static void name_item(const check *k, const item *i, char *text, size_t room)
{
    const yoke_system *s = yoke_graph_system(k->spot->graph, i->node);
    const yoke_system_info *f = yoke_system_facts(s);

    snprintf(text, room, "%.70s.%.70s", yoke_system_name(s),
             i->is_output ? f->y_name[i->index] : f->x_name[i->index]);
}

static void count_check(check *k)
{
    yk_spot *spot = k->spot;

    spot->made++;
    spot->time += k->piece->end - k->piece->begin;
    if (!(k->worst >= spot->worst) || !k->where) return;
    spot->worst = k->worst;
    spot->worst_t = k->worst_t;
    name_item(k, k->where, spot->worst_name, sizeof spot->worst_name);
}

static yoke_status complain(check *k, const char *method, yoke_err *err)
{
    char name[160];

    name_item(k, k->where, name, sizeof name);
    return yk_fail(err, YOKE_E_NUMERIC,
                   "spot check: \"%s\" is %.9g at t = %.9g, but %.9g if %s is "
                   "solved again from t = %.9g on (%s, a hundredth of the "
                   "tolerance, steps of at most %.3g): they differ by %.3g "
                   "tolerances. The result is wrong there: take a smaller step "
                   "(option step: the longest one), or a smaller rtol",
                   name, k->has, k->worst_t, k->should,
                   k->piece->unit < 0 ? "everything as one system"
                                      : k->cluster->name,
                   k->piece->begin, method, k->piece->max_step,
                   fabs(k->has - k->should) / k->where->tolerance);
}

static bool is_plain_way(const way *w)
{
    return strcmp(w->method, plain) == 0;
}

/* A third way, and one from another beginning. */
static yoke_status solve_others(check *k, const way *first, yoke_err *err)
{
    const bool same = strcmp(first->method, "radau5") == 0;
    const way other[] = {
        { "radau5", same ? 10.0 * YK_SPOT_TIGHTER : YK_SPOT_TIGHTER,
          same ? YK_SPOT_FINER : 1.0, false, first->patient, first->loose },
        { first->method, YK_SPOT_TIGHTER, YK_SPOT_FINER * first->steps, false,
          first->patient, first->loose },
        { .method = plain,
          .tighter = YK_SPOT_TIGHTER,
          .steps = YK_SPOT_FINER * YK_SPOT_PLAIN_STEPS },
    };
    const way shifted[] = {
        { first->method, first->tighter, first->steps, true, first->patient,
          first->loose },
        { .method = plain,
          .tighter = YK_SPOT_TIGHTER,
          .steps = YK_SPOT_PLAIN_STEPS,
          .shifted = true },
    };
    const bool is_plain = is_plain_way(first);
    way took;

    YK_TRY(solve_any(k, is_plain ? 1 : 3, is_plain ? &other[2] : other,
                     &k->other, &took, err));
    return solve_any(k, 2, shifted, &k->shifted, &took, err);
}

/* The difference is large: is the piece ill-posed, or the run wrong? */
static yoke_status judge(check *k, const way *first, yoke_err *err)
{
    const bool weak = k->where->weak;
    yoke_err why = { YOKE_OK, "" };

    const yoke_status status = solve_others(k, first, &why);
    if (is_mine(status)) {
        if (err) *err = why;
        return status;
    }
    if (status == YOKE_OK) compare(k);
    if (status != YOKE_OK || !(k->worst > YK_PROMISE)) {
        k->spot->undecided += !weak;
        return YOKE_OK;
    }
    count_check(k);
    return complain(k, first->method, err);
}

/* The first solution, and its difference from the run.  Implicit Euler sees no
 * more than its steps do, and may be all there is only because the others were
 * given few: before it decides against the run they are given many. */
static yoke_status solve_first(check *k, way *w, yoke_err *err)
{
    const bool collocation = strcmp(k->stepper.method, "radau5") == 0;
    const way usual = { .tighter = YK_SPOT_TIGHTER, .steps = 1.0 };
    way first[] = { usual, usual, usual }, more[4];

    first[0].method = collocation ? "ida" : "radau5";
    first[1].method = collocation ? "radau5" : "ida";
    first[2].method = plain;
    first[2].steps = YK_SPOT_PLAIN_STEPS;
    YK_TRY(solve_any(k, 3, first, &k->first, w, err));
    k->strong = is_plain_way(w);
    compare(k);
    if (!k->strong || !(k->worst > YK_PROMISE)) return YOKE_OK;
    for (int i = 0; i < 4; i++) {
        more[i] = first[i < 2 ? i : i - 1];
        more[i].patient = i < 3;
        more[i].loose = i == 2;
    }
    YK_TRY(solve_any(k, 4, more, &k->first, w, err));
    k->strong = is_plain_way(w);
    compare(k);
    return YOKE_OK;
}

yoke_status yk_spot_check(yk_spot *spot, const yk_spot_piece *piece,
                          yoke_err *err)
{
    yoke_status status = YOKE_OK;
    check k = { .spot = spot, .piece = piece };
    yoke_err why = { YOKE_OK, "" };

    status = check_create(&k, &why);
    if (status != YOKE_OK) {
        if (is_mine(status) && err) *err = why;
        spot->failed += !is_mine(status);
        status = is_mine(status) ? status : YOKE_OK;
        goto done;
    }
    status = yk_spot_held(k.cluster->system, piece->begin, k.x0, k.tolerance,
                          k.u0, err);
    if (status != YOKE_OK) goto done;
    way w;
    status = solve_first(&k, &w, &why);
    if (is_mine(status)) {
        if (err) *err = why;
    } else if (status != YOKE_OK) {
        spot->failed++;
        status = YOKE_OK;
    } else if (k.worst > YK_PROMISE) {
        status = judge(&k, &w, err);
    } else {
        count_check(&k);
    }
done:
    if (k.cluster) yk_system_aside(k.cluster->system, false);
    check_clear(&k);
    return status;
}
