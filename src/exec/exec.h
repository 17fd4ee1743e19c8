/* exec/exec.h -- runs the members of a stage.
 *
 * The iteration says which jobs may run at once; an executor runs them.  Jobs
 * touch different subsystems.  The result must not depend on the order.
 */
#ifndef YK_EXEC_H
#define YK_EXEC_H

#include "yoke/status.h"

typedef yoke_status (*yk_job)(void *context, int index, yoke_err *err);

typedef struct yk_executor_ops {
    const char *kind;

    /* REQUIRED.  Runs job(context, 0) ... job(context, count - 1).  Returns the
     * status and message of the failed job with the lowest index. */
    yoke_status (*run)(void *self, int count, yk_job job, void *context,
                       yoke_err *err);

    void (*free)(void *self); /* OPTIONAL */
} yk_executor_ops;

typedef struct yk_executor {
    const yk_executor_ops *ops;
    void *self;
} yk_executor;

/* One job after the other, in the calling thread. */
yk_executor yk_executor_serial(void);

#endif
