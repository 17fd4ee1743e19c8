/* comp/mesh/mesh_groups.c -- physical groups and, in version 4, the entities
 * that belong to them. */
#include "comp/mesh/mesh.h"

#include <stdio.h>

static yk_mesh_group *find(int count, yk_mesh_group *list, int dim, int tag)
{
    for (int k = count - 1; k >= 0; k--)
        if (list[k].dim == dim && list[k].tag == tag) return &list[k];
    return NULL;
}

static yoke_status add_group(yk_mesh_reader *r, int dim, int tag,
                             yk_mesh_group **out, yoke_err *err)
{
    YK_TRY(YK_GROW(&r->group, &r->group_room, r->groups + 1, err));
    *out = &r->group[r->groups++];
    **out = (yk_mesh_group){ .dim = dim, .tag = tag, .number = -1 };
    return YOKE_OK;
}

yoke_status yk_mesh_names(yk_mesh_reader *r, yoke_err *err)
{
    int count = 0;

    YK_TRY(yk_mesh_count(r, "the number of physical groups", 7, &count, err));
    for (int k = 0; k < count; k++) {
        yk_mesh_group *g = NULL;
        int dim = 0, tag = 0;
        YK_TRY(yk_mesh_int(r, "a dimension", &dim, err));
        YK_TRY(yk_mesh_int(r, "a number", &tag, err));
        if (dim < 0 || dim >= YK_MESH_DIMS)
            return yk_mesh_refuse(r, err, "%d is not a dimension", dim);
        if (find(r->groups, r->group, dim, tag))
            return yk_mesh_refuse(
                r, err, "physical group %d of dimension %d occurs twice", tag,
                dim);
        YK_TRY(add_group(r, dim, tag, &g, err));
        YK_TRY(yk_mesh_quoted(r, &g->name, err));
    }
    return YOKE_OK;
}

static yoke_status read_entity(yk_mesh_reader *r, int dim, yoke_err *err)
{
    yk_mesh_group e = { .dim = dim };
    const int numbers = dim == 0 ? 3 : 6;
    int count = 0, tag = 0;
    double x = 0.0;

    YK_TRY(yk_mesh_int(r, "the number of an entity", &e.tag, err));
    for (int k = 0; k < numbers; k++)
        YK_TRY(yk_mesh_double(r, "a coordinate", &x, err));
    YK_TRY(yk_mesh_count(r, "a number of physical groups", 2, &count, err));
    for (int k = 0; k < count; k++) {
        YK_TRY(yk_mesh_int(r, "a physical group", &tag, err));
        if (k == 0) e.group = tag;
    }
    if (dim == 2 && count > 1)
        return yk_mesh_refuse(r, err,
                              "surface %d belongs to %d physical groups; a "
                              "region belongs to one",
                              e.tag, count);
    if (dim > 0) YK_TRY(yk_mesh_count(r, "a number of bounds", 2, &count, err));
    for (int k = 0; dim > 0 && k < count; k++)
        YK_TRY(yk_mesh_int(r, "a bound", &tag, err));
    YK_TRY(YK_GROW(&r->entity, &r->entity_room, r->entities + 1, err));
    r->entity[r->entities++] = e;
    return YOKE_OK;
}

yoke_status yk_mesh_entities(yk_mesh_reader *r, yoke_err *err)
{
    int count[YK_MESH_DIMS];

    for (int dim = 0; dim < YK_MESH_DIMS; dim++)
        YK_TRY(yk_mesh_count(r, "a number of entities", 10, &count[dim], err));
    for (int dim = 0; dim < YK_MESH_DIMS; dim++)
        for (int k = 0; k < count[dim]; k++) YK_TRY(read_entity(r, dim, err));
    return YOKE_OK;
}

yoke_status yk_mesh_entity(yk_mesh_reader *r, int dim, int tag, int *group,
                           yoke_err *err)
{
    const yk_mesh_group *e = find(r->entities, r->entity, dim, tag);

    if (!e)
        return yk_mesh_refuse(r, err, "there is no entity %d of dimension %d",
                              tag, dim);
    *group = e->group;
    return YOKE_OK;
}

static yoke_status add_name(char ***list, int *count, const yk_mesh_group *g,
                            yoke_err *err)
{
    char number[16];
    char **longer = NULL;

    snprintf(number, sizeof number, "%d", g->tag);
    YK_TRY(YK_NEW(&longer, *count + 1, err));
    for (int k = 0; k < *count; k++) longer[k] = (*list)[k];
    yk_free(*list);
    *list = longer;
    YK_TRY(yk_copy_text(&longer[*count], g->name ? g->name : number, err));
    ++*count;
    return YOKE_OK;
}

yoke_status yk_mesh_number(yk_mesh_reader *r, int dim, int tag, int *number,
                           yoke_err *err)
{
    yk_mesh_group *g = find(r->groups, r->group, dim, tag);
    yoke_mesh *mesh = r->mesh;

    if (!g) YK_TRY(add_group(r, dim, tag, &g, err));
    if (g->number < 0 && dim == 2) {
        YK_TRY(add_name(&mesh->region, &mesh->regions, g, err));
        g->number = mesh->regions - 1;
    } else if (g->number < 0) {
        YK_TRY(add_name(&mesh->line, &mesh->lines, g, err));
        g->number = mesh->lines - 1;
    }
    *number = g->number;
    return YOKE_OK;
}
