/* comp/netlist/ngspice/deck_test.c -- the netlist that ngspice gets. */
#include "check.h"
#include "comp/netlist/ngspice/deck.h"

#include <string.h>

static const char netlist[] = "a title .tran\n"
                              ".PARAM gain = {2*3} off='1+2' w=4\n"
                              "Vdrive in 0 pulse(0 1 0\n"
                              "+ 1n 1n 1 2)\n"
                              "R1 in out {gain}\n"
                              ".subckt box a b\n"
                              "vdrive a b 7\n"
                              ".param gain=9\n"
                              ".ends\n"
                              ".tran 10u\n"
                              "+ 1m\n"
                              ".control\n"
                              "run\n"
                              "  pre_osdi models/x.osdi\n"
                              ".endc\n"
                              "* a comment\n"
                              ".print tran v(out)\n"
                              "c1 out 0 1u\r\n"
                              ".end";

static void check_line(const yk_ng_deck *d, int i, const char *text)
{
    assert_true(i < d->lines);
    assert_string_equal(d->line[i], text);
}

static void lines_are_chosen_and_replaced(void **state)
{
    static const char *const source[] = { "vdrive" };
    static const char *const line[] = { "iyk1 0 out external 0" };
    yk_ng_set set[] = { { .name = "gain", .value = "5" },
                        { .name = "off", .value = "6" },
                        { .name = "r1", .value = "7" } };
    yk_ng_wish wish = { .path = "x.cir",
                        .sources = 1,
                        .source = source,
                        .sets = 3,
                        .set = set,
                        .lines = 1,
                        .line = line,
                        .span = 0.5 };
    yk_ng_deck d;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    CHECK_OK(yk_ng_deck_make(&d, netlist, &wish, &err), &err);
    check_line(&d, 0, "a title .tran");
    check_line(&d, 1, ".PARAM gain = 5 off=6 w=4");
    check_line(&d, 2, "vdrive in 0 external 0");
    check_line(&d, 3, "R1 in out {gain}");
    check_line(&d, 5, "vdrive a b 7");
    check_line(&d, 6, ".param gain=9");
    check_line(&d, 8, "* a comment");
    check_line(&d, 9, "c1 out 0 1u");
    check_line(&d, 10, "iyk1 0 out external 0");
    check_line(&d, 12, ".tran 10u 1 0 0.02");
    assert_int_equal(strncmp(d.line[13], ".options minbreak=", 18), 0);
    check_line(&d, 14, ".end");
    assert_null(d.line[15]);
    assert_int_equal(d.before.count, 1);
    assert_string_equal(d.before.at[0], "osdi models/x.osdi");
    assert_true(set[2].is_element && !set[0].is_element);
    yk_ng_deck_clear(&d);
}

static void check_refused(const char *text, const char *source, const char *set,
                          const char *why)
{
    yk_ng_set sets[] = { { .name = set, .value = "1" } };
    yk_ng_wish wish = { .path = "x.cir",
                        .sources = source ? 1 : 0,
                        .source = &source,
                        .sets = set ? 1 : 0,
                        .set = sets };
    yk_ng_deck d;
    yoke_err err = { YOKE_OK, "" };

    assert_int_not_equal(yk_ng_deck_make(&d, text, &wish, &err), YOKE_OK);
    CHECK_CONTAINS(err.text, why);
    CHECK_CONTAINS(err.text, "x.cir");
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    check_refused("t\nv1 a 0 1\n", "v2", NULL, "there is no source \"v2\"");
    check_refused("t\nr1 a 0 1\n", "r1", NULL, "x.cir:2: ");
    check_refused("t\nr1 a 0 1\n", NULL, "r2",
                  "neither an element nor a .param");
    check_refused("t\nv1 a 0 sin(0 1)\n", NULL, NULL, "write the frequency");
    check_refused("t\nv1 a 0 dc 0 SIN( 0 1 )\n", NULL, NULL, "x.cir:2: ");
}

static void odd_texts_are_taken(void **state)
{
    static const char *const text[] = {
        "", "\n", "\n\n+\n", "t\n.control", "t\n.ends\n.tran", "t\nv1 a 0 sin("
    };
    yk_ng_wish wish = { .path = "x.cir" };

    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        yk_ng_deck d;
        yoke_err err = { YOKE_OK, "" };

        CHECK_OK(yk_ng_deck_make(&d, text[i], &wish, &err), &err);
        assert_string_equal(d.line[d.lines - 1], ".end");
        yk_ng_deck_clear(&d);
    }
}

static void numbers_have_suffixes(void **state)
{
    (void)state;
    CHECK_NEAR(yk_ng_number("10u"), 1e-5, 1e-20);
    CHECK_NEAR(yk_ng_number("2MEGohm"), 2e6, 1e-9);
    CHECK_NEAR(yk_ng_number("1m"), 1e-3, 1e-18);
    CHECK_NEAR(yk_ng_number("3"), 3.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_chosen_and_replaced),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(odd_texts_are_taken),
        cmocka_unit_test(numbers_have_suffixes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
