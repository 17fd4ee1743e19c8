/* comp/fmu/kinds.c -- what an FMU can be used for, and how it is built. */
#include "comp/fmu/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- sources ----------------------------------------------------------- */

/* Below the folder of the sources, and nowhere else. */
static bool stays_inside(const char *name)
{
    for (const char *p = name; p; p = strchr(p, '/')) {
        if (*p == '/') p++;
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2])) return false;
    }
    return name[0] && name[0] != '/' && strlen(name) < 1000;
}

static yoke_status add_source(yk_fmu_description *d, const yk_xml *at,
                              const char **list, int *count, yoke_err *err)
{
    const char *name = NULL;

    YK_TRY(yk_xml_copy(d->arena, at, "name", &name, err));
    if (!name) return YOKE_OK;
    if (!stays_inside(name))
        return yk_fail(err, YOKE_E_FILE,
                       "%s:%d: the source \"%.200s\" is not permitted", d->path,
                       yk_xml_line(at), name);
    list[(*count)++] = name;
    return YOKE_OK;
}

/* FMI 2 lists its sources. */
static yoke_status read_sources(yk_fmu_description *d, const yk_xml *at,
                                yk_fmu_kind *out, yoke_err *err)
{
    const yk_xml *list = yk_xml_child(at, "SourceFiles");
    int count = 0;

    for (const yk_xml *f = yk_xml_first(list); f; f = yk_xml_next(f)) count++;
    const char **name = NULL;
    YK_TRY(YK_TAKE(d->arena, &name, count + 1, err));
    for (const yk_xml *f = yk_xml_first(list); f; f = yk_xml_next(f))
        YK_TRY(add_source(d, f, name, &out->sources, err));
    out->source = name;
    return YOKE_OK;
}

/* Some tools have blanks or dashes in it, which harm nobody. */
static bool is_plain(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/') &&
           strlen(name) < 200;
}

/* FMI 2 has no such attribute: our own FMUs have it in an annotation. */
static double annotated_step(const yk_xml *root)
{
    const yk_xml *at = yk_xml_first(yk_xml_child(root, "VendorAnnotations"));
    double step = 0.0;

    for (; at; at = yk_xml_next(at)) {
        char *tool = yk_xml_text(at, "name");
        if (tool && strcmp(tool, "Yoke") == 0)
            step = yk_xml_number(yk_xml_child(at, "CoSimulation"),
                                 "fixedInternalStepSize", 0.0);
        yk_xml_free_text(tool);
    }
    return step;
}

static yoke_status read_kind(yk_fmu_description *d, const yk_xml *root,
                             const char *name, yk_fmu_kind *out, yoke_err *err)
{
    const yk_xml *at = yk_xml_child(root, name);
    const bool three = d->version == 3;

    if (!at) return YOKE_OK;
    out->present = true;
    YK_TRY(yk_xml_copy(d->arena, at, "modelIdentifier", &out->identifier, err));
    if (!out->identifier)
        return yk_fail(err, YOKE_E_FILE, "%s:%d: %s has no modelIdentifier",
                       d->path, yk_xml_line(at), name);
    if (!is_plain(out->identifier))
        return yk_fail(err, YOKE_E_FILE,
                       "%s:%d: modelIdentifier=\"%.100s\" names a binary, so "
                       "it must be a plain name: letters, digits and _",
                       d->path, yk_xml_line(at), out->identifier);
    out->state =
        yk_xml_is(at, three ? "canGetAndSetFMUState" : "canGetAndSetFMUstate");
    out->directional = yk_xml_is(at, three ? "providesDirectionalDerivatives"
                                           : "providesDirectionalDerivative");
    out->tool = yk_xml_is(at, "needsExecutionTool");
    out->once = yk_xml_is(at, "canBeInstantiatedOnlyOncePerProcess");
    out->completed_step =
        three ? yk_xml_is(at, "needsCompletedIntegratorStep")
              : !yk_xml_is(at, "completedIntegratorStepNotNeeded");
    out->variable_step =
        yk_xml_is(at, "canHandleVariableCommunicationStepSize");
    out->event_mode = yk_xml_is(at, "hasEventMode");
    out->interpolates = yk_xml_is(at, "canInterpolateInputs");
    out->midway = yk_xml_is(at, "providesIntermediateUpdate");
    out->slopes = (int)fmin(
        fmax(yk_xml_number(at, "maxOutputDerivativeOrder", 0.0), 0.0), 100.0);
    out->fixed_step = three ? yk_xml_number(at, "fixedInternalStepSize", 0.0)
                            : annotated_step(root);
    return read_sources(d, at, out, err);
}

yoke_status yk_fmu_read_kinds(yk_fmu_description *d, const yk_xml *root,
                              yoke_err *err)
{
    const bool scheduled = yk_xml_child(root, "ScheduledExecution") != NULL;

    YK_TRY(read_kind(d, root, "ModelExchange", &d->exchange, err));
    YK_TRY(read_kind(d, root, "CoSimulation", &d->simulation, err));
    if (d->exchange.present || d->simulation.present) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "%s:%d: neither model exchange nor co-simulation%s", d->path,
                   yk_xml_line(root),
                   scheduled ? "; scheduled execution is not supported" : "");
}

/* ---- buildDescription.xml ---------------------------------------------- */

/* -DNAME=VALUE, -IFOLDER, -lLIBRARY. */
static yoke_status add_word(yk_fmu_description *d, const char *mark,
                            const char *name, const char *value,
                            const char **list, int *count, yoke_err *err)
{
    return yk_arena_print(d->arena, &list[(*count)++], err, "%s%s%s%s", mark,
                          name, value ? "=" : "", value ? value : "");
}

typedef struct build {
    const char **source, **word;
    int sources, words;
} build;

static yoke_status read_file_set(yk_fmu_description *d, const yk_xml *set,
                                 build *out, yoke_err *err)
{
    const char *language = NULL;

    YK_TRY(yk_xml_copy(d->arena, set, "language", &language, err));
    if (language && language[0] && language[0] != 'C')
        return yk_fail(err, YOKE_E_FILE, "%s:%d: sources in %.50s", d->path,
                       yk_xml_line(set), language);
    for (const yk_xml *at = yk_xml_first(set); at; at = yk_xml_next(at)) {
        const char *name = NULL, *value = NULL;

        YK_TRY(yk_xml_copy(d->arena, at, "name", &name, err));
        YK_TRY(yk_xml_copy(d->arena, at, "value", &value, err));
        if (!name) continue;
        if (yk_xml_named(at, "SourceFile"))
            YK_TRY(add_source(d, at, out->source, &out->sources, err));
        else if (yk_xml_named(at, "PreprocessorDefinition") &&
                 !yk_xml_is(at, "optional"))
            YK_TRY(add_word(d, "-D", name, value, out->word, &out->words, err));
        else if (yk_xml_named(at, "IncludeDirectory") && stays_inside(name))
            YK_TRY(add_word(d, "-I", name, NULL, out->word, &out->words, err));
    }
    return YOKE_OK;
}

static int count_below(const yk_xml *at)
{
    int count = 1;

    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c))
        count += count_below(c);
    return count;
}

static yoke_status read_configuration(yk_fmu_description *d, const yk_xml *at,
                                      yk_fmu_kind *kind, yoke_err *err)
{
    const int most = count_below(at);
    build b = { 0 };

    YK_TRY(YK_TAKE(d->arena, &b.source, most, err));
    YK_TRY(YK_TAKE(d->arena, &b.word, most, err));
    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c)) {
        const char *name = NULL;

        if (yk_xml_named(c, "SourceFileSet"))
            YK_TRY(read_file_set(d, c, &b, err));
        YK_TRY(yk_xml_copy(d->arena, c, "name", &name, err));
        if (yk_xml_named(c, "Library") && name)
            YK_TRY(add_word(d, "-l", name, NULL, b.word, &b.words, err));
    }
    kind->source = b.source;
    kind->sources = b.sources;
    kind->word = b.word;
    kind->words = b.words;
    return YOKE_OK;
}

static bool is_for(const yk_xml *at, const yk_fmu_kind *kind)
{
    char *name = yk_xml_text(at, "modelIdentifier");
    const bool is =
        kind->present && name && strcmp(name, kind->identifier) == 0;

    yk_xml_free_text(name);
    return is && kind->sources == 0;
}

yoke_status yk_fmu_describe_build(yk_fmu_description *d, const char *path,
                                  const char *xml, size_t length, yoke_err *err)
{
    yk_xml_document *document = NULL;
    yk_fmu_kind *const kinds[] = { &d->exchange, &d->simulation };
    yoke_status status;

    YK_TRY(yk_xml_parse(&document, path, xml, length, err));
    for (const yk_xml *c = yk_xml_first(yk_xml_root(document)); c;
         c = yk_xml_next(c))
        for (int k = 0; k < 2; k++)
            if (yk_xml_named(c, "BuildConfiguration") && is_for(c, kinds[k]))
                YK_GO(read_configuration(d, c, kinds[k], err));
    status = YOKE_OK;
done:
    yk_xml_free(document);
    return status;
}

/* ---- terminalsAndIcons.xml --------------------------------------------- */

/* One member that is no flow, one that is; false: something else. */
static bool read_terminal(const yk_fmu_description *d, const yk_xml *at,
                          yk_fmu_terminal *out)
{
    int potentials = 0, flows = 0;

    for (const yk_xml *m = yk_xml_first(at); m; m = yk_xml_next(m)) {
        char *name = yk_xml_text(m, "variableName");
        char *kind = yk_xml_text(m, "variableKind");
        const int v = name ? yk_fmu_find(d, name) : -1;
        const bool in = kind && strcmp(kind, "inflow") == 0;
        const bool flow = in || (kind && strcmp(kind, "outflow") == 0);
        const bool member = yk_xml_named(m, "TerminalMemberVariable");

        yk_xml_free_text(name);
        yk_xml_free_text(kind);
        if (!member || v < 0) continue;
        if (flow) {
            out->flow = v;
            out->sign = in ? 1.0 : -1.0;
            flows++;
        } else {
            out->potential = v;
            potentials++;
        }
    }
    return potentials == 1 && flows == 1;
}

yoke_status yk_fmu_describe_terminals(yk_fmu_description *d, const char *path,
                                      const char *xml, size_t length,
                                      yoke_err *err)
{
    yk_xml_document *document = NULL;
    yoke_status status;
    int count = 0;

    YK_TRY(yk_xml_parse(&document, path, xml, length, err));
    const yk_xml *list = yk_xml_child(yk_xml_root(document), "Terminals");
    for (const yk_xml *t = yk_xml_first(list); t; t = yk_xml_next(t)) count++;
    YK_GO(YK_TAKE(d->arena, &d->terminal, count + 1, err));
    for (const yk_xml *t = yk_xml_first(list); t; t = yk_xml_next(t)) {
        yk_fmu_terminal *out = &d->terminal[d->terminals];

        YK_GO(yk_xml_copy(d->arena, t, "name", &out->name, err));
        if (out->name && read_terminal(d, t, out)) d->terminals++;
    }
done:
    yk_xml_free(document);
    return status;
}
