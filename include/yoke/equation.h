/* yoke/equation.h -- equation models: flat Modelica becomes a subsystem.
 *
 * Plain hand-written `model ... end` and Base Modelica (`//! base`, package
 * wrapper, quoted identifiers) are read.  What is not supported is refused by
 * name with file and line.
 */
#ifndef YOKE_EQUATION_H
#define YOKE_EQUATION_H

#include "yoke/system.h"

YOKE_BEGIN_C

typedef struct yoke_parameter {
    const char *name; /* "m", "k[2]" */
    double value;
} yoke_parameter;

typedef struct yoke_equation_options {
    const char *model; /* name of the model in the file; NULL: the only one, or
                          the last */
    int parameters;    /* values that replace those in the file */
    const yoke_parameter *parameter;
    int *refused; /* NULL, or where the number of a parameter goes that the
                     model does not have, or that cannot be replaced */
    const char *compiler; /* command of a C compiler, "cc"; NULL: interpret */
    const char *cache;   /* folder in which compiled code is kept; made with its
                            parents, used only if it belongs to this user and
                            nobody else may write there; NULL: it is not kept */
    const char *scratch; /* folder for temporary ones; NULL: /tmp */
    int most_elements;   /* of all arrays together, of equations, and values of
                            a loop; 0: 1000000, at most 1e8 */
    double start;        /* the time at which the run begins, for parameters
                            that initial equations set to `time`; a run that
                            begins elsewhere is refused by such a model */
} yoke_equation_options;

/* What the compiler did, for `yoke check` and `yoke info`. */
typedef struct yoke_equation_report {
    int equations, unknowns; /* scalar, as written */
    int eliminated;          /* aliases a = b, a = -b */
    int index;               /* structural index before reduction */
    int differentiated;      /* equations differentiated to reduce it */
    int dummies;             /* derivatives that became algebraic */
    int states;              /* differential unknowns that remain */
    bool compiled;           /* native code; otherwise interpreted */
    bool cached;             /* native code found from an earlier time */
    double read_seconds, structure_seconds, code_seconds;
    char text[YOKE_ERR_SIZE]; /* the reduction in words */
    char code_text[600]; /* why the code is interpreted, or not kept; or "" */
} yoke_equation_report;

/* Reads `path`; `report` may be NULL.  `name` is that of the subsystem. */
YOKE_API yoke_status yoke_equation_read(yoke_system **out, const char *name,
                                        const char *path,
                                        const yoke_equation_options *options,
                                        yoke_equation_report *report,
                                        yoke_err *err);

/* The same from memory; `path` is used in messages. */
YOKE_API yoke_status yoke_equation_parse(yoke_system **out, const char *name,
                                         const char *path, const char *text,
                                         size_t length,
                                         const yoke_equation_options *options,
                                         yoke_equation_report *report,
                                         yoke_err *err);

/* ---- What is in a file, for `yoke info` ---------------------------------- */

typedef enum yoke_equation_role {
    YOKE_ROLE_PARAMETER,
    YOKE_ROLE_CONSTANT,
    YOKE_ROLE_INPUT,
    YOKE_ROLE_OUTPUT,
    YOKE_ROLE_VARIABLE
} yoke_equation_role;

typedef struct yoke_equation_symbol {
    const char *name; /* without subscripts */
    const char *unit; /* "" if there is none */
    const char *text; /* description, "" if there is none */
    yoke_equation_role role;
    bool is_flow;  /* of a physical port */
    bool is_final; /* a parameter that cannot be replaced */
    bool is_given; /* a parameter: options->parameter has a value for it */
    int line;
    int dims, size[4], count; /* dims = 0: a scalar */
    const double *value; /* parameters and constants: count; NULL: not known */
} yoke_equation_symbol;

typedef struct yoke_equation_class {
    const char *name, *kind; /* "model", "function", "connector", ... */
    int line;
} yoke_equation_class;

/* About the model that `options` choose; everything belongs to it. */
typedef struct yoke_equation_facts {
    const char *model; /* NULL: the file has none; see `problem` */
    int classes, symbols, tables;
    const yoke_equation_class *class_;  /* of the file */
    const yoke_equation_symbol *symbol; /* of the model */
    const char *const *table;           /* names of interpolated arrays */
    int state_events, time_events;
    yoke_system *system; /* NULL: the model is not complete, see `problem` */
    yoke_equation_report report;
    yoke_err problem;
} yoke_equation_facts;

/* A model that cannot be compiled is described as far as it is understood, with
 * the reason in `problem`; a file that cannot be read or parsed is a failure.
 */
YOKE_API yoke_status yoke_equation_inspect(yoke_equation_facts **out,
                                           const char *path,
                                           const yoke_equation_options *options,
                                           yoke_err *err);
YOKE_API void yoke_equation_facts_free(yoke_equation_facts *facts); /* or NULL
                                                                     */

YOKE_END_C

#endif
