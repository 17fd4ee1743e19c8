/* comp/netlist/circuit/circuit.c -- variables of a circuit: nodes, branches,
 * and the nodes that sources drive. */
#include "comp/netlist/circuit/circuit.h"

#include "expr/policy.h"

#include <stdio.h>
#include <string.h>

/* ---- devices and their inner nodes --------------------------------------- */

static bool is_device(char kind)
{
    return kind == 'd' || kind == 'q' || kind == 'm' || kind == 'j';
}

static yoke_status make_devices(yk_circuit *c, yoke_err *err)
{
    yk_netlist *net = c->net;

    YK_TRY(YK_TAKE(&net->arena, &c->device, net->elements + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->pin, net->elements + 1, err));
    c->nodes = net->nodes;
    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        if (!is_device(el->kind)) continue;
        YK_TRY(yk_device_make(&c->device[e], net, e, &c->env, err));
        const yk_device *d = c->device[e];
        YK_TRY(YK_TAKE(&net->arena, &c->pin[e], d->nodes, err));
        for (int k = 0; k < d->nodes - d->rates; k++)
            c->pin[e][k] = k >= d->terminals ? c->nodes++
                           : k < el->nodes   ? el->node[k]
                                             : 0;
    }
    return YOKE_OK;
}

/* One derivative for each node at which a device wants it, ground's is 0. */
static yoke_status make_rates(yk_circuit *c, yoke_err *err)
{
    yk_netlist *net = c->net;
    int *rate = NULL;

    c->first_rate = c->nodes;
    YK_TRY(YK_TAKE(&net->arena, &rate, c->nodes + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->rate_node, c->nodes + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->rate_user, c->nodes + 1, err));
    for (int e = 0; e < net->elements; e++) {
        const yk_device *d = c->device[e];
        for (int k = 0; d && k < d->rates; k++) {
            const int node = c->pin[e][d->rate_of[k]];
            if (node && rate[node] == 0) {
                c->rate_node[c->nodes - c->first_rate] = node;
                c->rate_user[c->nodes - c->first_rate] = e;
                rate[node] = c->nodes++;
            }
            c->pin[e][d->nodes - d->rates + k] = rate[node];
        }
    }
    return YOKE_OK;
}

bool yk_circuit_is_rate(const yk_circuit *c, int variable)
{
    return variable >= c->first_rate && variable < c->nodes;
}

/* A line has the currents into both its ends. */
static int count_branches(const yk_net_element *el)
{
    if (el->kind == 't') return 2;
    return strchr("vleh", el->kind) != NULL ||
           (el->kind == 'b' && !el->is_current);
}

static yoke_status number_branches(yk_circuit *c, yoke_err *err)
{
    yk_netlist *net = c->net;

    YK_TRY(YK_TAKE(&net->arena, &c->branch, net->elements + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->owner, 2 * net->elements + 1, err));
    for (int e = 0; e < net->elements; e++) {
        const int count = count_branches(&net->element[e]);
        c->branch[e] = count ? c->nodes + c->branches : -1;
        for (int k = 0; k < count; k++) c->owner[c->branches++] = e;
        c->lines += net->element[e].kind == 't';
    }
    c->variables = c->nodes + c->branches;
    return YOKE_OK;
}

int yk_circuit_branch(const yk_circuit *c, int e, int k)
{
    return k < count_branches(&c->net->element[e]) ? c->branch[e] + k : -1;
}

/* ---- initial conditions -------------------------------------------------- */

bool yk_net_ic(const yk_net_element *el, int k, int *plus, int *minus,
               double *ic)
{
    static const struct {
        char kind;
        int k, plus, minus;
    } known[] = {
        { 'c', 0, 0, 1 }, { 'd', 0, 0, 1 }, { 'q', 0, 1, 2 },
        { 'q', 1, 0, 2 }, { 'm', 0, 0, 2 }, { 'm', 1, 1, 2 },
        { 'm', 2, 3, 2 }, { 'j', 0, 0, 2 }, { 'j', 1, 1, 2 },
    };
    static const char *const name[YK_NET_ICS] = { "ic", "ic2", "ic3" };
    bool given = false;

    if (!strchr("cdqmj", el->kind)) return false;
    *ic = yk_net_value(el->param, el->params, name[k], 0.0, &given);
    for (size_t i = 0; given && i < sizeof known / sizeof *known; i++)
        if (known[i].kind == el->kind && known[i].k == k &&
            known[i].plus < el->nodes) {
            *plus = known[i].plus;
            *minus = known[i].minus;
            return true;
        }
    return false;
}

/* ---- names --------------------------------------------------------------- */

static yoke_status name_one(yk_circuit *c, int at, const char *format,
                            const char *a, const char *b, yoke_err *err)
{
    return yk_arena_print(&c->net->arena, &c->name[at], err, format, a, b);
}

static yoke_status make_names(yk_circuit *c, yoke_err *err)
{
    yk_netlist *net = c->net;

    YK_TRY(YK_TAKE(&net->arena, &c->name, c->variables + 1, err));
    c->name[0] = "v(0)";
    for (int n = 1; n < net->nodes; n++)
        YK_TRY(name_one(c, n, yk_net_is_probe(net, n) ? "%s%s" : "v(%s)%s",
                        net->node[n], "", err));
    for (int e = 0; e < net->elements; e++) {
        const yk_device *d = c->device[e];
        for (int k = d ? d->terminals : 0; d && k < d->nodes - d->rates; k++)
            YK_TRY(name_one(c, c->pin[e][k], "v(%s#%s)", net->element[e].name,
                            d->internal[k - d->terminals], err));
        for (int k = 0; k < count_branches(&net->element[e]); k++)
            YK_TRY(name_one(c, c->branch[e] + k, "i(%s%s)",
                            net->element[e].name,
                            net->element[e].kind != 't' ? ""
                            : k                         ? "#2"
                                                        : "#1",
                            err));
    }
    for (int v = c->first_rate; v < c->nodes; v++)
        YK_TRY(name_one(c, v, "d%s%s", c->name[c->rate_node[v - c->first_rate]],
                        "", err));
    return YOKE_OK;
}

/* "wave1(t1)": what arrives at the first end. */
static yoke_status make_waves(yk_circuit *c, yoke_err *err)
{
    yk_netlist *net = c->net;
    int count = 0;

    YK_TRY(YK_TAKE(&net->arena, &c->wave, 2 * c->lines + 1, err));
    for (int e = 0; c->lines && e < net->elements; e++)
        for (int end = 0; net->element[e].kind == 't' && end < 2; end++) {
            const char *text = NULL;
            YK_TRY(yk_arena_print(&net->arena, &text, err, "wave%d(%s)",
                                  end + 1, net->element[e].name));
            c->wave[count++] =
                (yk_part_value){ .element = e, .input = text, .end = end };
        }
    return YOKE_OK;
}

/* ---- driven nodes -------------------------------------------------------- */

/* Node b of source e becomes driven, its other node a is known already. */
static void drive(yk_circuit *c, int e, int a, int b)
{
    c->driver[b] = e;
    c->below[b] = a;
    c->sign[b] = c->net->element[e].node[0] == b ? 1.0 : -1.0;
    c->driven[c->drivens++] = b;
}

static bool is_known(const yk_circuit *c, int node)
{
    return node == 0 || c->driver[node] >= 0;
}

/* Every source between two known nodes closes a loop of sources: its current is
 * not determined. */
static yoke_status check_loop(const yk_circuit *c, int e, yoke_err *err)
{
    const yk_net_element *el = &c->net->element[e];

    return yk_net_fail(
        err, YOKE_E_MODEL, el->at,
        "voltage source %s closes a loop of voltage sources between nodes %s "
        "and %s: its current is not determined; put a resistance in series",
        el->name, c->net->node[el->node[0]], c->net->node[el->node[1]]);
}

static bool can_drive(const yk_circuit *c, int e, const bool *external)
{
    return c->net->element[e].kind == 'v' && !(external && external[e]);
}

/* Sources between nodes that are not known yet are looked at again whenever one
 * of their nodes becomes known: a list for each node. */
static yoke_status find_driven(yk_circuit *c, const bool *external,
                               yoke_err *err)
{
    yk_netlist *net = c->net;
    int *start = NULL, *list = NULL;
    bool *used = NULL;

    YK_TRY(YK_TAKE(&net->arena, &c->driver, c->nodes + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->below, c->nodes + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->sign, c->nodes + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->driven, c->nodes + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &start, c->nodes + 2, err));
    YK_TRY(YK_TAKE(&net->arena, &used, net->elements + 1, err));
    for (int n = 0; n < c->nodes; n++) c->driver[n] = -1;
    for (int e = 0; e < net->elements; e++)
        if (can_drive(c, e, external))
            for (int k = 0; k < 2; k++) start[net->element[e].node[k] + 1]++;
    for (int n = 0; n <= c->nodes; n++) start[n + 1] += start[n];
    YK_TRY(YK_TAKE(&net->arena, &list, start[c->nodes + 1] + 1, err));
    for (int e = net->elements - 1; e >= 0; e--)
        if (can_drive(c, e, external))
            for (int k = 0; k < 2; k++) {
                const int n = net->element[e].node[k];
                list[--start[n + 1]] = e;
            }
    /* start[n + 1] is now the beginning of the list of n. */
    for (int at = -1; at < c->drivens; at++) {
        const int n = at < 0 ? 0 : c->driven[at];
        const int end = n + 2 <= c->nodes ? start[n + 2] : start[c->nodes + 1];
        for (int k = start[n + 1]; k < end; k++) {
            const int e = list[k];
            const int *node = net->element[e].node;
            const int other = node[0] == n ? node[1] : node[0];
            if (used[e]) continue;
            used[e] = true;
            if (is_known(c, other)) return check_loop(c, e, err);
            drive(c, e, n, other);
        }
    }
    return YOKE_OK;
}

/* Is a node at a constant voltage against ground? */
static bool is_constant(const yk_circuit *c, int node)
{
    for (; node; node = c->below[node]) {
        if (c->driver[node] < 0) return false;
        const yk_net_source *s = c->net->element[c->driver[node]].source;
        if (s && s->shape != YK_SHAPE_NONE) return false;
    }
    return true;
}

/* The derivative of a constant is that of ground. */
static void drop_rates(yk_circuit *c)
{
    for (int e = 0; c->first_rate < c->nodes && e < c->net->elements; e++) {
        const yk_device *d = c->device[e];
        for (int k = d ? d->nodes - d->rates : 0; d && k < d->nodes; k++)
            if (!yk_circuit_has(c, c->pin[e][k])) c->pin[e][k] = 0;
    }
}

/* ---- wanted currents ----------------------------------------------------- */

void yk_circuit_want(yk_circuit *c, int element)
{
    const int branch = c->branch[element];

    if (branch < 0 || c->wanted[branch - c->nodes]) return;
    c->wanted[branch - c->nodes] = true;
    /* The balance at its node contains the sources that hang on it. */
    for (int k = 0; k < c->drivens; k++) {
        const int n = c->driven[k], below = c->below[n];
        if (below && c->wanted[c->branch[c->driver[below]] - c->nodes])
            c->wanted[c->branch[c->driver[n]] - c->nodes] = true;
    }
}

static bool drives(const yk_circuit *c, int e)
{
    for (int k = 0; k < 2; k++) {
        const int n = c->net->element[e].node[k];
        if (c->driver[n] == e) return true;
    }
    return false;
}

int yk_circuit_balance(const yk_circuit *c, int node)
{
    if (node == 0) return -1;
    if (c->driver[node] < 0) return node;
    const int branch = c->branch[c->driver[node]];
    return c->wanted[branch - c->nodes] ? branch : -1;
}

bool yk_circuit_has(const yk_circuit *c, int variable)
{
    if (variable <= 0) return false;
    if (yk_circuit_is_rate(c, variable))
        return !is_constant(c, c->rate_node[variable - c->first_rate]);
    if (variable < c->nodes) return c->driver[variable] < 0;
    const int e = c->owner[variable - c->nodes];
    return c->net->element[e].kind != 'v' || !drives(c, e) ||
           c->wanted[variable - c->nodes];
}

/* Currents that other elements read. */
static void want_controls(yk_circuit *c)
{
    const yk_netlist *net = c->net;

    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        if (el->kind != 'k')
            for (int k = 0; k < el->controls; k++)
                yk_circuit_want(c, el->control[k]);
        for (int k = 0; el->expr && k < el->expr->vars; k++)
            if (el->expr->var[k].is_current)
                yk_circuit_want(c, el->expr->var[k].a);
    }
}

/* ---- which elements occur in which equation ------------------------------ */

/* Calls `take` for every variable whose equation may contain element e. */
static void each_touched(yk_circuit *c, int e,
                         void (*take)(yk_circuit *c, int variable, int e))
{
    const yk_net_element *el = &c->net->element[e];
    const int *pin = c->pin[e] ? c->pin[e] : el->node;
    const int pins = c->device[e] ? c->device[e]->nodes - c->device[e]->rates
                     : strchr("rclviefghbsw", el->kind) ? 2
                     : el->kind == 't'                  ? 4
                                                        : 0;

    if (el->kind == 'y') take(c, el->node[0], e);
    for (int k = 0; k < pins; k++)
        if (pin[k]) take(c, pin[k], e);
    for (int k = 0; k < count_branches(el); k++) take(c, c->branch[e] + k, e);
    for (int k = 0; el->kind == 'k' && k < el->controls; k++)
        take(c, c->branch[el->control[k]], e);
}

static void count_touch(yk_circuit *c, int variable, int e)
{
    (void)e;
    c->touch_start[variable + 1]++;
}

static void put_touch(yk_circuit *c, int variable, int e)
{
    c->touch[c->touch_start[variable]++] = e;
}

static yoke_status find_touches(yk_circuit *c, yoke_err *err)
{
    yk_arena *arena = &c->net->arena;
    const int elements = c->net->elements;

    YK_TRY(YK_TAKE(arena, &c->local, c->variables + 1, err));
    YK_TRY(YK_TAKE(arena, &c->mark, elements + 1, err));
    YK_TRY(YK_TAKE(arena, &c->touch_start, c->variables + 2, err));
    for (int v = 0; v < c->variables; v++) c->local[v] = -1;
    for (int e = 0; e < elements; e++) each_touched(c, e, count_touch);
    for (int v = 0; v < c->variables; v++)
        c->touch_start[v + 1] += c->touch_start[v];
    YK_TRY(YK_TAKE(arena, &c->touch, c->touch_start[c->variables] + 1, err));
    for (int e = 0; e < elements; e++) each_touched(c, e, put_touch);
    for (int v = c->variables; v > 0; v--)
        c->touch_start[v] = c->touch_start[v - 1];
    c->touch_start[0] = 0;
    return YOKE_OK;
}

/* ---- creation ------------------------------------------------------------ */

/* ---- branches of expressions ---------------------------------------------- */

/* Voltages that sources give are functions of time, which have breakpoints. */
static yoke_status hold_one(yk_circuit *c, int e, bool kinks, yoke_err *err)
{
    const yk_net_expr *x = c->net->element[e].expr;
    const int variables = x->vars + 1; /* the last one is that of a law */
    bool *open = NULL;

    YK_TRY(YK_NEW(&open, variables, err));
    for (int k = 0; k < x->vars; k++)
        open[k] = x->var[k].is_current || !is_known(c, x->var[k].a) ||
                  !is_known(c, x->var[k].b);
    const yoke_status status =
        yk_held_make(&c->held[e], &c->net->arena, x->steps, x->step, variables,
                     open, kinks, err);
    yk_free(open);
    return status;
}

static yoke_status tell_held(yk_circuit *c, int e, yoke_err *err)
{
    const yk_net_element *el = &c->net->element[e];
    const yk_net_place at = el->expr ? el->expr->at : el->at;
    const bool is_switch = el->kind == 's' || el->kind == 'w';

    if (!c->held[e] && !is_switch) return YOKE_OK;
    return yk_arena_print(&c->net->arena, &c->held_text[e], err,
                          "%.60s:%d: %s%.100s", at.file, at.line,
                          is_switch ? "switch " : "",
                          is_switch ? el->name : el->expr->text);
}

static yoke_status hold_all(yk_circuit *c, bool with, int *kinks, yoke_err *err)
{
    for (int e = 0; e < c->net->elements; e++) {
        if (!c->net->element[e].expr) continue;
        YK_TRY(hold_one(c, e, with, err));
        if (c->held[e]) *kinks += c->held[e]->kinks;
    }
    return YOKE_OK;
}

/* With too many kinks only what jumps is held. */
static yoke_status hold_branches(yk_circuit *c, yoke_err *err)
{
    const yk_netlist *net = c->net;
    int kinks = 0;

    YK_TRY(YK_TAKE(&c->net->arena, &c->held, net->elements + 1, err));
    YK_TRY(YK_TAKE(&c->net->arena, &c->held_text, net->elements + 1, err));
    YK_TRY(hold_all(c, true, &kinks, err));
    if (kinks > YK_EXPR_KINKS) YK_TRY(hold_all(c, false, &kinks, err));
    for (int e = 0; e < net->elements; e++) YK_TRY(tell_held(c, e, err));
    return YOKE_OK;
}

/* ---- native code ---------------------------------------------------------- */

/* As parts evaluate it: with its branches held, if it has some. */
static yk_source_program program_of(const yk_circuit *c, int e)
{
    const yk_net_expr *x = c->net->element[e].expr;
    const yk_held *h = c->held[e];

    if (!x) return (yk_source_program){ .steps = 0 };
    if (h) return (yk_source_program){ h->steps, h->step, h->variables };
    return (yk_source_program){ x->steps, x->step, x->vars };
}

yoke_status yk_circuit_compile(yk_circuit *c, double rows,
                               const yoke_file_options *options, yoke_err *err)
{
    yk_netlist *net = c->net;
    yk_source_program *program = NULL;
    yoke_status status = YOKE_OK;
    yoke_err why = { .status = YOKE_OK };
    yk_native_report report;
    double steps = 0.0;

    if (!options || !options->compiler || net->compiled) return YOKE_OK;
    for (int e = 0; e < net->elements; e++) steps += program_of(c, e).steps;
    if (!(YK_EXPR_SAVED * steps * rows >= YK_EXPR_COMPILER)) return YOKE_OK;
    const yk_native_options how = { .compiler = options->compiler,
                                    .cache = options->cache,
                                    .scratch = options->scratch };
    YK_TRY(YK_NEW(&program, net->elements, err));
    for (int e = 0; e < net->elements; e++) program[e] = program_of(c, e);
    status = yk_compiled_create(&net->compiled, net->elements, program, rows,
                                &how, &report, &why);
    yk_free(program);
    /* Without a compiler the lists do the same. */
    if (status == YOKE_E_MISSING) return YOKE_OK;
    return status == YOKE_OK ? YOKE_OK : yk_fail(err, status, "%s", why.text);
}

yoke_status yk_circuit_create(yk_circuit **out, yk_netlist *net, double tstep,
                              double tstop, const bool *external, yoke_err *err)
{
    static const double kelvin = 273.15;
    yk_circuit *c = NULL;

    YK_TRY(YK_TAKE(&net->arena, &c, 1, err));
    c->net = net;
    c->stop = tstop;
    c->env = (yk_device_env){
        .temperature = yk_net_option(net, "temp", 27.0) + kelvin,
        .nominal = yk_net_option(net, "tnom", 27.0) + kelvin,
        .gmin = yk_net_option(net, "gmin", 1e-12),
        .scale = yk_net_option(net, "scale", 1.0),
        .meyer = yk_net_option(net, "meyer", 1.0) != 0.0,
    };
    if (net->elements == 0)
        return yk_fail(err, YOKE_E_MODEL,
                       "%s:1: the netlist has no element (the first line is "
                       "its title)",
                       net->path);
    YK_TRY(make_devices(c, err));
    YK_TRY(make_rates(c, err));
    YK_TRY(number_branches(c, err));
    YK_TRY(make_names(c, err));
    YK_TRY(make_waves(c, err));
    YK_TRY(YK_TAKE(&net->arena, &c->wanted, c->branches + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->source, net->elements + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &c->closed, net->elements + 1, err));
    for (int e = 0; e < net->elements; e++) c->closed[e] = net->element[e].on;
    for (int e = 0; e < net->elements; e++)
        if (net->element[e].source)
            YK_TRY(yk_source_make(&c->source[e], net->element[e].source, tstep,
                                  tstop, &net->arena, net->element[e].at, err));
    YK_TRY(find_driven(c, external, err));
    drop_rates(c);
    YK_TRY(hold_branches(c, err));
    want_controls(c);
    YK_TRY(find_touches(c, err));
    *out = c;
    return YOKE_OK;
}
