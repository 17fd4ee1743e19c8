/* io/format.h -- what a file format provides.
 *
 * writer.c collects rows and hands them over in blocks; table.c reads.  A
 * format knows the file and nothing else.
 */
#ifndef YK_IO_FORMAT_H
#define YK_IO_FORMAT_H

#include "base/base.h"
#include "yoke/result.h"

/* A run goes on in another process, which has the memory of this one and none of
 * its files (base/image.h). */
typedef struct yk_format_again {
    /* What was written so far is with the disk itself.  YOKE_E_ARG: the file
     * cannot be cut, it is a pipe or a device. */
    yoke_status (*sync)(void *self, yoke_err *err);

    /* Opens the file of `self` once more and compares it with what was written
     * when the memory was saved; changes nothing. */
    yoke_status (*reopen)(void *self, yoke_err *err);

    /* Cuts it to that. */
    yoke_status (*cut)(void *self, yoke_err *err);
} yk_format_again;

/* All entries are required.  Messages carry the path. */
typedef struct yk_format {
    const char *extension; /* with the dot */

    /* An empty file, ready for tables; replaces an older one. */
    yoke_status (*create)(void **self, const char *path, yoke_err *err);

    /* A table of `cols` columns whose blocks have at most `block` rows.  The
     * first call makes table 0, the next table 1.  `unit` may be NULL. */
    yoke_status (*table)(void *self, const char *table, int cols, int block,
                         const char *const *name, const char *const *unit,
                         yoke_err *err);

    yoke_status (*note)(void *self, const char *name, const char *text,
                        yoke_err *err);

    /* Appends to table `id`.  After a failure the rows of earlier blocks are
     * still readable and no more rows come. */
    yoke_status (*rows)(void *self, int id, int rows, const double *value,
                        yoke_err *err);

    yoke_status (*flush)(void *self, yoke_err *err);

    /* Frees `self` in any case. */
    yoke_status (*close)(void *self, yoke_err *err);

    /* Fills a zeroed table; on failure the caller frees what is there. */
    yoke_status (*read)(yoke_table *out, const char *path, const char *table,
                        yoke_err *err);

    /* The same for the notes. */
    yoke_status (*notes)(yoke_notes *out, const char *path, yoke_err *err);

    const yk_format_again *again;
} yk_format;

/* No file: rows go to a yoke_sink, which is `self` and is borrowed. */
extern const yk_format yk_format_sink;
yoke_status yk_sink_open(void **self, const yoke_sink *sink, yoke_err *err);

extern const yk_format yk_format_csv, yk_format_hdf5, yk_format_raw;

/* A descriptor that is open, "/dev/fd/5": it gets the table "result" as CSV and
 * nothing else.  -1: `path` is another. */
int yk_stream(const char *path);

/* A path for messages: people know that stream as standard output. */
const char *yk_path_text(const char *path);

/* Nobody else writes to the file until yk_file_unlock; -1: it is no regular file.
 * YOKE_E_FILE: somebody does already. */
yoke_status yk_file_lock(int *lock, const char *path, yoke_err *err);
void yk_file_unlock(int lock);

/* The format of the extension of `path`, or NULL. */
const yk_format *yk_format_find(const char *path);

/* Reads `length` bytes of CSV text; `file` is for messages. */
yoke_status yk_csv_parse(yoke_table *out, const char *file, const char *text,
                         size_t length, yoke_err *err);

yoke_status yk_csv_read(yoke_table *out, const char *path, const char *table,
                        yoke_err *err);

/* The same for ngspice raw files. */
yoke_status yk_raw_parse(yoke_table *out, const char *file, const char *text,
                         size_t length, yoke_err *err);
yoke_status yk_raw_read(yoke_table *out, const char *path, const char *table,
                        yoke_err *err);

/* And for HDF5 files, in a process apart. */
yoke_status yk_hdf5_read(yoke_table *out, const char *path, const char *table,
                         yoke_err *err);
yoke_status yk_hdf5_notes(yoke_notes *out, const char *path, yoke_err *err);

/* What was written so far, to be known again: bytes `from` to `size` of a file, or
 * rows of a table.  Starts zeroed. */
typedef struct yk_written {
    long long from, size;
    unsigned long long sum;
} yk_written;

void yk_written_add(yk_written *w, const void *bytes, size_t length);
/* "path: it is not the file of that run any more". */
yoke_status yk_written_differs(const char *path, yoke_err *err);

/* Opens a file that goes on behind what was written, which must be in it. */
yoke_status yk_written_reopen(int *out, const char *path, const yk_written *w,
                              yoke_err *err);
/* Cuts the rest off; descriptor -1: nothing is done. */
yoke_status yk_written_cut(int descriptor, const char *path,
                           const yk_written *w, yoke_err *err);
/* To the disk; YOKE_E_ARG: no regular file. */
yoke_status yk_file_sync(int descriptor, const char *path, yoke_err *err);

/* The file of a table: `path` for "result", otherwise name.TABLE.csv. */
yoke_status yk_csv_path(char **out, const char *path, const char *table,
                        yoke_err *err);

/* Names of the tables, and of the notes, that may stand beside a CSV file; NULL
 * ends the list. */
extern const char *const yk_csv_beside[];

/* The notes beside a CSV file: none if there is no such file, or if it is
 * something else.  The same from `length` bytes of text. */
yoke_status yk_csv_notes(yoke_notes *out, const char *path, yoke_err *err);
yoke_status yk_csv_parse_notes(yoke_notes *out, const char *file,
                               const char *text, size_t length, yoke_err *err);

/* Notes that are being read. */
typedef struct yk_note_list {
    yoke_notes *notes;
    size_t name_room, text_room;
} yk_note_list;

/* Copies; replaces the text of a name that is there. */
yoke_status yk_note_add(yk_note_list *list, const char *name, const char *text,
                        yoke_err *err);

/* Frees what is in the table, or in the notes, not the struct. */
void yk_table_clear(yoke_table *table);
void yk_notes_clear(yoke_notes *notes);

#endif
