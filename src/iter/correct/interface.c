/* iter/correct/interface.c -- the late waveforms and the linearised sweep.
 *
 * Each visit of the schedule to a unit has its inputs and outputs as unknowns.
 * At one point of the grid
 *
 *     u = K y,    y = Z u + history,
 *
 * where a feed that is late reads w instead of y.  The new w is the y of the
 * last visit with r on top of it; with w = y + r put in,
 *
 *     [  I  -K ] [ u ]   [ K_late r ]
 *     [ -Z   I ] [ y ] = [ history  ],    dw = y + r.
 *
 * This is dw - F' dw = r without S, which many parts would make large and
 * dense: there is an entry for each feed and one for each pair of an input and
 * an output of a unit, and the matrix is factored as it is (la/lu.h).
 *
 * M = (I - S)^-1 is wanted where it is applied to waveforms as they are.  If
 * few components are late it is made whole, by solving for each.  If many are,
 * each column is followed through the sweep, M = I + S + S^2 + ..., until what
 * arrives is small.  Any approximation of M serves there, for the grid takes
 * the rest (grid.c); if a column does not end, M = I does.
 */
#include "iter/correct/interface.h"
#include "base/tolerance.h"
#include "iter/policy.h"
#include "iter/stage.h"
#include "la/lu.h"
#include "la/sparse.h"

#include <math.h>
#include <string.h>

typedef struct linear_unit {
    double *z;       /* p by m */
    double *du;      /* m */
    double *history; /* p */
    double *size;    /* p: of the outputs, as tolerances; for `follow` */
    int *late_at;    /* p: place among the late components, or -1 */
    int last;        /* its last visit, or -1 */
} linear_unit;

/* Its inputs are the unknowns from `at` on; its outputs follow. */
typedef struct visit {
    int unit, stage, at;
} visit;

/* Row `row` of the matrix reads a late component. */
typedef struct late_read {
    int row;
    double weight;
} late_read;

struct yk_interface {
    yk_plan_state *plan;
    int size;
    yk_late *late;
    linear_unit *unit;
    int visits;
    visit *visit;
    int *of;         /* of each unknown: its visit */
    int *late_y;     /* of each late component: the unknown that makes it */
    int *first_read; /* size + 1 */
    late_read *read; /* by late components */
    int unknowns;
    yk_sparse matrix;
    yk_lu *lu;
    double *x;    /* the unknowns */
    double *owed; /* by a column that is followed: not passed on yet */
    int *mark, *touched, *queue;
    bool *queued;
};

static void unit_clear(linear_unit *u)
{
    YK_FREE(u->z, u->du, u->history, u->size, u->late_at);
}

void yk_interface_free(yk_interface *f)
{
    if (!f) return;
    for (int i = 0; f->unit && i < f->plan->plan.units; i++)
        unit_clear(&f->unit[i]);
    yk_lu_free(f->lu);
    yk_sparse_clear(&f->matrix);
    YK_FREE(f->unit, f->late, f->visit, f->of, f->late_y, f->first_read,
            f->read, f->x, f->owed, f->mark, f->touched, f->queue, f->queued,
            f);
}

/* ---- the unknowns --------------------------------------------------------- */

static yoke_status unit_create(linear_unit *u, const yk_propagator *p,
                               yoke_err *err)
{
    const size_t ins = (size_t)p->m, outs = (size_t)p->p;

    YK_TRY(yk_doubles(&u->z, ins * outs, err));
    YK_TRY(yk_doubles(&u->du, ins, err));
    YK_TRY(YK_DOUBLES(outs, err, &u->history, &u->size));
    u->last = -1;
    return yk_ints(&u->late_at, outs, err);
}

static yoke_status number_late(yk_interface *f, yoke_err *err)
{
    const yk_plan *plan = &f->plan->plan;
    size_t room = 0;

    for (int i = 0; i < plan->units; i++)
        room += (size_t)plan->unit[i].propagator->p;
    YK_TRY(YK_NEW(&f->late, room, err));
    for (int i = 0; i < plan->units; i++)
        for (int c = 0; c < plan->unit[i].propagator->p; c++) {
            const bool late = f->plan->unit[i].late[c];
            f->unit[i].late_at[c] = late ? f->size : -1;
            if (late) f->late[f->size++] = (yk_late){ i, c };
        }
    return YOKE_OK;
}

static yoke_status number_visits(yk_interface *f, yoke_err *err)
{
    const yk_plan *plan = &f->plan->plan;
    const yoke_schedule *s = plan->schedule;
    int at = 0;

    YK_TRY(YK_NEW(&f->visit, s->stage[s->stages], err));
    for (int stage = 0; stage < s->stages; stage++)
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            const yk_propagator *p = plan->unit[s->member[k]].propagator;
            f->visit[f->visits++] = (visit){ s->member[k], stage, at };
            at += p->m + p->p;
        }
    f->unknowns = at;
    YK_TRY(yk_ints(&f->of, (size_t)at, err));
    for (int v = 0; v < f->visits; v++) {
        const int end = v + 1 < f->visits ? f->visit[v + 1].at : at;
        for (int k = f->visit[v].at; k < end; k++) f->of[k] = v;
        f->unit[f->visit[v].unit].last = v;
    }
    return YOKE_OK;
}

static int inputs_of(const yk_interface *f, int v)
{
    return f->plan->plan.unit[f->visit[v].unit].propagator->m;
}

static int outputs_of(const yk_interface *f, int v)
{
    return f->plan->plan.unit[f->visit[v].unit].propagator->p;
}

/* The unknown that is component c of what visit v makes. */
static int output_at(const yk_interface *f, int v, int c)
{
    return f->visit[v].at + inputs_of(f, v) + c;
}

/* ---- the matrix ----------------------------------------------------------- */

typedef struct late_entry {
    int late;
    late_read read;
} late_entry;

typedef struct entries {
    yk_triplets t;
    int *newest; /* of each unit: its last visit in an earlier stage, or -1 */
    late_entry *late;
    int lates;
    size_t late_room;
} entries;

static void entries_clear(entries *e)
{
    yk_triplets_clear(&e->t);
    YK_FREE(e->newest, e->late);
}

/* What has not been made in this sweep is late, or does not change. */
static yoke_status add_feed(yk_interface *f, entries *e, int v,
                            const yk_feed *feed, yoke_err *err)
{
    const int row = f->visit[v].at + feed->to;
    const int l = f->unit[feed->unit].late_at[feed->from];
    int from = e->newest[feed->unit];

    if (from < 0 && l < 0) return YOKE_OK;
    if (from < 0) {
        from = f->unit[feed->unit].last;
        YK_TRY(YK_GROW(&e->late, &e->late_room, e->lates + 1, err));
        e->late[e->lates++] =
            (late_entry){ l, { .row = row, .weight = feed->weight } };
        if (from < 0) return YOKE_OK;
    }
    return yk_triplets_add(&e->t, row, output_at(f, from, feed->from),
                           -feed->weight, err);
}

/* The places of a visit: Z is filled in later. */
static yoke_status add_visit(yk_interface *f, entries *e, int v, yoke_err *err)
{
    const yk_unit *unit = &f->plan->plan.unit[f->visit[v].unit];
    const int m = inputs_of(f, v), p = outputs_of(f, v), at = f->visit[v].at;

    for (int k = 0; k < m + p; k++)
        YK_TRY(yk_triplets_add(&e->t, at + k, at + k, 1.0, err));
    for (int j = 0; j < m; j++)
        for (int o = 0; o < p; o++)
            YK_TRY(yk_triplets_add(&e->t, at + m + o, at + j, 0.0, err));
    for (int k = 0; k < unit->feeds; k++)
        if (!unit->feed[k].delayed)
            YK_TRY(add_feed(f, e, v, &unit->feed[k], err));
    return YOKE_OK;
}

static yoke_status sort_reads(yk_interface *f, const entries *e, yoke_err *err)
{
    YK_TRY(yk_ints(&f->first_read, (size_t)f->size + 2, err));
    YK_TRY(YK_NEW(&f->read, e->lates, err));
    for (int k = 0; k < e->lates; k++) f->first_read[e->late[k].late + 2]++;
    for (int l = 0; l < f->size; l++)
        f->first_read[l + 2] += f->first_read[l + 1];
    for (int k = 0; k < e->lates; k++)
        f->read[f->first_read[e->late[k].late + 1]++] = e->late[k].read;
    return YOKE_OK;
}

static yoke_status make_matrix(yk_interface *f, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    entries e = { .newest = NULL };
    int made = 0;

    YK_GO(yk_ints(&e.newest, (size_t)f->plan->plan.units, err));
    for (int i = 0; i < f->plan->plan.units; i++) e.newest[i] = -1;
    for (int v = 0; v < f->visits; v++) {
        for (; f->visit[made].stage < f->visit[v].stage; made++)
            e.newest[f->visit[made].unit] = made;
        YK_GO(add_visit(f, &e, v, err));
    }
    YK_GO(sort_reads(f, &e, err));
    YK_GO(yk_sparse_create(&f->matrix, f->unknowns, f->unknowns, &e.t, err));
    YK_GO(yk_ints(&f->late_y, (size_t)f->size, err));
    for (int l = 0; l < f->size; l++) {
        const int last = f->unit[f->late[l].unit].last;
        if (last >= 0) f->late_y[l] = output_at(f, last, f->late[l].component);
    }
done:
    entries_clear(&e);
    return status;
}

static yoke_status build(yk_interface *f, yoke_err *err)
{
    const yk_plan *plan = &f->plan->plan;

    YK_TRY(YK_NEW(&f->unit, plan->units, err));
    for (int i = 0; i < plan->units; i++)
        YK_TRY(unit_create(&f->unit[i], plan->unit[i].propagator, err));
    YK_TRY(number_late(f, err));
    YK_TRY(number_visits(f, err));
    if (f->size == 0) return YOKE_OK;
    YK_TRY(make_matrix(f, err));
    YK_TRY(yk_lu_create(&f->lu, f->matrix.pattern, false, err));
    YK_TRY(YK_DOUBLES((size_t)f->unknowns, err, &f->x, &f->owed));
    YK_TRY(YK_INTS((size_t)f->unknowns, err, &f->mark, &f->touched, &f->queue));
    return YK_NEW(&f->queued, f->unknowns, err);
}

yoke_status yk_interface_create(yk_interface **out, yk_plan_state *plan,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_interface *f = NULL;

    YK_TRY(YK_NEW(&f, 1, err));
    f->plan = plan;
    YK_GO(build(f, err));
    *out = f;
    f = NULL;
done:
    yk_interface_free(f);
    return status;
}

int yk_interface_size(const yk_interface *f, const yk_late **late)
{
    if (late) *late = f->late;
    return f->size;
}

bool yk_interface_can(const yk_interface *f)
{
    for (int i = 0; i < f->plan->plan.units; i++)
        if (f->unit[i].last < 0 ||
            !f->plan->plan.unit[i].propagator->ops->answer)
            return false;
    return true;
}

/* ---- linearise ------------------------------------------------------------ */

/* The late component that is made from an unknown, or the next one that is: it
 * names the place in messages. */
static const char *name_of(const yk_interface *f, const char *const *name,
                           int unknown)
{
    for (int k = unknown; name && k < unknown + f->unknowns; k++) {
        const int v = f->of[k % f->unknowns], unit = f->visit[v].unit;
        const int c = k % f->unknowns - output_at(f, v, 0);
        if (c >= 0 && f->unit[unit].late_at[c] >= 0)
            return name[f->unit[unit].late_at[c]];
    }
    return "";
}

/* Column j of a visit's inputs: the diagonal, then the outputs. */
static void fill(yk_interface *f)
{
    for (int v = 0; v < f->visits; v++) {
        const int m = inputs_of(f, v), p = outputs_of(f, v);
        const double *z = f->unit[f->visit[v].unit].z;
        for (int j = 0; j < m; j++) {
            double *column =
                f->matrix.value + f->matrix.pattern->start[f->visit[v].at + j];
            for (int o = 0; o < p; o++) column[1 + o] = -z[o * m + j];
        }
    }
}

static yoke_status factor(yk_interface *f, const char *const *name,
                          yoke_err *err)
{
    const int count = yoke_pattern_count(f->matrix.pattern);
    int column = -1, at = -1;

    fill(f);
    if (!yk_all_finite(f->matrix.value, count, &at)) {
        while (f->matrix.pattern->start[column + 1] <= at) column++;
        return yk_fail(err, YOKE_RETRY,
                       "the linearised sweep is not finite in the row of "
                       "\"%.300s\"",
                       name_of(f, name, column));
    }
    const yoke_status status =
        yk_lu_factor(f->lu, f->matrix.value, &column, err);
    if (status > 0)
        return yk_fail(err, status,
                       "the linearised sweep has no unique fixed point: I - S "
                       "is singular in the row of \"%.300s\"",
                       column >= 0 ? name_of(f, name, column) : "");
    return status;
}

/* At time t inside of the last sweep, at its end without `inside`. */
static yoke_status linearise(yk_interface *f, double t, bool inside, double h,
                             const char *const *name, yoke_err *err)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yk_unit_state *s = &f->plan->unit[i];
        const yk_propagator *p = s->unit->propagator;
        double *u = inside ? f->unit[i].du : NULL;
        if (inside && p->m > 0 && yk_wave_pieces(s->u_last) > 0)
            yk_wave_eval_right(s->u_last, t, NULL, u);
        const yoke_status status = p->ops->answer->linearise(
            p->self, inside ? t : 0.0, u, h, f->unit[i].z, err);
        if (status != YOKE_OK) yk_prefix(err, "\"%.100s\"", s->unit->name);
        YK_TRY(status);
    }
    return factor(f, name, err);
}

yoke_status yk_interface_linearise(yk_interface *f, double h,
                                   const char *const *name, yoke_err *err)
{
    return linearise(f, 0.0, false, h, name, err);
}

yoke_status yk_interface_linearise_at(yk_interface *f, double t, double h,
                                      const char *const *name, yoke_err *err)
{
    return linearise(f, t, true, h, name, err);
}

/* ---- M -------------------------------------------------------------------- */

/* Into x: what r = 1 of one late component causes at once. */
static yoke_status solve_column(yk_interface *f, int l, yoke_err *err)
{
    memset(f->x, 0, (size_t)f->unknowns * sizeof *f->x);
    for (int k = f->first_read[l]; k < f->first_read[l + 1]; k++)
        f->x[f->read[k].row] += f->read[k].weight;
    return yk_lu_solve(f->lu, f->x, err);
}

yoke_status yk_interface_inverse(yk_interface *f, double *m, yoke_err *err)
{
    const int n = f->size;

    for (int j = 0; j < n; j++) {
        YK_TRY(solve_column(f, j, err));
        for (int i = 0; i < n; i++)
            m[i * n + j] = (i == j) + f->x[f->late_y[i]];
    }
    return YOKE_OK;
}

static yoke_status whole_rows(yk_interface *f, yk_rows *rows, yoke_err *err)
{
    YK_TRY(yk_rows_begin(rows, f->size, err));
    for (int j = 0; j < f->size; j++) {
        YK_TRY(solve_column(f, j, err));
        for (int i = 0; i < f->size; i++) {
            const double value = f->x[f->late_y[i]];
            if (value != 0.0) YK_TRY(yk_rows_add(rows, i, j, value, err));
        }
    }
    return yk_rows_end(rows, err);
}

/* The tolerance of each output, by its size at the end of the last sweep. */
static void find_sizes(yk_interface *f, double atol, double rtol)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yk_unit_state *s = &f->plan->unit[i];
        double *size = f->unit[i].size;
        const int p = s->unit->propagator->p;
        for (int o = 0; o < p; o++) size[o] = 0.0;
        if (p > 0 && yk_wave_pieces(s->y) > 0)
            yk_wave_eval(s->y, yk_wave_end(s->y), NULL, size);
        for (int o = 0; o < p; o++) size[o] = yk_tolerance(atol, rtol, size[o]);
    }
}

/* A column of M that is followed through the sweep. */
typedef struct walk {
    int mark;          /* of this column, in `f->mark` */
    double unit;       /* tolerance of what began it */
    int head, waiting; /* in f->queue, which is a ring */
    int touched;       /* unknowns that got something */
    long steps;        /* entries of the matrix that may still be passed */
} walk;

static bool worth(const yk_interface *f, const walk *w, int unknown)
{
    const int v = f->of[unknown], o = unknown - output_at(f, v, 0);
    const double owed = fabs(f->owed[unknown]);

    if (o < 0) return owed > 0.0;
    return owed * w->unit > YK_ITER_FAR * f->unit[f->visit[v].unit].size[o];
}

static void owe(yk_interface *f, walk *w, int at, double what)
{
    if (f->mark[at] != w->mark) {
        f->mark[at] = w->mark;
        f->owed[at] = f->x[at] = 0.0;
        f->queued[at] = false;
        f->touched[w->touched++] = at;
    }
    f->owed[at] += what;
    if (f->queued[at] || !worth(f, w, at)) return;
    f->queued[at] = true;
    f->queue[(w->head + w->waiting++) % f->unknowns] = at;
}

static void pass_on(yk_interface *f, walk *w)
{
    const yoke_pattern *p = f->matrix.pattern;
    const int at = f->queue[w->head];
    const double what = f->owed[at];

    w->head = (w->head + 1) % f->unknowns;
    w->waiting--;
    w->steps -= p->start[at + 1] - p->start[at];
    f->queued[at] = false;
    f->owed[at] = 0.0;
    f->x[at] += what;
    for (int k = p->start[at]; k < p->start[at + 1]; k++)
        if (p->row[k] != at) owe(f, w, p->row[k], -f->matrix.value[k] * what);
}

/* Column l.  *ended: false if it took too long. */
static yoke_status follow_column(yk_interface *f, yk_rows *rows, int l, walk *w,
                                 bool *ended, yoke_err *err)
{
    const yk_late *late = &f->late[l];

    w->mark = l + 1;
    w->unit = f->unit[late->unit].size[late->component];
    w->head = w->waiting = w->touched = 0;
    for (int k = f->first_read[l]; k < f->first_read[l + 1]; k++)
        owe(f, w, f->read[k].row, f->read[k].weight);
    while (w->waiting > 0 && w->steps > 0) pass_on(f, w);
    *ended = w->waiting == 0;
    for (int k = 0; k < w->touched && *ended; k++) {
        const int at = f->touched[k], v = f->of[at];
        const int o = at - output_at(f, v, 0);
        const linear_unit *u = &f->unit[f->visit[v].unit];
        if (o >= 0 && u->last == v && u->late_at[o] >= 0 && f->x[at] != 0.0)
            YK_TRY(yk_rows_add(rows, u->late_at[o], l, f->x[at], err));
    }
    return YOKE_OK;
}

static yoke_status followed_rows(yk_interface *f, yk_rows *rows, double atol,
                                 double rtol, yoke_err *err)
{
    walk w = { .steps = (long)(YK_ITER_FOLLOW * f->unknowns) };
    bool ended = true;

    find_sizes(f, atol, rtol);
    memset(f->mark, 0, (size_t)f->unknowns * sizeof *f->mark);
    YK_TRY(yk_rows_begin(rows, f->size, err));
    for (int l = 0; l < f->size && ended; l++)
        YK_TRY(follow_column(f, rows, l, &w, &ended, err));
    if (!ended) YK_TRY(yk_rows_begin(rows, f->size, err));
    return yk_rows_end(rows, err);
}

yoke_status yk_interface_rows(yk_interface *f, double atol, double rtol,
                              yk_rows *rows, yoke_err *err)
{
    return f->size <= YK_ITER_WHOLE ? whole_rows(f, rows, err)
                                    : followed_rows(f, rows, atol, rtol, err);
}

/* ---- march ---------------------------------------------------------------- */

static yoke_status history_of(void *context, int i, yoke_err *err)
{
    yk_interface *f = context;
    const yk_propagator *p = f->plan->plan.unit[i].propagator;

    return p->ops->answer->history(p->self, f->unit[i].history, err);
}

/* Too little for threads, but units in other processes are asked at once. */
static yoke_status histories(yk_interface *f, yoke_err *err)
{
    const yk_stage stage = { .count = f->plan->plan.units,
                             .job = history_of,
                             .context = f,
                             .share = 0.0 };

    return yk_stage_run(f->plan, &stage, err);
}

static void forget(yk_interface *f)
{
    for (int i = 0; i < f->plan->plan.units; i++)
        memset(f->unit[i].history, 0,
               (size_t)f->plan->plan.unit[i].propagator->p *
                   sizeof *f->unit[i].history);
}

static void follow(yk_interface *f)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yk_propagator *p = f->plan->plan.unit[i].propagator;
        const linear_unit *u = &f->unit[i];
        if (u->last >= 0)
            p->ops->answer->follow(p->self, f->x + f->visit[u->last].at);
    }
}

/* One point; its units have their histories. */
static yoke_status march_point(yk_interface *f, const double *r, double *dw,
                               yoke_err *err)
{
    memset(f->x, 0, (size_t)f->unknowns * sizeof *f->x);
    for (int v = 0; v < f->visits; v++) {
        const double *history = f->unit[f->visit[v].unit].history;
        double *y = f->x + output_at(f, v, 0);
        for (int o = 0; o < outputs_of(f, v); o++) y[o] = history[o];
    }
    for (int l = 0; l < f->size; l++)
        for (int k = f->first_read[l]; k < f->first_read[l + 1]; k++)
            f->x[f->read[k].row] += f->read[k].weight * r[l];
    YK_TRY(yk_lu_solve(f->lu, f->x, err));
    for (int l = 0; l < f->size; l++) dw[l] = f->x[f->late_y[l]] + r[l];
    return YOKE_OK;
}

yoke_status yk_interface_march(yk_interface *f, int count, const double *r,
                               double *dw, yoke_err *err)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yk_propagator *p = f->plan->plan.unit[i].propagator;
        p->ops->answer->begin(p->self);
    }
    forget(f);
    for (int k = 0; k < count; k++) {
        const int at = k * f->size;
        if (k > 0) YK_TRY(histories(f, err));
        YK_TRY(march_point(f, r + at, dw + at, err));
        if (k > 0) follow(f);
    }
    return YOKE_OK;
}
