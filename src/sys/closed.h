/* sys/closed.h -- a propagator in place of equations. */
#ifndef YK_CLOSED_H
#define YK_CLOSED_H

#include "sys/propagator.h"
#include "yoke/system.h"

/* A subsystem that cannot be opened: something that can be run over a window,
 * and nothing else is known of it.  It has no unknowns here (n = 0) and is never
 * solved as one with others.  Its `output` gives the outputs at the start of a
 * run with these inputs; it is not asked for other times. */
struct yoke_stepper_options; /* yoke/stepper.h */

typedef struct yk_closed {
    /* REQUIRED.  A propagator, with the tolerances of these options. */
    yoke_status (*create)(void *self,
                          const struct yoke_stepper_options *options,
                          yk_propagator *out, yoke_err *err);

    /* OPTIONAL.  Writes z[p * m], row by row: what a change of the inputs u,
     * from the start t of a run on, has done to the outputs h later, over that
     * change.  For predictions. */
    yoke_status (*answer)(void *self, double t, const double *u, double h,
                          double *z, yoke_err *err);

    /* OPTIONAL.  Windows must be multiples of this length; 0: any will do. */
    double (*multiple)(void *self, const struct yoke_stepper_options *options);

    /* OPTIONAL.  It takes steps of this length, and windows are multiples of it
     * where they can be; 0: any will do. */
    double (*grain)(void *self, const struct yoke_stepper_options *options);

    /* OPTIONAL.  After a run, for its summary: what it cost, and what nobody
     * tested of it; sentences, "" for nothing. */
    void (*tell)(void *self, char *cost, char *doubt, size_t room);

    /* OPTIONAL.  Has it answered otherwise when a window was run again? */
    bool (*unlike)(void *self);

    /* OPTIONAL.  The run was taken up by another process, which has read the
     * model again: fresh is the `self` that came of it.  What has another place
     * there, such as folders, is copied. */
    yoke_status (*again)(void *self, const void *fresh, yoke_err *err);
    void *self;
} yk_closed;

/* A closed part that is in another process answers from there. */
typedef struct yk_elsewhere {
    /* Its outputs at the start; as `output` of a system. */
    yoke_status (*output)(void *self, double t, const double *u, double *y,
                          yoke_err *err);
    /* As of yk_closed; called only if the part has it there. */
    yoke_status (*answer)(void *self, double t, const double *u, double h,
                          double *z, yoke_err *err);
    /* As of yk_closed. */
    void (*tell)(void *self, char *cost, char *doubt, size_t room);
    void *self;
} yk_elsewhere;

/* It is elsewhere from now on, or here again (NULL); borrowed. */
void yk_system_put_elsewhere(yoke_system *system, const yk_elsewhere *where);

/* What a closed part tells after a run; false: it is none, or tells nothing. */
bool yk_system_tell(const yoke_system *system, char *cost, char *doubt,
                    size_t room);

#endif
