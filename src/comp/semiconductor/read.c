/* comp/semiconductor/read.c -- the component `diode`: drift and diffusion on a
 * line or a mesh.
 *
 *     length: 100 nm
 *     area: 1e-14 m^2
 *     copies: 1500
 *     doping:
 *       - {layer: [0, 50 nm], density: 5e18 1/cm^3}
 *       - {gaussian: 70 nm, width: 5 nm, density: -1e18 1/cm^3}
 *       - {table: [[0, 1e22], [50 nm, -1e22]]}
 *       - {formula: 1e24*tanh((50e-9 - x)/5e-9)}
 *     grid: {cells: 200, finest: 0.1 nm}
 *     electrons: {mobility: 270 cm^2/(V.s), lifetime: 1 us}
 *     holes: {mobility: 85 cm^2/(V.s), lifetime: 1 us}
 *     coupling: capacitance
 *
 * On a mesh, instead of length, area, grid and the doping above:
 *
 *     mesh: diode.msh
 *     unit: 1 nm
 *     depth: 1 um
 *     anode: top
 *     cathode: bottom
 *     doping: [{region: bulk, density: 1e16 1/cm^3}]
 */
#include "file/component.h"

#include "yoke/mesh.h"
#include "comp/semiconductor/semiconductor.h"

#include <math.h>
#include <string.h>

/* A formula of x; parameters have their values. */
typedef struct profile {
    yk_formula formula;
    int root, x; /* number of the variable x, or -1 */
    double *y;
} profile;

typedef struct reading {
    yk_diode to;
    yk_diode_doping *doping;
    double **table; /* of each doping: x, then values */
    profile *profile;
    double *point;
    int count;       /* of dopings begun */
    yoke_mesh *mesh; /* NULL: a line */
    yk_diode_mesh flat;
    double *x, *y, *of_triangle;
    int *contact;
} reading;

static void reading_clear(reading *d)
{
    for (int k = 0; k < d->count; k++) {
        if (d->table) yk_free(d->table[k]);
        if (!d->profile) continue;
        yk_formula_clear(&d->profile[k].formula);
        yk_free(d->profile[k].y);
    }
    YK_FREE(d->doping, d->table, d->profile, d->point);
    yoke_mesh_free(d->mesh);
    YK_FREE(d->x, d->y, d->of_triangle, d->contact);
}

/* ---- doping -------------------------------------------------------------- */

static double evaluate(void *context, double x)
{
    profile *p = context;

    if (p->x >= 0) p->y[p->x] = x;
    yk_formula_eval(&p->formula, 0.0, p->y);
    return p->formula.value[p->root];
}

static yoke_status bind(const yk_reader *r, const yk_yaml *node,
                        const yk_unit_scope *scope, profile *p, yoke_err *err)
{
    const yk_formula *f = &p->formula;

    if (yk_formula_has_time(f))
        return yk_file_fail(r, node, err, "doping does not depend on time");
    YK_TRY(yk_doubles(&p->y, (size_t)f->variables + 1, err));
    p->x = -1;
    for (int k = 0; k < f->variables; k++) {
        const int which = yk_names_find(scope->names, f->name[k]);
        if (strcmp(f->name[k], "x") == 0) {
            p->x = k;
        } else if (which >= 0) {
            p->y[k] = scope->value[which];
        } else {
            yk_fail(err, YOKE_E_FILE,
                    "\"%.100s\" in the doping is neither a number nor x nor a "
                    "parameter",
                    f->name[k]);
            return yk_file_place(r, node, f->place[k], YOKE_E_FILE, err);
        }
    }
    return YOKE_OK;
}

static yoke_status read_formula(const yk_reader *r, const yk_yaml *node,
                                const yk_unit_scope *scope, profile *p,
                                yk_diode_doping *to, yoke_err *err)
{
    const char *text = NULL;
    size_t at = 0;

    YK_TRY(yk_file_text(r, node, &text, err));
    yoke_status status =
        yk_formula_expression(&p->formula, text, &at, &p->root, err);
    if (status == YOKE_OK) status = yk_formula_end(text, at, err);
    YK_TRY(yk_file_place(r, node, at, status, err));
    YK_TRY(bind(r, node, scope, p, err));
    to->kind = YK_DOPING_FUNCTION;
    to->function = evaluate;
    to->context = p;
    return YOKE_OK;
}

static yoke_status read_table(const yk_reader *r, const yk_yaml *node,
                              const yk_unit_scope *scope, double **table,
                              yk_diode_doping *to, yoke_err *err)
{
    YK_TRY(yk_file_want(r, node, YK_YAML_LIST, err));
    YK_TRY(yk_doubles(table, 2 * (size_t)node->count + 1, err));
    to->kind = YK_DOPING_TABLE;
    to->x = *table;
    to->value = *table + node->count;
    for (const yk_yaml *e = node->first; e; e = e->next, to->points++) {
        if (e->kind != YK_YAML_LIST || e->count != 2)
            return yk_file_fail(r, e, err,
                                "a point of the table is [place, density]");
        YK_TRY(yk_file_number(r, e->first, scope, &(*table)[to->points], err));
        YK_TRY(yk_file_number(r, e->first->next, scope,
                              &(*table)[node->count + to->points], err));
    }
    return YOKE_OK;
}

static yoke_status read_layer(const yk_reader *r, const yk_yaml *map,
                              const yk_yaml *layer, const yk_unit_scope *scope,
                              yk_diode_doping *to, yoke_err *err)
{
    if (layer->kind != YK_YAML_LIST || layer->count != 2)
        return yk_file_fail(r, layer, err, "a layer is [from, to]");
    YK_TRY(yk_file_number(r, layer->first, scope, &to->from, err));
    YK_TRY(yk_file_number(r, layer->first->next, scope, &to->to, err));
    return yk_file_setting(r, map, "density", "1/m^3", scope, NAN, &to->density,
                           err);
}

static yoke_status read_doping(const yk_reader *r, const yk_yaml *map,
                               const yk_unit_scope *scope, reading *d, int k,
                               yoke_err *err)
{
    static const char *const key[] = { "layer",   "gaussian", "table",
                                       "formula", "density",  "width" };
    yk_diode_doping *to = &d->doping[k];
    const yk_yaml *of[4];
    int kinds = 0;

    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, map, 6, key, err));
    for (int i = 0; i < 4; i++)
        if ((of[i] = yk_yaml_find(map, key[i]))) kinds++;
    if (kinds != 1)
        return yk_file_fail(r, map, err,
                            "doping is one of \"layer\", \"gaussian\", "
                            "\"table\", \"formula\"");
    if (of[0]) return read_layer(r, map, of[0], scope, to, err);
    if (of[2]) return read_table(r, of[2], scope, &d->table[k], to, err);
    if (of[3]) return read_formula(r, of[3], scope, &d->profile[k], to, err);
    to->kind = YK_DOPING_GAUSSIAN;
    YK_TRY(yk_file_number(r, of[1], scope, &to->at, err));
    YK_TRY(yk_file_setting(r, map, "width", "m", scope, NAN, &to->width, err));
    return yk_file_setting(r, map, "density", "1/m^3", scope, NAN, &to->density,
                           err);
}

static yoke_status read_dopings(const yk_reader *r, const yk_yaml *node,
                                const yk_unit_scope *scope, reading *d,
                                yoke_err *err)
{
    const yk_yaml *list = NULL;

    YK_TRY(yk_file_need(r, node, "doping", YK_YAML_LIST, &list, err));
    YK_TRY(YK_NEW(&d->doping, list->count + 1, err));
    YK_TRY(YK_NEW(&d->table, list->count + 1, err));
    YK_TRY(YK_NEW(&d->profile, list->count + 1, err));
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(read_doping(r, e, scope, d, d->count++, err));
    d->to.doping = d->doping;
    d->to.dopings = d->count;
    return YOKE_OK;
}

/* ---- a mesh -------------------------------------------------------------- */

static yoke_status not_in_mesh(const yk_reader *r, const yk_yaml *name,
                               const reading *d, bool line, yoke_err *err)
{
    yk_fail(err, YOKE_E_FILE, "there is no %s \"%.100s\" in %.200s",
            line ? "line" : "region", name->text, d->mesh->path);
    yk_file_suggest(
        err, name->text, line ? d->mesh->lines : d->mesh->regions,
        (const char *const *)(line ? d->mesh->line : d->mesh->region));
    return yk_file_place(r, name, 0, YOKE_E_FILE, err);
}

/* Nodes of the lines of a contact. */
static yoke_status read_contact(const yk_reader *r, const yk_yaml *node,
                                const char *key, int number, reading *d,
                                yoke_err *err)
{
    const yk_yaml *name = NULL;

    YK_TRY(yk_file_need(r, node, key, YK_YAML_TEXT, &name, err));
    const int line = yoke_mesh_line(d->mesh, name->text);
    if (line < 0) return not_in_mesh(r, name, d, true, err);
    for (int e = 0; e < d->mesh->edges; e++) {
        if (d->mesh->line_of[e] != line) continue;
        d->contact[d->mesh->edge[e][0]] = number;
        d->contact[d->mesh->edge[e][1]] = number;
    }
    return YOKE_OK;
}

/* One entry: {region: NAME, density: N}. */
static yoke_status read_region(const yk_reader *r, const yk_yaml *map,
                               const yk_unit_scope *scope, reading *d,
                               yoke_err *err)
{
    static const char *const key[] = { "region", "density" };
    const yk_yaml *name = NULL;
    double density = 0.0;

    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, map, 2, key, err));
    YK_TRY(yk_file_need(r, map, "region", YK_YAML_TEXT, &name, err));
    YK_TRY(
        yk_file_setting(r, map, "density", "1/m^3", scope, NAN, &density, err));
    const int region = yoke_mesh_region(d->mesh, name->text);
    if (region < 0) return not_in_mesh(r, name, d, false, err);
    for (int t = 0; t < d->mesh->triangles; t++)
        if (d->mesh->region_of[t] == region) d->of_triangle[t] += density;
    return YOKE_OK;
}

static yoke_status read_file(const yk_reader *r, const yk_yaml *given,
                             reading *d, yoke_err *err)
{
    char *path = NULL;

    YK_TRY(yk_file_want(r, given, YK_YAML_TEXT, err));
    YK_TRY(yk_file_input(r, &path, given->text, err));
    const yoke_status status = yk_file_place(
        r, given, 0, yoke_mesh_read(&d->mesh, path, yk_file_trusts(r), err),
        err);
    yk_free(path);
    return status;
}

/* The lines and regions of the mesh, in m. */
static yoke_status read_mesh(const yk_reader *r, const yk_yaml *node,
                             const yk_yaml *given, const yk_unit_scope *scope,
                             reading *d, yoke_err *err)
{
    const yk_yaml *list = NULL;
    double unit = 1.0;

    YK_TRY(read_file(r, given, d, err));
    YK_TRY(yk_file_setting(r, node, "unit", NULL, scope, 1.0, &unit, err));
    YK_TRY(yk_file_setting(r, node, "depth", "m", scope, NAN, &d->flat.depth,
                           err));
    const yoke_mesh *m = d->mesh;
    YK_TRY(YK_DOUBLES((size_t)m->nodes, err, &d->x, &d->y));
    YK_TRY(yk_doubles(&d->of_triangle, (size_t)m->triangles, err));
    YK_TRY(yk_ints(&d->contact, (size_t)m->nodes, err));
    for (int k = 0; k < m->nodes; k++) {
        d->x[k] = unit * m->x[k];
        d->y[k] = unit * m->y[k];
    }
    YK_TRY(read_contact(r, node, "anode", 1, d, err));
    YK_TRY(read_contact(r, node, "cathode", 2, d, err));
    YK_TRY(yk_file_need(r, node, "doping", YK_YAML_LIST, &list, err));
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(read_region(r, e, scope, d, err));
    d->flat = (yk_diode_mesh){ m->nodes,
                               m->triangles,
                               d->x,
                               d->y,
                               (const int(*)[3])m->triangle,
                               d->of_triangle,
                               d->contact,
                               d->flat.depth };
    d->to.mesh = &d->flat;
    return YOKE_OK;
}

/* Keys of a line beside a mesh, and the other way round. */
static yoke_status check_shape(const yk_reader *r, const yk_yaml *node,
                               yoke_err *err)
{
    static const char *const of_line[] = { "length", "area", "grid" };
    static const char *const of_mesh[] = { "unit", "depth", "anode",
                                           "cathode" };
    const bool flat = yk_yaml_find(node, "mesh") != NULL;

    for (int k = 0; k < (flat ? 3 : 4); k++) {
        const char *key = flat ? of_line[k] : of_mesh[k];
        const yk_yaml *at = yk_yaml_find(node, key);
        if (at)
            return yk_file_fail(r, at, err, "\"%s\" has no meaning %s a mesh",
                                key, flat ? "with" : "without");
    }
    return YOKE_OK;
}

/* ---- the rest ------------------------------------------------------------ */

static yoke_status read_points(const yk_reader *r, const yk_yaml *list,
                               const yk_unit_scope *scope, reading *d,
                               yoke_err *err)
{
    YK_TRY(yk_file_want(r, list, YK_YAML_LIST, err));
    YK_TRY(yk_doubles(&d->point, (size_t)list->count + 1, err));
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(yk_file_number(r, e, scope, &d->point[d->to.points++], err));
    d->to.point = d->point;
    if (d->to.points > 0) return YOKE_OK;
    return yk_file_fail(r, list, err, "the grid has no points");
}

static yoke_status read_grid(const yk_reader *r, const yk_yaml *node,
                             const yk_unit_scope *scope, reading *d,
                             yoke_err *err)
{
    static const char *const key[] = { "cells", "finest", "points" };
    const yk_yaml *map = yk_yaml_find(node, "grid");
    const yk_yaml *points = map ? yk_yaml_find(map, "points") : NULL;
    double cells = d->to.cells;

    if (!map) return YOKE_OK;
    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, map, 3, key, err));
    if (points && map->count > 1)
        return yk_file_fail(r, map, err,
                            "\"points\" leave no choice of \"cells\" and "
                            "\"finest\"");
    if (points) return read_points(r, points, scope, d, err);
    YK_TRY(yk_file_setting(r, map, "cells", "1", scope, cells, &cells, err));
    if (!(cells >= 3.0 && cells <= 1e5) || cells != floor(cells))
        return yk_file_fail(
            r, yk_yaml_find(map, "cells"), err,
            "%g is not a number of cells: a whole number from 3 to 100000",
            cells);
    d->to.cells = (int)cells;
    return yk_file_setting(r, map, "finest", "m", scope, 0.0, &d->to.finest,
                           err);
}

static yoke_status read_carrier(const yk_reader *r, const yk_yaml *node,
                                const char *name, const yk_unit_scope *scope,
                                yk_diode_carrier *c, yoke_err *err)
{
    static const char *const key[] = { "mobility", "saturation", "exponent",
                                       "lifetime", "auger" };
    double *const to[] = { &c->mobility, &c->saturation, &c->exponent,
                           &c->lifetime, &c->auger };
    const yk_yaml *map = yk_yaml_find(node, name);

    if (!map) return YOKE_OK;
    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, map, 5, key, err));
    for (int k = 0; k < 5; k++)
        YK_TRY(
            yk_file_setting(r, map, key[k], NULL, scope, *to[k], to[k], err));
    if (yk_yaml_find(map, "lifetime") && c->lifetime == 0.0)
        return yk_file_fail(r, yk_yaml_find(map, "lifetime"), err,
                            "a lifetime is more than 0; without recombination "
                            "leave it out");
    return YOKE_OK;
}

/* The number of a word of the list. */
static yoke_status read_word(const yk_reader *r, const yk_yaml *node,
                             const char *key, const char *what, int count,
                             const char *const *word, int *which, yoke_err *err)
{
    const yk_yaml *given = yk_yaml_find(node, key);
    const char *text = NULL;

    if (!given) return YOKE_OK;
    YK_TRY(yk_file_text(r, given, &text, err));
    for (*which = 0; *which < count; ++*which)
        if (strcmp(word[*which], text) == 0) return YOKE_OK;
    yk_fail(err, YOKE_E_FILE, "there is no %s \"%.100s\"", what, text);
    yk_file_suggest(err, text, count, word);
    return yk_file_place(r, given, 0, YOKE_E_FILE, err);
}

static yoke_status read_numbers(const yk_reader *r, const yk_yaml *node,
                                const yk_unit_scope *scope, yk_diode *d,
                                yoke_err *err)
{
    double kelvin = 0.0;
    const yk_yaml *temperature = yk_yaml_find(node, "temperature");

    const double preset = yk_yaml_find(node, "mesh") ? 0.0 : NAN;

    YK_TRY(yk_file_setting(r, node, "length", "m", scope, preset, &d->length,
                           err));
    YK_TRY(
        yk_file_setting(r, node, "area", "m^2", scope, preset, &d->area, err));
    YK_TRY(
        yk_file_setting(r, node, "copies", "1", scope, 1.0, &d->copies, err));
    YK_TRY(yk_file_setting(r, node, "permittivity", NULL, scope,
                           d->permittivity, &d->permittivity, err));
    YK_TRY(yk_file_setting(r, node, "charge", NULL, scope, d->charge,
                           &d->charge, err));
    YK_TRY(yk_file_setting(r, node, "intrinsic", NULL, scope, d->intrinsic,
                           &d->intrinsic, err));
    YK_TRY(yk_file_setting(r, node, "bias", "V", scope, 0.0, &d->bias, err));
    if (!temperature)
        return yk_file_setting(r, node, "thermal_voltage", "V", scope,
                               d->thermal_voltage, &d->thermal_voltage, err);
    if (yk_yaml_find(node, "thermal_voltage"))
        return yk_file_fail(
            r, temperature, err,
            "\"temperature\" and \"thermal_voltage\" cannot be used together");
    YK_TRY(yk_file_quantity(r, temperature, "K", scope, &kelvin, err));
    d->thermal_voltage *= kelvin / 300.0;
    return YOKE_OK;
}

static yoke_status read_all(const yk_reader *r, const yk_yaml *node,
                            const yk_unit_scope *scope, reading *d,
                            yoke_err *err)
{
    static const char *const mobility[] = { "constant", "arora", "masetti" };
    static const char *const coupling[] = { "source", "capacitance", "port" };
    int model = 0, coupled = YK_DIODE_CAPACITANCE;

    const yk_yaml *mesh = yk_yaml_find(node, "mesh");

    YK_TRY(check_shape(r, node, err));
    YK_TRY(read_numbers(r, node, scope, &d->to, err));
    if (mesh) {
        YK_TRY(read_mesh(r, node, mesh, scope, d, err));
    } else {
        YK_TRY(read_dopings(r, node, scope, d, err));
        YK_TRY(read_grid(r, node, scope, d, err));
    }
    YK_TRY(read_carrier(r, node, "electrons", scope, &d->to.electrons, err));
    YK_TRY(read_carrier(r, node, "holes", scope, &d->to.holes, err));
    YK_TRY(read_word(r, node, "mobility", "model of mobility", 3, mobility,
                     &model, err));
    YK_TRY(
        read_word(r, node, "coupling", "coupling", 3, coupling, &coupled, err));
    d->to.mobility = (yk_diode_mobility)model;
    d->to.coupling = (yk_diode_coupling)coupled;
    return YOKE_OK;
}

static yoke_status read(yk_reader *r, const yk_yaml *node,
                        const yk_unit_scope *scope, yoke_system **out,
                        yoke_err *err)
{
    reading d = { .to = yk_diode_defaults() };
    yoke_status status = read_all(r, node, scope, &d, err);

    if (status == YOKE_OK)
        status = yk_file_place_key(
            r, node, yk_diode_create(out, node->key, &d.to, err), err);
    reading_clear(&d);
    return status;
}

static const yk_key keys[] = {
    { "length", YK_KEY_NUMBER, false, "m", "of a diode on a line" },
    { "area", YK_KEY_NUMBER, false, "m^2", "of a diode on a line" },
    { "copies", YK_KEY_NUMBER, false, "1", "equal diodes in parallel [1]" },
    { "doping", YK_KEY_LIST, true, NULL,
      "donors less acceptors; the entries add up" },
    { "grid", YK_KEY_MAP, false, NULL, "cells, finest; or points" },
    { "mesh", YK_KEY_FILE, false, NULL,
      "a plane diode: .msh, or .geo for gmsh" },
    { "unit", YK_KEY_NUMBER, false, "m",
      "of the coordinates of the mesh [1 m]" },
    { "depth", YK_KEY_NUMBER, false, "m", "of a plane diode" },
    { "anode", YK_KEY_TEXT, false, NULL, "line of the mesh" },
    { "cathode", YK_KEY_TEXT, false, NULL, "line of the mesh" },
    { "electrons", YK_KEY_MAP, false, NULL,
      "mobility, saturation, exponent, lifetime, auger" },
    { "holes", YK_KEY_MAP, false, NULL, "the same" },
    { "mobility", YK_KEY_TEXT, false, NULL,
      "constant, arora, masetti [constant]" },
    { "coupling", YK_KEY_TEXT, false, NULL,
      "capacitance, source, port [capacitance]" },
    { "permittivity", YK_KEY_NUMBER, false, "F/m", "[11.7 of the vacuum]" },
    { "intrinsic", YK_KEY_NUMBER, false, "1/m^3", "density [1e10 1/cm^3]" },
    { "temperature", YK_KEY_NUMBER, false, "K", "[300 K]" },
    { "thermal_voltage", YK_KEY_NUMBER, false, "V",
      "instead of the temperature" },
    { "charge", YK_KEY_NUMBER, false, "C", "of an electron" },
    { "bias", YK_KEY_NUMBER, false, "V",
      "the start is the static state of this voltage [0]" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_diode = {
    .source = "component",
    .name = "diode",
    .text = "drift and diffusion in a diode",
    .key = keys,
    .make = read,
};
