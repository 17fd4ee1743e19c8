/* model/point.h -- the values of all subsystems at one time. */
#ifndef YK_POINT_H
#define YK_POINT_H

#include "base/base.h"
#include "yoke/run.h"

typedef struct yk_model_point {
    const yoke_graph *graph;
    int nodes;
    int *first_out; /* of each node: id of its first output; nodes + 1 */
    double **x;     /* of each node */
    double **u;
    double *y; /* by output id */
} yk_model_point;

/* Moves it to the equilibrium of the whole, time held (steady.c). */
yoke_status yk_point_steady(yk_model_point *point, double t, yoke_err *err);

/* By the options of a run: one of these, or both. */
yoke_status yk_point_begin(yk_model_point *point, const yoke_graph *graph,
                           const yoke_run_options *options, yoke_err *err);

/* For steady.c.  Takes the unknowns x of the whole, and what follows from them;
 * makes the values consistent, from those it has. */
struct yk_cluster;
yoke_status yk_point_take(yk_model_point *point, const struct yk_cluster *whole,
                          double t, const double *x, yoke_err *err);
yoke_status yk_point_consistent(yk_model_point *point, double t, yoke_err *err);

/* Room for the values of all subsystems; x as they begin alone. */
yoke_status yk_point_room(yk_model_point *point, const yoke_graph *graph,
                          yoke_err *err);

/* What link l reads, without its weight. */
double yk_point_source(const yk_model_point *point, int l);

void yk_point_clear(yk_model_point *point);

/* The values at the start of a run, made once. */
typedef struct yk_first_point {
    yk_model_point point;
    bool known;
} yk_first_point;

yoke_status yk_first_point_make(yk_first_point *initial, yoke_model *model,
                                const yoke_run_options *options, yoke_err *err);

#endif
