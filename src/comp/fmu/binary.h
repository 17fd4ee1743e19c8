/* comp/fmu/binary.h -- one instance of an FMU: the calls of both versions of
 * the standard behind one set of functions.
 *
 * Only what is used is looked for in the binary; what is missing is named when
 * it is needed.  Warnings and what the FMU logs go to standard output, which a
 * worker's yoke catches; the last message of an error is in the failure.
 */
#ifndef YK_FMU_BINARY_H
#define YK_FMU_BINARY_H

#include "comp/fmu/description.h"

typedef struct yk_fmu_instance yk_fmu_instance;

/* One number of a variable: a scalar, or an element of an array. */
typedef struct yk_fmu_signal {
    int variable, element;
} yk_fmu_signal;

/* What happened at an event. */
typedef struct yk_fmu_event {
    bool again, terminate, values, nominals;
    double next; /* time event, or INFINITY */
} yk_fmu_event;

/* Loads the binary of the unpacked `folder`, or compiles its sources there, and
 * makes an instance.  Borrows the description. */
yoke_status yk_fmu_open(yk_fmu_instance **out, const yk_fmu_description *d,
                        const char *folder, bool exchange, const char *name,
                        yoke_err *err);
void yk_fmu_close(yk_fmu_instance *f); /* accepts NULL */

/* A value as in a file: numbers, true or false, names of enumerations as their
 * numbers, texts; of arrays separated by blanks. */
yoke_status yk_fmu_set_text(yk_fmu_instance *f, int variable, const char *text,
                            yoke_err *err);

/* Numbers to and from signals of any numerical type. */
yoke_status yk_fmu_set(yk_fmu_instance *f, int count,
                       const yk_fmu_signal *signal, const double *value,
                       yoke_err *err);
yoke_status yk_fmu_get(yk_fmu_instance *f, int count,
                       const yk_fmu_signal *signal, double *value,
                       yoke_err *err);

/* From instantiated to initialised: enter, set inputs, leave.  tolerance = 0,
 * stop = INFINITY: not known. */
yoke_status yk_fmu_enter(yk_fmu_instance *f, double tolerance, double start,
                         double stop, yoke_err *err);
yoke_status yk_fmu_leave(yk_fmu_instance *f, yoke_err *err);

/* The state; `state` NULL before the first call. */
yoke_status yk_fmu_save(yk_fmu_instance *f, void **state, yoke_err *err);
yoke_status yk_fmu_restore(yk_fmu_instance *f, void *state, yoke_err *err);
void yk_fmu_forget(yk_fmu_instance *f, void **state);

/* Co-simulation: a step from t by h.  *reached: how far it came; *event: it
 * wants to handle an event.  YOKE_RETRY: discarded. */
yoke_status yk_fmu_step(yk_fmu_instance *f, double t, double h, double *reached,
                        bool *event, yoke_err *err);
/* Called in the middle of a step, where the FMU does that: `set`, it takes
 * inputs for time t; `get`, its outputs are those of time t. */
typedef void yk_fmu_midway(void *context, double t, bool set, bool get);
void yk_fmu_watch(yk_fmu_instance *f, yk_fmu_midway *midway, void *context);

/* First derivatives of inputs by time at the beginning of the step; those of
 * outputs at its end. */
yoke_status yk_fmu_set_slopes(yk_fmu_instance *f, int count,
                              const yk_fmu_signal *signal, const double *slope,
                              yoke_err *err);

yoke_status yk_fmu_get_slopes(yk_fmu_instance *f, int count,
                              const yk_fmu_signal *signal, double *slope,
                              yoke_err *err);

/* Directional derivatives at the point that is set: out[unknowns], the change
 * of these variables (elements of arrays follow each other) with a change
 * seed[] of the known ones. */
yoke_status yk_fmu_directional(yk_fmu_instance *f, int unknowns,
                               const unsigned *unknown, int outs, double *out,
                               int knowns, const unsigned *known, int seeds,
                               const double *seed, yoke_err *err);

/* Model exchange. */
yoke_status yk_fmu_set_point(yk_fmu_instance *f, double t, int n,
                             const double *x, yoke_err *err);
yoke_status yk_fmu_get_states(yk_fmu_instance *f, int n, double *x,
                              yoke_err *err);
yoke_status yk_fmu_nominals(yk_fmu_instance *f, int n, double *nominal,
                            yoke_err *err);
yoke_status yk_fmu_slopes(yk_fmu_instance *f, int n, double *xdot,
                          yoke_err *err);
yoke_status yk_fmu_indicate(yk_fmu_instance *f, int count, double *g,
                            yoke_err *err);
yoke_status yk_fmu_completed(yk_fmu_instance *f, bool *event, yoke_err *err);
/* Event mode on; one update of discrete states; continuous mode again. */
yoke_status yk_fmu_event_mode(yk_fmu_instance *f, yoke_err *err);
yoke_status yk_fmu_update(yk_fmu_instance *f, yk_fmu_event *out, yoke_err *err);
yoke_status yk_fmu_time_mode(yk_fmu_instance *f, yoke_err *err);

#endif
