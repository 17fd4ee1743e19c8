/* cli/info_model.c -- yoke info of a file of equation models. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is found in the model ------------------------------------------ */

/* A physical port: its name, and the names of its variables without it. */
typedef struct port {
    int length; /* of the name, a part of the flow's */
    const char *potential, *flow;
} port;

static bool is_name(const char *name, int count, const char *const *list)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0) return true;
    return false;
}

/* Port i is that of the i-th flow with a name of the form port.flow. */
static bool find_port(const yoke_equation_facts *f, int i, port *out)
{
    for (int k = 0; k < f->symbols; k++) {
        const char *flow = f->symbol[k].name;
        const char *dot = strrchr(flow, '.');
        if (!f->symbol[k].is_flow || !dot || i-- > 0) continue;
        *out = (port){ (int)(dot - flow), NULL, flow };
        for (int j = 0; j < f->symbols; j++) {
            const char *name = f->symbol[j].name;
            const char *end = strrchr(name, '.');
            if (!f->symbol[j].is_flow && end && end - name == dot - flow &&
                strncmp(name, flow, (size_t)(dot - flow)) == 0)
                out->potential = name;
        }
        return true;
    }
    return false;
}

/* An open port is coupled from outside: its flow is an input. */
static bool is_open(const yoke_equation_facts *f, const port *p)
{
    const yoke_system_info *s = f->system ? yoke_system_facts(f->system) : NULL;

    return s && is_name(p->flow, s->m, s->u_name);
}

/* The unknowns whose derivatives occur; the caller frees the list. */
static int list_states(const yoke_equation_facts *f, const char ***out)
{
    const yoke_system_info *s = yoke_system_facts(f->system);
    const yoke_pattern *c = s->C;
    int count = 0;

    *out = malloc(((size_t)s->n + 1) * sizeof **out);
    for (int j = 0; *out && c && j < s->n; j++)
        if (c->start[j + 1] > c->start[j]) (*out)[count++] = s->x_name[j];
    return count;
}

/* ---- Text ---------------------------------------------------------------- */

void info_value(const yoke_equation_symbol *s)
{
    enum { MOST = 6 };

    if (!s->value) {
        printf("not given");
        return;
    }
    if (s->dims == 0) {
        printf("%.9g", s->value[0]);
        return;
    }
    for (int i = 0; i < s->count && i < MOST; i++)
        printf("%s%.9g", i ? ", " : "{", s->value[i]);
    printf(s->count > MOST ? ", ...}" : "}");
}

static void print_size(const yoke_equation_symbol *s)
{
    for (int d = 0; d < s->dims; d++) printf("%s%d", d ? "," : "[", s->size[d]);
    if (s->dims) putchar(']');
}

static void print_symbol(const yoke_equation_symbol *s, bool with_value)
{
    printf("  %s", s->name);
    print_size(s);
    if (with_value) {
        printf(" = ");
        info_value(s);
    }
    if (s->unit[0]) printf(" %s", s->unit);
    if (s->is_final) printf(" (final)");
    if (s->text[0]) printf("  -- %s", s->text);
    putchar('\n');
}

static void print_role(const yoke_equation_facts *f, yoke_equation_role role,
                       const char *title)
{
    int count = 0;

    for (int i = 0; i < f->symbols; i++) {
        if (f->symbol[i].role != role) continue;
        if (count++ == 0) printf("\n%s:\n", title);
        print_symbol(&f->symbol[i], role <= YOKE_ROLE_CONSTANT);
    }
}

static void print_ports(const yoke_equation_facts *f)
{
    port p;

    for (int i = 0; find_port(f, i, &p); i++)
        printf("%s  %.*s: potential %s, flow %s%s\n", i ? "" : "\nports:\n",
               p.length, p.flow, p.potential ? p.potential : "(none)", p.flow,
               f->system && !is_open(f, &p) ? " (joined inside the model)"
                                            : "");
}

static void print_structure(const yoke_equation_facts *f)
{
    const yoke_equation_report *r = &f->report;
    const char **state = NULL;
    const int states = list_states(f, &state);

    printf("\nstructure:\n"
           "    equations: %d as written, %d after reduction (%d aliases "
           "eliminated)\n"
           "    index: %d%s\n",
           r->equations, yoke_system_facts(f->system)->n, r->eliminated,
           r->index, r->differentiated ? ", reduced to 1" : "");
    if (r->text[0]) printf("    %s\n", r->text);
    if (state) info_list("states", states, state);
    free(state);
    printf("    events: %d of the state, %d in time\n", f->state_events,
           f->time_events);
    info_list("tables", f->tables, f->table);
}

static void print_model(const char *path, const yoke_equation_facts *f)
{
    printf("%s: equation models\n\nclasses:\n", path);
    for (int i = 0; i < f->classes; i++)
        printf("  %-12s %s (line %d)\n", f->class_[i].kind, f->class_[i].name,
               f->class_[i].line);
    if (f->model) printf("\nmodel %s\n", f->model);
    print_role(f, YOKE_ROLE_PARAMETER, "parameters (default)");
    print_role(f, YOKE_ROLE_CONSTANT, "constants");
    print_role(f, YOKE_ROLE_INPUT, "inputs");
    print_role(f, YOKE_ROLE_OUTPUT, "outputs");
    print_ports(f);
    print_role(f, YOKE_ROLE_VARIABLE, "variables");
    if (f->system) print_structure(f);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_symbol(const yoke_equation_symbol *s)
{
    printf("{");
    info_text("name", s->name, true);
    info_text("unit", s->unit, false);
    info_text("description", s->text, false);
    printf(", \"line\": %d, \"size\": [", s->line);
    for (int d = 0; d < s->dims; d++) printf("%s%d", d ? ", " : "", s->size[d]);
    putchar(']');
    if (s->role <= YOKE_ROLE_CONSTANT) {
        info_numbers("value", s->count, s->value, s->dims == 0);
        printf(", \"final\": %s", s->is_final ? "true" : "false");
    }
    printf("}");
}

static void json_role(const yoke_equation_facts *f, yoke_equation_role role,
                      const char *key)
{
    int count = 0;

    printf(",\n \"%s\": [", key);
    for (int i = 0; i < f->symbols; i++) {
        if (f->symbol[i].role != role) continue;
        if (count++) printf(",\n  ");
        json_symbol(&f->symbol[i]);
    }
    putchar(']');
}

static void json_ports(const yoke_equation_facts *f)
{
    char name[512];
    port p;

    printf(",\n \"ports\": [");
    for (int i = 0; find_port(f, i, &p); i++) {
        snprintf(name, sizeof name, "%.*s", p.length, p.flow);
        printf("%s{", i ? ", " : "");
        info_text("name", name, true);
        info_text("potential", p.potential, false);
        info_text("flow", p.flow, false);
        printf(", \"open\": %s}", !f->system       ? "null"
                                  : is_open(f, &p) ? "true"
                                                   : "false");
    }
    putchar(']');
}

static void json_structure(const yoke_equation_facts *f)
{
    const yoke_equation_report *r = &f->report;
    const char **state = NULL;

    printf(",\n \"structure\": ");
    if (!f->system) {
        printf("null");
        return;
    }
    const int states = list_states(f, &state);
    printf("{\"equations\": %d, \"equations_reduced\": %d, "
           "\"eliminated\": %d, \"index\": %d, \"differentiated\": %d, "
           "\"dummies\": %d",
           r->equations, yoke_system_facts(f->system)->n, r->eliminated,
           r->index, r->differentiated, r->dummies);
    info_text("reduction", r->text, false);
    info_names("states", state ? states : 0, state);
    printf(", \"state_events\": %d, \"time_events\": %d", f->state_events,
           f->time_events);
    info_names("tables", f->tables, f->table);
    putchar('}');
    free(state);
}

static void json_model(const char *path, const yoke_equation_facts *f)
{
    printf("{");
    info_text("kind", "model", true);
    info_text("file", path, false);
    info_text("model", f->model, false);
    info_text("problem", f->system ? NULL : f->problem.text, false);
    printf(",\n \"classes\": [");
    for (int i = 0; i < f->classes; i++) {
        printf("%s{", i ? ", " : "");
        info_text("name", f->class_[i].name, true);
        info_text("kind", f->class_[i].kind, false);
        printf(", \"line\": %d}", f->class_[i].line);
    }
    putchar(']');
    json_role(f, YOKE_ROLE_PARAMETER, "parameters");
    json_role(f, YOKE_ROLE_CONSTANT, "constants");
    json_role(f, YOKE_ROLE_INPUT, "inputs");
    json_role(f, YOKE_ROLE_OUTPUT, "outputs");
    json_role(f, YOKE_ROLE_VARIABLE, "variables");
    json_ports(f);
    json_structure(f);
    puts("}");
}

int info_model(const char *path, const char *class_name, bool json)
{
    const yoke_equation_options options = { .model = class_name,
                                            .most_elements =
                                                cli_most_elements() };
    yoke_err err = { YOKE_OK, "" };
    yoke_equation_facts *f = NULL;

    if (yoke_equation_inspect(&f, path, &options, &err) != YOKE_OK)
        return cli_fail(&err);
    if (json)
        json_model(path, f);
    else
        print_model(path, f);
    /* What is known was printed; that the model cannot be used is not. */
    const int status = f->system ? CLI_OK : cli_fail(&f->problem);
    yoke_equation_facts_free(f);
    return status;
}
