/* comp/equation/structure/depend.c -- which algebraic unknowns follow from a
 * state.
 *
 * Rows without charge determine the unknowns without charge.  A matching gives
 * each such unknown a row; it depends on what occurs there, and so on.
 */
#include "comp/equation/structure/depend.h"

#include "la/pattern.h"

struct yk_depend {
    int n;
    yoke_pattern *by_row; /* the pattern of G, row by row */
    bool *row, *free;     /* without charge: rows, unknowns */
    int *row_of;          /* of each unknown, or -1 */
    int *stack, *next, *match, *seen;
};

void yk_depend_free(yk_depend *d)
{
    if (!d) return;
    yoke_pattern_free(d->by_row);
    YK_FREE(d->row, d->free, d->row_of, d->stack, d->next, d->match, d->seen);
    yk_free(d);
}

/* A row for unknown j, perhaps taken from others. */
static void augment(yk_depend *d, const yoke_pattern *g, int j, int stamp)
{
    int depth = 0;

    d->stack[depth] = j;
    d->next[depth++] = g->start[j];
    while (depth > 0) {
        const int c = d->stack[depth - 1];
        if (d->next[depth - 1] >= g->start[c + 1]) {
            depth--;
            continue;
        }
        const int i = g->row[d->next[depth - 1]++];
        if (!d->row[i] || d->seen[i] == stamp) continue;
        d->seen[i] = stamp;
        if (d->match[i] < 0) {
            while (depth-- > 0)
                d->match[g->row[d->next[depth] - 1]] = d->stack[depth];
            return;
        }
        d->stack[depth] = d->match[i];
        d->next[depth++] = g->start[d->match[i]];
    }
}

yoke_status yk_depend_create(yk_depend **out, const yk_layout *l, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)l->n;
    const yoke_pattern *charge[] = { l->C, l->Cu };
    yk_depend *d = NULL;

    YK_GO(YK_NEW(&d, 1, err));
    d->n = l->n;
    YK_GO(yk_pattern_transpose(&d->by_row, l->G, err));
    YK_GO(YK_NEW(&d->row, n, err));
    YK_GO(YK_NEW(&d->free, n, err));
    YK_GO(yk_ints(&d->row_of, n, err));
    YK_GO(YK_INTS(n + 1, err, &d->stack, &d->next));
    YK_GO(YK_INTS(n, err, &d->match, &d->seen));
    for (int j = 0; j < l->n; j++) {
        d->row[j] = d->free[j] = true;
        d->row_of[j] = d->match[j] = -1;
    }
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < charge[c]->start[charge[c]->cols]; k++)
            d->row[charge[c]->row[k]] = false;
    for (int j = 0; j < l->n; j++)
        d->free[j] = l->C->start[j] == l->C->start[j + 1];
    for (int j = 0; j < l->n; j++)
        if (d->free[j]) augment(d, l->G, j, j + 1);
    for (int i = 0; i < l->n; i++)
        if (d->match[i] >= 0) d->row_of[d->match[i]] = i;
    for (int i = 0; i < l->n; i++) d->seen[i] = 0;
    *out = d;
    d = NULL;
done:
    yk_depend_free(d);
    return status;
}

int yk_depends(yk_depend *d, int column, const bool *on)
{
    int count = 0, found = -1, kept = 0;

    if (!d->free[column]) return -1;
    d->stack[count++] = column;
    d->seen[column] = 1;
    while (kept < count && found < 0) {
        const int row = d->row_of[d->stack[kept++]];
        for (int k = row < 0 ? 0 : d->by_row->start[row];
             row >= 0 && k < d->by_row->start[row + 1]; k++) {
            const int c = d->by_row->row[k];
            if (on[c]) found = c;
            if (!d->free[c] || d->seen[c]) continue;
            d->seen[c] = 1;
            d->stack[count++] = c;
        }
    }
    for (int k = 0; k < count; k++) d->seen[d->stack[k]] = 0;
    return found;
}
