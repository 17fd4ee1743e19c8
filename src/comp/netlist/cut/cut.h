/* comp/netlist/cut/cut.h -- how a netlist is cut into the subsystems of a
 * model. */
#ifndef YK_FILE_CUT_H
#define YK_FILE_CUT_H

#include "comp/netlist/cut/partition.h"
#include "comp/netlist/system/system.h"

/* An element that a line `* yoke: cut` names. */
typedef struct yk_seam_wish {
    int element; /* whose seam it is: of a resistor cut by its current the
                    source that was put in */
    const char *name;
    yk_net_place at;
    bool open; /* which side owns the current is left to Yoke */
} yk_seam_wish;

/* What the `* yoke:` lines say. */
typedef struct yk_file_hints {
    yk_partition_options o;
    bool latent;
    const char *method; /* of the steppers; NULL: the default */
    double step;        /* its fixed step; 0: as long as rows are apart */
    yk_net_place method_at;
    int wishes;
    yk_seam_wish *wish;
    yk_seam *seam;     /* of each element: what `o` points to */
    double span;       /* s, of the run; 0: there is none */
    bool uic;          /* of the run */
    const char *asked; /* the partition in the words of the netlist */
    yk_net_place at;   /* of the line that asked for it */
} yk_file_hints;

/* comp/netlist/cut/hints.c: refuses what it does not know with file and line;
 * elements that are cut by their currents get a source in front of them. */
yoke_status yk_file_take_hints(yk_netlist *net, const yk_net_task *tran,
                               yk_file_hints *out, yoke_err *err);
/* When driven nodes are known: refuses cuts at nodes that are no unknowns. */
yoke_status yk_file_check_seams(const yk_circuit *c, const yk_file_hints *hints,
                                yoke_err *err);
/* Nodes that were put in get the voltages of those that they were split from.
 */
void yk_file_bridge(const yk_netlist *net, const yk_file_hints *hints,
                    double *voltage);

/* comp/netlist/cut/choose.c: cuts the circuit, predicts how the parts contract,
 * changes what can be changed, and adds the parts to the model of the file,
 * which keeps what `yoke info` tells. */
yoke_status yk_file_cut(yoke_file *file, yk_circuit *c, const double *start,
                        yk_file_hints *hints, const yoke_stepper_options *how,
                        yoke_err *err);

/* comp/netlist/system/model.c: the parts as subsystems of a model, and the
 * signals between them, those of lines too. */
yoke_status yk_file_add_parts(yoke_model *model, yk_circuit *c,
                              const yk_partition *cut, const double *start,
                              const yoke_stepper_options *how, bool uic,
                              yoke_err *err);

#endif
