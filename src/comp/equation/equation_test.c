/* comp/equation/equation_test.c -- from text to subsystems. */
#define _XOPEN_SOURCE 700
#include "comp/equation/compile_fixture.h"

#include "yoke/equation.h"

static yoke_system *read_model(const char *text, yoke_equation_report *report)
{
    const yoke_equation_options options = { .compiler = "cc", .cache = cache };
    yoke_system *system = NULL, *plain = NULL;
    yoke_err err;

    CHECK_OK(yoke_equation_parse(&system, "m", "model.mo", text, strlen(text),
                                 &options, report, &err),
             &err);
    CHECK_OK(yoke_equation_parse(&plain, "m", "model.mo", text, strlen(text),
                                 NULL, NULL, &err),
             &err);
    if (!report->compiled) fail_msg("not compiled: %s", report->text);
    CHECK_OK(yoke_conform(system, 0.3, NULL, NULL, &err), &err);
    CHECK_OK(yoke_conform(plain, 0.3, NULL, NULL, &err), &err);
    same_bits(system, plain);
    yoke_system_free(plain);
    return system;
}

static void a_pendulum_in_text(void **state)
{
    static const char text[] = "model Pendulum\n"
                               "  parameter Real L = 2, g = 9.81, m = 3;\n"
                               "  Real x(start = 1.2), y(start = -1.6);\n"
                               "  Real vx(start = 0), vy(start = 0), F;\n"
                               "equation\n"
                               "  der(x) = vx;\n"
                               "  der(y) = vy;\n"
                               "  m*der(vx) = -F*x/L;\n"
                               "  m*der(vy) = -F*y/L - m*g;\n"
                               "  x^2 + y^2 = L^2;\n"
                               "end Pendulum;\n";
    yoke_equation_report report;
    yoke_system *s = read_model(text, &report);
    double x[32];
    (void)state;

    assert_int_equal(report.index, 3);
    integrate(s, 1.0, 1e-9, x);
    CHECK_NEAR(x[0] * x[0] + x[1] * x[1], 4.0, 1e-9);
    CHECK_NEAR(0.5 * (x[2] * x[2] + x[3] * x[3]) + 9.81 * x[1], -1.6 * 9.81,
               1e-6);
    yoke_system_free(s);
}

/* Instances differ in numbers only, and numbers are data. */
static void other_parameters_need_no_other_code(void **state)
{
    static const char text[] = "model Damped\n"
                               "  parameter Real m = 2, k = 3, d = 2;\n"
                               "  Real x(start = 1), v(start = 0);\n"
                               "equation\n"
                               "  der(x) = v;\n"
                               "  m*der(v) = -k*x - d*v^3 + 2*sin(m*time);\n"
                               "end Damped;\n";
    static const double m[] = { 2.5, 7.25, 1e-3 };
    (void)state;
    for (int i = 0; i < 3; i++) {
        const yoke_parameter value[] = { { "m", m[i] }, { "k", 0.4 + i } };
        const yoke_equation_options plain = { .parameters = 2,
                                              .parameter = value };
        yoke_equation_options native = plain;
        yoke_equation_report report;
        yoke_system *a = NULL, *b = NULL;
        yoke_err err;
        native.compiler = "cc";
        native.cache = cache;
        CHECK_OK(yoke_equation_parse(&a, "m", "model.mo", text, sizeof text - 1,
                                     &native, &report, &err),
                 &err);
        CHECK_OK(yoke_equation_parse(&b, "m", "model.mo", text, sizeof text - 1,
                                     &plain, NULL, &err),
                 &err);
        assert_true(report.compiled);
        assert_int_equal(report.cached, i > 0);
        same_bits(a, b);
        yoke_system_free(a);
        yoke_system_free(b);
    }
}

static void a_rod_in_text(void **state)
{
    static const char text[] =
        "model Rod\n"
        "  parameter Integer n = 1000;\n"
        "  input Real heat;\n"
        "  output Real last;\n"
        "  Real T[n](each start = 1);\n"
        "equation\n"
        "  der(T[1]) = heat + T[2] - T[1];\n"
        "  for i in 2:n-1 loop\n"
        "    der(T[i]) = T[i-1] - 2*T[i] + T[i+1] - sin(T[i])*i/n;\n"
        "  end for;\n"
        "  der(T[n]) = T[n-1] - T[n];\n"
        "  last = T[n];\n"
        "end Rod;\n";
    yoke_equation_report report;
    yoke_system *s = read_model(text, &report);
    const yoke_system_info *info = yoke_system_facts(s);
    (void)state;

    assert_int_equal(info->n, 1000);
    assert_int_equal(info->m, 1);
    assert_int_equal(info->p, 1);
    assert_string_equal(info->y_name[0], "last");
    assert_int_equal(report.eliminated, 1);
    yoke_system_free(s);
}

static void places_are_told(void **state)
{
    static const char text[] = "model M\n"
                               "  Real x(start = 1);\n"
                               "  Real y;\n"
                               "equation\n"
                               "  der(x) = -x;\n"
                               "end M;\n";
    yoke_system *s = NULL;
    yoke_err err;
    (void)state;

    CHECK_STATUS(yoke_equation_parse(&s, "m", "m.mo", text, strlen(text), NULL,
                                     NULL, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "m.mo");
    CHECK_CONTAINS(err.text, "y (line 3)");
    CHECK_STATUS(
        yoke_equation_read(&s, "m", "/no/such/file.mo", NULL, NULL, &err),
        YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "/no/such/file.mo");
    CHECK_STATUS(yoke_equation_parse(&s, NULL, "m.mo", text, strlen(text), NULL,
                                     NULL, &err),
                 YOKE_E_ARG, &err);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_in_text),
        cmocka_unit_test(other_parameters_need_no_other_code),
        cmocka_unit_test(a_rod_in_text),
        cmocka_unit_test(places_are_told),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
