/* cli/power.c -- port-Hamiltonian subsystems: what is guaranteed, what was
 * measured, and the energy. */
#include "cli/cli.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* ---- before a run -------------------------------------------------------- */

static void print_promise(const yoke_power *p)
{
    printf("%s over windows of %.4g with steps of %.3g:\n", p->method,
           p->window, p->step);
    if (p->q < 1.0)
        printf("  each sweep leaves at most q = %.4g of the error, in the norm "
               "with the weight\n  exp(-2 %.4g t) and mu = %.4g; ",
               p->q, p->omega, p->mu);
    else
        printf("  no rate is guaranteed; ");
    if (isfinite(p->guaranteed))
        printf(
            "after %.3g sweeps nothing\n  more than the tolerance is left of "
            "the first error of a window.\n",
            ceil(p->guaranteed));
    else
        puts("the number of sweeps has no bound.");
}

static void print_growth(const yoke_power *p)
{
    if (!(p->growth > 0.5)) return;
    printf("Plain sweeps (Jacobi) over the whole run: the coupling exchanges "
           "energy at %.4g 1/s,\nerrors may first grow by a factor of 10^%.4g "
           "(after %.4g sweeps)%s.\nUse windows, or --scheme port-waves with a "
           "step.\n",
           p->frequency, p->growth, p->peak,
           p->growth > log10((double)FLT_MAX)
               ? ", more than single\nprecision can hold"
               : "");
}

void cli_power_before(yoke_model *model, const yoke_run_options *options)
{
    yoke_power p;
    yoke_err err = { YOKE_OK, "" };
    bool found = false;

    const yoke_status status =
        yoke_model_power(model, options, &found, &p, &err);
    if (!found && status == YOKE_OK) return;
    puts("");
    if (status != YOKE_OK) {
        printf("port-Hamiltonian: %s\n", err.text);
        return;
    }
    printf("port-Hamiltonian: %d subsystems, %d paired ports between them\n",
           p.blocks, p.pairs);
    if (p.pairs == 0) return;
    printf("%s", p.split ? "" : "possible with --scheme port-waves: ");
    print_promise(&p);
    printf("Algorithm 1 (--scheme lions-mercier) with this mu: q = %.4g, at "
           "best %.4g for\nlambda* = %.4g; %.4g with the matrix-valued "
           "lambda.\n%s.\n",
           p.bound, p.optimum, p.lambda, p.matrix, p.statement);
    print_growth(&p);
}

/* ---- after a run --------------------------------------------------------- */

void cli_power_after(const yoke_run *run)
{
    yoke_power p;

    if (!yoke_run_power(run, &p)) return;
    if (p.split) {
        printf("  %-18s  ", "guaranteed");
        if (isfinite(p.guaranteed))
            printf("at most %.3g sweeps per window, rate %.3g (%s)",
                   ceil(p.guaranteed), p.q, p.method);
        else
            printf("no rate (%s)", p.method);
        if (isfinite(p.sweeps))
            printf("\n  %-18s  %.3g sweeps per window (at most %.3g)",
                   "measured", p.sweeps, p.worst);
        if (isfinite(p.rate)) printf(", rate %.3g at most", p.rate);
        putchar('\n');
    }
    if (isfinite(p.stored))
        printf("  energy              %.6g at the start, %.6g at the end; "
               "%.6g dissipated,\n                      %.6g supplied, defect "
               "%.2g\n",
               p.begun, p.stored, p.dissipated, p.supplied, p.defect);
    else
        puts("  energy              not known: not all unknowns are recorded, "
             "or others feed\n                      the ports");
}

/* ---- JSON ---------------------------------------------------------------- */

static void number(const char *name, double value)
{
    printf(", \"%s\": ", name);
    cli_json_number(value);
}

void cli_json_power(const yoke_power *p)
{
    printf(",\n \"power\": ");
    if (!p) {
        printf("null");
        return;
    }
    printf("{\"subsystems\": %d, \"pairs\": %d, \"split\": %s, \"method\": ",
           p->blocks, p->pairs, p->split ? "true" : "false");
    cli_json_text(p->method);
    number("step", p->step);
    number("window", p->window);
    number("mu", p->mu);
    number("omega", p->omega);
    number("q", p->q);
    number("sweeps_guaranteed", p->guaranteed);
    number("bound", p->bound);
    number("bound_best", p->optimum);
    number("lambda_best", p->lambda);
    number("matrix_q", p->matrix);
    number("frequency", p->frequency);
    number("growth", p->growth);
    number("sweeps", p->sweeps);
    number("sweeps_most", p->worst);
    number("rate", p->rate);
    number("energy_start", p->begun);
    number("energy_end", p->stored);
    number("dissipated", p->dissipated);
    number("supplied", p->supplied);
    number("defect", p->defect);
    putchar('}');
}
