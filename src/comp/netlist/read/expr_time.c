/* comp/netlist/read/expr_time.c -- when functions of time in expressions
 * switch.
 *
 * sin(6.28k*time) > 0.9 ? 5 : 0 jumps at instants that no straight line tells
 * (expr_emit.c follows those).  A *switch* is an operator that is not smooth at
 * certain values of its operand; if the operand depends on time alone, or on
 * voltages that sources give, the instants at which it takes one of them are
 * breakpoints.  They are found by interval arithmetic: an interval of time
 * whose image has none of the values has no instant either, others are halved,
 * the earlier half first.  So nothing is passed over, however narrow, and an
 * instant at which the operand only nearly takes the value is a breakpoint too
 * many, no harm. Reference: Moore, Kearfott, Cloud, Introduction to Interval
 * Analysis, chapters 5 and 8.
 */
#include "comp/netlist/read/expr.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    DEEPEST = 64,      /* operands on the stack */
    MOST_TRIALS = 5000 /* intervals looked at for one instant; where they do
                          not suffice the stepper has to look for itself */
};

static const double pi = 3.14159265358979323846;

typedef struct span {
    double low, high;
} span;

/* ---- one operator -------------------------------------------------------- */

static span around(double a, double b)
{
    const double low = fmin(a, b), high = fmax(a, b);
    const double wide = 4.0 * DBL_EPSILON * fmax(fabs(low), fabs(high));

    if (isnan(a) || isnan(b)) return (span){ -INFINITY, INFINITY };
    return (span){ low - wide, high + wide };
}

static bool is_one(span a)
{
    return a.low == a.high;
}

static span all(void)
{
    return (span){ -INFINITY, INFINITY };
}

/* Both of sine and cosine: `phase` shifts to sine. */
static span sine(span a, double phase)
{
    const double low = a.low + phase, high = a.high + phase;

    if (!(high - low < 2.0 * pi)) return (span){ -1.0, 1.0 };
    span r = around(sin(low), sin(high));
    /* A crest at pi/2 + 2 pi k, a trough at -pi/2 + 2 pi k. */
    if (floor((high - 0.5 * pi) / (2.0 * pi)) >
        floor((low - 0.5 * pi) / (2.0 * pi)))
        r.high = 1.0;
    if (floor((high + 0.5 * pi) / (2.0 * pi)) >
        floor((low + 0.5 * pi) / (2.0 * pi)))
        r.low = -1.0;
    return r;
}

static span square(span a)
{
    const double most = fmax(a.low * a.low, a.high * a.high);

    if (a.low <= 0.0 && a.high >= 0.0) return (span){ 0.0, most };
    return around(fmin(a.low * a.low, a.high * a.high), most);
}

static double value_of(const yk_net_step *s, const double *point, double x)
{
    const yk_net_step code[] = { { YK_NET_OP_NUMBER, 0, x }, *s };
    double stack[2];

    yk_net_run(code, 2, point, 0.0, NULL, 0, stack);
    return stack[0];
}

/* Functions that rise or fall all the way. */
static bool is_monotone(yk_net_op op)
{
    switch (op) {
    case YK_NET_OP_NEG:
    case YK_NET_OP_SGN:
    case YK_NET_OP_SQRT:
    case YK_NET_OP_EXP:
    case YK_NET_OP_LN:
    case YK_NET_OP_LOG10:
    case YK_NET_OP_ASIN:
    case YK_NET_OP_ACOS:
    case YK_NET_OP_ATAN:
    case YK_NET_OP_SINH:
    case YK_NET_OP_TANH:
    case YK_NET_OP_ASINH:
    case YK_NET_OP_ACOSH:
    case YK_NET_OP_ATANH:
    case YK_NET_OP_CEIL:
    case YK_NET_OP_FLOOR:
    case YK_NET_OP_NINT:
    case YK_NET_OP_INT:
    case YK_NET_OP_STEP:
    case YK_NET_OP_STEP2:
    case YK_NET_OP_RAMP:
        return true;
    default:
        return false;
    }
}

/* Straight pieces: the extrema are at the ends or at points inside. */
static span pieces(const yk_net_step *s, const double *point, span a)
{
    const double *p = point + s->arg;
    const int count = (int)s->number;
    double low = fmin(value_of(s, point, a.low), value_of(s, point, a.high));
    double high = fmax(value_of(s, point, a.low), value_of(s, point, a.high));

    for (int i = 0; i < count; i++)
        if (p[2 * i] > a.low && p[2 * i] < a.high) {
            low = fmin(low, p[2 * i + 1]);
            high = fmax(high, p[2 * i + 1]);
        }
    return around(low, high);
}

static span unary(const yk_net_step *s, const double *point, span a)
{
    if (is_monotone(s->op))
        return around(value_of(s, point, a.low), value_of(s, point, a.high));
    switch (s->op) {
    case YK_NET_OP_ABS:
        if (a.low >= 0.0) return a;
        if (a.high <= 0.0) return (span){ -a.high, -a.low };
        return (span){ 0.0, fmax(-a.low, a.high) };
    case YK_NET_OP_SQR:
        return square(a);
    case YK_NET_OP_SIN:
        return sine(a, 0.0);
    case YK_NET_OP_COS:
        return sine(a, 0.5 * pi);
    case YK_NET_OP_COSH:
        return around(a.low <= 0.0 && a.high >= 0.0
                          ? 1.0
                          : fmin(cosh(a.low), cosh(a.high)),
                      fmax(cosh(a.low), cosh(a.high)));
    case YK_NET_OP_NOT:
        if (a.low > 0.0 || a.high < 0.0) return (span){ 0.0, 0.0 };
        return (span){ is_one(a) ? 1.0 : 0.0, 1.0 };
    case YK_NET_OP_PWL:
    case YK_NET_OP_TABLE:
        return pieces(s, point, a);
    default:
        return all();
    }
}

static span product(span a, span b)
{
    const double v[] = { a.low * b.low, a.low * b.high, a.high * b.low,
                         a.high * b.high };
    double low = v[0], high = v[0];

    for (int k = 0; k < 4; k++) {
        if (isnan(v[k])) return all();
        low = fmin(low, v[k]);
        high = fmax(high, v[k]);
    }
    return around(low, high);
}

/* A relation of differences d = a - b: certain, or open. */
static span relation(yk_net_op op, span a, span b)
{
    const bool less = a.high<b.low, more = a.low> b.high;
    const span no = { 0.0, 0.0 }, yes = { 1.0, 1.0 };

    if (!less && !more && !(is_one(a) && is_one(b) && a.low == b.low))
        return (span){ 0.0, 1.0 };
    switch (op) {
    case YK_NET_OP_EQ:
        return less || more ? no : yes;
    case YK_NET_OP_NE:
        return less || more ? yes : no;
    case YK_NET_OP_LT:
        return less ? yes : no;
    case YK_NET_OP_LE:
        return more ? no : yes;
    case YK_NET_OP_GT:
        return more ? yes : no;
    default:
        return less ? no : yes;
    }
}

/* 1: certainly not zero, 0: certainly zero, -1: open. */
static int truth(span a)
{
    if (a.low > 0.0 || a.high < 0.0) return 1;
    return a.low == 0.0 && a.high == 0.0 ? 0 : -1;
}

static span logical(yk_net_op op, span a, span b)
{
    const int x = truth(a), y = truth(b);

    if (op == YK_NET_OP_AND && (x == 0 || y == 0)) return (span){ 0.0, 0.0 };
    if (op == YK_NET_OP_OR && (x == 1 || y == 1)) return (span){ 1.0, 1.0 };
    if (x < 0 || y < 0) return (span){ 0.0, 1.0 };
    return op == YK_NET_OP_AND ? (span){ 1.0, 1.0 } : (span){ 0.0, 0.0 };
}

static span power(yk_net_op op, span a, span b)
{
    const bool whole = is_one(b) && b.low == floor(b.low) && b.low >= 0.0;
    span base = a;

    if (!is_one(b)) return all();
    if (op == YK_NET_OP_SIGN_POW && b.low > 0.0) /* it rises */
        return around(copysign(pow(fabs(a.low), b.low), a.low),
                      copysign(pow(fabs(a.high), b.low), a.high));
    if (op == YK_NET_OP_ABS_POW || (whole && fmod(b.low, 2.0) == 0.0)) {
        const yk_net_step s = { YK_NET_OP_ABS, 0, 0.0 };
        base = unary(&s, NULL, a);
    }
    if (base.low < 0.0 && !whole) return all();
    return around(pow(base.low, b.low), pow(base.high, b.low));
}

static span remainder_of(span a, span b)
{
    if (!is_one(b) || b.low == 0.0 || !isfinite(a.low + a.high)) return all();
    const double most = fabs(b.low);
    if (trunc(a.low / b.low) == trunc(a.high / b.low))
        return around(a.low - b.low * trunc(a.low / b.low),
                      a.high - b.low * trunc(a.high / b.low));
    return (span){ a.low < 0.0 ? -most : 0.0, a.high > 0.0 ? most : 0.0 };
}

static span binary(yk_net_op op, span a, span b)
{
    switch (op) {
    case YK_NET_OP_ADD:
        return around(a.low + b.low, a.high + b.high);
    case YK_NET_OP_SUB:
        return around(a.low - b.high, a.high - b.low);
    case YK_NET_OP_MUL:
        return product(a, b);
    case YK_NET_OP_DIV:
    case YK_NET_OP_SAFE_DIV:
        if (b.low <= 0.0 && b.high >= 0.0) return all();
        return product(a, (span){ 1.0 / b.high, 1.0 / b.low });
    case YK_NET_OP_MIN:
        return (span){ fmin(a.low, b.low), fmin(a.high, b.high) };
    case YK_NET_OP_MAX:
        return (span){ fmax(a.low, b.low), fmax(a.high, b.high) };
    case YK_NET_OP_MOD:
        return remainder_of(a, b);
    case YK_NET_OP_POW:
    case YK_NET_OP_ABS_POW:
    case YK_NET_OP_SIGN_POW:
        return power(op, a, b);
    case YK_NET_OP_AND:
    case YK_NET_OP_OR:
        return logical(op, a, b);
    default:
        return op >= YK_NET_OP_EQ && op <= YK_NET_OP_GE ? relation(op, a, b)
                                                        : all();
    }
}

static span choice(span a, span b, span c)
{
    const int which = truth(a);

    if (which >= 0) return which ? b : c;
    return (span){ fmin(b.low, c.low), fmax(b.high, c.high) };
}

/* The image of an interval of time under code whose variables are known. */
static span image(const yk_net_code *code, const yk_net_known *known, int first,
                  int last, span time)
{
    span stack[DEEPEST] = { { 0.0, 0.0 } };
    int top = 0;

    for (int k = first; k < last; k++) {
        const yk_net_step *s = &code->step[k];
        const int operands = yk_net_operands(s->op);
        if (top - operands < 0 || top - operands >= DEEPEST - 1) return all();
        span *a = stack + (top -= operands);
        if (s->op == YK_NET_OP_VAR)
            known->span(known->self, s->arg, time.low, time.high, &a->low,
                        &a->high);
        else if (operands == 0)
            *a =
                s->op == YK_NET_OP_TIME ? time : (span){ s->number, s->number };
        else if (operands == 1)
            *a = unary(s, code->point, a[0]);
        else if (operands == 2)
            *a = binary(s->op, a[0], a[1]);
        else
            *a = choice(a[0], a[1], a[2]);
        top++;
    }
    return top == 1 ? stack[0] : all();
}

/* ---- switches ------------------------------------------------------------ */

/* The operand that switches is that of one operator, or a difference of two. */
static span operand(const yk_net_code *code, const yk_net_known *known,
                    const yk_net_switch *w, span time)
{
    const span a = image(code, known, w->first, w->middle, time);

    if (w->middle == w->last) return a;
    const span b = image(code, known, w->middle, w->last, time);
    const yk_net_op op = code->step[w->last].op;
    return op == YK_NET_OP_MOD || op == YK_NET_OP_INT_DIV
               ? binary(YK_NET_OP_DIV, a, b)
               : binary(YK_NET_OP_SUB, a, b);
}

static bool has_whole(span a, double offset)
{
    return floor(a.high - offset) > floor(a.low - offset) ||
           floor(a.low - offset) == a.low - offset;
}

static bool has(span a, double level)
{
    return a.low <= level && a.high >= level;
}

/* May the operator switch in the interval?  An operand that rests at a value
 * does not. */
static bool may_switch(const yk_net_code *code, const yk_net_known *known,
                       const yk_net_switch *w, span time)
{
    const span a = operand(code, known, w, time);
    const yk_net_step *s = &code->step[w->last];

    if (is_one(a)) return false;
    switch (s->op) {
    case YK_NET_OP_CEIL:
    case YK_NET_OP_FLOOR:
    case YK_NET_OP_INT:
    case YK_NET_OP_MOD:
    case YK_NET_OP_INT_DIV:
        return has_whole(a, 0.0);
    case YK_NET_OP_NINT:
        return has_whole(a, 0.5);
    case YK_NET_OP_STEP2:
        return has(a, 0.0) || has(a, 1.0);
    case YK_NET_OP_PWL:
    case YK_NET_OP_TABLE:
        for (int i = 0; i < (int)s->number; i++)
            if (has(a, code->point[s->arg + 2 * i])) return true;
        return false;
    default:
        return has(a, 0.0);
    }
}

static bool switches(yk_net_op op)
{
    switch (op) {
    case YK_NET_OP_NOT:
    case YK_NET_OP_MOD:
    case YK_NET_OP_INT_DIV:
    case YK_NET_OP_EQ:
    case YK_NET_OP_NE:
    case YK_NET_OP_LT:
    case YK_NET_OP_LE:
    case YK_NET_OP_GT:
    case YK_NET_OP_GE:
    case YK_NET_OP_MIN:
    case YK_NET_OP_MAX:
    case YK_NET_OP_ABS:
    case YK_NET_OP_SGN:
    case YK_NET_OP_CEIL:
    case YK_NET_OP_FLOOR:
    case YK_NET_OP_NINT:
    case YK_NET_OP_INT:
    case YK_NET_OP_STEP:
    case YK_NET_OP_STEP2:
    case YK_NET_OP_RAMP:
    case YK_NET_OP_PWL:
    case YK_NET_OP_TABLE:
        return true;
    default:
        return false;
    }
}

/* What an operand on the stack is made of. */
typedef struct piece {
    int first;
    bool time, variable, curved; /* curved: no straight line in time */
} piece;

/* Operators that keep straight lines straight; products with a number do. */
static bool bends(yk_net_op op, const piece *a, int operands)
{
    const bool both = operands == 2 && a[0].time && a[1].time;

    if (op == YK_NET_OP_ADD || op == YK_NET_OP_SUB || op == YK_NET_OP_NEG)
        return false;
    if (op == YK_NET_OP_MUL) return both;
    if (op == YK_NET_OP_DIV || op == YK_NET_OP_SAFE_DIV) return a[1].time;
    return true;
}

static yoke_status add_switch(yk_net_code *code, yk_arena *arena,
                              const yk_net_switch *w, yoke_err *err)
{
    yk_net_switch *list = NULL;
    int room = 4;

    while (room < code->switches) room *= 2;
    if (!code->swap || code->switches == room) {
        YK_TRY(YK_TAKE(arena, &list, 2 * room, err));
        if (code->switches)
            memcpy(list, code->swap, (size_t)code->switches * sizeof *list);
        code->swap = list;
    }
    code->swap[code->switches++] = *w;
    return YOKE_OK;
}

yoke_status yk_net_find_switches(yk_net_code *code, yk_arena *arena,
                                 yoke_err *err)
{
    piece stack[DEEPEST] = { { 0 } };
    int top = 0;

    for (int k = 0; k < code->steps; k++) {
        const yk_net_op op = code->step[k].op;
        const int operands = yk_net_operands(op);
        if (top - operands >= DEEPEST - 1) return YOKE_OK;
        piece *a = stack + (top -= operands);
        piece r = { .first = operands ? a[0].first : k,
                    .time = op == YK_NET_OP_TIME,
                    .variable = op == YK_NET_OP_VAR };
        for (int j = 0; j < operands; j++) {
            r.time |= a[j].time;
            r.variable |= a[j].variable;
            r.curved |= a[j].curved;
        }
        if (switches(op) && (r.variable || (r.time && r.curved)))
            YK_TRY(add_switch(
                code, arena,
                &(yk_net_switch){ .first = r.first,
                                  .middle = operands == 2 ? a[1].first : k,
                                  .last = k,
                                  .variable = r.variable },
                err));
        r.curved |= r.time && operands > 0 && bends(op, a, operands);
        *a = r;
        top++;
    }
    return YOKE_OK;
}

/* ---- instants ------------------------------------------------------------ */

/* The first instant of the interval at which it may switch, the left end of
 * what cannot be told further apart.  INFINITY: none, or too many trials. */
static double search(const yk_net_code *code, const yk_net_known *known,
                     const yk_net_switch *w, span time, double fine)
{
    span open[DEEPEST]; /* intervals to be looked at, the first one on top */
    int count = 0;

    open[count++] = time;
    for (int trial = 0; count > 0 && trial < MOST_TRIALS; trial++) {
        const span now = open[--count];
        const double middle = 0.5 * (now.low + now.high);
        if (!may_switch(code, known, w, now)) continue;
        if (now.high - now.low <= fine || count + 2 > DEEPEST) return now.low;
        open[count++] = (span){ middle, now.high };
        open[count++] = (span){ now.low, middle };
    }
    return INFINITY;
}

/* Which of the places between its values the operand has at one instant. */
static double place_at(const yk_net_code *code, const yk_net_known *known,
                       const yk_net_switch *w, double t)
{
    const span a = operand(code, known, w, (span){ t, t });
    const yk_net_step *s = &code->step[w->last];
    const double x = 0.5 * (a.low + a.high);
    double place = 0.0;

    switch (s->op) {
    case YK_NET_OP_CEIL:
        return ceil(x);
    case YK_NET_OP_FLOOR:
    case YK_NET_OP_INT:
    case YK_NET_OP_MOD:
    case YK_NET_OP_INT_DIV:
        return floor(x);
    case YK_NET_OP_NINT:
        return floor(x - 0.5);
    case YK_NET_OP_STEP2:
        return (x > 0.0) + (x > 1.0);
    case YK_NET_OP_PWL:
    case YK_NET_OP_TABLE:
        for (int i = 0; i < (int)s->number; i++)
            place += x > code->point[s->arg + 2 * i];
        return place;
    default:
        return x > 0.0;
    }
}

/* The first instant behind `before` at which it has switched, to the last
 * digit, if it does so up to `after`; else INFINITY.  A driver begins its next
 * step there: a rounding too early, and the step has a jump inside that only
 * steps as short as that rounding find. */
static double switched(const yk_net_code *code, const yk_net_known *known,
                       const yk_net_switch *w, double before, double after)
{
    const double place = place_at(code, known, w, before);

    if (place_at(code, known, w, after) == place) return INFINITY;
    for (;;) {
        const double middle = 0.5 * (before + after);
        if (!(middle > before && middle < after)) return after;
        if (place_at(code, known, w, middle) == place)
            before = middle;
        else
            after = middle;
    }
}

/* The first instant after t, by more than roundings, and before `until` at
 * which it switches.  Where the operand only touches its value, a crest at 1
 * under floor, nothing can be told apart for a while; that is passed in parts
 * that double. */
static double switch_of(const yk_net_code *code, const yk_net_known *known,
                        const yk_net_switch *w, double t, double until)
{
    enum { MOST_TOUCHES = 1000 };
    const double fine = 1e-14 * fmax(fabs(t), until);
    double at = t + 4.0 * DBL_EPSILON * fabs(t), part = 4.0 * fine;

    for (int i = 0; i < MOST_TOUCHES; i++) {
        const double from = at + part;
        if (!(from < until)) return INFINITY;
        const double exact = switched(code, known, w, at, from);
        if (isfinite(exact)) return exact;
        at = search(code, known, w, (span){ from, until }, fine);
        part = at == from ? 2.0 * part : 4.0 * fine;
    }
    return at;
}

/* Are all variables of its operands known? */
static bool is_known(const yk_net_code *code, const yk_net_known *known,
                     const yk_net_switch *w)
{
    if (!w->variable) return true;
    if (!known) return false;
    for (int k = w->first; k < w->last; k++)
        if (code->step[k].op == YK_NET_OP_VAR &&
            !known->known[code->step[k].arg])
            return false;
    return true;
}

double yk_net_switch_after(const yk_net_code *code, const yk_net_known *known,
                           double t, double until)
{
    double next = until;

    if (!isfinite(until)) return INFINITY;
    for (int k = 0; k < code->switches; k++)
        if (is_known(code, known, &code->swap[k]))
            next = fmin(next, switch_of(code, known, &code->swap[k], t, next));
    return next < until ? next : INFINITY;
}
