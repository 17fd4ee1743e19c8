/* run/closed.c -- closed parts are asked for their first outputs at once.
 *
 * The check of a graph places its linearisation at the outputs with zero inputs
 * (graph/solve_check.c).  A closed part begins a process for that, and remembers
 * the answer; asked before, many of them begin at the same time.  So do those
 * for the first point of the coupled whole (sys/compose_closed.c): it is made as
 * a job alone, which has all threads as helpers.
 */
#include "run/run.h"

#include "model/model.h"
#include "run/places.h"
#include "sys/system.h"

typedef struct asking {
    const yoke_run *run;
    int *node;
} asking;

yoke_status yk_run_place_closed(yoke_run *run, yoke_err *err)
{
    const yk_places *places = run->options.places;
    const int nodes = yoke_graph_count(run->graph);
    const char **host = NULL;

    if (!places) return YOKE_OK;
    YK_TRY(YK_NEW(&host, nodes + 1, err));
    for (int i = 0; i < nodes; i++) {
        const yoke_stepper_options *o = yk_model_stepper(run->model, i);
        host[i] = o ? o->host : "";
    }
    const yoke_status status =
        places->ops->closed(places->self, run->graph, host, err);
    yk_free(host);
    return status;
}

static yoke_status ask(void *context, int index, yoke_err *err)
{
    const asking *a = context;
    yoke_status status = YOKE_OK;
    yoke_system *system = yoke_graph_system(a->run->graph, a->node[index]);
    const yoke_system_info *f = yoke_system_facts(system);
    double *y = NULL, *zero = NULL;

    YK_GO(yk_doubles(&y, (size_t)f->p, err));
    YK_GO(yk_doubles(&zero, (size_t)f->m, err));
    /* The check asks again and tells what is wrong. */
    (void)yoke_system_output(system, a->run->options.start, f->x0, zero, y,
                             NULL);
done:
    YK_FREE(y, zero);
    return status;
}

/* Those that may be asked at once, into node[], which may be NULL; `read`: and
 * are read by others. */
static int list_closed(const yoke_run *run, const bool *read, int *node)
{
    int count = 0;

    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, i));
        if ((read && !read[i]) || !f->closed || f->p == 0 ||
            !(f->flags & YOKE_PARALLEL))
            continue;
        if (node) node[count] = i;
        count++;
    }
    return count;
}

yoke_status yk_run_ask_closed(yoke_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int nodes = yoke_graph_count(run->graph);
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(run->graph, &link);
    asking a = { .run = run };
    bool *read = NULL;
    yk_batch batch = { .job = ask, .context = &a };
    bool *away = NULL;

    YK_GO(yk_ints(&a.node, (size_t)nodes, err));
    YK_GO(YK_NEW(&read, nodes, err));
    YK_GO(YK_NEW(&away, nodes, err));
    for (int l = 0; l < links; l++) read[link[l].from] = true;
    batch.count = list_closed(run, read, a.node);
    for (int k = 0; k < batch.count; k++)
        away[k] = yoke_graph_system(run->graph, a.node[k])->elsewhere != NULL;
    batch.away = away;
    if (batch.count > 1)
        status = run->executor.ops->run(run->executor.self, &batch, err);
done:
    YK_FREE(a.node, read, away);
    return status;
}

/* ---- the first point ----------------------------------------------------- */

static yoke_status make_point(void *context, int index, yoke_err *err)
{
    yoke_run *run = context;

    (void)index;
    return yk_first_point_make(&run->initial, run->model, &run->options, err);
}

/* What fails here is asked again where it can be told (run/start.c). */
yoke_status yk_run_closed_point(yoke_run *run, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };

    if (list_closed(run, NULL, NULL) < 2) return YOKE_OK;
    const yoke_status status =
        yk_executor_help(&run->executor, make_point, run, &why);
    if (status != YOKE_E_MEMORY) return YOKE_OK;
    if (err) *err = why;
    return status;
}
