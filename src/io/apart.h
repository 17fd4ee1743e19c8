/* io/apart.h -- reads a file in a process of its own.
 *
 * Libraries crash, hang and ask for all memory on files that are damaged or
 * made to do so.  In a process apart, whose memory and time are limited, that
 * becomes a message.
 */
#ifndef YK_IO_APART_H
#define YK_IO_APART_H

#include "io/text.h"

/* What comes back: texts, each with its final 0, and numbers. */
typedef struct yk_parcel {
    int count[2];
    yk_text text;
    double *value;
    size_t values;
} yk_parcel;

/* Does `work` on the file in a child, which fills `out`; both see *context as
 * it was before.  A child that dies is YOKE_E_FILE: the file is damaged. */
yoke_status yk_apart(const char *path,
                     yoke_status (*work)(const void *context, yk_parcel *out,
                                         yoke_err *err),
                     const void *context, yk_parcel *out, yoke_err *err);

/* Adds a text with its 0. */
yoke_status yk_parcel_put(yk_parcel *parcel, const char *text, yoke_err *err);

/* The next text behind *at, or NULL; *at begins at 0. */
const char *yk_parcel_next(const yk_parcel *parcel, size_t *at);

void yk_parcel_clear(yk_parcel *parcel);

#endif
