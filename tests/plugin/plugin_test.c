/* tests/plugin/plugin_test.c -- plug-ins in system files. */
#include "check.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double run_to_end(const char *subsystem, double stop)
{
    char text[600];
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    double value = NAN;

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {%s}\n  z: {linear: {A: "
             "[[0]], x0: [0]}}\ncouplings:\n  - signal: a.u = z.x1\n"
             "run: {stop: %g, rtol: 1e-9, atol: 1e-11}\n",
             subsystem, stop);
    CHECK_OK(yoke_file_parse(&file, PLUGINS "/x.yaml", text, strlen(text), NULL,
                             &err),
             &err);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file),
                             yoke_file_run_options(file), NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    CHECK_OK(yoke_run_value(run, "a.y", &value, &err), &err);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return value;
}

/* With mu = 0 it is x = x0 cos t + v0 sin t. */
static void plug_in_is_a_subsystem(void **state)
{
    (void)state;
    CHECK_NEAR(run_to_end("component: ./oscillator.so, parameters: {mu: 0, "
                          "x0: 3, v0: 2*x0}",
                          1.0),
               3.0 * cos(1.0) + 6.0 * sin(1.0), 1e-7);
    CHECK_NEAR(run_to_end("component: oscillator.so, parameters: {mu: 0}", 2.0),
               2.0 * cos(2.0), 1e-7);
}

static void check_refused(const char *subsystem, const char *why, bool look)
{
    char text[600];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_file_options options = { .look = look };

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {%s}\nrun: {stop: 1}\n", subsystem);
    assert_int_not_equal(yoke_file_parse(&file, PLUGINS "/x.yaml", text,
                                         strlen(text), &options, &err),
                         YOKE_OK);
    CHECK_CONTAINS(err.text, why);
    yoke_file_free(file);
}

static void others_are_refused(void **state)
{
    (void)state;
    check_refused("component: ./there_is_none.so", "not a plug-in", false);
    check_refused("component: ./old.so", "a plug-in of version 7", false);
    check_refused("component: ./other_headers.so", "headers of another Yoke",
                  false);
    check_refused("component: ./nothing.so", "gives no system", false);
    check_refused("component: ./no_entry.so", "does not export", false);
    check_refused("component: ./oscillator.so, parameters: {mu: -1}",
                  "mu = -1 is negative", false);
    check_refused("component: ./oscillator.so, parameters: {nu: 1}",
                  "has no parameter \"nu\"", false);
    check_refused("component: ./oscillator.so, parameters: {nu: \"1\"}",
                  "has no parameter \"nu\"", false);
    check_refused("component: ./oscillator.so", "say --trust", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plug_in_is_a_subsystem),
        cmocka_unit_test(others_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
