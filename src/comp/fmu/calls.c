/* comp/fmu/calls.c -- what an FMU is asked to do: initialise, save, step, tell
 * derivatives, handle events.
 */
#include "comp/fmu/instance.h"

#include <math.h>
#include <stdint.h>

/* ---- life of an instance ----------------------------------------------- */

yoke_status yk_fmu_enter(yk_fmu_instance *f, double tolerance, double start,
                         double stop, yoke_err *err)
{
    const bool given = tolerance > 0.0, ends = isfinite(stop);

    if (!is_two(f)) {
        CALL_KEPT(f, err, "EnterInitializationMode",
                  (void *, bool, double, double, bool, double), f->c, given,
                  tolerance, start, ends, ends ? stop : 0.0);
        return YOKE_OK;
    }
    CALL_KEPT(f, err, "SetupExperiment",
              (void *, int, double, double, int, double), f->c, given,
              tolerance, start, ends, ends ? stop : 0.0);
    CALL_KEPT(f, err, "EnterInitializationMode", (void *), f->c);
    return YOKE_OK;
}

yoke_status yk_fmu_leave(yk_fmu_instance *f, yoke_err *err)
{
    CALL_KEPT(f, err, "ExitInitializationMode", (void *), f->c);
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

enum { TERMINATED = 3 }; /* of fmi2StatusKind */

static yoke_status ask_terminated(yk_fmu_instance *f, int *ends, yoke_err *err)
{
    CALL(f, err, "GetBooleanStatus", (void *, int, int *), f->c, TERMINATED,
         ends);
    return YOKE_OK;
}

static yoke_status do_step2(yk_fmu_instance *f, double t, double h,
                            yoke_err *err)
{
    CALL_KEPT(f, err, "DoStep", (void *, double, double, int), f->c, t, h, 1);
    return YOKE_OK;
}

/* A step may be discarded because it is too long, or because the FMU wants to
 * end: then shorter ones do not help. */
static yoke_status step2(yk_fmu_instance *f, double t, double h,
                         double *reached, yoke_err *err)
{
    const yoke_status status = do_step2(f, t, h, err);
    int ends = 0;

    *reached = t + h;
    if (status != YOKE_RETRY) return status;
    if (ask_terminated(f, &ends, NULL) == YOKE_OK && ends)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "the FMU ends the simulation in the step from t = %.9g",
                       t);
    return status;
}

yoke_status yk_fmu_step(yk_fmu_instance *f, double t, double h, double *reached,
                        bool *event, yoke_err *err)
{
    bool needed = false, end = false, early = false;

    *event = false;
    if (is_two(f)) return step2(f, t, h, reached, err);
    *reached = t;
    CALL_KEPT(f, err, "DoStep",
              (void *, double, double, bool, bool *, bool *, bool *, double *),
              f->c, t, h, true, &needed, &end, &early, reached);
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
    YK_TRY(yk_fmu_references(f, count, signal, err));
    int *order = f->block;
    for (int i = 0; i < count; i++) order[i] = 1;
    CALL(f, err, "SetRealInputDerivatives",
         (void *, const unsigned *, size_t, const int *, const double *), f->c,
         f->reference, (size_t)count, order, slope);
    return YOKE_OK;
}

void yk_fmu_watch(yk_fmu_instance *f, yk_fmu_midway *midway, void *context)
{
    f->midway = midway;
    f->midway_context = context;
}

yoke_status yk_fmu_get_slopes(yk_fmu_instance *f, int count,
                              const yk_fmu_signal *signal, double *slope,
                              yoke_err *err)
{
    YK_TRY(yk_fmu_references(f, count, signal, err));
    int *order = f->block;
    for (int i = 0; i < count; i++) order[i] = 1;
    if (is_two(f))
        CALL(f, err, "GetRealOutputDerivatives",
             (void *, const unsigned *, size_t, const int *, double *), f->c,
             f->reference, (size_t)count, order, slope);
    else
        CALL(f, err, "GetOutputDerivatives",
             (void *, const uint32_t *, size_t, const int32_t *, double *,
              size_t),
             f->c, f->reference, (size_t)count, order, slope, (size_t)count);
    return YOKE_OK;
}

yoke_status yk_fmu_directional(yk_fmu_instance *f, int unknowns,
                               const unsigned *unknown, int outs, double *out,
                               int knowns, const unsigned *known, int seeds,
                               const double *seed, yoke_err *err)
{
    if (is_two(f))
        CALL(f, err, "GetDirectionalDerivative",
             (void *, const unsigned *, size_t, const unsigned *, size_t,
              const double *, double *),
             f->c, unknown, (size_t)unknowns, known, (size_t)knowns, seed, out);
    else
        CALL(f, err, "GetDirectionalDerivative",
             (void *, const uint32_t *, size_t, const uint32_t *, size_t,
              const double *, size_t, double *, size_t),
             f->c, unknown, (size_t)unknowns, known, (size_t)knowns, seed,
             (size_t)seeds, out, (size_t)outs);
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
    CALL_KEPT(f, err, "EnterEventMode", (void *), f->c);
    return YOKE_OK;
}

static yoke_status update2(yk_fmu_instance *f, yk_fmu_event *out, yoke_err *err)
{
    struct {
        int again, terminate, nominals, values, next_defined;
        double next;
    } info = { 0 };

    CALL_KEPT(f, err, "NewDiscreteStates", (void *, void *), f->c, &info);
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
        CALL_KEPT(f, err, "UpdateDiscreteStates",
                  (void *, bool *, bool *, bool *, bool *, bool *, double *),
                  f->c, &out->again, &out->terminate, &out->nominals,
                  &out->values, &defined, &out->next);
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
