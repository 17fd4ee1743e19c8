/* step/cells/latent.c -- a large system of which only the cells in motion are
 * solved.
 *
 * Time goes on in slices.  In each one the *awake* cells are solved by the
 * ordinary method, every connected group of them as one piece with steps of its
 * own; the other cells keep their values, which the pieces read as constant
 * inputs.  Nothing is assumed that is not checked afterwards:
 *
 *  - A variable of a piece that a sleeping cell reads may differ from the value
 *    which that cell went to sleep with by a part of its tolerance.  If it
 *    moves further the slice is done again with the readers awake, and a layer
 *    of cells beyond them so that this is rare.
 *  - A cell may sleep if it is at rest (latent_rest.c), none of its events is
 *    near, and none that happened waits for being applied.
 *  - Cells with sources or inputs that change wake in time.
 *
 * So the error of sleeping is of the size of the tolerance, while the work is
 * that of the cells in motion, whatever the size of the system.
 *
 * The last slice of a sweep stays open: if it is the only one of the window the
 * pieces repeat it in the next sweep from the same point, with everything that
 * they learnt in this one.
 */
#include "step/cells/latent.h"

#include "sys/call.h"
#include "sys/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- points -------------------------------------------------------------- */

static void rest_free(yk_latent_rest *p)
{
    YK_FREE(p->x, p->y, p->seen, p->u, p->awake, p->cell, p->mark, p->memory);
}

static yoke_status make_rest(yk_latent *s, yk_latent_rest *p, yoke_err *err)
{
    const size_t bytes = s->facts->memory_bytes;

    YK_TRY(yk_doubles(&p->x, (size_t)s->n + 1, err));
    YK_TRY(yk_doubles(&p->y, (size_t)s->p + 1, err));
    YK_TRY(yk_doubles(&p->seen, (size_t)s->n + 1, err));
    YK_TRY(yk_doubles(&p->u, (size_t)s->m + 1, err));
    YK_TRY(yk_ints(&p->cell, (size_t)s->cells + 1, err));
    YK_TRY(YK_NEW(&p->mark, s->facts->events + 1, err));
    if (bytes) YK_TRY(yk_alloc(&p->memory, bytes, 1, err));
    return YK_NEW(&p->awake, s->cells + 1, err);
}

static void copy_rest(yk_latent *s, yk_latent_rest *to,
                      const yk_latent_rest *from)
{
    to->t = from->t;
    to->length = from->length;
    to->until = from->until;
    to->count = from->count;
    memcpy(to->x, from->x, (size_t)s->n * sizeof *to->x);
    memcpy(to->y, from->y, (size_t)s->p * sizeof *to->y);
    memcpy(to->seen, from->seen, (size_t)s->n * sizeof *to->seen);
    memcpy(to->u, from->u, (size_t)s->m * sizeof *to->u);
    memcpy(to->awake, from->awake, (size_t)s->cells * sizeof *to->awake);
    memcpy(to->cell, from->cell, (size_t)from->count * sizeof *to->cell);
    memcpy(to->mark, from->mark, (size_t)s->facts->events * sizeof *to->mark);
    if (to->memory) memcpy(to->memory, from->memory, s->facts->memory_bytes);
}

/* ---- what a slice leaves behind ------------------------------------------ */

/* The recorded unknowns: those of the pieces on the union of their grids, the
 * others constant. */
static yoke_status record(yk_latent *s, double t1, yoke_err *err)
{
    int terms = 0;

    if (s->watches == 0)
        return yk_wave_append_constant(s->watched, t1, s->row, err);
    for (int w = 0; w < s->watches; w++) s->row[w] = s->now.x[s->watch[w]];
    yk_wave_clear(s->constant, s->now.t);
    YK_TRY(yk_wave_append_constant(s->constant, t1, s->row, err));
    YK_TRY(YK_GROW(&s->term, &s->term_room, s->watches + 1, err));
    for (int w = 0; w < s->watches; w++) {
        if (s->now.awake[yk_cell_of(s, s->watch[w])]) continue;
        s->term[terms++] = (yk_wave_term){ s->constant, w, w, 1.0 };
    }
    for (int k = 0; k < s->pieces; k++) {
        const yk_latent_piece *p = s->piece[k];
        const yk_wave *wave = p->propagator.ops->watched(p->propagator.self);
        for (int j = 0; j < p->shown; j++)
            s->term[terms++] =
                (yk_wave_term){ wave, p->borders + j, p->column[j], 1.0 };
    }
    YK_TRY(yk_wave_combine(s->joined, s->now.t, t1, terms, s->term, err));
    return yk_wave_append_all(s->watched, s->joined, err);
}

/* The outputs, likewise. */
static yoke_status write_outputs(yk_latent *s, double t1, yk_wave *y,
                                 yoke_err *err)
{
    const int *const cell = s->facts->cells->output_cell;
    int terms = 0;

    if (s->p == 0) return yk_wave_append_constant(y, t1, s->row, err);
    yk_wave_clear(s->still, s->now.t);
    YK_TRY(yk_wave_append_constant(s->still, t1, s->now.y, err));
    YK_TRY(YK_GROW(&s->term, &s->term_room, s->p + 1, err));
    for (int o = 0; o < s->p; o++)
        if (!s->now.awake[cell[o]])
            s->term[terms++] = (yk_wave_term){ s->still, o, o, 1.0 };
    for (int k = 0; k < s->pieces; k++) {
        const yk_latent_piece *p = s->piece[k];
        for (int j = 0; j < p->part.outputs; j++)
            s->term[terms++] =
                (yk_wave_term){ p->y, j, p->part.output[j], 1.0 };
    }
    YK_TRY(yk_wave_combine(s->merged, s->now.t, t1, terms, s->term, err));
    return yk_wave_append_all(y, s->merged, err);
}

/* Instants at which some piece is not smooth, in order. */
static yoke_status note_instants(yk_latent *s, yoke_err *err)
{
    const int before = s->instants;

    for (int k = 0; k < s->pieces; k++) {
        const yk_latent_piece *p = s->piece[k];
        const double *t = NULL;
        const int count = p->propagator.ops->instants(p->propagator.self, &t);
        YK_TRY(YK_GROW(&s->instant, &s->instant_room, s->instants + count + 1,
                       err));
        for (int i = 0; i < count; i++) s->instant[s->instants++] = t[i];
    }
    if (s->instants > before)
        qsort(s->instant + before, (size_t)(s->instants - before),
              sizeof *s->instant, yk_compare_doubles);
    return YOKE_OK;
}

/* ---- slices -------------------------------------------------------------- */

/* All pieces to t1, more and more cells awake until none misses anything. */
static yoke_status solve_slice(yk_latent *s, double t1, bool *spread,
                               yoke_err *err)
{
    *spread = false;
    for (int k = 0; k < s->pieces; k++) s->piece[k]->solved = false;
    for (;;) {
        int count = 0, solved = 0;
        if (!s->formed) YK_TRY(yk_latent_form(s, err));
        yk_latent_begin_queue(s);
        YK_TRY(yk_latent_solve_pieces(s, t1, &solved, err));
        for (int k = 0; k < solved; k++)
            count = yk_latent_find_sleepers(s, s->piece[s->todo[k]], count);
        if (count == 0) return YOKE_OK;
        *spread = true;
        yk_latent_wake(s,
                       yk_latent_add_layers(s, count, YK_LATENT_LAYERS, false));
    }
}

/* The point at its end becomes the present one. */
static yoke_status close_slice(yk_latent *s, yoke_err *err)
{
    if (!s->open) return YOKE_OK;
    for (int k = 0; k < s->pieces; k++)
        YK_TRY(yk_latent_accept_piece(s, s->piece[k], err));
    s->now.t = s->reached;
    s->open = false;
    return YOKE_OK;
}

/* The end of the next slice, not beyond `stop`. */
static double slice_end(yk_latent *s, double stop)
{
    const double left = stop - s->now.t;

    if (s->now.length <= 0.0) s->now.length = 1e-3 * left;
    if (s->now.length >= left) return stop;
    return 2.0 * s->now.length > left ? s->now.t + 0.5 * left
                                      : s->now.t + s->now.length;
}

/* Where no cell sleeps nothing can be missed, and slices may be long. */
static void next_length(yk_latent *s, double done, bool spread)
{
    const double grow = s->now.count == s->cells ? 2.0 : 1.15;

    s->calm = spread ? 0 : s->calm + 1;
    if (spread)
        s->now.length = 0.7 * done;
    else if (s->now.count == s->cells || s->calm > YK_LATENT_CALM)
        s->now.length = fmax(s->now.length, grow * done);
}

static yoke_status slice(yk_latent *s, double t1, yk_wave *y, yoke_err *err)
{
    YK_TRY(close_slice(s, err));
    yk_latent_wake_overdue(s);
    if (!s->formed) YK_TRY(yk_latent_form(s, err));
    YK_TRY(yk_latent_retire(s, t1, err));

    double end = slice_end(s, t1);
    bool spread = false;

    yk_latent_wake_restless(s, end);
    if (s->now.count == 0) { /* until something happens */
        end = fmin(t1, yk_system_next_break(s->system, s->now.t));
        yk_latent_wake_restless(s, end);
    }
    YK_TRY(solve_slice(s, end, &spread, err));
    YK_TRY(record(s, end, err));
    YK_TRY(write_outputs(s, end, y, err));
    YK_TRY(note_instants(s, err));
    next_length(s, end - s->now.t, spread);
    s->work.cells[0] += s->now.count * (end - s->now.t);
    s->work.cells[1] += s->cells * (end - s->now.t);
    if (spread) s->pause = s->wait = 0;
    s->reached = end;
    s->open = true;
    s->slices++;
    return YOKE_OK;
}

/* ---- start --------------------------------------------------------------- */

/* Values consistent with the equations of the whole. */
static yoke_status make_consistent(yk_latent *s, double t0, const double *u0,
                                   yoke_err *err)
{
    yk_propagator whole = { 0 };
    yoke_stepper_options options = s->options;

    options.warm = false;
    YK_TRY(
        yk_drive_create(&whole, s->method, s->system, &options, 0, NULL, err));
    const yoke_status status =
        whole.ops->start(whole.self, t0, NULL, u0, s->now.y, err);
    if (status == YOKE_OK)
        memcpy(s->now.x, ((yk_driver *)whole.self)->p.x,
               (size_t)s->n * sizeof *s->now.x);
    whole.ops->free(whole.self);
    return status;
}

/* At the start every cell is looked at. */
static yoke_status begin(yk_latent *s, double t0, const double *u0,
                         yoke_err *err)
{
    yk_latent_drop(s);
    for (int c = 0; c < s->cells; c++) {
        s->now.awake[c] = true;
        s->now.cell[c] = c;
    }
    s->now.count = s->cells;
    memcpy(s->now.seen, s->now.x, (size_t)s->n * sizeof *s->now.seen);
    for (int j = 0; j < s->m; j++) s->now.u[j] = s->u_end[j] = u0[j];
    for (int i = 0; i < s->n; i++)
        s->slack[i] = yk_latent_tolerance(s, i, s->now.x[i]);
    s->now.t = s->kept.t = s->begin = t0;
    s->now.length = 0.0;
    s->now.until = INFINITY;
    s->open = s->swept = s->marked = false;
    s->slices = s->pause = s->wait = 0;
    return yk_latent_form(s, err);
}

/* `anew`: at the start of the run, not in its middle. */
static yoke_status start_at(yk_latent *s, bool anew, double t0,
                            const double *x0, const double *u0, double *y0,
                            yoke_err *err)
{
    const double clock = yk_clock();

    if (s->m > 0 && !u0)
        return yk_fail(err, YOKE_E_ARG, "subsystem \"%s\": u0 is missing",
                       yoke_system_name(s->system));
    s->u = NULL;
    s->loose = s->loose_next = 1.0;
    if (anew) yk_system_reset(s->system);
    memcpy(s->now.x, x0 ? x0 : s->facts->x0, (size_t)s->n * sizeof *s->now.x);
    if (!x0 && !s->options.given) YK_TRY(make_consistent(s, t0, u0, err));
    if (s->p)
        YK_TRY(yoke_system_output(s->system, t0, s->now.x, u0, s->now.y, err));
    if (s->p && y0) memcpy(y0, s->now.y, (size_t)s->p * sizeof *y0);
    YK_TRY(begin(s, t0, u0, err));
    for (int k = 0; k < s->pieces; k++) {
        const yk_events *e = &yk_piece_driver(s->piece[k])->events;
        for (int j = 0; j < e->count; j++)
            s->now.mark[s->piece[k]->part.event[j]] = e->mark[j];
    }
    s->marked = true;
    memcpy(s->x_end, s->now.x, (size_t)s->n * sizeof *s->x_end);
    if (s->now.memory) yk_system_save(s->system, s->now.memory);
    copy_rest(s, &s->kept, &s->now);
    s->work.seconds += yk_clock() - clock;
    return YOKE_OK;
}

static yoke_status latent_start(void *self, double t0, const double *x0,
                                const double *u0, double *y0, yoke_err *err)
{
    return start_at(self, true, t0, x0, u0, y0, err);
}

static yoke_status latent_take(void *self, double t0, const double *x0,
                               const double *u0, double *y0, yoke_err *err)
{
    const yk_latent *s = self;

    if (s->facts->events > 0)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\" has events; it begins at the start",
                       yoke_system_name(s->system));
    return start_at(self, false, t0, x0, u0, y0, err);
}

static void latent_give(void *self, double *x)
{
    const yk_latent *s = self;

    memcpy(x, s->kept.x, (size_t)s->n * sizeof *x);
    if (s->kept.memory) yk_system_restore(s->system, s->kept.memory);
}

/* ---- sweeps -------------------------------------------------------------- */

/* To the last accepted point.  Pieces that have gone no further than one slice
 * repeat it by themselves; others restart there, and those with memory are
 * made again. */
static void return_to_point(yk_latent *s)
{
    if (s->kept.memory) yk_system_restore(s->system, s->kept.memory);
    s->open = false;
    s->instants = 0;
    if (s->now.t == s->kept.t) {
        s->slices = 0;
        return;
    }
    copy_rest(s, &s->now, &s->kept);
    s->slices = 0;
    if (s->facts->memory_bytes > 0)
        yk_latent_drop(s);
    else
        for (int k = 0; k < s->pieces; k++) s->piece[k]->started = false;
    s->formed = false;
}

/* The unknowns at the end of the sweep, and how far they are from those of the
 * sweep before. */
static void note_end(yk_latent *s, double t1)
{
    memcpy(s->x_inside, s->now.x, (size_t)s->n * sizeof *s->x_inside);
    for (int k = 0; k < s->pieces; k++) {
        const yk_latent_piece *p = s->piece[k];
        for (int i = 0; i < p->unknowns; i++)
            s->x_inside[p->unknown[i]] = yk_piece_driver(p)->p.x[i];
    }
    s->moved = s->swept ? 0.0 : NAN;
    for (int i = 0; s->swept && i < s->n; i++) {
        const double size =
            yk_tolerance(s->atol[i], s->options.rtol, s->x_inside[i]);
        s->moved = fmax(s->moved, fabs(s->x_inside[i] - s->x_end[i]) / size);
    }
    memcpy(s->x_end, s->x_inside, (size_t)s->n * sizeof *s->x_end);
    if (s->m) yk_wave_eval(s->u, t1, NULL, s->u_end);
    s->swept = true;
}

static yoke_status check_sweep(const yk_latent *s, double t1, const yk_wave *u,
                               const yk_wave *y, yoke_err *err)
{
    const char *name = yoke_system_name(s->system);

    if (!(t1 > s->kept.t) || !isfinite(t1))
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": window end t1 = %g is not after %g",
                       name, t1, s->kept.t);
    if (yk_wave_dim(y) != s->p)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\" has %d outputs, the waveform %d", name,
                       s->p, yk_wave_dim(y));
    if (s->m > 0 && (!u || yk_wave_dim(u) != s->m || yk_wave_pieces(u) < 1))
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\" has %d inputs, the waveform %d in %d "
                       "pieces",
                       name, s->m, u ? yk_wave_dim(u) : 0,
                       u ? yk_wave_pieces(u) : 0);
    return YOKE_OK;
}

static yoke_status latent_sweep(void *self, double t1, const yk_wave *u,
                                yk_wave *y, yoke_err *err)
{
    yk_latent *s = self;
    const double clock = yk_clock();
    yoke_status status = YOKE_OK;

    YK_TRY(check_sweep(s, t1, u, y, err));
    return_to_point(s);
    s->loose = s->loose_next;
    s->loose_next = 1.0;
    s->u = u;
    s->work.sweeps++;
    yk_wave_clear(s->watched, s->now.t);
    yk_wave_clear(y, s->now.t);
    s->reached = s->now.t;
    while (status == YOKE_OK && s->reached < t1) status = slice(s, t1, y, err);
    if (status == YOKE_OK) note_end(s, t1);
    if (s->now.memory) yk_system_save(s->system, s->now.memory);
    s->u = NULL;
    s->work.seconds += yk_clock() - clock;
    return status;
}

static yoke_status latent_accept(void *self, yoke_err *err)
{
    yk_latent *s = self;

    /* Others may have used the system since the sweep. */
    if (s->now.memory) yk_system_restore(s->system, s->now.memory);
    YK_TRY(close_slice(s, err));
    if (s->now.memory) yk_system_save(s->system, s->now.memory);
    copy_rest(s, &s->kept, &s->now);
    s->swept = false;
    return YOKE_OK;
}

/* ---- for the iteration --------------------------------------------------- */

static const yk_wave *latent_watched(void *self)
{
    return ((yk_latent *)self)->watched;
}

static int latent_instants(void *self, const double **t)
{
    const yk_latent *s = self;

    *t = s->instant;
    return s->instants;
}

static double latent_next_break(void *self, double t)
{
    return yk_system_next_break(((yk_latent *)self)->system, t);
}

static double latent_moved(void *self)
{
    return ((yk_latent *)self)->moved;
}

static void latent_loosen(void *self, double factor)
{
    ((yk_latent *)self)->loose_next = factor;
}

/* The shortest of the steps of all pieces. */
static double latent_step(void *self)
{
    const yk_latent *s = self;
    double least = INFINITY;

    for (int k = 0; k < s->pieces; k++) {
        const yk_propagator *p = &s->piece[k]->propagator;
        const double h = p->ops ? p->ops->step(p->self) : 0.0;
        if (h > 0.0) least = fmin(least, h);
    }
    return isfinite(least) ? least : 0.0;
}

static void latent_work(void *self, yoke_work *work)
{
    const yk_latent *s = self;

    *work = s->work;
    for (int k = 0; k < s->pieces; k++) yk_latent_add_work(work, s->piece[k]);
}

/* The answer of the whole, at unknowns on the line from the start of the window
 * to its end. */
static yoke_status latent_linearise(void *self, double t, const double *u,
                                    double h, double *z, yoke_err *err)
{
    yk_latent *s = self;
    const double t1 = s->open ? s->reached : s->now.t;
    const double part = u && t1 > s->kept.t
                            ? fmin(1.0, (t - s->kept.t) / (t1 - s->kept.t))
                            : 1.0;

    if (!s->response) YK_TRY(yk_response_create(&s->response, s->system, err));
    for (int i = 0; i < s->n; i++)
        s->x_inside[i] = s->kept.x[i] + part * (s->x_end[i] - s->kept.x[i]);
    YK_TRY(yk_response_linearise(s->response, u ? t : t1, s->x_inside,
                                 u ? u : s->u_end, err));
    s->work.jacobians++;
    if (!yk_response_ready(s->response, 1.5 / h)) {
        s->work.factorizations++;
        s->work.solves += s->m;
    }
    YK_TRY(yk_response_factor(s->response, 1.5 / h, err));
    memcpy(z, yk_response_matrix(s->response),
           (size_t)s->p * (size_t)s->m * sizeof *z);
    return YOKE_OK;
}

static void latent_answer_begin(void *self)
{
    yk_response_begin(((yk_latent *)self)->response);
}

static yoke_status latent_history(void *self, double *dy, yoke_err *err)
{
    yk_latent *s = self;

    s->work.solves++;
    return yk_response_history(s->response, dy, err);
}

static void latent_follow(void *self, const double *du)
{
    yk_response_follow(((yk_latent *)self)->response, du);
}

/* ---- life ---------------------------------------------------------------- */

static void latent_free(void *self)
{
    yk_latent *s = self;

    if (!s) return;
    yk_latent_drop(s);
    yk_latent_unlist(s);
    rest_free(&s->now);
    rest_free(&s->kept);
    yk_wave *const wave[] = { s->watched, s->constant, s->joined, s->still,
                              s->merged };
    for (int k = 0; k < 5; k++) yk_wave_free(wave[k]);
    YK_FREE(s->todo, s->price, s->piece, s->atol, s->slack, s->mark, s->queue,
            s->owner, s->up, s->size, s->sums, s->watch, s->shown_at, s->row,
            s->value, s->d, s->term, s->instant, s->x_end, s->u_end,
            s->x_inside);
    yk_response_free(s->response);
    yk_free(s);
}

bool yk_latent_suits(const yk_method *method, const yoke_system *system)
{
    const yoke_system_info *f = yoke_system_facts(system);

    return f->cells && f->cells->count >= YK_LATENT_FEWEST &&
           (f->events == 0 || (f->cells->is_far && f->cells->event_cell)) &&
           (f->memory_bytes == 0 || f->cells->absorb) &&
           (f->p == 0 || f->cells->output_cell) && !f->help->project &&
           method->stepping == YK_ADAPTIVE && method->shape;
}

static yoke_status make_arrays(yk_latent *s, yoke_err *err)
{
    const size_t n = (size_t)s->n + 1, cells = (size_t)s->cells + 1;
    const size_t wide = n + (size_t)(s->m + s->p + s->watches);
    int **const by_cell[] = { &s->mark, &s->queue, &s->owner,
                              &s->up,   &s->size,  &s->sums };

    YK_TRY(make_rest(s, &s->now, err));
    YK_TRY(make_rest(s, &s->kept, err));
    for (int k = 0; k < 6; k++) YK_TRY(yk_ints(by_cell[k], cells, err));
    for (int c = 0; c < s->cells; c++) s->owner[c] = -1;
    YK_TRY(YK_DOUBLES(n, err, &s->atol, &s->slack, &s->d));
    YK_TRY(YK_DOUBLES(wide, err, &s->value, &s->row));
    YK_TRY(yk_doubles(&s->u_end, (size_t)s->m + 1, err));
    YK_TRY(YK_DOUBLES(n, err, &s->x_end, &s->x_inside));
    for (int i = 0; i < s->n; i++)
        s->atol[i] = s->options.atol * s->facts->nominal[i] /
                     yk_system_weight(s->system, i);
    return YOKE_OK;
}

static yoke_status make(yk_latent *s, const int *watch, yoke_err *err)
{
    YK_TRY(make_arrays(s, err));
    YK_TRY(yk_ints(&s->shown_at, (size_t)s->n + 1, err));
    for (int i = 0; i < s->n; i++) s->shown_at[i] = -1;
    YK_TRY(yk_copy_ints(&s->watch, watch, (size_t)s->watches, err));
    for (int w = 0; w < s->watches; w++) s->shown_at[watch[w]] = w;
    YK_TRY(yk_wave_create(&s->watched, s->watches, err));
    YK_TRY(yk_wave_create(&s->constant, s->watches, err));
    YK_TRY(yk_wave_create(&s->joined, s->watches, err));
    YK_TRY(yk_wave_create(&s->still, s->p, err));
    YK_TRY(yk_wave_create(&s->merged, s->p, err));
    return yk_latent_list(s, err);
}

static const yk_answer_ops latent_answer = {
    .linearise = latent_linearise,
    .begin = latent_answer_begin,
    .history = latent_history,
    .follow = latent_follow,
};

static const yk_handover_ops latent_handover = {
    .give = latent_give,
    .take = latent_take,
};

static const yk_propagator_ops latent_ops = {
    .kind = "stepper",
    .start = latent_start,
    .sweep = latent_sweep,
    .accept = latent_accept,
    .watched = latent_watched,
    .instants = latent_instants,
    .next_break = latent_next_break,
    .moved = latent_moved,
    .answer = &latent_answer,
    .loosen = latent_loosen,
    .step = latent_step,
    .handover = &latent_handover,
    .work = latent_work,
    .free = latent_free,
};

yoke_status yk_latent_create(yk_propagator *out, const yk_method *method,
                             yoke_system *system,
                             const yoke_stepper_options *options, int watches,
                             const int *watch, yoke_err *err)
{
    yk_latent *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    s->system = system;
    s->facts = yoke_system_facts(system);
    s->method = method;
    s->options = *options;
    s->n = s->facts->n;
    s->m = s->facts->m;
    s->p = s->facts->p;
    s->cells = s->facts->cells->count;
    s->watches = watches;
    s->loose = s->loose_next = 1.0;
    s->moved = NAN;
    const yoke_status status = make(s, watch, err);
    if (status != YOKE_OK) {
        latent_free(s);
        return status;
    }
    *out = (yk_propagator){ &latent_ops, s, s->m, s->p, watches, false };
    return YOKE_OK;
}
