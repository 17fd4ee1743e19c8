/* iter/anderson_test.c -- quasi-Newton steps on vectors. */
#include "check.h"

#include "iter/correct/anderson.h"

#include <math.h>

enum { N = 6 };

/* w -> g(w) = A w + b; the fixed point is given. */
typedef struct map {
    double a[N][N], fixed[N];
    int n;
} map;

static void residual(const map *m, const double *w, double *f)
{
    for (int i = 0; i < m->n; i++) {
        f[i] = m->fixed[i] - w[i];
        for (int j = 0; j < m->n; j++)
            f[i] += m->a[i][j] * (w[j] - m->fixed[j]);
    }
}

/* Dense, far from contracting. */
static map random_map(int n, double size)
{
    unsigned seed = 1;
    map m = { .n = n };

    for (int i = 0; i < n; i++) {
        m.fixed[i] = 1.0 + i;
        for (int j = 0; j < n; j++) {
            seed = seed * 1664525u + 1013904223u;
            m.a[i][j] = size * ((double)(seed >> 8) / (double)(1u << 23) - 1.0);
        }
    }
    return m;
}

/* One step of the method; the distance from the fixed point after it. */
static double step(yk_anderson *a, const map *m, double *w)
{
    double f[N], extra[N], scale[N], most = 0.0;
    yoke_err err;

    for (int i = 0; i < m->n; i++) scale[i] = 1e-9;
    residual(m, w, f);
    CHECK_OK(yk_anderson_step(a, m->n, w, f, scale, extra, &err), &err);
    for (int i = 0; i < m->n; i++) {
        w[i] += f[i] + extra[i];
        most = fmax(most, fabs(w[i] - m->fixed[i]));
    }
    return most;
}

static yk_anderson *created(void)
{
    yk_anderson *a = NULL;
    yoke_err err;

    CHECK_OK(yk_anderson_create(&a, &err), &err);
    return a;
}

static void a_linear_map_of_n_dimensions_needs_n_plus_one_steps(void **state)
{
    static const double size[] = { 0.1, 0.5, 3.0, 30.0 };
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int n = 1; n <= N; n++) {
            const map m = random_map(n, size[k]);
            double w[N] = { 0.0 }, error = 0.0;
            yk_anderson *a = created();
            for (int i = 0; i <= n; i++) error = step(a, &m, w);
            CHECK_NEAR(error, 0.0, 1e-6 * n);
            yk_anderson_free(a);
        }
}

static void the_first_step_is_the_plain_one(void **state)
{
    const map m = random_map(3, 0.5);
    double w[N] = { 0.0 }, f[N];
    yk_anderson *a = created();
    (void)state;
    residual(&m, w, f);
    step(a, &m, w);
    for (int i = 0; i < 3; i++) CHECK_NEAR(w[i], f[i], 0.0);
    yk_anderson_free(a);
}

/* The second window begins with what the first has learnt; its first vector is
 * not compared with the last one, which belongs to another fixed point. */
static void a_new_window_uses_the_columns_of_the_old(void **state)
{
    map m = random_map(3, 0.5);
    double w[N] = { 0.0 }, error = 0.0;
    yk_anderson *a = created();
    (void)state;
    for (int i = 0; i < 4; i++) step(a, &m, w);
    m.fixed[0] = -50.0; /* the same matrix */
    m.fixed[1] = 20.0;
    yk_anderson_begin(a);
    error = step(a, &m, w);
    CHECK_NEAR(error, 0.0, 1e-6);
    yk_anderson_reset(a);
    m.fixed[2] = 7.0;
    error = step(a, &m, w); /* forgotten: a plain step */
    assert_true(error > 0.1);
    yk_anderson_free(a);
}

/* More iterates than dimensions: the columns depend on each other. */
static void dependent_columns_do_no_harm(void **state)
{
    const map m = random_map(2, 0.9);
    double w[N] = { 0.0 }, error = 0.0;
    yk_anderson *a = created();
    (void)state;
    for (int i = 0; i < 40; i++) {
        error = step(a, &m, w);
        if (i % 8 == 7) { /* away from the fixed point again */
            yk_anderson_begin(a);
            w[0] += 1.0;
        } else if (i % 8 >= 2)
            CHECK_NEAR(error, 0.0, 1e-6);
    }
    yk_anderson_free(a);
}

/* Columns that agree but for noise tell nothing: the coefficients stay small.
 */
static void parallel_columns_are_filtered(void **state)
{
    double w[2] = { 0.0, 0.0 }, extra[2];
    const double scale[2] = { 1.0, 1.0 };
    yk_anderson *a = created();
    yoke_err err;
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double noise = k % 2 ? 1e-6 : -1e-6;
        const double f[2] = { 10.0 - k, noise };
        CHECK_OK(yk_anderson_step(a, 2, w, f, scale, extra, &err), &err);
        /* differences of f: (-1, +-2e-6); w stays where it is */
        CHECK_BETWEEN(fabs(extra[1]), 0.0, 1e-4);
    }
    yk_anderson_free(a);
}

/* A change below what matters is not divided by. */
static void noise_makes_no_column(void **state)
{
    double w[1] = { 0.0 }, extra[1];
    const double scale[1] = { 1.0 };
    yk_anderson *a = created();
    yoke_err err;
    (void)state;
    for (int k = 0; k < 5; k++) {
        const double f[1] = { 0.5 + 1e-5 * (k % 2) };
        CHECK_OK(yk_anderson_step(a, 1, w, f, scale, extra, &err), &err);
        assert_true(extra[0] == 0.0);
        w[0] += 1.0;
    }
    yk_anderson_free(a);
}

static void every_allocation_may_fail(void **state)
{
    yoke_status status = YOKE_E_MEMORY;
    (void)state;
    const double w[] = { 1.0, 2.0, 3.0 }, one[] = { 1.0, 1.0, 1.0 };
    double extra[3];
    for (long k = 1; status != YOKE_OK; k++) {
        yk_anderson *a = NULL;
        yoke_err err;
        fault_allocator(k);
        status = yk_anderson_create(&a, &err);
        if (status == YOKE_OK)
            status = yk_anderson_step(a, 3, w, w, one, extra, &err);
        if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        yk_anderson_free(a);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
        assert_true(k < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_map_of_n_dimensions_needs_n_plus_one_steps),
        cmocka_unit_test(the_first_step_is_the_plain_one),
        cmocka_unit_test(a_new_window_uses_the_columns_of_the_old),
        cmocka_unit_test(dependent_columns_do_no_harm),
        cmocka_unit_test(parallel_columns_are_filtered),
        cmocka_unit_test(noise_makes_no_column),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
