/* run/passive.c -- port-Hamiltonian subsystems in a run: the schemes that split
 * them, what these guarantee, and the balance of energy in any scheme.
 *
 * With a split scheme the port-Hamiltonian subsystems are one cluster whose
 * propagator iterates inside (split/split.h).  If nothing else is coupled, the
 * windows of the run are those of this iteration, and its sweeps are the rows
 * of the coupling log, with the change in the norm that contracts beside the
 * one without weights.
 */
#include "split/split.h"
#include "run/run.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct member {
    int node;
    int *watched; /* of each unknown: its component in the unit, or -1 */
    yk_sparse E, Q, R, G;
} member;

struct yk_passive {
    int members;
    member *member;
    bool complete; /* every unknown is recorded: the energy can be told */
    bool open;     /* something else feeds their ports */
    double *wave, *x, *v, *f, *r;
    bool begun;
    double first, stored, dissipated, supplied;
    yk_split_sums done; /* of the split unit */
    yk_split_plan plan;
    bool split;
};

static const char method_waves[] = "port waves";
static const char method_gmres[] = "port waves with GMRES";
static const char method_direct[] = "condensed ports";
static const char method_mercier[] = "Lions-Mercier iteration";

/* ---- options ------------------------------------------------------------- */

static bool is_split(const yoke_run_options *o)
{
    return o->scheme == YOKE_PORT_WAVES || o->scheme == YOKE_LIONS_MERCIER;
}

yoke_status yk_passive_check(const yoke_run_options *o, yoke_err *err)
{
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
    static const yk_split_way way[] = { YK_SPLIT_AUTO, YK_SPLIT_PLAIN,
                                        YK_SPLIT_GMRES, YK_SPLIT_DIRECT };
    static const yk_wave_stop test[] = { [YOKE_STOP_ERROR] = YK_WAVE_PROVEN,
                                         [YOKE_STOP_CHANGE] = YK_WAVE_CHANGE,
                                         [YOKE_STOP_COUNT] = YK_WAVE_COUNT };

    return (yk_split_options){
        .mercier = o->scheme == YOKE_LIONS_MERCIER,
        .way = way[o->waves],
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
        .test = test[o->iterate.stop],
        .start = o->start,
        .stop = o->stop,
    };
}

/* ---- the net ------------------------------------------------------------- */

static const yoke_ports *ports_of(const yoke_graph *graph, int node)
{
    return yoke_system_facts(yoke_graph_system(graph, node))->ports;
}

/* Systems and links of some nodes; links from others become outer inputs in
 * the order of `in`, (node, input) of each, or are left out if it is NULL. */
typedef struct parts {
    yoke_system **system;
    yk_ph_link *link;
    int links;
} parts;

static void parts_clear(parts *p)
{
    yk_free(p->system);
    yk_free(p->link);
}

static yoke_status gather(parts *out, const yoke_graph *graph, int count,
                          const int *node, int ins, const int (*in)[2],
                          yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);
    yoke_status status = YOKE_OK;
    int *place = NULL;

    YK_GO(YK_NEW(&out->system, count + 1, err));
    YK_GO(YK_NEW(&out->link, links + ins + 1, err));
    YK_GO(yk_ints(&place, (size_t)yoke_graph_count(graph) + 1, err));
    for (int i = 0; i < yoke_graph_count(graph); i++) place[i] = -1;
    for (int k = 0; k < count; k++) {
        place[node[k]] = k;
        out->system[k] = yoke_graph_system(graph, node[k]);
    }
    for (int l = 0; l < links; l++) {
        if (place[link[l].to] < 0 || place[link[l].from] < 0 ||
            yoke_graph_delay_of(graph, l).time > 0.0)
            continue; /* delayed ones come from outside */
        out->link[out->links++] =
            (yk_ph_link){ place[link[l].to], link[l].input, place[link[l].from],
                          link[l].output, link[l].weight };
    }
    for (int k = 0; k < ins; k++)
        out->link[out->links++] =
            (yk_ph_link){ place[in[k][0]], in[k][1], -1, k, 1.0 };
done:
    yk_free(place);
    return status;
}

/* ---- propagators --------------------------------------------------------- */

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

static double step_of(const yoke_run *run, const yoke_stepper_options *o)
{
    return run->options.step > 0.0 ? run->options.step : o->step;
}

/* Do the couplings between the marked nodes conserve power? */
static bool conserves(const yoke_run *run, const bool *marked)
{
    const int nodes = yoke_graph_count(run->graph);
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;
    parts all = { 0 };
    yk_ph_net *net = NULL;
    int *node = NULL, count = 0;

    YK_GO(yk_ints(&node, (size_t)nodes + 1, &err));
    for (int i = 0; i < nodes; i++)
        if (marked[i]) node[count++] = i;
    YK_GO(gather(&all, run->graph, count, node, 0, NULL, &err));
    YK_GO(yk_ph_net_create(&net, count, all.system, all.links, all.link, 0,
                           &err));
done:
    parts_clear(&all);
    yk_ph_net_free(net);
    yk_free(node);
    return status == YOKE_OK;
}

bool yk_passive_may(const yoke_run *run, const bool *marked)
{
    const yoke_stepper_options *first = NULL;
    int count = 0;

    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        yoke_system *s = yoke_graph_system(run->graph, i);
        const yoke_stepper_options *o = yk_model_stepper(run->model, i);
        char why[200];
        if (!marked[i]) continue;
        if (!o || !alike(o) || !(step_of(run, o) > 0.0) ||
            yk_system_derive_ports(s, run->options.start, why, sizeof why,
                                   NULL) != YOKE_OK ||
            !ports_of(run->graph, i))
            return false;
        if (first && (strcmp(alike(o), alike(first)) != 0 ||
                      step_of(run, o) != step_of(run, first)))
            return false;
        first = o;
        count++;
    }
    return count > 1 && conserves(run, marked);
}

/* The cluster was made because an iteration failed. */
static bool is_fallback(const yoke_run *run, const yk_cluster *c)
{
    yoke_err err = { YOKE_OK, "" };
    bool *marked = NULL;

    if (!run->ladder.robust || c->nodes < 2 ||
        YK_NEW(&marked, yoke_graph_count(run->graph), &err) != YOKE_OK)
        return false;
    for (int k = 0; k < c->nodes; k++) marked[c->node[k]] = true;
    const bool may = yk_passive_may(run, marked);
    yk_free(marked);
    return may;
}

bool yk_passive_wanted(const yoke_run *run, const yk_cluster *c)
{
    if (!is_split(&run->options)) return is_fallback(run, c);
    for (int k = 0; k < c->nodes; k++)
        if (!ports_of(run->graph, c->node[k])) return false;
    return c->nodes > 0;
}

bool yk_passive_stepper(const yoke_graph *graph, const yoke_run_options *o,
                        int node, yoke_stepper_options *out)
{
    if (!is_split(o) || !ports_of(graph, node)) return false;
    *out = (yoke_stepper_options){ .step = o->step };
    snprintf(out->method, sizeof out->method, "%s", method_of(o));
    return true;
}

int yk_passive_unit(const yoke_run *run)
{
    const yk_unit_plan *p = run->units.plan;

    return p && run->units.count == 1 && p->schedule && p->propagator &&
                   p->schedule->clusters == 1 && p->propagator[0].ops &&
                   yk_split_is(&p->propagator[0])
               ? 0
               : -1;
}

/* A sweep inside becomes a row of the log. */
static yoke_status on_sweep(void *context, const yk_split_sweep *s,
                            yoke_err *err)
{
    yoke_run *run = context;
    const double change[2] = { s->weighted, s->plain };
    static const char *const name[2] = { "weighted", "unweighted" };
    const yoke_sweep row = {
        .window = s->window,
        .sweep = s->sweep,
        .t0 = s->t0,
        .t1 = s->t1,
        .change = s->bound,
        .rate = s->rate,
        .estimate = s->bound,
        .solved = run->passive ? run->passive->members : 0,
        .accepted = s->accepted,
        .variables = 2,
        .variable_change = change,
        .variable_name = name,
    };

    if (yk_passive_unit(run) < 0) return YOKE_OK;
    if (run->watcher.sweep) run->watcher.sweep(run->watcher.context, &row);
    YK_TRY(yk_run_log_sweep(run, &row, err));
    if (run->watcher.stop && run->watcher.stop(run->watcher.context))
        return yk_fail(err, YOKE_STOPPED,
                       "after sweep %d of the port waves from t = %.9g",
                       s->sweep, s->t0);
    return YOKE_OK;
}

yoke_status yk_passive_propagator(yoke_run *run, yk_unit_plan *p, int c,
                                  yoke_err *err)
{
    const yk_cluster *cluster = &p->cluster[c];
    const yoke_stepper_options *own =
        yk_model_stepper(run->model, cluster->node[0]);
    yoke_status status = YOKE_OK;
    yk_split_options options = make_options(&run->options);
    parts all = { 0 };
    int(*out)[2] = NULL;

    if (!is_split(&run->options) && own) {
        options.rk = yk_rk_find(alike(own));
        options.step = step_of(run, own);
        options.window = 0.0; /* that of the run was of no use */
        options.max_sweeps = options.max_sweeps < 50 ? 50 : options.max_sweeps;
    }
    YK_GO(gather(&all, run->graph, cluster->nodes, cluster->node, cluster->ins,
                 (const int(*)[2])cluster->in, err));
    YK_GO(YK_NEW(&out, cluster->outs + 1, err));
    for (int k = 0; k < cluster->outs; k++)
        for (int i = 0; i < cluster->nodes; i++)
            if (cluster->node[i] == cluster->out[k][0]) {
                out[k][0] = i;
                out[k][1] = cluster->out[k][1];
            }
    const yk_split_setup setup = {
        .count = cluster->nodes,
        .system = all.system,
        .links = all.links,
        .link = all.link,
        .outers = cluster->ins,
        .outs = cluster->outs,
        .out = (const int(*)[2])out,
        .watches = p->watches[c],
        .watch = p->watch[c],
        .options = options,
        .report = on_sweep,
        .context = run,
    };
    YK_GO(yk_split_create(&p->propagator[c], &setup, err));
    if (p->schedule->clusters == 1 && run->options.iterate.window == 0.0)
        run->options.iterate.window =
            yk_split_planned(&p->propagator[c])->window;
done:
    parts_clear(&all);
    yk_free(out);
    return status;
}

/* ---- energy in any scheme ------------------------------------------------ */

void yk_passive_free(yoke_run *run)
{
    struct yk_passive *p = run->passive;

    if (!p) return;
    for (int i = 0; p->member && i < p->members; i++) {
        yk_free(p->member[i].watched);
        yk_sparse_clear(&p->member[i].E);
        yk_sparse_clear(&p->member[i].Q);
        yk_sparse_clear(&p->member[i].R);
        yk_sparse_clear(&p->member[i].G);
    }
    yk_free(p->member);
    yk_free(p->wave);
    yk_free(p->x);
    yk_free(p->v);
    yk_free(p->f);
    yk_free(p->r);
    yk_free(p);
    run->passive = NULL;
}

static yoke_status copy(yk_sparse *out, const yoke_matrix *m, yoke_err *err)
{
    return yk_sparse_copy(out, m->pattern, m->value, err);
}

static yoke_status open_member(yoke_run *run, member *m, yoke_err *err)
{
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(run->graph, m->node));

    YK_TRY(copy(&m->E, &f->ports->E, err));
    YK_TRY(copy(&m->Q, &f->ports->Q, err));
    YK_TRY(copy(&m->R, &f->ports->R, err));
    YK_TRY(copy(&m->G, &f->ports->G, err));
    return yk_ints(&m->watched, (size_t)f->n + 1, err);
}

/* Where the units of plan 0 have the unknowns; they may be others later. */
yoke_status yk_passive_place(yoke_run *run, yoke_err *err)
{
    struct yk_passive *p = run->passive;
    size_t wave = 1;

    if (!p) return YOKE_OK;
    p->complete = true;
    for (int i = 0; i < p->members; i++) {
        member *m = &p->member[i];
        const int n = m->E.pattern->rows;
        int found = 0;
        for (int k = 0; k < run->record.columns; k++)
            if (run->record.column[k].node == m->node &&
                !run->record.column[k].is_output) {
                m->watched[run->record.column[k].index] =
                    run->record.column[k].component;
                found++;
            }
        p->complete = p->complete && found == n;
    }
    for (int c = 0; c < run->units.plan[0].schedule->clusters; c++)
        if ((size_t)run->units.plan[0].watches[c] > wave)
            wave = (size_t)run->units.plan[0].watches[c];
    yk_free(p->wave);
    p->wave = NULL;
    return yk_doubles(&p->wave, wave, err);
}

static yoke_status make_room(yoke_run *run, yoke_err *err)
{
    struct yk_passive *p = run->passive;
    size_t n = 1, r = 1;

    for (int i = 0; i < p->members; i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, p->member[i].node));
        if ((size_t)f->n > n) n = (size_t)f->n;
        if ((size_t)f->ports->sources > r) r = (size_t)f->ports->sources;
    }
    YK_TRY(yk_doubles(&p->x, n, err));
    YK_TRY(yk_doubles(&p->v, n, err));
    YK_TRY(yk_doubles(&p->f, n, err));
    YK_TRY(yk_doubles(&p->r, r, err));
    return yk_passive_place(run, err);
}

/* Do others feed the ports? */
static bool fed_from_outside(const yoke_graph *graph)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    for (int l = 0; l < links; l++)
        if (ports_of(graph, link[l].to) &&
            (!ports_of(graph, link[l].from) ||
             yoke_graph_delay_of(graph, l).time > 0.0))
            return true;
    return false;
}

yoke_status yk_passive_open(yoke_run *run, yoke_err *err)
{
    int count = 0;

    yk_passive_free(run);
    for (int i = 0; i < yoke_graph_count(run->graph); i++)
        count += ports_of(run->graph, i) != NULL;
    if (count == 0 && is_split(&run->options))
        return yk_fail(err, YOKE_E_ARG,
                       "no subsystem is port-Hamiltonian: the schemes "
                       "port-waves and lions-mercier are for those");
    if (count == 0) return YOKE_OK;
    YK_TRY(YK_NEW(&run->passive, 1, err));
    struct yk_passive *p = run->passive;
    YK_TRY(YK_NEW(&p->member, count, err));
    for (int i = 0; i < yoke_graph_count(run->graph); i++)
        if (ports_of(run->graph, i)) {
            p->member[p->members].node = i;
            YK_TRY(open_member(run, &p->member[p->members++], err));
        }
    p->open = fed_from_outside(run->graph);
    return make_room(run, err);
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* H, and with `power` also what is dissipated and supplied per time. */
static double energy(const yoke_run *run, const member *m, double t,
                     const double *x, double power[2])
{
    struct yk_passive *p = run->passive;
    const yoke_ports *f = ports_of(run->graph, m->node);
    const int n = m->E.pattern->rows;
    const size_t bytes = (size_t)n * sizeof *p->v;

    memset(p->v, 0, bytes);
    memset(p->f, 0, bytes);
    yk_sparse_multiply(&m->Q, 1.0, x, p->v);
    yk_sparse_multiply(&m->E, 1.0, x, p->f);
    const double stored = 0.5 * dot(n, p->v, p->f);
    if (!power) return stored;
    memset(p->f, 0, bytes);
    yk_sparse_multiply(&m->R, 1.0, p->v, p->f);
    power[0] = dot(n, p->v, p->f);
    power[1] = 0.0;
    if (f->sources > 0) {
        memset(p->f, 0, bytes);
        f->source(f->self, t, p->r);
        yk_sparse_multiply(&m->G, 1.0, p->r, p->f);
        power[1] = dot(n, p->v, p->f);
    }
    return stored;
}

static void read_x(const yoke_run *run, const member *m, const yoke_wave *w,
                   double t, int *cursor)
{
    struct yk_passive *p = run->passive;

    yoke_wave_eval(w, t, cursor, p->wave);
    for (int i = 0; i < m->E.pattern->rows; i++)
        p->x[i] = p->wave[m->watched[i]];
}

/* Gauss's three points in every piece. */
static void integrate(yoke_run *run, const member *m, const yoke_wave *w)
{
    static const double at[3] = { 0.1127016653792583, 0.5, 0.8872983346207417 };
    static const double weight[3] = { 5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0 };
    struct yk_passive *p = run->passive;
    int cursor = 0;

    for (int k = 0; k < yoke_wave_pieces(w); k++) {
        const double a = yoke_wave_knot(w, k), h = yoke_wave_knot(w, k + 1) - a;
        for (int g = 0; g < 3; g++) {
            double power[2];
            read_x(run, m, w, a + at[g] * h, &cursor);
            energy(run, m, a + at[g] * h, p->x, power);
            p->dissipated += h * weight[g] * power[0];
            p->supplied += h * weight[g] * power[1];
        }
    }
}

static void keep_split(yoke_run *run)
{
    const yk_unit_plan *plan = &run->units.plan[0];

    for (int c = 0; c < plan->schedule->clusters; c++)
        if (yk_split_is(&plan->propagator[c])) {
            run->passive->split = true;
            run->passive->done = *yk_split_done(&plan->propagator[c]);
            run->passive->plan = *yk_split_planned(&plan->propagator[c]);
        }
}

yoke_status yk_passive_window(yoke_run *run, double t0, double t1,
                              yoke_err *err)
{
    struct yk_passive *p = run->passive;

    (void)t0;
    (void)err;
    if (!p) return YOKE_OK;
    keep_split(run);
    if (p->split || !p->complete) return YOKE_OK;
    if (!p->begun) {
        p->begun = true;
        for (int i = 0; i < p->members; i++)
            p->first += energy(run, &p->member[i], run->options.start,
                               run->initial.point.x[p->member[i].node], NULL);
    }
    p->stored = 0.0;
    for (int i = 0; i < p->members; i++) {
        const member *m = &p->member[i];
        const int unit = run->units.plan[0].schedule->cluster[m->node];
        const yoke_propagator *from = &run->units.plan[0].propagator[unit];
        const yoke_wave *w = from->ops->watched(from->self);
        integrate(run, m, w);
        read_x(run, m, w, t1, NULL);
        p->stored += energy(run, m, t1, p->x, NULL);
    }
    return YOKE_OK;
}

/* ---- reports ------------------------------------------------------------- */

static void fill_plan(yoke_power *out, const yk_split_plan *plan)
{
    out->split = true;
    out->blocks = plan->blocks;
    out->pairs = plan->pairs;
    out->step = plan->h;
    out->window = plan->window;
    out->mu = plan->promise.mu;
    out->omega = plan->promise.omega;
    out->q = plan->q;
    out->guaranteed = plan->sweeps;
    out->method = plan->mercier  ? method_mercier
                  : plan->direct ? method_direct
                  : plan->gmres  ? method_gmres
                                 : method_waves;
}

static yoke_power unknown_power(void)
{
    return (yoke_power){ .method = method_waves,
                         .q = 1.0,
                         .guaranteed = INFINITY,
                         .bound = NAN,
                         .optimum = NAN,
                         .lambda = NAN,
                         .matrix = NAN,
                         .statement = "",
                         .frequency = NAN,
                         .growth = NAN,
                         .peak = NAN,
                         .sweeps = NAN,
                         .worst = NAN,
                         .rate = NAN,
                         .begun = NAN,
                         .stored = NAN,
                         .dissipated = NAN,
                         .supplied = NAN,
                         .defect = NAN };
}

/* The sweeps inside are those that count. */
void yk_passive_counts(const yoke_run *run, yoke_iterate_result *r)
{
    if (yk_passive_unit(run) < 0) return;
    const yk_split_sums *s = yk_split_done(&run->units.plan[0].propagator[0]);
    r->sweeps = s->sweeps;
    r->solves = s->sweeps * run->passive->members;
    r->rate = s->rate;
    r->estimate = fmax(r->estimate, s->bound);
    r->residual = fmax(r->residual, s->last);
}

void yk_passive_summary(const yoke_run *run, yoke_run_result *r)
{
    if (yk_passive_unit(run) < 0) return;
    const yoke_propagator *p = &run->units.plan[0].propagator[0];
    r->subsystems = run->passive->members;
    const double rate = yk_split_done(p)->rate;
    r->rate_median = rate > 0.0 ? rate : NAN;
    r->rate_predicted = yk_split_planned(p)->q;
}

bool yoke_run_power(const yoke_run *run, yoke_power *out)
{
    const struct yk_passive *p = run->passive;

    *out = unknown_power();
    if (!p) return false;
    out->blocks = p->members;
    if (p->split) {
        const yk_split_sums *s = &p->done;
        fill_plan(out, &p->plan);
        if (s->windows == 0) return true;
        out->sweeps = (double)s->sweeps / s->windows;
        out->worst = s->worst;
        out->guaranteed = s->promised;
        out->rate = s->rate > 0.0 ? s->rate : NAN; /* GMRES: none */
        out->begun = s->begun;
        out->stored = s->stored;
        out->dissipated = s->dissipated;
        out->supplied = s->supplied;
        out->defect = s->defect;
    } else if (p->begun && !p->open) {
        out->begun = p->first;
        out->stored = p->stored;
        out->dissipated = p->dissipated;
        out->supplied = p->supplied;
        out->defect = p->stored - p->first + p->dissipated - p->supplied;
    }
    return true;
}

void yk_passive_text(const yoke_run *run, char *text, size_t room)
{
    yoke_power p;
    int used = 0;

    text[0] = '\0';
    if (!yoke_run_power(run, &p)) return;
    if (p.split && isfinite(p.sweeps)) {
        used = snprintf(text, room,
                        " By %s: %.3g sweeps per window at most guaranteed, "
                        "%.3g needed (%.3g at most); the rate is q = %.3g, "
                        "measured %.3g.",
                        p.method, p.guaranteed, p.sweeps, p.worst, p.q, p.rate);
        if (used < 0 || (size_t)used >= room) return;
    }
    if (isfinite(p.stored))
        snprintf(text + used, room - (size_t)used,
                 " Energy: %.6g stored at the start, %.6g at the end, %.6g "
                 "dissipated, %.6g supplied, defect %.2g.",
                 p.begun, p.stored, p.dissipated, p.supplied, p.defect);
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

static yoke_status foresee(yoke_model *model, const yoke_run_options *options,
                           const yk_ph_net *net, yoke_power *out, yoke_err *err)
{
    const double span = options->stop - options->start;
    yk_split_options o = make_options(options);
    yk_split_plan plan;
    yk_bounds bounds;

    (void)model;
    if (!is_split(options)) {
        o.mu = o.omega = o.lambda = o.alpha = 0.0;
        if (!(o.step > 0.0)) o.step = span / 1000.0;
        o.ordered = true;
    }
    YK_TRY(yk_split_foresee(net, &o, &plan, err));
    fill_plan(out, &plan);
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
    const yoke_graph *graph = yoke_model_graph(model);
    yoke_status status = YOKE_OK;
    parts all = { 0 };
    yk_ph_net *net = NULL;
    int *node = NULL, count = 0;

    *found = false;
    *out = unknown_power();
    YK_TRY(yk_passive_check(options, err));
    YK_GO(yk_ints(&node, (size_t)yoke_graph_count(graph) + 1, err));
    for (int i = 0; i < yoke_graph_count(graph); i++)
        if (ports_of(graph, i)) node[count++] = i;
    if (count == 0) goto done;
    *found = true;
    YK_GO(gather(&all, graph, count, node, 0, NULL, err));
    YK_GO(
        yk_ph_net_create(&net, count, all.system, all.links, all.link, 0, err));
    YK_GO(yk_ph_net_check(net, options->start, options->stop - options->start,
                          NULL, NULL, err));
    YK_GO(foresee(model, options, net, out, err));
done:
    parts_clear(&all);
    yk_ph_net_free(net);
    yk_free(node);
    return status;
}
