/* Mechanisms against exact solutions: formulations of constraints,
 * half-explicit methods, driven constraints, constraints between two
 * mechanisms.
 */
#include "mechanism_fixture.h"

#include "step/steppers.h"

#include <string.h>

static const double swing = 1.0; /* rad, at the start */

/* ---- a pendulum ---------------------------------------------------------- */

static yoke_stepper_options accurate(const char *method, double step)
{
    return stepper_of(method, step, 1e-8, 1e-10);
}

static yoke_run *run_to(yoke_model *model, double stop, double window,
                        bool given)
{
    yoke_run_options o = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_err err;

    o.stop = stop;
    o.iterate.window = window;
    o.given = given;
    o.iterate.rtol = 1e-8;
    o.iterate.atol = 1e-10;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    return run;
}

typedef struct result {
    double error; /* of the position at t = 1 */
    double drift, drift_v;
    double lambda;
} result;

static bool needs_given(yoke_formulation f)
{
    return f != YOKE_STABILISED && f != YOKE_PROJECTED;
}

static result swing_with(yoke_formulation formulation, const char *method,
                         double step)
{
    const yoke_stepper_options stepper = accurate(method, step);
    yoke_model *model =
        model_of(pendulum_at(formulation, 20.0, swing), &stepper);
    yoke_run *run = run_to(model, 1.0, 0.25, needs_given(formulation));
    const double a = pendulum_angle(swing, 1.0, 20000, NULL);
    const result r = {
        .error =
            hypot(value_of(run, "p.x") - sin(a), value_of(run, "p.y") + cos(a)),
        .drift = fabs(value_of(run, "p.drift.rod")),
        .drift_v = fabs(value_of(run, "p.drift.rod.v")),
        .lambda = value_of(run, "p.lambda.rod"),
    };
    yoke_run_close(run, NULL);
    yoke_model_free(model);
    return r;
}

static double exact_lambda(void)
{
    return pendulum_lambda(swing, pendulum_angle(swing, 1.0, 20000, NULL));
}

static void every_formulation_swings_the_same_way(void **state)
{
    static const struct {
        yoke_formulation formulation;
        const char *method;
        double step, error, drift, drift_v, lambda;
    } row[] = {
        { YOKE_STABILISED, "radau5", 0.0, 1e-6, 1e-7, 1e-6, 1e-5 },
        { YOKE_STABILISED, "rk4", 1e-3, 1e-8, 1e-8, 1e-7, 1e-6 },
        { YOKE_STABILISED, "bdf2", 5e-4, 1e-4, 1e-5, 1e-4, 1e-3 },
        { YOKE_STABILISED, "stormer", 1e-3, 1e-4, 1e-4, 1e-3, 1e-3 },
        { YOKE_VELOCITY, "bdf2", 5e-4, 1e-4, 1e-3, 1e-9, 1e-2 },
        { YOKE_POSITION, "bdf2", 5e-4, 1e-4, 1e-9, 1e-2, 1e-2 },
        { YOKE_GGL, "bdf2", 5e-4, 1e-4, 1e-9, 1e-9, 1e-2 },
        { YOKE_PROJECTED, "radau5", 0.0, 1e-6, 1e-13, 1e-13, 1e-5 },
        { YOKE_PROJECTED, "rk4", 1e-3, 1e-8, 1e-13, 1e-13, 1e-6 },
        { YOKE_PROJECTED, "stormer", 1e-3, 1e-4, 1e-13, 1e-13, 1e-3 },
        { YOKE_PROJECTED, "bdf2", 5e-4, 1e-4, 1e-13, 1e-13, 1e-3 },
        { YOKE_PROJECTED, "trbdf2", 0.0, 1e-4, 1e-13, 1e-13, 1e-3 },
        { YOKE_PROJECTED, "genalpha", 0.0, 1e-4, 1e-13, 1e-13, 1e-3 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const result r =
            swing_with(row[i].formulation, row[i].method, row[i].step);
        print_message("%d %s: error %.2g drift %.2g %.2g lambda %.2g\n",
                      (int)row[i].formulation, row[i].method, r.error, r.drift,
                      r.drift_v, r.lambda - exact_lambda());
        CHECK_BETWEEN(r.error, 0.0, row[i].error);
        CHECK_BETWEEN(r.drift, 0.0, row[i].drift);
        CHECK_BETWEEN(r.drift_v, 0.0, row[i].drift_v);
        CHECK_NEAR(r.lambda, exact_lambda(), row[i].lambda);
    }
}

static void half_explicit_methods_keep_their_order(void **state)
{
    static const yoke_formulation form[] = { YOKE_STABILISED, YOKE_PROJECTED };
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double h = k ? 5e-4 : 4e-3;
        const double two = swing_with(form[k], "stormer", h).error /
                           swing_with(form[k], "stormer", 0.5 * h).error;
        const double four = swing_with(form[k], "rk4", 0.01).error /
                            swing_with(form[k], "rk4", 0.005).error;
        CHECK_BETWEEN(two, 3.7, 4.3);
        CHECK_BETWEEN(four, 13.0, 19.0);
    }
}

/* ---- a driven mass ------------------------------------------------------- */

/* Rheonomic: d(t) enters every formulation with its derivatives. */
static void driven_constraint(void **state)
{
    static const struct {
        yoke_formulation formulation;
        const char *method;
        double step, position, lambda;
    } row[] = {
        { YOKE_STABILISED, "rk4", 1e-3, 1e-9, 1e-6 },
        { YOKE_STABILISED, "stormer", 1e-3, 1e-5, 1e-3 },
        { YOKE_PROJECTED, "rk4", 1e-3, 1e-13, 1e-9 },
        { YOKE_PROJECTED, "stormer", 1e-3, 1e-13, 1e-3 },
        { YOKE_PROJECTED, "radau5", 0.0, 1e-13, 1e-7 },
        { YOKE_VELOCITY, "bdf3", 1e-3, 1e-6, 1e-3 },
        { YOKE_VELOCITY, "radau5", 0.0, 1e-7, 1e-6 },
        { YOKE_GGL, "radau5", 0.0, 1e-9, 1e-5 },
        { YOKE_POSITION, "radau5", 0.0, 1e-9, 1e-3 },
        { YOKE_STABILISED, "genalpha", 0.0, 1e-4, 1e-2 },
        { YOKE_VELOCITY, "genalpha", 0.0, 1e-5, 1e-3 },
        { YOKE_GGL, "genalpha", 0.0, 1e-9, 1e-3 },
        { YOKE_POSITION, "genalpha", 0.0, 1e-9, 1e-2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const yoke_formulation f = row[i].formulation;
        const yoke_stepper_options stepper =
            accurate(row[i].method, row[i].step);
        yoke_model *model = model_of(driven_mass(f, 10.0), &stepper);
        yoke_run *run = run_to(model, 1.0, 0.5, needs_given(f));
        print_message("driven %d %s: %.2g %.2g\n", (int)f, row[i].method,
                      value_of(run, "s.m") - sin(3.0),
                      value_of(run, "s.lambda.motor") - driven_lambda(1.0));
        CHECK_NEAR(value_of(run, "s.m"), sin(3.0), row[i].position);
        CHECK_NEAR(value_of(run, "s.lambda.motor"), driven_lambda(1.0),
                   row[i].lambda);
        yoke_run_close(run, NULL);
        yoke_model_free(model);
    }
}

/* ---- two mechanisms and a constraint between them ------------------------ */

static void check_form(yoke_form form, const char *method, double step,
                       double position, double force)
{
    const yoke_stepper_options stepper = accurate(method, step);
    yoke_model *model = joined_oscillators(form, 20.0, &stepper);
    yoke_run *run = run_to(model, 1.0, 0.02, form != YOKE_FORM_STABILISED);
    CHECK_NEAR(value_of(run, "a.x"), cos(3.0), position);
    CHECK_NEAR(value_of(run, "b.x"), cos(3.0), position);
    CHECK_NEAR(value_of(run, "joint.lambda"), -cos(3.0), force);
    yoke_run_close(run, NULL);
    yoke_model_free(model);
}

static void forms_of_a_constraint_agree(void **state)
{
    (void)state;
    check_form(YOKE_FORM_STABILISED, "radau5", 0.0, 1e-5, 1e-3);
    check_form(YOKE_FORM_STABILISED, "rk4", 1e-3, 1e-5, 1e-3);
    check_form(YOKE_FORM_STABILISED, "stormer", 1e-3, 1e-4, 1e-2);
    check_form(YOKE_FORM_VELOCITY, "bdf2", 1e-3, 1e-3, 0.1);
    check_form(YOKE_FORM_POSITION, "bdf2", 1e-3, 1e-3, 0.1);
}

/* ---- dense output -------------------------------------------------------- */

static void dense_output_of_stages_is_for_two_methods(void **state)
{
    yoke_stepper_options stepper = accurate("radau5", 0.0);
    yk_propagator p;
    yoke_system *system = oscillator("a", 1.0, 10.0);
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_stepper_set(&stepper, "dense", "stages", &err), &err);
    CHECK_STATUS(yk_stepper_create(&p, system, &stepper, 0, NULL, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "method radau5 has no dense output \"stages\"");
    yoke_system_free(system);
}

/* Largest error of the acceleration of x = cos(w t) between the points: h^2 if
 * it is linear there (Stoermer), h^3 if quadratic (rk4). */
static double worst_inside(const char *method, const char *dense, double h)
{
    static const int watch[] = { 2 }; /* x.a */
    yoke_stepper_options stepper = accurate(method, h);
    yoke_system *system = oscillator("a", 1.0, 10.0);
    yk_propagator p;
    yk_wave *u = NULL, *y = NULL;
    const double zero = 0.0, w = sqrt(10.0);
    double y0[3], worst = 0.0;
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&stepper, "dense", dense, &err), &err);
    CHECK_OK(yk_stepper_create(&p, system, &stepper, 1, watch, &err), &err);
    CHECK_OK(yk_wave_create(&u, 1, &err), &err);
    CHECK_OK(yk_wave_create(&y, 3, &err), &err);
    yk_wave_clear(u, 0.0);
    CHECK_OK(yk_wave_append_constant(u, 1.0, &zero, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, &zero, y0, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 1.0, u, y, &err), &err);
    for (int k = 300; k <= 1000; k++) {
        double a = 0.0;
        yk_wave_eval(p.ops->watched(p.self), 1e-3 * k, NULL, &a);
        worst = fmax(worst, fabs(a + 10.0 * cos(w * 1e-3 * k)));
    }
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
    yoke_system_free(system);
    return worst;
}

static void accelerations_between_the_points_have_their_order(void **state)
{
    (void)state;
    CHECK_BETWEEN(worst_inside("stormer", "stages", 0.02) /
                      worst_inside("stormer", "stages", 0.01),
                  3.4, 4.6);
    CHECK_BETWEEN(worst_inside("stormer", "natural", 0.02) /
                      worst_inside("stormer", "natural", 0.01),
                  3.4, 4.6);
    CHECK_BETWEEN(worst_inside("rk4", "stages", 0.02) /
                      worst_inside("rk4", "stages", 0.01),
                  6.5, 9.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_formulation_swings_the_same_way),
        cmocka_unit_test(half_explicit_methods_keep_their_order),
        cmocka_unit_test(driven_constraint),
        cmocka_unit_test(forms_of_a_constraint_agree),
        cmocka_unit_test(dense_output_of_stages_is_for_two_methods),
        cmocka_unit_test(accelerations_between_the_points_have_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
