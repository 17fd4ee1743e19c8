/* step/latent.c -- a large system of which only the cells in motion are solved.
 *
 * Time goes on in slices.  In each one the *awake* cells are solved by the
 * ordinary method, every connected group of them as one piece with steps of its
 * own; the other cells keep their values, which the pieces read as constant
 * inputs.  Nothing is assumed that is not checked afterwards:
 *
 *  - A variable of a piece that a sleeping cell reads may differ from the value
 *    which that cell went to sleep with by `wake` tolerances.  If it moves
 *    further the slice is done again with the readers awake, and a layer of
 *    cells beyond them so that this is rare.
 *  - A cell may sleep if it would move by less than `rest` tolerances until the
 *    end of the window when everything around it stays as it is: an implicit
 *    step of that length, (C / T + G) d = -f.  Slow cells are no cells at rest.
 *  - Cells with sources that change wake in time.
 *
 * So the error of sleeping is of the size of the tolerance, while the work is
 * that of the cells in motion, whatever the size of the system.
 */
#include "step/drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double wake = 0.1, rest = 0.1;
enum { GUARD = 2, FEWEST_CELLS = 16 };

/* Everything that a sweep changes. */
typedef struct point {
    double t, length; /* time, length of a slice; 0: not known */
    double *x;
    double *seen;     /* of each unknown: what sleeping readers know */
    bool *awake;      /* cells */
    int count, *cell; /* those that are awake */
} point;

/* Connected cells that are awake. */
typedef struct piece {
    int cells, unknowns, *unknown;
    int foreigns;
    const int *foreign;
    int borders, shown;  /* watched: unknowns that sleeping cells read, then
                            those that are recorded */
    int *watch, *column; /* column: of the whole, of each that is shown */
    yoke_system *system;
    yoke_propagator propagator;
    yk_matrix *matrix;
    yoke_wave *u, *y;
    bool solved; /* in this slice */
    bool used;   /* while pieces are formed again */
    double h;
} piece;

typedef struct latent {
    yoke_system *system;
    const yoke_system_info *facts;
    const yk_method *method;
    yoke_stepper_options options;
    int n, cells;
    int *first, *list;            /* unknowns of the cells */
    int *reader_start, *reader;   /* cells that read each cell */
    int restless, *restless_cell; /* with sources that change */
    double *atol;
    point now, kept;
    bool formed;                    /* the pieces are those of `now` */
    int watches, *watch, *shown_at; /* shown_at: column of each unknown, -1 */
    yoke_wave *watched, *constant, *joined;
    double *row; /* values or coefficients of the watched unknowns */
    yoke_work work;
    int pieces;
    size_t piece_room;
    piece **piece;
    int *owner; /* of each cell: its piece, -1: asleep */
    int *up;    /* union-find over cells */
    double *value, *d;
    int *mark, marks, *queue;
    yoke_wave_term *term;
    size_t term_room;
} latent;

/* ---- life ------------------------------------------------------------------
 */

static void add_work(yoke_work *sum, const piece *p)
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
}

static void piece_free(latent *s, piece *p)
{
    if (!p) return;
    add_work(&s->work, p);
    if (p->propagator.ops) p->propagator.ops->free(p->propagator.self);
    yk_matrix_free(p->matrix);
    yoke_system_free(p->system);
    yoke_wave_free(p->u);
    yoke_wave_free(p->y);
    yk_free(p->unknown);
    yk_free(p->watch);
    yk_free(p->column);
    yk_free(p);
}

static void drop_pieces(latent *s)
{
    for (int k = 0; k < s->pieces; k++) piece_free(s, s->piece[k]);
    s->pieces = 0;
    for (int c = 0; s->owner && c < s->cells; c++) s->owner[c] = -1;
    s->formed = false;
}

static void point_free(point *p)
{
    yk_free(p->x);
    yk_free(p->seen);
    yk_free(p->awake);
    yk_free(p->cell);
}

static void latent_free(void *self)
{
    latent *s = self;

    if (!s) return;
    drop_pieces(s);
    point_free(&s->now);
    point_free(&s->kept);
    yoke_wave_free(s->watched);
    yoke_wave_free(s->constant);
    yoke_wave_free(s->joined);
    yk_free(s->piece);
    yk_free(s->first);
    yk_free(s->list);
    yk_free(s->reader_start);
    yk_free(s->reader);
    yk_free(s->restless_cell);
    yk_free(s->atol);
    yk_free(s->watch);
    yk_free(s->shown_at);
    yk_free(s->row);
    yk_free(s->owner);
    yk_free(s->up);
    yk_free(s->value);
    yk_free(s->d);
    yk_free(s->mark);
    yk_free(s->queue);
    yk_free(s->term);
    yk_free(s);
}

static void copy_point(latent *s, point *to, const point *from)
{
    to->t = from->t;
    to->length = from->length;
    to->count = from->count;
    memcpy(to->x, from->x, (size_t)s->n * sizeof *to->x);
    memcpy(to->seen, from->seen, (size_t)s->n * sizeof *to->seen);
    memcpy(to->awake, from->awake, (size_t)s->cells * sizeof *to->awake);
    memcpy(to->cell, from->cell, (size_t)from->count * sizeof *to->cell);
}

/* ---- the cells --------------------------------------------------------------
 */

static int cell_of(const latent *s, int unknown)
{
    return s->facts->cells->cell[unknown];
}

static yoke_status list_unknowns(latent *s, yoke_err *err)
{
    YK_TRY(yk_ints(&s->first, (size_t)s->cells + 2, err));
    YK_TRY(yk_ints(&s->list, (size_t)s->n + 1, err));
    for (int i = 0; i < s->n; i++) s->first[cell_of(s, i) + 1]++;
    for (int c = 0; c < s->cells; c++) s->first[c + 1] += s->first[c];
    for (int i = 0; i < s->n; i++) s->list[s->first[cell_of(s, i)]++] = i;
    for (int c = s->cells; c > 0; c--) s->first[c] = s->first[c - 1];
    s->first[0] = 0;
    return YOKE_OK;
}

/* Counts, or writes, the pairs (cell, reader) of one matrix, some of them more
 * than once. */
static void scan_readers(latent *s, const yoke_pattern *m, bool write)
{
    for (int j = 0; j < s->n; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            const int a = cell_of(s, j), b = cell_of(s, m->row[k]);
            if (a == b) continue;
            if (write)
                s->reader[s->reader_start[a]++] = b;
            else
                s->reader_start[a + 1]++;
        }
}

static yoke_status list_readers(latent *s, yoke_err *err)
{
    YK_TRY(yk_ints(&s->reader_start, (size_t)s->cells + 2, err));
    scan_readers(s, s->facts->G, false);
    scan_readers(s, s->facts->C, false);
    for (int c = 0; c < s->cells; c++)
        s->reader_start[c + 1] += s->reader_start[c];
    YK_TRY(yk_ints(&s->reader, (size_t)s->reader_start[s->cells] + 1, err));
    scan_readers(s, s->facts->G, true);
    scan_readers(s, s->facts->C, true);
    for (int c = s->cells; c > 0; c--)
        s->reader_start[c] = s->reader_start[c - 1];
    s->reader_start[0] = 0;
    return YOKE_OK;
}

static bool is_still(latent *s, int cell, double t0, double t1)
{
    return yoke_system_is_still(s->system, cell, t0, t1);
}

static yoke_status list_restless(latent *s, yoke_err *err)
{
    YK_TRY(yk_ints(&s->restless_cell, (size_t)s->cells + 1, err));
    for (int c = 0; c < s->cells; c++)
        if (!is_still(s, c, -INFINITY, INFINITY))
            s->restless_cell[s->restless++] = c;
    return YOKE_OK;
}

static double tolerance(const latent *s, int unknown, double value)
{
    return s->atol[unknown] + s->options.rtol * fabs(value);
}

/* The queue holds each cell once. */
static int enqueue(latent *s, int cell, int count)
{
    if (s->mark[cell] == s->marks) return count;
    s->mark[cell] = s->marks;
    s->queue[count] = cell;
    return count + 1;
}

/* Adds layers of readers to the `count` cells of the queue; only those that are
 * awake, if it is said so. */
static int add_layers(latent *s, int count, bool awake)
{
    for (int layer = 0, begin = 0; layer < GUARD; layer++) {
        const int end = count;
        for (int k = begin; k < end; k++) {
            const int c = s->queue[k];
            for (int r = s->reader_start[c]; r < s->reader_start[c + 1]; r++)
                if (!awake || s->now.awake[s->reader[r]])
                    count = enqueue(s, s->reader[r], count);
        }
        begin = end;
    }
    return count;
}

static void wake_queue(latent *s, int count)
{
    for (int k = 0; k < count; k++) {
        const int c = s->queue[k];
        if (s->now.awake[c]) continue;
        s->now.awake[c] = true;
        s->now.cell[s->now.count++] = c;
        s->formed = false;
    }
}

/* ---- pieces
 * ------------------------------------------------------------------ */

static int root(latent *s, int c)
{
    while (s->up[c] != c) c = s->up[c] = s->up[s->up[c]];
    return c;
}

/* Is the unknown read by a cell that sleeps? */
static bool is_border(const latent *s, int j)
{
    const yoke_pattern *const m[2] = { s->facts->G, s->facts->C };

    for (int w = 0; w < 2; w++)
        for (int k = m[w]->start[j]; k < m[w]->start[j + 1]; k++)
            if (!s->now.awake[cell_of(s, m[w]->row[k])]) return true;
    return false;
}

/* What is to be known of the piece inside a slice. */
static void choose_watched(latent *s, piece *p)
{
    p->borders = p->shown = 0;
    for (int k = 0; k < p->unknowns; k++)
        if (is_border(s, p->unknown[k])) p->watch[p->borders++] = k;
    for (int k = 0; k < p->unknowns; k++)
        if (s->shown_at[p->unknown[k]] >= 0) {
            p->watch[p->borders + p->shown] = k;
            p->column[p->shown++] = s->shown_at[p->unknown[k]];
        }
}

static yk_driver *driver(const piece *p)
{
    return p->propagator.self;
}

static void read_foreign(latent *s, const piece *p)
{
    for (int k = 0; k < p->foreigns; k++) s->value[k] = s->now.x[p->foreign[k]];
}

static yoke_status start_piece(latent *s, piece *p, yoke_err *err)
{
    yoke_stepper_options options = s->options;

    qsort(p->unknown, (size_t)p->unknowns, sizeof *p->unknown, yk_compare_ints);
    YK_TRY(yk_ints(&p->watch, 2 * (size_t)p->unknowns + 1, err));
    YK_TRY(yk_ints(&p->column, (size_t)p->unknowns + 1, err));
    choose_watched(s, p);
    options.given = true;
    options.warm = false;
    options.step = p->h > 0.0 ? p->h : s->options.step;
    YK_TRY(yoke_system_part(s->system, &p->system, p->unknowns, p->unknown,
                            s->now.x, &p->foreigns, &p->foreign, err));
    YK_TRY(yk_drive_create(&p->propagator, s->method, p->system, &options,
                           p->borders + p->shown, p->watch, err));
    YK_TRY(yk_matrix_create(&p->matrix, &driver(p)->p, false, err));
    YK_TRY(yoke_wave_create(&p->u, p->foreigns, err));
    YK_TRY(yoke_wave_create(&p->y, p->propagator.p, err));
    read_foreign(s, p);
    for (int k = 0; k < p->unknowns; k++) s->d[k] = s->now.x[p->unknown[k]];
    return p->propagator.ops->start(p->propagator.self, s->now.t, s->d,
                                    s->value, s->row, err);
}

/* A piece without anything but its cells, whose number is `index`. */
static yoke_status new_piece(latent *s, int unknowns, int *index, yoke_err *err)
{
    piece *p = NULL;

    YK_TRY(yk_grow((void **)&s->piece, &s->piece_room, (size_t)s->pieces + 1,
                   sizeof(piece *), err));
    YK_TRY(YK_NEW(&p, 1, err));
    *index = s->pieces;
    s->piece[s->pieces++] = p;
    p->used = true;
    return yk_ints(&p->unknown, (size_t)unknowns + 1, err);
}

static void unite_awake(latent *s)
{
    for (int a = 0; a < s->now.count; a++)
        s->up[s->now.cell[a]] = s->now.cell[a];
    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a];
        for (int r = s->reader_start[c]; r < s->reader_start[c + 1]; r++)
            if (s->now.awake[s->reader[r]]) {
                const int x = root(s, c), y = root(s, s->reader[r]);
                s->up[x < y ? y : x] = x < y ? x : y;
            }
    }
}

/* The groups of the awake cells; a piece whose cells are the same stays, the
 * others are made.  Uses queue and mark by cells: sizes and pieces of roots. */
static yoke_status form_pieces(latent *s, yoke_err *err)
{
    const int old = s->pieces;
    int *size = s->queue, *unknowns = s->mark;

    unite_awake(s);
    for (int a = 0; a < s->now.count; a++) {
        size[s->now.cell[a]] = 0;
        unknowns[s->now.cell[a]] = 0;
    }
    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a], r = root(s, c);
        size[r]++;
        unknowns[r] += s->first[c + 1] - s->first[c];
    }
    for (int k = 0; k < old; k++) s->piece[k]->used = true;
    /* A piece is used again if all its cells have one root and are all of it;
     * borders may have changed with the cells around it, so those must be the
     * same too: any cell beside it that woke belongs to the same root now. */
    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a], k = s->owner[c];
        if (k >= 0 && s->piece[k]->cells != size[root(s, c)])
            s->piece[k]->used = false;
    }
    for (int k = 0; k < old; k++) {
        int there = 0;
        for (int i = 0; s->piece[k]->used && i < s->piece[k]->unknowns; i++)
            there += s->now.awake[cell_of(s, s->piece[k]->unknown[i])];
        if (there < s->piece[k]->unknowns) s->piece[k]->used = false;
    }
    /* New pieces: of roots without a piece that is used. */
    for (int a = 0; a < s->now.count; a++) {
        const int c = s->now.cell[a], r = root(s, c), k = s->owner[c];
        if (k >= 0 && k < old && s->piece[k]->used) continue;
        if (size[r] > 0) { /* the first cell of it: from now on -1 - piece */
            int index = 0, cells = size[r];
            YK_TRY(new_piece(s, unknowns[r], &index, err));
            s->piece[index]->cells = cells;
            size[r] = -1 - index;
        }
        piece *p = s->piece[-1 - size[r]];
        for (int i = s->first[c]; i < s->first[c + 1]; i++)
            p->unknown[p->unknowns++] = s->list[i];
        if (k >= 0 && k < old && s->piece[k]->h > 0.0)
            p->h = p->h > 0.0 ? fmin(p->h, s->piece[k]->h) : s->piece[k]->h;
    }
    /* Those that are no longer used make room. */
    int kept = 0;
    for (int k = 0; k < s->pieces; k++) {
        piece *p = s->piece[k];
        if (!p->used) {
            for (int i = 0; i < p->unknowns; i++)
                s->owner[cell_of(s, p->unknown[i])] = -1;
            piece_free(s, p);
        } else
            s->piece[kept++] = p;
    }
    s->pieces = kept;
    for (int k = 0; k < s->pieces; k++)
        for (int i = 0; i < s->piece[k]->unknowns; i++)
            s->owner[cell_of(s, s->piece[k]->unknown[i])] = k;
    memset(s->mark, 0, (size_t)s->cells * sizeof *s->mark);
    s->marks = 0;
    for (int k = 0; k < s->pieces; k++)
        if (!s->piece[k]->propagator.ops)
            YK_TRY(start_piece(s, s->piece[k], err));
    s->formed = true;
    return YOKE_OK;
}

/* ---- checks
 * ------------------------------------------------------------------ */

static bool has_moved(const yoke_wave *w, int dim, int k, double seen,
                      double limit)
{
    for (int i = 0; i < yoke_wave_pieces(w); i++) {
        const double *c = yoke_wave_coef(w, i) + k;
        double middle = 0.0, end = 0.0, power = 1.0;
        for (int e = 0; e <= yoke_wave_degree(w, i); e++, power *= 0.5) {
            middle += power * c[e * dim];
            end += c[e * dim];
        }
        if (!(fabs(end - seen) <= limit && fabs(middle - seen) <= limit))
            return true;
    }
    return false;
}

/* Cells that sleep and read something of the piece that has moved. */
static int find_sleepers(latent *s, const piece *p, int count)
{
    const yoke_wave *w = p->propagator.ops->watched(p->propagator.self);
    const int dim = p->borders + p->shown;

    for (int k = 0; k < p->borders; k++) {
        const int j = p->unknown[p->watch[k]], c = cell_of(s, j);
        const double limit = wake * tolerance(s, j, s->now.seen[j]);
        if (!has_moved(w, dim, k, s->now.seen[j], limit)) continue;
        for (int r = s->reader_start[c]; r < s->reader_start[c + 1]; r++)
            if (!s->now.awake[s->reader[r]])
                count = enqueue(s, s->reader[r], count);
    }
    return count;
}

/* d of all unknowns of the piece: how far each would move in a time T. */
static yoke_status find_motion(latent *s, const piece *p, double T,
                               yoke_err *err)
{
    yk_problem *q = &driver(p)->p;

    YK_TRY(yk_eval(q, q->t, q->x, NULL, s->d, err));
    YK_TRY(yk_jacobian(q, q->t, q->x, err));
    q->oldest = 0;
    YK_TRY(yk_matrix_factor(q, p->matrix, 1.0 / T, 0.0, 1.0, err));
    return yk_matrix_solve(q, p->matrix, s->d, err);
}

/* Cells of the piece that must stay awake, into the queue. */
static yoke_status find_moving(latent *s, const piece *p, double T, int *count,
                               yoke_err *err)
{
    const yoke_status status = find_motion(s, p, T, err);
    const bool blind = status > 0; /* not to know is to stay awake */

    if (status < 0) return status;
    for (int k = 0; k < p->unknowns; k++) {
        const int j = p->unknown[k];
        if (blind || !(fabs(s->d[k]) <= rest * tolerance(s, j, s->now.x[j])))
            *count = enqueue(s, cell_of(s, j), *count);
    }
    return YOKE_OK;
}

/* What the readers of a cell that falls asleep know about it, and it about what
 * it reads (coupling is nearly always mutual): the present values. */
static void note_seen(latent *s, int cell)
{
    for (int k = s->first[cell]; k < s->first[cell + 1]; k++)
        s->now.seen[s->list[k]] = s->now.x[s->list[k]];
    for (int r = s->reader_start[cell]; r < s->reader_start[cell + 1]; r++) {
        const int c = s->reader[r];
        for (int k = s->first[c]; k < s->first[c + 1]; k++)
            s->now.seen[s->list[k]] = s->now.x[s->list[k]];
    }
}

/* Cells in motion stay awake, and those around them; the others sleep if enough
 * of them can. */
static yoke_status retire(latent *s, double t1, yoke_err *err)
{
    int moving = 0;

    if (!(t1 > s->now.t) || !s->formed) return YOKE_OK;
    s->marks++;
    for (int k = 0; k < s->pieces; k++)
        YK_TRY(find_moving(s, s->piece[k], t1 - s->now.t, &moving, err));
    for (int k = 0; k < s->restless; k++) {
        const int c = s->restless_cell[k];
        if (s->now.awake[c] &&
            !is_still(s, c, s->now.t, s->now.t + s->now.length))
            moving = enqueue(s, c, moving);
    }
    moving = add_layers(s, moving, true);
    const int idle = s->now.count - moving, before = s->now.count;
    if (idle < 2 || 6 * idle < before) return YOKE_OK;
    s->now.count = 0;
    for (int a = 0; a < before; a++) {
        const int c = s->now.cell[a];
        if (s->mark[c] == s->marks) {
            s->now.cell[s->now.count++] = c;
            continue;
        }
        s->now.awake[c] = false;
        note_seen(s, c);
    }
    s->formed = false;
    return YOKE_OK;
}

/* ---- slices
 * ------------------------------------------------------------------ */

/* Cells whose sources change on [t, t1]. */
static void wake_restless(latent *s, double t1)
{
    int count = 0;

    s->marks++;
    for (int k = 0; k < s->restless; k++) {
        const int c = s->restless_cell[k];
        if (!s->now.awake[c] && !is_still(s, c, s->now.t, t1))
            count = enqueue(s, c, count);
    }
    if (count) wake_queue(s, add_layers(s, count, false));
}

static yoke_status solve_piece(latent *s, piece *p, double t1, yoke_err *err)
{
    yoke_wave_clear(p->u, s->now.t);
    read_foreign(s, p);
    YK_TRY(yoke_wave_append_constant(p->u, t1, s->value, err));
    YK_TRY(p->propagator.ops->sweep(p->propagator.self, t1, p->u, p->y, err));
    p->solved = true;
    return YOKE_OK;
}

/* All pieces to t1, more and more cells awake until nobody misses anything. */
static yoke_status solve_slice(latent *s, double t1, bool *spread,
                               yoke_err *err)
{
    *spread = false;
    for (int k = 0; k < s->pieces; k++) s->piece[k]->solved = false;
    for (;;) {
        int count = 0;
        if (!s->formed) YK_TRY(form_pieces(s, err));
        s->marks++;
        for (int k = 0; k < s->pieces; k++) {
            if (s->piece[k]->solved) continue;
            YK_TRY(solve_piece(s, s->piece[k], t1, err));
            count = find_sleepers(s, s->piece[k], count);
        }
        if (count == 0) return YOKE_OK;
        *spread = true;
        wake_queue(s, add_layers(s, count, false));
    }
}

/* The recorded unknowns: those of the pieces on the union of their grids, the
 * others constant. */
static yoke_status record(latent *s, double t1, yoke_err *err)
{
    int terms = 0;

    if (s->watches == 0) {
        s->row[0] = 0.0;
        return yoke_wave_append_constant(s->watched, t1, s->row, err);
    }
    for (int w = 0; w < s->watches; w++) s->row[w] = s->now.x[s->watch[w]];
    yoke_wave_clear(s->constant, s->now.t);
    YK_TRY(yoke_wave_append_constant(s->constant, t1, s->row, err));
    YK_TRY(yk_grow((void **)&s->term, &s->term_room, (size_t)s->watches + 1,
                   sizeof *s->term, err));
    for (int w = 0; w < s->watches; w++) {
        if (s->now.awake[cell_of(s, s->watch[w])]) continue;
        s->term[terms++] = (yoke_wave_term){ s->constant, w, w, 1.0 };
    }
    for (int k = 0; k < s->pieces; k++) {
        const piece *p = s->piece[k];
        const yoke_wave *wave = p->propagator.ops->watched(p->propagator.self);
        for (int j = 0; j < p->shown; j++)
            s->term[terms++] =
                (yoke_wave_term){ wave, p->borders + j, p->column[j], 1.0 };
    }
    YK_TRY(yoke_wave_combine(s->joined, s->now.t, t1, terms, s->term, err));
    for (int i = 0; i < yoke_wave_pieces(s->joined); i++)
        YK_TRY(yoke_wave_append(s->watched, yoke_wave_knot(s->joined, i + 1),
                                yoke_wave_degree(s->joined, i),
                                yoke_wave_coef(s->joined, i), err));
    return YOKE_OK;
}

static yoke_status accept_slice(latent *s, double t1, yoke_err *err)
{
    YK_TRY(record(s, t1, err));
    for (int k = 0; k < s->pieces; k++) {
        piece *p = s->piece[k];
        const double *x = driver(p)->p.x;
        YK_TRY(p->propagator.ops->accept(p->propagator.self, err));
        for (int i = 0; i < p->unknowns; i++) s->now.x[p->unknown[i]] = x[i];
        p->h = p->propagator.ops->step(p->propagator.self);
    }
    s->now.t = t1;
    return YOKE_OK;
}

/* The end of the next slice, not beyond `stop`. */
static double slice_end(latent *s, double stop)
{
    const double left = stop - s->now.t;

    if (s->now.length <= 0.0) s->now.length = 1e-3 * left;
    if (s->now.length >= left) return stop;
    return 2.0 * s->now.length > left ? s->now.t + 0.5 * left
                                      : s->now.t + s->now.length;
}

static yoke_status slice(latent *s, double t1, yoke_err *err)
{
    const double stop = fmin(t1, yoke_system_next_break(s->system, s->now.t));
    double end = slice_end(s, stop);
    bool spread = false;

    wake_restless(s, end);
    if (s->now.count == 0) {
        end = stop;
        wake_restless(s, end);
    }
    YK_TRY(solve_slice(s, end, &spread, err));
    const double done = end - s->now.t;
    YK_TRY(accept_slice(s, end, err));
    if (spread)
        s->now.length = 0.7 * done;
    else
        s->now.length = fmax(s->now.length, 1.15 * done);
    return retire(s, t1, err);
}

/* ---- the propagator
 * ---------------------------------------------------------- */

/* At the start every cell is looked at. */
static yoke_status begin(latent *s, double t0, yoke_err *err)
{
    drop_pieces(s);
    for (int c = 0; c < s->cells; c++) {
        s->now.awake[c] = true;
        s->now.cell[c] = c;
    }
    s->now.count = s->cells;
    memcpy(s->now.seen, s->now.x, (size_t)s->n * sizeof *s->now.seen);
    s->now.t = t0;
    s->now.length = 0.0;
    return form_pieces(s, err);
}

/* Values consistent with the equations of the whole. */
static yoke_status make_consistent(latent *s, double t0, yoke_err *err)
{
    yoke_propagator whole = { 0 };
    yoke_stepper_options options = s->options;

    options.warm = false;
    YK_TRY(
        yk_drive_create(&whole, s->method, s->system, &options, 0, NULL, err));
    const yoke_status status =
        whole.ops->start(whole.self, t0, NULL, NULL, s->row, err);
    if (status == YOKE_OK)
        memcpy(s->now.x, ((yk_driver *)whole.self)->p.x,
               (size_t)s->n * sizeof *s->now.x);
    whole.ops->free(whole.self);
    return status;
}

static yoke_status latent_start(void *self, double t0, const double *x0,
                                const double *u0, double *y0, yoke_err *err)
{
    latent *s = self;

    (void)u0, (void)y0;
    memcpy(s->now.x, x0 ? x0 : s->facts->x0, (size_t)s->n * sizeof *s->now.x);
    if (!x0 && !s->options.given) YK_TRY(make_consistent(s, t0, err));
    YK_TRY(begin(s, t0, err));
    copy_point(s, &s->kept, &s->now);
    return YOKE_OK;
}

static yoke_status latent_sweep(void *self, double t1, const yoke_wave *u,
                                yoke_wave *y, yoke_err *err)
{
    latent *s = self;
    const double clock = yk_clock();
    yoke_status status = YOKE_OK;

    (void)u;
    if (s->now.t != s->kept.t) {
        copy_point(s, &s->now, &s->kept);
        drop_pieces(s);
    }
    s->work.sweeps++;
    yoke_wave_clear(s->watched, s->now.t);
    yoke_wave_clear(y, s->now.t);
    status = retire(s, t1, err);
    while (status == YOKE_OK && s->now.t < t1) status = slice(s, t1, err);
    if (status == YOKE_OK)
        status = yoke_wave_append_constant(y, t1, s->row, err);
    s->work.seconds += yk_clock() - clock;
    return status;
}

static yoke_status latent_accept(void *self, yoke_err *err)
{
    latent *s = self;

    (void)err;
    copy_point(s, &s->kept, &s->now);
    return YOKE_OK;
}

static const yoke_wave *latent_watched(void *self)
{
    return ((latent *)self)->watched;
}

static double latent_next_break(void *self, double t)
{
    return yoke_system_next_break(((latent *)self)->system, t);
}

static void latent_work(void *self, yoke_work *work)
{
    const latent *s = self;

    *work = s->work;
    for (int k = 0; k < s->pieces; k++) add_work(work, s->piece[k]);
}

static const yoke_propagator_ops latent_ops = {
    .kind = "stepper",
    .start = latent_start,
    .sweep = latent_sweep,
    .accept = latent_accept,
    .watched = latent_watched,
    .next_break = latent_next_break,
    .work = latent_work,
    .free = latent_free,
};

bool yk_latent_suits(const yk_method *method, const yoke_system *system)
{
    const yoke_system_info *f = yoke_system_facts(system);

    return f->cells && f->cells->count >= FEWEST_CELLS && f->m == 0 &&
           f->p == 0 && f->events == 0 && f->memory_bytes == 0 &&
           method->stepping == YK_ADAPTIVE && method->shape;
}

static yoke_status make_point(latent *s, point *p, yoke_err *err)
{
    YK_TRY(yk_doubles(&p->x, (size_t)s->n + 1, err));
    YK_TRY(yk_doubles(&p->seen, (size_t)s->n + 1, err));
    YK_TRY(yk_ints(&p->cell, (size_t)s->cells + 1, err));
    return YK_NEW(&p->awake, s->cells + 1, err);
}

static yoke_status make(latent *s, int watches, const int *watch, yoke_err *err)
{
    const size_t n = (size_t)s->n + 1, cells = (size_t)s->cells + 1;

    YK_TRY(make_point(s, &s->now, err));
    YK_TRY(make_point(s, &s->kept, err));
    YK_TRY(yk_doubles(&s->atol, n, err));
    YK_TRY(yk_ints(&s->shown_at, n, err));
    for (int i = 0; i < s->n; i++) {
        s->atol[i] = s->options.atol * s->facts->nominal[i];
        s->shown_at[i] = -1;
    }
    YK_TRY(yk_doubles(&s->value, n, err));
    YK_TRY(yk_doubles(&s->d, n, err));
    YK_TRY(yk_ints(&s->mark, cells, err));
    YK_TRY(yk_ints(&s->queue, cells, err));
    YK_TRY(yk_ints(&s->up, cells, err));
    YK_TRY(yk_ints(&s->owner, cells, err));
    for (int c = 0; c < s->cells; c++) s->owner[c] = -1;
    YK_TRY(yk_doubles(&s->row, n + (size_t)watches, err));
    YK_TRY(yk_copy_ints(&s->watch, watch, (size_t)watches, err));
    for (int w = 0; w < watches; w++) s->shown_at[watch[w]] = w;
    YK_TRY(yoke_wave_create(&s->watched, watches, err));
    YK_TRY(yoke_wave_create(&s->constant, watches, err));
    YK_TRY(yoke_wave_create(&s->joined, watches, err));
    YK_TRY(list_unknowns(s, err));
    YK_TRY(list_readers(s, err));
    return list_restless(s, err);
}

yoke_status yk_latent_create(yoke_propagator *out, const yk_method *method,
                             yoke_system *system,
                             const yoke_stepper_options *options, int watches,
                             const int *watch, yoke_err *err)
{
    latent *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    s->system = system;
    s->facts = yoke_system_facts(system);
    s->method = method;
    s->options = *options;
    s->n = s->facts->n;
    s->cells = s->facts->cells->count;
    s->watches = watches;
    const yoke_status status = make(s, watches, watch, err);
    if (status != YOKE_OK) {
        latent_free(s);
        return status;
    }
    *out = (yoke_propagator){ &latent_ops, s, 0, 0, watches };
    return YOKE_OK;
}
