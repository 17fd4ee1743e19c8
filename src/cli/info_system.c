/* cli/info_system.c -- yoke info of a system file. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const origins[] = { [YOKE_FROM_DEFAULT] = "default",
                                       [YOKE_FROM_FILE] = "file",
                                       [YOKE_FROM_COMMAND] = "command line" };

/* A parameter of a subsystem with all that is known about it. */
typedef struct parameter {
    const char *name, *unit, *text, *written;
    const yoke_equation_symbol *symbol; /* of a model: its value may be an array
                                         */
    double value;
    bool has_value;
    yoke_origin origin;
    int line;
} parameter;

/* The parameters of a subsystem: those of its model, each with what replaces
 * it, or those of the file. */
typedef struct parameters {
    int count;
    parameter *list;
    yoke_equation_facts *model; /* NULL: not an equation model */
} parameters;

static void parameters_clear(parameters *p)
{
    yoke_equation_facts_free(p->model);
    free(p->list);
}

/* What the file or the command line says about `name` or, with the lower
 * origin, about an element name[1]. */
static const yoke_file_parameter *find_given(const yoke_file_subsystem *s,
                                             const char *name)
{
    const size_t length = strlen(name);
    const yoke_file_parameter *found = NULL;

    for (int i = 0; i < s->parameters; i++) {
        const yoke_file_parameter *p = &s->parameter[i];
        if (strncmp(p->name, name, length) != 0 ||
            (p->name[length] && p->name[length] != '['))
            continue;
        if (!found || p->origin > found->origin) found = p;
    }
    return found;
}

static bool read_model(const yoke_file_subsystem *s, parameters *out,
                       yoke_err *err)
{
    yoke_parameter *given = malloc(((size_t)s->parameters + 1) * sizeof *given);
    bool ok = given != NULL;

    for (int i = 0; ok && i < s->parameters; i++)
        given[i] =
            (yoke_parameter){ s->parameter[i].name, s->parameter[i].value };
    const yoke_equation_options options = { .model = s->class_name,
                                            .parameters = s->parameters,
                                            .parameter = given };
    if (!ok) yoke_fail(err, YOKE_E_MEMORY, "out of memory");
    ok = ok &&
         yoke_equation_inspect(&out->model, s->path, &options, err) == YOKE_OK;
    free(given);
    return ok;
}

static void add_symbol(parameters *out, const yoke_file_subsystem *s,
                       const yoke_equation_symbol *symbol)
{
    const yoke_file_parameter *given = find_given(s, symbol->name);

    out->list[out->count++] = (parameter){
        .name = symbol->name,
        .unit = symbol->unit,
        .text = symbol->text,
        .written = given && symbol->dims == 0 ? given->text : NULL,
        .symbol = symbol,
        .value = symbol->value && symbol->dims == 0 ? symbol->value[0] : 0.0,
        .has_value = symbol->value != NULL,
        .origin = given ? given->origin : YOKE_FROM_DEFAULT,
        .line = given ? given->line : symbol->line,
    };
}

static bool find_parameters(const yoke_file_subsystem *s, parameters *out,
                            yoke_err *err)
{
    const bool is_model = strcmp(s->source, "model") == 0;

    *out = (parameters){ 0, NULL, NULL };
    if (is_model && !read_model(s, out, err)) return false;
    const int most = is_model ? out->model->symbols : s->parameters;
    out->list = malloc(((size_t)most + 1) * sizeof *out->list);
    if (!out->list) {
        yoke_fail(err, YOKE_E_MEMORY, "out of memory");
        return false;
    }
    for (int i = 0; i < most; i++) {
        if (!is_model) {
            const yoke_file_parameter *p = &s->parameter[i];
            out->list[out->count++] =
                (parameter){ p->name,  "",           "",        p->text, NULL,
                             p->value, p->has_value, p->origin, p->line };
        } else if (out->model->symbol[i].role == YOKE_ROLE_PARAMETER)
            add_symbol(out, s, &out->model->symbol[i]);
    }
    return true;
}

/* The files of an example lie in a folder that is gone soon. */
static const char *shown_path(const cli_system *s, const char *path)
{
    const size_t length = s->example ? strlen(s->folder) : 0;

    if (!path || length == 0 || strncmp(path, s->folder, length) != 0)
        return path;
    return path + length + (path[length] == '/');
}

static const char *class_of(const yoke_file_subsystem *s, const parameters *p)
{
    return p->model ? p->model->model : s->class_name;
}

/* Who set option i of the run. */
static yoke_origin option_origin(const cli_system *s, int i, int *line)
{
    const yoke_origin origin = yoke_file_option_origin(s->file, i, line);

    if (i >= CLI_OPTIONS || !s->given[i]) return origin;
    *line = 0;
    return YOKE_FROM_COMMAND;
}

/* ---- Text ---------------------------------------------------------------- */

/* " (file, line 3)" */
static void print_origin(yoke_origin origin, int line)
{
    printf(" (%s", origins[origin]);
    if (origin == YOKE_FROM_FILE && line) printf(", line %d", line);
    putchar(')');
}

static void print_parameter(const parameter *p)
{
    printf("    %s = ", p->name);
    if (p->symbol)
        info_value(p->symbol);
    else if (p->has_value)
        printf("%.9g", p->value);
    else
        printf("%s", p->written);
    if (p->unit[0]) printf(" %s", p->unit);
    print_origin(p->origin, p->line);
    if (p->text[0]) printf("  -- %s", p->text);
    putchar('\n');
}

static void print_subsystem(const cli_system *s,
                            const yoke_file_subsystem *part,
                            const parameters *p)
{
    const yoke_graph *graph = yoke_model_graph(s->model);
    const int node = yoke_graph_find(graph, part->name);
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(graph, node));
    const char *class_name = class_of(part, p);

    printf("  %s: %s", part->name, part->source);
    if (part->path) printf(" %s", shown_path(s, part->path));
    if (class_name) printf(", class %s", class_name);
    if (!f->closed || strcmp(part->source, "fmu") == 0)
        printf(", stepper %s", part->stepper.method);
    putchar('\n');
    if (f->closed && part->report) {
        const char *colon = strstr(part->report, ": ");
        printf("    closed: %s\n", colon ? colon + 2 : part->report);
    }
    if (p->model && p->model->report.differentiated)
        printf("    index %d: %s\n", p->model->report.index,
               p->model->report.text);
    for (int i = 0; i < p->count; i++) print_parameter(&p->list[i]);
    info_list("inputs", f->m, f->u_name);
    info_list("outputs", f->p, f->y_name);
}

static void print_coupling(const yoke_file_coupling *c)
{
    printf("  %s", c->kind);
    if (c->name) printf(" %s", c->name);
    for (int i = 0; i < c->texts; i++) {
        const bool again = i > 0 && strcmp(c->key[i], c->key[i - 1]) == 0;
        if (again)
            printf(", ");
        else if (strcmp(c->key[i], c->kind) == 0)
            printf(": ");
        else
            printf("%s %s: ", i ? ";" : ":", c->key[i]);
        printf("%s", c->text[i]);
    }
    if (c->line)
        printf(" (line %d)\n", c->line);
    else
        putchar('\n');
}

/* Lines of a text are shown in one. */
static void print_options(const cli_system *s)
{
    yoke_option_text o;
    char scratch[64];
    int line = 0;

    puts("\nrun:");
    for (int i = 0; yoke_run_list(i, &o); i++) {
        const char *value = yoke_run_get(&s->options, i, scratch);
        const yoke_origin origin = option_origin(s, i, &line);
        printf("  %-12s = ", o.name);
        for (; *value; value++) putchar(*value == '\n' ? ' ' : *value);
        print_origin(origin, line);
        putchar('\n');
    }
}

static void print_system(const cli_system *s, const parameters *p)
{
    yoke_file_subsystem part;
    yoke_file_coupling c;

    const char *note = NULL;

    printf("%s: system \"%s\"\n", s->example ? s->example : s->path, s->name);
    for (int i = 0; (note = yoke_file_note(s->file, i)); i++)
        printf("  %s\n", note);
    puts("\nsubsystems:");
    for (int i = 0; yoke_file_subsystem_at(s->file, i, &part); i++)
        print_subsystem(s, &part, &p[i]);
    if (yoke_file_coupling_at(s->file, 0, &c)) puts("\ncouplings:");
    for (int i = 0; yoke_file_coupling_at(s->file, i, &c); i++)
        print_coupling(&c);
    print_options(s);
    if (s->options.output[0]) putchar('\n');
    cli_print_results(s->options.output);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_origin(yoke_origin origin, int line)
{
    info_text("origin", origins[origin], false);
    info_key("line", false);
    if (origin == YOKE_FROM_FILE && line)
        printf("%d", line);
    else
        printf("null");
}

static void json_parameter(const parameter *p)
{
    printf("{");
    info_text("name", p->name, true);
    if (p->symbol)
        info_numbers("value", p->symbol->count, p->symbol->value,
                     p->symbol->dims == 0);
    else
        info_numbers("value", 1, p->has_value ? &p->value : NULL, true);
    info_text("unit", p->unit, false);
    info_text("description", p->text, false);
    info_text("written", p->written, false);
    json_origin(p->origin, p->line);
    printf("}");
}

static void json_subsystem(const cli_system *s, const yoke_file_subsystem *part,
                           const parameters *p)
{
    const yoke_graph *graph = yoke_model_graph(s->model);
    const int node = yoke_graph_find(graph, part->name);
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(graph, node));

    printf("{");
    info_text("name", part->name, true);
    info_text("source", part->source, false);
    info_text("path", shown_path(s, part->path), false);
    info_text("class", class_of(part, p), false);
    info_text("stepper", part->stepper.method, false);
    printf(", \"unknowns\": %d", f->n);
    info_names("inputs", f->m, f->u_name);
    info_names("outputs", f->p, f->y_name);
    info_key("index", false);
    if (p->model)
        printf("%d", p->model->report.index);
    else
        printf("null");
    info_text("reduction", p->model ? p->model->report.text : NULL, false);
    printf(",\n   \"parameters\": [");
    for (int i = 0; i < p->count; i++) {
        if (i) printf(",\n    ");
        json_parameter(&p->list[i]);
    }
    printf("]}");
}

static void json_coupling(const yoke_file_coupling *c)
{
    printf("{");
    info_text("kind", c->kind, true);
    info_text("name", c->name, false);
    printf(", \"line\": %d", c->line);
    for (int i = 0; i < c->texts; i++) {
        const bool again = i > 0 && strcmp(c->key[i], c->key[i - 1]) == 0;
        const bool more =
            i + 1 < c->texts && strcmp(c->key[i], c->key[i + 1]) == 0;
        if (!again) {
            info_key(c->key[i], false);
            putchar('[');
        } else
            printf(", ");
        cli_json_text(c->text[i]);
        if (!more) putchar(']');
    }
    printf("}");
}

static void json_options(const cli_system *s)
{
    yoke_option_text o;
    char scratch[64];
    int line = 0;

    printf("],\n \"run\": [");
    for (int i = 0; yoke_run_list(i, &o); i++) {
        printf("%s{", i ? ",\n  " : "");
        info_text("name", o.name, true);
        info_text("value", yoke_run_get(&s->options, i, scratch), false);
        info_text("default", o.preset, false);
        const yoke_origin origin = option_origin(s, i, &line);
        json_origin(origin, line);
        printf("}");
    }
}

static void json_files(const char *output)
{
    printf("],\n \"output_files\": [");
    for (bool first = true; *output; first = false) {
        char name[4096];
        const size_t length = strcspn(output, "\n");
        snprintf(name, sizeof name, "%.*s", (int)length, output);
        if (!first) printf(", ");
        cli_json_text(name);
        output += length + (output[length] == '\n');
    }
}

static void json_notes(const cli_system *s)
{
    enum { MOST = 100 };
    const char *list[MOST];
    int count = 0;

    while (count < MOST && (list[count] = yoke_file_note(s->file, count)))
        count++;
    if (count > 0) info_names("notes", count, list);
}

static void json_system(const cli_system *s, const parameters *p)
{
    yoke_file_subsystem part;
    yoke_file_coupling c;

    printf("{");
    info_text("kind", "system", true);
    info_text("file", s->example ? s->example : s->path, false);
    info_text("name", s->name, false);
    json_notes(s);
    printf(",\n \"subsystems\": [");
    for (int i = 0; yoke_file_subsystem_at(s->file, i, &part); i++) {
        if (i) printf(",\n  ");
        json_subsystem(s, &part, &p[i]);
    }
    printf("],\n \"couplings\": [");
    for (int i = 0; yoke_file_coupling_at(s->file, i, &c); i++) {
        if (i) printf(",\n  ");
        json_coupling(&c);
    }
    json_options(s);
    json_files(s->options.output);
    puts("]}");
}

/* ---- The whole ----------------------------------------------------------- */

static int describe(const cli_system *s, bool json)
{
    yoke_file_subsystem part;
    yoke_err err = { YOKE_OK, "" };
    int count = 0, status = CLI_OK;

    while (yoke_file_subsystem_at(s->file, count, &part)) count++;
    parameters *p = calloc((size_t)count, sizeof *p);
    if (!p) return cli_usage("out of memory");
    for (int i = 0; status == CLI_OK && i < count; i++) {
        yoke_file_subsystem_at(s->file, i, &part);
        if (!find_parameters(&part, &p[i], &err)) status = cli_fail(&err);
    }
    if (status == CLI_OK && json)
        json_system(s, p);
    else if (status == CLI_OK)
        print_system(s, p);
    for (int i = 0; i < count; i++) parameters_clear(&p[i]);
    free(p);
    return status;
}

int info_system(int argc, char **argv, bool json)
{
    cli_system system;
    int status = cli_load_files(&system, &argc, argv);

    if (status == CLI_OK && !info_netlist(&system, json))
        status = describe(&system, json);
    cli_unload(&system);
    return status;
}
