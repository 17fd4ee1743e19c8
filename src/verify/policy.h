/* verify/policy.h -- numbers that decide about checks of a run. */
#ifndef YK_VERIFY_POLICY_H
#define YK_VERIFY_POLICY_H

#include "base/policy.h"

/* ---- what a check finds (verify/spot_check.c) ---------------------------- */

/* Times YK_PROMISE between the ends of steps, where there are junctions: one that
 * switches inside a step is off by 31 tolerances there (a bank of rectifiers,
 * rtol 1e-4). */
YK_POLICY(YK_SPOT_BETWEEN, 10.0);

/* A check is solved with tolerances divided by this, so that its own error is a
 * tenth of what it tells from the promise. */
YK_POLICY(YK_SPOT_TIGHTER, 100.0);

/* Jumps of both solutions that are closer than this part of the piece are one;
 * nothing is compared so close to a jump. */
YK_POLICY(YK_SPOT_SAME_JUMP, 0.02);
YK_POLICY(YK_SPOT_BESIDE, 1e-3);

/* Times at which a piece is compared. */
YK_POLICY_INT(YK_SPOT_SAMPLES, 48);

/* Steps of implicit Euler, where no method with an error test has a solution,
 * over those of the others: its error of order 1 is then about a percent. */
YK_POLICY(YK_SPOT_PLAIN_STEPS, 24.0);

/* Before a verdict of implicit Euler stands, methods with an error test may take so
 * many times the steps of a check: a peak of 1e-5 of its piece takes 6,000 at a
 * hundredth of 1e-6. */
YK_POLICY(YK_SPOT_PATIENCE, 30.0);

/* A third solution has so many times the steps of the second; not a whole
 * number, so that their points differ. */
YK_POLICY(YK_SPOT_FINER, 2.3);

/* ---- what is checked (verify/spot.c) ------------------------------------- */

/* Unknowns of a model whose waveforms are kept, and of one that is checked as a
 * whole. */
YK_POLICY_INT(YK_SPOT_MOST_UNKNOWNS, 2000);
YK_POLICY_INT(YK_SPOT_MOST_WHOLE, 300);

/* Residuals that every run may use, times unknowns but for those of systems
 * larger than so many: about 10 ms. */
YK_POLICY(YK_SPOT_MOMENT, 4000.0);
YK_POLICY(YK_SPOT_MOMENT_UNKNOWNS, 50.0);

/* Residuals to begin with and for a step, as counted on the examples, and the
 * fewest steps of a check. */
YK_POLICY(YK_SPOT_BEGINNING, 60.0);
YK_POLICY(YK_SPOT_PER_STEP, 12.0);
YK_POLICY(YK_SPOT_FEWEST, 16.0);

/* Steps of a check over those of the run: with a hundredth of the tolerance a
 * method of order 3 takes 100^(1/3) = 4.6 times as many. */
YK_POLICY(YK_SPOT_STEPS, 4.0);

/* A step that is longer than the one before by this factor is drawn more often,
 * by the second factor. */
YK_POLICY(YK_SPOT_GROWN, 2.0);
YK_POLICY(YK_SPOT_GROWN_WEIGHT, 4.0);

/* Most pieces of its input that add to the weight of a step. */
YK_POLICY(YK_SPOT_INPUT_PIECES, 20.0);

/* Steps shorter than this part of the mean, cut at a jump, are not drawn.  With 0
 * the half bridge of tests/netlist is refused: the tolerance of a voltage that
 * passes zero in such a step is that of its size there. */
YK_POLICY(YK_SPOT_SLIVER, 0.05);

/* ---- messages ------------------------------------------------------------ */

/* Growth over the run below which an unstable rest would not be seen anyway
 * (exponent). */
YK_POLICY(YK_REST_GROWTH, 5.0);

/* ---- what is not certified (verify/certify.c) ---------------------------- */

/* Steps whose multipliers rounding limits are told if they take more than this part
 * of the run: short ones at its beginning, or across a jump, do not. */
YK_POLICY(YK_VERIFY_BLURRED, 0.01);

#endif
