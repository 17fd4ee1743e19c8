/* expr/object.c -- compiles generated C and loads it.
 *
 * The object is kept under the key of all it depends on, so it is found again
 * as long as nothing changes, and loaded only if its seal is right
 * (expr/code_cache.c).  It is built and sealed in a new folder inside the cache
 * and renamed into place: readers never see half a file, and two programs that
 * compile the same code do not disturb each other.  Where the cache cannot be
 * used, or nothing may be executed there, a temporary folder takes its place
 * for this run, and the reason is reported.
 *
 * The only file that loads generated code.
 */
#define _XOPEN_SOURCE 700

#include "expr/object.h"

#include "base/process.h"
#include "expr/code_cache.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 24, COMMAND = 256, PATH_SIZE = YK_CODE_PATH };

/* Longer code takes a compiler more than some seconds: many equations that are
 * no loops. */
enum {
    LONG_CODE = 200 * 1024,
    LONGER_CODE = 1024 * 1024,
    MOST_CODE = 2 * 1024 * 1024
};

/* IEEE arithmetic as written: no contraction, no replaced functions.  math
 * errno is not looked at. */
/* The second one is replaced for long code. */
static const char *const flags[] = {
    "-std=c11",        "-O2",          "-fPIC", "-shared", "-ffp-contract=off",
    "-fno-math-errno", "-fno-builtin", "-w"
};
enum { FLAGS = sizeof flags / sizeof *flags };

struct yk_object {
    void *library;
};

void yk_object_free(yk_object *object)
{
    if (!object) return;
    if (object->library) dlclose(object->library);
    yk_free(object);
}

/* ---- The command -------------------------------------------------------- */

typedef struct recipe {
    char command[COMMAND], *word[WORDS + FLAGS + 4];
    int words;
    yk_code_key key;
} recipe;

/* The command may have several words; no shell is involved. */
static int split_command(char *text, char **word, int most)
{
    int count = 0;

    for (char *p = text; *p && count < most;) {
        while (*p == ' ') *p++ = '\0';
        if (!*p) break;
        word[count++] = p;
        while (*p && *p != ' ') p++;
    }
    return count;
}

static yoke_status make_recipe(recipe *r, const char *compiler,
                               const yk_c_text *source, yoke_err *err)
{
    char program[PATH_SIZE];

    if (strlen(compiler) >= sizeof r->command)
        return yk_fail(err, YOKE_E_MISSING, "the compiler's name is too long");
    YK_TRY(yk_code_find_compiler(compiler, program, err));
    memcpy(r->command, compiler, strlen(compiler) + 1);
    int count = split_command(r->command, r->word, WORDS);
    for (int k = 0; k < FLAGS; k++) r->word[count++] = (char *)flags[k];
    if (source->length > LONG_CODE) /* the same bits, sooner */
        r->word[count - FLAGS + 1] =
            (char *)(source->length > LONGER_CODE ? "-O0" : "-O1");
    r->word[count] = NULL;
    r->words = count;
    return yk_code_make_key(&r->key, program, r->word + 1, source->text,
                            source->length, err);
}

/* ---- The folder it is built in ------------------------------------------ */

typedef struct workshop {
    char folder[PATH_SIZE]; /* new, inside the cache or the temporary one */
    char source[PATH_SIZE + 16], object[PATH_SIZE + 16];
    char message[PATH_SIZE + 16];
} workshop;

static yoke_status open_workshop(workshop *w, const char *parent, yoke_err *err)
{
    const int n =
        snprintf(w->folder, sizeof w->folder, "%s/yoke-XXXXXX", parent);
    if (n < 0 || (size_t)n >= sizeof w->folder || !mkdtemp(w->folder)) {
        const int why = n < 0 || n >= PATH_SIZE ? ENAMETOOLONG : errno;
        w->folder[0] = '\0';
        return yk_fail(err, YOKE_E_MISSING,
                       "no folder can be made in %.200s: %s", parent,
                       strerror(why));
    }
    snprintf(w->source, sizeof w->source, "%s/code.c", w->folder);
    snprintf(w->object, sizeof w->object, "%s/code.so", w->folder);
    snprintf(w->message, sizeof w->message, "%s/message", w->folder);
    return YOKE_OK;
}

static void close_workshop(const workshop *w)
{
    if (!w->folder[0]) return;
    (void)unlink(w->source);
    (void)unlink(w->object);
    (void)unlink(w->message);
    (void)rmdir(w->folder);
}

static yoke_status write_source(const workshop *w, const yk_c_text *source,
                                yoke_err *err)
{
    FILE *file = fopen(w->source, "w");

    if (!file)
        return yk_fail(err, YOKE_E_MISSING, "%s: %s", w->source,
                       strerror(errno));
    const bool whole =
        fwrite(source->text, 1, source->length, file) == source->length;
    const int why = errno;
    if (fclose(file) != 0 || !whole)
        return yk_fail(err, YOKE_E_MISSING, "%s cannot be written: %s",
                       w->source, strerror(whole ? errno : why));
    return YOKE_OK;
}

static yoke_status compile(const workshop *w, recipe *r, yoke_err *err)
{
    r->word[r->words] = (char *)"-o";
    r->word[r->words + 1] = (char *)w->object;
    r->word[r->words + 2] = (char *)w->source;
    r->word[r->words + 3] = NULL;
    return yk_process_run("compiler", r->word, w->message, err);
}

/* ---- Loading ------------------------------------------------------------ */

static yoke_status load(yk_object *n, const char *path, yoke_err *err)
{
    n->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (n->library) return YOKE_OK;
    const char *why = dlerror();
    return yk_fail(err, YOKE_E_MISSING,
                   "compiled code cannot be loaded: %.400s", why ? why : path);
}

yoke_status yk_object_find(const yk_object *object, const char *name, void *out,
                           yoke_err *err)
{
    void *symbol = dlsym(object->library, name);

    if (!symbol)
        return yk_fail(err, YOKE_E_MISSING, "compiled code has no function %s",
                       name);
    memcpy(out, &symbol, sizeof symbol); /* as POSIX asks for */
    return YOKE_OK;
}

/* In a new folder inside `parent`; kept as `path` unless that is NULL. */
static yoke_status build(yk_object *n, const yk_c_text *source, recipe *r,
                         const char *parent, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    workshop w = { .folder = "" };

    YK_GO(yk_code_may_run(parent, err));
    YK_GO(open_workshop(&w, parent, err));
    YK_GO(write_source(&w, source, err));
    YK_GO(compile(&w, r, err));
    if (path) {
        YK_GO(yk_code_seal(w.object, &r->key, err));
        if (rename(w.object, path) != 0)
            YK_GO(yk_fail(err, YOKE_E_MISSING, "%.200s cannot be written: %s",
                          path, strerror(errno)));
    }
    YK_GO(load(n, path ? path : w.object, err));
done:
    if (status == YOKE_E_MISSING) yk_code_tell_space(parent, err);
    close_workshop(&w); /* a loaded library needs no file */
    return status;
}

/* What the cache has, or gets. */
static yoke_status from_cache(yk_object *n, const yk_c_text *source, recipe *r,
                              const char *cache, bool *cached, yoke_err *err)
{
    char path[PATH_SIZE];

    YK_TRY(yk_code_open_cache(cache, err));
    YK_TRY(yk_code_may_run(cache, err));
    YK_TRY(yk_code_path(path, cache, &r->key, err));
    if (!yk_code_is_sealed(path, &r->key)) {
        yk_code_tidy(cache);
        return build(n, source, r, cache, path, err);
    }
    YK_TRY(load(n, path, err));
    *cached = true;
    return YOKE_OK;
}

static yoke_status make_code(yk_object *n, const yk_c_text *source,
                             const yk_native_options *options,
                             yk_native_report *report, yoke_err *err)
{
    yoke_status status = YOKE_E_MISSING;
    yoke_err why = { .status = YOKE_OK };
    recipe r;

    YK_TRY(make_recipe(&r, options->compiler, source, err));
    if (options->cache) {
        status =
            from_cache(n, source, &r, options->cache, &report->cached, &why);
        if (status == YOKE_OK) return YOKE_OK;
        if (status != YOKE_E_MISSING)
            return yk_fail(err, status, "%s", why.text);
        snprintf(report->text, sizeof report->text, "%.299s", why.text);
    }
    if (options->scratch)
        status = build(n, source, &r, options->scratch, NULL, err);
    if (!options->scratch || status == YOKE_E_MISSING)
        status = build(n, source, &r, P_tmpdir, NULL, err);
    if (status != YOKE_OK && why.text[0])
        yk_prefix(err, "%.300s; and in a temporary folder", why.text);
    return status;
}

yoke_status yk_object_create(yk_object **out, const yk_c_text *source,
                             const yk_native_options *options,
                             yk_native_report *report, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_object *object = NULL;

    *report = (yk_native_report){ .cached = false };
    if (source->status != YOKE_OK)
        return yk_fail(err, source->status, "no memory for generated code");
    if (source->length > MOST_CODE)
        return yk_fail(err, YOKE_E_MISSING,
                       "%zu bytes of C would take too long to compile",
                       source->length);
    YK_GO(YK_NEW(&object, 1, err));
    YK_GO(make_code(object, source, options, report, err));
    *out = object;
    return YOKE_OK;
done:
    yk_object_free(object);
    return status;
}
