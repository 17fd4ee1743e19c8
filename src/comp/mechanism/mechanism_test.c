/* comp/mechanism/mechanism_test.c */
#include "mechanism_fixture.h"
#include "yoke/check.h"

#include <string.h>

/* ---- a pendulum in x and y ----------------------------------------------- */

static yoke_status pendulum(yoke_system **out, yoke_formulation formulation,
                            const double q0[2], const double v0[2],
                            yoke_err *err)
{
    return pendulum_create(out, "pendulum", formulation, 10.0, q0, v0, err);
}

static void formulations_have_their_index(void **state)
{
    static const int index[] = { [YOKE_POSITION] = 3,
                                 [YOKE_VELOCITY] = 2,
                                 [YOKE_STABILISED] = 1,
                                 [YOKE_GGL] = 2 };
    const double q0[] = { 0.8, -0.6 }, v0[] = { 0.6, 0.8 };
    yoke_solvability s;
    yoke_err err;
    (void)state;
    for (int f = YOKE_POSITION; f <= YOKE_GGL; f++) {
        yoke_system *system = NULL;
        CHECK_OK(pendulum(&system, (yoke_formulation)f, q0, v0, &err), &err);
        const yoke_system_info *facts = yoke_system_facts(system);
        CHECK_OK(yoke_conform(system, 0.0, facts->x0, NULL, &err), &err);
        CHECK_OK(yoke_solvable(system, 0.0, facts->x0, NULL, &s, &err), &err);
        assert_int_equal(s.index, index[f]);
        yoke_system_free(system);
    }
}

/* x'' is along the rod's normal: a = (bend and gravity), checked by hand. */
static void start_values_are_consistent_on_all_levels(void **state)
{
    const double q0[] = { 0.8, -0.6 }, v0[] = { 0.6, 0.8 };
    yoke_system *system = NULL;
    double f[8], y[8];
    yoke_err err;
    (void)state;
    CHECK_OK(pendulum(&system, YOKE_STABILISED, q0, v0, &err), &err);
    const double *x0 = yoke_system_facts(system)->x0;
    CHECK_OK(yoke_system_eval(system, 0.0, x0, NULL, NULL, f, &err), &err);
    for (int i = 4; i < 7; i++) CHECK_NEAR(f[i], 0.0, 1e-12);
    /* 2 m lambda / m L^2 = v^2 + g y:  lambda = m (v^2 - g y) / 2 */
    CHECK_NEAR(x0[6], 0.5 * 2.0 * (1.0 + 9.81 * 0.6), 1e-12);
    CHECK_OK(yoke_system_output(system, 0.0, x0, NULL, y, &err), &err);
    CHECK_NEAR(y[1], 0.6, 0.0); /* x.v */
    CHECK_NEAR(y[2], x0[4], 0.0);
    CHECK_NEAR(y[6], 0.0, 1e-15); /* drift.rod */
    CHECK_NEAR(y[7], 0.0, 1e-15); /* drift.rod.v */
    assert_string_equal(yoke_system_facts(system)->y_name[5], "y.a");
    assert_string_equal(yoke_system_facts(system)->y_name[7], "drift.rod.v");
    yoke_system_free(system);
}

static void inconsistent_positions_and_velocities_are_refused(void **state)
{
    const double far[] = { 0.9, -0.6 }, on[] = { 0.8, -0.6 };
    const double along[] = { 0.8, -0.6 };
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    CHECK_STATUS(pendulum(&system, YOKE_STABILISED, far, NULL, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "subsystem \"pendulum\": the initial positions do "
                             "not satisfy the constraint \"rod\": it is 0.17");
    CHECK_STATUS(pendulum(&system, YOKE_STABILISED, on, along, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "the initial velocities do not satisfy the "
                             "constraint \"rod\": it is 2");
    assert_null(system);
}

/* ---- masses -------------------------------------------------------------- */

static const yk_masses_mass three[] = { { "a", 1.0, 0.0, 0.0, true },
                                        { "b", 2.0, 0.0, 0.0, false },
                                        { "c", 3.0, 0.0, 0.0, true } };

static yoke_status bars(int count, const yk_masses_bar *bar,
                        void (*lead)(void *, double, double *), yoke_err *err)
{
    const yk_masses given = { .masses = 3,
                              .bars = count,
                              .mass = three,
                              .bar = bar,
                              .lead = lead,
                              .formulation = YOKE_STABILISED };
    yoke_system *system = NULL;
    const yoke_status status = yk_masses_create(&system, "m", &given, err);

    yoke_system_free(system);
    return status;
}

static void masses_conform(void **state)
{
    const double weight[] = { 1.0, -1.0, 0.5 };
    const yk_masses_spring spring[] = { { -1, 0, 10.0, 1.0, 0.2 },
                                        { 0, 2, 20.0, 3.0, 0.0 } };
    const yk_masses_bar bar = { "rod", weight, -1 };
    yoke_err err;
    (void)state;
    for (int f = YOKE_POSITION; f <= YOKE_GGL; f++) {
        const yk_masses given = { .masses = 3,
                                  .springs = 2,
                                  .bars = 1,
                                  .mass = three,
                                  .spring = spring,
                                  .bar = &bar,
                                  .formulation = (yoke_formulation)f,
                                  .eta = 7.0 };
        yoke_system *system = NULL;
        CHECK_OK(yk_masses_create(&system, "m", &given, &err), &err);
        assert_true(yoke_system_facts(system)->flags & YOKE_AFFINE);
        assert_int_equal(yoke_system_facts(system)->positions, 3);
        assert_string_equal(yoke_system_facts(system)->u_name[1], "c.force");
        CHECK_OK(yoke_conform(system, 0.3, NULL, NULL, &err), &err);
        yoke_system_free(system);
    }
}

static void dependent_constraints_are_named(void **state)
{
    const double ab[] = { 1.0, -1.0, 0.0 }, bc[] = { 0.0, 1.0, -1.0 },
                 ac[] = { 2.0, 0.0, -2.0 }, none[] = { 0.0, 0.0, 0.0 };
    const yk_masses_bar bar[] = { { "ab", ab, -1 },
                                  { "bc", bc, -1 },
                                  { "ac", ac, -1 } };
    const yk_masses_bar twice[] = { { "bc", bc, -1 },
                                    { "ab", ab, -1 },
                                    { "again", ab, -1 } };
    const yk_masses_bar empty = { "empty", none, -1 };
    yoke_err err;
    (void)state;
    CHECK_STATUS(bars(3, bar, NULL, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "the constraints \"ab\", \"bc\" and \"ac\" are "
                             "redundant");
    /* The smallest set: "bc" has nothing to do with it. */
    CHECK_STATUS(bars(3, twice, NULL, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "the constraints \"ab\" and \"again\" are "
                             "redundant");
    CHECK_STATUS(bars(1, &empty, NULL, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "\"empty\" touches no coordinate");
}

static void third_is_elsewhere(void *context, double t, double *drive)
{
    (void)context, (void)t;
    drive[0] = 0.5;
    drive[1] = drive[2] = 0.0;
}

static void contradictory_constraints_are_named(void **state)
{
    const double ab[] = { 1.0, -1.0, 0.0 };
    const yk_masses_bar bar[] = { { "near", ab, -1 }, { "far", ab, 0 } };
    yoke_err err;
    (void)state;
    CHECK_STATUS(bars(2, bar, third_is_elsewhere, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "the constraints \"near\" and \"far\" contradict "
                             "each other");
    CHECK_CONTAINS(err.text, "differ by 0.5");
}

static void masses_that_are_none_are_refused(void **state)
{
    const yk_masses_mass mass[] = { { "light", 0.0, 0.0, 0.0, false } };
    const yk_masses given = { .masses = 1, .mass = mass };
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    CHECK_STATUS(yk_masses_create(&system, "m", &given, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "the mass of coordinate \"light\" is 0");
}

/* ---- mass matrices ------------------------------------------------------- */

static yoke_status given_mass(void *self, const double *q, double *M,
                              yoke_err *err)
{
    (void)q, (void)err;
    memcpy(M, self, 9 * sizeof *M);
    return YOKE_OK;
}

static yoke_status no_force(void *self, double t, const double *q,
                            const double *v, const double *u, double *phi,
                            yoke_err *err)
{
    (void)self, (void)t, (void)q, (void)v, (void)u, (void)phi, (void)err;
    return YOKE_OK;
}

static yoke_status with_mass(double M[9], yoke_err *err)
{
    static const yoke_mechanism_ops ops = { .mass = given_mass,
                                            .force = no_force };
    static const char *const name[] = { "p", "q", "r" };
    const yoke_mechanism given = { .n = 3, .q_name = name };
    yoke_system *system = NULL;
    const yoke_status status =
        yoke_mechanism_create(&system, "m", &ops, M, &given, err);

    yoke_system_free(system);
    return status;
}

static void indefinite_mass_matrix_names_the_coordinates(void **state)
{
    double good[] = { 2, 1, 0, 1, 2, 0, 0, 0, 1 };
    double bad[] = { 1, 0, 2, 0, 1, 0, 2, 0, 1 };
    double singular[] = { 1, 0, 0, 0, 4, 2, 0, 2, 1 };
    double skew[] = { 1, 0.5, 0, -0.5, 1, 0, 0, 0, 1 };
    yoke_err err;
    (void)state;
    CHECK_OK(with_mass(good, &err), &err);
    CHECK_STATUS(with_mass(bad, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "not positive definite: a motion of \"p\" and "
                             "\"r\" alone has the kinetic energy -1.5");
    CHECK_STATUS(with_mass(singular, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "a motion of \"q\" and \"r\" alone");
    CHECK_STATUS(with_mass(skew, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "not symmetric");
}

/* ---- memory -------------------------------------------------------------- */

/* Every allocation fails once; nothing is left behind. */
static void allocation_failures_leave_nothing(void **state)
{
    const double weight[] = { 1.0, -1.0, 0.0 };
    const yk_masses_bar bar = { "rod", weight, -1 };
    const yk_masses given = { .masses = 3,
                              .bars = 1,
                              .mass = three,
                              .bar = &bar,
                              .formulation = YOKE_GGL };
    yoke_status status = YOKE_E_MEMORY;
    yoke_err err;
    (void)state;
    for (int k = 1; status != YOKE_OK; k++) {
        yoke_system *system = NULL;
        fault_allocator(k);
        status = yk_masses_create(&system, "m", &given, &err);
        if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        yoke_system_free(system);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulations_have_their_index),
        cmocka_unit_test(start_values_are_consistent_on_all_levels),
        cmocka_unit_test(inconsistent_positions_and_velocities_are_refused),
        cmocka_unit_test(masses_conform),
        cmocka_unit_test(dependent_constraints_are_named),
        cmocka_unit_test(contradictory_constraints_are_named),
        cmocka_unit_test(masses_that_are_none_are_refused),
        cmocka_unit_test(indefinite_mass_matrix_names_the_coordinates),
        cmocka_unit_test(allocation_failures_leave_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
