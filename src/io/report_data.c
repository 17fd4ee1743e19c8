/* io/report_data.c -- a result file as the JSON that the page shows.
 *
 *     {"title", "file", "program", "notes": {name: text},
 *      "absent": {table: why},
 *      "result", "coupling", "iterates", "work": {
 *          "rows", "cols", "every", "names", "units", "along": [number, ...],
 *          "data": [column, ...]},
 *      "profiles": see report_profile.c}
 *
 * `rows` and `cols` are those of the file; `along` are the columns that belong
 * to profiles.  `every` > 1 says that there is less
 * in `data`: of the result the least and the largest value of so many rows, of
 * the tables by windows one window of so many.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/entry.h"
#include "io/report.h"
#include "yoke/version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers of a table by windows that go into the page. */
enum { MOST_NUMBERS = 400000 };

enum { DIGITS = 6, ITERATE_DIGITS = 13, EXACT = 17 };

/* Which part of a table goes into the page. */
typedef struct extract {
    const yoke_table *table;
    int cols, count; /* columns, values of each */
    int every;
    int digits;
    int *row; /* of each value; NULL: least and largest of groups of rows */
    int *col; /* of each column */
    const yk_shapes *shapes; /* NULL: not the result */
    double *column;
} extract;

/* ---- least and largest --------------------------------------------------- */

/* The first and the last row stay; the rows between are divided into groups of
 * at least two. */
static int group_start(const extract *x, int group)
{
    const int groups = (x->count - 2) / 2;
    const double inner = x->table->rows - 2;

    return 1 + (int)floor(inner * group / groups);
}

/* Least and largest value in the order in which they come, at the ends of the
 * group: all columns have the same times. */
static void reduce_group(const extract *x, int col, int group, double *pair)
{
    const int from = group_start(x, group), to = group_start(x, group + 1);
    int least = -1, most = -1;

    for (int r = from; r < to; r++) {
        const double v = yk_entry(x->table, r, col);
        if (isnan(v)) continue;
        if (least < 0 || v < yk_entry(x->table, least, col)) least = r;
        if (most < 0 || v > yk_entry(x->table, most, col)) most = r;
    }
    if (col == 0) {
        least = from;
        most = to - 1;
    }
    const int first = least < most ? least : most;
    const int last = least < most ? most : least;
    pair[0] = first < 0 ? NAN : yk_entry(x->table, first, col);
    pair[1] = last < 0 ? NAN : yk_entry(x->table, last, col);
}

static void fill_column(const extract *x, int col)
{
    if (x->row) {
        for (int i = 0; i < x->count; i++)
            x->column[i] = yk_entry(x->table, x->row[i], col);
        return;
    }
    x->column[0] = yk_entry(x->table, 0, col);
    for (int g = 0; g < (x->count - 2) / 2; g++)
        reduce_group(x, col, g, &x->column[1 + 2 * g]);
    x->column[x->count - 1] = yk_entry(x->table, x->table->rows - 1, col);
}

/* ---- choice of rows ------------------------------------------------------ */

static yoke_status take_all(extract *x, yoke_err *err)
{
    x->count = x->table->rows;
    x->every = 1;
    YK_TRY(yk_ints(&x->row, (size_t)x->count, err));
    for (int i = 0; i < x->count; i++) x->row[i] = i;
    return YOKE_OK;
}

/* Where there are too many columns those of profiles are left out first; they
 * are shown elsewhere. */
static void take_columns(extract *x, int most)
{
    int all = 0, plain = 0;

    for (int j = 0; j < x->table->cols; j++) plain += !x->shapes->is_column[j];
    int room = most > plain ? most - plain : 0;
    for (int j = 0; j < x->table->cols && all < most; j++) {
        const bool along = x->shapes->is_column[j];
        if (along && room == 0) continue;
        room -= along;
        x->col[all++] = j;
    }
    x->cols = all;
}

static yoke_status take_points(extract *x, const yoke_report_options *options,
                               yoke_err *err)
{
    const int rows = x->table->rows;

    take_columns(x, options->variables + 1);
    if (rows <= options->points) return take_all(x, err);
    x->count = options->points - options->points % 2;
    x->every = (rows - 2) / ((x->count - 2) / 2);
    return YOKE_OK;
}

/* The window with the most sweeps is always there. */
static double hardest_window(const yoke_table *t, int window, int sweep)
{
    int hardest = 0;

    for (int r = 0; r < t->rows; r++)
        if (yk_entry(t, r, sweep) > yk_entry(t, hardest, sweep)) hardest = r;
    return t->rows > 0 ? yk_entry(t, hardest, window) : 0.0;
}

static yoke_status take_windows(extract *x, const char *name, yoke_err *err)
{
    const yoke_table *t = x->table;
    const int window = yoke_table_find(t, "window");
    const int sweep = yoke_table_find(t, "sweep");
    const double numbers = (double)t->rows * t->cols;

    if (window < 0 || sweep < 0)
        return yk_fail(err, YOKE_E_FILE,
                       "table \"%s\" has no columns window and sweep", name);
    YK_TRY(take_all(x, err));
    if (numbers <= MOST_NUMBERS) return YOKE_OK;
    x->every = (int)fmin(ceil(numbers / MOST_NUMBERS), t->rows);
    const double hardest = hardest_window(t, window, sweep);
    x->count = 0;
    for (int r = 0; r < t->rows; r++) {
        const double number = yk_entry(t, r, window);
        if (fmod(number - 1.0, x->every) == 0.0 || number == hardest)
            x->row[x->count++] = r;
    }
    return YOKE_OK;
}

static yoke_status choose(extract *x, const char *name,
                          const yoke_report_options *options, yoke_err *err)
{
    if (strcmp(name, "result") == 0) return take_points(x, options, err);
    if (strcmp(name, "work") == 0 || strcmp(name, "steps") == 0)
        return take_all(x, err);
    return take_windows(x, name, err);
}

/* ---- tables -------------------------------------------------------------- */

static yoke_status put_texts(yk_text *out, const char *name, const extract *x,
                             char *const *text, yoke_err *err)
{
    YK_TRY(yk_json_key(out, name, err));
    YK_TRY(yk_text_put(out, "[", err));
    for (int i = 0; i < x->cols; i++) {
        if (i > 0) YK_TRY(yk_text_put(out, ",", err));
        YK_TRY(yk_json_text(out, text[x->col[i]], err));
    }
    return yk_text_put(out, "]", err);
}

static yoke_status put_along(yk_text *out, const extract *x, yoke_err *err)
{
    char number[16];
    bool first = true;

    YK_TRY(yk_json_key(out, "along", err));
    YK_TRY(yk_text_put(out, "[", err));
    for (int i = 0; x->shapes && i < x->cols; i++) {
        if (!x->shapes->is_column[x->col[i]]) continue;
        snprintf(number, sizeof number, "%s%d", first ? "" : ",", i);
        YK_TRY(yk_text_put(out, number, err));
        first = false;
    }
    return yk_text_put(out, "]", err);
}

static bool is_time(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "t0") == 0 ||
           strcmp(name, "t1") == 0;
}

static yoke_status put_data(yk_text *out, const extract *x, yoke_err *err)
{
    YK_TRY(yk_json_key(out, "data", err));
    YK_TRY(yk_text_put(out, "[", err));
    for (int j = 0; j < x->cols; j++) {
        if (j > 0) YK_TRY(yk_text_put(out, ",\n", err));
        fill_column(x, x->col[j]);
        const bool exact = j == 0 || is_time(x->table->name[x->col[j]]);
        YK_TRY(yk_json_numbers(out, x->count, x->column,
                               exact ? EXACT : x->digits, err));
    }
    return yk_text_put(out, "]", err);
}

static yoke_status put_extract(yk_text *out, const char *name, const extract *x,
                               yoke_err *err)
{
    YK_TRY(yk_json_key(out, name, err));
    YK_TRY(yk_text_put(out, "{", err));
    YK_TRY(yk_json_int(out, "rows", x->table->rows, err));
    YK_TRY(yk_json_int(out, "cols", x->table->cols, err));
    YK_TRY(yk_json_int(out, "every", x->every, err));
    YK_TRY(put_texts(out, "names", x, x->table->name, err));
    YK_TRY(put_texts(out, "units", x, x->table->unit, err));
    YK_TRY(put_along(out, x, err));
    YK_TRY(put_data(out, x, err));
    return yk_text_put(out, "}", err);
}

static yoke_status put_table(yk_text *out, const char *name,
                             const yoke_table *table, const yk_report *report,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    extract x = { .table = table, .cols = table->cols, .digits = DIGITS };

    if (table == report->result) x.shapes = report->shapes;

    /* Differences of iterates are shown too. */
    if (strcmp(name, "iterates") == 0) x.digits = ITERATE_DIGITS;

    YK_GO(yk_ints(&x.col, (size_t)table->cols, err));
    for (int j = 0; j < table->cols; j++) x.col[j] = j;
    YK_GO(choose(&x, name, &report->options, err));
    YK_GO(yk_doubles(&x.column, (size_t)x.count, err));
    YK_GO(put_extract(out, name, &x, err));
done:
    YK_FREE(x.row, x.col, x.column);
    return status;
}

/* ---- the file ------------------------------------------------------------ */

/* A table that is not there, or is not what it should be, leaves its place to
 * the reason. */
static yoke_status put_optional(yk_text *out, yk_text *absent, const char *name,
                                const yk_report *report, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    yoke_table *table = NULL;
    const size_t before = out->length;
    yoke_status status = yoke_table_read(&table, report->path, name, &why);

    if (status == YOKE_OK) status = put_table(out, name, table, report, &why);
    yoke_table_free(table);
    if (status == YOKE_OK) return YOKE_OK;
    if (status != YOKE_E_FILE) {
        if (err) *err = why;
        return status;
    }
    out->length = before;
    return yk_json_pair(absent, name, why.text, err);
}

static yoke_status put_tables(yk_text *out, const yk_report *report,
                              yoke_err *err)
{
    static const char *const optional[] = { "coupling", "iterates", "work",
                                            "steps" };
    yoke_status status = YOKE_OK;
    yk_text absent = { NULL, 0, 0 };

    YK_GO(put_table(out, "result", report->result, report, err));
    YK_GO(yk_text_put(&absent, "{", err));
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        YK_GO(put_optional(out, &absent, optional[i], report, err));
    if (report->no_profiles)
        YK_GO(yk_json_pair(&absent, "profiles", report->no_profiles, err));
    YK_GO(yk_text_put(&absent, "}", err));
    YK_GO(yk_json_key(out, "absent", err));
    YK_GO(yk_text_add(out, absent.at, absent.length, err));
done:
    yk_text_clear(&absent);
    return status;
}

static yoke_status put_notes(yk_text *out, const yoke_notes *notes,
                             yoke_err *err)
{
    YK_TRY(yk_json_key(out, "notes", err));
    YK_TRY(yk_text_put(out, "{", err));
    for (int i = 0; i < notes->count; i++) {
        if (strcmp(notes->name[i], "profiles") == 0) continue;
        YK_TRY(yk_json_key(out, notes->name[i], err));
        YK_TRY(yk_json_text(out, notes->text[i], err));
    }
    return yk_text_put(out, "}", err);
}

yoke_status yk_report_data(yk_text *out, const yk_report *report, yoke_err *err)
{
    const char *slash = strrchr(report->path, '/');

    YK_TRY(yk_text_put(out, "{", err));
    YK_TRY(yk_json_pair(out, "title", report->options.title, err));
    YK_TRY(yk_json_pair(out, "file", slash ? slash + 1 : report->path, err));
    YK_TRY(yk_json_pair(out, "program", yoke_version(), err));
    YK_TRY(put_notes(out, report->notes, err));
    YK_TRY(put_tables(out, report, err));
    YK_TRY(yk_report_profiles(out, report->shapes, err));
    return yk_text_put(out, "}", err);
}
