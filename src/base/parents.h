/* base/parents.h -- which of n things belong together: a forest of parents. */
#ifndef YK_BASE_PARENTS_H
#define YK_BASE_PARENTS_H

/* The root above i; paths are shortened on the way.  A root is its own parent. */
static inline int yk_top(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

#endif
