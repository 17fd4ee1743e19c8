/* iter/constraint/collocate_test.c -- Radau's points, and the matrix of answers
 * against closed forms.
 */
#include "check.h"
#include "iter/constraint/collocate.h"

#include <math.h>
#include <string.h>

static void points_are_those_of_radau(void **unused)
{
    const double root = sqrt(6.0);
    yk_radau_points r;

    (void)unused;
    yk_radau_points_make(&r, 1);
    CHECK_NEAR(r.place[0], 1.0, 0.0);
    yk_radau_points_make(&r, 2);
    CHECK_NEAR(r.place[0], 1.0 / 3.0, 1e-14);
    yk_radau_points_make(&r, 3);
    CHECK_NEAR(r.place[0], (4.0 - root) / 10.0, 1e-14);
    CHECK_NEAR(r.place[1], (4.0 + root) / 10.0, 1e-14);
    CHECK_NEAR(r.place[2], 1.0, 0.0);
}

/* Of 3 + P_n, P_n Legendre's polynomial of the highest degree, n = 3, on [0, 1]. */
static void polynomials_and_their_tails(void **unused)
{
    yk_radau_points r;
    double value[YK_RADAU_MOST], tail = 0.0, middle = 0.0;

    (void)unused;
    yk_radau_points_make(&r, 4);
    for (int j = 0; j < 4; j++) {
        const double x = 2.0 * r.place[j] - 1.0;
        value[j] = 3.0 + 0.5 * (5.0 * x * x * x - 3.0 * x);
    }
    for (int j = 0; j < 4; j++) {
        double power = 1.0;
        tail += r.tail[j] * value[j];
        for (int k = 0; k < 4; k++, power *= 0.5)
            middle += r.power[k][j] * power * value[j];
    }
    CHECK_NEAR(tail, 1.0, 1e-12);
    CHECK_NEAR(middle, 3.0, 1e-12);
}

/* z(s) = 2 s is an integral: a change t^2 over two pieces does 2 t^3 / 3. */
static void a_mass_integrates(void **unused)
{
    const double knot[] = { 1.0, 1.5, 2.25 };
    const yk_step_response z = { 1.25, { 0.0, 2.5 } };
    yk_collocation c = { .pieces = 2, .knot = knot, .n = 1, .z = &z };
    enum { SIZE = 8 };
    double matrix[SIZE * SIZE], t[SIZE], value[SIZE];

    (void)unused;
    yk_radau_points_make(&c.points, 4);
    yk_collocation_matrix(&c, matrix);
    for (int k = 0; k < SIZE; k++) {
        const double *at = &knot[k / 4];
        t[k] = at[0] + c.points.place[k % 4] * (at[1] - at[0]);
        value[k] = (t[k] - 1.0) * (t[k] - 1.0);
    }
    for (int k = 0; k < SIZE; k++) {
        double sum = 0.0;
        for (int j = 0; j < SIZE; j++) sum += matrix[k * SIZE + j] * value[j];
        CHECK_NEAR(sum, 2.0 / 3.0 * pow(t[k] - 1.0, 3.0), 1e-13);
    }
}

/* What follows at once, z = 3, and is continued by a line behind its length. */
static void a_resistor_follows(void **unused)
{
    const double knot[] = { 0.0, 1.0 };
    const yk_step_response z = { 1.0, { 3.0 } };
    const yk_step_response bent = { 2.0, { 0.0, 1.0, 1.0 } };
    yk_collocation c = { .pieces = 1, .knot = knot, .n = 1, .z = &z };
    double matrix[9];

    (void)unused;
    yk_radau_points_make(&c.points, 3);
    yk_collocation_matrix(&c, matrix);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(matrix[i], i % 4 == 0 ? 3.0 : 0.0, 1e-13);
    CHECK_NEAR(yk_step_response_at(&bent, 2.0), 2.0, 1e-15);
    CHECK_NEAR(yk_step_response_at(&bent, 4.0), 5.0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_those_of_radau),
        cmocka_unit_test(polynomials_and_their_tails),
        cmocka_unit_test(a_mass_integrates),
        cmocka_unit_test(a_resistor_follows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
