/* part/policy.h -- the numbers that decide about closed parts. */
#ifndef YK_PART_POLICY_H
#define YK_PART_POLICY_H

#include "base/policy.h"

/* Steps of a window are doubled up to this number; then a shorter window is
 * tried.  A window has some tens of steps of the fastest part, so more than that
 * means that something happens inside which no step resolves. */
YK_POLICY_INT(YK_PART_MOST_STEPS, 4096);

/* Steps of a window at least: the polynomials between them have five points.
 * bench/14_policy: halved 1 % less work, doubled 9 % more. */
YK_POLICY_INT(YK_PART_LEAST_STEPS, 4);

/* Pieces of the outputs between two instants at least: their polynomials are
 * cubics then, and errors fall with the steps as is expected of them. */
YK_POLICY_INT(YK_PART_LEAST_PIECES, 3);

/* Order of the errors of the steps, in all that is smooth (comp/fmu/steps.c).
 * bench/14_policy: with 2 fmu-pair takes 6.9 times the work, with 8 1.08 times. */
YK_POLICY(YK_PART_ORDER, 4.0);

/* The number of steps is chosen for a difference of this part of the tolerance:
 * with errors of fourth order, steps that are 19 % too long pass the test then.
 * bench/14_policy: halved 12 % more work, doubled 11 % more. */
YK_POLICY(YK_PART_AIM, 0.5);

/* Steps of the next window are longer by this factor at most. */
YK_POLICY(YK_PART_LONGER, 64.0);

/* A sweep whose outputs differ from those of a tested one by e tolerances is as
 * good as tested if the difference found there and this times e are within the
 * tolerance.  2: both the waveform with n and that with 2 n steps have changed.
 * bench/14_policy: halved or doubled, work changes by 1 %. */
YK_POLICY(YK_PART_TESTED, 2.0);

/* A sweep that need not be accurate is made with n steps alone, if errors may be
 * this many times the tolerance: those with n steps are within one.
 * bench/14_policy: doubled 2 % more work; 1 is the tolerance itself. */
YK_POLICY(YK_PART_LOOSE, 2.0);

/* Sweeps with so many pairs of steps or more, whose difference falls with less
 * than the first order, have an unreported jump. */
YK_POLICY_INT(YK_PART_LOOK_STEPS, 8);

/* The second number of steps is at most this many times the first: what does not
 * fall then is a jump, and few steps are enough to find it. */
YK_POLICY(YK_PART_FIRST_TRY, 4.0);

/* They are looked for in this part of the window more, on both sides: other
 * sweeps have them elsewhere. */
YK_POLICY(YK_PART_LOOK_MORE, 0.05);

/* A part whose outputs jump is searched for a period of its own so many times in
 * a window, for nothing; a search is about 1,000 steps, and to locate one jump costs
 * 30 copies of the process. */
YK_POLICY_INT(YK_PART_SEEKS, 3);

/* Half of the time in which an instant of a period is expected, as a part of the
 * period.  Inputs and instants are wrong by that; a hundredth of a tolerance of
 * 1e-6.  Located are they to 1.5e-8 at worst. */
YK_POLICY(YK_PART_TICK_WIDTH, 2e-8);

/* A period is rounded to few digits if that changes it by this part: FMUs add it
 * up, or compare times with some slack. */
YK_POLICY(YK_PART_TICK_ROUNDING, 1e-9);

/* Jumps of one window that are located by trials (parts that cannot be copied);
 * with more of them a shorter window is tried. */
YK_POLICY_INT(YK_PART_JUMPS, 8);

/* Steps after which it is asked whether the run will come to its end, and how
 * many steps a whole run may have at that rate.  The first are some seconds of a
 * fast part, the second a day. */
YK_POLICY(YK_PART_PATIENCE, 1e6);
YK_POLICY(YK_PART_IN_ALL, 1e9);

/* A step that a copy of the process makes ahead costs as much as this many
 * others: 0.5 to 2 ms against some microseconds. */
YK_POLICY(YK_PART_COPY, 200.0);

#endif
