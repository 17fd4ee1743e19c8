/* comp/semiconductor/read_test.c -- diodes in system files, and their
 * transients. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"
#include "sys/call.h"

#define HEAD                                                                   \
    "yoke: 1\n"                                                                \
    "run: {stop: 4 ps, window: 0.1 ps, rtol: 1e-7, atol: 1e-10, scheme: "      \
    "monolithic}\n"                                                            \
    "subsystems:\n"

/* 20 cells are enough for what is tested here. */
#define DIODE(more)                                                            \
    "  d:\n"                                                                   \
    "    component: diode\n"                                                   \
    "    parameters: {C0: 5e18 1/cm^3, N: 2}\n"                                \
    "    length: 100 nm\n"                                                     \
    "    area: 1e-14 m^2\n"                                                    \
    "    copies: N\n"                                                          \
    "    doping:\n"                                                            \
    "      - {layer: [0, 50 nm], density: C0}\n"                               \
    "      - {layer: [50 nm, 100 nm], density: -C0}\n"                         \
    "    grid: {cells: 40}\n" more

#define DRIVE(formula)                                                         \
    "  drive: {linear: {E: 0, A: -1, source: " formula ", x: v}, stepper: "    \
    "radau5}\n"

#define COUPLED "couplings: [{signal: d.v = drive.v}]\n"

static const char *const fields[] = { "n", "p" };

/* The least density of all points. */
static double least_density(const yoke_run *run)
{
    double least = INFINITY;

    for (int k = 1; k < 40; k++)
        for (int f = 0; f < 2; f++) {
            char name[24];
            snprintf(name, sizeof name, "d.%s[%d]", fields[f], k);
            least = fmin(least, value_of(run, name));
        }
    return least;
}

/* Pulses of 1 V in both directions within 0.1 ps, and a reverse bias of 3 V. */
static void densities_stay_positive(void **state)
{
    static const char *const method[] = { "radau5", "trbdf2",
                                          "genalpha\n    rtol: 1e-5",
                                          "bdf2\n    step: 5 fs",
                                          "implicit-euler\n    step: 50 fs" };
    static const char *const drive[] = {
        "1.1*sin(2*pi*2e12*time)",
        "-3*tanh(time/1e-13)",
        ("max(min((time - 1e-12)/5e-14, 1), 0) - "
         "2*max(min((time - 2.5e-12)/5e-14, 1), 0)"),
    };

    (void)state;
    for (int k = 0; k < 15; k++) {
        static char text[4096];
        snprintf(text, sizeof text,
                 HEAD DIODE("    stepper: %s\n") DRIVE("\"%s\"") COUPLED,
                 method[k % 5], drive[k / 5]);
        yoke_file *file = parse(text);
        yoke_run_options o = *yoke_file_run_options(file);
        yoke_run *run = NULL;
        yoke_err err = { YOKE_OK, "" };
        double least = INFINITY;
        o.scheme = YOKE_GAUSS_SEIDEL;
        o.order = "drive d";
        o.cluster = YOKE_CLUSTER_NONE;
        CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
                 &err);
        for (int w = 1; w <= 40; w++) {
            CHECK_OK(yoke_run_advance(run, w * 1e-13, &err), &err);
            least = fmin(least, least_density(run));
        }
        print_message("%.12s, %.20s: least density %.3g 1/m^3\n", method[k % 5],
                      drive[k / 5], least);
        assert_true(least > 0.0);
        yoke_run_close(run, NULL);
        yoke_file_free(file);
    }
}

/* What flows in when the voltage is lowered comes out again; 7.6e-17 C are
 * moved.  The integral of the whole current is an unknown. */
static void charge_that_went_in_comes_out(void **state)
{
    yoke_file *file =
        parse(HEAD DIODE("    coupling: source\n    stepper: "
                         "radau5\n") "  c: {linear: {E: 0, A: -1, B: "
                                     "-10, source: \"-exp(-((time - "
                                     "2e-12)/5e-13)^2)\", x: v, u: "
                                     "i}}\n"
                                     "  sum: {linear: {A: 0, B: "
                                     "1e16, x: q, u: i}}\n"
                                     "couplings: [{signal: d.v = "
                                     "c.v}, {signal: [c.i = d.i, "
                                     "sum.i = d.i]}]\n");
    yoke_run *run = NULL;
    double most = 0.0;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    yoke_run_options o = *yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    for (int w = 1; w <= 40; w++) {
        CHECK_OK(yoke_run_advance(run, w * 1e-13, &err), &err);
        most = fmax(most, fabs(value_of(run, "sum.q")));
    }
    print_message("%.4g C moved, %.3g of it left\n", 1e-16 * most,
                  value_of(run, "sum.q") / most);
    CHECK_BETWEEN(most, 0.2, 2.0);
    CHECK_NEAR(value_of(run, "sum.q") / most, 0.0, 1e-5);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* As one system all couplings are the same: 1 kOhm, and 1 V at 250 GHz. */
static void couplings_agree_as_one_system(void **state)
{
    static const char *const circuit[] = {
        "  c: {linear: {E: 0, A: -1, B: -1000, source: \"sin(2*pi*2.5e11*"
        "time)\", x: v, u: i}, stepper: radau5}\n"
        "couplings: [{signal: d.v = c.v}, {signal: c.i = d.i}]\n",
        "  c: {linear: {E: 2.0718799481952e-14, A: -1, B: -1000, source: "
        "\"sin(2*pi*2.5e11*time)\", x: v, u: i}, stepper: radau5}\n"
        "couplings: [{signal: d.v = c.v}, {signal: c.i = d.i}]\n",
        "  c: {linear: {D: -1e-3, E: 0, A: -1, H: 1e-3, source: \"sin(2*pi*"
        "2.5e11*time)\", x: v, u: w, y: i}, stepper: radau5}\n"
        "couplings: [{signal: c.w = d.anode.v}, {signal: d.anode.i = c.i}]\n",
    };
    static const char *const word[] = { "source", "capacitance", "port" };
    double v[3];

    (void)state;
    for (int k = 0; k < 3; k++) {
        static char text[4096];
        snprintf(text, sizeof text,
                 HEAD DIODE("    coupling: %s\n    stepper: radau5\n") "%s",
                 word[k], circuit[k]);
        yoke_file *file = parse(text);
        yoke_run *run = run_file(file);
        v[k] = value_of(run, k < 2 ? "c.v" : "d.anode.v");
        print_message("%s: %.10g V\n", word[k], v[k]);
        yoke_run_close(run, NULL);
        yoke_file_free(file);
    }
    CHECK_NEAR(v[1], v[0], 1e-5);
    CHECK_NEAR(v[2], v[0], 1e-5);
}

/* A capacitance of 0 in the circuit: charges alone do not determine the start,
 * and at rest rounding leaves slopes of any size. */
static void source_coupling_starts_with_a_capacitor_of_nothing(void **state)
{
    static char text[4096];

    (void)state;
    write_file("rc.cir", "a resistor\nv1 in 0 sin(0 1 1e11)\nr1 in d 1\n"
                         "i1 d 0 0\nc1 d 0 1f\n.end\n");
    snprintf(text, sizeof text,
             HEAD "  c: {netlist: %s, inputs: {i1: i, c1: c}}\n"
                  "  d:\n"
                  "    component: diode\n"
                  "    coupling: source\n"
                  "    copies: 1500\n"
                  "    length: 100 nm\n"
                  "    area: 1e-14 m^2\n"
                  "    permittivity: 1e-10\n"
                  "    thermal_voltage: 26 mV\n"
                  "    charge: 1.6e-19\n"
                  "    doping:\n"
                  "      - {layer: [0, 50 nm], density: 4e23}\n"
                  "      - {layer: [50 nm, 100 nm], density: -4e23}\n"
                  "    electrons: {mobility: 0.15}\n"
                  "    holes: {mobility: 0.045}\n"
                  "couplings: [{signal: [d.v = c.v(d), c.i = d.i, c.c = "
                  "d.c]}]\n",
             in_scratch("rc.cir"));
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    CHECK_BETWEEN(value_of(run, "c.v(d)"), 0.5, 1.0);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* ---- meshes -------------------------------------------------------------- */

enum { ROWS = 2, COLUMNS = 40 };

/* A rectangle of 100 by 40 nm with regions n and p, lines left and right, as
 * Gmsh writes it (version 2.2). */
static void write_mesh(const char *name)
{
    FILE *file = fopen(in_scratch(name), "wb");
    const int along = COLUMNS + 1, nodes = along * (ROWS + 1);
    int number = 0;

    assert_non_null(file);
    fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 "
          "\"left\"\n1 2 \"right\"\n2 3 \"donors\"\n2 4 \"acceptors\"\n"
          "$EndPhysicalNames\n$Nodes\n",
          file);
    fprintf(file, "%d\n", nodes);
    for (int k = 0; k < nodes; k++)
        fprintf(file, "%d %.17g %.17g 0\n", k + 1,
                100.0 * (k % along) / COLUMNS, 40.0 * (k / along) / ROWS);
    fprintf(file, "$EndNodes\n$Elements\n%d\n", 2 * ROWS + 2 * ROWS * COLUMNS);
    for (int j = 0; j < ROWS; j++)
        for (int side = 0; side < 2; side++) {
            const int low = j * along + (side ? COLUMNS : 0) + 1;
            fprintf(file, "%d 1 2 %d %d %d %d\n", ++number, side + 1, side + 1,
                    low, low + along);
        }
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            const int low = j * along + i + 1, high = low + along;
            const int region = i < COLUMNS / 2 ? 3 : 4;
            fprintf(file, "%d 2 2 %d %d %d %d %d\n", ++number, region, region,
                    low, low + 1, high + 1);
            fprintf(file, "%d 2 2 %d %d %d %d %d\n", ++number, region, region,
                    low, high + 1, high);
        }
    fputs("$EndElements\n", file);
    assert_int_equal(fclose(file), 0);
}

#define FLAT(cathode, more)                                                    \
    "  d:\n"                                                                   \
    "    component: diode\n"                                                   \
    "    mesh: %s\n"                                                           \
    "    unit: 1 nm\n"                                                         \
    "    depth: 250 nm\n"                                                      \
    "    copies: 2\n"                                                          \
    "    anode: right\n"                                                       \
    "    cathode: " cathode "\n"                                               \
    "    doping:\n"                                                            \
    "      - {region: donors, density: 5e18 1/cm^3}\n"                         \
    "      - {region: acceptors, density: -5e18 1/cm^3}\n"                     \
    "    stepper: radau5\n" more

#define RESISTOR                                                               \
    "  c: {linear: {E: 2.0718799481952e-14, A: -1, B: -1000, source: "         \
    "\"sin(2*pi*2.5e11*time)\", x: v, u: i}, stepper: radau5}\n"               \
    "couplings: [{signal: d.v = c.v}, {signal: c.i = d.i}]\n"

/* The same transient on a line and on a mesh of Gmsh. */
static void mesh_of_gmsh_is_the_line(void **state)
{
    static char text[4096];
    double v[2];

    (void)state;
    write_mesh("flat.msh");
    for (int k = 0; k < 2; k++) {
        if (k == 0)
            snprintf(text, sizeof text,
                     HEAD DIODE("    stepper: radau5\n") RESISTOR);
        else
            snprintf(text, sizeof text, HEAD FLAT("left", "") RESISTOR,
                     in_scratch("flat.msh"));
        yoke_file *file = parse(text);
        yoke_run *run = run_file(file);
        v[k] = value_of(run, "c.v");
        yoke_run_close(run, NULL);
        yoke_file_free(file);
    }
    print_message("%.10g V and %.10g V\n", v[0], v[1]);
    CHECK_NEAR(v[1], v[0], 1e-6);
}

static void meshes_are_refused_by_name(void **state)
{
    static char text[4096];

    (void)state;
    write_mesh("flat.msh");
    snprintf(text, sizeof text, HEAD FLAT("lefd", "") RESISTOR,
             in_scratch("flat.msh"));
    refused(text, "f:11:14: ", "no line \"lefd\"");
    snprintf(text, sizeof text, HEAD FLAT("right", "") RESISTOR,
             in_scratch("flat.msh"));
    refused(text, "f:4:3: ", "the cathode has the doping");
    snprintf(text, sizeof text,
             HEAD FLAT("left", "    length: 1 um\n") RESISTOR,
             in_scratch("flat.msh"));
    refused(text, "f:16:13: ", "no meaning with a mesh");
    refused(HEAD DIODE("    depth: 1 um\n"),
            "f:14:12: ", "no meaning without a mesh");
}

/* ---- reading ------------------------------------------------------------- */

static void keys_are_replaced_on_the_command_line(void **state)
{
    const char *text = HEAD DIODE("    coupling: source\n") DRIVE("0") COUPLED;
    const yoke_setting setting[] = { { "d.coupling", "capacitance" },
                                     { "d.N", "10" },
                                     { "d.length", "0.2 um" } };
    const yoke_setting wrong[] = { { "d.coupling", "capacitanc" },
                                   { "d.thickness", "1" } };
    yoke_file_options options = { .settings = 2, .setting = setting };
    yoke_file *file = parse(text);
    yoke_system *d =
        yoke_graph_system(yoke_model_graph(yoke_file_model(file)), 0);

    (void)state;
    assert_int_equal(yoke_system_facts(d)->n, 3 * 39 + 1);
    yoke_file_free(file);
    file = parse_with(text, &options);
    d = yoke_graph_system(yoke_model_graph(yoke_file_model(file)), 0);
    assert_int_equal(yoke_system_facts(d)->n, 3 * 39);
    yoke_file_free(file);
    options.settings = 3;
    refused_with(text, &options, "f:4:3: ", "the doping is");
    options.settings = 1;
    options.setting = wrong;
    refused_with(text, &options, "f:14:15: ", "did you mean \"capacitance\"?");
    options.setting = wrong + 1;
    refused_with(text, &options, "--set d.thickness=1: ", "no parameter");
}

static void profiles_of_doping_are_read(void **state)
{
    yoke_file *file = parse(
        HEAD "  d:\n"
             "    component: diode\n"
             "    parameters: {w: 5e-8}\n"
             "    length: 1 um\n"
             "    area: 1 um^2\n"
             "    doping:\n"
             "      - {formula: 1e22*tanh((5e-7 - x)/w)}\n"
             "      - {table: [[0, 1e21 1/m^3], [1 um, -1e21 1/m^3]]}\n"
             "      - {gaussian: 200 nm, width: 50 nm, density: 1e15 1/cm^3}\n"
             "    grid: {cells: 60, finest: 2 nm}\n"
             "    mobility: masetti\n"
             "    electrons: {saturation: 1e7 cm/s, lifetime: 1 us}\n"
             "    holes: {saturation: 8e6 cm/s, lifetime: 1 us, auger: 1e-43}\n"
             "    temperature: 310 K\n"
             "    bias: 0.5 V\n" DRIVE("0.5") COUPLED);
    const yoke_profile *list = NULL;
    yoke_system *d =
        yoke_graph_system(yoke_model_graph(yoke_file_model(file)), 0);

    (void)state;
    assert_int_equal(yk_system_profiles(d, &list), 3);
    yoke_run *run = run_file(file);
    CHECK_BETWEEN(value_of(run, "d.i"), 1e-12, 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

#define BAD(key, value)                                                        \
    HEAD DIODE("    " key ": " value "\n") DRIVE("0") COUPLED

static void refusals_name_the_place(void **state)
{
    (void)state;
    refused(BAD("coupling", "wire"), "f:14:15: ", "no coupling \"wire\"");
    refused(BAD("mobility", "aurora"), "f:14:15: ", "\"arora\"");
    refused(BAD("holes", "{lifetime: -1 us}"),
            "f:4:3: ", "holes: the lifetime is -1e-06 s");
    refused(BAD("holes", "{lifetime: 0}"), "f:14:23: ", "leave it out");
    refused(BAD("electrons", "{mobilty: 1}"), "f:14:17: ", "\"mobility\"");
    refused(BAD("bias", "1 kV"), "f:4:3: ", "the bias is 1000 V");
    refused(BAD("bais", "1 V"), "f:14:5: ", "\"bias\"");
    refused(BAD("temperature", "0 K"), "f:4:3: ", "thermal voltage is 0 V");
    refused(BAD("temperature", "300\n    thermal_voltage: 1"),
            "f:14:18: ", "cannot be used together");
    refused(HEAD "  d: {component: diode, length: 1 um}\n",
            "f:4:6: ", "\"area\" is missing");
    refused(HEAD "  d: {component: diode, length: 1 km, area: 1, doping: "
                 "[{formula: x}]}\n",
            "f:4:3: ", "the length is 1000 m");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{layer: [0, 1e-6], density: 1e22}]}\n",
            "f:4:3: ", "one sign only");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{formula: 1e22*y}]}\n",
            "f:4:", "neither a number nor x nor a parameter");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{formula: 1e22*sin(time)}]}\n",
            "f:4:", "doping does not depend on time");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{table: [[1e-6, 1e22], [0, -1e22]]}]}\n",
            "f:4:3: ", "the table is not sorted");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{table: [[1e-6]]}]}\n",
            "f:4:", "[place, density]");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{layer: [0, 1e-6], table: []}]}\n",
            "f:4:", "is one of");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{formula: 5e-7-x}], grid: {points: [0, 3e-7, 2e-7, "
                 "1e-6]}}\n",
            "f:4:3: ", "do not increase");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{formula: 5e-7-x}], grid: {cells: 2.5}}\n",
            "f:4:", "not a number of cells");
    refused(HEAD "  d: {component: diode, length: 1e-6, area: 1e-12, doping: "
                 "[{formula: 1/(x-x)}]}\n",
            "f:4:3: ", "the doping at x =");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_stay_positive),
        cmocka_unit_test(charge_that_went_in_comes_out),
        cmocka_unit_test(couplings_agree_as_one_system),
        cmocka_unit_test(source_coupling_starts_with_a_capacitor_of_nothing),
        cmocka_unit_test(mesh_of_gmsh_is_the_line),
        cmocka_unit_test(meshes_are_refused_by_name),
        cmocka_unit_test(keys_are_replaced_on_the_command_line),
        cmocka_unit_test(profiles_of_doping_are_read),
        cmocka_unit_test(refusals_name_the_place),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
