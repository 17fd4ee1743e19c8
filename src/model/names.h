/* model/names.h -- variables by their names: "subsystem.port" and patterns. */
#ifndef YK_MODEL_NAMES_H
#define YK_MODEL_NAMES_H

#include "base/base.h"
#include "yoke/system.h"

/* Names "subsystem.port" and lists of patterns separated by
 * spaces, in which "*" stands for any text; names between single quotes may
 * contain spaces (base/quoted.h). */
yoke_status yk_dotted_name(char **out, const yoke_system *system,
                           const char *port, yoke_err *err);
bool yk_glob_any(const char *patterns, const char *text);

/* The same for one pattern, p[0 .. length), without quotes. */
bool yk_glob(const char *p, size_t length, const char *text);

/* Is the name, letter by letter, a word of the list? */
bool yk_listed(const char *list, const char *name);

/* The first word of the list, *length characters, or NULL at its end; the rest
 * of the list begins after it. */
const char *yk_next_word(const char *list, size_t *length);

/* Refuses patterns that fit none of the names, saying `option` and
 * `what` it should fit. */
yoke_status yk_check_patterns(const char *patterns, int count,
                              char *const *name, const char *option,
                              const char *what, yoke_err *err);

#endif
