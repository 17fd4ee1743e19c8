/* iter/correct/interface.h -- the coupling waveforms of a sweep, and the sweep
 * linearised.
 *
 * A component of an output is *late* if some unit reads it before it is made
 * again in the sweep: then the sweep is a map of the late waveforms w,
 *
 *     w  ->  F(w),
 *
 * and the iteration looks for F(w) = w.  Linearised on a grid of equal steps,
 * F' is lower triangular in time: at each point of the grid the change dw
 * causes S dw there at once, and the rest comes from earlier points.  The
 * solution of
 *
 *     dw - F' dw = r
 *
 * is found point by point:  dw_n = (I - S)^-1 (r_n + history_n).
 */
#ifndef YK_INTERFACE_H
#define YK_INTERFACE_H

#include "iter/correct/rows.h"
#include "iter/sweep.h"

typedef struct yk_late {
    int unit, component;
} yk_late;

typedef struct yk_interface yk_interface;

/* Borrows the plan. */
yoke_status yk_interface_create(yk_interface **out, yk_plan_state *plan,
                                yoke_err *err);
void yk_interface_free(yk_interface *interface); /* accepts NULL */

/* The late components, sorted by units. */
int yk_interface_size(const yk_interface *interface, const yk_late **late);

/* True if every unit can be linearised. */
bool yk_interface_can(const yk_interface *interface);

/* The linearised sweep at the end of the last one, on a grid of step h.
 * YOKE_RETRY: not possible, or I - S is singular; the text names the unit, or
 * the late component by `name`. */
yoke_status yk_interface_linearise(yk_interface *interface, double h,
                                   const char *const *name, yoke_err *err);

/* The same at time t inside of the last sweep; there is no march with it. */
yoke_status yk_interface_linearise_at(yk_interface *interface, double t,
                                      double h, const char *const *name,
                                      yoke_err *err);

/* (I - S)^-1, row by row, to m[size * size]. */
yoke_status yk_interface_inverse(yk_interface *interface, double *m,
                                 yoke_err *err);

/* (I - S)^-1 - I; what is small by these tolerances may be left out if many
 * components are late, and all of it if the rest does not come to an end. */
yoke_status yk_interface_rows(yk_interface *interface, double atol, double rtol,
                              yk_rows *rows, yoke_err *err);

/* On points 0 ... count - 1 of the grid, size values each: from r the solution
 * dw.  No charge has changed at point 0. */
yoke_status yk_interface_march(yk_interface *interface, int count,
                               const double *r, double *dw, yoke_err *err);

#endif
