/* file/waves_test.c -- physical ports that exchange waves: couplings whose
 * plain iteration diverges converge, and agree with the whole. */
#define _POSIX_C_SOURCE 200809L
#include "file/file_fixture.h"

#include "wave/wave.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[400];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A rectifier that feeds a load with a diode of its own. */
static const char source_cir[] = "source\n"
                                 "i1 0 in sin(0.01 0.005 1k)\n"
                                 "r1 in 0 2k\n"
                                 "d1 in out dm\n"
                                 ".model dm d is=1e-12\n"
                                 "r2 out 0 1k\n"
                                 "c1 out 0 100n\n";
static const char load_cir[] = "load\n"
                               "r3 p q 50\n"
                               "d2 q 0 dm\n"
                               ".model dm d is=1e-12\n"
                               "r5 q 0 200\n"
                               "c2 q 0 1u\n";

#define CIRCUITS                                                               \
    "subsystems:\n"                                                            \
    "  a: {netlist: source.cir, ports: [out], stepper: bdf2}\n"                \
    "  b: {netlist: load.cir, ports: [p], stepper: bdf2}\n"                    \
    "couplings:\n"

/* A mass on a spring, and a spring beside a damper: velocity and force. */
#define MECHANISM                                                              \
    "subsystems:\n"                                                            \
    "  a: {linear: {A: [[0, 1], [-100, -0.1]], B: [0, 1], H: [0, 1], "         \
    "u: [p.f], y: [p.v], x0: [0.1, 0]}, stepper: trapezoidal}\n"               \
    "  b: {linear: {A: -10, B: 0.5, H: -10, D: 0.5, u: [p.f], y: [p.v]}, "     \
    "stepper: trapezoidal}\n"                                                  \
    "couplings:\n"

static const char waves_out[] =
    "- connect: {ports: [a.out, b.p], transmission: waves}\n";
static const char owned_out[] = "- connect: {ports: [a.out, b.p], owner: a}\n";
static const char waves_p[] =
    "- connect: {ports: [a.p, b.p], transmission: waves}\n";
static const char owned_p[] = "- connect: {ports: [a.p, b.p], owner: a}\n";

/* Runs it; `variable` at the end. */
static yoke_status run(const char *folder, const char *options,
                       const char *parts, const char *coupling,
                       const char *variable, double *value, double *rate,
                       yoke_err *err)
{
    char text[3000], path[400];
    yoke_file *file = NULL;
    yoke_run *go = NULL;
    yoke_run_result r;

    snprintf(text, sizeof text, "yoke: 1\nrun: {%s}\n%s%s", options, parts,
             coupling);
    snprintf(path, sizeof path, "%s/system.yaml", folder);
    CHECK_OK(yoke_file_parse(&file, path, text, strlen(text), NULL, err), err);
    CHECK_OK(yoke_run_create(&go, yoke_file_model(file),
                             yoke_file_run_options(file), NULL, err),
             err);
    const yoke_status status = yoke_run_advance(go, 1e300, err);
    if (status == YOKE_OK) {
        yoke_run_summary(go, &r);
        assert_true(r.converged);
        *rate = r.rate_median;
        CHECK_OK(yoke_run_value(go, variable, value, err), err);
    }
    yoke_run_close(go, NULL);
    yoke_file_free(file);
    return status;
}

static void compare(const char *folder, const char *stop, const char *parts,
                    const char *owned, const char *waves, const char *variable,
                    double tol)
{
    char options[200];
    double exact = NAN, value = NAN, rate = NAN;
    yoke_err err = { YOKE_OK, "" };

    snprintf(options, sizeof options, "%s, scheme: monolithic", stop);
    CHECK_OK(run(folder, options, parts, owned, variable, &exact, &rate, &err),
             &err);
    snprintf(options, sizeof options, "%s, accelerate: none, cluster: none",
             stop);
    assert_true(run(folder, options, parts, owned, variable, &value, &rate,
                    &err) != YOKE_OK);
    err = (yoke_err){ YOKE_OK, "" };
    CHECK_OK(run(folder, options, parts, waves, variable, &value, &rate, &err),
             &err);
    CHECK_NEAR(value, exact, tol);
}

static void circuits_with_diodes(void **state)
{
    char folder[] = "/tmp/yoke_waves_XXXXXX";
    char path[100];

    (void)state;
    assert_non_null(mkdtemp(folder));
    put_file(folder, "source.cir", source_cir);
    put_file(folder, "load.cir", load_cir);
    compare(folder, "stop: 1 ms, window: 50 us, rtol: 1e-6, step: 1 us",
            CIRCUITS, owned_out, waves_out, "b.v(q)", 2e-6);
    snprintf(path, sizeof path, "%s/source.cir", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/load.cir", folder);
    unlink(path);
    rmdir(folder);
}

static void mass_and_damper(void **state)
{
    (void)state;
    compare(".", "stop: 2, window: 0.05, rtol: 1e-7, step: 0.5 ms", MECHANISM,
            owned_p, waves_p, "a.x2", 2e-6);
}

static void refuse(const char *coupling, const char *why)
{
    char text[2000];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    snprintf(text, sizeof text, "yoke: 1\n" MECHANISM "%s", coupling);
    assert_true(yoke_file_parse(&file, "w.yaml", text, strlen(text), NULL,
                                &err) != YOKE_OK);
    CHECK_CONTAINS(err.text, "w.yaml:6:");
    CHECK_CONTAINS(err.text, why);
    assert_null(file);
}

static void refusals(void **state)
{
    (void)state;
    refuse("- connect: {ports: [a.p, b.p], transmission: wave}\n",
           "there is no transmission \"wave\"");
    refuse("- connect: {ports: [a.p, b.p], transmission: waves, owner: a}\n",
           "waves need no owner");
    refuse("- connect: {ports: [a.p, b.p], transmission: waves, impedance: "
           "0}\n",
           "impedance = 0; it must be more than 0");
}

/* A wrong sign is seen by the answer of the port. */
static void active_ports_are_refused(void **state)
{
    static const char text[] =
        "yoke: 1\n"
        "subsystems:\n"
        "  a: {linear: {A: -1, B: -1, H: 1, u: [p.f], y: [p.v]}}\n"
        "  b: {linear: {A: -1, B: 1, H: 1, u: [p.f], y: [p.v]}}\n"
        "couplings:\n"
        "- connect: {ports: [a.p, b.p], transmission: waves}\n";
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    assert_true(yoke_file_parse(&file, "w.yaml", text, strlen(text), NULL,
                                &err) != YOKE_OK);
    CHECK_CONTAINS(err.text, "the port is not passive");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_with_diodes),
        cmocka_unit_test(mass_and_damper),
        cmocka_unit_test(refusals),
        cmocka_unit_test(active_ports_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
