/* comp/netlist/ngspice/watch_test.c -- jumps of devices are located. */
#include "check.h"
#include "comp/netlist/ngspice/watch.h"

#include <math.h>
#include <string.h>

static void devices_that_jump_are_watched(void **state)
{
    yk_ng_watch w = { 0 };
    yoke_err err = { YOKE_OK, "" };
    static const char *const line[] = {
        "\ta title",
        "     1 : a title with s and b = 1 > 2",
        "    14 : v1 c 0 sin(0 1 10k)",
        "     4 : s.x1.s1 s a c 0 sm off",
        "     8 : b.x1.be2 n 0 v= v(c) >   3.0 ?   1 :   0",
        "    11 : b3 f 0 v= v(c) *   2.0",
        "    18 : B9 g 0 i = u ( v(c) )",
        "    22 : w1 s a vs wm",
        "    23 : .model wm csw it=2m",
        "    24 : b4 f 0 v = buu(v(c))"
    };

    (void)state;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        CHECK_OK(yk_ng_watch_line(&w, line[i], &err), &err);
    assert_int_equal(w.count, 4);
    assert_string_equal(w.device[0].first, "@s.x1.s1[i]");
    assert_string_equal(w.device[0].second, "@s.x1.s1[p]");
    assert_string_equal(w.device[1].first, "@b.x1.be2[v]");
    assert_string_equal(w.device[2].first, "@B9[i]");
    assert_string_equal(w.device[3].second, "@w1[p]");
    assert_false(w.events);
    CHECK_OK(yk_ng_watch_line(&w, "   3 : a1 in out hyst", &err), &err);
    assert_true(w.events);
    yk_ng_watch_clear(&w);
}

/* An ngspice that is a source which jumps at 0.3 and moves otherwise. */
static double now;

static yk_ng_vector *tell(char *name)
{
    static double value;
    static yk_ng_vector vector = { .real = &value, .length = 1 };

    (void)name;
    value = sin(now) + (now > 0.3 ? 1.0 : 0.0);
    return &vector;
}

static int obey(char *text)
{
    return text[0] == '\0';
}

static char *plot(void)
{
    static char name[] = "tran1";

    return name;
}

static void a_jump_is_located(void **state)
{
    const yk_ng_library ng = { .vector = tell, .command = obey, .plot = plot };
    yk_ng_watch w = { 0 };
    yoke_err err = { YOKE_OK, "" };
    double t = 0.0, step = 0.02, at = NAN;
    int tried = 0;

    (void)state;
    CHECK_OK(yk_ng_watch_line(&w, "2 : b1 a 0 v= v(c) > 0", &err), &err);
    for (; t < 0.5; tried++) {
        step = yk_ng_watch_limit(&w, t, step);
        now = t + step;
        const double old = step;
        if (!yk_ng_watch_accepts(&w, &ng, 1e-4, now, old, 1e-15, &step))
            continue;
        if (w.jumped) at = now;
        if (w.jumped) assert_true(isnan(at) || old < 1e-8);
        t = now;
        step = fmin(2.0 * old, 0.02);
    }
    CHECK_NEAR(at, 0.3, 1e-8);
    assert_true(tried < 150);
    yk_ng_watch_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_that_jump_are_watched),
        cmocka_unit_test(a_jump_is_located),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
