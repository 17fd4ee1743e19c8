/* exec/policy.h -- numbers that decide what runs at once. */
#ifndef YK_EXEC_POLICY_H
#define YK_EXEC_POLICY_H

#include "base/policy.h"

/* A batch is given to the threads if that takes at least so much work off the
 * calling one (prices of graph/cost.h: 0.055 microseconds each).  Waking a
 * thread and waiting for it takes 5 to 20 microseconds, that is 100 to 360; at
 * four times the larger number the threads lose nothing that shows. */
YK_POLICY(YK_EXEC_PAYS, 1500.0);

/* Seconds that a thread looks for the next batch, and the calling one for the end of
 * this one, before it sleeps.  Between most batches of a run lie less than 50
 * microseconds.  bench/16_parallel, ring, two threads: 0.073 s without, 0.067 with
 * 20 microseconds, 0.065 with 50, 100 and 200. */
YK_POLICY(YK_EXEC_AWAKE, 5e-5);

#endif
