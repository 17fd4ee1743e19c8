/* family/drivers.c -- what moves by itself: one function per idea.
 *
 * Each writes the entry and the model of a subsystem whose output is `size`
 * times the wave that it returns, which is of size 1.  T is the length of the
 * run, n a number of periods.
 */
#include "family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { PIECES = 64 };

/* Everything a formula below needs. */
typedef struct course {
    double size, w, k, phase, a, ratio, t0, t1, period, duty;
    int count;
    double time[PIECES], value[PIECES];
} course;

static void entry(dice *d, family_case *c, const char *name)
{
    text_add(&c->parts, "  %s: {model: m.mo, class: M%s%s}\n", name, name,
             case_stepper(d));
}

/* Without damping the errors of all steps add up: over many periods only the
 * default is good for 10 tolerances. */
static const char *swinging_stepper(dice *d, double periods)
{
    return periods > 4.0 || dice_chance(d, 0.7) ? "" : ", stepper: trbdf2";
}

static void swinging_entry(dice *d, family_case *c, const char *name,
                           double periods)
{
    text_add(&c->parts, "  %s: {model: m.mo, class: M%s%s}\n", name, name,
             swinging_stepper(d, periods));
}

static void port_is(char *port, const char *name, const char *output)
{
    snprintf(port, 48, "%s.%s", name, output);
}

static double sine(void *self, double t)
{
    const course *s = self;

    return cos(s->w * t + s->phase);
}

static wave *oscillator(dice *d, family_case *c, const char *name, double size,
                        char *port)
{
    const double T = c->stop;
    course s = { .w = 2.0 * pi * dice_log(d, 0.5, 20.0) / T,
                 .phase = dice_between(d, 0.0, 2.0 * pi) };

    swinging_entry(d, c, name, 0.5 * s.w * T / pi);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real p(start = %.17g, fixed = true);\n"
             "  Real v(start = %.17g, fixed = true);\n"
             "equation\n  der(p) = %.17g*v;\n  der(v) = -%.17g*p;\n  y = p;\n"
             "end M%s;\n",
             name, size * cos(s.phase), -size * sin(s.phase), s.w, s.w, name);
    port_is(port, name, "y");
    return wave_of(sine, &s, 0.0, T, 1.0 / s.w);
}

static wave *linear_oscillator(dice *d, family_case *c, const char *name,
                               double size, char *port)
{
    const double T = c->stop;
    course s = { .w = 2.0 * pi * dice_log(d, 0.5, 20.0) / T,
                 .phase = dice_between(d, 0.0, 2.0 * pi) };

    text_add(&c->parts,
             "  %s: {linear: {A: [[0, %.17g], [-%.17g, 0]], "
             "x0: [%.17g, %.17g]}%s}\n",
             name, s.w, s.w, size * cos(s.phase), -size * sin(s.phase),
             swinging_stepper(d, 0.5 * s.w * T / pi));
    port_is(port, name, "x1");
    return wave_of(sine, &s, 0.0, T, 1.0 / s.w);
}

static double swept(void *self, double t)
{
    const course *s = self;

    return cos(s->w * t + 0.5 * s->k * t * t);
}

static wave *chirp(dice *d, family_case *c, const char *name, double size,
                   char *port)
{
    const double T = c->stop, n = dice_log(d, 2.0, 25.0);
    course s = { .w = 2.0 * pi * 0.2 / T };

    s.k = 2.0 * (2.0 * pi * n / T - s.w) / T;
    swinging_entry(d, c, name, n);
    text_add(&c->models,
             "model M%s\n  output Real y;\n  Real w;\n"
             "  Real p(start = %.17g, fixed = true);\n"
             "  Real v(start = 0, fixed = true);\n"
             "equation\n  w = %.17g + %.17g*time;\n"
             "  der(p) = w*v;\n  der(v) = -w*p;\n  y = p;\nend M%s;\n",
             name, size, s.w, s.k, name);
    port_is(port, name, "y");
    return wave_of(swept, &s, 0.0, T, T / (8.0 * n));
}

static double two_sines(void *self, double t)
{
    const course *s = self;

    return (cos(s->w * t) + s->a * cos(s->ratio * s->w * t)) / (1.0 + s->a);
}

static wave *sum_of(dice *d, family_case *c, const char *name, double size,
                    char *port, double a, double ratio, double n)
{
    const double T = c->stop;
    course s = { .w = 2.0 * pi * n / T, .a = a, .ratio = ratio };

    swinging_entry(d, c, name, n * ratio);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real p(start = %.17g, fixed = true);\n"
             "  Real v(start = 0, fixed = true);\n"
             "  Real q(start = %.17g, fixed = true);\n"
             "  Real w(start = 0, fixed = true);\n"
             "equation\n  der(p) = %.17g*v;\n  der(v) = -%.17g*p;\n"
             "  der(q) = %.17g*w;\n  der(w) = -%.17g*q;\n  y = p + q;\n"
             "end M%s;\n",
             name, size / (1.0 + a), size * a / (1.0 + a), s.w, s.w,
             ratio * s.w, ratio * s.w, name);
    port_is(port, name, "y");
    return wave_of(two_sines, &s, 0.0, T, 1.0 / (ratio * s.w));
}

static wave *beat(dice *d, family_case *c, const char *name, double size,
                  char *port)
{
    return sum_of(d, c, name, size, port, dice_between(d, 0.3, 1.0),
                  dice_between(d, 1.3, 6.0), dice_log(d, 1.0, 6.0));
}

static wave *ripple(dice *d, family_case *c, const char *name, double size,
                    char *port)
{
    return sum_of(d, c, name, size, port, dice_between(d, 0.05, 0.2),
                  dice_between(d, 15.0, 40.0), dice_log(d, 0.5, 1.5));
}

static double bursting(void *self, double t)
{
    const course *s = self;

    return t < s->t0 || t >= s->t1 ? 0.0 : sin(s->w * (t - s->t0));
}

/* Rest, then some periods of a sine, then rest. */
static wave *burst(dice *d, family_case *c, const char *name, double size,
                   char *port)
{
    const double T = c->stop, n = 1 + dice_pick(d, 6);
    const double length = T * dice_log(d, 0.02, 0.3);
    course s = { .t0 = dice_between(d, 0.1, 0.65) * T };

    s.t1 = s.t0 + length;
    s.w = 2.0 * pi * n / length;
    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\nequation\n"
             "  y = if time < %.17g or time >= %.17g then 0 else "
             "%.17g*sin(%.17g*(time - %.17g));\nend M%s;\n",
             name, s.t0, s.t1, size, s.w, s.t0, name);
    port_is(port, name, "y");
    return wave_of(bursting, &s, 0.0, T, length / (8.0 * n));
}

/* Rest, then an oscillator is kicked. */
static wave *kicked(dice *d, family_case *c, const char *name, double size,
                    char *port)
{
    const double T = c->stop, n = dice_log(d, 1.0, 12.0);
    course s = { .t0 = dice_between(d, 0.1, 0.7) * T, .t1 = 2.0 * T };

    s.w = 2.0 * pi * n / (T - s.t0);
    swinging_entry(d, c, name, n);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real p(start = 0, fixed = true);\n"
             "  Real v(start = 0, fixed = true);\n"
             "equation\n  der(p) = %.17g*v;\n  der(v) = -%.17g*p;\n  y = p;\n"
             "  when time >= %.17g then\n    reinit(v, %.17g);\n  end when;\n"
             "end M%s;\n",
             name, s.w, s.w, s.t0, size, name);
    port_is(port, name, "y");
    return wave_of(bursting, &s, 0.0, T, (T - s.t0) / (8.0 * n));
}

static double bells(void *self, double t)
{
    const course *s = self;
    double sum = 0.0;

    for (int i = 0; i < s->count; i++) {
        const double z = (t - s->time[i]) / s->t1;
        sum += s->value[i] * exp(-z * z);
    }
    return sum;
}

/* Smooth pulses of a width of 0.5 to 3 % of the run. */
static wave *gaussians(dice *d, family_case *c, const char *name, double size,
                       char *port)
{
    const double T = c->stop;
    course s = { .t1 = T * dice_log(d, 0.005, 0.03) };

    s.count = 1 + dice_pick(d, 3);
    entry(d, c, name);
    text_add(&c->models, "model M%s\n  output Real y;\nequation\n  y = 0",
             name);
    for (int i = 0; i < s.count; i++) {
        s.time[i] = dice_between(d, 0.1, 0.9) * T;
        s.value[i] = i ? dice_between(d, 0.3, 1.0) : 1.0;
        text_add(&c->models, "\n    + %.17g*exp(-((time - %.17g)/%.17g)^2)",
                 size * s.value[i], s.time[i], s.t1);
    }
    text_add(&c->models, ";\nend M%s;\n", name);
    port_is(port, name, "y");
    return wave_of(bells, &s, 0.0, T, s.t1);
}

static double zigzag(void *self, double t)
{
    const course *s = self;
    const double z = fmod(t / s->period + s->phase, 1.0);

    return z < 0.5 ? 4.0 * z - 1.0 : 3.0 - 4.0 * z;
}

/* Straight pieces made by state events. */
static wave *triangle(dice *d, family_case *c, const char *name, double size,
                      char *port)
{
    const double T = c->stop;
    course s = { .period = T / dice_log(d, 0.7, 15.0),
                 .phase = dice_between(d, 0.02, 0.48) };
    const double slope = 4.0 * size / s.period;

    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real p(start = %.17g, fixed = true);\n"
             "  discrete Real s(start = %.17g, fixed = true);\n"
             "equation\n  der(p) = s;\n  y = p;\n"
             "  when p > %.17g then\n    s = -%.17g;\n"
             "  elsewhen p < -%.17g then\n    s = %.17g;\n  end when;\n"
             "end M%s;\n",
             name, size * zigzag(&s, 0.0), slope, size, slope, size, slope,
             name);
    port_is(port, name, "y");
    return wave_of(zigzag, &s, 0.0, T, s.period / 16.0);
}

static double stairs(void *self, double t)
{
    const course *s = self;
    double value = s->a;

    for (int i = 0; i < s->count; i++)
        if (t >= s->time[i]) value = s->value[i];
    return value;
}

static void draw_times(dice *d, course *s, double T)
{
    s->count = 1 + dice_pick(d, 6);
    for (int i = 0; i < s->count; i++) {
        s->time[i] = T * (i + dice_between(d, 0.1, 0.9)) / s->count;
        s->value[i] = dice_between(d, -1.0, 1.0);
    }
    s->a = dice_between(d, -1.0, 1.0);
}

static wave *steps(dice *d, family_case *c, const char *name, double size,
                   char *port)
{
    const double T = c->stop;
    const bool clauses = dice_chance(d, 0.5);
    course s = { .count = 0 };

    draw_times(d, &s, T);
    entry(d, c, name);
    text_add(&c->models, "model M%s\n  output Real y;\n", name);
    if (clauses)
        text_add(&c->models,
                 "  discrete Real v(start = %.17g, fixed = true);\n"
                 "equation\n  y = v;\n",
                 size * s.a);
    else
        text_add(&c->models, "equation\n  y = ");
    for (int i = 0; i < s.count; i++)
        if (clauses)
            text_add(&c->models, "  %s time >= %.17g then\n    v = %.17g;\n",
                     i ? "elsewhen" : "when", s.time[i], size * s.value[i]);
        else
            text_add(&c->models, "if time < %.17g then %.17g\n    else ",
                     s.time[i], size * (i ? s.value[i - 1] : s.a));
    if (clauses)
        text_add(&c->models, "  end when;\nend M%s;\n", name);
    else
        text_add(&c->models, "%.17g;\nend M%s;\n", size * s.value[s.count - 1],
                 name);
    port_is(port, name, "y");
    return wave_of(stairs, &s, 0.0, T, T / 64.0);
}

static double polygon(void *self, double t)
{
    const course *s = self;

    if (t <= s->time[0]) return s->value[0];
    for (int i = 1; i < s->count; i++)
        if (t <= s->time[i])
            return s->value[i - 1] + (s->value[i] - s->value[i - 1]) *
                                         (t - s->time[i - 1]) /
                                         (s->time[i] - s->time[i - 1]);
    return s->value[s->count - 1];
}

static wave *table(dice *d, family_case *c, const char *name, double size,
                   char *port)
{
    const double T = c->stop;
    course s = { .count = 0 };

    draw_times(d, &s, T);
    if (s.count < 2) {
        s.count = 2;
        s.time[1] = 0.97 * T;
        s.value[1] = -s.value[0];
    }
    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\n  parameter Real tab[%d, 2] = {",
             name, s.count);
    for (int i = 0; i < s.count; i++)
        text_add(&c->models, "%s{%.17g, %.17g}", i ? ", " : "", s.time[i],
                 size * s.value[i]);
    text_add(&c->models,
             "};\nequation\n  y = interpolate(tab, time);\nend M%s;\n", name);
    port_is(port, name, "y");
    return wave_of(polygon, &s, 0.0, T, T / 64.0);
}

/* Formulas of time with kinks and jumps. */
static const char *const formula_text[] = {
    "abs(sin(%.17g*time))",
    "max(0, sin(%.17g*time))",
    "(if mod(time, %.17g) < %.17g then 1 else 0)",
    "sin(%.17g*time)^3",
    "floor(%.17g*time)/%.17g",
    "sign(sin(%.17g*time))",
    "(if time > %.17g and time < %.17g then 1 else 0)",
    "min(1, abs(time - %.17g)/%.17g)",
};

static double formula(void *self, double t)
{
    const course *s = self;
    const double z = sin(s->w * t);

    switch (s->count) {
    case 0:
        return fabs(z);
    case 1:
        return fmax(0.0, z);
    case 2:
        return fmod(t, s->period) < s->duty ? 1.0 : 0.0;
    case 3:
        return z * z * z;
    case 4:
        return floor(s->k * t) / s->a;
    case 5:
        return z > 0.0 ? 1.0 : z < 0.0 ? -1.0 : 0.0;
    case 6:
        return t > s->t0 && t < s->t1 ? 1.0 : 0.0;
    default:
        return fmin(1.0, fabs(t - s->t0) / s->t1);
    }
}

static wave *of_time(dice *d, family_case *c, const char *name, double size,
                     char *port)
{
    const double T = c->stop, n = dice_log(d, 1.0, 12.0);
    course s = { .w = 2.0 * pi * n / T, .period = T / n };
    char g[200];

    s.count = dice_pick(d, 8);
    s.duty = s.period * dice_log(d, 0.01, 0.5);
    s.a = 1 + dice_pick(d, 9);
    s.k = (s.a + 0.5) / T;
    s.t0 = dice_between(d, 0.1, 0.8) * T;
    s.t1 = s.count == 6 ? s.t0 + T * dice_log(d, 0.002, 0.1)
                        : T * dice_log(d, 0.01, 0.3);
    const double first = s.count == 2   ? s.period
                         : s.count == 4 ? s.k
                         : s.count >= 6 ? s.t0
                                        : s.w;
    const double second = s.count == 2 ? s.duty : s.count == 4 ? s.a : s.t1;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(g, sizeof g, formula_text[s.count], first, second);
#pragma GCC diagnostic pop
    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\nequation\n  y = %.17g*%s;\n"
             "end M%s;\n",
             name, size, g, name);
    port_is(port, name, "y");
    return wave_of(formula, &s, 0.0, T,
                   fmin(s.count == 2 ? s.duty / 4.0 : T, T / (16.0 * n)));
}

/* Flights of a ball: begin, first speed. */
static double flight(void *self, double t)
{
    const course *s = self;
    int i = 0;

    while (i + 1 < s->count && t >= s->time[i + 1]) i++;
    const double z = t - s->time[i];
    const double from = i ? 0.0 : 1.0;
    return from + s->value[i] * z - 0.5 * s->k * z * z;
}

static wave *ball(dice *d, family_case *c, const char *name, double size,
                  char *port)
{
    const double T = c->stop, back = dice_between(d, 0.6, 0.95);
    const double fall = T / dice_between(d, 2.0, 9.0); /* from height 1 */
    course s = { .k = 2.0 / (fall * fall), .count = 1 };

    for (double t = fall, v = s.k * fall * back; t < T && s.count < PIECES;
         v *= back) {
        s.time[s.count] = t;
        s.value[s.count++] = v;
        t += 2.0 * v / s.k;
        if (2.0 * v / s.k < 0.01 * T) return NULL;
    }
    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real h(start = %.17g, fixed = true);\n"
             "  Real v(start = 0, fixed = true);\n"
             "equation\n  der(h) = v;\n  der(v) = -%.17g;\n  y = h;\n"
             "  when h < 0 then\n    reinit(v, -%.17g*pre(v));\n  end when;\n"
             "end M%s;\n",
             name, size, size * s.k, back, name);
    port_is(port, name, "y");
    return wave_of(flight, &s, 0.0, T, T / 64.0);
}

/* Between 1/4 and 3/4 of the way to the other side. */
static double relaxing(void *self, double t)
{
    const course *s = self;
    const double first = -s->k * log(0.25); /* 0 -> 3/4 */
    const double half = s->k * log(3.0);    /* 3/4 -> 1/4 and back */

    if (t < first) return 1.0 - exp(-t / s->k);
    const double z = fmod(t - first, 2.0 * half);
    return z < half ? 0.75 * exp(-z / s->k)
                    : 1.0 - 0.75 * exp(-(z - half) / s->k);
}

static wave *relaxation(dice *d, family_case *c, const char *name, double size,
                        char *port)
{
    const double T = c->stop;
    course s = { .k = T / dice_log(d, 2.0, 12.0) };

    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real x(start = 0, fixed = true);\n"
             "  discrete Real to(start = %.17g, fixed = true);\n"
             "equation\n  der(x) = (to - x)/%.17g;\n  y = x;\n"
             "  when x > %.17g then\n    to = 0;\n"
             "  elsewhen x < %.17g then\n    to = %.17g;\n  end when;\n"
             "end M%s;\n",
             name, size, s.k, 0.75 * size, 0.25 * size, size, name);
    port_is(port, name, "y");
    return wave_of(relaxing, &s, 0.0, T, 0.25 * s.k);
}

static double saw(void *self, double t)
{
    const course *s = self;

    return fmod(t / s->period + s->phase, 1.0);
}

static wave *sawtooth(dice *d, family_case *c, const char *name, double size,
                      char *port)
{
    const double T = c->stop;
    course s = { .period = T / dice_log(d, 0.8, 12.0),
                 .phase = dice_between(d, 0.0, 0.9) };

    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real x(start = %.17g, fixed = true);\n"
             "equation\n  der(x) = %.17g;\n  y = x;\n"
             "  when x >= %.17g then\n    reinit(x, 0);\n  end when;\n"
             "end M%s;\n",
             name, size * s.phase, size / s.period, size, name);
    port_is(port, name, "y");
    return wave_of(saw, &s, 0.0, T, s.period / 16.0);
}

static double front(void *self, double t)
{
    const course *s = self;
    const double z = exp(-s->k * (t - s->t0));

    return s->count ? 4.0 * z / ((1.0 + z) * (1.0 + z)) : 1.0 / (1.0 + z);
}

/* A front after a long rest, or the pulse that is its slope. */
static wave *logistic(dice *d, family_case *c, const char *name, double size,
                      char *port)
{
    const double T = c->stop;
    course s = { .t0 = dice_between(d, 0.2, 0.8) * T,
                 .count = dice_pick(d, 2) };

    s.k = dice_between(d, 5.0, 8.0) / s.t0;
    entry(d, c, name);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real x(start = %.17g, fixed = true);\n"
             "equation\n  der(x) = %.17g*x*(1 - x/%.17g);\n  y = %s",
             name, size / (1.0 + exp(s.k * s.t0)), s.k, size,
             s.count ? "4*x*(1 - x/" : "x");
    if (s.count) text_add(&c->models, "%.17g)", size);
    text_add(&c->models, ";\nend M%s;\n", name);
    port_is(port, name, "y");
    return wave_of(front, &s, 0.0, T, 1.0 / s.k);
}

static double decaying(void *self, double t)
{
    const course *s = self;

    return exp(-s->k * t);
}

static wave *decay(dice *d, family_case *c, const char *name, double size,
                   char *port)
{
    const double T = c->stop;
    course s = { .k = dice_log(d, 0.5, 1000.0) / T };

    text_add(&c->parts, "  %s: {linear: {A: -%.17g, x0: %.17g}%s}\n", name, s.k,
             size, case_stepper(d));
    port_is(port, name, "x1");
    return wave_of(decaying, &s, 0.0, T, 1.0 / s.k);
}

static void swing(void *self, double t, const double *x, double *xdot)
{
    const course *s = self;

    (void)t;
    xdot[0] = s->w * x[1];
    xdot[1] = -s->w * sin(x[0]);
}

/* The longer a pendulum swings the more its phase is off. */
static void swing_moved(family_case *c, course *s, const double *x0,
                        double size, const char *port)
{
    const double begin[2] = { x0[0] * (1.0 + FAMILY_PART), x0[1] };
    wave *y[2] = { NULL, NULL };

    if (!wave_ode(swing, s, 2, begin, 0.0, c->stop, 1.0 / s->w, NULL, 0, y)) {
        wave_free(y[0]);
        y[0] = NULL;
    }
    wave_free(y[1]);
    wave_free(c->swung);
    c->swung = y[0];
    c->swung_size = size;
    snprintf(c->swung_port, sizeof c->swung_port, "%s", port);
}

/* A pendulum; its reference is integrated. */
static wave *pendulum(dice *d, family_case *c, const char *name, double size,
                      char *port)
{
    const double T = c->stop, x0[2] = { dice_between(d, 0.3, 2.6), 0.0 };
    course s = { .w = 2.0 * pi * dice_log(d, 0.5, 8.0) / T };
    wave *x[2] = { NULL, NULL };

    swinging_entry(d, c, name, 0.5 * s.w * T / pi);
    text_add(&c->models,
             "model M%s\n  output Real y;\n"
             "  Real x(start = %.17g, fixed = true);\n"
             "  Real v(start = 0, fixed = true);\n"
             "equation\n  der(x) = %.17g*v;\n  der(v) = -%.17g*sin(x/%.17g);\n"
             "  y = x;\nend M%s;\n",
             name, size * x0[0], s.w, size * s.w, size, name);
    port_is(port, name, "y");
    const bool ok = wave_ode(swing, &s, 2, x0, 0.0, T, 1.0 / s.w, NULL, 0, x);
    wave_free(x[1]);
    if (ok) {
        swing_moved(c, &s, x0, size, port);
        return x[0];
    }
    wave_free(x[0]);
    return NULL;
}

static double trapezoid(void *self, double t)
{
    const course *s = self;

    if (t < s->t0) return 0.0;
    const double z = fmod(t - s->t0, s->period);
    return z < s->a                   ? z / s->a
           : z < s->a + s->duty       ? 1.0
           : z < 2.0 * s->a + s->duty ? 1.0 - (z - s->a - s->duty) / s->a
                                      : 0.0;
}

/* A pulse source behind R and C. */
static wave *circuit(dice *d, family_case *c, const char *name, double size,
                     char *port)
{
    const double T = c->stop, tau = T * dice_log(d, 1e-3, 0.3);
    course s = { .t0 = dice_between(d, 0.05, 0.5) * T };

    if (c->circuit.length) return NULL; /* one netlist per system */
    s.a = T * dice_log(d, 1e-4, 0.02);
    s.duty = T * dice_log(d, 0.005, 0.1);
    s.period = (2.0 * s.a + s.duty) * dice_between(d, 1.5, 8.0);
    text_add(&c->parts, "  %s: {netlist: c.cir, outputs: [v(out)]}\n", name);
    text_add(&c->circuit,
             "pulses behind a low pass\n"
             "v1 in 0 pulse(0 %.17g %.17g %.17g %.17g %.17g %.17g)\n"
             "r1 in out %.17g\nc1 out 0 %.17g\n.end\n",
             size, s.t0, s.a, s.a, s.duty, s.period, 1e3, 1e-3 * tau);
    port_is(port, name, "v(out)");
    wave *source = wave_of(trapezoid, &s, 0.0, T, s.a + 0.1 * s.duty);
    wave *out = wave_filter(source, tau, 0.0);
    wave_free(source);
    return out;
}

static const struct {
    family_driver *draw;
    bool smooth;
} drivers[] = {
    { oscillator, true }, { linear_oscillator, true },
    { chirp, true },      { beat, true },
    { ripple, true },     { pendulum, true },
    { logistic, true },   { decay, true },
    { gaussians, true },  { burst, false },
    { kicked, false },    { triangle, false },
    { steps, false },     { table, false },
    { of_time, false },   { of_time, false },
    { ball, false },      { relaxation, false },
    { sawtooth, false },  { circuit, false },
};

static const char *const driver_names[] = {
    "oscillator", "linear",   "chirp", "beat",  "ripple",
    "pendulum",   "logistic", "decay", "bell",  "burst",
    "kick",       "triangle", "steps", "table", "formula",
    "formula",    "ball",     "relax", "saw",   "circuit"
};

static wave *draw(dice *d, family_case *c, const char *name, double size,
                  char *port, bool smooth)
{
    const int count = (int)(sizeof drivers / sizeof drivers[0]);
    int k = dice_pick(d, count);

    while (smooth && !drivers[k].smooth) k = dice_pick(d, count);
    const size_t length = strlen(c->name);
    snprintf(c->name + length, sizeof c->name - length, "%s ", driver_names[k]);
    wave *u = drivers[k].draw(d, c, name, size, port);
    if (!u || !u->bad) return u;
    wave_free(u);
    return NULL;
}

wave *driver_draw(dice *d, family_case *c, const char *name, double size,
                  char *port)
{
    return draw(d, c, name, size, port, false);
}

wave *driver_smooth(dice *d, family_case *c, const char *name, double size,
                    char *port)
{
    return draw(d, c, name, size, port, true);
}
