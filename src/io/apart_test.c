/* io/apart_test.c -- what goes wrong in a process apart becomes a message. */
#define _DEFAULT_SOURCE
#include "check.h"
#include "io/apart.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static yoke_status answer(const void *context, yk_parcel *out, yoke_err *err)
{
    const size_t n = *(const size_t *)context;

    out->count[0] = 3;
    YK_TRY(yk_parcel_put(out, "one", err));
    YK_TRY(yk_parcel_put(out, "", err));
    YK_TRY(yk_parcel_put(out, "three", err));
    YK_TRY(yk_doubles(&out->value, n, err));
    for (size_t i = 0; i < n; i++) out->value[i] = (double)i;
    out->values = n;
    return YOKE_OK;
}

static yoke_status refuse(const void *context, yk_parcel *out, yoke_err *err)
{
    (void)context, (void)out;
    return yk_fail(err, YOKE_E_FILE, "no %s", "such thing");
}

static yoke_status die(const void *context, yk_parcel *out, yoke_err *err)
{
    (void)out, (void)err;
    raise(*(const int *)context);
    return YOKE_OK;
}

static yoke_status leave(const void *context, yk_parcel *out, yoke_err *err)
{
    (void)context, (void)out, (void)err;
    _exit(0);
}

static yoke_status eat(const void *context, yk_parcel *out, yoke_err *err)
{
    (void)context, (void)out;
    for (int i = 0; i < 1000; i++) {
        volatile char *block = malloc((size_t)1 << 26);
        if (!block) return yk_fail(err, YOKE_E_MEMORY, "out of memory");
        block[0] = 1;
    }
    return YOKE_OK;
}

static void an_answer_arrives(void **state)
{
    (void)state;
    for (size_t n = 0; n < 1000000; n = 10 * n + 1) {
        yk_parcel p = { .count = { 0 } };
        yoke_err err = { YOKE_OK, "" };
        size_t at = 0;
        CHECK_OK(yk_apart("x", answer, &n, &p, &err), &err);
        assert_int_equal(p.count[0], 3);
        assert_string_equal(yk_parcel_next(&p, &at), "one");
        assert_string_equal(yk_parcel_next(&p, &at), "");
        assert_string_equal(yk_parcel_next(&p, &at), "three");
        assert_null(yk_parcel_next(&p, &at));
        assert_int_equal(p.values, n);
        for (size_t i = 0; i < n; i++) assert_true(p.value[i] == (double)i);
        yk_parcel_clear(&p);
    }
}

static void failures_are_told(void **state)
{
    static const int deadly[] = { SIGSEGV, SIGKILL, SIGBUS, SIGXCPU };
    yk_parcel p = { .count = { 0 } };
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    CHECK_STATUS(yk_apart("x", refuse, NULL, &p, &err), YOKE_E_FILE, &err);
    assert_string_equal(err.text, "no such thing");
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        err = (yoke_err){ YOKE_OK, "" };
        CHECK_STATUS(yk_apart("x", die, &deadly[i], &p, &err), YOKE_E_FILE,
                     &err);
        CHECK_CONTAINS(err.text, "x: the file is damaged");
    }
    err = (yoke_err){ YOKE_OK, "" };
    CHECK_STATUS(yk_apart("x", leave, NULL, &p, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "ended without a result");
    err = (yoke_err){ YOKE_OK, "" };
    assert_true(yk_apart("x", eat, NULL, &p, &err) < 0);
    assert_null(p.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_arrives),
        cmocka_unit_test(failures_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
