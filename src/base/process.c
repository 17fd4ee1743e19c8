/* base/process.c -- runs another program to its end. */
#define _XOPEN_SOURCE 700

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* handed on to the program */

enum { LINE = 200 };

static void read_message(const char *path, char first[LINE])
{
    FILE *file = fopen(path, "r");
    char line[LINE];

    first[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const bool is_error = strstr(line, "rror") != NULL;
        if (is_error || !first[0]) memcpy(first, line, strlen(line) + 1);
        if (is_error) break;
    }
    if (file) fclose(file);
}

yoke_status yk_process_run(const char *what, char *const *word,
                           const char *message, yoke_err *err)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state = 0;
    char line[LINE];

    if (posix_spawn_file_actions_init(&actions) != 0)
        return yk_fail(err, YOKE_E_MEMORY, "no memory to start a %s", what);
    int bad = posix_spawn_file_actions_addopen(
        &actions, 2, message, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (!bad) bad = posix_spawn_file_actions_adddup2(&actions, 2, 1);
    if (!bad)
        bad = posix_spawnp(&child, word[0], &actions, NULL, word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (bad)
        return yk_fail(err, YOKE_E_MISSING, "%s %s: %s%s", what, word[0],
                       strerror(bad),
                       bad == ENOENT ? "; is it installed (for cc, Debian: gcc "
                                       "libc6-dev) and in the PATH?"
                                     : "");
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return yk_fail(err, YOKE_E_MISSING, "%s %s: %s", what, word[0],
                           strerror(errno));
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return YOKE_OK;
    read_message(message, line);
    return yk_fail(err, YOKE_E_MISSING, "%s %s failed: %s", what, word[0],
                   line[0] ? line : "no message");
}
