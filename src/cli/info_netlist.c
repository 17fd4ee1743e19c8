/* cli/info_netlist.c -- yoke info of a netlist. */
#include "cli/info.h"

#include <stdio.h>

typedef struct kind {
    const char *one, *many;
} kind;

static const kind kinds[26] = {
    ['r' - 'a'] = { "resistor", "resistors" },
    ['c' - 'a'] = { "capacitor", "capacitors" },
    ['l' - 'a'] = { "inductor", "inductors" },
    ['k' - 'a'] = { "coupling of inductors", "couplings of inductors" },
    ['v' - 'a'] = { "voltage source", "voltage sources" },
    ['i' - 'a'] = { "current source", "current sources" },
    ['e' - 'a'] = { "voltage-controlled voltage source",
                    "voltage-controlled voltage sources" },
    ['f' - 'a'] = { "current-controlled current source",
                    "current-controlled current sources" },
    ['g' - 'a'] = { "voltage-controlled current source",
                    "voltage-controlled current sources" },
    ['h' - 'a'] = { "current-controlled voltage source",
                    "current-controlled voltage sources" },
    ['b' - 'a'] = { "behavioural source", "behavioural sources" },
    ['d' - 'a'] = { "diode", "diodes" },
    ['q' - 'a'] = { "bipolar transistor", "bipolar transistors" },
    ['m' - 'a'] = { "MOS transistor", "MOS transistors" },
    ['j' - 'a'] = { "junction transistor", "junction transistors" },
    ['s' - 'a'] = { "switch by voltage", "switches by voltage" },
    ['w' - 'a'] = { "switch by current", "switches by current" },
    ['t' - 'a'] = { "lossless line", "lossless lines" },
    ['o' - 'a'] = { "lossy line", "lossy lines" },
};

static const char *s_of(int count)
{
    return count == 1 ? "" : "s";
}

static void print_models(const yoke_file *file)
{
    enum { MOST = 20 };
    const char *name = NULL, *type = NULL;
    int count = 0;

    while (yoke_file_netlist_model(file, count, &name, &type)) count++;
    for (int i = 0; i < count && i < MOST; i++) {
        yoke_file_netlist_model(file, i, &name, &type);
        printf("%s%s (%s)", i ? ", " : "models: ", name, type);
    }
    if (count > MOST) printf(" and %d more", count - MOST);
    if (count) putchar('\n');
}

static void print_tasks(const yoke_file *file)
{
    yoke_analysis a;

    if (yoke_file_has_run(file))
        printf("tran: to %g s, shown every %g s\n",
               yoke_file_run_options(file)->stop,
               yoke_file_run_options(file)->every);
    for (int i = 0; yoke_file_analysis_at(file, i, &a); i++)
        printf("%s: %s:%d\n", a.kind, a.path, a.line);
}

/* Beyond MOST of each the rest is counted. */
static void print_parts(const yoke_netlist_info *n)
{
    enum { MOST = 20 };

    if (n->partition) printf("%s\n", n->partition);
    for (int i = 0; n->parts > 1 && i < n->parts && i < MOST; i++) {
        const yoke_netlist_part *part = &n->part[i];
        printf("    %-16s %8d unknown%s", part->name, part->unknowns,
               s_of(part->unknowns));
        if (part->copies)
            printf(", %d cop%s of others", part->copies,
                   part->copies == 1 ? "y" : "ies");
        putchar('\n');
    }
    if (n->parts > MOST)
        printf("    and %d more part%s\n", n->parts - MOST,
               s_of(n->parts - MOST));
    for (int i = 0; i < MOST && i < n->cuts; i++) {
        const yoke_netlist_cut *cut = &n->cut[i];
        printf("    %s (%s:%d) is cut by %s between %s and %s", cut->element,
               cut->path, cut->line, cut->kind, cut->part[0], cut->part[1]);
        if (cut->owner) printf("; %s owns the current", cut->owner);
        putchar('\n');
    }
    if (n->cuts > MOST)
        printf("    and %d more element%s\n", n->cuts - MOST,
               s_of(n->cuts - MOST));
}

static void print_netlist(const cli_system *s, const yoke_netlist_info *n)
{
    printf("%s: netlist: %s\n", s->path, n->title);
    printf("%d element%s between %d node%s, ground included", n->elements,
           s_of(n->elements), n->nodes, s_of(n->nodes));
    if (n->instances)
        printf(", %d subcircuit%s", n->instances, s_of(n->instances));
    putchar('\n');
    for (int k = 0; k < 26; k++)
        if (n->kind[k])
            printf("    %8d %s\n", n->kind[k],
                   !kinds[k].one     ? "others"
                   : n->kind[k] == 1 ? kinds[k].one
                                     : kinds[k].many);
    if (n->shunts)
        printf("    %8d from nodes without charge to ground besides; .options "
               "cshunt=0 rshunt=0 does without\n",
               n->shunts);
    print_models(s->file);
    print_tasks(s->file);
    if (n->measures) printf("measures: %d\n", n->measures);
    printf("%d unknown%s in %d cell%s, %d part%s\n", n->unknowns,
           s_of(n->unknowns), n->cells, s_of(n->cells), n->parts,
           s_of(n->parts));
    print_parts(n);
    for (int i = 0; i < n->findings; i++) printf("remark: %s\n", n->finding[i]);
}

static void json_parts(const yoke_netlist_info *n)
{
    printf(",\n \"partition\": {");
    info_text("text", n->partition, true);
    info_numbers("rate", 1, &n->rate, true);
    printf(", \"parts\": [");
    for (int i = 0; i < n->parts; i++) {
        const yoke_netlist_part *part = &n->part[i];
        printf("%s{", i ? ",\n  " : "");
        info_text("name", part->name, true);
        printf(", \"unknowns\": %d, \"copies\": %d}", part->unknowns,
               part->copies);
    }
    printf("],\n  \"cuts\": [");
    for (int i = 0; i < n->cuts; i++) {
        const yoke_netlist_cut *cut = &n->cut[i];
        printf("%s{", i ? ",\n  " : "");
        info_text("element", cut->element, true);
        info_text("kind", cut->kind, false);
        printf(", \"line\": %d, \"between\": [", cut->line);
        cli_json_text(cut->part[0]);
        printf(", ");
        cli_json_text(cut->part[1]);
        printf("]");
        info_text("owner", cut->owner, false);
        printf("}");
    }
    printf("]}");
}

static void json_lists(const yoke_file *file, const yoke_netlist_info *n)
{
    const char *name = NULL, *type = NULL;
    yoke_analysis a;
    bool first = true;

    printf(",\n \"kinds\": {");
    for (int k = 0; k < 26; k++) {
        const char letter[2] = { (char)('a' + k), '\0' };
        if (!n->kind[k]) continue;
        info_key(letter, first);
        printf("%d", n->kind[k]);
        first = false;
    }
    printf("},\n \"models\": [");
    for (int i = 0; yoke_file_netlist_model(file, i, &name, &type); i++) {
        printf("%s{", i ? ", " : "");
        info_text("name", name, true);
        info_text("type", type, false);
        printf("}");
    }
    printf("],\n \"analyses\": [");
    first = !yoke_file_has_run(file);
    if (!first) cli_json_text("tran");
    for (int i = 0; yoke_file_analysis_at(file, i, &a); i++, first = false) {
        if (!first) printf(", ");
        cli_json_text(a.kind);
    }
    printf("]");
    json_parts(n);
    printf(",\n \"remarks\": [");
    for (int i = 0; i < n->findings; i++) {
        if (i) printf(",\n  ");
        cli_json_text(n->finding[i]);
    }
    puts("]}");
}

static void json_netlist(const cli_system *s, const yoke_netlist_info *n)
{
    printf("{");
    info_text("kind", "netlist", true);
    info_text("file", s->path, false);
    info_text("title", n->title, false);
    printf(",\n \"nodes\": %d, \"elements\": %d, \"subcircuits\": %d, "
           "\"measures\": %d, \"unknowns\": %d, \"cells\": %d, \"parts\": %d",
           n->nodes, n->elements, n->instances, n->measures, n->unknowns,
           n->cells, n->parts);
    json_lists(s->file, n);
}

bool info_netlist(const cli_system *s, bool json)
{
    yoke_netlist_info n;

    if (!s->file || !yoke_file_netlist(s->file, &n)) return false;
    if (json)
        json_netlist(s, &n);
    else
        print_netlist(s, &n);
    return true;
}
