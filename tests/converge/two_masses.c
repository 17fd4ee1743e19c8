/* tests/converge/two_masses.c -- the two masses of the waveform study of
 * preCICE: error at t = 1 against window length, iterated to convergence.
 *
 * Each mass takes four steps per window and shows cubic waveforms.  With
 * methods of order four in both, the state at the end has an error of order
 * four.  At t = 1 both velocities vanish: an error of phase does not show in
 * the positions, whose error may therefore fall faster.
 *
 * The converged iterates solve one and the same discrete equations, whatever
 * the scheme.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

enum { HALVINGS = 4 };
static const double coarsest = 0.2; /* and finest: 0.0125 */

typedef struct errors {
    double position; /* Euclidean norm of both */
    double state;    /* the same, with the velocities over 2 pi */
} errors;

static errors errors_of(const yoke_run *run)
{
    const double left = value_of(run, "left.x") - exact_left(1.0);
    const double right = value_of(run, "right.x") - exact_right(1.0);
    const double position = hypot(left, right);
    const double velocity =
        hypot(value_of(run, "left.v"), value_of(run, "right.v"));

    return (errors){ position, hypot(position, velocity / two_pi) };
}

static errors run_once(yoke_model *model, const yoke_run_options *o)
{
    yoke_run_result result;
    yoke_run *run = NULL;
    yoke_err err;

    CHECK_OK(yoke_run_create(&run, model, o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, o->stop, &err), &err);
    yoke_run_summary(run, &result);
    assert_true(result.converged);
    const errors e = errors_of(run);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
    return e;
}

static yoke_stepper_options four_steps(const char *method)
{
    yoke_stepper_options s = stepper(method, 0.0);
    yoke_err err;

    s.steps = 4; /* adaptive methods ignore it */
    s.rtol = 1e-12;
    s.atol = 1e-13;
    CHECK_OK(yoke_stepper_set(&s, "dense", "cubic", &err), &err);
    return s;
}

static errors iterated(const char *method, const char *scheme, double window)
{
    const yoke_stepper_options left = four_steps("rk4");
    const yoke_stepper_options right = four_steps(method);
    yoke_run_options o = yoke_run_defaults();

    set(&o, "scheme", scheme);
    o.cluster = YOKE_CLUSTER_NONE; /* else both become one system */
    o.iterate.window = window;
    o.iterate.rtol = 1e-11;
    o.iterate.atol = 1e-12;
    return run_once(two_masses(&left, &right), &o);
}

/* `asymptotic`: the first halving from which the slope of the state, too, is
 * that of the theory. */
static void check_order(const char *method, int asymptotic, double bound)
{
    errors last = iterated(method, "gauss-seidel", coarsest);

    print_message("rk4, %s: window %g, error %.2e, of the state %.2e\n", method,
                  coarsest, last.position, last.state);
    for (int k = 1; k <= HALVINGS; k++) {
        const double h = ldexp(coarsest, -k);
        const errors e = iterated(method, "gauss-seidel", h);
        const double slope = log2(last.position / e.position);
        const double slope_of_state = log2(last.state / e.state);
        print_message("rk4, %s: window %g, error %.2e, slope %.2f, of the "
                      "state %.2e, slope %.2f\n",
                      method, h, e.position, slope, e.state, slope_of_state);
        CHECK_BETWEEN(slope, 3.8, 5.3);
        if (k >= asymptotic) CHECK_NEAR(slope_of_state, 4.0, 0.25);
        last = e;
    }
    CHECK_BETWEEN(last.position, 0.0, bound);
}

static void two_runge_kutta_methods_have_order_four(void **state)
{
    (void)state;
    check_order("rk4", 2, 1.3e-6);
}

static void an_accurate_partner_keeps_order_four(void **state)
{
    (void)state;
    check_order("radau5", 2, 1.3e-6);
}

/* Its larger error constant leaves 1.5e-6 at the end. */
static void a_multistep_partner_keeps_order_four(void **state)
{
    (void)state;
    check_order("bdf4", 3, 2e-6);
}

static void every_scheme_converges_to_the_same_solution(void **state)
{
    static const char *const scheme[] = { "jacobi", "picard" };

    (void)state;
    for (double h = coarsest; h > 0.012; h *= 0.5) {
        const errors first = iterated("rk4", "gauss-seidel", h);
        for (int i = 0; i < 2; i++) {
            const errors e = iterated("rk4", scheme[i], h);
            CHECK_NEAR(e.position, first.position, 1e-10);
            CHECK_NEAR(e.state, first.state, 1e-10);
        }
    }
}

static void the_whole_system_has_order_four(void **state)
{
    (void)state;
    errors last = iterated("rk4", "monolithic", 0.5 * coarsest);

    for (double h = 0.25 * coarsest; h > 0.012; h *= 0.5) {
        const errors e = iterated("rk4", "monolithic", h);
        CHECK_NEAR(log2(last.state / e.state), 4.0, 0.25);
        last = e;
    }
    CHECK_BETWEEN(last.position, 0.0, 1.3e-6);
}

static void the_defaults_need_no_tuning(void **state)
{
    static const char *const scheme[] = { "gauss-seidel", "jacobi", "picard",
                                          "monolithic" };

    (void)state;
    for (int i = 0; i < 4; i++) {
        yoke_run_options o = yoke_run_defaults();
        set(&o, "scheme", scheme[i]);
        o.iterate.rtol = 1e-8;
        const errors e = run_once(two_masses(NULL, NULL), &o);
        print_message("defaults, rtol 1e-8, %s: error %.2e, of the state "
                      "%.2e\n",
                      scheme[i], e.position, e.state);
        CHECK_BETWEEN(e.state, 0.0, 1e-7);
    }
}

/* As two solvers, with the windows of the study: sweeps in all, and error of the
 * state.  preCICE takes 52 sweeps for 2.5e-6, and 15 in one window for 1.8e-7. */
static void few_sweeps_are_enough(void **state)
{
    static const struct {
        double window, rtol, error;
        int sweeps;
    } table[] = { { 0.1, 5e-5, 2.5e-6, 20 }, { 1.0, 3e-6, 1.8e-7, 4 } };

    (void)state;
    for (int i = 0; i < 2; i++) {
        yoke_run_options o = yoke_run_defaults();
        yoke_run_result r = { .t = 0.0 };
        yoke_run *run = NULL;
        yoke_err err;
        o.cluster = YOKE_CLUSTER_NONE;
        o.iterate.window = table[i].window;
        o.iterate.rtol = table[i].rtol;
        yoke_model *model = two_masses(NULL, NULL);
        CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
        CHECK_OK(yoke_run_advance(run, o.stop, &err), &err);
        yoke_run_summary(run, &r);
        CHECK_BETWEEN(errors_of(run).state, 0.0, table[i].error);
        CHECK_BETWEEN((double)r.iterate.sweeps, 1, table[i].sweeps);
        CHECK_OK(yoke_run_close(run, &err), &err);
        yoke_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runge_kutta_methods_have_order_four),
        cmocka_unit_test(an_accurate_partner_keeps_order_four),
        cmocka_unit_test(a_multistep_partner_keeps_order_four),
        cmocka_unit_test(every_scheme_converges_to_the_same_solution),
        cmocka_unit_test(the_whole_system_has_order_four),
        cmocka_unit_test(the_defaults_need_no_tuning),
        cmocka_unit_test(few_sweeps_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
