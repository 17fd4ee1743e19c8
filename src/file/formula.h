/* file/formula.h -- formulas of system files: parse, evaluate, linear part.
 *
 *     left.x2 - 2*right.y1 = 0          sin(time) * a.u^2 / (1 + pi)
 *
 * Numbers, `pi`, `time`, names with dots and subscripts, amp.v(out), + - * / ^,
 * relations, if, and functions.  Several expressions share one list of
 * variables.
 */
#ifndef YK_FORMULA_H
#define YK_FORMULA_H

#include "base/base.h"
#include "base/names.h"
#include "expr/breaks.h"

/* Zero-initialise it. */
typedef struct yk_formula {
    yk_expr_program program; /* of all expressions */
    size_t value_room;
    double *value; /* of each step, after yk_formula_eval */
    int variables;
    size_t name_room, place_room;
    char **name;
    size_t *place; /* byte of the text where each occurs first */
    yk_names names;
} yk_formula;

void yk_formula_clear(yk_formula *formula);

/* Reads an expression, or an equation a = b as a - b, from byte *at of the text
 * on.  *at becomes the first byte behind it that is no space, or the byte at
 * which reading failed.  *root is the step that has its value. */
yoke_status yk_formula_expression(yk_formula *formula, const char *text,
                                  size_t *at, int *root, yoke_err *err);
yoke_status yk_formula_equation(yk_formula *formula, const char *text,
                                size_t *at, int *root, yoke_err *err);

/* Values of all steps; y has one value per variable. */
void yk_formula_eval(yk_formula *formula, double t, const double *y);

/* The variables become the numbers y; then the formulas are of time alone. */
void yk_formula_bind(yk_formula *formula, const double *y);

yk_expr_kind yk_formula_kind(const yk_formula *formula, int root);
bool yk_formula_has_time(const yk_formula *formula);

/* W of a linear expression, one weight per variable; `factor` is scratch, one
 * per step.  Overwrites the values with those at t = 0, y = 0. */
void yk_formula_weights(yk_formula *formula, int root, double *weight,
                        double *factor);

/* Values, and derivatives by t with y held, of all steps (yk_expr_rates). */
void yk_formula_rates(yk_formula *formula, double t, const double *y,
                      double *rate);

/* The derivative of `root` by time as new steps, *out: the place of its value;
 * that of variable k is variable[k].  (file/formula_rate.c) */
yoke_status yk_formula_rate(yk_formula *formula, int root, const int *variable,
                            int *out, yoke_err *err);
/* Has it a derivative that tells all of it, without jumps?  Formulas with
 * relations, whole numbers and the like are said to have none. */
bool yk_formula_is_continuous(const yk_formula *formula, int root);

/* New steps; *out: their places. */
yoke_status yk_formula_step(yk_formula *formula, yk_expr_step step, int *out,
                            yoke_err *err);
yoke_status yk_formula_variable(yk_formula *formula, const char *name,
                                size_t place, int *out, yoke_err *err);

/* ---- where formulas of time are not smooth ---------------------------------
 *
 * The corners of its operations, as far as their arguments depend on time
 * alone (expr/breaks.h). */

/* The formula must be complete; *out NULL: it has no such instants. */
yoke_status yk_breaks_create(yk_breaks **out, const yk_formula *formula,
                             yoke_err *err);

/* The first instant after t, or INFINITY; `breaks` may be NULL.  It may name an
 * instant at which nothing happens. */
double yk_formula_next_break(yk_breaks *breaks, double t);

/* Is it linear in time between these instants?  Of a formula of other variables
 * that is said only if it is W y + r(t), or without time. */
bool yk_formula_is_piecewise_linear(const yk_formula *formula, int root);

/* Refuses what follows byte `at`, unless it is the end. */
yoke_status yk_formula_end(const char *text, size_t at, yoke_err *err);

#endif
