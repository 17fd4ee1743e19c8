/* file/bytes.c -- files on disk: what may be read, and where it lies. */
#define _POSIX_C_SOURCE 200809L
#include "file/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Devices and pipes may never end, so only regular files are read. */
yoke_status yk_file_is_readable(const char *path, yoke_err *err)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return yk_fail(err, YOKE_E_FILE, "cannot read \"%.300s\": %s", path,
                       strerror(errno));
    if (S_ISDIR(about.st_mode))
        return yk_fail(err, YOKE_E_FILE, "\"%.300s\" is a folder, not a file",
                       path);
    if (!S_ISREG(about.st_mode))
        return yk_fail(err, YOKE_E_FILE, "\"%.300s\" is not a regular file",
                       path);
    return YOKE_OK;
}

bool yk_file_is_same(const char *a, const char *b)
{
    struct stat about_a, about_b;

    if (strcmp(a, b) == 0) return true;
    return stat(a, &about_a) == 0 && stat(b, &about_b) == 0 &&
           about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
}

static yoke_status read_stream(FILE *stream, char **text, size_t *length,
                               yoke_err *err)
{
    size_t room = 0, used = 0;

    do {
        YK_TRY(yk_grow((void **)text, &room, used + 65536, 1, err));
        used += fread(*text + used, 1, room - used, stream);
        if (used > YK_YAML_BYTES)
            return yk_fail(err, YOKE_E_FILE,
                           "the file has more than 16 MiB, too much for a "
                           "system file");
    } while (!feof(stream) && !ferror(stream));
    if (ferror(stream))
        return yk_fail(err, YOKE_E_FILE, "cannot read: %s", strerror(errno));
    *length = used;
    return YOKE_OK;
}

yoke_status yk_file_bytes(char **text, size_t *length, const char *path,
                          yoke_err *err)
{
    YK_TRY(yk_file_is_readable(path, err));
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return yk_fail(err, YOKE_E_FILE, "cannot read \"%.300s\": %s", path,
                       strerror(errno));
    const yoke_status status = read_stream(stream, text, length, err);
    fclose(stream);
    if (status == YOKE_OK) return YOKE_OK;
    yk_free(*text);
    *text = NULL;
    return status;
}

yoke_status yk_file_beside(char **out, const char *path, const char *name,
                           yoke_err *err)
{
    const char *slash = strrchr(path, '/');
    const size_t folder =
        slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    const size_t room = folder + strlen(name) + 1;

    YK_TRY(yk_alloc((void **)out, room, 1, err));
    memcpy(*out, path, folder);
    memcpy(*out + folder, name, room - folder);
    return YOKE_OK;
}

bool yk_file_trusts(const yk_reader *r)
{
    return r->options && r->options->trust;
}
