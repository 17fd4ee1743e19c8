/* cli/check_find.c -- what yoke check finds: contraction, orders, advice. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_check_stepper(yoke_model *model, const yoke_run_options *options,
                       const cli_check *c, int node, yoke_stepper_options *out)
{
    return yoke_model_stepper(model, node) &&
           yoke_run_stepper(model, options, c->used, node, out, NULL) ==
               YOKE_OK;
}

bool cli_is_fixed(const yoke_stepper_options *o)
{
    return o->rtol == 0.0 || yoke_stepper_is_fixed(o->method);
}

/* ---- contraction --------------------------------------------------------- */

/* Eigenvalues of a defective matrix are known to the root of the rounding
 * errors. */
bool cli_contracts(double radius)
{
    return radius < 1.0 - 1e-6;
}

/* From the decay of the radius between the two smallest steps. */
static void find_class(cli_check *c)
{
    const double least = c->contraction[c->last].rho;
    const double before = c->contraction[c->last - 1].rho;

    c->rate_class = CLI_RATE_ZERO;
    c->rate_value = 0.0;
    if (least < 1e-30) return;
    const double slope = log10(before / least) / 2.0;
    c->rate_class = slope < 0.25 ? CLI_RATE_ALPHA : CLI_RATE_POWER;
    c->rate_value = slope < 0.25 ? least : slope;
}

/* Conditions (i) alpha < 1 and (ii) L alpha^k < 1 of Arnold and Guenther
 * (2001), Theorem 2.2: they carry errors from window to window if each ends
 * after a fixed number k of sweeps. */
static void find_contractivity(cli_check *c, const yoke_iterate_options *o)
{
    const bool fixed = o->stop == YOKE_STOP_COUNT;
    const bool corrected = o->accelerate == YOKE_ACCELERATE_PRECONDITION ||
                           o->accelerate == YOKE_ACCELERATE_NEWTON;

    c->alpha =
        c->rate_class == CLI_RATE_ALPHA && !corrected ? c->rate_value : 0.0;
    c->lipschitz = yoke_extrapolation_bound(o->extrapolate);
    c->sweeps = fixed ? o->max_sweeps : 0;
    c->carried = fixed ? c->lipschitz * pow(c->alpha, c->sweeps) : NAN;
    c->least_sweeps = 0;
    if (c->alpha < 1e-12)
        c->least_sweeps = 1;
    else if (c->alpha < 1.0)
        c->least_sweeps = (int)floor(log(c->lipschitz) / -log(c->alpha)) + 1;
}

static void find_orders(cli_check *c, yoke_model *model,
                        const yoke_run_options *options)
{
    c->judged = c->contraction[c->radius > 1e-6 ? c->last : 0].h;
    c->order = calloc(CLI_ORDERS, sizeof *c->order);
    if (!c->order ||
        yoke_model_advise(model, options, c->judged, c->contraction[0].h,
                          CLI_ORDERS, c->order, &c->schedules, NULL) != YOKE_OK)
        c->schedules = 0;
    c->listed = c->schedules < CLI_ORDERS ? c->schedules : CLI_ORDERS;
}

/* ---- advice -------------------------------------------------------------- */

static double own_radius(const cli_check *c)
{
    for (int k = 0; k < CLI_STEPS; k++)
        if (c->contraction[k].h == c->judged) return c->contraction[k].rho;
    return NAN;
}

/* Two clusters of the schedule as one, the others as they are. */
static bool merged_text(char *text, const yoke_graph *graph,
                        const yoke_schedule *s, int a, int b)
{
    char name[CLI_TEXT];
    size_t used = 0;

    for (int k = -2; k < s->clusters && used < CLI_TEXT; k++) {
        const int cluster = k == -2 ? a : k == -1 ? b : k;
        if (k == a || k == b) continue;
        yoke_schedule_text(s, graph, cluster, name, sizeof name);
        if (!name[0]) continue; /* hidden */
        used += (size_t)snprintf(text + used, CLI_TEXT - used, "%s%s",
                                 k == -2   ? ""
                                 : k == -1 ? " + "
                                           : " > ",
                                 name);
    }
    return used + 1 < CLI_TEXT;
}

/* The best schedule with two clusters solved as one; its radius, or INFINITY.
 */
static double best_merged(yoke_model *model, const yoke_run_options *options,
                          const yoke_schedule *s, double h, char *best)
{
    double least = INFINITY;

    for (int a = 0; s->clusters <= 8 && a < s->clusters; a++)
        for (int b = a + 1; b < s->clusters; b++) {
            yoke_contraction c = { .h = h };
            yoke_run_options tried = *options;
            char text[CLI_TEXT];
            if (!merged_text(text, yoke_model_graph(model), s, a, b)) continue;
            tried.schedule = text;
            if (yoke_model_contraction(model, &tried, 1, &c, NULL) != YOKE_OK ||
                !(c.rho < least))
                continue;
            least = c.rho;
            memcpy(best, text, sizeof text);
        }
    return least;
}

static void advise_clusters(cli_check *c, yoke_model *model,
                            const yoke_run_options *options,
                            const yoke_schedule *s)
{
    const double radius =
        best_merged(model, options, s, c->judged, c->recommended);

    if (cli_contracts(radius))
        snprintf(c->reason, sizeof c->reason,
                 "no order and no owner contracts (the best radius is %.3g); "
                 "with two parts merged it is %.3g",
                 c->listed ? c->order[0].rho : own_radius(c), radius);
    else {
        c->recommended[0] = '\0';
        snprintf(c->reason, sizeof c->reason,
                 "no order, no owner and no merged pair contracts: solve "
                 "everything as one, --scheme monolithic");
    }
}

static void say_speed(char *text, size_t room, double rho)
{
    text[0] = '\0';
    if (rho > 1e-3 && rho < 1.0)
        snprintf(text, room, ", about %.2g sweeps per decimal digit",
                 -1.0 / log10(rho));
}

static void find_advice(cli_check *c, yoke_model *model,
                        const yoke_run_options *options, const yoke_schedule *s)
{
    const double own = own_radius(c);
    const double best = c->listed ? c->order[0].rho : own;
    char speed[64];

    if (s->clusters == 1) {
        snprintf(c->reason, sizeof c->reason,
                 "everything is solved as one: there is nothing to iterate");
        return;
    }
    if (!cli_contracts(fmin(own, best))) {
        advise_clusters(c, model, options, s);
        return;
    }
    if (best < 0.9 * own && own > 1e-6) {
        say_speed(speed, sizeof speed, best);
        memcpy(c->recommended, c->order[0].schedule, sizeof c->recommended);
        snprintf(c->reason, sizeof c->reason,
                 "its radius at h = %.3g is %.3g instead of %.3g%s", c->judged,
                 best, own, speed);
        return;
    }
    const double window = c->contraction[0].rho;
    say_speed(speed, sizeof speed, window);
    if (!cli_contracts(window))
        snprintf(c->reason, sizeof c->reason,
                 "no order contracts better, but over a step as long as the "
                 "window, %.3g, the radius is %.3g: choose shorter windows",
                 c->contraction[0].h, window);
    else
        snprintf(c->reason, sizeof c->reason,
                 "no order contracts better; over a step as long as the "
                 "window, %.3g, the radius is %.3g%s",
                 c->contraction[0].h, window, speed);
}

/* ---- all ----------------------------------------------------------------- */

/* Is a constraint a cluster of its own? */
static bool any_apart(yoke_model *model, const yoke_schedule *s)
{
    for (int i = 0; i < s->nodes; i++) {
        const yoke_system *system =
            yoke_graph_system(yoke_model_graph(model), i);
        int members = 0;
        for (int k = 0; k < s->nodes; k++)
            members += s->cluster[k] == s->cluster[i];
        if (members == 1 && strcmp(yoke_system_kind(system), "constraint") == 0)
            return true;
    }
    return false;
}

static void find_contraction(cli_check *c, yoke_model *model,
                             const yoke_run_options *options,
                             const yoke_schedule *schedule)
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
    if (!c->known) {
        snprintf(c->message, sizeof c->message, "%s",
                 any_apart(model, schedule)
                     ? "a constraint stays apart: its multipliers follow from "
                       "the motion of what it joins, and every window that is "
                       "short enough contracts, whatever the masses are"
                     : "a part is singular at all steps that were tried");
        return;
    }
    find_class(c);
    find_contractivity(c, &options->iterate);
    find_orders(c, model, options);
    find_advice(c, model, options, schedule);
}

void cli_check_find(cli_check *c, yoke_model *model,
                    const yoke_run_options *options,
                    const yoke_schedule *schedule)
{
    yoke_graph *graph = yoke_model_graph(model);
    yoke_err err = { YOKE_OK, "" };

    *c = (cli_check){ .used = schedule,
                      .solvable = true,
                      .clusters = schedule->clusters,
                      .radius = NAN,
                      .alpha = NAN,
                      .lipschitz = NAN,
                      .carried = NAN };
    yoke_schedule_text(schedule, graph, -1, c->schedule, sizeof c->schedule);
    c->gain = yoke_schedule_gain(schedule, graph);
    if (yoke_graph_check(graph, schedule, options->start, &err) == YOKE_OK)
        find_contraction(c, model, options, schedule);
    else {
        c->solvable = false;
        snprintf(c->message, sizeof c->message, "%s", err.text);
    }
}

void cli_check_clear(cli_check *c)
{
    free(c->order);
    free(c->along);
    c->order = NULL;
    c->along = NULL;
}

/* Hundredths of the run. */
static const double look_at[] = { 1,  2,  5,  10, 20, 30, 40,
                                  50, 60, 70, 80, 90, 100 };

/* With many parts each look costs more than the rest of the check. */
enum {
    LOOKS = sizeof look_at / sizeof look_at[0],
    FEW_LOOKS = 3,
    FEW_ABOVE = 50
};

/* A tenth of a second: a step takes about a microsecond for each unknown. */
static long cheap_steps(const yoke_graph *graph)
{
    double unknowns = 1.0;

    for (int i = 0; i < yoke_graph_count(graph); i++)
        unknowns += yoke_system_facts(yoke_graph_system(graph, i))->n;
    return (long)fmax(1e5 / unknowns, 100.0);
}

yoke_status cli_check_along(cli_check *c, yoke_model *model,
                            const yoke_run_options *options, int times,
                            yoke_err *err)
{
    const double span = options->stop - options->start;
    const double window = options->iterate.window;
    const yoke_graph *graph = yoke_model_graph(model);

    c->brief = times == 0;
    c->times = !c->brief ? times : c->clusters > FEW_ABOVE ? FEW_LOOKS : LOOKS;
    c->along = calloc((size_t)c->times, sizeof *c->along);
    if (!c->along)
        return yoke_fail(err, YOKE_E_MEMORY, "no memory for %d times", times);
    c->along_h = fmin(window > 0.0 ? window
                      : c->brief   ? 0.01 * span
                                   : 1e-3 * span,
                      c->brief ? 0.01 * span : span / times);
    for (int k = 0; k < c->times; k++)
        c->along[k].t = options->start + span * (c->brief && c->times == LOOKS
                                                     ? 0.01 * look_at[k]
                                                     : (k + 1.0) / c->times);
    return yoke_model_along(model, options, c->along_h,
                            c->brief ? cheap_steps(graph) : 0, c->times,
                            c->along, err);
}
