/* file/declared_units_test.c -- units of another dimension are refused. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#define LINEAR "subsystems:\n  a: {linear: {A: -1, x0: 1}%s}\n"

static void refuse(const char *run, const char *more, const char *place,
                   const char *message)
{
    char text[600];

    snprintf(text, sizeof text, "yoke: 1\nrun: {%s}\n" LINEAR, run, more);
    refused(text, place, message);
}

static void times_are_times(void **state)
{
    (void)state;
    refuse("stop: 100m", "", "f:2:16:", "did you mean \"ms\"");
    refuse("stop: 1, start: 0 V", "", "f:2:", "one like \"s\"");
    refuse("stop: 1, window: 3 T", "", "f:2:", "the tesla");
    refuse("stop: 1, every: 2 m", "", "f:2:", "did you mean \"ms\"");
    refuse("stop: 1, step: 2 m", "", "f:2:", "did you mean \"ms\"");
    refuse("stop: 1, min_window: 1 1/s", "", "f:2:", "one like \"s\"");
    refuse("stop: 1", ", max_step: 1m", "f:4:", "did you mean \"ms\"");
    refuse("stop: 1", ", step: 1 kg", "f:4:", "one like \"s\"");
    refuse("stop: 1, rtol: 1m", "", "f:2:", "write 1e-3");
    refuse("stop: 1, max_sweeps: 3 s", "", "f:2:", "without a unit");
    refused("yoke: 1\nsubsystems:\n  a: {linear: {A: -1, B: 1, u: u}}\n"
            "couplings:\n- signal: a.u = a.x1\n  delay: 5m\n",
            "f:6:", "did you mean \"ms\"");
    yoke_file_free(parse("yoke: 1\nrun: {stop: 1 min, window: 5 ms, every: "
                         "0.1 h, atol: 1 uV}\nsubsystems:\n"
                         "  a: {linear: {A: -1}, max_step: 10 us}\n"));
}

static void settings_are_checked(void **state)
{
    const yoke_setting set[] = { { "run.stop", "100m" } };
    const yoke_file_options options = { .settings = 1, .setting = set };
    (void)state;
    refused_with("yoke: 1\nsubsystems:\n  a: {linear: {A: -1}}\n", &options,
                 "--set run.stop=100m", "did you mean \"ms\"");
}

#define PART "yoke: 1\nsubsystems:\n  m: {component: "

static void components_have_units(void **state)
{
    static const char *const wrong[] = {
        PART "mechanism, masses: {h: 9 m}}\n",
        PART "mechanism, masses: {h: {mass: 9, force: 3 m}}}\n",
        PART "mechanism, masses: {h: {mass: 9, start: 3 s}}}\n",
        PART "mechanism, masses: {h: {mass: 9, velocity: 3 m}}}\n",
        PART "mechanism, masses: {h: 9}, springs: [{between: [ground, h], "
             "stiffness: 3 N}]}\n",
        PART "mechanism, masses: {h: 9}, eta: 3 s}\n",
        PART "multibody, bodies: {b: {mass: 1, inertia: 1 kg}}}\n",
        PART "multibody, bodies: {b: {mass: 1, inertia: 1, position: [1 s, "
             "0]}}}\n",
        PART "multibody, bodies: {b: {mass: 1, inertia: 1}}, torsion: "
             "[{between: [ground, b], stiffness: 3 N/m}]}\n",
        PART "multibody, gravity: [0, -9.81 m/s], bodies: {b: {mass: 1, "
             "inertia: 1}}}\n",
        PART "wires, span: 20 s, nodes: 9, wires: {w: {density: 1, tension: "
             "1}}}\n",
        PART "wires, span: 20 m, nodes: 9, wires: {w: {density: 1 kg, "
             "tension: 1}}}\n",
    };
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        refused(wrong[k], "f:3:", "is expected");
}

#define MODEL                                                                  \
    "model M\n  parameter Real C(unit = \"F\") = 1;\n"                         \
    "  parameter Real k[2](each unit = \"N/m\") = {1, 2};\n"                   \
    "  parameter Real odd(unit = \"furlong\") = 1;\n"                          \
    "  input Real u(unit = \"V\");\n  output Real i(unit = \"A\");\n"          \
    "  output Real v(unit = \"mV\");\n"                                        \
    "equation\n  i = C*u*k[1]*odd;\n  v = 2*u;\nend M;\n"

static void model(const char *parameters, const char *signals,
                  const char *message)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    char text[800];

    write_file("units.mo", MODEL);
    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  a: {model: units.mo, parameters: {%s}}\n"
             "  b: {model: units.mo}\n  z: {linear: {A: -1}}\n"
             "couplings:\n- signal: [%s]\n",
             parameters, signals);
    write_file("units.yoke", text);
    const yoke_status status =
        yoke_file_read(&file, in_scratch("units.yoke"), NULL, &err);
    if (!message)
        CHECK_OK(status, &err);
    else {
        CHECK_STATUS(status, YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, message);
        CHECK_CONTAINS(err.text, "units.yoke:");
    }
    yoke_file_free(file);
}

static void models_declare_units(void **state)
{
    static const char free[] = "a.u = z.x1, b.u = z.x1";
    (void)state;
    model("C: 10 uF, k: [1 kN/m, 2]", free, NULL);
    model("C: 10", free, NULL);
    model("odd: 3", free, NULL);
    model("odd: 3 m", free, "(the model declares odd in furlong)");
    model("C: 10 V", free, "the model declares C in F");
    model("C: 10m", free, "did you mean \"mF\"");
    model("k: [1, 2 m]", free, "the model declares k in N/m");
}

/* 2 m are 2000 mm; numbers without a unit are in that of the model, and what is
 * computed from others is computed in SI units. */
static void values_are_in_the_units_of_the_model(void **state)
{
    static const char text[] =
        "yoke: 1\nrun: {stop: 1}\nsubsystems:\n"
        "  a: {model: lengths.mo, parameters: {L: 2 m, W: 3, H: 2*L m}}\n";
    static const struct {
        const char *name;
        double value;
    } right[] = { { "a.l", 2000.0 }, { "a.w", 3.0 }, { "a.h", 4000.0 } };
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    double value = NAN;

    (void)state;
    write_file(
        "lengths.mo",
        "model M\n  parameter Real L(unit = \"mm\"), W(unit = \"mm\"), "
        "H(unit = \"mm\");\n  output Real l, w, h;\n  Real x(start = 0);\n"
        "equation\n  der(x) = 1; l = L + 0*x; w = W + 0*x; h = H + 0*x;\n"
        "end M;\n");
    write_file("lengths.yoke", text);
    CHECK_OK(yoke_file_read(&file, in_scratch("lengths.yoke"), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(yoke_run_value(run, right[k].name, &value, &err), &err);
        CHECK_NEAR(value, right[k].value, 1e-9);
    }
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

/* mV become V, with either sign; a factor says it all. */
static void signals_are_converted(void **state)
{
    static const struct {
        const char *signal;
        double value;
    } right[] = { { "a.u = b.v", 6e-3 },
                  { "a.u = 1 - b.v", 1.0 - 6e-3 },
                  { "a.u = 0.5*b.v", 3.0 } };
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    write_file("units.mo", MODEL);
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
        yoke_file *file = NULL;
        char text[400];
        double value = NAN;

        snprintf(text, sizeof text,
                 "yoke: 1\nrun: {stop: 1}\nsubsystems:\n"
                 "  a: {model: units.mo}\n  b: {model: units.mo}\n"
                 "couplings:\n- signal: %s\n- signal: b.u = 3\n",
                 right[k].signal);
        write_file("convert.yoke", text);
        CHECK_OK(yoke_file_read(&file, in_scratch("convert.yoke"), NULL, &err),
                 &err);
        yoke_run *run = run_file(file);
        CHECK_OK(yoke_run_value(run, "a.v", &value, &err), &err);
        CHECK_NEAR(value, 2.0 * right[k].value, 1e-9);
        CHECK_OK(yoke_run_close(run, &err), &err);
        yoke_file_free(file);
    }
}

static void ports_declare_units(void **state)
{
    (void)state;
    model("", "a.u = 0.001*b.v, b.u = z.x1", NULL);
    model("", "a.u = b.i, b.u = z.x1", "\"a.u\" is declared in V");
    model("", "a.u = -b.i, b.u = z.x1", "\"b.i\" in A");
    model("", "a.u = 50*b.i, b.u = z.x1", NULL);
}

static void write_port_model(const char *name, const char *unit)
{
    char text[400], file[40];

    snprintf(text, sizeof text,
             "model %s\n  input Real 'p.i';\n"
             "  output Real 'p.v'(start = 0, unit = \"%s\");\nequation\n"
             "  der('p.v') = 1 + 'p.i';\nend %s;\n",
             name, unit, name);
    snprintf(file, sizeof file, "%s.mo", name);
    write_file(file, text);
}

/* Where nothing is converted the units are the same. */
static void what_is_joined_has_one_unit(void **state)
{
    static const char *const join[] = {
        "constraint: {equation: a.p.v = b.p.v, multiplier: i, enters: [a.p.i "
        "= i, b.p.i = -i]}",
        "connect: [a.p, b.p]",
    };
    (void)state;
    for (int i = 0; i < 4; i++) {
        yoke_file *file = NULL;
        yoke_err err = { YOKE_OK, "" };
        char text[400];

        write_port_model("left", "V");
        write_port_model("right", i < 2 ? "mV" : "V");
        snprintf(text, sizeof text,
                 "yoke: 1\nsubsystems:\n  a: {model: left.mo}\n"
                 "  b: {model: right.mo}\ncouplings:\n- %s\n",
                 join[i % 2]);
        write_file("join.yoke", text);
        const yoke_status status =
            yoke_file_read(&file, in_scratch("join.yoke"), NULL, &err);
        yoke_file_free(file);
        if (i >= 2) {
            CHECK_OK(status, &err);
            continue;
        }
        CHECK_STATUS(status, YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, "only signals convert units");
    }
}

/* A signal from mV to V, and the same out of an included system. */
static void units_go_through_included_systems(void **state)
{
    static const char *const part[] = { "{model: right.mo}",
                                        "{system: in.yoke}" };
    static const char *const port[] = { "b.p", "b.r.p" };
    double weight[2] = { 0.0, 0.0 };
    (void)state;
    write_port_model("left", "V");
    write_port_model("right", "mV");
    write_file("in.yoke", "yoke: 1\nsubsystems:\n  r: {model: right.mo}\n");
    write_file("taker.mo",
               "model taker\n  input Real u(unit = \"V\");\n"
               "  output Real y;\nequation\n  y = u;\nend taker;\n");
    for (int i = 0; i < 2; i++) {
        yoke_file *file = NULL;
        yoke_err err = { YOKE_OK, "" };
        const yoke_link *link = NULL;
        char text[400];

        snprintf(text, sizeof text,
                 "yoke: 1\nsubsystems:\n  a: {model: taker.mo}\n  b: %s\n"
                 "couplings:\n- signal: a.u = %s.v\n- signal: %s.i = 0\n",
                 part[i], port[i], port[i]);
        write_file("through.yoke", text);
        CHECK_OK(yoke_file_read(&file, in_scratch("through.yoke"), NULL, &err),
                 &err);
        yoke_graph_links(yoke_model_graph(yoke_file_model(file)), &link);
        weight[i] = link[0].weight;
        yoke_file_free(file);
    }
    CHECK_NEAR(weight[0], 1e-3, 1e-15);
    CHECK_NEAR(weight[1], 1e-3, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_times),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(components_have_units),
        cmocka_unit_test(models_declare_units),
        cmocka_unit_test(values_are_in_the_units_of_the_model),
        cmocka_unit_test(signals_are_converted),
        cmocka_unit_test(ports_declare_units),
        cmocka_unit_test(what_is_joined_has_one_unit),
        cmocka_unit_test(units_go_through_included_systems),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
