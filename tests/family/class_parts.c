/* family/class_parts.c -- formulas of components, weights, circuits, fixed
 * steps. */
#include "draw.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

static double scaled(void *self, double v)
{
    return *(const double *)self * v;
}

static wave *in_units(const wave *w, double factor)
{
    return wave_map(w, scaled, &factor, 1);
}

/* ---- formulas of time ---------------------------------------------------- */

typedef struct formula {
    int kind;
    double t0, t1, w;
} formula;

static double formula_at(void *self, double t)
{
    const formula *f = self;
    const double z = (t - f->t0) / f->t1;

    switch (f->kind) {
    case 0:
        return t > f->t0 && t < f->t0 + f->t1 ? 1.0 : 0.0;
    case 1:
        return exp(-z * z);
    case 2:
        return fmax(0.0, sin(f->w * t));
    case 3:
        return fabs(sin(f->w * t));
    case 4:
        return fmax(0.0, 1.0 - fabs(z));
    case 5:
        return fmin(1.0, fmax(0.0, z));
    case 6:
        return fmax(0.0, sin(f->w * t) - 0.9);
    default:
        return sin(f->w * t);
    }
}

static void formula_text(const formula *f, double size, char *out, size_t room)
{
    const double a = f->t0, b = f->t1, w = f->w;

    switch (f->kind) {
    case 0:
        snprintf(out, room,
                 "%.17g*0.5*(sign(time - %.17g) - sign(time - %.17g))", size, a,
                 a + b);
        break;
    case 1:
        snprintf(out, room, "%.17g*exp(-((time - %.17g)/%.17g)^2)", size, a, b);
        break;
    case 2:
        snprintf(out, room, "%.17g*max(0, sin(%.17g*time))", size, w);
        break;
    case 3:
        snprintf(out, room, "%.17g*abs(sin(%.17g*time))", size, w);
        break;
    case 4:
        snprintf(out, room, "%.17g*max(0, 1 - abs(time - %.17g)/%.17g)", size,
                 a, b);
        break;
    case 5:
        snprintf(out, room, "%.17g*min(1, max(0, (time - %.17g)/%.17g))", size,
                 a, b);
        break;
    case 6:
        snprintf(out, room, "%.17g*max(0, sin(%.17g*time) - 0.9)", size, w);
        break;
    default:
        snprintf(out, room, "%.17g*sin(%.17g*time)", size, w);
        break;
    }
}

static void formula_entry(family_case *c, int where, const char *g, double tau,
                          double size, const char *stepper)
{
    const double T = c->stop;

    switch (where) {
    case 0:
        text_add(&c->parts,
                 "  m: {linear: {A: 0, x0: 0, x: x, source: \"%s\"}%s}\n", g,
                 stepper);
        break;
    case 1:
        text_add(&c->parts,
                 "  m: {linear: {A: -%.17g, x0: 0, x: x, source: \"%s\"}%s}\n",
                 1.0 / tau, g, stepper);
        break;
    case 2:
        text_add(&c->parts,
                 "  m: {component: mechanism, masses: {x: {mass: %.17g, "
                 "force: \"%s\"}}%s}\n",
                 T, g, stepper);
        break;
    default:
        text_add(&c->parts,
                 "  m: {component: port-hamiltonian, J: [0], Q: [1], "
                 "R: [%.17g], G: [1], input: [\"%s\"], x0: [0], x: [x]%s}\n",
                 1.0 / tau, g, stepper);
        break;
    }
    (void)size;
}

/* The formula alone, and half of the time a follower that reads the part. */
bool draw_formulas(dice *d, family_case *c)
{
    char g_text[300];
    formula f = { .kind = dice_pick(d, 8) };
    const int where = dice_pick(d, 4);

    draw_stop(d, c);
    const double T = c->stop, n = dice_log(d, 1.0, 15.0),
                 size = draw_size(d, c);
    const double tau = T * dice_log(d, 0.01, 1.0);
    f.t0 = T * dice_between(d, 0.1, 0.85);
    f.t1 = T * dice_log(d, 0.003, 0.1);
    f.w = 2.0 * pi * n / T;
    case_note(c, "formula %d in %d", f.kind, where);
    wave *g = wave_of(formula_at, &f, 0.0, T, fmin(f.t1 / 2.0, T / (16.0 * n)));
    wave *x = where == 1 || where == 3 ? wave_filter(g, tau, 0.0)
                                       : wave_integral(g, 1.0 / T, 0.0);
    const double unit = where == 1 || where == 3 ? size / tau : size / T;
    formula_text(&f, where == 2 ? size : unit, g_text, sizeof g_text);
    formula_entry(c, where, g_text, tau, size, case_stepper(d));
    double least = size;
    if (where == 2) { /* x' = v, v' = force / T */
        wave *y = wave_integral(x, 1.0, 0.0);
        case_read(c, in_units(x, size), 0.0, "m.x.v");
        wave_free(x);
        x = y;
        least = fmin(size, size * T);
    }
    case_read(c, in_units(x, size), 0.0, "m.x");
    c->small = least;
    wave_free(x);
    wave_free(g);
    return true;
}

/* ---- weights ------------------------------------------------------------- */

bool draw_weights(dice *d, family_case *c)
{
    char port[48];

    draw_plain(d, c);
    const double tiny = dice_log(d, 1e-13, 1e-9);
    wave *u = driver_smooth(d, c, "o", tiny, port);
    if (!u) return false;
    case_note(c, "* %.1g", 1.0 / tiny);
    text_add(&c->parts,
             "  a: {linear: {A: 0, B: %.17g, u: u, x: x, x0: 0}%s}\n",
             1.0 / c->stop, case_stepper(d));
    text_add(&c->couplings, "  - signal: a.u = %.17g*%s\n", 1.0 / tiny, port);
    case_read(c, wave_integral(u, 1.0 / c->stop, 0.0), 0.3, "a.x");
    if (c->swung)
        case_moved(c, 0, wave_integral(c->swung, 1.0 / c->stop, 0.0), "a.x");
    wave_free(u);
    return true;
}

/* ---- a clipper ----------------------------------------------------------- */

typedef struct clipper {
    double period, edge, top, R, vt;
} clipper;

static double source_at(void *self, double t)
{
    const clipper *k = self;
    const double z = fmod(t, k->period);

    return z < k->edge            ? 5.0 * z / k->edge
           : z < k->edge + k->top ? 5.0
           : z < 2.0 * k->edge + k->top
               ? 5.0 * (1.0 - (z - k->edge - k->top) / k->edge)
               : 0.0;
}

/* (v - x)/R = IS (exp(x/vt) - 1) + gmin x, x between 0 and v. */
static double diode_at(void *self, double v)
{
    const clipper *k = self;
    double lo = 0.0, hi = v;

    for (int i = 0; i < 200; i++) {
        const double x = 0.5 * (lo + hi);
        const double f = 1e-14 * expm1(x / k->vt) + 1e-12 * x - (v - x) / k->R;
        if (x <= lo || x >= hi) break;
        if (f > 0.0)
            hi = x;
        else
            lo = x;
    }
    return 0.5 * (lo + hi);
}

bool draw_clipper(dice *d, family_case *c)
{
    draw_plain(d, c);
    const double T = c->stop;
    clipper k = { .period = T / dice_between(d, 1.0, 6.0),
                  .R = dice_log(d, 100.0, 1e5),
                  .vt = 1.38064852e-23 / 1.6021766208e-19 * 300.15 };
    k.edge = k.period * dice_log(d, 0.01, 0.2);
    k.top = k.period * dice_between(d, 0.1, 0.5);
    case_note(c, "clipper");
    text_add(&c->parts,
             "  c: {netlist: c.cir, outputs: [v(out)]}\n"
             "  a: {linear: {A: 0, B: %.17g, u: u, x: x, x0: 0}}\n",
             1.0 / T);
    text_add(&c->circuit,
             "clipper\nv1 in 0 pulse(0 5 0 %.17g %.17g %.17g %.17g)\n"
             "r1 in out %.17g\nd1 out 0 dmod\n.model dmod d(is=1e-14 n=1)\n"
             ".end\n",
             k.edge, k.edge, k.top, k.period, k.R);
    text_add(&c->couplings, "  - signal: a.u = c.v(out)\n");
    wave *v = wave_of(source_at, &k, 0.0, T, k.edge / 2.0);
    wave *x = wave_map(v, diode_at, &k, 4);
    case_read(c, x, 0.3, "c.v(out)");
    case_read(c, wave_integral(x, 1.0 / T, 0.0), 0.0, "a.x");
    wave_free(v);
    return true;
}

/* ---- fixed steps --------------------------------------------------------- */

bool draw_fixed(dice *d, family_case *c)
{
    static const char *const methods[] = { "rk4", "trapezoidal", "bdf2",
                                           "implicit-euler", "euler" };
    char port[48];

    draw_plain(d, c);
    const int method = dice_pick(d, 5);
    wave *u = driver_draw(d, c, "o", 1.0, port);
    if (!u) return false;
    const double tau = c->stop * dice_log(d, 1e-3, 1.0);
    case_note(c, "> %s", methods[method]);
    c->fixed = true;
    text_add(&c->parts,
             "  a: {linear: {A: %.17g, B: %.17g, u: u, x: x, x0: 0}, "
             "stepper: %s, step: %.17g}\n",
             -1.0 / tau, 1.0 / tau, methods[method],
             c->stop / dice_log(d, 20.0, 2000.0));
    text_add(&c->couplings, "  - signal: a.u = %s\n", port);
    case_read(c, wave_filter(u, tau, 0.0), 0.3, "a.x");
    wave_free(u);
    return true;
}
