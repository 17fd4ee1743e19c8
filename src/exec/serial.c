/* exec/serial.c -- one job after the other. */
#include "base/base.h"
#include "exec/exec.h"

static yoke_status serial_run(void *self, int count, yk_job job, void *context,
                              yoke_err *err)
{
    (void)self;
    for (int i = 0; i < count; i++) YK_TRY(job(context, i, err));
    return YOKE_OK;
}

static const yk_executor_ops serial_ops = {
    .kind = "serial",
    .run = serial_run,
};

yk_executor yk_executor_serial(void)
{
    return (yk_executor){ &serial_ops, NULL };
}
