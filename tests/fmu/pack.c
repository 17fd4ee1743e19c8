/* tests/fmu/pack.c -- makes an FMU: pack VERSION KINDS FLAGS OUT BINARY, or
 * pack files OUT NAME FILE NAME FILE ... with these contents.
 *
 * VERSION 2 or 3; KINDS me, cs or me+cs; FLAGS a list with commas: state, units,
 * variable, mute (no states), plain.  BINARY is the library of tests/fmu/model.c, or
 * a C file that goes in as source.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

static char xml[20000];

static void add(const char *text)
{
    strncat(xml, text, sizeof xml - strlen(xml) - 1);
}

static void add_kind(int version, const char *name, const char *flags,
                     const char *source)
{
    char line[1000];
    const bool simulation = strcmp(name, "CoSimulation") == 0;

    snprintf(line, sizeof line, "  <%s modelIdentifier=\"model\"", name);
    add(line);
    if (strstr(flags, "state"))
        add(version == 2 ? " canGetAndSetFMUstate=\"true\""
                         : " canGetAndSetFMUState=\"true\"");
    if (simulation && !strstr(flags, "stiff"))
        add(" canHandleVariableCommunicationStepSize=\"true\"");
    if (!simulation && version == 2)
        add(" completedIntegratorStepNotNeeded=\"true\"");
    if (source[0]) {
        snprintf(line, sizeof line,
                 "><SourceFiles><File name=\"%s\"/></SourceFiles></%s>\n",
                 source, name);
        add(line);
    } else
        add("/>\n");
}

typedef struct variable {
    const char *name, *more, *start;
} variable;

static const variable list[] = {
    { "time", "causality=\"independent\"", "" },
    { "x", "causality=\"local\" initial=\"exact\"", "1" },
    { "v", "causality=\"local\" initial=\"exact\"", "0" },
    { "u", "causality=\"input\"", "0" },
    { "y", "causality=\"output\"", "" },
    { "m", "causality=\"parameter\" variability=\"fixed\"", "1" },
    { "k", "causality=\"parameter\" variability=\"fixed\"", "39.5" },
    { "c", "causality=\"parameter\" variability=\"fixed\"", "0" },
    { "floor", "causality=\"parameter\" variability=\"fixed\"", "-1e9" },
    { "der(x)", "causality=\"local\"", "" },
    { "der(v)", "causality=\"local\"", "" },
};

static void add_variable(int version, int i, const char *flags)
{
    char line[1000], start[100] = "", derivative[100] = "", unit[50] = "";
    const variable *v = &list[i];
    const char *word = version == 2 ? "Real" : "Float64";

    if (v->start[0]) snprintf(start, sizeof start, " start=\"%s\"", v->start);
    if (i == 9 || i == 10)
        snprintf(derivative, sizeof derivative, " derivative=\"%d\"",
                 i - 8 + (version == 2));
    if (strstr(flags, "units") && (i == 1 || i == 3 || i == 4))
        strcpy(unit, " unit=\"mm\"");
    if (version == 2)
        snprintf(line, sizeof line,
                 "    <ScalarVariable name=\"%s\" valueReference=\"%d\" %s>"
                 "<%s%s%s%s/></ScalarVariable>\n",
                 v->name, i, v->more, word, start, derivative, unit);
    else
        snprintf(line, sizeof line,
                 "    <%s name=\"%s\" valueReference=\"%d\" %s%s%s%s/>\n", word,
                 v->name, i, v->more, start, derivative, unit);
    add(line);
}

static void add_variables(int version, const char *flags)
{
    add("  <ModelVariables>\n");
    for (int i = 0; i < 11; i++) add_variable(version, i, flags);
    if (version == 2)
        add("    <ScalarVariable name=\"bounces\" valueReference=\"11\" "
            "causality=\"output\" variability=\"discrete\"><Integer/>"
            "</ScalarVariable>\n"
            "    <ScalarVariable name=\"label\" valueReference=\"12\" "
            "causality=\"parameter\" variability=\"fixed\"><String "
            "start=\"\"/></ScalarVariable>\n");
    else
        add("    <Int32 name=\"bounces\" valueReference=\"11\" "
            "causality=\"output\" variability=\"discrete\"/>\n");
    add("  </ModelVariables>\n  <ModelStructure>\n");
    if (version == 2)
        add("    <Outputs><Unknown index=\"5\" dependencies=\"2\"/>"
            "<Unknown index=\"12\"/></Outputs>\n");
    if (version == 2 && !strstr(flags, "mute"))
        add("    <Derivatives><Unknown index=\"10\" dependencies=\"3\"/>"
            "<Unknown index=\"11\" dependencies=\"2 4\"/></Derivatives>\n");
    if (version == 3)
        add("    <Output valueReference=\"4\" dependencies=\"1\"/>\n"
            "    <Output valueReference=\"11\"/>\n"
            "    <ContinuousStateDerivative valueReference=\"9\" "
            "dependencies=\"2\"/>\n"
            "    <ContinuousStateDerivative valueReference=\"10\" "
            "dependencies=\"1 3\"/>\n"
            "    <EventIndicator valueReference=\"1\"/>\n");
    add("  </ModelStructure>\n</fmiModelDescription>\n");
}

static void describe(int version, const char *kinds, const char *flags,
                     const char *source)
{
    add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    add(version == 2
            ? "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"mass\" "
              "guid=\"{yoke-test}\" numberOfEventIndicators=\"1\">\n"
            : "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"mass\" "
              "instantiationToken=\"{yoke-test}\">\n");
    if (strstr(kinds, "me")) add_kind(version, "ModelExchange", flags, source);
    if (strstr(kinds, "cs")) add_kind(version, "CoSimulation", flags, source);
    if (strstr(flags, "units"))
        add("  <UnitDefinitions><Unit name=\"mm\"><BaseUnit m=\"1\" "
            "factor=\"0.001\"/></Unit></UnitDefinitions>\n");
    add("  <DefaultExperiment startTime=\"0\" stopTime=\"1\"/>\n");
    add_variables(version, flags);
}

static void put(zip_t *zip, const char *name, zip_source_t *source)
{
    if (!source || zip_file_add(zip, name, source, ZIP_FL_OVERWRITE) < 0) {
        fprintf(stderr, "pack: %s\n", zip_strerror(zip));
        exit(1);
    }
}

static int pack_files(const char *out, int count, char **word)
{
    int why = 0;
    zip_t *zip = zip_open(out, ZIP_CREATE | ZIP_TRUNCATE, &why);

    if (!zip) return 1;
    for (int i = 0; i + 1 < count; i += 2)
        put(zip, word[i], zip_source_file(zip, word[i + 1], 0, 0));
    return zip_close(zip) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    int why = 0;

    if (argc > 3 && strcmp(argv[1], "files") == 0)
        return pack_files(argv[2], argc - 3, argv + 3);
    if (argc != 6) return 2;
    const int version = atoi(argv[1]);
    const char *dot = strrchr(argv[5], '.');
    const bool source = dot && strcmp(dot, ".c") == 0;
    zip_t *zip = zip_open(argv[4], ZIP_CREATE | ZIP_TRUNCATE, &why);

    if (!zip) return 1;
    describe(version, argv[2], argv[3], source ? "model.c" : "");
    put(zip, "modelDescription.xml",
        zip_source_buffer(zip, xml, strlen(xml), 0));
    put(zip,
        source         ? "sources/model.c"
        : version == 2 ? "binaries/linux64/model.so"
                       : "binaries/x86_64-linux/model.so",
        zip_source_file(zip, argv[5], 0, 0));
    if (zip_close(zip) != 0) {
        fprintf(stderr, "pack: %s\n", zip_strerror(zip));
        return 1;
    }
    return 0;
}
