/* run/one_sweep_steppers_test.c -- windows that take one sweep with every stepper
 * whose steps can be corrected: with breakpoints, delays and events too. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

typedef struct outcome {
    double x, y;
    double windows, sweeps;
} outcome;

static outcome run_text(const char *text, const char *x, const char *y)
{
    yoke_file *file = NULL;
    yoke_run_result r;
    yoke_err err = { YOKE_OK, "" };
    outcome out;

    write_file("system.yaml", text);
    CHECK_OK(yoke_file_read(&file, in_scratch("system.yaml"), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    yoke_run_summary(run, &r);
    out.windows = (double)r.iterate.windows;
    out.sweeps = (double)r.iterate.sweeps;
    out.x = value_of(run, x);
    out.y = value_of(run, y);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return out;
}

/* Two masses, both with the same stepper. */
static outcome masses(const char *run, const char *stepper)
{
    char text[1000];

    snprintf(text, sizeof text,
             "yoke: 1\n"
             "run: {stop: 1 s, %s}\n"
             "subsystems:\n"
             "  left: {" MASS "1}, %s}\n"
             "  right: {" MASS "0}, %s}\n"
             "couplings:\n"
             "  - signal: left.other = right.x\n"
             "  - signal: right.other = left.x\n",
             run, stepper, stepper);
    return run_text(text, "left.x", "right.x");
}

/* Fixed steps: one sweep makes what the whole makes with them. */
static void fixed_steps_are_those_of_the_whole(void **state)
{
    static const char *const stepper[] = {
        "stepper: implicit-euler, step: 5 ms",
        "stepper: trapezoidal, step: 5 ms"
    };
    (void)state;
    for (int k = 0; k < 2; k++) {
        const outcome a = masses("rtol: 1e-10, atol: 1e-12, window: 50 ms, "
                                 "cluster: none",
                                 stepper[k]);
        const outcome b = masses("rtol: 1e-10, atol: 1e-12, window: 50 ms, "
                                 "scheme: monolithic",
                                 stepper[k]);
        CHECK_NEAR(a.sweeps, a.windows, 0.0);
        CHECK_NEAR(a.x, b.x, 1e-10);
        CHECK_NEAR(a.y, b.y, 1e-10);
        assert_true(fabs(a.x - exact_left(1.0)) > 1e-6);
    }
}

/* Backward differentiation: the first window begins with steps of Radau, whose
 * inputs are interpolated, and is repeated.  From then on the same is true. */
static void a_past_is_corrected_too(void **state)
{
    char stepper[60];
    (void)state;
    for (int order = 1; order <= 6; order++) {
        snprintf(stepper, sizeof stepper, "stepper: bdf%d, step: 5 ms", order);
        const outcome a = masses("rtol: 1e-10, atol: 1e-12, window: 50 ms, "
                                 "cluster: none",
                                 stepper);
        const outcome b = masses("rtol: 1e-10, atol: 1e-12, window: 50 ms, "
                                 "scheme: monolithic",
                                 stepper);
        CHECK_NEAR(a.windows, 20.0, 0.0);
        assert_true(a.sweeps <= a.windows + (order > 1 ? 8.0 : 0.0));
        CHECK_NEAR(a.x, b.x, order > 1 ? 2e-7 : 1e-10);
        CHECK_NEAR(a.y, b.y, order > 1 ? 2e-7 : 1e-10);
    }
}

/* A pendulum cut at its joint; the outputs that the joint reads are unknowns
 * without charge.  Where a window ends the bodies are moved into the joint, the
 * past of the method with them, once and not again and again. */
static const char cut_pendulum[] =
    "model Cart\n"
    "  input Real force; output Real x(start = 0, fixed = true);\n"
    "  Real v(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = v; 5*der(v) = force - 40*x;\n"
    "end Cart;\n"
    "model Rod\n"
    "  input Real fx; input Real fy; output Real px; output Real py;\n"
    "  Real phi(start = 1.5707963267948966, fixed = true);\n"
    "  Real x(start = 0.5, fixed = true); Real vx(start = 0, fixed = true);\n"
    "  Real y(start = 0, fixed = true); Real vy(start = 0, fixed = true);\n"
    "  Real w(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = vx; der(y) = vy; der(phi) = w; der(vx) = fx;\n"
    "  der(vy) = fy - 9.81; der(w) = -6*(fx*cos(phi) + fy*sin(phi));\n"
    "  px = x - 0.5*sin(phi); py = y + 0.5*cos(phi);\n"
    "end Rod;\n";

static outcome swing(const char *run, const char *stepper, const char *second)
{
    char text[1000];

    write_file("pendulum.mo", cut_pendulum);
    snprintf(text, sizeof text,
             "yoke: 1\n"
             "run: {stop: 2 s, window: 20 ms, rtol: 1e-6, atol: 1e-6, %s}\n"
             "subsystems:\n"
             "  cart: {model: pendulum.mo, class: Cart, %s}\n"
             "  rod: {model: pendulum.mo, class: Rod, %s}\n"
             "couplings:\n"
             "  - constraint:\n"
             "      name: joint\n"
             "      equation: [rod.px - cart.x = 0, rod.py = 0]\n"
             "      multiplier: [fx, fy]\n"
             "      enters: [rod.fx = fx, rod.fy = fy, cart.force = -fx]\n"
             "      start: [0, 9.81/4]\n",
             run, stepper, stepper);
    return run_text(text, "rod.phi", second);
}

static void a_joint_takes_one_sweep(void **state)
{
    static const char *const stepper[] = { "stepper: bdf2, step: 1 ms",
                                           "stepper: bdf3, step: 1 ms",
                                           "stepper: radau5" };
    static const double off[] = { 5e-5, 5e-6, 5e-6 }; /* h^2, h^3, tolerance */
    (void)state;
    for (int k = 0; k < 3; k++) {
        const outcome a = swing("cluster: none", stepper[k], "rod.py"),
                      b = swing("scheme: monolithic", stepper[k], "joint.fy"),
                      c = swing("cluster: none", stepper[k], "joint.fy");
        assert_true(a.sweeps <= 1.05 * a.windows + 3.0);
        CHECK_NEAR(a.y, 0.0, 1e-6);
        CHECK_NEAR(a.x, b.x, off[k]);
        CHECK_NEAR(c.y, b.y, 1e-3);
    }
}

static void trbdf2_takes_one_sweep(void **state)
{
    static const char *const run[] = {
        "rtol: 1e-4, atol: 1e-4, cluster: none",
        "rtol: 1e-6, atol: 1e-6, cluster: none",
        "rtol: 1e-8, atol: 1e-8, cluster: none"
    };
    double tolerance = 1e-4;
    (void)state;
    for (int k = 0; k < 3; k++, tolerance *= 0.01) {
        const outcome a = masses(run[k], "stepper: trbdf2");
        assert_true(a.sweeps <= 1.1 * a.windows + 1.0);
        CHECK_NEAR(a.x, exact_left(1.0), 30.0 * tolerance);
        CHECK_NEAR(a.y, exact_right(1.0), 30.0 * tolerance);
    }
}

/* A loop with a delay beside it, a source that jumps, a curved unit, and one with
 * an event that its input decides about. */
static const char happens[] =
    "model A\n"
    "  input Real u; input Real w; output Real x(start = 1, fixed = true);\n"
    "equation\n"
    "  der(x) = -x - 0.3*x^3 + u + w\n"
    "    + (if time > 1.23 and time < 1.7 then 1.0 else 0.0);\n"
    "end A;\n"
    "model B\n"
    "  input Real u; output Real x(start = 0, fixed = true);\n"
    "  discrete Real k(start = 1, fixed = true);\n"
    "equation\n"
    "  der(x) = -2*k*x + u;\n"
    "  when x < -0.05 then k = 3; end when;\n"
    "end B;\n";

static outcome eventful(const char *run, const char *stepper)
{
    char text[1000];

    write_file("happens.mo", happens);
    snprintf(text, sizeof text,
             "yoke: 1\n"
             "run: {stop: 3 s, %s}\n"
             "subsystems:\n"
             "  a: {model: happens.mo, class: A, %s}\n"
             "  b: {model: happens.mo, class: B, %s}\n"
             "couplings:\n"
             "  - signal: a.u = -3*b.x\n"
             "  - signal: b.u = 2*a.x\n"
             "  - {signal: a.w = -b.x, delay: 0.4}\n",
             run, stepper, stepper);
    return run_text(text, "a.x", "b.x");
}

static void what_happens_in_a_window_is_met(void **state)
{
    static const char *const stepper[] = { "stepper: radau5",
                                           "stepper: trbdf2" };
    const outcome exact = eventful("rtol: 1e-10, atol: 1e-12, "
                                   "scheme: monolithic",
                                   stepper[0]);
    (void)state;
    assert_true(exact.y > -0.05); /* after the event x comes back */
    for (int k = 0; k < 2; k++) {
        const outcome a =
            eventful("rtol: 1e-7, atol: 1e-8, cluster: none", stepper[k]);
        CHECK_NEAR(a.x, exact.x, 2e-6);
        CHECK_NEAR(a.y, exact.y, 2e-6);
        assert_true(a.sweeps < 2.0 * a.windows);
    }
}

/* Fixed steps of a curved system, with the breakpoints on their grid.  Behind an
 * event backward differentiation begins anew, with inputs that are interpolated
 * between its ends. */
static void curved_fixed_steps_are_those_of_the_whole(void **state)
{
    static const char *const stepper[] = {
        "stepper: implicit-euler, step: 1 ms",
        "stepper: trapezoidal, step: 1 ms", "stepper: bdf2, step: 1 ms",
        "stepper: bdf3, step: 1 ms"
    };
    static const char *const run[] = {
        "rtol: 1e-9, atol: 1e-11, window: 10 ms, cluster: none",
        "rtol: 1e-9, atol: 1e-11, window: 10 ms, scheme: monolithic"
    };
    (void)state;
    for (int k = 0; k < 4; k++) {
        const outcome a = eventful(run[0], stepper[k]),
                      b = eventful(run[1], stepper[k]);
        CHECK_NEAR(a.x, b.x, k < 2 ? 1e-8 : 1e-7);
        CHECK_NEAR(a.y, b.y, k < 2 ? 1e-8 : 1e-7);
    }
}

/* A unit that is straight in its unknown and bent in its input, which a first
 * guess leaves where it does not act: Newton's contraction says nothing about
 * that. */
static const char bent[] =
    "model A\n"
    "  input Real u; output Real y(start = -0.647, fixed = true);\n"
    "equation\n"
    "  der(y) = 97.664*(3*tanh(20*(u - 0.1)) - y - 0.1*y^3)\n"
    "    + 0.549*sin(2.356*time);\n"
    "end A;\n"
    "model B\n"
    "  input Real u; output Real y(start = -0.929, fixed = true);\n"
    "equation\n"
    "  der(y) = 648.53*(-0.5*u*y - y - 0.1*y^3) + 0.335*sin(9.836*time);\n"
    "end B;\n";

static outcome bent_pair(const char *run)
{
    char text[1000];

    write_file("bent.mo", bent);
    snprintf(text, sizeof text,
             "yoke: 1\n"
             "run: {stop: 10 ms, window: 10 ms, rtol: 1e-6, atol: 1e-8, %s}\n"
             "subsystems:\n"
             "  a: {model: bent.mo, class: A, stepper: implicit-euler, "
             "step: 1 ms}\n"
             "  b: {model: bent.mo, class: B, stepper: implicit-euler, "
             "step: 1 ms}\n"
             "couplings:\n"
             "  - signal: a.u = -b.y\n"
             "  - signal: b.u = -a.y\n",
             run);
    return run_text(text, "a.y", "b.y");
}

static void bends_in_inputs_are_evaluated(void **state)
{
    const outcome a = bent_pair("cluster: none"),
                  b = bent_pair("scheme: monolithic");
    (void)state;
    CHECK_NEAR(b.x, -0.8536586, 1e-6);
    CHECK_NEAR(a.x, b.x, 1e-6);
    CHECK_NEAR(a.y, b.y, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_are_those_of_the_whole),
        cmocka_unit_test(a_past_is_corrected_too),
        cmocka_unit_test(a_joint_takes_one_sweep),
        cmocka_unit_test(trbdf2_takes_one_sweep),
        cmocka_unit_test(what_happens_in_a_window_is_met),
        cmocka_unit_test(curved_fixed_steps_are_those_of_the_whole),
        cmocka_unit_test(bends_in_inputs_are_evaluated),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
