/* exec/serial.c -- one job after the other. */
#include "base/base.h"
#include "exec/exec.h"

yoke_status yk_batch_in_order(const yk_batch *b, yoke_err *err)
{
    yoke_status first = YOKE_OK;
    yoke_err
        why; /* zeros in all of its text would cost more than a small job */

    why.status = YOKE_OK;
    why.text[0] = '\0';
    for (int i = 0; i < b->count; i++) {
        yoke_err *const to = first == YOKE_OK ? err : &why;
        const yoke_status status = b->job(b->context, i, to);
        if (status < 0 || status == YOKE_STOPPED) {
            if (err && to != err) *err = why;
            return status;
        }
        if (first == YOKE_OK) first = status;
    }
    return first;
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
