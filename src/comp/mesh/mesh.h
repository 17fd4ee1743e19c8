/* comp/mesh/mesh.h -- a mesh while it is read. */
#ifndef YK_MESH_H
#define YK_MESH_H

#include "base/base.h"
#include "yoke/mesh.h"

/* yoke_mesh_read from the text of a .msh file; `path` is for messages. */
yoke_status yk_mesh_parse(yoke_mesh **out, const char *path, const char *text,
                          size_t length, yoke_err *err);

/* Points, curves, surfaces and volumes. */
enum { YK_MESH_DIMS = 4 };

/* A physical group of the file, or an entity with the group it belongs to. */
typedef struct yk_mesh_group {
    int dim, tag, group; /* group: tag of the physical one; 0: none */
    char *name;          /* NULL: none */
    int number;          /* among regions or lines; -1: not used so far */
} yk_mesh_group;

typedef struct yk_mesh_reader {
    const char *path, *at, *end;
    int at_line;
    double version;
    yoke_mesh *mesh;
    int groups, entities;
    size_t group_room, entity_room;
    yk_mesh_group *group, *entity;
    size_t triangle_room, edge_room;
    int *tag;     /* of each node */
    int *by_tag;  /* nodes, their tags increasing */
    int *node_at; /* lines of the nodes */
    int *edge_at;
    bool has_nodes, has_elements;
} yk_mesh_reader;

/* A message at the present line. */
yoke_status yk_mesh_refuse(const yk_mesh_reader *r, yoke_err *err,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* mesh_text.c: words and numbers; `what` is for messages.  A count is what is
 * left of the file at least `bytes` long for each. */
yoke_status yk_mesh_int(yk_mesh_reader *r, const char *what, int *value,
                        yoke_err *err);
yoke_status yk_mesh_count(yk_mesh_reader *r, const char *what, int bytes,
                          int *value, yoke_err *err);
yoke_status yk_mesh_double(yk_mesh_reader *r, const char *what, double *value,
                           yoke_err *err);
yoke_status yk_mesh_quoted(yk_mesh_reader *r, char **name, yoke_err *err);
/* The next word without taking it; its length, 0 at the end. */
size_t yk_mesh_peek(yk_mesh_reader *r, const char **word);
yoke_status yk_mesh_expect(yk_mesh_reader *r, const char *word, yoke_err *err);

/* mesh_groups.c: the groups that elements belong to. */
yoke_status yk_mesh_names(yk_mesh_reader *r, yoke_err *err);
yoke_status yk_mesh_entities(yk_mesh_reader *r, yoke_err *err);
/* Number of the region (dim 2) or line (dim 1) with that tag. */
yoke_status yk_mesh_number(yk_mesh_reader *r, int dim, int tag, int *number,
                           yoke_err *err);
/* The physical tag of an entity; 0: none. */
yoke_status yk_mesh_entity(yk_mesh_reader *r, int dim, int tag, int *group,
                           yoke_err *err);

/* mesh_check.c: is it a mesh?  Turns clockwise regions. */
yoke_status yk_mesh_check(yk_mesh_reader *r, yoke_err *err);

/* mesh_geo.c: the .msh file that `gmsh` makes of a .geo file, as a new file;
 * the caller removes it with yk_mesh_geo_remove.  Unless `trust` gmsh reads
 * what comp/mesh/geo.h leaves of the file. */
typedef struct yk_mesh_made {
    char folder[64], geometry[80], mesh[80], message[80];
} yk_mesh_made;
yoke_status yk_mesh_geo_make(yk_mesh_made *made, const char *path, bool trust,
                             yoke_err *err);
void yk_mesh_geo_remove(const yk_mesh_made *made);

#endif
