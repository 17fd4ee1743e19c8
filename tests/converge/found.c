/* tests/converge/found.c -- small coupled systems in which something was wrong
 * once, each with a result that is known otherwise.
 *
 * Every system is written to files and run as a user would; its end values are
 * compared with exact ones, or with those of the whole as one system at a much
 * smaller tolerance.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

#include "yoke/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MODELS = 4, VALUES = 4 };

typedef struct value {
    const char *name;
    double exact, allowed;
} value;

typedef struct found {
    const char *model[MODELS]; /* m0.mo, m1.mo, ... */
    const char *system;        /* s.yaml */
    value value[VALUES];
    long most_steps; /* of all subsystems; 0: any number */
} found;

static char folder[] = "/tmp/yoke-found-XXXXXX";

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_files(const found *f, bool there)
{
    char name[16];

    for (int i = 0; i < MODELS && f->model[i]; i++) {
        snprintf(name, sizeof name, "m%d.mo", i);
        if (there)
            put(name, f->model[i]);
        else
            assert_int_equal(unlink(name), 0);
    }
    if (there)
        put("s.yaml", f->system);
    else
        assert_int_equal(unlink("s.yaml"), 0);
}

static void check(const found *f, int settings, const yoke_setting *setting)
{
    const yoke_file_options how = { .settings = settings, .setting = setting };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_work work;
    yoke_err err;
    long steps = 0;

    write_files(f, true);
    CHECK_OK(yoke_file_read(&file, "s.yaml", &how, &err), &err);
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, o->stop, &err), &err);
    for (int i = 0; i < VALUES && f->value[i].name; i++)
        CHECK_NEAR(value_of(run, f->value[i].name), f->value[i].exact,
                   f->value[i].allowed);
    for (int i = 0; yoke_run_work(run, i, NULL, &work); i++)
        steps += work.steps + work.rejected;
    if (f->most_steps > 0) assert_true(steps <= f->most_steps);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
    write_files(f, false);
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

/* Anderson's correction came back to the waveforms that it began with, and the
 * window did not end: "nothing" still changed, by 0.  The pulse of p1 is an
 * integral over its length; what p1 feels of p0 is below. */
static const found corrections_that_lead_back = {
    .model = { "model M\n"
               "  input Real u;\n"
               "  Real x(start = 0.9065289933268526, fixed = true);\n"
               "  output Real y;\n"
               "equation\n"
               "  der(x) = 1.0583628368016569*((if u > 0.03204933287727085 "
               "then 0.9643383453605492 else -0.24131412014840026) - x);\n"
               "  y = x + (if x > -0.00105835391419562 then 0.3 else 0);\n"
               "end M;\n",
               "model M\n"
               "  input Real u;\n"
               "  Real x(start = 0.0, fixed = true);\n"
               "  output Real y;\n"
               "equation\n"
               "  der(x) = 1.5795976286076423*(-x) + (if time > "
               "0.5737087531742617 and time < 0.6594951595158369 then "
               "11.656858500614968 else 0) + 0.3159195257215285*u;\n"
               "  y = x + (if x > -0.13348150662523678 then 0.3 else 0);\n"
               "end M;\n",
               "model M\n"
               "  input Real u;\n"
               "  output Real x(start = 0.42421964999084993, fixed = true);\n"
               "equation\n"
               "  der(x) = 1.4404033746248945*((if u > -0.43472878143072524 "
               "then 0.8742136024740865 else -0.15758360334066635) - x);\n"
               "end M;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 1.0, rtol: 1e-10, atol: 1e-12,\n"
              "      window: 0.02127659574468085, accelerate: anderson}\n"
              "subsystems:\n"
              "  p0: {model: m0.mo}\n"
              "  p1: {model: m1.mo}\n"
              "  p2: {model: m2.mo}\n"
              "couplings:\n"
              "  - signal: p0.u = -1.2676090940259552*p1.y\n"
              "  - signal: p1.u = 1.036178412038491*p0.y\n"
              "  - signal: p2.u = -0.32094159463261684*p0.y\n",
    .value = { { "p0.x", 0.15701439111251, 1e-9 },
               { "p1.x", 0.657430839035064, 1e-9 },
               { "p2.x", 0.767640541431721, 1e-9 } },
};

static void corrections_may_lead_back(void **state)
{
    (void)state;
    check(&corrections_that_lead_back, 0, NULL);
}

/* A relay of relative degree two: it switches ever faster.  Units were solved
 * again after a correction; then the window was judged by a rate of zero that an
 * earlier one had shown, and accepted with changes of 200000 tolerances: x1 was
 * off by 1.5e-3.  Each switch multiplies errors of x2 by about a hundred. */
static const found a_relay_that_settles = {
    .model = { "model M\n"
               "  input Real u;\n"
               "  output Real x(start = 0.4086073383957409, fixed = true);\n"
               "equation\n"
               "  der(x) = 4.814059946210332*((if u > 0.19831465573659302 then "
               "0.7853294587007731 else -0.27824982107077567) - x);\n"
               "end M;\n",
               "model M\n"
               "  input Real u;\n"
               "  output Real x(start = 0.0, fixed = true);\n"
               "equation\n"
               "  der(x) = 5.395173584644606*(max(u - 0.2, 0) + "
               "min(u + 0.2, 0) - x);\n"
               "end M;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 2, rtol: 1e-10, atol: 1e-12}\n"
              "subsystems:\n"
              "  p1: {model: m0.mo}\n"
              "  p2: {model: m1.mo}\n"
              "couplings:\n"
              "  - signal: p1.u = 1.0855827575545636*p2.x\n"
              "  - signal: p2.u = -1.4993515443314145*p1.x + "
              "0.27240439182488435\n",
    .value = { { "p1.x", -0.0736653749437, 1e-5 },
               { "p2.x", 0.18267942894143, 1e-5 } },
};

static void a_relay_may_settle(void **state)
{
    static const yoke_setting apart[] = { { "run.cluster", "none" } };

    (void)state;
    check(&a_relay_that_settles, 0, NULL);
    check(&a_relay_that_settles, 1, apart);
}

/* ida: the charge is a state, but the right side is not linear, so that x' came
 * from a difference over a part of the segment, 1e-5 s: rounding, and 71000
 * steps, or a message that inputs had not converged. */
static const found short_segments_of_ida = {
    .model = { "model M\n"
               "  input Real u; output Real x(start = 1, fixed = true);\n"
               "equation\n"
               "  der(x) = 1 + x*x + 0*u;\n"
               "end M;\n",
               "model M\n"
               "  input Real u; output Real y(start = 2, fixed = true);\n"
               "equation\n"
               "  der(y) = 2 + u*y/2;\n"
               "end M;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 1e-5, rtol: 1e-10, atol: 1e-12, cluster: none}\n"
              "subsystems:\n"
              "  a: {model: m0.mo, stepper: ida}\n"
              "  b: {model: m1.mo, stepper: ida}\n"
              "couplings:\n"
              "  - signal: a.u = b.y\n"
              "  - signal: b.u = 2*a.x\n",
    /* x = tan(pi/4 + 1e-5), y = 2 x */
    .value = { { "a.x", 1.0000200002000027, 1e-9 },
               { "b.y", 2.0000400004000053, 2e-9 } },
    .most_steps = 3000,
};

static void ida_on_short_segments(void **state)
{
    (void)state;
    check(&short_segments_of_ida, 0, NULL);
}

/* A controller samples a reference at the instant at which it steps, by algebraic
 * variables: as one system, and within one model, it read the value before. */
static const found a_sampled_step = {
    .model = { "model Controller\n"
               "  input Real y, r; output Real u; Real e, d;\n"
               "  discrete Real I(start = 0), v(start = 0);\n"
               "equation\n"
               "  e = r - y; d = e; u = v;\n"
               "  when sample(0, 0.05) then\n"
               "    I = pre(I) + 0.2*d; v = 2*e + I;\n"
               "  end when;\n"
               "end Controller;\n",
               "model Plant\n"
               "  input Real u; output Real y(start = 0, fixed = true);\n"
               "  Real w(start = 0, fixed = true);\n"
               "equation\n"
               "  der(y) = w; der(w) = -3*w - 2*y + 2*u;\n"
               "end Plant;\n",
               "model Reference\n"
               "  output Real r; Integer mode(start = 1, fixed = true);\n"
               "equation\n"
               "  when time >= 1.0 then mode = 2; end when;\n"
               "  r = if time < 0.5 then 0 elseif mode == 1 then 1 else 0.3;\n"
               "end Reference;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 2, rtol: 1e-8, atol: 1e-10}\n"
              "subsystems:\n"
              "  c: {model: m0.mo}\n"
              "  p: {model: m1.mo}\n"
              "  r: {model: m2.mo}\n"
              "couplings:\n"
              "  - signal: c.y = p.y\n"
              "  - signal: c.r = r.r\n"
              "  - signal: p.u = c.u\n",
    /* powers of the matrix exponential of the plant */
    .value = { { "p.y", 0.684060943, 1e-8 },
               { "p.w", -0.661033959, 1e-8 },
               { "c.I", -0.021814776, 1e-8 } },
};

static void a_step_at_a_sample(void **state)
{
    static const yoke_setting one[] = { { "run.scheme", "monolithic" } };
    static const yoke_setting apart[] = { { "run.cluster", "none" } };

    (void)state;
    check(&a_sampled_step, 0, NULL);
    check(&a_sampled_step, 1, one);
    check(&a_sampled_step, 1, apart);
}

/* Index 3 from rest: the terms of the constraint are larger than its unknowns,
 * and the first steps were so short that rounding was all they saw; the run did
 * not end.  a.x = b.x = 0.05 (1 - cos 7 t). */
static const found a_constraint_from_rest = {
    .model = { "model J\n"
               "  input Real f; output Real x(start = 0); Real v(start = 0);\n"
               "equation\n"
               "  der(x) = v; der(v) = f - 20*x^3;\n"
               "end J;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 1, rtol: 1e-6, atol: 1e-10}\n"
              "subsystems: {a: {model: m0.mo}, b: {model: m0.mo}}\n"
              "couplings:\n"
              "  - constraint:\n"
              "      equation: a.x + b.x = 0.1*(1 - cos(7*time))\n"
              "      multiplier: l\n"
              "      enters: [a.f = l, b.f = l]\n",
    .value = { { "a.x", 0.012304887282834769, 1e-6 },
               { "a.v", 0.2299453095515761, 3e-6 } },
    .most_steps = 10000,
};

static void a_constraint_may_begin_at_rest(void **state)
{
    (void)state;
    check(&a_constraint_from_rest, 0, NULL);
}

/* What flows out of a tank rises like a root when it begins to fill: its slope
 * has no end, and no step was short enough.  Later the steps stayed at 1e-13, for
 * what an old Jacobian left in two stages went on from step to step. */
static const found a_tank_fills_again = {
    .model = { "model Tank\n"
               "  input Real q;\n"
               "  Real h(start = 1, fixed = true);\n"
               "  output Real out = 2*sqrt(max(h, 0));\n"
               "equation\n"
               "  der(h) = q - out;\n"
               "end Tank;\n",
               "model Next\n"
               "  input Real u;\n"
               "  Real v(start = 0, fixed = true);\n"
               "  output Real q = if time > 2 then 1 else 0;\n"
               "equation\n"
               "  der(v) = u;\n"
               "end Next;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 6, rtol: 1e-6}\n"
              "subsystems: {a: {model: m0.mo}, b: {model: m1.mo}}\n"
              "couplings:\n"
              "  - signal: a.q = b.q\n"
              "  - signal: b.u = a.out\n",
    .value = { { "a.h", 0.2499382912899917, 1e-6 },
               { "b.v", 4.7500617087100085, 1e-5 } },
    .most_steps = 3000,
};

static const found a_tank_fills = {
    .model = { "model Tank\n"
               "  input Real q;\n"
               "  Real h(start = 0, fixed = true);\n"
               "  output Real out = sqrt(max(h, 0));\n"
               "equation\n"
               "  der(h) = q/6;\n"
               "end Tank;\n",
               "model Next\n"
               "  input Real u;\n"
               "  Real v(start = 0, fixed = true);\n"
               "  output Real q = if time > 1e-9 then 1e9 else 0;\n"
               "equation\n"
               "  der(v) = 1e9*u;\n"
               "end Next;\n" },
    .system = "yoke: 1\n"
              "run: {start: 0, stop: 5e-9, rtol: 1e-8, atol: 1e-11}\n"
              "subsystems: {a: {model: m0.mo}, b: {model: m1.mo}}\n"
              "couplings:\n"
              "  - signal: a.q = b.q\n"
              "  - signal: b.u = a.out\n",
    .value = { { "a.out", 0.816496580927726, 1e-7 },
               { "b.v", 2.1773242158072694, 3e-7 } },
    .most_steps = 5000,
};

static void a_root_may_begin(void **state)
{
    static const yoke_setting apart[] = { { "run.cluster", "none" } };

    (void)state;
    check(&a_tank_fills_again, 0, NULL);
    check(&a_tank_fills_again, 1, apart);
    check(&a_tank_fills, 0, NULL);
    check(&a_tank_fills, 1, apart);
}

/* The first step is a thousandth of the first window, which is short here; it was
 * nothing beside a time of 1e9. */
static const found late_start = {
    .model = { "model A\n"
               "  input Real y;\n"
               "  Real x(start = 1, fixed = true);\n"
               "equation\n"
               "  der(x) = y;\n"
               "end A;\n",
               "model B\n"
               "  input Real x;\n"
               "  Real y(start = 0, fixed = true);\n"
               "equation\n"
               "  der(y) = (if time > 1e9 + 5 then 1 else 0) - x;\n"
               "end B;\n" },
    .system = "yoke: 1\n"
              "run: {start: 1e9, stop: 1000000010, cluster: none}\n"
              "subsystems: {a: {model: m0.mo}, b: {model: m1.mo}}\n"
              "couplings:\n"
              "  - signal: a.y = b.y\n"
              "  - signal: b.x = a.x\n",
    .value = { { "a.x", -0.12273371453967868, 1e-5 },
               { "b.y", -0.4149031637737687, 1e-5 } },
};

static void a_run_may_begin_late(void **state)
{
    (void)state;
    check(&late_start, 0, NULL);
}

/* The current of a diode is a small difference of two voltages over a small
 * resistance.  The spot check began a tolerance beside in both voltages alike,
 * which is no change of the current. */
static const found rectifier = {
    .model = { "connector Pin\n"
               "  Real v; flow Real i;\n"
               "end Pin;\n"
               "model Source\n"
               "  Pin p;\n"
               "  output Real x(start = 0, fixed = true);\n"
               "  Real s(start = 0, fixed = true);\n"
               "  Real c(start = 2.8096043584739574, fixed = true);\n"
               "equation\n"
               "  der(s) = 1410.815695887027*c; der(c) = "
               "-1410.815695887027*s;\n"
               "  2.5061056843806598e-05*der(x) = (s - x)/165.74137471373049\n"
               "    + p.i;\n"
               "  p.v = x;\n"
               "end Source;\n"
               "model Diode\n"
               "  Pin p, n;\n"
               "  Real s;\n"
               "equation\n"
               "  p.i + n.i = 0;\n"
               "  p.v - n.v = s*(if s < 0 then 1 else 0.33722418422177153);\n"
               "  p.i = s*(if s < 0 then 1e-06 else 1);\n"
               "end Diode;\n"
               "model Load\n"
               "  Pin p;\n"
               "  output Real x(start = 0, fixed = true);\n"
               "equation\n"
               "  4.9474760335084267e-06*der(x) = p.i - x/503.03780991883076;\n"
               "  p.v = x;\n"
               "end Load;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 0.010888932058357795, rtol: 1e-5}\n"
              "subsystems:\n"
              "  d: {model: m0.mo, class: Diode}\n"
              "  l: {model: m0.mo, class: Load}\n"
              "  s: {model: m0.mo, class: Source}\n"
              "couplings:\n"
              "  - connect: [s.p, d.p]\n"
              "  - connect: [d.n, l.p]\n",
    .value = { { "s.x", 0.389654085965838, 2e-5 },
               { "l.x", 0.3892458093375009, 2e-5 } },
};

static void a_current_may_be_a_difference(void **state)
{
    (void)state;
    check(&rectifier, 0, NULL);
}

/* A ring of amplifiers that saturate.  One of them wakes in the second sweep of a
 * window, by what the last of them has changed; the rates of the window before
 * said that nothing was left. */
static const found saturated_ring = {
    .model = { "model N\n"
               "  parameter Real x0 = 0, T = 1;\n"
               "  input Real u;\n"
               "  output Real x(start = x0, fixed = true);\n"
               "equation\n"
               "  der(x) = (31813.66286772618\n"
               "    *max(-1, min(1, -0.00074733783115201943*u)) - x)/T;\n"
               "end N;\n" },
    .system = "yoke: 1\n"
              "run: {stop: 3.4416745901389407, rtol: 1e-3,\n"
              "      atol: 3.1813662867726178e-05, spot: 0}\n"
              "subsystems:\n"
              "  n0: {model: m0.mo, parameters: {x0: -347.29303895086929,\n"
              "       T: 0.44333640233357713}}\n"
              "  n1: {model: m0.mo, parameters: {x0: -22559.392330464121,\n"
              "       T: 0.79422066514557088}}\n"
              "  n3: {model: m0.mo, parameters: {x0: 12139.235495370312,\n"
              "       T: 0.54145723611710617}}\n"
              "  n4: {model: m0.mo, parameters: {x0: 7131.6308125464557,\n"
              "       T: 0.43802056942646173}}\n"
              "  n2: {model: m0.mo, parameters: {x0: -9716.3462938938756,\n"
              "       T: 0.31943964817021697}}\n"
              "couplings:\n"
              "  - signal: n0.u = n4.x; n1.u = n0.x; n2.u = n1.x; n3.u = n2.x\n"
              "  - signal: n4.u = n3.x\n",
    .value = { { "n0.x", 27211.92797, 300.0 },
               { "n1.x", -21335.355, 300.0 },
               { "n4.x", 1542.235, 300.0 } },
};

static void a_ring_may_saturate(void **state)
{
    (void)state;
    check(&saturated_ring, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrections_may_lead_back),
        cmocka_unit_test(a_relay_may_settle),
        cmocka_unit_test(ida_on_short_segments),
        cmocka_unit_test(a_step_at_a_sample),
        cmocka_unit_test(a_constraint_may_begin_at_rest),
        cmocka_unit_test(a_root_may_begin),
        cmocka_unit_test(a_run_may_begin_late),
        cmocka_unit_test(a_current_may_be_a_difference),
        cmocka_unit_test(a_ring_may_saturate),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
