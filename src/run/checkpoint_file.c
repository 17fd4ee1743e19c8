/* run/checkpoint_file.c -- the file of a checkpoint.
 *
 * A new file is written beside the old one, synchronised with the disk and then
 * given its name, so at every moment there is a complete one: a process that is
 * killed and a disk that is full cost the new checkpoint and nothing else.
 */
#define _DEFAULT_SOURCE
#include "run/checkpoint.h"

#include "base/digest.h"
#include "base/transfer.h"
#include "run/places.h"
#include "yoke/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "yokeckp";

enum { BUFFER = 1 << 16, PATH = 4200 };

/* ---- writing ------------------------------------------------------------- */

typedef struct sink {
    int file;
    int failure; /* number of errno of the first write that failed */
    yk_digest digest;
    size_t waiting;
    char buffer[BUFFER];
} sink;

static void put(sink *s, const char *bytes, size_t length)
{
    if (s->failure == 0)
        s->failure = yk_write_bytes(s->file, bytes, length, YK_HERE, NULL);
}

static void flush(sink *s)
{
    put(s, s->buffer, s->waiting);
    s->waiting = 0;
}

static void add(sink *s, const void *bytes, size_t length)
{
    if (s->failure || length == 0) return;
    yk_digest_add(&s->digest, bytes, length);
    if (length > BUFFER - s->waiting) flush(s);
    if (length > BUFFER) {
        put(s, bytes, length);
        return;
    }
    memcpy(s->buffer + s->waiting, bytes, length);
    s->waiting += length;
}

static size_t image_size(int slot)
{
    yk_image_place at = { 0, 0, slot };
    const char *bytes = NULL;
    size_t length = 0, sum = 0;

    while (yk_image_next(&at, &bytes, &length)) sum += length;
    return sum;
}

static void add_section(void *self, const char *bytes, size_t length)
{
    add(self, bytes, length);
}

/* What this process has is written when others are asked for theirs. */
static yoke_status write_all(sink *s, const yk_checkpoint_head *head,
                             const yk_text *about, const yk_places *more,
                             yoke_err *err)
{
    yk_image_place at = { 0, 0, 0 };
    yk_image_layout layout;
    unsigned char digest[YK_DIGEST_SIZE];
    const char *bytes = NULL;
    size_t length = 0;

    yk_digest_begin(&s->digest);
    add(s, head, sizeof *head);
    add(s, about->at, about->length);
    yk_image_now(0, &layout);
    add(s, &layout, sizeof layout);
    while (yk_image_next(&at, &bytes, &length)) add(s, bytes, length);
    for (int k = 0; k < (int)head->sections && s->failure == 0; k++)
        YK_TRY(more->ops->section(more->self, k, add_section, s, err));
    yk_digest_end(&s->digest, digest);
    flush(s);
    put(s, (const char *)digest, sizeof digest);
    return YOKE_OK;
}

static yoke_status cannot(const char *path, const char *what, int code,
                          yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "checkpoint %.400s: cannot %s: %s", path,
                   what, strerror(code));
}

/* Names are on the disk when their folder is. */
static void sync_folder(const char *path)
{
    char copy[PATH];

    snprintf(copy, sizeof copy, "%s", path);
    const int folder = open(dirname(copy), O_RDONLY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder); /* some file systems cannot */
    close(folder);
}

/* ---- one run for a file --------------------------------------------------- */

/* The file that this process has written last, or goes on from: open, and locked as
 * long as the process lives.  File systems without locks do without. */
static int held = -1;

static yoke_status is_busy(const char *path, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE,
                   "checkpoint %.400s: another run is saved there; wait for "
                   "its end, or choose another name",
                   path);
}

static bool lock(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Is this the file of that name? */
static bool has_name(int file, const char *path)
{
    struct stat one, other;

    return file >= 0 && fstat(file, &one) == 0 && stat(path, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static void hold(int file)
{
    if (held >= 0) close(held);
    held = file;
}

yoke_status yk_checkpoint_hold(const char *path, yoke_err *err)
{
    if (has_name(held, path)) return YOKE_OK;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return YOKE_OK; /* there is none, or it cannot be read */
    if (!lock(file)) {
        close(file);
        return is_busy(path, err);
    }
    hold(file);
    return YOKE_OK;
}

/* A new file, empty, that no other process writes. */
static yoke_status open_fresh(int *out, const char *fresh, const char *path,
                              yoke_err *err)
{
    YK_TRY(yk_checkpoint_hold(path, err));
    const int file = open(fresh, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return cannot(path, "write", errno, err);
    if (!lock(file) || !has_name(file, fresh)) {
        close(file);
        return is_busy(path, err);
    }
    if (ftruncate(file, 0) != 0) {
        const int code = errno;
        close(file);
        return cannot(path, "write", code, err);
    }
    *out = file;
    return YOKE_OK;
}

/* The old one keeps its name until the new one takes it. */
static int exchange(const char *fresh, const char *path, const char *old)
{
    if (unlink(old) != 0 && errno != ENOENT) return errno;
    if (link(path, old) != 0 && errno != ENOENT && rename(path, old) != 0 &&
        errno != ENOENT)
        return errno;
    return rename(fresh, path) == 0 ? 0 : errno;
}

/* Nothing is allocated before the image is written: it would be missing in the
 * layout. */
yoke_status yk_checkpoint_save(const char *path, yk_checkpoint_head *head,
                               const yk_text *about, const yk_places *more,
                               yoke_err *err)
{
    char fresh[PATH], old[PATH];
    sink s;

    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= PATH - 8)
        return yk_fail(err, YOKE_E_ARG,
                       "the name of the checkpoint is longer "
                       "than permitted");
    snprintf(old, sizeof old, "%s.old", path);
    memcpy(head->magic, magic, sizeof magic);
    head->format = YK_CHECKPOINT_FORMAT;
    head->about = about->length;
    head->layout = sizeof(yk_image_layout);
    head->image = image_size(0);
    s.failure = 0;
    s.waiting = 0;
    YK_TRY(open_fresh(&s.file, fresh, path, err));
    const int mine = fcntl(s.file, F_DUPFD_CLOEXEC, 0); /* the same lock */
    const yoke_status status = write_all(&s, head, about, more, err);
    if (s.failure == 0 && fsync(s.file) != 0) s.failure = errno;
    if (close(s.file) != 0 && s.failure == 0 && errno != EINTR)
        s.failure = errno;
    if (s.failure == 0 && status == YOKE_OK)
        s.failure = exchange(fresh, path, old);
    if (s.failure != 0 || status != YOKE_OK) {
        unlink(fresh);
        if (mine >= 0) close(mine);
    } else
        hold(mine);
    if (status != YOKE_OK) return status;
    if (s.failure != 0) return cannot(path, "write", s.failure, err);
    sync_folder(path);
    return YOKE_OK;
}

/* ---- before the run ------------------------------------------------------ */

/* One that was begun is empty, or begins as they all do. */
static yoke_status may_replace(const char *path, yoke_err *err)
{
    char bytes[sizeof magic];
    struct stat about;

    if (lstat(path, &about) != 0)
        return errno == ENOENT ? YOKE_OK : cannot(path, "write", errno, err);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t n = file < 0 ? -1 : read(file, bytes, sizeof bytes);
    if (file >= 0) close(file);
    if (S_ISREG(about.st_mode) && n >= 0 &&
        memcmp(bytes, magic, (size_t)n) == 0)
        return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "checkpoint %.600s: this is there and is not a checkpoint; "
                   "choose another name, or remove it",
                   path);
}

yoke_status yoke_checkpoint_check(const char *path, yoke_err *err)
{
    static const char *const end[] = { "", ".old", ".new" };
    char name[PATH];
    struct stat about;

    if (snprintf(name, sizeof name, "%s.old", path) >= PATH)
        return cannot(path, "write", ENAMETOOLONG, err);
    snprintf(name, sizeof name, "%s", path);
    const char *folder = dirname(name);
    if (stat(folder, &about) != 0) return cannot(path, "write", errno, err);
    if (!S_ISDIR(about.st_mode)) return cannot(path, "write", ENOTDIR, err);
    if (access(folder, W_OK | X_OK) != 0)
        return cannot(path, "write", errno, err);
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s%s", path, end[k]);
        YK_TRY(may_replace(name, err));
    }
    return yk_checkpoint_hold(path, err);
}

/* ---- sections ------------------------------------------------------------ */

/* Nothing of the library is allocated here, as above. */
char *yk_section_pack(int slot, const void *kept, const yk_text *about,
                      size_t *size)
{
    yk_image_place at = { 0, 0, slot };
    yk_image_layout layout;
    const char *bytes = NULL;
    size_t length = 0;
    const yk_section_head head = { .about = about->length,
                                   .layout = sizeof layout,
                                   .image = image_size(slot),
                                   .kept = (uintptr_t)kept };

    *size = sizeof head + about->length + sizeof layout + head.image;
    char *all = malloc(*size + 1), *to = all;
    if (!all) return NULL;
    yk_image_now(slot, &layout);
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    memcpy(to, about->at, about->length);
    to += about->length;
    memcpy(to, &layout, sizeof layout);
    to += sizeof layout;
    for (; yk_image_next(&at, &bytes, &length); to += length)
        memcpy(to, bytes, length);
    return all;
}

/* The about, layout and image behind a head, which have been measured. */
static bool read_part(yk_checkpoint_part *p, char *bytes, size_t about,
                      size_t image)
{
    p->about = bytes;
    p->about_size = about;
    memcpy(&p->layout, bytes + about, sizeof p->layout);
    p->image = bytes + about + sizeof p->layout;
    p->image_size = image;
    return (about == 0 || p->about[about - 1] == '\0') &&
           yk_image_fits(&p->layout, p->image, image);
}

yoke_status yk_section_parse(yk_checkpoint_part *out, char *bytes, size_t size,
                             size_t *used, yoke_err *err)
{
    yk_section_head h;
    const size_t fixed = sizeof h + sizeof(yk_image_layout);
    yk_checkpoint_part p = { .whole = bytes };

    if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
    if (size < fixed || h.layout != sizeof(yk_image_layout) ||
        h.about > size - fixed || h.image > size - fixed - h.about ||
        !read_part(&p, bytes + sizeof h, h.about, h.image))
        return yk_fail(err, YOKE_E_FILE,
                       "the memory of a process does not fit together");
    p.kept = h.kept;
    p.whole_size = *used = fixed + h.about + h.image;
    *out = p;
    return YOKE_OK;
}

/* ---- reading ------------------------------------------------------------- */

/* Whoever can write the file decides what this process does. */
static yoke_status check_owner(int file, const char *path, off_t *size,
                               yoke_err *err)
{
    struct stat about;

    if (fstat(file, &about) != 0) return cannot(path, "read", errno, err);
    if (!S_ISREG(about.st_mode))
        return yk_fail(err, YOKE_E_FILE, "checkpoint %.400s: no regular file",
                       path);
    if (about.st_uid != geteuid() || about.st_mode & (S_IWGRP | S_IWOTH))
        return yk_fail(err, YOKE_E_FILE,
                       "checkpoint %.400s: others may write it, and it is "
                       "trusted like a program; it must belong to you alone "
                       "(chmod go-w)",
                       path);
    *size = about.st_size;
    return YOKE_OK;
}

static yoke_status read_bytes(int file, char *bytes, size_t size,
                              const char *path, yoke_err *err)
{
    size_t done = 0;
    const int why = yk_read_bytes(file, bytes, size, YK_HERE, &done);

    return done == size ? YOKE_OK : cannot(path, "read", why ? why : EIO, err);
}

static yoke_status damaged(const char *path, const char *how, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "checkpoint %.400s: %s", path, how);
}

static yoke_status check_head(const yk_checkpoint_head *h, size_t size,
                              const char *path, yoke_err *err)
{
    const size_t fixed = sizeof *h + sizeof(yk_image_layout) + YK_DIGEST_SIZE;

    if (h->format != YK_CHECKPOINT_FORMAT ||
        h->layout != sizeof(yk_image_layout))
        return damaged(path, "it was written by another version of the program",
                       err);
    if (h->about > size || h->image > size ||
        h->about + h->image + fixed > size ||
        (h->sections == 0 && h->about + h->image + fixed != size) ||
        h->sections >= YK_IMAGE_SLOTS)
        return damaged(path, "it is not complete", err);
    return YOKE_OK;
}

static bool digest_fits(const char *bytes, size_t size)
{
    unsigned char digest[YK_DIGEST_SIZE];
    yk_digest d;

    yk_digest_begin(&d);
    yk_digest_add(&d, bytes, size - YK_DIGEST_SIZE);
    yk_digest_end(&d, digest);
    return memcmp(digest, bytes + size - YK_DIGEST_SIZE, YK_DIGEST_SIZE) == 0;
}

static yoke_status read_sections(yk_checkpoint_bytes *b, const char *path,
                                 yoke_err *err)
{
    const size_t count = (size_t)b->head.sections;
    char *at = b->own.image + b->own.image_size;
    size_t left = (size_t)(b->bytes + b->size - at) - YK_DIGEST_SIZE, used = 0;

    if (count == 0) return YOKE_OK;
    b->section = calloc(count, sizeof *b->section);
    if (!b->section) return yk_fail(err, YOKE_E_MEMORY, "out of memory");
    for (size_t k = 0; k < count; k++) {
        if (yk_section_parse(&b->section[k], at, left, &used, NULL) !=
                YOKE_OK ||
            b->section[k].layout.slot != (int)k + 1)
            return damaged(path, "its parts do not fit together", err);
        at += used;
        left -= used;
    }
    return left == 0 ? YOKE_OK : damaged(path, "it is not complete", err);
}

static yoke_status check_bytes(yk_checkpoint_bytes *b, const char *path,
                               yoke_err *err)
{
    const size_t least = sizeof b->head + sizeof b->own.layout + YK_DIGEST_SIZE;

    if (b->size > 0 &&
        memcmp(b->bytes, magic,
               b->size < sizeof magic ? b->size : sizeof magic) != 0)
        return damaged(
            path, "it is not a checkpoint, or its beginning is damaged", err);
    if (b->size < least) return damaged(path, "it is not complete", err);
    memcpy(&b->head, b->bytes, sizeof b->head);
    YK_TRY(check_head(&b->head, b->size, path, err));
    if (!digest_fits(b->bytes, b->size))
        return damaged(path, "its bytes are damaged: the digest differs", err);
    if (!read_part(&b->own, b->bytes + sizeof b->head, b->head.about,
                   b->head.image) ||
        b->own.layout.slot != 0)
        return damaged(path, "its parts do not fit together", err);
    return read_sections(b, path, err);
}

yoke_status yk_checkpoint_parse(yk_checkpoint_bytes *out, char *bytes,
                                size_t size, const char *path, yoke_err *err)
{
    yk_checkpoint_bytes b = { .bytes = bytes, .size = size };
    const yoke_status status = check_bytes(&b, path, err);

    if (status != YOKE_OK)
        yk_checkpoint_clear(&b);
    else
        *out = b;
    return status;
}

yoke_status yk_checkpoint_load(yk_checkpoint_bytes *out, const char *path,
                               yoke_err *err)
{
    off_t size = 0;
    char *bytes = NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0) return cannot(path, "read", errno, err);
    yoke_status status = check_owner(file, path, &size, err);
    if (status == YOKE_OK && !(bytes = malloc((size_t)size + 1)))
        status = yk_fail(err, YOKE_E_MEMORY, "out of memory: %lld bytes of %s",
                         (long long)size, path);
    if (status == YOKE_OK)
        status = read_bytes(file, bytes, (size_t)size, path, err);
    close(file);
    if (status == YOKE_OK)
        return yk_checkpoint_parse(out, bytes, (size_t)size, path, err);
    free(bytes);
    return status;
}

void yk_checkpoint_clear(yk_checkpoint_bytes *b)
{
    free(b->section);
    free(b->bytes);
    *b = (yk_checkpoint_bytes){ 0 };
}

bool yk_checkpoint_pair(const yk_checkpoint_part *p, size_t *at,
                        const char **key, const char **value)
{
    if (*at >= p->about_size) return false;
    *key = p->about + *at;
    *at += strlen(*key) + 1;
    if (*at >= p->about_size) return false;
    *value = p->about + *at;
    *at += strlen(*value) + 1;
    return true;
}
