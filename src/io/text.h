/* io/text.h -- growing text, and numbers as text that read back the same. */
#ifndef YK_IO_TEXT_H
#define YK_IO_TEXT_H

#include "base/base.h"

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
 * returns the length.  Behind YK_POINT only. */
size_t yk_number_write(char out[YK_NUMBER_SIZE], double value);

#endif
