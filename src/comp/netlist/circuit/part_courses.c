/* comp/netlist/circuit/part_courses.c -- functions of time alone in a circuit:
 * sources, and expressions of time and of voltages that sources give.  Steppers
 * look at them (yoke_courses); where they switch, steps end.
 */
#include "comp/netlist/circuit/part_build.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

typedef struct writer {
    yk_net_part *p;
    const yk_part_function *fn;
    yk_expr_program program;
    int *at; /* of each step of the expression: its step here */
    size_t room;
    yoke_status status;
    yoke_err *err;
} writer;

/* ---- Steps ---------------------------------------------------------------- */

static int put_step(writer *w, yk_expr_step step)
{
    int at = 0;

    if (w->status == YOKE_OK)
        w->status = yk_expr_append(&w->program, step, &at, w->err);
    return at;
}

static int put(writer *w, yk_op op, int a, int b, int c)
{
    return put_step(w, (yk_expr_step){ .op = op, .a = a, .b = b, .c = c });
}

static int number(writer *w, double value)
{
    return put_step(w, (yk_expr_step){ .op = YK_OP_NUMBER, .number = value });
}

static int one(writer *w, yk_op op, int a)
{
    return put(w, op, a, 0, 0);
}

static int two(writer *w, yk_op op, int a, int b)
{
    return put(w, op, a, b, 0);
}

static int lines(writer *w, int a, const double *point, int rows)
{
    return put_step(
        w, (yk_expr_step){
               .op = YK_OP_INTERPOLATE, .a = a, .arg = rows, .table = point });
}

/* a - period floor(a / period) */
static int in_period(writer *w, int a, double period)
{
    const int length = number(w, period);
    const int turn = one(w, YK_OP_FLOOR, two(w, YK_OP_DIVIDE, a, length));

    return two(w, YK_OP_SUBTRACT, a, two(w, YK_OP_MULTIPLY, length, turn));
}

/* a < level ? b : c */
static int below(writer *w, int a, double level, int b, int c)
{
    return put(w, YK_OP_IF, two(w, YK_OP_LESS, a, number(w, level)), b, c);
}

/* ---- Sources -------------------------------------------------------------- */

/* time - delay, and what follows after it. */
static int since(writer *w, double delay)
{
    const int t = put(w, YK_OP_TIME, 0, 0, 0);

    return two(w, YK_OP_SUBTRACT, t, number(w, delay));
}

static int after(writer *w, int at, double before, int then)
{
    return below(w, at, 0.0, number(w, before), then);
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
    const double rest = v[0] + v[1] * sin(v[5] * pi / 180.0);
    if (isfinite(v[6])) y = below(w, at, v[6] - v[3], y, number(w, rest));
    return after(w, at, rest, y);
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
    const int t = put(w, YK_OP_TIME, 0, 0, 0);
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

/* Rows of a table, which the part keeps. */
static double *rows_of(writer *w, int rows)
{
    double *point = NULL;

    if (w->status == YOKE_OK)
        w->status = YK_TAKE(&w->p->arena, &point, 2 * rows, w->err);
    return point;
}

/* Straight lines inside a period, which may cut them short. */
static int put_pulse(writer *w, const double *v)
{
    const double corner[4] = { 0.0, v[3], v[3] + v[5], v[3] + v[5] + v[4] };
    double *point = rows_of(w, 4);
    int at = since(w, v[2]);

    if (!point) return 0;
    for (int k = 0; k < 4; k++) {
        point[2 * k] = corner[k];
        point[2 * k + 1] = k == 0 || k == 3 ? v[0] : v[1];
    }
    if (!isfinite(v[6])) return lines(w, at, point, 4);
    const int in = below(w, at, 0.0, at, in_period(w, at, v[6]));
    const int value = lines(w, in, point, 4);
    if (!isfinite(v[7])) return value;
    return below(w, at, v[6] * v[7], value, number(w, v[0]));
}

static int put_table(writer *w, const yk_stimulus *s)
{
    const double last = s->time[s->points - 1];
    double *point = rows_of(w, s->points);
    int at = since(w, s->delay);

    if (!point) return 0;
    for (int k = 0; k < s->points; k++) {
        point[2 * k] = s->time[k];
        point[2 * k + 1] = s->value[k];
    }
    if (s->repeat >= 0.0) {
        const int from = number(w, s->repeat);
        const int in =
            in_period(w, two(w, YK_OP_SUBTRACT, at, from), last - s->repeat);
        at = below(w, at, last, at, two(w, YK_OP_ADD, from, in));
    }
    return lines(w, at, point, s->points);
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

/* The expression, its voltages of driven nodes written as sources. */
static int put_expression(writer *w)
{
    const yk_net_expr *e = w->fn->expr;

    w->program.steps = 0;
    if (w->status == YOKE_OK)
        w->status = YK_GROW(&w->at, &w->room, e->steps, w->err);
    for (int i = 0; i < e->steps && w->status == YOKE_OK; i++) {
        yk_expr_step s = e->step[i];
        if (s.op == YK_OP_VARIABLE && w->fn->known && w->fn->known[s.arg]) {
            const int plus = put_slot(w, w->fn->plus[s.arg]);
            w->at[i] =
                two(w, YK_OP_SUBTRACT, plus, put_slot(w, w->fn->minus[s.arg]));
            continue;
        }
        if (yk_op_operands(s.op) > 0) {
            s.a = w->at[s.a];
            s.b = w->at[s.b];
            s.c = w->at[s.c];
        }
        w->at[i] = put_step(w, s);
    }
    return w->program.steps - 1;
}

static yoke_status add_function(writer *w)
{
    const int root = put_expression(w);

    YK_TRY(w->status);
    YK_TRY(yk_courses_find(&w->p->courses, &w->program, 1, &root, w->err));
    return yk_breaks_add(&w->p->breaks, w->program.steps, w->program.step,
                         w->err);
}

static yoke_status add_source(writer *w, const yk_stimulus *s)
{
    if (yk_source_is_straight(s)) return YOKE_OK;
    w->program.steps = 0;
    const int root = put_source(w, s);
    YK_TRY(w->status);
    return yk_courses_find(&w->p->courses, &w->program, 1, &root, w->err);
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
            YK_GO(add_function(&w));
    }
done:
    yk_expr_clear(&w.program);
    yk_free(w.at);
    return status;
}
