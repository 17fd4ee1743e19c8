/* record/choice.c -- rows between which straight lines show the solution.
 *
 * There is a row at the ends of YK_RECORD_PARTS equal parts of the run.  What
 * bends between them is chosen twice.  In a window the polynomials are compared
 * with the chord between two rows; where the largest deviation is more than
 * permitted a row is put, and both halves are looked at (refine).  These rows,
 * and the end of the window, wait in a buffer until their part of the run ends;
 * then those go that the others make superfluous (record/thin.c), and the rest
 * is written.  So it does not matter into how many windows a part is cut, and
 * memory is that of the buffer: when it is full half of it goes.
 *
 * Limit.  A file cannot be thinned after it was written.  Of the rows that are
 * permitted, less those of the equal parts, YK_RECORD_AT_ONCE are free at any
 * time and the others become free evenly as time goes on; a part of the run
 * takes at most half of what is free.  If it needs more, lines may be farther
 * away until the rest fits, so that the largest peaks are the last to go.
 * yk_choice_quality tells how far.
 *
 * Nothing here depends on clocks or threads.
 */
#include "record/choice.h"

#include "base/base.h"
#include "record/policy.h"
#include "wave/waveform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the buffer: by memory (numbers), and the least and most; rows between
 * two that are looked at; points inside one polynomial; jumps of one part that
 * are kept however small. */
enum {
    NUMBERS = 1 << 20,
    LEAST_ROWS = 64,
    MOST_ROWS = 4096,
    DEPTH = 48,
    POINTS = 16,
    MOST_JUMPS = 40
};

enum { PLAIN, SIDE, GRID }; /* kinds of rows */

struct yk_choice {
    yk_choice_options options;
    size_t stride;
    double every, next; /* length of a part; number of the next grid row */
    double extra;       /* rows beside those of the grid */
    double spent;

    int count, room; /* rows that wait; row 0 is written */
    double *row;
    char *kind;
    double *level; /* record/thin.c */
    int *stack;

    double *left, *side; /* the last row of the buffer; one behind a jump */
    double *ahead;       /* DEPTH rows that end what is looked at */
    double *value;       /* one value of the widest waveform */
    int value_room;
    double *scale;

    double *stop; /* instants of a window and jumps of its waveforms */
    int stops;
    size_t stop_room;

    double within, since;
};

/* ---- life ---------------------------------------------------------------- */

void yk_choice_free(yk_choice *r)
{
    if (!r) return;
    YK_FREE(r->row, r->kind, r->level, r->stack, r->left, r->side, r->ahead,
            r->value, r->scale, r->stop);
    yk_free(r);
}

static int buffer_rows(size_t stride)
{
    const size_t rows = NUMBERS / stride;

    if (rows < LEAST_ROWS) return LEAST_ROWS;
    return rows < MOST_ROWS ? (int)rows : MOST_ROWS;
}

static yoke_status make_room(yk_choice *r, yoke_err *err)
{
    const size_t rows = (size_t)r->room;

    YK_TRY(yk_doubles(&r->row, rows * r->stride, err));
    YK_TRY(YK_DOUBLES(r->stride, err, &r->left, &r->side));
    YK_TRY(yk_doubles(&r->ahead, DEPTH * r->stride, err));
    YK_TRY(yk_doubles(&r->scale, r->stride, err));
    YK_TRY(YK_NEW(&r->kind, rows, err));
    YK_TRY(yk_doubles(&r->level, rows, err));
    return yk_ints(&r->stack, rows, err);
}

yoke_status yk_choice_create(yk_choice **out, const yk_choice_options *options,
                             yoke_err *err)
{
    yk_choice *r = NULL;
    int parts = YK_RECORD_PARTS;

    YK_TRY(YK_NEW(&r, 1, err));
    if (parts > options->most / 2) parts = options->most / 2;
    r->options = *options;
    r->stride = (size_t)options->columns + 1;
    r->room = buffer_rows(r->stride);
    r->every = (options->stop - options->start) / parts;
    r->next = 1.0;
    /* The first row, one behind the stop, one where a run ends early. */
    r->extra = fmax(options->most - parts - 3, 0.0);
    r->within = YK_RECORD_LINE;
    r->since = NAN;
    const yoke_status status = make_room(r, err);
    if (status != YOKE_OK) {
        yk_choice_free(r);
        return status;
    }
    *out = r;
    return YOKE_OK;
}

void yk_choice_quality(const yk_choice *r, double *within, double *since)
{
    *within = r->within;
    *since = r->since;
}

/* ---- the buffer ---------------------------------------------------------- */

static double *row_at(const yk_choice *r, int i)
{
    return r->row + (size_t)i * r->stride;
}

static yk_polyline polyline(const yk_choice *r)
{
    return (yk_polyline){ r->count, r->options.columns, r->row, r->scale };
}

static int count_above(const yk_choice *r, double tol)
{
    int count = 0;

    for (int i = 0; i < r->count; i++) count += r->level[i] > tol;
    return count;
}

/* Drops rows until at most `most` are left; those marked stay. */
static void thin_to(yk_choice *r, int most, char marked)
{
    const yk_polyline line = polyline(r);
    const double fair = (1.0 - YK_RECORD_FIRST) * YK_RECORD_LINE;
    double tol = fair;
    int kept = 0;

    for (int i = 0; i < r->count; i++)
        r->level[i] =
            i == 0 || i + 1 == r->count || r->kind[i] >= marked ? INFINITY : 0;
    yk_thin(&line, fair, r->level, r->stack);
    while (count_above(r, tol) > most && tol <= 1e9) tol *= YK_RECORD_COARSER;
    if (tol > fair) {
        if (isnan(r->since)) r->since = r->row[0];
        r->within =
            fmax(r->within, fmin(YK_RECORD_FIRST * YK_RECORD_LINE + tol, 1.0));
    }
    for (int i = 0; i < r->count; i++) {
        if (!(r->level[i] > tol)) continue;
        if (kept < i)
            memcpy(row_at(r, kept), row_at(r, i), r->stride * sizeof *r->row);
        r->kind[kept++] = r->kind[i];
    }
    r->count = kept;
}

static void push(yk_choice *r, const double *row, char kind)
{
    if (r->count == r->room) thin_to(r, r->room / 2, GRID + 1);
    memcpy(row_at(r, r->count), row, r->stride * sizeof *row);
    r->kind[r->count++] = kind;
    if (row != r->left) memcpy(r->left, row, r->stride * sizeof *row);
}

static int count_sides(const yk_choice *r)
{
    int count = 0;

    for (int i = 1; i < r->count; i++) count += r->kind[i] == SIDE;
    return count;
}

/* Chooses and writes the rows that wait. */
static yoke_status settle(yk_choice *r, yoke_err *err)
{
    const yk_choice_options *o = &r->options;
    const double part = (r->left[0] - o->start) / (o->stop - o->start);
    const double free =
        r->extra * (YK_RECORD_AT_ONCE + (1.0 - YK_RECORD_AT_ONCE) * part);
    const double half = floor(0.5 * (free - r->spent));
    const int limit = half < 0.0 ? 0 : half < r->room ? (int)half : r->room;
    const int sides = count_sides(r);
    const bool all = sides <= limit && sides <= MOST_JUMPS;

    if (r->count < 2) return YOKE_OK;
    thin_to(r, limit + 2, all ? SIDE : limit > 0 ? GRID : GRID + 1);
    for (int i = 1; i < r->count; i++) {
        YK_TRY(o->sink.write(o->sink.context, row_at(r, i), err));
        if (i + 1 < r->count) r->spent += 1.0;
    }
    r->count = 0;
    push(r, r->left, PLAIN);
    return YOKE_OK;
}

yoke_status yk_choice_first(yk_choice *r, const double *row, yoke_err *err)
{
    (void)err;
    r->count = 0;
    push(r, row, PLAIN);
    return YOKE_OK;
}

yoke_status yk_choice_flush(yk_choice *r, yoke_err *err)
{
    return settle(r, err);
}

/* ---- one window ---------------------------------------------------------- */

static void fill(yk_choice *r, const yk_choice_window *w, double t, bool right,
                 double *row)
{
    const yk_wave *last = NULL;

    row[0] = t;
    for (int c = 0; c < r->options.columns; c++) {
        const yk_curve *v = &w->curve[c];
        if (v->wave != last && right)
            yk_wave_eval_right(v->wave, t, NULL, r->value);
        else if (v->wave != last)
            yk_wave_eval(v->wave, t, NULL, r->value);
        last = v->wave;
        row[c + 1] = r->value[v->component];
    }
}

/* The largest deviation from the chord of two rows so far. */
typedef struct search {
    const double *a, *b;
    double near;
    double most, when; /* in scales */
} search;

/* One polynomial, from s0 to s1 of its piece. */
typedef struct part {
    double begin, length, s0, s1;
    int degree;
    size_t dim;
} part;

static double deviation(const search *s, const part *p, const double *coef,
                        int column, double at)
{
    const double *a = s->a, *b = s->b;
    const double t = p->begin + at * p->length;
    const double slope = (b[column + 1] - a[column + 1]) / (b[0] - a[0]);
    double x = coef[(size_t)p->degree * p->dim];

    for (int k = p->degree - 1; k >= 0; k--)
        x = x * at + coef[(size_t)k * p->dim];
    return fabs(x - a[column + 1] - slope * (t - a[0]));
}

static void note(search *s, const part *p, double at, double d)
{
    const double t = p->begin + at * p->length;

    if (d <= s->most || t <= s->a[0] + s->near || t >= s->b[0] - s->near)
        return;
    s->most = d;
    s->when = t;
}

/* Between the ends p differs from their chord by at most max|p''| / 8. */
static void look_at(search *s, const part *p, const double *coef, int column,
                    double scale)
{
    const double length = p->s1 - p->s0;
    double bend = 0.0;

    for (int k = 2; k <= p->degree; k++)
        bend += k * (k - 1) * fabs(coef[(size_t)k * p->dim]);
    bend *= length * length / 8.0 / scale;
    const double first = deviation(s, p, coef, column, p->s0) / scale;
    const double last = deviation(s, p, coef, column, p->s1) / scale;
    const double before = s->most;
    note(s, p, p->s0, first);
    note(s, p, p->s1, last);
    if (fmax(first, last) + bend <= before) return;
    const double points = ceil(sqrt(4.0 * bend / before));
    const int count = points < POINTS ? (int)points : POINTS;
    for (int k = 1; k < count; k++) {
        const double at = p->s0 + length * k / count;
        note(s, p, at, deviation(s, p, coef, column, at) / scale);
    }
}

/* Columns from `from` on that are in one waveform; returns the next. */
static int look_along(const yk_choice *r, const yk_choice_window *w, search *s,
                      int from)
{
    const yk_wave *wave = w->curve[from].wave;
    int to = from;

    while (to < r->options.columns && w->curve[to].wave == wave) to++;
    if (yk_wave_pieces(wave) < 1) return to;
    for (int i = yk_wave_piece(wave, s->a[0], true, NULL);
         i < yk_wave_pieces(wave); i++) {
        const double begin = yk_wave_knot(wave, i);
        const double length = yk_wave_knot(wave, i + 1) - begin;
        const part p = { begin,
                         length,
                         fmax((s->a[0] - begin) / length, 0.0),
                         fmin((s->b[0] - begin) / length, 1.0),
                         yk_wave_degree(wave, i),
                         (size_t)yk_wave_dim(wave) };
        if (begin >= s->b[0]) break;
        for (int c = from; c < to; c++)
            if (r->scale[c] > 0.0)
                look_at(s, &p, yk_wave_coef(wave, i) + w->curve[c].component, c,
                        r->scale[c]);
    }
    return to;
}

static bool bends(const yk_choice *r, const yk_choice_window *w,
                  const double *b, double *when)
{
    search s = { r->left, b, 1e-9 * r->every, YK_RECORD_FIRST * YK_RECORD_LINE,
                 NAN };

    if (!(b[0] > r->left[0])) return false;
    for (int c = 0; c < r->options.columns;) c = look_along(r, w, &s, c);
    *when = s.when;
    return !isnan(s.when);
}

/* From the last row to one at t, with those between them that are needed. */
static void refine(yk_choice *r, const yk_choice_window *w, double t, char kind)
{
    int depth = 0;
    double when = NAN;

    if (!(t > r->left[0])) return;
    fill(r, w, t, false, r->ahead);
    for (;;) {
        double *b = r->ahead + (size_t)depth * r->stride;
        if (depth + 1 < DEPTH && bends(r, w, b, &when)) {
            depth++;
            fill(r, w, when, false, b + r->stride);
            continue;
        }
        push(r, b, depth ? PLAIN : kind);
        if (depth-- == 0) return;
    }
}

/* ---- jumps --------------------------------------------------------------- */

static bool jumped(const yk_choice *r, const yk_choice_window *w,
                   const double *a, const double *b, bool declared)
{
    for (int c = 0; c < r->options.columns; c++) {
        const double d = fabs(a[c + 1] - b[c + 1]);
        const double size = fabs(a[c + 1]) + fabs(b[c + 1]);
        if (declared ? d > 1e-9 * size + w->tiny
                     : d > YK_RECORD_FIRST * YK_RECORD_LINE * r->scale[c] &&
                           r->scale[c] > 0.0)
            return true;
    }
    return false;
}

/* The other side of what happens at t, where the last row is. */
static void cross(yk_choice *r, const yk_choice_window *w, double t,
                  bool declared)
{
    fill(r, w, t, true, r->side);
    if (!jumped(r, w, r->left, r->side, declared)) return;
    if (r->count > 0 && r->kind[r->count - 1] == PLAIN)
        r->kind[r->count - 1] = SIDE;
    push(r, r->side, SIDE);
}

static bool jumps_at(const yk_choice *r, const yk_choice_window *w, int from,
                     int to, int knot)
{
    const yk_wave *wave = w->curve[from].wave;
    const size_t dim = (size_t)yk_wave_dim(wave);
    const double *before = yk_wave_coef(wave, knot - 1);
    const double *behind = yk_wave_coef(wave, knot);

    for (int c = from; c < to; c++) {
        const size_t at = (size_t)w->curve[c].component;
        double d = -behind[at];
        for (int k = 0; k <= yk_wave_degree(wave, knot - 1); k++)
            d += before[(size_t)k * dim + at];
        if (r->scale[c] > 0.0 &&
            fabs(d) > YK_RECORD_FIRST * YK_RECORD_LINE * r->scale[c])
            return true;
    }
    return false;
}

static yoke_status add_stop(yk_choice *r, double t, yoke_err *err)
{
    YK_TRY(YK_GROW(&r->stop, &r->stop_room, r->stops + 1, err));
    r->stop[r->stops++] = t;
    return YOKE_OK;
}

static yoke_status gather_stops(yk_choice *r, const yk_choice_window *w,
                                yoke_err *err)
{
    r->stops = 0;
    for (int i = 0; i < w->instants; i++)
        YK_TRY(add_stop(r, w->instant[i], err));
    for (int c = 0, to = 0; c < r->options.columns; c = to) {
        const yk_wave *wave = w->curve[c].wave;
        while (to < r->options.columns && w->curve[to].wave == wave) to++;
        for (int i = 1; i < yk_wave_pieces(wave); i++) {
            const double t = yk_wave_knot(wave, i);
            if (t > w->t0 && t < w->t1 && jumps_at(r, w, c, to, i))
                YK_TRY(add_stop(r, t, err));
        }
    }
    if (r->stops > 1)
        qsort(r->stop, (size_t)r->stops, sizeof *r->stop, yk_compare_doubles);
    return YOKE_OK;
}

static yoke_status take_window(yk_choice *r, const yk_choice_window *w,
                               yoke_err *err)
{
    int widest = r->value_room;

    memcpy(r->scale, w->scale, (size_t)r->options.columns * sizeof *r->scale);
    for (int c = 0; c < r->options.columns; c++)
        if (yk_wave_dim(w->curve[c].wave) > widest)
            widest = yk_wave_dim(w->curve[c].wave);
    if (widest > r->value_room) {
        yk_free(r->value);
        r->value = NULL;
        r->value_room = 0;
        YK_TRY(yk_doubles(&r->value, (size_t)widest, err));
        r->value_room = widest;
    }
    return gather_stops(r, w, err);
}

double yk_row_time(double start, double row, double every)
{
    enum { DIGITS = 15, EXACT = 22 }; /* 10^22 is a double */
    const double t = start + row * every;
    const int places = t != 0.0 ? DIGITS - 1 - (int)floor(log10(fabs(t))) : 0;

    if (places < 1 || places > EXACT) return t;
    const double scale = pow(10.0, places);
    return round(t * scale) / scale;
}

/* The next row of the grid, at most t1. */
static double grid_row(const yk_choice *r, double t1)
{
    const double t = yk_row_time(r->options.start, r->next, r->every);

    if (t > t1 + 1e-9 * r->every) return INFINITY;
    return t < t1 - 1e-9 * r->every ? t : t1;
}

yoke_status yk_choice_add(yk_choice *r, const yk_choice_window *w,
                          yoke_err *err)
{
    const double near = 1e-9 * r->every;
    int i = 0;

    YK_TRY(take_window(r, w, err));
    cross(r, w, w->t0, r->stops > 0 && r->stop[0] <= w->t0 + near);
    while (i < r->stops && r->stop[i] <= w->t0 + near) i++;
    for (;;) {
        const double grid = grid_row(r, w->t1);
        const double from = i < r->stops ? r->stop[i] : INFINITY;
        const bool on_grid = grid <= from + near;
        if (isinf(grid) && isinf(from)) break;
        if (from > grid + near) {
            refine(r, w, grid, GRID);
        } else {
            double to = from;
            while (i < r->stops && r->stop[i] <= from + near) to = r->stop[i++];
            refine(r, w, fmin(from, w->t1), on_grid ? GRID : PLAIN);
            cross(r, w, to, true);
        }
        if (!on_grid) continue;
        r->next += 1.0;
        YK_TRY(settle(r, err));
    }
    refine(r, w, w->t1, PLAIN);
    return YOKE_OK;
}
