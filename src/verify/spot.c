/* verify/spot.c -- which pieces of a run are solved again.
 *
 * Errors that no test of a step sees are those of features that no step looked
 * at: they lie in few, long steps.  So a piece is a step, drawn with a weight
 * that grows with its length, with what its inputs do inside it and with how
 * much longer it is than the one before.  A step that is too expensive is drawn from
 * again: a part of it.
 *
 * Work is residuals times unknowns.  The checks may use the share `spot` of
 * what the run has used so far, and in all as much as a small system takes in a
 * moment, so that short runs are checked too; that grows with time, so that it
 * is not spent in the first window.
 *
 * Not checked: methods with fixed steps, which promise no tolerance, closed
 * units, subsystems that iterate inside (their values would not repeat in every
 * bit) and models of very many unknowns.
 */
#include "verify/spot.h"

#include "sys/call.h"
#include "verify/policy.h"

#include <math.h>
#include <string.h>

/* Checks of one window. */
enum { MOST_A_WINDOW = 8 };

/* ---- what may be checked --------------------------------------------------
 */

/* Are windows iterated until the waveforms belong together? */
static bool converges(const yk_spot *s)
{
    const yoke_iterate_options *o = &s->options->iterate;

    return o->stop == YOKE_STOP_ERROR && !o->at_end;
}

/* What feeds it was known before the window. */
static bool is_fed_early(const yk_cluster *c)
{
    for (int k = 0; k < c->sources; k++)
        if (!c->source[k].delayed) return false;
    return true;
}

/* Adaptive, open, and with all unknowns watched? */
static bool may_check(const yk_spot *s, int unit)
{
    const yk_cluster *c = &s->units->plan[0].cluster[unit];
    const yk_propagator *p = &s->units->plan[0].propagator[unit];
    yoke_stepper_options o;

    if (!p->ops->watched || !p->ops->handover || !p->ops->handover->join ||
        !p->ops->limit)
        return false;
    for (int k = 0; k < c->nodes; k++)
        if (yoke_system_facts(yoke_graph_system(s->graph, c->node[k]))->flags &
            YOKE_ITERATED)
            return false;
    if (!converges(s) && !is_fed_early(c)) return false;
    return yk_ladder_stepper(s->ladder, c, true, &o, NULL) == YOKE_OK &&
           !yoke_stepper_is_fixed(o.method);
}

/* Everything as one, where the windows were to converge? */
static bool may_check_whole(const yk_spot *s)
{
    if (s->units->plan[0].schedule->clusters == 1 || !converges(s) ||
        s->first_x[yoke_graph_count(s->graph)] > YK_SPOT_MOST_WHOLE)
        return false;
    for (int c = 0; c < s->units->plan[0].schedule->clusters; c++)
        if (!may_check(s, c)) return false;
    return true;
}

static yoke_status make_whole(yk_spot *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *all = NULL;

    if (s->whole) return YOKE_OK;
    YK_GO(yk_schedule_create(&all, s->graph, YOKE_MONOLITHIC, 0, NULL, err));
    YK_GO(yk_clusters_create(&s->whole, s->graph, all, s->units->extra, err));
done:
    yoke_schedule_free(all);
    return status;
}

/* ---- places ---------------------------------------------------------------
 */

static void free_places(yk_spot *s)
{
    for (int c = 0; s->place && c < s->places; c++) yk_free(s->place[c]);
    yk_free(s->place);
    s->place = NULL;
    s->places = 0;
}

void yk_spot_free(yk_spot *s)
{
    free_places(s);
    yk_clusters_free(s->whole, s->whole ? 1 : 0);
    YK_FREE(s->first_x, s->size_x, s->size_y, s->memory);
}

/* Behind the unknowns that are recorded come the others. */
static yoke_status place_unit(yk_spot *s, int c, yoke_err *err)
{
    yk_unit_plan *p = &s->units->plan[0];
    const int n = yoke_system_facts(p->cluster[c].system)->n;
    int *watch = NULL, *place = NULL;

    YK_TRY(yk_ints(&s->place[c], (size_t)n + 1, err));
    YK_TRY(yk_ints(&watch, (size_t)(n + p->watches[c]) + 1, err));
    place = s->place[c];
    for (int i = 0; i < n; i++) place[i] = -1;
    for (int k = 0; k < p->watches[c]; k++) {
        watch[k] = p->watch[c][k];
        place[watch[k]] = k;
    }
    for (int i = 0; i < n; i++) {
        if (place[i] >= 0) continue;
        place[i] = p->watches[c];
        watch[p->watches[c]++] = i;
    }
    yk_free(p->watch[c]);
    p->watch[c] = watch;
    return YOKE_OK;
}

static yoke_status open(yk_spot *s, yoke_err *err)
{
    const int nodes = yoke_graph_count(s->graph);

    if (s->first_x) return YOKE_OK;
    YK_TRY(yk_ints(&s->first_x, (size_t)nodes + 1, err));
    for (int i = 0; i < nodes; i++)
        s->first_x[i + 1] =
            s->first_x[i] +
            yoke_system_facts(yoke_graph_system(s->graph, i))->n;
    s->seed = (unsigned long long)s->options->spot_seed + 1;
    s->open = s->options->spot > 0.0 && s->units->count == 1 &&
              s->first_x[nodes] <= YK_SPOT_MOST_UNKNOWNS;
    if (!s->open) return YOKE_OK;
    YK_TRY(yk_doubles(&s->size_x, (size_t)s->first_x[nodes] + 1, err));
    return yk_doubles(&s->size_y, (size_t)s->units->first_out[nodes] + 1, err);
}

yoke_status yk_spot_place(yk_spot *s, yoke_err *err)
{
    const int units = s->units->plan[0].schedule->clusters;

    YK_TRY(open(s, err));
    if (!s->open) return YOKE_OK;
    free_places(s);
    YK_TRY(YK_NEW(&s->place, units, err));
    s->places = units;
    for (int c = 0; c < units; c++) YK_TRY(place_unit(s, c, err));
    return YOKE_OK;
}

yoke_status yk_spot_start(yk_spot *s, double t, yoke_err *err)
{
    if (!s->open) return YOKE_OK;
    yk_free(s->memory);
    s->memory = NULL;
    s->memory_t = t;
    return yk_model_save(s->model, &s->memory, err);
}

/* ---- sizes ----------------------------------------------------------------
 */

/* Values at the knots of one component. */
static double largest(const yk_wave *w, int component)
{
    const int dim = yk_wave_dim(w);
    double most = 0.0;

    for (int i = 0; i < yk_wave_pieces(w); i++) {
        const double *c = yk_wave_coef(w, i);
        double end = 0.0;
        for (int d = 0; d <= yk_wave_degree(w, i); d++)
            end += c[d * dim + component];
        most = fmax(most, fmax(fabs(c[component]), fabs(end)));
    }
    return most;
}

static void note_sizes(yk_spot *s, int unit)
{
    const yk_cluster *c = &s->units->plan[0].cluster[unit];
    const yk_propagator *p = &s->units->plan[0].propagator[unit];
    const yk_wave *x = p->ops->watched ? p->ops->watched(p->self) : NULL;
    const yk_wave *y = yk_iteration_wave(s->units->iteration, 0, unit);
    for (int k = 0; x && k < c->nodes; k++) {
        const int n =
            yoke_system_facts(yoke_graph_system(s->graph, c->node[k]))->n;
        for (int i = 0; i < n; i++) {
            double *size = &s->size_x[s->first_x[c->node[k]] + i];
            *size = fmax(*size, largest(x, s->place[unit][c->x_at[k] + i]));
        }
    }
    for (int k = 0; k < c->outs; k++) {
        double *size =
            &s->size_y[s->units->first_out[c->out[k][0]] + c->out[k][1]];
        *size = fmax(*size, largest(y, k));
    }
}

/* ---- the draw -------------------------------------------------------------
 */

typedef struct draw {
    int drawn;                  /* of this window before */
    double done[MOST_A_WINDOW]; /* where they began */
    double sum;                 /* of the weights */
    int unit;
    double begin, end; /* the step that is drawn */
    double before;     /* where the one before began; NAN: in no other window */
} draw;

/* Pieces of w in [begin, end]; *cursor is a piece not after it. */
static int pieces_in(const yk_wave *w, double begin, double end, int *cursor)
{
    const int last = yk_wave_pieces(w);
    int count = 0;

    while (*cursor < last && yk_wave_knot(w, *cursor) < begin) ++*cursor;
    for (int i = *cursor; i <= last && yk_wave_knot(w, i) < end; i++) count++;
    return count;
}

/* Where a check may begin: memory is known where a window begins, up to its
 * first event, and behind its last one.  Systems with memory and without events
 * may change it in every step. */
typedef struct room {
    double first, last; /* begin before or at `first`, or after `last` */
} room;

static room find_room(const yk_spot *s, double t0, double t1)
{
    room r = { INFINITY, -INFINITY };
    bool memory = false;

    for (int i = 0; i < yoke_graph_count(s->graph); i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(s->graph, i));
        memory = memory || f->memory_bytes > 0;
        if (f->memory_bytes > 0 && f->events == 0)
            r = (room){ fmin(r.first, t0), INFINITY };
    }
    if (!memory) return r;
    for (int c = 0; c < s->units->plan[0].schedule->clusters; c++) {
        const yk_propagator *p = &s->units->plan[0].propagator[c];
        const double *at = NULL;
        const int count = p->ops->instants ? p->ops->instants(p->self, &at) : 0;
        for (int k = 0; k < count; k++) {
            r.first = fmin(r.first, at[k] - 1e-9 * (t1 - t0));
            r.last = fmax(r.last, at[k] + 1e-9 * (t1 - t0));
        }
    }
    if (s->memory_t != t0) r.first = -INFINITY;
    return r;
}

static bool may_begin(const room *r, double t)
{
    return t <= r->first || t >= r->last;
}

static void draw_step(yk_spot *s, draw *d, int unit, const yk_wave *w,
                      int piece, double weight)
{
    const double begin = yk_wave_knot(w, piece);

    for (int k = 0; k < d->drawn; k++)
        if (d->done[k] == begin) return;
    d->sum += weight;
    if (yk_random(&s->seed) * d->sum >= weight) return;
    d->unit = unit;
    d->begin = begin;
    d->end = yk_wave_knot(w, piece + 1);
    d->before = piece > 0 ? yk_wave_knot(w, piece - 1) : NAN;
}

/* Is something not smooth at t?  Then it is open what is kept, and what
 * jumps. */
static bool at_instant(const yk_spot *s, double t, double near)
{
    for (int c = 0; c < s->units->plan[0].schedule->clusters; c++) {
        const yk_propagator *p = &s->units->plan[0].propagator[c];
        const double *at = NULL;
        const int count = p->ops->instants ? p->ops->instants(p->self, &at) : 0;
        for (int k = 0; k < count; k++)
            if (fabs(at[k] - t) <= near) return true;
    }
    return false;
}

/* A step that begins at an instant is checked with the one before. */
static bool step_back(const yk_spot *s, const room *r, draw *d)
{
    const double near = 1e-6 * (d->end - d->begin);

    if (!at_instant(s, d->begin, near)) return true;
    d->begin = d->before;
    return !isnan(d->before) && may_begin(r, d->before) &&
           !at_instant(s, d->before, near);
}

/* The largest part of its size that an unknown moves by in a step. */
static double motion(const yk_spot *s, int unit, const yk_wave *w, int piece)
{
    const yk_cluster *c = &s->units->plan[0].cluster[unit];
    const int dim = yk_wave_dim(w);
    const double *coef = yk_wave_coef(w, piece);
    double most = 0.0;

    for (int k = 0; k < c->nodes; k++) {
        const int first = s->first_x[c->node[k]];
        const int n = s->first_x[c->node[k] + 1] - first;
        for (int i = 0; i < n; i++) {
            const double size = s->size_x[first + i];
            double by = 0.0;
            for (int e = 1; e <= yk_wave_degree(w, piece); e++)
                by += coef[e * dim + s->place[unit][c->x_at[k] + i]];
            if (size > 0.0) most = fmax(most, fabs(by) / size);
        }
    }
    return most;
}

/* The steps of one unit.  Every other draw is by what moves in them instead of
 * by their length: edges are short.  Slivers, where a step is cut at a jump,
 * are too short to compare anything. */
static void draw_unit(yk_spot *s, draw *d, const room *r, int unit)
{
    const yk_unit_plan *plan = &s->units->plan[0];
    const yk_unit *u = &plan->unit[unit];
    const yk_propagator *p = u->propagator;
    const yk_wave *w = p->watches > 0
                           ? p->ops->watched(p->self)
                           : yk_iteration_wave(s->units->iteration, 0, unit);
    const int pieces = yk_wave_pieces(w);
    const double mean = (yk_wave_end(w) - yk_wave_begin(w)) / pieces;
    double before = 0.0;
    int cursor = 0;

    for (int i = 0; i < pieces; i++) {
        const double begin = yk_wave_knot(w, i), end = yk_wave_knot(w, i + 1);
        double weight = end - begin;
        if (u->feeds > 0 && !u->feed[0].delayed)
            weight *=
                1.0 + fmin(YK_SPOT_INPUT_PIECES,
                           pieces_in(yk_iteration_wave(s->units->iteration, 0,
                                                       u->feed[0].unit),
                                     begin, end, &cursor));
        if (before > 0.0 && end - begin > YK_SPOT_GROWN * before)
            weight *= YK_SPOT_GROWN_WEIGHT;
        before = end - begin;
        if (d->drawn % 2 && p->watches > 0)
            weight = pow(motion(s, unit, w, i), 2.0);
        if (end - begin < YK_SPOT_SLIVER * mean) continue;
        if (may_begin(r, begin)) draw_step(s, d, unit, w, i, weight);
    }
}

/* Most steps of a unit in the piece. */
static double steps_in(const yk_spot *s, double begin, double end)
{
    int most = 1;

    for (int c = 0; c < s->units->plan[0].schedule->clusters; c++) {
        int cursor = 0;
        const int count = pieces_in(
            yk_iteration_wave(s->units->iteration, 0, c), begin, end, &cursor);
        if (count > most) most = count;
    }
    return most;
}

/* ---- the budget -----------------------------------------------------------
 */

/* Work of the run so far, and of what it is made of. */
static double work_so_far(const yk_spot *s)
{
    double sum = 0.0;

    for (int b = 0; b < s->tally->bases; b++) {
        const int node = s->tally->base[b].node;
        const int n = yoke_system_facts(yoke_graph_system(s->graph, node))->n;
        yoke_work work = { 0 };
        yk_tally_work(s->tally, b, NULL, &work);
        sum += (double)work.residuals * (n > 0 ? n : 1);
    }
    return sum;
}

static double credit(const yk_spot *s, double t)
{
    const yoke_run_options *o = s->options;
    const double n = s->first_x[yoke_graph_count(s->graph)];
    const double part = (t - o->start) / (o->stop - o->start);
    const double standard = yoke_run_defaults().spot;

    return o->spot * work_so_far(s) +
           fmin(o->spot / standard, 1.0) * YK_SPOT_MOMENT *
               fmin(n, YK_SPOT_MOMENT_UNKNOWNS) * part -
           s->spent;
}

/* A piece of the step that was drawn, within `may` steps. */
static yk_spot_piece cut(yk_spot *s, const draw *d, double may)
{
    yk_spot_piece piece = {
        .begin = d->begin, .end = d->end, .unit = d->unit, .step = d->unit
    };
    const double length = d->end - d->begin;
    const double steps = YK_SPOT_STEPS * steps_in(s, d->begin, d->end);

    if (steps > may) {
        piece.end = d->begin + length * fmax(may / steps, 1e-6);
        piece.step = -1;
    }
    const double inside = steps_in(s, piece.begin, piece.end);
    piece.max_step = (piece.end - piece.begin) /
                     fmax(fmax(YK_SPOT_FEWEST, inside), fmin(0.5 * may, 64.0));
    piece.limit = (long)fmax(4.0 * may, 1000.0);
    return piece;
}

/* One check, if there is credit for it. */
static yoke_status one_check(yk_spot *s, double t0, double t1, bool whole,
                             void *now, draw *last, bool *made, yoke_err *err)
{
    const int units = s->units->plan[0].schedule->clusters;
    const room r = find_room(s, t0, t1);
    draw d = *last;

    *made = false;
    d.sum = 0.0;
    d.unit = -1;
    for (int c = 0; c < units; c++)
        if (may_check(s, c)) draw_unit(s, &d, &r, c);
    if (!(d.sum > 0.0)) return YOKE_OK;
    const double n =
        whole ? s->first_x[yoke_graph_count(s->graph)]
              : yoke_system_facts(s->units->plan[0].cluster[d.unit].system)->n;
    const double may =
        (credit(s, t1) / fmax(n, 1.0) - YK_SPOT_BEGINNING) / YK_SPOT_PER_STEP;
    if (may < YK_SPOT_FEWEST) return YOKE_OK;
    last->done[last->drawn++] = d.begin;
    *made = true;
    if (!step_back(s, &r, &d)) return YOKE_OK;
    yk_spot_piece piece = cut(s, &d, may);
    if (whole) piece.unit = -1;
    piece.memory = piece.begin <= r.first ? s->memory : now;
    return yk_spot_check(s, &piece, err);
}

yoke_status yk_spot_window(yk_spot *s, double t0, double t1, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    void *now = NULL;
    bool made = true;
    draw d = { .drawn = 0 };

    if (!s->open) return YOKE_OK;
    const double clock = yk_clock();
    for (int c = 0; c < s->units->plan[0].schedule->clusters; c++)
        note_sizes(s, c);
    YK_GO(yk_model_save(s->model, &now, err));
    const bool whole = may_check_whole(s);
    if (whole) YK_GO(make_whole(s, err));
    yk_model_aside(s->model,
                   true); /* and they ask for more than the run does */
    for (int k = 0; made && k < MOST_A_WINDOW && status == YOKE_OK; k++)
        status = one_check(s, t0, t1, whole, now, &d, &made, err);
    if (status == YOKE_STOPPED)
        yk_fail(err, YOKE_STOPPED,
                "stopped at t = %.9g on request, while a part of the run up "
                "to there was solved once more to check it",
                t1);
    yk_model_aside(s->model, false);
    yk_model_restore(s->model, now);
    s->work.seconds += yk_clock() - clock;
    if (status != YOKE_OK) goto done;
    yk_free(s->memory);
    s->memory = now;
    s->memory_t = t1;
    now = NULL;
done:
    yk_free(now);
    return status;
}
