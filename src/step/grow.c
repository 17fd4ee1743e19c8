/* step/grow.c -- unknowns that grow by themselves from below their tolerance.
 *
 * The matrix of the rates is A = -C^-1 G.  A first test is cheap: with C
 * diagonal in the rows i and j, the larger eigenvalue of
 *
 *     a_jj  a_ji
 *     a_ij  a_ii
 *
 * is real and positive for some i, or the unknown has grown in the step.
 * yk_unstable_find judges.
 */
#include "step/grow.h"

#include "step/drive.h"
#include "step/policy.h"
#include "sys/unstable.h"

#include <math.h>
#include <string.h>

void yk_growing_free(yk_growing *g)
{
    YK_FREE(g->row, g->c_at, g->owner, g->fill, g->atol, g->kept, g->mode,
            g->small);
}

static yoke_status find_rows(yk_growing *g, const yk_problem *p, yoke_err *err)
{
    const yoke_pattern *c = p->facts->C;
    yoke_status status = YOKE_OK;
    int *entries = NULL;

    YK_GO(YK_NEW(&entries, (size_t)p->n + 1, err));
    for (int i = 0; i < p->n; i++) g->owner[i] = -1;
    for (int k = 0; k < p->facts->G->start[p->n]; k++)
        g->fill[p->facts->G->row[k]]++;
    for (int k = 0; k < c->start[p->n]; k++) entries[c->row[k]]++;
    for (int j = 0; j < p->n; j++) {
        const int k = c->start[j];
        const bool alone = c->start[j + 1] == k + 1 && entries[c->row[k]] == 1;
        g->row[j] = alone ? c->row[k] : -1;
        if (alone) g->owner[c->row[k]] = j;
        g->c_at[j] = k;
    }
done:
    yk_free(entries);
    return status;
}

yoke_status yk_growing_create(yk_growing *g, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1;

    YK_TRY(YK_NEW(&g->row, n, err));
    YK_TRY(YK_NEW(&g->c_at, n, err));
    YK_TRY(YK_NEW(&g->owner, n, err));
    YK_TRY(YK_NEW(&g->fill, n, err));
    YK_TRY(YK_DOUBLES(n, err, &g->atol, &g->kept, &g->mode));
    YK_TRY(YK_NEW(&g->small, n, err));
    memcpy(g->atol, p->atol, (size_t)p->n * sizeof *g->atol);
    return find_rows(g, p, err);
}

void yk_growing_keep(yk_driver *d)
{
    yk_growing *g = &d->grow;

    if (g->lowered) memcpy(g->kept, d->p.atol, (size_t)d->p.n * sizeof(double));
    g->kept_lowered = g->lowered;
    g->kept_skip = g->skip;
    g->kept_misses = g->misses;
}

void yk_growing_back(yk_driver *d)
{
    yk_growing *g = &d->grow;

    if (g->lowered || g->kept_lowered)
        memcpy(d->p.atol, g->kept_lowered ? g->kept : g->atol,
               (size_t)d->p.n * sizeof(double));
    g->lowered = g->kept_lowered;
    g->skip = g->kept_skip;
    g->misses = g->kept_misses;
}

/* Growth by inputs: if they react to it, no unit alone shows the mode. */
static void note_grown(yk_driver *d)
{
    yk_problem *p = &d->p;
    yk_growing *g = &d->grow;

    for (int j = 0; j < p->n; j++) {
        if (!g->begun)
            g->small[j] = p->x[j] != 0.0 && fabs(p->x[j]) < g->atol[j];
        if (!g->small[j] ||
            !(fabs(p->x_new[j]) > YK_STEP_GROW_TOLD * g->atol[j]))
            continue;
        p->work.grown = j + 1;
        g->small[j] = false;
    }
    g->begun = true;
}

/* What has grown needs no atol of its own any more. */
static void restore(yk_driver *d)
{
    yk_problem *p = &d->p;
    yk_growing *g = &d->grow;

    if (!g->lowered) return;
    g->lowered = false;
    for (int j = 0; j < p->n; j++) {
        if (fabs(p->x_new[j]) * p->options.rtol > g->atol[j])
            p->atol[j] = g->atol[j];
        g->lowered = g->lowered || p->atol[j] < g->atol[j];
    }
}

/* The entry of G in a row and column. */
static double entry(const yk_problem *p, int row, int column)
{
    const yoke_pattern *g = p->facts->G;

    for (int k = g->start[column]; k < g->start[column + 1]; k++)
        if (g->row[k] == row) return p->G[k];
    return 0.0;
}

/* a_ij = rate of unknown i per unknown j. */
static double rate(const yk_driver *d, int i, int j)
{
    const yk_growing *g = &d->grow;
    const double c = d->p.C[g->c_at[i]];

    return c != 0.0 ? -entry(&d->p, g->row[i], j) / c : 0.0;
}

/* The largest growth rate of unknown j alone, or with one other. */
static double own_growth(const yk_driver *d, int j, bool with_others)
{
    const yoke_pattern *pattern = d->p.facts->G;
    const double ajj = rate(d, j, j);
    double most = ajj;

    for (int k = pattern->start[j]; with_others && k < pattern->start[j + 1];
         k++) {
        const int i = d->grow.owner[pattern->row[k]];
        if (i == j || i < 0) continue;
        const double both = rate(d, i, j);
        const double aii = rate(d, i, i), half = 0.5 * (ajj - aii);
        const double square = half * half + both * rate(d, j, i);
        if (square > 0.0) most = fmax(most, 0.5 * (ajj + aii) + sqrt(square));
    }
    return most;
}

/* The unknown that may grow without being seen in a step of length h, or -1. */
static int suspect(const yk_driver *d, double h, double *growth)
{
    const yk_problem *p = &d->p;
    const yk_growing *g = &d->grow;

    for (int j = 0; j < p->n; j++) {
        const double x = fabs(p->x[j]), next = fabs(p->x_new[j]);
        if (g->row[j] < 0 || x == 0.0 || p->depth[j] > 0) continue;
        const bool below = x < p->atol[j];
        if (!below && next > x) continue;
        *growth = own_growth(d, j, below);
        if (*growth * h > (below ? YK_STEP_GROW_SOME : YK_STEP_GROW_MUCH))
            return j;
        if (!below || !(p->x_new[j] * p->x[j] > 0.0)) continue;
        *growth = log(next / x) / h;
        if (*growth * h > YK_STEP_GROW_SOME) return j;
    }
    return -1;
}

/* Can nothing grow?  With C diagonal all rates are in the circles of Gershgorin
 * about the a_ii, of the sums of the other |a_ij| of the row, which lie on the left
 * of 0 here. */
static bool is_damped(const yk_driver *d)
{
    const yk_problem *p = &d->p;
    const yoke_pattern *pattern = p->facts->G;
    double *const margin = d->grow.mode; /* of each row, as scratch */

    for (int j = 0; j < p->n; j++) {
        if (d->grow.row[j] < 0 || p->C[d->grow.c_at[j]] == 0.0) return false;
        margin[j] = 0.0;
    }
    for (int j = 0; j < p->n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = d->grow.owner[pattern->row[k]];
            const double c = p->C[d->grow.c_at[i]];
            margin[i] -= i == j ? -p->G[k] / c : fabs(p->G[k] / c);
        }
    for (int i = 0; i < p->n; i++)
        if (!(margin[i] >= 0.0)) return false;
    return true;
}

/* Has an unknown a part in the mode that was found? */
static bool takes_part(const yk_driver *d, int j)
{
    return fabs(d->grow.mode[j]) > YK_STEP_GROW_PART * d->p.facts->nominal[j];
}

/* A mode of about this growth in which unknown `at` has a part: another one may
 * hide it, so it is looked for once more from there.  What has no part in
 * a growing mode is small for good, or nothing but rounding (the height of a
 * piston in its guide, of which the rod would fall if it were alone).  Its rate
 * in *found; 0: none. */
static yoke_status find_mode(yk_driver *d, int at, double growth, double *found,
                             yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_unstable_growth mode;
    yk_unstable_rest rest = { .n = p->n,
                              .C_pattern = p->facts->C,
                              .G_pattern = p->facts->G,
                              .C = p->C,
                              .G = p->G,
                              .size = p->facts->nominal,
                              .least = 0.3 * growth,
                              .most = 4.0 * growth };

    *found = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        rest.from = pass * (at + 1);
        YK_TRY(yk_unstable_find(&rest, &mode, d->grow.mode, err));
        p->work.factorizations += mode.factored;
        p->work.solves += mode.solves;
        if (mode.rate == 0.0) return YOKE_OK;
        if (!takes_part(d, at)) continue;
        *found = mode.rate;
        return YOKE_OK;
    }
    return YOKE_OK;
}

/* Does unknown `at` grow by itself, at about this rate?  That of it in *found. */
static yoke_status judge(yk_driver *d, int at, double growth, double *found,
                         yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_growing *g = &d->grow;

    *found = rate(d, at, at);
    if (g->fill[g->row[at]] <= 1 && *found > 0.0) { /* it is the only one */
        memset(g->mode, 0, (size_t)p->n * sizeof *g->mode);
        g->mode[at] = p->facts->nominal[at];
        return YOKE_OK;
    }
    *found = 0.0;
    if (is_damped(d)) return YOKE_OK;
    return find_mode(d, at, growth, found, err);
}

/* The unknowns of the mode, which has the present size of unknown `at`. */
static void lower(yk_driver *d, int at)
{
    yk_problem *p = &d->p;
    yk_growing *g = &d->grow;
    const double *const size = p->facts->nominal;
    const double amount =
        fabs(p->x[at]) / fmax(fabs(g->mode[at]), YK_STEP_GROW_PART * size[at]);

    for (int j = 0; j < p->n; j++)
        if (takes_part(d, j)) {
            g->small[j] = false;
            p->atol[j] =
                fmin(p->atol[j], p->options.rtol * amount * fabs(g->mode[j]));
        }
    p->atol[at] = fmin(p->atol[at], p->options.rtol * fabs(p->x[at]));
    g->lowered = true;
}

yoke_status yk_growing_check(yk_driver *d, double h, double *shorter,
                             yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_growing *g = &d->grow;
    double growth = 0.0, found = 0.0;

    *shorter = 0.0;
    if (p->m > 0) note_grown(d);
    restore(d);
    if (!p->values) return YOKE_OK;
    const int at = suspect(d, h, &growth);
    if (at < 0) return YOKE_OK;
    if (g->skip > 0) {
        g->skip--;
        return YOKE_OK;
    }
    YK_TRY(judge(d, at, growth, &found, err));
    if (found == 0.0) {
        g->skip = 4 << (g->misses < 10 ? g->misses++ : 10);
        return YOKE_OK;
    }
    lower(d, at);
    *shorter = fmin(0.5 * h, 0.3 / found);
    yk_fail(&d->last, YOKE_RETRY, "it grows by itself, at a rate of %.3g /s",
            found);
    return YOKE_OK;
}
