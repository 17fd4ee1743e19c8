/* comp/fmu/archive.c -- zip archives through libzip, the only file that knows
 * it. */
#define _GNU_SOURCE
#include "comp/fmu/archive.h"

#include "base/seen.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#ifdef YOKE_LAZY_ZIP
#include "base/lazy.h"
#include "base/transfer.h"

#include <pthread.h>

#define FUNCTIONS(X)                                                           \
    X(zip_close)                                                               \
    X(zip_discard)                                                             \
    X(zip_error_fini)                                                          \
    X(zip_error_init_with_code)                                                \
    X(zip_error_strerror)                                                      \
    X(zip_fclose)                                                              \
    X(zip_file_add)                                                            \
    X(zip_file_set_mtime)                                                      \
    X(zip_fopen)                                                               \
    X(zip_fopen_index)                                                         \
    X(zip_fread)                                                               \
    X(zip_get_name)                                                            \
    X(zip_get_num_entries)                                                     \
    X(zip_open)                                                                \
    X(zip_source_buffer)                                                       \
    X(zip_source_file)                                                         \
    X(zip_source_free)                                                         \
    X(zip_stat)                                                                \
    X(zip_strerror)

/* Written once, by `load`. */
/* clang-format off */
static struct {
#define MEMBER(f) __typeof__(f) *f##_;
    FUNCTIONS(MEMBER)
#undef MEMBER
} z;
/* clang-format on */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static yoke_err missing;

static void load_once(void)
{
#define ROW(f) { #f, &z.f##_ },
    const yk_lazy_name list[] = { FUNCTIONS(ROW) };
#undef ROW

    missing.status = yk_lazy_load(YOKE_LAZY_ZIP, list,
                                  (int)(sizeof list / sizeof *list), &missing);
}

static yoke_status load(yoke_err *err)
{
    pthread_once(&once, load_once);
    if (missing.status != YOKE_OK && err) *err = missing;
    return missing.status;
}

#define zip_close                (*z.zip_close_)
#define zip_discard              (*z.zip_discard_)
#define zip_error_fini           (*z.zip_error_fini_)
#define zip_error_init_with_code (*z.zip_error_init_with_code_)
#define zip_error_strerror       (*z.zip_error_strerror_)
#define zip_fclose               (*z.zip_fclose_)
#define zip_file_add             (*z.zip_file_add_)
#define zip_file_set_mtime       (*z.zip_file_set_mtime_)
#define zip_fopen                (*z.zip_fopen_)
#define zip_fopen_index          (*z.zip_fopen_index_)
#define zip_fread                (*z.zip_fread_)
#define zip_get_name             (*z.zip_get_name_)
#define zip_get_num_entries      (*z.zip_get_num_entries_)
#define zip_open                 (*z.zip_open_)
#define zip_source_buffer        (*z.zip_source_buffer_)
#define zip_source_file          (*z.zip_source_file_)
#define zip_source_free          (*z.zip_source_free_)
#define zip_stat                 (*z.zip_stat_)
#define zip_strerror             (*z.zip_strerror_)
#else
static yoke_status load(yoke_err *err)
{
    (void)err;
    return YOKE_OK;
}
#endif

enum { PATH = 4096, MOST_FILES = 100000, DEEPEST = 32 };
enum { TIME = 315576000 }; /* of all files that are written: in 1980 */
static const double MOST_BYTES = 4.0 * 1024 * 1024 * 1024;

/* A text of one character is a thousandth when packed, tables and programs are a
 * twentieth at least.  The first bytes are free. */
static const double MOST_RATIO = 200.0, FREE_BYTES = 64.0 * 1024 * 1024;

bool yk_archive_is_inside(const char *name)
{
    if (!name[0] || name[0] == '/' || strchr(name, '\\')) return false;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < 32) return false;
    for (const char *p = name; p; p = strchr(p, '/')) {
        if (*p == '/') p++;
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2])) return false;
    }
    return strlen(name) < PATH / 2;
}

/* All folders of the path of a file. */
static yoke_status make_folders(char *path, size_t from, yoke_err *err)
{
    for (char *p = path + from; (p = strchr(p, '/')); p++) {
        *p = '\0';
        const int bad = mkdir(path, 0700);
        const int why = errno;
        if (bad && why != EEXIST)
            return yk_fail(err, YOKE_E_FILE, "%s: %s", path, strerror(why));
        *p = '/';
    }
    return YOKE_OK;
}

/* What was unpacked, and what may be. */
typedef struct budget {
    double bytes, most;
} budget;

static yoke_status copy_bytes(zip_file_t *from, int to, const char *archive,
                              budget *left, yoke_err *err)
{
    char block[1 << 16];
    zip_int64_t got;

    while ((got = zip_fread(from, block, sizeof block)) > 0) {
        left->bytes += (double)got;
        if (left->bytes > MOST_BYTES)
            return yk_fail(err, YOKE_E_FILE,
                           "%s: more than 4 GiB when unpacked", archive);
        if (left->bytes > left->most)
            return yk_fail(err, YOKE_E_FILE,
                           "%s: more than %g times its size when unpacked, "
                           "which no model is; if it is meant, unpack it and "
                           "name the folder",
                           archive, MOST_RATIO);
        const int why = yk_write_bytes(to, block, (size_t)got, YK_HERE, NULL);
        if (why)
            return yk_fail(err, YOKE_E_FILE, "%s: unpacking it: %s", archive,
                           strerror(why));
    }
    if (got < 0) return yk_fail(err, YOKE_E_FILE, "%s: damaged", archive);
    return YOKE_OK;
}

static yoke_status unpack_file(zip_t *zip, zip_uint64_t i, const char *archive,
                               char *path, budget *left, yoke_err *err)
{
    zip_file_t *from = zip_fopen_index(zip, i, 0);
    yoke_status status;

    if (!from)
        return yk_fail(err, YOKE_E_FILE, "%s: %s", path, zip_strerror(zip));
    const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0700);
    if (to < 0 && errno == EEXIST)
        status = yk_fail(err, YOKE_E_FILE, "%s: \"%s\" is in it twice", archive,
                         zip_get_name(zip, i, 0));
    else if (to < 0)
        status = yk_fail(err, YOKE_E_FILE, "%s: %s", path, strerror(errno));
    else
        status = copy_bytes(from, to, archive, left, err);
    if (to >= 0 && close(to) != 0 && status == YOKE_OK)
        status = yk_fail(err, YOKE_E_FILE, "%s: %s", path, strerror(errno));
    zip_fclose(from);
    return status;
}

static yoke_status unpack_all(zip_t *zip, const char *archive,
                              const char *folder, yoke_err *err)
{
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    const size_t length = strlen(folder);
    budget left = { .bytes = 0.0 };
    struct stat about;
    char path[PATH];

    left.most = stat(archive, &about) == 0
                    ? MOST_RATIO * (double)about.st_size + FREE_BYTES
                    : FREE_BYTES;
    if (count > MOST_FILES)
        return yk_fail(err, YOKE_E_FILE, "%s: more than %d files", archive,
                       MOST_FILES);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);

        if (!name || !yk_archive_is_inside(name))
            return yk_fail(err, YOKE_E_FILE,
                           "%s: the name \"%s\" in it is not permitted",
                           archive, name ? name : "");
        snprintf(path, sizeof path, "%s/%s", folder, name);
        YK_TRY(make_folders(path, length + 1, err));
        if (path[strlen(path) - 1] != '/')
            YK_TRY(
                unpack_file(zip, (zip_uint64_t)i, archive, path, &left, err));
    }
    return YOKE_OK;
}

/* Local headers are not compared with the directory: archives that were written
 * as a stream differ there, and only the directory is used. */
static yoke_status open_archive(zip_t **out, const char *path, yoke_err *err)
{
    int why = 0;
    zip_error_t text;

    YK_TRY(load(err));
    yk_seen_tell(path);
    *out = zip_open(path, ZIP_RDONLY, &why);
    if (*out) return YOKE_OK;
    zip_error_init_with_code(&text, why);
    yk_fail(err, YOKE_E_FILE, "%s: %s", path, zip_error_strerror(&text));
    zip_error_fini(&text);
    return YOKE_E_FILE;
}

/* ---- folders ----------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static yoke_status copy_file(const char *from, const char *to, double *bytes,
                             yoke_err *err)
{
    char block[1 << 16];
    size_t got;
    yoke_status status = YOKE_OK;
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;

    if (!out)
        status = yk_fail(err, YOKE_E_FILE, "%s: %s", in ? to : from,
                         strerror(errno));
    while (status == YOKE_OK && (got = fread(block, 1, sizeof block, in)) > 0) {
        *bytes += (double)got;
        if (*bytes > MOST_BYTES)
            status = yk_fail(err, YOKE_E_FILE, "%s: more than 4 GiB", from);
        else if (fwrite(block, 1, got, out) != got)
            status = yk_fail(err, YOKE_E_FILE, "%s: %s", to, strerror(errno));
    }
    if (in) fclose(in);
    if (out && fclose(out) != 0 && status == YOKE_OK)
        status = yk_fail(err, YOKE_E_FILE, "%s: %s", to, strerror(errno));
    return status;
}

/* Files and folders below `from`; links are not followed. */
static yoke_status copy_folder(const char *from, const char *to, int depth,
                               double *bytes, yoke_err *err)
{
    DIR *list = opendir(from);
    yoke_status status = YOKE_OK;

    if (!list)
        return yk_fail(err, YOKE_E_FILE, "%s: %s", from, strerror(errno));
    for (struct dirent *e; status == YOKE_OK && (e = readdir(list));) {
        char source[PATH], target[PATH];
        struct stat about;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (snprintf(source, PATH, "%s/%s", from, e->d_name) >= PATH ||
            snprintf(target, PATH, "%s/%s", to, e->d_name) >= PATH ||
            depth > DEEPEST)
            status = yk_fail(err, YOKE_E_FILE, "%s: too deep", from);
        else if (lstat(source, &about) != 0)
            status =
                yk_fail(err, YOKE_E_FILE, "%s: %s", source, strerror(errno));
        else if (S_ISREG(about.st_mode))
            status = copy_file(source, target, bytes, err);
        else if (S_ISDIR(about.st_mode) && mkdir(target, 0700) != 0)
            status =
                yk_fail(err, YOKE_E_FILE, "%s: %s", target, strerror(errno));
        else if (S_ISDIR(about.st_mode))
            status = copy_folder(source, target, depth + 1, bytes, err);
    }
    closedir(list);
    return status;
}

static yoke_status unpack_to(const char *name, const char *path, yoke_err *err)
{
    zip_t *zip = NULL;
    double bytes = 0.0;

    if (is_folder(path)) return copy_folder(path, name, 0, &bytes, err);
    YK_TRY(open_archive(&zip, path, err));
    const yoke_status status = unpack_all(zip, path, name, err);
    zip_discard(zip);
    return status;
}

yoke_status yk_archive_unpack(char **folder, const char *path, yoke_err *err)
{
    const char *place = getenv("TMPDIR");
    char name[PATH];

    snprintf(name, sizeof name, "%s/yoke-XXXXXX", place ? place : "/tmp");
    if (!mkdtemp(name))
        return yk_fail(err, YOKE_E_FILE, "%s: %s", name, strerror(errno));
    yoke_status status = unpack_to(name, path, err);
    if (status == YOKE_OK) status = yk_copy_text(folder, name, err);
    if (status != YOKE_OK) {
        char *copy = NULL;

        if (yk_copy_text(&copy, name, NULL) == YOKE_OK) yk_archive_remove(copy);
    }
    return status;
}

static int remove_one(const char *path, const struct stat *s, int what,
                      struct FTW *place)
{
    (void)s, (void)what, (void)place;
    return remove(path);
}

void yk_archive_remove(char *folder)
{
    if (folder) nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    yk_free(folder);
}

/* ---- writing ------------------------------------------------------------ */

static yoke_status refuse_pack(zip_t *zip, const char *path, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "%s: %s", path, zip_strerror(zip));
}

static yoke_status pack_file(zip_t *zip, const char *path, const char *name,
                             yoke_err *err)
{
    zip_source_t *source = zip_source_file(zip, path, 0, -1);

    if (!source) return refuse_pack(zip, path, err);
    const zip_int64_t at = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
    if (at < 0) {
        zip_source_free(source);
        return refuse_pack(zip, path, err);
    }
    zip_file_set_mtime(zip, (zip_uint64_t)at, TIME, 0);
    return YOKE_OK;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The files of path, whose names in the archive begin at byte `from`. */
static yoke_status pack_folder(zip_t *zip, char *path, size_t from,
                               yoke_err *err)
{
    struct dirent **entry = NULL;
    const size_t length = strlen(path);
    const int count = scandir(path, &entry, NULL, by_name);
    yoke_status status = YOKE_OK;
    struct stat about;

    if (count < 0)
        return yk_fail(err, YOKE_E_FILE, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;
        const bool own = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        if (status == YOKE_OK && !own) {
            if (length + strlen(name) + 2 > PATH)
                status =
                    yk_fail(err, YOKE_E_FILE, "%s/%s: too long", path, name);
            else
                sprintf(path + length, "/%s", name);
            if (status == YOKE_OK && stat(path, &about) == 0)
                status = S_ISDIR(about.st_mode)
                             ? pack_folder(zip, path, from, err)
                             : pack_file(zip, path, path + from, err);
            path[length] = '\0';
        }
        free(entry[i]);
    }
    free(entry);
    return status;
}

static yoke_status create_archive(zip_t **out, const char *path, yoke_err *err)
{
    int why = 0;
    zip_error_t text;

    YK_TRY(load(err));
    *out = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &why);
    if (*out) return YOKE_OK;
    zip_error_init_with_code(&text, why);
    yk_fail(err, YOKE_E_FILE, "%s: %s", path, zip_error_strerror(&text));
    zip_error_fini(&text);
    return YOKE_E_FILE;
}

static yoke_status finish_archive(zip_t *zip, const char *path,
                                  yoke_status status, yoke_err *err)
{
    if (status == YOKE_OK && zip_close(zip) == 0) return YOKE_OK;
    if (status == YOKE_OK) status = refuse_pack(zip, path, err);
    zip_discard(zip);
    return status;
}

yoke_status yk_archive_pack(const char *path, const char *folder, yoke_err *err)
{
    char name[PATH];
    zip_t *zip = NULL;

    YK_TRY(create_archive(&zip, path, err));
    snprintf(name, sizeof name, "%s", folder);
    return finish_archive(zip, path,
                          pack_folder(zip, name, strlen(folder) + 1, err), err);
}

yoke_status yk_archive_read(char **text, size_t *length, const char *folder,
                            const char *name, size_t most, yoke_err *err)
{
    char path[PATH];
    yoke_status status = YOKE_OK;
    char *block = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return yk_fail(err, YOKE_E_FILE, "%s: %s", name, strerror(errno));
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    if (size < 0 || (size_t)size > most)
        status = yk_fail(err, YOKE_E_FILE, "%s: too long", name);
    if (status == YOKE_OK)
        status = yk_alloc((void **)&block, (size_t)size + 1, 1, err);
    if (status == YOKE_OK &&
        fread(block, 1, (size_t)size, file) != (size_t)size)
        status = yk_fail(err, YOKE_E_FILE, "%s: %s", name, strerror(errno));
    fclose(file);
    if (status != YOKE_OK) {
        yk_free(block);
        return status;
    }
    *text = block;
    *length = (size_t)size;
    return YOKE_OK;
}

/* ---- without unpacking ------------------------------------------------- */

static yoke_status read_entry(zip_t *zip, const char *path, const char *name,
                              size_t most, char **text, size_t *length,
                              yoke_err *err)
{
    zip_stat_t about;
    zip_file_t *file = NULL;
    char *block = NULL;
    yoke_status status;

    if (zip_stat(zip, name, 0, &about) != 0)
        return yk_fail(err, YOKE_E_FILE, "%s: there is no %s in it", path,
                       name);
    if (!(about.valid & ZIP_STAT_SIZE) || about.size > most)
        return yk_fail(err, YOKE_E_FILE, "%s: %s is too long", path, name);
    YK_TRY(yk_alloc((void **)&block, (size_t)about.size + 1, 1, err));
    file = zip_fopen(zip, name, 0);
    char beyond;
    if (file && zip_fread(file, block, about.size) == (zip_int64_t)about.size &&
        zip_fread(file, &beyond, 1) == 0) { /* then its sum was compared */
        *text = block;
        *length = (size_t)about.size;
        status = YOKE_OK;
    } else {
        yk_free(block);
        status = yk_fail(err, YOKE_E_FILE, "%s: %s is damaged", path, name);
    }
    if (file) zip_fclose(file);
    return status;
}

yoke_status yk_archive_entry(char **text, size_t *length, const char *path,
                             const char *name, size_t most, yoke_err *err)
{
    zip_t *zip = NULL;

    YK_TRY(open_archive(&zip, path, err));
    const yoke_status status =
        read_entry(zip, path, name, most, text, length, err);
    zip_discard(zip);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

yoke_status yk_archive_list(char ***name, int *count, const char *folder,
                            const char *end, yoke_err *err)
{
    DIR *open = opendir(folder);
    const size_t tail = strlen(end);
    size_t room = 0;
    yoke_status status = YOKE_OK;

    if (!open)
        return yk_fail(err, YOKE_E_FILE, "%s: %s", folder, strerror(errno));
    for (const struct dirent *e; status == YOKE_OK && (e = readdir(open));) {
        const size_t length = strlen(e->d_name);

        if (length <= tail || strcmp(e->d_name + length - tail, end) != 0)
            continue;
        status = YK_GROW(name, &room, (size_t)*count + 1, err);
        if (status == YOKE_OK)
            status = yk_copy_text(&(*name)[*count], e->d_name, err);
        if (status == YOKE_OK) ++*count;
    }
    closedir(open);
    if (*count > 0) qsort(*name, (size_t)*count, sizeof **name, compare_names);
    return status;
}

/* ---- pieces ------------------------------------------------------------ */

static yoke_status pack_text(zip_t *zip, const yk_archive_item *item,
                             yoke_err *err)
{
    zip_source_t *source =
        zip_source_buffer(zip, item->text, strlen(item->text), 0);

    if (!source) return refuse_pack(zip, item->name, err);
    const zip_int64_t at =
        zip_file_add(zip, item->name, source, ZIP_FL_ENC_UTF_8);
    if (at < 0) {
        zip_source_free(source);
        return refuse_pack(zip, item->name, err);
    }
    zip_file_set_mtime(zip, (zip_uint64_t)at, TIME, 0);
    return YOKE_OK;
}

yoke_status yk_archive_write(const char *path, int count,
                             const yk_archive_item *item, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    zip_t *zip = NULL;

    YK_TRY(create_archive(&zip, path, err));
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status = item[i].file ? pack_file(zip, item[i].file, item[i].name, err)
                              : pack_text(zip, &item[i], err);
    return finish_archive(zip, path, status, err);
}
