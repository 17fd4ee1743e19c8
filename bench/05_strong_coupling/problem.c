/* problem.c -- random coupled problems with known solutions. */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const family_name[FAMILIES] = {
    "states", "loop", "circuit", "velocity", "position", "stabilised"
};

/* ---- drawing ------------------------------------------------------------- */

course problem_course(dice *d, double size)
{
    static const double share[BASIS] = { 0.6, 0.5, 0.5, 0.1, 0.1, 0.4 };
    course f;

    for (int k = 0; k < BASIS; k++)
        f.c[k] = size * share[k] * dice_between(d, -1.0, 1.0);
    return f;
}

void problem_signal(problem *p, int to, int input, int from, int output,
                    double weight)
{
    if (p->links == MOST_LINKS) return;
    p->link[p->links++] = (yoke_link){ to, input, from, output, weight };
}

static void draw_frame(problem *p, dice *d)
{
    memset(p, 0, sizeof *p);
    p->stop = 1.0;
    p->parts = 2 + dice_pick(d, MOST_PARTS - 1);
    if (dice_flip(d))
        p->parts = 2 + dice_pick(d, 3); /* small ones are common */
    p->nonlinear = dice_flip(d);
    p->basis.slow = dice_between(d, 1.0, 5.0);
    p->basis.fast = dice_between(d, 8.0, 20.0);
    p->basis.decay = dice_between(d, 0.5, 5.0);
    p->eta = dice_between(d, 1.0, 20.0);
    for (int i = 0; i < p->parts; i++) {
        p->order[i] = i;
        p->part[i].basis = &p->basis;
        snprintf(p->part[i].name, sizeof p->part[i].name, "p%d", i + 1);
    }
    dice_shuffle(d, p->parts, p->order);
}

static void write_schedule(problem *p)
{
    size_t used = 0;
    const size_t room = sizeof p->schedule;

    for (int k = 0; k < p->parts; k++) {
        const int i = p->order[k];
        const size_t named = strlen(p->names);
        snprintf(p->names + named, sizeof p->names - named, "%s%s",
                 k ? " " : "", p->part[i].name);
        used += (size_t)snprintf(p->schedule + used, room - used, "%s%s",
                                 k ? " > " : "", p->part[i].name);
        for (int j = 0; j < p->joints; j++)
            if (p->joint[j].owner == i)
                used += (size_t)snprintf(p->schedule + used, room - used,
                                         " + %s", p->joint[j].name);
    }
}

/* What the links bring to the inputs. */
static void exact_inputs(problem *p)
{
    for (int k = 0; k < p->links; k++) {
        const yoke_link *l = &p->link[k];
        course_add(&p->part[l->to].u[l->input], l->weight,
                   &p->part[l->from].y[l->output]);
    }
}

static bool draw(problem *p, dice *d, family which, double alpha)
{
    draw_frame(p, d);
    p->family = which;
    switch (which) {
    case STATES:
        return draw_states(p, d, alpha);
    case LOOP:
        return draw_loop(p, d, alpha);
    default:
        return draw_network(p, d, alpha);
    }
}

void problem_draw(problem *p, unsigned long seed, unsigned long number)
{
    dice d = dice_of(seed, number);
    const double alpha = dice_log(&d, -2.0, 4.0);

    while (!draw(p, &d, (family)(number % FAMILIES), alpha)) {
    }
    exact_inputs(p);
    write_schedule(p);
}

/* ---- the model ----------------------------------------------------------- */

static void offset_and_derivatives(void *context, double t, double *d)
{
    const joint *j = context;

    for (int k = 0; k < j->rows; k++) {
        const course v = course_derivative(j->basis, &j->offset[k]);
        const course a = course_derivative(j->basis, &v);
        d[k] = course_at(j->basis, &j->offset[k], t);
        d[j->rows + k] = course_at(j->basis, &v, t);
        d[2 * j->rows + k] = course_at(j->basis, &a, t);
    }
}

static yoke_form form_of(family f)
{
    if (f == VELOCITY) return YOKE_FORM_VELOCITY;
    if (f == STABILISED) return YOKE_FORM_STABILISED;
    return YOKE_FORM_POSITION;
}

static yoke_status add_joint(yoke_graph *graph, problem *p, joint *j,
                             yoke_err *err)
{
    enum { MOST = MOST_PARTS * MOST_ROWS };
    char text[MOST][24];
    const char *output[MOST];
    double weight[MOST_ROWS * MOST] = { 0.0 }, start[MOST_ROWS];
    const int outputs = j->members * j->rows;

    for (int m = 0; m < j->members; m++)
        for (int k = 0; k < j->rows; k++) {
            const int at = m * j->rows + k;
            snprintf(text[at], sizeof text[at], "%s.%s",
                     p->part[j->part[m]].name, j->base[k]);
            output[at] = text[at];
            weight[k * outputs + at] = 1.0;
        }
    for (int k = 0; k < j->rows; k++)
        start[k] = course_at(&p->basis, &j->lambda[k], 0.0);
    const yoke_form form = form_of(p->family);
    const yoke_constraint given = {
        .count = j->rows,
        .outputs = outputs,
        .output = output,
        .weight = weight,
        .offset = offset_and_derivatives,
        .rates = true,
        .context = j,
        .form = form,
        .eta = p->eta,
        .start = start,
        .owner = p->part[j->owner].name,
        .may_stay = !p->owned,
    };
    return yoke_graph_constraint(graph, j->name, &given, err);
}

static yoke_status connect(yoke_graph *graph, const problem *p,
                           const yoke_link *l, yoke_err *err)
{
    const part *to = &p->part[l->to], *from = &p->part[l->from];
    char input[32], out[32];

    snprintf(input, sizeof input, "%s.u%d", to->name, l->input + 1);
    snprintf(out, sizeof out, "%s.y%d", from->name, l->output + 1);
    return yoke_graph_signal(graph, input, out, l->weight, err);
}

/* Multiplier k of the joint is the input of member m behind those of the rows
 * before it; inputs and first-level outputs of a joint are numbered alike. */
static yoke_status connect_joint(yoke_graph *graph, const problem *p,
                                 const joint *j, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    for (int m = 0; m < j->members; m++)
        for (int k = 0; k < j->rows && status == YOKE_OK; k++) {
            char input[32], from[32];
            snprintf(input, sizeof input, "%s.u%d", p->part[j->part[m]].name,
                     j->output[m] + k + 1);
            if (j->rows == 1)
                snprintf(from, sizeof from, "%s.lambda", j->name);
            else
                snprintf(from, sizeof from, "%s.lambda%d", j->name, k + 1);
            status = yoke_graph_signal(graph, input, from, 1.0, err);
        }
    return status;
}

static yoke_status fill(yoke_model *model, problem *p, yoke_err *err)
{
    yoke_graph *graph = yoke_model_graph(model);
    yoke_status status = YOKE_OK;

    for (int i = 0; i < p->parts && status == YOKE_OK; i++) {
        yoke_system *system = NULL;
        status = part_system(&system, &p->part[i], err);
        if (status == YOKE_OK)
            status = yoke_model_add(model, system, NULL, err);
    }
    for (int k = 0; k < p->links && status == YOKE_OK; k++)
        status = connect(graph, p, &p->link[k], err);
    for (int k = 0; k < p->joints && status == YOKE_OK; k++)
        status = add_joint(graph, p, &p->joint[k], err);
    for (int k = 0; k < p->joints && status == YOKE_OK; k++)
        status = connect_joint(graph, p, &p->joint[k], err);
    return status;
}

yoke_status problem_model(yoke_model **out, problem *p, yoke_err *err)
{
    yoke_model *model = NULL;
    yoke_status status = yoke_model_create(&model, err);

    if (status == YOKE_OK) status = fill(model, p, err);
    if (status == YOKE_OK)
        *out = model;
    else
        yoke_model_free(model);
    return status;
}
