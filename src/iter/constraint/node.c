/* iter/constraint/node.c -- multipliers at one instant, and the projection at
 * the end of a window.
 *
 * Units tell y, y', y'' of the outputs that the constraint reads, and what the
 * multipliers do to them at once.  Row k of
 *
 *     S = sum over units of D_i A_i K_i
 *
 * is that of its own degree: D_i = dg/dy_i, A_i the answer of y_i^(r) to the
 * inputs, K_i the weights with which the multipliers enter.
 */
#include "iter/constraint/node.h"

#include "iter/policy.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

/* What is left of a sum of terms this much larger is rounding. */
static const double nothing = 1e-9;

/* The projection stops when what is left of g is below this part of the
 * tolerance of its terms. */
static const double projected = 0.01;
enum { MOST_PROJECTIONS = 5 };

void yk_constraint_node_clear(yk_constraint_node *n)
{
    for (int i = 0; n->part && i < n->parts; i++) {
        yk_constraint_part *p = &n->part[i];
        YK_FREE(p->input, p->enter, p->read, p->y, p->a, p->mu, p->tight,
                p->W[0], p->W[1], p->V[0], p->V[1]);
    }
    YK_FREE(n->part, n->degree, n->v, n->D, n->g, n->S, n->factor, n->mu,
            n->pivot, n->v_side, n->g_side);
}

yoke_status yk_constraint_node_create(yk_constraint_node *n,
                                      const yk_constraint_setup *setup,
                                      yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(setup->cluster->system);

    n->graph = setup->graph;
    n->cluster = setup->cluster;
    n->rows = f->n;
    n->inputs = f->m;
    const size_t rows = (size_t)f->n, inputs = (size_t)f->m;
    YK_TRY(yk_doubles(&n->v, YK_CONSTRAINT_LEVELS * inputs, err));
    YK_TRY(yk_doubles(&n->D, rows * inputs, err));
    YK_TRY(yk_doubles(&n->g, YK_CONSTRAINT_LEVELS * rows, err));
    YK_TRY(YK_DOUBLES(rows * rows, err, &n->S, &n->factor));
    YK_TRY(yk_doubles(&n->mu, rows, err));
    return yk_ints(&n->pivot, rows, err);
}

/* ---- parts --------------------------------------------------------------- */

static yoke_status fill_part(yk_constraint_node *n, yk_constraint_part *part,
                             const yk_unit *unit, const yk_unit *own, int index,
                             int self, yoke_err *err)
{
    const yk_propagator *p = unit->propagator;
    const size_t outs = (size_t)p->p;

    part->name = unit->name;
    part->p = p;
    YK_TRY(yk_ints(&part->input, (size_t)unit->feeds, err));
    YK_TRY(YK_NEW(&part->enter, unit->feeds, err));
    YK_TRY(YK_NEW(&part->read, own->feeds, err));
    for (int f = 0; f < unit->feeds; f++) {
        const yk_feed *feed = &unit->feed[f];
        int at = 0;
        if (feed->delayed || feed->unit != self) continue;
        while (at < part->count && part->input[at] != feed->to) at++;
        if (at == part->count) part->input[part->count++] = feed->to;
        part->enter[part->enters++] =
            (yk_constraint_link){ feed->from, at, feed->weight };
    }
    for (int f = 0; f < own->feeds; f++) {
        const yk_feed *feed = &own->feed[f];
        if (feed->delayed || feed->unit != index || feed->to >= n->inputs)
            continue;
        part->read[part->reads++] =
            (yk_constraint_link){ feed->from, feed->to, feed->weight };
    }
    const size_t inputs = (size_t)(p->m > part->count ? p->m : part->count);
    YK_TRY(yk_doubles(&part->y, YK_CONSTRAINT_LEVELS * outs, err));
    YK_TRY(yk_doubles(&part->a, YK_CONSTRAINT_LEVELS * outs * inputs, err));
    return yk_doubles(&part->mu, (size_t)part->count, err);
}

static yoke_status want(const yk_constraint_node *n,
                        const yk_constraint_part *part, yoke_err *err)
{
    const yk_motion_ops *motion = part->p->ops->motion;

    if (part->reads == 0) return YOKE_OK;
    if (!motion)
        return yk_fail(err, YOKE_E_MODEL,
                       "the constraint \"%s\" cannot be iterated apart from "
                       "\"%s\", which does not tell how its outputs move; give "
                       "the constraint an owner",
                       n->cluster->name, part->name);
    for (int k = 0; k < part->reads; k++) {
        const yoke_status status =
            motion->want(part->p->self, part->read[k].from, err);
        if (status < 0)
            yk_prefix(err, "constraint \"%.100s\" apart from what it joins",
                      n->cluster->name);
        YK_TRY(status);
    }
    return YOKE_OK;
}

yoke_status yk_constraint_node_bind(yk_constraint_node *n, int units,
                                    const yk_unit *all, int self, yoke_err *err)
{
    YK_TRY(YK_NEW(&n->part, units, err));
    for (int i = 0; i < units; i++) {
        yk_constraint_part *part = &n->part[n->parts];
        if (i == self) continue;
        n->parts++;
        YK_TRY(fill_part(n, part, &all[i], &all[self], i, self, err));
        YK_TRY(want(n, part, err));
    }
    for (int f = 0; f < all[self].feeds; f++)
        if (all[self].feed[f].delayed)
            return yk_fail(err, YOKE_E_MODEL,
                           "the constraint \"%s\" reads a delayed signal; give "
                           "it an owner",
                           n->cluster->name);
    return YOKE_OK;
}

/* ---- at one instant ------------------------------------------------------ */

yoke_status yk_constraint_node_differentiate(yk_constraint_node *n,
                                             const yk_instant_of *at, int level,
                                             yoke_err *err)
{
    int row = 0, input = 0;

    for (int k = 0; k < n->cluster->nodes; k++) {
        const yoke_system *s = yoke_graph_system(n->graph, n->cluster->node[k]);
        const yoke_system_info *f = yoke_system_facts(s);
        const yk_constraint_motion motion = {
            .t = at->t,
            .scale = at->scale,
            .level = level,
            .u = n->v + input,
            .stride = n->inputs,
        };
        YK_TRY(yk_constraint_rates(s, &motion, n->g + row, n->rows,
                                   n->D + row * n->inputs + input, n->inputs,
                                   err));
        row += f->n;
        input += f->m;
    }
    return YOKE_OK;
}

/* Asks all parts. */
static yoke_status ask(yk_constraint_node *n, const yk_instant_of *at,
                       int level, bool answers, yoke_err *err)
{
    memset(n->v, 0, YK_CONSTRAINT_LEVELS * (size_t)n->inputs * sizeof *n->v);
    for (int i = 0; i < n->parts; i++) {
        yk_constraint_part *part = &n->part[i];
        const int p = part->p->p;
        if (part->reads == 0) continue;
        YK_TRY(part->p->ops->motion->tell(part->p->self, at, level, part->count,
                                          part->input, part->y,
                                          answers ? part->a : NULL, err));
        for (int l = 0; l <= level; l++)
            for (int k = 0; k < part->reads; k++) {
                const yk_constraint_link *r = &part->read[k];
                n->v[l * n->inputs + r->to] +=
                    r->weight * part->y[l * p + r->from];
            }
    }
    return YOKE_OK;
}

yoke_status yk_constraint_node_read(yk_constraint_node *n,
                                    const yk_instant_of *at, int level,
                                    yoke_err *err)
{
    YK_TRY(ask(n, at, level, false, err));
    return yk_constraint_node_differentiate(n, at, level, err);
}

/* Row k of sum D A K for level l of what the parts told last, and the sizes of
 * its terms, the largest of which is returned. */
static double answer_row(const yk_constraint_node *n, int k, int l, double *row)
{
    double most = 0.0;

    for (int j = 0; j < n->rows; j++) row[j] = 0.0;
    for (int i = 0; i < n->parts; i++) {
        const yk_constraint_part *part = &n->part[i];
        const int p = part->p->p;
        for (int r = 0; r < part->reads; r++) {
            const double d =
                n->D[k * n->inputs + part->read[r].to] * part->read[r].weight;
            const double *a =
                part->a + (l * p + part->read[r].from) * part->count;
            for (int e = 0; e < part->enters; e++) {
                const double term =
                    d * a[part->enter[e].to] * part->enter[e].weight;
                row[part->enter[e].from] += term;
                most = fmax(most, fabs(term));
            }
        }
    }
    return most;
}

/* Signals among the inputs must not be differentiated: below its degree no row
 * answers to any input. */
static yoke_status check_signals(yk_constraint_node *n, const yk_instant_of *at,
                                 yk_constraint_part *part, yoke_err *err)
{
    const int m = part->p->m, p = part->p->p;
    int *all = NULL;

    if (n->most == 0 || part->reads == 0 || m == 0) return YOKE_OK;
    YK_TRY(yk_ints(&all, (size_t)m, err));
    for (int j = 0; j < m; j++) all[j] = j;
    yoke_status status = part->p->ops->motion->tell(
        part->p->self, at, n->most - 1, m, all, NULL, part->a, err);
    yk_free(all);
    YK_TRY(status);
    for (int r = 0; r < part->reads; r++)
        for (int k = 0; k < n->rows; k++)
            for (int l = 0; l < n->degree[k]; l++)
                for (int j = 0; j < m; j++) {
                    const int out = part->read[r].from;
                    if (n->D[k * n->inputs + part->read[r].to] == 0.0 ||
                        part->a[(l * p + out) * m + j] == 0.0)
                        continue;
                    return yk_fail(
                        err, YOKE_E_MODEL,
                        "the constraint \"%s\" cannot be iterated apart: it "
                        "would have to differentiate a signal that \"%s\" "
                        "reads; give it an owner",
                        n->cluster->name, part->name);
                }
    return YOKE_OK;
}

static const char *row_name(const yk_constraint_node *n, int k)
{
    return yoke_system_facts(n->cluster->system)->x_name[k];
}

/* S and its factors, from what the parts told last. */
static yoke_status factor(yk_constraint_node *n, const yk_instant_of *at,
                          yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    int row = 0;

    for (int k = 0; k < n->rows; k++)
        answer_row(n, k, n->degree[k], n->S + k * n->rows);
    memcpy(n->factor, n->S, (size_t)n->rows * (size_t)n->rows * sizeof *n->S);
    const yoke_status status =
        yk_dense_factor(n->rows, n->factor, n->pivot, &row, &why);
    if (status == YOKE_RETRY)
        return yk_fail(err, YOKE_RETRY,
                       "constraint \"%s\" at t = %.9g: the multipliers do not "
                       "determine its equations (row of \"%s\"): they are "
                       "redundant, or the position is a special one, or some "
                       "of the parts answer at once and others by their rates",
                       n->cluster->name, at->t, row_name(n, row));
    if (status < 0 && err) *err = why;
    return status;
}

/* Mobilities up to the last level, outputs, and D of them. */
static yoke_status look(yk_constraint_node *n, const yk_instant_of *at,
                        yoke_err *err)
{
    for (int i = 0; i < n->parts; i++) {
        yk_constraint_part *part = &n->part[i];
        if (part->reads == 0) continue;
        YK_TRY(part->p->ops->motion->tell(part->p->self, at,
                                          YK_CONSTRAINT_LEVELS - 1, part->count,
                                          part->input, NULL, part->a, err));
    }
    return yk_constraint_node_read(n, at, 0, err);
}

static yoke_status find_degree(yk_constraint_node *n, int k, int *degree,
                               yoke_err *err)
{
    for (int l = 0; l < YK_CONSTRAINT_LEVELS; l++) {
        const double size = answer_row(n, k, l, n->mu);
        double most = 0.0;
        for (int j = 0; j < n->rows; j++) most = fmax(most, fabs(n->mu[j]));
        if (!(most > nothing * size)) continue;
        *degree = l;
        if (l > n->most) n->most = l;
        return YOKE_OK;
    }
    return yk_fail(err, YOKE_E_MODEL,
                   "constraint \"%s\": no multiplier acts on the equation of "
                   "\"%s\", nor on its first two derivatives; give the "
                   "constraint an owner",
                   n->cluster->name, row_name(n, k));
}

static yoke_status find_degrees(yk_constraint_node *n, int *degree,
                                const yk_instant_of *at, yoke_err *err)
{
    YK_TRY(look(n, at, err));
    for (int k = 0; k < n->rows; k++)
        YK_TRY(find_degree(n, k, &degree[k], err));
    n->degree = degree;
    YK_TRY(factor(n, at, err));
    for (int i = 0; i < n->parts; i++)
        YK_TRY(check_signals(n, at, &n->part[i], err));
    return YOKE_OK;
}

yoke_status yk_constraint_node_degrees(yk_constraint_node *n,
                                       const yk_instant_of *at, yoke_err *err)
{
    int *degree = NULL;

    if (n->degree) return YOKE_OK;
    YK_TRY(yk_ints(&degree, (size_t)n->rows, err));
    const yoke_status status = find_degrees(n, degree, at, err);
    if (status == YOKE_OK) return YOKE_OK;
    n->degree = NULL;
    yk_free(degree);
    if (status < 0 || !err) return status;
    /* At the first point of a run nothing is won by a shorter window. */
    yk_suffix(err,
              "; give the constraint \"%s\" an owner, or leave the choice "
              "to the program (cluster: auto)",
              n->cluster->name);
    return err->status = YOKE_E_MODEL;
}

yoke_status yk_constraint_node_solve(yk_constraint_node *n,
                                     const yk_instant_of *at, double *change,
                                     yoke_err *err)
{
    YK_TRY(ask(n, at, n->most, true, err));
    YK_TRY(yk_constraint_node_differentiate(n, at, n->most, err));
    YK_TRY(factor(n, at, err));
    for (int k = 0; k < n->rows; k++)
        change[k] = -n->g[n->degree[k] * n->rows + k];
    return yk_dense_solve(n->rows, n->factor, n->pivot, 1, change, err);
}

yoke_status yk_constraint_node_sizes(yk_constraint_node *n, double *size,
                                     yoke_err *err)
{
    for (int i = 0; i < n->rows; i++) size[i] = 0.0;
    for (int k = 0; k < n->rows; k++) {
        const int l = n->degree[k];
        double term = 0.0;
        for (int i = 0; i < n->parts; i++)
            for (int r = 0; r < n->part[i].reads; r++) {
                const yk_constraint_part *part = &n->part[i];
                const yk_constraint_link *read = &part->read[r];
                term += fabs(n->D[k * n->inputs + read->to] * read->weight *
                             part->y[l * part->p->p + read->from]);
            }
        for (int i = 0; i < n->rows; i++) n->mu[i] = i == k;
        YK_TRY(yk_dense_solve(n->rows, n->factor, n->pivot, 1, n->mu, err));
        for (int i = 0; i < n->rows; i++) size[i] += fabs(n->mu[i]) * term;
    }
    return YOKE_OK;
}

/* ---- tolerances ---------------------------------------------------------- */

/* What an error of unknown i of a part does to the multipliers, the largest over
 * its tolerance. */
static yoke_status shaken(yk_constraint_node *n, yk_constraint_part *part,
                          int i, const double *tolerance, double *most,
                          yoke_err *err)
{
    const int p = part->p->p;

    YK_TRY(
        part->p->ops->motion->shake(part->p->self, n->most, i, part->y, err));
    for (int k = 0; k < n->rows; k++) {
        n->mu[k] = 0.0;
        for (int r = 0; r < part->reads; r++)
            n->mu[k] += n->D[k * n->inputs + part->read[r].to] *
                        part->read[r].weight *
                        part->y[n->degree[k] * p + part->read[r].from];
    }
    YK_TRY(yk_dense_solve(n->rows, n->factor, n->pivot, 1, n->mu, err));
    *most = 0.0;
    for (int k = 0; k < n->rows; k++)
        *most = fmax(*most, fabs(n->mu[k]) / tolerance[k]);
    return YOKE_OK;
}

/* Each unknown may have its share of what is permitted: with errors of
 * independent signs the sum of n of them is sqrt(n) times one. */
static yoke_status tighten_part(yk_constraint_node *n, yk_constraint_part *part,
                                const double *tolerance, yoke_err *err)
{
    const yk_motion_ops *motion = part->p->ops->motion;
    const int unknowns = motion->unknowns(part->p->self);
    int count = 0;

    if (!part->tight) YK_TRY(yk_doubles(&part->tight, (size_t)unknowns, err));
    for (int i = 0; i < unknowns; i++) {
        YK_TRY(shaken(n, part, i, tolerance, &part->tight[i], err));
        count += part->tight[i] > 0.0;
    }
    const double share = YK_ITER_CONSTRAINT_SHARE / sqrt(fmax(count, 1.0));
    for (int i = 0; i < unknowns; i++)
        part->tight[i] =
            part->tight[i] > share
                ? fmax(share / part->tight[i], YK_ITER_CONSTRAINT_TIGHTEST)
                : 1.0;
    motion->tighten(part->p->self, part->tight);
    return YOKE_OK;
}

yoke_status yk_constraint_node_tighten(yk_constraint_node *n, double t0,
                                       double t, const double *tolerance,
                                       yoke_err *err)
{
    const yk_instant_of at = { t, t0, t, t - t0, false, false };

    YK_TRY(yk_constraint_node_read(n, &at, 0, err));
    for (int i = 0; i < n->parts; i++)
        if (n->part[i].reads > 0)
            YK_TRY(tighten_part(n, &n->part[i], tolerance, err));
    return YOKE_OK;
}

/* ---- projection ---------------------------------------------------------- */

/* Impulses of strength mu of the multipliers (level 1), or their derivatives. */
static yoke_status kick(yk_constraint_node *n, int level, yoke_err *err)
{
    for (int i = 0; i < n->parts; i++) {
        yk_constraint_part *part = &n->part[i];
        if (part->reads == 0 || part->enters == 0) continue;
        for (int c = 0; c < part->count; c++) part->mu[c] = 0.0;
        for (int e = 0; e < part->enters; e++)
            part->mu[part->enter[e].to] +=
                part->enter[e].weight * n->mu[part->enter[e].from];
        YK_TRY(part->p->ops->motion->kick(part->p->self, level, part->count,
                                          part->input, part->mu, err));
    }
    return YOKE_OK;
}

/* mu for the rows whose derivative r - `level` has to vanish; *left: how much of
 * it there is, over what may be. */
static yoke_status shares(yk_constraint_node *n, const yk_instant_of *at,
                          int level, double rtol, double atol, double *left,
                          yoke_err *err)
{
    YK_TRY(ask(n, at, n->most, true, err));
    YK_TRY(yk_constraint_node_differentiate(n, at, n->most, err));
    YK_TRY(factor(n, at, err));
    *left = 0.0;
    for (int k = 0; k < n->rows; k++) {
        const int l = n->degree[k] - level;
        double size = 0.0;
        n->mu[k] = 0.0;
        if (l < 0) continue;
        for (int j = 0; j < n->inputs; j++)
            size += fabs(n->D[k * n->inputs + j] * n->v[l * n->inputs + j]);
        n->mu[k] = -n->g[l * n->rows + k];
        *left = fmax(*left, fabs(n->mu[k]) / (atol + rtol * size));
    }
    return yk_dense_solve(n->rows, n->factor, n->pivot, 1, n->mu, err);
}

yoke_status yk_constraint_node_project(yk_constraint_node *n, double t0,
                                       double t, double rtol, double atol,
                                       yoke_err *err)
{
    const yk_instant_of at = { t, t0, t, t - t0, false, false };

    for (int level = n->most; level > 0; level--)
        for (int k = 0; k < MOST_PROJECTIONS; k++) {
            double left = 0.0;
            YK_TRY(shares(n, &at, level, rtol, atol, &left, err));
            if (left <= projected) break;
            YK_TRY(kick(n, level, err));
        }
    return YOKE_OK;
}
