/* io/hdf5.c -- writes tables to one HDF5 file.
 *
 *     /TABLE/data     rows by columns, chunked, grows by rows; its attributes
 *                     `names` and `units` are variable-length strings
 *     attributes of / the notes
 *
 * Every block that is written is a commit of io/hdf5_drive.c: a full disk, or a
 * process that is killed, leaves the file with the blocks before.
 *
 * The library prints nothing: HDF5's printing is off while we are in it.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/texts.h"
#include "io/format.h"
#include "io/text.h"

#ifdef YOKE_HAVE_HDF5
#include "io/hdf5.h"
#include "io/hdf5_drive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct sheet {
    char *name;
    hid_t data;
    int cols;
    hsize_t rows;
    yk_written written; /* their values */
} sheet;

typedef struct h5 {
    hid_t file;
    char *path;
    sheet *sheet;
    size_t sheets, room;
    yk_texts notes; /* their names */
} h5;

static yoke_status check_code(int code, const h5 *file, yoke_err *err)
{
    if (code == 0) return YOKE_OK;
    return yk_fail(err, code == ENOMEM ? YOKE_E_MEMORY : YOKE_E_FILE,
                   "%s: cannot write: %s", file->path, strerror(code));
}

/* To be called before the next call of HDF5, which clears its messages. */
static yoke_status check(bool ok, const h5 *file, yoke_err *err)
{
    if (ok) return YOKE_OK;
    const yoke_status status = yk_hdf5_fail(file->path, "cannot write", err);
    YK_TRY(check_code(yk_hdf5_failure(file->file), file, err));
    return status;
}

/* What was written so far reaches the disk, or nothing of it. */
static yoke_status commit(const h5 *file, yoke_err *err)
{
    YK_TRY(check(H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0, file, err));
    return check_code(yk_hdf5_commit(file->file), file, err);
}

/* ---- Texts --------------------------------------------------------------- */

static hid_t text_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* One text for count < 0, otherwise an array. */
static yoke_status write_texts(const h5 *file, hid_t object,
                               const char *attribute, int count,
                               const char *const *text, yoke_err *err)
{
    const hsize_t length = (hsize_t)(count < 0 ? 0 : count);
    const hid_t type = text_type();
    const hid_t space =
        count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, NULL);
    const hid_t a =
        H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const yoke_status status =
        check(a >= 0 && H5Awrite(a, type, text) >= 0, file, err);

    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

static yoke_status write_units(h5 *file, hid_t data, int cols,
                               const char *const *unit, yoke_err *err)
{
    const char **text = NULL;

    YK_TRY(YK_NEW(&text, cols, err));
    for (int i = 0; i < cols; i++) text[i] = unit && unit[i] ? unit[i] : "";
    const yoke_status status =
        write_texts(file, data, "units", cols, text, err);
    yk_free(text);
    return status;
}

/* ---- Writing ------------------------------------------------------------- */

static void h5_free(h5 *file)
{
    for (size_t i = 0; i < file->sheets; i++) {
        if (file->sheet[i].data >= 0) H5Dclose(file->sheet[i].data);
        yk_free(file->sheet[i].name);
    }
    yk_texts_clear(&file->notes);
    if (file->file >= 0) H5Fclose(file->file);
    YK_FREE(file->sheet, file->path, file);
}

/* HDF5 does not tell why a file cannot be opened. */
static yoke_status try_writing(const char *path, yoke_err *err)
{
    const int descriptor =
        open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);

    if (descriptor < 0) return yk_cannot_write(path, errno, err);
    close(descriptor);
    return YOKE_OK;
}

static yoke_status open_file(h5 *file, bool again, yoke_err *err)
{
    int code = 0;
    const hid_t access =
        again ? yk_hdf5_access_again(&code) : yk_hdf5_access(&code);

    file->file =
        again ? H5Fopen(file->path, H5F_ACC_RDWR, access)
              : H5Fcreate(file->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    yoke_status status = YOKE_OK;
    if (file->file < 0) {
        status = yk_hdf5_fail(file->path, "cannot write", err);
        if (code != 0) status = check_code(code, file, err);
    }
    H5Pclose(access);
    return status;
}

static yoke_status h5_create(void **out, const char *path, yoke_err *err)
{
    YK_TRY(yk_hdf5_load(err));
    yoke_status status = YOKE_OK;
    const yk_hdf5_printing before = yk_hdf5_silence();
    h5 *file = NULL;

    YK_GO(YK_NEW(&file, 1, err));
    file->file = -1;
    YK_GO(yk_copy_text(&file->path, path, err));
    YK_GO(try_writing(path, err));
    YK_GO(open_file(file, false, err));
    *out = file;
    file = NULL;

done:
    if (file) h5_free(file);
    yk_hdf5_restore(before);
    return status;
}

static yoke_status create_data(const h5 *file, const char *table, int cols,
                               int block, hid_t *out, yoke_err *err)
{
    const hsize_t now[2] = { 0, (hsize_t)cols };
    const hsize_t most[2] = { H5S_UNLIMITED, (hsize_t)cols };
    const hsize_t chunk[2] = { (hsize_t)block, (hsize_t)cols };
    const hid_t group =
        H5Gcreate2(file->file, table, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, now, most);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);

    H5Pset_chunk(layout, 2, chunk);
    *out = H5Dcreate2(group, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout,
                      H5P_DEFAULT);
    const yoke_status status = check(*out >= 0, file, err);
    H5Pclose(layout);
    H5Sclose(space);
    if (group >= 0) H5Gclose(group);
    return status;
}

static yoke_status h5_table(void *self, const char *table, int cols, int block,
                            const char *const *name, const char *const *unit,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_hdf5_printing before = yk_hdf5_silence();
    h5 *file = self;
    sheet s = { NULL, -1, cols, 0, { 0 } };

    YK_GO(yk_grow((void **)&file->sheet, &file->room, file->sheets + 1,
                  sizeof s, err));
    YK_GO(yk_copy_text(&s.name, table, err));
    YK_GO(create_data(file, table, cols, block, &s.data, err));
    YK_GO(write_texts(file, s.data, "names", cols, name, err));
    YK_GO(write_units(file, s.data, cols, unit, err));
    file->sheet[file->sheets++] = s;
    s.name = NULL;
    s.data = -1;
    /* A block may begin inside a chunk and reach the next, and the index. */
    const size_t bytes = (size_t)cols * (size_t)block * sizeof(double);
    YK_GO(check_code(yk_hdf5_prepare(file->file, 3 * bytes + (1 << 17)), file,
                     err));
    YK_GO(commit(file, err));

done:
    if (s.data >= 0) H5Dclose(s.data);
    yk_free(s.name);
    yk_hdf5_restore(before);
    return status;
}

static yoke_status h5_note(void *self, const char *name, const char *text,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_hdf5_printing before = yk_hdf5_silence();
    h5 *file = self;

    if (H5Aexists(file->file, name) > 0) H5Adelete(file->file, name);
    YK_GO(write_texts(file, file->file, name, -1, &text, err));
    if (!yk_texts_have(&file->notes, name))
        YK_GO(yk_texts_add(&file->notes, name, err));

done:
    yk_hdf5_restore(before);
    return status;
}

/* So many rows from `first` on: in memory, and in the file. */
static void select_rows(const sheet *s, hsize_t first, const hsize_t count[2],
                        hid_t *memory, hid_t *file)
{
    const hsize_t start[2] = { first, 0 };

    *memory = H5Screate_simple(2, count, NULL);
    *file = H5Dget_space(s->data);
    H5Sselect_hyperslab(*file, H5S_SELECT_SET, start, NULL, count, NULL);
}

static yoke_status append(const h5 *file, sheet *s, int rows,
                          const double *value, yoke_err *err)
{
    const hsize_t count[2] = { (hsize_t)rows, (hsize_t)s->cols };
    const hsize_t size[2] = { s->rows + count[0], count[1] };
    hid_t from = -1, to = -1;

    YK_TRY(check(H5Dset_extent(s->data, size) >= 0, file, err));
    select_rows(s, s->rows, count, &from, &to);
    const herr_t wrote =
        H5Dwrite(s->data, H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, value);
    const yoke_status status = check(wrote >= 0, file, err);
    H5Sclose(to);
    H5Sclose(from);
    if (status != YOKE_OK) return status;
    s->rows = size[0];
    yk_written_add(&s->written, value,
                   (size_t)rows * (size_t)s->cols * sizeof *value);
    return YOKE_OK;
}

static yoke_status h5_rows(void *self, int id, int rows, const double *value,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_hdf5_printing before = yk_hdf5_silence();
    h5 *file = self;

    YK_GO(append(file, &file->sheet[id], rows, value, err));
    YK_GO(commit(file, err));

done:
    yk_hdf5_restore(before);
    return status;
}

static yoke_status h5_flush(void *self, yoke_err *err)
{
    const yk_hdf5_printing before = yk_hdf5_silence();
    const yoke_status status = commit(self, err);

    yk_hdf5_restore(before);
    return status;
}

/* HDF5 has nothing to write after a flush; what it writes even so is dropped.
 */
static yoke_status h5_close(void *self, yoke_err *err)
{
    const yk_hdf5_printing before = yk_hdf5_silence();
    h5 *file = self;

    for (size_t i = 0; i < file->sheets; i++) {
        H5Dclose(file->sheet[i].data);
        file->sheet[i].data = -1;
    }
    const yoke_status status = commit(file, err);
    h5_free(file);
    yk_hdf5_restore(before);
    return status;
}

/* ---- Once more ----------------------------------------------------------- */

static yoke_status h5_sync(void *self, yoke_err *err)
{
    const h5 *file = self;

    YK_TRY(h5_flush(self, err));
    return yk_file_sync(yk_hdf5_descriptor(file->file), file->path, err);
}

/* Notes that were not there at the checkpoint are removed, one for each call; a
 * removal changes the list.  The result is 1 as long as there was one. */
static herr_t remove_note(hid_t object, const char *name,
                          const H5A_info_t *about, void *self)
{
    const h5 *file = self;

    (void)about;
    if (yk_texts_have(&file->notes, name)) return 0;
    return H5Adelete(object, name) < 0 ? -1 : 1;
}

static yoke_status cut_notes(h5 *file, yoke_err *err)
{
    herr_t found = 1;

    while (found > 0)
        found = H5Aiterate2(file->file, H5_INDEX_NAME, H5_ITER_INC, NULL,
                            remove_note, file);
    return check(found >= 0, file, err);
}

static yoke_status compare_rows(const h5 *file, const sheet *s, yoke_err *err)
{
    enum { ROWS = 256 };
    yoke_status status = YOKE_OK;
    yk_written now = { 0 };
    double *value = NULL;

    YK_TRY(yk_doubles(&value, ROWS * (size_t)s->cols, err));
    for (hsize_t k = 0; k < s->rows; k += ROWS) {
        const hsize_t left = s->rows - k;
        const hsize_t count[2] = { left < ROWS ? left : ROWS,
                                   (hsize_t)s->cols };
        hid_t to = -1, from = -1;
        select_rows(s, k, count, &to, &from);
        const herr_t got =
            H5Dread(s->data, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, value);
        YK_GO(got >= 0 ? YOKE_OK
                       : yk_hdf5_fail(file->path, "cannot read", err));
        H5Sclose(to);
        H5Sclose(from);
        yk_written_add(&now, value,
                       (size_t)(count[0] * count[1]) * sizeof *value);
    }
    if (now.sum != s->written.sum) status = yk_written_differs(file->path, err);
done:
    yk_free(value);
    return status;
}

static yoke_status reopen_rows(const h5 *file, sheet *s, yoke_err *err)
{
    hsize_t now[2] = { 0, 0 };
    char path[300];

    snprintf(path, sizeof path, "/%.200s/data", s->name);
    s->data = H5Dopen2(file->file, path, H5P_DEFAULT);
    YK_TRY(check(s->data >= 0, file, err));
    const hid_t space = H5Dget_space(s->data);
    const bool known = H5Sget_simple_extent_ndims(space) == 2 &&
                       H5Sget_simple_extent_dims(space, now, NULL) == 2;
    H5Sclose(space);
    if (!known || now[0] < s->rows || now[1] != (hsize_t)s->cols)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: table \"%s\" has %lld rows, and had %lld at the "
                       "checkpoint: it is not the file of that run any more",
                       file->path, s->name, (long long)now[0],
                       (long long)s->rows);
    return compare_rows(file, s, err);
}

static yoke_status h5_reopen(void *self, yoke_err *err)
{
    YK_TRY(yk_hdf5_load(err));
    yoke_status status = YOKE_OK;
    const yk_hdf5_printing before = yk_hdf5_silence();
    h5 *file = self;

    file->file = -1;
    for (size_t i = 0; i < file->sheets; i++) file->sheet[i].data = -1;
    YK_GO(open_file(file, true, err));
    for (size_t i = 0; i < file->sheets; i++)
        YK_GO(reopen_rows(file, &file->sheet[i], err));
done:
    yk_hdf5_restore(before);
    return status;
}

/* The rows behind those of the checkpoint go. */
static yoke_status h5_cut(void *self, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_hdf5_printing before = yk_hdf5_silence();
    h5 *file = self;

    for (size_t i = 0; i < file->sheets; i++) {
        const sheet *s = &file->sheet[i];
        const hsize_t size[2] = { s->rows, (hsize_t)s->cols };
        YK_GO(check(H5Dset_extent(s->data, size) >= 0, file, err));
    }
    YK_GO(cut_notes(file, err));
    YK_GO(commit(file, err));

done:
    yk_hdf5_restore(before);
    return status;
}

static const yk_format_again again = { h5_sync, h5_reopen, h5_cut };

#else /* without HDF5 */

static yoke_status no_hdf5(const char *path, yoke_err *err)
{
    return yk_fail(err, YOKE_E_MISSING,
                   "%s: built without HDF5; use a .csv file", path);
}

static yoke_status h5_create(void **out, const char *path, yoke_err *err)
{
    (void)out;
    return no_hdf5(path, err);
}

/* Nothing was created, so these are never called. */
#define h5_table NULL
#define h5_note  NULL
#define h5_rows  NULL
#define h5_flush NULL
#define h5_close NULL
static const yk_format_again again = { NULL, NULL, NULL };

#endif

const yk_format yk_format_hdf5 = {
    .extension = ".h5",
    .create = h5_create,
    .table = h5_table,
    .note = h5_note,
    .rows = h5_rows,
    .flush = h5_flush,
    .close = h5_close,
    .read = yk_hdf5_read,
    .notes = yk_hdf5_notes,
    .again = &again,
};
