/* comp/mesh/geo_test.c -- what of a .geo file reaches gmsh. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "comp/mesh/geo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/yoke-geo-XXXXXX";
static char path[64];

static void write_to(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static yoke_status flatten(const char *text, char **out, yoke_err *err)
{
    size_t length = 0;

    write_to(path, text);
    *err = (yoke_err){ YOKE_OK, "" };
    const yoke_status status = yk_geo_flatten(out, &length, path, err);
    if (status == YOKE_OK) assert_int_equal(length, strlen(*out));
    return status;
}

static void permit(const char *text)
{
    yoke_err err;
    char *out = NULL;

    CHECK_OK(flatten(text, &out, &err), &err);
    yk_free(out);
}

/* `say` is in the message, which names the file and the line. */
static void refuse(const char *text, int line, const char *say)
{
    yoke_err err;
    char *out = NULL, place[100];

    CHECK_STATUS(flatten(text, &out, &err), YOKE_E_FILE, &err);
    assert_null(out);
    snprintf(place, sizeof place, "%s:%d: ", path, line);
    if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, say))
        fail_msg("%s: \"%s\"", text, err.text);
}

static void geometry_is_permitted(void **state)
{
    (void)state;
    permit("");
    permit("lc = 0.1; // size\nPoint(1) = {0, 0, 0, lc};\n"
           "p[] = {1, 2}; q() = {3}; p[0] += 1; x = p[0] + q(0) * 1e-3;\n"
           "Line(1) = {1, 2};\nCurve Loop(1) = {1};\n"
           "Plane Surface(1) = {1};\n"
           "Physical Surface(\"the core\", 1) = {1};\n"
           "Physical Curve(\"outer\") = {1};\n"
           "Point{1} In Surface{1};\nTransfinite Curve {1} = 10 Using "
           "Progression 1.1;\n");
    permit("For i In {0:3}\n x~{i} = i; If (i > 1 && i != 3) y = x~{i}; EndIf\n"
           "EndFor\nMacro square\n  y = y * y;\nReturn\nCall square;\n");
    permit("SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n"
           "out[] = Extrude {0, 0, 1} { Surface{1}; Layers{3}; };\n"
           "n = #out[]; Printf(\"n = %g\", n);\n"
           "DefineConstant[ r = {0.5, Min 0, Max 1, Name \"Parameters/r\"} ];\n"
           "Mesh.Algorithm = 6; Geometry.Tolerance = 1e-8;\n"
           "General.Verbosity = 2;\n"
           "Field[1] = Distance; Field[1].CurvesList = {1};\n"
           "Field[2] = MathEval; Field[2].F = \"0.1 + x^2\";\n"
           "Background Field = 2;\n");
}

static void commands_are_refused(void **state)
{
    static const char *const bad[] = {
        "SystemCall \"touch x\";",
        "NonBlockingSystemCall \"touch x\";",
        "SystemCall Str(\"touch x\");",
        "Merge \"/etc/passwd\";",
        "OnelabRun(\"a\", \"b\");",
        "Plugin(Triangulate).Run;",
        "Save \"x.msh\";",
        "Print \"x.png\";",
        "CreateDir \"x\";",
        "Field[1] = ExternalProcess;",
        "Field[1] = Structured;",
        "ShapeFromFile(\"x.brep\");",
        "x = GetValue(\"x\", 1);",
        "General.WatchFilePattern = \"x\";",
        "Solver.Executable0 = \"x\";",
        "x = GetEnv(\"HOME\");",
        "Homology(\"x\") {{1}, {}};",
        "foo;",
        "foo(1) = foo2;",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i], 1, "not permitted");
}

/* Each of these fools a search for bad words. */
static void tricks_are_refused(void **state)
{
    (void)state;
    /* a name that the file assigns is still no command */
    refuse("SystemCall = 1;\nSystemCall \"x\";", 1, "not permitted");
    refuse("Later = 1;\nLater \"x\";", 2, "a text is not permitted");
    refuse("Later = 1;\nn = 2;\nLater n;", 3, "\"Later\" is not permitted");
    refuse("c = \"touch x\";", 1, "a text is not permitted");
    refuse("c() = {\"touch x\"};", 1, "a text is not permitted");
    /* comments and texts inside one another */
    refuse("// \"\nSystemCall \"x\"; // \"", 2, "not permitted");
    refuse("/* // */ SystemCall \"x\";", 1, "not permitted");
    refuse("/* /* */ SystemCall \"x\"; */", 1, "not permitted");
    refuse("x = 1; /* no end", 1, "does not end");
    refuse("Physical Surface(\"a\nSystemCall \"x\";", 1, "ends on its line");
    refuse("Physical Surface(\"a\\\") = {1}; SystemCall \"b\";", 1, "no \\");
    refuse("Physical Surface(\"no end", 1, "does not end");
    /* files by redirection */
    refuse("Printf(\"x\") > \"file\";", 1, "would write a file");
    refuse("Printf(\"x\") >> \"file\";", 1, "would write a file");
    refuse("Printf(\"%s\", 1);", 1, "% only for numbers");
    refuse("Printf(\"%n\", 1);", 1, "% only for numbers");
    /* characters */
    refuse("x = 1;\n`touch x`", 2, "` is not permitted");
    refuse("'SystemCall'", 1, "' is not permitted");
    refuse("x = 1; $MeshFormat", 1, "$ is not permitted");
    refuse("Sys\\\ntemCall \"x\";", 1, "\\ is not permitted");
    refuse("x = 1;\n\x01", 2, "byte of value 1 ");
    refuse("x = 1e;", 1, "is not a number");
    /* brackets */
    refuse("x = {1;", 1, "not closed");
    refuse("x = 1};", 1, "closes nothing");
    refuse("x = (1];", 1, "closes nothing");
    /* nested in a list that takes texts */
    refuse("DefineConstant[ r = {1, Macro \"x.geo\"} ];", 1, "a text is not");
    refuse("Macro Run\nRun \"x\";", 2, "a text is not permitted");
}

/* What gmsh reads has no comments; lines keep their numbers. */
static void comments_do_not_reach_gmsh(void **state)
{
    yoke_err err;
    char *out = NULL;

    (void)state;
    CHECK_OK(flatten("x = 1; // SystemCall\n/* a\nb */ y = x;", &out, &err),
             &err);
    assert_string_equal(out, "x = 1; \n\n  y = x;");
    yk_free(out);
}

static void includes_stay_in_the_folder(void **state)
{
    yoke_err err;
    char name[100], *out = NULL;

    (void)state;
    snprintf(name, sizeof name, "%s/inner.geo", folder);
    write_to(name, "a = 2; // two\nb = a;\n");
    CHECK_OK(flatten("Include \"inner.geo\";\nc = b;", &out, &err), &err);
    assert_string_equal(out, "a = 2;  b = a;  \nc = b;");
    yk_free(out);

    write_to(name, "a = 2;\nSystemCall \"x\";\n");
    CHECK_STATUS(flatten("Include \"inner.geo\";", &out, &err), YOKE_E_FILE,
                 &err);
    assert_non_null(strstr(err.text, "inner.geo:2: \"SystemCall\""));
    write_to(name, "Include \"mesh.geo\";\n");
    CHECK_STATUS(flatten("Include \"inner.geo\";", &out, &err), YOKE_E_FILE,
                 &err);
    assert_non_null(strstr(err.text, "more than 16 files"));
    refuse("Include \"/etc/passwd\";", 1, "not in the folder");
    refuse("Include \"../../etc/passwd\";", 1, "not in the folder");
    refuse("Include \"none.geo\";", 1, "cannot read");
    assert_int_equal(unlink(name), 0);
    assert_int_equal(symlink("/etc/passwd", name), 0);
    refuse("Include \"inner.geo\";", 1, "not in the folder");
    assert_int_equal(unlink(name), 0);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/mesh.geo", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_is_permitted),
        cmocka_unit_test(commands_are_refused),
        cmocka_unit_test(tricks_are_refused),
        cmocka_unit_test(comments_do_not_reach_gmsh),
        cmocka_unit_test(includes_stay_in_the_folder),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
