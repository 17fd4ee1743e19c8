/* run/finish_test.c -- what happens at the stop time, once. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

/* x' = 1; n counts the instants 1, 2, ...; at the end of the run m = 100 + n. */
enum { X, N, M, UNKNOWNS };
enum { TICK, END, EVENTS };

static yoke_status clock_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    xdot[X] = 1.0;
    xdot[N] = xdot[M] = 0.0;
    return YOKE_OK;
}

static double clock_break(void *self, double t)
{
    (void)self;
    return floor(t) + 1.0;
}

static yoke_status clock_indicate(void *self, double t, const double *x,
                                  const double *u, double *g, yoke_err *err)
{
    (void)self, (void)u, (void)err;
    g[TICK] = t - (x[N] + 1.0);
    g[END] = -1.0;
    return YOKE_OK;
}

static yoke_status clock_apply(void *self, double t, const double *x,
                               const double *u, const bool *happened,
                               double *x_new, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (happened[TICK]) x_new[N] += 1.0;
    if (happened[END]) x_new[M] += 100.0 + x[N];
    return YOKE_OK;
}

static void clock_about(void *self, int k, yoke_event_about *out)
{
    (void)self;
    out->terminal = k == END;
}

static yoke_model *make_clock(void)
{
    static const yoke_system_ops ops = { .kind = "clock",
                                         .rhs = clock_rhs,
                                         .next_break = clock_break };
    static const yoke_event_ops event = { .indicate = clock_indicate,
                                          .apply = clock_apply,
                                          .about = clock_about };
    static const char *const name[] = { "x", "n", "m" };
    const double start[UNKNOWNS] = { 0.0, 0.0, 0.0 };
    const yoke_system_info info = { .n = UNKNOWNS,
                                    .events = EVENTS,
                                    .event = &event,
                                    .x0 = start,
                                    .x_name = name };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "c", &ops, NULL, &info, &err), &err);
    yoke_model *model = new_model();
    const yoke_stepper_options options = stepper("radau5", 0.0);
    add_system(model, system, &options);
    return model;
}

static void check_pieces(int pieces)
{
    yoke_model *model = make_clock();
    yoke_run_options options = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_run_result result;
    yoke_err err;

    options.stop = 3.0;
    to_file(&options, "clock.csv");
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    for (int i = 1; i <= pieces; i++) {
        CHECK_OK(yoke_run_advance(run, 3.0 * i / pieces, &err), &err);
        if (i < pieces) assert_true(value_of(run, "c.m") == 0.0);
    }
    for (int again = 0; again < 2; again++) {
        assert_true(value_of(run, "c.n") == 3.0);
        assert_true(value_of(run, "c.m") == 103.0);
        CHECK_OK(yoke_run_advance(run, 3.0, &err), &err);
    }
    yoke_run_summary(run, &result);
    assert_true(result.t == 3.0);
    assert_true(result.converged);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);

    yoke_table *t = read_table(in_scratch("clock.csv"), "result");
    const double *last = t->value + (size_t)(t->rows - 2) * (size_t)t->cols;
    const double want[2][4] = { { 3.0, 3.0, 2.0, 0.0 },
                                { 3.0, 3.0, 3.0, 103.0 } };
    for (int k = 0; k < 8; k++) CHECK_NEAR(last[k], want[k / 4][k % 4], 1e-12);
    assert_true(last[-4] < 3.0);
    yoke_table_free(t);
}

static void events_at_the_stop_time_happen_once(void **state)
{
    (void)state;
    check_pieces(1);
    check_pieces(2);
    check_pieces(3); /* events at the ends of the pieces */
    check_pieces(7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_the_stop_time_happen_once),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
