/* io/raw.c -- ngspice raw files: one table, binary.
 *
 *     Title: ...
 *     Plotname: Transient Analysis
 *     Flags: real
 *     No. Variables: 3
 *     No. Points: 501
 *     Variables:
 *             0       time    time
 *             1       v(out)  voltage
 *             2       i(v1)   current
 *     Binary:
 *     (rows of doubles in the order of the machine)
 *
 * Columns that come in pairs re(x), im(x) behind the first are one complex
 * variable.  Only the table "result" has a place; the count of points is kept
 * right after every block, so that the file can be read at any time.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/transfer.h"
#include "io/format.h"
#include "io/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { COUNT_WIDTH = 12 };

typedef struct raw {
    char *path;
    int descriptor, tables, result; /* result: number of its table, or -1 */
    bool is_complex;
    int cols;
    long long rows;
    off_t count_at;
    yk_written written; /* the count of points changes, so of the rows only */
    yk_text text;
} raw;

static yoke_status cannot(const raw *file, yoke_err *err)
{
    return yk_cannot_write(file->path, errno, err);
}

static void raw_free(raw *file)
{
    if (file->descriptor >= 0) close(file->descriptor);
    yk_text_clear(&file->text);
    YK_FREE(file->path, file);
}

static yoke_status raw_create(void **out, const char *path, yoke_err *err)
{
    raw *file = NULL;
    yoke_status status = YOKE_OK;

    YK_TRY(YK_NEW(&file, 1, err));
    file->descriptor = file->result = -1;
    YK_GO(yk_copy_text(&file->path, path, err));
    file->descriptor =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0) YK_GO(cannot(file, err));
    *out = file;
    return YOKE_OK;
done:
    raw_free(file);
    return status;
}

static yoke_status put(raw *file, const void *bytes, size_t length,
                       yoke_err *err)
{
    size_t done = 0;

    errno = yk_write_bytes(file->descriptor, bytes, length, file->written.size,
                           &done);
    yk_written_add(&file->written, bytes, done);
    return done == length ? YOKE_OK : cannot(file, err);
}

/* ---- header -------------------------------------------------------------- */

/* What the format has no word for is no voltage. */
static const char *type_of(const char *name, const char *unit)
{
    if (unit && strcmp(unit, "V") == 0) return "voltage";
    if (unit && strcmp(unit, "A") == 0) return "current";
    if (unit && strcmp(unit, "W") == 0) return "power";
    if (strcmp(name, "time") == 0) return "time";
    if (strcmp(name, "frequency") == 0) return "frequency";
    if (strcmp(name, "temp-sweep") == 0) return "temp-sweep";
    if (strcmp(name, "i-sweep") == 0) return "current";
    if (unit && unit[0]) return "notype";
    if (strncmp(name, "re(", 3) == 0) name += 3;
    if (strncmp(name, "i(", 2) == 0) return "current";
    return strncmp(name, "v(", 2) == 0 || strcmp(name, "v-sweep") == 0
               ? "voltage"
               : "notype";
}

static bool is_pair(const char *re, const char *im)
{
    return strncmp(re, "re(", 3) == 0 && strncmp(im, "im(", 3) == 0 &&
           strcmp(re + 3, im + 3) == 0;
}

static bool are_pairs(int cols, const char *const *name)
{
    if (cols < 3 || cols % 2 == 0) return false;
    for (int k = 1; k < cols; k += 2)
        if (!is_pair(name[k], name[k + 1])) return false;
    return true;
}

static const char *plot_of(const char *first)
{
    return strcmp(first, "time") == 0        ? "Transient Analysis"
           : strcmp(first, "frequency") == 0 ? "AC Analysis"
           : strcmp(first, "point") == 0     ? "Operating Point"
                                             : "DC transfer characteristic";
}

static yoke_status header(raw *file, const char *const *name,
                          const char *const *unit, yoke_err *err)
{
    yk_text *t = &file->text;
    const int step = file->is_complex ? 2 : 1;
    const int variables = file->is_complex ? (file->cols + 1) / 2 : file->cols;
    char line[80];

    t->length = 0;
    YK_TRY(yk_text_put(t, "Title: Yoke\nPlotname: ", err));
    YK_TRY(yk_text_put(t, plot_of(name[0]), err));
    snprintf(line, sizeof line, "\nFlags: %s\nNo. Variables: %d\nNo. Points: ",
             file->is_complex ? "complex" : "real", variables);
    YK_TRY(yk_text_put(t, line, err));
    file->count_at = (off_t)t->length;
    snprintf(line, sizeof line, "%-*d\nVariables:\n", COUNT_WIDTH, 0);
    YK_TRY(yk_text_put(t, line, err));
    for (int v = 0; v < variables; v++) {
        const int column = v == 0 ? 0 : (v - 1) * step + 1;
        const char *text = name[column];
        const size_t skip = file->is_complex && v ? 3 : 0;
        snprintf(line, sizeof line, "\t%d\t", v);
        YK_TRY(yk_text_put(t, line, err));
        YK_TRY(
            yk_text_add(t, text + skip, strlen(text) - skip - (skip > 0), err));
        snprintf(line, sizeof line, "\t%s\n",
                 type_of(text, unit ? unit[column] : NULL));
        YK_TRY(yk_text_put(t, line, err));
    }
    YK_TRY(yk_text_put(t, "Binary:\n", err));
    YK_TRY(put(file, t->at, t->length, err));
    file->written.from = file->written.size;
    file->written.sum = 0;
    return YOKE_OK;
}

static yoke_status raw_table(void *self, const char *table, int cols, int block,
                             const char *const *name, const char *const *unit,
                             yoke_err *err)
{
    raw *file = self;

    (void)block;
    if (strcmp(table, "result") != 0) {
        file->tables++;
        return YOKE_OK;
    }
    file->result = file->tables++;
    file->cols = cols;
    file->is_complex = are_pairs(cols, name);
    return header(file, name, unit, err);
}

/* ---- rows ---------------------------------------------------------------- */

static yoke_status write_count(raw *file, yoke_err *err)
{
    char text[COUNT_WIDTH + 1];

    snprintf(text, sizeof text, "%-*lld", COUNT_WIDTH, file->rows);
    if (pwrite(file->descriptor, text, COUNT_WIDTH, file->count_at) !=
        COUNT_WIDTH)
        return cannot(file, err);
    return YOKE_OK;
}

/* The first column of a complex table has the imaginary part zero. */
static yoke_status put_complex(raw *file, int rows, const double *value,
                               yoke_err *err)
{
    const double zero = 0.0;
    yk_text *t = &file->text;

    t->length = 0;
    for (int i = 0; i < rows; i++, value += file->cols) {
        YK_TRY(yk_text_add(t, (const char *)value, sizeof *value, err));
        YK_TRY(yk_text_add(t, (const char *)&zero, sizeof zero, err));
        YK_TRY(yk_text_add(t, (const char *)(value + 1),
                           (size_t)(file->cols - 1) * sizeof *value, err));
    }
    return put(file, t->at, t->length, err);
}

static yoke_status raw_rows(void *self, int id, int rows, const double *value,
                            yoke_err *err)
{
    raw *file = self;

    if (id != file->result) return YOKE_OK;
    if (file->is_complex)
        YK_TRY(put_complex(file, rows, value, err));
    else
        YK_TRY(put(file, value,
                   (size_t)rows * (size_t)file->cols * sizeof *value, err));
    file->rows += rows;
    return write_count(file, err);
}

static yoke_status raw_flush(void *self, yoke_err *err)
{
    (void)self, (void)err;
    return YOKE_OK;
}

static yoke_status raw_close(void *self, yoke_err *err)
{
    raw *file = self;
    yoke_status status = YOKE_OK;
    const int descriptor = file->descriptor;

    file->descriptor = -1;
    if (close(descriptor) != 0 && errno != EINTR) status = cannot(file, err);
    raw_free(file);
    return status;
}

static yoke_status raw_note(void *self, const char *name, const char *text,
                            yoke_err *err)
{
    (void)self, (void)name, (void)text, (void)err;
    return YOKE_OK;
}

static yoke_status raw_notes(yoke_notes *out, const char *path, yoke_err *err)
{
    (void)out, (void)path, (void)err;
    return YOKE_OK;
}

static yoke_status raw_sync(void *self, yoke_err *err)
{
    const raw *file = self;

    return yk_file_sync(file->descriptor, file->path, err);
}

static yoke_status raw_reopen(void *self, yoke_err *err)
{
    raw *file = self;

    file->descriptor = -1;
    return yk_written_reopen(&file->descriptor, file->path, &file->written,
                             err);
}

static yoke_status raw_cut(void *self, yoke_err *err)
{
    raw *file = self;

    YK_TRY(yk_written_cut(file->descriptor, file->path, &file->written, err));
    return file->result >= 0 ? write_count(file, err) : YOKE_OK;
}

static const yk_format_again again = { raw_sync, raw_reopen, raw_cut };

const yk_format yk_format_raw = {
    .extension = ".raw",
    .create = raw_create,
    .table = raw_table,
    .note = raw_note,
    .rows = raw_rows,
    .flush = raw_flush,
    .close = raw_close,
    .read = yk_raw_read,
    .notes = raw_notes,
    .again = &again,
};
