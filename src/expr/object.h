/* expr/object.h -- generated C, compiled and loaded. */
#ifndef YK_EXPR_OBJECT_H
#define YK_EXPR_OBJECT_H

#include "expr/c_text.h"

typedef struct yk_native_options {
    const char *compiler; /* command */
    const char *cache;    /* folder in which code is kept, or NULL */
    const char *scratch;  /* folder for temporary ones; NULL: /tmp */
} yk_native_options;

typedef struct yk_native_report {
    bool cached;    /* the code was there already */
    char text[300]; /* why it is not kept, or "" */
} yk_native_report;

typedef struct yk_object yk_object;

/* What the cache cannot hold is built in a temporary folder.  A missing or
 * failing compiler is YOKE_E_MISSING with the reason, as is a lack of folders. */
yoke_status yk_object_create(yk_object **out, const yk_c_text *source,
                             const yk_native_options *options,
                             yk_native_report *report, yoke_err *err);
void yk_object_free(yk_object *object); /* accepts NULL */

/* *out, a pointer to a function, becomes that of the name. */
yoke_status yk_object_find(const yk_object *object, const char *name, void *out,
                           yoke_err *err);

#endif
