/* sim/file_netlist.c -- a netlist as a system: its parts, what couples them,
 * and the run that its .tran line asks for. */
#include "sim/file.h"

#include "comp/netlist/measure.h"
#include "sim/file_netlist_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double preset_reltol = 1e-4; /* tighter than that of SPICE, which
                                             does not bound the error */
static const double preset_vntol = 1e-6;

bool yk_file_is_netlist(const char *path)
{
    static const char *const tails[] = { ".cir", ".ckt", ".net",
                                         ".sp",  ".spi", ".spice" };
    const size_t length = strlen(path);

    for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++) {
        const size_t tail = strlen(tails[k]);
        if (length <= tail) continue;
        size_t same = 0;
        while (same < tail &&
               tolower((unsigned char)path[length - tail + same]) ==
                   tails[k][same])
            same++;
        if (same == tail) return true;
    }
    return false;
}

/* ---- what the netlist asks for ----------------------------------------------
 */

static const yk_net_task *find_task(const yk_netlist *net,
                                    yk_net_task_kind kind)
{
    for (int k = 0; k < net->tasks; k++)
        if (net->task[k].kind == kind) return &net->task[k];
    return NULL;
}

static double option(const yk_netlist *net, const char *name, double preset)
{
    return yk_net_value(net->option, net->options, name, preset, NULL);
}

typedef struct wish_list {
    yk_netlist *net;
    const char *analysis;
    yk_net_place at;
} wish_list;

static yoke_status add_wish(void *context, const char *name, yoke_err *err)
{
    const wish_list *list = context;
    yk_netlist *net = list->net;
    const size_t length = strlen(name);
    char *copy = NULL;

    YK_TRY(YK_TAKE(&net->arena, &copy, length + 1, err));
    memcpy(copy, name, length + 1);
    net->wish[net->wishes++] = (yk_net_wish){ list->analysis, copy, list->at };
    return YOKE_OK;
}

/* What .measure tran needs is to be recorded.  Without other wishes everything
 * is, unless it is too much. */
static yoke_status wish_measured(yk_netlist *net, yoke_err *err)
{
    enum { MUCH = 500 };
    wish_list list = { .net = net, .analysis = "measure" };
    yk_net_wish *wish = NULL;
    int most = net->wishes + 1;

    if (net->nodes > MUCH) list.analysis = "tran";
    for (int k = 0; k < net->wishes; k++)
        if (!net->wish[k].analysis[0] ||
            strcmp(net->wish[k].analysis, "tran") == 0)
            list.analysis = "tran";
    for (int k = 0; k < net->measures; k++)
        most += yk_net_measure_most(&net->measure[k]);
    YK_TRY(YK_TAKE(&net->arena, &wish, most, err));
    if (net->wishes)
        memcpy(wish, net->wish, (size_t)net->wishes * sizeof *wish);
    net->wish = wish;
    for (int k = 0; k < net->measures; k++) {
        list.at = net->measure[k].at;
        if (strcmp(net->measure[k].analysis, "tran") == 0)
            YK_TRY(
                yk_net_measure_columns(&net->measure[k], add_wish, &list, err));
    }
    return YOKE_OK;
}

/* Lines of .measure that cannot be understood are refused before the run: they
 * are tried on a table of zeros. */
static yoke_status check_measures(const yk_circuit *c, yoke_err *err)
{
    const yk_netlist *net = c->net;
    yoke_status status = YOKE_OK;
    yk_net_rows rows = { .columns = c->variables, .rows = 2 };

    if (net->measures == 0) return YOKE_OK;
    YK_GO(YK_NEW(&rows.name, c->variables, err));
    YK_GO(YK_NEW(&rows.value, 4 * (size_t)c->variables, err));
    memcpy(rows.name, c->name, (size_t)c->variables * sizeof *rows.name);
    for (int k = 0; k < net->measures; k++) {
        yoke_err why = { YOKE_OK, "" };
        double value;
        rows.is_complex = strcmp(net->measure[k].analysis, "ac") == 0;
        rows.name[0] = rows.is_complex ? "frequency" : "time";
        const size_t second = (rows.is_complex ? 2 : 1) * (size_t)c->variables;
        rows.value[second] = 1.0; /* the scale */
        if (yk_net_measure_eval(&net->measure[k], &rows, NULL, &value, &why) ==
            YOKE_E_ARG)
            YK_GO(yk_fail(err, YOKE_E_ARG, "%s", why.text));
        rows.value[second] = 0.0;
    }
done:
    yk_net_rows_clear(&rows);
    return status;
}

/* Currents of sources that are to be shown are solved for. */
static void want_shown(yk_circuit *c)
{
    const yk_netlist *net = c->net;
    char name[256];

    for (int k = 0; k < net->wishes; k++) {
        const yk_net_wish *w = &net->wish[k];
        if (sscanf(w->text, "i(%255[^)])", name) != 1) continue;
        const int e = yk_net_find_element(net, name);
        if (e >= 0) yk_circuit_want(c, e);
    }
}

static yoke_status refuse_hint(const yk_net_hint *h, yoke_err *err)
{
    return yk_net_fail(err, YOKE_E_FILE, h->at,
                       "\"%.40s%s%.40s\" after \"* yoke:\" is not known; there "
                       "are partition none, partition cells [size], partition "
                       "hierarchy, latent yes and latent no",
                       h->words > 0 ? h->word[0] : "", h->words > 1 ? " " : "",
                       h->words > 1 ? h->word[1] : "");
}

static yoke_status take_partition(const yk_net_hint *h, yk_partition_options *o,
                                  yoke_err *err)
{
    static const char *const word[] = { "none", "cells", "hierarchy" };
    static const yk_cut cut[] = { YK_CUT_NONE, YK_CUT_CELLS, YK_CUT_HIERARCHY };
    int k = 0;

    while (k < 3 && strcmp(h->word[1], word[k]) != 0) k++;
    if (k == 3 || h->words > (cut[k] == YK_CUT_CELLS ? 3 : 2))
        return refuse_hint(h, err);
    o->cut = cut[k];
    if (h->words < 3) return YOKE_OK;
    char *end = NULL;
    const long size = strtol(h->word[2], &end, 10);
    if (*end || size < 1 || size > 1000000) return refuse_hint(h, err);
    o->size = (int)size;
    return YOKE_OK;
}

/* The `* yoke:` lines. */
static yoke_status take_hints(const yk_netlist *net, const yk_net_task *tran,
                              yk_partition_options *o, bool *latent,
                              yoke_err *err)
{
    *o = yk_partition_defaults();
    o->step =
        tran ? fmin(tran->tstep, (tran->tstop - tran->tstart) / 100.0) : 1e-9;
    for (int k = 0; k < net->hints; k++) {
        const yk_net_hint *h = &net->hint[k];
        if (h->words >= 2 && strcmp(h->word[0], "partition") == 0)
            YK_TRY(take_partition(h, o, err));
        else if (h->words == 2 && strcmp(h->word[0], "latent") == 0 &&
                 (strcmp(h->word[1], "yes") == 0 ||
                  strcmp(h->word[1], "no") == 0))
            *latent = strcmp(h->word[1], "yes") == 0;
        else
            return refuse_hint(h, err);
    }
    return YOKE_OK;
}

/* ---- the model
 * ----------------------------------------------------------------- */

/* Variables of each part that other parts read. */
static yoke_status find_outputs(yk_circuit *c, const yk_partition *cut,
                                bool *read, yoke_err *err)
{
    yk_lines_read(c, read);
    for (int p = 0; cut->parts > 1 && p < cut->parts; p++) {
        yk_part_spec spec = { .count = cut->first[p + 1] - cut->first[p],
                              .variable = cut->list + cut->first[p] };
        YK_TRY(yk_lines_inputs(c, cut, p, &spec, err));
        yk_net_part *part = NULL;
        const int *foreign = NULL;
        YK_TRY(yk_part_create(&part, c, &spec, err));
        const int count = yk_part_foreign(part, &foreign);
        for (int k = 0; k < count; k++) read[foreign[k]] = true;
        yk_part_free(part);
    }
    return YOKE_OK;
}

/* Is variable `v` to be shown in .tran?  Without wishes all are. */
static bool is_wished(const yk_circuit *c, int v)
{
    const yk_netlist *net = c->net;
    bool any = false;

    for (int k = 0; k < net->wishes; k++) {
        const yk_net_wish *w = &net->wish[k];
        if (w->analysis[0] && strcmp(w->analysis, "tran") != 0) continue;
        if (strcmp(w->text, c->name[v]) == 0 || strcmp(w->text, "all") == 0)
            return true;
        any = true;
    }
    return !any;
}

static yoke_status add_part(yoke_file *file, yk_circuit *c,
                            const yk_partition *cut, int p, const double *start,
                            const bool *read, const yoke_stepper_options *how,
                            yk_net_part **part, yoke_err *err)
{
    yk_part_spec spec = { .count = cut->first[p + 1] - cut->first[p],
                          .variable = cut->list + cut->first[p],
                          .start = start,
                          .cells = cut->cells,
                          .cell =
                              cut->parts == 1 && !c->lines ? cut->cell : NULL };
    yoke_system *system = NULL;
    int *output = NULL;

    YK_TRY(yk_lines_inputs(c, cut, p, &spec, err));
    YK_TRY(YK_TAKE(&c->net->arena, &output, spec.count + c->drivens + 1, err));
    for (int k = 0; k < spec.count; k++)
        if (read[spec.variable[k]]) output[spec.outputs++] = spec.variable[k];
    /* Driven nodes are in no part; the first shows them. */
    for (int k = 0; p == 0 && k < c->drivens; k++)
        if (is_wished(c, c->driven[k]) || read[c->driven[k]])
            output[spec.outputs++] = c->driven[k];
    spec.output = output;
    YK_TRY(yk_part_make(&system, part, cut->name[p], c, &spec, err));
    return yoke_model_add(file->model, system, how, err);
}

static yoke_status connect(yoke_file *file, const yk_circuit *c,
                           const yk_partition *cut, int p,
                           const yk_net_part *part, yoke_err *err)
{
    yoke_graph *graph = yoke_model_graph(file->model);
    const int *foreign = NULL;
    const int count = yk_part_foreign(part, &foreign);
    yoke_status status = YOKE_OK;

    for (int k = 0; status == YOKE_OK && k < count; k++) {
        const char *variable = c->name[foreign[k]];
        const char *from = cut->name[cut->part[foreign[k]]];
        const size_t room = strlen(variable) + 64;
        char *text = NULL;
        YK_TRY(yk_alloc((void **)&text, 2 * room, 1, err));
        snprintf(text, room, "%s.%s", cut->name[p], variable);
        snprintf(text + room, room, "%s.%s", from, variable);
        status = yoke_graph_signal(graph, text, text + room, 1.0, err);
        yk_free(text);
    }
    return status;
}

static yoke_status add_parts(yoke_file *file, yk_circuit *c,
                             const yk_partition *cut, const double *start,
                             const yoke_stepper_options *how, bool uic,
                             yoke_err *err)
{
    yk_arena *arena = &c->net->arena;
    yk_net_part **part = NULL;
    bool *read = NULL;

    YK_TRY(YK_TAKE(arena, &part, cut->parts + 1, err));
    YK_TRY(YK_TAKE(arena, &read, c->variables + 1, err));
    YK_TRY(find_outputs(c, cut, read, err));
    for (int p = 0; p < cut->parts; p++)
        YK_TRY(add_part(file, c, cut, p, start, read, how, &part[p], err));
    for (int p = 0; p < cut->parts; p++)
        YK_TRY(connect(file, c, cut, p, part[p], err));
    return yk_lines_connect(yoke_model_graph(file->model), c, cut, NULL, uic,
                            err);
}

/* ---- start
 * ---------------------------------------------------------------------- */

/* Elements with ic = ... give the voltage of one end where the other is
 * known. */
static void spread_ics(const yk_circuit *c, double *start, bool *known)
{
    const yk_netlist *net = c->net;

    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < 3 * net->elements; i++) {
            int a, b;
            double ic;
            if (!yk_net_ic(&net->element[i / 3], i % 3, &a, &b, &ic)) continue;
            a = net->element[i / 3].node[a];
            b = net->element[i / 3].node[b];
            if (known[a] == known[b]) continue;
            if (known[a])
                start[b] = start[a] - ic;
            else
                start[a] = start[b] + ic;
            known[a] = known[b] = more = true;
        }
    }
}

static void element_ics(const yk_circuit *c, double *start)
{
    const yk_netlist *net = c->net;

    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        bool given = false;
        const double ic =
            yk_net_value(el->param, el->params, "ic", 0.0, &given);
        if (given && el->kind == 'l') start[c->branch[e]] = ic;
    }
}

/* The charges begin with what the user gives, zero where there is nothing, also
 * where a source is; what contradicts itself flows together. */
static yoke_status settle_start(yk_circuit *c, const yk_net_task *tran,
                                double *start, yoke_err *err)
{
    static const double part = 1e-6; /* of the print step */
    yk_netlist *net = c->net;
    yoke_err why = { YOKE_OK, "" };
    double *given = NULL;

    YK_TRY(YK_TAKE(&net->arena, &given, c->variables + 1, err));
    for (int k = 0; k < net->ics; k++)
        given[net->ic[k].node] = net->ic[k].value;
    element_ics(c, given);
    const yoke_status status =
        yk_circuit_settle(c, part * tran->tstep, given, start, &why);
    if (status == YOKE_OK || status == YOKE_E_MEMORY)
        return status == YOKE_OK ? YOKE_OK
                                 : yk_fail(err, status, "%s", why.text);
    return yk_net_warn(net, err, tran->at,
                       "uic: the charges of the start do not settle, the run "
                       "begins with the voltages alone: %.300s",
                       why.text);
}

/* Initial conditions of the user: ic of elements, then .ic, zero
 * where there is none. */
static yoke_status user_start(yk_circuit *c, const yk_net_task *tran,
                              double *start, yoke_err *err)
{
    const yk_netlist *net = c->net;
    bool *known = NULL;

    YK_TRY(YK_NEW(&known, c->nodes + 1, err));
    known[0] = true;
    for (int k = 0; k < c->drivens; k++) {
        const int n = c->driven[k];
        start[n] = start[c->below[n]] +
                   c->sign[n] * yk_source_value(&c->source[c->driver[n]], 0.0);
        known[n] = true;
    }
    spread_ics(c, start, known);
    for (int k = 0; k < net->ics; k++)
        if (!known[net->ic[k].node]) {
            start[net->ic[k].node] = net->ic[k].value;
            known[net->ic[k].node] = true;
        }
    spread_ics(c, start, known);
    for (int i = 0; i < 3 * net->elements; i++) { /* between unknown nodes */
        int a, b;
        double ic;
        if (!yk_net_ic(&net->element[i / 3], i % 3, &a, &b, &ic)) continue;
        a = net->element[i / 3].node[a];
        b = net->element[i / 3].node[b];
        if (known[a]) continue;
        start[a] = start[b] + ic;
        known[a] = known[b] = true;
    }
    yk_free(known);
    element_ics(c, start);
    return settle_start(c, tran, start, err);
}

/* With `uic` what the user gives; otherwise the operating point. */
static yoke_status find_start(yoke_file *file, yk_circuit *c,
                              const yk_net_task *tran, double *start,
                              yoke_err *err)
{
    const yk_netlist *net = c->net;
    yk_op_report report = { 0, "" };

    if (tran && tran->uic) {
        YK_TRY(user_start(c, tran, start, err));
        return yk_file_report(
            file, err, "%s: initial conditions of the user (uic)", net->path);
    }
    YK_TRY(yk_circuit_op(c, 0.0, true, start, &report, err));
    return yk_file_report(
        file, err, "%s: operating point by %s, %d iterations, %d unknowns",
        net->path, report.way, report.iterations, c->variables - 1);
}

/* Variables of .print, .plot and .save for .tran, as patterns; what is neither
 * a variable nor a probe (probe.c) is a warning. */
static yoke_status set_record(yoke_file *file, const yk_circuit *c,
                              yoke_err *err)
{
    yk_netlist *net = c->net;
    size_t length = 0;

    for (int k = 0; k < net->wishes; k++)
        length += strlen(net->wish[k].text) + 1;
    YK_TRY(yk_alloc((void **)&file->record, length + 1, 1, err));
    for (int k = 0; k < net->wishes; k++) {
        const yk_net_wish *w = &net->wish[k];
        bool found = false;
        if (w->analysis[0] && strcmp(w->analysis, "tran") != 0) continue;
        if (strcmp(w->text, "all") == 0) { /* an empty list */
            file->record[0] = '\0';
            break;
        }
        for (int v = 1; !found && v < c->variables; v++)
            if ((yk_circuit_has(c, v) || (v < c->nodes && c->driver[v] >= 0)) &&
                strcmp(c->name[v], w->text) == 0) {
                if (file->record[0]) strcat(file->record, " ");
                strcat(file->record, w->text);
                found = true;
            }
        if (!found)
            YK_TRY(yk_net_warn(net, err, w->at,
                               "\"%.80s\" is not recorded: there are "
                               "voltages v(a) and v(a,b), currents i(v1), "
                               "i(r1), @q1[ic], powers @r1[p] of resistors "
                               "and sources, and expressions in .print tran",
                               w->text));
    }
    file->run.record = file->record;
    return YOKE_OK;
}

static void set_run(yoke_file *file, const yk_netlist *net,
                    const yk_net_task *tran)
{
    yoke_run_options *run = &file->run;

    run->iterate.rtol = option(net, "reltol", preset_reltol);
    run->iterate.atol = option(net, "vntol", preset_vntol);
    run->given = true;
    if (!tran) return;
    run->stop = tran->tstop;
    run->given = !tran->uic;
    run->every = tran->tstep;
}

/* A current that follows a charge (probe.c) is not at rest when the voltages
 * are: what it was before sleeping is no start. */
static bool has_mirrors(const yk_netlist *net)
{
    for (int e = net->elements - 1; e >= 0; e--) {
        const yk_net_element *el = &net->element[e];
        if (el->kind == 'y' && net->element[el->control[0]].kind != 'r')
            return true;
    }
    return false;
}

/* Junctions switch within a step: a method that solves one stage after the
 * other, with a new Jacobian where it is needed, gets further than one that
 * solves all stages with the Jacobian of the step's beginning, unless the
 * tolerance makes the steps short anyway.  But it does not begin where a
 * current follows a charge. */
static bool has_junctions(const yk_netlist *net)
{
    for (int e = 0; e < net->elements; e++)
        if (strchr("dqj", net->element[e].kind)) return true;
    return false;
}

static void set_stepper(const yk_netlist *net, const yk_net_task *tran,
                        bool latent, yoke_stepper_options *how)
{
    static const double tight = 1e-6;

    *how = yoke_stepper_defaults();
    if (has_junctions(net) && !has_mirrors(net) &&
        option(net, "reltol", preset_reltol) >= tight)
        snprintf(how->method, sizeof how->method, "trbdf2");
    how->latent = latent;
    if (!tran) return;
    how->max_step =
        tran->tmax > 0.0 ? tran->tmax : (tran->tstop - tran->tstart) / 50.0;
}

/* Where sources drive every node their currents are all there is to solve. */
static void want_something(yk_circuit *c)
{
    for (int v = 1; v < c->variables; v++)
        if (yk_circuit_has(c, v)) return;
    for (int e = 0; e < c->net->elements; e++)
        if (c->net->element[e].kind == 'v') yk_circuit_want(c, e);
}

static yoke_status build(yoke_file *file, yk_netlist *net, yoke_err *err)
{
    const yk_net_task *tran = find_task(net, YK_TASK_TRAN);
    yk_partition_options o;
    bool latent = !has_mirrors(net);
    yk_partition cut;
    yk_circuit *c = NULL;
    double *start = NULL;
    yoke_stepper_options how;

    YK_TRY(wish_measured(net, err));
    YK_TRY(yk_measures_create(&file->measures, net, tran ? tran->tstart : 0.0,
                              err));
    YK_TRY(yk_circuit_create(&c, net, tran ? tran->tstep : 1e-9,
                             tran ? tran->tstop : 1e-6, NULL, err));
    YK_TRY(check_measures(c, err));
    YK_TRY(take_hints(net, tran, &o, &latent, err));
    want_shown(c);
    want_something(c);
    YK_TRY(YK_TAKE(&net->arena, &start, c->variables + 1, err));
    YK_TRY(yk_file_check_circuit(file, c, !(tran && tran->uic), err));
    YK_TRY(find_start(file, c, tran, start, err));
    YK_TRY(yk_circuit_cut(c, start, &o, &cut, err));
    YK_TRY(yk_file_report(file, err, "%s: %d cells, %d loops, %d parts",
                          net->path, cut.cells, cut.loops, cut.parts));
    file->cells = cut.cells;
    file->cuts = cut.parts;
    file->unknowns = cut.first[cut.parts];
    set_run(file, net, tran);
    YK_TRY(set_record(file, c, err));
    set_stepper(net, tran, latent, &how);
    return add_parts(file, c, &cut, start, &how, tran && tran->uic, err);
}

yoke_status yk_file_netlist(yoke_file **out, const char *path, const char *text,
                            size_t length, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_file *file = NULL;

    YK_GO(YK_NEW(&file, 1, err));
    file->run = yoke_run_defaults();
    YK_GO(yoke_model_create(&file->model, err));
    YK_GO(yk_netlist_read(&file->netlist, path, text, length, err));
    YK_GO(yk_copy_text(&file->name, file->netlist->title, err));
    YK_GO(build(file, file->netlist, err));
    *out = file;
    file = NULL;
done:
    yoke_file_free(file);
    return status;
}
