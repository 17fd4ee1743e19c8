/* base/compare.h -- orders for qsort that several lists have. */
#ifndef YK_COMPARE_H
#define YK_COMPARE_H

/* Lists of these, or of structs that begin with one. */
typedef struct yk_pair {
    int a, b;
} yk_pair;

typedef struct yk_ranked {
    double amount;
    int index;
} yk_ranked;

/* By a, then by b, increasing. */
static inline int yk_compare_pairs(const void *p, const void *q)
{
    const yk_pair *x = p, *y = q;

    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* The largest amount first; equal ones by their index. */
static inline int yk_compare_ranked(const void *p, const void *q)
{
    const yk_ranked *x = p, *y = q;

    if (x->amount != y->amount) return x->amount > y->amount ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

#endif
