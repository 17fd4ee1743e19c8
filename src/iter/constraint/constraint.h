/* iter/constraint/constraint.h -- constraints between units that stay apart.
 *
 * A cluster of constraints alone is a unit of the iteration: its waveform is
 * that of the multipliers, lambda, the only late one.  Let r be the number of
 * times that a row g of the constraint has to be differentiated until lambda
 * appears in it, at the states of the units,
 *
 *     g^(r) = b(t, x) + S(t, x) lambda.
 *
 * A sweep solves all units with the lambda of the sweep before, and then this
 * one: at points of the window
 *
 *     lambda_new = lambda - S^-1 g^(r),
 *
 * with g^(r) and S told by the units at their states (yk_motion_ops).  What
 * was late is contracted by an integral alone (docs/methods/constraints.md).
 * When the window is accepted the ends of the units are moved so that
 * g = g' = ... = g^(r-1) = 0.
 */
#ifndef YK_ITER_CONSTRAINT_H
#define YK_ITER_CONSTRAINT_H

#include "graph/cluster.h"
#include "iter/iteration.h"

typedef struct yk_constraint_setup {
    const yoke_graph *graph;   /* borrowed */
    const yk_cluster *cluster; /* of constraints alone; borrowed */
    int watches;
    const int *watch; /* multipliers that are recorded; copied */
    double rtol, atol;
    double span; /* of the run */
} yk_constraint_setup;

/* Inputs are those of the cluster and behind them the multipliers themselves, as
 * the units have read them. */
yoke_status yk_constraint_unit_create(yk_propagator *out,
                                      const yk_constraint_setup *setup,
                                      yoke_err *err);

/* The units of the plan, of which this is number `self`, after all have been
 * made.  Borrowed.  Refuses units that do not tell how they move. */
yoke_status yk_constraint_unit_bind(const yk_propagator *unit, int units,
                                    const yk_unit *all, int self,
                                    yoke_err *err);

/* The same where one of the units is closed, or tells nothing: collocated at
 * points of the window (iter/constraint/collocated.c).  Units that it reads are
 * solved with tolerances of YK_ITER_COLLOCATED_TIGHT times those of the run. */
yoke_status yk_collocated_create(yk_propagator *out,
                                 const yk_constraint_setup *setup,
                                 yoke_err *err);
yoke_status yk_collocated_bind(const yk_propagator *unit, int units,
                               const yk_unit *all, int self, yoke_err *err);

/* ---- common.c: what both have, as their first member ---------------------- */

typedef struct yk_constraint_common {
    const yk_cluster *cluster;
    int count; /* multipliers */
    int watches, *watch;
    yk_wave *watched;
    yk_wave_term *term; /* watches, and count + 1 */
    double *end; /* multipliers at the accepted point, and behind the sweep */
    yoke_work work;
} yk_constraint_common;

void yk_constraint_common_clear(yk_constraint_common *c);

/* The watched waveforms from those of all multipliers, y on [t0, t1]. */
yoke_status yk_constraint_watch(yk_constraint_common *c, const yk_wave *y,
                                double t0, double t1, yoke_err *err);

/* The end of the sweep is the accepted point. */
void yk_constraint_arrive(yk_constraint_common *c);

/* Operations of a propagator, and its handover. */
const yk_wave *yk_constraint_watched(void *self);
double yk_constraint_next_break(void *self, double t);
double yk_constraint_moved(void *self);
void yk_constraint_give(void *self, double *x);
void yk_constraint_work(void *self, yoke_work *work);

/* Makes a unit of so many bytes, which begins with what is common, and its
 * propagator; `build` makes the rest of it, and ops->free frees what there is. */
yoke_status yk_constraint_make(
    yk_propagator *out, const yk_propagator_ops *ops, size_t bytes,
    yoke_status (*build)(void *self, const yk_constraint_setup *setup,
                         yoke_err *err),
    const yk_constraint_setup *setup, yoke_err *err);

#endif
