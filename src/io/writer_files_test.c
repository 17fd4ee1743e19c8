/* io/writer_files_test.c -- one writer of several files. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700
#include "io/io_test.h"
#include "io/writer.h"
#include "yoke/result.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

static const char *const names[] = { "time", "a.x" };

/* Names in the folder, one per line. */
static const char *lines(const char *first, const char *second)
{
    static char text[1100];

    snprintf(text, sizeof text, "%s\n%s\n", in_scratch(first),
             in_scratch(second));
    return text;
}

static void refused(const char *first, const char *second, const char *message)
{
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yk_writer_create(&w, lines(first, second), &err), YOKE_E_FILE,
                 &err);
    assert_null(w);
    CHECK_CONTAINS(err.text, message);
}

static bool is_there(const char *name)
{
    return access(in_scratch(name), F_OK) == 0;
}

/* The text of a file that must not change. */
static void make_old(const char *name)
{
    write_file(in_scratch(name), "old\n", 4);
}

static void check_old(const char *name)
{
    char text[16];

    read_file(in_scratch(name), text, sizeof text);
    assert_string_equal(text, "old\n");
}

static void write_two(const char *path)
{
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    int result = -1, log = -1;

    CHECK_OK(yk_writer_create(&w, path, &err), &err);
    CHECK_OK(yk_writer_note(w, "system", "pair", &err), &err);
    CHECK_OK(yk_writer_table(w, "result", 2, names, NULL, &result, &err), &err);
    CHECK_OK(yk_writer_table(w, "coupling", 1, names, NULL, &log, &err), &err);
    for (int i = 0; i < 5000; i++) {
        const double row[2] = { i, i / 3.0 };
        CHECK_OK(yk_writer_row(w, result, row, &err), &err);
        CHECK_OK(yk_writer_row(w, log, row, &err), &err);
    }
    CHECK_OK(yk_writer_close(w, &err), &err);
}

static void check_two(const char *path)
{
    static const char *const table[] = { "result", "coupling" };

    for (int k = 0; k < 2; k++) {
        yoke_table *t = NULL;
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yoke_table_read(&t, path, table[k], &err), &err);
        assert_int_equal(t->rows, 5000);
        assert_true(t->value[(t->rows - 1) * t->cols] == 4999.0);
        if (k == 0) assert_true(t->value[2 * 4999 + 1] == 4999 / 3.0);
        yoke_table_free(t);
    }
}

static void all_files_get_everything(void **state)
{
    (void)state;
    write_two(lines("a b.csv", "c.csv"));
    check_two(in_scratch("a b.csv"));
    check_two(in_scratch("c.csv"));
}

#ifdef YOKE_HAVE_HDF5
static void formats_may_be_mixed(void **state)
{
    yoke_notes *notes = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    write_two(lines("mixed.csv", "mixed.h5"));
    check_two(in_scratch("mixed.csv"));
    check_two(in_scratch("mixed.h5"));
    CHECK_OK(yoke_notes_read(&notes, in_scratch("mixed.h5"), &err), &err);
    assert_string_equal(yoke_notes_find(notes, "system"), "pair");
    yoke_notes_free(notes);
}
#else
static void without_hdf5_nothing_is_touched(void **state)
{
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    make_old("kept.csv");
    CHECK_STATUS(yk_writer_create(&w, lines("kept.csv", "x.h5"), &err),
                 YOKE_E_MISSING, &err);
    CHECK_CONTAINS(err.text, "x.h5: built without HDF5");
    check_old("kept.csv");
    assert_false(is_there("x.h5"));
}
#endif

static void nothing_is_overwritten_unless_all_can_be(void **state)
{
    (void)state;
    make_old("old.csv");
    refused("old.csv", "nowhere/b.csv", "nowhere/b.csv: cannot write: No such");
    check_old("old.csv");
    refused("new.csv", "nowhere/b.h5", "nowhere/b.h5: cannot write");
    assert_false(is_there("new.csv"));
    refused("old.csv", "b.xls", "b.xls: the name of a result file ends in");
    check_old("old.csv");
    assert_int_equal(mkdir(in_scratch("folder.csv"), 0755), 0);
    refused("old.csv", "folder.csv", "folder.csv: cannot write: Is a dir");
    check_old("old.csv");
    rmdir(in_scratch("folder.csv"));
}

static void files_beside_are_probed_too(void **state)
{
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    make_old("kept.csv");
    make_old("other.csv");
    assert_int_equal(mkdir(in_scratch("kept.coupling.csv"), 0755), 0);
    refused("other.csv", "kept.csv",
            "kept.coupling.csv: cannot write: Is a dir");
    check_old("kept.csv");
    check_old("other.csv");
    CHECK_STATUS(yk_writer_create(&w, in_scratch("kept.csv"), &err),
                 YOKE_E_FILE, &err);
    check_old("kept.csv");
    assert_false(is_there("kept.work.csv"));
    assert_false(is_there("other.work.csv"));
    rmdir(in_scratch("kept.coupling.csv"));
    assert_int_equal(link(in_scratch("other.csv"), in_scratch("kept.work.csv")),
                     0);
    refused("other.csv", "kept.csv", "are the same file");
    check_old("other.csv");
    remove(in_scratch("kept.work.csv"));
}

/* What an earlier run left would be treated as this one's. */
static void old_files_beside_are_removed(void **state)
{
    (void)state;
    make_old("again.iterates.csv");
    make_old("again.notes.csv");
    write_two(in_scratch("again.csv"));
    check_two(in_scratch("again.csv"));
    assert_false(is_there("again.iterates.csv"));
    assert_true(is_there("again.notes.csv"));
}

static void notes_of_csv_come_back(void **state)
{
    static const char odd[] = "a\t\"b\", c\n\nlast \xE2\x82\xAC";
    static const char foreign[] = "note,date\n1,2\n";
    static const char open_quote[] = "note,text\na,b\nc,\"d\n";
    static const char alone[] = "note,text\na\n";
    const char *path = in_scratch("note.csv");
    yk_writer *w = NULL;
    yoke_notes *notes = NULL;
    yoke_err err = { YOKE_OK, "" };
    int id = -1;
    (void)state;

    CHECK_OK(yk_writer_create(&w, path, &err), &err);
    CHECK_OK(yk_writer_table(w, "result", 2, names, NULL, &id, &err), &err);
    CHECK_STATUS(yk_writer_table(w, "notes", 2, names, NULL, &id, &err),
                 YOKE_E_ARG, &err);
    CHECK_OK(yk_writer_note(w, "odd", "first", &err), &err);
    CHECK_OK(yk_writer_note(w, "empty", "", &err), &err);
    CHECK_OK(yk_writer_note(w, "odd", odd, &err), &err);
    CHECK_OK(yk_writer_close(w, &err), &err);
    CHECK_OK(yoke_notes_read(&notes, path, &err), &err);
    assert_int_equal(notes->count, 2);
    assert_string_equal(yoke_notes_find(notes, "odd"), odd);
    assert_string_equal(yoke_notes_find(notes, "empty"), "");
    yoke_notes_free(notes);

    write_file(in_scratch("note.notes.csv"), foreign, strlen(foreign));
    CHECK_OK(yoke_notes_read(&notes, path, &err), &err);
    assert_int_equal(notes->count, 0);
    yoke_notes_free(notes);
    write_file(in_scratch("note.notes.csv"), open_quote, strlen(open_quote));
    CHECK_STATUS(yoke_notes_read(&notes, path, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "note.notes.csv:3: the quote opened here");
    write_file(in_scratch("note.notes.csv"), alone, strlen(alone));
    CHECK_STATUS(yoke_notes_read(&notes, path, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "note.notes.csv:2: a note without a text");
}

static void a_file_is_named_once(void **state)
{
    char other[600];
    (void)state;
    make_old("old.csv");
    refused("old.csv", "old.csv", "are the same file");
    snprintf(other, sizeof other, "../%s/old.csv", scratch);
    refused("old.csv", other, "are the same file");
    refused("new.csv", "new.csv", "are the same file");
    assert_false(is_there("new.csv"));
    assert_int_equal(symlink("old.csv", in_scratch("link.csv")), 0);
    refused("link.csv", "old.csv", "are the same file");
    refused("old.csv", "old.coupling.csv", "old.coupling.csv: the tables of");
    refused("x.work.csv", "x.csv", "x.work.csv: the tables of");
    assert_false(is_there("x.csv"));
    check_old("old.csv");
}

static void no_name_is_refused(void **state)
{
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yk_writer_create(&w, "\n\n", &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "no result file is named");
}

static void a_table_that_one_file_cannot_hold_ends_all(void **state)
{
    yk_writer *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    int id = -1;
    (void)state;

    assert_int_equal(symlink("/dev/full", in_scratch("full.csv")), 0);
    CHECK_OK(yk_writer_create(&w, lines("good.csv", "full.csv"), &err), &err);
    CHECK_STATUS(yk_writer_table(w, "result", 2, names, NULL, &id, &err),
                 YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "full.csv: cannot write");
    CHECK_STATUS(yk_writer_note(w, "a", "b", &err), YOKE_E_FILE, &err);
    CHECK_STATUS(yk_writer_close(w, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "full.csv: cannot write");
}

/* The reader of a pipe goes away; the other file has all rows up to then. */
static void a_failed_file_stops_no_other(void **state)
{
    yk_writer *w = NULL;
    yoke_table *t = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;
    int id = -1, rows = 0;
    (void)state;

    assert_int_equal(mkfifo(in_scratch("pipe.csv"), 0600), 0);
    const int reader = open(in_scratch("pipe.csv"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    CHECK_OK(yk_writer_create(&w, lines("pipe.csv", "rest.csv"), &err), &err);
    CHECK_OK(yk_writer_table(w, "result", 2, names, NULL, &id, &err), &err);
    close(reader);
    signal(SIGPIPE, SIG_IGN);
    for (; status == YOKE_OK && rows < 100000; rows++)
        status = yk_writer_row(w, id, (double[2]){ rows, rows / 3.0 }, &err);
    CHECK_STATUS(status, YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "pipe.csv: cannot write: Broken pipe");
    CHECK_STATUS(yk_writer_row(w, id, (double[2]){ 0.0, 0.0 }, NULL),
                 YOKE_E_FILE, NULL);
    CHECK_STATUS(yk_writer_close(w, NULL), YOKE_E_FILE, NULL);
    signal(SIGPIPE, SIG_DFL);
    CHECK_OK(yoke_table_read(&t, in_scratch("rest.csv"), "result", &err), &err);
    assert_int_equal(t->rows, rows);
    assert_true(t->value[2 * (rows - 1)] == rows - 1);
    yoke_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    long n = 1;
    (void)state;
    make_old("old.csv");
    for (;; n++) {
        yk_writer *w = NULL;
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status =
            yk_writer_create(&w, lines("fault.csv", "old.csv"), &err);
        const bool reached = fault_requests() >= n;
        if (status == YOKE_OK) yk_writer_close(w, NULL);
        const long blocks = fault_blocks();
        fault_restore();
        assert_int_equal(blocks, 0);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
        assert_false(is_there("fault.csv"));
    }
    assert_true(n > 5);
}

/* Two runs into one file would leave the header of one and rows of the other. */
static void one_writer_at_a_time(void **state)
{
    yk_writer *first = NULL, *second = NULL;
    yoke_err err = { YOKE_OK, "" };
    char path[600];
    static const char *const kinds[] = { "one.csv", "one.h5", "one.raw" };

    (void)state;
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s", in_scratch(kinds[k]));
        CHECK_OK(yk_writer_create(&first, path, &err), &err);
        CHECK_STATUS(yk_writer_create(&second, path, &err), YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, "another run is writing to it");
        assert_true(is_there(kinds[k]));
        CHECK_OK(yk_writer_close(first, &err), &err);
        CHECK_OK(yk_writer_create(&second, path, &err), &err);
        CHECK_OK(yk_writer_close(second, &err), &err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(all_files_get_everything),
#ifdef YOKE_HAVE_HDF5
        cmocka_unit_test(formats_may_be_mixed),
#else
        cmocka_unit_test(without_hdf5_nothing_is_touched),
#endif
        cmocka_unit_test(nothing_is_overwritten_unless_all_can_be),
        cmocka_unit_test(files_beside_are_probed_too),
        cmocka_unit_test(old_files_beside_are_removed),
        cmocka_unit_test(notes_of_csv_come_back),
        cmocka_unit_test(a_file_is_named_once),
        cmocka_unit_test(no_name_is_refused),
        cmocka_unit_test(a_table_that_one_file_cannot_hold_ends_all),
        cmocka_unit_test(a_failed_file_stops_no_other),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
