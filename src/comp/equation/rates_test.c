/* comp/equation/rates_test.c -- models that read derivatives of their inputs.
 */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>

static const char oscillator[] = "model Oscillator\n"
                                 "  parameter Real M = 1, k = 9;\n"
                                 "  input Real F;\n"
                                 "  output Real y(start = 1, fixed = true);\n"
                                 "  output Real bend = max(2*y, y);\n"
                                 "  Real w(start = 0, fixed = true);\n"
                                 "equation\n"
                                 "  der(y) = w;\n"
                                 "  M*der(w) = -k*y - F;\n"
                                 "end Oscillator;\n";

/* A system of oscillator `a` and a model `b`, solved as one or apart. */
static yoke_run *coupled(const char *model, const char *couplings,
                         const char *cluster, yoke_file **file)
{
    char text[1500];
    yoke_err err = { YOKE_OK, "" };

    write_file("a.mo", oscillator);
    write_file("b.mo", model);
    snprintf(text, sizeof text,
             "yoke: 1\n"
             "run: {stop: 2 s, rtol: 1e-8, atol: 1e-8, cluster: %s}\n"
             "subsystems: {a: {model: a.mo}, b: {model: b.mo}}\n"
             "couplings: [signal: \"%s\"]\n",
             cluster, couplings);
    write_file("ab.yoke", text);
    CHECK_OK(yoke_file_read(file, in_scratch("ab.yoke"), NULL, &err), &err);
    return run_file(*file);
}

static void end(yoke_run *run, yoke_file *file)
{
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static const char *const both[] = { "auto", "none" };

/* x = u, m x'' = F: a mass of 2 moves with that of 1. */
static void a_mass_follows_its_neighbour(void **state)
{
    static const char follow[] = "model Follow\n"
                                 "  parameter Real m = 2;\n"
                                 "  input Real u;\n"
                                 "  output Real F;\n"
                                 "  Real x, v;\n"
                                 "equation\n"
                                 "  x = u;\n"
                                 "  der(x) = v;\n"
                                 "  m*der(v) = F;\n"
                                 "end Follow;\n";
    const double y = cos(2.0 * sqrt(3.0));
    (void)state;

    for (int k = 0; k < 2; k++) {
        yoke_file *file = NULL;
        yoke_run *run = coupled(follow, "a.F = b.F; b.u = a.y", both[k], &file);
        CHECK_NEAR(value_of(run, "a.y"), y, 1e-7);
        CHECK_NEAR(value_of(run, "b.F"), -6.0 * y, 1e-6);
        CHECK_NEAR(value_of(run, "b.v"), -sqrt(3.0) * sin(2.0 * sqrt(3.0)),
                   1e-7);
        end(run, file);
    }
}

/* Through a lever, with an offset, and against it: x = 3 + u, u = -2 y + 1. */
static void weights_and_constants_of_signals_count(void **state)
{
    static const char lever[] = "model Lever\n"
                                "  input Real u;\n"
                                "  output Real F;\n"
                                "  Real x, v;\n"
                                "equation\n"
                                "  x - 3 = u;\n"
                                "  der(x) = v;\n"
                                "  0.5*der(v) = F;\n"
                                "end Lever;\n";
    (void)state;
    for (int k = 0; k < 2; k++) {
        yoke_file *file = NULL;
        yoke_run *run =
            coupled(lever, "a.F = -2*b.F; b.u = -2*a.y + 1", both[k], &file);
        CHECK_NEAR(value_of(run, "a.y"), cos(2.0 * sqrt(3.0)), 1e-7);
        CHECK_NEAR(value_of(run, "b.x"), 4.0 - 2.0 * cos(2.0 * sqrt(3.0)),
                   1e-7);
        end(run, file);
    }
}

/* F = c (der(u) + der(u)): a damper twice in another form than a charge. */
static void a_derivative_may_occur_in_any_form(void **state)
{
    static const char damper[] = "model Damper\n"
                                 "  input Real u;\n"
                                 "  output Real F;\n"
                                 "  Real P;\n"
                                 "equation\n"
                                 "  P = der(u)^2;\n"
                                 "  F = der(u)*2;\n"
                                 "end Damper;\n";
    const double d = sqrt(8.0), e = exp(-2.0); /* y'' + 2 y' + 9 y = 0 */
    const double y = e * (cos(2.0 * d) + sin(2.0 * d) / d);
    const double v = -9.0 / d * e * sin(2.0 * d);
    (void)state;

    for (int k = 0; k < 2; k++) {
        yoke_file *file = NULL;
        yoke_run *run = coupled(damper, "a.F = b.F; b.u = a.y", both[k], &file);
        CHECK_NEAR(value_of(run, "a.y"), y, 1e-7);
        CHECK_NEAR(value_of(run, "b.F"), 2.0 * v, 1e-7);
        CHECK_NEAR(value_of(run, "b.P"), v * v, 1e-6);
        end(run, file);
    }
}

/* Nothing but the input is differentiated: no charge that a waveform would have
 * to be differentiated for, also where the input bends. */
static void a_derivative_alone_is_delivered(void **state)
{
    static const char rate[] = "model Rate\n"
                               "  input Real u, w;\n"
                               "  output Real F = 0*u;\n"
                               "  output Real v = der(u);\n"
                               "  output Real b = der(w);\n"
                               "end Rate;\n";
    (void)state;

    for (int k = 0; k < 2; k++) {
        yoke_file *file = NULL;
        yoke_run *run =
            coupled(rate, "a.F = b.F; b.u = a.y; b.w = a.bend", both[k], &file);
        CHECK_NEAR(value_of(run, "b.v"), -3.0 * sin(6.0), 1e-7);
        CHECK_NEAR(value_of(run, "b.b"), -6.0 * sin(6.0), 2e-7);
        end(run, file);
    }
}

/* The length of a thread that runs through a moving eye, u^2 + x^2 = 2. */
static void a_constraint_on_an_input_need_not_be_linear(void **state)
{
    static const char thread[] = "model Thread\n"
                                 "  input Real u;\n"
                                 "  output Real F;\n"
                                 "  Real x(start = 1), v, T;\n"
                                 "equation\n"
                                 "  x^2 + u^2 = 2;\n"
                                 "  der(x) = v;\n"
                                 "  der(v) = -2*x*T;\n"
                                 "  F = 2*u*T;\n"
                                 "end Thread;\n";
    double energy[2];
    (void)state;

    for (int k = 0; k < 2; k++) {
        yoke_file *file = NULL;
        yoke_run *run = coupled(thread, "a.F = b.F; b.u = a.y", both[k], &file);
        const double y = value_of(run, "a.y"), w = value_of(run, "a.w");
        const double x = value_of(run, "b.x"), v = value_of(run, "b.v");
        CHECK_NEAR(x * x + y * y, 2.0, 1e-7);
        CHECK_NEAR(x * v + y * w, 0.0, 1e-7);
        energy[k] = w * w + v * v + 9.0 * y * y;
        CHECK_NEAR(energy[k], 9.0, 1e-6);
        end(run, file);
    }
}

/* Base 1, middle 2, top 0.5 on a lever of 3: 7.5 y'' = -9 y. */
static void derivatives_are_passed_on(void **state)
{
    static const char text[] =
        "yoke: 1\n"
        "run: {stop: 2 s, rtol: 1e-8, atol: 1e-8}\n"
        "subsystems: {a: {model: a.mo}, b: {model: b.mo}, c: {model: c.mo}}\n"
        "couplings: [signal: a.F = b.F; b.u = a.y; c.u = b.z; b.G = 3*c.F]\n";
    static const char middle[] = "model Middle\n"
                                 "  input Real u, G;\n"
                                 "  output Real F, z;\n"
                                 "  Real x, v;\n"
                                 "equation\n"
                                 "  x = u;\n"
                                 "  der(x) = v;\n"
                                 "  2*der(v) = F - G;\n"
                                 "  z = 3*x + 1;\n"
                                 "end Middle;\n";
    static const char top[] = "model Top\n"
                              "  input Real u;\n"
                              "  output Real F;\n"
                              "  Real x, v;\n"
                              "equation\n"
                              "  x = u;\n"
                              "  der(x) = v;\n"
                              "  0.5*der(v) = F;\n"
                              "end Top;\n";
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    write_file("a.mo", oscillator);
    write_file("b.mo", middle);
    write_file("c.mo", top);
    write_file("abc.yoke", text);
    CHECK_OK(yoke_file_read(&file, in_scratch("abc.yoke"), NULL, &err), &err);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "a.y"), cos(2.0 * sqrt(9.0 / 7.5)), 1e-7);
    end(run, file);
}

/* Two masses carried by one neighbour each, as arrays. */
static void arrays_of_inputs_have_derivatives_too(void **state)
{
    static const char pair[] = "model Pair\n"
                               "  input Real u[2];\n"
                               "  output Real F[2];\n"
                               "  Real x[2], v[2];\n"
                               "equation\n"
                               "  x = u;\n"
                               "  der(x) = v;\n"
                               "  2*der(v) = F;\n"
                               "end Pair;\n";
    (void)state;
    for (int k = 0; k < 2; k++) {
        yoke_file *file = NULL;
        yoke_run *run = coupled(pair, "a.F = b.F[1]; b.u[1] = a.y; b.u[2] = 4",
                                both[k], &file);
        CHECK_NEAR(value_of(run, "a.y"), cos(2.0 * sqrt(3.0)), 1e-7);
        CHECK_NEAR(value_of(run, "b.F[2]"), 0.0, 1e-9);
        end(run, file);
    }
}

/* A subsystem that cannot differentiate: one system, and it is said. */
static void without_derivatives_the_two_are_merged(void **state)
{
    static const char text[] =
        "yoke: 1\n"
        "run: {stop: 2 s, rtol: 1e-8, atol: 1e-8}\n"
        "subsystems:\n"
        "  a: {linear: {x: [y, w], u: [F], A: [[0, 1], [-9, 0]],\n"
        "               B: [[0], [-1]], x0: [1, 0]}}\n"
        "  b: {model: b.mo}\n"
        "couplings: [signal: a.F = b.F; b.u = a.y]\n";
    static const char damper[] = "model Damper\n"
                                 "  input Real u;\n"
                                 "  output Real F;\n"
                                 "  Real P = der(u)^2;\n"
                                 "equation\n"
                                 "  F = 2*der(u);\n"
                                 "end Damper;\n";
    const double d = sqrt(8.0);
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    write_file("b.mo", damper);
    write_file("lb.yoke", text);
    CHECK_OK(yoke_file_read(&file, in_scratch("lb.yoke"), NULL, &err), &err);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "a.y"),
               exp(-2.0) * (cos(2.0 * d) + sin(2.0 * d) / d), 1e-7);
    end(run, file);
}

/* x2 = 2 x1 of two masses on springs: (1 + 4*3) x1'' = -(4 + 4*8) x1. */
static void forms(const char *form, const char *cluster)
{
    static const char mass[] = "model Mass\n"
                               "  parameter Real m = 1, k = 4, x0 = 1;\n"
                               "  input Real f;\n"
                               "  output Real x(start = x0, fixed = true);\n"
                               "  Real v(start = 0, fixed = true);\n"
                               "equation\n"
                               "  der(x) = v;\n"
                               "  m*der(v) = -k*x + f;\n"
                               "end Mass;\n";
    const double w = 6.0 / sqrt(13.0), x = cos(2.0 * w);
    char text[1500];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    write_file("mass.mo", mass);
    snprintf(text, sizeof text,
             "yoke: 1\n"
             "run: {stop: 2 s, rtol: 1e-8, atol: 1e-8, cluster: %s}\n"
             "subsystems:\n"
             "  a: {model: mass.mo}\n"
             "  b: {model: mass.mo, parameters: {m: 3, k: 8, x0: 2}}\n"
             "couplings:\n"
             "  - constraint: {name: j, equation: b.x - 2*a.x = 0, %s,\n"
             "      multiplier: lambda, enters: [b.f = -lambda, a.f = "
             "2*lambda]}\n",
             cluster, form);
    write_file("form.yoke", text);
    CHECK_OK(yoke_file_read(&file, in_scratch("form.yoke"), NULL, &err), &err);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "a.x"), x, 1e-7);
    CHECK_NEAR(value_of(run, "j.lambda"), (4.0 - w * w) * x / 2.0, 1e-6);
    end(run, file);
}

static void constraints_on_models_may_be_differentiated(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        forms("form: stabilised, eta: 50 1/s", both[k]);
        forms("form: velocity", both[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_follows_its_neighbour),
        cmocka_unit_test(weights_and_constants_of_signals_count),
        cmocka_unit_test(a_derivative_may_occur_in_any_form),
        cmocka_unit_test(a_derivative_alone_is_delivered),
        cmocka_unit_test(a_constraint_on_an_input_need_not_be_linear),
        cmocka_unit_test(derivatives_are_passed_on),
        cmocka_unit_test(arrays_of_inputs_have_derivatives_too),
        cmocka_unit_test(without_derivatives_the_two_are_merged),
        cmocka_unit_test(constraints_on_models_may_be_differentiated),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
