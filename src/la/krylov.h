/* la/krylov.h -- GMRES without restart for a linear map that is given by what it
 * does: B x = b, in the Euclidean norm.
 *
 * A restart would lose what was learnt about the map; vectors are kept until the
 * next solve, and their room for ever.
 * Reference: Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856.
 */
#ifndef YK_KRYLOV_H
#define YK_KRYLOV_H

#include "base/base.h"

typedef struct yk_krylov yk_krylov;

/* At most `most` vectors. */
yoke_status yk_krylov_create(yk_krylov **out, int most, yoke_err *err);
void yk_krylov_free(yk_krylov *k); /* accepts NULL */

/* out = B v. */
typedef yoke_status yk_krylov_map(void *self, const double *v, double *out,
                                  yoke_err *err);

typedef struct yk_krylov_problem {
    size_t n;
    const double *b;
    yk_krylov_map *map;
    void *self;
    const double *first; /* B b, if it is known; NULL: it is not */
    double limit;        /* |b - B x| is small enough */
    int most;            /* products, and no more than vectors */
} yk_krylov_problem;

/* x[n] by the fewest products; *count of them, *rest is |b - B x|. */
yoke_status yk_krylov_solve(yk_krylov *k, const yk_krylov_problem *problem,
                            double *x, int *count, double *rest, yoke_err *err);

#endif
