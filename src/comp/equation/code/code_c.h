/* comp/equation/code/code_c.h -- equations as generated C, compiled and loaded.
 * */
#ifndef YK_CODE_C_H
#define YK_CODE_C_H

#include "comp/equation/code/layout.h"

typedef struct yk_native yk_native;

typedef struct yk_native_options {
    const char *compiler; /* command */
    const char *cache;    /* folder in which code is kept, or NULL */
    const char *scratch;  /* folder for temporary ones; NULL: /tmp */
} yk_native_options;

typedef struct yk_native_report {
    bool cached;    /* the code was there already */
    char text[300]; /* why it is not kept, or "" */
} yk_native_report;

/* Compiles the blocks of `layout`, whose lists and tables are borrowed.  What
 * the cache cannot hold is built in a temporary folder.  A missing or failing
 * compiler is YOKE_E_MISSING with the reason, as is a lack of folders. */
yoke_status yk_native_create(yk_native **out, const yk_layout *layout,
                             yk_model *model, const yk_native_options *options,
                             yk_native_report *report, yoke_err *err);
void yk_native_free(yk_native *native); /* accepts NULL */

void yk_native_f(const yk_native *native, double t, const double *w, double *f);
void yk_native_j(const yk_native *native, double t, const double *w, double *J);

/* emit.c: the text of the generated C, and the numbers that it reads. */
typedef struct yk_c_text {
    char *text;
    size_t length, room;
    int numbers;
    double *number;
    size_t number_room;
    yoke_status status;
} yk_c_text;

yoke_status yk_emit(yk_c_text *source, const yk_layout *layout, yk_model *model,
                    yoke_err *err);
void yk_c_text_free(yk_c_text *source);

#endif
