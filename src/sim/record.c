/* sim/record.c -- which variables are recorded, and the rows of the result. */
#include "sim/run.h"

#include <math.h>
#include <string.h>

enum { MOST_BY_DEFAULT = 1000, LOG_COLUMNS = 10, MOST_LOGGED = 1000 };

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

static int logged_variables(const yoke_run *run)
{
    return run->variables <= MOST_LOGGED ? run->variables : 0;
}

static yoke_status open_log(yoke_run *run, yoke_err *err)
{
    static const char *const fixed[LOG_COLUMNS] = {
        "window", "sweep",    "t0",     "t1",       "change",
        "rate",   "estimate", "solved", "accepted", "predicted"
    };
    const int extra = logged_variables(run);
    const char **name = NULL;

    YK_TRY(yk_doubles(&run->log_row, (size_t)(LOG_COLUMNS + extra), err));
    YK_TRY(YK_NEW(&name, LOG_COLUMNS + extra, err));
    for (int k = 0; k < LOG_COLUMNS; k++) name[k] = fixed[k];
    for (int k = 0; k < extra; k++)
        name[LOG_COLUMNS + k] = run->variable_name[k];
    const yoke_status status =
        yoke_writer_table(run->writer, "coupling", LOG_COLUMNS + extra, name,
                          NULL, &run->log_table, err);
    yk_free(name);
    return status;
}

yoke_status yk_record_open(yoke_run *run, yoke_err *err)
{
    int widest = 1;

    for (int c = 0; c < run->plan[0].schedule->clusters; c++) {
        const yoke_propagator *p = &run->plan[0].propagator[c];
        if (p->p > widest) widest = p->p;
        if (p->watches > widest) widest = p->watches;
    }
    YK_TRY(yk_doubles(&run->scratch, (size_t)widest, err));
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
    yk_free(run->scratch);
    yk_free(run->log_row);
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

/* Values at t from the waveforms of the last window.  Columns of one unit stand
 * together, so each waveform is evaluated once. */
static void fill_values(yoke_run *run, double t, double *value)
{
    const yoke_wave *last = NULL;

    for (int k = 0; k < run->columns; k++) {
        const yk_column *c = &run->column[k];
        const yoke_propagator *p = &run->plan[0].propagator[c->unit];
        const yoke_wave *w = c->is_output
                                 ? yk_iteration_wave(run->iteration, 0, c->unit)
                                 : p->ops->watched(p->self);
        if (w != last) yoke_wave_eval(w, t, NULL, run->scratch);
        last = w;
        value[k] = run->scratch[c->component];
    }
}

static void fill_row(yoke_run *run, double t)
{
    run->row[0] = t;
    fill_values(run, t, run->row + 1);
}

void yoke_run_at(yoke_run *run, double t, double *value)
{
    fill_values(run, t, value);
}

static yoke_status flush_now_and_then(yoke_run *run, yoke_err *err)
{
    const double now = yk_clock();

    if (!run->writer || now - run->last_flush < 1.0) return YOKE_OK;
    run->last_flush = now;
    return yoke_writer_flush(run->writer, err);
}

yoke_status yk_record_window(yoke_run *run, double t0, double t1, yoke_err *err)
{
    const double every = run->options.every;

    (void)t0;
    while (every > 0.0) {
        const double t = run->options.start + run->next_row * every;
        if (t > t1 + 1e-9 * every) break;
        fill_row(run, t < t1 - 1e-9 * every ? t : t1);
        YK_TRY(write_row(run, err));
        run->next_row += 1.0;
    }
    fill_row(run, t1);
    if (every == 0.0) YK_TRY(write_row(run, err));
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
        run->log_row[LOG_COLUMNS + k] = s->variable_change[k];
    YK_TRY(yoke_writer_row(run->writer, run->log_table, run->log_row, err));
    return yk_journal_sweep(run, s, err);
}

yoke_status yk_record_last(yoke_run *run, yoke_err *err)
{
    if (run->row[0] > run->last_row) YK_TRY(write_row(run, err));
    return run->writer ? yoke_writer_flush(run->writer, err) : YOKE_OK;
}
