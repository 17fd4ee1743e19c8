/* sys/check_test.c -- yoke_conform believes no one. */
#include "check.h"

#include "la/pattern.h"
#include "yoke/check.h"

#include <math.h>
#include <string.h>

/* A nonlinear subsystem with every kind of dependence; each lie is a switch.
 *
 *     q = (x1 + u^2, x1 x2)   f = (x2^2 - t, sin x1 + x2 u)   y = x1 u
 */
typedef enum lie {
    NONE,
    WRONG_G,
    WRONG_HU,
    IMPURE_CALL,
    IMPURE_JACOBIAN,
    IMPURE_SINGLE,
    LATE_MEMORY,
    BROKEN_RESTORE,
    SWALLOWED_RESTORE,
    NARROW_DOMAIN,
    NO_DOMAIN,
    STOPS,
    OLD_BREAK
} lie;

typedef struct liar {
    lie lie;
    int calls;
    double memory;
} liar;

static yoke_status liar_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    liar *l = self;
    l->calls++;
    if (l->lie == STOPS) return yoke_fail(err, YOKE_E_CALLBACK, "no licence");
    if (l->lie == NO_DOMAIN) return YOKE_RETRY;
    if (l->lie == NARROW_DOMAIN && fabs(x[0] - 1.0) > 1e-3) return YOKE_RETRY;
    if (l->lie == LATE_MEMORY) l->memory += 1.0;
    if (q) {
        q[0] = x[0] + u[0] * u[0];
        q[1] = x[0] * x[1];
        if (l->lie == IMPURE_SINGLE && !f) q[1] += 1e-13;
    }
    if (f) {
        f[0] = x[1] * x[1] - t;
        f[1] = sin(x[0]) + x[1] * u[0];
        if (l->lie == IMPURE_CALL) f[1] += 1e-14 * l->calls;
        if (l->lie == SWALLOWED_RESTORE) f[1] += l->memory;
    }
    return YOKE_OK;
}

static yoke_status liar_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    y[0] = x[0] * u[0];
    return YOKE_OK;
}

static yoke_status liar_jacobian(void *self, double t, const double *x,
                                 const double *u, const yoke_jacobian *jac,
                                 yoke_err *err)
{
    liar *l = self;
    (void)t, (void)err;
    if (jac->C) { /* (0,0) (1,0) (1,1) */
        jac->C[0] = 1.0;
        jac->C[1] = x[1];
        jac->C[2] = x[0];
    }
    if (jac->G) { /* (1,0) (0,1) (1,1) */
        jac->G[0] = cos(x[0]);
        jac->G[1] = 2.0 * x[1] * (l->lie == WRONG_G ? 1.001 : 1.0);
        jac->G[2] = u[0];
    }
    if (jac->Cu) jac->Cu[0] = 2.0 * u[0];
    if (jac->Gu) jac->Gu[0] = x[1];
    if (jac->Hx) jac->Hx[0] = u[0];
    if (jac->Hu) jac->Hu[0] = l->lie == WRONG_HU ? -x[0] : x[0];
    if (l->lie == IMPURE_JACOBIAN && jac->G) jac->G[0] += 1e-9 * l->calls;
    return YOKE_OK;
}

static double liar_break(void *self, double t)
{
    return ((liar *)self)->lie == OLD_BREAK ? t : INFINITY;
}

static void liar_save(void *self, void *bytes)
{
    memcpy(bytes, &((liar *)self)->memory, sizeof(double));
}

static void liar_restore(void *self, const void *bytes)
{
    liar *l = self;
    memcpy(&l->memory, bytes, sizeof(double));
    if (l->lie == BROKEN_RESTORE) l->memory += 1.0;
    if (l->lie == SWALLOWED_RESTORE) l->memory = -l->memory;
}

static const yoke_system_ops liar_ops = {
    .kind = "liar",
    .eval = liar_eval,
    .output = liar_output,
    .jacobian = liar_jacobian,
    .next_break = liar_break,
    .save = liar_save,
    .restore = liar_restore,
};

static yoke_pattern *places(int rows, int cols, int count, const int *row,
                            const int *col)
{
    yoke_pattern *p = NULL;
    assert_int_equal(yoke_pattern_create(&p, rows, cols, count, row, col, NULL),
                     0);
    return p;
}

/* The verdict about a liar. */
static yoke_status verdict(lie what, yoke_err *err)
{
    static const double x0[] = { 1.0, 2.0 };
    static const char *const x_name[] = { "a", "b" };
    static const char *const eq_name[] = { "first", "second" };
    static const char *const u_name[] = { "force" };
    static const char *const y_name[] = { "power" };
    const int zero[] = { 0 }, one[] = { 1 };
    const int cr[] = { 0, 1, 1 }, cc[] = { 0, 0, 1 };
    const int gr[] = { 1, 0, 1 }, gc[] = { 0, 1, 1 };
    yoke_pattern *C = places(2, 2, 3, cr, cc), *G = places(2, 2, 3, gr, gc);
    yoke_pattern *Cu = places(2, 1, 1, zero, zero);
    yoke_pattern *Gu = places(2, 1, 1, one, zero);
    yoke_pattern *Hx = places(1, 2, 1, zero, zero);
    yoke_pattern *Hu = places(1, 1, 1, zero, zero);
    liar self = { what, 0, 1.5 };
    const yoke_system_info info = {
        .n = 2,
        .m = 1,
        .p = 1,
        .memory_bytes = sizeof(double),
        .x0 = x0,
        .x_name = x_name,
        .eq_name = eq_name,
        .u_name = u_name,
        .y_name = y_name,
        .C = C,
        .G = G,
        .Cu = Cu,
        .Gu = Gu,
        .Hx = Hx,
        .Hu = Hu,
    };
    const double u[] = { 0.7 };
    yoke_system *s = NULL;
    CHECK_OK(yoke_system_create(&s, "liar", &liar_ops, &self, &info, err), err);
    const yoke_status status = yoke_conform(s, 0.5, NULL, u, err);
    yoke_system_free(s);
    yoke_pattern *const all[] = { C, G, Cu, Gu, Hx, Hu };
    for (int k = 0; k < 6; k++) yoke_pattern_free(all[k]);
    return status;
}

static void an_honest_system_is_accepted(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(verdict(NONE, &err), &err);
}

static void a_wrong_entry_is_named_with_both_values(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(verdict(WRONG_G, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "subsystem \"liar\", t = 0.5");
    CHECK_CONTAINS(err.text, "G(\"first\", \"b\") is");
    CHECK_CONTAINS(err.text, "differences give");
    CHECK_CONTAINS(err.text, ", difference ");
    CHECK_STATUS(verdict(WRONG_HU, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "Hu(\"power\", \"force\")");
}

static void an_impure_callback_is_found(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(verdict(IMPURE_CALL, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "f differs at a second call in equation "
                             "\"second\"");
    CHECK_STATUS(verdict(IMPURE_JACOBIAN, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "Jacobian G differs");
    CHECK_STATUS(verdict(IMPURE_SINGLE, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "one at a time");
}

static void broken_memory_is_found(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(verdict(LATE_MEMORY, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "evaluations");
    CHECK_STATUS(verdict(BROKEN_RESTORE, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "after restore");
    CHECK_STATUS(verdict(SWALLOWED_RESTORE, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "after restore");
}

static void a_break_in_the_past_is_found(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(verdict(OLD_BREAK, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "next_break");
}

static void points_move_closer_where_callbacks_refuse(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(verdict(NARROW_DOMAIN, &err), &err);
    CHECK_STATUS(verdict(NO_DOMAIN, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "cannot be evaluated at any of the points");
    assert_int_equal(err.status, YOKE_E_MODEL);
    assert_int_equal(verdict(NO_DOMAIN, &err), YOKE_E_MODEL);
    CHECK_STATUS(verdict(STOPS, &err), YOKE_E_CALLBACK, &err);
    CHECK_CONTAINS(err.text, "no licence");
}

/* ---- patterns, flags, rhs ----------------------------------------------- */

/* q = x, f = -(x2, a x1^3 + b x1); rhs off by `slip` in the second. */
typedef struct spring {
    double a, b, slip, charge;
} spring;

static yoke_status spring_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    const spring *s = self;
    (void)t, (void)u, (void)err;
    if (q) {
        q[0] = x[0] + s->charge;
        q[1] = x[1];
    }
    if (f) {
        f[0] = -x[1];
        f[1] = -(s->a * x[0] * x[0] * x[0] + s->b * x[0]);
    }
    return YOKE_OK;
}

static yoke_status spring_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    const spring *s = self;
    (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = s->a * x[0] * x[0] * x[0] + s->b * x[0] + s->slip;
    return YOKE_OK;
}

static const yoke_system_ops spring_ops = { .kind = "spring",
                                            .eval = spring_eval,
                                            .rhs = spring_rhs };

static yoke_status spring_verdict(spring self, const yoke_system_info *info,
                                  yoke_err *err)
{
    yoke_system *s = NULL;
    CHECK_OK(yoke_system_create(&s, "spring", &spring_ops, &self, info, err),
             err);
    const yoke_status status = yoke_conform(s, 0.0, NULL, NULL, err);
    yoke_system_free(s);
    return status;
}

static void differenced_jacobians_are_accepted(void **state)
{
    const double x0[] = { 1.0, 0.5 };
    const yoke_system_info info = { .n = 2, .x0 = x0 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(spring_verdict((spring){ 1.0, 1.0, 0.0, 0.0 }, &info, &err), &err);
}

static void a_missing_place_is_named(void **state)
{
    const double x0[] = { 1.0, 0.5 };
    const int row[] = { 0 }, col[] = { 1 };
    yoke_pattern *G = places(2, 2, 1, row, col); /* (1, 0) is missing */
    const yoke_system_info info = { .n = 2, .x0 = x0, .G = G };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(spring_verdict((spring){ 1.0, 1.0, 0.0, 0.0 }, &info, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "G(\"equation 2\", \"x1\")");
    CHECK_CONTAINS(err.text, "not in the pattern");
    yoke_pattern_free(G);
}

static void a_wrong_affine_flag_is_found(void **state)
{
    const double x0[] = { 1.0, 0.5 };
    const yoke_system_info info = { .n = 2, .x0 = x0, .flags = YOKE_AFFINE };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(spring_verdict((spring){ 0.0, 1.0, 0.0, 0.0 }, &info, &err), &err);
    CHECK_STATUS(spring_verdict((spring){ 1.0, 1.0, 0.0, 0.0 }, &info, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "YOKE_AFFINE");
}

static void a_different_rhs_is_found(void **state)
{
    const double x0[] = { 1.0, 0.5 };
    const yoke_system_info info = { .n = 2, .x0 = x0 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(spring_verdict((spring){ 1.0, 1.0, 1e-5, 0.0 }, &info, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "f is not -rhs in equation \"equation 2\"");
    CHECK_STATUS(spring_verdict((spring){ 1.0, 1.0, 0.0, 0.1 }, &info, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "q is not x");
}

/* Claims a constant Jacobian, which is true, but f is not affine in between:
 * a staircase has slope 1 almost everywhere and jumps. */
static yoke_status stairs_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = x[0];
    if (f) f[0] = x[0] + 0.01 * floor(1000.0 * x[0]);
    return YOKE_OK;
}

static yoke_status stairs_jacobian(void *self, double t, const double *x,
                                   const double *u, const yoke_jacobian *jac,
                                   yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    if (jac->C) jac->C[0] = 1.0;
    if (jac->G) jac->G[0] = 1.0;
    return YOKE_OK;
}

static const yoke_system_ops stairs_ops = { .eval = stairs_eval,
                                            .jacobian = stairs_jacobian };

static void a_jump_is_not_affine(void **state)
{
    yoke_pattern *one = NULL;
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yk_pattern_identity(&one, 1, &err), &err);
    const yoke_system_info info = {
        .n = 1, .flags = YOKE_AFFINE, .C = one, .G = one
    };
    CHECK_OK(yoke_system_create(&s, "stairs", &stairs_ops, NULL, &info, &err),
             &err);
    CHECK_STATUS(yoke_conform(s, 0.0, NULL, NULL, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "f is not affine");
    yoke_system_free(s);
    yoke_pattern_free(one);
}

static void every_allocation_may_fail(void **state)
{
    const double x0[] = { 1.0, 0.5 };
    const yoke_system_info info = { .n = 2, .x0 = x0 };
    spring self = { 1.0, 1.0, 0.0, 0.0 };
    yoke_system *s = NULL;
    yoke_status status = YOKE_E_MEMORY;
    (void)state;
    CHECK_OK(yoke_system_create(&s, "s", &spring_ops, &self, &info, NULL),
             NULL);
    for (long n = 1; status != YOKE_OK; n++) {
        fault_allocator(n);
        status = yoke_conform(s, 0.0, NULL, NULL, NULL);
        if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
    yoke_system_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_system_is_accepted),
        cmocka_unit_test(a_wrong_entry_is_named_with_both_values),
        cmocka_unit_test(an_impure_callback_is_found),
        cmocka_unit_test(broken_memory_is_found),
        cmocka_unit_test(a_break_in_the_past_is_found),
        cmocka_unit_test(points_move_closer_where_callbacks_refuse),
        cmocka_unit_test(differenced_jacobians_are_accepted),
        cmocka_unit_test(a_missing_place_is_named),
        cmocka_unit_test(a_wrong_affine_flag_is_found),
        cmocka_unit_test(a_different_rhs_is_found),
        cmocka_unit_test(a_jump_is_not_affine),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
