/* base/bytes.c -- a file as text in memory. */
#define _POSIX_C_SOURCE 200809L
#include "base/bytes.h"

#include "base/near.h"
#include "base/seen.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void yk_suggest_file(const char *path, yoke_err *err)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    char where[1000], best[256] = "";

    snprintf(where, sizeof where, "%.*s", folder ? folder : 1,
             folder ? path : ".");
    DIR *there = opendir(where);
    if (!there) return;
    for (const struct dirent *e; (e = readdir(there));) {
        const char *pair[] = { best, e->d_name };
        const char *near = e->d_name[0] == '.'
                               ? NULL
                               : yk_nearest_word(path + folder, 2, pair);
        if (near == e->d_name && strlen(near) < sizeof best) strcpy(best, near);
    }
    closedir(there);
    if (best[0])
        yk_suffix(err, "; did you mean \"%.*s%s\"?", folder < 200 ? folder : 0,
                  path, best);
}

static yoke_status cannot_read(const char *path, yoke_err *err)
{
    const int why = errno;

    yk_fail(err, YOKE_E_FILE, "%.300s: %s", path, strerror(why));
    if (why == ENOENT) yk_suggest_file(path, err);
    return YOKE_E_FILE;
}

yoke_status yk_bytes_readable(const char *path, yoke_err *err)
{
    struct stat about;

    if (stat(path, &about) != 0) return cannot_read(path, err);
    if (S_ISREG(about.st_mode)) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "\"%.300s\" is %s", path,
                   S_ISDIR(about.st_mode) ? "a folder, not a file"
                                          : "not a regular file");
}

static yoke_status read_stream(FILE *stream, char **text, size_t *length,
                               const char *path, int most_mib, yoke_err *err)
{
    size_t room = 0, used = 0;

    do {
        YK_TRY(yk_grow((void **)text, &room, used + 65536, 1, err));
        used += fread(*text + used, 1, room - used - 1, stream);
        if (used > (size_t)most_mib << 20)
            return yk_fail(err, YOKE_E_FILE,
                           "\"%.300s\" has more than %d MiB, which is the most "
                           "that is read",
                           path, most_mib);
    } while (!feof(stream) && !ferror(stream));
    if (ferror(stream)) return cannot_read(path, err);
    (*text)[used] = '\0';
    *length = used;
    return YOKE_OK;
}

yoke_status yk_bytes_read(char **text, size_t *length, const char *path,
                          int most_mib, yoke_err *err)
{
    YK_TRY(yk_bytes_readable(path, err));
    FILE *stream = fopen(path, "rbe");
    if (!stream) return cannot_read(path, err);
    yk_seen_tell(path);
    const yoke_status status =
        read_stream(stream, text, length, path, most_mib, err);
    fclose(stream);
    if (status == YOKE_OK) return YOKE_OK;
    yk_free(*text);
    *text = NULL;
    return status;
}
