/* comp/netlist/system/facts.c -- what is in a netlist, and what its structure
 * tells. */
#include "comp/netlist/system/system.h"

#include "comp/netlist/cut/topology.h"
#include "comp/netlist/system/settings.h"

#include <string.h>

static void free_whole(void *whole)
{
    yk_net_system *s = whole;

    yk_measures_free(s->measures);
    yk_netlist_free(s->netlist);
    yk_free(s);
}

yk_net_system *yk_net_system_of(const yoke_file *file)
{
    return file->free_whole == free_whole ? file->whole : NULL;
}

yoke_status yk_net_system_create(yoke_file *file, yk_net_system **out,
                                 yoke_err *err)
{
    YK_TRY(YK_NEW(out, 1, err));
    file->whole = *out;
    file->free_whole = free_whole;
    file->number = yk_net_setting_number;
    return YOKE_OK;
}

yoke_status yk_net_system_inputs(yoke_file *file, const yk_netlist *net,
                                 yoke_err *err)
{
    for (const yk_net_file *f = net->files; f; f = f->next)
        YK_TRY(yk_file_note_input(file, f->path, err));
    return YOKE_OK;
}

bool yoke_file_netlist(const yoke_file *file, yoke_netlist_info *out)
{
    YK_POINT;
    const yk_net_system *s = yk_net_system_of(file);

    if (!s) return false;
    const yk_netlist *net = s->netlist;
    *out = (yoke_netlist_info){
        .title = net->title,
        .nodes = net->nodes - net->probed,
        .elements = net->elements,
        .models = net->models,
        .instances = net->instances > 0 ? net->instances - 1 : 0,
        .measures = net->measures,
        .unknowns = s->unknowns,
        .cells = s->cells,
        .parts = s->parts,
        .cuts = s->cuts,
        .findings = s->findings,
        .part = s->part,
        .cut = s->cut,
        .finding = s->finding,
        .rate = s->rate,
        .partition = s->text,
    };
    for (int e = 0; e < net->elements; e++) {
        const bool added = e >= net->bare && e < net->bare + net->bares;
        const bool shown = !added && !yk_net_probe_of(net, e);
        const int kind = net->element[e].kind - 'a';
        if (!shown) out->elements--;
        out->shunts += added;
        if (shown && kind >= 0 && kind < 26) out->kind[kind]++;
    }
    return true;
}

bool yoke_file_netlist_model(const yoke_file *file, int i, const char **name,
                             const char **type)
{
    const yk_net_system *s = yk_net_system_of(file);

    if (!s || i < 0 || i >= s->netlist->models) return false;
    *name = s->netlist->model[i].name;
    *type = s->netlist->model[i].type;
    return true;
}

/* ---- the structure ------------------------------------------------------- */

/* All that is wrong, a line each. */
static yoke_status refuse(const yk_net_findings *found, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool fits = true;

    for (int k = 0; k < found->count && fits; k++) {
        yoke_err one = { YOKE_OK, "" };
        if (!found->finding[k].is_error) continue;
        yk_fail(&one, YOKE_E_MODEL, "%s", found->finding[k].text);
        fits = yk_err_gather(&status, YOKE_E_MODEL, &one, err);
    }
    if (fits && found->more > 0)
        yk_suffix(err, "\n(and %d more such places)", found->more);
    return YOKE_E_MODEL;
}

yoke_status yk_net_system_check(yk_net_system *s, struct yk_circuit *c,
                                bool hold, yoke_err *err)
{
    yk_net_findings found = { 0 };
    yoke_status status = YOKE_OK;

    s->circuit = c;
    YK_GO(yk_circuit_check(c, hold, &found, err));
    for (int k = 0; k < found.count; k++)
        if (found.finding[k].is_error) YK_GO(refuse(&found, err));
    YK_GO(YK_TAKE(&c->net->arena, &s->finding, found.count + 1, err));
    for (int k = 0; k < found.count; k++) s->finding[k] = found.finding[k].text;
    s->findings = found.count;
done:
    yk_net_findings_clear(&found);
    return status;
}
