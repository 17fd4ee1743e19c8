/* comp/equation/events/events_test.c -- when-equations, from text to the
 * solution. */
#define _XOPEN_SOURCE 700
#include "comp/equation/compile_fixture.h"

#include "sys/call.h"
#include "yoke/equation.h"

/* ---- Helpers ------------------------------------------------------------ */

static yoke_system *read_with(const char *text, const char *compiler)
{
    const yoke_equation_options options = { .compiler = compiler,
                                            .cache = cache };
    yoke_equation_report report;
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_equation_parse(&system, "m", "m.mo", text, strlen(text),
                                 &options, &report, &err),
             &err);
    if (compiler && !report.compiled) fail_msg("%s", report.text);
    CHECK_OK(yoke_conform(system, 0.3, NULL, NULL, &err), &err);
    return system;
}

static void refuse_text(const char *text, const char *part)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_STATUS(yoke_equation_parse(&system, "m", "m.mo", text, strlen(text),
                                     NULL, NULL, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, part);
    assert_null(system);
}

/* x[n] at `end`, with fixed steps (0: chosen by rtol 1e-9) in three windows. */
static void run(yoke_system *s, const char *method, double step, double end,
                double *x)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    const int n = yoke_system_facts(s)->n;
    int watch[16];
    yk_propagator p = { 0 };
    yk_wave *u = NULL, *y = NULL;
    double y0[16];
    yoke_err err = { 0 };

    snprintf(o.method, sizeof o.method, "%s", method);
    o.step = step;
    o.rtol = o.atol = 1e-9;
    assert_true(n <= 16 && yoke_system_facts(s)->p <= 16);
    for (int j = 0; j < n; j++) watch[j] = j;
    CHECK_OK(yk_stepper_create(&p, s, &o, n, watch, &err), &err);
    CHECK_OK(yk_wave_create(&u, p.m, &err), &err);
    CHECK_OK(yk_wave_create(&y, p.p, &err), &err);
    yk_wave_clear(u, 0.0);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    for (int k = 1; k <= 3; k++) {
        CHECK_OK(p.ops->sweep(p.self, end * k / 3, u, y, &err), &err);
        CHECK_OK(p.ops->accept(p.self, &err), &err);
    }
    yk_wave_eval(p.ops->watched(p.self), end, NULL, x);
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
}

static const struct {
    const char *method;
    double step;
} methods[] = { { "radau5", 0.0 }, { "rk4", 0.02 } };

/* ---- A ball -------------------------------------------------------------- */

/* `depth` is an alias of a state, with the other sign. */
static const char ball[] = "model Ball\n"
                           "  parameter Real g = 9.81, e = 0.8;\n"
                           "  Real h(start = 1), v, depth;\n"
                           "  Integer n(start = 0);\n"
                           "  discrete Real last(start = -1);\n"
                           "equation\n"
                           "  der(h) = v;\n"
                           "  der(v) = -g;\n"
                           "  depth = -h;\n"
                           "  when h < 0 then\n"
                           "    reinit(v, -e*pre(v));\n"
                           "    n = pre(n) + 1;\n"
                           "    last = time;\n"
                           "  end when;\n"
                           "end Ball;\n";

typedef struct flight {
    int bounces;
    double last, h, v;
} flight;

static flight exact_flight(double t)
{
    const double g = 9.81;
    flight f = { .last = sqrt(2.0 / g), .v = sqrt(2.0 * g) };

    if (t < f.last) return (flight){ 0, -1.0, 1.0 - 0.5 * g * t * t, -g * t };
    for (f.bounces = 1, f.v *= 0.8; f.last + 2.0 * f.v / g < t; f.v *= 0.8) {
        f.last += 2.0 * f.v / g;
        f.bounces++;
    }
    const double s = t - f.last;
    f.h = (f.v - 0.5 * g * s) * s;
    f.v -= g * s;
    return f;
}

static void a_ball_bounces(void **state)
{
    yoke_system *s = read_with(ball, NULL);
    const yoke_system_info *facts = yoke_system_facts(s);
    double x[16];
    (void)state;

    assert_int_equal(facts->events, 1);
    assert_true(facts->flags & YOKE_AFFINE);
    for (int i = 0; i < 2; i++)
        for (double t = 0.3; t < 3.4; t += 0.31) {
            const flight f = exact_flight(t);
            run(s, methods[i].method, methods[i].step, t, x);
            CHECK_NEAR(x[find_x(s, "h")], f.h, 1e-9);
            CHECK_NEAR(x[find_x(s, "v")], f.v, 1e-9);
            CHECK_NEAR(x[find_x(s, "n")], f.bounces, 0.0);
            CHECK_NEAR(x[find_x(s, "last")], f.last, 1e-10);
        }
    assert_int_equal(exact_flight(3.4).bounces, 8);
    yoke_system_free(s);
}

static void native_code_has_the_same_events(void **state)
{
    yoke_system *a = read_with(ball, NULL), *b = read_with(ball, "cc");
    double x[2][16];
    (void)state;

    same_bits(a, b);
    for (int i = 0; i < 2; i++) {
        run(a, methods[i].method, methods[i].step, 2.5, x[0]);
        run(b, methods[i].method, methods[i].step, 2.5, x[1]);
        assert_memory_equal(x[0], x[1],
                            (size_t)yoke_system_facts(a)->n * sizeof(double));
    }
    yoke_system_free(a);
    yoke_system_free(b);
}

/* ---- A thermostat -------------------------------------------------------- */

/* Warms up towards 40 in ln(22/18) and cools down towards 10 in ln(12/8). */
static void a_thermostat_has_its_period(void **state)
{
    static const char text[] = "model Thermostat\n"
                               "  Real T(start = 18), power;\n"
                               "  discrete Real heater(start = 1);\n"
                               "  discrete Real last;\n"
                               "  Integer n;\n"
                               "equation\n"
                               "  der(T) = 10 - T + power;\n"
                               "  power = 30*heater;\n"
                               "  when T > 22 then heater = 0; end when;\n"
                               "  when T < 18 then\n"
                               "    heater = 1; n = pre(n) + 1; last = time;\n"
                               "  end when;\n"
                               "end Thermostat;\n";
    const double warm = log(22.0 / 18.0), period = warm + log(12.0 / 8.0);
    yoke_system *s = read_with(text, NULL);
    double x[16];
    (void)state;

    assert_int_equal(yoke_system_facts(s)->events, 2);
    for (int k = 0; k < 6; k++) {
        run(s, "radau5", 0.0, (k + 0.1) * period, x);
        CHECK_NEAR(x[find_x(s, "heater")], 1.0, 0.0);
        CHECK_NEAR(x[find_x(s, "power")], 30.0, 1e-12);
        CHECK_NEAR(x[find_x(s, "n")], k, 0.0);
        CHECK_NEAR(x[find_x(s, "last")], k * period, 1e-8);
        CHECK_NEAR(x[find_x(s, "T")], 40.0 - 22.0 * exp(-0.1 * period), 1e-7);
        run(s, "rk4", 0.01, k * period + warm + 0.1, x);
        CHECK_NEAR(x[find_x(s, "heater")], 0.0, 0.0);
        CHECK_NEAR(x[find_x(s, "T")], 10.0 + 12.0 * exp(-0.1), 1e-8);
    }
    yoke_system_free(s);
}

/* der(T) of the next model */
static double warming(yoke_system *s, double T, double on)
{
    double x[2], f[2];
    yoke_err err;

    x[find_x(s, "T")] = T;
    x[find_x(s, "on")] = on;
    CHECK_OK(yoke_system_eval(s, 0.0, x, NULL, NULL, f, &err), &err);
    return -(f[0] + f[1]); /* one of them is that of der(on) = 0 */
}

/* The same with a Boolean that begins with false. */
static void a_boolean_switches(void **state)
{
    static const char text[] =
        "model Thermostat\n"
        "  Real T(start = 22);\n"
        "  Boolean on(start = false);\n"
        "equation\n"
        "  der(T) = 10 - T + (if on then 30 else 0);\n"
        "  when T > 22 then on = false; end when;\n"
        "  when T < 18 then on = not pre(on); end when;\n"
        "end Thermostat;\n";
    const double cool = log(12.0 / 8.0);
    yoke_system *s = read_with(text, NULL);
    double x[16];
    (void)state;

    CHECK_NEAR(warming(s, 20.0, 1e-12), -10.0, 0.0); /* as if it were 0 */
    CHECK_NEAR(warming(s, 20.0, 1.0 - 1e-12), 20.0, 0.0);
    run(s, "radau5", 0.0, cool - 0.01, x);
    CHECK_NEAR(x[find_x(s, "on")], 0.0, 0.0);
    run(s, "radau5", 0.0, cool + 0.1, x);
    CHECK_NEAR(x[find_x(s, "on")], 1.0, 0.0);
    CHECK_NEAR(x[find_x(s, "T")], 40.0 - 22.0 * exp(-0.1), 1e-7);
    yoke_system_free(s);
}

/* ---- Single rules -------------------------------------------------------- */

static void an_event_at_a_given_time(void **state)
{
    static const char text[] = "model M\n"
                               "  Real x(start = 1), y;\n"
                               "equation\n"
                               "  der(x) = -x;\n"
                               "  y = 2*x;\n"
                               "  when time >= 1 then reinit(x, 5); end when;\n"
                               "end M;\n";
    yoke_system *s = read_with(text, NULL);
    double x[16];
    (void)state;

    CHECK_NEAR(yk_system_next_break(s, 0.0), 1.0, 0.0);
    for (int i = 0; i < 2; i++) {
        run(s, methods[i].method, methods[i].step, 0.99, x);
        CHECK_NEAR(x[find_x(s, "x")], exp(-0.99), 1e-8);
        run(s, methods[i].method, methods[i].step, 1.5, x);
        CHECK_NEAR(x[find_x(s, "x")], 5.0 * exp(-0.5), 1e-7);
        CHECK_NEAR(x[find_x(s, "y")], 10.0 * exp(-0.5), 1e-7);
        run(s, methods[i].method, methods[i].step, 3.0, x); /* window at 1 */
        CHECK_NEAR(x[find_x(s, "x")], 5.0 * exp(-2.0), 1e-7);
    }
    yoke_system_free(s);
}

/* Without pre they see the new values; the later one wins. */
static void events_at_the_same_instant(void **state)
{
    static const char text[] =
        "model M\n"
        "  Real x(start = 0), back;\n"
        "  discrete Real a(start = 1), b(start = 2);\n"
        "  discrete Real c(start = 0);\n"
        "equation\n"
        "  der(x) = 1;\n"
        "  back = -x;\n"
        "  when time >= 1 then a = pre(b); b = pre(a); c = 3; end when;\n"
        "  when time >= 1 then c = a + 10*b; reinit(back, 4); end when;\n"
        "end M;\n";
    yoke_system *s = read_with(text, NULL);
    double x[16];
    (void)state;

    run(s, "radau5", 0.0, 1.5, x);
    CHECK_NEAR(x[find_x(s, "a")], 2.0, 0.0);
    CHECK_NEAR(x[find_x(s, "b")], 1.0, 0.0);
    CHECK_NEAR(x[find_x(s, "c")], 12.0, 0.0);
    CHECK_NEAR(x[find_x(s, "x")], -3.5, 1e-12); /* through the alias */
    yoke_system_free(s);
}

/* Elements of arrays, an input in the condition, a derivative that has an
 * unknown of its own. */
static void conditions_see_all_values(void **state)
{
    static const char text[] =
        "model M\n"
        "  input Real u;\n"
        "  Real x[3](start = {1, 2, 3}), a;\n"
        "equation\n"
        "  for i in 1:3 loop der(x[i]) = i; end for;\n"
        "  a = der(x[2]);\n"
        "  when x[2] > u + 3 then reinit(x, {7, x[3], a}); end when;\n"
        "end M;\n";
    yoke_system *s = read_with(text, NULL);
    const double u = 1.5;
    const bool happened[4] = { true };
    double x[16], x_new[16], g[4];
    yoke_err err;
    (void)state;

    CHECK_BETWEEN(yoke_system_facts(s)->events, 1, 4);
    memcpy(x, yoke_system_facts(s)->x0, sizeof *x * 6);
    CHECK_OK(yk_system_indicate(s, 0.0, x, &u, g, &err), &err);
    CHECK_NEAR(g[0], 2.0 - 4.5, 1e-15);
    CHECK_OK(yk_system_apply(s, 0.0, x, &u, happened, x_new, &err), &err);
    CHECK_NEAR(x_new[0], 7.0, 0.0);
    CHECK_NEAR(x_new[1], 3.0, 0.0);
    CHECK_NEAR(x_new[2], 2.0, 1e-12);
    yoke_system_free(s);
}

/* A pendulum that is kicked: one velocity gets the value, the other one follows
 * from the constraint. */
static const char pendulum[] = "model Pendulum\n"
                               "  Real x(start = 0.6), y(start = -0.8);\n"
                               "  Real vx(start = 0), vy(start = 0), F;\n"
                               "equation\n"
                               "  der(x) = vx;\n"
                               "  der(y) = vy;\n"
                               "  der(vx) = -F*x;\n"
                               "  der(vy) = -F*y - 9.81;\n"
                               "  x^2 + y^2 = 1;\n"
                               "  when x < 0 then reinit(%s, 1); end when;\n"
                               "end Pendulum;\n";

static void states_of_a_reduced_model(void **state)
{
    char text[600];
    double x[16];
    (void)state;

    snprintf(text, sizeof text, pendulum, "vx");
    yoke_system *s = read_with(text, NULL);
    run(s, "radau5", 0.0, 0.6, x);
    const double px = x[find_x(s, "x")], py = x[find_x(s, "y")];
    const double vx = x[find_x(s, "vx")], vy = x[find_x(s, "vy")];
    CHECK_NEAR(px * px + py * py, 1.0, 1e-9);
    CHECK_NEAR(px * vx + py * vy, 0.0, 1e-8);
    CHECK_NEAR(0.5 * (vx * vx + vy * vy) + 9.81 * py, 0.5 - 9.81, 1e-6);
    yoke_system_free(s);

    refuse_text("model M\n  Real x(start = 1), y, u, v, F;\nequation\n"
                "  der(x) = u;\n  der(y) = v;\n"
                "  der(u) = 2*x*F;\n  der(v) = -F - 1;\n  y = x^2;\n"
                "  when x < 0 then reinit(y, 1); end when;\nend M;\n",
                "m.mo:9: reinit needs a state, but y was made algebraic to "
                "reduce the index");
}

static void other_targets_are_refused(void **state)
{
    (void)state;
    refuse_text("model M\n  Real x, y;\nequation\n  der(x) = -x;\n"
                "  y^3 = x;\n"
                "  when x > 1 then reinit(y, 0); end when;\nend M;\n",
                "m.mo:6: reinit needs a state, but y is algebraic");
    refuse_text("model M\n  Real x, c[2];\nequation\n  der(x) = -x;\n"
                "  c = {3, 4};\n"
                "  when x > 1 then reinit(c[2], 0); end when;\nend M;\n",
                "m.mo:6: reinit needs a state, but c[2] is constant");
    refuse_text("model M\n  input Real u;\n  Real x, y;\nequation\n"
                "  der(x) = -x;\n  y = u;\n"
                "  when x > 1 then reinit(y, 0); end when;\nend M;\n",
                "m.mo:7: reinit needs a state, but y is an input");
}

static void failing_memory_leaks_nothing(void **state)
{
    (void)state;
    parse_leaks_nothing(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces),
        cmocka_unit_test(native_code_has_the_same_events),
        cmocka_unit_test(a_thermostat_has_its_period),
        cmocka_unit_test(a_boolean_switches),
        cmocka_unit_test(an_event_at_a_given_time),
        cmocka_unit_test(events_at_the_same_instant),
        cmocka_unit_test(conditions_see_all_values),
        cmocka_unit_test(states_of_a_reduced_model),
        cmocka_unit_test(other_targets_are_refused),
        cmocka_unit_test(failing_memory_leaks_nothing),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
