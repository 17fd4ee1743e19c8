/* run/columns_test.c -- columns of differences at once: the same bits, in several
 * threads, and the failure of the lowest column, whatever the number of threads. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "exec/exec.h"
#include "yoke/system.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { N = 96 };

typedef struct body {
    double refused; /* arguments whose sum is beyond this are */
    atomic_int together, most;
    bool waits; /* for another call to come, a minute at most */
} body;

static void wait_for_another(const body *b)
{
    const struct timespec little = { 0, 1000000 };

    for (int k = 0; k < 60000 && atomic_load(&b->most) < 2; k++)
        nanosleep(&little, NULL);
}

static bool is_column(const double *x)
{
    for (int i = 0; i < N; i++)
        if (x[i] != 0.01 * i) return true;
    return false;
}

/* Every equation reads every unknown. */
static yoke_status full_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    body *b = self;
    const int now = atomic_fetch_add(&b->together, 1) + 1;
    int most = atomic_load(&b->most);
    double sum = 0.0;

    while (now > most && !atomic_compare_exchange_weak(&b->most, &most, now)) {
    }
    if (b->waits && is_column(x)) wait_for_another(b);
    for (int i = 0; i < N; i++) sum += sin(x[i] + 0.1 * i) / (1 + i);
    for (int i = 0; i < N; i++) xdot[i] = sum * cos(x[i] + t) + u[0] * x[i];
    atomic_fetch_sub(&b->together, 1);
    for (int i = 0; i < N; i++)
        if (fabs(x[i] - 0.01 * i) > 0.0 && i >= b->refused)
            return yoke_fail(err, YOKE_RETRY, "column %d", i);
    return YOKE_OK;
}

typedef struct asking {
    yoke_system *system;
    double *g;
} asking;

static yoke_status ask(void *context, int index, yoke_err *err)
{
    const asking *a = context;
    const yoke_jacobian jac = { .G = a->g };
    double x[N], u[] = { 0.3 };

    (void)index;
    for (int i = 0; i < N; i++) x[i] = 0.01 * i;
    return yoke_system_jacobian(a->system, 0.2, x, u, &jac, err);
}

static double value[3][N * N];

static yoke_status differences(unsigned flags, int jobs, body *b, double *g,
                               yoke_err *err)
{
    static const yoke_system_ops ops = { .rhs = full_rhs };
    const yoke_system_info info = { .n = N, .m = 1, .flags = flags };
    const double refused = b->refused;
    const bool waits = b->waits;
    yk_executor e;
    asking a = { NULL, g };
    const yk_batch one = { .count = 1, .job = ask, .context = &a };

    b->refused = INFINITY; /* while its pattern is found */
    b->waits = false;
    CHECK_OK(yoke_system_create(&a.system, "full", &ops, b, &info, err), err);
    assert_int_equal(yoke_pattern_count(yoke_system_facts(a.system)->G), N * N);
    b->refused = refused;
    b->waits = waits;
    atomic_store(&b->most, 0);
    CHECK_OK(yk_executor_threads(&e, jobs, err), err);
    const yoke_status status = e.ops->run(e.self, &one, err);
    yk_executor_free(&e);
    yoke_system_free(a.system);
    return status;
}

static void columns_do_not_depend_on_threads(void **state)
{
    static const unsigned both = YOKE_PARALLEL | YOKE_REENTRANT;
    body b = { .refused = INFINITY };
    yoke_err err;
    (void)state;
    CHECK_OK(differences(YOKE_PARALLEL, 4, &b, value[0], &err), &err);
    assert_int_equal(atomic_load(&b.most), 1); /* nobody has permitted more */
    CHECK_OK(differences(both, 1, &b, value[1], &err), &err);
    assert_int_equal(atomic_load(&b.most), 1);
    b.waits = true;
    CHECK_OK(differences(both, 4, &b, value[2], &err), &err);
    assert_true(atomic_load(&b.most) > 1);
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    assert_memory_equal(value[0], value[2], sizeof value[0]);
}

static void the_lowest_column_that_fails_is_told(void **state)
{
    static const unsigned both = YOKE_PARALLEL | YOKE_REENTRANT;
    body b = { .refused = 41.0 };
    yoke_err err;
    (void)state;
    for (int jobs = 1; jobs <= 4; jobs *= 2) {
        CHECK_STATUS(differences(both, jobs, &b, value[0], &err), YOKE_RETRY,
                     &err);
        CHECK_CONTAINS(err.text, "column 41");
    }
}

static void overlapping_calls_need_threads(void **state)
{
    static const yoke_system_ops ops = { .rhs = full_rhs };
    const yoke_system_info info = { .n = N, .m = 1, .flags = YOKE_REENTRANT };
    yoke_system *s = NULL;
    body b = { .refused = INFINITY };
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_system_create(&s, "full", &ops, &b, &info, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "YOKE_REENTRANT needs YOKE_PARALLEL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_do_not_depend_on_threads),
        cmocka_unit_test(the_lowest_column_that_fails_is_told),
        cmocka_unit_test(overlapping_calls_need_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
