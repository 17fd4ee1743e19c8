/* comp/equation/read.h -- equation models in system files. */
#ifndef YK_EQUATION_READ_H
#define YK_EQUATION_READ_H

#include "file/component.h"
#include "yoke/equation.h"

/* single_model.c: a model alone as a system, a file .mo or .bmo. */
bool yk_eq_model_is_file(const char *path);
yoke_status yk_eq_model_wrap(yk_wrapped *out, const char *path,
                             const yoke_file_options *options, yoke_err *err);

/* front/declared_units.c: refuses values of parameters whose unit is not that
 * of the model, and keeps the units of its ports. */
yoke_status yk_eq_model_units(yk_reader *r, const char *subsystem,
                              const char *path,
                              const yoke_equation_options *options,
                              const yk_entries *entries, yoke_err *err);

#endif
