/* mpi/remote.c -- a unit in another rank as a propagator.
 *
 * Calls that return nothing are kept and go with the next one that is answered.
 * What the iteration asks between two calls (steps, work, instants, whether steps
 * can be corrected) came with the last answer, as far as it changed.  Inputs that
 * the unit has already, such as those of a correction that is looked at again, are
 * not sent again.  The watched waveform comes with
 * acceptance, when it is recorded.  The system of the unit is here, too, for
 * initial values, spot checks and warnings; its memory follows that of the other.
 */
#include "mpi/ranks.h"

#include "base/base.h"
#include "sys/call.h"
#include "sys/closed.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct remote {
    yk_kept *kept;
    yk_mail mail;
    yk_bytes out;  /* calls that wait */
    yk_bytes told; /* with the last answer: facts */
    yk_echo sent;  /* inputs that the unit has */
    yk_unit_shape shape;
    yk_unit_facts facts;
    bool stale; /* the facts may have changed by a call that waits */
    yoke_system *system;
    void *memory;
    yk_elsewhere elsewhere;             /* of a closed part */
    const yk_elsewhere *early;          /* before its unit was made */
    char cost[YK_TOLD], doubt[YK_TOLD]; /* which it tells */
    bool *join;                         /* of the cluster, or NULL */
    double *instant;
    size_t instant_room;
    yk_wave *watched;
    bool watched_known;
    double *step_end; /* of the last sweep, where the equations are known */
    size_t step_room;
    int steps, stages;
    double stage[16];
    bool steps_known;
    bool *deep;
    yk_propagator_ops ops;
    yk_answer_ops answer;
    yk_tape_ops tape;
    yk_motion_ops motion;
    yk_handover_ops handover;
} remote;

/* ---- calls --------------------------------------------------------------- */

static yk_bytes *call(remote *r, yk_mpi_call what)
{
    if (r->out.used == 0) yk_ranks_head(&r->out, YK_MAIL_CALL, r->mail.handle);
    yk_bytes_put_int(&r->out, (int)what);
    return &r->out;
}

static void read_facts(remote *r, yk_bytes *answer)
{
    yk_bytes *in = &r->told;

    yk_bytes_get_changes(answer, in);
    if (answer->status != YOKE_OK) return;
    yk_bytes_get(in, &r->facts, sizeof r->facts);
    const int count = r->facts.instants;
    if (in->status == YOKE_OK &&
        YK_GROW(&r->instant, &r->instant_room, count + 1, NULL) != YOKE_OK)
        in->status = YOKE_E_MEMORY;
    yk_bytes_get_doubles(in, r->instant, count);
    if (r->shape.memory) {
        yk_bytes_get(in, r->memory, r->shape.memory);
        if (in->status == YOKE_OK) yk_system_restore(r->system, r->memory);
    }
    if (r->shape.closed) {
        snprintf(r->cost, sizeof r->cost, "%s", yk_bytes_get_text(in));
        snprintf(r->doubt, sizeof r->doubt, "%s", yk_bytes_get_text(in));
    }
    for (int k = 0; r->join && k < r->shape.m; k++) {
        unsigned char bit = 0;
        yk_bytes_get(in, &bit, 1);
        r->join[k] = bit != 0;
    }
    r->stale = false;
    answer->status = in->status;
}

/* Sends what waits and reads the head of the answer: the status of the call with
 * its message, and the facts.  The results follow in `mail`. */
static yoke_status ask(remote *r, yoke_err *err)
{
    yk_bytes *in = &r->mail.content;
    const yoke_status sent =
        yk_ranks_ask(r->kept->ranks, &r->mail, &r->out, err);

    if (sent != YOKE_OK) {
        yk_bytes_clear(&r->out);
        return sent;
    }
    const yoke_status status = (yoke_status)yk_bytes_get_int(in);
    const char *text = yk_bytes_get_text(in);
    if (status != YOKE_OK) yk_echo_forget(&r->sent); /* calls were left out */
    if (status != YOKE_OK && err) {
        err->status = status;
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    read_facts(r, in);
    /* The failure is told, not what it has left of the answer. */
    return in->status == YOKE_OK || status < 0 ? status
                                               : yk_bytes_check(in, err);
}

/* The results were read, if there are any: where it failed there need not be. */
static yoke_status done(remote *r, yoke_status status, yoke_err *err)
{
    if (status < 0) return status;
    const yoke_status read = yk_bytes_check(&r->mail.content, err);

    return read == YOKE_OK ? status : read;
}

/* Without results, and where nobody can be told of a failure: the next call that
 * can tells it. */
static void refresh(remote *r)
{
    if (!r->stale) return;
    call(r, YK_CALL_FACTS);
    (void)ask(r, NULL);
}

static void note_sweep(remote *r)
{
    r->watched_known = r->steps_known = false;
}

/* ---- windows ------------------------------------------------------------- */

static void read_deep(remote *r)
{
    for (int i = 0; r->deep && i < r->shape.n; i++) {
        unsigned char bit = 0;
        yk_bytes_get(&r->mail.content, &bit, 1);
        r->deep[i] = bit != 0;
    }
}

static yoke_status begin_at(remote *r, yk_mpi_call how, double t0,
                            const double *x0, const double *u0, double *y0,
                            yoke_err *err)
{
    yk_bytes *out = call(r, how);

    yk_bytes_put_double(out, t0);
    yk_bytes_put_int(out, x0 != NULL);
    if (x0) yk_bytes_put_doubles(out, x0, r->shape.n);
    yk_bytes_put_doubles(out, u0, r->shape.m);
    if (how != YK_CALL_START && r->shape.memory) {
        yk_system_save(r->system, r->memory);
        yk_bytes_put(out, r->memory, r->shape.memory);
    }
    note_sweep(r);
    const yoke_status status = ask(r, err);
    if (status != YOKE_OK) return status;
    yk_bytes_get_doubles(&r->mail.content, y0, r->shape.p);
    read_deep(r);
    return done(r, status, err);
}

static yoke_status remote_start(void *self, double t0, const double *x0,
                                const double *u0, double *y0, yoke_err *err)
{
    return begin_at(self, YK_CALL_START, t0, x0, u0, y0, err);
}

static yoke_status remote_take(void *self, double t0, const double *x0,
                               const double *u0, double *y0, yoke_err *err)
{
    return begin_at(self, YK_CALL_TAKE, t0, x0, u0, y0, err);
}

static yoke_status remote_join(void *self, double t0, const double *x0,
                               const double *u0, double *y0, yoke_err *err)
{
    return begin_at(self, YK_CALL_JOIN, t0, x0, u0, y0, err);
}

/* An answer that never came has no waveform. */
static yoke_status read_wave(remote *r, yoke_status status, yk_wave *y,
                             yoke_err *err)
{
    if (r->mail.content.at == r->mail.content.used) return done(r, status, err);
    yk_bytes_get_wave(&r->mail.content, y);
    return done(r, status, err);
}

static yoke_status remote_sweep(void *self, double t1, const yk_wave *u,
                                yk_wave *y, yoke_err *err)
{
    remote *r = self;
    yk_bytes *out = call(r, YK_CALL_SWEEP);

    yk_bytes_put_double(out, t1);
    yk_echo_put_wave(&r->sent, out, u);
    note_sweep(r);
    const yoke_status status = ask(r, err);
    return status < 0 ? status : read_wave(r, status, y, err);
}

static yoke_status remote_accept(void *self, yoke_err *err)
{
    remote *r = self;

    call(r, YK_CALL_ACCEPT);
    const yoke_status status = ask(r, err);
    if (status != YOKE_OK || !r->watched) return status;
    r->watched_known = true;
    return read_wave(r, status, r->watched, err);
}

static void remote_arrive(void *self, const double *u)
{
    remote *r = self;

    yk_bytes_put_doubles(call(r, YK_CALL_ARRIVE), u, r->shape.m);
}

static const yk_wave *remote_watched(void *self)
{
    remote *r = self;

    if (!r->watched_known) {
        call(r, YK_CALL_WATCHED);
        if (ask(r, NULL) == YOKE_OK) read_wave(r, YOKE_OK, r->watched, NULL);
        r->watched_known = true;
    }
    return r->watched;
}

static int remote_instants(void *self, const double **t)
{
    const remote *r = self;

    *t = r->instant;
    return r->facts.instants;
}

/* The system is here, with the memory that it has there. */
static double remote_next_break(void *self, double t)
{
    remote *r = self;

    if (!r->shape.closed) return yk_system_next_break(r->system, t);
    yk_bytes_put_double(call(r, YK_CALL_NEXT_BREAK), t);
    return ask(r, NULL) == YOKE_OK ? yk_bytes_get_double(&r->mail.content)
                                   : INFINITY;
}

static double remote_moved(void *self)
{
    return ((remote *)self)->facts.moved;
}

static yk_reading remote_reading(void *self)
{
    return ((remote *)self)->facts.reading;
}

static void remote_loosen(void *self, double factor)
{
    yk_bytes_put_double(call(self, YK_CALL_LOOSEN), factor);
}

static void remote_limit(void *self, long steps)
{
    yk_bytes_put(call(self, YK_CALL_LIMIT), &steps, sizeof steps);
}

static double remote_step(void *self)
{
    return ((remote *)self)->facts.step;
}

static bool remote_anew(void *self)
{
    return ((remote *)self)->facts.anew;
}

static bool remote_due(void *self)
{
    remote *r = self;

    call(r, YK_CALL_DUE);
    return ask(r, NULL) == YOKE_OK && yk_bytes_get_int(&r->mail.content) != 0;
}

static bool remote_quiet(void *self)
{
    remote *r = self;

    call(r, YK_CALL_QUIET);
    return ask(r, NULL) == YOKE_OK && yk_bytes_get_int(&r->mail.content) != 0;
}

static void remote_finish(void *self)
{
    call(self, YK_CALL_FINISH);
}

static yoke_status remote_forget(void *self, yoke_err *err)
{
    (void)err; /* what fails there is told with the next answer */
    call(self, YK_CALL_FORGET);
    return YOKE_OK;
}

static void remote_work(void *self, yoke_work *work)
{
    *work = ((remote *)self)->facts.work;
}

static void remote_free(void *self)
{
    remote *r = self;

    if (!r) return;
    if (r->shape.closed) yk_away_restore(r->kept->ranks, r->system);
    if (r->mail.rank > 0) {
        yk_bytes_clear(&r->out);
        yk_ranks_head(&r->out, YK_MAIL_FREE, r->mail.handle);
        (void)yk_ranks_tell(r->kept->ranks, r->mail.rank, &r->out, NULL);
        yk_ranks_close_mail(r->kept->ranks, &r->mail);
    }
    yk_bytes_free(&r->out);
    yk_bytes_free(&r->told);
    yk_echo_free(&r->sent);
    yk_wave_free(r->watched);
    YK_FREE(r->memory, r->instant, r->step_end, r->deep, r);
}

/* ---- hand-over ----------------------------------------------------------- */

static void remote_give(void *self, double *x)
{
    remote *r = self;

    call(r, YK_CALL_GIVE);
    if (ask(r, NULL) == YOKE_OK)
        yk_bytes_get_doubles(&r->mail.content, x, r->shape.n);
}

static bool remote_deep(void *self, int unknown)
{
    const remote *r = self;

    return r->deep && r->deep[unknown];
}

/* ---- answers ------------------------------------------------------------- */

static yoke_status remote_linearise(void *self, double t, const double *u,
                                    double h, double *z, yoke_err *err)
{
    remote *r = self;
    yk_bytes *out = call(r, YK_CALL_LINEARISE);

    yk_bytes_put_double(out, t);
    yk_bytes_put_double(out, h);
    yk_bytes_put_int(out, u != NULL);
    if (u) yk_bytes_put_doubles(out, u, r->shape.m);
    const yoke_status status = ask(r, err);
    if (status < 0) return status;
    yk_bytes_get_doubles(&r->mail.content, z, r->shape.p * r->shape.m);
    return done(r, status, err);
}

static void remote_begin(void *self)
{
    call(self, YK_CALL_BEGIN);
}

static yoke_status remote_history(void *self, double *dy, yoke_err *err)
{
    remote *r = self;

    call(r, YK_CALL_HISTORY);
    const yoke_status status = ask(r, err);
    if (status < 0) return status;
    yk_bytes_get_doubles(&r->mail.content, dy, r->shape.p);
    return done(r, status, err);
}

static void remote_follow(void *self, const double *du)
{
    remote *r = self;

    yk_bytes_put_doubles(call(r, YK_CALL_FOLLOW), du, r->shape.m);
}

/* ---- tapes --------------------------------------------------------------- */

static void remote_keep(void *self, bool on)
{
    remote *r = self;

    yk_bytes_put_int(call(r, YK_CALL_KEEP), on);
    r->stale = true;
    r->steps_known = false;
}

static bool remote_able(void *self)
{
    refresh(self);
    return ((remote *)self)->facts.able;
}

static void remote_lenient(void *self, double most)
{
    yk_bytes_put_double(call(self, YK_CALL_LENIENT), most);
}

static bool remote_ready(void *self)
{
    refresh(self);
    return ((remote *)self)->facts.ready;
}

static bool remote_affine(void *self)
{
    return ((remote *)self)->facts.affine;
}

static bool remote_fixed(void *self)
{
    return ((remote *)self)->facts.fixed;
}

static bool remote_passes(void *self)
{
    return ((remote *)self)->facts.passes;
}

static bool remote_follows(void *self)
{
    refresh(self);
    return ((remote *)self)->facts.follows;
}

static bool remote_watchful(void *self)
{
    return ((remote *)self)->facts.watchful;
}

static yoke_status remote_answer(void *self, const yk_wave *du, bool whole,
                                 yk_wave *dy, yoke_err *err)
{
    remote *r = self;
    yk_bytes *out = call(r, YK_CALL_ANSWER);

    yk_bytes_put_int(out, whole);
    yk_echo_put_wave(&r->sent, out, du);
    const yoke_status status = ask(r, err);
    return status < 0 ? status : read_wave(r, status, dy, err);
}

static void remote_rest(void *self)
{
    call(self, YK_CALL_REST);
}

static bool remote_change(void *self, double t, double *dx, double *du)
{
    remote *r = self;

    yk_bytes_put_double(call(r, YK_CALL_CHANGE), t);
    if (ask(r, NULL) != YOKE_OK || !yk_bytes_get_int(&r->mail.content))
        return false;
    yk_bytes_get_doubles(&r->mail.content, dx, r->shape.n);
    yk_bytes_get_doubles(&r->mail.content, du, r->shape.m);
    return true;
}

static yoke_status remote_apply(void *self, const yk_wave *u, yk_wave *y,
                                yk_tape_result *result, yoke_err *err)
{
    remote *r = self;

    yk_echo_put_wave(&r->sent, call(r, YK_CALL_APPLY), u);
    note_sweep(r);
    const yoke_status status = ask(r, err);
    if (status < 0) return status;
    yk_bytes_get(&r->mail.content, result, sizeof *result);
    return read_wave(r, status, y, err);
}

static yoke_status remote_renew(void *self, const yk_wave *u, yk_renewal what,
                                yoke_err *err)
{
    remote *r = self;
    yk_bytes *out = call(r, YK_CALL_RENEW);

    yk_bytes_put_int(out, (int)what);
    yk_echo_put_wave(&r->sent, out, u);
    return ask(r, err);
}

/* ---- steps that cross windows --------------------------------------------- */

static yoke_status remote_permit(void *self, double limit, yoke_err *err)
{
    yk_bytes_put_double(call(self, YK_CALL_PERMIT), limit);
    return ask(self, err);
}

static double remote_head(void *self)
{
    return ((remote *)self)->facts.head;
}

static double remote_price(void *self)
{
    return ((remote *)self)->facts.price;
}

/* ---- motion -------------------------------------------------------------- */

static yoke_status remote_want(void *self, int output, yoke_err *err)
{
    yk_bytes_put_int(call(self, YK_CALL_WANT), output);
    return ask(self, err);
}

static yoke_status remote_tell(void *self, const yk_instant_of *at, int level,
                               int count, const int *input, double *y,
                               double *a, yoke_err *err)
{
    remote *r = self;
    yk_bytes *out = call(r, YK_CALL_TELL);
    const int rows = (level + 1) * r->shape.p;

    yk_bytes_put(out, at, sizeof *at);
    yk_bytes_put_int(out, level);
    yk_bytes_put_int(out, count);
    yk_bytes_put(out, input, (size_t)count * sizeof *input);
    yk_bytes_put_int(out, y != NULL);
    yk_bytes_put_int(out, a != NULL);
    const yoke_status status = ask(r, err);
    if (status < 0) return status;
    if (y) yk_bytes_get_doubles(&r->mail.content, y, rows);
    if (a) yk_bytes_get_doubles(&r->mail.content, a, rows * count);
    return done(r, status, err);
}

static yoke_status remote_kick(void *self, int level, int count,
                               const int *input, const double *mu,
                               yoke_err *err)
{
    yk_bytes *out = call(self, YK_CALL_KICK);

    yk_bytes_put_int(out, level);
    yk_bytes_put_int(out, count);
    yk_bytes_put(out, input, (size_t)count * sizeof *input);
    yk_bytes_put_doubles(out, mu, count);
    return ask(self, err);
}

static yoke_status ask_rows(remote *r, yk_mpi_call what, int level, int i,
                            double *y, yoke_err *err)
{
    yk_bytes *out = call(r, what);

    yk_bytes_put_int(out, level);
    yk_bytes_put_int(out, i);
    const yoke_status status = ask(r, err);
    if (status < 0) return status;
    yk_bytes_get_doubles(&r->mail.content, y, (level + 1) * r->shape.p);
    return done(r, status, err);
}

static yoke_status remote_shake(void *self, int level, int i, double *y,
                                yoke_err *err)
{
    return ask_rows(self, YK_CALL_SHAKE, level, i, y, err);
}

static yoke_status remote_slope(void *self, int level, int i, double *y,
                                yoke_err *err)
{
    return ask_rows(self, YK_CALL_SLOPE, level, i, y, err);
}

static int remote_unknowns(void *self)
{
    return ((remote *)self)->shape.n;
}

/* Ends of steps and places of stages, once for each sweep. */
static void ask_steps(remote *r)
{
    yk_bytes *in = &r->mail.content;

    if (r->steps_known) return;
    r->steps_known = true;
    r->steps = r->stages = 0;
    call(r, YK_CALL_STEPS);
    if (ask(r, NULL) != YOKE_OK) return;
    const int stages = yk_bytes_get_int(in), steps = yk_bytes_get_int(in);
    if (stages < 0 || stages > 16 || steps < 0 ||
        YK_GROW(&r->step_end, &r->step_room, steps + 1, NULL) != YOKE_OK)
        return;
    yk_bytes_get_doubles(in, r->stage, stages);
    yk_bytes_get_doubles(in, r->step_end, steps);
    r->steps = steps;
    r->stages = stages;
}

static int remote_steps(void *self)
{
    ask_steps(self);
    return ((remote *)self)->steps;
}

static double remote_step_end(void *self, int k)
{
    ask_steps(self);
    return ((remote *)self)->step_end[k];
}

static int remote_stages(void *self, const double **place)
{
    remote *r = self;

    ask_steps(r);
    *place = r->stages ? r->stage : NULL;
    return r->stages;
}

static bool remote_motion_affine(void *self)
{
    return ((remote *)self)->facts.motion_affine;
}

static void remote_tighten(void *self, const double *factor)
{
    remote *r = self;

    yk_bytes_put_doubles(call(r, YK_CALL_TIGHTEN), factor, r->shape.n);
}

/* ---- closed parts -------------------------------------------------------- */

static yoke_status remote_output(void *self, double t, const double *u,
                                 double *y, yoke_err *err)
{
    remote *r = self;
    yk_bytes *out = call(r, YK_CALL_OUTPUT);

    yk_bytes_put_double(out, t);
    yk_bytes_put_doubles(out, u, r->shape.m);
    const yoke_status status = ask(r, err);
    if (status < 0) return status;
    yk_bytes_get_doubles(&r->mail.content, y, r->shape.p);
    return done(r, status, err);
}

static yoke_status remote_response(void *self, double t, const double *u,
                                   double h, double *z, yoke_err *err)
{
    const yk_elsewhere *early = ((remote *)self)->early;

    return early->answer(early->self, t, u, h, z, err);
}

static void remote_told(void *self, char *cost, char *doubt, size_t room)
{
    const remote *r = self;

    snprintf(cost, room, "%s", r->cost);
    snprintf(doubt, room, "%s", r->doubt);
}

/* ---- life ---------------------------------------------------------------- */

int yk_remote_rank(const yk_propagator *p)
{
    return p->away ? ((const remote *)p->self)->mail.rank : 0;
}

static const yk_answer_ops answer_ops = {
    .linearise = remote_linearise,
    .begin = remote_begin,
    .history = remote_history,
    .follow = remote_follow,
};

static const yk_tape_ops tape_ops = {
    .keep = remote_keep,
    .able = remote_able,
    .lenient = remote_lenient,
    .ready = remote_ready,
    .affine = remote_affine,
    .fixed = remote_fixed,
    .passes = remote_passes,
    .follows = remote_follows,
    .watchful = remote_watchful,
    .answer = remote_answer,
    .rest = remote_rest,
    .change = remote_change,
    .apply = remote_apply,
    .renew = remote_renew,
};

static const yk_motion_ops motion_ops = {
    .want = remote_want,
    .tell = remote_tell,
    .kick = remote_kick,
    .shake = remote_shake,
    .unknowns = remote_unknowns,
    .slope = remote_slope,
    .steps = remote_steps,
    .step_end = remote_step_end,
    .stages = remote_stages,
    .affine = remote_motion_affine,
    .tighten = remote_tighten,
};

static const yk_front_ops front_ops = {
    .permit = remote_permit,
    .head = remote_head,
    .price = remote_price,
};

static const yk_handover_ops handover_ops = {
    .give = remote_give,
    .quiet = remote_quiet,
    .take = remote_take,
    .join = remote_join,
    .deep = remote_deep,
};

static const yk_propagator_ops remote_ops = {
    .kind = "stepper",
    .start = remote_start,
    .sweep = remote_sweep,
    .accept = remote_accept,
    .arrive = remote_arrive,
    .watched = remote_watched,
    .instants = remote_instants,
    .next_break = remote_next_break,
    .moved = remote_moved,
    .reading = remote_reading,
    .loosen = remote_loosen,
    .limit = remote_limit,
    .step = remote_step,
    .anew = remote_anew,
    .due = remote_due,
    .finish = remote_finish,
    .forget = remote_forget,
    .work = remote_work,
    .free = remote_free,
};

/* Entries that the propagator there does not have are not there. */
static void shape_ops(remote *r)
{
    const yk_unit_shape *s = &r->shape;

    r->ops = remote_ops;
    if (s->closed) r->ops.kind = "closed part";
    r->answer = answer_ops;
    r->tape = tape_ops;
    r->motion = motion_ops;
    r->handover = handover_ops;
    if (!s->arrive) r->ops.arrive = NULL;
    if (!s->watched) r->ops.watched = NULL;
    if (!s->instants) r->ops.instants = NULL;
    if (!s->next_break) r->ops.next_break = NULL;
    if (!s->moved) r->ops.moved = NULL;
    if (!s->reading) r->ops.reading = NULL;
    if (!s->loosen) r->ops.loosen = NULL;
    if (!s->limit) r->ops.limit = NULL;
    if (!s->step) r->ops.step = NULL;
    if (!s->anew) r->ops.anew = NULL;
    if (!s->due) r->ops.due = NULL;
    if (!s->finish) r->ops.finish = NULL;
    if (!s->forget) r->ops.forget = NULL;
    if (!s->able) r->tape.able = NULL;
    if (!s->follows) r->tape.follows = NULL;
    if (!s->rest) r->tape.rest = NULL;
    if (!s->change) r->tape.change = NULL;
    if (!s->motion_affine) r->motion.affine = NULL;
    if (!s->join) r->handover.join = NULL;
    if (!s->quiet) r->handover.quiet = NULL;
    if (!s->deep) r->handover.deep = NULL;
    r->ops.answer = s->answer ? &r->answer : NULL;
    r->ops.tape = s->tape ? &r->tape : NULL;
    r->ops.motion = s->motion ? &r->motion : NULL;
    r->ops.front = s->front ? &front_ops : NULL;
    r->ops.handover = s->handover ? &r->handover : NULL;
}

static yoke_status read_shape(remote *r, yoke_err *err)
{
    yk_bytes *in = &r->mail.content;
    const yoke_status status = (yoke_status)yk_bytes_get_int(in);
    const char *text = yk_bytes_get_text(in);

    if (status != YOKE_OK) return yk_fail(err, status, "%s", text);
    yk_bytes_get(in, &r->shape, sizeof r->shape);
    YK_TRY(yk_bytes_check(in, err));
    YK_TRY(yk_alloc(&r->memory, r->shape.memory + 1, 1, err));
    if (r->shape.deep) YK_TRY(YK_NEW(&r->deep, r->shape.n + 1, err));
    if (r->shape.watched)
        YK_TRY(yk_wave_create(&r->watched, r->shape.watches, err));
    read_facts(r, in);
    return yk_bytes_check(in, err);
}

yoke_status yk_remote_create(yk_propagator *out, yk_ranks *ranks, yk_mail *mail,
                             const yk_cluster *cluster, bool *join,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    remote *r = NULL;

    YK_TRY(YK_NEW(&r, 1, err));
    r->kept = ranks->kept;
    r->mail = *mail;
    ranks->kept->mail[mail->handle] = &r->mail;
    *mail = (yk_mail){ .handle = -1 };
    r->system = cluster->system;
    r->join = join;
    YK_GO(read_shape(r, err));
    shape_ops(r);
    r->elsewhere = (yk_elsewhere){ .output = remote_output,
                                   .answer = remote_response,
                                   .tell = remote_told,
                                   .self = r };
    r->early = r->system->elsewhere;
    if (r->shape.closed) yk_system_put_elsewhere(r->system, &r->elsewhere);
    *out = (yk_propagator){ &r->ops,          r,   r->shape.m, r->shape.p,
                            r->shape.watches, true };
    r = NULL;
done:
    remote_free(r);
    return status;
}
