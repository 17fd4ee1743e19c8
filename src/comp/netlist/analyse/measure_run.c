/* comp/netlist/analyse/measure_run.c -- .measure of a netlist.
 *
 * While a run goes on, the waveforms that .measure tran needs are kept as rows
 * so close that straight lines between them are as good as the waveforms: the
 * knots of every window, and halves between them until the middle of a line
 * is off by less than a tenth of the tolerance.  What is measured therefore
 * does not depend on when results are printed.
 */
#include "comp/netlist/system/system.h"
#include "record/record.h"

#include "base/tolerance.h"
#include "comp/netlist/analyse/measure.h"

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
    const yk_netlist *net;
    double begin;         /* .tran: results begin here */
    outcome *outcome;     /* of each .measure */
    double *result;       /* of each: its value */
    yk_net_rows rows;     /* of .tran; name[0] is "time" */
    int *column;          /* of each: that of the run; -1: it has none */
    bool found;           /* column is known */
    yk_record_times knot; /* of a window */
    double *work, *right; /* one row for each depth; a row */
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

    for (int k = 0; k < m->net->measures; k++)
        most += (size_t)yk_net_measure_most(&m->net->measure[k]);
    YK_TRY(YK_NEW(&m->rows.name, most, err));
    m->rows.name[0] = "time";
    m->rows.columns = 1;
    for (int k = 0; k < m->net->measures; k++)
        if (is_of(&m->net->measure[k], "tran"))
            YK_TRY(yk_net_measure_columns(&m->net->measure[k], add_name,
                                          &m->rows, err));
    return YOKE_OK;
}

void yk_measures_free(yk_measures *m)
{
    if (!m) return;
    for (int k = 1; m->rows.name && k < m->rows.columns; k++)
        yk_free((char *)m->rows.name[k]);
    yk_net_rows_clear(&m->rows);
    YK_FREE(m->outcome, m->result, m->column, m->knot.at, m->work, m->right, m);
}

yoke_status yk_measures_create(yk_measures **out, const yk_netlist *net,
                               double begin, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_measures *m = NULL;

    *out = NULL;
    if (net->measures == 0) return YOKE_OK;
    YK_GO(YK_NEW(&m, 1, err));
    m->net = net;
    m->begin = begin;
    YK_GO(YK_NEW(&m->outcome, net->measures, err));
    YK_GO(yk_doubles(&m->result, (size_t)net->measures, err));
    for (int k = 0; k < net->measures; k++) {
        const yk_net_measure *one = &net->measure[k];
        outcome *o = &m->outcome[k];
        o->value = m->result[k] = NAN;
        snprintf(o->text, sizeof o->text,
                 "%.100s:%d: .measure %.60s has no result: there was no .%s",
                 one->at.file, one->at.line, one->name, one->analysis);
    }
    YK_GO(name_columns(m, err));
    const size_t width = (size_t)m->rows.columns;
    YK_GO(yk_ints(&m->column, width, err));
    YK_GO(yk_doubles(&m->work, width * (DEPTH + 2), err));
    YK_GO(yk_doubles(&m->right, width, err));
    *out = m;
    m = NULL;
done:
    yk_measures_free(m);
    return status;
}

/* ---- rows of a run ------------------------------------------------------- */

static void find_columns(yk_measures *m, const yk_record *r)
{
    for (int k = 1; k < m->rows.columns; k++) {
        m->column[k] = -1;
        for (int c = 0; c < r->columns; c++)
            if (strcmp(r->name[c], m->rows.name[k]) == 0) m->column[k] = c;
    }
    m->found = true;
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
    for (int k = 1; k < m->rows.columns; k++) {
        const yk_wave *w = wave_of(m, r, k);
        row[k] = NAN;
        if (!w) continue;
        if (w != last && right)
            yk_wave_eval_right(w, t, NULL, r->scratch);
        else if (w != last)
            yk_wave_eval(w, t, NULL, r->scratch);
        last = w;
        row[k] = r->scratch[r->column[m->column[k]].component];
    }
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

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static yoke_status gather_knots(yk_measures *m, const yk_record *r,
                                yoke_err *err)
{
    const yk_wave *last = NULL;
    yk_record_times *t = &m->knot;
    int kept = 0;

    t->count = 0;
    for (int k = 1; k < m->rows.columns; k++) {
        const yk_wave *w = wave_of(m, r, k);
        for (int i = 0; w && w != last && i <= yk_wave_pieces(w); i++) {
            YK_TRY(yk_grow((void **)&t->at, &t->room, (size_t)t->count + 1,
                           sizeof *t->at, err));
            t->at[t->count++] = fmax(yk_wave_knot(w, i), m->begin);
        }
        last = w;
    }
    if (t->count > 1) qsort(t->at, (size_t)t->count, sizeof *t->at, by_time);
    for (int k = 0; k < t->count; k++)
        if (kept == 0 || t->at[k] > t->at[kept - 1]) t->at[kept++] = t->at[k];
    t->count = kept;
    return YOKE_OK;
}

/* More than what rounding and an open iteration leave. */
static bool jumped(const yk_measures *m, const yk_record *r, const double *left)
{
    const double tiny = 1e-6 * r->options->iterate.atol;

    for (int k = 1; k < m->rows.columns; k++) {
        const double size = fabs(left[k]) + fabs(m->right[k]);
        if (fabs(left[k] - m->right[k]) > 1e-9 * size + tiny) return true;
    }
    return false;
}

/* The right side of a knot: a row of its own only if it differs. */
static yoke_status keep_right(yk_measures *m, const yk_record *r, double t,
                              yoke_err *err)
{
    const size_t width = (size_t)m->rows.columns;

    fill(m, r, t, true, m->right);
    if (m->rows.rows > 0 &&
        !jumped(m, r, m->rows.value + width * (size_t)(m->rows.rows - 1)))
        return YOKE_OK;
    return keep(m, m->right, err);
}

static yk_measures *measures_of(const yoke_file *file)
{
    const yk_net_system *s = yk_net_system_of(file);

    return s ? s->measures : NULL;
}

yoke_status yoke_file_measure_window(yoke_file *file, yoke_run *run,
                                     yoke_err *err)
{
    const yk_record *r = yk_run_record(run);
    yk_measures *m = measures_of(file);

    if (!m || m->rows.columns < 2) return YOKE_OK;
    if (!m->found) find_columns(m, r);
    YK_TRY(gather_knots(m, r, err));
    double *const end = m->work + (size_t)DEPTH * (size_t)m->rows.columns;
    for (int k = 0; k + 1 < m->knot.count; k++) {
        YK_TRY(keep_right(m, r, m->knot.at[k], err));
        fill(m, r, m->knot.at[k + 1], false, end);
        YK_TRY(refine(m, r, m->right, end, 0, err));
        YK_TRY(keep(m, end, err));
    }
    return YOKE_OK;
}

/* ---- results ------------------------------------------------------------- */

/* Columns that the run does not have cannot be asked for. */
static void drop_missing(yk_measures *m)
{
    for (int k = 1; k < m->rows.columns; k++)
        if (m->column[k] < 0) ((char *)m->rows.name[k])[0] = '?';
}

yoke_status yk_measures_rows(yk_measures *m, const char *analysis,
                             const struct yk_net_rows *rows, yoke_err *err)
{
    for (int k = 0; m && k < m->net->measures; k++) {
        yoke_err why = { YOKE_OK, "" };
        outcome *o = &m->outcome[k];
        if (!is_of(&m->net->measure[k], analysis)) continue;
        const yoke_status status = yk_net_measure_eval(
            &m->net->measure[k], rows, m->result, &o->value, &why);
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
    yk_measures *m = measures_of(file);

    if (!m) return YOKE_OK;
    if (m->found) drop_missing(m);
    return yk_measures_rows(m, "tran", &m->rows, err);
}

bool yoke_file_measured(const yoke_file *file, int i, yoke_measured *out)
{
    const yk_measures *m = measures_of(file);

    if (!m || i < 0 || i >= m->net->measures) return false;
    *out = (yoke_measured){ .analysis = m->net->measure[i].analysis,
                            .name = m->net->measure[i].name,
                            .value = m->outcome[i].value,
                            .text = m->outcome[i].text };
    return true;
}
