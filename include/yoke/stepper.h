/* yoke/stepper.h -- time stepping methods: from a system to a propagator.
 *
 *   euler, midpoint, heun, rk4     explicit Runge-Kutta, fixed step
 *   stormer                        leapfrog for second-order systems, fixed
 *                                  step
 *   implicit-euler, trapezoidal    fixed step
 *   bdf1 ... bdf6                  fixed step, started by Radau IIA
 *   trbdf2                         adaptive, order 2, L-stable
 *   genalpha                       generalised-alpha, adaptive, order 2
 *   radau5                         adaptive, order 5, L-stable
 *   ida                            SUNDIALS IDA: adaptive, variable order
 *
 * Explicit methods on systems with algebraic equations are half-explicit: the
 * charges are advanced explicitly and the algebraic equations solved at every
 * stage.
 */
#ifndef YOKE_STEPPER_H
#define YOKE_STEPPER_H

#include "yoke/event.h"
#include "yoke/system.h"

YOKE_BEGIN_C

/* How outputs are represented between the points of the time grid. */
typedef enum yoke_dense {
    YOKE_DENSE_NATURAL, /* the method's own: linear for fixed steps of order 1
                           and 2, quadratic for stormer (accelerations linear)
                           trbdf2 and genalpha, Hermite for rk4, the
                           collocation polynomial for radau5, degree k for bdf
                           of order k, that of its order for ida */
    YOKE_DENSE_CONSTANT,
    YOKE_DENSE_LINEAR,
    YOKE_DENSE_CUBIC,
    YOKE_DENSE_SPLINE, /* the cubic spline through the points of the grid of a
                          window, between events: smooth waveforms of a
                          subsystem with long steps for one with short ones */
    YOKE_DENSE_STAGES  /* rk4, stormer: from the stages of the step alone; the
                          algebraic unknowns (accelerations) as the derivative of
                          the method's polynomial */
} yoke_dense;

typedef struct yoke_stepper_options {
    char method[32];
    double step;     /* fixed methods: largest step; each window, and each part
                        between breakpoints, is divided into equal steps.
                        Adaptive ones: first step.  0: not given */
    int steps;       /* fixed methods: steps per window; 0: use `step` */
    double rtol;     /* adaptive methods: relative tolerance per step */
    double atol;     /* the same, absolute, times the nominal value */
    double min_step; /* adaptive methods; 0: by rounding */
    double max_step; /* adaptive methods; 0: none */
    double newton;   /* Newton's tolerance: fixed methods, on the change of x
                        relative to atol + rtol |x| = 1; 0: by the method */
    int max_newton;  /* Newton iterations per stage before the step fails */
    double rho;      /* genalpha: spectral radius for infinite steps */
    yoke_dense dense;
    bool given;    /* true: initial values are taken as given, without making
                    them consistent (index 2 and more) */
    bool latent;   /* true: in systems that tell their cells, those at rest are
                    not solved */
    double turns;  /* of a free oscillation, half periods whose errors together
                    fit into the tolerance: if it is to have more, those of its
                    steps are held to a smaller part.  0: it is not looked for */
    char host[32]; /* the machine that it is to be solved on, by programs that
                      use several (yoke-mpi); empty: any */
    bool warm;     /* true: keep the last sweep's waveform of x as Newton's
                    guess and its grid for the next sweep */

    /* Length of the run, which a run puts here: systems that are not
     * YOKE_TIMELESS get steps of at most 1/54 of it.  0: not known, and a short
     * pulse in time may be stepped over. */
    double span;

    /* Inputs of a system with events, m: how they jump at events of others,
     * which a run puts here; NULL: nothing is known.  Where a waveform is not
     * enough a sweep ends with YOKE_JOIN, and join[k] says which input it was;
     * NULL: then the value from the right is taken.  Both are borrowed. */
    const yoke_input_facts *inputs;
    bool *join;

    /* Asked between two steps; true ends the sweep with YOKE_STOPPED.  A run
     * puts that of its watcher here.  NULL: never. */
    bool (*stop)(void *context);
    void *stop_context; /* borrowed */
} yoke_stepper_options;

YOKE_API yoke_stepper_options yoke_stepper_defaults(void);

/* Sets one option from text, `name` being a field above; refuses what is
 * outside its range with the name, the value and the range. */
YOKE_API yoke_status yoke_stepper_set(yoke_stepper_options *options,
                                      const char *name, const char *value,
                                      yoke_err *err);

/* Name and one line of text of method i, or false at the end of the list. */
YOKE_API bool yoke_stepper_list(int i, const char **name, const char **text);

/* True for a method with fixed steps, false for an adaptive or unknown one. */
YOKE_API bool yoke_stepper_is_fixed(const char *method);

YOKE_END_C

#endif
