/* exec/replay.c -- how long a recorded run takes on other machines (tasks.h).
 *
 * Stages come one after the other, and what nobody shares lies between them.
 *
 * Threads take the tasks of a stage, the longest first, each the next one when it
 * is free (exec/threads.c); a stage that is given to them costs a latency.
 *
 * Ranks have their tasks for good, since each builds only its own: by the sum of
 * what each took in a plan, the largest first, to the rank that has least.  A
 * stage takes the rank that has most of it, and then everybody gets the waveforms
 * of all that are not his own: a tree of messages, log2 P latencies, and all bytes
 * of the stage through the link of one rank.
 */
#include "base/base.h"
#include "base/compare.h"
#include "exec/tasks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct task {
    int who;
    double seconds, bytes;
    bool alone, near; /* not at once with others that are; of one rank */
} task;

typedef struct row {
    int plan;
    long stage;
    task task;
} row;

typedef struct replay {
    const char *name;
    FILE *file;
    int machines;
    const yk_machine *machine;
    yk_replayed *out;

    row next; /* the first one of the next stage */
    bool more;

    /* Of a plan: how many numbers, what they took, and the rank of each on every
     * machine. */
    int *wide, plans;
    size_t plan_room;
    long *first;      /* of each plan, into what follows */
    yk_ranked *owner; /* who has how many seconds */
    int *rank;        /* [machine][first + who] */
    long owners;

    task *stage;
    int tasks;
    size_t stage_room;
    double *load; /* of each thread or rank */
} replay;

static void replay_clear(replay *r)
{
    if (r->file) fclose(r->file);
    YK_FREE(r->wide, r->first, r->owner, r->rank, r->stage, r->load);
}

/* ---- reading ---------------------------------------------------------------- */

static yoke_status read_row(replay *r, yoke_err *err)
{
    char line[200];
    int alone = 0;
    row *n = &r->next;

    r->more = fgets(line, sizeof line, r->file) != NULL;
    if (!r->more) return YOKE_OK;
    if (sscanf(line, "%d,%ld,%d,%lf,%lf,%d", &n->plan, &n->stage, &n->task.who,
               &n->task.seconds, &n->task.bytes, &alone) != 6 ||
        n->plan < 0 || n->plan > 1000000 || n->task.who < -1 ||
        n->task.who > 100000000 || !(n->task.seconds >= 0.0))
        return yk_fail(err, YOKE_E_FILE, "%s: \"%.60s\" is not a task", r->name,
                       line);
    n->task.alone = alone == 1;
    n->task.near = alone == YK_TASK_NEAR;
    return YOKE_OK;
}

static yoke_status open_again(replay *r, yoke_err *err)
{
    char line[200];

    if (r->file) fclose(r->file);
    r->file = fopen(r->name, "re");
    if (!r->file)
        return yk_fail(err, YOKE_E_FILE, "cannot read %s: %s", r->name,
                       strerror(errno));
    if (!fgets(line, sizeof line, r->file) ||
        strcmp(line, "plan,stage,task,seconds,bytes,alone\n") != 0)
        return yk_fail(err, YOKE_E_FILE, "%s is not a file of tasks", r->name);
    return read_row(r, err);
}

/* The tasks of the next stage; *serial: what lies before it. */
static yoke_status read_stage(replay *r, int *plan, double *serial,
                              yoke_err *err)
{
    const long stage = r->next.stage;

    r->tasks = 0;
    *serial = 0.0;
    *plan = r->next.plan;
    while (r->more && r->next.stage == stage) {
        if (r->next.task.who < 0) {
            *serial += r->next.task.seconds;
        } else {
            YK_TRY(YK_GROW(&r->stage, &r->stage_room, r->tasks + 1, err));
            r->stage[r->tasks++] = r->next.task;
        }
        YK_TRY(read_row(r, err));
    }
    return YOKE_OK;
}

/* ---- whose they are ----------------------------------------------------------- */

static yoke_status count_numbers(replay *r, yoke_err *err)
{
    YK_TRY(open_again(r, err));
    while (r->more) {
        const int plan = r->next.plan, who = r->next.task.who;
        YK_TRY(YK_GROW(&r->wide, &r->plan_room, plan + 1, err));
        while (r->plans <= plan) r->wide[r->plans++] = 0;
        if (who >= r->wide[plan]) r->wide[plan] = who + 1;
        YK_TRY(read_row(r, err));
    }
    YK_TRY(YK_NEW(&r->first, r->plans + 1, err));
    for (int p = 0; p < r->plans; p++)
        r->first[p + 1] = r->first[p] + r->wide[p];
    r->owners = r->first[r->plans];
    return YOKE_OK;
}

static yoke_status add_up(replay *r, yoke_err *err)
{
    YK_TRY(YK_NEW(&r->owner, r->owners, err));
    YK_TRY(YK_NEW(&r->rank, (size_t)r->owners * (size_t)r->machines, err));
    for (int p = 0; p < r->plans; p++)
        for (int k = 0; k < r->wide[p]; k++)
            r->owner[r->first[p] + k].index = k;
    YK_TRY(open_again(r, err));
    while (r->more) {
        if (r->next.task.who >= 0 && !r->next.task.near)
            r->owner[r->first[r->next.plan] + r->next.task.who].amount +=
                r->next.task.seconds;
        YK_TRY(read_row(r, err));
    }
    return YOKE_OK;
}

static int least_loaded(const double *load, int count)
{
    int best = 0;

    for (int k = 1; k < count; k++)
        if (load[k] < load[best]) best = k;
    return best;
}

static void clear_loads(replay *r, int count)
{
    for (int k = 0; k < count; k++) r->load[k] = 0.0;
}

/* The largest first, to the rank that has least. */
static void distribute(replay *r)
{
    for (int p = 0; p < r->plans; p++) {
        yk_ranked *o = r->owner + r->first[p];
        qsort(o, (size_t)r->wide[p], sizeof *o, yk_compare_ranked);
        for (int m = 0; m < r->machines; m++) {
            int *rank = r->rank + (long)m * r->owners + r->first[p];
            const int count = r->machine[m].count;
            clear_loads(r, count);
            for (int k = 0; k < r->wide[p]; k++) {
                const int to = k < count ? k : least_loaded(r->load, count);
                rank[o[k].index] = to;
                r->load[to] += o[k].amount;
            }
        }
    }
}

/* ---- stages ---------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const task *x = a, *y = b;

    if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
    return (x->who > y->who) - (x->who < y->who);
}

static double largest(const double *load, int count)
{
    double most = 0.0;

    for (int k = 0; k < count; k++) most = fmax(most, load[k]);
    return most;
}

/* Those that must be alone are taken by the calling thread, first.  A stage that
 * the threads do not make shorter stays where it is. */
static void on_threads(replay *r, const yk_machine *m, yk_replayed *out)
{
    const int count = m->count < r->tasks ? m->count : r->tasks;
    double sum = 0.0;

    clear_loads(r, count);
    for (int k = 0; k < r->tasks; k++) {
        sum += r->stage[k].seconds;
        if (r->stage[k].alone) r->load[0] += r->stage[k].seconds;
    }
    for (int k = 0; k < r->tasks; k++)
        if (!r->stage[k].alone)
            r->load[least_loaded(r->load, count)] += r->stage[k].seconds;
    out->seconds += fmin(sum, largest(r->load, count) + m->latency);
}

static void on_ranks(replay *r, int machine, int plan, yk_replayed *out)
{
    const yk_machine *m = &r->machine[machine];
    const int *rank = r->rank + (long)machine * r->owners + r->first[plan];
    double bytes = 0.0, sending = 0.0;

    r->load[0] = 0.0; /* of what is near, too */
    for (int k = 0; k < r->tasks; k++) r->load[rank[r->stage[k].who]] = 0.0;
    double most = 0.0;
    for (int k = 0; k < r->tasks; k++) {
        const task *t = &r->stage[k];
        double *load = &r->load[t->near ? 0 : rank[t->who]];
        *load += t->seconds;
        most = fmax(most, *load);
        bytes += t->bytes;
    }
    if (bytes > 0.0 && m->count > 1)
        sending = m->latency * ceil(log2(m->count)) + bytes / m->bandwidth;
    out->seconds += most + sending;
    out->sending += sending;
}

static yoke_status run_through(replay *r, yoke_err *err)
{
    YK_TRY(open_again(r, err));
    while (r->more) {
        double serial = 0.0;
        int plan = 0;
        YK_TRY(read_stage(r, &plan, &serial, err));
        if (r->tasks > 0)
            qsort(r->stage, (size_t)r->tasks, sizeof *r->stage, by_length);
        for (int m = 0; m < r->machines; m++) {
            r->out[m].serial += serial;
            r->out[m].seconds += serial;
            if (r->tasks == 0) continue;
            if (r->machine[m].threads)
                on_threads(r, &r->machine[m], &r->out[m]);
            else
                on_ranks(r, m, plan, &r->out[m]);
        }
    }
    return YOKE_OK;
}

yoke_status yk_tasks_replay(const char *file, int machines,
                            const yk_machine *machine, yk_replayed *out,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    replay r = {
        .name = file, .machines = machines, .machine = machine, .out = out
    };
    int most = 1;

    for (int m = 0; m < machines; m++) {
        out[m] = (yk_replayed){ 0.0, 0.0, 0.0 };
        if (machine[m].count > most) most = machine[m].count;
    }
    YK_GO(yk_doubles(&r.load, (size_t)most, err));
    YK_GO(count_numbers(&r, err));
    YK_GO(add_up(&r, err));
    distribute(&r);
    YK_GO(run_through(&r, err));
done:
    replay_clear(&r);
    return status;
}
