/* comp/netlist/circuit/part_why.c -- which expression of a part has no value, or
 * comes to the end of where it has one. */
#include "base/text.h"
#include "comp/netlist/circuit/part.h"
#include "expr/why.h"

#include <stdio.h>
#include <string.h>

static bool is_in_row(const yk_part_function *fn, int row)
{
    return fn->expr && (fn->row[0] == row || fn->row[1] == row);
}

/* The values of the steps of an expression at z, into fn->work. */
static void steps_of(const yk_net_part *p, const yk_part_function *fn, double t)
{
    yk_part_values(p, fn, fn->expr->step, fn->expr->steps, t);
}

/* "; the values are v(a, b) = 1". */
static void add_argument(const yk_net_part *p, const yk_part_function *fn,
                         int v, char *text, size_t size)
{
    const yk_netlist *net = p->circuit->net;
    const yk_net_var *var = &fn->expr->var[v];
    const bool two = !var->is_current && var->b != 0;

    yk_append(text, size, "%s%c(%.60s%s%.60s) = %.6g",
              v == 0 ? "; the values are " : ", ", var->is_current ? 'i' : 'v',
              var->is_current ? net->element[var->a].name : net->node[var->a],
              two ? ", " : "", two ? net->node[var->b] : "", fn->arg[v]);
}

/* "x.cir:4: b1 comes to sqrt(-1): ...; the values are v(in) = -1". */
static void describe(yk_net_part *p, const yk_part_function *fn,
                     const yoke_question *ask, const char *why, char *text,
                     size_t size)
{
    const yk_net_element *el = &p->circuit->net->element[fn->element];

    yk_part_gather(p, ask->t, ask->x, ask->u);
    steps_of(p, fn, ask->t);
    snprintf(text, size, "%.100s:%d: %.60s%s%.300s", el->at.file, el->at.line,
             el->name, ask->row < 0 ? " comes to " : ", ", why);
    for (int v = 0; v < fn->expr->vars && v < 4; v++)
        add_argument(p, fn, v, text, size);
}

/* The first expression of the row that has no value. */
static bool explain_row(yk_net_part *p, yoke_question *ask, char *text,
                        size_t size)
{
    char why[300];

    yk_part_gather(p, ask->t, ask->x, ask->u);
    for (int k = 0; k < p->functions; k++) {
        const yk_part_function *fn = &p->function[k];
        if (!is_in_row(fn, ask->row)) continue;
        steps_of(p, fn, ask->t);
        if (!yk_expr_blame(fn->expr->step, fn->expr->steps, fn->work, why,
                           sizeof why))
            continue;
        describe(p, fn, ask, why, text, size);
        ask->row = -1;
        return true;
    }
    return false;
}

/* Of one function, whose values at both points are wanted. */
static bool nears_edge(yk_net_part *p, const yk_part_function *fn,
                       const yoke_question *ask, double *most, char *why,
                       size_t size)
{
    const int steps = fn->expr->steps;
    double *now = NULL;

    if (yk_doubles(&now, (size_t)steps, NULL) != YOKE_OK) return false;
    yk_part_gather(p, ask->t, ask->x, ask->u);
    steps_of(p, fn, ask->t);
    memcpy(now, fn->work, (size_t)steps * sizeof *now);
    yk_part_gather(p, ask->t_next, ask->x_next, ask->u_next);
    steps_of(p, fn, ask->t_next);
    const bool found = yk_expr_blame_edge(fn->expr->step, steps, now, fn->work,
                                          most, why, size);
    yk_free(now);
    return found;
}

static bool explain_edge(yk_net_part *p, yoke_question *ask, char *text,
                         size_t size)
{
    double most = ask->least;
    char why[300];

    for (int k = 0; k < p->functions; k++) {
        const yk_part_function *fn = &p->function[k];
        if (!fn->expr || !nears_edge(p, fn, ask, &most, why, sizeof why))
            continue;
        describe(p, fn, ask, why, text, size);
    }
    return most > ask->least;
}

bool yk_part_explain(void *self, yoke_question *ask, char *text, size_t size)
{
    return ask->row < 0 ? explain_edge(self, ask, text, size)
                        : explain_row(self, ask, text, size);
}
