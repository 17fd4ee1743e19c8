/* iter/coupled.c -- the linear problem of a window (coupled.h). */
#include "iter/coupled.h"

#include "iter/policy.h"
#include "iter/stage.h"

#include <math.h>
#include <string.h>

void yk_coupled_add(yk_coupled_unit *q, int *terms, const yk_wave *wave,
                    int from, int to, double weight)
{
    q->term[(*terms)++] = (yk_wave_term){ wave, from, to, weight };
}

/* ---- Marches ------------------------------------------------------------- */

/* What the inputs of a unit change by: by what the late outputs change by, and
 * what those before it in this march do.  0: nothing. */
static int gather_change(yk_states *st, int i, bool late, bool whole)
{
    const yk_unit_state *s = &st->plan->unit[i];
    yk_coupled_unit *q = &st->unit[i];
    int terms = 0;

    for (int f = 0; f < s->unit->feeds; f++) {
        const yk_feed *feed = &s->unit->feed[f];
        const yk_coupled_unit *from = &st->unit[feed->unit];
        if (feed->delayed) continue;
        if (!s->seen[f] && late && from->knots > 1)
            yk_coupled_add(q, &terms, from->v, feed->from, feed->to,
                           feed->weight);
        else if (s->seen[f] && !from->still)
            yk_coupled_add(q, &terms, from->dy, feed->from, feed->to,
                           feed->weight);
    }
    for (int c = 0; whole && c < s->unit->propagator->m; c++)
        yk_coupled_add(q, &terms, q->r, c, c, 1.0);
    return terms;
}

typedef struct marching {
    yk_states *st;
    bool late, whole;
    double least; /* changes of inputs up to this, in tolerances, are none */
} marching;

/* May a unit be left out where its inputs hardly change?  Not if it follows the
 * unknowns of others, if its equations were evaluated again, or if it will read
 * what it has got now in later windows, too. */
static bool may_rest(const yk_propagator *p, const yk_coupled_unit *q)
{
    const yk_tape_ops *const tape = p->ops->tape;

    return tape->rest && !q->fresh &&
           !(tape->follows && tape->follows(p->self)) &&
           !(p->ops->front && isfinite(p->ops->front->head(p->self)));
}

/* The largest change of inputs, in tolerances of what is read. */
static yoke_status size_of(yk_coupled_unit *q, int m, double *most,
                           yoke_err *err)
{
    *most = 0.0;
    YK_TRY(yk_wave_distance(q->du, NULL, q->input, err));
    for (int c = 0; c < m; c++)
        if (q->input[c] > 0.0) *most = fmax(*most, q->input[c] / q->unit[c]);
    return YOKE_OK;
}

static yoke_status march_unit(void *context, int i, yoke_err *err)
{
    const marching *m = context;
    yk_states *st = m->st;
    const yk_propagator *p = st->plan->unit[i].unit->propagator;
    yk_coupled_unit *q = &st->unit[i];
    if (st->begins) YK_TRY(yk_states_linearise(st, i, err));
    const int terms =
        p->ops->tape ? gather_change(st, i, m->late, m->whole) : 0;
    const bool may = terms > 0 && m->least > 0.0 && may_rest(p, q);
    /* All of it is r, whose size is known. */
    const bool known = m->whole && terms == p->m;

    q->by = known ? q->r : q->du;
    q->still = terms == 0 || (may && known && q->read <= m->least);
    q->change = known ? q->read : NAN;
    if (!q->still) {
        if (!known)
            YK_TRY(yk_wave_combine(q->du, st->t0, st->t1, terms, q->term, err));
        if (may && !known) YK_TRY(size_of(q, p->m, &q->change, err));
        q->still = may && q->change <= m->least;
    }
    if (q->still && p->ops->tape && p->ops->tape->rest)
        p->ops->tape->rest(p->self);
    return q->still
               ? YOKE_OK
               : p->ops->tape->answer(p->self, q->by, m->whole, q->dy, err);
}

/* Once through the schedule, the members of a stage at once.  late: from the v
 * of all units; whole: with r.  A unit that runs twice may read others of its
 * stage. */
static yoke_status march(yk_states *st, bool late, bool whole, double least,
                         yoke_err *err)
{
    const yoke_schedule *s = st->plan->plan.schedule;

    marching m = { st, late, whole, least };

    for (int i = 0; i < st->units; i++) st->unit[i].still = true;
    for (int k = 0; st->plan->twice && k < s->stage[s->stages]; k++)
        YK_TRY(march_unit(&m, s->member[k], err));
    for (int k = 0; !st->plan->twice && k < s->stages; k++) {
        const yk_stage stage = { .count = s->stage[k + 1] - s->stage[k],
                                 .unit = s->member + s->stage[k],
                                 .job = march_unit,
                                 .context = &m,
                                 .share = YK_ITER_STAGE_MARCH,
                                 .sends = true };
        YK_TRY(yk_stage_run(st->plan, &stage, err));
    }
    return YOKE_OK;
}

/* ---- Pieces -------------------------------------------------------------- */

/* The pieces of a waveform, added to those of a unit; *grown: there are more. */
static yoke_status add_knots(yk_states *st, yk_coupled_unit *q, int count,
                             const double *t, bool *grown, yoke_err *err)
{
    const double near = 1e-10 * (st->t1 - st->t0);

    for (int k = 0, i = 0; k < count; k++) {
        while (i < q->knots && q->knot[i] < t[k] - near) i++;
        if (i < q->knots && q->knot[i] <= t[k] + near) continue;
        if ((size_t)q->knots >= q->knot_room)
            YK_TRY(YK_GROW(&q->knot, &q->knot_room, 2 * (size_t)q->knots + 16,
                           err));
        memmove(q->knot + i + 1, q->knot + i,
                (size_t)(q->knots - i) * sizeof *q->knot);
        q->knot[i] = t[k];
        q->knots++;
        *grown = true;
    }
    return YOKE_OK;
}

static yoke_status own_knots(yk_states *st, int i, yoke_err *err)
{
    yk_coupled_unit *q = &st->unit[i];
    bool grown = false;

    q->knots = q->degree = 0;
    for (int k = 0; !q->still && k <= yk_wave_pieces(q->dy); k++) {
        const double t = yk_wave_knot(q->dy, k);
        YK_TRY(add_knots(st, q, 1, &t, &grown, err));
        if (k < yk_wave_pieces(q->dy) && yk_wave_degree(q->dy, k) > q->degree)
            q->degree = yk_wave_degree(q->dy, k);
    }
    return YOKE_OK;
}

/* What follows its inputs at once has their pieces. */
static yoke_status inherit(yk_states *st, int i, bool *grown, yoke_err *err)
{
    const yk_unit *unit = st->plan->unit[i].unit;
    yk_coupled_unit *q = &st->unit[i];

    if (q->still ||
        !unit->propagator->ops->tape->passes(unit->propagator->self))
        return YOKE_OK;
    for (int f = 0; f < unit->feeds; f++) {
        const yk_coupled_unit *from = &st->unit[unit->feed[f].unit];
        if (unit->feed[f].delayed) continue;
        YK_TRY(add_knots(st, q, from->knots, from->knot, grown, err));
        if (from->degree > q->degree) {
            q->degree = from->degree;
            *grown = true;
        }
    }
    return YOKE_OK;
}

/* The pieces on which every march from here on is exact, and how many values
 * describe the late outputs. */
static yoke_status find_pieces(yk_states *st, yoke_err *err)
{
    bool grown = true;

    for (int i = 0; i < st->units; i++) YK_TRY(own_knots(st, i, err));
    for (int turn = 0; grown && turn < st->units; turn++) {
        grown = false;
        for (int i = 0; i < st->units; i++) YK_TRY(inherit(st, i, &grown, err));
    }
    st->samples = 0;
    for (int i = 0; i < st->units; i++) {
        const yk_unit_state *s = &st->plan->unit[i];
        const yk_coupled_unit *q = &st->unit[i];
        for (int c = 0; q->knots > 1 && c < s->unit->propagator->p; c++)
            st->samples +=
                s->late[c] ? (size_t)((q->degree + 1) * (q->knots - 1)) : 0;
    }
    return YOKE_OK;
}

/* ---- Vectors ------------------------------------------------------------- */

/* Values of the late outputs of the last march, in tolerances. */
static void gather(yk_states *st, double *out)
{
    for (int i = 0; i < st->units; i++) {
        const yk_unit_state *s = &st->plan->unit[i];
        const yk_coupled_unit *q = &st->unit[i];
        int cursor = 0;
        if (!q->any) continue;
        for (int k = 0; k + 1 < q->knots; k++)
            for (int j = 0; j <= q->degree; j++) {
                const double a = q->knot[k], b = q->knot[k + 1];
                if (q->still)
                    memset(q->value, 0,
                           (size_t)s->unit->propagator->p * sizeof *q->value);
                else if (j == 0)
                    yk_wave_eval_right(q->dy, a, &cursor, q->value);
                else
                    yk_wave_eval(
                        q->dy, j == q->degree ? b : a + (b - a) * j / q->degree,
                        &cursor, q->value);
                for (int c = 0; c < s->unit->propagator->p; c++)
                    if (s->late[c]) *out++ = q->value[c] / q->scale[c];
            }
    }
}

/* The waveforms v of a vector. */
static yoke_status scatter(yk_states *st, const double *from, yoke_err *err)
{
    for (int i = 0; i < st->units; i++) {
        const yk_unit_state *s = &st->plan->unit[i];
        yk_coupled_unit *q = &st->unit[i];
        const int p = s->unit->propagator->p;
        if (!q->any) continue;
        yk_wave_clear(q->v, st->t0);
        memset(q->value, 0,
               (size_t)(p * (YOKE_WAVE_MAX_DEGREE + 1)) * sizeof *q->value);
        if (q->knots < 2)
            YK_TRY(yk_wave_append_constant(q->v, st->t1, q->value, err));
        for (int k = 0; k + 1 < q->knots; k++) {
            for (int j = 0; j <= q->degree; j++)
                for (int c = 0; c < p; c++)
                    if (s->late[c]) q->value[j * p + c] = *from++ * q->scale[c];
            YK_TRY(yk_wave_append_samples(q->v, q->knot[k + 1], q->degree,
                                          q->value, err));
        }
    }
    return YOKE_OK;
}

/* v less what a march makes of it.  Vectors have the norm 1, the solution that of b. */
static yoke_status map(void *self, const double *v, double *out, yoke_err *err)
{
    yk_states *st = self;

    YK_TRY(scatter(st, v, err));
    YK_TRY(march(st, true, false, st->least / st->size, err));
    gather(st, out);
    for (size_t i = 0; i < st->samples; i++) out[i] = v[i] - out[i];
    return YOKE_OK;
}

static yoke_status make_room(yk_states *st, yoke_err *err)
{
    if (st->samples < st->b_room) return YOKE_OK;
    YK_TRY(YK_GROW(&st->x, &st->x_room, 2 * st->samples + 1, err));
    YK_TRY(YK_GROW(&st->first, &st->first_room, 2 * st->samples + 1, err));
    return YK_GROW(&st->b, &st->b_room, 2 * st->samples + 1, err);
}

static double norm(size_t n, const double *v)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* The march with v = b, the outputs of the first.  It is the solution up to what
 * it adds to them, *rest, where the coupling is weak; in any case it makes the
 * first product, b - A K b, of st->first. */
static yoke_status try_march(yk_states *st, double *rest, yoke_err *err)
{
    YK_TRY(scatter(st, st->b, err));
    YK_TRY(march(st, true, true, st->least, err));
    gather(st, st->x);
    for (size_t i = 0; i < st->samples; i++) st->x[i] -= st->b[i];
    *rest = norm(st->samples, st->x);
    for (size_t i = 0; i < st->samples; i++) st->first[i] = st->b[i] - st->x[i];
    return YOKE_OK;
}

/* Does a late output change that the first march had left as it is?  Then it is
 * not among the unknowns. */
static bool is_missing(const yk_states *st)
{
    for (int i = 0; i < st->units; i++)
        if (st->unit[i].any && !st->unit[i].still && st->unit[i].knots < 2)
            return true;
    return false;
}

/* Vectors of GMRES that are worth it. */
static int most_vectors(const yk_states *st)
{
    int late = 0;

    for (int i = 0; i < st->units; i++)
        for (int c = 0; c < st->plan->unit[i].unit->propagator->p; c++)
            late += st->plan->unit[i].late[c];
    const double few = YK_ITER_STATES_FEW * late + YK_ITER_STATES_FEW_MORE;
    const double room = YK_ITER_STATES_ROOM / (double)(st->samples + 1);

    return (int)fmin(YK_ITER_STATES_VECTORS, fmax(few, room));
}

static yoke_status solve(yk_states *st, double limit, double *rest,
                         yoke_err *err)
{
    int count = 0;

    YK_TRY(march(st, false, true, st->least, err));
    st->begins = false;
    YK_TRY(find_pieces(st, err));
    YK_TRY(make_room(st, err));
    gather(st, st->b);
    const double size = st->size = norm(st->samples, st->b);
    *rest = size;
    if (!isfinite(size))
        return yk_fail(err, YOKE_RETRY, "the correction is not finite");
    if (size <= YK_ITER_STATES_NOTHING * limit) return YOKE_OK;
    YK_TRY(try_march(st, rest, err));
    st->gain = fmax(st->gain, *rest / size);
    /* What is below all tolerances is solved too, in proportion: it may grow. */
    const yk_krylov_problem problem = { .n = st->samples,
                                        .b = st->b,
                                        .map = map,
                                        .self = st,
                                        .first = st->first,
                                        .limit = YK_ITER_STATES_REST *
                                                 fmin(limit, size),
                                        .most = most_vectors(st) };
    if (*rest <= problem.limit || is_missing(st)) return YOKE_OK;
    YK_TRY(yk_krylov_solve(st->krylov, &problem, st->x, &count, rest, err));
    if (*rest > limit &&
        (double)count * (double)st->samples > YK_ITER_STATES_ROOM)
        return yk_fail(err, YOKE_RETRY, "the linear problem is not solved");
    YK_TRY(scatter(st, st->x, err));
    return march(st, true, true, st->least, err);
}

/* Changes of inputs, in tolerances, that are left alone: a part of what is
 * allowed, or of the largest change of this window if that is less.  None where
 * a loop amplifies what is left. */
static double least_change(yk_states *st, double limit)
{
    if (st->t0 != st->begin || st->t1 != st->end) st->largest = 0.0;
    st->begin = st->t0;
    st->end = st->t1;
    for (int i = 0; i < st->units; i++)
        st->largest = fmax(st->largest, st->unit[i].read);
    return st->loudest > YK_ITER_STATES_AMPLIFIES
               ? 0.0
               : YK_ITER_STATES_STILL * fmin(limit, st->largest);
}

yoke_status yk_coupled_solve(yk_states *st, double limit, double *rest,
                             yoke_err *err)
{
    st->least = least_change(st, limit);
    YK_TRY(solve(st, limit, rest, err));
    if (st->least > 0.0 && is_missing(st)) {
        st->least = 0.0;
        YK_TRY(solve(st, limit, rest, err));
    }
    for (int i = 0; i < st->units; i++) st->unit[i].fresh = false;
    return YOKE_OK;
}
