/* wave/norm.c -- the largest difference of two waveforms.
 *
 * On each interval of the union of their grids the difference is one
 * polynomial of degree d in s in [0, 1].
 *
 * Taken are |p| at both ends and, for d <= 3, at the real roots of p', which is
 * exact; for d > 3 at 3d - 1 inner points that crowd towards the ends as the
 * Chebyshev points do.  Those miss at most 14 per cent (Ehlich and Zeller
 * 1964); the worst found by search for ours is 10, the median below 0.3.
 *
 * Components are taken in blocks, which bounds the memory to the stack.
 */
#include "wave/waveform.h"

#include <math.h>

enum { LANES = 32, ROWS = YOKE_WAVE_MAX_DEGREE + 1 };

/* The maxima of components first ... first + lanes - 1. */
typedef struct block {
    int first, lanes;
    double result[LANES];
} block;

/* Row k: the coefficients of s^k of a block. */
typedef double rows[ROWS][LANES];

/* Neither is NAN; fmax is a call. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double value_at(const double *c, int degree, double s)
{
    double v = c[degree];
    for (int k = degree - 1; k >= 0; k--) v = v * s + c[k];
    return v;
}

/* max(peak, |p(s)|) for s = num / den if that is inside the interval */
static double peak_at(const double *c, int degree, double num, double den,
                      double peak)
{
    const double s = den != 0.0 ? num / den : -1.0;
    return s > 0.0 && s < 1.0 ? larger(peak, fabs(value_at(c, degree, s)))
                              : peak;
}

/* p' = c1 + 2 c2 s + 3 c3 s^2; the roots in the form without cancellation. */
static double peak_cubic(const double *c, int degree, double peak)
{
    const double c3 = degree > 2 ? c[3] : 0.0;

    if (fabs(c[1]) > 2.0 * fabs(c[2]) + 3.0 * fabs(c3)) return peak; /* none */
    const double disc = c[2] * c[2] - 3.0 * c3 * c[1];

    if (disc < 0.0) return peak;
    const double r = -(c[2] + copysign(sqrt(disc), c[2]));
    peak = peak_at(c, degree, r, 3.0 * c3, peak);
    return peak_at(c, degree, c[1], r, peak);
}

/* Is |p| inside below `least`?  It is where its Bernstein coefficients are. */
static bool is_below(const double *c, int degree, double least)
{
    static const double over[4][ROWS] = {
        /* 1 / binomials of 4 to 7 */
        { 1.0, 1.0 / 4.0, 1.0 / 6.0, 1.0 / 4.0, 1.0 },
        { 1.0, 0.2, 0.1, 0.1, 0.2, 1.0 },
        { 1.0, 1.0 / 6.0, 1.0 / 15.0, 0.05, 1.0 / 15.0, 1.0 / 6.0, 1.0 },
        { 1.0, 1.0 / 7.0, 1.0 / 21.0, 1.0 / 35.0, 1.0 / 35.0, 1.0 / 21.0,
          1.0 / 7.0, 1.0 }
    };
    double b[ROWS];

    for (int k = 0; k <= degree; k++) b[k] = over[degree - 4][k] * c[k];
    for (int level = 1; level <= degree; level++)
        for (int k = degree; k >= level; k--) b[k] += b[k - 1];
    for (int k = 1; k < degree; k++)
        if (!(fabs(b[k]) <= least)) return false;
    return true;
}

static double peak_sampled(const double *c, int degree, double bound,
                           double peak)
{
    const int n = 3 * degree;

    /* The ends are larger, and not by rounding. */
    if (is_below(c, degree, peak - 1e-9 * bound)) return peak;
    for (int j = 1; j < n; j++) {
        const double u = (double)j / n;
        const double s = u * u * (3.0 - 2.0 * u); /* near (1 - cos pi u) / 2 */
        peak = larger(peak, fabs(value_at(c, degree, s)));
    }
    return peak;
}

static double peak_of(const double *c, int degree, double peak)
{
    double bound = 0.0; /* |p| <= sum |c_k| on [0, 1] */

    for (int k = 0; k <= degree; k++) bound += fabs(c[k]);
    if (bound <= peak) return peak;
    peak = larger(peak, larger(fabs(c[0]), fabs(value_at(c, degree, 1.0))));
    if (degree <= 1) return peak;
    return degree <= 3 ? peak_cubic(c, degree, peak)
                       : peak_sampled(c, degree, bound, peak);
}

static void raise_peaks(block *b, rows d, int degree)
{
    for (int c = 0; c < b->lanes; c++) {
        double p[ROWS] = { 0.0 };
        for (int k = 0; k <= degree; k++) p[k] = d[k][c];
        b->result[c] = peak_of(p, degree, b->result[c]);
    }
}

/* The polynomials of a source on [m->a, m->b], padded to m->degree. */
static void load_rows(const block *b, const yk_wave_merge *m,
                      const yk_wave_source *s, rows d)
{
    const yk_wave *w = s->wave;
    const int degree = w->degree[s->piece];
    const double *coef = w->coef + w->offset[s->piece];
    double alpha, beta;

    for (int k = 0; k <= m->degree; k++)
        for (int c = 0; c < b->lanes; c++)
            d[k][c] =
                k > degree
                    ? 0.0
                    : coef[(size_t)k * (size_t)w->dim + (size_t)(b->first + c)];
    if (yk_merge_map(m, s, &alpha, &beta))
        yk_rows_shift(d[0], degree, b->lanes, LANES, alpha, beta);
}

static void load_difference(const block *b, const yk_wave_merge *m, rows d)
{
    rows other;

    load_rows(b, m, &m->source[0], d);
    if (m->count == 1) return;
    load_rows(b, m, &m->source[1], other);
    for (int k = 0; k <= m->degree; k++)
        for (int c = 0; c < b->lanes; c++) d[k][c] -= other[k][c];
}

/* The window both have in common. */
typedef struct pair {
    const yk_wave *a, *b;
    double t0, t1;
} pair;

static yoke_status make_pair(const yk_wave *a, const yk_wave *b, pair *p,
                             yoke_err *err)
{
    YK_TRY(yk_check_filled(a, "a", err));
    *p = (pair){ a, b, yk_wave_begin(a), yk_wave_end(a) };
    if (!b) return YOKE_OK;
    YK_TRY(yk_check_dims(a, b, err));
    YK_TRY(yk_check_filled(b, "b", err));
    p->t0 = fmax(p->t0, yk_wave_begin(b));
    p->t1 = fmin(p->t1, yk_wave_end(b));
    if (p->t0 < p->t1) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "waveforms on [%.17g, %.17g] and [%.17g, %.17g] have no "
                   "common window",
                   yk_wave_begin(a), yk_wave_end(a), yk_wave_begin(b),
                   yk_wave_end(b));
}

static void block_norm(const pair *p, block *b)
{
    yk_wave_source source[2] = { { .wave = p->a }, { .wave = p->b } };
    yk_wave_merge m;
    rows d;

    for (int c = 0; c < b->lanes; c++) b->result[c] = 0.0;
    yk_merge_start(&m, p->t0, p->t1, p->b ? 2 : 1, source);
    while (yk_merge_next(&m)) {
        load_difference(b, &m, d);
        raise_peaks(b, d, m.degree);
    }
}

/* max |w| of each component over all its pieces, as they are. */
static void peaks(const yk_wave *w, double *out)
{
    const size_t dim = (size_t)w->dim;

    for (size_t c = 0; c < dim; c++) out[c] = 0.0;
    for (int i = 0; i < w->pieces; i++) {
        const double *const coef = w->coef + w->offset[i];
        double p[ROWS];
        for (size_t c = 0; c < dim; c++) {
            for (int k = 0; k <= w->degree[i]; k++)
                p[k] = coef[(size_t)k * dim + c];
            out[c] = peak_of(p, w->degree[i], out[c]);
        }
    }
}

/* Are they one piece each, on the same window? */
static bool same_piece(const pair *p)
{
    const double tol = 1e-12 * (p->t1 - p->t0);

    return p->a->pieces == 1 && p->b->pieces == 1 &&
           fabs(p->a->knot[0] - p->b->knot[0]) <= tol &&
           fabs(p->a->knot[1] - p->b->knot[1]) <= tol;
}

/* The difference of such pieces, component by component. */
static void peaks_of_difference(const pair *w, double *out)
{
    const int a = w->a->degree[0], b = w->b->degree[0], most = a > b ? a : b;
    const size_t dim = (size_t)w->a->dim;

    for (size_t c = 0; c < dim; c++) {
        double p[ROWS];
        for (int k = 0; k <= most; k++) {
            p[k] = k <= a ? w->a->coef[(size_t)k * dim + c] : 0.0;
            p[k] -= k <= b ? w->b->coef[(size_t)k * dim + c] : 0.0;
        }
        out[c] = peak_of(p, most, 0.0);
    }
}

/* The block of `dim` components that begins at `first`. */
static block block_at(int first, int dim)
{
    const int rest = dim - first;
    return (block){ .first = first, .lanes = rest < LANES ? rest : LANES };
}

yoke_status yk_wave_distance(const yk_wave *a, const yk_wave *b, double *out,
                             yoke_err *err)
{
    pair p;

    YK_TRY(make_pair(a, b, &p, err));
    if (!b) {
        peaks(a, out);
        return YOKE_OK;
    }
    if (same_piece(&p)) {
        peaks_of_difference(&p, out);
        return YOKE_OK;
    }
    for (int first = 0; first < a->dim; first += LANES) {
        block now = block_at(first, a->dim);
        block_norm(&p, &now);
        for (int c = 0; c < now.lanes; c++) out[first + c] = now.result[c];
    }
    return YOKE_OK;
}
