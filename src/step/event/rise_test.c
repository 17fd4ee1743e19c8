/* Where a known function first rises to zero: how narrow it may be, and what
 * that costs. */
#include "check.h"

#include "step/event/rise.h"

#include <math.h>

/* g = 1/(1 + s^2) - level, s = (t - at)/width, at several places: the sum of
 * their bounds. */
typedef struct bumps {
    int count;
    double at[3], width, level;
} bumps;

static double one(double s)
{
    return 1.0 / (1.0 + s * s);
}

static void enclose(void *self, int k, const yoke_path *path, double from,
                    double to, int order, double (*out)[2])
{
    const bumps *b = self;

    (void)k, (void)path;
    for (int i = 0; i <= order; i++) out[i][0] = out[i][1] = 0.0;
    for (int i = 0; i < b->count; i++) {
        const double p = (from - b->at[i]) / b->width;
        const double q = (to - b->at[i]) / b->width;
        const bool inside = p <= 0.0 && q >= 0.0;
        out[0][0] += fmin(one(p), one(q));
        out[0][1] += inside ? 1.0 : fmax(one(p), one(q));
        if (order < 1) continue;
        out[1][0] -= q > 0.0 ? 0.65 / b->width : 0.0; /* its steepest slope */
        out[1][1] += p < 0.0 ? 0.65 / b->width : 0.0;
    }
    out[0][0] -= b->level;
    out[0][1] -= b->level;
}

/* Enclosures that it took; *at is NAN if there is none. */
static int look(bumps *b, double sign, double from, double to, double *below,
                double *at)
{
    const yoke_curves curves = { .indicator = enclose, .self = b };
    yk_rise r = { .curves = &curves, .sign = sign, .looks = 1000 };

    *at = NAN;
    if (!yk_rise_first(&r, from, to, below, at)) *at = NAN;
    return 1000 - r.looks;
}

static void the_first_of_several_is_found(void **state)
{
    double below, at;
    (void)state;
    for (double width = 1e-2; width > 1e-12; width *= 0.1) {
        bumps b = { 3, { 0.7, 0.3, 0.9 }, width, 0.5 };
        const int looks = look(&b, 1.0, 0.0, 1.0, &below, &at);
        const double exact = 0.3 - width;
        print_message("%g: %d enclosures\n", width, looks);
        assert_true(below <= exact + 0.05 * width);
        assert_true(at >= exact - 0.05 * width && at < 0.3 + width);
        assert_true(looks < 200);
    }
}

static void what_is_below_is_proven(void **state)
{
    double below, at;
    (void)state;
    for (double gap = 1e-1; gap > 1e-12; gap *= 0.1) {
        bumps b = { 1, { 0.613 }, 1e-3, 1.0 + gap };
        CHECK_BETWEEN((double)look(&b, 1.0, 0.0, 1.0, &below, &at), 1.0, 1.0);
        assert_true(isnan(at));
    }
}

/* What rises or falls through the whole step takes one look or two. */
static void plain_ones_cost_little(void **state)
{
    bumps b = { 1, { 0.6 }, 0.1, 0.5 };
    double below, at;
    (void)state;
    CHECK_BETWEEN((double)look(&b, 1.0, 0.0, 0.55, &below, &at), 1.0, 2.0);
    CHECK_NEAR(at, 0.55, 0.0);
    CHECK_BETWEEN((double)look(&b, 1.0, 0.0, 0.45, &below, &at), 1.0, 1.0);
    assert_true(isnan(at));
    CHECK_BETWEEN((double)look(&b, 1.0, 0.75, 1.0, &below, &at), 1.0, 1.0);
    assert_true(isnan(at));
}

/* Downwards: where it is armed. */
static void falls_are_found_too(void **state)
{
    bumps b = { 1, { 0.6 }, 0.1, 0.5 };
    double below, at;
    (void)state;
    look(&b, -1.0, 0.6, 1.0, &below, &at);
    assert_true(below <= 0.7 && at >= 0.7);
}

/* Nothing is known: it does not try for long. */
static void nothing(void *self, int k, const yoke_path *path, double from,
                    double to, int order, double (*out)[2])
{
    (void)self, (void)k, (void)path, (void)from, (void)to;
    for (int i = 0; i <= order; i++) {
        out[i][0] = -INFINITY;
        out[i][1] = INFINITY;
    }
}

static void unknown_ones_are_left(void **state)
{
    const yoke_curves curves = { .indicator = nothing };
    yk_rise r = { .curves = &curves, .sign = 1.0, .looks = 1000 };
    double below, at;
    (void)state;
    assert_false(yk_rise_first(&r, 0.0, 1.0, &below, &at));
    assert_true(r.looks >= 998);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_several_is_found),
        cmocka_unit_test(what_is_below_is_proven),
        cmocka_unit_test(plain_ones_cost_little),
        cmocka_unit_test(falls_are_found_too),
        cmocka_unit_test(unknown_ones_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
