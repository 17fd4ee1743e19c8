/* comp/equation/code/interpret.h -- computes expressions of a template for many
 * instances at once.
 */
#ifndef YK_INTERPRET_H
#define YK_INTERPRET_H

#include "comp/equation/code/model.h"

enum { YK_LANES = 64 };

typedef struct yk_instruction {
    int op, out, a, b, c;
    double number;
    int base, stride[YK_FLAT_LOOPS]; /* REFER, lookup; INDEX: the loop */
    int rows;                        /* of a table */
} yk_instruction;

/* Straight-line code for `results` expressions. */
typedef struct yk_code {
    int length, registers, results;
    yk_instruction *instruction;
    int *result; /* register of each expression */
} yk_code;

yoke_status yk_eq_code_create(yk_code *code, yk_model *model,
                              const yk_template *t, int count, const int *root,
                              yoke_err *err);
void yk_eq_code_free(yk_code *code);

/* Instances first ... first + lanes - 1, lanes <= YK_LANES.  Result r of lane l
 * is then workspace[result[r] * YK_LANES + l]; workspace has registers *
 * YK_LANES numbers. */
void yk_eq_code_run(const yk_code *code, const yk_template *t, int first,
                    int lanes, double time, const double *w, double *workspace);

/* An operation with its first operands. */
typedef struct yk_blamed {
    int op;
    double operand[2];
} yk_blamed;

/* The first operation of instance k whose result is not finite though its
 * operands are.  False: there is none. */
bool yk_eq_code_explain(const yk_code *code, const yk_template *t, int k,
                        double time, const double *w, double *workspace,
                        yk_blamed *out);

/* The operation of instance k that, from w[0] to w[1], nears the end of where it
 * is defined most, if that is more than `least` (yk_op_nears); returns how much.
 * scratch: as long as the code. */
double yk_eq_code_edge(const yk_code *code, const yk_template *t, int k,
                       const double time[2], const double *const w[2],
                       double *workspace, double (*scratch)[2], double least,
                       yk_blamed *out);

/* out[k * count + r]: expression r of instance k, for all instances; slow, for
 * the start only. */
yoke_status yk_evaluate(yk_model *model, const yk_template *t, int count,
                        const int *root, double time, const double *w,
                        double *out, yoke_err *err);

#endif
