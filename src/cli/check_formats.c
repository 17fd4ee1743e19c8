/* cli/check_formats.c -- yoke check as JSON and for Graphviz. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>

/* ---- JSON ---------------------------------------------------------------- */

/* Constraints have no stepper: null. */
static void json_stepper(yoke_model *model, const yoke_run_options *options,
                         const cli_check *c, int node)
{
    yoke_stepper_options o;

    if (!cli_check_stepper(model, options, c, node, &o)) {
        printf("null");
        return;
    }
    printf("{\"method\": ");
    cli_json_text(o.method);
    printf(", \"fixed\": %s, \"step\": ", cli_is_fixed(&o) ? "true" : "false");
    cli_json_number(o.step);
    printf(", \"steps\": %d, \"rtol\": ", o.steps);
    cli_json_number(o.rtol);
    printf(", \"atol\": ");
    cli_json_number(o.atol);
    putchar('}');
}

static void json_subsystem(yoke_model *model, const yoke_run_options *options,
                           const cli_check *c, int node)
{
    yoke_system *system = yoke_graph_system(yoke_model_graph(model), node);
    const yoke_system_info *f = yoke_system_facts(system);
    yoke_solvability s = { .index = -1 };

    yoke_solvable(system, options->start, NULL, NULL, &s, NULL);
    printf("{\"name\": ");
    cli_json_text(yoke_system_name(system));
    printf(", \"kind\": ");
    cli_json_text(yoke_system_kind(system));
    printf(", \"unknowns\": %d, \"differential\": %d, \"algebraic\": %d, "
           "\"inputs\": %d, \"outputs\": %d, \"solvable\": %s, \"index\": %d, "
           "\"stepper\": ",
           f->n, s.differential, s.algebraic, f->m, f->p,
           s.solvable ? "true" : "false", s.index);
    json_stepper(model, options, c, node);
    putchar('}');
}

static void json_port(const yoke_system *system, const char *port)
{
    char name[600];

    snprintf(name, sizeof name, "%.280s.%.280s", yoke_system_name(system),
             port);
    cli_json_text(name);
}

static void json_signals(const yoke_graph *graph)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    printf("],\n \"signals\": [");
    for (int l = 0; l < links; l++) {
        const yoke_system *to = yoke_graph_system(graph, link[l].to);
        const yoke_system *from = yoke_graph_system(graph, link[l].from);
        printf("%s{\"input\": ", l ? ",\n  " : "");
        json_port(to, yoke_system_facts(to)->u_name[link[l].input]);
        printf(", \"output\": ");
        json_port(from, yoke_system_facts(from)->y_name[link[l].output]);
        printf(", \"weight\": ");
        cli_json_number(link[l].weight);
        printf(", \"delay\": ");
        cli_json_number(yoke_graph_delay_of(graph, l).time);
        putchar('}');
    }
}

static void json_contraction(const cli_check *c)
{
    printf("],\n \"contraction\": [");
    for (int k = 0; c->known && k < CLI_STEPS; k++) {
        printf("%s{\"h\": ", k ? ", " : "");
        cli_json_number(c->contraction[k].h);
        printf(", \"radius\": ");
        cli_json_number(c->contraction[k].rho);
        printf(", \"norm\": ");
        cli_json_number(c->contraction[k].norm);
        putchar('}');
    }
}

static void json_order(const yoke_advice *order)
{
    printf("{\"schedule\": ");
    cli_json_text(order->schedule);
    printf(", \"radius\": ");
    cli_json_number(order->rho);
    printf(", \"radius_window\": ");
    cli_json_number(order->rho_window);
    putchar('}');
}

static void json_orders(const char *key, const cli_check *c, int most)
{
    printf("],\n \"%s\": [", key);
    for (int k = 0; k < c->listed && k < most; k++) {
        if (k) printf(",\n  ");
        json_order(&c->order[k]);
    }
}

static void json_class(const cli_check *c)
{
    static const char *const name[] = { "unknown", "alpha", "power", "zero" };

    printf(",\n \"rate_class\": {\"kind\": \"%s\", \"value\": ",
           name[c->rate_class]);
    cli_json_number(c->known ? c->rate_value : NAN);
    putchar('}');
}

static void json_contractivity(const cli_check *c)
{
    printf(",\n \"contractivity\": {\"alpha\": ");
    cli_json_number(c->alpha);
    printf(", \"extrapolation\": ");
    cli_json_number(c->lipschitz);
    printf(", \"sweeps\": ");
    cli_json_number(c->sweeps > 0 ? (double)c->sweeps : (double)NAN);
    printf(", \"carried\": ");
    cli_json_number(c->carried);
    printf(", \"least_sweeps\": ");
    cli_json_number(c->least_sweeps > 0 ? (double)c->least_sweeps
                                        : (double)NAN);
    putchar('}');
}

static void json_advice(const cli_check *c)
{
    printf(",\n \"recommendation\": {\"schedule\": ");
    if (c->recommended[0])
        cli_json_text(c->recommended);
    else
        printf("null");
    printf(", \"reason\": ");
    cli_json_text(c->reason);
    putchar('}');
}

static void json_along(const cli_check *c)
{
    static const char *const key[] = { "time",         "radius",
                                       "radius_short", "error",
                                       "error_other",  "answer_first",
                                       "answer_second" };
    enum { KEYS = sizeof key / sizeof key[0] };

    if (c->times == 0) {
        printf(",\n \"along\": null");
        return;
    }
    printf(",\n \"along\": {\"h\": ");
    cli_json_number(c->along_h);
    printf(", \"points\": [");
    for (int k = 0; k < c->times; k++) {
        const yoke_along *a = &c->along[k];
        const double value[KEYS] = { a->t,        a->rho,      a->rho_short,
                                     a->first[0], a->first[1], a->answer[0],
                                     a->answer[1] };
        printf("%s{", k ? ",\n  " : "");
        for (int j = 0; j < KEYS; j++) {
            printf("%s\"%s\": ", j ? ", " : "", key[j]);
            cli_json_number(value[j]);
        }
        putchar('}');
    }
    printf("]}");
}

/* The keys are those of docs/manual/json.md. */
void cli_check_json(yoke_model *model, const yoke_run_options *options,
                    const cli_check *c)
{
    const yoke_graph *graph = yoke_model_graph(model);

    printf("{\"solvable\": %s,\n \"message\": ",
           c->solvable ? "true" : "false");
    cli_json_text(c->message);
    printf(",\n \"converges\": %s", !c->known                   ? "null"
                                    : !cli_contracts(c->radius) ? "false"
                                                                : "true");
    printf(",\n \"schedule\": ");
    cli_json_text(c->schedule);
    printf(",\n \"at_once\": ");
    cli_json_number(c->gain);
    json_class(c);
    json_contractivity(c);
    json_advice(c);
    printf(",\n \"judged_at\": ");
    cli_json_number(c->known ? c->judged : NAN);
    printf(",\n \"schedules_tried\": %d,\n \"subsystems\": [", c->schedules);
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        if (i) printf(",\n  ");
        json_subsystem(model, options, c, i);
    }
    json_signals(graph);
    json_contraction(c);
    json_orders("best", c, CLI_BEST);
    json_orders("orders", c, CLI_ORDERS);
    printf("]");
    yoke_power power;
    bool found = false;
    const bool known =
        yoke_model_power(model, options, &found, &power, NULL) == YOKE_OK;
    cli_json_power(known && found ? &power : NULL);
    json_along(c);
    puts("}");
}

/* ---- Graphviz ------------------------------------------------------------ */

static void dot_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

/* A box for each cluster around its subsystems. */
static void dot_clusters(const yoke_graph *graph, const yoke_schedule *s)
{
    for (int c = 0; c < s->clusters; c++) {
        printf("  subgraph cluster_%d {\n    style = rounded;\n", c);
        for (int i = 0; i < s->nodes; i++) {
            if (s->cluster[i] != c) continue;
            const yoke_system *system = yoke_graph_system(graph, i);
            printf("    ");
            dot_text(yoke_system_name(system));
            printf(" [shape = box];\n");
        }
        printf("  }\n");
    }
}

void cli_check_dot(const yoke_graph *graph, const yoke_schedule *schedule)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    puts("digraph system {\n  rankdir = LR;");
    dot_clusters(graph, schedule);
    for (int l = 0; l < links; l++) {
        const yoke_system *from = yoke_graph_system(graph, link[l].from);
        const yoke_system *to = yoke_graph_system(graph, link[l].to);
        printf("  ");
        dot_text(yoke_system_name(from));
        printf(" -> ");
        dot_text(yoke_system_name(to));
        printf(" [label = ");
        dot_text(yoke_system_facts(from)->y_name[link[l].output]);
        puts("];");
    }
    puts("}");
}
