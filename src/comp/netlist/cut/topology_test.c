/* comp/netlist/cut/topology_test.c -- what the structure of a circuit tells. */
#include "comp/netlist/read/read_fixture.h"

#include "comp/netlist/cut/topology.h"

#include <stdio.h>

static yk_circuit *make(const char *text, yk_netlist **net)
{
    yk_circuit *c = NULL;
    yoke_err err = { YOKE_OK, "" };

    *net = read_text(text);
    CHECK_OK(yk_circuit_create(&c, *net, 1e-9, 1e-6, NULL, &err), &err);
    return c;
}

/* The findings of a netlist; clear them, then free the netlist. */
static yk_net_findings look(const char *text, bool hold, yk_netlist **net)
{
    yk_net_findings found = { 0 };
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_circuit_check(make(text, net), hold, &found, &err), &err);
    return found;
}

static bool has_operating_point(const char *text)
{
    yk_netlist *net = NULL;
    yk_circuit *c = make(text, &net);
    double *value = test_calloc((size_t)c->variables + 1, sizeof *value);
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status = yk_circuit_op(c, 0.0, value, NULL, &err);

    test_free(value);
    yk_netlist_free(net);
    return status == YOKE_OK;
}

static void findings_name_their_elements(void **state)
{
    static const struct {
        const char *text;
        bool is_error;
        const char *finding;
    } list[] = {
        { "t\nr1 a 0 1\nc1 a b 1n\nc2 b 0 1n\n", true,
          "test.cir:3: the node of v(b) has no path for direct current to "
          "ground; there: c1 (line 3), c2 (line 4); " },
        { "t\nr1 a b 1\ni1 0 a 1\nc1 b 0 1\n", true,
          "the nodes of v(a), v(b) have no path" },
        { "t\nr1 a b 1\nv1 a b 1\n", true,
          "test.cir:2: nothing is connected to ground: name the node that has "
          "the voltage zero 0; there are v(a), v(b)" },
        { "t\nr1 a b 1\ni1 0 a 1\nc1 b 0 1\n", true,
          "there: r1 (line 2), i1 (line 3), c1 (line 4); " },
        { "t\nv1 d 0 1\nm1 d g 0 0 n\nc1 g 0 1n\n.model n nmos\n", true,
          "the node of v(g) has no path for direct current to ground; there: "
          "m1 (line 3), c1 (line 4)" },
        { "t\nv1 a 0 1\nl1 a b 1m\nl2 b 0 1m\nr1 b 0 1\n", true,
          "test.cir:4: l2 closes a loop of voltage sources and inductors with "
          "l1 (line 3), v1 (line 2): the direct current in it is not "
          "determined" },
        { "t\nr1 a 0 1\nl1 a a 1m\n", true,
          "l1 closes a loop of voltage sources and inductors, both its ends "
          "are one node" },
        { "t\nv1 a 0 1\ne1 a 0 b 0 1\nr1 b 0 1\n", false,
          "e1 closes a loop of voltage sources and inductors with v1 (line "
          "2): the current in it may not be determined" },
        { "t\nv1 a 0 1\nc1 a b 1\nc2 b 0 1\nr1 b 0 1\n", false,
          "v1 and c1 (line 3), c2 (line 4) are a loop of capacitors and "
          "voltage sources (index 2)" },
        { "t\nv1 a 0 1\nl1 a b 1m\nl2 b c 1m\nr1 c 0 1\n", false,
          "test.cir:3: only inductors and current sources lead to v(b): l1 "
          "(line 3), l2 (line 4) (index 2)" },
        { "t\ni1 0 a 1\nl1 a 0 1m\n", false,
          "lead to v(a): i1 (line 2), l1 (line 3) (index 2)" },
        { "t\nr1 a 0 -2\n", false, "the resistance of r1 is negative: -2" },
        { "t\nr1 a 0 2\nl1 a 0 0\n", false, "the inductance of l1 is zero" },
    };
    (void)state;

    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        yk_netlist *net = NULL;
        yk_net_findings found = look(list[k].text, true, &net);
        if (found.count != 1)
            fail_msg("%d findings, not 1: %s", found.count, list[k].text);
        CHECK_CONTAINS(found.finding[0].text, list[k].finding);
        assert_int_equal(found.finding[0].is_error, list[k].is_error);
        yk_net_findings_clear(&found);
        yk_netlist_free(net);
        if (list[k].is_error && has_operating_point(list[k].text))
            fail_msg("this is no error: %s", list[k].text);
    }
}

static void sound_circuits_have_no_findings(void **state)
{
    static const char *const list[] = {
        "t\nv1 a 0 1\nr1 a b 1\nc1 b 0 1\nc2 b 0 2\nl1 b 0 1\n",
        "t\nq1 a b 0 n\nv1 a 0 5\nr1 b 0 1k\n.model n npn\n",
        "t\nv1 a 0 1\nc1 a b 1n\nr1 b 0 1\n.ic v(b)=1\n",
        /* Feedback determines v(b), though no current leads to it. */
        "t\ng1 0 b c 0 1\ne1 c 0 b 0 -1\nc1 b 0 1n\nr1 c 0 1\n",
        "t\nv1 a 0 1\nc1 a b 1n\nc2 b c 1n\nr1 c 0 1\n.ic v(b)=1\n",
    };
    (void)state;

    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        yk_netlist *net = NULL;
        yk_net_findings found = look(list[k], true, &net);
        if (found.count) fail_msg("%s: %s", list[k], found.finding[0].text);
        if (!has_operating_point(list[k]))
            fail_msg("no operating point: %s", list[k]);
        yk_net_findings_clear(&found);
        yk_netlist_free(net);
    }
}

static void without_an_operating_point_nothing_is_an_error(void **state)
{
    yk_netlist *net = NULL;
    yk_net_findings found =
        look("t\nv1 a 0 1\nc1 a b 1n\nc2 b 0 1n\n", false, &net);
    (void)state;

    assert_int_equal(found.finding[0].is_error, false);
    yk_net_findings_clear(&found);
    yk_netlist_free(net);
}

static void many_findings_are_counted(void **state)
{
    enum { NODES = 200 };
    char text[40 * NODES];
    int at = snprintf(text, sizeof text, "t\nr1 a 0 1\n");
    yk_netlist *net = NULL;
    (void)state;

    for (int k = 0; k < NODES; k++)
        at += snprintf(text + at, sizeof text - (size_t)at, "c%d n%d 0 1n\n",
                       k + 1, k);
    yk_net_findings found = look(text, true, &net);
    assert_int_equal(found.count + found.more, NODES);
    assert_true(found.more > 0);
    yk_net_findings_clear(&found);
    yk_netlist_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_name_their_elements),
        cmocka_unit_test(sound_circuits_have_no_findings),
        cmocka_unit_test(without_an_operating_point_nothing_is_an_error),
        cmocka_unit_test(many_findings_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
