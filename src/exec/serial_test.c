/* exec/serial_test.c */
#include "check.h"

#include "exec/exec.h"

typedef struct trace {
    int job[8], count, fail_at;
} trace;

static yoke_status job(void *context, int index, yoke_err *err)
{
    trace *t = context;

    t->job[t->count++] = index;
    if (index >= t->fail_at)
        return yoke_fail(err, YOKE_RETRY, "job %d failed", index);
    return YOKE_OK;
}

static void jobs_run_in_order(void **state)
{
    const yk_executor serial = yk_executor_serial();
    trace t = { .fail_at = 99 };
    yoke_err err;
    (void)state;
    CHECK_OK(serial.ops->run(serial.self, 5, job, &t, &err), &err);
    assert_int_equal(t.count, 5);
    for (int i = 0; i < 5; i++) assert_int_equal(t.job[i], i);
    CHECK_OK(serial.ops->run(serial.self, 0, job, &t, &err), &err);
    assert_int_equal(t.count, 5);
    assert_string_equal(serial.ops->kind, "serial");
}

static void the_failure_with_the_lowest_index_is_returned(void **state)
{
    const yk_executor serial = yk_executor_serial();
    trace t = { .fail_at = 2 };
    yoke_err err;
    (void)state;
    CHECK_STATUS(serial.ops->run(serial.self, 5, job, &t, &err), YOKE_RETRY,
                 &err);
    assert_string_equal(err.text, "job 2 failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_in_order),
        cmocka_unit_test(the_failure_with_the_lowest_index_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
