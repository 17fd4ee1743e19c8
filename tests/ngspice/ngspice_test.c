/* tests/ngspice/ngspice_test.c -- netlists in ngspice against exact solutions.
 *
 * The program of the tests is its own worker: then it finds a socket where a
 * worker has it. */
#define _GNU_SOURCE
#include "check.h"
#include "comp/netlist/ngspice/engine.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const yk_part_maker makers[] = { { "ngspice", yk_ngspice_make },
                                        { NULL, NULL } };
static bool there;

static int find_library(void **state)
{
    void *library = dlopen("libngspice.so.0", RTLD_LAZY);

    (void)state;
    there = library != NULL;
    if (!there)
        printf("skipped: libngspice.so.0 is not there (package libngspice0)\n");
    if (library) dlclose(library);
    return 0;
}

static const char *own_path(void)
{
    static char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    assert_true(length > 0);
    path[length] = '\0';
    return path;
}

typedef struct bench {
    yk_propagator part;
    bool made;
    yk_wave *u, *y;
    yoke_err err;
} bench;

static yoke_status open_part(bench *b, const char *netlist, const char *in,
                             const char *out)
{
    char path[4096];
    const char *key[] = { "netlist",  "in:u", "out:y",  "tolerance",
                          "absolute", "span", "longest" };
    const char *value[] = { path, in, out, "1e-5", "1e-8", "1", "0.02" };
    yk_part_spec spec = { .name = "amp",
                          .kind = "ngspice",
                          .settings = 7,
                          .key = key,
                          .value = value,
                          .m = 1,
                          .p = 1,
                          .rtol = 1e-5,
                          .longest = 0.02,
                          .seconds = 60.0,
                          .worker = own_path() };

    *b = (bench){ 0 };
    snprintf(path, sizeof path, "%s/%s", HERE, netlist);
    CHECK_OK(yk_wave_create(&b->u, 1, &b->err), &b->err);
    CHECK_OK(yk_wave_create(&b->y, 1, &b->err), &b->err);
    const yoke_status status = yk_part_create(&b->part, &spec, &b->err);
    b->made = status == YOKE_OK;
    return status;
}

static void close_part(bench *b)
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

/* u = 3 t; the sweeps before are with another input and leave no trace. */
static void check_run(const char *netlist, const char *in, const char *out,
                      double (*exact)(double t))
{
    bench b;
    double u0 = 0.0, y = 0.0;
    yk_part_facts facts;

    CHECK_OK(open_part(&b, netlist, in, out), &b.err);
    CHECK_OK(b.part.ops->start(b.part.self, 0.0, NULL, &u0, &y, &b.err),
             &b.err);
    CHECK_NEAR(y, exact(0.0), 1e-9);
    for (int i = 0; i < 5; i++) {
        const double t0 = 0.1 * i, t1 = 0.1 * (i + 1);

        CHECK_OK(sweep(&b, t0, t1, 100.0, -100.0), &b.err);
        CHECK_OK(sweep(&b, t0, t1, 3.0 * t0, 3.0 * t1), &b.err);
        for (int k = 0; k <= 10; k++) {
            const double t = t0 + (t1 - t0) * k / 10;

            yk_wave_eval(b.y, t, NULL, &y);
            CHECK_NEAR(y, exact(t), 5e-5);
        }
        CHECK_OK(b.part.ops->accept(b.part.self, &b.err), &b.err);
    }
    yk_part_tell(&b.part, &facts);
    assert_int_equal(facts.way, YK_PART_BY_FORK);
    close_part(&b);
}

/* v' = u - v of 1 Ohm beside 1 F; the current into 1 Ohm before 1 F. */
static double charged(double t)
{
    return 3.0 * (t - 1.0 + exp(-t));
}

static double flowing(double t)
{
    return 3.0 * (1.0 - exp(-t));
}

static double given(double t)
{
    return 3.0 * t;
}

static void ports_take_currents_and_voltages(void **state)
{
    (void)state;
    if (!there) skip();
    check_run("parallel.cir", "into a", "vector a", charged);
    check_run("series.cir", "v a", "into a", flowing);
    check_run("series.cir", "v a", "vector b", charged);
    check_run("driven.cir", "source vd", "vector b", charged);
    check_run("driven.cir", "source vd", "vector a", given);
}

static void check_fails(const char *netlist, const char *in, const char *out,
                        const char *why)
{
    bench b;
    double u0 = 0.0, y = 0.0;
    yoke_status status = open_part(&b, netlist, in, out);

    if (status == YOKE_OK)
        status = b.part.ops->start(b.part.self, 0.0, NULL, &u0, &y, &b.err);
    assert_int_not_equal(status, YOKE_OK);
    CHECK_CONTAINS(b.err.text, "part \"amp\"");
    CHECK_CONTAINS(b.err.text, why);
    close_part(&b);
}

static void failures_say_what_ngspice_says(void **state)
{
    (void)state;
    if (!there) skip();
    check_fails("parallel.cir", "into a", "vector zz", "does not give \"y\"");
    check_fails("broken.cir", "into a", "vector a", "no operating point");
    check_fails("broken.cir", "into a", "vector a", "nomodel");
    check_fails("driven.cir", "source v9", "vector a", "no source \"v9\"");
    check_fails("absent.cir", "into a", "vector a", "absent.cir");
}

/* ---- through system files ---------------------------------------------- */

static void run_file(const char *text, double t, const char *name,
                     double *value)
{
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(
        yoke_file_parse(&file, HERE "/x.yaml", text, strlen(text), NULL, &err),
        &err);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file),
                             yoke_file_run_options(file), NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, t, &err), &err);
    CHECK_OK(yoke_run_value(run, name, value, &err), &err);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

/* x' = 1 - into(a) drives the voltage of the port, 2 Ohm before 1 F.  The voltage
 * d of the resistor obeys d' = 1 - d, so x = t/2 + (1 - exp(-t))/2. */
static void circuit_and_equations_are_iterated(void **state)
{
    double x = 0.0;

    (void)state;
    if (!there) skip();
    run_file("yoke: 1\n"
             "subsystems:\n"
             "  amp: {netlist: series.cir, engine: ngspice, ports: {a: "
             "voltage}, outputs: [v(b)], parameters: {r1: 2}}\n"
             "  z: {linear: {A: [[0]], B: [[1]], x0: [0], source: [1]}}\n"
             "couplings:\n"
             "  - signal: amp.v(a) = z.x1\n"
             "  - signal: z.u1 = -1*amp.into(a)\n"
             "run: {stop: 1, rtol: 1e-5, atol: 1e-8}\n",
             1.0, "z.x1", &x);
    CHECK_NEAR(x, 0.5 + 0.5 * (1.0 - exp(-1.0)), 2e-5);
}

/* A capacitor in ngspice beside one of ours, 1 and 3 F, 1 Ohm beside each, and a
 * current of 1 A from t = 0 on: v = (1 - exp(-t/2)) / 2, and v' + v of it goes into
 * ngspice. */
static void capacitors_are_joined(void **state)
{
    static const char text[] =
        "yoke: 1\n"
        "subsystems:\n"
        "  amp: {netlist: parallel.cir, engine: ngspice, ports: [a]}\n"
        "  z: {linear: {E: [[3]], A: [[-1]], B: [[1]], x0: [0], source: [1]}}\n"
        "couplings:\n"
        "  - constraint: {equation: amp.v(a) - z.x1 = 0, multiplier: i, "
        "enters: "
        "[amp.into(a) = i, z.u1 = -i], name: node}\n"
        "run: {stop: 1, rtol: 1e-4, atol: 1e-6}\n";
    double i = 0.0, v = 0.0;

    (void)state;
    if (!there) skip();
    run_file(text, 1.0, "node.i", &i);
    run_file(text, 1.0, "amp.v(a)", &v);
    CHECK_NEAR(v, 0.5 * (1.0 - exp(-0.5)), 1e-4);
    CHECK_NEAR(i, 0.5 - 0.25 * exp(-0.5), 1e-4);
}

static void check_refused(const char *line, const char *why)
{
    char text[600];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {netlist: series.cir, %s}\n"
             "run: {stop: 1}\n",
             line);
    assert_int_not_equal(
        yoke_file_parse(&file, HERE "/x.yaml", text, strlen(text), NULL, &err),
        YOKE_OK);
    CHECK_CONTAINS(err.text, why);
    CHECK_CONTAINS(err.text, "x.yaml:3:");
    yoke_file_free(file);
}

static void system_files_are_checked(void **state)
{
    (void)state;
    check_refused("engine: spice", "neither yoke nor ngspice");
    check_refused("outputs: [v(a)], replay: true", "engine: ngspice only");
    check_refused("engine: ngspice", "has no outputs");
    check_refused("engine: ngspice, ports: {a: power}", "voltage or a current");
    check_refused("engine: ngspice, ports: [a, a]", "there twice");
    check_refused("engine: ngspice, outputs: [\"v(a,b)\"]", "is v(node)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_take_currents_and_voltages),
        cmocka_unit_test(failures_say_what_ngspice_says),
        cmocka_unit_test(circuit_and_equations_are_iterated),
        cmocka_unit_test(capacitors_are_joined),
        cmocka_unit_test(system_files_are_checked),
    };

    if (yk_part_is_worker())
        return yk_part_serve(YK_PART_SOCKET, YK_PART_MEMORY, makers);
    return cmocka_run_group_tests(tests, find_library, NULL);
}
