/* io/table_test.c */
#define _XOPEN_SOURCE 700
#include "io/io_test.h"

#include "base/base.h"
#include "io/format.h"
#include "io/writer.h"

#include <math.h>
#ifdef YOKE_HAVE_HDF5
#include <hdf5.h>
#endif

static yoke_status parse(yoke_table *t, const char *text, yoke_err *err)
{
    *t = (yoke_table){ 0, 0, NULL, NULL, NULL };
    return yk_csv_parse(t, "x.csv", text, strlen(text), err);
}

/* The message for this text. */
static void refused(const char *text, const char *message)
{
    yoke_table t;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(parse(&t, text, &err), YOKE_E_FILE, &err);
    yk_table_clear(&t);
    assert_string_equal(err.text, message);
}

static void all_of_rfc_4180_is_read(void **state)
{
    const char *const texts[] = {
        "time,\"a \"\"b\"\", c\"\n0,1\n2,3\n",
        "time,\"a \"\"b\"\", c\"\r\n0,1\r\n2,3",
        "\xEF\xBB\xBF\n\r\ntime,\"a \"\"b\"\", c\"\r0,1\r\r2,3\r\r",
        "\"time\",\"a \"\"b\"\", c\"\n\"0\", 1 \n\n 2.0e0 ,\"3\"\n\n",
    };
    (void)state;
    for (int i = 0; i < 4; i++) {
        yoke_table t;
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(parse(&t, texts[i], &err), &err);
        assert_int_equal(t.rows, 2);
        assert_int_equal(t.cols, 2);
        assert_string_equal(t.name[0], "time");
        assert_string_equal(t.name[1], "a \"b\", c");
        assert_string_equal(t.unit[1], "");
        for (int k = 0; k < 4; k++) CHECK_NEAR(t.value[k], k, 0.0);
        yk_table_clear(&t);
    }
}

static void names_may_have_several_lines(void **state)
{
    yoke_table t;
    yoke_err err;
    (void)state;
    CHECK_OK(parse(&t, "t,\"two\nlines\"\n1,nan\n", &err), &err);
    assert_string_equal(t.name[1], "two\nlines");
    assert_true(isnan(t.value[1]));
    yk_table_clear(&t);
    refused("t,\"two\nlines\"\n1,x\n",
            "x.csv:3: column \"two\nlines\": \"x\" is not a number");
}

static void a_header_alone_is_an_empty_table(void **state)
{
    yoke_table t;
    yoke_err err;
    (void)state;
    CHECK_OK(parse(&t, "time,x", &err), &err);
    assert_int_equal(t.rows, 0);
    assert_int_equal(t.cols, 2);
    yk_table_clear(&t);
}

static void defects_have_a_line_and_a_column(void **state)
{
    (void)state;
    refused("", "x.csv:1: no header line");
    refused("\n\n", "x.csv:3: no header line");
    refused("1,2\n3,4\n",
            "x.csv:1: numbers where the names of the columns should be");
    refused("t,x\n1\n", "x.csv:2: column \"x\": is missing");
    refused("t,x\n1,2\n1,2,3\n",
            "x.csv:3: more fields than the 2 of the header");
    refused("t,x\n1,\n", "x.csv:2: column \"x\": is empty");
    refused("t,x\n1,2\n1,1;2\n",
            "x.csv:3: column \"x\": \"1;2\" is not a number");
    refused("t,x\r\n1,\x1b[31m\r\n",
            "x.csv:2: column \"x\": \"?[31m\" is not a number");
    refused("t,x\n1,1e999\n", "x.csv:2: column \"x\": \"1e999\" is too large");
    refused("t,x\n1,\"2\n", "x.csv:2: the quote opened here is not closed");
    refused("t,x\n1,\"2\"3\n", "x.csv:2: text after a closing quote");
    refused("t,x\n1,2\"\n", "x.csv:2: a quote inside a field");
}

static void a_zero_byte_is_refused(void **state)
{
    static const char text[] = "t\n1\0002\n";
    yoke_table t = { 0, 0, NULL, NULL, NULL };
    yoke_err err;
    (void)state;
    CHECK_STATUS(yk_csv_parse(&t, "x.csv", text, sizeof text - 1, &err),
                 YOKE_E_FILE, &err);
    yk_table_clear(&t);
}

/* What a killed process leaves: the row is not there, the others are. */
static void half_a_last_row_is_left_out(void **state)
{
    static const struct {
        const char *text;
        int rows; /* -1: refused */
    } cases[] = { { "a,b\n1,2\n3,4\n", 2 },
                  { "a,b\n1,2\n3,4", 2 },
                  { "a,b\n1,2\n3", 1 },
                  { "a,b\n1,2\n3,", 1 },
                  { "a,b\n1,2\n3\n", -1 },
                  { "a,b\n1\n3,4", -1 },
                  { "a,b", 0 } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = in_scratch("half.csv");
        yoke_table *t = NULL;
        yoke_err err = { YOKE_OK, "" };
        write_file(path, cases[i].text, strlen(cases[i].text));
        const yoke_status status = yoke_table_read(&t, path, "result", &err);
        if (cases[i].rows < 0) {
            CHECK_STATUS(status, YOKE_E_FILE, &err);
            continue;
        }
        CHECK_OK(status, &err);
        assert_int_equal(t->rows, cases[i].rows);
        yoke_table_free(t);
    }
}

static void files_that_cannot_be_read_are_named(void **state)
{
    yoke_table *t = NULL;
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_table_read(&t, in_scratch("no.csv"), "result", &err),
                 YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "no.csv: cannot read: No such file");
    CHECK_STATUS(yoke_table_read(&t, in_scratch("no.csv"), "coupling", &err),
                 YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "no.coupling.csv: cannot read");
    CHECK_STATUS(yoke_table_read(&t, ".", NULL, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "Is a directory");
    write_file(in_scratch("x.txt"), "a\n7\n", 4);
    CHECK_OK(yoke_table_read(&t, in_scratch("x.txt"), NULL, &err), &err);
    CHECK_NEAR(t->value[0], 7.0, 0.0);
    yoke_table_free(t);
    yoke_table_free(NULL);
}

#ifdef YOKE_HAVE_HDF5
static void write_h5(const char *path)
{
    const char *const name[] = { "time", "x" };
    yk_writer *w = NULL;
    int id = 0;
    assert_int_equal(yk_writer_create(&w, path, NULL), YOKE_OK);
    assert_int_equal(yk_writer_table(w, "result", 2, name, NULL, &id, NULL),
                     YOKE_OK);
    yk_writer_row(w, id, (double[2]){ 1, 2 }, NULL);
    assert_int_equal(yk_writer_close(w, NULL), YOKE_OK);
}

static void hdf5_defects_are_named(void **state)
{
    static char text[100000];
    yoke_table *t = NULL;
    yoke_err err;
    const char *path = in_scratch("cut.h5");
    (void)state;
    CHECK_STATUS(yoke_table_read(&t, in_scratch("no.h5"), "result", &err),
                 YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "no.h5: cannot read: No such file");
    write_h5(path);
    CHECK_STATUS(yoke_table_read(&t, path, "coupling", &err), YOKE_E_FILE,
                 &err);
    CHECK_CONTAINS(err.text, "table \"coupling\": there is no such table");
    CHECK_STATUS(yoke_table_read(&t, path, "", &err), YOKE_E_FILE, &err);
    const size_t length = read_file(path, text, sizeof text);
    CHECK_BETWEEN((double)length, 1000, 90000);
    for (size_t part = 0; part < length; part += 1 + length / 60) {
        write_file(path, text, part);
        CHECK_STATUS(yoke_table_read(&t, path, "result", &err), YOKE_E_FILE,
                     &err);
        CHECK_CONTAINS(err.text, path);
    }
    assert_null(t);
}
/* A file whose table "result" has this shape, on disk nothing, and `names`
 * strings for names (-1: numbers instead). */
static void write_foreign(const char *path, int rank, const hsize_t *shape,
                          int names)
{
    const hsize_t most[2] = { H5S_UNLIMITED, H5S_UNLIMITED };
    const hsize_t chunk[2] = { 4, 4 };
    const hsize_t count = (hsize_t)(names < 0 ? 2 : names);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group =
        H5Gcreate2(file, "result", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(rank, shape, most);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, rank, chunk);
    const hid_t data = H5Dcreate2(group, "data", H5T_IEEE_F64LE, space,
                                  H5P_DEFAULT, layout, H5P_DEFAULT);
    const hid_t list = H5Screate_simple(1, &count, NULL);
    const hid_t type = H5Tcopy(names < 0 ? H5T_NATIVE_INT : H5T_C_S1);
    if (names >= 0) H5Tset_size(type, H5T_VARIABLE);
    H5Aclose(H5Acreate2(data, "names", type, list, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(type);
    H5Sclose(list);
    H5Dclose(data);
    H5Pclose(layout);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
}

static void foreign_hdf5_is_refused(void **state)
{
    const struct {
        int rank;
        hsize_t shape[2];
        int names;
        const char *message;
    } bad[] = {
        { 1, { 4, 0 }, 2, "not rows by columns" },
        { 2, { 0, 0 }, 2, "too large" },
        { 2, { 1ull << 40, 2 }, 2, "too large" },
        { 2, { 1 << 30, 1 << 20 }, 2, "less data than its shape says" },
        { 2, { 0, 2 }, 3, "do not fit the columns" },
        { 2, { 0, 2 }, -1, "do not fit the columns" },
        { 2, { 0, 2 }, 2, "cannot read: HDF5" },
    };
    const char *path = in_scratch("foreign.h5");
    yoke_table *t = NULL;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        yoke_err err = { YOKE_OK, "" };
        write_foreign(path, bad[i].rank, bad[i].shape, bad[i].names);
        CHECK_STATUS(yoke_table_read(&t, path, "result", &err), YOKE_E_FILE,
                     &err);
        CHECK_CONTAINS(err.text, bad[i].message);
    }
    assert_null(t);
}
#endif

/* A table of time and x. */
static yoke_table table_of(int rows, double *value)
{
    static char time[] = "time", x[] = "x", none[] = "";
    static char *name[] = { time, x }, *unit[] = { none, none };
    return (yoke_table){ rows, 2, name, unit, value };
}

static void differences_are_found(void **state)
{
    double va[] = { 0, 0, 0.5, 1, 1, 2, 1.5, -4, 5, 100 };
    double vb[] = { 0.25, 0.5, 1, 2, 2, 2 };
    const yoke_table a = table_of(5, va), b = table_of(3, vb);
    yoke_difference d;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_table_compare(&a, &b, "x", &d, &err), &err);
    CHECK_NEAR(d.max_abs, 6.0, 0.0);
    CHECK_NEAR(d.at_time, 1.5, 0.0);
    CHECK_NEAR(d.max_rel, 1.5, 1e-15);
    CHECK_NEAR(d.rms, sqrt(36.0 / 3.0), 1e-15);
    CHECK_OK(yoke_table_compare(&a, &a, "x", &d, &err), &err);
    CHECK_NEAR(d.max_abs + d.max_rel + d.rms, 0.0, 0.0);
}

static void both_sides_of_a_jump_are_compared(void **state)
{
    double va[] = { 0, 0, 1, 0, 1, 5, 2, 5 };
    const yoke_table a = table_of(4, va);
    yoke_difference d;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_table_compare(&a, &a, "x", &d, &err), &err);
    CHECK_NEAR(d.max_abs, 0.0, 0.0);
}

static void a_missing_value_is_never_equal(void **state)
{
    double va[] = { 0, 1, 1, NAN, 2, 3 }, vb[] = { 0, 1, 1, 2, 2, 9 };
    const yoke_table a = table_of(3, va), b = table_of(3, vb);
    yoke_difference d;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_table_compare(&a, &b, "x", &d, &err), &err);
    assert_true(isnan(d.max_abs) && isnan(d.max_rel) && isnan(d.rms));
    CHECK_NEAR(d.at_time, 1.0, 0.0);
}

static void what_cannot_be_compared_is_refused(void **state)
{
    double va[] = { 0, 1, 1, 1 }, vb[] = { 2, 1, 3, 1 }, vc[] = { 1, 0, 0, 0 };
    const yoke_table a = table_of(2, va), b = table_of(2, vb),
                     c = table_of(2, vc), none = table_of(0, va);
    yoke_difference d = { -1, -1, -1, -1 };
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_table_compare(&a, &b, "y", &d, &err), YOKE_E_ARG, &err);
    assert_string_equal(err.text, "the first table has no column \"y\"");
    CHECK_STATUS(yoke_table_compare(&a, &b, "x", &d, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "[0, 1]");
    CHECK_STATUS(yoke_table_compare(&a, &c, "x", &d, &err), YOKE_E_ARG, &err);
    assert_string_equal(err.text,
                        "the time of the second table goes back in row 2");
    CHECK_STATUS(yoke_table_compare(&none, &a, "x", &d, &err), YOKE_E_ARG,
                 &err);
    va[2] = NAN;
    CHECK_STATUS(yoke_table_compare(&a, &b, "x", &d, &err), YOKE_E_ARG, &err);
    CHECK_NEAR(d.max_abs, -1.0, 0.0);
    assert_int_equal(yoke_table_find(&a, "x"), 1);
    assert_int_equal(yoke_table_find(&a, "X"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_rfc_4180_is_read),
        cmocka_unit_test(names_may_have_several_lines),
        cmocka_unit_test(a_header_alone_is_an_empty_table),
        cmocka_unit_test(defects_have_a_line_and_a_column),
        cmocka_unit_test(a_zero_byte_is_refused),
        cmocka_unit_test(half_a_last_row_is_left_out),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
#ifdef YOKE_HAVE_HDF5
        cmocka_unit_test(hdf5_defects_are_named),
        cmocka_unit_test(foreign_hdf5_is_refused),
#endif
        cmocka_unit_test(differences_are_found),
        cmocka_unit_test(both_sides_of_a_jump_are_compared),
        cmocka_unit_test(a_missing_value_is_never_equal),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
