/* step/solve/slopes.h -- time derivatives and algebraic unknowns at a point. */
#ifndef YK_SLOPES_H
#define YK_SLOPES_H

#include "step/method.h"

/* Unknowns with places in their column of C are differential. */
typedef struct yk_slopes {
    bool *differential; /* n */
    yoke_pattern *pattern;
    double *value;
    yk_lu *lu;
    double *f, *r, *dz, *weight;
    double *old, *old_dot; /* where the increment dz begins */

    /* Few algebraic unknowns, unit charges: see slopes.c. */
    int few;        /* their number; 0: not so */
    int *unknown;   /* few: algebraic unknowns */
    int *row;       /* few: algebraic rows */
    int *charge_of; /* n: the unknown that is the charge of a row, or -1 */
    double *q;      /* n */
    double *column; /* few times n: df by a step of each of them */
    double *step;   /* few */
    yoke_pattern *full;
    double *block, *increment;
    yk_lu *small;
} yk_slopes;

yoke_status yk_slopes_create(yk_slopes *s, const yk_problem *p, yoke_err *err);
void yk_slopes_free(yk_slopes *s);

/* Solves
 *
 *     C(t, x, u) xdot + qdot + f(t, x, u) = 0
 *
 * for the derivatives of the differential unknowns and for the algebraic
 * unknowns, both starting from what is in xdot and x.  The derivatives of the
 * algebraic unknowns stay as they are.  qdot, the derivative of q with x held
 * fixed, may be NULL: zero.  YOKE_RETRY and p->singular if [C_d, G_a] is
 * singular. */
yoke_status yk_slopes_solve(yk_slopes *s, yk_problem *p, double t,
                            const double *qdot, double *x, double *xdot,
                            yoke_err *err);

/* q at x without an evaluation, if the last solve has shown that the charges
 * are unknowns; else false. */
bool yk_slopes_charges(const yk_slopes *s, int n, const double *x, double *q);

#endif
