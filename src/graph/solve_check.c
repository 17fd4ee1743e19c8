/* graph/solve_check.c -- can every cluster be solved for its own unknowns?
 *
 * A partition of a solvable system may have parts that are not: an equation was
 * given to a part whose unknowns do not occur in it.  Then the largest matching
 * in the pattern of the whole tells which equation goes with which unknown, and
 * that pairing, grouped by subsystems, is what would be solvable (Crow and Ilic
 * 1990, Theorem 3.1 and the example after it).
 */
#include "base/text.h"
#include "graph/cluster.h"
#include "la/pattern.h"
#include "yoke/check.h"

#include <stdio.h>

static void write_pairing(const yoke_graph *g, const yk_cluster *whole,
                          const int *match, char *text, size_t room)
{
    const yoke_system_info *all = yoke_system_facts(whole->system);

    yk_append(text, room, ". A solvable pairing would be");
    for (int k = 0; k < whole->nodes; k++) {
        const yoke_system *s = g->node[whole->node[k]].system;
        const yoke_system_info *own = yoke_system_facts(s);
        yk_append(text, room, "%s %s:", k ? ";" : "", yoke_system_name(s));
        for (int i = 0; i < own->n; i++) {
            const int row = match[whole->x_at[k] + i];
            yk_append(text, room, "%s %s by %s", i ? "," : "", own->x_name[i],
                      whole->composite ? all->eq_name[row] : own->eq_name[row]);
        }
    }
}

static yoke_status suggest(const yoke_graph *g, char *text, size_t room,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_cluster *whole = NULL;
    yoke_pattern *both = NULL;
    int *match = NULL, matched = 0;

    YK_GO(yk_cluster_whole(&whole, g, NULL, false, err));
    const yoke_system_info *all = yoke_system_facts(whole->system);
    YK_GO(yk_pattern_union(&both, all->C, all->G, NULL, NULL, err));
    YK_GO(yk_ints(&match, (size_t)all->n, err));
    YK_GO(yk_pattern_match(both, match, &matched, err));
    if (matched == all->n)
        write_pairing(g, whole, match, text, room);
    else
        yk_append(text, room,
                  ". The coupled system as a whole is not solvable "
                  "either: %d of %d unknowns have no equation",
                  all->n - matched, all->n);
done:
    yk_free(match);
    yoke_pattern_free(both);
    yk_clusters_free(whole, 1);
    return status;
}

/* Inputs at the initial values, from outputs with zero inputs: enough to place
 * the linearisation. */
yoke_status yk_graph_add_source(const yoke_graph *g, const yk_cluster_source *s,
                                double t, double *u, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system *from = g->node[s->node].system;
    const yoke_system_info *f = yoke_system_facts(from);
    double *y = NULL, *zero = NULL;
    yoke_err why;

    YK_GO(yk_doubles(&y, (size_t)f->p, err));
    YK_GO(yk_doubles(&zero, (size_t)f->m, err));
    status = yoke_system_output(from, t, f->x0, zero, y, &why);
    if (status == YOKE_OK) u[s->to] += s->weight * y[s->output];
    if (status < 0 && err) *err = why;
    if (status > 0) status = YOKE_OK; /* not defined there: stays zero */
done:
    YK_FREE(y, zero);
    return status;
}

yoke_status yk_graph_inputs_at(const yoke_graph *g, const yk_cluster *c,
                               double t, double *u, yoke_err *err)
{
    for (int k = 0; k < c->sources; k++)
        YK_TRY(yk_graph_add_source(g, &c->source[k], t, u, err));
    return YOKE_OK;
}

static yoke_status check_cluster(const yoke_graph *g, const yk_cluster *c,
                                 double t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_system_info *f = yoke_system_facts(c->system);
    yoke_solvability found;
    double *u = NULL;

    YK_GO(yk_doubles(&u, (size_t)f->m, err));
    YK_GO(yk_graph_inputs_at(g, c, t, u, err));
    YK_GO(yoke_solvable(c->system, t, f->x0, u, &found, err));
    if (found.solvable) goto done;
    if (c->nodes < g->nodes)
        YK_GO(suggest(g, found.text, sizeof found.text, err));
    status = yk_fail(err, YOKE_E_MODEL, "%s", found.text);
done:
    yk_free(u);
    return status;
}

yoke_status yk_graph_unsolvable(const yoke_graph *graph,
                                const yoke_schedule *schedule, double t,
                                int *cluster, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_cluster *clusters = NULL;

    *cluster = -1;
    YK_GO(yk_clusters_create(&clusters, graph, schedule, NULL, err));
    for (int c = 0; c < schedule->clusters && *cluster < 0; c++) {
        yoke_err why = { YOKE_OK, "" };
        if (schedule->clusters > 1 &&
            yk_schedule_is_constraint(schedule, graph, c))
            continue;
        const yoke_status found = check_cluster(graph, &clusters[c], t, &why);
        if (found == YOKE_E_MODEL) *cluster = c;
        if (found != YOKE_E_MEMORY) continue;
        status = found;
        if (err) *err = why;
        break;
    }
done:
    yk_clusters_free(clusters, schedule->clusters);
    return status;
}

yoke_status yoke_graph_check(const yoke_graph *graph,
                             const yoke_schedule *schedule, double t,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_cluster *clusters = NULL;

    YK_TRY(yk_graph_complete(graph, err));
    if (schedule->nodes != graph->nodes)
        return yk_fail(err, YOKE_E_ARG,
                       "the schedule is for %d subsystems, the graph has %d",
                       schedule->nodes, graph->nodes);
    YK_TRY(yk_constraints_check(graph, t, err));
    YK_GO(yk_clusters_create(&clusters, graph, schedule, NULL, err));
    if (schedule->clusters > 1)
        YK_GO(yk_schedule_check_apart(schedule, graph, err));
    for (int c = 0; c < schedule->clusters; c++)
        if (schedule->clusters == 1 ||
            !yk_cluster_is_constraint(graph, &clusters[c]))
            YK_GO(check_cluster(graph, &clusters[c], t, err));
done:
    yk_clusters_free(clusters, schedule->clusters);
    return status;
}
