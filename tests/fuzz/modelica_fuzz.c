/* tests/fuzz/modelica_fuzz.c -- the reader of equation models takes any bytes:
 * it gives a flat model or a message with a place.  In a flat model children
 * come before their parents and every element exists. */
#include "fuzz.h"

#include "comp/equation/front/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

/* The places of a reference over all rounds lie inside its variable. */
static void check_reference(const yk_flat *flat, const yk_flat_equation *e,
                            const yk_flat_node *n)
{
    double least = n->place[0], most = n->place[0];

    for (int k = 0; k < e->loops; k++) {
        const double first = (double)n->place[k + 1] * e->first[k];
        const double last =
            n->place[k + 1] * (e->first[k] + (e->count[k] - 1.0) * e->step[k]);
        least += fmin(first, last);
        most += fmax(first, last);
    }
    for (int k = e->loops; k < YK_FLAT_LOOPS; k++) check(n->place[k + 1] == 0);
    check(n->variable >= 0 && n->variable < flat->variables);
    check(least >= 0.0 && most < flat->variable[n->variable].count);
}

static void check_children(const yk_flat *flat, int number)
{
    const yk_flat_node *n = &flat->node[number];

    if (n->op == YK_OP_INDEX) {
        check(n->a >= 0 && n->a < YK_FLAT_LOOPS);
        return;
    }
    check(n->a < number && n->b < number && n->c < number);
    check(n->op != YK_OP_NUMBER || isfinite(n->number));
    if (n->op > YK_OP_PRE) check(n->a >= 0);
}

static void check_tree(const yk_flat *flat, const yk_flat_equation *e,
                       int number, int depth)
{
    const yk_flat_node *n = &flat->node[number];

    check(number >= 0 && number < flat->nodes);
    if (depth > 20 || n->op == YK_OP_INDEX) return;
    if (n->op == YK_OP_REFER || (n->op == YK_OP_DER && n->a < 0) ||
        n->op == YK_OP_PRE)
        check_reference(flat, e, n);
    if (n->a >= 0) check_tree(flat, e, n->a, depth + 1);
    if (n->b >= 0) check_tree(flat, e, n->b, depth + 1);
    if (n->c >= 0) check_tree(flat, e, n->c, depth + 1);
}

static void check_flat(const yk_flat *flat)
{
    const yk_flat_equation single = { 0 };

    for (int i = 0; i < flat->nodes; i++) check_children(flat, i);
    for (int i = 0; i < flat->equations && i < 1000; i++) {
        const yk_flat_equation *e = &flat->equation[i];
        for (int k = 0; k < e->loops; k++)
            check(e->count[k] > 0 && e->step[k] != 0);
        check_tree(flat, e, e->left, 0);
        check_tree(flat, e, e->right, 0);
    }
    for (int i = 0; i < flat->events; i++) {
        const yk_flat_event *e = &flat->event[i];
        if (e->kind != YK_FLAT_ALWAYS)
            check_tree(flat, &single, e->condition, 0);
        for (int k = 0; k < e->actions; k++) {
            const int variable = e->action[k].variable;
            check(variable >= 0 && variable < flat->variables);
            check(e->action[k].place >= 0 &&
                  e->action[k].place < flat->variable[variable].count);
            check_tree(flat, &single, e->action[k].value, 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const yoke_parameter parameter[] = { { "n", 3.0 } };
    const yoke_equation_options options = { .parameters = (int)(size % 2),
                                            .parameter = parameter };
    yk_flat *flat = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status = yk_equation_front(
        &flat, "fuzz", (const char *)data, size, &options, &err);

    if (status == YOKE_OK) {
        check_flat(flat);
    } else {
        check(flat == NULL && status < 0);
        check(status == YOKE_E_MEMORY || strncmp(err.text, "fuzz:", 5) == 0);
    }
    yk_flat_free(flat);
    return 0;
}

FUZZ_MAIN("modelica");
