/* expr/c_text.h -- the text of generated C, and the numbers that it reads.
 *
 * Numbers are data, n[0], n[1], ... in the order of the text: the same
 * expression with other parameters is the same text, and is compiled once.
 * Builtins are switched off when compiling, so no call is folded or replaced by
 * another function; sqrt and abs are exact by the standard and written as
 * builtins.
 */
#ifndef YK_EXPR_C_TEXT_H
#define YK_EXPR_C_TEXT_H

#include "base/base.h"
#include "expr/op.h"

/* Zero-initialise it. */
typedef struct yk_c_text {
    char *text;
    size_t length, room;
    int numbers;
    double *number;
    size_t number_room;
    yoke_status status; /* the first failure; then nothing is added */
} yk_c_text;

void yk_c_text_free(yk_c_text *text);

void yk_c_put(yk_c_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of any length. */
void yk_c_put_text(yk_c_text *text, const char *more);

/* Each occurrence has its own, because values that are equal by chance here are
 * not in another instance. */
void yk_c_put_number(yk_c_text *text, double number);

/* The text of an operation; `operand` writes its operand k. */
void yk_c_put_form(yk_c_text *text, yk_op op,
                   void (*operand)(void *self, yk_c_text *text, int k),
                   void *self);

/* Functions and tables that operations need. */
void yk_c_put_prelude(yk_c_text *text);

#endif
