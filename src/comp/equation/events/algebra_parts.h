/* comp/equation/events/algebra_parts.h -- the parts of yk_algebra, for its two
 * files. */
#ifndef YK_EQUATION_ALGEBRA_PARTS_H
#define YK_EQUATION_ALGEBRA_PARTS_H

#include "comp/equation/events/algebra.h"
#include "la/lu.h"

struct yk_algebra {
    const yk_layout *layout; /* borrowed */
    int count;               /* unknowns, and equations */
    int *row, *col;          /* of the layout, one block after the other */
    bool *kept;              /* count: the row has a charge */
    bool *jumps;             /* n: solved for, not only with inputs */
    char **row_name, **col_name;

    yoke_pattern *pattern; /* count by count */
    int *from;             /* of each entry: in G, or in C */
    yk_lu *lu;
    double *value, *r, *step, *scale, *charge, *old;
    double *begin;     /* values at the begin */
    double *f, *J, *x; /* of the whole model */

    /* What the solution depends on, as it was when it was found. */
    int slots, *slot;
    double *last;

    /* While it is solved. */
    struct yk_subsystem *s;
    double t, *w;
    double left, change;
};

#endif
