/* sys/call.h -- calls of what a subsystem may offer; defaults where it does not.
 *
 * As yoke_system_eval and its like: results are checked to be finite, messages
 * begin with the subsystem and the time.
 */
#ifndef YK_CALL_H
#define YK_CALL_H

#include "yoke/event.h"
#include "yoke/optional.h"

/* x'; YOKE_E_MISSING if the system has no `rhs`. */
yoke_status yk_system_rhs(yoke_system *system, double t, const double *x,
                          const double *u, double *xdot, yoke_err *err);
bool yk_system_has_rhs(const yoke_system *system);

/* Adds to a message where unknown k stands in what the user wrote, if the
 * system can tell; returns `status`. */
yoke_status yk_system_place(const yoke_system *system, int k,
                            yoke_status status, yoke_err *err);

/* Of a question about a step that is not possible: the equation and the
 * operation that comes to the end of where it has a value, "x.mo:6 comes to (1) /
 * (1e-12): a division by zero; ..., with x = 1e-12".  False: none is known. */
bool yk_system_edge(const yoke_system *system, yoke_question *question,
                    char *text, size_t size);

/* g[events]; happened[events], set to false first; and x_new[n], which `apply`
 * need not fill: it comes as x. */
yoke_status yk_system_indicate(yoke_system *system, double t, const double *x,
                               const double *u, double *g, yoke_err *err);
yoke_status yk_system_begin(yoke_system *system, double t, const double *x,
                            const double *u, bool *happened, yoke_err *err);
yoke_status yk_system_apply(yoke_system *system, double t, const double *x,
                            const double *u, const bool *happened,
                            double *x_new, yoke_err *err);
yoke_status yk_system_meet(yoke_system *system, const yoke_instant *at,
                           double *x_new, yoke_err *err);
yoke_status yk_system_settle(yoke_system *system, double t, const double *x,
                             const double *u, double *x_new, bool *changed,
                             yoke_err *err);
void yk_system_about(yoke_system *system, int k, yoke_event_about *out);
bool yk_system_remark(yoke_system *system, int k, yoke_remark *out);
void yk_system_accuracy(yoke_system *system, double rtol);
void yk_system_aside(yoke_system *system, bool on);
bool yk_system_limits(const yoke_system *system);
void yk_system_limit(yoke_system *system, bool on, double t, const double *x,
                     const double *u);
bool yk_system_settled(yoke_system *system, double t, const double *x,
                       const double *dx, const double *u, const double *du);

/* Moves x[n] to where the invariants hold; nothing to do without `project`. */
yoke_status yk_system_project(yoke_system *system, double t, double *x,
                              double missed[2], yoke_err *err);

/* Bounds dx[n] as `bound` says; false without it. */
bool yk_system_bound(yoke_system *system, const double *x, double *dx);
double yk_system_next_break(yoke_system *system, double t);
yoke_status yk_system_part(yoke_system *system, int unknowns,
                           const int *unknown, const double *x,
                           yoke_cell_part *out, yoke_err *err);
bool yk_system_is_still(yoke_system *system, int cell, double t0, double t1);
bool yk_system_is_far(yoke_system *system, int cell, double t, const double *x,
                      const double *slack);
void yk_system_absorb(yoke_system *system, const yoke_system *part);
void yk_system_save(yoke_system *system, void *bytes);
void yk_system_restore(yoke_system *system, const void *bytes);

/* All profiles; borrowed.  Returns how many. */
int yk_system_profiles(const yoke_system *system, const yoke_profile **list);

#endif
