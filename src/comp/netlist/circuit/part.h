/* comp/netlist/circuit/part.h -- a part of a circuit, as part.c makes it and
 * part_eval.c evaluates it.
 *
 * All variables that a part knows are gathered in z: own unknowns, inputs
 * (foreign variables, values of elements, injected currents), voltages of
 * driven nodes, and zero for ground.  Rows are the own equations.
 */
#ifndef YK_PART_H
#define YK_PART_H

#include "comp/netlist/circuit/circuit.h"
#include "expr/breaks.h"
#include "sys/course.h"
#include "yoke/event.h"
#include "yoke/optional.h"

/* Constant coefficients: row i has start[i] .. start[i + 1] - 1. */
typedef struct yk_stamps {
    int *start, *slot;
    double *value;
} yk_stamps;

/* Where d row / d slot goes: place k of the Jacobian in x, -2 - k of that in u,
 * -1: nowhere. */
typedef int yk_goal;

typedef struct yk_part_device {
    const yk_device *device;
    int element;
    int row[YK_DEVICE_NODES], slot[YK_DEVICE_NODES]; /* row -1: not ours */
    double *b, *i, *q, *di, *dq; /* at the branch voltages b */
    double *held;                /* limited branch voltages of the operating
                                    point's iteration */
    yk_goal *g, *c;              /* [row * nodes + slot] */
    bool valid;
} yk_part_device;

typedef enum yk_law {
    YK_LAW_CURRENT,  /* value flows from the first row's node to the second's */
    YK_LAW_VOLTAGE,  /* the branch equation has - value */
    YK_LAW_RESISTOR, /* current (a - b) / value */
    YK_LAW_CAPACITOR, /* charge value (a - b) */
    YK_LAW_INDUCTOR   /* flux value i in the branch equation */
} yk_law;

/* An element whose value is a function of variables: a polynomial, an
 * expression, or an input. */
typedef struct yk_part_function {
    yk_law law;
    int element;
    const yk_net_expr *expr; /* NULL: a polynomial, or an input */
    int dimensions, coefs;
    const double *coef; /* NULL: an input */
    double factor;      /* of the value: the number of parallel elements */
    int vars;           /* arguments, behind them those of the law */
    int *plus, *minus;  /* slots; argument = z[plus] - z[minus] */
    int row[2];         /* second -1 where there is one row */
    double *arg, *slope, *work;
    yk_goal *goal; /* [(2 * var + end) * 2 + row] */

    bool integrates; /* charge or flux: the integral of the value */
    bool *known; /* arguments that are voltages of driven nodes; NULL: none */

    const yk_compiled *compiled; /* native code of the element, or NULL */
    const yk_held *held; /* branches that are held, or NULL; its variables are
                            in `arg`, */
    int first_hold;      /* what is held from here on in that of the part */
    double *open;        /* scratch: how far each argument may be off */
} yk_part_function;

typedef struct yk_part_source {
    const yk_stimulus *source;
    int row[2];
    double factor[2];
} yk_part_source;

typedef struct yk_part_switch {
    int element, row[2], slot[2];
    int plus, minus;     /* of the control; minus -1: a current in `plus` */
    double on, off;      /* conductances */
    double rises, falls; /* levels of the control */
    bool early;          /* hysteresis below 0: it acts where the control comes
                            between the levels, and not where it has passed */
    bool starts_closed;  /* "on": between the levels at the start */
    yk_goal goal[4];
} yk_part_switch;

typedef struct yk_part_driven {
    int slot, below; /* slots; below may be ground */
    double sign;
    const yk_stimulus *source;
} yk_part_driven;

struct yk_net_part {
    yk_circuit *circuit;
    yk_arena arena;
    int n, m, foreign, values, injections, drivens, ground;
    int rates;     /* of n: derivatives of foreign variables, the last ones */
    int *variable; /* own n, then foreign */
    double *z, *dz;
    yk_stamps g, c;
    double *G, *C, *Gu, *Cu; /* constant parts, in the order of the patterns */
    yoke_pattern *pattern_G, *pattern_C, *pattern_Gu, *pattern_Cu, *pattern_Hx;
    int devices, functions, sources, switches;
    yk_part_device *device;
    yk_part_function *function;
    yk_part_source *source;
    yk_part_switch *sw;
    yk_part_driven *driven;
    unsigned char *closed; /* of each switch: its memory, YK_SWITCH_ */
    int holds;             /* branches of functions that are held */
    double *held;          /* what they hold: their memory */
    int *hold_function;    /* of each: the function that has it */
    bool holding;          /* in steps; not in operating points */
    int *injected;         /* rows */
    int outputs, *output;  /* slots */
    int *diagonal;         /* of nodes: their places in G; -1: no node */

    /* Of a part that tells its cells. */
    const char *name;
    int *unknown_of;      /* of each variable of the circuit */
    double *start;        /* values of all variables */
    yk_part_value *value; /* inputs, ports, outputs */
    int *injection, *shown;
    int *owner;          /* of each output: an unknown of its cell */
    int *event_cell;     /* of each event: switches, then held branches */
    int *first_event;    /* of each cell, into event_list */
    int *event_list;     /* events by cells */
    int *in_part, parts; /* the last part that an unknown was in; how many */
    yk_part_value *part_value; /* of the part that is being made */
    int *part_variable, *part_injection, *part_shown;
    int *foreign_unknown, *part_input, *part_output, *part_event; /* what a
                            part tells about itself */
    int *source_start; /* sources that act in each cell */
    const yk_stimulus **source_list;
    yoke_cells cells;       /* told to the stepper; count 0: none */
    yk_course_list courses; /* functions of time, told too */
    yk_breaks *breaks;      /* of its expressions; NULL: none */

    double *aside; /* what devices remembered, while others use them */

    double bend;   /* part of a current that Newton's method may leave out */
    bool settles;  /* devices want to be asked for it */
    double bypass; /* V, change of a branch voltage below which a device
                      is continued linearly */

    /* For the operating point. */
    double level;      /* of all independent sources, 0 .. 1 */
    double shunt;      /* conductance from every node to ground */
    bool is_limiting;  /* devices are continued linearly where they would run
                          away, also in steps that need it */
    bool follows;      /* switches follow their controls */
    bool is_beginning; /* devices are taken at `held` */
    bool limited;      /* in the last evaluation */
};

yoke_status yk_part_eval(void *self, double t, const double *x, const double *u,
                         double *q, double *f, yoke_err *err);
yoke_status yk_part_jacobian(void *self, double t, const double *x,
                             const double *u, const yoke_jacobian *jac,
                             yoke_err *err);

/* The iteration of the operating point begins at x: its limits are those of the
 * voltages there. */
void yk_part_hold(yk_net_part *part, double t, const double *x,
                  const double *u);

/* Memory of a switch.  Between the levels: of one that is early; it then changes
 * where its control leaves them, on either side. */
enum { YK_SWITCH_CLOSED = 1, YK_SWITCH_BETWEEN = 2 };
/* Below 0 while the memory is what it is. */
double yk_switch_beyond(const yk_part_switch *s, unsigned char closed,
                        double control);

/* Switches are what their controls, in z, say at the start; between the levels
 * they stay as they are.  True: one has changed. */
bool yk_part_follow(yk_net_part *part);

/* Is the switch closed?  It is one of the part. */
unsigned char *yk_part_closed(const yk_net_part *part, int element);

/* The function of an element; it is one of the part. */
yk_part_function *yk_part_function_of(const yk_net_part *part, int element);

/* From 0 to the last argument, the value as a function of it
 * (part_integral.c). */
double yk_part_integral(const yk_part_function *fn);

/* The charge of a behavioural capacitor if its own voltage is v, the others as
 * in z, at t = 0. */
double yk_part_charge_at(const yk_net_part *part, const yk_part_function *fn,
                         double v);

/* z and the voltages of driven nodes (part_eval.c). */
void yk_part_gather(yk_net_part *part, double t, const double *x,
                    const double *u);

/* The `explain` of a part (part_why.c). */
bool yk_part_explain(void *self, yoke_question *question, char *text,
                     size_t size);

/* ---- events: switches, then held branches (part_events.c) ---------------- */

static inline int yk_part_event_count(const yk_net_part *part)
{
    return part->switches + part->holds;
}

/* The function that has a held branch, and its number there. */
const yk_part_function *yk_part_hold_of(const yk_net_part *part, int hold,
                                        int *k);

/* The values of these steps of the function at z, in its `work`. */
const double *yk_part_values(const yk_net_part *part,
                             const yk_part_function *fn,
                             const yk_expr_step *step, int steps, double t);

/* The same of all of them, its branches as they are held. */
const double *yk_part_held_values(const yk_net_part *part,
                                  const yk_part_function *fn, double t);

/* What is held becomes `value`. */
void yk_part_set_held(yk_net_part *part, int hold, double value);

/* Branches that belong to x and u are held from now on, and switches follow
 * their controls. */
bool yk_part_settle(yk_net_part *part, double t, const double *x,
                    const double *u);

void yk_part_save(void *self, void *bytes);
void yk_part_restore(void *self, const void *bytes);
size_t yk_part_memory(const yk_net_part *part);

/* Describes the cells of the part to steppers, unless an output belongs to none
 * (part_cells.c). */
yoke_status yk_part_tell_cells(yk_net_part *part, const yk_net_part_spec *spec,
                               yoke_err *err);

/* Fills source_start and source_list (part_place.c). */
yoke_status yk_part_sources(yk_net_part *part, int cells, const int *cell,
                            yoke_err *err);

extern const yoke_system_ops yk_part_ops, yk_part_event_system_ops;
extern const yoke_event_ops yk_part_events;
extern const yoke_help_ops yk_part_help;

#endif
