/* io/writer_test.c */
#define _XOPEN_SOURCE 700
#include "io/io_test.h"

#include "base/base.h"
#include "io/writer.h"
#include "yoke/result.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#ifdef YOKE_HAVE_HDF5
static const char *const extensions[] = { ".csv", ".h5" };
#else
static const char *const extensions[] = { ".csv" };
#endif
enum { EXTENSIONS = sizeof extensions / sizeof extensions[0] };

static const char *const names[] = { "time", "a.x", "b, \"c\"" };
static const char *const units[] = { "s", "m", NULL };

static const char *named(const char *stem, const char *extension)
{
    char name[64];

    snprintf(name, sizeof name, "%s%s", stem, extension);
    return in_scratch(name);
}

static void check_same(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 &&
            !(isnan(a[i]) && isnan(b[i])))
            fail_msg("number %d: %a became %a", i, a[i], b[i]);
}

static void units_are_a_second_line_on_request(void **state)
{
    const double row[] = { 1.0, 2.0, 3.0 };
    (void)state;

    for (int show = 0; show < 2; show++) {
        yk_writer *w = NULL;
        yoke_table *t = NULL;
        int id = -1;
        yoke_err err;
        CHECK_OK(yk_writer_create(&w, in_scratch("u.csv"), &err), &err);
        yk_writer_show_units(w, show);
        CHECK_OK(yk_writer_table(w, "result", 3, names, units, &id, &err),
                 &err);
        if (!show) /* then the note has them */
            CHECK_OK(yk_writer_note(w, "units", "a.x\tm\nnone\tkg\n", &err),
                     &err);
        CHECK_OK(yk_writer_row(w, id, row, &err), &err);
        CHECK_OK(yk_writer_close(w, &err), &err);
        CHECK_OK(yoke_table_read(&t, in_scratch("u.csv"), "result", &err),
                 &err);
        assert_int_equal(t->rows, 1);
        assert_string_equal(t->unit[0], "s");
        assert_string_equal(t->unit[1], "m");
        assert_string_equal(t->unit[2], "");
        check_same(t->value, row, 3);
        yoke_table_free(t);
    }
}

static void every_number_comes_back(void **state)
{
    static double row[1000][3];
    unsigned long long seed = 7;
    (void)state;

    for (int i = 0; i < 1000; i++) {
        row[i][0] = 0.1 * i;
        row[i][1] =
            yk_random(&seed) * pow(10.0, 600.0 * yk_random(&seed) - 300);
        row[i][2] = -1.0 / (i + 1);
    }
    row[1][1] = NAN;
    row[2][1] = -INFINITY;
    row[3][1] = DBL_MAX;
    row[4][1] = DBL_TRUE_MIN;
    row[5][1] = -0.0;
    for (int e = 0; e < EXTENSIONS; e++) {
        yk_writer *w = NULL;
        yoke_table *t = NULL;
        yoke_err err = { YOKE_OK, "" };
        const char *path = named("numbers", extensions[e]);
        int id = -1;

        CHECK_OK(yk_writer_create(&w, path, &err), &err);
        CHECK_OK(yk_writer_note(w, "model", "none", &err), &err);
        CHECK_OK(yk_writer_note(w, "model", "two masses", &err), &err);
        CHECK_OK(yk_writer_table(w, "result", 3, names, units, &id, &err),
                 &err);
        for (int i = 0; i < 1000; i++)
            CHECK_OK(yk_writer_row(w, id, row[i], &err), &err);
        CHECK_OK(yk_writer_close(w, &err), &err);

        CHECK_OK(yoke_table_read(&t, path, "result", &err), &err);
        assert_int_equal(t->rows, 1000);
        assert_int_equal(t->cols, 3);
        for (int j = 0; j < 3; j++) assert_string_equal(t->name[j], names[j]);
        assert_string_equal(t->unit[1], e == 0 ? "" : "m");
        assert_string_equal(t->unit[2], "");
        check_same(row[0], t->value, 3000);
        yoke_table_free(t);
    }
}

static void csv_text_is_plain(void **state)
{
    const double row[] = { 0.1, -2.5, 1e300 };
    yk_writer *w = NULL;
    yoke_err err;
    char text[200];
    int id = 0, log = 0;
    (void)state;

    CHECK_OK(yk_writer_create(&w, in_scratch("plain.csv"), &err), &err);
    CHECK_OK(yk_writer_table(w, "coupling", 1, names, units, &log, &err), &err);
    CHECK_OK(yk_writer_table(w, "result", 3, names, NULL, &id, &err), &err);
    CHECK_OK(yk_writer_row(w, id, row, &err), &err);
    CHECK_OK(yk_writer_row(w, log, row, &err), &err);
    CHECK_OK(yk_writer_close(w, &err), &err);
    read_file(in_scratch("plain.csv"), text, sizeof text);
    assert_string_equal(text, "time,a.x,\"b, \"\"c\"\"\"\n0.1,-2.5,1e+300\n");
    read_file(in_scratch("plain.coupling.csv"), text, sizeof text);
    assert_string_equal(text, "time\n0.1\n");
}

static void a_decimal_comma_changes_nothing(void **state)
{
    const double row[] = { 0.5 };
    yk_writer *w = NULL;
    yoke_table *t = NULL;
    yoke_err err;
    char text[50];
    int id = 0;
    (void)state;

    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        setlocale(LC_NUMERIC, "de_DE"); /* neither may be installed */
    CHECK_OK(yk_writer_create(&w, in_scratch("comma.csv"), &err), &err);
    CHECK_OK(yk_writer_table(w, "result", 1, names, NULL, &id, &err), &err);
    CHECK_OK(yk_writer_row(w, id, row, &err), &err);
    CHECK_OK(yk_writer_close(w, &err), &err);
    read_file(in_scratch("comma.csv"), text, sizeof text);
    CHECK_OK(yoke_table_read(&t, in_scratch("comma.csv"), "result", &err),
             &err);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "time\n0.5\n");
    CHECK_NEAR(t->value[0], 0.5, 0.0);
    yoke_table_free(t);
}

static void many_columns_are_written(void **state)
{
    enum { COLS = 20000 };
    static char text[COLS][24];
    static const char *name[COLS];
    static double row[COLS];
    (void)state;

    for (int j = 0; j < COLS; j++) {
        snprintf(text[j], sizeof text[j], "column %d", j);
        name[j] = text[j];
        row[j] = j;
    }
    for (int e = 0; e < EXTENSIONS; e++) {
        yk_writer *w = NULL;
        yoke_table *t = NULL;
        yoke_err err = { YOKE_OK, "" };
        const char *path = named("many", extensions[e]);
        int id = 0;

        CHECK_OK(yk_writer_create(&w, path, &err), &err);
        CHECK_OK(yk_writer_table(w, "result", COLS, name, NULL, &id, &err),
                 &err);
        for (int i = 0; i < 3; i++)
            CHECK_OK(yk_writer_row(w, id, row, &err), &err);
        CHECK_OK(yk_writer_close(w, &err), &err);
        CHECK_OK(yoke_table_read(&t, path, "result", &err), &err);
        assert_int_equal(t->rows, 3);
        assert_string_equal(t->name[COLS - 1], "column 19999");
        CHECK_NEAR(t->value[3 * COLS - 1], COLS - 1, 0.0);
        yoke_table_free(t);
    }
}

static void bad_requests_are_refused(void **state)
{
    const char *const nameless[] = { "time", "" };
    yk_writer *w = NULL;
    yoke_err err;
    int id = 0;
    (void)state;

    CHECK_STATUS(yk_writer_create(&w, "result.xls", &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "result.xls: the name of a result file ends in");
    CHECK_STATUS(yk_writer_create(&w, "result", &err), YOKE_E_FILE, &err);
    CHECK_STATUS(yk_writer_create(&w, ".csv", &err), YOKE_E_FILE, &err);
    CHECK_STATUS(yk_writer_create(&w, "x/.h5", &err), YOKE_E_FILE, &err);
    assert_null(w);
    CHECK_OK(yk_writer_create(&w, in_scratch("bad.csv"), &err), &err);
    CHECK_STATUS(yk_writer_table(w, "../x", 1, names, NULL, &id, &err),
                 YOKE_E_ARG, &err);
    CHECK_STATUS(yk_writer_table(w, NULL, 1, names, NULL, &id, &err),
                 YOKE_E_ARG, &err);
    CHECK_STATUS(yk_writer_table(w, "x", 0, names, NULL, &id, &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_writer_table(w, "x", 2, nameless, NULL, &id, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "column 1 has no name");
    CHECK_OK(yk_writer_table(w, "x", 1, names, NULL, &id, &err), &err);
    CHECK_STATUS(yk_writer_table(w, "x", 1, names, NULL, &id, &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_writer_row(w, 1, NULL, &err), YOKE_E_ARG, &err);
    CHECK_OK(yk_writer_close(w, &err), &err);
    CHECK_OK(yk_writer_close(NULL, &err), &err);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    for (int e = 0; e < EXTENSIONS; e++) {
        yk_writer *w = NULL;
        yoke_err err = { YOKE_OK, "" };
        const char *path = named("nowhere/x", extensions[e]);

        CHECK_STATUS(yk_writer_create(&w, path, &err), YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, path);
        CHECK_CONTAINS(err.text, "No such file or directory");
        assert_null(w);
    }
}

/* Root may write anywhere, so a child gives that up first. */
static void a_read_only_folder_is_named(void **state)
{
    const char *folder = in_scratch("locked");
    (void)state;

    assert_int_equal(mkdir(folder, 0755), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    for (int e = 0; e < EXTENSIONS; e++) {
        const char *path = named("locked/x", extensions[e]);
        const pid_t child = fork();
        int result = 0;
        if (child == 0) {
            yk_writer *w = NULL;
            yoke_err err = { YOKE_OK, "" };
            if (getuid() == 0 && setuid(65534) != 0) _exit(2);
            const yoke_status status = yk_writer_create(&w, path, &err);
            /* In a place closed to others the path itself is denied. */
            _exit(status == YOKE_E_FILE && strstr(err.text, path) &&
                          strstr(err.text, "Permission denied")
                      ? 0
                      : 1);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_int_equal(result, 0);
    }
    rmdir(folder);
}

/* Writes until the file may not grow; returns the rows known to be safe, those
 * before the last successful flush. */
static int write_until_full(const char *path, rlim_t limit)
{
    struct rlimit before, now;
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;
    int id = 0, rows = 0, safe = 0;

    CHECK_OK(yk_writer_create(&w, path, &err), &err);
    CHECK_OK(yk_writer_table(w, "result", 3, names, units, &id, &err), &err);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    now = before;
    now.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &now);
    while (status == YOKE_OK) {
        const double row[3] = { rows / 3.0, rows, 1.0 / (rows + 1) };
        status = yk_writer_row(w, id, row, &err);
        rows++;
        if (status == YOKE_OK && rows % 700 == 0) {
            status = yk_writer_flush(w, &err);
            if (status == YOKE_OK) safe = rows;
        }
    }
    const yoke_status again = yk_writer_row(w, id, (double[3]){ 0 }, NULL);
    const yoke_status closed = yk_writer_close(w, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_STATUS(status, YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, path);
    CHECK_CONTAINS(err.text, "File too large");
    assert_int_equal(again, YOKE_E_FILE);
    assert_int_equal(closed, YOKE_E_FILE);
    return safe;
}

static void a_full_disk_keeps_what_was_written(void **state)
{
    (void)state;
    for (int e = 0; e < EXTENSIONS; e++)
        for (rlim_t limit = 150000; limit < 1000000; limit += 77777) {
            yoke_table *t = NULL;
            yoke_err err = { YOKE_OK, "" };
            const char *path = named("full", extensions[e]);
            const int safe = write_until_full(path, limit);

            CHECK_OK(yoke_table_read(&t, path, "result", &err), &err);
            CHECK_BETWEEN(t->rows, safe, INFINITY);
            for (int i = 0; i < t->rows; i++) {
                CHECK_NEAR(t->value[3 * i], i / 3.0, 0.0);
                CHECK_NEAR(t->value[3 * i + 2], 1.0 / (i + 1), 0.0);
            }
            yoke_table_free(t);
        }
}

static void a_device_without_room_is_reported(void **state)
{
    yk_writer *w = NULL;
    yoke_err err;
    int id = 0;
    const char *path = in_scratch("device.csv");
    (void)state;

    if (symlink("/dev/full", path) != 0) skip();
    const yoke_status created = yk_writer_create(&w, path, &err);
    unlink(path); /* whoever copied it would fill the disk */
    CHECK_STATUS(created, YOKE_OK, &err);
    CHECK_STATUS(yk_writer_table(w, "result", 3, names, NULL, &id, &err),
                 YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, path);
    CHECK_CONTAINS(err.text, "No space left on device");
    yk_writer_close(w, NULL);
}

/* A child writes, flushes, writes on and dies without closing. */
static void a_crash_keeps_what_was_flushed(void **state)
{
    (void)state;
    for (int e = 0; e < EXTENSIONS; e++) {
        const char *path = named("crash", extensions[e]);
        const pid_t child = fork();
        yoke_table *t = NULL;
        yoke_err err = { YOKE_OK, "" };
        int result = 0;

        if (child == 0) {
            yk_writer *w = NULL;
            int id = 0;
            yk_writer_create(&w, path, NULL);
            yk_writer_table(w, "result", 3, names, units, &id, NULL);
            for (int i = 0; i < 6000; i++) {
                yk_writer_row(w, id, (double[3]){ i, 1, 2 }, NULL);
                if (i == 2499) yk_writer_flush(w, NULL);
            }
            raise(SIGKILL);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        CHECK_OK(yoke_table_read(&t, path, "result", &err), &err);
        CHECK_BETWEEN(t->rows, 2500, 6000);
        CHECK_NEAR(t->value[3 * 2499], 2499, 0.0);
        yoke_table_free(t);
    }
}

static void rows_can_be_read_while_writing(void **state)
{
    (void)state;
    for (int e = 0; e < EXTENSIONS; e++) {
        const char *path = named("open", extensions[e]);
        yk_writer *w = NULL;
        yoke_table *t = NULL;
        yoke_err err = { YOKE_OK, "" };
        int id = 0;

        CHECK_OK(yk_writer_create(&w, path, &err), &err);
        CHECK_OK(yk_writer_table(w, "result", 3, names, NULL, &id, &err), &err);
        for (int i = 0; i < 5; i++) {
            CHECK_OK(yk_writer_row(w, id, (double[3]){ i }, &err), &err);
            CHECK_OK(yk_writer_flush(w, &err), &err);
            CHECK_OK(yoke_table_read(&t, path, "result", &err), &err);
            assert_int_equal(t->rows, i + 1);
            yoke_table_free(t);
        }
        CHECK_OK(yk_writer_close(w, &err), &err);
    }
}

static yoke_status write_and_read(const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_writer *w = NULL;
    yoke_table *t = NULL;
    int id = 0;

    YK_TRY(yk_writer_create(&w, path, err));
    YK_GO(yk_writer_note(w, "model", "two masses", err));
    YK_GO(yk_writer_table(w, "result", 3, names, units, &id, err));
    YK_GO(yk_writer_table(w, "coupling", 2, names, units, &id, err));
    for (int i = 0; i < 1500; i++)
        YK_GO(yk_writer_row(w, i % 2, (double[3]){ i, 0.5, 0.1 }, err));
    YK_GO(yk_writer_close(w, err));
    w = NULL;
    YK_GO(yoke_table_read(&t, path, "coupling", err));

done:
    yk_writer_close(w, NULL);
    yoke_table_free(t);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int e = 0; e < EXTENSIONS; e++) {
        const char *path = named("fault", extensions[e]);
        long at = 0;
        yoke_status status = YOKE_E_MEMORY;

        while (status != YOKE_OK) {
            yoke_err err = { YOKE_OK, "" };
            fault_allocator(++at);
            status = write_and_read(path, &err);
            const long left = fault_blocks();
            fault_restore();
            assert_int_equal(left, 0);
            if (status != YOKE_OK) CHECK_STATUS(status, YOKE_E_MEMORY, &err);
        }
        CHECK_BETWEEN((double)at, 10, 1000);
    }
}

static void rows_do_not_allocate(void **state)
{
    (void)state;
    for (int e = 0; e < EXTENSIONS; e++) {
        yk_writer *w = NULL;
        int id = 0;

        fault_allocator(0);
        yk_writer_create(&w, named("count", extensions[e]), NULL);
        yk_writer_table(w, "result", 3, names, NULL, &id, NULL);
        const long before = fault_requests();
        for (int i = 0; i < 5000; i++)
            yk_writer_row(w, id, (double[3]){ -1.0 / 3.0, NAN, 1e-300 / 3 },
                          NULL);
        const long after = fault_requests();
        yk_writer_close(w, NULL);
        fault_restore();
        assert_int_equal(after, before);
    }
}

#ifndef YOKE_HAVE_HDF5
static void without_hdf5_the_answer_is_missing(void **state)
{
    yk_writer *w = NULL;
    yoke_table *t = NULL;
    yoke_err err;
    (void)state;
    CHECK_STATUS(yk_writer_create(&w, "x.h5", &err), YOKE_E_MISSING, &err);
    CHECK_CONTAINS(err.text, "x.h5: built without HDF5");
    CHECK_STATUS(yoke_table_read(&t, "x.h5", "result", &err), YOKE_E_MISSING,
                 &err);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_a_second_line_on_request),
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(csv_text_is_plain),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(many_columns_are_written),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(a_read_only_folder_is_named),
        cmocka_unit_test(a_full_disk_keeps_what_was_written),
        cmocka_unit_test(a_device_without_room_is_reported),
        cmocka_unit_test(a_crash_keeps_what_was_flushed),
        cmocka_unit_test(rows_can_be_read_while_writing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(rows_do_not_allocate),
#ifndef YOKE_HAVE_HDF5
        cmocka_unit_test(without_hdf5_the_answer_is_missing),
#endif
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
