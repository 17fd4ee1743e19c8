/* run/many_test.c -- many parts: sweeps, order and memory do not grow with them. */
#define _XOPEN_SOURCE 700
#include "run/run_fixture.h"

enum { PARTS = 150 };

typedef struct leaf {
    double s, phase;
} leaf;

/* x' = s (-2 x + u + sin(s t + k)), one of them the hub of a star: its input is the
 * mean of all others, which read it. */
static yoke_status leaf_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    const leaf *l = self;

    (void)err;
    xdot[0] = l->s * (-2.0 * x[0] + u[0] + sin(l->s * t + l->phase));
    return YOKE_OK;
}

/* Part 3 is faster by `ratio`. */
static yoke_model *star(int parts, double ratio, leaf *part)
{
    static const yoke_system_ops ops = { .kind = "leaf", .rhs = leaf_rhs };
    yoke_model *model = new_model();
    yoke_err err;
    char name[20], to[24], from[24];

    for (int k = 0; k < parts; k++) {
        const yoke_system_info info = { .n = 1, .m = 1 };
        yoke_system *system = NULL;
        part[k] = (leaf){ k == 3 ? ratio : 1.0, k };
        snprintf(name, sizeof name, "p%d", k);
        CHECK_OK(yoke_system_create(&system, name, &ops, &part[k], &info, &err),
                 &err);
        CHECK_OK(yoke_model_add(model, system, NULL, &err), &err);
    }
    for (int k = 1; k < parts; k++) {
        snprintf(to, sizeof to, "p%d.u1", k);
        snprintf(from, sizeof from, "p%d.x1", k);
        CHECK_OK(
            yoke_graph_signal(yoke_model_graph(model), to, "p0.x1", 1.0, &err),
            &err);
        CHECK_OK(yoke_graph_signal(yoke_model_graph(model), "p0.u1", from,
                                   1.0 / (parts - 1), &err),
                 &err);
    }
    return model;
}

static yoke_run_options apart(void)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = 3.0;
    o.cluster = YOKE_CLUSTER_NONE;
    o.iterate.rtol = 1e-6;
    o.iterate.atol = 1e-9;
    return o;
}

/* Every unit measures what its inputs do to it in the same sweep. */
static void sweeps_do_not_grow_with_the_parts(void **state)
{
    static leaf part[PARTS];
    yoke_run_options o = apart();
    yoke_run_result few = { .t = 0.0 }, many = { .t = 0.0 };
    yoke_err err;
    (void)state;
    yoke_model *model = star(4, 1.0, part);
    CHECK_OK(yoke_simulate(model, &o, &few, &err), &err);
    yoke_model_free(model);
    model = star(PARTS, 1.0, part);
    CHECK_OK(yoke_simulate(model, &o, &many, &err), &err);
    yoke_model_free(model);
    CHECK_BETWEEN((double)many.iterate.sweeps, 0.3 * (double)few.iterate.sweeps,
                  1.5 * (double)few.iterate.sweeps);
    assert_int_equal(many.subsystems, PARTS);
}

/* One late waveform instead of as many as there are leaves, and the solution of
 * the monolithic run. */
static void the_hub_runs_last(void **state)
{
    static leaf part[PARTS];
    yoke_run_options o = apart();
    yoke_ladder_step step;
    yoke_run *run = NULL, *whole = NULL;
    const double *a = NULL, *b = NULL;
    yoke_err err;
    (void)state;
    yoke_model *model = star(PARTS, 1.0, part);
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    assert_true(yoke_run_step(run, 0, &step));
    assert_string_equal(step.rung, "order");
    CHECK_CONTAINS(step.text, "1 instead of 149 coupling variables");
    CHECK_OK(yoke_run_advance(run, o.stop, &err), &err);
    o.cluster = YOKE_CLUSTER_AUTO;
    o.scheme = YOKE_MONOLITHIC;
    o.iterate.rtol = 1e-9;
    CHECK_OK(yoke_run_create(&whole, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(whole, o.stop, &err), &err);
    const int count = yoke_run_variables(run, NULL, &a);
    assert_int_equal(yoke_run_variables(whole, NULL, &b), count);
    for (int k = 0; k < count; k++) CHECK_NEAR(a[k], b[k], 3e-6);
    CHECK_OK(yoke_run_close(run, &err), &err);
    CHECK_OK(yoke_run_close(whole, &err), &err);
    yoke_model_free(model);
}

/* Parts of one rate are one system soon; where one is much faster most of the others,
 * which need few steps, are, but not with it.  (Seconds: 13 systems 2.0, iterated 2.0, one
 * system 2.8, two systems, of slow and of fast ones, 5.4.) */
static void parts_of_one_rate_are_merged(void **state)
{
    static leaf part[PARTS];
    yoke_run_options o = apart();
    yoke_run_result r = { .t = 0.0 };
    yoke_ladder_step step = { .t = 0.0 };
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;
    o.cluster = YOKE_CLUSTER_AUTO;
    for (int fast = 0; fast < 2; fast++) {
        yoke_model *model = star(PARTS, fast ? 2000.0 : 1.0, part);
        CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
        CHECK_OK(yoke_run_advance(run, o.stop, &err), &err);
        yoke_run_summary(run, &r);
        if (fast)
            CHECK_BETWEEN(r.subsystems, 2, PARTS / 10);
        else
            assert_int_equal(r.subsystems, 1);
        for (int i = 0; yoke_run_step(run, i, &step); i++) {
        }
        assert_string_equal(step.rung, fast ? "cluster" : "monolithic");
        if (!fast) CHECK_BETWEEN(step.t, 0.0, 0.01 * o.stop);
        CHECK_OK(yoke_run_close(run, &err), &err);
        yoke_model_free(model);
    }
}

enum { CHAIN = 8 };

/* Parts in a row, each with its neighbours, weakly. */
static yoke_model *row(leaf *part)
{
    static const yoke_system_ops ops = { .kind = "leaf", .rhs = leaf_rhs };
    yoke_model *model = new_model();
    yoke_err err;
    char name[20], to[24], from[24];

    for (int k = 0; k < CHAIN; k++) {
        const yoke_system_info info = { .n = 1,
                                        .m = 1,
                                        .flags = YOKE_PARALLEL };
        yoke_system *system = NULL;
        part[k] = (leaf){ k % 4 == 0 ? 40.0 : 1.0, k };
        snprintf(name, sizeof name, "p%d", k);
        CHECK_OK(yoke_system_create(&system, name, &ops, &part[k], &info, &err),
                 &err);
        CHECK_OK(yoke_model_add(model, system, NULL, &err), &err);
    }
    for (int k = 0; k < CHAIN; k++)
        for (int side = -1; side < 2; side += 2) {
            if (k + side < 0 || k + side >= CHAIN) continue;
            snprintf(to, sizeof to, "p%d.u1", k);
            snprintf(from, sizeof from, "p%d.x1", k + side);
            connect(model, to, from, 0.02);
        }
    return model;
}

/* With what is left of the options: work over critical path, and the values at
 * the end. */
static double run_row(const yoke_run_options *o, const char *says, double *x)
{
    leaf part[CHAIN];
    yoke_model *model = row(part);
    yoke_ladder_step step = { .t = 0.0 };
    yoke_run_result r;
    yoke_run *run = NULL;
    const double *value = NULL;
    yoke_err err;

    CHECK_OK(yoke_run_create(&run, model, o, NULL, &err), &err);
    const bool told = yoke_run_step(run, 0, &step);
    assert_int_equal(told, says != NULL);
    if (says) CHECK_CONTAINS(step.text, says);
    CHECK_OK(yoke_run_advance(run, o->stop, &err), &err);
    yoke_run_summary(run, &r);
    assert_int_equal(yoke_run_variables(run, NULL, &value), CHAIN);
    memcpy(x, value, CHAIN * sizeof *x);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
    return r.iterate.work / r.iterate.path;
}

/* In every second order the parts of a row run at once, at no other price; an
 * order that is given stays. */
static void a_row_runs_in_two_halves(void **state)
{
    yoke_run_options o = apart();
    double halves[CHAIN], again[CHAIN], given[CHAIN];

    (void)state;
    o.spot = 0.0;
    o.jobs = 1;
    o.stop = 1.0; /* so short that nobody merges them for their price */
    const double gain =
        run_row(&o, "the work of one is 4 times its critical path", halves);
    assert_true(gain > 1.5);
    o.jobs = 3;
    run_row(&o, "the work of one is 4 times its critical path", again);
    assert_memory_equal(halves, again, sizeof halves);
    o.order = "p0 p1 p2 p3 p4 p5 p6 p7";
    CHECK_NEAR(run_row(&o, NULL, given), 1.0, 1e-12);
    for (int k = 0; k < CHAIN; k++) CHECK_NEAR(halves[k], given[k], 3e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_do_not_grow_with_the_parts),
        cmocka_unit_test(the_hub_runs_last),
        cmocka_unit_test(parts_of_one_rate_are_merged),
        cmocka_unit_test(a_row_runs_in_two_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
