/* model/units_point.h -- from the units of an iteration to the values of
 * everything at one time, and back. */
#ifndef YK_UNITS_POINT_H
#define YK_UNITS_POINT_H

#include "iter/units.h"
#include "model/point.h"

/* The values of everything at the time reached, t.  With `place`, of each unit
 * the component of its watched waveform for each unknown, at any time of the
 * last accepted window.  Clear the point also on failure. */
yoke_status yk_units_point(const yk_units *units, const yoke_graph *graph,
                           int *const *place, double t, yk_model_point *point,
                           yoke_err *err);

/* Starts the propagator of a cluster at its part of the point; `later`: the run
 * does not begin there.  Writes its outputs y0. */
yoke_status yk_units_start(const yk_units *units, const yk_cluster *cluster,
                           const yk_propagator *propagator, double t,
                           bool later, const yk_model_point *point, double *y0,
                           yoke_err *err);

#endif
