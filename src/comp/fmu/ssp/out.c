/* comp/fmu/ssp/out.c -- what a package can say of a system, and what not. */
#include "comp/fmu/ssp/out.h"

#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

/* ---- units ------------------------------------------------------------- */

bool yk_ssp_out_unit(yk_ssp_out *o, const yk_fmu_description *d,
                     const char *name)
{
    const yk_fmu_unit *u = yk_fmu_find_unit(d, name);

    if (!u || !u->known) return false;
    for (int i = 0; i < o->units; i++)
        if (strcmp(o->unit[i]->name, name) == 0)
            return o->unit[i]->factor == u->factor &&
                   o->unit[i]->offset == u->offset &&
                   memcmp(o->unit[i]->power, u->power, sizeof u->power) == 0;
    if (YK_GROW(&o->unit, &o->unit_room, o->units + 1, NULL) != YOKE_OK)
        return false;
    o->unit[o->units++] = u;
    return true;
}

/* ---- parts ------------------------------------------------------------- */

static yoke_status check_parts(yk_ssp_out *o, const yoke_file *file,
                               yoke_err *err)
{
    yk_fmu_made m;

    for (int i = 0; i < yoke_graph_count(o->graph); i++) {
        const yoke_system *s = yoke_graph_system(o->graph, i);

        if (yk_fmu_made_of(s, &m) && i < file->facts.parts) {
            if (m.description->version == 3) o->version = 2;
            o->nodes++;
            continue;
        }
        if (i + 1 == o->graph->constant) continue;
        return yk_fail(
            err, YOKE_E_ARG,
            "\"%s\" is not an FMU (%s), and a package holds FMUs; export "
            "it as one first: yoke export PART.yaml -o PART.fmu",
            yoke_system_name(s), yoke_system_kind(s));
    }
    return YOKE_OK;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What a folder is packed as. */
static const char *extension(const char *name)
{
    const size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ".fmu") == 0 ? "" : ".fmu";
}

/* resources/motor.fmu; another file of the same name gets a number in front. */
static yoke_status name_resources(yk_ssp_out *o, const yoke_file *file,
                                  yoke_err *err)
{
    YK_TRY(YK_TAKE(&o->arena, &o->resource, o->nodes + 1, err));
    for (int i = 0; i < o->nodes; i++) {
        const char *path = file->facts.part[i].path, *name = file_name(path);
        int same = 0;

        for (int k = 0; k < i && !o->resource[i]; k++) {
            if (strcmp(file->facts.part[k].path, path) == 0)
                o->resource[i] = o->resource[k];
            same += strcmp(file_name(file->facts.part[k].path), name) == 0;
        }
        if (o->resource[i]) continue;
        char mark[16] = "";
        if (same > 0) snprintf(mark, sizeof mark, "%d_", i + 1);
        YK_TRY(yk_arena_print(&o->arena, &o->resource[i], err,
                              "resources/%s%s%s", mark, name, extension(name)));
    }
    return YOKE_OK;
}

/* ---- signals ----------------------------------------------------------- */

static yoke_status take_link(yk_ssp_out *o, const yoke_link *link,
                             yoke_err *err)
{
    yk_ssp_signal *s = &o->signal[link->to][link->input];
    const yoke_system *to = yoke_graph_system(o->graph, link->to);

    if (link->from + 1 == o->graph->constant) {
        s->constant = true;
        s->offset += link->weight;
        return YOKE_OK;
    }
    if (s->links++ == 0) {
        s->from = link->from;
        s->output = link->output;
        s->factor = link->weight;
        return YOKE_OK;
    }
    return yk_fail(err, YOKE_E_ARG,
                   "\"%s.%s\" is a sum of outputs, and a connection of SSP has "
                   "one; put an FMU between that adds them",
                   yoke_system_name(to),
                   yoke_system_facts(to)->u_name[link->input]);
}

static yoke_status take_links(yk_ssp_out *o, yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(o->graph, &link);

    YK_TRY(YK_TAKE(&o->arena, &o->signal, o->nodes + 1, err));
    for (int i = 0; i < o->nodes; i++) {
        const yoke_system *s = yoke_graph_system(o->graph, i);
        YK_TRY(YK_TAKE(&o->arena, &o->signal[i], yoke_system_facts(s)->m + 1,
                       err));
    }
    for (int l = 0; l < links; l++) {
        if (yoke_graph_delay_of(o->graph, l).time > 0.0)
            return yk_fail(
                err, YOKE_E_ARG,
                "the signal into \"%s\" has a delay, which SSP has not",
                yoke_system_name(yoke_graph_system(o->graph, link[l].to)));
        YK_TRY(take_link(o, &link[l], err));
    }
    return YOKE_OK;
}

bool yk_ssp_out_constant(const yk_ssp_out *o, int node, int input,
                         double *value)
{
    const yk_ssp_signal *s = &o->signal[node][input];

    *value = s->offset;
    return s->constant && s->links == 0;
}

/* Arrays are connected as wholes: element k from element k. */
static yoke_status check_arrays(yk_ssp_out *o, int node, yoke_err *err)
{
    yk_fmu_made m, from;

    yk_fmu_made_of(yoke_graph_system(o->graph, node), &m);
    for (int k = 0; k < m.input->count; k++) {
        const int element = m.input->signal[k].element;
        const yk_ssp_signal *s = &o->signal[node][k];
        const yk_ssp_signal *first = &o->signal[node][k - element];
        const yk_fmu_variable *v =
            &m.description->variable[m.input->signal[k].variable];
        bool whole = s->links == first->links && s->factor == first->factor &&
                     s->offset == first->offset && s->from == first->from;

        if (s->links == 0 && v->count == 1) continue;
        if (s->links > 0) {
            yk_fmu_made_of(yoke_graph_system(o->graph, s->from), &from);
            const yk_fmu_signal *y = &from.output->signal[s->output];
            whole =
                whole && y->element == element &&
                y->variable == from.output->signal[first->output].variable &&
                from.description->variable[y->variable].count == v->count;
        }
        if (!whole)
            return yk_fail(err, YOKE_E_ARG,
                           "\"%s.%s\": only whole arrays can be connected in a "
                           "package",
                           yoke_system_name(yoke_graph_system(o->graph, node)),
                           m.input->name[k]);
    }
    return YOKE_OK;
}

/* ---- the whole --------------------------------------------------------- */

yoke_status yk_ssp_out_create(yk_ssp_out *o, yoke_file *file, yoke_err *err)
{
    o->model = file->model;
    o->graph = yoke_model_graph(file->model);
    YK_TRY(check_parts(o, file, err));
    YK_TRY(name_resources(o, file, err));
    YK_TRY(take_links(o, err));
    for (int i = 0; i < o->nodes; i++) YK_TRY(check_arrays(o, i, err));
    return yk_ssp_make_boxes(o, err);
}

void yk_ssp_out_clear(yk_ssp_out *o)
{
    YK_FREE(o->unit, o->xml.at);
    yk_arena_clear(&o->arena);
}
