/* fmi/instance.h -- one instance of an exported FMU: a system with its run.
 *
 * What a state of the FMU consists of lies in a heap of its own (fmi/heap.h);
 * what the importing program gave (names, callbacks) does not.  Both versions of
 * the standard are thin layers over these functions, fmi/fmi2.c and fmi/fmi3.c.
 * Calls on one instance must not overlap; different ones are independent.
 */
#ifndef YK_FMI_INSTANCE_H
#define YK_FMI_INSTANCE_H

#include "base/base.h"
#include "fmi/heap.h"
#include "fmi/interface.h"

typedef struct yk_fmi yk_fmi;

/* `folder`: the resources of the FMU; `token` must be that of the FMU. */
yoke_status yk_fmi_create(yk_fmi **out, const char *folder, const char *token,
                          yoke_err *err);
void yk_fmi_free(yk_fmi *f); /* accepts NULL */
yoke_status yk_fmi_reset(yk_fmi *f, yoke_err *err);

/* The time of the run and its tolerance; stop = INFINITY: not known; tolerance
 * 0: that of the system. */
yoke_status yk_fmi_setup(yk_fmi *f, double start, double stop, double tolerance,
                         yoke_err *err);

/* Begins initialisation; ends it, with consistent values. */
yoke_status yk_fmi_enter(yk_fmi *f, yoke_err *err);
yoke_status yk_fmi_leave(yk_fmi *f, yoke_err *err);

yoke_status yk_fmi_get(yk_fmi *f, size_t count, const unsigned *reference,
                       double *value, yoke_err *err);
yoke_status yk_fmi_set(yk_fmi *f, size_t count, const unsigned *reference,
                       const double *value, yoke_err *err);

/* Derivatives: of inputs for the next step, 1 to 3; of outputs at the end of the
 * last one, 1. */
yoke_status yk_fmi_set_slopes(yk_fmi *f, size_t count,
                              const unsigned *reference, const int *order,
                              const double *value, yoke_err *err);
yoke_status yk_fmi_get_slopes(yk_fmi *f, size_t count,
                              const unsigned *reference, const int *order,
                              double *value, yoke_err *err);

/* Inputs during the next step: called for k = 0, 1, 2, 3 with the values at t,
 * t + h/3, t + 2h/3, t + h set; a cubic goes through them. */
enum { YK_FMI_SAMPLES = 4 };
yoke_status yk_fmi_sample(yk_fmi *f, int k, double h, yoke_err *err);

/* From t to t + h.  YOKE_STOPPED: the model has ended the simulation. */
yoke_status yk_fmi_step(yk_fmi *f, double t, double h, yoke_err *err);
double yk_fmi_time(const yk_fmi *f);

/* The same up to the first event, if there is one: *event, and yk_fmi_time is
 * when.  Values are those before it; after yk_fmi_update those behind it.
 * `start` is room for a state. */
yoke_status yk_fmi_step_to_event(yk_fmi *f, double t, double h,
                                 yk_saved_heap **start, bool *event,
                                 yoke_err *err);
yoke_status yk_fmi_update(yk_fmi *f, yoke_err *err);

/* States; `state` NULL: a new one. */
yoke_status yk_fmi_save(yk_fmi *f, yk_saved_heap **state, yoke_err *err);
yoke_status yk_fmi_restore(yk_fmi *f, const yk_saved_heap *state,
                           yoke_err *err);
yoke_status yk_fmi_write_state(const yk_fmi *f, const yk_saved_heap *state,
                               void *bytes, size_t size, yoke_err *err);
yoke_status yk_fmi_read_state(yk_fmi *f, yk_saved_heap **state,
                              const void *bytes, size_t size, yoke_err *err);

/* Warning i about the run so far, or NULL at the end of the list. */
const char *yk_fmi_warning(yk_fmi *f, int i);

#endif
