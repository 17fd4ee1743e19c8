/* comp/fmu/copy.c -- see copy.h. */
#define _GNU_SOURCE
#include "comp/fmu/copy.h"

#include "comp/fmu/simulation.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of a copy with an answer: an FMU that ends its process by itself
 * does so with a smaller one. */
enum { NO = 42, ANSWERS = 10 };

/* A copy has no threads, and would wait for them. */
bool yk_fmu_can_copy(void)
{
    return !yk_part_is_worker() || yk_part_threads() == 1;
}

int yk_fmu_ask_copy(int (*ask)(void *context), void *context, int seconds)
{
    int state = 0;
    const pid_t copy = yk_part_copy();

    if (copy == 0) {
        alarm((unsigned)seconds);
        _exit(NO + ask(context));
    }
    if (copy < 0) return 0;
    while (waitpid(copy, &state, 0) < 0)
        if (errno != EINTR) return 0;
    const int answer = WIFEXITED(state) ? WEXITSTATUS(state) - NO : 0;
    return answer > 0 && answer < ANSWERS ? answer : 0;
}
