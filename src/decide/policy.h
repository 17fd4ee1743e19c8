/* decide/policy.h -- numbers that decide about clusters and orders.  Those of
 * the cost model itself are in graph/policy.h. */
#ifndef YK_DECIDE_POLICY_H
#define YK_DECIDE_POLICY_H

#include "base/policy.h"

/* ---- before a run (decide/first_schedule.c) ------------------------------ */

/* Short and long steps over which sweeps are linearised (part of the run).  A
 * millionth is shorter than any window, a hundredth a long one. */
YK_POLICY(YK_DECIDE_SHORT_STEP, 1e-6);
YK_POLICY(YK_DECIDE_LONG_STEP, 1e-2);

/* Rates per sweep up to this need no other order: two sweeps do. */
YK_POLICY(YK_DECIDE_WEAK, 0.04);

/* Another order is taken if its rate is less than this part of that of the
 * file's order. */
YK_POLICY(YK_DECIDE_BETTER_ORDER, 0.5);

/* Of more clusters than are looked at one by one another order is taken if it
 * leaves less than this part of the late components.  A sweep costs about the
 * same in any order; inputs read from the last sweep are guessed, compared and corrected besides. */
YK_POLICY(YK_DECIDE_FEWER_LATE, 0.75);

/* An order that costs no more sweeps than another is taken if its critical path
 * is shorter by this factor: chains of four parts and more (4 / 2). */
YK_POLICY(YK_DECIDE_COLOURS, 1.9);

/* ... and the norm of its sweep is larger at most by this factor: a part between
 * two late neighbours instead of one has twice the error of its inputs. */
YK_POLICY(YK_DECIDE_COLOUR_NORM, 2.5);

/* Constraints between positions (decide/stay.c) stay apart at this rtol and below.
 * Processor time apart over that of one system: a slider-crank 6.5, 1.6, 1.08, 0.99
 * at 1e-4 to 1e-7, a pendulum on a cart 1.0, 0.50, 0.36, 0.45; errors of the
 * multipliers as one 3.6, 3.2, 4.1, 12 tolerances, apart at most 0.4. */
YK_POLICY(YK_DECIDE_INDEX3_RTOL, 1e-6);

/* Ratio of answers over a step and over a tenth of it that fall with the square of its
 * length: 100; 10 if they fall with the length. */
YK_POLICY(YK_DECIDE_SQUARE, 30.0);

/* The point beside the first one: unknowns moved by this part of their sizes; and the
 * change of the answer there, relative, that is no rounding. */
YK_POLICY(YK_DECIDE_BESIDE, 1e-3);
YK_POLICY(YK_DECIDE_CURVED, 1e-6);

/* ---- while it goes on (decide/ladder.c) ---------------------------------- */

/* How much other clusters must save (factor on residuals): after the first
 * window, and later.  The first window is short, and the units take the steps
 * that they begin with, not yet their own. */
YK_POLICY(YK_DECIDE_SAVE_FIRST, 6.0);
YK_POLICY(YK_DECIDE_SAVE, 1.2);

/* So many windows of one sweep are judged together: a unit that is solved again
 * in one of them doubles its work there. */
YK_POLICY_INT(YK_DECIDE_BLOCK, 10);

/* So many such blocks in a row must say the same: one window whose correction was
 * given up makes its block expensive, and not those that follow. */
YK_POLICY_INT(YK_DECIDE_AGREE, 2);

/* Pairs are looked at after windows 3, 6, 12, 24, ...: each look costs
 * eigenvalues. */
YK_POLICY_INT(YK_DECIDE_LOOK, 3);

/* Many units (decide/many.c).  Rates by their Jacobians that differ by less than
 * ALIKE (factor) are those of parts with one rate.  Otherwise OWN_STEPS of the
 * fastest must fit into the window, so that it is its error and not the start
 * that limits them; if windows are still shorter after WAIT of them, the
 * coupling keeps them so. */
YK_POLICY(YK_DECIDE_ALIKE, 4.0);
YK_POLICY(YK_DECIDE_OWN_STEPS, 4.0);
YK_POLICY_INT(YK_DECIDE_WAIT, 12);

/* Limits between slow and fast units that are tried: powers of this factor times the
 * least residuals of a unit in a window, in a mean in which the newest counts this
 * much: about ten windows.  There must have been so many, in which the fast units'
 * neighbours have found their steps. */
YK_POLICY(YK_DECIDE_PACE, 2.0);
YK_POLICY(YK_DECIDE_NEWEST, 0.1);
YK_POLICY_INT(YK_DECIDE_PACED, 30);

/* Some units as one cost so much more than is predicted from what they took before
 * (factor): all of them are solved again where one of them would be, windows are
 * shorter, and the correction of a large unit costs what its residuals do not
 * show.  Processor time over the prediction in bench/15_map: 4 in a star of 32 parts
 * of 4 unknowns, 7.5 in a chain of 128; 8 is on the safe side, for what stays apart
 * can run at once. */
YK_POLICY(YK_DECIDE_TEAM, 8.0);

/* Windows that are longer by this factor than the one before are growing; then
 * one system must save so much more, because sweeps and the rest of the start
 * get less. */
YK_POLICY(YK_DECIDE_GROWING, 1.2);
YK_POLICY(YK_DECIDE_SAVE_GROWING, 2.0);

/* Few units are judged by residuals, and by prices only if they will have cost so
 * much at the end of the run (unknowns, 0.035 us each: 50 ms).  Shorter runs show how
 * their parts exchange waveforms, and no unit waits for them.  What is to come is what
 * the last windows took; believed behind the beginning of the run (part of it), whose
 * windows are short, when they do not grow any more and this part has been paid. */
YK_POLICY(YK_DECIDE_MATTERS, 1.5e6);
YK_POLICY(YK_DECIDE_TASTE, 0.05);
YK_POLICY(YK_DECIDE_PROLOGUE, 0.02);

/* Changes of clusters in a run, failures apart. */
YK_POLICY_INT(YK_DECIDE_MOST_CHANGES, 4);

/* ---- predictions --------------------------------------------------------- */

/* Lengths of windows that differ by less have the same rate (relative). */
YK_POLICY(YK_DECIDE_SAME_LENGTH, 0.02);

/* Two radii that differ by less are equal (relative): rounding of eigenvalues. */
YK_POLICY(YK_DECIDE_SAME_RADIUS, 1e-9);

/* Choices of owners that `yoke check` tries. */
YK_POLICY_INT(YK_DECIDE_MOST_OWNERS, 256);

/* ---- steppers (decide/stepper.c) ----------------------------------------- */

/* Wave ports reflect what the steppers leave: their neighbours are solved more
 * accurately by this factor on rtol and atol. */
YK_POLICY(YK_DECIDE_WAVE_PORT, 0.03);

/* Smallest rtol a stepper is given, in checks and second solutions too: 500
 * roundings. */
YK_POLICY(YK_DECIDE_LEAST_RTOL, 1e-13);

/* ---- amplified errors (decide/sharpen.c) ---------------------------------- */

/* What feeds a unit gets a smaller tolerance where its gain is above YK_PROMISE.
 * Smallest rtol for that reason; less than that is a warning. */
YK_POLICY(YK_DECIDE_LEAST_SHARP, 1e-11);

/* A run begins again so often at most; the gain of a second run is that of the
 * first within a factor of two. */
YK_POLICY_INT(YK_DECIDE_MOST_SHARPENED, 3);

#endif
