/* comp/equation/compile.h -- from a flat model to a subsystem. */
#ifndef YK_COMPILE_H
#define YK_COMPILE_H

#include "comp/equation/rates.h"
#include "yoke/equation.h"

/* Borrows `flat`.  Adds to *report, whose read_seconds are kept; it and `rates`
 * may be NULL. */
yoke_status yk_equation_compile(yoke_system **out, const char *name,
                                const yk_flat *flat,
                                const yk_equation_rates *rates,
                                const yoke_equation_options *options,
                                yoke_equation_report *report, yoke_err *err);

struct yk_model;

/* The passes up to the reduction of the index.  Borrows `flat`; free the model in
 * any case. */
yoke_status yk_equation_analyse(struct yk_model *model, const yk_flat *flat,
                                yoke_err *err);

/* yoke_equation_read with derivatives of inputs and outputs. */
yoke_status yk_equation_read(yoke_system **out, const char *name,
                             const char *path,
                             const yoke_equation_options *options,
                             const yk_equation_rates *rates,
                             yoke_equation_report *report, yoke_err *err);

#endif
