/* iter/constraint/slopes.c -- what unknowns and signals of the units do to the
 * multipliers. */
#include "iter/constraint/node.h"

#include "graph/graph.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

/* Differences move what a constraint reads by this part of its size. */
static const double part_of_v = 1e-4;

bool yk_constraint_node_is_linear(const yk_constraint_node *n)
{
    for (int k = 0; k < n->cluster->nodes; k++)
        if (!yk_constraint_is_linear(
                yoke_graph_system(n->graph, n->cluster->node[k])))
            return false;
    for (int i = 0; i < n->parts; i++) {
        const yk_propagator *p = n->part[i].p;
        if (n->part[i].reads > 0 &&
            !(p->ops->motion->affine && p->ops->motion->affine(p->self)))
            return false;
    }
    return true;
}

static yoke_status make_room(yk_constraint_node *n, yoke_err *err)
{
    const size_t rows = (size_t)n->rows;

    for (int i = 0; i < n->parts; i++) {
        yk_constraint_part *part = &n->part[i];
        const yk_propagator *p = part->p;
        if (part->reads == 0 || part->W[1]) continue;
        const size_t x = (size_t)p->ops->motion->unknowns(p->self);
        for (int k = 0; k < 2; k++) {
            if (!part->V[k])
                YK_TRY(yk_doubles(&part->V[k], rows * ((size_t)p->m + 1), err));
            if (!part->W[k])
                YK_TRY(yk_doubles(&part->W[k], rows * (x + 1), err));
        }
    }
    if (n->v_side) return YOKE_OK;
    YK_TRY(yk_doubles(&n->g_side, YK_CONSTRAINT_LEVELS * rows, err));
    return yk_doubles(&n->v_side,
                      2 * YK_CONSTRAINT_LEVELS * (size_t)n->inputs + 1, err);
}

/* How far n->v may go along dv. */
static double reach_along(const yk_constraint_node *n, const double *dv)
{
    double least = INFINITY;

    for (int l = 0; l <= n->most; l++) {
        double size = 0.0, move = 0.0;
        for (int j = 0; j < n->inputs; j++) {
            size = fmax(size, fabs(n->v[l * n->inputs + j]));
            move = fmax(move, fabs(dv[l * n->inputs + j]));
        }
        if (move > 0.0) least = fmin(least, fmax(size, 1e-6) / move);
    }
    return part_of_v * least;
}

/* mu := -S^-1 d g^(r) along dv. */
static yoke_status along(yk_constraint_node *n, const yk_instant_of *at,
                         const double *dv, yoke_err *err)
{
    const size_t bytes =
        YK_CONSTRAINT_LEVELS * (size_t)n->inputs * sizeof *n->v;
    const double e = reach_along(n, dv);

    for (int k = 0; k < n->rows; k++) n->mu[k] = 0.0;
    if (!isfinite(e)) return YOKE_OK;
    double *const kept = n->v_side + YK_CONSTRAINT_LEVELS * n->inputs;
    memcpy(kept, n->v, bytes);
    memcpy(n->g_side, n->g,
           YK_CONSTRAINT_LEVELS * (size_t)n->rows * sizeof *n->g);
    for (int j = 0; j < (n->most + 1) * n->inputs; j++) n->v[j] += e * dv[j];
    const yoke_status status =
        yk_constraint_node_differentiate(n, at, n->most, err);
    for (int k = 0; k < n->rows; k++) {
        const int l = n->degree[k] * n->rows + k;
        n->mu[k] = -(n->g[l] - n->g_side[l]) / e;
    }
    memcpy(n->v, kept, bytes);
    memcpy(n->g, n->g_side,
           YK_CONSTRAINT_LEVELS * (size_t)n->rows * sizeof *n->g);
    if (status != YOKE_OK) return status;
    return yk_dense_solve(n->rows, n->factor, n->pivot, 1, n->mu, err);
}

/* What the constraint reads of changes y[LEVELS * p] of the outputs of a part. */
static void read_change(const yk_constraint_node *n,
                        const yk_constraint_part *part, const double *y,
                        double *dv)
{
    const int p = part->p->p;

    memset(dv, 0, YK_CONSTRAINT_LEVELS * (size_t)n->inputs * sizeof *dv);
    for (int l = 0; l <= n->most; l++)
        for (int r = 0; r < part->reads; r++)
            dv[l * n->inputs + part->read[r].to] +=
                part->read[r].weight * y[l * p + part->read[r].from];
}

/* By the signals: those inputs that are no multipliers. */
static yoke_status by_signals(yk_constraint_node *n, const yk_instant_of *at,
                              yk_constraint_part *part, yoke_err *err)
{
    const int m = part->p->m, p = part->p->p;

    memset(part->V[1], 0, (size_t)(n->rows * m) * sizeof **part->V);
    for (int j = 0; j < m; j++) {
        bool multiplier = false;
        for (int k = 0; k < part->count; k++)
            multiplier = multiplier || part->input[k] == j;
        if (multiplier) continue;
        YK_TRY(part->p->ops->motion->tell(part->p->self, at, n->most, 1, &j,
                                          NULL, part->a, err));
        for (int l = 0; l <= n->most; l++)
            for (int i = 0; i < p; i++) part->y[l * p + i] = part->a[l * p + i];
        read_change(n, part, part->y, n->v_side);
        YK_TRY(along(n, at, n->v_side, err));
        for (int k = 0; k < n->rows; k++) part->V[1][k * m + j] = n->mu[k];
    }
    return YOKE_OK;
}

static yoke_status by_unknowns(yk_constraint_node *n, const yk_instant_of *at,
                               yk_constraint_part *part, yoke_err *err)
{
    const yk_motion_ops *motion = part->p->ops->motion;
    const int unknowns = motion->unknowns(part->p->self);

    YK_TRY(motion->tell(part->p->self, at, n->most, 0, part->input, NULL, NULL,
                        err));
    for (int i = 0; i < unknowns; i++) {
        YK_TRY(motion->slope(part->p->self, n->most, i, part->y, err));
        read_change(n, part, part->y, n->v_side);
        YK_TRY(along(n, at, n->v_side, err));
        for (int k = 0; k < n->rows; k++)
            part->W[1][k * unknowns + i] = n->mu[k];
    }
    return YOKE_OK;
}

yoke_status yk_constraint_node_slopes(yk_constraint_node *n, double t0,
                                      double t, yoke_err *err)
{
    const yk_instant_of at = { t, t0, t, t - t0, false, false };

    YK_TRY(make_room(n, err));
    YK_TRY(yk_constraint_node_solve(n, &at, n->mu, err));
    for (int i = 0; i < n->parts; i++) {
        if (n->part[i].reads == 0) continue;
        YK_TRY(by_signals(n, &at, &n->part[i], err));
        YK_TRY(by_unknowns(n, &at, &n->part[i], err));
    }
    return YOKE_OK;
}

void yk_constraint_node_carry(yk_constraint_node *n)
{
    for (int i = 0; i < n->parts; i++) {
        yk_constraint_part *part = &n->part[i];
        const yk_propagator *p = part->p;
        if (part->reads == 0 || !part->W[1]) continue;
        const int unknowns = p->ops->motion->unknowns(p->self);
        memcpy(part->W[0], part->W[1],
               (size_t)(n->rows * unknowns) * sizeof **part->W);
        memcpy(part->V[0], part->V[1],
               (size_t)(n->rows * p->m) * sizeof **part->V);
    }
}

/* out += (1 - s) A v + s B v, rows by count. */
static void add_product(int rows, int count, const double *const at[2],
                        double s, const double *v, double *out)
{
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < count; i++) {
            const int j = k * count + i;
            out[k] += ((1.0 - s) * at[0][j] + s * at[1][j]) * v[i];
        }
}

void yk_constraint_part_change(const yk_constraint_node *n,
                               const yk_constraint_part *part, double s,
                               const double *dx, const double *du, double *out)
{
    const yk_propagator *p = part->p;

    add_product(n->rows, p->ops->motion->unknowns(p->self),
                (const double *const[2]){ part->W[0], part->W[1] }, s, dx, out);
    add_product(n->rows, p->m,
                (const double *const[2]){ part->V[0], part->V[1] }, s, du, out);
}
