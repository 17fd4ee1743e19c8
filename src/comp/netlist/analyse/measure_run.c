/* comp/netlist/analyse/measure_run.c -- .measure of a netlist, `measure` of a
 * system file.
 *
 * While a run goes on, the waveforms that .measure tran needs are kept as rows
 * so close that straight lines between them are as good as the waveforms: the
 * knots of every window, and halves between them until the middle of a line
 * is off by less than a tenth of the tolerance.  What is measured therefore
 * does not depend on when results are printed.
 *
 * Of a netlist the columns of these rows are waveforms; of a system file they
 * are formulas of waveforms, computed in each row.
 */
#include "comp/netlist/system/system.h"
#include "record/record.h"

#include "base/near.h"
#include "base/tolerance.h"
#include "comp/netlist/analyse/measure.h"
#include "file/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 12, TEXT = 300 };

typedef struct outcome {
    double value;
    char text[TEXT];
} outcome;

struct yk_measures {
    int count;
    const yk_net_measure *list;
    yk_net_measure *own;    /* of a system file: the list */
    yk_file_measures *from; /* its texts and formulas; borrowed, or NULL */
    double begin;           /* .tran: results begin here */
    outcome *outcome;       /* of each .measure */
    double *result;         /* of each: its value */
    yk_net_rows rows;       /* of .tran; name[0] is "time" */
    int sources;            /* variables of the run that they are made of */
    const char **source;    /* names; of a netlist those of the columns */
    int *column;            /* of each: that of the run; -1: it has none */
    double *y;              /* of each: its value */
    bool found;             /* column is known */
    yk_record_times knot;   /* of a window */
    double *work, *right;   /* one row for each depth; a row */
};

static bool is_of(const yk_net_measure *m, const char *analysis)
{
    return strcmp(m->analysis, analysis) == 0;
}

/* ---- columns ------------------------------------------------------------- */

static yoke_status add_name(void *context, const char *name, yoke_err *err)
{
    yk_net_rows *rows = context;
    char *copy = NULL;

    for (int k = 1; k < rows->columns; k++)
        if (strcmp(rows->name[k], name) == 0) return YOKE_OK;
    YK_TRY(yk_copy_text(&copy, name, err));
    rows->name[rows->columns++] = copy;
    return YOKE_OK;
}

static yoke_status name_columns(yk_measures *m, yoke_err *err)
{
    size_t most = 1;

    for (int k = 0; k < m->count; k++)
        most += (size_t)yk_net_measure_most(&m->list[k]);
    YK_TRY(YK_NEW(&m->rows.name, most, err));
    m->rows.name[0] = "time";
    m->rows.columns = 1;
    for (int k = 0; k < m->count; k++)
        if (is_of(&m->list[k], "tran"))
            YK_TRY(
                yk_net_measure_columns(&m->list[k], add_name, &m->rows, err));
    m->sources = m->rows.columns - 1;
    m->source = m->rows.name + 1;
    return YOKE_OK;
}

/* Of a system file. */
static yoke_status name_signals(yk_measures *m, yoke_err *err)
{
    const yk_file_measures *f = m->from;

    YK_TRY(YK_NEW(&m->rows.name, f->signals + 1, err));
    m->rows.name[0] = "time";
    m->rows.columns = 1;
    for (int k = 0; k < f->signals; k++)
        YK_TRY(add_name(&m->rows, f->signal[k], err));
    m->sources = f->formula.variables;
    m->source = (const char **)f->formula.name;
    return YOKE_OK;
}

void yk_measures_free(yk_measures *m)
{
    if (!m) return;
    for (int k = 1; m->rows.name && k < m->rows.columns; k++)
        yk_free((char *)m->rows.name[k]);
    yk_net_rows_clear(&m->rows);
    for (int k = 0; m->own && k < m->count; k++) yk_free(m->own[k].expr);
    YK_FREE(m->outcome, m->result, m->column, m->knot.at, m->work, m->right,
            m->y, m->own, m);
}

/* What is the same for both kinds, after `list` is known. */
static yoke_status make_room(yk_measures *m, yoke_err *err)
{
    YK_TRY(YK_NEW(&m->outcome, m->count, err));
    YK_TRY(yk_doubles(&m->result, (size_t)m->count, err));
    for (int k = 0; k < m->count; k++) {
        const yk_net_measure *one = &m->list[k];
        outcome *o = &m->outcome[k];
        o->value = m->result[k] = NAN;
        snprintf(o->text, sizeof o->text,
                 "%.100s:%d: %smeasure %.60s has no result: there was no %s%s",
                 one->at.file ? one->at.file : "command line", one->at.line,
                 m->from ? "" : ".", one->name, m->from ? "" : ".",
                 m->from ? "run" : one->analysis);
    }
    YK_TRY(m->from ? name_signals(m, err) : name_columns(m, err));
    const size_t width = (size_t)m->rows.columns;
    YK_TRY(yk_ints(&m->column, (size_t)m->sources + 1, err));
    YK_TRY(yk_doubles(&m->y, (size_t)m->sources + 1, err));
    YK_TRY(yk_doubles(&m->work, width * (DEPTH + 2), err));
    return yk_doubles(&m->right, width, err);
}

yoke_status yk_measures_create(yk_measures **out, const yk_netlist *net,
                               double begin, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_measures *m = NULL;

    *out = NULL;
    if (net->measures == 0) return YOKE_OK;
    YK_GO(YK_NEW(&m, 1, err));
    m->begin = begin;
    m->count = net->measures;
    m->list = net->measure;
    YK_GO(make_room(m, err));
    *out = m;
    m = NULL;
done:
    yk_measures_free(m);
    return status;
}

static void free_measured(void *measured)
{
    yk_measures_free(measured);
}

/* Are the words of all understood?  Tried on two rows of zeros: whether there
 * is a result is not asked. */
static yoke_status try_words(yk_measures *m, yoke_err *err)
{
    const size_t size = 2 * (size_t)m->rows.columns;
    yk_net_rows rows = { .rows = 2,
                         .columns = m->rows.columns,
                         .name = m->rows.name };
    yoke_status status = yk_doubles(&rows.value, size, err);

    if (status == YOKE_OK) rows.value[size / 2] = 1.0;
    for (int k = 0; status == YOKE_OK && k < m->count; k++) {
        double value;
        if (m->from->at[k].derived) continue;
        status = yk_net_measure_eval(&m->list[k], &rows, NULL, &value, err);
        if (status == YOKE_E_MODEL) status = YOKE_OK;
    }
    yk_free(rows.value);
    return status;
}

/* Those of the section `measure` and of the command line. */
static yoke_status create_of_file(yoke_file *file, yoke_err *err)
{
    yk_file_measures *from = &file->measures;
    yoke_status status = YOKE_OK;
    yk_measures *m = NULL;

    YK_GO(YK_NEW(&m, 1, err));
    m->begin = -INFINITY;
    m->from = from;
    YK_GO(YK_NEW(&m->own, from->count, err));
    m->list = m->own;
    m->count = from->count;
    for (int k = 0; k < from->count; k++) {
        const yk_file_measure *f = &from->at[k];
        m->own[k] = (yk_net_measure){ .analysis = "tran",
                                      .name = f->name,
                                      .words = f->words.count,
                                      .word = (const char *const *)f->words.at,
                                      .plain = true,
                                      .at = { f->path, f->line, 0 } };
        YK_GO(YK_NEW(&m->own[k].expr, f->words.count + 1, err));
    }
    YK_GO(make_room(m, err));
    YK_GO(try_words(m, err));
    file->measured = m;
    file->free_measured = free_measured;
    m = NULL;
done:
    yk_measures_free(m);
    return status;
}

/* ---- rows of a run ------------------------------------------------------- */

/* The name of a column of the run that is most like this one. */
static yoke_status no_such_variable(const yk_record *r, const char *name,
                                    yoke_err *err)
{
    const char *near =
        yk_nearest_word(name, r->columns, (const char *const *)r->name);

    yk_fail(err, YOKE_E_ARG, "measure: no variable \"%.200s\" is recorded",
            name);
    if (near)
        yk_suffix(err, "; did you mean \"%.200s\"?", near);
    else
        yk_suffix(err, "; the option record chooses what is recorded, yoke run "
                       "lists the names");
    return YOKE_E_ARG;
}

static yoke_status find_columns(yk_measures *m, const yk_record *r,
                                yoke_err *err)
{
    for (int k = 0; k < m->sources; k++) {
        m->column[k] = -1;
        for (int c = 0; c < r->columns; c++)
            if (strcmp(r->name[c], m->source[k]) == 0) m->column[k] = c;
        if (m->column[k] < 0 && m->from)
            return no_such_variable(r, m->source[k], err);
    }
    m->found = true;
    return YOKE_OK;
}

static const yk_wave *wave_of(const yk_measures *m, const yk_record *r, int k)
{
    return m->column[k] < 0 ? NULL
                            : yk_record_wave(r, &r->column[m->column[k]]);
}

static void fill(const yk_measures *m, const yk_record *r, double t, bool right,
                 double *row)
{
    const yk_wave *last = NULL;

    row[0] = t;
    for (int k = 0; k < m->sources; k++) {
        const yk_wave *w = wave_of(m, r, k);
        m->y[k] = NAN;
        if (!w) continue;
        if (w != last && right)
            yk_wave_eval_right(w, t, NULL, r->scratch);
        else if (w != last)
            yk_wave_eval(w, t, NULL, r->scratch);
        last = w;
        m->y[k] = r->scratch[r->column[m->column[k]].component];
    }
    if (m->from) yk_formula_eval(&m->from->formula, t, m->y);
    for (int k = 1; k < m->rows.columns; k++)
        row[k] = m->from ? m->from->formula.value[m->from->root[k - 1]]
                         : m->y[k - 1];
}

static yoke_status keep(yk_measures *m, const double *row, yoke_err *err)
{
    const size_t width = (size_t)m->rows.columns;

    YK_TRY(yk_grow((void **)&m->rows.value, &m->rows.room,
                   width * ((size_t)m->rows.rows + 1), sizeof *row, err));
    memcpy(m->rows.value + width * (size_t)m->rows.rows++, row,
           width * sizeof *row);
    return YOKE_OK;
}

/* Is `middle` farther from the line a, b than a tenth of the tolerance? */
static bool bends(const yk_measures *m, const yk_record *r, const double *a,
                  const double *b, const double *middle)
{
    const yoke_iterate_options *o = &r->options->iterate;

    for (int k = 1; k < m->rows.columns; k++) {
        const double size = fmax(fabs(a[k]), fabs(b[k]));
        const double off = fabs(middle[k] - 0.5 * (a[k] + b[k]));
        if (off > 0.1 * yk_tolerance(o->atol, o->rtol, size)) return true;
    }
    return false;
}

/* Rows strictly between a and b. */
static yoke_status refine(yk_measures *m, const yk_record *r, const double *a,
                          const double *b, int depth, yoke_err *err)
{
    double *middle = m->work + (size_t)depth * (size_t)m->rows.columns;

    fill(m, r, 0.5 * (a[0] + b[0]), false, middle);
    if (!(middle[0] > a[0] && middle[0] < b[0])) return YOKE_OK;
    const bool on =
        depth + 1 < DEPTH && (depth == 0 || bends(m, r, a, b, middle));
    if (on) YK_TRY(refine(m, r, a, middle, depth + 1, err));
    YK_TRY(keep(m, middle, err));
    return on ? refine(m, r, middle, b, depth + 1, err) : YOKE_OK;
}

static yoke_status gather_knots(yk_measures *m, const yk_record *r,
                                yoke_err *err)
{
    const yk_wave *last = NULL;
    yk_record_times *t = &m->knot;
    int kept = 0;

    t->count = 0;
    for (int k = 0; k < m->sources; k++) {
        const yk_wave *w = wave_of(m, r, k);
        for (int i = 0; w && w != last && i <= yk_wave_pieces(w); i++) {
            YK_TRY(YK_GROW(&t->at, &t->room, t->count + 1, err));
            t->at[t->count++] = fmax(yk_wave_knot(w, i), m->begin);
        }
        last = w;
    }
    if (t->count > 1)
        qsort(t->at, (size_t)t->count, sizeof *t->at, yk_compare_doubles);
    for (int k = 0; k < t->count; k++)
        if (kept == 0 || t->at[k] > t->at[kept - 1]) t->at[kept++] = t->at[k];
    t->count = kept;
    return YOKE_OK;
}

/* The right side of a knot: a row of its own only if it differs. */
static yoke_status keep_right(yk_measures *m, const yk_record *r, double t,
                              yoke_err *err)
{
    const size_t width = (size_t)m->rows.columns;

    fill(m, r, t, true, m->right);
    if (m->rows.rows > 0 &&
        !yk_record_jumped(r, m->rows.columns - 1,
                          m->rows.value + width * (size_t)(m->rows.rows - 1) +
                              1,
                          m->right + 1))
        return YOKE_OK;
    return keep(m, m->right, err);
}

/* Those of the netlist, those of the file; each may be NULL. */
static void measures_of(const yoke_file *file, yk_measures *list[2])
{
    const yk_net_system *s = yk_net_system_of(file);

    list[0] = s ? s->measures : NULL;
    list[1] = file->measured;
}

/* A run that begins again comes back to where it has been. */
static bool begins_again(const yk_measures *m)
{
    const size_t last = (size_t)m->rows.columns * (size_t)(m->rows.rows - 1);

    return m->rows.rows > 0 && m->knot.count > 1 &&
           m->knot.at[1] <= m->rows.value[last];
}

static yoke_status keep_window(yk_measures *m, const yk_record *r,
                               yoke_err *err)
{
    if (!m || m->rows.columns < 2) return YOKE_OK;
    if (!m->found) YK_TRY(find_columns(m, r, err));
    YK_TRY(gather_knots(m, r, err));
    if (begins_again(m)) m->rows.rows = 0;
    double *const end = m->work + (size_t)DEPTH * (size_t)m->rows.columns;
    for (int k = 0; k + 1 < m->knot.count; k++) {
        YK_TRY(keep_right(m, r, m->knot.at[k], err));
        fill(m, r, m->knot.at[k + 1], false, end);
        YK_TRY(refine(m, r, m->right, end, 0, err));
        YK_TRY(keep(m, end, err));
    }
    return YOKE_OK;
}

yoke_status yoke_file_measure_begin(yoke_file *file, yoke_run *run,
                                    yoke_err *err)
{
    YK_POINT;
    yk_measures *list[2];

    if (file->measured) file->free_measured(file->measured);
    file->measured = NULL;
    if (file->measures.count > 0) YK_TRY(create_of_file(file, err));
    measures_of(file, list);
    for (int k = 0; k < 2; k++) {
        if (!list[k]) continue;
        list[k]->rows.rows = 0; /* of a run before */
        YK_TRY(find_columns(list[k], yk_run_record(run), err));
    }
    return YOKE_OK;
}

yoke_status yoke_file_measure_window(yoke_file *file, yoke_run *run,
                                     yoke_err *err)
{
    yk_measures *list[2];

    if (file->measures.count > 0 && !file->measured)
        YK_TRY(yoke_file_measure_begin(file, run, err));
    measures_of(file, list);
    for (int k = 0; k < 2; k++)
        YK_TRY(keep_window(list[k], yk_run_record(run), err));
    return YOKE_OK;
}

/* ---- results ------------------------------------------------------------- */

/* Columns that the run does not have cannot be asked for. */
static void drop_missing(yk_measures *m)
{
    for (int k = 1; !m->from && k < m->rows.columns; k++)
        if (m->column[k - 1] < 0) ((char *)m->rows.name[k])[0] = '?';
}

/* A formula of the measures before. */
static yoke_status derive(yk_measures *m, int which, double *value,
                          yoke_err *err)
{
    const yk_file_measure *f = &m->from->at[which];
    yk_formula *of = &m->from->at[which].of;
    double *y = NULL;

    *value = NAN;
    YK_TRY(yk_doubles(&y, (size_t)of->variables + 1, err));
    for (int v = 0; v < of->variables; v++)
        for (int k = 0; k < which; k++)
            if (strcmp(m->list[k].name, of->name[v]) == 0) y[v] = m->result[k];
    yk_formula_eval(of, 0.0, y);
    yk_free(y);
    *value = of->value[f->root];
    return YOKE_OK;
}

static yoke_status value_of(yk_measures *m, int k, const yk_net_rows *rows,
                            double *value, yoke_err *err)
{
    const yk_net_measure *one = &m->list[k];

    if (m->from && m->from->at[k].derived)
        YK_TRY(derive(m, k, value, err));
    else
        YK_TRY(yk_net_measure_eval(one, rows, m->result, value, err));
    if (isfinite(*value)) return YOKE_OK;
    *value = NAN;
    return yk_net_fail(err, YOKE_E_MODEL, one->at,
                       "%smeasure %.60s failed: its value is not a finite "
                       "number",
                       m->from ? "" : ".", one->name);
}

yoke_status yk_measures_rows(yk_measures *m, const char *analysis,
                             const struct yk_net_rows *rows, yoke_err *err)
{
    for (int k = 0; m && k < m->count; k++) {
        yoke_err why = { YOKE_OK, "" };
        outcome *o = &m->outcome[k];
        if (!is_of(&m->list[k], analysis)) continue;
        const yoke_status status = value_of(m, k, rows, &o->value, &why);
        m->result[k] = o->value;
        snprintf(o->text, sizeof o->text, "%.*s", (int)sizeof o->text - 1,
                 status == YOKE_OK ? "" : why.text);
        if (status == YOKE_E_MEMORY)
            return yk_fail(err, status, "%s", why.text);
    }
    return YOKE_OK;
}

yoke_status yoke_file_measure(yoke_file *file, yoke_err *err)
{
    YK_POINT;
    yk_measures *list[2];

    measures_of(file, list);
    for (int k = 0; k < 2; k++) {
        if (!list[k]) continue;
        if (list[k]->found) drop_missing(list[k]);
        YK_TRY(yk_measures_rows(list[k], "tran", &list[k]->rows, err));
    }
    return YOKE_OK;
}

bool yoke_file_measured(const yoke_file *file, int i, yoke_measured *out)
{
    yk_measures *list[2];

    measures_of(file, list);
    for (int k = 0; k < 2 && i >= 0; k++) {
        const yk_measures *m = list[k];
        if (!m) continue;
        if (i < m->count) {
            *out = (yoke_measured){ .analysis = m->list[i].analysis,
                                    .name = m->list[i].name,
                                    .value = m->outcome[i].value,
                                    .text = m->outcome[i].text };
            return true;
        }
        i -= m->count;
    }
    return false;
}
