/* graph/cost.h -- solve as one?  The cost model of every such decision.
 *
 * Costs are residuals of the subsystems of the model over a window.  Unit i has
 * m_i members and takes o_i residuals when it is solved once; then
 *
 *     apart:   K sum m_i o_i          K sweeps,
 *     as one:  (sum m_i) k max o_i    at every time the steps of the fastest.
 *
 * k >= 1 says how much more that is than the steps of the busiest unit: units
 * that are busy at different times crowd each other.  With r_i(t) residuals of
 * unit i per time, k is the integral of max r_i(t) over max o_i.
 *
 * K is measured where a run goes on.  Before, it follows from the predicted rate
 * rho of a sweep: the first guess of a window is off by G tolerances, and
 *
 *     K = 1 + log G / -log rho,    infinite for rho >= 1.
 *
 * Where the o_i are not known, the limits of graph/policy.h say how many sweeps a
 * coupling may take before it is solved as one.  An iteration that failed takes
 * infinitely many.
 *
 * Here and not in `decide` because netlists are cut before there is a model to
 * decide about. */
#ifndef YK_COST_H
#define YK_COST_H

#include <stdbool.h>

/* The sweeps K at a predicted rate; NAN for NAN. */
double yk_cost_sweeps(double rate);
double yk_cost_rate(double sweeps); /* the other way round */

/* The sweeps at another rate, if `now` were measured where `rate` is predicted:
 * that tells G.  Not more than now. */
double yk_cost_sweeps_at(double now, double rate, double other);

/* Residuals of some units of a loop as one: all their members, residuals of the
 * busiest, k of all units of the loop and how many of these are in it. */
double yk_cost_as_one(int members, double busiest, double crowd, int units,
                      int all);

/* ---- prices ---------------------------------------------------------------
 *
 * Of one residual of a unit, with its share of solves, waveforms, corrections
 * and error tests, in unknowns: when it is iterated, and as a member of a large
 * system.  They are counted and not timed, so that runs repeat. */

/* Unknowns of a unit; more if its Jacobian has many entries. */
double yk_cost_weight(int unknowns, int entries);
double yk_cost_apart(double weight);
double yk_cost_inside(double weight);

/* Iterated, relative to that of a unit so small that the rest of a step costs
 * more than its unknowns do. */
double yk_cost_relative(double weight);

/* Is it worth while to pay `one` instead of `apart`, if the prediction may be
 * off by the factor `doubt`? */
bool yk_cost_is_less(double one, double apart, double doubt);

#endif
