/* comp/mechanism/masses_ph.c -- masses, springs and dampers on a line as a
 * port-Hamiltonian system.
 *
 * Unknowns are the momenta p = m v, "NAME.p", and the elongations s of the
 * springs, "spring1", "spring2", ... (those with a stiffness, in the order of
 * the list); Q = diag(1/m, K), so Q x are velocities and forces,
 *
 *     p' = -D v - A' K s + force(t) + u,      s' = A v,
 *
 * A the incidence of the springs, D that of the dampers.  A port of a mass is
 * the input "NAME.force" and the output "NAME.v".
 */
#include "comp/mechanism/read.h"

#include "base/arena.h"
#include "la/sparse.h"
#include "yoke/ph.h"

#include <string.h>

typedef struct builder {
    const yk_masses *from;
    int n, ports;
    yk_triplets J, R, Q, B, G;
    yk_sparse matrix[5];
    double *x0;
    const char **x, **u, **y;
    yk_labels text;
} builder;

static void builder_clear(builder *b)
{
    yk_triplets *const list[] = { &b->J, &b->R, &b->Q, &b->B, &b->G };

    for (int k = 0; k < 5; k++) {
        yk_triplets_clear(list[k]);
        yk_sparse_clear(&b->matrix[k]);
    }
    YK_FREE(b->x0, b->x, b->u, b->y);
    yk_arena_clear(&b->text.arena);
}

/* v_to - v_from: +1 at one mass, -1 at the other, the ground has none. */
static yoke_status add_spring(builder *b, const yk_masses_spring *s,
                              int unknown, yoke_err *err)
{
    const int end[2] = { s->to, s->from };
    const double sign[2] = { 1.0, -1.0 };

    for (int i = 0; i < 2; i++) {
        if (end[i] < 0) continue;
        if (s->stiffness > 0.0) {
            YK_TRY(yk_triplets_add(&b->J, unknown, end[i], sign[i], err));
            YK_TRY(yk_triplets_add(&b->J, end[i], unknown, -sign[i], err));
        }
        for (int k = 0; k < 2; k++)
            if (end[k] >= 0 && s->damping > 0.0)
                YK_TRY(yk_triplets_add(&b->R, end[i], end[k],
                                       sign[i] * sign[k] * s->damping, err));
    }
    if (!(s->stiffness > 0.0)) return YOKE_OK;
    const yk_masses_mass *m = b->from->mass;
    b->x0[unknown] = (s->to < 0 ? 0.0 : m[s->to].x0) -
                     (s->from < 0 ? 0.0 : m[s->from].x0) - s->rest;
    return yk_triplets_add(&b->Q, unknown, unknown, s->stiffness, err);
}

static yoke_status fill(builder *b, yoke_err *err)
{
    const yk_masses *from = b->from;
    int port = 0, unknown = from->masses;

    for (int i = 0; i < from->masses; i++) {
        const yk_masses_mass *m = &from->mass[i];
        if (!(m->mass > 0.0))
            return yk_fail(err, YOKE_E_FILE,
                           "mass \"%.100s\" is %g kg; it must be more than 0",
                           m->name, m->mass);
        b->x0[i] = m->mass * m->v0;
        YK_TRY(yk_triplets_add(&b->Q, i, i, 1.0 / m->mass, err));
        YK_TRY(yk_triplets_add(&b->G, i, i, 1.0, err));
        if (m->input) YK_TRY(yk_triplets_add(&b->B, i, port++, 1.0, err));
    }
    for (int k = 0; k < from->springs; k++) {
        YK_TRY(add_spring(b, &from->spring[k], unknown, err));
        unknown += from->spring[k].stiffness > 0.0;
    }
    return YOKE_OK;
}

static yoke_status name_all(builder *b, yoke_err *err)
{
    const yk_masses *from = b->from;
    int port = 0;

    b->text.err = err;
    YK_TRY(YK_NEW(&b->x, b->n + 1, err));
    YK_TRY(YK_NEW(&b->u, b->ports + 1, err));
    YK_TRY(YK_NEW(&b->y, b->ports + 1, err));
    for (int i = 0; i < b->n; i++)
        b->x[i] = i < from->masses
                      ? yk_label(&b->text, "%s.p", from->mass[i].name)
                      : yk_label(&b->text, "spring%d", i - from->masses + 1);
    for (int i = 0; i < from->masses; i++) {
        const char *name = from->mass[i].name;
        if (!from->mass[i].input) continue;
        b->u[port] = yk_label(&b->text, "%s.force", name);
        b->y[port++] = yk_label(&b->text, "%s.v", name);
    }
    return b->text.status;
}

static yoke_matrix borrow(const yk_sparse *m)
{
    return (yoke_matrix){ m->pattern, m->value };
}

static yoke_status build(builder *b, const char *name, yoke_system **out,
                         yoke_err *err)
{
    const yk_masses *from = b->from;

    b->n = from->masses;
    for (int k = 0; k < from->springs; k++)
        b->n += from->spring[k].stiffness > 0.0;
    for (int i = 0; i < from->masses; i++) b->ports += from->mass[i].input;
    YK_TRY(yk_doubles(&b->x0, (size_t)b->n, err));
    YK_TRY(fill(b, err));
    YK_TRY(name_all(b, err));
    YK_TRY(yk_sparse_create(&b->matrix[0], b->n, b->n, &b->J, err));
    YK_TRY(yk_sparse_create(&b->matrix[1], b->n, b->n, &b->R, err));
    YK_TRY(yk_sparse_create(&b->matrix[2], b->n, b->n, &b->Q, err));
    YK_TRY(yk_sparse_create(&b->matrix[3], b->n, b->ports, &b->B, err));
    YK_TRY(yk_sparse_create(&b->matrix[4], b->n, from->masses, &b->G, err));
    const yoke_ph ph = { .n = b->n,
                         .m = b->ports,
                         .sources = from->masses,
                         .J = borrow(&b->matrix[0]),
                         .R = borrow(&b->matrix[1]),
                         .Q = borrow(&b->matrix[2]),
                         .B = borrow(&b->matrix[3]),
                         .G = borrow(&b->matrix[4]),
                         .source = from->act,
                         .context = from->act_context,
                         .next_break = from->next_break,
                         .straight = from->straight,
                         .x0 = b->x0,
                         .x_name = b->x,
                         .u_name = b->u,
                         .y_name = b->y };
    return yoke_ph_create(out, name, &ph, err);
}

yoke_status yk_masses_ph(const char *name, const yk_masses *given,
                         yoke_system **out, yoke_err *err)
{
    builder b = { .from = given };
    const yoke_status status = build(&b, name, out, err);

    builder_clear(&b);
    return status;
}
