/* cli/info_mesh.c -- yoke info of a mesh, and its picture. */
#include "cli/info.h"

#include <stdio.h>

static void print_mesh(const yoke_mesh *m)
{
    printf("%s: mesh: %d nodes, %d triangles, %d regions, %d lines\n", m->path,
           m->nodes, m->triangles, m->regions, m->lines);
    for (int k = 0; k < m->regions; k++) {
        int count = 0;
        for (int e = 0; e < m->triangles; e++) count += m->region_of[e] == k;
        printf("region %s: %d triangles, area %.6g\n", m->region[k], count,
               m->region_area[k]);
    }
    for (int k = 0; k < m->lines; k++) {
        int count = 0;
        for (int e = 0; e < m->edges; e++) count += m->line_of[e] == k;
        printf("line %s: %d edges\n", m->line[k], count);
    }
}

static void json_mesh(const yoke_mesh *m)
{
    printf("{");
    info_text("kind", "mesh", true);
    info_text("file", m->path, false);
    printf(", \"nodes\": %d, \"triangles\": %d", m->nodes, m->triangles);
    info_names("regions", m->regions, (const char *const *)m->region);
    info_numbers("areas", m->regions, m->region_area, false);
    info_names("lines", m->lines, (const char *const *)m->line);
    puts("}");
}

int info_mesh(const char *path, const char *picture, bool json)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_mesh *mesh = NULL;

    if (yoke_mesh_read(&mesh, path, cli_trusts(), &err) != YOKE_OK)
        return cli_fail(&err);
    const yoke_mesh_paint paint = { .title = path };
    yoke_status status = YOKE_OK;
    if (picture) status = yoke_mesh_draw(mesh, picture, &paint, &err);
    if (status == YOKE_OK && json)
        json_mesh(mesh);
    else if (status == YOKE_OK)
        print_mesh(mesh);
    if (status == YOKE_OK && picture && !json) printf("drawn: %s\n", picture);
    yoke_mesh_free(mesh);
    return status == YOKE_OK ? CLI_OK : cli_fail(&err);
}
