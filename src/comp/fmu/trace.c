/* comp/fmu/trace.c -- outputs at points of time become a waveform. */
#include "comp/fmu/trace.h"

#include <math.h>

enum { NEAREST = 5 }; /* points of a polynomial, at most */

yoke_status yk_trace_create(yk_fmu_trace *t, int p, yoke_err *err)
{
    t->p = p;
    YK_TRY(yk_doubles(&t->coef, 4 * (size_t)p + 1, err));
    YK_TRY(yk_doubles(&t->left, (size_t)p + 1, err));
    return yk_doubles(&t->right, (size_t)p + 1, err);
}

void yk_trace_clear(yk_fmu_trace *t)
{
    YK_FREE(t->time, t->late, t->bend, t->value, t->slope, t->coef, t->left,
            t->right, t->breaks);
    *t = (yk_fmu_trace){ 0 };
}

void yk_trace_begin(yk_fmu_trace *t)
{
    t->points = 0;
}

yoke_status yk_trace_add(yk_fmu_trace *t, double time, double **value,
                         double **slope, yoke_err *err)
{
    const size_t i = (size_t)t->points, p = (size_t)t->p;

    YK_TRY(YK_GROW(&t->time, &t->time_room, i + 1, err));
    YK_TRY(YK_GROW(&t->late, &t->late_room, i + 1, err));
    YK_TRY(YK_GROW(&t->bend, &t->bend_room, i + 1, err));
    YK_TRY(YK_GROW(&t->value, &t->value_room, (i + 1) * p + 1, err));
    YK_TRY(YK_GROW(&t->slope, &t->slope_room, (i + 1) * p + 1, err));
    t->time[i] = time;
    t->late[i] = 0.0;
    t->bend[i] = false;
    *value = t->value + i * p;
    *slope = t->slope + i * p;
    t->points++;
    return YOKE_OK;
}

static double known(const yk_fmu_trace *t, int i)
{
    return t->time[i] + t->late[i];
}

/* Slopes at point i of the polynomial through `count` points from `first` on:
 * sum of weight[j] y[j], by the barycentric formula. */
static void slope_weights(const yk_fmu_trace *t, int first, int count, int i,
                          double weight[NEAREST])
{
    double own = 0.0, time[NEAREST];

    for (int j = 0; j < count; j++) time[j] = known(t, first + j);

    for (int j = 0; j < count; j++) {
        double product = 1.0;

        if (j == i) continue;
        for (int k = 0; k < count; k++)
            if (k != i && k != j)
                product *= (time[i] - time[k]) / (time[j] - time[k]);
        weight[j] = product / (time[j] - time[i]);
        own -= weight[j];
    }
    weight[i] = own;
}

/* Slopes at point i of the smooth run of points from ... to. */
static void slopes_at(const yk_fmu_trace *t, int from, int to, int i,
                      double *out)
{
    const int have = to - from + 1;
    const int count = have < NEAREST ? have : NEAREST;
    double weight[NEAREST] = { 0.0 };
    int first = i - count / 2;

    if (first < from) first = from;
    if (first > to - count + 1) first = to - count + 1;
    slope_weights(t, first, count, i - first, weight);
    for (int c = 0; c < t->p; c++) out[c] = 0.0;
    for (int j = 0; j < count; j++)
        for (int c = 0; c < t->p; c++)
            out[c] += weight[j] * t->value[(first + j) * t->p + c];
    for (int c = 0; c < t->p; c++)
        if (!isnan(t->slope[i * t->p + c])) out[c] = t->slope[i * t->p + c];
}

bool yk_trace_believes(const yk_fmu_trace *t, int c)
{
    static const double part = 0.1; /* of the largest slope */
    double most = 0.0, wrong = 0.0;

    for (int i = 1; i + 1 < t->points; i++) {
        const double h = t->time[i + 1] - t->time[i - 1];
        const double *y = t->value + (size_t)i * (size_t)t->p;
        const double told = t->slope[i * t->p + c];
        const double seen = (y[t->p + c] - y[c - t->p]) / h;

        if (!(t->time[i] > t->time[i - 1] && t->time[i + 1] > t->time[i]) ||
            isnan(told))
            continue;
        most = fmax(most, fabs(seen));
        wrong = fmax(wrong, fabs(told - seen));
    }
    return wrong <= part * most;
}

void yk_trace_forget(yk_fmu_trace *t)
{
    for (int i = 0; i < t->points * t->p; i++) t->slope[i] = NAN;
}

/* A cubic in s becomes one in s + d. */
static void shift(double *coef, int p, double d)
{
    for (int k = 0; k < 3; k++)
        for (int i = 2; i >= k; i--) coef[i * p] -= d * coef[(i + 1) * p];
}

/* A cubic on [0, 1] from -d on, and that interval becomes [0, 1]. */
static void continue_back(double *coef, int p, double d)
{
    shift(coef, p, d);
    for (int i = 1; i <= 3; i++)
        for (int k = 0; k < i; k++) coef[i * p] *= 1.0 + d;
}

static void make_piece(yk_fmu_trace *t, int i, const bool *held)
{
    const int p = t->p;
    const double h = known(t, i + 1) - known(t, i), late = t->late[i] / h;
    const double *from = t->value + (size_t)i * (size_t)p, *to = from + p;

    for (int c = 0; c < p; c++) {
        const double rise = held[c] ? 0.0 : to[c] - from[c];
        const double a = held[c] ? 0.0 : h * t->left[c];
        const double b = held[c] ? 0.0 : h * t->right[c];

        t->coef[c] = from[c];
        t->coef[p + c] = a;
        t->coef[2 * p + c] = 3.0 * rise - 2.0 * a - b;
        t->coef[3 * p + c] = a + b - 2.0 * rise;
        if (late > 0.0) continue_back(t->coef + c, p, late);
    }
}

static bool changes(const yk_fmu_trace *t, int i, const bool *held)
{
    const double *from = t->value + (size_t)i * (size_t)t->p, *to = from + t->p;

    for (int c = 0; c < t->p; c++)
        if (held[c] && to[c] != from[c]) return true;
    return false;
}

/* What is held has changed somewhere in the piece.  In the middle its error is
 * the smallest, and more points put it elsewhere, always: at the end n and 2 n
 * steps would agree if it was in the last half. */
static yoke_status append_halves(yk_fmu_trace *t, int i, const bool *held,
                                 yk_wave *y, yoke_err *err)
{
    const int p = t->p;
    const double *to = t->value + (size_t)(i + 1) * (size_t)p;
    const double middle = 0.5 * (t->time[i] + t->time[i + 1]);

    for (int k = 1; k <= 3; k++)
        for (int c = 0; c < p; c++) t->coef[k * p + c] *= ldexp(1.0, -k);
    YK_TRY(yk_wave_append(y, middle, 3, t->coef, err));
    for (int c = 0; c < p; c++) {
        shift(t->coef + c, p, -1.0);
        if (held[c]) t->coef[c] = to[c];
    }
    return yk_wave_append(y, t->time[i + 1], 3, t->coef, err);
}

static yoke_status write_run(yk_fmu_trace *t, int from, int to,
                             const bool *held, bool between, yk_wave *y,
                             yoke_err *err)
{
    if (from == to) return YOKE_OK;
    slopes_at(t, from, to, from, t->right);
    for (int i = from; i < to; i++) {
        double *const last = t->left;

        t->left = t->right;
        t->right = last;
        slopes_at(t, from, to, i + 1, t->right);
        make_piece(t, i, held);
        if (between && changes(t, i, held))
            YK_TRY(append_halves(t, i, held, y, err));
        else
            YK_TRY(yk_wave_append(y, t->time[i + 1], 3, t->coef, err));
    }
    return YOKE_OK;
}

yoke_status yk_trace_write(yk_fmu_trace *t, const bool *held, bool between,
                           yk_wave *y, yoke_err *err)
{
    int from = 0;

    t->broken = 0;
    yk_wave_clear(y, t->time[0]);
    for (int i = 1; i <= t->points; i++) {
        if (i < t->points && t->time[i] > t->time[i - 1]) continue;
        YK_TRY(write_run(t, from, i - 1, held, between, y, err));
        from = i;
        if (i == t->points || t->time[i] >= t->time[t->points - 1]) continue;
        if (t->bend[i]) continue;
        YK_TRY(YK_GROW(&t->breaks, &t->break_room, t->broken + 1, err));
        t->breaks[t->broken++] = t->time[i];
    }
    return YOKE_OK;
}
