/* decide/stay.c -- which constraints stay apart from what they join, where the
 * program may choose.
 *
 * As one system the multiplier of a constraint between positions (index 3) has the
 * error c h^2 + 10 eps / h^2.  Where the mobility of what it joins is constant the
 * first term is nothing; where it changes with the position, as in a mechanism, steps
 * are several times as many as the states need, and below about 1e-6 no step is
 * right.  Apart the multiplier is as accurate as the states
 * (docs/methods/constraints.md).  So such constraints stay apart at tolerances of 1e-6
 * and less, where that costs at most a tenth more; all others are solved as one
 * with what they join, because small parts apart cost more per evaluation.
 *
 * Both are seen in what the multipliers do to the positions over a short step h, beside
 * the first point of the run, which may be a special one: Z falls with the square of h,
 * and is another one at that point.
 */
#include "decide/ladder.h"
#include "decide/policy.h"
#include "graph/graph.h"
#include "graph/constraint.h"
#include "sys/response.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is looked for in the parts that a constraint joins. */
typedef struct traits {
    bool deep;   /* its multiplier acts on second derivatives */
    bool curved; /* and not always in the same way */
} traits;

/* Is there a signal, to this input or from this output?  -1: any. */
static bool has_signal(const yk_ladder *l, int from, int output, int to,
                       int input)
{
    for (int k = 0; k < l->graph->links; k++) {
        const yoke_link *link = &l->graph->link[k];
        if (link->from == from && link->to == to &&
            (output < 0 || link->output == output) &&
            (input < 0 || link->input == input))
            return true;
    }
    return false;
}

/* Z over a step h; z[p * m]. */
static yoke_status answer(yk_response *r, double h, size_t size, double *z,
                          yoke_err *err)
{
    YK_TRY(yk_response_factor(r, 1.0 / h, err));
    memcpy(z, yk_response_matrix(r), size * sizeof *z);
    return YOKE_OK;
}

/* Entries of Z from the multipliers to what the constraint reads: z over h, `brief`
 * over a tenth of it, `beside` over h at the other point. */
static void compare(const yk_ladder *l, int constraint, int node,
                    const double *z, const double *brief, const double *beside,
                    traits *out)
{
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(l->graph, node));
    double most = 0.0, change = 0.0;

    for (int o = 0; o < f->p; o++)
        for (int j = 0; j < f->m; j++) {
            const int at = o * f->m + j;
            if (!has_signal(l, node, o, constraint, -1) ||
                !has_signal(l, constraint, -1, node, j))
                continue;
            if (fabs(z[at]) > most) {
                most = fabs(z[at]);
                out->deep = most > YK_DECIDE_SQUARE * fabs(brief[at]);
            }
            change = fmax(change, fabs(beside[at] - z[at]));
        }
    out->curved = change > YK_DECIDE_CURVED * most;
}

/* The unknowns beside x: each moved by a thousandth of its size. */
static void move(const yoke_system_info *f, const double *x, double *beside)
{
    for (int i = 0; i < f->n; i++) {
        const double size = f->nominal ? f->nominal[i] : 1.0;
        beside[i] = x[i] + YK_DECIDE_BESIDE * (i % 2 ? -1.0 : 1.0) *
                               fmax(fabs(x[i]), size);
    }
}

static yoke_status look_at(const yk_ladder *l, int constraint, int node,
                           traits *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system *const system = yoke_graph_system(l->graph, node);
    const yoke_system_info *f = yoke_system_facts(system);
    const size_t size = (size_t)f->p * (size_t)f->m;
    const double h =
        YK_DECIDE_SHORT_STEP * (l->options->stop - l->options->start);
    const double *x = l->initial->point.x[node], *u = l->initial->point.u[node];
    double *z = NULL, *brief = NULL, *beside = NULL, *other = NULL;
    yk_response *r = NULL;

    *out = (traits){ 0 };
    YK_GO(YK_DOUBLES(size + 1, err, &z, &brief, &beside));
    YK_GO(yk_doubles(&other, (size_t)f->n + 1, err));
    YK_GO(yk_response_create(&r, system, err));
    move(f, x, other);
    YK_GO(yk_response_linearise(r, l->options->start, other, u, err));
    YK_GO(answer(r, 0.1 * h, size, brief, err));
    YK_GO(answer(r, h, size, z, err));
    YK_GO(yk_response_linearise(r, l->options->start, x, u, err));
    YK_GO(answer(r, h, size, beside, err));
    compare(l, constraint, node, z, brief, beside, out);
done:
    yk_response_free(r);
    YK_FREE(z, brief, beside, other);
    return status;
}

static bool joins(const yk_ladder *l, int constraint, int node)
{
    return has_signal(l, constraint, -1, node, -1) ||
           has_signal(l, node, -1, constraint, -1);
}

/* Steps are chosen, and tell how positions move; nothing happens in it. */
static bool is_willing(const yk_ladder *l, int node)
{
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(l->graph, node));
    const yoke_stepper_options *o = yk_model_stepper(l->model, node);

    if (l->graph->node[node].is_constraint || f->closed || f->cells ||
        f->events > 0)
        return false;
    return !o || strcmp(o->method, "radau5") == 0;
}

/* Is this constraint better off apart? */
static yoke_status judge(const yk_ladder *l, int constraint, bool *apart,
                         yoke_err *err)
{
    const yoke_system *system = yoke_graph_system(l->graph, constraint);
    bool curved = !(yoke_system_facts(system)->flags & YOKE_AFFINE);

    *apart = false;
    if (!l->graph->node[constraint].may_stay ||
        yk_constraint_form(system) != YOKE_FORM_POSITION)
        return YOKE_OK;
    for (int i = 0; i < l->graph->nodes; i++) {
        traits t;
        if (!joins(l, constraint, i)) continue;
        if (!is_willing(l, i)) return YOKE_OK;
        YK_TRY(look_at(l, constraint, i, &t, err));
        if (!t.deep) return YOKE_OK;
        curved = curved || t.curved;
    }
    *apart = curved;
    return YOKE_OK;
}

static yoke_status part(yk_ladder *l, int constraint, yoke_err *err)
{
    yk_unit_plan *p = &l->units->plan[0];
    yoke_schedule *apart = NULL;
    char text[400];

    YK_TRY(yk_schedule_part(&apart, l->graph, p->schedule, false, err));
    if (!apart) return YOKE_OK;
    yoke_schedule_free(p->schedule);
    p->schedule = apart;
    l->apart = true;
    snprintf(text, sizeof text,
             "\"%.100s\" stays apart from what it joins: as one system its "
             "multipliers (index 3, of a mechanism) would need many times the "
             "steps, and would not be accurate to rtol = %.2g",
             yoke_system_name(yoke_graph_system(l->graph, constraint)),
             l->options->iterate.rtol);
    return yk_ladder_say(l, "apart", l->options->start, text, err);
}

/* All without a given owner, or none of them. */
yoke_status yk_ladder_stay(yk_ladder *l, yoke_err *err)
{
    int first = -1;

    if (l->joined || l->fixed ||
        !(l->options->iterate.rtol <= YK_DECIDE_INDEX3_RTOL))
        return YOKE_OK;
    for (int i = 0; i < l->graph->nodes; i++) {
        bool apart = false;
        if (!l->graph->node[i].is_constraint) continue;
        YK_TRY(judge(l, i, &apart, err));
        if (!apart) return YOKE_OK;
        if (first < 0) first = i;
    }
    return first < 0 ? YOKE_OK : part(l, first, err);
}
