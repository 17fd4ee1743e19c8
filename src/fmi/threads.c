/* fmi/threads.c -- an FMU makes no threads: the host has its own, and the heap of
 * an instance is that of one thread (fmi/heap.c).  In place of exec/threads.c. */
#include "exec/exec.h"

yoke_status yk_executor_threads(yk_executor *out, int jobs, yoke_err *err)
{
    (void)jobs, (void)err;
    *out = yk_executor_serial();
    return YOKE_OK;
}

int yk_processors(void)
{
    return 1;
}
