/* io/text.h -- files as text, and numbers as text that read back the same. */
#ifndef YK_IO_TEXT_H
#define YK_IO_TEXT_H

#include "base/text.h"

/* "path: cannot read: why", with the file that is meant; "path: cannot write:
 * why", with the folder that is missing. */
yoke_status yk_cannot_read(const char *path, int code, yoke_err *err);
yoke_status yk_cannot_write(const char *path, int code, yoke_err *err);

/* Appends the bytes of a file. */
yoke_status yk_text_load(yk_text *text, const char *path, yoke_err *err);

enum { YK_NUMBER_SIZE = 32 };

/* The fewest of 15, 16 or 17 digits that strtod turns into `value` again;
 * returns the length.  Behind YK_POINT only. */
size_t yk_number_write(char out[YK_NUMBER_SIZE], double value);

#endif
