/* io/entry.h -- one number of a table. */
#ifndef YK_IO_ENTRY_H
#define YK_IO_ENTRY_H

#include "yoke/result.h"

static inline double yk_entry(const yoke_table *t, int row, int column)
{
    return t->value[(size_t)row * (size_t)t->cols + (size_t)column];
}

/* Column `column` at time `at` on the straight line from row k - 1 to row k. */
static inline double yk_between_rows(const yoke_table *t, int k, int column,
                                     double at)
{
    const double t0 = yk_entry(t, k - 1, 0), t1 = yk_entry(t, k, 0);
    const double v0 = yk_entry(t, k - 1, column), v1 = yk_entry(t, k, column);

    return v0 + (at - t0) / (t1 - t0) * (v1 - v0);
}

#endif
