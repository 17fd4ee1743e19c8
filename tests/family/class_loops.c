/* family/class_loops.c -- feedback with exact solutions. */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double scaled(void *self, double v)
{
    return *(const double *)self * v;
}

static wave *in_units(const wave *w, double factor)
{
    return wave_map(w, scaled, &factor, 1);
}

/* ---- linear parts -------------------------------------------------------- */

/* x' = (S - R) x + b: S skew, R diagonal and not negative, so nothing grows;
 * b jumps at t0. */
typedef struct loop {
    int n, parts;
    int part[WAVE_STATES]; /* of each unknown */
    double A[WAVE_STATES * WAVE_STATES], b[2][WAVE_STATES], x0[WAVE_STATES];
    double unit[WAVE_STATES]; /* of each part */
    double t0;
} loop;

static void loop_rhs(void *self, double t, const double *x, double *xdot)
{
    const loop *l = self;

    for (int i = 0; i < l->n; i++) {
        xdot[i] = l->b[t >= l->t0][i];
        for (int j = 0; j < l->n; j++) xdot[i] += l->A[i * l->n + j] * x[j];
    }
}

static void draw_loop(dice *d, loop *l, const family_case *c)
{
    const double T = c->stop, fast = dice_log(d, 0.5, 40.0) / T;

    l->parts = 2 + dice_pick(d, 3);
    for (int p = 0; p < l->parts; p++) {
        const int states = 1 + dice_pick(d, 2);
        l->unit[p] = draw_size(d, c);
        for (int k = 0; k < states; k++) l->part[l->n++] = p;
    }
    for (int i = 0; i < l->n; i++) {
        l->x0[i] = dice_between(d, -1.0, 1.0);
        l->b[1][i] = dice_chance(d, 0.3) ? dice_between(d, -3.0, 3.0) / T : 0.0;
        l->A[i * l->n + i] = -fast * dice_log(d, 0.01, 3.0);
        for (int j = 0; j < i; j++) {
            if (dice_chance(d, 0.4)) continue;
            const double s = fast * dice_between(d, -1.0, 1.0);
            l->A[i * l->n + j] = s;
            l->A[j * l->n + i] = -s;
        }
    }
    l->t0 = T * dice_between(d, 0.2, 0.8);
}

/* Part p as an equation model with one input and output per state elsewhere. */
static void write_part(family_case *c, const loop *l, int p,
                       const char *stepper)
{
    const char name = (char)('a' + p);
    text in = { NULL, 0, 0 }, eq = { NULL, 0, 0 };

    text_add(&c->parts, "  %c: {model: m.mo, class: M%c%s}\n", name, name,
             stepper);
    for (int i = 0; i < l->n; i++) {
        if (l->part[i] != p) continue;
        text_add(&in, "  output Real x%d(start = %.17g, fixed = true);\n", i,
                 l->x0[i] * l->unit[p]);
        text_add(&eq, "  der(x%d) = (if time < %.17g then 0 else %.17g)", i,
                 l->t0, l->b[1][i] * l->unit[p]);
        for (int j = 0; j < l->n; j++)
            if (l->A[i * l->n + j] != 0.0)
                text_add(&eq, " + (%.17g)*%c%d",
                         l->A[i * l->n + j] * l->unit[p] / l->unit[l->part[j]],
                         l->part[j] == p ? 'x' : 'u', j);
        text_add(&eq, ";\n");
    }
    for (int j = 0; j < l->n; j++) {
        bool used = false;
        for (int i = 0; i < l->n; i++)
            used |= l->part[i] == p && l->A[i * l->n + j] != 0.0;
        if (l->part[j] == p || !used) continue;
        text_add(&in, "  input Real u%d;\n", j);
        text_add(&c->couplings, "  - signal: %c.u%d = %c.x%d\n", name, j,
                 'a' + l->part[j], j);
    }
    text_add(&c->models, "model M%c\n%sequation\n%send M%c;\n", name, in.bytes,
             eq.bytes, name);
    text_free(&in);
    text_free(&eq);
}

bool draw_linear_loop(dice *d, family_case *c)
{
    loop l = { .n = 0 };
    wave *x[WAVE_STATES] = { NULL };
    double fastest = 0.0, most = 0.0;

    draw_stop(d, c);
    draw_loop(d, &l, c);
    case_note(c, "linear %d in %d", l.n, l.parts);
    for (int i = 0; i < l.n * l.n; i++) fastest = fmax(fastest, fabs(l.A[i]));
    for (int p = 0; p < l.parts; p++) {
        write_part(c, &l, p, case_stepper(d));
        c->small = fmin(c->small, l.unit[p]);
    }
    const bool ok = wave_ode(loop_rhs, &l, l.n, l.x0, 0.0, c->stop,
                             1.0 / (l.n * fastest), &l.t0, 1, x);
    for (int i = 0; i < l.n; i++) most = fmax(most, x[i] ? x[i]->most : 0.0);
    for (int i = 0; i < l.n; i++) {
        const double unit = l.unit[l.part[i]];
        if (x[i])
            case_read(c, in_units(x[i], unit), 0.3 * most * unit, "%c.x%d",
                      'a' + l.part[i], i);
        wave_free(x[i]);
    }
    return ok;
}

/* ---- algebraic feedback -------------------------------------------------- */

typedef struct ring {
    int kind;
    double k1, k2;
} ring;

/* a: y = s(t) + k1 u; b: z = k2 u, or z + z^3 = k2 u, or a saturation. */
static double ring_at(void *self, double s)
{
    const ring *r = self;

    if (r->kind == 0) return r->k2 * s / (1.0 - r->k1 * r->k2);
    double z = 0.0; /* z + z^3 - k2 (s + k1 z) = 0, k1 k2 < 1 */
    for (int i = 0; i < 200; i++) {
        const double f = z + z * z * z - r->k2 * (s + r->k1 * z);
        const double step = f / (1.0 + 3.0 * z * z - r->k1 * r->k2);
        z -= step;
        if (fabs(step) < 1e-17) break;
    }
    return z;
}

static double sum_of(void *self, double s, double z)
{
    return s + *(const double *)self * z;
}

bool draw_algebraic_loop(dice *d, family_case *c)
{
    char port[48];
    ring r = { .kind = dice_pick(d, 2) };

    draw_plain(d, c);
    r.k1 = dice_between(d, -2.0, 0.9);
    r.k2 = dice_log(d, 0.1, 1.0);
    const double T = c->stop, rate = dice_log(d, 0.3, 3.0) / T;
    wave *s = driver_draw(d, c, "o", 1.0, port);
    if (!s) return false;
    case_note(c, "> ring %d", r.kind);
    text_add(&c->parts,
             "  a: {model: m.mo, class: Ma%s}\n"
             "  b: {model: m.mo, class: Mb%s}\n",
             case_stepper(d), case_stepper(d));
    text_add(&c->models,
             "model Ma\n  input Real s, u;\n  output Real y;\n"
             "equation\n  y = s + (%.17g)*u;\nend Ma;\n"
             "model Mb\n  input Real u;\n  output Real z;\n"
             "  Real x(start = 0, fixed = true);\n"
             "equation\n  %s = %.17g*u;\n  der(x) = %.17g*z;\nend Mb;\n",
             r.k1, r.kind ? "z + z^3" : "z", r.k2, rate);
    text_add(&c->couplings, "  - signal: [a.s = %s, a.u = b.z, b.u = a.y]\n",
             port);
    wave *z = wave_map(s, ring_at, &r, 2);
    wave *y = wave_join(s, z, sum_of, &r.k1, 1);
    case_read(c, wave_integral(z, rate, 0.0), 0.3, "b.x");
    case_read(c, z, 1.0, "b.z");
    case_read(c, y, 1.0, "a.y");
    wave_free(s);
    return true;
}

/* ---- feedback that the solution does not feel ---------------------------- */

static double cosine(void *self, double t)
{
    return cos(*(const double *)self * t);
}

static double squared(void *self, double p)
{
    (void)self;
    return p * p;
}

/* p' = w v + k (z - p^2), v' = -w p; z = p^2 is made by the other part: by a
 * formula, by z' = 2 w p v, or by a fast filter whose lag is taken into
 * account.  The solution is a cosine whatever k is. */
bool draw_manufactured(dice *d, family_case *c)
{
    draw_plain(d, c);
    const int kind = dice_pick(d, 2);
    const double n = dice_log(d, 0.5, 8.0), unit = dice_log(d, 1e-6, 1e6);
    double w = 2.0 * pi * n / c->stop;
    const double k = w * dice_between(d, 0.02, 0.4);

    case_note(c, "manufactured %d", kind);
    c->small = fmin(1.0, unit);
    text_add(&c->parts,
             "  a: {model: m.mo, class: Ma}\n"
             "  b: {model: m.mo, class: Mb%s}\n",
             case_stepper(d));
    text_add(&c->models,
             "model Ma\n  input Real z;\n"
             "  output Real p(start = 1, fixed = true);\n"
             "  output Real v(start = 0, fixed = true);\n"
             "equation\n  der(p) = %.17g*v + %.17g*(z*%.17g - p^2);\n"
             "  der(v) = -%.17g*p;\nend Ma;\n",
             w, k, 1.0 / unit, w);
    if (kind == 0)
        text_add(&c->models,
                 "model Mb\n  input Real p, v;\n  output Real z;\n"
                 "equation\n  z = %.17g*p^2 + 0*v;\nend Mb;\n",
                 unit);
    else
        text_add(&c->models,
                 "model Mb\n  input Real p, v;\n"
                 "  output Real z(start = %.17g, fixed = true);\n"
                 "equation\n  der(z) = %.17g*p*v;\nend Mb;\n",
                 unit, 2.0 * w * unit);
    text_add(&c->couplings, "  - signal: [a.z = b.z, b.p = a.p, b.v = a.v]\n");
    wave *p = wave_of(cosine, &w, 0.0, c->stop, 1.0 / w);
    wave *z = wave_map(p, squared, NULL, 1);
    case_read(c, in_units(z, unit), unit, "b.z");
    case_read(c, p, 0.0, "a.p");
    wave_free(z);
    return true;
}

/* ---- a mover and a net that is switched ---------------------------------- */

typedef struct net {
    double rate, g, t[2];
} net;

static void net_rhs(void *self, double t, const double *x, double *xdot)
{
    const net *m = self;
    const double g = t >= m->t[0] && t < m->t[1] ? m->g : 0.0;

    xdot[0] = m->rate * x[1];
    xdot[1] = m->rate * (1.0 - 2.0 * cos(x[0]) / (1.0 + g));
}

static double net_gain(net *m, double T, wave *const *x)
{
    const double part = 1e-5, x0[2] = { part, 0.0 };
    wave *y[2] = { NULL, NULL };
    double gain = 1.0;

    if (wave_ode(net_rhs, m, 2, x0, 0.0, T, 0.3 / m->rate, m->t, 2, y))
        for (int i = 1; i <= 100; i++)
            gain = fmax(gain, fabs(wave_at(y[0], T * i / 100.0) -
                                   wave_at(x[0], T * i / 100.0)) /
                                  part);
    wave_free(y[0]);
    wave_free(y[1]);
    return gain;
}

static double net_voltage(void *self, double t)
{
    const net *m = ((void **)self)[0];
    const wave *x = ((void **)self)[1];
    const double g = t >= m->t[0] && t < m->t[1] ? m->g : 0.0;

    return 2.0 * cos(wave_at(x, t)) / (1.0 + g);
}

bool draw_switched_net(dice *d, family_case *c)
{
    const double x0[2] = { 0.0, 0.0 };
    wave *x[2] = { NULL, NULL };

    draw_plain(d, c);
    const double T = c->stop;
    net m = { .rate = dice_between(d, 1.0, 5.0) / T,
              .g = dice_log(d, 1.0, 1e5) };
    m.t[0] = T * dice_between(d, 0.1, 0.7);
    m.t[1] = m.t[0] + T * dice_log(d, 0.003, 0.2);
    if (!wave_ode(net_rhs, &m, 2, x0, 0.0, T, 0.3 / m.rate, m.t, 2, x) ||
        x[0]->most > 30.0) {
        wave_free(x[0]);
        wave_free(x[1]);
        return false;
    }
    const double gain = net_gain(&m, T, x);
    case_note(c, "switched net");
    text_add(&c->parts,
             "  a: {model: m.mo, class: Ma%s}\n"
             "  b: {model: m.mo, class: Mb%s}\n",
             case_stepper(d), case_stepper(d));
    text_add(&c->models,
             "model Ma\n  input Real v;\n"
             "  output Real x(start = 0, fixed = true);\n"
             "  Real w(start = 0, fixed = true);\n"
             "equation\n  der(x) = %.17g*w;\n  der(w) = %.17g*(1 - v);\n"
             "end Ma;\n"
             "model Mb\n  input Real x;\n  output Real v;\n  Real g;\n"
             "equation\n"
             "  g = if time >= %.17g and time < %.17g then %.17g else 0;\n"
             "  0 = g*v + (v - 2*cos(x));\nend Mb;\n",
             m.rate, m.rate, m.t[0], m.t[1], m.g);
    text_add(&c->couplings, "  - signal: [a.v = b.v, b.x = a.x]\n");
    void *both[2] = { &m, x[0] };
    case_read(c, wave_of(net_voltage, both, 0.0, T, (m.t[1] - m.t[0]) / 4.0),
              0.6 * gain, "b.v");
    case_read(c, x[0], 0.3 * gain, "a.x");
    case_read(c, x[1], 0.3 * gain, "a.w");
    return true;
}
