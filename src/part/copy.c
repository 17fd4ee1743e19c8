/* part/copy.c -- copies of a process.
 *
 * Memory is copied, and so are the numbers of open files, but not the files: a
 * copy that reads on moves the position of its original, too.  So the copy opens
 * again what has a position.  Pipes and sockets cannot be had twice; a part that
 * goes on in something else than its memory is found out (closed.c).
 */
#define _GNU_SOURCE
#include "part/part.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file of this number, opened again at the same position. */
static void own(int fd)
{
    struct stat about;
    char path[64];

    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return;
    const int flags = fcntl(fd, F_GETFL), more = fcntl(fd, F_GETFD);
    const off_t at = lseek(fd, 0, SEEK_CUR);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int fresh = open(path, flags | O_CLOEXEC);
    if (fresh < 0) return;
    lseek(fresh, at, SEEK_SET);
    dup3(fresh, fd, more & FD_CLOEXEC ? O_CLOEXEC : 0);
    close(fresh);
}

static void own_files(void)
{
    DIR *folder = opendir("/proc/self/fd");

    for (struct dirent *e; folder && (e = readdir(folder));) {
        const int fd = e->d_name[0] == '.' ? -1 : atoi(e->d_name);
        if (fd > YK_PART_MEMORY && fd != dirfd(folder)) own(fd);
    }
    if (folder) closedir(folder);
}

pid_t yk_part_copy(void)
{
    /* A worker whose part does not want to hear of children would not hear how
     * a copy ended. */
    if (yk_part_is_worker()) signal(SIGCHLD, SIG_DFL);
    const pid_t copy = fork();
    if (copy == 0) own_files();
    return copy;
}
