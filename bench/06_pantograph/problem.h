/* A pantograph moves along a catenary (Arnold, Guenther 2001, section 5).
 *
 * The plain pantograph has two masses.  The expensive one has an elastic frame
 * of many nodes with modal damping, whose matrices are full: what a flexible
 * body of a multibody program looks like to its integrator.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <yoke/yoke.h>

/* Evaluations of the pantograph's forces so far. */
typedef struct counter {
    long calls;
} counter;

/* One way to solve it.  `nodes` of the elastic frame; 0: two masses. */
typedef struct way {
    const char *name;
    int nodes;
    bool monolithic;
    const char *method; /* of the pantograph, or of everything */
    double step;        /* of that method; adaptive ones: 0 */
    double fine;        /* step of the catenary, apart; 0: 50 us */
    double rtol, atol;
    double window;   /* 0: chosen by work */
    int sweeps;      /* per window; 0: by the tolerance */
    int extrapolate; /* -1: chosen */
} way;

/* Apart, the catenary is solved by Stoermer's method. */
yoke_model *problem_model(const way *way, counter *count);
yoke_run_options problem_options(const way *way, double stop);

#endif
