/* sys/solvable_test.c */
#include "check.h"

#include "base/base.h"
#include "la/pattern.h"
#include "sys/solvable.h"
#include "yoke/compose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* E x' = A x, so C = E and G = -A. */
static yoke_system *make(int n, const double *E, const double *A,
                         const char *const *x_name, const char *const *eq_name)
{
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_linear linear = {
        .n = n, .E = E, .A = A, .x_name = x_name, .eq_name = eq_name
    };
    CHECK_OK(yoke_linear_create(&s, "test", &linear, &err), &err);
    return s;
}

static yoke_solvability ask(int n, const double *E, const double *A)
{
    yoke_system *s = make(n, E, A, NULL, NULL);
    yoke_err err = { YOKE_OK, "" };
    yoke_solvability out;
    CHECK_OK(yoke_solvable(s, 0.0, NULL, NULL, &out, &err), &err);
    yoke_system_free(s);
    return out;
}

static void an_ode_has_index_0(void **state)
{
    const double E[] = { 2.0, 1.0, 0.0, 1.0 }, A[] = { 0.0, 1.0, 1.0, 0.0 };
    const yoke_solvability out = ask(2, E, A);
    (void)state;
    assert_true(out.solvable);
    assert_int_equal(out.index, 0);
    assert_int_equal(out.structural_rank, 2);
    assert_int_equal(out.differential, 2);
    assert_int_equal(out.algebraic, 0);
}

static void nothing_to_solve_is_solvable(void **state)
{
    const yoke_solvability out = ask(0, NULL, NULL);
    (void)state;
    assert_true(out.solvable);
    assert_int_equal(out.index, 0);
}

static void a_resistive_node_has_index_1(void **state)
{
    /* C v1' = -(v1 - v2), 0 = (v1 - v2) - v2 */
    const double E[] = { 1.0, 0.0, 0.0, 0.0 }, A[] = { -1.0, 1.0, 1.0, -2.0 };
    const yoke_solvability out = ask(2, E, A);
    (void)state;
    assert_int_equal(out.index, 1);
    assert_int_equal(out.differential, 1);
    assert_int_equal(out.algebraic, 1);
}

static void very_different_capacitors_do_not_confuse_the_index(void **state)
{
    /* 1 F and 1e-12 F, each with a resistor, joined by a node without charge:
     * time constants of 1 s and 1e-12 s. */
    const double E[] = { 1.0, 0.0, 0.0, 0.0, 1e-12, 0.0, 0.0, 0.0, 0.0 };
    const double A[] = { -2.0, 0.0, 1.0, 0.0, -2.0, 1.0, 1.0, 1.0, -2.0 };
    (void)state;
    assert_int_equal(ask(3, E, A).index, 1);
    /* 1 F between two nodes, 1e-12 F from one of them to ground. */
    const double E2[] = { 1.0, -1.0, -1.0, 1.0 + 1e-12 };
    const double A2[] = { -1.0, 0.0, 0.0, 0.0 };
    assert_int_equal(ask(2, E2, A2).index, 0);
    /* Without the small one the total charge is algebraic. */
    const double E3[] = { 1.0, -1.0, -1.0, 1.0 };
    assert_int_equal(ask(2, E3, A2).index, 1);
}

static void a_source_across_a_capacitor_has_index_2(void **state)
{
    /* C v' + i = 0, 0 = v - V(t) */
    const double E[] = { 1e-9, 0.0, 0.0, 0.0 }, A[] = { 0.0, -1.0, 1.0, 0.0 };
    (void)state;
    assert_int_equal(ask(2, E, A).index, 2);
}

static void the_linearised_pendulum_has_index_3(void **state)
{
    /* p' = v, m v' = -lambda G', 0 = G p with p, v in the plane. */
    const double E[25] = { [0] = 1.0, [6] = 1.0, [12] = 3.0, [18] = 3.0 };
    const double A[25] = {
        [2] = 1.0, [8] = 1.0, [14] = -0.6, [19] = 0.8, [20] = 0.6, [21] = -0.8
    };
    (void)state;
    assert_int_equal(ask(5, E, A).index, 3);
}

static void the_floating_capacitor_has_index_2(void **state)
{
    /* Crow and Ilic (16): unknowns V1, V2, I. */
    const double C1 = 1.0, C2 = 0.5, g1 = 0.3, g2 = 0.8;
    const double E[] = { C1, -C1, 0.0, -C1, C1 + C2, 0.0, 0.0, 0.0, 0.0 };
    const double A[] = { -g1, 0.0, 1.0, 0.0, -g2, 0.0, 1.0, 0.0, 0.0 };
    (void)state;
    assert_int_equal(ask(3, E, A).index, 2);
}

static void a_missing_equation_is_named(void **state)
{
    /* Nothing contains "lambda"; two equations for "v" alone. */
    const double E[] = { 1.0, 0.0, 0.0, 0.0 }, A[] = { 1.0, 0.0, 2.0, 0.0 };
    const char *const x[] = { "v", "lambda" };
    const char *const eq[] = { "balance", "constraint" };
    yoke_system *s = make(2, E, A, x, eq);
    yoke_solvability out;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_solvable(s, 0.0, NULL, NULL, &out, &err), &err);
    assert_false(out.solvable);
    assert_int_equal(out.index, -1);
    assert_int_equal(out.structural_rank, 1);
    CHECK_CONTAINS(out.text, "subsystem \"test\" is not solvable");
    CHECK_CONTAINS(out.text, "\"lambda\"");
    CHECK_CONTAINS(out.text, "\"constraint\"");
    yoke_system_free(s);
}

static void long_lists_of_names_are_cut(void **state)
{
    double E[100] = { 0.0 };
    (void)state;
    const yoke_solvability out = ask(10, E, NULL);
    assert_false(out.solvable);
    assert_int_equal(out.structural_rank, 0);
    CHECK_CONTAINS(out.text, "and 6 more");
}

static void dependent_equations_are_named(void **state)
{
    /* Structurally fine, but the second equation is twice the first. */
    const double E[] = { 1.0, 2.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 1.0 };
    const double A[] = { 3.0, 1.0, 0.0, 6.0, 2.0, 0.0, 0.0, 0.0, 1.0 };
    const char *const x[] = { "a", "b", "c" };
    const char *const eq[] = { "first", "second", "third" };
    yoke_system *s = make(3, E, A, x, eq);
    yoke_solvability out;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_solvable(s, 0.0, NULL, NULL, &out, &err), &err);
    assert_false(out.solvable);
    assert_int_equal(out.structural_rank, 3);
    CHECK_CONTAINS(out.text, "singular");
    CHECK_CONTAINS(out.text, "\"second\"");
    yoke_system_free(s);
}

/* ---- random pencils ----------------------------------------------------- */

static void multiply(int n, const double *a, const double *b, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            out[i * n + j] = sum;
        }
}

/* Random, diagonally heavy enough to be well conditioned. */
static void random_regular(int n, unsigned long long *seed, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] =
                2.0 * yk_random(seed) - 1.0 + (i == j ? sqrt(n) : 0.0);
}

/* Weierstrass form: E = diag(I, N), A = diag(J, I); N has one nilpotent block
 * of size `index` (and further ones of size 1 and at most `index`). */
static void weierstrass(int n, int index, unsigned long long *seed, double *E,
                        double *A)
{
    const int free = n - index;
    const int dynamic = (int)(yk_random(seed) * (free + 1));

    memset(E, 0, (size_t)(n * n) * sizeof *E);
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < dynamic; i++) {
        E[i * n + i] = 1.0;
        for (int j = 0; j < dynamic; j++)
            A[i * n + j] = 2.0 * yk_random(seed) - 1.0;
    }
    for (int i = dynamic; i < n; i++) {
        const int inside = i - dynamic; /* position in the nilpotent part */
        A[i * n + i] = 1.0;
        if (i + 1 < n && (inside + 1) % index != 0 &&
            (inside < index - 1 || yk_random(seed) < 0.5))
            E[i * n + i + 1] = 1.0;
    }
}

static int index_of(int n, const double *E, const double *A)
{
    return ask(n, E, A).index;
}

static double random_scale(unsigned long long *seed)
{
    return pow(10.0, 12.0 * yk_random(seed) - 6.0);
}

/* Rows and columns multiplied by 1e-6 ... 1e6. */
static void scale_pencil(int n, unsigned long long *seed, double *E, double *A)
{
    for (int i = 0; i < n; i++) {
        const double r = random_scale(seed), c = random_scale(seed);
        for (int j = 0; j < n; j++) {
            E[i * n + j] *= r;
            A[i * n + j] *= r;
        }
        for (int j = 0; j < n; j++) {
            E[j * n + i] *= c;
            A[j * n + i] *= c;
        }
    }
}

static void random_pencils_have_their_index(void **state)
{
    unsigned long long seed = 7;
    double *w[7];
    (void)state;
    for (int k = 0; k < 7; k++) w[k] = calloc(900, sizeof **w);
    for (int trial = 0; trial < 400; trial++) {
        const int n = 3 + (int)(yk_random(&seed) * 28.0);
        const int index = 1 + trial % 3;
        double *S = w[0], *T = w[1], *E0 = w[2], *A0 = w[3], *E = w[4],
               *A = w[5];
        random_regular(n, &seed, S);
        random_regular(n, &seed, T);
        weierstrass(n, index, &seed, E0, A0);
        multiply(n, S, E0, w[6]);
        multiply(n, w[6], T, E);
        multiply(n, S, A0, w[6]);
        multiply(n, w[6], T, A);
        assert_int_equal(index_of(n, E, A), index);
        scale_pencil(n, &seed, E, A);
        assert_int_equal(index_of(n, E, A), index);
    }
    for (int k = 0; k < 7; k++) free(w[k]);
}

static void scaling_does_not_change_the_index(void **state)
{
    unsigned long long seed = 11;
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        double E[25] = { [0] = 1.0, [6] = 1.0, [12] = 3.0, [18] = 3.0 };
        double A[25] = { [2] = 1.0,  [8] = 1.0,  [14] = -0.6,
                         [19] = 0.8, [20] = 0.6, [21] = -0.8 };
        double E2[] = { 1.0, -1.0, 0.0, -1.0, 1.5, 0.0, 0.0, 0.0, 0.0 };
        double A2[] = { -0.3, 0.0, 1.0, 0.0, -0.8, 0.0, 1.0, 0.0, 0.0 };
        scale_pencil(5, &seed, E, A);
        assert_int_equal(index_of(5, E, A), 3);
        scale_pencil(3, &seed, E2, A2);
        assert_int_equal(index_of(3, E2, A2), 2);
    }
}

static void random_singular_pencils_are_found(void **state)
{
    unsigned long long seed = 13;
    double *w[5];
    (void)state;
    for (int k = 0; k < 5; k++) w[k] = calloc(900, sizeof **w);
    for (int trial = 0; trial < 100; trial++) {
        const int n = 3 + (int)(yk_random(&seed) * 28.0);
        random_regular(n, &seed, w[0]);
        weierstrass(n, 2, &seed, w[1], w[2]);
        for (int j = 0; j < n; j++) /* row 0 vanishes */
            w[1][j] = w[2][j] = 0.0;
        multiply(n, w[0], w[1], w[3]);
        multiply(n, w[0], w[2], w[4]);
        assert_int_equal(index_of(n, w[3], w[4]), -1);
    }
    for (int k = 0; k < 5; k++) free(w[k]);
}

/* ---- differenced Jacobians ---------------------------------------------- */

/* Floating nonlinear capacitor with a voltage source; q depends on v1 - v2. */
static yoke_status floating_eval(void *self, double t, const double *x,
                                 const double *u, double *q, double *f,
                                 yoke_err *err)
{
    const double v = x[0] - x[1];
    (void)self, (void)u, (void)err;
    if (q) {
        q[0] = v + 0.1 * v * v;
        q[1] = 0.5 * x[1] - v - 0.1 * v * v;
        q[2] = 0.0;
    }
    if (f) {
        f[0] = 0.3 * x[0] - x[2];
        f[1] = 0.8 * x[1];
        f[2] = x[0] - sin(t);
    }
    return YOKE_OK;
}

static const yoke_system_ops floating_ops = { .kind = "test",
                                              .eval = floating_eval };

static void differenced_jacobians_give_the_index_too(void **state)
{
    const double x0[] = { 1.0, 0.3, -0.2 };
    const yoke_system_info info = { .n = 3, .x0 = x0 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    int index = -7;
    (void)state;
    CHECK_OK(
        yoke_system_create(&s, "floating", &floating_ops, NULL, &info, &err),
        &err);
    CHECK_OK(yk_index(s, 0.0, x0, NULL, &index, &err), &err);
    assert_int_equal(index, 2);
    yoke_system_free(s);
}

static void a_long_chain_of_capacitors_is_quick(void **state)
{
    enum { N = 20000 };
    yoke_pattern *c = NULL, *g = NULL;
    int *row = calloc(3 * N, sizeof *row), *col = calloc(3 * N, sizeof *col);
    double *C = calloc(3 * N, sizeof *C), *G = calloc(N, sizeof *G);
    double *size = calloc(N, sizeof *size);
    int count = 0;
    yk_pencil_facts facts = { 0, 0, 0 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < N) {
                row[count] = i;
                col[count++] = j;
            }
    CHECK_OK(yoke_pattern_create(&c, N, N, count, row, col, &err), &err);
    CHECK_OK(yk_pattern_identity(&g, N, &err), &err);
    for (int j = 0; j < N; j++) {
        for (int k = c->start[j]; k < c->start[j + 1]; k++)
            C[k] = c->row[k] != j ? -1.0 : j == 0 || j == N - 1 ? 1.0 : 2.0;
        G[j] = 1.0;
        size[j] = 1.0;
    }
    const yk_pencil pencil = { c, g, C, G, size, 0.0 };
    CHECK_OK(yk_pencil_index(&pencil, &facts, &err), &err);
    assert_int_equal(facts.index, 1); /* floating: the sum of charges is zero */
    yoke_pattern_free(c);
    yoke_pattern_free(g);
    free(row);
    free(col);
    free(C);
    free(G);
    free(size);
}

static void every_allocation_may_fail(void **state)
{
    const double E[] = { 1.0, -1.0, 0.0, -1.0, 1.5, 0.0, 0.0, 0.0, 0.0 };
    const double A[] = { -0.3, 0.0, 1.0, 0.0, -0.8, 0.0, 1.0, 0.0, 0.0 };
    const double none[9] = { 0.0 };
    yoke_system *good = make(3, E, A, NULL, NULL);
    yoke_system *bad = make(3, none, none, NULL, NULL);
    (void)state;
    for (int which = 0; which < 2; which++) {
        yoke_status status = YOKE_E_MEMORY;
        for (long n = 1; status != YOKE_OK; n++) {
            yoke_solvability out = { .index = 99 };
            fault_allocator(n);
            status =
                yoke_solvable(which ? bad : good, 0.0, NULL, NULL, &out, NULL);
            if (status != YOKE_OK) {
                assert_int_equal(status, YOKE_E_MEMORY);
                assert_int_equal(out.index, 99);
            }
            assert_int_equal(fault_blocks(), 0);
            fault_restore();
        }
    }
    yoke_system_free(good);
    yoke_system_free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ode_has_index_0),
        cmocka_unit_test(nothing_to_solve_is_solvable),
        cmocka_unit_test(a_resistive_node_has_index_1),
        cmocka_unit_test(very_different_capacitors_do_not_confuse_the_index),
        cmocka_unit_test(a_source_across_a_capacitor_has_index_2),
        cmocka_unit_test(the_linearised_pendulum_has_index_3),
        cmocka_unit_test(the_floating_capacitor_has_index_2),
        cmocka_unit_test(a_missing_equation_is_named),
        cmocka_unit_test(long_lists_of_names_are_cut),
        cmocka_unit_test(dependent_equations_are_named),
        cmocka_unit_test(random_pencils_have_their_index),
        cmocka_unit_test(scaling_does_not_change_the_index),
        cmocka_unit_test(random_singular_pencils_are_found),
        cmocka_unit_test(differenced_jacobians_give_the_index_too),
        cmocka_unit_test(a_long_chain_of_capacitors_is_quick),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
