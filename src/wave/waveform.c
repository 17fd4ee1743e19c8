/* wave/waveform.c -- piecewise polynomials: memory, growth, evaluation.
 *
 * Knots, degrees, offsets and coefficients are four growing arrays, so a piece
 * costs no allocation of its own and clearing keeps all memory.
 *
 * theta = (t - t_i) / (t_{i+1} - t_i) is exactly 0 and 1 at the ends of a
 * piece, so the end values are c[0] and the sum of the c[k] without further
 * rounding of theta.
 */
#include "wave/waveform.h"

#include "base/finite.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static size_t rows_size(int rows, int dim)
{
    return (size_t)rows * (size_t)dim;
}

/* ---- Checks -------------------------------------------------------------- */

static yoke_status check_degree(int degree, yoke_err *err)
{
    if (degree >= 0 && degree <= YOKE_WAVE_MAX_DEGREE) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG, "degree = %d is not between 0 and %d",
                   degree, YOKE_WAVE_MAX_DEGREE);
}

yoke_status yk_check_rows(const double *coef, int degree, int dim,
                          yoke_err *err)
{
    int at = 0;

    if (yk_few_finite(coef, (degree + 1) * dim, &at)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "component %d of the waveform is not finite: "
                   "coefficient %d is %g",
                   at % dim, at / dim, coef[at]);
}

yoke_status yk_check_filled(const yk_wave *w, const char *name, yoke_err *err)
{
    if (w->pieces > 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "waveform %s has 0 pieces, at least 1 "
                   "is needed",
                   name);
}

yoke_status yk_check_dims(const yk_wave *a, const yk_wave *b, yoke_err *err)
{
    if (a->dim == b->dim) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "waveforms of %d and of %d components do not match", a->dim,
                   b->dim);
}

/* ---- Memory -------------------------------------------------------------- */

yoke_status yk_wave_room(yk_wave *w, size_t pieces, size_t coefs, yoke_err *err)
{
    if (yk_wave_has_room(w, pieces, coefs)) return YOKE_OK;
    YK_TRY(YK_GROW(&w->knot, &w->knot_room, pieces + 1, err));
    YK_TRY(YK_GROW(&w->degree, &w->degree_room, pieces, err));
    YK_TRY(YK_GROW(&w->offset, &w->offset_room, pieces + 1, err));
    return YK_GROW(&w->coef, &w->coef_room, coefs ? coefs : 1, err);
}

yoke_status yk_wave_work(yk_wave *w, int rows, yoke_err *err)
{
    const size_t need = rows_size(rows, w->dim);
    return YK_GROW(&w->work, &w->work_room, need ? need : 1, err);
}

yoke_status yk_wave_create(yk_wave **out, int dim, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_wave *w = NULL;

    if (dim < 0)
        return yk_fail(err, YOKE_E_ARG, "dim = %d is not 0 or more", dim);
    YK_GO(YK_NEW(&w, 1, err));
    w->dim = dim;
    YK_GO(yk_wave_room(w, 0, 0, err));
    yk_wave_clear(w, 0.0);
    *out = w;
    w = NULL;

done:
    yk_wave_free(w);
    return status;
}

void yk_wave_free(yk_wave *w)
{
    if (!w) return;
    yk_wave_halves_free(w->halves);
    YK_FREE(w->knot, w->degree, w->offset, w->coef, w->source, w->work, w);
}

void yk_wave_clear(yk_wave *w, double t0)
{
    w->pieces = 0;
    w->knot[0] = t0;
    w->offset[0] = 0;
}

yoke_status yk_wave_reserve(yk_wave *w, int pieces, int degree, yoke_err *err)
{
    if (pieces < 0)
        return yk_fail(err, YOKE_E_ARG, "pieces = %d is not 0 or more", pieces);
    YK_TRY(check_degree(degree, err));
    const size_t more = (size_t)pieces * rows_size(degree + 1, w->dim);
    return yk_wave_room(w, (size_t)w->pieces + (size_t)pieces,
                        w->offset[w->pieces] + more, err);
}

/* ---- Appending ----------------------------------------------------------- */

yoke_status yk_wave_start(yk_wave *w, double t1, int degree, double **coef,
                          yoke_err *err)
{
    const double end = w->knot[w->pieces];
    const double h = t1 - end;

    if (!(h > 0.0 && isfinite(h)))
        return yk_fail(err, YOKE_E_ARG,
                       "t1 = %.17g is not finite and above the end %.17g of "
                       "the waveform",
                       t1, end);
    YK_TRY(check_degree(degree, err));
    const size_t used = w->offset[w->pieces];
    YK_TRY(yk_wave_room(w, (size_t)w->pieces + 1,
                        used + rows_size(degree + 1, w->dim), err));
    *coef = w->coef + used;
    return YOKE_OK;
}

yoke_status yk_wave_finish(yk_wave *w, double t1, int degree, yoke_err *err)
{
    const int i = w->pieces;

    YK_TRY(yk_check_rows(w->coef + w->offset[i], degree, w->dim, err));
    w->degree[i] = degree;
    w->knot[i + 1] = t1;
    w->offset[i + 1] = w->offset[i] + rows_size(degree + 1, w->dim);
    w->pieces++;
    return YOKE_OK;
}

static void copy_row(double *row, const double *from, size_t count)
{
    if (count) memcpy(row, from, count * sizeof *row);
}

yoke_status yk_wave_append(yk_wave *w, double t1, int degree,
                           const double *coef, yoke_err *err)
{
    double *row = NULL;

    YK_TRY(yk_wave_start(w, t1, degree, &row, err));
    copy_row(row, coef, rows_size(degree + 1, w->dim));
    return yk_wave_finish(w, t1, degree, err);
}

yoke_status yk_wave_append_all(yk_wave *w, const yk_wave *from, yoke_err *err)
{
    for (int i = 0; i < yk_wave_pieces(from); i++)
        YK_TRY(yk_wave_append(w, yk_wave_knot(from, i + 1),
                              yk_wave_degree(from, i), yk_wave_coef(from, i),
                              err));
    return YOKE_OK;
}

yoke_status yk_wave_append_constant(yk_wave *w, double t1, const double *value,
                                    yoke_err *err)
{
    return yk_wave_append(w, t1, 0, value, err);
}

yoke_status yk_wave_append_linear(yk_wave *w, double t1, const double *left,
                                  const double *right, yoke_err *err)
{
    const size_t dim = (size_t)w->dim;
    double *row = NULL;

    YK_TRY(yk_wave_start(w, t1, 1, &row, err));
    copy_row(row, left, dim);
    copy_row(row + dim, right, dim);
    yk_rows_from_samples(row, 1, w->dim);
    return yk_wave_finish(w, t1, 1, err);
}

/* yk_rows_from_samples for one component, which most waveforms have. */
static void one_from_samples(double *c, int degree)
{
    double scale = degree;

    for (int k = 1; k <= degree; k++)
        for (int j = degree; j >= k; j--) {
            c[j] -= c[j - 1];
            if (k > 1) c[j] /= k;
        }
    for (int k = degree - 1; k > 0; k--)
        for (int j = k; j < degree; j++) c[j] -= k * c[j + 1];
    for (int k = 1; k <= degree; k++, scale *= degree) c[k] *= scale;
}

yoke_status yk_wave_append_samples(yk_wave *w, double t1, int degree,
                                   const double *value, yoke_err *err)
{
    double *row = NULL;

    YK_TRY(yk_wave_start(w, t1, degree, &row, err));
    if (w->dim == 1) {
        for (int k = 0; k <= degree; k++) row[k] = value[k];
        one_from_samples(row, degree);
        return yk_wave_finish(w, t1, degree, err);
    }
    copy_row(row, value, rows_size(degree + 1, w->dim));
    yk_rows_from_samples(row, degree, w->dim);
    return yk_wave_finish(w, t1, degree, err);
}

/* ---- From values to coefficients ----------------------------------------- */

/* row -= factor * other */
static void row_less(double *restrict row, const double *restrict other,
                     double factor, int dim)
{
    for (int c = 0; c < dim; c++) row[c] -= factor * other[c];
}

/* Newton's form in x = degree theta, whose nodes are 0, 1, ..., degree:
 *
 *     p = a_0 + a_1 x + a_2 x (x - 1) + ...,   a_k = (k-th difference) / k!,
 *
 * then the products are multiplied out from the innermost bracket.  All
 * multipliers are small integers, and c[0] stays the first value exactly. */
void yk_rows_from_samples(double *row, int degree, int dim)
{
    const size_t n = (size_t)dim;
    double scale = degree;

    if (dim == 1) {
        one_from_samples(row, degree);
        return;
    }
    for (int k = 1; k <= degree; k++)
        for (int j = degree; j >= k; j--) {
            double *const now = row + (size_t)j * n;
            row_less(now, now - n, 1.0, dim);
            for (int c = 0; k > 1 && c < dim; c++) now[c] /= k;
        }
    for (int k = degree - 1; k > 0; k--)
        for (int j = k; j < degree; j++)
            row_less(row + (size_t)j * n, row + (size_t)(j + 1) * n, k, dim);
    for (int k = 1; k <= degree; k++, scale *= degree)
        for (int c = 0; c < dim; c++) row[(size_t)k * n + (size_t)c] *= scale;
}

void yk_rows_from_hermite(double *row, double h, int dim)
{
    const size_t n = (size_t)dim;

    for (size_t c = 0; c < n; c++) {
        const double rise = row[2 * n + c] - row[c];
        const double left = h * row[n + c], right = h * row[3 * n + c];
        row[n + c] = left;
        row[2 * n + c] = 3.0 * rise - 2.0 * left - right;
        row[3 * n + c] = left + right - 2.0 * rise;
    }
}

/* ---- Reading ------------------------------------------------------------- */

int yk_wave_dim(const yk_wave *w)
{
    return w->dim;
}

int yk_wave_pieces(const yk_wave *w)
{
    return w->pieces;
}

double yk_wave_begin(const yk_wave *w)
{
    return w->knot[0];
}

double yk_wave_end(const yk_wave *w)
{
    return w->knot[w->pieces];
}

double yk_wave_knot(const yk_wave *w, int i)
{
    assert(i >= 0 && i <= w->pieces);
    return w->knot[i];
}

int yk_wave_degree(const yk_wave *w, int i)
{
    assert(i >= 0 && i < w->pieces);
    return w->degree[i];
}

const double *yk_wave_coef(const yk_wave *w, int i)
{
    assert(i >= 0 && i < w->pieces);
    return w->coef + w->offset[i];
}

/* ---- Evaluation ---------------------------------------------------------- */

static bool begins(const yk_wave *w, int i, double t, bool right)
{
    return right ? w->knot[i] <= t : w->knot[i] < t;
}

/* Narrows lo <= piece < hi by steps of 1, 2, 4, ... from `at`, so the cost is
 * the logarithm of the distance moved. */
static void gallop(const yk_wave *w, double t, bool right, int at, int *lo,
                   int *hi)
{
    if (at == 0 || begins(w, at, t, right)) {
        *lo = at;
        for (int step = 1; step < *hi - *lo; *lo += step, step *= 2)
            if (!begins(w, *lo + step, t, right)) {
                *hi = *lo + step;
                break;
            }
    } else {
        *hi = at;
        for (int step = 1; step < *hi - *lo; *hi -= step, step *= 2)
            if (begins(w, *hi - step, t, right)) {
                *lo = *hi - step;
                break;
            }
    }
}

int yk_wave_piece(const yk_wave *w, double t, bool right, int *cursor)
{
    int lo = 0, hi = w->pieces;

    assert(w->pieces > 0);
    if (hi == 1) {
        if (cursor) *cursor = 0;
        return 0;
    }
    if (cursor && *cursor >= 0 && *cursor < w->pieces)
        gallop(w, t, right, *cursor, &lo, &hi);
    while (hi - lo > 1) {
        const int middle = lo + (hi - lo) / 2;
        if (begins(w, middle, t, right))
            lo = middle;
        else
            hi = middle;
    }
    if (cursor) *cursor = lo;
    return lo;
}

/* The same, at once where there is one piece or the cursor is at the right one. */
static inline int piece_at(const yk_wave *w, double t, bool right, int *cursor)
{
    if (cursor && w->pieces > 1) {
        const int at = *cursor;
        if (at >= 0 && at < w->pieces && (at == 0 || begins(w, at, t, right)) &&
            (at + 1 == w->pieces || !begins(w, at + 1, t, right)))
            return at;
    } else if (w->pieces == 1) {
        if (cursor) *cursor = 0;
        return 0;
    }
    return yk_wave_piece(w, t, right, cursor);
}

static double theta_at(const yk_wave *w, int i, double t)
{
    return (t - w->knot[i]) / (w->knot[i + 1] - w->knot[i]);
}

static void eval_all(const yk_wave *w, int i, double t, double *restrict value)
{
    const int dim = w->dim;
    const double theta = theta_at(w, i, t);
    const double *restrict row =
        w->coef + w->offset[i] + rows_size(w->degree[i], dim);

    for (int c = 0; c < dim; c++) value[c] = row[c];
    for (int k = w->degree[i]; k > 0; k--) {
        row -= dim;
        for (int c = 0; c < dim; c++) value[c] = value[c] * theta + row[c];
    }
}

/* Most waveforms have one component. */
static inline void eval(const yk_wave *w, int i, double t, double *value)
{
    if (w->dim != 1) {
        eval_all(w, i, t, value);
        return;
    }
    const double theta = theta_at(w, i, t), *const c = w->coef + w->offset[i];
    double sum = c[w->degree[i]];
    for (int k = w->degree[i] - 1; k >= 0; k--) sum = sum * theta + c[k];
    *value = sum;
}

void yk_piece_eval(const yk_wave *w, int i, double t, double *value)
{
    eval(w, i, t, value);
}

/* k (k - 1) ... (k - order + 1) */
static double falling(int k, int order)
{
    double product = 1.0;
    for (int j = 0; j < order; j++) product *= k - j;
    return product;
}

void yk_piece_dot(const yk_wave *w, int i, double t, int order,
                  double *restrict value)
{
    const int dim = w->dim;
    const double theta = theta_at(w, i, t);
    const double h = w->knot[i + 1] - w->knot[i];

    assert(order >= 1);
    for (int c = 0; c < dim; c++) value[c] = 0.0;
    for (int k = w->degree[i]; k >= order; k--) {
        const double *restrict row = w->coef + w->offset[i] + rows_size(k, dim);
        const double factor = falling(k, order);
        for (int c = 0; c < dim; c++)
            value[c] = value[c] * theta + factor * row[c];
    }
    for (int m = 0; m < order && order <= w->degree[i]; m++)
        for (int c = 0; c < dim; c++) value[c] /= h;
}

void yk_wave_eval(const yk_wave *w, double t, int *cursor, double *value)
{
    eval(w, piece_at(w, t, false, cursor), t, value);
}

void yk_wave_eval_right(const yk_wave *w, double t, int *cursor, double *value)
{
    eval(w, piece_at(w, t, true, cursor), t, value);
}

void yk_wave_eval_dot(const yk_wave *w, double t, int order, int *cursor,
                      double *value)
{
    yk_piece_dot(w, yk_wave_piece(w, t, false, cursor), t, order, value);
}

/* ---- Whole waveforms ----------------------------------------------------- */

yoke_status yk_wave_copy(yk_wave *dst, const yk_wave *src, yoke_err *err)
{
    const size_t n = (size_t)src->pieces, coefs = src->offset[n];

    if (dst == src) return YOKE_OK;
    YK_TRY(yk_check_dims(dst, src, err));
    YK_TRY(yk_wave_room(dst, n, coefs, err));
    dst->pieces = src->pieces;
    memcpy(dst->knot, src->knot, (n + 1) * sizeof *dst->knot);
    memcpy(dst->offset, src->offset, (n + 1) * sizeof *dst->offset);
    if (n) memcpy(dst->degree, src->degree, n * sizeof *dst->degree);
    copy_row(dst->coef, src->coef, coefs);
    return YOKE_OK;
}

static bool same_bytes(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

bool yk_wave_equal(const yk_wave *a, const yk_wave *b)
{
    const size_t n = (size_t)a->pieces;

    return a->dim == b->dim && a->pieces == b->pieces &&
           same_bytes(a->knot, b->knot, (n + 1) * sizeof *a->knot) &&
           same_bytes(a->degree, b->degree, n * sizeof *a->degree) &&
           same_bytes(a->coef, b->coef, a->offset[n] * sizeof *a->coef);
}
