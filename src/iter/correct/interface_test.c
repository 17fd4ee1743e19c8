/* iter/interface_test.c -- late waveforms, the linearised sweep, the march. */
#include "check.h"

#include "iter/correct/interface.h"
#include "la/dense.h"
#include "step/steppers.h"
#include "yoke/stepper.h"
#include "yoke/system.h"

#include <math.h>
#include <string.h>

enum { UNITS = 130, FEW = 3, STEPS = 12 };

/* x' = a x + b u,  y = x + d u: three of them in a ring, unit i reads unit
 * i + 1 with a weight. */
typedef struct ring {
    int units;
    double a[UNITS], b[UNITS], d[UNITS], weight[UNITS];
    yoke_system *system[UNITS];
    yk_propagator propagator[UNITS];
    yk_feed feed[UNITS];
    yk_unit unit[UNITS];
    int output_id[UNITS];
    int cluster[UNITS], stage[UNITS + 1], member[UNITS], last[UNITS];
    yoke_schedule schedule;
    bool seen[UNITS], late[UNITS], read[UNITS];
    yk_unit_state state[UNITS];
    yk_plan_state plan;
    yk_interface *interface;
    yk_executor executor;
    double price[UNITS];
    bool alone[UNITS], away[UNITS];
} ring;

static void unit_create(ring *r, int i)
{
    const double one = 1.0, zero = 0.0;
    const yoke_linear matrices = { .n = 1,
                                   .m = 1,
                                   .p = 1,
                                   .A = &r->a[i],
                                   .B = &r->b[i],
                                   .H = &one,
                                   .D = &r->d[i],
                                   .x0 = &one };
    const yoke_stepper_options stepper = yoke_stepper_defaults();
    yk_propagator *p = &r->propagator[i];
    double y = 0.0;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&r->system[i], "u", &matrices, &err), &err);
    CHECK_OK(yk_stepper_create(p, r->system[i], &stepper, 0, NULL, &err), &err);
    CHECK_OK(p->ops->start(p->self, 0.0, NULL, &zero, &y, &err), &err);
    r->feed[i] = (yk_feed){ (i + 1) % r->units, 0, 0, r->weight[i], NULL };
    r->unit[i] = (yk_unit){ .name = "u",
                            .propagator = p,
                            .feeds = 1,
                            .feed = &r->feed[i],
                            .output_id = &r->output_id[i] };
    r->state[i] = (yk_unit_state){ .unit = &r->unit[i],
                                   .seen = &r->seen[i],
                                   .late = &r->late[i],
                                   .read = &r->read[i] };
}

static void ring_create(ring *r, int units, bool jacobi)
{
    static const double a[] = { -1.0, 0.5, -40.0 }, b[] = { 2.0, 3.0, 30.0 };
    static const double d[] = { 0.5, -0.7, 0.0 }, weight[] = { 1.0, -2.0, 3.0 };
    yoke_err err;

    *r = (ring){ .units = units };
    for (int i = 0; i < units; i++) {
        r->a[i] = a[i % FEW];
        r->b[i] = b[i % FEW];
        r->d[i] = d[i % FEW];
        r->weight[i] = weight[i % FEW];
        r->member[i] = i;
        r->stage[i + 1] = jacobi ? units : i + 1;
        unit_create(r, i);
    }
    r->schedule = (yoke_schedule){ .nodes = units,
                                   .clusters = units,
                                   .stages = jacobi ? 1 : units,
                                   .cluster = r->cluster,
                                   .stage = r->stage,
                                   .member = r->member };
    r->executor = yk_executor_serial();
    r->plan = (yk_plan_state){ .plan = { units, r->unit, &r->schedule, 1.0 },
                               .unit = r->state,
                               .stage = r->last,
                               .executor = &r->executor,
                               .price = r->price,
                               .alone = r->alone,
                               .away = r->away };
    yk_sweep_order(&r->plan);
    CHECK_OK(yk_interface_create(&r->interface, &r->plan, &err), &err);
}

static void ring_free(ring *r)
{
    yk_interface_free(r->interface);
    for (int i = 0; i < r->units; i++) {
        r->propagator[i].ops->free(r->propagator[i].self);
        yoke_system_free(r->system[i]);
    }
}

/* ---- late components ---------------------------------------------------- */

static void jacobi_reads_all_late_and_seidel_one(void **state)
{
    (void)state;
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        const yk_late *late = NULL;
        ring r;
        ring_create(&r, 3, jacobi);
        /* 0 reads 1, 1 reads 2 before they are solved; 2 reads 0 after it. */
        assert_int_equal(yk_interface_size(r.interface, &late), jacobi ? 3 : 2);
        for (int k = 0; k < (jacobi ? 3 : 2); k++) {
            assert_int_equal(late[k].unit, jacobi ? k : k + 1);
            assert_int_equal(late[k].component, 0);
        }
        assert_true(yk_interface_can(r.interface));
        ring_free(&r);
    }
}

static void a_unit_without_an_answer_cannot_be_linearised(void **state)
{
    yk_propagator_ops ops;
    ring r;
    (void)state;
    ring_create(&r, 2, false);
    ops = *r.propagator[1].ops;
    ops.answer = NULL;
    const yk_propagator_ops *own = r.propagator[1].ops;
    r.propagator[1].ops = &ops;
    assert_false(yk_interface_can(r.interface));
    r.propagator[1].ops = own;
    ring_free(&r);
}

/* ---- S ------------------------------------------------------------------ */

static double z_of(const ring *r, int i, double h)
{
    return r->d[i] + r->b[i] / (1.5 / h - r->a[i]);
}

static void the_inverse_is_that_of_the_hand_formula(void **state)
{
    const double h = 0.05;
    ring r;
    yoke_err err;
    (void)state;
    ring_create(&r, 2, false); /* w = y1: S = z1 g1 z0 g0 */
    CHECK_OK(yk_interface_linearise(r.interface, h, NULL, &err), &err);
    const double s = z_of(&r, 0, h) * 1.0 * z_of(&r, 1, h) * -2.0;
    double m[4] = { 0.0 };
    CHECK_OK(yk_interface_inverse(r.interface, m, &err), &err);
    CHECK_NEAR(m[0], 1.0 / (1.0 - s), 1e-12);
    ring_free(&r);

    ring_create(&r, 2, true); /* [1, -z0 g0; -z1 g1, 1]^-1 */
    CHECK_OK(yk_interface_linearise(r.interface, h, NULL, &err), &err);
    CHECK_OK(yk_interface_inverse(r.interface, m, &err), &err);
    const double p = z_of(&r, 0, h), q = -2.0 * z_of(&r, 1, h);
    CHECK_NEAR(m[0], 1.0 / (1.0 - p * q), 1e-12);
    CHECK_NEAR(m[1], p / (1.0 - p * q), 1e-12);
    CHECK_NEAR(m[2], q / (1.0 - p * q), 1e-12);
    CHECK_NEAR(m[3], 1.0 / (1.0 - p * q), 1e-12);
    ring_free(&r);
}

/* ---- many late components ----------------------------------------------- */

/* Columns that are followed leave out what is small by the tolerances; here all
 * outputs are 0, so that these are equal. */
static void followed_columns_are_those_of_the_inverse(void **state)
{
    static double m[UNITS * UNITS];
    static ring r;
    yk_rows rows = { 0 };
    double most = 0.0;
    yoke_err err;
    (void)state;
    ring_create(&r, UNITS, true);
    for (int i = 0; i < UNITS; i++)
        CHECK_OK(yk_wave_create(&r.state[i].y, 1, &err), &err);
    CHECK_OK(yk_interface_linearise(r.interface, 0.02, NULL, &err), &err);
    CHECK_OK(yk_interface_inverse(r.interface, m, &err), &err);
    CHECK_OK(yk_interface_rows(r.interface, 1.0, 0.0, &rows, &err), &err);
    assert_int_equal(rows.n, UNITS);
    assert_true(rows.start[UNITS] > 20 * UNITS);
    for (int i = 0; i < UNITS; i++) {
        m[i * UNITS + i] -= 1.0;
        for (int k = rows.start[i]; k < rows.start[i + 1]; k++)
            m[i * UNITS + rows.col[k]] -= rows.value[k];
    }
    for (int k = 0; k < UNITS * UNITS; k++) most = fmax(most, fabs(m[k]));
    CHECK_BETWEEN(most, 0.0, 1e-2);
    yk_rows_clear(&rows);
    for (int i = 0; i < UNITS; i++) yk_wave_free(r.state[i].y);
    ring_free(&r);
}

/* Around a loop of gain above 1 nothing ever gets small: M = I. */
static void columns_that_do_not_end_are_left_out(void **state)
{
    static ring r;
    yk_rows rows = { 0 };
    yoke_err err;
    (void)state;
    ring_create(&r, UNITS, true);
    for (int i = 0; i < UNITS; i++) {
        CHECK_OK(yk_wave_create(&r.state[i].y, 1, &err), &err);
        r.feed[i].weight *= 3.0;
    }
    yk_interface_free(r.interface);
    CHECK_OK(yk_interface_create(&r.interface, &r.plan, &err), &err);
    CHECK_OK(yk_interface_linearise(r.interface, 0.05, NULL, &err), &err);
    CHECK_OK(yk_interface_rows(r.interface, 1.0, 0.0, &rows, &err), &err);
    assert_int_equal(rows.start[UNITS], 0);
    yk_rows_clear(&rows);
    for (int i = 0; i < UNITS; i++) yk_wave_free(r.state[i].y);
    ring_free(&r);
}

/* ---- two visits ---------------------------------------------------------- */

/* 0 > 1 > 0: unit 0 reads the old y1, which no one notes as late; then unit 1
 * reads the new y0, and unit 0 the new y1.  w = y0 is read by nobody before it
 * is made, so S = 0. */
static void a_unit_may_be_visited_twice(void **state)
{
    double m[4] = { 0.0 };
    ring r;
    yoke_err err;
    (void)state;
    ring_create(&r, 2, false);
    yk_interface_free(r.interface);
    r.member[2] = 0;
    r.stage[3] = 3;
    r.schedule.stages = 3;
    for (int i = 0; i < 2; i++) r.late[i] = false;
    yk_sweep_order(&r.plan);
    CHECK_OK(yk_interface_create(&r.interface, &r.plan, &err), &err);
    assert_int_equal(yk_interface_size(r.interface, NULL), 1);
    CHECK_OK(yk_interface_linearise(r.interface, 0.05, NULL, &err), &err);
    CHECK_OK(yk_interface_inverse(r.interface, m, &err), &err);
    CHECK_NEAR(m[0], 1.0, 1e-12);
    ring_free(&r);
}

/* ---- march -------------------------------------------------------------- */

enum { MOST = FEW * STEPS };

/* The answer of unit i over the points 1 ... STEPS as a matrix, by the formula
 * solved whole:  (T - a I) x = b u,  y = x + d u. */
static void space_time(const ring *r, int i, double h, double out[STEPS][STEPS])
{
    double whole[STEPS * STEPS] = { 0.0 };
    int pivot[STEPS];
    yoke_err err;

    for (int n = 0; n < STEPS; n++) {
        whole[n * STEPS + n] = 1.5 / h - r->a[i];
        if (n > 0) whole[n * STEPS + n - 1] = -2.0 / h;
        if (n > 1) whole[n * STEPS + n - 2] = 0.5 / h;
    }
    CHECK_OK(yk_dense_factor(STEPS, whole, pivot, NULL, &err), &err);
    for (int j = 0; j < STEPS; j++) {
        double x[STEPS] = { 0.0 };
        x[j] = r->b[i];
        CHECK_OK(yk_dense_solve(STEPS, whole, pivot, 1, x, &err), &err);
        for (int n = 0; n < STEPS; n++)
            out[n][j] = x[n] + (n == j ? r->d[i] : 0.0);
    }
}

/* Solves dw - F' dw = rhs whole, without using that it is a sweep: all outputs
 * and the late waveforms are unknowns,
 *
 *     y_i = L_i weight_i (w or y of unit i + 1),   w_l - y_l = rhs_l.
 */
static void solve_whole(const ring *r, double h, int size, const yk_late *late,
                        const double *rhs, double *w)
{
    enum { ALL = 2 * MOST };
    static double a[ALL * ALL];
    double b[ALL] = { 0.0 };
    int pivot[ALL], late_at[FEW];
    const int ys = r->units * STEPS, all = ys + size * STEPS;
    yoke_err err;

    memset(a, 0, sizeof a);
    for (int i = 0; i < r->units; i++) late_at[i] = -1;
    for (int l = 0; l < size; l++) late_at[late[l].unit] = l;
    for (int i = 0; i < r->units; i++) {
        double answer[STEPS][STEPS];
        const int from = (i + 1) % r->units;
        const bool early = r->last[from] < r->last[i];
        const int at = early ? from * STEPS : ys + late_at[from] * STEPS;
        space_time(r, i, h, answer);
        for (int n = 0; n < STEPS; n++) {
            a[(i * STEPS + n) * all + i * STEPS + n] = 1.0;
            for (int j = 0; j < STEPS; j++)
                a[(i * STEPS + n) * all + at + j] -=
                    r->weight[i] * answer[n][j];
        }
    }
    for (int l = 0; l < size; l++)
        for (int n = 0; n < STEPS; n++) {
            const int row = ys + l * STEPS + n;
            a[row * all + row] = 1.0;
            a[row * all + late[l].unit * STEPS + n] = -1.0;
            b[row] = rhs[(n + 1) * size + l];
        }
    CHECK_OK(yk_dense_factor(all, a, pivot, NULL, &err), &err);
    CHECK_OK(yk_dense_solve(all, a, pivot, 1, b, &err), &err);
    for (int l = 0; l < size; l++)
        for (int n = 0; n < STEPS; n++)
            w[(n + 1) * size + l] = b[ys + l * STEPS + n];
}

static void the_march_solves_the_whole_space_time_system(void **state)
{
    const double h = 0.02;
    (void)state;
    for (int units = 2; units <= FEW; units++)
        for (int jacobi = 0; jacobi < 2; jacobi++) {
            double rhs[FEW * (STEPS + 1)], dw[FEW * (STEPS + 1)];
            double w[FEW * (STEPS + 1)], m[FEW * FEW];
            const yk_late *late = NULL;
            unsigned seed = 5;
            ring r;
            yoke_err err;
            ring_create(&r, units, jacobi);
            const int size = yk_interface_size(r.interface, &late);
            for (int k = 0; k < size * (STEPS + 1); k++) {
                seed = seed * 1664525u + 1013904223u;
                rhs[k] = (double)(seed >> 8) / (double)(1u << 23) - 1.0;
            }
            CHECK_OK(yk_interface_linearise(r.interface, h, NULL, &err), &err);
            solve_whole(&r, h, size, late, rhs, w);
            for (int twice = 0; twice < 2; twice++) {
                CHECK_OK(
                    yk_interface_march(r.interface, STEPS + 1, rhs, dw, &err),
                    &err);
                for (int k = size; k < size * (STEPS + 1); k++)
                    CHECK_NEAR(dw[k], w[k], 1e-10 * fmax(1.0, fabs(w[k])));
            }
            /* At point 0 there is no history: dw = M r. */
            CHECK_OK(yk_interface_inverse(r.interface, m, &err), &err);
            for (int i = 0; i < size; i++) {
                double both = 0.0;
                for (int j = 0; j < size; j++) both += m[i * size + j] * rhs[j];
                CHECK_NEAR(dw[i], both, 1e-10 * fmax(1.0, fabs(both)));
            }
            ring_free(&r);
        }
}

/* ---- refusals ----------------------------------------------------------- */

/* A loop of gain 1 without memory: I - S = 0. */
static void a_loop_without_a_solution_is_a_retry(void **state)
{
    ring r = { 0 };
    yoke_err err;
    (void)state;
    ring_create(&r, 2, false);
    ring_free(&r);
    r = (ring){ .units = 2, .weight = { 1.0, 1.0 }, .d = { 1.0, 1.0 } };
    for (int i = 0; i < 2; i++) {
        r.member[i] = i;
        r.stage[i + 1] = i + 1;
        unit_create(&r, i);
    }
    r.schedule = (yoke_schedule){ .nodes = 2,
                                  .clusters = 2,
                                  .stages = 2,
                                  .cluster = r.cluster,
                                  .stage = r.stage,
                                  .member = r.member };
    r.plan = (yk_plan_state){ .plan = { 2, r.unit, &r.schedule, 1.0 },
                              .unit = r.state,
                              .stage = r.last };
    yk_sweep_order(&r.plan);
    CHECK_OK(yk_interface_create(&r.interface, &r.plan, &err), &err);
    CHECK_STATUS(yk_interface_linearise(r.interface, 0.1, NULL, &err),
                 YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "singular");
    ring_free(&r);
}

static void every_allocation_may_fail(void **state)
{
    yoke_status status = YOKE_E_MEMORY;
    ring r;
    (void)state;
    ring_create(&r, 3, true);
    for (long k = 1; status != YOKE_OK; k++) {
        yk_interface *f = NULL;
        yoke_err err;
        fault_allocator(k);
        status = yk_interface_create(&f, &r.plan, &err);
        if (status != YOKE_OK) {
            assert_int_equal(status, YOKE_E_MEMORY);
            assert_null(f);
            assert_int_equal(fault_blocks(), 0);
        }
        yk_interface_free(f);
        fault_restore();
        assert_true(k < 100);
    }
    ring_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_reads_all_late_and_seidel_one),
        cmocka_unit_test(a_unit_without_an_answer_cannot_be_linearised),
        cmocka_unit_test(the_inverse_is_that_of_the_hand_formula),
        cmocka_unit_test(followed_columns_are_those_of_the_inverse),
        cmocka_unit_test(columns_that_do_not_end_are_left_out),
        cmocka_unit_test(a_unit_may_be_visited_twice),
        cmocka_unit_test(the_march_solves_the_whole_space_time_system),
        cmocka_unit_test(a_loop_without_a_solution_is_a_retry),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
