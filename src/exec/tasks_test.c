/* exec/tasks_test.c -- what is recorded of a run, and what it takes elsewhere. */
#include "check.h"

#include "exec/tasks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "tasks_test.csv";
static const char head[] = "plan,stage,task,seconds,bytes,alone\n";

static void write_file(const char *rows)
{
    FILE *out = fopen(file, "w");

    assert_non_null(out);
    fputs(head, out);
    fputs(rows, out);
    assert_int_equal(fclose(out), 0);
}

static yk_replayed replay(int count, bool threads, double latency,
                          double bandwidth)
{
    const yk_machine machine = { count, threads, latency, bandwidth };
    yk_replayed out;
    yoke_err err;

    CHECK_OK(yk_tasks_replay(file, 1, &machine, &out, &err), &err);
    return out;
}

static void threads_take_the_longest_first(void **state)
{
    (void)state;
    write_file("1,1,-1,1,0,0\n"
               "1,1,0,3,8,0\n1,1,1,3,8,0\n1,1,2,4,8,0\n1,1,3,4,8,0\n"
               "1,2,-1,0.5,0,0\n1,2,7,2,0,0\n");
    CHECK_NEAR(replay(1, true, 0.25, 1.0).seconds, 17.5, 1e-12);
    CHECK_NEAR(replay(2, true, 0.25, 1.0).seconds, 1 + 7.25 + 0.5 + 2, 1e-12);
    CHECK_NEAR(replay(4, true, 0.25, 1.0).seconds, 1 + 4.25 + 0.5 + 2, 1e-12);
    CHECK_NEAR(replay(400, true, 0.0, 1.0).seconds, 1 + 4 + 0.5 + 2, 1e-12);
    CHECK_NEAR(replay(4, true, 0.25, 1.0).serial, 1.5, 1e-12);
}

/* Code of the user stays in one thread, but may be on many ranks. */
static void what_is_alone_stays_with_the_caller(void **state)
{
    (void)state;
    write_file("1,1,0,3,0,1\n1,1,1,3,0,1\n1,1,2,4,0,0\n");
    CHECK_NEAR(replay(3, true, 0.0, 1.0).seconds, 6, 1e-12);
    CHECK_NEAR(replay(3, false, 0.0, 1.0).seconds, 4, 1e-12);
}

/* Tasks 0 and 1 are on rank 0 and 1 by what they take in all: in the second stage
 * both that are on rank 1 wait for each other.  Another plan begins anew. */
static void ranks_keep_their_tasks(void **state)
{
    (void)state;
    write_file("1,1,0,10,0,0\n1,1,1,6,0,0\n1,1,2,5,0,0\n"
               "1,2,1,1,0,0\n1,2,2,1,0,0\n"
               "2,3,1,1,0,0\n2,3,2,1,0,0\n");
    CHECK_NEAR(replay(2, false, 0.0, 1.0).seconds, 11 + 2 + 1, 1e-12);
    CHECK_NEAR(replay(3, false, 0.0, 1.0).seconds, 10 + 1 + 1, 1e-12);
}

static void messages_take_their_time(void **state)
{
    yk_replayed r;

    (void)state;
    write_file("1,1,0,1,100,0\n1,1,1,1,300,0\n1,2,0,1,0,0\n1,2,1,1,0,0\n");
    r = replay(8, false, 0.5, 1000.0);
    CHECK_NEAR(r.sending, 3 * 0.5 + 0.4, 1e-12);
    CHECK_NEAR(r.seconds, 2 + r.sending, 1e-12);
    CHECK_NEAR(replay(1, false, 0.5, 1000.0).seconds, 4, 1e-12);
}

static void refuse(const char *rows, const char *message)
{
    const yk_machine machine = { 2, true, 0.0, 1.0 };
    yk_replayed out;
    yoke_err err = { YOKE_OK, "" };

    write_file(rows);
    CHECK_STATUS(yk_tasks_replay(file, 1, &machine, &out, &err), YOKE_E_FILE,
                 &err);
    CHECK_CONTAINS(err.text, message);
}

static void what_is_no_task_is_refused(void **state)
{
    yk_executor executor;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    refuse("1,1,0,1\n", "is not a task");
    refuse("1,1,-2,1,0,0\n", "is not a task");
    refuse("-1,1,0,1,0,0\n", "is not a task");
    refuse("1,1,0,nan,0,0\n", "is not a task");
    CHECK_STATUS(yk_executor_recorded(&executor, "/none/of/it", &err),
                 YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "cannot write /none/of/it");
}

/* ---- recording --------------------------------------------------------------- */

typedef struct work {
    yk_executor *executor;
    int inner; /* jobs of a batch inside */
} work;

static yoke_status spin(void *context, int index, yoke_err *err)
{
    volatile double sum = 0.0;

    (void)context, (void)err;
    for (int k = 0; k < 20000 * (index + 1); k++) sum += k;
    return sum >= 0.0 ? YOKE_OK : YOKE_RETRY;
}

static yoke_status inside(void *context, int index, yoke_err *err)
{
    const work *w = context;
    const yk_batch batch = { .count = w->inner, .job = spin };

    (void)index;
    return w->executor->ops->run(w->executor->self, &batch, err);
}

static double hundred(void *context, int index)
{
    (void)context;
    return 100.0 * (index + 1);
}

static int rows_of(const char *start)
{
    char line[200];
    int count = 0;
    FILE *in = fopen(file, "r");

    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        count += strncmp(line, start, strlen(start)) == 0;
    fclose(in);
    return count;
}

static void batches_are_stages(void **state)
{
    static const int who[] = { 4, 9 };
    yk_executor executor = { NULL, NULL };
    work w = { &executor, 3 };
    yoke_err err;
    const yk_batch two = {
        .count = 2, .job = spin, .who = who, .sends = hundred
    };
    const yk_batch one = { .count = 1, .job = inside, .context = &w };
    const yk_batch many = { .count = 2, .job = inside, .context = &w };

    (void)state;
    CHECK_OK(yk_executor_recorded(&executor, file, &err), &err);
    assert_true(yk_executor_is_recorded(&executor));
    assert_int_equal(executor.ops->jobs(executor.self), 1);
    CHECK_OK(executor.ops->run(executor.self, &two, &err), &err);
    CHECK_OK(executor.ops->run(executor.self, &one, &err), &err);
    yk_tasks_plan(&executor);
    CHECK_OK(executor.ops->run(executor.self, &many, &err), &err);
    CHECK_OK(yk_tasks_flush(&executor, &err), &err);
    assert_int_equal(rows_of("0,1,4,"), 1); /* stage 1: those two */
    assert_int_equal(rows_of("0,1,9,"), 1);
    assert_int_equal(rows_of("0,1,-1,"), 1);
    assert_int_equal(rows_of("0,3,"), 3);   /* inside a job that is alone ... */
    assert_int_equal(rows_of("0,4,0,"), 1); /* ... which has what is left */
    assert_int_equal(rows_of("1,5,"), 3);   /* inside a job of two: nothing */
    const double all = replay(1, true, 0.0, 1.0).seconds;
    const double half = replay(2, true, 0.0, 1.0).seconds;
    CHECK_BETWEEN(half, 0.4 * all, 0.9 * all);
    assert_true(replay(2, false, 0.0, 100.0).sending == 3.0);
    yk_executor_free(&executor);
}

static void every_failure_is_told(void **state)
{
    const yk_machine machine = { 2, false, 0.0, 1.0 };
    long n = 1;

    (void)state;
    write_file("1,1,0,10,0,0\n1,1,1,6,0,0\n1,1,2,5,0,0\n");
    for (bool reached = true; reached; n++) {
        yk_executor executor = { NULL, NULL };
        yk_replayed out;
        fault_allocator(n);
        yoke_status status = yk_tasks_replay(file, 1, &machine, &out, NULL);
        if (status == YOKE_OK) {
            status = yk_executor_recorded(&executor, "tasks_test2.csv", NULL);
            yk_executor_free(&executor);
        }
        reached = fault_requests() >= n;
        assert_int_equal(status, reached ? YOKE_E_MEMORY : YOKE_OK);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
    assert_true(n > 6);
    unlink("tasks_test2.csv");
}

/* The disk is full. */
static void a_write_that_fails_is_told(void **state)
{
    yk_executor executor = { NULL, NULL };
    const yk_batch batch = { .count = 2, .job = spin };
    yoke_status status = YOKE_OK;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    CHECK_OK(yk_executor_recorded(&executor, "/dev/full", &err), &err);
    for (int k = 0; k < 1000 && status == YOKE_OK; k++)
        status = executor.ops->run(executor.self, &batch, &err);
    if (status == YOKE_OK) status = yk_tasks_flush(&executor, &err);
    CHECK_STATUS(status, YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "cannot write /dev/full");
    yk_executor_free(&executor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_take_the_longest_first),
        cmocka_unit_test(what_is_alone_stays_with_the_caller),
        cmocka_unit_test(ranks_keep_their_tasks),
        cmocka_unit_test(messages_take_their_time),
        cmocka_unit_test(what_is_no_task_is_refused),
        cmocka_unit_test(batches_are_stages),
        cmocka_unit_test(every_failure_is_told),
        cmocka_unit_test(a_write_that_fails_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
