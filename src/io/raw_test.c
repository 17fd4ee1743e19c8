/* io/raw_test.c -- ngspice raw files. */
#define _XOPEN_SOURCE 700
#include "io/io_test.h"

#include "io/format.h"
#include "io/writer.h"
#include "yoke/result.h"

static void write_rows(const char *path, int cols, const char *const *name,
                       int rows, const double *value)
{
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    int id = -1, log = -1;
    static const char *const other[] = { "window" };

    CHECK_OK(yk_writer_create(&w, path, &err), &err);
    CHECK_OK(yk_writer_table(w, "coupling", 1, other, NULL, &log, &err), &err);
    CHECK_OK(yk_writer_table(w, "result", cols, name, NULL, &id, &err), &err);
    for (int i = 0; i < rows; i++) {
        CHECK_OK(yk_writer_row(w, log, value, &err), &err);
        CHECK_OK(yk_writer_row(w, id, value + i * cols, &err), &err);
    }
    CHECK_OK(yk_writer_close(w, &err), &err);
}

static void check_back(const char *path, int cols, const char *const *name,
                       int rows, const double *value)
{
    yoke_table *t = NULL;
    yoke_err err = { YOKE_OK, "" };

    write_rows(path, cols, name, rows, value);
    CHECK_OK(yoke_table_read(&t, path, "result", &err), &err);
    assert_int_equal(t->cols, cols);
    assert_int_equal(t->rows, rows);
    for (int k = 0; k < cols; k++) assert_string_equal(t->name[k], name[k]);
    assert_memory_equal(t->value, value, (size_t)(rows * cols) * sizeof *value);
    yoke_table_free(t);
}

static void real_rows_come_back(void **state)
{
    static const char *const name[] = { "time", "v(out)", "i(v1)" };
    static const double value[] = { 0, 1, 2, 0.5, 1.5, -2.5, 1, 1e-300, 3e300 };
    char text[600];
    (void)state;

    check_back(in_scratch("a.raw"), 3, name, 3, value);
    read_file(in_scratch("a.raw"), text, sizeof text);
    CHECK_CONTAINS(text, "Plotname: Transient Analysis");
    CHECK_CONTAINS(text, "No. Variables: 3");
    CHECK_CONTAINS(text, "No. Points: 3");
    CHECK_CONTAINS(text, "\t2\ti(v1)\tcurrent");
}

static void complex_rows_come_back(void **state)
{
    static const char *const name[] = { "frequency", "re(v(a))", "im(v(a))" };
    static const double value[] = { 1, 2, 3, 10, 20, 30 };
    char text[600];
    (void)state;

    check_back(in_scratch("c.raw"), 3, name, 2, value);
    read_file(in_scratch("c.raw"), text, sizeof text);
    CHECK_CONTAINS(text, "Flags: complex");
    CHECK_CONTAINS(text, "\t1\tv(a)\tvoltage");
}

/* As ngspice 39 writes it with `set filetype=ascii`. */
static void ascii_is_read(void **state)
{
    static const char text[] =
        "Title: t\nDate: d\nPlotname: AC Analysis\nFlags: complex\n"
        "No. Variables: 2\nNo. Points: 2\nVariables:\n"
        "\t0\tfrequency\tfrequency grid=3\n\t1\tv(out)\tvoltage\nValues:\n"
        " 0\t1e1,0e0\n\t5e-1,-2.5e-1\n\n 1\t1e2,0e0\n\t1e-1,-1e-2\n\n";
    yoke_table t = { 0, 0, NULL, NULL, NULL };
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_OK(yk_raw_parse(&t, "x", text, sizeof text - 1, &err), &err);
    assert_int_equal(t.rows, 2);
    assert_string_equal(t.name[1], "re(v(out))");
    assert_string_equal(t.name[2], "im(v(out))");
    assert_true(t.value[0] == 10.0 && t.value[2] == -0.25 && t.value[4] == 0.1);
    yk_table_clear(&t);
}

static void broken_files_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } row[] = {
        { "", "\"Variables:\" is missing" },
        { "Variables:\n", "number of variables or points is missing" },
        { "No. Variables: 0\n", "number of variables makes no sense" },
        { "No. Variables: 99999999\n", "number of variables makes no sense" },
        { "No. Variables: 1\nNo. Points: 1\nVariables:\n",
          "variables missing" },
        { "No. Variables: 1\nNo. Points: 1\nVariables:\n\t0\n", "no name" },
        { "No. Variables: 1\nNo. Points: 1\nVariables:\n0 a b\n",
          "there are no values" },
        { "No. Variables: 1\nNo. Points: 1\nVariables:\n0 a b\nVal\n",
          "neither" },
        { "No. Variables: 1\nNo. Points: 1\nVariables:\n0 a b\nValues:\n0 x\n",
          "a value is missing" },
    };
    (void)state;

    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        yoke_table t = { 0, 0, NULL, NULL, NULL };
        yoke_err err = { YOKE_OK, "" };
        CHECK_STATUS(
            yk_raw_parse(&t, "x", row[k].text, strlen(row[k].text), &err),
            YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, row[k].message);
        yk_table_clear(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_rows_come_back),
        cmocka_unit_test(complex_rows_come_back),
        cmocka_unit_test(ascii_is_read),
        cmocka_unit_test(broken_files_are_refused),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
