/* comp/ph/ph.c -- a linear port-Hamiltonian system in charge form.
 *
 *     q = E x,   f = -(J - R) Q x - B u - G r(t),   y = B' Q x
 */
#include "comp/ph/ph.h"

static void ph_free(void *self)
{
    yk_ph *ph = self;

    if (!ph) return;
    yk_linear_clear(&ph->linear);
    yk_sparse_clear(&ph->J);
    yk_sparse_clear(&ph->R);
    yk_sparse_clear(&ph->Q);
    yk_free(ph);
}

static const yoke_system_ops ph_ops = {
    .kind = "port-Hamiltonian",
    .eval = yk_linear_eval,
    .output = yk_linear_output,
    .jacobian = yk_linear_jacobian,
    .next_break = yk_linear_next_break,
    .free = ph_free,
};

/* A copy; without a pattern zero, or the identity if `one`. */
static yoke_status take(yk_sparse *out, const char *what,
                        const yoke_matrix *given, int rows, int cols, bool one,
                        yoke_err *err)
{
    const yk_triplets none = { 0 };

    if (given->pattern) {
        if (given->pattern->rows != rows || given->pattern->cols != cols)
            return yk_fail(
                err, YOKE_E_MODEL, "%s is %d by %d; it must be %d by %d", what,
                given->pattern->rows, given->pattern->cols, rows, cols);
        YK_TRY(yk_ph_finite(what, given, err));
        return yk_sparse_copy(out, given->pattern, given->value, err);
    }
    return one ? yk_sparse_identity(out, rows, err)
               : yk_sparse_create(out, rows, cols, &none, err);
}

static yoke_status take_all(yk_ph *ph, const yoke_ph *given, yoke_err *err)
{
    const int n = given->n;

    YK_TRY(take(&ph->linear.E, "E", &given->E, n, n, true, err));
    YK_TRY(take(&ph->J, "J", &given->J, n, n, false, err));
    YK_TRY(take(&ph->R, "R", &given->R, n, n, false, err));
    YK_TRY(take(&ph->Q, "Q", &given->Q, n, n, true, err));
    YK_TRY(take(&ph->linear.B, "B", &given->B, n, given->m, false, err));
    YK_TRY(take(&ph->linear.G, "G", &given->G, n, given->sources, false, err));
    return yk_ph_verify(ph, given->x_name, err);
}

static yoke_status combine(yk_ph *ph, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    yk_sparse difference = { NULL, NULL };
    const int n = ph->linear.n;

    YK_GO(
        yk_triplets_add_matrix(&t, 1.0, ph->J.pattern, ph->J.value, 0, 0, err));
    YK_GO(yk_triplets_add_matrix(&t, -1.0, ph->R.pattern, ph->R.value, 0, 0,
                                 err));
    YK_GO(yk_sparse_create(&difference, n, n, &t, err));
    YK_GO(yk_sparse_product(&ph->linear.A, &difference, &ph->Q, err));
    YK_GO(yk_sparse_product_transposed(&ph->linear.H, &ph->linear.B, &ph->Q,
                                       err));
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
    ph->linear.n = given->n;
    ph->linear.m = given->m;
    ph->linear.p = given->m;
    ph->linear.source = given->sources > 0 ? given->source : NULL;
    ph->linear.next_break = given->next_break;
    ph->linear.context = given->context;
    YK_TRY(yk_doubles(&ph->linear.r, (size_t)given->sources + 1, err));
    YK_TRY(take_all(ph, given, err));
    YK_TRY(combine(ph, err));
    ph->ports = (yoke_ports){
        .E = borrow(&ph->linear.E),
        .J = borrow(&ph->J),
        .R = borrow(&ph->R),
        .Q = borrow(&ph->Q),
        .B = borrow(&ph->linear.B),
        .G = borrow(&ph->linear.G),
        .sources = given->sources,
        .source = given->source,
        .self = given->context,
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
        .n = ph->linear.n,
        .m = ph->linear.m,
        .p = ph->linear.m,
        .flags = YOKE_AFFINE |
                 (given->sources == 0 || given->straight ? YOKE_TIMELESS : 0u),
        .x0 = given->x0,
        .x_name = given->x_name,
        .u_name = given->u_name,
        .y_name = given->y_name,
        .C = ph->linear.E.pattern,
        .G = ph->linear.A.pattern,
        .Gu = ph->linear.B.pattern,
        .Hx = ph->linear.H.pattern,
        .ports = &ph->ports,
    };
    return yoke_system_create(out, name, &ph_ops, ph, &info, err);
}
