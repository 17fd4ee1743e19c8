/* mpi/serve.c -- the life of a rank that is not 0: it says whether it could read
 * the system, makes the units that it is told to, and serves them until rank 0
 * says goodbye.  While it computes it looks for messages between two steps, so
 * that it can be stopped, and what comes meanwhile waits in line.
 */
#define _GNU_SOURCE
#include "mpi/ranks.h"
#include "mpi/served.h"

#include "base/base.h"
#include "graph/graph.h"
#include "yoke/run.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Answers wait for those of the same stage, but no longer than this: others can
 * go on with them.  Seconds; a message takes some microseconds to some ten. */
static const double LATE = 1e-3;

typedef struct line {
    yk_bytes content;
    struct line *next;
} line;

typedef struct server {
    yoke_model *model;
    yoke_graph *graph;
    yoke_schedule schedule; /* of the last PLAN */
    bool *extra;
    yk_served **unit; /* by handle */
    size_t room;
    int units;
    line *first, *last, *unused; /* messages in line */
    long now, stop; /* request that is done; those up to this are to end */
    yk_bytes in, out;
} server;

/* ---- signals ------------------------------------------------------------- */

static const double patience = 5.0; /* seconds */
static volatile sig_atomic_t told;  /* a signal has come */

static void on_signal(int number)
{
    (void)number;
    told = 1;
}

/* Handlers, unlike SIG_IGN, are not inherited by workers. */
void yk_serve_outlive(void)
{
    static const int list[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    for (int i = 0; i < 3; i++) (void)sigaction(list[i], &action, NULL);
}

/* ---- messages in line ---------------------------------------------------- */

/* STOP is heard at once; everything else waits. */
static bool hear(server *s)
{
    yk_mail_head head = { YK_MAIL_BYE, 0, 0 };
    int from = 0;

    if (!yk_link_receive(&s->in, &from)) return false;
    yk_bytes_get(&s->in, &head, sizeof head);
    if (head.kind == YK_MAIL_STOP) {
        s->stop = head.number;
        return true;
    }
    line *l = s->unused;
    if (l)
        s->unused = l->next;
    else if (YK_NEW(&l, 1, NULL) != YOKE_OK)
        _exit(1); /* nobody would know what was lost */
    s->in.at = 0;
    yk_bytes_swap(&l->content, &s->in);
    l->next = NULL;
    if (s->last)
        s->last->next = l;
    else
        s->first = l;
    s->last = l;
    return true;
}

static bool is_stopped(void *context)
{
    server *s = context;

    if (yk_link_waits() > LATE) yk_link_flush();
    while (hear(s)) {
    }
    return s->now <= s->stop;
}

/* The next message, in `in`, whose head was read. */
static yk_mail_head next(server *s)
{
    yk_mail_head head = { YK_MAIL_BYE, 0, 0 };

    double since = yk_clock();
    while (hear(s)) {
    }
    if (!s->first || yk_link_waits() > LATE) yk_link_flush();
    for (int idle = 0; !s->first; idle++) {
        if (hear(s)) {
            since = yk_clock();
            continue;
        }
        if (told && yk_clock() - since > patience) _exit(1);
        yk_link_rest(idle);
    }
    line *l = s->first;
    s->first = l->next;
    if (!s->first) s->last = NULL;
    yk_bytes_swap(&s->in, &l->content);
    yk_bytes_clear(&l->content);
    l->next = s->unused;
    s->unused = l;
    yk_bytes_get(&s->in, &head, sizeof head);
    return head;
}

/* ---- what they ask for --------------------------------------------------- */

static void forget_plan(server *s)
{
    YK_FREE(s->schedule.cluster, s->extra);
    s->schedule = (yoke_schedule){ 0 };
    s->extra = NULL;
}

static yoke_status take_plan(server *s, yoke_err *err)
{
    forget_plan(s);
    const int nodes = yk_bytes_get_int(&s->in),
              clusters = yk_bytes_get_int(&s->in);
    const bool lag_self = yk_bytes_get_int(&s->in);
    const int outputs = yk_bytes_get_int(&s->in);

    YK_TRY(yk_bytes_check(&s->in, err));
    YK_TRY(yk_ints(&s->schedule.cluster, (size_t)nodes + 1, err));
    YK_TRY(YK_NEW(&s->extra, outputs + 1, err));
    yk_bytes_get(&s->in, s->schedule.cluster,
                 (size_t)nodes * sizeof *s->schedule.cluster);
    yk_bytes_get(&s->in, s->extra, (size_t)outputs * sizeof *s->extra);
    s->schedule.nodes = nodes;
    s->schedule.clusters = clusters;
    s->schedule.lag_self = lag_self;
    return yk_bytes_check(&s->in, err);
}

static yoke_status keep(server *s, int handle, yk_served *unit, yoke_err *err)
{
    const size_t before = s->room;

    YK_TRY(yk_grow((void **)&s->unit, &s->room, (size_t)handle + 1,
                   sizeof *s->unit, err));
    for (size_t i = before; i < s->room; i++) s->unit[i] = NULL;
    s->unit[handle] = unit;
    if (handle >= s->units) s->units = handle + 1;
    return YOKE_OK;
}

static void make(server *s, const yk_mail_head *head, yk_bytes *in)
{
    yk_served *unit = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = yk_served_create(&unit, s->graph, &s->schedule,
                                          s->extra, in, is_stopped, s, &err);

    if (status == YOKE_OK) status = keep(s, head->handle, unit, &err);
    if (status == YOKE_OK) {
        yk_served_tell_shape(unit, &s->out);
        return;
    }
    yk_served_free(unit);
    yk_bytes_put_int(&s->out, status);
    yk_bytes_put_text(&s->out, err.text);
}

static yk_served *find(const server *s, int handle)
{
    return handle >= 0 && handle < s->units ? s->unit[handle] : NULL;
}

static void answer(server *s, const yk_mail_head *head)
{
    yk_served *unit = find(s, head->handle);
    yk_bytes in = { 0 };

    s->now = head->number;
    yk_bytes_clear(&s->out);
    yk_ranks_head(&s->out, YK_MAIL_ANSWER, head->handle);
    yk_bytes_swap(&in, &s->in); /* `hear` uses that */
    if (head->kind == YK_MAIL_MAKE) {
        make(s, head, &in);
    } else if (head->kind == YK_MAIL_ASK) {
        yk_away_serve(s->graph, &in, &s->out);
    } else if (unit) {
        yk_served_call(unit, &in, &s->out);
    } else {
        yk_bytes_put_int(&s->out, YOKE_E_CALLBACK);
        yk_bytes_put_text(&s->out, "a unit is not there");
    }
    yk_bytes_swap(&in, &s->in);
    yk_bytes_free(&in);
    if (yk_link_send(0, &s->out, NULL) != YOKE_OK) _exit(1);
}

static void drop(server *s, int handle)
{
    yk_served *unit = find(s, handle);

    if (unit) s->unit[handle] = NULL;
    yk_served_free(unit);
}

static void say_hello(server *s, const char *failed)
{
    const long process = (long)getpid();
    const unsigned long print = s->model ? yk_place_print(s->graph) : 0;

    yk_bytes_clear(&s->out);
    yk_ranks_head(&s->out, YK_MAIL_HELLO, 0);
    yk_bytes_put(&s->out, &process, sizeof process);
    yk_bytes_put(&s->out, &print, sizeof print);
    yk_bytes_put_text(&s->out, failed);
    if (yk_link_send(0, &s->out, NULL) != YOKE_OK) _exit(1);
    yk_link_flush();
}

static void clear(server *s)
{
    for (int i = 0; i < s->units; i++) yk_served_free(s->unit[i]);
    for (int k = 0; k < 2; k++)
        for (line *l = k ? s->unused : s->first, *then = NULL; l; l = then) {
            then = l->next;
            yk_bytes_free(&l->content);
            yk_free(l);
        }
    yk_bytes_free(&s->in);
    yk_bytes_free(&s->out);
    forget_plan(s);
    yk_free(s->unit);
}

int yk_serve(yoke_model *model, double start, const char *failed)
{
    server s = { .model = model };
    double *weight = NULL;
    yoke_err err = { YOKE_OK, "" };

    if (model) s.graph = yoke_model_graph(model);
    /* As a run does: tolerances are those of all who read a system. */
    if (model && yk_graph_weigh(s.graph, start, &weight, &err) != YOKE_OK)
        failed = err.text;
    yk_free(weight);
    say_hello(&s, failed);
    for (;;) {
        const yk_mail_head head = next(&s);
        if (head.kind == YK_MAIL_BYE && head.handle != 0) _exit(0);
        if (head.kind == YK_MAIL_BYE) break;
        if (head.kind == YK_MAIL_PLAN && take_plan(&s, &err) != YOKE_OK) break;
        if (head.kind == YK_MAIL_FREE) drop(&s, head.handle);
        if (head.kind == YK_MAIL_MAKE || head.kind == YK_MAIL_CALL ||
            head.kind == YK_MAIL_ASK)
            answer(&s, &head);
    }
    clear(&s);
    return 0;
}
