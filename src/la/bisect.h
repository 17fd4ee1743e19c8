/* la/bisect.h -- parts of a weighted graph with little between them (METIS). */
#ifndef YK_BISECT_H
#define YK_BISECT_H

#include "base/base.h"

/* Vertices 0 .. n-1 with the weights `work` (at least 1); the neighbours of i
 * are to[start[i]] ... to[start[i + 1] - 1] with the weights `weight` (at least
 * 1), every edge in both directions. */
typedef struct yk_weighted {
    int n;
    const int *work, *start, *to, *weight;
} yk_weighted;

/* part[n], numbered from 0 to *parts - 1: at most `wanted` parts of nearly
 * equal work with small weights between them.  The heaviest part is halved
 * again and again, so that none is empty; fewer parts come out where the
 * vertices left cannot be divided.  The same graph gives the same parts.
 * YOKE_E_MISSING: built without METIS. */
yoke_status yk_bisect(const yk_weighted *graph, int wanted, int *part,
                      int *parts, yoke_err *err);

#endif
