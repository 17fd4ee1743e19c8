/* yoke/file.h -- system files: subsystems, couplings and run options as text.
 *
 *     yoke: 1
 *     name: two bodies
 *     run: {stop: 10 s, rtol: 1e-6}
 *     subsystems:
 *       left:  {model: bodies.mo, class: Left, parameters: {m: 2.0}}
 *       right: {model: bodies.mo, class: Right, stepper: trapezoidal,
 *               step: 1 ms}
 *     couplings:
 *       - signal: right.force = -left.spring_force
 *
 * docs/manual/system-file.md is the reference.
 */
#ifndef YOKE_FILE_H
#define YOKE_FILE_H

#include "yoke/result.h"
#include "yoke/run.h"

YOKE_BEGIN_C

/* "left.m" = "3": replaces a parameter of a subsystem, from the command line.
 */
typedef struct yoke_setting {
    const char *name, *value;
} yoke_setting;

/* A subsystem that another process has: nothing of it is read here, and only its
 * ports are known. */
typedef struct yoke_file_absent {
    const char *name; /* NULL: it is here */
    int m, p;
    const char *const *u_name, *const *y_name; /* inputs, outputs */
} yoke_file_absent;

typedef struct yoke_file_options {
    int settings;
    const yoke_setting *setting;
    const char *compiler, *cache, *scratch; /* for equation models:
                                               yoke/equation.h */
    int most_elements;   /* of equation models: the same; 0: usual */
    const char *variant; /* of an SSP package; NULL: SystemStructure.ssd */
    bool trust;          /* .geo files may run programs: yoke_mesh_read */
    bool look;           /* do not load plug-ins, unless trusted: refuse them */
    int absents;         /* of subsystems, in their order in the graph */
    const yoke_file_absent *absent; /* those of netlists are read anyway */
    bool added; /* it may have no subsystem: the caller adds them */
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

/* The number of a setting `name`, as the file would take it, in SI units: with a
 * unit, "4.7 kOhm"; an element's of a netlist with a suffix, "4.7k". */
YOKE_API yoke_status yoke_file_number(const yoke_file *file, const char *name,
                                      const char *text, double *value,
                                      yoke_err *err);

/* File i that the system was read from, or NULL at the end of the list; one may
 * occur twice. */
YOKE_API const char *yoke_file_source_at(const yoke_file *file, int i);

/* Refuses a system with inputs or ports that nothing is connected to, each told
 * with its place in the file. */
YOKE_API yoke_status yoke_file_connected(const yoke_file *file, yoke_err *err);

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

/* ---- Inputs and outputs of the whole system ------------------------------ */

typedef struct yoke_file_input {
    const char *name;
    const char *unit; /* NULL: none is declared */
    double start;     /* in that unit */
} yoke_file_input;

/* Input i of the section `inputs`, or false at the end of the list. */
YOKE_API bool yoke_file_input_at(const yoke_file *file, int i,
                                 yoke_file_input *out);

/* From t on input i goes on with this value and these derivatives, `count` in
 * all, 1 to 4.  Between two calls of yoke_run_advance, with the time reached. */
YOKE_API yoke_status yoke_file_set_input(yoke_file *file, int i, double t,
                                         int count, const double *derivative,
                                         yoke_err *err);

/* All inputs have their start values, from t on and before. */
YOKE_API void yoke_file_rewind_inputs(yoke_file *file, double t);

/* The section `outputs`: names with a blank between two, "*" stands for any
 * text; "": there is none. */
YOKE_API const char *yoke_file_outputs(const yoke_file *file);

/* Warning i of the reader, "file:line: ...", or NULL at the end of the list. */
YOKE_API const char *yoke_file_warning(const yoke_file *file, int i);

/* Line i of what a file of another tool says of itself, or NULL at the end. */
YOKE_API const char *yoke_file_note(const yoke_file *file, int i);

/* The options of the run that an equation model itself gives, by its
 * experiment, with file and line; NULL: it was a system file. */
YOKE_API const char *yoke_file_told(const yoke_file *file);

/* One more thing to measure of a run, besides the section `measure`: a name and
 * a text such as "max(motor.u*motor.i, from=1 ms)"; before the run.  The values
 * are those of yoke_file_measured (yoke/netlist.h). */
YOKE_API yoke_status yoke_file_add_measure(yoke_file *file, const char *name,
                                           const char *text, yoke_err *err);

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

/* ---- Components ------------------------------------------------------------
 */

typedef struct yoke_component_info {
    const char *source; /* the key of a subsystem that asks for it */
    const char *name;   /* with "component": its value; otherwise NULL */
    const char *text;   /* what it is */
} yoke_component_info;

typedef struct yoke_component_key {
    const char *name;
    char kind[64]; /* "number in V, needed" */
    const char *text;
} yoke_component_key;

/* Component i and its key k, or false at the end of the list. */
YOKE_API bool yoke_component_at(int i, yoke_component_info *out);
YOKE_API bool yoke_component_key_at(int i, int k, yoke_component_key *out);

YOKE_END_C

#endif
