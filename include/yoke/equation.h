/* yoke/equation.h -- equation models: flat Modelica becomes a subsystem.
 *
 * Plain hand-written `model ... end` and Base Modelica (`//! base`, package
 * wrapper, quoted identifiers) are read.  What is not supported is refused by
 * name with file and line.
 */
#ifndef YOKE_EQUATION_H
#define YOKE_EQUATION_H

#include "yoke/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct yoke_parameter {
    const char *name; /* "m", "k[2]" */
    double value;
} yoke_parameter;

typedef struct yoke_equation_options {
    const char *model; /* name of the model in the file; NULL: the only one, or
                          the last */
    int parameters;    /* values that replace those in the file */
    const yoke_parameter *parameter;
    const char *compiler; /* command of a C compiler, "cc"; NULL: interpret */
    const char *cache;    /* folder for compiled code; NULL: a temporary one */
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

#ifdef __cplusplus
}
#endif

#endif
