/* run/plan.c -- from the graph to units the iteration can sweep. */
#include "base/texts.h"
#include "decide/passive.h"
#include "graph/cost.h"
#include "graph/policy.h"
#include "iter/constraint/constraint.h"
#include "iter/policy.h"
#include "run/places.h"
#include "run/run.h"

#include "step/steppers.h"
#include "sys/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- schedules ---------------------------------------------------------- */

/* Words of `text` separated by spaces or commas; the array and its text in one block. */
static yoke_status split_words(char ***out, int *count, const char *text,
                               yoke_err *err)
{
    const size_t length = strlen(text);
    char **word = NULL;

    YK_TRY(yk_alloc((void **)&word, 1,
                    (length / 2 + 1) * sizeof *word + length + 1, err));
    char *copy = (char *)(word + length / 2 + 1);
    memcpy(copy, text, length + 1);
    *count = 0;
    for (size_t span = 0; yk_next_word(copy, &span);) {
        copy += strspn(copy, " ,");
        word[(*count)++] = copy;
        copy += span;
        if (*copy) *copy++ = '\0';
    }
    *out = word;
    return YOKE_OK;
}

/* Constraints without named owners stay apart: all, or those that join
 * closed parts. */
static yoke_status part_constraints(yoke_schedule **schedule,
                                    const yoke_graph *graph, bool closed_only,
                                    yoke_err *err)
{
    yoke_schedule *apart = NULL;
    const yoke_status status =
        yk_schedule_part(&apart, graph, *schedule, closed_only, err);

    if (status != YOKE_OK || apart) {
        yoke_schedule_free(*schedule);
        *schedule = apart;
    }
    return status;
}

static yoke_status schedule_by_scheme(yoke_schedule **out,
                                      const yoke_graph *graph,
                                      const yoke_run_options *options,
                                      yoke_err *err)
{
    char **word = NULL;
    int count = 0;

    YK_TRY(split_words(&word, &count, options->order, err));
    const yoke_status status =
        yk_schedule_create(out, graph, options->scheme, count,
                           count ? (const char *const *)word : NULL, err);
    yk_free(word);
    YK_TRY(status);
    return part_constraints(out, graph, options->cluster == YOKE_CLUSTER_AUTO,
                            err);
}

yoke_status yoke_run_schedule(yoke_schedule **out, const yoke_graph *graph,
                              const yoke_run_options *options, yoke_err *err)
{
    YK_POINT;

    if (strpbrk(options->schedule, ";*"))
        return yk_fail(err, YOKE_E_ARG,
                       "schedule = \"%s\": one schedule without weights is "
                       "asked for here",
                       options->schedule);
    if (options->schedule[0])
        return yk_schedule_parse(out, graph, options->schedule, err);
    YK_TRY(schedule_by_scheme(out, graph, options, err));
    /* What is wrong with the graph is reported by those who check it. */
    yoke_err unused = { YOKE_OK, "" };
    (void)yk_find_owners(graph, options, NULL, out, &unused);
    return YOKE_OK;
}

/* "0.5 * a > b": the weight may be left out. */
static yoke_status read_plan(yk_units *u, char *text, int index, yoke_err *err)
{
    yk_unit_plan *p = &u->plan[index];
    char *star = strchr(text, '*');

    p->weight = 1.0;
    if (star) {
        char *end = NULL;
        p->weight = strtod(text, &end);
        while (end && *end == ' ') end++;
        if (end != star || !isfinite(p->weight))
            return yk_fail(err, YOKE_E_ARG,
                           "schedule \"%s\": there is no "
                           "number before \"*\"",
                           text);
        text = star + 1;
    }
    return yk_schedule_parse(&p->schedule, u->graph, text, err);
}

/* Overwrites the text. */
static yoke_status read_plans(yk_units *u, char *part, yoke_err *err)
{
    double sum = 0.0;

    for (int k = 0; k < u->count; k++) {
        char *end = strchr(part, ';');
        if (end) *end = '\0';
        YK_TRY(read_plan(u, part, k, err));
        sum += u->plan[k].weight;
        if (end) part = end + 1;
    }
    if (fabs(sum - 1.0) > 1e-9)
        return yk_fail(err, YOKE_E_ARG,
                       "schedule: the weights sum to %g "
                       "instead of 1",
                       sum);
    return YOKE_OK;
}

static yoke_status schedules_by_text(yk_units *u, const char *schedule,
                                     yoke_err *err)
{
    char *text = NULL;

    YK_TRY(yk_copy_text(&text, schedule, err));
    const yoke_status status = read_plans(u, text, err);
    yk_free(text);
    return status;
}

static yoke_status make_schedules(yoke_run *run, yoke_err *err)
{
    int plans = 1;

    for (const char *p = run->options.schedule; *p; p++) plans += *p == ';';
    if (run->forced) plans = 1;
    YK_TRY(YK_NEW(&run->units.plan, plans, err));
    run->units.count = plans;
    run->units.plan[0].weight = 1.0;
    if (run->forced) {
        run->units.plan[0].schedule = run->forced;
        run->forced = NULL;
        return YOKE_OK;
    }
    if (run->options.schedule[0])
        return schedules_by_text(&run->units, run->options.schedule, err);
    return schedule_by_scheme(&run->units.plan[0].schedule, run->graph,
                              &run->options, err);
}

/* ---- clusters ----------------------------------------------------------- */

/* With several plans every plan must offer every coupled output; for the oracle
 * every output that another subsystem of the model reads. */
static void want_all_sources(yk_units *u, const yk_tally *tally)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(u->graph, &link);
    const int *base = tally->alone->cluster;

    if (u->count == 1 && !u->all_read) return;
    for (int l = 0; l < links; l++)
        if (u->count > 1 || base[link[l].from] != base[link[l].to])
            u->extra[u->first_out[link[l].from] + link[l].output] = true;
}

static yoke_status want_monitored(yk_units *u, const char *monitor,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int outputs = u->first_out[yoke_graph_count(u->graph)];
    char **name = NULL;

    if (!monitor[0]) return YOKE_OK;
    YK_GO(YK_NEW(&name, outputs, err));
    for (int i = 0; i < yoke_graph_count(u->graph); i++) {
        const yoke_system *s = yoke_graph_system(u->graph, i);
        for (int k = u->first_out[i]; k < u->first_out[i + 1]; k++) {
            const int output = k - u->first_out[i];
            YK_GO(yk_dotted_name(&name[k], s,
                                 yoke_system_facts(s)->y_name[output], err));
            if (!yk_glob_any(monitor, name[k])) continue;
            u->extra[k] = u->monitored[k] = true;
        }
    }
    YK_GO(yk_check_patterns(monitor, outputs, name, "monitor", "output", err));
done:
    yk_texts_free(name, outputs);
    return status;
}

/* Outputs in the convergence test: those read from outside their cluster in
 * some plan, and the monitored ones. */
static void mark_coupled(const yk_units *u, bool *tested)
{
    for (int p = 0; p < u->count; p++)
        for (int c = 0; c < u->plan[p].schedule->clusters; c++) {
            const yk_cluster *cluster = &u->plan[p].cluster[c];
            for (int k = 0; k < cluster->sources; k++)
                if (!cluster->source[k].delayed)
                    tested[u->first_out[cluster->source[k].node] +
                           cluster->source[k].output] = true;
        }
}

static yoke_status name_variable(yk_units *u, int v, int node, int output,
                                 yoke_err *err)
{
    const yoke_system *s = yoke_graph_system(u->graph, node);

    return yk_dotted_name(&u->variable_name[v], s,
                          yoke_system_facts(s)->y_name[output], err);
}

static void free_variables(yk_units *u)
{
    for (int v = 0; u->variable_name && v < u->variables; v++)
        yk_free(u->variable_name[v]);
    YK_FREE(u->variable_name, u->variable);
    u->variable_name = NULL;
    u->variable = NULL;
    u->variables = 0;
}

/* In the order of plan 0's units, so that each waveform is measured once. */
static yoke_status list_variables(yk_units *u, const bool *tested,
                                  yoke_err *err)
{
    const yk_unit_plan *p = &u->plan[0];
    const int outputs = u->first_out[yoke_graph_count(u->graph)];

    free_variables(u);
    YK_TRY(yk_ints(&u->variable, (size_t)outputs, err));
    YK_TRY(YK_NEW(&u->variable_name, outputs, err));
    for (int c = 0; c < p->schedule->clusters; c++)
        for (int k = 0; k < p->cluster[c].outs; k++) {
            const int node = p->cluster[c].out[k][0];
            const int output = p->cluster[c].out[k][1];
            const int id = u->first_out[node] + output;
            if (!tested[id]) continue;
            YK_TRY(name_variable(u, u->variables, node, output, err));
            u->variable[u->variables++] = id;
        }
    return YOKE_OK;
}

static yoke_status number_outputs(yk_units *u, yoke_err *err)
{
    const int nodes = yoke_graph_count(u->graph);

    YK_TRY(yk_ints(&u->first_out, (size_t)nodes + 1, err));
    for (int i = 0; i < nodes; i++)
        u->first_out[i + 1] =
            u->first_out[i] +
            yoke_system_facts(yoke_graph_system(u->graph, i))->p;
    YK_TRY(YK_NEW(&u->monitored, u->first_out[nodes], err));
    return YK_NEW(&u->extra, u->first_out[nodes], err);
}

/* How many subsystems of the model each cluster holds. */
static yoke_status count_members(const yk_tally *tally, yk_unit_plan *p,
                                 yoke_err *err)
{
    YK_TRY(yk_ints(&p->members, (size_t)p->schedule->clusters, err));
    for (int b = 0; b < tally->bases; b++)
        p->members[p->schedule->cluster[tally->base[b].node]]++;
    return YOKE_OK;
}

static yoke_status make_clusters(yk_units *u, const yk_tally *tally,
                                 yk_unit_plan *p, yoke_err *err)
{
    want_all_sources(u, tally);
    YK_TRY(
        yk_clusters_create(&p->cluster, u->graph, p->schedule, u->extra, err));
    return count_members(tally, p, err);
}

static yoke_status make_variables(yk_units *u, yoke_err *err)
{
    const size_t outputs = (size_t)u->first_out[yoke_graph_count(u->graph)];
    bool *tested = NULL;

    YK_TRY(YK_NEW(&tested, outputs, err));
    for (size_t k = 0; k < outputs; k++) tested[k] = u->monitored[k];
    mark_coupled(u, tested);
    const yoke_status status = list_variables(u, tested, err);
    yk_free(tested);
    return status;
}

/* A window is not longer than the shortest delay: a run with more than that
 * many of them would not end. */
static yoke_status check_delays(const yk_units *u, const yoke_run_options *o,
                                yoke_err *err)
{
    static const double most_windows = 1e8;
    const double start = o->start, stop = o->stop;
    const double least = yk_delays_least(u->delays);
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(u->graph, &link);

    if (fmax(stop - start, 1e-4 * fmax(fabs(start), fabs(stop))) <=
        most_windows * least)
        return YOKE_OK;
    int l = 0;
    while (l < links && yoke_graph_delay_of(u->graph, l).time != least) l++;
    const yoke_system *to = yoke_graph_system(u->graph, link[l].to);
    return yk_fail(err, YOKE_E_ARG,
                   "the delay %g s of the signal to \"%.80s.%.80s\" is too "
                   "short for a run of %g s: windows are not longer than a "
                   "delay, and there would be more than %g; leave the delay "
                   "out",
                   least, yoke_system_name(to),
                   yoke_system_facts(to)->u_name[link[l].input], stop - start,
                   most_windows);
}

yoke_status yk_run_make_plans(yoke_run *run, yoke_err *err)
{
    YK_TRY(yk_graph_complete(run->graph, err));
    YK_TRY(yk_run_place_closed(run, err));
    YK_TRY(number_outputs(&run->units, err));
    YK_TRY(yk_graph_weigh(run->graph, run->options.start, &run->units.weight,
                          err));
    YK_TRY(yk_delays_create(&run->units.delays, run->graph, err));
    YK_TRY(check_delays(&run->units, &run->options, err));
    YK_TRY(make_schedules(run, err));
    if (run->units.count == 1)
        YK_TRY(yk_find_owners(run->graph, &run->options, run,
                              &run->units.plan[0].schedule, err));
    YK_TRY(yk_tally_bases(&run->tally, err));
    YK_TRY(yk_record_choose(&run->record,
                            err)); /* recorded outputs are wanted too */
    YK_TRY(want_monitored(&run->units, run->options.monitor, err));
    YK_TRY(yk_run_ask_closed(run, err));
    for (int p = 0; p < run->units.count; p++)
        YK_TRY(yoke_graph_check(run->graph, run->units.plan[p].schedule,
                                run->options.start, err));
    YK_TRY(yk_run_closed_point(run, err));
    YK_TRY(yk_ladder_before(&run->ladder, err));
    for (int p = 0; p < run->units.count; p++)
        YK_TRY(
            make_clusters(&run->units, &run->tally, &run->units.plan[p], err));
    return make_variables(&run->units, err);
}

yoke_status yk_run_replan(yoke_run *run, yoke_schedule *schedule,
                          yk_unit_plan *old, yoke_err *err)
{
    yk_unit_plan *p = &run->units.plan[0];

    *old = *p;
    *p = (yk_unit_plan){ .schedule = schedule, .weight = 1.0 };
    YK_TRY(make_clusters(&run->units, &run->tally, p, err));
    return make_variables(&run->units, err);
}

/* ---- propagators and units ---------------------------------------------- */

/* Where output id is found in a plan: unit and component. */
static yoke_status place_outputs(const yk_units *u, const yk_unit_plan *p,
                                 int **unit, int **component, yoke_err *err)
{
    const size_t outputs = (size_t)u->first_out[yoke_graph_count(u->graph)];

    YK_TRY(YK_INTS(outputs, err, unit, component));
    for (size_t k = 0; k < outputs; k++) (*unit)[k] = -1;
    for (int c = 0; c < p->schedule->clusters; c++)
        for (int k = 0; k < p->cluster[c].outs; k++) {
            const int *out = p->cluster[c].out[k];
            (*unit)[u->first_out[out[0]] + out[1]] = c;
            (*component)[u->first_out[out[0]] + out[1]] = k;
        }
    return YOKE_OK;
}

/* A constraint that asks the subsystems which it joins. */
static bool is_apart(const yoke_run *run, const yk_unit_plan *p, int c)
{
    return p->schedule->clusters > 1 &&
           yk_cluster_is_constraint(run->graph, &p->cluster[c]);
}

/* One that gets no answer: a part is closed. */
static bool is_collocated(const yoke_run *run, const yk_unit_plan *p, int c)
{
    if (!is_apart(run, p, c)) return false;
    for (int k = 0; k < p->cluster[c].nodes; k++)
        if (yk_constraint_joins_closed(run->graph, p->cluster[c].node[k]))
            return true;
    return false;
}

/* Which clusters are read by such a one? */
static yoke_status find_held(const yoke_run *run, yk_unit_plan *p,
                             yoke_err *err)
{
    yk_free(p->held);
    YK_TRY(YK_NEW(&p->held, p->schedule->clusters + 1, err));
    for (int c = 0; c < p->schedule->clusters; c++) {
        if (!is_collocated(run, p, c)) continue;
        for (int s = 0; s < p->cluster[c].sources; s++)
            p->held[p->schedule->cluster[p->cluster[c].source[s].node]] = true;
    }
    return YOKE_OK;
}

static yoke_status make_feeds(const yk_units *u, yk_unit_plan *p, int c,
                              bool apart, const int *unit, const int *component,
                              yoke_err *err)
{
    const yk_cluster *cluster = &p->cluster[c];
    const int own = apart ? cluster->outs : 0;

    YK_TRY(YK_NEW(&p->feed[c], cluster->sources + own, err));
    for (int k = 0; k < cluster->sources; k++) {
        const yk_cluster_source *s = &cluster->source[k];
        const int id = u->first_out[s->node] + s->output;
        p->feed[c][k] =
            (yk_feed){ unit[id], component[id], s->to, s->weight, NULL };
        p->feed[c][k].delayed =
            yk_delays_wave(u->delays, s->link, &p->feed[c][k].from);
    }
    for (int k = 0; k < own; k++) /* multipliers, as the others read them */
        p->feed[c][cluster->sources + k] =
            (yk_feed){ c, k, cluster->ins + k, 1.0, NULL };
    YK_TRY(yk_ints(&p->output_id[c], (size_t)cluster->outs, err));
    for (int k = 0; k < cluster->outs; k++)
        p->output_id[c][k] =
            u->first_out[cluster->out[k][0]] + cluster->out[k][1];
    return YOKE_OK;
}

/* A cluster that iterates inside; alone, the run has its windows. */
static yoke_status make_split(yoke_run *run, yk_unit_plan *p, int c,
                              yoke_err *err)
{
    const yk_split_setup setup = {
        .graph = run->graph,
        .cluster = &p->cluster[c],
        .watches = p->watches[c],
        .watch = p->watch[c],
        .options =
            yk_passive_options(run->model, &run->options, &p->cluster[c]),
        .report = yk_run_inner_sweep,
        .context = run,
        .executor = &run->executor,
    };

    YK_TRY(yk_split_create(&p->propagator[c], &setup, err));
    if (p->schedule->clusters == 1 && run->options.iterate.window == 0.0)
        run->options.iterate.window =
            yk_split_planned(&p->propagator[c])->window;
    return YOKE_OK;
}

static yoke_status make_constraint(yoke_run *run, yk_unit_plan *p, int c,
                                   yoke_err *err)
{
    const yk_constraint_setup setup = {
        .graph = run->graph,
        .cluster = &p->cluster[c],
        .watches = p->watches[c],
        .watch = p->watch[c],
        .rtol = run->options.iterate.rtol,
        .atol = run->options.iterate.atol,
        .span = run->options.stop - run->options.start,
    };

    if (is_collocated(run, p, c))
        return yk_collocated_create(&p->propagator[c], &setup, err);
    return yk_constraint_unit_create(&p->propagator[c], &setup, err);
}

yoke_status yk_run_make_propagator(yoke_run *run, yk_unit_plan *p, int c,
                                   yoke_err *err)
{
    const bool one_sweep =
        p->schedule->clusters == 1 && p->cluster[c].sources == 0;
    yoke_stepper_options stepper;

    if (is_apart(run, p, c)) return make_constraint(run, p, c, err);
    if (yk_passive_wanted(run->model, &run->options, run->ladder.robust,
                          &p->cluster[c]))
        return make_split(run, p, c, err);
    YK_TRY(yk_ladder_stepper(&run->ladder, &p->cluster[c], one_sweep, &stepper,
                             err));
    YK_TRY(yk_run_check_saved(&p->cluster[c], &stepper, run->graph, err));
    if (p->held && p->held[c]) {
        stepper.rtol *= YK_ITER_COLLOCATED_TIGHT;
        stepper.atol *= YK_ITER_COLLOCATED_TIGHT;
    }
    if (p->away && p->away[c]) {
        const yk_places *places = run->options.places;
        const yk_place_plan plan = { .graph = run->graph, .plan = p };
        return places->ops->make(places->self, &plan, c, &stepper,
                                 &p->propagator[c], err);
    }
    if (run->watcher.stop) {
        stepper.stop = yk_gate_stops;
        stepper.stop_context = &run->gate;
    }
    return yk_stepper_create(&p->propagator[c], p->cluster[c].system, &stepper,
                             p->watches[c], p->watch[c], err);
}

/* What it costs, and whether it may run at once with others: from counts. */
static void set_price(yk_unit *unit, const yoke_graph *graph,
                      const yk_cluster *cluster)
{
    const yoke_system_info *f = yoke_system_facts(cluster->system);
    const double weight =
        yk_cost_weight(f->n, f->G ? yoke_pattern_count(f->G) : 0);
    double inside = 0.0;

    for (int k = 0; k < cluster->nodes; k++)
        inside += yoke_graph_system(graph, cluster->node[k])->inside;
    unit->alone = !(f->flags & YOKE_PARALLEL);
    unit->price = yk_cost_apart(weight + inside);
    unit->relative = yk_cost_relative(weight);
    unit->exchange = f->closed ? YK_COST_EXCHANGE : 0.0;
}

/* A propagator that is there already is kept. */
typedef struct making {
    yoke_run *run;
    yk_unit_plan *plan;
} making;

static yoke_status make_unit(void *context, int c, yoke_err *err)
{
    yoke_run *run = ((making *)context)->run;
    yk_unit_plan *p = ((making *)context)->plan;
    const yk_cluster *cluster = &p->cluster[c];

    if (!p->propagator[c].ops) YK_TRY(yk_run_make_propagator(run, p, c, err));
    p->unit[c] = (yk_unit){
        .name = cluster->name,
        .propagator = &p->propagator[c],
        .feeds = cluster->sources + (is_apart(run, p, c) ? cluster->outs : 0),
        .feed = p->feed[c],
        .output_id = p->output_id[c],
        .tight = p->held[c] ? YK_ITER_COLLOCATED_TIGHT : 0.0,
    };
    set_price(&p->unit[c], run->graph, cluster);
    p->unit[c].away = p->propagator[c].away;
    return YK_NEW(&p->y0[c], cluster->outs, err);
}

yoke_status yk_run_each_unit(yoke_run *run, const yk_unit_plan *p,
                             bool closed_only, yk_job job, void *context,
                             yoke_err *err)
{
    const int count = p->schedule->clusters;
    double *price = NULL;
    bool *alone = NULL;
    yoke_status status = YOKE_OK;

    YK_GO(yk_doubles(&price, (size_t)count, err));
    YK_GO(YK_NEW(&alone, count, err));
    for (int c = 0; c < count; c++) {
        yk_unit u = { 0 };
        set_price(&u, run->graph, &p->cluster[c]);
        price[c] = (closed_only ? 0.0 : u.price) + u.exchange;
        alone[c] = u.alone || (closed_only && u.exchange == 0.0);
    }
    const yk_batch batch = { .count = count,
                             .job = job,
                             .context = context,
                             .price = price,
                             .alone = alone,
                             .away = p->away };
    YK_GO(run->executor.ops->run(run->executor.self, &batch, err));
done:
    YK_FREE(price, alone);
    return status;
}

/* What can be in another process, what it costs and where it wants to be. */
static yoke_status place_units(yoke_run *run, yk_unit_plan *p, yoke_err *err)
{
    const yk_places *places = run->options.places;
    const int count = p->schedule->clusters;
    yoke_status status = YOKE_OK;
    const char **host = NULL;
    double *price = NULL;
    bool *here = NULL;

    YK_GO(YK_NEW(&p->away, count, err));
    YK_GO(YK_NEW(&here, count, err));
    YK_GO(YK_NEW(&host, count, err));
    YK_GO(yk_doubles(&price, (size_t)count, err));
    for (int c = 0; c < count; c++) {
        const yk_cluster *cluster = &p->cluster[c];
        yk_unit u = { 0 };
        set_price(&u, run->graph, cluster);
        price[c] = u.price + u.exchange;
        here[c] =
            is_apart(run, p, c) ||
            yk_passive_wanted(run->model, &run->options, run->ladder.robust,
                              cluster) ||
            (places->beside && !yoke_system_facts(cluster->system)->closed);
        host[c] = "";
        for (int k = 0; k < cluster->nodes && !host[c][0]; k++) {
            const yoke_stepper_options *o =
                yk_model_stepper(run->model, cluster->node[k]);
            if (o) host[c] = o->host;
        }
    }
    YK_GO(
        places->ops->plan(places->self,
                          &(yk_place_plan){ run->graph, p, run->units.extra,
                                            here, price, host, places->beside },
                          p->away, err));
done:
    YK_FREE(host, price, here);
    return status;
}

static yoke_status make_plan_units(yoke_run *run, yk_unit_plan *p,
                                   yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *unit = NULL, *component = NULL;
    const int count = p->schedule->clusters;

    if (!p->propagator) YK_GO(YK_NEW(&p->propagator, count, err));
    YK_GO(YK_NEW(&p->unit, count, err));
    YK_GO(YK_NEW(&p->feed, count, err));
    YK_GO(YK_NEW(&p->output_id, count, err));
    YK_GO(YK_NEW(&p->y0, count, err));
    YK_GO(find_held(run, p, err));
    YK_GO(place_outputs(&run->units, p, &unit, &component, err));
    for (int c = 0; c < count; c++)
        YK_GO(make_feeds(&run->units, p, c, is_apart(run, p, c), unit,
                         component, err));
    if (run->options.places) YK_GO(place_units(run, p, err));
    /* The workers of closed parts begin at once, in processes of their own. */
    YK_GO(yk_run_each_unit(run, p, true, make_unit, &(making){ run, p }, err));
    for (int c = 0; c < count; c++)
        if (is_apart(run, p, c))
            YK_GO((is_collocated(run, p, c) ? yk_collocated_bind
                                            : yk_constraint_unit_bind)(
                &p->propagator[c], count, p->unit, c, err));
done:
    YK_FREE(unit, component);
    return status;
}

yoke_status yk_run_make_units(yoke_run *run, yoke_err *err)
{
    for (int p = 0; p < run->units.count; p++)
        YK_TRY(make_plan_units(run, &run->units.plan[p], err));
    return YOKE_OK;
}

void yk_run_free_plan(yk_unit_plan *p)
{
    const int count = p->schedule ? p->schedule->clusters : 0;

    for (int c = 0; c < count; c++) {
        if (p->propagator && p->propagator[c].ops)
            p->propagator[c].ops->free(p->propagator[c].self);
        if (p->feed) yk_free(p->feed[c]);
        if (p->output_id) yk_free(p->output_id[c]);
        if (p->watch) yk_free(p->watch[c]);
        if (p->y0) yk_free(p->y0[c]);
    }
    YK_FREE(p->propagator, p->unit, p->feed, p->output_id, p->watch, p->held,
            p->watches, p->y0);
    YK_FREE(p->members, p->away);
    yk_clusters_free(p->cluster, count);
    yoke_schedule_free(p->schedule);
}

void yk_run_free_plans(yk_units *u)
{
    for (int p = 0; u->plan && p < u->count; p++) yk_run_free_plan(&u->plan[p]);
    YK_FREE(u->plan, u->first_out, u->weight, u->extra, u->monitored);
    free_variables(u);
}
