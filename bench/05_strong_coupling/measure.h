/* measure.h -- one problem solved, and compared with its exact solution. */
#ifndef MEASURE_H
#define MEASURE_H

#include "problem.h"

/* Differential unknowns; everything else: algebraic unknowns, outputs,
 * multipliers. */
enum { OF_STATES, OF_OTHERS, KINDS };

typedef struct outcome {
    yoke_status status;
    bool converged;
    char text[YOKE_ERR_SIZE];
    yoke_run_result result;
    double error[KINDS]; /* largest |error| / (atol + rtol max |exact|) */
    char worst[KINDS][64];
    double worst_at[KINDS];
} outcome;

typedef struct verdict {
    outcome coupled, whole; /* whole: the monolithic run */
    bool failed;            /* the coupled run did not reach the end */
    bool wrong;   /* it did, with errors more than 10 times too large */
    bool unknown; /* the monolithic run failed: errors are compared with the
                     tolerance alone */
} verdict;

/* Defaults but for stop, rtol 1e-8, atol 1e-10, the schedule, and `given` where
 * the index needs it. */
yoke_run_options measure_options(const problem *p);

/* First the monolithic run with the same options, then the coupled one; `log`:
 * every sweep of it is printed. */
outcome measure_whole(problem *p, const yoke_run_options *options);
verdict measure(problem *p, const yoke_run_options *options,
                const outcome *whole, bool log);

#endif
