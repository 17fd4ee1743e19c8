/* comp/netlist/circuit/part_place.c -- everything of a part gets its place in z
 * and in the Jacobians: columns are own, foreign or driven variables. */
#include "comp/netlist/circuit/part_build.h"

#include <stdlib.h>
#include <string.h>

static bool is_driven(const yk_circuit *c, int variable)
{
    return variable > 0 && variable < c->nodes && c->driver[variable] >= 0;
}

typedef struct columns {
    int foreigns, drivens;
    int *foreign, *driven;
    size_t froom, droom;
} columns;

/* `local` of variables that were met and have no slot yet. */
enum { MET_DRIVEN = -2, MET_FOREIGN = -3 };

static yoke_status push(int **list, size_t *room, int *count, int value,
                        yoke_err *err)
{
    YK_TRY(YK_GROW(list, room, (size_t)*count + 1, err));
    (*list)[(*count)++] = value;
    return YOKE_OK;
}

/* A variable that is neither own nor ground is foreign or driven; below a
 * driven node are others. */
static yoke_status meet(yk_part_builder *b, columns *k, int variable,
                        yoke_err *err)
{
    int *local = b->c->local;

    if (variable <= 0 || local[variable] != -1) return YOKE_OK;
    if (!is_driven(b->c, variable)) {
        local[variable] = MET_FOREIGN;
        return push(&k->foreign, &k->froom, &k->foreigns, variable, err);
    }
    for (int n = variable; n && local[n] == -1; n = b->c->below[n]) {
        local[n] = MET_DRIVEN;
        YK_TRY(push(&k->driven, &k->droom, &k->drivens, n, err));
    }
    return YOKE_OK;
}

/* The columns of all terms, and what nonlinear elements and outputs read. */
static yoke_status meet_all(yk_part_builder *b, columns *k, yoke_err *err)
{
    const yk_net_part *p = b->p;
    for (int j = 0; j < b->terms; j++)
        YK_TRY(meet(b, k, b->term[j].column, err));
    for (int d = 0; d < p->devices; d++)
        for (int j = 0; j < p->device[d].device->nodes; j++)
            YK_TRY(meet(b, k, p->device[d].slot[j], err));
    for (int s = 0; s < p->switches; s++) {
        YK_TRY(meet(b, k, p->sw[s].plus, err));
        YK_TRY(meet(b, k, p->sw[s].minus, err));
    }
    for (int o = 0; o < b->spec->outputs; o++)
        YK_TRY(meet(b, k, b->spec->output[o], err));
    return YOKE_OK;
}

/* A driven node is evaluated after the one below it. */
static void number_driven(yk_part_builder *b, const columns *k)
{
    yk_net_part *p = b->p;
    int *local = b->c->local;
    const int base = p->n + p->m;
    int done = 0;

    while (done < k->drivens)
        for (int j = 0; j < k->drivens; j++) {
            const int n = k->driven[j], below = b->c->below[n];
            if (local[n] >= 0 || (below && local[below] < 0)) continue;
            p->driven[done] = (yk_part_driven){
                .slot = base + done,
                .below = below ? local[below] : p->ground,
                .sign = b->c->sign[n],
                .source = &b->c->source[b->c->driver[n]],
            };
            local[n] = base + done++;
        }
}

static yoke_status number_columns(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;
    yoke_status status = YOKE_OK;
    columns k = { 0 };

    YK_GO(meet_all(b, &k, err));
    if (k.foreigns)
        qsort(k.foreign, (size_t)k.foreigns, sizeof *k.foreign,
              yk_compare_ints);
    p->foreign = k.foreigns;
    p->m = k.foreigns + p->values + p->injections;
    p->drivens = k.drivens;
    p->ground = p->n + p->m + k.drivens;
    int *variable = NULL;
    YK_GO(YK_TAKE(&p->arena, &variable, p->n + k.foreigns + 1, err));
    memcpy(variable, p->variable, (size_t)p->n * sizeof *variable);
    for (int j = 0; j < k.foreigns; j++) {
        variable[p->n + j] = k.foreign[j];
        b->c->local[k.foreign[j]] = p->n + j;
    }
    p->variable = variable;
    YK_GO(YK_TAKE(&p->arena, &p->driven, k.drivens + 1, err));
    YK_GO(YK_TAKE(&p->arena, &p->z, p->ground + 1, err));
    YK_GO(YK_TAKE(&p->arena, &p->dz, p->ground + 1, err));
    number_driven(b, &k);
done:
    for (int j = 0; status != YOKE_OK && j < k.drivens; j++)
        b->c->local[k.driven[j]] = -1;
    for (int j = 0; status != YOKE_OK && j < k.foreigns; j++)
        b->c->local[k.foreign[j]] = -1;
    YK_FREE(k.foreign, k.driven);
    return status;
}

static int slot_of(const yk_part_builder *b, int variable)
{
    if (variable < 0) return b->p->n + b->p->foreign + (-1 - variable);
    return variable == 0 ? b->p->ground : b->c->local[variable];
}

static yoke_status make_pattern(yk_part_builder *b, bool charge, bool foreign,
                                yoke_pattern **out, double **value,
                                yoke_err *err)
{
    const yk_net_part *p = b->p;
    yoke_status status = YOKE_OK;
    int count = 0, *row = NULL, *col = NULL;
    const int low = foreign ? p->n : 0, high = foreign ? p->n + p->m : p->n;
    const int extra = foreign && !charge    ? p->injections
                      : !foreign && !charge ? p->n
                                            : 0;

    YK_GO(YK_INTS((size_t)(b->terms + extra) + 1, err, &row, &col));
    for (int k = 0; k < b->terms; k++) {
        const int slot = slot_of(b, b->term[k].column);
        if (b->term[k].charge != charge || slot < low || slot >= high) continue;
        row[count] = b->term[k].row;
        col[count++] = slot - low;
    }
    if (foreign && !charge)
        for (int k = 0; k < p->injections; k++) {
            row[count] = p->injected[k];
            col[count++] = p->foreign + p->values + k;
        }
    YK_GO(yoke_pattern_create(out, p->n, high - low, count, row, col, err));
    YK_GO(YK_TAKE(&b->p->arena, value, yoke_pattern_count(*out) + 1, err));
    for (int k = 0; k < b->terms; k++) {
        const int slot = slot_of(b, b->term[k].column);
        if (b->term[k].charge != charge || slot < low || slot >= high) continue;
        (*value)[yoke_pattern_find(*out, b->term[k].row, slot - low)] +=
            b->term[k].value;
    }
    if (foreign && !charge)
        for (int k = 0; k < p->injections; k++)
            (*value)[yoke_pattern_find(*out, p->injected[k],
                                       p->foreign + p->values + k)] -= 1.0;
done:
    YK_FREE(row, col);
    return status;
}

/* Rows of constant coefficients, without zeros and with ground left out. */
static yoke_status make_stamps(yk_part_builder *b, bool charge, yk_stamps *out,
                               yoke_err *err)
{
    yk_net_part *p = b->p;
    int count = 0;

    YK_TRY(YK_TAKE(&p->arena, &out->start, p->n + 2, err));
    for (int k = 0; k < b->terms; k++)
        if (b->term[k].charge == charge && b->term[k].value != 0.0) {
            out->start[b->term[k].row + 1]++;
            count++;
        }
    for (int i = 0; i < p->n; i++) out->start[i + 1] += out->start[i];
    YK_TRY(YK_TAKE(&p->arena, &out->slot, count + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &out->value, count + 1, err));
    for (int k = 0; k < b->terms; k++)
        if (b->term[k].charge == charge && b->term[k].value != 0.0) {
            const int at = out->start[b->term[k].row]++;
            out->slot[at] = slot_of(b, b->term[k].column);
            out->value[at] = b->term[k].value;
        }
    for (int i = p->n; i > 0; i--) out->start[i] = out->start[i - 1];
    out->start[0] = 0;
    return YOKE_OK;
}

static yk_goal goal_of(const yk_net_part *p, bool charge, int row, int slot)
{
    if (row < 0 || slot < 0) return -1;
    if (slot < p->n)
        return yoke_pattern_find(charge ? p->pattern_C : p->pattern_G, row,
                                 slot);
    if (slot >= p->n + p->m) return -1;
    const int at = yoke_pattern_find(charge ? p->pattern_Cu : p->pattern_Gu,
                                     row, slot - p->n);
    return at < 0 ? -1 : -2 - at;
}

static yoke_status place_devices(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;

    for (int k = 0; k < p->devices; k++) {
        yk_part_device *d = &p->device[k];
        const int nodes = d->device->nodes;
        for (int j = 0; j < nodes; j++) d->slot[j] = slot_of(b, d->slot[j]);
        YK_TRY(YK_TAKE(&p->arena, &d->g, nodes * nodes, err));
        YK_TRY(YK_TAKE(&p->arena, &d->c, nodes * nodes, err));
        for (int i = 0; i < nodes; i++)
            for (int j = 0; j < nodes; j++) {
                d->g[i * nodes + j] = goal_of(p, false, d->row[i], d->slot[j]);
                d->c[i * nodes + j] = goal_of(p, true, d->row[i], d->slot[j]);
            }
    }
    return YOKE_OK;
}

static void place_functions(yk_part_builder *b)
{
    yk_net_part *p = b->p;

    for (int k = 0; k < p->functions; k++) {
        yk_part_function *fn = &p->function[k];
        const bool charge =
            fn->law == YK_LAW_CAPACITOR || fn->law == YK_LAW_INDUCTOR;
        for (int v = 0; v < fn->vars; v++) {
            fn->plus[v] = slot_of(b, fn->plus[v]);
            fn->minus[v] = slot_of(b, fn->minus[v]);
            for (int end = 0; end < 2; end++)
                for (int r = 0; r < 2; r++)
                    fn->goal[2 * (2 * v + end) + r] =
                        goal_of(p, charge, fn->row[r],
                                end ? fn->minus[v] : fn->plus[v]);
        }
    }
    for (int k = 0; k < p->switches; k++) {
        yk_part_switch *s = &p->sw[k];
        s->plus = slot_of(b, s->plus);
        if (s->minus >= 0) s->minus = slot_of(b, s->minus);
        for (int j = 0; j < 2; j++) s->slot[j] = slot_of(b, s->slot[j]);
        for (int j = 0; j < 4; j++)
            s->goal[j] = goal_of(p, false, s->row[j / 2], s->slot[j % 2]);
    }
}

static yoke_status make_outputs(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;
    yoke_status status = YOKE_OK;
    int count = 0, *row = NULL, *col = NULL;

    p->outputs = b->spec->outputs;
    YK_TRY(YK_TAKE(&p->arena, &p->output, p->outputs + 1, err));
    YK_GO(YK_INTS((size_t)p->outputs + 1, err, &row, &col));
    for (int o = 0; o < p->outputs; o++) {
        p->output[o] = slot_of(b, b->spec->output[o]);
        if (p->output[o] >= p->n) continue;
        row[count] = o;
        col[count++] = p->output[o];
    }
    YK_GO(yoke_pattern_create(&p->pattern_Hx, p->outputs, p->n, count, row, col,
                              err));
done:
    YK_FREE(row, col);
    return status;
}

/* Arguments that sources give: voltages between driven nodes and ground. */
static yoke_status know_arguments(yk_net_part *p, yoke_err *err)
{
    const int first = p->n + p->m;

    for (int k = 0; k < p->functions; k++) {
        yk_part_function *fn = &p->function[k];
        bool any = false;
        for (int v = 0; fn->expr && v < fn->expr->vars; v++)
            any |= fn->plus[v] >= first && fn->minus[v] >= first;
        if (!any) continue;
        YK_TRY(YK_TAKE(&p->arena, &fn->known, fn->expr->vars, err));
        for (int v = 0; v < fn->expr->vars; v++)
            fn->known[v] = fn->plus[v] >= first && fn->minus[v] >= first;
    }
    return YOKE_OK;
}

yoke_status yk_part_place(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;

    YK_TRY(number_columns(b, err));
    YK_TRY(make_pattern(b, false, false, &p->pattern_G, &p->G, err));
    YK_TRY(make_pattern(b, true, false, &p->pattern_C, &p->C, err));
    YK_TRY(make_pattern(b, false, true, &p->pattern_Gu, &p->Gu, err));
    YK_TRY(make_pattern(b, true, true, &p->pattern_Cu, &p->Cu, err));
    YK_TRY(make_stamps(b, false, &p->g, err));
    YK_TRY(make_stamps(b, true, &p->c, err));
    YK_TRY(place_devices(b, err));
    place_functions(b);
    YK_TRY(know_arguments(p, err));
    YK_TRY(make_outputs(b, err));
    YK_TRY(YK_TAKE(&p->arena, &p->diagonal, p->n + 1, err));
    for (int i = 0; i < p->n; i++)
        p->diagonal[i] = p->variable[i] < b->c->nodes
                             ? yoke_pattern_find(p->pattern_G, i, i)
                             : -1;
    return YOKE_OK;
}

/* ---- sources of cells
 * -------------------------------------------------------- */

/* Stands for an element that changes with time by itself. */
static const yk_stimulus restless = { .shape = YK_SHAPE_SIN };

typedef struct source_list {
    int count;
    size_t room;
    int *cell;
    const yk_stimulus **source;
    size_t source_room;
} source_list;

static yoke_status note_source(source_list *l, int cell, const yk_stimulus *s,
                               yoke_err *err)
{
    if (s->shape == YK_SHAPE_NONE) return YOKE_OK;
    for (int k = l->count - 1; k >= 0 && l->cell[k] == cell; k--)
        if (l->source[k] == s) return YOKE_OK;
    YK_TRY(YK_GROW(&l->cell, &l->room, l->count + 1, err));
    YK_TRY(YK_GROW(&l->source, &l->source_room, l->count + 1, err));
    l->cell[l->count] = cell;
    l->source[l->count++] = s;
    return YOKE_OK;
}

/* The sources that drive a node. */
static yoke_status note_driven(const yk_circuit *c, source_list *l, int cell,
                               int node, yoke_err *err)
{
    for (int n = node; n && c->driver[n] >= 0; n = c->below[n])
        YK_TRY(note_source(l, cell, &c->source[c->driver[n]], err));
    return YOKE_OK;
}

/* The sources that an element brings into the equations it occurs in. */
static yoke_status note_element(const yk_net_part *p, source_list *l, int cell,
                                int e, yoke_err *err)
{
    const yk_circuit *c = p->circuit;
    if (c->net->element[e].kind == 'y') e = c->net->element[e].control[0];
    const yk_net_element *el = &c->net->element[e];
    const int *pin = c->device[e] ? c->pin[e] : el->node;
    const int pins = c->device[e] ? c->device[e]->nodes : el->nodes;

    if (el->source) YK_TRY(note_source(l, cell, &c->source[e], err));
    if (el->expr && el->expr->uses_time)
        YK_TRY(note_source(l, cell, &restless, err));
    for (int k = 0; k < pins; k++) YK_TRY(note_driven(c, l, cell, pin[k], err));
    for (int k = 0; el->expr && k < el->expr->vars; k++)
        if (!el->expr->var[k].is_current) {
            YK_TRY(note_driven(c, l, cell, el->expr->var[k].a, err));
            YK_TRY(note_driven(c, l, cell, el->expr->var[k].b, err));
        }
    return YOKE_OK;
}

static yoke_status note_touched(const yk_net_part *p, source_list *l, int cell,
                                int variable, yoke_err *err)
{
    const yk_circuit *c = p->circuit;

    for (int k = c->touch_start[variable]; k < c->touch_start[variable + 1];
         k++)
        YK_TRY(note_element(p, l, cell, c->touch[k], err));
    return YOKE_OK;
}

/* The equation of a source that drives a node is the balance there. */
static yoke_status note_all(const yk_net_part *p, source_list *l,
                            const int *cell, yoke_err *err)
{
    const yk_circuit *c = p->circuit;

    for (int i = 0; i < p->n; i++) {
        const int v = p->variable[i];
        YK_TRY(note_touched(p, l, cell[i], v, err));
        if (yk_circuit_is_rate(c, v))
            YK_TRY(note_driven(c, l, cell[i], c->rate_node[v - c->first_rate],
                               err));
        if (v < c->nodes) continue;
        const int e = c->owner[v - c->nodes];
        const yk_net_element *el = &c->net->element[e];
        for (int k = 0; el->kind == 'v' && k < 2; k++)
            if (c->driver[el->node[k]] == e)
                YK_TRY(note_touched(p, l, cell[i], el->node[k], err));
    }
    return YOKE_OK;
}

yoke_status yk_part_sources(yk_net_part *p, int cells, const int *cell,
                            yoke_err *err)
{
    source_list l = { 0 };
    yoke_status status = YOKE_OK;

    YK_GO(note_all(p, &l, cell, err));
    YK_GO(YK_TAKE(&p->arena, &p->source_start, cells + 2, err));
    YK_GO(YK_TAKE(&p->arena, &p->source_list, l.count + 1, err));
    for (int k = 0; k < l.count; k++) p->source_start[l.cell[k] + 1]++;
    for (int c = 0; c < cells; c++)
        p->source_start[c + 1] += p->source_start[c];
    for (int k = 0; k < l.count; k++)
        p->source_list[p->source_start[l.cell[k]]++] = l.source[k];
    for (int c = cells; c > 0; c--) p->source_start[c] = p->source_start[c - 1];
    p->source_start[0] = 0;
done:
    YK_FREE(l.cell, l.source);
    return status;
}
