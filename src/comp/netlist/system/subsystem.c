/* comp/netlist/system/subsystem.c -- a netlist as one subsystem of a system
 * file.
 *
 *     amp: {netlist: amp.cir, inputs: {c1: cd, vdrive: u},
 *           outputs: [v(out), i(l1)], ports: [out]}
 *
 * An input replaces the value of an element.  A port is a node into which a
 * current flows: output v(node), input into(node).  It begins at the operating
 * point with the values of the netlist and no current in the ports.
 */
#include "comp/netlist/system/calls.h"
#include "comp/netlist/system/system.h"

#include "base/bytes.h"
#include "comp/netlist/cut/partition.h"
#include "comp/netlist/cut/topology.h"
#include "comp/netlist/system/lines.h"
#include "comp/netlist/ngspice/read.h"
#include "base/near.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    yk_reader *r;
    const yk_yaml *node; /* of the subsystem */
    const char *name;
    int sets;
    yk_net_set *set; /* of each parameter */
    yk_net_system *about;
    yk_netlist *net;
    yk_circuit *c;
    bool *external;
    yk_net_part_spec spec;
    yk_part_value *value;
    int *port, *output;
    size_t output_room;
    double *start;
    double step; /* s, at which capacitors are compared with resistors */
} builder;

/* Names of a netlist are in lower case. */
static yoke_status lower(builder *b, const char *text, char **out,
                         yoke_err *err)
{
    const size_t length = strlen(text);

    YK_TRY(YK_TAKE(&b->net->arena, out, length + 1, err));
    for (size_t k = 0; k < length; k++)
        (*out)[k] = (char)tolower((unsigned char)text[k]);
    return YOKE_OK;
}

/* ---- elements by name ---------------------------------------------------- */

static yoke_status no_element(const builder *b, const char *name, yoke_err *err)
{
    const yk_netlist *net = b->net;
    enum { LISTED = 2000 };
    const int count = net->elements < LISTED ? net->elements : LISTED;
    const char **list = NULL;

    YK_TRY(YK_NEW(&list, count + 1, err));
    for (int e = 0; e < count; e++) list[e] = net->element[e].name;
    yk_fail(err, YOKE_E_FILE, "there is no element \"%.100s\" in %.200s", name,
            net->path);
    yk_file_suggest(err, name, count, list);
    yk_free(list);
    return YOKE_E_FILE;
}

static const char *kind_of(char kind)
{
    switch (kind) {
    case 'r':
        return "resistor";
    case 'c':
        return "capacitor";
    case 'l':
        return "inductor";
    case 'v':
        return "voltage source";
    case 'i':
        return "current source";
    case 'k':
        return "coupling of inductors";
    case 'd':
        return "diode";
    case 'q':
    case 'm':
    case 'j':
        return "transistor";
    case 's':
    case 'w':
        return "switch";
    case 't':
    case 'o':
        return "line";
    default:
        return "controlled source";
    }
}

/* Has it a value that can be replaced?  `by`: what replaces it. */
static yoke_status check_value(const builder *b, int e, const char *by,
                               yoke_err *err)
{
    const yk_net_element *el = &b->net->element[e];

    if (!strchr("rclvi", el->kind))
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.100s\" (%.200s:%d) is a %s: only the value of a "
                       "resistor, capacitor, inductor or independent source "
                       "can be %s",
                       el->name, el->at.file, el->at.line, kind_of(el->kind),
                       by);
    if (el->expr)
        return yk_fail(err, YOKE_E_FILE,
                       "the value of \"%.100s\" (%.200s:%d) is the expression "
                       "%.100s and cannot be %s",
                       el->name, el->at.file, el->at.line, el->expr->text, by);
    return YOKE_OK;
}

static yoke_status check_coupled(const builder *b, int e, yoke_err *err)
{
    const yk_netlist *net = b->net;

    for (int k = 0; net->element[e].kind == 'l' && k < net->elements; k++)
        for (int j = 0;
             net->element[k].kind == 'k' && j < net->element[k].controls; j++)
            if (net->element[k].control[j] == e)
                return yk_fail(err, YOKE_E_FILE,
                               "the inductor \"%.100s\" is coupled by "
                               "\"%.100s\" (%.200s:%d) and its value cannot "
                               "be an input",
                               net->element[e].name, net->element[k].name,
                               net->element[k].at.file,
                               net->element[k].at.line);
    return YOKE_OK;
}

/* ---- inputs -------------------------------------------------------------- */

static yoke_status add_input(builder *b, const char *element, const char *text,
                             yoke_err *err)
{
    yk_part_value *value = &b->value[b->spec.values];
    const char *input = NULL;
    char *name = NULL;

    YK_TRY(lower(b, element, &name, err));
    const int e = yk_net_find_element(b->net, name);
    if (e < 0) return no_element(b, name, err);
    YK_TRY(check_value(b, e, "an input", err));
    YK_TRY(check_coupled(b, e, err));
    if (!yk_is_name(text))
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.100s\" is not a name for an input: a letter first, "
                       "then letters, digits and _",
                       text);
    for (int k = 0; k < b->spec.values; k++)
        if (b->value[k].element == e || strcmp(b->value[k].input, text) == 0)
            return yk_fail(err, YOKE_E_FILE, "\"%.100s\" occurs twice",
                           b->value[k].element == e ? name : text);
    YK_TRY(yk_arena_print(&b->net->arena, &input, err, "%s", text));
    *value = (yk_part_value){ .element = e, .input = input };
    b->external[e] = true;
    b->spec.values++;
    return YOKE_OK;
}

static yoke_status read_inputs(builder *b, yoke_err *err)
{
    const yk_yaml *map = yk_yaml_find(b->node, "inputs");

    if (!map || yk_yaml_is_empty(map)) return YOKE_OK;
    YK_TRY(yk_file_want(b->r, map, YK_YAML_MAP, err));
    YK_TRY(YK_TAKE(&b->net->arena, &b->value, map->count + 1, err));
    for (const yk_yaml *e = map->first; e; e = e->next) {
        const char *text = NULL;
        YK_TRY(yk_file_text(b->r, e, &text, err));
        YK_TRY(
            yk_file_place_key(b->r, e, add_input(b, e->key, text, err), err));
    }
    b->spec.value = b->value;
    return YOKE_OK;
}

/* ---- ports --------------------------------------------------------------- */

static yoke_status add_port(builder *b, const char *text, yoke_err *err)
{
    const yk_netlist *net = b->net;
    char *name = NULL;

    YK_TRY(lower(b, text, &name, err));
    const int n = yk_net_find_node(net, name);
    if (n < 0) {
        yk_fail(err, YOKE_E_FILE, "there is no node \"%.100s\" in %.200s", name,
                net->path);
        yk_file_suggest(err, name, net->nodes < 2000 ? net->nodes : 2000,
                        net->node);
        return YOKE_E_FILE;
    }
    if (n == 0)
        return yk_fail(err, YOKE_E_FILE,
                       "ground is not a port: it is common to all netlists");
    for (int k = 0; k < b->spec.injections; k++)
        if (b->port[k] == n)
            return yk_fail(err, YOKE_E_FILE, "\"%.100s\" occurs twice", name);
    b->port[b->spec.injections++] = n;
    /* The node of a port is an unknown: no source drives it. */
    for (int e = 0; e < net->elements; e++)
        if (net->element[e].kind == 'v' &&
            (net->element[e].node[0] == n || net->element[e].node[1] == n))
            b->external[e] = true;
    return YOKE_OK;
}

static yoke_status read_ports(builder *b, yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(b->node, "ports");
    const yk_yaml **item = NULL;
    int count = 0;
    yoke_status status = YOKE_OK;

    if (!list || yk_yaml_is_empty(list)) return YOKE_OK;
    YK_TRY(yk_file_texts(b->r, list, &item, &count, err));
    YK_GO(YK_TAKE(&b->net->arena, &b->port, count + 1, err));
    for (int k = 0; k < count; k++)
        YK_GO(yk_file_place(b->r, item[k], 0, add_port(b, item[k]->text, err),
                            err));
    b->spec.injection = b->port;
done:
    yk_free(item);
    return status;
}

/* ---- outputs ------------------------------------------------------------- */

static yoke_status refuse_current(const builder *b, int e, yoke_err *err)
{
    const yk_net_element *el = &b->net->element[e];

    return yk_fail(
        err, YOKE_E_FILE,
        "the current of \"%.100s\" (%.200s:%d), a %s, is not a variable; put a "
        "voltage source of 0 V in series and take its current%s",
        el->name, el->at.file, el->at.line, kind_of(el->kind),
        el->kind == 'r' ? ", or use the voltages of its nodes" : "");
}

/* "i(name)" */
static yoke_status find_current(builder *b, const char *text, int *variable,
                                yoke_err *err)
{
    const size_t length = strlen(text);
    char *name = NULL;

    YK_TRY(lower(b, text + 2, &name, err));
    name[length - 3] = '\0';
    const int e = yk_net_find_element(b->net, name);
    if (e < 0) return no_element(b, name, err);
    if (b->c->branch[e] < 0) return refuse_current(b, e, err);
    yk_circuit_want(b->c, e);
    *variable = b->c->branch[e];
    return YOKE_OK;
}

static yoke_status find_voltage(const builder *b, const char *text,
                                int *variable, yoke_err *err)
{
    if (strchr(text, ','))
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.100s\" is a difference: make both voltages "
                       "outputs and subtract them in the coupling",
                       text);
    for (int v = 1; v < b->c->nodes; v++)
        if (strcmp(b->c->name[v], text) == 0) {
            *variable = v;
            return YOKE_OK;
        }
    yk_fail(err, YOKE_E_FILE, "there is no node for \"%.100s\" in %.200s", text,
            b->net->path);
    yk_file_suggest(err, text, b->c->nodes < 2000 ? b->c->nodes : 2000,
                    b->c->name);
    return YOKE_E_FILE;
}

static yoke_status add_output(builder *b, const char *given, yoke_err *err)
{
    char *text = NULL;
    int variable = 0;

    YK_TRY(lower(b, given, &text, err));
    const size_t length = strlen(text);
    const bool is_call =
        length > 3 && text[1] == '(' && text[length - 1] == ')';
    if (is_call && text[0] == 'v')
        YK_TRY(find_voltage(b, text, &variable, err));
    else if (is_call && text[0] == 'i')
        YK_TRY(find_current(b, text, &variable, err));
    else
        return yk_fail(err, YOKE_E_FILE,
                       "an output of a netlist is v(node) or i(element), not "
                       "\"%.100s\"",
                       given);
    for (int k = 0; k < b->spec.outputs; k++)
        if (b->output[k] == variable) return YOKE_OK;
    YK_TRY(YK_GROW(&b->output, &b->output_room, b->spec.outputs + 1, err));
    b->output[b->spec.outputs++] = variable;
    return YOKE_OK;
}

/* In the couplings. */
static yoke_status found_call(void *context, const yk_yaml *node, size_t at,
                              const char *call, yoke_err *err)
{
    builder *b = context;

    return yk_file_place(b->r, node, at, add_output(b, call, err), err);
}

/* Those that are listed, or else those that the couplings use; ports always. */
static yoke_status read_outputs(builder *b, yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(b->node, "outputs");
    const yk_yaml **item = NULL;
    int count = 0;
    yoke_status status = YOKE_OK;

    for (int k = 0; k < b->spec.injections; k++)
        YK_TRY(add_output(b, b->c->name[b->port[k]], err));
    if (!list && !b->r->couplings) return YOKE_OK;
    if (!list)
        return yk_net_find_calls(b->r->couplings, b->name, found_call, b, err);
    if (yk_yaml_is_empty(list)) return YOKE_OK;
    YK_TRY(yk_file_texts(b->r, list, &item, &count, err));
    for (int k = 0; status == YOKE_OK && k < count; k++)
        status = yk_file_place(b->r, item[k], 0,
                               add_output(b, item[k]->text, err), err);
    yk_free(item);
    return status;
}

/* ---- parameters: values of elements -------------------------------------- */

static void set_value(yk_net_element *el, double value)
{
    if (el->source) {
        el->source->dc = value;
        el->source->has_dc = true;
        el->source->shape = YK_SHAPE_NONE;
    }
    for (int k = 0; k < el->params; k++)
        if (strcmp(el->param[k].name, "value") == 0) el->param[k].value = value;
}

static yoke_status apply_parameter(builder *b, const yk_net_set *set,
                                   yoke_err *err)
{
    const int e = yk_net_find_element(b->net, set->name);

    if (e < 0 && set->used) return YOKE_OK; /* by the reader */
    if (e < 0) {
        no_element(b, set->name, err);
        yk_suffix(err, ", nor a .param");
        return YOKE_E_FILE;
    }
    if (set->used)
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.100s\" is an element and a .param of %.200s: "
                       "rename one of them",
                       set->name, b->net->path);
    YK_TRY(check_value(b, e, "set", err));
    if (b->net->element[e].kind == 'r' && set->value == 0.0)
        return yk_fail(err, YOKE_E_FILE, "the resistance of \"%.100s\" is zero",
                       set->name);
    set_value(&b->net->element[e], set->value);
    return YOKE_OK;
}

static yoke_status apply_parameters(builder *b, const yk_entries *parameters,
                                    yoke_err *err)
{
    for (int i = 0; i < b->sets; i++)
        YK_TRY(yk_file_place_entry(&parameters->entry[i], 0,
                                   apply_parameter(b, &b->set[i], err), err));
    return YOKE_OK;
}

/* 5m is 5e-3 in a netlist and 5 metres here. */
static yoke_status refuse_suffix(const yk_file_value *entry, yoke_err *err)
{
    static const char *const suffix[] = { "t", "g", "meg", "k", "m",
                                          "u", "n", "p",   "f", "mil" };
    char *end = NULL;

    strtod(entry->text, &end);
    for (size_t k = 0; k < sizeof suffix / sizeof suffix[0]; k++) {
        size_t same = 0;
        while (suffix[k][same] &&
               tolower((unsigned char)end[same]) == suffix[k][same])
            same++;
        if (end == entry->text || suffix[k][same] || end[same]) continue;
        yk_fail(err, YOKE_E_FILE,
                "\"%.40s\" has a suffix of SPICE; write a number such as 2e3, "
                "or one with its unit, 2 kOhm",
                entry->text);
        return yk_file_place_entry(entry, 0, YOKE_E_FILE, err);
    }
    return YOKE_OK;
}

/* Parameters of the subsystem for the reader. */
static yoke_status make_sets(builder *b, yk_entries *parameters, yoke_err *err)
{
    for (int i = 0; i < parameters->count; i++)
        YK_TRY(refuse_suffix(&parameters->entry[i], err));
    YK_TRY(yk_file_values(parameters, err));
    YK_TRY(YK_NEW(&b->set, parameters->count + 1, err));
    for (int i = 0; i < parameters->count; i++) {
        yk_net_set *set = &b->set[b->sets++];
        set->value = parameters->value[i];
        YK_TRY(yk_copy_text(&set->name, parameters->entry[i].name, err));
        for (char *p = set->name; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    }
    return YOKE_OK;
}

/* ---- start --------------------------------------------------------------- */

/* A port that nothing but its current joins with ground begins at 0 V, or at
 * the level of .ic: no direct current flows in what holds it. */
static yoke_status hold_ports(builder *b, yoke_err *err)
{
    yk_netlist *net = b->net;
    yk_net_level *ic = NULL;
    int *group = NULL;
    yoke_status status = YOKE_OK;

    YK_TRY(yk_ints(&group, (size_t)b->c->nodes + 1, err));
    YK_GO(yk_circuit_groups(b->c, group, err));
    YK_GO(YK_TAKE(&net->arena, &ic, net->ics + b->spec.injections + 1, err));
    for (int k = 0; k < net->ics; k++) ic[k] = net->ic[k];
    net->ic = ic;
    for (int k = 0; k < b->spec.injections; k++) {
        const int g = group[b->port[k]];
        bool held = g == 0;
        for (int j = 0; !held && j < net->ics; j++)
            held = group[ic[j].node] == g;
        if (!held)
            ic[net->ics++] = (yk_net_level){ .node = b->port[k],
                                             .at = net->node_at[b->port[k]] };
    }
done:
    yk_free(group);
    return status;
}

static yoke_status find_start(builder *b, yk_op_report *report, yoke_err *err)
{
    YK_TRY(YK_TAKE(&b->net->arena, &b->start, b->c->variables + 1, err));
    YK_TRY(hold_ports(b, err));
    YK_TRY(yk_net_system_check(b->about, b->c, true, err));
    YK_TRY(yk_circuit_op(b->c, 0.0, b->start, report, err));
    b->spec.start = b->start;
    return YOKE_OK;
}

/* ---- the subsystem ------------------------------------------------------- */

/* Steps and end of the run, for what sources leave open. */
static yoke_status make_circuit(builder *b, yoke_err *err)
{
    const yoke_run_options *run = &b->r->file->run;
    double stop = run->stop > 0.0 ? run->stop : 1.0;
    double step = run->every > 0.0 ? run->every : stop / 100.0;

    for (int k = 0; k < b->net->tasks; k++)
        if (b->net->task[k].kind == YK_TASK_TRAN) {
            step = b->net->task[k].tstep;
            stop = b->net->task[k].tstop;
        }
    b->step = fmin(step, stop / 100.0);
    YK_TRY(yk_circuit_create(&b->c, b->net, step, stop, b->external, err));
    YK_TRY(yk_circuit_tell_values(b->c, err));
    return yk_circuit_compile(b->c, stop / step, b->r->options, err);
}

static yoke_status list_unknowns(builder *b, yoke_err *err)
{
    int *own = NULL;

    YK_TRY(YK_TAKE(&b->net->arena, &own, b->c->variables + 1, err));
    for (int v = 1; v < b->c->variables; v++)
        if (yk_circuit_has(b->c, v)) own[b->spec.count++] = v;
    if (b->spec.count == 0)
        return yk_fail(err, YOKE_E_MODEL,
                       "%.200s has no unknowns: sources drive all nodes",
                       b->net->path);
    b->spec.variable = own;
    b->spec.output = b->output;
    b->spec.dotted = true;
    return YOKE_OK;
}

/* Its cells, of which those at rest need not be solved. */
static yoke_status find_cells(builder *b, yoke_err *err)
{
    yk_partition_options o = yk_partition_defaults();
    yk_partition cut;

    o.cut = YK_CUT_NONE;
    o.step = b->step;
    YK_TRY(yk_circuit_cut(b->c, b->start, &o, &cut, err));
    b->spec.cells = cut.cells;
    b->spec.cell = cut.cell;
    return YOKE_OK;
}

/* One line: what was made, what is left out, and the first remark. */
static yoke_status report(const builder *b, const yoke_system *system,
                          const yk_op_report *op, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(system);
    const yk_netlist *net = b->net;
    char left[80] = "";

    if (net->tasks > 0)
        snprintf(left, sizeof left,
                 "; its analyses (line %d) are left to the system file",
                 net->task[0].at.line);
    return yk_file_report(
        b->r->file, err,
        "%s: netlist %.300s: %d elements, %d unknowns in %d cells, %d inputs, "
        "%d outputs; "
        "operating point by %s, %d iterations%s%s%.400s",
        b->name, net->path, net->elements, f->n, b->spec.cells, f->m, f->p,
        op->way, op->iterations, left, b->about->findings ? "; " : "",
        b->about->findings ? b->about->finding[0] : "");
}

/* What the system file says about the netlist. */
static yoke_status configure(builder *b, const yk_entries *parameters,
                             yoke_err *err)
{
    YK_TRY(YK_TAKE(&b->net->arena, &b->external, b->net->elements + 1, err));
    YK_TRY(apply_parameters(b, parameters, err));
    YK_TRY(read_inputs(b, err));
    YK_TRY(read_ports(b, err));
    YK_TRY(yk_file_place(b->r, yk_yaml_find(b->node, "netlist"), 0,
                         make_circuit(b, err), err));
    return read_outputs(b, err);
}

/* What lines read of the circuit is an output too, and what arrives at their
 * ends an input; the signals between them follow when the system is there. */
static yoke_status add_lines(builder *b, yoke_err *err)
{
    bool *read = NULL;

    if (b->c->lines == 0) return YOKE_OK;
    YK_TRY(YK_TAKE(&b->net->arena, &read, b->c->variables + 1, err));
    yk_lines_read(b->c, read);
    for (int k = 0; k < b->spec.outputs; k++) read[b->output[k]] = false;
    for (int v = 1; v < b->c->variables; v++) {
        if (!read[v]) continue;
        YK_TRY(YK_GROW(&b->output, &b->output_room, b->spec.outputs + 1, err));
        b->output[b->spec.outputs++] = v;
    }
    b->r->pending = b->c;
    return yk_lines_inputs(b->c, NULL, 0, &b->spec, err);
}

static yoke_status build(builder *b, yoke_system **out, yoke_err *err)
{
    yk_op_report op = { 0, "" };

    YK_TRY(find_start(b, &op, err));
    YK_TRY(add_lines(b, err));
    YK_TRY(list_unknowns(b, err));
    YK_TRY(find_cells(b, err));
    YK_TRY(yk_part_make(out, NULL, b->name, b->c, &b->spec, err));
    return report(b, *out, &op, err);
}

static yoke_status warn_hints(yk_netlist *net, yoke_err *err)
{
    for (int k = 0; k < net->hints; k++)
        YK_TRY(yk_net_warn(net, err, net->hint[k].at,
                           "\"* yoke:\" lines have no effect here: in a "
                           "system file a netlist is one subsystem"));
    return YOKE_OK;
}

static yoke_status read_netlist(builder *b, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_file *inner = NULL;
    yk_net_system *s = NULL;

    YK_TRY(yk_bytes_readable(path, err));
    YK_TRY(YK_NEW(&inner, 1, err));
    YK_GO(yk_copy_text(&inner->name, b->name, err));
    YK_GO(yk_net_system_create(inner, &s, err));
    YK_GO(
        yk_netlist_read_set(&s->netlist, path, NULL, 0, b->sets, b->set, err));
    YK_GO(yk_net_system_inputs(inner, s->netlist, err));
    YK_GO(warn_hints(s->netlist, err));
    b->about = s;
    b->net = s->netlist;
    return yk_file_keep(b->r->file, inner, err);
done:
    yoke_file_free(inner);
    return status;
}

/* The lines of a netlist are signals from it to itself. */
yoke_status yk_net_subsystem_added(yk_reader *r, const yk_yaml *node,
                                   yoke_err *err)
{
    const yk_circuit *circuit = r->pending;

    r->pending = NULL;
    if (!circuit) return YOKE_OK;
    return yk_file_place_key(r, node,
                             yk_lines_connect(yoke_model_graph(r->file->model),
                                              circuit, NULL, node->key, false,
                                              err),
                             err);
}

yoke_status yk_net_subsystem(yk_reader *r, const yk_yaml *node,
                             const yk_yaml *given, yk_entries *parameters,
                             yoke_system **out, yoke_err *err)
{
    builder b = { .r = r, .node = node, .name = node->key };
    yoke_status status = YOKE_OK;
    const char *name = NULL;
    char *path = NULL;
    bool elsewhere = false;

    YK_TRY(yk_ngspice_wanted(r, node, &elsewhere, err));
    if (elsewhere) return yk_ngspice_read(r, node, given, parameters, out, err);
    YK_TRY(yk_file_text(r, given, &name, err));
    YK_TRY(yk_file_input(r, &path, name, err));
    YK_GO(make_sets(&b, parameters, err));
    YK_GO(yk_file_place(r, given, 0, read_netlist(&b, path, err), err));
    YK_GO(configure(&b, parameters, err));
    YK_GO(yk_file_place(r, given, 0, build(&b, out, err), err));
    YK_GO(yk_facts_part(&r->file->facts, node->key, "netlist", path, NULL,
                        parameters, err));
done:
    if (status == YOKE_E_MISSING)
        yk_suffix(err, "; if ngspice takes it, so does engine: ngspice");
    for (int i = 0; i < b.sets; i++) yk_free(b.set[i].name);
    YK_FREE(b.set, b.output, path);
    return status;
}
