/* comp/equation/front/declared_units.c -- units that equation models declare:
 * those of parameters that the file gives, and of ports that it couples.
 *
 *     parameter Real C(unit = "F");       parameters: {C: 10 V}    is refused
 *     output Real i(unit = "A");          signal: b.u = a.i        if u is in V
 *
 * A unit that is not known permits everything.  A value with a unit is converted
 * to that of the model: 2 m is 2000 for a parameter in mm.
 */
#include "comp/equation/front/front.h"
#include "comp/equation/front/translate.h"
#include "comp/equation/read.h"

#include <string.h>

typedef struct looker {
    yk_reader *r;
    const char *subsystem;
    const yk_entries *entries;
    double *factor; /* of each: from SI units to that of the model */
    yoke_status status;
    yoke_err *err;
} looker;

/* "k[2,3]" is an element of "k". */
static bool is_of(const char *element, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(element, name, length) == 0 &&
           (element[length] == '\0' || element[length] == '[');
}

static yoke_status check_parameter(const looker *l, const char *name,
                                   const char *unit, yoke_err *err)
{
    const yk_unit_scope scope = { &l->entries->names, l->entries->value };

    for (int i = 0; i < l->entries->count; i++) {
        const yk_file_value *e = &l->entries->entry[i];
        double value = 0.0;
        size_t at = 0;
        if (!is_of(e->name, name) || strcmp(e->text, "true") == 0 ||
            strcmp(e->text, "false") == 0)
            continue;
        const yoke_status status =
            yk_quantity_read_in(e->text, &scope, unit, &value, &at, err);
        if (status != YOKE_OK)
            yk_suffix(err, " (the model declares %.80s in %.40s)", name, unit);
        YK_TRY(yk_file_place_entry(e, at, status, err));
        if (l->entries->value[i] != 0.0)
            l->factor[i] = value / l->entries->value[i];
    }
    return YOKE_OK;
}

static yoke_status check_symbol(const looker *l, const yk_symbol *s,
                                const char *unit)
{
    if (s->variability == YK_PARAMETER || s->variability == YK_CONSTANT)
        return check_parameter(l, s->name, unit, l->err);
    return yk_file_port_unit(l->r->file, l->subsystem, s->name, unit, l->err);
}

/* Of a model that is not understood the symbols that are known: whoever compiles
 * it has the message. */
static yoke_status see(void *self, yk_translator *t, yoke_err *err)
{
    looker *l = self;

    (void)err;
    for (int i = 0; i < t->symbol.count && l->status == YOKE_OK; i++) {
        const yk_symbol *s = t->symbol.item[i];
        const char *unit = s->is_global ? NULL : yk_symbol_unit(s);
        if (unit && unit[0]) l->status = check_symbol(l, s, unit);
    }
    return YOKE_OK;
}

yoke_status yk_eq_model_units(yk_reader *r, const char *subsystem,
                              const char *path,
                              const yoke_equation_options *options,
                              const yk_entries *entries, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    looker l = {
        .r = r, .subsystem = subsystem, .entries = entries, .err = err
    };
    const yk_look look = { see, &l };
    yk_flat *flat = NULL;
    yoke_err ignored;
    char *text = NULL;
    size_t length = 0;

    YK_TRY(yk_equation_text(path, &text, &length, err));
    YK_GO(yk_doubles(&l.factor, (size_t)entries->count + 1, err));
    for (int i = 0; i < entries->count; i++) l.factor[i] = 1.0;
    if (strstr(text, "unit"))
        yk_equation_look(&flat, path, text, length, options, &look, &ignored);
    YK_GO(l.status);
    for (int i = 0; i < entries->count; i++) entries->value[i] *= l.factor[i];
done:
    yk_flat_free(flat);
    YK_FREE(text, l.factor);
    return status;
}
