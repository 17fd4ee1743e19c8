/* wave/history.c -- the past of a waveform.
 *
 * One waveform that grows at its end.  What no delay can reach any more is
 * dropped once it is half of the whole, so that a piece is copied once on
 * average.
 */
#include "wave/history.h"

#include "wave/waveform.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct yk_history {
    double span;
    yk_wave *wave, *spare;
};

yoke_status yk_history_create(yk_history **out, int dim, double span,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_history *h = NULL;

    YK_TRY(YK_NEW(&h, 1, err));
    h->span = span;
    YK_GO(yk_wave_create(&h->wave, dim, err));
    YK_GO(yk_wave_create(&h->spare, dim, err));
    *out = h;
    h = NULL;
done:
    yk_history_free(h);
    return status;
}

void yk_history_free(yk_history *h)
{
    if (!h) return;
    yk_wave_free(h->wave);
    yk_wave_free(h->spare);
    yk_free(h);
}

yoke_status yk_history_start(yk_history *h, double t, const double *value,
                             yoke_err *err)
{
    yk_wave_clear(h->wave, t - 1.001 * h->span);
    return yk_wave_append_constant(h->wave, t, value, err);
}

/* Piece i of `wave`, or a part of it, at the end of dst up to t1: theta becomes
 * alpha + beta theta. */
static yoke_status copy_piece(yk_wave *dst, double t1, const yk_wave *wave,
                              int i, const int *component, double alpha,
                              double beta, yoke_err *err)
{
    const int degree = wave->degree[i], dim = dst->dim;
    const double *from = wave->coef + wave->offset[i];
    double *row = NULL;

    YK_TRY(yk_wave_start(dst, t1, degree, &row, err));
    for (int k = 0; k <= degree; k++)
        for (int c = 0; c < dim; c++)
            row[k * dim + c] =
                from[k * wave->dim + (component ? component[c] : c)];
    if (alpha != 0.0 || beta != 1.0)
        yk_rows_shift(row, degree, dim, dim, alpha, beta);
    return yk_wave_finish(dst, t1, degree, err);
}

/* Drops what lies before the longest delay. */
static yoke_status trim(yk_history *h, yoke_err *err)
{
    yk_wave *const old = h->wave;
    const double least = old->knot[old->pieces] - 1.001 * h->span;
    const int first = yk_wave_piece(old, least, true, NULL);

    if (2 * first < old->pieces || first < 16) return YOKE_OK;
    yk_wave_clear(h->spare, old->knot[first]);
    for (int i = first; i < old->pieces; i++)
        YK_TRY(copy_piece(h->spare, old->knot[i + 1], old, i, NULL, 0.0, 1.0,
                          err));
    h->wave = h->spare;
    h->spare = old;
    return YOKE_OK;
}

yoke_status yk_history_add(yk_history *h, const yk_wave *wave,
                           const int *component, yoke_err *err)
{
    for (int i = 0; i < wave->pieces; i++)
        YK_TRY(copy_piece(h->wave, wave->knot[i + 1], wave, i, component, 0.0,
                          1.0, err));
    return trim(h, err);
}

yoke_status yk_history_read(const yk_history *h, double t0, double t1,
                            double delay, yk_wave *dst, yoke_err *err)
{
    const yk_wave *w = h->wave;
    const double tiny = 8.0 * DBL_EPSILON * (fabs(t1) + fabs(delay));
    double a = t0; /* end of dst so far */

    yk_wave_clear(dst, t0);
    for (int i = yk_wave_piece(w, t0 - delay, true, NULL); a < t1; i++) {
        const bool last = i + 1 >= w->pieces;
        const double length = w->knot[i + 1] - w->knot[i];
        double b = w->knot[i + 1] + delay;
        if (last || b > t1 - tiny) b = t1;
        if (!last && b - a <= tiny) continue; /* a sliver by rounding */
        const double alpha = (a - delay - w->knot[i]) / length;
        const double beta = (b - a) / length;
        const bool whole =
            fabs(alpha) * length <= tiny && fabs(beta - 1.0) * length <= tiny;
        YK_TRY(copy_piece(dst, b, w, i, NULL, whole ? 0.0 : alpha,
                          whole ? 1.0 : beta, err));
        a = b;
    }
    return YOKE_OK;
}

void yk_history_value(const yk_history *h, double t, double *value)
{
    yk_wave_eval(h->wave, t, NULL, value);
}
