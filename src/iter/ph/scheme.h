/* iter/ph/scheme.h -- sweeps over one window of coupled port-Hamiltonian systems
 * until their proven error is small: the loop of all schemes.
 *
 * A scheme is a fixed point iteration on a window of a uniform grid
 * (iter/ph/window.h) that contracts by `rate` in a norm with the weight
 * exp(-2 omega t).  The change d of a sweep bounds the error of what it was made
 * from in that norm by d / (1 - rate), and without the weight by
 *
 *     exp(omega T) d / (1 - rate).
 *
 * The stages of the sweep were made from it, so this is their error too, times
 * what a block makes of the error of its inputs.
 */
#ifndef YK_PH_SCHEME_H
#define YK_PH_SCHEME_H

#include "iter/ph/window.h"
#include "yoke/iterate.h"

/* change: without weights, over the tolerance; estimate: the bound, over the
 * tolerance; the variables are the change with and without weights. */
typedef yoke_sweep yk_wave_sweep;

/* What is asked of a sweep before the window ends. */
typedef struct yk_wave_test {
    double rtol, atol, fraction;
    int max_sweeps;
    yoke_stop stop;
    /* OPTIONAL: every sweep; true stops. */
    bool (*watch)(void *context, const yk_wave_sweep *sweep);
    void *context;
} yk_wave_test;

typedef struct yk_wave_result {
    int sweeps;
    double bound;    /* of the last sweep */
    double last;     /* plain change of the last sweep / tolerance */
    double rate;     /* largest measured ratio of changes */
    double promised; /* sweeps at most, by the first change and the rate */
    bool converged;
} yk_wave_result;

/* Between two sweeps. */
typedef struct yk_scheme_turn {
    double limit; /* residual that is enough for the next sweep */
    int most;     /* sweeps in all */
    int sweeps;   /* so far */
    bool go_on;   /* another one follows */
} yk_scheme_turn;

typedef struct yk_scheme {
    const yk_window *window;
    double omega, rate; /* of the contraction */
    bool plain;         /* each sweep begins with what the last one made, so a
                           rate is measured, and one is promised */

    /* Norms of the last change, of the newest iterate, and of all ones. */
    void *iterate;
    double (*change)(void *iterate, double omega);
    double (*size)(void *iterate, double omega);
    double (*unit)(void *iterate);

    /* One sweep; adds the number of sweeps that it is.  What the next sweep
     * begins with, also after the last one (OPTIONAL); sets go_on to false where
     * more sweeps do not help. */
    void *solver;
    yoke_status (*sweep)(void *solver, int *sweeps, yoke_err *err);
    yoke_status (*next)(void *solver, yk_scheme_turn *turn, yoke_err *err);
} yk_scheme;

yoke_status yk_scheme_iterate(const yk_scheme *scheme, const yk_wave_test *test,
                              yk_wave_result *out, yoke_err *err);

#endif
