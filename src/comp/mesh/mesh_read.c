/* comp/mesh/mesh_read.c -- Gmsh's .msh files, versions 2.2 and 4.1, ASCII.
 *
 * Sections other than formats, names, entities, nodes and elements are passed
 * over.  Elements: points are passed over, lines of a physical curve are
 * boundary edges, triangles of first order make the mesh.
 * Reference: Gmsh reference manual, section "MSH file format".
 */
#define _POSIX_C_SOURCE 200809L
#include "comp/mesh/mesh.h"

#include "base/bytes.h"
#include "base/texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1, TRIANGLE = 2, POINT = 15, TYPES = 20 };
enum { MOST_MIB = 1024 };

/* Nodes of the kinds of elements that may occur, and what they are. */
static const struct {
    int nodes;
    const char *name;
} types[TYPES] = {
    [LINE] = { 2, "line" },
    [TRIANGLE] = { 3, "triangle" },
    [3] = { 4, "quadrangle" },
    [4] = { 4, "tetrahedron" },
    [5] = { 8, "hexahedron" },
    [8] = { 3, "line of second order" },
    [9] = { 6, "triangle of second order" },
    [10] = { 9, "quadrangle of second order" },
    [POINT] = { 1, "point" },
};

/* ---- nodes --------------------------------------------------------------- */

static yoke_status add_node(yk_mesh_reader *r, int k, int tag, yoke_err *err)
{
    yoke_mesh *mesh = r->mesh;
    double z = 0.0;

    r->tag[k] = tag;
    YK_TRY(yk_mesh_double(r, "a coordinate", &mesh->x[k], err));
    YK_TRY(yk_mesh_double(r, "a coordinate", &mesh->y[k], err));
    YK_TRY(yk_mesh_double(r, "a coordinate", &z, err));
    r->node_at[k] = r->at_line;
    if (fabs(z) > 1e-9 * (fabs(mesh->x[k]) + fabs(mesh->y[k])))
        return yk_mesh_refuse(r, err,
                              "node %d has z = %g; the mesh lies in the plane "
                              "z = 0",
                              tag, z);
    return YOKE_OK;
}

static yoke_status make_nodes(yk_mesh_reader *r, int count, yoke_err *err)
{
    if (r->has_nodes)
        return yk_mesh_refuse(r, err, "a second section of nodes");
    r->has_nodes = true;
    YK_TRY(YK_DOUBLES((size_t)count + 1, err, &r->mesh->x, &r->mesh->y));
    YK_TRY(yk_ints(&r->tag, (size_t)count + 1, err));
    YK_TRY(yk_ints(&r->by_tag, 2 * (size_t)count + 2, err));
    return yk_ints(&r->node_at, (size_t)count + 1, err);
}

/* Pairs (tag, node), increasing. */
static yoke_status sort_nodes(yk_mesh_reader *r, yoke_err *err)
{
    const int count = r->mesh->nodes;

    for (int k = 0; k < count; k++) {
        r->by_tag[2 * k] = r->tag[k];
        r->by_tag[2 * k + 1] = k;
    }
    qsort(r->by_tag, (size_t)count, 2 * sizeof *r->by_tag, yk_compare_ints);
    for (int k = 1; k < count; k++)
        if (r->by_tag[2 * k] == r->by_tag[2 * k - 2])
            return yk_mesh_refuse(r, err, "node %d occurs twice",
                                  r->by_tag[2 * k]);
    return YOKE_OK;
}

static yoke_status read_nodes_2(yk_mesh_reader *r, yoke_err *err)
{
    int count = 0, tag = 0;

    YK_TRY(yk_mesh_count(r, "the number of nodes", 8, &count, err));
    YK_TRY(make_nodes(r, count, err));
    for (; r->mesh->nodes < count; r->mesh->nodes++) {
        YK_TRY(yk_mesh_int(r, "the number of a node", &tag, err));
        YK_TRY(add_node(r, r->mesh->nodes, tag, err));
    }
    return sort_nodes(r, err);
}

static yoke_status read_node_block(yk_mesh_reader *r, int most, yoke_err *err)
{
    int dim = 0, tag = 0, parametric = 0, count = 0;
    const int first = r->mesh->nodes;
    double u = 0.0;

    YK_TRY(yk_mesh_int(r, "a dimension", &dim, err));
    YK_TRY(yk_mesh_int(r, "the number of an entity", &tag, err));
    YK_TRY(yk_mesh_int(r, "0 or 1", &parametric, err));
    YK_TRY(yk_mesh_count(r, "a number of nodes", 8, &count, err));
    if (dim < 0 || dim >= YK_MESH_DIMS)
        return yk_mesh_refuse(r, err, "%d is not a dimension", dim);
    if (count > most - first)
        return yk_mesh_refuse(r, err, "more nodes than the %d of the section",
                              most);
    for (int k = 0; k < count; k++)
        YK_TRY(yk_mesh_int(r, "the number of a node", &r->tag[first + k], err));
    for (int k = 0; k < count; k++) {
        YK_TRY(add_node(r, first + k, r->tag[first + k], err));
        for (int d = 0; parametric && d < dim; d++)
            YK_TRY(yk_mesh_double(r, "a coordinate", &u, err));
        r->mesh->nodes++;
    }
    return YOKE_OK;
}

static yoke_status read_nodes_4(yk_mesh_reader *r, yoke_err *err)
{
    int blocks = 0, count = 0, least = 0, most = 0;

    YK_TRY(yk_mesh_count(r, "a number of blocks", 4, &blocks, err));
    YK_TRY(yk_mesh_count(r, "the number of nodes", 8, &count, err));
    YK_TRY(yk_mesh_int(r, "the least number of a node", &least, err));
    YK_TRY(yk_mesh_int(r, "the largest number of a node", &most, err));
    YK_TRY(make_nodes(r, count, err));
    for (int k = 0; k < blocks; k++) YK_TRY(read_node_block(r, count, err));
    if (r->mesh->nodes != count)
        return yk_mesh_refuse(r, err, "%d nodes instead of %d", r->mesh->nodes,
                              count);
    return sort_nodes(r, err);
}

/* ---- elements ------------------------------------------------------------ */

static yoke_status read_node(yk_mesh_reader *r, int *node, yoke_err *err)
{
    int tag = 0;

    YK_TRY(yk_mesh_int(r, "the number of a node", &tag, err));
    const int *found = bsearch(&tag, r->by_tag, (size_t)r->mesh->nodes,
                               2 * sizeof *r->by_tag, yk_compare_ints);
    if (!found) return yk_mesh_refuse(r, err, "there is no node %d", tag);
    *node = found[1];
    return YOKE_OK;
}

static yoke_status add_triangle(yk_mesh_reader *r, int element, int group,
                                const int node[3], yoke_err *err)
{
    yoke_mesh *m = r->mesh;
    size_t same = r->triangle_room, other = r->triangle_room;
    const size_t need = (size_t)m->triangles + 1;

    if (group == 0)
        return yk_mesh_refuse(r, err,
                              "triangle %d belongs to no physical surface: "
                              "every part of the plane is a named region",
                              element);
    YK_TRY(YK_GROW(&m->triangle, &same, need, err));
    YK_TRY(YK_GROW(&m->region_of, &other, need, err));
    YK_TRY(YK_GROW(&m->triangle_at, &r->triangle_room, need, err));
    memcpy(m->triangle[m->triangles], node, sizeof m->triangle[0]);
    YK_TRY(yk_mesh_number(r, 2, group, &m->region_of[m->triangles], err));
    m->triangle_at[m->triangles++] = r->at_line;
    return YOKE_OK;
}

static yoke_status add_edge(yk_mesh_reader *r, int group, const int node[2],
                            yoke_err *err)
{
    yoke_mesh *m = r->mesh;
    size_t same = r->edge_room, other = r->edge_room;
    const size_t need = (size_t)m->edges + 1;

    if (group == 0) return YOKE_OK;
    YK_TRY(YK_GROW(&m->edge, &same, need, err));
    YK_TRY(YK_GROW(&m->line_of, &other, need, err));
    YK_TRY(YK_GROW(&r->edge_at, &r->edge_room, need, err));
    memcpy(m->edge[m->edges], node, sizeof m->edge[0]);
    YK_TRY(yk_mesh_number(r, 1, group, &m->line_of[m->edges], err));
    r->edge_at[m->edges++] = r->at_line;
    return YOKE_OK;
}

/* The nodes of an element whose head has been read. */
static yoke_status read_element(yk_mesh_reader *r, int element, int type,
                                int group, yoke_err *err)
{
    int node[3] = { 0, 0, 0 };

    if (type < 0 || type >= TYPES || types[type].nodes == 0)
        return yk_mesh_refuse(r, err, "element %d is of the unknown type %d",
                              element, type);
    if (type != LINE && type != TRIANGLE && type != POINT)
        return yk_mesh_refuse(r, err,
                              "element %d is a %s; only triangles of first "
                              "order are used",
                              element, types[type].name);
    for (int k = 0; k < types[type].nodes; k++)
        YK_TRY(read_node(r, &node[k], err));
    if (type == TRIANGLE) return add_triangle(r, element, group, node, err);
    return type == LINE ? add_edge(r, group, node, err) : YOKE_OK;
}

static yoke_status read_elements_2(yk_mesh_reader *r, yoke_err *err)
{
    int count = 0, element = 0, type = 0, tags = 0, tag = 0;

    YK_TRY(yk_mesh_count(r, "the number of elements", 6, &count, err));
    for (int k = 0; k < count; k++) {
        int group = 0;
        YK_TRY(yk_mesh_int(r, "the number of an element", &element, err));
        YK_TRY(yk_mesh_int(r, "the type of an element", &type, err));
        YK_TRY(yk_mesh_count(r, "a number of tags", 2, &tags, err));
        for (int j = 0; j < tags; j++) {
            YK_TRY(yk_mesh_int(r, "a tag", &tag, err));
            if (j == 0) group = tag;
        }
        YK_TRY(read_element(r, element, type, group, err));
    }
    return YOKE_OK;
}

static yoke_status read_elements_4(yk_mesh_reader *r, yoke_err *err)
{
    int blocks = 0, count = 0, least = 0, most = 0;

    YK_TRY(yk_mesh_count(r, "a number of blocks", 4, &blocks, err));
    YK_TRY(yk_mesh_count(r, "the number of elements", 4, &count, err));
    YK_TRY(yk_mesh_int(r, "the least number of an element", &least, err));
    YK_TRY(yk_mesh_int(r, "the largest number of an element", &most, err));
    for (int k = 0; k < blocks; k++) {
        int dim = 0, tag = 0, type = 0, group = 0, element = 0;
        YK_TRY(yk_mesh_int(r, "a dimension", &dim, err));
        YK_TRY(yk_mesh_int(r, "the number of an entity", &tag, err));
        YK_TRY(yk_mesh_int(r, "the type of an element", &type, err));
        YK_TRY(yk_mesh_count(r, "a number of elements", 4, &count, err));
        YK_TRY(yk_mesh_entity(r, dim, tag, &group, err));
        for (int j = 0; j < count; j++) {
            YK_TRY(yk_mesh_int(r, "the number of an element", &element, err));
            YK_TRY(read_element(r, element, type, group, err));
        }
    }
    return YOKE_OK;
}

static yoke_status read_elements(yk_mesh_reader *r, yoke_err *err)
{
    if (!r->has_nodes)
        return yk_mesh_refuse(r, err, "elements before the nodes");
    if (r->has_elements)
        return yk_mesh_refuse(r, err, "a second section of elements");
    r->has_elements = true;
    return r->version < 3.0 ? read_elements_2(r, err) : read_elements_4(r, err);
}

/* ---- sections ------------------------------------------------------------ */

static yoke_status read_format(yk_mesh_reader *r, yoke_err *err)
{
    int is_binary = 0, size = 0;

    YK_TRY(yk_mesh_double(r, "the version of the format", &r->version, err));
    YK_TRY(yk_mesh_int(r, "0 or 1", &is_binary, err));
    YK_TRY(yk_mesh_int(r, "the size of a number", &size, err));
    if (fabs(r->version - 2.2) > 1e-9 && fabs(r->version - 4.1) > 1e-9)
        return yk_mesh_refuse(r, err,
                              "version %g of the format is not read; 2.2 and "
                              "4.1 are (gmsh -format msh41)",
                              r->version);
    if (is_binary)
        return yk_mesh_refuse(r, err,
                              "binary files are not read: save as ASCII (gmsh "
                              "without -bin)");
    return YOKE_OK;
}

static yoke_status skip_section(yk_mesh_reader *r, const char *head,
                                size_t length, yoke_err *err)
{
    const char *word = NULL;
    const int line = r->at_line;
    size_t size;

    while ((size = yk_mesh_peek(r, &word)) > 0) {
        r->at += size;
        if (size == length + 3 && strncmp(word, "$End", 4) == 0 &&
            strncmp(word + 4, head + 1, length - 1) == 0)
            return YOKE_OK;
    }
    return yk_mesh_refuse(r, err, "the section %.*s of line %d does not end",
                          length < 60 ? (int)length : 60, head, line);
}

static yoke_status read_section(yk_mesh_reader *r, const char *word,
                                size_t length, yoke_err *err)
{
    static const struct {
        const char *name;
        yoke_status (*read)(yk_mesh_reader *r, yoke_err *err);
        bool is_new; /* of version 4 only */
    } section[] = {
        { "MeshFormat", read_format, false },
        { "PhysicalNames", yk_mesh_names, false },
        { "Entities", yk_mesh_entities, true },
        { "Nodes", read_nodes_2, false },
        { "Elements", read_elements, false },
    };
    char end[40];

    for (size_t k = 0; k < sizeof section / sizeof section[0]; k++) {
        const char *name = section[k].name;
        if (length != strlen(name) + 1 ||
            strncmp(word + 1, name, length - 1) != 0)
            continue;
        r->at += length;
        if (r->version == 0.0 && k > 0)
            return yk_mesh_refuse(r, err,
                                  "$MeshFormat is not the first "
                                  "section");
        if (section[k].is_new && r->version < 3.0)
            return yk_mesh_refuse(r, err, "$%s in version 2.2", name);
        YK_TRY(k == 3 && r->version > 3.0 ? read_nodes_4(r, err)
                                          : section[k].read(r, err));
        snprintf(end, sizeof end, "$End%s", name);
        return yk_mesh_expect(r, end, err);
    }
    r->at += length;
    return skip_section(r, word, length, err);
}

static yoke_status read_all(yk_mesh_reader *r, yoke_err *err)
{
    const char *word = NULL;
    size_t length;

    while ((length = yk_mesh_peek(r, &word)) > 0) {
        if (*word != '$' || length < 2)
            return yk_mesh_refuse(r, err,
                                  "\"%.*s\" where a section of a mesh, "
                                  "$..., is expected",
                                  length < 40 ? (int)length : 40, word);
        YK_TRY(read_section(r, word, length, err));
    }
    if (!r->has_elements || r->mesh->triangles == 0)
        return yk_mesh_refuse(r, err,
                              "the mesh has no triangles; its regions must be "
                              "physical surfaces, and gmsh be run with -2");
    return yk_mesh_check(r, err);
}

static void reader_clear(yk_mesh_reader *r)
{
    for (int k = 0; k < r->groups; k++) yk_free(r->group[k].name);
    YK_FREE(r->group, r->entity, r->tag, r->by_tag, r->node_at, r->edge_at);
}

yoke_status yk_mesh_parse(yoke_mesh **out, const char *path, const char *text,
                          size_t length, yoke_err *err)
{
    yk_mesh_reader r = {
        .path = path, .at = text, .end = text + length, .at_line = 1
    };
    yoke_status status = YOKE_OK;

    YK_GO(YK_NEW(&r.mesh, 1, err));
    YK_GO(yk_copy_text(&r.mesh->path, path, err));
    YK_GO(read_all(&r, err));
    *out = r.mesh;
    r.mesh = NULL;
done:
    yoke_mesh_free(r.mesh);
    reader_clear(&r);
    return status;
}

void yoke_mesh_free(yoke_mesh *m)
{
    if (!m) return;
    yk_texts_free(m->region, m->regions);
    yk_texts_free(m->line, m->lines);
    YK_FREE(m->region_area, m->x, m->y, m->triangle, m->region_of,
            m->triangle_at, m->edge, m->line_of, m->path, m);
}

int yoke_mesh_region(const yoke_mesh *mesh, const char *name)
{
    return yk_texts_find((const char *const *)mesh->region, mesh->regions,
                         name);
}

int yoke_mesh_line(const yoke_mesh *mesh, const char *name)
{
    return yk_texts_find((const char *const *)mesh->line, mesh->lines, name);
}

/* ---- files --------------------------------------------------------------- */

static yoke_status read_msh(yoke_mesh **out, const char *file, const char *path,
                            yoke_err *err)
{
    char *text = NULL;
    size_t length = 0;

    YK_TRY(yk_bytes_read(&text, &length, file, MOST_MIB, err));
    const yoke_status status = yk_mesh_parse(out, path, text, length, err);
    yk_free(text);
    return status;
}

yoke_status yoke_mesh_read(yoke_mesh **out, const char *path, bool trusted,
                           yoke_err *err)
{
    YK_POINT;
    const size_t length = strlen(path);
    yk_mesh_made made = { "", "", "", "" };

    if (length < 4 || strcmp(path + length - 4, ".geo") != 0)
        return read_msh(out, path, path, err);
    yoke_status status = yk_mesh_geo_make(&made, path, trusted, err);
    if (status == YOKE_OK) {
        char name[400];
        snprintf(name, sizeof name, "mesh of %.380s", path);
        status = read_msh(out, made.mesh, name, err);
    }
    yk_mesh_geo_remove(&made);
    return status;
}
