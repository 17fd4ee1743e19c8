/* Crow and Ilic 1990, end of section 4: parts of different index, each with a
 * method of its own.
 *
 * {x1, y} with x2 as its input has index 2 and takes backward differentiation
 * with constant steps; {x2} with x1 as its input is an ODE and takes any
 * method.  The converged sweeps are compared with the exact solution
 *
 *     x2 = 0.1 exp(-(lambda1 + lambda2) t),  x1 = -lambda1 x2,
 *     y = x1' + 5 x1 - 0.1 x2 = (lambda1 (lambda1 + lambda2) - 5 lambda1
 *         - 0.1) x2.
 */
#include "crow_system.h"

#include <yoke/check.h>

static const double end = 0.4;

static double exact_x2(double t)
{
    return 0.1 * exp(-(lambda1 + lambda2) * t);
}

static const double y_factor = 10.0 * 10.5 - 5.0 * 10.0 - 0.1;

typedef struct accuracy {
    double x1, x2, y; /* errors at the end */
} accuracy;

/* Windows of 0.1.  The adaptive method gets a tolerance far below that of the
 * sweeps: its steps change from sweep to sweep, the error it is allowed to make
 * acts like noise in x2, and y = x1' + ... multiplies it by lambda1 / h. */
static accuracy errors_with(const char *index2, const char *ode, double h)
{
    const yoke_stepper_options a = fixed_stepper(index2, h);
    yoke_stepper_options b = fixed_stepper(ode, h);
    yoke_run_options options = one_window(end, "a > b");
    yoke_model *model;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    b.rtol = 1e-13;
    b.atol = 1e-15;
    model = crow_model(y_factor * 0.1, &a, &b);
    options.iterate.window = 0.1;
    options.iterate.max_sweeps = 100;
    options.iterate.rtol = 1e-8;
    options.iterate.atol = 1e-10;
    CHECK_OK(start_run(&run, model, &options, NULL, &err), &err);
    const double x2 = exact_x2(end);
    const accuracy e = { fabs(value_of(run, "a.x1") + lambda1 * x2),
                         fabs(value_of(run, "b.x2") - x2),
                         fabs(value_of(run, "a.y") - y_factor * x2) };
    yoke_run_close(run, NULL);
    yoke_model_free(model);
    return e;
}

static double order(double coarse, double fine)
{
    return log2(coarse / fine);
}

/* Orders expected of x1 and x2, whose waveforms are exchanged, and of y.  x1 =
 * -lambda1 x2 costs no accuracy at the points of its grid: x1 and x2 are as
 * good as the method of x2 and the waveform of x1 between the points allow
 * (linear for orders 1 and 2, cubic for bdf3), y as good as the method of
 * {x1, y}. */
typedef struct mixture {
    const char *index2, *ode;
    double x, y;
} mixture;

static const mixture mixtures[] = {
    { "implicit-euler", "implicit-euler", 1, 1 },
    { "bdf1", "trapezoidal", 2, 1 },
    { "implicit-euler", "radau5", 2, 1 },
    { "bdf2", "trapezoidal", 2, 2 },
    { "bdf2", "radau5", 2, 2 },
    { "bdf2", "bdf2", 2, 2 },
    { "bdf3", "bdf3", 3, 3 },
    { "bdf3", "radau5", 4, 3 },
};

static void orders_are_those_of_the_methods(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++) {
        const mixture *m = &mixtures[i];
        const accuracy c = errors_with(m->index2, m->ode, 0.1 / 16);
        const accuracy f = errors_with(m->index2, m->ode, 0.1 / 32);
        print_message("%s and %s: x1 %.2g (%.2f), x2 %.2g (%.2f), y %.2g "
                      "(%.2f)\n",
                      m->index2, m->ode, f.x1, order(c.x1, f.x1), f.x2,
                      order(c.x2, f.x2), f.y, order(c.y, f.y));
        CHECK_NEAR(order(c.x1, f.x1), m->x, 0.1);
        CHECK_NEAR(order(c.x2, f.x2), m->x, 0.1);
        CHECK_NEAR(order(c.y, f.y), m->y, 0.1);
    }
}

static void parts_have_different_index(void **state)
{
    yoke_system *part[2] = { part_a(0.0), part_b() };
    const int index[2] = { 2, 0 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        yoke_solvability found;
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yoke_solvable(part[i], 0.0, NULL, NULL, &found, &err), &err);
        assert_true(found.solvable);
        assert_int_equal(found.index, index[i]);
        yoke_system_free(part[i]);
    }
}

/* With the same method and step in both parts nothing but the iteration error
 * is left between the sweeps and the whole (and, with BDF2, what the parts
 * exchange in the starting step: a polynomial instead of stage values). */
static void equal_methods_give_the_monolithic_result(void **state)
{
    static const char *const method[] = { "implicit-euler", "bdf2" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        const yoke_stepper_options stepper = fixed_stepper(method[i], 0.01);
        yoke_model *model = crow_model(y_factor * 0.1, &stepper, &stepper);
        double x2[2], y[2];
        for (int whole = 0; whole < 2; whole++) {
            yoke_run_options options = one_window(0.1, whole ? "" : "a, b");
            yoke_run *run = NULL;
            yoke_err err = { YOKE_OK, "" };
            options.stop = end;
            options.iterate.rtol = 1e-9;
            options.iterate.atol = 1e-11;
            options.scheme = YOKE_MONOLITHIC;
            CHECK_OK(start_run(&run, model, &options, NULL, &err), &err);
            x2[whole] = value_of(run, "b.x2");
            y[whole] = value_of(run, "a.y");
            yoke_run_close(run, NULL);
        }
        print_message("%s: parts %.12g %.12g, whole %.12g %.12g\n", method[i],
                      x2[0], y[0], x2[1], y[1]);
        CHECK_NEAR(x2[0], x2[1], 1e-9);
        CHECK_NEAR(y[0], y[1], 1e-8);
        yoke_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_different_index),
        cmocka_unit_test(equal_methods_give_the_monolithic_result),
        cmocka_unit_test(orders_are_those_of_the_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
