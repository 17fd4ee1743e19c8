/* la/sparse.c -- sparse matrices with values, in compressed columns. */
#include "la/sparse.h"

#include "la/pattern.h"

#include <math.h>
#include <string.h>

void yk_sparse_clear(yk_sparse *m)
{
    yoke_pattern_free(m->pattern);
    yk_free(m->value);
    *m = (yk_sparse){ NULL, NULL };
}

void yk_triplets_clear(yk_triplets *t)
{
    YK_FREE(t->row, t->col, t->value);
    *t = (yk_triplets){ 0 };
}

yoke_status yk_triplets_add(yk_triplets *t, int row, int col, double value,
                            yoke_err *err)
{
    const size_t need = (size_t)t->count + 1;

    YK_TRY(YK_GROW(&t->row, &t->row_room, need, err));
    YK_TRY(YK_GROW(&t->col, &t->col_room, need, err));
    YK_TRY(YK_GROW(&t->value, &t->value_room, need, err));
    t->row[t->count] = row;
    t->col[t->count] = col;
    t->value[t->count++] = value;
    return YOKE_OK;
}

yoke_status yk_triplets_add_matrix(yk_triplets *t, double factor,
                                   const yoke_pattern *pattern,
                                   const double *value, int row, int col,
                                   yoke_err *err)
{
    for (int j = 0; pattern && j < pattern->cols; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            YK_TRY(yk_triplets_add(t, row + pattern->row[k], col + j,
                                   factor * value[k], err));
    return YOKE_OK;
}

yoke_status yk_sparse_create(yk_sparse *out, int rows, int cols,
                             const yk_triplets *t, yoke_err *err)
{
    yk_sparse m = { NULL, NULL };
    yoke_status status = YOKE_OK;

    YK_GO(yoke_pattern_create(&m.pattern, rows, cols, t->count, t->row, t->col,
                              err));
    YK_GO(yk_doubles(&m.value, (size_t)yoke_pattern_count(m.pattern) + 1, err));
    for (int k = 0; k < t->count; k++)
        m.value[yoke_pattern_find(m.pattern, t->row[k], t->col[k])] +=
            t->value[k];
    *out = m;
    return YOKE_OK;
done:
    yk_sparse_clear(&m);
    return status;
}

yoke_status yk_sparse_identity(yk_sparse *out, int n, yoke_err *err)
{
    yk_sparse m = { NULL, NULL };
    yoke_status status = YOKE_OK;

    YK_GO(yk_pattern_identity(&m.pattern, n, err));
    YK_GO(yk_doubles(&m.value, (size_t)n + 1, err));
    for (int i = 0; i < n; i++) m.value[i] = 1.0;
    *out = m;
    return YOKE_OK;
done:
    yk_sparse_clear(&m);
    return status;
}

yoke_status yk_sparse_copy(yk_sparse *out, const yoke_pattern *pattern,
                           const double *value, yoke_err *err)
{
    yk_sparse m = { NULL, NULL };
    const size_t count = (size_t)yoke_pattern_count(pattern);
    yoke_status status = YOKE_OK;

    YK_GO(yk_pattern_copy(&m.pattern, pattern, err));
    YK_GO(yk_doubles(&m.value, count + 1, err));
    memcpy(m.value, value, count * sizeof *value);
    *out = m;
    return YOKE_OK;
done:
    yk_sparse_clear(&m);
    return status;
}

static yoke_status transpose(yk_sparse *out, const yk_sparse *m, yoke_err *err)
{
    yk_triplets t = { 0 };
    const yoke_pattern *p = m->pattern;
    yoke_status status = YOKE_OK;

    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            YK_GO(yk_triplets_add(&t, j, p->row[k], m->value[k], err));
    YK_GO(yk_sparse_create(out, p->cols, p->rows, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

yoke_status yk_sparse_product(yk_sparse *out, const yk_sparse *a,
                              const yk_sparse *b, yoke_err *err)
{
    yk_triplets t = { 0 };
    const yoke_pattern *p = a->pattern, *q = b->pattern;
    yoke_status status = YOKE_OK;

    for (int j = 0; j < q->cols; j++)
        for (int k = q->start[j]; k < q->start[j + 1]; k++) {
            const int mid = q->row[k];
            for (int l = p->start[mid]; l < p->start[mid + 1]; l++)
                YK_GO(yk_triplets_add(&t, p->row[l], j,
                                      a->value[l] * b->value[k], err));
        }
    YK_GO(yk_sparse_create(out, p->rows, q->cols, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

yoke_status yk_sparse_product_transposed(yk_sparse *out, const yk_sparse *a,
                                         const yk_sparse *b, yoke_err *err)
{
    yk_sparse turned = { NULL, NULL };

    YK_TRY(transpose(&turned, a, err));
    const yoke_status status = yk_sparse_product(out, &turned, b, err);
    yk_sparse_clear(&turned);
    return status;
}

void yk_sparse_multiply(const yk_sparse *m, double factor, const double *x,
                        double *y)
{
    yk_pattern_multiply(m->pattern, m->value, factor, x, y);
}

double yk_sparse_largest(const yk_sparse *m)
{
    double most = 0.0;

    for (int k = 0; k < yoke_pattern_count(m->pattern); k++)
        most = fmax(most, fabs(m->value[k]));
    return most;
}

/* Row i of the lower half is kept from its first entry on: L = D^(1/2) ... in
 * place, a(i, j) at line[i][j - first[i]]. */
static int factor_envelope(int n, const int *first, double *const *line,
                           double *pivot)
{
    for (int i = 0; i < n; i++) {
        for (int j = first[i]; j <= i; j++) {
            const int from = first[i] > first[j] ? first[i] : first[j];
            double sum = line[i][j - first[i]];
            for (int k = from; k < j; k++)
                sum -= line[i][k - first[i]] * line[j][k - first[j]];
            if (j < i) {
                line[i][j - first[i]] = sum / line[j][j - first[j]];
                continue;
            }
            *pivot = sum;
            if (!(sum > 0.0)) return i;
            line[i][i - first[i]] = sqrt(sum);
        }
    }
    return -1;
}

static void find_first(const yoke_pattern *p, int *first)
{
    for (int i = 0; i < p->rows; i++) first[i] = i;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (j < first[p->row[k]]) first[p->row[k]] = j;
}

yoke_status yk_sparse_definite(const yk_sparse *m, double shift, double room,
                               int *row, double *pivot, yoke_err *err)
{
    const yoke_pattern *p = m->pattern;
    const int n = p->rows;
    yoke_status status = YOKE_OK;
    double *entry = NULL, **line = NULL, size = 0.0;
    int *first = NULL;

    *pivot = 0.0;
    YK_GO(yk_ints(&first, (size_t)n + 1, err));
    find_first(p, first);
    for (int i = 0; i < n; i++) size += i - first[i] + 1;
    *row = -2;
    if (size > room) goto done;
    YK_GO(yk_doubles(&entry, (size_t)size + 1, err));
    YK_GO(YK_NEW(&line, n + 1, err));
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        line[i] = entry + at;
        at += (size_t)(i - first[i] + 1);
        line[i][i - first[i]] = shift;
    }
    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] >= j)
                line[p->row[k]][j - first[p->row[k]]] += m->value[k];
    *row = factor_envelope(n, first, line, pivot);
done:
    YK_FREE(first, line, entry);
    return status;
}

void yk_row_scale(const yoke_pattern *p, const double *value, double *scale)
{
    for (int i = 0; i < p->rows; i++) scale[i] = 0.0;
    for (int k = 0; k < p->start[p->cols]; k++)
        scale[p->row[k]] = fmax(scale[p->row[k]], fabs(value[k]));
    for (int i = 0; i < p->rows; i++)
        if (!(scale[i] > 0.0) || !isfinite(scale[i])) scale[i] = 1.0;
}
