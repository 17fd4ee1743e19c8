/* iter/correct/precondition.c -- matrices at instants: the preconditioner of
 * Arnold and Guenther (2001), equations (2.12) to (2.14),
 *
 *     dw(t) = (I - A(t))^-1 r(t),
 *
 * with A by the sweep linearised at instants of the window, or given by the
 * user, as a function or as text:  row column value; row column value; ...
 */
#include "base/text.h"
#include "iter/correct/acceleration.h"
#include "iter/policy.h"
#include "la/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Parts of a window between instants with a matrix of their own. */
enum { MOST_PARTS = 16 };

typedef struct precondition {
    double *node; /* M at equal distances: parts + 1 matrices */
    int parts;
    double node_time, node_step; /* of the last one; step 0: not known */
    double *a, *column;          /* I - A of the user, factored; a vector */
    int *pivot;
} precondition;

static void precondition_free(void *self)
{
    precondition *c = self;

    if (!c) return;
    YK_FREE(c->node, c->a, c->column, c->pivot, c);
}

static yoke_status along_create(void **self, const yk_grid *g, yoke_err *err)
{
    precondition *c = NULL;

    YK_TRY(YK_NEW(&c, 1, err));
    *self = c;
    return yk_doubles(&c->node, (size_t)(g->size * g->size) * (MOST_PARTS + 1),
                      err);
}

static yoke_status given_create(void **self, const yk_grid *g, yoke_err *err)
{
    const size_t n = (size_t)g->size;
    precondition *c = NULL;

    YK_TRY(YK_NEW(&c, 1, err));
    *self = c;
    YK_TRY(yk_doubles(&c->a, n * n, err));
    YK_TRY(yk_doubles(&c->column, n, err));
    return yk_ints(&c->pivot, n, err);
}

/* ---- (2.14) along the window ---------------------------------------------- */

/* M at instant k of `parts` into its place. */
static yoke_status take_node(precondition *c, const yk_grid *g, int k,
                             int parts, double h, yoke_err *err)
{
    const size_t size = (size_t)(g->size * g->size);
    const double t = g->t0 + k * (g->t1 - g->t0) / parts;

    if (k == parts)
        YK_TRY(yk_interface_linearise(g->interface, h, g->name, err));
    else
        YK_TRY(yk_interface_linearise_at(g->interface, t, h, g->name, err));
    return yk_interface_inverse(g->interface, c->node + (size_t)k * size, err);
}

/* Largest entry of weight_a A + weight_b B - C, over that of C. */
static double distance(int size, const double *a, double weight_a,
                       const double *b, double weight_b, const double *from)
{
    double most = 0.0, largest = 0.0;

    for (int i = 0; i < size; i++) {
        most = fmax(most, fabs(weight_a * a[i] + weight_b * b[i] - from[i]));
        largest = fmax(largest, fabs(from[i]));
    }
    return largest > 0.0 ? most / largest : 0.0;
}

/* Twice as many instants.  *curved: the new ones are not on the line between
 * their neighbours. */
static yoke_status halve_parts(precondition *c, const yk_grid *g, double h,
                               bool *curved, yoke_err *err)
{
    const int size = g->size * g->size;
    const size_t bytes = (size_t)size * sizeof *c->node;

    for (int k = c->parts; k > 0; k--)
        memmove(c->node + 2 * k * size, c->node + k * size, bytes);
    c->parts *= 2;
    *curved = false;
    for (int k = 1; k < c->parts; k += 2) {
        const double *now = c->node + k * size;
        YK_TRY(take_node(c, g, k, c->parts, h, err));
        if (distance(size, now - size, 0.5, now + size, 0.5, now) >
            YK_ITER_LINEAR)
            *curved = true;
    }
    return YOKE_OK;
}

static yoke_status along_prepare(void *self, yk_grid *g, double h,
                                 yoke_err *err)
{
    precondition *c = self;
    const int size = g->size * g->size;
    const size_t bytes = (size_t)size * sizeof *c->node;
    const bool follows = c->node_step == h && c->node_time == g->t0;
    bool curved = true;

    if (follows) memcpy(c->node, c->node + c->parts * size, bytes);
    c->node_step = 0.0;
    c->parts = 1;
    if (!follows) YK_TRY(take_node(c, g, 0, 1, h, err));
    YK_TRY(take_node(c, g, 1, 1, h, err));
    if (distance(size, c->node, 1.0, c->node, 0.0, c->node + size) <=
        YK_ITER_APART)
        curved = false;
    while (curved && c->parts < MOST_PARTS)
        YK_TRY(halve_parts(c, g, h, &curved, err));
    return yk_rows_less_one(&g->m, g->size, c->node + c->parts * size, err);
}

static yoke_status along_apply(void *self, yk_grid *g, yoke_err *err)
{
    const precondition *c = self;
    const int n = g->size;

    (void)err;
    for (int k = 0; k <= g->steps; k++) {
        const double place = (double)k / g->steps * c->parts;
        const int part = place < c->parts ? (int)place : c->parts - 1;
        const double right = place - part, left = 1.0 - right;
        const double *a = c->node + part * n * n, *b = a + n * n;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += (left * a[i * n + j] + right * b[i * n + j]) *
                       g->r[k * n + j];
            g->dw[k * n + i] = sum;
        }
    }
    return YOKE_OK;
}

/* The last matrix begins the next window. */
static void along_accept(void *self, double time, double step)
{
    precondition *c = self;

    c->node_time = time;
    c->node_step = step;
}

/* ---- given by the user ---------------------------------------------------- */

/* I - A of the user at time t, factored. */
static yoke_status factor_given(precondition *c, const yk_grid *g, double t,
                                yoke_err *err)
{
    const int n = g->size;
    int row = -1;

    memset(c->a, 0, (size_t)(n * n) * sizeof *c->a);
    YK_TRY(g->options->preconditioner(g->options->preconditioner_context, t, n,
                                      g->name, c->a, err));
    if (!yk_all_finite(c->a, n * n, &row))
        return yk_fail(
            err, YOKE_E_ARG,
            "preconditioner: A is not finite at t = %g in the row of "
            "\"%.300s\"",
            t, g->name[row / n]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c->a[i * n + j] = (i == j) - c->a[i * n + j];
    const yoke_status status = yk_dense_factor(n, c->a, c->pivot, &row, NULL);
    if (status <= 0) return status;
    return yk_fail(err, YOKE_E_ARG,
                   "preconditioner: I - A is singular at t = %g, in the row of "
                   "\"%.300s\"",
                   t, g->name[row]);
}

/* M at the end of the window. */
static yoke_status given_prepare(void *self, yk_grid *g, double step,
                                 yoke_err *err)
{
    precondition *c = self;
    const int n = g->size;

    (void)step;
    YK_TRY(factor_given(c, g, g->t1, err));
    YK_TRY(yk_rows_begin(&g->m, n, err));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) c->column[i] = i == j;
        YK_TRY(yk_dense_solve(n, c->a, c->pivot, 1, c->column, err));
        c->column[j] -= 1.0;
        for (int i = 0; i < n; i++)
            YK_TRY(yk_rows_add(&g->m, i, j, c->column[i], err));
    }
    return yk_rows_end(&g->m, err);
}

static yoke_status given_apply(void *self, yk_grid *g, yoke_err *err)
{
    precondition *c = self;
    const int n = g->size;

    memcpy(g->dw, g->r, (size_t)(n * (g->steps + 1)) * sizeof *g->dw);
    for (int k = 0; k <= g->steps; k++) {
        const double t = g->t0 + k * (g->t1 - g->t0) / g->steps;
        YK_TRY(factor_given(c, g, k == g->steps ? g->t1 : t, err));
        YK_TRY(yk_dense_solve(n, c->a, c->pivot, 1, g->dw + k * n, err));
    }
    return YOKE_OK;
}

/* ---- given as text -------------------------------------------------------- */

enum { MOST_NAME = 300 };

static int find_name(const char *name, int n, const char *const *names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static yoke_status refuse_name(const char *wrong, int n,
                               const char *const *names, yoke_err *err)
{
    char list[600] = "";

    for (int i = 0; i < n; i++)
        yk_append(list, sizeof list, "%s\"%.100s\"", i ? ", " : "", names[i]);
    return yk_fail(
        err, YOKE_E_ARG,
        "preconditioner: \"%.300s\" is not a coupling variable that is "
        "read before it is made; those are %s",
        wrong, list);
}

/* One entry; *used: characters of it, 0 at the end of the text. */
static yoke_status read_entry(const char *text, int n, const char *const *names,
                              double *A, int *used, yoke_err *err)
{
    char row[MOST_NAME], column[MOST_NAME], rest = '\0';
    double value = 0.0;
    int length = 0;

    *used = 0;
    if (text[strspn(text, " ;\n")] == '\0') return YOKE_OK;
    text += length = (int)strspn(text, " ;\n");
    const int size = (int)strcspn(text, ";\n");
    char entry[3 * MOST_NAME];
    snprintf(entry, sizeof entry, "%.*s", size, text);
    if (size >= (int)sizeof entry ||
        sscanf(entry, "%299s %299s %lf %c", row, column, &value, &rest) != 3)
        return yk_fail(err, YOKE_E_ARG,
                       "preconditioner: \"%.300s\" is not \"row column value\"",
                       entry);
    const int i = find_name(row, n, names), j = find_name(column, n, names);
    if (i < 0 || j < 0) return refuse_name(i < 0 ? row : column, n, names, err);
    A[i * n + j] = value;
    *used = length + size;
    return YOKE_OK;
}

yoke_status yk_precondition(void *text, double t, int n,
                            const char *const *name, double *A, yoke_err *err)
{
    const char *rest = text;
    int used = 0;

    (void)t;
    do {
        YK_TRY(read_entry(rest, n, name, A, &used, err));
        rest += used;
    } while (used > 0);
    return YOKE_OK;
}

const yk_acceleration yk_accelerate_precondition = {
    .answers = true,
    .create = along_create,
    .accept = along_accept,
    .prepare = along_prepare,
    .apply = along_apply,
    .free = precondition_free,
};

const yk_acceleration yk_accelerate_given = {
    .always = true,
    .create = given_create,
    .prepare = given_prepare,
    .apply = given_apply,
    .free = precondition_free,
};
