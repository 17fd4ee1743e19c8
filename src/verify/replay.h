/* verify/replay.h -- what a run would have cost with its couplings known. */
#ifndef YK_REPLAY_H
#define YK_REPLAY_H

#include "decide/ladder.h"
#include "record/oracle.h"

/* Solves every subsystem alone with the kept waveforms: the work of each, and
 * the largest distance of the outputs from the kept ones over the tolerance. */
yoke_status yk_replay(const yk_oracle *oracle, const yk_ladder *run,
                      yoke_work *work, double *apart, yoke_err *err);

#endif
