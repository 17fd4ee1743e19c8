/* io/profile_test.c */
#include "check.h"

#include "yoke/result.h"

#include <stdio.h>

static yoke_status read_text(const char *text, yoke_profiles **out,
                             yoke_err *err)
{
    static char name[] = "profiles";
    char copy[2000];
    char *names[] = { name }, *texts[] = { copy };
    const yoke_notes notes = { 1, names, texts };

    snprintf(copy, sizeof copy, "%s", text);
    return yoke_profiles_read(out, &notes, err);
}

static const char two[] = "profile\ts.top\tdeflection\tm\tx\tm\n"
                          "point\t0\t\n"
                          "point\t0.5\ts.top[1]\n"
                          "point\t1\ts.top[2]\n"
                          "tie\t0.5\ts.low\n"
                          "tie\t0.75\ts.low\n"
                          "later\tsomething\n"
                          "profile\ts.low\tdensity\t\t\t\n"
                          "point\t-1e-3\ts.low[1]\n"
                          "mark\tcontact\t0.25\t-32\ts.contact\n"
                          "mark\tground\t0.25\t0\t\n"
                          "point\t2\ts.low[2]";

static void profiles_come_back(void **state)
{
    yoke_profiles *p = NULL;
    yoke_err err;
    (void)state;

    CHECK_OK(read_text(two, &p, &err), &err);
    assert_int_equal(p->count, 2);
    const yoke_profile *a = &p->profile[0], *b = &p->profile[1];
    assert_string_equal(a->name, "s.top");
    assert_string_equal(a->label, "deflection");
    assert_string_equal(a->along_unit, "m");
    assert_int_equal(a->points, 3);
    assert_null(a->variable[0]);
    assert_string_equal(a->variable[2], "s.top[2]");
    assert_true(a->at[1] == 0.5);
    assert_int_equal(a->ties, 2);
    assert_true(a->tie[1].at == 0.75);
    assert_string_equal(a->tie[1].to, "s.low");
    assert_int_equal(a->marks, 0);
    assert_int_equal(b->points, 2);
    assert_true(b->at[0] == -1e-3 && b->at[1] == 2.0);
    assert_string_equal(b->variable[1], "s.low[2]");
    assert_string_equal(b->unit, "");
    assert_int_equal(b->marks, 2);
    assert_true(b->mark[0].speed == -32.0);
    assert_string_equal(b->mark[0].variable, "s.contact");
    assert_null(b->mark[1].variable);
    yoke_profiles_free(p);
}

static void without_the_note_there_are_none(void **state)
{
    const yoke_notes none = { 0, NULL, NULL };
    yoke_profiles *p = NULL;
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_profiles_read(&p, &none, &err), &err);
    assert_int_equal(p->count, 0);
    yoke_profiles_free(p);
    yoke_profiles_free(NULL);
    CHECK_OK(read_text("", &p, &err), &err);
    assert_int_equal(p->count, 0);
    yoke_profiles_free(p);
}

static void refused(const char *text, const char *why)
{
    yoke_profiles *p = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(read_text(text, &p, &err), YOKE_E_FILE, &err);
    assert_null(p);
    CHECK_CONTAINS(err.text, why);
}

static void damage_is_told_with_its_line(void **state)
{
#define HEAD "profile\ta\t\t\t\t\n"
    (void)state;
    refused("point\t0\ta\n", "line 1: there is no profile above");
    refused("profile\ta\n", "line 1: fields are missing");
    refused(HEAD "point\t0\n", "line 2: fields are missing");
    refused(HEAD "point\t0\ta\tb\n", "line 2: fields are missing or too many");
    refused(HEAD "point\tx\ta\n",
            "line 2: a coordinate or speed is not a number");
    refused(HEAD "point\tnan\ta\n", "line 2: a coordinate");
    refused(HEAD "point\t1\ta\npoint\t1\tb\n", "line 3: the coordinates do");
    refused(HEAD "point\t1\ta\n", "line 2: the profile above has less than 2");
    refused(HEAD "point\t1\ta\n" HEAD, "line 3: the profile above has less");
    refused(HEAD "mark\tm\t0\tfast\t\n", "line 2: a coordinate or speed");
    refused(HEAD "tie\t\tb\n", "line 2: a coordinate");
}

static void every_allocation_may_fail(void **state)
{
    long n = 1;
    (void)state;

    for (;; n++) {
        yoke_profiles *p = NULL;
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status = read_text(two, &p, &err);
        const bool reached = fault_requests() >= n;
        yoke_profiles_free(p);
        const long blocks = fault_blocks();
        fault_restore();
        assert_int_equal(blocks, 0);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_come_back),
        cmocka_unit_test(without_the_note_there_are_none),
        cmocka_unit_test(damage_is_told_with_its_line),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
