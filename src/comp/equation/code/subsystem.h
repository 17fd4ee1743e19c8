/* comp/equation/code/subsystem.h -- a compiled model as a yoke_system. */
#ifndef YK_SUBSYSTEM_H
#define YK_SUBSYSTEM_H

#include "comp/equation/code/layout.h"
#include "comp/equation/events/instants.h"
#include "yoke/event.h"

typedef struct yk_native yk_native;         /* code_c.h */
typedef struct yk_eq_initial yk_eq_initial; /* structure/initial.h */

typedef struct yk_subsystem {
    yk_model model; /* its flat model is gone once this is built */
    yk_layout layout;
    char *note;        /* warnings of the compiler, or NULL */
    yk_code *f, *j;    /* of each block; j has one result per entry */
    double *workspace; /* registers of the interpreter */
    double *w, *J;     /* values; Jacobian with one more place */
    double *near_w, *near_J, *near_f; /* the same beside a corner */
    int runs;                         /* x[from ...] goes to w[to ...] */
    int (*run)[3];                    /* from, to, length */
    bool direct;       /* w is x: no inputs, aliases, tables or constants */
    bool is_ode;       /* q = x: has `rhs` */
    yk_native *native; /* NULL: interpreted */
    yk_whens *events;  /* NULL: none */
    bool *given;       /* n: what an event gave a value */
    yk_instants instants;
    yk_eq_initial *initial; /* NULL: x0 are the initial values, whatever the
                               inputs are */
} yk_subsystem;

/* Takes the parts of a reduced model (*model is then empty), also on failure.
 */
yoke_status yk_subsystem_create(yk_subsystem **out, yk_model *model,
                                yoke_err *err);
void yk_subsystem_free(void *self); /* accepts NULL */

/* f[rows of blocks], from w. */
void yk_subsystem_f(yk_subsystem *s, double t, const double *w, double *f);
/* J = [G | Gu | one more], from w. */
void yk_subsystem_j(yk_subsystem *s, double t, const double *w, double *J);

/* x are the consistent initial values at t with the inputs u (NULL: zero):
 * states are chosen there. */
void yk_subsystem_anchor(yk_subsystem *s, double t, const double *x,
                         const double *u);

/* Callbacks, number of events, first when-equations, then charts, and bytes of
 * memory. */
const yoke_system_ops *yk_subsystem_operations(const yk_subsystem *s);
extern const yoke_event_ops yk_subsystem_event_ops; /* if it has events */
extern const yoke_help_ops yk_subsystem_help_ops;
int yk_subsystem_events(const yk_subsystem *s);
size_t yk_subsystem_memory(const yk_subsystem *s);

/* structure/initial*.c: the equations of the initial values; takes a copy of
 * the name. */
yoke_status yk_eq_initial_create(yk_eq_initial **out, yk_subsystem *s,
                                 const char *name, yoke_err *err);
void yk_eq_initial_free(yk_eq_initial *initial); /* accepts NULL */

/* x[n] that satisfies the algebraic and the initial equations at t = 0 with the
 * inputs at their start values.  If that fails, with inputs or without initial
 * equations, x are the start values and `note` says why. */
yoke_status yk_eq_initial_alone(yk_eq_initial *initial, double *x, char *note,
                                size_t note_size, yoke_err *err);

/* Do initial values depend on inputs, or on the time of the start? */
yoke_status yk_eq_initial_depends(const yk_eq_initial *initial, bool *depends,
                                  yoke_err *err);
extern const yoke_initial_ops yk_subsystem_initial_ops;

#endif
