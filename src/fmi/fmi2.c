/* fmi/fmi2.c -- the functions of FMI 2.0 for co-simulation.
 *
 * Declared as the standard does (FMI 2.0.4, fmi2Functions.h), in our own words.
 * Messages go to the logger of the importing program and nowhere else.
 */
#include "fmi/folder.h"
#include "fmi/instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The importing program declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { PATH = 4096, NAME = 256 };

typedef enum fmi2Status {
    fmi2OK,
    fmi2Warning,
    fmi2Discard,
    fmi2Error,
    fmi2Fatal,
    fmi2Pending
} fmi2Status;

typedef void *fmi2Component;
typedef yk_saved_heap *fmi2FMUstate; /* void * for the host */
typedef unsigned fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum fmi2Type { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum fmi2StatusKind {
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef struct fmi2CallbackFunctions {
    void (*logger)(void *environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *block);
    void (*stepFinished)(void *environment, fmi2Status status);
    void *environment;
} fmi2CallbackFunctions;

typedef struct component {
    yk_fmi *f;
    char name[NAME];
    const fmi2CallbackFunctions *callback;
    bool logging, failed, terminated;
    int warned; /* warnings told so far */
} component;

static void tell(const component *c, fmi2Status status, const char *text)
{
    static const char *const category[] = {
        "logAll",         "logStatusWarning", "logStatusDiscard",
        "logStatusError", "logStatusFatal",   "logStatusPending"
    };

    if (c->callback && c->callback->logger)
        c->callback->logger(c->callback->environment, c->name, status,
                            category[status], "%s", text);
}

/* The status of a call; a failure ends what can be done with the instance,
 * unless it was only asked for something that there is not. */
static fmi2Status done(component *c, yoke_status status, const yoke_err *err)
{
    if (status == YOKE_OK) return fmi2OK;
    tell(c, fmi2Error, err->text);
    if (status != YOKE_E_ARG) c->failed = true;
    return fmi2Error;
}

static bool is_usable(component *c)
{
    if (!c->failed) return true;
    tell(c, fmi2Error,
         "the FMU has failed before; reset it or restore a state");
    return false;
}

/* ---- life --------------------------------------------------------------- */

EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component self, fmi2Boolean on,
                                      size_t count, const fmi2String *list)
{
    (void)count, (void)list;
    ((component *)self)->logging = on != 0;
    return fmi2OK;
}

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type,
                                     fmi2String token, fmi2String resources,
                                     const fmi2CallbackFunctions *callback,
                                     fmi2Boolean visible, fmi2Boolean logging)
{
    component local = { .callback = callback, .logging = logging != 0 };
    char folder[PATH];
    yoke_err err = { YOKE_OK, "" };
    component *c = NULL;

    (void)visible;
    snprintf(local.name, sizeof local.name, "%s", name ? name : "");
    if (type != fmi2CoSimulation) {
        tell(&local, fmi2Error, "this FMU is for co-simulation only");
        return NULL;
    }
    if (yk_fmi_folder(resources, folder, sizeof folder, &err) != YOKE_OK ||
        yk_fmi_create(&local.f, folder, token ? token : "", &err) != YOKE_OK ||
        YK_NEW(&c, 1, &err) != YOKE_OK) {
        tell(&local, fmi2Error, err.text);
        yk_fmi_free(local.f);
        return NULL;
    }
    *c = local;
    return c;
}

EXPORT void fmi2FreeInstance(fmi2Component self)
{
    component *c = self;

    if (!c) return;
    yk_fmi_free(c->f);
    yk_free(c);
}

EXPORT fmi2Status fmi2Reset(fmi2Component self)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };
    const fmi2Status status = done(c, yk_fmi_reset(c->f, &err), &err);

    if (status == fmi2OK) c->failed = c->terminated = false;
    c->warned = 0;
    return status;
}

/* ---- initialisation ----------------------------------------------------- */

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component self,
                                      fmi2Boolean has_tolerance,
                                      fmi2Real tolerance, fmi2Real start,
                                      fmi2Boolean has_stop, fmi2Real stop)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi2Error;
    return done(c,
                yk_fmi_setup(c->f, start, has_stop ? stop : INFINITY,
                             has_tolerance ? tolerance : 0.0, &err),
                &err);
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component self)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    return is_usable(c) ? done(c, yk_fmi_enter(c->f, &err), &err) : fmi2Error;
}

EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component self)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    return is_usable(c) ? done(c, yk_fmi_leave(c->f, &err), &err) : fmi2Error;
}

EXPORT fmi2Status fmi2Terminate(fmi2Component self)
{
    return is_usable(self) ? fmi2OK : fmi2Error;
}

/* ---- values ------------------------------------------------------------- */

EXPORT fmi2Status fmi2GetReal(fmi2Component self,
                              const fmi2ValueReference *reference, size_t count,
                              fmi2Real *value)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi2Error;
    return done(c, yk_fmi_get(c->f, count, reference, value, &err), &err);
}

EXPORT fmi2Status fmi2SetReal(fmi2Component self,
                              const fmi2ValueReference *reference, size_t count,
                              const fmi2Real *value)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi2Error;
    return done(c, yk_fmi_set(c->f, count, reference, value, &err), &err);
}

EXPORT fmi2Status fmi2SetRealInputDerivatives(
    fmi2Component self, const fmi2ValueReference *reference, size_t count,
    const fmi2Integer *order, const fmi2Real *value)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi2Error;
    return done(
        c, yk_fmi_set_slopes(c->f, count, reference, order, value, &err), &err);
}

EXPORT fmi2Status fmi2GetRealOutputDerivatives(
    fmi2Component self, const fmi2ValueReference *reference, size_t count,
    const fmi2Integer *order, fmi2Real *value)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi2Error;
    return done(
        c, yk_fmi_get_slopes(c->f, count, reference, order, value, &err), &err);
}

/* All variables are Real. */
#define NO_SUCH(type, name)                                                    \
    EXPORT fmi2Status fmi2Get##name(fmi2Component self,                        \
                                    const fmi2ValueReference *reference,       \
                                    size_t count, type *value)                 \
    {                                                                          \
        (void)reference, (void)value;                                          \
        if (count == 0) return fmi2OK;                                         \
        tell(self, fmi2Error, "this FMU has no variables of type " #name);     \
        return fmi2Error;                                                      \
    }                                                                          \
    EXPORT fmi2Status fmi2Set##name(fmi2Component self,                        \
                                    const fmi2ValueReference *reference,       \
                                    size_t count, const type *value)           \
    {                                                                          \
        (void)reference, (void)value;                                          \
        if (count == 0) return fmi2OK;                                         \
        tell(self, fmi2Error, "this FMU has no variables of type " #name);     \
        return fmi2Error;                                                      \
    }

NO_SUCH(fmi2Integer, Integer)
NO_SUCH(fmi2Boolean, Boolean)
NO_SUCH(fmi2String, String)

EXPORT fmi2Status fmi2GetDirectionalDerivative(
    fmi2Component self, const fmi2ValueReference *unknown, size_t unknowns,
    const fmi2ValueReference *known, size_t knowns, const fmi2Real *seed,
    fmi2Real *out)
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed,
        (void)out;
    tell(self, fmi2Error, "this FMU gives no directional derivatives");
    return fmi2Error;
}

/* ---- states ------------------------------------------------------------- */

EXPORT fmi2Status fmi2GetFMUstate(fmi2Component self, fmi2FMUstate *state)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi2Error;
    return done(c, yk_fmi_save(c->f, state, &err), &err);
}

EXPORT fmi2Status fmi2SetFMUstate(fmi2Component self, fmi2FMUstate state)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };
    const fmi2Status status = done(c, yk_fmi_restore(c->f, state, &err), &err);

    if (status == fmi2OK) c->failed = c->terminated = false;
    return status;
}

EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component self, fmi2FMUstate *state)
{
    (void)self;
    if (state) yk_saved_heap_free(*state);
    if (state) *state = NULL;
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component self,
                                             fmi2FMUstate state, size_t *size)
{
    (void)self;
    *size = yk_saved_heap_size(state);
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component self, fmi2FMUstate state,
                                        fmi2Byte *bytes, size_t size)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    return done(c, yk_fmi_write_state(c->f, state, bytes, size, &err), &err);
}

EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component self,
                                          const fmi2Byte *bytes, size_t size,
                                          fmi2FMUstate *state)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    return done(c, yk_fmi_read_state(c->f, state, bytes, size, &err), &err);
}

/* ---- steps -------------------------------------------------------------- */

static void tell_warnings(component *c)
{
    const char *text = NULL;

    while ((text = yk_fmi_warning(c->f, c->warned))) {
        if (c->logging) tell(c, fmi2Warning, text);
        c->warned++;
    }
}

EXPORT fmi2Status fmi2DoStep(fmi2Component self, fmi2Real t, fmi2Real h,
                             fmi2Boolean no_return)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    (void)no_return;
    if (!is_usable(c)) return fmi2Error;
    const yoke_status status = yk_fmi_step(c->f, t, h, &err);
    tell_warnings(c);
    if (status != YOKE_STOPPED) return done(c, status, &err);
    c->terminated = true;
    tell(c, fmi2Discard, err.text);
    return fmi2Discard;
}

EXPORT fmi2Status fmi2CancelStep(fmi2Component self)
{
    tell(self, fmi2Error, "steps are not asynchronous");
    return fmi2Error;
}

EXPORT fmi2Status fmi2GetStatus(fmi2Component self, fmi2StatusKind kind,
                                fmi2Status *value)
{
    (void)self;
    if (kind != fmi2DoStepStatus) return fmi2Discard;
    *value = fmi2OK;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component self, fmi2StatusKind kind,
                                    fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = yk_fmi_time(((component *)self)->f);
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component self, fmi2StatusKind kind,
                                       fmi2Boolean *value)
{
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = ((component *)self)->terminated;
    return fmi2OK;
}

#define NO_STATUS(type, name)                                                  \
    EXPORT fmi2Status fmi2Get##name##Status(fmi2Component self,                \
                                            fmi2StatusKind kind, type *value)  \
    {                                                                          \
        (void)self, (void)kind, (void)value;                                   \
        return fmi2Discard;                                                    \
    }

NO_STATUS(fmi2Integer, Integer)
NO_STATUS(fmi2String, String)
