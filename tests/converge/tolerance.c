/* tests/converge/tolerance.c -- global errors of the adaptive methods over the
 * tolerance.
 *
 * The error is the largest over the whole waveform, between the steps too, in
 * tolerances atol + rtol max |x|.  Each step may make an error of one; a run
 * has more, the more steps it takes and the less the problem forgets.  Ten is
 * what is promised where errors are not amplified by the problem itself;
 * `gain` is what the exact flow does to them at most, measured by a
 * perturbation of the start.
 */
#include "check.h"

#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, SAMPLES = 400 };

typedef struct problem {
    const char *name;
    int n, parts; /* of the step between two samples, for the reference */
    double end, x0[MOST];
    void (*slope)(double t, const double *x, double *xdot);
    void (*exact)(double t, double *x); /* NULL: classical Runge-Kutta */
    yoke_status (*eval)(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err); /* or NULL */
} problem;

/* ---- Problems ------------------------------------------------------------ */

static void decay(double t, const double *x, double *xdot)
{
    (void)t;
    xdot[0] = -x[0] * x[0];
}

static void decay_exact(double t, double *x)
{
    x[0] = 1.0 / (1.0 + t);
}

static void growth(double t, const double *x, double *xdot)
{
    (void)t;
    xdot[0] = x[0];
}

static void growth_exact(double t, double *x)
{
    x[0] = exp(t);
}

static void oscillator(double t, const double *x, double *xdot)
{
    (void)t;
    xdot[0] = x[1];
    xdot[1] = -x[0];
}

static void oscillator_exact(double t, double *x)
{
    x[0] = cos(t);
    x[1] = -sin(t);
}

/* T x' + x = cos w t */
static const double T = 0.5, omega = 3.0;

static void filter(double t, const double *x, double *xdot)
{
    xdot[0] = (cos(omega * t) - x[0]) / T;
}

static void filter_exact(double t, double *x)
{
    const double k = 1.0 / (1.0 + T * T * omega * omega);

    x[0] = k * (cos(omega * t) + T * omega * sin(omega * t)) +
           (1.0 - k) * exp(-t / T);
}

/* A van der Pol oscillator and a filter behind it. */
static void van_der_pol(double t, const double *x, double *xdot)
{
    (void)t;
    xdot[0] = x[1];
    xdot[1] = 5.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    xdot[2] = (x[0] - x[2]) / T;
}

static void pendulum(double t, const double *x, double *xdot)
{
    (void)t;
    xdot[0] = x[1];
    xdot[1] = -9.81 * sin(x[0]);
}

static void predators(double t, const double *x, double *xdot)
{
    (void)t;
    xdot[0] = x[0] * (1.0 - x[1]);
    xdot[1] = x[1] * (x[0] - 1.0);
}

/* Kepler's orbit of eccentricity 1/2, two revolutions. */
static void orbit(double t, const double *x, double *xdot)
{
    const double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);

    (void)t;
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = -x[0] / r3;
    xdot[3] = -x[1] / r3;
}

/* Prothero and Robinson */
static void stiff(double t, const double *x, double *xdot)
{
    xdot[0] = -1e4 * (x[0] - cos(t)) - sin(t);
}

static void stiff_exact(double t, double *x)
{
    x[0] = cos(t);
}

/* x' = z, 0 = g + g^3 with g = z + x^2: index 1 */
static yoke_status index1(void *self, double t, const double *x,
                          const double *u, double *q, double *f, yoke_err *err)
{
    const double g = x[1] + x[0] * x[0];

    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) f[0] = -x[1], f[1] = g + g * g * g;
    return YOKE_OK;
}

static void index1_exact(double t, double *x)
{
    x[0] = 1.0 / (1.0 + t);
    x[1] = -x[0] * x[0];
}

/* C v' + (v - e)/R + v^3 = 0 and an RC low pass, e = sin 5t. */
static yoke_status circuit(void *self, double t, const double *x,
                           const double *u, double *q, double *f, yoke_err *err)
{
    (void)self, (void)u, (void)err;
    if (q) q[0] = x[0] + 0.1 * x[0] * x[0] * x[0], q[1] = 1e-3 * x[1];
    if (f) {
        f[0] = x[0] - sin(5.0 * t) + x[0] * x[0] * x[0];
        f[1] = x[1] - x[0];
    }
    return YOKE_OK;
}

static void circuit_slope(double t, const double *x, double *xdot)
{
    xdot[0] =
        -(x[0] - sin(5.0 * t) + x[0] * x[0] * x[0]) / (1.0 + 0.3 * x[0] * x[0]);
    xdot[1] = 1e3 * (x[0] - x[1]);
}

static const problem list[] = {
    { "x' = -x^2", 1, 1, 4.0, { 1.0 }, decay, decay_exact, NULL },
    { "x' = x", 1, 1, 5.0, { 1.0 }, growth, growth_exact, NULL },
    { "oscillator",
      2,
      1,
      20.0,
      { 1.0, 0.0 },
      oscillator,
      oscillator_exact,
      NULL },
    { "filter", 1, 1, 20.0, { 1.0 }, filter, filter_exact, NULL },
    { "van der Pol, filter",
      3,
      2000,
      20.0,
      { 2.0, 0.0, 0.0 },
      van_der_pol,
      NULL,
      NULL },
    { "pendulum", 2, 400, 5.0, { 2.0, 0.0 }, pendulum, NULL, NULL },
    { "predators", 2, 400, 10.0, { 3.0, 1.0 }, predators, NULL, NULL },
    { "orbit",
      4,
      400,
      12.0,
      { 0.5, 0.0, 0.0, 1.7320508075688772 },
      orbit,
      NULL,
      NULL },
    { "Prothero-Robinson", 1, 1, 5.0, { 1.0 }, stiff, stiff_exact, NULL },
    { "index 1", 2, 1, 4.0, { 1.0, -1.0 }, NULL, index1_exact, index1 },
    { "circuit", 2, 400, 5.0, { 0.0, 0.0 }, circuit_slope, NULL, circuit },
};
enum { PROBLEMS = sizeof list / sizeof *list };

/* ---- Reference ----------------------------------------------------------- */

typedef double table[SAMPLES + 1][MOST];

static void classical(const problem *p, double t, double h, double *x)
{
    double k[4][MOST], z[MOST];

    for (int s = 0; s < 4; s++) {
        const double c = s == 0 ? 0.0 : s == 3 ? 1.0 : 0.5;
        for (int i = 0; i < p->n; i++)
            z[i] = x[i] + (s ? c * h * k[s - 1][i] : 0.0);
        p->slope(t + c * h, z, k[s]);
    }
    for (int i = 0; i < p->n; i++)
        x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

static void reference(const problem *p, const double *x0, table out)
{
    const double step = p->end / SAMPLES, h = step / p->parts;
    double x[MOST];

    memcpy(x, x0, sizeof x);
    for (int k = 0; k <= SAMPLES; k++) {
        memcpy(out[k], x, sizeof x);
        if (p->exact) p->exact(k * step, out[k]);
        for (int i = 0; !p->exact && k < SAMPLES && i < p->parts; i++)
            classical(p, k * step + i * h, h, x);
    }
}

/* ---- Measuring ----------------------------------------------------------- */

static yoke_status rhs(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err)
{
    (void)u, (void)err;
    ((const problem *)self)->slope(t, x, xdot);
    return YOKE_OK;
}

static double measure(const problem *p, const char *method, double rtol,
                      table exact, yoke_work *work)
{
    const yoke_system_ops by_rhs = { .kind = "test", .rhs = rhs },
                          by_eval = { .kind = "test", .eval = p->eval };
    const yoke_system_info info = { .n = p->n, .x0 = p->x0 };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator stepper = { 0 };
    yoke_system *system = NULL;
    yk_wave *y = NULL;
    yoke_err err;
    double x[MOST], most = 0.0;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    CHECK_OK(yoke_system_create(&system, "part", p->eval ? &by_eval : &by_rhs,
                                (void *)p, &info, &err),
             &err);
    CHECK_OK(yk_stepper_create(&stepper, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&y, p->n, &err), &err);
    CHECK_OK(stepper.ops->start(stepper.self, 0.0, NULL, NULL, x, &err), &err);
    CHECK_OK(stepper.ops->sweep(stepper.self, p->end, NULL, y, &err), &err);
    stepper.ops->work(stepper.self, work);
    for (int i = 0; i < p->n; i++) {
        double size = 0.0, error = 0.0;
        for (int k = 0; k <= SAMPLES; k++) {
            yk_wave_eval(y, k * p->end / SAMPLES, NULL, x);
            size = fmax(size, fabs(exact[k][i]));
            error = fmax(error, fabs(x[i] - exact[k][i]));
        }
        most = fmax(most, error / (o.atol + rtol * size));
    }
    stepper.ops->free(stepper.self);
    yk_wave_free(y);
    yoke_system_free(system);
    return most;
}

/* Largest answer of the exact solution to a change of the start, both in parts
 * of the size of each unknown. */
static double gain(const problem *p, table exact)
{
    static const double part = 1e-6;
    static table other;
    double size[MOST] = { 0.0 }, most = 1.0;

    if (p->exact) return 1.0;
    for (int k = 0; k <= SAMPLES; k++)
        for (int i = 0; i < p->n; i++)
            size[i] = fmax(size[i], fabs(exact[k][i]));
    for (int j = 0; j < p->n; j++) {
        double x0[MOST];
        memcpy(x0, p->x0, sizeof x0);
        x0[j] += part * size[j];
        reference(p, x0, other);
        for (int k = 0; k <= SAMPLES; k++)
            for (int i = 0; i < p->n; i++)
                most = fmax(most,
                            fabs(other[k][i] - exact[k][i]) / (part * size[i]));
    }
    return most;
}

static void check_method(const problem *p, const char *method, double bound,
                         table exact)
{
    char line[200] = "";

    for (int digits = 4; digits <= 8; digits++) {
        const double rtol = pow(10.0, -digits);
        yoke_work work;
        const double error = measure(p, method, rtol, exact, &work);
        const size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, " %.2g; %ld |", error,
                 work.steps);
        if (!(error <= bound))
            fail_msg("%s by %s at rtol %.0e: %.3g tolerances, bound %.3g",
                     p->name, method, rtol, error, bound);
    }
    print_message("| %s | %s |%s\n", p->name, method, line);
}

static void errors_are_within_ten_tolerances(void **state)
{
    static const char *const method[] = {
        "radau5",
        "trbdf2",
        "genalpha",
#ifdef YOKE_HAVE_SUNDIALS
        "ida",
#endif
    };
    static table exact;

    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        reference(&list[k], list[k].x0, exact);
        const double bound = 10.0 * gain(&list[k], exact);
        if (bound > 10.0)
            print_message("%s: bound %.3g\n", list[k].name, bound);
        for (size_t m = 0; m < sizeof method / sizeof *method; m++)
            check_method(&list[k], method[m], bound, exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_ten_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
