/* mpi/read.c -- a rank reads the subsystems that it solves, and of the others
 * their ports only.
 *
 * Which are its own is known when rank 0 has read and judged all, so that is when
 * it reads.  Rank 0 sends the ports of the others and the weights of all signals
 * (a conversion of units is one), and compares what came of it with what it has
 * itself.  What cannot be read in this way, because a subsystem depends on what
 * another one is made of, is read whole.  Units that are merged in the run may
 * need subsystems that were elsewhere: then there is one more reading, with a graph
 * of its own.  A run that can be saved reads the whole in each rank, so that it can
 * go on with any units in any processes.
 */
#include "mpi/ranks.h"

#include "base/base.h"
#include "base/image.h"
#include "graph/graph.h"
#include "sys/system.h"
#include "yoke/file.h"

#include <stdio.h>
#include <string.h>

typedef struct yk_read_list {
    int nodes;
    int *last; /* of each slot: how often it has read */
    int *
        number; /* of each slot and node: of the reading that has it, from 1 on;
                    0: none has */
} yk_read_list;

/* ---- what was read, as numbers ------------------------------------------- */

static unsigned long mix(unsigned long hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * 1099511628211ul; /* Fowler, Noll, Vo */
    return hash;
}

static const unsigned long begin = 14695981039346656037ul;

/* 0: it is elsewhere. */
static unsigned long print_node(const yoke_graph *graph, int node)
{
    const yoke_system *s = yoke_graph_system(graph, node);
    const yoke_system_info *f = yoke_system_facts(s);
    const yoke_pattern *const pattern[] = { f->C,  f->G,  f->Cu,
                                            f->Gu, f->Hx, f->Hu };
    const int size[] = { f->n, f->m, f->p, f->events, (int)f->flags };
    unsigned long hash = begin;

    if (yk_system_is_absent(s)) return 0;
    hash = mix(hash, yoke_system_name(s), strlen(yoke_system_name(s)));
    hash = mix(hash, size, sizeof size);
    hash = mix(hash, f->x0, (size_t)f->n * sizeof *f->x0);
    for (int k = 0; k < 6; k++) {
        const int count = yoke_pattern_count(pattern[k]);
        hash = mix(hash, pattern[k]->row, (size_t)count * sizeof(int));
    }
    return hash | 1ul;
}

static unsigned long print_links(const yoke_graph *graph)
{
    unsigned long hash = begin;

    for (int l = 0; l < graph->links; l++) {
        const yoke_link *k = &graph->link[l];
        const int end[] = { k->to, k->input, k->from, k->output };
        const double delay = yoke_graph_delay_of(graph, l).time;
        hash = mix(hash, end, sizeof end);
        hash = mix(hash, &delay, sizeof delay);
    }
    return hash;
}

unsigned long yk_read_print(const yoke_graph *graph)
{
    unsigned long hash = print_links(graph);

    for (int l = 0; l < graph->links; l++)
        hash = mix(hash, &graph->link[l].weight, sizeof(double));
    for (int i = 0; i < graph->nodes; i++) {
        const unsigned long node = print_node(graph, i);
        hash = mix(hash, &node, sizeof node);
    }
    return hash;
}

/* ---- rank 0 -------------------------------------------------------------- */

void yk_read_free(yk_ranks *r)
{
    yk_read_list *l = r->kept ? r->kept->read : NULL;

    if (!l) return;
    YK_FREE(l->last, l->number, l);
    r->kept->read = NULL;
}

static yoke_status make_list(yk_kept *k, int nodes, yoke_err *err)
{
    const size_t slots = (size_t)k->slots;

    if (k->read) return YOKE_OK;
    YK_TRY(YK_NEW(&k->read, 1, err));
    k->read->nodes = nodes;
    YK_TRY(yk_ints(&k->read->last, slots, err));
    return yk_ints(&k->read->number, slots * (size_t)nodes, err);
}

static int *numbers(const yk_kept *k, int slot)
{
    return k->read->number + (size_t)slot * (size_t)k->read->nodes;
}

/* What a rank is to read: its part of the nodes. */
typedef struct need {
    const yoke_graph *graph;
    const int *rank, *unit; /* of each node */
    int *of_unit;           /* scratch: the reading that has it, -1: several */
    bool *wanted;           /* of each node, by the rank that is looked at */
    bool whole;             /* everything, wherever it is */
} need;

/* A unit comes from one reading. */
static bool find_wanted(const yk_kept *k, need *n, int slot)
{
    const int *number = numbers(k, slot), nodes = k->read->nodes;
    bool any = false;

    for (int i = 0; i < nodes; i++) n->of_unit[n->unit[i]] = 0;
    for (int i = 0; i < nodes; i++) {
        int *of = &n->of_unit[n->unit[i]];
        if (*of == 0) *of = number[i];
        if (number[i] == 0 || number[i] != *of) *of = -1;
    }
    for (int i = 0; i < nodes; i++) {
        n->wanted[i] = n->whole
                           ? number[i] == 0
                           : n->rank[i] == slot && n->of_unit[n->unit[i]] <= 0;
        any = any || n->wanted[i];
    }
    return any;
}

static void put_ports(yk_bytes *out, const yoke_system *s)
{
    const yoke_system_info *f = yoke_system_facts(s);

    yk_bytes_put_text(out, yoke_system_name(s));
    yk_bytes_put_int(out, f->m);
    yk_bytes_put_int(out, f->p);
    for (int k = 0; k < f->m; k++) yk_bytes_put_text(out, f->u_name[k]);
    for (int k = 0; k < f->p; k++) yk_bytes_put_text(out, f->y_name[k]);
}

static yoke_status post(yk_ranks *r, const need *n, yk_mail *mail,
                        yoke_err *err)
{
    const yoke_graph *g = n->graph;
    yk_bytes *out = &r->out;
    int names = 0;

    yk_bytes_clear(out);
    yk_ranks_head(out, YK_MAIL_READ, mail->handle);
    for (int i = 0; i < g->nodes; i++) {
        const yoke_system_info *f = yoke_system_facts(yoke_graph_system(g, i));
        if (!n->wanted[i]) names += f->m + f->p;
    }
    yk_bytes_put_int(out, g->nodes);
    yk_bytes_put_int(out, names);
    for (int i = 0; i < g->nodes; i++) {
        const bool here = n->wanted[i];
        yk_bytes_put_int(out, here);
        if (!here) put_ports(out, yoke_graph_system(g, i));
    }
    yk_bytes_put_int(out, g->links);
    for (int l = 0; l < g->links; l++)
        yk_bytes_put_double(out, g->link[l].weight);
    return yk_ranks_post(r, mail, out, err);
}

/* A file that has other contents here, or NULL. */
static const char *find_other_file(yk_bytes *in)
{
    const yk_seen *here = yk_seen_list();
    const int files = yk_bytes_get_int(in);
    const char *other = NULL;

    for (int i = 0; i < files && in->status == YOKE_OK; i++) {
        const char *path = yk_bytes_get_text(in);
        const char *digest = yk_bytes_get_text(in);
        if (!other && here && yk_seen_differs(here, path, digest)) other = path;
    }
    return other;
}

/* Is everything that was wanted there, and as it is here? */
static bool is_same(yk_kept *k, need *n, int slot, yk_bytes *in)
{
    const yoke_graph *g = n->graph;
    const int last = ++k->read->last[slot];
    int *number = numbers(k, slot);
    unsigned long links = 0, print = 0;
    bool same = true;

    find_wanted(k, n, slot);
    yk_bytes_get(in, &links, sizeof links);
    if (yk_bytes_get_int(in) != g->nodes || links != print_links(g))
        return false;
    for (int i = 0; i < g->nodes; i++) {
        yk_bytes_get(in, &print, sizeof print);
        if (print && print == print_node(g, i))
            number[i] = last;
        else
            same = same && !n->wanted[i];
    }
    return same && in->status == YOKE_OK;
}

/* why: what the first reading that was not right says. */
static yoke_status await(yk_ranks *r, need *n, yk_mail *mail, char *why,
                         size_t room, bool *same, yoke_err *err)
{
    yk_bytes *in = &mail->content;

    YK_TRY(yk_ranks_await(r, mail, err));
    const yoke_status status = (yoke_status)yk_bytes_get_int(in);
    const char *text = yk_bytes_get_text(in);
    const char *other = find_other_file(in);
    *same = status == YOKE_OK && !other && is_same(r->kept, n, mail->rank, in);
    if (!*same && !why[0] && status != YOKE_OK) snprintf(why, room, "%s", text);
    if (!*same && !why[0])
        snprintf(why, room, "it has read another system: %s",
                 other ? other : "its files differ");
    if (*same || !n->whole) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "rank %d on %s: %s; every rank reads the system and its "
                   "files, by the same names",
                   mail->rank, yk_link_host(r->kept->home[mail->rank]), why);
}

/* Those that cannot read their part alone read the whole. */
static yoke_status read_all(yk_ranks *r, need *n, yk_mail *mail, yoke_err *err)
{
    const int slots = r->kept->slots;
    bool same = false;

    for (int i = 1; i < slots; i++) {
        if (!find_wanted(r->kept, n, i)) continue;
        mail[i].rank = i;
        YK_TRY(yk_ranks_open_mail(r, &mail[i], err));
        YK_TRY(post(r, n, &mail[i], err));
    }
    yk_link_flush();
    const bool whole = n->whole;
    for (int i = 1; i < slots; i++) {
        char why[1000] = "";
        if (!mail[i].rank) continue;
        n->whole = whole;
        YK_TRY(await(r, n, &mail[i], why, sizeof why, &same, err));
        if (same) continue;
        n->whole = true;
        (void)find_wanted(r->kept, n, i);
        YK_TRY(post(r, n, &mail[i], err));
        YK_TRY(await(r, n, &mail[i], why, sizeof why, &same, err));
    }
    return YOKE_OK;
}

yoke_status yk_read_need(yk_ranks *r, const yoke_graph *graph, const int *rank,
                         const int *unit, yoke_err *err)
{
    const size_t nodes = (size_t)graph->nodes;
    yoke_status status = YOKE_OK;
    yk_mail *mail = NULL;
    need n = {
        .graph = graph, .rank = rank, .unit = unit, .whole = yk_image_on()
    };

    YK_GO(make_list(r->kept, graph->nodes, err));
    YK_GO(YK_NEW(&mail, r->kept->slots, err));
    YK_GO(YK_NEW(&n.wanted, nodes + 1, err));
    YK_GO(yk_ints(&n.of_unit, nodes + 1, err));
    status = read_all(r, &n, mail, err);
done:
    for (int i = 1; mail && i < r->kept->slots; i++)
        if (mail[i].rank) yk_ranks_close_mail(r, &mail[i]);
    YK_FREE(mail, n.wanted, n.of_unit);
    return status;
}

void yk_read_put(const yk_ranks *r, const yoke_graph *graph, int rank,
                 int nodes, const int *node, yk_bytes *out)
{
    yk_bytes_put_int(out, numbers(r->kept, rank)[node[0]]);
    yk_bytes_put_int(out, nodes);
    for (int k = 0; k < nodes; k++) {
        const yoke_system *s = yoke_graph_system(graph, node[k]);
        const int n = yoke_system_facts(s)->n;
        yk_bytes_put_int(out, node[k]);
        yk_bytes_put_int(out, s->weight ? n : -1);
        yk_bytes_put_doubles(out, s->weight, s->weight ? n : 0);
    }
}

/* ---- the others ---------------------------------------------------------- */

static yoke_status take_weights(yoke_system *s, yk_bytes *in, yoke_err *err)
{
    const int n = yoke_system_facts(s)->n, count = yk_bytes_get_int(in);
    double *weight = NULL;

    if (count < 0) return yk_system_put_weights(s, NULL, err);
    if (count != n)
        return yk_fail(err, YOKE_E_CALLBACK, "\"%.100s\" has other unknowns",
                       yoke_system_name(s));
    YK_TRY(yk_doubles(&weight, (size_t)n + 1, err));
    yk_bytes_get_doubles(in, weight, n);
    const yoke_status status = yk_system_put_weights(s, weight, err);
    yk_free(weight);
    return status;
}

yoke_status yk_read_take(const yk_tenant *t, yk_bytes *in,
                         const yoke_graph **graph, yoke_err *err)
{
    const int number = yk_bytes_get_int(in), nodes = yk_bytes_get_int(in);

    if (number < 1 || number > t->graphs)
        return yk_fail(err, YOKE_E_CALLBACK, "a part was not read");
    *graph = t->graph[number - 1];
    for (int k = 0; k < nodes; k++) {
        const int node = yk_bytes_get_int(in);
        YK_TRY(yk_bytes_check(in, err));
        if (node < 0 || node >= yoke_graph_count(*graph))
            return yk_fail(err, YOKE_E_CALLBACK, "a part is not there");
        YK_TRY(take_weights(yoke_graph_system(*graph, node), in, err));
    }
    return yk_bytes_check(in, err);
}

/* Names stay in the message. */
static yoke_status get_parts(yk_bytes *in, int nodes, yoke_file_absent *absent,
                             const char **name, int names, yoke_err *err)
{
    for (int i = 0, at = 0; i < nodes; i++) {
        if (yk_bytes_get_int(in)) continue;
        yoke_file_absent *a = &absent[i];
        a->name = yk_bytes_get_text(in);
        a->m = yk_bytes_get_int(in);
        a->p = yk_bytes_get_int(in);
        YK_TRY(yk_bytes_check(in, err));
        if (a->m < 0 || a->p < 0 || a->m > names - at ||
            a->p > names - at - a->m)
            return yk_fail(err, YOKE_E_CALLBACK, "a message is damaged");
        a->u_name = name + at;
        a->y_name = name + at + a->m;
        for (int k = 0; k < a->m + a->p; k++)
            name[at++] = yk_bytes_get_text(in);
    }
    return yk_bytes_check(in, err);
}

static void take_links(yoke_graph *g, yk_bytes *in)
{
    const int links = yk_bytes_get_int(in);

    for (int l = 0; l < links && links == g->links; l++)
        g->link[l].weight = yk_bytes_get_double(in);
}

static yoke_status read_parts(yk_tenants *t, yk_tenant *one, yk_bytes *in,
                              yoke_graph **graph, yoke_err *err)
{
    const int nodes = yk_bytes_get_int(in), names = yk_bytes_get_int(in);
    yoke_status status = yk_bytes_check(in, err);
    yoke_file_absent *absent = NULL;
    const char **name = NULL;
    char why[1000] = "";

    if (status != YOKE_OK) return status;
    YK_GO(YK_NEW(&absent, nodes + 1, err));
    YK_GO(YK_NEW(&name, names + 1, err));
    YK_GO(get_parts(in, nodes, absent, name, names, err));
    yoke_model *model = t->read(t->reader, nodes, absent, why, sizeof why);
    if (!model) YK_GO(yk_fail(err, YOKE_E_FILE, "%s", why));
    *graph = yoke_model_graph(model);
    take_links(*graph, in);
    YK_GO(yk_grow((void **)&one->graph, &one->graph_room,
                  (size_t)one->graphs + 1, sizeof *one->graph, err));
    one->graph[one->graphs++] = *graph;
done:
    YK_FREE(absent, name);
    return status;
}

static void put_files(const yk_seen *files, yk_bytes *out)
{
    yk_bytes_put_int(out, (int)files->count);
    for (size_t i = 0; i < files->count; i++) {
        yk_bytes_put_text(out, files->file[i].path);
        yk_bytes_put_text(out, files->file[i].digest);
    }
}

void yk_read_serve(yk_tenants *t, yk_tenant *one, yk_bytes *in, yk_bytes *out)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_graph *graph = NULL;
    yk_seen files = { 0 };

    yk_seen *before = yk_seen_list();
    yk_seen_watch(&files);
    const yoke_status status = read_parts(t, one, in, &graph, &err);
    yk_seen_watch(before);

    yk_bytes_put_int(out, status);
    yk_bytes_put_text(out, err.text);
    put_files(&files, out);
    yk_seen_clear(&files);
    if (status != YOKE_OK) return;
    const unsigned long links = print_links(graph);
    yk_bytes_put(out, &links, sizeof links);
    yk_bytes_put_int(out, graph->nodes);
    for (int i = 0; i < graph->nodes; i++) {
        const unsigned long print = print_node(graph, i);
        yk_bytes_put(out, &print, sizeof print);
    }
}
