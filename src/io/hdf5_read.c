/* io/hdf5_read.c -- reads tables and notes of HDF5 files.
 *
 * HDF5 1.10 crashes on files that are damaged or made to do so: it reads in a
 * process apart (io/apart.h).  What it reads is checked anyway: the data
 * of a table lies in the file itself, and is no larger than the file says.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"

#ifdef YOKE_HAVE_HDF5
#include "io/apart.h"
#include "io/hdf5.h"
#include "io/hdf5_drive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Deflate makes data at most about a thousand times smaller. */
#define MOST_DEFLATED 1100.0

yk_hdf5_printing yk_hdf5_silence(void)
{
    yk_hdf5_printing before = { NULL, NULL };

    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    return before;
}

void yk_hdf5_restore(yk_hdf5_printing before)
{
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

/* The innermost message is the cause. */
static herr_t first_message(unsigned n, const H5E_error2_t *error, void *out)
{
    if (n == 0) snprintf(out, 400, "%s", error->desc ? error->desc : "");
    return 0;
}

yoke_status yk_hdf5_fail(const char *path, const char *what, yoke_err *err)
{
    char text[400] = "";
    const yoke_status status = errno == ENOMEM ? YOKE_E_MEMORY : YOKE_E_FILE;

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_message, text);
    return yk_fail(err, status, "%s: %s: HDF5: %s", path, what,
                   text[0] ? text : "unknown error");
}

/* ---- In the process apart; its end closes everything --------------------- */

typedef struct source {
    const char *path, *table;
    hid_t file, data, space;
} source;

static yoke_status not_ours(const source *s, const char *text, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "%s: table \"%s\": %s", s->path, s->table,
                   text);
}

/* No code of others is loaded to decode data. */
static yoke_status open_file(source *s, yoke_err *err)
{
    struct stat about;
    const int descriptor = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (descriptor < 0 || fstat(descriptor, &about) != 0)
        return yk_cannot_read(s->path, errno, err);
    close(descriptor);
    if (!S_ISREG(about.st_mode))
        return yk_fail(err, YOKE_E_FILE, "%s: cannot read: no regular file",
                       s->path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    int code = 0;
    const hid_t access = yk_hdf5_access(&code);
    s->file = H5Fopen(s->path, H5F_ACC_RDONLY, access);
    if (code != 0) errno = code;
    return s->file < 0 ? yk_hdf5_fail(s->path, "cannot read", err) : YOKE_OK;
}

/* A link that stays in the file. */
static bool is_here(hid_t file, const char *name)
{
    H5L_info_t link;

    return H5Lexists(file, name, H5P_DEFAULT) > 0 &&
           H5Lget_info(file, name, &link, H5P_DEFAULT) >= 0 &&
           link.type == H5L_TYPE_HARD;
}

static yoke_status open_data(source *s, yoke_err *err)
{
    yk_text name = { NULL, 0, 0 };

    YK_TRY(yk_text_put(&name, s->table, err));
    YK_TRY(yk_text_put(&name, "/data", err));
    if (!is_here(s->file, s->table))
        return not_ours(s, "there is no such table", err);
    if (!is_here(s->file, name.at)) return not_ours(s, "it has no data", err);
    s->data = H5Dopen2(s->file, name.at, H5P_DEFAULT);
    if (s->data < 0) return yk_hdf5_fail(s->path, "cannot read", err);
    s->space = H5Dget_space(s->data);
    return YOKE_OK;
}

/* Data of other files is not read, and numbers are numbers. */
static yoke_status check_layout(const source *s, double *most, yoke_err *err)
{
    const hid_t plan = H5Dget_create_plist(s->data);
    const H5D_layout_t layout = H5Pget_layout(plan);
    const hid_t type = H5Dget_type(s->data);

    if ((layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS &&
         layout != H5D_COMPACT) ||
        H5Pget_external_count(plan) > 0)
        return not_ours(s, "the data is not in the file", err);
    if (H5Tget_class(type) != H5T_FLOAT && H5Tget_class(type) != H5T_INTEGER)
        return not_ours(s, "the data is not numbers", err);
    const double each = 8.0 / (double)H5Tget_size(type);
    *most = H5Pget_nfilters(plan) > 0 ? MOST_DEFLATED * each : each;
    return YOKE_OK;
}

/* A damaged shape must not make us ask for all memory, and rows that were never
 * written are no zeros. */
static yoke_status read_shape(const source *s, hsize_t shape[2], yoke_err *err)
{
    double most = 0.0;

    YK_TRY(check_layout(s, &most, err));
    if (H5Sget_simple_extent_ndims(s->space) != 2 ||
        H5Sget_simple_extent_dims(s->space, shape, NULL) != 2)
        return not_ours(s, "the data is not rows by columns", err);
    if (shape[1] < 1 || shape[1] > INT_MAX || shape[0] > INT_MAX)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: table \"%s\" is %llu by %llu: empty or too large",
                       s->path, s->table, (unsigned long long)shape[0],
                       (unsigned long long)shape[1]);
    const double bytes = 8.0 * (double)shape[0] * (double)shape[1];
    if (bytes > most * (double)H5Dget_storage_size(s->data))
        return not_ours(s, "there is less data than its shape says", err);
    return YOKE_OK;
}

static yoke_status read_texts(const source *s, const char *attribute, int count,
                              yk_parcel *out, yoke_err *err)
{
    char **text = NULL;
    const hid_t a = H5Aopen(s->data, attribute, H5P_DEFAULT);

    if (a < 0) return yk_hdf5_fail(s->path, "cannot read", err);
    const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    if (H5Tis_variable_str(type) <= 0 ||
        H5Sget_simple_extent_npoints(space) != count)
        return not_ours(s, "names or units do not fit the columns", err);
    YK_TRY(YK_NEW(&text, count, err));
    if (H5Aread(a, type, text) < 0)
        return yk_hdf5_fail(s->path, "cannot read", err);
    for (int i = 0; i < count; i++)
        YK_TRY(yk_parcel_put(out, text[i] ? text[i] : "", err));
    return YOKE_OK;
}

static yoke_status read_table(const void *context, yk_parcel *out,
                              yoke_err *err)
{
    source s = *(const source *)context;
    hsize_t shape[2] = { 0, 0 };

    YK_TRY(open_file(&s, err));
    YK_TRY(open_data(&s, err));
    YK_TRY(read_shape(&s, shape, err));
    out->count[0] = (int)shape[1];
    out->count[1] = (int)shape[0];
    YK_TRY(read_texts(&s, "names", out->count[0], out, err));
    YK_TRY(read_texts(&s, "units", out->count[0], out, err));
    out->values = (size_t)shape[0] * (size_t)shape[1];
    YK_TRY(yk_doubles(&out->value, out->values, err));
    if (out->values > 0 && H5Dread(s.data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                   H5P_DEFAULT, out->value) < 0)
        return yk_hdf5_fail(s.path, "cannot read", err);
    return YOKE_OK;
}

/* One text, as it is written; NULL: it is something else. */
static char *read_note(hid_t object, const char *name)
{
    char *text = NULL;
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT);

    if (a < 0) return NULL;
    const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    const bool ours = H5Tis_variable_str(type) > 0 &&
                      H5Sget_simple_extent_npoints(space) == 1;
    return ours && H5Aread(a, type, &text) >= 0 ? text : NULL;
}

/* What the callback below works on. */
typedef struct collection {
    yk_parcel *out;
    yoke_status status;
    yoke_err *err;
} collection;

static herr_t collect_note(hid_t object, const char *name,
                           const H5A_info_t *info, void *data)
{
    collection *c = data;
    const char *text = read_note(object, name);

    (void)info;
    if (!text) return 0;
    c->status = yk_parcel_put(c->out, name, c->err);
    if (c->status == YOKE_OK) c->status = yk_parcel_put(c->out, text, c->err);
    return c->status == YOKE_OK ? 0 : 1;
}

static yoke_status read_notes(const void *context, yk_parcel *out,
                              yoke_err *err)
{
    source s = *(const source *)context;
    collection c = { out, YOKE_OK, err };

    YK_TRY(open_file(&s, err));
    if (H5Aiterate2(s.file, H5_INDEX_NAME, H5_ITER_INC, NULL, collect_note,
                    &c) < 0)
        return yk_hdf5_fail(s.path, "cannot read", err);
    return c.status;
}

/* ---- In ours ------------------------------------------------------------- */

static yoke_status take_texts(char ***out, int count, const yk_parcel *from,
                              size_t *at, yoke_err *err)
{
    YK_TRY(YK_NEW(out, count, err));
    for (int i = 0; i < count; i++) {
        const char *text = yk_parcel_next(from, at);
        YK_TRY(yk_copy_text(&(*out)[i], text ? text : "", err));
    }
    return YOKE_OK;
}

yoke_status yk_hdf5_read(yoke_table *out, const char *path, const char *table,
                         yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const source s = { path, table, -1, -1, -1 };
    yk_parcel p = { .count = { 0 } };
    size_t at = 0;

    YK_TRY(yk_hdf5_load(err));
    YK_TRY(yk_apart(path, read_table, &s, &p, err));
    if (p.count[0] < 1 || p.count[1] < 0 ||
        p.values != (size_t)p.count[0] * (size_t)p.count[1])
        YK_GO(not_ours(&s, "the file is damaged", err));
    out->cols = p.count[0];
    YK_GO(take_texts(&out->name, out->cols, &p, &at, err));
    YK_GO(take_texts(&out->unit, out->cols, &p, &at, err));
    out->rows = p.count[1];
    out->value = p.value;
    p.value = NULL;
done:
    yk_parcel_clear(&p);
    return status;
}

yoke_status yk_hdf5_notes(yoke_notes *out, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const source s = { path, "", -1, -1, -1 };
    yk_parcel p = { .count = { 0 } };
    yk_note_list list = { out, 0, 0 };
    const char *name = NULL;
    size_t at = 0;

    YK_TRY(yk_hdf5_load(err));
    YK_TRY(yk_apart(path, read_notes, &s, &p, err));
    while ((name = yk_parcel_next(&p, &at))) {
        const char *text = yk_parcel_next(&p, &at);
        YK_GO(yk_note_add(&list, name, text ? text : "", err));
    }
done:
    yk_parcel_clear(&p);
    return status;
}

#else /* without HDF5 */

static yoke_status no_hdf5(const char *path, yoke_err *err)
{
    return yk_fail(err, YOKE_E_MISSING,
                   "%s: built without HDF5; use a .csv file", path);
}

yoke_status yk_hdf5_read(yoke_table *out, const char *path, const char *table,
                         yoke_err *err)
{
    (void)out, (void)table;
    return no_hdf5(path, err);
}

yoke_status yk_hdf5_notes(yoke_notes *out, const char *path, yoke_err *err)
{
    (void)out;
    return no_hdf5(path, err);
}

#endif
