/* step/cells/latent_pieces.c -- connected groups of cells that are awake, each
 * a system with a propagator of its own. */
#include "step/cells/latent.h"

#include "base/crew.h"
#include "sys/call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------- */

void yk_latent_add_work(yoke_work *sum, const yk_latent_piece *p)
{
    yoke_work w;

    if (!p->propagator.ops) return;
    p->propagator.ops->work(p->propagator.self, &w);
    sum->steps += w.steps;
    sum->rejected += w.rejected;
    sum->residuals += w.residuals;
    sum->jacobians += w.jacobians;
    sum->factorizations += w.factorizations;
    sum->solves += w.solves;
    sum->events += w.events;
}

static void piece_free(yk_latent *s, yk_latent_piece *p)
{
    if (!p) return;
    yk_latent_add_work(&s->work, p);
    if (p->propagator.ops) p->propagator.ops->free(p->propagator.self);
    yk_matrix_free(p->matrix);
    yoke_system_free(p->part.system);
    yk_wave_free(p->held);
    yk_wave_free(p->u);
    yk_wave_free(p->y);
    YK_FREE(p->unknown, p->watch, p->column, p);
}

void yk_latent_drop(yk_latent *s)
{
    for (int k = 0; k < s->pieces; k++) piece_free(s, s->piece[k]);
    s->pieces = 0;
    for (int c = 0; s->owner && c < s->cells; c++) s->owner[c] = -1;
    s->formed = false;
}

/* ---- making -------------------------------------------------------------- */

/* What is to be known of the piece inside a slice. */
static void choose_watched(yk_latent *s, yk_latent_piece *p)
{
    p->borders = p->shown = 0;
    for (int k = 0; k < p->unknowns; k++)
        if (yk_latent_is_border(s, p->unknown[k])) p->watch[p->borders++] = k;
    for (int k = 0; k < p->unknowns; k++)
        if (s->shown_at[p->unknown[k]] >= 0) {
            p->watch[p->borders + p->shown] = k;
            p->column[p->shown++] = s->shown_at[p->unknown[k]];
        }
}

static yoke_status make_piece(yk_latent *s, yk_latent_piece *p, yoke_err *err)
{
    yoke_stepper_options options = s->options;

    qsort(p->unknown, (size_t)p->unknowns, sizeof *p->unknown, yk_compare_ints);
    YK_TRY(yk_ints(&p->watch, 2 * (size_t)p->unknowns + 1, err));
    YK_TRY(yk_ints(&p->column, (size_t)p->unknowns + 1, err));
    choose_watched(s, p);
    options.given = true;
    options.warm = s->options.warm && s->m > 0;
    options.step = p->h > 0.0 ? p->h : s->options.step;
    YK_TRY(yk_system_part(s->system, p->unknowns, p->unknown, s->now.x,
                          &p->part, err));
    YK_TRY(yk_drive_create(&p->propagator, s->method, p->part.system, &options,
                           p->borders + p->shown, p->watch, err));
    YK_TRY(yk_matrix_create(&p->matrix, &yk_piece_driver(p)->p, false, err));
    if (p->part.inputs) YK_TRY(yk_wave_create(&p->held, p->part.foreigns, err));
    YK_TRY(yk_wave_create(&p->u, p->part.foreigns + p->part.inputs, err));
    return yk_wave_create(&p->y, p->propagator.p, err);
}

/* Foreign unknowns and, behind them, inputs at the present time. */
static void read_foreign(yk_latent *s, const yk_latent_piece *p)
{
    const yoke_cell_part *part = &p->part;

    for (int k = 0; k < part->foreigns; k++)
        s->value[k] = s->now.x[part->foreign[k]];
    if (part->inputs == 0) return;
    if (s->u) yk_wave_eval_right(s->u, s->now.t, NULL, s->u_end);
    for (int k = 0; k < part->inputs; k++)
        s->value[part->foreigns + k] = s->u_end[part->input[k]];
}

static void carry_marks(yk_latent *s, const yk_latent_piece *p, bool back)
{
    yk_events *e = &yk_piece_driver(p)->events;

    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &s->now.mark[p->part.event[k]];
        if (back)
            *mark = e->mark[k];
        else
            e->mark[k] = e->kept[k] = *mark;
    }
}

static yoke_status start_piece(yk_latent *s, yk_latent_piece *p, yoke_err *err)
{
    read_foreign(s, p);
    for (int k = 0; k < p->unknowns; k++) s->d[k] = s->now.x[p->unknown[k]];
    YK_TRY(p->propagator.ops->start(p->propagator.self, s->now.t, s->d,
                                    s->value, s->row, err));
    if (s->marked) carry_marks(s, p, false);
    p->started = true;
    p->solved = false;
    return YOKE_OK;
}

/* ---- forming ------------------------------------------------------------- */

/* A piece without anything but its cells, whose number is `index`. */
static yoke_status new_piece(yk_latent *s, int unknowns, int *index,
                             yoke_err *err)
{
    yk_latent_piece *p = NULL;

    YK_TRY(yk_grow((void **)&s->piece, &s->piece_room, (size_t)s->pieces + 1,
                   sizeof(yk_latent_piece *), err));
    YK_TRY(YK_NEW(&p, 1, err));
    *index = s->pieces;
    s->piece[s->pieces++] = p;
    p->used = true;
    return yk_ints(&p->unknown, (size_t)unknowns + 1, err);
}

static int root(yk_latent *s, int c)
{
    while (s->up[c] != c) c = s->up[c] = s->up[s->up[c]];
    return c;
}

static void unite_awake(yk_latent *s)
{
    const yk_lists *l = &s->reader;

    for (int a = 0; a < s->now.count; a++)
        s->up[s->now.cell[a]] = s->now.cell[a];
    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a];
        for (int r = l->start[c]; r < l->start[c + 1]; r++)
            if (s->now.awake[l->cell[r]]) {
                const int x = root(s, c), y = root(s, l->cell[r]);
                s->up[x < y ? y : x] = x < y ? x : y;
            }
    }
}

/* Cells and unknowns of each root. */
static void measure_roots(yk_latent *s)
{
    for (int a = 0; a < s->now.count; a++) {
        s->size[s->now.cell[a]] = 0;
        s->sums[s->now.cell[a]] = 0;
    }
    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a], r = root(s, c);
        s->size[r]++;
        s->sums[r] += s->first[c + 1] - s->first[c];
    }
}

/* A piece is used again if all its cells have one root and are all of it;
 * borders may have changed with the cells around it, so those must be the same
 * too: any cell beside it that woke belongs to the same root now. */
static void choose_used(yk_latent *s)
{
    for (int k = 0; k < s->pieces; k++) s->piece[k]->used = true;
    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a], k = s->owner[c];
        if (k >= 0 && s->piece[k]->cells != s->size[root(s, c)])
            s->piece[k]->used = false;
    }
    for (int k = 0; k < s->pieces; k++) {
        yk_latent_piece *p = s->piece[k];
        for (int i = 0; p->used && i < p->unknowns; i++)
            p->used = s->now.awake[yk_cell_of(s, p->unknown[i])];
    }
}

/* Pieces of the roots that have none that is used. */
static yoke_status add_pieces(yk_latent *s, yoke_err *err)
{
    const int old = s->pieces;

    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a], r = root(s, c), k = s->owner[c];
        if (k >= 0 && k < old && s->piece[k]->used) continue;
        if (s->size[r] > 0) { /* its first cell: from now on -1 - piece */
            int index = 0, cells = s->size[r];
            YK_TRY(new_piece(s, s->sums[r], &index, err));
            s->piece[index]->cells = cells;
            s->size[r] = -1 - index;
        }
        yk_latent_piece *p = s->piece[-1 - s->size[r]];
        for (int i = s->first[c]; i < s->first[c + 1]; i++)
            p->unknown[p->unknowns++] = s->list[i];
        if (k >= 0 && k < old && s->piece[k]->h > 0.0)
            p->h = p->h > 0.0 ? fmin(p->h, s->piece[k]->h) : s->piece[k]->h;
    }
    return YOKE_OK;
}

/* Those that are no longer used make room. */
static void remove_unused(yk_latent *s)
{
    int kept = 0;

    for (int k = 0; k < s->pieces; k++) {
        yk_latent_piece *p = s->piece[k];
        if (p->used) {
            s->piece[kept++] = p;
            continue;
        }
        for (int i = 0; i < p->unknowns; i++)
            s->owner[yk_cell_of(s, p->unknown[i])] = -1;
        piece_free(s, p);
    }
    s->pieces = kept;
    for (int k = 0; k < s->pieces; k++)
        for (int i = 0; i < s->piece[k]->unknowns; i++)
            s->owner[yk_cell_of(s, s->piece[k]->unknown[i])] = k;
}

yoke_status yk_latent_form(yk_latent *s, yoke_err *err)
{
    unite_awake(s);
    measure_roots(s);
    choose_used(s);
    yoke_status status = add_pieces(s, err);
    remove_unused(s);
    for (int k = 0; status == YOKE_OK && k < s->pieces; k++)
        if (!s->piece[k]->propagator.ops)
            status = make_piece(s, s->piece[k], err);
    if (status != YOKE_OK) {
        yk_latent_drop(s);
        return status;
    }
    for (int k = 0; k < s->pieces; k++)
        if (!s->piece[k]->started) YK_TRY(start_piece(s, s->piece[k], err));
    s->formed = true;
    return YOKE_OK;
}

/* ---- solving ------------------------------------------------------------- */

/* Foreign unknowns stay as they are; inputs are those of the whole. */
static yoke_status make_inputs(yk_latent *s, yk_latent_piece *p, double t1,
                               yoke_err *err)
{
    const yoke_cell_part *part = &p->part;
    int terms = 0;

    read_foreign(s, p);
    if (part->inputs == 0) {
        yk_wave_clear(p->u, s->now.t);
        return yk_wave_append_constant(p->u, t1, s->value, err);
    }
    yk_wave_clear(p->held, s->now.t);
    YK_TRY(yk_wave_append_constant(p->held, t1, s->value, err));
    YK_TRY(
        YK_GROW(&s->term, &s->term_room, part->foreigns + part->inputs, err));
    for (int k = 0; k < part->foreigns; k++)
        s->term[terms++] = (yk_wave_term){ p->held, k, k, 1.0 };
    for (int k = 0; k < part->inputs; k++)
        s->term[terms++] =
            (yk_wave_term){ s->u, part->input[k], part->foreigns + k, 1.0 };
    return yk_wave_combine(p->u, s->now.t, t1, terms, s->term, err);
}

typedef struct slice_jobs {
    yk_latent *s;
    double t1;
} slice_jobs;

static long residuals_of(const yk_latent_piece *p)
{
    yoke_work work = { 0 };

    p->propagator.ops->work(p->propagator.self, &work);
    return work.residuals;
}

/* Touches nothing but the piece. */
static yoke_status solve_piece(void *context, int index, yoke_err *err)
{
    const slice_jobs *jobs = context;
    const yk_latent *s = jobs->s;
    yk_latent_piece *p = s->piece[s->todo[index]];
    const long before = residuals_of(p);

    if (s->loose > 1.0) p->propagator.ops->loosen(p->propagator.self, s->loose);
    YK_TRY(p->propagator.ops->sweep(p->propagator.self, jobs->t1, p->u, p->y,
                                    err));
    p->solved = true;
    p->spent = (double)(residuals_of(p) - before) * p->unknowns;
    return YOKE_OK;
}

yoke_status yk_latent_solve_pieces(yk_latent *s, double t1, int *count,
                                   yoke_err *err)
{
    slice_jobs jobs = { s, t1 };
    const size_t most = (size_t)s->pieces;

    *count = 0;
    YK_TRY(YK_GROW(&s->todo, &s->todo_room, most, err));
    YK_TRY(YK_GROW(&s->price, &s->price_room, most, err));
    for (int k = 0; k < s->pieces; k++) {
        yk_latent_piece *p = s->piece[k];
        if (p->solved) continue;
        YK_TRY(make_inputs(s, p, t1, err));
        s->price[*count] = p->spent > 0.0 ? p->spent : (double)p->unknowns;
        s->todo[(*count)++] = k;
    }
    const yk_parts parts = {
        .count = *count, .job = solve_piece, .context = &jobs, .price = s->price
    };
    return s->facts->flags & YOKE_PARALLEL ? yk_crew_run(&parts, err)
                                           : yk_crew_alone(&parts, err);
}

yoke_status yk_latent_accept_piece(yk_latent *s, yk_latent_piece *p,
                                   yoke_err *err)
{
    const double *x = yk_piece_driver(p)->p.x;

    YK_TRY(p->propagator.ops->accept(p->propagator.self, err));
    p->solved = false;
    for (int i = 0; i < p->unknowns; i++) s->now.x[p->unknown[i]] = x[i];
    p->h = p->propagator.ops->step(p->propagator.self);
    carry_marks(s, p, true);
    if (s->facts->memory_bytes > 0) yk_system_absorb(s->system, p->part.system);
    if (p->part.outputs == 0) return YOKE_OK;
    yk_wave_eval(p->y, yk_wave_end(p->y), NULL, s->value);
    for (int k = 0; k < p->part.outputs; k++)
        s->now.y[p->part.output[k]] = s->value[k];
    return YOKE_OK;
}
