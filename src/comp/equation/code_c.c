/* comp/equation/code_c.c -- compiles generated C and loads it.
 *
 * The object is stored under the hash of the source and the command, so it is
 * found again as long as nothing changes.  It is built in a new folder inside
 * the cache and renamed into place: readers never see half a file, and two
 * programs that compile the same model do not disturb each other.
 *
 * The only file that loads libraries.
 */
#define _XOPEN_SOURCE 700

#include "comp/equation/code_c.h"

#include "base/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 24, PATH_SIZE = 1024 };

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

typedef void (*function)(double t, const double *w, double *out,
                         const int *const *list, const int *const *at,
                         const double *const *sign);

struct yk_native {
    void *library;
    function f, j;
    const int **list, **at;
    const double **sign;
};

void yk_native_free(yk_native *native)
{
    if (!native) return;
    if (native->library) dlclose(native->library);
    yk_free(native->list);
    yk_free(native->at);
    yk_free(native->sign);
    yk_free(native);
}

void yk_native_f(const yk_native *n, double t, const double *w, double *f)
{
    n->f(t, w, f, n->list, n->at, n->sign);
}

void yk_native_j(const yk_native *n, double t, const double *w, double *J)
{
    n->j(t, w, J, n->list, n->at, n->sign);
}

/* ---- The lists and tables, numbered as in emit.c ------------------------ */

static yoke_status make_tables(yk_native *n, const yk_layout *l, yoke_err *err)
{
    size_t lists = 0, entries = 0;

    for (int i = 0; i < l->blocks; i++) {
        lists += l->block[i].t.list != NULL;
        entries += (size_t)l->block[i].entries;
    }
    YK_TRY(YK_NEW(&n->list, lists, err));
    YK_TRY(YK_NEW(&n->at, entries, err));
    YK_TRY(YK_NEW(&n->sign, entries, err));
    lists = entries = 0;
    for (int i = 0; i < l->blocks; i++) {
        const yk_block *b = &l->block[i];
        if (b->t.list) n->list[lists++] = b->t.list;
        for (int k = 0; k < b->entries; k++) {
            n->at[entries] = b->entry[k].at;
            n->sign[entries++] = b->entry[k].sign;
        }
    }
    return YOKE_OK;
}

/* ---- Names -------------------------------------------------------------- */

static unsigned long long hash(unsigned long long h, const char *text,
                               size_t length)
{
    for (size_t k = 0; k < length; k++)
        h = (h ^ (unsigned char)text[k]) * 1099511628211ull;
    return h ^ (h >> 31);
}

/* 128 bits of the source and the command, as text. */
static void make_key(const yk_source *source, const char *compiler,
                     char key[40])
{
    unsigned long long a = 14695981039346656037ull, b = 88172645463325252ull;

    a = hash(a, compiler, strlen(compiler) + 1);
    b = hash(b, compiler, strlen(compiler) + 1);
    for (int k = 0; k < FLAGS; k++) {
        a = hash(a, flags[k], strlen(flags[k]) + 1);
        b = hash(b, flags[k], strlen(flags[k]) + 1);
    }
    a = hash(a, source->text, source->length);
    b = hash(b, source->text, source->length);
    snprintf(key, 40, "%016llx%016llx", a, b);
}

typedef struct workshop {
    char folder[PATH_SIZE]; /* new, inside the cache or the temporary one */
    char source[PATH_SIZE + 16], object[PATH_SIZE + 16];
    char message[PATH_SIZE + 16];
} workshop;

static yoke_status open_workshop(workshop *w, const char *cache, yoke_err *err)
{
    if (cache) (void)mkdir(cache, 0777); /* it may be there */
    const int n = snprintf(w->folder, sizeof w->folder, "%s/yoke-XXXXXX",
                           cache ? cache : P_tmpdir);
    if (n < 0 || (size_t)n >= sizeof w->folder)
        return yk_fail(err, YOKE_E_MISSING,
                       "the name of the cache is too long");
    if (!mkdtemp(w->folder)) {
        const int why = errno;
        w->folder[0] = '\0';
        return yk_fail(err, YOKE_E_MISSING, "no folder for code in %s: %s",
                       cache ? cache : P_tmpdir, strerror(why));
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

static yoke_status write_source(const workshop *w, const yk_source *source,
                                yoke_err *err)
{
    FILE *file = fopen(w->source, "w");

    if (!file)
        return yk_fail(err, YOKE_E_MISSING, "%s: %s", w->source,
                       strerror(errno));
    const bool whole =
        fwrite(source->text, 1, source->length, file) == source->length;
    if (fclose(file) != 0 || !whole)
        return yk_fail(err, YOKE_E_MISSING, "%s could not be written",
                       w->source);
    return YOKE_OK;
}

/* ---- The compiler ------------------------------------------------------- */

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

static yoke_status compile(const workshop *w, const char *compiler,
                           size_t length, yoke_err *err)
{
    char command[256], *word[WORDS + FLAGS + 4];
    int count;

    if (strlen(compiler) >= sizeof command)
        return yk_fail(err, YOKE_E_MISSING, "the compiler's name is too long");
    memcpy(command, compiler, strlen(compiler) + 1);
    count = split_command(command, word, WORDS);
    if (count == 0) return yk_fail(err, YOKE_E_MISSING, "no compiler given");
    for (int k = 0; k < FLAGS; k++) word[count++] = (char *)flags[k];
    if (length > LONG_CODE) /* the same bits, sooner */
        word[count - FLAGS + 1] =
            (char *)(length > LONGER_CODE ? "-O0" : "-O1");
    word[count++] = (char *)"-o";
    word[count++] = (char *)w->object;
    word[count++] = (char *)w->source;
    word[count] = NULL;
    return yk_process_run("compiler", word, w->message, err);
}

/* ---- Loading ------------------------------------------------------------ */

static function find_function(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    function f = NULL;

    memcpy(&f, &symbol, sizeof f); /* as POSIX asks for */
    return f;
}

static bool load(yk_native *n, const char *path)
{
    n->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!n->library) return false;
    n->f = find_function(n->library, "yoke_f");
    n->j = find_function(n->library, "yoke_j");
    if (n->f && n->j) return true;
    dlclose(n->library);
    n->library = NULL;
    return false;
}

static yoke_status build(yk_native *n, const yk_source *source,
                         const char *compiler, const char *cache,
                         const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    workshop w = { .folder = "" };

    YK_GO(open_workshop(&w, cache, err));
    YK_GO(write_source(&w, source, err));
    YK_GO(compile(&w, compiler, source->length, err));
    const bool kept = cache && rename(w.object, path) == 0;
    if (!load(n, kept ? path : w.object)) {
        const char *why = dlerror();
        YK_GO(yk_fail(err, YOKE_E_MISSING, "compiled code: %s",
                      why ? why : "not usable"));
    }
done:
    close_workshop(&w); /* a loaded library needs no file */
    return status;
}

yoke_status yk_native_create(yk_native **out, const yk_layout *layout,
                             yk_model *model, const char *compiler,
                             const char *cache, bool *cached, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_native *n = NULL;
    yk_source source = { 0 };
    char key[40], path[PATH_SIZE + 64] = "";

    *cached = false;
    YK_GO(YK_NEW(&n, 1, err));
    YK_GO(make_tables(n, layout, err));
    YK_GO(yk_emit(&source, layout, model, err));
    if (source.length > MOST_CODE)
        YK_GO(yk_fail(err, YOKE_E_MISSING,
                      "%zu bytes of C would take too long to compile",
                      source.length));
    make_key(&source, compiler, key);
    if (cache && strlen(cache) < PATH_SIZE)
        snprintf(path, sizeof path, "%s/yoke-%s.so", cache, key);
    *cached = path[0] && load(n, path);
    if (!*cached) YK_GO(build(n, &source, compiler, cache, path, err));
    *out = n;
    n = NULL;
done:
    yk_source_free(&source);
    yk_native_free(n);
    return status;
}
