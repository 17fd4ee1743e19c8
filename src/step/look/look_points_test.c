/* step/look/look_points_test.c -- where cheap bounds say that a step has nothing to
 * test no candidate would be tested. */
#include "check.h"

#include "base/base.h"
#include "step/look/look.h"
#include "step/policy.h"

#include <math.h>

static double between(unsigned long long *seed, double a, double b)
{
    return a + (b - a) * yk_random(seed);
}

/* Would a candidate be tested, one after the other? */
static bool any_test(yk_points *c, yk_problem *p, const yk_stages *nodes,
                     double h)
{
    const double size = fmax(fabs(c->low[0]), fabs(c->high[0]));
    yoke_err err;

    CHECK_OK(yk_points_collect(c, p, nodes, 0.0, h, true, &err), &err);
    for (int i = 0; i < nodes->count; i++) yk_points_see(c, 1, c->node + i);
    if (c->most[0] > yk_tolerance_u(p, size)) return true;
    if (p->affine) return false;
    for (int s = -1; s <= 1; s += 2) {
        const yk_direction a = { 1, { 0 }, { s } };
        if (yk_points_extreme(c, 1, &a, p->options.rtol) >= 0) return true;
    }
    return yk_points_farthest(c, YK_LOOK_NEW_VALUE) >= 0;
}

/* A piece of any degree up to 5, whose terms shrink by a factor, around a step, and a
 * range of inputs that were seen. */
static void draw(unsigned long long *seed, yk_wave *u, yk_points *c)
{
    const int degree = (int)between(seed, 0.0, 6.0);
    const double shrinks = pow(10.0, between(seed, -2.0, 0.0));
    double coef[6] = { between(seed, -1.0, 1.0) }, power = 1.0;
    double end = coef[0];

    for (int k = 1; k <= degree; k++, power *= shrinks) {
        coef[k] = between(seed, -1.0, 1.0) * power;
        end += coef[k];
    }
    yk_wave_clear(u, between(seed, -1.0, 0.0));
    CHECK_OK(yk_wave_append(u, 1.0, degree, coef, NULL), NULL);
    c->low[0] = fmin(coef[0], end) - between(seed, 0.0, 1.0);
    c->high[0] = fmax(coef[0], end) + between(seed, 0.0, 1.0);
}

static void calm_inputs_have_no_tests(void **state)
{
    static const yk_stages nodes = { .count = 4,
                                     .theta = { 0.0, 0.15505102572168219,
                                                0.64494897427831781, 1.0 } };
    yk_problem p = { .m = 1 };
    yk_points c = { 0 };
    unsigned long long seed = 7;
    int calm = 0, tested = 0;
    yk_wave *u = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_wave_create(&u, 1, &err), &err);
    CHECK_OK(yk_points_create(&c, &p, &err), &err);
    p.wave = u;
    p.options.rtol = 1e-6;
    p.options.atol = 1e-9;
    for (int i = 0; i < 20000; i++) {
        draw(&seed, u, &c);
        p.affine = i % 4 == 0;
        const double h = between(&seed, 0.01, 1.0);
        const bool says = yk_points_calm(&c, &p, &nodes, 0.0, h);
        const bool is = any_test(&c, &p, &nodes, h);
        assert_false(says && is);
        calm += says;
        tested += is;
    }
    assert_in_range(calm, 2000, 18000);
    assert_in_range(tested, 2000, 18000);
    yk_points_free(&c);
    yk_wave_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calm_inputs_have_no_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
