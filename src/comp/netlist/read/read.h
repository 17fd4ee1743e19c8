/* comp/netlist/read/read.h -- what the parts of the netlist reader share.
 *
 * Reading has three steps.  `line.c` turns files into logical lines in lower
 * case (continuation joined, .include and .lib followed).  `subckt.c` sorts
 * the lines into scopes, one per .subckt and one for the top, and then expands
 * the top: each line of a scope becomes an element (element*.c) or a command
 * (command*.c), with the nodes and parameters of the instance it stands in.
 * References between elements (the inductors of a K, the source that controls
 * an F) are resolved at the end, since they may point forward.
 */
#ifndef YK_NETLIST_READ_H
#define YK_NETLIST_READ_H

#include "base/names.h"
#include "comp/netlist/netlist.h"

enum {
    YK_NET_DEPTH = 64,         /* of .include and of X */
    YK_NET_ELEMENTS = 1000000, /* elements and instances after expansion,
                                  unless .options maxelements says more */
    YK_NET_MOST = 100000000,   /* that it may say */
    YK_NET_NAME = 1000,        /* letters in a name, instances included */
    YK_NET_PARAMS = 64,        /* of an element */
    YK_NET_JOINT = '\v'        /* the end of a line that goes on in the next */
};

/* ---- lines and words (line.c, line_words.c) ------------------------------ */

typedef struct yk_net_line {
    char *text; /* lower case but for file names; ends with NUL.  Each line that
                   it continues begins with YK_NET_JOINT, and every letter
                   stands in its column */
    yk_net_place at;
    int column; /* of its first letter; 0: it was made here */
} yk_net_line;

/* Lines that take the place of those of a reader: { NULL, 0, 0 } at first. */
typedef struct yk_net_lines {
    yk_net_line *line;
    int lines;
    size_t room;
} yk_net_lines;

yoke_status yk_net_lines_add(yk_net_lines *to, yk_net_line line, yoke_err *err);

typedef enum yk_net_token {
    YK_NET_WORD, /* letters and digits */
    YK_BRACED,   /* {...} or '...', text without the marks */
    YK_STRING,   /* "...", text without the marks */
    YK_EQUALS,
    YK_OPEN,
    YK_CLOSE,
    YK_COMMA
} yk_net_token;

/* A part of a line; borrows the text. */
typedef struct yk_net_word {
    yk_net_token kind;
    int length;
    const char *text;
} yk_net_word;

typedef struct yk_net_reader yk_net_reader;
typedef struct yk_net_scope yk_net_scope;
typedef struct yk_net_env yk_net_env;

/* read/parasitic.c: elements inside of elements become lines. */
yoke_status yk_net_parasitics(yk_net_reader *r, yoke_err *err);
/* read/operator.c: so do idt() and ddt(). */
yoke_status yk_net_operators(yk_net_reader *r, yoke_err *err);

/* The reader takes these lines instead of its own. */
void yk_net_lines_take(yk_net_reader *r, const yk_net_lines *from);

/* Appends the lines of a file to the reader's; the first one of the first file
 * is the title.  `text` as for yk_netlist_read. */
yoke_status yk_net_load(yk_net_reader *r, const char *path, const char *text,
                        size_t length, yoke_err *err);

/* A file beside the netlist, in memory of the reader, with a 0 at its end;
 * `name` is relative to the folder of `at`. */
yoke_status yk_net_read_data(yk_net_reader *r, const char *name,
                             yk_net_place at, char **text, yoke_err *err);

/* Splits into r->word[0 .. r->words); commas are kept as YK_COMMA. */
yoke_status yk_net_split(yk_net_reader *r, const char *text, yk_net_place at,
                         yoke_err *err);

/* A number with its suffix at the beginning of `text`; *used letters, 0 if it
 * is none.  Trailing letters are units and count as used. */
double yk_net_number(const char *text, int length, int *used);

bool yk_net_is(const yk_net_word *word, const char *text);
yoke_status yk_net_copy(yk_arena *arena, const char **out, const char *text,
                        int length, yoke_err *err);

/* The nearest of some names for a message, or NULL. */
typedef struct yk_net_near {
    const char *wanted, *best;
    int distance;
} yk_net_near;
void yk_net_near_try(yk_net_near *near, const char *name);
const char *yk_net_near_text(const yk_net_near *near, char *room, size_t size);

/* Letters beyond ASCII (letters.c): micro becomes u, bytes that are no UTF-8
 * are refused. */
yoke_status yk_net_plain_letters(char *line, yk_net_place at, yoke_err *err);

/* Where a part of a line stands: `at` with the line and column of `text`, or
 * as it is if that is none of the line at `at`.  For messages. */
yk_net_place yk_net_at(const yk_net_reader *r, yk_net_place at,
                       const char *text);

/* A line that cannot be read (problem.c): notes why and returns YOKE_OK, so
 * that reading goes on; other failures are handed on. */
yoke_status yk_net_problem(yk_net_reader *r, const yk_net_line *line,
                           bool control, yoke_status status,
                           const yoke_err *why, yoke_err *err);
/* Fails with all of them if there are any. */
yoke_status yk_net_problems(yk_net_reader *r, yoke_err *err);

/* ---- parameters (param.c) ------------------------------------------------ */

typedef enum yk_net_state { YK_UNSEEN, YK_BUSY, YK_NET_DONE } yk_net_state;

/* name = expression; evaluated when first used, in `env`. */
typedef struct yk_net_slot {
    const char *name, *text;
    int length;
    yk_net_state state;
    double value;
    yk_net_env *env;
    yk_net_place at;
} yk_net_slot;

/* Parameters of an instance; those of the instances around it are visible as
 * in ngspice (the caller's, not those of the place of definition). */
struct yk_net_env {
    yk_net_env *parent;
    yk_net_scope *scope;
    int slots;
    yk_net_slot *slot;
    yk_names index; /* of the top only, which may have thousands */
    int instance;
    double multiplier;  /* m= of the X lines around it */
    const char *prefix; /* "x1.x2", "" at the top */
    int *port;          /* node numbers of the scope's ports */
};

/* .func name(argument, ...) {text} */
typedef struct yk_net_func {
    const char *name;
    int args;
    const char **arg;
    const char *text;
    int length;
    yk_net_place at;
} yk_net_func;

yk_net_slot *yk_net_find_slot(yk_net_env *env, const char *name, int length);
const yk_net_func *yk_net_find_func(const yk_net_env *env, const char *name,
                                    int length);
yoke_status yk_net_slot_value(yk_net_reader *r, yk_net_slot *slot,
                              double *value, yoke_err *err);

/* The words of `name = expression ...` from number `first` on; pushes
 * yk_net_slot into `list`. */
yoke_status yk_net_read_slots(yk_net_reader *r, yk_list *list, int first,
                              yk_net_place at, yoke_err *err);
yoke_status yk_net_read_func(yk_net_reader *r, yk_net_scope *scope,
                             const yk_net_line *line, yoke_err *err);

/* ---- expressions (expr.c, expr_emit.c) ----------------------------------- */

/* A number, expression or name of a parameter. */
yoke_status yk_net_constant(yk_net_reader *r, yk_net_env *env, const char *text,
                            int length, yk_net_place at, double *value,
                            yoke_err *err);

/* An expression of node voltages and branch currents, times `factor`.  If it
 * turns out to be a constant and `value` is not NULL, *out is NULL and *value
 * the number. */
yoke_status yk_net_behaviour(yk_net_reader *r, yk_net_env *env,
                             const char *text, int length, double factor,
                             yk_net_place at, yk_net_expr **out, double *value,
                             yoke_err *err);

/* An expression of parameters and of results of the measures so far; its
 * variables are their numbers. */
yoke_status yk_net_result_expr(yk_net_reader *r, yk_net_env *env,
                               const char *text, int length, yk_net_place at,
                               yk_net_expr **out, yoke_err *err);

/* pwl of an expression with points x0 y0 x1 y1 ...; constant beyond the ends.
 */
yoke_status yk_net_table(yk_net_reader *r, yk_net_env *env, const char *text,
                         int length, int points, const double *point,
                         double factor, yk_net_place at, yk_net_expr **out,
                         yoke_err *err);

/* ---- scopes (subckt.c) --------------------------------------------------- */

typedef struct yk_net_model_line {
    const char *name;
    int line;              /* number of the line */
    int made;              /* index of the model, or -1 */
    int made_in;           /* instance it was made for */
    bool conditional, off; /* between .if and .endif; not in this instance */
    bool has_params;       /* expressions, so that each instance has its own */
} yk_net_model_line;

struct yk_net_scope {
    const char *name;
    yk_net_scope *parent;
    yk_net_place at;
    int ports;
    const char **port;
    yk_names port_index; /* numbers of them */
    yk_list params;      /* yk_net_slot: defaults, then .param */
    int defaults;        /* how many of them are on the .subckt line */
    yk_names subckt_index, model_index, func_index;
    yk_list subckts, models, funcs;
    int bodies;
    size_t body_room;
    int *body; /* lines */
    bool busy; /* being expanded */
    int ifs;   /* .if that are open while lines are sorted */
    yk_net_place if_at;
    bool has_choice; /* a model is conditional */
};

/* ---- conditions (condition.c) -------------------------------------------- */

typedef struct yk_net_branch {
    bool active; /* lines count */
    bool taken;  /* one branch did */
    bool never;  /* a condition around it is false */
    bool last;   /* behind .else */
} yk_net_branch;

typedef struct yk_net_branches {
    int depth;
    yk_net_branch branch[YK_NET_DEPTH];
} yk_net_branches;

bool yk_net_is_condition(const char *text);
yoke_status yk_net_sort_condition(yk_net_scope *scope, const yk_net_line *line,
                                  yoke_err *err);
/* A line that may not stand between .if and .endif. */
yoke_status yk_net_refuse_condition(const yk_net_scope *scope,
                                    const yk_net_line *line, yoke_err *err);
yoke_status yk_net_check_conditions(const yk_net_scope *scope, yoke_err *err);
/* One of these lines while a scope is expanded. */
yoke_status yk_net_condition(yk_net_reader *r, yk_net_env *env,
                             const yk_net_line *line, yk_net_branches *b,
                             yoke_err *err);
bool yk_net_active(const yk_net_branches *b);

yoke_status yk_net_sort(yk_net_reader *r, yoke_err *err);
yoke_status yk_net_expand(yk_net_reader *r, yoke_err *err);

/* ---- elements ------------------------------------------------------------ */

/* Node of a name that stands in an instance. */
yoke_status yk_net_node(yk_net_reader *r, yk_net_env *env, const char *text,
                        int length, yk_net_place at, int *node, yoke_err *err);

/* For commands that name a node without making one: *node of a port or of
 * ground with *name NULL, or the full name. */
yoke_status yk_net_node_later(yk_net_reader *r, yk_net_env *env,
                              const char *text, int length, yk_net_place at,
                              int *node, const char **name, yoke_err *err);

/* Full name of an element or instance that stands in `env`. */
yoke_status yk_net_full_name(yk_arena *arena, const yk_net_env *env,
                             const char *text, int length, const char **out,
                             yk_net_place at, yoke_err *err);

/* Index of a model that is visible from `env`, made if it is not yet. */
yoke_status yk_net_use_model(yk_net_reader *r, yk_net_env *env,
                             const char *text, int length, yk_net_place at,
                             int *model, yoke_err *err);
bool yk_net_has_model(const yk_net_env *env, const char *text, int length);

/* The value of a word: number, expression in braces, name of a parameter.
 * `what` is for messages. */
yoke_status yk_net_word_value(yk_net_reader *r, yk_net_env *env,
                              const yk_net_word *word, yk_net_place at,
                              const char *what, double *value, yoke_err *err);

/* The value to be written when all elements are known: an index. */
typedef struct yk_net_later {
    int *to;
    const char *local, *global; /* names to try; global may be NULL */
    const char *kinds;          /* that it may have */
    const char *word;           /* in its line */
    yk_net_place at;
} yk_net_later;

yoke_status yk_net_refer(yk_net_reader *r, yk_net_env *env, const char *text,
                         int length, const char *kinds, int *to,
                         yk_net_place at, yoke_err *err);

/* One element line, in r->word. */
yoke_status yk_net_element_line(yk_net_reader *r, yk_net_env *env,
                                const yk_net_line *line, yoke_err *err);

/* An element line while it is read: the words from `next` on. */
typedef struct yk_net_parse {
    yk_net_reader *r;
    yk_net_env *env;
    const yk_net_line *line;
    yk_net_element *e;
    int next;
    int params;
    yk_net_param *param; /* room for YK_NET_PARAMS */
} yk_net_parse;

/* What is left of the line: names with values, of those in `known`, and the
 * words "on" and "off" if they are there.  Lists (ic = a, b) become ic, ic2,
 * ...; tc becomes tc1, tc2. */
yoke_status yk_net_values(yk_net_parse *p, const char *const *known,
                          yoke_err *err);
yoke_status yk_net_room(yk_net_parse *p, int nodes, yoke_err *err);
yoke_status yk_net_take_node(yk_net_parse *p, int k, yoke_err *err);
yoke_status yk_net_take_nodes(yk_net_parse *p, int nodes, yoke_err *err);
yoke_status yk_net_take_value(yk_net_parse *p, const char *what, double *value,
                              yoke_err *err);
/* The names of sources whose currents control. */
yoke_status yk_net_take_source(yk_net_parse *p, int sources, yoke_err *err);
yoke_status yk_net_add_param(yk_net_parse *p, const char *name, double value,
                             yoke_err *err);
/* What stands before the points of `pwl` (pwl.c): `repeat for 3`, `repeat
 * forever`, `file = name`.  Points of a file and repetitions are appended to
 * r->number; `forever` becomes r = 0. */
typedef struct yk_net_pwl_marks {
    int times; /* of `repeat`; 0: for ever */
    const yk_net_word *file;
} yk_net_pwl_marks;
yoke_status yk_net_pwl_begin(yk_net_parse *p, yk_net_pwl_marks *marks,
                             yoke_err *err);
yoke_status yk_net_pwl_end(yk_net_parse *p, const yk_net_pwl_marks *marks,
                           yoke_err *err);
yoke_status yk_net_pwl_check(const yk_net_parse *p, yoke_err *err);
bool yk_net_more(const yk_net_parse *p);
const yk_net_word *yk_net_here(const yk_net_parse *p);
bool yk_net_followed_by(const yk_net_parse *p, yk_net_token kind);
void yk_net_skip_marks(yk_net_parse *p);
/* The place of the next word, or of the line if there is none. */
yk_net_place yk_net_here_at(const yk_net_parse *p);

/* Adds the value of r, c or l that its model gives. */
yoke_status yk_net_model_value(yk_net_parse *p, yoke_err *err);
yoke_status yk_net_check_passive(yk_net_parse *p, yoke_err *err);
/* Warns of parameters of a model of r, c or l that are not known. */
yoke_status yk_net_check_model(yk_netlist *net, const yk_net_model *m,
                               yoke_err *err);
/* Warns, once, where ngspice treats m of an instance in another way. */
/* Refuses one more element or instance beyond .options maxelements. */
yoke_status yk_net_may_grow(const yk_netlist *net, yk_net_place at,
                            yoke_err *err);

yoke_status yk_net_warn_of_m(yk_net_reader *r, yk_net_place at, yoke_err *err);

yoke_status yk_net_read_source(yk_net_parse *p, yoke_err *err);  /* v i */
yoke_status yk_net_read_control(yk_net_parse *p, yoke_err *err); /* e f g h */
/* E, G with a transfer function `h` of an expression (laplace.c). */
yoke_status yk_net_transfer(yk_net_parse *p, const char *input,
                            int input_length, const char *h, int h_length,
                            double factor, yoke_err *err);
yoke_status yk_net_read_behaviour(yk_net_parse *p, yoke_err *err); /* b */
yoke_status yk_net_read_device(yk_net_parse *p, yoke_err *err);    /* d q m j */
yoke_status yk_net_read_switch(yk_net_parse *p, yoke_err *err);    /* s w */
yoke_status yk_net_read_line(yk_net_parse *p, yoke_err *err);      /* t o u */

/* A model of one of some types, words with blanks around. */
yoke_status yk_net_take_model(yk_net_parse *p, const char *types,
                              yoke_err *err);

/* Adds *p->e with the parameters of p to the netlist. */
yoke_status yk_net_add_element(yk_net_parse *p, yoke_err *err);

/* Room for so many elements more, and one of them (read.c). */
yoke_status yk_net_room_for(yk_netlist *net, int more, yoke_err *err);
yoke_status yk_net_put_element(yk_netlist *net, const yk_net_element *e,
                               yoke_err *err);
/* .options cshunt and rshunt (shunt.c). */
yoke_status yk_net_shunt_options(yk_netlist *net, yoke_err *err);

/* ---- commands ------------------------------------------------------------ */

/* One line that begins with a dot, in r->word; `env` may be an instance. */
yoke_status yk_net_command(yk_net_reader *r, yk_net_env *env,
                           const yk_net_line *line, yoke_err *err);
/* A line between .control and .endc, or .endc (control.c). */
yoke_status yk_net_control(yk_net_reader *r, yk_net_env *env,
                           const yk_net_line *line, yoke_err *err);
/* At the end: values that `alter` gives before the first analysis. */
yoke_status yk_net_apply_alters(yk_net_reader *r, yoke_err *err);
/* `* yoke: ...`; the text after the colon. */
yoke_status yk_net_hint_line(yk_net_reader *r, yk_net_env *env,
                             const yk_net_line *line, yoke_err *err);

/* Before expansion: .temp and .options. */
yoke_status yk_net_options(yk_net_reader *r, yk_net_env *env, yoke_err *err);
/* Nodes for what is asked for and is no variable (probe.c). */
yoke_status yk_net_add_probes(yk_net_reader *r, yoke_err *err);
/* At the end: what can only be checked when all is known. */
yoke_status yk_net_finish(yk_net_reader *r, yoke_err *err);

/* .ic and .nodeset until the nodes are known. */
typedef struct yk_net_pending_level {
    bool is_ic;
    int node;
    const char *name; /* or NULL */
    double value;
    yk_net_place at;
} yk_net_pending_level;

/* `alter` before the first analysis: another value of an element. */
typedef struct yk_net_alter {
    const char *name;
    double value;
    yk_net_place at;
} yk_net_alter;

/* What the commands between .control and .endc did so far (control.c). */
/* let name = text, whose lets are in its place already. */
typedef struct yk_net_let {
    const char *name, *text;
} yk_net_let;

typedef struct yk_net_script {
    int loops;            /* that are open */
    bool analysed;        /* there was an analysis */
    yk_net_place altered; /* the circuit, after one; file NULL: it is not */
    yk_net_place begun;   /* first command that was left out */
    char left_out[200];   /* their names */
    int left;             /* how many */
    int alters;
    yk_net_alter *alter;
    int lets;
    yk_net_let *let;
} yk_net_script;

/* ---- the reader (read.c) ------------------------------------------------- */

struct yk_net_reader {
    yk_netlist *net;
    yk_arena scratch; /* scopes, parameters, names of files */
    yk_arena keep;    /* names of references, until they are resolved */
    yk_list texts;    /* of files, freed at the end */
    yk_arena problem_room;
    yk_list problems;          /* lines that cannot be read */
    yoke_status first_problem; /* status of the first */
    bool lost_file;            /* one of them is a file that is not there */
    int lines;
    size_t line_room;
    yk_net_line *line;
    int words;
    size_t word_room;
    yk_net_word *word;
    yk_list scopes; /* all, for freeing */
    yk_net_scope *top;
    yk_net_env *root;
    yk_names globals; /* names of .global */
    yk_names *nodes, *elements;
    size_t node_room, place_room, element_room, model_room, instance_room;
    size_t later_room, level_room;
    int laters, levels;
    yk_net_later *later;
    yk_net_pending_level *level;
    bool warned_of_m, warned_of_sections;
    int kinds;                /* how deep models are kinds of others */
    yk_net_script script;     /* what .control did so far */
    int depth;                /* of X */
    double temper;            /* degrees Celsius */
    yk_net_place temper_used; /* file NULL: nowhere */
    long calls;               /* of functions in the current expression */
    double work;              /* steps of all expressions */
    int expr_depth;           /* of parameters that are being evaluated */
    char *name;               /* room for a name under construction */
    yk_net_param param[YK_NET_PARAMS];
    int numbers; /* of a list under construction */
    size_t number_room;
    double *number;
};

#endif
