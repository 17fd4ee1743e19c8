/* sim/model.h -- a graph with a stepper for each subsystem. */
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
};

/* The stepper of a node, or NULL. */
const yoke_stepper_options *yk_model_stepper(const yoke_model *model, int node);

#endif
