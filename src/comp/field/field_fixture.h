/* Structured meshes and small fields for the tests. */
#ifndef YK_FIELD_FIXTURE_H
#define YK_FIELD_FIXTURE_H

#include "check.h"
#include "comp/field/solve.h"

#include <math.h>
#include <stdio.h>

/* `count` pieces of different width: their ends, cells and regions; map: what
 * becomes of a point of the plane (NULL: nothing). */
typedef struct fixture_grid {
    int count, rows;
    double end[8]; /* count + 1 */
    int cells[8], region[8], regions;
    double low, high;
    void (*map)(double *x, double *y);
    bool fix_left, fix_right; /* edges with A = 0 */
} fixture_grid;

static yoke_mesh *fixture_mesh(const fixture_grid *g)
{
    static const char *const names[] = { "r0", "r1", "r2", "r3" };
    yoke_mesh *m = NULL;
    int cols = 0, k = 0;

    for (int p = 0; p < g->count; p++) cols += g->cells[p];
    CHECK_OK(YK_NEW(&m, 1, NULL), NULL);
    m->nodes = (cols + 1) * (g->rows + 1);
    m->triangles = 2 * cols * g->rows;
    m->regions = g->regions;
    m->lines = 1;
    CHECK_OK(yk_copy_text(&m->path, "grid", NULL), NULL);
    CHECK_OK(yk_doubles(&m->x, (size_t)m->nodes, NULL), NULL);
    CHECK_OK(yk_doubles(&m->y, (size_t)m->nodes, NULL), NULL);
    CHECK_OK(YK_NEW(&m->triangle, m->triangles, NULL), NULL);
    CHECK_OK(yk_ints(&m->region_of, (size_t)m->triangles, NULL), NULL);
    CHECK_OK(yk_ints(&m->triangle_at, (size_t)m->triangles, NULL), NULL);
    CHECK_OK(YK_NEW(&m->edge, 2 * g->rows, NULL), NULL);
    CHECK_OK(yk_ints(&m->line_of, 2 * (size_t)g->rows, NULL), NULL);
    CHECK_OK(YK_NEW(&m->region, g->regions, NULL), NULL);
    CHECK_OK(YK_NEW(&m->line, 1, NULL), NULL);
    for (int r = 0; r < g->regions; r++)
        CHECK_OK(yk_copy_text(&m->region[r], names[r], NULL), NULL);
    CHECK_OK(yk_copy_text(&m->line[0], "fixed", NULL), NULL);
    for (int j = 0; j <= g->rows; j++)
        for (int p = 0, i = 0; p < g->count; p++)
            for (int c = 0; c < g->cells[p] + (p == g->count - 1); c++, i++) {
                const int v = j * (cols + 1) + i;
                m->x[v] =
                    g->end[p] + (g->end[p + 1] - g->end[p]) * c / g->cells[p];
                m->y[v] = g->low + (g->high - g->low) * j / g->rows;
                if (g->map) g->map(&m->x[v], &m->y[v]);
            }
    for (int j = 0; j < g->rows; j++)
        for (int p = 0, i = 0; p < g->count; p++)
            for (int c = 0; c < g->cells[p]; c++, i++, k += 2) {
                const int v = j * (cols + 1) + i, w = v + cols + 1;
                const int a[3] = { v, v + 1, w + 1 }, b[3] = { v, w + 1, w };
                for (int n = 0; n < 3; n++) {
                    m->triangle[k][n] = a[n];
                    m->triangle[k + 1][n] = b[n];
                }
                m->region_of[k] = m->region_of[k + 1] = g->region[p];
            }
    for (int j = 0; j < g->rows; j++) {
        const int v = j * (cols + 1);
        if (g->fix_left) {
            m->edge[m->edges][0] = v;
            m->edge[m->edges++][1] = v + cols + 1;
        }
        if (g->fix_right) {
            m->edge[m->edges][0] = v + cols;
            m->edge[m->edges++][1] = v + 2 * cols + 1;
        }
    }
    return m;
}

#endif
