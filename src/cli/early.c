/* cli/early.c -- little memory, few files.
 *
 * While it is being loaded OpenBLAS starts a thread for each processor, and
 * each asks for a buffer of 128 MB.  Where the address space is limited they
 * ask forever, and a program that ends waits for them forever.  We need none
 * of them (la/blas.c), but their number is read from the environment before any
 * function of ours runs.  So under a limit the program begins again with
 * one thread in its environment.
 *
 * That thread is ours, and asks forever too, when it first comes to a dense
 * matrix.  So what computes begins only where such a buffer can be had.
 *
 * The usual 1024 open files are enough for 300 parts in processes of their own.
 * What is permitted beyond them needs only be asked for.
 */
#define _DEFAULT_SOURCE
#include "cli/cli.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The buffer of OpenBLAS, and as much as a small run needs. */
#define LEAST_ROOM ((size_t)160 << 20)

static bool is_limited(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static void raise_files(void)
{
    const rlim_t enough = 1 << 16;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough)
        return;
    limit.rlim_cur = limit.rlim_max < enough ? limit.rlim_max : enough;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

void cli_begin(char **argv)
{
    static const char variable[] = "OPENBLAS_NUM_THREADS";

    raise_files();
    if (!is_limited() || getenv(variable) || setenv(variable, "1", 1) != 0)
        return;
    (void)execv("/proc/self/exe", argv); /* without it things stay as they are
                                          */
}

int cli_need_room(void)
{
    if (!is_limited()) return CLI_OK;
    void *room =
        mmap(NULL, LEAST_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        cli_usage("too little memory: %zu MB of address space are needed, and "
                  "the limit (ulimit -v) leaves less",
                  LEAST_ROOM >> 20);
        return CLI_FAILED;
    }
    (void)munmap(room, LEAST_ROOM);
    return CLI_OK;
}
