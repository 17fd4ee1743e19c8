/* io/plot_test.c */
#define _XOPEN_SOURCE 700
#include "io/io_test.h"

#include "base/base.h"
#include "yoke/result.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { ROWS = 400, COLS = 4 };

static double value[ROWS * COLS];

/* Damped oscillations; one has a gap. */
static yoke_table sample(void)
{
    static char n0[] = "time", n1[] = "left_mass.x_1", n2[] = "right_mass.x_2",
                n3[] = "spring.force", s[] = "s", m[] = "m", f[] = "N";
    static char *name[] = { n0, n1, n2, n3 }, *unit[] = { s, m, m, f };

    for (int i = 0; i < ROWS; i++) {
        const double t = 0.025 * i;
        value[COLS * i] = t;
        value[COLS * i + 1] = exp(-0.2 * t) * cos(3.0 * t);
        value[COLS * i + 2] = exp(-0.1 * t) * sin(2.0 * t);
        value[COLS * i + 3] = i > 200 && i < 220 ? NAN : 0.3 * exp(-0.3 * t);
    }
    return (yoke_table){ ROWS, COLS, name, unit, value };
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static void check_png(const char *path)
{
    char text[9];

    read_file(path, text, sizeof text);
    assert_memory_equal(text, "\x89PNG\r\n\x1a\n", 8);
    CHECK_BETWEEN((double)size_of(path), 4000, 400000);
}

static void a_png_is_drawn(void **state)
{
    const yoke_table t = sample();
    const yoke_curve curve[] = { { &t, 1, NULL, 0, 0 },
                                 { &t, 2, NULL, 0, 0 },
                                 { &t, 3, "force of the spring", 0, 0 } };
    yoke_plot_options o = { .title = "Two masses" };
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_plot(in_scratch("a.png"), 3, curve, &o, &err), &err);
    check_png(in_scratch("a.png"));
    CHECK_OK(yoke_plot(in_scratch("b.png"), 1, curve, NULL, &err), &err);
    check_png(in_scratch("b.png"));
    o = (yoke_plot_options){ .log_y = true,
                             .points = true,
                             .width = 600,
                             .height = 400,
                             .y_label = "error" };
    CHECK_OK(yoke_plot(in_scratch("c.png"), 1, curve + 2, &o, &err), &err);
    check_png(in_scratch("c.png"));
}

static void an_svg_is_drawn(void **state)
{
    const yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1, .label = "a < b & c" };
    static char text[100000];
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_plot(in_scratch("a.svg"), 1, &curve, NULL, &err), &err);
    read_file(in_scratch("a.svg"), text, sizeof text);
    CHECK_CONTAINS(text, "<svg");
    CHECK_CONTAINS(text, "a &lt; b &amp; c");
    CHECK_CONTAINS(text, "time [s]");
}

/* Points of the longest line of a drawing that lie right of the one before. */
static int steps_right(const char *text)
{
    double before = INFINITY, x = 0.0, y = 0.0;
    int count = 0, most = 0;

    for (const char *p = strpbrk(text, "ML"); p; p = strpbrk(p + 1, "ML")) {
        if (sscanf(p + 1, "%lf,%lf", &x, &y) != 2) continue;
        count = *p == 'M' ? 0 : count + (x > before);
        if (count > most) most = count;
        before = x;
    }
    return most;
}

/* Rows that lie 2.5e-12 apart are not drawn on top of each other, a single one is
 * seen, and a name that is too long for the picture is shortened. */
static void odd_tables_are_drawn(void **state)
{
    static char name[] =
        "a_very_long_subsystem.with_a_very_long_component.and_a_"
        "signal_whose_name_has_no_end.at_all";
    yoke_table t = sample();
    const yoke_curve curve[] = { { .table = &t, .column = 1, .label = name },
                                 { .table = &t, .column = 2 } };
    const yoke_plot_options log = { .log_y = true };
    static char text[100000];
    yoke_err err;
    (void)state;

    for (int i = 0; i < ROWS; i++) value[COLS * i] = 1.0 + 1e-9 * i / ROWS;
    CHECK_OK(yoke_plot(in_scratch("o.svg"), 2, curve, NULL, &err), &err);
    read_file(in_scratch("o.svg"), text, sizeof text);
    CHECK_BETWEEN(steps_right(text), 300, ROWS);
    CHECK_CONTAINS(text, "\xE2\x80\xA6");
    t.rows = 1;
    CHECK_OK(yoke_plot(in_scratch("o.svg"), 1, curve, NULL, &err), &err);
    read_file(in_scratch("o.svg"), text, sizeof text);
    CHECK_CONTAINS(text, "<use xlink:href='#gpPt6'");
    value[1] = -1.0;
    assert_int_equal(yoke_plot(in_scratch("o.svg"), 1, curve, &log, &err),
                     YOKE_E_ARG);
    CHECK_CONTAINS(err.text, "is nowhere above 0 and has no logarithm");
}

/* 0.3 ms and 0.03 V, both with a prefix. */
static void small_numbers_have_prefixes(void **state)
{
    static char s[] = "s", v[] = "V";
    static char *unit[] = { s, v, v, v };
    yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1, .label = "small" };
    static char text[100000];
    yoke_err err;
    (void)state;

    t.unit = unit;
    for (int i = 0; i < ROWS; i++) {
        value[COLS * i] = 3e-4 * i / (ROWS - 1);
        value[COLS * i + 1] = 0.03 * i / (ROWS - 1);
    }
    CHECK_OK(yoke_plot(in_scratch("u.svg"), 1, &curve, NULL, &err), &err);
    read_file(in_scratch("u.svg"), text, sizeof text);
    CHECK_CONTAINS(text, "time [\xc2\xb5s]");
    CHECK_CONTAINS(text, "small [mV]");
    CHECK_CONTAINS(text, ">300<");
    assert_null(strstr(text, "0.0003"));
}

static void long_times_are_in_hours(void **state)
{
    const yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1 };
    static char text[100000];
    yoke_err err;
    (void)state;

    for (int i = 0; i < ROWS; i++) value[COLS * i] = 172800.0 * i / (ROWS - 1);
    CHECK_OK(yoke_plot(in_scratch("h.svg"), 1, &curve, NULL, &err), &err);
    read_file(in_scratch("h.svg"), text, sizeof text);
    CHECK_CONTAINS(text, "[h]");
    CHECK_CONTAINS(text, ">40<");
    assert_null(strstr(text, "20000"));
}

static void labels_far_from_zero_differ(void **state)
{
    const yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1 };
    static char text[100000];
    yoke_err err;
    (void)state;

    for (int i = 0; i < ROWS; i++) value[COLS * i] = 1e5 + 1e-3 * i / ROWS;
    CHECK_OK(yoke_plot(in_scratch("far.svg"), 1, &curve, NULL, &err), &err);
    read_file(in_scratch("far.svg"), text, sizeof text);
    CHECK_CONTAINS(text, "100000.0004");
    CHECK_CONTAINS(text, "100000.0006");
}

static void many_curves_are_drawn(void **state)
{
    enum { MANY = 40 };
    const yoke_table t = sample();
    yoke_curve curve[MANY];
    yoke_err err;
    (void)state;

    for (int i = 0; i < MANY; i++)
        curve[i] = (yoke_curve){ .table = &t, .column = 1 };
    CHECK_OK(yoke_plot(in_scratch("m.png"), MANY, curve, NULL, &err), &err);
    check_png(in_scratch("m.png"));
}

static void panels_stand_one_below_the_other(void **state)
{
    const yoke_table t = sample();
    yoke_curve curve[] = { { &t, 1, NULL, 0, 0 },
                           { &t, 2, NULL, 1, 0 },
                           { &t, 3, NULL, 2, 1 } };
    char text[200000];
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_OK(yoke_plot(in_scratch("p.svg"), 3, curve, NULL, &err), &err);
    FILE *file = fopen(in_scratch("p.svg"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    CHECK_CONTAINS(text, "height=\"650\""); /* taller than one panel */
    for (int k = 1; k < 4; k++) CHECK_CONTAINS(text, t.name[k]);
    curve[1].panel = 3;
    CHECK_STATUS(yoke_plot(in_scratch("q.svg"), 3, curve, NULL, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "panel 1 has no curve");
    curve[1].panel = -1;
    CHECK_STATUS(yoke_plot(in_scratch("q.svg"), 3, curve, NULL, &err),
                 YOKE_E_ARG, &err);
}

/* 200,000 rows are drawn as what can be seen of them: the peak stays. */
static void many_rows_are_thinned(void **state)
{
    enum { MANY = 200000 };
    char time[] = "time", name[] = "x", *names[] = { time, name };
    double *many = calloc(2 * MANY, sizeof *many);
    const yoke_table t = {
        .rows = MANY, .cols = 2, .name = names, .value = many
    };
    const yoke_curve curve = { .table = &t, .column = 1 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    assert_non_null(many);
    for (int i = 0; i < MANY; i++) {
        many[2 * i] = i;
        many[2 * i + 1] = i == 123456 ? 1000.0 : sin(0.01 * i);
    }
    CHECK_OK(yoke_plot(in_scratch("many.svg"), 1, &curve, NULL, &err), &err);
    CHECK_BETWEEN((double)size_of(in_scratch("many.svg")), 4000, 200000);
    char text[200000];
    FILE *file = fopen(in_scratch("many.svg"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    CHECK_CONTAINS(text, "<text>1000<");
    free(many);
}

static void texts_never_become_commands(void **state)
{
    const char *const texts[] = { "'; system('touch hit') #",
                                  "`touch hit`",
                                  "$(touch hit)",
                                  "x'\nsystem 'touch hit'\n",
                                  "\"; !touch hit",
                                  "@hit \\",
                                  "%s%n%d {/Bold x}_{y}^2",
                                  "\xff\xfe not utf-8",
                                  "",
                                  "'",
                                  "x' with lines, sin(x" };
    const yoke_table t = sample();
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const yoke_curve curve[] = { { &t, 1, texts[i], 0, 0 },
                                     { &t, 2, texts[i], 0, 0 } };
        const yoke_plot_options o = { .title = texts[i],
                                      .x_label = texts[i],
                                      .y_label = texts[i] };
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yoke_plot(in_scratch("t.png"), 2, curve, &o, &err), &err);
        check_png(in_scratch("t.png"));
        assert_int_equal(size_of("hit"), -1);
    }
}

static void any_path_will_do(void **state)
{
    const char *const names[] = { "with space.png", "it's.png", "a\"b`c$.png",
                                  "-o.png" };
    const yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1 };
    (void)state;

    for (int i = 0; i < 4; i++) {
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yoke_plot(in_scratch(names[i]), 1, &curve, NULL, &err), &err);
        check_png(in_scratch(names[i]));
    }
}

static void bad_requests_are_refused(void **state)
{
    const yoke_table t = sample();
    yoke_table none = t;
    yoke_curve curve = { .table = &t, .column = 1 };
    yoke_plot_options o = { .width = 20000 };
    const char *path = in_scratch("bad.png");
    yoke_err err;
    (void)state;

    CHECK_STATUS(yoke_plot("x.pdf", 1, &curve, NULL, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, ".png or .svg");
    CHECK_STATUS(yoke_plot(path, 0, &curve, NULL, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yoke_plot(path, 1, &curve, &o, &err), YOKE_E_ARG, &err);
    o = (yoke_plot_options){ .x_column = 4 };
    CHECK_STATUS(yoke_plot(path, 1, &curve, &o, &err), YOKE_E_ARG, &err);
    curve.column = -1;
    CHECK_STATUS(yoke_plot(path, 1, &curve, NULL, &err), YOKE_E_ARG, &err);
    assert_string_equal(err.text, "curve 0: column -1 is not between 0 and 3");
    none.rows = 0;
    curve = (yoke_curve){ &none, 1, NULL, 0, 0 };
    CHECK_STATUS(yoke_plot(path, 1, &curve, NULL, &err), YOKE_E_ARG, &err);
    assert_int_equal(size_of(path), -1);
}

static void failures_of_gnuplot_are_told(void **state)
{
    yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1 };
    const char *path = in_scratch("nan.png");
    yoke_err err;
    (void)state;

    for (int i = 0; i < ROWS; i++) value[COLS * i + 1] = NAN;
    CHECK_STATUS(yoke_plot(path, 1, &curve, NULL, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "\"left_mass.x_1\" has no finite value");
    assert_int_equal(size_of(path), -1);
    t = sample();
    CHECK_STATUS(yoke_plot(in_scratch("no/x.png"), 1, &curve, NULL, &err),
                 YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "No such file or directory");
}

static void a_full_disk_is_told(void **state)
{
    const yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1 };
    const char *path = in_scratch("full.png");
    yoke_err err;
    (void)state;

    if (symlink("/dev/full", path) != 0) skip();
    const yoke_status status = yoke_plot(path, 1, &curve, NULL, &err);
    unlink(path); /* whoever copied it would fill the disk */
    CHECK_STATUS(status, YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "full.png: cannot write: No space left");
}

/* Draws with another PATH. */
static yoke_status draw_with_path(const char *folder, yoke_err *err)
{
    const yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1 };
    char *before = strdup(getenv("PATH"));

    setenv("PATH", folder, 1);
    const yoke_status status =
        yoke_plot(in_scratch("x.png"), 1, &curve, NULL, err);
    setenv("PATH", before, 1);
    free(before);
    return status;
}

static void a_missing_gnuplot_is_told(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_STATUS(draw_with_path("/nowhere", &err), YOKE_E_MISSING, &err);
    CHECK_CONTAINS(err.text, "install gnuplot-nox");
}

static void another_gnuplot_is_told(void **state)
{
    const char text[] = "#!/bin/sh\nexit 0\n";
    const char *path = in_scratch("gnuplot");
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    write_file(path, text, sizeof text - 1);
    CHECK_STATUS(draw_with_path(scratch, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "x.png: cannot start gnuplot: Permission denied");
    assert_int_equal(chmod(path, 0755), 0);
    CHECK_STATUS(draw_with_path(scratch, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "x.png: gnuplot drew nothing");
    unlink(path);
}

/* Draws with a lower limit of a resource. */
static yoke_status draw_within(int resource, rlim_t limit, yoke_err *err)
{
    const yoke_table t = sample();
    const yoke_curve curve = { .table = &t, .column = 1 };
    struct rlimit before, now;

    getrlimit(resource, &before);
    now = before;
    now.rlim_cur = limit;
    setrlimit(resource, &now);
    const yoke_status status =
        yoke_plot(in_scratch("y.png"), 1, &curve, NULL, err);
    setrlimit(resource, &before);
    return status;
}

static void a_temporary_file_may_fail(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    signal(SIGXFSZ, SIG_IGN);
    CHECK_STATUS(draw_within(RLIMIT_FSIZE, 100, &err), YOKE_E_FILE, &err);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_CONTAINS(err.text, "y.png: temporary file: File too large");
    CHECK_STATUS(draw_within(RLIMIT_NOFILE, 3, &err), YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "y.png: temporary file: Too many open files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_is_drawn),
        cmocka_unit_test(an_svg_is_drawn),
        cmocka_unit_test(odd_tables_are_drawn),
        cmocka_unit_test(small_numbers_have_prefixes),
        cmocka_unit_test(long_times_are_in_hours),
        cmocka_unit_test(labels_far_from_zero_differ),
        cmocka_unit_test(many_curves_are_drawn),
        cmocka_unit_test(panels_stand_one_below_the_other),
        cmocka_unit_test(many_rows_are_thinned),
        cmocka_unit_test(texts_never_become_commands),
        cmocka_unit_test(any_path_will_do),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(failures_of_gnuplot_are_told),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_missing_gnuplot_is_told),
        cmocka_unit_test(another_gnuplot_is_told),
        cmocka_unit_test(a_temporary_file_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
