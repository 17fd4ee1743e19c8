/* model/model.h -- a graph with a stepper for each subsystem. */
#ifndef YK_MODEL_H
#define YK_MODEL_H

#include "base/base.h"
#include "yoke/run.h"

struct yoke_model {
    yoke_graph *graph;
    size_t room;
    int count;
    yoke_stepper_options *stepper; /* of the first `count` nodes; constraints
                                      and later nodes have none */
    bool *has_stepper;
    size_t has_room;
    void *initial;     /* memory of all subsystems before the first run */
    int initial_count; /* of the subsystems then */
};

/* The stepper of a node, or NULL. */
const yoke_stepper_options *yk_model_stepper(const yoke_model *model, int node);

/* The memories of all subsystems one after the other; *store is the caller's to
 * free and must be NULL before; it stays so if none has a memory. */
yoke_status yk_model_save(const yoke_model *model, void **store, yoke_err *err);
void yk_model_restore(const yoke_model *model, const void *store);

/* Begins or ends calls of somebody else than the units, which may be in other
 * processes and do not see them: see `aside` in yoke/optional.h. */
void yk_model_aside(const yoke_model *model, bool on);

/* Subsystems with memory begin every run as they began the first one. */
yoke_status yk_model_rewind(yoke_model *model, yoke_err *err);

#endif
