/* cli/verify_formats.c -- what yoke verify found, for people and programs. */
#include "cli/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PRINTED = 12 };

yoke_status verify_names(verify *v, const yoke_run *run, yoke_err *err)
{
    const char *const *name = NULL;

    v->cols = yoke_run_variables(run, &name, NULL);
    v->name = calloc((size_t)v->cols, sizeof *v->name);
    v->variable = calloc((size_t)v->cols, sizeof *v->variable);
    bool made = v->name && v->variable;
    for (int c = 0; made && c < v->cols; c++) {
        v->name[c] = malloc(strlen(name[c]) + 1);
        made = v->name[c] != NULL;
        if (made) strcpy(v->name[c], name[c]);
    }
    return made ? YOKE_OK : yoke_fail(err, YOKE_E_MEMORY, "out of memory");
}

void verify_clear(verify *v)
{
    for (int c = 0; v->name && c < v->cols; c++) free(v->name[c]);
    free(v->name);
    free(v->variable);
    for (int k = 0; k < RUNS; k++) {
        free(v->run[k].value);
        free(v->run[k].size);
    }
}

static double time_of(const verify *v, int row)
{
    return row + 1 < v->run[COUPLED].rows ? v->start + row * v->every : v->stop;
}

static void name_run(const verify *v, int k, char *text, size_t room)
{
    static const char *const plain[RUNS] = { [COUPLED] = "coupled",
                                             [FINE] = "coupled, fine",
                                             [SHORT] = "coupled, short steps",
                                             [OTHER] = "coupled, other order",
                                             [WHOLE] = "monolithic",
                                             [REFERENCE] = "reference" };

    if (plain[k])
        snprintf(text, room, "%s", plain[k]);
    else {
        const int part = 1 << (k - FIRST);
        int used = snprintf(text, room, part > 1 ? "H/%d" : "H", part);
        if (v->sweeps > 0)
            snprintf(text + used, room - (size_t)used, ", sweeps %d",
                     v->sweeps);
    }
}

/* ---- for people ---------------------------------------------------------- */

static void print_number(double value)
{
    if (isfinite(value))
        printf(" %10.3g", value);
    else
        printf(" %10s", "-");
}

static void print_run(const verify *v, int k)
{
    const verify_run *o = &v->run[k];
    char name[48], window[24] = "chosen";

    name_run(v, k, name, sizeof name);
    if (!o->done && !o->why[0]) return; /* not for this system */
    if (!o->done) {
        printf("%-20s failed: %s\n", name, o->why);
        return;
    }
    if (o->window > 0.0) snprintf(window, sizeof window, "%.4g", o->window);
    printf("%-20s %10s %8d %8ld %10ld %10ld %9.3f", name, window,
           o->result.iterate.windows, o->result.iterate.sweeps,
           o->result.work.residuals, o->result.work.factorizations,
           o->result.seconds);
    print_number(v->error[k]);
    putchar('\n');
}

/* The variables with the largest differences, over their tolerance. */
static void print_variables(const verify *v)
{
    double last = INFINITY;

    printf("\n%s:\n"
           "%-24s %12s %12s %10s %10s %12s\n",
           v->closed ? "coupled against fine"
                     : "splitting error, coupled against monolithic",
           "variable", "largest", "rms", "/ tol", "rms / tol", "at time");
    for (int shown = 0; shown < MOST_PRINTED && shown < v->cols;) {
        double next = -1.0;
        for (int c = 0; c < v->cols; c++) {
            const double r = v->variable[c].max / v->variable[c].tolerance;
            if (r < last && r > next) next = r;
        }
        if (next < 0.0) break;
        for (int c = 0; c < v->cols && shown < MOST_PRINTED; c++) {
            const verify_distance *d = &v->variable[c];
            if (d->max / d->tolerance != next) continue;
            printf("%-24s %12.3e %12.3e %10.3g %10.3g %12.6g\n", v->name[c],
                   d->max, d->rms, next, d->rms / d->tolerance,
                   time_of(v, d->at_row));
            shown++;
        }
        last = next;
    }
    if (v->cols > MOST_PRINTED)
        printf("... and %d more, all smaller\n", v->cols - MOST_PRINTED);
}

static void order_text(const verify *v, char *text, size_t room)
{
    const double *e = v->error + FIRST;
    const char *how = v->sweeps > 0 ? "so often" : "to convergence";

    switch (v->seen) {
    case ORDER_SPLITTING:
        snprintf(text, room,
                 "the splitting error falls with order %.2f (%.2f before) in "
                 "the length of the windows",
                 v->order, v->orders[0]);
        break;
    case ORDER_ALL:
        snprintf(text, room,
                 "the error falls with order %.2f (%.2f before) as windows and "
                 "steps are halved together, that of the steppers included",
                 v->order, v->orders[0]);
        break;
    case ORDER_BELOW:
        snprintf(text, room,
                 "no order can be seen: with windows iterated %s the errors, "
                 "%.2g, %.2g, %.2g tolerances, are at the level of the "
                 "steppers' own, %.2g",
                 how, e[0], e[1], e[2], v->level);
        break;
    case ORDER_FLAT:
        snprintf(text, room,
                 "no order can be seen: the errors, %.2g, %.2g, %.2g "
                 "tolerances, do not fall as the windows are halved; the "
                 "steppers' own is %.2g",
                 e[0], e[1], e[2], v->level);
        break;
    default:
        snprintf(text, room, "no order: not every run reached its end");
    }
}

/* Who causes it, as JSON. */
static const char *verify_blame(const verify *v)
{
    if (v->agree) return "null";
    return v->by_steps || v->level > 0.5 * fmax(v->splitting, v->total)
               ? "\"steppers\""
               : "\"coupling\"";
}

/* Steps of a fixed length promise no tolerance. */
static bool by_fixed(const verify *v)
{
    return v->fixed[0] && strcmp(verify_blame(v), "\"steppers\"") == 0;
}

static void print_reason(const verify *v)
{
    if (by_fixed(v))
        printf("Fixed steps are the reason: %s.\nNobody tests the error of "
               "such steps, so no tolerance holds for them: the steppers\n"
               "alone leave %.3g tolerances. Take shorter steps, or a method "
               "with error control.\n",
               v->fixed, v->level);
    else if (v->by_steps)
        printf(
            "The steppers cause it: with steps of at most %.4g s the coupled "
            "run is within %.3g\ntolerances of the reference. Some step misses "
            "what its inputs do; take a smaller\nstep (--step) or tolerance.\n",
            v->bound, v->error[SHORT]);
    else if (v->level > 0.5 * fmax(v->splitting, v->total))
        printf("The steppers of the subsystems alone leave %.3g tolerances: "
               "their steps are too long or\ntheir tolerance too large, "
               "whatever the coupling does.\n",
               v->level);
    else
        puts("The coupling causes it, not the steppers. Try a smaller "
             "fraction, or shorter windows.");
}

/* One verdict: on everything, unless steps of a fixed length, which promise
 * nothing, are off by more. */
static void print_agreement(const verify *v)
{
    if (v->agree && v->total > v->factor)
        printf("Coupled and monolithic results agree within ten tolerances; "
               "the steppers' own steps\nof a fixed length leave %.3g.\n",
               v->total);
    else
        printf("The results agree %s ten tolerances, the integration errors of "
               "the subsystems' own\nsteppers included.\n",
               v->agree ? "within" : "only beyond");
}

static void print_verdict(const verify *v)
{
    char order[400];

    order_text(v, order, sizeof order);
    printf("\norder: %s", order);
    puts(v->sweeps || v->order == v->order
             ? "."
             : ".\n       --sweeps K shows that of K sweeps per window.");
    if (v->no_replay[0])
        printf("overhead: not measured (%s)\n", v->no_replay);
    else
        printf("overhead: %.2f, measured: work over that of each subsystem "
               "solved once, alone,\n          with the waveforms of the run "
               "(its outputs then differ by %.2g tolerances)\n",
               v->run[COUPLED].result.overhead, v->apart);
    printf("\nlargest splitting error in units of the tolerance (rtol %.1e, "
           "atol %.1e): %.3g (%s)\n",
           v->rtol, v->atol, v->splitting, v->name[v->worst]);
    printf("error of the coupled run against the reference: %.3g tolerances "
           "(%s)\n",
           v->total, v->name[v->total_worst]);
    print_agreement(v);
    if (!v->agree) print_reason(v);
}

static void print_head(void)
{
    printf("%-20s %10s %8s %8s %10s %10s %9s %10s\n", "run", "window",
           "windows", "sweeps", "residuals", "factored", "seconds", "error");
}

/* With closed parts nothing can be solved in another way: what is left is to be
 * more accurate, and to iterate otherwise. */
void verify_print_closed(const verify *v)
{
    print_head();
    for (int k = 0; k < RUNS; k++) print_run(v, k);
    puts("(error: largest difference from the fine run, in units of the "
         "tolerance)");
    print_variables(v);
    printf("\nerror of the coupled run against the fine one (rtol %.1e, atol "
           "%.1e): %.3g tolerances (%s)\n",
           v->rtol, v->atol, v->total, v->name[v->total_worst]);
    printf("The results agree %s ten tolerances with those of a hundredth of "
           "the\ntolerance%s, and with those of another order of sweeps.\n",
           v->agree ? "within" : "only beyond",
           v->halved ? " and shorter communication steps" : "");
    if (!v->agree && v->steps_differ)
        puts("The communication steps, or the steps inside the parts, are the "
             "reason: another order\nof sweeps gives the same. Nobody tests "
             "the error of such steps; give shorter ones.");
    printf("not certified: what the solvers inside %s do, since every run uses "
           "them%s.\n",
           v->parts,
           v->halved ? ""
                     : ",\nand steps that a part takes in one length only");
}

void verify_print(const verify *v)
{
    print_head();
    for (int k = 0; k < RUNS; k++) print_run(v, k);
    if (v->run[REFERENCE].done)
        printf("(error: largest difference from the reference, %s, in units of "
               "the tolerance)\n",
               v->reference);
    else
        puts("(error: largest difference from the monolithic run, in units of "
             "the tolerance)");
    print_variables(v);
    print_verdict(v);
}

/* ---- for programs -------------------------------------------------------- */

static void number(const char *key, double value)
{
    printf("\"%s\": ", key);
    cli_json_number(value);
}

static void json_run(const verify *v, int k)
{
    const verify_run *o = &v->run[k];
    const yoke_run_result *r = &o->result;
    char name[48];

    name_run(v, k, name, sizeof name);
    printf("{\"name\": ");
    cli_json_text(name);
    printf(", \"done\": %s, \"message\": ", o->done ? "true" : "false");
    cli_json_text(o->why);
    printf(", \"converged\": %s, ", r->converged ? "true" : "false");
    number("window", o->window > 0.0 ? o->window : NAN);
    printf(", \"windows\": %d, \"sweeps\": %ld, \"residuals\": %ld, "
           "\"factorizations\": %ld, ",
           r->iterate.windows, r->iterate.sweeps, r->work.residuals,
           r->work.factorizations);
    number("error", v->error[k]);
    putchar('}');
}

static void json_variable(const verify *v, int c)
{
    const verify_distance *d = &v->variable[c];

    printf("{\"name\": ");
    cli_json_text(v->name[c]);
    printf(", ");
    number("max", d->max);
    printf(", ");
    number("rms", d->rms);
    printf(", ");
    number("max_tolerances", d->max / d->tolerance);
    printf(", ");
    number("rms_tolerances", d->rms / d->tolerance);
    printf(", ");
    number("at_time", time_of(v, d->at_row));
    putchar('}');
}

static void json_order(const verify *v)
{
    char text[400];

    order_text(v, text, sizeof text);
    printf(",\n \"order\": {");
    number("value", v->order);
    printf(", \"sweeps\": %d, \"between\": [", v->sweeps);
    for (int k = 0; k + 1 < SERIES; k++) {
        if (k) printf(", ");
        cli_json_number(v->orders[k]);
    }
    printf("], \"text\": ");
    cli_json_text(text);
    putchar('}');
}

/* The keys are those of docs/manual/json.md. */
void verify_json(const verify *v)
{
    const yoke_run_result *r = &v->run[COUPLED].result;

    printf("{\"agree\": %s, \"converged\": %s, ", v->agree ? "true" : "false",
           r->converged ? "true" : "false");
    number("factor", v->factor);
    printf(",\n ");
    number("splitting_error", v->splitting);
    printf(", \"worst\": ");
    cli_json_text(v->name[v->worst]);
    printf(", ");
    number("stepper_error", v->level);
    printf(", ");
    number("error", v->total);
    printf(", \"blame\": %s, \"fixed_steps\": ", verify_blame(v));
    cli_json_text(v->fixed);
    printf(",\n ");
    number("rtol", v->rtol);
    printf(", ");
    number("atol", v->atol);
    json_order(v);
    printf(",\n ");
    number("overhead", v->no_replay[0] ? NAN : r->overhead);
    printf(", ");
    number("replay_distance", v->no_replay[0] ? NAN : v->apart);
    printf(", ");
    number("rate_median", r->rate_median);
    printf(", ");
    number("rate_predicted", r->rate_predicted);
    printf(",\n \"runs\": [");
    for (int k = 0; k < RUNS; k++) {
        if (k == OTHER && !v->closed) continue;
        if (k) printf(",\n  ");
        json_run(v, k);
    }
    printf("],\n \"closed\": %s", v->closed ? "true" : "false");
    printf(",\n \"variables\": [");
    for (int c = 0; c < v->cols; c++) {
        if (c) printf(",\n  ");
        json_variable(v, c);
    }
    puts("]}");
}
