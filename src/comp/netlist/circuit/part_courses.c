/* comp/netlist/circuit/part_courses.c -- functions of time alone in a circuit:
 * sources, and expressions of time and of voltages that sources give.  Steppers
 * are told what they are (yoke_courses), and when those of expressions switch.
 */
#include "comp/netlist/circuit/part_build.h"
#include "comp/netlist/read/expr_program.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

typedef struct part_function {
    yk_net_part *p;
    const yk_part_function *fn;
} part_function;

static int number(yk_net_writer *w, double value)
{
    return yk_net_put_number(w, value);
}

static int one(yk_net_writer *w, yk_op op, int a)
{
    return yk_net_put(w, op, a, -1, -1);
}

static int two(yk_net_writer *w, yk_op op, int a, int b)
{
    return yk_net_put(w, op, a, b, -1);
}

/* ---- Sources --------------------------------------------------------------
 */

/* time - delay, and what follows after it. */
static int since(yk_net_writer *w, double delay)
{
    return two(w, YK_OP_SUBTRACT, yk_net_put(w, YK_OP_TIME, -1, -1, -1),
               number(w, delay));
}

static int after(yk_net_writer *w, int at, double before, int then)
{
    return yk_net_put(w, YK_OP_IF, two(w, YK_OP_LESS, at, number(w, 0.0)),
                      number(w, before), then);
}

/* sin(2 pi frequency a + phase). */
static int wave(yk_net_writer *w, int a, double frequency, double phase)
{
    const int turn = two(w, YK_OP_MULTIPLY, number(w, 2.0 * pi * frequency), a);

    return two(w, YK_OP_ADD, turn, number(w, phase * pi / 180.0));
}

static int put_sine(yk_net_writer *w, const double *v)
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
static int put_rise(yk_net_writer *w, double rise, double delay, double tau)
{
    const int at = since(w, delay);
    const int falls =
        one(w, YK_OP_EXP, two(w, YK_OP_MULTIPLY, number(w, -1.0 / tau), at));

    return after(w, at, 0.0,
                 two(w, YK_OP_MULTIPLY, number(w, rise),
                     two(w, YK_OP_SUBTRACT, number(w, 1.0), falls)));
}

static int put_modulated(yk_net_writer *w, const double *v)
{
    const int t = yk_net_put(w, YK_OP_TIME, -1, -1, -1);
    const int signal = one(w, YK_OP_SIN, wave(w, t, v[4], v[6]));
    const int phase = two(w, YK_OP_ADD, wave(w, t, v[2], v[5]),
                          two(w, YK_OP_MULTIPLY, number(w, v[3]), signal));

    return two(
        w, YK_OP_ADD, number(w, v[0]),
        two(w, YK_OP_MULTIPLY, number(w, v[1]), one(w, YK_OP_SIN, phase)));
}

static int put_amplitude(yk_net_writer *w, const double *v)
{
    const int at = since(w, v[4]);
    const int slow = one(w, YK_OP_SIN, wave(w, at, v[2], v[5]));
    const int fast = one(w, YK_OP_SIN, wave(w, at, v[3], v[5]));
    const int size = two(w, YK_OP_MULTIPLY, number(w, v[0]),
                         two(w, YK_OP_ADD, number(w, v[1]), slow));

    return after(w, at, 0.0, two(w, YK_OP_MULTIPLY, size, fast));
}

/* a modulo a period. */
static int fold(yk_net_writer *w, int a, double period)
{
    const int turn =
        one(w, YK_OP_FLOOR, two(w, YK_OP_DIVIDE, a, number(w, period)));

    return two(w, YK_OP_SUBTRACT, a,
               two(w, YK_OP_MULTIPLY, number(w, period), turn));
}

/* Room for points of a table. */
static double *points(yk_net_writer *w, yk_net_part *p, int rows)
{
    double *point = NULL;

    if (w->status == YOKE_OK)
        w->status = YK_TAKE(&p->arena, &point, 2 * rows, w->err);
    return w->status == YOKE_OK ? point : NULL;
}

/* Straight lines inside a period. */
static int put_pulse(yk_net_writer *w, yk_net_part *p, const double *v)
{
    const double corner[4] = { 0.0, v[3], v[3] + v[5], v[3] + v[5] + v[4] };
    const int at = since(w, v[2]);
    double *point = points(w, p, 4);
    int in = at;

    if (!point) return 0;
    for (int k = 0; k < 4; k++) {
        point[2 * k] = corner[k];
        point[2 * k + 1] = k == 0 || k == 3 ? v[0] : v[1];
    }
    if (isfinite(v[6]))
        in = yk_net_put(w, YK_OP_IF, two(w, YK_OP_LESS, at, number(w, 0.0)), at,
                        fold(w, at, v[6]));
    in = yk_net_put_lines(w, YK_OP_INTERPOLATE, in, point, 4);
    if (!isfinite(v[6] * v[7])) return in;
    return yk_net_put(w, YK_OP_IF,
                      two(w, YK_OP_LESS, number(w, v[6] * v[7]), at),
                      number(w, v[0]), in);
}

static int put_table(yk_net_writer *w, yk_net_part *p, const yk_stimulus *s)
{
    const double last = s->time[s->points - 1];
    double *point = points(w, p, s->points);
    int at = since(w, s->delay);

    if (!point) return 0;
    for (int k = 0; k < s->points; k++) {
        point[2 * k] = s->time[k];
        point[2 * k + 1] = s->value[k];
    }
    if (s->repeat >= 0.0) {
        const int in = two(w, YK_OP_SUBTRACT, at, number(w, s->repeat));
        const int again = two(w, YK_OP_ADD, number(w, s->repeat),
                              fold(w, in, last - s->repeat));
        at = yk_net_put(w, YK_OP_IF, two(w, YK_OP_LESS, number(w, last), at),
                        again, at);
    }
    return yk_net_put_lines(w, YK_OP_INTERPOLATE, at, point, s->points);
}

static int put_source(yk_net_writer *w, yk_net_part *p, const yk_stimulus *s)
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
        return put_pulse(w, p, v);
    case YK_SHAPE_PWL:
        return put_table(w, p, s);
    case YK_SHAPE_NONE:
        break;
    }
    return number(w, s->dc);
}

/* The voltage of a driven node, a sum of sources. */
static int put_slot(yk_net_writer *w, yk_net_part *p, int slot)
{
    int sum = number(w, 0.0);

    for (int k = p->drivens - 1; k >= 0; k--) { /* `below` comes first */
        const yk_part_driven *d = &p->driven[k];
        if (d->slot != slot) continue;
        sum = two(w, d->sign > 0.0 ? YK_OP_ADD : YK_OP_SUBTRACT, sum,
                  put_source(w, p, d->source));
        slot = d->below;
    }
    return sum;
}

/* A variable of the expression, where sources give it. */
static int put_variable(yk_net_writer *w, void *self, int k)
{
    const part_function *f = self;

    if (!f->fn->known || !f->fn->known[k])
        return yk_net_put(w, YK_OP_VARIABLE, -1, -1, -1);
    const int plus = put_slot(w, f->p, f->fn->plus[k]);
    return two(w, YK_OP_SUBTRACT, plus, put_slot(w, f->p, f->fn->minus[k]));
}

static yoke_status add_expression(yk_net_writer *w, part_function *f)
{
    const int root = yk_net_put_expr(w, f->fn->expr, put_variable, f);

    YK_TRY(w->status);
    YK_TRY(yk_breaks_add(&f->p->breaks, w->all.steps, w->all.step, w->err));
    return yk_courses_find(&f->p->courses, &w->all, 1, &root, w->err);
}

static yoke_status add_source(yk_net_writer *w, yk_net_part *p,
                              const yk_stimulus *s)
{
    if (yk_source_is_straight(s)) return YOKE_OK;
    put_source(w, p, s);
    YK_TRY(w->status);
    return yk_courses_add(&p->courses, w->all.steps, w->all.step, w->err);
}

yoke_status yk_part_find_courses(yk_net_part *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_net_writer w = { .err = err };

    p->courses.shown = p->drivens > 0; /* their voltages are outputs */
    for (int k = 0; k < p->drivens; k++, w.all.steps = 0)
        YK_GO(add_source(&w, p, p->driven[k].source));
    for (int k = 0; k < p->sources; k++, w.all.steps = 0)
        YK_GO(add_source(&w, p, p->source[k].source));
    for (int k = 0; k < p->functions; k++, w.all.steps = 0) {
        part_function f = { p, &p->function[k] };
        if (f.fn->expr && (f.fn->expr->uses_time || f.fn->known))
            YK_GO(add_expression(&w, &f));
    }
done:
    yk_expr_clear(&w.all);
    return status;
}
