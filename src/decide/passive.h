/* decide/passive.h -- port-Hamiltonian subsystems: whether and how they are
 * iterated by the schemes port-waves and lions-mercier. */
#ifndef YK_PASSIVE_H
#define YK_PASSIVE_H

#include "iter/ph/split.h"
#include "yoke/run.h"

/* Options of these schemes without them, and the other way round; the schemes
 * without a subsystem for them (graph NULL: not looked at). */
yoke_status yk_passive_check(const yoke_run_options *options,
                             const yoke_graph *graph, yoke_err *err);

/* May these subsystems be iterated by port waves, after another iteration of
 * them failed?  They have one fixed step, and no coupling makes power. */
bool yk_passive_may(const yoke_model *model, const yoke_run_options *options,
                    int count, const int *node);

/* Is a cluster iterated inside: by the scheme, or since another one failed? */
bool yk_passive_wanted(const yoke_model *model, const yoke_run_options *options,
                       bool failed, const yk_cluster *cluster);

/* How. */
yk_split_options yk_passive_options(const yoke_model *model,
                                    const yoke_run_options *options,
                                    const yk_cluster *cluster);

/* The method of a subsystem that is, if the scheme asks for it. */
bool yk_passive_stepper(const yoke_graph *graph,
                        const yoke_run_options *options, int node,
                        yoke_stepper_options *out);

#endif
