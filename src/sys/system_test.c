/* sys/system_test.c -- subsystems: defaults, refusals, messages, Jacobians. */
#include "check.h"

#include "base/base.h"
#include "sys/call.h"
#include "sys/system.h"
#include "yoke/check.h"
#include "yoke/compose.h"

#include <math.h>
#include <string.h>

/* ---- callbacks ---------------------------------------------------------- */

typedef struct behaviour {
    yoke_status status; /* returned by every callback */
    bool silent;        /* without a message */
    double poison;      /* added to the second result */
    int freed;
} behaviour;

static yoke_status mood(const behaviour *b, yoke_err *err)
{
    if (b->status == YOKE_OK || b->silent) return b->status;
    return yoke_fail(err, b->status, "the valve is stuck");
}

/* x1' = x2, x2' = -x1 + u */
static yoke_status oscillator_rhs(void *self, double t, const double *x,
                                  const double *u, double *xdot, yoke_err *err)
{
    const behaviour *b = self;
    (void)t;
    xdot[0] = x[1];
    xdot[1] = -x[0] + u[0] + b->poison;
    return mood(b, err);
}

static yoke_status oscillator_output(void *self, double t, const double *x,
                                     const double *u, double *y, yoke_err *err)
{
    const behaviour *b = self;
    (void)t, (void)u;
    y[0] = x[0] + x[1] + b->poison;
    return mood(b, err);
}

static yoke_status oscillator_jacobian(void *self, double t, const double *x,
                                       const double *u,
                                       const yoke_jacobian *jac, yoke_err *err)
{
    const behaviour *b = self;
    (void)t, (void)x, (void)u;
    if (jac->G) { /* (1,0), (0,1) */
        jac->G[0] = 1.0 + b->poison;
        jac->G[1] = -1.0;
    }
    if (jac->Gu) jac->Gu[0] = -1.0;
    if (jac->Hx) jac->Hx[0] = jac->Hx[1] = 1.0;
    return mood(b, err);
}

static void count_free(void *self)
{
    if (self) ((behaviour *)self)->freed++;
}

static const yoke_system_ops rhs_ops = { .rhs = oscillator_rhs,
                                         .free = count_free };
static const yoke_system_ops full_ops = { .kind = "oscillator",
                                          .rhs = oscillator_rhs,
                                          .output = oscillator_output,
                                          .jacobian = oscillator_jacobian,
                                          .free = count_free };

static yoke_system *oscillator(behaviour *b)
{
    static const double x0[] = { 1.0, 2.0 };
    const yoke_system_info info = { .n = 2, .m = 1, .x0 = x0 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(yoke_system_create(&s, "mass", &rhs_ops, b, &info, &err), &err);
    return s;
}

/* ---- defaults ----------------------------------------------------------- */

static void a_right_hand_side_is_enough(void **state)
{
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    yoke_system *s = oscillator(&b);
    const yoke_system_info *f = yoke_system_facts(s);
    const double x[] = { 3.0, 4.0 }, u[] = { 5.0 };
    double q[2], r[2], y[2], xdot[2];
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_string_equal(yoke_system_name(s), "mass");
    assert_string_equal(yoke_system_kind(s), "user");
    assert_true(yk_system_has_rhs(s));
    assert_int_equal(f->p, 2);
    assert_string_equal(f->x_name[1], "x2");
    assert_string_equal(f->u_name[0], "u1");
    assert_string_equal(f->y_name[1], "x2");
    assert_string_equal(f->eq_name[0], "equation 1");
    CHECK_NEAR(f->x0[1], 2.0, 0.0);
    CHECK_NEAR(f->nominal[1], 1.0, 0.0);
    CHECK_OK(yoke_system_eval(s, 0.0, x, u, q, r, &err), &err);
    CHECK_NEAR(q[1], 4.0, 0.0);
    CHECK_NEAR(r[0], -4.0, 0.0);
    CHECK_NEAR(r[1], -2.0, 0.0);
    CHECK_OK(yoke_system_eval(s, 0.0, x, u, NULL, NULL, &err), &err);
    CHECK_OK(yoke_system_output(s, 0.0, x, u, y, &err), &err);
    CHECK_NEAR(y[0], 3.0, 0.0);
    CHECK_OK(yk_system_rhs(s, 0.0, x, u, xdot, &err), &err);
    CHECK_NEAR(xdot[1], 2.0, 0.0);
    assert_true(isinf(yk_system_next_break(s, 0.0)));
    yk_system_save(s, NULL); /* no memory: nothing happens */
    yk_system_restore(s, NULL);
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    yoke_system_free(s);
    assert_int_equal(b.freed, 1);
    yoke_system_free(NULL);
}

static void probing_finds_the_places(void **state)
{
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    yoke_system *s = oscillator(&b);
    const yoke_system_info *f = yoke_system_facts(s);
    (void)state;
    assert_int_equal(yoke_pattern_count(f->C), 2);
    assert_int_equal(yoke_pattern_count(f->G), 2);
    assert_int_equal(yoke_pattern_find(f->G, 0, 0), -1);
    assert_true(yoke_pattern_find(f->G, 1, 0) >= 0);
    assert_int_equal(yoke_pattern_count(f->Gu), 1);
    assert_int_equal(yoke_pattern_find(f->Gu, 1, 0), 0);
    assert_int_equal(yoke_pattern_count(f->Cu), 0);
    assert_int_equal(yoke_pattern_count(f->Hx), 2);
    assert_int_equal(yoke_pattern_count(f->Hu), 0);
    yoke_system_free(s);
}

static void given_names_are_copied(void **state)
{
    char a[] = "position", b_name[] = "speed";
    const char *const x[] = { a, b_name };
    const char *const y[] = { "p", "v" };
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    const yoke_system_info info = { .n = 2, .m = 1, .x_name = x, .y_name = y };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_system_create(&s, NULL, &rhs_ops, &b, &info, &err), &err);
    a[0] = 'X';
    assert_string_equal(yoke_system_facts(s)->x_name[0], "position");
    assert_string_equal(yoke_system_facts(s)->y_name[1], "v");
    assert_string_equal(yoke_system_name(s), "unnamed");
    yoke_system_free(s);
}

/* ---- feedthrough without unknowns --------------------------------------- */

static yoke_status gain_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    (void)self, (void)x, (void)err;
    y[0] = 2.0 * u[0] * u[0] + t;
    return YOKE_OK;
}

static const yoke_system_ops gain_ops = { .kind = "gain",
                                          .output = gain_output };

static void a_system_without_unknowns_passes_inputs_on(void **state)
{
    const yoke_system_info info = { .m = 2, .p = 1 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    const double u[] = { 3.0, 0.0 };
    double y = 0.0, Hu[2] = { 0.0, 0.0 };
    (void)state;
    CHECK_OK(yoke_system_create(&s, "gain", &gain_ops, NULL, &info, &err),
             &err);
    assert_int_equal(yoke_pattern_count(yoke_system_facts(s)->Hu), 1);
    CHECK_OK(yoke_system_eval(s, 0.0, NULL, u, NULL, NULL, &err), &err);
    CHECK_OK(yoke_system_output(s, 1.0, NULL, u, &y, &err), &err);
    CHECK_NEAR(y, 19.0, 0.0);
    const yoke_jacobian jac = { .Hu = Hu };
    CHECK_OK(yoke_system_jacobian(s, 0.0, NULL, u, &jac, &err), &err);
    CHECK_NEAR(Hu[0], 12.0, 1e-6);
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    CHECK_STATUS(yk_system_rhs(s, 0.0, NULL, u, &y, &err), YOKE_E_MISSING,
                 &err);
    CHECK_CONTAINS(err.text, "\"gain\" has no explicit right-hand side");
    yoke_system_free(s);
}

/* ---- refusals ----------------------------------------------------------- */

static void refuse(const yoke_system_ops *ops, const yoke_system_info *info,
                   const char *part)
{
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_STATUS(yoke_system_create(&s, "bad", ops, &b, info, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "subsystem \"bad\"");
    CHECK_CONTAINS(err.text, part);
    assert_null(s);
    assert_int_equal(b.freed, ops->free ? 1 : 0);
}

static yoke_system_info sizes(int n, int m, int p)
{
    const yoke_system_info info = { .n = n, .m = m, .p = p };
    return info;
}

static void illegal_sizes_are_refused(void **state)
{
    static const yoke_system_ops none = { .kind = "none" };
    yoke_system_info info = sizes(1, 0, 0);
    (void)state;
    refuse(&none, &info, "neither eval nor rhs");
    info = sizes(-1, 0, 0);
    refuse(&rhs_ops, &info, "n = -1");
    info = sizes(2, -3, 0);
    refuse(&rhs_ops, &info, "m = -3");
    info = sizes(2, 1, -1);
    refuse(&full_ops, &info, "p = -1");
    info = sizes(2, 1, 1);
    refuse(&rhs_ops, &info, "p = 1 without an output callback");
    info = sizes(2, 1, 0);
    info.positions = 2;
    refuse(&rhs_ops, &info, "positions = 2 is not between 0 and n / 2 = 1");
    info = sizes(2, 1, 0);
    info.flags = 514u;
    refuse(&rhs_ops, &info, "flags = 0x202");
    info.flags = YOKE_LIMITS;
    refuse(&rhs_ops, &info, "YOKE_LIMITS needs the callbacks");
    info = sizes(2, 1, 0);
    info.memory_bytes = 8;
    refuse(&rhs_ops, &info, "memory_bytes = 8 without save");
    info = sizes(4000, 1, 0);
    refuse(&rhs_ops, &info, "n + m = 4001 is more than 4000");
}

static void missing_structs_are_refused(void **state)
{
    const yoke_system_info info = { .n = 2 };
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yoke_system_create(&s, "bad", NULL, NULL, &info, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "ops is NULL");
    CHECK_STATUS(yoke_system_create(&s, "bad", &rhs_ops, &b, NULL, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "info is NULL");
    assert_int_equal(b.freed, 1);
}

static void save_without_restore(void *self, void *bytes)
{
    (void)self, (void)bytes;
}

static void save_needs_restore(void **state)
{
    static const yoke_system_ops half = { .rhs = oscillator_rhs,
                                          .save = save_without_restore };
    const yoke_system_info info = { .n = 2, .m = 1 };
    (void)state;
    refuse(&half, &info, "save and restore must be given together");
}

static void illegal_names_and_values_are_refused(void **state)
{
    const char *const twice[] = { "a", "a" }, *const empty[] = { "a", "" };
    const double bad_x0[] = { 0.0, NAN }, bad_nominal[] = { 1.0, 0.0 };
    yoke_system_info info = sizes(2, 1, 0);
    (void)state;
    info.x_name = twice;
    refuse(&rhs_ops, &info, "unknowns 1 and 2 have the same name \"a\"");
    info = sizes(2, 1, 0);
    info.eq_name = empty;
    refuse(&rhs_ops, &info, "equations: number 2 has no name");
    info = sizes(2, 2, 0);
    info.u_name = twice;
    refuse(&rhs_ops, &info, "inputs 1 and 2");
    info = sizes(2, 1, 0);
    info.x0 = bad_x0;
    refuse(&rhs_ops, &info, "initial value of x2 is");
    info = sizes(2, 1, 0);
    info.nominal = bad_nominal;
    refuse(&rhs_ops, &info, "nominal value of x2 is 0");
}

static void illegal_patterns_are_refused(void **state)
{
    yoke_pattern *full = NULL, *small = NULL;
    yoke_system_info info = sizes(2, 1, 0);
    int start[] = { 0, 1, 2 }, row[] = { 0, 5 };
    const yoke_pattern wild = { 2, 2, start, row };
    const yoke_pattern headless = { 2, 2, start, NULL };
    (void)state;
    assert_int_equal(yk_pattern_full(&full, 2, 2, NULL), 0);
    assert_int_equal(yk_pattern_full(&small, 1, 2, NULL), 0);
    info.G = small;
    refuse(&rhs_ops, &info, "pattern G has 1 rows and 2 columns instead of 2");
    info.G = &wild;
    refuse(&rhs_ops, &info, "pattern G: row 5 in column 1");
    info.G = &headless;
    refuse(&rhs_ops, &info, "has no rows");
    info = sizes(2, 1, 0);
    info.C = full; /* a callback would write four values into two places */
    refuse(&rhs_ops, &info, "pattern C must be the identity");
    info = sizes(2, 1, 0);
    info.Hx = full;
    refuse(&rhs_ops, &info, "pattern Hx must be the identity");
    info = sizes(2, 2, 0);
    info.Cu = full;
    refuse(&rhs_ops, &info, "pattern Cu must be empty");
    yoke_pattern_free(full);
    yoke_pattern_free(small);
}

/* ---- failing callbacks -------------------------------------------------- */

static yoke_system *full_oscillator(behaviour *b)
{
    const int gr[] = { 1, 0 }, gc[] = { 0, 1 }, r1[] = { 1 }, zero[] = { 0 };
    yoke_pattern *G = NULL, *Gu = NULL, *Hx = NULL;
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    assert_int_equal(yoke_pattern_create(&G, 2, 2, 2, gr, gc, NULL), 0);
    assert_int_equal(yoke_pattern_create(&Gu, 2, 1, 1, r1, zero, NULL), 0);
    assert_int_equal(yk_pattern_full(&Hx, 1, 2, NULL), 0);
    const yoke_system_info info = {
        .n = 2, .m = 1, .p = 1, .flags = YOKE_AFFINE, .G = G, .Gu = Gu, .Hx = Hx
    };
    CHECK_OK(yoke_system_create(&s, "mass", &full_ops, b, &info, &err), &err);
    yoke_pattern_free(G);
    yoke_pattern_free(Gu);
    yoke_pattern_free(Hx);
    return s;
}

static void given_jacobians_are_used(void **state)
{
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    yoke_system *s = full_oscillator(&b);
    yoke_jacobian jac = { 0 };
    yoke_err err = { YOKE_OK, "" };
    const double x[] = { 0.0, 0.0 }, u[] = { 0.0 };
    (void)state;
    assert_string_equal(yoke_system_kind(s), "oscillator");
    CHECK_OK(yk_jacobian_create(&jac, s, &err), &err);
    CHECK_OK(yoke_system_jacobian(s, 0.0, x, u, &jac, &err), &err);
    CHECK_NEAR(jac.C[1], 1.0, 0.0);
    CHECK_NEAR(jac.G[1], -1.0, 0.0);
    CHECK_NEAR(jac.Hx[1], 1.0, 0.0);
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    yk_free(jac.C);
    yoke_system_free(s);
}

static void failing_callbacks_are_reported(void **state)
{
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    yoke_system *s = full_oscillator(&b);
    const double x[] = { 0.0, 0.0 }, u[] = { 0.0 };
    double q[2], f[2], y[1], G[2];
    const yoke_jacobian jac = { .G = G };
    yoke_err err = { YOKE_E_CALLBACK, "stale" };
    (void)state;
    b.status = YOKE_E_CALLBACK;
    CHECK_STATUS(yoke_system_eval(s, 0.25, x, u, q, f, &err), YOKE_E_CALLBACK,
                 &err);
    assert_string_equal(err.text,
                        "subsystem \"mass\", t = 0.25: the valve is stuck");
    b.silent = true;
    yoke_fail(&err, YOKE_E_CALLBACK, "stale");
    CHECK_STATUS(yoke_system_eval(s, 0.25, x, u, q, f, &err), YOKE_E_CALLBACK,
                 &err);
    assert_string_equal(err.text, "subsystem \"mass\", t = 0.25: eval returned "
                                  "\"a callback failed\"");
    CHECK_STATUS(yoke_system_output(s, 0.0, x, u, y, &err), YOKE_E_CALLBACK,
                 &err);
    CHECK_CONTAINS(err.text, "output returned");
    CHECK_STATUS(yk_system_rhs(s, 0.0, x, u, f, &err), YOKE_E_CALLBACK, &err);
    CHECK_CONTAINS(err.text, "rhs returned");
    CHECK_STATUS(yoke_system_jacobian(s, 0.0, x, u, &jac, &err),
                 YOKE_E_CALLBACK, &err);
    CHECK_CONTAINS(err.text, "jacobian returned");
    b.status = YOKE_RETRY;
    assert_int_equal(yoke_system_eval(s, 0.0, x, u, q, f, NULL), YOKE_RETRY);
    yoke_system_free(s);
}

static void results_that_are_not_finite_mean_retry(void **state)
{
    behaviour b = { YOKE_OK, false, 0.0, 0 };
    yoke_system *s = full_oscillator(&b);
    const double x[] = { 0.0, 0.0 }, u[] = { 0.0 };
    double q[2], f[2], y[1], G[2];
    const yoke_jacobian jac = { .G = G };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    b.poison = NAN;
    CHECK_STATUS(yoke_system_eval(s, 0.25, x, u, q, f, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "subsystem \"mass\", t = 0.25: f of \"equation "
                             "2\" is");
    CHECK_STATUS(yk_system_rhs(s, 0.25, x, u, f, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "derivative of \"x2\"");
    b.poison = INFINITY;
    CHECK_STATUS(yoke_system_output(s, 0.25, x, u, y, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "value of \"y1\" is inf");
    CHECK_STATUS(yoke_system_jacobian(s, 0.25, x, u, &jac, &err), YOKE_RETRY,
                 &err);
    CHECK_CONTAINS(err.text, "Jacobian G(2, 1), is inf");
    yoke_system_free(s);
}

/* ---- differences -------------------------------------------------------- */

enum { N = 40 };

/* Sparse and nonlinear: q_i = x_i + u1 x_(i+1)^2, f_i = x_(i-1) x_i - exp x_i,
 * in wildly different units; y = sum of the first and last, times u2. */
static yoke_status sparse_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)t, (void)err;
    for (int i = 0; i < N; i++) {
        if (q) q[i] = x[i] + (i + 1 < N ? u[0] * x[i + 1] * x[i + 1] : 0.0);
        if (f) f[i] = 1e6 * ((i > 0 ? x[i - 1] * x[i] : 0.0) - exp(x[i]));
    }
    return YOKE_OK;
}

static yoke_status sparse_output(void *self, double t, const double *x,
                                 const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    y[0] = u[1] * (x[0] + x[N - 1]);
    return YOKE_OK;
}

static const yoke_system_ops sparse_ops = { .eval = sparse_eval,
                                            .output = sparse_output };

static double exact_entry(bool charge, int i, int j, const double *x,
                          const double *u)
{
    if (charge) return i == j ? 1.0 : j == i + 1 ? 2.0 * u[0] * x[j] : 0.0;
    if (i == j) return 1e6 * ((i > 0 ? x[i - 1] : 0.0) - exp(x[i]));
    return j == i - 1 ? 1e6 * x[i] : 0.0;
}

static void compare(const yoke_pattern *p, const double *value, bool charge,
                    const double *x, const double *u)
{
    assert_int_equal(yoke_pattern_count(p), 2 * N - 1);
    for (int j = 0; j < N; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            const double exact = exact_entry(charge, p->row[k], j, x, u);
            CHECK_NEAR(value[k], exact, charge ? 1e-6 : 1.0);
        }
}

static void differences_are_close_to_the_exact_jacobian(void **state)
{
    const yoke_system_info info = { .n = N, .m = 2, .p = 1 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_jacobian jac = { 0 };
    double x[N], u[] = { 0.4, 1.5 };
    (void)state;
    for (int i = 0; i < N; i++) x[i] = sin(i + 1.0);
    CHECK_OK(yoke_system_create(&s, "sparse", &sparse_ops, NULL, &info, &err),
             &err);
    const yoke_system_info *f = yoke_system_facts(s);
    CHECK_OK(yk_jacobian_create(&jac, s, &err), &err);
    CHECK_OK(yoke_system_jacobian(s, 0.0, x, u, &jac, &err), &err);
    compare(f->C, jac.C, true, x, u);
    compare(f->G, jac.G, false, x, u);
    assert_int_equal(yoke_pattern_count(f->Cu), N - 1);
    CHECK_NEAR(jac.Cu[3], x[4] * x[4], 1e-6);
    assert_int_equal(yoke_pattern_count(f->Gu), 0);
    assert_int_equal(yoke_pattern_count(f->Hx), 2);
    CHECK_NEAR(jac.Hx[1], 1.5, 1e-6);
    assert_int_equal(yoke_pattern_count(f->Hu), 1);
    CHECK_NEAR(jac.Hu[0], x[0] + x[N - 1], 1e-6);
    CHECK_OK(yoke_conform(s, 0.0, x, u, &err), &err);
    yk_free(jac.C);
    yoke_system_free(s);
}

/* Defined for x <= 1 only. */
static yoke_status edge_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = (1.0 - x[0]) * sqrt(1.0 - x[0]) + 2.0 * x[0];
    return YOKE_OK;
}

static void differences_turn_back_at_the_edge_of_the_domain(void **state)
{
    static const yoke_system_ops ops = { .rhs = edge_rhs };
    const yoke_system_info info = { .n = 1 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    const double x[] = { 1.0 }, outside[] = { 2.0 };
    double G[1];
    const yoke_jacobian jac = { .G = G };
    (void)state;
    CHECK_OK(yoke_system_create(&s, "edge", &ops, NULL, &info, &err), &err);
    CHECK_OK(yoke_system_jacobian(s, 0.0, x, NULL, &jac, &err), &err);
    CHECK_NEAR(G[0], -2.0, 1e-3);
    CHECK_STATUS(yoke_system_jacobian(s, 0.0, outside, NULL, &jac, &err),
                 YOKE_RETRY, &err);
    yoke_system_free(s);
}

/* Refuses everything: nothing is known, so every place is taken. */
static void refusing_callbacks_get_full_patterns(void **state)
{
    behaviour b = { YOKE_RETRY, true, 0.0, 0 };
    const yoke_system_info info = { .n = 2, .m = 1 };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_system_create(&s, "mass", &rhs_ops, &b, &info, &err), &err);
    assert_int_equal(yoke_pattern_count(yoke_system_facts(s)->G), 4);
    assert_int_equal(yoke_pattern_count(yoke_system_facts(s)->Gu), 2);
    yoke_system_free(s);
}

static void equations_without_charge_are_algebraic(void **state)
{
    const double E[] = { 1.0, 0.0, 0.0, 0.0 }, F[] = { 0.0, 0.0 };
    const yoke_linear linear = { .n = 2, .m = 1, .E = E, .F = F };
    yoke_system *s = NULL;
    bool algebraic[2];
    (void)state;
    CHECK_OK(yoke_linear_create(&s, "l", &linear, NULL), NULL);
    yk_system_algebraic_rows(s, algebraic);
    assert_false(algebraic[0]);
    assert_true(algebraic[1]);
    yoke_system_free(s);
}

/* ---- linear systems ----------------------------------------------------- */

static void ramp(void *context, double t, double *r)
{
    r[0] = *(const double *)context * t;
}

static void a_linear_system_has_all_its_terms(void **state)
{
    const double E[] = { 2.0 }, A[] = { 3.0 }, F[] = { 5.0 }, B[] = { 7.0 };
    const double H[] = { 11.0 }, D[] = { 13.0 }, x[] = { 1.0 }, u[] = { 10.0 };
    double slope = 17.0, q, f, y;
    const yoke_linear linear = { .n = 1,
                                 .m = 1,
                                 .p = 1,
                                 .E = E,
                                 .A = A,
                                 .F = F,
                                 .B = B,
                                 .H = H,
                                 .D = D,
                                 .source = ramp,
                                 .context = &slope };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_linear_create(&s, "l", &linear, &err), &err);
    CHECK_OK(yoke_system_eval(s, 2.0, x, u, &q, &f, &err), &err);
    CHECK_NEAR(q, 52.0, 0.0);
    CHECK_NEAR(f, -(3.0 + 70.0 + 34.0), 0.0);
    CHECK_OK(yoke_system_output(s, 2.0, x, u, &y, &err), &err);
    CHECK_NEAR(y, 141.0, 0.0);
    assert_true(yoke_system_facts(s)->flags & YOKE_AFFINE);
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    yoke_system_free(s);
}

static void illegal_linear_systems_are_refused(void **state)
{
    const double bad[] = { 1.0, 2.0, INFINITY, 4.0 };
    yoke_linear linear = { .n = 2, .A = bad };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yoke_linear_create(&s, "l", &linear, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "linear subsystem \"l\": A(2, 1) is inf");
    linear = (yoke_linear){ .n = -2 };
    CHECK_STATUS(yoke_linear_create(&s, NULL, &linear, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "n = -2");
    linear = (yoke_linear){ .n = 2, .p = 1 };
    CHECK_STATUS(yoke_linear_create(&s, "l", &linear, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "p = 1 without H and D");
    assert_null(s);
}

/* ---- memory ------------------------------------------------------------- */

static yoke_status create_linear(yoke_system **out, yoke_err *err)
{
    static const char *const x[] = { "a", "b" };
    const double A[] = { 0.0, 1.0, -1.0, 0.0 }, H[] = { 1.0, 1.0 };
    const yoke_linear linear = { .n = 2, .p = 1, .A = A, .H = H, .x_name = x };
    return yoke_linear_create(out, "l", &linear, err);
}

static yoke_status create_probed(yoke_system **out, yoke_err *err)
{
    const yoke_system_info info = { .n = N, .m = 2, .p = 1 };
    return yoke_system_create(out, "sparse", &sparse_ops, NULL, &info, err);
}

static void every_allocation_may_fail(void **state)
{
    yoke_status (*const create[])(
        yoke_system **, yoke_err *) = { create_linear, create_probed };
    (void)state;
    for (int k = 0; k < 2; k++) {
        yoke_status status = YOKE_E_MEMORY;
        for (long n = 1; status != YOKE_OK; n++) {
            yoke_system *s = NULL;
            yoke_err err = { YOKE_OK, "" };
            fault_allocator(n);
            status = create[k](&s, &err);
            if (status != YOKE_OK) {
                CHECK_STATUS(status, YOKE_E_MEMORY, &err);
                assert_null(s);
            }
            yoke_system_free(s);
            assert_int_equal(fault_blocks(), 0);
            fault_restore();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_hand_side_is_enough),
        cmocka_unit_test(probing_finds_the_places),
        cmocka_unit_test(given_names_are_copied),
        cmocka_unit_test(a_system_without_unknowns_passes_inputs_on),
        cmocka_unit_test(illegal_sizes_are_refused),
        cmocka_unit_test(missing_structs_are_refused),
        cmocka_unit_test(save_needs_restore),
        cmocka_unit_test(illegal_names_and_values_are_refused),
        cmocka_unit_test(illegal_patterns_are_refused),
        cmocka_unit_test(given_jacobians_are_used),
        cmocka_unit_test(failing_callbacks_are_reported),
        cmocka_unit_test(results_that_are_not_finite_mean_retry),
        cmocka_unit_test(differences_are_close_to_the_exact_jacobian),
        cmocka_unit_test(differences_turn_back_at_the_edge_of_the_domain),
        cmocka_unit_test(refusing_callbacks_get_full_patterns),
        cmocka_unit_test(equations_without_charge_are_algebraic),
        cmocka_unit_test(a_linear_system_has_all_its_terms),
        cmocka_unit_test(illegal_linear_systems_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
