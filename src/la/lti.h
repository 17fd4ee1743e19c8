/* la/lti.h -- implicit Runge-Kutta steps of d/dt (E x) = A x + f(t).
 *
 * Matrices and step are constant, so one factorisation serves all steps and
 * sweeps.  With D the inverse of the method's matrix, stages X and charges
 * e = E x,
 *
 *     (D/h (x) E - I (x) A) X = f + (D 1)/h (x) e
 *     e_new = (1 - b'D 1) e + sum_j (b'D)_j E X_j.
 *
 * A method can be fitted to omega: then it discretises exp(-omega t) x instead
 * of x (docs/methods/port-hamiltonian.md).
 */
#ifndef YK_LTI_H
#define YK_LTI_H

#include "la/lu.h"
#include "la/sparse.h"

enum { YK_RK_STAGES = 2 };

typedef struct yk_rk {
    const char *name;
    int stages, order;
    double c[YK_RK_STAGES], b[YK_RK_STAGES];
    double D[YK_RK_STAGES][YK_RK_STAGES];
} yk_rk;

/* implicit-midpoint, implicit-euler, radau3; NULL: there is none of this name.
 */
const yk_rk *yk_rk_find(const char *name);
extern const char yk_rk_names[]; /* the words, separated by spaces */

/* h times the largest mu for which d/dt - mu stays monotone on the grid, in the
 * norm with the weight exp(-2 omega t) at the stages. */
double yk_rk_monotone(const yk_rk *rk, double omega_h);

/* The least omega for that mu; INFINITY: the step is too long. */
double yk_rk_omega(const yk_rk *rk, double mu, double h);

typedef struct yk_lti {
    const yk_rk *rk;
    int n;
    double h, omega; /* omega: 0, or fitted to it */
    double d[YK_RK_STAGES][YK_RK_STAGES], old[YK_RK_STAGES], keep;
    double gain[YK_RK_STAGES];
    yk_sparse E, A, M;
    yk_lu *lu;
    double *sum; /* n */
    long factorizations, solves;
} yk_lti;

/* Copies the matrices. */
yoke_status yk_lti_create(yk_lti **out, const yk_rk *rk, double omega,
                          const yk_sparse *E, const yk_sparse *A,
                          yoke_err *err);
void yk_lti_free(yk_lti *lti); /* accepts NULL */

/* Factors for this step, unless it is that of the last call.  YOKE_RETRY:
 * singular, *column (which may be NULL) says where. */
yoke_status yk_lti_step_size(yk_lti *lti, double h, int *column, yoke_err *err);

/* f[stages * n] comes as the forces at the stages and becomes the stages; e[n]
 * moves to the end of the step. */
yoke_status yk_lti_step(yk_lti *lti, double *e, double *f, yoke_err *err);

#endif
