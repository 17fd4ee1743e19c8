/* io/apart.c -- reads a file in a process of its own. */
#define _DEFAULT_SOURCE
#include "base/transfer.h"
#include "io/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory of the child beyond that of the parent: the file four times (as it is,
 * as numbers, and twice in the library) and 1 GiB.  Time: 2 s of the processor
 * and 1 s for each 10 MB; HDF5 reads 500 MB in one. */
#define SPARE_BYTES 1073741824.0
enum { FILE_COPIES = 4, SECONDS = 2, BYTES_PER_SECOND = 10000000 };

/* Pieces in which the answer is taken, so that memory grows with what comes. */
enum { PIECE = 1 << 20 };

/* In front of the text and the numbers. */
typedef struct head {
    int status, count[2];
    size_t text, values;
} head;

/* In a build that counts what tests execute: a child that ends counts too. */
extern void __gcov_dump(void) __attribute__((weak));

/* ---- Child --------------------------------------------------------------- */

static void lower(int what, double most)
{
    struct rlimit limit;

    if (getrlimit(what, &limit) != 0) return;
    if (limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < most)
        return;
    limit.rlim_cur = (rlim_t)most;
    (void)setrlimit(what, &limit);
}

static double memory_now(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    double pages = 0.0;

    if (!file) return 0.0;
    if (fscanf(file, "%lf", &pages) != 1) pages = 0.0;
    fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

/* What libraries say before they crash is no message of ours. */
static void silence(void)
{
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nothing >= 0) (void)dup2(nothing, STDERR_FILENO);
}

/* A program may catch these; what it does then is not for the child. */
static void forget_handlers(void)
{
    static const int caught[] = { SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,
                                  SIGABRT, SIGINT,  SIGTERM, SIGALRM,
                                  SIGPIPE, SIGXCPU, SIGHUP,  SIGQUIT };

    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        (void)signal(caught[i], SIG_DFL);
}

static void restrict_child(const char *path)
{
    struct stat about;
    const double memory = memory_now();
    const double size = stat(path, &about) == 0 ? (double)about.st_size : 0.0;

    lower(RLIMIT_CORE, 0.0);
    lower(RLIMIT_CPU, SECONDS + size / BYTES_PER_SECOND);
    if (memory > 0.0)
        lower(RLIMIT_AS, memory + SPARE_BYTES + FILE_COPIES * size);
    silence();
}

static bool send(int to, const void *from, size_t size)
{
    return yk_write_bytes(to, from, size, YK_HERE, NULL) == 0;
}

static void send_all(int to, yoke_status status, const yk_parcel *out,
                     const yoke_err *why)
{
    const bool good = status == YOKE_OK;
    const head h = { (int)status,
                     { out->count[0], out->count[1] },
                     good ? out->text.length : strlen(why->text),
                     good ? out->values : 0 };

    (void)(send(to, &h, sizeof h) &&
           send(to, good ? out->text.at : why->text, h.text) &&
           send(to, out->value, h.values * sizeof *out->value));
}

/* ---- Parent -------------------------------------------------------------- */

static bool receive(int from, void *out, size_t size)
{
    size_t got = 0;

    return yk_read_bytes(from, out, size, YK_HERE, &got) == 0 && got == size;
}

/* `count` items into a block that grows with them, and room for one more.
 * *whole: all came. */
static yoke_status receive_block(int from, void **block, size_t count,
                                 size_t size, bool *whole, yoke_err *err)
{
    size_t room = 0, done = 0;

    do {
        const size_t left = count - done, most = PIECE / size;
        const size_t n = left < most ? left : most;
        YK_TRY(yk_grow(block, &room, done + n + 1, size, err));
        *whole = receive(from, (char *)*block + done * size, n * size);
        done += n;
    } while (*whole && done < count);
    return YOKE_OK;
}

static yoke_status receive_all(int from, head *h, yk_parcel *out, bool *whole,
                               yoke_err *err)
{
    *whole = receive(from, h, sizeof *h);
    if (!*whole) return YOKE_OK;
    memcpy(out->count, h->count, sizeof out->count);
    YK_TRY(receive_block(from, (void **)&out->text.at, h->text, 1, whole, err));
    if (!*whole) return YOKE_OK;
    out->text.length = h->text;
    out->text.at[h->text] = '\0';
    YK_TRY(receive_block(from, (void **)&out->value, h->values,
                         sizeof *out->value, whole, err));
    out->values = h->values;
    return YOKE_OK;
}

static yoke_status damaged(const char *path, int state, yoke_err *err)
{
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGXCPU)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: the file is damaged: reading it does not end",
                       path);
    if (WIFSIGNALED(state))
        return yk_fail(err, YOKE_E_FILE,
                       "%s: the file is damaged: the process that reads it was "
                       "ended by signal %d (%s)",
                       path, WTERMSIG(state), strsignal(WTERMSIG(state)));
    return yk_fail(err, YOKE_E_FILE,
                   "%s: the file is damaged: the process that reads it ended "
                   "without a result",
                   path);
}

static yoke_status take_answer(const char *path, pid_t child, int from,
                               yk_parcel *out, yoke_err *err)
{
    head h = { YOKE_OK, { 0, 0 }, 0, 0 };
    bool whole = false;
    int state = 0;
    const yoke_status taken = receive_all(from, &h, out, &whole, err);

    close(from); /* a child that still writes ends */
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    if (taken != YOKE_OK) return taken;
    if (!whole) return damaged(path, state, err);
    if (h.status == YOKE_OK) return YOKE_OK;
    return yk_fail(err, h.status < 0 ? (yoke_status)h.status : YOKE_E_FILE,
                   "%s", out->text.at);
}

yoke_status yk_apart(const char *path,
                     yoke_status (*work)(const void *context, yk_parcel *out,
                                         yoke_err *err),
                     const void *context, yk_parcel *out, yoke_err *err)
{
    int ends[2];

    if (pipe(ends) != 0)
        return yk_fail(err, YOKE_E_FILE, "%s: cannot read: %s", path,
                       strerror(errno));
    const pid_t child = fork();
    if (child < 0) {
        const int why = errno;
        close(ends[0]);
        close(ends[1]);
        return yk_fail(err, YOKE_E_MEMORY,
                       "%s: no process to read the file: %s", path,
                       strerror(why));
    }
    if (child == 0) {
        yoke_err mine = { YOKE_OK, "" };
        yk_parcel answer = { .count = { 0 } };
        close(ends[0]);
        forget_handlers();
        restrict_child(path);
        const yoke_status status = work(context, &answer, &mine);
        send_all(ends[1], status, &answer, &mine);
        if (__gcov_dump) __gcov_dump();
        _exit(0);
    }
    close(ends[1]);
    const yoke_status status = take_answer(path, child, ends[0], out, err);
    if (status != YOKE_OK) yk_parcel_clear(out);
    return status;
}

/* ---- Parcels ------------------------------------------------------------- */

yoke_status yk_parcel_put(yk_parcel *parcel, const char *text, yoke_err *err)
{
    return yk_text_add(&parcel->text, text, strlen(text) + 1, err);
}

const char *yk_parcel_next(const yk_parcel *parcel, size_t *at)
{
    if (*at >= parcel->text.length) return NULL;
    const char *text = parcel->text.at + *at;
    *at += strlen(text) + 1;
    return text;
}

void yk_parcel_clear(yk_parcel *parcel)
{
    yk_text_clear(&parcel->text);
    yk_free(parcel->value);
    *parcel = (yk_parcel){ .count = { 0 } };
}
