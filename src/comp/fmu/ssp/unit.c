/* comp/fmu/ssp/unit.c -- conversion of units.
 *
 * A unit that its file defines is a factor and an offset to SI units; others
 * are looked up among those of system files by their names.
 */
#include "comp/fmu/ssp/ssp.h"

#include "file/units.h"

#include <math.h>
#include <string.h>

yk_ssp_unit yk_ssp_unit_of(const yk_ssp_file *file, const char *name)
{
    return (yk_ssp_unit){ name, file->unit, file->units };
}

yk_ssp_unit yk_ssp_unit_in(const yk_fmu_description *d, const char *name)
{
    return (yk_ssp_unit){ name, d->unit, d->units };
}

/* `any_angle`: of units of system files nobody says how often they contain
 * rad. */
static bool find(const yk_ssp_unit *u, yk_fmu_unit *out, bool *any_angle)
{
    yk_unit_scale scale;
    size_t at = 0;

    *any_angle = false;
    for (int i = 0; i < u->units; i++)
        if (u->unit[i].name && strcmp(u->unit[i].name, u->name) == 0 &&
            u->unit[i].known) {
            *out = u->unit[i];
            return true;
        }
    if (yk_unit_read(u->name, &at, &scale, NULL) != YOKE_OK) return false;
    *any_angle = true;
    *out = (yk_fmu_unit){
        .factor = scale.factor * pow(10.0, scale.exponent),
        .power = { scale.power[2], scale.power[1], scale.power[0],
                   scale.power[3], scale.power[4], scale.power[5] },
    };
    return true;
}

yoke_status yk_ssp_units(const yk_ssp_unit *from, const yk_ssp_unit *to,
                         double *factor, double *offset, yoke_err *err)
{
    yk_fmu_unit a, b;
    bool any_a = false, any_b = false, alike = true;

    *factor = 1.0;
    *offset = 0.0;
    if (!from->name || !to->name) return YOKE_OK;
    const bool same = strcmp(from->name, to->name) == 0;
    const bool know_a = find(from, &a, &any_a), know_b = find(to, &b, &any_b);
    if (same && (!know_a || !know_b || any_a != any_b)) return YOKE_OK;
    if (!know_a || !know_b)
        return yk_fail(err, YOKE_E_FILE,
                       "%.50s cannot be converted into %.50s: the package "
                       "does not define %.50s",
                       from->name, to->name, know_a ? to->name : from->name);
    for (int i = 0; i < 8; i++)
        alike =
            alike && (a.power[i] == b.power[i] || (i == 7 && (any_a || any_b)));
    if (!alike)
        return yk_fail(err, YOKE_E_FILE,
                       "%.50s cannot be converted into %.50s: they measure "
                       "different things",
                       from->name, to->name);
    *factor = a.factor / b.factor;
    *offset = (a.offset - b.offset) / b.factor;
    return YOKE_OK;
}
