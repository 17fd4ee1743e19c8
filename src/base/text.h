/* base/text.h -- texts that are put together: in a room of fixed size, or
 * growing. */
#ifndef YK_BASE_TEXT_H
#define YK_BASE_TEXT_H

#include "base/base.h"

#include <stdio.h>

/* Adds to the text in `room` bytes, zero included, as printf writes it; what
 * does not fit is cut off, and the answer is false. */
bool yk_append(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Is there something before `end`, and this at the end? */
bool yk_ends_with(const char *text, const char *end);

/* Writes `text` as characters of XML: signs that mean something there by their
 * names, those that it does not permit as blanks. */
void yk_xml_write(FILE *out, const char *text);

/* `at` ends with a zero once something was added.  Starts zeroed. */
typedef struct yk_text {
    char *at;
    size_t length, room;
} yk_text;

yoke_status yk_text_add(yk_text *text, const char *from, size_t length,
                        yoke_err *err);
yoke_status yk_text_put(yk_text *text, const char *from, yoke_err *err);
yoke_status yk_text_print(yk_text *text, yoke_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void yk_text_clear(yk_text *text); /* frees the memory */

#endif
