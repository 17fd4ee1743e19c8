/* comp/equation/code/code_c.h -- equations as generated C, compiled and loaded.
 * */
#ifndef YK_CODE_C_H
#define YK_CODE_C_H

#include "comp/equation/code/layout.h"
#include "expr/object.h"

typedef struct yk_native yk_native;

/* Compiles the blocks of `layout`, whose lists and tables are borrowed, as
 * yk_object_create does. */
yoke_status yk_native_create(yk_native **out, const yk_layout *layout,
                             yk_model *model, const yk_native_options *options,
                             yk_native_report *report, yoke_err *err);
void yk_native_free(yk_native *native); /* accepts NULL */

void yk_native_f(const yk_native *native, double t, const double *w, double *f);
void yk_native_j(const yk_native *native, double t, const double *w, double *J);

/* emit.c: the text of the generated C. */
yoke_status yk_emit(yk_c_text *source, const yk_layout *layout, yk_model *model,
                    yoke_err *err);

#endif
