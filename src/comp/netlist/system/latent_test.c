/* comp/netlist/system/latent_test.c -- circuits whose cells at rest are not
 * solved: with switches, with sources that never rest, slow ones, and as
 * subsystems of a system file. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include "step/steppers.h"

#include <stdarg.h>

/* A text that grows. */
typedef struct text {
    char *at;
    size_t length, room;
} text;

static void add(text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    t->length +=
        (size_t)vsnprintf(t->at + t->length, t->room - t->length, format, list);
    va_end(list);
    assert_true(t->length + 1 < t->room);
}

static text new_text(void)
{
    text t = { .room = 100000 };

    t.at = test_malloc(t.room);
    t.at[0] = '\0';
    return t;
}

/* Runs a netlist with these tolerances; values at t, and the work. */
static void values_at(const char *netlist, double rtol, double t, int count,
                      const char *const *name, double *v, yoke_work *work)
{
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_run_result r;

    CHECK_OK(yoke_file_parse(&file, "test.cir", netlist, strlen(netlist), NULL,
                             &err),
             &err);
    yoke_run_options options = *yoke_file_run_options(file);
    options.iterate.rtol = options.iterate.atol = rtol;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &options, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, t, &err), &err);
    for (int k = 0; k < count; k++)
        CHECK_OK(yoke_run_value(run, name[k], &v[k], &err), &err);
    yoke_run_summary(run, &r);
    if (work) *work = r.work;
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
}

/* ---- switches ------------------------------------------------------------ */

/* Each relay is closed by the voltage that the one before switched; beside them
 * a low pass that a sine never lets rest, and relays that nobody moves. */
static char *relays(int stages, int idle, const char *latent)
{
    text t = new_text();

    add(&t,
        "relays\n* yoke: latent %s\n.model sw sw(vt=1.5 vh=0.2 ron=1k "
        "roff=100meg)\nvdd vdd 0 3\nvin n0 0 pulse(0 3 1n 0.1n 0.1n 10n 1)\n"
        "vs sin 0 sin(0 1 200meg)\nrs sin ss 1k\ncs ss 0 1p\n",
        latent);
    for (int k = 0; k < stages; k++)
        add(&t, "s%d vdd n%d n%d 0 sw\nr%d n%d 0 20k\nc%d n%d 0 0.2p\n", k,
            k + 1, k, k, k + 1, k, k + 1);
    for (int k = 0; k < idle; k++)
        add(&t,
            "si%d vdd i%d j%d 0 sw\nri%d i%d 0 20k\nci%d i%d 0 0.2p\nrj%d j%d "
            "0 1k\ncj%d j%d 0 1p\n",
            k, k, k, k, k, k, k, k, k, k, k);
    add(&t, ".tran 0.05n 30n\n.end\n");
    return t.at;
}

static void switches_sleep_and_wake(void **state)
{
    static const char *const name[] = { "v(n3)", "v(n30)", "v(n40)", "v(ss)",
                                        "v(i3)" };
    double whole[5], slept[5];
    (void)state;

    for (double t = 4e-9; t < 31e-9; t += 3.7e-9) {
        char *a = relays(40, 5, "no"), *b = relays(40, 5, "yes");
        yoke_work work;
        values_at(a, 1e-7, t, 5, name, whole, NULL);
        values_at(b, 1e-6, t, 5, name, slept, &work);
        for (int k = 0; k < 5; k++) CHECK_NEAR(slept[k], whole[k], 2e-5);
        assert_true(work.events > 0);
        test_free(a);
        test_free(b);
    }
}

/* Residuals of the second half of the run: all cells are looked at in the
 * first one. */
static long late_residuals(int idle, double *v)
{
    static const char *const name[] = { "v(n40)" };
    char *netlist = relays(40, idle, "yes");
    yoke_work half, all;

    values_at(netlist, 1e-5, 15e-9, 1, name, v, &half);
    values_at(netlist, 1e-5, 30e-9, 1, name, v, &all);
    test_free(netlist);
    return all.residuals - half.residuals;
}

static void switches_at_rest_cost_nothing(void **state)
{
    double v[2];
    (void)state;
    const long few = late_residuals(5, &v[0]),
               many = late_residuals(200, &v[1]);

    CHECK_NEAR(v[0], v[1], 1e-4);
    assert_true(few > 100);
    assert_true((double)many < 1.1 * (double)few);
}

/* A control that sits exactly on the level of its switch. */
static bool stop_when_counted(void *context)
{
    return --*(int *)context == 0;
}

/* Stopped inside its only window, in several places, it goes on from there as
 * if nothing had been. */
static void steps_of_pieces_can_be_stopped(void **state)
{
    static const char *const name[] = { "v(n3)", "v(ss)" };
    static const int after[] = { 1, 40, 250 };
    char *const netlist = relays(6, 20, "yes");
    (void)state;
    for (int k = 0; k < 3; k++) {
        int left = after[k];
        const yoke_watcher watcher = { .stop = stop_when_counted,
                                       .context = &left };
        yoke_file *file = NULL;
        yoke_run *run = NULL;
        yoke_err err = { YOKE_OK, "" };
        double v[2], whole[2];
        CHECK_OK(yoke_file_parse(&file, "test.cir", netlist, strlen(netlist),
                                 NULL, &err),
                 &err);
        yoke_run_options options = *yoke_file_run_options(file);
        options.iterate.window = options.stop;
        options.iterate.rtol = options.iterate.atol = 1e-6;
        CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &options,
                                 &watcher, &err),
                 &err);
        CHECK_STATUS(yoke_run_advance(run, options.stop, &err), YOKE_STOPPED,
                     &err);
        assert_int_equal(left, 0);
        CHECK_CONTAINS(err.text, "stopped at t = 0 on request");
        CHECK_OK(yoke_run_advance(run, options.stop, &err), &err);
        for (int i = 0; i < 2; i++)
            CHECK_OK(yoke_run_value(run, name[i], &v[i], &err), &err);
        CHECK_OK(yoke_run_close(run, NULL), NULL);
        yoke_file_free(file);
        values_at(netlist, 1e-6, options.stop, 2, name, whole, NULL);
        for (int i = 0; i < 2; i++) CHECK_NEAR(v[i], whole[i], 1e-4);
    }
    test_free(netlist);
}

static void a_control_on_its_level_is_no_event(void **state)
{
    static const char *const name[] = { "v(b0)", "v(c)" };
    text t = new_text();
    double v[2];
    (void)state;

    add(&t, "level\n.model sw sw(vt=0 ron=1 roff=1meg)\nvz z 0 0\nvd d 0 1\n"
            "vp p 0 pulse(0 1 1u 1u 1u 5u 10u)\nrp p c 1k\ncp c 0 0.1n\n");
    for (int k = 0; k < 20; k++)
        add(&t, "s%d d b%d z 0 sw\nr%d b%d 0 1meg\nc%d b%d 0 1p\n", k, k, k, k,
            k, k);
    add(&t, ".tran 0.1u 50u\n.end\n");
    values_at(t.at, 1e-5, 50e-6, 2, name, v, NULL);
    CHECK_NEAR(v[0], 0.5, 1e-4);
    test_free(t.at);
}

/* ---- slow cells ---------------------------------------------------------- */

/* Capacitors that lose a part in ten thousand per window at first: what a cell
 * moves while it sleeps must not add up over the windows. */
static void slow_cells_are_no_cells_at_rest(void **state)
{
    static const char *const name[] = { "v(a0)", "v(a19)" };
    text t = new_text();
    double v[2];
    (void)state;

    add(&t, "slow\nvp p 0 sin(0 1 100k)\nrp p q 1k\ncp q 0 0.1n\n");
    for (int k = 0; k < 20; k++)
        add(&t, "r%d a%d 0 %dk\nc%d a%d 0 1u ic=1\n", k, k, k + 1, k, k);
    add(&t, ".tran 1u 1m uic\n.end\n");
    values_at(t.at, 1e-3, 1e-3, 2, name, v, NULL);
    CHECK_NEAR(v[0], exp(-1.0), 2e-3);
    CHECK_NEAR(v[1], exp(-1.0 / 20.0), 2e-3);
    test_free(t.at);
}

/* ---- subsystems ---------------------------------------------------------- */

static void write_chain(const char *path, int stages)
{
    text t = new_text();

    add(&t, "chain\n.model n nmos vto=0.7 kp=100u lambda=0.02 cgso=4e-10 "
            "cgdo=4e-10 cj=1e-4\n.model p pmos vto=-0.7 kp=40u lambda=0.02 "
            "cgso=4e-10 cgdo=4e-10 cj=1e-4\nvdd vdd 0 3\nvin in 0 0\n"
            "rin in n0 100\n");
    for (int k = 0; k < stages; k++)
        add(&t,
            "mn%d n%d n%d 0 0 n w=2u l=0.5u as=2p ad=2p\nmp%d n%d n%d vdd vdd "
            "p w=5u l=0.5u as=5p ad=5p\nc%d n%d 0 5f\n",
            k, k + 1, k, k, k + 1, k, k, k + 1);
    write_file(path, t.at);
    test_free(t.at);
}

/* The chain is driven by one netlist and loaded by another, joined at a port:
 * sweeps are repeated. */
static void run_coupled(const char *latent, const char *more, double *v,
                        long *residuals)
{
    static const char *const name[] = { "chain.v(n12)", "chain.v(n30)",
                                        "load.v(a)" };
    text t = new_text();
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_run_result r;

    add(&t,
        "yoke: 1\nrun: {stop: 1.7 ns, cluster: none, %s}\nsubsystems:\n"
        "  src: {netlist: src.cir, outputs: [v(a)]}\n"
        "  chain: {netlist: chain.cir, inputs: {vin: u}, outputs: [v(n12)], "
        "ports: [n30], latent: %s}\n"
        "  load: {netlist: load.cir, outputs: [v(a)], ports: [out]}\n"
        "couplings: [signal: chain.u = src.v(a), connect: [chain.n30, "
        "load.out]]\n",
        more, latent);
    write_file("system.yaml", t.at);
    CHECK_OK(yoke_file_read(&file, in_scratch("system.yaml"), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    for (int k = 0; k < 3; k++)
        CHECK_OK(yoke_run_value(run, name[k], &v[k], &err), &err);
    yoke_run_summary(run, &r);
    assert_true(r.converged);
    *residuals = r.work.residuals;
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    test_free(t.at);
}

static void a_subsystem_sleeps(void **state)
{
    double whole[3], slept[3];
    long residuals = 0;
    (void)state;

    write_chain("chain.cir", 30);
    write_file("src.cir", "src\nv1 b 0 pulse(0 3 0.2n 0.1n 0.1n 0.8n 1)\nr1 b "
                          "a 1k\nc1 a 0 50f\n");
    write_file("load.cir", "load\nrl out a 1k\ncl a 0 20f\n");
    run_coupled("no", "rtol: 1e-7, atol: 1e-8", whole, &residuals);
    assert_true(whole[1] > 0.1 && whole[1] < 2.9); /* it is in motion */
    run_coupled("yes", "rtol: 1e-6, atol: 1e-7", slept, &residuals);
    for (int k = 0; k < 3; k++) CHECK_NEAR(slept[k], whole[k], 2e-4);
}

/* A capacitance that another subsystem changes wakes its cell alone. */
static void an_input_wakes_its_cell(void **state)
{
    text t = new_text();
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    double v[2];
    (void)state;

    add(&t, "cells\nvd d 0 1\nrx d x 1k\ncx x 0 1n\n");
    for (int k = 0; k < 30; k++)
        add(&t, "ra%d d a%d 1k\nrb%d a%d 0 1k\nca%d a%d 0 1n\n", k, k, k, k, k,
            k);
    write_file("cells.cir", t.at);
    write_file("system.yaml",
               "yoke: 1\nrun: {stop: 10 us, rtol: 1e-6, atol: 1e-9}\n"
               "subsystems:\n"
               "  gap: {linear: {x: [c], A: [[0]], x0: [1e-9], source: "
               "[1e-4]}}\n"
               "  cells: {netlist: cells.cir, inputs: {cx: c}, outputs: [v(x), "
               "v(a3), v(d)]}\n"
               "couplings: [signal: cells.c = gap.c]\n");
    CHECK_OK(yoke_file_read(&file, in_scratch("system.yaml"), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    CHECK_OK(yoke_run_value(run, "cells.v(x)", &v[0], &err), &err);
    CHECK_OK(yoke_run_value(run, "cells.v(a3)", &v[1], &err), &err);
    /* (c v)' = (1 - v) / R with c = c0 + a t: v = v1 + (1 - v1) (c/c0)^-p */
    const double a = 1e-4, p = 1.0 + 1.0 / (1e3 * a);
    const double rest = 1.0 / p / (1e3 * a);
    CHECK_NEAR(v[0], rest + (1.0 - rest) * pow(1.0 + a * 1e-5 / 1e-9, -p),
               1e-6);
    CHECK_NEAR(v[1], 0.5, 1e-9);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    test_free(t.at);
}

/* ---- waveforms ----------------------------------------------------------- */

static void write_result(const char *latent, double rtol, const char *path)
{
    text t = new_text();
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_run_result r;

    add(&t,
        "chain\n* yoke: latent %s\n.model n nmos vto=0.7 kp=100u cgso=4e-10 "
        "cgdo=4e-10\n.model p pmos vto=-0.7 kp=40u cgso=4e-10 cgdo=4e-10\n"
        "vdd vdd 0 3\nvin n0 0 pulse(0 3 0.2n 0.1n 0.1n 1n 1)\n",
        latent);
    for (int k = 0; k < 24; k++)
        add(&t,
            "mn%d n%d n%d 0 0 n w=2u l=0.5u\nmp%d n%d n%d vdd vdd p w=5u "
            "l=0.5u\nc%d n%d 0 5f\n",
            k, k + 1, k, k, k + 1, k, k, k + 1);
    add(&t, ".tran 2p 2n\n.save v(n0) v(n20) i(vin) i(vdd)\n.end\n");
    CHECK_OK(yoke_file_parse(&file, "test.cir", t.at, strlen(t.at), NULL, &err),
             &err);
    yoke_run_options options = *yoke_file_run_options(file);
    options.iterate.rtol = options.iterate.atol = rtol;
    options.output = path;
    CHECK_OK(yoke_simulate(yoke_file_model(file), &options, &r, &err), &err);
    yoke_file_free(file);
    test_free(t.at);
}

/* Also those of currents that jump where the slope of a source does. */
static void waveforms_are_those_of_the_whole(void **state)
{
    static const struct {
        const char *name;
        double most;
    } list[] = { { "v(n0)", 1e-9 },
                 { "v(n20)", 1e-3 },
                 { "i(vin)", 2e-6 },
                 { "i(vdd)", 2e-6 } };
    char whole[300], slept[300];
    yoke_table *a = NULL, *b = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    snprintf(whole, sizeof whole, "%s", in_scratch("whole.raw"));
    snprintf(slept, sizeof slept, "%s", in_scratch("slept.raw"));
    write_result("no", 1e-8, whole);
    write_result("yes", 1e-5, slept);
    CHECK_OK(yoke_table_read(&a, whole, "result", &err), &err);
    CHECK_OK(yoke_table_read(&b, slept, "result", &err), &err);
    for (int k = 0; k < 4; k++) {
        yoke_difference d;
        CHECK_OK(yoke_table_compare(a, b, list[k].name, &d, &err), &err);
        if (d.max_abs > list[k].most)
            fail_msg("%s differs by %g at t = %g", list[k].name, d.max_abs,
                     d.at_time);
    }
    yoke_table_free(a);
    yoke_table_free(b);
}

/* ---- sweeps -------------------------------------------------------------- */

/* Sweeps from the same point give the same, whatever was done in between; so
 * does one that begins with the values of another in its middle. */
static void sweeps_can_be_repeated(void **state)
{
    char *netlist = relays(30, 0, "yes");
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    yk_propagator p = { 0 };
    yoke_stepper_options how = yoke_stepper_defaults();
    yk_wave *y = NULL;
    double first[30], again[30], y0[8] = { 0.0 };
    int watch[30];
    (void)state;

    CHECK_OK(yoke_file_parse(&file, "test.cir", netlist, strlen(netlist), NULL,
                             &err),
             &err);
    yoke_system *system =
        yoke_graph_system(yoke_model_graph(yoke_file_model(file)), 0);
    for (int k = 0; k < 30; k++) watch[k] = k;
    how.given = true;
    CHECK_OK(yk_stepper_create(&p, system, &how, 30, watch, &err), &err);
    assert_true(p.p <= 8);
    CHECK_OK(yk_wave_create(&y, p.p, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 3e-9, NULL, y, &err), &err);
    CHECK_OK(p.ops->accept(p.self, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 9e-9, NULL, y, &err), &err);
    yk_wave_eval(p.ops->watched(p.self), 9e-9, NULL, first);
    CHECK_OK(p.ops->sweep(p.self, 20e-9, NULL, y, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 4e-9, NULL, y, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 9e-9, NULL, y, &err), &err);
    yk_wave_eval(p.ops->watched(p.self), 9e-9, NULL, again);
    for (int k = 0; k < 30; k++) CHECK_NEAR(again[k], first[k], 1e-5);
    const double *instant = NULL;
    const int count = p.ops->instants(p.self, &instant);
    assert_true(count > 3);
    for (int k = 1; k < count; k++)
        assert_true(instant[k] >= instant[k - 1] && instant[k] < 9e-9);
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_file_free(file);
    test_free(netlist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_sleep_and_wake),
        cmocka_unit_test(switches_at_rest_cost_nothing),
        cmocka_unit_test(steps_of_pieces_can_be_stopped),
        cmocka_unit_test(a_control_on_its_level_is_no_event),
        cmocka_unit_test(slow_cells_are_no_cells_at_rest),
        cmocka_unit_test(a_subsystem_sleeps),
        cmocka_unit_test(an_input_wakes_its_cell),
        cmocka_unit_test(waveforms_are_those_of_the_whole),
        cmocka_unit_test(sweeps_can_be_repeated),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
