/* decide/stepper.c -- which stepper a subsystem gets: the one answer, for the run
 * and for `yoke check`.
 *
 * A cluster has the stepper of its first member that has one, with the tightest
 * tolerance of its members.  Options of the run come before those of the
 * subsystem: the method of the monolithic scheme, the step, and the tolerance
 * of subsystems that leave theirs at the default.
 */
#include "decide/ladder.h"

#include "decide/policy.h"
#include "model/waves.h"
#include "sys/closed.h"

#include <math.h>
#include <string.h>

/* A cluster of subsystems. */
typedef struct members {
    const yoke_model *model;
    const yoke_run_options *options;
    int count;
    const int *node;
    bool merged; /* the run made it of what the schedule keeps apart... */
    bool failed; /* ... because the iteration failed */
} members;

static bool is_same(const yoke_stepper_options *a,
                    const yoke_stepper_options *b)
{
    return strcmp(a->method, b->method) == 0 && a->step == b->step &&
           a->steps == b->steps && a->rtol == b->rtol && a->atol == b->atol &&
           a->min_step == b->min_step && a->max_step == b->max_step;
}

bool yk_ladder_alike(const yk_ladder *l, const yoke_schedule *s,
                     const int *group, int a, int b)
{
    const yoke_stepper_options *first = NULL;
    bool same = true, adaptive = true;

    for (int i = 0; i < s->nodes; i++) {
        const int g = group[s->cluster[i]];
        const yoke_stepper_options *o = yk_model_stepper(l->model, i);
        if (g != a && g != b) continue;
        if (yoke_system_facts(yoke_graph_system(l->graph, i))->closed)
            return false;
        if (yk_schedule_is_constraint(s, l->graph, s->cluster[i]) &&
            yk_constraint_joins_closed(l->graph, i))
            return false; /* it stays, for one of the others is closed */
        if (!o) continue;
        if (!first) first = o;
        same = same && is_same(o, first);
        adaptive = adaptive && !yoke_stepper_is_fixed(o->method);
    }
    return same || adaptive;
}

/* The step of the run replaces that of the stepper. */
static void set_step(yoke_stepper_options *stepper, double step)
{
    if (step == 0.0) return;
    if (yoke_stepper_is_fixed(stepper->method)) {
        stepper->step = step;
        stepper->steps = 0;
        return;
    }
    stepper->max_step = step;
    stepper->step = fmin(stepper->step, step); /* the first one; 0: by itself */
    stepper->min_step = fmin(stepper->min_step, step);
}

/* Members with different steppers that the run has merged, or that failed
 * apart, get the most robust method. */
static yoke_status set_method(const members *c, yoke_stepper_options *out,
                              yoke_err *err)
{
    bool same = true;

    if (c->options->scheme == YOKE_MONOLITHIC)
        return c->options->stepper[0]
                   ? yoke_stepper_set(out, "method", c->options->stepper, err)
                   : YOKE_OK;
    for (int k = 0; k < c->count; k++) {
        const yoke_stepper_options *o = yk_model_stepper(c->model, c->node[k]);
        if (!o) continue;
        same = same && is_same(o, out);
        out->rtol = fmin(out->rtol, o->rtol);
        out->atol = fmin(out->atol, o->atol);
    }
    const bool own = same || c->options->schedule[0];
    if (!c->merged || (own && !c->failed)) return YOKE_OK;
    return yoke_stepper_set(out, "method", "radau5", err);
}

static yoke_status find(const members *c, yoke_stepper_options *out,
                        yoke_err *err)
{
    const yoke_stepper_options standard = yoke_stepper_defaults();
    const yoke_iterate_options *o = &c->options->iterate;
    const yoke_stepper_options *found = NULL;

    for (int k = 0; k < c->count && !found; k++)
        found = yk_model_stepper(c->model, c->node[k]);
    *out = found ? *found : standard;
    YK_TRY(set_method(c, out, err));
    /* 0 is a tolerance for an iteration, but not for a stepper: one that chooses
     * its steps has the least instead, so that atol alone counts there too. */
    const bool fixed = yoke_stepper_is_fixed(out->method);
    if (out->rtol == standard.rtol && (o->rtol > 0.0 || !fixed))
        out->rtol = o->rtol > 0.0 ? o->rtol : YK_DECIDE_LEAST_RTOL;
    if (out->atol == standard.atol && (o->atol > 0.0 || !fixed))
        out->atol = o->atol;
    if (!fixed && !(out->atol > 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "atol = 0: values that pass through 0 would have to be "
                       "exact; give the size below which nothing matters, such "
                       "as atol = 1e-15");
    for (int k = 0; k < c->count; k++)
        if (yk_is_wave_port(yoke_graph_system(c->model->graph, c->node[k]))) {
            out->rtol =
                fmax(YK_DECIDE_WAVE_PORT * out->rtol, YK_DECIDE_LEAST_RTOL);
            out->atol *= YK_DECIDE_WAVE_PORT;
            break;
        }
    set_step(out, c->options->step);
    return YOKE_OK;
}

yoke_status yk_ladder_stepper(const yk_ladder *l, const yk_cluster *c,
                              bool one_sweep, yoke_stepper_options *out,
                              yoke_err *err)
{
    const int *base = l->tally->alone->cluster;
    members m = { l->model, l->options, c->nodes, c->node,
                  .failed = l->robust };

    for (int k = 1; k < c->nodes; k++)
        if (base[c->node[k]] != base[c->node[k - 1]]) m.merged = true;
    YK_TRY(find(&m, out, err));
    const double sharp = yk_ladder_sharp(l, c->nodes, c->node);
    if (out->rtol == l->options->iterate.rtol) out->rtol *= sharp;
    if (out->atol == l->options->iterate.atol) out->atol *= sharp;
    if (one_sweep) out->warm = false;
    out->inputs = c->input;
    out->join = c->join;
    out->span = l->options->stop - l->options->start;
    if (l->watcher->stop) {
        out->stop = l->watcher->stop;
        out->stop_context = l->watcher->context;
    }
    return YOKE_OK;
}

/* A closed part whose steps are given, by the user or by itself. */
static bool is_stepped(const yk_closed *closed, const yoke_stepper_options *o)
{
    return closed && (o->step > 0.0 ||
                      (closed->grain && closed->grain(closed->self, o) > 0.0));
}

bool yk_ladder_is_tested(const yk_ladder *l, int node)
{
    const members m = { l->model, l->options, 1, &node, .failed = l->robust };
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(l->graph, node));
    yoke_stepper_options o;

    return find(&m, &o, NULL) == YOKE_OK && !yoke_stepper_is_fixed(o.method) &&
           !is_stepped(f->closed, &o) && o.rtol == l->options->iterate.rtol;
}

bool yk_ladder_has_tolerance(const yk_ladder *l, int node)
{
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(l->graph, node));

    return !f->closed && f->n > 0 && yk_ladder_is_tested(l, node);
}

yoke_status yk_model_find_stepper(const yoke_model *model,
                                  const yoke_run_options *options,
                                  const yoke_schedule *schedule, int i,
                                  yoke_stepper_options *out, yoke_err *err)
{
    members m = { .model = model, .options = options };
    int *node = NULL;

    YK_TRY(yk_ints(&node, (size_t)schedule->nodes, err));
    for (int k = 0; k < schedule->nodes; k++)
        if (schedule->cluster[k] == schedule->cluster[i]) node[m.count++] = k;
    m.node = node;
    const yoke_status status = find(&m, out, err);
    yk_free(node);
    return status;
}
