/* run/rest.c -- a run that rests where nothing holds it.
 *
 * A pendulum that begins exactly at the top stays there, and that is a
 * solution. It is not what a model in which anything disturbs it does, so the
 * summary says so: where all unknowns at the end are those of the start, to the
 * tolerance, the whole is linearised there and its growing modes are looked for
 * (sys/unstable.h).  Runs that move cost nothing.
 *
 * Circuits leave such operating points by themselves
 * (comp/netlist/circuit/rest.c). */
#include "base/tolerance.h"
#include "run/run.h"
#include "sys/system.h"
#include "sys/unstable.h"

#include <math.h>
#include <stdio.h>

/* What grows by less than e^5 over the run would not be seen anyway. */
static const double least_growth = 5.0;
static const double decades = 1e10; /* faster ones than that times the run */

static double size_of(const yoke_run *run, const yoke_system_info *f, int i,
                      double x)
{
    const yoke_iterate_options *o = &run->options.iterate;

    return yk_tolerance(o->atol * f->nominal[i], o->rtol, x);
}

static bool has_moved(const yoke_run *run, const yk_point *now)
{
    const yk_point *first = &run->initial.point;

    for (int k = 0; k < now->nodes; k++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, k));
        for (int i = 0; i < f->n; i++)
            if (!(fabs(now->x[k][i] - first->x[k][i]) <=
                  size_of(run, f, i, now->x[k][i])))
                return true;
    }
    return false;
}

/* Can all units tell their unknowns? */
static bool is_open(const yoke_run *run)
{
    const yk_unit_plan *p = &run->units.plan[0];

    for (int c = 0; c < p->schedule->clusters; c++)
        if (!p->propagator[c].ops->handover) return false;
    return true;
}

/* Name of the unknown of the whole that moves most, and its node. */
static const char *largest(const yoke_run *run, const yk_cluster *whole,
                           const double *mode, const double *size, int *node)
{
    const char *name = "?";
    double most = 0.0;

    for (int k = 0; k < whole->nodes; k++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, whole->node[k]));
        for (int i = 0; i < f->n; i++) {
            const int at = whole->x_at[k] + i;
            if (!(fabs(mode[at]) > most * size[at])) continue;
            most = fabs(mode[at]) / size[at];
            name = f->x_name[i];
            *node = whole->node[k];
        }
    }
    return name;
}

static yoke_status tell(yoke_run *run, int node, const char *name,
                        const yk_growth *g, yoke_err *err)
{
    yk_noted r = { .node = node, .number = -1 };
    char turn[60] = "", text[400];

    if (g->turn > 0.0)
        snprintf(turn, sizeof turn, " with %.3g Hz",
                 g->turn / (2.0 * acos(-1.0)));
    snprintf(text, sizeof text,
             "rests at an unstable point: disturbances of %.100s and others "
             "grow by e in %.3g s%s; the run has none, begin a little beside "
             "the point to see them",
             name, 1.0 / g->rate, turn);
    YK_TRY(yk_copy_text(&run->record.rest_text, text, err));
    r.remark = (yoke_remark){ .text = run->record.rest_text,
                              .since = run->options.start };
    return yk_record_remark(&run->record, &r, err);
}

static yoke_status look(yoke_run *run, double t, const yk_cluster *whole,
                        const yk_point *now, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(whole->system);
    const double length = run->options.stop - run->options.start;
    yoke_jacobian jac = { .C = NULL };
    double *x = NULL, *size = NULL, *mode = NULL;
    yk_growth growth = { 0 };
    int owner = 0, input = 0, base = 0, node = 0;
    yoke_status status = YOKE_OK;

    YK_GO(yk_doubles(&x, 3 * (size_t)f->n + 1, err));
    size = x + f->n;
    mode = size + f->n;
    for (int k = 0; k < whole->nodes; k++) {
        const int n =
            yoke_system_facts(yoke_graph_system(run->graph, whole->node[k]))->n;
        for (int i = 0; i < n; i++) x[base++] = now->x[whole->node[k]][i];
    }
    for (int k = 0; base + k < f->n; k++)
        if (yk_composite_kept(whole->system, k, &owner, &input))
            x[base + k] = now->u[whole->node[owner]][input];
    for (int i = 0; i < f->n; i++) size[i] = size_of(run, f, i, x[i]);
    YK_GO(yk_jacobian_create(&jac, whole->system, err));
    YK_GO(yoke_system_jacobian(whole->system, t, x, NULL, &jac, err));
    const yk_rest rest = { .n = f->n,
                           .C_pattern = f->C,
                           .G_pattern = f->G,
                           .C = jac.C,
                           .G = jac.G,
                           .size = size,
                           .least = least_growth / length,
                           .most = decades * least_growth / length };
    YK_GO(yk_unstable_find(&rest, &growth, mode, err));
    if (growth.rate > 0.0) {
        const char *name = largest(run, whole, mode, size, &node);
        YK_GO(tell(run, node, name, &growth, err));
    }
done:
    yk_free(jac.C);
    yk_free(x);
    return status;
}

static yoke_status look_again(yoke_run *run, double t, yoke_err *err)
{
    yk_point now = { .graph = NULL };
    yk_cluster *whole = NULL;
    bool *none = NULL;
    yoke_status status = YOKE_OK;

    YK_GO(yk_run_point(run, t, &now, err));
    if (has_moved(run, &now)) goto done;
    YK_GO(YK_NEW(&none, now.first_out[now.nodes] + 1, err));
    YK_GO(yk_cluster_whole(&whole, run->graph, none, err));
    if (whole->ins == 0) YK_GO(look(run, t, whole, &now, err));
done:
    yk_clusters_free(whole, 1);
    yk_free(none);
    yk_point_clear(&now);
    return status;
}

yoke_status yk_run_note_rest(yoke_run *run, double t, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };

    if (!run->initial.known || run->record.rest_text || !is_open(run) ||
        !(t > run->options.start))
        return YOKE_OK;
    const yoke_status status = look_again(run, t, &why);
    /* Whatever else fails here, the run itself has not. */
    if (status != YOKE_E_MEMORY) return YOKE_OK;
    return yk_fail(err, status, "%s", why.text);
}
