/* base/loaded.h -- the program and its libraries in memory.
 *
 * A process that takes up the memory of another one (base/image.h) has the same
 * program and libraries at other addresses.  A library is recognised by the
 * number that the linker gave it, or, without one, by its file.
 */
#ifndef YK_BASE_LOADED_H
#define YK_BASE_LOADED_H

#include "base/base.h"

#include <stdint.h>

enum { YK_LOADED_ID = 96, YK_LOADED_NAME = 256 };

typedef struct yk_loaded {
    uint64_t begin, length;
    char id[YK_LOADED_ID];
    char name[YK_LOADED_NAME];
    bool used; /* some word of the image is an address in it */
} yk_loaded;

/* Those of this process, by address; the caller frees *out. */
yoke_status yk_loaded_list(yk_loaded **out, int *count, yoke_err *err);

/* What was loaded since `before` was listed is left out of all lists from now on:
 * nothing that is saved refers to it, and another process need not have it.  Takes
 * a list made without an image. */
yoke_status yk_loaded_leave_out(yk_loaded *before, int count, yoke_err *err);

/* Marks those that words of these bytes lie in. */
void yk_loaded_mark(yk_loaded *list, int count, const char *bytes, size_t size);

/* Can integers of 32 bits, with whatever lies beside them, not look like an address
 * in one of them?  Only those that are used, or all, with a margin for those that
 * are loaded later.  *which: one that can. */
bool yk_loaded_distinct(const yk_loaded *list, int count, bool all, int *which);

/* Where what was at `there` of the other process is here: place[k] is the
 * library of this process that is there[k].  Refused with its name if there is
 * none. */
yoke_status yk_loaded_match(const yk_loaded *there, int count,
                            const yk_loaded *here, int others, int *place,
                            yoke_err *err);

/* Moves the words that are addresses in libraries of the other process. */
void yk_loaded_move(const yk_loaded *there, int count, const yk_loaded *here,
                    const int *place, char *bytes, size_t size);

#endif
