/* model/model.c -- subsystems with their steppers. */
#include "graph/graph.h"
#include "model/model.h"
#include "sys/call.h"
#include "sys/system.h"

yoke_status yoke_model_create(yoke_model **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_model *m = NULL;

    YK_TRY(YK_NEW(&m, 1, err));
    YK_GO(yk_graph_create(&m->graph, err));
    *out = m;
    m = NULL;
done:
    yoke_model_free(m);
    return status;
}

void yoke_model_free(yoke_model *m)
{
    if (!m) return;
    yk_graph_free(m->graph);
    YK_FREE(m->stepper, m->has_stepper, m->initial, m);
}

yoke_graph *yoke_model_graph(yoke_model *m)
{
    return m->graph;
}

const yoke_stepper_options *yk_model_stepper(const yoke_model *m, int node)
{
    return node < m->count && m->has_stepper[node] ? &m->stepper[node] : NULL;
}

const yoke_stepper_options *yoke_model_stepper(const yoke_model *m, int node)
{
    return yk_model_stepper(m, node);
}

/* Its memory begins at an address that suits any type. */
static size_t memory_of(const yoke_model *m, int node)
{
    const size_t bytes =
        yoke_system_facts(yoke_graph_system(m->graph, node))->memory_bytes;

    return (bytes + 15) / 16 * 16;
}

yoke_status yk_model_save(const yoke_model *m, void **store, yoke_err *err)
{
    const int nodes = yoke_graph_count(m->graph);
    size_t bytes = 0;

    for (int i = 0; i < nodes; i++) bytes += memory_of(m, i);
    if (bytes == 0) return YOKE_OK;
    YK_TRY(yk_alloc(store, bytes, 1, err));
    unsigned char *at = *store;
    for (int i = 0; i < nodes; i++) {
        if (memory_of(m, i) == 0) continue;
        yk_system_save(yoke_graph_system(m->graph, i), at);
        at += memory_of(m, i);
    }
    return YOKE_OK;
}

void yk_model_restore(const yoke_model *m, const void *store)
{
    const unsigned char *at = store;

    for (int i = 0; store && i < yoke_graph_count(m->graph); i++) {
        if (memory_of(m, i) == 0) continue;
        yk_system_restore(yoke_graph_system(m->graph, i), at);
        at += memory_of(m, i);
    }
}

void yk_model_aside(const yoke_model *m, bool on)
{
    for (int i = 0; i < yoke_graph_count(m->graph); i++)
        yk_system_aside(yoke_graph_system(m->graph, i), on);
}

yoke_status yk_model_rewind(yoke_model *m, yoke_err *err)
{
    if (m->initial && m->initial_count == yoke_graph_count(m->graph)) {
        yk_model_restore(m, m->initial);
        return YOKE_OK;
    }
    yk_free(m->initial); /* subsystems were added */
    m->initial = NULL;
    m->initial_count = yoke_graph_count(m->graph);
    return yk_model_save(m, &m->initial, err);
}

/* Room for the entry of the node to come; nodes added in between (constraints)
 * get none. */
static yoke_status make_room(yoke_model *m, yoke_err *err)
{
    const int node = yoke_graph_count(m->graph);

    YK_TRY(YK_GROW(&m->stepper, &m->room, node + 1, err));
    YK_TRY(YK_GROW(&m->has_stepper, &m->has_room, node + 1, err));
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
    YK_TRY(yk_graph_add(m->graph, system, err));
    const int node = yoke_graph_count(m->graph) - 1;
    m->stepper[node] = stepper ? *stepper : yoke_stepper_defaults();
    m->has_stepper[node] = true;
    return YOKE_OK;
}
