#include "oracle.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a group of subsystems as one system --------------------------------- */

typedef struct part {
    yoke_composition parts;
    yoke_system *system;
    int *source; /* of each open input: the link that feeds it */
    int *out_at; /* of each link that begins here: its place in `out` */
} part;

static bool within(const problem *p, int group, int node)
{
    return group < 0 || p->group[node] == group;
}

static void list_members(part *s, const problem *p, int group, int *place)
{
    yoke_graph *graph = yoke_model_graph(p->model);
    const int nodes = yoke_graph_count(graph);
    yoke_system **member = bench_new((size_t)nodes, sizeof *member);

    for (int i = 0; i < nodes; i++) {
        if (!within(p, group, i)) continue;
        place[i] = s->parts.members;
        member[s->parts.members++] = yoke_graph_system(graph, i);
    }
    s->parts.member = member;
}

/* The place of an output in the list, at its end if it is new. */
static int place_output(int (*out)[2], int *count, int member, int output)
{
    for (int k = 0; k < *count; k++)
        if (out[k][0] == member && out[k][1] == output) return k;
    out[*count][0] = member;
    out[*count][1] = output;
    return (*count)++;
}

/* Links inside, inputs fed from outside, outputs read by any link. */
static void list_links(part *s, const problem *p, int group, const int *place)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(yoke_model_graph(p->model), &link);
    const size_t room = (size_t)links;
    yoke_link *inner = bench_new(room, sizeof *inner);
    int(*open)[2] = bench_new(room, sizeof *open);
    int(*out)[2] = bench_new(room, sizeof *out);

    s->source = bench_new(room, sizeof *s->source);
    s->out_at = bench_new(room, sizeof *s->out_at);
    for (int l = 0; l < links; l++) {
        const int to = place[link[l].to], from = place[link[l].from];
        const bool to_us = within(p, group, link[l].to);
        const bool from_us = within(p, group, link[l].from);
        if (to_us && from_us) {
            inner[s->parts.links] = link[l];
            inner[s->parts.links].to = to;
            inner[s->parts.links++].from = from;
        } else if (to_us) {
            open[s->parts.opens][0] = to;
            open[s->parts.opens][1] = link[l].input;
            s->source[s->parts.opens++] = l;
        }
        if (from_us)
            s->out_at[l] =
                place_output(out, &s->parts.outs, from, link[l].output);
    }
    s->parts.link = inner;
    s->parts.open = (const int(*)[2])open;
    s->parts.out = (const int(*)[2])out;
}

/* group < 0: everything. */
static part part_create(const problem *p, int group)
{
    const int nodes = yoke_graph_count(yoke_model_graph(p->model));
    int *place = bench_new((size_t)nodes, sizeof *place);
    yoke_err err = { YOKE_OK, "" };
    part s = { .system = NULL };

    list_members(&s, p, group, place);
    list_links(&s, p, group, place);
    bench_need(yoke_compose(&s.system, "part", &s.parts, &err), &err);
    free(place);
    return s;
}

static void part_free(part *s)
{
    yoke_system_free(s->system);
    free((void *)(size_t)s->parts.member);
    free((void *)(size_t)s->parts.link);
    free((void *)(size_t)s->parts.open);
    free((void *)(size_t)s->parts.out);
    free(s->source);
    free(s->out_at);
}

/* ---- one sweep over the whole run ---------------------------------------- */

static void solve(const problem *p, yoke_system *system, double tighter,
                  const yoke_wave *u, yoke_wave *y, yoke_work *work)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_stepper_options o = yoke_stepper_defaults();
    const yoke_system_info *f = yoke_system_facts(system);
    double *u0 = bench_new((size_t)f->m, sizeof *u0);
    double *y0 = bench_new((size_t)f->p, sizeof *y0);
    yoke_propagator s = { NULL, NULL, 0, 0, 0 };

    o.rtol = p->rtol / tighter;
    o.atol = p->atol / tighter;
    o.warm = false;
    if (f->m) yoke_wave_eval_right(u, 0.0, NULL, u0);
    bench_need(yoke_stepper_create(&s, system, &o, 0, NULL, &err), &err);
    bench_need(s.ops->start(s.self, 0.0, NULL, u0, y0, &err), &err);
    bench_need(s.ops->sweep(s.self, p->stop, u, y, &err), &err);
    s.ops->work(s.self, work);
    s.ops->free(s.self);
    free(u0);
    free(y0);
}

static void solve_exact(oracle *o, const problem *p)
{
    yoke_err err = { YOKE_OK, "" };
    part whole = part_create(p, -1);
    yoke_work work;

    bench_need(yoke_wave_create(&o->exact, whole.parts.outs, &err), &err);
    solve(p, whole.system, 1000.0, NULL, o->exact, &work);
    o->size = bench_new((size_t)whole.parts.outs, sizeof *o->size);
    bench_need(yoke_wave_distance(o->exact, NULL, YOKE_NORM_MAX, o->size, &err),
               &err);
    o->at = whole.out_at;
    whole.out_at = NULL;
    part_free(&whole);
}

/* u from the exact outputs. */
static yoke_wave *make_inputs(const oracle *o, const problem *p, const part *s)
{
    yoke_err err = { YOKE_OK, "" };
    const yoke_link *link = NULL;
    yoke_wave *u = NULL;
    yoke_wave_term *term = bench_new((size_t)s->parts.opens, sizeof *term);

    yoke_graph_links(yoke_model_graph(p->model), &link);
    for (int k = 0; k < s->parts.opens; k++)
        term[k] = (yoke_wave_term){ o->exact, o->at[s->source[k]], k,
                                    link[s->source[k]].weight };
    bench_need(yoke_wave_create(&u, s->parts.opens, &err), &err);
    bench_need(yoke_wave_combine(u, 0.0, p->stop, s->parts.opens, term, &err),
               &err);
    free(term);
    return u;
}

double oracle_error(const oracle *o, const problem *p, int l, double t,
                    double value)
{
    const int i = o->at[l];
    double *exact = bench_new((size_t)yoke_wave_dim(o->exact), sizeof *exact);

    yoke_wave_eval(o->exact, t, NULL, exact);
    const double error =
        fabs(value - exact[i]) / (p->atol + p->rtol * o->size[i]);
    free(exact);
    return error;
}

static void measure(oracle *o, const problem *p, int group, const part *s,
                    const yoke_wave *y)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(yoke_model_graph(p->model), &link);
    double *value = bench_new((size_t)yoke_wave_dim(y), sizeof *value);

    for (double t = p->window; t < p->stop * (1 + 1e-9); t += p->window) {
        yoke_wave_eval(y, t, NULL, value);
        for (int l = 0; l < links; l++)
            if (p->group[link[l].from] == group)
                o->error = fmax(o->error,
                                oracle_error(o, p, l, t, value[s->out_at[l]]));
    }
    free(value);
}

static void add_work(yoke_work *sum, const yoke_work *w)
{
    sum->steps += w->steps;
    sum->residuals += w->residuals;
    sum->factorizations += w->factorizations;
    sum->solves += w->solves;
    sum->seconds += w->seconds;
}

static void solve_group(oracle *o, const problem *p, int group)
{
    yoke_err err = { YOKE_OK, "" };
    part s = part_create(p, group);
    yoke_wave *u = make_inputs(o, p, &s), *y = NULL;
    yoke_work work;

    bench_need(yoke_wave_create(&y, s.parts.outs, &err), &err);
    solve(p, s.system, 1.0, u, y, &work);
    measure(o, p, group, &s, y);
    add_work(&o->work, &work);
    yoke_wave_free(u);
    yoke_wave_free(y);
    part_free(&s);
}

void oracle_create(oracle *o, const problem *p)
{
    memset(o, 0, sizeof *o);
    solve_exact(o, p);
}

void oracle_run(oracle *o, const problem *p)
{
    memset(&o->work, 0, sizeof o->work);
    for (int g = 0; g < p->groups; g++) solve_group(o, p, g);
}

void oracle_free(oracle *o)
{
    yoke_wave_free(o->exact);
    free(o->size);
    free(o->at);
}
