/* wave/project.c -- waveforms on other grids: relaxation, extrapolation.
 *
 * Both sample a waveform and interpolate.  Samples at the ends of a piece
 * are taken from inside it, so a jump of the source at a knot of the new grid
 * stays a jump.
 */
#include "wave/waveform.h"

#include <math.h>
#include <string.h>

/* Which side of a knot an end of [a, b] is on is decided this far inside, in
 * units of b - a: grids that differ by rounding count as equal. */
static const double inside = 1e-12;

static void hermite_rows(const yk_wave *src, double a, double b, int *cursor,
                         double *row)
{
    const size_t dim = (size_t)src->dim;
    const double h = b - a;
    int i = yk_wave_piece(src, a + inside * h, true, cursor);

    yk_piece_eval(src, i, a, row);
    yk_piece_dot(src, i, a, 1, row + dim);
    i = yk_wave_piece(src, b - inside * h, false, cursor);
    yk_piece_eval(src, i, b, row + 2 * dim);
    yk_piece_dot(src, i, b, 1, row + 3 * dim);
    yk_rows_from_hermite(row, h, src->dim);
}

static void sample_rows(const yk_wave *src, double a, double b, int degree,
                        int *cursor, double *row)
{
    const size_t dim = (size_t)src->dim;
    const double h = b - a;
    int i = yk_wave_piece(src, a + inside * h, true, cursor);

    yk_piece_eval(src, i, a, row);
    for (int j = 1; j < degree; j++)
        yk_wave_eval(src, a + h * j / degree, cursor, row + (size_t)j * dim);
    if (degree > 0) {
        i = yk_wave_piece(src, b - inside * h, false, cursor);
        yk_piece_eval(src, i, b, row + (size_t)degree * dim);
    }
    yk_rows_from_samples(row, degree, src->dim);
}

/* The polynomial of `degree` that interpolates src on [a, b]. */
static void interpolate(const yk_wave *src, double a, double b, int degree,
                        int *cursor, double *row)
{
    if (degree == 3)
        hermite_rows(src, a, b, cursor, row);
    else
        sample_rows(src, a, b, degree, cursor, row);
}

/* ---- Relaxation ---------------------------------------------------------- */

/* b on piece i of a, in the degree of that piece.  On a common piece b is taken
 * as it is, so that equal grids lose nothing. */
static void rows_of_other(const yk_wave *a, int i, const yk_wave *b,
                          int *cursor, double *row)
{
    const double t0 = a->knot[i], t1 = a->knot[i + 1];
    const int degree = a->degree[i];
    const int j = yk_wave_piece(b, t1, false, cursor);

    if (b->knot[j] != t0 || b->knot[j + 1] != t1 || b->degree[j] > degree) {
        interpolate(b, t0, t1, degree, cursor, row);
        return;
    }
    const size_t all = (size_t)(degree + 1) * (size_t)a->dim;
    const size_t used = b->offset[j + 1] - b->offset[j];
    const double *coef = b->coef + b->offset[j];
    for (size_t k = 0; k < used; k++) row[k] = coef[k];
    for (size_t k = used; k < all; k++) row[k] = 0.0;
}

static yoke_status relax_piece(yk_wave *a, int i, const yk_wave *b,
                               double omega, int *cursor, yoke_err *err)
{
    const size_t count = a->offset[i + 1] - a->offset[i];
    double *coef = a->coef + a->offset[i], *row = a->work;

    rows_of_other(a, i, b, cursor, row);
    for (size_t k = 0; k < count; k++)
        row[k] = (1.0 - omega) * row[k] + omega * coef[k];
    YK_TRY(yk_check_rows(row, a->degree[i], a->dim, err));
    if (count) memcpy(coef, row, count * sizeof *coef);
    return YOKE_OK;
}

yoke_status yk_wave_relax(yk_wave *a, const yk_wave *b, double omega,
                          yoke_err *err)
{
    int cursor = 0, degree = 0;

    YK_TRY(yk_check_dims(a, b, err));
    YK_TRY(yk_check_filled(a, "a", err));
    YK_TRY(yk_check_filled(b, "b", err));
    if (!isfinite(omega))
        return yk_fail(err, YOKE_E_ARG, "omega = %g is not finite", omega);
    if (a == b) return YOKE_OK;
    for (int i = 0; i < a->pieces; i++)
        if (a->degree[i] > degree) degree = a->degree[i];
    YK_TRY(yk_wave_work(a, degree + 1, err));
    for (int i = 0; i < a->pieces; i++)
        YK_TRY(relax_piece(a, i, b, omega, &cursor, err));
    return YOKE_OK;
}

/* ---- Extrapolation ------------------------------------------------------- */

static yoke_status check_extrapolate(const yk_wave *dst, const yk_wave *src,
                                     double t1, int order, double span,
                                     yoke_err *err)
{
    YK_TRY(yk_check_dims(dst, src, err));
    YK_TRY(yk_check_filled(src, "src", err));
    const double end = yk_wave_end(src);
    if (!(t1 > end) || !isfinite(t1 - end))
        return yk_fail(err, YOKE_E_ARG,
                       "t1 = %.17g is not finite and above the end %.17g of "
                       "the waveform",
                       t1, end);
    if (order < 0 || order > YOKE_EXTRAPOLATE_MAX)
        return yk_fail(err, YOKE_E_ARG, "order = %d is not between 0 and %d",
                       order, YOKE_EXTRAPOLATE_MAX);
    if (!isfinite(span))
        return yk_fail(err, YOKE_E_ARG, "span = %g is not finite", span);
    return YOKE_OK;
}

/* Newton's backward differences.  With nodes end - j delta and t - end = s
 * delta, s = r theta,
 *
 *     p = D0 + s D1 + s (s + 1) / 2 D2 + ...,
 *
 * so the constant coefficient is the end value itself.  Row j holds the values
 * at node j and becomes the coefficient of theta^j. */
static void backward_column(double *value, int order, double r)
{
    double coef[YOKE_EXTRAPOLATE_MAX + 1] = { 0.0 };
    double product[YOKE_EXTRAPOLATE_MAX + 2] = { 1.0 }; /* in s */

    for (int j = 1; j <= order; j++)
        for (int k = order; k >= j; k--) value[k] = value[k - 1] - value[k];
    for (int j = 0; j <= order; j++) {
        for (int k = 0; k <= j; k++) coef[k] += value[j] * product[k];
        for (int k = j + 1; k > 0; k--)
            product[k] = (product[k - 1] + j * product[k]) / (j + 1);
        product[0] = j == 0 ? 0.0 : product[0] * j / (j + 1);
    }
    double power = 1.0;
    for (int k = 0; k <= order; k++, power *= r) value[k] = coef[k] * power;
}

static void backward_rows(double *row, int order, double r, size_t dim)
{
    double value[YOKE_EXTRAPOLATE_MAX + 1];

    for (size_t c = 0; c < dim; c++) {
        for (int j = 0; j <= order; j++) value[j] = row[(size_t)j * dim + c];
        backward_column(value, order, r);
        for (int j = 0; j <= order; j++) row[(size_t)j * dim + c] = value[j];
    }
}

/* Behind the last node the Lagrange polynomials grow: the sum of their sizes is
 * largest at the end. */
double yk_wave_extrapolate_bound(int order, double span, double length)
{
    double sum = 0.0;

    if (order < 0 || order > YOKE_EXTRAPOLATE_MAX || !(span > 0.0) ||
        !(length > 0.0))
        return NAN;
    const double s = length * order / span; /* nodes are 0, -1, ..., -order */
    for (int j = 0; j <= order; j++) {
        double basis = 1.0;
        for (int k = 0; k <= order; k++)
            if (k != j) basis *= (s + k) / (k - j);
        sum += fabs(basis);
    }
    return sum;
}

yoke_status yk_wave_extrapolate(yk_wave *dst, const yk_wave *src, double t1,
                                int order, double span, yoke_err *err)
{
    YK_TRY(check_extrapolate(dst, src, t1, order, span, err));
    YK_TRY(yk_wave_work(dst, order + 1, err));
    const size_t dim = (size_t)dst->dim;
    YK_TRY(yk_wave_room(dst, 1, (size_t)(order + 1) * dim, err));

    const double end = yk_wave_end(src);
    if (span <= 0.0) span = end - yk_wave_begin(src);
    const double delta = order > 0 ? span / order : span;
    for (int j = 0; j <= order; j++) {
        const double t = end - j * delta;
        int cursor = 0;
        const int i = j > 0 && j == order /* a jump there is not of the span */
                          ? yk_wave_piece(src, t + inside * span, true, &cursor)
                          : yk_wave_piece(src, t, false, &cursor);
        yk_piece_eval(src, i, t, dst->work + (size_t)j * dim);
    }
    backward_rows(dst->work, order, (t1 - end) / delta, dim);
    yk_wave_clear(dst, end);
    return yk_wave_append(dst, t1, order, dst->work, err);
}
