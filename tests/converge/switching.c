/* tests/converge/switching.c -- a relay charges a capacitor through a diode.
 *
 * It switches fifty times in the run, and the diode's current answers to 26 mV.
 * Windows are short where one sweep settles them; a sweep over a long window
 * reads guesses that lead the diode far away, and costs many times that.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

#include "yoke/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char circuit[] = "rectifier\n"
                              "vd in 0 0\n"
                              "d1 in out dx\n"
                              "c1 out 0 4.413u\n"
                              "rl out 0 255.1\n"
                              ".model dx d(is=1e-10)\n"
                              ".end\n";

static const char relay[] =
    "model Relay\n"
    "  input Real u; output Real y(start = 0, fixed = true);\n"
    "  Boolean on(start = false, fixed = true);\n"
    "equation\n"
    "  on = u < 0.2 or pre(on) and u < 0.4;\n"
    "  der(y) = 714.45*((if on then 1.5 else 0) - y);\n"
    "end Relay;\n";

static const char system_text[] =
    "yoke: 1\n"
    "run: {stop: 0.03, rtol: 1e-6, atol: 1e-9}\n"
    "subsystems:\n"
    "  n: {netlist: n.cir, inputs: {vd: u}, outputs: [v(out)]}\n"
    "  e: {model: e.mo}\n"
    "couplings:\n"
    "  - signal: n.u = e.y; e.u = n.v(out)\n";

static char folder[] = "/tmp/yoke-switching-XXXXXX";

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_files(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    put("n.cir", circuit);
    put("e.mo", relay);
    put("s.yaml", system_text);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    return unlink("n.cir") || unlink("e.mo") || unlink("s.yaml") ||
           chdir("/") || rmdir(folder);
}

/* Residuals of all subsystems; v(out) at the end. */
static double solve(const yoke_setting setting[4], double *v)
{
    const yoke_file_options how = { .settings = 4, .setting = setting };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_work work;
    yoke_err err;
    double sum = 0.0;

    CHECK_OK(yoke_file_read(&file, "s.yaml", &how, &err), &err);
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, o->stop, &err), &err);
    *v = value_of(run, "n.v(out)");
    for (int i = 0; yoke_run_work(run, i, NULL, &work); i++)
        sum += (double)work.residuals;
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
    return sum;
}

static void a_relay_and_a_diode_apart(void **state)
{
    static const yoke_setting tight[] = { { "run.scheme", "monolithic" },
                                          { "run.cluster", "auto" },
                                          { "run.rtol", "1e-10" },
                                          { "run.atol", "1e-13" } };
    static const yoke_setting whole[] = { { "run.scheme", "monolithic" },
                                          { "run.cluster", "auto" },
                                          { "run.rtol", "1e-6" },
                                          { "run.atol", "1e-9" } };
    static const yoke_setting parts[] = { { "run.scheme", "gauss-seidel" },
                                          { "run.cluster", "none" },
                                          { "run.rtol", "1e-6" },
                                          { "run.atol", "1e-9" } };
    double exact, v, one, apart;

    (void)state;
    solve(tight, &exact);
    one = solve(whole, &v);
    CHECK_NEAR(v, exact, 4e-6); /* ten tolerances */
    apart = solve(parts, &v);
    CHECK_NEAR(v, exact, 4e-6);
    if (apart > 2.0 * one) print_error("%g against %g\n", apart, one);
    assert_true(apart < 2.0 * one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relay_and_a_diode_apart),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
