/* yoke/netlist.h -- what a system file that is a netlist has besides: its
 * parts, remarks, analyses and measures (docs/manual/netlists.md). */
#ifndef YOKE_NETLIST_H
#define YOKE_NETLIST_H

#include "yoke/file.h"

YOKE_BEGIN_C

/* ---- What a netlist contains ----------------------------------------------
 */

/* A part of the circuit. */
typedef struct yoke_netlist_part {
    const char *name;
    int unknowns; /* its own */
    int copies;   /* of neighbours that it solves too */
} yoke_netlist_part;

/* An element that is cut. */
typedef struct yoke_netlist_cut {
    const char *element, *path;
    int line;
    const char *kind;    /* "voltage": both sides read the voltage of the other;
                            "current": one owns the current, the other reads it;
                            "delay": a line between them */
    const char *part[2]; /* two of the parts that it lies between */
    const char *owner;   /* of the current, or NULL */
} yoke_netlist_cut;

/* All that is pointed to is borrowed from the file. */
typedef struct yoke_netlist_info {
    const char *title;
    int nodes, elements, models; /* ground included */
    int instances;               /* of subcircuits */
    int measures;
    int kind[26]; /* elements of each kind: kind['r' - 'a'] resistors */
    int shunts; /* that no line has, at nodes without charge (cshunt, rshunt) */
    int unknowns, cells, parts, cuts, findings;
    const yoke_netlist_part *part; /* in the order in which they are solved */
    const yoke_netlist_cut *cut;   /* elements between parts */
    const char *const *finding;    /* remarks about the structure, "file:line:
                                      ...": loops and cutsets that raise the
                                      index, values that are not positive */
    double rate;                   /* per sweep, predicted; NAN: not known */
    const char *partition; /* how and why it was cut; NULL: nothing was asked */
} yoke_netlist_info;

/* False: the file is no netlist. */
YOKE_API bool yoke_file_netlist(const yoke_file *file, yoke_netlist_info *out);

/* Model i, or false at the end of the list. */
YOKE_API bool yoke_file_netlist_model(const yoke_file *file, int i,
                                      const char **name, const char **type);

/* ---- Analyses of a netlist besides its .tran ------------------------------
 */

/* False: a netlist without .tran, which has no run. */
YOKE_API bool yoke_file_has_run(const yoke_file *file);

typedef struct yoke_analysis {
    const char *kind; /* "op", "dc" or "ac" */
    const char *path; /* where it is asked for */
    int line;
} yoke_analysis;

/* Analysis i, or false at the end of the list. */
YOKE_API bool yoke_file_analysis_at(const yoke_file *file, int i,
                                    yoke_analysis *out);

/* Does it: a row per point, all voltages of nodes and currents of branches;
 * those of "ac" are pairs of columns re(v(a)), im(v(a)).  Free with
 * yoke_table_free. */
YOKE_API yoke_status yoke_file_analyse(yoke_file *file, int i, yoke_table **out,
                                       yoke_err *err);

/* ---- .measure of a netlist, `measure` of a system file ----------------------------------------------- */

typedef struct yoke_measured {
    const char *analysis, *name;
    double value;     /* NAN: there is none */
    const char *text; /* why, with file:line; "" where there is a value */
} yoke_measured;

/* After yoke_run_create: refuses what is not understood, and variables that the
 * run does not record. */
YOKE_API yoke_status yoke_file_measure_begin(yoke_file *file, yoke_run *run,
                                             yoke_err *err);

/* Keeps what .measure tran needs of the last accepted window; for the watcher's
 * `window`. */
YOKE_API yoke_status yoke_file_measure_window(yoke_file *file, yoke_run *run,
                                              yoke_err *err);

/* Evaluates .measure tran after the last window.  Those of dc and ac are
 * evaluated by yoke_file_analyse. */
YOKE_API yoke_status yoke_file_measure(yoke_file *file, yoke_err *err);

/* Measure i, or false at the end of the list.  Borrowed from the file. */
YOKE_API bool yoke_file_measured(const yoke_file *file, int i,
                                 yoke_measured *out);

YOKE_END_C

#endif
