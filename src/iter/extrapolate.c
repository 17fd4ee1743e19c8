/* iter/extrapolate.c -- the first guess in a window.
 *
 * A polynomial through points of the past, of order 0 to 5, over the last one,
 * two or four windows.  Which is best depends on the window and on the
 * solution: high orders over a long past win on short windows of smooth
 * waveforms, low ones on rough ones.  Once a window is accepted every way is
 * compared with what came out, and the one with the least mean error of the
 * last windows is taken.
 *
 * A guess never looks back across a break: a breakpoint of some subsystem, or a
 * jump inside a window.  Directly after one it is the last value; what was
 * learnt about the ways is kept meanwhile.
 */
#include "iter/extrapolate.h"

#include "base/base.h"
#include "base/tolerance.h"
#include "iter/policy.h"
#include "wave/jumps.h"

#include <math.h>

/* Points that are compared; lengths of the newest window that the past is kept
 * for; room for more pieces. */
enum { POINTS = YK_GUESS_POINTS, KEPT = 4, ROOM = 4 };

/* Where ways look at the past: sixtieths of the last window, back from its end.
 * The last three end a span and are seen from the right: a jump there is not of the
 * span. */
enum { NODES = 22, ENDS = 19 };
static const int place[NODES] = { 12,  15,  20,  24, 30,  36, 40,  45,
                                  48,  60,  72,  80, 90,  96, 120, 144,
                                  160, 180, 192, 60, 120, 240 };

/* A way: order, windows, its nodes.  The first ones are those of one window, in
 * their order. */
static const struct way {
    int order, windows, node[YOKE_EXTRAPOLATE_MAX];
} ways[YK_GUESSES] = {
    { 0, 1, { 0 } },
    { 1, 1, { 19 } },
    { 2, 1, { 4, 19 } },
    { 3, 1, { 2, 6, 19 } },
    { 4, 1, { 1, 4, 7, 19 } },
    { 5, 1, { 0, 3, 5, 8, 19 } },
    { 2, 2, { 9, 20 } },
    { 3, 2, { 6, 11, 20 } },
    { 4, 2, { 4, 9, 12, 20 } },
    { 5, 2, { 3, 8, 10, 13, 20 } },
    { 2, 4, { 14, 21 } },
    { 3, 4, { 11, 16, 21 } },
    { 4, 4, { 9, 14, 17, 21 } },
    { 5, 4, { 8, 13, 15, 18, 21 } },
    { 1, 2, { 20 } },
};

yoke_status yk_guess_create(yk_guess *g, int dim, yoke_err *err)
{
    YK_TRY(yk_wave_create(&g->past, dim, err));
    YK_TRY(yk_wave_create(&g->spare, dim, err));
    YK_TRY(yk_doubles(&g->a, (NODES + 1) * (size_t)dim + 1, err));
    return yk_doubles(&g->b, 2 * POINTS * (size_t)dim + 1, err);
}

void yk_guess_free(yk_guess *g)
{
    yk_wave_free(g->past);
    yk_wave_free(g->spare);
    YK_FREE(g->a, g->b);
}

yoke_status yk_guess_start(yk_guess *g, double t0, double length,
                           const double *value, yoke_err *err)
{
    g->choice = 1;
    g->fresh = false;
    g->length = length;
    for (int k = 0; k < YK_GUESSES; k++) g->error[k] = NAN;
    yk_wave_clear(g->past, t0 - length);
    return yk_wave_append_constant(g->past, t0, value, err);
}

/* The past that a way uses; 0: there is not so much. */
static double span(const yk_guess *g, int way)
{
    const double all = yk_wave_end(g->past) - yk_wave_begin(g->past);
    const double wanted = ways[way].windows * g->length;

    return wanted <= all * (1.0 + 1e-9) ? fmin(wanted, all) : 0.0;
}

int yk_guess_order(const yk_guess *g, const yoke_iterate_options *options)
{
    if (g->fresh) return 0;
    return options->extrapolate >= 0 ? options->extrapolate
                                     : ways[g->choice].order;
}

yoke_status yk_guess_make(const yk_guess *g,
                          const yoke_iterate_options *options, yk_wave *dst,
                          double t1, yoke_err *err)
{
    const int way =
        options->extrapolate >= 0 ? options->extrapolate : g->choice;

    if (g->fresh) return yk_wave_extrapolate(dst, g->past, t1, 0, 0.0, err);
    return yk_wave_extrapolate(dst, g->past, t1, ways[way].order, span(g, way),
                               err);
}

static double point_at(double begin, double end, int k)
{
    return k == POINTS - 1 ? end : begin + (k + 1) * (end - begin) / POINTS;
}

/* The Lagrange polynomials of the nodes 0, -1, ..., -order at s > 0. */
static void weights(int order, double s, double *weight)
{
    static const double factorial[] = { 1.0, 1.0, 2.0, 6.0, 24.0, 120.0 };
    double all = 1.0;

    for (int j = 0; j <= order; j++) all *= s + j;
    for (int j = 0; j <= order; j++)
        weight[j] = (j % 2 ? -all : all) /
                    ((s + j) * factorial[j] * factorial[order - j]);
}

void yk_guess_weigh(yk_guess_rule *rule, double begin, double end,
                    double length)
{
    rule->begin = begin;
    rule->end = end;
    rule->length = length;
    for (int way = 0; way < YK_GUESSES; way++)
        for (int k = 0; k < POINTS; k++) {
            const double ahead = point_at(begin, end, k) - begin;
            weights(ways[way].order,
                    ahead / (ways[way].windows * length) * ways[way].order,
                    rule->weight[way][k]);
        }
}

/* Largest distance of what a way says at the points from what came out, relative
 * to the tolerance.  The weights add up to one, so that differences to the last
 * value do. */
static double distance(const yk_guess *g, int way, const yk_guess_rule *rule,
                       int dim, const bool *marked)
{
    const struct way *const w = &ways[way];
    const double *const last = g->a, *const node = g->a + dim;
    const double *const tolerance = g->b + POINTS * dim;
    double most = 0.0;

    for (int i = 0, k = 0; k < POINTS; k++)
        for (int c = 0; c < dim; c++, i++) {
            double value = last[c];
            if (!marked[c]) continue;
            for (int j = 1; j <= w->order; j++)
                value +=
                    rule->weight[way][k][j] * node[w->node[j - 1] * dim + c];
            const double off = fabs(value - g->b[i]);
            if (off == 0.0) continue;
            const double now = off / tolerance[i];
            if (!(now <= most)) most = isfinite(now) ? now : 1e300;
        }
    return most;
}

/* The same for one component, which most units have. */
static double distance_of_one(const yk_guess *g, int way,
                              const yk_guess_rule *rule)
{
    const struct way *const w = &ways[way];
    const double *const node = g->a + 1, *const tolerance = g->b + POINTS;
    double most = 0.0;

    for (int k = 0; k < POINTS; k++) {
        const double *const weight = rule->weight[way][k];
        double value = g->a[0];
        for (int j = 1; j <= w->order; j++)
            value += weight[j] * node[w->node[j - 1]];
        const double off = fabs(value - g->b[k]);
        if (off == 0.0) continue;
        const double now = off / tolerance[k];
        if (!(now <= most)) most = isfinite(now) ? now : 1e300;
    }
    return most;
}

/* g->a: the last value, and differences to it at all nodes that the past has. */
static void look_back(yk_guess *g, int dim)
{
    const double end = yk_wave_end(g->past), all = end - yk_wave_begin(g->past);
    double *const last = g->a, *node = g->a + dim;
    int cursor = yk_wave_pieces(g->past) - 1;

    yk_wave_eval(g->past, end, &cursor, last);
    for (int i = 0; i < NODES; i++, node += dim) {
        const double back = place[i] * g->length / 60.0;
        if (back > all * (1.0 + 1e-9)) continue;
        if (i >= ENDS)
            yk_wave_eval_right(g->past, end - back + 1e-12 * back, &cursor,
                               node);
        else
            yk_wave_eval(g->past, end - back, &cursor, node);
        for (int c = 0; c < dim; c++) node[c] -= last[c];
    }
}

static bool any(const bool *marked, int dim)
{
    for (int c = 0; c < dim; c++)
        if (marked[c]) return true;
    return false;
}

/* Ways are compared with what came out at the points alone, without making their
 * polynomials. */
static void judge(yk_guess *g, const yoke_iterate_options *options,
                  const yk_guess_rule *rule, const yk_wave *now,
                  const bool *marked)
{
    const double begin = yk_wave_begin(now), end = yk_wave_end(now);
    const int dim = yk_wave_dim(now);
    yk_guess_rule own;
    int cursor = 0;

    if (!any(marked, dim)) return; /* it is not read */
    if (!rule || rule->begin != begin || rule->end != end ||
        rule->length != g->length) {
        yk_guess_weigh(&own, begin, end, g->length);
        rule = &own;
    }
    for (int k = 0; k < POINTS; k++)
        yk_wave_eval(now, point_at(begin, end, k), &cursor, g->b + k * dim);
    for (int i = 0; i < POINTS * dim; i++)
        g->b[POINTS * dim + i] =
            yk_tolerance(options->atol, options->rtol, g->b[i]);
    look_back(g, dim);
    for (int k = 0; k < YK_GUESSES; k++) {
        if (span(g, k) == 0.0) {
            g->error[k] = NAN;
            continue;
        }
        const double error = dim == 1 ? distance_of_one(g, k, rule)
                                      : distance(g, k, rule, dim, marked);
        g->error[k] = isnan(g->error[k])
                          ? error
                          : YK_ITER_GUESS_NEWEST * error +
                                (1.0 - YK_ITER_GUESS_NEWEST) * g->error[k];
    }
}

static void turn(yk_guess *g)
{
    yk_wave *const w = g->past;

    g->past = g->spare;
    g->spare = w;
}

static yoke_status add_to_past(yk_guess *g, const yk_wave *now, yoke_err *err)
{
    const double end = yk_wave_end(g->past);
    const double length = yk_wave_end(now) - yk_wave_begin(now);
    const double from = fmax(yk_wave_begin(g->past), end - KEPT * length);

    g->length = length;
    YK_TRY(yk_wave_restrict(g->spare, g->past, from, end, err));
    for (int i = 0; i < yk_wave_pieces(now); i++)
        YK_TRY(yk_wave_append(g->spare, yk_wave_knot(now, i + 1),
                              yk_wave_degree(now, i), yk_wave_coef(now, i),
                              err));
    turn(g);
    return YOKE_OK;
}

/* The past begins at `since`, inside of `now` or at its beginning. */
static yoke_status begin_past(yk_guess *g, const yk_wave *now, double since,
                              yoke_err *err)
{
    const double end = yk_wave_end(now);

    g->length = end - since;
    YK_TRY(yk_wave_restrict(g->spare, now, since, end, err));
    turn(g);
    return YOKE_OK;
}

yoke_status yk_guess_learn(yk_guess *g, const yoke_iterate_options *options,
                           const yk_guess_rule *rule, const yk_wave *now,
                           const bool *marked, double since, yoke_err *err)
{
    const double begin = yk_wave_begin(now), end = yk_wave_end(now);
    const int pieces = yk_wave_pieces(g->past) + yk_wave_pieces(now);
    const bool inside = since > begin && since < end;

    YK_TRY(
        yk_wave_reserve(g->spare, ROOM * pieces, yk_wave_degree(now, 0), err));
    if (options->extrapolate < 0 && !inside && !g->fresh)
        judge(g, options, rule, now, marked);
    if (inside || g->fresh)
        YK_TRY(begin_past(g, now, inside ? since : begin, err));
    else
        YK_TRY(add_to_past(g, now, err));
    g->fresh = end - since <= YK_ITER_GUESS_WORTH * (end - begin);
    g->choice = 1;
    for (int k = 0; k < YK_GUESSES; k++)
        if (g->error[k] < g->error[g->choice] && span(g, k) > 0.0)
            g->choice = k;
    return YOKE_OK;
}

/* ---- jumps ----------------------------------------------------------------
 */

/* How much component c varies over its pieces, jumps left out. */
static double variation(const yk_wave *now, int c)
{
    const int dim = yk_wave_dim(now);
    double sum = 0.0;

    for (int i = 0; i < yk_wave_pieces(now); i++) {
        double change = 0.0;
        for (int k = 1; k <= yk_wave_degree(now, i); k++)
            change += yk_wave_coef(now, i)[k * dim + c];
        sum += fabs(change);
    }
    return sum;
}

double yk_guess_jump(const yoke_iterate_options *o, const yk_wave *now,
                     const bool *marked)
{
    double last = -INFINITY;

    for (int c = 0; c < yk_wave_dim(now); c++) {
        double known = NAN, size = 0.0;
        for (int i = yk_wave_pieces(now) - 1; marked[c] && i > 0; i--) {
            const double t = yk_wave_knot(now, i);
            const double jump = yk_jump_at(now, i, c, &size);
            if (t <= last) break;
            if (!(jump > YK_ITER_JUMP_TOLERANCES *
                             yk_tolerance(o->atol, o->rtol, size)))
                continue;
            if (isnan(known)) known = variation(now, c);
            if (jump > YK_ITER_JUMP_VARIATION * known) last = t;
        }
    }
    return last;
}
