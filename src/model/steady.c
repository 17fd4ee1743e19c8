/* model/steady.c -- a run that begins at rest.
 *
 * The equilibrium is that of the composition of everything, with time held at
 * the start: nothing that is coupled moves.  Parts whose relations switch on
 * the way are made consistent there, and the search goes on from that point
 * until nothing changes any more.
 */
#include "model/point.h"

#include "graph/cluster.h"
#include "model/model.h"
#include "step/policy.h"
#include "step/solve/steady.h"
#include "sys/system.h"
#include "sys/unstable.h"

#include <math.h>
#include <stdio.h>

/* What cannot be at rest for us. */
static yoke_status check_open(const yk_model_point *p, yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(p->graph, &link);

    for (int i = 0; i < p->nodes; i++) {
        const yoke_system *s = yoke_graph_system(p->graph, i);
        if (yoke_system_facts(s)->closed)
            return yk_fail(err, YOKE_E_MODEL,
                           "start_from: steady: the equations of subsystem "
                           "\"%s\", a closed part, are not known; start from "
                           "values",
                           yoke_system_name(s));
    }
    for (int l = 0; l < links; l++)
        if (yoke_graph_delay_of(p->graph, l).has_past)
            return yk_fail(
                err, YOKE_E_MODEL,
                "start_from: steady: the signal to subsystem "
                "\"%s\" has a delay with a past of its own; leave "
                "the past away, it is the value at rest",
                yoke_system_name(yoke_graph_system(p->graph, link[l].to)));
    return YOKE_OK;
}

/* "subsystem.variable" of unknown i of the whole. */
static void name_unknown(const yk_model_point *p, const yk_cluster *whole,
                         int i, char *text, size_t room)
{
    snprintf(text, room, "an unknown of the coupling");
    for (int k = 0; k < whole->nodes; k++) {
        const yoke_system *s = yoke_graph_system(p->graph, whole->node[k]);
        const yoke_system_info *f = yoke_system_facts(s);
        if (i < whole->x_at[k] || i >= whole->x_at[k] + f->n) continue;
        snprintf(text, room, "variable \"%.100s\" of subsystem \"%.100s\"",
                 f->x_name[i - whole->x_at[k]], yoke_system_name(s));
    }
}

static yoke_status refuse(const yk_model_point *p, const yk_cluster *whole,
                          const yk_steady *end, const double *x, yoke_err *err)
{
    char name[300] = "";

    name_unknown(p, whole, end->worst, name, sizeof name);
    if (end->end == YK_STEADY_MANY)
        return yk_fail(err, YOKE_E_MODEL,
                       "start_from: steady: the rest is not unique: %s may "
                       "have any value there, nothing holds it; start from "
                       "values",
                       name);
    if (end->end == YK_STEADY_NONE)
        return yk_fail(
            err, YOKE_E_MODEL,
            "start_from: steady: there is no equilibrium: %s keeps moving "
            "(it was followed to %.3g); start from values",
            name, end->worst >= 0 ? x[end->worst] : NAN);
    return yk_fail(
        err, YOKE_E_NUMERIC,
        "start_from: steady: no equilibrium was found in %d steps; %s "
        "moves most, it came to %.3g; give start values that are "
        "nearer, or start from values",
        end->steps, name, end->worst >= 0 ? x[end->worst] : NAN);
}

static bool has_changed(const yoke_system_info *f, const double *a,
                        const double *b)
{
    for (int i = 0; i < f->n; i++)
        if (!(fabs(a[i] - b[i]) <=
              YK_STEADY_CHANGED * (f->nominal[i] + fabs(a[i]))))
            return true;
    return false;
}

/* From the point on until it is at rest and consistent. */
static yoke_status search(yk_model_point *p, const yk_cluster *whole, double t,
                          double *x, double *rest, yoke_err *err)
{
    enum { ROUNDS = 10 };
    const yoke_system_info *f = yoke_system_facts(whole->system);
    yk_steady end;

    for (int round = 0; round < ROUNDS; round++) {
        yk_cluster_gather(whole, p->graph, (const double *const *)p->x,
                          (const double *const *)p->u, x);
        YK_TRY(yk_steady_solve(whole->system, t, NULL, x, &end, err));
        if (end.end != YK_STEADY_FOUND) return refuse(p, whole, &end, x, err);
        for (int i = 0; i < f->n; i++) rest[i] = x[i];
        YK_TRY(yk_point_take(p, whole, t, x, err));
        YK_TRY(yk_point_consistent(p, t, err));
        yk_cluster_gather(whole, p->graph, (const double *const *)p->x,
                          (const double *const *)p->u, x);
        if (!has_changed(f, rest, x)) return YOKE_OK;
    }
    return yk_fail(err, YOKE_E_NUMERIC,
                   "start_from: steady: what switches at the rest moves it "
                   "away again; start from values");
}

yoke_status yk_point_steady(yk_model_point *p, double t, yoke_err *err)
{
    const int outputs = p->first_out[p->nodes];
    yoke_status status = YOKE_OK;
    yk_cluster *whole = NULL;
    double *x = NULL, *rest = NULL;
    bool *all = NULL;

    YK_GO(check_open(p, err));
    YK_GO(YK_NEW(&all, outputs + 1, err));
    for (int k = 0; k < outputs; k++) all[k] = true;
    YK_GO(yk_cluster_whole(&whole, p->graph, all, false, err));
    const size_t n = (size_t)yoke_system_facts(whole->system)->n;
    YK_GO(YK_DOUBLES(n + 1, err, &x, &rest));
    YK_GO(search(p, whole, t, x, rest, err));
    for (int i = 0; i < p->nodes; i++)
        if (p->graph->node[i].is_constraint)
            YK_GO(yk_constraint_start(yoke_graph_system(p->graph, i), t,
                                      p->u[i], false, err));
done:
    YK_FREE(all, x, rest);
    yk_clusters_free(whole, 1);
    return status;
}

/* ---- stability ----------------------------------------------------------- */

static yoke_status find_growth(const yk_model_point *p, const yk_cluster *whole,
                               const yoke_run_options *options,
                               yoke_steady *out, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(whole->system);
    const double length = options->stop - options->start;
    yk_unstable_growth growth = { 0 };
    double *x = NULL;
    int worst = 0;
    yoke_status status = YOKE_OK;

    YK_GO(yk_doubles(&x, 3 * (size_t)f->n + 1, err));
    double *size = x + f->n, *mode = size + f->n;
    yk_cluster_gather(whole, p->graph, (const double *const *)p->x,
                      (const double *const *)p->u, x);
    for (int i = 0; i < f->n; i++) size[i] = f->nominal[i] + fabs(x[i]);
    out->least = YK_STEADY_SLOWEST / length;
    out->most = YK_STEADY_FASTEST / length;
    YK_GO(yk_unstable_at(whole->system, options->start, x, size, out->least,
                         out->most, &growth, mode, err));
    out->rate = growth.rate;
    out->turn = growth.turn;
    for (int i = 1; i < f->n; i++)
        if (fabs(mode[i]) * size[worst] > fabs(mode[worst]) * size[i])
            worst = i;
    if (growth.rate > 0.0)
        name_unknown(p, whole, worst, out->name, sizeof out->name);
done:
    yk_free(x);
    return status;
}

yoke_status yoke_model_steady(yoke_model *model,
                              const yoke_run_options *options, yoke_steady *out,
                              yoke_err *err)
{
    YK_POINT;
    yoke_run_options from = *options;
    yk_first_point initial = { .known = false };
    yk_cluster *whole = NULL;
    bool *none = NULL;
    yoke_status status = YOKE_OK;

    *out = (yoke_steady){ .rate = 0.0 };
    from.start_from = YOKE_FROM_REST;
    from.given = false;
    YK_GO(yk_graph_complete(model->graph, err));
    YK_GO(yk_first_point_make(&initial, model, &from, err));
    const yk_model_point *p = &initial.point;
    YK_GO(YK_NEW(&none, p->first_out[p->nodes] + 1, err));
    YK_GO(yk_cluster_whole(&whole, p->graph, none, false, err));
    YK_GO(find_growth(p, whole, &from, out, err));
done:
    yk_clusters_free(whole, 1);
    yk_free(none);
    yk_point_clear(&initial.point);
    return status;
}
