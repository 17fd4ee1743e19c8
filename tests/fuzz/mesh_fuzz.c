/* tests/fuzz/mesh_fuzz.c -- the reader of meshes takes any bytes: it gives a
 * mesh whose indices all exist and whose triangles have an area, or a message
 * with a place. */
#include "fuzz.h"

#include "comp/mesh/mesh.h"
#include "yoke/mesh.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

static void check_mesh(const yoke_mesh *m)
{
    check(m->nodes >= 3 && m->triangles >= 1 && m->regions >= 1);
    for (int e = 0; e < m->triangles; e++) {
        const int *v = m->triangle[e];
        for (int k = 0; k < 3; k++) check(v[k] >= 0 && v[k] < m->nodes);
        check(m->region_of[e] >= 0 && m->region_of[e] < m->regions);
        check((m->x[v[1]] - m->x[v[0]]) * (m->y[v[2]] - m->y[v[0]]) >
              (m->x[v[2]] - m->x[v[0]]) * (m->y[v[1]] - m->y[v[0]]));
    }
    for (int e = 0; e < m->edges; e++) {
        check(m->edge[e][0] >= 0 && m->edge[e][0] < m->nodes);
        check(m->edge[e][1] >= 0 && m->edge[e][1] < m->nodes);
        check(m->line_of[e] >= 0 && m->line_of[e] < m->lines);
    }
    for (int k = 0; k < m->regions; k++)
        check(yoke_mesh_region(m, m->region[k]) == k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_mesh *mesh = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_mesh_parse(&mesh, "fuzz", (const char *)data, size, &err);

    if (status == YOKE_OK) {
        check_mesh(mesh);
    } else {
        check(mesh == NULL && status < 0);
        check(strncmp(err.text, "fuzz:", 5) == 0);
    }
    yoke_mesh_free(mesh);
    return 0;
}

FUZZ_MAIN("mesh");
