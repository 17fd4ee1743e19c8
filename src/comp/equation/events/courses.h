/* comp/equation/events/courses.h -- functions of time alone in the equations.
 */
#ifndef YK_EQUATION_COURSES_H
#define YK_EQUATION_COURSES_H

#include "comp/equation/code/layout.h"

/* Adds those of one equation, `root` = 0 for all rounds of t, to
 * layout->courses. */
yoke_status yk_find_courses(yk_layout *layout, yk_model *model,
                            const yk_template *t, int root, yoke_err *err);

/* Unknowns that the equations root[count] = 0 give as functions of time become
 * these functions in all other equations. */
yoke_status yk_known_unknowns(yk_model *model, int count, int *root,
                              yoke_err *err);

#endif
