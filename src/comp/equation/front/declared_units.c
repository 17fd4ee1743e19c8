/* comp/equation/front/declared_units.c -- units that equation models declare:
 * those of parameters that the file gives, and of ports that it couples.
 *
 *     parameter Real C(unit = "F");       parameters: {C: 10 V}    is refused
 *     output Real i(unit = "A");          signal: b.u = a.i        if u is in V
 *
 * A unit that is not known permits everything.
 */
#include "file/reader.h"

#include "comp/equation/front/units.h"

#include <stdio.h>
#include <string.h>

typedef struct looker {
    yk_reader *r;
    const char *subsystem;
    const yk_entries *entries;
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
    const yk_scope scope = { &l->entries->names, l->entries->value };

    for (int i = 0; i < l->entries->count; i++) {
        const yk_entry *e = &l->entries->entry[i];
        double value = 0.0;
        size_t at = 0;
        if (!is_of(e->name, name) || strcmp(e->text, "true") == 0 ||
            strcmp(e->text, "false") == 0)
            continue;
        const yoke_status status =
            yk_quantity_read(e->text, &scope, unit, &value, &at, err);
        if (status != YOKE_OK)
            yk_suffix(err, " (the model declares %.80s in %.40s)", name, unit);
        YK_TRY(yk_file_place_entry(e, at, status, err));
    }
    return YOKE_OK;
}

static yoke_status keep_port(const looker *l, const char *name,
                             const char *unit, yoke_err *err)
{
    yoke_file *file = l->r->file;
    const size_t room = strlen(l->subsystem) + strlen(name) + 2;
    char *port = NULL, *copy = NULL;

    YK_TRY(yk_grow((void **)&file->port, &file->port_room,
                   2 * ((size_t)file->ports + 1), sizeof *file->port, err));
    YK_TRY(yk_alloc((void **)&port, room, 1, err));
    snprintf(port, room, "%s.%s", l->subsystem, name);
    const yoke_status status = yk_copy_text(&copy, unit, err);
    if (status != YOKE_OK) {
        yk_free(port);
        return status;
    }
    file->port[2 * file->ports] = port;
    file->port[2 * file->ports + 1] = copy;
    return yk_names_add(&file->port_names, port, file->ports++, err);
}

static void hear(void *self, const char *name, const char *unit, bool varies)
{
    looker *l = self;

    if (l->status == YOKE_OK && !varies)
        l->status = check_parameter(l, name, unit, l->err);
    if (l->status == YOKE_OK && varies)
        l->status = keep_port(l, name, unit, l->err);
}

yoke_status yk_file_model_units(yk_reader *r, const char *subsystem,
                                const char *path,
                                const yoke_equation_options *options,
                                const yk_entries *entries, yoke_err *err)
{
    looker l = { r, subsystem, entries, YOKE_OK, err };

    YK_TRY(yk_equation_units(path, options, hear, &l, err));
    return l.status;
}

/* The unit of a port, "subsystem.port"; NULL: none is declared. */
static const char *unit_of(const yoke_file *file, const char *port)
{
    const size_t length = strcspn(port, "[");
    char name[600];

    if (length >= sizeof name) return NULL;
    memcpy(name, port, length);
    name[length] = '\0';
    const int k = yk_names_find(&file->port_names, name);
    return k < 0 ? NULL : file->port[2 * k + 1];
}

yoke_status yk_file_signal_units(const yoke_file *file, const char *input,
                                 const char *output, double weight,
                                 yoke_err *err)
{
    const char *to = unit_of(file, input), *from = unit_of(file, output);
    yk_unit_scale a, b;
    yoke_err ignored;
    size_t at = 0, end = 0;

    if (!to || !from || (weight != 1.0 && weight != -1.0)) return YOKE_OK;
    if (yk_unit_read(to, &at, &a, &ignored) != YOKE_OK ||
        yk_unit_read(from, &end, &b, &ignored) != YOKE_OK ||
        yk_unit_is_alike(&a, &b))
        return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "\"%.100s\" is declared in %.40s, \"%.100s\" in %.40s; a "
                   "signal between them needs a factor other than 1, or one "
                   "of the two units is wrong",
                   input, to, output, from);
}
