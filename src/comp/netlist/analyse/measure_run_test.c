/* comp/netlist/analyse/measure_run_test.c -- .measure of runs: not dependent on
 * when results are printed, on the parts, or on what is recorded. */
#include "check.h"

#include "yoke/netlist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct context {
    yoke_file *file;
    yoke_run *run;
} context;

static bool take(void *self, double t, const yoke_iterate_result *r)
{
    const context *c = self;
    yoke_err err = { YOKE_OK, "" };
    (void)t, (void)r;

    CHECK_OK(yoke_file_measure_window(c->file, c->run, &err), &err);
    return false;
}

/* x = cos(10 t), y = -10 sin(10 t), of which few rows are written. */
static const char spring[] =
    "yoke: 1\n"
    "run: {stop: 2, every: 1}\n"
    "subsystems:\n"
    "  a: {linear: {A: [[0, 1], [-100, 0]], x: [x, y], x0: [1, 0]}}\n"
    "measure:\n"
    "  least: min(a.y)\n"
    "  where: min_at(a.y, to=300 ms)\n"
    "  product: pp(a.x*a.y)\n"
    "  mean: mean(a.x^2)\n"
    "  size: rms(a.x, to=pi/5 s)\n"
    "  area: integral(a.x, from=0, to=pi/20 s)\n"
    "  third: when(a.x = 0, cross=3)\n"
    "  delay: trig(a.x, val=0.5, fall=1) targ(a.x, val=-0.5, fall=1)\n"
    "  there: find(a.y) when(a.x = 0, fall=1)\n"
    "  at: find(a.x, at=1 s)\n"
    "  last: final(a.x)\n"
    "  slope: deriv(a.x, at=1 s)\n"
    "  both: least/10 + last\n"
    "  never: when(a.x = 2)\n"
    "  none: 1 + never\n";

/* Reads, runs to rtol and measures; the file is to be freed. */
static yoke_file *run_to(double rtol, const char *text, const char *record)
{
    context c = { NULL, NULL };
    const yoke_watcher watcher = { .window = take, .context = &c };
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_file_parse(&c.file, text == spring ? "test.yaml" : "test.cir",
                             text, strlen(text), NULL, &err),
             &err);
    yoke_run_options options = *yoke_file_run_options(c.file);
    options.iterate.rtol = rtol;
    options.iterate.atol = 1e-6;
    if (record) options.record = record;
    CHECK_OK(yoke_run_create(&c.run, yoke_file_model(c.file), &options,
                             &watcher, &err),
             &err);
    CHECK_OK(yoke_run_advance(c.run, options.stop, &err), &err);
    CHECK_OK(yoke_file_measure(c.file, &err), &err);
    CHECK_OK(yoke_run_close(c.run, &err), &err);
    return c.file;
}

static yoke_file *run_text(const char *text, const char *record)
{
    return run_to(1e-6, text, record);
}

static yoke_measured measured(const yoke_file *file, const char *name)
{
    yoke_measured m = { 0 };

    for (int i = 0; yoke_file_measured(file, i, &m); i++)
        if (strcmp(m.name, name) == 0) return m;
    fail_msg("no measure %s", name);
    return m;
}

#define CIRCUIT                                                                \
    "rc\nv1 in 0 sin(0 1 1k)\nr1 in out 1k\nc1 out 0 0.1u\n"                   \
    ".meas tran d1 trig v(in) val=0.5 rise=1 targ v(out) val=0.5 rise=1\n"     \
    ".meas tran w5 when v(out)=0.3 fall=last from=1m to=3m\n"                  \
    ".meas tran rm rms v(out) from=1m to=2m\n"                                 \
    ".meas tran mx max v(out) from=1.3m to=2m\n"                               \
    ".meas tran cu min i(v1)\n"                                                \
    ".meas tran s0 when v(in)=0 rise=1\n"                                      \
    ".meas tran no when v(out)=3\n"

/* Numbers that ngspice 39 prints with steps of 1 us. */
static void check_numbers(yoke_file *file)
{
    CHECK_NEAR(measured(file, "d1").value, 8.835526e-05, 1e-9);
    CHECK_NEAR(measured(file, "w5").value, 2.53164e-03, 1e-8);
    CHECK_NEAR(measured(file, "rm").value, 5.98730e-01, 5e-6);
    CHECK_NEAR(measured(file, "mx").value, 8.467321e-01, 5e-6);
    CHECK_NEAR(measured(file, "s0").value, 0.0, 1e-12);
    assert_true(measured(file, "cu").value < -4e-4);
    const yoke_measured no = measured(file, "no");
    assert_true(isnan(no.value));
    CHECK_CONTAINS(no.text, "test.cir:11: ");
    CHECK_CONTAINS(no.text, "0 crossings");
    yoke_file_free(file);
}

static void the_print_step_does_not_matter(void **state)
{
    (void)state;

    check_numbers(run_text(CIRCUIT ".tran 1u 5m\n.end\n", NULL));
    check_numbers(run_text(CIRCUIT ".tran 2m 5m\n.end\n", NULL));
}

/* .print of something else must not take the signals away. */
static void what_is_printed_does_not_matter(void **state)
{
    (void)state;

    check_numbers(run_text(CIRCUIT "r9 out x 1g\nr8 x 0 1g\n.tran 1u 5m\n"
                                   ".print tran v(x)\n.end\n",
                           NULL));
}

/* A wish that cannot be fulfilled is not left out in silence. */
static void wishes_are_recorded_or_named(void **state)
{
    yoke_file *file =
        run_text("t\nv1 a 0 1\nr1 a b 1\nc1 b 0 1n\n.tran 1u 10u\n"
                 ".print tran v(a) v(b) v(a,b) v(c) @r1[gm]\n.end\n",
                 NULL);
    (void)state;

    assert_string_equal(yoke_file_run_options(file)->record,
                        "v(a) v(b) v(a,b)");
    CHECK_CONTAINS(yoke_file_warning(file, 0), "test.cir:6: \"v(c)\"");
    CHECK_CONTAINS(yoke_file_warning(file, 1), "test.cir:6: \"@r1[gm]\"");
    assert_null(yoke_file_warning(file, 2));
    yoke_file_free(file);
}

/* As in ngspice, everything is: no number of nodes is too large. */
static void a_large_netlist_is_recorded_as_a_whole(void **state)
{
    static char text[60000];
    size_t used =
        (size_t)snprintf(text, sizeof text, "rc\nv1 n0 0 sin(0 1 1k)\n");
    (void)state;

    for (int k = 0; k < 1200; k++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "r%d n%d n%d 1\nc%d n%d 0 1p\n", k, k, k + 1,
                                 k, k + 1);
    snprintf(text + used, sizeof text - used, ".tran 10u 1m\n.end\n");
    yoke_file *file = run_text(text, NULL);
    assert_string_equal(yoke_file_run_options(file)->record, "*");
    yoke_file_free(file);
}

static void signals_that_are_not_recorded_are_named(void **state)
{
    yoke_file *file = run_text(CIRCUIT ".tran 1u 5m\n.end\n", "v(in)");
    const yoke_measured m = measured(file, "rm");
    (void)state;

    assert_true(isnan(m.value));
    CHECK_CONTAINS(m.text, "no column for \"v(out)\"");
    CHECK_NEAR(measured(file, "s0").value, 0.0, 1e-12);
    yoke_file_free(file);
}

/* Results begin at the start of .tran: crossings are counted from there. */
static void counting_begins_with_the_results(void **state)
{
    yoke_file *file = run_text("t\nv1 a 0 sin(0 1 1k)\nr1 a b 1\nc1 b 0 1n\n"
                               ".meas tran x when v(a)=0.5 rise=1\n"
                               ".tran 10u 4m 1.5m\n.end\n",
                               NULL);
    (void)state;

    CHECK_NEAR(measured(file, "x").value, 2e-3 + 1e-3 / 12.0, 1e-9);
    yoke_file_free(file);
}

static void bad_lines_are_refused_before_the_run(void **state)
{
    static const char *const bad[][2] = {
        { "tran x when v(nowhere)=1", "v(nowhere)" },
        { "tran x param='1+nowhere'", "nowhere" },
        { "tran x avg par('v(a)*') from=1u", "v(a)*" },
        { "ac x find vx(a) at=1", "vx(a)" },
        { "tran x avg v(a) rise=2", "avg" },
    };
    (void)state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[300];
        yoke_file *file = NULL;
        yoke_err err = { YOKE_OK, "" };
        snprintf(text, sizeof text,
                 "t\nv1 a 0 1\nr1 a b 1\nc1 b 0 1n\n.meas %s\n.tran 1u "
                 "1m\n.ac lin 2 1 2\n.end\n",
                 bad[k][0]);
        CHECK_STATUS(
            yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
            YOKE_E_ARG, &err);
        CHECK_CONTAINS(err.text, "test.cir:5:");
        CHECK_CONTAINS(err.text, bad[k][1]);
        assert_null(file);
    }
}

/* Those of .ac are there after the analysis. */
static void analyses_are_measured(void **state)
{
    static const char text[] =
        "ac\nv1 in 0 dc 1 ac 1\nr1 in out 1k\nc1 out 0 1u\n"
        ".ac dec 100 1 10k\n.meas ac m3 when vdb(out)=-3\n"
        ".meas dc m9 max v(out)\n.end\n";
    yoke_file *file = NULL;
    yoke_table *table = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    CHECK_OK(yoke_file_analyse(file, 0, &table, &err), &err);
    CHECK_NEAR(measured(file, "m3").value, 1.58777e+02, 1e-3);
    CHECK_CONTAINS(measured(file, "m9").text, "test.cir:7: ");
    CHECK_CONTAINS(measured(file, "m9").text, "there was no .dc");
    yoke_table_free(table);
    yoke_file_free(file);
}

static void a_system_file_is_measured_between_its_rows(void **state)
{
    static const double pi = 3.14159265358979323846;
    const struct {
        const char *name;
        double value;
    } want[] = { { "least", -10.0 },    { "where", pi / 20.0 },
                 { "product", 10.0 },   { "mean", 0.5 + sin(40.0) / 80.0 },
                 { "size", sqrt(0.5) }, { "area", 0.1 },
                 { "third", pi / 4.0 }, { "delay", pi / 30.0 },
                 { "there", -10.0 },    { "at", cos(10.0) },
                 { "last", cos(20.0) }, { "both", -1.0 + cos(20.0) } };
    yoke_file *file = run_text(spring, NULL);
    (void)state;

    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        CHECK_NEAR(measured(file, want[k].name).value, want[k].value, 2e-4);
    CHECK_NEAR(measured(file, "slope").value, -10.0 * sin(10.0), 0.05);
    assert_true(isnan(measured(file, "never").value));
    CHECK_CONTAINS(measured(file, "never").text,
                   "measure never failed: 0 crossings");
    assert_true(isnan(measured(file, "none").value));
    CHECK_CONTAINS(measured(file, "none").text, "not a finite number");
    yoke_file_free(file);
}

/* Diodes open inside of steps; the waveform there is what is measured. */
static void a_cascade_is_right_inside_of_its_steps(void **state)
{
    enum { TIMES = 300 };
    static char text[20000];
    size_t used = 0;
    (void)state;

    used += (size_t)snprintf(
        text, sizeof text,
        "villard\n.model d d is=1e-12 n=1.1 rs=1 cjo=2p\nv1 in 0 sin(0 100 "
        "1k)\n"
        "c1 in a1 1u\nc2 a1 a2 1u\nc3 a2 a3 1u\nd1 0 a1 d\nd2 a1 b1 d\n"
        "d3 b1 a2 d\nd4 a2 b2 d\nd5 b2 a3 d\nd6 a3 b3 d\ncb1 0 b1 1u\n"
        "cb2 b1 b2 1u\ncb3 b2 b3 1u\nrl b3 0 1meg\n.tran 10u 30m\n");
    for (int k = 0; k < TIMES; k++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ".meas tran a%d find v(b3) at=%gm\n", k,
                                 20.0 + 0.01 * k);
    yoke_file *rough = run_to(1e-4, text, NULL), *fine = run_text(text, NULL);
    for (int k = 0; k < TIMES; k++) {
        char name[20];
        snprintf(name, sizeof name, "a%d", k);
        CHECK_NEAR(measured(rough, name).value, measured(fine, name).value,
                   10e-4 * 526.0);
    }
    yoke_file_free(rough);
    yoke_file_free(fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_print_step_does_not_matter),
        cmocka_unit_test(what_is_printed_does_not_matter),
        cmocka_unit_test(wishes_are_recorded_or_named),
        cmocka_unit_test(a_large_netlist_is_recorded_as_a_whole),
        cmocka_unit_test(signals_that_are_not_recorded_are_named),
        cmocka_unit_test(counting_begins_with_the_results),
        cmocka_unit_test(bad_lines_are_refused_before_the_run),
        cmocka_unit_test(analyses_are_measured),
        cmocka_unit_test(a_system_file_is_measured_between_its_rows),
        cmocka_unit_test(a_cascade_is_right_inside_of_its_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
