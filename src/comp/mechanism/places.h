/* comp/mechanism/places.h -- the entries of a sparse matrix that a function
 * writes one after the other.
 *
 * The function calls yk_put in the same order each time.  The first time, while
 * recording, the places become the pattern; later the values go there.
 */
#ifndef YK_PLACES_H
#define YK_PLACES_H

#include "base/base.h"
#include "la/pattern.h"
#include "la/sparse.h"

/* Zero-initialise it. */
typedef struct yk_multibody_places {
    yoke_pattern *pattern; /* NULL while recording */
    int *at;               /* of each entry: its place in the pattern */
    int next;
    double *value; /* NULL: not wanted */
    yk_triplets recorded;
    yoke_status status; /* of recording */
} yk_multibody_places;

void yk_multibody_places_clear(yk_multibody_places *places);

/* Begin to write values, which come zeroed. */
void yk_multibody_places_begin(yk_multibody_places *places, double *value);

void yk_put(yk_multibody_places *places, int row, int col, double value);

/* Ends recording. */
yoke_status yk_multibody_places_end(yk_multibody_places *places, int rows,
                                    int cols, yoke_err *err);

#endif
