/* comp/netlist/system/calls_test.c -- what couplings read of a netlist. */
#include "check.h"
#include "comp/netlist/system/calls.h"

#include <stdio.h>
#include <string.h>

static char all[400];

static yoke_status keep(void *context, const yk_yaml *node, size_t at,
                        const char *call, yoke_err *err)
{
    char one[100];

    (void)context, (void)node, (void)err;
    snprintf(one, sizeof one, "%zu:%s ", at, call);
    strncat(all, one, sizeof all - strlen(all) - 1);
    return YOKE_OK;
}

static void check_calls(char *text, const char *name, const char *expected)
{
    const yk_yaml node = { .kind = YK_YAML_TEXT, .text = text };
    yoke_err err = { YOKE_OK, "" };

    all[0] = '\0';
    CHECK_OK(yk_net_find_calls(&node, name, keep, NULL, &err), &err);
    assert_string_equal(all, expected);
}

static void calls_are_found(void **state)
{
    (void)state;
    check_calls("load.u = 2*amp.v(out)-amp.i(r1)", "amp",
                "11:v(out) 22:i(r1) ");
    check_calls("load.u=preamp.v(out) + amp.w(out) + x.amp.v(1)", "amp", "");
    check_calls("a.amp.v(3)", "a.amp", "0:v(3) ");
    check_calls("amp.v(out", "amp", "");
    check_calls("'amp'.v(out)", "amp", "0:v(out) ");
}

static void names_in_quotes_are_found(void **state)
{
    (void)state;
    check_calls("load.u = 'Motor 1'.v(out)", "'Motor 1'", "9:v(out) ");
    check_calls("x = 'Motor 1'.i(r)+1", "Motor 1", "4:i(r) ");
    check_calls("u = 'it''s'.v(2)", "'it''s'", "4:v(2) ");
    check_calls("u = 'x amp.v(1)'.u + amp.v(2)", "amp", "21:v(2) ");
    check_calls("u = 'open amp.v(1)", "Motor 1", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_found),
        cmocka_unit_test(names_in_quotes_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
