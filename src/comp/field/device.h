/* comp/field/device.h -- a field as a system, for its files. */
#ifndef YK_FIELD_DEVICE_H
#define YK_FIELD_DEVICE_H

#include "comp/field/solve.h"

/* Names of variables, kept until the system is made. */
typedef struct yk_field_names {
    int count;
    size_t room, unit_room;
    char **name;
    const char **unit; /* of each, borrowed */
} yk_field_names;

/* "NAME.part", or "part.NAME[.OTHER]" with a part in front. */
yoke_status yk_field_name(yk_field_names *list, const char *unit, yoke_err *err,
                          const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void yk_field_names_clear(yk_field_names *list);

/* Every inductance L.NAME, L.NAME.OTHER in the order of the upper part. */
yoke_status yk_field_name_inductances(yk_field_names *list, int count,
                                      const char *const *winding,
                                      yoke_err *err);

/* A field with conductors: the potentials are unknowns (eddy.c).  Takes the
 * solver, also on failure. */
yoke_status yk_field_eddy_create(yoke_system **out, const char *name,
                                 yk_field_solver *solver, const yk_field *given,
                                 yoke_err *err);

/* draw.c: a picture of the present solution. */
yoke_status yk_field_draw(yk_field_solver *s, const yoke_mesh *mesh,
                          const char *title, const char *path, yoke_err *err);

#endif
