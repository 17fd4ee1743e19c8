/* sys/unstable.h -- is a rest unstable?
 *
 * Near a rest x0 a solution is x0 + sum of a_k v_k e^(mu_k t) with
 *
 *     (mu_k C + G) v_k = 0.
 *
 * Modes with Re mu > 0 grow from any disturbance.  Implicit steps that are
 * longer than 1/mu damp them instead and hide them, so they must be searched.
 */
#ifndef YK_UNSTABLE_H
#define YK_UNSTABLE_H

#include "base/base.h"
#include "yoke/system.h"

typedef struct yk_unstable_rest {
    int n;
    const yoke_pattern *C_pattern, *G_pattern;
    const double *C, *G;
    const double *size; /* n, > 0: of the unknowns, what counts as alike */
    double least, most; /* 1/s: growth that is looked for */
    bool quick;         /* a glance for every second decade, more only where
                           that tells something: a fifth of the work, a single
                           mode among hundreds may be missed */
    int from;           /* 1 + an unknown: modes that a disturbance of it
                           stirs; 0: any */
} yk_unstable_rest;

typedef struct yk_unstable_growth {
    double rate;  /* 1/s, Re mu; 0: nothing grows that was found */
    double turn;  /* rad/s, |Im mu| */
    int factored; /* matrices */
    int solves;
} yk_unstable_growth;

/* v[n]: the mode, max |v_i| / size_i = 1, the largest one positive; untouched
 * if there is none.  The modes that are found lie within a factor of a few of
 * one of the shifts least, 10 least, ... */
yoke_status yk_unstable_find(const yk_unstable_rest *rest,
                             yk_unstable_growth *out, double *v, yoke_err *err);

/* The same of a system that rests at (t, x); size[n] as above. */
yoke_status yk_unstable_at(yoke_system *system, double t, const double *x,
                           const double *size, double least, double most,
                           yk_unstable_growth *out, double *v, yoke_err *err);

#endif
