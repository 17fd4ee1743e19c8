/* wave/waveform.h -- the inside of a waveform, for the files of this folder.
 *
 * Coefficient arrays are rows of components: row k holds the coefficients of
 * theta^k of all of them.
 */
#ifndef YK_WAVEFORM_H
#define YK_WAVEFORM_H

#include "base/base.h"
#include "wave/wave.h"

/* A waveform that takes part in a union of grids, and the piece of it that
 * covers the present interval.  `terms` is for yk_wave_combine. */
typedef struct yk_wave_source {
    const yk_wave *wave;
    int piece, degree, terms;
    double end; /* of the piece; INFINITY: it is the last one */
} yk_wave_source;

/* Scratch of sums of many waveforms (combine.c). */
typedef struct yk_wave_halves yk_wave_halves;
void yk_wave_halves_free(yk_wave_halves *halves); /* accepts NULL */

/* No number in it is infinite or NaN. */
struct yk_wave {
    int dim, pieces;
    double *knot;   /* pieces + 1 */
    int *degree;    /* pieces */
    size_t *offset; /* pieces + 1; piece i begins at coef[offset[i]] */
    double *coef;
    size_t knot_room, degree_room, offset_room, coef_room;

    yk_wave_source *source; /* scratch, kept so that later calls find it */
    double *work;
    size_t source_room, work_room;
    yk_wave_halves *halves;
};

static inline bool yk_wave_has_room(const yk_wave *w, size_t pieces,
                                    size_t coefs)
{
    return pieces < w->knot_room && pieces <= w->degree_room &&
           pieces < w->offset_room && coefs <= w->coef_room && w->coef_room > 0;
}

/* Room for that many pieces and coefficients in all. */
yoke_status yk_wave_room(yk_wave *w, size_t pieces, size_t coefs,
                         yoke_err *err);
yoke_status yk_wave_work(yk_wave *w, int rows, yoke_err *err);

/* A piece is added in three steps: yk_wave_start checks and makes room, the
 * caller fills the rows at *coef, yk_wave_finish refuses them or adds them. */
yoke_status yk_wave_start(yk_wave *w, double t1, int degree, double **coef,
                          yoke_err *err);
yoke_status yk_wave_finish(yk_wave *w, double t1, int degree, yoke_err *err);

/* Refuse, with the values: rows that are not finite (YOKE_RETRY), a waveform with no piece, two of different dim. */
yoke_status yk_check_rows(const double *coef, int degree, int dim,
                          yoke_err *err);
yoke_status yk_check_filled(const yk_wave *w, const char *name, yoke_err *err);
yoke_status yk_check_dims(const yk_wave *a, const yk_wave *b, yoke_err *err);

/* The piece that ends at or contains t; with `right`, begins at or contains. */
int yk_wave_piece(const yk_wave *w, double t, bool right, int *cursor);

/* Value and derivative at t of the polynomial of piece i. */
void yk_piece_eval(const yk_wave *w, int i, double t, double *value);
void yk_piece_dot(const yk_wave *w, int i, double t, int order, double *value);

/* Rows of values become rows of coefficients, in place: values at degree + 1
 * equidistant points; (left, left', right, right') over a piece of length h. */
void yk_rows_from_samples(double *row, int degree, int dim);
void yk_rows_from_hermite(double *row, double h, int dim);

/* p(theta) becomes p(alpha + beta theta), in place, for n components in rows
 * `stride` apart. */
void yk_rows_shift(double *row, int degree, int n, int stride, double alpha,
                   double beta);

/* The union of the grids of `count` sources over [t0, t1].  Each call of next
 * moves to the following interval [a, b], until false.  The inner knots of the
 * sources count; knots closer than `tol` are one, at the place of the first. */
typedef struct yk_wave_merge {
    double a, b;
    int degree; /* largest of the sources' on [a, b] */
    double t1, tol;
    int count;
    yk_wave_source *source;
} yk_wave_merge;

void yk_merge_start(yk_wave_merge *m, double t0, double t1, int count,
                    yk_wave_source *source);
bool yk_merge_next(yk_wave_merge *m);

/* theta of the source's piece = alpha + beta theta of [a, b]; false if that is
 * the identity. */
bool yk_merge_map(const yk_wave_merge *m, const yk_wave_source *s,
                  double *alpha, double *beta);

#endif
