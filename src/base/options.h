/* base/options.h -- one table per option struct: names, ranges, defaults, text.
 *
 * Defaults, readers, command line, --help and manual all read the table.
 */
#ifndef YK_OPTIONS_H
#define YK_OPTIONS_H

#include "base/base.h"

#include <stddef.h>

typedef enum yk_option_type {
    YK_REAL, /* double */
    YK_INT,  /* int */
    YK_FLAG, /* bool: least 0, most 1 */
    YK_WORD, /* char[32], one of `words` if given */
    YK_ENUM, /* an enum: index into `words` */
    YK_TEXT  /* const char *: borrowed, of any length, "" if empty */
} yk_option_type;

typedef struct yk_option {
    yk_option_type type;
    const char *name;
    size_t offset;
    double least, most, preset; /* numbers, flags, index of an enum */
    const char *text;
    const char *words; /* WORD, ENUM: permitted words, separated by spaces;
                          REAL: names of the values 0, -1, -2, ... */
    const char *preset_word; /* WORD, TEXT */
} yk_option;

#define YK_FIELD(type, struct_type, field)                                     \
    (type), #field, offsetof(struct_type, field)

void yk_options_defaults(const yk_option *table, int count, void *options);

/* Refuses an unknown name (with the nearest known one), an unreadable value and
 * a value outside the range.  A TEXT borrows `value`. */
yoke_status yk_options_set(const yk_option *table, int count, void *options,
                           const char *name, const char *value, yoke_err *err);

/* Writes the default as text. */
void yk_option_preset(const yk_option *option, char *text, size_t room);

/* The value in `options` as text: that of a TEXT itself, otherwise written to
 * `scratch`. */
enum { YK_OPTION_SIZE = 64 };
const char *yk_option_value(const yk_option *option, const void *options,
                            char scratch[YK_OPTION_SIZE]);

/* Replaces every TEXT by a copy.  All copies lie in one block, *store, which is
 * the caller's to free; that of an earlier call is freed. */
yoke_status yk_options_keep(const yk_option *table, int count, void *options,
                            char **store, yoke_err *err);

/* Checks every field against its range; no TEXT is NULL. */
yoke_status yk_options_check(const yk_option *table, int count,
                             const void *options, yoke_err *err);

#endif
