/* comp/field/model.c -- elements and windings of a field on a mesh.
 *
 * Planar: a = A_z, g = grad a = (-B_y, B_x), V = depth * area.
 *
 * Axisymmetric: a = r A_phi.  It behaves like r^2 at the axis, so it is taken
 * linear in s = r^2 and z:
 *
 *     B_z = 2 da/ds,   B_r = -(1/r) da/dz,   2 pi r dr dz = pi ds dz,
 *
 * a homogeneous field along the axis is exact, and with the mean of 1/s over
 * the triangle B^2 = 4 a_s^2 + <1/s> a_z^2 has the form |G a|^2.  On the axis
 * a = 0.  Where two corners lie there a_z vanishes and <1/s>, which is then
 * infinite, does not matter.
 *
 * All integrals are times the number of copies that make the whole.
 */
#include "comp/field/model.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Gauss points and weights on [0, 1]. */
enum { GAUSS = 8 };
static const double gauss[GAUSS][2] = {
    { 0.019855071751231884, 0.050614268145188130 },
    { 0.101666761293186630, 0.111190517226687235 },
    { 0.237233795041835507, 0.156853322938943644 },
    { 0.408282678752175098, 0.181341891689180991 },
    { 0.591717321247824902, 0.181341891689180991 },
    { 0.762766204958164493, 0.156853322938943644 },
    { 0.898333238706813370, 0.111190517226687235 },
    { 0.980144928248768116, 0.050614268145188130 },
};

/* Of a triangle: three points inside, exact for degree 2, weights 1/3. */
static const double inner[3][3] = {
    { 2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0 },
    { 1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0 },
    { 1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0 },
};

void yk_field_model_clear(yk_field_model *f)
{
    for (int k = 0; f->bh && k < f->materials; k++) yk_bh_clear(&f->bh[k]);
    YK_FREE(f->bh, f->dof, f->element, f->magnet, f->local, f->price);
    yoke_pattern_free(f->lower);
    YK_FREE(f->X, f->resistance, f->M, f->conducts, f->band, f->band_sigma);
}

/* A triangle while the model is made: p[k][0] is x, or s = r^2. */
typedef struct corner {
    double p[3][2], area, factor; /* factor: volume over area */
    bool round;                   /* axisymmetric */
} corner;

static corner corners(const yk_field *given, int e)
{
    const yoke_mesh *mesh = given->mesh;
    corner c = { .round = given->axisymmetric };

    for (int k = 0; k < 3; k++) {
        const int v = mesh->triangle[e][k];
        const double x = mesh->x[v] * given->unit;
        c.p[k][0] = c.round ? x * x : x;
        c.p[k][1] = mesh->y[v] * given->unit;
    }
    c.area = 0.5 * ((c.p[1][0] - c.p[0][0]) * (c.p[2][1] - c.p[0][1]) -
                    (c.p[2][0] - c.p[0][0]) * (c.p[1][1] - c.p[0][1]));
    c.factor = given->symmetry * (c.round ? pi : given->depth);
    return c;
}

/* Mean of 1/s: corners gathered at the one nearest to the axis. */
static double mean_inverse(const double s0, const double s1, const double s2)
{
    const double least = fmin(s0, fmin(s1, s2)), most = fmax(s0, fmax(s1, s2));
    const double middle = s0 + s1 + s2 - least - most;
    double sum = 0.0;

    if (!(middle > 0.0)) return 1.0 / most; /* a_z = 0 there */
    for (int i = 0; i < GAUSS; i++)
        for (int j = 0; j < GAUSS; j++) {
            const double rho = gauss[i][0], eta = gauss[j][0];
            const double s = least + rho * ((middle - least) * (1.0 - eta) +
                                            (most - least) * eta);
            sum += 2.0 * rho * gauss[i][1] * gauss[j][1] / s;
        }
    return sum;
}

static void make_gradients(const corner *c, yk_field_element *e)
{
    const double scale[2] = {
        c->round ? 2.0 : 1.0,
        c->round ? sqrt(mean_inverse(c->p[0][0], c->p[1][0], c->p[2][0])) : 1.0
    };

    e->volume = c->factor * c->area;
    for (int k = 0; k < 3; k++) {
        const double *a = c->p[(k + 1) % 3], *b = c->p[(k + 2) % 3];
        e->grad[0][k] = scale[0] * (a[1] - b[1]) / (2.0 * c->area);
        e->grad[1][k] = scale[1] * (b[0] - a[0]) / (2.0 * c->area);
    }
}

/* dr dz over ds dz, or 1. */
static double density(const corner *c, const double weight[3])
{
    double s = 0.0;

    if (!c->round) return 1.0;
    for (int k = 0; k < 3; k++) s += weight[k] * c->p[k][0];
    return 0.5 / sqrt(s);
}

/* Integrals over the triangle in the plane of the drawing: of 1, of the shape
 * functions, of r. */
static void integrate(const corner *c, double *one, double shape[3], double *r)
{
    *one = *r = 0.0;
    for (int k = 0; k < 3; k++) shape[k] = 0.0;
    for (int q = 0; q < 3; q++) {
        const double w = c->area / 3.0 * density(c, inner[q]);
        *one += w;
        for (int k = 0; k < 3; k++) shape[k] += w * inner[q][k];
        *r += c->round ? w * 0.5 / density(c, inner[q]) : w;
    }
}

/* ---- nodes and boundaries ------------------------------------------------ */

static yoke_status check_size(const yk_field *given, double *size,
                              yoke_err *err)
{
    const yoke_mesh *mesh = given->mesh;
    double least[2] = { INFINITY, INFINITY },
           most[2] = { -INFINITY, -INFINITY };

    for (int k = 0; k < mesh->nodes; k++) {
        least[0] = fmin(least[0], mesh->x[k]);
        least[1] = fmin(least[1], mesh->y[k]);
        most[0] = fmax(most[0], mesh->x[k]);
        most[1] = fmax(most[1], mesh->y[k]);
    }
    *size = given->unit * fmax(most[0] - least[0], most[1] - least[1]);
    if (!(*size >= 1e-6 && *size <= 1e3))
        return yk_fail(err, YOKE_E_MODEL,
                       "%.300s: the mesh is %g m wide and %g m high, which is "
                       "not plausible; \"unit\" is the unit of its coordinates",
                       mesh->path, given->unit * (most[0] - least[0]),
                       given->unit * (most[1] - least[1]));
    if (given->axisymmetric && given->unit * least[0] < -1e-9 * *size)
        return yk_fail(err, YOKE_E_MODEL,
                       "%.300s: the mesh reaches to r = %g m; in an "
                       "axisymmetric field x is the radius",
                       mesh->path, given->unit * least[0]);
    return YOKE_OK;
}

static yoke_status number_nodes(yk_field_model *f, const yk_field *given,
                                yoke_err *err)
{
    const yoke_mesh *mesh = given->mesh;
    double size = 0.0;

    YK_TRY(check_size(given, &size, err));
    f->nodes = mesh->nodes;
    YK_TRY(yk_ints(&f->dof, (size_t)mesh->nodes, err));
    for (int e = 0; e < mesh->edges; e++)
        for (int k = 0; k < given->fixed; k++)
            if (mesh->line_of[e] == given->fixed_line[k])
                f->dof[mesh->edge[e][0]] = f->dof[mesh->edge[e][1]] = -1;
    for (int k = 0; given->axisymmetric && k < mesh->nodes; k++)
        if (given->unit * mesh->x[k] <= 1e-9 * size) f->dof[k] = -1;
    for (int k = 0; k < mesh->nodes; k++)
        if (f->dof[k] == 0) f->dof[k] = f->n++;
    if (f->n == mesh->nodes)
        return yk_fail(err, YOKE_E_MODEL,
                       "%.300s: the potential is fixed nowhere; name a line of "
                       "the mesh with A = 0 in \"boundary\"",
                       mesh->path);
    if (f->n == 0)
        return yk_fail(err, YOKE_E_MODEL,
                       "%.300s: the potential is fixed in all nodes",
                       mesh->path);
    return YOKE_OK;
}

/* ---- elements ------------------------------------------------------------ */

static yoke_status check_regions(const yk_field *given, yoke_err *err)
{
    const yoke_mesh *mesh = given->mesh;

    for (int k = 0; k < mesh->regions; k++)
        if (given->material_of[k] < 0 ||
            given->material_of[k] >= given->materials)
            return yk_fail(err, YOKE_E_MODEL,
                           "%.300s: the region \"%.100s\" has no material",
                           mesh->path, mesh->region[k]);
    return YOKE_OK;
}

static yoke_status make_elements(yk_field_model *f, const yk_field *given,
                                 yoke_err *err)
{
    const yoke_mesh *mesh = given->mesh;

    YK_TRY(YK_NEW(&f->element, mesh->triangles, err));
    f->elements = mesh->triangles;
    for (int e = 0; e < mesh->triangles; e++) {
        const corner c = corners(given, e);
        yk_field_element *el = &f->element[e];
        const int *v = mesh->triangle[e];
        const double side = fabs(c.p[1][0] - c.p[0][0]) +
                            fabs(c.p[2][0] - c.p[0][0]),
                     height = fabs(c.p[1][1] - c.p[0][1]) +
                              fabs(c.p[2][1] - c.p[0][1]);
        if (!(c.area > 1e-9 * side * height))
            return yk_fail(err, YOKE_E_MODEL,
                           "%.300s:%d: region \"%.100s\": the triangle is so "
                           "flat that it is inverted in the coordinates r^2, z",
                           mesh->path, mesh->triangle_at[e],
                           mesh->region[mesh->region_of[e]]);
        el->material = given->material_of[mesh->region_of[e]];
        for (int k = 0; k < 3; k++) el->dof[k] = f->dof[v[k]];
        make_gradients(&c, el);
    }
    return YOKE_OK;
}

static yoke_status make_materials(yk_field_model *f, const yk_field *given,
                                  yoke_err *err)
{
    YK_TRY(YK_NEW(&f->bh, given->materials + 1, err));
    YK_TRY(YK_NEW(&f->magnet, given->materials + 1, err));
    f->materials = given->materials;
    f->is_linear = true;
    for (int k = 0; k < given->materials; k++) {
        const yk_field_material *m = &given->material[k];
        const double *b = m->remanence;
        YK_TRY(yk_bh_create(&f->bh[k], m, err));
        if (!(fabs(b[0]) <= 10.0 && fabs(b[1]) <= 10.0))
            return yk_fail(err, YOKE_E_MODEL,
                           "material \"%.100s\": a remanence of (%g, %g) T is "
                           "not plausible",
                           m->name, b[0], b[1]);
        if (m->bh != YK_BH_LINEAR) f->is_linear = false;
        /* g = (B_z, -B_r) axisymmetric, (-B_y, B_x) planar. */
        f->magnet[k][0] = f->bh[k].nu * (given->axisymmetric ? b[1] : -b[1]);
        f->magnet[k][1] = f->bh[k].nu * (given->axisymmetric ? -b[0] : b[0]);
    }
    return YOKE_OK;
}

/* Place (i, j) of the lower part. */
static const int pairs[6][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 },
                                 { 1, 1 }, { 2, 1 }, { 2, 2 } };

static yoke_status make_pattern(yk_field_model *f, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS(6 * (size_t)f->elements, err, &row, &col));
    for (int e = 0; e < f->elements; e++)
        for (int k = 0; k < 6; k++) {
            const int i = f->element[e].dof[pairs[k][0]],
                      j = f->element[e].dof[pairs[k][1]];
            if (i < 0 || j < 0) continue;
            row[count] = i > j ? i : j;
            col[count++] = i > j ? j : i;
        }
    YK_GO(yoke_pattern_create(&f->lower, f->n, f->n, count, row, col, err));
    for (int e = 0; e < f->elements; e++)
        for (int k = 0; k < 6; k++) {
            const int i = f->element[e].dof[pairs[k][0]],
                      j = f->element[e].dof[pairs[k][1]];
            f->element[e].place[k] =
                i < 0 || j < 0
                    ? -1
                    : yoke_pattern_find(f->lower, i > j ? i : j, i > j ? j : i);
        }
done:
    YK_FREE(row, col);
    return status;
}

/* ---- windings ------------------------------------------------------------ */

/* Of a region: its area in the plane and the mean length of a conductor. */
static void measure_region(const yk_field *given, int region, double *area,
                           double *length)
{
    double moment = 0.0;

    *area = 0.0;
    for (int e = 0; e < given->mesh->triangles; e++) {
        double one, shape[3], r;
        if (given->mesh->region_of[e] != region) continue;
        const corner c = corners(given, e);
        integrate(&c, &one, shape, &r);
        *area += one;
        moment += r;
    }
    *length = given->axisymmetric ? 2.0 * pi * moment / *area : given->depth;
}

static void add_turns(yk_field_model *f, const yk_field *given, int region,
                      double per_area, double *column)
{
    for (int e = 0; e < given->mesh->triangles; e++) {
        double one, shape[3], r;
        if (given->mesh->region_of[e] != region) continue;
        const corner c = corners(given, e);
        integrate(&c, &one, shape, &r);
        for (int k = 0; k < 3; k++)
            if (f->element[e].dof[k] >= 0)
                column[f->element[e].dof[k]] += per_area * shape[k];
    }
}

static yoke_status check_winding(const yk_field *given,
                                 const yk_field_winding *w, int k, double area,
                                 yoke_err *err)
{
    const yoke_mesh *mesh = given->mesh;

    if (w->region[k] < 0 || w->region[k] >= mesh->regions)
        return yk_fail(err, YOKE_E_ARG, "winding \"%.100s\": no such region",
                       w->name);
    const char *region = mesh->region[w->region[k]];
    if (!(area > 0.0))
        return yk_fail(err, YOKE_E_MODEL,
                       "winding \"%.100s\": its region \"%.100s\" has no area",
                       w->name, region);
    if (!(fabs(w->turns[k]) > 0.0 && fabs(w->turns[k]) <= 1e7))
        return yk_fail(err, YOKE_E_MODEL,
                       "winding \"%.100s\": %g turns in \"%.100s\"", w->name,
                       w->turns[k], region);
    if (given->material[given->material_of[w->region[k]]].sigma > 0.0)
        return yk_fail(err, YOKE_E_MODEL,
                       "winding \"%.100s\": its region \"%.100s\" is of a "
                       "conducting material; a stranded coil has no eddy "
                       "currents: give it a material without sigma, and sigma "
                       "to the winding",
                       w->name, region);
    return YOKE_OK;
}

static yoke_status make_winding(yk_field_model *f, const yk_field *given, int j,
                                yoke_err *err)
{
    const yk_field_winding *w = &given->winding[j];
    double *column = f->X + (size_t)j * (size_t)f->n;
    double resistance = 0.0;
    const double factor =
        given->symmetry * (given->axisymmetric ? 2.0 * pi : given->depth);

    if (w->regions < 1)
        return yk_fail(err, YOKE_E_MODEL, "winding \"%.100s\" has no region",
                       w->name);
    for (int k = 0; k < w->regions; k++) {
        double area = 0.0, length = 0.0;
        if (w->region[k] >= 0 && w->region[k] < given->mesh->regions)
            measure_region(given, w->region[k], &area, &length);
        YK_TRY(check_winding(given, w, k, area, err));
        add_turns(f, given, w->region[k], factor * w->turns[k] / area, column);
        resistance += given->symmetry * w->turns[k] * w->turns[k] * length /
                      (w->sigma * w->fill * area);
    }
    if (!isnan(w->resistance)) resistance = w->resistance;
    if (!(resistance >= 0.0) || !isfinite(resistance))
        return yk_fail(err, YOKE_E_MODEL,
                       "winding \"%.100s\" has no resistance: give it, or "
                       "sigma > 0 and 0 < fill <= 1",
                       w->name);
    f->resistance[j] = resistance;
    return YOKE_OK;
}

/* A winding whose potentials are all fixed, or two that are the same, would
 * have no inductance of their own. */
static yoke_status make_windings(yk_field_model *f, const yk_field *given,
                                 yoke_err *err)
{
    const size_t n = (size_t)f->n;

    f->m = given->windings;
    if (f->m < 1) return yk_fail(err, YOKE_E_MODEL, "the field has no winding");
    YK_TRY(yk_doubles(&f->X, n * (size_t)f->m, err));
    YK_TRY(yk_doubles(&f->resistance, (size_t)f->m, err));
    for (int j = 0; j < f->m; j++) {
        double size = 0.0;
        YK_TRY(make_winding(f, given, j, err));
        for (size_t k = 0; k < n; k++) size += fabs(f->X[(size_t)j * n + k]);
        if (!(size > 0.0))
            return yk_fail(err, YOKE_E_MODEL,
                           "winding \"%.100s\" is where the potential is fixed",
                           given->winding[j].name);
    }
    return YOKE_OK;
}

/* ---- conductors ---------------------------------------------------------- */

static void add_mass(yk_field_model *f, const corner *c,
                     const yk_field_element *e, double sigma)
{
    for (int k = 0; k < 6; k++) {
        double sum = 0.0;
        for (int q = 0; q < 3; q++) {
            double s = 0.0;
            for (int i = 0; i < 3; i++) s += inner[q][i] * c->p[i][0];
            sum += inner[q][pairs[k][0]] * inner[q][pairs[k][1]] /
                   (c->round ? s : 1.0);
        }
        if (e->place[k] >= 0)
            f->M[e->place[k]] += sigma * e->volume * sum / 3.0;
    }
    for (int k = 0; k < 3; k++)
        if (e->dof[k] >= 0) f->conducts[e->dof[k]] = true;
}

static yoke_status make_conductors(yk_field_model *f, const yk_field *given,
                                   yoke_err *err)
{
    const yoke_mesh *mesh = given->mesh;
    const size_t n = (size_t)f->n;
    int *band_of = NULL;
    yoke_status status = YOKE_OK;

    for (int k = 0; k < given->materials; k++) {
        const yk_field_material *m = &given->material[k];
        if (!(m->sigma >= 0.0 && m->sigma <= 1e12))
            return yk_fail(err, YOKE_E_MODEL,
                           "material \"%.100s\": sigma = %g S/m", m->name,
                           m->sigma);
    }
    YK_GO(yk_ints(&band_of, (size_t)mesh->regions, err));
    for (int k = 0; k < mesh->regions; k++) {
        const yk_field_material *m = &given->material[given->material_of[k]];
        if (m->sigma > 0.0) f->has_eddies = true;
        band_of[k] = m->sigma > 0.0 && m->insulated && !given->axisymmetric
                         ? f->insulated++
                         : -1;
    }
    if (!f->has_eddies) goto done;
    YK_GO(yk_doubles(&f->M, (size_t)yoke_pattern_count(f->lower), err));
    YK_GO(YK_NEW(&f->conducts, n, err));
    YK_GO(yk_doubles(&f->band, n * (size_t)f->insulated + 1, err));
    YK_GO(yk_doubles(&f->band_sigma, (size_t)f->insulated + 1, err));
    for (int e = 0; e < f->elements; e++) {
        const corner c = corners(given, e);
        const yk_field_element *el = &f->element[e];
        const double sigma = given->material[el->material].sigma;
        const int band = band_of[mesh->region_of[e]];
        if (sigma > 0.0) add_mass(f, &c, el, sigma);
        if (band < 0) continue;
        f->band_sigma[band] += sigma * el->volume;
        for (int k = 0; k < 3; k++)
            if (el->dof[k] >= 0)
                f->band[n * (size_t)band + (size_t)el->dof[k]] +=
                    sigma * el->volume / 3.0;
    }
done:
    yk_free(band_of);
    return status;
}

static yoke_status check_given(const yk_field *given, yoke_err *err)
{
    if (!(given->unit > 0.0) || !isfinite(given->unit))
        return yk_fail(err, YOKE_E_MODEL, "unit = %g m", given->unit);
    if (!(given->symmetry > 0.0 && given->symmetry <= 1e6))
        return yk_fail(err, YOKE_E_MODEL, "symmetry = %g", given->symmetry);
    if (!given->axisymmetric && !(given->depth > 1e-9 && given->depth < 1e4))
        return yk_fail(err, YOKE_E_MODEL,
                       "a planar field has a depth; %g m is not plausible",
                       given->depth);
    return check_regions(given, err);
}

yoke_status yk_field_model_create(yk_field_model *f, const yk_field *given,
                                  yoke_err *err)
{
    YK_TRY(check_given(given, err));
    YK_TRY(number_nodes(f, given, err));
    YK_TRY(make_materials(f, given, err));
    YK_TRY(make_elements(f, given, err));
    YK_TRY(yk_field_make_groups(f, err));
    YK_TRY(make_pattern(f, err));
    YK_TRY(make_windings(f, given, err));
    return make_conductors(f, given, err);
}
