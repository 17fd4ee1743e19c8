/* fmi/fmi3.c -- the functions of FMI 3.0 for co-simulation.
 *
 * Declared as the standard does (FMI 3.0.1, fmi3Functions.h), in our own words.
 * Functions of what this FMU has not (other types, clocks, model exchange) refuse
 * by name; of their arguments they read the instance only.
 */
#include "fmi/folder.h"
#include "fmi/instance.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The importing program declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { PATH = 4096 };

typedef enum fmi3Status {
    fmi3OK,
    fmi3Warning,
    fmi3Discard,
    fmi3Error,
    fmi3Fatal
} fmi3Status;

typedef void *fmi3Instance, *fmi3Environment;
typedef yk_saved_heap *fmi3FMUState; /* void * for the host */
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef int32_t fmi3Int32;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef void fmi3LogMessage(fmi3Environment environment, fmi3Status status,
                            fmi3String category, fmi3String message);
typedef void fmi3Intermediate(fmi3Environment environment, fmi3Float64 t,
                              fmi3Boolean set, fmi3Boolean get,
                              fmi3Boolean finished, fmi3Boolean may_return,
                              fmi3Boolean *early, fmi3Float64 *when);
typedef void fmi3Callback(void);

typedef struct component {
    yk_fmi *f;
    fmi3Environment environment;
    fmi3LogMessage *log;
    fmi3Intermediate *intermediate; /* NULL: inputs are held */
    bool logging, failed;
    bool events;          /* the host handles them: steps end there */
    yk_saved_heap *start; /* of a step */
    int warned;           /* warnings told so far */
} component;

static void tell(const component *c, fmi3Status status, const char *text)
{
    static const char *const category[] = { "logAll", "logStatusWarning",
                                            "logStatusDiscard",
                                            "logStatusError",
                                            "logStatusFatal" };

    if (c && c->log) c->log(c->environment, status, category[status], text);
}

/* The status of a call; a failure ends what can be done with the instance,
 * unless it was only asked for something that there is not. */
static fmi3Status done(component *c, yoke_status status, const yoke_err *err)
{
    if (status == YOKE_OK) return fmi3OK;
    tell(c, fmi3Error, err->text);
    if (status != YOKE_E_ARG) c->failed = true;
    return fmi3Error;
}

static bool is_usable(component *c)
{
    if (!c->failed) return true;
    tell(c, fmi3Error,
         "the FMU has failed before; reset it or restore a state");
    return false;
}

/* ---- life --------------------------------------------------------------- */

EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance self, fmi3Boolean on,
                                      size_t count, const fmi3String *list)
{
    (void)count, (void)list;
    ((component *)self)->logging = on;
    return fmi3OK;
}

EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
    fmi3Boolean early, const fmi3ValueReference *required, size_t count,
    fmi3Environment environment, fmi3LogMessage *log,
    fmi3Intermediate *intermediate)
{
    component local = { .environment = environment,
                        .log = log,
                        .logging = logging };
    char folder[PATH];
    yoke_err err = { YOKE_OK, "" };
    component *c = NULL;

    (void)name, (void)visible, (void)required;
    local.events = events && early;
    local.intermediate = count > 0 ? intermediate : NULL;
    if (yk_fmi_folder(resources, folder, sizeof folder, &err) != YOKE_OK ||
        yk_fmi_create(&local.f, folder, token ? token : "", &err) != YOKE_OK ||
        YK_NEW(&c, 1, &err) != YOKE_OK) {
        tell(&local, fmi3Error, err.text);
        yk_fmi_free(local.f);
        return NULL;
    }
    *c = local;
    return c;
}

EXPORT fmi3Instance fmi3InstantiateModelExchange(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Environment environment,
    fmi3LogMessage *log)
{
    const component local = { .environment = environment, .log = log };

    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    tell(&local, fmi3Error, "this FMU is for co-simulation only");
    return NULL;
}

EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Environment environment,
    fmi3LogMessage *log, fmi3Callback *update, fmi3Callback *lock,
    fmi3Callback *unlock)
{
    (void)update, (void)lock, (void)unlock;
    return fmi3InstantiateModelExchange(name, token, resources, visible,
                                        logging, environment, log);
}

EXPORT void fmi3FreeInstance(fmi3Instance self)
{
    component *c = self;

    if (!c) return;
    yk_saved_heap_free(c->start);
    yk_fmi_free(c->f);
    yk_free(c);
}

EXPORT fmi3Status fmi3Reset(fmi3Instance self)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };
    const fmi3Status status = done(c, yk_fmi_reset(c->f, &err), &err);

    if (status == fmi3OK) c->failed = false;
    c->warned = 0;
    yk_saved_heap_free(c->start); /* of the heap that was */
    c->start = NULL;
    return status;
}

/* ---- initialisation ----------------------------------------------------- */

EXPORT fmi3Status fmi3EnterInitializationMode(
    fmi3Instance self, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi3Error;
    const fmi3Status status =
        done(c,
             yk_fmi_setup(c->f, start, has_stop ? stop : INFINITY,
                          has_tolerance ? tolerance : 0.0, &err),
             &err);
    return status == fmi3OK ? done(c, yk_fmi_enter(c->f, &err), &err) : status;
}

EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance self)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    return is_usable(c) ? done(c, yk_fmi_leave(c->f, &err), &err) : fmi3Error;
}

EXPORT fmi3Status fmi3Terminate(fmi3Instance self)
{
    return is_usable(self) ? fmi3OK : fmi3Error;
}

/* Events happen in UpdateDiscreteStates: the modes are those of the host. */
EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance self)
{
    return is_usable(self) ? fmi3OK : fmi3Error;
}

EXPORT fmi3Status fmi3UpdateDiscreteStates(
    fmi3Instance self, fmi3Boolean *again, fmi3Boolean *terminate,
    fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *has_next,
    fmi3Float64 *next)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    *again = *terminate = *nominals = *values = *has_next = false;
    *next = 0.0;
    return is_usable(c) ? done(c, yk_fmi_update(c->f, &err), &err) : fmi3Error;
}

EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance self)
{
    return is_usable(self) ? fmi3OK : fmi3Error;
}

/* ---- values ------------------------------------------------------------- */

static bool counts_agree(component *c, size_t variables, size_t values)
{
    if (variables == values) return true;
    tell(c, fmi3Error,
         "all variables are scalars: as many values are expected "
         "as variables");
    return false;
}

EXPORT fmi3Status fmi3GetFloat64(fmi3Instance self,
                                 const fmi3ValueReference *reference,
                                 size_t count, fmi3Float64 *value,
                                 size_t values)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c) || !counts_agree(c, count, values)) return fmi3Error;
    return done(c, yk_fmi_get(c->f, count, reference, value, &err), &err);
}

EXPORT fmi3Status fmi3SetFloat64(fmi3Instance self,
                                 const fmi3ValueReference *reference,
                                 size_t count, const fmi3Float64 *value,
                                 size_t values)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c) || !counts_agree(c, count, values)) return fmi3Error;
    return done(c, yk_fmi_set(c->f, count, reference, value, &err), &err);
}

EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance self,
                                           const fmi3ValueReference *reference,
                                           size_t count, const fmi3Int32 *order,
                                           fmi3Float64 *value, size_t values)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c) || !counts_agree(c, count, values)) return fmi3Error;
    return done(
        c, yk_fmi_get_slopes(c->f, count, reference, order, value, &err), &err);
}

/* ---- states ------------------------------------------------------------- */

EXPORT fmi3Status fmi3GetFMUState(fmi3Instance self, fmi3FMUState *state)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    if (!is_usable(c)) return fmi3Error;
    return done(c, yk_fmi_save(c->f, state, &err), &err);
}

EXPORT fmi3Status fmi3SetFMUState(fmi3Instance self, fmi3FMUState state)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };
    const fmi3Status status = done(c, yk_fmi_restore(c->f, state, &err), &err);

    if (status == fmi3OK) c->failed = false;
    return status;
}

EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance self, fmi3FMUState *state)
{
    (void)self;
    if (state) yk_saved_heap_free(*state);
    if (state) *state = NULL;
    return fmi3OK;
}

EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance self,
                                             fmi3FMUState state, size_t *size)
{
    (void)self;
    *size = yk_saved_heap_size(state);
    return fmi3OK;
}

EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance self, fmi3FMUState state,
                                        fmi3Byte *bytes, size_t size)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    return done(c, yk_fmi_write_state(c->f, state, bytes, size, &err), &err);
}

EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance self,
                                          const fmi3Byte *bytes, size_t size,
                                          fmi3FMUState *state)
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
        if (c->logging) tell(c, fmi3Warning, text);
        c->warned++;
    }
}

/* The host is asked for its inputs at four times of the step. */
static void ask_inputs(component *c, double t, double h)
{
    for (int k = 0; k < YK_FMI_SAMPLES; k++) {
        bool early = false;
        double when = 0.0;
        c->intermediate(
            c->environment,
            k + 1 < YK_FMI_SAMPLES ? t + k * h / (YK_FMI_SAMPLES - 1) : t + h,
            true, false, false, false, &early, &when);
        yk_fmi_sample(c->f, k, h, NULL);
    }
}

EXPORT fmi3Status fmi3DoStep(fmi3Instance self, fmi3Float64 t, fmi3Float64 h,
                             fmi3Boolean no_return, fmi3Boolean *event,
                             fmi3Boolean *terminate, fmi3Boolean *early,
                             fmi3Float64 *last)
{
    component *c = self;
    yoke_err err = { YOKE_OK, "" };

    (void)no_return;
    *event = *terminate = *early = false;
    *last = yk_fmi_time(c->f);
    if (!is_usable(c)) return fmi3Error;
    if (c->intermediate && h > 0.0) ask_inputs(c, t, h);
    const yoke_status status =
        c->events ? yk_fmi_step_to_event(c->f, t, h, &c->start, event, &err)
                  : yk_fmi_step(c->f, t, h, &err);
    tell_warnings(c);
    *last = yk_fmi_time(c->f);
    *early = *event;
    if (status != YOKE_STOPPED) return done(c, status, &err);
    *terminate = true;
    tell(c, fmi3Warning, err.text);
    return fmi3OK;
}

/* ---- what there is not -------------------------------------------------- */

#define REFUSE(name)                                                           \
    EXPORT fmi3Status fmi3##name(fmi3Instance self)                            \
    {                                                                          \
        tell(self, fmi3Error, "this FMU has nothing for fmi3" #name);          \
        return fmi3Error;                                                      \
    }

#define REFUSE_TYPE(name) REFUSE(Get##name) REFUSE(Set##name)

REFUSE_TYPE(Float32)
REFUSE_TYPE(Int8)
REFUSE_TYPE(UInt8)
REFUSE_TYPE(Int16)
REFUSE_TYPE(UInt16)
REFUSE_TYPE(Int32)
REFUSE_TYPE(UInt32)
REFUSE_TYPE(Int64)
REFUSE_TYPE(UInt64)
REFUSE_TYPE(Boolean)
REFUSE_TYPE(String)
REFUSE_TYPE(Binary)
REFUSE_TYPE(Clock)
REFUSE_TYPE(IntervalDecimal)
REFUSE_TYPE(IntervalFraction)
REFUSE_TYPE(ShiftDecimal)
REFUSE_TYPE(ShiftFraction)
REFUSE_TYPE(ContinuousStates)
REFUSE(GetNumberOfVariableDependencies)
REFUSE(GetVariableDependencies)
REFUSE(GetDirectionalDerivative)
REFUSE(GetAdjointDerivative)
REFUSE(EnterConfigurationMode)
REFUSE(ExitConfigurationMode)
REFUSE(EvaluateDiscreteStates)
REFUSE(EnterContinuousTimeMode)
REFUSE(CompletedIntegratorStep)
REFUSE(SetTime)
REFUSE(GetContinuousStateDerivatives)
REFUSE(GetEventIndicators)
REFUSE(GetNominalsOfContinuousStates)
REFUSE(GetNumberOfEventIndicators)
REFUSE(GetNumberOfContinuousStates)
REFUSE(ActivateModelPartition)
