/* sys/profile_test.c */
#include "check.h"

#include "sys/call.h"
#include "yoke/compose.h"
#include "yoke/system.h"

#include <math.h>
#include <string.h>

static yoke_status decay(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    for (int i = 0; i < 3; i++) xdot[i] = -x[i];
    return YOKE_OK;
}

static yoke_system *rod(void)
{
    static const yoke_system_ops ops = { .kind = "rod", .rhs = decay };
    static const char *const name[] = { "T[1]", "T[2]", "T[3]" };
    const yoke_system_info info = { .n = 3, .x_name = name };
    yoke_system *s = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&s, "rod", &ops, NULL, &info, &err), &err);
    return s;
}

static const double at[] = { 0.0, 0.5, 1.0, 1.5 };
static const char *const variable[] = { NULL, "T[1]", "T[2]", "T[3]" };
static const yoke_mark mark = { "front", 0.25, 2.0, "T[2]" };
static const yoke_tie tie = { 0.5, "other" };

static yoke_profile profile(void)
{
    return (yoke_profile){ .name = "T",
                           .label = "temperature",
                           .unit = "K",
                           .along = "x",
                           .points = 4,
                           .at = at,
                           .variable = variable,
                           .marks = 1,
                           .mark = &mark,
                           .ties = 1,
                           .tie = &tie };
}

static void check_copy(const yoke_system *s, const char *name,
                       const char *second, const char *to)
{
    const yoke_profile *p = NULL;

    assert_int_equal(yk_system_profiles(s, &p), 1);
    assert_string_equal(p->name, name);
    assert_string_equal(p->label, "temperature");
    assert_string_equal(p->unit, "K");
    assert_string_equal(p->along, "x");
    assert_string_equal(p->along_unit, ""); /* was NULL */
    assert_int_equal(p->points, 4);
    assert_null(p->variable[0]);
    assert_string_equal(p->variable[2], second);
    assert_true(p->at[3] == 1.5);
    assert_int_equal(p->marks, 1);
    assert_string_equal(p->mark[0].name, "front");
    assert_string_equal(p->mark[0].variable, second);
    assert_true(p->mark[0].at == 0.25 && p->mark[0].speed == 2.0);
    assert_int_equal(p->ties, 1);
    assert_string_equal(p->tie[0].to, to);
}

static void a_profile_is_copied(void **state)
{
    yoke_system *s = rod();
    const yoke_profile given = profile(), *p = NULL;
    yoke_err err;
    (void)state;

    assert_int_equal(yk_system_profiles(s, &p), 0);
    CHECK_OK(yoke_system_add_profile(s, &given, &err), &err);
    check_copy(s, "T", "T[2]", "other");
    yoke_system_free(s);
}

static void a_composite_has_those_of_its_members(void **state)
{
    yoke_system *s = rod(), *whole = NULL;
    const yoke_profile given = profile();
    const yoke_composition parts = { .members = 1, .member = &s };
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_system_add_profile(s, &given, &err), &err);
    CHECK_OK(yoke_compose(&whole, "whole", &parts, &err), &err);
    check_copy(whole, "rod.T", "rod.T[2]", "rod.other");
    yoke_system_free(whole);
    yoke_system_free(s);
}

static void refused(yoke_system *s, const yoke_profile *p, const char *why)
{
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yoke_system_add_profile(s, p, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "subsystem \"rod\": profile \"");
    CHECK_CONTAINS(err.text, why);
}

static void nonsense_is_refused(void **state)
{
    static const double back[] = { 0.0, 0.5, 0.5, 1.5 };
    static const char *const wrong[] = { NULL, "T[1]", "T[4]", "T[3]" };
    const yoke_mark lost = { "front", NAN, 0.0, NULL };
    const yoke_mark odd = { "front", 0.0, 0.0, "T" };
    const yoke_tie loose = { 1.0, NULL };
    yoke_system *s = rod();
    yoke_profile p = profile();
    yoke_err err;
    (void)state;

    p.name = "";
    refused(s, &p, "it has no name");
    p = profile();
    p.points = 1;
    refused(s, &p, "1 points, 1 marks, 1 ties; at least 2, 0, 0");
    p = profile();
    p.at = back;
    refused(s, &p, "coordinate 3 is 0.5; coordinates increase");
    p = profile();
    p.variable = wrong;
    refused(s, &p, "\"T[4]\" is neither an unknown nor an output");
    p = profile();
    p.mark = &lost;
    refused(s, &p, "mark \"front\" is at nan");
    p.mark = &odd;
    refused(s, &p, "\"T\" is neither");
    p = profile();
    p.tie = &loose;
    refused(s, &p, "tie 1 leads nowhere");
    p = profile();
    CHECK_OK(yoke_system_add_profile(s, &p, &err), &err);
    refused(s, &p, "there is one of this name");
    yoke_system_free(s);
}

static void every_allocation_may_fail(void **state)
{
    long n = 1;
    (void)state;

    for (;; n++) {
        yoke_system *s = rod(), *whole = NULL;
        const yoke_profile p = profile();
        const yoke_composition parts = { .members = 1, .member = &s };
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        yoke_status status = yoke_system_add_profile(s, &p, &err);
        if (status == YOKE_OK) status = yoke_compose(&whole, "w", &parts, &err);
        const bool reached = fault_requests() >= n;
        fault_restore();
        yoke_system_free(whole);
        yoke_system_free(s);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
        assert_null(whole);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_is_copied),
        cmocka_unit_test(a_composite_has_those_of_its_members),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
