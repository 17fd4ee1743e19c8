/* comp/field/draw.c -- a picture of a static field: lines of A, |B| in colour.
 */
#include "comp/field/device.h"

#include <math.h>

static double flux_density(const yk_field_element *e, const double *a)
{
    double g[2] = { 0.0, 0.0 };

    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 2 && e->dof[k] >= 0; d++)
            g[d] += e->grad[d][k] * a[e->dof[k]];
    return hypot(g[0], g[1]);
}

yoke_status yk_field_draw(yk_field_solver *s, const yoke_mesh *mesh,
                          const char *title, const char *path, yoke_err *err)
{
    const yk_field_model *f = &s->model;
    yoke_status status = YOKE_OK;
    double *potential = NULL, *density = NULL;

    YK_GO(yk_doubles(&potential, (size_t)f->nodes, err));
    YK_GO(yk_doubles(&density, (size_t)f->elements, err));
    for (int k = 0; k < f->nodes; k++)
        potential[k] = f->dof[k] >= 0 ? s->a[f->dof[k]] : 0.0;
    for (int e = 0; e < f->elements; e++)
        density[e] = flux_density(&f->element[e], s->a);
    const yoke_mesh_paint paint = { .title = title,
                                    .potential = potential,
                                    .density = density,
                                    .label = "|B| in T" };
    YK_GO(yoke_mesh_draw(mesh, path, &paint, err));
done:
    YK_FREE(potential, density);
    return status;
}
