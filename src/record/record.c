/* record/record.c -- which variables are recorded, and the rows of the result. */
#include "record/record.h"

#include "base/texts.h"
#include "model/names.h"
#include "sys/call.h"

#include <math.h>
#include <string.h>

enum { MOST_BY_DEFAULT = 1000, LOG_COLUMNS = 10, MOST_LOGGED = 1000 };

/* ---- choice ------------------------------------------------------------- */

/* Of hidden subsystems what is named without a `*`. */
static bool wanted(const yk_record *r, const char *name, bool hidden)
{
    const char *list = r->options->record;

    if (hidden) return yk_listed(list, name);
    return !list[0] || yk_glob_any(list, name);
}

/* Takes `name`. */
static void add_column(yk_record *r, char *name, int node, bool is_output,
                       int index)
{
    r->name[r->columns] = name;
    r->column[r->columns++] = (yk_record_column){ .node = node,
                                                  .is_output = is_output,
                                                  .index = index };
    if (is_output) r->units->extra[r->units->first_out[node] + index] = true;
}

/* Outputs that bear the name of an unknown are that unknown.  Multipliers are
 * recorded as outputs: what the subsystems are given, a correction included. */
static yoke_status choose_node(yk_record *r, int node, yoke_err *err)
{
    const yoke_system *s = yoke_graph_system(r->graph, node);
    const yoke_system_info *f = yoke_system_facts(s);
    const bool multipliers = strcmp(yoke_system_kind(s), "constraint") == 0;

    for (int k = multipliers ? f->n : 0; k < f->n + f->p; k++) {
        const bool is_output = k >= f->n;
        const int index = is_output ? k - f->n : k;
        const char *own = is_output ? f->y_name[index] : f->x_name[index];
        char *name = NULL;
        if (is_output && !multipliers &&
            (f->y_name == f->x_name ||
             yk_texts_find(f->x_name, f->n, own) >= 0))
            continue;
        YK_TRY(yk_dotted_name(&name, s, own, err));
        if (wanted(r, name, f->flags & YOKE_HIDDEN))
            add_column(r, name, node, is_output, index);
        else
            yk_free(name);
    }
    return YOKE_OK;
}

yoke_status yk_record_choose(yk_record *r, yoke_err *err)
{
    const int nodes = yoke_graph_count(r->graph);
    size_t total = 0;

    for (int i = 0; i < nodes; i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(r->graph, i));
        total += (size_t)f->n + (size_t)f->p;
    }
    if (!r->options->record[0] && total > 2 * MOST_BY_DEFAULT) {
        if (r->options->output[0] || r->sink)
            return yk_fail(err, YOKE_E_ARG,
                           "the model has about %zu "
                           "variables; choose those to record with the option "
                           "record, for example record = \"a.x b.*\", in a "
                           "system file output: {variables: [a.x, b.*]}",
                           total);
        return YOKE_OK;
    }
    total += (size_t)yk_shown_most(r);
    YK_TRY(YK_NEW(&r->column, total, err));
    YK_TRY(YK_NEW(&r->name, total, err));
    for (int i = 0; i < nodes; i++) YK_TRY(choose_node(r, i, err));
    YK_TRY(yk_shown_choose(r, err));
    return yk_shown_check(r, err);
}

/* ---- places ------------------------------------------------------------- */

static void place_output(yk_record *r, yk_record_column *column)
{
    const yk_unit_plan *p = &r->units->plan[0];
    const yk_cluster *c;

    column->unit = p->schedule->cluster[column->node];
    c = &p->cluster[column->unit];
    for (int k = 0; k < c->outs; k++)
        if (c->out[k][0] == column->node && c->out[k][1] == column->index)
            column->component = k;
}

static void place_unknown(yk_record *r, yk_record_column *column)
{
    yk_unit_plan *p = &r->units->plan[0];
    const int unit = p->schedule->cluster[column->node];
    const yk_cluster *c = &p->cluster[unit];
    int k = 0;

    while (c->node[k] != column->node) k++;
    column->unit = unit;
    column->component = p->watches[unit];
    p->watch[unit][p->watches[unit]++] = c->x_at[k] + column->index;
}

yoke_status yk_record_place(yk_record *r, yoke_err *err)
{
    for (int q = 0; q < r->units->count; q++) {
        yk_unit_plan *p = &r->units->plan[q];
        YK_TRY(YK_NEW(&p->watch, p->schedule->clusters, err));
        YK_TRY(yk_ints(&p->watches, (size_t)p->schedule->clusters, err));
    }
    yk_unit_plan *p = &r->units->plan[0];
    for (int k = 0; k < r->columns; k++)
        if (!r->column[k].is_output)
            p->watches[p->schedule->cluster[r->column[k].node]]++;
    for (int c = 0; c < p->schedule->clusters; c++) {
        YK_TRY(yk_ints(&p->watch[c], (size_t)p->watches[c], err));
        p->watches[c] = 0;
    }
    for (int k = 0; k < r->columns; k++) {
        if (r->column[k].is_output)
            place_output(r, &r->column[k]);
        else
            place_unknown(r, &r->column[k]);
    }
    if (r->row) return YOKE_OK; /* there are other units */
    YK_TRY(YK_NEW(&r->left, r->columns, err));
    return YK_NEW(&r->row, r->columns + 1, err);
}

/* ---- files -------------------------------------------------------------- */

const char *yk_record_unit(const yk_record *r, int column)
{
    const yk_record_column *c = &r->column[column];
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(r->graph, c->node));
    const char *const *unit = c->is_output ? f->y_unit : f->x_unit;

    return unit && unit[c->index] ? unit[c->index] : "";
}

static yoke_status open_result(yk_record *r, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const char **name = NULL, **unit = NULL;

    YK_GO(YK_NEW(&name, r->shows + 1, err));
    YK_GO(YK_NEW(&unit, r->shows + 1, err));
    name[0] = "time";
    unit[0] = "s";
    for (int k = 0; k < r->shows; k++) {
        name[k + 1] = r->shown[k].name;
        unit[k + 1] = r->shown[k].unit;
    }
    YK_GO(yk_writer_table(r->writer, "result", r->shows + 1, name, unit,
                          &r->result_table, err));
done:
    YK_FREE((void *)name, (void *)unit);
    return status;
}

enum { SPLIT_COLUMNS = 2 };
static const char *const split_column[SPLIT_COLUMNS] = { "weighted",
                                                         "unweighted" };

static int logged_variables(const yk_record *r)
{
    if (r->log_split) return SPLIT_COLUMNS;
    return r->coupled <= MOST_LOGGED ? r->coupled : 0;
}

void yk_record_find_coupled(yk_record *r)
{
    for (int k = 0; k < r->coupled; k++) {
        r->coupled_at[k] = -1;
        for (int v = 0; v < r->units->variables; v++)
            if (r->units->variable[v] == r->coupled_id[k]) r->coupled_at[k] = v;
    }
}

/* Later units have no coupling variable that is new. */
static yoke_status choose_coupled(yk_record *r, yoke_err *err)
{
    const size_t count = (size_t)r->units->variables;

    YK_TRY(yk_copy_ints(&r->coupled_id, r->units->variable, count, err));
    YK_TRY(yk_ints(&r->coupled_at, count, err));
    r->coupled = r->units->variables;
    for (int k = 0; k < r->coupled; k++) r->coupled_at[k] = k;
    return YOKE_OK;
}

static yoke_status open_log(yk_record *r, bool split, yoke_err *err)
{
    static const char *const fixed[LOG_COLUMNS] = {
        "window", "sweep",    "t0",     "t1",       "change",
        "rate",   "estimate", "solved", "accepted", "predicted"
    };
    const char **name = NULL;

    YK_TRY(choose_coupled(r, err));
    r->log_split = split;
    const int extra = logged_variables(r);
    YK_TRY(yk_doubles(&r->log_row, (size_t)(LOG_COLUMNS + extra), err));
    YK_TRY(YK_NEW(&name, LOG_COLUMNS + extra, err));
    for (int k = 0; k < LOG_COLUMNS; k++) name[k] = fixed[k];
    for (int k = 0; k < extra; k++)
        name[LOG_COLUMNS + k] =
            r->log_split ? split_column[k] : r->units->variable_name[k];
    const yoke_status status =
        yk_writer_table(r->writer, "coupling", LOG_COLUMNS + extra, name, NULL,
                        &r->log_table, err);
    yk_free(name);
    return status;
}

yoke_status yk_record_room(yk_record *r, yoke_err *err)
{
    int widest = 1;

    for (int c = 0; c < r->units->plan[0].schedule->clusters; c++) {
        const yk_propagator *p = &r->units->plan[0].propagator[c];
        if (p->p > widest) widest = p->p;
        if (p->watches > widest) widest = p->watches;
    }
    yk_free(r->scratch);
    r->scratch = NULL;
    return yk_doubles(&r->scratch, (size_t)widest, err);
}

yoke_status yk_record_open(yk_record *r, bool split, yoke_err *err)
{
    YK_TRY(yk_record_room(r, err));
    r->last_row = -INFINITY;
    if (!r->options->output[0] && !r->sink) return YOKE_OK;
    YK_TRY(yk_writer_create_sink(&r->writer, r->options->output, r->sink, err));
    yk_writer_show_units(r->writer, r->options->units);
    YK_TRY(yk_writer_note(r->writer, "generator", "yoke", err));
    YK_TRY(open_result(r, err));
    YK_TRY(yk_window_open(r, err));
    return open_log(r, split, err);
}

void yk_record_free(yk_record *r)
{
    yk_texts_free(r->name, r->columns);
    YK_FREE(r->column, r->row, r->left, r->when.at, r->instant.at, r->remark,
            r->rest_text, r->scratch, r->log_row, r->coupled_id, r->coupled_at,
            r->iterate_at, r->iterate_row, r->steps_row, r->drift);
    yk_window_close(r);
    yk_shown_free(r);
}

/* ---- rows --------------------------------------------------------------- */

yoke_status yk_record_write(yk_record *r, const double *row, yoke_err *err)
{
    r->last_row = row[0];
    if (!r->writer) return YOKE_OK;
    return yk_writer_row(r->writer, r->result_table, yk_shown_row(r, row), err);
}

/* Is its value at the start known only when the first window is?  Multipliers of
 * closed parts. */
static bool is_found_later(const yk_record *r, const yk_record_column *c)
{
    return r->units->plan[0].propagator[c->unit].ops->trial != NULL;
}

static yoke_status write_first(yk_record *r, yoke_err *err)
{
    YK_TRY(yk_record_write(r, r->row, err));
    return yk_window_first(r, err);
}

yoke_status yk_record_first(yk_record *r, double t, const double *const *x,
                            const double *y, yoke_err *err)
{
    r->row[0] = t;
    for (int k = 0; k < r->columns; k++) {
        const yk_record_column *c = &r->column[k];
        r->row[k + 1] = c->is_output
                            ? y[r->units->first_out[c->node] + c->index]
                            : x[c->node][c->index];
    }
    r->next_row = 1.0;
    r->waits = false;
    for (int k = 0; k < r->columns; k++)
        r->waits = r->waits || is_found_later(r, &r->column[k]);
    return r->waits ? YOKE_OK : write_first(r, err);
}

yoke_status yk_record_now(yk_record *r, yoke_err *err)
{
    if (!r->waits) return YOKE_OK;
    r->waits = false;
    for (int k = 0; k < r->columns; k++) {
        const yk_record_column *c = &r->column[k];
        if (is_found_later(r, c)) {
            const yk_wave *w = yk_record_wave(r, c);
            r->row[k + 1] = yk_wave_coef(w, 0)[c->component];
        }
    }
    return write_first(r, err);
}

const yk_wave *yk_record_wave(const yk_record *r, const yk_record_column *c)
{
    return yk_units_wave(r->units, c->unit, c->is_output);
}

/* Values at t from the waveforms of the last window.  Columns of one unit stand
 * together, so each waveform is evaluated once. */
static void fill_values(const yk_record *r, double t, bool right, double *value)
{
    const yk_wave *last = NULL;

    for (int k = 0; k < r->columns; k++) {
        const yk_record_column *c = &r->column[k];
        const yk_wave *w = yk_record_wave(r, c);
        if (w != last && right)
            yk_wave_eval_right(w, t, NULL, r->scratch);
        else if (w != last)
            yk_wave_eval(w, t, NULL, r->scratch);
        last = w;
        value[k] = r->scratch[c->component];
    }
}

void yk_record_fill(yk_record *r, double t, bool right)
{
    r->row[0] = t;
    fill_values(r, t, right, r->row + 1);
}

void yk_record_at(const yk_record *r, double t, double *value)
{
    fill_values(r, t, false, value);
}

void yk_record_slopes(const yk_record *r, double t, double *value)
{
    const yk_wave *last = NULL;

    for (int k = 0; k < r->columns; k++) {
        const yk_record_column *c = &r->column[k];
        const yk_wave *w = yk_record_wave(r, c);
        value[k] = 0.0;
        if (yk_wave_pieces(w) < 1) continue;
        if (w != last) yk_wave_eval_dot(w, t, 1, NULL, r->scratch);
        last = w;
        value[k] = r->scratch[c->component];
    }
}

/* ---- remarks ------------------------------------------------------------- */

static bool is_noted(const yk_record *r, int node, int number)
{
    for (int i = 0; i < r->remarks; i++)
        if (r->remark[i].node == node && r->remark[i].number == number)
            return true;
    return false;
}

yoke_status yk_record_remark(yk_record *r, const yk_record_noted *noted,
                             yoke_err *err)
{
    YK_TRY(YK_GROW(&r->remark, &r->remark_room, r->remarks + 1, err));
    r->remark[r->remarks++] = *noted;
    return YOKE_OK;
}

/* A remark that is true stays so.  The memory of the subsystems is that of the
 * end of the window: what was said in sweeps that are gone is forgotten. */
yoke_status yk_record_note_remarks(yk_record *r, yoke_err *err)
{
    for (int i = 0; i < yoke_graph_count(r->graph); i++) {
        yk_record_noted n = { .node = i };
        while (yk_system_remark(yoke_graph_system(r->graph, i), n.number,
                                &n.remark)) {
            if (!isnan(n.remark.since) && !is_noted(r, i, n.number))
                YK_TRY(yk_record_remark(r, &n, err));
            n.number++;
        }
    }
    return YOKE_OK;
}

/* ---- notes --------------------------------------------------------------- */

yoke_status yk_record_write_note(yk_record *r, const char *name,
                                 const char *text, yoke_err *err)
{
    return r->writer ? yk_writer_note(r->writer, name, text, err) : YOKE_OK;
}

yoke_status yk_record_note(yk_record *r, const char *name, const char *text,
                           yoke_err *err)
{
    const size_t at = 2 * (size_t)r->notes;

    YK_TRY(YK_GROW(&r->note, &r->note_room, at + 2, err));
    YK_TRY(yk_copy_text(&r->note[at], name, err));
    r->note[at + 1] = NULL;
    r->notes++;
    YK_TRY(yk_copy_text(&r->note[at + 1], text, err));
    return yk_record_write_note(r, name, text, err);
}

/* ---- log ---------------------------------------------------------------- */

yoke_status yk_record_sweep(yk_record *r, const yoke_sweep *s, double predicted,
                            yoke_err *err)
{
    if (!r->writer) return YOKE_OK;
    const double fixed[LOG_COLUMNS] = {
        s->window,   s->sweep,  s->t0,
        s->t1,       s->change, s->rate,
        s->estimate, s->solved, s->accepted ? 1.0 : 0.0,
        predicted
    };
    memcpy(r->log_row, fixed, sizeof fixed);
    for (int k = 0; k < logged_variables(r); k++)
        r->log_row[LOG_COLUMNS + k] =
            r->log_split           ? s->variable_change[k]
            : r->coupled_at[k] < 0 ? NAN
                                   : s->variable_change[r->coupled_at[k]];
    YK_TRY(yk_writer_row(r->writer, r->log_table, r->log_row, err));
    return yk_journal_sweep(r, s, err);
}
