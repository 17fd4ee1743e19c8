/* wave/jumps.c -- waveforms with jumps compared (jumps.h). */
#include "wave/jumps.h"

#include "base/base.h"

#include <math.h>

enum { MOST_JUMPS = 256 };

/* Jumps that are farther apart than this part of the window are not one that
 * moved: it would count a twentieth of its height, far above any tolerance. */
static const double FAR = 0.05;

double yk_jump_at(const yk_wave *w, int i, int c, double *size)
{
    const int dim = yk_wave_dim(w);
    const double right = yk_wave_coef(w, i)[c];
    double left = 0.0;

    for (int k = 0; k <= yk_wave_degree(w, i - 1); k++)
        left += yk_wave_coef(w, i - 1)[k * dim + c];
    *size = fmax(fabs(left), fabs(right));
    return fabs(right - left);
}

/* Their times; -1: too many. */
static int find(const yk_jump_rule *rule, const yk_wave *w, double *t)
{
    int count = 0;

    for (int i = 1; i < yk_wave_pieces(w); i++)
        for (int c = 0; c < yk_wave_dim(w); c++) {
            double size = 0.0;
            const double jump = yk_jump_at(w, i, c, &size);
            if (!(jump > rule->least(rule->context, c, size))) continue;
            if (count == MOST_JUMPS) return -1;
            t[count++] = yk_wave_knot(w, i);
            break;
        }
    return count;
}

/* Raises the sum to the distance of y and old on [from, to]. */
static yoke_status raise(const yk_jump_rule *rule, const yk_wave *y,
                         const yk_wave *old, double from, double to,
                         yoke_err *err)
{
    YK_TRY(yk_wave_restrict(rule->a, y, from, to, err));
    YK_TRY(yk_wave_restrict(rule->b, old, from, to, err));
    YK_TRY(yk_wave_distance(rule->a, rule->b, rule->here, err));
    for (int c = 0; c < yk_wave_dim(y); c++)
        rule->sum[c] = fmax(rule->sum[c], rule->here[c]);
    return YOKE_OK;
}

/* Adds what the jumps of y at `at` count, which moved by so much. */
static void add_moved(const yk_jump_rule *rule, const yk_wave *y, double at,
                      double moved)
{
    const double length = yk_wave_end(y) - yk_wave_begin(y);
    double size = 0.0;

    for (int i = 1; i < yk_wave_pieces(y); i++)
        for (int c = 0; c < yk_wave_dim(y); c++)
            if (yk_wave_knot(y, i) == at)
                rule->sum[c] += yk_jump_at(y, i, c, &size) * moved / length;
}

yoke_status yk_jumps_distance(const yk_jump_rule *rule, const yk_wave *y,
                              const yk_wave *old, double *distance, bool *alike,
                              double *moved, yoke_err *err)
{
    const double t0 = yk_wave_begin(y), t1 = yk_wave_end(y);
    double now[MOST_JUMPS], before[MOST_JUMPS], from = t0;

    if (moved) *moved = 0.0;
    YK_TRY(yk_wave_distance(y, old, distance, err));
    const int count = find(rule, y, now);
    *alike = count == find(rule, old, before);
    for (int i = 0; *alike && i < count; i++)
        *alike = fabs(now[i] - before[i]) <= FAR * (t1 - t0);
    if (!*alike || count <= 0) return YOKE_OK;
    for (int c = 0; c < yk_wave_dim(y); c++) rule->sum[c] = 0.0;
    for (int i = 0; i <= count; i++) {
        const double to = i < count ? fmin(now[i], before[i]) : t1;
        if (to - from > 1e-9 * (t1 - t0))
            YK_TRY(raise(rule, y, old, from, to, err));
        if (i < count) from = fmax(now[i], before[i]);
    }
    for (int i = 0; i < count; i++) {
        const double by = fabs(now[i] - before[i]);
        add_moved(rule, y, now[i], by);
        if (moved) *moved = fmax(*moved, by);
    }
    for (int c = 0; c < yk_wave_dim(y); c++)
        distance[c] = fmin(distance[c], rule->sum[c]);
    return YOKE_OK;
}
