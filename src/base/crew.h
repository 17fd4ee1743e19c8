/* base/crew.h -- helpers for one job: work inside a subsystem that can be done at
 * once.
 *
 * An executor that runs one job alone lends the others of its threads to it (exec/
 * threads.c); the job does not know whether there are any.  Where it runs beside
 * other jobs there are none, and everything is done here, one after the other.
 * The result must not depend on it: parts write only to what is their own, and
 * what is added up is added up afterwards, in order.
 */
#ifndef YK_CREW_H
#define YK_CREW_H

#include "yoke/status.h"

/* Parts 0 ... count - 1, as job(context, index). */
typedef struct yk_parts {
    int count;
    yoke_status (*job)(void *context, int index, yoke_err *err);
    void *context;
    const double *price; /* of each, from counts (graph/cost.h: about 0.055
                            microseconds); NULL: all the same, and it pays */
} yk_parts;

typedef struct yk_crew {
    yoke_status (*run)(void *self, const yk_parts *parts, yoke_err *err);
    void *self;
} yk_crew;

/* Runs them all, unless one fails for good (below 0, or YOKE_STOPPED): that one is
 * returned, or the failure with the lowest index. */
yoke_status yk_crew_run(const yk_parts *parts, yoke_err *err);

/* The same, here, one after the other: code of the user. */
yoke_status yk_crew_alone(const yk_parts *parts, yoke_err *err);

/* For executors: what this thread may use from now on, or NULL; returns what it
 * had.  Borrows it until the next call. */
const yk_crew *yk_crew_lend(const yk_crew *crew);

#endif
