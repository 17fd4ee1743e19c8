/* io/report_test.c */
#define _XOPEN_SOURCE 700
#include "io/io_test.h"

#include "io/report.h"
#include "io/writer.h"

#include <math.h>

static char page[1 << 20];

static const char *json(const char *text)
{
    static yk_text out;
    yoke_err err;

    out.length = 0;
    CHECK_OK(yk_json_text(&out, text, &err), &err);
    return out.at;
}

static void texts_cannot_leave_their_quotes(void **state)
{
    (void)state;
    assert_string_equal(json("a.x"), "\"a.x\"");
    assert_string_equal(json("\"\\\n\x7F"), "\"\\u0022\\u005c\\u000a\\u007f\"");
    assert_string_equal(json("</script><!--&"),
                        "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
}

static void bytes_that_are_no_characters_are_replaced(void **state)
{
    static const char *const wrong[] = {
        "\x80",     "\xC0\xAF",         "\xC3",
        "\xC3(",    "\xE0\x80\xAF",     "\xED\xA0\x80",
        "\xE2\x82", "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80",
        "\xFF",
    };
    static const char right[] = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    char want[32];
    (void)state;

    snprintf(want, sizeof want, "\"%s\"", right);
    assert_string_equal(json(right), want);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_memory_equal(json(wrong[i]), "\"\\ufffd", 7);
}

static const char *numbers(int count, const double *value, int digits)
{
    static yk_text out;
    yoke_err err;

    out.length = 0;
    CHECK_OK(yk_json_numbers(&out, count, value, digits, &err), &err);
    return out.at;
}

static void numbers_keep_what_a_curve_shows(void **state)
{
    const double third[] = { 1.0 / 3.0, 0.0 }, none[] = { NAN, INFINITY };
    const double ripple[] = { 1000.000123456789, 1000.000223456789 };
    (void)state;

    assert_string_equal(numbers(2, third, 6), "[0.333333,0]");
    assert_string_equal(numbers(1, third, 17), "[0.3333333333333333]");
    assert_string_equal(numbers(2, none, 6), "[null,null]");
    assert_string_equal(numbers(0, none, 6), "[]");
    assert_string_equal(numbers(2, ripple, 6),
                        "[1000.0001234568,1000.0002234568]");
}

static void long_table(int rows)
{
    FILE *file = fopen(in_scratch("long.csv"), "w");

    assert_non_null(file);
    fputs("time,a,b\n", file);
    for (int i = 0; i < rows; i++)
        fprintf(file, "%d,%g,%d\n", i,
                i == 777   ? 5.0
                : i == 778 ? -5.0
                           : 0.0,
                i);
    assert_int_equal(fclose(file), 0);
}

/* The numbers of column `index` of "data", at most `most`. */
static int data_column(const char *text, int index, double *out, int most)
{
    const char *p = strstr(text, "\"data\":[");
    int count = 0;

    assert_non_null(p);
    p += strlen("\"data\":");
    for (int k = 0; k <= index; k++) p = strchr(p + 1, '[');
    while (*p != ']' && count < most) {
        char *end = NULL;
        out[count++] = strtod(p + 1, &end);
        p = end;
    }
    return count;
}

static void long_tables_keep_their_ends_and_peaks(void **state)
{
    const yoke_report_options options = { .points = 100 };
    double t[200], a[200], b[200];
    double most = 0.0, least = 0.0;
    yoke_err err;
    (void)state;

    long_table(10007);
    CHECK_OK(yoke_report_write(in_scratch("long.csv"), in_scratch("long.html"),
                               &options, &err),
             &err);
    assert_true(read_file(in_scratch("long.html"), page, sizeof page) > 1000);
    assert_int_equal(data_column(page, 0, t, 200), 100);
    assert_int_equal(data_column(page, 1, a, 200), 100);
    assert_int_equal(data_column(page, 2, b, 200), 100);
    assert_true(t[0] == 0.0 && b[0] == 0.0);
    assert_true(t[99] == 10006.0 && b[99] == 10006.0);
    for (int i = 0; i < 100; i++) {
        if (i > 0) assert_true(t[i] > t[i - 1]);
        assert_true(b[i] == t[i]); /* a line stays a line */
        most = fmax(most, a[i]);
        least = fmin(least, a[i]);
    }
    assert_true(most == 5.0 && least == -5.0);
}

static void the_rest_of_many_variables_is_left_out(void **state)
{
    const yoke_report_options options = { .variables = 1, .title = "<b>&'" };
    yoke_err err;
    (void)state;

    long_table(5);
    CHECK_OK(yoke_report_write(in_scratch("long.csv"), in_scratch("few.html"),
                               &options, &err),
             &err);
    read_file(in_scratch("few.html"), page, sizeof page);
    CHECK_CONTAINS(page, "\"cols\":3");
    CHECK_CONTAINS(page, "\"names\":[\"time\",\"a\"]");
    CHECK_CONTAINS(page, "<title>&#60;b&#62;&#38;&#39;</title>");
    CHECK_CONTAINS(page, "\"title\":\"\\u003cb\\u003e\\u0026'\"");
    CHECK_CONTAINS(page, "\"absent\":{\"coupling\":");
}

static void refused(const char *result, const char *html, int points,
                    int variables, const char *why)
{
    const yoke_report_options options = { .points = points,
                                          .variables = variables };
    yoke_err err;

    assert_true(yoke_report_write(result, html, &options, &err) < 0);
    CHECK_CONTAINS(err.text, why);
}

static void nonsense_is_refused(void **state)
{
    static const char back[] = "time,a\n1,0\n0,0\n", none[] = "time,a\nnan,0\n";
    (void)state;

    write_file(in_scratch("back.csv"), back, strlen(back));
    write_file(in_scratch("none.csv"), none, strlen(none));
    refused(in_scratch("back.csv"), in_scratch("x.html"), 0, 0, "row 2");
    refused(in_scratch("none.csv"), in_scratch("x.html"), 0, 0, "row 1");
    refused(in_scratch("absent.csv"), in_scratch("x.html"), 0, 0, "absent.csv");
    refused(in_scratch("absent.h5"), in_scratch("x.html"), 0, 0, "absent.h5");
    refused(in_scratch("back.csv"), in_scratch("back.csv"), 0, 0, ".html");
    refused(in_scratch("back.csv"), in_scratch("x.html"), 9, 0, "points = 9");
    refused(in_scratch("back.csv"), in_scratch("x.html"), 0, -1, "negative");
    long_table(5);
    refused(in_scratch("long.csv"), in_scratch("no/x.html"), 0, 0, "no/x.html");
    assert_int_equal(symlink("/dev/full", in_scratch("full.html")), 0);
    refused(in_scratch("long.csv"), in_scratch("full.html"), 0, 0,
            "cannot write");
}

/* ---- profiles ------------------------------------------------------------ */

/* 700 points of a wave that moves over 2 m, and a wire with a hole; `rows`
 * rows, of which two are at one time. */
static void write_profiles(const char *path, int rows, const char *more)
{
    enum { POINTS = 700 };
    static char name[POINTS + 3][16];
    static const char *column[POINTS + 3];
    static double row[POINTS + 3];
    static char note[40000];
    size_t used = 0;
    yk_writer *w = NULL;
    yoke_err err;
    int id = 0;

    used += (size_t)snprintf(note, sizeof note,
                             "profile\ts.w\theight <b>\tm\tx\tm\n");
    for (int k = 0; k < POINTS; k++) {
        snprintf(name[k + 1], sizeof name[0], "s.w[%d]", k + 1);
        used += (size_t)snprintf(note + used, sizeof note - used,
                                 "point\t%.10g\ts.w[%d]\n",
                                 2.0 * k / (POINTS - 1), k + 1);
    }
    snprintf(note + used, sizeof note - used,
             "mark\tfront\t0.5\t0.25\ts.y\nmark\tgone\t0\t0\ts.gone\n"
             "tie\t1\ts.v\ntie\t1\ts.gone\n"
             "profile\ts.v\theight <b>\tm\tx\tm\n"
             "point\t0\t\npoint\t1\ts.gone\npoint\t2\ts.y\n%s",
             more);
    snprintf(name[0], sizeof name[0], "time");
    snprintf(name[POINTS + 1], sizeof name[0], "s.y");
    snprintf(name[POINTS + 2], sizeof name[0], "a.force");
    for (int k = 0; k < POINTS + 3; k++) column[k] = name[k];
    CHECK_OK(yk_writer_create(&w, path, &err), &err);
    CHECK_OK(yk_writer_note(w, "profiles", note, &err), &err);
    CHECK_OK(yk_writer_table(w, "result", POINTS + 3, column, NULL, &id, &err),
             &err);
    for (int i = 0; i < rows; i++) {
        row[0] = i == 5 ? 0.4 : 0.1 * i;
        for (int k = 0; k < POINTS; k++)
            row[k + 1] = k == 3 && i == 2 ? NAN : sin(0.02 * k - row[0]);
        row[POINTS + 1] = i;
        row[POINTS + 2] = 100.0 + i;
        CHECK_OK(yk_writer_row(w, id, row, &err), &err);
    }
    CHECK_OK(yk_writer_close(w, &err), &err);
}

static void make_report(const char *result)
{
    yoke_err err;

    CHECK_OK(yoke_report_write(result, in_scratch("p.html"), NULL, &err), &err);
    read_file(in_scratch("p.html"), page, sizeof page);
}

/* Value `k` of the base64 text that begins at `text`. */
static int code_at(const char *text, int k)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    int byte[2];

    for (int b = 0; b < 2; b++) {
        const int at = 2 * k + b;
        const char *four = text + at / 3 * 4;
        unsigned all = 0;
        for (int i = 0; i < 4; i++) {
            const char *digit = strchr(digits, four[i]);
            all = all << 6 | (digit && *digit ? (unsigned)(digit - digits) : 0);
        }
        byte[b] = (int)(all >> (16 - at % 3 * 8) & 255);
    }
    return byte[0] | byte[1] << 8;
}

static void profiles_are_in_the_page(void **state)
{
    double at[700];
    (void)state;

    write_profiles(in_scratch("p.csv"), 10, "");
    make_report(in_scratch("p.csv"));
    const char *all = strstr(page, "\"profiles\":{");
    assert_non_null(all);
    const char *times = strstr(all, "\"time\":[");
    assert_non_null(times);
    assert_true(strtod(times + 8, NULL) == 0.0);
    CHECK_CONTAINS(times, "0.4,0.4,0.6"); /* all rows, both sides of a jump */
    const char *first = strstr(all, "\"values\":\"");
    const char *grid = strstr(all, "\"at\":[");
    assert_non_null(first);
    assert_non_null(grid);
    int points = 0;
    for (const char *p = grid + 5; *p != ']'; points++) {
        char *end = NULL;
        at[points] = strtod(p + 1, &end);
        p = end;
    }
    assert_int_equal(points, 600); /* of 700 */
    assert_true(at[0] == 0.0 && at[599] == 2.0);
    first += strlen("\"values\":\"");
    for (int k = 0; k < 600; k += 37) {
        const double want = sin(0.02 * (at[k] * 349.5) - 0.3);
        const double least = -1.0, most = 1.0;
        const int code = code_at(first, 3 * 600 + k);
        CHECK_NEAR(least + code / 65534.0 * (most - least), want, 2e-3);
    }
    assert_int_equal(code_at(first, 2 * 600 + 3), 65535); /* no number */
    CHECK_CONTAINS(all, "\"marks\":[{\"name\":\"front\"");
    assert_null(strstr(all, "gone"));
    CHECK_CONTAINS(all, "\"ties\":[{\"at\":1,\n\"to\":1}]");
    CHECK_CONTAINS(all, "height \\u003cb\\u003e");
    /* The picture for paper, before the data. */
    const char *figure = strstr(page, "<figure class=\"shapes\">");
    assert_non_null(figure);
    assert_true(figure < all);
    CHECK_CONTAINS(figure, "height &#60;b&#62; of s.w, s.v over x");
    CHECK_CONTAINS(figure, "<text x=\"8\" y=\"14\">t = 0.9</text>");
}

/* Columns of profiles give way to others. */
static void other_columns_stay_among_the_waveforms(void **state)
{
    (void)state;
    write_profiles(in_scratch("p.csv"), 300, "");
    make_report(in_scratch("p.csv"));
    CHECK_CONTAINS(page, "\"names\":[\"time\",\"s.w[1]\",");
    CHECK_CONTAINS(page, "\"s.w[199]\",\"a.force\"]");
    CHECK_CONTAINS(page, "\"along\":[1,2,3,");
}

static void a_damaged_profile_costs_its_section_only(void **state)
{
    (void)state;
    write_profiles(in_scratch("p.csv"), 3, "point\t1\ts.y\n");
    make_report(in_scratch("p.csv"));
    CHECK_CONTAINS(page, "the coordinates do not increase");
    assert_null(strstr(page, "<figure"));
    write_profiles(in_scratch("p.csv"), 0, ""); /* no rows */
    make_report(in_scratch("p.csv"));
    assert_null(strstr(page, "<figure"));
    write_profiles(in_scratch("p.csv"), 1, "");
    make_report(in_scratch("p.csv"));
    CHECK_CONTAINS(page, "<figure");
}

static void every_allocation_may_fail(void **state)
{
    long n = 1;
    (void)state;

    write_profiles(in_scratch("fault.csv"), 3, "");
    for (;; n++) {
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status = yoke_report_write(
            in_scratch("fault.csv"), in_scratch("fault.html"), NULL, &err);
        const long blocks = fault_blocks();
        const bool reached = fault_requests() >= n;
        fault_restore();
        assert_int_equal(blocks, 0);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
    }
    assert_true(n > 20);
}

#ifdef YOKE_HAVE_HDF5

/* A log of `windows` windows of two sweeps, one of them harder, and notes. */
static void write_log(const char *path, int windows)
{
    static const char *const name[] = { "time", "a" };
    static const char *const columns[] = { "window", "sweep", "change" };
    yk_writer *w = NULL;
    yoke_err err;
    int result = 0, log = 0;

    CHECK_OK(yk_writer_create(&w, path, &err), &err);
    CHECK_OK(yk_writer_note(w, "system", "two \xE2\x82\xAC", &err), &err);
    CHECK_OK(yk_writer_note(w, "options", "rtol\t1\t1\tx\n", &err), &err);
    CHECK_OK(yk_writer_table(w, "result", 2, name, NULL, &result, &err), &err);
    CHECK_OK(yk_writer_table(w, "coupling", 3, columns, NULL, &log, &err),
             &err);
    CHECK_OK(yk_writer_row(w, result, (double[]){ 0.0, 1.0 }, &err), &err);
    for (int k = 1; k <= windows; k++)
        for (int s = 1; s <= (k == 4 ? 3 : 2); s++)
            CHECK_OK(yk_writer_row(w, log, (double[]){ k, s, 0.1 }, &err),
                     &err);
    CHECK_OK(yk_writer_close(w, &err), &err);
}

static void notes_come_back(void **state)
{
    yoke_notes *notes = NULL;
    yoke_err err;
    (void)state;

    write_log(in_scratch("notes.h5"), 3);
    CHECK_OK(yoke_notes_read(&notes, in_scratch("notes.h5"), &err), &err);
    assert_int_equal(notes->count, 2);
    assert_string_equal(yoke_notes_find(notes, "system"), "two \xE2\x82\xAC");
    assert_null(yoke_notes_find(notes, "date"));
    yoke_notes_free(notes);
    notes = NULL;
    CHECK_OK(yoke_notes_read(&notes, "any.csv", &err), &err);
    assert_int_equal(notes->count, 0);
    yoke_notes_free(notes);
}

static void of_many_windows_the_hardest_stays(void **state)
{
    double window[1000], sweep[1000];
    yoke_err err;
    (void)state;

    write_log(in_scratch("many.h5"), 100000);
    CHECK_OK(yoke_report_write(in_scratch("many.h5"), in_scratch("many.html"),
                               NULL, &err),
             &err);
    read_file(in_scratch("many.html"), page, sizeof page);
    CHECK_CONTAINS(page, "<title>two \xE2\x82\xAC</title>");
    const char *log = strstr(page, "\"coupling\":{");
    assert_non_null(log);
    CHECK_CONTAINS(log, "\"rows\":200001");
    CHECK_CONTAINS(log, "\"every\":2");
    assert_int_equal(data_column(log, 0, window, 1000), 1000);
    data_column(log, 1, sweep, 1000);
    assert_true(window[1] == 1.0 && window[2] == 3.0 && window[4] == 4.0);
    assert_true(sweep[6] == 3.0 && window[7] == 5.0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_cannot_leave_their_quotes),
        cmocka_unit_test(bytes_that_are_no_characters_are_replaced),
        cmocka_unit_test(numbers_keep_what_a_curve_shows),
        cmocka_unit_test(long_tables_keep_their_ends_and_peaks),
        cmocka_unit_test(the_rest_of_many_variables_is_left_out),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(profiles_are_in_the_page),
        cmocka_unit_test(other_columns_stay_among_the_waveforms),
        cmocka_unit_test(a_damaged_profile_costs_its_section_only),
#ifdef YOKE_HAVE_HDF5
        cmocka_unit_test(notes_come_back),
        cmocka_unit_test(of_many_windows_the_hardest_stays),
#endif
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
