/* part/ticks.c -- see ticks.h.
 *
 * A part with a period of its own, a sampled controller say, has outputs that
 * jump at its instants whatever the steps are.  In a trial of equal steps these
 * are the steps in which an output moves ten times as much as in the ones beside
 * them.  If they are equidistant, the first and the last are located: the step is
 * divided into 64 marks, and so is the one of them in which it jumps, four times.
 * A part that looks at the time when a step begins acts in the first step behind
 * its instant, which seems to jump where it begins: then the instant is looked for
 * in the step before.
 * All other instants follow from the period, without any trial; were it wrong,
 * sweeps with n and 2 n steps would not agree, and a later instant is located,
 * from which the period is better known.
 *
 * Limits: periods from 1/1,600 to 16 windows are found.  Instants with two
 * periods are not equidistant.
 */
#include "part/ticks.h"

#include "part/policy.h"

#include <math.h>

/* Steps of a trial, and marks of a step that is looked at closely. */
enum { TRIAL = 200, PARTS = 64, ROUNDS = 4, JUMPS = 4 };

/* Steps from one jump to the next at least; how much larger than its neighbours
 * a step with a jump is. */
enum { APART = 4 };
static const double LARGER = 10.0;

/* An instant is in its place, or up to half of that before it. */
static const double UNSURE = 1.6;

yoke_status yk_part_ticks_create(yk_part_ticks *k, int m, int p, yoke_err *err)
{
    const size_t most = (size_t)(m > p ? m : p) + 1;

    YK_TRY(YK_DOUBLES(most, err, &k->value, &k->other));
    YK_TRY(yk_wave_create(&k->u, m, err));
    return yk_wave_create(&k->y, p, err);
}

void yk_part_ticks_clear(yk_part_ticks *k)
{
    yk_wave_free(k->u);
    yk_wave_free(k->y);
    YK_FREE(k->mark, k->value, k->other);
    *k = (yk_part_ticks){ 0 };
}

static yoke_status add_mark(yk_part_ticks *k, double lo, double hi,
                            yoke_err *err)
{
    if (!(hi > lo)) return YOKE_OK;
    YK_TRY(YK_GROW(&k->mark, &k->room, 2 * (size_t)k->marks + 2, err));
    k->mark[2 * k->marks] = lo;
    k->mark[2 * k->marks + 1] = hi;
    k->marks++;
    return YOKE_OK;
}

/* ---- trials ------------------------------------------------------------ */

/* The inputs of the trial: those of the window, to and fro if it is longer. */
static yoke_status make_inputs(yk_part_ticks *k, const yk_wave *u, double t1,
                               yoke_err *err)
{
    enum { POINTS = 32 };
    const double t0 = yk_wave_begin(u), length = yk_wave_end(u) - t0;

    if (t1 <= yk_wave_end(u)) return yk_wave_restrict(k->u, u, t0, t1, err);
    yk_wave_clear(k->u, t0);
    yk_wave_eval_right(u, t0, NULL, k->value);
    for (int i = 1; yk_wave_pieces(k->u) == 0 || yk_wave_end(k->u) < t1; i++) {
        const double t = fmin(t0 + i * length / POINTS, t1);
        const double turn = fmod(t - t0, 2.0 * length);

        yk_wave_eval(u, t0 + fmin(turn, 2.0 * length - turn), NULL, k->other);
        YK_TRY(yk_wave_append_linear(k->u, t, k->value, k->other, err));
        for (int c = 0; c < yk_wave_dim(u); c++) k->value[c] = k->other[c];
    }
    return YOKE_OK;
}

/* A trial that the part does not make tells nothing; but it may be gone. */
static yoke_status try_it(yk_part_ticks *k, double t1, int steps, int marks,
                          double *mark, bool *made, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    const yoke_status status =
        k->trial(k->context, t1, steps, k->u, marks, mark, k->y, &why);

    *made = status == YOKE_OK;
    if (status >= 0) return YOKE_OK;
    if (err) *err = why;
    return status;
}

/* By how much the outputs move in piece i, or, `at` its beginning, jump there;
 * in tolerances. */
static double move(const yk_part_ticks *k, int i, bool at)
{
    const yk_wave *y = k->y;
    const int p = yk_wave_dim(y), from = at ? i - 1 : i;
    const double *coef = yk_wave_coef(y, from);
    double most = 0.0;

    for (int c = 0; c < p; c++) {
        double end = 0.0;

        for (int d = 0; d <= yk_wave_degree(y, from); d++)
            end += coef[d * p + c];
        if (!at && from + 1 < yk_wave_pieces(y))
            end = yk_wave_coef(y, from + 1)[c];
        const double begin = at ? yk_wave_coef(y, i)[c] : coef[c];
        const double size = fmax(fabs(end), fabs(begin));
        most = fmax(most, fabs(end - begin) / (k->atol[c] + k->rtol * size));
    }
    return isfinite(most) ? most : 0.0;
}

/* ---- one jump ---------------------------------------------------------- */

/* The mark of y in which it jumps first by more than half of the largest jump
 * at all; -1: none does.  *most: that jump. */
static int find_mark(const yk_part_ticks *k, const double *mark, int marks,
                     double *most)
{
    double jump[PARTS] = { 0.0 };
    int at = 0;

    *most = 0.0;
    for (int i = 1; i < yk_wave_pieces(k->y); i++) {
        while (at < marks && mark[2 * at + 1] <= yk_wave_knot(k->y, i)) at++;
        if (at == marks || mark[2 * at] > yk_wave_knot(k->y, i)) continue;
        jump[at] = move(k, i, true);
        *most = fmax(*most, jump[at]);
    }
    for (at = 0; at < marks; at++)
        if (jump[at] > 0.5 * *most) return at;
    return -1;
}

/* What is looked at, and how long the step before it was. */
typedef struct place {
    double range[2], before;
} place;

/* In one trial: the mark of the range in which it jumps; -1: none. */
static yoke_status divide(yk_part_ticks *k, double t1, int steps,
                          const double range[2], double *mark, int *at,
                          double *most, yoke_err *err)
{
    const double a = range[0], h = (range[1] - a) / PARTS;
    bool made = false;

    *at = -1;
    *most = 0.0;
    for (int i = 0; i < PARTS; i++) {
        mark[2 * i] = a + i * h;
        mark[2 * i + 1] = i + 1 < PARTS ? a + (i + 1) * h : range[1];
    }
    if (!(mark[2 * PARTS - 1] > mark[2 * PARTS - 2])) return YOKE_OK;
    YK_TRY(try_it(k, t1, steps, PARTS, mark, &made, err));
    if (made) *at = find_mark(k, mark, PARTS, most);
    return YOKE_OK;
}

/* p becomes the place of the jump in it.  What is not located must not fall with
 * the length, or it is only steep. */
static yoke_status zoom(yk_part_ticks *k, double t1, int steps, place *p,
                        bool *found, yoke_err *err)
{
    double mark[2 * PARTS], first = 0.0, most = 0.0;
    bool back = false;
    int at = 0;

    *found = false;
    for (int round = 0; round < ROUNDS; round++) {
        const double h = (p->range[1] - p->range[0]) / PARTS;
        const double begin = yk_wave_begin(k->u);

        YK_TRY(divide(k, t1, steps, p->range, mark, &at, &most, err));
        if (first == 0.0) first = most;
        *found = at >= 0 && most > 1.0 && most > 0.25 * first;
        if (!*found) return YOKE_OK;
        if (at == 0 && !back && p->range[0] > begin) {
            p->range[1] = mark[1];
            p->range[0] = fmax(p->range[0] - p->before, begin);
            back = true;
            round--;
            continue;
        }
        p->range[0] = mark[2 * at];
        p->range[1] = mark[2 * at + 1];
        p->before = h;
        back = false;
    }
    return YOKE_OK;
}

yoke_status yk_part_ticks_locate(yk_part_ticks *k, const yk_wave *u, int steps,
                                 const double range[2], bool *found,
                                 yoke_err *err)
{
    const double length = yk_wave_end(u) - yk_wave_begin(u);
    place at = { { range[0], range[1] }, length / steps };

    YK_TRY(yk_wave_copy(k->u, u, err));
    YK_TRY(zoom(k, yk_wave_end(u), steps, &at, found, err));
    return *found ? add_mark(k, at.range[0], at.range[1], err) : YOKE_OK;
}

/* ---- equidistant ones --------------------------------------------------- */

/* Steps of y in which it jumps: the first, the last, how many of them; false:
 * they are not equidistant. */
static bool find_comb(const yk_part_ticks *k, int *first, int *last, int *count)
{
    const int n = yk_wave_pieces(k->y);
    int where[TRIAL];

    *count = 0;
    for (int i = 0; i + 1 < n; i++) {
        const double left = i > 0 ? move(k, i - 1, false) : 0.0;
        const double right = move(k, i + 1, false), here = move(k, i, false);

        if (!(here > fmax(LARGER * fmax(left, right), 0.1))) continue;
        if (*count > 0 && i - where[*count - 1] < APART) return false;
        if (*count == TRIAL) return false;
        where[(*count)++] = i;
    }
    if (*count < JUMPS) return false;
    *first = where[0];
    *last = where[*count - 1];
    const double each = (double)(*last - *first) / (*count - 1);
    for (int i = 0; i < *count; i++)
        if (fabs(where[i] - *first - i * each) > 1.01) return false;
    return true;
}

/* People write periods and frequencies with few digits. */
static double round_period(double period, double error)
{
    const double unit = pow(10.0, floor(log10(period)) - 2.0);
    const double few = nearbyint(period / unit) * unit;
    const double rate = 1.0 / nearbyint(1.0 / period);

    if (fabs(few - period) <= error) return few;
    if (period < 0.5 && fabs(rate - period) <= error) return rate;
    return period;
}

/* In this trial: both ends of the comb are located. */
static yoke_status measure_comb(yk_part_ticks *k, double t1, bool *found,
                                yoke_err *err)
{
    int first = 0, last = 0, count = 0;

    if (!find_comb(k, &first, &last, &count)) return YOKE_OK;
    const double step = (t1 - yk_wave_begin(k->y)) / TRIAL;
    place one = { { yk_wave_knot(k->y, first), yk_wave_knot(k->y, first + 1) },
                  step };
    place two = { { yk_wave_knot(k->y, last), yk_wave_knot(k->y, last + 1) },
                  step };
    const double *const a = one.range, *const b = two.range;
    YK_TRY(zoom(k, t1, TRIAL, &one, found, err));
    if (*found) YK_TRY(zoom(k, t1, TRIAL, &two, found, err));
    if (!*found) return YOKE_OK;
    double period = (b[0] - a[0]) / (count - 1);
    double error = UNSURE * (b[1] - b[0] + a[1] - a[0]) / (count - 1);
    const double since = fabs(b[0] - k->at);
    const double whole = nearbyint(since / period);
    if (k->period > 0.0 && whole >= 1.0 && whole * error < 0.1 * period) {
        period = since / whole;
        error = 2.0 * (b[1] - b[0]) / whole;
    }
    k->period = round_period(period, error + YK_PART_TICK_ROUNDING * period);
    k->at = 0.5 * (b[0] + b[1]);
    k->width = fmax(YK_PART_TICK_WIDTH * period, b[1] - b[0]);
    return YOKE_OK;
}

yoke_status yk_part_ticks_seek(yk_part_ticks *k, const yk_wave *u, double last,
                               bool *found, yoke_err *err)
{
    static const double longer[] = { 1.0, 8.0, 0.125, 64.0, 1.0 / 64.0 };
    const double t0 = yk_wave_begin(u), length = yk_wave_end(u) - t0;

    *found = false;
    for (int i = 0; i < 5 && !*found; i++) {
        const double wanted = t0 + length * longer[i];
        const double t1 = fmin(wanted, fmax(last, t0 + length));
        bool made = false;

        if (longer[i] > 1.0 && t1 - t0 < 1.5 * length) continue;
        YK_TRY(make_inputs(k, u, t1, err));
        YK_TRY(try_it(k, t1, TRIAL, 0, NULL, &made, err));
        if (made) YK_TRY(measure_comb(k, t1, found, err));
    }
    if (!*found) k->sought++;
    return YOKE_OK;
}

yoke_status yk_part_ticks_mark(yk_part_ticks *k, double t0, double t1,
                               double last, yoke_err *err)
{
    k->marks = 0;
    if (!(k->period > 0.0)) return YOKE_OK;
    const double before = k->width, behind = 3.0 * k->width;
    const double first = ceil((t0 - behind - k->at) / k->period);
    for (double i = first;; i++) {
        const double t = k->at + i * k->period;

        if (t - before >= t1) return YOKE_OK;
        YK_TRY(add_mark(k, t - before, fmin(t + behind, last), err));
    }
}
