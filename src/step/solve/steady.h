/* step/solve/steady.h -- the rest of a system: f(t, x, u) = 0, time held. */
#ifndef YK_STEADY_H
#define YK_STEADY_H

#include "yoke/system.h"

typedef enum yk_steady_end {
    YK_STEADY_FOUND,
    YK_STEADY_NONE, /* unknown `worst` keeps moving */
    YK_STEADY_MANY, /* found, but `worst` may have other values too */
    YK_STEADY_SLOW  /* given up; `worst` moves most */
} yk_steady_end;

typedef struct yk_steady {
    yk_steady_end end;
    int worst; /* an unknown; -1: none is known */
    int steps; /* pseudo-time steps, those repeated too */
} yk_steady;

/* From x on, which is consistent; x is the rest if it was found, and where the
 * search ended if not.  A status < 0: an equation cannot be evaluated at the
 * start, or memory is missing. */
yoke_status yk_steady_solve(yoke_system *system, double t, const double *u,
                            double *x, yk_steady *out, yoke_err *err);

#endif
