/* comp/mesh/mesh_check.c -- is it a mesh?
 *
 * Gmsh turns the triangles of a surface all one way, which is that of its loop;
 * they are turned against the clock here.  A single triangle turned the other
 * way is inverted.  In a mesh that is no fold every directed edge belongs to
 * one triangle.
 */
#include "base/compare.h"
#include "comp/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Twice the area over the square of the longest side that counts as none. */
static const double flat = 1e-10;

typedef struct side {
    yk_pair ends;
    int triangle;
} side;

static double cross(const yoke_mesh *m, const int v[3])
{
    return (m->x[v[1]] - m->x[v[0]]) * (m->y[v[2]] - m->y[v[0]]) -
           (m->x[v[2]] - m->x[v[0]]) * (m->y[v[1]] - m->y[v[0]]);
}

static double longest(const yoke_mesh *m, const int v[3])
{
    double most = 0.0;

    for (int k = 0; k < 3; k++)
        most = fmax(most, hypot(m->x[v[(k + 1) % 3]] - m->x[v[k]],
                                m->y[v[(k + 1) % 3]] - m->y[v[k]]));
    return most;
}

/* A message about a triangle, at its line. */
static yoke_status refuse(yk_mesh_reader *r, int e, const char *what,
                          yoke_err *err)
{
    const yoke_mesh *m = r->mesh;
    const int *v = m->triangle[e];

    r->at_line = m->triangle_at[e];
    return yk_mesh_refuse(r, err,
                          "region \"%.100s\": the triangle of the nodes %d, "
                          "%d, %d %s",
                          m->region[m->region_of[e]], r->tag[v[0]],
                          r->tag[v[1]], r->tag[v[2]], what);
}

static yoke_status check_areas(yk_mesh_reader *r, int *sense, yoke_err *err)
{
    yoke_mesh *m = r->mesh;

    for (int e = 0; e < m->triangles; e++) {
        int *v = m->triangle[e];
        const double size = longest(m, v), twice = cross(m, v);
        const int way = twice > 0.0 ? 1 : -1;
        if (!(fabs(twice) > flat * size * size))
            return refuse(r, e, "has no area", err);
        if (sense[m->region_of[e]] == 0) sense[m->region_of[e]] = way;
        if (sense[m->region_of[e]] != way)
            return refuse(r, e,
                          "is inverted: the others of the region turn "
                          "the other way",
                          err);
        if (way < 0) {
            const int kept = v[1];
            v[1] = v[2];
            v[2] = kept;
        }
        m->region_area[m->region_of[e]] += 0.5 * fabs(twice);
    }
    return YOKE_OK;
}

static yoke_status check_sides(yk_mesh_reader *r, side *list, yoke_err *err)
{
    const yoke_mesh *m = r->mesh;
    const size_t count = 3 * (size_t)m->triangles;

    for (int e = 0; e < m->triangles; e++)
        for (int k = 0; k < 3; k++)
            list[3 * e + k] =
                (side){ { m->triangle[e][k], m->triangle[e][(k + 1) % 3] }, e };
    qsort(list, count, sizeof *list, yk_compare_pairs);
    for (size_t k = 1; k < count; k++)
        if (yk_compare_pairs(&list[k - 1], &list[k]) == 0)
            return refuse(r, list[k].triangle,
                          "lies over another one: the mesh is folded", err);
    for (int e = 0; e < m->edges; e++) {
        const int a = m->edge[e][0], b = m->edge[e][1];
        const side to = { { a, b }, 0 }, back = { { b, a }, 0 };
        if (bsearch(&to, list, count, sizeof *list, yk_compare_pairs) ||
            bsearch(&back, list, count, sizeof *list, yk_compare_pairs))
            continue;
        r->at_line = r->edge_at[e];
        return yk_mesh_refuse(r, err,
                              "line \"%.100s\": the edge of the nodes %d, %d "
                              "is not a side of a triangle",
                              m->line[m->line_of[e]], r->tag[a], r->tag[b]);
    }
    return YOKE_OK;
}

static yoke_status check_nodes(yk_mesh_reader *r, bool *used, yoke_err *err)
{
    const yoke_mesh *m = r->mesh;

    for (int e = 0; e < m->triangles; e++)
        for (int k = 0; k < 3; k++) used[m->triangle[e][k]] = true;
    for (int k = 0; k < m->nodes; k++)
        if (!used[k]) {
            r->at_line = r->node_at[k];
            return yk_mesh_refuse(r, err, "node %d belongs to no triangle",
                                  r->tag[k]);
        }
    return YOKE_OK;
}

/* Two groups of one name would be one region with two numbers. */
static yoke_status check_names(yk_mesh_reader *r, int count, char *const *list,
                               const char *what, yoke_err *err)
{
    for (int k = 0; k < count; k++)
        for (int j = 0; j < k; j++)
            if (strcmp(list[k], list[j]) == 0)
                return yk_mesh_refuse(r, err,
                                      "two physical groups are the %s "
                                      "\"%.100s\"",
                                      what, list[k]);
    return YOKE_OK;
}

yoke_status yk_mesh_check(yk_mesh_reader *r, yoke_err *err)
{
    yoke_mesh *m = r->mesh;
    yoke_status status = YOKE_OK;
    int *sense = NULL;
    bool *used = NULL;
    side *list = NULL;

    YK_GO(yk_ints(&sense, (size_t)m->regions + 1, err));
    YK_GO(yk_doubles(&m->region_area, (size_t)m->regions + 1, err));
    YK_GO(YK_NEW(&used, m->nodes + 1, err));
    YK_GO(YK_NEW(&list, 3 * (size_t)m->triangles, err));
    YK_GO(check_areas(r, sense, err));
    YK_GO(check_sides(r, list, err));
    YK_GO(check_nodes(r, used, err));
    YK_GO(check_names(r, m->regions, m->region, "region", err));
    YK_GO(check_names(r, m->lines, m->line, "line", err));
done:
    YK_FREE(sense, used, list);
    return status;
}
