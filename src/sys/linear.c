/* sys/linear.c -- d/dt (E x + F u) = A x + B u + G r(t),  y = H x + D u. */
#include "sys/linear.h"
#include "sys/system.h"
#include "yoke/compose.h"

#include <limits.h>
#include <math.h>

void yk_linear_clear(yk_linear *l)
{
    yk_sparse_clear(&l->E);
    yk_sparse_clear(&l->A);
    yk_sparse_clear(&l->F);
    yk_sparse_clear(&l->B);
    yk_sparse_clear(&l->G);
    yk_sparse_clear(&l->H);
    yk_sparse_clear(&l->D);
    yk_free(l->r);
}

static void linear_free(void *self)
{
    if (self) yk_linear_clear(self);
    yk_free(self);
}

static double element(const double *dense, int cols, int i, int j)
{
    return dense[(size_t)i * (size_t)cols + (size_t)j];
}

static yoke_status check_matrix(const char *name, const double *dense, int rows,
                                int cols, yoke_err *err)
{
    for (int i = 0; dense && i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (!isfinite(element(dense, cols, i, j)))
                return yk_fail(err, YOKE_E_ARG, "%s(%d, %d) is %g", name, i + 1,
                               j + 1, element(dense, cols, i, j));
    return YOKE_OK;
}

/* From rows by rows; NULL is zero. */
static yoke_status matrix_create(yk_sparse *out, const char *name,
                                 const double *dense, int rows, int cols,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };

    YK_TRY(check_matrix(name, dense, rows, cols, err));
    if (dense && (size_t)rows * (size_t)cols > INT_MAX)
        return yk_fail(err, YOKE_E_ARG, "%s is %d by %d, too large", name, rows,
                       cols);
    for (int j = 0; dense && j < cols; j++)
        for (int i = 0; i < rows; i++) {
            const double value = element(dense, cols, i, j);
            if (value != 0.0) YK_GO(yk_triplets_add(&t, i, j, value, err));
        }
    YK_GO(yk_sparse_create(out, rows, cols, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

static void add(const yk_sparse *a, double factor, const double *x, double *y)
{
    if (a->pattern) yk_sparse_multiply(a, factor, x, y);
}

yoke_status yk_linear_eval(void *self, double t, const double *x,
                           const double *u, double *q, double *f, yoke_err *err)
{
    const yk_linear *l = self;

    (void)err;
    for (int i = 0; q && i < l->n; i++) q[i] = 0.0;
    for (int i = 0; f && i < l->n; i++) f[i] = 0.0;
    if (q) {
        add(&l->E, 1.0, x, q);
        add(&l->F, 1.0, u, q);
    }
    if (f) {
        if (l->source) l->source(l->context, t, l->r);
        if (l->source) add(&l->G, -1.0, l->r, f);
        add(&l->A, -1.0, x, f);
        add(&l->B, -1.0, u, f);
    }
    return YOKE_OK;
}

yoke_status yk_linear_output(void *self, double t, const double *x,
                             const double *u, double *y, yoke_err *err)
{
    const yk_linear *l = self;

    (void)t, (void)err;
    for (int i = 0; i < l->p; i++) y[i] = 0.0;
    add(&l->H, 1.0, x, y);
    add(&l->D, 1.0, u, y);
    return YOKE_OK;
}

static void copy_values(double *to, const yk_sparse *from, double factor)
{
    if (!to || !from->pattern) return;
    for (int k = 0; k < yoke_pattern_count(from->pattern); k++)
        to[k] = factor * from->value[k];
}

yoke_status yk_linear_jacobian(void *self, double t, const double *x,
                               const double *u, const yoke_jacobian *jac,
                               yoke_err *err)
{
    const yk_linear *l = self;

    (void)t, (void)x, (void)u, (void)err;
    copy_values(jac->C, &l->E, 1.0);
    copy_values(jac->G, &l->A, -1.0);
    copy_values(jac->Cu, &l->F, 1.0);
    copy_values(jac->Gu, &l->B, -1.0);
    copy_values(jac->Hx, &l->H, 1.0);
    copy_values(jac->Hu, &l->D, 1.0);
    return YOKE_OK;
}

double yk_linear_next_break(void *self, double t)
{
    const yk_linear *l = self;

    return l->next_break ? l->next_break(l->context, t) : INFINITY;
}

/* y = x: no output callback, so outputs bear the names of the unknowns. */
static const yoke_system_ops linear_state_ops = {
    .kind = "linear",
    .eval = yk_linear_eval,
    .jacobian = yk_linear_jacobian,
    .next_break = yk_linear_next_break,
    .free = linear_free,
};

static const yoke_system_ops linear_ops = {
    .kind = "linear",
    .eval = yk_linear_eval,
    .output = yk_linear_output,
    .jacobian = yk_linear_jacobian,
    .next_break = yk_linear_next_break,
    .free = linear_free,
};

static yoke_status build(yk_linear *l, const yoke_linear *given, yoke_err *err)
{
    const int n = given->n, m = given->m;

    if (n < 0 || m < 0 || given->p < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "n = %d, m = %d, p = %d must not be "
                       "negative",
                       n, m, given->p);
    if (!given->H && !given->D && given->p != 0 && given->p != n)
        return yk_fail(err, YOKE_E_ARG,
                       "p = %d without H and D; then y = x and p is 0 (not "
                       "given) or %d",
                       given->p, n);
    l->n = n;
    l->m = m;
    l->p = given->H || given->D ? given->p : n;
    l->source = given->source;
    l->context = given->context;
    l->next_break = given->next_break;
    if (given->source) {
        YK_TRY(yk_doubles(&l->r, (size_t)n + 1, err));
        YK_TRY(yk_sparse_identity(&l->G, n, err));
    }
    if (given->E)
        YK_TRY(matrix_create(&l->E, "E", given->E, n, n, err));
    else
        YK_TRY(yk_sparse_identity(&l->E, n, err));
    YK_TRY(matrix_create(&l->A, "A", given->A, n, n, err));
    YK_TRY(matrix_create(&l->F, "F", given->F, n, m, err));
    YK_TRY(matrix_create(&l->B, "B", given->B, n, m, err));
    if (given->H || given->D)
        YK_TRY(matrix_create(&l->H, "H", given->H, l->p, n, err));
    else
        YK_TRY(yk_sparse_identity(&l->H, n, err));
    return matrix_create(&l->D, "D", given->D, l->p, m, err);
}

yoke_status yoke_linear_create(yoke_system **out, const char *name,
                               const yoke_linear *given, yoke_err *err)
{
    yk_linear *l = NULL;

    YK_TRY(YK_NEW(&l, 1, err));
    const yoke_status status = build(l, given, err);
    if (status != YOKE_OK) {
        yk_prefix(err, "linear subsystem \"%s\"", name ? name : "unnamed");
        linear_free(l);
        return status;
    }
    const yoke_system_info info = {
        .n = l->n,
        .m = l->m,
        .p = l->p,
        .flags =
            YOKE_AFFINE | (given->source ? 0u : YOKE_TIMELESS | YOKE_PARALLEL),
        .x0 = given->x0,
        .x_name = given->x_name,
        .u_name = given->u_name,
        .y_name = given->y_name || given->H || given->D ? given->y_name
                                                        : given->x_name,
        .eq_name = given->eq_name,
        .C = l->E.pattern,
        .G = l->A.pattern,
        .Cu = l->F.pattern,
        .Gu = l->B.pattern,
        .Hx = l->H.pattern,
        .Hu = l->D.pattern,
    };
    const yoke_system_ops *ops =
        given->H || given->D ? &linear_ops : &linear_state_ops;
    YK_TRY(yoke_system_create(out, name, ops, l, &info, err));
    if (given->straight) (*out)->info.flags |= YOKE_TIMELESS;
    return YOKE_OK;
}
