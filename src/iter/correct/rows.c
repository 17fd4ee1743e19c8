/* iter/correct/rows.c -- sparse rows from entries in any order. */
#include "iter/correct/rows.h"

void yk_rows_clear(yk_rows *m)
{
    YK_FREE(m->start, m->col, m->value, m->at, m->from, m->what);
    *m = (yk_rows){ 0 };
}

yoke_status yk_rows_begin(yk_rows *m, int n, yoke_err *err)
{
    YK_TRY(YK_GROW(&m->start, &m->start_room, n + 2, err));
    for (int i = 0; i < n + 2; i++) m->start[i] = 0;
    m->n = n;
    m->entries = 0;
    return YOKE_OK;
}

yoke_status yk_rows_add(yk_rows *m, int row, int col, double value,
                        yoke_err *err)
{
    const size_t need = (size_t)m->entries + 1;

    YK_TRY(YK_GROW(&m->at, &m->at_room, need, err));
    YK_TRY(YK_GROW(&m->from, &m->from_room, need, err));
    YK_TRY(YK_GROW(&m->what, &m->what_room, need, err));
    m->at[m->entries] = row;
    m->from[m->entries] = col;
    m->what[m->entries++] = value;
    return YOKE_OK;
}

yoke_status yk_rows_end(yk_rows *m, yoke_err *err)
{
    const size_t need = (size_t)m->entries + 1;

    YK_TRY(YK_GROW(&m->col, &m->col_room, need, err));
    YK_TRY(YK_GROW(&m->value, &m->value_room, need, err));
    for (int k = 0; k < m->entries; k++) m->start[m->at[k] + 2]++;
    for (int i = 0; i < m->n; i++) m->start[i + 2] += m->start[i + 1];
    for (int k = 0; k < m->entries; k++) {
        const int to = m->start[m->at[k] + 1]++;
        m->col[to] = m->from[k];
        m->value[to] = m->what[k];
    }
    return YOKE_OK;
}

yoke_status yk_rows_diagonal(yk_rows *m, int n, double factor, yoke_err *err)
{
    YK_TRY(yk_rows_begin(m, n, err));
    for (int i = 0; factor != 0.0 && i < n; i++)
        YK_TRY(yk_rows_add(m, i, i, factor, err));
    return yk_rows_end(m, err);
}

yoke_status yk_rows_less_one(yk_rows *m, int n, const double *a, yoke_err *err)
{
    YK_TRY(yk_rows_begin(m, n, err));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double value = a[i * n + j] - (i == j);
            if (value != 0.0) YK_TRY(yk_rows_add(m, i, j, value, err));
        }
    return yk_rows_end(m, err);
}
