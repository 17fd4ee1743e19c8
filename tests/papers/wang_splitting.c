/* Section 6 of Wang, Hou and Modnak (2011): who owns the constraint, splittings
 * with weights, other steppers, and the constraint in its own form.
 */
#include "wang_problem.h"

/* ---- splittings ---------------------------------------------------------- */

/* With G1 = (0 1), G2 = (-2 0) the constraint is G1 x'' + G2 y'' = 0 and
 * lambda acts by -G1', -G2'.  At h -> 0 only accelerations and lambda are left,
 *
 *     S1 = G1 M1^-1 G1' = 4/11,    S2 = G2 M2^-1 G2' = 1,
 *
 * and an error of lambda is multiplied in each sweep by -S1/S2 if y owns the
 * constraint (splitting A), by -S2/S1 if x does (B).  If the results of A and B
 * are averaged with the weights w and 1 - w, the two coupled accelerations obey
 *
 *     [ -s w    2 (1-w)  ]          s = S1/S2,  determinant 0,
 *     [  w/2   -(1-w)/s  ]          factor -(w s + (1-w)/s).
 *
 * It contracts for 1/(1+s) < w < 1/(1-s), here 11/15 < w < 11/7, and vanishes
 * for w = 1/(1-s^2) = 121/105. */
static double weighted_factor(double w)
{
    const double s = 4.0 / 11;

    return fabs(w * s + (1.0 - w) / s);
}

static void schedule_text(char *text, size_t room, double w)
{
    snprintf(text, room, "%.17g * y + joint > x; %.17g * x + joint > y", w,
             1.0 - w);
}

/* The last reduction of the first window that was noted. */
static double measured_factor(const outcome *o)
{
    const int k = o->sweeps[1];

    assert_true(k >= 3 && k <= MOST_SWEEPS);
    return o->eps[1][k] / o->eps[1][k - 1];
}

static void refuses_to_converge(const setup *s, const char *variable)
{
    CHECK_STATUS(try_run(s, &scratch), YOKE_NOT_CONVERGED, &scratch.err);
    CHECK_CONTAINS(scratch.err.text, variable);
    CHECK_CONTAINS(scratch.err.text, "window 1, [0, ");
    CHECK_CONTAINS(scratch.err.text, "it does not contract");
    assert_false(scratch.result.converged);
    CHECK_NEAR(scratch.result.t, 0.0, 0.0); /* nothing was accepted */
    check_values(scratch.value, scratch.start, 0.0);
}

static void constraint_owned_by_x_diverges_with_11_over_4(void **state)
{
    (void)state;
    for (double dt = 0.1; dt > 0.02; dt *= 0.5) {
        const setup s = { .window = dt,
                          .steps = 10,
                          .schedule = "x + joint > y",
                          .max_sweeps = 20 };
        refuses_to_converge(&s, "joint.lambda");
        CHECK_NEAR(measured_factor(&scratch), 11.0 / 4, 0.2 * dt * dt);
    }
}

static void weighted_splittings_contract_between_11_over_15_and_11_over_7(
    void **state)
{
    static const double weight[] = { 0.5, 0.72, 0.75, 0.9, 1.0, 1.5, 1.65 };
    char text[200];

    (void)state;
    for (int i = 0; i < 7; i++) {
        const double w = weight[i];
        const bool contracts = w > 11.0 / 15 && w < 11.0 / 7;
        const setup s = { .window = 0.1,
                          .steps = 10,
                          .schedule = text,
                          .stop = 0.1,
                          .max_sweeps = contracts ? 1000 : 40 };
        schedule_text(text, sizeof text, w);
        if (contracts)
            run(&s, &scratch);
        else
            refuses_to_converge(&s, "joint.lambda");
        CHECK_NEAR(measured_factor(&scratch), weighted_factor(w), 1e-3);
    }
}

static void weighted_splittings_have_the_same_fixed_point(void **state)
{
    char text[200];

    (void)state;
    schedule_text(text, sizeof text, 0.9);
    const outcome *o = run_once(
        (setup){ .window = 1.0, .steps = 10, .schedule = text, .eps0 = 1e-9 });
    check_values(o->value, fixed_tenth, 1e-5);
}

/* The best weight lies outside [0, 1]; no factor is left at h -> 0, the rest is
 * a Volterra operator and the iteration superlinear: 7 sweeps instead of 25. */
static void best_weight_leaves_a_superlinear_iteration(void **state)
{
    char text[200];

    (void)state;
    schedule_text(text, sizeof text, 121.0 / 105);
    const outcome *o = run_once(
        (setup){ .window = 1.0, .steps = 10, .schedule = text, .eps0 = 1e-10 });
    check_values(o->value, fixed_tenth, 1e-6);
    for (int w = 1; w <= 10; w++) assert_true(o->sweeps[w] <= 9);
    for (int k = 3; k < o->sweeps[1]; k++)
        assert_true(o->eps[1][k + 1] / o->eps[1][k] <
                    o->eps[1][k] / o->eps[1][k - 1]);
    run_once((setup){ .window = 1.0, .steps = 10, .schedule = text });
    for (int w = 1; w <= 10; w++) assert_true(scratch.sweeps[w] <= 7);
}

/* ---- any stepper on either side ------------------------------------------ */

typedef struct method {
    const char *name;
    int order; /* 0: adaptive */
    double error[2];
} method;

static double pair_error(const method *x, const method *y, int steps)
{
    /* Adaptive methods choose other steps in each sweep when the inputs have
     * kinks, so their iterates do not settle below their own tolerance. */
    const bool fixed = x->order && y->order;
    const outcome *o = run_once((setup){ .window = 0.5,
                                         .steps = steps,
                                         .stop = 3.0,
                                         .eps0 = fixed ? 1e-10 : 1e-6,
                                         .x_method = x->name,
                                         .y_method = y->name });
    return error_at(o, 3.0);
}

/* The error of a pair is at most that of both methods; the order is that of the
 * lower one. */
static void any_stepper_works_on_either_side(void **state)
{
    method m[] = {
        { "euler", 1, { 0 } },  { "implicit-euler", 1, { 0 } },
        { "heun", 2, { 0 } },   { "trapezoidal", 2, { 0 } },
        { "bdf2", 2, { 0 } },   { "bdf4", 4, { 0 } },
        { "rk4", 4, { 0 } },    { "trbdf2", 0, { 0 } },
        { "radau5", 0, { 0 } },
    };
    const int count = sizeof m / sizeof *m;

    (void)state;
    for (int i = 0; i < count; i++)
        m[i].error[0] = pair_error(&m[i], &m[i], 10);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const double error = pair_error(&m[i], &m[j], 10);
            CHECK_BETWEEN(error, 0.0, m[i].error[0] + m[j].error[0] + 1e-5);
            if (m[i].order == 0 || m[j].order == 0) continue;
            const int least = m[i].order < m[j].order ? m[i].order : m[j].order;
            CHECK_NEAR(log2(error / pair_error(&m[i], &m[j], 20)), least, 0.15);
        }
}

/* ---- the constraint itself ----------------------------------------------- */

/* x2 = 2 y1 instead of x2'' = 2 y1'': index 3.  With constant steps the
 * multistep formulas of order k give all variables with order k. */
static void position_constraint_is_solved_monolithically(void **state)
{
    static const char *const name[] = { "bdf1", "bdf2", "bdf3", "bdf4" };

    (void)state;
    for (int k = 0; k < 4; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            const outcome *o = run_once((setup){ .window = 1.0,
                                                 .steps = i ? 80 : 40,
                                                 .stop = 3.0,
                                                 .x_method = name[k],
                                                 .position = true,
                                                 .monolithic = true });
            error[i] = error_at(o, 3.0);
            CHECK_NEAR(o->value[X2], 2 * o->value[Y1], 1e-12);
        }
        CHECK_NEAR(log2(error[0] / error[1]), k + 1, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraint_owned_by_x_diverges_with_11_over_4),
        cmocka_unit_test(
            weighted_splittings_contract_between_11_over_15_and_11_over_7),
        cmocka_unit_test(weighted_splittings_have_the_same_fixed_point),
        cmocka_unit_test(best_weight_leaves_a_superlinear_iteration),
        cmocka_unit_test(any_stepper_works_on_either_side),
        cmocka_unit_test(position_constraint_is_solved_monolithically),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
