/* io/writer.c -- collects rows and gives them to a file format in blocks.
 *
 * After the first failure of the file nothing more is written: rows that
 * follow a gap would be wrong.  Every later call repeats that failure.
 */
#include "io/format.h"

#include <ctype.h>
#include <string.h>

/* A block has about this many numbers: 64 KiB. */
enum { BLOCK_NUMBERS = 8192, BLOCK_ROWS = 1024 };

typedef struct table {
    char *name;
    int cols, rows, room; /* rows waiting in `value` */
    double *value;
} table;

struct yoke_writer {
    const yk_format *format;
    void *file;
    table *table;
    size_t tables, table_room;
    yoke_err failure;
};

const yk_format *yk_format_find(const char *path)
{
    static const yk_format *const formats[] = { &yk_format_csv,
                                                &yk_format_hdf5 };
    const size_t length = strlen(path);

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const size_t tail = strlen(formats[i]->extension);
        if (length > tail && path[length - tail - 1] != '/' &&
            strcmp(path + length - tail, formats[i]->extension) == 0)
            return formats[i];
    }
    return NULL;
}

static yoke_status repeat_failure(const yoke_writer *writer, yoke_err *err)
{
    if (err) *err = writer->failure;
    return writer->failure.status;
}

/* Keeps the failure of the file for the calls to come. */
static yoke_status settle(yoke_writer *writer, yoke_status status,
                          yoke_err *err)
{
    if (status != YOKE_OK) writer->failure.status = status;
    return status == YOKE_OK ? YOKE_OK : repeat_failure(writer, err);
}

static yoke_status write_block(yoke_writer *writer, int id, yoke_err *err)
{
    table *t = &writer->table[id];

    if (t->rows == 0) return YOKE_OK;
    const yoke_status status = writer->format->rows(writer->file, id, t->rows,
                                                    t->value, &writer->failure);
    t->rows = 0;
    return settle(writer, status, err);
}

static yoke_status write_all(yoke_writer *writer, yoke_err *err)
{
    if (writer->failure.status != YOKE_OK) return repeat_failure(writer, err);
    for (size_t i = 0; i < writer->tables; i++)
        YK_TRY(write_block(writer, (int)i, err));
    return settle(writer, writer->format->flush(writer->file, &writer->failure),
                  err);
}

/* A table's name becomes part of a file name. */
static yoke_status check_table(const yoke_writer *writer, const char *name,
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
    yk_free(t->name);
    yk_free(t->value);
}

static void writer_free(yoke_writer *writer)
{
    for (size_t i = 0; i < writer->tables; i++) table_clear(&writer->table[i]);
    yk_free(writer->table);
    yk_free(writer);
}

yoke_status yoke_writer_create(yoke_writer **out, const char *path,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_writer *writer = NULL;
    const yk_format *format = yk_format_find(path);

    if (!format)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: the name of a result file ends in .csv or .h5",
                       path);
    YK_GO(YK_NEW(&writer, 1, err));
    writer->format = format;
    YK_GO(format->create(&writer->file, path, err));
    *out = writer;
    writer = NULL;

done:
    if (writer) writer_free(writer);
    return status;
}

yoke_status yoke_writer_table(yoke_writer *writer, const char *name, int cols,
                              const char *const *column,
                              const char *const *unit, int *id, yoke_err *err)
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
    YK_GO(writer->format->table(writer->file, name, cols, t.room, column, unit,
                                err));
    *id = (int)writer->tables;
    writer->table[writer->tables++] = t;
    return YOKE_OK;

done:
    table_clear(&t);
    return status;
}

yoke_status yoke_writer_note(yoke_writer *writer, const char *name,
                             const char *text, yoke_err *err)
{
    if (writer->failure.status != YOKE_OK) return repeat_failure(writer, err);
    return writer->format->note(writer->file, name, text, err);
}

yoke_status yoke_writer_row(yoke_writer *writer, int id, const double *value,
                            yoke_err *err)
{
    if (id < 0 || (size_t)id >= writer->tables)
        return yk_fail(err, YOKE_E_ARG, "there is no table %d", id);
    if (writer->failure.status != YOKE_OK) return repeat_failure(writer, err);

    table *t = &writer->table[id];
    const size_t cols = (size_t)t->cols;
    memcpy(t->value + (size_t)t->rows * cols, value, cols * sizeof *value);
    t->rows++;
    return t->rows < t->room ? YOKE_OK : write_block(writer, id, err);
}

yoke_status yoke_writer_flush(yoke_writer *writer, yoke_err *err)
{
    return write_all(writer, err);
}

yoke_status yoke_writer_close(yoke_writer *writer, yoke_err *err)
{
    if (!writer) return YOKE_OK;
    yoke_status status = write_all(writer, err);
    const yoke_status closed =
        writer->format->close(writer->file, status == YOKE_OK ? err : NULL);
    if (status == YOKE_OK) status = closed;
    writer_free(writer);
    return status;
}
