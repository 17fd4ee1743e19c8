/* step/policy.h -- the numbers that decide inside a step (base/policy.h).
 *
 * Numbers that belong to a published method stay with it: tableaux, the
 * controller (control.c), Radau's error estimate.  So do capacities of arrays.
 * "Parts of the tolerance" are parts of atol + rtol |x|.
 */
#ifndef YK_STEP_POLICY_H
#define YK_STEP_POLICY_H

#include "base/policy.h"

/* ---- Newton's method (solve/newton.c, method/radau.c, solve/initial.c) ---- */

/* theta = |dx_k| / |dx_k-1| above which a new Jacobian is evaluated: it costs
 * about as much as three residuals, and four iterations with 1/10 are as good
 * as two with 1/100.  Halved, residuals of circuits fall by 4 to 7 %, doubled
 * they rise by 6 to 11 %. */
YK_POLICY(YK_STEP_SLOW, 0.1);

/* theta / (1 - theta) is believed down to this where it is that of an earlier
 * solve (two digits) and where it was measured (three).  Halved or doubled:
 * 0.5 % of the residuals at most. */
YK_POLICY(YK_STEP_ETA_FIRST, 0.01);
YK_POLICY(YK_STEP_ETA, 1e-3);

/* Reciprocal condition below which a matrix of charges may be singular: capacities
 * between the same nodes, 1 nF and 1 pF, cancel to 1000 eps. */
YK_POLICY(YK_STEP_DOUBTFUL, 1e-11);

/* An increment of so many times the size of an unknown leads nowhere. */
YK_POLICY(YK_STEP_WILD, 100.0);

/* theta with a new Jacobian above which increments are asked whether they are
 * rounding; they are below so many kappa, or below so many times what rounding
 * in q and f alone moves (that is the error of one operation; estimates of deep
 * unknowns are believed from there on, too). */
YK_POLICY(YK_STEP_STAGNANT, 0.5);
YK_POLICY(YK_STEP_ROUNDING_KAPPA, 100.0);
YK_POLICY(YK_STEP_ROUNDING, 8.0);

/* Radau measures rounding by residuals with random signs, of which some cancel:
 * so many times what they move. */
YK_POLICY(YK_STEP_RADAU_ROUNDING, 30.0);

/* Radau: theta of a step above which the next one has a new Jacobian.  Halved,
 * residuals of a mechanism fall by 0.8 %, doubled they rise by 9 %. */
YK_POLICY(YK_STEP_RADAU_RENEW, 0.01);

/* Radau: theta / (1 - theta) is believed down to LEAST.  But the theta of an
 * earlier step tells little about an algebraic unknown whose row has changed
 * since: one with z = c p^2 was off by 43 tolerances at the points.  So where
 * there are such rows, convergence that rests on less than SURE is verified:
 * 0.4 tolerances with 4e-3 to 3e-2, 3 with 1e-3, and one to three residuals
 * more in a hundred.  Rows with charge contract with the step, unless they are
 * stiff: one that follows sqrt(0.01 + x^2) was off by 23 tolerances.  First steps
 * after a jump have no polynomial to guess from, and a shorter attempt would
 * believe the theta of a longer one: 10 tolerances. */
YK_POLICY(YK_STEP_RADAU_LEAST, 1e-5);
YK_POLICY(YK_STEP_RADAU_SURE, 1e-2);

/* Where there are algebraic unknowns a Jacobian serves for so many steps: sqrt(h),
 * h rising from rest, left errors in two stages that kept the steps at 1e-13 for
 * ever. */
YK_POLICY_INT(YK_STEP_RADAU_AGE, 50);

/* kappa, what Newton's method may leave, as a part of the tolerance: adaptive
 * methods must not see it in their estimate (a hundredth), fixed steps show the
 * error of the method alone (1e-10 of the size).  Halved or doubled: residuals
 * rise or fall by up to 8 % and 3 %. */
YK_POLICY(YK_STEP_KAPPA, 0.01);
YK_POLICY(YK_STEP_KAPPA_FIXED, 1e-10);

/* Free oscillations (turns.c): a swing counts if it is so many tolerances and
 * at least such a part of the one before (quality 4.5 and more); after so many
 * in a row it is one.  Six in a row instead of three: a flyback converter that
 * rings 320 times is off by 20 tolerances instead of 13. */
YK_POLICY(YK_STEP_TURN_SEEN, 100.0);
YK_POLICY(YK_STEP_TURN_LEFT, 0.5);
YK_POLICY_INT(YK_STEP_TURN_FEW, 3);

/* The same: errors count at most 1/kappa times, and no more than makes rtol
 * this, beyond which rounding rules. */
YK_POLICY(YK_STEP_TURN_RTOL, 1e-9);

/* genalpha: kappa for index 3, where what is left of a constraint is divided by
 * h^2 in the multipliers. */
YK_POLICY(YK_STEP_KAPPA_DEEP, 1e-3);

/* radau: the same. In the first third of a step the collocation polynomial
 * shows 40 times what is left, a third of a tolerance with kappa, and more in
 * shorter steps; with a new Jacobian in each step this costs nothing. */
YK_POLICY(YK_STEP_RADAU_DEEP, 0.3);

/* Iterations from initial values and after jumps, which may go far. */
YK_POLICY_INT(YK_STEP_MOST_NEWTON, 50);

/* Block by block (solve/block_triangular.c): unknowns up to which it is done,
 * since each block evaluates all equations (2000 explicit ones: 0.2 s), and
 * steps along the path of a block. */
YK_POLICY_INT(YK_STEP_BLOCKS_MOST, 2000);
YK_POLICY_INT(YK_STEP_BLOCKS_PATH, 200);

/* ---- Initial values, index 2 or more (solve/hidden_constraints.c) --------- */

/* The Taylor polynomial reaches over PART of the shortest |C| / |G| of a row at
 * first, or of COMMON times the time that does not depend on units if that is
 * longer, and over a quarter of it as often as needed.  That of a row is much too
 * short for a mass on a spring (m / k for sqrt(m / k): 14 times where PART was
 * chosen, hence COMMON), and what is too long is found out: with K + 4 points the
 * error of truncation is of order 4, that of rounding in a second derivative
 * 2e-14 / PART^2. */
YK_POLICY(YK_STEP_HIDDEN_COMMON, 0.07);
YK_POLICY(YK_STEP_HIDDEN_PART, 3.2);
YK_POLICY_INT(YK_STEP_HIDDEN_LENGTHS, 8);

/* A column depends on others if elimination leaves this part of it: measured on
 * a joint of index 3, rounding of differences leaves 1e-12 for 1/20 of the
 * shortest time and 1e-10 for the last of the lengths, what is determined 2e-3
 * and 4e-8. */
YK_POLICY(YK_STEP_HIDDEN_DEPENDENT, 1e-8);

/* Relative to the unknowns: what start values may leave of an equation (as much
 * as fixed values may differ from those the equations give), and a difference
 * of two lengths that is good enough to stop; one that is good enough if there
 * is no better. */
YK_POLICY(YK_STEP_HIDDEN_LEFT, 1e-8);
YK_POLICY(YK_STEP_HIDDEN_SURE, 1e-6);

/* Unknowns up to which it is done: matrices are dense; two chains of masses and
 * a joint take 0.3 s with 100 unknowns and 3.7 s with 240. */
YK_POLICY_INT(YK_STEP_HIDDEN_MOST, 300);

/* After a jump of the inputs Newton's method follows them in parts, this long
 * at least: 1/1024 of the jump, five failures in a row. */
YK_POLICY(YK_STEP_LEAST_PART, 1.0 / 1024.0);

/* Consistent values by short steps: each length is so many times another one,
 * and so many are tried. */
YK_POLICY(YK_STEP_SHORT_RATIO, 32.0);
YK_POLICY_INT(YK_STEP_SHORT_LENGTHS, 10);

/* Slopes: increments are halved so often. */
YK_POLICY_INT(YK_STEP_SLOPE_LENGTHS, 8);

/* Slopes: up to so many algebraic unknowns are solved for by columns of
 * differences; each costs a residual, the Jacobian of a large system many. */
YK_POLICY_INT(YK_STEP_FEW, 8);

/* ---- Unknowns behind constraints (solve/deep_unknowns.c) ------------------ */

/* Depths are measured with a step of this part of |C| / |G| and with one
 * shorter by REFINE, at a point moved at random by the same part of its size:
 * answers may vanish at special ones. */
YK_POLICY(YK_STEP_DEPTH_STEP, 1e-3);
YK_POLICY(YK_STEP_DEPTH_REFINE, 10.0);

/* ---- Lengths of steps (control.c, advance.c, problem.c) ------------------- */

/* The root mean square of an error is at least this part of its largest
 * component: in a large system of which a small part moves the mean would hide
 * it. */
YK_POLICY(YK_STEP_DILUTED, 0.25);

/* genalpha changes its step rarely, because that costs accuracy: if it may grow
 * by more than GROW, by a bit less than it may (ROOM); if it must shrink by more
 * than SHRINK, at least by BY.  Errors between 0.37 and 0.9 change nothing. */
YK_POLICY(YK_STEP_STEADY_GROW, 1.25);
YK_POLICY(YK_STEP_STEADY_ROOM, 1.1);
YK_POLICY(YK_STEP_STEADY_SHRINK, 0.93);
YK_POLICY(YK_STEP_STEADY_BY, 0.85);

/* trbdf2: its extrapolated solution depends on the Jacobian by h (G - G_old) e;
 * a new one when the solution has moved by this part of its size. */
YK_POLICY(YK_STEP_TRBDF2_RENEW, 0.1);

/* The first step, as a part of the segment; the error test corrects it. */
YK_POLICY(YK_STEP_FIRST, 1e-3);

/* Lengths of fixed steps that agree to this part are equal, so that factors
 * serve again. */
YK_POLICY(YK_STEP_SAME_LENGTH, 1e-10);

/* Instants closer than this, in units of rtol times the step, are one for
 * methods that control their error. */
YK_POLICY(YK_STEP_SAME_INSTANT, 1e-3);

/* Numbers of a sweep that are kept as a guess for the next one: 128 MB. */
YK_POLICY(YK_STEP_TRACE_ROOM, 16e6);

/* Numbers that factors may occupy, counting 20 per place of the matrix: 32 MB. */
YK_POLICY(YK_STEP_FACTOR_ROOM, 4e6);

/* ---- Jumps and leaps (drive.c, advance.c) --------------------------------- */

/* An input jumps at a knot if it changes there by more than this part of its
 * tolerance; it has a kink if its slope changes by so many tolerances over the
 * shorter piece.  The slopes of other steppers' polynomials always disagree, by
 * the size of their errors. */
YK_POLICY(YK_STEP_JUMP, 0.1);
YK_POLICY(YK_STEP_KINK, 100.0);

/* Between windows inputs change by what the iteration leaves open
 * (YK_EVENT_NOISE); at the end of the run, where no step follows that would see
 * less, so many tolerances ask for consistent values again. */
YK_POLICY(YK_STEP_JUMP_AT_END, 1.0);

/* An error that so many shorter steps in a row do not lower as they should
 * comes from values that deep unknowns begin with. */
YK_POLICY_INT(YK_STEP_STUCK, 3);

/* So many leaps in a row are a switch that chatters. */
YK_POLICY_INT(YK_STEP_MOST_LEAPS, 50);

/* So many accepted steps in a row below the least step are no progress. */
YK_POLICY_INT(YK_STEP_TINY, 8);

/* A sweep that has as much of its segment left, or less, when it has had the
 * steps that it may take, may have so many times as many.  The chain of
 * tests/converge/pulses.c, whose edges are seen in front of them, has less than
 * 2e-3 left and takes 8,430 residuals (13,440 if it is given up); a diode's turn-on
 * (converge/switching.c), which must be given up, 0.02 and more. */
YK_POLICY(YK_STEP_NEARLY_THERE, 0.005);
YK_POLICY_INT(YK_STEP_NEARLY_MORE, 4);

/* ---- Stability of explicit methods (advance.c, method/erk.c) -------------- */

/* h |lambda| is a mean over so many steps; so many leaps in a row are believed
 * at once. */
YK_POLICY_INT(YK_STEP_PACE_MEAN, 16);
YK_POLICY_INT(YK_STEP_PACE_LEAPS, 2);

/* In units of the stability bound: the mean that is suspicious, a leap. */
YK_POLICY(YK_STEP_PACE_SUSPECT, 0.8);
YK_POLICY(YK_STEP_PACE_LEAP, 3.0);

/* |R(z)| - 1 above which a mode grows: differences have six digits. */
YK_POLICY(YK_STEP_PACE_GROWS, 1e-6);

/* Products with the Jacobian leave the fastest modes alone after so many, and
 * are worth it from this part of the bound on. */
YK_POLICY_INT(YK_STEP_MODE_PRODUCTS, 6);
YK_POLICY(YK_STEP_MODE_NEAR, 0.95);

/* Differences of stages below this part of the tolerance are rounding, and
 * changes of initial values and slopes below it are none. */
YK_POLICY(YK_STEP_VISIBLE, 1e-3);

/* ---- Growth from below atol (grow.c) --------------------------------------
 * h mu: above SOME a step of an unknown below atol is not accurate (h mu is the
 * relative error of one that stays), above MUCH one that does not grow by e^3 is
 * wrong. */
YK_POLICY(YK_STEP_GROW_SOME, 1e-3);
YK_POLICY(YK_STEP_GROW_MUCH, 3.0);

/* Growth by inputs is told from so many atol on; components of a mode below this
 * part of their nominal value are none. */
YK_POLICY(YK_STEP_GROW_TOLD, 1e3);
YK_POLICY(YK_STEP_GROW_PART, 1e-3);

/* ---- Errors inside a step (look) ------------------------------------------ */

/* Most tests in a step, besides those of the peaks.  A fixed step is looked at
 * once in TURN times, and only if its points have missed MISSABLE of the range
 * of an input or of a function of time. */
YK_POLICY_INT(YK_LOOK_TESTS, 12);
YK_POLICY_INT(YK_LOOK_TURN, 16);
YK_POLICY(YK_LOOK_MISSABLE, 0.01);

/* Most pieces of u in a step: bounds the list of candidates. */
YK_POLICY_INT(YK_LOOK_PIECES, 4000);

/* Values farther from all that were seen, as a part of the range, are new.
 * Random cases wrong by more than 100 tolerances: 1/4 2.0 %, 1/8 0.7, 1/16 0.2,
 * 1/32 no better. */
YK_POLICY(YK_LOOK_NEW_VALUE, 1.0 / 16.0);

/* Deviation, as a part of the range, that a step with resolved inputs may have:
 * a step of about 0.6 periods of a sine.  0.03 and 0.3 give the same results:
 * the tests decide. */
YK_POLICY(YK_LOOK_ROUGH, 0.1);

/* Steps in which a surprise is remembered. */
YK_POLICY_INT(YK_LOOK_ALERT, 32);

/* First steps with errors below EASY, so often in a row, are tested each so
 * often-th time. */
YK_POLICY_INT(YK_LOOK_OFTEN, 8);
YK_POLICY(YK_LOOK_EASY, 0.01);

/* Parts of the run: the longest time between two points of a system that time
 * moves, so that a smooth pulse, (1 + cos)/2 of 1/100 of the run, shows a
 * fiftieth of its height at one of them; the longest step while unknowns run,
 * half of it without tests.  Tests of every step that time moves cost the
 * benchmarks up to 1.7 times the residuals. */
YK_POLICY(YK_LOOK_UNSEEN, 1.0 / 110.0);
YK_POLICY(YK_LOOK_LONGEST, 1.0 / 64.0);

/* A step that begins in a direction other than the last one ended, by more
 * tolerances over its length, is not smooth. */
YK_POLICY(YK_LOOK_TURNED, 50.0);

/* A step longer than the last by more has no estimate of its polynomial. */
YK_POLICY(YK_LOOK_GROWTH, 2.0);

/* Curves: enclosures in a step; part of the tolerance that is not tested; how
 * the measure of what D does fades with each step (half in 14), and the least
 * effect that it believes; what the points of a rising curve may leave over of a
 * polynomial, as a part of its range. */
YK_POLICY_INT(YK_LOOK_BUDGET, 120);
YK_POLICY(YK_LOOK_SHARE, 0.05);
YK_POLICY(YK_LOOK_FADING, 0.95);
YK_POLICY(YK_LOOK_LEAST, 1e-3);
YK_POLICY(YK_LOOK_EVEN, 0.02);

/* The largest deviation is known up to this factor; the farthest value of a
 * function of time up to this one, from where Newton's method climbs to the
 * top. */
YK_POLICY(YK_LOOK_SURE, 2.0);
YK_POLICY(YK_LOOK_NEAR_TOP, 1.02);

/* Outputs: how often a part is halved, without functions of time and with (a
 * pulse of 1e-13 of the step), and the shortest that is, relative to the time:
 * knots must differ. */
YK_POLICY_INT(YK_LOOK_HALVED, 12);
YK_POLICY_INT(YK_LOOK_HALVED_TIME, 44);
YK_POLICY(YK_LOOK_SHORTEST, 1e-13);

/* ---- Events (event) -------------------------------------------------------
 * Indicators are looked at in so many equal parts of a step, and after an event
 * at up to so many points near its beginning, at 4^-k. */
YK_POLICY_INT(YK_EVENT_PARTS, 5);
YK_POLICY_INT(YK_EVENT_CLOSE_POINTS, 25);

/* Most enclosures of one indicator in a step, if there are bounds of it: a visit
 * of 1e-12 of the step takes 100.  Without a decision the points above must do. */
YK_POLICY_INT(YK_EVENT_LOOKS, 4000);

/* A top of an indicator is searched in so many points; one below zero by less
 * than this part of the largest value in the step is asked whether it grazes. */
YK_POLICY_INT(YK_EVENT_TOPS, 3);
YK_POLICY(YK_EVENT_GRAZE, 1e-3);

/* Steps up to an event are taken again so often until they end there. */
YK_POLICY_INT(YK_EVENT_RETAKES, 6);

/* Part of the tolerance: the value of a branch is wrong by this much at most,
 * and only while the solution is this close to the kink; what a held branch may
 * cost beyond its end, in the step and in those before it together. */
YK_POLICY(YK_EVENT_KINK, 0.1);

/* Relays that switch their own input: by how much of its tolerance an input may
 * miss its threshold. */
YK_POLICY(YK_EVENT_REACH, 0.02);

/* How far values are off: indicators are moved by errors of Newton's method, so
 * many kappa, and of inputs and unknowns, so many tolerances.  Between two
 * windows, where the iteration leaves something open, an input jumps if it
 * changes by more.  A jump of height J that moves by d counts as a change of
 * J d / H over a window H: by so many tolerances, and at most NEAR_MOST of the
 * window (values in small units have large tolerances), it may move unnoticed. */
YK_POLICY(YK_EVENT_NOISE, 10.0);
YK_POLICY(YK_EVENT_NEAR_MOST, 0.05);

/* An event that no step can pass is searched along the last slope; the next step
 * ends this part of what is left before it. */
YK_POLICY(YK_EVENT_AHEAD_CLOSE, 1e-3);

/* Endless: so many events caused at one instant; so many of one kind within
 * 1e-12 of the time or within ten marks; so many of all kinds within 1e-10. */
YK_POLICY_INT(YK_EVENT_MOST_APPLIED, 100);
YK_POLICY_INT(YK_EVENT_MOST_CLOSE, 3);
YK_POLICY_INT(YK_EVENT_MOST_AGAIN, 10);
YK_POLICY_INT(YK_EVENT_MOST_CROWD, 1000);
YK_POLICY(YK_EVENT_CLOSE_BY, 1e-12);
YK_POLICY(YK_EVENT_CROWD_BY, 1e-10);

/* Too many to follow: at the rate of the last LATELY events there would be more
 * than IN_ALL in a run.  An event costs ten microseconds at least, in two sweeps,
 * so that would be hours; a clock of 100 MHz over one second is refused. */
YK_POLICY_INT(YK_EVENT_LATELY, 10000);
YK_POLICY(YK_EVENT_IN_ALL, 1e8);

/* What only ends steps, each within so few steps: so often in a row and a kink
 * is no longer looked at, a jump is sliding. */
YK_POLICY_INT(YK_EVENT_FEW_STEPS, 4);
YK_POLICY_INT(YK_EVENT_MOST_KINKS, 20);
YK_POLICY_INT(YK_EVENT_MOST_JUMPS, 200);

/* ---- Steps that are corrected (tape.c) -------------------------------------
 * Most unknowns of all steps of a sweep that is kept: 240 bytes each. */
YK_POLICY(YK_STEP_TAPE_ROOM, 4e6);

/* A last step shorter than this part of what was wanted says nothing about the
 * length of the next: its error is rounding, or of low order. */
YK_POLICY(YK_STEP_TAPE_SHORT, 0.1);

/* A change of the inputs that is one polynomial over a step counts this much
 * between the stages: their quadrature is exact up to degree 4, so that it
 * hardly reaches the end of the step. */
YK_POLICY(YK_STEP_TAPE_SMOOTH, 0.1);

/* A step that is corrected by more tolerances is asked what its old matrices leave.
 * Below, an error as large as the correction would be one of the tolerance. */
YK_POLICY(YK_STEP_TAPE_OLD, 0.3);

/* ---- Cells that sleep (cells) ---------------------------------------------
 * Part of the tolerance that a sleeping cell may miss of what it reads; by the
 * other part it may move by itself. */
YK_POLICY(YK_LATENT_WAKE, 0.5);

/* Layers of cells around those that move which are woken together; all but the
 * outermost stay awake. */
YK_POLICY_INT(YK_LATENT_LAYERS, 4);

/* For how long a cell must stay where it is to sleep, in units of the time so
 * far: then each is looked at a few times in a run. */
YK_POLICY(YK_LATENT_AHEAD, 4.0);

/* Fewer cells than one in so many of those awake are not put to sleep: pieces
 * that change cost something too.  After that was in vain nobody looks for so
 * many slices, at most. */
YK_POLICY_INT(YK_LATENT_WORTH, 6);
YK_POLICY_INT(YK_LATENT_LONGEST_PAUSE, 15);

/* Systems with fewer cells are solved whole; after so many slices without a
 * surprise longer ones are tried (0: tests/parallel/pulses.cir takes 6 % more
 * residuals). */
YK_POLICY_INT(YK_LATENT_FEWEST, 16);
YK_POLICY_INT(YK_LATENT_CALM, 8);

/* Newton's increments that change by no more than this part from one to the next
 * go to and fro between the sides of a corner: with the slopes of one side the
 * other is missed by as much each time.  Slow convergence near a singular
 * matrix has 1/2. */
YK_POLICY(YK_STEP_TO_AND_FRO, 0.1);

/* ---- equilibria (step/solve/steady.c) ------------------------------------ */

/* A pseudo-time step whose second increment is below this part of the first is
 * taken and the next is longer; the usual bound of simplified Newton. */
YK_POLICY(YK_STEADY_GOOD, 0.5);

/* Relative increments: below the first Newton's method for f = 0 is tried,
 * below the second it has ended (rounding of a matrix with 1e4), above the
 * third a point has changed. */
YK_POLICY(YK_STEADY_NEAR, 1e-2);
YK_POLICY(YK_STEADY_SAME, 1e-12);
YK_POLICY(YK_STEADY_CHANGED, 1e-6);

/* Steps of this length, in s, are endless: nothing that we simulate takes 30
 * million years.  Their inverse is the rate of the slowest mode. */
YK_POLICY(YK_STEADY_ENDLESS, 1e15);

/* A matrix with a smaller 1 / condition is taken as singular: 16 digits. */
YK_POLICY(YK_STEADY_RCOND, 1e-16);

/* The part of itself (and its nominal size) that an unknown moves in a step at
 * most while the motion is followed: a pendulum at 143 degrees comes down with
 * 0.3, and stands up with 1. */
YK_POLICY(YK_STEADY_STRIDE, 0.1);

/* Steps in all, of which rectifiers take 30 and a stiff start far from the rest
 * 100; Newton's iterations near the end. */
YK_POLICY_INT(YK_STEADY_STEPS, 3000);
YK_POLICY_INT(YK_STEADY_NEWTON, 12);

/* Modes that grow are looked for at rates between these, over the length of the
 * run: slower ones are not seen in it, faster ones are beyond its digits. */
YK_POLICY(YK_STEADY_SLOWEST, 1e-2);
YK_POLICY(YK_STEADY_FASTEST, 1e9);

/* ---- Steps that cross windows (front.c) ------------------------------------
 * A step of at least so many windows crosses: shorter ones are those of units of about
 * one rate, whose steps are long by chance (a star of 40 such units: 30,200
 * evaluations with 3, 16,300 with 4, 16,100 with 5 and without crossing; rc-chain 1.41,
 * 1.40, 1.41 times the oracle, 1.47 with 6).  Inputs are continued through points of at
 * most so many lengths of what is ahead. */
YK_POLICY(YK_STEP_FRONT_LEAST, 5.0);
YK_POLICY(YK_STEP_FRONT_SPAN, 3.0);
YK_POLICY(YK_STEP_FRONT_GROW, 2.0); /* the next, after one that served */

/* A correction may move what was accepted before by so much, in tolerances; more
 * and the step ends where the window begins.  What Newton's contraction says is
 * left of it is kappa at most. */
YK_POLICY(YK_STEP_FRONT_PAST, 0.1);

/* The same for unknowns of a unit that is not affine inside of the window.
 * Without it a follower x' = exp(3000 (u - 1)) at rtol 1e-6 is off by 833
 * tolerances (tests/converge/amplified.c). */
YK_POLICY(YK_STEP_FRONT_FAR, 10.0);

/* Changes of inputs below this part of their absolute tolerance are left for
 * later: a unit at rest costs nothing.  What is so small is not watched for growth
 * either (YK_ITER_STATES_SILENT). */
YK_POLICY(YK_STEP_FRONT_SMALL, 1e-7);

/* What a window costs a unit whose step crosses it, over the cost of a step: it is
 * corrected.  0.1: windows become so short that eight parts, one of them 100 times
 * faster, take 1.7 times the time; 0.3: rc-chain has 2 % more evaluations. */
YK_POLICY(YK_STEP_FRONT_WINDOW, 0.2);

/* Windows without a try after a step that failed: doubled each time, at most. */
YK_POLICY_INT(YK_STEP_FRONT_PAUSE, 32);

/* ---- Steep answers to inputs (steep.c) ------------------------------------ */

/* A change below this part of the largest value tells no slope: it may be the
 * bend of a step's mean. */
YK_POLICY(YK_STEEP_LEAST, 0.01);

/* Nor does one of a rate that is below so many roundings of the charge. */
YK_POLICY(YK_STEEP_NOISE, 64.0);

/* ---- Functions that end (where a run goes no further) ---------------------- */

/* Where a run goes no further, an operation (sqrt, log, a divisor) is named if
 * its argument, going on as it went in this window, comes to the end of where
 * there is a value within so many least steps, 3.6e-10 of the time.  Measured:
 * where sqrt(x), 1/x, log(x), asin(x) stop a run they do so 1e-16 to 1e-11 before
 * their end. */
YK_POLICY(YK_STEP_NEARS, 1e5);

#endif
