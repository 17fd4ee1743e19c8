/* comp/ph/read_test.c -- port-Hamiltonian subsystems in system files: the split
 * schemes agree with the whole, what is not permitted is refused by name. */
#define _POSIX_C_SOURCE 200809L
#include "file/file_fixture.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define HEAD "yoke: 1\n"
#define PARTS                                                                  \
    "subsystems:\n"                                                            \
    "  a:\n"                                                                   \
    "    component: port-hamiltonian\n"                                        \
    "    parameters: {r: 0.5}\n"                                               \
    "    x: [p, q, d]\n"                                                       \
    "    J: [[0, -1, -1], [1, 0, 0], [1, 0, 0]]\n"                             \
    "    R: [r, 0, 0]\n"                                                       \
    "    Q: [0.5, 2, 4]\n"                                                     \
    "    B: [0, 0, -1]\n"                                                      \
    "  b:\n"                                                                   \
    "    component: port-hamiltonian\n"                                        \
    "    J: [[0, -1], [1, 0]]\n"                                               \
    "    R: [0.75, 0]\n"                                                       \
    "    Q: [0.5, 2]\n"                                                        \
    "    B: [1, 0]\n"                                                          \
    "    x0: [0.1, 0]\n"
#define LINKS                                                                  \
    "couplings:\n"                                                             \
    "- signal: a.u1 = b.y1\n"                                                  \
    "- signal: b.u1 = -a.y1\n"

static double simulate(const char *run, const char *rest, yoke_power *power,
                       yoke_run_result *result)
{
    char text[3000];
    yoke_file *file = NULL;
    yoke_run *go = NULL;
    yoke_err err = { YOKE_OK, "" };
    double value = NAN;

    snprintf(text, sizeof text, HEAD "run: {%s}\n%s", run, rest);
    CHECK_OK(yoke_file_parse(&file, "ph.yaml", text, strlen(text), NULL, &err),
             &err);
    CHECK_OK(yoke_run_create(&go, yoke_file_model(file),
                             yoke_file_run_options(file), NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(go, 1e300, &err), &err);
    yoke_run_summary(go, result);
    assert_true(result->converged);
    yoke_run_power(go, power);
    CHECK_OK(yoke_run_value(go, "b.x1", &value, &err), &err);
    CHECK_OK(yoke_run_close(go, &err), &err);
    yoke_file_free(file);
    return value;
}

static void schemes_agree(void **state)
{
    static const char *const run[] = {
        "stop: 2, scheme: port-waves, step: 1e-3, rtol: 1e-9",
        "stop: 2, scheme: port-waves, step: 1e-3, rtol: 1e-9, waves: gmres",
        "stop: 2, scheme: port-waves, step: 1e-3, rtol: 1e-9, waves: direct",
        "stop: 2, scheme: port-waves, step: 1e-3, rtol: 1e-9, window: 2",
        "stop: 2, scheme: port-waves, step: 1e-3, rtol: 1e-9, wave_order: "
        "jacobi, stepper: radau3",
        "stop: 2, scheme: port-waves, step: 2e-5, rtol: 1e-9, stepper: "
        "implicit-euler",
        "stop: 2, scheme: lions-mercier, step: 1e-3, rtol: 1e-9",
        "stop: 2, scheme: lions-mercier, step: 1e-3, rtol: 1e-6, lambda: 0.6, "
        "mu: 2, alpha: 0.5, window: 1, max_sweeps: 300",
        "stop: 2, scheme: gauss-seidel, rtol: 1e-9",
        "stop: 2, scheme: jacobi, rtol: 1e-9, cluster: none",
    };
    yoke_power power;
    yoke_run_result r;

    (void)state;
    const double exact = simulate("stop: 2, scheme: monolithic, rtol: 1e-11",
                                  PARTS LINKS, &power, &r);
    CHECK_NEAR(power.begun, 0.0025, 1e-15);
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        const double value = simulate(run[k], PARTS LINKS, &power, &r);
        CHECK_NEAR(value, exact, k == 5 ? 1e-6 : 1e-7);
        CHECK_NEAR(power.begun, 0.0025, 1e-15);
        CHECK_NEAR(power.defect, 0.0, k == 5 ? 1e-6 : 1e-9);
        CHECK_NEAR(power.stored + power.dissipated, power.begun,
                   k == 5 ? 1e-6 : 1e-9);
        if (!power.split || k == 1 || k == 2) continue;
        CHECK_BETWEEN(power.worst, 1, power.guaranteed);
        CHECK_BETWEEN(power.rate, 0, power.q * (1 + 1e-6));
    }
}

/* J_12 as a block is the same coupling. */
static void blocks_are_couplings(void **state)
{
    static const char blocks[] =
        "couplings:\n"
        "- blocks: {rows: a, columns: b, J: [[0, 0], [0, 0], [-1, 0]]}\n";
    yoke_power power;
    yoke_run_result r;
    char parts[] = PARTS;

    (void)state;
    const double signals = simulate("stop: 2, scheme: port-waves, step: 1e-3",
                                    PARTS LINKS, &power, &r);
    /* without the ports of B */
    for (char *at; (at = strstr(parts, "    B: ["));)
        memmove(at, strchr(at, '\n') + 1, strlen(strchr(at, '\n') + 1) + 1);
    char text[3000];
    snprintf(text, sizeof text, "%s%s", parts, blocks);
    const double value =
        simulate("stop: 2, scheme: port-waves, step: 1e-3", text, &power, &r);
    CHECK_NEAR(value, signals, 1e-12);
    assert_int_equal(power.blocks, 2);
}

/* Another kind of subsystem drives one of them. */
static void others_may_be_coupled(void **state)
{
    static const char more[] = "  c: {linear: {A: -1, x0: 1}}\n"
                               "couplings:\n"
                               "- signal: a.u1 = b.y1\n"
                               "- signal: b.u1 = -a.y1 + c.x1\n";
    yoke_power power;
    yoke_run_result r;
    char text[3000];

    (void)state;
    snprintf(text, sizeof text, "%s%s", PARTS, more);
    const double exact =
        simulate("stop: 2, scheme: monolithic, rtol: 1e-10", text, &power, &r);
    const double value =
        simulate("stop: 2, scheme: port-waves, step: 1e-3, rtol: 1e-8", text,
                 &power, &r);
    CHECK_NEAR(value, exact, 1e-6);
    CHECK_NEAR(power.stored + power.dissipated - power.supplied - power.begun,
               0.0, 1e-7);
}

/* A delayed signal comes from outside, also between two of them. */
static void signals_may_be_delayed(void **state)
{
    static const char more[] = "couplings:\n"
                               "- signal: a.u1 = b.y1\n"
                               "- signal: b.u1 = -a.y1\n"
                               "- {signal: a.u2 = 0.5*b.y1, delay: 0.2}\n";
    yoke_power power;
    yoke_run_result r;
    char parts[] = PARTS;
    char text[3000];

    (void)state;
    char *B = strstr(parts, "B: [0, 0, -1]");
    assert_non_null(B);
    *B = '\0';
    snprintf(text, sizeof text, "%sB: [[0, 1], [0, 0], [-1, 0]]%s%s", parts,
             B + strlen("B: [0, 0, -1]"), more);
    const double exact =
        simulate("stop: 1, scheme: monolithic, rtol: 1e-9", text, &power, &r);
    const double value =
        simulate("stop: 1, scheme: port-waves, step: 1e-3, rtol: 1e-8", text,
                 &power, &r);
    CHECK_NEAR(value, exact, 1e-6);
    assert_int_equal(power.pairs, 1);
}

/* Linear subsystems that have the form without saying so: a capacitor with a
 * leak at each end of an inductor. */
static void the_form_is_found(void **state)
{
    static const char parts[] =
        "subsystems:\n"
        "  a: {linear: {E: 0.5, A: -0.3, B: 1, H: 1, x: [v], x0: 1}}\n"
        "  l: {linear: {E: 0.1, A: 0, B: [[1, -1]], H: [[1], [-1]], x: [i]}}\n"
        "  b: {linear: {E: -0.2, A: 0.7, B: -1, H: 1, x: [x1]}}\n"
        "couplings:\n"
        "- signal: l.u1 = a.y1; l.u2 = b.y1\n"
        "- signal: a.u1 = -l.y1; b.u1 = -l.y2\n";
    yoke_power power;
    yoke_run_result r;

    (void)state;
    const double exact =
        simulate("stop: 2, scheme: monolithic, rtol: 1e-10", parts, &power, &r);
    assert_false(power.split);
    const double value = simulate(
        "stop: 2, scheme: port-waves, step: 1e-3, rtol: 1e-9, stepper: radau3",
        parts, &power, &r);
    CHECK_NEAR(value, exact, 1e-6);
    assert_true(power.split);
    assert_int_equal(power.blocks, 3);
    assert_int_equal(power.pairs, 2);
    CHECK_NEAR(power.begun, 0.25, 1e-15);
    CHECK_BETWEEN(power.worst, 1, power.guaranteed);
}

/* Masses, springs and dampers: the same motion as by positions. */
static void mechanisms_have_the_form(void **state)
{
    static const char energy[] =
        "subsystems:\n"
        "  a:\n"
        "    component: mechanism\n"
        "    masses: {one: {mass: 2, start: 0.1}, two: {mass: 1, velocity: "
        "0.5, "
        "force: sin(time)}}\n"
        "    springs:\n"
        "    - {between: [ground, one], stiffness: 3, damping: 0.2}\n"
        "    - {between: [one, two], stiffness: 5, length: 0.02}\n"
        "    - {between: [two, ground], damping: 0.4}\n"
        "    inputs: [two]\n"
        "    formulation: port-hamiltonian\n"
        "  s: {component: port-hamiltonian, Q: 7, B: [[1, -1]]}\n"
        "  b:\n"
        "    component: mechanism\n"
        "    masses: {x1: {mass: 3, velocity: -0.2}}\n"
        "    inputs: [x1]\n"
        "    formulation: port-hamiltonian\n"
        "couplings:\n"
        "- signal: s.u1 = a.two.v; s.u2 = b.x1.v\n"
        "- signal: a.two.force = -s.y1; b.x1.force = -s.y2\n";
    static const char positions[] =
        "subsystems:\n"
        "  b:\n"
        "    component: mechanism\n"
        "    masses: {one: {mass: 2, start: 0.1}, two: {mass: 1, velocity: "
        "0.5, "
        "force: sin(time)}, three: {mass: 3, velocity: -0.2}}\n"
        "    springs:\n"
        "    - {between: [ground, one], stiffness: 3, damping: 0.2}\n"
        "    - {between: [one, two], stiffness: 5, length: 0.02}\n"
        "    - {between: [two, ground], damping: 0.4}\n"
        "    - {between: [three, two], stiffness: 7}\n";
    char text[3000];
    yoke_power power;
    yoke_run_result r;
    yoke_file *file = NULL;
    yoke_run *go = NULL;
    yoke_err err = { YOKE_OK, "" };
    double value[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, HEAD "run: {%s}\n%s",
                 k == 0 ? "stop: 3, scheme: port-waves, step: 1e-3, rtol: 1e-9"
                        : "stop: 3, rtol: 1e-10",
                 k == 0 ? energy : positions);
        CHECK_OK(
            yoke_file_parse(&file, "m.yaml", text, strlen(text), NULL, &err),
            &err);
        CHECK_OK(yoke_run_create(&go, yoke_file_model(file),
                                 yoke_file_run_options(file), NULL, &err),
                 &err);
        CHECK_OK(yoke_run_advance(go, 1e300, &err), &err);
        yoke_run_summary(go, &r);
        assert_true(r.converged);
        CHECK_OK(yoke_run_value(go, k == 0 ? "b.x1.p" : "b.three.v", &value[k],
                                &err),
                 &err);
        if (k == 0) {
            assert_true(yoke_run_power(go, &power));
            CHECK_NEAR(power.begun,
                       0.5 * (0.25 + 3 * 0.04 + 3 * 0.01 + 5 * 0.12 * 0.12),
                       1e-12);
            CHECK_NEAR(power.defect, 0.0, 1e-8);
        }
        CHECK_OK(yoke_run_close(go, &err), &err);
        yoke_file_free(file);
    }
    /* s begins at zero: both ends are at 0 there */
    CHECK_NEAR(value[0] / 3.0, value[1], 1e-6);
}

/* Halves of a circuit as netlists, with the inductor between them. */
static void netlists_have_the_form(void **state)
{
    static const char *const name[] = { "left.cir", "right.cir" };
    static const char *const text[] = {
        "left\ni1 0 1 sin(0 1 50)\nr1 1 2 0.5\nc1 2 0 5e-4\nr2 2 3 0.5\n"
        "r3 3 0 0.5\nl1 3 6 1m\nr6 6 0 1\n",
        "right\nr4 4 5 0.5\nc2 5 0 5e-4\nr5 5 0 5\n"
    };
    static const char system[] =
        "yoke: 1\n"
        "run: {stop: 20 ms, scheme: port-waves, step: 5 us, rtol: 1e-8}\n"
        "subsystems:\n"
        "  left: {netlist: left.cir, ports: [\"3\"], outputs: [v(3), i(l1)]}\n"
        "  right: {netlist: right.cir, ports: [\"4\"]}\n"
        "  coil: {component: port-hamiltonian, E: 20 mH, B: [[1, -1]]}\n"
        "couplings:\n"
        "- signal: coil.u1 = left.v(3); coil.u2 = right.v(4)\n"
        "- signal: left.into(3) = -coil.y1; right.into(4) = -coil.y2\n";
    char folder[] = "/tmp/yoke_ph_XXXXXX", path[100];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    double value[2] = { NAN, NAN };

    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[k]);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(text[k], f);
        fclose(f);
    }
    snprintf(path, sizeof path, "%s/system.yaml", folder);
    CHECK_OK(yoke_file_parse(&file, path, system, strlen(system), NULL, &err),
             &err);
    for (int k = 0; k < 2; k++) {
        yoke_run_options o = *yoke_file_run_options(file);
        yoke_run *go = NULL;
        yoke_power power;
        if (k == 1) o.scheme = YOKE_MONOLITHIC;
        CHECK_OK(yoke_run_create(&go, yoke_file_model(file), &o, NULL, &err),
                 &err);
        CHECK_OK(yoke_run_advance(go, 1e300, &err), &err);
        CHECK_OK(yoke_run_value(go, "right.v(5)", &value[k], &err), &err);
        assert_true(yoke_run_power(go, &power));
        assert_int_equal(power.blocks, 3);
        CHECK_NEAR(power.defect / power.supplied, 0.0, 1e-5);
        CHECK_OK(yoke_run_close(go, &err), &err);
    }
    CHECK_NEAR(value[0], value[1], 1e-6);
    yoke_file_free(file);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[k]);
        unlink(path);
    }
    rmdir(folder);
}

/* A strong coupling over long windows with few sweeps: the iteration fails and
 * the run goes on with port waves. */
static void failures_go_on_with_waves(void **state)
{
    static const char parts[] =
        "subsystems:\n"
        "  a: {component: port-hamiltonian, R: 0.01, B: 1, x0: 1, stepper: "
        "trapezoidal, step: 1e-3}\n"
        "  b: {component: port-hamiltonian, R: 0.01, B: 1, x0: 1, stepper: "
        "trapezoidal, step: 1e-3}\n"
        "couplings:\n"
        "- signal: a.u1 = 60*b.y1; b.u1 = -60*a.y1\n";
    yoke_power power;
    yoke_run_result r;

    (void)state;
    const double value =
        simulate("stop: 1, window: 0.5, max_sweeps: 6, rtol: 1e-7, order: [a, "
                 "b]",
                 parts, &power, &r);
    /* the midpoint rule has the values of the trapezoidal rule */
    const double whole =
        simulate("stop: 1, window: 0.5, scheme: monolithic", parts, &power, &r);
    CHECK_NEAR(value, whole, 1e-6);
    simulate("stop: 1, window: 0.5, max_sweeps: 6, rtol: 1e-7, order: [a, b]",
             parts, &power, &r);
    assert_true(power.split);
    CHECK_NEAR(power.begun - power.dissipated, power.stored, 1e-7); /* rtol */
    CHECK_CONTAINS(r.text, "iterated by port waves");
}

/* The same, but power is not conserved: then they are solved as one. */
static void others_are_solved_as_one(void **state)
{
    static const char parts[] =
        "subsystems:\n"
        "  a: {component: port-hamiltonian, R: 70, B: 1, x0: 1, stepper: "
        "bdf2, step: 1e-3}\n"
        "  b: {component: port-hamiltonian, R: 70, B: 1, x0: 1, stepper: "
        "bdf2, step: 1e-3}\n"
        "couplings:\n"
        "- signal: a.u1 = 60*b.y1; b.u1 = 60*a.y1\n";
    yoke_power power;
    yoke_run_result r;

    (void)state;
    const double value =
        simulate("stop: 0.5, window: 0.25, max_sweeps: 2, rtol: 1e-7, order: "
                 "[a, b], extrapolate: 0",
                 parts, &power, &r);
    CHECK_NEAR(value, exp(-5.0), 1e-4);
    assert_false(power.split);
    assert_non_null(strstr(r.text, "as one"));
}

static void refuse(const char *run, const char *rest, const char *why)
{
    char text[3000];
    yoke_file *file = NULL;
    yoke_run *go = NULL;
    yoke_err err = { YOKE_OK, "" };

    snprintf(text, sizeof text, HEAD "run: {%s}\n%s", run, rest);
    yoke_status status =
        yoke_file_parse(&file, "ph.yaml", text, strlen(text), NULL, &err);
    if (status == YOKE_OK)
        status = yoke_run_create(&go, yoke_file_model(file),
                                 yoke_file_run_options(file), NULL, &err);
    if (status == YOKE_OK) status = yoke_run_advance(go, 1e300, &err);
    assert_true(status != YOKE_OK);
    CHECK_CONTAINS(err.text, why);
    yoke_run_close(go, NULL);
    yoke_file_free(file);
}

static void refusals(void **state)
{
    (void)state;
    refuse("stop: 2, scheme: port-waves", PARTS LINKS, "need a step > 0");
    refuse("stop: 0, scheme: port-waves, step: 1e-3", PARTS LINKS,
           "stop = 0 is not after start = 0");
    refuse("stop: 2, scheme: lions-mercier, step: 1e-3, lambda: -1",
           PARTS LINKS, "lambda");
    refuse("stop: 2, scheme: lions-mercier, step: 1e-3, mu: 3, omega: 2",
           PARTS LINKS, "permitted: 0 <= mu <= omega");
    refuse("stop: 2, scheme: port-waves, step: 0.1, mu: 30", PARTS LINKS,
           "monotone only for mu h < 2");
    refuse("stop: 2, scheme: port-waves, step: 1e-3, stepper: rk4", PARTS LINKS,
           "implicit-midpoint implicit-euler radau3");
    refuse("stop: 2, mu: 1", PARTS LINKS, "are for the schemes port-waves");
    refuse("stop: 2, scheme: port-waves, step: 1e-3",
           PARTS "couplings:\n"
                 "- signal: a.u1 = b.y1\n"
                 "- signal: b.u1 = a.y1\n",
           "does not conserve power: a.u1 has 1 times b.y1, so b.u1 must have "
           "-1 times a.y1, but has 1");
    refuse("stop: 2, scheme: port-waves, step: 1e-3",
           "subsystems: {a: {linear: {A: -1}}}\n",
           "no subsystem is port-Hamiltonian");
    refuse("stop: 1",
           "subsystems: {a: {component: port-hamiltonian, J: [[0, 1], [1, "
           "0]]}}\n",
           "ph.yaml:3:14: port-Hamiltonian system \"a\": J is not "
           "skew-symmetric");
    refuse("stop: 1",
           "subsystems: {a: {component: port-hamiltonian, J: [[0, 1]]}}\n",
           "\"J\" is 1 by 2; it must be square");
    refuse("stop: 1",
           "subsystems: {a: {component: port-hamiltonian, R: [1, 2], Q: [1, 1, "
           "1]}}\n",
           "\"Q\" has 3 rows, but there are 2 unknowns");
    refuse("stop: 1",
           "subsystems: {a: {component: port-hamiltonian, J: no.mtx}}\n",
           "no.mtx");
    /* nothing determines x1 */
    refuse("stop: 1, scheme: port-waves, step: 1e-3, given: true",
           "subsystems: {a: {component: port-hamiltonian, E: [0, 1], R: [0, "
           "1]}}\n",
           "x1");
}

/* Index 2: a constraint on the states that x0 does not meet. */
static void inconsistent_values(void **state)
{
    (void)state;
    refuse("stop: 1, scheme: port-waves, step: 1e-3, given: true",
           "subsystems: {a: {component: port-hamiltonian, E: [1, 0], J: [[0, "
           "1], [-1, 0]], x0: [1, 0]}}\n",
           "no solution begins at the initial values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_agree),
        cmocka_unit_test(blocks_are_couplings),
        cmocka_unit_test(others_may_be_coupled),
        cmocka_unit_test(signals_may_be_delayed),
        cmocka_unit_test(the_form_is_found),
        cmocka_unit_test(mechanisms_have_the_form),
        cmocka_unit_test(netlists_have_the_form),
        cmocka_unit_test(failures_go_on_with_waves),
        cmocka_unit_test(others_are_solved_as_one),
        cmocka_unit_test(refusals),
        cmocka_unit_test(inconsistent_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
