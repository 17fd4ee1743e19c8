/* comp/netlist/netlist.h -- a netlist after reading: flat, with numbers.
 *
 * The reader (read.c and its helpers) resolves continuation, .include, .lib,
 * .param and .subckt; what remains is a list of elements between numbered
 * nodes, their models, and the commands.  All names are lower case.  Names
 * inside subcircuits are those of ngspice: node "x1.x2.out", element
 * "r.x1.x2.load" (of instance xx2 in xx1: "r.xx1.xx2.rload").
 *
 * Everything lives in the netlist's arena and is freed with it.
 */
#ifndef YK_NETLIST_H
#define YK_NETLIST_H

#include "base/arena.h"
#include "base/base.h"
#include "expr/native.h"
#include "expr/program.h"

typedef struct yk_net_place {
    const char *file;
    int line;
    int column; /* of a word, from 1 on; 0: of the line as a whole */
} yk_net_place;

/* ---- expressions (expr.c) ------------------------------------------------ */

/* What an expression may depend on besides time: v(a, b) (b = 0: ground) or the
 * current of element `a`. */
typedef struct yk_net_var {
    bool is_current;
    int a, b;
} yk_net_var;

/* Parameters are numbers already. */
typedef struct yk_net_expr {
    int steps;
    yk_expr_step *step; /* the last one is its value */
    int vars;
    yk_net_var *var;
    bool uses_time;
    const char *text; /* as written, for messages */
    yk_net_place at;
} yk_net_expr;

/* value and, unless it is NULL, slope[vars] = d value / d var; exact
 * derivatives.  `work` has yk_net_expr_work(expr) doubles.  Not finite where it is not defined. */
void yk_net_expr_eval(const yk_net_expr *expr, double t, const double *var,
                      double *value, double *slope, double *work);
size_t yk_net_expr_work(const yk_net_expr *expr);

/* Its slopes are the same whatever its variables and the time are; false also
 * where that is hidden. */
bool yk_net_expr_is_affine(const yk_net_expr *expr);

/* ---- elements ------------------------------------------------------------ */

typedef struct yk_net_param {
    const char *name;
    double value;
    yk_net_place at;
} yk_net_param;

typedef struct yk_net_model_cache yk_net_model_cache;
typedef struct yk_net_model {
    const char *name, *type; /* "d", "npn", "pnp", "nmos", "pmos", "njf", ... */
    int params;
    yk_net_param *param; /* as written, numbers; `level` included */
    yk_net_place at;
    yk_net_model_cache *cache; /* device.c: parameters by number, devices */
} yk_net_model;

typedef enum yk_net_shape {
    YK_SHAPE_NONE,
    YK_SHAPE_PULSE,
    YK_SHAPE_SIN,
    YK_SHAPE_EXP,
    YK_SHAPE_PWL,
    YK_SHAPE_SFFM,
    YK_SHAPE_AM
} yk_net_shape;

/* An independent source; arguments as written, those left out are missing at
 * the end of `arg`. */
typedef struct yk_net_source {
    double dc;
    bool has_dc;
    double ac_magnitude, ac_phase; /* phase in degrees */
    yk_net_shape shape;
    int args;
    double *arg;
    bool has_repeat;         /* r= of PWL */
    double repeat, delay_by; /* r= and td= of PWL */
} yk_net_source;

typedef struct yk_net_element {
    char kind; /* 'r', 'c', 'l', 'k', 'v', 'i', 'e', 'f', 'g', 'h', 'b', 'd',
                  'q', 'm', 'j', 's', 'w', 't', 'y' (mirror: probe.c) */
    const char *name;
    yk_net_place at;
    int nodes, *node; /* 0: ground; e, g, s: output nodes, then controlling */
    int model;        /* index, or -1 */
    int params;
    yk_net_param *param;    /* w, l, area, m, ic, tc1, temp, ... and the value
                               of r, c, l under the name "value" */
    int controls, *control; /* f, h, w: sources whose currents control; k: the
                               inductors; indices of elements */
    yk_net_expr *expr;      /* b; e, g with an expression; r, c, l with one */
    bool is_current;        /* b: i = ..., not v = ... */
    int dimensions;         /* POLY(n) of e, f, g, h; 1 for a plain gain */
    int coefs;
    double *coef;          /* of the polynomial; a plain gain: {0, gain} */
    yk_net_source *source; /* v, i */
    int terminal;          /* y: of element control[0]; its current flows out
                              of node[0] once more */
    bool off;              /* "off" of a semiconductor or switch */
    bool on;               /* "on" of a switch */
    int instance;          /* subcircuit instance it belongs to; 0: top */
} yk_net_element;

/* One expanded X line. */
typedef struct yk_net_instance {
    const char *name; /* "x1.x2" */
    int parent;       /* 0: top; instance 0 is the top itself */
    int ports, *port; /* nodes it is connected with */
} yk_net_instance;

/* ---- commands ------------------------------------------------------------ */

typedef enum yk_net_task_kind {
    YK_TASK_OP,
    YK_TASK_TRAN,
    YK_TASK_DC,
    YK_TASK_AC
} yk_net_task_kind;

typedef struct yk_net_sweep {
    const char *name; /* of a source or resistor, or "temp" */
    double start, stop, step;
} yk_net_sweep;

typedef struct yk_net_task {
    yk_net_task_kind kind;
    yk_net_place at;
    double tstep, tstop, tstart, tmax; /* tran; tmax = 0: not given */
    bool uic;
    int sweeps;
    yk_net_sweep sweep[2]; /* dc, the inner one first */
    char scale;            /* ac: 'd', 'o', 'l' */
    int points;
    double fstart, fstop;
} yk_net_task;

/* .ic, .nodeset: v(node) = value. */
typedef struct yk_net_level {
    int node;
    double value;
    yk_net_place at;
} yk_net_level;

/* A wish of .print, .plot or .save, one vector: text as written without
 * blanks, lower case, such as "v(out)", "v(a,b)", "i(v1)", "vdb(out)",
 * "all"; `analysis` is "tran", "dc", "ac", "op" or "" for any. */
typedef struct yk_net_wish {
    const char *analysis, *text;
    yk_net_place at;
    const char *computed; /* the expression, where `text` has names of let */
} yk_net_wish;

/* .measure: words as written, in lower case, "v(a,b)" and "=" are one word
 * each; braces or quotes around a constant become its number; measure.c
 * understands them.  The expressions of param= and par(...) are compiled: of
 * param= the variables are results of earlier measures, yk_net_var.a. */
typedef struct yk_net_measure {
    const struct yk_netlist *net;
    const char *analysis, *name;
    int words;
    const char *const *word;
    yk_net_expr **expr; /* of each word, or NULL */
    bool optional;      /* of .control: one that cannot be had is a warning */
    bool plain; /* of a system file: signals are columns, `net` is NULL */
    yk_net_place at;
} yk_net_measure;

/* `* yoke: word word ...` */
typedef struct yk_net_hint {
    int words;
    const char *const *word;
    int instance;
    yk_net_place at;
} yk_net_hint;

/* The operating point that was found last: op.c. */
typedef struct yk_net_point {
    int variables;
    double *value;         /* of each variable of the circuit */
    double *source;        /* of each element: the value of its source */
    unsigned char *closed; /* of each element: the switch */
} yk_net_point;

/* A file that was read; in the arena of the netlist. */
typedef struct yk_net_file {
    const char *path;
    struct yk_net_file *next;
} yk_net_file;

typedef struct yk_netlist {
    yk_arena arena;
    yk_net_file *files;
    yk_net_point point; /* value NULL: not found yet */
    const char *path, *title;
    int most;   /* elements and instances that it may expand to */
    int nodes;  /* with ground, which is node 0 */
    int probes; /* nodes from here on, `probed` of them, are probes (probe.c) */
    int probed;
    const char **node;
    yk_net_place *node_at; /* where it was first used */
    int bare, bares; /* elements of yk_net_shunt_bare: the first, how many */
    int elements, models, instances;
    yk_net_element *element;
    yk_net_model *model;
    yk_net_instance *instance;
    int tasks, ics, nodesets, wishes, measures, hints, options, warnings;
    yk_net_task *task;
    yk_net_level *ic, *nodeset;
    yk_net_wish *wish;
    yk_net_measure *measure;
    yk_net_hint *hint;
    yk_net_param *option;  /* .options: reltol, abstol, ...; words without a
                             value have 1; .temp is the option "temp"; method
                             is "method" with 0: trap, 1: gear */
    const char **warning;  /* "file:line: ..." */
    yk_compiled *compiled; /* of each element with an expression; or NULL */
} yk_netlist;

/* Reads a file or, if `text` is not NULL, `length` bytes that `path` names in
 * messages. */
yoke_status yk_netlist_read(yk_netlist **out, const char *path,
                            const char *text, size_t length, yoke_err *err);
void yk_netlist_free(yk_netlist *netlist); /* accepts NULL */

/* A parameter of .param at the top that gets another value; `name` in lower
 * case.  `used`: there is one. */
typedef struct yk_net_set {
    char *name;
    double value;
    bool used;
} yk_net_set;

yoke_status yk_netlist_read_set(yk_netlist **out, const char *path,
                                const char *text, size_t length, int sets,
                                yk_net_set *set, yoke_err *err);

/* For a transient: nodes of transistors without any charge get an attofarad or
 * less, those of coils that junctions without charge share a large resistor
 * (read/shunt.c), unless .options cshunt and rshunt say something else. */
yoke_status yk_net_shunt_bare(yk_netlist *net, double tstep, yoke_err *err);

/* A message `file:line: ...`; returns `status`. */
yoke_status yk_net_fail(yoke_err *err, yoke_status status, yk_net_place at,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a warning with its place. */
yoke_status yk_net_warn(yk_netlist *netlist, yoke_err *err, yk_net_place at,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The value of a parameter in a list, or `preset`; *given may be NULL. */
double yk_net_value(const yk_net_param *param, int params, const char *name,
                    double preset, bool *given);
double yk_net_option(const yk_netlist *netlist, const char *name,
                     double preset);

/* The resistance, capacitance or inductance of an r, c or l at the temperature
 * of the circuit (options temp, tnom), with tc1, tc2, tce and scale but without
 * m; of one with an expression the factor of the expression. */
double yk_net_passive(const yk_netlist *netlist, const yk_net_element *e);

/* Nodes that show something (probe.c) and that nothing reads. */
bool yk_net_is_probe(const yk_netlist *netlist, int node);
/* The one that element e belongs to, or 0. */
int yk_net_probe_of(const yk_netlist *netlist, int e);
/* Is there a current that follows a charge? */
bool yk_net_has_mirrors(const yk_netlist *netlist);

/* A voltage source of 0 V between the first node of element e and e: *source is
 * its number, "v.NAME.cut" its name, "NAME.cut" the name of the new node. */
yoke_status yk_net_put_source(yk_netlist *netlist, int e, int *source,
                              yoke_err *err);

/* -1 if there is none. */
int yk_net_find_node(const yk_netlist *netlist, const char *name);
int yk_net_find_element(const yk_netlist *netlist, const char *name);

#endif
