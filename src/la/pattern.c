/* la/pattern.c -- sparse patterns. */
#include "la/pattern.h"

#include <limits.h>
#include <string.h>
#include <suitesparse/btf.h>

void yoke_pattern_free(yoke_pattern *pattern)
{
    if (!pattern) return;
    YK_FREE(pattern->start, pattern->row, pattern);
}

static yoke_status create_empty(yoke_pattern **out, int rows, int cols,
                                size_t count, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_pattern *p = NULL;

    if (rows < 0 || cols < 0)
        return yk_fail(err, YOKE_E_ARG, "pattern of %d rows and %d columns",
                       rows, cols);
    if (count > INT_MAX)
        return yk_fail(err, YOKE_E_ARG, "pattern with %zu places, at most %d",
                       count, INT_MAX);
    YK_TRY(YK_NEW(&p, 1, err));
    p->rows = rows;
    p->cols = cols;
    YK_GO(yk_ints(&p->start, (size_t)cols + 1, err));
    YK_GO(yk_ints(&p->row, count, err));
    *out = p;
    p = NULL;
done:
    yoke_pattern_free(p);
    return status;
}

/* Places (row[k], col[k]) sorted by columns; rows as they come. */
static void bucket(yoke_pattern *p, int count, const int *row, const int *col)
{
    for (int k = 0; k < count; k++) p->start[col[k] + 1]++;
    for (int j = 0; j < p->cols; j++) p->start[j + 1] += p->start[j];
    for (int k = 0; k < count; k++) p->row[p->start[col[k]]++] = row[k];
    for (int j = p->cols; j > 0; j--) p->start[j] = p->start[j - 1];
    p->start[0] = 0;
}

yoke_status yk_pattern_transpose(yoke_pattern **out, const yoke_pattern *from,
                                 yoke_err *err)
{
    yoke_pattern *t = NULL;

    YK_TRY(create_empty(&t, from->cols, from->rows,
                        (size_t)from->start[from->cols], err));
    for (int k = 0; k < from->start[from->cols]; k++)
        t->start[from->row[k] + 1]++;
    for (int j = 0; j < t->cols; j++) t->start[j + 1] += t->start[j];
    for (int j = 0; j < from->cols; j++)
        for (int k = from->start[j]; k < from->start[j + 1]; k++)
            t->row[t->start[from->row[k]]++] = j;
    for (int j = t->cols; j > 0; j--) t->start[j] = t->start[j - 1];
    t->start[0] = 0;
    *out = t;
    return YOKE_OK;
}

/* Rows are sorted; repeated ones removed. */
static void remove_repeats(yoke_pattern *p)
{
    int kept = 0;

    for (int j = 0; j < p->cols; j++) {
        const int first = kept, from = p->start[j], to = p->start[j + 1];
        p->start[j] = first;
        for (int k = from; k < to; k++)
            if (kept == first || p->row[kept - 1] != p->row[k])
                p->row[kept++] = p->row[k];
    }
    p->start[p->cols] = kept;
}

yoke_status yoke_pattern_create(yoke_pattern **out, int rows, int cols,
                                int count, const int *row, const int *col,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_pattern *p = NULL, *t = NULL;

    if (count < 0 || (count > 0 && (!row || !col)))
        return yk_fail(err, YOKE_E_ARG, "pattern of %d places", count);
    for (int k = 0; k < count; k++)
        if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols)
            return yk_fail(err, YOKE_E_ARG,
                           "place %d is (%d, %d), outside a matrix of %d rows "
                           "and %d columns",
                           k, row[k], col[k], rows, cols);
    YK_GO(create_empty(&p, rows, cols, (size_t)count, err));
    bucket(p, count, row, col);
    YK_GO(yk_pattern_transpose(&t, p, err)); /* two transpositions sort */
    yoke_pattern_free(p);
    p = NULL;
    YK_GO(yk_pattern_transpose(&p, t, err));
    remove_repeats(p);
    *out = p;
    p = NULL;
done:
    yoke_pattern_free(p);
    yoke_pattern_free(t);
    return status;
}

yoke_status yk_pattern_full(yoke_pattern **out, int rows, int cols,
                            yoke_err *err)
{
    yoke_pattern *p = NULL;

    if (rows < 0 || cols < 0)
        return yk_fail(err, YOKE_E_ARG, "pattern of %d rows and %d columns",
                       rows, cols);
    YK_TRY(create_empty(&p, rows, cols, (size_t)rows * (size_t)cols, err));
    for (int j = 0; j < cols; j++) {
        p->start[j + 1] = (j + 1) * rows;
        for (int i = 0; i < rows; i++) p->row[j * rows + i] = i;
    }
    *out = p;
    return YOKE_OK;
}

yoke_status yk_pattern_empty(yoke_pattern **out, int rows, int cols,
                             yoke_err *err)
{
    return create_empty(out, rows, cols, 0, err);
}

yoke_status yk_pattern_identity(yoke_pattern **out, int n, yoke_err *err)
{
    yoke_pattern *p = NULL;

    YK_TRY(create_empty(&p, n, n, n > 0 ? (size_t)n : 0, err));
    for (int j = 0; j < n; j++) {
        p->row[j] = j;
        p->start[j + 1] = j + 1;
    }
    *out = p;
    return YOKE_OK;
}

int yoke_pattern_count(const yoke_pattern *pattern)
{
    return pattern->start[pattern->cols];
}

int yoke_pattern_find(const yoke_pattern *pattern, int row, int col)
{
    if (col < 0 || col >= pattern->cols) return -1;
    int low = pattern->start[col], high = pattern->start[col + 1] - 1;

    while (low <= high) {
        const int middle = low + (high - low) / 2;
        if (pattern->row[middle] == row) return middle;
        if (pattern->row[middle] < row)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

yoke_status yk_pattern_copy(yoke_pattern **out, const yoke_pattern *from,
                            yoke_err *err)
{
    yoke_pattern *p = NULL;
    const size_t count = (size_t)yoke_pattern_count(from);

    YK_TRY(create_empty(&p, from->rows, from->cols, count, err));
    memcpy(p->start, from->start, ((size_t)from->cols + 1) * sizeof(int));
    if (count) memcpy(p->row, from->row, count * sizeof(int));
    *out = p;
    return YOKE_OK;
}

/* Merges column j of a and b; places in the union go to a_at and b_at. */
static void merge_column(yoke_pattern *p, int j, const yoke_pattern *a,
                         const yoke_pattern *b, int *a_at, int *b_at)
{
    int place = p->start[j], k = a->start[j], l = b->start[j];

    while (k < a->start[j + 1] || l < b->start[j + 1]) {
        const int ra = k < a->start[j + 1] ? a->row[k] : INT_MAX;
        const int rb = l < b->start[j + 1] ? b->row[l] : INT_MAX;
        p->row[place] = ra < rb ? ra : rb;
        if (ra <= rb) a_at[k++] = place;
        if (rb <= ra) b_at[l++] = place;
        place++;
    }
    p->start[j + 1] = place;
}

yoke_status yk_pattern_union(yoke_pattern **out, const yoke_pattern *a,
                             const yoke_pattern *b, int **a_at, int **b_at,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_pattern *p = NULL;
    int *from_a = NULL, *from_b = NULL;
    const size_t na = (size_t)yoke_pattern_count(a);
    const size_t nb = (size_t)yoke_pattern_count(b);

    if (a->rows != b->rows || a->cols != b->cols)
        return yk_fail(err, YOKE_E_ARG,
                       "union of a pattern of %d by %d with "
                       "one of %d by %d",
                       a->rows, a->cols, b->rows, b->cols);
    YK_GO(create_empty(&p, a->rows, a->cols, na + nb, err));
    YK_GO(yk_ints(&from_a, na, err));
    YK_GO(yk_ints(&from_b, nb, err));
    for (int j = 0; j < a->cols; j++) merge_column(p, j, a, b, from_a, from_b);
    *out = p;
    p = NULL;
    if (a_at) {
        *a_at = from_a;
        from_a = NULL;
    }
    if (b_at) {
        *b_at = from_b;
        from_b = NULL;
    }
done:
    yoke_pattern_free(p);
    YK_FREE(from_a, from_b);
    return status;
}

yoke_status yk_pattern_check(const yoke_pattern *pattern, const char *what,
                             int rows, int cols, yoke_err *err)
{
    if (pattern->rows != rows || pattern->cols != cols)
        return yk_fail(err, YOKE_E_ARG,
                       "pattern %s has %d rows and %d columns instead of %d "
                       "and %d",
                       what, pattern->rows, pattern->cols, rows, cols);
    if (!pattern->start || pattern->start[0] != 0 ||
        (pattern->start[cols] > 0 && !pattern->row))
        return yk_fail(err, YOKE_E_ARG,
                       "pattern %s does not begin at 0 or has no rows", what);
    for (int j = 0; j < cols; j++) {
        if (pattern->start[j + 1] < pattern->start[j])
            return yk_fail(err, YOKE_E_ARG,
                           "pattern %s: column %d ends before "
                           "it begins",
                           what, j);
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = pattern->row[k];
            if (i < 0 || i >= rows ||
                (k > pattern->start[j] && i <= pattern->row[k - 1]))
                return yk_fail(err, YOKE_E_ARG,
                               "pattern %s: row %d in column "
                               "%d is out of range or out of order",
                               what, i, j);
        }
    }
    return YOKE_OK;
}

yoke_status yk_pattern_match(const yoke_pattern *pattern, int *match,
                             int *matched, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *by_row = NULL, *work = NULL;
    const int rows = pattern->rows, cols = pattern->cols;
    double effort = 0.0;

    YK_GO(yk_ints(&by_row, (size_t)rows, err));
    YK_GO(yk_ints(&work, 5 * (size_t)cols, err));
    *matched = btf_maxtrans(rows, cols, pattern->start, pattern->row, -1.0,
                            &effort, by_row, work);
    for (int j = 0; j < cols; j++) match[j] = -1;
    for (int i = 0; i < rows; i++)
        if (by_row[i] >= 0) match[by_row[i]] = i;
done:
    YK_FREE(by_row, work);
    return status;
}

static void reverse(int *list, int count)
{
    for (int k = 0; k < count / 2; k++) {
        const int other = list[count - 1 - k];
        list[count - 1 - k] = list[k];
        list[k] = other;
    }
}

/* BTF makes it upper triangular: the last block comes first here. */
yoke_status yk_pattern_blocks(const yoke_pattern *pattern, int *row, int *col,
                              int *first, int *blocks, int *matched,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int n = pattern->rows;
    int *work = NULL;
    double effort = 0.0;

    *blocks = *matched = 0;
    first[0] = 0;
    if (n == 0) return YOKE_OK;
    YK_GO(yk_ints(&work, 5 * (size_t)n, err));
    *blocks = btf_order(n, pattern->start, pattern->row, -1.0, &effort, row,
                        col, first, matched, work);
    reverse(row, n);
    reverse(col, n);
    reverse(first, *blocks + 1);
    for (int k = 0; k <= *blocks; k++) first[k] = n - first[k];
done:
    yk_free(work);
    return status;
}

void yk_pattern_add_column(const yoke_pattern *pattern, const double *value,
                           int j, double a, double *y)
{
    for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
        y[pattern->row[k]] += value[k] * a;
}

void yk_pattern_multiply(const yoke_pattern *pattern, const double *value,
                         double a, const double *x, double *y)
{
    for (int j = 0; j < pattern->cols; j++)
        if (a * x[j] != 0.0)
            yk_pattern_add_column(pattern, value, j, a * x[j], y);
}

void yk_pattern_multiply_transposed(const yoke_pattern *pattern,
                                    const double *value, double a,
                                    const double *x, double *y)
{
    for (int j = 0; j < pattern->cols; j++) {
        double sum = 0.0;
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            sum += value[k] * x[pattern->row[k]];
        y[j] += a * sum;
    }
}

/* Greedy in the given order (Curtis, Powell, Reid 1974). */
yoke_status yk_pattern_colour(const yoke_pattern *pattern, int *colour,
                              int *colours, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_pattern *t = NULL;
    int *seen = NULL;
    const int cols = pattern->cols;
    int used = 0;

    YK_GO(yk_pattern_transpose(&t, pattern, err));
    YK_GO(yk_ints(&seen, (size_t)cols + 1, err));
    for (int j = 0; j < cols; j++) colour[j] = -1;
    for (int j = 0; j < cols; j++) {
        int taken =
            0; /* where all are, as in full rows, nothing else is seen */
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = pattern->row[k];
            if (taken == used) break;
            for (int l = t->start[i]; l < t->start[i + 1]; l++) {
                const int c = colour[t->row[l]];
                if (c < 0 || seen[c] == j + 1) continue;
                seen[c] = j + 1;
                taken++;
            }
        }
        int c = 0;
        while (c < used && seen[c] == j + 1) c++;
        colour[j] = c;
        if (c == used) used++;
    }
    *colours = used;
done:
    yoke_pattern_free(t);
    yk_free(seen);
    return status;
}
