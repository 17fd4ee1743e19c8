/* tests/fmu/engine_test.c -- FMUs in workers against exact solutions.
 *
 * The program is its own worker: then it finds a socket where a worker has it.
 */
#define _GNU_SOURCE
#include "check.h"
#include "comp/fmu/archive.h"
#include "comp/fmu/engine.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const yk_part_maker makers[] = { { "fmu", yk_fmu_make },
                                        { NULL, NULL } };

typedef struct bench {
    char *folder;
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

static yoke_status open_with(bench *b, const char *name, const char *use,
                             const char *x, const char *step, double seconds)
{
    char file[4096];
    const char *key[] = { "folder",      "use",         "start:c",
                          "start:floor", "start:x",     "in:u",
                          "out:y",       "out:bounces", "step" };
    const char *value[] = { NULL, use, "2.5", "-0.5", x, "", "", "", step };
    yk_part_spec spec = { .name = "mass",
                          .kind = "fmu",
                          .settings = step ? 9 : 8,
                          .key = key,
                          .value = value,
                          .m = 1,
                          .p = 2,
                          .rtol = 1e-6,
                          .seconds = seconds,
                          .bytes = 1e9,
                          .worker = own_path() };

    *b = (bench){ 0 };
    snprintf(file, sizeof file, "%s/%s.fmu", FMUS, name);
    CHECK_OK(yk_wave_create(&b->u, 1, &b->err), &b->err);
    CHECK_OK(yk_wave_create(&b->y, 2, &b->err), &b->err);
    CHECK_OK(yk_archive_unpack(&b->folder, file, &b->err), &b->err);
    value[0] = b->folder;
    const yoke_status status = yk_part_create(&b->part, &spec, &b->err);
    b->made = status == YOKE_OK;
    return status;
}

static yoke_status open_fmu(bench *b, const char *name, const char *use,
                            const char *step, double seconds)
{
    return open_with(b, name, use, "1", step, seconds);
}

/* Begins at x instead of 1. */
static yoke_status open_fmu_at(bench *b, const char *name, const char *x)
{
    return open_with(b, name, "cs", x, NULL, 60.0);
}

static void close_fmu(bench *b)
{
    if (b->made) b->part.ops->free(b->part.self);
    yk_archive_remove(b->folder);
    yk_wave_free(b->u);
    yk_wave_free(b->y);
}

static yoke_status sweep(bench *b, double t0, double t1, double u0, double u1)
{
    yk_wave_clear(b->u, t0);
    CHECK_OK(yk_wave_append_linear(b->u, t1, &u0, &u1, &b->err), &b->err);
    return b->part.ops->sweep(b->part.self, t1, b->u, b->y, &b->err);
}

/* x'' = -w2 x + c u with u = s t, x(0) = 1, x'(0) = 0, w2 = 39.5 + 2.5:
 * x = A cos + B sin + c s t / w2. */
static double exact(double t, double s)
{
    const double w2 = 42.0, w = sqrt(w2), p = 2.5 * s / w2;

    return cos(w * t) - p / w * sin(w * t) + p * t;
}

/* Until the mass is at the floor, x = -0.5, nothing is an event. */
static const double end = 0.3;

static yoke_status run(bench *b, double tolerance)
{
    const int windows = 6;
    double u0 = 0.0, y0[2];

    YK_TRY(b->part.ops->start(b->part.self, 0.0, NULL, &u0, y0, &b->err));
    CHECK_NEAR(y0[0], 1.0, 0.0);
    for (int i = 0; i < windows; i++) {
        const double t0 = end * i / windows, t1 = end * (i + 1) / windows;
        double y[2];

        YK_TRY(sweep(b, t0, t1, 100.0, -100.0)); /* leaves no trace */
        YK_TRY(sweep(b, t0, t1, 30.0 * t0, 30.0 * t1));
        for (int k = 0; k <= 10; k++) {
            const double t = t0 + (t1 - t0) * k / 10;

            yk_wave_eval(b->y, t, NULL, y);
            CHECK_NEAR(y[0], exact(t, 30.0), tolerance);
        }
        YK_TRY(b->part.ops->accept(b->part.self, &b->err));
    }
    return YOKE_OK;
}

static void check_run(const char *name, const char *use, const char *step,
                      yk_part_way way, double tolerance)
{
    bench b;
    yk_part_facts facts;

    CHECK_OK(open_fmu(&b, name, use, step, 60.0), &b.err);
    CHECK_OK(run(&b, tolerance), &b.err);
    yk_part_tell(&b.part, &facts);
    assert_int_equal(facts.way, way);
    close_fmu(&b);
}

static void simulation_without_state_goes_back_by_fork(void **unused)
{
    (void)unused;
    check_run("plain2", "cs", NULL, YK_PART_BY_FORK, 5e-6);
    check_run("plain3", "cs", NULL, YK_PART_BY_FORK, 5e-6);
}

static void state_is_used_where_it_is_true(void **unused)
{
    (void)unused;
    check_run("state2", "cs", NULL, YK_PART_BY_STATE, 5e-6);
    check_run("state3", "cs", NULL, YK_PART_BY_STATE, 5e-6);
}

static void state_that_lies_is_found_out(void **unused)
{
    (void)unused;
    check_run("lies2", "cs", NULL, YK_PART_BY_FORK, 5e-6);
    check_run("lies3", "cs", NULL, YK_PART_BY_FORK, 5e-6);
}

static void threads_are_replayed(void **unused)
{
    (void)unused;
    check_run("threads", "cs", NULL, YK_PART_BY_REPLAY, 5e-6);
}

static void given_step_is_taken(void **unused)
{
    (void)unused;
    check_run("plain2", "cs", "0.01", YK_PART_BY_FORK, 2e-3);
}

/* Nothing moves in the first sweep, so any number of steps is enough; in the
 * second the input rises.  x = p (t - sin(w t) / w), p = c s / w^2. */
static void repeated_sweeps_are_tested(void **unused)
{
    bench b;
    const double w = sqrt(42.0), p = 2.5 * 30.0 / 42.0, t = 0.3;
    double u0 = 0.0, y[2];

    (void)unused;
    CHECK_OK(open_fmu_at(&b, "plain2", "0"), &b.err);
    CHECK_OK(b.part.ops->start(b.part.self, 0.0, NULL, &u0, y, &b.err), &b.err);
    CHECK_OK(sweep(&b, 0.0, t, 0.0, 0.0), &b.err);
    CHECK_OK(sweep(&b, 0.0, t, 0.0, 30.0 * t), &b.err);
    for (int k = 0; k <= 30; k++) {
        const double at = t * k / 30;

        yk_wave_eval(b.y, at, NULL, y);
        CHECK_NEAR(y[0], p * (at - sin(w * at) / w), 2e-6);
    }
    close_fmu(&b);
}

static void sources_are_compiled(void **unused)
{
    (void)unused;
    check_run("source", "cs", NULL, YK_PART_BY_FORK, 5e-6);
}

static void exchange_is_solved_by_our_steppers(void **unused)
{
    (void)unused;
    check_run("plain2", "me", NULL, YK_PART_BY_FORK, 5e-5);
    check_run("plain3", "me", NULL, YK_PART_BY_FORK, 5e-5);
}

/* x = cos(w t) falls to -0.5 at w t = 2 pi / 3 and bounces: the motion goes
 * backwards in time from there. */
static void exchange_handles_events(void **unused)
{
    bench b;
    const double w = sqrt(42.0), hit = 2.0 * acos(-1.0) / 3.0 / w;
    double u0 = 0.0, y[2];

    (void)unused;
    CHECK_OK(open_fmu(&b, "plain2", "me", NULL, 60.0), &b.err);
    CHECK_OK(b.part.ops->start(b.part.self, 0.0, NULL, &u0, y, &b.err), &b.err);
    for (int i = 0; i < 10; i++) {
        CHECK_OK(sweep(&b, 0.05 * i, 0.05 * (i + 1), 0.0, 0.0), &b.err);
        CHECK_OK(b.part.ops->accept(b.part.self, &b.err), &b.err);
    }
    yk_wave_eval(b.y, 0.5, NULL, y);
    CHECK_NEAR(y[0], cos(w * (2.0 * hit - 0.5)), 1e-4);
    CHECK_NEAR(y[1], 1.0, 0.0);
    close_fmu(&b);
}

static void check_trouble_with(const char *name, const char *use,
                               const char *step, const char *how)
{
    bench b;
    double u0 = 0.0, y[2];
    yoke_status status;

    CHECK_OK(open_fmu(&b, name, use, step, strcmp(name, "hang") ? 60.0 : 1.0),
             &b.err);
    status = b.part.ops->start(b.part.self, 0.0, NULL, &u0, y, &b.err);
    for (int i = 0; i < 10 && status == YOKE_OK; i++) {
        status = sweep(&b, 0.1 * i, 0.1 * (i + 1), 0.0, 0.0);
        if (status == YOKE_OK) status = b.part.ops->accept(b.part.self, &b.err);
    }
    assert_int_not_equal(status, YOKE_OK);
    CHECK_CONTAINS(b.err.text, how);
    CHECK_CONTAINS(b.err.text, "part \"mass\"");
    close_fmu(&b);
}

static void check_trouble(const char *name, const char *use, const char *how)
{
    check_trouble_with(name, use, "0.1", how);
}

static void broken_parts_are_told_of(void **unused)
{
    (void)unused;
    check_trouble("crash", "cs", "died (signal 11");
    check_trouble("crash", "me", "died (signal 11");
    check_trouble("exit", "cs", "ended by itself (exit status 3)");
    check_trouble("hang", "cs", "did not answer within 1 s");
    check_trouble("discard", "cs", "answered \"discard\"");
    check_trouble_with("euler", "cs", "0.001", "the FMU did nothing");
#if !defined(__SANITIZE_ADDRESS__)
    check_trouble("eat", "cs", "died (signal 6");
#endif
}

/* ---- through system files ---------------------------------------------- */

static const char two_masses[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  left: {fmu: %s.fmu, kind: %s, parameters: {k: 39.478417604357434, c: "
    "157.91367041742973, x: 1}}\n"
    "  right: {fmu: %s.fmu, kind: %s, parameters: {k: 39.478417604357434, c: "
    "157.91367041742973, x: 0}}\n"
    "couplings:\n"
    "  - signal: left.u = right.y\n"
    "  - signal: right.u = left.y\n"
    "run: {stop: 0.4, rtol: 1e-6}\n";

/* x = (cos 2 pi t +- cos 6 pi t) / 2. */
static void check_pair(const char *a, const char *b, const char *kind)
{
    const double pi = acos(-1.0), t = 0.4;
    char text[1000];
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    double left, right;

    snprintf(text, sizeof text, two_masses, a, kind, b, kind);
    CHECK_OK(yoke_file_parse(&file, FMUS "/pair.yaml", text, strlen(text), NULL,
                             &err),
             &err);
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, t, &err), &err);
    CHECK_OK(yoke_run_value(run, "left.y", &left, &err), &err);
    CHECK_OK(yoke_run_value(run, "right.y", &right, &err), &err);
    CHECK_NEAR(left, (cos(2 * pi * t) + cos(6 * pi * t)) / 2, 5e-6);
    CHECK_NEAR(right, (cos(2 * pi * t) - cos(6 * pi * t)) / 2, 5e-6);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

static void pairs_of_fmus_are_iterated(void **unused)
{
    (void)unused;
    check_pair("plain2", "plain2", "cs");
    check_pair("state3", "lies2", "cs");
    check_pair("plain2", "plain3", "me");
}

/* ---- values of variables ------------------------------------------------ */

/* Line 3 of the description is `variable`. */
static yoke_status describe(yk_fmu_description **d, int version,
                            const char *identifier, const char *variable,
                            yoke_err *err)
{
    char text[1500];

    snprintf(text, sizeof text,
             "<fmiModelDescription fmiVersion=\"%d.0\" modelName=\"m\" "
             "guid=\"t\" instantiationToken=\"t\"><CoSimulation "
             "modelIdentifier=\"%s\"/>\n<TypeDefinitions><SimpleType "
             "name=\"E\"><Enumeration><Item name=\"a\" value=\"1\"/><Item "
             "name=\"b\" value=\"4\"/></Enumeration></SimpleType>"
             "</TypeDefinitions><ModelVariables>\n%s</ModelVariables>"
             "<ModelStructure/></fmiModelDescription>",
             version, identifier, variable);
    return yk_fmu_describe(d, "model", text, strlen(text), err);
}

static void values_of_variables_are_of_their_type(void **unused)
{
    static const struct {
        int version;
        const char *variable, *why; /* NULL: it is one */
    } list[] = {
        { 2, "<Real start=\"abc\"/>", "start=\"abc\" of \"v\" is not a n" },
        { 2, "<Real start=\"1,5\"/>", "is not a number" },
        { 2, "<Real start=\"1e999\"/>", "is not a number" },
        { 2, "<Real start=\"0x10\"/>", "is not a number" },
        { 2, "<Real start=\"\"/>", "is not a number" },
        { 2, "<Real start=\"1 2\"/>", "is not a number" },
        { 2, "<Real nominal=\"big\"/>", "nominal=\"big\"" },
        { 2, "<Real min=\"1.0.0\"/>", "min=\"1.0.0\"" },
        { 2, "<Real max=\"-\"/>", "max=\"-\"" },
        { 2, "<Real start=\" -1e-400 \" min=\"-INF\" max=\"INF\"/>", NULL },
        { 2, "<Integer start=\"1.5\"/>", "is not a whole number from -2147" },
        { 2, "<Integer start=\"2147483648\"/>", "to 2147483647" },
        { 2, "<Integer start=\"-2147483648\" max=\" 7 \"/>", NULL },
        { 2, "<Boolean start=\"yes\"/>", "is not true or false" },
        { 2, "<Boolean start=\"1\"/>", NULL },
        { 2, "<Enumeration declaredType=\"E\" start=\"2\"/>", "is none of" },
        { 2, "<Enumeration declaredType=\"E\" start=\"4\"/>", NULL },
        { 2, "<Enumeration declaredType=\"E\" start=\"b\"/>", "whole number" },
        { 2, "<String start=\"abc\"/>", NULL },
        { 3, "<UInt8 start=\"256\"", "from 0 to 255" },
        { 3, "<UInt64 start=\"-1\"", "from 0 to 18446744073709551615" },
        { 3, "<UInt64 start=\"18446744073709551615\"", NULL },
        { 3, "<Int64 start=\"9223372036854775808\"", "whole number" },
        { 3, "<Float32 start=\"1e39\"", "is not a number" },
        { 3, "<Float64 array=\"3\" start=\"1 2\"",
          "has 2 values, the array 3" },
        { 3, "<Float64 array=\"3\" start=\"1 2 x\"", "start=\"x\"" },
        { 3, "<Float64 array=\"3\" start=\" 1  2 3\"", NULL },
        { 3, "<Float64 array=\"3\" start=\"1\"", NULL },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const bool three = list[i].version == 3;
        const bool array = strstr(list[i].variable, "array=");
        yk_fmu_description *d = NULL;
        yoke_err err = { YOKE_OK, "" };
        char text[300];

        snprintf(text, sizeof text,
                 three ? "%s name=\"v\" valueReference=\"1\">%s</%.*s>"
                       : "<ScalarVariable name=\"v\" valueReference=\"1\">%s"
                         "%s</ScalarVariable>",
                 list[i].variable, array ? "<Dimension start=\"3\"/>" : "",
                 (int)strcspn(list[i].variable + 1, " "), list[i].variable + 1);
        const yoke_status status =
            describe(&d, list[i].version, "m", text, &err);
        if (!list[i].why) CHECK_OK(status, &err);
        yk_fmu_description_free(d);
        if (!list[i].why) continue;
        assert_int_not_equal(status, YOKE_OK);
        CHECK_CONTAINS(err.text, list[i].why);
        CHECK_CONTAINS(err.text, "model:3: ");
    }
}

/* Of arrays too; they are not what the original is to the structure. */
static void other_names_are_names(void **unused)
{
    yk_fmu_description *d = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)unused;
    CHECK_OK(describe(&d, 3, "m",
                      "<Float64 name=\"v\" valueReference=\"7\" "
                      "causality=\"output\"><Dimension start=\"3\"/><Alias "
                      "name=\"w\"/><Alias name=\"z\"/></Float64><Float64 "
                      "name=\"s\" valueReference=\"8\"/>",
                      &err),
             &err);
    assert_int_equal(d->variables, 4);
    const int v = yk_fmu_find(d, "v"), w = yk_fmu_find(d, "z");
    assert_true(v >= 0 && w >= 0 && yk_fmu_find(d, "s") == 3);
    assert_int_equal(d->variable[w].reference, 7);
    assert_int_equal(d->variable[w].count, 3);
    assert_int_equal(d->variable[w].causality, YK_FMU_LOCAL);
    assert_int_equal(yk_fmu_find_reference(d, 7), v);
    assert_int_equal(d->variable[3].count, 1);
    yk_fmu_description_free(d);
}

static void starts_beyond_their_bounds_are_seen(void **unused)
{
    static const char *const variable[] = {
        "<Real start=\"4\" min=\"0\" max=\"3\"/>",
        "<Real start=\"3\" min=\"0\" max=\"3\"/>",
    };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        yk_fmu_description *d = NULL;
        yoke_err err = { YOKE_OK, "" };
        char text[300];

        snprintf(text, sizeof text,
                 "<ScalarVariable name=\"v\" valueReference=\"1\">%s"
                 "</ScalarVariable>",
                 variable[i]);
        CHECK_OK(describe(&d, 2, "m", text, &err), &err);
        assert_int_equal(d->variable[0].outside, i == 0);
        yk_fmu_description_free(d);
    }
}

static void identifiers_are_plain_names(void **unused)
{
    static const char *const name[] = { "", "..", "a/b", "../../etc/x" };

    (void)unused;
    for (int i = 0; i < 4; i++) {
        yk_fmu_description *d = NULL;
        yoke_err err = { YOKE_OK, "" };

        assert_int_not_equal(describe(&d, 2, name[i], "", &err), YOKE_OK);
        CHECK_CONTAINS(err.text, "must be a plain name");
        CHECK_CONTAINS(err.text, "model:1: ");
    }
}

/* ---- large descriptions ------------------------------------------------ */

/* 100,000 variables, a third of them states, take no time that anybody notices:
 * all lookups are hashed or sorted. */
static void many_variables_are_read(void **unused)
{
    enum { MANY = 33333 };
    char *text = NULL;
    size_t size = 0;
    yoke_err err = { YOKE_OK, "" };
    yk_fmu_description *d = NULL;
    FILE *file = open_memstream(&text, &size);

    (void)unused;
    assert_non_null(file);
    fputs("<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" "
          "instantiationToken=\"t\"><ModelExchange modelIdentifier=\"m\"/>"
          "<TypeDefinitions>",
          file);
    for (int i = 0; i < MANY; i++)
        fprintf(file, "<Float64Type name=\"T%d\" nominal=\"%d\"/>", i, i + 1);
    fputs("</TypeDefinitions><ModelVariables>", file);
    for (int i = 0; i < MANY; i++)
        fprintf(file,
                "<Float64 name=\"x%d\" valueReference=\"%d\" "
                "declaredType=\"T%d\" start=\"0\"/>"
                "<Float64 name=\"d%d\" valueReference=\"%d\" "
                "derivative=\"%d\"/>"
                "<Float64 name=\"p%d\" valueReference=\"%d\" "
                "causality=\"parameter\" start=\"1\"/>",
                i, 5 * i, i, i, 5 * i + 1, 5 * i, i, 5 * i + 2);
    fputs("</ModelVariables><ModelStructure>", file);
    for (int i = 0; i < MANY; i++)
        fprintf(file,
                "<ContinuousStateDerivative valueReference=\"%d\" "
                "dependencies=\"%d\"/>",
                5 * i + 1, 5 * ((i + 1) % MANY));
    fputs("</ModelStructure></fmiModelDescription>", file);
    assert_int_equal(fclose(file), 0);
    CHECK_OK(yk_fmu_describe(&d, "many", text, size, &err), &err);
    assert_int_equal(d->variables, 3 * MANY);
    assert_int_equal(d->derivatives, MANY);
    const int last = yk_fmu_find(d, "d33332");
    assert_int_equal(last, 3 * (MANY - 1) + 1);
    assert_int_equal(d->variable[last].state, last - 1);
    CHECK_NEAR(d->variable[last - 1].nominal, MANY, 0.0);
    assert_int_equal(d->derivative[MANY - 1].known[0], 0);
    assert_int_equal(yk_fmu_find_reference(d, 3), -1);
    yk_fmu_description_free(d);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulation_without_state_goes_back_by_fork),
        cmocka_unit_test(state_is_used_where_it_is_true),
        cmocka_unit_test(state_that_lies_is_found_out),
        cmocka_unit_test(threads_are_replayed),
        cmocka_unit_test(given_step_is_taken),
        cmocka_unit_test(repeated_sweeps_are_tested),
        cmocka_unit_test(sources_are_compiled),
        cmocka_unit_test(exchange_is_solved_by_our_steppers),
        cmocka_unit_test(exchange_handles_events),
        cmocka_unit_test(broken_parts_are_told_of),
        cmocka_unit_test(pairs_of_fmus_are_iterated),
        cmocka_unit_test(values_of_variables_are_of_their_type),
        cmocka_unit_test(starts_beyond_their_bounds_are_seen),
        cmocka_unit_test(other_names_are_names),
        cmocka_unit_test(identifiers_are_plain_names),
        cmocka_unit_test(many_variables_are_read),
    };

    if (yk_part_is_worker())
        return yk_part_serve(YK_PART_SOCKET, YK_PART_MEMORY, makers);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
