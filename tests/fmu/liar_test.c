/* tests/fmu/liar_test.c -- FMUs that are not what they say: the result is right,
 * or there is none, and nothing is left behind.
 */
#define _GNU_SOURCE
#include "check.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ran {
    yoke_status status;
    yoke_err err;
    double value[3];
} ran;

/* The values of `name` at so many times, at most three, inside the run. */
static ran run_times(const char *text, const char *name, int times)
{
    ran r = { .status = YOKE_OK };
    yoke_file *file = NULL;
    yoke_run *run = NULL;

    r.status = yoke_file_parse(&file, FMUS "/liar.yaml", text, strlen(text),
                               NULL, &r.err);
    if (r.status != YOKE_OK) return r;
    const yoke_run_options *o = yoke_file_run_options(file);
    r.status = yoke_run_create(&run, yoke_file_model(file), o, NULL, &r.err);
    for (int k = 0; k < times && r.status == YOKE_OK; k++) {
        r.status = yoke_run_advance(run, o->stop * (k + 1) / times, &r.err);
        if (r.status == YOKE_OK)
            r.status = yoke_run_value(run, name, &r.value[k], &r.err);
    }
    if (run) yoke_run_close(run, NULL);
    yoke_file_free(file);
    return r;
}

static ran run_text(const char *text, const char *name)
{
    return run_times(text, name, 3);
}

static ran run_pair_times(const char *fmu, const char *more, int times)
{
    char text[1000];

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n"
             "  a: {fmu: %s.fmu, parameters: {k: 39.5, c: 40, x: 1}%s}\n"
             "  b: {linear: {x: [x, v], A: [[0, 1], [-80, 0]], B: [[0], [40]], "
             "u: [f], x0: [0, 0]}}\n"
             "couplings:\n  - signal: a.u = b.x\n  - signal: b.f = a.y\n"
             "run: {stop: 1.2, rtol: 1e-5%s}\n",
             fmu, more, strstr(more, "step:") ? ", window: 0.04" : "");
    return run_times(text, "b.x", times);
}

static ran run_pair(const char *fmu, const char *more)
{
    return run_pair_times(fmu, more, 3);
}

static void expect(const ran *r, yoke_status status, const char *word)
{
    if (r->status != status || !strstr(r->err.text, word))
        print_error("%d: %s\n", (int)r->status, r->err.text);
    assert_int_equal(r->status, status);
    assert_non_null(strstr(r->err.text, word));
}

/* It saves all of its state for the first 40 steps, and then less. */
static void state_that_is_not_all_of_it(void **unused)
{
    const ran honest = run_pair("plain2", ""), late = run_pair("late", "");

    (void)unused;
    CHECK_OK(honest.status, &honest.err);
    expect(&late, YOKE_E_CALLBACK, "replay: true");
    const ran again = run_pair("late", ", replay: true");
    CHECK_OK(again.status, &again.err);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(again.value[k], honest.value[k], 1e-4);
}

/* What is outside of the instance belongs to no state of it.  After few windows,
 * when the first solution is tested, it is not seen. */
static void state_that_does_not_hold_statics(void **unused)
{
    const ran r = run_pair_times("outside", "", 1);
    const ran again = run_pair_times("outside", ", replay: true", 1);

    (void)unused;
    CHECK_OK(again.status, &again.err);
    expect(&r, YOKE_E_CALLBACK, "gives other answers");
}

/* Outputs that are said to depend on no state are no constants. */
static void dependencies_that_are_left_out(void **unused)
{
    static const char text[] =
        "yoke: 1\nsubsystems:\n"
        "  a: {fmu: %s.fmu, kind: me, parameters: {k: 4, F: 1, w: 3, x: 0.5}}\n"
        "  b: {linear: {x: [x], A: [[-1]], B: [[1]], u: [f], x0: [1]}}\n"
        "couplings:\n  - signal: a.p.f = b.x\n  - signal: b.f = a.p.v\n"
        "run: {stop: 3, rtol: 1e-5}\n";
    char one[1000], two[1000];

    (void)unused;
    snprintf(one, sizeof one, text, "port");
    snprintf(two, sizeof two, text, "port_lies");
    const ran honest = run_text(one, "b.x"), lies = run_text(two, "b.x");
    CHECK_OK(honest.status, &honest.err);
    CHECK_OK(lies.status, &lies.err);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(lies.value[k], honest.value[k], 1e-4);
}

/* f x depends on f, which x = 0 at the start does not show; x = t. */
static void dependencies_that_show_later(void **unused)
{
    static const char text[] =
        "yoke: 1\nsubsystems:\n"
        "  a: {fmu: port_power.fmu, kind: me, outputs: [power], parameters: "
        "{m: "
        "1e9, v: 1}}\n"
        "  f: {linear: {x: [x, z], A: [[0, 1], [-49, 0]], x0: [0, 7]}}\n"
        "  b: {linear: {x: x, A: [[0]], B: [[1]], u: f, x0: [0]}}\n"
        "couplings:\n  - signal: a.p.f = f.x\n  - signal: b.f = a.power\n"
        "run: {stop: 1, rtol: 1e-5}\n";
    const ran r = run_text(text, "b.x");

    (void)unused;
    CHECK_OK(r.status, &r.err);
    for (int k = 0; k < 3; k++) {
        const double t = (k + 1) / 3.0;
        CHECK_NEAR(r.value[k], sin(7.0 * t) / 49.0 - t * cos(7.0 * t) / 7.0,
                   1e-5);
    }
}

static void events_that_are_over(void **unused)
{
    const ran r = run_pair("past", ", kind: me");

    (void)unused;
    expect(&r, YOKE_E_NUMERIC, "wants the next one at -1");
}

/* It does nothing in steps that are shorter than its own, and tells no states. */
static void steps_that_are_passed_over(void **unused)
{
    const ran r = run_pair("silent", "");

    (void)unused;
    expect(&r, YOKE_E_MODEL, "did nothing");
    const ran given = run_pair("silent", ", step: 0.02");
    CHECK_OK(given.status, &given.err);
}

/* With a step that is given windows are multiples of it. */
static void steps_of_its_own_and_windows(void **unused)
{
    static const char text[] =
        "yoke: 1\nsubsystems:\n"
        "  a: {fmu: euler.fmu, step: 0.01, parameters: {k: 39.5, c: 40, x: "
        "1}}\n"
        "  b: {linear: {x: [x, v], A: [[0, 1], [-80, 0]], B: [[0], [40]], "
        "u: [f], x0: [0, 0]}}\n"
        "couplings:\n  - signal: a.u = b.x\n  - signal: b.f = a.y\n"
        "run: {stop: 0.6, rtol: 1e-4%s}\n";
    char one[1000], two[1000];

    (void)unused;
    snprintf(one, sizeof one, text, "");
    snprintf(two, sizeof two, text, ", window: 0.01");
    const ran chosen = run_text(one, "b.x"), given = run_text(two, "b.x");
    CHECK_OK(chosen.status, &chosen.err);
    CHECK_OK(given.status, &given.err);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(chosen.value[k], given.value[k], 1e-3);
}

/* What is behind a step nobody knows. */
static void inputs_of_another_time(void **unused)
{
    const ran r = run_text(
        "yoke: 1\nsubsystems:\n"
        "  a: {fmu: astray.fmu, inputs: [u], outputs: [y], parameters: {a: -1, "
        "b: 1}}\n"
        "  b: {linear: {x: [x], A: [[-1]], B: [[1]], u: [f], x0: [1]}}\n"
        "couplings:\n  - signal: a.u = b.x\n  - signal: b.f = a.y\n"
        "run: {stop: 1, rtol: 1e-5}\n",
        "b.x");

    (void)unused;
    expect(&r, YOKE_E_CALLBACK,
           "asks for inputs at a time outside of its step");
}

/* An included system is one system of equations, which an FMU does not give: its
 * outputs would stay what they are at the start. */
static void closed_parts_in_included_systems(void **unused)
{
    FILE *inner = fopen(FMUS "/inner.yaml", "w");

    (void)unused;
    assert_non_null(inner);
    fprintf(inner,
            "yoke: 1\nsubsystems:\n  a: {fmu: plain2.fmu, outputs: [y]}\n");
    fclose(inner);
    const ran r = run_text(
        "yoke: 1\nsubsystems:\n  s: {system: inner.yaml}\n"
        "  b: {linear: {x: [x], A: [[-1]], B: [[1]], u: [f], x0: [1]}}\n"
        "couplings:\n  - signal: s.a.u = b.x\n  - signal: b.f = s.a.y\n"
        "run: {stop: 1, rtol: 1e-5}\n",
        "b.x");
    expect(&r, YOKE_E_FILE, "\"a\" (FMU) is closed");
}

/* In this process: how it rounds is its own affair. */
static void arithmetic_that_is_left_changed(void **unused)
{
    const ran r = run_pair("rounds", ", isolate: none");

    (void)unused;
    CHECK_OK(r.status, &r.err);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

/* ---- processes ----------------------------------------------------------- */

/* Waits until the process has ended; a minute is for machines that are slow. */
static bool ends(long pid)
{
    for (int i = 0; i < 6000; i++) {
        if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) return true;
        poll(NULL, 0, 10);
    }
    return false;
}

/* It begins processes that leave its group: they end with it. */
static void processes_that_leave(void **unused)
{
    char path[] = "/tmp/yoke_pids_XXXXXX";
    const int made = mkstemp(path);
    long pid;
    int count = 0;

    (void)unused;
    assert_true(made >= 0);
    close(made);
    setenv("YOKE_TEST_PIDS", path, 1);
    const ran r = run_pair("daemon", "");
    unsetenv("YOKE_TEST_PIDS");
    CHECK_OK(r.status, &r.err);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fscanf(file, "%ld", &pid) == 1) {
        count++;
        assert_true(ends(pid));
    }
    fclose(file);
    unlink(path);
    assert_true(count > 0);
}

/* ---- size ---------------------------------------------------------------- */

enum { MANY = 6000 };

/* So many outputs that their names do not fit into the memory that is shared at
 * first. */
static void write_description(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file,
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"port\" "
            "guid=\"{yoke-port}\"><ModelExchange modelIdentifier=\"port\" "
            "completedIntegratorStepNotNeeded=\"true\"/><CoSimulation "
            "modelIdentifier=\"port\" canHandleVariableCommunicationStepSize="
            "\"true\"/><ModelVariables><ScalarVariable name=\"x\" "
            "valueReference=\"1\" causality=\"local\" initial=\"exact\"><Real "
            "start=\"1\"/></ScalarVariable>");
    for (int i = 0; i < MANY; i++)
        fprintf(file,
                "<ScalarVariable name=\"part.of.many.outputs[%d]\" "
                "valueReference=\"%d\" causality=\"output\"><Real/>"
                "</ScalarVariable>",
                i, i % 2 ? 1 : 2);
    fprintf(file, "</ModelVariables><ModelStructure><Outputs>");
    for (int i = 0; i < MANY; i++)
        fprintf(file, "<Unknown index=\"%d\"/>", i + 2);
    fprintf(file, "</Outputs></ModelStructure></fmiModelDescription>");
    fclose(file);
}

static void many_outputs(void **unused)
{
    char folder[] = "/tmp/yoke_many_XXXXXX", path[200], command[500];

    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    write_description(path);
    snprintf(command, sizeof command,
             "mkdir -p %s/binaries/linux64 && cp '%s/fmu_port.so' "
             "%s/binaries/linux64/port.so",
             folder, FMUS, folder);
    assert_int_equal(system(command), 0);
    snprintf(
        command, sizeof command,
        "yoke: 1\nsubsystems:\n  a: {fmu: %s, kind: cs, parameters: {x: 1}}\n"
        "run: {stop: 0.3, rtol: 1e-3, record: 'a.part.of.many.outputs[1]'}\n",
        folder);
    const ran r = run_text(command, "a.part.of.many.outputs[1]");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    CHECK_OK(r.status, &r.err);
    CHECK_NEAR(r.value[2], 1.0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_that_is_not_all_of_it),
        cmocka_unit_test(state_that_does_not_hold_statics),
        cmocka_unit_test(dependencies_that_are_left_out),
        cmocka_unit_test(dependencies_that_show_later),
        cmocka_unit_test(events_that_are_over),
        cmocka_unit_test(steps_that_are_passed_over),
        cmocka_unit_test(steps_of_its_own_and_windows),
        cmocka_unit_test(inputs_of_another_time),
        cmocka_unit_test(closed_parts_in_included_systems),
        cmocka_unit_test(arithmetic_that_is_left_changed),
        cmocka_unit_test(processes_that_leave),
        cmocka_unit_test(many_outputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
