/* graph/policy.h -- numbers that decide what is solved as one (graph/cost.h)
 * and how large a search may be. */
#ifndef YK_GRAPH_POLICY_H
#define YK_GRAPH_POLICY_H

#include "base/policy.h"

/* The first guess of a window is off by so many tolerances (1).  Windows are
 * chosen so that a guess is good to three digits more or less; enters by its
 * logarithm. */
YK_POLICY(YK_COST_GUESS, 1e3);

/* Two nodes of a circuit are in one cell if an iteration between them would take
 * more sweeps than this.  A cut inside a cell saves no step: both sides have the
 * same time constants.  3.3 sweeps: rho = 0.05. */
YK_POLICY(YK_COST_CELL, 3.3);

/* Two parts of a circuit that were not asked to be apart become one if their
 * iteration would take more sweeps than this.  Parts save steps where the other
 * is at rest.  6.7 sweeps: rho = 0.3. */
YK_POLICY(YK_COST_PART, 6.7);

/* Subsystems that the user keeps apart become one before a run if their
 * iteration would take more sweeps than this over a long step.  So many are
 * allowed because sweeps are corrected and rarely take what is predicted for
 * plain ones.  67 sweeps: rho = 0.9. */
YK_POLICY(YK_COST_SUBSYSTEM, 67.0);

/* Predicted rates outside these are not believed when sweeps are scaled (rate
 * per sweep): an accelerated iteration that is slower or faster is limited by
 * something else. */
YK_POLICY(YK_COST_FAST, 1e-6);
YK_POLICY(YK_COST_SLOW, 0.9);

/* Prices of a residual in unknowns.  Measured on bench/15_map (a ring of 16 parts, one
 * of them a hundred times faster, 2 to 24 unknowns each): 0.075 + 0.034 n
 * microseconds as a member of one system; iterated with one sweep per window
 * 2.05 + 0.037 n, with 128 parts 2.1 (n = 2) to 5.2 (n = 24; they do not fit into the
 * nearest memory), with two 1.2 + 0.05 n.  That is n + MEMBER and APART (n + OWN).  So
 * many entries of G per unknown cost no more than the unknown itself. */
YK_POLICY(YK_COST_APART, 1.2);
YK_POLICY(YK_COST_OWN, 50.0);
YK_POLICY(YK_COST_MEMBER, 2.0);
YK_POLICY(YK_COST_ENTRIES, 4.0);

/* A sweep of a closed part besides its residuals, in the same unit of 0.055
 * microseconds: an exchange with its worker takes 60 to 200 microseconds
 * (tests/fmu, one step of an empty FMU), most of them asleep. */
YK_POLICY(YK_COST_EXCHANGE, 2000.0);

/* An unknown asks for the derivative of an input if it answers more than three
 * times as much over a step that is ten times shorter: between 1 (index 1) and
 * 10 (index 2), in the middle on a logarithmic scale.  Answers below a millionth
 * of the largest are rounding. */
YK_POLICY(YK_GRAPH_DEEP, 3.0);
YK_POLICY(YK_GRAPH_ROUNDING, 1e-6);

/* More signals than this are not linearised at once: eigenvalues of a matrix of
 * that size take about 0.1 s. */
YK_POLICY_INT(YK_GRAPH_MOST_SIGNALS, 200);

/* Beyond, the radius is found by products, to this accuracy (relative: it is
 * shown with four digits and compared with 1), and bounded by so many steps of
 * the power method. */
YK_POLICY(YK_GRAPH_RADIUS, 1e-4);

/* The rate that the log shows for windows of a new length is found while all
 * others wait: beyond so many signals by products, too. */
YK_POLICY_INT(YK_GRAPH_FEW_SIGNALS, 32);
YK_POLICY_INT(YK_GRAPH_BOUND_STEPS, 20);

#endif
