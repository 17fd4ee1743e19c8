/* comp/netlist/circuit/part_cells.c -- the cells of a circuit, for steppers
 * that leave alone what is at rest. */
#include "comp/netlist/circuit/part.h"

#include "sys/system.h"

#include <math.h>

/* ---- parts of it --------------------------------------------------------- */

/* Is the equation of the variable one of the part that is being made? */
static bool is_in(const yk_net_part *p, int variable)
{
    return variable >= 0 && p->unknown_of[variable] >= 0 &&
           p->in_part[p->unknown_of[variable]] == p->parts;
}

/* Where the value of an element enters. */
static bool has_value(const yk_net_part *p, int e)
{
    const yk_circuit *c = p->circuit;
    const int *node = c->net->element[e].node;

    if (c->branch[e] >= 0) return is_in(p, c->branch[e]);
    return is_in(p, yk_circuit_balance(c, node[0])) ||
           is_in(p, yk_circuit_balance(c, node[1]));
}

/* The inputs and outputs of the whole that belong to the part. */
static void choose(yk_net_part *p, yk_net_part_spec *spec, int *input,
                   int *output)
{
    int inputs = 0;

    for (int k = 0; k < p->values; k++)
        if (has_value(p, p->value[k].element)) {
            p->part_value[spec->values++] = p->value[k];
            input[inputs++] = p->foreign + k;
        }
    for (int k = 0; k < p->injections; k++)
        if (is_in(p, yk_circuit_balance(p->circuit, p->injection[k]))) {
            p->part_injection[spec->injections++] = p->injection[k];
            input[inputs++] = p->foreign + p->values + k;
        }
    for (int k = 0; k < p->outputs; k++)
        if (p->in_part[p->owner[k]] == p->parts) {
            p->part_shown[spec->outputs] = p->shown[k];
            output[spec->outputs++] = k;
        }
    spec->value = p->part_value;
    spec->injection = p->part_injection;
    spec->output = p->part_shown;
}

/* Numbers of the whole for what the part has. */
static yoke_status number(const yk_net_part *p, yk_net_part *inner,
                          yoke_err *err)
{
    YK_TRY(YK_TAKE(&inner->arena, &inner->foreign_unknown, inner->foreign + 1,
                   err));
    YK_TRY(YK_TAKE(&inner->arena, &inner->part_event,
                   yk_part_event_count(inner) + 1, err));
    for (int k = 0; k < inner->foreign; k++)
        inner->foreign_unknown[k] =
            p->unknown_of[inner->variable[inner->n + k]];
    for (int k = 0; k < inner->switches; k++)
        inner->part_event[k] =
            (int)(yk_part_closed(p, inner->sw[k].element) - p->closed);
    for (int k = 0; k < inner->holds; k++) {
        int j = 0;
        const int element = yk_part_hold_of(inner, k, &j)->element;
        inner->part_event[inner->switches + k] =
            p->switches + yk_part_function_of(p, element)->first_hold + j;
    }
    return YOKE_OK;
}

static yoke_status make_part(void *self, int unknowns, const int *unknown,
                             const double *x, yoke_cell_part *out,
                             yoke_err *err)
{
    yk_net_part *p = self, *inner = NULL;
    yk_net_part_spec spec = { .count = unknowns,
                              .variable = p->part_variable,
                              .start = p->start,
                              .whole = p };
    yoke_system *system = NULL;

    p->parts++;
    for (int k = 0; k < unknowns; k++) {
        p->part_variable[k] = p->variable[unknown[k]];
        p->start[p->part_variable[k]] = x[unknown[k]];
        p->in_part[unknown[k]] = p->parts;
    }
    choose(p, &spec, p->part_input, p->part_output);
    YK_TRY(yk_part_make(&system, &inner, p->name, p->circuit, &spec, err));
    yoke_status status = number(p, inner, err);
    if (status == YOKE_OK)
        status = YK_TAKE(&inner->arena, &inner->part_input,
                         spec.values + spec.injections + 1, err);
    if (status == YOKE_OK)
        status =
            YK_TAKE(&inner->arena, &inner->part_output, spec.outputs + 1, err);
    if (status != YOKE_OK) {
        yoke_system_free(system);
        return status;
    }
    for (int k = 0; k < spec.values + spec.injections; k++)
        inner->part_input[k] = p->part_input[k];
    for (int k = 0; k < spec.outputs; k++)
        inner->part_output[k] = p->part_output[k];
    *out = (yoke_cell_part){
        .system = system,
        .foreigns = inner->foreign,
        .foreign = inner->foreign_unknown,
        .inputs = spec.values + spec.injections,
        .input = inner->part_input,
        .outputs = spec.outputs,
        .output = inner->part_output,
        .event = inner->part_event,
    };
    return YOKE_OK;
}

/* ---- what keeps a cell awake --------------------------------------------- */

/* Are all sources at the cell's nodes constant? */
static bool is_still(void *self, int cell, double t0, double t1)
{
    const yk_net_part *p = self;

    for (int k = p->source_start[cell]; k < p->source_start[cell + 1]; k++)
        if (!yk_source_is_still(p->source_list[k], t0, t1)) return false;
    return true;
}

/* The value in a slot, and how far it may be from that: driven nodes are known
 * exactly. */
static double value_at(const yk_net_part *p, int slot, double t,
                       const double *x, const double *slack, double *open)
{
    double sum = 0.0;

    if (slot < 0) return 0.0;
    if (slot < p->n) {
        *open += slack[slot];
        return x[slot];
    }
    while (slot != p->ground) {
        const yk_part_driven *d = &p->driven[slot - p->n - p->m];
        sum += d->sign * yk_source_value(d->source, t);
        slot = d->below;
    }
    return sum;
}

static bool is_input(const yk_net_part *p, int slot)
{
    return slot >= p->n && slot < p->n + p->m;
}

static bool is_switch_far(const yk_net_part *p, int k, double t,
                          const double *x, const double *slack)
{
    const yk_part_switch *s = &p->sw[k];
    double open = 0.0;
    const double control = value_at(p, s->plus, t, x, slack, &open) -
                           value_at(p, s->minus, t, x, slack, &open);

    return !(open > 0.0) || yk_switch_beyond(s, p->closed[k], control) < -open;
}

/* How far a step of a function may be from its value. */
static double slack_of(const yk_part_function *fn, int step, const double *open)
{
    const yk_held *h = fn->held;
    double sum = 0.0;

    if (step < 0) return 0.0;
    yk_expr_gradient(h->step, step, fn->work, h->variables, fn->slope,
                     fn->work + h->steps);
    for (int v = 0; v < fn->vars; v++) sum += fabs(fn->slope[v]) * open[v];
    return sum;
}

static bool is_branch_far(const yk_net_part *p, int hold, double t,
                          const double *x, const double *slack)
{
    int k = 0;
    const yk_part_function *fn = yk_part_hold_of(p, hold, &k);
    const yk_hold *h = &fn->held->hold[k];
    double *open = fn->open;

    for (int v = 0; v < fn->vars; v++) {
        open[v] = 0.0;
        if (is_input(p, fn->plus[v]) || is_input(p, fn->minus[v])) return false;
        fn->arg[v] = value_at(p, fn->plus[v], t, x, slack, &open[v]) -
                     value_at(p, fn->minus[v], t, x, slack, &open[v]);
    }
    yk_expr_values(fn->held->step, fn->held->steps, t, fn->arg, fn->work);
    const double above = yk_hold_above(
        h, yk_held_argument(fn->held, k, fn->work), p->held[hold]);
    const double by =
        slack_of(fn, h->plus, open) + slack_of(fn, h->minus, open);
    return !(by > 0.0) || above < -by;
}

/* Are all its switches and held branches away from their levels? */
static bool is_far(void *self, int cell, double t, const double *x,
                   const double *slack)
{
    const yk_net_part *p = self;

    for (int j = p->first_event[cell]; j < p->first_event[cell + 1]; j++) {
        const int k = p->event_list[j];
        if (!(k < p->switches ? is_switch_far(p, k, t, x, slack)
                              : is_branch_far(p, k - p->switches, t, x, slack)))
            return false;
    }
    return true;
}

static void absorb(void *self, const yoke_system *part)
{
    yk_net_part *p = self;
    const yk_net_part *inner = part->self;

    for (int k = 0; k < inner->switches; k++)
        p->closed[inner->part_event[k]] = inner->closed[k];
    for (int k = 0; k < inner->holds; k++)
        yk_part_set_held(p,
                         inner->part_event[inner->switches + k] - p->switches,
                         inner->held[k]);
}

/* ---- description --------------------------------------------------------- */

/* The cell of a driven node is one in which its sources act: they wake it.
 * Returns an unknown of it, -1: there is none. */
static int owner_of(const yk_net_part *p, const int *cell, int variable)
{
    const yk_circuit *c = p->circuit;
    int n = variable, at = 0;

    if (p->unknown_of[variable] >= 0) return p->unknown_of[variable];
    while (n && c->source[c->driver[n]].shape == YK_SHAPE_NONE) n = c->below[n];
    if (n == 0) return 0; /* it is constant */
    const yk_stimulus *source = &c->source[c->driver[n]];
    while (at < p->source_start[p->cells.count] && p->source_list[at] != source)
        at++;
    if (at == p->source_start[p->cells.count]) return -1;
    for (int i = 0; i < p->n; i++)
        if (at >= p->source_start[cell[i]] && at < p->source_start[cell[i] + 1])
            return i;
    return -1;
}

static yoke_status find_owners(yk_net_part *p, const int *cell,
                               int *output_cell, bool *all, yoke_err *err)
{
    YK_TRY(YK_TAKE(&p->arena, &p->owner, p->outputs + 1, err));
    for (int k = 0; k < p->outputs; k++) {
        p->owner[k] = owner_of(p, cell, p->shown[k]);
        if (p->owner[k] < 0)
            *all = false;
        else
            output_cell[k] = cell[p->owner[k]];
    }
    return YOKE_OK;
}

/* Copies of what describes the whole, and room for that of a part. */
static yoke_status keep_spec(yk_net_part *p, const yk_net_part_spec *spec,
                             yoke_err *err)
{
    yk_arena *a = &p->arena;

    YK_TRY(YK_TAKE(a, &p->value, p->values + 1, err));
    YK_TRY(YK_TAKE(a, &p->part_value, p->values + 1, err));
    YK_TRY(YK_TAKE(a, &p->injection, p->injections + 1, err));
    YK_TRY(YK_TAKE(a, &p->part_injection, p->injections + 1, err));
    YK_TRY(YK_TAKE(a, &p->shown, p->outputs + 1, err));
    YK_TRY(YK_TAKE(a, &p->part_shown, p->outputs + 1, err));
    YK_TRY(YK_TAKE(a, &p->part_output, p->outputs + 1, err));
    YK_TRY(YK_TAKE(a, &p->part_input, p->values + p->injections + 1, err));
    YK_TRY(YK_TAKE(a, &p->part_variable, p->n + 1, err));
    YK_TRY(YK_TAKE(a, &p->in_part, p->n + 1, err));
    YK_TRY(YK_TAKE(a, &p->start, p->circuit->variables + 1, err));
    for (int k = 0; k < p->values; k++) p->value[k] = spec->value[k];
    for (int k = 0; k < p->injections; k++)
        p->injection[k] = spec->injection[k];
    for (int k = 0; k < p->outputs; k++) p->shown[k] = spec->output[k];
    return YOKE_OK;
}

/* The rows in which an event acts. */
static const int *rows_of(const yk_net_part *p, int event)
{
    int k = 0;

    if (event < p->switches) return p->sw[event].row;
    return yk_part_hold_of(p, event - p->switches, &k)->row;
}

/* Cell of each event, and the events of each cell. */
static yoke_status list_events(yk_net_part *p, int cells, const int *cell,
                               yoke_err *err)
{
    const int events = yk_part_event_count(p);

    YK_TRY(YK_TAKE(&p->arena, &p->event_cell, events + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->event_list, events + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->first_event, cells + 2, err));
    for (int k = 0; k < events; k++) {
        const int *row = rows_of(p, k);
        p->event_cell[k] = row[0] >= 0   ? cell[row[0]]
                           : row[1] >= 0 ? cell[row[1]]
                                         : 0;
        p->first_event[p->event_cell[k] + 1]++;
    }
    for (int c = 0; c < cells; c++) p->first_event[c + 1] += p->first_event[c];
    for (int k = 0; k < events; k++)
        p->event_list[p->first_event[p->event_cell[k]]++] = k;
    for (int c = cells; c > 0; c--) p->first_event[c] = p->first_event[c - 1];
    p->first_event[0] = 0;
    return YOKE_OK;
}

yoke_status yk_part_tell_cells(yk_net_part *p, const yk_net_part_spec *spec,
                               yoke_err *err)
{
    const yk_circuit *c = p->circuit;
    int *cell = NULL, *output_cell = NULL;
    bool all = true;

    YK_TRY(YK_TAKE(&p->arena, &cell, p->n + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &output_cell, p->outputs + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &p->unknown_of, c->variables + 1, err));
    for (int v = 0; v < c->variables; v++) p->unknown_of[v] = -1;
    for (int i = 0; i < p->n; i++) {
        cell[i] = spec->cell[p->variable[i]];
        p->unknown_of[p->variable[i]] = i;
    }
    YK_TRY(keep_spec(p, spec, err));
    YK_TRY(yk_part_sources(p, spec->cells, cell, err));
    YK_TRY(list_events(p, spec->cells, cell, err));
    p->cells = (yoke_cells){ .count = spec->cells,
                             .cell = cell,
                             .output_cell = output_cell,
                             .event_cell = p->event_cell,
                             .part = make_part,
                             .is_still = is_still,
                             .is_far = is_far,
                             .absorb = absorb };
    YK_TRY(find_owners(p, cell, output_cell, &all, err));
    if (!all) p->cells.count = 0;
    return YOKE_OK;
}
