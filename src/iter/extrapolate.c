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

#include <math.h>

/* Points that are compared; lengths of the newest window that the past is kept
 * for; room for more pieces. */
enum { POINTS = 3, KEPT = 4, ROOM = 4 };

/* A way: order and windows.  The first ones are those of one window, in their
 * order. */
static const struct way {
    int order, windows;
} ways[YK_GUESSES] = {
    { 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 },
    { 5, 1 }, { 2, 2 }, { 3, 2 }, { 4, 2 }, { 5, 2 },
    { 2, 4 }, { 3, 4 }, { 4, 4 }, { 5, 4 }, { 1, 2 },
};

yoke_status yk_guess_create(yk_guess *g, int dim, yoke_err *err)
{
    YK_TRY(yk_wave_create(&g->past, dim, err));
    YK_TRY(yk_wave_create(&g->spare, dim, err));
    YK_TRY(yk_doubles(&g->a, (POINTS + 2) * (size_t)dim + 1, err));
    return yk_doubles(&g->b, POINTS * (size_t)dim + 1, err);
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

static double point_at(const yk_wave *now, int k)
{
    const double t0 = yk_wave_begin(now), t1 = yk_wave_end(now);

    return k == POINTS - 1 ? t1 : t0 + (k + 1) * (t1 - t0) / POINTS;
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

/* g->a: what a way says about the points, from `span` of the past.  The weights
 * add up to one, so that differences to the last value do. */
static void foretell(yk_guess *g, int way, double span, const yk_wave *now)
{
    const int order = ways[way].order, dim = yk_wave_dim(now);
    const double end = yk_wave_end(g->past);
    const double delta = order > 0 ? span / order : span;
    double *const last = g->a + POINTS * dim, *const node = last + dim;
    double weight[POINTS][YOKE_EXTRAPOLATE_MAX + 1];
    int cursor = yk_wave_pieces(g->past) - 1;

    for (int k = 0; k < POINTS; k++)
        weights(order, (point_at(now, k) - end) / delta, weight[k]);
    yk_wave_eval(g->past, end, &cursor, last);
    for (int i = 0; i < POINTS * dim; i++) g->a[i] = last[i % dim];
    for (int j = 1; j <= order; j++) {
        const double t = end - j * delta;
        if (j == order) /* a jump there is not of the span */
            yk_wave_eval_right(g->past, t + 1e-12 * span, &cursor, node);
        else
            yk_wave_eval(g->past, t, &cursor, node);
        for (int k = 0; k < POINTS; k++)
            for (int c = 0; c < dim; c++)
                g->a[k * dim + c] += weight[k][j] * (node[c] - last[c]);
    }
}

/* Largest distance at the points, relative to the tolerance. */
static double distance(const yk_guess *g, const yoke_iterate_options *o,
                       int dim, const bool *marked)
{
    double most = 0.0;

    for (int i = 0; i < POINTS * dim; i++) {
        const double off = fabs(g->a[i] - g->b[i]);
        if (!marked[i % dim] || off == 0.0) continue;
        const double now = off / yk_tolerance(o->atol, o->rtol, g->b[i]);
        if (!(now <= most)) most = isfinite(now) ? now : 1e300;
    }
    return most;
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
                  const yk_wave *now, const bool *marked)
{
    const int dim = yk_wave_dim(now);
    int cursor = 0;

    if (!any(marked, dim)) return; /* nobody reads it */
    for (int k = 0; k < POINTS; k++)
        yk_wave_eval(now, point_at(now, k), &cursor, g->b + k * dim);
    for (int k = 0; k < YK_GUESSES; k++) {
        const double past = span(g, k);
        if (past == 0.0) {
            g->error[k] = NAN;
            continue;
        }
        foretell(g, k, past, now);
        const double error = distance(g, options, dim, marked);
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
                           const yk_wave *now, const bool *marked, double since,
                           yoke_err *err)
{
    const double begin = yk_wave_begin(now), end = yk_wave_end(now);
    const int pieces = yk_wave_pieces(g->past) + yk_wave_pieces(now);
    const bool inside = since > begin && since < end;

    YK_TRY(
        yk_wave_reserve(g->spare, ROOM * pieces, yk_wave_degree(now, 0), err));
    if (options->extrapolate < 0 && !inside && !g->fresh)
        judge(g, options, now, marked);
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

double yk_jump_at(const yk_wave *now, int i, int c, double *size)
{
    const int dim = yk_wave_dim(now);
    const double right = yk_wave_coef(now, i)[c];
    double left = 0.0;

    for (int k = 0; k <= yk_wave_degree(now, i - 1); k++)
        left += yk_wave_coef(now, i - 1)[k * dim + c];
    *size = fmax(fabs(left), fabs(right));
    return fabs(right - left);
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
