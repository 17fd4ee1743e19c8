/* comp/netlist/system/subsystem_test.c -- netlists as subsystems of system
 * files: driven by other subsystems, joined at ports, and what is refused. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

static yoke_status read_system(yoke_file **out, const char *text,
                               const yoke_file_options *options, yoke_err *err)
{
    write_file("system.yaml", text);
    return yoke_file_read(out, in_scratch("system.yaml"), options, err);
}

/* Runs a system and asks for a value at the end. */
static double end_value(const char *text, const yoke_file_options *options,
                        const char *name)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    double v = NAN;

    CHECK_OK(read_system(&file, text, options, &err), &err);
    yoke_run *run = run_file(file);
    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return v;
}

#define RUN "yoke: 1\nrun: {stop: 2 ms, rtol: 1e-9, atol: 1e-11}\n"

static const char low_pass[] = "low pass\nvdrive in 0 0\nr1 in out 1k\n"
                               "c1 out 0 1u\n.tran 1u 1m\n.end\n";

/* v' = (sin wt - v)/tau */
static double low_pass_exact(double tau, double w, double t)
{
    const double a = w * tau;

    return (sin(w * t) - a * cos(w * t) + a * exp(-t / tau)) / (1.0 + a * a);
}

static const char driven[] =
    RUN "subsystems:\n"
        "  src: {linear: {x: [s, c], A: [[0, w], [-w, 0]], x0: [0, 1]}, "
        "parameters: {w: 2000}}\n"
        "  amp: {netlist: rc.cir, inputs: {vdrive: u}, outputs: [v(out), "
        "i(vdrive)]}\n"
        "couplings: [signal: amp.u = src.s]\n";

static void a_low_pass_is_driven(void **state)
{
    (void)state;
    write_file("rc.cir", low_pass);
    const double exact = low_pass_exact(1e-3, 2000.0, 2e-3);

    CHECK_NEAR(end_value(driven, NULL, "amp.v(out)"), exact, 1e-8);
    CHECK_NEAR(end_value(driven, NULL, "amp.i(vdrive)"),
               (exact - sin(4.0)) * 1e-3, 1e-11);
}

static void settings_replace_values(void **state)
{
    static const yoke_setting set[] = { { "amp.r1", "2 kOhm" },
                                        { "amp.C1", "0.25e-6" } };
    static const yoke_setting wrong[] = { { "amp.r2", "1" } };
    static const yoke_file_options with = { .settings = 2, .setting = set };
    static const yoke_file_options bad = { .settings = 1, .setting = wrong };
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    write_file("rc.cir", low_pass);

    CHECK_NEAR(end_value(driven, &with, "amp.v(out)"),
               low_pass_exact(0.5e-3, 2000.0, 2e-3), 1e-8);
    assert_true(read_system(&file, driven, &bad, &err) < 0);
    CHECK_CONTAINS(err.text, "--set amp.r2=1: there is no element \"r2\"");
}

static void settings_replace_params(void **state)
{
    static const yoke_setting set[] = { { "amp.tau", "1 ms" } };
    static const yoke_file_options with = { .settings = 1, .setting = set };
    (void)state;
    write_file("rc.cir", "low pass\n.param tau=5m c={tau/r}\n.param r=1k\n"
                         "vdrive in 0 0\nr1 in out {r}\nx1 out cap\n"
                         ".subckt cap a\nc1 a 0 {c}\n.ends\n");

    CHECK_NEAR(end_value(driven, &with, "amp.v(out)"),
               low_pass_exact(1e-3, 2000.0, 2e-3), 1e-8);
}

/* q' = -q/(R C(t)) with C = C0 (1 + a t): the charge is what is conserved, so
 * v = q/C = v0 (1 + a t)^(-1 - 1/(R C0 a)).  With i = C v' the exponent would
 * lack the -1. */
static void a_capacitance_is_driven(void **state)
{
    static const char text[] =
        RUN "subsystems:\n"
            "  gap: {linear: {x: [c], A: [[0]], x0: [1], source: [500]}}\n"
            "  cell: {netlist: cell.cir, inputs: {c1: cd}}\n"
            "couplings: [signal: cell.cd = 1e-6*gap.c]\n";
    (void)state;
    write_file("cell.cir", "cell\nr1 out 0 1k\nc1 out 0 1u\n.ic v(out)=1\n");

    CHECK_NEAR(end_value(text, NULL, "cell.v(out)"), pow(2.0, -1.0 - 2.0),
               1e-8);
}

/* L i' + L' i = -R i: i = (1 + a t)^(-1 - R/(L0 a)). */
static void an_inductance_is_driven(void **state)
{
    static const char text[] =
        RUN "subsystems:\n"
            "  gap: {linear: {x: [c], A: [[0]], x0: [1], source: [500]}}\n"
            "  coil: {netlist: coil.cir, inputs: {l1: l, v1: e}, outputs: "
            "[i(l1), v(out)]}\n"
            "  off: {linear: {x: [zero], A: [[0]]}}\n"
            "couplings: [signal: coil.l = 1e-3*gap.c; coil.e = off.zero]\n";
    (void)state;
    write_file("coil.cir", "coil\nv1 in 0 1\nr1 in out 1\nl1 out 0 1m\n");

    CHECK_NEAR(end_value(text, NULL, "coil.i(l1)"), pow(2.0, -1.0 - 2.0), 1e-8);
}

static const char left[] =
    "left\nv1 a 0 sin(0 1 1k)\nr1 a out 1k\nc1 out 0 1u\n";

static double whole(void)
{
    static const char text[] = RUN "subsystems:\n"
                                   "  all: {netlist: all.cir}\n";
    write_file("all.cir", "all\nv1 a 0 sin(0 1 1k)\nr1 a out 1k\nc1 out 0 1u\n"
                          "r2 out b 500\nc2 b 0 2u\n");
    return end_value(text, NULL, "all.v(b)");
}

/* The right side has no path for direct current but its port. */
static void two_netlists_are_joined(void **state)
{
    static const char text[] =
        RUN "subsystems:\n"
            "  left: {netlist: left.cir, ports: [out]}\n"
            "  right: {netlist: right.cir, ports: [in]}\n"
            "couplings: [connect: [left.out, right.in]]\n";
    (void)state;
    write_file("left.cir", left);
    write_file("right.cir", "right\nr2 in b 500\nc2 b 0 2u\n");

    CHECK_NEAR(end_value(text, NULL, "right.v(b)"), whole(), 1e-8);
}

static void netlists_of_included_systems_are_joined(void **state)
{
    static const char text[] =
        RUN "subsystems:\n"
            "  one: {system: one.yaml}\n"
            "  right: {netlist: right.cir, ports: [in]}\n"
            "couplings: [connect: [one.left.x1.out, right.in]]\n";
    (void)state;
    write_file("left.cir", "left\nv1 a 0 sin(0 1 1k)\nx1 a half\n"
                           ".subckt half a\nr1 a out 1k\nc1 out 0 1u\n"
                           ".ends\n");
    write_file("right.cir", "right\nr2 in b 500\nc2 b 0 2u\n");
    write_file("one.yaml", "yoke: 1\nsubsystems:\n"
                           "  left: {netlist: left.cir, ports: [x1.out]}\n");

    CHECK_NEAR(end_value(text, NULL, "right.v(b)"), whole(), 1e-8);
}

static void a_netlist_and_a_model_are_joined(void **state)
{
    static const char text[] =
        RUN "subsystems:\n"
            "  left: {netlist: left.cir, ports: [out]}\n"
            "  load: {model: load.mo, class: Load}\n"
            "couplings: [connect: {ports: [left.out, load.p], name: wire}]\n";
    (void)state;
    write_file("left.cir", left);
    write_file("load.mo",
               "connector Pin\n  Real v;\n  flow Real i;\nend Pin;\n"
               "model Load\n  Pin p;\n  Real b(start = 0, fixed = true);\n"
               "equation\n  p.v - b = 500*p.i;\n  2e-6*der(b) = p.i;\n"
               "end Load;\n");

    CHECK_NEAR(end_value(text, NULL, "load.b"), whole(), 1e-8);
}

/* A port at a voltage source: the source is not short-circuited away. */
static void a_source_has_a_port(void **state)
{
    static const char text[] =
        RUN "subsystems:\n"
            "  supply: {netlist: supply.cir, ports: [a], outputs: [i(v1)]}\n"
            "  load: {netlist: load.cir, ports: [in]}\n"
            "couplings: [connect: [supply.a, load.in]]\n";
    (void)state;
    write_file("supply.cir", "supply\nv1 a 0 5\n");
    write_file("load.cir", "load\nr1 in 0 100\n");

    CHECK_NEAR(end_value(text, NULL, "supply.i(v1)"), -0.05, 1e-10);
}

/* v' = v^2 has a pole at t = 1 ms. */
static void a_failed_run_names_the_elements(void **state)
{
    static const char text[] = RUN "subsystems:\n"
                                   "  cell: {netlist: pole.cir}\n";
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    write_file("pole.cir", "pole\nb1 0 a i=v(a)*v(a)\nc1 a 0 1m\nr1 a 0 1k\n"
                           ".ic v(a)=1\n");

    CHECK_OK(read_system(&file, text, NULL, &err), &err);
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    assert_true(yoke_run_advance(run, o->stop, &err) != YOKE_OK);
    CHECK_CONTAINS(err.text, "subsystem \"cell\", t = ");
    CHECK_CONTAINS(err.text, "pole.cir: b1 (line 2), c1 (line 3), r1 (line 4)");
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void outputs_are_what_couplings_use(void **state)
{
    static const char text[] =
        RUN "subsystems:\n"
            "  a: {netlist: rc.cir}\n"
            "  b: {netlist: rc.cir, inputs: {vdrive: u}}\n"
            "couplings: [signal: b.u = a.v(out) - 2*a.v(in)]\n";
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    write_file("rc.cir", low_pass);

    CHECK_OK(read_system(&file, text, NULL, &err), &err);
    const yoke_graph *graph = yoke_model_graph(yoke_file_model(file));
    const yoke_system_info *f = yoke_system_facts(
        yoke_graph_system(graph, yoke_graph_find(graph, "a")));
    assert_int_equal(f->p, 2);
    assert_string_equal(f->y_name[0], "v(out)");
    assert_string_equal(f->y_name[1], "v(in)");
    CHECK_CONTAINS(yoke_file_report(file, 0), "rc.cir: 3 elements");
    CHECK_CONTAINS(yoke_file_report(file, 0), "its analyses (line 5)");
    yoke_file_free(file);
}

/* ---- refusals ------------------------------------------------------------ */

static const char mixed[] =
    "mixed\nv1 a 0 1\nr1 a b 1k\nl1 b c 1m\nl2 d 0 1m\nk1 l1 l2 0.5\n"
    "r2 c 0 1\nr3 d 0 1\nd1 b 0 dx\n.model dx d\ne1 x 0 b 0 2\nr4 x 0 {1 + "
    "v(b)}\n";

static void bad_uses_are_refused(void **state)
{
    static const struct {
        const char *use, *at, *message; /* at: where it is refused */
    } list[] = {
        { "netlist: none.cir", "none.cir", "none.cir" },
        { "netlist: broken.cir", "broken.cir", "broken.cir:2: " },
        { "netlist: floating.cir", "floating.cir",
          "floating.cir:2: the node of v(b) has no path" },
        { "netlist: mixed.cir, inputs: {r9: u}", "r9",
          "there is no element \"r9\"" },
        { "netlist: mixed.cir, inputs: {l1: u}", "l1", "coupled by \"k1\" (" },
        { "netlist: mixed.cir, inputs: {k1: u}", "k1",
          "is a coupling of inductors: only the value" },
        { "netlist: mixed.cir, inputs: {d1: u}", "d1", "is a diode: only" },
        { "netlist: mixed.cir, inputs: {e1: u}", "e1",
          "is a controlled source: only" },
        { "netlist: mixed.cir, inputs: {r4: u}", "r4", "is the expression" },
        { "netlist: mixed.cir, inputs: {r1: 7}", "r1",
          "\"7\" is not a name for an input" },
        { "netlist: mixed.cir, inputs: {r1: u, r2: u}", "r2",
          "\"u\" occurs twice" },
        { "netlist: mixed.cir, inputs: {r1: u, R1: w}", "R1",
          "\"r1\" occurs twice" },
        { "netlist: mixed.cir, inputs: [r1]", "[r1]", "a map" },
        { "netlist: mixed.cir, outputs: [b]", "b",
          "is v(node) or i(element), not \"b\"" },
        { "netlist: mixed.cir, outputs: [v(q)]", "v(q)",
          "there is no node for \"v(q)\"" },
        { "netlist: mixed.cir, outputs: [i(r1)]", "i(r1)",
          "a resistor, is not a variable; put a voltage source of 0 V" },
        { "netlist: mixed.cir, outputs: ['v(a,b)']", "v(a,b)",
          "is a difference" },
        { "netlist: mixed.cir, ports: [q]", "q", "there is no node \"q\"" },
        { "netlist: mixed.cir, ports: [0]", "0", "ground is not a port" },
        { "netlist: mixed.cir, ports: [b, B]", "B", "\"b\" occurs twice" },
        { "netlist: mixed.cir, parameters: {d1: 3}", "3",
          "is a diode: only the value of a resistor" },
        { "netlist: mixed.cir, parameters: {r1: 0}", "0", "is zero" },
        { "netlist: mixed.cir, parameters: {z: 8}", "8", ", nor a .param" },
        { "netlist: mixed.cir, parameters: {r2: 5m}", "5m",
          "\"5m\" has a suffix of SPICE" },
        { "netlist: mixed.cir, parameters: {r2: 2MEG}", "2MEG", "2 kOhm" },
        { "netlist: both.cir, parameters: {r1: 8}", "8",
          "is an element and a .param" },
        { "netlist: mixed.cir, class: X", "X",
          "\"class\" is for a \"model\" only" },
        { "linear: {A: [[0]]}, ports: [b]", "[b]",
          "\"ports\" is for a \"netlist\" only" },
    };
    (void)state;
    write_file("mixed.cir", mixed);
    write_file("both.cir", "both\n.param r1=2\nr1 a 0 {r1}\n");
    write_file("broken.cir", "broken\nr1 a 0\n");
    write_file("floating.cir", "floating\nc1 b 0 1n\n");

    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        char text[400], place[300];
        yoke_file *file = NULL;
        yoke_err err = { YOKE_OK, "" };
        snprintf(text, sizeof text, RUN "# a comment\nsubsystems:\n  a: {%s}\n",
                 list[k].use);
        const yoke_status status = read_system(&file, text, NULL, &err);
        if (status >= 0) fail_msg("this was accepted: %s", list[k].use);
        assert_null(file);
        snprintf(place, sizeof place, "system.yaml:5:%d: ",
                 (int)(strstr(list[k].use, list[k].at) - list[k].use) + 7);
        CHECK_CONTAINS(err.text, place);
        CHECK_CONTAINS(err.text, list[k].message);
    }
}

static void bad_couplings_are_refused(void **state)
{
    static const struct {
        const char *coupling, *message;
    } list[] = {
        { "signal: b.u = a.v(nowhere)",
          ":6:27: there is no node for \"v(nowhere)\"" },
        { "signal: b.u = a.i(r1)", ":6:27: the current of \"r1\" (" },
        { "signal: b.u = a.v(out", "a closing \")\" is missing here" },
        { "signal: b.r1 = a.v(out)", "has no input \"r1\"; it has: u" },
        { "connect: [a.out, b.out]", "\"out\" is not a port of \"a\"" },
    };
    (void)state;
    write_file("rc.cir", low_pass);

    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        char text[400];
        yoke_file *file = NULL;
        yoke_err err = { YOKE_OK, "" };
        snprintf(text, sizeof text,
                 RUN "subsystems:\n  a: {netlist: rc.cir}\n"
                     "  b: {netlist: rc.cir, inputs: {vdrive: u}}\n"
                     "couplings: [%s]\n",
                 list[k].coupling);
        if (read_system(&file, text, NULL, &err) >= 0)
            fail_msg("this was accepted: %s", list[k].coupling);
        CHECK_CONTAINS(err.text, list[k].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_low_pass_is_driven),
        cmocka_unit_test(settings_replace_values),
        cmocka_unit_test(settings_replace_params),
        cmocka_unit_test(a_capacitance_is_driven),
        cmocka_unit_test(an_inductance_is_driven),
        cmocka_unit_test(two_netlists_are_joined),
        cmocka_unit_test(netlists_of_included_systems_are_joined),
        cmocka_unit_test(a_netlist_and_a_model_are_joined),
        cmocka_unit_test(a_source_has_a_port),
        cmocka_unit_test(a_failed_run_names_the_elements),
        cmocka_unit_test(outputs_are_what_couplings_use),
        cmocka_unit_test(bad_uses_are_refused),
        cmocka_unit_test(bad_couplings_are_refused),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
