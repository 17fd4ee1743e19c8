/* file/include.c -- another system file as one subsystem.
 *
 * Its subsystems and constraints are composed into one.  Inputs that nothing
 * feeds are the inputs of the whole, all outputs are outputs, and names get the
 * name of their subsystem and a dot in front.
 */
#include "file/component.h"

#include "graph/graph.h"

#include <string.h>

enum { DEEPEST = 20, MOST_FILES = 1000 };

/* Goes through the files that are being read, from this one outwards. */
static yoke_status check_limits(const yk_reader *r, const char *path,
                                yoke_err *err)
{
    int depth = 0;

    for (const yk_reader *p = r; p; p = p->parent, depth++)
        if (yk_file_is_same(p->path, path))
            return yk_fail(err, YOKE_E_FILE,
                           "\"%.200s\" includes itself%s%.200s", path,
                           p == r ? "" : " by way of ", p == r ? "" : r->path);
    if (depth >= DEEPEST)
        return yk_fail(err, YOKE_E_FILE,
                       "systems are included more than %d deep", DEEPEST);
    if (++r->budget->files > MOST_FILES)
        return yk_fail(err, YOKE_E_FILE,
                       "more than %d systems are included, each counted as "
                       "often as it occurs",
                       MOST_FILES);
    return YOKE_OK;
}

/* What is set for the whole is set for its parts. */
static yoke_status pass_settings(yk_reader *inner, const yk_entries *given,
                                 yoke_err *err)
{
    for (int i = 0; i < given->count; i++) {
        yk_file_value entry = given->entry[i];
        char *name = NULL;
        YK_TRY(yk_copy_text(&name, entry.name, err));
        entry.used = false;
        YK_TRY(yk_entries_add(&inner->settings, name, &entry, err));
    }
    return YOKE_OK;
}

yoke_status yk_file_keep(yoke_file *file, yoke_file *inner, yoke_err *err)
{
    const yoke_status status =
        YK_GROW(&file->include, &file->include_room, file->includes + 1, err);

    if (status != YOKE_OK) {
        yoke_file_free(inner);
        return status;
    }
    file->include[file->includes++] = inner;
    return YOKE_OK;
}

static yoke_status read_inner(yk_reader *r, const char *path,
                              const yk_entries *parameters, yoke_file **out,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_reader inner = {
        .parent = r, .path = path, .options = r->options, .budget = r->budget
    };
    size_t length = 0;
    char *text = NULL;

    YK_GO(check_limits(r, path, err));
    YK_GO(yk_file_bytes(&text, &length, path, err));
    YK_GO(pass_settings(&inner, parameters, err));
    YK_GO(yk_file_build(out, &inner, text, length, err));
done:
    yk_entries_clear(&inner.settings);
    yk_free(text);
    return status;
}

/* ---- composition --------------------------------------------------------- */

typedef struct parts {
    int members, inputs, opens, outs;
    yoke_system **member;
    int *first; /* of each member: number of its first input */
    bool *fed;
    int (*open)[2];
    int (*out)[2];
} parts;

static void parts_clear(parts *p)
{
    YK_FREE(p->member, p->first, p->fed, p->open, p->out);
}

static yoke_status list_members(parts *p, const yoke_graph *graph,
                                yoke_err *err)
{
    p->members = yoke_graph_count(graph);
    YK_TRY(YK_NEW(&p->member, p->members, err));
    YK_TRY(yk_ints(&p->first, (size_t)p->members, err));
    for (int i = 0; i < p->members; i++) {
        p->member[i] = yoke_graph_system(graph, i);
        p->first[i] = p->inputs;
        p->inputs += yoke_system_facts(p->member[i])->m;
    }
    return YOKE_OK;
}

static yoke_status list_opens(parts *p, int links, const yoke_link *link,
                              yoke_err *err)
{
    YK_TRY(YK_NEW(&p->fed, p->inputs, err));
    YK_TRY(YK_NEW(&p->open, p->inputs, err));
    for (int l = 0; l < links; l++)
        p->fed[p->first[link[l].to] + link[l].input] = true;
    for (int i = 0; i < p->members; i++)
        for (int k = 0; k < yoke_system_facts(p->member[i])->m; k++) {
            if (p->fed[p->first[i] + k]) continue;
            p->open[p->opens][0] = i;
            p->open[p->opens++][1] = k;
        }
    return YOKE_OK;
}

/* All but those of hidden subsystems. */
static yoke_status list_outs(parts *p, yoke_err *err)
{
    int total = 0;

    for (int i = 0; i < p->members; i++)
        total += yoke_system_facts(p->member[i])->p;
    YK_TRY(YK_NEW(&p->out, total + 1, err));
    for (int i = 0; i < p->members; i++) {
        const yoke_system_info *f = yoke_system_facts(p->member[i]);

        for (int k = 0; k < f->p && !(f->flags & YOKE_HIDDEN); k++) {
            p->out[p->outs][0] = i;
            p->out[p->outs++][1] = k;
        }
    }
    return YOKE_OK;
}

/* A composition is one system of equations, which has no past. */
static yoke_status refuse_delay(const yoke_graph *graph, const yoke_link *link,
                                yoke_err *err)
{
    const yoke_system *to = yoke_graph_system(graph, link->to);

    return yk_fail(err, YOKE_E_FILE,
                   "\"%.80s.%.80s\" is a signal with a delay (or a line of a "
                   "netlist), which an included system cannot have; put it "
                   "into the outer file",
                   yoke_system_name(to),
                   yoke_system_facts(to)->u_name[link->input]);
}

/* Nor is there an equation of what cannot be opened. */
static yoke_status refuse_closed(const yoke_graph *graph, yoke_err *err)
{
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_system *s = yoke_graph_system(graph, i);

        if (yoke_system_facts(s)->closed)
            return yk_fail(err, YOKE_E_FILE,
                           "\"%.80s\" (%s) is closed and cannot be in an "
                           "included system, which is one system of equations; "
                           "put it into the outer file",
                           yoke_system_name(s), yoke_system_kind(s));
    }
    return YOKE_OK;
}

/* Its ports are declared in the units that they have inside. */
static yoke_status tell_units(yk_reader *r, const char *name,
                              const yoke_file *inner, yoke_err *err)
{
    for (int i = 0; i < inner->ports; i++) {
        const yk_port_unit *p = &inner->port[i];

        YK_TRY(yk_file_port_scale(r->file, name, p->port, p->unit,
                                  p->known ? &p->is : NULL, err));
    }
    return YOKE_OK;
}

static yoke_status compose(yoke_system **out, const char *name,
                           const yoke_graph *graph, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    parts p = { 0 };
    double *weight = NULL;
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    for (int l = 0; l < links; l++)
        if (yoke_graph_delay_of(graph, l).time > 0.0)
            return refuse_delay(graph, &link[l], err);
    YK_TRY(refuse_closed(graph, err));
    YK_GO(list_members(&p, graph, err));
    YK_GO(list_opens(&p, links, link, err));
    YK_GO(list_outs(&p, err));
    const yoke_composition whole = {
        .members = p.members,
        .links = links,
        .opens = p.opens,
        .outs = p.outs,
        .member = p.member,
        .link = link,
        .open = (const int(*)[2])p.open,
        .out = (const int(*)[2])p.out,
    };
    YK_GO(yk_graph_weigh(graph, 0.0, &weight, err));
    YK_GO(yoke_compose(out, name, &whole, err));
done:
    yk_free(weight);
    parts_clear(&p);
    return status;
}

/* ---- the subsystem ------------------------------------------------------- */

static yoke_status report(yk_reader *r, const char *path,
                          const yoke_system *system, const yoke_file *inner,
                          yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(system);

    return yk_file_report(
        r->file, err,
        "%s: system %.300s of %d subsystems: %d unknowns, %d inputs, %d "
        "outputs",
        yoke_system_name(system), path,
        yoke_graph_count(yoke_model_graph(inner->model)), f->n, f->m, f->p);
}

/* What became of the code of its models, the worst of them. */
static yoke_status tell_code(yk_file_part *part, const yoke_file *inner,
                             yoke_err *err)
{
    const yk_file_part *worst = NULL;

    for (int i = 0; i < inner->facts.parts; i++) {
        const yk_file_part *p = &inner->facts.part[i];
        if (p->code_text && (!worst || !p->compiled)) worst = p;
    }
    if (!worst) return YOKE_OK;
    part->compiled = worst->compiled;
    return yk_copy_text(&part->code_text, worst->code_text, err);
}

static yoke_status include(yk_reader *r, const yk_yaml *node, const char *path,
                           const yk_entries *parameters, yoke_system **out,
                           yoke_err *err)
{
    yoke_file *inner = NULL;

    YK_TRY(read_inner(r, path, parameters, &inner, err));
    YK_TRY(yk_file_keep(r->file, inner, err));
    YK_TRY(compose(out, node->key, yoke_model_graph(inner->model), err));
    YK_TRY(tell_units(r, node->key, inner, err));
    YK_TRY(report(r, path, *out, inner, err));
    YK_TRY(yk_facts_part(&r->file->facts, node->key, "system", path, NULL,
                         parameters, err));
    return tell_code(&r->file->facts.part[r->file->facts.parts - 1], inner,
                     err);
}

yoke_status yk_file_include(yk_reader *r, const yk_yaml *node,
                            const yk_yaml *given, yk_entries *parameters,
                            yoke_system **out, yoke_err *err)
{
    const char *name = NULL;
    char *path = NULL;

    YK_TRY(yk_file_text(r, given, &name, err));
    if (yk_component_of_file(name))
        return yk_file_fail(
            r, given, err,
            "\"%.200s\" is not a system file: `system` includes "
            "those only",
            name);
    YK_TRY(yk_file_input(r, &path, name, err));
    const yoke_status status = include(r, node, path, parameters, out, err);
    yk_free(path);
    return yk_file_place(r, given, 0, status, err);
}
