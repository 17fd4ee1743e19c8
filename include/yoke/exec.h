/* yoke/exec.h -- runs the members of a stage.
 *
 * The iteration says which jobs may run at once; an executor runs them.  Jobs
 * touch different subsystems.  The result must not depend on the order.
 */
#ifndef YOKE_EXEC_H
#define YOKE_EXEC_H

#include "yoke/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef yoke_status (*yoke_job)(void *context, int index, yoke_err *err);

typedef struct yoke_executor_ops {
    const char *kind;

    /* REQUIRED.  Runs job(context, 0) ... job(context, count - 1).  Returns the
     * status and message of the failed job with the lowest index. */
    yoke_status (*run)(void *self, int count, yoke_job job, void *context,
                       yoke_err *err);

    void (*free)(void *self); /* OPTIONAL */
} yoke_executor_ops;

typedef struct yoke_executor {
    const yoke_executor_ops *ops;
    void *self;
} yoke_executor;

/* One job after the other, in the calling thread. */
YOKE_API yoke_executor yoke_executor_serial(void);

#ifdef __cplusplus
}
#endif

#endif
