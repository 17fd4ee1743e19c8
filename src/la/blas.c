/* la/blas.c -- one thread for OpenBLAS.
 *
 * Dense blocks here have a few hundred rows at most, and what runs at once in a
 * run is chosen by its executor.  Threads of OpenBLAS gain nothing on such
 * matrices, and on a busy machine they wait for one another far longer than the
 * work takes.
 *
 * The number of threads holds for the whole process.  So it is changed only
 * while it is what OpenBLAS begins with, one per processor: a number from the
 * environment, as OpenBLAS has read it (OPENBLAS_NUM_THREADS and its older
 * names), or one that the program has set is kept.  Once changed it is not what
 * it began with, so that nothing needs to be remembered here.
 *
 * The symbols are weak: with another BLAS nothing happens.
 */
#include "la/blas.h"

extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern int openblas_get_num_procs(void) __attribute__((weak));
extern int openblas_num_threads_env(void) __attribute__((weak));
extern int openblas_goto_num_threads_env(void) __attribute__((weak));
extern int openblas_omp_num_threads_env(void) __attribute__((weak));

void yk_blas_one_thread(void)
{
    int (*const environment[])(void) = { openblas_num_threads_env,
                                         openblas_goto_num_threads_env,
                                         openblas_omp_num_threads_env };

    if (!openblas_set_num_threads || !openblas_get_num_threads ||
        !openblas_get_num_procs || openblas_get_num_threads() == 1)
        return;
    for (int k = 0; k < 3; k++)
        if (environment[k] && environment[k]() > 0) return;
    if (openblas_get_num_threads() == openblas_get_num_procs())
        openblas_set_num_threads(1);
}
