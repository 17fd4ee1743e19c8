/* comp/field/solve.h -- the static field for given fluxes or currents. */
#ifndef YK_FIELD_SOLVE_H
#define YK_FIELD_SOLVE_H

#include "comp/field/model.h"
#include "la/cholesky.h"

/* The last solution (a, i, phi) and, at a point near it, the factored tangent K
 * with W = K^-1 X, L = X'W = dphi/di and its inverse G. */
typedef struct yk_field_solver {
    yk_field_model model;
    yk_cholesky *tangent, *chord;
    double *value; /* of a matrix */
    double *a, *i, *phi, energy;
    double least; /* energy of a field that is as good as none */
    double *W, *L, *G;
    double *W_chord, *L_chord; /* K(a)^-1 X, X'K(a)^-1 X; at `a` if valid */
    bool chord_valid;
    double moved; /* of `a` since the tangent was factored, relative; INFINITY:
                     it never was */
    double *force, *step, *trial, *di, *gap;
    long factorizations, solves;
} yk_field_solver;

yoke_status yk_field_solver_create(yk_field_solver **out, const yk_field *given,
                                   yoke_err *err);
void yk_field_solver_free(yk_field_solver *solver); /* accepts NULL */

/* s->a, s->i, s->phi, s->energy for phi[m], or for i[m].  Starts from the last
 * solution.  YOKE_RETRY: not found. */
yoke_status yk_field_solve_flux(yk_field_solver *s, const double *phi,
                                yoke_err *err);
yoke_status yk_field_solve_current(yk_field_solver *s, const double *i,
                                   yoke_err *err);

/* The tangent at the solution: W, L, G, to this relative accuracy. */
yoke_status yk_field_tangent(yk_field_solver *s, double accuracy,
                             yoke_err *err);

/* W_chord and L_chord at the solution. */
yoke_status yk_field_chord(yk_field_solver *s, yoke_err *err);

#endif
