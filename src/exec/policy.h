/* exec/policy.h -- numbers that decide what runs at once. */
#ifndef YK_EXEC_POLICY_H
#define YK_EXEC_POLICY_H

#include "base/policy.h"

/* A batch is given to the threads if that takes at least so much work off the
 * calling one (prices of graph/cost.h: 0.055 microseconds each).  Waking a
 * thread and waiting for it takes 5 to 20 microseconds, that is 100 to 360; at
 * four times the larger number the threads lose nothing that shows. */
YK_POLICY(YK_EXEC_PAYS, 1500.0);

#endif
