/* Meshes of Gmsh: both versions, and what is refused with its place. */
#include "check.h"
#include "comp/mesh/mesh.h"
#include "yoke/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD2                                                                  \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"                                   \
    "$PhysicalNames\n2\n1 7 \"outer\"\n2 3 \"the core\"\n$EndPhysicalNames\n"
#define NODES2                                                                 \
    "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n9 2 0 0\n$EndNodes\n"
#define ELEMENTS2(count, list) "$Elements\n" count "\n" list "$EndElements\n"
#define LINES                  "1 1 2 7 1 1 2\n2 15 2 0 1 1\n"
#define TRIANGLES              "3 2 2 3 1 1 2 3\n4 2 2 3 1 1 3 4\n5 2 2 8 1 2 3 9\n"

static const char version2[] = HEAD2 NODES2
    "$Comments\nanything 1 2 $3\n$EndComments\n" ELEMENTS2("5",
                                                           LINES TRIANGLES);

static const char version4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n2\n1 7 \"outer\"\n2 3 \"the core\"\n$EndPhysicalNames\n"
    "$Entities\n1 1 2 0\n1 0 0 0 0\n1 0 0 0 1 0 0 1 7 2 1 -2\n"
    "1 0 0 0 1 1 0 1 3 1 1\n2 1 0 0 2 1 0 1 8 0\n$EndEntities\n"
    "$Nodes\n2 5 1 9\n1 1 1 2\n1\n2\n0 0 0 0\n1 0 0 1\n2 1 0 3\n3\n4\n9\n"
    "1 1 0\n0 1 0\n2 0 0\n$EndNodes\n"
    "$Elements\n3 4 1 4\n1 1 1 1\n1 1 2\n2 1 2 2\n2 1 2 3\n3 1 3 4\n"
    "2 2 2 1\n4 2 3 9\n$EndElements\n";

static yoke_mesh *parse(const char *text)
{
    yoke_mesh *mesh = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_mesh_parse(&mesh, "a.msh", text, strlen(text), &err), &err);
    return mesh;
}

static void check_square(const char *text)
{
    yoke_mesh *m = parse(text);

    assert_int_equal(m->nodes, 5);
    assert_int_equal(m->triangles, 3);
    assert_int_equal(m->edges, 1);
    assert_int_equal(m->regions, 2);
    assert_int_equal(yoke_mesh_region(m, "the core"), 0);
    assert_int_equal(yoke_mesh_region(m, "8"), 1);
    assert_int_equal(yoke_mesh_line(m, "outer"), 0);
    assert_int_equal(yoke_mesh_line(m, "inner"), -1);
    CHECK_NEAR(m->region_area[0], 1.0, 1e-15);
    CHECK_NEAR(m->region_area[1], 0.5, 1e-15);
    /* Region 8 is given with the clock and turned. */
    assert_int_equal(m->triangle[2][1], 4);
    assert_int_equal(m->triangle[2][2], 2);
    yoke_mesh_free(m);
}

static void both_versions_give_the_same_mesh(void **state)
{
    (void)state;
    check_square(version2);
    check_square(version4);
}

static void refuse(const char *text, const char *place, const char *part)
{
    yoke_mesh *mesh = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yk_mesh_parse(&mesh, "a.msh", text, strlen(text), &err),
                 YOKE_E_FILE, &err);
    assert_null(mesh);
    CHECK_CONTAINS(err.text, place);
    CHECK_CONTAINS(err.text, part);
}

static void bad_elements_are_refused_by_name(void **state)
{
    (void)state;
    refuse(HEAD2 NODES2 ELEMENTS2("2", "3 2 2 3 1 1 2 3\n4 2 2 3 1 3 1 2\n"),
           "a.msh:20:",
           "\"the core\": the triangle of the nodes 3, 1, 2 lies "
           "over another one");
    refuse(HEAD2 NODES2 ELEMENTS2("2", "3 2 2 3 1 1 2 3\n4 2 2 3 1 1 4 3\n"),
           "a.msh:20:", "1, 4, 3 is inverted");
    refuse(HEAD2 NODES2 ELEMENTS2("1", "3 2 2 3 1 1 2 9\n"), "a.msh:19:",
           "\"the core\": the triangle of the nodes 1, 2, 9 has no area");
    refuse(HEAD2 NODES2 ELEMENTS2("1", "3 2 2 0 1 1 2 3\n"),
           "a.msh:19:", "triangle 3 belongs to no physical surface");
    refuse(HEAD2 NODES2 ELEMENTS2("1", "3 3 2 3 1 1 2 3 4\n"),
           "a.msh:19:", "is a quadrangle");
    refuse(HEAD2 NODES2 ELEMENTS2("1", "3 99 2 3 1 1 2 3 4\n"),
           "a.msh:19:", "unknown type 99");
    refuse(HEAD2 NODES2 ELEMENTS2("1", "3 2 2 3 1 1 2 5\n"),
           "a.msh:19:", "there is no node 5");
    refuse(HEAD2 NODES2 ELEMENTS2("2", "3 2 2 3 1 1 2 3\n4 2 2 3 1 1 3 4\n"),
           "a.msh:15:", "node 9 belongs to no triangle");
    refuse(HEAD2 NODES2 ELEMENTS2("4", "1 1 2 7 1 2 4\n" TRIANGLES),
           "a.msh:19:",
           "line \"outer\": the edge of the nodes 2, 4 is not a side");
}

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    refuse("", "a.msh:1:", "no triangles");
    refuse("hello", "a.msh:1:", "\"hello\" where a section");
    refuse("$MeshFormat\n3.0 0 8\n", "a.msh:2:", "version 3 of the format");
    refuse("$MeshFormat\n4.1 1 8\n", "a.msh:2:", "binary files are not read");
    refuse("$Nodes\n", "a.msh:1:", "$MeshFormat is not the first");
    refuse(HEAD2 "$Nodes\n1000000000\n", "a.msh:10:", "no room");
    refuse(HEAD2 "$Nodes\n1\n1 0 0 1\n", "a.msh:11:", "z = 1");
    refuse(HEAD2 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n",
           "a.msh:12:", "node 1 occurs twice");
    refuse(HEAD2 "$Nodes\n1\n1 0 zero 0\n",
           "a.msh:11:", "\"zero\" is not a number");
    refuse(HEAD2 "$Elements\n", "a.msh:9:", "elements before the nodes");
    refuse(HEAD2 "$Else\n",
           "a.msh:10:", "section $Else of line 9 does not end");
    refuse(HEAD2 NODES2 ELEMENTS2("1", LINES),
           "a.msh:20:", "\"2\" where \"$EndElements\"");
}

static void a_missing_file_or_program_is_said(void **state)
{
    yoke_mesh *mesh = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    CHECK_STATUS(yoke_mesh_read(&mesh, "none.msh", false, &err), YOKE_E_FILE,
                 &err);
    CHECK_CONTAINS(err.text, "none.msh");
    CHECK_STATUS(yoke_mesh_read(&mesh, "none.geo", false, &err), YOKE_E_FILE,
                 &err);
    CHECK_CONTAINS(err.text, "none.geo");
}

/* With gmsh, or with the advice to install it. */
static void a_geometry_is_meshed_by_gmsh(void **state)
{
    static const char square[] =
        "Point(1)={0,0,0,0.5}; Point(2)={1,0,0,0.5}; Point(3)={1,1,0,0.5};\n"
        "Point(4)={0,1,0,0.5}; Line(1)={1,2}; Line(2)={2,3}; Line(3)={3,4};\n"
        "Line(4)={4,1}; Line Loop(1)={1,2,3,4}; Plane Surface(1)={1};\n"
        "Physical Surface(\"all\")={1}; Physical Line(\"left\")={4};\n";
    const char path[] = "mesh_test_square.geo";
    yoke_mesh *mesh = NULL;
    yoke_err err = { YOKE_OK, "" };
    FILE *file = fopen(path, "w");

    (void)state;
    assert_non_null(file);
    fputs(square, file);
    fclose(file);
    const yoke_status status = yoke_mesh_read(&mesh, path, false, &err);
    if (status == YOKE_OK) {
        assert_int_equal(yoke_mesh_region(mesh, "all"), 0);
        CHECK_NEAR(mesh->region_area[0], 1.0, 1e-12);
    } else {
        printf("gmsh is not installed: %s\n", err.text);
        assert_int_equal(status, YOKE_E_MISSING);
        CHECK_CONTAINS(err.text, "package gmsh");
    }
    yoke_mesh_free(mesh);
    remove(path);
}

static void a_mesh_is_drawn(void **state)
{
    static const double potential[] = { 0, 1, 2, 1, 2 },
                        density[] = { 0, 1, 2 };
    const yoke_mesh_paint paint = { "a < b", potential, 3, density, "|B|" };
    const char path[] = "mesh_test.svg";
    yoke_mesh *m = parse(version2);
    yoke_err err = { YOKE_OK, "" };
    static char text[20000];

    (void)state;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(yoke_mesh_draw(m, path, k ? &paint : NULL, &err), &err);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        CHECK_CONTAINS(text, k ? "a &lt; b" : "the core");
        CHECK_CONTAINS(text, "</svg>");
        memset(text, 0, sizeof text);
    }
    CHECK_STATUS(yoke_mesh_draw(m, "none/mesh.svg", NULL, &err), YOKE_E_FILE,
                 &err);
    yoke_mesh_free(m);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_versions_give_the_same_mesh),
        cmocka_unit_test(bad_elements_are_refused_by_name),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(a_missing_file_or_program_is_said),
        cmocka_unit_test(a_geometry_is_meshed_by_gmsh),
        cmocka_unit_test(a_mesh_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
