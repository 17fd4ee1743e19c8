/* iter/policy.h -- the numbers that decide in the iteration.
 *
 * "Tolerances" are multiples of atol + rtol |x|; changes, estimates and gains are
 * in that unit.  Where no derivation is given the number was chosen, not derived.
 *
 * Behind a number: by how many percent the work (residuals, geometric mean)
 * changes when it is halved and when it is doubled, over nine iterated examples
 * (two-masses, heat-rod, rc-chain, floating-capacitor, netlist-plant, diode-block,
 * joint, pendulum, swing; cluster: none).  Without it: no example changes;
 * most of these are guards for what those examples do not have.  From the limits
 * of steps on this is not measured yet.  No run failed but for CUT_SHORT = 1.4,
 * which forbids windows to grow.  bench/14_policy repeats it.
 * Sizes of arrays are no policy and stay with their files.
 */
#ifndef YK_ITER_POLICY_H
#define YK_ITER_POLICY_H

#include "base/policy.h"

/* ---- when a window has converged (iter/converge.c) ----------------------- */

/* Windows that may rely on a rate which earlier ones measured; more if the rate
 * over two sweeps is below FAST, because the estimate has more room then. */
YK_POLICY_INT(YK_ITER_MEASURE_EVERY, 10);
YK_POLICY_INT(YK_ITER_MEASURE_FAST, 40);
YK_POLICY(YK_ITER_FAST, 1e-4);

/* The square of the last ratio may be so many times the ratio over two sweeps
 * before the two contradict each other: couplings of index 2, in which every
 * other change is small, stay below. */
YK_POLICY(YK_ITER_UNLIKE, 100.0); /* +0.5, +0.0 */

/* Rates of earlier windows and gains of earlier sweeps count double: they vary
 * by less from one window to the next unless something new happens. */
YK_POLICY(YK_ITER_MARGIN, 2.0); /* -0.1, +0.9 */

/* Windows up to so many times longer than the one a rate is known from: the rate
 * may be slower by the square of it. */
YK_POLICY(YK_ITER_MOST_LONGER, 5.0); /* +0.9, +0.0 */

/* Changes in tolerances: of the size that steppers with other steps make by
 * themselves (each keeps its error to about 1, two of them differ by 2); far
 * below that, where a rate near 1 is noise; where nothing but rounding is left;
 * whose sum ends a window without a rate. */
YK_POLICY(YK_ITER_STEPPERS, 2.0);
YK_POLICY(YK_ITER_NOISE, 0.01); /* +0.3, -0.2 */
YK_POLICY(YK_ITER_ROUNDING, 1e-6);
YK_POLICY(YK_ITER_NOTHING, 1e-3);

/* A window has contracted well, so that growth at the level of the steppers is
 * noise, if two sweeps left at most this part. */
YK_POLICY(YK_ITER_WELL, 0.25);

/* First changes up to USUAL tolerances, or UNUSUAL times those of the last
 * window, are nothing new.  Both were chosen, not derived: large enough for a
 * guess that is an order worse than the last, small against a switch. */
YK_POLICY(YK_ITER_USUAL, 10.0);
YK_POLICY(YK_ITER_UNUSUAL, 10.0); /* +0.6, -0.4 */

/* Per two sweeps, after a sweep with other events than the one before: changes
 * of ten tolerances may be left to what was measured elsewhere.  Work on rings and
 * networks of relays and saturations: +4 % at most. */
YK_POLICY(YK_ITER_SWITCHED, 0.03);

/* ---- enough, not enough, hopeless (iter/stop.c) -------------------------- */

/* A run of so many windows has the tolerance for each of them; errors of more
 * windows add up, so each gets its share, but not less than the second. */
YK_POLICY(YK_ITER_WINDOWS, 30.0); /* +1.7, -0.4 */
YK_POLICY(YK_ITER_LEAST_SHARE, 0.01);

/* Sweeps for a unit whose events and inputs' events come near to one another. */
YK_POLICY_INT(YK_ITER_UNSURE_SWEEPS, 8);

/* Growth that need not be waited for, where another way may be taken: so much in
 * one sweep after growth in the one before, or a change of so many tolerances. */
YK_POLICY(YK_ITER_GROWS, 3.0);
YK_POLICY(YK_ITER_ENORMOUS, 1e12);

/* Windows repeated before a run in which most are is given up. */
YK_POLICY_INT(YK_ITER_MANY_REJECTED, 30);

/* ---- what a sweep changed (iter/change.c) -------------------------------- */

/* The tolerance of an iterate that runs away grows to so many times that of the
 * first sweep. */
YK_POLICY(YK_ITER_RUNAWAY, 10.0);

/* Answers to a loosened sweep that are smaller than so many times its looseness
 * say nothing about the gain. */
YK_POLICY(YK_ITER_COARSE, 4.0);

/* ---- which sweeps are corrected, and which are loose (iter/effort.c) ------ */

/* A correction that changes less than this part of what the sweep did is left
 * out; the plain iteration keeps its place while its rate is below SLOW. */
YK_POLICY(YK_ITER_PLAIN_FAST, 0.01); /* +0.0, +1.0 */
YK_POLICY(YK_ITER_PLAIN_SLOW, 0.04); /* +0.2, +0.4 */

/* A plain sweep that leaves more than this part of the change was not worth it:
 * then corrections stay for so many windows. */
YK_POLICY(YK_ITER_PLAIN_NONE, 0.9);
YK_POLICY_INT(YK_ITER_INSIST, 20);

/* Tolerances of an early sweep: at most so many times the asked ones, this part
 * of what the next sweep can use, and at least ten times tighter than the sweep
 * before; below 2 it is not worth other steps. */
YK_POLICY(YK_ITER_LOOSE_MOST, 1e3);    /* +0.5, -0.1 */
YK_POLICY(YK_ITER_LOOSE_PART, 0.3);    /* +1.9, +0.8 */
YK_POLICY(YK_ITER_LOOSE_TIGHTEN, 0.1); /* +0.5, +0.0 */
YK_POLICY(YK_ITER_LOOSE_LEAST, 2.0);   /* +0.9, +1.4 */

/* ---- the first guess (iter/extrapolate.c) -------------------------------- */

/* Weight of the newest window in the mean error of a way to guess. */
YK_POLICY(YK_ITER_GUESS_NEWEST, 0.5); /* +0.6, +2.2 */

/* Part of a window behind a jump that is worth extrapolating; a jump is more
 * than so many tolerances and more than this part of what varies elsewhere. */
YK_POLICY(YK_ITER_GUESS_WORTH, 0.2);
YK_POLICY(YK_ITER_JUMP_TOLERANCES, 10.0);
YK_POLICY(YK_ITER_JUMP_VARIATION, 0.2);

/* ---- where windows end (iter/breaks.c, iter/resize.c) -------------------- */

/* Part of a window that is too short for one of its own between breakpoints. */
YK_POLICY(YK_ITER_SLIVER, 0.02);

/* What a sweep costs a unit besides its steps, in steps: restart, waveforms,
 * correction. */
YK_POLICY(YK_ITER_SWEEP_STEPS, 6.0); /* -0.1, +5.3 */

/* The first window: this part of the run, or so many first steps of the fastest
 * unit, but not more than the third part of the run. */
YK_POLICY(YK_ITER_FIRST, 1e-6);       /* -0.1, -0.1 */
YK_POLICY(YK_ITER_FIRST_STEPS, 10.0); /* +0.4, +0.2 */
YK_POLICY(YK_ITER_LONG_FIRST, 0.01);

/* Growth from one window to the next, until one was too long and after; the
 * largest cut. */
YK_POLICY(YK_ITER_FIRST_GROWTH, 4.0); /* +1.2, +1.1 */
YK_POLICY(YK_ITER_GROWTH, 1.5);       /* +90.9, +0.1 */
YK_POLICY(YK_ITER_CUT, 0.5);          /* +2.0, +1.3 */

/* Part of the longest window that is taken: the error goes with at least the
 * second power, so this leaves a quarter for what varies. */
YK_POLICY(YK_ITER_SAFETY, 0.85); /* +1.1, -0.1 */

/* Work that another number of sweeps must save, and change of the length below
 * which it stays: other windows mean other guesses. */
YK_POLICY(YK_ITER_STAY, 0.95); /* +6.6, +3.6 */
YK_POLICY(YK_ITER_KEEP, 1.08); /* +0.7, +0.7 */

/* Windows of a fixed grid are longer by this part rather than leave a sliver. */
YK_POLICY(YK_ITER_STRETCH, 0.1);

/* Reduction per sweep where none was measured. */
YK_POLICY(YK_ITER_RATIO, 0.1);

/* Sweeps that are thought of; sweeps below which a window of beginnings is too
 * short; least length in steps of the fastest unit. */
YK_POLICY_INT(YK_ITER_MOST_SWEEPS, 30);
YK_POLICY_INT(YK_ITER_FEW_SWEEPS, 5);
YK_POLICY(YK_ITER_TOO_SHORT, 0.03);

/* Steps of the fastest unit in a window, at most: its waveforms are kept until it is
 * accepted, 1 to 2 kB for each step, so a run without loops would need more memory the
 * longer it is (640 MB for 600,000 steps).  Another window costs SWEEP_STEPS of
 * them, less than a thousandth. */
YK_POLICY(YK_ITER_MOST_STEPS, 1e4);

/* The rest up to the end is divided equally once it is so many windows; one cut
 * to less than this part by it says nothing against its length. */
YK_POLICY(YK_ITER_REST, 8.0);      /* +0.2, +0.6 */
YK_POLICY(YK_ITER_CUT_SHORT, 0.7); /* +0.0, +83.2 */

/* Windows until the length of one that failed is tried again, first and last;
 * it doubles in between. */
YK_POLICY_INT(YK_ITER_PAUSE, 4);
YK_POLICY_INT(YK_ITER_MOST_PAUSE, 256);

/* ---- how many steps a solve may take (iter/sweep.c) ---------------------- */

/* Times those of its own first solve, times those of what feeds it; at least;
 * where nothing is known. */
YK_POLICY(YK_ITER_OWN_STEPS, 20.0);
YK_POLICY(YK_ITER_OTHER_STEPS, 4.0);
YK_POLICY(YK_ITER_LEAST_STEPS, 2e3);
YK_POLICY(YK_ITER_UNKNOWN_STEPS, 2e4);

/* Both where the length of windows is free: a shorter one costs little, and what a
 * unit takes in the windows before counts too.  The turn-on of a diode (a source and a
 * rectifier apart) costs 26 times the oracle with 2e4, 7.6 with 200, 4.0 with 100, 1.9
 * with 50 and with 25; the first steps of Robertson's problem in two parts 1.7, and 2.2
 * with 25.  bench/05, seed 11, case 90 has a sweep with inputs of 1e16 in its first
 * window, seven times: 110 times the work of one system with 2e4. */
YK_POLICY(YK_ITER_FREE_STEPS, 50.0);

/* They double after so many windows that were given up (with 1 the rectifier costs 3.9
 * times the oracle). */
YK_POLICY_INT(YK_ITER_FREE_WINDOWS, 3);

/* Times those of its own first solve, there. */
YK_POLICY(YK_ITER_AGAIN_STEPS, 4.0);

/* ---- corrections (iter/correct) ------------------------------------------ */

/* A linearisation serves again while corrections shrink to this part; those that
 * shrink to less than SLOW, twice in a row, need differences of sweeps too. */
YK_POLICY(YK_ITER_GOOD_RATE, 0.1);
YK_POLICY(YK_ITER_SLOW_RATE, 0.3);

/* Sweeps in a row that leave more than this part of the residual, before a
 * correction is given up; windows without it, at most. */
YK_POLICY(YK_ITER_STUCK_RATE, 0.9);
YK_POLICY_INT(YK_ITER_STUCK, 3);
YK_POLICY_INT(YK_ITER_DISTRUST, 64);

/* Corrections that may grow, one after the other, where the method learns from
 * them. */
YK_POLICY_INT(YK_ITER_PATIENCE, 4);

/* Corrections that do not matter, in tolerances. */
YK_POLICY(YK_ITER_SMALL, 1e-3);

/* M is applied to the waveforms themselves in every sweep if |I - M| is below
 * this, else in every other; entries below ROUGH, in tolerances, never. */
YK_POLICY(YK_ITER_EXACT, 0.8);
YK_POLICY(YK_ITER_ROUGH, 1e-6);

/* Up to so many late components M is made whole, which costs their square (at
 * 100 about as much as 16 points of the grid).  With more its columns are
 * followed until what arrives is below FAR, in tolerances per tolerance, as long
 * as all of them pass at most FOLLOW entries per unknown of the interface. */
YK_POLICY_INT(YK_ITER_WHOLE, 100);
YK_POLICY(YK_ITER_FAR, 1e-3);
YK_POLICY(YK_ITER_FOLLOW, 200.0);

/* Points of the grid per piece of the finest waveform; times more pieces of the
 * inputs than of the outputs, for these to count as the unit's own. */
YK_POLICY_INT(YK_ITER_GRID_POINTS, 4);
YK_POLICY_INT(YK_ITER_OWN_PIECES, 4);

/* Differences that depend on newer ones to this part, or are smaller than this
 * many tolerances, are not used. */
YK_POLICY(YK_ITER_DEPENDENT, 1e-4);
YK_POLICY(YK_ITER_DIFFERENCE, 1e-4);

/* Preconditioner: entries that change by more than this part over the window are
 * looked at inside, until they are linear to that part. */
YK_POLICY(YK_ITER_APART, 1e-2);
YK_POLICY(YK_ITER_LINEAR, 1e-3);

/* ---- port-Hamiltonian schemes (iter/ph) ---------------------------------- */

/* Sweeps that the choice of the window aims at; its steps, least and most. */
YK_POLICY(YK_ITER_PH_AIM, 6.0);
YK_POLICY_INT(YK_ITER_PH_LEAST_STEPS, 8);
YK_POLICY_INT(YK_ITER_PH_MOST_STEPS, 2000);

/* GMRES instead of plain sweeps if the proven rate is more than this: below it
 * the sweep that GMRES needs to judge itself costs more than it saves.  Its
 * residual need not be less than that part of what is asked for. */
YK_POLICY(YK_ITER_PH_GMRES, 0.5);
YK_POLICY(YK_ITER_PH_ENOUGH, 0.3);

/* ---- constraints that stay apart (iter/constraint) ----------------------- */

/* The last coefficient of the polynomial of a multiplier, in tolerances: what
 * the polynomial leaves is smaller still.  0.3 takes 1.3 to 1.7 times the work
 * (bench/05, families with constraints), because the states between their steps
 * are not smoother than that; 2 takes a twentieth less. */
YK_POLICY(YK_ITER_CONSTRAINT_REST, 1.0);

/* Pieces of the next window are as long as makes the last coefficient this part
 * of what it may be (of closed parts: of one tolerance), but not more than GROW
 * times longer than those before. */
YK_POLICY(YK_ITER_CONSTRAINT_AIM, 0.3);
YK_POLICY(YK_ITER_CONSTRAINT_GROW, 10.0);

/* Errors of the units as large as their tolerances may change a multiplier by so
 * many of its tolerances: errors of steps are smaller than that, so that the
 * multiplier is about as accurate as asked for.  4 takes 3 percent less work, 1
 * up to a quarter more (bench/05). */
YK_POLICY(YK_ITER_CONSTRAINT_SHARE, 2.0);

/* Tolerances of units are not made smaller than this part of what was asked
 * for: below, a multiplier is ill-conditioned (a stiff port). */
YK_POLICY(YK_ITER_CONSTRAINT_TIGHTEST, 1e-5);

/* A delayed signal jumps if it does so by JUMP of its tolerances, and bends if its
 * slope changes by BEND of them over the shorter piece: a tenth of what ends a step
 * (YK_STEP_KINK), for multipliers follow it at once. */
YK_POLICY(YK_ITER_CONSTRAINT_JUMP, 1.0);
YK_POLICY(YK_ITER_CONSTRAINT_BEND, 10.0);

/* Changes of multipliers, relative to their size, that are below NOISE and fall
 * by less than the factor STALL in two sweeps after one another are rounding in
 * second derivatives (measured: 2e-11 to 5e-10 where Jacobians are differences):
 * the multipliers stay as they are.
 * Those below ROUNDING are so whatever they do. */
YK_POLICY(YK_ITER_CONSTRAINT_ROUNDING, 3e-11);
YK_POLICY(YK_ITER_CONSTRAINT_NOISE, 1e-9);
YK_POLICY(YK_ITER_CONSTRAINT_STALL, 0.7);

/* What a constraint reads may jump by so many of its tolerances at an event:
 * what is less is moved away at the end of the window as other errors are, what
 * is more is a shock.  Forces that jump change it by rounding alone. */
YK_POLICY(YK_ITER_CONSTRAINT_SHOCK, 10.0);

/* A multiplier that is a small difference of large terms has a size, for these
 * two, of at least this part of them: second derivatives have 11 digits. */
YK_POLICY(YK_ITER_CONSTRAINT_LOST, 0.01);

/* ---- multipliers of closed parts (iter/constraint/collocated.c) ----------- */

/* Tolerances of the parts, over those of the run: an error eps of an output is
 * one of K eps / (S H) of a multiplier, K about 100 for these degrees. */
YK_POLICY(YK_ITER_COLLOCATED_TIGHT, 0.01);

/* Points of a piece: this and the digits of the tolerance, at most 8. */
YK_POLICY(YK_ITER_COLLOCATED_POINTS, 1.0);

/* Pieces are judged when the multipliers move by less than so many tolerances. */
YK_POLICY(YK_ITER_COLLOCATED_NEAR, 10.0);

/* Corrections that fall by less than this factor: the answer to the multipliers
 * is measured again.  It is, too, when a window is so many times longer than the
 * one of the last time. */
YK_POLICY(YK_ITER_COLLOCATED_SLOW, 0.3);
YK_POLICY(YK_ITER_COLLOCATED_FAR, 5.0);

/* A window is so many times longer than the one before at most: guesses reach no
 * farther. */
YK_POLICY(YK_ITER_COLLOCATED_REACH, 2.0);

/* Windows are as long as polynomials of one piece permit while they take so many
 * sweeps at most; otherwise the work decides. */
YK_POLICY_INT(YK_ITER_REACH_SWEEPS, 6);

/* What is left of the equations dies out in this part of the run, or in a
 * window if that is longer. */
YK_POLICY(YK_ITER_COLLOCATED_LIFE, 0.1);

/* The first window, in parts of the run: longer than that of others, for errors
 * of parts are divided by its length. */
YK_POLICY(YK_ITER_COLLOCATED_FIRST, 1e-3);

/* Tolerances by which the equations may be off at the start of a run. */
YK_POLICY(YK_ITER_COLLOCATED_START, 10.0);

/* A multiplier is raised by this part of its size (or by this) to measure the
 * answer; the change of the equations has to be CLEAR times the errors of the
 * parts, AIM times them is aimed at, and above LOUD times them it must not be
 * larger than the terms of the equations. */
YK_POLICY(YK_ITER_PROBE, 0.01);
YK_POLICY(YK_ITER_PROBE_CLEAR, 100.0);
YK_POLICY(YK_ITER_PROBE_AIM, 1e4);
YK_POLICY(YK_ITER_PROBE_LOUD, 1e6);

/* ---- One sweep per window (states.c) ---------------------------------------
 * The linear problem is solved up to this part of the error that is allowed;
 * up to the whole of it nothing changes (reference: iteration). */
YK_POLICY(YK_ITER_STATES_REST, 0.02);

/* The least share of a window (YK_ITER_WINDOWS): a remainder that is measured, or
 * bounded by Newton's own contraction, is a tenth of that on average, and Newton's
 * method itself leaves 0.02 per step.  0.01: four-bar takes 1.57 for 1.39 times the
 * residuals of the oracle, with the same errors. */
YK_POLICY(YK_ITER_STATES_SHARE, 0.1);

/* Vectors of GMRES.  A loop without memory needs as many as it has late
 * components, others two to four. */
YK_POLICY_INT(YK_ITER_STATES_VECTORS, 200);

/* More of them than FEW for each late component and FEW_MORE only while all fit into
 * so much ROOM, in numbers: 0.4 of 100 solves of bench/05 take more, and they would
 * take 95 of 100 operations of GMRES.  A problem that is larger and not solved is
 * given up: a window with so many steps is too long for a loop that amplifies. (16 s
 * with 200 vectors of 90,000 numbers, now 2 s.) */
YK_POLICY(YK_ITER_STATES_FEW, 4.0);
YK_POLICY(YK_ITER_STATES_FEW_MORE, 20.0);
YK_POLICY(YK_ITER_STATES_ROOM, 4e5);

/* Loops that amplify more than this in a sweep want equal steps (1: a loop of 0.98
 * is 11 tolerances off; the work of random problems is the same); the largest
 * amplification is forgotten at this rate per window. */
YK_POLICY(YK_ITER_STATES_AMPLIFIES, 0.8);
YK_POLICY(YK_ITER_STATES_FORGET, 0.9);

/* A unit whose inputs change by less than this part of what is allowed, in
 * tolerances of what it reads, is left as it is: a twentieth of what the linear
 * problem leaves anyway, and it is counted with what is left. */
YK_POLICY(YK_ITER_STATES_STILL, 1e-3);

/* Corrections below this part of it are rounding. */
YK_POLICY(YK_ITER_STATES_NOTHING, 1e-7);

/* After an evaluation the next correction is at most this much smaller than the
 * last one, whatever the two before say. */
YK_POLICY(YK_ITER_STATES_CONTRACT, 0.1);

/* Outputs below their atol, but not below this part of it, grow at most by this
 * factor in a window: no error estimate sees what the coupling makes of them. */
YK_POLICY(YK_ITER_STATES_SILENT, 1e-6);
YK_POLICY(YK_ITER_STATES_LOOP, 0.3); /* if a sweep contracts no better */
YK_POLICY(YK_ITER_STATES_GROWTH, 3.0);

/* Corrections of so many tolerances in a unit that is not affine are followed by
 * an evaluation, whatever Newton's contraction says: without it windows of eight
 * steps left 30 tolerances (reference: iteration, "The remainder"). */
YK_POLICY(YK_ITER_STATES_FAR, 10.0);

/* A unit that leaves more than this part of what is allowed takes part in it; at
 * most so many times in a window. */
YK_POLICY(YK_ITER_STATES_DOUBT, 0.1);
YK_POLICY_INT(YK_ITER_STATES_EVALUATED, 4);

/* Up to so many tolerances derivatives before and after a correction tell what it
 * leaves, and equations need not be evaluated: derivatives are linear along a step,
 * and what they bend is not seen.  Slider-crank takes 1.50, 1.43, 1.40 times the
 * oracle with 10, 30, 100; the largest error of 60 random loops that are not
 * linear (bench/17_family, rtol 1e-8) is 3.4 tolerances with 30 and with evaluations, 4.2
 * with 100. */
YK_POLICY(YK_ITER_STATES_FARTHER, 30.0);

/* Outputs that are not linear in the unknowns: inputs may differ from them by
 * this part of what is allowed. */
YK_POLICY(YK_ITER_STATES_MATCH, 0.3);

/* Sweeps, the first included, before the iteration goes on with waveforms. */
YK_POLICY_INT(YK_ITER_STATES_SWEEPS, 3);

/* Weight of the newest window in the share that is settled in this way; below
 * one half windows are as long as sweeps that are repeated want them. */
YK_POLICY(YK_ITER_STATES_SMOOTH, 0.1);

/* Work per time of windows of many sweeps over that of windows of one sweep: above
 * this, shorter ones are tried.  What the windows before count for: the last fifty
 * of one sweep, which are short where a transient is, and the last three of many. */
YK_POLICY(YK_ITER_STATES_DEARER, 1.5);
YK_POLICY(YK_ITER_STATES_CHEAP, 0.98);
YK_POLICY(YK_ITER_STATES_DEAR, 0.7);

/* Length of windows of one sweep: weight of the newest in the share of
 * wasted evaluations; most steps of the fastest unit where all are
 * about as fast; less work than this part is worth a longer window; how much
 * longer the next may be. */
YK_POLICY(YK_ITER_STATES_LEARN, 0.3);
YK_POLICY(YK_ITER_STATES_STEPS, 4.0);
YK_POLICY(YK_ITER_STATES_WORTH, 0.97);
YK_POLICY(YK_ITER_STATES_GROW, 4.0);  /* 2: rc-chain 1.65 for 1.63 */
YK_POLICY(YK_ITER_STATES_STAY, 0.95); /* part of it that staying is worth */

/* So many windows in a row must be settled before the next may be so much longer: a
 * relay that switches its own input needs many sweeps in each window that it switches
 * in, and one without says nothing about the next.  A heater with a thermostat:
 * overhead 2.87 with 1, 2.20 with 2, 2.03 with 3. */
YK_POLICY_INT(YK_ITER_STATES_ROW, 3);

/* Errors of steps, in tolerances, with inputs that are guessed: their kinks are
 * not those of the solution (reference: iteration, "Tests", 2). */
YK_POLICY(YK_ITER_STATES_LENIENT, 30.0);

/* A step whose error is larger at the corrected values is made again. */
YK_POLICY(YK_ITER_STATES_ERROR, 1.25);

/* A unit that was corrected by so many tolerances is solved again: its steps
 * were made for another waveform, and are as long as that permits.  Not an affine
 * one: its corrections are exact, and the errors of its steps are estimated again. */
YK_POLICY(YK_ITER_STATES_OTHER, 1000.0);

/* So is one whose inputs change between the stages of a step, by so many of
 * their tolerances: no stage has seen that (reference: iteration, "Tests", 5). */
YK_POLICY(YK_ITER_STATES_BETWEEN, 1.0);

/* In a unit with events that was corrected by more tolerances, these are looked for
 * again. */
YK_POLICY(YK_ITER_STATES_EVENT, 0.1);

/* A unit that was never solved is taken to need so many residuals (1): ten steps
 * or so.  Too many cost one wake-up of the threads, too few one stage that runs
 * in order. */
YK_POLICY(YK_ITER_FIRST_RESIDUALS, 50.0);

/* What a correction along the steps of a unit, and a look at its waveforms, cost
 * in solves of it (1).  Only whether a stage pays depends on them. */
YK_POLICY(YK_ITER_STAGE_MARCH, 0.2);
YK_POLICY(YK_ITER_STAGE_WAVES, 0.05);

/* Energy of a port-Hamiltonian block at a point of a window, for each unknown, in
 * prices (graph/cost.h): two products with sparse matrices. */
YK_POLICY(YK_ITER_PH_ENERGY, 0.2);

/* Steps cross windows where a sweep amplifies less than this: in a loop without
 * memory what is predicted behind the window comes back at once. */
YK_POLICY(YK_ITER_CROSS_GAIN, 0.1);

/* The length of windows counts on steps that cross if they have so many windows:
 * with 2 those of equal rates become shorter for nothing (two-masses 1.20 for 1.12, a star
 * of 40 units twice the evaluations with 4). */
YK_POLICY(YK_ITER_CROSS_LEAST, 8.0);

/* Steps cross windows with so many units at most.  Windows end where one of them
 * does, and each corrects all units: with many there is a window for every step of the
 * fastest and for every end, which evaluations do not show.  One part 100 times faster,
 * time without crossing over that with it: stars of 8 to 12 parts 1.7 to 2, a star of
 * 32 0.9; a ring of 8 0.4 to 0.7, a chain of 16 0.3, rings of 32 and 128 0.17 and
 * 0.1. */
YK_POLICY_INT(YK_ITER_CROSS_UNITS, 12);

/* No window is shorter, relative to what is wanted, because such a step ends. */
YK_POLICY(YK_ITER_CROSS_SLIVER, 0.01);

#endif
