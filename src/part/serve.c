/* part/serve.c -- the worker's side of a closed part.
 *
 * Three kinds of processes.  The *supervisor* was started by yoke, does
 * nothing but wait, and reports the death of the base; processes whose parents
 * have ended become its children.  The *base* has the engine in the state of the
 * last accepted point.  Where the engine cannot go back, a sweep runs in a
 * *copy* of the base, which waits for the verdict:
 *
 *     accept   the copy ends the base and is the base from now on;
 *     back     the copy ends, the base reads the next message.
 *
 * Memory is copied on write, so a copy costs what the sweep changes.  All of
 * them end with yoke, however that ends.
 */
#define _GNU_SOURCE
#include "part/channel.h"
#include "part/manners.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct yk_part_server {
    yk_part_channel *channel;
    const yk_part_maker *makers;
    yk_part_engine engine;
    bool made, replay; /* replay: there are no copies */
    pid_t supervisor;
    bool asked, goes_back; /* see yk_part_engine */
    yk_wave *u, *y;
    double *u0, *y0;
    double *mark; /* of the sweep */
    size_t mark_room;
} server;

/* ---- settings ---------------------------------------------------------- */

/* A limit that is there and lower stays. */
static yoke_status limit_memory(double bytes, yoke_err *err)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)bytes, (void)err;
    return YOKE_OK; /* they map more than there is */
#else
    struct rlimit limit;

    if (!(bytes > 0.0) || getrlimit(RLIMIT_AS, &limit) != 0) return YOKE_OK;
    if (limit.rlim_max > (rlim_t)bytes) limit.rlim_max = (rlim_t)bytes;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return yk_fail(err, YOKE_E_ARG, "cannot limit memory to %g bytes: %s",
                       bytes, strerror(errno));
    return YOKE_OK;
#endif
}

static yoke_status read_spec(server *s, yk_part_spec *spec, const char ***list,
                             yoke_err *err)
{
    const yk_part_channel *c = s->channel;
    size_t at = yk_channel_begin();
    int numbers[5] = { 0 };
    double limits[2] = { 0.0 };

    YK_TRY(yk_channel_get(c, &at, numbers, sizeof numbers, err));
    YK_TRY(yk_channel_get(c, &at, limits, sizeof limits, err));
    YK_TRY(yk_channel_get_text(c, &at, &spec->name, err));
    YK_TRY(yk_channel_get_text(c, &at, &spec->kind, err));
    spec->settings = numbers[0];
    spec->m = numbers[1];
    spec->p = numbers[2];
    spec->replay = numbers[3] != 0;
    s->replay = spec->replay || numbers[4];
    spec->seconds = limits[0];
    spec->bytes = limits[1];
    YK_TRY(YK_NEW(list, 2 * spec->settings + 1, err));
    for (int i = 0; i < 2 * spec->settings; i++)
        YK_TRY(yk_channel_get_text(c, &at, &(*list)[i], err));
    spec->key = *list;
    spec->value = *list + spec->settings;
    return YOKE_OK;
}

static yoke_status make_engine(server *s, const yk_part_spec *spec,
                               yoke_err *err)
{
    for (const yk_part_maker *m = s->makers; m->kind; m++)
        if (strcmp(m->kind, spec->kind) == 0)
            return m->make(spec, &s->engine, err);
    return yk_fail(err, YOKE_E_MISSING, "this worker has no engine \"%s\"",
                   spec->kind);
}

static yoke_status make(server *s, yoke_err *err)
{
    yk_part_spec spec = { 0 };
    const char **list = NULL;
    yoke_status status;

    YK_GO(read_spec(s, &spec, &list, err));
    YK_GO(yk_wave_create(&s->u, spec.m, err));
    YK_GO(yk_wave_create(&s->y, spec.p, err));
    YK_GO(yk_doubles(&s->u0, (size_t)spec.m + 1, err));
    YK_GO(yk_doubles(&s->y0, (size_t)spec.p + 1, err));
    YK_GO(limit_memory(spec.bytes, err));
    YK_GO(make_engine(s, &spec, err));
    s->made = true;
done:
    yk_free(list);
    return status;
}

/* ---- start, sweep, accept ---------------------------------------------- */

static yoke_status start(server *s, double t, yoke_err *err)
{
    const yk_propagator *p = &s->engine.propagator;
    size_t at = yk_channel_begin();

    YK_TRY(yk_channel_get(s->channel, &at, s->u0, (size_t)p->m * sizeof(double),
                          err));
    YK_TRY(p->ops->start(p->self, t, NULL, s->u0, s->y0, err));
    at = yk_channel_begin();
    return yk_channel_put(s->channel, &at, s->y0, (size_t)p->p * sizeof(double),
                          err);
}

/* Behind the waveform: the instants of the sweep. */
static yoke_status write_instants(server *s, size_t *at, yk_part_message *reply,
                                  yoke_err *err)
{
    const yk_propagator *p = &s->engine.propagator;
    const double *t = NULL;

    if (!p->ops->instants) return YOKE_OK;
    reply->instants = p->ops->instants(p->self, &t);
    return yk_channel_put(s->channel, at, t,
                          (size_t)reply->instants * sizeof(double), err);
}

static yoke_status read_marks(server *s, size_t *at, int marks, yoke_err *err)
{
    const size_t count = marks > 0 ? 2 * (size_t)marks : 0;

    YK_TRY(YK_GROW(&s->mark, &s->mark_room, count + 1, err));
    YK_TRY(
        yk_channel_get(s->channel, at, s->mark, count * sizeof *s->mark, err));
    if (s->engine.mark)
        s->engine.mark(s->engine.propagator.self, marks, s->mark);
    return YOKE_OK;
}

static yoke_status sweep(server *s, double t, yk_part_message *reply,
                         yoke_err *err)
{
    const yk_propagator *p = &s->engine.propagator;
    size_t at = yk_channel_begin();

    YK_TRY(yk_channel_get_wave(s->channel, &at, s->u, err));
    YK_TRY(read_marks(s, &at, reply->marks, err));
    if (s->engine.divide) s->engine.divide(p->self, reply->steps);
    if (s->engine.look)
        s->engine.look(p->self, reply->look_from, reply->look_to);
    YK_TRY(p->ops->sweep(p->self, t, s->u, s->y, err));
    at = yk_channel_begin();
    YK_TRY(yk_channel_put_wave(s->channel, &at, s->y, err));
    return write_instants(s, &at, reply, err);
}

static yk_part_way way(const server *s)
{
    if (s->goes_back) return YK_PART_BY_STATE;
    return s->replay || yk_part_threads() > 1 ? YK_PART_BY_REPLAY
                                              : YK_PART_BY_FORK;
}

static void fill(server *s, yk_part_message *reply, yoke_status status,
                 const yoke_err *err)
{
    const yk_propagator *p = &s->engine.propagator;

    reply->word = YK_PART_DONE;
    reply->status = status;
    if (status != YOKE_OK)
        snprintf(reply->text, sizeof reply->text, "%s",
                 err->text[0] ? err->text : yoke_status_text(status));
    if (s->made) {
        reply->way = way(s);
        reply->divides = s->engine.divide != NULL;
        reply->halves = s->engine.halves;
        reply->minds = s->engine.mark != NULL;
        reply->looks = s->engine.look && s->supervisor && !s->replay &&
                       yk_part_threads() == 1;
        p->ops->work(p->self, &reply->work);
        reply->step = p->ops->step ? p->ops->step(p->self) : 0.0;
    }
}

/* Does what is asked; false: it cannot. */
static bool obey(server *s, const yk_part_message *asked,
                 yk_part_message *reply)
{
    const yk_propagator *p = &s->engine.propagator;
    yoke_err err = { 0 };
    yoke_status status = YOKE_OK;
    yk_manners own;

    yk_manners_keep(&own);
    *reply = (yk_part_message){ .t = asked->t,
                                .steps = asked->steps,
                                .look_from = asked->look_from,
                                .look_to = asked->look_to,
                                .marks = asked->marks };

    switch (asked->word) {
    case YK_PART_MAKE:
        status = make(s, &err);
        break;
    case YK_PART_START:
        status = start(s, asked->t, &err);
        break;
    case YK_PART_SWEEP:
        status = sweep(s, asked->t, reply, &err);
        break;
    case YK_PART_ACCEPT:
        status = p->ops->accept(p->self, &err);
        break;
    default:
        return false;
    }
    yk_manners_put_back(&own);
    fill(s, reply, status, &err);
    return true;
}

static bool serve_one(server *s, const yk_part_message *asked)
{
    yk_part_message reply;

    return obey(s, asked, &reply) && yk_channel_send(s->channel, &reply);
}

/* The answer to what could not even be begun. */
static void refuse(server *s, const yk_part_message *asked, yoke_status status,
                   const yoke_err *err, yk_part_message *reply)
{
    *reply = (yk_part_message){ .t = asked->t };
    fill(s, reply, status, err);
}

/* ---- copies ------------------------------------------------------------ */

static void report_death(server *s, int state)
{
    yk_part_message message = { .word = YK_PART_DIED };

    if (WIFSIGNALED(state)) message.signal = WTERMSIG(state);
    if (WIFEXITED(state)) message.code = WEXITSTATUS(state);
    yk_channel_send(s->channel, &message);
}

/* The copy takes the place of the base.  The kernel gives a child its new parent
 * first and sends the signal of its old one's death then, so that signal may be
 * asked for again only when the supervisor has seen the old base end. */
static void take_over(server *s)
{
    const pid_t old = getppid();

    if (old == s->supervisor) _exit(1); /* the base has ended */
    prctl(PR_SET_PDEATHSIG, 0);
    yk_channel_head(s->channel)->base = getpid();
    kill(old, SIGKILL);
    while (kill(old, 0) == 0) sched_yield();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != s->supervisor) _exit(1); /* it has ended meanwhile */
}

/* In the copy: the sweep, then the verdict.  Returns only as the base. */
static bool be_copy(server *s, const yk_part_message *asked)
{
    yk_part_message verdict;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!serve_one(s, asked)) _exit(1);
    if (!yk_channel_receive(s->channel, &verdict) ||
        verdict.word != YK_PART_ACCEPT) {
        yk_channel_head(s->channel)->dropped = getpid();
        _exit(0);
    }
    take_over(s);
    return serve_one(s, &verdict);
}

static bool sweep_in_copy(server *s, const yk_part_message *asked)
{
    yk_part_head *head = yk_channel_head(s->channel);
    int state = 0;

    head->dropped = 0;
    const pid_t copy = yk_part_copy();
    if (copy == 0) return be_copy(s, asked);
    if (copy < 0) {
        yoke_err err = { 0 };
        yk_part_message reply;

        yk_fail(&err, YOKE_E_MEMORY, "no copy of the part for a sweep: %s",
                strerror(errno));
        refuse(s, asked, YOKE_E_MEMORY, &err, &reply);
        return yk_channel_send(s->channel, &reply);
    }
    while (waitpid(copy, &state, 0) < 0 && errno == EINTR) {
    }
    if (head->dropped != copy) report_death(s, state);
    return true;
}

/* Before the first sweep: can the engine go back by itself? */
static yoke_status ask_engine(server *s, const yk_part_message *asked,
                              yoke_err *err)
{
    const yk_part_engine *e = &s->engine;
    size_t at = yk_channel_begin();

    if (s->asked || asked->word != YK_PART_SWEEP) return YOKE_OK;
    if (e->goes_back) {
        YK_TRY(yk_channel_get_wave(s->channel, &at, s->u, err));
        if (e->divide) e->divide(e->propagator.self, asked->steps);
        s->goes_back = e->goes_back(e->propagator.self, asked->t, s->u, s->y);
    }
    s->asked = true;
    return YOKE_OK;
}

/* ---- processes --------------------------------------------------------- */

static void serve(server *s)
{
    yk_part_message asked;
    bool go_on = true;

    while (go_on && yk_channel_receive(s->channel, &asked) &&
           asked.word != YK_PART_QUIT) {
        yoke_err err = { 0 };

        if (asked.word == YK_PART_BACK) continue; /* nothing to end */
        if (yk_channel_follow(s->channel, asked.bytes, &err) != YOKE_OK) break;
        if (!s->made && asked.word != YK_PART_MAKE) break;
        const yoke_status status = ask_engine(s, &asked, &err);
        if (status != YOKE_OK) {
            yk_part_message reply;
            refuse(s, &asked, status, &err, &reply);
            go_on = yk_channel_send(s->channel, &reply);
            continue;
        }
        go_on = asked.word == YK_PART_SWEEP && way(s) == YK_PART_BY_FORK
                    ? sweep_in_copy(s, &asked)
                    : serve_one(s, &asked);
    }
    yk_channel_head(s->channel)->quitting = 1;
}

static void free_server(server *s)
{
    const yk_propagator *p = &s->engine.propagator;

    if (s->made) p->ops->free(p->self);
    yk_wave_free(s->u);
    yk_wave_free(s->y);
    YK_FREE(s->u0, s->y0, s->mark);
}

/* ---- without a process of its own -------------------------------------- */

yoke_status yk_part_server_create(yk_part_server **out,
                                  yk_part_channel *channel,
                                  const yk_part_maker *makers, yoke_err *err)
{
    YK_TRY(YK_NEW(out, 1, err));
    (*out)->channel = channel;
    (*out)->makers = makers;
    return YOKE_OK;
}

void yk_part_server_ask(yk_part_server *s, yk_part_message *message)
{
    const yk_part_message asked = *message;
    yoke_err err = { 0 };
    const yoke_status status = ask_engine(s, &asked, &err);

    if (status != YOKE_OK)
        refuse(s, &asked, status, &err, message);
    else if (!obey(s, &asked, message))
        message->word = YK_PART_DIED;
    message->bytes = s->channel->bytes;
}

void yk_part_server_free(yk_part_server *s)
{
    if (s) free_server(s);
    yk_free(s);
}

/* ---- the worker -------------------------------------------------------- */

/* Yoke has ended, or somebody wants the part to end. */
static void end_everything(int signal)
{
    (void)signal;
    yk_part_end_children(getpid());
    _exit(1);
}

/* Waits for the end of the base; others that end are of no interest. */
static void supervise(server *s)
{
    const yk_part_head *head = yk_channel_head(s->channel);
    int state = 0;

    for (;;) {
        const pid_t ended = waitpid(-1, &state, 0);

        if (ended < 0 && errno == EINTR) continue;
        if (ended < 0) return;
        if (ended != head->base) continue;
        if (!head->quitting) report_death(s, state);
        return; /* what it has begun besides is ended behind it */
    }
}

bool yk_part_is_worker(void)
{
    int type = 0;
    socklen_t size = sizeof type;

    return getsockopt(YK_PART_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
           type == SOCK_SEQPACKET;
}

int yk_part_serve(int socket, int memory, const yk_part_maker *makers)
{
    yk_part_channel channel;
    server s = { .channel = &channel, .makers = makers };
    const pid_t yoke = getppid();

    if (yk_channel_open(&channel, socket, memory, NULL) != YOKE_OK) return 1;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != yoke) return 1; /* it has ended meanwhile */

    s.supervisor = getpid();
    const pid_t base = fork();
    if (base < 0) return 1;
    if (base > 0) {
        signal(SIGTERM, end_everything);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != yoke) end_everything(SIGTERM);
        supervise(&s);
        yk_part_end_children(getpid());
        yk_channel_close(&channel);
        return 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* By the base itself: the supervisor may get to run when a copy of it has
     * taken its place already. */
    yk_channel_head(&channel)->base = getpid();
    serve(&s);
    free_server(&s);
    yk_channel_close(&channel);
    return 0;
}
