/* io/writer.c -- collects rows and gives them to file formats in blocks.
 *
 * A writer may have several files; all get the same tables, notes and rows.
 * After the first failure of a file nothing more is written to it: rows that
 * follow a gap would be wrong.  The others get the rows that were given before
 * the failure.  Every later call repeats that failure.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"
#include "io/text.h"

#include "io/writer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A block has about this many numbers: 64 KiB. */
enum { BLOCK_NUMBERS = 8192, BLOCK_ROWS = 1024 };

typedef struct table {
    char *name;
    int cols, rows, room; /* rows waiting in `value` */
    double *value;
} table;

typedef struct target {
    const yk_format *format;
    void *file;
    bool failed;
} target;

/* A file that only this run writes to. */
typedef struct held {
    char *path;
    int lock; /* see yk_file_lock */
} held;

struct yk_writer {
    int targets;
    target *target;
    int helds;
    held *held;
    table *table;
    size_t tables, table_room;
    yoke_err failure;
    bool show_units; /* in CSV files */
};

int yk_stream(const char *path)
{
    static const char folder[] = "/dev/fd/";
    const char *number = path + sizeof folder - 1;

    if (strncmp(path, folder, sizeof folder - 1) != 0 || !number[0] ||
        strlen(number) > 6 || strspn(number, "0123456789") != strlen(number))
        return -1;
    return atoi(number);
}

const char *yk_path_text(const char *path)
{
    return yk_stream(path) >= 0 ? "standard output" : path;
}

const yk_format *yk_format_find(const char *path)
{
    static const yk_format *const formats[] = { &yk_format_csv, &yk_format_hdf5,
                                                &yk_format_raw };
    const size_t length = strlen(path);

    if (yk_stream(path) >= 0) return &yk_format_csv;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const size_t tail = strlen(formats[i]->extension);
        if (length > tail && path[length - tail - 1] != '/' &&
            strcmp(path + length - tail, formats[i]->extension) == 0)
            return formats[i];
    }
    return NULL;
}

static yoke_status repeat_failure(const yk_writer *writer, yoke_err *err)
{
    if (err) *err = writer->failure;
    return writer->failure.status;
}

/* Keeps the first failure of a file for the calls to come. */
static void settle(yk_writer *writer, target *file, yoke_status status,
                   const yoke_err *why)
{
    if (status == YOKE_OK) return;
    file->failed = true;
    if (writer->failure.status != YOKE_OK) return;
    writer->failure = *why;
    writer->failure.status = status;
}

static void write_block(yk_writer *writer, int id)
{
    table *t = &writer->table[id];

    for (int k = 0; t->rows > 0 && k < writer->targets; k++) {
        target *f = &writer->target[k];
        yoke_err why = { YOKE_OK, "" };
        if (f->failed) continue;
        settle(writer, f, f->format->rows(f->file, id, t->rows, t->value, &why),
               &why);
    }
    t->rows = 0;
}

static yoke_status write_all(yk_writer *writer, yoke_err *err)
{
    for (size_t i = 0; i < writer->tables; i++) write_block(writer, (int)i);
    for (int k = 0; k < writer->targets; k++) {
        target *f = &writer->target[k];
        yoke_err why = { YOKE_OK, "" };
        if (!f->failed)
            settle(writer, f, f->format->flush(f->file, &why), &why);
    }
    return writer->failure.status == YOKE_OK ? YOKE_OK
                                             : repeat_failure(writer, err);
}

/* A table's name becomes part of a file name. */
static yoke_status check_table(const yk_writer *writer, const char *name,
                               int cols, const char *const *column,
                               yoke_err *err)
{
    bool plain = name && name[0];

    for (const char *p = name; plain && *p; p++)
        plain = isalnum((unsigned char)*p) || *p == '_' || *p == '-';
    if (!plain)
        return yk_fail(err, YOKE_E_ARG,
                       "table \"%s\": a name has letters, digits, _ and -",
                       name ? name : "");
    if (strcmp(name, "notes") == 0)
        return yk_fail(err, YOKE_E_ARG,
                       "no table is called \"notes\": the notes are");
    for (size_t i = 0; i < writer->tables; i++)
        if (strcmp(writer->table[i].name, name) == 0)
            return yk_fail(err, YOKE_E_ARG, "there is a table \"%s\" already",
                           name);
    if (cols < 1)
        return yk_fail(err, YOKE_E_ARG, "table \"%s\" has %d columns", name,
                       cols);
    for (int i = 0; i < cols; i++)
        if (!column[i] || !column[i][0])
            return yk_fail(err, YOKE_E_ARG,
                           "table \"%s\": column %d has no name", name, i);
    return YOKE_OK;
}

static int block_rows(int cols)
{
    const int rows = BLOCK_NUMBERS / cols;
    if (rows > BLOCK_ROWS) return BLOCK_ROWS;
    return rows > 1 ? rows : 1;
}

static void table_clear(table *t)
{
    YK_FREE(t->name, t->value);
}

static void writer_free(yk_writer *writer)
{
    for (size_t i = 0; i < writer->tables; i++) table_clear(&writer->table[i]);
    for (int i = 0; i < writer->helds; i++) {
        yk_file_unlock(writer->held[i].lock);
        yk_free(writer->held[i].path);
    }
    YK_FREE(writer->table, writer->target, writer->held, writer);
}

/* ---- Several files ------------------------------------------------------ */

/* Tables of name.csv go to name.TABLE.csv. */
static bool is_beside(const char *path, const char *other)
{
    const size_t length = strlen(path), tail = strlen(".csv");

    return yk_stream(path) < 0 && yk_stream(other) < 0 &&
           yk_format_find(path) == &yk_format_csv &&
           yk_format_find(other) == &yk_format_csv &&
           strncmp(path, other, length - tail + 1) == 0 &&
           strlen(other) > length;
}

static yoke_status cannot_write(const char *path, int code, yoke_err *err)
{
    return yk_cannot_write(yk_path_text(path), code, err);
}

/* Opens for writing and changes nothing, but for a new file being there.  What
 * is no regular file is not opened: a pipe would end. */
static yoke_status probe(const char *path, bool *is_new, struct stat *about,
                         yoke_err *err)
{
    const bool is_there = stat(path, about) == 0;

    if (is_there && S_ISDIR(about->st_mode))
        return cannot_write(path, EISDIR, err);
    if (is_there && !S_ISREG(about->st_mode))
        return access(path, W_OK) == 0 ? YOKE_OK
                                       : cannot_write(path, errno, err);
    const int file = open(
        path, O_WRONLY | O_CLOEXEC | (is_there ? 0 : O_CREAT | O_EXCL), 0666);
    if (file < 0) return cannot_write(path, errno, err);
    *is_new = !is_there;
    const int code = fstat(file, about) == 0 ? 0 : errno;
    close(file);
    return code ? cannot_write(path, code, err) : YOKE_OK;
}

static yoke_status check_pair(const char *a, const struct stat *about_a,
                              const char *b, const struct stat *about_b,
                              yoke_err *err)
{
    if (about_a->st_dev != about_b->st_dev ||
        about_a->st_ino != about_b->st_ino)
        return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "%.400s and %.400s are the same file; name it once", a, b);
}

static yoke_status check_names(const char *a, const char *b, yoke_err *err)
{
    if (!is_beside(a, b) && !is_beside(b, a)) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "%.400s: the tables of %.400s go to files of such "
                   "names; choose another name",
                   is_beside(a, b) ? b : a, is_beside(a, b) ? a : b);
}

/* Files that were opened, by their paths and what the system says of them. */
typedef struct opened {
    int count;
    char **path;
    struct stat *about;
} opened;

static void opened_clear(opened *list)
{
    for (int i = 0; i < list->count; i++) yk_free(list->path[i]);
    YK_FREE(list->path, list->about);
}

/* Probes one more, takes its path.  What was not there cannot be any of those
 * before. */
static yoke_status probe_next(opened *list, char *path, bool *is_new,
                              yoke_err *err)
{
    const int k = list->count;

    list->path[list->count++] = path;
    YK_TRY(probe(path, is_new, &list->about[k], err));
    for (int i = 0; i < k && !*is_new; i++)
        YK_TRY(check_pair(list->path[i], &list->about[i], path, &list->about[k],
                          err));
    return YOKE_OK;
}

/* The tables and notes beside a CSV file, without leaving new ones behind. */
static yoke_status probe_beside(opened *list, const char *path, yoke_err *err)
{
    for (int i = 0; yk_csv_beside[i]; i++) {
        bool is_new = false;
        char *beside = NULL;
        YK_TRY(yk_csv_path(&beside, path, yk_csv_beside[i], err));
        const yoke_status status = probe_next(list, beside, &is_new, err);
        if (!is_new) {
            YK_TRY(status);
            continue;
        }
        unlink(beside);
        yk_free(beside);
        list->count--; /* its number may come again */
        YK_TRY(status);
    }
    return YOKE_OK;
}

static int count_beside(void)
{
    int count = 0;

    while (yk_csv_beside[count]) count++;
    return count;
}

/* Nothing is overwritten before all are known to be writable. */
static yoke_status probe_all(int count, const char *const *path, bool *is_new,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int most = count * (1 + count_beside());
    opened list = { 0, NULL, NULL };

    YK_GO(YK_NEW(&list.path, most, err));
    YK_GO(YK_NEW(&list.about, most, err));
    for (int i = 0; i < count; i++) {
        char *copy = NULL;
        for (int k = 0; k < i; k++) YK_GO(check_names(path[k], path[i], err));
        YK_GO(yk_copy_text(&copy, path[i], err));
        YK_GO(probe_next(&list, copy, &is_new[i], err));
    }
    for (int i = 0; i < count; i++)
        if (yk_format_find(path[i]) == &yk_format_csv && yk_stream(path[i]) < 0)
            YK_GO(probe_beside(&list, path[i], err));
done:
    opened_clear(&list);
    return status;
}

static yoke_status check_paths(int count, const char *const *path,
                               yoke_err *err)
{
    if (count == 0) return yk_fail(err, YOKE_E_FILE, "no result file is named");
    for (int i = 0; i < count; i++)
        if (!yk_format_find(path[i]))
            return yk_fail(err, YOKE_E_FILE,
                           "%s: the name of a result file ends in .csv, .h5 or "
                           ".raw",
                           path[i]);
    return YOKE_OK;
}

static yoke_status hold_all(yk_writer *writer, int count,
                            const char *const *path, yoke_err *err)
{
    YK_TRY(YK_NEW(&writer->held, count + 1, err));
    for (int i = 0; i < count; i++) {
        held *h = &writer->held[i];
        YK_TRY(yk_copy_text(&h->path, path[i], err));
        h->lock = -1;
        writer->helds++;
        YK_TRY(yk_file_lock(&h->lock, h->path, err));
    }
    return YOKE_OK;
}

/* is_new[i] becomes true if a failure later should remove that file. */
static yoke_status create_all(yk_writer *writer, int count,
                              const char *const *path, bool *is_new,
                              const yoke_sink *sink, yoke_err *err)
{
    if (count > 0 || !sink) YK_TRY(check_paths(count, path, err));
    YK_TRY(YK_NEW(&writer->target, count + 1, err));
    if (count > 0) YK_TRY(probe_all(count, path, is_new, err));
    YK_TRY(hold_all(writer, count, path, err));
    /* CSV last: its files cannot fail any more, and HDF5 may be missing. */
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < count; i++) {
            const yk_format *format = yk_format_find(path[i]);
            target *f = &writer->target[writer->targets];
            if ((format == &yk_format_csv) != (round == 1)) continue;
            f->format = format;
            YK_TRY(format->create(&f->file, path[i], err));
            writer->targets++;
        }
    if (!sink) return YOKE_OK;
    target *f = &writer->target[writer->targets];
    f->format = &yk_format_sink;
    YK_TRY(yk_sink_open(&f->file, sink, err));
    writer->targets++;
    return YOKE_OK;
}

/* The lines of a text that are not empty; overwrites their ends. */
static int split_lines(char *text, const char **line)
{
    int count = 0;

    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (length > 0) line[count++] = text;
        text += length;
        if (*text) *text++ = '\0';
    }
    return count;
}

yoke_status yk_writer_create_sink(yk_writer **out, const char *path,
                                  const yoke_sink *sink, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_writer *writer = NULL;
    char *text = NULL;
    const char **line = NULL;
    bool *is_new = NULL;
    int lines = 0;

    YK_GO(yk_copy_text(&text, path, err));
    YK_GO(YK_NEW(&line, strlen(path) / 2 + 1, err));
    YK_GO(YK_NEW(&is_new, strlen(path) / 2 + 1, err));
    YK_GO(YK_NEW(&writer, 1, err));
    lines = split_lines(text, line);
    YK_GO(create_all(writer, lines, line, is_new, sink, err));
    *out = writer;
    writer = NULL;

done:
    for (int i = 0; writer && i < writer->targets; i++)
        writer->target[i].format->close(writer->target[i].file, NULL);
    for (int i = 0; status != YOKE_OK && i < lines; i++)
        if (is_new[i]) unlink(line[i]);
    if (writer) writer_free(writer);
    YK_FREE(is_new, line, text);
    return status;
}

/* ---- The interface ------------------------------------------------------ */

yoke_status yk_writer_create(yk_writer **out, const char *path, yoke_err *err)
{
    return yk_writer_create_sink(out, path, NULL, err);
}

/* If only some files got the table, their numbers differ from now on: nothing
 * more is written. */
static yoke_status open_tables(yk_writer *writer, const char *name,
                               const table *t, const char *const *column,
                               const char *const *unit, yoke_err *err)
{
    for (int k = 0; k < writer->targets; k++) {
        target *f = &writer->target[k];
        yoke_err why = { YOKE_OK, "" };
        const yoke_status status = f->format->table(
            f->file, name, t->cols, t->room, column,
            f->format != &yk_format_csv || writer->show_units ? unit : NULL,
            &why);
        if (status == YOKE_OK) continue;
        for (int j = 0; k > 0 && j < writer->targets; j++)
            settle(writer, &writer->target[j], status, &why);
        return yk_fail(err, status, "%s", why.text);
    }
    return YOKE_OK;
}

yoke_status yk_writer_table(yk_writer *writer, const char *name, int cols,
                            const char *const *column, const char *const *unit,
                            int *id, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    table t = { NULL, cols, 0, 0, NULL };

    if (writer->failure.status != YOKE_OK) return repeat_failure(writer, err);
    YK_TRY(check_table(writer, name, cols, column, err));
    t.room = block_rows(cols);
    YK_GO(yk_copy_text(&t.name, name, err));
    YK_GO(yk_doubles(&t.value, (size_t)t.room * (size_t)cols, err));
    YK_GO(yk_grow((void **)&writer->table, &writer->table_room,
                  writer->tables + 1, sizeof t, err));
    YK_GO(open_tables(writer, name, &t, column, unit, err));
    *id = (int)writer->tables;
    writer->table[writer->tables++] = t;
    return YOKE_OK;

done:
    table_clear(&t);
    return status;
}

void yk_writer_show_units(yk_writer *writer, bool show)
{
    writer->show_units = show;
}

yoke_status yk_writer_note(yk_writer *writer, const char *name,
                           const char *text, yoke_err *err)
{
    if (writer->failure.status != YOKE_OK) return repeat_failure(writer, err);
    for (int k = 0; k < writer->targets; k++)
        YK_TRY(writer->target[k].format->note(writer->target[k].file, name,
                                              text, err));
    return YOKE_OK;
}

yoke_status yk_writer_row(yk_writer *writer, int id, const double *value,
                          yoke_err *err)
{
    if (id < 0 || (size_t)id >= writer->tables)
        return yk_fail(err, YOKE_E_ARG, "there is no table %d", id);
    if (writer->failure.status != YOKE_OK) return repeat_failure(writer, err);

    table *t = &writer->table[id];
    const size_t cols = (size_t)t->cols;
    memcpy(t->value + (size_t)t->rows * cols, value, cols * sizeof *value);
    t->rows++;
    if (t->rows < t->room) return YOKE_OK;
    write_block(writer, id);
    return writer->failure.status == YOKE_OK ? YOKE_OK
                                             : repeat_failure(writer, err);
}

yoke_status yk_writer_flush(yk_writer *writer, yoke_err *err)
{
    return write_all(writer, err);
}

yoke_status yk_writer_sync(yk_writer *writer, yoke_err *err)
{
    YK_TRY(write_all(writer, err));
    for (int k = 0; k < writer->targets; k++)
        YK_TRY(
            writer->target[k].format->again->sync(writer->target[k].file, err));
    return YOKE_OK;
}

yoke_status yk_writer_reopen(yk_writer *writer, yoke_err *err)
{
    for (int i = 0; i < writer->helds; i++) writer->held[i].lock = -1;
    for (int i = 0; i < writer->helds; i++)
        YK_TRY(yk_file_lock(&writer->held[i].lock, writer->held[i].path, err));
    for (int k = 0; k < writer->targets; k++)
        YK_TRY(writer->target[k].format->again->reopen(writer->target[k].file,
                                                       err));
    return YOKE_OK;
}

yoke_status yk_writer_cut(yk_writer *writer, yoke_err *err)
{
    for (int k = 0; k < writer->targets; k++)
        YK_TRY(
            writer->target[k].format->again->cut(writer->target[k].file, err));
    return YOKE_OK;
}

yoke_status yk_writer_close(yk_writer *writer, yoke_err *err)
{
    if (!writer) return YOKE_OK;
    yoke_status status = write_all(writer, err);
    for (int k = 0; k < writer->targets; k++) {
        const target *f = &writer->target[k];
        const yoke_status closed =
            f->format->close(f->file, status == YOKE_OK ? err : NULL);
        if (status == YOKE_OK) status = closed;
    }
    writer_free(writer);
    return status;
}

yoke_status yoke_table_write(const yoke_table *t, const char *path,
                             yoke_err *err)
{
    yk_writer *writer = NULL;
    int id = -1;

    yoke_status status = yk_writer_create(&writer, path, err);
    if (status != YOKE_OK) return status;
    status =
        yk_writer_table(writer, "result", t->cols, (const char *const *)t->name,
                        (const char *const *)t->unit, &id, err);
    for (int i = 0; status == YOKE_OK && i < t->rows; i++)
        status = yk_writer_row(writer, id,
                               t->value + (size_t)i * (size_t)t->cols, err);
    const yoke_status closed =
        yk_writer_close(writer, status == YOKE_OK ? err : NULL);
    return status == YOKE_OK ? closed : status;
}
