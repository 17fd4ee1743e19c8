/* family/class_events.c -- counters, hysteresis, Boolean networks, samples. */
#include "draw.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 400 };

static double scaled(void *self, double v)
{
    return *(const double *)self * v;
}

static wave *in_units(const wave *w, double factor)
{
    return wave_map(w, scaled, &factor, 1);
}

/* 0, 1, 2, ... at each of the times. */
static wave *counted(const double *time, int count, double T)
{
    double value[MOST + 1];

    for (int i = 0; i <= count; i++) value[i] = i;
    return wave_pieces(time, value, count + 1, 0.0, T);
}

bool draw_count(dice *d, family_case *c)
{
    char port[48];
    double range[2], near[2], up[MOST], down[MOST];

    draw_stop(d, c);
    const double size = draw_size(d, c), weight = draw_weight(d);
    wave *u = driver_draw(d, c, "o", size, port);
    if (!u) return false;
    range_of(u, range);
    const double r = range[1] - range[0];
    const double a = range[0] + r * dice_between(d, 0.05, 0.95);
    const double b = range[0] + r * dice_between(d, 0.05, 0.95);
    const int ups = wave_crossings(u, a, 1, up, MOST, &near[0]);
    const int downs = wave_crossings(u, b, -1, down, MOST, &near[1]);
    if (!(r > 0.0) || ups > MOST || downs > MOST || near[0] < 0.01 * r ||
        near[1] < 0.01 * r) {
        wave_free(u);
        return false;
    }
    case_note(c, "> count %d %d", ups, downs);
    c->small = size;
    text_add(&c->parts, "  a: {model: m.mo, class: Ma%s}\n", case_stepper(d));
    text_add(&c->models,
             "model Ma\n  input Real u;\n"
             "  discrete Real m(start = 0, fixed = true);\n"
             "  discrete Real n(start = 0, fixed = true);\n"
             "  output Real ups = m;\n  output Real downs = n;\n"
             "equation\n"
             "  when u > %.17g then\n    m = pre(m) + 1;\n  end when;\n"
             "  when u < %.17g then\n    n = pre(n) + 1;\n  end when;\n"
             "end Ma;\n",
             a * size * weight, b * size * weight);
    text_add(&c->couplings, "  - signal: a.u = %.17g*%s\n", weight, port);
    case_read(c, counted(up, ups, c->stop), 0.0, "a.ups");
    case_read(c, counted(down, downs, c->stop), 0.0, "a.downs");
    case_read(c, in_units(u, size), 0.0, "%s", port);
    wave_free(u);
    return true;
}

/* On above hi until below lo: times of the changes, alternating. */
static int switched(const double *up, int ups, const double *down, int downs,
                    bool on, double *time)
{
    double t = 0.0;
    int count = 0, i = 0, j = 0;

    for (;; on = !on) {
        while (i < ups && up[i] <= t) i++;
        while (j < downs && down[j] <= t) j++;
        if (on ? j >= downs : i >= ups) return count;
        t = on ? down[j] : up[i];
        time[count++] = t;
    }
}

bool draw_hysteresis(dice *d, family_case *c)
{
    char port[48];
    double range[2], near[2], up[MOST], down[MOST], time[2 * MOST];
    double value[2 * MOST + 1];

    draw_stop(d, c);
    const double size = draw_size(d, c), own_size = draw_size(d, c);
    wave *u = driver_draw(d, c, "o", size, port);
    if (!u) return false;
    range_of(u, range);
    const double r = range[1] - range[0];
    const double lo = range[0] + r * dice_between(d, 0.05, 0.5);
    const double hi = lo + r * dice_between(d, 0.05, 0.4);
    const int ups = wave_crossings(u, hi, 1, up, MOST, &near[0]);
    const int downs = wave_crossings(u, lo, -1, down, MOST, &near[1]);
    if (!(r > 0.0) || ups > MOST || downs > MOST || near[0] < 0.01 * r ||
        near[1] < 0.01 * r) {
        wave_free(u);
        return false;
    }
    const bool on = wave_at(u, 0.0) > hi;
    const int count = switched(up, ups, down, downs, on, time);
    for (int i = 0; i <= count; i++) value[i] = on != (i % 2 == 1);
    case_note(c, "> hysteresis %d", count);
    c->small = fmin(size, own_size);
    text_add(&c->parts, "  a: {model: m.mo, class: Ma%s}\n", case_stepper(d));
    text_add(&c->models,
             "model Ma\n  input Real u;\n"
             "  Boolean on;\n  output Real q;\n"
             "  output Real x(start = 0, fixed = true);\n"
             "equation\n  on = u > %.17g or pre(on) and u > %.17g;\n"
             "  q = if on then 1 else 0;\n  der(x) = %.17g*q;\nend Ma;\n",
             hi * size, lo * size, own_size / c->stop);
    text_add(&c->couplings, "  - signal: a.u = %s\n", port);
    wave *q = wave_pieces(time, value, count + 1, 0.0, c->stop);
    wave *x = wave_integral(q, own_size / c->stop, 0.0);
    case_read(c, x, own_size * 0.05 * (1 + count), "a.x");
    case_read(c, q, 0.0, "a.q");
    case_read(c, in_units(u, size), 0.0, "%s", port);
    wave_free(u);
    return true;
}

/* ---- Boolean networks ---------------------------------------------------- */

typedef struct network {
    int kind;
    double a, b, t0, t1;
} network;

static const char *const network_text[] = {
    "p and q",
    "p or q",
    "p and not q",
    "not p and r",
    "(p or q) and not r",
    "p and q or r",
    "not (p and r)",
};

static double network_at(void *self, double u, double t)
{
    const network *n = self;
    const bool p = u > n->a, q = t > n->t0 && t < n->t1, r = u < n->b;
    const bool answer[] = { p && q,         p || q,        p && !q,  !p && r,
                            (p || q) && !r, (p && q) || r, !(p && r) };

    return answer[n->kind] ? 1.0 : p ? 0.25 : 0.0;
}

static double itself(void *self, double t)
{
    (void)self;
    return t;
}

bool draw_boolean(dice *d, family_case *c)
{
    char port[48];
    double range[2], near[2];
    network n = { .kind = dice_pick(d, 7) };

    draw_stop(d, c);
    const double size = draw_size(d, c);
    wave *u = driver_draw(d, c, "o", size, port);
    if (!u) return false;
    range_of(u, range);
    const double r = range[1] - range[0];
    n.a = range[0] + r * dice_between(d, 0.05, 0.95);
    n.b = range[0] + r * dice_between(d, 0.05, 0.95);
    n.t0 = c->stop * dice_between(d, 0.1, 0.8);
    n.t1 = n.t0 + c->stop * dice_log(d, 0.002, 0.15);
    wave_crossings(u, n.a, 0, NULL, 0, &near[0]);
    wave_crossings(u, n.b, 0, NULL, 0, &near[1]);
    if (!(r > 0.0) || near[0] < 0.01 * r || near[1] < 0.01 * r) {
        wave_free(u);
        return false;
    }
    case_note(c, "> boolean %d", n.kind);
    c->small = size;
    text_add(&c->parts, "  a: {model: m.mo, class: Ma%s}\n", case_stepper(d));
    text_add(&c->models,
             "model Ma\n  input Real u;\n  Boolean p, q, r, s;\n"
             "  output Real y;\n  output Real x(start = 0, fixed = true);\n"
             "equation\n  p = u > %.17g;\n  r = u < %.17g;\n"
             "  q = time > %.17g and time < %.17g;\n  s = %s;\n"
             "  y = if s then 1 elseif p then 0.25 else 0;\n"
             "  der(x) = %.17g*y;\nend Ma;\n",
             n.a * size, n.b * size, n.t0, n.t1, network_text[n.kind],
             size / c->stop);
    text_add(&c->couplings, "  - signal: a.u = %s\n", port);
    wave *time = wave_of(itself, NULL, 0.0, c->stop, 0.3 * (n.t1 - n.t0));
    wave *y = wave_join(u, time, network_at, &n, 4);
    case_read(c, wave_integral(y, size / c->stop, 0.0), 0.3 * size, "a.x");
    case_read(c, y, 0.0, "a.y");
    case_read(c, in_units(u, size), 0.0, "%s", port);
    wave_free(time);
    wave_free(u);
    return true;
}

/* ---- feedback through events --------------------------------------------- */

/* v[k+1] = v[k] + gain (goal - x(t_k)), tau x' = v - x. */
bool draw_sampled(dice *d, family_case *c)
{
    double time[MOST], value[MOST + 1], x = 0.0, t = 0.0;
    int count = 0;

    draw_stop(d, c);
    const double size = draw_size(d, c), h = c->stop / dice_log(d, 3.0, 100.0);
    const double tau = h * dice_log(d, 0.2, 10.0);
    const double a = exp(-h / tau), gain = dice_between(d, 0.1, 0.6);
    const double first = h * dice_between(d, 0.2, 1.0);

    value[0] = 0.0;
    for (double next = first; next < c->stop && count + 1 < MOST;
         next = first + count * h) {
        const double e = exp(-(next - t) / tau);
        x = value[count] + (x - value[count]) * e;
        time[count] = t = next;
        value[count + 1] = value[count] + gain * (1.0 - a) * (1.0 - x);
        count++;
    }
    if (c->stop - t < 1e-3 * h) return false;
    case_note(c, "sampled %d", count);
    c->small = size;
    text_add(&c->parts,
             "  p: {linear: {A: -%.17g, B: %.17g, u: v, x: x, x0: 0}%s}\n"
             "  a: {model: m.mo, class: Ma}\n",
             1.0 / tau, 1.0 / tau, case_stepper(d));
    text_add(&c->models,
             "model Ma\n  input Real u;\n"
             "  discrete Real w(start = 0, fixed = true);\n"
             "  output Real v = w;\n"
             "equation\n  when sample(%.17g, %.17g) then\n"
             "    w = pre(w) + %.17g*(%.17g - u);\n  end when;\nend Ma;\n",
             first, h, gain * (1.0 - a), size);
    text_add(&c->couplings, "  - signal: [p.v = a.v, a.u = p.x]\n");
    wave *v = wave_pieces(time, value, count + 1, 0.0, c->stop);
    wave *y = wave_filter(v, tau, 0.0);
    case_read(c, in_units(y, size), 0.3 * size, "p.x");
    case_read(c, in_units(v, size), 0.3 * size, "a.v");
    wave_free(v);
    wave_free(y);
    return true;
}

/* A room, a sensor that lags, and a switch: x' = (q - x)/tau,
 * s' = (x - s)/lag, q on below lo until above hi. */
typedef struct house {
    double tau, lag, lo, hi;
    double A[4];
} house;

static void advance(const house *r, double q, double h, double *x)
{
    const double b[2] = { q / r->tau, 0.0 };

    wave_linear_step(2, r->A, b, h, x);
}

/* Times at which the switch changes; -1: too many, or it grazes. */
static int switching(const house *r, double T, double *time)
{
    const double h = fmin(r->tau, r->lag) / 40.0;
    double x[2] = { 0.0, 0.0 }, t = 0.0;
    bool on = true;
    int count = 0;

    while (t < T) {
        double y[2] = { x[0], x[1] }, lo = 0.0, hi = fmin(h, T - t);
        advance(r, on, hi, y);
        if (on ? y[1] < r->hi : y[1] > r->lo) {
            x[0] = y[0];
            x[1] = y[1];
            t += hi;
            if (h > T - t && T - t < 1e-14 * T) break;
            continue;
        }
        for (int k = 0; k < 60; k++) {
            const double mid = 0.5 * (lo + hi);
            double z[2] = { x[0], x[1] };
            advance(r, on, mid, z);
            if (on ? z[1] < r->hi : z[1] > r->lo)
                lo = mid;
            else
                hi = mid;
        }
        advance(r, on, hi, x);
        t += hi;
        on = !on;
        if (count >= 12) return -1; /* errors of instants add up */
        time[count++] = t;
    }
    return count;
}

bool draw_thermostat(dice *d, family_case *c)
{
    double time[MOST], value[MOST + 1];

    draw_stop(d, c);
    const double size = draw_size(d, c);
    house r = { .tau = c->stop / dice_log(d, 1.0, 20.0) };
    r.lag = r.tau * dice_log(d, 0.02, 1.0);
    r.lo = dice_between(d, 0.2, 0.6);
    r.hi = r.lo + dice_between(d, 0.05, 0.3);
    r.A[0] = -1.0 / r.tau;
    r.A[2] = 1.0 / r.lag;
    r.A[3] = -1.0 / r.lag;
    const int count = switching(&r, c->stop, time);
    if (count < 0 || (count && c->stop - time[count - 1] < 1e-3 * r.lag))
        return false;
    for (int i = 0; i <= count; i++) value[i] = i % 2 == 0;
    case_note(c, "thermostat %d", count);
    c->small = size;
    text_add(&c->parts,
             "  room: {model: m.mo, class: Room%s}\n"
             "  switch: {model: m.mo, class: Switch%s}\n",
             case_stepper(d), case_stepper(d));
    text_add(&c->models,
             "model Room\n  input Real q;\n"
             "  Real x(start = 0, fixed = true);\n"
             "  output Real s(start = 0, fixed = true);\n"
             "equation\n  der(x) = (%.17g*q - x)/%.17g;\n"
             "  der(s) = (x - s)/%.17g;\nend Room;\n"
             "model Switch\n  input Real u;\n  output Real q;\n  Boolean on;\n"
             "equation\n  on = u < %.17g or pre(on) and u < %.17g;\n"
             "  q = if on then 1 else 0;\nend Switch;\n",
             size, r.tau, r.lag, r.lo * size, r.hi * size);
    text_add(&c->couplings,
             "  - signal: [room.q = switch.q, switch.u = room.s]\n");
    wave *q = wave_pieces(time, value, count + 1, 0.0, c->stop);
    wave *x = wave_filter(q, r.tau, 0.0), *s = wave_filter(x, r.lag, 0.0);
    case_read(c, in_units(x, size), 0.0, "room.x");
    case_read(c, in_units(s, size), 0.0, "room.s");
    case_read(c, q, 0.0, "switch.q");
    wave_free(x);
    wave_free(s);
    return true;
}
