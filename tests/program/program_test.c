/* tests/program/program_test.c -- programs of every character in workers.
 *
 * The program of the tests is its own worker: then it finds a socket where a
 * worker has it. */
#define _GNU_SOURCE
#include "check.h"
#include "comp/program/engine.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const yk_part_maker makers[] = { { "program", yk_program_make },
                                        { NULL, NULL } };

typedef struct bench {
    yk_propagator part;
    bool made;
    yk_wave *u, *y;
    yoke_err err;
} bench;

static const char *own_path(void)
{
    static char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    assert_true(length > 0);
    path[length] = '\0';
    return path;
}

static yoke_status open_program(bench *b, const char *name,
                                const char *character, const char *step,
                                double seconds)
{
    const char *key[] = { "word:",     "word:",    "folder",
                          "in:u",      "out:y",    "set:factor",
                          "tolerance", "absolute", "step" };
    const char *value[] = { name, character, PROGRAMS, "N", "",
                            "1",  "1e-6",    "1e-6",   step };
    yk_part_spec spec = { .name = "tank",
                          .kind = "program",
                          .settings = step ? 9 : 8,
                          .key = key,
                          .value = value,
                          .m = 1,
                          .p = 1,
                          .rtol = 1e-6,
                          .longest = 0.05,
                          .seconds = seconds,
                          .bytes = 1e9,
                          .replay = true,
                          .worker = own_path() };

    *b = (bench){ 0 };
    CHECK_OK(yk_wave_create(&b->u, 1, &b->err), &b->err);
    CHECK_OK(yk_wave_create(&b->y, 1, &b->err), &b->err);
    const yoke_status status = yk_part_create(&b->part, &spec, &b->err);
    b->made = status == YOKE_OK;
    return status;
}

static void close_program(bench *b)
{
    if (b->made) b->part.ops->free(b->part.self);
    yk_wave_free(b->u);
    yk_wave_free(b->y);
}

static yoke_status sweep(bench *b, double t0, double t1, double u0, double u1)
{
    yk_wave_clear(b->u, t0);
    CHECK_OK(yk_wave_append_linear(b->u, t1, &u0, &u1, &b->err), &b->err);
    return b->part.ops->sweep(b->part.self, t1, b->u, b->y, &b->err);
}

/* x' = s t - x, x(0) = 1. */
static double exact(double t, double s)
{
    return (1.0 + s) * exp(-t) + s * (t - 1.0);
}

static yoke_status run(bench *b, double tolerance)
{
    const int windows = 5;
    double u0 = 0.0, y0 = 0.0;

    YK_TRY(b->part.ops->start(b->part.self, 0.0, NULL, &u0, &y0, &b->err));
    CHECK_NEAR(y0, 1.0, 0.0);
    for (int i = 0; i < windows; i++) {
        const double t0 = 0.1 * i, t1 = 0.1 * (i + 1);

        YK_TRY(sweep(b, t0, t1, 100.0, -100.0)); /* leaves no trace */
        YK_TRY(sweep(b, t0, t1, 3.0 * t0, 3.0 * t1));
        for (int k = 0; k <= 10; k++) {
            const double t = t0 + (t1 - t0) * k / 10;
            double y = 0.0;

            yk_wave_eval(b->y, t, NULL, &y);
            CHECK_NEAR(y, exact(t, 3.0), tolerance);
        }
        YK_TRY(b->part.ops->accept(b->part.self, &b->err));
    }
    return YOKE_OK;
}

static void check_run(const char *name, const char *character, const char *step,
                      yk_part_way way, bool compared, double tolerance)
{
    bench b;
    yk_part_facts facts;

    CHECK_OK(open_program(&b, name, character, step, 60.0), &b.err);
    CHECK_OK(run(&b, tolerance), &b.err);
    yk_part_tell(&b.part, &facts);
    assert_int_equal(facts.way, way);
    assert_int_equal(facts.steps > 0, compared);
    close_program(&b);
}

static void programs_go_back_by_every_way(void **unused)
{
    (void)unused;
    check_run("./odd", "state", NULL, YK_PART_BY_STATE, true, 2e-6);
    check_run("./odd", "plain", NULL, YK_PART_BY_REPLAY, true, 2e-6);
    check_run("./odd", "slopes", NULL, YK_PART_BY_REPLAY, true, 2e-6);
    check_run("./linked", "save", NULL, YK_PART_BY_STATE, true, 2e-6);
    check_run("./linked", "copies", NULL, YK_PART_BY_STATE, true, 2e-6);
    check_run("./linked", "again", NULL, YK_PART_BY_REPLAY, true, 2e-6);
}

static void state_that_lies_is_found_out(void **unused)
{
    (void)unused;
    check_run("./odd", "lies", NULL, YK_PART_BY_REPLAY, true, 2e-6);
}

static void steps_may_be_given_or_its_own(void **unused)
{
    (void)unused;
    check_run("./odd", "state", "0.02", YK_PART_BY_STATE, false, 2e-2);
    check_run("./linked", "controls", NULL, YK_PART_BY_STATE, false, 1e-9);
}

static void noise_does_no_harm(void **unused)
{
    bench b;
    yk_part_facts facts;

    (void)unused;
    CHECK_OK(open_program(&b, "./odd", "noise", "0.1", 60.0), &b.err);
    CHECK_OK(run(&b, 0.5), &b.err);
    yk_part_tell(&b.part, &facts);
    CHECK_CONTAINS(facts.said, "line 19999");
    assert_true(facts.said_in_all > 100000);
    close_program(&b);
}

/* ---- what may go wrong ------------------------------------------------- */

static void check_trouble(const char *character, const char *how,
                          const char *also)
{
    bench b;
    double u0 = 0.0, y = 0.0;
    yoke_status status = open_program(
        &b, "./odd", character, "0.1",
        strcmp(character, "hang") && strcmp(character, "flood") ? 60.0 : 2.0);

    if (status == YOKE_OK)
        status = b.part.ops->start(b.part.self, 0.0, NULL, &u0, &y, &b.err);
    for (int i = 0; i < 10 && status == YOKE_OK; i++) {
        status = sweep(&b, 0.1 * i, 0.1 * (i + 1), 0.0, 0.0);
        if (status == YOKE_OK) status = b.part.ops->accept(b.part.self, &b.err);
    }
    assert_int_not_equal(status, YOKE_OK);
    CHECK_CONTAINS(b.err.text, "part \"tank\"");
    CHECK_CONTAINS(b.err.text, how);
    CHECK_CONTAINS(b.err.text, also);
    close_program(&b);
}

static void broken_programs_are_told_of(void **unused)
{
    (void)unused;
    check_trouble("crash", "the program died (signal 11", "about to divide");
    check_trouble("crash", "at t = 0.5, asked to \"advance\"", "last answer");
    check_trouble("exit", "ended by itself (exit status 0)", "at t = 0.5");
    check_trouble("hang", "did not answer within 2 s", "at t = 0.5");
    check_trouble("garbage", "\"Iteration 17, residual 1e-3\"",
                  "messages go to the standard error");
    check_trouble("zero", "zero byte", "at t = 0.5");
    check_trouble("nan", "a number is not finite", "at t = 0.5");
    check_trouble("few", "fewer than 1 numbers", "line 1 of its answer");
    check_trouble("many", "more than 1 numbers", "at t = 0.5");
    check_trouble("late", "outside of the window", "at t = 0.5");
    check_trouble("says", "it says: the tank has no bottom", "at t = 0.5");
    check_trouble("short", "last point is at t = 0.4", "at t = 0.5");
    check_trouble("close", "closed its standard output", "at t = 0.5");
    check_trouble("huge", "a line of more than", "at t = 0.5");
    check_trouble("flood", "a third point at the same time", "at t = 0.5");
    check_trouble("behind", "behind the end of its answer", "at t = 0.1");
    check_trouble("old", "version 7 of the protocol", "asked to \"hello\"");
    check_trouble("unit", "the unit kN in the program and N in the system file",
                  "\"u\"");
}

static void program_that_is_not_there(void **unused)
{
    bench b;

    (void)unused;
    assert_int_not_equal(open_program(&b, "./nothing", "", NULL, 60.0),
                         YOKE_OK);
    CHECK_CONTAINS(b.err.text, "cannot run \"./nothing\" in " PROGRAMS);
    CHECK_CONTAINS(b.err.text, "No such file");
    close_program(&b);
}

/* ---- through system files ---------------------------------------------- */

static const char pair[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  a: {program: [./linked, %s], inputs: {u: N}, outputs: {y: m}}\n"
    "  b: {program: [./odd, %s], inputs: [u], outputs: [y], direct: false,"
    " parameters: {factor: 2}}\n"
    "couplings:\n"
    "  - signal: a.u = b.y\n"
    "  - signal: b.u = -1*a.y\n"
    "run: {stop: %g, window: %g, rtol: 1e-5, atol: 1e-7}\n";

/* a' = b - a, b' = -a - b, from (1, 2): exp(-t) times a rotation. */
static void check_pair(const char *a, const char *b, double t, double window)
{
    char text[1000];
    yoke_file *file = NULL;
    yoke_run *open = NULL;
    yoke_err err = { YOKE_OK, "" };
    double left, right;

    snprintf(text, sizeof text, pair, a, b, t, window);
    CHECK_OK(yoke_file_parse(&file, PROGRAMS "/pair.yaml", text, strlen(text),
                             NULL, &err),
             &err);
    CHECK_OK(yoke_run_create(&open, yoke_file_model(file),
                             yoke_file_run_options(file), NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(open, t, &err), &err);
    CHECK_OK(yoke_run_value(open, "a.y", &left, &err), &err);
    CHECK_OK(yoke_run_value(open, "b.y", &right, &err), &err);
    CHECK_NEAR(left, exp(-t) * (cos(t) + 2.0 * sin(t)), 2e-5);
    CHECK_NEAR(right, exp(-t) * (2.0 * cos(t) - sin(t)), 2e-5);
    CHECK_OK(yoke_run_close(open, &err), &err);
    yoke_file_free(file);
}

static void pairs_of_programs_are_iterated(void **unused)
{
    (void)unused;
    check_pair("copies", "state", 1.0, 0.1);
    check_pair("save", "plain", 0.3, 0.1);
}

static void check_refused(const char *line, const char *why)
{
    char text[1000];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {%s}\nrun: {stop: 1}\n", line);
    assert_int_not_equal(yoke_file_parse(&file, PROGRAMS "/bad.yaml", text,
                                         strlen(text), NULL, &err),
                         YOKE_OK);
    CHECK_CONTAINS(err.text, why);
    CHECK_CONTAINS(err.text, "bad.yaml:3:");
    yoke_file_free(file);
}

static void system_files_are_checked(void **unused)
{
    (void)unused;
    check_refused("program: [], outputs: [y]", "no program is named");
    check_refused("program: ./odd", "has no outputs");
    check_refused("program: ./odd, outputs: [y, y]", "\"y\" is there twice");
    check_refused("program: ./odd, outputs: [\"y z\"]", "is not a name");
    check_refused("program: ./odd, outputs: [y], direct: perhaps",
                  "true or false");
    check_refused("program: ./odd, outputs: [y], step_size: 1", "step");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_go_back_by_every_way),
        cmocka_unit_test(state_that_lies_is_found_out),
        cmocka_unit_test(steps_may_be_given_or_its_own),
        cmocka_unit_test(noise_does_no_harm),
        cmocka_unit_test(broken_programs_are_told_of),
        cmocka_unit_test(program_that_is_not_there),
        cmocka_unit_test(pairs_of_programs_are_iterated),
        cmocka_unit_test(system_files_are_checked),
    };

    if (yk_part_is_worker())
        return yk_part_serve(YK_PART_SOCKET, YK_PART_MEMORY, makers);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
