/* mpi/place.c -- which rank has which unit.
 *
 * Units are the vertices of a graph: their prices are its weights, the signals
 * between them its edges.  METIS cuts it into as many parts as there are ranks,
 * of nearly equal price with few signals between them; the lightest part is that
 * of rank 0, which has the iteration besides.  Without METIS the dearest unit
 * goes to the rank with the least, and so on.  Units that name a host go to the
 * rank there that has least; those that cannot travel stay in rank 0.  Ranks are
 * those that the run began with, in however many processes it goes on.
 */
#include "mpi/ranks.h"
#include "mpi/served.h"

#include "base/base.h"
#include "base/compare.h"
#include "base/text.h"
#include "base/texts.h"
#include "la/bisect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct yk_place_list {
    int units;
    int *rank;   /* of each */
    char **name; /* the same */
    bool *bound; /* it cannot be elsewhere */
} yk_place_list;

static void free_list(yk_place_list *l)
{
    if (!l) return;
    yk_texts_free(l->name, l->units);
    YK_FREE(l->rank, l->bound, l);
}

void yk_place_free(yk_ranks *r)
{
    if (!r->kept) return;
    free_list(r->kept->list);
    free_list(r->kept->first);
    r->kept->list = r->kept->first = NULL;
}

/* An empty one in place of the one before, which a run beside the first keeps. */
static yoke_status renew_list(yk_kept *k, bool beside, yoke_err *err)
{
    if (beside && !k->first) {
        k->first = k->list;
        k->list = NULL;
    } else if (!beside) {
        free_list(k->first);
        k->first = NULL;
    }
    free_list(k->list);
    k->list = NULL;
    return YK_NEW(&k->list, 1, err);
}

static yoke_status make_list(yk_ranks *r, const yk_place_plan *p, yoke_err *err)
{
    const int units = p->plan->schedule->clusters;
    yk_place_list *l = NULL;

    YK_TRY(renew_list(r->kept, p->beside, err));
    l = r->kept->list;
    l->units = units;
    YK_TRY(yk_ints(&l->rank, (size_t)units, err));
    YK_TRY(YK_NEW(&l->name, units, err));
    YK_TRY(YK_NEW(&l->bound, units, err));
    for (int i = 0; i < units; i++) {
        YK_TRY(yk_copy_text(&l->name[i], p->plan->cluster[i].name, err));
        l->bound[i] = p->here[i];
        l->rank[i] = p->plan->propagator[i].ops
                         ? yk_remote_rank(&p->plan->propagator[i])
                         : -1;
        if (p->here[i]) l->rank[i] = 0;
        if (l->rank[i] < 0 && p->plan->cluster[i].nodes == 1)
            l->rank[i] = yk_away_rank(
                r, yoke_graph_system(p->graph, p->plan->cluster[i].node[0]));
    }
    return YOKE_OK;
}

/* ---- who is there ----------------------------------------------- */

yoke_status yk_place_await(yk_ranks *r, const yoke_graph *graph, yoke_err *err)
{
    r->print = yk_read_print(graph);
    for (int i = 1; i < r->count; i++) {
        for (int idle = 0; !r->rank[i].here; idle++)
            if (yk_ranks_pump(r))
                idle = 0;
            else
                yk_ranks_idle(r, idle);
        if (r->rank[i].failed)
            return yk_fail(err, YOKE_E_FILE,
                           "rank %d on %s: %s; every rank reads the system and "
                           "all of its files, by the same names",
                           i, yk_link_host(i), r->rank[i].failed);
    }
    return YOKE_OK;
}

/* ---- who gets what ------------------------------------------------------- */

/* "node7" is "node7.cluster.local". */
static bool same_host(const char *wanted, const char *host)
{
    const size_t length = strlen(wanted);

    return strncmp(wanted, host, length) == 0 &&
           (host[length] == '\0' || host[length] == '.');
}

static yoke_status no_host(const yk_ranks *r, const char *unit,
                           const char *host, yoke_err *err)
{
    yk_fail(err, YOKE_E_ARG,
            "subsystem \"%.100s\": host \"%s\": no rank is on it; ranks are on",
            unit, host);
    for (int i = 0; i < r->count; i++) {
        bool told = false;
        for (int k = 0; k < i; k++)
            told = told || strcmp(yk_link_host(k), yk_link_host(i)) == 0;
        if (!told) yk_suffix(err, "%s %s", i ? "," : "", yk_link_host(i));
    }
    return YOKE_E_ARG;
}

static yoke_status find_host(yk_ranks *r, const char *unit, const char *host,
                             double price, int *rank, yoke_err *err)
{
    yk_kept *k = r->kept;
    int best = -1;

    for (int i = k->slots - 1; i >= 0; i--)
        if (same_host(host, yk_link_host(k->home[i])) &&
            (best < 0 || k->load[i] < k->load[best]))
            best = i;
    if (best < 0) return no_host(r, unit, host, err);
    *rank = best;
    k->load[best] += price;
    return YOKE_OK;
}

yoke_status yk_place_host(yk_ranks *r, const char *host,
                          const yoke_system *system, int *rank, yoke_err *err)
{
    return find_host(r, yoke_system_name(system), host, 1.0, rank, err);
}

static yoke_status place_hosts(yk_ranks *r, const yk_place_plan *p,
                               yoke_err *err)
{
    const yk_place_list *l = r->kept->list;

    for (int u = 0; u < l->units; u++)
        if (l->rank[u] < 0 && p->host[u][0])
            YK_TRY(find_host(r, l->name[u], p->host[u], p->price[u],
                             &l->rank[u], err));
    return YOKE_OK;
}

/* Units that are still nowhere, as vertices: vertex[unit], or -1. */
typedef struct cut {
    int count;
    int *unit, *vertex, *work, *start, *to, *weight, *part;
} cut;

static void cut_clear(cut *c)
{
    YK_FREE(c->unit, c->vertex, c->work, c->start, c->to, c->weight, c->part);
}

/* Both directions of every signal between two of them. */
static void add_edges(cut *c, const yk_place_plan *p, bool fill)
{
    const int *cluster = p->plan->schedule->cluster;
    int *at = c->start + 1;

    for (int u = 0; u < p->plan->schedule->clusters; u++)
        for (int k = 0; k < p->plan->cluster[u].sources; k++) {
            const int a = c->vertex[u];
            const int b =
                c->vertex[cluster[p->plan->cluster[u].source[k].node]];
            if (a < 0 || b < 0 || a == b) continue;
            if (fill) {
                c->to[at[a]] = b;
                c->to[at[b]] = a;
            }
            at[a]++;
            at[b]++;
        }
}

/* Parallel edges between two vertices become one with their number. */
static void join_edges(cut *c, int *seen)
{
    int used = 0, from = 0;

    for (int v = 0; v < c->count; v++) seen[v] = -1;
    for (int v = 0; v < c->count; v++) {
        const int first = used, end = c->start[v + 1];
        for (int e = from; e < end; e++) {
            const int to = c->to[e];
            if (seen[to] >= first) {
                c->weight[seen[to]]++;
                continue;
            }
            seen[to] = used;
            c->to[used] = to;
            c->weight[used++] = 1;
        }
        from = end;
        c->start[v] = first;
        for (int e = first; e < used; e++) seen[c->to[e]] = -1;
    }
    c->start[c->count] = used;
}

static yoke_status make_cut(cut *c, const yk_ranks *r, const yk_place_plan *p,
                            yoke_err *err)
{
    const int units = r->kept->list->units;
    double most = 0.0;

    YK_TRY(YK_INTS((size_t)units + 2, err, &c->unit, &c->vertex, &c->work,
                   &c->start, &c->part));
    for (int u = 0; u < units; u++) {
        c->vertex[u] = r->kept->list->rank[u] < 0 ? c->count : -1;
        if (c->vertex[u] < 0) continue;
        c->unit[c->count++] = u;
        most = fmax(most, p->price[u]);
    }
    for (int v = 0; v < c->count; v++)
        c->work[v] = most > 0.0
                         ? (int)fmax(1.0, 1000.0 * p->price[c->unit[v]] / most)
                         : 1;
    /* Counted one place further on, filled from there: start of each behind. */
    add_edges(c, p, false);
    for (int v = 0; v < c->count; v++) c->start[v + 1] += c->start[v];
    const size_t edges = (size_t)c->start[c->count];
    for (int v = c->count; v > 0; v--) c->start[v] = c->start[v - 1];
    c->start[0] = 0;
    YK_TRY(YK_INTS(edges + (size_t)c->count + 1, err, &c->to, &c->weight));
    add_edges(c, p, true);
    int *seen = NULL;
    YK_TRY(yk_ints(&seen, (size_t)c->count + 1, err));
    join_edges(c, seen);
    yk_free(seen);
    return YOKE_OK;
}

/* Dearest first, each to the part that has least. */
static yoke_status deal(cut *c, int wanted, int *parts, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_ranked *order = NULL;
    double *load = NULL;

    YK_GO(YK_NEW(&order, c->count + 1, err));
    YK_GO(yk_doubles(&load, (size_t)wanted, err));
    for (int v = 0; v < c->count; v++) order[v] = (yk_ranked){ c->work[v], v };
    qsort(order, (size_t)c->count, sizeof *order, yk_compare_ranked);
    for (int v = 0; v < c->count; v++) {
        int best = 0;
        for (int k = 1; k < wanted; k++)
            if (load[k] < load[best]) best = k;
        c->part[order[v].index] = best;
        load[best] += order[v].amount;
    }
    *parts = c->count < wanted ? c->count : wanted;
done:
    YK_FREE(order, load);
    return status;
}

/* Heavy parts to ranks that have little; the lightest to rank 0. */
static yoke_status give_parts(yk_ranks *r, const yk_place_plan *p, const cut *c,
                              int parts, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_ranked *part = NULL, *rank = NULL;
    int *at = NULL;

    YK_GO(YK_NEW(&part, parts + 1, err));
    YK_GO(YK_NEW(&rank, r->kept->slots, err));
    YK_GO(yk_ints(&at, (size_t)parts + 1, err));
    for (int k = 0; k < parts; k++) part[k].index = k;
    for (int v = 0; v < c->count; v++)
        part[c->part[v]].amount += p->price[c->unit[v]];
    qsort(part, (size_t)parts, sizeof *part, yk_compare_ranked);
    /* Ranks with least to do first, which are last in this order. */
    for (int i = 1; i < r->kept->slots; i++)
        rank[i - 1] = (yk_ranked){ -r->kept->load[i], i };
    qsort(rank, (size_t)r->kept->slots - 1, sizeof *rank, yk_compare_ranked);
    for (int k = 0; k < parts; k++)
        at[part[k].index] = k + 1 < parts ? rank[k].index : 0;
    for (int v = 0; v < c->count; v++) {
        r->kept->list->rank[c->unit[v]] = at[c->part[v]];
        r->kept->load[at[c->part[v]]] += p->price[c->unit[v]];
    }
done:
    YK_FREE(part, rank, at);
    return status;
}

static yoke_status place_rest(yk_ranks *r, const yk_place_plan *p,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    cut c = { 0 };
    int parts = 0;

    YK_GO(make_cut(&c, r, p, err));
    if (c.count == 0) goto done;
    const yk_weighted graph = { c.count, c.work, c.start, c.to, c.weight };
    const int slots = r->kept->slots;
    status = yk_bisect(&graph, slots, c.part, &parts, err);
    if (status == YOKE_E_MISSING) status = deal(&c, slots, &parts, err);
    if (status == YOKE_OK) status = give_parts(r, p, &c, parts, err);
done:
    cut_clear(&c);
    return status;
}

/* ---- what the run asks --------------------------------------------------- */

static yoke_status send_plan(yk_ranks *r, const yk_place_plan *p, yoke_err *err)
{
    const yoke_schedule *s = p->plan->schedule;
    int outputs = 0;

    for (int i = 0; i < yoke_graph_count(p->graph); i++)
        outputs += yoke_system_facts(yoke_graph_system(p->graph, i))->p;
    for (int i = 1; i < r->kept->slots; i++) {
        yk_bytes_clear(&r->out);
        yk_ranks_head(&r->out, YK_MAIL_PLAN, 0);
        yk_bytes_put_int(&r->out, s->nodes);
        yk_bytes_put_int(&r->out, s->clusters);
        yk_bytes_put_int(&r->out, s->lag_self);
        yk_bytes_put_int(&r->out, outputs);
        yk_bytes_put(&r->out, s->cluster,
                     (size_t)s->nodes * sizeof *s->cluster);
        yk_bytes_put(&r->out, p->extra, (size_t)outputs * sizeof *p->extra);
        YK_TRY(yk_ranks_tell(r, i, &r->out, err));
    }
    return YOKE_OK;
}

/* Before a schedule is known each closed part is a unit. */
static yoke_status read_parts(yk_ranks *r, const yoke_graph *graph,
                              const int *cluster, yoke_err *err)
{
    const int nodes = yoke_graph_count(graph);
    yoke_status status = YOKE_OK;
    int *rank = NULL, *unit = NULL;

    YK_GO(YK_INTS((size_t)nodes + 1, err, &rank, &unit));
    for (int i = 0; i < nodes; i++) {
        unit[i] = cluster ? cluster[i] : i;
        rank[i] = cluster ? r->kept->list->rank[cluster[i]]
                          : yk_away_rank(r, yoke_graph_system(graph, i));
    }
    status = yk_read_need(r, graph, rank, unit, err);
done:
    YK_FREE(rank, unit);
    return status;
}

static yoke_status places_closed(void *self, const yoke_graph *graph,
                                 const char *const *host, yoke_err *err)
{
    yk_ranks *r = self;

    YK_TRY(yk_place_await(r, graph, err));
    YK_TRY(yk_ranks_keep(r, err));
    YK_TRY(yk_away_place(r, graph, host, err));
    return read_parts(r, graph, NULL, err);
}

static yoke_status places_plan(void *self, const yk_place_plan *p, bool *away,
                               yoke_err *err)
{
    yk_ranks *r = self;
    yk_kept *k = r->kept;

    YK_TRY(send_plan(r, p, err));
    YK_TRY(make_list(r, p, err));
    for (int i = 0; i < k->slots; i++) k->load[i] = 0.0;
    for (int u = 0; u < k->list->units; u++)
        if (k->list->rank[u] >= 0) k->load[k->list->rank[u]] += p->price[u];
    YK_TRY(place_hosts(r, p, err));
    YK_TRY(place_rest(r, p, err));
    YK_TRY(read_parts(r, p->graph, p->plan->schedule->cluster, err));
    for (int u = 0; u < k->list->units; u++) away[u] = k->list->rank[u] > 0;
    return YOKE_OK;
}

static yoke_status places_make(void *self, const yk_place_plan *p, int unit,
                               const yoke_stepper_options *stepper,
                               yk_propagator *out, yoke_err *err)
{
    yk_ranks *r = self;
    const yk_cluster *cluster = &p->plan->cluster[unit];
    yk_mail mail = { .rank = r->kept->list->rank[unit] };
    yk_bytes message = { 0 };
    yoke_status status = YOKE_OK;

    YK_TRY(yk_ranks_open_mail(r, &mail, err));
    yk_ranks_head(&message, YK_MAIL_MAKE, mail.handle);
    yk_read_put(r, p->graph, mail.rank, cluster->nodes, cluster->node,
                &message);
    yk_served_describe(&message, unit, stepper, cluster->ins,
                       p->plan->watches[unit], p->plan->watch[unit]);
    YK_GO(yk_served_put_memory(&message, cluster->system, err));
    YK_GO(yk_ranks_ask(r, &mail, &message, err));
    YK_GO(yk_remote_create(out, r, &mail, cluster, stepper->join, err));
done:
    if (status != YOKE_OK && mail.handle >= 0) yk_ranks_close_mail(r, &mail);
    yk_bytes_free(&message);
    return status;
}

/* The parts of a rank, or of a process, which has all those of some ranks. */
static void list_parts(const yk_ranks *r, int rank, bool process, char *text,
                       size_t room)
{
    const yk_kept *kept = r->kept;
    const yk_place_list *l = !kept         ? NULL
                             : kept->first ? kept->first
                                           : kept->list;
    int more = 0;

    text[0] = '\0';
    for (int u = 0; l && u < l->units; u++) {
        const int at = l->rank[u];
        if ((process && at >= 0 ? r->kept->home[at] : at) != rank) continue;
        const size_t need = strlen(l->name[u]) + 40;
        if (more || strlen(text) + need > room) {
            more++;
            continue;
        }
        yk_append(text, room, "%s%s%s", text[0] ? ", " : "", l->name[u],
                  l->bound[u] ? " (cannot be elsewhere)" : "");
    }
    if (more)
        yk_append(text, room, " and %d more", more);
    else if (!text[0])
        yk_append(text, room, "no part");
}

static bool places_lost(void *self, yoke_err *err)
{
    yk_ranks *r = self;
    const int rank = yk_ranks_find_lost(r);
    char parts[600];

    if (rank == 0) return false;
    list_parts(r, rank, true, parts, sizeof parts);
    yk_fail(
        err, YOKE_E_CALLBACK,
        "rank %d on %s (process %ld) %s; it had %s. What was accepted before "
        "is in the result",
        rank, yk_link_host(rank), r->rank[rank].process,
        r->rank[rank].mute ? "does not answer any more" : "has died", parts);
    return true;
}

static bool places_tell(void *self, int line, char *text, size_t room)
{
    const yk_ranks *r = self;
    const yk_link_traffic t = yk_link_count();
    const int slots = r->kept ? r->kept->slots : 0;

    if (line < slots) {
        const int home = r->kept->home[line];
        char parts[1000], moved[60] = "";
        list_parts(r, line, false, parts, sizeof parts);
        if (home != line)
            snprintf(moved, sizeof moved, ", now in process %d,", home);
        snprintf(text, room, "rank %d%s on %s: %s", line, moved,
                 yk_link_host(home), parts);
    } else if (line == slots)
        snprintf(text, room,
                 "%ld messages, %.6g bytes between rank 0 and the others",
                 t.messages, t.bytes);
    return line <= slots;
}

const yk_places_ops yk_ranks_places = {
    .closed = places_closed,
    .plan = places_plan,
    .make = places_make,
    .lost = places_lost,
    .tell = places_tell,
    .sections = yk_save_sections,
    .section = yk_save_section,
    .take = yk_save_take,
};
