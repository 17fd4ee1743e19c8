/* run/policy.h -- numbers that decide in a run. */
#ifndef YK_RUN_POLICY_H
#define YK_RUN_POLICY_H

#include "base/policy.h"

/* ---- the second solution (run/second.c) ----------------------------------- */

/* Times at which both are compared: spread over the run, where what adds up shows
 * at most of them; and at most so many in the middle of steps, most of which
 * are where something moves for a short time. */
YK_POLICY_INT(YK_SECOND_TIMES, 128);
YK_POLICY_INT(YK_SECOND_BETWEEN, 256);

/* Runs with more variables are not compared: they are not small. */
YK_POLICY_INT(YK_SECOND_COLUMNS, 4096);

/* Its part of the tolerance: the difference of both is the error of the first to
 * a tenth, if errors are proportional to the tolerance. */
YK_POLICY(YK_SECOND_PART, 0.1);

/* It is given up after so many times the steps of the first, or what the option
 * `second` permits if that is more; 1.6 times are usual. */
YK_POLICY_INT(YK_SECOND_STEPS, 6);

/* With closed parts so many times what was counted, and so many times that in
 * seconds: a machine under load must not decide, so that runs repeat. */
YK_POLICY(YK_SECOND_SLOW, 10.0);

/* Times that, if parts are closed: those that go back by their own state make the
 * first of two sweeps or more of each window twice then. */
YK_POLICY(YK_SECOND_TWICE, 1.5);

/* What is asked of closed parts, in residuals times unknowns (0.15 us each): an
 * exchange takes 0.15 ms, 1 ms with a copy of the process, and a step or residual
 * inside some microseconds.  These are the least, since nothing else shows what adds
 * up: the first solution may take up to some seconds. */
YK_POLICY(YK_SECOND_EXCHANGE, 1000.0);
YK_POLICY(YK_SECOND_CALL, 20.0);

/* A part may take longer than these think.  Seconds for each of what the option
 * `second` permits: 10 s where that is 5e6, ten times as much as counted, so that
 * this decides about slow parts only, and runs repeat. */
YK_POLICY(YK_SECOND_SECONDS, 2e-6);

/* A change by more than this part of the size, within ten tolerances of a
 * 128th of the run, is a jump. */
YK_POLICY(YK_SECOND_JUMP, 0.05);

/* Tolerances between the two from which on the run begins again: errors are
 * larger than the difference, by 10 % where they are proportional to the
 * tolerance, by 25 % at 1e-3. */
YK_POLICY(YK_SECOND_LIMIT, 7.0);

/* Tolerances that the run which begins again aims at, and the least part of its
 * tolerance at once: errors need not be proportional to it. */
YK_POLICY(YK_SECOND_AIM, 2.0);
YK_POLICY(YK_SECOND_LEAST, 1e-4);

#endif
