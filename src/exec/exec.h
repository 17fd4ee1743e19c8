/* exec/exec.h -- runs the members of a stage.
 *
 * The iteration says which jobs may run at once; an executor runs them.  Jobs
 * touch different subsystems.  The result does not depend on the order, nor on
 * the number of threads:
 *
 *   - a job that failed so that a shorter window may help (a status above 0) does
 *     not keep the others from running, in no executor;
 *   - one that failed for good (below 0, or YOKE_STOPPED) does: of those with a
 *     higher index that are running some come to their end, and the others are
 *     told to stop (exec/gate.h) or never begin.  Those with a lower index run;
 *   - the failure that is returned is the one for good with the lowest index; if
 *     there is none, the one with the lowest index.
 */
#ifndef YK_EXEC_H
#define YK_EXEC_H

#include "exec/gate.h"
#include "yoke/status.h"

#include <stdbool.h>

typedef yoke_status (*yk_job)(void *context, int index, yoke_err *err);

/* Jobs 0 ... count - 1, as job(context, index). */
typedef struct yk_batch {
    int count;
    yk_job job;
    void *context;
    const double *price; /* of each: what it costs (graph/cost.h), a guess from
                            counts; NULL: all the same, and it pays */
    const bool *alone;   /* of each: not at once with others that are; NULL:
                            none is */
    const bool *away;    /* of each: it waits for another process; NULL: none */
    yk_gate *gate;       /* closed for jobs behind one that failed; or NULL */

    /* For exec/tasks.h.  Of each: a number that it has in other batches, too,
     * -1: it is shared by nobody; NULL: its index.  Bytes that others need of it when it is over; NULL:
     * none. */
    const int *who;
    double (*sends)(void *context, int index);
} yk_batch;

typedef struct yk_executor_ops {
    const char *kind;

    /* REQUIRED.  Runs a batch.  Called from inside a job it runs the jobs one
     * after the other. */
    yoke_status (*run)(void *self, const yk_batch *batch, yoke_err *err);

    int (*jobs)(const void *self); /* REQUIRED: how many may run at once. */
    void (*free)(void *self);      /* OPTIONAL */
} yk_executor_ops;

typedef struct yk_executor {
    const yk_executor_ops *ops;
    void *self;
} yk_executor;

/* One job after the other, in the calling thread. */
yk_executor yk_executor_serial(void);

/* `jobs` threads, the calling one among them; 0: one for each processor that
 * this process may use.  The others are made when a batch first pays, and sleep
 * when there is nothing to do.  Those that cannot be made are not missed. */
yoke_status yk_executor_threads(yk_executor *out, int jobs, yoke_err *err);
void yk_executor_free(yk_executor *executor); /* accepts an empty one */

/* What is no job of anybody, with all threads as helpers (base/crew.h). */
yoke_status yk_executor_help(const yk_executor *executor, yk_job job,
                             void *context, yoke_err *err);

/* A batch whose jobs one thread runs in their order. */
yoke_status yk_batch_in_order(const yk_batch *batch, yoke_err *err);

/* Processors that this process may use, at least 1. */
int yk_processors(void);

#endif
