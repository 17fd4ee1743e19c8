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

/* Three of their switches fall into a window that is chosen by its work. */
static const char room[] =
    "model Room\n"
    "  input Real heat; output Real T(start = 15, fixed = true);\n"
    "equation\n"
    "  1e5*der(T) = heat - 100*(T - 5 - "
    "5*sin(2*3.14159265358979*time/86400));\n"
    "end Room;\n";

static const char thermostat[] =
    "model Thermostat\n"
    "  input Real T; output Real heat;\n"
    "  discrete Boolean on(start = true, fixed = true);\n"
    "  discrete Integer switched(start = 0, fixed = true);\n"
    "  Real used(start = 0, fixed = true);\n"
    "equation\n"
    "  when T > 21 then\n"
    "    on = false;\n"
    "    switched = pre(switched) + 1;\n"
    "  elsewhen T < 19 then\n"
    "    on = true;\n"
    "    switched = pre(switched) + 1;\n"
    "  end when;\n"
    "  when sample(0, 1000) then\n"
    "    reinit(used, 0.5*pre(used));\n"
    "  end when;\n"
    "  der(used) = heat/3.6e6;\n"
    "  heat = if on then 3000 else 0;\n"
    "end Thermostat;\n";

static const char heated[] =
    "yoke: 1\n"
    "run: {stop: 7200, rtol: 1e-6, atol: 1e-9}\n"
    "subsystems:\n"
    "  room: {model: room.mo}\n"
    "  control: {model: thermostat.mo}\n"
    "couplings:\n"
    "  - signal: control.T = room.T; room.heat = control.heat\n";

/* At each turn-on the voltage is extrapolated as if nothing took a current. */
static const char source[] =
    "model Source\n"
    "  input Real i; output Real v(start = 0, fixed = true);\n"
    "equation\n"
    "  1e-3*der(v) = 10*sin(314*time) - v - i;\n"
    "end Source;\n";

static const char load[] =
    "model Load\n"
    "  input Real v; output Real i; Real c(start = 0, fixed = true);\n"
    "equation\n"
    "  i = 1e-9*(exp(min(40, (v - c)/0.05)) - 1);\n"
    "  1e-2*der(c) = i - c/100;\n"
    "end Load;\n";

static const char rectified[] =
    "yoke: 1\n"
    "run: {stop: 0.1, rtol: 1e-6, atol: 1e-9}\n"
    "subsystems:\n"
    "  source: {model: source.mo}\n"
    "  load: {model: load.mo}\n"
    "couplings:\n"
    "  - signal: source.i = load.i; load.v = source.v\n";

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
    put("room.mo", room);
    put("thermostat.mo", thermostat);
    put("heated.yaml", heated);
    put("source.mo", source);
    put("load.mo", load);
    put("rectified.yaml", rectified);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    return unlink("n.cir") || unlink("e.mo") || unlink("s.yaml") ||
           unlink("room.mo") || unlink("thermostat.mo") ||
           unlink("heated.yaml") || unlink("source.mo") || unlink("load.mo") ||
           unlink("rectified.yaml") || chdir("/") || rmdir(folder);
}

/* Values at the end; *changed: when other clusters were taken, 0 never. */
typedef struct outcome {
    double value[3], residuals, changed;
} outcome;

static void note_steps(yoke_run *run, outcome *out)
{
    yoke_ladder_step step;

    for (int i = 0; yoke_run_step(run, i, &step); i++)
        if (strcmp(step.rung, "window") != 0) out->changed = step.t;
}

static outcome solve(const char *path, const char *const name[3],
                     const yoke_setting setting[4])
{
    const yoke_file_options how = { .settings = 4, .setting = setting };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_work work;
    yoke_err err;
    outcome out = { 0 };

    CHECK_OK(yoke_file_read(&file, path, &how, &err), &err);
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, o->stop, &err), &err);
    for (int k = 0; k < 3 && name[k]; k++)
        out.value[k] = value_of(run, name[k]);
    for (int i = 0; yoke_run_work(run, i, NULL, &work); i++)
        out.residuals += (double)work.residuals;
    note_steps(run, &out);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
    return out;
}

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
static const yoke_setting automatic[] = { { "run.scheme", "gauss-seidel" },
                                          { "run.cluster", "auto" },
                                          { "run.rtol", "1e-6" },
                                          { "run.atol", "1e-9" } };

static void at_most(double residuals, double times, double one)
{
    if (residuals > times * one) print_error("%g against %g\n", residuals, one);
    assert_true(residuals <= times * one);
}

static void a_relay_and_a_diode_apart(void **state)
{
    static const char *const v[3] = { "n.v(out)" };

    (void)state;
    const double exact = solve("s.yaml", v, tight).value[0];
    const outcome one = solve("s.yaml", v, whole);
    const outcome apart = solve("s.yaml", v, parts);
    CHECK_NEAR(one.value[0], exact, 4e-6); /* ten tolerances */
    CHECK_NEAR(apart.value[0], exact, 4e-6);
    at_most(apart.residuals, 2.0, one.residuals);
}

/* A sweep that follows such a voltage takes any number of steps, and is given up
 * early (14 times the residuals if it may take 2,000). */
static void a_source_and_a_rectifier_apart(void **state)
{
    static const char *const of[3] = { "source.v", "load.c" };

    (void)state;
    const outcome exact = solve("rectified.yaml", of, tight);
    const outcome one = solve("rectified.yaml", of, whole);
    const outcome apart = solve("rectified.yaml", of, parts);
    CHECK_NEAR(apart.value[0], exact.value[0], 3e-5); /* ten tolerances */
    CHECK_NEAR(apart.value[1], exact.value[1], 7e-5);
    at_most(apart.residuals, 1.25, one.residuals);
}

static void check_heated(const outcome *o, const outcome *exact)
{
    CHECK_NEAR(o->value[0], exact->value[0], 2e-5); /* one tolerance */
    CHECK_NEAR(o->value[1], exact->value[1], 1e-6);
    CHECK_NEAR(o->value[2], exact->value[2], 0.0);
}

static const char *const of_heated[3] = { "room.T", "control.used",
                                          "control.switched" };

/* Each sweep finds one switch more, and those found before must stay where they
 * are, all of them.  (With the last of each kind alone 8.5 times the residuals.) */
static void switches_found_before_stay(void **state)
{
    (void)state;
    const outcome exact = solve("heated.yaml", of_heated, tight);
    const outcome one = solve("heated.yaml", of_heated, whole);
    const outcome apart = solve("heated.yaml", of_heated, parts);
    assert_true(exact.value[2] > 40.0);
    check_heated(&one, &exact);
    check_heated(&apart, &exact);
    at_most(apart.residuals, 3.5, one.residuals);
}

/* Between two switches, with what is on and what has been counted. */
static void parts_with_events_are_merged_in_the_run(void **state)
{
    (void)state;
    const outcome exact = solve("heated.yaml", of_heated, tight);
    const outcome one = solve("heated.yaml", of_heated, whole);
    const outcome merged = solve("heated.yaml", of_heated, automatic);
    check_heated(&merged, &exact);
    assert_true(merged.changed > 0.0);
    at_most(merged.residuals, 2.5, one.residuals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relay_and_a_diode_apart),
        cmocka_unit_test(a_source_and_a_rectifier_apart),
        cmocka_unit_test(switches_found_before_stay),
        cmocka_unit_test(parts_with_events_are_merged_in_the_run),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
