/* comp/mechanism/project.h -- the nearest positions and velocities that satisfy
 * the constraints. */
#ifndef YK_PROJECT_H
#define YK_PROJECT_H

#include "base/base.h"
#include "yoke/optional.h"

typedef struct yk_projector {
    int n, count; /* coordinates, constraints */

    /* Of the owner: M (n by n) at q, or at (t, q, v) gamma, its derivative by t
     * with q held, and G (count by n); what it writes comes zeroed. */
    yoke_status (*mass)(void *self, const double *q, double *M, yoke_err *err);
    yoke_status (*constrain)(void *self, double t, const double *q,
                             const double *v, double *value, double *rate,
                             double *G, yoke_err *err);
    void *self;
    char **name; /* of the constraints */

    double *M, *G, *value, *rate;
    double *saddle, *b;
    int *pivot;
} yk_projector;

yoke_status yk_projector_create(yk_projector *p, yoke_err *err);
yoke_status yk_projector_name(yk_projector *p, const char *const *name,
                              yoke_err *err);
void yk_projector_clear(yk_projector *p);

/* What the constraints miss at level 0 (positions) or 1 (velocities): p->value,
 * p->G, and the largest. */
yoke_status yk_missed(yk_projector *p, double t, const double *q,
                      const double *v, int level, double *most, yoke_err *err);

/* Moves q or v by the least in the norm of M, by Newton's method as long as the
 * constraints are missed by less and less.  Allocates nothing.  YOKE_RETRY: the
 * constraints depend on each other here. */
yoke_status yk_project(yk_projector *p, double t, double *q, double *v,
                       int level, yoke_err *err);

/* Both, for a system's `project`: missed[2] is what they missed before. */
yoke_status yk_project_both(yk_projector *p, double t, double *q, double *v,
                            double missed[2], yoke_err *err);

/* For a system's `explain`: no step is possible because constraints nearly
 * depend on each other.  Needs the names and none of the room for projections. */
bool yk_project_explain(const yk_projector *p, const yoke_question *ask,
                        char *text, size_t size);

#endif
