/* comp/equation/flat.h -- a flat equation model: what the front end (reading,
 * types, arrays, parameters) hands to the back end (structure, derivatives,
 * code).
 *
 * All parameters are numbers by now.  Arrays keep their names and sizes, and
 * for-equations stay loops: an equation is a template with up to
 * YK_FLAT_LOOPS loop indices, whose references to array elements are affine in
 * the indices.  What is not affine has been expanded by the front end.
 *
 *     equation e at (i1, ..., ik):   left(i1, ..., ik) = right(i1, ..., ik)
 *
 * stands for count1 * ... * countk scalar equations, last index fastest.
 */
#ifndef YK_FLAT_H
#define YK_FLAT_H

#include "base/base.h"
#include "expr/hold.h"

enum { YK_FLAT_LOOPS = 4 };

typedef enum yk_flat_kind {
    YK_FLAT_UNKNOWN, /* to be solved for; outputs are unknowns too */
    YK_FLAT_INPUT,
    YK_FLAT_TABLE, /* parameter array used with a loop index: values known */
    YK_FLAT_HELD   /* values that events change: relations, sample, initial() */
} yk_flat_kind;

/* A scalar (count 1) or an array, its elements row by row. */
typedef struct yk_flat_variable {
    char *name; /* without subscripts */
    char *unit; /* may be NULL */
    yk_flat_kind kind;
    int dims, size[YK_FLAT_LOOPS]; /* dims = 0: a scalar */
    int count;                     /* product of the sizes */
    bool is_output;                /* declared output */
    bool is_flow;                  /* flow variable of a port, for `connect` */
    bool is_discrete;              /* changes at events only */
    bool is_boolean;
    int rate;        /* an input: number of that with its derivative plus one;
                        0: none */
    int line;        /* of its declaration */
    double *start;   /* count */
    double *nominal; /* count; NULL: one */
    bool *fixed;     /* count; NULL: none is fixed */
    double *value;   /* count, for TABLE and HELD (at first); NULL otherwise */
} yk_flat_variable;

/* Operations of nodes are those of expr/op.h.  REFER is the element place[0] +
 * sum place[k+1] i_k of `variable`, DER its time derivative, or that of the
 * expression a, PRE its value before the event.  HOLD of a relation or FLOOR is its value at the last
 * event; of MAX, MIN, ABS or INTERPOLATE the branch is held, which b reads once
 * the front end is done.  INTERPOLATE has the rows of the table `variable`. */
enum { YK_WATCHED = 1 };

typedef struct yk_flat_node {
    yk_op op;
    int a, b, c;                  /* earlier nodes, or -1; INDEX: a, the loop */
    double number;                /* NUMBER; HOLD: line */
    int variable;                 /* REFER, DER, PRE, INTERPOLATE; HOLD: the
                                     sign of the relation in the text */
    int place[YK_FLAT_LOOPS + 1]; /* REFER, DER, PRE; HOLD: YK_WATCHED, if its
                                     value is not held */
} yk_flat_node;

typedef struct yk_flat_equation {
    int left, right; /* nodes */
    int loops;
    int count[YK_FLAT_LOOPS]; /* how often each index runs */
    int first[YK_FLAT_LOOPS]; /* value of the index in the first round */
    int step[YK_FLAT_LOOPS];  /* its increment, not 0 */
    int line, column;         /* column 0: not known */
    bool initial;             /* holds at the start only */
} yk_flat_equation;

/* A relation whose value is held between events: `node` is LESS, LESS_EQUAL
 * or FLOOR, once or for all rounds of loops, and the variable has its values.
 * (HOLD nodes are references to such variables when the front end is done.)
 * A kink: which branch counts, as 0 <= x of abs(x), or the piece of a table:
 * then `node` is INTERPOLATE. */
typedef struct yk_flat_relation {
    int node, refer; /* refer: a node that reads the value */
    int loops;
    int count[YK_FLAT_LOOPS], first[YK_FLAT_LOOPS], step[YK_FLAT_LOOPS];
    int line;
    char *text;
    bool up, down; /* something happens when it becomes true, false */
    bool kink;     /* which branch counts; or watched */
    bool jumps;    /* watched, and no kink */
    bool watched;  /* in a function: nothing is held, steps only end there */
    bool before;   /* of values before: what is read is the one before */
    bool late;     /* reads pre() of what changes at events only */
} yk_flat_relation;

/* sample(first, interval): 1 at first + k interval, k >= 0. */
typedef struct yk_flat_sample {
    int variable;
    double first, interval;
} yk_flat_sample;

typedef enum yk_flat_event_kind {
    YK_FLAT_WHEN,   /* actions when the condition becomes true */
    YK_FLAT_ALWAYS, /* an equation of variables that change at events only */
    YK_FLAT_ASSERT  /* fails if the condition is not true */
} yk_flat_event_kind;

/* What happens at events.  Of the events of one clause that happen at the same
 * instant only those of its first branch count (elsewhen). */
typedef struct yk_flat_event {
    yk_flat_event_kind kind;
    int condition; /* node; ALWAYS: -1 */
    int line;
    int clause, branch;
    char *text;       /* of an assertion; or NULL */
    bool warning;     /* it only warns */
    bool of_function; /* an assertion in a function that a model calls */
    int actions;
    struct yk_flat_action {
        int variable, place; /* element that gets a new value */
        int value;           /* node; PRE gives values before the event */
        int line;
        bool memory; /* d = value, seen by the other actions; not reinit */
    } * action;
} yk_flat_event;

typedef struct yk_flat {
    char *file, *name;
    char *note; /* what the user should know, or NULL */
    int variables, equations, events, nodes;
    size_t variable_room, equation_room, event_room, node_room;
    yk_flat_variable *variable;
    yk_flat_equation *equation;
    yk_flat_event *event;
    yk_flat_node *node;
    int relations, samples;
    size_t relation_room, sample_room;
    yk_flat_relation *relation;
    yk_flat_sample *sample;
    int initial;  /* number of the variable of initial(), plus one; 0: none */
    int terminal; /* the same of terminal() */
} yk_flat;

yoke_status yk_flat_create(yk_flat **out, const char *file, const char *name,
                           yoke_err *err);
void yk_flat_free(yk_flat *flat); /* accepts NULL */

/* Each appends one and writes its number; the flat model takes what the struct
 * points to, also on failure. */
yoke_status yk_flat_add_variable(yk_flat *flat,
                                 const yk_flat_variable *variable, int *number,
                                 yoke_err *err);
yoke_status yk_flat_add_node(yk_flat *flat, const yk_flat_node *node,
                             int *number, yoke_err *err);
yoke_status yk_flat_add_equation(yk_flat *flat,
                                 const yk_flat_equation *equation,
                                 yoke_err *err);
yoke_status yk_flat_add_event(yk_flat *flat, const yk_flat_event *event,
                              yoke_err *err);
yoke_status yk_flat_add_relation(yk_flat *flat,
                                 const yk_flat_relation *relation,
                                 yoke_err *err);
/* A variable of `count` values that events change. */
yoke_status yk_flat_add_held(yk_flat *flat, int count, int *number,
                             yoke_err *err);
yoke_status yk_flat_add_sample(yk_flat *flat, double first, double interval,
                               int *variable, yoke_err *err);
/* Back to `count` events. */
void yk_flat_drop_events(yk_flat *flat, int count);

/* Adds a sentence to the note. */
yoke_status yk_flat_note(yk_flat *flat, yoke_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
