/* comp/equation/model_file_test.c -- system files with equation models. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

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

/* x = t: becomes too large at 0.5, again and again too quick, never too small.
 * The coupling makes several sweeps of each window. */
static void warnings_are_told_once_with_their_time(void **state)
{
    static const char model[] =
        "model M\n"
        "  input Real other;\n"
        "  output Real x(start = 0, fixed = true);\n"
        "  Real y;\n"
        "equation\n"
        "  der(x) = 1 + 0.1*(x - other);\n"
        "  y = sin(40*x);\n"
        "  assert(x < 0.5, \"too large\", AssertionLevel.warning);\n"
        "  assert(y < 0.5, \"too quick\", AssertionLevel.warning);\n"
        "  assert(x > -1, \"too small\", AssertionLevel.warning);\n"
        "  assert(floor(x) < 2, \"odd\", AssertionLevel.warning);\n"
        "end M;\n";
    static const char system[] =
        "yoke: 1\n"
        "run: {stop: 1 s, window: 0.125}\n"
        "subsystems: {a: {model: m.mo}, b: {model: m.mo, stepper: rk4,\n"
        "  step: 1 ms}}\n"
        "couplings: [signal: a.other = b.x; b.other = a.x]\n";
    static const double since[] = { 0.0130899693899575, 0.5 };
    yoke_file *file = NULL;
    yoke_run_result r;
    yoke_remark remark;
    const char *name = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    write_file("m.mo", model);
    write_file("m.yoke", system);
    CHECK_OK(yoke_file_read(&file, in_scratch("m.yoke"), NULL, &err), &err);
    for (int again = 0; again < 2; again++) {
        yoke_run *run = run_file(file);
        int found[2][2] = { { 0, 0 }, { 0, 0 } }, i = 0;
        for (; yoke_run_remark(run, i, &name, &remark); i++) {
            const int large = strstr(remark.text, "m.mo:8: too large") != NULL;
            if (!large) CHECK_CONTAINS(remark.text, "m.mo:9: too quick");
            CHECK_NEAR(remark.since, since[large], 1e-6);
            found[name[0] == 'b'][large]++;
        }
        assert_int_equal(i, 4);
        for (int k = 0; k < 4; k++) assert_int_equal(found[k / 2][k % 2], 1);
        yoke_run_summary(run, &r);
        assert_int_equal(r.remarks, 4);
        assert_true(r.converged);
        CHECK_CONTAINS(r.text, "There are warnings, the first: ");
        yoke_run_close(run, NULL);
    }
    yoke_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_found_beside_the_file),
        cmocka_unit_test(settings_change_parameters_of_models),
        cmocka_unit_test(mistakes_in_models_name_both_files),
        cmocka_unit_test(warnings_are_told_once_with_their_time),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
