/* iter/stop.h -- the one test that ends a window. */
#ifndef YK_STOP_H
#define YK_STOP_H

#include "yoke/iterate.h"

/* Is the sweep of this row what was asked for?  `allowed`: the estimated error
 * that may be left, relative to the tolerance. */
bool yk_stop_enough(yoke_stop stop, int max_sweeps, const yoke_sweep *row,
                    double allowed);

#endif
