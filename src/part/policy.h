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
 * than the first order, have a jump that nobody told. */
YK_POLICY_INT(YK_PART_LOOK_STEPS, 8);

/* The second number of steps is at most this many times the first: what does not
 * fall then is a jump, and few steps are enough to find it. */
YK_POLICY(YK_PART_FIRST_TRY, 4.0);

/* They are looked for in this part of the window more, on both sides: other
 * sweeps have them elsewhere. */
YK_POLICY(YK_PART_LOOK_MORE, 0.05);

#endif
