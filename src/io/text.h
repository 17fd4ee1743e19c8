/* io/text.h -- growing text, and numbers as text that read back the same.
 *
 * Needs _POSIX_C_SOURCE 200809L for locale_t.
 */
#ifndef YK_IO_TEXT_H
#define YK_IO_TEXT_H

#include "base/base.h"

#include <locale.h>

/* `at` ends with a zero once something was added.  Starts zeroed. */
typedef struct yk_text {
    char *at;
    size_t length, room;
} yk_text;

yoke_status yk_text_add(yk_text *text, const char *from, size_t length,
                        yoke_err *err);
yoke_status yk_text_put(yk_text *text, const char *from, yoke_err *err);
void yk_text_clear(yk_text *text); /* frees the memory */

/* "path: cannot write: why", with the folder that is missing. */
yoke_status yk_cannot_write(const char *path, int code, yoke_err *err);

/* Appends the bytes of a file. */
yoke_status yk_text_load(yk_text *text, const char *path, yoke_err *err);

enum { YK_NUMBER_SIZE = 32 };

/* The fewest of 15, 16 or 17 digits that strtod turns into `value` again;
 * returns the length.  Between yk_locale_enter and yk_locale_leave only. */
size_t yk_number_write(char out[YK_NUMBER_SIZE], double value);

/* A decimal point is a point for this thread, whatever the program's locale. */
typedef struct yk_locale {
    locale_t plain, before;
} yk_locale;

yoke_status yk_locale_enter(yk_locale *saved, yoke_err *err);
void yk_locale_leave(yk_locale *saved);

#endif
