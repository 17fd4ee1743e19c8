/* comp/ph/ph_test.c -- what is port-Hamiltonian, and what is refused. */
#include "check.h"
#include "comp/ph/ph.h"
#include "la/pattern.h"
#include "yoke/check.h"

#include <math.h>
#include <string.h>

typedef struct fixture {
    yoke_pattern *full;
    double E[4], J[4], R[4], Q[4], B[4]; /* column by column */
    yoke_ph ph;
} fixture;

static void fill(fixture *f)
{
    const double E[4] = { 2, 0, 0, 0 }, J[4] = { 0, 1, -1, 0 };
    const double R[4] = { 0.5, 0, 0, 1 }, Q[4] = { 1, 0, 0, 3 };
    const double B[4] = { 1, 0, 0, 1 };

    memcpy(f->E, E, sizeof E);
    memcpy(f->J, J, sizeof J);
    memcpy(f->R, R, sizeof R);
    memcpy(f->Q, Q, sizeof Q);
    memcpy(f->B, B, sizeof B);
    if (!f->full) CHECK_OK(yk_pattern_full(&f->full, 2, 2, NULL), NULL);
    f->ph = (yoke_ph){ .n = 2,
                       .m = 2,
                       .E = { f->full, f->E },
                       .J = { f->full, f->J },
                       .R = { f->full, f->R },
                       .Q = { f->full, f->Q },
                       .B = { f->full, f->B } };
}

static void refuse(fixture *f, const char *why)
{
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yoke_ph_create(&system, "part", &f->ph, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "\"part\"");
    CHECK_CONTAINS(err.text, why);
    assert_null(system);
    fill(f);
}

static void structure_is_verified(void **state)
{
    fixture f = { 0 };

    (void)state;
    fill(&f);
    f.J[1] = 1.5;
    refuse(&f, "J is not skew-symmetric: J(2, 1) = 1.5 and J(1, 2) = -1 differ "
               "from it by 0.5");
    f.J[0] = 0.25;
    refuse(&f, "J(1, 1) = 0.25, which must be 0");
    f.R[1] = 0.1;
    refuse(&f, "R is not symmetric: R(2, 1) = 0.1");
    f.R[3] = -0.2;
    refuse(&f,
           "R is not positive semidefinite: at row 2 it is negative by 0.2");
    f.R[1] = f.R[2] = 2.0; /* diagonal positive, the whole indefinite */
    refuse(&f, "R is not positive semidefinite: at row 2 it is negative by 7");
    f.Q[3] = 0.0;
    refuse(&f, "Q is not invertible");
    f.Q[2] = 1.0; /* Q(1, 2) */
    refuse(&f, "E'Q is not symmetric");
    f.E[0] = -2.0;
    refuse(&f,
           "E'Q is not positive semidefinite: at row 1 it is negative by 2");
    f.B[2] = NAN;
    refuse(&f, "B(1, 2) is nan");
    f.ph.m = 3;
    refuse(&f, "B is 2 by 2; it must be 2 by 3");
    yoke_pattern_free(f.full);
}

/* It is an ordinary subsystem with correct Jacobians. */
static void it_conforms(void **state)
{
    fixture f = { 0 };
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };
    const double x[2] = { 0.3, -0.7 }, u[2] = { 1.0, 2.0 };
    double q[2], r[2], y[2];

    (void)state;
    fill(&f);
    CHECK_OK(yoke_ph_create(&system, "part", &f.ph, &err), &err);
    CHECK_OK(yoke_conform(system, 0.0, NULL, NULL, &err), &err);
    CHECK_OK(yoke_system_eval(system, 0.0, x, u, q, r, &err), &err);
    CHECK_OK(yoke_system_output(system, 0.0, x, u, y, &err), &err);
    CHECK_NEAR(q[0], 0.6, 1e-15);
    CHECK_NEAR(q[1], 0.0, 0.0);
    CHECK_NEAR(r[0], -(-0.5 * 0.3 - 3 * -0.7 + 1.0), 1e-15);
    CHECK_NEAR(r[1], -(0.3 - 3 * -0.7 + 2.0), 1e-15);
    CHECK_NEAR(y[0], 0.3, 1e-15);
    CHECK_NEAR(y[1], -2.1, 1e-15);
    yoke_system_free(system);
    yoke_pattern_free(f.full);
}

static void read(const char *text, const char *why)
{
    yoke_pattern *p = NULL;
    double *v = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_ph_read_matrix(&p, &v, text, strlen(text), &err);

    if (why) {
        assert_int_equal(status, YOKE_E_FILE);
        CHECK_CONTAINS(err.text, why);
        return;
    }
    CHECK_OK(status, &err);
    assert_int_equal(p->rows, 3);
    assert_int_equal(p->cols, 3);
    CHECK_NEAR(v[yoke_pattern_find(p, 1, 0)], 1.5, 0.0);
    CHECK_NEAR(v[yoke_pattern_find(p, 0, 1)], -1.5, 0.0);
    yoke_pattern_free(p);
    yk_free(v);
}

static void matrix_market_files(void **state)
{
    (void)state;
    read("%%MatrixMarket matrix coordinate real skew-symmetric\n% J\n\n3 3 2\n"
         "2 1 1.5\n3 1 2e0\n",
         NULL);
    read("%%MatrixMarket matrix coordinate real general\r\n3 3 2\r\n"
         "2 1 1.5\r\n1 2 -1.5",
         NULL);
    read("%%MatrixMarket matrix array real general\n3 3\n0\n1.5\n0\n-1.5\n0\n"
         "0\n0\n0\n0\n",
         NULL);
    read("1 2 3", "line 1: \"%%MatrixMarket matrix");
    read("%%MatrixMarket matrix coordinate complex general\n", "must be real");
    read("%%MatrixMarket matrix coordinate real general\n3 3 2\n2 1 1\n",
         "line 4: the file ends after 1 of 2 entries");
    read("%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n",
         "line 3: the row is 4; an integer from 1 to 3");
    read("%%MatrixMarket matrix coordinate real general\n3 3 1\n2 1 nan\n",
         "line 3: \"nan\" is not finite");
    read("%%MatrixMarket matrix coordinate real general\n3 3 1\n2 1 1 1\n",
         "more than expected");
    read("%%MatrixMarket matrix coordinate real general\n3 3 1\n2 1 1\n1 1 1\n",
         "line 4: there is more than the sizes say");
    read("%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n2 1 1\n",
         "is square");
    read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n1 1 1\n",
         "no diagonal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_is_verified),
        cmocka_unit_test(it_conforms),
        cmocka_unit_test(matrix_market_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
