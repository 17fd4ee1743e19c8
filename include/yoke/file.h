/* yoke/file.h -- system files: subsystems, couplings and run options as text.
 *
 *     yoke: 1
 *     name: two bodies
 *     run: {stop: 10 s, rtol: 1e-6}
 *     subsystems:
 *       left:  {model: bodies.mo, class: Left, parameters: {m: 2.0}}
 *       right: {model: bodies.mo, class: Right, stepper: trapezoidal, step: 1
 * ms} couplings:
 *       - signal: right.force = -left.spring_force
 *
 * docs/manual/system-file.md is the reference.
 */
#ifndef YOKE_FILE_H
#define YOKE_FILE_H

#include "yoke/result.h"
#include "yoke/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "left.m" = "3": replaces a parameter of a subsystem, from the command line.
 */
typedef struct yoke_setting {
    const char *name, *value;
} yoke_setting;

typedef struct yoke_file_options {
    int settings;
    const yoke_setting *setting;
    const char *compiler, *cache, *scratch; /* for equation models:
                                               yoke/equation.h */
    int most_elements; /* of equation models: the same; 0: usual */
    bool trust;        /* .geo files may run programs: yoke_mesh_read_trusted */
} yoke_file_options;

/* A system read from a file; owns the model. */
typedef struct yoke_file yoke_file;

/* Every message begins with file:line:column. */
YOKE_API yoke_status yoke_file_read(yoke_file **out, const char *path,
                                    const yoke_file_options *options,
                                    yoke_err *err);

/* The same from memory; models are looked for beside `path`. */
YOKE_API yoke_status yoke_file_parse(yoke_file **out, const char *path,
                                     const char *text, size_t length,
                                     const yoke_file_options *options,
                                     yoke_err *err);
YOKE_API void yoke_file_free(yoke_file *file); /* accepts NULL */

YOKE_API yoke_model *yoke_file_model(yoke_file *file);

/* Refuses result files (a line for each, as options.output) that are one of the
 * files the system was read from, under whatever name; also those that are
 * written beside them. */
YOKE_API yoke_status yoke_file_check_output(const yoke_file *file,
                                            const char *output, yoke_err *err);

/* Run options: the defaults with what the file says. */
YOKE_API const yoke_run_options *yoke_file_run_options(const yoke_file *file);
YOKE_API const char *yoke_file_name(const yoke_file *file);

/* What was done to make subsystem i (compilation, index reduction), or NULL at
 * the end of the list. */
YOKE_API const char *yoke_file_report(const yoke_file *file, int i);

/* Warning i of the reader, "file:line: ...", or NULL at the end of the list. */
YOKE_API const char *yoke_file_warning(const yoke_file *file, int i);

/* ---- What the file contains; everything is borrowed from it -------------- */

/* Where a value comes from. */
typedef enum yoke_origin {
    YOKE_FROM_DEFAULT, /* of the program, or of the equation model */
    YOKE_FROM_FILE,
    YOKE_FROM_COMMAND /* --set */
} yoke_origin;

typedef struct yoke_file_parameter {
    const char *name;
    const char *text; /* as written */
    double value;     /* if has_value: those of included systems are read there
                       */
    bool has_value;
    yoke_origin origin;
    int line; /* 0: command line */
} yoke_file_parameter;

typedef struct yoke_file_subsystem {
    const char *name;
    const char *source;     /* "model", "linear", "system", "component" or
                               "netlist" */
    const char *path;       /* file of a model, system or netlist, or NULL */
    const char *class_name; /* NULL: not given */
    yoke_stepper_options stepper;
    int parameters; /* those that the file or the command line gives */
    const yoke_file_parameter *parameter;
    const char *report;    /* yoke_file_report */
    bool compiled;         /* a model: native code, otherwise interpreted */
    const char *code_text; /* why it is interpreted or not kept, or NULL */
} yoke_file_subsystem;

/* Subsystem i, or false at the end of the list. */
YOKE_API bool yoke_file_subsystem_at(const yoke_file *file, int i,
                                     yoke_file_subsystem *out);

/* A coupling as written: texts under the keys of the file.  Several texts of a
 * list have the same key, the ports of `connect` the key "ports". */
typedef struct yoke_file_coupling {
    const char *kind; /* "signal", "constraint" or "connect" */
    const char *name; /* NULL: a signal */
    int line, texts;
    const char *const *key, *const *text;
} yoke_file_coupling;

YOKE_API bool yoke_file_coupling_at(const yoke_file *file, int i,
                                    yoke_file_coupling *out);

/* Who set option i of yoke_run_list; *line, which may be NULL, is that in the
 * file or 0. */
YOKE_API yoke_origin yoke_file_option_origin(const yoke_file *file, int i,
                                             int *line);

/* ---- What a netlist contains ----------------------------------------------
 */

typedef struct yoke_netlist_info {
    const char *title;
    int nodes, elements, models; /* ground included */
    int instances;               /* of subcircuits */
    int measures;
    int kind[26]; /* elements of each kind: kind['r' - 'a'] resistors */
    int unknowns, cells, parts;
    int cuts;              /* elements between parts */
    double rate;           /* per sweep, predicted; NAN: not known */
    const char *partition; /* how and why it was cut; NULL: nothing was asked */
} yoke_netlist_info;

/* False: the file is no netlist. */
YOKE_API bool yoke_file_netlist(const yoke_file *file, yoke_netlist_info *out);

/* Model i, or false at the end of the list. */
YOKE_API bool yoke_file_netlist_model(const yoke_file *file, int i,
                                      const char **name, const char **type);

/* Part i of the circuit, in the order in which parts are solved, or false at
 * the end of the list. */
typedef struct yoke_netlist_part {
    const char *name;
    int unknowns; /* its own */
    int copies;   /* of neighbours that it solves too */
} yoke_netlist_part;

YOKE_API bool yoke_file_netlist_part(const yoke_file *file, int i,
                                     yoke_netlist_part *out);

/* Element i that is cut, or false at the end of the list. */
typedef struct yoke_netlist_cut {
    const char *element, *path;
    int line;
    const char *kind;    /* "voltage": both sides read the voltage of the other;
                            "current": one owns the current, the other reads it;
                            "delay": a line between them */
    const char *part[2]; /* two of the parts that it lies between */
    const char *owner;   /* of the current, or NULL */
} yoke_netlist_cut;

YOKE_API bool yoke_file_netlist_cut(const yoke_file *file, int i,
                                    yoke_netlist_cut *out);

/* Remark i about the structure of the circuit ("file:line: ...": loops and
 * cutsets that raise the index, values that are not positive), or NULL at the
 * end of the list. */
YOKE_API const char *yoke_file_finding(const yoke_file *file, int i);

/* Adds to the message of a failed run what is known about the unknown that it
 * names: the elements at a node of a netlist, with their lines. */
YOKE_API void yoke_file_explain(const yoke_file *file, yoke_err *err);

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

/* ---- .measure of a netlist ----------------------------------------------- */

typedef struct yoke_measured {
    const char *analysis, *name;
    double value;     /* NAN: there is none */
    const char *text; /* why, with file:line; "" where there is a value */
} yoke_measured;

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

#ifdef __cplusplus
}
#endif

#endif
