/* base/seen.c -- the files that a model was read from, and what was in them.
 *
 * Who watches is known to the process: readers, which are many, need not be told.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static yk_seen *watching;

void yk_seen_watch(yk_seen *list)
{
    watching = list;
}

yk_seen *yk_seen_list(void)
{
    return watching;
}

static void digest_file(yk_seen_file *f)
{
    unsigned char block[1 << 14], digest[YK_DIGEST_SIZE];
    size_t got = 0;
    struct stat about;
    yk_digest d;

    if (stat(f->path, &about) != 0 || !S_ISREG(about.st_mode)) return;
    FILE *file = fopen(f->path, "rbe");
    if (!file) return;
    yk_digest_begin(&d);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        yk_digest_add(&d, block, got);
    yk_digest_end(&d, digest);
    if (!ferror(file)) yk_digest_write(digest, f->digest);
    fclose(file);
}

static bool is_there(const yk_seen *list, const yk_seen_file *f)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->file[k].path, f->path) == 0 &&
            strcmp(list->file[k].digest, f->digest) == 0)
            return true;
    return false;
}

static bool grow(yk_seen *list)
{
    const size_t room = list->room ? 2 * list->room : 16;

    if (list->count < list->room) return true;
    yk_seen_file *more = realloc(list->file, room * sizeof *more);
    if (!more) return false;
    list->file = more;
    list->room = room;
    return true;
}

void yk_seen_tell(const char *path)
{
    yk_seen *list = watching;
    yk_seen_file f = { NULL, "" };

    if (!list) return;
    f.path = strdup(path);
    if (!f.path || !grow(list)) {
        list->failed = true;
        free(f.path);
        return;
    }
    digest_file(&f);
    if (is_there(list, &f))
        free(f.path);
    else
        list->file[list->count++] = f;
}

bool yk_seen_differs(const yk_seen *list, const char *path, const char *digest)
{
    bool differs = false;

    for (size_t k = 0; k < list->count && digest[0]; k++) {
        const yk_seen_file *f = &list->file[k];
        if (strcmp(f->path, path) != 0 || !f->digest[0]) continue;
        if (strcmp(f->digest, digest) == 0) return false;
        differs = true;
    }
    return differs;
}

void yk_seen_clear(yk_seen *list)
{
    for (size_t k = 0; k < list->count; k++) free(list->file[k].path);
    free(list->file);
    *list = (yk_seen){ 0 };
}
