/* comp/fmu/exchange.h -- a model exchange FMU in a worker. */
#ifndef YK_FMU_EXCHANGE_H
#define YK_FMU_EXCHANGE_H

#include "comp/fmu/engine.h"
#include "yoke/optional.h"
#include "yoke/stepper.h"

/* Places of the Jacobians as the description has them, and how their values are
 * had: by directional derivatives (told), or by the differences of whoever
 * solves the system.  Columns of one colour have no row in common. */
typedef struct yk_fmu_jacobian {
    yoke_pattern *C, *G, *Cu, *Gu, *Hx, *Hu;
    bool told;
    yk_fmu_signal *column; /* states, then inputs */
    int colours;
    int *colour;       /* of the columns */
    unsigned *unknown; /* references of derivatives and outputs, */
    int unknowns;      /* so many variables with so many elements, */
    int rows, *row;    /* of each: derivative k, or n + output k */
    unsigned *known;   /* references of one colour, */
    int *known_at;     /* and variables */
    int *place;        /* of each variable: of its seeds; -1: none */
    bool *liar;        /* rows that depend on more than was said; NULL: none */
    double *seed, *out;
    size_t seed_room;
} yk_fmu_jacobian;

typedef struct yk_fmu_exchange {
    yk_fmu_engine e;
    int n, events;
    double *x, *nominal, *z, *sign;
    double next;              /* time event */
    yk_fmu_some smooth, held; /* inputs; held: change at events only */
    const char **state_name;
    yk_fmu_jacobian jacobian;
    yoke_stepper_options stepper;
    yoke_system *system;
    yk_propagator inner; /* ops NULL: not started */
} yk_fmu_exchange;

/* The FMU at this point. */
yoke_status yk_fmu_exchange_point(yk_fmu_exchange *s, double t, const double *x,
                                  const double *u, yoke_err *err);

/* Derivatives and outputs at a point: out[n + p]. */
yoke_status yk_fmu_exchange_evaluate(yk_fmu_exchange *s, double t,
                                     const double *x, const double *u,
                                     double *out, yoke_err *err);

/* Makes the patterns and colours, also once more. */
yoke_status yk_fmu_exchange_places(yk_fmu_exchange *s, yoke_err *err);
void yk_fmu_exchange_clear(yk_fmu_exchange *s);

/* Does it depend on what the description says alone?  Otherwise the patterns are
 * made once more (honest.c). */
yoke_status yk_fmu_exchange_verify(yk_fmu_exchange *s, double t0,
                                   const double *u0, yoke_err *err);

/* Which way to the Jacobians takes less time?  Measured at the start. */
void yk_fmu_exchange_weigh(yk_fmu_exchange *s, double t0, const double *u0);

/* As in yoke_system_ops. */
yoke_status yk_fmu_exchange_jacobian(void *self, double t, const double *x,
                                     const double *u, const yoke_jacobian *jac,
                                     yoke_err *err);

#endif
