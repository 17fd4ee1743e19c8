/* wave/jumps_test.c */
#include "wave/wave_fixture.h"

#include "wave/jumps.h"

enum { H = 2 };

/* From 0 to 3 at `at`, with `level` before. */
static yk_wave *step(double at, double level)
{
    const double low = level, high = 3.0;
    yk_wave *w = new_wave(1, 0.0);

    CHECK_OK(yk_wave_append_constant(w, at, &low, NULL), NULL);
    CHECK_OK(yk_wave_append_constant(w, H, &high, NULL), NULL);
    return w;
}

static double least(void *context, int c, double size)
{
    (void)c, (void)size;
    return *(double *)context;
}

static double distance(double a, double b, double level, double tolerance,
                       bool *alike)
{
    yk_wave *y = step(a, 0.0), *old = step(b, level);
    double here, sum, out;
    const yk_jump_rule rule = { .least = least,
                                .context = &tolerance,
                                .a = new_wave(1, 0.0),
                                .b = new_wave(1, 0.0),
                                .here = &here,
                                .sum = &sum };

    CHECK_OK(yk_jumps_distance(&rule, y, old, &out, alike, NULL, NULL), NULL);
    yk_wave_free(y);
    yk_wave_free(old);
    yk_wave_free(rule.a);
    yk_wave_free(rule.b);
    return out;
}

static void jump_that_moved_counts_its_integral(void **state)
{
    bool alike = false;

    (void)state;
    CHECK_NEAR(distance(1.0, 1.02, 0.0, 0.5, &alike), 3.0 * 0.02 / H, 1e-12);
    assert_true(alike);
    CHECK_NEAR(distance(1.0, 1.02, 0.1, 0.5, &alike), 0.1 + 3.0 * 0.02 / H,
               1e-12);
}

static void jumps_far_apart_are_two(void **state)
{
    bool alike = true;

    (void)state;
    CHECK_NEAR(distance(1.0, 1.2, 0.0, 0.5, &alike), 3.0, 1e-12);
    assert_false(alike);
}

static void what_nobody_reads_does_not_jump(void **state)
{
    bool alike = false;

    (void)state;
    CHECK_NEAR(distance(1.0, 1.2, 0.0, INFINITY, &alike), 3.0, 1e-12);
    assert_true(alike);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jump_that_moved_counts_its_integral),
        cmocka_unit_test(jumps_far_apart_are_two),
        cmocka_unit_test(what_nobody_reads_does_not_jump),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
