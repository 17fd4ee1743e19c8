/* comp/equation/ports.c -- which variable of an open port comes from outside.
 *
 * The flow of an open port comes from outside, its potential goes there: the
 * coupling `connect` of a system file makes potentials equal with the flows as
 * multipliers.  A model that has an equation for each flow is closed.
 *
 * Not every model can be driven like that.  A part between two pins has an
 * equation between its flows, p.i + n.i = 0, and an inductor would have to
 * differentiate its current.  Then all ways to choose are tried: those remain
 * for which the equations have a structure, and of these the one is taken that
 * differentiates no input, has the least index, and has the most potentials as
 * inputs, as in nodal analysis; of equal ones that with the flows of the first
 * ports.  If none differentiates less than the flows as inputs do, these stay.  An inductor or a resistor gets two potentials, a capacitor or a source
 * one of each.
 */
#include "comp/equation/ports.h"

#include "comp/equation/compile.h"
#include "comp/equation/structure/structure.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PORTS = 6, MOST_NAME = 300 }; /* 64 ways */

typedef struct ports {
    yk_flat *flat;
    bool outputs; /* the model declares some */
    int count;
    bool choice; /* each has one scalar potential */
    int flow[MOST_PORTS], potential[MOST_PORTS];
} ports;

/* True if `name` belongs to the same port as the flow variable `flow`. */
static bool same_port(const char *flow, const char *name)
{
    const char *dot = strrchr(flow, '.');

    return dot && strncmp(flow, name, (size_t)(dot - flow) + 1) == 0 &&
           !strchr(name + (dot - flow) + 1, '.');
}

/* Scalar unknowns less scalar equations, and scalar flows of open ports. */
static void count_ports(const yk_flat *flat, double *missing, double *flows)
{
    *missing = *flows = 0.0;
    for (int i = 0; i < flat->variables; i++) {
        const yk_flat_variable *v = &flat->variable[i];
        if (v->kind != YK_FLAT_UNKNOWN) continue;
        *missing += v->count;
        if (v->is_flow) *flows += v->count;
    }
    for (int i = 0; i < flat->equations; i++) {
        const yk_flat_equation *e = &flat->equation[i];
        double rows = 1.0;
        for (int k = 0; k < e->loops; k++) rows *= e->count[k];
        if (!e->initial) *missing -= rows;
    }
}

/* The only potential of the port, a scalar as its flow is; -1: there is none. */
static int potential_of(const yk_flat *flat, int flow)
{
    int found = -1;

    for (int j = 0; j < flat->variables; j++) {
        const yk_flat_variable *v = &flat->variable[j];
        if (j == flow || !same_port(flat->variable[flow].name, v->name))
            continue;
        if (found >= 0 || v->kind != YK_FLAT_UNKNOWN || v->is_flow ||
            v->count != 1 || flat->variable[flow].count != 1)
            return -1;
        found = j;
    }
    return found;
}

static void find_ports(ports *p)
{
    p->choice = true;
    for (int i = 0; i < p->flat->variables; i++) {
        const yk_flat_variable *v = &p->flat->variable[i];
        p->outputs = p->outputs || v->is_output;
        if (!v->is_flow || v->kind != YK_FLAT_UNKNOWN) continue;
        const int other = potential_of(p->flat, i);
        p->choice = p->choice && other >= 0 && p->count < MOST_PORTS;
        if (p->choice) {
            p->flow[p->count] = i;
            p->potential[p->count++] = other;
        }
    }
}

/* All flows come from outside. */
static void open_flows(const ports *p)
{
    for (int i = 0; i < p->flat->variables; i++) {
        yk_flat_variable *flow = &p->flat->variable[i];
        if (!flow->is_flow || flow->kind != YK_FLAT_UNKNOWN) continue;
        flow->kind = YK_FLAT_INPUT;
        for (int j = 0; p->outputs && j < p->flat->variables; j++)
            if (p->flat->variable[j].kind == YK_FLAT_UNKNOWN &&
                same_port(flow->name, p->flat->variable[j].name))
                p->flat->variable[j].is_output = true;
    }
}

/* Bit k of `way`: the potential of port k comes from outside. */
static void set_way(const ports *p, int way)
{
    for (int k = 0; k < p->count; k++) {
        yk_flat_variable *flow = &p->flat->variable[p->flow[k]];
        yk_flat_variable *potential = &p->flat->variable[p->potential[k]];
        const bool driven = way >> k & 1;
        flow->kind = driven ? YK_FLAT_UNKNOWN : YK_FLAT_INPUT;
        potential->kind = driven ? YK_FLAT_INPUT : YK_FLAT_UNKNOWN;
        flow->is_output = p->outputs && driven;
        potential->is_output = p->outputs && !driven;
    }
}

/* ---- The best way -------------------------------------------------------- */

/* Does an equation contain the derivative of an input? */
static bool asks_for_rates(const yk_model *m)
{
    for (int i = 0; i < m->equation.count; i++) {
        const yk_template *t = &m->equation.at[i];
        const int counter[YK_FLAT_LOOPS] = { 0 };
        for (int k = 0; k < t->refs; k++) {
            if (m->pool.node[t->ref[k]].order == 0) continue;
            const int e = yk_template_element(m, t, t->ref[k], counter);
            if (yk_is_input(m, m->root[e])) return true;
        }
    }
    return false;
}

/* Less is better; a way without a structure has none. */
enum { RATE = 1000000, INDEX = 1000, NO_WAY = 1000000000 };

static yoke_status weigh(const ports *p, int way, int *weight, yoke_err *why)
{
    yk_model model = { 0 };
    int flows = 0;

    set_way(p, way);
    const yoke_status status = yk_equation_analyse(&model, p->flat, why);
    for (int k = 0; k < p->count; k++) flows += !(way >> k & 1);
    *weight = status != YOKE_OK
                  ? NO_WAY
                  : (asks_for_rates(&model) ? RATE : 0) +
                        (model.index > 1 ? model.index : 0) * INDEX + flows;
    yk_eq_model_free(&model);
    return status == YOKE_E_MEMORY ? status : YOKE_OK;
}

static yoke_status tell_driven(const ports *p, int way,
                               const yk_equation_rates *rates, yoke_err *err)
{
    for (int k = 0; k < p->count && rates && rates->driven; k++) {
        const char *potential = p->flat->variable[p->potential[k]].name;
        const char *flow = p->flat->variable[p->flow[k]].name;
        char port[MOST_NAME];
        if (!(way >> k & 1)) continue;
        snprintf(port, sizeof port, "%.*s", (int)(strrchr(flow, '.') - flow),
                 flow);
        YK_TRY(rates->driven(rates->context, port, potential, flow, err));
    }
    return YOKE_OK;
}

static yoke_status choose(const ports *p, int *best, bool *none, yoke_err *err)
{
    int least = 0;

    *best = 0;
    YK_TRY(weigh(p, 0, &least, err));
    if (least < RATE) return YOKE_OK;
    if (least < NO_WAY) least = RATE;
    for (int way = (1 << p->count) - 1; way > 0; way--) {
        int weight = 0;
        YK_TRY(weigh(p, way, &weight, err));
        if (weight >= least) continue;
        least = weight;
        *best = way;
    }
    *none = least == NO_WAY;
    return YOKE_OK;
}

yoke_status yk_flat_open_ports(yk_flat *flat, const yk_equation_rates *rates,
                               bool *none, yoke_err *err)
{
    ports p = { .flat = flat };
    double missing = 0.0, flows = 0.0;
    yoke_err why = { .status = YOKE_OK };
    int way = 0;

    count_ports(flat, &missing, &flows);
    if (flows == 0.0 || missing != flows) return YOKE_OK;
    find_ports(&p);
    if (!p.choice) {
        open_flows(&p);
        return YOKE_OK;
    }
    if (choose(&p, &way, none, &why) != YOKE_OK)
        return yk_fail(err, YOKE_E_MEMORY, "%s", why.text);
    set_way(&p, way);
    return tell_driven(&p, way, rates, err);
}
