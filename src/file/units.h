/* file/units.h -- numbers with units, converted to SI.
 *
 *     10 ms     4*pi^2 N/m     2.2 uF     9.81 m/s^2     k/2 (k is known)
 *
 * Where a unit is expected, one of another dimension is refused.
 */
#ifndef YK_UNITS_H
#define YK_UNITS_H

#include "base/base.h"
#include "base/names.h"

/* Names that an expression may contain and their values. */
typedef struct yk_unit_scope {
    const yk_names *names;
    const double *value;
} yk_unit_scope;

/* Reads the whole text; *at is the byte at which reading failed.  `scope` may
 * be NULL.  `expected`: a unit of the dimension that a unit in the text must
 * have, "1" for none; NULL, or one that is not known: any. */
yoke_status yk_quantity_read(const char *text, const yk_unit_scope *scope,
                             const char *expected, double *value, size_t *at,
                             yoke_err *err);

/* The same in the unit that is expected instead of SI units: 2 m in "mm" is
 * 2000.  A number without a unit, or with the unit that is expected, stays as it
 * is; any other is refused where the expected one is not known ("bar"). */
yoke_status yk_quantity_read_in(const char *text, const yk_unit_scope *scope,
                                const char *expected, double *value, size_t *at,
                                yoke_err *err);

enum { YK_DIMENSIONS = 6 };

/* value * 10^exponent * factor is the value in SI units; its dimension as
 * powers of s, m, kg, A, K and mol. */
typedef struct yk_unit_scale {
    int exponent;
    double factor;
    int power[YK_DIMENSIONS];
} yk_unit_scale;

/* A unit whose zero is elsewhere: the value in SI units is that of the scale, plus
 * `offset`. */
typedef struct yk_unit_zero {
    yk_unit_scale scale;
    double offset;
} yk_unit_zero;

/* As yk_quantity_read_in for a unit that is no text; NULL: a unit in the text is
 * refused. */
yoke_status yk_quantity_read_as(const char *text, const yk_unit_zero *expected,
                                double *value, size_t *at, yoke_err *err);

/* What 1 of `from` is in `to`, of the same dimension. */
double yk_unit_ratio(const yk_unit_scale *from, const yk_unit_scale *to);

/* Of the same dimension? */
bool yk_unit_is_alike(const yk_unit_scale *a, const yk_unit_scale *b);

/* Reads a unit from byte *at to the end of the text. */
yoke_status yk_unit_read(const char *text, size_t *at, yk_unit_scale *out,
                         yoke_err *err);

#endif
