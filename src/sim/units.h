/* sim/units.h -- numbers with units, converted to SI.
 *
 *     10 ms     4*pi^2 N/m     2.2 uF     9.81 m/s^2     k/2 (k is known)
 *
 * Dimensions are not compared: 1 V and 1 A are both 1.
 */
#ifndef YK_UNITS_H
#define YK_UNITS_H

#include "base/base.h"
#include "base/names.h"

/* Names that an expression may contain and their values. */
typedef struct yk_scope {
    const yk_names *names;
    const double *value;
} yk_scope;

/* Reads the whole text; *at is the byte at which reading failed.  `scope` may
 * be NULL. */
yoke_status yk_quantity_read(const char *text, const yk_scope *scope,
                             double *value, size_t *at, yoke_err *err);

/* value * 10^exponent * factor is the value in SI units. */
typedef struct yk_unit_scale {
    int exponent;
    double factor;
} yk_unit_scale;

/* Reads a unit from byte *at to the end of the text. */
yoke_status yk_unit_read(const char *text, size_t *at, yk_unit_scale *out,
                         yoke_err *err);

#endif
