/* sim/model.c -- subsystems with their steppers. */
#include "sim/model.h"

yoke_status yoke_model_create(yoke_model **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_model *m = NULL;

    YK_TRY(YK_NEW(&m, 1, err));
    YK_GO(yoke_graph_create(&m->graph, err));
    *out = m;
    m = NULL;
done:
    yoke_model_free(m);
    return status;
}

void yoke_model_free(yoke_model *m)
{
    if (!m) return;
    yoke_graph_free(m->graph);
    yk_free(m->stepper);
    yk_free(m->has_stepper);
    yk_free(m);
}

yoke_graph *yoke_model_graph(yoke_model *m)
{
    return m->graph;
}

const yoke_stepper_options *yk_model_stepper(const yoke_model *m, int node)
{
    return node < m->count && m->has_stepper[node] ? &m->stepper[node] : NULL;
}

/* Room for the entry of the node to come; nodes added in between (constraints)
 * get none. */
static yoke_status make_room(yoke_model *m, yoke_err *err)
{
    const int node = yoke_graph_count(m->graph);

    YK_TRY(yk_grow((void **)&m->stepper, &m->room, (size_t)node + 1,
                   sizeof *m->stepper, err));
    YK_TRY(yk_grow((void **)&m->has_stepper, &m->has_room, (size_t)node + 1,
                   sizeof *m->has_stepper, err));
    for (int i = m->count; i <= node; i++) m->has_stepper[i] = false;
    m->count = node + 1;
    return YOKE_OK;
}

yoke_status yoke_model_add(yoke_model *m, yoke_system *system,
                           const yoke_stepper_options *stepper, yoke_err *err)
{
    const yoke_status status = make_room(m, err);

    if (status != YOKE_OK) {
        yoke_system_free(system);
        return status;
    }
    YK_TRY(yoke_graph_add(m->graph, system, err));
    const int node = yoke_graph_count(m->graph) - 1;
    m->stepper[node] = stepper ? *stepper : yoke_stepper_defaults();
    m->has_stepper[node] = true;
    return YOKE_OK;
}
