/* comp/fmu/description.c -- reads modelDescription.xml.
 *
 * Nothing outside the text is opened: no network, no external entities, no
 * document type at all.  What the standard demands and a run needs is checked
 * here; the rest is left to the author of the FMU.
 */
#include "comp/fmu/kinds.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 1000000, MOST_ELEMENTS = 10000000 };

typedef struct reader {
    yk_fmu_description *d;
    yk_arena *arena;
    yoke_err *err;
    yk_names types; /* declared ones */
    const yk_xml **type;
    double elements; /* of all variables */
} reader;

static const struct {
    const char *name;
    yk_fmu_type type;
} types[] = {
    { "Float64", YK_FMU_FLOAT64 },   { "Float32", YK_FMU_FLOAT32 },
    { "Int8", YK_FMU_INT8 },         { "UInt8", YK_FMU_UINT8 },
    { "Int16", YK_FMU_INT16 },       { "UInt16", YK_FMU_UINT16 },
    { "Int32", YK_FMU_INT32 },       { "UInt32", YK_FMU_UINT32 },
    { "Int64", YK_FMU_INT64 },       { "UInt64", YK_FMU_UINT64 },
    { "Boolean", YK_FMU_BOOLEAN },   { "String", YK_FMU_STRING },
    { "Binary", YK_FMU_BINARY },     { "Clock", YK_FMU_CLOCK },
    { "Real", YK_FMU_FLOAT64 },      { "Integer", YK_FMU_INT32 },
    { "Enumeration", YK_FMU_INT64 },
};

const char *yk_fmu_type_name(yk_fmu_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type) return types[i].name;
    return "?";
}

/* ---- units ------------------------------------------------------------- */

/* A number that is one, if it is there. */
static yoke_status read_base_number(reader *r, const yk_xml *base,
                                    const char *name, double preset,
                                    double *out)
{
    const char *text = NULL;

    YK_TRY(yk_xml_copy(r->arena, base, name, &text, r->err));
    *out = text ? yk_xml_number(base, name, NAN) : preset;
    if (!text || isfinite(*out)) return YOKE_OK;
    return yk_fail(r->err, YOKE_E_FILE,
                   "%s:%d: %s=\"%.100s\" of a unit is not "
                   "a number",
                   r->d->path, yk_xml_line(base), name, text);
}

static yoke_status read_base_unit(reader *r, const yk_xml *base,
                                  yk_fmu_unit *out)
{
    static const char *const power[] = { "kg", "m",   "s",  "A",
                                         "K",  "mol", "cd", "rad" };
    double number = 0.0;

    out->known = true;
    YK_TRY(read_base_number(r, base, "factor", 1.0, &out->factor));
    YK_TRY(read_base_number(r, base, "offset", 0.0, &out->offset));
    for (int i = 0; i < 8; i++) {
        YK_TRY(read_base_number(r, base, power[i], 0.0, &number));
        if (number != floor(number) || fabs(number) > 100.0)
            return yk_fail(r->err, YOKE_E_FILE,
                           "%s:%d: unit \"%.100s\": the exponent %g of %s is "
                           "no whole number",
                           r->d->path, yk_xml_line(base), out->name, number,
                           power[i]);
        out->power[i] = (int)number;
    }
    return YOKE_OK;
}

static yoke_status read_units(reader *r, const yk_xml *root)
{
    const yk_xml *list = yk_xml_child(root, "UnitDefinitions");
    int count = 0;

    for (const yk_xml *u = yk_xml_first(list); u; u = yk_xml_next(u)) count++;
    YK_TRY(YK_TAKE(r->arena, &r->d->unit, count + 1, r->err));
    for (const yk_xml *u = yk_xml_first(list); u; u = yk_xml_next(u)) {
        yk_fmu_unit *out = &r->d->unit[r->d->units];
        const yk_xml *base = yk_xml_child(u, "BaseUnit");

        YK_TRY(yk_xml_copy(r->arena, u, "name", &out->name, r->err));
        if (!out->name) continue;
        out->factor = 1.0;
        if (base) YK_TRY(read_base_unit(r, base, out));
        r->d->units++;
    }
    return YOKE_OK;
}

const yk_fmu_unit *yk_fmu_find_unit(const yk_fmu_description *d,
                                    const char *name)
{
    for (int i = 0; name && i < d->units; i++)
        if (strcmp(d->unit[i].name, name) == 0) return &d->unit[i];
    return NULL;
}

/* ---- variables --------------------------------------------------------- */

static yoke_status refuse(reader *r, const yk_xml *at, const char *what,
                          const char *value)
{
    return yk_fail(r->err, YOKE_E_FILE, "%s:%d: %s%s%s%s", r->d->path,
                   yk_xml_line(at), what, value ? " \"" : "",
                   value ? value : "", value ? "\"" : "");
}

/* The place of `text` in the list, or `preset` if there is no text. */
static yoke_status one_of(reader *r, const yk_xml *at, const char *name,
                          const char *const *list, int preset, int *out)
{
    char *text = yk_xml_text(at, name);

    *out = preset;
    for (int i = 0; text && list[i]; i++)
        if (strcmp(list[i], text) == 0) {
            *out = i;
            yk_xml_free_text(text);
            return YOKE_OK;
        }
    if (!text) return YOKE_OK;
    const yoke_status status =
        yk_fail(r->err, YOKE_E_FILE, "%s:%d: %s \"%.100s\" is not known",
                r->d->path, yk_xml_line(at), name, text);
    yk_xml_free_text(text);
    return status;
}

static yoke_status read_roles(reader *r, const yk_xml *at, yk_fmu_variable *v)
{
    static const char *const causalities[] = {
        "local", "parameter", "structuralParameter", "calculatedParameter",
        "input", "output",    "independent",         NULL
    };
    static const char *const variabilities[] = { "continuous", "discrete",
                                                 "tunable",    "fixed",
                                                 "constant",   NULL };
    static const char *const initials[] = { "exact", "approx", "calculated",
                                            NULL };
    const bool real = v->type == YK_FMU_FLOAT64 || v->type == YK_FMU_FLOAT32;
    int causality, variability, initial;

    YK_TRY(one_of(r, at, "causality", causalities, YK_FMU_LOCAL, &causality));
    const bool parameter = causality == YK_FMU_PARAMETER ||
                           causality == YK_FMU_STRUCTURAL ||
                           causality == YK_FMU_CALCULATED;
    YK_TRY(one_of(r, at, "variability", variabilities,
                  parameter ? YK_FMU_FIXED
                  : real    ? YK_FMU_CONTINUOUS
                            : YK_FMU_DISCRETE,
                  &variability));
    YK_TRY(one_of(r, at, "initial", initials, -1, &initial));
    v->causality = (yk_fmu_causality)causality;
    v->variability = (yk_fmu_variability)variability;
    v->has_initial = initial >= 0;
    v->initial = initial >= 0 ? (yk_fmu_initial)initial : YK_FMU_CALCULATE;
    if (initial < 0 &&
        (causality == YK_FMU_PARAMETER || causality == YK_FMU_STRUCTURAL ||
         variability == YK_FMU_CONSTANT))
        v->initial = YK_FMU_EXACT;
    return YOKE_OK;
}

/* 2.0: <SimpleType name><Real .../></SimpleType>; 3.0: <Float64Type name .../>
 */
static yoke_status read_types(reader *r, const yk_xml *root)
{
    const yk_xml *list = yk_xml_child(root, "TypeDefinitions");
    int count = 0;

    for (const yk_xml *t = yk_xml_first(list); t; t = yk_xml_next(t)) count++;
    YK_TRY(YK_TAKE(r->arena, &r->type, count + 1, r->err));
    count = 0;
    for (const yk_xml *t = yk_xml_first(list); t; t = yk_xml_next(t)) {
        const char *name = NULL;

        YK_TRY(yk_xml_copy(r->arena, t, "name", &name, r->err));
        if (!name) continue;
        YK_TRY(yk_names_add(&r->types, name, count, r->err));
        r->type[count++] = yk_xml_named(t, "SimpleType") ? yk_xml_first(t) : t;
    }
    return YOKE_OK;
}

/* The element of the declared type of a variable, or NULL. */
static const yk_xml *declared(const reader *r, const yk_xml *variable)
{
    char *name = yk_xml_text(variable, "declaredType");
    const int found = name ? yk_names_find(&r->types, name) : -1;

    yk_xml_free_text(name);
    return found < 0 ? NULL : r->type[found];
}

/* The names of the values of an enumeration. */
static yoke_status read_items(reader *r, const yk_xml *type, yk_fmu_variable *v)
{
    yk_fmu_item *item = NULL;
    int count = 0;

    if (!v->enumeration || !type) return YOKE_OK;
    for (const yk_xml *i = yk_xml_first(type); i; i = yk_xml_next(i)) count++;
    YK_TRY(YK_TAKE(r->arena, &item, count + 1, r->err));
    for (const yk_xml *i = yk_xml_first(type); i; i = yk_xml_next(i)) {
        yk_fmu_item *at = &item[v->items];

        YK_TRY(yk_xml_copy(r->arena, i, "name", &at->name, r->err));
        at->value = yk_xml_number(i, "value", NAN);
        if (at->name && !isnan(at->value)) v->items++;
    }
    v->item = item;
    return YOKE_OK;
}

/* Units, bounds and nominal value, of the variable or of its declared type. */
static yoke_status read_size(reader *r, const yk_xml *at, yk_fmu_variable *v)
{
    const yk_xml *type = declared(r, at);
    const yk_xml *from[] = { type, at };

    v->nominal = 1.0;
    v->least = -INFINITY;
    v->most = INFINITY;
    for (int i = 0; i < 2; i++) {
        const char *unit = NULL;

        if (!from[i]) continue;
        YK_TRY(yk_xml_copy(r->arena, from[i], "unit", &unit, r->err));
        if (unit) v->unit = unit;
        v->relative = v->relative || yk_xml_is(from[i], "relativeQuantity");
        YK_TRY(yk_fmu_read_bound(r->d, from[i], "nominal", v, &v->nominal,
                                 r->err));
        YK_TRY(yk_fmu_read_bound(r->d, from[i], "min", v, &v->least, r->err));
        YK_TRY(yk_fmu_read_bound(r->d, from[i], "max", v, &v->most, r->err));
    }
    v->nominal = fabs(v->nominal);
    if (!(v->nominal > 0.0) || !isfinite(v->nominal)) v->nominal = 1.0;
    return read_items(r, type, v);
}

/* FMI 3: fixed dimensions, or those that a structural parameter has at the
 * start. */
static yoke_status read_dimensions(reader *r, const yk_xml *at,
                                   yk_fmu_variable *v)
{
    double count = 1.0;

    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c)) {
        if (!yk_xml_named(c, "Dimension")) continue;
        double size = yk_xml_number(c, "start", NAN);
        const double reference = yk_xml_number(c, "valueReference", NAN);

        const int of = yk_fmu_find_reference(r->d, reference);
        if (isnan(size) && of >= 0 && r->d->variable[of].start &&
            !yk_xml_is_number(r->d->variable[of].start, &size))
            size = NAN;
        if (!(size >= 0.0) || size != floor(size))
            return refuse(r, at, "no size is known of the array", v->name);
        count *= size;
        v->array = true;
    }
    r->elements += count;
    if (!(r->elements <= MOST_ELEMENTS))
        return refuse(r, at, "too many elements in", v->name);
    v->count = (int)count;
    return YOKE_OK;
}

static yoke_status read_start(reader *r, const yk_xml *at, yk_fmu_variable *v)
{
    const yk_xml *start = yk_xml_child(at, "Start"); /* of texts in FMI 3 */

    YK_TRY(yk_xml_copy(r->arena, at, "start", &v->start, r->err));
    if (!v->start && start)
        YK_TRY(yk_xml_copy(r->arena, start, "value", &v->start, r->err));
    return YOKE_OK;
}

static bool find_type(const yk_xml *at, yk_fmu_type *out, bool *enumeration)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (yk_xml_named(at, types[i].name)) {
            *out = types[i].type;
            *enumeration = yk_xml_named(at, "Enumeration");
            return true;
        }
    return false;
}

/* FMI 2: <ScalarVariable ...><Real .../></ScalarVariable>; 3: <Float64 .../>.
 * `detail` is the element with the type. */
static yoke_status read_variable(reader *r, const yk_xml *at)
{
    yk_fmu_variable *v = &r->d->variable[r->d->variables];
    const yk_xml *detail = at;
    const double reference = yk_xml_number(at, "valueReference", NAN);

    *v = (yk_fmu_variable){ .state = -1, .derivative = -1, .count = 1 };
    v->line = yk_xml_line(at);
    if (r->d->version == 2)
        for (detail = yk_xml_first(at);
             detail && !find_type(detail, &v->type, &v->enumeration);
             detail = yk_xml_next(detail)) {
        }
    if (!detail || !find_type(detail, &v->type, &v->enumeration))
        return refuse(r, at, "no type is known of this variable", NULL);
    if (r->d->version == 2 && v->enumeration) v->type = YK_FMU_INT32;
    YK_TRY(yk_xml_copy(r->arena, at, "name", &v->name, r->err));
    if (!v->name) return refuse(r, at, "a variable without a name", NULL);
    if (!(reference >= 0.0 && reference <= UINT_MAX))
        return refuse(r, at, "no valueReference of", v->name);
    v->reference = (unsigned)reference;
    YK_TRY(yk_xml_copy(r->arena, at, "description", &v->description, r->err));
    YK_TRY(read_roles(r, at, v));
    YK_TRY(read_size(r, detail, v));
    YK_TRY(read_start(r, detail, v));
    v->midway = yk_xml_is(at, "intermediateUpdate");
    const double derivative = yk_xml_number(detail, "derivative", NAN);
    if (derivative >= 0.0 && derivative <= UINT_MAX)
        v->state = (int)fmin(derivative, (double)INT_MAX);
    r->d->variables++;
    return YOKE_OK;
}

static int count_aliases(const yk_xml *at)
{
    int count = 0;

    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c))
        count += yk_xml_named(c, "Alias");
    return count;
}

/* Other names of a variable (FMI 3) are variables with its reference. */
static yoke_status read_aliases(reader *r, const yk_xml *at)
{
    const int of = r->d->variables - 1;

    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c)) {
        yk_fmu_variable *v = &r->d->variable[r->d->variables];

        if (!yk_xml_named(c, "Alias")) continue;
        *v = r->d->variable[of];
        v->causality = YK_FMU_LOCAL;
        v->state = -1;
        v->line = yk_xml_line(c);
        YK_TRY(yk_xml_copy(r->arena, c, "name", &v->name, r->err));
        if (!v->name) return refuse(r, c, "an alias without a name", NULL);
        r->d->variables++;
    }
    return YOKE_OK;
}

/* `derivative` names a variable by its place (2) or reference (3). */
static yoke_status link_derivatives(reader *r)
{
    yk_fmu_description *d = r->d;

    for (int i = 0; i < d->variables; i++) {
        yk_fmu_variable *v = &d->variable[i];
        int state = -1;

        if (v->state < 0) continue;
        if (d->version == 2) state = v->state - 1;
        if (d->version == 3) state = yk_fmu_find_reference(d, v->state);
        if (state < 0 || state >= d->variables)
            return yk_fail(r->err, YOKE_E_FILE,
                           "%s:%d: \"%s\" is the derivative of no variable",
                           d->path, v->line, v->name);
        v->state = state;
        d->variable[state].derivative = i;
    }
    return YOKE_OK;
}

typedef struct place {
    unsigned reference;
    int variable;
} place;

static int by_reference(const void *a, const void *b)
{
    const place *x = a, *y = b;

    if (x->reference != y->reference)
        return x->reference < y->reference ? -1 : 1;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

/* By names, each of which belongs to one variable, and by references. */
static yoke_status index_variables(reader *r)
{
    yk_fmu_description *d = r->d;
    place *list = NULL;

    YK_TRY(YK_TAKE(r->arena, &d->by_reference, d->variables + 1, r->err));
    YK_TRY(YK_NEW(&list, d->variables + 1, r->err));
    for (int i = 0; i < d->variables; i++) {
        list[i].reference = d->variable[i].reference;
        list[i].variable = i;
    }
    qsort(list, (size_t)d->variables, sizeof *list, by_reference);
    for (int i = 0; i < d->variables; i++)
        d->by_reference[i] = list[i].variable;
    yk_free(list);
    for (int i = 0; i < d->variables; i++) {
        const yk_fmu_variable *v = &d->variable[i];

        if (yk_names_find(&d->names, v->name) >= 0)
            return yk_fail(r->err, YOKE_E_FILE,
                           "%s:%d: two variables have the name \"%.200s\"",
                           d->path, v->line, v->name);
        YK_TRY(yk_names_add(&d->names, v->name, i, r->err));
    }
    return YOKE_OK;
}

static yoke_status read_variables(reader *r, const yk_xml *root)
{
    const yk_xml *list = yk_xml_child(root, "ModelVariables");
    int count = 0;

    for (const yk_xml *v = yk_xml_first(list); v; v = yk_xml_next(v))
        count += 1 + count_aliases(v);
    if (count > MOST_VARIABLES)
        return refuse(r, list, "more variables than", "1000000");
    YK_TRY(YK_TAKE(r->arena, &r->d->variable, count + 1, r->err));
    YK_TRY(read_types(r, root));
    for (const yk_xml *v = yk_xml_first(list); v; v = yk_xml_next(v)) {
        YK_TRY(read_variable(r, v));
        YK_TRY(read_aliases(r, v));
    }
    YK_TRY(index_variables(r));
    count = 0;
    for (const yk_xml *v = yk_xml_first(list); v; v = yk_xml_next(v)) {
        for (int left = 1 + count_aliases(v); left > 0; left--) {
            yk_fmu_variable *at = &r->d->variable[count++];

            YK_TRY(read_dimensions(r, v, at));
            YK_TRY(yk_fmu_check_start(r->d, at, r->err));
        }
    }
    return link_derivatives(r);
}

bool yk_fmu_may_set(const yk_fmu_variable *v)
{
    if (v->causality == YK_FMU_INDEPENDENT || v->variability == YK_FMU_CONSTANT)
        return false;
    return v->causality == YK_FMU_INPUT || v->initial != YK_FMU_CALCULATE ||
           (v->start && !v->has_initial);
}

int yk_fmu_find(const yk_fmu_description *d, const char *name)
{
    return yk_names_find(&d->names, name);
}

int yk_fmu_find_reference(const yk_fmu_description *d, double reference)
{
    int low = 0, high = d->variables;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (d->variable[d->by_reference[middle]].reference < reference)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == d->variables ||
        (double)d->variable[d->by_reference[low]].reference != reference)
        return -1;
    return d->by_reference[low];
}

/* ---- structure --------------------------------------------------------- */

/* The variable that an entry of the structure names, or -1. */
static int named_variable(const yk_fmu_description *d, double number)
{
    if (!(number >= 0.0)) return -1;
    if (d->version == 2)
        return number >= 1.0 && number <= d->variables ? (int)number - 1 : -1;
    return yk_fmu_find_reference(d, number);
}

static yoke_status read_dependencies(reader *r, const yk_xml *at,
                                     yk_fmu_unknown *out)
{
    char *text = yk_xml_text(at, "dependencies");
    int *known = NULL;
    yoke_status status = YOKE_OK;

    if (!text) return YOKE_OK;
    out->listed = true;
    YK_GO(YK_TAKE(r->arena, &known, strlen(text) / 2 + 1, r->err));
    for (char *end, *p = text;; p = end) {
        const double number = strtod(p, &end);

        if (end == p) break;
        const int variable = named_variable(r->d, number);
        if (variable >= 0) known[out->count++] = variable;
    }
    out->known = known;
done:
    yk_xml_free_text(text);
    return status;
}

static yoke_status read_unknown(reader *r, const yk_xml *at,
                                yk_fmu_unknown *list, int *count)
{
    yk_fmu_unknown *out = &list[*count];
    const double number =
        yk_xml_number(at, r->d->version == 2 ? "index" : "valueReference", NAN);

    out->variable = named_variable(r->d, number);
    if (out->variable < 0)
        return refuse(r, at, "the structure names an unknown variable", NULL);
    (*count)++;
    return read_dependencies(r, at, out);
}

static yoke_status read_list(reader *r, const yk_xml *list, const char *only,
                             yk_fmu_unknown **out, int *count)
{
    int all = 0;

    for (const yk_xml *u = yk_xml_first(list); u; u = yk_xml_next(u)) all++;
    YK_TRY(YK_TAKE(r->arena, out, all + 1, r->err));
    for (const yk_xml *u = yk_xml_first(list); u; u = yk_xml_next(u))
        if (!only || yk_xml_named(u, only))
            YK_TRY(read_unknown(r, u, *out, count));
    return YOKE_OK;
}

static yoke_status read_structure(reader *r, const yk_xml *root)
{
    yk_fmu_description *d = r->d;
    const yk_xml *s = yk_xml_child(root, "ModelStructure");

    if (d->version == 2) {
        const double count =
            yk_xml_number(root, "numberOfEventIndicators", 0.0);
        if (!(count >= 0.0 && count <= MOST_ELEMENTS))
            return refuse(r, root, "numberOfEventIndicators is out of range",
                          NULL);
        d->indicators = (int)count;
        YK_TRY(read_list(r, yk_xml_child(s, "Outputs"), NULL, &d->output,
                         &d->outputs));
        return read_list(r, yk_xml_child(s, "Derivatives"), NULL,
                         &d->derivative, &d->derivatives);
    }
    YK_TRY(read_list(r, s, "Output", &d->output, &d->outputs));
    for (const yk_xml *u = yk_xml_first(s); u; u = yk_xml_next(u)) {
        const int v =
            named_variable(d, yk_xml_number(u, "valueReference", NAN));

        if (!yk_xml_named(u, "EventIndicator") || v < 0) continue;
        d->indicators += d->variable[v].count;
        if (d->indicators > MOST_ELEMENTS)
            return refuse(r, u, "too many event indicators", NULL);
    }
    return read_list(r, s, "ContinuousStateDerivative", &d->derivative,
                     &d->derivatives);
}

/* Every derivative belongs to a state. */
static yoke_status check_structure(reader *r)
{
    const yk_fmu_description *d = r->d;

    for (int i = 0; i < d->derivatives; i++) {
        const yk_fmu_variable *v = &d->variable[d->derivative[i].variable];

        if (v->state < 0)
            return yk_fail(r->err, YOKE_E_FILE,
                           "%s:%d: \"%s\" is listed as a derivative, but not "
                           "said of what",
                           d->path, v->line, v->name);
        if (d->variable[v->state].count != v->count)
            return yk_fail(r->err, YOKE_E_FILE,
                           "%s:%d: \"%s\" and its state have different sizes",
                           d->path, v->line, v->name);
    }
    return YOKE_OK;
}

/* ---- the whole --------------------------------------------------------- */

static yoke_status read_version(reader *r, const yk_xml *root)
{
    char *version = yk_xml_text(root, "fmiVersion");
    yoke_status status = YOKE_OK;

    if (!yk_xml_named(root, "fmiModelDescription") || !version)
        status = refuse(r, root, "this is not the description of an FMU", NULL);
    else if (strncmp(version, "2.", 2) == 0)
        r->d->version = 2;
    else if (strncmp(version, "3.", 2) == 0)
        r->d->version = 3;
    else
        status = yk_fail(r->err, YOKE_E_FILE,
                         "%s:%d: FMI version %s; Yoke reads 2.0 and 3.0",
                         r->d->path, yk_xml_line(root), version);
    yk_xml_free_text(version);
    return status;
}

static yoke_status read_head(reader *r, const yk_xml *root)
{
    yk_fmu_description *d = r->d;
    const yk_xml *e = yk_xml_child(root, "DefaultExperiment");

    YK_TRY(read_version(r, root));
    YK_TRY(yk_xml_copy(r->arena, root, "modelName", &d->model, r->err));
    YK_TRY(yk_xml_copy(r->arena, root,
                       d->version == 2 ? "guid" : "instantiationToken",
                       &d->token, r->err));
    YK_TRY(yk_xml_copy(r->arena, root, "generationTool", &d->tool, r->err));
    YK_TRY(yk_xml_copy(r->arena, root, "description", &d->text, r->err));
    if (!d->model || !d->token)
        return refuse(r, root, "the model has no name or no token", NULL);
    d->stop = yk_xml_number(e, "stopTime", NAN);
    d->tolerance = yk_xml_number(e, "tolerance", NAN);
    d->step = yk_xml_number(e, "stepSize", NAN);
    return YOKE_OK;
}

/* Without its clocks an FMU would run, and do nothing where they tick. */
static yoke_status refuse_clocks(reader *r)
{
    const yk_fmu_description *d = r->d;

    for (int i = 0; i < d->variables; i++)
        if (d->variable[i].type == YK_FMU_CLOCK)
            return yk_fail(r->err, YOKE_E_FILE,
                           "%s:%d: \"%s\" is a clock; clocks are not "
                           "supported: export the model without",
                           d->path, d->variable[i].line, d->variable[i].name);
    return YOKE_OK;
}

static yoke_status read_all(reader *r, const yk_xml *root)
{
    yk_fmu_description *d = r->d;

    YK_TRY(read_head(r, root));
    YK_TRY(yk_fmu_read_kinds(d, root, r->err));
    YK_TRY(read_units(r, root));
    YK_TRY(read_variables(r, root));
    YK_TRY(refuse_clocks(r));
    YK_TRY(read_structure(r, root));
    return check_structure(r);
}

yoke_status yk_fmu_describe(yk_fmu_description **out, const char *path,
                            const char *xml, size_t length, yoke_err *err)
{
    yk_fmu_description *d = NULL;
    yk_xml_document *document = NULL;
    reader r = { 0 };
    yoke_status status;

    YK_TRY(YK_NEW(&d, 1, err));
    YK_GO(YK_NEW(&d->arena, 1, err));
    YK_GO(yk_arena_print(d->arena, &d->path, err, "%s", path));
    YK_GO(yk_xml_parse(&document, path, xml, length, err));
    r = (reader){ .d = d, .arena = d->arena, .err = err };
    YK_GO(read_all(&r, yk_xml_root(document)));
    *out = d;
    d = NULL;
done:
    yk_names_clear(&r.types);
    yk_xml_free(document);
    yk_fmu_description_free(d);
    return status;
}

void yk_fmu_description_free(yk_fmu_description *d)
{
    if (!d) return;
    yk_names_clear(&d->names);
    if (d->arena) yk_arena_clear(d->arena);
    YK_FREE(d->arena, d);
}
