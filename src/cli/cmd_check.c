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

static void print_advice(yoke_model *model, const yoke_run_options *options,
                         double h)
{
    enum { SHOWN = 6 };
    yoke_advice best[SHOWN];
    yoke_err err = { YOKE_OK, "" };
    int count = 0;

    if (yoke_model_advise(model, options, h, SHOWN, best, &count, &err) !=
            YOKE_OK ||
        count == 0)
        return;
    printf("\nbest of %d schedules, radius at h = %.3g:\n", count, h);
    for (int k = 0; k < count && k < SHOWN; k++)
        printf("  %10.4g   %s\n", best[k].rho, best[k].schedule);
    putchar('\n');
}

/* The step from which on nothing changes any more, and the window. */
static void print_contraction(yoke_model *model,
                              const yoke_run_options *options)
{
    const double window = options->iterate.window > 0.0
                              ? options->iterate.window
                              : (options->stop - options->start) / 100.0;
    yoke_contraction c[5];
    yoke_err err = { YOKE_OK, "" };

    for (int k = 0; k < 5; k++) c[k].h = window * pow(10.0, -2.0 * k);
    if (yoke_model_contraction(model, options, 5, c, &err) != YOKE_OK) {
        printf("contraction: not known (%s)\n", err.text);
        return;
    }
    printf("\ncontraction per sweep over one implicit step of length h:\n"
           "  %12s %12s %12s\n",
           "h", "radius", "norm");
    for (int k = 0; k < 5; k++)
        printf("  %12.3g %12.4g %12.4g\n", c[k].h, c[k].rho, c[k].norm);
    int last = 4; /* the smallest step at which no part was singular */
    while (last > 1 && isnan(c[last].rho)) last--;
    if (isnan(c[last].rho) || isnan(c[last - 1].rho)) {
        puts("A part is singular at all of these steps.");
        return;
    }
    print_rate_class(c, last);
    print_advice(model, options, c[c[last].rho > 1e-6 ? last : 0].h);
    if (c[last].rho >= 1.0)
        puts("The iteration diverges in this order, however short the windows: "
             "try another order\nor owner, or solve the parts as one cluster.");
    else if (c[0].rho >= 1.0)
        puts("The iteration contracts if windows and steps are short enough.");
    else
        puts("The iteration contracts.");
}

static int check(yoke_model *model, const yoke_run_options *options)
{
    yoke_graph *graph = yoke_model_graph(model);
    yoke_schedule *schedule = NULL;
    yoke_err err = { YOKE_OK, "" };
    int status = CLI_OK;

    printf("%-16s %-11s %8s %8s %8s %6s %6s   %s\n", "subsystem", "kind",
           "unknowns", "diff.", "alg.", "in", "out", "index");
    for (int i = 0; i < yoke_graph_count(graph); i++)
        print_subsystem(yoke_graph_system(graph, i));
    print_links(graph);
    if (yoke_run_schedule(&schedule, graph, options, &err) != YOKE_OK)
        return cli_fail(&err);
    print_schedule(graph, schedule);
    if (yoke_graph_check(graph, schedule, options->start, &err) != YOKE_OK)
        status = cli_fail(&err);
    else {
        puts("every cluster is solvable");
        print_contraction(model, options);
    }
    yoke_schedule_free(schedule);
    return status;
}

static void print_reports(const yoke_file *file)
{
    const char *text = NULL;

    for (int i = 0; file && (text = yoke_file_report(file, i)); i++)
        if (text[0]) printf("%s\n", text);
}

int cmd_check(int argc, char **argv)
{
    cli_system system;
    int status = cli_load(&system, &argc, argv);

    if (status == CLI_OK) {
        print_reports(system.file);
        status = check(system.model, &system.options);
    }
    cli_unload(&system);
    return status;
}
