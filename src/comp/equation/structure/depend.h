/* comp/equation/structure/depend.h -- which algebraic unknowns follow from a
 * state. */
#ifndef YK_DEPEND_H
#define YK_DEPEND_H

#include "comp/equation/code/layout.h"

typedef struct yk_depend yk_depend;

yoke_status yk_depend_create(yk_depend **out, const yk_layout *layout,
                             yoke_err *err);
void yk_depend_free(yk_depend *depend); /* accepts NULL */

/* One of the unknowns marked in on[n] on which the algebraic unknown `column`
 * depends by algebraic equations, or -1. */
int yk_depends(yk_depend *depend, int column, const bool *on);

#endif
