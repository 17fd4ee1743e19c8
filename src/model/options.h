/* model/options.h -- the options of a run. */
#ifndef YK_MODEL_OPTIONS_H
#define YK_MODEL_OPTIONS_H

#include "base/base.h"
#include "yoke/run.h"

/* Are they in their ranges, and do they go together? */
yoke_status yk_run_check(const yoke_run_options *options, yoke_err *err);

/* Replaces the texts by copies in *store, which is the caller's to free; that
 * of an earlier call is freed. */
yoke_status yk_run_keep(yoke_run_options *options, char **store, yoke_err *err);

#endif
