/* verify/spot_test.c -- a run that checks itself: what it finds, and that it
 * changes nothing. */
#define _POSIX_C_SOURCE 200809L
#include "verify/spot.h"

#include "run/run_fixture.h"

#include "yoke/file.h"
#include "yoke/optional.h"

static yoke_run_options until(double stop)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = stop;
    return o;
}

/* Runs to the end; *spot is what the checks found. */
static yoke_status outcome(yoke_model *model, const yoke_run_options *o,
                           double *value, yoke_spot *spot, yoke_err *err)
{
    yoke_run *run = NULL;
    const double *last = NULL;

    CHECK_OK(yoke_run_create(&run, model, o, NULL, err), err);
    const yoke_status status = yoke_run_advance(run, o->stop, err);
    const int count = yoke_run_variables(run, NULL, &last);
    memcpy(value, last, (size_t)count * sizeof *value);
    if (spot) {
        const bool open = yoke_run_spot(run, spot);
        assert_int_equal(open, o->spot > 0.0);
        print_message("%d checks (%d undecided, %d failed), largest %.3g in "
                      "%s, t = %g\n",
                      spot->made, spot->undecided, spot->failed, spot->largest,
                      spot->name, spot->t);
        spot->name = NULL;
    }
    yoke_run_close(run, NULL);
    return status;
}

/* With and without checks: the same bits, and no alarm. */
static void check_silent(yoke_model *model, const yoke_run_options *options,
                         int count)
{
    yoke_run_options o = *options;
    double with[16], without[16];
    yoke_spot spot;
    yoke_err err;

    o.second = 0.0; /* a chaotic run would begin again */
    CHECK_OK(outcome(model, &o, with, &spot, &err), &err);
    assert_true(spot.made > 0);
    assert_true(spot.work.residuals > 0);
    CHECK_BETWEEN(spot.largest, 0.0, 10.0);
    assert_int_equal(spot.undecided, 0);
    o.spot = 0.0;
    CHECK_OK(outcome(model, &o, without, &spot, &err), &err);
    assert_int_equal(spot.made, 0);
    assert_memory_equal(with, without, (size_t)count * sizeof *with);
}

/* ---- what is wrong is found ----------------------------------------------
 */

/* A pulse that is there only for somebody who looks more closely. */
typedef struct shy {
    double rtol;
} shy;

static void shy_accuracy(void *self, double rtol)
{
    ((shy *)self)->rtol = rtol;
}

static yoke_status shy_rhs(void *self, double t, const double *x,
                           const double *u, double *xdot, yoke_err *err)
{
    const shy *s = self;
    const double pulse = exp(-(t - 6.0) * (t - 6.0));
    (void)u, (void)err;

    xdot[0] = -x[0] + (s->rtol < 5e-7 ? pulse : 0.0);
    return YOKE_OK;
}

static yoke_model *shy_model(shy *s)
{
    static const yoke_system_ops ops = { .kind = "shy", .rhs = shy_rhs };
    static const yoke_help_ops help = { .accuracy = shy_accuracy };
    static const char *const name[] = { "x" };
    const double one = 1.0;
    const yoke_system_info info = {
        .n = 1, .x0 = &one, .x_name = name, .help = &help
    };
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "part", &ops, s, &info, &err), &err);
    add_system(model, system, NULL);
    return model;
}

static void a_run_that_is_wrong_ends_with_part_variable_and_time(void **state)
{
    shy s = { 1e-6 };
    yoke_model *model = shy_model(&s);
    yoke_run_options o = until(20.0);
    double value[1];
    yoke_spot spot;
    yoke_err err;
    (void)state;

    for (o.spot_seed = 0; o.spot_seed < 10; o.spot_seed++) {
        s.rtol = 1e-6;
        CHECK_STATUS(outcome(model, &o, value, &spot, &err), YOKE_E_NUMERIC,
                     &err);
        assert_non_null(strstr(err.text, "spot check: \"part.x\""));
        assert_non_null(strstr(err.text, "they differ by"));
        CHECK_BETWEEN(spot.t, 2.0, 20.0);
        assert_true(spot.largest > 10.0);
    }
    print_message("%s\n", err.text);
    s.rtol = 1e-6;
    o.spot = 0.0;
    CHECK_OK(outcome(model, &o, value, &spot, &err), &err);
    yoke_model_free(model);
}

/* ---- what is right stays so ---------------------------------------------- */

static void coupled_subsystems_are_checked_as_one(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = until(1.0);
    (void)state;

    check_silent(model, &o, 4);
    o.cluster = YOKE_CLUSTER_NONE;
    check_silent(model, &o, 4);
    o.scheme = YOKE_JACOBI;
    check_silent(model, &o, 4);
    yoke_model_free(model);
}

static void delayed_signals_are_inputs_of_the_check(void **state)
{
    const double lag = -1.0, one = 1.0, gain = -1.5;
    const yoke_linear self = {
        .n = 1, .m = 1, .A = &lag, .B = &gain, .x0 = &one
    };
    yoke_model *model = new_model();
    yoke_run_options o = until(20.0);
    yoke_err err;
    (void)state;

    add_linear(model, "a", &self, NULL);
    add_linear(model, "b", &self, NULL);
    CHECK_OK(yoke_graph_delay(yoke_model_graph(model), "a.u1", "b.x1", 1.0, 1.0,
                              NULL, &err),
             &err);
    connect(model, "b.u1", "a.x1", 1.0);
    check_silent(model, &o, 2);
    yoke_model_free(model);
}

/* The difference grows as exp(3 t) or faster, and is not the run's fault. */
static yoke_status lorenz(void *self, double t, const double *x,
                          const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = 10.0 * (x[1] - x[0]);
    xdot[1] = x[0] * (28.0 - x[2]) - x[1];
    xdot[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
    return YOKE_OK;
}

static yoke_status growth(void *self, double t, const double *x,
                          const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    for (int i = 0; i < 3; i++) xdot[i] = (1.0 + i) * x[i];
    return YOKE_OK;
}

static yoke_status van_der_pol(void *self, double t, const double *x,
                               const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    xdot[2] = -x[2];
    return YOKE_OK;
}

static void unstable_and_stiff_systems_raise_no_alarm(void **state)
{
    static const struct {
        yoke_status (*rhs)(void *self, double t, const double *x,
                           const double *u, double *xdot, yoke_err *err);
        double stop;
    } table[] = { { lorenz, 40.0 }, { growth, 8.0 }, { van_der_pol, 3000.0 } };
    static const char *const method[] = { "radau5", "trbdf2" };
    const double x0[] = { 1.0, 1.0, 20.0 };
    const yoke_system_info info = { .n = 3, .x0 = x0 };
    yoke_err err;
    (void)state;

    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 2; m++) {
            const yoke_system_ops ops = { .kind = "test", .rhs = table[k].rhs };
            const yoke_stepper_options s = stepper(method[m], 0.0);
            yoke_model *model = new_model();
            yoke_system *system = NULL;
            yoke_run_options o = until(table[k].stop);
            CHECK_OK(yoke_system_create(&system, "s", &ops, NULL, &info, &err),
                     &err);
            add_system(model, system, &s);
            for (o.spot_seed = 1; o.spot_seed < 4; o.spot_seed++)
                check_silent(model, &o, 3);
            yoke_model_free(model);
        }
}

/* ---- what is not certified is said --------------------------------------- */

static int sentences(yoke_model *model, const yoke_run_options *o,
                     const char *word)
{
    yoke_run *run = NULL;
    const char *text = NULL;
    int count = 0, found = 0;
    yoke_err err;

    CHECK_OK(yoke_run_create(&run, model, o, NULL, &err), &err);
    for (; yoke_run_uncertain(run, count, &text); count++)
        found += strstr(text, word) != NULL;
    assert_true(count == 0 || found > 0);
    CHECK_OK(yoke_run_close(run, &err), &err);
    return count;
}

static void what_has_no_test_is_told(void **state)
{
    const yoke_stepper_options fixed = stepper("rk4", 0.01);
    yoke_model *model = two_masses(NULL, NULL),
               *steps = two_masses(&fixed, NULL);
    yoke_run_options o = until(1.0);
    (void)state;

    assert_int_equal(sentences(model, &o, ""), 0);
    o.cluster = YOKE_CLUSTER_NONE;
    assert_int_equal(sentences(steps, &o, "the steps of left have a fixed"), 1);
    o.spot = 0.0;
    assert_int_equal(sentences(model, &o, "no spot checks"), 1);
    o = until(1.0);
    o.cluster = YOKE_CLUSTER_NONE;
    o.iterate.at_end = true;
    assert_int_equal(sentences(model, &o, "at_end"), 1);
    o.iterate.at_end = false;
    o.iterate.stop = YOKE_STOP_COUNT;
    assert_int_equal(sentences(model, &o, "test: count"), 1);
    o.iterate.stop = YOKE_STOP_CHANGE;
    assert_int_equal(sentences(model, &o, "test: change"), 1);
    o.iterate.stop = YOKE_STOP_ERROR;
    o.given = true;
    assert_int_equal(sentences(model, &o, "as given"), 1);
    yoke_model_free(model);
    yoke_model_free(steps);
}

/* Devices remember where they were evaluated last: checks leave that alone. */
static void devices_do_not_remember_the_checks(void **state)
{
    static const char text[] = "chain of inverters\n"
                               ".model n nmos level=1 vto=0.7 kp=100u\n"
                               ".model p pmos level=1 vto=-0.7 kp=50u\n"
                               ".subckt inv in out vdd\n"
                               "mn out in 0 0 n w=2u l=1u\n"
                               "mp out in vdd vdd p w=4u l=1u\n"
                               "c1 out 0 20f\n"
                               ".ends\n"
                               "vdd vdd 0 3\n"
                               "vin n0 0 pulse(0 3 1n 0.1n 0.1n 5n 12n)\n"
                               "x1 n0 n1 vdd inv\n"
                               "x2 n1 n2 vdd inv\n"
                               "x3 n2 n3 vdd inv\n"
                               "x4 n3 n4 vdd inv\n"
                               "x5 n4 n5 vdd inv\n"
                               "x6 n5 n6 vdd inv\n"
                               "* yoke: partition hierarchy\n"
                               ".tran 0.1n 13.7n\n"
                               ".end\n";
    yoke_file *file = NULL;
    yoke_err err;

    (void)state;
    CHECK_OK(
        yoke_file_parse(&file, "chain.cir", text, strlen(text), NULL, &err),
        &err);
    yoke_run_options o = *yoke_file_run_options(file);
    o.cluster = YOKE_CLUSTER_NONE;
    check_silent(yoke_file_model(file), &o, 8);
    yoke_file_free(file);
}

/* A relation x > 1 that is held at false. */
static yoke_status held_indicate(void *self, double t, const double *x,
                                 const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = x[0] - 1.0;
    return YOKE_OK;
}

static yoke_status held_apply(void *self, double t, const double *x,
                              const double *u, const bool *happened,
                              double *x_new, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)happened, (void)x_new,
        (void)err;
    return YOKE_OK;
}

static void held_about(void *self, int event, yoke_event_about *out)
{
    (void)self, (void)event;
    *out = (yoke_event_about){ .text = "x > 1", .level = true };
}

static void what_is_held_must_be_right(void **state)
{
    static const yoke_system_ops ops = { .kind = "held", .rhs = shy_rhs };
    static const yoke_event_ops event = { .indicate = held_indicate,
                                          .apply = held_apply,
                                          .about = held_about };
    static const char *const name[] = { "x" };
    static const struct {
        double x;
        bool is_right;
    } list[] = { { 0.5, true },
                 { 1.0 + 9e-6, true },
                 { 1.0 + 2e-5, false },
                 { 2.0, false } };
    const double one = 1.0, tolerance = 1e-6;
    const yoke_system_info info = {
        .n = 1, .x0 = &one, .x_name = name, .events = 1, .event = &event
    };
    yoke_system *system = NULL;
    shy s = { 1e-6 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_OK(yoke_system_create(&system, "part", &ops, &s, &info, &err), &err);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const yoke_status status =
            yk_spot_held(system, 3.0, &list[i].x, &tolerance, NULL, &err);
        assert_int_equal(status, list[i].is_right ? YOKE_OK : YOKE_E_NUMERIC);
    }
    CHECK_CONTAINS(err.text, "\"part\", t = 3: x > 1 is held");
    yoke_system_free(system);
}

/* ---- a stop ---------------------------------------------------------------
 */

static bool stop_when_counted(void *context)
{
    return --*(long *)context <= 0;
}

/* Wherever it comes, in a check too: steps inside a window are behind the time
 * to which the run had come. */
static void a_stop_says_what_is_true(void **state)
{
    int checks = 0;
    (void)state;
    for (long asks = 1;; asks += 1 + asks / 8) {
        yoke_model *model = two_masses(NULL, NULL);
        const yoke_run_options o = until(20.0);
        long left = asks;
        const yoke_watcher watcher = { .stop = stop_when_counted,
                                       .context = &left };
        yoke_run *run = NULL;
        yoke_err err = { YOKE_OK, "" };
        double t, reached;
        CHECK_OK(yoke_run_create(&run, model, &o, &watcher, &err), &err);
        const yoke_status status = yoke_run_advance(run, o.stop, &err);
        yoke_run_close(run, NULL);
        yoke_model_free(model);
        if (status == YOKE_OK) break;
        CHECK_STATUS(status, YOKE_STOPPED, &err);
        const char *steps = strstr(err.text, "had come to t = ");
        if (strstr(err.text, "solved once more")) checks++;
        if (!steps) continue;
        assert_int_equal(sscanf(err.text, "stopped at t = %lf", &t), 1);
        assert_int_equal(sscanf(steps, "had come to t = %lf", &reached), 1);
        assert_true(reached >= t);
    }
    assert_true(checks > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_must_be_right),
        cmocka_unit_test(a_run_that_is_wrong_ends_with_part_variable_and_time),
        cmocka_unit_test(coupled_subsystems_are_checked_as_one),
        cmocka_unit_test(delayed_signals_are_inputs_of_the_check),
        cmocka_unit_test(unstable_and_stiff_systems_raise_no_alarm),
        cmocka_unit_test(what_has_no_test_is_told),
        cmocka_unit_test(devices_do_not_remember_the_checks),
        cmocka_unit_test(a_stop_says_what_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
