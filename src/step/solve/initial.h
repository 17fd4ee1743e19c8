/* step/solve/initial.h -- consistent values, at the start and after a jump. */
#ifndef YK_INITIAL_H
#define YK_INITIAL_H

#include "step/method.h"

/* Makes p->x consistent at p->t with the inputs p->u, index 1; sets p->q.
 * Starting from p->x; see yk_initial_values. */
yoke_status yk_initial(yk_problem *p, yoke_err *err);

/* For p->x after a jump of the inputs or of the equations at p->t: keeps the
 * charges p->q and solves for the unknowns.  What cannot be solved (higher
 * index) is left as it is. */
typedef struct yk_rejoin {
    yk_newton newton;
    double *x, *q, *f, *q0;
    double *u;        /* inputs behind the jump */
    int rates, *rate; /* rows whose charge depends on inputs alone */
    int index;        /* of the system; -2: not known yet */
    bool stale;       /* the last call left something as it was */
    bool told;        /* the message says which equations failed */
} yk_rejoin;

yoke_status yk_rejoin_create(yk_rejoin *rejoin, const yk_problem *p,
                             yoke_err *err);
void yk_rejoin_free(yk_rejoin *rejoin);
yoke_status yk_rejoin_solve(yk_rejoin *rejoin, yk_problem *p, yoke_err *err);

#endif
