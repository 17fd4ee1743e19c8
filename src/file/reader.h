/* file/reader.h -- the parts of the reader of system files. */
#ifndef YK_FILE_H
#define YK_FILE_H

#include "base/names.h"
#include "base/texts.h"
#include "file/functions.h"
#include "file/measure.h"
#include "model/model.h"
#include "file/units.h"
#include "file/yaml.h"
#include "yoke/file.h"

/* ---- what the file contains, for `yoke info` (file/facts.c) -------------- */

enum { YK_MOST_OPTIONS = 64 };

typedef struct yk_option_origin {
    yoke_origin origin;
    int line;
} yk_option_origin;

/* A subsystem as written; the parameters point to the names and texts. */
typedef struct yk_file_part {
    char *name, *path, *shown, *class_name, *code_text; /* shown: NULL: path */
    const char *source;
    char *file;       /* where it was declared; NULL: not known */
    int line, column; /* of its name there */
    bool compiled;
    bool rates; /* it can deliver derivatives of its outputs (rates.c) */
    yoke_stepper_options stepper;
    int parameters;
    yoke_file_parameter *parameter;
    char **parameter_name, **parameter_text;
} yk_file_part;

typedef struct yk_file_coupling {
    char *name;
    const char *kind;
    int line, count;
    size_t key_room, text_room;
    char **key, **text;
} yk_file_coupling;

typedef struct yk_file_facts {
    int parts, couplings;
    size_t part_room, coupling_room;
    yk_file_part *part;
    yk_file_coupling *coupling;
    yk_option_origin option[YK_MOST_OPTIONS];
} yk_file_facts;

struct yoke_file {
    char *name;
    yoke_model *model;
    yoke_run_options run;
    char *texts; /* those of `run` */
    yk_texts reports;
    int includes, constraints;
    size_t include_room;
    yoke_file **include; /* systems whose parts the model uses */
    yk_functions *functions;
    int terminals; /* ports that a part declares by their variables */
    size_t terminal_room;
    struct yk_file_terminal *terminal;
    int ports; /* of models, that have a unit */
    size_t port_room;
    struct yk_port_unit *port;
    yk_names port_names;
    yk_file_facts facts;
    yk_texts inputs;      /* files that were read */
    char *record;         /* variables that a whole file wants to see */
    struct yk_open *open; /* inputs of the whole system, or NULL */
    yk_file_measures measures;
    void *measured; /* their values (comp/netlist/analyse), or NULL */
    void (*free_measured)(void *measured);
    char *shown; /* outputs of the whole system, or NULL */
    void *whole; /* of the component that read it as a whole, or NULL */
    void (*free_whole)(void *whole);
    /* How it reads the number of a setting, in SI units; NULL: with units. */
    yoke_status (*number)(const char *text, double *value, yoke_err *err);
    int warnings, notes;
    const char *const *warning, *const *note; /* borrowed from `held` */
    const char *told;                         /* the same, or NULL */
    void *held; /* files that the parts were read from */
    void (*release)(void *held);
};

/* A parameter: name, text of its value, where it was written. */
typedef struct yk_file_value {
    char *name;
    const char *text;
    const char *setting; /* from the command line: its name there */
    const char *path;    /* NULL: command line */
    const yk_yaml *at;   /* NULL: command line */
    bool used;           /* a setting: some subsystem has it */
    bool added;          /* by a setting; the file does not have it */
    bool of_stepper;     /* a setting: an option of a stepper */
} yk_file_value;

typedef struct yk_entries {
    int count;
    size_t room;
    yk_file_value *entry;
    double *value;  /* of each, after yk_file_values */
    yk_names names; /* of those that have a value */
} yk_entries;

void yk_entries_clear(yk_entries *entries);

/* Adds a copy of `entry` under another name; takes `name`, also on failure. */
yoke_status yk_entries_add(yk_entries *entries, char *name,
                           const yk_file_value *entry, yoke_err *err);

/* Of all files read so far, so that no tower of included files grows too high.
 */
typedef struct yk_budget {
    int subsystems, files;
    double unknowns;
} yk_budget;

/* file/rates.c: derivatives of ports, 1 or 2. */
enum { YK_FILE_PORT = 256 };
typedef struct yk_file_rate {
    char *part, *port;
    int order;
    bool input;
} yk_file_rate;

typedef struct yk_file_rates {
    int count, passes;
    size_t room;
    yk_file_rate *at;
    bool changed;  /* since the last pass over the file */
    bool demanded; /* a constraint has no other way */
    bool refused;  /* none are delivered */
} yk_file_rates;

/* A file being read. */
typedef struct yk_reader {
    yoke_file *file;
    const struct yk_reader *parent; /* the file that includes this one */
    const char *path;
    const yoke_file_options *options; /* may be NULL */
    yk_entries settings;
    yk_budget *budget;
    int step_line;            /* of "step" in the section `run`, or 0 */
    const yk_yaml *couplings; /* the section, or NULL */
    bool wrapped;             /* the text is not one that the user knows */
    yk_file_rates rates;      /* which ports have derivatives beside them */
    yk_file_rates uses;       /* derivatives of inputs that nobody delivers */
    const void *pending;      /* what `read` of a component leaves to `added` */
    const yk_yaml **failed;   /* subsystems that could not be read */
    int failures;
    size_t failed_room;
} yk_reader;

/* ---- messages: path:line:column: ... ------------------------------------- */

/* Places the message of a failure at byte `offset` of a text. */
yoke_status yk_file_place(const yk_reader *r, const yk_yaml *at, size_t offset,
                          yoke_status status, yoke_err *err);
/* The same at the key. */
yoke_status yk_file_place_key(const yk_reader *r, const yk_yaml *at,
                              yoke_status status, yoke_err *err);
yoke_status yk_file_fail(const yk_reader *r, const yk_yaml *at, yoke_err *err,
                         const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Ends a message with the nearest word of the list, or with the list. */
void yk_file_suggest(yoke_err *err, const char *word, int count,
                     const char *const *list);
/* In front of a message about a parameter. */
yoke_status yk_file_place_entry(const yk_file_value *e, size_t offset,
                                yoke_status status, yoke_err *err);

/* ---- values of nodes: refuse what is not as it should be ----------------- */

/* Refuses a key that is not in the list, with the nearest one that is. */
yoke_status yk_file_keys(const yk_reader *r, const yk_yaml *map, int count,
                         const char *const *key, yoke_err *err);
yoke_status yk_file_text(const yk_reader *r, const yk_yaml *node,
                         const char **text, yoke_err *err);
/* Is the key of the node a name? */
yoke_status yk_file_check_name(const yk_reader *r, const yk_yaml *node,
                               yoke_err *err);
yoke_status yk_file_want(const yk_reader *r, const yk_yaml *node,
                         yk_yaml_kind kind, yoke_err *err);
/* A number, which may have a unit: of the dimension of `unit`, "1" for none,
 * NULL for any. */
yoke_status yk_file_quantity(const yk_reader *r, const yk_yaml *node,
                             const char *unit, const yk_unit_scope *scope,
                             double *value, yoke_err *err);
yoke_status yk_file_number(const yk_reader *r, const yk_yaml *node,
                           const yk_unit_scope *scope, double *value,
                           yoke_err *err);

/* Texts of a list, or one text; the array and no more is the caller's. */
yoke_status yk_file_texts(const yk_reader *r, const yk_yaml *node,
                          const yk_yaml ***item, int *count, yoke_err *err);

/* ---- sections ------------------------------------------------------------ */

/* file/file.c: the system in a text. */
yoke_status yk_file_build(yoke_file **out, yk_reader *r, const char *text,
                          size_t length, yoke_err *err);

/* file/bytes.c: a regular file as text, in memory of the caller; a path
 * beside another one. */
yoke_status yk_file_bytes(char **text, size_t *length, const char *path,
                          yoke_err *err);
yoke_status yk_file_beside(char **out, const char *path, const char *name,
                           yoke_err *err);

/* The same beside the file that is read, and noted as an input. */
yoke_status yk_file_input(const yk_reader *r, char **out, const char *name,
                          yoke_err *err);
yoke_status yk_file_note_input(yoke_file *file, const char *path,
                               yoke_err *err);

/* May .geo files run programs? */
bool yk_file_trusts(const yk_reader *r);
bool yk_file_is_same(const char *a, const char *b);

/* file/run_section.c */
yoke_status yk_file_run(yk_reader *r, const yk_yaml *run, yoke_err *err);
yoke_status yk_file_output(yk_reader *r, const yk_yaml *run,
                           const yk_yaml *output, yoke_err *err);
yoke_status yk_file_run_setting(yk_reader *r, yk_file_value *setting,
                                yoke_err *err);
/* The same of a file without a reader: "stop", "100 ms". */
yoke_status yk_file_run_set(yoke_file *file, const char *name,
                            const char *value, yoke_err *err);

/* file/measure.c */
yoke_status yk_file_measure_section(yk_reader *r, const yk_yaml *map,
                                    yoke_err *err);

/* file/parameter.c: the parameters of a subsystem with the settings that
 * replace them, and their values. */
yoke_status yk_file_entries(yk_reader *r, const char *subsystem,
                            const yk_yaml *map, yk_entries *out, yoke_err *err);
yoke_status yk_file_values(yk_entries *entries, yoke_err *err);

/* file/facts.c */
void yk_facts_clear(yk_file_facts *facts);
/* `source` is borrowed, the rest copied; path and class_name may be NULL. */
yoke_status yk_facts_part(yk_file_facts *facts, const char *name,
                          const char *source, const char *path,
                          const char *class_name, const yk_entries *parameters,
                          yoke_err *err);
/* Of a file that was read as another text: no lines, and paths as they are
 * shown. */
yoke_status yk_facts_wrapped(yk_file_facts *facts, int folders,
                             const char *const *folder,
                             const char *const *shown, yoke_err *err);
/* `kind` is borrowed; `name` may be NULL. */
yoke_status yk_facts_coupling(yk_file_facts *facts, const char *kind,
                              const char *name, const yk_yaml *value,
                              yoke_err *err);

/* file/subsystem.c */
yoke_status yk_file_subsystem(yk_reader *r, const yk_yaml *node, yoke_err *err);
yoke_status yk_file_report(yoke_file *file, yoke_err *err, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

/* Settings that the file has no parameter for are refused. */
yoke_status yk_file_no_added(const yk_entries *entries, yoke_err *err);

/* file/port_units.c: the unit that a port declares.  The weight 1 or -1 of a
 * signal becomes the factor between two units of the same dimension, and what
 * their zeros differ by is added to the constant; others are refused.  Another
 * weight is taken as it is. */
typedef struct yk_port_unit {
    char *port, *unit; /* "subsystem.port", and how the unit is written */
    bool known;
    yk_unit_zero is;
} yk_port_unit;

yoke_status yk_file_port_unit(yoke_file *file, const char *subsystem,
                              const char *port, const char *unit,
                              yoke_err *err);
/* The same; what the unit is says `is` and not its name, unless it is NULL. */
yoke_status yk_file_port_scale(yoke_file *file, const char *subsystem,
                               const char *port, const char *unit,
                               const yk_unit_zero *is, yoke_err *err);
/* That of "subsystem.port"; NULL: none is declared. */
const char *yk_file_unit_of(const yoke_file *file, const char *port);
yoke_status yk_file_signal_units(const yoke_file *file, const char *input,
                                 const char *output, double *weight,
                                 double *constant, yoke_err *err);
/* Refuses two ports whose numbers mean different things. */
yoke_status yk_file_same_units(const yoke_file *file, const char *a,
                               const char *b, yoke_err *err);

/* file/rates.c: a model reads a derivative of its input; the derivative of an
 * output is wanted, which is there when the file is read again. */
yoke_status yk_file_uses_rate(yk_reader *r, const char *part, const char *input,
                              int order, yoke_err *err);
yoke_status yk_file_want_rate(yk_reader *r, const char *part,
                              const char *output, int order, yoke_err *err);
/* After the couplings: the signals of derivatives. */
yoke_status yk_file_connect_rates(yk_reader *r, yoke_err *err);
/* After a pass that ended with `status`: is there to be another one? */
bool yk_file_reads_again(yk_reader *r, yoke_status status);
void yk_file_rates_clear(yk_file_rates *rates);

/* file/terminals.c: a port that is not named by the names of its variables. */
typedef struct yk_file_terminal {
    char *name;             /* "subsystem.port" */
    char *potential, *flow; /* variables of the subsystem */
    bool driven; /* the potential is the input, the flow the output */
    double sign; /* 1: the flow counts into the subsystem, -1: out */
} yk_file_terminal;

/* Copies. */
yoke_status yk_file_add_terminal(yoke_file *file, const char *subsystem,
                                 const char *port, const char *potential,
                                 const char *flow, bool driven, double sign,
                                 yoke_err *err);
const yk_file_terminal *yk_file_find_terminal(const yoke_file *file,
                                              const char *name); /* or NULL */
void yk_file_free_terminals(yoke_file *file);

typedef struct yk_component yk_component; /* file/component.h */

/* For readers of components.  A number under a key, with its unit as in
 * yk_file_quantity; without it `preset`, or, if that is NAN, a refusal. */
yoke_status yk_file_setting(const yk_reader *r, const yk_yaml *map,
                            const char *key, const char *unit,
                            const yk_unit_scope *scope, double preset,
                            double *value, yoke_err *err);
/* true or false; without the key *value stays. */
yoke_status yk_file_truth(const yk_reader *r, const yk_yaml *map,
                          const char *key, bool *value, yoke_err *err);
/* The value of a key that must be there, of this kind. */
yoke_status yk_file_need(const yk_reader *r, const yk_yaml *map,
                         const char *key, yk_yaml_kind kind,
                         const yk_yaml **value, yoke_err *err);
/* A number with a unit, or a formula of the time and the parameters, as
 * function number `i` of `f`; without a node, zero.  `what` is for messages: "a
 * force".
 */
yoke_status yk_file_function(const yk_reader *r, const yk_yaml *node,
                             const yk_unit_scope *scope, const char *what,
                             const char *unit, yk_functions *f, int i,
                             yoke_err *err);
/* After the last of them: the values of the parameters. */
yoke_status yk_file_bind(yk_functions *f, const yk_unit_scope *scope,
                         yoke_err *err);
/* Which entry of `map` a text names; refuses others. */
yoke_status yk_file_entry(const yk_reader *r, const yk_yaml *map,
                          const yk_yaml *name, int *which, yoke_err *err);

/* file/include.c; yk_file_keep: `file` owns `inner`, also on failure. */
yoke_status yk_file_keep(yoke_file *file, yoke_file *inner, yoke_err *err);
yoke_status yk_file_include(yk_reader *r, const yk_yaml *node,
                            const yk_yaml *given, yk_entries *parameters,
                            yoke_system **out, yoke_err *err);

/* file/coupling.c, file/constraint.c, file/connect.c */
yoke_status yk_file_couplings(yk_reader *r, const yk_yaml *list, yoke_err *err);
yoke_status yk_file_constraint(yk_reader *r, const yk_yaml *node,
                               yoke_err *err);
yoke_status yk_file_connect(yk_reader *r, const yk_yaml *node, yoke_err *err);

/* The name of a coupling: that in the file, or c1, c2, ... */
enum { YK_COUPLING_NAME = 32 };
yoke_status yk_file_coupling_name(yk_reader *r, const yk_yaml *map,
                                  char own[YK_COUPLING_NAME], const char **name,
                                  yoke_err *err);

/* One "input = expression" from byte *at of a text on. */
typedef struct yk_assignment {
    bool is_multiplier; /* given: the expression is one of multipliers */
    char *input;
    yk_formula formula;
    int root;
    bool computed;   /* not linear with constant weights, or of time */
    double *weight;  /* otherwise: of each variable */
    double constant; /* term without a variable */
} yk_assignment;

yoke_status yk_file_assignment(const yk_reader *r, const yk_yaml *node,
                               size_t *at, yk_assignment *out, yoke_err *err);
void yk_assignment_clear(yk_assignment *assignment);

/* A signal with its delay, if that is more than 0. */
yoke_status yk_file_link(yoke_graph *graph, const char *input,
                         const char *output, double weight,
                         const yoke_delay *delay, yoke_err *err);

/* file/computed.c: takes the formula of a computed signal. */
yoke_status yk_file_computed(const yk_reader *r, const yk_yaml *node,
                             const char *input, yk_assignment *a,
                             const yoke_delay *delay, yoke_err *err);
/* Is it a computed signal, and continuous? */
bool yk_file_is_smooth_formula(const yoke_system *system);

/* New functions of the file, zeroed, with room for `count` roots. */
yoke_status yk_file_functions(yoke_file *file, int count, yk_functions **out,
                              yoke_err *err);
/* yk_functions_hold of those at a node, compiled as the options of the file say.
 */
yoke_status yk_file_hold(const yk_reader *r, const yk_yaml *at, yk_functions *f,
                         bool events, yoke_err *err);

#endif
