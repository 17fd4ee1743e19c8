/* io/prefix.h -- 500 us instead of 0.0005 s. */
#ifndef YK_IO_PREFIX_H
#define YK_IO_PREFIX_H

/* What a number in `unit` is divided by, and the prefix before its unit. */
typedef struct yk_unit_prefix {
    double by;
    const char *text; /* "" for none */
    const char *unit; /* hours or days instead of the unit; NULL: as it is */
} yk_unit_prefix;

/* For values up to `size`; only units that people write with prefixes. */
yk_unit_prefix yk_unit_prefix_find(double size, const char *unit);

#endif
