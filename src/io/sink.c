/* io/sink.c -- rows that stay in memory: a format without a file. */
#include "io/format.h"

/* The writer asks a format to free `self`; a sink is borrowed. */
typedef struct sink {
    const yoke_sink *to;
} sink;

yoke_status yk_sink_open(void **self, const yoke_sink *to, yoke_err *err)
{
    sink *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    s->to = to;
    const yoke_status status = to->begin(to->context, err);
    if (status != YOKE_OK) {
        yk_free(s);
        return status;
    }
    *self = s;
    return YOKE_OK;
}

/* Never asked for by a path. */
static yoke_status sink_create(void **self, const char *path, yoke_err *err)
{
    (void)self;
    return yk_fail(err, YOKE_E_FILE, "%s: a sink is not a file", path);
}

static yoke_status sink_table(void *self, const char *table, int cols,
                              int block, const char *const *name,
                              const char *const *unit, yoke_err *err)
{
    const yoke_sink *to = ((sink *)self)->to;

    (void)block;
    return to->table(to->context, table, cols, name, unit, err);
}

static yoke_status sink_note(void *self, const char *name, const char *text,
                             yoke_err *err)
{
    const yoke_sink *to = ((sink *)self)->to;

    return to->note ? to->note(to->context, name, text, err) : YOKE_OK;
}

static yoke_status sink_rows(void *self, int id, int rows, const double *value,
                             yoke_err *err)
{
    const yoke_sink *to = ((sink *)self)->to;

    return to->rows(to->context, id, rows, value, err);
}

static yoke_status sink_flush(void *self, yoke_err *err)
{
    (void)self, (void)err;
    return YOKE_OK;
}

static yoke_status sink_close(void *self, yoke_err *err)
{
    (void)err;
    yk_free(self);
    return YOKE_OK;
}

static yoke_status sink_read(yoke_table *out, const char *path,
                             const char *table, yoke_err *err)
{
    (void)out, (void)table;
    return yk_fail(err, YOKE_E_FILE, "%s: a sink is not a file", path);
}

static yoke_status sink_notes(yoke_notes *out, const char *path, yoke_err *err)
{
    (void)out;
    return yk_fail(err, YOKE_E_FILE, "%s: a sink is not a file", path);
}

/* Nor reopen and cut: such a run is not saved. */
static yoke_status sink_sync(void *self, yoke_err *err)
{
    (void)self;
    return yk_fail(err, YOKE_E_ARG,
                   "no checkpoints: rows that a sink was given cannot be taken "
                   "back");
}

static const yk_format_again again = { .sync = sink_sync };

const yk_format yk_format_sink = {
    .extension = "",
    .create = sink_create,
    .table = sink_table,
    .note = sink_note,
    .rows = sink_rows,
    .flush = sink_flush,
    .close = sink_close,
    .read = sink_read,
    .notes = sink_notes,
    .again = &again,
};
