/* comp/semiconductor/make.c -- from what the user gives to a device. */
#include "comp/semiconductor/device.h"

#include <math.h>
#include <string.h>

void yk_dd_clear(yk_dd *d)
{
    YK_FREE(d->number, d->volume, d->doping, d->edge, d->x, d->fixed,
            d->electrons.mobility, d->holes.mobility, d->beside_anode,
            d->beside_at, d->place);
    yoke_pattern_free(d->G);
    memset(d, 0, sizeof *d);
}

/* ---- a line -------------------------------------------------------------- */

static yoke_status line_doping(yk_dd *d, const yk_diode *given, yoke_err *err)
{
    const int last = d->nodes - 1;

    YK_TRY(yk_doubles(&d->doping, (size_t)d->nodes, err));
    /* just inside: ends of layers may miss those of the device by rounding */
    d->doping[0] = yk_doping_at(given, 1e-9 * given->length, 1);
    d->doping[last] = yk_doping_at(given, (1.0 - 1e-9) * given->length, -1);
    for (int k = 1; k < last; k++)
        d->doping[k] = yk_doping_mean(given, 0.5 * (d->x[k - 1] + d->x[k]),
                                      0.5 * (d->x[k] + d->x[k + 1]));
    for (int k = 0; k <= last; k++)
        if (!isfinite(d->doping[k]))
            return yk_fail(err, YOKE_E_ARG, "the doping at x = %g m is %g",
                           d->x[k], d->doping[k]);
    return YOKE_OK;
}

static yoke_status line_mobility(const yk_dd *d, const yk_diode *given,
                                 const yk_diode_carrier *from, bool holes,
                                 yk_carrier *to, yoke_err *err)
{
    YK_TRY(yk_doubles(&to->mobility, (size_t)d->edges, err));
    for (int k = 0; k < d->edges; k++)
        to->mobility[k] =
            yk_mobility(given->mobility, from, holes,
                        yk_doping_mean(given, d->x[k], d->x[k + 1]));
    return YOKE_OK;
}

static yoke_status check_ends(const yk_dd *d, yoke_err *err)
{
    const double left = d->doping[0], right = d->doping[d->nodes - 1];

    if (left * right < 0.0) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "the doping is %g 1/m^3 at x = 0 and %g 1/m^3 at x = %g m; "
                   "one contact of a diode is n, the other p",
                   left, right, d->x[d->nodes - 1]);
}

static yoke_status check_signs(yk_dd *d, yoke_err *err)
{
    double least = INFINITY, most = -INFINITY;

    for (int k = 0; k < d->nodes; k++) {
        least = fmin(least, d->doping[k]);
        most = fmax(most, d->doping[k]);
    }
    d->scale = fmax(fabs(least), fabs(most));
    if (least < 0.0 && most > 0.0) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "the doping has one sign only, from %g to %g 1/m^3: donors "
                   "count positive, acceptors negative, and a diode has both",
                   least, most);
}

static yoke_status make_line(yk_dd *d, const yk_diode *given, yoke_err *err)
{
    int cells = 0;

    YK_TRY(yk_diode_grid(given, &d->x, &cells, err));
    d->edges = cells;
    d->nodes = cells + 1;
    d->area = given->area;
    YK_TRY(line_doping(d, given, err));
    YK_TRY(check_signs(d, err));
    YK_TRY(check_ends(d, err));
    YK_TRY(YK_NEW(&d->edge, d->edges, err));
    YK_TRY(yk_ints(&d->number, (size_t)d->nodes, err));
    YK_TRY(yk_doubles(&d->volume, (size_t)d->nodes, err));
    const bool left = d->doping[0] < 0.0;
    for (int k = 0; k < cells; k++) {
        const double h = d->x[k + 1] - d->x[k];
        d->edge[k] =
            (yk_edge){ k, k + 1, h, 1.0, (left ? h : -h) / given->length };
        d->volume[k] += 0.5 * h;
        d->volume[k + 1] += 0.5 * h;
    }
    for (int k = 0; k < d->nodes; k++) d->number[k] = k - 1;
    d->number[0] = left ? YK_ANODE : YK_CATHODE;
    d->number[cells] = left ? YK_CATHODE : YK_ANODE;
    YK_TRY(
        line_mobility(d, given, &given->electrons, false, &d->electrons, err));
    return line_mobility(d, given, &given->holes, true, &d->holes, err);
}

/* ---- lines and meshes ---------------------------------------------------- */

/* Ohmic: n - p = doping, n p = ni^2, psi = UT ln(n/ni). */
static void set_contact(const yk_dd *d, double doping, double *c)
{
    const double half = 0.5 * fabs(doping);
    const double major = half + sqrt(half * half + d->ni * d->ni);
    const double minor = d->ni * d->ni / major;

    c[YK_ELECTRONS] = doping > 0.0 ? major : minor;
    c[YK_HOLES] = doping > 0.0 ? minor : major;
    c[YK_PSI] = (doping > 0.0 ? 1.0 : -1.0) * d->ut * log(major / d->ni);
}

static yoke_status set_contacts(yk_dd *d, yoke_err *err)
{
    double high = 0.0, low = 0.0;

    YK_TRY(YK_NEW(&d->fixed, d->nodes, err));
    for (int k = 0; k < d->nodes; k++) {
        if (d->number[k] >= 0) continue;
        if (fabs(d->doping[k]) < 10.0 * d->ni)
            return yk_fail(err, YOKE_E_ARG,
                           "the doping at a contact, %g 1/m^3, is not above "
                           "the intrinsic density, %g 1/m^3: no ohmic contact",
                           fabs(d->doping[k]), d->ni);
        set_contact(d, d->doping[k], d->fixed[k]);
        high = fmax(high, d->fixed[k][YK_PSI]);
        low = fmin(low, d->fixed[k][YK_PSI]);
    }
    d->built_in = high - low;
    return YOKE_OK;
}

/* Inner nodes beside the anode; capacitance of the empty device. */
static yoke_status count_inner(yk_dd *d, yoke_err *err)
{
    double sum = 0.0;

    for (int k = 0; k < d->nodes; k++) {
        d->size += d->volume[k];
        if (d->number[k] >= 0) d->inner++;
    }
    YK_TRY(YK_INTS((size_t)d->inner, err, &d->beside_anode, &d->beside_at));
    for (int k = 0; k < d->inner; k++) d->beside_at[k] = -1;
    for (int k = 0; k < d->edges; k++) {
        const yk_edge *e = &d->edge[k];
        const int a = d->number[e->a], b = d->number[e->b];
        const int inner = a >= 0 ? a : b, other = a >= 0 ? b : a;
        sum += e->s / e->h * e->fall * e->fall;
        if (inner < 0 || other != YK_ANODE || d->beside_at[inner] >= 0)
            continue;
        d->beside_at[inner] = d->beside;
        d->beside_anode[d->beside++] = inner;
    }
    d->capacitance = d->copies * d->eps * d->area * sum;
    return YOKE_OK;
}

static void set_carrier(yk_carrier *to, const yk_diode_carrier *from)
{
    to->saturation = from->saturation;
    to->exponent = from->exponent;
    to->lifetime = from->lifetime;
    to->auger = from->auger;
}

static yoke_status fill(yk_dd *d, const yk_diode *given, yoke_err *err)
{
    YK_TRY(yk_diode_check(given, err));
    d->copies = given->copies;
    d->eps = given->permittivity;
    d->ut = given->thermal_voltage;
    d->charge = given->charge;
    d->ni = given->intrinsic;
    set_carrier(&d->electrons, &given->electrons);
    set_carrier(&d->holes, &given->holes);
    if (given->mesh) {
        YK_TRY(yk_dd_mesh(d, given, err));
        YK_TRY(check_signs(d, err));
    } else {
        YK_TRY(make_line(d, given, err));
    }
    YK_TRY(set_contacts(d, err));
    return count_inner(d, err);
}

yoke_status yk_dd_create(yk_dd *d, const yk_diode *given, yoke_err *err)
{
    const yoke_status status = fill(d, given, err);

    if (status != YOKE_OK) yk_dd_clear(d);
    return status;
}

/* ---- places of dF/dx ----------------------------------------------------- */

/* Is there an entry of row r by field c of a neighbour (own: of itself)? */
static bool has_entry(int r, int c, bool own)
{
    if (r == YK_PSI) return c == YK_PSI || own;
    return c == YK_PSI || c == r || own;
}

/* The nodes of rows and columns of block i: four of each edge, then one of each
 * inner node.  False: one of them is a contact. */
static bool block_nodes(const yk_dd *d, int i, int *row, int *col)
{
    const int on_edges = YK_EDGE_BLOCKS * d->edges;

    if (i >= on_edges) {
        *row = *col = i - on_edges;
        return true;
    }
    const yk_edge *e = &d->edge[i / YK_EDGE_BLOCKS];
    const int part = i % YK_EDGE_BLOCKS;
    *row = d->number[part < 2 ? e->a : e->b];
    *col = d->number[part % 2 ? e->b : e->a];
    return *row >= 0 && *col >= 0;
}

static int blocks_of(const yk_dd *d)
{
    return YK_EDGE_BLOCKS * d->edges + d->inner;
}

static int list_entries(const yk_dd *d, int *row, int *col)
{
    int count = 0, i = 0, j = 0;

    for (int k = 0; k < blocks_of(d); k++) {
        if (!block_nodes(d, k, &i, &j)) continue;
        for (int e = 0; e < YK_BLOCK; e++) {
            const int r = e / YK_FIELDS, c = e % YK_FIELDS;
            if (!has_entry(r, c, i == j)) continue;
            row[count] = YK_FIELDS * i + r;
            col[count++] = YK_FIELDS * j + c;
        }
    }
    return count;
}

static yoke_status find_places(yk_dd *d, yoke_err *err)
{
    int i = 0, j = 0;

    YK_TRY(yk_ints(&d->place, (size_t)blocks_of(d) * YK_BLOCK, err));
    for (int k = 0; k < blocks_of(d); k++) {
        const bool inside = block_nodes(d, k, &i, &j);
        for (int e = 0; e < YK_BLOCK; e++)
            d->place[k * YK_BLOCK + e] =
                inside ? yoke_pattern_find(d->G, YK_FIELDS * i + e / YK_FIELDS,
                                           YK_FIELDS * j + e % YK_FIELDS)
                       : -1;
    }
    return YOKE_OK;
}

yoke_status yk_dd_pattern(yk_dd *d, const yk_more *more, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t room = (size_t)blocks_of(d) * YK_BLOCK + (size_t)more->count;
    int *row = NULL, *col = NULL;

    YK_GO(YK_INTS(room, err, &row, &col));
    int count = list_entries(d, row, col);
    for (int k = 0; k < more->count; k++, count++) {
        row[count] = more->row[k];
        col[count] = more->col[k];
    }
    YK_GO(yoke_pattern_create(&d->G, more->rows, more->rows, count, row, col,
                              err));
    YK_GO(find_places(d, err));
done:
    YK_FREE(row, col);
    return status;
}
