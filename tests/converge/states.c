/* tests/converge/states.c -- states that change during coupled runs.
 *
 * Two pendulums by positions, x^2 + y^2 = 1, joined by a spring, beside the
 * same in angles: the coupled run of the former, with states that are chosen
 * again inside windows that are iterated, is as accurate as that of the latter.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

#include "yoke/equation.h"

static const char text[] =
    "model Swing\n"
    "  parameter Real x0 = 1, y0 = 0;\n"
    "  input Real other;\n"
    "  output Real x(start = x0);\n"
    "  Real y(start = y0), vx(start = 0), vy(start = 0), F;\n"
    "equation\n"
    "  der(x) = vx;\n"
    "  der(y) = vy;\n"
    "  der(vx) = -F*x + 2*(other - x);\n"
    "  der(vy) = -F*y - 9.81;\n"
    "  x^2 + y^2 = 1;\n"
    "end Swing;\n"
    "model Angle\n"
    "  parameter Real phi0 = 1.5707963267948966;\n"
    "  input Real other;\n"
    "  output Real x;\n"
    "  Real phi(start = phi0, fixed = true), omega(start = 0, fixed = true);\n"
    "equation\n"
    "  der(phi) = omega;\n"
    "  der(omega) = -9.81*sin(phi) + 2*(other - x)*cos(phi);\n"
    "  x = sin(phi);\n"
    "end Angle;\n";

static void add(yoke_model *model, const char *name, const char *class,
                int parameters, const yoke_parameter *parameter)
{
    const yoke_equation_options options = { .model = class,
                                            .parameters = parameters,
                                            .parameter = parameter };
    yoke_stepper_options how = stepper("radau5", 0.0);
    yoke_system *system = NULL;
    yoke_err err;

    how.rtol = how.atol = 1e-9;
    CHECK_OK(yoke_equation_parse(&system, name, "pair.mo", text, strlen(text),
                                 &options, NULL, &err),
             &err);
    add_system(model, system, &how);
}

static yoke_model *pair(const char *class, int parameters,
                        const yoke_parameter *second)
{
    yoke_model *model = new_model();

    add(model, "a", class, 0, NULL);
    add(model, "b", class, parameters, second);
    connect(model, "a.other", "b.x", 1.0);
    connect(model, "b.other", "a.x", 1.0);
    return model;
}

/* Positions of both at the end, and the events of all units. */
static long run_pair(yoke_model *model, yoke_scheme scheme, double window,
                     double *end)
{
    yoke_run_options o = yoke_run_defaults();
    yoke_run_result result;
    yoke_run *run = NULL;
    yoke_err err;

    o.stop = 10.0;
    o.scheme = scheme;
    o.iterate.window = window;
    o.iterate.rtol = o.iterate.atol = 1e-8;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, o.stop, &err), &err);
    end[0] = value_of(run, "a.x");
    end[1] = value_of(run, "b.x");
    yoke_run_summary(run, &result);
    CHECK_OK(yoke_run_close(run, &err), &err);
    return result.work.events;
}

/* The same model is run again and again: every run restarts. */
static void coupled_swings_are_those_of_angles(void **state)
{
    static const yoke_parameter hangs[] = { { "x0", 0.0 }, { "y0", -1.0 } };
    static const yoke_parameter down[] = { { "phi0", 0.0 } };
    static const yoke_scheme scheme[] = { YOKE_MONOLITHIC, YOKE_GAUSS_SEIDEL,
                                          YOKE_JACOBI };
    yoke_model *angles = pair("Angle", 1, down);
    yoke_model *swings = pair("Swing", 2, hangs);
    double exact[2], end[2], again[2];

    (void)state;
    assert_int_equal(run_pair(angles, YOKE_MONOLITHIC, 0.1, exact), 0);
    for (int k = 0; k < 6; k++) {
        const double window = k % 2 ? 0.1 : 0.03;
        const long events = run_pair(swings, scheme[k / 2], window, end);
        assert_int_equal(run_pair(swings, scheme[k / 2], window, again),
                         events);
        assert_memory_equal(end, again, sizeof end);
        print_message("%.2e %.2e, %ld events\n", end[0] - exact[0],
                      end[1] - exact[1], events);
        assert_true(events > 10);
        for (int c = 0; c < 2; c++) CHECK_NEAR(end[c], exact[c], 5e-7);
    }
    yoke_model_free(angles);
    yoke_model_free(swings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_swings_are_those_of_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
