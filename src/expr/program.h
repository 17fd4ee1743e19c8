/* expr/program.h -- an expression as a list of steps, operands before
 * operators.
 *
 *     time  3  time*3  sin(time*3)          each step is a number of the list
 *
 * One pass forward gives the values of all steps, or enclosures of them over an
 * interval of time; one pass backward the derivatives by all variables.  Steps
 * may be used more than once.
 */
#ifndef YK_EXPR_PROGRAM_H
#define YK_EXPR_PROGRAM_H

#include "base/base.h"
#include "expr/jet.h"

/* How a step depends on the variables y and on t; a later kind may be all that
 * an earlier one is. */
typedef enum yk_expr_kind {
    YK_KIND_NUMBER,
    YK_KIND_TIME,     /* of t only */
    YK_KIND_LINEAR,   /* constant weights: W y + r(t) */
    YK_KIND_NONLINEAR /* any g(t, y) */
} yk_expr_kind;

/* How it depends on time between the instants at which an operation passes a
 * corner; a later one may be all that an earlier one is. */
typedef enum yk_expr_shape {
    YK_STEADY,   /* not */
    YK_STRAIGHT, /* linearly */
    YK_CURVED,   /* smoothly */
    YK_FOREIGN   /* on variables too */
} yk_expr_shape;

typedef struct yk_expr_step {
    yk_op op;
    int a, b, c;         /* places of earlier steps; an operand that it has not
                            is the first once more, of leaves 0 */
    int arg;             /* VARIABLE: which; tables: rows */
    yk_expr_kind kind;   /* set by yk_expr_append */
    yk_expr_shape shape; /* the same */
    double number;       /* NUMBER; VARIABLE: times this */
    const double *table; /* tables: their rows, borrowed */
} yk_expr_step;

/* Zero-initialise it. */
typedef struct yk_expr_program {
    int steps;
    size_t room;
    yk_expr_step *step;
} yk_expr_program;

void yk_expr_clear(yk_expr_program *program);

/* Adds a step, whose `kind` and `shape` are found; *out: its place.  Operands
 * that it has not need not be given. */
yoke_status yk_expr_append(yk_expr_program *program, yk_expr_step step,
                           int *out, yoke_err *err);

/* Finds `kind` and `shape` of step i from those of its operands; those that it
 * has not become the first. */
void yk_expr_classify(yk_expr_step *step, int i);

/* Copies the steps that `root` consists of, with new places; gives their
 * number.  at: scratch, root + 1 numbers. */
int yk_expr_extract(const yk_expr_step *step, int root, int *at,
                    yk_expr_step *out);

/* ---- values ---------------------------------------------------------------
 *
 * v, jet: one for each step; y: one for each variable, NULL: all zero. */

void yk_expr_values(const yk_expr_step *step, int steps, double t,
                    const double *y, double *v);

/* slope[k] = d root / d y_k at the point of the values v.  bar: scratch, root +
 * 1 numbers.  (expr/gradient.c) */
void yk_expr_gradient(const yk_expr_step *step, int root, const double *v,
                      int variables, double *slope, double *bar);

/* Values, and derivatives by t with y held: rate[2 i] and rate[2 i + 1] are the
 * first and second of step i.  (expr/rates.c) */
void yk_expr_rates(const yk_expr_step *step, int steps, double t,
                   const double *y, double *v, double *rate);
/* The same while y moves with a constant rate; NULL: y is held. */
void yk_expr_motion(const yk_expr_step *step, int steps, double t,
                    const double *y, const double *rate_of_y, double *v,
                    double *rate);

/* ---- enclosures -----------------------------------------------------------
 */

/* Taylor coefficients of a variable over [from, to]. */
typedef void yk_expr_path(void *self, int variable, double from, double to,
                          int order, yk_jet *out);

/* Steps whose kind is NUMBER are computed if `all`; else they are there
 * already.  `path` is called for variables. */
void yk_expr_enclose(const yk_expr_step *step, int steps, double from,
                     double to, int order, yk_expr_path *path, void *self,
                     bool all, yk_jet *jet);

/* ---- corners --------------------------------------------------------------
 *
 * On a piece of time on which an operation passes none of its corners it keeps
 * its branch: the value of sign, floor and of relations, the sign of abs, 1 or
 * 0 as min or max is its first operand or not, the number of rows before its
 * operand of a table. */

double yk_expr_branch(const yk_expr_step *step, double a, double b);

/* The function of the operands that passes a level there: a or a - b. */
double yk_expr_watched(const yk_expr_step *step, double a, double b);

/* Of one step from its operands, with its branch held. */
double yk_expr_held_value(const yk_expr_step *step, double t, double branch,
                          const double *v);
void yk_expr_held_jet(const yk_expr_step *step, double from, double to,
                      double branch, int order, const yk_jet *jet, yk_jet *out);

#endif
