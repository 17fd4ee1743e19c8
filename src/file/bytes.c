/* file/bytes.c -- files on disk: what may be read, and where it lies. */
#define _POSIX_C_SOURCE 200809L
#include "file/reader.h"

#include "base/bytes.h"

#include <string.h>
#include <sys/stat.h>

bool yk_file_is_same(const char *a, const char *b)
{
    struct stat about_a, about_b;

    if (strcmp(a, b) == 0) return true;
    return stat(a, &about_a) == 0 && stat(b, &about_b) == 0 &&
           about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
}

yoke_status yk_file_bytes(char **text, size_t *length, const char *path,
                          yoke_err *err)
{
    return yk_bytes_read(text, length, path, YK_YAML_BYTES >> 20, err);
}

yoke_status yk_file_beside(char **out, const char *path, const char *name,
                           yoke_err *err)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash && name[0] != '/' ? (int)(slash - path) + 1 : 0;

    return yk_print(out, err, "%.*s%s", folder, path, name);
}

bool yk_file_trusts(const yk_reader *r)
{
    return r->options && r->options->trust;
}
