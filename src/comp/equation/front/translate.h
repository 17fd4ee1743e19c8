/* comp/equation/front/translate.h -- from the tree of the text to the flat
 * model.
 *
 * An expression is never built as an array.  yk_element gives one element of
 * it, at subscripts that are numbers or affine functions of loop indices, so
 * that an array equation becomes one equation in a loop:
 *
 *     der(x) = A*x   ->   for i:  der(x[i]) = sum over k of A[i,k] x[k]
 *
 * What cannot be said with affine subscripts answers YOKE_RETRY and notes in
 * `blame` which loops are the reason; the equation is then tried again for each
 * value of such a loop.
 */
#ifndef YK_TRANSLATE_H
#define YK_TRANSLATE_H

#include "base/names.h"
#include "comp/equation/front/ast.h"
#include "comp/equation/front/front.h"

enum {
    YK_MOST_FRAMES = 64,
    YK_MOST_ELEMENTS = 100000000, /* of all arrays together, whatever is set */
    YK_USUAL_ELEMENTS = 1000000,  /* without a setting: minutes, and 1 GB */
    YK_MOST_NODES = 20000000,
    YK_MOST_DEPTH = 1000, /* of nested calls and parameters */
    YK_CALLS = 8          /* results of functions that are remembered */
};
#define YK_MOST_WORK 100000000L /* visits of nodes of the tree */

/* A scalar: a number, number + sum k[s] * (index of loop s), or a node. */
typedef struct yk_value {
    enum {
        YK_VALUE_NONE,
        YK_VALUE_NUMBER,
        YK_VALUE_AFFINE,
        YK_VALUE_NODE
    } kind;
    double number;
    int node;
    int k[YK_FLAT_LOOPS];
} yk_value;

/* Modifications of a component, the more important ones first. */
typedef struct yk_layer {
    const yk_modifier *modifier;
    struct yk_layer *next;
} yk_layer;

typedef enum yk_progress { YK_NOT_YET, YK_AT_WORK, YK_DONE } yk_progress;

typedef struct yk_combi yk_combi;

typedef struct yk_symbol {
    const char *name;
    const char *text; /* description, or NULL */
    yk_place at;
    yk_variability variability;
    bool is_input, is_output, is_flow, is_final, is_global;
    bool by_event;     /* gets its values in when-equations */
    yk_expr *latch;    /* a Boolean with events: its condition */
    bool is_asked;     /* pre, edge or change of it, or of another name of it */
    bool by_algorithm; /* an algorithm gives its values, outside of when */
    bool is_solved;    /* initial equations determine its start */
    const yk_class *object; /* an external object: its class */
    yk_combi *table;        /* the same, if it is one; NULL: not yet */
    yk_list guess;          /* equations guess(x) = value */
    int dims;
    yk_expr **dim;
    yk_levels levels;
    yk_layer *layer;
    yk_expr *binding;
    yk_shape shape;
    int count;
    yk_progress shaped, valued;
    yk_list override; /* numbers of options->parameter, plus one */
    double *value;    /* of parameters and constants */
    int variable;     /* number in the flat model, -1: none yet */
} yk_symbol;

/* A name that runs: of a for-equation, a comprehension, or without a name the
 * subscript of an array equation. */
typedef struct yk_frame {
    const char *name;
    yk_value value;
    yk_type type;
    bool symbolic;
    int first, step, count, slot;
} yk_frame;

/* A function, or an algorithm section of the model, while it runs. */
typedef struct yk_local {
    const char *name;
    yk_shape shape;
    int offset, count;
    yk_symbol *symbol; /* of an algorithm section of the model */
    yk_levels levels;
} yk_local;

typedef struct yk_scope {
    const yk_class *function;
    int locals;
    yk_local *local;
    yk_value *value;
    int values, room;
    long stamp;
    bool *assigned; /* of each value; NULL: nobody asks */
    bool is_model;  /* an algorithm section of the model */
    bool dead;      /* no way goes on: break or return */
    int exits, exit_room;
    struct yk_exit *exit; /* ways on which it was left (statement.c) */
    struct yk_scope *outer;
} yk_scope;

typedef struct yk_result {
    yk_shape shape;
    yk_value *value;
} yk_result;

typedef struct yk_call {
    const yk_expr *expr;
    long binding;
    int results;
    yk_result *result; /* one block */
} yk_call;

/* A port or record of the model, for connect and for messages. */
typedef struct yk_instance {
    const char *name;
    const yk_class *class_;
} yk_instance;

typedef struct yk_translator {
    const yk_source *source;
    const yoke_equation_options *options;
    yk_arena *arena;
    yk_arena scratch;
    yk_flat *flat;
    yoke_err *err;      /* of what is read now */
    yoke_err one, *all; /* where that is; the message about all of it */
    yoke_status failed;
    yk_names classes, symbols, instances;
    yk_list symbol, instance;
    yk_names written; /* arrays that a tool has written out (scalars.c) */
    yk_list groups;
    bool indexed;
    yk_list connection; /* connect calls */
    yk_names expanded;  /* functions without records, by their path */
    yk_list expansion;
    int clauses;      /* when-equations and assertions */
    yk_branch joints; /* the equations they mean */
    yk_scope *scope;
    void *running;    /* the section of algorithm.c that runs */
    int frames, base; /* frames below `base` are not visible */
    yk_frame frame[YK_MOST_FRAMES];
    int slots, slot_frame[YK_FLAT_LOOPS];
    unsigned long long blame; /* bit f: frame f must be a number */
    const char *constant;     /* what has to be a number, NULL: nothing */
    bool varies;              /* a variable or time was met */
    bool in_when, initial;
    bool condition; /* of an event, or the equation of what events change */
    int quiet;      /* YK_QUIET in noEvent, YK_EVEN in smooth(1, ...) */
    bool picks;     /* a subscript may vary here */
    bool at_start;  /* of a parameter that initial equations give: `time` is
                       that of the start */
    bool start_used;
    bool runs;     /* a shape depends on a frame */
    yk_value path; /* the condition on which this is reached; NONE: always */
    bool silent;   /* for a shape only: assertions are left out */
    bool left_out; /* and one was */
    int depth;
    long work, elements, equations;
    long stamp;         /* of scopes */
    long binding;       /* changes with every value of a frame */
    int ends, end_base; /* sizes for `end` in subscripts */
    int end[YK_MOST_FRAMES];
    yk_call call[YK_CALLS];
    int next_call;
} yk_translator;

#define YK_SCRATCH(t, out, count)                                              \
    YK_TAKE(&(t)->scratch, (out), (count), (t)->err)

/* Relations make no events.  In noEvent steps end there nevertheless, in
 * smooth(p, ...) with p > 0 there is no reason to. */
enum { YK_QUIET = 1, YK_EVEN = 2 };

/* What is put aside while something of the model is evaluated from inside a
 * loop or a function. */
typedef struct yk_aside {
    yk_scope *scope;
    int base, end_base;
    const char *constant;
    bool in_when, condition;
    int quiet;
    bool varies, runs;
} yk_aside;

/* front.c */
/* Takes in the result of one declaration or equation; false: reading on is of
 * no use. */
bool yk_goes_on(yk_translator *t, yoke_status status);
yk_aside yk_put_aside(yk_translator *t, const char *constant);
void yk_take_back(yk_translator *t, const yk_aside *aside);
/* head.tail */
yoke_status yk_dotted(yk_translator *t, const char *head, const char *tail,
                      const char **out);
yoke_status yk_refuse(yk_translator *t, yk_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
yoke_status yk_blame(yk_translator *t, const yk_value *value);
yoke_status yk_blame_all(yk_translator *t); /* OK if no frame is symbolic */
const char *yk_nearest(const yk_names *names, const char *name);

/* value.c */
yk_value yk_number(double x);
bool yk_is_number(const yk_value *v, double x);
yoke_status yk_to_node(yk_translator *t, const yk_value *v, int *node);
yoke_status yk_operate(yk_translator *t, yk_place at, yk_op op,
                       const yk_value *a, const yk_value *b, yk_value *out);
yoke_status yk_choose(yk_translator *t, const yk_value *condition,
                      const yk_value *yes, const yk_value *no, yk_value *out);
/* Balanced; overwrites `value`. */
yoke_status yk_combine(yk_translator *t, yk_place at, yk_op op, yk_value *value,
                       int count, yk_value *out);
void yk_affine_range(const yk_translator *t, const yk_value *v, double *least,
                     double *most);

/* library.c: functions of the standard library that the file lacks. */
yoke_status yk_library_add(yk_source *source, yk_arena *arena, yoke_err *err);

/* symbols.c */
void yk_add_level(yk_levels *levels, const char *name, int dims);
yoke_status yk_declare_all(yk_translator *t, const yk_class *model);
yoke_status yk_find_class(yk_translator *t, const char *name, yk_place at,
                          const yk_class **out); /* NULL: a built-in type */
bool yk_builtin_type(const char *name, yk_type *type);
const char *yk_type_text(yk_type type); /* "Real" */
yoke_status yk_symbol_shape(yk_translator *t, yk_symbol *s);
yoke_status yk_symbol_value(yk_translator *t, yk_symbol *s);
/* Unknowns, inputs and tables get their place in the flat model. */
yoke_status yk_symbol_variable(yk_translator *t, yk_symbol *s);
yk_symbol *yk_find_symbol(yk_translator *t, const char *name);
yoke_status yk_unknown_name(yk_translator *t, const yk_expr *e);
yoke_status yk_multiply_sizes(yk_translator *t, yk_place at, const char *name,
                              const yk_shape *shape, int *count);
/* override.c */
yoke_status yk_check_overrides(yk_translator *t);
yoke_status yk_apply_overrides(yk_translator *t, yk_symbol *s);

/* start.c: start values by guess(x), parameters by initial equations */
yoke_status yk_eq_read_starts(yk_translator *t, const yk_class *model);
/* Variables with memory that occur in initial equations keep no start value. */
void yk_free_starts(yk_translator *t, const yk_class *model);
bool yk_symbol_is_free(const yk_symbol *s); /* fixed = false is written */
/* The text of its unit, or NULL. */
const char *yk_symbol_unit(const yk_symbol *s);

/* shape.c */
yoke_status yk_shape_of(yk_translator *t, yk_expr *e, yk_shape *out);
/* A part of a matrix [A, B; C, D] as a matrix, or one of its rows. */
yoke_status yk_block_shape(yk_translator *t, yk_expr *e, bool row,
                           yk_shape *out);
bool yk_same_size(const yk_shape *a, const yk_shape *b);
const char *yk_shape_text(const yk_shape *s, char text[80]);
yoke_status yk_whole(yk_translator *t, yk_expr *e, int *out);
yoke_status yk_enter(yk_translator *t, yk_place at); /* depth and work */
/* The symbol, local or frame that a name means; at most one is not NULL, but a
 * local of an algorithm of the model has its symbol too. */
typedef struct yk_meaning {
    yk_symbol *symbol;
    const yk_local *local;
    const yk_frame *frame;
    bool is_time;
} yk_meaning;
yoke_status yk_resolve(yk_translator *t, const yk_expr *e, yk_meaning *out);
yoke_status yk_meaning_shape(yk_translator *t, const yk_meaning *m,
                             yk_shape *out);

/* scalars.c */
/* e names nothing: *found, if it has subscripts in its name, a.b[\'i\'].c; then
 * e has become a.b[i].c. */
yoke_status yk_eq_read_inside(yk_translator *t, yk_expr *e, bool *found);
/* e names nothing: *found, if it is an array that was written out; then e has
 * become that array. */
yoke_status yk_written_out(yk_translator *t, yk_expr *e, bool *found);
/* shape.c: the same where e may be a name that means nothing. */
yoke_status yk_settle(yk_translator *t, yk_expr *e);
/* For its size: an array of records as the array of its first member. */
yoke_status yk_settle_record(yk_translator *t, yk_expr *e);
/* What stands on the left of an assignment, as single variables in the order of
 * its elements: x, {a, b}, or {a, b}[i], whose leaves are all of a and b. */
yoke_status yk_leaves(yk_translator *t, yk_expr *e, yk_list *out);

/* element.c */
yoke_status yk_element(yk_translator *t, yk_expr *e, const yk_value *at,
                       int dims, yk_value *out);
/* That of an operand: itself if it is a scalar. */
yoke_status yk_operand(yk_translator *t, yk_expr *e, const yk_value *at,
                       yk_value *out);
/* The place in its row of elements that a reference means. */
yoke_status yk_eq_place_of(yk_translator *t, yk_expr *e, const yk_shape *whole,
                           const yk_value *at, yk_value *out);
/* The same where subscripts may vary: *out may be a node, and the run ends if a
 * subscript leaves its range. */
yoke_status yk_varying_place(yk_translator *t, yk_expr *e,
                             const yk_shape *whole, const yk_value *at,
                             yk_value *out);
/* An element of a variable as op REFER, DER or PRE. */
yoke_status yk_variable_node(yk_translator *t, yk_symbol *s, yk_op op,
                             const yk_value *place, yk_value *out);
/* All elements, row by row, in scratch memory. */
yoke_status yk_elements(yk_translator *t, yk_expr *e, const yk_shape *shape,
                        yk_value **out, int *count);
/* A number now; `what` appears in the message. */
yoke_status yk_constant(yk_translator *t, yk_expr *e, const char *what,
                        double *out);
yoke_status yk_push_frame(yk_translator *t, yk_place at, const char *name);
/* Runs `visit` for each value of the iterators from number `n` on. */
typedef yoke_status (*yk_visit)(yk_translator *t, void *self);
yoke_status yk_iterate(yk_translator *t, const yk_iterator *iterator, int count,
                       yk_visit visit, void *self);

/* builtin.c */
/* Functions of the file come first. */
bool yk_is_builtin(const yk_translator *t, const char *name);
/* The one with the nearest name, or NULL. */
const char *yk_nearest_function(const yk_translator *t, const char *name);
yoke_status yk_builtin_shape(yk_translator *t, yk_expr *e, yk_shape *out);
yoke_status yk_builtin_element(yk_translator *t, yk_expr *e, const yk_value *at,
                               int dims, yk_value *out);

/* record.c */
/* The record that e is as a whole, or NULL. */
const yk_class *yk_eq_record_of(const yk_translator *t, const yk_expr *e);
yoke_status yk_member(yk_translator *t, yk_expr *e, const char *member,
                      yk_expr **out);
/* The equation of one member of c. */
yoke_status yk_eq_record_equation(yk_translator *t, const yk_equation *q,
                                  const yk_class *c, int number,
                                  yk_equation **out);
/* A function whose components are no records any more. */
yoke_status yk_without_records(yk_translator *t, const yk_class *f,
                               const yk_class **out);

/* statement.c */
/* What follows is reached on the way `path` and only if c holds. */
yoke_status yk_narrow(yk_translator *t, yk_place at, const yk_value *path,
                      const yk_value *c);
yoke_status yk_eq_run_statements(yk_translator *t, const yk_branch *body);
yoke_status yk_eq_run_body(yk_translator *t,
                           const yk_branch *body); /* a part */
/* A value of the shape `from` fits to e. */
yoke_status yk_check_assigned(yk_translator *t, const yk_expr *e,
                              const yk_shape *to, const yk_shape *from);

/* algorithm.c */
/* What runs is an algorithm section of the model, no function. */
static inline bool yk_in_model(const yk_translator *t)
{
    return t->scope && t->scope->is_model;
}
static inline bool yk_in_function(const yk_translator *t)
{
    return t->scope && !t->scope->is_model;
}
yoke_status yk_eq_run_when(yk_translator *t, const yk_equation *q);
/* Which variables get their values in the algorithms of the model. */
yoke_status yk_mark_algorithms(yk_translator *t, const yk_class *model);
yoke_status yk_flatten_algorithms(yk_translator *t, const yk_class *model);
/* The initial algorithms; those of parameters that are numbers first. */
yoke_status yk_eq_start_algorithms(yk_translator *t, const yk_class *model);
yoke_status yk_flatten_starters(yk_translator *t, const yk_class *model);

/* external.c: a call of a function that is external */
yoke_status yk_external_element(yk_translator *t, yk_expr *e, const yk_class *f,
                                yk_value *out);
yoke_status yk_external_refuse(yk_translator *t, const yk_expr *e,
                               const yk_class *f);

/* call.c */
/* The argument of a call, by its number or its name; NULL: there is none. */
yk_expr *yk_argument(const yk_expr *call, int number, const char *name);
/* The function that a call means, without records. */
yoke_status yk_function(yk_translator *t, const yk_expr *e,
                        const yk_class **out);
yoke_status yk_call_function(yk_translator *t, yk_expr *e, yk_call **out);
/* The call of (a, b) = f(x), which has results enough. */
yoke_status yk_call_of_tuple(yk_translator *t, const yk_equation *q,
                             yk_call **out);
yoke_status yk_function_shape(yk_translator *t, yk_expr *e, yk_shape *out);

/* equations.c, when.c, connect.c */
yoke_status yk_flatten(yk_translator *t, const yk_class *model);
yoke_status yk_add_equation(yk_translator *t, yk_place at, const yk_value *left,
                            const yk_value *right);
yoke_status yk_flatten_when(yk_translator *t, const yk_equation *q);
/* when time <= 1 is refused: it holds before and never begins to hold. */
yoke_status yk_check_time(yk_translator *t, const yk_expr *e, int node);
/* Variables that get their values at events. */
yoke_status yk_mark_events(yk_translator *t, const yk_branch *section);

/* latch.c */
/* Variables v = expression that change at events only; after yk_mark_events. */
yoke_status yk_mark_latches(yk_translator *t, const yk_class *model);
bool yk_is_latch(yk_translator *t, const yk_equation *q); /* such an equation */
yoke_status yk_flatten_latch(yk_translator *t, const yk_symbol *s);
/* Its equation holds at the start as it is. */
bool yk_latch_starts(const yk_symbol *s);

/* hold.c */
/* A relation or FLOOR becomes one that is held between events, where that makes
 * sense; sign: as the relation is written, or 0. */
/* A condition made in a function, where nothing is held, as one whose relations
 * are events. */
yoke_status yk_eq_hold_all(yk_translator *t, yk_place at, int node, int *out);
yoke_status yk_eq_hold_relation(yk_translator *t, yk_place at, int sign,
                                yk_value *v);
/* The same for a node of an operation with kinks; others stay as they are. */
yoke_status yk_eq_hold_kink(yk_translator *t, yk_place at, yk_value *v);
/* Once all is there: each that is held gets a variable. */
yoke_status yk_finish_relations(yk_translator *t);

/* comp/equation/events/inline.c: algebraic variables that follow from variables
 * which events change are written out in the actions of events. */
yoke_status yk_inline_actions(yk_flat *flat, yoke_err *err);

/* condition.c */
/* The node of a condition of an event; element > 0: of one in a vector. */
yoke_status yk_condition(yk_translator *t, const yk_expr *e, int element,
                         int *node);
/* Of a vector of conditions its size, of anything else 0. */
yoke_status yk_condition_size(yk_translator *t, const yk_expr *e, int *size);
/* The sides of == and <> in a condition are no Real numbers. */
yoke_status yk_need_whole(yk_translator *t, const yk_expr *e);
/* Whether a scalar variable gets its values at events. */
yoke_status yk_has_memory(yk_translator *t, const yk_expr *e, bool *out);
/* assert(condition, message, level) as an equation */
yoke_status yk_assert(yk_translator *t, const yk_expr *e);
/* Is the level of this assertion a warning?  The literal parts of its text. */
yoke_status yk_is_warning(yk_translator *t, const yk_expr *call, bool *out);
yoke_status yk_copy_message(yk_translator *t, const yk_expr *e, char **out);

/* Notes that two connectors are joined. */
yoke_status yk_connect(yk_translator *t, const yk_equation *q);
/* Makes the equations of all of them, in t->joints. */
yoke_status yk_finish_connections(yk_translator *t);

/* Elements of all arrays together, equations, and values of a loop, at most. */
int yk_most_elements(const yk_translator *t);

#endif
