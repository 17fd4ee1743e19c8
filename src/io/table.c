/* io/table.c -- tables in memory: read, search, compare. */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"

#include "base/texts.h"
#include "io/entry.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

void yk_table_clear(yoke_table *table)
{
    yk_texts_free(table->name, table->cols);
    yk_texts_free(table->unit, table->cols);
    yk_free(table->value);
    *table = (yoke_table){ 0, 0, NULL, NULL, NULL };
}

static yoke_status set_unit(yoke_table *t, int column, const char *unit,
                            size_t length, yoke_err *err)
{
    char *copy = NULL;

    YK_TRY(yk_print(&copy, err, "%.*s", (int)length, unit));
    yk_free(t->unit[column]);
    t->unit[column] = copy;
    return YOKE_OK;
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && !name[length];
}

/* The note "units" has lines of column and unit, in the order of the columns. */
static yoke_status take_units(yoke_table *t, const char *text, yoke_err *err)
{
    int column = 1;

    while (*text) {
        const size_t name = strcspn(text, "\t\n");
        const char *unit = text + name + (text[name] == '\t');
        const size_t length = strcspn(unit, "\n");
        int c = column;
        while (c < t->cols && !is_named(t->name[c], text, name)) c++;
        if (c < t->cols && text[name] == '\t') {
            YK_TRY(set_unit(t, c, unit, length, err));
            column = c + 1;
        }
        text = unit + length + (unit[length] == '\n');
    }
    return YOKE_OK;
}

/* Notes that cannot be read are no reason to refuse the table. */
static yoke_status find_units(yoke_table *t, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_notes *notes = NULL;

    for (int c = 0; c < t->cols; c++)
        if (t->unit[c] && t->unit[c][0]) return YOKE_OK;
    status = yoke_notes_read(&notes, path, err);
    if (status != YOKE_OK) return status == YOKE_E_MEMORY ? status : YOKE_OK;
    const char *text = yoke_notes_find(notes, "units");
    const bool ours = yoke_notes_find(notes, "generator") != NULL;
    if (text) status = take_units(t, text, err);
    if (status == YOKE_OK && (text || ours) && t->cols > 0 &&
        strcmp(t->name[0], "time") == 0)
        status = set_unit(t, 0, "s", 1, err);
    yoke_notes_free(notes);
    return status;
}

yoke_status yoke_table_read(yoke_table **out, const char *path,
                            const char *table, yoke_err *err)
{
    const yk_format *format = yk_format_find(path);
    yoke_table *t = NULL;

    if (!format) format = &yk_format_csv; /* any text may be a table */
    YK_TRY(YK_NEW(&t, 1, err));
    yoke_status status = format->read(t, path, table ? table : "result", err);
    if (status == YOKE_OK && format == &yk_format_csv &&
        (!table || strcmp(table, "result") == 0))
        status = find_units(t, path, err);
    if (status != YOKE_OK) {
        yoke_table_free(t);
        if (!yk_format_find(path) && access(path, F_OK) == 0)
            yk_suffix(err, "; results end in .csv, .h5 or .raw: of a system, "
                           "yoke run makes one");
        return status;
    }
    *out = t;
    return YOKE_OK;
}

void yoke_table_free(yoke_table *table)
{
    if (!table) return;
    yk_table_clear(table);
    yk_free(table);
}

yoke_status yoke_notes_read(yoke_notes **out, const char *path, yoke_err *err)
{
    const yk_format *format = yk_format_find(path);
    yoke_notes *notes = NULL;

    if (!format) format = &yk_format_csv;
    YK_TRY(YK_NEW(&notes, 1, err));
    const yoke_status status = format->notes(notes, path, err);
    if (status != YOKE_OK) {
        yoke_notes_free(notes);
        return status;
    }
    *out = notes;
    return YOKE_OK;
}

void yk_notes_clear(yoke_notes *notes)
{
    yk_texts_free(notes->name, notes->count);
    yk_texts_free(notes->text, notes->count);
    *notes = (yoke_notes){ 0, NULL, NULL };
}

void yoke_notes_free(yoke_notes *notes)
{
    if (!notes) return;
    yk_notes_clear(notes);
    yk_free(notes);
}

static yoke_status replace_note(yoke_notes *n, int k, const char *text,
                                yoke_err *err)
{
    char *copy = NULL;

    YK_TRY(yk_copy_text(&copy, text, err));
    yk_free(n->text[k]);
    n->text[k] = copy;
    return YOKE_OK;
}

yoke_status yk_note_add(yk_note_list *list, const char *name, const char *text,
                        yoke_err *err)
{
    yoke_notes *n = list->notes;
    const size_t need = (size_t)n->count + 1;

    for (int k = 0; k < n->count; k++)
        if (strcmp(n->name[k], name) == 0) return replace_note(n, k, text, err);
    YK_TRY(YK_GROW(&n->name, &list->name_room, need, err));
    YK_TRY(YK_GROW(&n->text, &list->text_room, need, err));
    n->name[n->count] = n->text[n->count] = NULL;
    n->count++;
    YK_TRY(yk_copy_text(&n->name[n->count - 1], name, err));
    return yk_copy_text(&n->text[n->count - 1], text, err);
}

const char *yoke_notes_find(const yoke_notes *notes, const char *name)
{
    const int at =
        yk_texts_find((const char *const *)notes->name, notes->count, name);

    return at < 0 ? NULL : notes->text[at];
}

int yoke_table_find(const yoke_table *table, const char *name)
{
    return yk_texts_find((const char *const *)table->name, table->cols, name);
}

/* ---- Comparison ---------------------------------------------------------- */

static yoke_status check_times(const yoke_table *t, const char *which,
                               yoke_err *err)
{
    if (t->rows < 1)
        return yk_fail(err, YOKE_E_ARG, "the %s table has no rows", which);
    for (int i = 0; i < t->rows; i++) {
        if (isnan(yk_entry(t, i, 0)))
            return yk_fail(err, YOKE_E_ARG,
                           "the %s table has no time in row %d", which, i + 1);
        if (i > 0 && yk_entry(t, i, 0) < yk_entry(t, i - 1, 0))
            return yk_fail(err, YOKE_E_ARG,
                           "the time of the %s table goes back in row %d",
                           which, i + 1);
    }
    return YOKE_OK;
}

static yoke_status find_column(const yoke_table *t, const char *which,
                               const char *name, int *out, yoke_err *err)
{
    *out = yoke_table_find(t, name);
    if (*out >= 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG, "the %s table has no column \"%s\"", which,
                   name);
}

/* Column `col` at time s, row i being the first with time(i) >= s. */
static double interpolate(const yoke_table *t, int i, int col, double s)
{
    return i == 0 || yk_entry(t, i, 0) == s ? yk_entry(t, i, col)
                                            : yk_between_rows(t, i, col, s);
}

/* The last row at the time of row i: two rows at one time are a jump, and the
 * last is its right side. */
static int right_side(const yoke_table *t, int i)
{
    while (i + 1 < t->rows && yk_entry(t, i + 1, 0) == yk_entry(t, i, 0)) i++;
    return i;
}

typedef struct sums {
    int count;
    double squares, largest; /* of the differences, of |a| */
} sums;

static void add_difference(double va, double vb, double s, sums *sum,
                           yoke_difference *out)
{
    const double d = fabs(va - vb);

    sum->count++;
    sum->squares += d * d;
    sum->largest = fmax(sum->largest, fabs(va));
    if (isnan(out->max_abs) || d <= out->max_abs) return;
    out->max_abs = d; /* also if d is not a number: that must be seen */
    out->at_time = s;
}

static void sum_differences(const yoke_table *a, const yoke_table *b, int ja,
                            int jb, sums *sum, yoke_difference *out)
{
    int k = 0;

    for (int i = 0; i < a->rows; i++) {
        const double s = yk_entry(a, i, 0);
        while (k < b->rows && yk_entry(b, k, 0) < s) k++;
        if (k == b->rows) break;
        if (s < yk_entry(b, 0, 0)) continue;
        const bool again = i > 0 && yk_entry(a, i - 1, 0) == s;
        const bool hit = yk_entry(b, k, 0) == s;
        const int row = again && hit ? right_side(b, k) : k;
        if (sum->count == 0) out->at_time = s;
        add_difference(yk_entry(a, i, ja), interpolate(b, row, jb, s), s, sum,
                       out);
    }
}

yoke_status yoke_table_compare(const yoke_table *a, const yoke_table *b,
                               const char *name, yoke_difference *out,
                               yoke_err *err)
{
    yoke_difference d = { 0.0, 0.0, 0.0, 0.0 };
    sums sum = { 0, 0.0, 0.0 };
    int ja = 0, jb = 0;

    YK_TRY(find_column(a, "first", name, &ja, err));
    YK_TRY(find_column(b, "second", name, &jb, err));
    YK_TRY(check_times(a, "first", err));
    YK_TRY(check_times(b, "second", err));
    sum_differences(a, b, ja, jb, &sum, &d);
    if (sum.count == 0)
        return yk_fail(err, YOKE_E_ARG,
                       "no time of the first table, [%g, %g], is in the "
                       "interval of the second, [%g, %g]",
                       yk_entry(a, 0, 0), yk_entry(a, a->rows - 1, 0),
                       yk_entry(b, 0, 0), yk_entry(b, b->rows - 1, 0));
    d.rms = sqrt(sum.squares / sum.count);
    if (d.max_abs != 0.0) d.max_rel = d.max_abs / sum.largest;
    *out = d;
    return YOKE_OK;
}
