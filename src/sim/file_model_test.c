/* sim/file_model_test.c -- system files with equation models. */
#define _XOPEN_SOURCE 700
#include "sim/file_fixture.h"

static const char mass[] = "model Mass\n"
                           "  parameter Real m = 1;\n"
                           "  parameter Real k = 39.478417604357434;\n"
                           "  parameter Real c = 4*k;\n"
                           "  parameter Real x0 = 0;\n"
                           "  input Real other;\n"
                           "  output Real x(start = x0, fixed = true);\n"
                           "  Real v(start = 0, fixed = true);\n"
                           "equation\n"
                           "  der(x) = v;\n"
                           "  m*der(v) = -k*x - c*(x - other);\n"
                           "end Mass;\n";

static const char masses[] =
    "yoke: 1\n"
    "run: {stop: 1 s, rtol: 1e-8}\n"
    "subsystems:\n"
    "  left: {model: mass.mo, class: Mass, parameters: {x0: 1.0}}\n"
    "  right: {model: mass.mo, stepper: radau5}\n"
    "couplings: [signal: left.other = right.x; right.other = left.x]\n";

static yoke_status read_masses(yoke_file **out,
                               const yoke_file_options *options, yoke_err *err)
{
    write_file("mass.mo", mass);
    write_file("masses.yoke", masses);
    return yoke_file_read(out, in_scratch("masses.yoke"), options, err);
}

static void models_are_found_beside_the_file(void **state)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(read_masses(&file, NULL, &err), &err);
    CHECK_CONTAINS(yoke_file_report(file, 0), "mass.mo: 2 equations");
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "left.x"), exact_left(1.0), 1e-7);
    CHECK_NEAR(value_of(run, "right.x"), exact_right(1.0), 1e-7);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void settings_change_parameters_of_models(void **state)
{
    const yoke_setting setting = { "left.x0", "-2" };
    const yoke_file_options options = { .settings = 1, .setting = &setting };
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(read_masses(&file, &options, &err), &err);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "left.x"), -2.0 * exact_left(1.0), 2e-7);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void bad(const char *name, const char *value, const char *message)
{
    const yoke_setting setting = { name, value };
    const yoke_file_options options = { .settings = 1, .setting = &setting };
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    assert_true(read_masses(&file, &options, &err) < 0);
    assert_null(file);
    CHECK_CONTAINS(err.text, message);
}

static void mistakes_in_models_name_both_files(void **state)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    bad("left.q", "1", "masses.yoke:4:17: ");
    bad("left.q", "1", "no parameter q");
    write_file("bad.mo", "model Bad\n  Real x\nend Bad;\n");
    write_file("bad.yoke", "yoke: 1\nsubsystems: {a: {model: bad.mo}}\n");
    assert_true(yoke_file_read(&file, in_scratch("bad.yoke"), NULL, &err) < 0);
    CHECK_CONTAINS(err.text, "bad.yoke:2:25: ");
    CHECK_CONTAINS(err.text, "bad.mo:3:");
    assert_null(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_found_beside_the_file),
        cmocka_unit_test(settings_change_parameters_of_models),
        cmocka_unit_test(mistakes_in_models_name_both_files),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
