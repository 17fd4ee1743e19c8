/* exec/serial.c -- one job after the other. */
#include "base/base.h"
#include "base/crew.h"
#include "exec/exec.h"

yoke_status yk_batch_in_order(const yk_batch *b, yoke_err *err)
{
    const yk_parts all = { .count = b->count,
                           .job = b->job,
                           .context = b->context };

    return yk_crew_alone(&all, err);
}

yoke_status yk_executor_help(const yk_executor *executor, yk_job job,
                             void *context, yoke_err *err)
{
    static const int nobody = -1;
    const yk_batch b = {
        .count = 1, .job = job, .context = context, .who = &nobody
    };

    return executor->ops->run(executor->self, &b, err);
}

static yoke_status serial_run(void *self, const yk_batch *batch, yoke_err *err)
{
    (void)self;
    return yk_batch_in_order(batch, err);
}

static int serial_jobs(const void *self)
{
    (void)self;
    return 1;
}

static const yk_executor_ops serial_ops = {
    .kind = "serial",
    .run = serial_run,
    .jobs = serial_jobs,
};

yk_executor yk_executor_serial(void)
{
    return (yk_executor){ &serial_ops, NULL };
}

void yk_executor_free(yk_executor *executor)
{
    if (executor->ops && executor->ops->free)
        executor->ops->free(executor->self);
    *executor = (yk_executor){ NULL, NULL };
}
