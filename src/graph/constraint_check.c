/* graph/constraint_check.c -- can the multipliers hold the constraints?
 *
 * With A = C/h + G of the whole coupled system, lambda the multipliers and g
 * the constraints,
 *
 *     S(h) = A_gx A_xx^-1 A_xlambda
 *
 * is what unit multipliers do to the constraints over a short step.  For
 * mechanisms it tends to h^k G M^-1 G', k by the level at which the constraint
 * is written.  A row that is zero belongs to a constraint on which no
 * multiplier acts; rows that depend on each other are redundant constraints,
 * or contradictory ones if the same combination of the constraints is not zero.
 * la/depend.c finds a smallest set.  A constraint that is written at the level
 * of accelerations must respond at once, not like h or h^2: S is computed for
 * two h.
 *
 * Limits: only as many multipliers as fit a dense matrix.  What is singular
 * without the constraints is left to others to explain.
 */
#include "graph/cluster.h"
#include "la/depend.h"
#include "la/lu.h"
#include "sys/system.h"

#include "base/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1000 }; /* multipliers */

static const double smallness = 1e-3, refine = 10.0;
static const double nothing = 1e-13;   /* an answer that is rounding */
static const double vanishing = 1e-9;  /* of a row, relative to what it was */
static const double consistent = 1e-7; /* of a combination, relative */

/* The parts of the whole.  Multipliers and constraints have the same numbers.
 */
typedef struct parts {
    yk_cluster *whole;
    const yoke_system_info *all;
    int count, rest;       /* multipliers, other unknowns */
    int *at;               /* of each unknown: its number in its part */
    bool *inside;          /* of each unknown and equation: of a constraint */
    int *node, *own;       /* of each multiplier, and its number there */
    yoke_jacobian jac;     /* of the whole */
    yoke_pattern *pattern; /* of A_xx */
    int *c_at, *g_at;      /* entries of C and G there, or -1 */
    yk_lu *lu;
    double *value, *column, *u;
    double *S[2]; /* count by count, for h and a shorter one */
    const char **name;
    char (*text)[128];
} parts;

static void clear(parts *p)
{
    yk_clusters_free(p->whole, 1);
    YK_FREE(p->at, p->inside, p->node, p->own, p->jac.C);
    yoke_pattern_free(p->pattern);
    YK_FREE(p->c_at, p->g_at);
    yk_lu_free(p->lu);
    YK_FREE(p->value, p->column, p->u, p->S[0], p->S[1], p->name, p->text);
}

/* Which unknowns are multipliers; their names as the user knows them. */
static yoke_status sort_out(parts *p, const yoke_graph *g, yoke_err *err)
{
    const int n = p->all->n;

    YK_TRY(yk_ints(&p->at, (size_t)n + 1, err));
    YK_TRY(YK_NEW(&p->inside, n + 1, err));
    YK_TRY(YK_INTS((size_t)n + 1, err, &p->node, &p->own));
    YK_TRY(YK_NEW(&p->name, n + 1, err));
    YK_TRY(YK_NEW(&p->text, p->count + 1, err));
    p->count = 0;
    for (int k = 0; k < p->whole->nodes; k++) {
        const int node = p->whole->node[k];
        const yoke_system *s = g->node[node].system;
        const int own = yoke_system_facts(s)->n;
        for (int i = 0; g->node[node].is_constraint && i < own; i++) {
            char *const text = p->text[p->count];
            if (own == 1)
                snprintf(text, sizeof p->text[0], "%.120s",
                         yoke_system_name(s));
            else
                snprintf(text, sizeof p->text[0], "%.100s (equation %d)",
                         yoke_system_name(s), i + 1);
            p->name[p->count] = text;
            p->node[p->count] = node;
            p->own[p->count] = i;
            p->inside[p->whole->x_at[k] + i] = true;
            p->at[p->whole->x_at[k] + i] = p->count++;
        }
    }
    for (int j = 0; j < n; j++)
        if (!p->inside[j]) p->at[j] = p->rest++;
    return YOKE_OK;
}

/* Places of `from` in A_xx, written behind each other. */
static int collect(const parts *p, const yoke_pattern *from, int count,
                   int *row, int *col)
{
    for (int j = 0; j < p->all->n; j++)
        for (int k = from->start[j]; k < from->start[j + 1]; k++) {
            if (p->inside[j] || p->inside[from->row[k]]) continue;
            row[count] = p->at[from->row[k]];
            col[count++] = p->at[j];
        }
    return count;
}

static void locate(const parts *p, const yoke_pattern *from, int *place)
{
    for (int j = 0; j < p->all->n; j++)
        for (int k = from->start[j]; k < from->start[j + 1]; k++)
            place[k] = p->inside[j] || p->inside[from->row[k]]
                           ? -1
                           : yoke_pattern_find(p->pattern, p->at[from->row[k]],
                                               p->at[j]);
}

static yoke_status make_pattern(parts *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_pattern *c = p->all->C, *g = p->all->G;
    const size_t room =
        (size_t)yoke_pattern_count(c) + (size_t)yoke_pattern_count(g) + 1;
    int *row = NULL, *col = NULL;

    YK_GO(YK_INTS(room, err, &row, &col, &p->c_at, &p->g_at));
    const int count = collect(p, g, collect(p, c, 0, row, col), row, col);
    YK_GO(yoke_pattern_create(&p->pattern, p->rest, p->rest, count, row, col,
                              err));
    locate(p, c, p->c_at);
    locate(p, g, p->g_at);
    YK_GO(
        yk_doubles(&p->value, (size_t)yoke_pattern_count(p->pattern) + 1, err));
    YK_GO(yk_lu_create(&p->lu, p->pattern, false, err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status factor(parts *p, double h, yoke_err *err)
{
    memset(p->value, 0,
           (size_t)yoke_pattern_count(p->pattern) * sizeof *p->value);
    for (int k = 0; k < yoke_pattern_count(p->all->C); k++)
        if (p->c_at[k] >= 0) p->value[p->c_at[k]] += p->jac.C[k] / h;
    for (int k = 0; k < yoke_pattern_count(p->all->G); k++)
        if (p->g_at[k] >= 0) p->value[p->g_at[k]] += p->jac.G[k];
    return yk_lu_factor(p->lu, p->value, NULL, err);
}

/* Adds scale times column j of a matrix to `column`, rows outside. */
static void add_column(const parts *p, const yoke_pattern *from,
                       const double *value, double scale, int j, double *column)
{
    for (int k = from->start[j]; k < from->start[j + 1]; k++)
        if (!p->inside[from->row[k]])
            column[p->at[from->row[k]]] += scale * value[k];
}

/* S(., j) from x = A_xx^-1 A_xlambda e_j; tiny terms of a sum that cancels are
 * rounding. */
static void add_rows(const parts *p, const yoke_pattern *from,
                     const double *value, double scale, const double *x, int j,
                     double *S, double *size)
{
    for (int c = 0; c < p->all->n; c++) {
        if (p->inside[c]) continue;
        for (int k = from->start[c]; k < from->start[c + 1]; k++) {
            if (!p->inside[from->row[k]]) continue;
            const int i = p->at[from->row[k]];
            const double term = scale * value[k] * x[p->at[c]];
            S[i * p->count + j] += term;
            size[i] = fmax(size[i], fabs(term));
        }
    }
}

static yoke_status answer(parts *p, double h, double *S, yoke_err *err)
{
    const yoke_pattern *C = p->all->C, *G = p->all->G;
    double *const size = p->column + p->rest;

    YK_TRY(factor(p, h, err));
    for (int u = 0; u < p->all->n; u++) {
        if (!p->inside[u]) continue;
        const int j = p->at[u];
        memset(p->column, 0, (size_t)(p->rest + p->count) * sizeof *p->column);
        add_column(p, C, p->jac.C, 1.0 / h, u, p->column);
        add_column(p, G, p->jac.G, 1.0, u, p->column);
        YK_TRY(yk_lu_solve(p->lu, p->column, err));
        add_rows(p, C, p->jac.C, 1.0 / h, p->column, j, S, size);
        add_rows(p, G, p->jac.G, 1.0, p->column, j, S, size);
        for (int i = 0; i < p->count; i++)
            if (fabs(S[i * p->count + j]) <= 1e3 * nothing * size[i])
                S[i * p->count + j] = 0.0;
    }
    return YOKE_OK;
}

/* ---- judgement ----------------------------------------------------------- */

static yoke_status check_rows(const parts *p, const yoke_graph *g,
                              yoke_err *err)
{
    for (int i = 0; i < p->count; i++) {
        const double coarse = yk_largest(p->S[0] + i * p->count, p->count);
        const double fine = yk_largest(p->S[1] + i * p->count, p->count);
        const double order = log(coarse / fine) / log(refine);
        const yoke_system *of = g->node[p->node[i]].system;
        const yoke_form form = yk_constraint_form(of);
        if (coarse == 0.0 || fine == 0.0)
            return yk_fail(err, YOKE_E_MODEL,
                           "no multiplier acts on the constraint \"%s\", or "
                           "their effects cancel: what it holds does not "
                           "change, and nothing determines the unknown "
                           "\"%s.%s\"; let a multiplier enter where it has an "
                           "effect on the outputs of the equation",
                           p->name[i], yoke_system_name(of),
                           yoke_system_facts(of)->x_name[p->own[i]]);
        if (form == YOKE_FORM_STABILISED && order > 0.5)
            return yk_fail(err, YOKE_E_MODEL,
                           "no multiplier acts at once on the constraint "
                           "\"%s\", only after %s: it is written for "
                           "accelerations, which do not respond; let a "
                           "multiplier enter as a force on one of its outputs",
                           p->name[i],
                           order > 1.5 ? "two integrations" : "an integration");
    }
    return YOKE_OK;
}

/* What is left of each constraint at the start, at the lowest level that its
 * form reads: f[count]. */
static yoke_status residuals(const parts *p, const yoke_graph *g, double t,
                             double *f, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *u = NULL, *size = NULL;

    YK_GO(yk_doubles(&size, (size_t)p->count, err));
    for (int k = 0; k < p->count;) {
        const int node = p->node[k];
        const yoke_system_info *own = yoke_system_facts(g->node[node].system);
        yk_free(u);
        u = NULL;
        YK_GO(yk_doubles(&u, (size_t)own->m + 1, err));
        for (int l = 0; l < g->links; l++) {
            const yoke_link *link = &g->link[l];
            const yk_cluster_source s = { .to = link->input,
                                          .node = link->from,
                                          .output = link->output,
                                          .weight = link->weight };
            if (link->to == node) YK_GO(yk_graph_add_source(g, &s, t, u, err));
        }
        if (!yk_constraint_residual(g->node[node].system, t, u, 0, f + k, size))
            yk_constraint_residual(g->node[node].system, t, u, 1, f + k, size);
        k += own->n;
    }
done:
    YK_FREE(u, size);
    return status;
}

/* weight: of the rows that depend on each other, one for the last of them. */
static yoke_status blame(const parts *p, const yoke_graph *g, double t,
                         const double *weight, yoke_err *err)
{
    double left = 0.0, size = 1e-12;
    char who[600];

    YK_TRY(residuals(p, g, t, p->column, err));
    for (int i = 0; i < p->count; i++) {
        left += weight[i] * p->column[i];
        size += fabs(weight[i]) * fmax(1.0, fabs(p->column[i]));
    }
    yk_list_weighted(who, sizeof who, p->count, weight, p->name);
    if (fabs(left) > consistent * size)
        return yk_fail(err, YOKE_E_MODEL,
                       "the constraints %s contradict each other: they hold "
                       "the same, but at values that differ by %g (in the last "
                       "of them)",
                       who, fabs(left));
    return yk_fail(err, YOKE_E_MODEL,
                   "the constraints %s are redundant, exactly or nearly: each "
                   "of them follows from the others, or their multipliers act "
                   "in the same way; leave one out",
                   who);
}

static yoke_status check_rank(parts *p, const yoke_graph *g, double t,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *weight = NULL;
    int row = -1;

    YK_GO(yk_doubles(&weight, (size_t)p->count, err));
    for (int i = 0; i < p->count; i++) { /* rows of size one */
        double *const s = p->S[0] + i * p->count;
        p->column[i] = yk_largest(s, p->count);
        for (int j = 0; j < p->count; j++) s[j] /= p->column[i];
    }
    YK_GO(yk_dependent_row(p->count, p->count, p->S[0], vanishing, &row, weight,
                           err));
    for (int i = 0; row >= 0 && i < p->count; i++)
        weight[i] *= p->column[row] / p->column[i];
    if (row >= 0) status = blame(p, g, t, weight, err);
done:
    yk_free(weight);
    return status;
}

static yoke_status measure(parts *p, const yoke_graph *graph, double t,
                           yoke_err *err)
{
    const size_t squared = (size_t)p->count * (size_t)p->count;

    YK_TRY(yk_jacobian_create(&p->jac, p->whole->system, err));
    YK_TRY(yk_doubles(&p->column, (size_t)p->all->n + 1, err));
    YK_TRY(YK_DOUBLES(squared, err, &p->S[0], &p->S[1]));
    YK_TRY(make_pattern(p, err));
    YK_TRY(yk_doubles(&p->u, (size_t)p->all->m + 1, err));
    YK_TRY(yk_graph_inputs_at(graph, p->whole, t, p->u, err));
    YK_TRY(yoke_system_jacobian(p->whole->system, t, p->all->x0, p->u, &p->jac,
                                err));
    const double c = yk_largest(p->jac.C, yoke_pattern_count(p->all->C));
    const double g = yk_largest(p->jac.G, yoke_pattern_count(p->all->G));
    const double h = smallness * (c > 0.0 && g > 0.0 ? c / g : 1.0);
    YK_TRY(answer(p, h, p->S[0], err));
    return answer(p, h / refine, p->S[1], err);
}

yoke_status yk_constraints_check(const yoke_graph *graph, double t,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    parts p = { 0 };
    yoke_err why;

    for (int i = 0; i < graph->nodes; i++)
        if (graph->node[i].is_constraint)
            p.count += yoke_system_facts(graph->node[i].system)->n;
    for (int i = 0; i < graph->nodes; i++) /* what those answer is not known */
        if (graph->node[i].is_constraint &&
            yk_constraint_joins_closed(graph, i))
            return YOKE_OK;
    if (p.count == 0 || p.count > MOST) return YOKE_OK;
    YK_GO(yk_cluster_whole(&p.whole, graph, NULL, false, err));
    p.all = yoke_system_facts(p.whole->system);
    YK_GO(sort_out(&p, graph, err));
    if (p.rest == 0) goto done;
    status = measure(&p, graph, t, &why);
    if (status > 0) { /* singular without the constraints, or not defined */
        status = YOKE_OK;
        goto done;
    }
    if (status < 0) {
        if (err) *err = why;
        goto done;
    }
    YK_GO(check_rows(&p, graph, err));
    YK_GO(check_rank(&p, graph, t, err));
done:
    clear(&p);
    return status;
}
