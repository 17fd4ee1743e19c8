/* comp/ph/ph.c -- a linear port-Hamiltonian system in charge form.
 *
 *     q = E x,   f = -(J - R) Q x - B u - G r(t),   y = B' Q x
 */
#include "comp/ph/ph.h"

#include <math.h>

#include <string.h>

static void ph_free(void *self)
{
    yk_ph *ph = self;

    if (!ph) return;
    yk_sparse_clear(&ph->E);
    yk_sparse_clear(&ph->J);
    yk_sparse_clear(&ph->R);
    yk_sparse_clear(&ph->Q);
    yk_sparse_clear(&ph->B);
    yk_sparse_clear(&ph->G);
    yk_sparse_clear(&ph->A);
    yk_sparse_clear(&ph->H);
    YK_FREE(ph->r, ph);
}

static yoke_status ph_eval(void *self, double t, const double *x,
                           const double *u, double *q, double *f, yoke_err *err)
{
    const yk_ph *ph = self;

    (void)err;
    if (q) {
        for (int i = 0; i < ph->n; i++) q[i] = 0.0;
        yk_sparse_multiply(&ph->E, 1.0, x, q);
    }
    if (f) {
        for (int i = 0; i < ph->n; i++) f[i] = 0.0;
        yk_sparse_multiply(&ph->A, -1.0, x, f);
        yk_sparse_multiply(&ph->B, -1.0, u, f);
        if (ph->sources > 0) {
            ph->source(ph->context, t, ph->r);
            yk_sparse_multiply(&ph->G, -1.0, ph->r, f);
        }
    }
    return YOKE_OK;
}

static yoke_status ph_output(void *self, double t, const double *x,
                             const double *u, double *y, yoke_err *err)
{
    const yk_ph *ph = self;

    (void)t, (void)u, (void)err;
    for (int k = 0; k < ph->m; k++) y[k] = 0.0;
    yk_sparse_multiply(&ph->H, 1.0, x, y);
    return YOKE_OK;
}

static void copy_values(double *to, const yk_sparse *from, double factor)
{
    for (int k = 0; to && k < yoke_pattern_count(from->pattern); k++)
        to[k] = factor * from->value[k];
}

static yoke_status ph_jacobian(void *self, double t, const double *x,
                               const double *u, const yoke_jacobian *jac,
                               yoke_err *err)
{
    const yk_ph *ph = self;

    (void)t, (void)x, (void)u, (void)err;
    copy_values(jac->C, &ph->E, 1.0);
    copy_values(jac->G, &ph->A, -1.0);
    copy_values(jac->Gu, &ph->B, -1.0);
    copy_values(jac->Hx, &ph->H, 1.0);
    return YOKE_OK;
}

static double ph_next_break(void *self, double t)
{
    const yk_ph *ph = self;

    return ph->next_break ? ph->next_break(ph->context, t) : INFINITY;
}

static const yoke_system_ops ph_ops = {
    .kind = "port-Hamiltonian",
    .eval = ph_eval,
    .output = ph_output,
    .jacobian = ph_jacobian,
    .next_break = ph_next_break,
    .free = ph_free,
};

static void ph_source(void *self, double t, double *r)
{
    const yk_ph *ph = self;

    ph->source(ph->context, t, r);
}

/* A copy; without a pattern `diagonal` times the identity. */
static yoke_status take(yk_sparse *out, const char *what,
                        const yoke_matrix *given, int rows, int cols,
                        double diagonal, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };

    if (given->pattern) {
        if (given->pattern->rows != rows || given->pattern->cols != cols)
            return yk_fail(
                err, YOKE_E_MODEL, "%s is %d by %d; it must be %d by %d", what,
                given->pattern->rows, given->pattern->cols, rows, cols);
        YK_TRY(yk_ph_finite(what, given, err));
        return yk_sparse_copy(out, given->pattern, given->value, err);
    }
    for (int i = 0; diagonal != 0.0 && i < rows; i++)
        YK_GO(yk_triplets_add(&t, i, i, diagonal, err));
    YK_GO(yk_sparse_create(out, rows, cols, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

static yoke_status take_all(yk_ph *ph, const yoke_ph *given, yoke_err *err)
{
    const int n = given->n;

    YK_TRY(take(&ph->E, "E", &given->E, n, n, 1.0, err));
    YK_TRY(take(&ph->J, "J", &given->J, n, n, 0.0, err));
    YK_TRY(take(&ph->R, "R", &given->R, n, n, 0.0, err));
    YK_TRY(take(&ph->Q, "Q", &given->Q, n, n, 1.0, err));
    YK_TRY(take(&ph->B, "B", &given->B, n, given->m, 0.0, err));
    YK_TRY(take(&ph->G, "G", &given->G, n, given->sources, 0.0, err));
    return yk_ph_verify(ph, given->x_name, err);
}

static yoke_status combine(yk_ph *ph, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    yk_sparse difference = { NULL, NULL };
    const int n = ph->n;

    YK_GO(
        yk_triplets_add_matrix(&t, 1.0, ph->J.pattern, ph->J.value, 0, 0, err));
    YK_GO(yk_triplets_add_matrix(&t, -1.0, ph->R.pattern, ph->R.value, 0, 0,
                                 err));
    YK_GO(yk_sparse_create(&difference, n, n, &t, err));
    YK_GO(yk_sparse_product(&ph->A, &difference, &ph->Q, err));
    YK_GO(yk_sparse_product_transposed(&ph->H, &ph->B, &ph->Q, err));
done:
    yk_sparse_clear(&difference);
    yk_triplets_clear(&t);
    return status;
}

static yoke_matrix borrow(const yk_sparse *m)
{
    return (yoke_matrix){ m->pattern, m->value };
}

static yoke_status build(yk_ph *ph, const yoke_ph *given, yoke_err *err)
{
    if (given->n < 1 || given->m < 0 || given->sources < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "n = %d, m = %d, sources = %d; at least one unknown is "
                       "needed and the others must not be negative",
                       given->n, given->m, given->sources);
    if (given->sources > 0 && !given->source)
        return yk_fail(err, YOKE_E_ARG, "%d sources without a function",
                       given->sources);
    ph->n = given->n;
    ph->m = given->m;
    ph->sources = given->sources;
    ph->source = given->source;
    ph->next_break = given->next_break;
    ph->context = given->context;
    YK_TRY(yk_doubles(&ph->r, (size_t)given->sources + 1, err));
    YK_TRY(take_all(ph, given, err));
    YK_TRY(combine(ph, err));
    ph->ports = (yoke_ports){
        .E = borrow(&ph->E),
        .J = borrow(&ph->J),
        .R = borrow(&ph->R),
        .Q = borrow(&ph->Q),
        .B = borrow(&ph->B),
        .G = borrow(&ph->G),
        .sources = ph->sources,
        .source = ph_source,
        .self = ph,
    };
    return YOKE_OK;
}

yoke_status yoke_ph_create(yoke_system **out, const char *name,
                           const yoke_ph *given, yoke_err *err)
{
    yk_ph *ph = NULL;

    YK_TRY(YK_NEW(&ph, 1, err));
    const yoke_status status = build(ph, given, err);
    if (status != YOKE_OK) {
        yk_prefix(err, "port-Hamiltonian system \"%s\"", name);
        ph_free(ph);
        return status;
    }
    const yoke_system_info info = {
        .n = ph->n,
        .m = ph->m,
        .p = ph->m,
        .flags = YOKE_AFFINE |
                 (ph->sources == 0 || given->straight ? YOKE_TIMELESS : 0u),
        .x0 = given->x0,
        .x_name = given->x_name,
        .u_name = given->u_name,
        .y_name = given->y_name,
        .C = ph->E.pattern,
        .G = ph->A.pattern,
        .Gu = ph->B.pattern,
        .Hx = ph->H.pattern,
        .ports = &ph->ports,
    };
    return yoke_system_create(out, name, &ph_ops, ph, &info, err);
}
