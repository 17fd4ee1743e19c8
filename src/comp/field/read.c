/* comp/field/read.c -- the components `field` and `inductance`.
 *
 *     transformer:
 *       component: field
 *       mesh: transformer.msh
 *       depth: 41.275 mm
 *       symmetry: 4
 *       materials: {iron: {brauer: [0.3774, 2.97, 388.33]}}
 *       regions: {core: iron, winair: air, outair: air}
 *       windings: {primary: {region: primary, turns: 130, resistance: 0.4 Ohm}}
 *       boundary: [dirichlet]
 */
#include "file/component.h"

#include "comp/field/field.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct field {
    yk_reader *r;
    const yk_yaml *node;
    const yk_unit_scope *scope;
    yoke_mesh *mesh;
    yk_field to;
    yk_field_material *material;
    double (**point)[2]; /* of each material, or NULL */
    yk_field_winding *winding;
    int **region;
    double **turns;
    int *material_of, *fixed;
} field;

static void field_clear(field *f)
{
    for (int k = 0; f->point && k < f->to.materials; k++) yk_free(f->point[k]);
    for (int k = 0; f->region && k < f->to.windings; k++) yk_free(f->region[k]);
    for (int k = 0; f->turns && k < f->to.windings; k++) yk_free(f->turns[k]);
    YK_FREE(f->point, f->region, f->turns, f->material, f->winding,
            f->material_of, f->fixed);
    yoke_mesh_free(f->mesh);
}

/* Numbers of a list, exactly `count`. */
static yoke_status read_numbers(const field *f, const yk_yaml *list, int count,
                                const char *what, double *to, yoke_err *err)
{
    YK_TRY(yk_file_want(f->r, list, YK_YAML_LIST, err));
    if (list->count != count)
        return yk_file_fail(f->r, list, err, "%s: %d numbers are expected",
                            what, count);
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(yk_file_number(f->r, e, f->scope, to++, err));
    return YOKE_OK;
}

/* ---- words --------------------------------------------------------------- */

static yoke_status read_word(const field *f, const char *key, int count,
                             const char *const *word, int *which, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(f->node, key);
    const char *text = NULL;

    *which = 0;
    if (!node) return YOKE_OK;
    YK_TRY(yk_file_text(f->r, node, &text, err));
    for (int k = 0; k < count; k++)
        if (strcmp(word[k], text) == 0) {
            *which = k;
            return YOKE_OK;
        }
    yk_fail(err, YOKE_E_FILE, "\"%s\" cannot be \"%.100s\"", key, text);
    yk_file_suggest(err, text, count, word);
    return yk_file_place(f->r, node, 0, YOKE_E_FILE, err);
}

static yoke_status read_words(field *f, yoke_err *err)
{
    static const char *const geometry[] = { "planar", "axisymmetric" };
    static const char *const drive[] = { "voltage", "flux", "current" };
    static const char *const extract[] = { "none", "chord", "tangent" };
    int which = 0;

    YK_TRY(read_word(f, "geometry", 2, geometry, &which, err));
    f->to.axisymmetric = which == 1;
    YK_TRY(read_word(f, "drive", 3, drive, &which, err));
    f->to.drive = (yk_field_drive)which;
    YK_TRY(read_word(f, "extract", 3, extract, &which, err));
    f->to.extract = (yk_field_extract)which;
    return YOKE_OK;
}

/* ---- tables of B and H --------------------------------------------------- */

static yoke_status add_point(double (**point)[2], size_t *room, int *count,
                             double b, double h, yoke_err *err)
{
    YK_TRY(YK_GROW(point, room, (size_t)*count + 1, err));
    (*point)[*count][0] = b;
    (*point)[(*count)++][1] = h;
    return YOKE_OK;
}

/* Lines "B, H"; others that begin with a letter or # are passed over. */
static yoke_status parse_table(const char *path, char *text, size_t length,
                               double (**point)[2], int *count, yoke_err *err)
{
    size_t room = 0;
    int line = 1;

    for (char *at = text, *next; at < text + length; at = next + 1, line++) {
        char *middle = NULL, *end = NULL;
        next = memchr(at, '\n', (size_t)(text + length - at));
        if (!next) next = text + length;
        *next = '\0';
        while (*at == ' ' || *at == '\t') at++;
        if (!*at || *at == '\r' || *at == '#' || isalpha((unsigned char)*at))
            continue;
        const double b = strtod(at, &middle);
        while (*middle == ' ' || *middle == '\t' || *middle == ',' ||
               *middle == ';')
            middle++;
        const double h = strtod(middle, &end);
        if (middle == at || end == middle || *(end + strspn(end, " \t\r")))
            return yk_fail(err, YOKE_E_FILE,
                           "%.300s:%d: two numbers, B in T and H in A/m, are "
                           "expected",
                           path, line);
        YK_TRY(add_point(point, &room, count, b, h, err));
    }
    return YOKE_OK;
}

static yoke_status read_table_file(const field *f, const yk_yaml *node,
                                   double (**point)[2], int *count,
                                   yoke_err *err)
{
    char *path = NULL, *text = NULL, *longer = NULL;
    size_t length = 0;
    yoke_status status = YOKE_OK;

    YK_GO(yk_file_input(f->r, &path, node->text, err));
    YK_GO(yk_file_bytes(&text, &length, path, err));
    YK_GO(yk_alloc((void **)&longer, length + 1, 1, err));
    memcpy(longer, text, length);
    YK_GO(parse_table(path, longer, length, point, count, err));
done:
    YK_FREE(path, text, longer);
    return yk_file_place(f->r, node, 0, status, err);
}

static yoke_status read_table(const field *f, const yk_yaml *node,
                              double (**point)[2], int *count, yoke_err *err)
{
    size_t room = 0;
    double pair[2];

    if (node->kind == YK_YAML_TEXT)
        return read_table_file(f, node, point, count, err);
    YK_TRY(yk_file_want(f->r, node, YK_YAML_LIST, err));
    for (const yk_yaml *e = node->first; e; e = e->next) {
        YK_TRY(read_numbers(f, e, 2, "a point of \"bh\", [B, H]", pair, err));
        YK_TRY(add_point(point, &room, count, pair[0], pair[1], err));
    }
    return YOKE_OK;
}

/* ---- materials and regions ----------------------------------------------- */

static yoke_status read_material(const field *f, const yk_yaml *node,
                                 yk_field_material *m, double (**point)[2],
                                 yoke_err *err)
{
    static const char *const key[] = { "mu_r",      "brauer", "bh",
                                       "remanence", "sigma",  "insulated" };
    const yk_yaml *curve[3];
    int curves = 0;

    YK_TRY(yk_file_check_name(f->r, node, err));
    m->name = node->key;
    YK_TRY(yk_file_want(f->r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(f->r, node, 6, key, err));
    for (int k = 0; k < 3; k++)
        if ((curve[k] = yk_yaml_find(node, key[k]))) curves++;
    if (curves > 1)
        return yk_file_fail(f->r, node, err,
                            "material \"%.100s\" has more than one of mu_r, "
                            "brauer and bh",
                            m->name);
    YK_TRY(
        yk_file_setting(f->r, node, "mu_r", "1", f->scope, 1.0, &m->mu_r, err));
    YK_TRY(yk_file_setting(f->r, node, "sigma", "S/m", f->scope, 0.0, &m->sigma,
                           err));
    YK_TRY(yk_file_truth(f->r, node, "insulated", &m->insulated, err));
    if (yk_yaml_find(node, "remanence"))
        YK_TRY(read_numbers(f, yk_yaml_find(node, "remanence"), 2,
                            "\"remanence\"", m->remanence, err));
    if (curve[1]) {
        m->bh = YK_BH_BRAUER;
        YK_TRY(read_numbers(f, curve[1], 3, "\"brauer\", [k1, k2, k3]",
                            m->brauer, err));
    }
    if (!curve[2]) return YOKE_OK;
    m->bh = YK_BH_TABLE;
    YK_TRY(read_table(f, curve[2], point, &m->points, err));
    m->point = (const double(*)[2]) * point;
    return YOKE_OK;
}

/* The last material is air, for windings and for those that name it. */
static yoke_status read_materials(field *f, yoke_err *err)
{
    const yk_yaml *map = yk_yaml_find(f->node, "materials");
    const int count = map ? map->count : 0;

    if (map) YK_TRY(yk_file_want(f->r, map, YK_YAML_MAP, err));
    YK_TRY(YK_NEW(&f->material, count + 1, err));
    YK_TRY(YK_NEW(&f->point, count + 1, err));
    f->to.material = f->material;
    for (const yk_yaml *e = map ? map->first : NULL; e; e = e->next) {
        const int k = f->to.materials++;
        YK_TRY(read_material(f, e, &f->material[k], &f->point[k], err));
        if (strcmp(e->key, "air") == 0)
            return yk_file_fail(f->r, e, err,
                                "\"air\" is predefined, with mu_r = 1");
    }
    f->material[f->to.materials++] = (yk_field_material){ .name = "air" };
    return YOKE_OK;
}

static yoke_status no_region(const field *f, const char *what, const char *name,
                             int count, char *const *list, yoke_err *err)
{
    yk_fail(err, YOKE_E_FILE, "there is no %s \"%.100s\" in %.200s", what, name,
            f->mesh->path);
    yk_file_suggest(err, name, count, (const char *const *)list);
    return YOKE_E_FILE;
}

static yoke_status find_region(const field *f, const char *name, int *region,
                               yoke_err *err)
{
    *region = yoke_mesh_region(f->mesh, name);
    if (*region >= 0) return YOKE_OK;
    return no_region(f, "region", name, f->mesh->regions, f->mesh->region, err);
}

static yoke_status find_material(const field *f, const yk_yaml *name,
                                 int *which, yoke_err *err)
{
    const char *text = NULL;

    YK_TRY(yk_file_text(f->r, name, &text, err));
    for (*which = 0; *which < f->to.materials; ++*which)
        if (strcmp(f->material[*which].name, text) == 0) return YOKE_OK;
    return yk_file_fail(f->r, name, err,
                        "there is no material \"%.100s\"; those in "
                        "\"materials\", and air, are",
                        text);
}

static yoke_status read_regions(field *f, yoke_err *err)
{
    const yk_yaml *map = yk_yaml_find(f->node, "regions");

    YK_TRY(yk_ints(&f->material_of, (size_t)f->mesh->regions, err));
    for (int k = 0; k < f->mesh->regions; k++) f->material_of[k] = -1;
    f->to.material_of = f->material_of;
    if (!map) return YOKE_OK;
    YK_TRY(yk_file_want(f->r, map, YK_YAML_MAP, err));
    for (const yk_yaml *e = map->first; e; e = e->next) {
        int region = 0;
        YK_TRY(yk_file_place_key(f->r, e, find_region(f, e->key, &region, err),
                                 err));
        YK_TRY(find_material(f, e, &f->material_of[region], err));
    }
    return YOKE_OK;
}

/* ---- windings ------------------------------------------------------------ */

static yoke_status add_region(field *f, int j, const char *name, double turns,
                              yoke_err *err)
{
    yk_field_winding *w = &f->winding[j];
    int *const region = &f->region[j][w->regions];

    YK_TRY(find_region(f, name, region, err));
    for (int k = 0; k < w->regions; k++)
        if (f->region[j][k] == *region)
            return yk_fail(err, YOKE_E_FILE, "region \"%.100s\" occurs twice",
                           name);
    f->turns[j][w->regions++] = turns;
    if (f->material_of[*region] < 0)
        f->material_of[*region] = f->to.materials - 1; /* air */
    return YOKE_OK;
}

/* One region, or a map from regions to turns. */
static yoke_status read_winding_regions(field *f, int j, const yk_yaml *node,
                                        yoke_err *err)
{
    const yk_yaml *one = yk_yaml_find(node, "region");
    const yk_yaml *map = yk_yaml_find(node, "regions");
    yk_field_winding *w = &f->winding[j];
    const int count = map ? map->count : 1;
    const char *name = NULL;
    double turns = 0.0;

    YK_TRY(yk_ints(&f->region[j], (size_t)count + 1, err));
    YK_TRY(yk_doubles(&f->turns[j], (size_t)count + 1, err));
    w->region = f->region[j];
    w->turns = f->turns[j];
    if (!one == !map)
        return yk_file_fail(f->r, node, err,
                            "winding \"%.100s\" needs \"region\" and "
                            "\"turns\", or \"regions\" with the turns in each",
                            node->key);
    if (one) {
        YK_TRY(yk_file_text(f->r, one, &name, err));
        YK_TRY(yk_file_setting(f->r, node, "turns", "1", f->scope, NAN, &turns,
                               err));
        return yk_file_place(f->r, one, 0, add_region(f, j, name, turns, err),
                             err);
    }
    YK_TRY(yk_file_want(f->r, map, YK_YAML_MAP, err));
    for (const yk_yaml *e = map->first; e; e = e->next) {
        YK_TRY(yk_file_number(f->r, e, f->scope, &turns, err));
        YK_TRY(yk_file_place_key(f->r, e, add_region(f, j, e->key, turns, err),
                                 err));
    }
    return YOKE_OK;
}

static yoke_status read_winding(field *f, int j, const yk_yaml *node,
                                yoke_err *err)
{
    static const char *const key[] = { "region",     "regions", "turns",
                                       "resistance", "sigma",   "fill" };
    yk_field_winding *w = &f->winding[j];
    const bool given = yk_yaml_find(node, "resistance") != NULL;

    YK_TRY(yk_file_check_name(f->r, node, err));
    YK_TRY(yk_file_want(f->r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(f->r, node, 6, key, err));
    w->name = node->key;
    YK_TRY(yk_file_setting(f->r, node, "resistance", "Ohm", f->scope, 0.0,
                           &w->resistance, err));
    YK_TRY(yk_file_setting(f->r, node, "sigma", "S/m", f->scope, 0.0, &w->sigma,
                           err));
    YK_TRY(
        yk_file_setting(f->r, node, "fill", "1", f->scope, 1.0, &w->fill, err));
    if (!given) w->resistance = NAN;
    if (given == (w->sigma > 0.0))
        return yk_file_fail(f->r, node, err,
                            "winding \"%.100s\" needs \"resistance\", or "
                            "\"sigma\" (with \"fill\"), and not both",
                            w->name);
    if (!(w->fill > 0.0 && w->fill <= 1.0))
        return yk_file_fail(f->r, node, err,
                            "winding \"%.100s\": fill = %g is not between 0 "
                            "and 1",
                            w->name, w->fill);
    return read_winding_regions(f, j, node, err);
}

static yoke_status read_windings(field *f, yoke_err *err)
{
    const yk_yaml *map = NULL;

    YK_TRY(yk_file_need(f->r, f->node, "windings", YK_YAML_MAP, &map, err));
    YK_TRY(YK_NEW(&f->winding, map->count + 1, err));
    YK_TRY(YK_NEW(&f->region, map->count + 1, err));
    YK_TRY(YK_NEW(&f->turns, map->count + 1, err));
    f->to.winding = f->winding;
    for (const yk_yaml *e = map->first; e; e = e->next)
        YK_TRY(read_winding(f, f->to.windings++, e, err));
    return YOKE_OK;
}

/* ---- boundary, mesh ------------------------------------------------------ */

static yoke_status read_boundary(field *f, yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(f->node, "boundary");
    const yk_yaml **item = NULL;
    yoke_status status = YOKE_OK;
    int count = 0;

    if (!list) return YOKE_OK;
    YK_TRY(yk_file_texts(f->r, list, &item, &count, err));
    YK_GO(yk_ints(&f->fixed, (size_t)count + 1, err));
    f->to.fixed_line = f->fixed;
    for (int k = 0; k < count; k++) {
        const int line = yoke_mesh_line(f->mesh, item[k]->text);
        if (line < 0)
            YK_GO(yk_file_place(f->r, item[k], 0,
                                no_region(f, "line", item[k]->text,
                                          f->mesh->lines, f->mesh->line, err),
                                err));
        f->fixed[f->to.fixed++] = line;
    }
done:
    yk_free(item);
    return status;
}

static yoke_status read_mesh(field *f, yoke_err *err)
{
    const yk_yaml *given = NULL;
    char *path = NULL;

    YK_TRY(yk_file_need(f->r, f->node, "mesh", YK_YAML_TEXT, &given, err));
    YK_TRY(yk_file_input(f->r, &path, given->text, err));
    const yoke_status status = yk_file_place(
        f->r, given, 0,
        yoke_mesh_read(&f->mesh, path, yk_file_trusts(f->r), err), err);
    yk_free(path);
    f->to.mesh = f->mesh;
    return status;
}

static yoke_status read_all(field *f, yoke_err *err)
{
    const yk_unit_scope *scope = f->scope;

    YK_TRY(read_words(f, err));
    YK_TRY(yk_file_setting(f->r, f->node, "unit", NULL, scope, 1.0, &f->to.unit,
                           err));
    YK_TRY(yk_file_setting(f->r, f->node, "symmetry", "1", scope, 1.0,
                           &f->to.symmetry, err));
    YK_TRY(yk_file_setting(f->r, f->node, "depth", "m", scope,
                           f->to.axisymmetric ? 0.0 : NAN, &f->to.depth, err));
    YK_TRY(read_mesh(f, err));
    YK_TRY(read_materials(f, err));
    YK_TRY(read_regions(f, err));
    YK_TRY(read_windings(f, err));
    return read_boundary(f, err);
}

static yoke_status read(yk_reader *r, const yk_yaml *node,
                        const yk_unit_scope *scope, yoke_system **out,
                        yoke_err *err)
{
    field f = { .r = r, .node = node, .scope = scope };
    yoke_status status = read_all(&f, err);

    if (status == YOKE_OK)
        status = yk_file_place_key(
            r, node, yk_field_create(out, node->key, &f.to, err), err);
    field_clear(&f);
    return status;
}

static const yk_key keys[] = {
    { "mesh", YK_KEY_FILE, true, NULL, ".msh of Gmsh, or .geo for gmsh" },
    { "unit", YK_KEY_NUMBER, false, "m",
      "of the coordinates of the mesh [1 m]" },
    { "geometry", YK_KEY_TEXT, false, NULL, "planar, axisymmetric [planar]" },
    { "depth", YK_KEY_NUMBER, false, "m", "of a planar field" },
    { "symmetry", YK_KEY_NUMBER, false, "1",
      "copies of the model that make the device [1]" },
    { "materials", YK_KEY_MAP, false, NULL,
      "mu_r, brauer, bh, remanence, sigma, insulated" },
    { "regions", YK_KEY_MAP, false, NULL, "the material of each" },
    { "windings", YK_KEY_MAP, true, NULL, "region and turns, resistance" },
    { "boundary", YK_KEY_NAMES, false, NULL, "lines with A = 0" },
    { "drive", YK_KEY_TEXT, false, NULL, "voltage, flux, current [voltage]" },
    { "extract", YK_KEY_TEXT, false, NULL,
      "inductances among the outputs: none, chord, tangent [none]" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_field = {
    .source = "component",
    .name = "field",
    .text = "magnetic field",
    .key = keys,
    .make = read,
};

/* ---- inductance ---------------------------------------------------------- */

typedef struct lumped {
    yk_inductance to;
    const char **name;
    double *resistance, *flux;
} lumped;

static yoke_status read_lumped(const yk_reader *r, const yk_yaml *map,
                               const yk_unit_scope *scope, lumped *l,
                               yoke_err *err)
{
    static const char *const key[] = { "resistance", "flux" };

    YK_TRY(YK_NEW(&l->name, map->count + 1, err));
    YK_TRY(YK_DOUBLES((size_t)map->count + 1, err, &l->resistance, &l->flux));
    l->to.name = l->name;
    l->to.resistance = l->resistance;
    l->to.flux = l->flux;
    for (const yk_yaml *e = map->first; e; e = e->next) {
        const int k = l->to.windings++;
        YK_TRY(yk_file_check_name(r, e, err));
        YK_TRY(yk_file_want(r, e, YK_YAML_MAP, err));
        YK_TRY(yk_file_keys(r, e, 2, key, err));
        l->name[k] = e->key;
        YK_TRY(yk_file_setting(r, e, key[0], "Ohm", scope, NAN,
                               &l->resistance[k], err));
        YK_TRY(
            yk_file_setting(r, e, key[1], "Wb", scope, 0.0, &l->flux[k], err));
    }
    return YOKE_OK;
}

static yoke_status read_inductance(yk_reader *r, const yk_yaml *node,
                                   const yk_unit_scope *scope,
                                   yoke_system **out, yoke_err *err)
{
    const field f = { .r = r, .node = node, .scope = scope };
    const yk_yaml *map = NULL;
    lumped l = { .name = NULL };
    yoke_status status = YOKE_OK;

    YK_GO(yk_file_need(r, node, "windings", YK_YAML_MAP, &map, err));
    YK_GO(yk_file_truth(f.r, node, "offset", &l.to.offset, err));
    YK_GO(read_lumped(r, map, scope, &l, err));
    YK_GO(yk_file_place_key(
        r, node, yk_inductance_create(out, node->key, &l.to, err), err));
done:
    YK_FREE(l.name, l.resistance, l.flux);
    return status;
}

static const yk_key inductance_keys[] = {
    { "windings", YK_KEY_MAP, true, NULL,
      "resistance and flux at the start of each" },
    { "offset", YK_KEY_TEXT, false, NULL,
      "true: there are inputs psi.NAME, added to the fluxes" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_inductance = {
    .source = "component",
    .name = "inductance",
    .text = "windings with an inductance that is an input",
    .key = inductance_keys,
    .make = read_inductance,
};
