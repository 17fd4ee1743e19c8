/* export/pack.c -- binary, files and interface of an FMU in a folder.
 *
 * The files of the system keep their places relative to each other: what is
 * common to all paths is left out.
 */
#define _GNU_SOURCE
#include "export/export.h"

#include "base/beside.h"
#include "fmi/interface.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 4096, MOST_FILES = 10000 };

/* ---- copies ------------------------------------------------------------- */

/* All folders of the path of a file. */
static yoke_status make_folders(char *path, yoke_err *err)
{
    for (char *p = path + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        const bool bad = mkdir(path, 0700) != 0 && errno != EEXIST;
        const int why = errno;
        *p = '/';
        if (bad)
            return yk_fail(err, YOKE_E_FILE, "%.300s: %s", path, strerror(why));
    }
    return YOKE_OK;
}

/* Copies a file; its bytes go into the digest. */
static yoke_status copy_file(const char *from, char *to, yk_digest *digest,
                             yoke_err *err)
{
    char block[1 << 14];
    size_t got = 0;

    YK_TRY(make_folders(to, err));
    FILE *in = fopen(from, "rb");
    FILE *out = in ? fopen(to, "wb") : NULL;
    bool good = in && out;
    while (good && (got = fread(block, 1, sizeof block, in)) > 0) {
        yk_digest_add(digest, block, got);
        good = fwrite(block, 1, got, out) == got;
    }
    good = good && !ferror(in);
    if (out && fclose(out) != 0) good = false;
    if (in) fclose(in);
    if (good) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "%.300s: cannot be copied to %.300s: %s",
                   from, to, strerror(errno));
}

/* ---- the binary --------------------------------------------------------- */

static yoke_status find_binary(char path[ROOM], yoke_err *err)
{
    return yk_beside("yoke-fmi.so", R_OK,
                     ": the binary of exported FMUs is built where libklu.a, "
                     "libbtf.a, libamd.a, libcolamd.a, libsuitesparseconfig.a "
                     "and libyaml.a are",
                     path, ROOM, err);
}

/* The names of this platform in FMI 2.0 and 3.0. */
#if defined(__x86_64__)
static const char *const platform[] = { "linux64", "x86_64-linux" };
#elif defined(__aarch64__)
static const char *const platform[] = { "linux-aarch64", "aarch64-linux" };
#else
static const char *const platform[] = { "linux", "linux" };
#endif

static yoke_status copy_binary(yk_export *e, char *to, size_t room,
                               yk_digest *digest, yoke_err *err)
{
    char from[ROOM];

    YK_TRY(find_binary(from, err));
    snprintf(to, room, "%s/binaries/%s/%s.so", e->folder, platform[e->fmi == 3],
             e->identifier);
    return copy_file(from, to, digest, err);
}

/* ---- the files of the system -------------------------------------------- */

typedef struct sources {
    int count;
    char *path[MOST_FILES]; /* absolute */
    size_t common;          /* bytes of the path that all have */
} sources;

static void sources_clear(sources *s)
{
    for (int i = 0; i < s->count; i++) free(s->path[i]);
}

static yoke_status add_source(sources *s, const char *path, yoke_err *err)
{
    const char *dot = strrchr(path, '.');
    char *full = realpath(path, NULL);

    if (!full)
        return yk_fail(err, YOKE_E_FILE, "%.300s: %s", path, strerror(errno));
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->path[i], full) == 0) {
            free(full);
            return YOKE_OK;
        }
    if (s->count == MOST_FILES || (dot && strcmp(dot, ".geo") == 0)) {
        free(full);
        return yk_fail(err, YOKE_E_FILE,
                       s->count == MOST_FILES
                           ? "%.300s: the system has too many files"
                           : "%.300s needs gmsh where the FMU runs: make a "
                             ".msh file of it and name that",
                       path);
    }
    s->path[s->count++] = full;
    return YOKE_OK;
}

/* The folder that all are in. */
static void find_common(sources *s)
{
    s->common = (size_t)(strrchr(s->path[0], '/') - s->path[0]) + 1;
    for (int i = 1; i < s->count; i++)
        while (strncmp(s->path[0], s->path[i], s->common) != 0) {
            s->common--;
            while (s->common > 0 && s->path[0][s->common - 1] != '/')
                s->common--;
        }
}

/* The system file is the first. */
static yoke_status find_sources(const yk_export *e, sources *s, yoke_err *err)
{
    const char *path = NULL;

    YK_TRY(add_source(s, e->path, err));
    for (int i = 0; (path = yoke_file_source_at(e->file, i)); i++)
        YK_TRY(add_source(s, path, err));
    find_common(s);
    return YOKE_OK;
}

static yoke_status copy_sources(yk_export *e, yk_digest *digest, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    sources *s = NULL;
    char to[ROOM];

    YK_TRY(YK_NEW(&s, 1, err));
    YK_GO(find_sources(e, s, err));
    for (int i = 0; i < s->count; i++) {
        const int wrote = snprintf(to, sizeof to, "%s/resources/%s", e->folder,
                                   s->path[i] + s->common);
        if (wrote >= ROOM)
            YK_GO(yk_fail(err, YOKE_E_FILE, "%.300s: the path is too long",
                          s->path[i]));
        yk_digest_text(digest, s->path[i] + s->common);
        YK_GO(copy_file(s->path[i], to, digest, err));
    }
    YK_GO(yk_copy_text(&e->system, s->path[0] + s->common, err));
done:
    sources_clear(s);
    yk_free(s);
    return status;
}

/* ---- yoke.txt ----------------------------------------------------------- */

/* Options of the run that the file does not have, or has otherwise. */
static void write_options(const yk_export *e, FILE *f)
{
    static const char *const own[] = { "start", "stop",   "output",
                                       "every", "record", "iterates" };
    const yoke_run_options *file = yoke_file_run_options(e->file);
    yoke_option_text o;
    char a[64], b[64];

    for (int i = 0; yoke_run_list(i, &o); i++) {
        bool skip = false;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            skip = skip || strcmp(o.name, own[k]) == 0;
        const char *x = yoke_run_get(&e->run, i, a);
        const char *y = yoke_run_get(file, i, b);
        if (!skip && strcmp(x, y) != 0) fprintf(f, "option %s=%s\n", o.name, x);
    }
    if (e->run.record[0]) fprintf(f, "option record=%s\n", e->run.record);
}

static void write_body(const yk_export *e, FILE *f)
{
    static const char *const word[] = { [YK_EXPORT_PARAMETER] = "parameter",
                                        [YK_EXPORT_INPUT] = "input",
                                        [YK_EXPORT_OUTPUT] = "output",
                                        [YK_EXPORT_LOCAL] = "local" };

    fprintf(f, "system %s\nspan %.17g %.17g\n", e->system, e->run.start,
            e->run.stop);
    for (int i = 0; i < e->options->settings; i++)
        if (strncmp(e->options->setting[i].name, "run.", 4) != 0)
            fprintf(f, "setting %s=%s\n", e->options->setting[i].name,
                    e->options->setting[i].value);
    write_options(e, f);
    for (int i = 1; i < e->variables; i++)
        fprintf(f, "%s %.17g %s\n", word[e->variable[i].kind],
                e->variable[i].start, e->variable[i].inner);
}

static yoke_status write_interface(yk_export *e, yk_digest *digest,
                                   yoke_err *err)
{
    unsigned char sum[YK_DIGEST_SIZE];
    char path[ROOM], *body = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&body, &length);

    if (!memory) return yk_fail(err, YOKE_E_MEMORY, "out of memory");
    write_body(e, memory);
    bool good = fclose(memory) == 0 && body;
    if (good) yk_digest_add(digest, body, length);
    yk_digest_end(digest, sum);
    yk_digest_write(sum, e->token);
    snprintf(path, sizeof path, "%s/resources/%s", e->folder, YK_FMI_FILE);
    FILE *f = good ? fopen(path, "w") : NULL;
    good = f && fprintf(f, "yoke 1\ntoken %s\n%s", e->token, body) > 0;
    if (f && fclose(f) != 0) good = false;
    free(body);
    if (good) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "%.300s: cannot be written", path);
}

yoke_status yk_export_gather(yk_export *e, char *binary, size_t room,
                             yoke_err *err)
{
    yk_digest digest;

    yk_digest_begin(&digest);
    YK_TRY(copy_binary(e, binary, room, &digest, err));
    YK_TRY(copy_sources(e, &digest, err));
    return write_interface(e, &digest, err);
}
