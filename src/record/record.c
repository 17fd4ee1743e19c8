/* record/record.c -- which variables are recorded, and the rows of the result.
 * */
#include "run/run.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BY_DEFAULT = 1000, LOG_COLUMNS = 10, MOST_LOGGED = 1000 };

/* Rows of YOKE_EVERY_AUTO, and instants between two of them. */
enum { PARTS = 500, CROWD = 20 };

/* ---- choice ------------------------------------------------------------- */

static bool wanted(const yoke_run *run, const char *name)
{
    return !run->options.record[0] || yk_glob_any(run->options.record, name);
}

/* Takes `name`. */
static void add_column(yoke_run *run, char *name, int node, bool is_output,
                       int index)
{
    run->name[run->columns] = name;
    run->column[run->columns++] =
        (yk_column){ .node = node, .is_output = is_output, .index = index };
    if (is_output) run->extra[run->first_out[node] + index] = true;
}

static bool is_unknown(const yoke_system_info *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->x_name[i], name) == 0) return true;
    return false;
}

/* Outputs that bear the name of an unknown are that unknown.  Multipliers are
 * recorded as outputs: what the subsystems are given, a correction included. */
static yoke_status choose_node(yoke_run *run, int node, yoke_err *err)
{
    const yoke_system *s = yoke_graph_system(run->graph, node);
    const yoke_system_info *f = yoke_system_facts(s);
    const bool multipliers = strcmp(yoke_system_kind(s), "constraint") == 0;

    for (int k = multipliers ? f->n : 0; k < f->n + f->p; k++) {
        const bool is_output = k >= f->n;
        const int index = is_output ? k - f->n : k;
        const char *own = is_output ? f->y_name[index] : f->x_name[index];
        char *name = NULL;
        if (is_output && !multipliers &&
            (f->y_name == f->x_name || is_unknown(f, own)))
            continue;
        YK_TRY(yk_dotted_name(&name, s, own, err));
        if (wanted(run, name))
            add_column(run, name, node, is_output, index);
        else
            yk_free(name);
    }
    return YOKE_OK;
}

yoke_status yk_record_choose(yoke_run *run, yoke_err *err)
{
    const int nodes = yoke_graph_count(run->graph);
    size_t total = 0;

    for (int i = 0; i < nodes; i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, i));
        total += (size_t)f->n + (size_t)f->p;
    }
    if (!run->options.record[0] && total > 2 * MOST_BY_DEFAULT) {
        if (run->options.output[0])
            return yk_fail(err, YOKE_E_ARG,
                           "the model has about %zu "
                           "variables; choose those to record with the option "
                           "record, for example record = \"a.x b.*\"",
                           total);
        return YOKE_OK;
    }
    YK_TRY(YK_NEW(&run->column, total, err));
    YK_TRY(YK_NEW(&run->name, total, err));
    for (int i = 0; i < nodes; i++) YK_TRY(choose_node(run, i, err));
    return yk_check_patterns(run->options.record, run->columns, run->name,
                             "record", "variable", err);
}

/* ---- places ------------------------------------------------------------- */

static void place_output(yoke_run *run, yk_column *column)
{
    const yk_run_plan *p = &run->plan[0];
    const yk_cluster *c;

    column->unit = p->schedule->cluster[column->node];
    c = &p->cluster[column->unit];
    for (int k = 0; k < c->outs; k++)
        if (c->out[k][0] == column->node && c->out[k][1] == column->index)
            column->component = k;
}

static void place_unknown(yoke_run *run, yk_column *column)
{
    yk_run_plan *p = &run->plan[0];
    const int unit = p->schedule->cluster[column->node];
    const yk_cluster *c = &p->cluster[unit];
    int k = 0;

    while (c->node[k] != column->node) k++;
    column->unit = unit;
    column->component = p->watches[unit];
    p->watch[unit][p->watches[unit]++] = c->x_at[k] + column->index;
}

yoke_status yk_record_place(yoke_run *run, yoke_err *err)
{
    for (int q = 0; q < run->plans; q++) {
        yk_run_plan *p = &run->plan[q];
        YK_TRY(YK_NEW(&p->watch, p->schedule->clusters, err));
        YK_TRY(yk_ints(&p->watches, (size_t)p->schedule->clusters, err));
    }
    yk_run_plan *p = &run->plan[0];
    for (int k = 0; k < run->columns; k++)
        if (!run->column[k].is_output)
            p->watches[p->schedule->cluster[run->column[k].node]]++;
    for (int c = 0; c < p->schedule->clusters; c++) {
        YK_TRY(yk_ints(&p->watch[c], (size_t)p->watches[c], err));
        p->watches[c] = 0;
    }
    for (int k = 0; k < run->columns; k++) {
        if (run->column[k].is_output)
            place_output(run, &run->column[k]);
        else
            place_unknown(run, &run->column[k]);
    }
    YK_TRY(yk_spot_place(run, err));
    if (run->row) return YOKE_OK; /* there are other units */
    YK_TRY(YK_NEW(&run->left, run->columns, err));
    return YK_NEW(&run->row, run->columns + 1, err);
}

/* ---- files -------------------------------------------------------------- */

static yoke_status open_result(yoke_run *run, yoke_err *err)
{
    const char **name = NULL;

    YK_TRY(YK_NEW(&name, run->columns + 1, err));
    name[0] = "time";
    for (int k = 0; k < run->columns; k++) name[k + 1] = run->name[k];
    const yoke_status status =
        yoke_writer_table(run->writer, "result", run->columns + 1, name, NULL,
                          &run->result_table, err);
    yk_free(name);
    return status;
}

enum { SPLIT_COLUMNS = 2 };
static const char *const split_column[SPLIT_COLUMNS] = { "weighted",
                                                         "unweighted" };

static int logged_variables(const yoke_run *run)
{
    if (run->log_split) return SPLIT_COLUMNS;
    return run->coupled <= MOST_LOGGED ? run->coupled : 0;
}

void yk_record_find_coupled(yoke_run *run)
{
    for (int k = 0; k < run->coupled; k++) {
        run->coupled_at[k] = -1;
        for (int v = 0; v < run->variables; v++)
            if (run->variable[v] == run->coupled_id[k]) run->coupled_at[k] = v;
    }
}

/* Later units have no coupling variable that is new. */
static yoke_status choose_coupled(yoke_run *run, yoke_err *err)
{
    const size_t count = (size_t)run->variables;

    YK_TRY(yk_copy_ints(&run->coupled_id, run->variable, count, err));
    YK_TRY(yk_ints(&run->coupled_at, count, err));
    run->coupled = run->variables;
    for (int k = 0; k < run->coupled; k++) run->coupled_at[k] = k;
    return YOKE_OK;
}

static yoke_status open_log(yoke_run *run, yoke_err *err)
{
    static const char *const fixed[LOG_COLUMNS] = {
        "window", "sweep",    "t0",     "t1",       "change",
        "rate",   "estimate", "solved", "accepted", "predicted"
    };
    const char **name = NULL;

    YK_TRY(choose_coupled(run, err));
    run->log_split = yk_passive_unit(run) >= 0;
    const int extra = logged_variables(run);
    YK_TRY(yk_doubles(&run->log_row, (size_t)(LOG_COLUMNS + extra), err));
    YK_TRY(YK_NEW(&name, LOG_COLUMNS + extra, err));
    for (int k = 0; k < LOG_COLUMNS; k++) name[k] = fixed[k];
    for (int k = 0; k < extra; k++)
        name[LOG_COLUMNS + k] =
            run->log_split ? split_column[k] : run->variable_name[k];
    const yoke_status status =
        yoke_writer_table(run->writer, "coupling", LOG_COLUMNS + extra, name,
                          NULL, &run->log_table, err);
    yk_free(name);
    return status;
}

yoke_status yk_record_room(yoke_run *run, yoke_err *err)
{
    int widest = 1;

    for (int c = 0; c < run->plan[0].schedule->clusters; c++) {
        const yoke_propagator *p = &run->plan[0].propagator[c];
        if (p->p > widest) widest = p->p;
        if (p->watches > widest) widest = p->watches;
    }
    yk_free(run->scratch);
    run->scratch = NULL;
    return yk_doubles(&run->scratch, (size_t)widest, err);
}

yoke_status yk_record_open(yoke_run *run, yoke_err *err)
{
    YK_TRY(yk_record_room(run, err));
    run->last_row = -INFINITY;
    if (!run->options.output[0]) return YOKE_OK;
    YK_TRY(yoke_writer_create(&run->writer, run->options.output, err));
    YK_TRY(yoke_writer_note(run->writer, "generator", "yoke", err));
    YK_TRY(open_result(run, err));
    YK_TRY(open_log(run, err));
    return yk_journal_open(run, err);
}

void yk_record_free(yoke_run *run)
{
    for (int k = 0; run->name && k < run->columns; k++) yk_free(run->name[k]);
    yk_free(run->name);
    yk_free(run->column);
    yk_free(run->row);
    yk_free(run->left);
    yk_free(run->when.at);
    yk_free(run->instant.at);
    yk_free(run->remark);
    yk_free(run->rest_text);
    yk_free(run->scratch);
    yk_free(run->log_row);
    yk_free(run->coupled_id);
    yk_free(run->coupled_at);
    yk_journal_free(run);
}

/* ---- rows --------------------------------------------------------------- */

static yoke_status write_row(yoke_run *run, yoke_err *err)
{
    run->last_row = run->row[0];
    return run->writer
               ? yoke_writer_row(run->writer, run->result_table, run->row, err)
               : YOKE_OK;
}

yoke_status yk_record_first(yoke_run *run, double t, const double *const *x,
                            const double *y, yoke_err *err)
{
    run->row[0] = t;
    for (int k = 0; k < run->columns; k++) {
        const yk_column *c = &run->column[k];
        run->row[k + 1] = c->is_output ? y[run->first_out[c->node] + c->index]
                                       : x[c->node][c->index];
    }
    run->next_row = 1.0;
    return write_row(run, err);
}

const yoke_wave *yk_record_wave(const yoke_run *run, const yk_column *c)
{
    const yoke_propagator *p = &run->plan[0].propagator[c->unit];

    return c->is_output ? yk_iteration_wave(run->iteration, 0, c->unit)
                        : p->ops->watched(p->self);
}

/* Values at t from the waveforms of the last window.  Columns of one unit stand
 * together, so each waveform is evaluated once. */
static void fill_values(yoke_run *run, double t, bool right, double *value)
{
    const yoke_wave *last = NULL;

    for (int k = 0; k < run->columns; k++) {
        const yk_column *c = &run->column[k];
        const yoke_wave *w = yk_record_wave(run, c);
        if (w != last && right)
            yoke_wave_eval_right(w, t, NULL, run->scratch);
        else if (w != last)
            yoke_wave_eval(w, t, NULL, run->scratch);
        last = w;
        value[k] = run->scratch[c->component];
    }
}

static void fill_row(yoke_run *run, double t, bool right)
{
    run->row[0] = t;
    fill_values(run, t, right, run->row + 1);
}

void yoke_run_at(yoke_run *run, double t, double *value)
{
    fill_values(run, t, false, value);
}

static yoke_status flush_now_and_then(yoke_run *run, yoke_err *err)
{
    const double now = yk_clock();

    if (!run->writer || now - run->last_flush < 1.0) return YOKE_OK;
    run->last_flush = now;
    return yoke_writer_flush(run->writer, err);
}

/* ---- times of the rows --------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static yoke_status add_time(yk_times *times, double t, yoke_err *err)
{
    YK_TRY(yk_grow((void **)&times->at, &times->room, (size_t)times->count + 1,
                   sizeof *times->at, err));
    times->at[times->count++] = t;
    return YOKE_OK;
}

static void sort_times(yk_times *times)
{
    if (times->count > 1)
        qsort(times->at, (size_t)times->count, sizeof *times->at, by_time);
}

/* Where the solution of a unit is not smooth. */
static yoke_status gather_instants(yoke_run *run, yoke_err *err)
{
    const yk_run_plan *plan = &run->plan[0];

    run->instant.count = 0;
    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yoke_propagator *p = &plan->propagator[c];
        const double *t = NULL;
        const int count = p->ops->instants ? p->ops->instants(p->self, &t) : 0;
        for (int k = 0; k < count; k++)
            YK_TRY(add_time(&run->instant, t[k], err));
    }
    sort_times(&run->instant);
    return YOKE_OK;
}

/* The regular grid up to t1. */
static yoke_status gather_grid(yoke_run *run, double every, double t1,
                               yoke_err *err)
{
    for (;; run->next_row += 1.0) {
        const double t = run->options.start + run->next_row * every;
        if (t > t1 + 1e-9 * every) return YOKE_OK;
        YK_TRY(add_time(&run->when, t < t1 - 1e-9 * every ? t : t1, err));
    }
}

/* Those that are closer than `near` become one. */
static void join_times(yk_times *times, double near)
{
    int kept = 0;

    for (int k = 0; k < times->count; k++)
        if (kept == 0 || times->at[k] > times->at[kept - 1] + near)
            times->at[kept++] = times->at[k];
    times->count = kept;
}

/* The steps of all units that have columns. */
static yoke_status gather_steps(yoke_run *run, double near, yoke_err *err)
{
    const yoke_wave *last = NULL;

    for (int k = 0; k < run->columns; k++) {
        const yoke_wave *w = yk_record_wave(run, &run->column[k]);
        for (int i = 1; w != last && i <= yoke_wave_pieces(w); i++)
            YK_TRY(add_time(&run->when, yoke_wave_knot(w, i), err));
        last = w;
    }
    sort_times(&run->when);
    join_times(&run->when, near);
    return YOKE_OK;
}

static yoke_status write_at(yoke_run *run, double t, yoke_err *err)
{
    run->crowd = 0;
    fill_row(run, t, false);
    return write_row(run, err);
}

/* More than what rounding and an open iteration leave. */
static bool jumped(const yoke_run *run, const double *left, const double *right)
{
    const double tiny = 1e-6 * run->options.iterate.atol;

    for (int k = 0; k < run->columns; k++) {
        const double size = fabs(left[k]) + fabs(right[k]);
        if (fabs(left[k] - right[k]) > 1e-9 * size + tiny) return true;
    }
    return false;
}

/* Both sides of the instants from `from` to `to`, which are one but for
 * rounding.  The left side of the window's start is the end of the last. */
static yoke_status write_sides(yoke_run *run, double from, double to,
                               bool at_start, yoke_err *err)
{
    if (!at_start) fill_row(run, from, false);
    if (run->row[0] > run->last_row) YK_TRY(write_row(run, err));
    memcpy(run->left, run->row + 1, (size_t)run->columns * sizeof *run->left);
    fill_row(run, to, true);
    return jumped(run, run->left, run->row + 1) ? write_row(run, err) : YOKE_OK;
}

/* The rows of `when` and those of the instants, in order; an instant takes the
 * place of a row that is closer than `near`. */
static yoke_status write_rows(yoke_run *run, double t0, double near, int most,
                              yoke_err *err)
{
    const yk_times *w = &run->when, *e = &run->instant;
    int k = 0;

    for (int i = 0, j = 0; i < e->count; i = j) {
        const double from = e->at[i];
        for (j = i + 1; j < e->count && e->at[j] <= from + near;) j++;
        const double to = e->at[j - 1];
        for (; k < w->count && w->at[k] < from - near; k++)
            YK_TRY(write_at(run, w->at[k], err));
        if (run->crowd++ >= most) continue;
        YK_TRY(write_sides(run, from, to, from <= t0 + near, err));
        while (k < w->count && w->at[k] <= to + near) k++;
    }
    for (; k < w->count; k++) YK_TRY(write_at(run, w->at[k], err));
    return YOKE_OK;
}

/* ---- remarks ------------------------------------------------------------- */

static bool is_noted(const yoke_run *run, int node, int number)
{
    for (int i = 0; i < run->remarks; i++)
        if (run->remark[i].node == node && run->remark[i].number == number)
            return true;
    return false;
}

/* A remark that is true stays so.  The memory of the subsystems is that of the
 * end of the window: what was said in sweeps that are gone is forgotten. */
static yoke_status note_remarks(yoke_run *run, yoke_err *err)
{
    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        yk_run_remark r = { .node = i };
        while (yoke_system_remark(yoke_graph_system(run->graph, i), r.number,
                                  &r.remark)) {
            if (!isnan(r.remark.since) && !is_noted(run, i, r.number)) {
                YK_TRY(yk_grow((void **)&run->remark, &run->remark_room,
                               (size_t)run->remarks + 1, sizeof r, err));
                run->remark[run->remarks++] = r;
            }
            r.number++;
        }
    }
    return YOKE_OK;
}

bool yoke_run_remark(const yoke_run *run, int i, const char **subsystem,
                     yoke_remark *remark)
{
    if (i < 0 || i >= run->remarks) return false;
    *subsystem =
        yoke_system_name(yoke_graph_system(run->graph, run->remark[i].node));
    *remark = run->remark[i].remark;
    return true;
}

/* ---- a window ------------------------------------------------------------ */

static yoke_status write_window(yoke_run *run, double t0, double t1,
                                yoke_err *err)
{
    const yoke_run_options *o = &run->options;
    const bool automatic = o->every == YOKE_EVERY_AUTO;
    const double every = automatic ? (o->stop - o->start) / PARTS : o->every;
    double near = 1e-9 * every;

    run->when.count = run->instant.count = 0;
    if (o->every == YOKE_EVERY_WINDOW) return write_at(run, t1, err);
    if (o->every == YOKE_EVERY_STEP) {
        near = 1e-12 * (t1 - t0);
        YK_TRY(gather_steps(run, near, err));
    } else {
        YK_TRY(gather_grid(run, every, t1, err));
    }
    if (o->every <= 0.0) YK_TRY(gather_instants(run, err));
    return write_rows(run, t0, near, automatic ? CROWD : INT_MAX, err);
}

yoke_status yk_record_window(yoke_run *run, double t0, double t1, yoke_err *err)
{
    if (run->writer) YK_TRY(write_window(run, t0, t1, err));
    fill_row(run, t1, false);
    YK_TRY(note_remarks(run, err));
    return flush_now_and_then(run, err);
}

yoke_status yk_record_sweep(yoke_run *run, const yoke_sweep *s, yoke_err *err)
{
    double predicted = NAN;

    if (!run->writer) return YOKE_OK;
    YK_TRY(yk_predict_rate(run, s->t1 - s->t0, &predicted, err));
    const double fixed[LOG_COLUMNS] = {
        s->window,   s->sweep,  s->t0,
        s->t1,       s->change, s->rate,
        s->estimate, s->solved, s->accepted ? 1.0 : 0.0,
        predicted
    };
    memcpy(run->log_row, fixed, sizeof fixed);
    for (int k = 0; k < logged_variables(run); k++)
        run->log_row[LOG_COLUMNS + k] =
            run->log_split           ? s->variable_change[k]
            : run->coupled_at[k] < 0 ? NAN
                                     : s->variable_change[run->coupled_at[k]];
    YK_TRY(yoke_writer_row(run->writer, run->log_table, run->log_row, err));
    return yk_journal_sweep(run, s, err);
}

yoke_status yk_record_last(yoke_run *run, yoke_err *err)
{
    if (run->row[0] > run->last_row) YK_TRY(write_row(run, err));
    return run->writer ? yoke_writer_flush(run->writer, err) : YOKE_OK;
}
