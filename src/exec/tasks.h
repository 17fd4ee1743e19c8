/* exec/tasks.h -- the task graph of a run: what was done at once, how long it
 * took, what it sends.
 *
 * An executor that runs one job after the other and writes each to a file of
 * comma-separated values:
 *
 *     plan,stage,task,seconds,bytes,alone
 *
 * A stage is a batch.  Task -1 is what was done since the stage before by nobody
 * in particular.  Who is the same in two stages of a plan has the same number.
 * `bytes` go to all others when the stage is over.
 */
#ifndef YK_EXEC_TASKS_H
#define YK_EXEC_TASKS_H

#include "exec/exec.h"

#include <stdio.h>

/* In the column `alone`, beside 0 and 1: a part of a job, which threads of its own
 * process may share and other ranks may not. */
enum { YK_TASK_NEAR = 2 };

/* Writes to a new file. */
yoke_status yk_executor_recorded(yk_executor *out, const char *file,
                                 yoke_err *err);
bool yk_executor_is_recorded(const yk_executor *executor);

/* Another plan begins: numbers mean others from now on. */
void yk_tasks_plan(yk_executor *executor);

/* All that was done so far is in the file. */
yoke_status yk_tasks_flush(yk_executor *executor, yoke_err *err);

/* ---- replay (exec/replay.c) ------------------------------------------------ */

/* A machine: `ranks` processes that send messages, or threads. */
typedef struct yk_machine {
    int count;
    bool threads;
    double latency;   /* of a message, s; of a stage given to threads */
    double bandwidth; /* bytes per second; threads send nothing */
} yk_machine;

typedef struct yk_replayed {
    double seconds; /* all */
    double sending; /* of these, messages */
    double serial;  /* of these, what nobody shares */
} yk_replayed;

/* The time that the run of a file takes on each machine. */
yoke_status yk_tasks_replay(const char *file, int machines,
                            const yk_machine *machine, yk_replayed *out,
                            yoke_err *err);

#endif
