/* expr/native.h -- expressions as generated C, compiled and loaded.
 *
 * The values are those of yk_expr_values and yk_expr_gradient, bit for bit but
 * for the sign of zeros.  Expressions that differ in numbers only, as those of
 * the instances of a subcircuit, share their code.
 */
#ifndef YK_EXPR_NATIVE_H
#define YK_EXPR_NATIVE_H

#include "expr/object.h"
#include "expr/program.h"

typedef struct yk_source_program {
    int steps; /* the last one is its value; 0: there is none */
    const yk_expr_step *step;
    int variables;
} yk_source_program;

typedef struct yk_compiled yk_compiled;

/* Expressions with tables, and those that are too long, are left out.
 * `evaluations`: how often all of them are evaluated at least; *out stays NULL
 * if a compiler takes longer than code would save (expr/policy.h). */
yoke_status yk_compiled_create(yk_compiled **out, int count,
                               const yk_source_program *program,
                               double evaluations,
                               const yk_native_options *options,
                               yk_native_report *report, yoke_err *err);
void yk_compiled_free(yk_compiled *compiled); /* accepts NULL */

/* Is there code for program k?  `compiled` may be NULL. */
bool yk_compiled_has(const yk_compiled *compiled, int k);

/* slope[variables], NULL: not wanted. */
double yk_compiled_value(const yk_compiled *compiled, int k, double t,
                         const double *y, double *slope);

#endif
