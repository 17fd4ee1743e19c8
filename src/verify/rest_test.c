/* verify/rest_test.c -- runs that rest at points that nothing holds. */
#include "check.h"

#include "yoke/run.h"

#include <string.h>

/* One pendulum, or two that a spring joins as subsystems: x'' = a x + k (other
 * - x); the first remark, or "". */
static void run(double a, double x0, int count, double k, char *text)
{
    const double A[] = { 0.0, 1.0, a - k, 0.0 }, B[] = { 0.0, k };
    const double H[] = { 1.0, 0.0 }, start[] = { x0, 0.0 };
    const yoke_linear one = { .n = 2,
                              .m = count > 1 ? 1 : 0,
                              .p = 1,
                              .A = A,
                              .B = count > 1 ? B : NULL,
                              .H = H,
                              .x0 = start };
    static const char *const name[] = { "left", "right" };
    yoke_err err = { YOKE_OK, "" };
    yoke_model *model = NULL;
    yoke_run *r = NULL;
    const char *subsystem = NULL;
    yoke_remark remark;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    for (int i = 0; i < count; i++) {
        yoke_system *system = NULL;
        CHECK_OK(yoke_linear_create(&system, name[i], &one, &err), &err);
        CHECK_OK(yoke_model_add(model, system, NULL, &err), &err);
    }
    for (int i = 0; count > 1 && i < 2; i++)
        CHECK_OK(yoke_graph_signal(yoke_model_graph(model),
                                   i ? "right.u1" : "left.u1",
                                   i ? "left.y1" : "right.y1", 1.0, &err),
                 &err);
    yoke_run_options options = yoke_run_defaults();
    options.stop = 10.0;
    CHECK_OK(yoke_run_create(&r, model, &options, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(r, 10.0, &err), &err);
    strcpy(text, "");
    if (yoke_run_remark(r, 0, &subsystem, &remark))
        strncat(text, remark.text, 300);
    CHECK_OK(yoke_run_close(r, NULL), NULL);
    yoke_model_free(model);
}

static void a_pendulum_at_the_top_is_told(void **state)
{
    char text[400];
    (void)state;

    run(9.0, 0.0, 1, 0.0, text);
    CHECK_CONTAINS(text, "rests at an unstable point");
    CHECK_CONTAINS(text, "grow by e in 0.333 s;");
}

static void one_that_hangs_or_falls_is_not(void **state)
{
    char text[400];
    (void)state;

    run(-9.0, 0.0, 1, 0.0, text);
    assert_string_equal(text, "");
    run(9.0, 1e-3, 1, 0.0, text);
    assert_string_equal(text, "");
    run(1e-3, 0.0, 1, 0.0, text); /* too slow to matter */
    assert_string_equal(text, "");
}

/* Apart each is stable with the other held, -1.1; together they fall, +0.9. */
static void coupled_ones_are_looked_at_as_one(void **state)
{
    char text[400];
    (void)state;

    run(0.9, 0.0, 2, 2.0, text);
    CHECK_CONTAINS(text, "grow by e in 1.05 s;");
    run(-0.1, 0.0, 2, 2.0, text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_at_the_top_is_told),
        cmocka_unit_test(one_that_hangs_or_falls_is_not),
        cmocka_unit_test(coupled_ones_are_looked_at_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
