/* cli/info_netlist.c -- yoke info of a netlist. */
#include "cli/info.h"

#include <stdio.h>

static const char *const kinds[26] = {
    ['r' - 'a'] = "resistors",
    ['c' - 'a'] = "capacitors",
    ['l' - 'a'] = "inductors",
    ['k' - 'a'] = "couplings of inductors",
    ['v' - 'a'] = "voltage sources",
    ['i' - 'a'] = "current sources",
    ['e' - 'a'] = "voltage-controlled voltage sources",
    ['f' - 'a'] = "current-controlled current sources",
    ['g' - 'a'] = "voltage-controlled current sources",
    ['h' - 'a'] = "current-controlled voltage sources",
    ['b' - 'a'] = "behavioural sources",
    ['d' - 'a'] = "diodes",
    ['q' - 'a'] = "bipolar transistors",
    ['m' - 'a'] = "MOS transistors",
    ['j' - 'a'] = "junction transistors",
    ['s' - 'a'] = "switches by voltage",
    ['w' - 'a'] = "switches by current",
    ['t' - 'a'] = "lossless lines",
    ['o' - 'a'] = "lossy lines",
};

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

static void print_netlist(const cli_system *s, const yoke_netlist_info *n)
{
    const char *text = NULL;

    printf("%s: netlist: %s\n", s->path, n->title);
    printf("%d elements between %d nodes, ground included", n->elements,
           n->nodes);
    if (n->instances) printf(", %d subcircuits", n->instances);
    putchar('\n');
    for (int k = 0; k < 26; k++)
        if (n->kind[k])
            printf("    %8d %s\n", n->kind[k], kinds[k] ? kinds[k] : "others");
    print_models(s->file);
    print_tasks(s->file);
    if (n->measures) printf("measures: %d\n", n->measures);
    printf("%d unknowns in %d cells, %d parts\n", n->unknowns, n->cells,
           n->parts);
    for (int i = 0; (text = yoke_file_finding(s->file, i)); i++)
        printf("remark: %s\n", text);
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
    printf("],\n \"remarks\": [");
    for (int i = 0; (name = yoke_file_finding(file, i)); i++) {
        if (i) printf(",\n  ");
        cli_json_text(name);
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
