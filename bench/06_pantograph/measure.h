/* Runs a way, samples the contact force, counts and times. */
#ifndef MEASURE_H
#define MEASURE_H

#include "problem.h"

/* The contact force at the times n * 5e-5 s, n = 0 ... points - 1. */
typedef struct force {
    int points;
    double *value;
} force;

typedef struct outcome {
    bool finished;     /* false: it took longer than was permitted */
    double seconds;    /* to set up and run; the fastest of several times */
    double busy;       /* the same of the processor */
    long calls;        /* evaluations of the pantograph */
    long calls_set_up; /* those before the first step, not in `calls` */
    long calls_alone;  /* those of the oracle; 0: not measured */
    double overhead;   /* residuals over those of the oracle */
    yoke_run_result result;
    yoke_work pantograph; /* or of the only cluster */
    double rms, max;      /* error over the mean force; NAN: no reference */
    force force;
} outcome;

/* `reference` may be NULL; `replay`: measures the oracle too; `limit`: seconds
 * of the processor after which it is given up, 0: none. */
outcome measure(const way *way, double stop, const force *reference,
                bool replay, int repeats, double limit);
void outcome_free(outcome *outcome);

#endif
