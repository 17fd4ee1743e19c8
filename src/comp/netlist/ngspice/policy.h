/* comp/netlist/ngspice/policy.h -- tolerances of ngspice.
 *
 * At level n the longest step is that of the run, or the window, over n, and
 *
 *     reltol = LOOSE rtol / n^3.
 *
 * The local error of the trapezoidal rule is of third order in the step, so at
 * 2 n every step that ngspice chooses by its error is half as long, as are those
 * that the limit chooses, and the error of second order that is left becomes a
 * quarter: what the comparison of n and 2 n expects.
 */
#ifndef YK_NGSPICE_POLICY_H
#define YK_NGSPICE_POLICY_H

#include "base/policy.h"

/* Of rtol, at n = 1.  ngspice permits errors of trtol = 7 times reltol in the
 * charges of a step, and the answer is the sweep at 2 n. */
YK_POLICY(YK_NGSPICE_LOOSE, 1.0);

/* At n = 1 never above ngspice's own preset; and never so small that rounding
 * keeps Newton's method from ending. */
YK_POLICY(YK_NGSPICE_MOST, 1e-3);
YK_POLICY(YK_NGSPICE_LEAST, 1e-10);

/* Absolute tolerances over reltol: those of ngspice's presets (1 uV, 1 pA, 1e-14
 * C at reltol = 1e-3). */
YK_POLICY(YK_NGSPICE_VOLT, 1e-3);
YK_POLICY(YK_NGSPICE_AMPERE, 1e-9);
YK_POLICY(YK_NGSPICE_COULOMB, 1e-11);

/* A point is the end of the window if it is nearer to it than this part of the
 * window. */
YK_POLICY(YK_NGSPICE_NEAR, 1e-9);

/* Steps that are not between these many times the last one follow a breakpoint:
 * by its error control ngspice takes 0.9 to 2 times. */
YK_POLICY(YK_NGSPICE_SHORTER, 0.85);
YK_POLICY(YK_NGSPICE_LONGER, 2.01);

/* A jump of an output behind a breakpoint is believed if the straight line and
 * the parabola through the points behind it differ by no more than this part of
 * it. */
YK_POLICY(YK_NGSPICE_AGREE, 0.1);

#endif
