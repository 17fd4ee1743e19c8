/* comp/fmu/ssp/out.h -- a system on its way into a package. */
#ifndef YK_SSP_OUT_H
#define YK_SSP_OUT_H

#include "base/arena.h"
#include "comp/fmu/engine.h"
#include "comp/fmu/ssp/write.h"
#include "file/reader.h"

/* input = factor * output + offset of an FMU. */
typedef struct yk_ssp_signal {
    int links; /* that feed it, without the constant one */
    int from, output;
    double factor, offset;
    bool constant;
} yk_ssp_signal;

/* A component, or a system with connectors and connections. */
typedef struct yk_ssp_box yk_ssp_box;

typedef struct yk_ssp_out {
    int version; /* 1 or 2 */
    yoke_model *model;
    const yoke_graph *graph;
    int nodes;              /* that are FMUs: the first of the graph */
    yk_ssp_signal **signal; /* of each input of each */
    const char **resource;  /* of each: its file in the package */
    int units;
    size_t unit_room;
    const yk_fmu_unit **unit;
    yk_arena arena;
    yk_ssp_box *root, **leaf; /* of each node */
    yk_text xml;
    yk_list packed; /* files that are removed at the end */
} yk_ssp_out;

/* Refuses what SSP cannot say. */
yoke_status yk_ssp_out_create(yk_ssp_out *o, yoke_file *file, yoke_err *err);
void yk_ssp_out_clear(yk_ssp_out *o);

/* Is the input constant, with nothing that feeds it? */
bool yk_ssp_out_constant(const yk_ssp_out *o, int node, int input,
                         double *value);

/* Lists a unit of an FMU; false if nobody says what it is, or if another one
 * has its name. */
bool yk_ssp_out_unit(yk_ssp_out *o, const yk_fmu_description *d,
                     const char *name);

/* systems.c: the tree of systems, and its text. */
yoke_status yk_ssp_make_boxes(yk_ssp_out *o, yoke_err *err);
yoke_status yk_ssp_put_systems(yk_ssp_out *o, const char *name, yoke_err *err);

/* write.c */
yoke_status yk_ssp_put_component(yk_ssp_out *o, int node, const char *name,
                                 yoke_err *err);
yoke_status yk_ssp_attribute(yk_text *b, const char *name, const char *value,
                             yoke_err *err);

#endif
