/* comp/semiconductor/check.c -- settings without meaning are refused by name.
 */
#include "comp/semiconductor/device.h"

#include <math.h>

enum { MOST_CELLS = 100000, MOST_NODES = 1000000 };

/* A setting, and what is permitted. */
static yoke_status within(const char *what, const char *unit, double value,
                          double least, double most, yoke_err *err)
{
    if (isfinite(value) && value >= least && value <= most) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG, "%s is %g %s; from %g to %g", what, value,
                   unit, least, most);
}

static yoke_status check_table(const yk_diode_doping *p, int number,
                               yoke_err *err)
{
    if (p->points < 2)
        return yk_fail(err, YOKE_E_ARG,
                       "doping %d: a table has at least two points, not %d",
                       number, p->points);
    for (int k = 0; k < p->points; k++) {
        if (!isfinite(p->x[k]) || !isfinite(p->value[k]))
            return yk_fail(err, YOKE_E_ARG,
                           "doping %d: point %d of the table is %g m, %g 1/m^3",
                           number, k + 1, p->x[k], p->value[k]);
        if (k > 0 && p->x[k] <= p->x[k - 1])
            return yk_fail(err, YOKE_E_ARG,
                           "doping %d: the table is not sorted: %g m after "
                           "%g m",
                           number, p->x[k], p->x[k - 1]);
    }
    return YOKE_OK;
}

static yoke_status check_doping(const yk_diode *g, const yk_diode_doping *p,
                                int number, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    if (p->kind == YK_DOPING_TABLE) return check_table(p, number, err);
    if (p->kind == YK_DOPING_FUNCTION) return YOKE_OK;
    status = within("the density", "1/m^3", p->density, -1e28, 1e28, err);
    if (status == YOKE_OK && p->kind == YK_DOPING_GAUSSIAN) {
        status = within("the place of the peak", "m", p->at, -10.0 * g->length,
                        10.0 * g->length, err);
        if (status == YOKE_OK)
            status = within("the width", "m", p->width, 1e-6 * g->length,
                            1e3 * g->length, err);
    }
    if (status == YOKE_OK && p->kind == YK_DOPING_LAYER &&
        !(p->from >= 0.0 && p->from < p->to && p->to <= 1.000001 * g->length))
        status = yk_fail(err, YOKE_E_ARG,
                         "the layer from %g m to %g m is not within the "
                         "device, 0 to %g m, or has no length",
                         p->from, p->to, g->length);
    if (status != YOKE_OK) yk_prefix(err, "doping %d", number);
    return status;
}

static yoke_status check_points(const yk_diode *g, yoke_err *err)
{
    if (g->points < 4)
        return yk_fail(err, YOKE_E_ARG,
                       "the grid has %d points; at least 4, from 0 to the "
                       "length",
                       g->points);
    for (int k = 1; k < g->points; k++)
        if (!(g->point[k] > g->point[k - 1]))
            return yk_fail(err, YOKE_E_ARG,
                           "the points of the grid do not increase: %g m "
                           "after %g m",
                           g->point[k], g->point[k - 1]);
    if (g->point[0] != 0.0 ||
        fabs(g->point[g->points - 1] - g->length) > 1e-9 * g->length)
        return yk_fail(err, YOKE_E_ARG,
                       "the grid goes from %g m to %g m, the device from 0 to "
                       "%g m",
                       g->point[0], g->point[g->points - 1], g->length);
    return YOKE_OK;
}

static yoke_status check_grid(const yk_diode *g, yoke_err *err)
{
    if (g->points > 0) return check_points(g, err);
    if (g->cells < 3 || g->cells > MOST_CELLS)
        return yk_fail(err, YOKE_E_ARG, "the grid has %d cells; from 3 to %d",
                       g->cells, MOST_CELLS);
    if (g->finest == 0.0) return YOKE_OK;
    return within("the finest distance of the grid", "m", g->finest,
                  1e-9 * g->length, g->length / 4.0, err);
}

static yoke_status check_carrier(const yk_diode *g, const yk_diode_carrier *c,
                                 yoke_err *err)
{
    if (g->mobility == YK_MOBILITY_CONSTANT)
        YK_TRY(
            within("the mobility", "m^2/(V s)", c->mobility, 1e-8, 1e4, err));
    YK_TRY(within("the lifetime", "s", c->lifetime, 0.0, 1e6, err));
    YK_TRY(within("the Auger coefficient", "m^6/s", c->auger, 0.0, 1e-30, err));
    if (c->saturation == 0.0) return YOKE_OK;
    YK_TRY(
        within("the saturation velocity", "m/s", c->saturation, 1.0, 1e8, err));
    return within("the exponent of the mobility", "", c->exponent, 1.0, 10.0,
                  err);
}

static yoke_status check_carriers(const yk_diode *g, yoke_err *err)
{
    const yk_diode_carrier *const both[] = { &g->electrons, &g->holes };
    static const char *const name[] = { "electrons", "holes" };

    for (int k = 0; k < 2; k++) {
        const yoke_status status = check_carrier(g, both[k], err);
        if (status == YOKE_OK) continue;
        yk_prefix(err, "%s", name[k]);
        return status;
    }
    if ((g->electrons.lifetime > 0.0) != (g->holes.lifetime > 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "the lifetimes are %g s of electrons and %g s of "
                       "holes; both or none",
                       g->electrons.lifetime, g->holes.lifetime);
    return YOKE_OK;
}

static yoke_status check_mesh(const yk_diode_mesh *m, yoke_err *err)
{
    YK_TRY(within("the depth", "m", m->depth, 1e-10, 10.0, err));
    if (m->nodes < 4 || m->triangles < 2 || m->nodes > MOST_NODES ||
        m->triangles > 2 * MOST_NODES)
        return yk_fail(err, YOKE_E_ARG, "%d nodes and %d triangles", m->nodes,
                       m->triangles);
    for (int k = 0; k < m->nodes; k++) {
        if (!isfinite(m->x[k]) || !isfinite(m->y[k]))
            return yk_fail(err, YOKE_E_ARG, "node %d is at (%g, %g)", k + 1,
                           m->x[k], m->y[k]);
        if (m->contact[k] < 0 || m->contact[k] > 2)
            return yk_fail(err, YOKE_E_ARG, "node %d is at contact %d", k + 1,
                           m->contact[k]);
    }
    for (int t = 0; t < m->triangles; t++) {
        for (int c = 0; c < 3; c++)
            if (m->triangle[t][c] < 0 || m->triangle[t][c] >= m->nodes)
                return yk_fail(err, YOKE_E_ARG,
                               "triangle %d has the node %d of %d", t + 1,
                               m->triangle[t][c] + 1, m->nodes);
        if (!(fabs(m->doping[t]) <= 1e28))
            return yk_fail(err, YOKE_E_ARG,
                           "triangle %d has the doping %g 1/m^3", t + 1,
                           m->doping[t]);
    }
    return YOKE_OK;
}

static yoke_status check_line(const yk_diode *g, yoke_err *err)
{
    YK_TRY(within("the length", "m", g->length, 1e-9, 1e-2, err));
    YK_TRY(within("the area", "m^2", g->area, 1e-20, 1.0, err));
    if (g->dopings < 1)
        return yk_fail(err, YOKE_E_ARG, "there is no doping, hence no diode");
    for (int k = 0; k < g->dopings; k++)
        YK_TRY(check_doping(g, &g->doping[k], k + 1, err));
    return check_grid(g, err);
}

yoke_status yk_diode_check(const yk_diode *g, yoke_err *err)
{
    YK_TRY(within("the number of copies", "", g->copies, 1e-6, 1e12, err));
    YK_TRY(
        within("the permittivity", "F/m", g->permittivity, 8.8e-12, 1e-7, err));
    YK_TRY(
        within("the thermal voltage", "V", g->thermal_voltage, 1e-3, 0.2, err));
    YK_TRY(
        within("the charge of an electron", "C", g->charge, 1e-19, 2e-19, err));
    YK_TRY(
        within("the intrinsic density", "1/m^3", g->intrinsic, 1.0, 1e26, err));
    YK_TRY(within("the bias", "V", g->bias, -1e3, 10.0, err));
    if (g->coupling < YK_DIODE_SOURCE || g->coupling > YK_DIODE_PORT ||
        g->mobility < YK_MOBILITY_CONSTANT || g->mobility > YK_MOBILITY_MASETTI)
        return yk_fail(err, YOKE_E_ARG,
                       "there is no coupling %d or no model of mobility %d",
                       (int)g->coupling, (int)g->mobility);
    YK_TRY(g->mesh ? check_mesh(g->mesh, err) : check_line(g, err));
    return check_carriers(g, err);
}
