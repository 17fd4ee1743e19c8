/* comp/netlist/system/facts.c -- what is in a netlist, and what its structure
 * tells. */
#include "file/reader.h"

#include "comp/netlist/cut/topology.h"

#include <stdio.h>
#include <string.h>

bool yoke_file_netlist(const yoke_file *file, yoke_netlist_info *out)
{
    const yk_netlist *net = file->netlist;

    if (!net) return false;
    *out = (yoke_netlist_info){
        .title = net->title,
        .nodes = net->nodes,
        .elements = net->elements,
        .models = net->models,
        .instances = net->instances > 0 ? net->instances - 1 : 0,
        .measures = net->measures,
        .unknowns = file->unknowns,
        .cells = file->cells,
        .parts = file->cuts,
        .cuts = file->cut_elements,
        .rate = file->cut_rate,
        .partition = file->cut_text,
    };
    out->nodes -= net->probed;
    for (int e = 0; e < net->elements; e++) {
        const bool shown = !yk_net_probe_of(net, e);
        const int kind = net->element[e].kind - 'a';
        if (!shown) out->elements--;
        if (shown && kind >= 0 && kind < 26) out->kind[kind]++;
    }
    return true;
}

bool yoke_file_netlist_model(const yoke_file *file, int i, const char **name,
                             const char **type)
{
    const yk_netlist *net = file->netlist;

    if (!net || i < 0 || i >= net->models) return false;
    *name = net->model[i].name;
    *type = net->model[i].type;
    return true;
}

bool yoke_file_netlist_part(const yoke_file *file, int i,
                            yoke_netlist_part *out)
{
    if (!file->netlist || i < 0 || i >= file->cuts) return false;
    *out = file->piece[i];
    return true;
}

bool yoke_file_netlist_cut(const yoke_file *file, int i, yoke_netlist_cut *out)
{
    if (!file->netlist || i < 0 || i >= file->cut_elements) return false;
    *out = file->cut[i];
    return true;
}

const char *yoke_file_finding(const yoke_file *file, int i)
{
    return file->netlist && i >= 0 && i < file->findings ? file->finding[i]
                                                         : NULL;
}

/* ---- messages of runs ------------------------------------------------------
 */

/* The first "v(...)" or "i(...)" in a message: its variable, or -1. */
static int find_variable(const yk_circuit *c, const char *text)
{
    for (const char *at = text; (at = strchr(at, '"')); at++) {
        const char *end = strchr(at + 1, '"');
        if (!end || (at[1] != 'v' && at[1] != 'i') || at[2] != '(') continue;
        const size_t length = (size_t)(end - at) - 1;
        for (int v = 1; v < c->variables; v++)
            if (strlen(c->name[v]) == length &&
                strncmp(c->name[v], at + 1, length) == 0)
                return v;
    }
    return -1;
}

static void explain(const yk_circuit *c, yoke_err *err)
{
    const int v = find_variable(c, err->text);
    char text[900];

    if (v < 0) return;
    if (v < c->nodes) {
        yk_circuit_at_node(c, v, text, sizeof text);
        yk_suffix(err, "; at the node of %.60s of %.100s: %.400s", c->name[v],
                  c->net->path, text);
    } else {
        const yk_net_element *el = &c->net->element[c->owner[v - c->nodes]];
        yk_suffix(err, "; %.60s stands in %.100s:%d", el->name, el->at.file,
                  el->at.line);
    }
}

void yoke_file_explain(const yoke_file *file, yoke_err *err)
{
    char name[120];

    if (!file || !err || err->status == YOKE_OK) return;
    if (file->circuit) explain(file->circuit, err);
    for (int k = 0; k < file->includes; k++) {
        const yoke_file *inner = file->include[k];
        if (!inner->circuit) continue;
        snprintf(name, sizeof name, "subsystem \"%.100s\"", inner->name);
        if (strstr(err->text, name)) explain(inner->circuit, err);
    }
}

/* ---- the structure ---------------------------------------------------------
 */

static yoke_status refuse(const yk_net_findings *found, int first,
                          yoke_err *err)
{
    int errors = found->more;

    for (int k = 0; k < found->count; k++) errors += found->finding[k].is_error;
    yk_fail(err, YOKE_E_MODEL, "%s", found->finding[first].text);
    if (errors > 1) yk_suffix(err, " (and %d more such places)", errors - 1);
    return YOKE_E_MODEL;
}

yoke_status yk_file_check_circuit(yoke_file *file, struct yk_circuit *c,
                                  bool hold, yoke_err *err)
{
    yk_net_findings found = { 0 };
    yoke_status status = YOKE_OK;

    file->circuit = c;
    YK_GO(yk_circuit_check(c, hold, &found, err));
    for (int k = 0; k < found.count; k++)
        if (found.finding[k].is_error) YK_GO(refuse(&found, k, err));
    YK_GO(YK_TAKE(&c->net->arena, &file->finding, found.count + 1, err));
    for (int k = 0; k < found.count; k++)
        file->finding[k] = found.finding[k].text;
    file->findings = found.count;
done:
    yk_net_findings_clear(&found);
    return status;
}
