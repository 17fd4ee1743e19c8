/* comp/equation/events/courses.h -- functions of time alone in the equations.
 */
#ifndef YK_EQUATION_COURSES_H
#define YK_EQUATION_COURSES_H

#include "comp/equation/code/layout.h"

/* Adds those of one equation, `root` = 0 for all rounds of t, to
 * layout->courses. */
yoke_status yk_find_courses(yk_layout *layout, yk_model *model,
                            const yk_template *t, int root, yoke_err *err);

/* Those of one equation or relation, for layout->breaks.  seen[nodes]: those of
 * no loop that were added already. */
yoke_status yk_find_switches(yk_layout *layout, yk_model *model,
                             const yk_template *t, int root, int nodes,
                             bool *seen, yoke_err *err);

/* Unknowns that the equations root[count] = 0 give as functions of time become
 * these functions in all other equations. */
yoke_status yk_known_unknowns(yk_model *model, int count, int *root,
                              yoke_err *err);

/* residual = unknown - function, or the other way round. */
bool yk_gives(const yk_model *model, int root, int *unknown, int *function);

/* Adds what may bend sharply in the equations root[count] = 0 to layout->bent.
 */
yoke_status yk_find_curves(yk_layout *layout, yk_model *model, int count,
                           const int *root, yoke_err *err);

/* Adds what the relation t compares, `root`, to layout->watched. */
yoke_status yk_watch(yk_layout *layout, yk_model *model, const yk_template *t,
                     int root, yoke_err *err);

/* What to tell of both.  Borrowed from the subsystem. */
struct yk_subsystem;
const yoke_curves *yk_curves_tell(struct yk_subsystem *subsystem);

/* One function as steps (sys/course.h), in the round with these counters: adds
 * it to the list, or nothing if bounds of it are not known. */
yoke_status yk_add_course(yk_course_list *list, const yk_layout *layout,
                          yk_model *model, const yk_template *t, int instance,
                          int root, yoke_err *err);

#endif
