/* file/functions.h -- formulas of a system file that callbacks evaluate.
 *
 * Formulas of outputs are evaluated with their branches held between events
 * (expr/hold.h), by native code where that pays.  What is held is the memory of
 * the system that evaluates them.
 */
#ifndef YK_FILE_FUNCTIONS_H
#define YK_FILE_FUNCTIONS_H

#include "base/arena.h"
#include "expr/hold.h"
#include "expr/native.h"
#include "file/formula.h"
#include "graph/constraint.h"
#include "sys/course.h"
#include "yoke/event.h"
#include "yoke/optional.h"

/* One of them as an expression of its own. */
typedef struct yk_held_function {
    yk_source_program program; /* with its branches held, if it has some */
    yk_held *held;             /* or NULL */
    int first;                 /* its first branch among all */
    double *arg;               /* held: the variables, and what is held */
} yk_held_function;

/* The file keeps them. */
typedef struct yk_functions {
    struct yk_functions *next;
    yk_formula formula;
    int count;
    int *root; /* of each function */
    double *y; /* parameters: values of the variables; NULL: they are inputs */
    double *rate; /* room for yk_expr_rates, or NULL */
    yk_breaks *breaks;
    bool straight; /* linear in time between the breakpoints */
    yk_course_list courses;

    /* After yk_functions_hold. */
    yk_arena arena;
    yk_held_function *function;
    int holds;
    double *held;                /* of each branch */
    const char *text;            /* for messages about events */
    double *work, *bar, *slope;  /* of the longest program */
    double *motion;              /* and twice as long */
    yk_compiled *compiled;       /* or NULL */
    yk_constraint_events events; /* as constraints have them */

    /* Of a computed signal: which value reads which variable, the slopes. */
    bool *reads;
    double *slopes;

    /* Along the path of a step (yoke_curves). */
    yk_jet *jet; /* of the longest program */
    int bends;   /* functions that may bend within a small part of the path */
    int *bend;
    int unknowns; /* of the system, which come before the variables */
    yoke_curves curves;
} yk_functions;

void yk_functions_free(yk_functions *list); /* all; accepts NULL */

/* After the last function: the parameters y, unless it is NULL, become numbers,
 * and the breakpoints are found.  Then callbacks may ask for them; `context` is
 * a yk_functions. */
yoke_status yk_functions_close(yk_functions *f, yoke_err *err);
double yk_functions_next_break(void *context, double t);
/* Their values, if they are of time alone. */
void yk_functions_now(void *context, double t, double *value);

/* Tells the functions of time in `f` and `more`, each of
 * which may be NULL, as courses of the system, and those of inputs in `f` as
 * its curves: after yk_functions_hold.  They are its outputs, or, if it has
 * unknowns, these are.  The second frees a system that
 * has just been made if it fails. */
yoke_status yk_functions_tell(yoke_system *system, yk_functions *f,
                              const yk_functions *more, yoke_err *err);
yoke_status yk_functions_told(yoke_system **made, yk_functions *f,
                              const yk_functions *more, yoke_err *err);

/* ---- functions of inputs --------------------------------------------------
 *
 * After yk_functions_close.  `events` false: nobody will ask for events, so no
 * branch is held.  `text`, copied: where they stand, for messages.  Compiled, if
 * `how` is not NULL and that pays for so many evaluations. */
yoke_status yk_functions_hold(yk_functions *f, bool events, const char *text,
                              const yk_native_options *how, double evaluations,
                              yoke_err *err);

/* g[count], and slope[count * variables], row by row, or NULL. */
void yk_functions_values(yk_functions *f, double t, const double *y, double *g,
                         double *slope);

/* g' and g'' along y + s rate: g[2 count]. */
void yk_functions_along(yk_functions *f, double t, const double *y,
                        const double *rate, double *g);

/* The `explain` of a system whose only equations are these as outputs. */
bool yk_functions_explain(void *self, yoke_question *question, char *text,
                          size_t size);

/* Which function contains which variable: reads[count * variables]. */
void yk_functions_reads(const yk_functions *f, bool *reads);

/* The events of a system whose `self` is a yk_functions, and its memory,
 * `events.memory_bytes`; its unknowns have nothing to do with them. */
extern const yoke_event_ops yk_functions_events;
void yk_functions_save(void *self, void *bytes);
void yk_functions_restore(void *self, const void *bytes);

#endif
