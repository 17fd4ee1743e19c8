/* exec/tasks.c -- an executor that writes down what it runs (tasks.h).
 *
 * One job after the other in the calling thread, so that the time of a job is its
 * own: of the processor, if it did not sleep in between, so that others on the
 * machine do not count; of the clock, if it waited for a worker or a file, without
 * the time that it stood in line for a processor, where the system tells that.
 *
 * A batch inside a job of several is part of that job; one inside a job that is
 * alone in its batch is a stage of its own, and the job has what is left.  The jobs
 * of a batch that does not pay are alone, as they are with threads.
 */
#define _GNU_SOURCE
#include "base/base.h"
#include "base/crew.h"
#include "exec/pays.h"
#include "exec/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* When something was. */
typedef struct moment {
    double clock, processor;
    double queued; /* seconds that this thread was ready and did not run */
    long slept;    /* how often it has */
} moment;

typedef struct recorder {
    FILE *file;
    char *name;
    int line; /* a file: what Linux says of this thread; -1: it does not */
    int plan;
    long stage;
    bool inside;   /* a job of a batch of several */
    bool crew;     /* parts of a job, whose prices are known */
    int depth;     /* jobs that are alone in their batches, around this one */
    moment last;   /* the stage before was over */
    double within; /* seconds in stages inside the job that runs */
} recorder;

/* Nanoseconds on a processor, then in line for one. */
static double queued(const recorder *r)
{
    char text[80];
    double ran = 0.0, stood = 0.0;
    const ssize_t length =
        r->line < 0 ? 0 : pread(r->line, text, sizeof text - 1, 0);

    text[length > 0 ? length : 0] = '\0';
    return sscanf(text, "%lf %lf", &ran, &stood) == 2 ? 1e-9 * stood : 0.0;
}

static moment now(const recorder *r)
{
    struct timespec t = { 0 };
    struct rusage use = { 0 };

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    getrusage(RUSAGE_THREAD, &use);
    return (moment){ .clock = yk_clock(),
                     .processor = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
                     .queued = queued(r),
                     .slept = use.ru_nvcsw };
}

static double between(const moment *a, const moment *b)
{
    const double ran = b->processor - a->processor;
    const double passed = b->clock - a->clock - (b->queued - a->queued);

    return fmax(b->slept > a->slept ? fmax(passed, ran) : ran, 0.0);
}

static void put(recorder *r, int task, double seconds, double bytes, int alone)
{
    fprintf(r->file, "%d,%ld,%d,%.9g,%.17g,%d\n", r->plan, r->stage, task,
            seconds, bytes, alone);
}

/* What was done since the stage before. */
static void put_rest(recorder *r)
{
    const moment here = now(r);

    put(r, -1, between(&r->last, &here), 0.0, 0);
}

static yoke_status check(const recorder *r, yoke_err *err)
{
    if (!ferror(r->file)) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "cannot write %s: %s", r->name,
                   strerror(errno));
}

static yoke_status record(void *self, const yk_batch *batch, yoke_err *err);

/* Parts of a job that is alone. */
static yoke_status help(void *self, const yk_parts *parts, yoke_err *err)
{
    const yk_batch batch = { .count = parts->count,
                             .job = parts->job,
                             .context = parts->context,
                             .price = parts->price };

    recorder *r = self;
    const bool before = r->crew;

    r->crew = parts->price != NULL; /* as mpi/jobs.c */
    const yoke_status status = record(self, &batch, err);
    r->crew = before;
    return status;
}

typedef struct recorded {
    recorder *r;
    const yk_batch *batch;
    bool single; /* its jobs are stages of their own */
} recorded;

static yoke_status run_one(void *context, int index, yoke_err *err)
{
    const recorded *j = context;
    const yk_batch *b = j->batch;
    recorder *r = j->r;
    const bool single = j->single;
    const double outside = r->within;
    const moment begun = now(r);

    r->within = 0.0;
    r->inside = !single;
    r->depth += single;
    const yk_crew crew = { help, r };
    const yk_crew *before = yk_crew_lend(single ? &crew : NULL);
    const yoke_status status = b->job(b->context, index, err);
    yk_crew_lend(before);
    const moment over = now(r);
    const double taken = between(&begun, &over), own = taken - r->within;
    r->depth -= single;
    r->inside = false;
    r->within = outside + taken;
    if (single) r->stage++; /* behind those inside it */
    put(r, b->who ? b->who[index] : index, own > 0.0 ? own : 0.0,
        b->sends ? b->sends(b->context, index) : 0.0,
        r->crew ? YK_TASK_NEAR : b->alone && b->alone[index]);
    return status;
}

static yoke_status record(void *self, const yk_batch *batch, yoke_err *err)
{
    recorder *r = self;
    recorded all = { .r = r,
                     .batch = batch,
                     .single = batch->count == 1 || !yk_batch_pays(batch) };
    yk_batch b = *batch;

    if (r->inside || batch->count == 0) return yk_batch_in_order(batch, err);
    b.job = run_one;
    b.context = &all;
    r->stage++;
    if (r->depth == 0) put_rest(r);
    const yoke_status status = yk_batch_in_order(&b, err);
    r->last = now(r);
    if (status != YOKE_OK) return status;
    return check(r, err);
}

static int recorded_jobs(const void *self)
{
    (void)self;
    return 1;
}

static void recorder_free(void *self)
{
    recorder *r = self;

    if (!r) return;
    if (r->file) fclose(r->file);
    if (r->line >= 0) close(r->line);
    YK_FREE(r->name, r);
}

static const yk_executor_ops recorded_ops = {
    .kind = "recorded",
    .run = record,
    .jobs = recorded_jobs,
    .free = recorder_free,
};

bool yk_executor_is_recorded(const yk_executor *executor)
{
    return executor->ops == &recorded_ops;
}

void yk_tasks_plan(yk_executor *executor)
{
    if (yk_executor_is_recorded(executor)) ((recorder *)executor->self)->plan++;
}

yoke_status yk_tasks_flush(yk_executor *executor, yoke_err *err)
{
    recorder *r = executor->self;

    r->stage++;
    put_rest(r);
    r->last = now(r);
    fflush(r->file);
    return check(r, err);
}

yoke_status yk_executor_recorded(yk_executor *out, const char *file,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    recorder *r = NULL;

    YK_TRY(YK_NEW(&r, 1, err));
    YK_GO(yk_copy_text(&r->name, file, err));
    r->file = fopen(file, "we");
    if (!r->file)
        YK_GO(yk_fail(err, YOKE_E_FILE, "cannot write %s: %s", file,
                      strerror(errno)));
    fputs("plan,stage,task,seconds,bytes,alone\n", r->file);
    YK_GO(check(r, err));
    r->last = now(r);
    *out = (yk_executor){ &recorded_ops, r };
    r = NULL;
done:
    recorder_free(r);
    return status;
}
