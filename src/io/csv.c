/* io/csv.c -- writes tables as RFC 4180 text, one file per table.
 *
 * Lines end with a line feed alone: every reader takes it and so do the
 * line tools.  Notes go to name.notes.csv, columns `note` and `text`.  Units are
 * a second line, on request; the note "units" has them in any case.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/transfer.h"
#include "io/format.h"
#include "io/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const yk_csv_beside[] = { "coupling",   "work",  "iterates",
                                      "statistics", "steps", "notes",
                                      NULL };

/* One file; `text` has room for a block. */
typedef struct sheet {
    char *path;
    int descriptor, cols; /* no columns: the notes */
    yk_written written;
    yk_text text;
    bool is_stream; /* what was written cannot be taken back */
} sheet;

typedef struct csv {
    sheet *sheet;
    size_t sheets, room;
    sheet notes; /* descriptor -1: not opened yet */
    char *path;
    bool alone; /* a stream: the table "result" and nothing else */
    int first;  /* open since create, for the table "result"; -1 when taken */
} csv;

static yoke_status cannot_write(const char *path, int code, yoke_err *err)
{
    return yk_cannot_write(yk_path_text(path), code, err);
}

static yoke_status open_new(int *out, const char *path, yoke_err *err)
{
    const int descriptor =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (descriptor < 0) return cannot_write(path, errno, err);
    *out = descriptor;
    return YOKE_OK;
}

/* The last write stopped after `done` bytes.  Whole rows stay, half a row goes:
 * it would make the file unreadable.  Half a header or note goes too. */
static void cut(const sheet *s, size_t done)
{
    const char *text = s->text.at;

    if (s->is_stream) return;
    if (s->written.size == 0 || s->cols == 0) done = 0;
    while (done > 0 && text[done - 1] != '\n') done--;
    if (ftruncate(s->descriptor, (off_t)s->written.size + (off_t)done) != 0)
        return; /* a pipe: what went down it is gone */
}

static yoke_status put(sheet *s, yoke_err *err)
{
    size_t done = 0;
    const int code = yk_write_bytes(s->descriptor, s->text.at, s->text.length,
                                    YK_HERE, &done);

    if (code) {
        cut(s, done);
        return cannot_write(s->path, code, err);
    }
    yk_written_add(&s->written, s->text.at, done);
    return YOKE_OK;
}

static yoke_status add_name(yk_text *text, const char *name, yoke_err *err)
{
    if (!strpbrk(name, ",\"\r\n") && name[0] != ' ')
        return yk_text_put(text, name, err);
    YK_TRY(yk_text_put(text, "\"", err));
    for (const char *p = name; *p; p++) {
        if (*p == '"') YK_TRY(yk_text_put(text, "\"", err));
        YK_TRY(yk_text_add(text, p, 1, err));
    }
    return yk_text_put(text, "\"", err);
}

static yoke_status write_header(sheet *s, const char *const *name,
                                yoke_err *err)
{
    s->text.length = 0;
    for (int i = 0; i < s->cols; i++) {
        if (i > 0) YK_TRY(yk_text_put(&s->text, ",", err));
        if (name[i]) YK_TRY(add_name(&s->text, name[i], err));
    }
    YK_TRY(yk_text_put(&s->text, "\n", err));
    return put(s, err);
}

yoke_status yk_csv_path(char **out, const char *path, const char *table,
                        yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_text text = { NULL, 0, 0 };
    size_t stem = strlen(path);

    if (strcmp(table, "result") == 0) return yk_copy_text(out, path, err);
    if (stem > 4 && strcmp(path + stem - 4, ".csv") == 0) stem -= 4;
    YK_GO(yk_text_add(&text, path, stem, err));
    YK_GO(yk_text_put(&text, ".", err));
    YK_GO(yk_text_put(&text, table, err));
    YK_GO(yk_text_put(&text, ".csv", err));
    *out = text.at;
    return YOKE_OK;

done:
    yk_text_clear(&text);
    return status;
}

static void sheet_clear(sheet *s)
{
    if (s->descriptor >= 0) close(s->descriptor);
    yk_text_clear(&s->text);
    yk_free(s->path);
}

static void csv_free(csv *file)
{
    if (file->first >= 0) close(file->first);
    for (size_t i = 0; i < file->sheets; i++) sheet_clear(&file->sheet[i]);
    sheet_clear(&file->notes);
    YK_FREE(file->sheet, file->path, file);
}

/* What an earlier run left beside the file does not belong to this one. */
static yoke_status remove_old(const char *path, yoke_err *err)
{
    for (int i = 0; yk_csv_beside[i]; i++) {
        struct stat about;
        char *old = NULL;
        YK_TRY(yk_csv_path(&old, path, yk_csv_beside[i], err));
        if (lstat(old, &about) == 0 && S_ISREG(about.st_mode)) unlink(old);
        yk_free(old);
    }
    return YOKE_OK;
}

/* The file is opened at once, so that a wrong path ends a run before it
 * begins. */
static yoke_status csv_create(void **out, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    csv *file = NULL;

    YK_TRY(YK_NEW(&file, 1, err));
    file->first = file->notes.descriptor = -1;
    YK_GO(yk_copy_text(&file->path, path, err));
    file->alone = yk_stream(path) >= 0;
    if (file->alone) {
        file->first = fcntl(yk_stream(path), F_DUPFD_CLOEXEC, 0);
        if (file->first < 0) YK_GO(cannot_write(path, errno, err));
    } else {
        YK_GO(open_new(&file->first, path, err));
        YK_GO(remove_old(path, err));
    }
    *out = file;
    return YOKE_OK;

done:
    csv_free(file);
    return status;
}

static yoke_status csv_table(void *self, const char *table, int cols, int block,
                             const char *const *name, const char *const *unit,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    csv *file = self;
    sheet s = { NULL, -1, cols, { 0 }, { NULL, 0, 0 }, file->alone };
    const size_t numbers = (size_t)cols * (size_t)block;
    const bool is_first = strcmp(table, "result") == 0 && file->first >= 0;

    YK_GO(yk_csv_path(&s.path, file->path, table, err));
    YK_GO(yk_grow((void **)&s.text.at, &s.text.room, numbers * YK_NUMBER_SIZE,
                  1, err));
    YK_GO(yk_grow((void **)&file->sheet, &file->room, file->sheets + 1,
                  sizeof s, err));
    if (is_first)
        s.descriptor = file->first;
    else if (!file->alone)
        YK_GO(open_new(&s.descriptor, s.path, err));
    if (s.descriptor >= 0) YK_GO(write_header(&s, name, err));
    if (s.descriptor >= 0 && unit) YK_GO(write_header(&s, unit, err));
    if (is_first) file->first = -1;
    file->sheet[file->sheets++] = s;
    return YOKE_OK;

done:
    if (is_first) s.descriptor = -1; /* csv_free closes it */
    sheet_clear(&s);
    return status;
}

static yoke_status open_notes(csv *file, yoke_err *err)
{
    sheet *s = &file->notes;

    if (!s->path) YK_TRY(yk_csv_path(&s->path, file->path, "notes", err));
    YK_TRY(open_new(&s->descriptor, s->path, err));
    s->text.length = 0;
    YK_TRY(yk_text_put(&s->text, "note,text\n", err));
    return put(s, err);
}

static yoke_status csv_note(void *self, const char *name, const char *text,
                            yoke_err *err)
{
    csv *file = self;
    sheet *s = &file->notes;

    if (file->alone) return YOKE_OK;
    if (s->descriptor < 0) YK_TRY(open_notes(file, err));
    s->text.length = 0;
    YK_TRY(add_name(&s->text, name, err));
    YK_TRY(yk_text_put(&s->text, ",", err));
    YK_TRY(add_name(&s->text, text, err));
    YK_TRY(yk_text_put(&s->text, "\n", err));
    return put(s, err);
}

static yoke_status format_rows(sheet *s, int rows, const double *value,
                               yoke_err *err)
{
    char number[YK_NUMBER_SIZE];

    s->text.length = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < s->cols; j++) {
            size_t length = yk_number_write(number, *value++);
            number[length++] = j + 1 < s->cols ? ',' : '\n';
            YK_TRY(yk_text_add(&s->text, number, length, err));
        }
    return YOKE_OK;
}

static yoke_status csv_rows(void *self, int id, int rows, const double *value,
                            yoke_err *err)
{
    sheet *s = &((csv *)self)->sheet[id];
    YK_POINT;

    if (s->descriptor < 0) return YOKE_OK;
    YK_TRY(format_rows(s, rows, value, err));
    return put(s, err);
}

/* Rows are with the operating system already. */
static yoke_status csv_flush(void *self, yoke_err *err)
{
    (void)self, (void)err;
    return YOKE_OK;
}

static yoke_status close_sheet(sheet *s, yoke_err *err)
{
    const int descriptor = s->descriptor;

    s->descriptor = -1;
    if (descriptor >= 0 && close(descriptor) != 0 && errno != EINTR)
        return cannot_write(s->path, errno, err);
    return YOKE_OK;
}

/* Some file systems tell only here that there was no room. */
static yoke_status csv_close(void *self, yoke_err *err)
{
    csv *file = self;
    yoke_status status = close_sheet(&file->notes, err);

    for (size_t i = 0; i < file->sheets; i++) {
        const yoke_status closed =
            close_sheet(&file->sheet[i], status == YOKE_OK ? err : NULL);
        if (status == YOKE_OK) status = closed;
    }
    csv_free(file);
    return status;
}

/* ---- Once more ----------------------------------------------------------- */

static yoke_status csv_sync(void *self, yoke_err *err)
{
    csv *file = self;

    if (file->alone)
        return yk_fail(err, YOKE_E_ARG,
                       "what went to standard output cannot be taken back: "
                       "write the result to a file");
    if (file->first >= 0) YK_TRY(yk_file_sync(file->first, file->path, err));
    if (file->notes.descriptor >= 0)
        YK_TRY(yk_file_sync(file->notes.descriptor, file->notes.path, err));
    for (size_t i = 0; i < file->sheets; i++)
        YK_TRY(
            yk_file_sync(file->sheet[i].descriptor, file->sheet[i].path, err));
    return YOKE_OK;
}

static yoke_status reopen_sheet(sheet *s, yoke_err *err)
{
    if (s->descriptor < 0) return YOKE_OK;
    s->descriptor = -1;
    return yk_written_reopen(&s->descriptor, s->path, &s->written, err);
}

static yoke_status csv_reopen(void *self, yoke_err *err)
{
    const yk_written nothing = { 0 };
    csv *file = self;

    YK_TRY(reopen_sheet(&file->notes, err));
    for (size_t i = 0; i < file->sheets; i++)
        YK_TRY(reopen_sheet(&file->sheet[i], err));
    if (file->first < 0) return YOKE_OK;
    file->first = -1;
    return yk_written_reopen(&file->first, file->path, &nothing, err);
}

static yoke_status cut_sheet(const sheet *s, yoke_err *err)
{
    return yk_written_cut(s->descriptor, s->path, &s->written, err);
}

/* Notes that were not there yet are not there again. */
static yoke_status remove_notes(const csv *file, yoke_err *err)
{
    char *path = NULL;

    YK_TRY(yk_csv_path(&path, file->path, "notes", err));
    unlink(path);
    yk_free(path);
    return YOKE_OK;
}

static yoke_status csv_cut(void *self, yoke_err *err)
{
    const yk_written nothing = { 0 };
    csv *file = self;

    YK_TRY(file->notes.descriptor < 0 ? remove_notes(file, err)
                                      : cut_sheet(&file->notes, err));
    for (size_t i = 0; i < file->sheets; i++)
        YK_TRY(cut_sheet(&file->sheet[i], err));
    return yk_written_cut(file->first, file->path, &nothing, err);
}

static const yk_format_again again = { csv_sync, csv_reopen, csv_cut };

const yk_format yk_format_csv = {
    .extension = ".csv",
    .create = csv_create,
    .table = csv_table,
    .note = csv_note,
    .rows = csv_rows,
    .flush = csv_flush,
    .close = csv_close,
    .read = yk_csv_read,
    .notes = yk_csv_notes,
    .again = &again,
};
