/* exec/threads_test.c -- many threads: every job once, the right failure, nobody
 * waits for ever, and what cannot be made is not missed. */
#include "check.h"

#include "base/crew.h"
#include "exec/exec.h"
#include "exec/policy.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 200 };

/* The linker gives us the calls of pthread_create: some fail. */
static int permitted = 1000;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *self);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *self);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *self)
{
    return permitted-- > 0
               ? __real_pthread_create(thread, attributes, run, self)
               : EAGAIN;
}

typedef struct field {
    int done[JOBS];
    pthread_t by[JOBS];
    int fail_from, end_at; /* those fail */
    yk_gate *gate;
    atomic_int together, most; /* how many run at once */
    const yk_executor *inner;
    int rounding;
} field;

static yoke_status job(void *context, int i, yoke_err *err)
{
    field *f = context;
    const int now = atomic_fetch_add(&f->together, 1) + 1;
    int most = atomic_load(&f->most);

    while (now > most && !atomic_compare_exchange_weak(&f->most, &most, now)) {
    }
    f->done[i]++;
    f->by[i] = pthread_self();
    for (int k = 0; k < 3; k++) sched_yield();
    atomic_fetch_sub(&f->together, 1);
    if (i == f->end_at) return yoke_fail(err, YOKE_E_CALLBACK, "job %d", i);
    if (i >= f->fail_from) return yoke_fail(err, YOKE_RETRY, "job %d", i);
    return YOKE_OK;
}

static yoke_status run(const yk_executor *e, const yk_batch *batch,
                       yoke_err *err)
{
    return e->ops->run(e->self, batch, err);
}

static void every_job_runs_once(void **state)
{
    yoke_err err;
    (void)state;
    for (int jobs = 1; jobs <= 8; jobs *= 2) {
        yk_executor e;
        CHECK_OK(yk_executor_threads(&e, jobs, &err), &err);
        assert_int_equal(e.ops->jobs(e.self), jobs);
        for (int turn = 0; turn < 300; turn++) {
            static field f;
            const yk_batch b = { .count = 1 + turn % JOBS,
                                 .job = job,
                                 .context = &f };
            f = (field){ .fail_from = JOBS, .end_at = -1 };
            CHECK_OK(run(&e, &b, &err), &err);
            for (int i = 0; i < JOBS; i++)
                assert_int_equal(f.done[i], i < b.count);
            assert_true(atomic_load(&f.most) <= jobs);
        }
        yk_executor_free(&e);
        yk_executor_free(&e); /* accepts an empty one */
    }
}

static void the_failure_does_not_depend_on_the_order(void **state)
{
    double price[JOBS];
    yk_executor e;
    yoke_err err;
    (void)state;
    for (int i = 0; i < JOBS; i++) price[i] = 100.0 * i; /* the last begin */
    CHECK_OK(yk_executor_threads(&e, 4, &err), &err);
    for (int turn = 0; turn < 100; turn++) {
        static field f;
        const yk_batch b = {
            .count = JOBS, .job = job, .context = &f, .price = price
        };
        f = (field){ .fail_from = 17 + turn, .end_at = -1 };
        CHECK_STATUS(run(&e, &b, &err), YOKE_RETRY, &err);
        char text[20];
        snprintf(text, sizeof text, "job %d", 17 + turn);
        assert_string_equal(err.text, text);
        for (int i = 0; i < JOBS; i++) assert_int_equal(f.done[i], 1);
        f = (field){ .fail_from = 5, .end_at = 120 };
        CHECK_STATUS(run(&e, &b, &err), YOKE_E_CALLBACK, &err);
        assert_string_equal(err.text, "job 120");
        for (int i = 0; i < 120; i++) assert_int_equal(f.done[i], 1);
    }
    yk_executor_free(&e);
}

/* Asks until it is told to stop; the first fails as soon as all run. */
static yoke_status wait_or_fail(void *context, int i, yoke_err *err)
{
    field *f = context;

    atomic_fetch_add(&f->together, 1);
    if (i == 0) {
        while (atomic_load(&f->together) < 3) sched_yield();
        return yoke_fail(err, YOKE_E_CALLBACK, "the first");
    }
    while (!yk_gate_stops(f->gate)) sched_yield();
    return yoke_fail(err, YOKE_STOPPED, "told to stop");
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

static void a_failure_stops_those_behind_it(void **state)
{
    static field f;
    yk_gate gate;
    yk_executor e;
    yoke_err err;
    (void)state;
    yk_gate_open(&gate, never, NULL);
    f = (field){ .gate = &gate };
    CHECK_OK(yk_executor_threads(&e, 3, &err), &err);
    yk_batch b = {
        .count = 50, .job = wait_or_fail, .context = &f, .gate = &gate
    };
    CHECK_STATUS(run(&e, &b, &err), YOKE_E_CALLBACK, &err);
    assert_string_equal(err.text, "the first");
    assert_true(atomic_load(&f.together) < 50); /* the others never began */
    /* The next batch is not closed; an interrupt ends all of it. */
    static field g;
    g = (field){ .fail_from = JOBS, .end_at = -1 };
    b.job = job;
    b.context = &g;
    CHECK_OK(run(&e, &b, &err), &err);
    yk_gate_open(&gate, at_once, NULL);
    f = (field){ .gate = &gate, .together = 3 };
    b.job = wait_or_fail;
    b.context = &f;
    assert_true(run(&e, &b, &err) != YOKE_OK);
    yk_executor_free(&e);
}

static void jobs_of_the_user_stay_in_the_calling_thread(void **state)
{
    static bool alone[JOBS];
    static field f;
    yk_executor e;
    yoke_err err;
    (void)state;
    for (int i = 0; i < JOBS; i++) alone[i] = i % 3 == 0;
    CHECK_OK(yk_executor_threads(&e, 4, &err), &err);
    const yk_batch b = {
        .count = JOBS, .job = job, .context = &f, .alone = alone
    };
    f = (field){ .fail_from = JOBS, .end_at = -1 };
    CHECK_OK(run(&e, &b, &err), &err);
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(f.done[i], 1);
        if (alone[i]) assert_true(pthread_equal(f.by[i], pthread_self()));
    }
    yk_executor_free(&e);
}

static yoke_status nested(void *context, int i, yoke_err *err)
{
    const field *f = context;
    field *inner = calloc(1, sizeof *inner);

    inner->fail_from = JOBS;
    inner->end_at = -1;
    const yk_batch b = { .count = 5, .job = job, .context = inner };
    const yoke_status status = run(f->inner, &b, err);
    for (int k = 0; k < 5; k++)
        if (inner->done[k] != 1 || !pthread_equal(inner->by[k], pthread_self()))
            return yoke_fail(err, YOKE_E_CALLBACK, "job %d", i);
    free(inner);
    return status;
}

static void a_batch_inside_a_job_runs_there(void **state)
{
    static field f;
    yk_executor e;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_executor_threads(&e, 4, &err), &err);
    f = (field){ .inner = &e };
    const yk_batch b = { .count = JOBS, .job = nested, .context = &f };
    CHECK_OK(run(&e, &b, &err), &err);
    yk_executor_free(&e);
}

/* A job that is alone: its parts have the threads. */
static yoke_status helped(void *context, int i, yoke_err *err)
{
    const yk_parts parts = { .count = JOBS, .job = job, .context = context };

    (void)i;
    return yk_crew_run(&parts, err);
}

/* One of many: its parts are done where it is. */
static yoke_status alone(void *context, int i, yoke_err *err)
{
    field *inner = calloc(1, sizeof *inner);

    (void)context;
    inner->fail_from = JOBS;
    inner->end_at = -1;
    const yk_parts parts = { .count = 5, .job = job, .context = inner };
    const yoke_status status = yk_crew_run(&parts, err);
    for (int k = 0; k < 5; k++)
        if (inner->done[k] != 1 || !pthread_equal(inner->by[k], pthread_self()))
            return yoke_fail(err, YOKE_E_CALLBACK, "job %d", i);
    free(inner);
    return status;
}

static void a_single_job_has_the_threads_as_helpers(void **state)
{
    static field f;
    yk_executor e;
    yk_gate gate;
    yoke_err err;
    const yk_batch single = {
        .count = 1, .job = helped, .context = &f, .gate = &gate
    };
    const yk_batch many = { .count = JOBS, .job = alone, .context = &f };
    int others = 0;

    (void)state;
    yk_gate_open(&gate, NULL, NULL);
    CHECK_OK(yk_executor_threads(&e, 4, &err), &err);
    for (int turn = 0; turn < 200 && others == 0; turn++) {
        f = (field){ .fail_from = JOBS, .end_at = -1 };
        CHECK_OK(run(&e, &single, &err), &err);
        for (int k = 0; k < JOBS; k++) {
            assert_int_equal(f.done[k], 1);
            others += !pthread_equal(f.by[k], pthread_self());
        }
        CHECK_OK(run(&e, &many, &err), &err);
    }
    assert_true(others > 0);
    f = (field){ .fail_from = 7, .end_at = -1 };
    CHECK_STATUS(run(&e, &single, &err), YOKE_RETRY, &err);
    assert_string_equal(err.text, "job 7");
    f = (field){ .fail_from = 7, .end_at = 30 };
    CHECK_STATUS(run(&e, &single, &err), YOKE_E_CALLBACK, &err);
    assert_string_equal(err.text, "job 30");
    yk_executor_free(&e);
    assert_null(yk_crew_lend(NULL)); /* nothing stays lent */
}

/* Without an executor: the same failures. */
static void parts_run_here_without_helpers(void **state)
{
    static field f;
    yoke_err err;

    (void)state;
    f = (field){ .fail_from = 7, .end_at = -1 };
    CHECK_STATUS(helped(&f, 0, &err), YOKE_RETRY, &err);
    assert_string_equal(err.text, "job 7");
    assert_int_equal(f.done[JOBS - 1], 1);
    f = (field){ .fail_from = 7, .end_at = 30 };
    CHECK_STATUS(helped(&f, 0, &err), YOKE_E_CALLBACK, &err);
    assert_string_equal(err.text, "job 30");
    assert_int_equal(f.done[31], 0);
}

static void small_batches_run_in_the_calling_thread(void **state)
{
    static field f;
    double price[4] = { 0.4 * YK_EXEC_PAYS, 9.0 * YK_EXEC_PAYS, 0.0, 0.0 };
    yk_executor e;
    yoke_err err;
    (void)state;
    permitted = 0; /* a thread that is not needed is not made */
    CHECK_OK(yk_executor_threads(&e, 4, &err), &err);
    f = (field){ .fail_from = JOBS, .end_at = -1 };
    const yk_batch b = {
        .count = 4, .job = job, .context = &f, .price = price
    };
    CHECK_OK(run(&e, &b, &err), &err);
    for (int i = 0; i < 4; i++)
        assert_true(pthread_equal(f.by[i], pthread_self()));
    assert_int_equal(permitted, 0);
    permitted = 1000;
    yk_executor_free(&e);
}

static void threads_that_cannot_be_made_are_not_missed(void **state)
{
    (void)state;
    for (int possible = 0; possible < 4; possible++) {
        static field f;
        yk_executor e;
        yoke_err err;
        permitted = possible;
        CHECK_OK(yk_executor_threads(&e, 4, &err), &err);
        f = (field){ .fail_from = JOBS, .end_at = -1 };
        const yk_batch b = { .count = JOBS, .job = job, .context = &f };
        CHECK_OK(run(&e, &b, &err), &err);
        for (int i = 0; i < JOBS; i++) assert_int_equal(f.done[i], 1);
        assert_int_equal(e.ops->jobs(e.self), possible + 1);
        yk_executor_free(&e);
    }
    permitted = 1000;
}

static yoke_status look_at_rounding(void *context, int i, yoke_err *err)
{
    (void)i;
    for (int k = 0; k < 3; k++) sched_yield();
    return fegetround() == ((field *)context)->rounding
               ? YOKE_OK
               : yoke_fail(err, YOKE_E_CALLBACK, "another arithmetic");
}

static void the_arithmetic_is_that_of_the_caller(void **state)
{
    static const int way[] = { FE_TONEAREST, FE_UPWARD, FE_TONEAREST };
    yk_executor e;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_executor_threads(&e, 4, &err), &err);
    for (int k = 0; k < 3; k++) {
        field f = { .rounding = way[k] };
        const yk_batch b = { .count = JOBS,
                             .job = look_at_rounding,
                             .context = &f };
        fesetround(way[k]);
        CHECK_OK(run(&e, &b, &err), &err);
    }
    yk_executor_free(&e);
}

/* Allocations that succeed before one fails; -1: all do. */
static int allocations = -1;

static void *resize_or_fail(void *block, size_t bytes)
{
    if (allocations == 0) return NULL;
    if (allocations > 0) allocations--;
    return realloc(block, bytes);
}

/* The pool, its list of threads, and the order of the first batch. */
static void memory_that_is_missing_is_told(void **state)
{
    const yoke_allocator failing = { resize_or_fail, free };
    (void)state;
    yoke_set_allocator(&failing);
    for (int possible = 0; possible < 4; possible++) {
        static field f;
        yk_executor e = { NULL, NULL };
        yoke_err err;
        allocations = possible;
        yoke_status status = yk_executor_threads(&e, 3, &err);
        assert_int_equal(status, possible < 2 ? YOKE_E_MEMORY : YOKE_OK);
        if (status != YOKE_OK) continue;
        f = (field){ .fail_from = JOBS, .end_at = -1 };
        const yk_batch b = { .count = JOBS, .job = job, .context = &f };
        status = run(&e, &b, &err);
        assert_int_equal(status, possible < 3 ? YOKE_E_MEMORY : YOKE_OK);
        for (int i = 0; i < JOBS; i++)
            assert_int_equal(f.done[i], status == YOKE_OK);
        allocations = -1;
        f = (field){ .fail_from = JOBS, .end_at = -1 };
        CHECK_OK(run(&e, &b, &err), &err);
        yk_executor_free(&e);
    }
    yoke_set_allocator(NULL);
}

static void numbers_of_jobs_have_a_range(void **state)
{
    yk_executor e;
    yoke_err err;
    (void)state;
    CHECK_STATUS(yk_executor_threads(&e, -1, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yk_executor_threads(&e, 5000, &err), YOKE_E_ARG, &err);
    CHECK_OK(yk_executor_threads(&e, 0, &err), &err);
    assert_int_equal(e.ops->jobs(e.self), yk_processors());
    yk_executor_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_runs_once),
        cmocka_unit_test(the_failure_does_not_depend_on_the_order),
        cmocka_unit_test(a_failure_stops_those_behind_it),
        cmocka_unit_test(jobs_of_the_user_stay_in_the_calling_thread),
        cmocka_unit_test(a_batch_inside_a_job_runs_there),
        cmocka_unit_test(a_single_job_has_the_threads_as_helpers),
        cmocka_unit_test(parts_run_here_without_helpers),
        cmocka_unit_test(small_batches_run_in_the_calling_thread),
        cmocka_unit_test(threads_that_cannot_be_made_are_not_missed),
        cmocka_unit_test(the_arithmetic_is_that_of_the_caller),
        cmocka_unit_test(memory_that_is_missing_is_told),
        cmocka_unit_test(numbers_of_jobs_have_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
