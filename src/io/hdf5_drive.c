/* io/hdf5_drive.c -- HDF5 over io/pages.h.
 *
 * HDF5 writes its index in several pieces, in an order of its own, and when it
 * cannot write one it neither has a readable file nor can it close it: it
 * crashes when the program ends.  With this driver it writes to memory, which
 * succeeds; the file changes when it is told to, all at once.
 */
#define _POSIX_C_SOURCE 200809L
#ifdef YOKE_HAVE_HDF5
#include "io/hdf5_drive.h"

#include "base/base.h"
#include "io/pages.h"

#include <errno.h>
#include <sys/stat.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct drive {
    H5FD_t head; /* HDF5's own part comes first */
    yk_pages file;
    haddr_t end; /* of what HDF5 has allocated */
    dev_t device;
    ino_t number;
    bool writes;
    int failure; /* of a write or commit; 0: none.  HDF5 may not tell */
} drive;

/* HDF5 knows that it failed, errno why. */
static herr_t answer(int code)
{
    if (code == 0) return 0;
    errno = code;
    return -1;
}

/* What the list of yk_hdf5_access carries: where a failed open says why.  HDF5
 * does more after it and may leave another number in errno. */
typedef struct reason {
    int *code;
    bool again; /* it goes on: the file is there */
} reason;

static H5FD_t *refuse_open(hid_t access, int code)
{
    const reason *why = H5Pget_driver_info(access);

    if (why && why->code) *why->code = code;
    errno = code;
    return NULL;
}

static H5FD_t *drive_open(const char *name, unsigned flags, hid_t access,
                          haddr_t most)
{
    struct stat about;
    drive *d = NULL;

    (void)most;
    /* HDF5 first tries to open what it is to create; it is to be new. */
    const reason *way = H5Pget_driver_info(access);
    const bool again = way && way->again && flags & H5F_ACC_RDWR;
    const bool writes = again || (flags & H5F_ACC_TRUNC) != 0;
    if (flags & H5F_ACC_RDWR && !writes) return NULL;
    if (YK_NEW(&d, 1, NULL) != YOKE_OK) return refuse_open(access, ENOMEM);
    d->writes = writes;
    const int code = again ? yk_pages_reopen(&d->file, name)
                           : yk_pages_open(&d->file, name, writes);
    if (code != 0) {
        yk_free(d);
        return refuse_open(access, code);
    }
    if (fstat(d->file.descriptor, &about) == 0) {
        d->device = about.st_dev;
        d->number = about.st_ino;
    }
    return &d->head;
}

static herr_t drive_close(H5FD_t *file)
{
    drive *d = (drive *)file;

    yk_pages_close(&d->file);
    yk_free(d);
    return 0;
}

static int drive_cmp(const H5FD_t *a, const H5FD_t *b)
{
    const drive *p = (const drive *)a, *q = (const drive *)b;

    if (p->device != q->device) return p->device < q->device ? -1 : 1;
    if (p->number != q->number) return p->number < q->number ? -1 : 1;
    return 0;
}

static herr_t drive_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t drive_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const drive *)file)->end;
}

static herr_t drive_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t at)
{
    (void)type;
    ((drive *)file)->end = at;
    return 0;
}

static haddr_t drive_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const drive *)file)->file.end;
}

static herr_t drive_handle(H5FD_t *file, hid_t access, void **handle)
{
    (void)access;
    *handle = file;
    return 0;
}

static bool is_outside(const drive *d, haddr_t at, size_t size)
{
    return at == HADDR_UNDEF || at > d->end || size > d->end - at;
}

static herr_t drive_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer,
                         haddr_t at, size_t size, void *out)
{
    const drive *d = (const drive *)file;

    (void)type, (void)transfer;
    if (is_outside(d, at, size)) return -1;
    return answer(yk_pages_read(&d->file, at, size, out));
}

static herr_t drive_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer,
                          haddr_t at, size_t size, const void *from)
{
    drive *d = (drive *)file;

    (void)type, (void)transfer;
    if (!d->writes || is_outside(d, at, size)) return -1;
    const int code = yk_pages_write(&d->file, at, size, from);
    if (!d->failure) d->failure = code;
    return answer(code);
}

static herr_t drive_flush(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    (void)file, (void)transfer, (void)closing;
    return 0;
}

static herr_t drive_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    drive *d = (drive *)file;

    (void)transfer, (void)closing;
    if (d->writes) d->file.end = d->end;
    return 0;
}

static const H5FD_class_t drive_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)511, /* for private use */
#endif
    .name = "yoke",
    .maxaddr = ((haddr_t)1 << 62),
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(reason),
    .open = drive_open,
    .close = drive_close,
    .cmp = drive_cmp,
    .query = drive_query,
    .get_eoa = drive_eoa,
    .set_eoa = drive_set_eoa,
    .get_eof = drive_eof,
    .get_handle = drive_handle,
    .read = drive_read,
    .write = drive_write,
    .flush = drive_flush,
    .truncate = drive_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

static hid_t make_access(int *code, bool again)
{
    const reason why = { code, again };
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t driver = H5FDregister(&drive_class);

    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    H5Pset_driver(access, driver, &why);
    H5FDunregister(driver); /* the list holds it */
    return access;
}

hid_t yk_hdf5_access(int *code)
{
    return make_access(code, false);
}

hid_t yk_hdf5_access_again(int *code)
{
    return make_access(code, true);
}

static drive *drive_of(hid_t file)
{
    void *handle = NULL;

    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 ? NULL : handle;
}

int yk_hdf5_descriptor(hid_t file)
{
    const drive *d = drive_of(file);

    return d ? d->file.descriptor : -1;
}

int yk_hdf5_prepare(hid_t file, size_t bytes)
{
    drive *d = drive_of(file);

    return d ? yk_pages_prepare(&d->file, bytes) : EIO;
}

int yk_hdf5_commit(hid_t file)
{
    drive *d = drive_of(file);

    if (!d) return EIO;
    if (!d->failure) d->failure = yk_pages_commit(&d->file);
    return d->failure;
}

int yk_hdf5_failure(hid_t file)
{
    const drive *d = drive_of(file);

    return d ? d->failure : 0;
}

#else
typedef int yk_hdf5_drive_unused;
#endif
