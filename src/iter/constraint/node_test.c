/* iter/constraint/node_test.c -- multipliers at one instant, and what moves them,
 * against closed forms.
 *
 * Two masses that tell their motion without a stepper:
 *
 *     y = x1,  y' = x2,  y'' = -k x1 - c x1^3 + (u1 + u2) / m,
 *
 * u1 the multiplier and u2 a signal.  The constraint is y_a - w y_b = 0.
 */
#include "iter/constraint/node.h"

#include "graph/graph_fixture.h"

#include "base/tolerance.h"

#include <math.h>
#include <string.h>

typedef struct mass {
    double m, k, c;
    double x[2], u[2];
    double factor[2]; /* tolerances that it was given */
} mass;

static yoke_status mass_want(void *self, int output, yoke_err *err)
{
    (void)self, (void)output, (void)err;
    return YOKE_OK;
}

static double bend(const mass *b)
{
    return -b->k * b->x[0] - b->c * b->x[0] * b->x[0] * b->x[0];
}

static yoke_status mass_tell(void *self, const yk_instant_of *at, int level,
                             int count, const int *input, double *y, double *a,
                             yoke_err *err)
{
    const mass *b = self;
    const double rate[] = { b->x[0], b->x[1],
                            bend(b) + (b->u[0] + b->u[1]) / b->m };

    (void)at, (void)input, (void)err;
    for (int l = 0; l <= level; l++) {
        if (y) y[l] = rate[l];
        for (int c = 0; a && c < count; c++)
            a[l * count + c] = l == 2 ? 1.0 / b->m : 0.0;
    }
    return YOKE_OK;
}

/* An impulse moves the velocity, its derivative the position. */
static yoke_status mass_kick(void *self, int level, int count, const int *input,
                             const double *mu, yoke_err *err)
{
    mass *b = self;

    (void)input, (void)err;
    for (int c = 0; c < count; c++) b->x[level == 1 ? 1 : 0] += mu[c] / b->m;
    return YOKE_OK;
}

static yoke_status mass_slope(void *self, int level, int i, double *y,
                              yoke_err *err)
{
    const mass *b = self;
    const double by[2][3] = {
        { 1.0, 0.0, -b->k - 3.0 * b->c * b->x[0] * b->x[0] },
        { 0.0, 1.0, 0.0 },
    };

    (void)err;
    for (int l = 0; l <= level; l++) y[l] = by[i][l];
    return YOKE_OK;
}

static yoke_status mass_shake(void *self, int level, int i, double *y,
                              yoke_err *err)
{
    const mass *b = self;

    YK_TRY(mass_slope(self, level, i, y, err));
    for (int l = 0; l <= level; l++) y[l] *= yk_tolerance(1e-9, 1e-6, b->x[i]);
    return YOKE_OK;
}

static int mass_unknowns(void *self)
{
    (void)self;
    return 2;
}

static void mass_tighten(void *self, const double *factor)
{
    memcpy(((mass *)self)->factor, factor, 2 * sizeof *factor);
}

static bool mass_affine(void *self)
{
    return ((const mass *)self)->c == 0.0;
}

static const yk_motion_ops motion = {
    .want = mass_want,
    .tell = mass_tell,
    .kick = mass_kick,
    .shake = mass_shake,
    .unknowns = mass_unknowns,
    .slope = mass_slope,
    .tighten = mass_tighten,
    .affine = mass_affine,
};

static const yk_propagator_ops mass_ops = { .kind = "mass", .motion = &motion };

/* ---- the pair ------------------------------------------------------------- */

typedef struct pair {
    mass body[2];
    double w;
    yoke_graph *graph;
    yoke_schedule *schedule;
    yk_cluster *clusters;
    yk_propagator propagator[3];
    yk_feed feed[3][2];
    yk_unit unit[3];
    yk_constraint_node node;
} pair;

static void make_graph(pair *p)
{
    static const char *const output[] = { "a.x1", "b.x1" };
    const double weight[] = { 1.0, -p->w };
    const yoke_constraint row = { .count = 1,
                                  .outputs = 2,
                                  .output = output,
                                  .weight = weight,
                                  .owner = "b",
                                  .may_stay = true };
    yoke_schedule *plain = NULL;
    yoke_err err;

    CHECK_OK(yk_graph_create(&p->graph, &err), &err);
    add_lag(p->graph, "a", -1.0, 2);
    add_lag(p->graph, "b", -1.0, 2);
    CHECK_OK(yoke_graph_constraint(p->graph, "tie", &row, &err), &err);
    connect(p->graph, "a.u1", "tie.lambda", -1.0);
    connect(p->graph, "b.u1", "tie.lambda", p->w);
    CHECK_OK(
        yk_schedule_create(&plain, p->graph, YOKE_GAUSS_SEIDEL, 0, NULL, &err),
        &err);
    CHECK_OK(yk_schedule_part(&p->schedule, p->graph, plain, false, &err),
             &err);
    yoke_schedule_free(plain);
    CHECK_OK(
        yk_clusters_create(&p->clusters, p->graph, p->schedule, NULL, &err),
        &err);
}

static void make_pair(pair *p, mass a, mass b, double w)
{
    yoke_err err;

    memset(p, 0, sizeof *p);
    p->body[0] = a;
    p->body[1] = b;
    p->w = w;
    make_graph(p);
    for (int i = 0; i < 2; i++) {
        p->propagator[i] =
            (yk_propagator){ &mass_ops, &p->body[i], 2, 1, 0, false };
        p->feed[i][0] = (yk_feed){ 2, 0, 0, i ? w : -1.0, NULL };
        p->feed[2][i] = (yk_feed){ i, 0, i, 1.0, NULL };
        p->unit[i] = (yk_unit){ .name = i ? "b" : "a",
                                .propagator = &p->propagator[i],
                                .feeds = 1,
                                .feed = p->feed[i] };
    }
    p->propagator[2] = (yk_propagator){ NULL, NULL, 3, 1, 0, false };
    p->unit[2] = (yk_unit){ .name = "tie",
                            .propagator = &p->propagator[2],
                            .feeds = 2,
                            .feed = p->feed[2] };
    const yk_constraint_setup setup = { .graph = p->graph,
                                        .cluster = &p->clusters[2],
                                        .rtol = 1e-6,
                                        .atol = 1e-9 };
    CHECK_OK(yk_constraint_node_create(&p->node, &setup, &err), &err);
    CHECK_OK(yk_constraint_node_bind(&p->node, 3, p->unit, 2, &err), &err);
}

static void free_pair(pair *p)
{
    yk_constraint_node_clear(&p->node);
    yk_clusters_free(p->clusters, p->schedule->clusters);
    yoke_schedule_free(p->schedule);
    yk_graph_free(p->graph);
}

/* S lambda = b_a - w b_b, S = 1/m_a + w^2/m_b. */
static double exact(const pair *p)
{
    const mass *a = &p->body[0], *b = &p->body[1];
    const double S = 1.0 / a->m + p->w * p->w / b->m;

    return (bend(a) + a->u[1] / a->m - p->w * (bend(b) + b->u[1] / b->m)) / S;
}

static const yk_instant_of now = {
    .t = 1.0, .from = 0.5, .to = 1.0, .scale = 0.5
};

/* lambda follows from the states, whatever was read. */
static double multiplier(pair *p, double read)
{
    double change = 0.0;
    yoke_err err;

    p->body[0].u[0] = -read;
    p->body[1].u[0] = p->w * read;
    CHECK_OK(yk_constraint_node_degrees(&p->node, &now, &err), &err);
    CHECK_OK(yk_constraint_node_solve(&p->node, &now, &change, &err), &err);
    return read + change;
}

static const mass light = {
    .m = 1.0, .k = 4.0, .c = 0.5, .x = { 0.7, -0.2 }, .u = { 0.0, 0.3 }
};

static void multipliers_follow_from_states(void **state)
{
    (void)state;
    for (double mu = 1e-3; mu < 2e3; mu *= 10.0) {
        const mass heavy = { .m = mu, .k = 1.0, .c = 2.0, .x = { 0.35, -0.1 } };
        pair p;
        make_pair(&p, light, heavy, 2.0);
        const double want = exact(&p);
        CHECK_NEAR(multiplier(&p, 0.0), want, 1e-12 * (1.0 + fabs(want)));
        CHECK_NEAR(multiplier(&p, 17.0), want, 1e-12 * (20.0 + fabs(want)));
        assert_int_equal(p.node.degree[0], 2);
        free_pair(&p);
    }
}

/* W and V are the derivatives of lambda. */
static void slopes_are_derivatives(void **state)
{
    const mass heavy = { .m = 50.0, .k = 1.0, .c = 2.0, .x = { 0.35, -0.1 } };
    const double e = 1e-6;
    yoke_err err;
    pair p;
    (void)state;

    make_pair(&p, light, heavy, 2.0);
    multiplier(&p, exact(&p));
    CHECK_OK(yk_constraint_node_slopes(&p.node, 0.5, 1.0, &err), &err);
    yk_constraint_node_carry(&p.node);
    assert_false(yk_constraint_node_is_linear(&p.node));
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            double dx[2] = { 0.0 }, du[2] = { 0.0 }, out = 0.0;
            double *const at = k < 2 ? &p.body[i].x[k] : &p.body[i].u[k - 2];
            const double before = exact(&p), kept = *at;
            *at += e;
            const double want = (exact(&p) - before) / e;
            *at = kept;
            *(k < 2 ? &dx[k] : &du[k - 2]) = 1.0;
            yk_constraint_part_change(&p.node, &p.node.part[i], 0.3, dx, du,
                                      &out);
            CHECK_NEAR(out, want, 1e-5);
        }
    free_pair(&p);
}

static void straight_springs_have_the_same_slopes_everywhere(void **state)
{
    const mass a = { .m = 1.0, .k = 4.0 }, b = { .m = 2.0, .k = 1.0 };
    pair p;
    (void)state;

    make_pair(&p, a, b, 1.0);
    assert_true(yk_constraint_node_is_linear(&p.node));
    free_pair(&p);
}

/* Positions and velocities are moved along the mobilities: what both masses
 * have together of momentum and of its moment stays. */
static void ends_are_projected(void **state)
{
    const mass heavy = { .m = 50.0, .k = 1.0, .x = { 0.30, 0.2 } };
    yoke_err err;
    pair p;
    (void)state;

    make_pair(&p, light, heavy, 1.0);
    multiplier(&p, 0.0);
    CHECK_OK(yk_constraint_node_project(&p.node, 0.5, 1.0, 1e-9, 1e-12, &err),
             &err);
    for (int i = 0; i < 2; i++) {
        const double before = light.m * light.x[i] + heavy.m * heavy.x[i];
        const double together =
            light.m * p.body[0].x[i] + heavy.m * p.body[1].x[i];
        CHECK_NEAR(p.body[0].x[i], p.body[1].x[i], 1e-9);
        CHECK_NEAR(together, before, 1e-9);
    }
    free_pair(&p);
}

/* A stiff spring at the port: errors of its position are errors of lambda. */
static void tolerances_are_those_of_the_multiplier(void **state)
{
    const mass stiff = { .m = 1.0, .k = 1e4, .x = { 0.7, -0.2 } };
    const double tolerance = 1e-6;
    yoke_err err;
    pair p;
    (void)state;

    make_pair(&p, light, stiff, 1.0);
    multiplier(&p, 0.0);
    CHECK_OK(yk_constraint_node_tighten(&p.node, 0.5, 1.0, &tolerance, &err),
             &err);
    /* 0.5 k dx = 2 tolerances at most: one unknown counts */
    CHECK_NEAR(p.body[1].factor[0],
               2.0 * tolerance /
                   (0.5 * 1e4 * yk_tolerance(1e-9, 1e-6, stiff.x[0])),
               1e-9);
    assert_true(p.body[1].factor[1] == 1.0);
    assert_true(p.body[0].factor[0] > 0.5);
    free_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_follow_from_states),
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(straight_springs_have_the_same_slopes_everywhere),
        cmocka_unit_test(ends_are_projected),
        cmocka_unit_test(tolerances_are_those_of_the_multiplier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
