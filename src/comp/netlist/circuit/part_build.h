/* comp/netlist/circuit/part_build.h -- a part while it is made. */
#ifndef YK_PART_BUILD_H
#define YK_PART_BUILD_H

#include "comp/netlist/circuit/part.h"

/* A coefficient of q (`charge`) or f; 0: a place that a nonlinear element
 * needs. */
typedef struct yk_part_term {
    int row, column; /* own equation, variable; -1 - k: value input k */
    double value;
    bool charge;
} yk_part_term;

typedef struct yk_part_builder {
    yk_net_part *p;
    yk_circuit *c;
    const yk_net_part_spec *spec;
    int terms;
    size_t term_room;
    yk_part_term *term;
    int elements, *element; /* that occur in the equations */
    size_t element_room;

    /* While a mirror is stamped: the row that gets the current of one terminal.
     * Otherwise mirror_row is YK_NO_MIRROR. */
    int mirror_row, terminal;
} yk_part_builder;

enum { YK_NO_MIRROR = -2 };

/* Gives everything its place in z and in the Jacobians (part_place.c). */
yoke_status yk_part_place(yk_part_builder *builder, yoke_err *err);

/* Fills p->courses and p->breaks (part_courses.c). */
yoke_status yk_part_find_courses(yk_net_part *p, yoke_err *err);

#endif
