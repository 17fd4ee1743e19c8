/* comp/equation/structure/initial_choose.c -- which unknowns keep their start
 * values.
 *
 * That is a matter of structure.  The columns are offered to the matching in
 * order of preference, algebraic ones first; those that find no equation are
 * kept.  Because sets of columns that can be matched form a matroid this greedy
 * choice is best (Edmonds and Fulkerson 1965).  First states are preferred, the
 * well-conditioned choice; if that changes a value declared fixed, the fixed
 * ones are.
 */
#include "comp/equation/structure/initial.h"

#include "comp/equation/events/events.h"

typedef struct matcher {
    yoke_pattern *pattern; /* all entries: rows by n + p, or transposed */
    int *match;            /* column of each row, or -1 */
    int *seen, stamp;
    int *stack, *next;
    int matched;
} matcher;

static void matcher_free(matcher *a)
{
    yoke_pattern_free(a->pattern);
    YK_FREE(a->match, a->seen, a->stack, a->next);
}

static yoke_status matcher_create(matcher *a, const yk_eq_initial *p,
                                  bool transposed, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int rows = transposed ? p->n + p->p : p->rows;
    const int cols = transposed ? p->rows : p->n + p->p;
    int *row = NULL, *col = NULL;

    *a = (matcher){ 0 };
    YK_GO(YK_INTS((size_t)p->of_z.count, err, &row, &col));
    for (int k = 0; k < p->of_z.count; k++) {
        row[k] = transposed ? p->of_z.at[k].col : p->of_z.at[k].row;
        col[k] = transposed ? p->of_z.at[k].row : p->of_z.at[k].col;
    }
    YK_GO(yoke_pattern_create(&a->pattern, rows, cols, p->of_z.count, row, col,
                              err));
    YK_GO(YK_INTS((size_t)rows, err, &a->match, &a->seen));
    YK_GO(YK_INTS((size_t)cols, err, &a->stack, &a->next));
    for (int i = 0; i < rows; i++) a->match[i] = -1;
done:
    YK_FREE(row, col);
    return status;
}

/* The place of an unmatched row of column j, or -1.  Looking for one before
 * going deeper keeps chains of equations linear. */
static int free_row(const matcher *a, int j)
{
    for (int k = a->pattern->start[j]; k < a->pattern->start[j + 1]; k++)
        if (a->match[a->pattern->row[k]] < 0) return k;
    return -1;
}

static void enter(matcher *a, int *depth, int j)
{
    a->stack[*depth] = j;
    a->next[(*depth)++] = a->pattern->start[j];
}

/* An augmenting path from column j, by depth first search. */
static bool augment(matcher *a, int j)
{
    const yoke_pattern *g = a->pattern;
    int depth = 0;

    a->stamp++;
    enter(a, &depth, j);
    while (depth > 0) {
        const int c = a->stack[depth - 1];
        const int open =
            a->next[depth - 1] == g->start[c] ? free_row(a, c) : -1;
        if (open >= 0) {
            a->next[depth - 1] = open + 1;
            /* Every column on the path takes the row it looked at last. */
            while (depth-- > 0)
                a->match[g->row[a->next[depth] - 1]] = a->stack[depth];
            return true;
        }
        if (a->next[depth - 1] >= g->start[c + 1]) {
            depth--;
            continue;
        }
        const int row = g->row[a->next[depth - 1]++];
        if (a->seen[row] == a->stamp) continue;
        a->seen[row] = a->stamp;
        enter(a, &depth, a->match[row]); /* no row of c was open */
    }
    return false;
}

/* 0: solved for if at all possible ... 4: rather kept. */
static int reluctance(const yk_eq_initial *p, int j, bool respect_fixed)
{
    if (j >= p->n) return 0;
    return (p->state[j] ? 2 : 1) + (respect_fixed && p->fixed[j] ? 2 : 0);
}

/* Equations are offered in their order, those of the model first; what finds no
 * unknown is one too many. */
yoke_status yk_eq_initial_spare(const yk_eq_initial *p, bool *spare,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    matcher a;

    YK_GO(matcher_create(&a, p, true, err));
    for (int i = 0; i < p->rows; i++) spare[i] = !augment(&a, i);
done:
    matcher_free(&a);
    return status;
}

static yoke_status too_many(const yk_eq_initial *p, const matcher *a,
                            yoke_err *err)
{
    int row = 0;

    while (a->match[row] >= 0) row++;
    return yk_fail(err, YOKE_E_MODEL,
                   "%s: the initial equations ask for more than the %d "
                   "unknowns can satisfy",
                   yk_eq_initial_row_name(p, row), p->n);
}

yoke_status yk_eq_initial_choose(const yk_eq_initial *p, bool respect_fixed,
                                 int *pick, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int cols = p->n + p->p;
    matcher a;
    int picked = 0;

    YK_GO(matcher_create(&a, p, false, err));
    for (int round = 0; round <= 4; round++)
        for (int j = 0; j < cols && a.matched < p->rows; j++)
            if (reluctance(p, j, respect_fixed) == round)
                a.matched += augment(&a, j);
    if (a.matched < p->rows) YK_GO(too_many(p, &a, err));
    for (int j = 0; j < cols; j++) pick[j] = -1;
    for (int i = 0; i < p->rows; i++) pick[a.match[i]] = 0;
    for (int j = 0; j < cols; j++)
        if (pick[j] == 0) pick[j] = picked++;
done:
    matcher_free(&a);
    return status;
}

yoke_status yk_eq_initial_depends(const yk_eq_initial *p, bool *depends,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *pick = NULL;

    *depends = (p->rows > 0 &&
                (p->s->layout.m > 0 || p->s->model.initial.count > 0)) ||
               yk_whens_wait(p->s->events);
    if (*depends || p->rows == 0) return YOKE_OK;
    YK_GO(yk_ints(&pick, (size_t)p->n, err));
    for (int i = 0; i < 2; i++) {
        YK_GO(yk_eq_initial_choose(p, i == 1, pick, err));
        for (int j = 0; j < p->n; j++)
            if (p->state[j] && pick[j] >= 0) *depends = true;
    }
done:
    yk_free(pick);
    return status;
}
