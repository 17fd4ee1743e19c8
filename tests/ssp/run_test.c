/* tests/ssp/run_test.c -- packages of real FMUs are run, against exact solutions
 * and against system files, and written and read again.
 *
 * Each FMU is one mass, m x'' = - k x + c (u - x), y = x, x(0) = 1.
 */
#define _XOPEN_SOURCE 700
#include "package.h"

#include "yoke/file.h"
#include "yoke/run.h"
#include "yoke/ssp.h"

#include <math.h>
#include <unistd.h>

typedef struct fmu_file {
    char path[300];
} fmu_file;

static fmu_file fmu(const char *name)
{
    fmu_file f;

    snprintf(f.path, sizeof f.path, "%s/%s.fmu", FMUS, name);
    return f;
}

static void pack(place *p, const char *name, const char *ssd, const char *part)
{
    const fmu_file f = fmu(part);
    const yk_archive_item item[] = {
        { .name = "SystemStructure.ssd", .text = ssd },
        { .name = "resources/mass.fmu", .file = f.path },
    };

    CHECK_OK(yk_archive_write(in(p, name), 2, item, &p->err), &p->err);
}

/* The values at the end, of columns by their names. */
typedef struct end {
    int count;
    char name[20][60];
    double value[20];
} end;

static void run_file(place *p, const char *name, end *out)
{
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    const char *const *column = NULL;
    const double *value = NULL;

    CHECK_OK(yoke_file_read(&file, in(p, name), NULL, &p->err), &p->err);
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &p->err),
             &p->err);
    CHECK_OK(yoke_run_advance(run, o->stop, &p->err), &p->err);
    out->count = yoke_run_variables(run, &column, &value);
    assert_true(out->count > 0 && out->count <= 20);
    for (int c = 0; c < out->count; c++) {
        snprintf(out->name[c], sizeof out->name[c], "%s", column[c]);
        out->value[c] = value[c];
    }
    CHECK_OK(yoke_run_close(run, &p->err), &p->err);
    yoke_file_free(file);
}

static double value_of(const end *e, const char *name)
{
    for (int c = 0; c < e->count; c++)
        if (strcmp(e->name[c], name) == 0) return e->value[c];
    fail_msg("there is no %s", name);
    return 0.0;
}

/* ---- a constant input -------------------------------------------------- */

#define MASS   "resources/mass.fmu"
#define IN_OUT CONNECTORS(CONNECTOR("u", "input") CONNECTOR("y", "output"))
#define STOP   "<ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"/>"

/* x'' = -k x + c (u - x) with u = 2 * 3 - 1: x = q + (1 - q) cos(w t). */
static void a_value_of_the_system_is_transformed(void **state)
{
    static const char ssd[] = SSD(
        "1.0",
        CONNECTORS(CONNECTOR("load", "input"))
            BINDINGS(BINDING("",
                             SET(PARAMETER("load", "Real", "3")
                                     PARAMETER("my mass.k", "Real", "7")
                                         PARAMETER("my mass.c", "Real", "2")),
                             "")) ELEMENTS(COMPONENT("my mass", MASS, IN_OUT))
                CONNECTIONS(CONNECT_BY(OWN_A("load") B("my mass", "u"),
                                       LINEAR("2", "-1"))),
        STOP);
    const double q = 2.0 * 5.0 / 9.0;
    end e;
    place p;

    (void)state;
    place_make(&p);
    pack(&p, "x.ssp", ssd, "plain2");
    run_file(&p, "x.ssp", &e);
    CHECK_NEAR(value_of(&e, "'my mass'.y"), q + (1.0 - q) * cos(3.0), 1e-5);
    place_remove(&p);
}

/* ---- two masses -------------------------------------------------------- */

typedef struct pair {
    double x[2], v[2];
} pair;

/* Of the package below. */
static void accelerate(const double *x, double *a)
{
    a[0] = -10.0 * x[0] + 2.0 * (x[1] - x[0]);
    a[1] = -20.0 * x[1] + 2.0 * (0.5 * x[0] + 0.25 - x[1]);
}

static pair exact_pair(void)
{
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    pair s = { { 1.0, 1.0 }, { 0.0, 0.0 } };

    /* Stoermer's method with Richardson's extrapolation would do; here the
     * classical Runge-Kutta method, error far below 1e-10. */
    for (int i = 0; i < STEPS; i++) {
        static const double c[4] = { 0.0, 0.5, 0.5, 1.0 };
        double kx[4][2], kv[4][2];

        for (int k = 0; k < 4; k++) {
            double x[2];

            for (int j = 0; j < 2; j++) {
                x[j] = s.x[j] + (k ? c[k] * h * kx[k - 1][j] : 0.0);
                kx[k][j] = s.v[j] + (k ? c[k] * h * kv[k - 1][j] : 0.0);
            }
            accelerate(x, kv[k]);
        }
        for (int j = 0; j < 2; j++) {
            s.x[j] +=
                h / 6 * (kx[0][j] + 2 * kx[1][j] + 2 * kx[2][j] + kx[3][j]);
            s.v[j] +=
                h / 6 * (kv[0][j] + 2 * kv[1][j] + 2 * kv[2][j] + kv[3][j]);
        }
    }
    return s;
}

#define KC(k)                                                                  \
    BINDINGS(BINDING(                                                          \
        "", SET(PARAMETER("k", "Real", k) PARAMETER("c", "Real", "2")), ""))
#define PAIR(version)                                                          \
    SSD(version,                                                               \
        ELEMENTS(COMPONENT("Mass 1", MASS, IN_OUT KC("10")) SYSTEM(            \
            "sub",                                                             \
            CONNECTORS(CONNECTOR("in", "input") CONNECTOR("out", "output"))    \
                ELEMENTS(COMPONENT("m", MASS, IN_OUT KC("20")))                \
                    CONNECTIONS(CONNECT(OWN_A("in") B("m", "u"))               \
                                    CONNECT(A("m", "y") OWN_B("out")))))       \
            CONNECTIONS(CONNECT_BY(A("Mass 1", "y") B("sub", "in"),            \
                                   LINEAR("0.5", "0.25"))                      \
                            CONNECT(A("sub", "out") B("Mass 1", "u"))),        \
        STOP)

static void check_pair(const end *e)
{
    const pair exact = exact_pair();

    CHECK_NEAR(value_of(e, "'Mass 1'.y"), exact.x[0], 5e-6);
    CHECK_NEAR(value_of(e, "sub.m.y"), exact.x[1], 5e-6);
}

static void both_versions_run_and_come_back(void **state)
{
    yoke_file *file = NULL;
    end first, second;
    place p;

    (void)state;
    place_make(&p);
    for (int version = 1; version <= 2; version++) {
        pack(&p, "x.ssp", version == 1 ? PAIR("1.0") : PAIR("2.0"),
             version == 1 ? "plain2" : "plain3");
        run_file(&p, "x.ssp", &first);
        check_pair(&first);
        CHECK_OK(yoke_file_read(&file, in(&p, "x.ssp"), NULL, &p.err), &p.err);
        CHECK_OK(yoke_ssp_write(file, NULL, in(&p, "y.ssp"), &p.err), &p.err);
        yoke_file_free(file);
        run_file(&p, "y.ssp", &second);
        assert_int_equal(first.count, second.count);
        for (int c = 0; c < first.count; c++) {
            assert_string_equal(first.name[c], second.name[c]);
            assert_true(first.value[c] == second.value[c]);
        }
    }
    place_remove(&p);
}

/* ---- system files ------------------------------------------------------ */

static void write_text(place *p, const char *name, const char *text)
{
    FILE *file = fopen(in(p, name), "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char yaml[] =
    "yoke: 1\nname: \"<a & b>\"\nsubsystems:\n"
    "  \"'Mass 1'\": {fmu: %s, kind: me, rtol: 1e-7,\n"
    "    parameters: {k: 10, c: 2}}\n"
    "  sub.m: {fmu: %s, kind: me, rtol: 1e-7, parameters: {k: 20, c: 2}}\n"
    "  lone: {fmu: %s, kind: me, parameters: {c: 2, label: \"x<&\"}}\n"
    "couplings:\n"
    "  - signal: \"'Mass 1'.u = sub.m.y\"\n"
    "  - signal: sub.m.u = 0.5*'Mass 1'.y + 0.25\n"
    "  - signal: lone.u = 4\n"
    "run: {stop: 1, rtol: 1e-7, schedule: \"sub.m > 'Mass 1' > lone\"}\n";

/* A system file, the package made of it, and a package made of that. */
static void a_system_file_becomes_a_package(void **state)
{
    const fmu_file f = fmu("plain2");
    yoke_file *file = NULL;
    char text[3000];
    end e[3];
    place p;

    (void)state;
    place_make(&p);
    snprintf(text, sizeof text, yaml, f.path, f.path, f.path);
    write_text(&p, "a.yaml", text);
    CHECK_OK(yoke_file_read(&file, in(&p, "a.yaml"), NULL, &p.err), &p.err);
    CHECK_OK(yoke_ssp_write(file, NULL, in(&p, "b.ssp"), &p.err), &p.err);
    yoke_file_free(file);
    CHECK_OK(yoke_file_read(&file, in(&p, "b.ssp"), NULL, &p.err), &p.err);
    assert_string_equal(yoke_file_name(file), "<a & b>");
    CHECK_OK(yoke_ssp_write(file, NULL, in(&p, "c.ssp"), &p.err), &p.err);
    yoke_file_free(file);
    run_file(&p, "a.yaml", &e[0]);
    run_file(&p, "b.ssp", &e[1]);
    run_file(&p, "c.ssp", &e[2]);
    check_pair(&e[0]);
    /* x'' = -39.5 x + 2 (4 - x) */
    CHECK_NEAR(value_of(&e[0], "lone.y"),
               8.0 / 41.5 + (1.0 - 8.0 / 41.5) * cos(sqrt(41.5)), 1e-5);
    for (int c = 0; c < e[0].count; c++) {
        assert_true(value_of(&e[1], e[0].name[c]) == e[0].value[c]);
        assert_true(value_of(&e[2], e[0].name[c]) == e[0].value[c]);
    }
    place_remove(&p);
}

static void refuse_write(place *p, const char *text, const char *message)
{
    yoke_file *file = NULL;

    write_text(p, "a.yaml", text);
    CHECK_OK(yoke_file_read(&file, in(p, "a.yaml"), NULL, &p->err), &p->err);
    assert_true(yoke_ssp_write(file, NULL, in(p, "b.ssp"), &p->err) < 0);
    CHECK_CONTAINS(p->err.text, message);
    yoke_file_free(file);
    assert_int_not_equal(access(in(p, "b.ssp"), F_OK), 0);
}

static void what_a_package_cannot_say_is_refused(void **state)
{
    const fmu_file f = fmu("plain2");
    char text[2000];
    place p;

    (void)state;
    place_make(&p);
    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {fmu: %s, inputs: []}\n"
             "  l: {linear: {A: [[-1]]}}\nrun: {stop: 1}\n",
             f.path);
    refuse_write(&p, text,
                 "\"l\" is not an FMU (linear), and a package holds FMUs");
    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {fmu: %s}\n  b: {fmu: %s}\n"
             "couplings:\n  - signal: a.u = a.y + b.y\n  - signal: b.u = 1\n",
             f.path, f.path);
    refuse_write(&p, text, "\"a.u\" is a sum of outputs");
    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {fmu: %s}\n"
             "couplings:\n  - {signal: a.u = a.y, delay: 0.1}\n",
             f.path);
    refuse_write(&p, text, "has a delay, which SSP has not");
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_of_the_system_is_transformed),
        cmocka_unit_test(both_versions_run_and_come_back),
        cmocka_unit_test(a_system_file_becomes_a_package),
        cmocka_unit_test(what_a_package_cannot_say_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
