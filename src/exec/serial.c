/* exec/serial.c -- one job after the other. */
#include "base/base.h"
#include "yoke/exec.h"

static yoke_status serial_run(void *self, int count, yoke_job job,
                              void *context, yoke_err *err)
{
    (void)self;
    for (int i = 0; i < count; i++) YK_TRY(job(context, i, err));
    return YOKE_OK;
}

static const yoke_executor_ops serial_ops = {
    .kind = "serial",
    .run = serial_run,
};

yoke_executor yoke_executor_serial(void)
{
    return (yoke_executor){ &serial_ops, NULL };
}
