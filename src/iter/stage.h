/* iter/stage.h -- units as jobs of an executor: what runs at once, what it costs.
 *
 * Everything that is done unit by unit, and writes only to what belongs to the
 * unit, goes through here: solves of a stage, corrections along the steps,
 * guesses, acceptance.  What it costs is counted, not timed, so that the same run
 * makes the same decisions: residuals of the last solve times the price of one
 * (graph/cost.h).  Who runs what changes no result.
 */
#ifndef YK_ITER_STAGE_H
#define YK_ITER_STAGE_H

#include "iter/sweep.h"

/* One job for each of `count` units: job(context, unit). */
typedef struct yk_stage {
    int count;
    const int *unit; /* NULL: all of the plan */
    yk_job job;
    void *context;
    double share;   /* what it costs, in solves of the unit */
    bool sends;     /* others read what it made */
    bool exchanges; /* and an exchange with the worker of a closed part */
} yk_stage;

/* The message is that of the lowest place in `unit` (exec/exec.h). */
yoke_status yk_stage_run(yk_plan_state *plan, const yk_stage *stage,
                         yoke_err *err);

/* Solves of a stage, in segments: a unit that asks others (a constraint that
 * stays apart) runs by itself, where it is in the order. */
yoke_status yk_stage_solve(yk_plan_state *plan, const yk_stage *stage,
                           yoke_err *err);

/* Work of a unit so far, as a price. */
double yk_stage_work(const yk_unit *unit);

/* The solves of a stage are done: adds them to the work and the longest of them
 * to the critical path. */
void yk_stage_count(yk_plan_state *plan, int count, const int *unit);

#endif
