/* io/writer.h -- writes result files. */
#ifndef YK_WRITER_H
#define YK_WRITER_H

#include "yoke/result.h"

typedef struct yk_writer yk_writer;

/* The extension of `path` decides: .csv, .h5 or .raw; others are refused.
 * Several paths, one per line, "a.csv\nb.h5", make one writer whose files all
 * get everything; none is overwritten unless all can be opened, those beside a
 * CSV file included.  What an earlier run left beside it is removed. */
yoke_status yk_writer_create(yk_writer **out, const char *path, yoke_err *err);

/* The same for a sink, which is borrowed, and files, or none: path "". */
yoke_status yk_writer_create_sink(yk_writer **out, const char *path,
                                  const yoke_sink *sink, yoke_err *err);

/* CSV files get a second line with the units; before the first table. */
void yk_writer_show_units(yk_writer *writer, bool show);

/* A new table; *id is its number for yk_writer_row.  `unit` may be NULL. */
yoke_status yk_writer_table(yk_writer *writer, const char *table, int cols,
                            const char *const *name, const char *const *unit,
                            int *id, yoke_err *err);

/* Provenance: a text under a name; one that is there is replaced. */
yoke_status yk_writer_note(yk_writer *writer, const char *name,
                           const char *text, yoke_err *err);

/* One row of `cols` values. */
yoke_status yk_writer_row(yk_writer *writer, int id, const double *value,
                          yoke_err *err);

/* Loads the libraries that result files may need, which happens otherwise when
 * one is opened. */
void yk_writer_prepare(void);

/* What was written so far is on disk and readable after this. */
yoke_status yk_writer_flush(yk_writer *writer, yoke_err *err);

/* For a checkpoint: what was written so far is with the disk itself; and, in a
 * process that has the memory of the one before (base/image.h), the files are
 * opened once more, compared with that, and, when nothing else can fail, cut to it. */
yoke_status yk_writer_sync(yk_writer *writer, yoke_err *err);
yoke_status yk_writer_reopen(yk_writer *writer, yoke_err *err);
yoke_status yk_writer_cut(yk_writer *writer, yoke_err *err);

/* Flushes and closes; reports what could not be written.  Frees the writer in
 * any case; accepts NULL. */
yoke_status yk_writer_close(yk_writer *writer, yoke_err *err);

#endif
