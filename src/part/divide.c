/* part/divide.c -- closed parts whose steps somebody else must choose.
 *
 * A part that has no error control of its own takes as many equal steps in a
 * window as asked.  A sweep is made with n and with 2 n steps.  The
 * difference of the two waveforms, over the whole window, is an estimate of the
 * error of the first and a bound for that of the second, which is taken.  n
 * grows until it is below the tolerance.
 *
 * Not every sweep needs both.  One of which the iteration says that it may be
 * loose is made with n steps.  One whose outputs are nearly those of a tested
 * sweep of the window is tested with it: the difference of n and 2 n steps is
 * linear in the inputs to first order, so it has changed by no more than both
 * waveforms have.
 *
 * If the difference does not fall with the steps, outputs jump.  The part may act
 * at instants of a period of its own, which is found in trials (ticks.c); then the
 * steps end there.  Other jumps are located by the worker, which sends copies of
 * its process ahead, or, where it has no copies, in trials again.
 */
#include "part/closed.h"
#include "base/lengths.h"
#include "wave/jumps.h"

#include <math.h>

typedef yk_part_asked asked;
typedef yk_part_closed closed;

static double tolerance(const closed *c, int k, double size)
{
    return c->atol[k] + c->spec.rtol * size;
}

static double least_jump(void *context, int k, double size)
{
    return tolerance(context, k, size);
}

yoke_status yk_part_compare(closed *c, const yk_wave *y, const yk_wave *other,
                            double *out, yoke_err *err)
{
    const yk_jump_rule rule = { .least = least_jump,
                                .context = c,
                                .a = c->between[0],
                                .b = c->between[1],
                                .here = c->here,
                                .sum = c->other };
    bool alike = false;

    *out = 0.0;
    YK_TRY(yk_jumps_distance(&rule, y, other, c->distance, &alike,
                             &c->moved_jump, err));
    YK_TRY(yk_wave_distance(y, NULL, c->size, err));
    for (int k = 0; k < c->spec.p; k++)
        *out = fmax(*out, c->distance[k] / tolerance(c, k, c->size[k]));
    return YOKE_OK;
}

static yoke_status refuse_steps(const closed *c, double t1, double error,
                                yoke_err *err)
{
    return yk_fail(err, YOKE_RETRY,
                   "part \"%s\": with %d steps in [%.9g, %.9g] its outputs "
                   "still differ by %.3g tolerances from those with half as "
                   "many; if it acts at instants of its own only, set `step`",
                   c->spec.name, 2 * c->steps, c->t, t1, error);
}

/* n for errors of this many tolerances instead of the ones aimed at. */
static int more_steps(const closed *c, double error, double order, bool first)
{
    const double factor = pow(error / YK_PART_AIM, 1.0 / order);
    const double most = first && c->worker.looks ? YK_PART_FIRST_TRY : 64.0;

    return (int)fmin(ceil(c->steps * fmin(fmax(factor, 1.1), most)),
                     YK_PART_MOST_STEPS);
}

/* The order that two differences with n and `before` steps show. */
static double seen_order(double error, int n, double last, int before)
{
    const double order = log(last / error) / log((double)n / before);

    return order > 1.0 ? fmin(order, YK_PART_ORDER) : 1.0;
}

static bool differ(const closed *c, const yk_wave *y, double t)
{
    yk_wave_eval(y, t, NULL, c->here);
    yk_wave_eval(c->rough, t, NULL, c->other);
    for (int k = 0; k < c->spec.p; k++)
        if (!(fabs(c->here[k] - c->other[k]) <=
              tolerance(c, k, fmax(fabs(c->here[k]), fabs(c->other[k])))))
            return true;
    return false;
}

/* From where to where y differs by more than that from the same with half as
 * many steps, in pieces of that and with one more on both sides; NAN: nowhere. */
static void find_odd(const closed *c, const yk_wave *y, double odd[2])
{
    const yk_wave *other = c->rough;
    const int pieces = yk_wave_pieces(other);
    static const double place[] = { 0.25, 0.5, 0.75, 1.0 };

    odd[0] = odd[1] = NAN;
    for (int i = 0; i < pieces; i++)
        for (int k = 0; k < 4; k++) {
            const double a = yk_wave_knot(other, i);
            const double b = yk_wave_knot(other, i + 1);
            if (!differ(c, y, a + place[k] * (b - a))) continue;
            if (isnan(odd[0])) odd[0] = yk_wave_knot(other, i > 0 ? i - 1 : 0);
            odd[1] = yk_wave_knot(other, i + 2 < pieces ? i + 2 : pieces);
        }
}

/* Are jumps looked for, there or in more of the window, with the same steps? */
static bool begin_look(closed *c, double t1, const yk_wave *y)
{
    const double more = YK_PART_LOOK_MORE * (t1 - c->t);
    double odd[2];

    if (!c->worker.looks) return false;
    find_odd(c, y, odd);
    if (isnan(odd[0]) || (odd[0] >= c->look[0] && odd[1] <= c->look[1]))
        return false;
    c->look[0] = fmin(odd[0] - more, c->look[0]); /* NAN does not count */
    c->look[1] = fmax(odd[1] + more, c->look[1]);
    return true;
}

/* A trial (ticks.h): the marks and looks of the window are left as they are. */
yoke_status yk_part_try_sweep(void *context, double t1, int steps,
                              const yk_wave *u, int marks, double *mark,
                              yk_wave *y, yoke_err *err)
{
    closed *c = context;
    const asked now = { .look = { c->look[0], c->look[1] },
                        .marks = c->marks,
                        .mark = c->mark };

    c->look[0] = c->look[1] = NAN;
    c->marks = marks;
    c->mark = mark;
    const yoke_status status = yk_part_sweep(c, t1, steps, u, y, err);
    yk_part_recall(c, &now);
    /* An error, or its end, in time that it need never see, is none. */
    return status == YOKE_E_CALLBACK && yk_worker_lives(&c->worker) ? YOKE_RETRY
                                                                    : status;
}

/* The marks of the window are those that are known. */
static void set_marks(closed *c)
{
    c->marks = c->ticks.marks;
    c->mark = c->ticks.mark;
}

static double run_end(const closed *c)
{
    return c->span > 0.0 ? c->t0 + c->span : INFINITY;
}

yoke_status yk_part_mark_window(closed *c, double t1, yoke_err *err)
{
    YK_TRY(yk_part_ticks_mark(&c->ticks, c->t, t1, run_end(c), err));
    set_marks(c);
    if (c->marks < YK_PART_MOST_STEPS / 4) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "part \"%s\" acts every %.9g s, %d times in [%.9g, %.9g]",
                   c->spec.name, c->ticks.period, c->marks, c->t, t1);
}

/* The same sweep once more has the same outputs, or nothing can be found. */
static yoke_status repeats(closed *c, double t1, const yk_wave *u,
                           const yk_wave *y, yoke_err *err)
{
    double change = 0.0;

    YK_TRY(yk_part_sweep(c, t1, 2 * c->steps, u, c->ticks.y, err));
    YK_TRY(yk_part_compare(c, c->ticks.y, y, &change, err));
    return change <= YK_PART_AIM ? YOKE_OK
                                 : yk_part_refuse_repeat(c, t1, change, err);
}

/* Where the difference does not fall with the steps, outputs jump: at instants
 * of a period, or somewhere.  *again: more is known now, with the same steps. */
static yoke_status look_closer(closed *c, double t1, const yk_wave *u,
                               const yk_wave *y, bool *again, yoke_err *err)
{
    yk_part_ticks *k = &c->ticks;
    double odd[2];

    *again = false;
    if (c->steps < YK_PART_LOOK_STEPS || !c->worker.minds) return YOKE_OK;
    if (c->located == 0 && k->sought == 0) YK_TRY(repeats(c, t1, u, y, err));
    if (k->sought < YK_PART_SEEKS) {
        YK_TRY(yk_part_ticks_seek(k, u, run_end(c), again, err));
        if (*again) return yk_part_mark_window(c, t1, err);
    }
    *again = begin_look(c, t1, y);
    if (*again || c->worker.looks) return YOKE_OK;
    if (c->located++ >= YK_PART_JUMPS)
        return yk_fail(err, YOKE_RETRY,
                       "part \"%s\": its outputs jump more than %d times in "
                       "[%.9g, %.9g]",
                       c->spec.name, YK_PART_JUMPS, c->t, t1);
    find_odd(c, y, odd);
    if (isnan(odd[0])) return YOKE_OK;
    YK_TRY(yk_part_ticks_locate(k, u, 2 * c->steps, odd, again, err));
    set_marks(c);
    return YOKE_OK;
}

/* Between two instants of the sweep there are points enough for a cubic: with one
 * step outputs are a straight line, with 2 n steps the same one, and both agree.
 * Not where that is too short to be seen. */
static bool is_fine(const closed *c, const yk_wave *y)
{
    const int pieces = yk_wave_pieces(y), instants = c->answer.instants;
    const double length = yk_wave_end(y) - yk_wave_begin(y);
    double from = yk_wave_begin(y);

    if (c->marks > 0 || c->worker.halves || instants <= 0) return true;
    for (int k = 0, i = 0; k <= instants; k++) {
        const double to = k < instants ? c->instant[k] : yk_wave_end(y);
        const double part = (to - from) / length;
        int count = 0;

        for (; i < pieces && yk_wave_knot(y, i) < to; i++) count++;
        if (count < YK_PART_LEAST_PIECES && part * part > c->spec.rtol)
            return false;
        from = to;
    }
    return true;
}

/* The two sweeps that were compared have the same jumps, but not where: nobody
 * has located them yet. */
static bool unlocated(const closed *c, double t1)
{
    static const double located = 1e-6; /* of the window */

    return c->moved_jump > located * (t1 - c->t);
}

/* Sweeps with n and 2 n steps, until both agree. */
static yoke_status refine(closed *c, double t1, const yk_wave *u, yk_wave *y,
                          yoke_err *err)
{
    double error = INFINITY, order = YK_PART_ORDER;

    c->steps = c->steps > c->ticks.marks ? c->steps : c->ticks.marks + 1;
    for (;;) {
        YK_TRY(yk_part_sweep(c, t1, c->steps, u, c->rough, err));
        YK_TRY(yk_part_sweep(c, t1, 2 * c->steps, u, y, err));
        const double last = error;
        const int before = c->tried;
        YK_TRY(yk_part_compare(c, y, c->rough, &error, err));
        const bool most = c->steps >= YK_PART_MOST_STEPS;
        if (error <= 1.0 && (most || is_fine(c, y))) break;
        if (most) return refuse_steps(c, t1, error, err);
        if (isfinite(last)) order = seen_order(error, c->steps, last, before);
        bool again = false;
        if (isfinite(last) && (order <= 1.0 || unlocated(c, t1)) && error > 1.0)
            YK_TRY(look_closer(c, t1, u, y, &again, err));
        if (again) continue;
        c->tried = c->steps;
        c->steps = error > 1.0 ? more_steps(c, error, order, !isfinite(last))
                               : 2 * c->steps;
    }
    const double wider =
        pow(YK_PART_AIM / fmax(error, 1e-12), 1.0 / YK_PART_ORDER);
    c->pace = (t1 - c->t) / c->steps * fmin(wider, YK_PART_LONGER);
    c->level = (int)fmax(ceil(c->steps / fmin(wider, 2.0)), 1.0);
    c->difference = error;
    return yk_wave_copy(c->tested, y, err);
}

/* Is the last tested sweep of the window a test of y too? */
static yoke_status as_tested(closed *c, const yk_wave *y, bool *is,
                             yoke_err *err)
{
    double change = 0.0;

    YK_TRY(yk_part_compare(c, y, c->tested, &change, err));
    *is = c->difference + YK_PART_TESTED * change <= 1.0;
    return YOKE_OK;
}

/* n for a window that ends at t1. */
static int first_steps(const closed *c, double t1)
{
    const double times = c->spec.aside ? 2.0 : 1.0;
    double pace = c->pace > 0.0 ? c->pace : t1 - c->t;

    if (c->worker.halves) return c->level;
    if (c->spec.longest > 0.0) pace = fmin(pace, 2.0 * c->spec.longest / times);
    return (int)fmin(
        fmax(yk_whole_steps((t1 - c->t) / pace), times * YK_PART_LEAST_STEPS),
        YK_PART_MOST_STEPS);
}

/* Without error control of its own. */
yoke_status yk_part_sweep_divided(closed *c, double t1, const yk_wave *u,
                                  yk_wave *y, yoke_err *err)
{
    bool tested = false;

    if (isnan(c->difference)) c->steps = first_steps(c, t1);
    if (c->loose >= YK_PART_LOOSE && c->pace > 0.0)
        return yk_part_sweep(c, t1, c->steps, u, y, err);
    if (c->difference + YK_PART_TESTED * c->gain * c->changed < 1.0) {
        YK_TRY(yk_part_sweep(c, t1, 2 * c->steps, u, y, err));
        YK_TRY(as_tested(c, y, &tested, err));
    }
    return tested ? YOKE_OK : refine(c, t1, u, y, err);
}
