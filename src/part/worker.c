/* part/worker.c -- starts, asks and ends the process of a closed part.
 *
 * The worker is a process group of its own, so an interrupt from the keyboard
 * reaches yoke alone, and all its processes can be ended at once.
 */
#define _GNU_SOURCE
#include "part/worker.h"

#include "base/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* handed on to the worker */

enum { PATH = 4096 };

static const double ASK_EVERY = 0.2; /* seconds between two looks at `stop` */

/* ---- the program ------------------------------------------------------- */

/* Our environment; OpenBLAS would begin with a thread per processor, and a copy
 * of a process has none of its threads. */
static yoke_status make_environment(char ***out, yoke_err *err)
{
    static char one[] = "OPENBLAS_NUM_THREADS=1";
    int count = 0;

    while (environ[count]) count++;
    YK_TRY(YK_NEW(out, count + 2, err));
    for (int i = 0; i < count; i++) (*out)[i] = environ[i];
    if (!getenv("OPENBLAS_NUM_THREADS")) (*out)[count] = one;
    return YOKE_OK;
}

static yoke_status spawn(yk_worker *w, const char *program, int socket,
                         int output, yoke_err *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *const word[] = { (char *)program, NULL };
    char **environment = NULL;

    YK_TRY(make_environment(&environment, err));

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawn_file_actions_adddup2(&actions, socket, YK_PART_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, w->channel.memory,
                                     YK_PART_MEMORY);
    const int bad =
        posix_spawn(&w->pid, program, &actions, &attributes, word, environment);
    yk_free(environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (!bad) return YOKE_OK;
    w->pid = 0;
    return yk_fail(err, YOKE_E_MISSING, "worker %s: %s", program,
                   strerror(bad));
}

/* A descriptor above those that the worker finds its own at, so that dup2 there
 * does not close what is still needed. */
static int high(int fd)
{
    const int moved = fd < 0 || fd > YK_PART_MEMORY
                          ? fd
                          : fcntl(fd, F_DUPFD_CLOEXEC, YK_PART_MEMORY + 1);
    const int why = errno;

    if (fd >= 0 && moved != fd) close(fd);
    errno = why == EINVAL ? EMFILE : why; /* none so high is permitted */
    return moved;
}

static yoke_status no_descriptor(const char *what, yoke_err *err)
{
    struct rlimit limit = { 0 };

    if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return yk_fail(err, YOKE_E_MEMORY, "%s: %s", what, strerror(errno));
    return yk_fail(err, YOKE_E_MEMORY,
                   "%s: too many open files: the limit is %ld, and each part "
                   "in a process of its own needs 3, and 2 more while it "
                   "starts; ulimit -n raises it",
                   what, (long)limit.rlim_cur);
}

/* What was opened is the caller's, whatever happens. */
static yoke_status open_ends(yk_worker *w, int *socket, int *output,
                             yoke_err *err)
{
    static const char line[] = "no connection to a worker";
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return no_descriptor(line, err);
    w->channel.socket = pair[0];
    *socket = high(pair[1]);
    if (*socket < 0 || pipe2(pair, O_CLOEXEC) != 0)
        return no_descriptor(line, err);
    w->output = pair[0];
    fcntl(w->output, F_SETFL, O_NONBLOCK);
    *output = high(pair[1]);
    if (*output < 0) return no_descriptor(line, err);
    w->channel.memory = high(memfd_create("yoke", MFD_CLOEXEC));
    if (w->channel.memory < 0) return no_descriptor("no memory to share", err);
    return yk_channel_open(&w->channel, w->channel.socket, w->channel.memory,
                           err);
}

/* ---- exchange ---------------------------------------------------------- */

/* Keeps the end of what the part writes. */
static void listen_to(yk_worker *w)
{
    char text[YK_SAID];
    ssize_t got;

    while ((got = read(w->output, text, sizeof text)) > 0) {
        const size_t now = (size_t)got, had = strlen(w->said);
        const size_t keep = had + now > YK_SAID ? YK_SAID - now : had;

        for (size_t i = 0; i < now; i++)
            if (text[i] == '\0') text[i] = ' ';
        memmove(w->said, w->said + had - keep, keep);
        memcpy(w->said + keep, text, now);
        w->said[keep + now] = '\0';
        w->said_in_all += now;
    }
}

/* The last line that is not empty. */
static void last_line(const yk_worker *w, char line[200])
{
    size_t end = strlen(w->said), begin;

    while (end > 0 && (w->said[end - 1] == '\n' || w->said[end - 1] == ' '))
        end--;
    for (begin = end; begin > 0 && w->said[begin - 1] != '\n'; begin--) {
    }
    snprintf(line, 200, "%.*s", (int)(end - begin), w->said + begin);
}

/* All processes of the part, at once. */
static void end_all(const yk_worker *w)
{
    if (!w->pid) return;
    yk_part_end_children(w->pid);
    kill(-w->pid, SIGKILL);
}

static yoke_status tell_end(yk_worker *w, const yk_part_spec *spec, double t,
                            const char *how, yoke_err *err)
{
    char line[200];

    listen_to(w);
    last_line(w, line);
    end_all(w);
    yk_worker_end(w);
    return yk_fail(err, YOKE_E_CALLBACK, "part \"%s\" %s at t = %.9g%s%s%s",
                   spec->name, how, t, line[0] ? "; it last wrote: \"" : "",
                   line, line[0] ? "\"" : "; it wrote nothing");
}

static yoke_status tell_death(yk_worker *w, const yk_part_spec *spec, double t,
                              const yk_part_message *message, yoke_err *err)
{
    char how[100];

    if (message->signal)
        snprintf(how, sizeof how, "died (signal %d, %s)", message->signal,
                 strsignal(message->signal));
    else
        snprintf(how, sizeof how, "ended by itself (exit status %d)",
                 message->code);
    return tell_end(w, spec, t, how, err);
}

typedef enum waited { ANSWERED, TOO_LONG, STOPPED } waited;

/* Waits until the answer is there; listens meanwhile. */
static waited await(yk_worker *w, const yk_part_spec *spec)
{
    const double seconds = spec->seconds;
    const double begun = yk_clock();
    struct pollfd on[2] = { { .fd = w->channel.socket, .events = POLLIN },
                            { .fd = w->output, .events = POLLIN } };

    for (;;) {
        const double left = seconds - (yk_clock() - begun);

        if (seconds > 0.0 && left <= 0.0) return TOO_LONG;
        if (spec->stop && spec->stop(spec->stop_context)) return STOPPED;
        const double wait =
            seconds > 0.0 && left < ASK_EVERY ? left : ASK_EVERY;
        if (poll(on, 2, (int)(wait * 1e3) + 1) < 0 && errno != EINTR)
            return ANSWERED;
        if (on[1].revents & POLLIN) listen_to(w);
        if (on[1].revents & (POLLHUP | POLLERR)) on[1].fd = -1;
        if (on[0].revents) return ANSWERED;
    }
}

/* The failure of the part itself. */
static yoke_status tell_status(const yk_part_spec *spec,
                               const yk_part_message *message, yoke_err *err)
{
    if (message->status == YOKE_OK) return YOKE_OK;
    return yk_fail(err, message->status, "part \"%s\": %s", spec->name,
                   message->text);
}

yoke_status yk_worker_ask(yk_worker *w, const yk_part_spec *spec,
                          yk_part_message *message, yoke_err *err)
{
    const double begun = yk_clock(), t = message->t;
    char how[100];

    if (w->inside) {
        yk_part_server_ask(w->inside, message);
        w->exchanges++;
        w->seconds += yk_clock() - begun;
        return tell_status(spec, message, err);
    }
    if (!w->pid)
        return yk_fail(err, YOKE_E_CALLBACK, "part \"%s\" has ended",
                       spec->name);
    if (!yk_channel_send(&w->channel, message))
        return tell_end(w, spec, t, "has ended", err);
    const waited result = await(w, spec);
    if (result == STOPPED) {
        end_all(w);
        yk_worker_end(w);
        return yk_fail(err, YOKE_STOPPED, "stopped on request");
    }
    if (result == TOO_LONG) {
        snprintf(how, sizeof how, "did not answer within %.3g s",
                 spec->seconds);
        return tell_end(w, spec, t, how, err);
    }
    if (!yk_channel_receive(&w->channel, message))
        return tell_end(w, spec, t, "has ended", err);
    w->exchanges++;
    w->seconds += yk_clock() - begun;
    listen_to(w);
    if (message->word == YK_PART_DIED)
        return tell_death(w, spec, t, message, err);
    if (message->word != YK_PART_DONE ||
        (unsigned)message->way > YK_PART_BY_REPLAY)
        return tell_end(w, spec, t, "sent something that is not an answer",
                        err);
    YK_TRY(yk_channel_follow(&w->channel, message->bytes, err));
    return tell_status(spec, message, err);
}

bool yk_worker_lives(const yk_worker *w)
{
    return w->inside || w->pid;
}

void yk_worker_tell(yk_worker *w, yk_part_word word)
{
    yk_part_message message = { .word = word };

    if (w->pid) yk_channel_send(&w->channel, &message);
}

/* ---- life -------------------------------------------------------------- */

static yoke_status write_spec(yk_worker *w, const yk_part_spec *spec,
                              yoke_err *err)
{
    yk_part_channel *c = &w->channel;
    const int numbers[5] = { spec->settings, spec->m, spec->p, spec->replay,
                             spec->inside != NULL };
    const double limits[2] = { spec->seconds,
                               spec->inside ? 0.0 : spec->bytes };
    size_t at = yk_channel_begin();

    YK_TRY(yk_channel_put(c, &at, numbers, sizeof numbers, err));
    YK_TRY(yk_channel_put(c, &at, limits, sizeof limits, err));
    YK_TRY(yk_channel_put_text(c, &at, spec->name, err));
    YK_TRY(yk_channel_put_text(c, &at, spec->kind, err));
    for (int i = 0; i < spec->settings; i++)
        YK_TRY(yk_channel_put_text(c, &at, spec->key[i], err));
    for (int i = 0; i < spec->settings; i++)
        YK_TRY(yk_channel_put_text(c, &at, spec->value[i], err));
    return YOKE_OK;
}

/* Memory of our own in place of what is shared. */
static yoke_status start_inside(yk_worker *w, const yk_part_spec *spec,
                                yoke_err *err)
{
    const int memory = memfd_create("yoke", MFD_CLOEXEC);

    if (memory < 0) return no_descriptor("no memory to share", err);
    YK_TRY(yk_channel_open(&w->channel, -1, memory, err));
    YK_TRY(yk_part_server_create(&w->inside, &w->channel, spec->inside, err));
    return write_spec(w, spec, err);
}

yoke_status yk_worker_start(yk_worker *w, const yk_part_spec *spec,
                            yoke_err *err)
{
    char path[PATH];
    int socket = -1, output = -1;
    yk_part_message message = { .word = YK_PART_MAKE };
    yoke_status status = YOKE_OK;

    w->channel = (yk_part_channel){ .socket = -1, .memory = -1 };
    w->output = -1;
    if (spec->inside) {
        YK_GO(start_inside(w, spec, err));
        goto done;
    }
    if (spec->worker)
        snprintf(path, sizeof path, "%s", spec->worker);
    else
        YK_GO(yk_beside("yoke-worker", X_OK,
                        "; reinstall Yoke, or set isolate: none", path,
                        sizeof path, err));
    YK_GO(open_ends(w, &socket, &output, err));
    YK_GO(spawn(w, path, socket, output, err));
    YK_GO(write_spec(w, spec, err));
done:
    if (socket >= 0) close(socket);
    if (output >= 0) close(output);
    if (status == YOKE_OK) status = yk_worker_ask(w, spec, &message, err);
    w->divides = status == YOKE_OK && message.divides;
    w->halves = status == YOKE_OK && message.halves;
    w->looks = status == YOKE_OK && message.looks;
    w->minds = status == YOKE_OK && message.minds;
    if (status != YOKE_OK) yk_worker_end(w);
    return status;
}

/* A part that was told to end gets a moment for it.  It has ended soon after it
 * closed what it wrote to, so that is waited for, not the clock. */
static void wait_for(yk_worker *w)
{
    const double begun = yk_clock();
    bool open = w->output >= 0;

    while (yk_clock() - begun < 1.0) {
        struct pollfd on = { .fd = open ? w->output : -1, .events = POLLIN };

        if (waitpid(w->pid, NULL, WNOHANG) != 0) return;
        poll(&on, 1, open ? 10 : 1);
        if (on.revents & POLLIN) listen_to(w);
        if (on.revents & (POLLHUP | POLLERR)) open = false;
    }
    end_all(w);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

void yk_worker_end(yk_worker *w)
{
    yk_part_server_free(w->inside);
    w->inside = NULL;
    if (w->pid) {
        yk_worker_tell(w, YK_PART_BACK);
        yk_worker_tell(w, YK_PART_QUIT);
        wait_for(w);
        kill(-w->pid, SIGKILL); /* whatever is left of the group */
    }
    w->pid = 0;
    yk_channel_close(&w->channel);
    if (w->output >= 0) close(w->output);
    w->output = -1;
}
