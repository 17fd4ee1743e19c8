/* file/formula_rate.c -- the derivative of a formula by time, as a formula.
 *
 * Forward: the rate of each step is made of those of its operands, with the one
 * list of derivatives (expr/slopes.h).  The rate of a variable is another
 * variable.  What is zero has no step, so nothing is multiplied with it; and what
 * is zero by a choice, c ? u : 0, is chosen behind the product: a branch that is
 * not taken may have no derivative there.
 */
#include "file/formula.h"

#include "expr/slopes.h"

#include <math.h>

enum { NONE = -1 };

typedef struct maker {
    yk_formula *f;
    yoke_status status; /* the first failure */
    yoke_err *err;
} maker;

static const yk_expr_step *step_of(const maker *m, int i)
{
    return &m->f->program.step[i];
}

static int add(maker *m, yk_expr_step step)
{
    int out = 0;

    if (m->status == YOKE_OK)
        m->status = yk_formula_step(m->f, step, &out, m->err);
    return out;
}

static int number(maker *m, double v)
{
    return v == 0.0 ? NONE
                    : add(m, (yk_expr_step){ .op = YK_OP_NUMBER, .number = v });
}

static bool is_number(const maker *m, int i)
{
    return i == NONE || step_of(m, i)->op == YK_OP_NUMBER;
}

static double number_of(const maker *m, int i)
{
    return i == NONE ? 0.0 : step_of(m, i)->number;
}

/* A place for zero, too. */
static int place(maker *m, int i)
{
    return i != NONE ? i : add(m, (yk_expr_step){ .op = YK_OP_NUMBER });
}

static int apply(maker *m, yk_op op, int a, int b, int c)
{
    const int operands = yk_op_operands(op);

    if (m->status != YOKE_OK) return NONE;
    if (is_number(m, a) && (operands < 2 || is_number(m, b)) &&
        (operands < 3 || is_number(m, c)))
        return number(m, yk_op_value(op, number_of(m, a), number_of(m, b),
                                     number_of(m, c)));
    a = place(m, a);
    b = operands < 2 ? a : place(m, b);
    c = operands < 3 ? a : place(m, c);
    return add(m, (yk_expr_step){ .op = op, .a = a, .b = b, .c = c });
}

static bool is_zero(const maker *m, int i)
{
    return is_number(m, i) && number_of(m, i) == 0.0;
}

static int choose(maker *m, int c, int a, int b)
{
    if (a == NONE && b == NONE) return NONE;
    return apply(m, YK_OP_IF, c, a, b);
}

/* op(a, b) where a is no number and may be zero by a choice. */
static int behind(maker *m, yk_op op, int a, int b)
{
    const yk_expr_step s = *step_of(m, a);

    if (s.op == YK_OP_IF && is_zero(m, s.c))
        return choose(m, s.a, apply(m, op, s.b, b, b), NONE);
    if (s.op == YK_OP_IF && is_zero(m, s.b))
        return choose(m, s.a, NONE, apply(m, op, s.c, b, b));
    return apply(m, op, a, b, b);
}

static int times(maker *m, int a, int b)
{
    if (a == NONE || b == NONE) return NONE;
    if (is_number(m, a) && number_of(m, a) == 1.0) return b;
    if (is_number(m, b) && number_of(m, b) == 1.0) return a;
    return behind(m, YK_OP_MULTIPLY, a, b);
}

static int over(maker *m, int a, int b)
{
    return a == NONE ? NONE : behind(m, YK_OP_DIVIDE, a, b);
}

static int opposite(maker *m, int a)
{
    return a == NONE ? NONE : behind(m, YK_OP_NEGATE, a, a);
}

static int plus(maker *m, int a, int b)
{
    if (a == NONE) return b;
    return b == NONE ? a : apply(m, YK_OP_ADD, a, b, b);
}

static int minus(maker *m, int a, int b)
{
    if (a == NONE) return opposite(m, b);
    return b == NONE ? a : apply(m, YK_OP_SUBTRACT, a, b, b);
}

static int power(maker *m, int a, int b)
{
    if (b == NONE) return number(m, 1.0);
    if (is_number(m, b) && number_of(m, b) == 1.0) return a;
    return apply(m, YK_OP_POWER, a, b, b);
}

static int unary(maker *m, yk_op op, int a)
{
    return apply(m, op, a, a, a);
}

#define ZERO                    NONE
#define ONE                     number(m, 1.0)
#define TWO                     number(m, 2.0)
#define LOG_OF_10               number(m, log(10.0))
#define NEG(x)                  opposite(m, x)
#define ADD(x, y)               plus(m, x, y)
#define SUB(x, y)               minus(m, x, y)
#define MUL(x, y)               times(m, x, y)
#define DIV(x, y)               over(m, x, y)
#define LESS(x, y)              apply(m, YK_OP_LESS, x, y, y)
#define CHOOSE(c, x, y)         choose(m, c, x, y)
#define ABS(x)                  unary(m, YK_OP_ABS, x)
#define SQRT(x)                 unary(m, YK_OP_SQRT, x)
#define SIN(x)                  unary(m, YK_OP_SIN, x)
#define COS(x)                  unary(m, YK_OP_COS, x)
#define SINH(x)                 unary(m, YK_OP_SINH, x)
#define COSH(x)                 unary(m, YK_OP_COSH, x)
#define SAFE(x)                 (x) /* formulas have no such division */
#define TIMES_POWER(b, a, less) times(m, b, power(m, a, less))
#define TIMES_LOG(v, a)         times(m, v, unary(m, YK_OP_LOG, a))

/* What operand `which` with the rate `bar` adds to the rate of step v. */
static int part(maker *m, int v, int which, int bar)
{
    const yk_expr_step s = *step_of(m, v);
    const int a = s.a, b = s.b;

    (void)b;
    if (yk_op_is_table(s.op)) {
        const yk_expr_step slope = {
            .op = YK_OP_SLOPE, .a = a, .arg = s.arg, .table = s.table
        };
        return times(m, bar, add(m, slope));
    }
    switch (s.op) {
#define SLOPES(name, da, db, dc)                                               \
    case YK_OP_##name:                                                         \
        return which == 0 ? da : which == 1 ? db : dc;
        YK_SLOPES(SLOPES)
#undef SLOPES
    default:
        return NONE;
    }
}

static int rate_of_step(maker *m, int v, const int *variable, const int *rate)
{
    const yk_expr_step s = *step_of(m, v);
    const int operand[3] = { s.a, s.b, s.c };
    int sum = NONE;

    if (s.op == YK_OP_TIME) return number(m, 1.0);
    if (s.op == YK_OP_VARIABLE)
        return add(m, (yk_expr_step){ .op = YK_OP_VARIABLE,
                                      .arg = variable[s.arg],
                                      .number = s.number });
    for (int k = 0; k < yk_op_operands(s.op) && m->status == YOKE_OK; k++)
        if (rate[operand[k]] != NONE)
            sum = plus(m, sum, part(m, v, k, rate[operand[k]]));
    return sum;
}

yoke_status yk_formula_rate(yk_formula *f, int root, const int *variable,
                            int *out, yoke_err *err)
{
    maker m = { .f = f, .err = err };
    int *rate = NULL;

    YK_TRY(yk_ints(&rate, (size_t)root + 1, err));
    for (int i = 0; i <= root && m.status == YOKE_OK; i++)
        rate[i] = rate_of_step(&m, i, variable, rate);
    *out = place(&m, rate[root]);
    yk_free(rate);
    return m.status;
}

bool yk_formula_is_continuous(const yk_formula *f, int root)
{
    for (int i = 0; i <= root; i++) {
        const yk_expr_step *s = &f->program.step[i];
        if (s->op == YK_OP_INTERPOLATE && s->kind <= YK_KIND_TIME) {
            for (int k = 1; k < s->arg; k++)
                if (s->table[2 * k] <= s->table[2 * k - 2]) return false;
            continue;
        }
        if (s->op == YK_OP_IF || s->op == YK_OP_ATAN2 || s->op == YK_OP_SIGN ||
            yk_op_is_truth(s->op) || yk_op_is_table(s->op) ||
            (s->op >= YK_OP_FLOOR && s->op <= YK_OP_ROUND))
            return false;
    }
    return true;
}
