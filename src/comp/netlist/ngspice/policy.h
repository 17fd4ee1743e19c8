/* comp/netlist/ngspice/policy.h -- tolerances of ngspice.
 *
 * At level n the longest step is that of the run, or the window, over n, and
 *
 *     reltol = rtol / n^3.
 *
 * The local error of the trapezoidal rule is of third order in the step, so at
 * 2 n every step that ngspice chooses by its error is half as long, as are those
 * that the limit chooses, and the error of second order that is left becomes a
 * quarter: what the comparison of n and 2 n expects.
 */
#ifndef YK_NGSPICE_POLICY_H
#define YK_NGSPICE_POLICY_H

#include "base/policy.h"

/* Errors in the charges of a step over reltol, trtol of ngspice.  Its formula
 * counts a twelfth of what a current that jumps within the step does, and half of
 * it is what happens: at 1 and n = 2 that is 0.75 of the tolerance, at the preset
 * of 7 it is 5. */
YK_POLICY(YK_NGSPICE_STEP_ERROR, 1.0);

/* The longest step at level n is that of the run over n + this.  Without it the
 * points at n were among those at 2 n, and what a source does between them would
 * be seen at the same point by both. */
YK_POLICY(YK_NGSPICE_APART, 0.3);

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

/* It is looked for at this many times the distance of those points at most. */
YK_POLICY(YK_NGSPICE_FAR, 16.0);

/* The instant of a jump is known to this part of rtol times the step in which it
 * was seen: all else is resolved on the scale of that step. */
YK_POLICY(YK_NGSPICE_INSTANT, 1e-3);

/* Jumps that are less than this many least steps (1e-5 of the run) apart follow
 * each other at once; so many of them, one after the other, are chatter. */
YK_POLICY(YK_NGSPICE_SOON, 1e5);
YK_POLICY_INT(YK_NGSPICE_CHATTER, 1);

/* Near a jump, ngspice pauses after each step shorter than this many times the
 * least one, so that the step with the jump can have other tolerances. */
YK_POLICY(YK_NGSPICE_CLOSE, 4.0);

/* trtol there: no step is rejected for its error. */
YK_POLICY(YK_NGSPICE_ANY_ERROR, 1e30);

/* A conductance that changes by this part of it is that of a switch which has
 * changed its state; on and off are apart by powers of ten. */
YK_POLICY(YK_NGSPICE_SWITCH, 0.01);

/* Instants of two sweeps that differ by no more than this part of rtol times the
 * step are one: the waveforms are compared with the jump at the same place. */
YK_POLICY(YK_NGSPICE_SAME, 0.1);

/* Breakpoints are never nearer to each other than this part of the run; ngspice
 * itself takes 2e-6, and joins the two ends of a steep edge. */
YK_POLICY(YK_NGSPICE_BREAK, 1e-11);

/* Times that differ by more than this part of the run are different. */
YK_POLICY(YK_NGSPICE_TIME, 1e-10);

#endif
