/* sys/ports.c -- the port-Hamiltonian form of a linear system, if it has one.
 *
 *     d/dt (C x) + G x + Gu u + f0(t) = 0,     y = Hx x
 *
 * with constant matrices is port-Hamiltonian with Q = I if, after the signs of
 * some equations are changed, C is symmetric and positive semidefinite, the
 * symmetric part of G is positive semidefinite, and each input acts where its
 * output reads: Hx = -Gu'.  Circuits of resistors, inductors, capacitors and
 * current sources are, with currents into nodes as inputs and their voltages
 * as outputs.
 *
 * An equation has the sign that makes the diagonal of C positive; without a
 * diagonal there, that of G; without both, the one that makes it skew to an
 * unknown whose equation has its sign.
 */
#include "sys/system.h"

#include "la/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double small = 1e-10, most_entries = 5e7;

struct yk_derived {
    yoke_ports ports;
    yk_sparse E, J, R, Q, B, G;
    yoke_system *system;
    double *sign, *zero_x, *zero_u, *f;
};

void yk_derived_free(yk_derived *d)
{
    if (!d) return;
    yk_sparse_clear(&d->E);
    yk_sparse_clear(&d->J);
    yk_sparse_clear(&d->R);
    yk_sparse_clear(&d->Q);
    yk_sparse_clear(&d->B);
    yk_sparse_clear(&d->G);
    YK_FREE(d->sign, d->zero_x, d->zero_u, d->f, d);
}

/* What does not come from x and u. */
static void source(void *self, double t, double *r)
{
    yk_derived *d = self;
    const int n = d->system->info.n;

    if (yk_system_eval_raw(d->system, t, d->zero_x, d->zero_u, NULL, d->f,
                           NULL) != YOKE_OK) {
        for (int i = 0; i < n; i++) r[i] = NAN;
        return;
    }
    for (int i = 0; i < n; i++) r[i] = -d->sign[i] * d->f[i];
}

static double entry(const yoke_pattern *p, const double *v, int i, int j)
{
    const int at = yoke_pattern_find(p, i, j);

    return at < 0 ? 0.0 : v[at];
}

static bool all_zero(const yoke_pattern *p, const double *v)
{
    for (int k = 0; k < yoke_pattern_count(p); k++)
        if (v[k] != 0.0) return false;
    return true;
}

static void choose_signs(const yoke_system_info *f, const yoke_jacobian *jac,
                         double *sign)
{
    bool changed = true;

    for (int i = 0; i < f->n; i++) {
        const double c = entry(f->C, jac->C, i, i);
        const double g = entry(f->G, jac->G, i, i);
        sign[i] = c != 0.0   ? (c > 0.0 ? 1.0 : -1.0)
                  : g != 0.0 ? (g > 0.0 ? 1.0 : -1.0)
                             : 0.0;
    }
    while (changed) {
        changed = false;
        for (int j = 0; j < f->n; j++)
            for (int k = f->G->start[j]; k < f->G->start[j + 1]; k++) {
                const int i = f->G->row[k];
                const double back = entry(f->G, jac->G, j, i);
                if (sign[i] != 0.0 || sign[j] == 0.0 || jac->G[k] == 0.0 ||
                    back == 0.0)
                    continue;
                sign[i] = jac->G[k] * back < 0.0 ? sign[j] : -sign[j];
                changed = true;
            }
    }
    for (int i = 0; i < f->n; i++)
        if (sign[i] == 0.0) sign[i] = 1.0;
}

static yoke_status symmetric_part(yk_sparse *out, int n, const yoke_pattern *p,
                                  const double *v, const double *sign,
                                  double turned, double factor, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };

    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            const double value = factor * sign[p->row[k]] * v[k];
            YK_GO(yk_triplets_add(&t, p->row[k], j, value, err));
            if (turned != 0.0)
                YK_GO(yk_triplets_add(&t, j, p->row[k], turned * value, err));
        }
    YK_GO(yk_sparse_create(out, n, n, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

static yoke_status build(yk_derived *d, const yoke_jacobian *jac, yoke_err *err)
{
    const yoke_system_info *f = &d->system->info;
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    const int n = f->n;

    choose_signs(f, jac, d->sign);
    YK_GO(symmetric_part(&d->E, n, f->C, jac->C, d->sign, 0.0, 1.0, err));
    YK_GO(symmetric_part(&d->R, n, f->G, jac->G, d->sign, 1.0, 0.5, err));
    YK_GO(symmetric_part(&d->J, n, f->G, jac->G, d->sign, -1.0, -0.5, err));
    for (int j = 0; j < f->m; j++)
        for (int k = f->Gu->start[j]; k < f->Gu->start[j + 1]; k++)
            YK_GO(yk_triplets_add(&t, f->Gu->row[k], j,
                                  -d->sign[f->Gu->row[k]] * jac->Gu[k], err));
    YK_GO(yk_sparse_create(&d->B, n, f->m, &t, err));
    YK_GO(yk_sparse_identity(&d->Q, n, err));
    YK_GO(yk_sparse_identity(&d->G, n, err));
done:
    yk_triplets_clear(&t);
    return status;
}

/* C symmetric and semidefinite, R semidefinite, outputs where inputs act; says
 * what is not. */
static yoke_status judge(const yk_derived *d, const yoke_jacobian *jac,
                         char *why, size_t room, bool *good, yoke_err *err)
{
    const yoke_system_info *f = &d->system->info;
    const yoke_pattern *p = d->E.pattern;
    const double size = yk_sparse_largest(&d->E);
    double pivot = 0.0;
    int row = -1;

    *good = false;
    for (int j = 0; j < f->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (fabs(d->E.value[k] - entry(p, d->E.value, j, p->row[k])) >
                small * size) {
                snprintf(why, room, "C is not symmetric in %s and %s",
                         f->x_name[p->row[k]], f->x_name[j]);
                return YOKE_OK;
            }
    YK_TRY(yk_sparse_definite(&d->E, small * size + 1e-300, most_entries, &row,
                              &pivot, err));
    if (row >= 0) {
        snprintf(why, room, "C is not positive semidefinite at %s",
                 f->x_name[row]);
        return YOKE_OK;
    }
    YK_TRY(yk_sparse_definite(&d->R, small * yk_sparse_largest(&d->R) + 1e-300,
                              most_entries, &row, &pivot, err));
    if (row >= 0) {
        snprintf(why, room,
                 "the symmetric part of G is not positive semidefinite at %s "
                 "(by %.3g)",
                 f->x_name[row], -pivot);
        return YOKE_OK;
    }
    for (int k = 0; k < f->m; k++)
        for (int i = 0; i < f->n; i++)
            if (k >= f->p || fabs(entry(d->B.pattern, d->B.value, i, k) -
                                  entry(f->Hx, jac->Hx, k, i)) > small) {
                snprintf(why, room,
                         "input %s does not act where the output of the same "
                         "number reads",
                         f->u_name[k]);
                return YOKE_OK;
            }
    *good = true;
    return YOKE_OK;
}

static yoke_matrix borrow(const yk_sparse *m)
{
    return (yoke_matrix){ m->pattern, m->value };
}

static yoke_status derive(yoke_system *s, const yoke_jacobian *jac, char *why,
                          size_t room, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_derived *d = NULL;
    bool good = false;
    const size_t n = (size_t)s->info.n, m = (size_t)s->info.m;

    YK_GO(YK_NEW(&d, 1, err));
    d->system = s;
    YK_GO(YK_DOUBLES(n + 1, err, &d->sign, &d->zero_x));
    YK_GO(yk_doubles(&d->zero_u, m + 1, err));
    YK_GO(yk_doubles(&d->f, n + 1, err));
    YK_GO(build(d, jac, err));
    YK_GO(judge(d, jac, why, room, &good, err));
    if (!good) goto done;
    d->ports = (yoke_ports){ .E = borrow(&d->E),
                             .J = borrow(&d->J),
                             .R = borrow(&d->R),
                             .Q = borrow(&d->Q),
                             .B = borrow(&d->B),
                             .G = borrow(&d->G),
                             .sources = s->info.n,
                             .source = source,
                             .self = d };
    s->derived = d;
    s->info.ports = &d->ports;
    d = NULL;
done:
    yk_derived_free(d);
    return status;
}

bool yk_system_forget_ports(yoke_system *s)
{
    if (!s->derived) return false;
    s->info.ports = NULL;
    yk_derived_free(s->derived);
    s->derived = NULL;
    return true;
}

yoke_status yk_system_derive_ports(yoke_system *s, double t, char *why,
                                   size_t room, yoke_err *err)
{
    yoke_jacobian jac;
    yoke_status status = YOKE_OK;
    double *u = NULL;

    if (room > 0) why[0] = '\0';
    if (s->info.ports) return YOKE_OK;
    if (s->info.n == 0 || s->info.m == 0) {
        snprintf(why, room, "it has no %s", s->info.n ? "inputs" : "unknowns");
        return YOKE_OK;
    }
    if (!(s->info.flags & YOKE_AFFINE) || s->info.events > 0 ||
        s->info.memory_bytes > 0) {
        snprintf(why, room, "it is not linear with constant matrices");
        return YOKE_OK;
    }
    YK_TRY(yk_jacobian_create(&jac, s, err));
    YK_GO(yk_doubles(&u, (size_t)s->info.m + 1, err));
    YK_GO(yoke_system_jacobian(s, t, s->info.x0, u, &jac, err));
    if (!all_zero(s->info.Cu, jac.Cu) || !all_zero(s->info.Hu, jac.Hu))
        snprintf(why, room,
                 "inputs act on charges, or on outputs without an unknown "
                 "between");
    else
        YK_GO(derive(s, &jac, why, room, err));
done:
    YK_FREE(u, jac.C);
    return status;
}
