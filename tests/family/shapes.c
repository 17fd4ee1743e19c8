/* family/shapes.c -- static characteristics g(u): formula, value, kinks. */
#include "family.h"

#include <math.h>
#include <stdio.h>

enum {
    RECTIFIER,
    EXPONENTIAL,
    DIODE,
    SIGMOID,
    CUBIC,
    BUMP,
    ABSOLUTE,
    STEP,
    WINDOW,
    OUTSIDE,
    CLIP,
    SQUARE,
    RATIONAL,
    PEAK,
    SHAPES
};

static const char *const shape_names[SHAPES] = {
    "rectifier", "exp",    "diode",   "sigmoid", "cubic",  "bump",     "abs",
    "step",      "window", "outside", "clip",    "square", "rational", "peak"
};

static bool is_smooth(int kind)
{
    return kind == EXPONENTIAL || kind == DIODE || kind == SIGMOID ||
           kind == CUBIC || kind == BUMP || kind >= SQUARE;
}

shape shape_draw(dice *d, const double range[2], bool smooth)
{
    const double lo = range[0], r = range[1] - range[0];
    shape s = { .kind = dice_pick(d, SHAPES) };

    while (smooth && !is_smooth(s.kind)) s.kind = dice_pick(d, SHAPES);
    s.name = shape_names[s.kind];
    s.a = lo + r * dice_between(d, 0.1, 0.9);
    s.b = s.a;
    s.jumps = s.kind == STEP || s.kind == WINDOW || s.kind == OUTSIDE;
    switch (s.kind) {
    case EXPONENTIAL:
        s.k = dice_log(d, 2.0, 20.0) / r;
        s.a = range[1];
        break;
    case DIODE:
        s.k = dice_log(d, 5.0, 25.0) / r;
        s.a = range[1];
        s.b = exp(s.k * (lo - s.a));
        break;
    case SIGMOID:
        s.k = dice_log(d, 3.0, 40.0) / r;
        break;
    case BUMP:
        s.k = dice_log(d, 4.0, 20.0) / r;
        break;
    case PEAK:
        s.k = dice_log(d, 4.0, 20.0) / r;
        break;
    case WINDOW:
    case OUTSIDE:
    case CLIP:
        s.a = lo + r * dice_between(d, 0.08, 0.8);
        s.b = s.a + (lo + 0.92 * r - s.a) * dice_between(d, 0.15, 1.0);
        break;
    default:
        s.k = 1.0;
        break;
    }
    return s;
}

void shape_text(const shape *s, const char *u, char *out, size_t room)
{
    switch (s->kind) {
    case RECTIFIER:
        snprintf(out, room, "max(0, (%s) - (%.17g))", u, s->a);
        break;
    case EXPONENTIAL:
        snprintf(out, room, "exp(%.17g*((%s) - (%.17g)))", s->k, u, s->a);
        break;
    case DIODE:
        snprintf(out, room, "(exp(%.17g*((%s) - (%.17g))) - %.17g)", s->k, u,
                 s->a, s->b);
        break;
    case SIGMOID:
        snprintf(out, room, "tanh(%.17g*((%s) - (%.17g)))", s->k, u, s->a);
        break;
    case CUBIC:
        snprintf(out, room, "(%s)^3", u);
        break;
    case BUMP:
        snprintf(out, room, "exp(-(%.17g*((%s) - (%.17g)))^2)", s->k, u, s->a);
        break;
    case ABSOLUTE:
        snprintf(out, room, "abs((%s) - (%.17g))", u, s->a);
        break;
    case STEP:
        snprintf(out, room, "(if (%s) > %.17g then 1 else -0.5)", u, s->a);
        break;
    case WINDOW:
        snprintf(out, room, "(if (%s) > %.17g and (%s) < %.17g then 1 else 0)",
                 u, s->a, u, s->b);
        break;
    case OUTSIDE:
        snprintf(out, room, "(if (%s) < %.17g or (%s) > %.17g then 1 else 0.2)",
                 u, s->a, u, s->b);
        break;
    case CLIP:
        snprintf(out, room, "min(max((%s), %.17g), %.17g)", u, s->a, s->b);
        break;
    case SQUARE:
        snprintf(out, room, "(%s)^2", u);
        break;
    case RATIONAL:
        snprintf(out, room, "(%s)/(1 + (%s)^2)", u, u);
        break;
    default:
        snprintf(out, room, "1/(1 + (%.17g*((%s) - (%.17g)))^2)", s->k, u,
                 s->a);
        break;
    }
}

double shape_at(void *self, double u)
{
    const shape *s = self;
    const double z = s->k * (u - s->a);

    switch (s->kind) {
    case RECTIFIER:
        return fmax(0.0, u - s->a);
    case EXPONENTIAL:
        return exp(z);
    case DIODE:
        return exp(z) - s->b;
    case SIGMOID:
        return tanh(z);
    case CUBIC:
        return u * u * u;
    case BUMP:
        return exp(-z * z);
    case ABSOLUTE:
        return fabs(u - s->a);
    case STEP:
        return u > s->a ? 1.0 : -0.5;
    case WINDOW:
        return u > s->a && u < s->b ? 1.0 : 0.0;
    case OUTSIDE:
        return u < s->a || u > s->b ? 1.0 : 0.2;
    case CLIP:
        return fmin(fmax(u, s->a), s->b);
    case SQUARE:
        return u * u;
    case RATIONAL:
        return u / (1.0 + u * u);
    default:
        return 1.0 / (1.0 + z * z);
    }
}

void range_of(const wave *u, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = 0; i < u->count; i++)
        for (int k = 0; k <= 8 && !wave_tiny(u, i); k++) {
            const wave_panel *p = &u->panel[i];
            const double v =
                wave_at(u, p->lo + (p->hi - p->lo) * (k + 0.5) / 9.0);
            range[0] = fmin(range[0], v);
            range[1] = fmax(range[1], v);
        }
}

bool shape_clear(const shape *s, const wave *u)
{
    double range[2], near = 0.0;
    const double level[2] = { s->a, s->b };
    const int levels = s->kind == STEP                           ? 1
                       : s->kind == WINDOW || s->kind == OUTSIDE ? 2
                                                                 : 0;

    range_of(u, range);
    for (int i = 0; i < levels; i++) {
        wave_crossings(u, level[i], 0, NULL, 0, &near);
        if (near < 0.01 * (range[1] - range[0])) return false;
    }
    return range[1] > range[0];
}
