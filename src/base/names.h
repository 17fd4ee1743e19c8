/* base/names.h -- finds a number by a name. */
#ifndef YK_NAMES_H
#define YK_NAMES_H

#include "base/base.h"

typedef struct yk_names_slot {
    const char *name; /* NULL: free */
    unsigned hash;    /* so that most names need not be compared */
    int number;
} yk_names_slot;

/* An open hash table; zero-initialise it.  Names are borrowed. */
typedef struct yk_names {
    int count;
    size_t room; /* a power of two, or 0 */
    yk_names_slot *slot;
} yk_names;

void yk_names_clear(yk_names *names);

/* A name that is there already gets the new number. */
yoke_status yk_names_add(yk_names *names, const char *name, int number,
                         yoke_err *err);

/* The number, or -1. */
int yk_names_find(const yk_names *names, const char *name);

#endif
