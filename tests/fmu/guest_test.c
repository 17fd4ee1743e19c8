/* tests/fmu/guest_test.c -- FMUs that do not keep to themselves: what they have in
 * files, processes and memory that copies share, what they change of arithmetic
 * and locale; and their units and parameters.
 */
#include "check.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ran {
    yoke_status status;
    yoke_err err;
    double y, z;
} ran;

/* x' = t - x + u, y = x and z' = y - 2 z, u = z, until 1 s. */
static ran run_loop(const char *fmu, const char *more, const char *back,
                    const char *signal, const char *input, double rtol)
{
    ran r = { .status = YOKE_OK };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    char text[1000];

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n"
             "  a: {fmu: %s.fmu%s}\n"
             "  b: {model: b.mo}\n"
             "couplings:\n  - signal: a.u = %s\n  - %s\n"
             "run: {stop: 1, rtol: %g}\n",
             fmu, more, back, signal, rtol);
    FILE *model = fopen(FMUS "/b.mo", "w");
    assert_non_null(model);
    fprintf(model,
            "model b\n  input Real %s;\n  output Real z(start=0);\n"
            "equation\n  der(z) = f - 2*z;\nend b;\n",
            input);
    fclose(model);
    r.status = yoke_file_parse(&file, FMUS "/guest.yaml", text, strlen(text),
                               NULL, &r.err);
    if (r.status != YOKE_OK) return r;
    r.status = yoke_run_create(&run, yoke_file_model(file),
                               yoke_file_run_options(file), NULL, &r.err);
    if (r.status == YOKE_OK) r.status = yoke_run_advance(run, 1.0, &r.err);
    if (r.status == YOKE_OK)
        r.status = yoke_run_value(run, "a.y", &r.y, &r.err);
    if (r.status == YOKE_OK)
        r.status = yoke_run_value(run, "b.z", &r.z, &r.err);
    if (run) yoke_run_close(run, NULL);
    yoke_file_free(file);
    return r;
}

static ran run_with(const char *fmu, const char *more, const char *signal,
                    const char *input)
{
    return run_loop(fmu, more, "b.z", signal, input, 1e-5);
}

static ran run_guest(const char *fmu, const char *more)
{
    return run_with(fmu, more, "signal: b.f = a.y", "f");
}

/* y(1), z(1) by many steps, with z' = factor y + zero - 2 z. */
static void exact(double factor, double zero, double *y, double *z)
{
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;

    *y = 1.0;
    *z = 0.0;
    for (int i = 0; i < STEPS; i++) {
        double x = *y, v = *z, dy = 0.0, dz = 0.0;
        for (int k = 0; k < 4; k++) {
            const double t = (i + (k + 1) / 2 * 0.5) * h;
            const double a = t - x + v, b = factor * x + zero - 2.0 * v;
            const double part = k == 2 ? h : 0.5 * h;
            dy += (k == 0 || k == 3 ? h / 6.0 : h / 3.0) * a;
            dz += (k == 0 || k == 3 ? h / 6.0 : h / 3.0) * b;
            x = *y + part * a;
            v = *z + part * b;
        }
        *y += dy;
        *z += dz;
    }
}

static void expect(const ran *r, double factor, double zero)
{
    double y = 0.0, z = 0.0;

    CHECK_OK(r->status, &r->err);
    exact(factor, zero, &y, &z);
    CHECK_NEAR(r->y, y, 1e-4 * fabs(y));
    CHECK_NEAR(r->z, z, 1e-4 * fabs(z));
}

static void refused(const ran *r, const char *why)
{
    if (r->status == YOKE_OK || !strstr(r->err.text, why))
        print_error("%d: %s\n", (int)r->status, r->err.text);
    assert_int_not_equal(r->status, YOKE_OK);
    assert_non_null(strstr(r->err.text, why));
}

/* ---- inputs that jump ------------------------------------------------------ */

/* One step of x' = t - x + u, z' = x - 2 z. */
static void advance(double t, double u, double h, double *x, double *z)
{
    double a = *x, b = *z, dx = 0.0, dz = 0.0;

    for (int k = 0; k < 4; k++) {
        const double now = t + (k + 1) / 2 * 0.5 * h;
        const double f = now - a + u, g = a - 2.0 * b;
        const double part = k == 2 ? h : 0.5 * h;
        dx += (k == 0 || k == 3 ? h / 6.0 : h / 3.0) * f;
        dz += (k == 0 || k == 3 ? h / 6.0 : h / 3.0) * g;
        a = *x + part * f;
        b = *z + part * g;
    }
    *x += dx;
    *z += dz;
}

/* u rises when z comes to 0.2, inside of a window: outputs bend there, and before
 * it there is time for one step. */
static void switched_inputs(void **unused)
{
    const double h = 1e-3;
    double x = 1.0, z = 0.0, u = 0.0;

    (void)unused;
    for (double t = 0.0; t < 1.0 - 0.5 * h; t += h) {
        double a = x, b = z, low = 0.0, high = h;
        advance(t, u, h, &a, &b);
        for (int k = 0; k < 60 && u == 0.0 && b > 0.2; k++) {
            const double middle = 0.5 * (low + high);
            double c = x, d = z;
            advance(t, u, middle, &c, &d);
            if (d > 0.2)
                high = middle;
            else
                low = middle;
        }
        if (u == 0.0 && b > 0.2) {
            advance(t, 0.0, high, &x, &z);
            u = 1.0;
            advance(t + high, u, h - high, &x, &z);
        } else {
            x = a;
            z = b;
        }
    }
    for (int i = 5; i < 9; i++) {
        const double rtol = pow(10.0, -i);
        const ran r = run_loop("guest_plain", "", "(b.z > 0.2)",
                               "signal: b.f = a.y", "f", rtol);
        CHECK_OK(r.status, &r.err);
        CHECK_NEAR(r.y, x, 3.0 * rtol * x + 1e-9);
        CHECK_NEAR(r.z, z, 3.0 * rtol * z + 1e-9);
    }
}

/* y = exp(-t), with events; soon behind the beginning of a window one step comes to
 * them, with 2 n steps too: outputs are a straight line in both sweeps. */
static void events_soon_behind_the_beginning(void **unused)
{
    const ran r =
        run_loop("ticker", "", "0*b.z", "signal: b.f = a.y", "f", 1e-8);

    (void)unused;
    CHECK_OK(r.status, &r.err);
    CHECK_NEAR(r.y, exp(-1.0), 1e-8);
    CHECK_NEAR(r.z, exp(-1.0) - exp(-2.0), 5e-9);
}

/* ---- what is not in its memory -------------------------------------------- */

static void state_outside_of_the_memory(void **unused)
{
    static const char *const fmu[] = { "guest_plain", "guest_files",
                                       "guest_shared", "guest_pipe" };

    (void)unused;
    for (int i = 0; i < 4; i++) {
        const ran r = run_guest(fmu[i], ", step: 4 ms");
        expect(&r, 1.0, 0.0);
    }
    for (int i = 0; i < 2; i++) { /* steps that are chosen */
        const ran r = run_guest(fmu[i], "");
        expect(&r, 1.0, 0.0);
    }
}

static void children_nobody_wants_to_hear_of(void **unused)
{
    const ran r = run_guest("guest_deaf", "");

    (void)unused;
    refused(&r, "died (signal 6");
}

static void outputs_that_change_when_they_are_read(void **unused)
{
    const ran r = run_guest("guest_reads", ", step: 4 ms");

    (void)unused;
    refused(&r, "without a step between");
}

/* ---- arithmetic and locale ------------------------------------------------ */

static void traps_are_not_ours(void **unused)
{
    static const char *const how[] = { "", ", isolate: none" };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        const ran r = run_guest("guest_traps", how[i]);
        expect(&r, 1.0, 0.0);
    }
}

static void decimal_commas_are_not_ours(void **unused)
{
    static const char *const how[] = {
        ", parameters: {x: 1.0}", ", parameters: {x: 1.0}, isolate: none"
    };
    const bool there = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;

    (void)unused;
    setlocale(LC_NUMERIC, "C");
    if (!there) skip(); /* no such locale is installed */
    for (int i = 0; i < 2; i++) {
        const ran r = run_guest("guest_locale", how[i]);
        expect(&r, 1.0, 0.0);
    }
}

/* ---- units and parameters -------------------------------------------------- */

static void units_are_those_of_the_description(void **unused)
{
    (void)unused;
    ran r = run_with("guest_klafter", "", "signal: b.f = a.y", "f(unit=\"m\")");
    expect(&r, 1.896, 0.0);
    r = run_with("guest_klafter", ", parameters: {x: 1.896 m}",
                 "signal: b.f = a.y", "f(unit=\"m\")");
    expect(&r, 1.896, 0.0);
    r = run_with("guest_klafter", "", "signal: b.f = a.y", "f(unit=\"s\")");
    refused(&r, "a signal between them needs a factor");
    r = run_with("guest_grad", "", "signal: b.f = a.y", "f(unit=\"K\")");
    expect(&r, 1.0, 273.15);
    r = run_with("guest_grad", "", "signal: b.f = a.y + 273.15",
                 "f(unit=\"K\")");
    expect(&r, 1.0, 273.15);
    r = run_with("guest_grad", ", parameters: {x: 274.15 K}",
                 "signal: b.f = a.y", "f");
    expect(&r, 1.0, 0.0);
    r = run_with("guest_elle", "", "signal: b.f = a.y", "f(unit=\"m\")");
    refused(&r, "nobody says what is 1 elle");
    r = run_with("guest_elle", "", "{signal: b.f = a.y, units: ignore}",
                 "f(unit=\"m\")");
    expect(&r, 1.0, 0.0);
}

static void parameters_are_values_of_their_type(void **unused)
{
    static const struct {
        const char *more, *why;
    } list[] = {
        { "k: 2.5", "is not a value of type Int32" },
        { "k: 99999999999", "is not a value of type Int32" },
        { "k: 2 m", "has no unit that is known" },
        { "x: 2 s", "has a unit of another dimension" },
        { "mode: 3", "there are off (1), on (7)" },
        { "y: 3", "computes \"y\" by itself" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char more[100];

        snprintf(more, sizeof more, ", parameters: {%s}", list[i].more);
        const ran r = run_guest("guest_klafter", more);
        refused(&r, list[i].why);
    }
    const ran r =
        run_guest("guest_plain", ", parameters: {mode: 'on', k: 3, x: 1}");
    expect(&r, 1.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switched_inputs),
        cmocka_unit_test(events_soon_behind_the_beginning),
        cmocka_unit_test(state_outside_of_the_memory),
        cmocka_unit_test(children_nobody_wants_to_hear_of),
        cmocka_unit_test(outputs_that_change_when_they_are_read),
        cmocka_unit_test(traps_are_not_ours),
        cmocka_unit_test(decimal_commas_are_not_ours),
        cmocka_unit_test(units_are_those_of_the_description),
        cmocka_unit_test(parameters_are_values_of_their_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
