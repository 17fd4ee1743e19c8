/* cli/cmd_check.c -- yoke check SYSTEM: what is known before the run. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "radau5 rtol 1e-06", "bdf2 step 0.005", "rk4 4 steps per window" */
static void print_stepper(yoke_model *model, const yoke_run_options *options,
                          const cli_check *c, int node)
{
    yoke_stepper_options o;
    const bool has = cli_check_stepper(model, options, c, node, &o);

    printf("   %s", has ? o.method : "-");
    if (!has) return;
    if (!cli_is_fixed(&o))
        printf(" rtol %.3g", o.rtol);
    else if (o.steps > 0)
        printf(" %d steps per window", o.steps);
    else if (o.step > 0.0)
        printf(" step %.3g", o.step);
}

static void print_subsystem(yoke_model *model, const yoke_run_options *options,
                            const cli_check *c, int i, int width)
{
    yoke_system *system = yoke_graph_system(yoke_model_graph(model), i);
    const yoke_system_info *f = yoke_system_facts(system);
    yoke_solvability s;
    yoke_err err = { YOKE_OK, "" };

    if (f->closed) {
        printf("%-16s %-*s %8s %8s %8s %6d %6d   %5s   its own\n",
               yoke_system_name(system), width, yoke_system_kind(system), "-",
               "-", "-", f->m, f->p, "-");
        return;
    }
    if (yoke_solvable(system, options->start, NULL, NULL, &s, &err) !=
        YOKE_OK) {
        printf("%-16s %s\n", yoke_system_name(system), err.text);
        return;
    }
    printf("%-16s %-*s %8d %8d %8d %6d %6d   ", yoke_system_name(system), width,
           yoke_system_kind(system), f->n, s.differential, s.algebraic, f->m,
           f->p);
    if (s.solvable)
        printf("%5d", s.index);
    else
        printf("not solvable alone");
    if (s.solvable) print_stepper(model, options, c, i);
    putchar('\n');
}

/* Of the column of kinds. */
static int kind_width(const yoke_graph *graph)
{
    int width = 11;

    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const char *kind = yoke_system_kind(yoke_graph_system(graph, i));
        if ((int)strlen(kind) > width) width = (int)strlen(kind);
    }
    return width;
}

/* The unit that constant terms of signals come from. */
static bool is_constant(const yoke_system *system)
{
    return strcmp(yoke_system_kind(system), "constant") == 0;
}

static void print_links(const yoke_graph *graph)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    if (links == 0) return;
    printf("\ncoupling (%d signals):\n", links);
    for (int l = 0; l < links && l < 20; l++) {
        const yoke_system *to = yoke_graph_system(graph, link[l].to);
        const yoke_system *from = yoke_graph_system(graph, link[l].from);
        const double delay = yoke_graph_delay_of(graph, l).time;
        printf("  %s.%s += %g", yoke_system_name(to),
               yoke_system_facts(to)->u_name[link[l].input], link[l].weight);
        if (!is_constant(from))
            printf(" * %s.%s", yoke_system_name(from),
                   yoke_system_facts(from)->y_name[link[l].output]);
        if (delay > 0.0) printf(", %g s later", delay);
        putchar('\n');
    }
    if (links > 20) printf("  ... and %d more\n", links - 20);
}

static void print_rate_class(const cli_check *c)
{
    if (c->rate_class == CLI_RATE_ZERO)
        puts("The radius vanishes with h: the iteration converges in finitely "
             "many sweeps or\nsuperlinearly on short windows.");
    else if (c->contraction[c->last].rho >
             3.0 * c->contraction[c->last - 1].rho)
        printf("For h -> 0 the radius grows without bound, like h^%.2g: a "
               "derivative of an input\nis coupled, such as a displacement "
               "current.\n",
               -0.5 * log10(c->contraction[c->last].rho /
                            c->contraction[c->last - 1].rho));
    else if (c->rate_class == CLI_RATE_ALPHA)
        printf("For h -> 0 the radius tends to alpha = %.4g.\n", c->rate_value);
    else
        printf("For h -> 0 the radius falls like h^%.2g.\n", c->rate_value);
}

/* "L alpha^k = 3 * 0.6^2 = 1.08 >= 1" */
static void print_carried(const cli_check *c)
{
    const bool holds = c->carried < 1.0;

    printf("condition L alpha^k < 1: L alpha^k = %.4g * %.4g^%d = %.4g, ",
           c->lipschitz, c->alpha, c->sweeps, c->carried);
    if (holds)
        puts("holds.");
    else if (c->least_sweeps > 0)
        printf("does not hold: errors\nmay grow from window to window; %d "
               "sweeps per window are enough.\n",
               c->least_sweeps);
    else
        puts("does not hold.");
}

static void print_contractivity(const cli_check *c,
                                const yoke_iterate_options *o)
{
    const bool corrected = o->accelerate == YOKE_ACCELERATE_PRECONDITION ||
                           o->accelerate == YOKE_ACCELERATE_NEWTON;

    printf("\ncondition alpha < 1: alpha = %.4g%s, %s.\n", c->alpha,
           corrected ? " with the correction of each sweep" : "",
           c->alpha < 1.0 ? "holds" : "does not hold");
    if (c->sweeps > 0)
        print_carried(c);
    else if (c->least_sweeps > 0)
        printf("condition L alpha^k < 1: %s L = %.4g, holds from k = %d "
               "sweeps; not needed, since\nwindows end by the tolerance.\n",
               o->extrapolate < 0 ? "at most" : "with", c->lipschitz,
               c->least_sweeps);
    else
        puts("condition L alpha^k < 1: does not hold.");
}

static void print_order(const cli_check *c, int k)
{
    const bool own = strcmp(c->order[k].schedule, c->schedule) == 0;

    printf("  %10.4g %10.4g   %s%s\n", c->order[k].rho, c->order[k].rho_window,
           c->order[k].schedule, own ? "   (chosen)" : "");
}

/* The best ones, the chosen one if it is further down, and the worst. */
static void print_orders(const cli_check *c)
{
    int shown = 0;

    if (c->listed == 0) return;
    printf("\nradius of %d schedules at h = %.3g and over a window, %.3g:\n",
           c->schedules, c->judged, c->contraction[0].h);
    for (int k = 0; k < c->listed; k++) {
        const bool own = strcmp(c->order[k].schedule, c->schedule) == 0;
        if (k >= CLI_BEST && !own && k + 1 < c->listed) continue;
        if (k > shown) puts("  ...");
        print_order(c, k);
        shown = k + 1;
    }
}

/* The instant with the largest radius over steps of length h, or over short
 * ones; NULL: none is known. */
static const yoke_along *worst(const cli_check *c, bool short_steps)
{
    const yoke_along *most = NULL;

    for (int k = 0; k < c->times; k++) {
        const yoke_along *a = &c->along[k];
        const double own = short_steps ? a->rho_short : a->rho;
        const double best = !most         ? -1.0
                            : short_steps ? most->rho_short
                                          : most->rho;
        if (own > best) most = a;
    }
    return most;
}

/* What the verdict rests on. */
static void print_looked(const cli_check *c)
{
    const yoke_along *most = worst(c, false);
    double reached = NAN;

    for (int k = 0; k < c->times; k++)
        if (!isnan(c->along[k].rho)) reached = c->along[k].t;
    if (most && c->brief)
        printf("Along the run, solved as one system and looked at up to t = "
               "%.4g, the largest radius\nis %.4g, over a step of %.3g at t = "
               "%.4g.\n",
               reached, most->rho, c->along_h, most->t);
    else if (!most)
        printf("This was computed from the start values only%s%s%s.\n",
               c->not_along[0] ? " (" : "", c->not_along,
               c->not_along[0] ? ")" : "");
}

static void print_verdict(const cli_check *c)
{
    const yoke_along *most = worst(c, false), *later = worst(c, true);

    putchar('\n');
    if (!cli_contracts(c->radius))
        puts("The iteration diverges in this order, however short the windows: "
             "try another order\nor owner, or solve the parts as one cluster.");
    else if (later && !cli_contracts(later->rho_short))
        printf("The iteration contracts at the start, but diverges at t = "
               "%.4g, however short the\nwindows: the radius is %.4g there.\n",
               later->t, later->rho_short);
    else if (!cli_contracts(c->contraction[0].rho) ||
             (most && !cli_contracts(most->rho)))
        puts("The iteration contracts if windows and steps are short enough.");
    else
        puts("The iteration contracts.");
    print_looked(c);
}

static void print_advice(const cli_check *c, const yoke_iterate_options *o)
{
    const bool plain =
        o->accelerate == YOKE_ACCELERATE_NONE || o->stop != YOKE_STOP_ERROR;

    print_verdict(c);
    if (!cli_contracts(c->radius) && !plain)
        puts("(This is the plain iteration; the acceleration of the run may "
             "still make it converge.)");
    if (c->recommended[0])
        printf("recommendation: --schedule \"%s\"\nreason: %s.\n",
               c->recommended, c->reason);
    else if (!cli_contracts(c->radius))
        printf("recommendation: --scheme monolithic\nreason: %s.\n", c->reason);
    else
        printf("recommendation: keep this order\nreason: %s.\n", c->reason);
}

static void print_contraction(const cli_check *c, double start,
                              const yoke_iterate_options *o)
{
    puts("every cluster is solvable");
    if (!c->known) {
        printf("contraction: not known (%s)\n", c->message);
        return;
    }
    printf("\ncontraction per sweep at the start, t = %.6g, over one implicit "
           "step of length h%s:\n"
           "  %12s %12s %12s\n",
           start,
           c->closed
               ? "\n(closed parts: over a window of that length, measured "
                 "by differences)"
               : "",
           "h", "radius", "norm");
    for (int k = 0; k < CLI_STEPS; k++)
        printf("  %12.3g %12.4g %12.4g\n", c->contraction[k].h,
               c->contraction[k].rho, c->contraction[k].norm);
    print_rate_class(c);
    if (c->clusters > 1) print_contractivity(c, o);
    print_orders(c);
    print_advice(c, o);
}

static void print_plain(yoke_model *model, const yoke_run_options *options,
                        const cli_check *c)
{
    const yoke_graph *graph = yoke_model_graph(model);
    const int width = kind_width(graph);

    printf("%-16s %-*s %8s %8s %8s %6s %6s   %s   %s\n", "subsystem", width,
           "kind", "unknowns", "diff.", "alg.", "in", "out", "index",
           "stepper");
    for (int i = 0; i < yoke_graph_count(graph); i++)
        if (!is_constant(yoke_graph_system(graph, i)))
            print_subsystem(model, options, c, i, width);
    print_links(graph);
    printf("\nschedule: %s\n", c->schedule);
    if (c->gain > 1.001)
        printf("at once: many processors solve it at most %.3g times faster "
               "than one, if all\nsubsystems take the same number of steps\n",
               c->gain);
    const bool split = options->scheme >= YOKE_PORT_WAVES && c->clusters == 1;
    if (c->solvable && yoke_graph_count(graph) == 1)
        puts("every cluster is solvable\n"
             "There is one subsystem: there is nothing to iterate.");
    else if (c->solvable && !split)
        print_contraction(c, options->start, &options->iterate);
    cli_power_before(model, options);
}

/* ---- along the solution -------------------------------------------------- */

enum { SHOWN_ALONG = 40 };

static void print_row(const yoke_along *a)
{
    printf("  %12.4g %10.4g", a->t, a->rho);
    if (!isnan(a->first[0]))
        printf(" %12.3g %12.3g %12.3g %12.3g", a->answer[0], a->answer[1],
               a->first[0], a->first[1]);
    putchar('\n');
}

/* How many sweeps the other order begins ahead, in the mean over the points at
 * which it can be told. */
static void print_lead(const yoke_along *a, int count)
{
    double sum = 0.0;
    int told = 0;

    for (int k = 0; k < count; k++) {
        const double gain = log(a[k].first[1] / a[k].first[0]) / log(a[k].rho);
        if (!(a[k].rho > 0.0 && a[k].rho < 0.99) || !isfinite(gain)) continue;
        sum += gain;
        told++;
    }
    if (told == 0) return;
    sum /= told;
    if (fabs(sum) < 0.05)
        puts("Both orders contract alike and begin with the same errors.");
    else
        printf("Both orders contract alike; %s begins %.2f sweeps ahead, in "
               "the mean.\n",
               sum > 0.0 ? "the other one" : "the chosen one", fabs(sum));
}

static void print_along(const cli_check *c)
{
    const yoke_along *a = c->along;
    const int count = c->times;
    const int stride = (count + SHOWN_ALONG - 1) / SHOWN_ALONG;
    int worst = 0, from = -1;

    printf("\nalong the solution, over one implicit step of length %.3g:\n"
           "  %12s %10s",
           c->along_h, "time", "radius");
    if (!isnan(a[0].first[0]))
        printf(" %12s %12s %12s %12s", "L first", "L second", "error",
               "other order");
    putchar('\n');
    for (int k = 0; k < count; k++) {
        if (k % stride == stride - 1 || k + 1 == count) print_row(&a[k]);
        if (a[k].rho > a[worst].rho || isnan(a[worst].rho)) worst = k;
    }
    printf("The largest radius is %.4g, at %.4g.\n", a[worst].rho, a[worst].t);
    for (int k = 0; k <= count; k++) {
        const bool above = k < count && a[k].rho >= 1.0;
        if (above && from < 0) from = k;
        if (above || from < 0) continue;
        printf("It is 1 or more from %.4g to %.4g: the plain iteration "
               "diverges there.\n",
               a[from].t, a[k - 1].t);
        from = -1;
    }
    if (!isnan(a[0].first[0])) print_lead(a, count);
}

/* ---- the verb ------------------------------------------------------------ */

static bool has_closed(const yoke_graph *graph)
{
    for (int i = 0; i < yoke_graph_count(graph); i++)
        if (yoke_system_facts(yoke_graph_system(graph, i))->closed) return true;
    return false;
}

/* Is there an iteration to look at, and a way to look at it? */
static bool can_look(const cli_check *c, const yoke_run_options *options)
{
    return c->solvable && c->known && c->clusters > 1 && !c->closed &&
           options->scheme < YOKE_PORT_WAVES;
}

/* What was asked for fails with its reason; a look that nobody asked for is left
 * out with it.  times < 0: no look. */
static yoke_status look_along(cli_check *c, yoke_model *model,
                              const yoke_run_options *options, int times,
                              yoke_err *err)
{
    if (times > 0)
        return c->solvable ? cli_check_along(c, model, options, times, err)
                           : YOKE_OK;
    if (times < 0 || !can_look(c, options)) return YOKE_OK;
    if (c->clusters > CLI_LOOKED_AT) {
        snprintf(c->not_along, sizeof c->not_along,
                 "more than %d parts; --along N looks at N times of the run",
                 CLI_LOOKED_AT);
        return YOKE_OK;
    }
    if (cli_check_along(c, model, options, 0, err) != YOKE_OK) {
        snprintf(c->not_along, sizeof c->not_along, "%s", err->text);
        c->times = 0;
        *err = (yoke_err){ YOKE_OK, "" };
    }
    return YOKE_OK;
}

/* Where it begins at rest: do disturbances grow? */
static int check_steady(yoke_model *model, const yoke_run_options *options)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_steady s;

    if (options->start_from != YOKE_FROM_REST) return CLI_OK;
    if (yoke_model_steady(model, options, &s, &err) != YOKE_OK)
        return cli_fail(&err);
    printf("\nstart: at rest, ");
    if (s.rate == 0.0) {
        printf("where no disturbance grows (modes that grow at %.2g to %.2g "
               "1/s were looked for)\n",
               s.least, s.most);
        return CLI_OK;
    }
    printf("which is UNSTABLE: disturbances of %s and others\ngrow by e in "
           "%.3g s",
           s.name, 1.0 / s.rate);
    if (s.turn > 0.0) printf(" and turn with %.3g rad/s", s.turn);
    putchar('\n');
    return CLI_OK;
}

static int check(yoke_model *model, const yoke_run_options *options, bool json,
                 bool dot, int times)
{
    yoke_graph *graph = yoke_model_graph(model);
    yoke_schedule *schedule = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;
    cli_check c;

    if (yoke_run_schedule(&schedule, graph, options, &err) != YOKE_OK)
        return cli_fail(&err);
    cli_check_find(&c, model, options, schedule);
    c.closed = has_closed(graph);
    status = look_along(&c, model, options, dot ? -1 : times, &err);
    if (json && status == YOKE_OK)
        cli_check_json(model, options, &c);
    else if (dot && status == YOKE_OK)
        cli_check_dot(graph, schedule);
    else if (!json && !dot)
        print_plain(model, options, &c);
    if (!json && !dot && c.times > 0 && !c.brief && status == YOKE_OK)
        print_along(&c);
    yoke_schedule_free(schedule);
    cli_check_clear(&c);
    if (status != YOKE_OK) return cli_fail(&err);
    if (c.solvable) return json || dot ? CLI_OK : check_steady(model, options);
    if (!json) fprintf(stderr, "yoke: %s\n", c.message);
    return CLI_FAILED;
}

static void print_reports(const yoke_file *file)
{
    yoke_netlist_info n;
    const char *text = NULL;

    for (int i = 0; file && (text = yoke_file_report(file, i)); i++)
        if (text[0]) printf("%s\n", text);
    if (!file || !yoke_file_netlist(file, &n)) return;
    for (int i = 0; i < n.findings; i++) printf("remark: %s\n", n.finding[i]);
}

int cmd_check(int argc, char **argv)
{
    enum { MOST = 10000 };
    const bool json = cli_flag(&argc, argv, "--json");
    const bool dot = cli_flag(&argc, argv, "--dot");
    const char *along = cli_value(&argc, argv, "--along");
    char *end = NULL;
    const long times = along ? strtol(along, &end, 10) : 0;
    cli_system system;

    if (along && dot)
        return cli_usage("check: --dot and --along cannot be used together");
    if (along && (*end || end == along || times < 0 || times > MOST))
        return cli_usage("check: --along is the number of times, 0 to %d, not "
                         "\"%s\"",
                         MOST, along);
    int status = cli_load(&system, &argc, argv);
    if (status == CLI_OK) {
        if (!json && !dot) print_reports(system.file);
        status = check(system.model, &system.options, json, dot,
                       along && times == 0 ? -1 : (int)times);
    }
    cli_unload(&system);
    return status;
}
