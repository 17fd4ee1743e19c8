/* step/cells/latent_rest.c -- which cells may sleep, and which must wake.
 *
 * A cell may sleep if it would move by less than a part of its tolerance in a
 * time T when everything around it stays as it is: an implicit step of that
 * length, (C / T + G) d = -f.  T is several times what the run has lasted so
 * far and what is left of the window; after it the cell is looked at again.  So
 * slow cells are no cells at rest, and all are looked at a few times in a run.
 */
#include "step/cells/latent.h"
#include "sys/call.h"

#include <math.h>

/* ---- waking -------------------------------------------------------------- */

/* Does component k of w, of `dim`, leave seen +- limit?  Looked at three points
 * of each of its pieces. */
static bool has_moved(const yk_wave *w, int dim, int k, double seen,
                      double limit)
{
    for (int i = 0; i < yk_wave_pieces(w); i++) {
        const double *c = yk_wave_coef(w, i) + k;
        const double begin = c[0];
        double middle = 0.0, end = 0.0, power = 1.0;
        for (int e = 0; e <= yk_wave_degree(w, i); e++, power *= 0.5) {
            middle += power * c[e * dim];
            end += c[e * dim];
        }
        if (!(fabs(end - seen) <= limit && fabs(middle - seen) <= limit &&
              fabs(begin - seen) <= limit))
            return true;
    }
    return false;
}

static int enqueue_sleeping(yk_latent *s, const yk_lists *l, int item,
                            int count)
{
    for (int r = l->start[item]; r < l->start[item + 1]; r++)
        if (!s->now.awake[l->cell[r]])
            count = yk_latent_enqueue(s, l->cell[r], count);
    return count;
}

int yk_latent_find_sleepers(yk_latent *s, const yk_latent_piece *p, int count)
{
    const yk_wave *w = p->propagator.ops->watched(p->propagator.self);
    const int dim = p->borders + p->shown;

    for (int k = 0; k < p->borders; k++) {
        const int j = p->unknown[p->watch[k]];
        const double limit =
            YK_LATENT_WAKE * yk_latent_tolerance(s, j, s->now.seen[j]);
        if (has_moved(w, dim, k, s->now.seen[j], limit))
            count = enqueue_sleeping(s, &s->reader, yk_cell_of(s, j), count);
    }
    return count;
}

/* Does input j leave the value that is known, on [now, t1]?  Inputs have no
 * absolute tolerance: a capacitance is small. */
static bool input_moves(const yk_latent *s, int j, double t1)
{
    const double seen = s->now.u[j];
    const double limit = YK_LATENT_WAKE * s->options.rtol * fabs(seen);

    for (int i = 0; i < yk_wave_pieces(s->u); i++) {
        const double a = yk_wave_knot(s->u, i),
                     length = yk_wave_knot(s->u, i + 1) - a;
        const double *c = yk_wave_coef(s->u, i) + j;
        if (a + length <= s->now.t) continue;
        if (a >= t1) break;
        const double from = fmax(0.0, (s->now.t - a) / length);
        const double to = fmin(1.0, (t1 - a) / length);
        for (int e = 0; e < 3; e++) {
            const double theta = from + 0.5 * e * (to - from);
            double value = 0.0;
            for (int k = yk_wave_degree(s->u, i); k >= 0; k--)
                value = value * theta + c[k * s->m];
            if (!(fabs(value - seen) <= limit)) return true;
        }
    }
    return false;
}

void yk_latent_wake_restless(yk_latent *s, double t1)
{
    int count = 0;

    yk_latent_begin_queue(s);
    for (int k = 0; k < s->restless; k++) {
        const int c = s->restless_cell[k];
        if (!s->now.awake[c] && !yk_system_is_still(s->system, c, s->now.t, t1))
            count = yk_latent_enqueue(s, c, count);
    }
    for (int j = 0; j < s->m; j++)
        if (input_moves(s, j, t1))
            count = enqueue_sleeping(s, &s->taker, j, count);
    if (count)
        yk_latent_wake(s,
                       yk_latent_add_layers(s, count, YK_LATENT_LAYERS, false));
}

void yk_latent_wake_overdue(yk_latent *s)
{
    int count = 0;

    if (s->now.t < s->now.until) return;
    s->now.until = INFINITY;
    if (s->now.count == s->cells) return;
    yk_latent_begin_queue(s);
    for (int c = 0; c < s->cells; c++)
        if (!s->now.awake[c]) count = yk_latent_enqueue(s, c, count);
    yk_latent_wake(s, count);
    s->wait = 0;
}

/* ---- falling asleep ------------------------------------------------------ */

/* d of all unknowns of the piece: how far each would move in a time T. */
static yoke_status find_motion(yk_latent *s, const yk_latent_piece *p, double T,
                               yoke_err *err)
{
    yk_problem *q = &yk_piece_driver(p)->p;

    YK_TRY(yk_eval(q, q->t, q->x, NULL, s->d, err));
    YK_TRY(yk_jacobian(q, q->t, q->x, err));
    q->oldest = 0;
    YK_TRY(yk_matrix_factor(q, p->matrix, 1.0 / T, 0.0, 1.0, err));
    return yk_matrix_solve(q, p->matrix, s->d, err);
}

/* Cells of the piece that must stay awake, into the queue. */
static yoke_status find_moving(yk_latent *s, const yk_latent_piece *p, double T,
                               int *count, yoke_err *err)
{
    const yoke_status status = find_motion(s, p, T, err);
    const bool blind = status > 0; /* not to know is to stay awake */

    if (status < 0) return status;
    for (int k = 0; k < p->unknowns; k++) {
        const int j = p->unknown[k];
        s->slack[j] = yk_latent_tolerance(s, j, s->now.x[j]);
        if (blind || !(fabs(s->d[k]) <= (1.0 - YK_LATENT_WAKE) * s->slack[j]))
            *count = yk_latent_enqueue(s, yk_cell_of(s, j), *count);
    }
    return YOKE_OK;
}

/* An event that is near, or waits for being applied, keeps its cell awake. */
static int find_eventful(yk_latent *s, int count)
{
    for (int a = 0; s->facts->events > 0 && a < s->now.count; a++) {
        const int c = s->now.cell[a];
        bool far = s->event.start[c] == s->event.start[c + 1] ||
                   yk_system_is_far(s->system, c, s->now.t, s->now.x, s->slack);
        for (int k = s->event.start[c]; far && k < s->event.start[c + 1]; k++)
            far = !s->now.mark[s->event.cell[k]].pending;
        if (!far) count = yk_latent_enqueue(s, c, count);
    }
    return count;
}

/* Cells with sources or inputs that change in the next slice. */
static int find_restless(yk_latent *s, double stop, int count)
{
    const double t1 = fmin(s->now.t + s->now.length, stop);

    for (int k = 0; k < s->restless; k++) {
        const int c = s->restless_cell[k];
        if (s->now.awake[c] && !yk_system_is_still(s->system, c, s->now.t, t1))
            count = yk_latent_enqueue(s, c, count);
    }
    for (int j = 0; s->u && j < s->m; j++) {
        const yk_lists *l = &s->taker;
        if (!input_moves(s, j, t1)) continue;
        for (int r = l->start[j]; r < l->start[j + 1]; r++)
            if (s->now.awake[l->cell[r]])
                count = yk_latent_enqueue(s, l->cell[r], count);
    }
    return count;
}

/* What is known about an unknown by cells that fall asleep now: its present
 * value, unless others sleep already that know an earlier one. */
static void note_unknowns(yk_latent *s, int cell)
{
    for (int k = s->first[cell]; k < s->first[cell + 1]; k++) {
        const int j = s->list[k];
        if (!yk_latent_is_border(s, j)) s->now.seen[j] = s->now.x[j];
    }
}

static void note_seen(yk_latent *s, int cell)
{
    note_unknowns(s, cell);
    for (int r = s->read.start[cell]; r < s->read.start[cell + 1]; r++)
        note_unknowns(s, s->read.cell[r]);
}

/* Inputs that no sleeping cell reads: their present values. */
static void note_inputs(yk_latent *s)
{
    const yk_lists *l = &s->taker;

    if (s->m == 0 || !s->u) return;
    yk_wave_eval_right(s->u, s->now.t, NULL, s->value);
    for (int j = 0; j < s->m; j++) {
        bool sleeping = false;
        for (int r = l->start[j]; !sleeping && r < l->start[j + 1]; r++)
            sleeping = !s->now.awake[l->cell[r]];
        if (!sleeping) s->now.u[j] = s->value[j];
    }
}

static void put_to_sleep(yk_latent *s)
{
    const int before = s->now.count;

    for (int a = 0; a < before; a++)
        if (s->mark[s->now.cell[a]] != s->marks) note_seen(s, s->now.cell[a]);
    s->now.count = 0;
    for (int a = 0; a < before; a++) {
        const int c = s->now.cell[a];
        if (s->mark[c] == s->marks)
            s->now.cell[s->now.count++] = c;
        else
            s->now.awake[c] = false;
    }
    s->formed = false;
}

/* The queue of `core` cells that move gets the layers of cells around them that
 * stay awake.  If one beside them sleeps, more are woken. */
static int wake_ahead(yk_latent *s, int core)
{
    const int near = yk_latent_add_layers(s, core, 1, false);
    bool asleep = false;

    for (int k = core; k < near; k++)
        asleep = asleep || !s->now.awake[s->queue[k]];
    yk_latent_requeue(s, core);
    if (!asleep)
        return yk_latent_add_layers(s, core, YK_LATENT_LAYERS - 1, true);
    const int count = yk_latent_add_layers(s, core, YK_LATENT_LAYERS, false);
    yk_latent_wake(s, count);
    return count;
}

yoke_status yk_latent_retire(yk_latent *s, double t1, yoke_err *err)
{
    const double T = YK_LATENT_AHEAD * (t1 - s->begin);
    int moving = 0;

    if (!(t1 > s->now.t) || !s->formed || s->now.count == 0) return YOKE_OK;
    for (int k = 0; k < s->pieces; k++) /* a sweep that is repeated */
        if (s->piece[k]->solved) return YOKE_OK;
    if (s->wait > 0) {
        s->wait--;
        return YOKE_OK;
    }
    note_inputs(s);
    yk_latent_begin_queue(s);
    for (int k = 0; k < s->pieces; k++)
        YK_TRY(find_moving(s, s->piece[k], T, &moving, err));
    moving = find_eventful(s, moving);
    moving = find_restless(s, t1, moving);
    moving = wake_ahead(s, moving);
    const bool all = s->now.count == s->cells;
    const int idle = s->now.count - moving;
    if (YK_LATENT_WORTH * idle < s->now.count || idle < 2) {
        /* Where nothing comes to rest one looks more and more rarely. */
        if (all && s->pause < YK_LATENT_LONGEST_PAUSE)
            s->pause = 2 * s->pause + 1;
        s->wait = s->pause;
        return YOKE_OK;
    }
    s->pause = s->wait = 0;
    s->now.until = fmin(s->now.until, s->now.t + T);
    put_to_sleep(s);
    return YOKE_OK;
}
