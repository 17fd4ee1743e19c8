/* base/lazy.h -- libraries that are loaded when they are needed first.
 *
 * HDF5, libxml2 and libzip bring forty others with them; loading and binding
 * those took two thirds of the time of a program that prints its version, and
 * most runs need none of them.
 *
 * With YOKE_LAZY a file that uses such a library lists its functions, calls them
 * by a table of pointers that macros of the same names hide, and fills the table
 * once, before the first call.  Without it everything is linked as usual.
 */
#ifndef YK_BASE_LAZY_H
#define YK_BASE_LAZY_H

#include "base/base.h"

/* A name of the library, and where its address goes. */
typedef struct yk_lazy_name {
    const char *name;
    void *to; /* a pointer to a function or a variable */
} yk_lazy_name;

/* Loads it for the life of the process; calls for one library never overlap.
 * The first of the list is a function.  YOKE_E_MISSING with the reason of the system. */
yoke_status yk_lazy_load(const char *library, const yk_lazy_name *list,
                         int count, yoke_err *err);

#endif
