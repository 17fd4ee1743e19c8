/* graph/late.c -- an order in which few outputs are read before they are made.
 *
 * What is late is guessed, iterated and corrected; every other output is passed
 * on within a sweep.  Clusters that are late as a whole are a set whose removal
 * leaves no loop, and the fewest such are hard to find.  We remove, again and
 * again, clusters that are in no loop any more, and then the one through which
 * most paths go, arrows in times arrows out, for each of its outputs.  In a star
 * that is the hub, in a chain or a ring every second part.
 *
 * Within each loop of the coupling the others come first, each after those that
 * it reads, and then the removed ones.
 */
#include "graph/graph.h"

#include <string.h>

typedef struct arrow {
    int from, to; /* clusters of one loop */
} arrow;

typedef struct late_search {
    const yoke_graph *graph;
    const yoke_schedule *schedule;
    int *loop;
    int arrows;
    arrow *arrow;
    int *first_in, *first_out; /* clusters + 1 */
    int *in, *out;             /* the clusters at the other end */
    int *ins, *outs;           /* of what is left */
    int *outputs;              /* that others read */
    bool *gone, *late;
    int *heap, *stack;
    double *score;
} late_search;

static void search_clear(late_search *s)
{
    YK_FREE(s->loop, s->arrow, s->first_in, s->first_out, s->in, s->out, s->ins,
            s->outs, s->outputs, s->gone, s->late, s->heap, s->stack, s->score);
}

/* ---- arrows -------------------------------------------------------------- */

static yoke_status list_arrows(late_search *s, yoke_err *err)
{
    const yoke_graph *g = s->graph;

    YK_TRY(YK_NEW(&s->arrow, g->links, err));
    for (int l = 0; l < g->links; l++) {
        const int from = s->schedule->cluster[g->link[l].from];
        const int to = s->schedule->cluster[g->link[l].to];
        if (from == to || s->loop[from] != s->loop[to] ||
            yoke_graph_delay_of(g, l).time > 0.0)
            continue;
        s->arrow[s->arrows++] = (arrow){ from, to };
    }
    return YOKE_OK;
}

static yoke_status sort_arrows(late_search *s, yoke_err *err)
{
    const size_t clusters = (size_t)s->schedule->clusters;

    YK_TRY(YK_INTS(clusters + 2, err, &s->first_in, &s->first_out));
    YK_TRY(YK_INTS((size_t)s->arrows, err, &s->in, &s->out));
    for (int k = 0; k < s->arrows; k++) {
        s->first_in[s->arrow[k].to + 2]++;
        s->first_out[s->arrow[k].from + 2]++;
    }
    for (size_t c = 0; c < clusters; c++) {
        s->first_in[c + 2] += s->first_in[c + 1];
        s->first_out[c + 2] += s->first_out[c + 1];
    }
    for (int k = 0; k < s->arrows; k++) {
        const arrow *a = &s->arrow[k];
        s->in[s->first_in[a->to + 1]++] = a->from;
        s->out[s->first_out[a->from + 1]++] = a->to;
    }
    return YOKE_OK;
}

/* Outputs, as numbers, and the first one of each node. */
static yoke_status number_outputs(const yoke_graph *g, int **first,
                                  yoke_err *err)
{
    YK_TRY(yk_ints(first, (size_t)g->nodes + 1, err));
    for (int i = 0; i < g->nodes; i++)
        (*first)[i + 1] = (*first)[i] + yoke_system_facts(g->node[i].system)->p;
    return YOKE_OK;
}

/* Late outputs if the clusters run at these places. */
static yoke_status count_late(const yoke_graph *g, const yoke_schedule *s,
                              const int *place, int *count, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *first = NULL;
    bool *late = NULL;

    *count = 0;
    YK_GO(number_outputs(g, &first, err));
    YK_GO(YK_NEW(&late, first[g->nodes], err));
    for (int l = 0; l < g->links; l++) {
        const yoke_link *link = &g->link[l];
        const int from = s->cluster[link->from], to = s->cluster[link->to];
        bool *is = &late[first[link->from] + link->output];
        if (from == to || place[from] < place[to] || *is ||
            yoke_graph_delay_of(g, l).time > 0.0)
            continue;
        *is = true;
        ++*count;
    }
done:
    YK_FREE(first, late);
    return status;
}

static yoke_status count_outputs(late_search *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_graph *g = s->graph;
    int *first = NULL;
    bool *seen = NULL;

    YK_GO(number_outputs(g, &first, err));
    YK_GO(YK_NEW(&seen, first[g->nodes], err));
    for (int l = 0; l < g->links; l++) {
        bool *is = &seen[first[g->link[l].from] + g->link[l].output];
        s->outputs[s->schedule->cluster[g->link[l].from]] += !*is;
        *is = true;
    }
done:
    YK_FREE(first, seen);
    return status;
}

/* ---- which are late ------------------------------------------------------ */

static double score_of(const late_search *s, int c)
{
    const int outputs = s->outputs[c] > 0 ? s->outputs[c] : 1;

    return s->gone[c] ? -1.0 : (double)s->ins[c] * s->outs[c] / outputs;
}

static bool before(const late_search *s, int a, int b)
{
    return s->score[a] > s->score[b] || (s->score[a] == s->score[b] && a < b);
}

static void sink(late_search *s, int size, int at)
{
    for (;;) {
        int best = at;
        for (int child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < size && before(s, s->heap[child], s->heap[best]))
                best = child;
        if (best == at) return;
        const int c = s->heap[at];
        s->heap[at] = s->heap[best];
        s->heap[best] = c;
        at = best;
    }
}

/* Removes cluster c and all that are in no loop then. */
static void drop(late_search *s, int c)
{
    int held = 0;

    s->gone[c] = true;
    s->stack[held++] = c;
    while (held > 0) {
        const int at = s->stack[--held];
        for (int side = 0; side < 2; side++) {
            const int *first = side ? s->first_in : s->first_out;
            const int *other = side ? s->in : s->out;
            int *count = side ? s->outs : s->ins;
            for (int k = first[at]; k < first[at + 1]; k++) {
                const int to = other[k];
                if (s->gone[to] || --count[to] > 0) continue;
                s->gone[to] = true;
                s->stack[held++] = to;
            }
        }
    }
}

/* Scores only fall, so the top of the heap is final once it is up to date. */
static void choose_late(late_search *s)
{
    const int n = s->schedule->clusters;
    int size = n;

    for (int c = 0; c < n; c++) {
        s->ins[c] = s->first_in[c + 1] - s->first_in[c];
        s->outs[c] = s->first_out[c + 1] - s->first_out[c];
    }
    for (int c = 0; c < n; c++)
        if (!s->gone[c] && (s->ins[c] == 0 || s->outs[c] == 0)) drop(s, c);
    for (int c = 0; c < n; c++) {
        s->heap[c] = c;
        s->score[c] = score_of(s, c);
    }
    for (int k = n / 2; k >= 0; k--) sink(s, n, k);
    while (size > 0) {
        const int c = s->heap[0];
        const double now = score_of(s, c);
        if (now == s->score[c] && now > 0.0) {
            s->late[c] = true;
            drop(s, c);
        }
        s->score[c] = score_of(s, c);
        if (s->score[c] < 0.0) s->heap[0] = s->heap[--size];
        sink(s, size, 0);
    }
}

/* ---- the order ----------------------------------------------------------- */

/* Places: loop by loop, those that are not late each after what it reads, then
 * the late ones; otherwise as they are in the schedule. */
static void place_all(late_search *s, const int *running, int loops, int *order)
{
    const int n = s->schedule->clusters;
    int next = 0, done = 0, *begin = s->heap; /* of each loop; reused */

    for (int c = 0; c < n; c++) {
        s->ins[c] = 0;
        for (int k = s->first_in[c]; k < s->first_in[c + 1]; k++)
            s->ins[c] += !s->late[c] && !s->late[s->in[k]];
    }
    /* Kahn's algorithm over all loops at once, into stack. */
    for (int k = 0; k < n; k++)
        if (s->ins[running[k]] == 0 && !s->late[running[k]])
            s->stack[next++] = running[k];
    while (done < next) {
        const int c = s->stack[done++];
        for (int k = s->first_out[c]; k < s->first_out[c + 1]; k++)
            if (!s->late[s->out[k]] && --s->ins[s->out[k]] == 0)
                s->stack[next++] = s->out[k];
    }
    for (int k = 0; k < n; k++)
        if (s->late[running[k]]) s->stack[next++] = running[k];
    for (int k = 0; k <= loops; k++) begin[k] = 0;
    for (int c = 0; c < n; c++) begin[s->loop[c] + 1]++;
    for (int k = 0; k < loops; k++) begin[k + 1] += begin[k];
    for (int k = 0; k < n; k++)
        order[begin[s->loop[s->stack[k]]]++] = s->stack[k];
}

static yoke_status make_room(late_search *s, yoke_err *err)
{
    const size_t n = (size_t)s->schedule->clusters;

    YK_TRY(YK_INTS(n + 2, err, &s->loop, &s->ins, &s->outs, &s->outputs,
                   &s->heap, &s->stack));
    YK_TRY(yk_doubles(&s->score, n, err));
    YK_TRY(YK_NEW(&s->gone, n, err));
    return YK_NEW(&s->late, n, err);
}

yoke_status yk_schedule_few_late(const yoke_graph *graph,
                                 const yoke_schedule *schedule, int *order,
                                 int *now, int *late, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int n = schedule->clusters;
    late_search s = { .graph = graph, .schedule = schedule };
    int loops = 0, *place = NULL;

    YK_GO(make_room(&s, err));
    YK_GO(yk_ints(&place, (size_t)n, err));
    for (int k = 0; k < n; k++) place[schedule->member[k]] = k;
    YK_GO(count_late(graph, schedule, place, now, err));
    YK_GO(yk_schedule_loops(graph, schedule, s.loop, &loops, err));
    YK_GO(list_arrows(&s, err));
    YK_GO(sort_arrows(&s, err));
    YK_GO(count_outputs(&s, err));
    choose_late(&s);
    place_all(&s, schedule->member, loops, order);
    for (int k = 0; k < n; k++) place[order[k]] = k;
    YK_GO(count_late(graph, schedule, place, late, err));
done:
    search_clear(&s);
    yk_free(place);
    return status;
}

yoke_status yk_schedule_count_late(const yoke_graph *graph,
                                   const yoke_schedule *schedule,
                                   const int *order, int *count, yoke_err *err)
{
    int *place = NULL;

    YK_TRY(yk_ints(&place, (size_t)schedule->clusters, err));
    for (int k = 0; k < schedule->clusters; k++) place[order[k]] = k;
    const yoke_status status = count_late(graph, schedule, place, count, err);
    yk_free(place);
    return status;
}
