#include "oracle.h"

#include "bench.h"
#include "step/steppers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- everything as one system -------------------------------------------- */

/* The place of an output in the list, at its end if it is new. */
static int place_output(int (*out)[2], int *count, const yoke_link *link)
{
    for (int k = 0; k < *count; k++)
        if (out[k][0] == link->from && out[k][1] == link->output) return k;
    out[*count][0] = link->from;
    out[*count][1] = link->output;
    return (*count)++;
}

static void solve(const problem *p, yoke_system *system, yk_wave *y)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_stepper_options o = yoke_stepper_defaults();
    double *y0 = bench_new((size_t)yk_wave_dim(y), sizeof *y0);
    yk_propagator s = { NULL, NULL, 0, 0, 0, false };
    yk_wave *u = NULL;

    o.rtol = p->rtol / 1000.0;
    o.atol = p->atol / 1000.0;
    o.warm = false;
    bench_need(yk_wave_create(&u, 0, &err), &err);
    bench_need(yk_stepper_create(&s, system, &o, 0, NULL, &err), &err);
    bench_need(s.ops->start(s.self, 0.0, NULL, NULL, y0, &err), &err);
    bench_need(s.ops->sweep(s.self, p->stop, u, y, &err), &err);
    s.ops->free(s.self);
    yk_wave_free(u);
    free(y0);
}

void oracle_create(oracle *o, const problem *p)
{
    yoke_graph *graph = yoke_model_graph(p->model);
    const int nodes = yoke_graph_count(graph);
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);
    yoke_system **member = bench_new((size_t)nodes, sizeof *member);
    int(*out)[2] = bench_new((size_t)links, sizeof *out);
    yoke_composition all = { .members = nodes, .links = links, .link = link };
    yoke_system *whole = NULL;
    yoke_err err = { YOKE_OK, "" };

    memset(o, 0, sizeof *o);
    o->at = bench_new((size_t)links, sizeof *o->at);
    for (int i = 0; i < nodes; i++) member[i] = yoke_graph_system(graph, i);
    for (int l = 0; l < links; l++)
        o->at[l] = place_output(out, &all.outs, &link[l]);
    all.member = member;
    all.out = (const int(*)[2])out;
    bench_need(yoke_compose(&whole, "whole", &all, &err), &err);
    bench_need(yk_wave_create(&o->exact, all.outs, &err), &err);
    solve(p, whole, o->exact);
    o->size = bench_new((size_t)all.outs, sizeof *o->size);
    bench_need(yk_wave_distance(o->exact, NULL, o->size, &err), &err);
    yoke_system_free(whole);
    free(member);
    free(out);
}

double oracle_error(const oracle *o, const problem *p, int l, double t,
                    double value)
{
    const int i = o->at[l];
    double *exact = bench_new((size_t)yk_wave_dim(o->exact), sizeof *exact);

    yk_wave_eval(o->exact, t, NULL, exact);
    const double error =
        fabs(value - exact[i]) / (p->atol + p->rtol * o->size[i]);
    free(exact);
    return error;
}

void oracle_run(oracle *o, const problem *p, const yoke_run_options *options)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_run_result result;
    yoke_run *run = NULL;

    bench_need(yoke_run_create(&run, p->model, options, NULL, &err), &err);
    bench_need(yoke_run_keep_waves(run, &err), &err);
    bench_need(yoke_run_advance(run, p->stop, &err), &err);
    yoke_run_summary(run, &result);
    o->estimate = (double)result.oracle.residuals;
    bench_need(yoke_run_replay(run, &o->apart, &err), &err);
    yoke_run_summary(run, &result);
    o->work = result.oracle;
    bench_need(yoke_run_close(run, &err), &err);
}

void oracle_free(oracle *o)
{
    yk_wave_free(o->exact);
    free(o->size);
    free(o->at);
}
