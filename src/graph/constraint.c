/* graph/constraint.c -- 0 = g(t, y) as a subsystem.
 *
 * Unknowns: the multipliers, which do not occur in g.  Inputs: the outputs that
 * g reads.  C = G = 0; only in a cluster with a subsystem on which the
 * multipliers act is there anything to solve.
 *
 * In the form velocity it reads W y' = d', in the form damped W y' + eta W y =
 * d' + eta d, in the form stabilised
 *
 *     W y'' + 2 eta W y' + eta^2 W y = d'' + 2 eta d' + eta^2 d,
 *
 * with y' and y'' from the outputs "y.v" and "y.a": linear equations in more
 * inputs, nothing else.
 */
#include "base/text.h"
#include "graph/constraint.h"
#include "graph/graph.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void constraint_free(void *self)
{
    yk_constraint *c = self;

    if (!c) return;
    yk_free(c->weight);
    yoke_pattern_free(c->places);
    YK_FREE(c->d, c);
}

/* f = d(t) as the form has it. */
static void offset(const yk_constraint *c, double t, double *f)
{
    if (c->form == YOKE_FORM_POSITION && !c->rates) {
        c->offset(c->context, t, f);
        return;
    }
    c->offset(c->context, t, c->d);
    for (int i = 0; i < c->count; i++)
        for (int l = 0; l < YK_LEVELS; l++)
            f[i] += c->part[l] * c->d[l * c->count + i];
}

static yoke_status constraint_eval(void *self, double t, const double *x,
                                   const double *u, double *q, double *f,
                                   yoke_err *err)
{
    const yk_constraint *c = self;

    (void)x, (void)err;
    for (int i = 0; q && i < c->count; i++) q[i] = 0.0;
    if (!f) return YOKE_OK;
    if (c->function) {
        c->function(c->context, t, u, f);
        return YOKE_OK;
    }
    for (int i = 0; i < c->count; i++) f[i] = 0.0;
    if (c->offset) offset(c, t, f);
    for (int i = 0; i < c->count; i++) {
        double sum = 0.0;
        for (int j = 0; j < c->inputs; j++)
            sum += c->weight[i * c->inputs + j] * u[j];
        f[i] = sum - f[i];
    }
    return YOKE_OK;
}

static yoke_status constraint_jacobian(void *self, double t, const double *x,
                                       const double *u,
                                       const yoke_jacobian *jac, yoke_err *err)
{
    const yk_constraint *c = self;

    (void)x, (void)err;
    if (c->slopes && jac->Gu) c->slopes(c->context, t, u, c->weight);
    for (int j = 0; jac->Gu && j < c->inputs; j++)
        for (int k = c->places->start[j]; k < c->places->start[j + 1]; k++)
            jac->Gu[k] = c->weight[c->places->row[k] * c->inputs + j];
    for (int i = 0; jac->Hx && i < c->count; i++) jac->Hx[i] = 1.0;
    return YOKE_OK;
}

static double constraint_next_break(void *self, double t)
{
    const yk_constraint *c = self;

    return c->next_break ? c->next_break(c->context, t) : INFINITY;
}

/* ---- events -------------------------------------------------------------- */

static yoke_status indicate(void *self, double t, const double *x,
                            const double *u, double *g, yoke_err *err)
{
    const yk_constraint *c = self;

    return c->events->ops->indicate(c->context, t, x, u, g, err);
}

static yoke_status apply(void *self, double t, const double *x, const double *u,
                         const bool *happened, double *x_new, yoke_err *err)
{
    const yk_constraint *c = self;

    return c->events->ops->apply(c->context, t, x, u, happened, x_new, err);
}

static yoke_status settle(void *self, double t, const double *x,
                          const double *u, double *x_new, bool *changed,
                          yoke_err *err)
{
    const yk_constraint *c = self;

    return c->events->ops->settle(c->context, t, x, u, x_new, changed, err);
}

static void about(void *self, int k, yoke_event_about *out)
{
    const yk_constraint *c = self;

    c->events->ops->about(c->context, k, out);
}

static void constraint_save(void *self, void *bytes)
{
    const yk_constraint *c = self;

    c->events->save(c->context, bytes);
}

static void constraint_restore(void *self, const void *bytes)
{
    const yk_constraint *c = self;

    c->events->restore(c->context, bytes);
}

static const yoke_event_ops event_ops = {
    .indicate = indicate, .apply = apply, .settle = settle, .about = about
};

static const yoke_system_ops constraint_ops = {
    .kind = "constraint",
    .eval = constraint_eval,
    .next_break = constraint_next_break,
    .free = constraint_free,
};
static const yoke_system_ops exact_ops = {
    .kind = "constraint",
    .eval = constraint_eval,
    .jacobian = constraint_jacobian,
    .next_break = constraint_next_break,
    .free = constraint_free,
};
static const yoke_system_ops switched_ops = {
    .kind = "constraint",
    .eval = constraint_eval,
    .jacobian = constraint_jacobian,
    .next_break = constraint_next_break,
    .save = constraint_save,
    .restore = constraint_restore,
    .free = constraint_free,
};

static yoke_status check(const char *name, const yoke_constraint *given,
                         yoke_err *err)
{
    if (given->count < 1 || given->outputs < 1 || !given->output)
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\" has %d equations in "
                       "%d outputs; both must be at least 1",
                       name, given->count, given->outputs);
    if (!given->weight == !given->function)
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\" needs either "
                       "weights or a function",
                       name);
    if (given->form != YOKE_FORM_POSITION && !given->weight)
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\": only a linear constraint with "
                       "constant weights can be differentiated; solve this "
                       "one in the form position",
                       name);
    if ((given->form == YOKE_FORM_STABILISED ||
         given->form == YOKE_FORM_DAMPED) &&
        !(isfinite(given->eta) && given->eta > 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\": eta = %g 1/s; this form "
                       "needs more than 0: about 1 over the time in which an "
                       "error may die out",
                       name, given->eta);
    return YOKE_OK;
}

/* ---- forms --------------------------------------------------------------- */

/* The constraint in the outputs y, y.v, y.a that its form reads. */
typedef struct expanded {
    yoke_constraint to;
    char **output;
    double *weight;
} expanded;

static void expanded_clear(expanded *e)
{
    for (int j = 0; e->output && j < e->to.outputs; j++) yk_free(e->output[j]);
    YK_FREE(e->output, e->weight);
}

static void parts_of(const yoke_constraint *given, double part[YK_LEVELS])
{
    const double eta = given->eta;
    const bool whole = given->form == YOKE_FORM_STABILISED;
    const bool damped = given->form == YOKE_FORM_DAMPED;

    part[0] = whole    ? eta * eta
              : damped ? eta
                       : given->form == YOKE_FORM_POSITION;
    part[1] = whole ? 2.0 * eta : damped || given->form == YOKE_FORM_VELOCITY;
    part[2] = whole;
}

static yoke_status level_name(char **out, const char *name, int level,
                              yoke_err *err)
{
    static const char *const tail[YK_LEVELS] = { "", ".v", ".a" };

    return yk_print(out, err, "%s%s", name, tail[level]);
}

static yoke_status expand(expanded *e, const yoke_constraint *given,
                          yoke_err *err)
{
    double part[YK_LEVELS];
    int levels = 0;

    e->to = *given;
    if (given->form == YOKE_FORM_POSITION) return YOKE_OK;
    parts_of(given, part);
    for (int l = 0; l < YK_LEVELS; l++) levels += part[l] != 0.0;
    e->to.outputs = levels * given->outputs;
    YK_TRY(YK_NEW(&e->output, e->to.outputs, err));
    YK_TRY(yk_doubles(&e->weight, (size_t)given->count * (size_t)e->to.outputs,
                      err));
    for (int l = 0, at = 0; l < YK_LEVELS; l++) {
        if (part[l] == 0.0) continue;
        for (int j = 0; j < given->outputs; j++, at++) {
            YK_TRY(level_name(&e->output[at], given->output[j], l, err));
            for (int i = 0; i < given->count; i++)
                e->weight[i * e->to.outputs + at] =
                    part[l] * given->weight[i * given->outputs + j];
        }
    }
    e->to.output = (const char *const *)e->output;
    e->to.weight = e->weight;
    return YOKE_OK;
}

static yoke_status find_places(yk_constraint *c, const bool *reads,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int size = c->count * c->inputs;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS((size_t)size, err, &row, &col));
    for (int k = 0; k < size; k++) {
        if (c->function ? reads && !reads[k] : c->weight[k] == 0.0) continue;
        row[count] = k / c->inputs;
        col[count++] = k % c->inputs;
    }
    YK_GO(yoke_pattern_create(&c->places, c->count, c->inputs, count, row, col,
                              err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status copy(yk_constraint **out, const yoke_constraint *given,
                        yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_constraint *c = NULL;

    YK_TRY(YK_NEW(&c, 1, err));
    c->count = given->count;
    c->inputs = given->outputs;
    c->offset = given->offset;
    c->function = given->function;
    c->slopes = given->slopes;
    c->context = given->context;
    c->next_break = given->next_break;
    c->form = given->form;
    c->rates = given->rates;
    parts_of(given, c->part);
    YK_GO(yk_doubles(&c->d, YK_LEVELS * (size_t)given->count, err));
    if (given->weight)
        YK_GO(yk_copy_doubles(&c->weight, given->weight,
                              (size_t)given->count * (size_t)given->outputs,
                              err));
    else if (given->slopes)
        YK_GO(yk_doubles(&c->weight,
                         (size_t)given->count * (size_t)given->outputs, err));
    if (c->weight) YK_GO(find_places(c, given->reads, err));
    *out = c;
    c = NULL;
done:
    constraint_free(c);
    return status;
}

/* "lambda" or "lambda1", "lambda2", ... */
static yoke_status multiplier_names(char ***names, char **text, int count,
                                    yoke_err *err)
{
    YK_TRY(YK_NEW(names, count, err));
    YK_TRY(yk_alloc((void **)text, (size_t)count, 24, err));
    for (int i = 0; i < count; i++) {
        (*names)[i] = *text + 24 * i;
        if (count == 1)
            snprintf((*names)[i], 24, "lambda");
        else
            snprintf((*names)[i], 24, "lambda%d", i + 1);
    }
    return YOKE_OK;
}

static yoke_status create(yoke_system **out, const char *name,
                          const yoke_constraint *given,
                          const yk_constraint_events *events, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_constraint *c = NULL;
    yoke_pattern *none = NULL, *no_charge = NULL;
    char **names = NULL, *text = NULL;

    YK_GO(copy(&c, given, err));
    c->events = events;
    if (!given->multiplier)
        YK_GO(multiplier_names(&names, &text, given->count, err));
    YK_GO(yk_pattern_empty(&none, given->count, given->count, err));
    YK_GO(yk_pattern_empty(&no_charge, given->count, given->outputs, err));
    const yoke_system_info info = {
        .n = given->count,
        .m = given->outputs,
        .flags = (given->weight ? YOKE_AFFINE | YOKE_TIMELESS : 0u) |
                 (given->weight && !given->offset ? YOKE_PARALLEL : 0u),
        .x0 = given->start,
        .x_name = names ? (const char *const *)names : given->multiplier,
        .u_name = given->output,
        .C = none,
        .G = none,
        .Cu = no_charge,
        .Gu = c->places,
        .events = events ? events->count : 0,
        .event = events ? &event_ops : NULL,
        .memory_bytes = events ? events->memory_bytes : 0,
    };
    yk_constraint *self = c;
    c = NULL; /* taken, also on failure */
    const yoke_system_ops *ops = events         ? &switched_ops
                                 : self->places ? &exact_ops
                                                : &constraint_ops;
    YK_GO(yoke_system_create(out, name, ops, self, &info, err));
    if (given->straight)
        (*out)->info.flags |= YOKE_TIMELESS;
    else if (given->offset)
        (*out)->info.flags &= ~YOKE_TIMELESS;
done:
    constraint_free(c);
    yoke_pattern_free(none);
    yoke_pattern_free(no_charge);
    YK_FREE(names, text);
    return status;
}

void yk_constraint_along(yoke_system *system,
                         void (*along)(void *context, double t, const double *y,
                                       const double *rate, double *g))
{
    ((yk_constraint *)system->self)->along = along;
}

yoke_form yk_constraint_form(const yoke_system *system)
{
    return ((const yk_constraint *)system->self)->form;
}

/* The inputs that belong to one level, and their weights without its factor.
 * False if the form does not read them. */
typedef struct level_part {
    int first, outputs;
    double factor;
} level_part;

static bool find_level(const yk_constraint *c, int level, level_part *out)
{
    int levels = 0, before = 0;

    for (int l = 0; l < YK_LEVELS; l++) {
        levels += c->part[l] != 0.0;
        before += l < level && c->part[l] != 0.0;
    }
    if (c->part[level] == 0.0) return false;
    const int outputs = c->inputs / levels;
    *out = (level_part){ before * outputs, outputs, 1.0 / c->part[level] };
    return true;
}

bool yk_constraint_residual(const yoke_system *system, double t,
                            const double *u, int level, double *residual,
                            double *size)
{
    const yk_constraint *c = system->self;
    level_part part;

    if (!find_level(c, level, &part)) return false;
    if (c->function) {
        c->function(c->context, t, u, residual);
        for (int i = 0; i < c->count; i++) size[i] = 1.0;
        return true;
    }
    memset(c->d, 0, YK_LEVELS * (size_t)c->count * sizeof *c->d);
    if (c->offset) c->offset(c->context, t, c->d);
    for (int i = 0; i < c->count; i++) {
        const double *const w = c->weight + i * c->inputs + part.first;
        const double d = c->d[level * c->count + i];
        residual[i] = -d;
        size[i] = fabs(d);
        for (int j = 0; j < part.outputs; j++) {
            const double term = part.factor * w[j] * u[part.first + j];
            residual[i] += term;
            size[i] += fabs(term);
        }
    }
    return true;
}

/* "a.x = 1.5, b.x = 1.5": the nearest values of the outputs of row i. */
static void nearest(const yoke_system *system, const double *u, int level,
                    int i, double residual, char *text, size_t room)
{
    const yk_constraint *c = system->self;
    const double *const w = c->weight + i * c->inputs;
    level_part part;
    double square = 0.0;

    text[0] = '\0';
    if (!find_level(c, level, &part)) return;
    for (int j = 0; j < part.outputs; j++)
        square +=
            part.factor * part.factor * w[part.first + j] * w[part.first + j];
    for (int j = part.first; j < part.first + part.outputs; j++) {
        if (w[j] == 0.0) continue;
        yk_append(text, room, "%s%.60s = %.9g", text[0] ? ", " : "",
                  system->info.u_name[j],
                  u[j] - part.factor * w[j] * residual / square);
    }
}

static yoke_status blame_start(const yoke_system *system, const double *u,
                               int level, int i, double residual, yoke_err *err)
{
    const yk_constraint *c = system->self;
    const char *what = level ? "velocities" : "positions";
    char text[400];

    if (c->function)
        return yk_fail(err, YOKE_E_MODEL,
                       "constraint \"%s\": the values at the start do not "
                       "satisfy equation %d: it is %g instead of 0",
                       system->name, i + 1, residual);
    nearest(system, u, level, i, residual, text, sizeof text);
    return yk_fail(err, YOKE_E_MODEL,
                   "constraint \"%s\": the %s at the start do not satisfy "
                   "equation %d: it is %g instead of 0; the nearest that do "
                   "are %s",
                   system->name, what, i + 1, residual, text);
}

yoke_status yk_constraint_start(const yoke_system *system, double t,
                                const double *u, bool given, yoke_err *err)
{
    static const double consistent = 1e-6;
    const yk_constraint *c = system->self;
    yoke_status status = YOKE_OK;
    double *residual = NULL, *size = NULL;

    if (c->form == YOKE_FORM_POSITION && !given) return YOKE_OK;
    if (c->form == YOKE_FORM_STABILISED && given) return YOKE_OK;
    YK_GO(YK_DOUBLES((size_t)c->count, err, &residual, &size));
    for (int level = 0; level < 2; level++) {
        if (!yk_constraint_residual(system, t, u, level, residual, size))
            continue;
        for (int i = 0; i < c->count; i++)
            if (!(fabs(residual[i]) <= consistent * (1.0 + size[i])))
                YK_GO(blame_start(system, u, level, i, residual[i], err));
    }
done:
    YK_FREE(residual, size);
    return status;
}

/* Links from the outputs it reads, placed behind the graph's own; they count
 * only when the subsystem is in. */
static yoke_status prepare_links(yoke_graph *graph,
                                 const yoke_constraint *given, yoke_err *err)
{
    YK_TRY(YK_GROW(&graph->link, &graph->link_room,
                   (size_t)graph->links + (size_t)given->outputs, err));
    for (int j = 0; j < given->outputs; j++) {
        yoke_link *link = &graph->link[graph->links + j];
        *link = (yoke_link){ .to = graph->nodes, .input = j, .weight = 1.0 };
        const yoke_status status = yk_graph_port(
            graph, given->output[j], false, &link->from, &link->output, err);
        if (status != YOKE_OK && given->form != YOKE_FORM_POSITION)
            yk_suffix(err,
                      "; the form of the constraint reads velocities and "
                      "accelerations: outputs of mechanisms and wires have "
                      "them as NAME.v and NAME.a, those of an FMU where it "
                      "declares the derivative of NAME; a program can name an "
                      "output NAME.v");
        YK_TRY(status);
    }
    return YOKE_OK;
}

static yoke_status add(yoke_graph *graph, const char *name,
                       const yoke_constraint *given,
                       const yk_constraint_events *events, yoke_err *err)
{
    yoke_system *system = NULL;

    YK_TRY(prepare_links(graph, given, err));
    if (given->owner && yoke_graph_find(graph, given->owner) < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\": there is no "
                       "subsystem \"%s\" to own it",
                       name, given->owner);
    YK_TRY(create(&system, name, given, events, err));
    YK_TRY(yk_graph_add(graph, system, err));
    graph->node[graph->nodes - 1].is_constraint = true;
    graph->node[graph->nodes - 1].may_stay = given->owner && given->may_stay;
    graph->links += given->outputs;
    return given->owner ? yk_graph_own(graph, name, given->owner, err)
                        : YOKE_OK;
}

yoke_status yk_graph_constraint(yoke_graph *graph, const char *name,
                                const yoke_constraint *given,
                                const yk_constraint_events *events,
                                yoke_err *err)
{
    expanded e = { 0 };

    YK_TRY(check(name, given, err));
    yoke_status status = expand(&e, given, err);
    if (status == YOKE_OK) status = add(graph, name, &e.to, events, err);
    expanded_clear(&e);
    return status;
}

yoke_status yoke_graph_constraint(yoke_graph *graph, const char *name,
                                  const yoke_constraint *given, yoke_err *err)
{
    return yk_graph_constraint(graph, name, given, NULL, err);
}
