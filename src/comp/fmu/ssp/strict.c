/* comp/fmu/ssp/strict.c -- what a description may say once only, and how.
 *
 * Elements and attributes of others are passed by.  But what looks like ours and
 * is not read would be a system other than the one that was written: a second
 * list, a truth that is none, a transformation that nobody knows.
 */
#include "comp/fmu/ssp/ssp.h"

#include <math.h>
#include <string.h>

yoke_status yk_ssp_index(yk_ssp *ssp, yk_names **table, const char *name,
                         int number, yoke_err *err)
{
    if (!*table) {
        YK_TRY(YK_TAKE(&ssp->arena, table, 1, err));
        YK_TRY(yk_list_push(&ssp->arena, &ssp->tables, *table, err));
    }
    return yk_names_add(*table, name, number, err);
}

int yk_ssp_number_of(const yk_names *table, const char *name)
{
    return table ? yk_names_find(table, name) : -1;
}

yoke_status yk_ssp_once(const yk_ssp_file *file, const yk_xml *at,
                        yoke_err *err)
{
    static const char *const names[] = {
        "Connectors",        "Elements",
        "Connections",       "SignalDictionaries",
        "ParameterBindings", "ParameterValues",
        "ParameterMapping",  "Parameters",
        "ParameterSet",      "Units",
        "DefaultExperiment",
    };
    enum { NAMES = sizeof names / sizeof names[0] };
    int line[NAMES] = { 0 };

    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c))
        for (int k = 0; k < NAMES; k++) {
            if (!yk_xml_named(c, names[k])) continue;
            if (line[k] > 0)
                return yk_ssp_fail(file, yk_xml_line(c), err,
                                   "there is a second %s here, after that in "
                                   "line %d; put all into one",
                                   names[k], line[k]);
            line[k] = yk_xml_line(c);
        }
    return YOKE_OK;
}

yoke_status yk_ssp_read_number(yk_ssp *ssp, const yk_ssp_file *file,
                               const yk_xml *at, const char *name,
                               double preset, double *out, yoke_err *err)
{
    const char *text = NULL;

    YK_TRY(yk_xml_copy(&ssp->arena, at, name, &text, err));
    *out = text ? yk_xml_number(at, name, NAN) : preset;
    if (!text || isfinite(*out)) return YOKE_OK;
    return yk_ssp_fail(file, yk_xml_line(at), err,
                       "%s=\"%.100s\" is not a number", name, text);
}

bool yk_ssp_is_truth(const char *text, double *out)
{
    const bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    const bool no = strcmp(text, "false") == 0 || strcmp(text, "0") == 0;

    *out = yes ? 1.0 : 0.0;
    return yes || no;
}

yoke_status yk_ssp_read_truth(yk_ssp *ssp, const yk_ssp_file *file,
                              const yk_xml *at, const char *name, bool *out,
                              yoke_err *err)
{
    const char *text = NULL;
    double value = 0.0;

    *out = false;
    YK_TRY(yk_xml_copy(&ssp->arena, at, name, &text, err));
    if (text && !yk_ssp_is_truth(text, &value))
        return yk_ssp_fail(file, yk_xml_line(at), err,
                           "%s=\"%.100s\" is neither true nor false", name,
                           text);
    *out = value != 0.0;
    return YOKE_OK;
}

/* ---- transformations ---------------------------------------------------- */

yoke_status yk_ssp_check_entries(const yk_ssp_file *file, int line,
                                 const yk_ssp_transformation *by, yoke_err *err)
{
    const bool truths = by->kind == YK_SSP_BOOLEANS;

    for (int i = 0; i < by->entries && by->kind != YK_SSP_ITEMS; i++)
        for (int side = 0; side < 2; side++) {
            const char *text = side ? by->target[i] : by->source[i];
            double number = 0.0;
            if (truths ? yk_ssp_is_truth(text, &number)
                       : yk_xml_is_number(text, &number) &&
                             number == floor(number))
                continue;
            return yk_ssp_fail(
                file, line, err, "\"%.100s\" in a mapping is no %s", text,
                truths ? "Boolean: write true or false" : "whole number");
        }
    return YOKE_OK;
}

yoke_status yk_ssp_check_transformation(const yk_ssp_file *file,
                                        const yk_xml *at, yoke_err *err)
{
    static const char tail[] = "Transformation";
    static const char *const linear[] = { "factor", "offset", "id",
                                          "description", NULL };
    const char *name = yk_xml_name(at);
    const size_t length = strlen(name);
    const char *odd = NULL;

    if (length < sizeof tail || strcmp(name + length - sizeof tail + 1, tail))
        return YOKE_OK;
    if (yk_xml_named(at, "LinearTransformation") &&
        !(odd = yk_xml_odd_attribute(at, linear)))
        return YOKE_OK;
    if (odd)
        return yk_ssp_fail(file, yk_xml_line(at), err,
                           "a LinearTransformation has factor and offset, and "
                           "no \"%.100s\"",
                           odd);
    if (yk_xml_named(at, "BooleanMappingTransformation") ||
        yk_xml_named(at, "IntegerMappingTransformation") ||
        yk_xml_named(at, "EnumerationMappingTransformation"))
        return YOKE_OK;
    return yk_ssp_fail(file, yk_xml_line(at), err,
                       "%.100s is not supported; linear ones and mappings of "
                       "Booleans, integers and enumerations are",
                       name);
}
