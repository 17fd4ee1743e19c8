/* comp/ph/market.c -- reads a matrix in the Matrix Market format.
 *
 *     %%MatrixMarket matrix coordinate real skew-symmetric
 *     % comment
 *     3 3 2
 *     2 1  1.0
 *     3 1 -2.0
 *
 * Of a symmetric or skew-symmetric matrix the lower half is there; the other
 * follows.  `array` has all entries, column by column.
 */
#include "comp/ph/ph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1000000, MOST_ENTRIES = 50000000, MOST_FULL = 4000000 };

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry;

typedef struct text {
    const char *at, *end;
    int line;
} text;

static yoke_status refuse(const text *t, yoke_err *err, const char *why)
{
    return yk_fail(err, YOKE_E_FILE, "line %d: %s", t->line, why);
}

/* The next word of this line, or nothing. */
static size_t word(text *t)
{
    while (t->at < t->end &&
           (*t->at == ' ' || *t->at == '\t' || *t->at == '\r'))
        t->at++;
    const char *p = t->at;
    while (p < t->end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
        p++;
    return (size_t)(p - t->at);
}

static bool same(const char *a, size_t length, const char *b)
{
    if (strlen(b) != length) return false;
    for (size_t k = 0; k < length; k++) {
        const char c = a[k] >= 'A' && a[k] <= 'Z' ? (char)(a[k] + 32) : a[k];
        if (c != b[k]) return false;
    }
    return true;
}

/* One of the words, -1 for none. */
static int choose(text *t, int count, const char *const *list)
{
    const size_t length = word(t);
    int found = -1;

    for (int i = 0; i < count; i++)
        if (same(t->at, length, list[i])) found = i;
    t->at += length;
    return found;
}

/* To the first line that is no comment and not empty. */
static bool next_line(text *t)
{
    while (t->at < t->end) {
        while (t->at < t->end && *t->at != '\n') t->at++;
        if (t->at < t->end) t->at++;
        t->line++;
        if (word(t) > 0 && *t->at != '%') return true;
    }
    return false;
}

static yoke_status read_number(text *t, double *value, yoke_err *err)
{
    char copy[64];
    char *end = NULL;
    const size_t length = word(t);

    if (length == 0) return refuse(t, err, "a number is missing");
    if (length >= sizeof copy) return refuse(t, err, "a number is too long");
    memcpy(copy, t->at, length);
    copy[length] = '\0';
    *value = strtod(copy, &end);
    if (end != copy + length || strpbrk(copy, "xX"))
        return yk_fail(err, YOKE_E_FILE, "line %d: \"%s\" is not a number",
                       t->line, copy);
    if (!isfinite(*value))
        return yk_fail(err, YOKE_E_FILE,
                       "line %d: \"%s\" is not finite; every entry must be",
                       t->line, copy);
    t->at += length;
    return YOKE_OK;
}

static yoke_status read_count(text *t, const char *what, int least, int most,
                              int *value, yoke_err *err)
{
    double number = 0.0;

    YK_TRY(read_number(t, &number, err));
    if (number != floor(number) || number < least || number > most)
        return yk_fail(err, YOKE_E_FILE,
                       "line %d: %s is %g; an integer from %d to %d is "
                       "expected",
                       t->line, what, number, least, most);
    *value = (int)number;
    return YOKE_OK;
}

static yoke_status end_line(text *t, yoke_err *err)
{
    return word(t) == 0 ? YOKE_OK
                        : refuse(t, err, "there is more than expected here");
}

static yoke_status add(text *t, yk_triplets *list, symmetry kind, int i, int j,
                       double value, yoke_err *err)
{
    if (kind == SKEW && i == j)
        return value == 0.0
                   ? YOKE_OK
                   : refuse(t, err, "a skew-symmetric matrix has no diagonal");
    if (kind != GENERAL && i < j)
        return refuse(t, err,
                      "of a symmetric or skew-symmetric matrix only the lower "
                      "half is given");
    YK_TRY(yk_triplets_add(list, i, j, value, err));
    if (kind == GENERAL || i == j) return YOKE_OK;
    return yk_triplets_add(list, j, i, kind == SKEW ? -value : value, err);
}

static yoke_status read_coordinates(text *t, yk_triplets *list, symmetry kind,
                                    int rows, int cols, int entries,
                                    yoke_err *err)
{
    for (int k = 0; k < entries; k++) {
        int i = 0, j = 0;
        double value = 0.0;
        if (!next_line(t))
            return yk_fail(err, YOKE_E_FILE,
                           "line %d: the file ends after %d of %d entries",
                           t->line, k, entries);
        YK_TRY(read_count(t, "the row", 1, rows, &i, err));
        YK_TRY(read_count(t, "the column", 1, cols, &j, err));
        YK_TRY(read_number(t, &value, err));
        YK_TRY(end_line(t, err));
        YK_TRY(add(t, list, kind, i - 1, j - 1, value, err));
    }
    return YOKE_OK;
}

static yoke_status read_array(text *t, yk_triplets *list, symmetry kind,
                              int rows, int cols, yoke_err *err)
{
    for (int j = 0; j < cols; j++)
        for (int i = kind == GENERAL ? 0 : j + (kind == SKEW); i < rows; i++) {
            double value = 0.0;
            if (word(t) == 0 && !next_line(t))
                return refuse(t, err, "the file ends before the last entry");
            YK_TRY(read_number(t, &value, err));
            if (value != 0.0) YK_TRY(add(t, list, kind, i, j, value, err));
        }
    return YOKE_OK;
}

static yoke_status read_head(text *t, bool *array, symmetry *kind,
                             yoke_err *err)
{
    static const char *const first[] = { "%%matrixmarket" },
                             *const object[] = { "matrix" },
                             *const form[] = { "coordinate", "array" },
                             *const field[] = { "real", "integer", "double" },
                             *const half[] = { "general", "symmetric",
                                               "skew-symmetric" };

    if (choose(t, 1, first) < 0 || choose(t, 1, object) < 0)
        return refuse(t, err,
                      "\"%%MatrixMarket matrix ...\" is expected first");
    const int which = choose(t, 2, form);
    if (which < 0) return refuse(t, err, "the matrix is coordinate or array");
    if (choose(t, 3, field) < 0)
        return refuse(t, err, "the entries must be real or integer");
    const int turned = choose(t, 3, half);
    if (turned < 0)
        return refuse(t, err,
                      "the matrix is general, symmetric or skew-symmetric");
    *array = which == 1;
    *kind = (symmetry)turned;
    return end_line(t, err);
}

static yoke_status read_all(text *t, yk_triplets *list, int *rows, int *cols,
                            yoke_err *err)
{
    bool array = false;
    symmetry kind = GENERAL;
    int entries = 0;

    YK_TRY(read_head(t, &array, &kind, err));
    if (!next_line(t)) return refuse(t, err, "the sizes are missing");
    YK_TRY(read_count(t, "the number of rows", 1, MOST_ROWS, rows, err));
    YK_TRY(read_count(t, "the number of columns", 1, MOST_ROWS, cols, err));
    if (kind != GENERAL && *rows != *cols)
        return refuse(t, err, "a symmetric or skew-symmetric matrix is square");
    if (array) {
        if ((double)*rows * *cols > MOST_FULL)
            return refuse(t, err,
                          "an array may have 4e6 entries; use coordinate");
        YK_TRY(end_line(t, err));
        YK_TRY(read_array(t, list, kind, *rows, *cols, err));
    } else {
        YK_TRY(read_count(t, "the number of entries", 0, MOST_ENTRIES, &entries,
                          err));
        YK_TRY(end_line(t, err));
        YK_TRY(read_coordinates(t, list, kind, *rows, *cols, entries, err));
    }
    if (word(t) > 0 || next_line(t))
        return refuse(t, err, "there is more than the sizes say");
    return YOKE_OK;
}

yoke_status yk_ph_read_matrix(yoke_pattern **pattern, double **value,
                              const char *bytes, size_t length, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    text t = { bytes, bytes + length, 1 };
    yk_triplets list = { 0 };
    yk_sparse m = { NULL, NULL };
    int rows = 0, cols = 0;

    YK_GO(read_all(&t, &list, &rows, &cols, err));
    YK_GO(yk_sparse_create(&m, rows, cols, &list, err));
    *pattern = m.pattern;
    *value = m.value;
done:
    yk_triplets_clear(&list);
    return status;
}
