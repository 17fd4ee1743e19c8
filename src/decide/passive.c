/* decide/passive.c -- port-Hamiltonian subsystems: whether they are iterated by a
 * scheme of their own, with which options, and what it guarantees.
 *
 * With such a scheme they are one cluster whose propagator iterates inside
 * (iter/ph/split.h).  If nothing else is coupled, the windows of the run are
 * those of this iteration, and its sweeps are the rows of the coupling log, with
 * the change in the norm that contracts beside the one without weights.
 */
#include "decide/passive.h"

#include "model/model.h"
#include "record/power.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- options ------------------------------------------------------------- */

static bool is_split(const yoke_run_options *o)
{
    return o->scheme == YOKE_PORT_WAVES || o->scheme == YOKE_LIONS_MERCIER;
}

static const yoke_ports *ports_of(const yoke_graph *graph, int node)
{
    return yoke_system_facts(yoke_graph_system(graph, node))->ports;
}

yoke_status yk_passive_check(const yoke_run_options *o, const yoke_graph *graph,
                             yoke_err *err)
{
    bool any = !graph;

    const yoke_run_options preset = yoke_run_defaults();

    if (!is_split(o)) {
        if (o->mu != preset.mu || o->omega != preset.omega ||
            o->alpha != preset.alpha || o->lambda != preset.lambda ||
            o->waves != preset.waves || o->wave_order != preset.wave_order)
            return yk_fail(err, YOKE_E_ARG,
                           "mu, omega, alpha, lambda, waves and wave_order are "
                           "for the schemes port-waves and lions-mercier");
        return YOKE_OK;
    }
    for (int i = 0; !any && i < yoke_graph_count(graph); i++)
        any = ports_of(graph, i) != NULL;
    if (!any)
        return yk_fail(err, YOKE_E_ARG,
                       "no subsystem is port-Hamiltonian: the schemes "
                       "port-waves and lions-mercier are for those");
    if (o->schedule[0])
        return yk_fail(err, YOKE_E_ARG,
                       "a schedule and the scheme %s cannot be used together",
                       o->scheme == YOKE_PORT_WAVES ? "port-waves"
                                                    : "lions-mercier");
    if (o->stepper[0] && !yk_rk_find(o->stepper))
        return yk_fail(err, YOKE_E_ARG,
                       "stepper = \"%.31s\": the schemes port-waves and "
                       "lions-mercier have the methods %s",
                       o->stepper, yk_rk_names);
    if (o->omega != 0.0 && o->mu > o->omega)
        return yk_fail(err, YOKE_E_ARG,
                       "mu = %g is more than omega = %g; permitted: 0 <= mu <= "
                       "omega",
                       o->mu, o->omega);
    return YOKE_OK;
}

static const char *method_of(const yoke_run_options *o)
{
    return o->stepper[0] && is_split(o) ? o->stepper : "implicit-midpoint";
}

static yk_split_options make_options(const yoke_run_options *o)
{
    return (yk_split_options){
        .mercier = o->scheme == YOKE_LIONS_MERCIER,
        .way = (yk_split_way)o->waves,
        .ordered = o->wave_order == YOKE_WAVES_COLOURS,
        .rk = yk_rk_find(method_of(o)),
        .step = o->step,
        .window = o->iterate.window,
        .mu = o->mu,
        .omega = o->omega,
        .alpha = o->alpha,
        .lambda = o->lambda,
        .rtol = o->iterate.rtol,
        .atol = o->iterate.atol,
        .fraction = o->iterate.fraction,
        .max_sweeps = o->iterate.max_sweeps,
        .test = o->iterate.stop,
        .start = o->start,
        .stop = o->stop,
    };
}

bool yk_passive_stepper(const yoke_graph *graph, const yoke_run_options *o,
                        int node, yoke_stepper_options *out)
{
    if (!is_split(o) || !ports_of(graph, node)) return false;
    *out = (yoke_stepper_options){ .step = o->step };
    snprintf(out->method, sizeof out->method, "%s", method_of(o));
    return true;
}

/* ---- after a failure ----------------------------------------------------- */

/* The method on which the waves go on after a failure of another scheme; NULL:
 * none is alike. */
static const char *alike(const yoke_stepper_options *o)
{
    static const char *const like[][2] = {
        { "implicit-euler", "implicit-euler" },
        { "bdf1", "implicit-euler" },
        { "trapezoidal", "implicit-midpoint" },
        { "bdf2", "implicit-midpoint" },
    };

    for (size_t k = 0; k < sizeof like / sizeof *like; k++)
        if (strcmp(o->method, like[k][0]) == 0) return like[k][1];
    return NULL;
}

static double step_of(const yoke_run_options *o, const yoke_stepper_options *s)
{
    return o->step > 0.0 ? o->step : s->step;
}

bool yk_passive_may(const yoke_model *model, const yoke_run_options *options,
                    int count, const int *node)
{
    const yoke_stepper_options *first = yk_model_stepper(model, node[0]);
    yk_ph_net *net = NULL;

    for (int k = 0; k < count; k++) {
        yoke_system *s = yoke_graph_system(model->graph, node[k]);
        const yoke_stepper_options *o = yk_model_stepper(model, node[k]);
        char why[200];
        if (!o || !alike(o) || !(step_of(options, o) > 0.0) ||
            yk_system_derive_ports(s, options->start, why, sizeof why, NULL) !=
                YOKE_OK ||
            !ports_of(model->graph, node[k]) ||
            strcmp(alike(o), alike(first)) != 0 ||
            step_of(options, o) != step_of(options, first))
            return false;
    }
    if (count < 2) return false;
    /* The couplings must conserve power. */
    const yoke_status status =
        yk_ph_net_of(&net, model->graph, count, node, 0, NULL, NULL);
    yk_ph_net_free(net);
    return status == YOKE_OK;
}

bool yk_passive_wanted(const yoke_model *model, const yoke_run_options *options,
                       bool failed, const yk_cluster *c)
{
    if (!is_split(options))
        return failed && c->nodes > 1 &&
               yk_passive_may(model, options, c->nodes, c->node);
    for (int k = 0; k < c->nodes; k++)
        if (!ports_of(model->graph, c->node[k])) return false;
    return c->nodes > 0;
}

yk_split_options yk_passive_options(const yoke_model *model,
                                    const yoke_run_options *options,
                                    const yk_cluster *c)
{
    const yoke_stepper_options *own = yk_model_stepper(model, c->node[0]);
    yk_split_options o = make_options(options);

    if (is_split(options) || !own) return o;
    o.rk = yk_rk_find(alike(own));
    o.step = step_of(options, own);
    o.window = 0.0; /* that of the run did not help */
    o.max_sweeps = o.max_sweeps < 50 ? 50 : o.max_sweeps;
    return o;
}

/* ---- before a run -------------------------------------------------------- */

/* (frequency T)^k / k! is largest at k = frequency T. */
static void foresee_growth(yoke_power *out, double span)
{
    const double x = out->frequency * span;

    out->peak = floor(x);
    out->growth = (out->peak * log(fmax(x, 1e-300)) - lgamma(out->peak + 1.0)) /
                  log(10.0);
    if (!(out->growth > 0.0)) out->growth = 0.0;
}

/* mu / sqrt(Pa Pb) for a large mu: the frequency at which a pair exchanges
 * energy. */
static yoke_status coupling_frequency(const yk_ph_net *net, double step,
                                      double *out, yoke_err *err)
{
    yk_ports *ports = NULL;
    double q = 0.0;
    const double mu = 1.0 / step;

    YK_TRY(yk_ports_create(&ports, net, err));
    const yoke_status status = yk_ports_match(ports, mu, NULL, NULL, &q, err);
    yk_ports_free(ports);
    /* q = sqrt(1 + P^2) - P for the pair with the least P */
    *out = q > 0.0 ? mu * 2.0 * q / (1.0 - q * q) : 0.0;
    return status;
}

static yoke_status foresee(const yoke_run_options *options,
                           const yk_ph_net *net, yoke_power *out, yoke_err *err)
{
    const double span = options->stop - options->start;
    yk_split_options o = make_options(options);
    yk_split_plan plan;
    yk_bounds bounds;

    if (!is_split(options)) {
        o.mu = o.omega = o.lambda = o.alpha = 0.0;
        if (!(o.step > 0.0)) o.step = span / 1000.0;
        o.ordered = true;
    }
    YK_TRY(yk_split_foresee(net, &o, &plan, err));
    yk_power_plan(out, &plan);
    out->split = is_split(options);
    YK_TRY(
        yk_bounds_find(net, o.alpha, plan.promise.mu, o.lambda, &bounds, err));
    out->bound = bounds.q;
    out->optimum = bounds.best;
    out->lambda = bounds.lambda;
    out->matrix = bounds.matrix;
    out->statement = yk_bounds_text(&bounds, o.alpha);
    YK_TRY(coupling_frequency(net, plan.h, &out->frequency, err));
    foresee_growth(out, span);
    return YOKE_OK;
}

yoke_status yoke_model_power(yoke_model *model, const yoke_run_options *options,
                             bool *found, yoke_power *out, yoke_err *err)
{
    YK_POINT;
    const yoke_graph *graph = yoke_model_graph(model);
    yoke_status status = YOKE_OK;
    yk_ph_net *net = NULL;
    int *node = NULL, count = 0;

    *found = false;
    *out = yk_power_unknown();
    YK_TRY(yk_passive_check(options, NULL, err));
    YK_GO(yk_ints(&node, (size_t)yoke_graph_count(graph) + 1, err));
    for (int i = 0; i < yoke_graph_count(graph); i++)
        if (ports_of(graph, i)) node[count++] = i;
    if (count == 0) goto done;
    *found = true;
    YK_GO(yk_ph_net_of(&net, graph, count, node, 0, NULL, err));
    YK_GO(yk_ph_net_check(net, options->start, options->stop - options->start,
                          NULL, NULL, err));
    YK_GO(foresee(options, net, out, err));
done:
    yk_ph_net_free(net);
    yk_free(node);
    return status;
}
