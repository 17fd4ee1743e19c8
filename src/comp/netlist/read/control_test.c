/* Scripts between .control and .endc, requests that are no circuit, letters
 * beyond ASCII, all problems at once. */
#include "comp/netlist/read/read_fixture.h"

#include <stdio.h>

static void check_refused(const char *text, const char *const *parts)
{
    yk_netlist *net = NULL;
    yoke_err err = { YOKE_OK, "" };

    assert_true(yk_netlist_read(&net, "test.cir", text, strlen(text), &err) <
                0);
    assert_null(net);
    for (int k = 0; parts[k]; k++)
        if (!strstr(err.text, parts[k]))
            fail_msg("\"%s\" is not in:\n%s", parts[k], err.text);
}

static bool warned(const yk_netlist *net, const char *text)
{
    for (int k = 0; k < net->warnings; k++)
        if (strstr(net->warning[k], text)) return true;
    return false;
}

static void alter_before_the_first_analysis_is_the_value(void **state)
{
    yk_netlist *net = read_text(
        "t\nv1 in 0 1\nr1 in o 1\nr2 o 0 1\n.control\nalter r1 = 2k\n"
        "alter @r2[resistance] = 3k\nalter v1 dc = 5\nop\n.endc\n.end\n");
    (void)state;

    CHECK_NEAR(param(element(net, "r1"), "value"), 2000.0, 0.0);
    CHECK_NEAR(param(element(net, "r2"), "value"), 3000.0, 0.0);
    CHECK_NEAR(element(net, "v1")->source->dc, 5.0, 0.0);
    assert_int_equal(net->tasks, 1);
    yk_netlist_free(net);
}

static void alter_after_an_analysis_ends_what_is_taken(void **state)
{
    yk_netlist *net = read_text(
        "t\nv1 in 0 1\nr1 in 0 1\n.control\ntran 1n 1u\nmeas tran a max v(in)\n"
        "alter r1 = 2\ntran 1n 2u\nmeas tran b max v(in)\n.endc\n.end\n");
    (void)state;

    CHECK_NEAR(param(element(net, "r1"), "value"), 1.0, 0.0);
    assert_int_equal(net->tasks, 1);
    CHECK_NEAR(net->task[0].tstop, 1e-6, 1e-20);
    assert_int_equal(net->measures, 1);
    assert_true(warned(net, "test.cir:7: \"alter r1 = 2\" is not done"));
    yk_netlist_free(net);
}

static void a_loop_is_gone_through_once(void **state)
{
    yk_netlist *net =
        read_text("t\nv1 in 0 1\nr1 in 0 1\n.control\nforeach val 1 2 3\n"
                  "alter r1 = $val\ntran 1n 1u\nlet x = v(in)*2\nend\n"
                  "let y = 1\nprint y\nfrobnicate\ntran $a $b\n.endc\n.end\n");
    (void)state;

    CHECK_NEAR(param(element(net, "r1"), "value"), 1.0, 0.0);
    assert_int_equal(net->tasks, 1);
    assert_true(warned(net, "test.cir:5: foreach is gone through once"));
    assert_true(warned(net, "1 command of .control is left out: let"));
    assert_true(warned(net, "no command \"frobnicate\""));
    yk_netlist_free(net);
}

static const yk_net_wish *wish(const yk_netlist *net, const char *text)
{
    for (int k = 0; k < net->wishes; k++)
        if (strcmp(net->wish[k].text, text) == 0) return &net->wish[k];
    fail_msg("no wish %s", text);
    return NULL;
}

static void let_is_in_the_place_of_its_name(void **state)
{
    yk_netlist *net = read_text(
        "t\nv1 a 0 1\nr1 a 0 1\n.control\ntran 1n 1u\nlet p = v(a)*i(v1)\n"
        "let q=2*p\nprint q p/2 v(p) tran1.v(a) db(v(a)) p(0)\n"
        "meas tran most max q\n.endc\n.probe v(alias(*))\n.end\n");
    (void)state;

    assert_string_equal(wish(net, "q")->computed, "(2*(v(a)*i(v1)))");
    assert_string_equal(wish(net, "p/2")->computed, "(v(a)*i(v1))/2");
    assert_null(wish(net, "v(p)")->computed);
    assert_null(wish(net, "p(0)")->computed);
    wish(net, "v(a)");
    wish(net, "vdb(a)");
    wish(net, "all");
    assert_non_null(net->measure[0].expr[1]);
    yk_netlist_free(net);
}

static void repeated_analyses_are_one(void **state)
{
    yk_netlist *net = read_text("t\nv1 in 0 1\nr1 in 0 1\n.tran 1n 1u\n"
                                ".control\nrun\ntran 1n 1u\ntran 1n 2u\n"
                                ".endc\n.end\n");
    (void)state;

    assert_int_equal(net->tasks, 2);
    yk_netlist_free(net);
}

static void options_of_scripts_are_options(void **state)
{
    yk_netlist *net = read_text("t\nv1 in 0 1\nr1 in 0 1\n.control\n"
                                "option reltol=1e-5 method=gear\nop\n.endc\n"
                                ".end\n");
    bool given = false;
    (void)state;

    CHECK_NEAR(yk_net_value(net->option, net->options, "reltol", 0.0, &given),
               1e-5, 0.0);
    assert_true(given);
    yk_netlist_free(net);
}

static void requests_are_skipped_with_a_warning(void **state)
{
    static const char *const request[] = {
        ".four 1k v(in)",      ".noise v(in) v1 dec 10 1 1k", ".tf v(in) v1",
        ".step param r 1 2 1", ".pz 1 0 2 0 vol pz",          ".sens v(in)",
    };
    (void)state;

    for (size_t k = 0; k < sizeof request / sizeof *request; k++) {
        char text[200];
        snprintf(text, sizeof text, "t\nv1 in 0 1\nr1 in 0 1\n%s\n.end\n",
                 request[k]);
        yk_netlist *net = read_text(text);
        assert_int_equal(net->warnings, 1);
        CHECK_CONTAINS(net->warning[0], "test.cir:4: ");
        CHECK_CONTAINS(net->warning[0], "is not done");
        yk_netlist_free(net);
    }
    yk_netlist *net = read_text("t\n.param a=2\nr1 in 0 {a}\nv1 in 0 1\n"
                                ".csparam b={a}\n.end\n");
    assert_int_equal(net->warnings, 0);
    yk_netlist_free(net);
}

static void letters_beyond_ascii_are_read(void **state)
{
    yk_netlist *net = read_text(
        "\xef\xbb\xbftitle \xc3\xa9\r\nc1 sa\xc3\xad"
        "da 0 4.7\xc2\xb5"
        "F\r\nc2 x\xc2\xb5 0 3\xce\xbc\r\nc3 xu 0 2\xb5\r\nr1 a\xc2\xa0"
        "0 1k\xe2\x84\xa6\r\nr2 a 0 \xe2\x88\x92"
        "5\r\nr3 sa\xc3\xad"
        "da xu 1\r\nr4 x\xc2\xb5 0 {2*3k\xce\xa9}\r\n"
        ".control\r\necho \xff it's\r\n.endc\r\n.end\r\n");
    (void)state;

    CHECK_NEAR(param(element(net, "c1"), "value"), 4.7e-6, 1e-20);
    CHECK_NEAR(param(element(net, "c2"), "value"), 3e-6, 1e-20);
    CHECK_NEAR(param(element(net, "c3"), "value"), 2e-6, 1e-20);
    CHECK_NEAR(param(element(net, "r1"), "value"), 1000.0, 0.0);
    CHECK_NEAR(param(element(net, "r2"), "value"), -5.0, 0.0);
    CHECK_NEAR(param(element(net, "r4"), "value"), 6000.0, 0.0);
    assert_string_equal(node_of(net, "c1", 0), "sa\xc3\xad"
                                               "da");
    assert_int_equal(element(net, "c2")->node[0] == element(net, "c3")->node[0],
                     false); /* two names stay two */
    CHECK_CONTAINS(net->title, "title");
    yk_netlist_free(net);
}

static void all_problems_are_told_at_once_and_counted_by_kind(void **state)
{
    static const char *const parts[] = {
        "test.cir:3:9: ",
        "\ntest.cir:4: ",
        "\ntest.cir:5:9: ",
        "\ntest.cir:7:1: ",
        "4 lines would have to change, by kind: 2 R..., 1 D..., 1 A...",
        NULL
    };
    static const char *const one[] = { "test.cir:2:9: there is no model \"x\"",
                                       NULL };
    (void)state;

    check_refused("t\nv1 in 0 1\nr1 in 0 4k7\nr2 in 0\nd1 in 0 nomodel\n"
                  "c1 in 0 1u\na1 [in] [o] dac\n.end\n",
                  parts);
    check_refused("t\nd1 in 0 x\n.end\n", one);
}

static void a_line_of_a_subcircuit_is_told_once(void **state)
{
    static const char *const again[] = { "2 lines would have to change", NULL };
    (void)state;

    check_refused("t\n.subckt s a\nd1 a 0 no\n.ends\nx1 1 s\nx2 2 s\nx3 3 s\n"
                  "r1 1 0 x!\n.end\n",
                  again);
}

static void a_missing_title_is_seen(void **state)
{
    static const char *const element_first[] = {
        "test.cir:1: the first line of a netlist is its title",
        "put a line with a title before it", NULL
    };
    (void)state;

    check_refused("R1 in 0 1k\nv1 in 0 1\n.end\n", element_first);
    check_refused(".tran 1n 1u\nv1 in 0 1\nr1 in 0 1\n.end\n", element_first);
    yk_netlist_free(read_text("RC low pass, 2 stages\nr1 1 0 1\n.end\n"));
    yk_netlist_free(read_text("Circuit 1 of 3\nr1 1 0 1\n.end\n"));
    yk_netlist_free(read_text(".title x y\nr1 1 0 1\n.end\n"));
}

static void limit_is_the_middle_of_three(void **state)
{
    yk_netlist *net = read_text("t\nr1 1 0 {limit(5,1,3)}\nr2 1 0 "
                                "{limit(2,3,1)}\nr3 1 0 {limit(-4,-2,3)+7}\n"
                                "b1 2 0 v=limit(v(1),0,2*1)\nr4 2 0 1\n.end\n");
    const double var[2] = { 7.0, 0.0 };
    double value, slope[2], work[200];
    (void)state;

    CHECK_NEAR(param(element(net, "r1"), "value"), 3.0, 0.0);
    CHECK_NEAR(param(element(net, "r2"), "value"), 2.0, 0.0);
    CHECK_NEAR(param(element(net, "r3"), "value"), 5.0, 0.0);
    const yk_net_expr *e = element(net, "b1")->expr;
    assert_true(yk_net_expr_work(e) <= 200);
    yk_net_expr_eval(e, 0.0, var, &value, slope, work);
    CHECK_NEAR(value, 2.0, 0.0);
    yk_netlist_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alter_before_the_first_analysis_is_the_value),
        cmocka_unit_test(alter_after_an_analysis_ends_what_is_taken),
        cmocka_unit_test(a_loop_is_gone_through_once),
        cmocka_unit_test(let_is_in_the_place_of_its_name),
        cmocka_unit_test(repeated_analyses_are_one),
        cmocka_unit_test(options_of_scripts_are_options),
        cmocka_unit_test(requests_are_skipped_with_a_warning),
        cmocka_unit_test(letters_beyond_ascii_are_read),
        cmocka_unit_test(all_problems_are_told_at_once_and_counted_by_kind),
        cmocka_unit_test(a_line_of_a_subcircuit_is_told_once),
        cmocka_unit_test(a_missing_title_is_seen),
        cmocka_unit_test(limit_is_the_middle_of_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
