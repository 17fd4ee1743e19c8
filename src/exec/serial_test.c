/* exec/serial_test.c */
#include "check.h"

#include "exec/exec.h"

typedef struct trace {
    int job[8], count, fail_at, end_at;
} trace;

static yoke_status job(void *context, int index, yoke_err *err)
{
    trace *t = context;

    t->job[t->count++] = index;
    if (index == t->end_at)
        return yoke_fail(err, YOKE_E_CALLBACK, "job %d ended all", index);
    if (index >= t->fail_at)
        return yoke_fail(err, YOKE_RETRY, "job %d failed", index);
    return YOKE_OK;
}

static yoke_status run(trace *t, int count, yoke_err *err)
{
    const yk_executor serial = yk_executor_serial();
    const yk_batch batch = { .count = count, .job = job, .context = t };

    return serial.ops->run(serial.self, &batch, err);
}

static void jobs_run_in_order(void **state)
{
    const yk_executor serial = yk_executor_serial();
    trace t = { .fail_at = 99, .end_at = 99 };
    yoke_err err;
    (void)state;
    CHECK_OK(run(&t, 5, &err), &err);
    assert_int_equal(t.count, 5);
    for (int i = 0; i < 5; i++) assert_int_equal(t.job[i], i);
    CHECK_OK(run(&t, 0, &err), &err);
    assert_int_equal(t.count, 5);
    assert_string_equal(serial.ops->kind, "serial");
    assert_int_equal(serial.ops->jobs(serial.self), 1);
}

static void the_failure_with_the_lowest_index_is_returned(void **state)
{
    trace t = { .fail_at = 2, .end_at = 99 };
    yoke_err err;
    (void)state;
    CHECK_STATUS(run(&t, 5, &err), YOKE_RETRY, &err);
    assert_string_equal(err.text, "job 2 failed");
    assert_int_equal(t.count, 5); /* as with any number of threads */
}

static void a_failure_for_good_goes_before_others(void **state)
{
    trace t = { .fail_at = 1, .end_at = 3 };
    yoke_err err;
    (void)state;
    CHECK_STATUS(run(&t, 5, &err), YOKE_E_CALLBACK, &err);
    assert_string_equal(err.text, "job 3 ended all");
    assert_int_equal(t.count, 4);
    t = (trace){ .fail_at = 1, .end_at = 3 };
    CHECK_STATUS(run(&t, 5, NULL), YOKE_E_CALLBACK, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_in_order),
        cmocka_unit_test(the_failure_with_the_lowest_index_is_returned),
        cmocka_unit_test(a_failure_for_good_goes_before_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
