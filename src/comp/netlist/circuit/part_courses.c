/* comp/netlist/circuit/part_courses.c -- functions of time alone in a circuit
 * (yoke_courses): sources, and expressions of time and of voltages that sources
 * give.
 */
#include "comp/netlist/circuit/part_build.h"
#include "comp/netlist/read/expr.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Operands on the stack of an expression. */
enum { DEEPEST = 64 };

typedef struct writer {
    yk_net_part *p;
    const yk_part_function *fn;
    int steps;
    size_t room;
    yk_expr_step *step;
    yoke_status status;
    yoke_err *err;
    bool known;
} writer;

/* ---- Steps ---------------------------------------------------------------- */

static int put(writer *w, yk_op op, int a, int b, int c)
{
    if (w->status == YOKE_OK)
        w->status = yk_grow((void **)&w->step, &w->room, (size_t)w->steps + 1,
                            sizeof *w->step, w->err);
    if (w->status != YOKE_OK) return 0;
    w->step[w->steps] = (yk_expr_step){ .op = op, .a = a, .b = b, .c = c };
    return w->steps++;
}

static int number(writer *w, double value)
{
    const int at = put(w, YK_OP_NUMBER, -1, -1, -1);

    if (w->status == YOKE_OK) w->step[at].number = value;
    return at;
}

static int one(writer *w, yk_op op, int a)
{
    return put(w, op, a, -1, -1);
}

static int two(writer *w, yk_op op, int a, int b)
{
    return put(w, op, a, b, -1);
}

static int lines(writer *w, int a, const double *point, int rows, bool onward)
{
    const int at = one(w, onward ? YK_OP_LINES : YK_OP_INTERPOLATE, a);

    if (w->status != YOKE_OK) return at;
    w->step[at].table = point;
    w->step[at].arg = rows;
    return at;
}

/* ---- Sources -------------------------------------------------------------- */

/* time - delay, and what follows after it. */
static int since(writer *w, double delay)
{
    return two(w, YK_OP_SUBTRACT, put(w, YK_OP_TIME, -1, -1, -1),
               number(w, delay));
}

static int after(writer *w, int at, double before, int then)
{
    return put(w, YK_OP_IF, two(w, YK_OP_LESS, at, number(w, 0.0)),
               number(w, before), then);
}

/* sin(2 pi frequency a + phase). */
static int wave(writer *w, int a, double frequency, double phase)
{
    const int turn = two(w, YK_OP_MULTIPLY, number(w, 2.0 * pi * frequency), a);

    return two(w, YK_OP_ADD, turn, number(w, phase * pi / 180.0));
}

static int put_sine(writer *w, const double *v)
{
    const int at = since(w, v[3]);
    int y = one(w, YK_OP_SIN, wave(w, at, v[2], v[5]));

    if (v[4] != 0.0)
        y = two(
            w, YK_OP_MULTIPLY, y,
            one(w, YK_OP_EXP, two(w, YK_OP_MULTIPLY, number(w, -v[4]), at)));
    y = two(w, YK_OP_ADD, number(w, v[0]),
            two(w, YK_OP_MULTIPLY, number(w, v[1]), y));
    return after(w, at, v[0] + v[1] * sin(v[5] * pi / 180.0), y);
}

/* rise (1 - exp(-(t - delay) / tau)) after the delay. */
static int put_rise(writer *w, double rise, double delay, double tau)
{
    const int at = since(w, delay);
    const int falls =
        one(w, YK_OP_EXP, two(w, YK_OP_MULTIPLY, number(w, -1.0 / tau), at));

    return after(w, at, 0.0,
                 two(w, YK_OP_MULTIPLY, number(w, rise),
                     two(w, YK_OP_SUBTRACT, number(w, 1.0), falls)));
}

static int put_modulated(writer *w, const double *v)
{
    const int t = put(w, YK_OP_TIME, -1, -1, -1);
    const int signal = one(w, YK_OP_SIN, wave(w, t, v[4], v[6]));
    const int phase = two(w, YK_OP_ADD, wave(w, t, v[2], v[5]),
                          two(w, YK_OP_MULTIPLY, number(w, v[3]), signal));

    return two(
        w, YK_OP_ADD, number(w, v[0]),
        two(w, YK_OP_MULTIPLY, number(w, v[1]), one(w, YK_OP_SIN, phase)));
}

static int put_amplitude(writer *w, const double *v)
{
    const int at = since(w, v[4]);
    const int slow = one(w, YK_OP_SIN, wave(w, at, v[2], v[5]));
    const int fast = one(w, YK_OP_SIN, wave(w, at, v[3], v[5]));
    const int size = two(w, YK_OP_MULTIPLY, number(w, v[0]),
                         two(w, YK_OP_ADD, number(w, v[1]), slow));

    return after(w, at, 0.0, two(w, YK_OP_MULTIPLY, size, fast));
}

/* Straight lines inside a period. */
static int put_pulse(writer *w, const double *v)
{
    const double corner[4] = { 0.0, v[3], v[3] + v[5], v[3] + v[5] + v[4] };
    int at = since(w, v[2]);
    double *point = NULL;

    if (isfinite(v[7]) || !(v[3] > 0.0) || !(v[4] > 0.0) ||
        !(corner[3] <= v[6])) {
        w->known = false;
        return 0;
    }
    if (w->status == YOKE_OK)
        w->status = YK_TAKE(&w->p->arena, &point, 8, w->err);
    if (w->status != YOKE_OK) return 0;
    for (int k = 0; k < 4; k++) {
        point[2 * k] = corner[k];
        point[2 * k + 1] = k == 0 || k == 3 ? v[0] : v[1];
    }
    if (isfinite(v[6])) {
        const int turn =
            one(w, YK_OP_FLOOR, two(w, YK_OP_DIVIDE, at, number(w, v[6])));
        const int in = two(w, YK_OP_SUBTRACT, at,
                           two(w, YK_OP_MULTIPLY, number(w, v[6]), turn));
        at = put(w, YK_OP_IF, two(w, YK_OP_LESS, at, number(w, 0.0)), at, in);
    }
    return lines(w, at, point, 4, false);
}

static int put_table(writer *w, const yk_stimulus *s)
{
    double *point = NULL;

    if (s->repeat >= 0.0 || s->points < 2) {
        w->known = false;
        return 0;
    }
    if (w->status == YOKE_OK)
        w->status = YK_TAKE(&w->p->arena, &point, 2 * s->points, w->err);
    if (w->status != YOKE_OK) return 0;
    for (int k = 0; k < s->points; k++) {
        point[2 * k] = s->time[k];
        point[2 * k + 1] = s->value[k];
    }
    return lines(w, since(w, s->delay), point, s->points, false);
}

static int put_source(writer *w, const yk_stimulus *s)
{
    const double *v = s->v;

    switch (s->shape) {
    case YK_SHAPE_SIN:
        return put_sine(w, v);
    case YK_SHAPE_EXP:
        return two(w, YK_OP_ADD, number(w, v[0]),
                   two(w, YK_OP_ADD, put_rise(w, v[1] - v[0], v[2], v[3]),
                       put_rise(w, v[0] - v[1], v[4], v[5])));
    case YK_SHAPE_SFFM:
        return put_modulated(w, v);
    case YK_SHAPE_AM:
        return put_amplitude(w, v);
    case YK_SHAPE_PULSE:
        return put_pulse(w, v);
    case YK_SHAPE_PWL:
        return put_table(w, s);
    case YK_SHAPE_NONE:
        break;
    }
    return number(w, s->dc);
}

/* The voltage of a driven node, a sum of sources. */
static int put_slot(writer *w, int slot)
{
    int sum = number(w, 0.0);

    for (int k = w->p->drivens - 1; k >= 0; k--) { /* `below` comes first */
        const yk_part_driven *d = &w->p->driven[k];
        if (d->slot != slot) continue;
        sum = two(w, d->sign > 0.0 ? YK_OP_ADD : YK_OP_SUBTRACT, sum,
                  put_source(w, d->source));
        slot = d->below;
    }
    return sum;
}

/* ---- Expressions ---------------------------------------------------------- */

static const struct {
    yk_net_op op;
    yk_op jet;
} same[] = {
    { YK_NET_OP_NEG, YK_OP_NEGATE },   { YK_NET_OP_ADD, YK_OP_ADD },
    { YK_NET_OP_SUB, YK_OP_SUBTRACT }, { YK_NET_OP_MUL, YK_OP_MULTIPLY },
    { YK_NET_OP_DIV, YK_OP_DIVIDE },   { YK_NET_OP_SAFE_DIV, YK_OP_DIVIDE },
    { YK_NET_OP_POW, YK_OP_POWER },    { YK_NET_OP_ABS, YK_OP_ABS },
    { YK_NET_OP_SGN, YK_OP_SIGN },     { YK_NET_OP_SQRT, YK_OP_SQRT },
    { YK_NET_OP_EXP, YK_OP_EXP },      { YK_NET_OP_LN, YK_OP_LOG },
    { YK_NET_OP_SIN, YK_OP_SIN },      { YK_NET_OP_COS, YK_OP_COS },
    { YK_NET_OP_TAN, YK_OP_TAN },      { YK_NET_OP_ASIN, YK_OP_ASIN },
    { YK_NET_OP_ACOS, YK_OP_ACOS },    { YK_NET_OP_ATAN, YK_OP_ATAN },
    { YK_NET_OP_SINH, YK_OP_SINH },    { YK_NET_OP_COSH, YK_OP_COSH },
    { YK_NET_OP_TANH, YK_OP_TANH },    { YK_NET_OP_ASINH, YK_OP_ASINH },
    { YK_NET_OP_ACOSH, YK_OP_ACOSH },  { YK_NET_OP_ATANH, YK_OP_ATANH },
    { YK_NET_OP_MIN, YK_OP_MIN },      { YK_NET_OP_MAX, YK_OP_MAX },
    { YK_NET_OP_CEIL, YK_OP_CEIL },    { YK_NET_OP_FLOOR, YK_OP_FLOOR },
    { YK_NET_OP_INT, YK_OP_TRUNC },    { YK_NET_OP_NINT, YK_OP_ROUND },
    { YK_NET_OP_LT, YK_OP_LESS },      { YK_NET_OP_LE, YK_OP_LESS },
};

static int truth(writer *w, int a)
{
    return two(w, YK_OP_LESS, number(w, 0.0), one(w, YK_OP_ABS, a));
}

static int remainder_of(writer *w, int a, int b)
{
    const int whole = one(w, YK_OP_TRUNC, two(w, YK_OP_DIVIDE, a, b));

    return two(w, YK_OP_SUBTRACT, a, two(w, YK_OP_MULTIPLY, b, whole));
}

/* |a|^b, with the sign of a or without. */
static int put_power(writer *w, bool sign, int a, int b)
{
    const int size = two(w, YK_OP_POWER, one(w, YK_OP_ABS, a), b);

    return sign ? two(w, YK_OP_MULTIPLY, one(w, YK_OP_SIGN, a), size) : size;
}

static int put_lines(writer *w, const yk_net_step *s, int a)
{
    const int rows = (int)s->number;

    if (rows < 2) w->known = false;
    return lines(w, a, w->fn->expr->code->point + s->arg, rows, true);
}

static int put_made(writer *w, const yk_net_step *s, const int *a)
{
    switch (s->op) {
    case YK_NET_OP_SQR:
        return two(w, YK_OP_MULTIPLY, a[0], a[0]);
    case YK_NET_OP_LOG10:
        return two(w, YK_OP_MULTIPLY, number(w, 1.0 / log(10.0)),
                   one(w, YK_OP_LOG, a[0]));
    case YK_NET_OP_GT:
    case YK_NET_OP_GE:
        return two(w, YK_OP_LESS, a[1], a[0]);
    case YK_NET_OP_NOT:
        return one(w, YK_OP_NOT, truth(w, a[0]));
    case YK_NET_OP_AND:
        return two(w, YK_OP_AND, truth(w, a[0]), truth(w, a[1]));
    case YK_NET_OP_OR:
        return two(w, YK_OP_OR, truth(w, a[0]), truth(w, a[1]));
    case YK_NET_OP_SELECT:
        return put(w, YK_OP_IF, truth(w, a[0]), a[1], a[2]);
    case YK_NET_OP_STEP:
        return two(w, YK_OP_LESS, number(w, 0.0), a[0]);
    case YK_NET_OP_STEP2:
        return two(w, YK_OP_MIN, number(w, 1.0),
                   two(w, YK_OP_MAX, number(w, 0.0), a[0]));
    case YK_NET_OP_RAMP:
        return two(w, YK_OP_MAX, number(w, 0.0), a[0]);
    case YK_NET_OP_MOD:
        return remainder_of(w, a[0], a[1]);
    case YK_NET_OP_ABS_POW:
    case YK_NET_OP_SIGN_POW:
        return put_power(w, s->op == YK_NET_OP_SIGN_POW, a[0], a[1]);
    case YK_NET_OP_PWL:
        return put_lines(w, s, a[0]);
    default:
        w->known = false;
        return 0;
    }
}

static int put_step(writer *w, const yk_net_step *s, const int *a)
{
    if (s->op == YK_NET_OP_NUMBER) return number(w, s->number);
    if (s->op == YK_NET_OP_TIME) return put(w, YK_OP_TIME, -1, -1, -1);
    if (s->op == YK_NET_OP_VAR)
        return two(w, YK_OP_SUBTRACT, put_slot(w, w->fn->plus[s->arg]),
                   put_slot(w, w->fn->minus[s->arg]));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].op == s->op)
            return yk_net_operands(s->op) == 2 ? two(w, same[i].jet, a[0], a[1])
                                               : one(w, same[i].jet, a[0]);
    return put_made(w, s, a);
}

static yoke_status add_written(writer *w)
{
    if (w->status != YOKE_OK || !w->known || w->steps == 0) return w->status;
    return yk_courses_add(&w->p->courses, w->steps, w->step, w->err);
}

static void begin(writer *w)
{
    w->steps = 0;
    w->known = true;
}

/* The code from `first` to `last` is of time alone. */
static yoke_status add_code(writer *w, int first, int last)
{
    const yk_net_code *code = w->fn->expr->code;
    int stack[DEEPEST] = { 0 }, top = 0;

    begin(w);
    for (int k = first; k < last && w->known; k++) {
        const int operands = yk_net_operands(code->step[k].op);
        top -= operands;
        stack[top] = put_step(w, &code->step[k], stack + top);
        top++;
    }
    return add_written(w);
}

typedef struct operand {
    int first;
    bool time, mixed; /* depends on it; on more than that */
} operand;

static yoke_status add_expression(writer *w)
{
    const yk_net_code *code = w->fn->expr->code;
    const bool *known = w->fn->known;
    operand stack[DEEPEST] = { { 0 } };
    int top = 0;

    for (int k = 0; k < code->steps; k++) {
        const yk_net_step *s = &code->step[k];
        const int operands = yk_net_operands(s->op);
        const bool given = s->op == YK_NET_OP_VAR && known && known[s->arg];
        if (top - operands >= DEEPEST - 1) return YOKE_OK;
        operand *a = stack + (top -= operands);
        operand r = { .first = operands ? a[0].first : k,
                      .time = s->op == YK_NET_OP_TIME || given,
                      .mixed = s->op == YK_NET_OP_VAR && !given };
        for (int j = 0; j < operands; j++) {
            r.time |= a[j].time;
            r.mixed |= a[j].mixed;
        }
        for (int j = 0; j < operands && r.mixed; j++)
            if (a[j].time && !a[j].mixed)
                YK_TRY(add_code(w, a[j].first,
                                j + 1 < operands ? a[j + 1].first : k));
        *a = r;
        top++;
    }
    if (top == 1 && stack[0].time && !stack[0].mixed)
        return add_code(w, 0, code->steps);
    return YOKE_OK;
}

static yoke_status add_source(writer *w, const yk_stimulus *s)
{
    if (yk_source_is_straight(s)) return YOKE_OK;
    begin(w);
    put_source(w, s);
    return add_written(w);
}

yoke_status yk_part_find_courses(yk_net_part *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    writer w = { .p = p, .err = err };

    p->courses.shown = p->drivens > 0; /* their voltages are outputs */
    for (int k = 0; k < p->drivens; k++)
        YK_GO(add_source(&w, p->driven[k].source));
    for (int k = 0; k < p->sources; k++)
        YK_GO(add_source(&w, p->source[k].source));
    for (int k = 0; k < p->functions; k++) {
        w.fn = &p->function[k];
        if (w.fn->expr && (w.fn->expr->uses_time || w.fn->known))
            YK_GO(add_expression(&w));
    }
done:
    yk_free(w.step);
    return status;
}
