/* part/tree.c -- ends all processes that a part has begun; counts threads.
 *
 * Those that stay in the group of the worker end with it.  Others have left it
 * (setsid): they are children of children, or, when their parents have ended,
 * of the supervisor, which adopts them.
 */
#define _GNU_SOURCE
#include "part/channel.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 4096, ROUNDS = 20 };

/* The children of a process, as many as there is room for; 0: none, or the
 * system does not tell. */
static int list_children(pid_t of, pid_t *child, int room)
{
    char path[64];
    long pid;
    int count = 0;

    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)of,
             (long)of);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (count < room && fscanf(file, "%ld", &pid) == 1)
        child[count++] = (pid_t)pid;
    fclose(file);
    return count;
}

int yk_part_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;

    for (struct dirent *e; folder && (e = readdir(folder));)
        count += e->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

void yk_part_end_children(pid_t root)
{
    pid_t all[MOST];

    for (int round = 0; round < ROUNDS; round++) {
        int count = list_children(root, all, MOST), killed = 0;
        for (int i = 0; i < count; i++)
            count += list_children(all[i], all + count, MOST - count);
        for (int i = 0; i < count; i++) killed += kill(all[i], SIGKILL) == 0;
        if (killed == 0) return;
        usleep(1000); /* orphans move to the root */
    }
}
