/* tests/fuzz/table_check.h -- what a reader of tables has read is a whole
 * table, every column findable. */
#ifndef YK_TESTS_TABLE_CHECK_H
#define YK_TESTS_TABLE_CHECK_H

#include "io/format.h"

#include <stdlib.h>

static void check(int holds)
{
    if (!holds) abort();
}

static void check_table(const yoke_table *t)
{
    double sum = 0.0;

    check(t->cols > 0 && t->rows >= 0);
    for (int j = 0; j < t->cols; j++) {
        const int found = yoke_table_find(t, t->name[j]);
        check(found >= 0 && found <= j && t->unit[j] != NULL);
        if (j > 64) break; /* the search is linear */
    }
    for (size_t i = 0; i < (size_t)t->rows * (size_t)t->cols; i++)
        sum += t->value[i];
    (void)sum;
}

#endif
