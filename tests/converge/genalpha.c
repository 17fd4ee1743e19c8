/* tests/converge/genalpha.c -- generalised-alpha: its order in positions,
 * velocities and multipliers of every formulation, its damping, stiff parts.
 */
#include "mechanism_fixture.h"

#include "step/steppers.h"

#include <stdio.h>
#include <string.h>

/* Equal steps: no error counts, no step is longer than h. */
static yoke_stepper_options equal_steps(double h, double rho)
{
    yoke_stepper_options o = stepper_of("genalpha", h, 1.0, 1e3);

    o.max_step = h;
    o.newton = 1e-11;
    o.max_newton = 50;
    o.rho = rho;
    o.given = true;
    return o;
}

/* ---- order --------------------------------------------------------------- */

enum { POSITION, VELOCITY, MULTIPLIER, BETWEEN, KINDS };

static const double swing = 1.2;

typedef struct errors {
    double most[KINDS];
} errors;

static void compare(const double *x, double t, bool between, errors *e)
{
    double w = 0.0;
    const double a = pendulum_angle(swing, t, 2000, &w);
    const double position = hypot(x[0] - sin(a), x[1] + cos(a));
    const double velocity = hypot(x[2] - w * cos(a), x[3] - w * sin(a));
    const double lambda = fabs(x[6] - pendulum_lambda(swing, a));

    if (between) {
        e->most[BETWEEN] =
            fmax(e->most[BETWEEN], fmax(position, fmax(velocity, lambda)));
        return;
    }
    e->most[POSITION] = fmax(e->most[POSITION], position);
    e->most[VELOCITY] = fmax(e->most[VELOCITY], velocity);
    e->most[MULTIPLIER] = fmax(e->most[MULTIPLIER], lambda);
}

/* The largest errors over one second, in two windows. */
static errors pendulum_errors(yoke_formulation formulation,
                              const yoke_stepper_options *o, yoke_work *work)
{
    enum { UNKNOWNS = 7 };
    const int watch[UNKNOWNS] = { 0, 1, 2, 3, 4, 5, 6 };
    yoke_system *system = pendulum_at(formulation, 5.0, swing);
    yk_propagator p = { 0 };
    yk_wave *y = NULL;
    errors e = { { 0.0 } };
    double y0[16], x[UNKNOWNS];
    yoke_err err;

    CHECK_OK(yk_stepper_create(&p, system, o, UNKNOWNS, watch, &err), &err);
    CHECK_OK(yk_wave_create(&y, p.p, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    for (int k = 1; k <= 2; k++) {
        CHECK_OK(p.ops->sweep(p.self, 0.5 * k, NULL, y, &err), &err);
        const yk_wave *w = p.ops->watched(p.self);
        for (int i = 0; i < yk_wave_pieces(w); i++) {
            const double a = yk_wave_knot(w, i), b = yk_wave_knot(w, i + 1);
            yk_wave_eval(w, b, NULL, x);
            compare(x, b, false, &e);
            yk_wave_eval(w, a + 0.4 * (b - a), NULL, x);
            compare(x, a + 0.4 * (b - a), true, &e);
        }
        CHECK_OK(p.ops->accept(p.self, &err), &err);
    }
    if (work) p.ops->work(p.self, work);
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_system_free(system);
    return e;
}

static const char *const formulation_name[] = { "position", "velocity",
                                                "stabilised", "ggl" };

static void order_two_in_everything(void **state)
{
    static const double rho[] = { 0.0, 0.5, 0.8, 0.9 };
    (void)state;
    for (int f = YOKE_POSITION; f <= YOKE_GGL; f++)
        for (size_t r = 0; r < sizeof rho / sizeof *rho; r++) {
            const yoke_stepper_options coarse = equal_steps(0.01, rho[r]),
                                       fine = equal_steps(0.005, rho[r]);
            const errors a =
                pendulum_errors((yoke_formulation)f, &coarse, NULL);
            const errors b = pendulum_errors((yoke_formulation)f, &fine, NULL);
            double order[KINDS];
            for (int k = 0; k < KINDS; k++)
                order[k] = log2(a.most[k] / b.most[k]);
            print_message("%-10s rho %.1f: orders %.2f %.2f %.2f, between "
                          "%.2f; errors %.1e %.1e %.1e\n",
                          formulation_name[f], rho[r], order[0], order[1],
                          order[2], order[3], b.most[0], b.most[1], b.most[2]);
            for (int k = 0; k < KINDS; k++) CHECK_BETWEEN(order[k], 1.8, 2.6);
        }
}

/* Variable steps: positions, velocities and, but for index 3, multipliers keep
 * within a few tolerances at any tolerance.  Multipliers are about 29, the
 * velocities up to 4. */
static void check_tolerances(const char *method, yoke_formulation f)
{
    for (int digits = 3; digits <= 7; digits++) {
        const double rtol = pow(10.0, -digits);
        yoke_stepper_options o = stepper_of(method, 0.0, rtol, rtol);
        yoke_work work = { 0 };
        o.given = true;
        const errors e = pendulum_errors(f, &o, &work);
        const double lambda = e.most[MULTIPLIER] / 29.0;
        print_message("%-8s %-10s rtol 1e-%d: errors %.1e %.1e %.1e, %ld "
                      "steps, %ld rejected, %ld residuals\n",
                      method, formulation_name[f], digits, e.most[0], e.most[1],
                      e.most[2], work.steps, work.rejected, work.residuals);
        CHECK_BETWEEN(e.most[POSITION], 0.0, 10.0 * rtol);
        CHECK_BETWEEN(e.most[VELOCITY], 0.0, 30.0 * rtol);
        CHECK_BETWEEN(lambda, 0.0, f == YOKE_POSITION ? 0.03 : 3.0 * rtol);
    }
}

static void errors_follow_the_tolerance(void **state)
{
    (void)state;
    for (int f = YOKE_POSITION; f <= YOKE_GGL; f++)
        check_tolerances("genalpha", (yoke_formulation)f);
    for (int f = YOKE_VELOCITY; f <= YOKE_GGL; f++)
        check_tolerances("trbdf2", (yoke_formulation)f);
}

/* ---- damping ------------------------------------------------------------- */

/* x' = -L (x - g) with g = 1 until t = 5, then 2; the jump is not announced. */
static const double stiff = 1e9;

static yoke_status stiff_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)u, (void)err;
    xdot[0] = -stiff * (x[0] - (t < 5.0 ? 1.0 : 2.0));
    return YOKE_OK;
}

/* Both roots are -rho: from any four errors in a row, e_{n+2} = T e_{n+1} -
 * D e_n has T = -2 rho and D = rho^2. */
static void damping_is_rho_for_infinite_steps(void **state)
{
    static const yoke_system_ops ops = { .kind = "stiff", .rhs = stiff_rhs };
    static const double rho[] = { 0.0, 0.3, 0.5, 0.8, 0.95 };
    const double one = 1.0;
    const yoke_system_info info = { .n = 1, .p = 1, .x0 = &one };
    (void)state;
    for (size_t r = 0; r < sizeof rho / sizeof *rho; r++) {
        const yoke_stepper_options o = equal_steps(1.0, rho[r]);
        yoke_system *system = NULL;
        yk_propagator p = { 0 };
        yk_wave *y = NULL;
        double y0 = 0.0, e[4];
        yoke_err err;
        CHECK_OK(yoke_system_create(&system, "s", &ops, NULL, &info, &err),
                 &err);
        CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
        CHECK_OK(yk_wave_create(&y, 1, &err), &err);
        CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, &y0, &err), &err);
        CHECK_OK(p.ops->sweep(p.self, 20.0, NULL, y, &err), &err);
        assert_int_equal(yk_wave_pieces(y), 20);
        for (int k = 0; k < 4; k++) {
            yk_wave_eval(y, 8.0 + k, NULL, &e[k]);
            e[k] -= 2.0;
        }
        p.ops->free(p.self);
        yk_wave_free(y);
        yoke_system_free(system);
        if (rho[r] == 0.0) { /* nothing is left */
            CHECK_NEAR(e[0], 0.0, 1e-12);
            continue;
        }
        const double det = e[1] * e[1] - e[0] * e[2];
        const double trace = (e[1] * e[2] - e[0] * e[3]) / det;
        const double product = (e[2] * e[2] - e[1] * e[3]) / det;
        print_message("rho %.2f: trace %.6f product %.6f (%g %g %g %g)\n",
                      rho[r], trace, product, e[0], e[1], e[2], e[3]);
        CHECK_NEAR(trace, -2.0 * rho[r], 1e-3);
        CHECK_NEAR(product, rho[r] * rho[r], 1e-3);
    }
}

static void rho_of_one_is_for_index_one(void **state)
{
    yoke_stepper_options o = equal_steps(0.01, 1.0);
    yoke_system *system = pendulum_at(YOKE_POSITION, 0.0, swing);
    yk_propagator p = { 0 };
    yk_wave *y = NULL;
    double y0[16];
    yoke_err err;
    (void)state;
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&y, p.p, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    CHECK_STATUS(p.ops->sweep(p.self, 0.5, NULL, y, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "subsystem \"p\": with rho = 1 genalpha does not "
                             "damp errors of constraints");
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_system_free(system);
}

/* ---- a stiff bar --------------------------------------------------------- */

enum { PARTS = 20 };

/* Masses of 0.05 kg on a line, joined by springs of 1e8 N/m and 1e3 N s/m; a
 * force of 1 N on the last, after which they ring for a while; the first held
 * by 10 N/m: as a rigid bar x = (1 - cos(w t)) / 10, w^2 = 10.  Explicit
 * methods would need steps of 2 / 9e4 s, 45000 in the run; a
 * tenth of that is wanted. */
static void push_last(void *context, double t, double *force)
{
    (void)context, (void)t;
    force[PARTS - 1] = 1.0;
}

static void stiff_bar_moves_as_one(void **state)
{
    const double exact = 0.1 * (1.0 - cos(sqrt(10.0)));
    yk_masses_mass mass[PARTS];
    yk_masses_spring spring[PARTS];
    char name[PARTS][16];
    yoke_system *system = NULL;
    yoke_run_options run_options = yoke_run_defaults();
    yoke_stepper_options o = stepper_of("genalpha", 0.0, 1e-4, 1e-6);
    yoke_run *run = NULL;
    yoke_run_result result;
    yoke_err err;
    (void)state;
    for (int i = 0; i < PARTS; i++) {
        snprintf(name[i], sizeof name[i], "m%d", i);
        mass[i] = (yk_masses_mass){ name[i], 1.0 / PARTS, 0.0, 0.0, false };
        spring[i] =
            (yk_masses_spring){ i - 1, i, i ? 1e8 : 10.0, i ? 1e3 : 0.0, 0.0 };
    }
    const yk_masses given = { .masses = PARTS,
                              .springs = PARTS,
                              .mass = mass,
                              .spring = spring,
                              .act = push_last };
    CHECK_OK(yk_masses_create(&system, "bar", &given, &err), &err);
    yoke_model *model = model_of(system, &o);
    run_options.stop = 1.0;
    CHECK_OK(yoke_run_create(&run, model, &run_options, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    yoke_run_summary(run, &result);
    print_message("stiff bar: error %.1e, acceleration %.1e, %ld steps\n",
                  value_of(run, "bar.m0") - exact,
                  value_of(run, "bar.m19.a") - cos(sqrt(10.0)),
                  result.work.steps);
    CHECK_NEAR(value_of(run, "bar.m0"), exact, 1e-4);
    CHECK_NEAR(value_of(run, "bar.m19"), exact, 1e-4);
    CHECK_NEAR(value_of(run, "bar.m19.a"), cos(sqrt(10.0)), 1e-2);
    CHECK_BETWEEN((double)result.work.steps, 10.0, 4500.0);
    yoke_run_close(run, NULL);
    yoke_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_two_in_everything),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(damping_is_rho_for_infinite_steps),
        cmocka_unit_test(rho_of_one_is_for_index_one),
        cmocka_unit_test(stiff_bar_moves_as_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
