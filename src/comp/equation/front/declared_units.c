/* comp/equation/front/declared_units.c -- units that equation models declare:
 * those of parameters that the file gives, and of ports that it couples.
 *
 *     parameter Real C(unit = "F");       parameters: {C: 10 V}    is refused
 *     output Real i(unit = "A");          signal: b.u = a.i        if u is in V
 *
 * A unit that is not known permits everything.  A value with a unit is converted
 * to that of the model: 2 m is 2000 for a parameter in mm.
 */
#include "comp/equation/front/units.h"
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

static void hear(void *self, const char *name, const char *unit, bool varies)
{
    looker *l = self;

    if (l->status == YOKE_OK && !varies)
        l->status = check_parameter(l, name, unit, l->err);
    if (l->status == YOKE_OK && varies)
        l->status =
            yk_file_port_unit(l->r->file, l->subsystem, name, unit, l->err);
}

yoke_status yk_model_units(yk_reader *r, const char *subsystem,
                           const char *path,
                           const yoke_equation_options *options,
                           const yk_entries *entries, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    looker l = {
        .r = r, .subsystem = subsystem, .entries = entries, .err = err
    };

    YK_GO(yk_doubles(&l.factor, (size_t)entries->count + 1, err));
    for (int i = 0; i < entries->count; i++) l.factor[i] = 1.0;
    YK_GO(yk_equation_units(path, options, hear, &l, err));
    YK_GO(l.status);
    for (int i = 0; i < entries->count; i++) entries->value[i] *= l.factor[i];
done:
    yk_free(l.factor);
    return status;
}
