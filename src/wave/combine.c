/* wave/combine.c -- unions of grids, polynomials on parts of their pieces.
 *
 * On a part [a, b] of a piece [p, q] the polynomial is the same, only its
 * variable changes:
 *
 *     theta = alpha + beta s,   alpha = (a - p)/(q - p),
 *                               beta  = (b - a)/(q - p)
 *
 * with s in [0, 1] on [a, b].  Repeated synthetic division by theta - alpha
 * (Shaw and Traub) gives the new coefficients, so a linear combination of
 * waveforms on different grids is again a waveform, up to rounding.
 *
 * Limits: a piece far longer than [a, b] keeps its rounding errors relative to
 * its own coefficients; an end piece continued far beyond its knots amplifies
 * them by alpha^degree.
 */
#include "wave/waveform.h"

#include "base/finite.h"

#include <math.h>
#include <string.h>

void yk_rows_shift(double *row, int degree, int n, int stride, double alpha,
                   double beta)
{
    double scale = beta;

    for (int i = 0; i < degree; i++)
        for (int k = degree - 1; k >= i; k--) {
            double *restrict low = row + (size_t)k * (size_t)stride;
            const double *restrict high = low + stride;
            for (int c = 0; c < n; c++) low[c] += alpha * high[c];
        }
    for (int k = 1; k <= degree; k++, scale *= beta) {
        double *low = row + (size_t)k * (size_t)stride;
        for (int c = 0; c < n; c++) low[c] *= scale;
    }
}

/* The same for one polynomial. */
static void shift_one(double *c, int degree, double alpha, double beta)
{
    double scale = beta;

    for (int i = 0; i < degree; i++)
        for (int k = degree - 1; k >= i; k--) c[k] += alpha * c[k + 1];
    for (int k = 1; k <= degree; k++, scale *= beta) c[k] *= scale;
}

/* ---- Union of grids ------------------------------------------------------ */

static void enter(yk_wave_source *s, int piece)
{
    const yk_wave *w = s->wave;

    s->piece = piece;
    s->degree = w->degree[piece];
    s->end = piece < w->pieces - 1 ? w->knot[piece + 1] : INFINITY;
}

void yk_merge_start(yk_wave_merge *m, double t0, double t1, int count,
                    yk_wave_source *source)
{
    *m = (yk_wave_merge){ .a = t0,
                          .b = t0,
                          .t1 = t1,
                          .tol = 1e-12 * (t1 - t0),
                          .count = count,
                          .source = source };
    for (int i = 0; i < count; i++)
        enter(&source[i], yk_wave_piece(source[i].wave, t0, true, NULL));
}

/* Each source moves to its last piece that begins at `a` or before; so a piece
 * shorter than tol is passed over. */
bool yk_merge_next(yk_wave_merge *m)
{
    double next = m->t1;

    if (m->b >= m->t1) return false;
    m->a = m->b;
    m->degree = 0;
    for (int i = 0; i < m->count; i++) {
        yk_wave_source *s = &m->source[i];
        while (s->end <= m->a + m->tol) enter(s, s->piece + 1);
        if (s->end < next) next = s->end;
        if (s->degree > m->degree) m->degree = s->degree;
    }
    m->b = next < m->t1 - m->tol ? next : m->t1;
    return true;
}

/* Knots that count as one are moved onto the common knot, so that a jump stays
 * a jump there and nothing overshoots beside it. */
bool yk_merge_map(const yk_wave_merge *m, const yk_wave_source *s,
                  double *alpha, double *beta)
{
    const double p = s->wave->knot[s->piece], q = s->wave->knot[s->piece + 1];
    double left = 0.0, right = 1.0;

    if (fabs(m->a - p) > m->tol) left = (m->a - p) / (q - p);
    if (fabs(m->b - q) > m->tol) right = (m->b - p) / (q - p);
    *alpha = left;
    *beta = right - left;
    return left != 0.0 || right != 1.0;
}

/* ---- Linear combinations ------------------------------------------------- */

static yoke_status check_term(const yk_wave *dst, const yk_wave_term *term,
                              yoke_err *err)
{
    if (term->wave == dst)
        return yk_fail(err, YOKE_E_ARG, "the result is one of the waveforms");
    YK_TRY(yk_check_filled(term->wave, "of the term", err));
    if (term->from < 0 || term->from >= term->wave->dim)
        return yk_fail(err, YOKE_E_ARG, "from = %d is not between 0 and %d",
                       term->from, term->wave->dim - 1);
    if (term->to < 0 || term->to >= dst->dim)
        return yk_fail(err, YOKE_E_ARG, "to = %d is not between 0 and %d",
                       term->to, dst->dim - 1);
    if (!isfinite(term->weight))
        return yk_fail(err, YOKE_E_ARG, "weight = %g is not finite",
                       term->weight);
    return YOKE_OK;
}

static bool is_good(const yk_wave *dst, const yk_wave_term *term)
{
    return term->wave != dst && term->wave->pieces > 0 && term->from >= 0 &&
           term->from < term->wave->dim && term->to >= 0 &&
           term->to < dst->dim && isfinite(term->weight);
}

static yoke_status check_combine(const yk_wave *dst, double t0, double t1,
                                 int terms, const yk_wave_term *term,
                                 yoke_err *err)
{
    if (!(t1 > t0) || !isfinite(t1 - t0))
        return yk_fail(err, YOKE_E_ARG,
                       "[t0, t1] = [%.17g, %.17g] is not a finite interval "
                       "with t1 > t0",
                       t0, t1);
    if (terms < 0)
        return yk_fail(err, YOKE_E_ARG, "terms = %d is not 0 or more", terms);
    for (int i = 0; i < terms; i++) {
        if (is_good(dst, &term[i])) continue;
        const yoke_status status = check_term(dst, &term[i], err);
        yk_prefix(err, "term %d", i);
        return status;
    }
    return YOKE_OK;
}

static bool continues_run(const yk_wave_term *term, int i)
{
    return i > 0 && term[i].wave == term[i - 1].wave;
}

/* Terms of one waveform that follow one another share a source. */
static yoke_status gather_sources(yk_wave *dst, int terms,
                                  const yk_wave_term *term, int *count,
                                  yoke_err *err)
{
    int runs = 0;

    for (int i = 0; i < terms; i++) runs += !continues_run(term, i);
    *count = runs;
    YK_TRY(YK_GROW(&dst->source, &dst->source_room, runs, err));
    yk_wave_source *s = dst->source;
    for (int i = 0; i < terms; i++) {
        if (continues_run(term, i))
            s[-1].terms++;
        else
            *s++ = (yk_wave_source){ .wave = term[i].wave, .terms = 1 };
    }
    return YOKE_OK;
}

/* Adds the terms of one source to the rows of the present interval. */
static inline void add_terms(double *row, int dim, const yk_wave_merge *m,
                             const yk_wave_source *s, const yk_wave_term *term)
{
    const int degree = s->degree;
    const size_t stride = (size_t)s->wave->dim;
    const double *coef = s->wave->coef + s->wave->offset[s->piece];
    double alpha, beta, c[YOKE_WAVE_MAX_DEGREE + 1];
    const bool shifted = yk_merge_map(m, s, &alpha, &beta);

    for (int i = 0; i < s->terms; i++) {
        const double weight = term[i].weight;
        double *const to = row + term[i].to;
        for (int k = 0; k <= degree; k++)
            c[k] = coef[(size_t)k * stride + (size_t)term[i].from];
        if (shifted) shift_one(c, degree, alpha, beta);
        for (int k = 0; k <= degree; k++)
            to[(size_t)k * (size_t)dim] += weight * c[k];
    }
}

/* The room is there; the numbers are looked at when all pieces are. */
static void add_interval(yk_wave *dst, const yk_wave_merge *m,
                         const yk_wave_term *term)
{
    const int piece = dst->pieces++;
    double *const row = dst->coef + dst->offset[piece];
    const size_t count = (size_t)(m->degree + 1) * (size_t)dst->dim;

    dst->degree[piece] = m->degree;
    dst->knot[piece + 1] = m->b;
    dst->offset[piece + 1] = dst->offset[piece] + count;
    for (size_t i = 0; i < count; i++) row[i] = 0.0;
    for (int i = 0; i < m->count; i++) {
        add_terms(row, dst->dim, m, &m->source[i], term);
        term += m->source[i].terms;
    }
}

static yoke_status check_finite(yk_wave *w, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    if (yk_few_finite(w->coef, (int)w->offset[w->pieces], NULL)) return status;
    for (int i = 0; i < w->pieces && status == YOKE_OK; i++)
        status =
            yk_check_rows(w->coef + w->offset[i], w->degree[i], w->dim, err);
    yk_wave_clear(w, w->knot[0]);
    return status;
}

/* Room for the union of the grids in dst, which is not touched otherwise.  What
 * all pieces together would take is there in most windows; if not the union is
 * walked. */
static yoke_status make_room(yk_wave *dst, double t0, double t1, int count,
                             yoke_err *err)
{
    const size_t most = YOKE_WAVE_MAX_DEGREE + 1;
    size_t pieces = 1, rows = 0;
    yk_wave_merge m;

    for (int i = 0; i < count; i++)
        pieces += (size_t)dst->source[i].wave->pieces - 1;
    if (yk_wave_has_room(dst, pieces, pieces * most * (size_t)dst->dim))
        return YOKE_OK;
    yk_merge_start(&m, t0, t1, count, dst->source);
    for (pieces = 0; yk_merge_next(&m); pieces++) rows += (size_t)m.degree + 1;
    return yk_wave_room(dst, pieces, rows * (size_t)dst->dim, err);
}

/* The largest degree of waveforms of one piece each, or -1: one has more. */
static int degree_of_single(int terms, const yk_wave_term *term)
{
    int degree = 0;

    for (int i = 0; i < terms; i++) {
        const yk_wave *const w = term[i].wave;
        if (w->pieces > 1) return -1;
        if (w->degree[0] > degree) degree = w->degree[0];
    }
    return degree;
}

/* Their sum has one piece, too: there is no union to be found. */
static yoke_status combine_single(yk_wave *dst, double t0, double t1,
                                  int degree, int terms,
                                  const yk_wave_term *term, yoke_err *err)
{
    const size_t count = (size_t)(degree + 1) * (size_t)dst->dim;
    const yk_wave_merge m = {
        .a = t0, .b = t1, .t1 = t1, .tol = 1e-12 * (t1 - t0)
    };

    YK_TRY(yk_wave_room(dst, 1, count, err));
    dst->pieces = 1;
    dst->knot[0] = t0;
    dst->knot[1] = t1;
    dst->offset[0] = 0;
    dst->offset[1] = count;
    dst->degree[0] = degree;
    for (size_t i = 0; i < count; i++) dst->coef[i] = 0.0;
    for (int i = 0; i < terms; i++) {
        const yk_wave *const w = term[i].wave;
        const yk_wave_source s = { .wave = w,
                                   .degree = w->degree[0],
                                   .terms = 1 };
        add_terms(dst->coef, dst->dim, &m, &s, &term[i]);
    }
    return check_finite(dst, err);
}

static yoke_status combine_at_once(yk_wave *dst, double t0, double t1,
                                   int terms, const yk_wave_term *term,
                                   yoke_err *err)
{
    const int degree = degree_of_single(terms, term);
    int count = 0;
    yk_wave_merge m;

    if (degree >= 0)
        return combine_single(dst, t0, t1, degree, terms, term, err);
    YK_TRY(gather_sources(dst, terms, term, &count, err));
    YK_TRY(make_room(dst, t0, t1, count, err));
    yk_wave_clear(dst, t0);
    yk_merge_start(&m, t0, t1, count, dst->source);
    while (yk_merge_next(&m)) add_interval(dst, &m, term);
    return check_finite(dst, err);
}

/* ---- Sums of many -------------------------------------------------------- */

/* Every interval of the union looks at every term, so n waveforms of k pieces
 * cost n^2 k.  Two halves added one to the other, and each in the same way,
 * cost n k log n; no term is taken off again, so rounding is not worse. */

/* Terms that are added at once; twice or half as many cost the same. */
enum { FEW_TERMS = 8 };

/* The two halves of each level, and what adds them. */
struct yk_wave_halves {
    yk_wave **wave;
    int waves;
    size_t wave_room;
    yk_wave_term *term; /* 2 dim */
};

void yk_wave_halves_free(yk_wave_halves *h)
{
    if (!h) return;
    for (int k = 0; k < h->waves; k++) yk_wave_free(h->wave[k]);
    YK_FREE(h->wave, h->term, h);
}

static yoke_status make_level(yk_wave *dst, int level, yoke_err *err)
{
    if (!dst->halves) YK_TRY(YK_NEW(&dst->halves, 1, err));
    yk_wave_halves *h = dst->halves;
    if (!h->term) YK_TRY(YK_NEW(&h->term, 2 * dst->dim, err));
    YK_TRY(YK_GROW(&h->wave, &h->wave_room, 2 * (size_t)level + 2, err));
    while (h->waves < 2 * level + 2) {
        YK_TRY(yk_wave_create(&h->wave[h->waves], dst->dim, err));
        h->waves++;
    }
    return YOKE_OK;
}

/* Into `out`, which is dst or one of its halves. */
static yoke_status add_halves(yk_wave *dst, yk_wave *out, int level, double t0,
                              double t1, int terms, const yk_wave_term *term,
                              yoke_err *err)
{
    int middle = terms / 2;

    while (middle < terms && continues_run(term, middle)) middle++;
    if (terms <= FEW_TERMS || middle == terms)
        return combine_at_once(out, t0, t1, terms, term, err);
    YK_TRY(make_level(dst, level, err));
    for (int side = 0; side < 2; side++)
        YK_TRY(add_halves(dst, dst->halves->wave[2 * level + side], level + 1,
                          t0, t1, side ? terms - middle : middle,
                          side ? term + middle : term, err));
    yk_wave_term *both = dst->halves->term;
    for (int k = 0; k < 2 * dst->dim; k++)
        both[k] = (yk_wave_term){
            .wave = dst->halves->wave[2 * level + (k >= dst->dim)],
            .from = k % dst->dim,
            .to = k % dst->dim,
            .weight = 1.0,
        };
    return combine_at_once(out, t0, t1, 2 * dst->dim, both, err);
}

yoke_status yk_wave_combine(yk_wave *dst, double t0, double t1, int terms,
                            const yk_wave_term *term, yoke_err *err)
{
    YK_TRY(check_combine(dst, t0, t1, terms, term, err));
    if (terms <= FEW_TERMS * (dst->dim + 1))
        return combine_at_once(dst, t0, t1, terms, term, err);
    return add_halves(dst, dst, 0, t0, t1, terms, term, err);
}

/* ---- Part of a waveform -------------------------------------------------- */

/* Piece i of w, whose interval was [p, q], now stands for [a, b]. */
static yoke_status shrink_piece(yk_wave *w, int i, double p, double q, double a,
                                double b, yoke_err *err)
{
    const double alpha = (a - p) / (q - p), right = (b - p) / (q - p);
    double *row = w->coef + w->offset[i];

    if (alpha == 0.0 && right == 1.0) return YOKE_OK;
    yk_rows_shift(row, w->degree[i], w->dim, w->dim, alpha, right - alpha);
    return yk_check_rows(row, w->degree[i], w->dim, err);
}

/* Moves pieces first ... first + n - 1 of src to the front of dst, which may
 * be src. */
static void move_pieces(yk_wave *dst, const yk_wave *src, int first, int n)
{
    const size_t from = src->offset[first], to = src->offset[first + n];

    memmove(dst->coef, src->coef + from, (to - from) * sizeof *dst->coef);
    memmove(dst->degree, src->degree + first, (size_t)n * sizeof *dst->degree);
    memmove(dst->knot, src->knot + first, ((size_t)n + 1) * sizeof *dst->knot);
    for (int i = 0; i <= n; i++) dst->offset[i] = src->offset[first + i] - from;
    dst->pieces = n;
}

yoke_status yk_wave_restrict(yk_wave *dst, const yk_wave *src, double t0,
                             double t1, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    YK_TRY(yk_check_dims(dst, src, err));
    YK_TRY(yk_check_filled(src, "src", err));
    const double begin = yk_wave_begin(src), end = yk_wave_end(src);
    if (!(t0 >= begin && t0 < t1 && t1 <= end))
        return yk_fail(err, YOKE_E_ARG,
                       "[t0, t1] = [%.17g, %.17g] is not a part of "
                       "[%.17g, %.17g]",
                       t0, t1, begin, end);
    const int first = yk_wave_piece(src, t0, true, NULL);
    const int n = yk_wave_piece(src, t1, false, NULL) - first + 1;
    YK_TRY(yk_wave_room(dst, (size_t)n,
                        src->offset[first + n] - src->offset[first], err));

    move_pieces(dst, src, first, n);
    double *knot = dst->knot;
    const double p = knot[0], q = knot[n];
    knot[0] = t0;
    knot[n] = t1;
    if (n == 1) {
        YK_GO(shrink_piece(dst, 0, p, q, t0, t1, err));
    } else {
        const double l = knot[1], r = knot[n - 1];
        YK_GO(shrink_piece(dst, 0, p, l, t0, l, err));
        YK_GO(shrink_piece(dst, n - 1, r, q, r, t1, err));
    }

done:
    if (status != YOKE_OK) yk_wave_clear(dst, t0);
    return status;
}
