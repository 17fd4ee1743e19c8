/* comp/netlist/circuit/circuit.h -- a flat netlist as equations: charge- and
 * flux-oriented modified nodal analysis, whole or in parts.
 *
 * Variables are the voltages of the nodes and the currents of the branches that
 * need one (v, l, e, h, b with v =, both ends of t).  Variable 0 is ground, 1
 * .. nodes-1 the other nodes, behind those of the netlist the internal nodes of
 * devices and the derivatives of voltages that devices want (mos_meyer.c), then
 * the branches.  Each variable has an equation of the same number: a node the
 * balance of its currents, a branch its own law.
 *
 * Nodes that voltage sources join with ground are *driven*: their voltages are
 * known functions of time and no unknowns anywhere.  The current of a source
 * that drives a node is found from the balance at that node, if it is wanted.
 *
 * A *part* is any set of variables as a subsystem: unknowns are these
 * variables, equations those of the same numbers; other variables that occur
 * are inputs.  The whole circuit is the part with all of them.
 */
#ifndef YK_CIRCUIT_H
#define YK_CIRCUIT_H

#include "comp/netlist/device/device.h"
#include "comp/netlist/device/source.h"
#include "expr/hold.h"
#include "yoke/file.h"
#include "yoke/system.h"

typedef struct yk_circuit {
    yk_netlist *net; /* borrowed */
    yk_device_env env;
    double stop;                    /* s, end of the analysis */
    int nodes, branches, variables; /* ground included */
    int first_rate;    /* nodes from here on are derivatives of voltages, */
    int *rate_node;    /* of these nodes, */
    int *rate_user;    /* first wanted by these devices */
    const char **name; /* of the variables: "v(out)", "i(v1)" */
    int lines;         /* t elements */
    struct yk_part_value *wave; /* that arrive at their 2 lines ends */
    int *branch;                /* of each element: its variable, or -1; the
                                   second one of a line comes after it */
    int *owner;                 /* of each branch: its element */
    yk_device **device;         /* of each element, or NULL */
    int **pin;                  /* of each device: its nodes */
    yk_stimulus *source;        /* of each element */
    yk_held **held;             /* of each element with an expression whose
                                   branches are held between events, or NULL */
    const char **held_text;     /* of the same and of switches, for messages */

    /* Driven nodes: v = v of `below` + sign * source of `driver`. */
    int *driver;          /* of each node: the source that drives it, or -1 */
    int *below;           /* of each driven node */
    double *sign;         /* of each driven node */
    int drivens, *driven; /* in an order in which `below` comes first */
    bool *wanted;         /* of each branch of a driver: its current is used */

    /* The elements that occur in the equation of each variable. */
    unsigned char *closed;    /* of each switch element: at the start */
    int *touch_start, *touch; /* variables + 1; elements */
    int *local, *mark;        /* scratch of parts: variables, elements */
    int marks;
} yk_circuit;

/* `tstep`, `tstop` are those of the analysis, for defaults of sources.
 * `external` (one for each element, or NULL): its value is an input. */
yoke_status yk_circuit_create(yk_circuit **out, yk_netlist *net, double tstep,
                              double tstop, const bool *external,
                              yoke_err *err);

/* Native code for its expressions, if options, which may be NULL, name a
 * compiler and it pays in a run with so many rows, that is with at least about
 * as many residuals (expr/policy.h). */
yoke_status yk_circuit_compile(yk_circuit *circuit, double rows,
                               const yoke_file_options *options, yoke_err *err);

/* The current of a driving source becomes a variable that is solved for, with
 * those of the sources that hang on it. */
void yk_circuit_want(yk_circuit *circuit, int element);

/* The variable in whose equation the balance of a node is kept, or -1: the node
 * is ground, or driven by a source whose current is not wanted. */
int yk_circuit_balance(const yk_circuit *circuit, int node);

/* Is it a variable of the whole? */
bool yk_circuit_has(const yk_circuit *circuit, int variable);

/* Is it a derivative of a voltage? */
bool yk_circuit_is_rate(const yk_circuit *circuit, int variable);

/* Branch k, 0 or 1, of element e, or -1: only lines have two. */
int yk_circuit_branch(const yk_circuit *circuit, int e, int k);

/* Is the charge (flux) of element e the integral of its value over its voltage
 * (current)?  Its value is an expression of that alone (part_integral.c). */
bool yk_circuit_integrates(const yk_circuit *circuit, int e);

/* Warns of behavioural capacitances and inductances that are not. */
yoke_status yk_circuit_tell_values(const yk_circuit *circuit, yoke_err *err);

/* ---- parts --------------------------------------------------------------- */

/* A value of an element that another subsystem gives: resistance, capacitance,
 * inductance, the value of an independent source, or the wave that arrives at
 * an end of a line; an end that gets none is at rest (tline.c). */
typedef struct yk_part_value {
    int element;
    const char *input; /* name of the input */
    int end;           /* of a line: 0 or 1 */
} yk_part_value;

typedef struct yk_net_part yk_net_part;

typedef struct yk_net_part_spec {
    int count;
    const int *variable; /* unknowns, each once */
    int values;
    const yk_part_value *value; /* their inputs come after the foreign
                                   variables */
    int injections;
    const int *injection; /* nodes into which an input injects a current, for
                             ports; their inputs come last */
    int outputs;
    const int *output;   /* variables; each of the part's own or driven */
    const double *start; /* values of all variables of the circuit */
    bool dotted;         /* names get that of the subsystem in front */
    bool rates;          /* derivatives of voltages of other parts become
                            unknowns of its own instead of inputs */
    int copies;          /* the last so many unknowns belong to other parts: the
                            name of the subsystem stands in front of theirs */
    int cells;
    const int *cell; /* of each variable of the circuit, told to the stepper;
                        NULL: not told */
    const yk_net_part *whole; /* that it is a part of: switches begin as they
                                 are there; NULL: as at the start */
} yk_net_part_spec;

/* The system takes the part; `part` may be NULL.  Borrows the circuit.  Foreign
 * variables are inputs under their names. */
yoke_status yk_part_make(yoke_system **out, yk_net_part **part,
                         const char *name, yk_circuit *circuit,
                         const yk_net_part_spec *spec, yoke_err *err);

/* Without a system around it; to be freed by yk_part_free. */
yoke_status yk_net_part_create(yk_net_part **out, yk_circuit *circuit,
                               const yk_net_part_spec *spec, yoke_err *err);
void yk_part_free(void *part); /* accepts NULL */

/* The foreign variables of a part, in the order of its inputs. */
int yk_part_foreign(const yk_net_part *part, const int **variable);

/* ---- operating point (op.c) ---------------------------------------------- */

typedef struct yk_op_report {
    int iterations;
    const char *way; /* "newton", "gmin stepping", "source stepping", ... */
} yk_op_report;

/* All variables at time t, where .ic holds, or (NAN) with the DC values of the
 * sources, where it does not; node sets help.  value[variables] comes as a
 * guess. */
yoke_status yk_circuit_op(yk_circuit *circuit, double t, double *value,
                          yk_op_report *report, yoke_err *err);

/* The same next to the point in `value`, which is that of other sources near by:
 * of several it is the one that this leads to. */
yoke_status yk_circuit_op_near(yk_circuit *circuit, double t, double *value,
                               yoke_err *err);

/* The operating point of the netlist: that of yk_circuit_op, but one for all
 * analyses.  Circuits may have several; with the same values of the
 * sources as in the last call the one that was found then is taken again,
 * however the circuit describes its variables. */
yoke_status yk_circuit_point(yk_circuit *circuit, double t, double *value,
                             yk_op_report *report, yoke_err *err);

typedef struct yk_op_tolerance {
    double reltol, vntol;
} yk_op_tolerance;

typedef struct yk_disturbance {
    double rate, turn; /* 1/s, rad/s; rate 0: the point is stable */
    int variable;      /* that moves most */
    double change;     /* by so much */
} yk_disturbance;

/* If something grows at the operating point value[variables], and over `length`
 * by much, the point is moved along it by ten tolerances (rest.c).  Circuits
 * with lines are not looked at. */
yoke_status yk_circuit_disturb(yk_circuit *circuit, double length,
                               const yk_op_tolerance *tolerance, double *value,
                               yk_disturbance *out, yoke_err *err);

/* The same with switches and relations, `v(a) > v(b) ? 5 : 0`, as they are where
 * all voltages are 0: for circuits in which they turn themselves back.
 * YOKE_NOT_CONVERGED without a message if there are none. */
yoke_status yk_circuit_held_point(yk_circuit *circuit, double t, double *value,
                                  yoke_err *err);

/* Start of a run with uic: value[variables], which comes as a guess, after one
 * step of length h, as good as none, from the charges that the voltages and
 * currents `given` and ic = ... of elements have; `given` of internal nodes is
 * overwritten. */
yoke_status yk_circuit_settle(yk_circuit *circuit, double h, double *given,
                              double *value, yoke_err *err);

/* Voltage k that ic = ... of an element gives: that of its node *plus against
 * its node *minus; false: there is none. */
enum { YK_NET_ICS = 3 };
bool yk_net_ic(const yk_net_element *element, int k, int *plus, int *minus,
               double *ic);

#endif
