/* base/quoted.h -- names of any spelling: 'Motor 1'.speed
 *
 * A name that is not made of letters, digits and _ stands between single
 * quotes; a quote in it is written twice.  A path is names with dots between
 * them.  A quote opens only at the start of a name.
 */
#ifndef YK_BASE_QUOTED_H
#define YK_BASE_QUOTED_H

#include "base/base.h"

/* Bytes of the quoted name at the start of the text, both quotes included; 0:
 * there is none, or it is not closed. */
size_t yk_quoted_length(const char *text);

/* Bytes before the first of these characters that is not in quotes. */
size_t yk_quoted_span(const char *text, const char *stops);

/* Names in or without quotes and dots between them; without quotes any
 * characters but `never` and '. */
bool yk_is_path(const char *text, const char *never);

/* The name as it is written in a path; *out is the caller's. */
yoke_status yk_quote(char **out, const char *name, yoke_err *err);

/* Takes quotes away; `out` has room for the text, whose first `length` bytes
 * are read. */
void yk_unquote(char *out, const char *text, size_t length);

/* Is the text the name, with or without quotes? */
bool yk_quoted_is(const char *text, const char *name);

#endif
