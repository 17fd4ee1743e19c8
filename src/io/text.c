/* io/text.c -- see text.h. */
#define _POSIX_C_SOURCE 200809L
#include "io/text.h"

#include "base/bytes.h"
#include "base/seen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static yoke_status load(yk_text *text, FILE *from, const char *path,
                        yoke_err *err)
{
    enum { PIECE = 1 << 16 };

    for (;;) {
        YK_TRY(yk_grow((void **)&text->at, &text->room, text->length + PIECE, 1,
                       err));
        const size_t n = fread(text->at + text->length, 1, PIECE, from);
        text->length += n;
        if (n == 0) break;
    }
    if (ferror(from))
        return yk_fail(err, YOKE_E_FILE, "%s: cannot read: %s", path,
                       strerror(errno));
    return YOKE_OK;
}

yoke_status yk_cannot_read(const char *path, int code, yoke_err *err)
{
    yk_fail(err, YOKE_E_FILE, "%s: cannot read: %s", path, strerror(code));
    if (code == ENOENT) yk_suggest_file(path, err);
    return YOKE_E_FILE;
}

yoke_status yk_cannot_write(const char *path, int code, yoke_err *err)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    struct stat about;

    yk_fail(err, YOKE_E_FILE, "%s: cannot write: %s", path, strerror(code));
    if (code != ENOENT || !slash || slash - path >= (int)sizeof folder)
        return YOKE_E_FILE;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (folder[0] && stat(folder, &about) != 0)
        yk_suffix(err, "; there is no folder \"%s\": make it first", folder);
    return YOKE_E_FILE;
}

yoke_status yk_text_load(yk_text *text, const char *path, yoke_err *err)
{
    FILE *from = fopen(path, "rbe");

    if (!from) return yk_cannot_read(path, errno, err);
    yk_seen_tell(path);
    const yoke_status status = load(text, from, path, err);
    fclose(from);
    return status;
}
