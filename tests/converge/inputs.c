/* Followers that rest, or answer to a part of their input only: no step may
 * pass over what the input does.  Each is compared with its exact solution over
 * the whole waveform, not at the ends of steps. */
#include "check.h"

#include "la/pattern.h"
#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double stop = 100.0;

/* ---- inputs -------------------------------------------------------------- */

static double sine(double t)
{
    return cos(t);
}

/* Rests, then pulses of width 0.5. */
static double pulses(double t)
{
    return exp(-pow((t - 41.3) / 0.5, 2)) +
           0.7 * exp(-pow((t - 77.7) / 0.5, 2));
}

/* A slow sine with a fast ripple on it. */
static double ripple(double t)
{
    return cos(0.1 * t) + 0.02 * cos(9.0 * t);
}

typedef double (*function)(double);

static double slope(function f, double t)
{
    const double e = 1e-3;

    return (8.0 * (f(t + e) - f(t - e)) - f(t + 2.0 * e) + f(t - 2.0 * e)) /
           (12.0 * e);
}

/* Cubic pieces of length 1/density: off by 4e-10 times the fourth derivative
 * for 50, by 2e-12 for 200. */
static double density = 50.0;

static void fill(yk_wave *u, function f, double t0, double t1)
{
    yoke_err err = { YOKE_OK, "" };
    const int pieces = (int)ceil((t1 - t0) * density);

    yk_wave_clear(u, t0);
    for (int i = 0; i < pieces; i++) {
        const double a = t0 + (t1 - t0) * i / pieces;
        const double b =
            i + 1 < pieces ? t0 + (t1 - t0) * (i + 1) / pieces : t1;
        const double rise = f(b) - f(a), h = b - a;
        const double left = h * slope(f, a), right = h * slope(f, b);
        const double coef[] = { f(a), left, 3.0 * rise - 2.0 * left - right,
                                left + right - 2.0 * rise };
        CHECK_OK(yk_wave_append(u, b, 3, coef, &err), &err);
    }
}

/* ---- followers: x' = g(u), z = k(u) -------------------------------------- */

static double rectified(double u)
{
    return fmax(0.0, u - 0.2);
}

static double exponential(double u)
{
    return exp(20.0 * (u - 1.0));
}

static double junction(double u)
{
    return 1e-6 * (exp(u / 0.07) - 1.0);
}

static double bump(double u)
{
    return 1.0 / (1.0 + pow((u - 0.5) / 0.1, 2));
}

static double sigmoid(double u)
{
    return 0.5 + 0.5 * tanh(20.0 * (u - 0.4));
}

typedef struct follower {
    const char *name;
    function g;
} follower;

static const follower followers[] = { { "rectifier", rectified },
                                      { "exponential", exponential },
                                      { "junction", junction },
                                      { "bump", bump },
                                      { "sigmoid", sigmoid } };
enum { FOLLOWERS = sizeof followers / sizeof *followers };

/* Unknowns x, z: x' = g(u), z + z^3 = 2 g(u). */
static yoke_status follow(void *self, double t, const double *x,
                          const double *u, double *q, double *f, yoke_err *err)
{
    const follower *w = self;
    const double g = w->g(u[0]);

    (void)t, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) f[0] = -g, f[1] = x[1] + x[1] * x[1] * x[1] - 2.0 * g;
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (jac->C) jac->C[0] = 1.0;
    if (jac->G) jac->G[0] = 1.0 + 3.0 * x[1] * x[1];
    if (jac->Gu) {
        const follower *w = self;
        const double e = 1e-6;
        const double slope = (w->g(u[0] + e) - w->g(u[0] - e)) / (2.0 * e);
        jac->Gu[0] = -slope;
        jac->Gu[1] = -2.0 * slope;
    }
    return YOKE_OK;
}

/* y = (x, z, g(u)): the last one an output that only follows the input. */
static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    const follower *w = self;

    (void)t, (void)err;
    y[0] = x[0];
    y[1] = x[1];
    y[2] = w->g(u[0]);
    return YOKE_OK;
}

static const yoke_system_ops ops = {
    .kind = "follower", .eval = follow, .jacobian = jacobian, .output = output
};

static yoke_system *make(const follower *w)
{
    yoke_pattern *C = NULL, *G = NULL, *Cu = NULL, *Gu = NULL, *Hx = NULL,
                 *Hu = NULL;
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };
    const int zero[] = { 0 }, one[] = { 1 }, both[] = { 0, 1 },
              twice[] = { 0, 0 }, last[] = { 2 };

    CHECK_OK(yoke_pattern_create(&C, 2, 2, 1, zero, zero, &err), &err);
    CHECK_OK(yoke_pattern_create(&G, 2, 2, 1, one, one, &err), &err);
    CHECK_OK(yk_pattern_empty(&Cu, 2, 1, &err), &err);
    CHECK_OK(yoke_pattern_create(&Gu, 2, 1, 2, both, twice, &err), &err);
    CHECK_OK(yoke_pattern_create(&Hx, 3, 2, 2, both, both, &err), &err);
    CHECK_OK(yoke_pattern_create(&Hu, 3, 1, 1, last, zero, &err), &err);
    const double x0[] = { 0.0, 0.5 };
    const yoke_system_info info = { .n = 2,
                                    .m = 1,
                                    .p = 3,
                                    .flags = YOKE_TIMELESS,
                                    .x0 = x0,
                                    .C = C,
                                    .G = G,
                                    .Cu = Cu,
                                    .Gu = Gu,
                                    .Hx = Hx,
                                    .Hu = Hu };
    CHECK_OK(yoke_system_create(&system, w->name, &ops, (void *)w, &info, &err),
             &err);
    yoke_pattern_free(C);
    yoke_pattern_free(G);
    yoke_pattern_free(Cu);
    yoke_pattern_free(Gu);
    yoke_pattern_free(Hx);
    yoke_pattern_free(Hu);
    return system;
}

/* ---- the judge ----------------------------------------------------------- */

enum { FINE = 1 << 17 }; /* intervals of the quadrature */

/* x at k stop / FINE, by Simpson's rule. */
static void integrate(const follower *w, function f, double *x)
{
    const double h = stop / FINE;

    x[0] = 0.0;
    for (int k = 0; k < FINE; k++) {
        const double a = h * k;
        x[k + 1] = x[k] + h / 6.0 *
                              (w->g(f(a)) + 4.0 * w->g(f(a + 0.5 * h)) +
                               w->g(f(a + h)));
    }
}

/* The root of z + z^3 = 2 g. */
static double root(double g)
{
    const double s = sqrt(g * g + 1.0 / 27.0);

    return cbrt(g + s) + cbrt(g - s);
}

/* Largest error over the waveform, in tolerances of its largest value. */
static double judge(const follower *w, function f, const yk_wave *y,
                    const double *exact, double rtol, double atol, int *cursor,
                    double t0, double t1)
{
    const double size[] = { fmax(exact[FINE], 1e-3), 1.0, 1.0 };
    double worst = 0.0, got[3];

    for (int k = (int)ceil(t0 / stop * FINE); k <= FINE; k += 13) {
        const double t = stop * k / FINE;
        if (t > t1) break;
        const double g = w->g(f(t));
        const double wanted[] = { exact[k], root(g), g };
        yk_wave_eval(y, t, cursor, got);
        for (int c = 0; c < 3; c++)
            worst =
                fmax(worst, fabs(got[c] - wanted[c]) / (atol + rtol * size[c]));
    }
    return worst;
}

/* The error of a run in `windows` windows, each swept twice. */
static double error_of(const char *method, const follower *w, function f,
                       double rtol, int windows, const double *exact)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yoke_system *system = make(w);
    yk_wave *u = NULL, *y = NULL;
    yoke_err err = { YOKE_OK, "" };
    double worst = 0.0, y0[3];
    const double u0 = f(0.0);

    snprintf(o.method, sizeof o.method, "%s", method);
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    o.span = stop;
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&u, 1, &err), &err);
    CHECK_OK(yk_wave_create(&y, 3, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, &u0, y0, &err), &err);
    for (int k = 0; k < windows; k++) {
        const double t0 = stop * k / windows, t1 = stop * (k + 1) / windows;
        int cursor = 0;
        fill(u, f, t0, t1);
        for (int sweep = 0; sweep < (windows > 1 ? 2 : 1); sweep++)
            CHECK_OK(p.ops->sweep(p.self, t1, u, y, &err), &err);
        worst =
            fmax(worst, judge(w, f, y, exact, rtol, o.atol, &cursor, t0, t1));
        CHECK_OK(p.ops->accept(p.self, &err), &err);
    }
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
    yoke_system_free(system);
    return worst;
}

static const struct {
    const char *name;
    function f;
} inputs[] = { { "sine", sine }, { "pulses", pulses }, { "ripple", ripple } };
enum { INPUTS = sizeof inputs / sizeof *inputs };

static double exact[FINE + 1];

static void try_method(const char *method, double rtol, double most)
{
    for (int i = 0; i < FOLLOWERS; i++)
        for (int j = 0; j < INPUTS; j++) {
            integrate(&followers[i], inputs[j].f, exact);
            for (int windows = 1; windows <= 37; windows += 36) {
                const double worst = error_of(
                    method, &followers[i], inputs[j].f, rtol, windows, exact);
                if (!(worst <= most))
                    print_error("%s, %s behind %s, rtol %g, %d windows\n",
                                method, followers[i].name, inputs[j].name, rtol,
                                windows);
                CHECK_BETWEEN(worst, 0.0, most);
            }
        }
}

/* Kinks of the rectifier cost up to a tolerance each, of one sign; there are 32
 * of them. */
static void radau5_follows(void **state)
{
    (void)state;
    try_method("radau5", 1e-4, 15.0);
    try_method("radau5", 1e-6, 15.0);
}

static void trbdf2_follows(void **state)
{
    (void)state;
    try_method("trbdf2", 1e-4, 15.0);
}

static void genalpha_follows(void **state)
{
    (void)state;
    try_method("genalpha", 1e-4, 20.0);
}

static void ida_follows(void **state)
{
    (void)state;
#ifdef YOKE_HAVE_SUNDIALS
    try_method("ida", 1e-4, 15.0);
#else
    print_message("without SUNDIALS there is no ida\n");
    skip();
#endif
}

/* A thousand times the tolerance, a thousand times the accuracy. */
static void tolerance_is_proportional(void **state)
{
    (void)state;
    density = 200.0;
    for (int i = 1; i < FOLLOWERS; i++) {
        integrate(&followers[i], sine, exact);
        CHECK_BETWEEN(error_of("radau5", &followers[i], sine, 1e-6, 1, exact),
                      0.0, 5.0);
        CHECK_BETWEEN(error_of("radau5", &followers[i], sine, 1e-9, 1, exact),
                      0.0, 5.0);
    }
    density = 50.0;
}

/* ---- time alone ---------------------------------------------------------- */

/* z = a pulse of width 1 in 100, x' = z: nothing tells where it is. */
static yoke_status pulse_eval(void *self, double t, const double *x,
                              const double *u, double *q, double *f,
                              yoke_err *err)
{
    const double *at = self;

    (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) f[0] = -x[1], f[1] = x[1] - exp(-(t - *at) * (t - *at));
    return YOKE_OK;
}

static void pulse_at(const char *method, double at)
{
    static const yoke_system_ops pulse_ops = { .kind = "pulse",
                                               .eval = pulse_eval };
    const yoke_system_info info = { .n = 2 };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yoke_system *system = NULL;
    yk_wave *u = NULL, *y = NULL;
    yoke_err err = { YOKE_OK, "" };
    double y0[2], end[2];

    CHECK_OK(yoke_system_create(&system, "pulse", &pulse_ops, &at, &info, &err),
             &err);
    snprintf(o.method, sizeof o.method, "%s", method);
    o.span = stop;
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&u, 0, &err), &err);
    CHECK_OK(yk_wave_create(&y, 2, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, stop, u, y, &err), &err);
    yk_wave_eval(y, stop, NULL, end);
    CHECK_NEAR(end[0], sqrt(acos(-1.0)), 2e-5);
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
    yoke_system_free(system);
}

static void short_pulses_in_time_are_seen(void **state)
{
    static const char *const methods[] = { "radau5", "trbdf2", "genalpha" };

    (void)state;
    for (int k = 0; k < 3; k++)
        for (double at = 10.0; at < 91.0; at += 7.3) pulse_at(methods[k], at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radau5_follows),
        cmocka_unit_test(trbdf2_follows),
        cmocka_unit_test(genalpha_follows),
        cmocka_unit_test(ida_follows),
        cmocka_unit_test(tolerance_is_proportional),
        cmocka_unit_test(short_pulses_in_time_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
