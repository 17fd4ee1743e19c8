/* decide/contraction_along.h -- the contraction along the solution. */
#ifndef YK_CONTRACTION_ALONG_H
#define YK_CONTRACTION_ALONG_H

#include "model/point.h"

typedef struct yk_along {
    yoke_schedule *schedule; /* the chosen one */
    yoke_schedule turned;    /* two clusters: the other order */
    int member[2];
    double *change, *size; /* of all outputs: over h; largest so far */
    double *error;
} yk_along;

yoke_status yk_along_open(yk_along *a, const yoke_graph *graph,
                          const yoke_run_options *options, yoke_err *err);
void yk_along_free(yk_along *a);

/* What out->t asks for, at the values p there; `before` are those a step of
 * length h earlier.  Times do not decrease. */
yoke_status yk_along_look(yk_along *a, double h, const yk_model_point *before,
                          const yk_model_point *p, yoke_along *out,
                          yoke_err *err);

#endif
