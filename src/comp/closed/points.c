/* comp/closed/points.c -- inputs as means, outputs from points. */
#include "comp/closed/subsystem.h"

#include <math.h>

void yk_closed_means(const yk_wave *u, double a, double b, double *scratch,
                     double *out)
{
    /* Gauss with four points: exact for pieces of degree seven, the highest. */
    static const double node[2] = { 0.339981043584856, 0.861136311594053 };
    static const double weight[2] = { 0.652145154862546, 0.347854845137454 };
    const int m = yk_wave_dim(u);
    double left = a;

    for (int k = 0; k < m; k++) out[k] = 0.0;
    for (int i = 1; left < b; i++) {
        const bool last = i >= yk_wave_pieces(u);
        const double knot = last ? b : fmin(yk_wave_knot(u, i), b);

        if (knot <= left) continue;
        for (int g = 0; g < 4; g++) {
            const double s = (g & 1 ? 1.0 : -1.0) * node[g / 2];
            const double t = 0.5 * (left + knot) + 0.5 * (knot - left) * s;

            yk_wave_eval(u, t, NULL, scratch);
            for (int k = 0; k < m; k++)
                out[k] += 0.5 * (knot - left) * weight[g / 2] * scratch[k];
        }
        left = knot;
    }
    for (int k = 0; k < m; k++) out[k] /= b - a;
}

/* ---- points ------------------------------------------------------------ */

yoke_status yk_closed_points_create(yk_closed_points *points, int p,
                                    yoke_err *err)
{
    *points = (yk_closed_points){ .p = p };
    return yk_doubles(&points->coef, 4 * (size_t)p + 1, err);
}

void yk_closed_points_clear(yk_closed_points *points)
{
    YK_FREE(points->t, points->y, points->slope, points->coef, points->instant);
    *points = (yk_closed_points){ 0 };
}

void yk_closed_points_reset(yk_closed_points *points)
{
    points->count = points->instants = 0;
}

yoke_status yk_closed_points_add(yk_closed_points *points, double t, double **y,
                                 yoke_err *err)
{
    const size_t i = (size_t)points->count, p = (size_t)points->p;

    YK_TRY(YK_GROW(&points->t, &points->t_room, i + 1, err));
    YK_TRY(YK_GROW(&points->y, &points->y_room, (i + 1) * p + 1, err));
    YK_TRY(YK_GROW(&points->slope, &points->slope_room, (i + 1) * p + 1, err));
    points->t[i] = t;
    points->count++;
    *y = points->y + i * p;
    for (size_t k = 0; k < p; k++) points->slope[i * p + k] = NAN;
    return YOKE_OK;
}

/* ---- waveform ---------------------------------------------------------- */

/* Of three points: the slope of their parabola at the first, middle or last. */
static double parabola(const yk_closed_points *s, int i, int c, int at)
{
    const size_t p = (size_t)s->p;
    const double *y = s->y + (size_t)i * p + (size_t)c;
    const double h1 = s->t[i + 1] - s->t[i], h2 = s->t[i + 2] - s->t[i + 1];
    const double d1 = (y[p] - y[0]) / h1, d2 = (y[2 * p] - y[p]) / h2;
    const double bend = (d2 - d1) / (h1 + h2);

    if (at == 0) return d1 - h1 * bend;
    if (at == 1) return d1 + h1 * bend;
    return d2 + h2 * bend;
}

/* The slope of output c at point i of a smooth stretch `first` ... `last`. */
static double slope_at(const yk_closed_points *s, int first, int last, int i,
                       int c)
{
    const size_t p = (size_t)s->p, at = (size_t)i * p + (size_t)c;
    const size_t left = (size_t)first * p + (size_t)c;

    if (!isnan(s->slope[at])) return s->slope[at];
    if (last - first == 1)
        return (s->y[left + p] - s->y[left]) / (s->t[last] - s->t[first]);
    if (i == first) return parabola(s, first, c, 0);
    if (i == last) return parabola(s, last - 2, c, 2);
    return parabola(s, i - 1, c, 1);
}

static yoke_status add_piece(yk_closed_points *s, int first, int last, int i,
                             yk_wave *y, yoke_err *err)
{
    const int p = s->p;
    const double h = s->t[i + 1] - s->t[i];
    const double *left = s->y + (size_t)i * (size_t)p, *right = left + p;

    for (int c = 0; c < p; c++) {
        const double a = h * slope_at(s, first, last, i, c);
        const double b = h * slope_at(s, first, last, i + 1, c);
        const double d = right[c] - left[c];

        s->coef[c] = left[c];
        s->coef[p + c] = a;
        s->coef[2 * p + c] = 3.0 * d - 2.0 * a - b;
        s->coef[3 * p + c] = a + b - 2.0 * d;
    }
    return yk_wave_append(y, s->t[i + 1], 3, s->coef, err);
}

static yoke_status add_stretch(yk_closed_points *s, int first, int last,
                               yk_wave *y, yoke_err *err)
{
    for (int i = first; i < last; i++)
        YK_TRY(add_piece(s, first, last, i, y, err));
    return YOKE_OK;
}

yoke_status yk_closed_points_wave(yk_closed_points *s, yk_wave *y,
                                  yoke_err *err)
{
    int first = 0;

    s->instants = 0;
    yk_wave_clear(y, s->t[0]);
    for (int i = 0; i + 1 < s->count; i++) {
        if (s->t[i + 1] > s->t[i]) continue;
        YK_TRY(add_stretch(s, first, i, y, err));
        first = i + 1;
        if (first + 1 >= s->count) break; /* a jump at the end is the next's */
        YK_TRY(YK_GROW(&s->instant, &s->instant_room, s->instants + 1, err));
        s->instant[s->instants++] = s->t[i];
    }
    return add_stretch(s, first, s->count - 1, y, err);
}
