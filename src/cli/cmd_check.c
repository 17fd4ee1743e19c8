/* cli/cmd_check.c -- yoke check PROBLEM: what is known before the run. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>

static void print_subsystem(yoke_system *system)
{
    const yoke_system_info *f = yoke_system_facts(system);
    yoke_solvability s;
    yoke_err err = { YOKE_OK, "" };

    if (yoke_solvable(system, 0.0, NULL, NULL, &s, &err) != YOKE_OK) {
        printf("%-16s %s\n", yoke_system_name(system), err.text);
        return;
    }
    printf("%-16s %-11s %8d %8d %8d %6d %6d   ", yoke_system_name(system),
           yoke_system_kind(system), f->n, s.differential, s.algebraic, f->m,
           f->p);
    if (s.solvable)
        printf("%d\n", s.index);
    else
        printf("not solvable alone\n");
}

static void print_links(const yoke_graph *graph)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    printf("\ncoupling (%d signals):\n", links);
    for (int l = 0; l < links && l < 20; l++) {
        const yoke_system *to = yoke_graph_system(graph, link[l].to);
        const yoke_system *from = yoke_graph_system(graph, link[l].from);
        printf("  %s.%s += %g * %s.%s\n", yoke_system_name(to),
               yoke_system_facts(to)->u_name[link[l].input], link[l].weight,
               yoke_system_name(from),
               yoke_system_facts(from)->y_name[link[l].output]);
    }
    if (links > 20) printf("  ... and %d more\n", links - 20);
}

static void print_schedule(const yoke_graph *graph, const yoke_schedule *s)
{
    printf("\nschedule: ");
    for (int stage = 0; stage < s->stages; stage++)
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            const char *join = k == 0 ? "" : ", ";
            if (stage > 0 && k == s->stage[stage]) join = " > ";
            printf("%s", join);
            bool first = true;
            for (int i = 0; i < s->nodes; i++) {
                if (s->cluster[i] != s->member[k]) continue;
                printf("%s%s", first ? "" : " + ",
                       yoke_system_name(yoke_graph_system(graph, i)));
                first = false;
            }
        }
    putchar('\n');
}

/* From the decay of the radius between the two smallest steps. */
static void print_rate_class(const yoke_contraction *c, int last)
{
    if (c[last].rho < 1e-30)
        puts("The radius vanishes with h: the iteration converges in finitely "
             "many sweeps or\nsuperlinearly on short windows.");
    else {
        const double slope = log10(c[last - 1].rho / c[last].rho) / 2.0;
        if (slope < 0.25)
            printf("For h -> 0 the radius tends to alpha = %.4g.\n",
                   c[last].rho);
        else
            printf("For h -> 0 the radius falls like h^%.2g.\n", slope);
    }
}

/* ---- what is found ---------------------------------------------------------
 */

static void find_advice(yoke_model *model, const yoke_run_options *options,
                        cli_check *c)
{
    c->judged = c->contraction[c->radius > 1e-6 ? c->last : 0].h;
    if (yoke_model_advise(model, options, c->judged, CLI_BEST, c->best,
                          &c->schedules, NULL) != YOKE_OK)
        c->schedules = 0;
}

static void find_contraction(yoke_model *model, const yoke_run_options *options,
                             cli_check *c)
{
    const double window = options->iterate.window > 0.0
                              ? options->iterate.window
                              : (options->stop - options->start) / 100.0;
    yoke_err err = { YOKE_OK, "" };

    for (int k = 0; k < CLI_STEPS; k++)
        c->contraction[k].h = window * pow(10.0, -2.0 * k);
    if (yoke_model_contraction(model, options, CLI_STEPS, c->contraction,
                               &err) != YOKE_OK) {
        snprintf(c->message, sizeof c->message, "%s", err.text);
        return;
    }
    c->last = CLI_STEPS - 1;
    while (c->last > 1 && isnan(c->contraction[c->last].rho)) c->last--;
    c->radius = c->contraction[c->last].rho;
    c->known = !isnan(c->radius) && !isnan(c->contraction[c->last - 1].rho);
    if (c->known)
        find_advice(model, options, c);
    else
        snprintf(c->message, sizeof c->message,
                 "a part is singular at all steps that were tried");
}

static void find(yoke_model *model, const yoke_run_options *options,
                 const yoke_schedule *schedule, cli_check *c)
{
    yoke_err err = { YOKE_OK, "" };

    *c = (cli_check){ .solvable = true };
    if (yoke_graph_check(yoke_model_graph(model), schedule, options->start,
                         &err) == YOKE_OK)
        find_contraction(model, options, c);
    else {
        c->solvable = false;
        snprintf(c->message, sizeof c->message, "%s", err.text);
    }
}

/* ---- what is printed -------------------------------------------------------
 */

static void print_contraction(const cli_check *c)
{
    puts("every cluster is solvable");
    if (!c->known) {
        printf("contraction: not known (%s)\n", c->message);
        return;
    }
    printf("\ncontraction per sweep over one implicit step of length h:\n"
           "  %12s %12s %12s\n",
           "h", "radius", "norm");
    for (int k = 0; k < CLI_STEPS; k++)
        printf("  %12.3g %12.4g %12.4g\n", c->contraction[k].h,
               c->contraction[k].rho, c->contraction[k].norm);
    print_rate_class(c->contraction, c->last);
    if (c->schedules > 0)
        printf("\nbest of %d schedules, radius at h = %.3g:\n", c->schedules,
               c->judged);
    for (int k = 0; k < c->schedules && k < CLI_BEST; k++)
        printf("  %10.4g   %s\n", c->best[k].rho, c->best[k].schedule);
    putchar('\n');
    if (c->radius >= 1.0)
        puts("The iteration diverges in this order, however short the windows: "
             "try another order\nor owner, or solve the parts as one cluster.");
    else if (c->contraction[0].rho >= 1.0)
        puts("The iteration contracts if windows and steps are short enough.");
    else
        puts("The iteration contracts.");
}

static void print_plain(const yoke_graph *graph, const yoke_schedule *schedule,
                        const cli_check *c)
{
    printf("%-16s %-11s %8s %8s %8s %6s %6s   %s\n", "subsystem", "kind",
           "unknowns", "diff.", "alg.", "in", "out", "index");
    for (int i = 0; i < yoke_graph_count(graph); i++)
        print_subsystem(yoke_graph_system(graph, i));
    print_links(graph);
    print_schedule(graph, schedule);
    if (c->solvable) print_contraction(c);
}

static int check(yoke_model *model, const yoke_run_options *options, bool json,
                 bool dot)
{
    yoke_graph *graph = yoke_model_graph(model);
    yoke_schedule *schedule = NULL;
    yoke_err err = { YOKE_OK, "" };
    cli_check c;

    if (yoke_run_schedule(&schedule, graph, options, &err) != YOKE_OK)
        return cli_fail(&err);
    find(model, options, schedule, &c);
    if (json)
        cli_check_json(graph, options, &c);
    else if (dot)
        cli_check_dot(graph, schedule);
    else
        print_plain(graph, schedule, &c);
    yoke_schedule_free(schedule);
    if (c.solvable) return CLI_OK;
    if (!json) fprintf(stderr, "yoke: %s\n", c.message);
    return CLI_FAILED;
}

static void print_reports(const yoke_file *file)
{
    const char *text = NULL;

    for (int i = 0; file && (text = yoke_file_report(file, i)); i++)
        if (text[0]) printf("%s\n", text);
}

int cmd_check(int argc, char **argv)
{
    const bool json = cli_flag(&argc, argv, "--json");
    const bool dot = cli_flag(&argc, argv, "--dot");
    cli_system system;
    int status = cli_load(&system, &argc, argv);

    if (status == CLI_OK) {
        if (!json && !dot) print_reports(system.file);
        status = check(system.model, &system.options, json, dot);
    }
    cli_unload(&system);
    return status;
}
