/* sys/course.h -- courses of a system: functions of time alone that occur in it
 * (yoke_courses), from expressions of the front ends; and its curves, functions
 * of unknowns and inputs too (yoke_curves).
 */
#ifndef YK_COURSE_H
#define YK_COURSE_H

#include "expr/program.h"
#include "yoke/optional.h"

/* Zero-initialise it. */
typedef struct yk_course_list {
    int count;
    size_t room, start_room, jet_room;
    yk_expr_step *step; /* of all courses */
    int *start;         /* of each, count + 1 */
    yk_jet *jet;        /* of all steps, the last time they were taken */
    bool shown;         /* outputs depend on time without the unknowns */
    yoke_courses told;  /* for yoke_system_info */
} yk_course_list;

void yk_courses_clear(yk_course_list *list);

/* Adds the course with these steps, of which the last is its value; copies.
 * VARIABLE is an unknown or an input of a yoke_path.
 * Straight lines of time, and the same again, are left out. */
yoke_status yk_courses_add(yk_course_list *list, int steps,
                           const yk_expr_step *step, yoke_err *err);

/* The same, whatever it is. */
yoke_status yk_courses_put(yk_course_list *list, int steps,
                           const yk_expr_step *step, yoke_err *err);

/* Adds the largest functions of time alone in a program: what other steps are
 * made of, and those of the `roots` that are such functions themselves.  Those
 * whose enclosures are not known are left out. */
yoke_status yk_courses_find(yk_course_list *list,
                            const yk_expr_program *program, int roots,
                            const int *root, yoke_err *err);

/* After the last one: what to tell, NULL if there are none.  Borrowed. */
const yoke_courses *yk_courses_tell(yk_course_list *list);

/* For yoke_curves with `list` as self. */
void yk_curve_enclose(void *list, int i, const yoke_path *path, double from,
                      double to, int order, double (*out)[2]);

#endif
