/* comp/semiconductor/voronoi.c -- boxes and edges of a triangle mesh.
 *
 * The box of a node is the part of the plane nearer to it than to any other.
 * In a triangle with the angle w opposite to the edge of length h, the face
 * between the boxes of its ends has the length  h cot(w) / 2  and either box
 * gets  h^2 cot(w) / 8.  Both triangles beside an edge add up; where the sum is
 * negative (obtuse angles at a boundary, or not Delaunay) currents would flow
 * the wrong way, and the mesh is refused.
 *
 * The potential of the empty device, 1 V at the anode and 0 at the cathode,
 * weighs the currents of the edges: their sum is the current into the anode, as
 * the mean over the length is for a line.
 */
#include "comp/semiconductor/device.h"

#include "base/compare.h"
#include "la/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of an edge: one triangle's part. */
typedef struct side {
    yk_pair ends; /* a < b */
    double s;
} side;

/* cot of the angle at node k of triangle (i, j, k), and |ij|^2. */
static double cotangent(const yk_diode_mesh *m, int i, int j, int k,
                        double *square)
{
    const double ax = m->x[i] - m->x[k], ay = m->y[i] - m->y[k];
    const double bx = m->x[j] - m->x[k], by = m->y[j] - m->y[k];
    const double ex = m->x[i] - m->x[j], ey = m->y[i] - m->y[j];

    *square = ex * ex + ey * ey;
    return (ax * bx + ay * by) / fabs(ax * by - ay * bx);
}

static yoke_status add_triangle(yk_dd *d, const yk_diode_mesh *m, int t,
                                side *to, yoke_err *err)
{
    for (int c = 0; c < 3; c++) {
        const int i = m->triangle[t][c], j = m->triangle[t][(c + 1) % 3];
        const int k = m->triangle[t][(c + 2) % 3];
        double square = 0.0;
        const double cot = cotangent(m, i, j, k, &square);
        if (!isfinite(cot))
            return yk_fail(err, YOKE_E_ARG, "triangle %d has no area", t + 1);
        to[c] = (side){ { i < j ? i : j, i < j ? j : i },
                        0.5 * sqrt(square) * cot };
        const double part = 0.125 * square * cot;
        d->volume[i] += part;
        d->volume[j] += part;
        d->doping[i] += part * m->doping[t];
        d->doping[j] += part * m->doping[t];
    }
    return YOKE_OK;
}

static yoke_status close_edge(yk_dd *d, const yk_diode_mesh *m, yk_edge e,
                              yoke_err *err)
{
    e.h = hypot(m->x[e.a] - m->x[e.b], m->y[e.a] - m->y[e.b]);
    if (e.s < -1e-9 * e.h)
        return yk_fail(err, YOKE_E_ARG,
                       "the edge between nodes %d and %d, at (%g, %g), has a "
                       "negative coupling: the angles opposite to it are too "
                       "large; refine the mesh there or make it Delaunay with "
                       "no obtuse angle at the boundary",
                       e.a + 1, e.b + 1, 0.5 * (m->x[e.a] + m->x[e.b]),
                       0.5 * (m->y[e.a] + m->y[e.b]));
    if (e.s > 1e-9 * e.h) d->edge[d->edges++] = e;
    return YOKE_OK;
}

static yoke_status join_sides(yk_dd *d, const yk_diode_mesh *m, const side *s,
                              int count, yoke_err *err)
{
    YK_TRY(YK_NEW(&d->edge, count, err));
    for (int k = 0; k < count;) {
        const int first = k;
        yk_edge e = { s[k].ends.a, s[k].ends.b, 0.0, 0.0, 0.0 };
        for (; k < count && yk_compare_pairs(&s[k], &s[first]) == 0; k++)
            e.s += s[k].s;
        YK_TRY(close_edge(d, m, e, err));
    }
    return YOKE_OK;
}

static yoke_status make_boxes(yk_dd *d, const yk_diode_mesh *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int sides = 3 * m->triangles;
    side *s = NULL;

    YK_GO(YK_NEW(&s, sides, err));
    for (int t = 0; t < m->triangles; t++)
        YK_GO(add_triangle(d, m, t, &s[3 * t], err));
    qsort(s, (size_t)sides, sizeof *s, yk_compare_pairs);
    YK_GO(join_sides(d, m, s, sides, err));
    for (int k = 0; k < d->nodes; k++) {
        if (!(d->volume[k] > 0.0)) {
            status = yk_fail(err, YOKE_E_ARG,
                             "node %d at (%g, %g) has no box: it belongs to no "
                             "triangle, or those around it are too obtuse",
                             k + 1, m->x[k], m->y[k]);
            goto done;
        }
        d->doping[k] /= d->volume[k];
    }
done:
    yk_free(s);
    return status;
}

static yoke_status number_nodes(yk_dd *d, const yk_diode_mesh *m, yoke_err *err)
{
    int inner = 0, anode = 0, cathode = 0;

    for (int k = 0; k < d->nodes; k++) {
        d->number[k] = m->contact[k] == 0   ? inner++
                       : m->contact[k] == 1 ? YK_ANODE
                                            : YK_CATHODE;
        anode += m->contact[k] == 1;
        cathode += m->contact[k] == 2;
        if (m->contact[k] != 0 && (m->contact[k] == 1) != (d->doping[k] < 0.0))
            return yk_fail(err, YOKE_E_ARG,
                           "node %d of the %s has the doping %g 1/m^3; the "
                           "anode is on the p side",
                           k + 1, m->contact[k] == 1 ? "anode" : "cathode",
                           d->doping[k]);
    }
    if (anode > 0 && cathode > 0 && inner > 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "%d nodes at the anode, %d at the cathode and %d between "
                   "them; none may be 0",
                   anode, cathode, inner);
}

/* Laplace's equation; `theta` at all nodes. */
static yoke_status solve_empty(yk_dd *d, double *theta, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int inner = 0, count = 0;
    int *row = NULL, *col = NULL;
    double *value = NULL, *r = NULL;
    yoke_pattern *pattern = NULL;
    yk_lu *lu = NULL;

    for (int k = 0; k < d->nodes; k++) inner += d->number[k] >= 0;
    const size_t room = 4 * (size_t)d->edges;
    YK_GO(YK_INTS(room, err, &row, &col));
    YK_GO(yk_doubles(&r, (size_t)inner, err));
    for (int k = 0; k < YK_EDGE_BLOCKS * d->edges; k++) {
        const yk_edge *e = &d->edge[k / 4];
        const int i = d->number[k % 4 < 2 ? e->a : e->b];
        const int j = d->number[k % 2 ? e->b : e->a];
        if (i < 0 || j < 0) continue;
        row[count] = i;
        col[count++] = j;
    }
    YK_GO(yoke_pattern_create(&pattern, inner, inner, count, row, col, err));
    YK_GO(yk_doubles(&value, (size_t)yoke_pattern_count(pattern), err));
    for (int k = 0; k < YK_EDGE_BLOCKS * d->edges; k++) {
        const yk_edge *e = &d->edge[k / 4];
        const int i = d->number[k % 4 < 2 ? e->a : e->b];
        const int j = d->number[k % 2 ? e->b : e->a];
        const double c = (i == j ? 1.0 : -1.0) * e->s / e->h;
        if (i >= 0 && j >= 0) value[yoke_pattern_find(pattern, i, j)] += c;
        if (i >= 0 && j == YK_ANODE) r[i] += e->s / e->h;
    }
    YK_GO(yk_lu_create(&lu, pattern, false, err));
    YK_GO(yk_lu_factor(lu, value, NULL, err));
    YK_GO(yk_lu_solve(lu, r, err));
    for (int k = 0; k < d->nodes; k++)
        theta[k] = d->number[k] >= 0 ? r[d->number[k]]
                                     : (d->number[k] == YK_ANODE ? 1.0 : 0.0);
done:
    YK_FREE(row, col, value, r);
    yoke_pattern_free(pattern);
    yk_lu_free(lu);
    if (status > 0)
        return yk_fail(err, YOKE_E_ARG,
                       "the mesh falls into parts that no contact touches");
    return status;
}

static yoke_status weigh_edges(yk_dd *d, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *theta = NULL;

    YK_GO(yk_doubles(&theta, (size_t)d->nodes, err));
    YK_GO(solve_empty(d, theta, err));
    for (int k = 0; k < d->edges; k++)
        d->edge[k].fall = theta[d->edge[k].a] - theta[d->edge[k].b];
done:
    yk_free(theta);
    return status;
}

static yoke_status mesh_mobility(const yk_dd *d, const yk_diode *given,
                                 const yk_diode_carrier *from, bool holes,
                                 yk_carrier *to, yoke_err *err)
{
    YK_TRY(yk_doubles(&to->mobility, (size_t)d->edges, err));
    for (int k = 0; k < d->edges; k++)
        to->mobility[k] = yk_mobility(
            given->mobility, from, holes,
            0.5 * (d->doping[d->edge[k].a] + d->doping[d->edge[k].b]));
    return YOKE_OK;
}

yoke_status yk_dd_mesh(yk_dd *d, const yk_diode *given, yoke_err *err)
{
    const yk_diode_mesh *m = given->mesh;

    d->nodes = m->nodes;
    d->area = m->depth;
    YK_TRY(yk_ints(&d->number, (size_t)d->nodes, err));
    YK_TRY(YK_DOUBLES((size_t)d->nodes, err, &d->volume, &d->doping));
    YK_TRY(make_boxes(d, m, err));
    YK_TRY(number_nodes(d, m, err));
    YK_TRY(weigh_edges(d, err));
    YK_TRY(
        mesh_mobility(d, given, &given->electrons, false, &d->electrons, err));
    return mesh_mobility(d, given, &given->holes, true, &d->holes, err);
}
