/* model/initial.c -- the initial equations of all subsystems together.
 *
 * A subsystem with initial equations, or with start values that hold whatever
 * its inputs are, offers these as a system without charges (yoke/system.h).  In
 * the coupled whole that system stands for it; the others stand for themselves:
 * their charges are kept and their algebraic equations solved.
 *
 * Loops of the coupling are solved one after the other in an order in which
 * each finds its inputs known: Newton's method begins at the start values that
 * the user gave, and with the inputs that belong to them, so that of several
 * solutions it finds the one that was meant.  All subsystems of a loop are one
 * system.  Loops that feed no initial equation are left alone.
 *
 * Newton's method begins at the start values; where that fails, at sizes
 * instead of zeros; where that fails, at what the subsystems found alone.
 */
#include "model/initial.h"

#include "graph/graph.h"
#include "step/solve/exact.h"
#include "sys/system.h"

#include <math.h>
#include <string.h>

enum { GUESSES = 3, ROUNDS = 30 };

/* A change below this part of an unknown is rounding. */
static const double unmoved = 1e-12;

typedef struct job {
    yk_model_point *p;
    double t;
    int *loop, loops;       /* of each node */
    int *node, *first_node; /* nodes by their loop; loops + 1 */
    int *link, *first_link; /* links by the loop they feed; loops + 1 */
    int *number; /* of each node: in the group that is solved now, or -1 */
    int *choice; /* of each node */
    yoke_system **own; /* of each node: its initial equations, or NULL */
    int **place;       /* of each node: where its unknowns are in them */
    bool moved;        /* an unknown got another value */
    bool *needed;      /* of each loop */
} job;

/* Some nodes coupled: which, and the links of the graph that feed them. */
typedef struct group {
    int nodes, feeds;
    const int *node, *feed;
    yoke_system **member, *whole;
    int *x_at, *u_at, *y_at; /* nodes + 1 */
    int links, opens, kept;
    yoke_link *link;
    int *open_at; /* of each input: its place among the open ones, or -1 */
    int (*open)[2];
    int *kept_at; /* of each input that is kept as an unknown: which it is */
    double *u, *x, *y, *u_all;
} group;

static yoke_system *system_of(const job *j, int node)
{
    return yoke_graph_system(j->p->graph, node);
}

static const yoke_initial_ops *initial_of(const job *j, int node)
{
    return system_of(j, node)->info.initial;
}

static bool is_required(const job *j, int node)
{
    return j->own[node] &&
           initial_of(j, node)->required(system_of(j, node)->self);
}

static void job_clear(job *j)
{
    for (int i = 0; i < j->p->nodes; i++) {
        if (j->own) yoke_system_free(j->own[i]);
        if (j->place) yk_free(j->place[i]);
    }
    YK_FREE(j->own, j->place, j->choice, j->loop, j->node, j->first_node,
            j->link, j->first_link, j->number, j->needed);
}

/* ---- What there is ------------------------------------------------------ */

/* The initial equations of a node by its choice; *there: there are some. */
static yoke_status choose(job *j, int node, int choice, bool *there,
                          yoke_err *err)
{
    yoke_system *s = system_of(j, node), *made = NULL;

    *there = false;
    if (!s->info.initial) return YOKE_OK;
    YK_TRY(s->info.initial->create(s->self, j->t, choice, &made, j->place[node],
                                   err));
    if (!made) return YOKE_OK;
    yoke_system_free(j->own[node]);
    j->own[node] = made;
    j->choice[node] = choice;
    *there = true;
    return YOKE_OK;
}

static yoke_status list_nodes(job *j, bool *any, yoke_err *err)
{
    const int nodes = j->p->nodes;

    YK_TRY(YK_NEW(&j->own, nodes, err));
    YK_TRY(YK_NEW(&j->place, nodes, err));
    YK_TRY(yk_ints(&j->choice, (size_t)nodes, err));
    for (int i = 0; i < nodes; i++) {
        bool there = false;
        if (!initial_of(j, i)) continue;
        YK_TRY(yk_ints(&j->place[i], (size_t)system_of(j, i)->info.n, err));
        YK_TRY(choose(j, i, 0, &there, err));
        *any = *any || there;
    }
    return YOKE_OK;
}

/* item[first[k] ...] are those of which `of` is k, in order. */
static yoke_status sort(int count, const int *of, int kinds, int **item,
                        int **first, yoke_err *err)
{
    YK_TRY(yk_ints(item, (size_t)count, err));
    YK_TRY(yk_ints(first, (size_t)kinds + 2, err));
    for (int i = 0; i < count; i++) (*first)[of[i] + 2]++;
    for (int k = 0; k < kinds; k++) (*first)[k + 2] += (*first)[k + 1];
    for (int i = 0; i < count; i++) (*item)[(*first)[of[i] + 1]++] = i;
    return YOKE_OK;
}

/* Which loops are needed: those with initial equations and those that feed
 * them. */
static yoke_status list_loops(job *j, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_graph *g = j->p->graph;
    int *fed = NULL;

    YK_GO(yk_ints(&j->loop, (size_t)g->nodes, err));
    YK_GO(yk_graph_loops(g, j->loop, &j->loops, err));
    YK_GO(YK_NEW(&j->needed, j->loops, err));
    YK_GO(sort(g->nodes, j->loop, j->loops, &j->node, &j->first_node, err));
    YK_GO(yk_ints(&fed, (size_t)g->links, err));
    for (int l = 0; l < g->links; l++) fed[l] = j->loop[g->link[l].to];
    YK_GO(sort(g->links, fed, j->loops, &j->link, &j->first_link, err));
    for (int i = 0; i < g->nodes; i++)
        if (j->own[i]) j->needed[j->loop[i]] = true;
    for (int k = j->loops - 1; k >= 0; k--)
        for (int i = j->first_link[k]; j->needed[k] && i < j->first_link[k + 1];
             i++)
            j->needed[j->loop[g->link[j->link[i]].from]] = true;
    YK_GO(yk_ints(&j->number, (size_t)g->nodes, err));
    for (int i = 0; i < g->nodes; i++) j->number[i] = -1;
done:
    yk_free(fed);
    return status;
}

/* ---- A group ------------------------------------------------------------ */

static void group_clear(group *g, job *j)
{
    for (int k = 0; k < g->nodes; k++) j->number[g->node[k]] = -1;
    yoke_system_free(g->whole);
    YK_FREE(g->member, g->x_at, g->u_at, g->y_at, g->link, g->open_at, g->open,
            g->kept_at, g->u, g->x, g->y, g->u_all);
}

static bool is_inner(const job *j, int l)
{
    const yoke_delay delay = yoke_graph_delay_of(j->p->graph, l);

    return j->number[j->p->graph->link[l].from] >= 0 &&
           !(delay.time > 0.0 && delay.has_past);
}

/* Inner links, and the inputs that are fed from outside with their values. */
static yoke_status list_links(group *g, const job *j, yoke_err *err)
{
    const int ins = g->u_at[g->nodes];

    YK_TRY(YK_NEW(&g->link, g->feeds, err));
    YK_TRY(YK_NEW(&g->open, ins, err));
    YK_TRY(yk_ints(&g->open_at, (size_t)ins, err));
    YK_TRY(yk_doubles(&g->u, (size_t)ins, err));
    for (int k = 0; k < ins; k++) g->open_at[k] = -1;
    for (int i = 0; i < g->feeds; i++) {
        yoke_link l = j->p->graph->link[g->feed[i]];
        l.to = j->number[l.to];
        int *at = &g->open_at[g->u_at[l.to] + l.input];
        if (is_inner(j, g->feed[i])) {
            l.from = j->number[l.from];
            g->link[g->links++] = l;
            continue;
        }
        if (*at < 0) *at = g->opens++;
        g->open[*at][0] = l.to;
        g->open[*at][1] = l.input;
        g->u[*at] += l.weight * yk_point_source(j->p, g->feed[i]);
    }
    return YOKE_OK;
}

static yoke_status compose(group *g, yoke_err *err)
{
    const yoke_composition parts = {
        .members = g->nodes,
        .links = g->links,
        .opens = g->opens,
        .member = g->member,
        .link = g->link,
        .open = (const int(*)[2])g->open,
    };
    int owner = 0, input = 0;

    YK_TRY(yoke_compose(&g->whole, "initial values", &parts, err));
    YK_TRY(yk_doubles(&g->x, (size_t)g->whole->info.n, err));
    YK_TRY(yk_doubles(&g->y, (size_t)g->whole->info.p, err));
    YK_TRY(yk_doubles(&g->u_all, (size_t)g->u_at[g->nodes], err));
    g->kept = g->whole->info.n - g->x_at[g->nodes];
    YK_TRY(yk_ints(&g->kept_at, (size_t)g->kept, err));
    for (int k = 0; k < g->kept; k++)
        if (yk_composite_kept(g->whole, k, &owner, &input))
            g->kept_at[k] = g->u_at[owner] + input;
    return YOKE_OK;
}

static yoke_status group_create(group *g, job *j, yoke_err *err)
{
    const size_t size = (size_t)g->nodes + 1;

    YK_TRY(YK_NEW(&g->member, g->nodes, err));
    YK_TRY(YK_INTS(size, err, &g->x_at, &g->u_at, &g->y_at));
    for (int k = 0; k < g->nodes; k++) {
        const int node = g->node[k];
        j->number[node] = k;
        g->member[k] = j->own[node] ? j->own[node] : system_of(j, node);
        g->x_at[k + 1] = g->x_at[k] + g->member[k]->info.n;
        g->u_at[k + 1] = g->u_at[k] + g->member[k]->info.m;
        g->y_at[k + 1] = g->y_at[k] + g->member[k]->info.p;
    }
    YK_TRY(list_links(g, j, err));
    return compose(g, err);
}

/* ---- Guesses ------------------------------------------------------------ */

/* The inputs that the whole keeps as unknowns, from the outputs; those that are
 * not defined there begin at zero. */
static void guess_kept(group *g, const job *j)
{
    double *w = g->x + g->x_at[g->nodes];

    for (int round = 0; round <= g->nodes && round < ROUNDS; round++) {
        if (g->kept == 0 || yoke_system_output(g->whole, j->t, g->x, g->u, g->y,
                                               NULL) != YOKE_OK)
            return;
        for (int k = 0; k < g->u_at[g->nodes]; k++)
            g->u_all[k] = g->open_at[k] < 0 ? 0.0 : g->u[g->open_at[k]];
        for (int l = 0; l < g->links; l++)
            g->u_all[g->u_at[g->link[l].to] + g->link[l].input] +=
                g->link[l].weight *
                g->y[g->y_at[g->link[l].from] + g->link[l].output];
        for (int k = 0; k < g->kept; k++) w[k] = g->u_all[g->kept_at[k]];
    }
}

static void guess(group *g, const job *j, int number)
{
    memset(g->x, 0, (size_t)g->whole->info.n * sizeof *g->x);
    for (int k = 0; k < g->nodes; k++) {
        const yoke_system_info *f = &g->member[k]->info;
        const int node = g->node[k], n = system_of(j, node)->info.n;
        double *x = g->x + g->x_at[k];
        if (!j->own[node]) {
            memcpy(x, j->p->x[node], (size_t)n * sizeof *x);
            continue;
        }
        memcpy(x, f->x0, (size_t)f->n * sizeof *x);
        for (int i = 0; i < f->n && number == 1; i++)
            if (x[i] == 0.0) x[i] = f->nominal[i];
        for (int i = 0; i < n && number == 2; i++)
            x[j->place[node][i]] = system_of(j, node)->info.x0[i];
    }
    guess_kept(g, j);
}

/* ---- Solving ------------------------------------------------------------ */

/* Which guess failed why is of no interest but for one: Newton's method that
 * did not converge says more than a matrix that is singular at a guess. */
static yoke_status solve(group *g, const job *j, yoke_err *err)
{
    yoke_status status = YOKE_RETRY;

    for (int k = 0; k < GUESSES && status != YOKE_OK; k++) {
        yoke_err own = { .status = YOKE_OK };
        guess(g, j, k);
        status = yk_initial_exact(g->whole, j->t, g->u, g->x, &own);
        if (status == YOKE_OK)
            status = yoke_system_output(g->whole, j->t, g->x, g->u, g->y, &own);
        if (status == YOKE_OK) return status;
        if (k == 0 || (status == YOKE_E_NUMERIC && err->status != status))
            yk_fail(err, status, "%s", own.text);
        if (status == YOKE_E_MEMORY) return status;
    }
    return err->status;
}

/* The solution becomes that of the point. */
static void take(const group *g, job *j)
{
    yk_model_point *p = j->p;

    for (int k = 0; k < g->nodes; k++) {
        const int node = g->node[k], n = system_of(j, node)->info.n;
        for (int i = 0; i < n; i++) {
            const double old = p->x[node][i];
            p->x[node][i] =
                g->x[g->x_at[k] + (j->own[node] ? j->place[node][i] : i)];
            if (fabs(p->x[node][i] - old) >
                unmoved * (system_of(j, node)->info.nominal[i] + fabs(old)))
                j->moved = true;
        }
        for (int i = 0; i < g->member[k]->info.p; i++)
            p->y[p->first_out[node] + i] = g->y[g->y_at[k] + i];
        for (int i = 0; i < g->member[k]->info.m; i++) p->u[node][i] = 0.0;
    }
    for (int i = 0; i < g->feeds; i++) {
        const yoke_link *l = &p->graph->link[g->feed[i]];
        p->u[l->to][l->input] += l->weight * yk_point_source(p, g->feed[i]);
    }
}

/* May all begin there?  *again: with other choices, maybe; `err` says why. */
static yoke_status accept(const group *g, job *j, bool *again, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    for (int k = 0; k < g->nodes; k++) {
        const int node = g->node[k];
        yoke_err own = { .status = YOKE_OK };
        bool there = false;
        if (!j->own[node]) continue;
        const yoke_status one = initial_of(j, node)->accept(
            system_of(j, node)->self, j->t, j->p->x[node], j->p->u[node], &own);
        if (one == YOKE_OK) continue;
        status =
            yk_fail(err, one < 0 ? one : YOKE_E_MODEL, "subsystem \"%s\": %s",
                    system_of(j, node)->name, own.text);
        if (one < 0) return status;
        YK_TRY(choose(j, node, j->choice[node] + 1, &there, err));
        *again = *again || there;
    }
    return status;
}

/* Another choice for all that have one. */
static yoke_status choose_others(const group *g, job *j, bool *again)
{
    for (int k = 0; k < g->nodes; k++) {
        const int node = g->node[k];
        bool there = false;
        if (!j->own[node]) continue;
        YK_TRY(choose(j, node, j->choice[node] + 1, &there, NULL));
        *again = *again || there;
    }
    return YOKE_OK;
}

/* Not solved: that is an error if there are initial equations.  Otherwise the
 * subsystems begin as they do alone. */
static yoke_status give_up(const group *g, const job *j, yoke_status status)
{
    for (int k = 0; k < g->nodes; k++)
        if (is_required(j, g->node[k]))
            return status > 0 ? YOKE_E_NUMERIC : status;
    for (int k = 0; k < g->nodes; k++)
        if (j->own[g->node[k]]) yk_system_reset(system_of(j, g->node[k]));
    return YOKE_OK;
}

/* *violated: values that are fixed came out as others, err says which. */
static yoke_status attempt(group *g, job *j, bool *again, bool *violated,
                           yoke_err *err)
{
    yoke_err own = { .status = YOKE_OK };

    YK_TRY(group_create(g, j, err));
    yoke_status status = solve(g, j, &own);
    if (status == YOKE_OK) {
        take(g, j);
        status = accept(g, j, again, err);
        *violated = status != YOKE_OK;
        return status;
    }
    if (status != YOKE_E_MEMORY) {
        const yoke_status other = choose_others(g, j, again);
        if (other < 0) return other;
        if (!*again && !*violated) status = give_up(g, j, status);
    }
    if (status != YOKE_OK && !*violated) yk_fail(err, status, "%s", own.text);
    return status;
}

static yoke_status solve_nodes(job *j, int nodes, const int *node, int feeds,
                               const int *feed, yoke_err *err)
{
    yoke_err own = { .status = YOKE_OK };
    yoke_status status = YOKE_OK;
    bool again = true, violated = false;

    for (int round = 0; round < ROUNDS && again; round++) {
        group g = {
            .nodes = nodes, .node = node, .feeds = feeds, .feed = feed
        };
        again = false;
        status = attempt(&g, j, &again, &violated, &own);
        group_clear(&g, j);
    }
    if (status == YOKE_OK) return YOKE_OK;
    return yk_fail(err, status < 0 ? status : YOKE_E_MODEL, "%s", own.text);
}

yoke_status yk_point_initial(yk_model_point *p, double t, bool *any,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    job j = { .p = p, .t = t };

    *any = false;
    YK_GO(list_nodes(&j, any, err));
    if (!*any) goto done;
    YK_GO(list_loops(&j, err));
    for (int k = 0; k < j.loops; k++)
        if (j.needed[k])
            YK_GO(solve_nodes(&j, j.first_node[k + 1] - j.first_node[k],
                              j.node + j.first_node[k],
                              j.first_link[k + 1] - j.first_link[k],
                              j.link + j.first_link[k], err));
done:
    job_clear(&j);
    return status;
}

/* The nodes with initial equations of their own, and the links that feed them.
 */
static yoke_status list_required(const job *j, int **node, int *nodes,
                                 int **feed, int *feeds, yoke_err *err)
{
    const yoke_graph *g = j->p->graph;

    *nodes = *feeds = 0;
    YK_TRY(yk_ints(node, (size_t)g->nodes, err));
    YK_TRY(yk_ints(feed, (size_t)g->links, err));
    for (int i = 0; i < g->nodes; i++)
        if (is_required(j, i)) (*node)[(*nodes)++] = i;
    for (int l = 0; l < g->links; l++)
        if (is_required(j, g->link[l].to)) (*feed)[(*feeds)++] = l;
    return YOKE_OK;
}

yoke_status yk_point_required(yk_model_point *p, double t, bool *moved,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    job j = { .p = p, .t = t };
    int *node = NULL, *feed = NULL, nodes = 0, feeds = 0;
    bool any = false;

    *moved = false;
    YK_GO(list_nodes(&j, &any, err));
    if (!any) goto done;
    YK_GO(list_loops(&j, err));
    YK_GO(list_required(&j, &node, &nodes, &feed, &feeds, err));
    if (nodes > 0) YK_GO(solve_nodes(&j, nodes, node, feeds, feed, err));
    *moved = j.moved;
done:
    YK_FREE(node, feed);
    job_clear(&j);
    return status;
}
