/* run/owners.c -- constraints whose owner cannot solve them.
 *
 * A constraint is solved with the first subsystem that its multiplier enters,
 * unless somebody names another.  If the multiplier does not act on the outputs
 * that the constraint reads there (an ideal source, whose voltage no current
 * moves), that cluster has no solution.  Then the other subsystems are tried as
 * owners, and if none of them will do, all that the constraint joins become one
 * cluster.  Only where neither owner nor schedule were given.
 */
#include "base/text.h"
#include "graph/graph.h"
#include "run/run.h"

#include <stdio.h>

/* `run` is NULL where only the schedule is asked for: then nothing is reported, and
 * the graph stays as it is. */
typedef struct search {
    const yoke_graph *graph;
    const yoke_run_options *options;
    yoke_run *run;
} search;

/* The first cluster that cannot be solved, or -1. */
static yoke_status find_bad(const search *f, const yoke_schedule *s, int *bad,
                            yoke_err *err)
{
    return yk_graph_unsolvable(f->graph, s, f->options->start, bad, err);
}

static yoke_status say(const search *f, const char *rung, const char *text,
                       yoke_err *err)
{
    return f->run ? yk_ladder_say(&f->run->ladder, rung, f->options->start,
                                  text, err)
                  : YOKE_OK;
}

static const char *name_of(const yoke_graph *g, int node)
{
    return yoke_system_name(g->node[node].system);
}

/* Is the graph without an unsolvable cluster if `owner` owns the constraint?
 * Otherwise everything is as before. */
static yoke_status try_owner(const search *f, yoke_schedule *s, int constraint,
                             int owner, bool *taken, yoke_err *err)
{
    const yoke_graph *g = f->graph;
    const int old = g->node[constraint].owner, was = s->cluster[constraint];
    char text[400];
    int bad = -1;

    *taken = false;
    if (s->cluster[owner] == was || g->node[owner].is_constraint)
        return YOKE_OK;
    s->cluster[constraint] = s->cluster[owner];
    YK_TRY(find_bad(f, s, &bad, err));
    *taken = bad != was && bad != s->cluster[owner];
    if (!*taken) {
        s->cluster[constraint] = was;
        return YOKE_OK;
    }
    snprintf(text, sizeof text,
             "%.80s is solved with %.80s: with %.80s, the first that it "
             "enters, it has no solution",
             name_of(g, constraint), name_of(g, owner), name_of(g, old));
    if (f->run) f->run->graph->node[constraint].owner = owner;
    return say(f, "owner", text, err);
}

/* Other owners for the constraints in a cluster; *taken: one was found. */
static yoke_status other_owner(const search *f, yoke_schedule *s, int cluster,
                               bool *taken, yoke_err *err)
{
    const yoke_graph *g = f->graph;

    *taken = false;
    for (int i = 0; i < g->nodes; i++) {
        if (s->cluster[i] != cluster || !g->node[i].may_stay) continue;
        for (int l = 0; !*taken && l < g->links; l++)
            if (g->link[l].from == i)
                YK_TRY(try_owner(f, s, i, g->link[l].to, taken, err));
        if (*taken) return YOKE_OK;
    }
    return YOKE_OK;
}

/* The subsystems of a group: "a, b and c". */
static void name_group(const yoke_graph *g, const yoke_schedule *s,
                       const int *group, int which, char *text, size_t room)
{
    int members = 0, told = 0;

    for (int i = 0; i < g->nodes; i++)
        members += group[s->cluster[i]] == which && !g->node[i].is_constraint;
    text[0] = '\0';
    for (int i = 0; i < g->nodes; i++) {
        if (group[s->cluster[i]] != which || g->node[i].is_constraint) continue;
        yk_append(text, room, "%s%.60s",
                  told == 0             ? ""
                  : told == members - 1 ? " and "
                                        : ", ",
                  name_of(g, i));
        told++;
    }
}

/* All that the constraints of a cluster join become one with it. */
static yoke_status join(const search *f, yoke_schedule **s, int cluster,
                        bool *joined, yoke_err *err)
{
    const yoke_graph *g = f->graph;
    yoke_schedule *merged = NULL;
    yoke_status status = YOKE_OK;
    char names[400], text[600];
    int *group = NULL, groups = 0;

    *joined = false;
    YK_GO(yk_ints(&group, (size_t)(*s)->clusters, err));
    for (int c = 0; c < (*s)->clusters; c++) group[c] = c;
    for (int l = 0; l < g->links; l++) {
        const int from = g->link[l].from, to = g->link[l].to;
        const int a = (*s)->cluster[from], b = (*s)->cluster[to];
        const int own = a == cluster ? from : to;
        if ((a != cluster && b != cluster) || a == b) continue;
        if (!g->node[own].may_stay) continue;
        group[a == cluster ? b : a] = cluster;
        *joined = true;
    }
    if (!*joined) goto done;
    YK_GO(yk_ladder_number(*s, group, &groups, err));
    name_group(g, *s, group, group[cluster], names, sizeof names);
    snprintf(text, sizeof text,
             "%s are merged into one system: no owner alone can solve the "
             "constraint between them",
             names);
    YK_GO(say(f, groups == 1 ? "monolithic" : "cluster", text, err));
    YK_GO(yk_schedule_merge(&merged, *s, group, err));
    yoke_schedule_free(*s);
    *s = merged;
done:
    yk_free(group);
    return status;
}

/* Is there a constraint without a named owner? */
static bool has_choice(const yoke_graph *g)
{
    for (int i = 0; i < g->nodes; i++)
        if (g->node[i].may_stay) return true;
    return false;
}

yoke_status yk_find_owners(const yoke_graph *graph,
                           const yoke_run_options *options, yoke_run *run,
                           yoke_schedule **s, yoke_err *err)
{
    const search f = { graph, options, run };
    bool changed = options->cluster == YOKE_CLUSTER_AUTO &&
                   !options->schedule[0] && has_choice(graph);

    for (int turn = 0; changed && turn < graph->nodes; turn++) {
        int bad = -1;
        YK_TRY(find_bad(&f, *s, &bad, err));
        if (bad < 0) return YOKE_OK;
        YK_TRY(other_owner(&f, *s, bad, &changed, err));
        if (!changed) YK_TRY(join(&f, s, bad, &changed, err));
    }
    return YOKE_OK;
}
