/* wave/wave.h -- waveforms: piecewise polynomials in time, vector valued.
 *
 *     w(t) = sum_k  c[k] theta^k,   theta = (t - t_i) / (t_{i+1} - t_i),
 *
 * on each piece [t_i, t_{i+1}], with its own degree.  Neighbouring pieces need
 * not agree at their common knot: that is a jump.  Constant, linear and cubic
 * Hermite waveforms and the dense output of every stepper are of this form.
 *
 * A waveform keeps its memory when it is cleared: filling it again allocates
 * only when it outgrows what it had.
 */
#ifndef YK_WAVE_H
#define YK_WAVE_H

#include "yoke/status.h"

#include <stdbool.h>

#define YOKE_WAVE_MAX_DEGREE 7

typedef struct yk_wave yk_wave;

/* A waveform of `dim` components, dim >= 0, with no pieces. */
yoke_status yk_wave_create(yk_wave **out, int dim, yoke_err *err);
void yk_wave_free(yk_wave *w); /* accepts NULL */

/* Removes all pieces; the next one begins at t0. */
void yk_wave_clear(yk_wave *w, double t0);

/* Makes room for `pieces` pieces of `degree`, so that appending them does not
 * allocate. */
yoke_status yk_wave_reserve(yk_wave *w, int pieces, int degree, yoke_err *err);

/* Appends a piece from the current end to t1 > end.  coef[k * dim + c] is the
 * coefficient of theta^k of component c, k = 0 ... degree.  Copies.
 * Coefficients that are not finite are refused with YOKE_RETRY. */
yoke_status yk_wave_append(yk_wave *w, double t1, int degree,
                           const double *coef, yoke_err *err);

/* All pieces of another waveform, which begins where this one ends. */
yoke_status yk_wave_append_all(yk_wave *w, const yk_wave *from, yoke_err *err);

/* From values: constant; at both ends. */
yoke_status yk_wave_append_constant(yk_wave *w, double t1, const double *value,
                                    yoke_err *err);
yoke_status yk_wave_append_linear(yk_wave *w, double t1, const double *left,
                                  const double *right, yoke_err *err);

/* From values at degree + 1 equidistant points of the piece, ends included
 * (degree 0: one value).  value[k * dim + c]. */
yoke_status yk_wave_append_samples(yk_wave *w, double t1, int degree,
                                   const double *value, yoke_err *err);

int yk_wave_dim(const yk_wave *w);
int yk_wave_pieces(const yk_wave *w);
double yk_wave_begin(const yk_wave *w);
double yk_wave_end(const yk_wave *w);

/* Knot i, 0 <= i <= pieces. */
double yk_wave_knot(const yk_wave *w, int i);

/* Degree of piece i and its coefficients, borrowed until the next change. */
int yk_wave_degree(const yk_wave *w, int i);
const double *yk_wave_coef(const yk_wave *w, int i);

/* Value at t.  At a knot with a jump the value from the left; with
 * yk_wave_eval_right from the right.  Before the first and after the last
 * knot the end pieces continue.  `cursor` remembers the piece: for increasing t
 * the cost is amortised O(1).  It may be NULL; start it at 0.  The waveform
 * must have a piece. */
void yk_wave_eval(const yk_wave *w, double t, int *cursor, double *value);
void yk_wave_eval_right(const yk_wave *w, double t, int *cursor, double *value);

/* Time derivative of order `order` >= 1 at t, from the left. */
void yk_wave_eval_dot(const yk_wave *w, double t, int order, int *cursor,
                      double *value);

/* dst becomes a copy of src; both have the same dim. */
yoke_status yk_wave_copy(yk_wave *dst, const yk_wave *src, yoke_err *err);

/* True if knots, degrees and coefficients are the same bits. */
bool yk_wave_equal(const yk_wave *a, const yk_wave *b);

/* dst becomes src on [t0, t1], a part of its interval. */
yoke_status yk_wave_restrict(yk_wave *dst, const yk_wave *src, double t0,
                             double t1, yoke_err *err);

/* One term of a linear combination: `weight` times component `from` of `wave`
 * is added to component `to`. */
typedef struct yk_wave_term {
    const yk_wave *wave;
    int from, to;
    double weight;
} yk_wave_term;

/* dst = sum of terms, exact, on the union of the knots of the waves in them,
 * over [t0, t1].  Knots closer than 1e-12 times t1 - t0 are taken as one.
 * Components without a term are zero.  dst is none of the waves. */
yoke_status yk_wave_combine(yk_wave *dst, double t0, double t1, int terms,
                            const yk_wave_term *term, yoke_err *err);

/* a = (1 - omega) b + omega a on the grid of a (b is sampled there). */
yoke_status yk_wave_relax(yk_wave *a, const yk_wave *b, double omega,
                          yoke_err *err);

/* max over t of |a - b| in the common window, for each component: out[dim].
 * Taken over the union of the knots, both sides, and interior points of every
 * piece.  b may be NULL, meaning zero. */
yoke_status yk_wave_distance(const yk_wave *a, const yk_wave *b, double *out,
                             yoke_err *err);

#define YOKE_EXTRAPOLATE_MAX 5

/* dst = polynomial of `order`, at most that, on [end(src), t1], through src at
 * its end and at `order` earlier points, equidistant over the last `span` of
 * src (span <= 0: all of it); the first one is taken from inside the span if
 * src jumps there.  The end value is taken exactly. */
yoke_status yk_wave_extrapolate(yk_wave *dst, const yk_wave *src, double t1,
                                int order, double span, yoke_err *err);

/* By how much that may enlarge errors of src on its last `span`, in the maximum
 * norm, on an interval of `length`: the Lipschitz constant of the
 * extrapolation.  NAN: illegal arguments. */
double yk_wave_extrapolate_bound(int order, double span, double length);

#endif
