/* sim/file_netlist.c -- a netlist as a system: its parts, what couples them,
 * and the run that its .tran line asks for. */
#include "sim/file.h"

#include "comp/netlist/partition.h"

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

static void set_partition(const yk_netlist *net, const yk_net_task *tran,
                          yk_partition_options *o)
{
    *o = yk_partition_defaults();
    o->step =
        tran ? fmin(tran->tstep, (tran->tstop - tran->tstart) / 100.0) : 1e-9;
    for (int k = 0; k < net->hints; k++) {
        const yk_net_hint *h = &net->hint[k];
        if (h->words < 2 || strcmp(h->word[0], "partition") != 0) continue;
        if (strcmp(h->word[1], "none") == 0) o->cut = YK_CUT_NONE;
        if (strcmp(h->word[1], "cells") == 0) o->cut = YK_CUT_CELLS;
        if (strcmp(h->word[1], "hierarchy") == 0) o->cut = YK_CUT_HIERARCHY;
        if (h->words > 2) o->size = atoi(h->word[2]);
    }
}

/* ---- the model
 * ----------------------------------------------------------------- */

/* Variables of each part that other parts read. */
static yoke_status find_outputs(yk_circuit *c, const yk_partition *cut,
                                bool *read, yoke_err *err)
{
    for (int p = 0; p < cut->parts; p++) {
        const yk_part_spec spec = { .count = cut->first[p + 1] - cut->first[p],
                                    .variable = cut->list + cut->first[p] };
        yk_net_part *part = NULL;
        const int *foreign = NULL;
        YK_TRY(yk_part_create(&part, c, &spec, err));
        const int count = yk_part_foreign(part, &foreign);
        for (int k = 0; k < count; k++) read[foreign[k]] = true;
        yk_part_free(part);
    }
    return YOKE_OK;
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
                          .cell = cut->parts == 1 ? cut->cell : NULL };
    yoke_system *system = NULL;
    int *output = NULL;

    YK_TRY(YK_TAKE(&c->net->arena, &output, spec.count + 1, err));
    for (int k = 0; k < spec.count; k++)
        if (read[spec.variable[k]]) output[spec.outputs++] = spec.variable[k];
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
                             const yoke_stepper_options *how, yoke_err *err)
{
    yk_arena *arena = &c->net->arena;
    yk_net_part **part = NULL;
    bool *read = NULL;

    YK_TRY(YK_TAKE(arena, &part, cut->parts + 1, err));
    YK_TRY(YK_TAKE(arena, &read, c->variables + 1, err));
    if (cut->parts > 1) YK_TRY(find_outputs(c, cut, read, err));
    for (int p = 0; p < cut->parts; p++)
        YK_TRY(add_part(file, c, cut, p, start, read, how, &part[p], err));
    for (int p = 0; p < cut->parts; p++)
        YK_TRY(connect(file, c, cut, p, part[p], err));
    return YOKE_OK;
}

/* ---- start
 * ---------------------------------------------------------------------- */

/* With `uic` the voltages of .ic, and zero where there is none; otherwise the
 * operating point. */
static yoke_status find_start(yoke_file *file, yk_circuit *c,
                              const yk_net_task *tran, double *start,
                              yoke_err *err)
{
    const yk_netlist *net = c->net;
    yk_op_report report = { 0, "" };

    if (tran && tran->uic) {
        for (int k = 0; k < net->ics; k++)
            start[net->ic[k].node] = net->ic[k].value;
        return yk_file_report(
            file, err, "%s: initial conditions of the user (uic)", net->path);
    }
    YK_TRY(yk_circuit_op(c, 0.0, true, start, &report, err));
    return yk_file_report(
        file, err, "%s: operating point by %s, %d iterations, %d unknowns",
        net->path, report.way, report.iterations, c->variables - 1);
}

/* Variables of .print, .plot and .save for .tran, as patterns; those that are
 * no variables (differences of voltages, driven nodes) are left to the other
 * end: the names of their parts are recorded. */
static yoke_status set_record(yoke_file *file, const yk_circuit *c,
                              yoke_err *err)
{
    const yk_netlist *net = c->net;
    size_t length = 0;

    for (int k = 0; k < net->wishes; k++)
        length += strlen(net->wish[k].text) + 1;
    YK_TRY(yk_alloc((void **)&file->record, length + 1, 1, err));
    for (int k = 0; k < net->wishes; k++) {
        const yk_net_wish *w = &net->wish[k];
        if (w->analysis[0] && strcmp(w->analysis, "tran") != 0) continue;
        for (int v = 1; v < c->variables; v++)
            if (yk_circuit_has(c, v) && strcmp(c->name[v], w->text) == 0) {
                if (file->record[0]) strcat(file->record, " ");
                strcat(file->record, w->text);
                break;
            }
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

static void set_stepper(const yk_netlist *net, const yk_net_task *tran,
                        yoke_stepper_options *how)
{
    *how = yoke_stepper_defaults();
    for (int k = 0; k < net->hints; k++)
        if (net->hint[k].words == 2 &&
            strcmp(net->hint[k].word[0], "latent") == 0)
            how->latent = strcmp(net->hint[k].word[1], "no") != 0;
    if (!tran) return;
    how->max_step =
        tran->tmax > 0.0 ? tran->tmax : (tran->tstop - tran->tstart) / 50.0;
}

static yoke_status build(yoke_file *file, yk_netlist *net, yoke_err *err)
{
    const yk_net_task *tran = find_task(net, YK_TASK_TRAN);
    yk_partition_options o;
    yk_partition cut;
    yk_circuit *c = NULL;
    double *start = NULL;
    yoke_stepper_options how;

    YK_TRY(yk_circuit_create(&c, net, tran ? tran->tstep : 1e-9,
                             tran ? tran->tstop : 1e-6, NULL, err));
    want_shown(c);
    YK_TRY(YK_TAKE(&net->arena, &start, c->variables + 1, err));
    YK_TRY(find_start(file, c, tran, start, err));
    set_partition(net, tran, &o);
    YK_TRY(yk_circuit_cut(c, start, &o, &cut, err));
    YK_TRY(yk_file_report(file, err, "%s: %d cells, %d loops, %d parts",
                          net->path, cut.cells, cut.loops, cut.parts));
    set_run(file, net, tran);
    YK_TRY(set_record(file, c, err));
    set_stepper(net, tran, &how);
    return add_parts(file, c, &cut, start, &how, err);
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
