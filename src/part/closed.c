/* part/closed.c -- a closed part as a propagator.
 *
 * The first sweep after an accepted point goes on in the worker as it is.  A
 * repeated one is preceded by the way back: nothing (the engine does it), the
 * end of the copy that made the last sweep, or a new worker that repeats every
 * accepted window with the inputs that were accepted.  Such a worker must repeat
 * the last accepted outputs to the bit; a part that does not cannot be
 * iterated, and the run says so.
 *
 * A run that can be saved (base/image.h) keeps what the worker was asked: a new
 * one in another process is asked the same.  Sweeps that were not accepted are
 * left out, except where the engine goes back by itself, for it may have learned
 * from them.
 */
#include "part/closed.h"

#include "base/image.h"
#include "base/texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef yk_part_asked asked;
typedef yk_part_closed closed;

const char *yk_part_setting(const yk_part_spec *spec, const char *key)
{
    const int at = yk_texts_find(spec->key, spec->settings, key);

    return at < 0 ? NULL : spec->value[at];
}

static void tell(const closed *c, yk_part_facts *out)
{
    *out = (yk_part_facts){ .way = c->way,
                            .steps = c->worker.divides ? 2 * c->steps : 0,
                            .exchanges = c->worker.exchanges,
                            .seconds = c->worker.seconds,
                            .said = c->worker.said,
                            .said_in_all = c->worker.said_in_all };
}

/* ---- exchanges --------------------------------------------------------- */

static yoke_status ask_start(closed *c, double t0, const double *u0, double *y0,
                             yoke_err *err)
{
    yk_part_channel *channel = &c->worker.channel;
    yk_part_message message = { .word = YK_PART_START, .t = t0 };
    size_t at = yk_channel_begin();

    YK_TRY(
        yk_channel_put(channel, &at, u0, (size_t)c->spec.m * sizeof *u0, err));
    YK_TRY(yk_worker_ask(&c->worker, &c->spec, &message, err));
    at = yk_channel_begin();
    return yk_channel_get(channel, &at, y0, (size_t)c->spec.p * sizeof *y0,
                          err);
}

static yoke_status read_instants(closed *c, size_t *at, yoke_err *err)
{
    const int count = c->answer.instants;

    if (count <= 0) return YOKE_OK;
    if ((size_t)count > c->worker.channel.bytes / sizeof *c->instant)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "part \"%s\" speaks of more instants than there are",
                       c->spec.name);
    YK_TRY(YK_GROW(&c->instant, &c->instant_room, count, err));
    return yk_channel_get(&c->worker.channel, at, c->instant,
                          (size_t)count * sizeof *c->instant, err);
}

/* The outputs are on the whole window, or not believed. */
static yoke_status check_answer(const closed *c, double t1, const yk_wave *y,
                                yoke_err *err)
{
    if (yk_wave_pieces(y) > 0 && yk_wave_begin(y) == c->t &&
        yk_wave_end(y) == t1)
        return YOKE_OK;
    return yk_fail(err, YOKE_E_CALLBACK,
                   "part \"%s\" did not answer for all of [%.9g, %.9g]",
                   c->spec.name, c->t, t1);
}

/* A copy that is dropped takes its counts with it, so they are kept here. */
static void count_work(closed *c)
{
    const yoke_work *now = &c->answer.work;
    const yoke_work *then =
        c->way == YK_PART_BY_STATE ? &c->last_work : &c->accepted;

    c->work.sweeps++;
    c->work.steps += now->steps - then->steps;
    c->work.rejected += now->rejected - then->rejected;
    c->work.residuals += now->residuals - then->residuals;
    c->work.jacobians += now->jacobians - then->jacobians;
    c->work.factorizations += now->factorizations - then->factorizations;
    c->work.solves += now->solves - then->solves;
    c->work.events += now->events - then->events;
    c->last_work = *now;
}

/* With the marks of now. */
static yoke_status ask_sweep(closed *c, double t1, int steps, const yk_wave *u,
                             yk_wave *y, yoke_err *err)
{
    const size_t marks = 2 * (size_t)c->marks;
    yk_part_channel *channel = &c->worker.channel;
    size_t at = yk_channel_begin();

    c->answer = (yk_part_message){ .word = YK_PART_SWEEP,
                                   .t = t1,
                                   .steps = steps,
                                   .look_from = c->look[0],
                                   .look_to = c->look[1],
                                   .marks = c->marks };
    YK_TRY(yk_channel_put_wave(channel, &at, u, err));
    YK_TRY(yk_channel_put(channel, &at, c->mark, marks * sizeof(double), err));
    const yoke_status status =
        yk_worker_ask(&c->worker, &c->spec, &c->answer, err);
    /* A sweep that failed is one: its copy waits, and its work was done. */
    if (c->answer.word == YK_PART_DONE) {
        c->way = c->answer.way;
        count_work(c);
    }
    YK_TRY(status);
    at = yk_channel_begin();
    YK_TRY(yk_channel_get_wave(channel, &at, y, err));
    YK_TRY(read_instants(c, &at, err));
    return check_answer(c, t1, y, err);
}

static yoke_status ask_accept(closed *c, yoke_err *err)
{
    yk_part_message message = { .word = YK_PART_ACCEPT, .t = c->t1 };

    return yk_worker_ask(&c->worker, &c->spec, &message, err);
}

/* ---- the way back ------------------------------------------------------ */

static void free_asked(asked *a)
{
    yk_wave_free(a->u);
    yk_free(a->mark);
    *a = (asked){ 0 };
}

/* What the worker is asked now. */
static yoke_status make_asked(const closed *c, double t1, int steps,
                              const yk_wave *u, asked *out, yoke_err *err)
{
    asked a = { t1,  { c->look[0], c->look[1] }, steps, c->marks, false, NULL,
                NULL };
    yoke_status status = YOKE_OK;

    YK_GO(yk_wave_create(&a.u, c->spec.m, err));
    YK_GO(yk_wave_copy(a.u, u, err));
    if (a.marks > 0)
        YK_GO(yk_copy_doubles(&a.mark, c->mark, 2 * (size_t)a.marks, err));
    *out = a;
    return YOKE_OK;
done:
    free_asked(&a);
    return status;
}

/* Marks and looks are those of a sweep that was made before. */
void yk_part_recall(closed *c, const asked *a)
{
    memcpy(c->look, a->look, sizeof c->look);
    c->marks = a->marks;
    c->mark = a->mark;
}

static yoke_status log_sweep(closed *c, double t1, int steps, const yk_wave *u,
                             yoke_err *err)
{
    if (!yk_image_on()) return YOKE_OK;
    YK_TRY(YK_GROW(&c->log, &c->log_room, c->logged + 1, err));
    YK_TRY(make_asked(c, t1, steps, u, &c->log[c->logged], err));
    c->logged++;
    return YOKE_OK;
}

/* The last sweep is accepted.  Copies that were dropped have left nothing. */
static yoke_status log_accept(closed *c, yoke_err *err)
{
    if (!yk_image_on() || c->logged == 0) return YOKE_OK;
    if (c->way != YK_PART_BY_STATE) {
        const asked last = c->log[c->logged - 1];
        for (size_t k = c->sure; k + 1 < c->logged; k++) free_asked(&c->log[k]);
        c->log[c->sure] = last;
        c->logged = c->sure + 1;
    }
    c->log[c->logged - 1].accepted = true;
    c->sure = c->logged;
    return yk_wave_copy(c->last, c->y, err);
}

static yoke_status keep_window(closed *c, yoke_err *err)
{
    const size_t i = (size_t)c->windows;

    c->forgotten = c->forgotten || c->way != YK_PART_BY_REPLAY;
    if (c->way != YK_PART_BY_REPLAY) return YOKE_OK;
    YK_TRY(YK_GROW(&c->window, &c->window_room, i + 1, err));
    YK_TRY(
        make_asked(c, c->t1, c->last_steps, c->u, &c->window[c->windows], err));
    c->windows++;
    return yk_wave_copy(c->last, c->y, err);
}

static yoke_status repeat_windows(closed *c, yoke_err *err)
{
    for (int i = 0; i < c->windows; i++) {
        const asked *a = &c->window[i];

        yk_part_recall(c, a);
        YK_TRY(ask_sweep(c, a->t, a->steps, a->u, c->y, err));
        c->t1 = a->t;
        YK_TRY(ask_accept(c, err));
        c->t = a->t;
        c->accepted = c->last_work;
    }
    if (c->windows == 0 || yk_wave_equal(c->y, c->last)) return YOKE_OK;
    return yk_fail(
        err, YOKE_E_CALLBACK,
        "part \"%s\" gives other answers when it is run again with the same "
        "inputs (until t = %.9g); it cannot be iterated; an output that "
        "follows "
        "a clock is better left out of its outputs",
        c->spec.name, c->t);
}

static yoke_status replay(closed *c, yoke_err *err)
{
    const asked now = { .look = { c->look[0], c->look[1] },
                        .marks = c->marks,
                        .mark = c->mark };
    double *y0 = NULL;
    yoke_status status;

    yk_worker_end(&c->worker);
    c->t = c->t0;
    c->accepted = (yoke_work){ 0 };
    YK_GO(yk_doubles(&y0, (size_t)c->spec.p + 1, err));
    YK_GO(yk_worker_start(&c->worker, &c->spec, err));
    YK_GO(ask_start(c, c->t0, c->u0, y0, err));
    YK_GO(repeat_windows(c, err));
done:
    yk_part_recall(c, &now);
    yk_free(y0);
    return status;
}

static yoke_status go_back(closed *c, yoke_err *err)
{
    if (!c->swept || c->way == YK_PART_BY_STATE) return YOKE_OK;
    if (c->way == YK_PART_BY_REPLAY && c->forgotten)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "part \"%s\" has begun to use threads before t = %.9g, "
                       "which copies of its process do not have: set `replay: "
                       "true`",
                       c->spec.name, c->t1);
    if (c->way == YK_PART_BY_REPLAY) return replay(c, err);
    yk_worker_tell(&c->worker, YK_PART_BACK);
    return YOKE_OK;
}

/* ---- is it what it seems ------------------------------------------------ */

bool yk_part_is_due(int windows)
{
    return windows == 1 || windows == 4 || windows == 16 ||
           (windows > 0 && windows % 64 == 0);
}

yoke_status yk_part_refuse_repeat(const closed *c, double t1, double change,
                                  yoke_err *err)
{
    if (c->spec.unlike) *c->spec.unlike = true;
    return yk_fail(
        err, YOKE_E_CALLBACK,
        "part \"%s\" gives other answers when the window [%.9g, %.9g] is run "
        "again with the same inputs: its outputs differ by %.3g tolerances; it "
        "cannot be iterated",
        c->spec.name, c->t, t1, change);
}

/* A part that keeps something outside of its memory (in another process, in
 * memory that copies share) is not copied by a copy.  So at the start a sweep is
 * made twice; if it differs in any bit the part is started again, and goes by replay
 * from then on. */
static yoke_status try_copies(closed *c, double t1, const yk_wave *u,
                              yk_wave *y, yoke_err *err)
{
    const int steps = c->worker.divides ? YK_PART_LEAST_STEPS : 1;
    yoke_status status = yk_part_sweep(c, t1, steps, u, y, err);

    if (status == YOKE_OK && c->way == YK_PART_BY_FORK)
        status = yk_part_sweep(c, t1, steps, u, c->ticks.y, err);
    if (status == YOKE_RETRY) return YOKE_OK; /* it may not with other steps */
    YK_TRY(status);
    if (c->way != YK_PART_BY_FORK || yk_wave_equal(y, c->ticks.y))
        return YOKE_OK;
    c->spec.replay = true;
    c->way = YK_PART_BY_REPLAY;
    c->swept = false;
    return replay(c, err);
}

/* Later it is tried now and then, and so is a part that says it is a function of
 * its unknowns.  (Parts whose steps are chosen look at the states that they save
 * themselves, bit by bit.)  Beside a run every window is: where a state is not all
 * that there is, what is missing has then seen more sweeps than in the run, and
 * the two solutions differ. */
static yoke_status try_again(closed *c, double t1, const yk_wave *u,
                             const yk_wave *y, yoke_err *err)
{
    double change = 0.0;

    const bool looks = c->way == YK_PART_BY_STATE && c->worker.divides;
    const bool beside = c->spec.aside && c->way == YK_PART_BY_STATE;
    if (c->way == YK_PART_BY_REPLAY ||
        (!beside && (looks || !yk_part_is_due(c->done))))
        return YOKE_OK;
    YK_TRY(yk_part_sweep(c, t1, c->last_steps, u, c->ticks.y, err));
    if (yk_wave_equal(y, c->ticks.y)) return YOKE_OK;
    YK_TRY(yk_part_compare(c, c->ticks.y, y, &change, err));
    return change <= YK_PART_AIM ? YOKE_OK
                                 : yk_part_refuse_repeat(c, t1, change, err);
}

/* ---- the propagator ---------------------------------------------------- */

static void forget(closed *c)
{
    for (int i = 0; i < c->windows; i++) free_asked(&c->window[i]);
    for (size_t k = 0; k < c->logged; k++) free_asked(&c->log[k]);
    c->windows = 0;
    c->logged = c->sure = 0;
}

static yoke_status closed_start(void *self, double t0, const double *x0,
                                const double *u0, double *y0, yoke_err *err)
{
    closed *c = self;

    (void)x0;                                     /* it has no unknowns here */
    if (c->swept || c->windows || c->t == c->t) { /* it has run */
        yk_worker_end(&c->worker);
        YK_TRY(yk_worker_start(&c->worker, &c->spec, err));
    }
    forget(c);
    c->swept = c->forgotten = false;
    c->done = 0;
    c->accepted = c->last_work = (yoke_work){ 0 };
    c->t = c->t0 = c->since = t0;
    c->marks = 0;
    c->ticks.period = c->ticks.width = c->paid = 0.0;
    c->ticks.marks = c->ticks.sought = 0;
    for (int i = 0; i < c->spec.m; i++) c->u0[i] = u0[i];
    return ask_start(c, t0, u0, y0, err);
}

/* At this rate the run would not come to its end. */
static yoke_status count_cost(closed *c, double t1, yoke_err *err)
{
    const double cost =
        (double)c->work.steps + YK_PART_COPY * (double)c->work.rejected;
    const double spent = cost - c->paid;
    const double done = (c->t - c->since) / c->span;

    if (!(c->span > 0.0) || spent < YK_PART_PATIENCE) return YOKE_OK;
    if (spent <= done * YK_PART_IN_ALL) {
        c->paid = cost;
        c->since = c->t;
        return YOKE_OK;
    }
    return yk_fail(
        err, YOKE_E_MODEL,
        "part \"%s\" comes no farther than t = %.9g: %.2g steps since "
        "t = %.9g, %ld of them to look for jumps, and the window "
        "[%.9g, %.9g] is not done; if it acts at instants of its own, set its "
        "`step` to the time between them, or ask for less accuracy",
        c->spec.name, c->t, spent, c->since, c->work.rejected, c->t, t1);
}

yoke_status yk_part_sweep(closed *c, double t1, int steps, const yk_wave *u,
                          yk_wave *y, yoke_err *err)
{
    if (c->worker.divides) YK_TRY(count_cost(c, t1, err));
    YK_TRY(go_back(c, err));
    c->swept = true;
    c->t1 = t1;
    c->last_steps = steps;
    YK_TRY(log_sweep(c, t1, steps, u, err));
    return ask_sweep(c, t1, steps, u, y, err);
}

/* By how much the inputs differ from those of the sweep before. */
static yoke_status measure_change(closed *c, const yk_wave *u, bool again,
                                  yoke_err *err)
{
    c->changed = again ? 0.0 : INFINITY;
    if (again) {
        YK_TRY(yk_wave_distance(u, c->u, c->distance, err));
        YK_TRY(yk_wave_distance(u, NULL, c->size, err));
    }
    for (int k = 0; again && k < c->spec.m; k++)
        if (c->distance[k] > 0.0)
            c->changed =
                fmax(c->changed, c->distance[k] / (c->spec.rtol * c->size[k]));
    return yk_wave_copy(c->u, u, err);
}

/* How far the outputs at the end are from those of the sweep before.  What is
 * inside may have moved as much as the inputs, even if no output shows it. */
static void measure_move(closed *c, double t1, const yk_wave *y, bool again)
{
    double moved = 0.0;

    yk_wave_eval(y, t1, NULL, c->after);
    for (int k = 0; k < c->spec.p; k++) {
        const double size = fmax(fabs(c->after[k]), fabs(c->before[k]));
        const double change = fabs(c->after[k] - c->before[k]);

        moved = fmax(moved, change / (c->atol[k] + c->spec.rtol * size));
        c->before[k] = c->after[k];
    }
    c->moved = again ? fmax(moved, c->changed) : NAN;
    if (again && c->changed > 0.0) c->gain = moved / c->changed;
}

static yoke_status closed_sweep(void *self, double t1, const yk_wave *u,
                                yk_wave *y, yoke_err *err)
{
    closed *c = self;
    const bool again = c->swept && c->t1 == t1;
    yoke_status status;

    if (!again) {
        c->difference = c->look[0] = c->look[1] = NAN;
        c->located = c->ticks.sought = 0;
        YK_TRY(yk_part_mark_window(c, t1, err));
    }
    YK_TRY(measure_change(c, u, again, err));
    if (c->done == 0 && !again) YK_TRY(try_copies(c, t1, u, y, err));
    status = c->worker.divides ? yk_part_sweep_divided(c, t1, u, y, err)
                               : yk_part_sweep(c, t1, 1, u, y, err);
    if (status == YOKE_OK && !again) status = try_again(c, t1, u, y, err);
    c->loose = 1.0;
    YK_TRY(status);
    measure_move(c, t1, y, again);
    if (c->way != YK_PART_BY_REPLAY && !yk_image_on()) return YOKE_OK;
    return yk_wave_copy(c->y, y, err);
}

static void closed_loosen(void *self, double factor)
{
    ((closed *)self)->loose = factor;
}

static double closed_moved(void *self)
{
    return ((const closed *)self)->moved;
}

static yoke_status closed_accept(void *self, yoke_err *err)
{
    closed *c = self;

    YK_TRY(ask_accept(c, err));
    YK_TRY(log_accept(c, err));
    YK_TRY(keep_window(c, err));
    c->t = c->t1;
    c->accepted = c->last_work;
    c->swept = false;
    c->done++;
    if (c->told) tell(c, c->told);
    return YOKE_OK;
}

/* ---- in another process ------------------------------------------------- */

/* Everything that the worker was asked, once more; y: the last answer. */
static yoke_status ask_again(closed *c, yk_wave *y, yoke_err *err)
{
    for (size_t k = 0; k < c->sure; k++) {
        const asked *a = &c->log[k];
        yk_part_recall(c, a);
        const yoke_status status =
            ask_sweep(c, a->t, a->steps, a->u, y, a->accepted ? err : NULL);
        if (status < 0 || (status != YOKE_OK && a->accepted)) return status;
        if (!a->accepted) continue;
        c->t1 = a->t;
        YK_TRY(ask_accept(c, err));
        c->t = a->t;
        c->accepted = c->last_work;
    }
    if (c->sure == 0 || yk_wave_equal(y, c->last)) return YOKE_OK;
    return yk_fail(
        err, YOKE_E_CALLBACK,
        "part \"%s\" gives other answers when it is run again with the "
        "same inputs (until t = %.9g), so a run with it cannot go on "
        "from a checkpoint",
        c->spec.name, c->t);
}

/* The specification of `fresh`, which gets the old one. */
static void exchange_spec(closed *c, closed *fresh)
{
    const yk_part_spec spec = c->spec;
    char **const text = c->text;
    const int texts = c->texts;

    c->spec = fresh->spec;
    c->spec.replay = spec.replay; /* as was found out */
    c->text = fresh->text;
    c->texts = fresh->texts;
    c->spec.atol = c->atol;
    fresh->spec = spec;
    fresh->text = text;
    fresh->texts = texts;
    fresh->spec.atol = fresh->atol;
}

/* The old worker belongs to a process that is gone: nothing is sent to it. */
static yoke_status closed_again(void *self, void *fresh, yoke_err *err)
{
    closed *c = self;
    const closed kept = *c;
    double *y0 = NULL;
    yk_wave *y = NULL;
    yoke_status status = YOKE_OK;

    exchange_spec(c, fresh);
    c->worker =
        (yk_worker){ .output = -1, .channel = { .socket = -1, .memory = -1 } };
    c->accepted = c->last_work = (yoke_work){ 0 };
    c->t = c->t0;
    YK_GO(yk_doubles(&y0, (size_t)c->spec.p + 1, err));
    YK_GO(yk_wave_create(&y, c->spec.p, err));
    YK_GO(yk_worker_start(&c->worker, &c->spec, err));
    YK_GO(ask_start(c, c->t0, c->u0, y0, err));
    YK_GO(ask_again(c, y, err));
    c->work = kept.work;
    c->answer = kept.answer;
    c->t1 = kept.t1;
    memcpy(c->look, kept.look, sizeof c->look);
    c->worker.exchanges = kept.worker.exchanges;
    c->worker.seconds = kept.worker.seconds;
    c->worker.said_in_all = kept.worker.said_in_all;
    memcpy(c->worker.said, kept.worker.said, sizeof kept.worker.said);
    if (c->told) tell(c, c->told);
done:
    yk_wave_free(y);
    yk_free(y0);
    return status;
}

static int closed_instants(void *self, const double **t)
{
    const closed *c = self;

    *t = c->instant;
    return c->answer.instants > 0 ? c->answer.instants : 0;
}

static double closed_step(void *self)
{
    const closed *c = self;

    return c->worker.divides ? c->pace : c->answer.step;
}

static void closed_work(void *self, yoke_work *work)
{
    const closed *c = self;

    *work = c->work;
    work->seconds = c->worker.seconds;
}

static void closed_free(void *self)
{
    closed *c = self;

    if (!c) return;
    yk_worker_end(&c->worker);
    forget(c);
    YK_FREE(c->window, c->log);
    yk_wave_free(c->between[0]);
    yk_wave_free(c->between[1]);
    YK_FREE(c->here, c->other);
    yk_part_ticks_clear(&c->ticks);
    yk_free(c->atol);
    YK_FREE(c->distance, c->size, c->before, c->after);
    yk_wave_free(c->rough);
    yk_wave_free(c->tested);
    yk_wave_free(c->u);
    yk_wave_free(c->y);
    yk_wave_free(c->last);
    YK_FREE(c->u0, c->instant);
    yk_texts_free(c->text, c->texts);
    yk_free(c);
}

static const yk_propagator_ops closed_ops = {
    .kind = "closed part",
    .start = closed_start,
    .sweep = closed_sweep,
    .accept = closed_accept,
    .instants = closed_instants,
    .moved = closed_moved,
    .loosen = closed_loosen,
    .step = closed_step,
    .again = closed_again,
    .work = closed_work,
    .free = closed_free,
};

/* ---- life -------------------------------------------------------------- */

static yoke_status keep_text(closed *c, const char **text, yoke_err *err)
{
    if (!*text) return YOKE_OK;
    YK_TRY(yk_copy_text(&c->text[c->texts], *text, err));
    *text = c->text[c->texts++];
    return YOKE_OK;
}

static yoke_status copy_spec(closed *c, const yk_part_spec *spec, yoke_err *err)
{
    const int n = spec->settings, extra = 3;

    c->spec = *spec;
    c->spec.settings = 0;
    /* Behind the texts: the lists that point to them. */
    YK_TRY(YK_NEW(&c->text, 4 * n + extra, err));
    YK_TRY(keep_text(c, &c->spec.name, err));
    YK_TRY(keep_text(c, &c->spec.kind, err));
    YK_TRY(keep_text(c, &c->spec.worker, err));
    const char **key = (const char **)&c->text[2 * n + extra];
    const char **value = key + n;
    for (int i = 0; i < n; i++) {
        key[i] = spec->key[i];
        value[i] = spec->value[i];
        YK_TRY(keep_text(c, &key[i], err));
        YK_TRY(keep_text(c, &value[i], err));
    }
    c->spec.key = key;
    c->spec.value = value;
    c->spec.settings = n;
    return YOKE_OK;
}

/* A nominal value of 1e15 that is wrong must not switch the test off; where an
 * output is large its tolerance is relative anyway. */
static double limit_atol(double atol, double rtol)
{
    return isinf(atol) ? atol : fmin(atol, rtol);
}

static yoke_status make_scratch(closed *c, yoke_err *err)
{
    const yk_part_spec *spec = &c->spec;
    const size_t p = (size_t)spec->p + 1;

    YK_TRY(yk_doubles(&c->u0, (size_t)spec->m + 1, err));
    YK_TRY(yk_doubles(&c->atol, p, err));
    YK_TRY(YK_DOUBLES(p, err, &c->before, &c->after));
    YK_TRY(YK_DOUBLES(p + (size_t)spec->m, err, &c->distance, &c->size));
    for (int k = 0; k < spec->p; k++)
        c->atol[k] =
            spec->atol ? limit_atol(spec->atol[k], spec->rtol) : spec->rtol;
    c->spec.atol = c->atol;
    YK_TRY(YK_DOUBLES(p, err, &c->here, &c->other));
    for (int k = 0; k < 2; k++)
        YK_TRY(yk_wave_create(&c->between[k], spec->p, err));
    YK_TRY(yk_part_ticks_create(&c->ticks, spec->m, spec->p, err));
    c->ticks.atol = c->atol;
    c->ticks.rtol = spec->rtol;
    c->ticks.trial = yk_part_try_sweep;
    c->ticks.context = c;
    YK_TRY(yk_wave_create(&c->u, spec->m, err));
    YK_TRY(yk_wave_create(&c->y, spec->p, err));
    YK_TRY(yk_wave_create(&c->rough, spec->p, err));
    YK_TRY(yk_wave_create(&c->tested, spec->p, err));
    return yk_wave_create(&c->last, spec->p, err);
}

yoke_status yk_part_create(yk_propagator *out, const yk_part_spec *spec,
                           yoke_err *err)
{
    closed *c = NULL;
    yoke_status status;

    YK_TRY(YK_NEW(&c, 1, err));
    c->worker.output = -1;
    c->worker.channel.socket = c->worker.channel.memory = -1;
    c->t = NAN;
    c->look[0] = c->look[1] = NAN;
    c->steps = c->level = 1;
    c->loose = c->gain = 1.0;
    YK_GO(copy_spec(c, spec, err));
    YK_GO(make_scratch(c, err));
    const char *span = yk_part_setting(spec, "span");
    c->span = span ? strtod(span, NULL) : 0.0;
    YK_GO(yk_worker_start(&c->worker, &c->spec, err));
    *out = (yk_propagator){
        .ops = &closed_ops, .self = c, .m = spec->m, .p = spec->p
    };
    return YOKE_OK;
done:
    closed_free(c);
    return status;
}

void yk_part_tell(const yk_propagator *part, yk_part_facts *out)
{
    tell(part->self, out);
}

void yk_part_keep_telling(const yk_propagator *part, yk_part_facts *out)
{
    closed *c = part->self;

    c->told = out;
}
