/* wave/spline.c -- cubic splines through the knots of a waveform.
 *
 * With h_k the lengths of the pieces, d_k the slopes of the chords and M_k the
 * second derivatives at the knots 0 ... K
 *
 *     h_{k-1} M_{k-1} + 2 (h_{k-1} + h_k) M_k + h_k M_{k+1} = 6 (d_k - d_{k-1})
 *
 * and the third derivative does not jump at the first and the last inner knot
 * ("not a knot"), which keeps the order 4 up to the ends.  Two pieces make a
 * parabola, one a straight line.
 * Reference: de Boor, A Practical Guide to Splines, chapter IV.
 */
#include "wave/spline.h"

#include <math.h>
#include <string.h>

void yk_spline_clear(yk_spline *spline)
{
    yk_free(spline->work);
    *spline = (yk_spline){ 0, NULL };
}

/* A run of pieces without a jump inside. */
typedef struct run {
    const yk_wave *src;
    int first, pieces, dim;
    double *h;            /* pieces */
    double *value, *bend; /* (pieces + 1) * dim: values and M */
    double *diagonal;     /* pieces + 1 */
} run;

static void end_value(const yk_wave *w, int i, double *value)
{
    const int dim = yk_wave_dim(w), degree = yk_wave_degree(w, i);
    const double *coef = yk_wave_coef(w, i);

    memset(value, 0, (size_t)dim * sizeof *value);
    for (int k = 0; k <= degree; k++)
        for (int c = 0; c < dim; c++) value[c] += coef[k * dim + c];
}

/* Do the pieces on both sides of knot i meet? */
static bool meets(const yk_wave *w, int i, double *scratch)
{
    const double *right = yk_wave_coef(w, i);

    end_value(w, i - 1, scratch);
    for (int c = 0; c < yk_wave_dim(w); c++)
        if (fabs(right[c] - scratch[c]) >
            1e-12 * (fabs(right[c]) + fabs(scratch[c])))
            return false;
    return true;
}

static double slope(const run *r, int k, int c)
{
    return (r->value[(k + 1) * r->dim + c] - r->value[k * r->dim + c]) /
           r->h[k];
}

/* M at the inner knots by elimination, the ends from them. */
static void solve(run *r)
{
    const int K = r->pieces, n = r->dim;
    const double *h = r->h;
    double *M = r->bend;

    for (int k = 1; k < K; k++) {
        double low = k == 1 ? 0.0 : h[k - 1], factor;
        r->diagonal[k] = 2.0 * (h[k - 1] + h[k]);
        if (k == 1) r->diagonal[k] += h[0] * (1.0 + h[0] / h[1]);
        if (k == K - 1) {
            r->diagonal[k] += h[k] * (1.0 + h[k] / h[k - 1]);
            if (k > 1) low -= h[k] * h[k] / h[k - 1];
        }
        for (int c = 0; c < n; c++)
            M[k * n + c] = 6.0 * (slope(r, k, c) - slope(r, k - 1, c));
        if (k == 1) continue;
        const double above = k == 2 ? h[1] - h[0] * h[0] / h[1] : h[k - 1];
        factor = low / r->diagonal[k - 1];
        r->diagonal[k] -= factor * above;
        for (int c = 0; c < n; c++) M[k * n + c] -= factor * M[(k - 1) * n + c];
    }
    for (int k = K - 1; k >= 1; k--) {
        const double above = k == 1 ? h[1] - h[0] * h[0] / h[1] : h[k];
        for (int c = 0; c < n; c++) {
            if (k < K - 1) M[k * n + c] -= above * M[(k + 1) * n + c];
            M[k * n + c] /= r->diagonal[k];
        }
    }
    const double left = h[0] / h[1], right = h[K - 1] / h[K - 2];
    for (int c = 0; c < n; c++) {
        M[c] = (1.0 + left) * M[n + c] - left * M[2 * n + c];
        M[K * n + c] =
            (1.0 + right) * M[(K - 1) * n + c] - right * M[(K - 2) * n + c];
    }
}

static void find_bends(run *r)
{
    const int n = r->dim;

    memset(r->bend, 0, (size_t)((r->pieces + 1) * n) * sizeof *r->bend);
    if (r->pieces >= 3) solve(r);
    for (int c = 0; r->pieces == 2 && c < n; c++)
        r->bend[c] = r->bend[n + c] = r->bend[2 * n + c] =
            2.0 * (slope(r, 1, c) - slope(r, 0, c)) / (r->h[0] + r->h[1]);
}

static yoke_status write_run(const run *r, yk_wave *dst, double *coef,
                             yoke_err *err)
{
    const int n = r->dim;

    for (int k = 0; k < r->pieces; k++) {
        const double h = r->h[k], *a = r->value + k * n, *b = a + n,
                     *M = r->bend + k * n;
        for (int c = 0; c < n; c++) {
            coef[c] = a[c];
            coef[n + c] = b[c] - a[c] - h * h * (2.0 * M[c] + M[n + c]) / 6.0;
            coef[2 * n + c] = 0.5 * h * h * M[c];
            coef[3 * n + c] = h * h * (M[n + c] - M[c]) / 6.0;
        }
        YK_TRY(yk_wave_append(dst, yk_wave_knot(r->src, r->first + k + 1),
                              r->pieces == 1 ? 1 : 3, coef, err));
    }
    return YOKE_OK;
}

static void gather(run *r)
{
    const int n = r->dim;

    for (int k = 0; k < r->pieces; k++) {
        const int i = r->first + k;
        r->h[k] = yk_wave_knot(r->src, i + 1) - yk_wave_knot(r->src, i);
        memcpy(r->value + k * n, yk_wave_coef(r->src, i),
               (size_t)n * sizeof *r->value);
    }
    end_value(r->src, r->first + r->pieces - 1, r->value + r->pieces * n);
}

yoke_status yk_spline_through(yk_spline *spline, yk_wave *dst,
                              const yk_wave *src, int count, const double *at,
                              yoke_err *err)
{
    const int pieces = yk_wave_pieces(src), dim = yk_wave_dim(src);
    const size_t knots = (size_t)pieces + 1, n = (size_t)dim;
    int next = 0;

    YK_TRY(YK_GROW(&spline->work, &spline->room, 2 * knots * (n + 1) + 4 * n,
                   err));
    run r = { .src = src, .dim = dim, .h = spline->work };
    r.diagonal = r.h + knots;
    r.value = r.diagonal + knots;
    r.bend = r.value + knots * n;
    double *const coef = r.bend + knots * n;
    yk_wave_clear(dst, yk_wave_begin(src));
    for (int i = 0; i < pieces; i += r.pieces) {
        r.first = i;
        for (r.pieces = 1; i + r.pieces < pieces; r.pieces++) {
            const double t = yk_wave_knot(src, i + r.pieces);
            while (next < count && at[next] < t) next++;
            if ((next < count && at[next] == t) ||
                !meets(src, i + r.pieces, coef))
                break;
        }
        gather(&r);
        find_bends(&r);
        YK_TRY(write_run(&r, dst, coef, err));
    }
    return YOKE_OK;
}
