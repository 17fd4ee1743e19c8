/* family/class_one_way.c -- drivers and followers without feedback. */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double own = FAMILY_OWN;

static void add_follower(dice *d, family_case *c, const follower *f,
                         const char *name, const char *inputs, const char *g)
{
    text declare = { NULL, 0, 0 }, equations = { NULL, 0, 0 };

    follower_text(f, g, &declare, &equations);
    text_add(&c->parts, "  %s: {model: m.mo, class: M%s%s}\n", name, name,
             case_stepper(d));
    text_add(&c->models, "model M%s\n%s%sequation\n%send M%s;\n", name, inputs,
             declare.bytes, equations.bytes, name);
    text_free(&declare);
    text_free(&equations);
}

static void read_follower(family_case *c, const follower *f, wave *x, wave *z,
                          double gain, const char *name);

/* A wave in units of the variable. */
typedef struct unit {
    double factor;
} unit;

static double scaled(void *self, double v)
{
    return ((const unit *)self)->factor * v;
}

static wave *in_units(const wave *w, double factor)
{
    unit u = { factor };

    return wave_map(w, scaled, &u, 1);
}

/* Takes z; x is scaled and freed too. */
static void read_follower(family_case *c, const follower *f, wave *x, wave *z,
                          double gain, const char *name)
{
    case_read(c, in_units(x, f->size), own * gain * f->size, "%s.x", name);
    if (z)
        case_read(c, in_units(z, f->size),
                  own * gain * f->size * (f->kind == FOLLOW_STATE ? 2.0 : 10.0),
                  "%s.z", name);
    wave_free(x);
    wave_free(z);
}

/* Places beside a jump of g(u) are the same as those of u and crossings, so
 * nothing else is needed. */
bool draw_one_way(dice *d, family_case *c)
{
    char port[48], u_text[64], g_text[400];
    double range[2];
    wave *z = NULL;

    draw_stop(d, c);
    const double size = draw_size(d, c), weight = draw_weight(d);
    const double own_size = draw_size(d, c);
    wave *u = driver_draw(d, c, "o", size, port);
    if (!u) return false;
    range_of(u, range);
    shape s = shape_draw(d, range, false);
    follower f = follower_draw(d, c, own_size);
    if (!shape_clear(&s, u)) {
        wave_free(u);
        return false;
    }
    case_note(c, "> %s %d", s.name, f.kind);
    c->small = fmin(size, own_size);
    snprintf(u_text, sizeof u_text, "u*%.17g", 1.0 / (size * weight));
    shape_text(&s, u_text, g_text, sizeof g_text);
    add_follower(d, c, &f, "a", "  input Real u;\n", g_text);
    text_add(&c->couplings, "  - signal: a.u = %.17g*%s\n", weight, port);
    wave *g = wave_map(u, shape_at, &s, 4);
    wave *x = follower_wave(&f, g, &z);
    read_follower(c, &f, x, z, follower_gain(&f, u, shape_at, &s, x), "a");
    follower_moved(&f, u, c->swung, shape_at, &s, c, "a.x");
    case_read(c, in_units(u, size), 0.0, "%s", port);
    wave_free(g);
    wave_free(u);
    return true;
}

/* ---- two inputs ---------------------------------------------------------- */

typedef struct both {
    int kind;
    double b, k;
} both;

static double pair_at(void *self, double u, double v)
{
    const both *p = self;

    switch (p->kind) {
    case 0:
        return u * v;
    case 1:
        return fmax(0.0, u - v - p->b);
    case 2:
        return exp(p->k * (u + v - 2.0));
    case 3:
        return u > v + p->b ? 1.0 : 0.0;
    case 4:
        return sqrt(0.01 + (u - v) * (u - v));
    default:
        return fmin(u, v);
    }
}

static const char *const pair_text[] = {
    "(%s)*(%s)",
    "max(0, (%s) - (%s) - (%.17g))",
    "exp(%.17g*((%s) + (%s) - 2))",
    "(if (%s) > (%s) + (%.17g) then 1 else 0)",
    "sqrt(0.01 + ((%s) - (%s))^2)",
    "min((%s), (%s))",
};

typedef struct moved_pair {
    const both *p;
    double shift[2];
} moved_pair;

static double moved_at(void *self, double u, double v)
{
    const moved_pair *m = self;
    both p = *m->p;

    return pair_at(&p, u + m->shift[0], v + m->shift[1]);
}

/* As follower_gain, for each of the two inputs. */
static double pair_gain(const follower *f, wave *const *w, const both *p,
                        const wave *x)
{
    const double part = 1e-4;
    double gain = 0.0;

    for (int k = 0; k < 2; k++) {
        moved_pair m = { p, { k ? 0.0 : part, k ? part : 0.0 } };
        wave *z = NULL, *v = wave_join(w[0], w[1], moved_at, &m, 4);
        wave *y = follower_wave(f, v, &z);
        double most = 0.0;
        for (int i = 1; i <= 200 && y; i++) {
            const double t = f->T * i / 200.0;
            most = fmax(most, fabs(wave_at(y, t) - wave_at(x, t)) / part);
        }
        gain += most;
        wave_free(v);
        wave_free(y);
        wave_free(z);
    }
    return gain;
}

static double difference(void *self, double u, double v)
{
    (void)self;
    return u - v;
}

bool draw_two_inputs(dice *d, family_case *c)
{
    char port[2][48], u[64], v[64], g_text[400];
    wave *z = NULL, *w[2] = { NULL, NULL };
    both p = { .kind = dice_pick(d, 6),
               .b = dice_between(d, -0.4, 0.4),
               .k = dice_between(d, 1.0, 4.0) };
    double near = 1.0;

    draw_stop(d, c);
    const double size = draw_size(d, c), own_size = draw_size(d, c);
    w[0] = driver_draw(d, c, "o", size, port[0]);
    if (w[0]) w[1] = driver_draw(d, c, "p", size, port[1]);
    if (w[0] && w[1] && (p.kind == 1 || p.kind == 3)) {
        wave *apart = wave_join(w[0], w[1], difference, NULL, 2);
        wave_crossings(apart, p.b, 0, NULL, 0, &near);
        wave_free(apart);
    }
    if (!w[0] || !w[1] || near < 0.02) {
        wave_free(w[0]);
        wave_free(w[1]);
        return false;
    }
    follower f = follower_draw(d, c, own_size);
    case_note(c, "> pair %d %d", p.kind, f.kind);
    c->small = fmin(size, own_size);
    snprintf(u, sizeof u, "u*%.17g", 1.0 / size);
    snprintf(v, sizeof v, "v*%.17g", 1.0 / size);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (p.kind == 2)
        snprintf(g_text, sizeof g_text, pair_text[2], p.k, u, v);
    else
        snprintf(g_text, sizeof g_text, pair_text[p.kind], u, v, p.b);
#pragma GCC diagnostic pop
    add_follower(d, c, &f, "a", "  input Real u;\n  input Real v;\n", g_text);
    text_add(&c->couplings, "  - signal: [a.u = %s, a.v = %s]\n", port[0],
             port[1]);
    wave *g = wave_join(w[0], w[1], pair_at, &p, 4);
    wave *x = follower_wave(&f, g, &z);
    read_follower(c, &f, x, z, fmax(2.0, pair_gain(&f, w, &p, x)), "a");
    for (int i = 0; i < 2; i++) {
        case_read(c, in_units(w[i], size), 0.0, "%s", port[i]);
        wave_free(w[i]);
    }
    wave_free(g);
    return true;
}

/* ---- three parts in a chain ---------------------------------------------- */

bool draw_chain(dice *d, family_case *c)
{
    char port[48], u_text[64], g_text[400];
    double range[2];
    wave *z = NULL;

    draw_stop(d, c);
    const double size = draw_size(d, c), middle = draw_size(d, c);
    const double tau = c->stop * dice_log(d, 1e-4, 1.0);
    wave *u = driver_draw(d, c, "o", size, port);
    if (!u) return false;
    wave *m = wave_filter(u, tau, 0.0);
    wave_free(u);
    range_of(m, range);
    const double whole = fmax(fabs(range[0]), fabs(range[1]));
    shape s = shape_draw(d, range, false);
    follower f = follower_draw(d, c, draw_size(d, c));
    if (m->bad || whole < 0.01 || range[1] - range[0] < 0.1 * whole ||
        !shape_clear(&s, m)) {
        wave_free(m);
        return false;
    }
    case_note(c, "> filter > %s %d", s.name, f.kind);
    c->small = fmin(fmin(size, middle * whole), f.size);
    if (dice_chance(d, 0.5)) {
        text_add(&c->parts,
                 "  m: {linear: {A: -%.17g, B: %.17g, u: u, x0: 0, x: y}%s}\n",
                 1.0 / tau, middle / (size * tau), case_stepper(d));
    } else {
        text_add(&c->parts, "  m: {model: m.mo, class: Mm%s}\n",
                 case_stepper(d));
        text_add(&c->models,
                 "model Mm\n  input Real u;\n"
                 "  output Real y(start = 0, fixed = true);\n"
                 "equation\n  der(y) = (%.17g*u - y)/%.17g;\nend Mm;\n",
                 middle / size, tau);
    }
    snprintf(u_text, sizeof u_text, "u*%.17g", 1.0 / middle);
    shape_text(&s, u_text, g_text, sizeof g_text);
    add_follower(d, c, &f, "a", "  input Real u;\n", g_text);
    text_add(&c->couplings, "  - signal: [m.u = %s, a.u = m.y]\n", port);
    wave *g = wave_map(m, shape_at, &s, 4);
    wave *x = follower_wave(&f, g, &z);
    read_follower(c, &f, x, z, follower_gain(&f, m, shape_at, &s, x), "a");
    wave *swung = c->swung ? wave_filter(c->swung, tau, 0.0) : NULL;
    follower_moved(&f, m, swung, shape_at, &s, c, "a.x");
    wave_free(swung);
    case_read(c, in_units(m, middle), own * middle, "m.y");
    wave_free(g);
    wave_free(m);
    return true;
}

bool draw_delay(dice *d, family_case *c)
{
    char port[48], u_text[64], g_text[400];
    double range[2];
    wave *z = NULL;

    draw_stop(d, c);
    const double size = draw_size(d, c),
                 delay = c->stop * dice_log(d, 0.02, 0.4);
    wave *u = driver_draw(d, c, "o", size, port);
    if (!u) return false;
    wave *late =
        wave_delay(u, delay, dice_chance(d, 0.5) ? 0.0 : wave_at(u, 0));
    const double past = wave_at(late, 0.0);
    range_of(late, range);
    shape s = shape_draw(d, range, false);
    follower f = follower_draw(d, c, draw_size(d, c));
    if (!shape_clear(&s, late)) {
        wave_free(u);
        wave_free(late);
        return false;
    }
    case_note(c, "> delay > %s %d", s.name, f.kind);
    c->small = fmin(size, f.size);
    snprintf(u_text, sizeof u_text, "u*%.17g", 1.0 / size);
    shape_text(&s, u_text, g_text, sizeof g_text);
    add_follower(d, c, &f, "a", "  input Real u;\n", g_text);
    text_add(&c->couplings,
             "  - signal: a.u = %s\n    delay: %.17g\n    past: %.17g\n", port,
             delay, size * past);
    wave *g = wave_map(late, shape_at, &s, 4);
    wave *x = follower_wave(&f, g, &z);
    read_follower(c, &f, x, z, follower_gain(&f, late, shape_at, &s, x), "a");
    follower_moved(&f, late, NULL, shape_at, &s, c, "a.x");
    case_read(c, in_units(u, size), 0.0, "%s", port);
    wave_free(g);
    wave_free(u);
    wave_free(late);
    return true;
}

/* ---- one model ----------------------------------------------------------- */

/* The same equations in one subsystem: nothing is coupled. */
bool draw_single(dice *d, family_case *c)
{
    char port[48], g_text[400];
    text declare = { NULL, 0, 0 }, equations = { NULL, 0, 0 };
    double range[2];
    wave *z = NULL;

    draw_plain(d, c);
    wave *u = driver_draw(d, c, "o", 1.0, port);
    if (!u) return false;
    range_of(u, range);
    shape s = shape_draw(d, range, false);
    follower f = follower_draw(d, c, 1.0);
    char *end = c->models.bytes ? strstr(c->models.bytes, "end Mo;") : NULL;
    char *body = c->models.bytes ? strstr(c->models.bytes, "equation\n") : NULL;
    if (!end || !body || !shape_clear(&s, u)) { /* no equation model */
        wave_free(u);
        return false;
    }
    case_note(c, "+ %s %d", s.name, f.kind);
    shape_text(&s, "y", g_text, sizeof g_text);
    if (f.kind == FOLLOW_PLAIN) f.kind = FOLLOW_INTEGRAL;
    follower_text(&f, g_text, &declare, &equations);
    for (char *p = strstr(equations.bytes, "x"); p; p = strstr(p + 1, "x"))
        if (p[1] == ')' || p[1] == ' ' || p[1] == ';') *p = 'X';
    for (char *p = strstr(declare.bytes, "Real x"); p; p = NULL) p[5] = 'X';
    text whole = { NULL, 0, 0 };
    text_add(&whole, "%.*s%s%.*s%send Mo;\n", (int)(body - c->models.bytes),
             c->models.bytes, declare.bytes, (int)(end - body), body,
             equations.bytes);
    text_free(&c->models);
    c->models = whole;
    text_free(&declare);
    text_free(&equations);
    wave *g = wave_map(u, shape_at, &s, 4);
    wave *x = follower_wave(&f, g, &z);
    case_read(c, in_units(x, 1.0), own * follower_gain(&f, u, shape_at, &s, x),
              "o.X");
    follower_moved(&f, u, c->swung, shape_at, &s, c, "o.X");
    case_read(c, in_units(u, 1.0), 0.0, "o.y");
    wave_free(g);
    wave_free(u);
    wave_free(x);
    wave_free(z);
    return true;
}
