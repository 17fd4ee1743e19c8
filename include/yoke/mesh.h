/* yoke/mesh.h -- triangle meshes in the plane, as Gmsh writes them, and
 * pictures of fields on them.
 *
 * Regions are the physical surfaces, lines the physical curves of the file, by
 * name; one without a name is called by its number.
 */
#ifndef YOKE_MESH_H
#define YOKE_MESH_H

#include "yoke/system.h"

YOKE_BEGIN_C

typedef struct yoke_mesh {
    char *path; /* of the file */
    int nodes, triangles, edges, regions, lines;
    double *x, *y;       /* nodes, in the unit of the file */
    int (*triangle)[3];  /* nodes, against the clock */
    int *region_of;      /* of each triangle */
    int *triangle_at;    /* of each triangle: its line in the file */
    int (*edge)[2];      /* boundary edges: nodes */
    int *line_of;        /* of each edge */
    char **region;       /* names */
    char **line;         /* names */
    double *region_area; /* in the unit of the file, squared */
} yoke_mesh;

/* Reads a .msh file, ASCII of version 2.2 or 4.1, or a .geo file through the
 * program `gmsh`.
 *
 * Refused, with file:line, the region and the number of the element: triangles
 * without area, inverted ones, those that belong to no region, elements other
 * than points, lines and triangles of first order; nodes that no triangle has
 * and lines outside the triangles; meshes that are not in the plane z = 0.
 *
 * The language of .geo files can run programs and write files: what is neither
 * geometry nor a number is refused, unless `trusted` says that you wrote the
 * file or have read it; then gmsh gets it as it is. */
YOKE_API yoke_status yoke_mesh_read(yoke_mesh **out, const char *path,
                                    bool trusted, yoke_err *err);
YOKE_API void yoke_mesh_free(yoke_mesh *mesh); /* accepts NULL */

/* The number of a region or line, or -1. */
YOKE_API int yoke_mesh_region(const yoke_mesh *mesh, const char *name);
YOKE_API int yoke_mesh_line(const yoke_mesh *mesh, const char *name);

/* What a picture shows besides the outlines of the regions; what is NULL is
 * left out.  Without densities the regions are coloured and the triangles
 * drawn. */
typedef struct yoke_mesh_paint {
    const char *title;
    const double *potential; /* of the nodes: lines at equal distances */
    int lines;               /* how many; 0: 20 */
    const double *density;   /* of the triangles: colours */
    const char *label;       /* what the colours mean: "|B| in T" */
} yoke_mesh_paint;

/* Draws a mesh as an SVG file; an older file is replaced. */
YOKE_API yoke_status yoke_mesh_draw(const yoke_mesh *mesh, const char *path,
                                    const yoke_mesh_paint *paint,
                                    yoke_err *err);

/* Draws the field of a subsystem `component: field` (docs/manual/components.md)
 * for given currents of its windings, as an SVG file: lines of A (of r A around
 * an axis), |B| in colour.  Refuses other systems, and fields with conductors,
 * which do not follow from the currents.  `title` may be NULL. */
YOKE_API yoke_status yoke_field_draw(yoke_system *system, const double *current,
                                     const char *title, const char *path,
                                     yoke_err *err);

YOKE_END_C

#endif
