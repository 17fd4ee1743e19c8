/* sys/part_test.c */
#include "check.h"

#include "sys/call.h"
#include "yoke/check.h"
#include "yoke/compose.h"

#include <math.h>
#include <string.h>

/* The floating capacitor of Crow and Ilic (16), unknowns V1, V2, I:
 *
 *     (C1 (V1 - V2))' + g1 V1 - I                = 0
 *     ((C1 + C2) V2 - C1 V1)' + g2 V2            = 0
 *     V1 - nu                                    = 0     input nu
 */
enum { V1, V2, I };
static const double C1 = 1.0, C2 = 0.5, g1 = 0.3, g2 = 0.8;

static yoke_system *circuit(void)
{
    static const char *const x[] = { "V1", "V2", "I" };
    static const char *const eq[] = { "node 1", "node 2", "source" };
    static const char *const u[] = { "nu" };
    const double E[] = { C1, -C1, 0.0, -C1, C1 + C2, 0.0, 0.0, 0.0, 0.0 };
    const double A[] = { -g1, 0.0, 1.0, 0.0, -g2, 0.0, -1.0, 0.0, 0.0 };
    const double B[] = { 0.0, 0.0, 1.0 };
    const double x0[] = { 1.0, 2.0, 3.0 };
    const yoke_linear linear = { .n = 3,
                                 .m = 1,
                                 .E = E,
                                 .A = A,
                                 .B = B,
                                 .x0 = x0,
                                 .x_name = x,
                                 .u_name = u,
                                 .eq_name = eq };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(yoke_linear_create(&s, "circuit", &linear, &err), &err);
    return s;
}

static yoke_system *cut(yoke_system *whole, int count, const int *unknown,
                        const int *equation)
{
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(
        yoke_part_create(&s, "part", whole, count, unknown, equation, &err),
        &err);
    return s;
}

static void the_far_node_is_an_input_of_the_charge(void **state)
{
    yoke_system *whole = circuit();
    const int unknown[] = { V1, I }, equation[] = { 0, 2 };
    yoke_system *s = cut(whole, 2, unknown, equation);
    const yoke_system_info *f = yoke_system_facts(s);
    const double x[] = { 5.0, 7.0 }, u[] = { 11.0, 13.0 };
    double q[2], r[2], y[2], Cu[1] = { 0.0 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_int_equal(f->n, 2);
    assert_int_equal(f->m, 2);
    assert_int_equal(f->p, 2);
    assert_string_equal(f->x_name[1], "I");
    assert_string_equal(f->y_name[1], "I");
    assert_string_equal(f->u_name[0], "V2");
    assert_string_equal(f->u_name[1], "nu");
    assert_string_equal(f->eq_name[1], "source");
    CHECK_NEAR(f->x0[1], 3.0, 0.0);
    assert_true(f->flags & YOKE_AFFINE);
    CHECK_OK(yoke_system_eval(s, 0.0, x, u, q, r, &err), &err);
    CHECK_NEAR(q[0], C1 * (5.0 - 11.0), 1e-14);
    CHECK_NEAR(q[1], 0.0, 0.0);
    CHECK_NEAR(r[0], g1 * 5.0 - 7.0, 1e-14);
    CHECK_NEAR(r[1], 5.0 - 13.0, 1e-14);
    CHECK_OK(yoke_system_output(s, 0.0, x, u, y, &err), &err);
    CHECK_NEAR(y[1], 7.0, 0.0);
    assert_int_equal(yoke_pattern_count(f->Cu), 1);
    const yoke_jacobian jac = { .Cu = Cu };
    CHECK_OK(yoke_system_jacobian(s, 0.0, x, u, &jac, &err), &err);
    CHECK_NEAR(Cu[0], -C1, 0.0);
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    yoke_system_free(s);
    yoke_system_free(whole);
}

/* The pairing of unknowns with equations decides about solvability. */
static void the_partitions_of_the_paper_are_judged(void **state)
{
    yoke_system *whole = circuit();
    static const struct {
        int count, unknown[2], equation[2], index;
    } list[] = {
        { 2, { V1, I }, { 0, 2 }, 2 },  /* (V1, I) with rows (1, 3) */
        { 1, { V2, 0 }, { 1, 0 }, 0 },  /* (V2) with row (2) */
        { 1, { V1, 0 }, { 0, 0 }, 0 },  /* (V1) with row (1) */
        { 2, { I, V2 }, { 2, 1 }, -1 }, /* (I, V2) with rows (3, 2) */
        { 1, { V1, 0 }, { 2, 0 }, 1 },  /* (V1) with row (3) */
        { 2, { I, V2 }, { 0, 1 }, 1 },  /* (I, V2) with rows (1, 2) */
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        yoke_system *s =
            cut(whole, list[k].count, list[k].unknown, list[k].equation);
        yoke_solvability out;
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yoke_solvable(s, 0.0, NULL, NULL, &out, &err), &err);
        assert_int_equal(out.index, list[k].index);
        CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
        yoke_system_free(s);
    }
    yoke_system_free(whole);
}

/* The two parts joined again are the whole. */
static void parts_compose_to_the_whole(void **state)
{
    yoke_system *whole = circuit(), *both = NULL;
    const int u1[] = { V1, I }, e1[] = { 0, 2 }, u2[] = { V2 }, e2[] = { 1 };
    yoke_system *part[2];
    yoke_err err = { YOKE_OK, "" };
    yoke_solvability out;
    (void)state;
    CHECK_OK(yoke_part_create(&part[0], "a", whole, 2, u1, e1, &err), &err);
    CHECK_OK(yoke_part_create(&part[1], "b", whole, 1, u2, e2, &err), &err);
    const yoke_link link[] = { { 0, 0, 1, 0, 1.0 }, { 1, 0, 0, 0, 1.0 } };
    const int open[][2] = { { 0, 1 }, { 1, 1 } };
    const yoke_composition parts = { .members = 2,
                                     .member = part,
                                     .links = 2,
                                     .link = link,
                                     .opens = 2,
                                     .open = open };
    CHECK_OK(yoke_compose(&both, "both", &parts, &err), &err);
    CHECK_OK(yoke_solvable(both, 0.0, NULL, NULL, &out, &err), &err);
    assert_int_equal(out.index, 2);
    const double x[] = { 5.0, 7.0, 11.0 }, v[] = { 13.0, 0.0 };
    const double w[] = { 5.0, 11.0, 7.0 };
    double q[3], f[3], Q[3], F[3];
    const int from[] = { 0, 2, 1 };
    CHECK_OK(yoke_system_eval(both, 0.0, x, v, q, f, &err), &err);
    CHECK_OK(yoke_system_eval(whole, 0.0, w, v, Q, F, &err), &err);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(q[i], Q[from[i]], 1e-14);
        CHECK_NEAR(f[i], F[from[i]], 1e-14);
    }
    CHECK_OK(yoke_conform(both, 0.0, NULL, NULL, &err), &err);
    yoke_system_free(both);
    yoke_system_free(part[0]);
    yoke_system_free(part[1]);
    yoke_system_free(whole);
}

static void wrong_lists_are_refused(void **state)
{
    yoke_system *whole = circuit(), *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    const int good[] = { 0, 1, 2 }, twice[] = { 1, 1, 0 }, far[] = { 0, 3, 1 };
    (void)state;
    CHECK_STATUS(yoke_part_create(&s, "p", whole, 0, good, good, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "part \"p\" of \"circuit\": a part of 0 unknowns "
                             "of a system of 3");
    CHECK_STATUS(yoke_part_create(&s, "p", whole, 4, good, good, &err),
                 YOKE_E_ARG, &err);
    CHECK_STATUS(yoke_part_create(&s, "p", whole, 2, twice, good, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "unknown \"V2\" is listed twice");
    CHECK_STATUS(yoke_part_create(&s, NULL, whole, 2, good, twice, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "equation \"node 2\" is listed twice");
    CHECK_STATUS(yoke_part_create(&s, "p", whole, 2, far, good, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "unknown[1] = 3 is not between 0 and 2");
    CHECK_STATUS(yoke_part_create(&s, "p", whole, 2, good, far, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "equation[1] = 3");
    assert_null(s);
    yoke_system_free(whole);
}

static void a_part_of_everything_needs_no_inputs(void **state)
{
    const double A[] = { 0.0, 1.0, -1.0, 0.0 };
    const yoke_linear linear = { .n = 2, .A = A };
    const int all[] = { 1, 0 };
    yoke_system *whole = NULL, *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    double q[2], f[2];
    const double x[] = { 3.0, 4.0 };
    (void)state;
    CHECK_OK(yoke_linear_create(&whole, "w", &linear, &err), &err);
    s = cut(whole, 2, all, all);
    assert_int_equal(yoke_system_facts(s)->m, 0);
    CHECK_OK(yoke_system_eval(s, 0.0, x, NULL, q, f, &err), &err);
    CHECK_NEAR(q[0], 3.0, 0.0);
    CHECK_NEAR(f[0], 4.0, 0.0); /* x2' = -x1, here x1 is x[1] */
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    yoke_system_free(s);
    yoke_system_free(whole);
}

/* ---- a whole with breaks and memory ------------------------------------- */

static double memory = 4.0;

static yoke_status moody_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = memory * x[1];
    xdot[1] = -x[0];
    return YOKE_OK;
}

static double moody_break(void *self, double t)
{
    (void)self;
    return floor(t) + 1.0;
}

static void moody_save(void *self, void *bytes)
{
    (void)self;
    memcpy(bytes, &memory, sizeof memory);
}

static void moody_restore(void *self, const void *bytes)
{
    (void)self;
    memcpy(&memory, bytes, sizeof memory);
}

static const yoke_system_ops moody_ops = { .rhs = moody_rhs,
                                           .next_break = moody_break,
                                           .save = moody_save,
                                           .restore = moody_restore };

static void breaks_and_memory_are_those_of_the_whole(void **state)
{
    const yoke_system_info info = { .n = 2, .memory_bytes = sizeof memory };
    const int first[] = { 0 };
    yoke_system *whole = NULL;
    yoke_err err = { YOKE_OK, "" };
    double bytes = 0.0;
    (void)state;
    CHECK_OK(yoke_system_create(&whole, "w", &moody_ops, NULL, &info, &err),
             &err);
    yoke_system *s = cut(whole, 1, first, first);
    CHECK_NEAR(yk_system_next_break(s, 0.5), 1.0, 0.0);
    assert_int_equal(yoke_system_facts(s)->memory_bytes, sizeof memory);
    yk_system_save(s, &bytes);
    CHECK_NEAR(bytes, 4.0, 0.0);
    bytes = 6.0;
    yk_system_restore(s, &bytes);
    CHECK_NEAR(memory, 6.0, 0.0);
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    yoke_system_free(s);
    yoke_system_free(whole);
}

static void every_allocation_may_fail(void **state)
{
    yoke_system *whole = circuit();
    const int unknown[] = { V1, I }, equation[] = { 0, 2 };
    yoke_status status = YOKE_E_MEMORY;
    (void)state;
    for (long n = 1; status != YOKE_OK; n++) {
        yoke_system *s = NULL;
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        status = yoke_part_create(&s, "p", whole, 2, unknown, equation, &err);
        if (status != YOKE_OK) {
            CHECK_STATUS(status, YOKE_E_MEMORY, &err);
            assert_null(s);
        }
        yoke_system_free(s);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
    yoke_system_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_far_node_is_an_input_of_the_charge),
        cmocka_unit_test(the_partitions_of_the_paper_are_judged),
        cmocka_unit_test(parts_compose_to_the_whole),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(a_part_of_everything_needs_no_inputs),
        cmocka_unit_test(breaks_and_memory_are_those_of_the_whole),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
