/* cli/cli.h -- the program: the only code that prints or exits. */
#ifndef YK_CLI_H
#define YK_CLI_H

#include "yoke/yoke.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef struct cli_verb {
    const char *name, *arguments, *text;
    int (*run)(int argc, char **argv); /* argv[0] is the verb */
} cli_verb;

extern const cli_verb cli_verbs[];

int cmd_run(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_example(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* main.c: the program without its beginning. */
int cli_main(int argc, char **argv);

/* cmd_run.c: for programs whose runs are in several processes.  `places` is given
 * to the runs of this one.  serve: this one makes no run, it serves those of
 * another, and reads the system (cli_load) when it must; its exit status. */
typedef struct cli_processes {
    struct yk_places *places;
    int (*serve)(void *self, int argc, char **argv);
    /* The command of a run that goes on, and where it was given. */
    void (*words)(void *self, int words, char **word, const char *folder);
    void *self;
} cli_processes;
void cli_use_processes(const cli_processes *processes);
void cli_tell_processes(int words, char **word, const char *folder);

/* early.c: first of all; may begin the program again.  And is there memory
 * to compute?  CLI_OK, or a message. */
void cli_begin(char **argv);
int cli_need_room(void);

/* signals.c.  At the begin of the program; an interrupt stops a run between
 * `begin` and `end`, and what follows at once; `close`: it may take its time to
 * write the result; `forget`: in a process that was forked.  `finish`: the
 * status, if all could be printed. */
void cli_signals(void);
void cli_interrupt_begin(void);
bool cli_interrupted(void);
void cli_interrupt_end(void);
void cli_interrupt_forget(void);
void cli_interrupt_close(void);
/* A run that is saved ends with its window, however long that takes. */
void cli_interrupt_patient(void);
int cli_finish(int status);

/* Notes for the report.  Keeps the command line; writes it, the date and the
 * name of the system, which may be NULL. */
void cli_remember(int argc, char **argv);
yoke_status cli_note_run(yoke_run *run, const char *system, yoke_err *err);

/* log.c: what is said on standard error.  Failures always are. */
#define CLI_LEVELS "error warning note debug"
typedef enum cli_level {
    CLI_ERROR,
    CLI_WARNING,
    CLI_NOTE, /* default: the progress bar on a terminal too */
    CLI_DEBUG /* how models were made, every sweep */
} cli_level;

int cli_take_log_level(int *argc, char **argv); /* --log-level */
bool cli_logs(cli_level level);
void cli_log(cli_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_log_sweep(void *context, const yoke_sweep *sweep);

/* system.c: --trust, .geo files may run programs. */
void cli_take_trust(int *argc, char **argv);
/* From now on files are read to be looked at: no plug-in is loaded. */
void cli_only_look(void);
bool cli_trusts(void);
/* What is loaded from now on leaves out those that have a name. */
void cli_leave_out(int count, const yoke_file_absent *parts);
int cli_take_limits(int *argc, char **argv); /* --max-elements */
int cli_most_elements(void);                 /* 0: not given */

/* progress.c: seconds since some fixed moment. */
double cli_clock(void);

/* "40 s", "12 min", "5 h", "3 days". */
enum { CLI_DURATION = 32 };
const char *cli_duration(double seconds, char text[CLI_DURATION]);

/* progress.c: a bar on a terminal, else a line every ten seconds.  `plain`:
 * without windows and sweeps. */
typedef struct cli_progress {
    double start, stop, began, shown;
    double t, ended; /* the last window: its end, and when that was */
    unsigned asked;
    bool on, terminal, plain, open; /* open: a line is drawn, without its end */
} cli_progress;
void cli_progress_begin(cli_progress *p, double start, double stop, bool on,
                        bool plain);
void cli_progress_show(cli_progress *p, double t, const yoke_iterate_result *r);
void cli_progress_wait(cli_progress *p);  /* between two steps of a window */
void cli_progress_break(cli_progress *p); /* something else is printed */

/* near.c: the nearest of some names, or NULL where none is similar. */
typedef struct cli_near {
    const char *wanted, *best;
    int distance;
} cli_near;
void cli_near_try(cli_near *near, const char *name);

/* "yoke: " and the message to stderr; returns CLI_FAILED. */
int cli_fail(const yoke_err *err);

/* Whether a name, longer than `tail`, ends with it. */
bool cli_ends_in(const char *text, const char *tail);

/* Whether `out` is the file `in`, under whatever name: then a message. */
bool cli_overwrites(const char *out, const char *in);

/* A usage message with a suggestion; returns CLI_USAGE. */
int cli_unknown_verb(const char *name);

/* The same for an option of a verb, as it was written ("--rtoll=3"); and whether
 * the verb has an option of that name. */
int cli_unknown_option(const char *verb, const char *option);
bool cli_has_option(const char *verb, const char *option);

/* Calls `each` with "--name" of every option of the run, and its aliases. */
void cli_each_option(void (*each)(void *context, const char *option),
                     void *context);

/* A usage message; returns CLI_USAGE. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A file of an example, part of the program (cmake/examples.cmake).  The files
 * of one example follow one another, the system first; bytes end with a 0 that
 * size does not count.  The list ends with NULL. */
typedef struct cli_example_file {
    const char *example, *name;
    const unsigned char *bytes;
    size_t size;
} cli_example_file;

extern const cli_example_file cli_example_files[];

/* Pages of the manual for `yoke help`; `example` is NULL. */
extern const cli_example_file cli_topics[];

/* Writes an example to a new temporary folder, whose name is stored in
 * `folder`, and removes it.  Remove accepts "". */
bool cli_example_there(const char *name);
const char *cli_example_system(const char *name); /* its first file */
int cli_example_unpack(const char *name, char *folder, size_t room);
void cli_example_remove(const char *name, const char *folder);

/* A system to run: from a file, or an example. */
enum { CLI_OPTIONS = 64 };

typedef struct cli_system {
    const char *name;
    yoke_model *model; /* of the file */
    yoke_run_options options;
    yoke_file *file;
    char path[1024]; /* of the file */
    bool
        given[CLI_OPTIONS]; /* of each option of the run: on the command line */
    char *outputs;          /* result files named there */
    const char *example;    /* in a temporary folder, or NULL */
    char folder[512];
} cli_system;

/* Reads argv[1] and all options behind it; unload also after a failure.  After
 * cli_load_files the files of an example are there until then. */
int cli_load(cli_system *system, int *argc, char **argv);
/* As cli_fail, for a run that could not be made: an option that the file sets is
 * told with its line. */
int cli_fail_options(const cli_system *system, const yoke_err *err);
int cli_load_files(cli_system *system, int *argc, char **argv);
void cli_unload(cli_system *system);

/* Options may stand before the system: it becomes argv[1].  Or a message. */
int cli_system_first(int argc, char **argv);

/* Has it the ending of a file that yoke run takes? */
bool cli_names_system(const char *path);

/* Takes the run options out of argv ("--rtol 1e-8", "--rtol=1e-8", "-o FILE").
 * What is left stays in argv, *argc is reduced. */
int cli_run_options(int *argc, char **argv, cli_system *system);

/* Prints "result: FILE" for each. */
void cli_print_results(const char *output);

/* The analyses of a netlist besides its run (analyses.c): printed, or kept as
 * tables if `tables` is not NULL; the entry "analyses" of an object, if there
 * are any; or a whole object, for a netlist without a run. */
enum { CLI_MOST_TABLES = 100 };
typedef struct cli_tables {
    int count;
    yoke_table *table[CLI_MOST_TABLES];
    const char *kind[CLI_MOST_TABLES];
    char error[YOKE_ERR_SIZE];
} cli_tables;
int cli_analyses(yoke_file *file, const char *output, bool quiet,
                 cli_tables *tables);
void cli_json_tables(const cli_tables *tables);
void cli_json_analyses(const yoke_file *file, const cli_tables *tables);
void cli_tables_free(cli_tables *tables);

/* measures.c: --measure TEXT or NAME=TEXT, taken from argv; given to a file;
 * after a run, as a note of its result file. */
enum { CLI_MOST_MEASURES = 1000 };
typedef struct cli_measures {
    int count;
    const char *text[CLI_MOST_MEASURES]; /* borrowed from argv */
} cli_measures;
int cli_take_measures(int *argc, char **argv, cli_measures *list);
int cli_add_measures(yoke_file *file, const cli_measures *list);
yoke_status cli_note_measures(yoke_run *run, const yoke_file *file,
                              yoke_err *err);

/* The results of .measure and measure: printed, those that failed as warnings; or the entry
 * "measures" of an object, if there are any. */
void cli_print_measures(const yoke_file *file, bool quiet);
void cli_json_measures(const yoke_file *file);

/* Number of a word in a list separated by spaces, or -1. */
int cli_word(const char *words, const char *word);

/* A time, 0.1 or 100ms; false: it is none. */
bool cli_seconds(const char *text, double *seconds);

/* A line of a list of options, broken at 80 columns. */
void cli_print_entry(const char *name, const char *text);

/* Removes "--name" from argv, however often it is there. */
bool cli_flag(int *argc, char **argv, const char *name);

/* Removes "--name value" or "--name=value"; NULL if it is not there, "" if the
 * value is missing. */
const char *cli_value(int *argc, char **argv, const char *name);

/* Text for JSON and roff. */
/* cli/power.c: port-Hamiltonian subsystems in `check` and `run`; nothing is
 * printed without them.  JSON: NULL if there are none. */
void cli_power_before(yoke_model *model, const yoke_run_options *options);
void cli_power_after(const yoke_run *run);
void cli_json_power(const yoke_power *power);

void cli_json_text(const char *text);
void cli_json_number(double value);
/* Options of the run: those that people use, of results and steps, of experts;
 * or all for the manual page. */
typedef enum cli_option_kind {
    CLI_OPTIONS_COMMON,
    CLI_OPTIONS_RESULT,
    CLI_OPTIONS_MORE,
    CLI_OPTIONS_EXPERT,
    CLI_OPTIONS_ROFF
} cli_option_kind;
void cli_print_options(cli_option_kind kind);

/* The same for the completion of shells: option, value, text, with tabs. */
void cli_list_options(void);

/* What `yoke check` found. */
enum {
    CLI_STEPS = 5,
    CLI_BEST = 5,
    CLI_ORDERS = 5000,
    CLI_TEXT = 256,
    CLI_LOOKED_AT = 1000
};

/* How the radius behaves for h -> 0. */
typedef enum cli_rate_class {
    CLI_RATE_UNKNOWN,
    CLI_RATE_ALPHA, /* tends to alpha = value */
    CLI_RATE_POWER, /* falls like h^value */
    CLI_RATE_ZERO   /* vanishes */
} cli_rate_class;

typedef struct cli_check {
    const yoke_schedule *used; /* the chosen schedule; borrowed */
    bool solvable, known;      /* known: the contraction */
    bool closed;               /* some parts cannot be opened */
    char message[YOKE_ERR_SIZE];
    char schedule[YOKE_ERR_SIZE]; /* the chosen one as text */
    double gain;                  /* of running its clusters at once */
    int clusters;                 /* of it */
    yoke_contraction contraction[CLI_STEPS]; /* of it; the first is that of a
                                                window */
    int last;      /* smallest step at which no part was singular */
    double radius; /* there */
    cli_rate_class rate_class;
    double rate_value;
    double alpha;     /* for h -> 0; of the preconditioned iteration, if so */
    double lipschitz; /* L of the extrapolation; at most, if it is chosen */
    int sweeps;       /* per window, if that is all that is asked; else 0 */
    double carried;   /* L alpha^sweeps; NAN without a fixed number of sweeps */
    int least_sweeps; /* for which L alpha^k < 1; 0: there is none */
    double judged;    /* step at which the schedules were judged */
    int schedules;    /* tried */
    int listed;       /* of them, best first */
    yoke_advice *order;         /* owned */
    char recommended[CLI_TEXT]; /* schedule; empty: none is better */
    char reason[YOKE_ERR_SIZE];
    int times;  /* at which it is known along the solution */
    bool brief; /* nobody asked for it: a look, as far as it is cheap */
    char not_along[CLI_TEXT]; /* why there was none */
    double along_h;           /* over a step of this length */
    yoke_along *along;        /* owned; NULL: not asked for */
} cli_check;

/* check_find.c.  Clear it in any case. */
void cli_check_find(cli_check *check, yoke_model *model,
                    const yoke_run_options *options,
                    const yoke_schedule *schedule);
void cli_check_clear(cli_check *check);

/* The contraction at so many equidistant times of the run. */
/* times = 0: a look at a few instants, as far as it is cheap. */
yoke_status cli_check_along(cli_check *check, yoke_model *model,
                            const yoke_run_options *options, int times,
                            yoke_err *err);

/* Does the iteration contract by more than rounding? */
bool cli_contracts(double radius);

/* The stepper that the run gives to a subsystem; false for a constraint. */
bool cli_check_stepper(yoke_model *model, const yoke_run_options *options,
                       const cli_check *check, int node,
                       yoke_stepper_options *stepper);
bool cli_is_fixed(const yoke_stepper_options *stepper);

/* check_formats.c */
void cli_check_json(yoke_model *model, const yoke_run_options *options,
                    const cli_check *check);
void cli_check_dot(const yoke_graph *graph, const yoke_schedule *schedule);

/* plot_profile.c: the profile `name` of a result at the times `at`, a text;
 * NULL: some over the run. */
int cli_plot_profile(const char *path, const char *name, const char *at,
                     const char *out, const yoke_plot_options *options);

/* plot_field.c: the field of subsystem `name` of a system file at the time
 * `at`, a text; NULL: the last. */
int cli_plot_field(const char *path, char *system, const char *name,
                   const char *at, const char *out);

#endif
