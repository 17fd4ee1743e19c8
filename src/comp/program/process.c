/* comp/program/process.c -- starts a program, exchanges lines with it, ends it.
 *
 * Writing and reading take turns as the pipes permit: a program that writes
 * before it has read everything does not block both.
 */
#define _GNU_SOURCE
#include "comp/program/process.h"
#include "comp/program/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- start ------------------------------------------------------------- */

static void close_all(int fd[8])
{
    for (int i = 0; i < 8; i++)
        if (fd[i] >= 0) close(fd[i]);
}

/* In the child: never returns.  What goes wrong goes into the pipe `tell`. */
static void become(const char *folder, char *const *word, const int fd[8],
                   int tell, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    signal(SIGPIPE, SIG_DFL);
    /* Whatever else is open here is none of its business. */
    for (int i = 3; i < 64; i++) fcntl(i, F_SETFD, FD_CLOEXEC);
    if (dup2(fd[0], 0) >= 0 && dup2(fd[3], 1) >= 0 && dup2(fd[5], 2) >= 0 &&
        (!folder || chdir(folder) == 0))
        execvp(word[0], word);
    const int why = errno;
    if (write(tell, &why, sizeof why) < 0) _exit(2);
    _exit(3);
}

/* Pipes in, out, noise and one that exec closes. */
static yoke_status open_pipes(int fd[8], yoke_err *err)
{
    for (int i = 0; i < 8; i++) fd[i] = -1;
    for (int i = 0; i < 4; i++)
        if (pipe2(fd + 2 * i, O_CLOEXEC) != 0) {
            close_all(fd);
            return yk_fail(err, YOKE_E_MEMORY, "no pipe to a program: %s",
                           strerror(errno));
        }
    return YOKE_OK;
}

static void keep_ends(yk_process *p, int fd[8])
{
    p->in = fd[1];
    p->out = fd[2];
    p->noise = fd[4];
    fd[1] = fd[2] = fd[4] = -1;
    fcntl(p->in, F_SETFL, O_NONBLOCK);
    fcntl(p->out, F_SETFL, O_NONBLOCK);
    fcntl(p->noise, F_SETFL, O_NONBLOCK);
    p->length = p->used = p->said_length = 0;
    p->said[0] = p->heard[0] = '\0';
}

yoke_status yk_process_start(yk_process *p, const char *folder,
                             char *const *word, yoke_err *err)
{
    int fd[8], why = 0;
    const pid_t self = getpid();

    signal(SIGPIPE, SIG_IGN);
    YK_TRY(open_pipes(fd, err));
    const pid_t child = fork();
    if (child == 0) become(folder, word, fd, fd[7], self);
    close(fd[7]);
    fd[7] = -1;
    if (child < 0) {
        close_all(fd);
        return yk_fail(err, YOKE_E_MEMORY, "no process for \"%s\": %s", word[0],
                       strerror(errno));
    }
    const ssize_t got = read(fd[6], &why, sizeof why);
    if (got == (ssize_t)sizeof why) {
        close_all(fd);
        waitpid(child, NULL, 0);
        return yk_fail(err, YOKE_E_MISSING,
                       "cannot run \"%s\"%s%s: %s; is it there, and may it be "
                       "executed?",
                       word[0], folder ? " in " : "", folder ? folder : "",
                       strerror(why));
    }
    p->pid = child;
    keep_ends(p, fd);
    close_all(fd);
    return YOKE_OK;
}

/* ---- what it writes ---------------------------------------------------- */

/* Passes on the standard error and keeps its last line. */
static void hear_noise(yk_process *p)
{
    char text[4096];
    ssize_t got;

    while ((got = read(p->noise, text, sizeof text)) > 0) {
        fwrite(text, 1, (size_t)got, stderr);
        for (ssize_t i = 0; i < got; i++) {
            if (text[i] == '\n') {
                p->said_ended = true;
                continue;
            }
            if (p->said_ended) p->said_length = 0;
            p->said_ended = false;
            if (p->said_length + 1 < sizeof p->said)
                p->said[p->said_length++] = text[i];
            p->said[p->said_length] = '\0';
        }
    }
    fflush(stderr);
}

/* How it ended, into words. */
static void words_of_end(yk_process *p, char *how, size_t room)
{
    int state = 0, waited = 0;

    for (; waited < 100; waited++) {
        if (waitpid(p->pid, &state, WNOHANG) == p->pid) break;
        poll(NULL, 0, 10);
    }
    hear_noise(p);
    if (waited == 100)
        snprintf(how, room, "closed its standard output");
    else if (WIFSIGNALED(state))
        snprintf(how, room, "died (signal %d, %s)", WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
    else
        snprintf(how, room, "ended by itself (exit status %d)",
                 WEXITSTATUS(state));
    if (waited < 100) p->pid = 0;
}

static yoke_status tell_end(yk_process *p, yoke_err *err)
{
    char how[100];

    words_of_end(p, how, sizeof how);
    yk_fail(err, YOKE_E_CALLBACK, "the program %s", how);
    if (p->heard[0])
        yk_suffix(err, "; its last answer was \"%.60s\"", p->heard);
    yk_suffix(err, p->said[0] ? "; it last wrote: \"%.200s\"" : "%s",
              p->said[0] ? p->said : "; it wrote no message");
    return YOKE_E_CALLBACK;
}

/* ---- exchange ---------------------------------------------------------- */

static yoke_status read_more(yk_process *p, bool *closed, yoke_err *err)
{
    if (p->used > 0) {
        memmove(p->line, p->line + p->used, p->length - p->used);
        p->length -= p->used;
        p->used = 0;
    }
    if (p->length > YK_PROGRAM_LINE)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "the program wrote a line of more than %d bytes, which "
                       "is not an answer; messages go to the standard error",
                       YK_PROGRAM_LINE);
    YK_TRY(yk_grow((void **)&p->line, &p->room, p->length + 65536 + 1, 1, err));
    const ssize_t got = read(p->out, p->line + p->length, 65536);
    if (got > 0) p->length += (size_t)got;
    *closed = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    return YOKE_OK;
}

/* The complete lines that are there. */
static yoke_status take_lines(yk_process *p, yk_process_line *take,
                              void *context, const bool *ended, yoke_err *err)
{
    while (!*ended) {
        char *from = p->line + p->used;
        char *end = memchr(from, '\n', p->length - p->used);

        if (!end) return YOKE_OK;
        p->used += (size_t)(end - from) + 1;
        if (end > from && end[-1] == '\r') end--;
        *end = '\0';
        for (char *c = from; c < end; c++)
            if (*c == '\t') *c = ' ';
        snprintf(p->heard, sizeof p->heard, "%s", from);
        if (strlen(from) != (size_t)(end - from))
            return yk_fail(err, YOKE_E_CALLBACK,
                           "the program wrote a zero byte behind \"%.60s\"",
                           from);
        YK_TRY(take(context, from, err));
    }
    if (p->used == p->length) return YOKE_OK;
    p->line[p->length] = '\0';
    return yk_fail(err, YOKE_E_CALLBACK,
                   "the program wrote \"%.60s\" behind the end of its answer",
                   p->line + p->used);
}

static yoke_status send_some(yk_process *p, const char **text, size_t *length,
                             yoke_err *err)
{
    const ssize_t sent = write(p->in, *text, *length);

    if (sent > 0) {
        *text += sent;
        *length -= (size_t)sent;
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return tell_end(p, err);
    return YOKE_OK;
}

yoke_status yk_process_ask(yk_process *p, const char *text, size_t length,
                           yk_process_line *take, void *context,
                           const bool *ended, yoke_err *err)
{
    bool closed = false;

    if (!p->pid) return yk_fail(err, YOKE_E_CALLBACK, "the program has ended");
    while (!*ended) {
        struct pollfd on[3] = { { .fd = p->out, .events = POLLIN },
                                { .fd = p->noise, .events = POLLIN },
                                { .fd = length ? p->in : -1,
                                  .events = POLLOUT } };

        if (poll(on, 3, -1) < 0 && errno != EINTR) return tell_end(p, err);
        if (on[1].revents & POLLIN)
            hear_noise(p);
        else if (on[1].revents) {
            close(p->noise);
            p->noise = -1;
        }
        if (on[2].revents) YK_TRY(send_some(p, &text, &length, err));
        if (!on[0].revents) continue;
        YK_TRY(read_more(p, &closed, err));
        YK_TRY(take_lines(p, take, context, ended, err));
        if (closed && !*ended) return tell_end(p, err);
    }
    return YOKE_OK;
}

/* ---- end --------------------------------------------------------------- */

void yk_process_end(yk_process *p, const char *last)
{
    if (p->pid) {
        const ssize_t sent = write(p->in, last, strlen(last));

        close(p->in);
        p->in = -1;
        for (int i = 0; sent >= 0 && i < 100 && p->pid; i++) {
            if (waitpid(p->pid, NULL, WNOHANG) != 0)
                p->pid = 0;
            else
                poll(NULL, 0, i < 10 ? 1 : 10);
            hear_noise(p);
        }
        if (p->pid) {
            kill(p->pid, SIGKILL);
            waitpid(p->pid, NULL, 0);
        }
    }
    p->pid = 0;
    if (p->in >= 0) close(p->in);
    if (p->out >= 0) close(p->out);
    if (p->noise >= 0) close(p->noise);
    yk_free(p->line);
    *p = (yk_process){ .in = -1, .out = -1, .noise = -1 };
}
