/* tests/papers/bartel_bounds.c -- contraction factors of Bartel, Guenther,
 * Jacob and Reis (2022): (21), lambda*, q*, and those of the matrix-valued
 * lambda. */
#include "ph_problem.h"

typedef struct expected {
    double alpha, mu, lambda;
    double q, best, best_lambda, norm, inverse, matrix, coupling, alpha0;
} expected;

static void compare(const ph_problem *p, const expected *e)
{
    yk_bounds b, zero;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_bounds_find(p->net, e->alpha, e->mu, e->lambda, &b, &err),
             &err);
    CHECK_OK(yk_bounds_find(p->net, 0.0, e->mu, 0.0, &zero, &err), &err);
    assert_true(b.all);
    CHECK_NEAR(b.q, e->q, 1e-6);
    CHECK_NEAR(b.best, e->best, 1e-6);
    CHECK_NEAR(b.lambda, e->best_lambda, 1e-6 * e->best_lambda + 1e-7);
    CHECK_NEAR(b.norm, e->norm, 1e-6 * e->norm);
    CHECK_NEAR(b.inverse, e->inverse, 1e-6 * e->inverse);
    CHECK_NEAR(b.matrix, e->matrix, 1e-6);
    CHECK_NEAR(b.coupling, e->coupling, 1e-6);
    CHECK_NEAR(zero.matrix, e->alpha0, 1e-6);
}

static void figure_4(void **state)
{
    ph_problem p = { 0 };

    (void)state;
    ph_masses(&p);
    compare(&p, &(expected){ 0.5, 2.0, 1.5, 0.9754068, 0.9437385, 0.2187153,
                             4.572155, 2.0, 0.3063372, 0.6761234, 0.2960138 });
    compare(&p, &(expected){ 0.5, 0.1, 1.5, 0.9915101, 0.990478, 0.7581325,
                             1.319031, 40.0, 0.8872661, 8.340577, 0.857695 });
    ph_clear(&p);
}

static void figure_6(void **state)
{
    ph_problem p = { 0 };

    (void)state;
    ph_circuit(&p, 4);
    compare(&p,
            &(expected){ 0.2, 1.0, 1.2, 0.9997009, 0.9980467, 0.04988415,
                         20.04645, 12.78139, 0.2712044, 0.5854712, 0.2460491 });
    ph_clear(&p);
    ph_circuit(&p, 3);
    compare(&p, &(expected){ 0.2, 1.0, 1.2, 0.9997008, 0.9980463, 0.04989216,
                             20.04323, 12.78139, 0.08769491, 0.1767491,
                             0.07855922 });
    ph_clear(&p);
}

/* c: "q = 0.3333" of the caption is q^2; f cannot come from (21). */
static void figure_2(void **state)
{
    ph_problem p = { 0 };

    (void)state;
    ph_two(&p, 1.5, 0.5, 1.5, 1.0);
    compare(&p, &(expected){ 1.0, 2.1, 0.376664, 0.6875103, 0.6875103, 0.376664,
                             2.654886, 0.7142857, 0.3756762, 0.8748178,
                             tan(0.5 * atan(1.5 / sqrt(1.9 * 2.6))) });
    ph_clear(&p);
    ph_two(&p, 0.0, 0.5, 1.5, 1.0);
    compare(&p, &(expected){ 1.0, 2.1, 0.4761905, 0.5773503, 0.5773503,
                             0.4761905, 2.1, 0.7142857, 0.0, 0.0, 0.0 });
    ph_clear(&p);
}

/* (30): lambda* = 1 / sqrt(mu^2 + nu^2). */
static void example_12(void **state)
{
    const double mu = 2.0, nu = 15.0;
    ph_problem p = { 0 };
    yk_bounds b;

    (void)state;
    ph_two(&p, nu, 0.01, 1.0, 1.0);
    CHECK_OK(yk_bounds_find(p.net, 1.0, mu, 0.0, &b, NULL), NULL);
    CHECK_NEAR(b.lambda, 1.0 / sqrt(mu * mu + nu * nu), 1e-12);
    CHECK_NEAR(b.best, sqrt(1.0 - 1.0 / sqrt(1.0 + nu * nu / (mu * mu))),
               1e-12);
    ph_clear(&p);
}

/* Which statement applies: (19), (29), or neither. */
static void rank_conditions_are_told_apart(void **state)
{
    ph_problem p = { 0 };
    yk_bounds b;

    (void)state;
    ph_circuit(&p, 4);
    CHECK_OK(yk_bounds_find(p.net, 0.2, 1.0, 1.2, &b, NULL), NULL);
    CHECK_CONTAINS(yk_bounds_text(&b, 0.2), "(19)");
    assert_true(b.states);
    CHECK_OK(yk_bounds_find(p.net, 1.0, 1.0, 1.2, &b, NULL), NULL);
    assert_false(b.all);
    CHECK_CONTAINS(yk_bounds_text(&b, 1.0), "(29)");
    CHECK_OK(yk_bounds_find(p.net, 0.0, 0.0, 1.2, &b, NULL), NULL);
    assert_false(b.all || b.states);
    CHECK_CONTAINS(yk_bounds_text(&b, 0.0), "only E x");
    ph_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4),
        cmocka_unit_test(figure_6),
        cmocka_unit_test(figure_2),
        cmocka_unit_test(example_12),
        cmocka_unit_test(rank_conditions_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
