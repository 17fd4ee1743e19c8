/* fmi/cholesky.c -- la/cholesky.h without CHOLMOD, for the binary of FMUs.
 *
 *     P A P' = L L',   row by row: L(0:k, 0:k) x = A(0:k, k) gives row k.
 *
 * The pattern of row k is what the entries of column k of A reach in the
 * elimination tree.  P is AMD's ordering.
 * Reference: Davis, Direct Methods for Sparse Linear Systems, 2006, chapter 4.
 */
#include "la/cholesky.h"

#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

struct yk_cholesky {
    int n;
    int *order, *place;      /* new -> old, old -> new */
    int *start, *row, *from; /* upper triangle of P A P' by columns; values are
                                value[from[]] */
    int *parent;             /* elimination tree */
    int *first, *index;      /* L by columns, the diagonal first */
    double *l, *x;
    int *next, *mark, *stack;
    bool is_factored;
};

void yk_cholesky_free(yk_cholesky *c)
{
    if (!c) return;
    YK_FREE(c->order, c->place, c->start, c->row, c->from, c->parent, c->first,
            c->index, c->l, c->x, c->next, c->mark, c->stack, c);
}

/* The upper triangle in the new order. */
static void permute(yk_cholesky *c, const yoke_pattern *a)
{
    int *count = c->next;

    memset(count, 0, (size_t)c->n * sizeof *count);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < c->n; j++)
            for (int k = a->start[j]; k < a->start[j + 1]; k++) {
                const int p = c->place[j], q = c->place[a->row[k]];
                const int column = p > q ? p : q, row = p > q ? q : p;
                if (pass == 0) {
                    c->start[column + 1]++;
                    continue;
                }
                const int at = c->start[column] + count[column]++;
                c->row[at] = row;
                c->from[at] = k;
            }
        for (int j = 0; pass == 0 && j < c->n; j++)
            c->start[j + 1] += c->start[j];
    }
}

static void find_tree(yk_cholesky *c)
{
    int *ancestor = c->mark;

    for (int k = 0; k < c->n; k++) {
        c->parent[k] = ancestor[k] = -1;
        for (int p = c->start[k]; p < c->start[k + 1]; p++)
            for (int i = c->row[p], next; i != -1 && i < k; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next == -1) c->parent[i] = k;
            }
    }
}

/* The columns of row k of L, each before those that need it: stack[top..n). */
static int reach(yk_cholesky *c, int k)
{
    int top = c->n;

    c->mark[k] = k;
    for (int p = c->start[k]; p < c->start[k + 1]; p++) {
        int length = 0;
        for (int i = c->row[p]; c->mark[i] != k; i = c->parent[i]) {
            c->stack[length++] = i;
            c->mark[i] = k;
        }
        while (length > 0) c->stack[--top] = c->stack[--length];
    }
    return top;
}

static yoke_status make_room(yk_cholesky *c, yoke_err *err)
{
    for (int i = 0; i < c->n; i++) c->mark[i] = -1;
    for (int k = 0; k < c->n; k++) {
        c->first[k + 1]++;
        for (int top = reach(c, k); top < c->n; top++)
            c->first[c->stack[top] + 1]++;
    }
    for (int k = 0; k < c->n; k++) c->first[k + 1] += c->first[k];
    YK_TRY(yk_ints(&c->index, (size_t)c->first[c->n] + 1, err));
    return yk_doubles(&c->l, (size_t)c->first[c->n] + 1, err);
}

static yoke_status build(yk_cholesky *c, const yoke_pattern *lower,
                         yoke_err *err)
{
    const size_t n = (size_t)lower->cols + 1;
    const size_t places = (size_t)lower->start[lower->cols] + 1;

    c->n = lower->cols;
    YK_TRY(YK_INTS(n, err, &c->order, &c->place, &c->start, &c->parent,
                   &c->first, &c->next, &c->mark));
    YK_TRY(YK_INTS(places, err, &c->row, &c->from));
    YK_TRY(yk_ints(&c->stack, 2 * n, err));
    YK_TRY(yk_doubles(&c->x, n, err));
    if (amd_order(c->n, lower->start, lower->row, c->order, NULL, NULL) < 0)
        return yk_fail(err, YOKE_E_NUMERIC, "AMD: no ordering of %d unknowns",
                       c->n);
    for (int i = 0; i < c->n; i++) c->place[c->order[i]] = i;
    permute(c, lower);
    find_tree(c);
    return make_room(c, err);
}

yoke_status yk_cholesky_create(yk_cholesky **out, const yoke_pattern *lower,
                               yoke_err *err)
{
    yk_cholesky *c = NULL;

    YK_TRY(YK_NEW(&c, 1, err));
    const yoke_status status = build(c, lower, err);
    if (status == YOKE_OK)
        *out = c;
    else
        yk_cholesky_free(c);
    return status;
}

yoke_status yk_cholesky_factor(yk_cholesky *c, const double *value, int *column,
                               yoke_err *err)
{
    double *x = c->x;

    c->is_factored = false;
    memset(x, 0, (size_t)c->n * sizeof *x);
    memcpy(c->next, c->first, (size_t)c->n * sizeof *c->next);
    for (int i = 0; i < c->n; i++) c->mark[i] = -1;
    for (int k = 0; k < c->n; k++) {
        int top = reach(c, k);
        for (int p = c->start[k]; p < c->start[k + 1]; p++)
            x[c->row[p]] += value[c->from[p]];
        double d = x[k];
        x[k] = 0.0;
        for (; top < c->n; top++) {
            const int i = c->stack[top];
            const double entry = x[i] / c->l[c->first[i]];
            x[i] = 0.0;
            for (int p = c->first[i] + 1; p < c->next[i]; p++)
                x[c->index[p]] -= c->l[p] * entry;
            d -= entry * entry;
            c->index[c->next[i]] = k;
            c->l[c->next[i]++] = entry;
        }
        if (!(d > 0.0)) {
            if (column) *column = c->order[k];
            return yk_fail(err, YOKE_RETRY,
                           "matrix of %d unknowns is not positive definite at "
                           "column %d",
                           c->n, c->order[k]);
        }
        c->index[c->next[k]] = k;
        c->l[c->next[k]++] = sqrt(d);
    }
    c->is_factored = true;
    return YOKE_OK;
}

yoke_status yk_cholesky_solve(yk_cholesky *c, int count, const double *b,
                              double *x, yoke_err *err)
{
    double *y = c->x;

    if (!c->is_factored)
        return yk_fail(err, YOKE_E_NUMERIC, "the matrix is not factored");
    for (int r = 0; r < count; r++, b += c->n, x += c->n) {
        for (int i = 0; i < c->n; i++) y[i] = b[c->order[i]];
        for (int j = 0; j < c->n; j++) {
            y[j] /= c->l[c->first[j]];
            for (int p = c->first[j] + 1; p < c->first[j + 1]; p++)
                y[c->index[p]] -= c->l[p] * y[j];
        }
        for (int j = c->n - 1; j >= 0; j--) {
            for (int p = c->first[j] + 1; p < c->first[j + 1]; p++)
                y[j] -= c->l[p] * y[c->index[p]];
            y[j] /= c->l[c->first[j]];
        }
        for (int i = 0; i < c->n; i++) x[c->order[i]] = y[i];
    }
    return YOKE_OK;
}

double yk_cholesky_fill(const yk_cholesky *c)
{
    return c->first[c->n];
}
