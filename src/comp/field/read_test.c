/* The components `field` and `inductance` in system files, and what is refused
 * with its place. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

/* Two squares side by side: iron with a coil beside it. */
static const char mesh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"left\"\n"
    "2 1 \"core\"\n2 2 \"coil\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n"
    "$EndNodes\n"
    "$Elements\n5\n1 1 2 1 1 1 4\n2 2 2 1 1 1 2 5\n3 2 2 1 1 1 5 4\n"
    "4 2 2 2 1 2 3 6\n5 2 2 2 1 2 6 5\n$EndElements\n";

#define TOP  "yoke: 1\nsubsystems:\n  f:\n    component: field\n"
#define MESH "    mesh: field_test.msh\n"
#define SIZE "    depth: 1 cm\n    unit: 1 cm\n"
#define IRON "    materials: {iron: {mu_r: 1000}}\n    regions: {core: iron}\n"
#define COIL "    windings: {w: {region: coil, turns: 10, resistance: 1 Ohm}}\n"
#define LEFT "    boundary: [left]\n"

static int write_files(void **state)
{
    FILE *file = fopen("field_test.msh", "w");
    FILE *table = fopen("field_test.csv", "w");

    (void)state;
    if (!file || !table) return 1;
    fputs(mesh, file);
    fputs("B, H\n# steel\n0, 0\n1.0, 200\n1.5 2000\n", table);
    return fclose(file) != 0 || fclose(table) != 0;
}

static int remove_files(void **state)
{
    (void)state;
    return remove("field_test.msh") != 0 || remove("field_test.csv") != 0;
}

/* A voltage on the coil: i = v/R (1 - exp(-t R/L)), L of the mesh from the
 * energy. */
static void a_field_is_read_and_solved(void **state)
{
    yoke_file *file = parse(TOP MESH SIZE IRON COIL LEFT
                            "  v: {linear: {E: 0, A: -1, source: "
                            "\"2 + 0*time\", x: v}}\n"
                            "couplings:\n  - signal: f.w.v = v.v\n"
                            "run: {stop: 1 s, rtol: 1e-8}\n");
    yoke_run *run = run_file(file);
    double i = 0.0, energy = 0.0, phi = 0.0;

    (void)state;
    CHECK_OK(yoke_run_value(run, "f.w.i", &i, NULL), NULL);
    CHECK_OK(yoke_run_value(run, "f.w.phi", &phi, NULL), NULL);
    CHECK_OK(yoke_run_value(run, "f.energy", &energy, NULL), NULL);
    CHECK_NEAR(i, 2.0, 1e-6); /* long after the start */
    CHECK_NEAR(energy, 0.5 * phi * i, 1e-9 * energy);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
}

static void tables_come_from_files_and_lists(void **state)
{
    yoke_file *file =
        parse(TOP MESH SIZE "    materials: {steel: {bh: field_test.csv}}\n"
                            "    regions: {core: steel}\n" COIL LEFT);

    (void)state;
    yoke_file_free(file);
    file = parse(TOP MESH SIZE
                 "    materials: {steel: {bh: [[0, 0], [1 T, 200], [1.5 T, "
                 "2e3]]}}\n    regions: {core: steel}\n" COIL LEFT);
    yoke_file_free(file);
}

static void what_is_missing_or_wrong_is_named(void **state)
{
    (void)state;
    refused(TOP SIZE IRON COIL LEFT, "f:4:", "\"mesh\" is missing");
    refused(TOP "    mesh: none.msh\n" SIZE, "f:5:", "none.msh");
    refused(TOP MESH "    unit: 1 cm\n" IRON COIL LEFT,
            "f:4:", "\"depth\" is missing");
    refused(TOP MESH SIZE COIL LEFT,
            "f:3:", "the region \"core\" has no material");
    refused(TOP MESH SIZE IRON COIL, "f:3:", "fixed nowhere");
    refused(TOP MESH SIZE IRON COIL "    boundary: [lefd]\n", "f:11:",
            "there is no line \"lefd\" in field_test.msh; "
            "did you mean \"left\"?");
    refused(TOP MESH SIZE "    regions: {cor: air}\n" COIL LEFT,
            "f:8:", "there is no region \"cor\"");
    refused(TOP MESH SIZE "    regions: {core: irn}\n" COIL LEFT,
            "f:8:", "there is no material \"irn\"");
    refused(TOP MESH "    depth: 1 m\n    unit: 1e6\n" IRON COIL LEFT,
            "f:3:", "is not plausible");
    refused(TOP MESH SIZE IRON COIL LEFT "    drive: volts\n",
            "f:12:", "\"drive\" cannot be \"volts\"");
    refused(TOP MESH SIZE "    materials: {m: {mu_r: 1, brauer: [1, 2, 3]}}\n",
            "f:8:", "more than one of mu_r, brauer and bh");
    refused(TOP MESH SIZE "    materials: {m: {brauer: [1, 2]}}\n",
            "f:8:", "3 numbers are expected");
    refused(TOP MESH SIZE
            "    materials: {m: {bh: [[0, 0], [1, 200], [1.5, 100]]}}\n"
            "    regions: {core: m}\n" COIL LEFT,
            "f:3:", "material \"m\": point 3 of the table");
}

static void windings_that_are_none_are_refused(void **state)
{
    (void)state;
    refused(TOP MESH SIZE IRON LEFT, "f:4:", "\"windings\" is missing");
    refused(TOP MESH SIZE IRON "    windings: {w: {turns: 3}}\n" LEFT,
            "f:10:", "needs \"resistance\", or \"sigma\"");
    refused(TOP MESH SIZE IRON
            "    windings: {w: {turns: 3, resistance: 1}}\n" LEFT,
            "f:10:", "needs \"region\"");
    refused(TOP MESH SIZE IRON
            "    windings: {w: {region: coil, resistance: 1}}\n" LEFT,
            "f:10:", "\"turns\" is missing");
    refused(TOP MESH SIZE IRON
            "    windings: {w: {region: coil, turns: 0, resistance: 1}}\n" LEFT,
            "f:3:", "winding \"w\": 0 turns in \"coil\"");
    refused(TOP MESH SIZE IRON
            "    windings: {w: {region: coil, turns: 1, sigma: 58 MS/m, fill: "
            "1.5}}\n" LEFT,
            "f:10:", "fill = 1.5");
    refused("yoke: 1\nsubsystems:\n  c:\n    component: inductance\n"
            "    windings: {w: {flux: 1}}\n",
            "f:5:", "\"resistance\" is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_read_and_solved),
        cmocka_unit_test(tables_come_from_files_and_lists),
        cmocka_unit_test(what_is_missing_or_wrong_is_named),
        cmocka_unit_test(windings_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
