/* family/classes.c -- the table of classes, and what they have in common. */
#include "draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const family_class family_classes[] = {
    { "one-way", "any driver, one follower of a static characteristic",
      draw_one_way, 34 },
    { "two-inputs", "products, differences and sums of two drivers",
      draw_two_inputs, 8 },
    { "chain", "driver, filter, characteristic and integral in three parts",
      draw_chain, 8 },
    { "delay", "a follower of what the driver was some time ago", draw_delay,
      4 },
    { "count", "crossings of a driver counted by when", draw_count, 6 },
    { "hysteresis", "a Boolean with pre, integrated", draw_hysteresis, 4 },
    { "boolean", "networks of Boolean equations of time and input",
      draw_boolean, 5 },
    { "sampled", "a discrete controller of a continuous plant", draw_sampled,
      3 },
    { "thermostat", "two parts that switch each other", draw_thermostat, 4 },
    { "linear-loop", "two to four linear parts, feedback, jumps, units",
      draw_linear_loop, 8 },
    { "algebraic-loop", "feedback through parts without states",
      draw_algebraic_loop, 4 },
    { "manufactured", "nonlinear feedback that the solution does not feel",
      draw_manufactured, 4 },
    { "switched-net", "a mover and an algebraic net that is switched",
      draw_switched_net, 3 },
    { "formulas", "formulas of time in sources, forces and inputs",
      draw_formulas, 5 },
    { "weights", "outputs far below atol with a large weight", draw_weights,
      2 },
    { "single", "driver and follower in one model", draw_single, 5 },
    { "clipper", "a resistive diode circuit, read between steps", draw_clipper,
      2 },
    { "fixed", "fixed steps: right, or remarked", draw_fixed, 2 },
    { NULL, NULL, NULL, 0 },
};

void draw_stop(dice *d, family_case *c)
{
    c->stop =
        dice_chance(d, 0.5) ? dice_log(d, 1.0, 100.0) : dice_log(d, 1e-6, 1e6);
    c->unit = dice_chance(d, 0.6) ? 1.0 : dice_log(d, 1e-9, 1e9);
    c->small = c->unit;
}

void draw_plain(dice *d, family_case *c)
{
    draw_stop(d, c);
    c->unit = c->small = 1.0;
}

double draw_size(dice *d, const family_case *c)
{
    return dice_chance(d, 0.6) ? c->unit : c->unit * dice_log(d, 0.03, 30.0);
}

double draw_weight(dice *d)
{
    return dice_chance(d, 0.7) ? 1.0 : dice_log(d, 1e-6, 1e6);
}

void case_note(family_case *c, const char *format, ...)
{
    const size_t length = strlen(c->name);
    va_list list;

    va_start(list, format);
    vsnprintf(c->name + length, sizeof c->name - length, format, list);
    va_end(list);
}

/* ---- followers ----------------------------------------------------------- */

follower follower_draw(dice *d, const family_case *c, double size)
{
    follower f = { .kind = dice_pick(d, FOLLOW_KINDS + 2),
                   .size = size,
                   .T = c->stop };

    if (f.kind >= FOLLOW_KINDS) f.kind = FOLLOW_INTEGRAL;
    f.tau = f.T * (f.kind == FOLLOW_STIFF ? dice_log(d, 1e-5, 1e-3)
                                          : dice_log(d, 0.03, 3.0));
    f.x0 = dice_chance(d, 0.5) ? 0.0 : dice_between(d, -1.0, 1.0);
    if (f.kind == FOLLOW_PLAIN) f.x0 = 0.0;
    return f;
}

static double cube_root(void *context, double g) /* z + z^3 = 2 g */
{
    double z = g;

    (void)context;
    for (int i = 0; i < 60; i++) {
        const double step = (z + z * z * z - 2.0 * g) / (1.0 + 3.0 * z * z);
        z -= step;
        if (fabs(step) < 1e-17) break;
    }
    return z;
}

static double same(void *context, double v)
{
    (void)context;
    return v;
}

static double add(void *context, double a, double b)
{
    (void)context;
    return a + b;
}

wave *follower_wave(const follower *f, const wave *g, wave **z)
{
    wave *x = NULL;

    *z = NULL;
    switch (f->kind) {
    case FOLLOW_INTEGRAL:
        return wave_integral(g, 1.0 / f->T, f->x0);
    case FOLLOW_STIFF:
    case FOLLOW_SLOW:
        return wave_filter(g, f->tau, f->x0);
    case FOLLOW_PLAIN:
        return wave_map(g, same, NULL, 1);
    case FOLLOW_IMPLICIT:
        *z = wave_map(g, cube_root, NULL, 1);
        return wave_integral(*z, 1.0 / f->T, f->x0);
    default:
        x = wave_filter(g, f->tau, f->x0);
        *z = wave_join(g, x, add, NULL, 1);
        return x;
    }
}

void follower_text(const follower *f, const char *g, text *declare,
                   text *equations)
{
    const double s = f->size;

    if (f->kind == FOLLOW_PLAIN) {
        text_add(declare, "  output Real x;\n");
        text_add(equations, "  x = %.17g*(%s);\n", s, g);
        return;
    }
    text_add(declare, "  output Real x(start = %.17g, fixed = true);\n",
             s * f->x0);
    switch (f->kind) {
    case FOLLOW_INTEGRAL:
        text_add(equations, "  der(x) = %.17g*(%s);\n", s / f->T, g);
        break;
    case FOLLOW_STIFF:
    case FOLLOW_SLOW:
        text_add(equations, "  der(x) = (%.17g*(%s) - x)/%.17g;\n", s, g,
                 f->tau);
        break;
    case FOLLOW_IMPLICIT:
        text_add(declare, "  Real z;\n");
        text_add(equations,
                 "  z + z^3/%.17g = %.17g*(%s);\n  der(x) = z/%.17g;\n", s * s,
                 2.0 * s, g, f->T);
        break;
    default:
        text_add(declare, "  Real z;\n");
        text_add(equations,
                 "  0 = z - %.17g*(%s) - x;\n  der(x) = (z - 2*x)/%.17g;\n", s,
                 g, f->tau);
        break;
    }
}

typedef struct unit_of {
    double size;
} unit_of;

static double in_unit(void *self, double v)
{
    return ((const unit_of *)self)->size * v;
}

typedef struct moved {
    wave_function *g;
    void *context;
    double shift, stretch;
} moved;

static double move(void *self, double u)
{
    const moved *m = self;

    return m->g(m->context, u * m->stretch + m->shift);
}

void follower_moved(const follower *f, const wave *u, const wave *swung,
                    wave_function *g, void *context, family_case *c,
                    const char *name)
{
    const double part = FAMILY_PART;
    unit_of unit = { f->size };

    for (int k = 0; k < 2; k++) {
        moved m = { g, context, k ? 0.0 : part * u->most,
                    k ? 1.0 + part : 1.0 };
        wave *z = NULL, *v = k && swung ? wave_map(swung, g, context, 4)
                                        : wave_map(u, move, &m, 4);
        wave *y = follower_wave(f, v, &z);
        case_moved(c, k, wave_map(y, in_unit, &unit, 1), "%s", name);
        if (z) case_moved(c, k, wave_map(z, in_unit, &unit, 1), "a.z");
        wave_free(v);
        wave_free(y);
        wave_free(z);
    }
}

double follower_gain(const follower *f, const wave *u, wave_function *g,
                     void *context, const wave *x)
{
    const double part = 1e-4;
    double gain = 0.0;

    for (int k = 0; k < 2; k++) {
        moved m = { g, context, k ? 0.0 : part * u->most,
                    k ? 1.0 + part : 1.0 };
        wave *z = NULL, *v = wave_map(u, move, &m, 4);
        wave *y = follower_wave(f, v, &z);
        for (int i = 1; i <= 200 && y; i++) {
            const double t = f->T * i / 200.0;
            gain = fmax(gain, fabs(wave_at(y, t) - wave_at(x, t)) / part);
        }
        wave_free(v);
        wave_free(y);
        wave_free(z);
    }
    return gain;
}
