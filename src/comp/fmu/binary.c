/* comp/fmu/binary.c -- instances of FMUs; the only file that loads them.
 *
 * The declarations follow fmi2Functions.h and fmi3Functions.h of the standard
 * as far as they are used.
 */
#define _GNU_SOURCE
#include "comp/fmu/binary.h"
#include "base/process.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096, NAME = 1000, MESSAGE = 500 };
enum { FMI_OK, FMI_WARNING, FMI_DISCARD, FMI_ERROR, FMI_FATAL, FMI_PENDING };

typedef void function(void);

enum { CALLS = 64 };

struct yk_fmu_instance {
    const yk_fmu_description *d;
    const yk_fmu_kind *kind;
    bool exchange;
    void *library, *c; /* c: the component of the standard */
    char *name;
    char message[MESSAGE]; /* the last one that speaks of an error */
    bool initialised, fatal;
    void *block; /* scratch of get and set */
    size_t room;
    unsigned *reference;
    size_t reference_room;
    struct callbacks2 *callbacks; /* FMI 2 keeps a pointer to it */
    int calls;                    /* functions found so far */
    struct {
        char name[40];
        function *at;
    } call[CALLS];
};

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

    (void)instance;
    (void)category;
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

static yoke_status look_up(yk_fmu_instance *f, const char *name, function **out,
                           yoke_err *err)
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

static yoke_status find(yk_fmu_instance *f, const char *name, function **out,
                        yoke_err *err)
{
    for (int i = 0; i < f->calls; i++)
        if (strcmp(f->call[i].name, name) == 0) {
            *out = f->call[i].at;
            return YOKE_OK;
        }
    YK_TRY(look_up(f, name, out, err));
    if (f->calls < CALLS) {
        snprintf(f->call[f->calls].name, sizeof f->call[0].name, "%s", name);
        f->call[f->calls++].at = *out;
    }
    return YOKE_OK;
}

/* What a returned status means. */
static yoke_status judge(yk_fmu_instance *f, const char *name, int status,
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

/* Calls fmiN<name> with the component and these arguments; `types` are the
 * types of all of them. */
#define CALL(f, err, name, types, ...)                                         \
    do {                                                                       \
        int(*call_) types;                                                     \
        function *found_ = NULL;                                               \
                                                                               \
        YK_TRY(find((f), name, &found_, (err)));                               \
        memcpy(&call_, &found_, sizeof call_);                                 \
        (f)->message[0] = '\0';                                                \
        YK_TRY(judge((f), name, call_(__VA_ARGS__), (err)));                   \
    } while (0)

static bool is_two(const yk_fmu_instance *f)
{
    return f->d->version == 2;
}

/* ---- loading ----------------------------------------------------------- */

static yoke_status compile(const yk_fmu_instance *f, const char *folder,
                           const char *target, yoke_err *err)
{
    char sources[PATH - NAME], output[PATH], *text = NULL;
    char **word = NULL;
    const int fixed = 8, count = f->kind->sources;
    yoke_status status;

    snprintf(sources, sizeof sources, "%s/sources", folder);
    snprintf(output, sizeof output, "%s/compiler.txt", folder);
    YK_TRY(YK_NEW(&word, count + fixed + 4, err));
    YK_GO(yk_alloc((void **)&text, (size_t)count + 2, PATH, err));
    int n = 0;
    word[n++] = (char *)"cc";
    word[n++] = (char *)"-shared";
    word[n++] = (char *)"-fPIC";
    word[n++] = (char *)"-O2";
    word[n++] = (char *)"-w";
    snprintf(text, PATH, "-I%s", sources);
    word[n++] = text;
    word[n++] = (char *)"-o";
    word[n++] = (char *)target;
    for (int i = 0; i < count; i++) {
        char *at = text + (size_t)(i + 1) * PATH;

        snprintf(at, PATH, "%s/%.*s", sources, NAME - 2, f->kind->source[i]);
        word[n++] = at;
    }
    word[n++] = (char *)"-lm";
    YK_GO(yk_process_run("compiler", word, output, err));
done:
    yk_free(text);
    yk_free(word);
    return status;
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

    if (strchr(f->kind->identifier, '/'))
        return yk_fail(err, YOKE_E_FILE, "modelIdentifier \"%s\"",
                       f->kind->identifier);
    find_binary(f, folder, path);
    if (!path[0] && f->kind->sources == 0)
        return yk_fail(err, YOKE_E_FILE,
                       "the FMU has no binary for 64-bit Linux and no "
                       "sources; export it for this platform");
    if (!path[0]) {
        snprintf(path, sizeof path, "%s/%s.so", folder, f->kind->identifier);
        YK_TRY(compile(f, folder, path, err));
    }
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) return yk_fail(err, YOKE_E_FILE, "%s", dlerror());
    return YOKE_OK;
}

static yoke_status instantiate2(yk_fmu_instance *f, const char *folder,
                                yoke_err *err)
{
    char resources[PATH];
    function *found = NULL;
    void *(*make)(const char *, int, const char *, const char *,
                  const struct callbacks2 *, int, int);

    snprintf(resources, sizeof resources, "file://%s/resources", folder);
    YK_TRY(find(f, "Instantiate", &found, err));
    memcpy(&make, &found, sizeof make);
    YK_TRY(YK_NEW(&f->callbacks, 1, err));
    *f->callbacks = (struct callbacks2){
        .logger = log_two, .allocate = calloc, .release = free, .environment = f
    };
    f->c = make(f->name, f->exchange ? 0 : 1, f->d->token, resources,
                f->callbacks, 0, 0);
    return YOKE_OK;
}

static yoke_status instantiate3(yk_fmu_instance *f, const char *folder,
                                yoke_err *err)
{
    char resources[PATH];
    function *found = NULL;
    void *(*exchange)(const char *, const char *, const char *, bool, bool,
                      void *,
                      void (*)(void *, int, const char *, const char *));
    void *(*simulation)(const char *, const char *, const char *, bool, bool,
                        bool, bool, const uint32_t *, size_t, void *,
                        void (*)(void *, int, const char *, const char *),
                        void *);

    snprintf(resources, sizeof resources, "%s/resources/", folder);
    YK_TRY(find(
        f, f->exchange ? "InstantiateModelExchange" : "InstantiateCoSimulation",
        &found, err));
    if (f->exchange) {
        memcpy(&exchange, &found, sizeof exchange);
        f->c = exchange(f->name, f->d->token, resources, false, false, f,
                        log_three);
    } else {
        memcpy(&simulation, &found, sizeof simulation);
        f->c =
            simulation(f->name, f->d->token, resources, false, false,
                       f->kind->event_mode, false, NULL, 0, f, log_three, NULL);
    }
    return YOKE_OK;
}

yoke_status yk_fmu_open(yk_fmu_instance **out, const yk_fmu_description *d,
                        const char *folder, bool exchange, const char *name,
                        yoke_err *err)
{
    yk_fmu_instance *f = NULL;
    yoke_status status;

    YK_TRY(YK_NEW(&f, 1, err));
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
    if (!f->c)
        YK_GO(yk_fail(err, YOKE_E_MODEL, "the FMU cannot be instantiated%s%s",
                      f->message[0] ? ": " : "", f->message));
    *out = f;
    return YOKE_OK;
done:
    yk_fmu_close(f);
    return status;
}

static yoke_status terminate(yk_fmu_instance *f, yoke_err *err)
{
    CALL(f, err, "Terminate", (void *), f->c);
    return YOKE_OK;
}

void yk_fmu_close(yk_fmu_instance *f)
{
    function *found = NULL;
    void (*release)(void *);

    if (!f) return;
    if (f->c && !f->fatal) {
        if (f->initialised) terminate(f, NULL);
        if (find(f, "FreeInstance", &found, NULL) == YOKE_OK) {
            memcpy(&release, &found, sizeof release);
            release(f->c);
        }
    }
    if (f->library) dlclose(f->library);
    yk_free(f->callbacks);
    yk_free(f->name);
    yk_free(f->block);
    yk_free(f->reference);
    yk_free(f);
}

/* ---- values ------------------------------------------------------------ */

#define AS(type, at, i) (((type *)(at))[i])

static void put_number(const yk_fmu_instance *f, yk_fmu_type type, void *at,
                       int i, double v)
{
    const double whole = nearbyint(v);

    switch (type) {
    case YK_FMU_FLOAT64:
        AS(double, at, i) = v;
        break;
    case YK_FMU_FLOAT32:
        AS(float, at, i) = (float)v;
        break;
    case YK_FMU_INT8:
        AS(int8_t, at, i) = (int8_t)whole;
        break;
    case YK_FMU_UINT8:
        AS(uint8_t, at, i) = (uint8_t)whole;
        break;
    case YK_FMU_INT16:
        AS(int16_t, at, i) = (int16_t)whole;
        break;
    case YK_FMU_UINT16:
        AS(uint16_t, at, i) = (uint16_t)whole;
        break;
    case YK_FMU_INT32:
        AS(int32_t, at, i) = (int32_t)whole;
        break;
    case YK_FMU_UINT32:
        AS(uint32_t, at, i) = (uint32_t)whole;
        break;
    case YK_FMU_INT64:
        AS(int64_t, at, i) = (int64_t)whole;
        break;
    case YK_FMU_UINT64:
        AS(uint64_t, at, i) = (uint64_t)whole;
        break;
    case YK_FMU_BOOLEAN:
        if (is_two(f))
            AS(int, at, i) = v > 0.5;
        else
            AS(bool, at, i) = v > 0.5;
        break;
    default:
        break;
    }
}

static double get_number(const yk_fmu_instance *f, yk_fmu_type type,
                         const void *at, int i)
{
    switch (type) {
    case YK_FMU_FLOAT64:
        return AS(const double, at, i);
    case YK_FMU_FLOAT32:
        return (double)AS(const float, at, i);
    case YK_FMU_INT8:
        return AS(const int8_t, at, i);
    case YK_FMU_UINT8:
        return AS(const uint8_t, at, i);
    case YK_FMU_INT16:
        return AS(const int16_t, at, i);
    case YK_FMU_UINT16:
        return AS(const uint16_t, at, i);
    case YK_FMU_INT32:
        return AS(const int32_t, at, i);
    case YK_FMU_UINT32:
        return AS(const uint32_t, at, i);
    case YK_FMU_INT64:
        return (double)AS(const int64_t, at, i);
    case YK_FMU_UINT64:
        return (double)AS(const uint64_t, at, i);
    case YK_FMU_BOOLEAN:
        return is_two(f) ? AS(const int, at, i) != 0 : AS(const bool, at, i);
    default:
        return NAN;
    }
}

/* The functions of FMI 2 have the names of its types. */
static void function_name(const yk_fmu_instance *f, const char *verb,
                          yk_fmu_type type, char out[40])
{
    const char *word = yk_fmu_type_name(type);

    if (is_two(f))
        word = type == YK_FMU_FLOAT64   ? "Real"
               : type == YK_FMU_BOOLEAN ? "Boolean"
               : type == YK_FMU_STRING  ? "String"
                                        : "Integer";
    snprintf(out, 40, "%s%s", verb, word);
}

/* All elements of `variables` references of one type. */
static yoke_status transfer(yk_fmu_instance *f, const char *verb,
                            yk_fmu_type type, const unsigned *reference,
                            int variables, void *values, int count,
                            yoke_err *err)
{
    char name[40];

    function_name(f, verb, type, name);
    if (is_two(f))
        CALL(f, err, name, (void *, const unsigned *, size_t, void *), f->c,
             reference, (size_t)variables, values);
    else
        CALL(f, err, name, (void *, const uint32_t *, size_t, void *, size_t),
             f->c, reference, (size_t)variables, values, (size_t)count);
    return YOKE_OK;
}

static yoke_status make_room(yk_fmu_instance *f, int count, yoke_err *err)
{
    return yk_grow(&f->block, &f->room, (size_t)count + 1, sizeof(double), err);
}

static yoke_status name_variable(const yk_fmu_instance *f, int variable,
                                 yoke_status status, yoke_err *err)
{
    if (status != YOKE_OK)
        yk_prefix(err, "variable \"%s\"", f->d->variable[variable].name);
    return status;
}

static yoke_status transfer_array(yk_fmu_instance *f, const char *verb, int i,
                                  yoke_err *err)
{
    const yk_fmu_variable *v = &f->d->variable[i];

    return name_variable(
        f, i,
        transfer(f, verb, v->type, &v->reference, 1, f->block, v->count, err),
        err);
}

/* A run of scalars of one type from signal i on. */
static int run_length(const yk_fmu_instance *f, int count,
                      const yk_fmu_signal *signal, int i)
{
    const yk_fmu_variable *first = &f->d->variable[signal[i].variable];
    int n = 0;

    if (first->array) return 0;
    while (i + n < count) {
        const yk_fmu_variable *v = &f->d->variable[signal[i + n].variable];

        if (v->array || v->type != first->type) break;
        n++;
    }
    return n;
}

static yoke_status list_references(yk_fmu_instance *f, int n,
                                   const yk_fmu_signal *signal, yoke_err *err)
{
    YK_TRY(make_room(f, n, err));
    YK_TRY(yk_grow((void **)&f->reference, &f->reference_room, (size_t)n + 1,
                   sizeof *f->reference, err));
    for (int k = 0; k < n; k++)
        f->reference[k] = f->d->variable[signal[k].variable].reference;
    return YOKE_OK;
}

/* Elements of an array: those of one variable follow each other, or the others
 * keep their values. */
static yoke_status set_elements(yk_fmu_instance *f, int count,
                                const yk_fmu_signal *signal,
                                const double *value, int *done, yoke_err *err)
{
    const int i = signal[0].variable;
    const yk_fmu_variable *v = &f->d->variable[i];

    YK_TRY(make_room(f, v->count, err));
    YK_TRY(transfer_array(f, "Get", i, err));
    for (*done = 0; *done < count && signal[*done].variable == i; ++*done)
        put_number(f, v->type, f->block, signal[*done].element, value[*done]);
    return transfer_array(f, "Set", i, err);
}

yoke_status yk_fmu_set(yk_fmu_instance *f, int count,
                       const yk_fmu_signal *signal, const double *value,
                       yoke_err *err)
{
    for (int i = 0, n = 0; i < count; i += n) {
        const yk_fmu_type type = f->d->variable[signal[i].variable].type;

        n = run_length(f, count, signal, i);
        if (n == 0) {
            YK_TRY(set_elements(f, count - i, signal + i, value + i, &n, err));
            continue;
        }
        YK_TRY(list_references(f, n, signal + i, err));
        for (int k = 0; k < n; k++)
            put_number(f, type, f->block, k, value[i + k]);
        YK_TRY(name_variable(
            f, signal[i].variable,
            transfer(f, "Set", type, f->reference, n, f->block, n, err), err));
    }
    return YOKE_OK;
}

static yoke_status get_elements(yk_fmu_instance *f, int count,
                                const yk_fmu_signal *signal, double *value,
                                int *done, yoke_err *err)
{
    const int i = signal[0].variable;
    const yk_fmu_variable *v = &f->d->variable[i];

    YK_TRY(make_room(f, v->count, err));
    YK_TRY(transfer_array(f, "Get", i, err));
    for (*done = 0; *done < count && signal[*done].variable == i; ++*done)
        value[*done] = get_number(f, v->type, f->block, signal[*done].element);
    return YOKE_OK;
}

yoke_status yk_fmu_get(yk_fmu_instance *f, int count,
                       const yk_fmu_signal *signal, double *value,
                       yoke_err *err)
{
    for (int i = 0, n = 0; i < count; i += n) {
        const yk_fmu_type type = f->d->variable[signal[i].variable].type;

        n = run_length(f, count, signal, i);
        if (n == 0) {
            YK_TRY(get_elements(f, count - i, signal + i, value + i, &n, err));
            continue;
        }
        YK_TRY(list_references(f, n, signal + i, err));
        YK_TRY(name_variable(
            f, signal[i].variable,
            transfer(f, "Get", type, f->reference, n, f->block, n, err), err));
        for (int k = 0; k < n; k++)
            value[i + k] = get_number(f, type, f->block, k);
    }
    return YOKE_OK;
}

static yoke_status refuse_value(const yk_fmu_variable *v, const char *text,
                                yoke_err *err)
{
    return yk_fail(err, YOKE_E_ARG, "\"%s\" = \"%s\" is no value of %s%s",
                   v->name, text, yk_fmu_type_name(v->type),
                   v->array ? " for each element" : "");
}

/* One number of the text. */
static bool read_number(const char **text, double *out)
{
    char *end = NULL;

    while (**text == ' ' || **text == ',') ++*text;
    if (strncmp(*text, "true", 4) == 0 || strncmp(*text, "false", 5) == 0) {
        *out = **text == 't';
        *text += **text == 't' ? 4 : 5;
        return true;
    }
    *out = strtod(*text, &end);
    const bool found = end != *text;
    *text = end;
    return found;
}

yoke_status yk_fmu_set_text(yk_fmu_instance *f, int variable, const char *text,
                            yoke_err *err)
{
    const yk_fmu_variable *v = &f->d->variable[variable];
    const char *at = text;
    double number = 0.0;

    if (v->type == YK_FMU_STRING) {
        YK_TRY(transfer(f, "Set", v->type, &v->reference, 1, &text, 1, err));
        return YOKE_OK;
    }
    if (v->type == YK_FMU_BINARY || v->type == YK_FMU_CLOCK)
        return yk_fail(err, YOKE_E_MODEL,
                       "\"%s\" is of type %s, which cannot "
                       "be set",
                       v->name, yk_fmu_type_name(v->type));
    YK_TRY(make_room(f, v->count, err));
    for (int i = 0; i < v->count; i++) {
        if (!read_number(&at, &number)) return refuse_value(v, text, err);
        put_number(f, v->type, f->block, i, number);
    }
    if (at[strspn(at, " ")]) return refuse_value(v, text, err);
    return transfer_array(f, "Set", variable, err);
}

/* ---- life of an instance ----------------------------------------------- */

yoke_status yk_fmu_enter(yk_fmu_instance *f, double tolerance, double start,
                         double stop, yoke_err *err)
{
    const bool given = tolerance > 0.0, ends = isfinite(stop);

    if (!is_two(f)) {
        CALL(f, err, "EnterInitializationMode",
             (void *, bool, double, double, bool, double), f->c, given,
             tolerance, start, ends, ends ? stop : 0.0);
        return YOKE_OK;
    }
    CALL(f, err, "SetupExperiment", (void *, int, double, double, int, double),
         f->c, given, tolerance, start, ends, ends ? stop : 0.0);
    CALL(f, err, "EnterInitializationMode", (void *), f->c);
    return YOKE_OK;
}

yoke_status yk_fmu_leave(yk_fmu_instance *f, yoke_err *err)
{
    CALL(f, err, "ExitInitializationMode", (void *), f->c);
    f->initialised = true;
    return YOKE_OK;
}

yoke_status yk_fmu_save(yk_fmu_instance *f, void **state, yoke_err *err)
{
    CALL(f, err, is_two(f) ? "GetFMUstate" : "GetFMUState", (void *, void **),
         f->c, state);
    return YOKE_OK;
}

yoke_status yk_fmu_restore(yk_fmu_instance *f, void *state, yoke_err *err)
{
    CALL(f, err, is_two(f) ? "SetFMUstate" : "SetFMUState", (void *, void *),
         f->c, state);
    return YOKE_OK;
}

static yoke_status forget(yk_fmu_instance *f, void **state, yoke_err *err)
{
    CALL(f, err, is_two(f) ? "FreeFMUstate" : "FreeFMUState", (void *, void **),
         f->c, state);
    return YOKE_OK;
}

void yk_fmu_forget(yk_fmu_instance *f, void **state)
{
    if (*state) forget(f, state, NULL);
    *state = NULL;
}

/* ---- co-simulation ----------------------------------------------------- */

static yoke_status step2(yk_fmu_instance *f, double t, double h,
                         double *reached, yoke_err *err)
{
    CALL(f, err, "DoStep", (void *, double, double, int), f->c, t, h, 1);
    *reached = t + h;
    return YOKE_OK;
}

yoke_status yk_fmu_step(yk_fmu_instance *f, double t, double h, double *reached,
                        bool *event, yoke_err *err)
{
    bool needed = false, end = false, early = false;

    *event = false;
    if (is_two(f)) return step2(f, t, h, reached, err);
    *reached = t;
    CALL(f, err, "DoStep",
         (void *, double, double, bool, bool *, bool *, bool *, double *), f->c,
         t, h, true, &needed, &end, &early, reached);
    *event = needed;
    if (!early) *reached = t + h;
    if (end)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "the FMU ends the simulation at t = %.9g", *reached);
    return YOKE_OK;
}

yoke_status yk_fmu_set_slopes(yk_fmu_instance *f, int count,
                              const yk_fmu_signal *signal, const double *slope,
                              yoke_err *err)
{
    YK_TRY(list_references(f, count, signal, err));
    int *order = f->block;
    for (int i = 0; i < count; i++) order[i] = 1;
    CALL(f, err, "SetRealInputDerivatives",
         (void *, const unsigned *, size_t, const int *, const double *), f->c,
         f->reference, (size_t)count, order, slope);
    return YOKE_OK;
}

/* ---- model exchange ---------------------------------------------------- */

yoke_status yk_fmu_set_point(yk_fmu_instance *f, double t, int n,
                             const double *x, yoke_err *err)
{
    CALL(f, err, "SetTime", (void *, double), f->c, t);
    if (n > 0)
        CALL(f, err, "SetContinuousStates", (void *, const double *, size_t),
             f->c, x, (size_t)n);
    return YOKE_OK;
}

yoke_status yk_fmu_get_states(yk_fmu_instance *f, int n, double *x,
                              yoke_err *err)
{
    if (n > 0)
        CALL(f, err, "GetContinuousStates", (void *, double *, size_t), f->c, x,
             (size_t)n);
    return YOKE_OK;
}

yoke_status yk_fmu_nominals(yk_fmu_instance *f, int n, double *nominal,
                            yoke_err *err)
{
    if (n > 0)
        CALL(f, err, "GetNominalsOfContinuousStates",
             (void *, double *, size_t), f->c, nominal, (size_t)n);
    return YOKE_OK;
}

yoke_status yk_fmu_slopes(yk_fmu_instance *f, int n, double *xdot,
                          yoke_err *err)
{
    if (n > 0)
        CALL(f, err,
             is_two(f) ? "GetDerivatives" : "GetContinuousStateDerivatives",
             (void *, double *, size_t), f->c, xdot, (size_t)n);
    return YOKE_OK;
}

yoke_status yk_fmu_indicate(yk_fmu_instance *f, int count, double *g,
                            yoke_err *err)
{
    if (count > 0)
        CALL(f, err, "GetEventIndicators", (void *, double *, size_t), f->c, g,
             (size_t)count);
    return YOKE_OK;
}

static yoke_status refuse_end(yk_fmu_instance *f, yoke_err *err)
{
    return yk_fail(err, YOKE_E_CALLBACK, "the FMU ends the simulation%s%s",
                   f->message[0] ? ": " : "", f->message);
}

yoke_status yk_fmu_completed(yk_fmu_instance *f, bool *event, yoke_err *err)
{
    int event2 = 0, end2 = 0;
    bool end = false;

    *event = false;
    if (!f->kind->completed_step) return YOKE_OK;
    if (is_two(f)) {
        CALL(f, err, "CompletedIntegratorStep", (void *, int, int *, int *),
             f->c, 1, &event2, &end2);
        *event = event2 != 0;
        end = end2 != 0;
    } else
        CALL(f, err, "CompletedIntegratorStep", (void *, bool, bool *, bool *),
             f->c, true, event, &end);
    return end ? refuse_end(f, err) : YOKE_OK;
}

yoke_status yk_fmu_event_mode(yk_fmu_instance *f, yoke_err *err)
{
    CALL(f, err, "EnterEventMode", (void *), f->c);
    return YOKE_OK;
}

static yoke_status update2(yk_fmu_instance *f, yk_fmu_event *out, yoke_err *err)
{
    struct {
        int again, terminate, nominals, values, next_defined;
        double next;
    } info = { 0 };

    CALL(f, err, "NewDiscreteStates", (void *, void *), f->c, &info);
    *out = (yk_fmu_event){ .again = info.again != 0,
                           .terminate = info.terminate != 0,
                           .values = info.values != 0,
                           .nominals = info.nominals != 0,
                           .next = info.next_defined ? info.next : INFINITY };
    return YOKE_OK;
}

yoke_status yk_fmu_update(yk_fmu_instance *f, yk_fmu_event *out, yoke_err *err)
{
    bool defined = false;

    *out = (yk_fmu_event){ .next = INFINITY };
    if (is_two(f))
        YK_TRY(update2(f, out, err));
    else {
        CALL(f, err, "UpdateDiscreteStates",
             (void *, bool *, bool *, bool *, bool *, bool *, double *), f->c,
             &out->again, &out->terminate, &out->nominals, &out->values,
             &defined, &out->next);
        if (!defined) out->next = INFINITY;
    }
    return out->terminate ? refuse_end(f, err) : YOKE_OK;
}

yoke_status yk_fmu_time_mode(yk_fmu_instance *f, yoke_err *err)
{
    CALL(f, err, f->exchange ? "EnterContinuousTimeMode" : "EnterStepMode",
         (void *), f->c);
    return YOKE_OK;
}
