/* comp/netlist/cut/partition.c -- cells, their directions, and parts. */
#include "comp/netlist/cut/cutter.h"
#include "base/texts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

yk_partition_options yk_partition_defaults(void)
{
    return (yk_partition_options){
        .cut = YK_CUT_NONE,
        .step = 1e-9,
        .loop = 200,
        .size = 1,
        .depth = 1,
    };
}

/* ---- cells --------------------------------------------------------------- */

static yoke_status number_cells(yk_cutter *k, yoke_err *err)
{
    yk_arena *arena = &k->c->net->arena;
    const int variables = k->c->variables;

    YK_TRY(YK_TAKE(arena, &k->cell, variables + 1, err));
    k->cells = 0;
    for (int v = 0; v < variables; v++) k->cell[v] = -1;
    for (int v = 1; v < variables; v++)
        if (yk_cutter_owns(k, v)) {
            const int r = yk_cutter_root(k, v);
            if (k->cell[r] < 0) k->cell[r] = k->cells++;
            k->cell[v] = k->cell[r];
        }
    YK_TRY(YK_TAKE(arena, &k->weight, k->cells + 1, err));
    for (int v = 1; v < variables; v++)
        if (k->cell[v] >= 0) k->weight[k->cell[v]]++;
    return YOKE_OK;
}

static void part_all(yk_cutter *k)
{
    for (int v = 0; v < k->c->variables; v++) k->up[v] = v;
}

/* What can never be apart, and the cells, which steppers get. */
static yoke_status make_cells(yk_cutter *k, yk_partition *out, yoke_err *err)
{
    yk_circuit *c = k->c;

    YK_TRY(YK_TAKE(&c->net->arena, &k->up, c->variables + 1, err));
    YK_TRY(YK_TAKE(&c->net->arena, &k->total, c->nodes + 1, err));
    part_all(k);
    yk_cutter_join_hard(k);
    YK_TRY(number_cells(k, err));
    out->hard = k->cell;
    if (k->o->cut == YK_CUT_HIERARCHY) YK_TRY(yk_cutter_join_instances(k, err));
    yk_cutter_join_strong(k);
    YK_TRY(number_cells(k, err));
    out->cell = k->cell;
    out->cells = k->cells;
    return YOKE_OK;
}

/* Puts cells together as the user or METIS has it; loops are not looked at. */
static yoke_status make_given(yk_cutter *k, yoke_err *err)
{
    int loops = 0;

    if (k->o->cut == YK_CUT_AUTO) {
        YK_TRY(yk_cutter_gather(k, err));
    } else {
        part_all(k);
        if (k->o->cut == YK_CUT_HAND) {
            YK_TRY(yk_cutter_join_hand(k, err));
        } else {
            yk_cutter_join_hard(k);
            yk_cutter_join_all(k);
        }
        YK_TRY(number_cells(k, err));
    }
    k->edges = 0;
    YK_TRY(yk_cutter_edges(k, err));
    return yk_cutter_order(k, 0, 1, &loops, err);
}

/* ---- parts --------------------------------------------------------------- */

/* Lists from `part`. */
static yoke_status make_lists(yk_circuit *c, yk_partition *out, yoke_err *err)
{
    yk_arena *arena = &c->net->arena;

    YK_TRY(YK_TAKE(arena, &out->first, out->parts + 2, err));
    YK_TRY(YK_TAKE(arena, &out->owned, out->parts + 1, err));
    for (int v = 0; v < c->variables; v++)
        if (out->part[v] >= 0) out->owned[out->part[v]]++;
    for (int p = 0; p < out->parts; p++)
        out->first[p + 1] = out->first[p] + out->owned[p];
    YK_TRY(YK_TAKE(arena, &out->list, out->first[out->parts] + 1, err));
    for (int v = 0; v < c->variables; v++)
        if (out->part[v] >= 0) out->list[out->first[out->part[v]]++] = v;
    for (int p = out->parts; p > 0; p--) out->first[p] = out->first[p - 1];
    out->first[0] = 0;
    return YOKE_OK;
}

/* The instance, down to the depth of parts, that a variable is inside of, or 0:
 * the one whose name is the longest in front of the variable's. */
static int instance_of(const yk_cutter *k, int v)
{
    const yk_netlist *net = k->c->net;
    const char *name = k->c->name[v];
    int best = 0;
    size_t longest = 0;

    /* "v(x1.n)", "i(l.x1.l1)", "v(d.x1.d1#...)" */
    const char *at = strchr(name, '(') ? strchr(name, '(') + 1 : name;
    if (v >= net->nodes && at[0] && at[1] == '.') at += 2;
    for (int i = 1; i < net->instances; i++) {
        const char *own = net->instance[i].name;
        const size_t length = strlen(own);
        int depth = 0;
        if (length <= longest || strncmp(at, own, length) != 0 ||
            at[length] != '.')
            continue;
        for (int a = i; a; a = net->instance[a].parent) depth++;
        if (depth > k->o->depth) continue;
        best = i;
        longest = length;
    }
    return best;
}

/* "x1_x2" of the first instance that has a variable in part p; NULL: there is
 * none, or it gave its name to another part. */
static yoke_status name_instance(const yk_cutter *k, const yk_partition *out,
                                 int p, char **name, yoke_err *err)
{
    enum { LOOKED_AT = 10 };
    yk_netlist *net = k->c->net;
    int at = 0;

    for (int j = out->first[p];
         at == 0 && j < out->first[p + 1] && j < out->first[p] + LOOKED_AT; j++)
        at = instance_of(k, out->list[j]);
    if (at == 0) return YOKE_OK;
    const size_t length = strlen(net->instance[at].name);
    char *text = NULL;
    YK_TRY(YK_TAKE(&net->arena, &text, length + 1, err));
    memcpy(text, net->instance[at].name, length + 1);
    for (char *dot = text; (dot = strchr(dot, '.'));) *dot = '_';
    if (yk_texts_find(out->name, p, text) < 0) *name = text;
    return YOKE_OK;
}

static yoke_status number_part(yk_netlist *net, int p, int parts,
                               const char **name, yoke_err *err)
{
    return yk_arena_print(&net->arena, name, err,
                          parts == 1 ? "circuit" : "part%d", p + 1);
}

/* Names of instances are looked for as long as that is cheap. */
static bool has_names(const yk_cutter *k, const yk_partition *out)
{
    static const double cheap = 1e6;

    return k->o->cut == YK_CUT_HIERARCHY &&
           (double)out->parts * (out->parts + k->c->net->instances) < cheap;
}

/* The part of the first variable that a line gave one. */
static const char *hand_name(const yk_cutter *k, const yk_partition *out, int p)
{
    int part = -1;

    for (int j = out->first[p]; part < 0 && j < out->first[p + 1]; j++)
        if (out->list[j] < k->c->net->nodes) part = k->o->hand[out->list[j]];
    return part < 0 ? "rest" : k->o->name[part];
}

static yoke_status name_part(const yk_cutter *k, yk_partition *out, int p,
                             yoke_err *err)
{
    char *text = NULL;

    if (k->o->cut == YK_CUT_HAND && k->o->names > 0) {
        out->name[p] = hand_name(k, out, p);
        if (yk_texts_find(out->name, p, out->name[p]) < 0) return YOKE_OK;
    }
    if (has_names(k, out)) YK_TRY(name_instance(k, out, p, &text, err));
    if (!text) return number_part(k->c->net, p, out->parts, &out->name[p], err);
    out->name[p] = text;
    return YOKE_OK;
}

static yoke_status make_parts(yk_cutter *k, yk_partition *out, yoke_err *err)
{
    yk_circuit *c = k->c;
    yk_arena *arena = &c->net->arena;

    out->parts = k->groups;
    YK_TRY(YK_TAKE(arena, &out->part, c->variables + 1, err));
    for (int v = 0; v < c->variables; v++)
        out->part[v] = k->cell[v] >= 0 ? k->group[k->cell[v]] : -1;
    YK_TRY(make_lists(c, out, err));
    YK_TRY(YK_TAKE(arena, &out->name, out->parts + 1, err));
    for (int p = 0; p < out->parts; p++) YK_TRY(name_part(k, out, p, err));
    return YOKE_OK;
}

static yoke_status cut(yk_cutter *k, yk_partition *out, yoke_err *err)
{
    YK_TRY(make_cells(k, out, err));
    YK_TRY(yk_cutter_edges(k, err));
    YK_TRY(yk_cutter_order(k, k->o->loop, k->o->size, &out->loops, err));
    if (k->o->cut == YK_CUT_NONE) {
        for (int v = 0; v < k->cells; v++) k->group[v] = 0;
        k->groups = k->cells > 0;
    }
    if (k->o->cut >= YK_CUT_AUTO) YK_TRY(make_given(k, err));
    return make_parts(k, out, err);
}

yoke_status yk_circuit_cut(yk_circuit *circuit, const double *start,
                           const yk_partition_options *options,
                           yk_partition *out, yoke_err *err)
{
    yk_cutter k = { .c = circuit, .o = options, .start = start };

    *out = (yk_partition){ 0 };
    const yoke_status status = cut(&k, out, err);
    yk_free(k.edge);
    return status;
}

/* ---- changes ------------------------------------------------------------- */

yoke_status yk_partition_merge(yk_circuit *circuit, yk_partition *partition,
                               const int *group, int groups, yoke_err *err)
{
    yk_netlist *net = circuit->net;

    YK_TRY(YK_TAKE(&net->arena, &partition->name, groups + 1, err));
    for (int p = 0; p < groups; p++)
        YK_TRY(number_part(net, p, groups, &partition->name[p], err));
    for (int v = 0; v < circuit->variables; v++)
        if (partition->part[v] >= 0)
            partition->part[v] = group[partition->part[v]];
    partition->parts = groups;
    return make_lists(circuit, partition, err);
}

typedef struct layers {
    yk_circuit *c;
    const yk_partition *p;
    int *start, *member; /* variables of each hard group */
    int *mark;           /* of each variable: part + 1 that has it */
    int count, *list;    /* of the present part */
    int filled, *all;    /* lists of all parts so far */
    size_t room;
} layers;

static void layers_clear(layers *l)
{
    YK_FREE(l->start, l->member, l->mark, l->list, l->all);
}

static yoke_status layers_begin(layers *l, yoke_err *err)
{
    const int variables = l->c->variables, *hard = l->p->hard;
    const size_t room = (size_t)variables + 2;

    YK_TRY(yk_ints(&l->start, room, err)); /* at most one group for each */
    YK_TRY(YK_INTS(room, err, &l->member, &l->mark, &l->list));
    for (int v = 1; v < variables; v++)
        if (hard[v] >= 0) l->start[hard[v] + 1]++;
    for (int g = 0; g < variables; g++) l->start[g + 1] += l->start[g];
    for (int v = variables - 1; v > 0; v--)
        if (hard[v] >= 0) l->member[--l->start[hard[v] + 1]] = v;
    /* start[g + 1] is now the beginning of group g. */
    return YOKE_OK;
}

/* Everything that the list reads. */
static yoke_status add_layer(layers *l, int part, yoke_err *err)
{
    const yk_net_part_spec spec = { .count = l->count,
                                    .variable = l->list,
                                    .values = 2 * l->c->lines,
                                    .value = l->c->wave };
    yk_net_part *now = NULL;
    const int *foreign = NULL;

    YK_TRY(yk_net_part_create(&now, l->c, &spec, err));
    const int reads = yk_part_foreign(now, &foreign);
    for (int k = 0; k < reads; k++) {
        const int group = l->p->hard[foreign[k]];
        for (int j = l->start[group + 1];
             l->member[j] && l->p->hard[l->member[j]] == group; j++) {
            const int v = l->member[j];
            if (l->mark[v] == part + 1) continue;
            l->mark[v] = part + 1;
            l->list[l->count++] = v;
        }
    }
    yk_part_free(now);
    return YOKE_OK;
}

static yoke_status extend(layers *l, int part, int times, yoke_err *err)
{
    const yk_partition *p = l->p;

    l->count = p->owned[part];
    memcpy(l->list, p->list + p->first[part],
           (size_t)l->count * sizeof *l->list);
    for (int k = 0; k < l->count; k++) l->mark[l->list[k]] = part + 1;
    for (int k = 0, before = -1; k < times && before != l->count; k++) {
        before = l->count;
        YK_TRY(add_layer(l, part, err));
    }
    if (l->filled > INT_MAX - l->count - 1)
        return yk_fail(err, YOKE_E_ARG,
                       "overlap %d makes too many copies; take fewer layers",
                       times);
    YK_TRY(YK_GROW(&l->all, &l->room, (size_t)l->filled + (size_t)l->count + 1,
                   err));
    memcpy(l->all + l->filled, l->list, (size_t)l->count * sizeof *l->all);
    l->filled += l->count;
    return YOKE_OK;
}

yoke_status yk_partition_overlap(yk_circuit *circuit, yk_partition *partition,
                                 int times, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    layers l = { .c = circuit, .p = partition };
    yk_arena *arena = &circuit->net->arena;
    int *first = NULL, *list = NULL;

    if (partition->parts < 2 || times < 1) return YOKE_OK;
    YK_GO(YK_TAKE(arena, &first, partition->parts + 2, err));
    YK_GO(layers_begin(&l, err));
    for (int p = 0; p < partition->parts; p++) {
        YK_GO(extend(&l, p, times, err));
        first[p + 1] = l.filled;
    }
    YK_GO(YK_TAKE(arena, &list, l.filled + 1, err));
    memcpy(list, l.all, (size_t)l.filled * sizeof *list);
    partition->list = list;
    partition->first = first;
done:
    layers_clear(&l);
    return status;
}

/* ---- cut elements -------------------------------------------------------- */

typedef struct found {
    const yk_partition *p;
    int room, count, *part;
} found;

static void find_part(void *context, int variable)
{
    found *f = context;
    const int part = variable > 0 ? f->p->part[variable] : -1;
    int at = 0;

    if (part < 0) return;
    while (at < f->count && f->part[at] < part) at++;
    if (at == f->room || (at < f->count && f->part[at] == part)) return;
    if (f->count < f->room) f->count++;
    memmove(f->part + at + 1, f->part + at,
            (size_t)(f->count - 1 - at) * sizeof *f->part);
    f->part[at] = part;
}

int yk_partition_of(const yk_circuit *circuit, const yk_partition *partition,
                    int e, int room, int *part)
{
    found f = { .p = partition, .room = room, .part = part };

    yk_circuit_each(circuit, e, find_part, &f);
    return f.count;
}

typedef struct torn {
    const yk_partition *p;
    int first[YK_DEVICE_NODES + 8], count;
    bool tears;
} torn;

static void compare(void *context, int variable)
{
    torn *t = context;
    const int room = (int)(sizeof t->first / sizeof *t->first);

    if (variable <= 0 || t->p->part[variable] < 0) return;
    for (int k = 0; k < t->count; k++)
        if (t->p->hard[t->first[k]] == t->p->hard[variable] &&
            t->p->part[t->first[k]] != t->p->part[variable])
            t->tears = true;
    if (t->count < room) t->first[t->count++] = variable;
}

bool yk_partition_tears(const yk_circuit *circuit,
                        const yk_partition *partition, int e)
{
    torn t = { .p = partition };

    yk_circuit_each(circuit, e, compare, &t);
    return t.tears;
}
