/* record/window.c -- the rows of a window, and what its columns did. */
#include "base/crew.h"
#include "base/text.h"
#include "record/policy.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- statistics ---------------------------------------------------------- */

/* Columns that one job looks at, and what a piece of one costs (graph/cost.h). */
enum { GROUP = 64 };
static const double piece_price = 4.0;

static int count_groups(const yk_record *r)
{
    return (r->columns + GROUP - 1) / GROUP;
}

static yoke_status open_statistics(yk_record *r, yoke_err *err)
{
    static const char *const name[] = {
        "column", "least", "time_of_least", "most", "time_of_most",
        "mean",   "rms"
    };

    YK_TRY(YK_NEW(&r->statistics, r->columns, err));
    YK_TRY(YK_NEW(&r->curve, r->columns, err));
    YK_TRY(yk_doubles(&r->look_price, (size_t)count_groups(r), err));
    return yk_writer_table(r->writer, "statistics",
                           (int)(sizeof name / sizeof *name), name, NULL,
                           &r->statistics_table, err);
}

static yoke_status write_statistics(yk_record *r, yoke_err *err)
{
    const double span = r->row[0] - r->options->start;

    for (int k = 0; span > 0.0 && k < r->shows; k++) {
        const yk_statistics s = yk_shown_statistics(r, k, span);
        const double row[] = {
            k + 1,     s.least,       s.least_at,           s.most,
            s.most_at, s.area / span, sqrt(s.square / span)
        };
        YK_TRY(yk_writer_row(r->writer, r->statistics_table, row, err));
    }
    return YOKE_OK;
}

typedef struct look {
    yk_record *r;
    double t0, t1;
} look;

static yoke_status look_at_group(void *context, int group, yoke_err *err)
{
    const look *l = context;
    yk_record *r = l->r;

    (void)err;
    for (int k = group * GROUP; k < r->columns && k < (group + 1) * GROUP; k++)
        yk_statistics_window(&r->statistics[k], &r->curve[k], l->t0, l->t1);
    return YOKE_OK;
}

static yoke_status take_curves(yk_record *r, double t0, double t1,
                               yoke_err *err)
{
    look l = { r, t0, t1 };
    const yk_parts parts = { count_groups(r), look_at_group, &l,
                             r->look_price };

    for (int k = 0; k < r->columns; k++) {
        const yk_record_column *c = &r->column[k];
        r->curve[k] = (yk_curve){ yk_record_wave(r, c), c->component };
        if (k % GROUP == 0) r->look_price[k / GROUP] = 0.0;
        r->look_price[k / GROUP] +=
            piece_price * yk_wave_pieces(r->curve[k].wave);
    }
    return yk_crew_run(&parts, err);
}

/* ---- rows of YOKE_EVERY_AUTO --------------------------------------------- */

static yoke_status sink_row(void *context, const double *row, yoke_err *err)
{
    return yk_record_write(context, row, err);
}

/* What the steppers are asked for, of a variable of this size. */
static double tolerance(const yk_record *r, int k)
{
    const yk_statistics *s = &r->statistics[k];
    const double size = fmax(fabs(s->least), fabs(s->most));

    return r->options->iterate.rtol * size + r->floor[k];
}

static void find_scales(yk_record *r)
{
    for (int k = 0; k < r->columns; k++) {
        const yk_statistics *s = &r->statistics[k];
        r->scale[k] =
            fmax(s->most - s->least, tolerance(r, k) / YK_RECORD_LINE);
    }
}

/* Outputs have no nominal value. */
static void find_floors(yk_record *r)
{
    for (int k = 0; k < r->columns; k++) {
        const yk_record_column *c = &r->column[k];
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(r->graph, c->node));
        const double size =
            !c->is_output && f->nominal ? f->nominal[c->index] : 1e-6;
        r->floor[k] = r->options->iterate.atol * size;
    }
}

static yoke_status open_rows(yk_record *r, yoke_err *err)
{
    const yk_choice_options options = { .columns = r->columns,
                                        .most = r->options->rows,
                                        .start = r->options->start,
                                        .stop = r->options->stop,
                                        .sink = { sink_row, r } };

    YK_TRY(YK_NEW(&r->scale, r->columns, err));
    YK_TRY(YK_NEW(&r->floor, r->columns, err));
    find_floors(r);
    return yk_choice_create(&r->rows, &options, err);
}

static yoke_status note_quality(yk_record *r, yoke_err *err)
{
    char text[200];
    double within = NAN, since = NAN;

    if (!r->rows) return YOKE_OK;
    yk_choice_quality(r->rows, &within, &since);
    snprintf(text, sizeof text,
             "straight lines between them are within %.2g of the range of each "
             "variable",
             within);
    if (!isnan(since))
        yk_append(text, sizeof text,
                  " (within %g up to t = %.6g, then the limit of %d rows made "
                  "them coarser; see the option rows)",
                  YK_RECORD_LINE, since, r->options->rows);
    return yk_writer_note(r->writer, "rows", text, err);
}

/* ---- life ---------------------------------------------------------------- */

yoke_status yk_window_open(yk_record *r, yoke_err *err)
{
    YK_TRY(open_statistics(r, err));
    return r->options->every == YOKE_EVERY_AUTO ? open_rows(r, err) : YOKE_OK;
}

yoke_status yk_window_first(yk_record *r, yoke_err *err)
{
    const double t = r->row[0];

    if (!r->statistics) return YOKE_OK;
    for (int k = 0; k < r->columns; k++)
        r->statistics[k] = (yk_statistics){ .least = r->row[k + 1],
                                            .least_at = t,
                                            .most = r->row[k + 1],
                                            .most_at = t };
    return r->rows ? yk_choice_first(r->rows, r->row, err) : YOKE_OK;
}

yoke_status yk_window_end(yk_record *r, yoke_err *err)
{
    YK_TRY(write_statistics(r, err));
    return note_quality(r, err);
}

void yk_window_close(yk_record *r)
{
    yk_choice_free(r->rows);
    YK_FREE(r->statistics, r->curve, r->look_price, r->scale, r->floor);
}

/* ---- times of the rows --------------------------------------------------- */

static yoke_status add_time(yk_record_times *times, double t, yoke_err *err)
{
    YK_TRY(YK_GROW(&times->at, &times->room, times->count + 1, err));
    times->at[times->count++] = t;
    return YOKE_OK;
}

static void sort_times(yk_record_times *times)
{
    if (times->count > 1)
        qsort(times->at, (size_t)times->count, sizeof *times->at,
              yk_compare_doubles);
}

/* Where the solution of a unit is not smooth. */
static yoke_status gather_instants(yk_record *r, yoke_err *err)
{
    const yk_unit_plan *plan = &r->units->plan[0];

    r->instant.count = 0;
    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_propagator *p = &plan->propagator[c];
        const double *t = NULL;
        const int count = p->ops->instants ? p->ops->instants(p->self, &t) : 0;
        for (int k = 0; k < count; k++)
            YK_TRY(add_time(&r->instant, t[k], err));
    }
    sort_times(&r->instant);
    return YOKE_OK;
}

/* The regular grid up to t1. */
static yoke_status gather_grid(yk_record *r, double every, double t1,
                               yoke_err *err)
{
    for (;; r->next_row += 1.0) {
        const double t = yk_row_time(r->options->start, r->next_row, every);
        if (t > t1 + 1e-9 * every) return YOKE_OK;
        YK_TRY(add_time(&r->when, t < t1 - 1e-9 * every ? t : t1, err));
    }
}

/* Those that are closer than `near` become one. */
static void join_times(yk_record_times *times, double near)
{
    int kept = 0;

    for (int k = 0; k < times->count; k++)
        if (kept == 0 || times->at[k] > times->at[kept - 1] + near)
            times->at[kept++] = times->at[k];
    times->count = kept;
}

/* The steps of all units that have columns. */
static yoke_status gather_steps(const yk_record *r, int first, double near,
                                yk_record_times *times, yoke_err *err)
{
    const yk_wave *last = NULL;

    for (int k = 0; k < r->columns; k++) {
        const yk_wave *w = yk_record_wave(r, &r->column[k]);
        for (int i = first; w != last && i <= yk_wave_pieces(w); i++)
            YK_TRY(add_time(times, yk_wave_knot(w, i), err));
        last = w;
    }
    sort_times(times);
    join_times(times, near);
    return YOKE_OK;
}

yoke_status yk_record_steps(const yk_record *r, yk_record_times *times,
                            yoke_err *err)
{
    times->count = 0;
    return gather_steps(r, 0, 0.0, times, err);
}

static yoke_status write_at(yk_record *r, double t, yoke_err *err)
{
    yk_record_fill(r, t, false);
    return yk_record_write(r, r->row, err);
}

bool yk_record_jumped(const yk_record *r, int count, const double *left,
                      const double *right)
{
    const double tiny = 1e-6 * r->options->iterate.atol;

    for (int k = 0; k < count; k++) {
        const double size = fabs(left[k]) + fabs(right[k]);
        if (fabs(left[k] - right[k]) > 1e-9 * size + tiny) return true;
    }
    return false;
}

/* Both sides of the instants from `from` to `to`, which are one but for
 * rounding.  The left side of the window's start is the end of the last. */
static yoke_status write_sides(yk_record *r, double from, double to,
                               bool at_start, yoke_err *err)
{
    if (!at_start) yk_record_fill(r, from, false);
    if (r->row[0] > r->last_row) YK_TRY(yk_record_write(r, r->row, err));
    memcpy(r->left, r->row + 1, (size_t)r->columns * sizeof *r->left);
    yk_record_fill(r, to, true);
    return yk_record_jumped(r, r->columns, r->left, r->row + 1)
               ? yk_record_write(r, r->row, err)
               : YOKE_OK;
}

/* The rows of `when` and those of the instants, in order; an instant takes the
 * place of a row that is closer than `near`. */
static yoke_status write_rows(yk_record *r, double t0, double near,
                              yoke_err *err)
{
    const yk_record_times *w = &r->when, *e = &r->instant;
    int k = 0;

    for (int i = 0, j = 0; i < e->count; i = j) {
        const double from = e->at[i];
        for (j = i + 1; j < e->count && e->at[j] <= from + near;) j++;
        const double to = e->at[j - 1];
        for (; k < w->count && w->at[k] < from - near; k++)
            YK_TRY(write_at(r, w->at[k], err));
        YK_TRY(write_sides(r, from, to, from <= t0 + near, err));
        while (k < w->count && w->at[k] <= to + near) k++;
    }
    for (; k < w->count; k++) YK_TRY(write_at(r, w->at[k], err));
    return YOKE_OK;
}

static yoke_status flush_now_and_then(yk_record *r, yoke_err *err)
{
    const double now = yk_clock();

    if (!r->writer || now - r->last_flush < 1.0) return YOKE_OK;
    r->last_flush = now;
    return yk_writer_flush(r->writer, err);
}

/* ---- a window ------------------------------------------------------------ */

static yoke_status write_auto(yk_record *r, double t0, double t1, yoke_err *err)
{
    r->instant.count = 0;
    YK_TRY(gather_instants(r, err));
    find_scales(r);
    const yk_choice_window window = { .t0 = t0,
                                      .t1 = t1,
                                      .curve = r->curve,
                                      .scale = r->scale,
                                      .instants = r->instant.count,
                                      .instant = r->instant.at,
                                      .tiny = 1e-6 * r->options->iterate.atol };
    return yk_choice_add(r->rows, &window, err);
}

static yoke_status write_window(yk_record *r, double t0, double t1,
                                yoke_err *err)
{
    const yoke_run_options *o = r->options;
    double near = 1e-9 * o->every;

    YK_TRY(take_curves(r, t0, t1, err));
    if (r->rows) return write_auto(r, t0, t1, err);
    r->when.count = r->instant.count = 0;
    if (o->every == YOKE_EVERY_WINDOW) return write_at(r, t1, err);
    if (o->every == YOKE_EVERY_STEP) {
        near = 1e-12 * (t1 - t0);
        YK_TRY(gather_steps(r, 1, near, &r->when, err));
        YK_TRY(gather_instants(r, err));
    } else {
        YK_TRY(gather_grid(r, o->every, t1, err));
    }
    return write_rows(r, t0, near, err);
}

yoke_status yk_record_window(yk_record *r, double t0, double t1, yoke_err *err)
{
    YK_TRY(yk_record_now(r, err));
    if (r->writer) YK_TRY(write_window(r, t0, t1, err));
    yk_record_fill(r, t1, false);
    YK_TRY(yk_record_note_remarks(r, err));
    return flush_now_and_then(r, err);
}

yoke_status yk_record_last(yk_record *r, yoke_err *err)
{
    if (r->rows) YK_TRY(yk_choice_flush(r->rows, err));
    if (r->row[0] > r->last_row) YK_TRY(yk_record_write(r, r->row, err));
    return r->writer ? yk_writer_flush(r->writer, err) : YOKE_OK;
}

yoke_status yk_record_beyond(yk_record *r, yoke_err *err)
{
    const double t = r->row[0];

    if (r->rows) YK_TRY(yk_choice_flush(r->rows, err));
    YK_TRY(write_sides(r, t, t, true, err));
    for (int k = 0; r->statistics && k < r->columns; k++)
        yk_statistics_value(&r->statistics[k], t, r->row[k + 1]);
    return yk_record_note_remarks(r, err);
}
