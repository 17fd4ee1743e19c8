/* step/control.h -- the step size of adaptive methods. */
#ifndef YK_CONTROL_H
#define YK_CONTROL_H

#include <stdbool.h>

typedef struct yk_control {
    int order;               /* the error estimate behaves like h^(order + 1) */
    bool steady;             /* it changes rarely */
    double h;                /* step proposed next; 0: none yet */
    double h_old, error_old; /* of the last accepted step; 0: none */
    bool rejected;           /* the last attempt failed */
} yk_control;

/* Forgets the past steps, keeps the proposal. */
void yk_control_restart(yk_control *c);

/* After a step of length h with error estimate <= 1.  effort: iterations per
 * permitted iterations of Newton's method. */
void yk_control_accept(yk_control *c, double h, double error, double effort);

/* After a step of length h with error estimate > 1, or one that had no
 * solution. */
void yk_control_reject(yk_control *c, double h, double error, double effort);
void yk_control_failed(yk_control *c, double h);

#endif
