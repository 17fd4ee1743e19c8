/* sys/compose_test.c */
#include "check.h"

#include "base/base.h"
#include "base/crew.h"
#include "sys/call.h"
#include "sys/closed.h"
#include "sys/system.h"
#include "yoke/check.h"
#include "yoke/compose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members ------------------------------------------------------------ */

/* q = (x1 + u^2 / 2, x1 x2), f = (x2 - u, sin x1), y = (x1 x2, x1 + 3 u):
 * a charge that depends on the input, one output with feedthrough. */
static yoke_status mixed_eval(void *self, double t, const double *x,
                              const double *u, double *q, double *f,
                              yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) {
        q[0] = x[0] + 0.5 * u[0] * u[0];
        q[1] = x[0] * x[1];
    }
    if (f) {
        f[0] = x[1] - u[0];
        f[1] = sin(x[0]);
    }
    return YOKE_OK;
}

static yoke_status mixed_output(void *self, double t, const double *x,
                                const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    y[0] = x[0] * x[1];
    y[1] = x[0] + 3.0 * u[0];
    return YOKE_OK;
}

static const yoke_system_ops mixed_ops = { .eval = mixed_eval,
                                           .output = mixed_output };

/* q = x + u1, f = x^3 + u1 u2, y = x. */
static yoke_status cubic_eval(void *self, double t, const double *x,
                              const double *u, double *q, double *f,
                              yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) q[0] = x[0] + u[0];
    if (f) f[0] = x[0] * x[0] * x[0] + u[0] * u[1];
    return YOKE_OK;
}

static const yoke_system_ops cubic_ops = { .eval = cubic_eval };

static yoke_system *user(const char *name, const yoke_system_ops *ops,
                         yoke_system_info info)
{
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(yoke_system_create(&s, name, ops, NULL, &info, &err), &err);
    return s;
}

static yoke_system *make_mixed(const char *name)
{
    return user(name, &mixed_ops, (yoke_system_info){ .n = 2, .m = 1, .p = 2 });
}

static yoke_system *make_cubic(const char *name)
{
    return user(name, &cubic_ops, (yoke_system_info){ .n = 1, .m = 2 });
}

static yoke_system *make_linear(const char *name, yoke_linear linear)
{
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(yoke_linear_create(&s, name, &linear, &err), &err);
    return s;
}

static yoke_system *join(const char *name, yoke_composition parts)
{
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(yoke_compose(&s, name, &parts, &err), &err);
    return s;
}

/* ---- the same by hand --------------------------------------------------- */

/* mixed.u = v + cubic.x + mixed.y1 / 2 (a loop onto itself),
 * cubic.u1 = 2 mixed.y1, cubic.u2 = w = mixed.y2 (kept: feedthrough). */
static const yoke_link pair_link[] = {
    { 1, 0, 0, 0, 2.0 },
    { 0, 0, 1, 0, 1.0 },
    { 1, 1, 0, 1, 1.0 },
    { 0, 0, 0, 0, 0.5 },
};
static const int pair_open[][2] = { { 0, 0 } };

static yoke_status hand_eval(void *self, double t, const double *x,
                             const double *v, double *q, double *f,
                             yoke_err *err)
{
    const double u = v[0] + x[2] + 0.5 * x[0] * x[1];
    (void)self, (void)t, (void)err;
    if (q) {
        q[0] = x[0] + 0.5 * u * u;
        q[1] = x[0] * x[1];
        q[2] = x[2] + 2.0 * x[0] * x[1];
        q[3] = 0.0;
    }
    if (f) {
        f[0] = x[1] - u;
        f[1] = sin(x[0]);
        f[2] = x[2] * x[2] * x[2] + 2.0 * x[0] * x[1] * x[3];
        f[3] = x[3] - x[0] - 3.0 * u;
    }
    return YOKE_OK;
}

static yoke_status hand_output(void *self, double t, const double *x,
                               const double *v, double *y, yoke_err *err)
{
    const double u = v[0] + x[2] + 0.5 * x[0] * x[1];
    (void)self, (void)t, (void)err;
    y[0] = x[0] * x[1];
    y[1] = x[0] + 3.0 * u;
    y[2] = x[2];
    return YOKE_OK;
}

static const yoke_system_ops hand_ops = { .eval = hand_eval,
                                          .output = hand_output };

/* Entry (i, j) of a sparse matrix. */
static double get(const yoke_pattern *p, const double *value, int i, int j)
{
    const int k = yoke_pattern_find(p, i, j);
    return k < 0 ? 0.0 : value[k];
}

static void same_matrix(const yoke_pattern *p, const double *a,
                        const yoke_pattern *r, const double *b)
{
    assert_int_equal(p->rows, r->rows);
    assert_int_equal(p->cols, r->cols);
    for (int i = 0; i < p->rows; i++)
        for (int j = 0; j < p->cols; j++)
            CHECK_NEAR(get(p, a, i, j), get(r, b, i, j), 1e-5);
}

/* Results and Jacobians of a and b agree at (t, x, u). */
static void same_system(yoke_system *a, yoke_system *b, const double *x,
                        const double *u)
{
    const yoke_system_info *f = yoke_system_facts(a), *g = yoke_system_facts(b);
    double r[2][64];
    yoke_jacobian ja = { 0 }, jb = { 0 };
    yoke_err err = { YOKE_OK, "" };
    const int n = f->n;
    assert_int_equal(n, g->n);
    for (int k = 0; k < 2; k++) {
        yoke_system *s = k ? b : a;
        CHECK_OK(yoke_system_eval(s, 0.0, x, u, r[k], r[k] + n, &err), &err);
        CHECK_OK(yoke_system_output(s, 0.0, x, u, r[k] + 2 * n, &err), &err);
    }
    for (int i = 0; i < 2 * n + f->p; i++) CHECK_NEAR(r[0][i], r[1][i], 1e-13);
    CHECK_OK(yk_jacobian_create(&ja, a, &err), &err);
    CHECK_OK(yk_jacobian_create(&jb, b, &err), &err);
    CHECK_OK(yoke_system_jacobian(a, 0.0, x, u, &ja, &err), &err);
    CHECK_OK(yoke_system_jacobian(b, 0.0, x, u, &jb, &err), &err);
    same_matrix(f->C, ja.C, g->C, jb.C);
    same_matrix(f->G, ja.G, g->G, jb.G);
    same_matrix(f->Cu, ja.Cu, g->Cu, jb.Cu);
    same_matrix(f->Gu, ja.Gu, g->Gu, jb.Gu);
    same_matrix(f->Hx, ja.Hx, g->Hx, jb.Hx);
    same_matrix(f->Hu, ja.Hu, g->Hu, jb.Hu);
    yk_free(ja.C);
    yk_free(jb.C);
}

static void a_composite_is_what_one_would_write_by_hand(void **state)
{
    yoke_system *member[] = { make_mixed("left"), make_cubic("right") };
    yoke_system *s = join("pair", (yoke_composition){ .members = 2,
                                                      .member = member,
                                                      .links = 4,
                                                      .link = pair_link,
                                                      .opens = 1,
                                                      .open = pair_open });
    yoke_system *hand =
        user("hand", &hand_ops, (yoke_system_info){ .n = 4, .m = 1, .p = 3 });
    const yoke_system_info *f = yoke_system_facts(s);
    const double x[] = { 0.3, -0.7, 1.2, 0.4 }, v[] = { 0.9 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_string_equal(yoke_system_kind(s), "composite");
    assert_string_equal(f->x_name[0], "left.x1");
    assert_string_equal(f->x_name[3], "right.u2");
    assert_string_equal(f->eq_name[3], "input right.u2");
    assert_string_equal(f->u_name[0], "left.u1");
    assert_string_equal(f->y_name[2], "right.x1");
    int owner = -1, input = -1;
    assert_true(yk_composite_kept(s, 0, &owner, &input));
    assert_int_equal(owner, 1);
    assert_int_equal(input, 1);
    assert_false(yk_composite_kept(s, 1, &owner, &input));
    assert_false(yk_composite_kept(hand, 0, &owner, &input));
    same_system(s, hand, x, v);
    CHECK_OK(yoke_conform(s, 0.0, x, v, &err), &err);
    yoke_system_free(s);
    yoke_system_free(hand);
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

static void outputs_can_be_chosen(void **state)
{
    yoke_system *member[] = { make_mixed("left"), make_cubic("right") };
    const int out[][2] = { { 1, 0 }, { 0, 1 } }, wrong[][2] = { { 1, 1 } };
    yoke_composition parts = { .members = 2,
                               .member = member,
                               .links = 4,
                               .link = pair_link,
                               .opens = 1,
                               .open = pair_open,
                               .outs = 2,
                               .out = out };
    yoke_system *s = join("pair", parts), *none = NULL;
    const double x[] = { 0.3, -0.7, 1.2, 0.4 }, v[] = { 0.9 };
    double y[2], all[3];
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_string_equal(yoke_system_facts(s)->y_name[1], "left.y2");
    CHECK_OK(yoke_system_output(s, 0.0, x, v, y, &err), &err);
    CHECK_OK(hand_output(NULL, 0.0, x, v, all, &err), &err);
    CHECK_NEAR(y[0], all[2], 1e-14);
    CHECK_NEAR(y[1], all[1], 1e-14);
    CHECK_OK(yoke_conform(s, 0.0, x, v, &err), &err);
    parts.outs = 1;
    parts.out = wrong;
    CHECK_STATUS(yoke_compose(&none, "pair", &parts, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "output 1 of member 1 does not exist");
    yoke_system_free(s);
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

/* ---- algebraic loops ---------------------------------------------------- */

/* y = gain u, no unknowns. */
static yoke_system *make_gain(const char *name, const double *gain)
{
    return make_linear(name, (yoke_linear){ .m = 1, .p = 1, .D = gain });
}

static void a_feedthrough_loop_becomes_equations(void **state)
{
    /* a = v + y_b, y_a = a / 2; b = y_a, y_b = b / 3: a = v / (1 - 1/6) */
    const double half = 0.5, third = 1.0 / 3.0;
    yoke_system *member[] = { make_gain("a", &half), make_gain("b", &third) };
    const yoke_link link[] = { { 0, 0, 1, 0, 1.0 }, { 1, 0, 0, 0, 1.0 } };
    const int open[][2] = { { 0, 0 } };
    yoke_system *s = join("loop", (yoke_composition){ .members = 2,
                                                      .member = member,
                                                      .links = 2,
                                                      .link = link,
                                                      .opens = 1,
                                                      .open = open });
    const double x[] = { 1.2, 0.6 }, v[] = { 1.0 };
    double f[2], y[2];
    yoke_solvability out;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_int_equal(yoke_system_facts(s)->n, 2);
    assert_false(yk_system_has_rhs(s));
    CHECK_OK(yoke_system_eval(s, 0.0, x, v, NULL, f, &err), &err);
    CHECK_NEAR(f[0], 0.0, 1e-15);
    CHECK_NEAR(f[1], 0.0, 1e-15);
    CHECK_OK(yoke_system_output(s, 0.0, x, v, y, &err), &err);
    CHECK_NEAR(y[1], 0.2, 1e-15);
    CHECK_OK(yoke_solvable(s, 0.0, NULL, NULL, &out, &err), &err);
    assert_int_equal(out.index, 1);
    CHECK_OK(yoke_conform(s, 0.0, NULL, NULL, &err), &err);
    assert_true(yoke_system_facts(s)->flags & YOKE_AFFINE);
    yoke_system_free(s);
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

static void a_loop_of_gain_one_is_found_singular(void **state)
{
    const double one = 1.0;
    yoke_system *member[] = { make_gain("a", &one) };
    const yoke_link link[] = { { 0, 0, 0, 0, 1.0 } };
    yoke_system *s = join(
        "loop", (yoke_composition){
                    .members = 1, .member = member, .links = 1, .link = link });
    yoke_solvability out;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_solvable(s, 0.0, NULL, NULL, &out, &err), &err);
    assert_false(out.solvable);
    CHECK_CONTAINS(out.text, "a.u1");
    yoke_system_free(s);
    yoke_system_free(member[0]);
}

/* An input may have the name of an unknown; kept, it must not clash. */
static void kept_inputs_get_names_of_their_own(void **state)
{
    static const char *const v[] = { "v" };
    const double one = 1.0, two = 2.0;
    yoke_system *member[] = {
        make_linear("a", (yoke_linear){ .n = 1,
                                        .m = 1,
                                        .p = 1,
                                        .B = &one,
                                        .D = &two,
                                        .x_name = v,
                                        .u_name = v,
                                        .eq_name = v }),
    };
    const yoke_link link[] = { { 0, 0, 0, 0, 1.0 } };
    yoke_system *s = join(
        "c", (yoke_composition){
                 .members = 1, .member = member, .links = 1, .link = link });
    (void)state;
    assert_string_equal(yoke_system_facts(s)->x_name[0], "a.v");
    assert_string_equal(yoke_system_facts(s)->x_name[1], "input a.v");
    assert_string_equal(yoke_system_facts(s)->eq_name[1], "input a.v");
    yoke_system_free(s);
    yoke_system_free(member[0]);
}

/* ---- constraints -------------------------------------------------------- */

/* 0 = g(y1, y2) = y1^2 - y2 with multiplier lambda: no charge, and dg/dlambda
 * is zero, so alone it cannot be solved. */
static yoke_status constraint_eval(void *self, double t, const double *x,
                                   const double *u, double *q, double *f,
                                   yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)err;
    if (q) q[0] = 0.0;
    if (f) f[0] = u[0] * u[0] - u[1];
    return YOKE_OK;
}

static const yoke_system_ops constraint_ops = { .kind = "constraint",
                                                .eval = constraint_eval };

static void a_constraint_is_solvable_with_its_neighbours_only(void **state)
{
    static const char *const lambda[] = { "lambda" };
    const double A[] = { 0.0, 1.0, 0.0, 0.0 }, B[] = { 0.0, 1.0 };
    const yoke_linear mass = { .n = 2, .m = 1, .A = A, .B = B };
    yoke_system *member[] = { make_linear("m1", mass), make_linear("m2", mass),
                              user("rod", &constraint_ops,
                                   (yoke_system_info){
                                       .n = 1, .m = 2, .x_name = lambda }) };
    const yoke_link link[] = { { 2, 0, 0, 0, 1.0 },
                               { 2, 1, 1, 0, 1.0 },
                               { 0, 0, 2, 0, 1.0 },
                               { 1, 0, 2, 0, -1.0 } };
    yoke_system *s =
        join("linkage",
             (yoke_composition){
                 .members = 3, .member = member, .links = 4, .link = link });
    const double x[] = { 1.0, 0.2, 1.0, 0.4, 0.1 };
    yoke_solvability out;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_solvable(member[2], 0.0, NULL, NULL, &out, &err), &err);
    assert_false(out.solvable);
    CHECK_CONTAINS(out.text, "lambda");
    assert_string_equal(yoke_system_facts(s)->x_name[4], "rod.lambda");
    CHECK_OK(yoke_solvable(s, 0.0, x, NULL, &out, &err), &err);
    assert_int_equal(out.index, 3);
    CHECK_OK(yoke_conform(s, 0.0, x, NULL, &err), &err);
    yoke_system_free(s);
    for (int k = 0; k < 3; k++) yoke_system_free(member[k]);
}

/* ---- nesting, rhs, memory, breaks --------------------------------------- */

static void composites_can_be_nested(void **state)
{
    yoke_system *member[] = { make_mixed("left"), make_cubic("right") };
    yoke_system *inner = join("pair", (yoke_composition){ .members = 2,
                                                          .member = member,
                                                          .links = 4,
                                                          .link = pair_link,
                                                          .opens = 1,
                                                          .open = pair_open });
    const double A[] = { -1.0 }, B[] = { 1.0 };
    yoke_system *both[] = {
        inner,
        make_linear("lag", (yoke_linear){ .n = 1, .m = 1, .A = A, .B = B })
    };
    /* lag.u = pair.y2 (feedthrough: kept), pair.u = -lag.x */
    const yoke_link link[] = { { 1, 0, 0, 1, 1.0 }, { 0, 0, 1, 0, -1.0 } };
    yoke_system *s = join(
        "outer", (yoke_composition){
                     .members = 2, .member = both, .links = 2, .link = link });
    const double x[] = { 0.3, -0.7, 1.2, 0.4, 0.8, 0.6 };
    double f[6], q[6], hand_q[4], hand_f[4], y[3];
    const double v[] = { -0.8 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_int_equal(yoke_system_facts(s)->n, 6);
    assert_string_equal(yoke_system_facts(s)->x_name[3], "pair.right.u2");
    CHECK_OK(yoke_system_eval(s, 0.0, x, NULL, q, f, &err), &err);
    hand_eval(NULL, 0.0, x, v, hand_q, hand_f, NULL);
    hand_output(NULL, 0.0, x, v, y, NULL);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(q[i], hand_q[i], 1e-14);
        CHECK_NEAR(f[i], hand_f[i], 1e-14);
    }
    CHECK_NEAR(f[4], 0.8 - 0.6, 1e-15);
    CHECK_NEAR(f[5], 0.6 - y[1], 1e-14);
    CHECK_OK(yoke_conform(s, 0.0, x, NULL, &err), &err);
    yoke_system_free(s);
    yoke_system_free(both[1]);
    yoke_system_free(inner);
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

static double level[2] = { 1.0, 2.0 };

static yoke_status decay_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    const double *rate = self;
    (void)t, (void)err;
    xdot[0] = -*rate * x[0] + u[0];
    return YOKE_OK;
}

static double decay_break(void *self, double t)
{
    const double *rate = self;
    return t < *rate ? *rate : INFINITY;
}

static void decay_save(void *self, void *bytes)
{
    memcpy(bytes, self, sizeof(double));
}

static void decay_restore(void *self, const void *bytes)
{
    memcpy(self, bytes, sizeof(double));
}

static const yoke_system_ops decay_ops = { .rhs = decay_rhs,
                                           .next_break = decay_break,
                                           .save = decay_save,
                                           .restore = decay_restore };

static void odes_stay_odes_and_keep_breaks_and_memory(void **state)
{
    yoke_system *member[2] = { NULL, NULL };
    const yoke_system_info info = { .n = 1, .m = 1, .memory_bytes = 8 };
    const yoke_link link[] = { { 1, 0, 0, 0, 1.0 }, { 0, 0, 1, 0, -4.0 } };
    const double x[] = { 3.0, 5.0 };
    double xdot[2], bytes[8] = { 0.0 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    for (int k = 0; k < 2; k++)
        CHECK_OK(yoke_system_create(&member[k], k ? "b" : "a", &decay_ops,
                                    &level[k], &info, &err),
                 &err);
    yoke_system *s = join(
        "two", (yoke_composition){
                   .members = 2, .member = member, .links = 2, .link = link });
    assert_true(yk_system_has_rhs(s));
    CHECK_OK(yk_system_rhs(s, 0.0, x, NULL, xdot, &err), &err);
    CHECK_NEAR(xdot[0], -3.0 - 20.0, 0.0);
    CHECK_NEAR(xdot[1], -10.0 + 3.0, 0.0);
    CHECK_NEAR(yk_system_next_break(s, 0.0), 1.0, 0.0);
    CHECK_NEAR(yk_system_next_break(s, 1.0), 2.0, 0.0);
    assert_true(yoke_system_facts(s)->memory_bytes <= sizeof bytes);
    yk_system_save(s, bytes);
    level[0] = level[1] = 9.0;
    yk_system_restore(s, bytes);
    CHECK_NEAR(level[0], 1.0, 0.0);
    CHECK_NEAR(level[1], 2.0, 0.0);
    CHECK_OK(yoke_conform(s, 0.0, x, NULL, &err), &err);
    yoke_system_free(s);
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

/* A source may have feedthrough elsewhere and refuse inputs that are not
 * positive; it sees all inputs that are known. */
static yoke_status picky_output(void *self, double t, const double *x,
                                const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t;
    if (u[0] <= 0.0) return yoke_fail(err, YOKE_RETRY, "u is not positive");
    y[0] = x[0];
    y[1] = log(u[0]);
    return YOKE_OK;
}

static yoke_status picky_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = -x[0];
    return YOKE_OK;
}

static const yoke_system_ops picky_ops = { .rhs = picky_rhs,
                                           .output = picky_output };

static void members_see_the_inputs_that_are_known(void **state)
{
    const double one = 1.0;
    yoke_pattern *Hx = NULL, *Hu = NULL;
    const int zero[] = { 0 }, row1[] = { 1 };
    assert_int_equal(yoke_pattern_create(&Hx, 2, 1, 1, zero, zero, NULL), 0);
    assert_int_equal(yoke_pattern_create(&Hu, 2, 1, 1, row1, zero, NULL), 0);
    yoke_system *member[] = {
        user("picky", &picky_ops,
             (yoke_system_info){ .n = 1, .m = 1, .p = 2, .Hx = Hx, .Hu = Hu }),
        make_linear("source", (yoke_linear){ .n = 1, .m = 1, .B = &one }),
    };
    const yoke_link link[] = { { 0, 0, 1, 0, 1.0 }, { 1, 0, 0, 0, 1.0 } };
    yoke_system *s = join(
        "c", (yoke_composition){
                 .members = 2, .member = member, .links = 2, .link = link });
    const double x[] = { 3.0, 2.0 };
    double q[2], f[2];
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_int_equal(yoke_system_facts(s)->n, 2);
    CHECK_OK(yoke_system_eval(s, 0.0, x, NULL, q, f, &err), &err);
    CHECK_NEAR(f[1], -3.0, 0.0);
    CHECK_OK(yoke_conform(s, 0.0, x, NULL, &err), &err);
    yoke_system_free(s);
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
    yoke_pattern_free(Hx);
    yoke_pattern_free(Hu);
}

/* ---- refusals ----------------------------------------------------------- */

static void refuse(yoke_composition parts, yoke_status status, const char *text)
{
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_STATUS(yoke_compose(&s, "pair", &parts, &err), status, &err);
    CHECK_CONTAINS(err.text, "composite \"pair\"");
    CHECK_CONTAINS(err.text, text);
    assert_null(s);
}

static void refuse_link(yoke_system *const *member, yoke_link link,
                        const char *text)
{
    refuse(
        (yoke_composition){
            .members = 2, .member = member, .links = 1, .link = &link },
        YOKE_E_ARG, text);
}

static void wrong_lists_are_refused(void **state)
{
    yoke_system *member[] = { make_mixed("left"), make_cubic("right") };
    yoke_system *hole[] = { member[0], NULL };
    const int twice[][2] = { { 0, 0 }, { 0, 0 } }, far[][2] = { { 1, 2 } };
    yoke_composition parts = { .members = 2, .member = member };
    (void)state;
    parts.opens = 1;
    parts.open = pair_open;
    refuse(parts, YOKE_E_MODEL, "input \"right.u1\" is not connected");
    parts.opens = 2;
    parts.open = twice;
    refuse(parts, YOKE_E_ARG, "input \"left.u1\" is open twice");
    parts.opens = 1;
    parts.open = far;
    refuse(parts, YOKE_E_ARG, "open input 2 of member 1 does not exist");
    parts.members = 0;
    refuse(parts, YOKE_E_ARG, "of 0 members");
    parts.members = 2;
    parts.outs = -1;
    refuse(parts, YOKE_E_ARG, "-1 outputs");
    refuse((yoke_composition){ .members = 2, .member = hole }, YOKE_E_ARG,
           "member 1 is NULL");
    refuse_link(member, (yoke_link){ 2, 0, 0, 0, 1.0 }, "to member 2 of 2");
    refuse_link(member, (yoke_link){ 0, 1, 0, 0, 1.0 },
                "link to input 1 of \"left\", which has 1");
    refuse_link(member, (yoke_link){ 0, 0, 1, 1, 1.0 },
                "link from output 1 of \"right\", which has 1");
    refuse_link(member, (yoke_link){ 0, 0, 1, 0, NAN }, "has the weight");
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

static void members_of_one_name_are_refused(void **state)
{
    yoke_system *member[] = { make_cubic("same"), make_cubic("same") };
    const int open[][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } };
    const yoke_composition parts = {
        .members = 2, .member = member, .opens = 4, .open = open
    };
    yoke_system *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yoke_compose(&s, "pair", &parts, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "same name \"same.");
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

static void the_failing_member_is_named(void **state)
{
    yoke_system *member[] = { make_mixed("left"), make_cubic("right") };
    yoke_system *s = join("pair", (yoke_composition){ .members = 2,
                                                      .member = member,
                                                      .links = 4,
                                                      .link = pair_link,
                                                      .opens = 1,
                                                      .open = pair_open });
    const double x[] = { 0.3, -0.7, 1e200, 0.4 }, v[] = { 0.9 };
    double q[4], f[4];
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yoke_system_eval(s, 0.5, x, v, q, f, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "subsystem \"pair\", t = 0.5: subsystem");
    CHECK_CONTAINS(err.text, "is inf");
    yoke_system_free(s);
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

/* ---- size and memory ---------------------------------------------------- */

static void a_chain_of_10000_members_is_composed(void **state)
{
    enum { MANY = 10000 };
    const double A[] = { -2.0 }, B[] = { 1.0, 1.0 };
    yoke_system **member = calloc(MANY, sizeof *member);
    yoke_link *link = calloc(2 * MANY, sizeof *link);
    double *x = calloc(MANY, sizeof *x), *f = calloc(MANY, sizeof *f);
    const int open[][2] = { { 0, 0 }, { MANY - 1, 1 } };
    const double v[] = { 1.0, 1.0 };
    int links = 0;
    yoke_err err = { YOKE_OK, "" };
    yoke_solvability out;
    (void)state;
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        member[i] =
            make_linear(name, (yoke_linear){ .n = 1, .m = 2, .A = A, .B = B });
        x[i] = 1.0;
        if (i > 0) link[links++] = (yoke_link){ i, 0, i - 1, 0, 1.0 };
        if (i + 1 < MANY) link[links++] = (yoke_link){ i, 1, i + 1, 0, 1.0 };
    }
    yoke_system *s = join("chain", (yoke_composition){ .members = MANY,
                                                       .member = member,
                                                       .links = links,
                                                       .link = link,
                                                       .opens = 2,
                                                       .open = open });
    assert_int_equal(yoke_pattern_count(yoke_system_facts(s)->G), 3 * MANY - 2);
    CHECK_OK(yoke_system_eval(s, 0.0, x, v, NULL, f, &err), &err);
    for (int i = 0; i < MANY; i++) CHECK_NEAR(f[i], 0.0, 1e-15);
    CHECK_OK(yoke_solvable(s, 0.0, x, v, &out, &err), &err);
    assert_int_equal(out.index, 0);
    yoke_system_free(s);
    for (int i = 0; i < MANY; i++) yoke_system_free(member[i]);
    free(member);
    free(link);
    free(x);
    free(f);
}

static void every_allocation_may_fail(void **state)
{
    yoke_system *member[] = { make_mixed("left"), make_cubic("right") };
    const yoke_composition parts = { .members = 2,
                                     .member = member,
                                     .links = 4,
                                     .link = pair_link,
                                     .opens = 1,
                                     .open = pair_open };
    yoke_status status = YOKE_E_MEMORY;
    (void)state;
    for (long n = 1; status != YOKE_OK; n++) {
        yoke_system *s = NULL;
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        status = yoke_compose(&s, "pair", &parts, &err);
        if (status != YOKE_OK) {
            CHECK_STATUS(status, YOKE_E_MEMORY, &err);
            assert_null(s);
        }
        yoke_system_free(s);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
    for (int k = 0; k < 2; k++) yoke_system_free(member[k]);
}

/* ---- positions ----------------------------------------------------------- */

static yoke_status decay(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    for (int i = 0; i < 3; i++) xdot[i] = -x[i];
    return YOKE_OK;
}

static yoke_status positioned(yoke_system **out, const char *name,
                              const int (*position)[2], yoke_err *err)
{
    static const yoke_system_ops ops = { .rhs = decay };
    const yoke_system_info info = { .n = 3,
                                    .positions = 1,
                                    .position = position };

    return yoke_system_create(out, name, &ops, NULL, &info, err);
}

static void positions_of_all_members_are_known(void **state)
{
    static const int other[][2] = { { 2, 0 } }, twice[][2] = { { 1, 1 } },
                     none[][2] = { { 1, 3 } };
    const yoke_linear one = { .n = 1 };
    yoke_system *member[3] = { NULL, NULL, NULL }, *whole = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_linear_create(&member[0], "a", &one, &err), &err);
    CHECK_OK(positioned(&member[1], "b", NULL, &err), &err);
    CHECK_OK(positioned(&member[2], "c", other, &err), &err);
    const yoke_composition parts = { .members = 3, .member = member };
    CHECK_OK(yoke_compose(&whole, "whole", &parts, &err), &err);
    const yoke_system_info *f = yoke_system_facts(whole);
    assert_int_equal(f->positions, 2);
    assert_int_equal(f->position[0][0], 1); /* x[0], x[1] of the second */
    assert_int_equal(f->position[0][1], 2);
    assert_int_equal(f->position[1][0], 6); /* x[2], x[0] of the third */
    assert_int_equal(f->position[1][1], 4);
    yoke_system_free(whole);
    for (int i = 0; i < 3; i++) yoke_system_free(member[i]);
    member[0] = NULL;
    CHECK_STATUS(positioned(&member[0], "d", twice, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "unknown 1 is a position or velocity twice");
    CHECK_STATUS(positioned(&member[0], "d", none, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "unknown 3 is not a position or velocity");
}

/* ---- closed members ------------------------------------------------------ */

/* y = sin(self u); a closed part in its outputs.  Negative: it dies. */
static yoke_status sine_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    const double a = *(const double *)self;

    (void)t, (void)x;
    if (a < 0.0) return yoke_fail(err, YOKE_E_CALLBACK, "died of %g", a);
    y[0] = sin(a * u[0]);
    return YOKE_OK;
}

/* There are no unknowns. */
static yoke_status empty_eval(void *self, double t, const double *x,
                              const double *u, double *q, double *f,
                              yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)q, (void)f, (void)err;
    return YOKE_OK;
}

static const yoke_system_ops sine_ops = { .eval = empty_eval,
                                          .output = sine_output };

/* All parts, the last one first. */
static yoke_status backwards(void *self, const yk_parts *parts, yoke_err *err)
{
    *(int *)self += parts->count;
    for (int i = parts->count - 1; i >= 0; i--)
        YK_TRY(parts->job(parts->context, i, err));
    return YOKE_OK;
}

/* A ring of three closed members and one that is not, which is not asked by
 * helpers. */
static void closed_members_are_asked_at_once(void **state)
{
    static const yk_closed closed = { .create = NULL };
    double size[4] = { 0.3, 0.5, 0.7, 0.9 }, r[2][4], z[2][24];
    yoke_system *member[4];
    yoke_link link[4];
    const double x[4] = { 0.1, 0.2, 0.3, 0.4 };
    yoke_err err = { YOKE_OK, "" };
    int asked = 0;
    const yk_crew crew = { backwards, &asked };
    (void)state;
    for (int i = 0; i < 4; i++) {
        const yoke_system_info info = { .m = 1,
                                        .p = 1,
                                        .flags = YOKE_PARALLEL,
                                        .closed = i == 1 ? NULL : &closed };
        char name[2] = { (char)('a' + i), '\0' };
        CHECK_OK(yoke_system_create(&member[i], name, &sine_ops, &size[i],
                                    &info, &err),
                 &err);
        link[i] = (yoke_link){ i, 0, (i + 3) % 4, 0, 1.0 };
    }
    yoke_system *s = join(
        "ring", (yoke_composition){
                    .members = 4, .member = member, .links = 4, .link = link });
    assert_int_equal(yoke_system_facts(s)->n, 4);
    assert_true(yoke_pattern_count(yoke_system_facts(s)->G) <= 24);
    for (int with = 0; with < 2; with++) {
        const yk_crew *before = yk_crew_lend(with ? &crew : NULL);
        const yoke_jacobian jac = { .G = z[with] };
        CHECK_OK(yoke_system_eval(s, 0.0, x, NULL, NULL, r[with], &err), &err);
        assert_int_equal(asked, with ? 3 : 0);
        CHECK_OK(yoke_system_jacobian(s, 0.0, x, NULL, &jac, &err), &err);
        yk_crew_lend(before);
    }
    assert_int_equal(asked, 6);
    assert_memory_equal(r[0], r[1], sizeof r[0]);
    assert_memory_equal(z[0], z[1],
                        (size_t)yoke_pattern_count(yoke_system_facts(s)->G) *
                            sizeof **z);
    CHECK_NEAR(r[0][1], x[1] - sin(0.3 * x[0]), 1e-15);
    size[2] = size[3] = -1.0;
    CHECK_STATUS(yoke_system_eval(s, 0.0, x, NULL, NULL, r[0], &err),
                 YOKE_E_CALLBACK, &err);
    CHECK_CONTAINS(err.text, "\"c\""); /* the first of them */
    yoke_system_free(s);
    for (int i = 0; i < 4; i++) yoke_system_free(member[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_composite_is_what_one_would_write_by_hand),
        cmocka_unit_test(outputs_can_be_chosen),
        cmocka_unit_test(a_feedthrough_loop_becomes_equations),
        cmocka_unit_test(a_loop_of_gain_one_is_found_singular),
        cmocka_unit_test(kept_inputs_get_names_of_their_own),
        cmocka_unit_test(a_constraint_is_solvable_with_its_neighbours_only),
        cmocka_unit_test(composites_can_be_nested),
        cmocka_unit_test(odes_stay_odes_and_keep_breaks_and_memory),
        cmocka_unit_test(members_see_the_inputs_that_are_known),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(members_of_one_name_are_refused),
        cmocka_unit_test(the_failing_member_is_named),
        cmocka_unit_test(a_chain_of_10000_members_is_composed),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(positions_of_all_members_are_known),
        cmocka_unit_test(closed_members_are_asked_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
