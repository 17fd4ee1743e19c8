/* exec/threads.c -- a pool of threads: made once, asleep when there is nothing to do.
 *
 * The calling thread is one of them.  It puts the jobs in the order of their
 * prices, largest first (the rule of Graham: the last to end is late by at most
 * a third of the best), wakes as many threads as there are jobs for, takes jobs
 * itself and waits until the last thread has put its job down.  Jobs are taken
 * by a counter; everything else is under one lock, which nobody holds while a
 * job runs.
 *
 * Who runs a job changes no bit of the result: jobs write only to what is their
 * own, and nothing is added up here.  Signals go to the calling thread, and the
 * arithmetic (rounding) of the others is that of the caller.
 */
#define _GNU_SOURCE
#include "base/base.h"
#include "base/compare.h"
#include "base/crew.h"
#include "exec/exec.h"
#include "exec/pays.h"
#include "exec/policy.h"

#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum { MOST = 4096 };

typedef struct pool {
    int jobs;   /* threads that are wanted, the caller among them */
    int made;   /* threads that are there, without the caller */
    bool tried; /* to make them */
    bool own;   /* each has a processor */
    pthread_t *thread;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake, over;
    bool quit;
    const yk_batch *batch; /* NULL: none is under way */
    atomic_ulong number;   /* of the batch */
    atomic_int working;    /* threads in it, without the caller */
    int failed;            /* index of the failure to report; INT_MAX: none */
    bool for_good;         /* it is one */
    yoke_status status;
    yoke_err why;
    fenv_t arithmetic;

    /* Of the batch: written before it begins. */
    yk_ranked *order; /* jobs that anybody may take */
    size_t room;
    int shared;
    atomic_int next;
} pool;

int yk_processors(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

/* ---- waiting --------------------------------------------------------------- */

typedef bool over(const pool *p, unsigned long done);

/* Waking a thread that sleeps takes longer than many a batch, so nobody sleeps at
 * once where each has a processor of its own. */
static void stay_awake(const pool *p, over *is_over, unsigned long done)
{
    const double until = yk_clock() + YK_EXEC_AWAKE;

    while (p->own && !is_over(p, done) && yk_clock() < until) {
    }
}

static bool is_called(const pool *p, unsigned long done)
{
    return atomic_load(&p->number) != done;
}

static bool is_done(const pool *p, unsigned long done)
{
    (void)done;
    return atomic_load(&p->working) == 0;
}

/* ---- jobs ----------------------------------------------------------------- */

static bool is_for_good(yoke_status status)
{
    return status < 0 || status == YOKE_STOPPED;
}

/* Of two failures: one for good before one that is not, then the lower index. */
static void note_failure(pool *p, int index, yoke_status status,
                         const yoke_err *why)
{
    const bool for_good = is_for_good(status);

    pthread_mutex_lock(&p->lock);
    if (for_good == p->for_good ? index < p->failed : for_good) {
        p->failed = index;
        p->for_good = for_good;
        p->status = status;
        p->why = *why;
    }
    pthread_mutex_unlock(&p->lock);
}

static void run_job(pool *p, int index)
{
    const yk_batch *b = p->batch;
    yoke_err why = { YOKE_OK, "" };

    if (yk_gate_closed(b->gate, index)) return;
    yk_gate_enter(index);
    const yoke_status status = b->job(b->context, index, &why);
    yk_gate_enter(-1);
    if (status == YOKE_OK) return;
    if (is_for_good(status)) yk_gate_fail(b->gate, index);
    note_failure(p, index, status, &why);
}

static void take_jobs(pool *p)
{
    for (;;) {
        const int k = atomic_fetch_add(&p->next, 1);
        if (k >= p->shared) return;
        run_job(p, p->order[k].index);
    }
}

static void *worker(void *self)
{
    YK_POINT;
    pool *p = self;
    unsigned long done = 0;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->quit && (!p->batch || p->number == done))
            pthread_cond_wait(&p->wake, &p->lock);
        if (p->quit) break;
        done = p->number;
        p->working++;
        const fenv_t arithmetic = p->arithmetic;
        pthread_mutex_unlock(&p->lock);
        fesetenv(&arithmetic);
        take_jobs(p);
        pthread_mutex_lock(&p->lock);
        if (--p->working == 0) pthread_cond_signal(&p->over);
        pthread_mutex_unlock(&p->lock);
        stay_awake(p, is_called, done);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- a batch ---------------------------------------------------------------- */

/* Threads that cannot be made are not missed. */
static void make_threads(pool *p)
{
    sigset_t all, before;

    if (p->tried) return;
    p->tried = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->made < p->jobs - 1 &&
           pthread_create(&p->thread[p->made], NULL, worker, p) == 0)
        p->made++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static yoke_status prepare(pool *p, const yk_batch *b, yoke_err *err)
{
    YK_TRY(YK_GROW(&p->order, &p->room, b->count, err));
    p->shared = 0;
    for (int i = 0; i < b->count; i++)
        if (!b->alone || !b->alone[i])
            p->order[p->shared++] = (yk_ranked){ yk_batch_price(b, i), i };
    qsort(p->order, (size_t)p->shared, sizeof *p->order, yk_compare_ranked);
    atomic_store(&p->next, 0);
    yk_gate_begin(b->gate);
    return YOKE_OK;
}

static void begin(pool *p, const yk_batch *b)
{
    const int hands = p->shared < p->made ? p->shared : p->made;

    pthread_mutex_lock(&p->lock);
    fegetenv(&p->arithmetic);
    p->failed = INT_MAX;
    p->for_good = false;
    p->status = YOKE_OK;
    p->batch = b;
    p->number++;
    for (int i = 0; i < hands; i++) pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

/* Sleeps until nobody works any more.  Threads that wake up later find no
 * batch. */
static yoke_status end(pool *p, yoke_err *err)
{
    stay_awake(p, is_done, 0);
    pthread_mutex_lock(&p->lock);
    while (p->working > 0) pthread_cond_wait(&p->over, &p->lock);
    p->batch = NULL;
    const yoke_status status = p->status;
    if (status != YOKE_OK && err) *err = p->why;
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* The caller among them; it has no helpers for a single job. */
static yoke_status at_once(pool *p, const yk_batch *b, yoke_err *err)
{
    YK_TRY(prepare(p, b, err));
    const yk_crew *before = yk_crew_lend(NULL);
    begin(p, b);
    for (int i = 0; b->alone && i < b->count; i++)
        if (b->alone[i]) run_job(p, i);
    take_jobs(p);
    const yoke_status status = end(p, err);
    yk_crew_lend(before);
    return status;
}

/* Helpers of a job that runs by itself. */
typedef struct helpers {
    pool *pool;
    yk_gate *gate;
} helpers;

static yoke_status help(void *self, const yk_parts *parts, yoke_err *err)
{
    const helpers *h = self;
    yk_gate none;
    const yk_batch b = { .count = parts->count,
                         .job = parts->job,
                         .context = parts->context,
                         .price = parts->price,
                         .gate = h->gate ? h->gate : &none };

    if (!yk_batch_pays(&b)) return yk_batch_in_order(&b, err);
    make_threads(h->pool);
    if (h->pool->made == 0) return yk_batch_in_order(&b, err);
    if (!h->gate) yk_gate_open(&none, NULL, NULL);
    return at_once(h->pool, &b, err);
}

/* One job after the other, each with all threads as helpers. */
static yoke_status one_by_one(pool *p, const yk_batch *b, yoke_err *err)
{
    helpers h = { p, b->gate };
    const yk_crew crew = { help, &h };
    const yk_crew *before = yk_crew_lend(&crew);
    const yoke_status status = yk_batch_in_order(b, err);

    yk_crew_lend(before);
    return status;
}

static yoke_status threads_run(void *self, const yk_batch *batch, yoke_err *err)
{
    pool *p = self;
    yk_gate none;
    yk_batch b = *batch;

    pthread_mutex_lock(&p->lock);
    const bool inside = p->batch != NULL;
    pthread_mutex_unlock(&p->lock);
    if (inside) return yk_batch_in_order(&b, err);
    if (b.count < 2 || !yk_batch_pays(&b)) return one_by_one(p, &b, err);
    make_threads(p);
    if (p->made == 0) return yk_batch_in_order(&b, err);
    if (!b.gate) {
        b.gate = &none;
        yk_gate_open(&none, NULL, NULL);
    }
    return at_once(p, &b, err);
}

/* ---- life and death --------------------------------------------------------- */

static int threads_jobs(const void *self)
{
    const pool *p = self;

    return p->tried ? p->made + 1 : p->jobs;
}

static void threads_free(void *self)
{
    pool *p = self;

    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->made; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->over);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    YK_FREE(p->order, p->thread, p);
}

static const yk_executor_ops threads_ops = {
    .kind = "threads",
    .run = threads_run,
    .jobs = threads_jobs,
    .free = threads_free,
};

yoke_status yk_executor_threads(yk_executor *out, int jobs, yoke_err *err)
{
    pool *p = NULL;
    yoke_status status = YOKE_OK;

    if (jobs == 0) jobs = yk_processors();
    if (jobs < 1 || jobs > MOST)
        return yk_fail(err, YOKE_E_ARG, "jobs = %d is not between 0 and %d",
                       jobs, MOST);
    *out = yk_executor_serial();
    if (jobs == 1) return YOKE_OK;
    YK_TRY(YK_NEW(&p, 1, err));
    p->jobs = jobs;
    p->own = jobs <= yk_processors();
    YK_GO(YK_NEW(&p->thread, jobs, err));
    if (pthread_mutex_init(&p->lock, NULL) != 0 ||
        pthread_cond_init(&p->wake, NULL) != 0 ||
        pthread_cond_init(&p->over, NULL) != 0)
        YK_GO(yk_fail(err, YOKE_E_MEMORY, "no lock for %d jobs", jobs));
    *out = (yk_executor){ &threads_ops, p };
    return YOKE_OK;
done:
    YK_FREE(p->thread, p);
    return status;
}
