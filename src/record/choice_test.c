/* record/choice_test.c -- straight lines between rows show what waveforms do. */
#include "record/choice.h"

#include "base/base.h"
#include "check.h"
#include "record/policy.h"

#include <math.h>

/* ---- rows that are written ----------------------------------------------- */

enum { ROOM = 20000 };

typedef struct paper {
    int count;
    double row[ROOM][2];
} paper;

static yoke_status write(void *context, const double *row, yoke_err *err)
{
    paper *p = context;
    (void)err;

    assert_true(p->count < ROOM);
    assert_true(p->count == 0 || row[0] >= p->row[p->count - 1][0]);
    p->row[p->count][0] = row[0];
    p->row[p->count++][1] = row[1];
    return YOKE_OK;
}

/* The line at t, from the left. */
static double line_at(const paper *p, double t)
{
    int i = 0;

    while (i + 1 < p->count && p->row[i][0] < t) i++;
    if (i == 0 || p->row[i][0] == t) return p->row[i][1];
    const double *a = p->row[i - 1], *b = p->row[i];
    return a[1] + (t - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
}

typedef double (*function)(double t);

/* f on [0, 1] as cubic pieces of Hermite's kind, `windows` of them. */
static void record(paper *p, function f, int pieces, int windows, int most,
                   double range, yk_choice **rows)
{
    const yk_choice_options options = { 1, most, 0.0, 1.0, { write, p } };
    const double first[2] = { 0.0, f(0.0) };
    yk_wave *wave = NULL;
    yoke_err err;

    p->count = 0;
    CHECK_OK(yk_wave_create(&wave, 1, &err), &err);
    CHECK_OK(yk_choice_create(rows, &options, &err), &err);
    CHECK_OK(write(p, first, &err), &err);
    CHECK_OK(yk_choice_first(*rows, first, &err), &err);
    for (int k = 0; k < windows; k++) {
        const int from = (int)((long)pieces * k / windows);
        const int to = (int)((long)pieces * (k + 1) / windows);
        yk_wave_clear(wave, (double)from / pieces);
        for (int i = from; i < to; i++) {
            const double a = (double)i / pieces, b = (i + 1.0) / pieces;
            const double value[4] = { f(a), f(a + (b - a) / 3.0),
                                      f(b - (b - a) / 3.0), f(b) };
            CHECK_OK(yk_wave_append_samples(wave, b, 3, value, &err), &err);
        }
        const yk_curve curve = { wave, 0 };
        const yk_choice_window w = { (double)from / pieces,
                                     (double)to / pieces,
                                     &curve,
                                     &range,
                                     0,
                                     NULL,
                                     1e-12 };
        CHECK_OK(yk_choice_add(*rows, &w, &err), &err);
    }
    CHECK_OK(yk_choice_flush(*rows, &err), &err);
    yk_wave_free(wave);
}

static double largest_error(const paper *p, function f, double a, double b)
{
    double most = 0.0;

    for (int i = 0; i <= 2000; i++) {
        const double t = a + (b - a) * i / 2000.0;
        most = fmax(most, fabs(line_at(p, t) - f(t)));
    }
    return most;
}

static paper sheet;

static double peak(double t)
{
    return 579.0 * exp(-pow((t - 0.33333) / 1e-5, 2.0));
}

static void a_peak_between_two_rows_of_the_grid_is_shown(void **state)
{
    yk_choice *rows = NULL;
    double within = 0.0, since = 0.0;
    (void)state;

    record(&sheet, peak, 1000000, 20, 5000, 579.0, &rows);
    yk_choice_quality(rows, &within, &since);
    assert_true(isnan(since));
    CHECK_BETWEEN(sheet.count, 501 + 20, 501 + 100);
    CHECK_BETWEEN(largest_error(&sheet, peak, 0.3332, 0.3334), 0.0,
                  within * 579.0);
    yk_choice_free(rows);
}

static double smooth(double t)
{
    return exp(3.0 * t);
}

static void a_smooth_course_has_the_rows_of_the_grid(void **state)
{
    yk_choice *rows = NULL;
    (void)state;

    for (int windows = 1; windows <= 10000; windows *= 100) {
        record(&sheet, smooth, 10000, windows, 5000, 19.0, &rows);
        assert_int_equal(sheet.count, 501);
        CHECK_NEAR(sheet.row[250][0], 0.5, 1e-12);
        yk_choice_free(rows);
    }
}

static double swing(double t)
{
    return sin(2.0 * 3.14159265358979 * 60.0 * t);
}

/* However the run is cut into windows. */
static void windows_do_not_matter(void **state)
{
    yk_choice *rows = NULL;
    (void)state;

    for (int windows = 1; windows <= 12000; windows *= 110) {
        record(&sheet, swing, 12000, windows, 5000, 2.0, &rows);
        CHECK_BETWEEN(sheet.count, 2400, 4200);
        CHECK_BETWEEN(largest_error(&sheet, swing, 0.0, 1.0), 0.0,
                      2.0 * YK_RECORD_LINE);
        yk_choice_free(rows);
    }
}

static double fast(double t)
{
    return sin(2.0 * 3.14159265358979 * 5000.0 * t);
}

/* 5000 periods and 3000 rows: the limit holds, it is told, and the rows go from
 * the bottom to the top everywhere. */
static void at_the_limit_peaks_remain(void **state)
{
    yk_choice *rows = NULL;
    double within = 0.0, since = NAN;
    (void)state;

    for (int k = 0; k < 2; k++) {
        const int windows = k ? 50000 : 1;
        double low[10] = { 0.0 }, high[10] = { 0.0 };
        record(&sheet, fast, 50000, windows, 3000, 2.0, &rows);
        yk_choice_quality(rows, &within, &since);
        CHECK_BETWEEN(since, 0.0, 0.5);
        assert_true(within > 0.1);
        CHECK_BETWEEN(sheet.count, 2000, 3000);
        for (int i = 0; i < sheet.count; i++) {
            const int tenth = (int)fmin(10.0 * sheet.row[i][0], 9.0);
            low[tenth] = fmin(low[tenth], sheet.row[i][1]);
            high[tenth] = fmax(high[tenth], sheet.row[i][1]);
        }
        for (int i = 0; i < 10; i++) {
            CHECK_BETWEEN(high[i], 0.95, 1.01);
            CHECK_BETWEEN(low[i], -1.01, -0.95);
        }
        yk_choice_free(rows);
    }
}

static double stairs(double t)
{
    return floor(20.0 * t + 1e-9);
}

/* Steps that nobody announced: constants with a jump between them. */
static void both_sides_of_stairs_are_written(void **state)
{
    const yk_choice_options options = { 1, 5000, 0.0, 1.0, { write, &sheet } };
    const double first[2] = { 0.0, 0.0 }, range = 20.0;
    yk_choice *rows = NULL;
    yk_wave *wave = NULL;
    int pairs = 0;
    yoke_err err;
    (void)state;

    sheet.count = 0;
    CHECK_OK(yk_wave_create(&wave, 1, &err), &err);
    CHECK_OK(yk_choice_create(&rows, &options, &err), &err);
    CHECK_OK(yk_choice_first(rows, first, &err), &err);
    for (int k = 0; k < 4; k++) { /* four windows of five stairs */
        const yk_curve curve = { wave, 0 };
        const yk_choice_window w = { 0.25 * k, 0.25 * (k + 1), &curve, &range,
                                     0,        NULL,           1e-12 };
        yk_wave_clear(wave, 0.25 * k);
        for (int i = 5 * k; i < 5 * k + 5; i++) {
            const double value = stairs(i / 20.0);
            CHECK_OK(
                yk_wave_append_constant(wave, (i + 1) / 20.0, &value, &err),
                &err);
        }
        CHECK_OK(yk_choice_add(rows, &w, &err), &err);
    }
    for (int i = 1; i < sheet.count; i++)
        pairs += sheet.row[i][0] == sheet.row[i - 1][0];
    assert_int_equal(pairs, 19);
    assert_int_equal(sheet.count, 500 + 19);
    yk_choice_free(rows);
    yk_wave_free(wave);
}

/* ---- statistics ---------------------------------------------------------- */

static void extremes_lie_between_the_knots(void **state)
{
    /* 3 s^2 - 2 s^3 - s from 0 to 0: extremes at 1/2 -+ 1/sqrt(12) */
    static const double coef[] = { 0.0, -1.0, 3.0, -2.0 };
    yk_statistics s = { 0.0, 2.0, 0.0, 2.0, 0.0, 0.0 };
    yk_wave *wave = NULL;
    yoke_err err;
    (void)state;

    CHECK_OK(yk_wave_create(&wave, 1, &err), &err);
    yk_wave_clear(wave, 2.0);
    CHECK_OK(yk_wave_append(wave, 6.0, 3, coef, &err), &err);
    const yk_curve curve = { wave, 0 };
    yk_statistics_window(&s, &curve, 2.0, 4.0); /* cut in two */
    yk_statistics_window(&s, &curve, 4.0, 6.0);
    CHECK_NEAR(s.least, -0.0962250448649376, 1e-14);
    CHECK_NEAR(s.least_at, 4.0 - 4.0 / sqrt(12.0), 1e-7);
    CHECK_NEAR(s.most, 0.0962250448649376, 1e-14);
    CHECK_NEAR(s.most_at, 4.0 + 4.0 / sqrt(12.0), 1e-7);
    CHECK_NEAR(s.area, 0.0, 1e-14);
    CHECK_NEAR(
        s.square,
        4.0 * (1.0 / 3.0 - 6.0 / 4.0 + 13.0 / 5.0 - 12.0 / 6.0 + 4.0 / 7.0),
        1e-14);
    yk_wave_free(wave);
}

enum { NOISE = 300 };

/* One walk tells what every larger tolerance would keep. */
static void one_thinning_serves_all_tolerances(void **state)
{
    double row[NOISE][2], once[NOISE], again[NOISE];
    int stack[NOISE];
    const double scale = 1.0;
    const yk_polyline line = { NOISE, 1, row[0], &scale };
    unsigned long long seed = 7;
    (void)state;

    for (int i = 0; i < NOISE; i++) {
        row[i][0] = i;
        row[i][1] = sin(0.05 * i) + 0.3 * yk_random(&seed);
        once[i] = i % 100 == 0 || i + 1 == NOISE ? INFINITY : 0.0;
    }
    yk_thin(&line, 0.01, once, stack);
    for (double tol = 0.02; tol < 2.0; tol *= 1.4) {
        for (int i = 0; i < NOISE; i++)
            again[i] = once[i] == INFINITY ? INFINITY : 0.0;
        yk_thin(&line, tol, again, stack);
        for (int i = 0; i < NOISE; i++)
            assert_int_equal(once[i] > tol, again[i] > tol);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peak_between_two_rows_of_the_grid_is_shown),
        cmocka_unit_test(a_smooth_course_has_the_rows_of_the_grid),
        cmocka_unit_test(windows_do_not_matter),
        cmocka_unit_test(at_the_limit_peaks_remain),
        cmocka_unit_test(both_sides_of_stairs_are_written),
        cmocka_unit_test(one_thinning_serves_all_tolerances),
        cmocka_unit_test(extremes_lie_between_the_knots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
