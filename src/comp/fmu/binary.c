/* comp/fmu/binary.c -- instances of FMUs; the only file that loads them.
 *
 * The declarations follow fmi2Functions.h and fmi3Functions.h of the standard
 * as far as they are used.
 */
#define _GNU_SOURCE
#include "comp/fmu/instance.h"
#include "base/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096, NAME = 1000, MESSAGE = YK_FMU_MESSAGE };
enum { FMI_OK, FMI_WARNING, FMI_DISCARD, FMI_ERROR, FMI_FATAL, FMI_PENDING };

/* ---- what the FMU calls ------------------------------------------------ */

static void keep_message(yk_fmu_instance *f, int status, const char *text)
{
    printf("%s%s\n", status >= FMI_DISCARD ? "error: " : "", text);
    fflush(stdout);
    if (!f || status < FMI_DISCARD) return;
    snprintf(f->message, sizeof f->message, "%s", text);
    f->message[strcspn(f->message, "\n")] = '\0';
}

static void log_two(void *environment, const char *instance, int status,
                    const char *category, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void log_two(void *environment, const char *instance, int status,
                    const char *category, const char *format, ...)
{
    char text[MESSAGE];
    va_list list;

    (void)instance, (void)category;
    va_start(list, format);
    vsnprintf(text, sizeof text, format ? format : "no message", list);
    va_end(list);
    keep_message(environment, status, text);
}

static void log_three(void *environment, int status, const char *category,
                      const char *text)
{
    (void)category;
    keep_message(environment, status, text ? text : "");
}

struct callbacks2 {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
};

/* ---- calls ------------------------------------------------------------- */

static yoke_status look_up(yk_fmu_instance *f, const char *name,
                           yk_fmu_function **out, yoke_err *err)
{
    char full[100];
    void *found;

    snprintf(full, sizeof full, "fmi%d%s", f->d->version, name);
    found = dlsym(f->library, full);
    if (!found) { /* sources compiled into one: with the identifier in front */
        char longer[300];

        snprintf(longer, sizeof longer, "%s_%s", f->kind->identifier, full);
        found = dlsym(f->library, longer);
    }
    memcpy(out, &found, sizeof found);
    if (found) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL, "the FMU has no function %s", full);
}

yoke_status yk_fmu_call_find(yk_fmu_instance *f, const char *name,
                             yk_fmu_function **out, yoke_err *err)
{
    for (int i = 0; i < f->calls; i++)
        if (strcmp(f->call[i].name, name) == 0) {
            *out = f->call[i].at;
            return YOKE_OK;
        }
    YK_TRY(look_up(f, name, out, err));
    if (f->calls < YK_FMU_CALLS) {
        snprintf(f->call[f->calls].name, sizeof f->call[0].name, "%s", name);
        f->call[f->calls++].at = *out;
    }
    return YOKE_OK;
}

yoke_status yk_fmu_call_judge(yk_fmu_instance *f, const char *name, int status,
                              yoke_err *err)
{
    static const char *const words[] = { "ok",    "warning", "discard",
                                         "error", "fatal",   "pending" };

    if (status == FMI_OK || status == FMI_WARNING) return YOKE_OK;
    if (status == FMI_FATAL) f->fatal = true;
    const char *word =
        status >= 0 && status <= FMI_PENDING ? words[status] : "no status";
    return yk_fail(err, status == FMI_DISCARD ? YOKE_RETRY : YOKE_E_CALLBACK,
                   "fmi%d%s answered \"%s\"%s%s", f->d->version, name, word,
                   f->message[0] ? ": " : "", f->message);
}

/* ---- loading ----------------------------------------------------------- */

/* cc with these words, -I below the folder of the sources. */
static yoke_status compile(const yk_fmu_instance *f, const char *folder,
                           const char *target, yoke_err *err)
{
    static const char *const fixed[] = { "cc",  "-shared", "-fPIC",
                                         "-O2", "-w",      "-o" };
    enum { FIXED = sizeof fixed / sizeof fixed[0] };
    const yk_fmu_kind *k = f->kind;
    char sources[PATH - NAME - 8], output[PATH + 64], *text = NULL,
                                                      **word = NULL;
    int n = 0, texts = 0;
    yoke_status status;

    snprintf(sources, sizeof sources, "%s/sources", folder);
    snprintf(output, sizeof output, "%s.txt", target);
    YK_TRY(YK_NEW(&word, k->sources + k->words + FIXED + 4, err));
    YK_GO(yk_alloc((void **)&text, (size_t)(k->sources + k->words) + 1, PATH,
                   err));
    for (; n < FIXED; n++) word[n] = (char *)(size_t)fixed[n];
    word[n++] = (char *)(size_t)target;
    snprintf(text, PATH, "-I%s", sources);
    word[n++] = text;
    for (int i = 0; i < k->words; i++) {
        char *at = text + (size_t)++texts * PATH;
        const bool below = strncmp(k->word[i], "-I", 2) == 0;

        if (strncmp(k->word[i], "-l", 2) == 0) continue;
        snprintf(at, PATH, "%s%s%s%.*s", below ? "-I" : "",
                 below ? sources : "", below ? "/" : "", NAME,
                 k->word[i] + (below ? 2 : 0));
        word[n++] = at;
    }
    for (int i = 0; i < k->sources; i++) {
        char *at = text + (size_t)++texts * PATH;

        snprintf(at, PATH, "%s/%.*s", sources, NAME - 2, k->source[i]);
        word[n++] = at;
    }
    for (int i = 0; i < k->words; i++)
        if (strncmp(k->word[i], "-l", 2) == 0)
            word[n++] = (char *)(size_t)k->word[i];
    word[n++] = (char *)(size_t) "-lm";
    YK_GO(yk_process_run("compiler", word, output, err));
done:
    YK_FREE(text, word);
    return status;
}

/* Once for all workers of the folder: under a name of its own, then renamed. */
static yoke_status compile_once(const yk_fmu_instance *f, const char *folder,
                                const char *target, yoke_err *err)
{
    char own[PATH + 32];

    if (access(target, R_OK) == 0) return YOKE_OK;
    snprintf(own, sizeof own, "%s.%d", target, (int)getpid());
    YK_TRY(compile(f, folder, own, err));
    if (rename(own, target) == 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "%s: %s", target, strerror(errno));
}

/* The binary for this machine, or NULL in *path's first byte. */
static void find_binary(const yk_fmu_instance *f, const char *folder,
                        char path[PATH])
{
    static const char *const platforms[2] = { "linux64", "x86_64-linux" };

    snprintf(path, PATH, "%s/binaries/%s/%s.so", folder,
             platforms[f->d->version - 2], f->kind->identifier);
    if (access(path, R_OK) != 0) path[0] = '\0';
}

static yoke_status load(yk_fmu_instance *f, const char *folder, yoke_err *err)
{
    char path[PATH];

    find_binary(f, folder, path);
    if (!path[0] && f->kind->sources == 0)
        return yk_fail(err, YOKE_E_FILE,
                       "the FMU has no binary for 64-bit Linux and no "
                       "sources; export it for this platform");
    if (!path[0]) {
        snprintf(path, sizeof path, "%s/%s.so", folder, f->kind->identifier);
        YK_TRY(compile_once(f, folder, path, err));
    }
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) return yk_fail(err, YOKE_E_FILE, "%s", dlerror());
    return YOKE_OK;
}

/* A path in an address of a file (RFC 3986). */
static void write_address(const char *path, char *out, size_t room)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                                "tuvwxyz0123456789-._~/";
    size_t n = (size_t)snprintf(out, room, "file://");

    for (; *path && n + 4 < room; path++)
        n += (size_t)snprintf(out + n, room - n,
                              strchr(plain, *path) ? "%c" : "%%%02X",
                              (unsigned char)*path);
}

static yoke_status instantiate2(yk_fmu_instance *f, const char *folder,
                                yoke_err *err)
{
    char path[PATH], resources[3 * PATH];
    yk_fmu_function *found = NULL;
    void *(*make)(const char *, int, const char *, const char *,
                  const struct callbacks2 *, int, int);

    snprintf(path, sizeof path, "%s/resources", folder);
    write_address(path, resources, sizeof resources);
    YK_TRY(yk_fmu_call_find(f, "Instantiate", &found, err));
    memcpy(&make, &found, sizeof make);
    YK_TRY(YK_NEW(&f->callbacks, 1, err));
    *f->callbacks = (struct callbacks2){
        .logger = log_two, .allocate = calloc, .release = free, .environment = f
    };
    f->c = make(f->name, f->exchange ? 0 : 1, f->d->token, resources,
                f->callbacks, 0, 0);
    return YOKE_OK;
}

/* FMI 3: the FMU asks for inputs in the middle of a step, or offers outputs. */
typedef void midway_callback(void *, double, bool, bool, bool, bool, bool *,
                             double *);

static void call_midway(void *environment, double t, bool set, bool get,
                        bool finished, bool early, bool *return_early,
                        double *return_time)
{
    const yk_fmu_instance *f = environment;

    (void)early;
    if (return_early) *return_early = false;
    if (return_time) *return_time = t;
    if (f && f->midway) f->midway(f->midway_context, t, set, get && finished);
}

/* References of the inputs and outputs that are used then. */
static yoke_status list_midway(yk_fmu_instance *f, int *count, yoke_err *err)
{
    *count = 0;
    if (!f->kind->midway) return YOKE_OK;
    YK_TRY(
        YK_GROW(&f->reference, &f->reference_room, f->d->variables + 1, err));
    for (int i = 0; i < f->d->variables; i++)
        if (f->d->variable[i].midway)
            f->reference[(*count)++] = f->d->variable[i].reference;
    return YOKE_OK;
}

static yoke_status instantiate3(yk_fmu_instance *f, const char *folder,
                                yoke_err *err)
{
    char resources[PATH];
    yk_fmu_function *found = NULL;
    void *(*exchange)(const char *, const char *, const char *, bool, bool,
                      void *,
                      void (*)(void *, int, const char *, const char *));
    void *(*simulation)(const char *, const char *, const char *, bool, bool,
                        bool, bool, const uint32_t *, size_t, void *,
                        void (*)(void *, int, const char *, const char *),
                        midway_callback *);
    int midways = 0;

    snprintf(resources, sizeof resources, "%s/resources/", folder);
    YK_TRY(yk_fmu_call_find(
        f, f->exchange ? "InstantiateModelExchange" : "InstantiateCoSimulation",
        &found, err));
    if (f->exchange) {
        memcpy(&exchange, &found, sizeof exchange);
        f->c = exchange(f->name, f->d->token, resources, false, false, f,
                        log_three);
    } else {
        memcpy(&simulation, &found, sizeof simulation);
        YK_TRY(list_midway(f, &midways, err));
        f->c = simulation(f->name, f->d->token, resources, false, false,
                          f->kind->event_mode, f->kind->event_mode,
                          f->reference, (size_t)midways, f, log_three,
                          f->kind->midway ? call_midway : NULL);
    }
    return YOKE_OK;
}

yoke_status yk_fmu_open(yk_fmu_instance **out, const yk_fmu_description *d,
                        const char *folder, bool exchange, const char *name,
                        yoke_err *err)
{
    yk_fmu_instance *f = NULL;
    yk_manners own;
    yoke_status status;

    YK_TRY(YK_NEW(&f, 1, err));
    yk_manners_keep(&own);
    f->d = d;
    f->exchange = exchange;
    f->kind = exchange ? &d->exchange : &d->simulation;
    YK_GO(yk_copy_text(&f->name, name, err));
    if (!f->kind->present)
        YK_GO(yk_fail(err, YOKE_E_MODEL, "the FMU is not for %s",
                      exchange ? "model exchange" : "co-simulation"));
    YK_GO(load(f, folder, err));
    YK_GO(d->version == 2 ? instantiate2(f, folder, err)
                          : instantiate3(f, folder, err));
    yk_manners_put_back(&own);
    if (!f->c)
        YK_GO(yk_fail(err, YOKE_E_MODEL, "the FMU cannot be instantiated: %s",
                      f->message[0] ? f->message
                                    : "it does not say why; its token or its "
                                      "resources may be wrong"));
    *out = f;
    return YOKE_OK;
done:
    yk_fmu_close(f);
    yk_manners_put_back(&own);
    return status;
}

static yoke_status terminate(yk_fmu_instance *f, yoke_err *err)
{
    CALL(f, err, "Terminate", (void *), f->c);
    return YOKE_OK;
}

void yk_fmu_close(yk_fmu_instance *f)
{
    yk_fmu_function *found = NULL;
    void (*release)(void *);

    if (!f) return;
    if (f->c && !f->fatal) {
        if (f->initialised) terminate(f, NULL);
        if (yk_fmu_call_find(f, "FreeInstance", &found, NULL) == YOKE_OK) {
            memcpy(&release, &found, sizeof release);
            release(f->c);
        }
    }
    if (f->library) dlclose(f->library);
    YK_FREE(f->callbacks, f->name, f->block, f->reference, f);
}
