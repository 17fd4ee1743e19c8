/* comp/semiconductor/make.c -- from what the user gives to a device. */
#include "comp/semiconductor/device.h"

#include <math.h>
#include <string.h>

void yk_device_clear(yk_device *d)
{
    yk_free(d->x);
    yk_free(d->doping);
    yk_free(d->electrons.mobility);
    yk_free(d->holes.mobility);
    yk_free(d->place);
    yoke_pattern_free(d->G);
    memset(d, 0, sizeof *d);
}

/* Ohmic: n - p = doping, n p = ni^2, psi = UT ln(n/ni). */
static void set_contact(yk_device *d, int side, double doping)
{
    const double half = 0.5 * fabs(doping);
    const double major = half + sqrt(half * half + d->ni * d->ni);
    const double minor = d->ni * d->ni / major;
    double *const c = d->contact[side];

    c[YK_ELECTRONS] = doping > 0.0 ? major : minor;
    c[YK_HOLES] = doping > 0.0 ? minor : major;
    c[YK_PSI] = (doping > 0.0 ? 1.0 : -1.0) * d->ut * log(major / d->ni);
}

static yoke_status fill_doping(yk_device *d, const yoke_diode *given,
                               yoke_err *err)
{
    const int last = d->cells;

    YK_TRY(yk_doubles(&d->doping, (size_t)d->cells + 1, err));
    /* just inside: ends of layers may miss those of the device by rounding */
    d->doping[0] = yk_doping_at(given, 1e-9 * given->length, 1);
    d->doping[last] = yk_doping_at(given, (1.0 - 1e-9) * given->length, -1);
    for (int k = 1; k < last; k++)
        d->doping[k] = yk_doping_mean(given, 0.5 * (d->x[k - 1] + d->x[k]),
                                      0.5 * (d->x[k] + d->x[k + 1]));
    for (int k = 0; k <= last; k++) {
        if (!isfinite(d->doping[k]))
            return yk_fail(err, YOKE_E_ARG, "the doping at x = %g m is %g",
                           d->x[k], d->doping[k]);
        d->scale = fmax(d->scale, fabs(d->doping[k]));
    }
    return YOKE_OK;
}

static const char *kind_of(double doping)
{
    return doping > 0.0 ? "n" : doping < 0.0 ? "p" : "not at all";
}

static yoke_status check_doping(const yk_device *d, yoke_err *err)
{
    const double left = d->doping[0], right = d->doping[d->cells];
    double least = INFINITY, most = -INFINITY;

    for (int k = 0; k <= d->cells; k++) {
        least = fmin(least, d->doping[k]);
        most = fmax(most, d->doping[k]);
    }
    if (!(least < 0.0 && most > 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "the doping has one sign only, from %g to %g 1/m^3: "
                       "donors count positive, acceptors negative, and a "
                       "diode has both",
                       least, most);
    if (!(left * right < 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "the doping is %g 1/m^3 (%s) at x = 0 and %g 1/m^3 "
                       "(%s) at x = %g m; one contact of a diode is n, the "
                       "other p",
                       left, kind_of(left), right, kind_of(right), d->length);
    if (fmin(fabs(left), fabs(right)) < 10.0 * d->ni)
        return yk_fail(err, YOKE_E_ARG,
                       "the doping at a contact, %g 1/m^3, is not above the "
                       "intrinsic density, %g 1/m^3: no ohmic contact",
                       fmin(fabs(left), fabs(right)), d->ni);
    return YOKE_OK;
}

static yoke_status fill_carrier(yk_device *d, const yoke_diode *given,
                                const yoke_carrier *from, bool holes,
                                yk_carrier *to, yoke_err *err)
{
    to->saturation = from->saturation;
    to->exponent = from->exponent;
    to->lifetime = from->lifetime;
    to->auger = from->auger;
    YK_TRY(yk_doubles(&to->mobility, (size_t)d->cells, err));
    for (int k = 0; k < d->cells; k++)
        to->mobility[k] =
            yk_mobility(given->mobility, from, holes,
                        yk_doping_mean(given, d->x[k], d->x[k + 1]));
    return YOKE_OK;
}

static yoke_status fill(yk_device *d, const yoke_diode *given, yoke_err *err)
{
    YK_TRY(yk_diode_check(given, err));
    d->length = given->length;
    d->area = given->area;
    d->copies = given->copies;
    d->eps = given->permittivity;
    d->ut = given->thermal_voltage;
    d->charge = given->charge;
    d->ni = given->intrinsic;
    d->capacitance = d->copies * d->eps * d->area / d->length;
    YK_TRY(yk_diode_grid(given, &d->x, &d->cells, err));
    d->inner = d->cells - 1;
    YK_TRY(fill_doping(d, given, err));
    YK_TRY(check_doping(d, err));
    d->anode_left = d->doping[0] < 0.0;
    set_contact(d, 0, d->doping[0]);
    set_contact(d, 1, d->doping[d->cells]);
    YK_TRY(
        fill_carrier(d, given, &given->electrons, false, &d->electrons, err));
    return fill_carrier(d, given, &given->holes, true, &d->holes, err);
}

yoke_status yk_device_create(yk_device *d, const yoke_diode *given,
                             yoke_err *err)
{
    const yoke_status status = fill(d, given, err);

    if (status != YOKE_OK) yk_device_clear(d);
    return status;
}

/* ---- places of dF/dx ----------------------------------------------------- */

/* Is there an entry of row r by field c of a neighbour (own: of itself)? */
static bool has_entry(int r, int c, bool own)
{
    if (r == YK_PSI) return c == YK_PSI || own;
    return c == YK_PSI || c == r || own;
}

static int column_of(const yk_device *d, int k, int where, int c)
{
    const int node = k + where - 1;

    return node < 1 || node > d->inner ? -1 : YK_FIELDS * (node - 1) + c;
}

static int list_entries(const yk_device *d, int *row, int *col)
{
    int count = 0;

    for (int k = 1; k <= d->inner; k++)
        for (int e = 0; e < YK_DEVICE_BLOCK; e++) {
            const int r = e / (3 * YK_FIELDS), where = e / YK_FIELDS % 3;
            const int c = e % YK_FIELDS, at = column_of(d, k, where, c);
            if (at < 0 || !has_entry(r, c, where == 1)) continue;
            row[count] = YK_FIELDS * (k - 1) + r;
            col[count++] = at;
        }
    return count;
}

static yoke_status find_places(yk_device *d, yoke_err *err)
{
    YK_TRY(yk_ints(&d->place, (size_t)YK_DEVICE_BLOCK * (size_t)d->inner, err));
    for (int k = 1; k <= d->inner; k++)
        for (int e = 0; e < YK_DEVICE_BLOCK; e++) {
            const int r = e / (3 * YK_FIELDS), where = e / YK_FIELDS % 3;
            const int c = e % YK_FIELDS, at = column_of(d, k, where, c);
            d->place[(size_t)YK_DEVICE_BLOCK * (size_t)(k - 1) + (size_t)e] =
                at < 0 ? -1
                       : yoke_pattern_find(d->G, YK_FIELDS * (k - 1) + r, at);
        }
    return YOKE_OK;
}

yoke_status yk_device_pattern(yk_device *d, const yk_more *more, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t room =
        (size_t)YK_DEVICE_BLOCK * (size_t)d->inner + (size_t)more->count;
    int *row = NULL, *col = NULL;

    YK_GO(yk_ints(&row, room, err));
    YK_GO(yk_ints(&col, room, err));
    int count = list_entries(d, row, col);
    for (int k = 0; k < more->count; k++, count++) {
        row[count] = more->row[k];
        col[count] = more->col[k];
    }
    YK_GO(yoke_pattern_create(&d->G, more->rows, more->rows, count, row, col,
                              err));
    YK_GO(find_places(d, err));
done:
    yk_free(row);
    yk_free(col);
    return status;
}
