/* file/port_units.c -- units of ports, which signals must respect. */
#include "file/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

yoke_status yk_file_port_unit(yoke_file *file, const char *subsystem,
                              const char *name, const char *unit, yoke_err *err)
{
    const size_t room = strlen(subsystem) + strlen(name) + 2;
    char *port = NULL, *copy = NULL;

    YK_TRY(YK_GROW(&file->port, &file->port_room, 2 * ((size_t)file->ports + 1),
                   err));
    YK_TRY(yk_alloc((void **)&port, room, 1, err));
    snprintf(port, room, "%s.%s", subsystem, name);
    const yoke_status status = yk_copy_text(&copy, unit, err);
    if (status != YOKE_OK) {
        yk_free(port);
        return status;
    }
    file->port[2 * file->ports] = port;
    file->port[2 * file->ports + 1] = copy;
    return yk_names_add(&file->port_names, port, file->ports++, err);
}

const char *yk_file_unit_of(const yoke_file *file, const char *port)
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
                                 const char *output, double *weight,
                                 yoke_err *err)
{
    const char *to = yk_file_unit_of(file, input),
               *from = yk_file_unit_of(file, output);
    yk_unit_scale a, b;
    yoke_err ignored;
    size_t at = 0, end = 0;

    if (!to || !from || fabs(*weight) != 1.0) return YOKE_OK;
    if (yk_unit_read(to, &at, &a, &ignored) != YOKE_OK ||
        yk_unit_read(from, &end, &b, &ignored) != YOKE_OK)
        return YOKE_OK;
    if (yk_unit_is_alike(&a, &b)) {
        const double ratio = yk_unit_ratio(&b, &a);

        if (fabs(ratio - 1.0) >= 1e-12) *weight *= ratio;
        return YOKE_OK;
    }
    return yk_fail(err, YOKE_E_FILE,
                   "\"%.100s\" is declared in %.40s, \"%.100s\" in %.40s; a "
                   "signal between them needs a factor other than 1, or one "
                   "of the two units is wrong",
                   input, to, output, from);
}
