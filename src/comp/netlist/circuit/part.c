/* comp/netlist/circuit/part.c -- makes a part of a circuit.
 *
 * The elements that occur in the part's equations are stamped as terms (row,
 * column, coefficient) with numbers of variables; part_place.c then sorts the
 * columns into own, foreign and driven ones.
 */
#include "comp/netlist/circuit/part_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void yk_part_free(void *self)
{
    yk_net_part *p = self;

    if (!p) return;
    yoke_pattern_free(p->pattern_G);
    yoke_pattern_free(p->pattern_C);
    yoke_pattern_free(p->pattern_Gu);
    yoke_pattern_free(p->pattern_Cu);
    yoke_pattern_free(p->pattern_Hx);
    yk_courses_clear(&p->courses);
    yk_breaks_free(p->breaks);
    yk_free(p->aside);
    yk_arena_clear(&p->arena);
    yk_free(p);
}

/* ---- terms --------------------------------------------------------------- */

/* Row of the part that holds the equation of a variable, -1: none. */
static int row_of(const yk_part_builder *b, int variable)
{
    const int local = variable >= 0 ? b->c->local[variable] : -1;

    return local >= 0 && local < b->p->n ? local : -1;
}

static int balance_row(const yk_part_builder *b, int node)
{
    return row_of(b, yk_circuit_balance(b->c, node));
}

/* Row that gets the current of a terminal of the element that is stamped. */
static int end_row(const yk_part_builder *b, int node, int terminal)
{
    if (b->mirror_row == YK_NO_MIRROR) return balance_row(b, node);
    return terminal == b->terminal ? b->mirror_row : -1;
}

static yoke_status add(yk_part_builder *b, int row, int column, double value,
                       bool charge, yoke_err *err)
{
    if (row < 0 || column == 0) return YOKE_OK;
    YK_TRY(YK_GROW(&b->term, &b->term_room, b->terms + 1, err));
    b->term[b->terms++] = (yk_part_term){ row, column, value, charge };
    return YOKE_OK;
}

/* value * (v[a] - v[b]) flows from node `from` to node `to`. */
static yoke_status add_flow(yk_part_builder *b, int from, int to, int plus,
                            int minus, double value, bool charge, yoke_err *err)
{
    const int row[2] = { end_row(b, from, 0), end_row(b, to, 1) };
    for (int k = 0; k < 2; k++) {
        const double signed_value = k ? -value : value;
        YK_TRY(add(b, row[k], plus, signed_value, charge, err));
        YK_TRY(add(b, row[k], minus, -signed_value, charge, err));
    }
    return YOKE_OK;
}

/* A current variable flows from a to b. */
static yoke_status add_current(yk_part_builder *b, const int *node,
                               int variable, double factor, yoke_err *err)
{
    YK_TRY(add(b, balance_row(b, node[0]), variable, factor, false, err));
    return add(b, balance_row(b, node[1]), variable, -factor, false, err);
}

/* ---- elements ------------------------------------------------------------ */

static double param(const yk_net_element *el, const char *name, double preset)
{
    return yk_net_value(el->param, el->params, name, preset, NULL);
}

static bool drives(const yk_part_builder *b, const yk_net_element *el, int e)
{
    return b->c->driver[el->node[0]] == e || b->c->driver[el->node[1]] == e;
}

static int value_input(const yk_part_builder *b, int e, int end)
{
    for (int k = 0; k < b->spec->values; k++)
        if (b->spec->value[k].element == e && b->spec->value[k].end == end)
            return k;
    return -1;
}

/* Has it a function for its value? */
static bool is_function(const yk_part_builder *b, int e)
{
    const yk_net_element *el = &b->c->net->element[e];

    if (el->kind == 't') return false;
    return el->expr || value_input(b, e, 0) >= 0 ||
           (strchr("efgh", el->kind) &&
            (el->dimensions > 1 || el->coefs > 2 || el->coef[0] != 0.0));
}

/* The coupling of two inductors: M = k sqrt(L1 L2) in both flux equations. */
static yoke_status stamp_coupling(yk_part_builder *b, const yk_net_element *el,
                                  yoke_err *err)
{
    const yk_netlist *net = b->c->net;
    double inductance[2];
    int branch[2];

    for (int k = 0; k < 2; k++) {
        branch[k] = b->c->branch[el->control[k]];
        inductance[k] = yk_net_passive(net, &net->element[el->control[k]]);
    }
    const double mutual =
        param(el, "value", 0.0) * sqrt(inductance[0] * inductance[1]);
    YK_TRY(add(b, row_of(b, branch[0]), branch[1], mutual, true, err));
    return add(b, row_of(b, branch[1]), branch[0], mutual, true, err);
}

/* The branch equation v[a] - v[b] - ... = 0; an inductor's is
 * (flux)' - (v[a] - v[b]) = 0. */
static yoke_status stamp_branch(yk_part_builder *b, const yk_net_element *el,
                                int e, yoke_err *err)
{
    const int branch = b->c->branch[e], row = row_of(b, branch);
    const double sign = el->kind == 'l' ? -1.0 : 1.0;

    YK_TRY(add_current(b, el->node, branch, 1.0, err));
    if (el->kind == 'v' && drives(b, el, e)) return YOKE_OK;
    YK_TRY(add(b, row, el->node[0], sign, false, err));
    YK_TRY(add(b, row, el->node[1], -sign, false, err));
    if (is_function(b, e)) return YOKE_OK;
    if (el->kind == 'l')
        return add(b, row, branch,
                   yk_net_passive(b->c->net, el) / param(el, "m", 1.0), true,
                   err);
    if (el->kind == 'e') {
        YK_TRY(add(b, row, el->node[2], -el->coef[1], false, err));
        return add(b, row, el->node[3], el->coef[1], false, err);
    }
    if (el->kind == 'h')
        return add(b, row, b->c->branch[el->control[0]], -el->coef[1], false,
                   err);
    return YOKE_OK;
}

/* v - z0 i = the wave that arrives, at both ends. */
static yoke_status stamp_line(yk_part_builder *b, const yk_net_element *el,
                              int e, yoke_err *err)
{
    const double z0 = param(el, "z0", 0.0);

    for (int end = 0; end < 2; end++) {
        const int *own = el->node + 2 * end, *far = el->node + 2 * (1 - end);
        const int branch = b->c->branch[e] + end, row = row_of(b, branch);
        const int input = value_input(b, e, end);
        YK_TRY(add_current(b, own, branch, 1.0, err));
        YK_TRY(add(b, row, own[0], 1.0, false, err));
        YK_TRY(add(b, row, own[1], -1.0, false, err));
        YK_TRY(add(b, row, branch, -z0, false, err));
        if (input >= 0) {
            YK_TRY(add(b, row, -1 - input, -1.0, false, err));
            continue;
        }
        YK_TRY(add(b, row, far[0], -1.0, false, err));
        YK_TRY(add(b, row, far[1], 1.0, false, err));
        YK_TRY(add(b, row, b->c->branch[e] + 1 - end, -z0, false, err));
    }
    return YOKE_OK;
}

static yoke_status stamp(yk_part_builder *b, int e, yoke_err *err)
{
    const yk_net_element *el = &b->c->net->element[e];
    const int *node = el->node;
    const double copies = param(el, "m", 1.0);

    if (el->kind == 't') return stamp_line(b, el, e, err);
    if (b->c->branch[e] >= 0) return stamp_branch(b, el, e, err);
    if (el->kind == 'k') return stamp_coupling(b, el, err);
    if (is_function(b, e)) return YOKE_OK;
    switch (el->kind) {
    case 'r':
        return add_flow(b, node[0], node[1], node[0], node[1],
                        copies / yk_net_passive(b->c->net, el), false, err);
    case 'c':
        return add_flow(b, node[0], node[1], node[0], node[1],
                        copies * yk_net_passive(b->c->net, el), true, err);
    case 'g':
        return add_flow(b, node[0], node[1], node[2], node[3],
                        copies * el->coef[1], false, err);
    case 'f':
        return add_current(b, node, b->c->branch[el->control[0]],
                           copies * el->coef[1], err);
    default:
        return YOKE_OK;
    }
}

/* ---- mirrors ------------------------------------------------------------- */

/* The element whose currents element e puts into the equations: itself, or the
 * one that it mirrors. */
static int begin_element(yk_part_builder *b, int e)
{
    const yk_net_element *el = &b->c->net->element[e];

    b->mirror_row = YK_NO_MIRROR;
    if (el->kind != 'y') return e;
    b->mirror_row = row_of(b, el->node[0]);
    b->terminal = el->terminal;
    return el->control[0];
}

/* ---- which elements ------------------------------------------------------ */

static yoke_status collect_touched(yk_part_builder *b, int variable,
                                   yoke_err *err)
{
    const yk_circuit *c = b->c;

    for (int k = c->touch_start[variable]; k < c->touch_start[variable + 1];
         k++) {
        const int e = c->touch[k];
        if (c->mark[e] == c->marks) continue;
        c->mark[e] = c->marks;
        YK_TRY(YK_GROW(&b->element, &b->element_room, b->elements + 1, err));
        b->element[b->elements++] = e;
    }
    return YOKE_OK;
}

static yoke_status collect(yk_part_builder *b, yoke_err *err)
{
    yk_circuit *c = b->c;

    c->marks++;
    for (int i = 0; i < b->p->n; i++) {
        const int v = b->p->variable[i];
        YK_TRY(collect_touched(b, v, err));
        if (v < c->nodes) continue;
        const yk_net_element *el = &c->net->element[c->owner[v - c->nodes]];
        for (int k = 0; el->kind == 'v' && k < 2; k++)
            if (c->driver[el->node[k]] == c->owner[v - c->nodes])
                YK_TRY(collect_touched(b, el->node[k], err));
    }
    if (b->elements > 1)
        qsort(b->element, (size_t)b->elements, sizeof *b->element,
              yk_compare_ints);
    return YOKE_OK;
}

/* Derivatives that its devices want and that belong to others become its own.
 * The place of each is known by `local`, those of the part come first. */
static yoke_status take_rates(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;
    yk_circuit *c = b->c;
    int *more = NULL;
    size_t room = 0;

    for (int k = 0; b->spec->rates && k < b->elements; k++) {
        const int e = b->element[k];
        const yk_device *d = c->device[e];
        for (int j = 0; d && j < d->rates; j++) {
            const int v = c->pin[e][d->nodes - d->rates + j];
            if (v == 0 || c->local[v] >= 0) continue;
            c->local[v] = p->n + p->rates;
            const yoke_status status = YK_GROW(&more, &room, p->rates + 1, err);
            if (status != YOKE_OK) {
                c->local[v] = -1;
                yk_free(more);
                return status;
            }
            more[p->rates++] = v;
        }
    }
    int *all = NULL;
    const yoke_status status =
        YK_TAKE(&p->arena, &all, p->n + p->rates + 1, err);
    for (int i = 0; i < p->n && status == YOKE_OK; i++) all[i] = p->variable[i];
    for (int i = 0; i < p->rates && status == YOKE_OK; i++)
        all[p->n + i] = more[i];
    for (int i = 0; i < p->rates && status != YOKE_OK; i++)
        c->local[more[i]] = -1;
    yk_free(more);
    if (status != YOKE_OK) return status;
    p->variable = all;
    p->n += p->rates;
    return YOKE_OK;
}

/* d/dt (tau v) - w = 0. */
static yoke_status stamp_rates(yk_part_builder *b, yoke_err *err)
{
    const yk_circuit *c = b->c;

    for (int i = 0; i < b->p->n; i++) {
        const int v = b->p->variable[i];
        if (!yk_circuit_is_rate(c, v)) continue;
        YK_TRY(add(b, i, c->rate_node[v - c->first_rate], YK_RATE_TIME, true,
                   err));
        YK_TRY(add(b, i, v, -1.0, false, err));
    }
    return YOKE_OK;
}

/* ---- nonlinear elements, with numbers of variables as slots -------------- */

static yoke_status add_places(yk_part_builder *b, const yk_part_device *d,
                              const bool *place, bool charge, yoke_err *err)
{
    const yk_device *device = d->device;

    for (int j = 0; j < device->nodes; j++)
        for (int k = 0; d->row[j] >= 0 && k < device->branches; k++) {
            if (!place[j * device->branches + k]) continue;
            YK_TRY(
                add(b, d->row[j], d->slot[device->plus[k]], 0.0, charge, err));
            YK_TRY(
                add(b, d->row[j], d->slot[device->minus[k]], 0.0, charge, err));
        }
    return YOKE_OK;
}

static yoke_status take_device(yk_part_builder *b, int e, yoke_err *err)
{
    yk_net_part *p = b->p;
    yk_part_device *d = &p->device[p->devices++];

    d->device = b->c->device[e];
    d->element = e;
    const int nodes = d->device->nodes, branches = d->device->branches;
    for (int k = 0; k < nodes; k++) {
        d->slot[k] = b->c->pin[e][k];
        d->row[k] =
            k < nodes - d->device->rates ? end_row(b, d->slot[k], k) : -1;
    }
    double *store = NULL;
    YK_TRY(YK_TAKE(&p->arena, &store,
                   2 * branches + 2 * nodes + 2 * nodes * branches, err));
    d->b = store;
    d->held = d->b + branches;
    d->i = d->held + branches;
    d->q = d->i + nodes;
    d->di = d->q + nodes;
    d->dq = d->di + nodes * branches;
    if (d->device->ops->limit) p->settles = true;
    YK_TRY(add_places(b, d, d->device->i_place, false, err));
    return add_places(b, d, d->device->q_place, true, err);
}

static yk_law law_of(const yk_net_element *el)
{
    switch (el->kind) {
    case 'r':
        return YK_LAW_RESISTOR;
    case 'c':
        return YK_LAW_CAPACITOR;
    case 'l':
        return YK_LAW_INDUCTOR;
    case 'i':
    case 'f':
    case 'g':
        return YK_LAW_CURRENT;
    case 'b':
        return el->is_current ? YK_LAW_CURRENT : YK_LAW_VOLTAGE;
    default:
        return YK_LAW_VOLTAGE;
    }
}

/* The arguments of the element's function, as pairs of variables; -1 - k stands
 * for value input k. */
static void take_arguments(const yk_part_builder *b, const yk_net_element *el,
                           int e, int *plus, int *minus)
{
    const yk_circuit *c = b->c;
    const int input = value_input(b, e, 0);

    if (input >= 0) {
        plus[0] = -1 - input;
        minus[0] = 0;
    } else if (el->expr) {
        for (int k = 0; k < el->expr->vars; k++) {
            const yk_net_var *v = &el->expr->var[k];
            plus[k] = v->is_current ? c->branch[v->a] : v->a;
            minus[k] = v->is_current ? 0 : v->b;
        }
    } else if (el->controls > 0) {
        for (int k = 0; k < el->controls; k++) {
            plus[k] = c->branch[el->control[k]];
            minus[k] = 0;
        }
    } else
        for (int k = 0; k < el->dimensions; k++) {
            plus[k] = el->node[2 + 2 * k];
            minus[k] = el->node[3 + 2 * k];
        }
}

static yoke_status take_function(yk_part_builder *b, int e, yoke_err *err)
{
    yk_net_part *p = b->p;
    const yk_net_element *el = &b->c->net->element[e];
    yk_part_function *fn = &p->function[p->functions++];
    const int input = value_input(b, e, 0);
    const int branch = b->c->branch[e];

    fn->law = law_of(el);
    fn->element = e;
    fn->expr = input >= 0 ? NULL : el->expr;
    fn->coef = input >= 0 || el->expr ? NULL : el->coef;
    fn->coefs = el->coefs;
    fn->dimensions = el->dimensions;
    fn->factor = param(el, "m", 1.0);
    if (el->kind == 'l') fn->factor = 1.0 / fn->factor;
    if (fn->expr && strchr("cl", el->kind))
        fn->factor *= yk_net_passive(b->c->net, el);
    if (fn->expr && el->kind == 'r')
        fn->factor /= yk_net_passive(b->c->net, el);
    fn->held = fn->expr ? b->c->held[e] : NULL;
    fn->integrates = fn->expr && yk_circuit_integrates(b->c, e);
    if (fn->expr && yk_compiled_has(b->c->net->compiled, e))
        fn->compiled = b->c->net->compiled;
    int own = input >= 0 ? 1 : el->expr ? el->expr->vars : el->dimensions;
    fn->vars = own + (fn->law >= YK_LAW_RESISTOR ? 1 : 0);
    const int room = fn->held ? fn->held->variables : fn->vars;
    YK_TRY(YK_TAKE(&p->arena, &fn->plus, fn->vars + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &fn->minus, fn->vars + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &fn->arg, room + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &fn->slope, room + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &fn->goal, 4 * fn->vars + 1, err));
    if (fn->held) YK_TRY(YK_TAKE(&p->arena, &fn->open, fn->vars + 1, err));
    if (fn->expr) {
        const int steps =
            fn->held ? fn->held->steps + fn->expr->steps : fn->expr->steps;
        YK_TRY(YK_TAKE(&p->arena, &fn->work, 2 * (size_t)steps + 1, err));
    }
    take_arguments(b, el, e, fn->plus, fn->minus);
    if (fn->law >= YK_LAW_RESISTOR) {
        fn->plus[own] = el->kind == 'l' ? branch : el->node[0];
        fn->minus[own] = el->kind == 'l' ? 0 : el->node[1];
    }
    fn->row[0] = branch >= 0 ? row_of(b, branch) : end_row(b, el->node[0], 0);
    fn->row[1] = branch >= 0 ? -1 : end_row(b, el->node[1], 1);
    const bool charge =
        fn->law == YK_LAW_CAPACITOR || fn->law == YK_LAW_INDUCTOR;
    for (int v = 0; v < fn->vars; v++)
        for (int r = 0; r < 2; r++) {
            YK_TRY(add(b, fn->row[r], fn->plus[v], 0.0, charge, err));
            YK_TRY(add(b, fn->row[r], fn->minus[v], 0.0, charge, err));
        }
    return YOKE_OK;
}

static void take_source(yk_part_builder *b, int e)
{
    const yk_net_element *el = &b->c->net->element[e];
    yk_part_source *s = &b->p->source[b->p->sources];
    const int branch = b->c->branch[e];

    s->source = &b->c->source[e];
    if (branch >= 0) {
        if (drives(b, el, e)) return;
        s->row[0] = row_of(b, branch);
        s->row[1] = -1;
        s->factor[0] = -1.0;
    } else {
        const double copies = param(el, "m", 1.0);
        for (int k = 0; k < 2; k++) s->row[k] = end_row(b, el->node[k], k);
        s->factor[0] = copies;
        s->factor[1] = -copies;
    }
    if (s->row[0] >= 0 || s->row[1] >= 0) b->p->sources++;
}

/* Switches are in the order of their elements. */
unsigned char *yk_part_closed(const yk_net_part *p, int element)
{
    int low = 0, high = p->switches - 1;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->sw[middle].element < element)
            low = middle + 1;
        else
            high = middle;
    }
    return &p->closed[low];
}

static yoke_status take_switch(yk_part_builder *b, int e, yoke_err *err)
{
    yk_net_part *p = b->p;
    const yk_netlist *net = b->c->net;
    const yk_net_element *el = &net->element[e];
    const yk_net_model *model = &net->model[el->model];
    const bool is_current = el->kind == 'w';
    yk_part_switch *s = &p->sw[p->switches];
    const double level = yk_net_value(model->param, model->params,
                                      is_current ? "it" : "vt", 0.0, NULL);
    const double given = yk_net_value(model->param, model->params,
                                      is_current ? "ih" : "vh", 0.0, NULL);
    const double half = fabs(given);
    const double off = yk_net_value(model->param, model->params, "roff",
                                    1.0 / b->c->env.gmin, NULL);

    s->element = e;
    s->on = 1.0 / yk_net_value(model->param, model->params, "ron", 1.0, NULL);
    s->off = 1.0 / off;
    s->rises = level + half;
    s->falls = level - half;
    s->early = given < 0.0;
    s->starts_closed = el->on;
    s->plus = is_current ? b->c->branch[el->control[0]] : el->node[2];
    s->minus = is_current ? -1 : el->node[3];
    for (int k = 0; k < 2; k++) {
        s->slot[k] = el->node[k];
        s->row[k] = balance_row(b, el->node[k]);
    }
    p->closed[p->switches++] =
        b->spec->whole ? *yk_part_closed(b->spec->whole, e) : b->c->closed[e];
    /* The control has places too: they tell who reads it. */
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 2; k++)
            YK_TRY(add(b, s->row[r], s->slot[k], 0.0, false, err));
        YK_TRY(add(b, s->row[r], s->plus, 0.0, false, err));
        if (s->minus > 0) YK_TRY(add(b, s->row[r], s->minus, 0.0, false, err));
    }
    return YOKE_OK;
}

static yoke_status take_nonlinear(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;
    int devices = 0, functions = 0, sources = 0, switches = 0;

    for (int k = 0; k < b->elements; k++) {
        const int e = begin_element(b, b->element[k]);
        const char kind = b->c->net->element[e].kind;
        devices += b->c->device[e] != NULL;
        functions += is_function(b, e);
        sources += strchr("viefgh", kind) != NULL;
        switches += kind == 's' || kind == 'w';
    }
    YK_TRY(YK_TAKE(&p->arena, &p->device, devices + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->function, functions + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->source, sources + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->sw, switches + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->closed, switches + 1, err));
    for (int k = 0; k < b->elements; k++) {
        const int e = begin_element(b, b->element[k]);
        const char kind = b->c->net->element[e].kind;
        if (b->c->device[e])
            YK_TRY(take_device(b, e, err));
        else if (is_function(b, e))
            YK_TRY(take_function(b, e, err));
        else if (kind == 'v' || kind == 'i')
            take_source(b, e);
        else if (kind == 's' || kind == 'w')
            YK_TRY(take_switch(b, e, err));
    }
    return YOKE_OK;
}

/* Functions are in the order of their elements. */
yk_part_function *yk_part_function_of(const yk_net_part *p, int element)
{
    int low = 0, high = p->functions - 1;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->function[middle].element < element)
            low = middle + 1;
        else
            high = middle;
    }
    return &p->function[low];
}

/* Room for what functions hold; a part of a whole begins as it is there. */
static yoke_status take_holds(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;
    const yk_net_part *whole = b->spec->whole;

    for (int k = 0; k < p->functions; k++) {
        yk_part_function *fn = &p->function[k];
        fn->first_hold = p->holds;
        if (fn->held) p->holds += fn->held->holds;
    }
    YK_TRY(YK_TAKE(&p->arena, &p->held, p->holds + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->hold_function, p->holds + 1, err));
    for (int k = 0; k < p->functions; k++) {
        const yk_part_function *fn = &p->function[k];
        for (int j = 0; fn->held && j < fn->held->holds; j++) {
            const int at = fn->first_hold + j;
            p->hold_function[at] = k;
            if (!whole) continue;
            const int there =
                yk_part_function_of(whole, fn->element)->first_hold;
            yk_part_set_held(p, at, whole->held[there + j]);
        }
    }
    return YOKE_OK;
}

static yoke_status build(yk_part_builder *b, yoke_err *err)
{
    yk_net_part *p = b->p;
    const yk_net_part_spec *spec = b->spec;

    p->circuit = b->c;
    p->level = 1.0;
    p->n = spec->count;
    p->values = spec->values;
    p->injections = spec->injections;
    YK_TRY(YK_TAKE(&p->arena, &p->variable, p->n + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->injected, p->injections + 1, err));
    for (int i = 0; i < p->n; i++) {
        p->variable[i] = spec->variable[i];
        b->c->local[spec->variable[i]] = i;
    }
    for (int k = 0; k < p->injections; k++)
        p->injected[k] = balance_row(b, spec->injection[k]);
    YK_TRY(collect(b, err));
    YK_TRY(take_rates(b, err));
    YK_TRY(stamp_rates(b, err));
    for (int k = 0; k < b->elements; k++)
        YK_TRY(stamp(b, begin_element(b, b->element[k]), err));
    YK_TRY(take_nonlinear(b, err));
    YK_TRY(take_holds(b, err));
    /* Every node has a place on the diagonal, for the shunt. */
    for (int i = 0; i < p->n; i++)
        if (p->variable[i] < b->c->nodes)
            YK_TRY(add(b, i, p->variable[i], 0.0, false, err));
    return yk_part_place(b, err);
}

/* `local` of every variable that the part has met. */
static void forget(const yk_part_builder *b)
{
    const yk_net_part *p = b->p;
    yk_circuit *c = b->c;

    for (int i = 0; i < b->spec->count; i++)
        c->local[b->spec->variable[i]] = -1;
    for (int k = 0; p->variable && k < p->n + p->foreign; k++)
        c->local[p->variable[k]] = -1;
    for (int k = 0; k < c->drivens; k++) c->local[c->driven[k]] = -1;
}

yoke_status yk_net_part_create(yk_net_part **out, yk_circuit *circuit,
                               const yk_net_part_spec *spec, yoke_err *err)
{
    yk_part_builder b = { .c = circuit,
                          .spec = spec,
                          .mirror_row = YK_NO_MIRROR };

    YK_TRY(YK_NEW(&b.p, 1, err));
    const yoke_status status = build(&b, err);
    forget(&b);
    YK_FREE(b.term, b.element);
    if (status != YOKE_OK)
        yk_part_free(b.p);
    else
        *out = b.p;
    return status;
}

int yk_part_foreign(const yk_net_part *part, const int **variable)
{
    if (variable) *variable = part->variable + part->n;
    return part->foreign;
}
