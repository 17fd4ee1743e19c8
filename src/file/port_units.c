/* file/port_units.c -- units of ports, which signals must respect. */
#include "file/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

yoke_status yk_file_port_scale(yoke_file *file, const char *subsystem,
                               const char *name, const char *unit,
                               const yk_unit_zero *is, yoke_err *err)
{
    yk_port_unit new = { .known = true };
    size_t at = 0;
    yoke_err ignored;

    YK_TRY(
        YK_GROW(&file->port, &file->port_room, (size_t)file->ports + 1, err));
    if (is)
        new.is = *is;
    else
        new.known = yk_unit_read(unit, &at, &new.is.scale, &ignored) == YOKE_OK;
    YK_TRY(yk_print(&new.port, err, "%s.%s", subsystem, name));
    const yoke_status status = yk_copy_text(&new.unit, unit, err);
    if (status != YOKE_OK) {
        yk_free(new.port);
        return status;
    }
    file->port[file->ports] = new;
    return yk_names_add(&file->port_names, new.port, file->ports++, err);
}

yoke_status yk_file_port_unit(yoke_file *file, const char *subsystem,
                              const char *name, const char *unit, yoke_err *err)
{
    return yk_file_port_scale(file, subsystem, name, unit, NULL, err);
}

static const yk_port_unit *find(const yoke_file *file, const char *port)
{
    const size_t length = strcspn(port, "[");
    char name[600];

    if (length >= sizeof name) return NULL;
    memcpy(name, port, length);
    name[length] = '\0';
    int k = yk_names_find(&file->port_names, port);
    if (k < 0) k = yk_names_find(&file->port_names, name);
    return k < 0 ? NULL : &file->port[k];
}

const char *yk_file_unit_of(const yoke_file *file, const char *port)
{
    const yk_port_unit *found = find(file, port);

    return found ? found->unit : NULL;
}

/* 1 of `from` is `factor` of `to`, and 0 is `zero`.  False: they differ, or nobody
 * knows. */
static bool convert(const yk_port_unit *from, const yk_port_unit *to,
                    double *factor, double *zero)
{
    *factor = 1.0;
    *zero = 0.0;
    if (!from->known || !to->known) return strcmp(from->unit, to->unit) == 0;
    if (!yk_unit_is_alike(&from->is.scale, &to->is.scale)) return false;
    const double ratio = yk_unit_ratio(&from->is.scale, &to->is.scale);
    const double offset = from->is.offset - to->is.offset;
    static const yk_unit_scale si = { 0, 1.0, { 0 } };
    if (fabs(ratio - 1.0) >= 1e-12) *factor = ratio;
    *zero = offset * yk_unit_ratio(&si, &to->is.scale);
    return true;
}

yoke_status yk_file_signal_units(const yoke_file *file, const char *input,
                                 const char *output, double *weight,
                                 double *constant, yoke_err *err)
{
    const yk_port_unit *to = find(file, input), *from = find(file, output);
    double factor = 1.0, zero = 0.0;

    if (!to || !from || fabs(*weight) != 1.0) return YOKE_OK;
    if (convert(from, to, &factor, &zero)) {
        zero *= *weight;
        *weight *= factor;
        /* Who has written the constant has converted. */
        if (fabs(*constant - zero) > 1e-9 * fabs(zero)) *constant += zero;
        return YOKE_OK;
    }
    const yk_port_unit *unknown = !from->known ? from : !to->known ? to : NULL;
    return yk_fail(
        err, YOKE_E_FILE,
        "\"%.100s\" is declared in %.40s, \"%.100s\" in %.40s%s%.40s; "
        "a signal between them needs a factor other than 1, or one "
        "of the two units is wrong%s",
        input, to->unit, output, from->unit,
        unknown ? "; nobody says what is 1 " : "", unknown ? unknown->unit : "",
        unknown ? "; with units: ignore numbers pass as they are" : "");
}

yoke_status yk_file_same_units(const yoke_file *file, const char *a,
                               const char *b, yoke_err *err)
{
    const yk_port_unit *to = find(file, a), *from = find(file, b);
    double factor = 1.0, zero = 0.0;

    if (!to || !from ||
        (convert(from, to, &factor, &zero) && factor == 1.0 && zero == 0.0))
        return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "\"%.100s\" is declared in %.40s, \"%.100s\" in %.40s; only "
                   "signals convert units",
                   a, to->unit, b, from->unit);
}
