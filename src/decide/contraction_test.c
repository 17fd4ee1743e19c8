/* decide/contraction_test.c -- what is known before the run against theory. */
#include "check.h"

#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_linear(yoke_model *model, const char *name,
                       const yoke_linear *linear)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&system, name, linear, &err), &err);
    CHECK_OK(yoke_model_add(model, system, NULL, &err), &err);
}

static void connect(yoke_model *model, const char *input, const char *output)
{
    yoke_err err;

    CHECK_OK(
        yoke_graph_signal(yoke_model_graph(model), input, output, 1.0, &err),
        &err);
}

static double radius(yoke_model *model, const yoke_run_options *options,
                     double h)
{
    yoke_contraction c = { .h = h };
    yoke_err err;

    CHECK_OK(yoke_model_contraction(model, options, 1, &c, &err), &err);
    return c.rho;
}

/* Crow, Ilic 1990, (29)-(31): {x1, y} | {x2}. */
static yoke_model *crow_ilic(double l1, double l2)
{
    const double E1[] = { 1, 0, 0, 0 }, A1[] = { -5, 1, 1, 0 },
                 B1[] = { 0.1, l1 };
    const double A2[] = { -l2 }, B2[] = { 1 }, H2[] = { 1 };
    const char *const first[] = { "x1", "y" }, *const second[] = { "x2" };
    const yoke_linear one = { .n = 2,
                              .m = 1,
                              .E = E1,
                              .A = A1,
                              .B = B1,
                              .x_name = first,
                              .u_name = second };
    const yoke_linear two = { .n = 1,
                              .m = 1,
                              .p = 1,
                              .A = A2,
                              .B = B2,
                              .H = H2,
                              .x_name = second,
                              .u_name = first,
                              .y_name = second };
    yoke_model *model = NULL;

    CHECK_OK(yoke_model_create(&model, NULL), NULL);
    add_linear(model, "a", &one);
    add_linear(model, "b", &two);
    connect(model, "a.x2", "b.x2");
    connect(model, "b.x1", "a.x1");
    return model;
}

static void the_step_bound_of_crow_and_ilic_is_predicted(void **state)
{
    const double l1 = 10.0, l2 = 0.5, bound = 1.0 / (l1 - l2);
    const double part[] = { 0.01, 0.5, 0.99, 1.01, 1.1 };
    yoke_run_options options = yoke_run_defaults();
    yoke_model *model = crow_ilic(l1, l2);
    (void)state;

    options.given = true; /* index 2 */
    for (int k = 0; k < 5; k++) {
        const double h = part[k] * bound, rate = l1 * h / (1.0 + l2 * h);
        options.scheme = YOKE_GAUSS_SEIDEL;
        CHECK_NEAR(radius(model, &options, h), rate, 1e-12);
        options.scheme = YOKE_JACOBI;
        CHECK_NEAR(radius(model, &options, h), sqrt(rate), 1e-10);
    }
    yoke_model_free(model);
}

/* m x'' = lambda each, constraint on the accelerations, owned by b: alpha is
 * the ratio of the masses m_b / m_a. */
static yoke_model *two_bodies(double ma, double mb, const char *owner)
{
    const double E[] = { 1, 0, 0, 0 };
    const double Aa[] = { 0, 1, 0, -ma }, Ab[] = { 0, 1, 0, -mb };
    const double B[] = { 0, 1 }, Bm[] = { 0, -1 };
    const char *const name[] = { "v", "a" }, *const force[] = { "force" };
    const char *const read[] = { "a.a", "b.a" };
    const double weight[] = { 1, -1 };
    const yoke_linear one = {
        .n = 2, .m = 1, .E = E, .A = Aa, .B = B, .x_name = name, .u_name = force
    };
    const yoke_linear two = { .n = 2,
                              .m = 1,
                              .E = E,
                              .A = Ab,
                              .B = Bm,
                              .x_name = name,
                              .u_name = force };
    const yoke_constraint joint = { .count = 1,
                                    .outputs = 2,
                                    .output = read,
                                    .weight = weight,
                                    .owner = owner };
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, NULL), NULL);
    add_linear(model, "a", &one);
    add_linear(model, "b", &two);
    CHECK_OK(
        yoke_graph_constraint(yoke_model_graph(model), "joint", &joint, &err),
        &err);
    connect(model, "a.force", "joint.lambda");
    connect(model, "b.force", "joint.lambda");
    return model;
}

static void alpha_of_a_joint_is_the_ratio_of_masses(void **state)
{
    const yoke_run_options options = yoke_run_defaults();
    (void)state;
    for (double ratio = 0.01; ratio < 200.0; ratio *= 10.0) {
        yoke_model *model = two_bodies(1.0, ratio, "b");
        CHECK_NEAR(radius(model, &options, 1e-6), ratio, 1e-9 * ratio);
        yoke_model_free(model);
        model = two_bodies(1.0, ratio, "a");
        CHECK_NEAR(radius(model, &options, 1e-6), 1.0 / ratio, 1e-9 / ratio);
        yoke_model_free(model);
    }
}

static void weighted_schedules_and_bad_steps_are_refused(void **state)
{
    yoke_run_options options = yoke_run_defaults();
    yoke_model *model = two_bodies(1.0, 2.0, "b");
    yoke_contraction c = { .h = 0.0 };
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_model_contraction(model, &options, 1, &c, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "h[0] = 0");
    options.schedule = "0.5 * a > b; 0.5 * b > a";
    CHECK_STATUS(yoke_model_contraction(model, &options, 1, &c, &err),
                 YOKE_E_ARG, &err);
    yoke_model_free(model);
}

static void the_best_owner_is_advised(void **state)
{
    const yoke_run_options options = yoke_run_defaults();
    yoke_model *model = two_bodies(1.0, 5.0, "b"); /* the wrong one */
    yoke_advice best[4];
    int count = 0;
    yoke_err err;
    (void)state;
    CHECK_OK(
        yoke_model_advise(model, &options, 1e-6, 0.1, 4, best, &count, &err),
        &err);
    assert_int_equal(count, 4); /* two owners, two orders */
    assert_string_equal(best[0].schedule, "a + joint > b");
    CHECK_NEAR(best[0].rho, 0.2, 1e-9);
    CHECK_NEAR(best[3].rho, 5.0, 1e-7);
    CHECK_STATUS(
        yoke_model_advise(model, &options, 0.0, 0.0, 4, best, &count, &err),
        YOKE_E_ARG, &err);
    yoke_model_free(model);
}

/* A ring of six parts z_i = g z_{i-1} + x_i.  If d of its links are read before
 * they are written in a sweep, d sweeps multiply the error by g^6: the radius
 * is g^(6/d).  The best orders have d = 1, the worst d = 5. */
static void all_orders_of_six_are_judged(void **state)
{
    enum { PARTS = 6, ORDERS = 720 };
    static yoke_advice best[ORDERS];
    const double E[] = { 1, 0, 0, 0 }, A[] = { -1, 0, 1, -1 }, B[] = { 0, 0.5 };
    const char *const name[] = { "x", "z" }, *const input[] = { "u" };
    const yoke_linear part = {
        .n = 2, .m = 1, .E = E, .A = A, .B = B, .x_name = name, .u_name = input
    };
    const yoke_run_options options = yoke_run_defaults();
    yoke_model *model = NULL;
    int count = 0;
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    for (int i = 0; i < PARTS; i++)
        add_linear(model, (char[]){ (char)('a' + i), '\0' }, &part);
    for (int i = 0; i < PARTS; i++)
        connect(model, (char[]){ (char)('a' + (i + 1) % PARTS), '.', 'u', 0 },
                (char[]){ (char)('a' + i), '.', 'z', 0 });
    CHECK_OK(yoke_model_advise(model, &options, 1e-6, 0.1, ORDERS, best, &count,
                               &err),
             &err);
    assert_int_equal(count, ORDERS);
    CHECK_NEAR(best[0].rho, pow(0.5, 6.0), 1e-9);
    CHECK_NEAR(best[0].rho_window, pow(0.5, 6.0), 1e-9);
    CHECK_NEAR(best[ORDERS - 1].rho, pow(0.5, 6.0 / 5.0), 1e-9);
    for (int k = 1; k < ORDERS; k++)
        assert_true(best[k - 1].rho <= best[k].rho * (1.0 + 1e-9));
    yoke_model_free(model);
}

static void every_allocation_may_fail(void **state)
{
    const yoke_run_options options = yoke_run_defaults();
    yoke_status status = YOKE_E_MEMORY;
    (void)state;
    for (long n = 1; status != YOKE_OK; n++) {
        yoke_contraction c = { .h = 0.1 };
        fault_allocator(0);
        yoke_model *model = two_bodies(1.0, 2.0, "b");
        const long before = fault_requests();
        const long blocks = fault_blocks();
        fault_fail_after(before + n);
        status = yoke_model_contraction(model, &options, 1, &c, NULL);
        if (status == YOKE_OK) {
            yoke_advice best;
            int count = 0;
            status = yoke_model_advise(model, &options, 0.1, 0.0, 1, &best,
                                       &count, NULL);
        }
        assert_int_equal(fault_blocks(), blocks);
        assert_true(status == YOKE_OK || status == YOKE_E_MEMORY);
        yoke_model_free(model);
        fault_restore();
    }
}

/* x' = -x + (left + 2 right)/4 in a ring of so many. */
static yoke_model *ring(int count)
{
    const double A[] = { -1 }, B[] = { 0.25, 0.5 }, H[] = { 1 }, x0[] = { 1 };
    const char *const x[] = { "x" }, *const u[] = { "left", "right" };
    const yoke_linear one = { .n = 1,
                              .m = 2,
                              .p = 1,
                              .A = A,
                              .B = B,
                              .H = H,
                              .x0 = x0,
                              .x_name = x,
                              .u_name = u,
                              .y_name = x };
    yoke_model *model = NULL;

    CHECK_OK(yoke_model_create(&model, NULL), NULL);
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%d", i);
        add_linear(model, name, &one);
    }
    for (int i = 0; i < count; i++) {
        char input[24], output[24];
        snprintf(input, sizeof input, "r%d.left", i);
        snprintf(output, sizeof output, "r%d.x", (i + count - 1) % count);
        connect(model, input, output);
        snprintf(input, sizeof input, "r%d.right", i);
        snprintf(output, sizeof output, "r%d.x", (i + 1) % count);
        connect(model, input, output);
    }
    return model;
}

/* More than YK_GRAPH_FEW_SIGNALS, so by products; the check forms the matrix. */
static void a_run_predicts_the_rate_of_the_check(void **state)
{
    const double h = 0.05;
    yoke_run_options options = yoke_run_defaults();
    yoke_model *model = ring(48);
    yoke_run *run = NULL;
    double rate = NAN;
    yoke_err err;
    (void)state;

    options.scheme = YOKE_JACOBI;
    options.cluster = YOKE_CLUSTER_NONE;
    options.iterate.window = options.stop = h;
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, h, &err), &err);
    CHECK_OK(yoke_run_predict(run, &rate, &err), &err);
    CHECK_NEAR(rate, 0.75 * h / (1.0 + h), 1e-4 * 0.75 * h);
    CHECK_OK(yoke_run_close(run, &err), &err);
    CHECK_NEAR(radius(model, &options, h), rate, 1e-4 * rate);
    yoke_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_bound_of_crow_and_ilic_is_predicted),
        cmocka_unit_test(alpha_of_a_joint_is_the_ratio_of_masses),
        cmocka_unit_test(weighted_schedules_and_bad_steps_are_refused),
        cmocka_unit_test(the_best_owner_is_advised),
        cmocka_unit_test(all_orders_of_six_are_judged),
        cmocka_unit_test(a_run_predicts_the_rate_of_the_check),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
