/* file/rates.c -- derivatives of signals, from one subsystem to another.
 *
 * A model that reads der(u) gets it in the best way there is.  Where u comes
 * from models that can differentiate their equations the derivative is one more
 * signal: with u = K y also u.v = K y.v and u.a = K y.a, as accurate as u.  Which
 * outputs are asked for is known only when all couplings have been read, so the
 * file is then read once more with the list of these wishes; the new outputs may
 * need derivatives of other inputs, and so on.  A computed signal (computed.c) that
 * has no jumps delivers if all do that it reads.  What nobody can deliver stays
 * an unknown of the model, d/dt u - d = 0.
 */
#include "file/reader.h"
#include "graph/graph.h"
#include "sys/system.h"

#include <stdio.h>
#include <string.h>

/* Each pass reads all models again; a chain of models that pass derivatives on
 * is as long as there are passes. */
enum { MOST_PASSES = 6 };

static const char *const tail[] = { ".v", ".a" };
enum { LEVELS = sizeof tail / sizeof *tail };

void yk_file_rates_clear(yk_file_rates *all)
{
    for (int i = 0; i < all->count; i++)
        YK_FREE(all->at[i].part, all->at[i].port);
    yk_free(all->at);
    *all = (yk_file_rates){ 0 };
}

static yoke_status put(yk_file_rates *all, const char *part, const char *port,
                       int order, bool input, yoke_err *err)
{
    for (int i = 0; i < all->count; i++) {
        yk_file_rate *w = &all->at[i];
        if (w->input != input || strcmp(w->part, part) != 0 ||
            strcmp(w->port, port) != 0)
            continue;
        all->changed = all->changed || order > w->order;
        if (order > w->order) w->order = order;
        return YOKE_OK;
    }
    YK_TRY(YK_GROW(&all->at, &all->room, all->count + 1, err));
    yk_file_rate *w = &all->at[all->count];
    *w = (yk_file_rate){ .order = order, .input = input };
    YK_TRY(yk_copy_text(&w->part, part, err));
    all->count++;
    all->changed = true;
    return yk_copy_text(&w->port, port, err);
}

yoke_status yk_file_uses_rate(yk_reader *r, const char *part, const char *input,
                              int order, yoke_err *err)
{
    return put(&r->uses, part, input, order, true, err);
}

/* ---- who can deliver ----------------------------------------------------- */

static bool is_able(const yk_reader *r, const char *part)
{
    for (int i = 0; i < r->file->facts.parts; i++)
        if (strcmp(r->file->facts.part[i].name, part) == 0)
            return r->file->facts.part[i].rates;
    return false;
}

static bool has_output(const yoke_system *s, const char *output, int order)
{
    const yoke_system_info *f = yoke_system_facts(s);
    char name[YK_FILE_PORT];

    snprintf(name, sizeof name, "%.200s%s", output, tail[order - 1]);
    return yk_texts_find(f->y_name, f->p, name) >= 0;
}

static bool is_constant(const yoke_graph *g, int node)
{
    return g->constant == node + 1;
}

/* Does every source of the input deliver its derivatives, or could it?  -1: of
 * any input of the node. */
static bool can_follow(const yk_reader *r, const yoke_graph *g, int node,
                       int input, int order)
{
    int sources = 0;

    if (order > LEVELS) return false;
    for (int l = 0; l < g->links; l++) {
        const yoke_link *link = &g->link[l];
        if (link->to != node || (input >= 0 && link->input != input)) continue;
        sources++;
        if (is_constant(g, link->from)) continue;
        if (yoke_graph_delay_of(g, l).time > 0.0) return false;
        const yoke_system *from = g->node[link->from].system;
        if (is_able(r, yoke_system_name(from)) ||
            has_output(from, yoke_system_facts(from)->y_name[link->output],
                       order))
            continue;
        if (!yk_file_is_smooth_formula(from) ||
            !can_follow(r, g, link->from, -1, order))
            return false;
    }
    return sources > 0 || input < 0;
}

static yoke_status ask_sources(yk_reader *r, const yoke_graph *g, int node,
                               int input, int order, yoke_err *err)
{
    for (int l = 0; l < g->links; l++) {
        const yoke_link *link = &g->link[l];
        if (link->to != node || (input >= 0 && link->input != input)) continue;
        const yoke_system *from = g->node[link->from].system;
        const char *name = yoke_system_name(from);
        const char *output = yoke_system_facts(from)->y_name[link->output];
        if (yk_file_is_smooth_formula(from) &&
            !has_output(from, output, order)) {
            YK_TRY(put(&r->rates, name, output, order, false, err));
            YK_TRY(ask_sources(r, g, link->from, -1, order, err));
        }
        if (is_able(r, name))
            YK_TRY(yk_file_want_rate(r, name, output, order, err));
    }
    return YOKE_OK;
}

yoke_status yk_file_want_rate(yk_reader *r, const char *part,
                              const char *output, int order, yoke_err *err)
{
    const int node = yoke_graph_find(yoke_model_graph(r->file->model), part);
    const yoke_system *s =
        node < 0 ? NULL
                 : yoke_graph_system(yoke_model_graph(r->file->model), node);

    if (!s || r->rates.refused || !is_able(r, part)) return YOKE_OK;
    if (has_output(s, output, order)) return YOKE_OK;
    return put(&r->rates, part, output, order, false, err);
}

/* ---- after the couplings ------------------------------------------------- */

/* The input that is meant, if its derivatives can be delivered; or -1. */
static int find_input(const yk_reader *r, const yoke_graph *g,
                      const yk_file_rate *use, int *node)
{
    *node = yoke_graph_find(g, use->part);
    if (*node < 0) return -1;
    const yoke_system_info *f = yoke_system_facts(g->node[*node].system);
    const int input = yk_texts_find(f->u_name, f->m, use->port);
    return input >= 0 && can_follow(r, g, *node, input, use->order) ? input
                                                                    : -1;
}

static bool is_same_array(const yk_file_rate *a, const yk_file_rate *b)
{
    const size_t length = strcspn(a->port, "[");

    return strcmp(a->part, b->part) == 0 &&
           strncmp(a->port, b->port, length + 1) == 0;
}

/* The derivative of an array is delivered as a whole. */
static bool all_follow(const yk_reader *r, const yoke_graph *g,
                       const yk_file_rate *use)
{
    int node;

    for (int i = 0; i < r->uses.count; i++)
        if (is_same_array(use, &r->uses.at[i]) &&
            find_input(r, g, &r->uses.at[i], &node) < 0)
            return false;
    return true;
}

static yoke_status ask(yk_reader *r, const yoke_graph *g, yoke_err *err)
{
    for (int i = 0; i < r->uses.count; i++) {
        const yk_file_rate *use = &r->uses.at[i];
        int node;
        const int input = find_input(r, g, use, &node);
        if (input < 0 || !all_follow(r, g, use)) continue;
        YK_TRY(ask_sources(r, g, node, input, use->order, err));
        YK_TRY(put(&r->rates, use->part, use->port, use->order, true, err));
    }
    return YOKE_OK;
}

/* The input that has a derivative of an input: "u.v", or "u.v[2]" of an array. */
static void rate_input(const yoke_system *s, const char *port, int level,
                       char name[YK_FILE_PORT])
{
    const yoke_system_info *f = yoke_system_facts(s);
    const char *open = strrchr(port, '[');

    snprintf(name, YK_FILE_PORT, "%.200s%s", port, tail[level]);
    if (!open || yk_texts_find(f->u_name, f->m, name) >= 0) return;
    snprintf(name, YK_FILE_PORT, "%.*s%s%.40s", (int)(open - port), port,
             tail[level], open);
}

/* u.v = sum K y.v for what u = sum K y. */
static yoke_status connect_level(yoke_graph *g, const yk_file_rate *rate,
                                 int node, int input, int level, yoke_err *err)
{
    char to[2 * YK_FILE_PORT], from[2 * YK_FILE_PORT], name[YK_FILE_PORT];
    const int links = g->links;
    bool any = false;

    rate_input(g->node[node].system, rate->port, level, name);
    snprintf(to, sizeof to, "%.200s.%s", rate->part, name);
    for (int l = 0; l < links; l++) {
        const yoke_link link = g->link[l];
        if (link.to != node || link.input != input) continue;
        if (is_constant(g, link.from)) continue;
        const yoke_system *s = g->node[link.from].system;
        snprintf(from, sizeof from, "%.200s.%.200s%s", yoke_system_name(s),
                 yoke_system_facts(s)->y_name[link.output], tail[level]);
        YK_TRY(yoke_graph_signal(g, to, from, link.weight, err));
        any = true;
    }
    return any ? YOKE_OK : yoke_graph_constant(g, to, 0.0, err);
}

static yoke_status connect_rates(yk_reader *r, yoke_graph *g, yoke_err *err)
{
    for (int i = 0; i < r->rates.count; i++) {
        const yk_file_rate *rate = &r->rates.at[i];
        const int node = rate->input ? yoke_graph_find(g, rate->part) : -1;
        if (node < 0) continue;
        const yoke_system_info *f = yoke_system_facts(g->node[node].system);
        const int input = yk_texts_find(f->u_name, f->m, rate->port);
        for (int level = 0; input >= 0 && level < rate->order; level++)
            YK_TRY(connect_level(g, rate, node, input, level, err));
    }
    return YOKE_OK;
}

yoke_status yk_file_connect_rates(yk_reader *r, yoke_err *err)
{
    yoke_graph *g = yoke_model_graph(r->file->model);

    if (r->rates.refused) return YOKE_OK;
    r->rates.changed = false;
    YK_TRY(ask(r, g, err));
    return r->rates.changed ? YOKE_OK : connect_rates(r, g, err);
}

/* ---- the passes ---------------------------------------------------------- */

bool yk_file_reads_again(yk_reader *r, yoke_status status)
{
    yk_file_rates *all = &r->rates;
    const bool failed = status != YOKE_OK && all->passes > 0 && !all->changed;

    yk_file_rates_clear(&r->uses);
    if (all->refused || status == YOKE_E_MEMORY) return false;
    if (all->passes++ >= MOST_PASSES || failed) {
        if (all->count == 0 || all->demanded) return false;
        yk_file_rates_clear(all);
        all->refused = true;
        return true;
    }
    const bool again = all->changed;
    all->changed = false;
    return again;
}
