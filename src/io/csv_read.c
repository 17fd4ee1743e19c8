/* io/csv_read.c -- reads RFC 4180 text with a header line.
 *
 * Lines end with LF, CR LF or CR; empty lines are skipped; a byte order mark
 * is skipped.  Every other field must be a number: an empty one or a word is
 * refused with its line and column, never read as zero.  Only the last column of
 * a table of yoke sweep, the messages, is passed over.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"
#include "io/text.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct reader {
    const char *file; /* for messages */
    const char *at, *end;
    long line;
    yk_text field; /* the last one read, without its quotes */
    yoke_table *table;
    size_t name_room, value_room;
    bool messages; /* a column of messages ends each row */
} reader;

/* What ends a field. */
typedef enum stop { COMMA, LINE, END } stop;

static yoke_status bad(const reader *r, const char *text, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "%s:%ld: %s", r->file, r->line, text);
}

static yoke_status bad_column(const reader *r, int column, const char *text,
                              yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "%s:%ld: column \"%.80s\": %s", r->file,
                   r->line, r->table->name[column], text);
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Steps over one line end. */
static void next_line(reader *r)
{
    if (r->end - r->at >= 2 && r->at[0] == '\r' && r->at[1] == '\n') r->at++;
    r->at++;
    r->line++;
}

static yoke_status read_quoted(reader *r, yoke_err *err)
{
    const long first = r->line;

    r->at++;
    for (;;) {
        const char *start = r->at;
        while (r->at < r->end && *r->at != '"' && *r->at != '\n') r->at++;
        if (r->at == r->end) {
            r->line = first;
            return bad(r, "the quote opened here is not closed", err);
        }
        if (*r->at == '\n') r->line++;
        /* A line feed or the first of two quotes belongs to the field. */
        const bool closes =
            *r->at == '"' && !(r->end - r->at >= 2 && r->at[1] == '"');
        const size_t length = (size_t)(r->at - start) + !closes;
        YK_TRY(yk_text_add(&r->field, start, length, err));
        r->at += *r->at == '"' && !closes ? 2 : 1;
        if (closes) return YOKE_OK;
    }
}

static yoke_status read_plain(reader *r, yoke_err *err)
{
    const char *start = r->at;

    while (r->at < r->end && *r->at != ',' && !is_line_end(*r->at)) {
        if (*r->at == '"') return bad(r, "a quote inside a field", err);
        r->at++;
    }
    return yk_text_add(&r->field, start, (size_t)(r->at - start), err);
}

static yoke_status read_field(reader *r, stop *ended, yoke_err *err)
{
    r->field.length = 0;
    if (r->at < r->end && *r->at == '"')
        YK_TRY(read_quoted(r, err));
    else
        YK_TRY(read_plain(r, err));
    YK_TRY(yk_text_add(&r->field, "", 0, err)); /* ends with a zero */

    if (r->at == r->end) {
        *ended = END;
    } else if (*r->at == ',') {
        *ended = COMMA;
        r->at++;
    } else if (is_line_end(*r->at)) {
        *ended = LINE;
    } else {
        return bad(r, "text after a closing quote", err);
    }
    return YOKE_OK;
}

/* strtod takes more than it should: a number that is too large becomes
 * infinity. */
static const char *read_number(const yk_text *field, double *out)
{
    char *end = NULL;

    *out = strtod(field->at, &end);
    if (end == field->at) return "is not a number";
    while (isspace((unsigned char)*end)) end++;
    if (end != field->at + field->length) return "is not a number";
    if (isinf(*out) && strpbrk(field->at, "0123456789")) return "is too large";
    return NULL;
}

static yoke_status read_value(reader *r, int column, yoke_err *err)
{
    yoke_table *t = r->table;
    const size_t count = (size_t)t->rows * (size_t)t->cols + (size_t)column;
    char shown[41], text[80];
    double value = 0.0;

    if (r->field.length == 0) return bad_column(r, column, "is empty", err);
    const char *defect = read_number(&r->field, &value);
    if (defect) {
        snprintf(shown, sizeof shown, "%s", r->field.at);
        for (char *p = shown; *p; p++)
            if (iscntrl((unsigned char)*p)) *p = '?';
        snprintf(text, sizeof text, "\"%s\" %s", shown, defect);
        return bad_column(r, column, text, err);
    }
    YK_TRY(YK_GROW(&t->value, &r->value_room, count + 1, err));
    t->value[count] = value;
    return YOKE_OK;
}

static void skip_empty_lines(reader *r)
{
    while (r->at < r->end && is_line_end(*r->at)) next_line(r);
}

static yoke_status read_row(reader *r, yoke_err *err)
{
    const int cols = r->table->cols;
    stop ended = COMMA;

    for (int j = 0; j < cols; j++) {
        if (ended != COMMA) return bad_column(r, j, "is missing", err);
        YK_TRY(read_field(r, &ended, err));
        YK_TRY(read_value(r, j, err));
    }
    if (r->messages && ended == COMMA) YK_TRY(read_field(r, &ended, err));
    if (ended == COMMA)
        return yk_fail(err, YOKE_E_FILE,
                       "%s:%ld: more fields than the %d of the header", r->file,
                       r->line, cols);
    if (r->table->rows == INT_MAX) return bad(r, "too many rows", err);
    r->table->rows++;
    return YOKE_OK;
}

static yoke_status read_name(reader *r, bool *numeric, yoke_err *err)
{
    yoke_table *t = r->table;
    double value = 0.0;

    if (t->cols == INT_MAX) return bad(r, "too many columns", err);
    if (read_number(&r->field, &value)) *numeric = false;
    YK_TRY(YK_GROW(&t->name, &r->name_room, t->cols + 1, err));
    YK_TRY(yk_copy_text(&t->name[t->cols], r->field.at, err));
    t->cols++;
    return YOKE_OK;
}

/* `run`, parameters and measures, `status`: as yoke sweep writes it. */
static void leave_messages(reader *r)
{
    yoke_table *t = r->table;

    r->messages = t->cols > 2 && strcmp(t->name[0], "run") == 0 &&
                  strcmp(t->name[t->cols - 1], "status") == 0;
    if (r->messages) yk_free(t->name[--t->cols]);
}

static yoke_status read_header(reader *r, yoke_err *err)
{
    bool numeric = true;
    stop ended = COMMA;

    if (r->end - r->at >= 3 && memcmp(r->at, "\xEF\xBB\xBF", 3) == 0)
        r->at += 3;
    skip_empty_lines(r);
    if (r->at == r->end) return bad(r, "no header line", err);
    while (ended == COMMA) {
        YK_TRY(read_field(r, &ended, err));
        YK_TRY(read_name(r, &numeric, err));
    }
    if (numeric)
        return bad(r, "numbers where the names of the columns should be", err);
    leave_messages(r);
    YK_TRY(YK_NEW(&r->table->unit, r->table->cols, err));
    for (int j = 0; j < r->table->cols; j++)
        YK_TRY(yk_copy_text(&r->table->unit[j], "", err));
    return YOKE_OK;
}

/* A line below the header in which no field is a number, and not all are empty,
 * has the units; *is_there tells.  Otherwise nothing was read. */
static yoke_status read_units(reader *r, bool *is_there, yoke_err *err)
{
    const reader before = *r;
    yoke_table *t = r->table;
    int words = 0;
    stop ended = COMMA;

    *is_there = false;
    for (int j = 0; j < t->cols && ended == COMMA; j++) {
        double value = 0.0;
        YK_TRY(read_field(r, &ended, err));
        if (strlen(r->field.at) != r->field.length ||
            (r->field.length > 0 && !read_number(&r->field, &value)))
            break;
        words += r->field.length > 0;
        *is_there = j + 1 == t->cols && ended != COMMA && words > 0;
    }
    r->at = before.at;
    r->line = before.line;
    return YOKE_OK;
}

static yoke_status take_units(reader *r, yoke_err *err)
{
    stop ended = COMMA;

    for (int j = 0; ended == COMMA; j++) {
        char *copy = NULL;
        YK_TRY(read_field(r, &ended, err));
        YK_TRY(yk_copy_text(&copy, r->field.at, err));
        yk_free(r->table->unit[j]);
        r->table->unit[j] = copy;
    }
    return YOKE_OK;
}

static yoke_status read_text(reader *r, yoke_err *err)
{
    bool units = false;

    YK_TRY(read_header(r, err));
    skip_empty_lines(r);
    if (r->at < r->end) YK_TRY(read_units(r, &units, err));
    if (units) YK_TRY(take_units(r, err));
    for (;;) {
        skip_empty_lines(r);
        if (r->at == r->end) break;
        YK_TRY(read_row(r, err));
    }
    return YOKE_OK;
}

yoke_status yk_csv_parse(yoke_table *out, const char *file, const char *text,
                         size_t length, yoke_err *err)
{
    reader r = { .file = file, .at = text, .line = 1, .table = out };
    YK_POINT;

    r.end = text + length;
    const yoke_status status = read_text(&r, err);
    yk_text_clear(&r.field);
    return status;
}

static size_t count_commas(const char *at, const char *end)
{
    size_t count = 0;

    for (; at < end && *at != '\n'; at++) count += *at == ',';
    return count;
}

/* The length without a last row that was not written to its end: without a line
 * end, and with fewer fields than the header.  A process that was killed leaves
 * such a row behind. */
static size_t whole_rows(const char *text, size_t length)
{
    size_t line = length; /* begin of the last one */

    while (line > 0 && text[line - 1] != '\n') line--;
    if (line == 0 || line == length || memchr(text, '"', length)) return length;
    return text[length - 1] == ',' || count_commas(text + line, text + length) <
                                          count_commas(text, text + length)
               ? line
               : length;
}

yoke_status yk_csv_read(yoke_table *out, const char *path, const char *table,
                        yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_text text = { NULL, 0, 0 };
    char *file = NULL;

    YK_GO(yk_csv_path(&file, path, table, err));
    YK_GO(yk_text_load(&text, file, err));
    YK_GO(yk_csv_parse(out, file, text.at, whole_rows(text.at, text.length),
                       err));

done:
    yk_text_clear(&text);
    yk_free(file);
    return status;
}

/* ---- Notes --------------------------------------------------------------- */

/* Reads a field that must be `word`, and what ended it. */
static yoke_status read_word(reader *r, const char *word, stop *ended,
                             bool *fits, yoke_err *err)
{
    if (!*fits) return YOKE_OK;
    YK_TRY(read_field(r, ended, err));
    *fits = strcmp(r->field.at, word) == 0;
    return YOKE_OK;
}

static yoke_status read_note(reader *r, yk_note_list *list, yoke_err *err)
{
    stop ended = END;
    char *name = NULL;

    YK_TRY(read_field(r, &ended, err));
    if (ended != COMMA) return bad(r, "a note without a text", err);
    YK_TRY(yk_copy_text(&name, r->field.at, err));
    yoke_status status = read_field(r, &ended, err);
    if (status == YOKE_OK && ended == COMMA)
        status = bad(r, "more fields than the 2 of the header", err);
    if (status == YOKE_OK) status = yk_note_add(list, name, r->field.at, err);
    yk_free(name);
    return status;
}

static yoke_status read_notes(reader *r, yk_note_list *list, yoke_err *err)
{
    stop ended = END;
    bool ours = true;

    YK_TRY(read_word(r, "note", &ended, &ours, err));
    ours = ours && ended == COMMA;
    YK_TRY(read_word(r, "text", &ended, &ours, err));
    if (!ours || ended == COMMA) return YOKE_OK;
    for (;;) {
        skip_empty_lines(r);
        if (r->at == r->end) return YOKE_OK;
        YK_TRY(read_note(r, list, err));
    }
}

yoke_status yk_csv_parse_notes(yoke_notes *out, const char *file,
                               const char *text, size_t length, yoke_err *err)
{
    reader r = { .file = file, .at = text, .line = 1 };
    yk_note_list list = { out, 0, 0 };

    r.end = text + length;
    const yoke_status status = read_notes(&r, &list, err);
    yk_text_clear(&r.field);
    return status;
}

yoke_status yk_csv_notes(yoke_notes *out, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_text text = { NULL, 0, 0 };
    char *file = NULL;

    YK_GO(yk_csv_path(&file, path, "notes", err));
    if (access(file, F_OK) != 0) goto done;
    YK_GO(yk_text_load(&text, file, err));
    YK_GO(yk_csv_parse_notes(out, file, text.at, text.length, err));

done:
    yk_text_clear(&text);
    yk_free(file);
    return status;
}
