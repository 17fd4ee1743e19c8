/* io/hdf5.c -- tables in one HDF5 file; the only file that knows the library.
 *
 *     /TABLE/data     rows by columns, chunked, grows by rows; its attributes
 *                     `names` and `units` are variable-length strings
 *     attributes of / the notes
 *
 * When HDF5 itself meets a full disk it may leave its index half written and
 * the whole file unreadable.  So the space of a block is reserved before HDF5
 * sees the block: a full disk is noticed while the file is whole.  What was
 * reserved too much is cut off in `close`.
 *
 * The library prints nothing: HDF5's printing is off while we are in it.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"

#ifdef YOKE_HAVE_HDF5
#include "io/text.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than the index of one table grows by one block. */
enum { MARGIN = 1 << 16 };

typedef struct sheet {
    hid_t data;
    int cols;
    size_t block; /* bytes */
    hsize_t rows;
} sheet;

typedef struct h5 {
    hid_t file;
    int descriptor; /* ours, for reserving */
    char *path;
    hsize_t reserved;
    sheet *sheet;
    size_t sheets, room;
} h5;

typedef struct printing {
    H5E_auto2_t function;
    void *data;
} printing;

static printing silence(void)
{
    printing before = { NULL, NULL };

    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

static void restore(printing before)
{
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

/* The innermost message is the cause. */
static herr_t first_message(unsigned n, const H5E_error2_t *error, void *out)
{
    if (n == 0) snprintf(out, 400, "%s", error->desc ? error->desc : "");
    return 0;
}

static yoke_status h5_fail(const char *path, const char *what, yoke_err *err)
{
    char text[400] = "";

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_message, text);
    return yk_fail(err, YOKE_E_FILE, "%s: %s: HDF5: %s", path, what,
                   text[0] ? text : "unknown error");
}

/* To be called before the next call of HDF5, which clears its messages. */
static yoke_status check(bool ok, const h5 *file, yoke_err *err)
{
    return ok ? YOKE_OK : h5_fail(file->path, "cannot write", err);
}

static yoke_status system_fail(const char *path, const char *what, int code,
                               yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "%s: %s: %s", path, what, strerror(code));
}

static yoke_status reserve(h5 *file, size_t bytes, yoke_err *err)
{
    hsize_t size = 0;

    YK_TRY(check(H5Fget_filesize(file->file, &size) >= 0, file, err));
    size += bytes + MARGIN;
    if (size <= file->reserved) return YOKE_OK;
    const int code = posix_fallocate(file->descriptor, (off_t)file->reserved,
                                     (off_t)(size - file->reserved));
    /* Where the file system cannot reserve we go on without. */
    if (code != 0 && code != EOPNOTSUPP && code != EINVAL && code != ENOSYS)
        return system_fail(file->path, "cannot write", code, err);
    file->reserved = size;
    return YOKE_OK;
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

static size_t text_bytes(int count, const char *const *text)
{
    size_t bytes = 0;

    for (int i = 0; i < count; i++)
        bytes += 64 + (text && text[i] ? strlen(text[i]) : 0);
    return bytes;
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
    for (size_t i = 0; i < file->sheets; i++) H5Dclose(file->sheet[i].data);
    if (file->file >= 0) H5Fclose(file->file);
    if (file->descriptor >= 0) close(file->descriptor);
    yk_free(file->sheet);
    yk_free(file->path);
    yk_free(file);
}

/* The format of version 1.8 has no limit of 64 KiB on the list of names, and no
 * mark that makes a file unreadable after a crash.  Locks are not asked for, so
 * that a file can be read while a run writes it; within one process both sides
 * must agree on that. */
static hid_t file_access(void)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
#if H5_VERSION_GE(1, 12, 1) ||                                                 \
    (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
    H5Pset_file_locking(access, false, true);
#endif
    return access;
}

static yoke_status create_file(h5 *file, yoke_err *err)
{
    const hid_t access = file_access();

    file->file = H5Fcreate(file->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const yoke_status status = check(file->file >= 0, file, err);
    H5Pclose(access);
    return status;
}

static yoke_status h5_create(void **out, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const printing before = silence();
    h5 *file = NULL;

    YK_GO(YK_NEW(&file, 1, err));
    file->file = -1;
    file->descriptor = -1;
    YK_GO(yk_copy_text(&file->path, path, err));
    file->descriptor =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0)
        YK_GO(system_fail(path, "cannot write", errno, err));
    YK_GO(create_file(file, err));
    YK_GO(reserve(file, 0, err));
    *out = file;
    file = NULL;

done:
    if (file) h5_free(file);
    restore(before);
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
    const printing before = silence();
    h5 *file = self;
    sheet s = { -1, cols, 0, 0 };

    s.block = (size_t)cols * (size_t)block * sizeof(double);
    YK_GO(yk_grow((void **)&file->sheet, &file->room, file->sheets + 1,
                  sizeof s, err));
    YK_GO(reserve(file, text_bytes(cols, name) + text_bytes(cols, unit), err));
    YK_GO(create_data(file, table, cols, block, &s.data, err));
    YK_GO(write_texts(file, s.data, "names", cols, name, err));
    YK_GO(write_units(file, s.data, cols, unit, err));
    file->sheet[file->sheets++] = s;
    s.data = -1;

done:
    if (s.data >= 0) H5Dclose(s.data);
    restore(before);
    return status;
}

static yoke_status h5_note(void *self, const char *name, const char *text,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const printing before = silence();
    h5 *file = self;

    YK_GO(reserve(file, text_bytes(1, &text), err));
    if (H5Aexists(file->file, name) > 0) H5Adelete(file->file, name);
    YK_GO(write_texts(file, file->file, name, -1, &text, err));

done:
    restore(before);
    return status;
}

static yoke_status append(const h5 *file, sheet *s, int rows,
                          const double *value, yoke_err *err)
{
    const hsize_t start[2] = { s->rows, 0 };
    const hsize_t count[2] = { (hsize_t)rows, (hsize_t)s->cols };
    const hsize_t size[2] = { s->rows + count[0], count[1] };

    YK_TRY(check(H5Dset_extent(s->data, size) >= 0, file, err));
    const hid_t from = H5Screate_simple(2, count, NULL);
    const hid_t to = H5Dget_space(s->data);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL);
    const herr_t wrote =
        H5Dwrite(s->data, H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, value);
    const yoke_status status = check(wrote >= 0, file, err);
    H5Sclose(to);
    H5Sclose(from);
    if (status == YOKE_OK) s->rows = size[0];
    return status;
}

static yoke_status h5_rows(void *self, int id, int rows, const double *value,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const printing before = silence();
    h5 *file = self;
    sheet *s = &file->sheet[id];

    /* After a flush the rows may begin inside a chunk and reach the next. */
    YK_GO(reserve(file, 2 * s->block, err));
    YK_GO(append(file, s, rows, value, err));

done:
    restore(before);
    return status;
}

static yoke_status h5_flush(void *self, yoke_err *err)
{
    const printing before = silence();
    h5 *file = self;
    const yoke_status status =
        check(H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0, file, err);

    restore(before);
    return status;
}

static yoke_status close_file(h5 *file, yoke_err *err)
{
    hsize_t size = 0;

    for (size_t i = 0; i < file->sheets; i++) H5Dclose(file->sheet[i].data);
    file->sheets = 0;
    if (H5Fflush(file->file, H5F_SCOPE_GLOBAL) < 0 ||
        H5Fget_filesize(file->file, &size) < 0 || H5Fclose(file->file) < 0)
        return h5_fail(file->path, "cannot write", err);
    file->file = -1;
    if (ftruncate(file->descriptor, (off_t)size) != 0)
        return system_fail(file->path, "cannot write", errno, err);
    return YOKE_OK;
}

static yoke_status h5_close(void *self, yoke_err *err)
{
    const printing before = silence();
    const yoke_status status = close_file(self, err);

    h5_free(self);
    restore(before);
    return status;
}

/* ---- Reading ------------------------------------------------------------- */

/* The handles of one reading. */
typedef struct source {
    const char *path, *table;
    hid_t file, data, space;
} source;

static yoke_status not_ours(const source *s, const char *text, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "%s: table \"%s\": %s", s->path, s->table,
                   text);
}

static yoke_status open_file(source *s, yoke_err *err)
{
    const int descriptor = open(s->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return system_fail(s->path, "cannot read", errno, err);
    close(descriptor);

    const hid_t access = file_access();
    s->file = H5Fopen(s->path, H5F_ACC_RDONLY, access);
    const yoke_status status =
        s->file < 0 ? h5_fail(s->path, "cannot read", err) : YOKE_OK;
    H5Pclose(access);
    return status;
}

static yoke_status open_data(source *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_text name = { NULL, 0, 0 };

    YK_GO(yk_text_put(&name, s->table, err));
    YK_GO(yk_text_put(&name, "/data", err));
    if (H5Lexists(s->file, s->table, H5P_DEFAULT) <= 0)
        YK_GO(not_ours(s, "there is no such table", err));
    s->data = H5Dopen2(s->file, name.at, H5P_DEFAULT);
    if (s->data < 0) YK_GO(h5_fail(s->path, "cannot read", err));
    s->space = H5Dget_space(s->data);

done:
    yk_text_clear(&name);
    return status;
}

/* A damaged shape must not make us ask for all memory: data that deflate can
 * compress holds at most about a thousand times its size on disk. */
static yoke_status read_shape(const source *s, hsize_t shape[2], yoke_err *err)
{
    if (H5Sget_simple_extent_ndims(s->space) != 2 ||
        H5Sget_simple_extent_dims(s->space, shape, NULL) != 2)
        return not_ours(s, "the data is not rows by columns", err);
    if (shape[1] < 1 || shape[1] > INT_MAX || shape[0] > INT_MAX)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: table \"%s\" is %llu by %llu: empty or too large",
                       s->path, s->table, (unsigned long long)shape[0],
                       (unsigned long long)shape[1]);
    const double bytes = 8.0 * (double)shape[0] * (double)shape[1];
    if (bytes > 1100.0 * (double)H5Dget_storage_size(s->data))
        return not_ours(s, "there is less data than its shape says", err);
    return YOKE_OK;
}

static yoke_status copy_texts(char ***out, int count, char *const *from,
                              yoke_err *err)
{
    YK_TRY(YK_NEW(out, count, err));
    for (int i = 0; i < count; i++)
        YK_TRY(yk_copy_text(&(*out)[i], from[i] ? from[i] : "", err));
    return YOKE_OK;
}

/* `type` and `space` are those of attribute `a`. */
static yoke_status read_strings(const source *s, hid_t a, hid_t type,
                                hid_t space, char ***out, int count,
                                yoke_err *err)
{
    char **text = NULL;

    if (H5Tis_variable_str(type) <= 0 ||
        H5Sget_simple_extent_npoints(space) != count)
        return not_ours(s, "names or units do not fit the columns", err);
    YK_TRY(YK_NEW(&text, count, err));
    if (H5Aread(a, type, text) < 0) {
        yk_free(text);
        return h5_fail(s->path, "cannot read", err);
    }
    const yoke_status status = copy_texts(out, count, text, err);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
    yk_free(text);
    return status;
}

static yoke_status read_texts(const source *s, const char *attribute,
                              char ***out, int count, yoke_err *err)
{
    const hid_t a = H5Aopen(s->data, attribute, H5P_DEFAULT);
    if (a < 0) return h5_fail(s->path, "cannot read", err);
    const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    const yoke_status status = read_strings(s, a, type, space, out, count, err);

    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(a);
    return status;
}

static yoke_status read_table(source *s, yoke_table *out, yoke_err *err)
{
    hsize_t shape[2];

    YK_TRY(open_file(s, err));
    YK_TRY(open_data(s, err));
    YK_TRY(read_shape(s, shape, err));
    out->cols = (int)shape[1];
    YK_TRY(read_texts(s, "names", &out->name, out->cols, err));
    YK_TRY(read_texts(s, "units", &out->unit, out->cols, err));
    YK_TRY(yk_doubles(&out->value, (size_t)shape[0] * (size_t)shape[1], err));
    out->rows = (int)shape[0];
    if (out->rows > 0 && H5Dread(s->data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                 H5P_DEFAULT, out->value) < 0)
        return h5_fail(s->path, "cannot read", err);
    return YOKE_OK;
}

static yoke_status h5_read(yoke_table *out, const char *path, const char *table,
                           yoke_err *err)
{
    const printing before = silence();
    source s = { path, table, -1, -1, -1 };
    const yoke_status status = read_table(&s, out, err);

    if (s.space >= 0) H5Sclose(s.space);
    if (s.data >= 0) H5Dclose(s.data);
    if (s.file >= 0) H5Fclose(s.file);
    restore(before);
    return status;
}

/* One text, as h5_note writes it; false: it is something else. */
static bool read_note(hid_t a, char **out)
{
    const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    const bool ours = H5Tis_variable_str(type) > 0 &&
                      H5Sget_simple_extent_npoints(space) == 1;
    const bool done = ours && H5Aread(a, type, out) >= 0 && *out;

    H5Sclose(space);
    H5Tclose(type);
    return done;
}

/* What the callback below works on. */
typedef struct collection {
    yk_note_list list;
    yoke_status status;
    yoke_err *err;
} collection;

static herr_t collect_note(hid_t object, const char *name,
                           const H5A_info_t *info, void *data)
{
    collection *c = data;
    char *text = NULL;
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT);

    (void)info;
    if (a < 0) return 0;
    if (read_note(a, &text))
        c->status = yk_note_add(&c->list, name, text, c->err);
    H5free_memory(text);
    H5Aclose(a);
    return c->status == YOKE_OK ? 0 : 1;
}

static yoke_status read_notes(source *s, yoke_notes *out, yoke_err *err)
{
    collection c = { { out, 0, 0 }, YOKE_OK, err };

    YK_TRY(open_file(s, err));
    if (H5Aiterate2(s->file, H5_INDEX_NAME, H5_ITER_INC, NULL, collect_note,
                    &c) < 0)
        return h5_fail(s->path, "cannot read", err);
    return c.status;
}

static yoke_status h5_notes(yoke_notes *out, const char *path, yoke_err *err)
{
    const printing before = silence();
    source s = { path, "", -1, -1, -1 };
    const yoke_status status = read_notes(&s, out, err);

    if (s.file >= 0) H5Fclose(s.file);
    restore(before);
    return status;
}

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

static yoke_status h5_read(yoke_table *out, const char *path, const char *table,
                           yoke_err *err)
{
    (void)out;
    (void)table;
    return no_hdf5(path, err);
}

static yoke_status h5_notes(yoke_notes *out, const char *path, yoke_err *err)
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

#endif

const yk_format yk_format_hdf5 = {
    .extension = ".h5",
    .create = h5_create,
    .table = h5_table,
    .note = h5_note,
    .rows = h5_rows,
    .flush = h5_flush,
    .close = h5_close,
    .read = h5_read,
    .notes = h5_notes,
};
