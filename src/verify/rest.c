/* verify/rest.c -- a run that rests where nothing holds it.
 *
 * A pendulum that begins exactly at the top stays there, and that is a
 * solution. It is not what a model in which anything disturbs it does, so the
 * summary says so: where all unknowns at the end are those of the start, to the
 * tolerance, the whole is linearised there and its growing modes are looked for
 * (sys/unstable.h).  Runs that move cost nothing.
 *
 * Circuits leave such operating points by themselves
 * (comp/netlist/circuit/rest.c). */
#include "verify/rest.h"

#include "base/tolerance.h"
#include "model/units_point.h"
#include "step/policy.h"
#include "sys/system.h"
#include "sys/unstable.h"
#include "verify/policy.h"

#include <math.h>
#include <stdio.h>

static double size_of(const yk_record *r, const yoke_system_info *f, int i,
                      double x)
{
    const yoke_iterate_options *o = &r->options->iterate;

    return yk_tolerance(o->atol * f->nominal[i], o->rtol, x);
}

static bool has_moved(const yk_record *r, const yk_model_point *first,
                      const yk_model_point *now)
{
    for (int k = 0; k < now->nodes; k++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(r->graph, k));
        for (int i = 0; i < f->n; i++)
            if (!(fabs(now->x[k][i] - first->x[k][i]) <=
                  size_of(r, f, i, now->x[k][i])))
                return true;
    }
    return false;
}

/* Can all units tell their unknowns? */
static bool is_open(const yk_record *r)
{
    const yk_unit_plan *p = &r->units->plan[0];

    for (int c = 0; c < p->schedule->clusters; c++)
        if (!p->propagator[c].ops->handover) return false;
    return true;
}

/* Name of the unknown of the whole that moves most, and its node. */
static const char *largest(const yk_record *r, const yk_cluster *whole,
                           const double *mode, const double *size, int *node)
{
    const char *name = "?";
    double most = 0.0;

    for (int k = 0; k < whole->nodes; k++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(r->graph, whole->node[k]));
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

static yoke_status tell(yk_record *r, int node, const char *name,
                        const yk_unstable_growth *g, yoke_err *err)
{
    yk_record_noted noted = { .node = node, .number = -1 };
    char turn[60] = "", text[400];

    if (g->turn > 0.0)
        snprintf(turn, sizeof turn, " with %.3g Hz",
                 g->turn / (2.0 * acos(-1.0)));
    snprintf(text, sizeof text,
             "rests at an unstable point: disturbances of %.100s and others "
             "grow by e in %.3g s%s; the run has none; start slightly beside "
             "the point to see them",
             name, 1.0 / g->rate, turn);
    YK_TRY(yk_copy_text(&r->rest_text, text, err));
    noted.remark =
        (yoke_remark){ .text = r->rest_text, .since = r->options->start };
    return yk_record_remark(r, &noted, err);
}

static yoke_status look(yk_record *r, double t, const yk_cluster *whole,
                        const yk_model_point *now, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(whole->system);
    const double length = r->options->stop - r->options->start;
    double *x = NULL, *size = NULL, *mode = NULL;
    yk_unstable_growth growth = { 0 };
    int node = 0;
    yoke_status status = YOKE_OK;

    YK_GO(yk_doubles(&x, 3 * (size_t)f->n + 1, err));
    size = x + f->n;
    mode = size + f->n;
    yk_cluster_gather(whole, r->graph, (const double *const *)now->x,
                      (const double *const *)now->u, x);
    for (int i = 0; i < f->n; i++) size[i] = size_of(r, f, i, x[i]);
    YK_GO(yk_unstable_at(whole->system, t, x, size, YK_REST_GROWTH / length,
                         YK_STEADY_FASTEST / length, &growth, mode, err));
    if (growth.rate > 0.0) {
        const char *name = largest(r, whole, mode, size, &node);
        YK_GO(tell(r, node, name, &growth, err));
    }
done:
    yk_free(x);
    return status;
}

static yoke_status look_again(yk_record *r, const yk_model_point *first,
                              double t, yoke_err *err)
{
    yk_model_point now = { .graph = NULL };
    yk_cluster *whole = NULL;
    bool *none = NULL;
    yoke_status status = YOKE_OK;

    YK_GO(yk_units_point(r->units, r->graph, NULL, t, &now, err));
    if (has_moved(r, first, &now)) goto done;
    YK_GO(YK_NEW(&none, now.first_out[now.nodes] + 1, err));
    YK_GO(yk_cluster_whole(&whole, r->graph, none, false, err));
    if (whole->ins == 0) YK_GO(look(r, t, whole, &now, err));
done:
    yk_clusters_free(whole, 1);
    yk_free(none);
    yk_point_clear(&now);
    return status;
}

yoke_status yk_rest_note(yk_record *r, const yk_first_point *initial, double t,
                         yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };

    if (!initial->known || r->rest_text || !is_open(r) ||
        !(t > r->options->start))
        return YOKE_OK;
    const yoke_status status = look_again(r, &initial->point, t, &why);
    /* Whatever else fails here, the run itself has not. */
    if (status != YOKE_E_MEMORY) return YOKE_OK;
    return yk_fail(err, status, "%s", why.text);
}
