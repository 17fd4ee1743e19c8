/* file/component_test.c -- components in system files. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include "file/formula.h"

#define HEAD "yoke: 1\nrun: {stop: 1, window: 0.1, rtol: 1e-9, atol: 1e-11}\n"

/* Two masses, one pushed by the other's spring; compared with the same system
 * as matrices. */
static void masses_and_springs_are_what_their_matrices_are(void **state)
{
    yoke_file *file = parse(
        HEAD "subsystems:\n"
             "  m:\n"
             "    component: mechanism\n"
             "    parameters: {k: 30 N/m}\n"
             "    masses:\n"
             "      a: {mass: 2 kg, start: 10 cm, velocity: -1 m/s}\n"
             "      b: {mass: 500 g, force: 3*sin(2*time)}\n"
             "      c: 1 kg\n"
             "    springs:\n"
             "      - {between: [ground, a], stiffness: 2*k}\n"
             "      - {between: [a, b], stiffness: k, damping: 0.4 N.s/m}\n"
             "      - {between: [b, c], stiffness: k, length: 0.2 m}\n"
             "  l:\n"
             "    linear:\n"
             "      A: [[0,0,0,1,0,0], [0,0,0,0,1,0], [0,0,0,0,0,1],\n"
             "          [-45,15,0,-0.2,0.2,0], [60,-120,60,0.8,-0.8,0],\n"
             "          [0,30,-30,0,0,0]]\n"
             "      x0: [0.1, 0, 0, -1, 0, 0]\n"
             "      source: [0, 0, 0, 0, 6*sin(2*time) - 12, 6]\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "m.a"), value_of(run, "l.x1"), 1e-7);
    CHECK_NEAR(value_of(run, "m.b"), value_of(run, "l.x2"), 1e-7);
    CHECK_NEAR(value_of(run, "m.c"), value_of(run, "l.x3"), 1e-7);
    CHECK_NEAR(value_of(run, "m.b.v"), value_of(run, "l.x5"), 1e-6);
    CHECK_NEAR(value_of(run, "m.a.a"),
               -45.0 * value_of(run, "l.x1") + 15.0 * value_of(run, "l.x2") -
                   0.2 * value_of(run, "l.x4") + 0.2 * value_of(run, "l.x5"),
               1e-5);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* x = 0.1 sin 3t is forced on a mass of 2 kg: lambda = -m x''. */
static void driven_constraint_of_a_mechanism(void **state)
{
    yoke_file *file = parse(HEAD "subsystems:\n"
                                 "  m:\n"
                                 "    component: mechanism\n"
                                 "    masses: {a: {mass: 2, velocity: 0.3}}\n"
                                 "    constraints:\n"
                                 "      - {name: motor, equation: a = "
                                 "0.1*sin(3*time)}\n"
                                 "    formulation: stabilised\n"
                                 "    eta: 10 1/s\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "m.a"), 0.1 * sin(3.0), 1e-8);
    CHECK_NEAR(value_of(run, "m.lambda.motor"), 1.8 * sin(3.0), 1e-6);
    CHECK_NEAR(value_of(run, "m.drift.motor"), 0.0, 1e-8);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

#define TWO                                                                    \
    "subsystems:\n"                                                            \
    "  a: {component: mechanism, masses: {x: {mass: 1, velocity: 1}}, "        \
    "inputs: x}\n"                                                             \
    "  b: {component: mechanism, masses: {x: {mass: 3}}, inputs: [x]}\n"       \
    "couplings:\n"                                                             \
    "  - constraint: {name: j, multiplier: f, owner: a,\n"                     \
    "                 enters: [a.x.force = -f, b.x.force = f],\n"

/* a.x - b.x = sin t: with a.x + 3 b.x = t,  a.x = (t + 3 sin t)/4 and the force
 * is 3 b.x'' = 3/4 sin t. */
static void driven_constraint_between_mechanisms(void **state)
{
    yoke_file *file =
        parse(HEAD TWO "                 equation: a.x - b.x = sin(time),\n"
                       "                 form: stabilised, eta: 10 1/s}\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "a.x"), 0.25 * (1.0 + 3.0 * sin(1.0)), 1e-6);
    CHECK_NEAR(value_of(run, "b.x"), 0.25 * (1.0 - sin(1.0)), 1e-6);
    CHECK_NEAR(value_of(run, "j.f"), 0.75 * sin(1.0), 1e-5);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void force_on_a_string_makes_a_wave(void **state)
{
    yoke_file *file =
        parse("yoke: 1\nrun: {stop: 0.09, window: 0.09}\n"
              "subsystems:\n"
              "  w:\n"
              "    component: wires\n"
              "    span: 10 m\n"
              "    nodes: 99\n"
              "    wires: {s: {density: 1 kg/m, tension: 10 kN, damping: 0}}\n"
              "    contacts: {p: {wire: s, start: 5 m, width: 0.2 m}}\n"
              "    stepper: stormer\n"
              "    step: 0.1 ms\n"
              "  f: {linear: {A: 0, x0: 100}}\n"
              "couplings: [{signal: w.p.force = f.x1}]\n");
    (void)state;
    yoke_run *run = run_file(file);
    /* Force F at the middle, suddenly: w = F (t - |x|/c) / (2 rho c) with c =
     * 100 m/s before the waves come back.  The kernel acts twice, as a normal
     * distribution with the deviation of its width: |x| is 0.16 m. */
    const double late = 0.2 * sqrt(4.0 / two_pi) / 100.0;
    CHECK_NEAR(value_of(run, "w.p"), 100.0 * (0.09 - late) / (2.0 * 100.0),
               1e-4);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void refusals_name_the_place(void **state)
{
    (void)state;
    refused(HEAD "subsystems:\n  m: {component: wire}\n", "f:4:18: ",
            "there is no component \"wire\"; did you mean \"wires\"?");
    refused(HEAD "subsystems:\n  m: {component: wires, span: 1, knots: 3}\n",
            "f:4:", "there is no key \"knots\" here");
    refused(HEAD "subsystems:\n  m: {component: wires, span: 1}\n",
            "f:4:", "\"nodes\" is missing in \"m\"");
    refused(HEAD "subsystems:\n  m: {component: wires, span: 1, nodes: 2.5, "
                 "wires: {a: {density: 1, tension: 1}}}\n",
            "f:4:41: ", "2.5 is not a number of nodes");
    refused(HEAD "subsystems:\n  m: {component: wires, span: 1, nodes: 9, "
                 "wires: {a: {density: 1, tension: 1}}, "
                 "contacts: {p: {wire: b, start: 0.5, width: 0.1}}}\n",
            "f:4:", "there is no \"b\" in \"wires\"");
    refused(HEAD "subsystems:\n  m: {component: mechanism}\n",
            "f:4:", "\"masses\" is missing in \"m\"");
    refused(HEAD "subsystems:\n  m: {component: mechanism, masses: {a: 0}}\n",
            "f:4:3: ", "the mass of coordinate \"a\" is 0");
    refused(HEAD "subsystems:\n  m: {component: mechanism, masses: {a: 1}, "
                 "springs: [{between: [a, b], stiffness: 1}]}\n",
            "f:4:", "there is no \"b\" in \"masses\"");
    refused(HEAD "subsystems:\n  m: {component: mechanism, masses: {a: {mass: "
                 "1, force: 2*x*time}}}\n",
            "f:4:", "\"x\" in a force is neither a number nor the time");
    refused(HEAD "subsystems:\n  m: {component: mechanism, masses: {a: 1, b: "
                 "1}, constraints: [{name: r, equation: a*b = 1}]}\n",
            "f:4:", "the equation is not linear");
    refused(HEAD "subsystems:\n  m: {component: mechanism, masses: {a: 1, b: "
                 "1}, constraints: [{name: r, equation: a = b}, "
                 "{name: s, equation: 2*a = 2*b}]}\n",
            "f:4:3: ", "\"r\" and \"s\" are redundant");
    refused(HEAD "subsystems:\n  m: {component: mechanism, masses: {a: 1}, "
                 "formulation: index3}\n",
            "f:4:", "there is no formulation \"index3\"");
}

static void refusals_of_forms(void **state)
{
    (void)state;
    refused(HEAD TWO "                 equation: a.x = b.x, form: stable}\n",
            "f:9:45: ", "there is no form \"stable\"");
    refused(HEAD TWO
            "                 equation: a.x = b.x, form: stabilised}\n",
            "f:9:45: ", "needs \"eta\"");
    refused(HEAD TWO "                 equation: a.x = b.x, eta: 3}\n",
            "f:9:44: ", "\"eta\" is for \"form: velocity\" and");
    refused(HEAD TWO
            "                 equation: a.x^2 = b.x, form: velocity}\n",
            "f:9:28: ", "only a linear constraint");
    refused(HEAD TWO
            "                 equation: a.x.a = b.x.a, form: velocity}\n",
            "f:7:49: ", "reads velocities and accelerations");
}

/* ---- derivatives of formulas --------------------------------------------- */

/* Against differences in long steps of a smooth function. */
static void check_rates(const char *text)
{
    const double t = 0.37, d = 1e-3;
    double value[3], rate[200] = { 0 };
    yk_formula f = { 0 };
    yoke_err err = { YOKE_OK, "" };
    size_t at = 0;
    int root = 0;

    CHECK_OK(yk_formula_expression(&f, text, &at, &root, &err), &err);
    assert_true(f.program.steps < 100);
    for (int k = -1; k <= 1; k++) {
        yk_formula_eval(&f, t + k * d, NULL);
        value[k + 1] = f.value[root];
    }
    yk_formula_rates(&f, t, NULL, rate);
    CHECK_NEAR(f.value[root], value[1], 1e-15 * (1.0 + fabs(value[1])));
    CHECK_NEAR(rate[2 * root], (value[2] - value[0]) / (2.0 * d), 2e-4);
    CHECK_NEAR(rate[2 * root + 1],
               (value[2] - 2.0 * value[1] + value[0]) / (d * d), 2e-4);
    yk_formula_clear(&f);
}

static void formulas_are_differentiated_by_time(void **state)
{
    (void)state;
    check_rates("1 + 2*time - 3*time^2");
    check_rates("sin(3*time)*cos(time)/(1 + time)");
    check_rates("-exp(-time)*log(1 + time) + log10(2 + time)");
    check_rates("sqrt(time) + tan(time) + tanh(2*time)");
    check_rates("asin(time/2) - acos(time/2)*atan(time)");
    check_rates("sinh(time) + cosh(time) + abs(time - 2)");
    check_rates("atan2(sin(time), 2 + time) + min(time, 1) + max(time^2, -1)");
    check_rates("(1 + time)^time + pow(time, 3) + time^1 + sign(time)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_and_springs_are_what_their_matrices_are),
        cmocka_unit_test(driven_constraint_of_a_mechanism),
        cmocka_unit_test(driven_constraint_between_mechanisms),
        cmocka_unit_test(force_on_a_string_makes_a_wave),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(refusals_of_forms),
        cmocka_unit_test(formulas_are_differentiated_by_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
