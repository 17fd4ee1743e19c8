/* file/constant_test.c -- constant terms of signals, names of any spelling. */
#include "check.h"

#include "graph/graph.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LAG "{linear: {A: -1, B: 1, x0: [0]}}"

/* The value of a variable at t = 1. */
static double end_value(const char *path, const char *text, const char *option,
                        const char *value, const char *variable)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    double found = 0.0;

    CHECK_OK(yoke_file_parse(&file, path, text, strlen(text), NULL, &err),
             &err);
    yoke_run_options o = *yoke_file_run_options(file);
    if (option) CHECK_OK(yoke_run_set(&o, option, value, &err), &err);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    CHECK_OK(yoke_run_value(run, variable, &found, &err), &err);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
    return found;
}

/* a' = 3 - a, b' = (2 a - 1) - b from rest:
 * a = 3 (1 - e^-t), b = 5 (1 - e^-t) - 6 t e^-t. */
static const char text[] =
    "yoke: 1\nsubsystems:\n  a: " LAG "\n  b: " LAG
    "\ncouplings:\n  - signal: a.u1 = 3\n  - signal: b.u1 = 2*a.x1 - 1\n"
    "run: {stop: 1, rtol: 1e-9, atol: 1e-10}\n";

static void a_constant_is_a_term_of_a_signal(void **state)
{
    static const char *const option[][2] = {
        { NULL, NULL },
        { "scheme", "jacobi" },
        { "scheme", "monolithic" },
        { "order", "b a" },
        { "schedule", "b > a" },
        { "schedule", "a, b, constant" },
        { "schedule", "a + constant > b" },
    };
    const double e = exp(-1.0);

    (void)state;
    for (size_t i = 0; i < sizeof option / sizeof option[0]; i++) {
        const double b =
            end_value("f", text, option[i][0], option[i][1], "b.x1");
        CHECK_NEAR(b, 5.0 * (1.0 - e) - 6.0 * e, 1e-7);
        CHECK_NEAR(end_value("f", text, option[i][0], option[i][1], "a.x1"),
                   3.0 * (1.0 - e), 1e-7);
    }
}

static void constants_need_no_sweeps(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run_result result;

    (void)state;
    CHECK_OK(yoke_file_parse(&file, "f", text, strlen(text), NULL, &err), &err);
    yoke_run_options o = *yoke_file_run_options(file);
    CHECK_OK(yoke_simulate(yoke_file_model(file), &o, &result, &err), &err);
    assert_int_equal(result.iterate.sweeps, result.iterate.windows);
    yoke_file_free(file);
}

/* Only what is asked for by its name is recorded of it. */
static void the_constant_is_hidden(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    const char *const *name = NULL;
    const double *value = NULL;

    (void)state;
    CHECK_OK(yoke_file_parse(&file, "f", text, strlen(text), NULL, &err), &err);
    yoke_run_options o = *yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    assert_int_equal(yoke_run_variables(run, &name, &value), 2);
    CHECK_OK(yoke_run_close(run, &err), &err);
    o.record = "*.x1 constant.one";
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    assert_int_equal(yoke_run_variables(run, &name, &value), 3);
    assert_string_equal(name[2], "constant.one");
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

static void a_subsystem_may_be_called_constant(void **state)
{
    static const char other[] = "yoke: 1\nsubsystems:\n  constant: " LAG
                                "\ncouplings:\n  - signal: constant.u1 = 3\n"
                                "run: {stop: 1, rtol: 1e-9, atol: 1e-10}\n";

    (void)state;
    CHECK_NEAR(end_value("f", other, NULL, NULL, "constant.x1"),
               3.0 * (1.0 - exp(-1.0)), 1e-7);
}

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void an_included_system_keeps_its_constants(void **state)
{
    static const char outer[] =
        "yoke: 1\nsubsystems:\n  s: {system: constant_inner.yaml}\n"
        "run: {stop: 1, rtol: 1e-9, atol: 1e-10}\n";
    const double e = exp(-1.0);

    (void)state;
    write_file("constant_inner.yaml", text);
    CHECK_NEAR(end_value("constant_outer.yaml", outer, NULL, NULL, "s.b.x1"),
               5.0 * (1.0 - e) - 6.0 * e, 1e-7);
    remove("constant_inner.yaml");
}

static void names_of_any_spelling_are_quoted(void **state)
{
    static const char odd[] =
        "yoke: 1\nsubsystems:\n  \"'a b.c'\": " LAG "\n  d.e: " LAG
        "\ncouplings:\n  - signal: \"'a b.c'.u1 = 3\"\n"
        "  - signal: d.e.u1 = 2*'a b.c'.x1 - 1\n"
        "run: {stop: 1, rtol: 1e-9, atol: 1e-10,\n"
        "  schedule: \"'a b.c' > d.e\", record: \"'a b.c'.x1 d.e.*\"}\n";
    const double e = exp(-1.0);

    (void)state;
    CHECK_NEAR(end_value("f", odd, NULL, NULL, "d.e.x1"),
               5.0 * (1.0 - e) - 6.0 * e, 1e-7);
    CHECK_NEAR(end_value("f", odd, "order", "'a b.c' d.e", "'a b.c'.x1"),
               3.0 * (1.0 - e), 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_is_a_term_of_a_signal),
        cmocka_unit_test(constants_need_no_sweeps),
        cmocka_unit_test(the_constant_is_hidden),
        cmocka_unit_test(a_subsystem_may_be_called_constant),
        cmocka_unit_test(an_included_system_keeps_its_constants),
        cmocka_unit_test(names_of_any_spelling_are_quoted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
