/* comp/netlist/system/model.c -- the parts of a circuit as subsystems of a
 * model. */
#include "comp/netlist/cut/cut.h"
#include "comp/netlist/system/lines.h"

#include <stdio.h>
#include <string.h>

/* Variables of each part that other parts or lines read. */
static yoke_status find_outputs(yk_circuit *c, const yk_partition *cut,
                                bool *read, yoke_err *err)
{
    yk_lines_read(c, read);
    for (int p = 0; cut->parts > 1 && p < cut->parts; p++) {
        const yk_net_part_spec spec = { .count =
                                            cut->first[p + 1] - cut->first[p],
                                        .variable = cut->list + cut->first[p],
                                        .values = 2 * c->lines,
                                        .value = c->wave };
        yk_net_part *part = NULL;
        const int *foreign = NULL;
        YK_TRY(yk_net_part_create(&part, c, &spec, err));
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

static yoke_status add_part(yoke_model *model, yk_circuit *c,
                            const yk_partition *cut, int p, const double *start,
                            const bool *read, const yoke_stepper_options *how,
                            yk_net_part **part, yoke_err *err)
{
    yk_net_part_spec spec = {
        .count = cut->first[p + 1] - cut->first[p],
        .copies = cut->first[p + 1] - cut->first[p] - cut->owned[p],
        .variable = cut->list + cut->first[p],
        .start = start,
        .rates = true,
        .cells = cut->cells,
        .cell = cut->parts == 1 && !c->lines ? cut->cell : NULL
    };
    yoke_system *system = NULL;
    int *output = NULL;

    YK_TRY(yk_lines_inputs(c, cut, p, &spec, err));
    YK_TRY(YK_TAKE(&c->net->arena, &output, spec.count + c->drivens + 1, err));
    for (int k = 0; k < cut->owned[p]; k++)
        if (read[spec.variable[k]]) output[spec.outputs++] = spec.variable[k];
    /* Driven nodes are in no part; the first shows them. */
    for (int k = 0; p == 0 && k < c->drivens; k++)
        if (is_wished(c, c->driven[k]) || read[c->driven[k]])
            output[spec.outputs++] = c->driven[k];
    spec.output = output;
    YK_TRY(yk_part_make(&system, part, cut->name[p], c, &spec, err));
    return yoke_model_add(model, system, how, err);
}

static yoke_status connect(yoke_model *model, const yk_circuit *c,
                           const yk_partition *cut, int p,
                           const yk_net_part *part, yoke_err *err)
{
    yoke_graph *graph = yoke_model_graph(model);
    const int *foreign = NULL;
    const int count = yk_part_foreign(part, &foreign);
    yoke_status status = YOKE_OK;

    for (int k = 0; status == YOKE_OK && k < count; k++) {
        const char *variable = c->name[foreign[k]];
        const char *from = cut->name[cut->part[foreign[k]]];
        char *to = NULL, *of = NULL;
        status = yk_print(&to, err, "%s.%s", cut->name[p], variable);
        if (status == YOKE_OK)
            status = yk_print(&of, err, "%s.%s", from, variable);
        if (status == YOKE_OK)
            status = yoke_graph_signal(graph, to, of, 1.0, err);
        YK_FREE(to, of);
    }
    return status;
}

yoke_status yk_file_add_parts(yoke_model *model, yk_circuit *c,
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
        YK_TRY(add_part(model, c, cut, p, start, read, how, &part[p], err));
    for (int p = 0; p < cut->parts; p++)
        YK_TRY(connect(model, c, cut, p, part[p], err));
    return yk_lines_connect(yoke_model_graph(model), c, cut, NULL, uic, err);
}
