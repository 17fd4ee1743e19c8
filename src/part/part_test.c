/* part/part_test.c -- closed parts of every character, in workers.
 *
 * The engines are x' = u - x, y = x, solved exactly for inputs that are linear
 * over a window, and what may go wrong.  The program of the tests is the
 * worker as well: then it finds a socket where a worker has it. */
#define _GNU_SOURCE
#include "check.h"
#include "part/part.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- engines ----------------------------------------------------------- */

typedef struct lag {
    double t, x, t1, x1; /* accepted; end of the last sweep */
    const char *trouble;
    long sweeps;
} lag;

static void *sleep_long(void *unused)
{
    (void)unused;
    sleep(1000);
    return NULL;
}

static void make_trouble(const lag *l, double t1)
{
    volatile int *nowhere = NULL;
    char *eaten[100];

    if (strcmp(l->trouble, "talk") == 0) {
        for (int i = 0; i < 20000; i++) printf("line %d\n", i);
        fflush(stdout);
    }
    if (t1 < 0.5) return;
    if (strcmp(l->trouble, "crash") == 0) {
        printf("about to divide\n");
        fflush(stdout);
        signal(SIGSEGV, SIG_DFL); /* sanitizers have their own */
        raise(SIGSEGV);
        *nowhere = 1;
    }
    if (strcmp(l->trouble, "exit") == 0) exit(0);
    if (strcmp(l->trouble, "hang") == 0) sleep(1000);
    if (strcmp(l->trouble, "eat") == 0)
        for (int i = 0; i < 100; i++) {
            eaten[i] = malloc(1u << 26);
            if (!eaten[i]) abort();
            memset(eaten[i], i, 1u << 26);
        }
}

static yoke_status lag_start(void *self, double t0, const double *x0,
                             const double *u0, double *y0, yoke_err *err)
{
    lag *l = self;
    pthread_t thread;

    (void)x0, (void)u0;
    l->t = t0;
    l->x = 1.0;
    y0[0] = l->x;
    if (strcmp(l->trouble, "thread") == 0)
        pthread_create(&thread, NULL, sleep_long, NULL);
    if (strcmp(l->trouble, "refuse") == 0)
        return yoke_fail(err, YOKE_E_MODEL, "the tank has no bottom");
    return YOKE_OK;
}

/* u = a + b s:  x = (x0 - a + b) exp(-s) + a - b + b s. */
static double exact(double x, double a, double b, double s)
{
    return (x - a + b) * exp(-s) + a - b + b * s;
}

/* Forward only: where the last sweep ended the next one goes on, unless the
 * engine goes back by itself. */
static yoke_status lag_sweep(void *self, double t1, const yk_wave *u,
                             yk_wave *y, yoke_err *err)
{
    lag *l = self;
    const bool back = strcmp(l->trouble, "state") == 0;
    double ends[2], t = l->t, x = l->x, left[1], right[1];
    const int steps = 8;

    make_trouble(l, t1);
    if (!back && l->sweeps++ > 0) x += 1000.0; /* nobody may see this */
    yk_wave_eval_right(u, t, NULL, &ends[0]);
    yk_wave_eval(u, t1, NULL, &ends[1]);
    const double h = t1 - t, b = (ends[1] - ends[0]) / h;
    yk_wave_clear(y, t);
    for (int i = 1; i <= steps; i++) {
        const double s = h * i / steps;

        left[0] = exact(x, ends[0], b, h * (i - 1) / steps);
        right[0] = exact(x, ends[0], b, s);
        if (strcmp(l->trouble, "dice") == 0) right[0] += 1e-9 * (getpid() % 97);
        YK_TRY(yk_wave_append_linear(y, i == steps ? t1 : t + s, left, right,
                                     err));
    }
    l->t1 = t1;
    l->x1 = right[0];
    return YOKE_OK;
}

static yoke_status lag_accept(void *self, yoke_err *err)
{
    lag *l = self;

    (void)err;
    l->t = l->t1;
    l->x = l->x1;
    l->sweeps = 0;
    return YOKE_OK;
}

static void lag_work(void *self, yoke_work *work)
{
    const lag *l = self;

    *work = (yoke_work){ .sweeps = l->sweeps };
}

static void lag_free(void *self)
{
    free(self);
}

static const yk_propagator_ops lag_ops = { .kind = "lag",
                                           .start = lag_start,
                                           .sweep = lag_sweep,
                                           .accept = lag_accept,
                                           .work = lag_work,
                                           .free = lag_free };

static bool lag_goes_back(void *self, double t1, const yk_wave *u, yk_wave *y)
{
    const lag *l = self;

    (void)t1, (void)u, (void)y;
    return strcmp(l->trouble, "state") == 0;
}

static yoke_status make_lag(const yk_part_spec *spec, yk_part_engine *out,
                            yoke_err *err)
{
    static char trouble[20];
    lag *l = calloc(1, sizeof *l);

    if (!l) return yoke_fail(err, YOKE_E_MEMORY, "no memory");
    snprintf(trouble, sizeof trouble, "%s", yk_part_setting(spec, "trouble"));
    l->trouble = trouble;
    out->propagator = (yk_propagator){
        .ops = &lag_ops, .self = l, .m = spec->m, .p = spec->p
    };
    out->goes_back = lag_goes_back;
    return YOKE_OK;
}

static const yk_part_maker makers[] = { { "lag", make_lag }, { NULL, NULL } };

/* ---- tests ------------------------------------------------------------- */

typedef struct bench {
    yk_propagator part;
    yk_wave *u, *y;
    yoke_err err;
    bool made;
} bench;

static yoke_status try_part(bench *b, const char *trouble, bool replay)
{
    static char path[4096];
    const char *key[] = { "trouble" }, *value[] = { trouble };
    const yk_part_spec spec = { .name = "tank",
                                .kind = "lag",
                                .settings = 1,
                                .key = key,
                                .value = value,
                                .m = 1,
                                .p = 1,
                                .seconds = strcmp(trouble, "hang") ? 20.0 : 0.3,
                                .bytes = 1e9,
                                .replay = replay,
                                .worker = path };
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    assert_true(length > 0);
    path[length] = '\0';
    *b = (bench){ 0 };
    CHECK_OK(yk_wave_create(&b->u, 1, &b->err), &b->err);
    CHECK_OK(yk_wave_create(&b->y, 1, &b->err), &b->err);
    const yoke_status status = yk_part_create(&b->part, &spec, &b->err);
    b->made = status == YOKE_OK;
    return status;
}

static void open_part(bench *b, const char *trouble, bool replay)
{
    CHECK_OK(try_part(b, trouble, replay), &b->err);
}

static void close_part(bench *b)
{
    if (b->made) b->part.ops->free(b->part.self);
    yk_wave_free(b->u);
    yk_wave_free(b->y);
}

static yoke_status start_part(bench *b)
{
    double u0 = 0.0, y0 = 0.0;

    return b->part.ops->start(b->part.self, 0.0, NULL, &u0, &y0, &b->err);
}

static yoke_status sweep_part(bench *b, double t0, double t1, double left,
                              double right)
{
    yk_wave_clear(b->u, t0);
    CHECK_OK(yk_wave_append_linear(b->u, t1, &left, &right, &b->err), &b->err);
    return b->part.ops->sweep(b->part.self, t1, b->u, b->y, &b->err);
}

static double last_value(const bench *b)
{
    double value;

    yk_wave_eval(b->y, yk_wave_end(b->y), NULL, &value);
    return value;
}

/* Ten windows, three sweeps in each, of which the last one counts. */
static void run_windows(const char *trouble, bool replay, yk_part_way way)
{
    bench b;
    double x = 1.0;
    yk_part_facts facts;

    open_part(&b, trouble, replay);
    CHECK_OK(start_part(&b), &b.err);
    for (int i = 0; i < 10; i++) {
        const double t0 = 0.1 * i, t1 = 0.1 * (i + 1);

        CHECK_OK(sweep_part(&b, t0, t1, 7.0, -3.0), &b.err);
        CHECK_NEAR(last_value(&b), exact(x, 7.0, -10.0 / (t1 - t0), t1 - t0),
                   1e-13);
        CHECK_OK(sweep_part(&b, t0, t1, 2.0, 2.0), &b.err);
        CHECK_NEAR(last_value(&b), exact(x, 2.0, 0.0, t1 - t0), 1e-13);
        CHECK_OK(sweep_part(&b, t0, t1, t0, t1), &b.err);
        x = exact(x, t0, 1.0, t1 - t0);
        CHECK_NEAR(last_value(&b), x, 1e-13);
        CHECK_OK(b.part.ops->accept(b.part.self, &b.err), &b.err);
    }
    yk_part_tell(&b.part, &facts);
    assert_int_equal(facts.way, way);
    close_part(&b);
}

static void part_goes_back_by_its_own_state(void **unused)
{
    (void)unused;
    run_windows("state", false, YK_PART_BY_STATE);
}

static void part_without_state_goes_back_by_fork(void **unused)
{
    (void)unused;
    run_windows("none", false, YK_PART_BY_FORK);
}

static void part_with_threads_goes_back_by_replay(void **unused)
{
    (void)unused;
    run_windows("thread", false, YK_PART_BY_REPLAY);
}

static void part_may_ask_for_replay(void **unused)
{
    (void)unused;
    run_windows("none", true, YK_PART_BY_REPLAY);
}

static void part_starts_again(void **unused)
{
    bench b;

    (void)unused;
    open_part(&b, "none", false);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(start_part(&b), &b.err);
        CHECK_OK(sweep_part(&b, 0.0, 0.1, 0.0, 0.0), &b.err);
        CHECK_NEAR(last_value(&b), exp(-0.1), 1e-13);
        CHECK_OK(b.part.ops->accept(b.part.self, &b.err), &b.err);
    }
    close_part(&b);
}

/* Sweeps until one fails; at most ten windows. */
static yoke_status run_into(bench *b, const char *trouble)
{
    yoke_status status;

    open_part(b, trouble, false);
    status = start_part(b);
    for (int i = 0; i < 10 && status == YOKE_OK; i++) {
        status = sweep_part(b, 0.1 * i, 0.1 * (i + 1), 0.0, 0.0);
        if (status == YOKE_OK)
            status = b->part.ops->accept(b->part.self, &b->err);
    }
    return status;
}

static void check_end(const char *trouble, const char *how, const char *also)
{
    bench b;

    assert_int_equal(run_into(&b, trouble), YOKE_E_CALLBACK);
    CHECK_CONTAINS(b.err.text, "part \"tank\"");
    CHECK_CONTAINS(b.err.text, how);
    CHECK_CONTAINS(b.err.text, also);
    assert_true(start_part(&b) == YOKE_OK); /* a new worker */
    close_part(&b);
}

static void crash_is_told_with_its_signal(void **unused)
{
    (void)unused;
    check_end("crash", "died (signal 11", "\"about to divide\"");
}

static void part_that_calls_exit_is_told(void **unused)
{
    (void)unused;
    check_end("exit", "ended by itself (exit status 0)", "at t = 0.5");
}

static void part_that_hangs_is_ended(void **unused)
{
    (void)unused;
    check_end("hang", "did not answer within 0.3 s", "at t = 0.5");
}

static void part_that_eats_memory_is_ended(void **unused)
{
    (void)unused;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* no limit there */
#else
    check_end("eat", "died (signal 6", "at t = 0.5");
#endif
}

static void part_that_refuses_says_why(void **unused)
{
    bench b;

    (void)unused;
    assert_int_equal(run_into(&b, "refuse"), YOKE_E_MODEL);
    assert_string_equal(b.err.text, "part \"tank\": the tank has no bottom");
    close_part(&b);
}

static void much_output_does_not_block(void **unused)
{
    bench b;
    yk_part_facts facts;

    (void)unused;
    CHECK_OK(run_into(&b, "talk"), &b.err);
    yk_part_tell(&b.part, &facts);
    assert_true(facts.said_in_all > 1000000);
    CHECK_CONTAINS(facts.said, "line 19999\n");
    close_part(&b);
}

static void part_that_throws_dice_is_found_out(void **unused)
{
    bench b;
    yoke_status status;

    (void)unused;
    open_part(&b, "dice", true);
    CHECK_OK(start_part(&b), &b.err);
    status = sweep_part(&b, 0.0, 0.1, 0.0, 0.0);
    CHECK_OK(status, &b.err);
    CHECK_OK(b.part.ops->accept(b.part.self, &b.err), &b.err);
    for (int i = 0; i < 5 && status == YOKE_OK; i++)
        status = sweep_part(&b, 0.1, 0.2, 0.0, 0.0);
    assert_int_equal(status, YOKE_E_CALLBACK);
    CHECK_CONTAINS(b.err.text, "gives other answers when it is run again");
    close_part(&b);
}

/* How many of the first 100 numbers are open files. */
static int open_files(void)
{
    int count = 0;

    for (int i = 0; i < 100; i++) count += fcntl(i, F_GETFD) >= 0;
    return count;
}

static void too_few_files_are_told_and_none_is_left_open(void **unused)
{
    const int before = open_files();
    struct rlimit limit;
    int refused = 0;
    bench b;

    (void)unused;
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t usual = limit.rlim_cur;
    for (int i = 0; i < 12; i++) {
        limit.rlim_cur = (rlim_t)(before + i);
        setrlimit(RLIMIT_NOFILE, &limit);
        const yoke_status status = try_part(&b, "none", false);
        limit.rlim_cur = usual;
        setrlimit(RLIMIT_NOFILE, &limit);
        if (status != YOKE_OK) {
            refused++;
            CHECK_CONTAINS(b.err.text, "too many open files: the limit is ");
        }
        close_part(&b);
        assert_int_equal(open_files(), before);
    }
    assert_in_range(refused, 3, 8);
}

/* No process is left, whatever happened. */
static void nothing_is_left_behind(void **unused)
{
    char command[200];

    (void)unused;
    /* The shell itself is a child of ours, hence its number is left out. */
    snprintf(command, sizeof command,
             "test -z \"$(ps -o pid= --ppid %ld | grep -vw $$)\"",
             (long)getpid());
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(part_goes_back_by_its_own_state),
        cmocka_unit_test(part_without_state_goes_back_by_fork),
        cmocka_unit_test(part_with_threads_goes_back_by_replay),
        cmocka_unit_test(part_may_ask_for_replay),
        cmocka_unit_test(part_starts_again),
        cmocka_unit_test(crash_is_told_with_its_signal),
        cmocka_unit_test(part_that_calls_exit_is_told),
        cmocka_unit_test(part_that_hangs_is_ended),
        cmocka_unit_test(part_that_eats_memory_is_ended),
        cmocka_unit_test(part_that_refuses_says_why),
        cmocka_unit_test(much_output_does_not_block),
        cmocka_unit_test(part_that_throws_dice_is_found_out),
        cmocka_unit_test(too_few_files_are_told_and_none_is_left_open),
        cmocka_unit_test(nothing_is_left_behind),
    };

    if (yk_part_is_worker())
        return yk_part_serve(YK_PART_SOCKET, YK_PART_MEMORY, makers);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
