/* mpi/jobs.c -- an executor whose jobs wait for other ranks.
 *
 * Jobs of units in other ranks have stacks of their own.  Each runs until it
 * waits for an answer; then the next one begins.  So all requests are on their
 * way before the units of this rank are solved, one after the other, and what
 * has come by then is taken up between them.  There are no threads: MPI is
 * called by one, and jobs of this rank follow one another as in the serial
 * executor.  Answers come in any order; what is made of them goes to the unit
 * alone, and the failure that is reported is that of exec/exec.h.
 */
#define _GNU_SOURCE
#include "mpi/ranks.h"

#include "base/base.h"
#include "base/crew.h"

#include <limits.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { MOST = 256, STACK = 1 << 19 };

typedef struct fiber {
    ucontext_t context;
    void *stack;
    bool busy;     /* its job has begun and not ended */
    yk_mail *mail; /* that it waits for */
    int job;
} fiber;

typedef struct yk_jobs {
    yk_ranks *ranks;
    ucontext_t main;
    fiber *fiber;
    int fibers, running; /* -1: none runs */
    const yk_batch *batch;
    int failed; /* index of the failure to report; INT_MAX: none */
    bool for_good;
    yoke_status status;
    yoke_err why;
} yk_jobs;

static bool is_for_good(yoke_status status)
{
    return status < 0 || status == YOKE_STOPPED;
}

/* Of two failures: one for good before one that is not, then the lower index. */
static void note(yk_jobs *j, int index, yoke_status status, const yoke_err *why)
{
    const bool for_good = is_for_good(status);

    if (status == YOKE_OK) return;
    if (for_good == j->for_good ? index < j->failed : for_good) {
        j->failed = index;
        j->for_good = for_good;
        j->status = status;
        j->why = *why;
    }
}

static bool is_closed(const yk_jobs *j, int index)
{
    return j->for_good && j->failed < index;
}

static void run_job(yk_jobs *j, int index)
{
    yoke_err why = { YOKE_OK, "" };

    if (is_closed(j, index)) return;
    note(j, index, j->batch->job(j->batch->context, index, &why), &why);
}

/* The body of every fiber; makecontext takes ints. */
static void enter(unsigned low, unsigned high)
{
    yk_jobs *j =
        (yk_jobs *)(((size_t)high << 16 << 16) | (size_t)low); /* 64 bits */

    for (;;) {
        fiber *f = &j->fiber[j->running];
        run_job(j, f->job);
        f->busy = false;
        swapcontext(&f->context, &j->main);
    }
}

static void resume(yk_jobs *j, int k)
{
    j->running = k;
    j->fiber[k].mail = NULL;
    swapcontext(&j->main, &j->fiber[k].context);
    j->running = -1;
}

bool yk_jobs_wait(yk_ranks *r, yk_mail *mail)
{
    yk_jobs *j = r->jobs;

    if (!j || j->running < 0) return false;
    fiber *f = &j->fiber[j->running];
    f->mail = mail;
    swapcontext(&f->context, &j->main);
    return true;
}

/* A fiber without a job, or -1: there are enough. */
static int find_fiber(yk_jobs *j)
{
    int k = 0;

    while (k < j->fibers && j->fiber[k].busy) k++;
    if (k < j->fibers || k == MOST) return k < MOST ? k : -1;
    fiber *f = &j->fiber[k];
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return -1;
    mprotect(stack, 4096, PROT_NONE); /* what grows beyond it ends here */
    f->stack = stack;
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = stack;
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = NULL;
    makecontext(&f->context, (void (*)(void))enter, 2, (unsigned)(size_t)j,
                (unsigned)((size_t)j >> 16 >> 16));
    j->fibers++;
    return k;
}

/* Begins jobs that wait for others, from *next on, as long as there is room. */
static void begin(yk_jobs *j, int *next)
{
    const yk_batch *b = j->batch;

    for (; *next < b->count; ++*next) {
        if (!b->away[*next] || is_closed(j, *next)) continue;
        const int k = find_fiber(j);
        if (k < 0 && j->fibers > 0) return;
        if (k < 0) { /* no memory for stacks: one after the other */
            run_job(j, *next);
            continue;
        }
        j->fiber[k].job = *next;
        j->fiber[k].busy = true;
        resume(j, k);
    }
}

/* Goes on with those whose answers have come.  Are some left? */
static bool go_on(yk_jobs *j, bool *any)
{
    bool left = false;

    for (int k = 0; k < j->fibers; k++) {
        yk_mail *mail = j->fiber[k].mail;
        /* What this process is asked itself needs a larger stack. */
        if (j->fiber[k].busy && mail && mail->own)
            yk_ranks_serve_own(j->ranks, mail);
        if (j->fiber[k].busy && mail && (mail->come || j->ranks->lost)) {
            resume(j, k);
            *any = true;
        }
        left = left || j->fiber[k].busy;
    }
    return left;
}

/* A failure for good ends what is behind it: ranks that have nothing before it to
 * do, since which failure is told must not depend on who is faster. */
static void stop_behind(yk_jobs *j)
{
    yk_ranks *r = j->ranks;

    for (int i = 1; j->for_good && i < r->count; i++) {
        bool before = false, behind = false;
        for (int k = 0; k < j->fibers; k++) {
            const fiber *f = &j->fiber[k];
            if (!f->busy || !f->mail || f->mail->come ||
                r->kept->home[f->mail->rank] != i)
                continue;
            before = before || f->job < j->failed;
            behind = behind || f->job > j->failed;
        }
        if (behind && !before) yk_ranks_stop_one(r, i);
    }
}

static void run_all(yk_jobs *j)
{
    const yk_batch *b = j->batch;
    bool left = true, any = false;
    int next = 0;

    begin(j, &next);
    yk_link_flush();
    for (int i = 0; i < b->count; i++) {
        if (b->away[i]) continue;
        run_job(j, i);
        yk_ranks_pump(j->ranks);
        go_on(j, &any);
        begin(j, &next);
    }
    for (int idle = 0; left || next < b->count; idle++) {
        any = yk_ranks_pump(j->ranks);
        left = go_on(j, &any);
        begin(j, &next);
        stop_behind(j);
        if (any)
            idle = 0;
        else if (left)
            yk_ranks_idle(j->ranks, idle);
    }
}

static int count_away(const yk_batch *b)
{
    int away = 0;

    for (int i = 0; b->away && i < b->count; i++) away += b->away[i];
    return away;
}

static yoke_status jobs_run(void *self, const yk_batch *b, yoke_err *err);

/* Parts of a job that is alone: all may have to wait, unless it is known what
 * they cost here. */
static yoke_status help(void *self, const yk_parts *parts, yoke_err *err)
{
    bool *away = NULL;

    if (parts->price) return yk_crew_alone(parts, err);
    YK_TRY(YK_NEW(&away, parts->count, err));
    for (int i = 0; i < parts->count; i++) away[i] = true;
    const yk_batch b = { .count = parts->count,
                         .job = parts->job,
                         .context = parts->context,
                         .away = away };
    const yoke_status status = jobs_run(self, &b, err);
    yk_free(away);
    return status;
}

static yoke_status run_alone(void *self, const yk_batch *b, yoke_err *err)
{
    const yk_crew crew = { help, self };
    const yk_crew *before = yk_crew_lend(&crew);
    const yoke_status status = yk_batch_in_order(b, err);

    yk_crew_lend(before);
    return status;
}

static yoke_status jobs_run(void *self, const yk_batch *b, yoke_err *err)
{
    yk_jobs *j = ((yk_ranks *)self)->jobs;

    if (!j->batch && b->count == 1 && !b->away) return run_alone(self, b, err);
    if (j->batch || b->count < 2 || count_away(b) == 0)
        return yk_batch_in_order(b, err);
    j->batch = b;
    j->failed = INT_MAX;
    j->for_good = false;
    j->status = YOKE_OK;
    run_all(j);
    j->batch = NULL;
    if (j->status != YOKE_OK && err) *err = j->why;
    return j->status;
}

static int jobs_count(const void *self)
{
    return ((const yk_ranks *)self)->count;
}

static const yk_executor_ops jobs_ops = {
    .kind = "ranks",
    .run = jobs_run,
    .jobs = jobs_count,
};

yk_executor yk_jobs_executor(yk_ranks *r)
{
    if (YK_NEW(&r->jobs, 1, NULL) != YOKE_OK ||
        YK_NEW(&r->jobs->fiber, MOST, NULL) != YOKE_OK)
        return (yk_executor){ NULL, NULL };
    r->jobs->ranks = r;
    r->jobs->running = -1;
    return (yk_executor){ &jobs_ops, r };
}

void yk_jobs_free(yk_ranks *r)
{
    if (!r->jobs) return;
    for (int k = 0; k < r->jobs->fibers; k++)
        munmap(r->jobs->fiber[k].stack, STACK);
    YK_FREE(r->jobs->fiber, r->jobs);
    r->jobs = NULL;
}
