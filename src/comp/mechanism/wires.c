/* comp/mechanism/wires.c -- beams under tension with droppers and contacts.
 *
 *     w' = v
 *     v' = (-EI D4 w + T D2 w) / rho - damping v
 *          + (k / (rho dx)) P (w_other - w)         droppers
 *          + phi(x - xp(t)) force / rho             contacts
 *
 * on the inner points x_j = j dx; D2 has zero values at the supports, D4 = D2
 * D2, so both ends are pinned.  A dropper between two nodes acts on both with
 * the weights of linear interpolation.  The displacement at a contact is
 * s = dx sum phi_j w_j, and with a dot for d/dt at fixed w
 *
 *     s'  = dx sum phi_j v_j + phi._j w_j
 *     s'' = dx sum phi_j v'_j + 2 phi._j v_j + phi.._j w_j.
 *
 * The constant part A of x' = A x + ... is kept as a sparse matrix for the
 * Jacobians; the right side itself is computed by differences.
 */
#include "base/arena.h"
#include "comp/mechanism/kernel.h"
#include "comp/mechanism/wires.h"
#include "la/pattern.h"
#include "la/sparse.h"
#include "yoke/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 3 }; /* outputs of a contact: displacement, .v, .a */

typedef struct wire {
    double density, bending, tension, damping;
} wire;

/* Nodes and weights of one end of a dropper. */
typedef struct foot {
    int at[2];
    double weight[2];
} foot;

typedef struct dropper {
    int wire[2];
    foot foot; /* the same on both wires */
    double stiffness;
} dropper;

typedef struct contact {
    int wire;
    yk_kernel kernel;
    char name[64];
} contact;

typedef struct wires {
    int wires, nodes, droppers, contacts;
    int half; /* number of displacements; velocities follow */
    double dx, span;
    wire *wire;
    dropper *dropper;
    contact *contact;
    double *bent;    /* nodes + 2: second differences of one wire */
    yoke_pattern *A; /* -G */
    double *a;
    yoke_pattern *rows; /* A transposed: the columns of each row */
    double *row_a;      /* its values */
    yoke_pattern *Gu, *Hx, *Hu;
} wires;

static void wires_free(void *self)
{
    wires *s = self;

    if (!s) return;
    for (int i = 0; s->contact && i < s->contacts; i++)
        yk_kernel_free(&s->contact[i].kernel);
    YK_FREE(s->wire, s->dropper, s->contact, s->bent, s->a, s->row_a);
    yoke_pattern_free(s->A);
    yoke_pattern_free(s->rows);
    yoke_pattern_free(s->Gu);
    yoke_pattern_free(s->Hx);
    yoke_pattern_free(s->Hu);
    yk_free(s);
}

/* Place of node j = 1 ... nodes of a wire among the displacements. */
static int place(const wires *s, int i, int j)
{
    return i * s->nodes + j - 1;
}

/* ---- the right side ------------------------------------------------------ */

static yoke_status move(wires *s, double t, yoke_err *err)
{
    for (int i = 0; i < s->contacts; i++) {
        contact *c = &s->contact[i];
        const double xp = c->kernel.x0 + c->kernel.speed * t;
        if (!(xp >= 0.0 && xp <= s->span))
            return yk_fail(err, YOKE_E_MODEL,
                           "contact \"%s\" is at x = %g m, off the wire of "
                           "%g m; end the run before it leaves",
                           c->name, xp, s->span);
        yk_kernel_move(&c->kernel, t);
    }
    return YOKE_OK;
}

static void bend_wire(const wires *s, int i, const double *w, const double *v,
                      double *a)
{
    const wire *p = &s->wire[i];
    const double per_square = 1.0 / (s->dx * s->dx);
    const double stiff = p->bending * per_square / p->density;
    const double tight = p->tension / p->density;
    const int n = s->nodes;
    double *const d = s->bent; /* d[0] = d[n + 1] = 0 */

    for (int j = 1; j <= n; j++) {
        const double left = j > 1 ? w[j - 2] : 0.0;
        const double right = j < n ? w[j] : 0.0;
        d[j] = (left - 2.0 * w[j - 1] + right) * per_square;
    }
    for (int j = 1; j <= n; j++)
        a[j - 1] = tight * d[j] - stiff * (d[j - 1] - 2.0 * d[j] + d[j + 1]) -
                   p->damping * v[j - 1];
}

static void pull_droppers(const wires *s, const double *w, double *a)
{
    for (int k = 0; k < s->droppers; k++) {
        const dropper *d = &s->dropper[k];
        const int from = d->wire[0] * s->nodes, to = d->wire[1] * s->nodes;
        double gap = 0.0;
        for (int e = 0; e < 2; e++)
            if (d->foot.weight[e] > 0.0)
                gap += d->foot.weight[e] *
                       (w[from + d->foot.at[e]] - w[to + d->foot.at[e]]);
        const double force = d->stiffness * gap / s->dx;
        for (int e = 0; e < 2; e++) {
            const double part = d->foot.weight[e] * force;
            if (d->foot.weight[e] == 0.0) continue;
            a[from + d->foot.at[e]] -= part / s->wire[d->wire[0]].density;
            a[to + d->foot.at[e]] += part / s->wire[d->wire[1]].density;
        }
    }
}

static yoke_status wires_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    wires *s = self;
    const double *const v = x + s->half;
    double *const a = xdot + s->half;

    YK_TRY(move(s, t, err));
    memcpy(xdot, v, (size_t)s->half * sizeof *v);
    for (int i = 0; i < s->wires; i++)
        bend_wire(s, i, x + i * s->nodes, v + i * s->nodes, a + i * s->nodes);
    pull_droppers(s, x, a);
    for (int i = 0; i < s->contacts; i++) {
        const contact *c = &s->contact[i];
        const yk_kernel *k = &c->kernel;
        const double per_mass = u[i] / s->wire[c->wire].density;
        double *const at = a + place(s, c->wire, k->first);
        for (int j = 0; j < k->count; j++) at[j] += k->phi[j] * per_mass;
    }
    return YOKE_OK;
}

/* ---- outputs ------------------------------------------------------------- */

/* Acceleration of one place without contacts, by its row of A. */
static double row_value(const wires *s, int row, const double *x)
{
    double sum = 0.0;

    for (int e = s->rows->start[row]; e < s->rows->start[row + 1]; e++)
        sum += s->row_a[e] * x[s->rows->row[e]];
    return sum;
}

/* dx sum phi_j psi_j / rho over the nodes that both contacts touch. */
static double exchange(const wires *s, const contact *a, const contact *b)
{
    const yk_kernel *p = &a->kernel, *q = &b->kernel;
    double sum = 0.0;

    if (a->wire != b->wire) return 0.0;
    for (int j = 0; j < p->count; j++) {
        const int k = p->first + j - q->first;
        if (k >= 0 && k < q->count) sum += p->phi[j] * q->phi[k];
    }
    return s->dx * sum / s->wire[a->wire].density;
}

static yoke_status wires_output(void *self, double t, const double *x,
                                const double *u, double *y, yoke_err *err)
{
    wires *s = self;

    YK_TRY(move(s, t, err));
    for (int i = 0; i < s->contacts; i++) {
        const contact *c = &s->contact[i];
        const yk_kernel *k = &c->kernel;
        const int first = place(s, c->wire, k->first);
        const double *const w = x + first, *const v = w + s->half;
        double *const out = y + LEVELS * i;
        out[0] = out[1] = out[2] = 0.0;
        for (int j = 0; j < k->count; j++) {
            const double a = row_value(s, s->half + first + j, x);
            out[0] += s->dx * k->phi[j] * w[j];
            out[1] += s->dx * (k->phi[j] * v[j] + k->rate[j] * w[j]);
            out[2] += s->dx * (k->phi[j] * a + 2.0 * k->rate[j] * v[j] +
                               k->bend[j] * w[j]);
        }
        for (int l = 0; l < s->contacts; l++)
            out[2] += exchange(s, c, &s->contact[l]) * u[l];
    }
    return YOKE_OK;
}

/* ---- Jacobians ----------------------------------------------------------- */

static void put(const yoke_pattern *p, double *value, int row, int col,
                double v)
{
    value[yoke_pattern_find(p, row, col)] += v;
}

static void input_column(const wires *s, int i, double *Gu)
{
    const contact *c = &s->contact[i];
    const yk_kernel *k = &c->kernel;
    /* The rows of the column are those of the wire, in order. */
    double *const at = Gu + s->Gu->start[i] + k->first - 1;

    for (int j = 0; j < k->count; j++)
        at[j] = -k->phi[j] / s->wire[c->wire].density;
}

static void output_rows(const wires *s, int i, double *Hx)
{
    const contact *c = &s->contact[i];
    const yk_kernel *k = &c->kernel;
    const int row = LEVELS * i, first = place(s, c->wire, k->first);

    for (int j = 0; j < k->count; j++) {
        const int w = first + j, v = s->half + w;
        const double phi = s->dx * k->phi[j], rate = s->dx * k->rate[j];
        put(s->Hx, Hx, row, w, phi);
        put(s->Hx, Hx, row + 1, v, phi);
        put(s->Hx, Hx, row + 1, w, rate);
        put(s->Hx, Hx, row + 2, v, 2.0 * rate);
        put(s->Hx, Hx, row + 2, w, s->dx * k->bend[j]);
        for (int e = s->rows->start[v]; e < s->rows->start[v + 1]; e++)
            put(s->Hx, Hx, row + 2, s->rows->row[e], phi * s->row_a[e]);
    }
}

static yoke_status wires_jacobian(void *self, double t, const double *x,
                                  const double *u, const yoke_jacobian *jac,
                                  yoke_err *err)
{
    wires *s = self;

    (void)x, (void)u;
    YK_TRY(move(s, t, err));
    if (jac->C)
        for (int i = 0; i < 2 * s->half; i++) jac->C[i] = 1.0;
    if (jac->G)
        for (int k = 0; k < yoke_pattern_count(s->A); k++) jac->G[k] = -s->a[k];
    for (int i = 0; i < s->contacts; i++) {
        if (jac->Gu) input_column(s, i, jac->Gu);
        if (jac->Hx) output_rows(s, i, jac->Hx);
        for (int l = 0; jac->Hu && l < s->contacts; l++)
            if (s->contact[l].wire == s->contact[i].wire)
                put(s->Hu, jac->Hu, LEVELS * i + 2, l,
                    exchange(s, &s->contact[i], &s->contact[l]));
    }
    return YOKE_OK;
}

/* ---- matrices ------------------------------------------------------------ */

/* Row j of -EI D4 + T D2 over rho. */
static yoke_status add_bending(const wires *s, yk_triplets *e, int i, int j,
                               yoke_err *err)
{
    const wire *p = &s->wire[i];
    const double per_square = 1.0 / (s->dx * s->dx);
    const double stiff = p->bending * per_square * per_square / p->density;
    const double tight = p->tension * per_square / p->density;
    const bool end = j == 1 || j == s->nodes;
    const double near = 4.0 * stiff + tight;
    const double five[] = { -stiff, near,
                            -(end ? 5.0 : 6.0) * stiff - 2.0 * tight, near,
                            -stiff };
    const int row = s->half + place(s, i, j);

    for (int k = 0; k < 5; k++) {
        const int at = j + k - 2;
        if (at < 1 || at > s->nodes || five[k] == 0.0) continue;
        YK_TRY(yk_triplets_add(e, row, place(s, i, at), five[k], err));
    }
    if (p->damping != 0.0)
        YK_TRY(yk_triplets_add(e, row, row, -p->damping, err));
    return YOKE_OK;
}

static yoke_status add_dropper(const wires *s, yk_triplets *e, const dropper *d,
                               yoke_err *err)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 4; k++) {
            const double weight = d->foot.weight[k / 2] * d->foot.weight[k % 2];
            const int own = d->wire[side] * s->nodes,
                      other = d->wire[1 - side] * s->nodes;
            const int row = s->half + own + d->foot.at[k / 2];
            const double pull = weight * d->stiffness /
                                (s->dx * s->wire[d->wire[side]].density);
            if (weight == 0.0) continue;
            YK_TRY(
                yk_triplets_add(e, row, own + d->foot.at[k % 2], -pull, err));
            YK_TRY(
                yk_triplets_add(e, row, other + d->foot.at[k % 2], pull, err));
        }
    return YOKE_OK;
}

static yoke_status make_matrix(wires *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int n = 2 * s->half;
    yk_triplets e = { 0 };
    yk_sparse A = { NULL, NULL };

    for (int i = 0; i < s->half; i++)
        YK_GO(yk_triplets_add(&e, i, s->half + i, 1.0, err));
    for (int i = 0; i < s->wires; i++)
        for (int j = 1; j <= s->nodes; j++)
            YK_GO(add_bending(s, &e, i, j, err));
    for (int k = 0; k < s->droppers; k++)
        YK_GO(add_dropper(s, &e, &s->dropper[k], err));
    YK_GO(yk_sparse_create(&A, n, n, &e, err));
    s->A = A.pattern;
    s->a = A.value;
    YK_GO(yk_pattern_transpose(&s->rows, s->A, err));
    YK_GO(yk_doubles(&s->row_a, (size_t)yoke_pattern_count(s->A) + 1, err));
    for (int r = 0; r < n; r++)
        for (int k = s->rows->start[r]; k < s->rows->start[r + 1]; k++)
            s->row_a[k] = s->a[yoke_pattern_find(s->A, r, s->rows->row[k])];
done:
    yk_triplets_clear(&e);
    return status;
}

/* A contact may touch every node of its wire. */
static yoke_status add_contact(const wires *s, int i, yk_triplets *gu,
                               yk_triplets *hx, yk_triplets *hu, yoke_err *err)
{
    const int on = s->contact[i].wire, row = LEVELS * i;

    for (int j = 1; j <= s->nodes; j++) {
        const int w = place(s, on, j), v = s->half + w;
        YK_TRY(yk_triplets_add(gu, v, i, 0.0, err));
        YK_TRY(yk_triplets_add(hx, row, w, 0.0, err));
        YK_TRY(yk_triplets_add(hx, row + 1, w, 0.0, err));
        YK_TRY(yk_triplets_add(hx, row + 1, v, 0.0, err));
        YK_TRY(yk_triplets_add(hx, row + 2, w, 0.0, err));
        YK_TRY(yk_triplets_add(hx, row + 2, v, 0.0, err));
        for (int e = s->rows->start[v]; e < s->rows->start[v + 1]; e++)
            YK_TRY(yk_triplets_add(hx, row + 2, s->rows->row[e], 0.0, err));
    }
    for (int l = 0; l < s->contacts; l++)
        if (s->contact[l].wire == on)
            YK_TRY(yk_triplets_add(hu, row + 2, l, 0.0, err));
    return YOKE_OK;
}

static yoke_status make_patterns(wires *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int n = 2 * s->half, p = LEVELS * s->contacts;
    yk_triplets gu = { 0 }, hx = { 0 }, hu = { 0 };

    for (int i = 0; i < s->contacts; i++)
        YK_GO(add_contact(s, i, &gu, &hx, &hu, err));
    YK_GO(yoke_pattern_create(&s->Gu, n, s->contacts, gu.count, gu.row, gu.col,
                              err));
    YK_GO(yoke_pattern_create(&s->Hx, p, n, hx.count, hx.row, hx.col, err));
    YK_GO(yoke_pattern_create(&s->Hu, p, s->contacts, hu.count, hu.row, hu.col,
                              err));
done:
    yk_triplets_clear(&gu);
    yk_triplets_clear(&hx);
    yk_triplets_clear(&hu);
    return status;
}

/* ---- what the user gives ------------------------------------------------- */

static bool positive(double v)
{
    return isfinite(v) && v > 0.0;
}

static yoke_status check_wire(const yk_wires_wire *w, yoke_err *err)
{
    if (!positive(w->density))
        return yk_fail(err, YOKE_E_ARG,
                       "wire \"%s\": the density is %g kg/m; a wire without "
                       "mass has no equation of motion",
                       w->name, w->density);
    if (!isfinite(w->bending) || w->bending < 0.0 || !isfinite(w->tension) ||
        w->tension < 0.0 || w->bending + w->tension == 0.0)
        return yk_fail(err, YOKE_E_ARG,
                       "wire \"%s\": bending = %g N m^2 and tension = %g N; "
                       "neither may be negative, not both zero",
                       w->name, w->bending, w->tension);
    if (!isfinite(w->damping) || w->damping < 0.0)
        return yk_fail(
            err, YOKE_E_ARG,
            "wire \"%s\": the damping is %g 1/s; it must be at least 0",
            w->name, w->damping);
    return YOKE_OK;
}

static yoke_status check_dropper(const yk_wires *g, const yk_wires_dropper *d,
                                 yoke_err *err)
{
    if (d->from < 0 || d->from >= g->wires || d->to < 0 || d->to >= g->wires ||
        d->from == d->to)
        return yk_fail(err, YOKE_E_ARG,
                       "a dropper joins two of the %d wires, not %d and %d",
                       g->wires, d->from, d->to);
    if (!(d->at > 0.0 && d->at < g->span))
        return yk_fail(err, YOKE_E_ARG,
                       "the dropper at %g m is not between the supports at 0 "
                       "and %g m",
                       d->at, g->span);
    if (!positive(d->stiffness))
        return yk_fail(err, YOKE_E_ARG,
                       "the dropper at %g m has the stiffness %g N/m; it must "
                       "be more than 0",
                       d->at, d->stiffness);
    return YOKE_OK;
}

static yoke_status check_contact(const yk_wires *g, const yk_wires_contact *c,
                                 yoke_err *err)
{
    const double dx = g->span / (g->nodes + 1.0);

    if (c->wire < 0 || c->wire >= g->wires)
        return yk_fail(err, YOKE_E_ARG, "contact \"%s\" is on wire %d of %d",
                       c->name, c->wire, g->wires);
    if (!(c->width >= 0.5 * dx && c->width <= g->span))
        return yk_fail(err, YOKE_E_ARG,
                       "contact \"%s\": the width is %g m; at least half a "
                       "cell of the grid, %g m, so that no node is passed "
                       "without notice, and at most the span",
                       c->name, c->width, 0.5 * dx);
    if (!isfinite(c->x0) || !isfinite(c->speed))
        return yk_fail(err, YOKE_E_ARG,
                       "contact \"%s\": start %g m and speed %g m/s", c->name,
                       c->x0, c->speed);
    return YOKE_OK;
}

static yoke_status check(const yk_wires *g, yoke_err *err)
{
    if (!positive(g->span))
        return yk_fail(err, YOKE_E_ARG,
                       "the span is %g m; it must be more than 0", g->span);
    if (g->nodes < 3 || g->nodes > 10000000)
        return yk_fail(
            err, YOKE_E_ARG,
            "%d nodes; there must be at least 3 between the supports",
            g->nodes);
    if (g->wires < 1 || g->droppers < 0 || g->contacts < 0 ||
        (double)g->wires * g->nodes > 1e8)
        return yk_fail(err, YOKE_E_ARG,
                       "%d wires with %d nodes, %d droppers, %d contacts",
                       g->wires, g->nodes, g->droppers, g->contacts);
    for (int i = 0; i < g->wires; i++) YK_TRY(check_wire(&g->wire[i], err));
    for (int i = 0; i < g->droppers; i++)
        YK_TRY(check_dropper(g, &g->dropper[i], err));
    for (int i = 0; i < g->contacts; i++)
        YK_TRY(check_contact(g, &g->contact[i], err));
    return YOKE_OK;
}

/* Linear interpolation between the nodes beside x; supports do not move. */
static foot find_foot(const wires *s, double x)
{
    const double at = x / s->dx, left = floor(at + 1e-9);
    const double right = at - left > 1e-9 ? at - left : 0.0;
    foot f = { { (int)left - 1, (int)left }, { 1.0 - right, right } };

    if (f.at[0] < 0) f.weight[0] = f.at[0] = 0;
    if (f.at[1] >= s->nodes) f.weight[1] = f.at[1] = 0;
    return f;
}

static yoke_status fill(wires *s, const yk_wires *g, yoke_err *err)
{
    s->wires = g->wires;
    s->nodes = g->nodes;
    s->span = g->span;
    s->dx = g->span / (g->nodes + 1.0);
    s->half = g->wires * g->nodes;
    YK_TRY(YK_NEW(&s->wire, g->wires, err));
    YK_TRY(YK_NEW(&s->dropper, g->droppers, err));
    YK_TRY(YK_NEW(&s->contact, g->contacts, err));
    YK_TRY(yk_doubles(&s->bent, (size_t)g->nodes + 2, err));
    for (int i = 0; i < g->wires; i++)
        s->wire[i] = (wire){ g->wire[i].density, g->wire[i].bending,
                             g->wire[i].tension, g->wire[i].damping };
    s->droppers = g->droppers;
    for (int i = 0; i < g->droppers; i++)
        s->dropper[i] = (dropper){ { g->dropper[i].from, g->dropper[i].to },
                                   find_foot(s, g->dropper[i].at),
                                   g->dropper[i].stiffness };
    s->contacts = g->contacts;
    for (int i = 0; i < g->contacts; i++) {
        const yk_wires_contact *c = &g->contact[i];
        s->contact[i].wire = c->wire;
        snprintf(s->contact[i].name, sizeof s->contact[i].name, "%s", c->name);
        YK_TRY(yk_kernel_create(&s->contact[i].kernel, s->dx, s->nodes,
                                c->width, c->x0, c->speed, err));
    }
    YK_TRY(make_matrix(s, err));
    return make_patterns(s, err);
}

/* ---- names --------------------------------------------------------------- */

typedef struct names {
    const char **x, **u, **y, **x_unit, **y_unit;
    yk_labels text;
} names;

static void names_clear(names *n)
{
    YK_FREE(n->x, n->u, n->y, n->x_unit, n->y_unit);
    yk_arena_clear(&n->text.arena);
}

static yoke_status make_names(names *n, const wires *s, const yk_wires *g,
                              yoke_err *err)
{
    static const char *const unit[LEVELS] = { "m", "m/s", "m/s2" };

    YK_TRY(YK_NEW(&n->x, 2 * s->half, err));
    YK_TRY(YK_NEW(&n->u, g->contacts, err));
    YK_TRY(YK_NEW(&n->y, LEVELS * g->contacts, err));
    YK_TRY(YK_NEW(&n->x_unit, 2 * s->half, err));
    YK_TRY(YK_NEW(&n->y_unit, LEVELS * g->contacts, err));
    for (int k = 0; k < 2 * s->half; k++)
        n->x_unit[k] = k < s->half ? "m" : "m/s";
    for (int k = 0; k < LEVELS * g->contacts; k++)
        n->y_unit[k] = unit[k % LEVELS];
    for (int i = 0; i < g->wires; i++)
        for (int j = 1; j <= g->nodes; j++) {
            const int w = place(s, i, j);
            n->x[w] = yk_label(&n->text, "%s[%d]", g->wire[i].name, j);
            n->x[s->half + w] =
                yk_label(&n->text, "%s[%d].v", g->wire[i].name, j);
        }
    for (int i = 0; i < g->contacts; i++) {
        n->u[i] = yk_label(&n->text, "%s.force", g->contact[i].name);
        n->y[LEVELS * i] = yk_label(&n->text, "%s", g->contact[i].name);
        n->y[LEVELS * i + 1] = yk_label(&n->text, "%s.v", g->contact[i].name);
        n->y[LEVELS * i + 2] = yk_label(&n->text, "%s.a", g->contact[i].name);
    }
    return n->text.status;
}

/* ---- profiles ------------------------------------------------------------ */

typedef struct shape {
    double *at;
    const char **variable;
    yoke_mark *mark;
    yoke_tie *tie;
} shape;

/* The deflection of one wire, supports included. */
static yoke_status add_profile(yoke_system *system, const yk_wires *g, int i,
                               shape *to, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(system);
    const double dx = g->span / (g->nodes + 1);
    yoke_profile p = { .name = g->wire[i].name,
                       .label = "deflection",
                       .unit = "m",
                       .along = "x",
                       .along_unit = "m",
                       .points = g->nodes + 2,
                       .at = to->at,
                       .variable = to->variable,
                       .mark = to->mark,
                       .tie = to->tie };

    for (int j = 0; j <= g->nodes + 1; j++) to->at[j] = dx * j;
    for (int j = 1; j <= g->nodes; j++)
        to->variable[j] = f->x_name[i * g->nodes + j - 1];
    for (int k = 0; k < g->contacts; k++) {
        const yk_wires_contact *c = &g->contact[k];
        if (c->wire == i)
            to->mark[p.marks++] =
                (yoke_mark){ c->name, c->x0, c->speed, c->name };
    }
    for (int k = 0; k < g->droppers; k++)
        if (g->dropper[k].from == i)
            to->tie[p.ties++] =
                (yoke_tie){ g->dropper[k].at, g->wire[g->dropper[k].to].name };
    return yoke_system_add_profile(system, &p, err);
}

static yoke_status add_profiles(yoke_system *system, const yk_wires *g,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    shape to = { NULL, NULL, NULL, NULL };

    YK_GO(yk_doubles(&to.at, (size_t)g->nodes + 2, err));
    YK_GO(YK_NEW(&to.variable, g->nodes + 2, err));
    YK_GO(YK_NEW(&to.mark, g->contacts, err));
    YK_GO(YK_NEW(&to.tie, g->droppers, err));
    for (int i = 0; i < g->wires; i++)
        YK_GO(add_profile(system, g, i, &to, err));
done:
    YK_FREE(to.at, to.variable, to.mark, to.tie);
    return status;
}

static unsigned flags(const yk_wires *g)
{
    for (int i = 0; i < g->contacts; i++)
        if (g->contact[i].speed != 0.0) return YOKE_LINEAR;
    return YOKE_AFFINE | YOKE_TIMELESS;
}

static const yoke_system_ops wires_ops = {
    .kind = "wires",
    .rhs = wires_rhs,
    .output = wires_output,
    .jacobian = wires_jacobian,
    .free = wires_free,
};

yoke_status yk_wires_create(yoke_system **out, const char *name,
                            const yk_wires *given, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    wires *s = NULL;
    names n = { .text = { .err = err } };
    bool taken = false;
    yoke_system *made = NULL;

    YK_GO(check(given, err));
    YK_GO(YK_NEW(&s, 1, err));
    YK_GO(fill(s, given, err));
    YK_GO(make_names(&n, s, given, err));
    const yoke_system_info info = {
        .n = 2 * s->half,
        .m = s->contacts,
        .p = LEVELS * s->contacts,
        .flags = flags(given),
        .positions = s->half,
        .x_name = n.x,
        .x_unit = n.x_unit,
        .u_name = n.u,
        .y_name = n.y,
        .y_unit = n.y_unit,
        .G = s->A,
        .Gu = s->Gu,
        .Hx = s->Hx,
        .Hu = s->Hu,
    };
    taken = true;
    YK_GO(yoke_system_create(&made, name, &wires_ops, s, &info, err));
    YK_GO(add_profiles(made, given, err));
    *out = made;
    made = NULL;
done:
    yoke_system_free(made);
    if (!taken) wires_free(s);
    if (!taken) yk_prefix(err, "subsystem \"%s\"", name ? name : "unnamed");
    names_clear(&n);
    return status;
}
