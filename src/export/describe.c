/* export/describe.c -- modelDescription.xml of an exported FMU.
 *
 * FMI 2.0 and 3.0 say the same in other words: the tables below hold both.
 */
#include "export/export.h"

#include "base/text.h"
#include "file/units.h"
#include "yoke/run.h"
#include "yoke/version.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void attribute(FILE *f, const char *name, const char *value)
{
    fprintf(f, " %s=\"", name);
    yk_xml_write(f, value);
    fputc('"', f);
}

static void number(FILE *f, const char *name, double value)
{
    char digits[40];

    snprintf(digits, sizeof digits, "%.17g", value);
    attribute(f, name, digits);
}

/* ---- what it can -------------------------------------------------------- */

/* The longest fixed step of a subsystem; 0: all have error control.  Between
 * its ends nothing is better for shorter communication steps. */
static double fixed_step(const yk_export *e)
{
    yoke_model *model = yoke_file_model(e->file);
    const yoke_graph *graph = yoke_model_graph(model);
    yoke_schedule *schedule = NULL;
    double most = 0.0;

    if (yoke_run_schedule(&schedule, graph, &e->run, NULL) != YOKE_OK)
        return 0.0;
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        yoke_stepper_options o;

        if (yoke_model_stepper(model, i) &&
            yoke_run_stepper(model, &e->run, schedule, i, &o, NULL) ==
                YOKE_OK &&
            (o.rtol == 0.0 || yoke_stepper_is_fixed(o.method)))
            most = fmax(most, o.step);
    }
    yoke_schedule_free(schedule);
    return most;
}

static void write_head(const yk_export *e, FILE *f)
{
    const double step = fixed_step(e);
    char tool[64];

    snprintf(tool, sizeof tool, "Yoke %s", yoke_version());
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription",
          f);
    attribute(f, "fmiVersion", e->fmi == 2 ? "2.0" : "3.0");
    attribute(f, "modelName", yoke_file_name(e->file));
    attribute(f, e->fmi == 2 ? "guid" : "instantiationToken", e->token);
    attribute(f, "generationTool", tool);
    attribute(f, "variableNamingConvention", "flat");
    if (e->fmi == 2) attribute(f, "numberOfEventIndicators", "0");
    fputs(">\n  <CoSimulation", f);
    attribute(f, "modelIdentifier", e->identifier);
    attribute(f, "canHandleVariableCommunicationStepSize", "true");
    attribute(f, "maxOutputDerivativeOrder", "1");
    attribute(f, e->fmi == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState",
              "true");
    attribute(f, e->fmi == 2 ? "canSerializeFMUstate" : "canSerializeFMUState",
              "true");
    if (e->fmi == 3) {
        attribute(f, "hasEventMode", "true");
        attribute(f, "providesIntermediateUpdate", "true");
        if (step > 0.0) number(f, "fixedInternalStepSize", step);
    }
    if (e->fmi == 2) {
        attribute(f, "canInterpolateInputs", "true");
        attribute(f, "canNotUseMemoryManagementFunctions", "true");
    }
    fputs("/>\n", f);
}

/* ---- units -------------------------------------------------------------- */

/* Was this unit named before variable i? */
static bool is_first(const yk_export *e, int i)
{
    const char *unit = e->variable[i].unit;

    for (int k = 0; k < i; k++)
        if (e->variable[k].unit && strcmp(e->variable[k].unit, unit) == 0)
            return false;
    return true;
}

/* The power of rad, which has no dimension for us: rad/s, N.m/rad, deg. */
static int angle_of(const char *unit)
{
    int sum = 0;

    for (const char *p = unit; *p; p++) {
        const bool begins = p == unit || !isalpha((unsigned char)p[-1]);
        const bool angle =
            (strncmp(p, "rad", 3) == 0 || strncmp(p, "deg", 3) == 0) &&
            !isalpha((unsigned char)p[3]);
        if (!begins || !angle) continue;
        const char *power = p + 3 + (p[3] == '^');
        const int size = isdigit((unsigned char)*power) ? *power - '0' : 1;
        sum += p > unit && p[-1] == '/' ? -size : size;
    }
    return sum;
}

static void write_unit(FILE *f, const char *name)
{
    static const char *const base[YK_DIMENSIONS] = { "s", "m", "kg",
                                                     "A", "K", "mol" };
    static const int order[YK_DIMENSIONS] = { 2, 1, 0, 3, 4, 5 };
    yk_unit_scale scale;
    size_t at = 0;
    char power[20];

    fputs("    <Unit", f);
    attribute(f, "name", name);
    if (yk_unit_read(name, &at, &scale, NULL) != YOKE_OK) {
        fputs("/>\n", f); /* a name and no more */
        return;
    }
    fputs("><BaseUnit", f);
    for (int d = 0; d < YK_DIMENSIONS; d++) {
        snprintf(power, sizeof power, "%d", scale.power[order[d]]);
        if (scale.power[order[d]]) attribute(f, base[order[d]], power);
    }
    snprintf(power, sizeof power, "%d", angle_of(name));
    if (angle_of(name)) attribute(f, "rad", power);
    const double factor = scale.factor * pow(10.0, scale.exponent);
    if (factor != 1.0) number(f, "factor", factor);
    fputs("/></Unit>\n", f);
}

static void write_units(const yk_export *e, FILE *f)
{
    fputs("  <UnitDefinitions>\n", f);
    for (int i = 0; i < e->variables; i++)
        if (e->variable[i].unit && is_first(e, i))
            write_unit(f, e->variable[i].unit);
    fputs("  </UnitDefinitions>\n", f);
}

static void write_experiment(const yk_export *e, FILE *f)
{
    static const char *const log[] = { "logStatusWarning", "logStatusDiscard",
                                       "logStatusError", "logStatusFatal" };
    enum { PARTS = 500 }; /* of a run, as rows of a result */

    fputs("  <LogCategories>\n", f);
    for (size_t i = 0; i < sizeof log / sizeof *log; i++)
        fprintf(f, "    <Category name=\"%s\"/>\n", log[i]);
    fputs("  </LogCategories>\n  <DefaultExperiment", f);
    number(f, "startTime", e->run.start);
    number(f, "stopTime", e->run.stop);
    number(f, "tolerance", e->run.iterate.rtol);
    const double step = fixed_step(e);
    number(f, "stepSize",
           step > 0.0 ? step : (e->run.stop - e->run.start) / PARTS);
    fputs("/>\n", f);
    if (e->fmi != 2 || !(step > 0.0)) return;
    fputs("  <VendorAnnotations><Tool name=\"Yoke\"><CoSimulation", f);
    number(f, "fixedInternalStepSize", step);
    fputs("/></Tool></VendorAnnotations>\n", f);
}

/* ---- variables ---------------------------------------------------------- */

static const struct {
    const char *causality, *variability, *initial;
} about[] = {
    [YK_EXPORT_TIME] = { "independent", "continuous", NULL },
    [YK_EXPORT_PARAMETER] = { "parameter", "fixed", "exact" },
    [YK_EXPORT_INPUT] = { "input", "continuous", NULL },
    [YK_EXPORT_OUTPUT] = { "output", "continuous", "calculated" },
    [YK_EXPORT_LOCAL] = { "local", "continuous", "calculated" },
};

static void write_variable(const yk_export *e, int i, FILE *f)
{
    const yk_export_variable *v = &e->variable[i];
    const bool two = e->fmi == 2;
    const bool start =
        v->kind == YK_EXPORT_PARAMETER || v->kind == YK_EXPORT_INPUT;
    char reference[20];

    snprintf(reference, sizeof reference, "%d", i);
    fputs(two ? "    <ScalarVariable" : "    <Float64", f);
    attribute(f, "name", v->name);
    attribute(f, "valueReference", reference);
    if (v->text) attribute(f, "description", v->text);
    attribute(f, "causality", about[v->kind].causality);
    attribute(f, "variability",
              v->discrete ? "discrete" : about[v->kind].variability);
    if (about[v->kind].initial) attribute(f, "initial", about[v->kind].initial);
    if (!two && v->kind == YK_EXPORT_INPUT)
        attribute(f, "intermediateUpdate", "true");
    if (two) fputs("><Real", f);
    if (v->unit) attribute(f, "unit", v->unit);
    if (start) number(f, "start", v->start);
    fputs(two ? "/></ScalarVariable>\n" : "/>\n", f);
}

/* ---- structure ---------------------------------------------------------- */

/* What an output depends on, as references (FMI 3) or places (FMI 2). */
static void write_dependencies(const yk_export *e, const yk_export_variable *v,
                               FILE *f)
{
    int k = 0;
    bool some = false;

    fputs(" dependencies=\"", f);
    for (int i = 0; i < e->variables; i++) {
        if (e->variable[i].kind != YK_EXPORT_INPUT) continue;
        if (!yk_export_depends(e, v, k++)) continue;
        fprintf(f, "%s%d", some ? " " : "", i + (e->fmi == 2));
        some = true;
    }
    fputc('"', f);
}

static void write_unknowns(const yk_export *e, const char *word, bool inputs,
                           FILE *f)
{
    for (int i = 0; i < e->variables; i++) {
        const yk_export_variable *v = &e->variable[i];
        if (v->kind != YK_EXPORT_OUTPUT) continue;
        fprintf(f, "    <%s %s=\"%d\"", e->fmi == 2 ? "Unknown" : word,
                e->fmi == 2 ? "index" : "valueReference", i + (e->fmi == 2));
        if (inputs) write_dependencies(e, v, f);
        fputs("/>\n", f);
    }
}

static void write_structure(const yk_export *e, FILE *f)
{
    bool outputs = false;

    for (int i = 0; i < e->variables; i++)
        outputs = outputs || e->variable[i].kind == YK_EXPORT_OUTPUT;
    fputs("  <ModelStructure>\n", f);
    if (e->fmi == 2 && outputs) fputs("    <Outputs>\n", f);
    write_unknowns(e, "Output", true, f);
    if (e->fmi == 2 && outputs)
        fputs("    </Outputs>\n    <InitialUnknowns>\n", f);
    write_unknowns(e, "InitialUnknown", false, f);
    if (e->fmi == 2 && outputs) fputs("    </InitialUnknowns>\n", f);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", f);
}

yoke_status yk_export_describe(const yk_export *e, const char *path,
                               yoke_err *err)
{
    FILE *f = fopen(path, "w");

    if (!f) return yk_fail(err, YOKE_E_FILE, "%.300s: cannot be written", path);
    write_head(e, f);
    write_units(e, f);
    write_experiment(e, f);
    fputs("  <ModelVariables>\n", f);
    for (int i = 0; i < e->variables; i++) write_variable(e, i, f);
    fputs("  </ModelVariables>\n", f);
    write_structure(e, f);
    const bool bad = ferror(f) != 0;
    if (fclose(f) != 0 || bad)
        return yk_fail(err, YOKE_E_FILE, "%.300s: cannot be written", path);
    return YOKE_OK;
}
