/* part/jumps.c -- two waveforms with jumps compared (jumps.h).
 *
 * A jump that has moved by d makes a difference as large as itself, J, in a time
 * as short as d, however small that is.  What others feel of it is its integral.
 * So, as in the test of the window iteration (docs/methods/events.md): waveforms
 * with the same jumps, each within FAR of the window of the other, are compared
 * between them, and a jump that has moved counts J d / H.
 */
#include "part/jumps.h"

#include <math.h>

enum { MOST = 256 };

static const double FAR = 0.05; /* of the window */

yoke_status yk_part_jumps_create(yk_part_jumps *j, int p, yoke_err *err)
{
    j->p = p;
    YK_TRY(YK_DOUBLES((size_t)p + 1, err, &j->here, &j->sum));
    YK_TRY(yk_wave_create(&j->a, p, err));
    return yk_wave_create(&j->b, p, err);
}

void yk_part_jumps_clear(yk_part_jumps *j)
{
    yk_wave_free(j->a);
    yk_wave_free(j->b);
    YK_FREE(j->here, j->sum);
    *j = (yk_part_jumps){ 0 };
}

/* By how much component c jumps at knot i; *size: of what it jumps from. */
static double jump_at(const yk_wave *w, int i, int c, double *size)
{
    const int p = yk_wave_dim(w);
    const double *left = yk_wave_coef(w, i - 1);
    double value = 0.0;

    for (int d = 0; d <= yk_wave_degree(w, i - 1); d++)
        value += left[d * p + c];
    *size = fabs(value);
    return fabs(yk_wave_coef(w, i)[c] - value);
}

/* Their times; -1: too many. */
static int find(const yk_wave *w, const double *atol, double rtol, double *t)
{
    int count = 0;

    for (int i = 1; i < yk_wave_pieces(w); i++)
        for (int c = 0; c < yk_wave_dim(w); c++) {
            double size = 0.0;
            const double jump = jump_at(w, i, c, &size);
            if (!(jump > atol[c] + rtol * size)) continue;
            if (count == MOST) return -1;
            t[count++] = yk_wave_knot(w, i);
            break;
        }
    return count;
}

static yoke_status raise(yk_part_jumps *j, const yk_wave *y,
                         const yk_wave *other, double from, double to,
                         yoke_err *err)
{
    YK_TRY(yk_wave_restrict(j->a, y, from, to, err));
    YK_TRY(yk_wave_restrict(j->b, other, from, to, err));
    YK_TRY(yk_wave_distance(j->a, j->b, j->here, err));
    for (int c = 0; c < j->p; c++) j->sum[c] = fmax(j->sum[c], j->here[c]);
    return YOKE_OK;
}

static void add_moved(yk_part_jumps *j, const yk_wave *y, double at,
                      double moved)
{
    const double length = yk_wave_end(y) - yk_wave_begin(y);
    double size = 0.0;

    for (int i = 1; i < yk_wave_pieces(y); i++)
        for (int c = 0; c < j->p; c++)
            if (yk_wave_knot(y, i) == at)
                j->sum[c] += jump_at(y, i, c, &size) * moved / length;
}

yoke_status yk_part_distance(yk_part_jumps *j, const yk_wave *y,
                             const yk_wave *other, const double *atol,
                             double rtol, double *distance, yoke_err *err)
{
    const double t0 = yk_wave_begin(y), t1 = yk_wave_end(y);
    double now[MOST], old[MOST], from = t0;

    YK_TRY(yk_wave_distance(y, other, distance, err));
    const int count = find(y, atol, rtol, now);
    if (count <= 0 || find(other, atol, rtol, old) != count) return YOKE_OK;
    for (int i = 0; i < count; i++)
        if (fabs(now[i] - old[i]) > FAR * (t1 - t0)) return YOKE_OK;
    for (int c = 0; c < j->p; c++) j->sum[c] = 0.0;
    for (int i = 0; i <= count; i++) {
        const double to = i < count ? fmin(now[i], old[i]) : t1;
        if (to - from > 1e-9 * (t1 - t0))
            YK_TRY(raise(j, y, other, from, to, err));
        if (i < count) from = fmax(now[i], old[i]);
    }
    for (int i = 0; i < count; i++)
        add_moved(j, y, now[i], fabs(now[i] - old[i]));
    for (int c = 0; c < j->p; c++) distance[c] = fmin(distance[c], j->sum[c]);
    return YOKE_OK;
}

static bool differ(yk_part_jumps *j, const yk_wave *y, const yk_wave *other,
                   double t, const double *atol, double rtol)
{
    yk_wave_eval(y, t, NULL, j->here);
    yk_wave_eval(other, t, NULL, j->sum);
    for (int c = 0; c < j->p; c++)
        if (!(fabs(j->here[c] - j->sum[c]) <=
              atol[c] + rtol * fmax(fabs(j->here[c]), fabs(j->sum[c]))))
            return true;
    return false;
}

void yk_part_odd(yk_part_jumps *j, const yk_wave *y, const yk_wave *other,
                 const double *atol, double rtol, double odd[2])
{
    const int pieces = yk_wave_pieces(other);
    static const double place[] = { 0.25, 0.5, 0.75, 1.0 };

    odd[0] = odd[1] = NAN;
    for (int i = 0; i < pieces; i++)
        for (int k = 0; k < 4; k++) {
            const double a = yk_wave_knot(other, i);
            const double b = yk_wave_knot(other, i + 1);
            if (!differ(j, y, other, a + place[k] * (b - a), atol, rtol))
                continue;
            if (isnan(odd[0])) odd[0] = yk_wave_knot(other, i > 0 ? i - 1 : 0);
            odd[1] = yk_wave_knot(other, i + 2 < pieces ? i + 2 : pieces);
        }
}
