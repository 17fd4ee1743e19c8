/* yoke/run.h -- from subsystems and couplings to results.
 *
 *     yoke_model_create    add subsystems with their steppers, couple them
 *     yoke_simulate        windows from start to stop, results to files
 */
#ifndef YOKE_RUN_H
#define YOKE_RUN_H

#include "yoke/event.h"
#include "yoke/graph.h"
#include "yoke/iterate.h"
#include "yoke/stepper.h"
#include "yoke/work.h"

YOKE_BEGIN_C

typedef struct yoke_model yoke_model;

YOKE_API yoke_status yoke_model_create(yoke_model **out, yoke_err *err);
YOKE_API void yoke_model_free(yoke_model *model); /* accepts NULL */

/* Adds a subsystem and the stepper that solves it (NULL: the defaults).  Takes
 * `system`, also on failure; copies `stepper`. */
YOKE_API yoke_status yoke_model_add(yoke_model *model, yoke_system *system,
                                    const yoke_stepper_options *stepper,
                                    yoke_err *err);

/* The stepper of subsystem i as it was given, or NULL: a constraint has none.
 * Borrowed. */
YOKE_API const yoke_stepper_options *yoke_model_stepper(const yoke_model *model,
                                                        int i);

/* For signals, constraints and ownership: yoke/graph.h.  Borrowed. */
YOKE_API yoke_graph *yoke_model_graph(yoke_model *model);

/* Who chooses what is solved as one system. */
typedef enum yoke_clustering {
    YOKE_CLUSTER_AUTO,   /* the run, where it is left open: see docs/methods/
                            ladder.md */
    YOKE_CLUSTER_NONE,   /* the options alone */
    YOKE_CLUSTER_FAILING /* the options; the run if the iteration fails */
} yoke_clustering;

/* How the waves of the scheme port-waves are found in a window. */
typedef enum yoke_waves {
    YOKE_WAVES_AUTO,  /* plain sweeps; GMRES if the rate is more than 0.5 */
    YOKE_WAVES_PLAIN, /* sweeps as they are */
    YOKE_WAVES_GMRES, /* GMRES, each vector a sweep */
    YOKE_WAVES_DIRECT /* by the answers of the ports to impulses */
} yoke_waves;

/* In which order: colour by colour, or all from old waves. */
typedef enum yoke_wave_order {
    YOKE_WAVES_COLOURS,
    YOKE_WAVES_JACOBI
} yoke_wave_order;

/* When a row of the result is written, instead of a time between rows. */
enum {
    YOKE_EVERY_AUTO = 0,    /* so many that straight lines between them are
                               within 0.001 of the range of each variable, or
                               within its tolerance: at the ends of 500 equal
                               parts of the run, on both sides of jumps, at
                               bends and peaks; at most `rows` */
    YOKE_EVERY_WINDOW = -1, /* at the ends of the windows */
    YOKE_EVERY_STEP = -2    /* at the ends of the steps of all subsystems; both
                               sides of events and breakpoints */
};

/* Where a run begins. */
typedef enum yoke_start_from {
    YOKE_FROM_VALUES, /* of the subsystems, made consistent */
    YOKE_FROM_REST    /* at the equilibrium of the coupled whole at the start
                         time, looked for from these values */
} yoke_start_from;

/* Texts are borrowed: they live as long as the options are used.  None is NULL;
 * an empty one is "". */
typedef struct yoke_run_options {
    yoke_iterate_options iterate; /* rtol and atol are also those of steppers
                                     that leave theirs at the default */
    double start, stop;           /* time */
    yoke_scheme scheme;
    const char *order;    /* names of subsystems, spaces or commas between;
                             empty: as added */
    const char *schedule; /* as of yoke_schedule; empty: by the scheme.
                             Several with weights, "0.5 * a > b; 0.5 * b > a",
                             are run from the same iterate and averaged */
    yoke_clustering cluster;
    char stepper[32]; /* method of the monolithic scheme; empty: that of the
                         first subsystem */
    double step;      /* of every subsystem, instead of its own: the step of
                         fixed methods, the longest of adaptive ones; 0: as
                         each says */
    const char *preconditioner; /* "row column value; ...": constant entries of
                                   A with names of coupling variables, see
                                   yoke_preconditioner; empty: none */
    double every;        /* time between rows of the result, or YOKE_EVERY_ */
    int rows;            /* most that YOKE_EVERY_AUTO writes */
    bool units;          /* CSV files get a second line with the units */
    const char *output;  /* result files (.csv, .h5), one per line, as in
                            "a.csv\nb.h5"; empty: none */
    const char *record;  /* variables in the result, as `order`, and "*"
                            stands for any text; empty: all, at most 1000 */
    bool aliases;        /* record also what equation models removed because it
                            equals another variable or is constant; what is
                            named without "*" is recorded in any case */
    const char *monitor; /* outputs that take part in the convergence test
                            besides the coupled ones, same form */
    yoke_waves waves;    /* the next six: schemes port-waves, lions-mercier */
    yoke_wave_order wave_order;
    double mu, omega; /* 0: chosen */
    double alpha;
    double lambda;     /* 0: a matrix */
    double spot;       /* share of the work for spot checks; 0: none */
    int spot_seed;     /* which pieces they draw */
    double second;     /* most work of a run that is solved a second time */
    int jobs;          /* threads that solve subsystems at once, the calling one
                      among them; 0: one for each processor.  No bit of the
                      result depends on it.  Subsystems that are not
                      YOKE_PARALLEL stay in the calling thread */
    const char *tasks; /* file for the task graph of the run, which is solved
                          with one thread then: what could run at once, its
                          seconds, its messages; empty: none */
    double latency;    /* of the network for which yoke_run_scaling computes
                          times from it, in s ... */
    double bandwidth;  /* ... and bytes per second */
    bool given;        /* initial values are taken as given */
    bool solved;       /* set by those who read a netlist: the initial values
                          that are taken solve the equations, they are an
                          operating point */
    yoke_start_from start_from;
    struct yk_places *places; /* processes that units may be in, for programs
                      that have some (yoke-mpi); borrowed; NULL: all are here */
    bool iterates; /* the coupling waveforms after every sweep go to the
                      table "iterates" of the result file */
} yoke_run_options;

YOKE_API yoke_run_options yoke_run_defaults(void);

/* Sets one option from text; `name` is a field of the struct or of `iterate`.
 * Refuses what is outside its range with the name, the value and the range.
 * Options that are texts borrow `value`. */
YOKE_API yoke_status yoke_run_set(yoke_run_options *options, const char *name,
                                  const char *value, yoke_err *err);

/* Option i of the list, or false at its end. */
typedef struct yoke_option_text {
    const char *name, *text;
    const char *words;  /* permitted words, or NULL */
    char preset[64];    /* default value */
    double least, most; /* numbers: permitted range; both 0: no number */
} yoke_option_text;

YOKE_API bool yoke_run_list(int i, yoke_option_text *out);

/* The option that other programs call `word`, such as "stop" for "t_end", or
 * NULL.  Small and capital letters, "-" and "_" count as equal. */
YOKE_API const char *yoke_run_option_meant(const char *word);

/* The value of option i as text, or NULL at the end of the list: a text of the
 * options itself, otherwise written to `scratch`. */
YOKE_API const char *yoke_run_get(const yoke_run_options *options, int i,
                                  char scratch[64]);

/* The schedule that the options ask for (one, without weights). */
YOKE_API yoke_status yoke_run_schedule(yoke_schedule **out,
                                       const yoke_graph *graph,
                                       const yoke_run_options *options,
                                       yoke_err *err);

/* The stepper with which a run with these options solves the cluster of
 * `schedule` that subsystem i is in.  Methods of the schemes port-waves and
 * lions-mercier have fixed steps and rtol 0. */
YOKE_API yoke_status yoke_run_stepper(yoke_model *model,
                                      const yoke_run_options *options,
                                      const yoke_schedule *schedule, int i,
                                      yoke_stepper_options *out, yoke_err *err);

/* How one sweep of the chosen schedule acts on the coupled outputs over one
 * implicit step of length h, linearised at the initial values: spectral radius
 * and maximum norm of the interface iteration.  For h -> 0 the radius tends to
 * the alpha of the theory: above 1 no window is short enough.  Steps at which a
 * part is singular give NAN. */
typedef struct yoke_contraction {
    double h, rho, norm;
} yoke_contraction;

/* Reads h and fills the rest of out[0 .. count-1]. */
YOKE_API yoke_status yoke_model_contraction(yoke_model *model,
                                            const yoke_run_options *options,
                                            int count, yoke_contraction *out,
                                            yoke_err *err);

/* The same at times along the solution, which is computed as one system: what
 * contracts at the start need not do so later. */
typedef struct yoke_along {
    double t;   /* given, increasing */
    double rho; /* over one implicit step of length h that ends there; NAN:
                         a part is singular there, or the look ended before */
    double rho_short; /* over one of length 1e-6 h: no shorter window helps */
    double first[2];  /* two subsystems: relative error of the outputs of the
                         first of the model after one sweep of a window of
                         length h with constant extrapolation, in the chosen
                         order and in the other one; else NAN */
    double answer[2]; /* two: how much each answers to what the other changes
                         in a window, in the order of the schedule; else NAN */
} yoke_along;

/* Reads t and fills the rest of out[0 .. count-1]; each t is at least
 * options->start + h.  After about `most` steps the look ends; 0: no limit. */
YOKE_API yoke_status yoke_model_along(yoke_model *model,
                                      const yoke_run_options *options, double h,
                                      long most, int count, yoke_along *out,
                                      yoke_err *err);

/* The equilibrium of the coupled system at the start time, and whether
 * disturbances grow there: modes between two rates, 1/s, were looked for. */
typedef struct yoke_steady {
    double rate;        /* of the growing mode that was found; 0: none */
    double turn;        /* rad/s, of that mode */
    double least, most; /* rates that were looked for */
    char name[300];     /* the variable that moves most in it, in words */
} yoke_steady;

/* Fails with the variable named where there is no rest, or no single one. */
YOKE_API yoke_status yoke_model_steady(yoke_model *model,
                                       const yoke_run_options *options,
                                       yoke_steady *out, yoke_err *err);

/* A schedule and how it contracts over one implicit step. */
typedef struct yoke_advice {
    char schedule[256]; /* as text */
    double rho, norm;
    double rho_window; /* over one step as long as `window`; NAN: not told */
} yoke_advice;

/* Gauss-Seidel schedules for the model, best first: all orders of up to six
 * clusters (beyond that, those found by exchanging two at a time) and all
 * owners of the constraints, each judged at the step h; `window`, if positive,
 * is a second step for which the radius is told.  Writes at most `room` of them
 * and how many there are.  Schedules with a part that is not solvable
 * are left out. */
YOKE_API yoke_status yoke_model_advise(yoke_model *model,
                                       const yoke_run_options *options,
                                       double h, double window, int room,
                                       yoke_advice *best, int *count,
                                       yoke_err *err);

/* Progress goes to the caller; returning true stops the run cleanly with
 * YOKE_STOPPED. */
typedef struct yoke_watcher {
    bool (*window)(void *context, double t, const yoke_iterate_result *so_far);
    void (*sweep)(void *context, const yoke_sweep *sweep);
    bool (*stop)(void *context); /* asked between all steps and sweeps, so it
                                    should be quick: true stops too.  By any
                                    thread of the run, never by two at once */
    void *context;
    const struct yoke_sink *sink; /* NULL, or who takes the tables besides the
                                     result files: yoke/result.h; borrowed for
                                     the life of the run */
} yoke_watcher;

typedef struct yoke_run_result {
    yoke_iterate_result iterate;
    double t;                 /* time reached */
    bool converged;           /* every window met its test */
    int subsystems;           /* clusters that were solved at the end */
    yoke_work work;           /* of all subsystems of the model; what was solved
                                 as one counts once for each of its members */
    double rate_median;       /* over the windows with three sweeps or more;
                                 NAN: none */
    double rate_predicted;    /* after yoke_run_predict; otherwise NAN */
    yoke_work oracle;         /* see yoke_run_oracle */
    bool replayed;            /* measured, not estimated */
    double overhead;          /* residuals over those of the oracle; NAN: not
                                 known, because subsystems were solved as one
                                 and nothing was replayed */
    int steps;                /* of the ladder, see yoke_run_step */
    double seconds;           /* wall time of the run */
    int jobs;                 /* threads that it had */
    int variables;            /* recorded */
    int remarks;              /* see yoke_run_remark */
    const char *repaired;     /* why subsystems were solved as one from some
                                 time on: the coupled iteration failed; borrowed
                                 from the run; NULL: it did not */
    char text[YOKE_ERR_SIZE]; /* one paragraph: what was done, how accurate */
} yoke_run_result;

/* A run in steps.  Borrows `model` (which must outlive it and must not change),
 * copies `options` and `watcher` (may be NULL). */
typedef struct yoke_run yoke_run;

YOKE_API yoke_status yoke_run_create(yoke_run **out, yoke_model *model,
                                     const yoke_run_options *options,
                                     const yoke_watcher *watcher,
                                     yoke_err *err);

/* A text under a name in the result file, such as the command line; one
 * that is there is replaced.  Without a result file nothing happens. */
YOKE_API yoke_status yoke_run_note(yoke_run *run, const char *name,
                                   const char *text, yoke_err *err);

/* The notes that a result file has from its beginning on (options, subsystems,
 * signals, ...) and what is solved together now, given to `note` of a sink;
 * nothing else of it is called. */
YOKE_API yoke_status yoke_run_describe(const yoke_run *run,
                                       const struct yoke_sink *to,
                                       yoke_err *err);

/* Windows until t, at most options.stop; the last one ends exactly there.  On
 * failure what was accepted before is on disk.  If the coupled iteration fails,
 * and `cluster` and `accelerate` are auto, the run goes on with the subsystems
 * of the loop that failed, at last with all, as one system; the summary says
 * so. */
YOKE_API yoke_status yoke_run_advance(yoke_run *run, double t, yoke_err *err);

/* The run may go on until `stop`, which is later than options.stop; what would
 * have happened at the end of the run does not, nor is the run solved a second time.
 * Before that end is reached. */
YOKE_API void yoke_run_prolong(yoke_run *run, double stop);

/* The time reached. */
YOKE_API double yoke_run_time(const yoke_run *run);

/* Closes the result files and frees the run; reports what could not be written.
 * Accepts NULL. */
YOKE_API yoke_status yoke_run_close(yoke_run *run, yoke_err *err);

YOKE_API void yoke_run_summary(const yoke_run *run, yoke_run_result *result);

/* The recorded variables: names and values at the time reached; borrowed. */
YOKE_API int yoke_run_variables(const yoke_run *run, const char *const **name,
                                const double **value);
/* The unit of variable k of these, "" if none is known; borrowed. */
YOKE_API const char *yoke_run_unit(const yoke_run *run, int k);

/* What the run decided by itself, in the order in which it did, or false at the
 * end.  Texts are borrowed from the run. */
typedef struct yoke_ladder_step {
    const char *
        rung; /* order, acceleration, cluster, window, waves, tolerance, monolithic
                       */
    double t;         /* from when on */
    const char *text; /* what and why */
} yoke_ladder_step;

YOKE_API bool yoke_run_step(const yoke_run *run, int i, yoke_ladder_step *step);

/* Work of subsystem i of the model, with the constraints that it owns, and its
 * name, or false at the end.  What was solved as one with others counts for
 * each of them; of its seconds each has an equal part. */
YOKE_API bool yoke_run_work(const yoke_run *run, int i, const char **name,
                            yoke_work *work);

/* Drift i: a recorded output "SUBSYSTEM.drift.NAME" of a mechanism, what is
 * left of a constraint (".v": of its derivative); the largest over the accepted
 * windows, at the points of the time grid, and when; false at the end of the
 * list. */
YOKE_API bool yoke_run_drift(const yoke_run *run, int i, const char **name,
                             double *largest, double *t);

/* What subsystems remarked on the accepted solution, such as assertions of
 * level warning: the subsystem and since when; false at the end of the list.
 * Borrowed. */
YOKE_API bool yoke_run_remark(const yoke_run *run, int i,
                              const char **subsystem, yoke_remark *remark);

/* Spot checks: pieces of accepted windows, drawn at random, that were solved
 * once more in another way.  A difference above ten tolerances ends a run with
 * YOKE_E_NUMERIC.  Their work is not that of the run. */
typedef struct yoke_spot {
    int made;         /* pieces that were compared */
    int undecided;    /* differences that small changes at the beginning of the
                         piece, or another method, make as well */
    int failed;       /* pieces that had no solution in another way */
    double time;      /* length of the pieces, all together */
    double largest;   /* difference over the tolerance */
    double t;         /* where */
    const char *name; /* the variable; borrowed from the run */
    yoke_work work;
} yoke_spot;

/* False: this run makes none. */
YOKE_API bool yoke_run_spot(const yoke_run *run, yoke_spot *out);

/* The second solution of the whole, to a tenth of the tolerance, of a run that was
 * cheap enough (option second). */
typedef struct yoke_second {
    bool made;
    double apart;       /* largest difference, in tolerances of the run */
    double t;           /* where */
    const char *name;   /* the variable; borrowed from the run */
    const char *failed; /* why there is none; empty: there is */
    double part; /* of the tolerance that the run was solved to because of it */
} yoke_second;

/* False: there was none. */
YOKE_API bool yoke_run_second(const yoke_run *run, yoke_second *out);

/* How far straight lines between the rows that `every: auto` wrote are from the
 * solution, as a part of the range of each variable, and since when that is more than
 * they should be because of the option `rows` (NAN: it is not).  False: no rows were
 * chosen. */
YOKE_API bool yoke_run_rows(const yoke_run *run, double *within, double *since);

/* Sizes by which variables of a run are judged, from the largest values of each:
 * velocities (.v) of one subsystem have one size, and its accelerations (.a) another,
 * because those of a point that stands still are as accurate as the others. */
YOKE_API void yoke_run_sizes(int columns, const char *const *name,
                             const double *largest, double *size);

/* Closed part i (an FMU) in a sentence: how it went back in time, and what that
 * cost; false at the end of the list. */
YOKE_API bool yoke_run_closed(const yoke_run *run, int i, char *text,
                              size_t room);

/* With `places`: which units were in which process and what travelled, line by
 * line; false at their end, and without places. */
YOKE_API bool yoke_run_place(const yoke_run *run, int line, char *text,
                             size_t room);

/* What exit status 0 does not certify about this run, such as steps without
 * error control: sentence i, or false at the end of the list.  Borrowed from
 * the run until the next call. */
YOKE_API bool yoke_run_uncertain(yoke_run *run, int i, const char **text);

/* What the run would take on another machine, computed from its tasks (option
 * `tasks`): so many threads, or so many processes ("ranks") that send waveforms
 * to each other with the latency and the bandwidth of the options.  The first
 * one is this run. */
typedef struct yoke_scaling {
    int count;
    bool threads;
    double seconds;
    double messages; /* of these, waiting for messages */
    double serial;   /* of these, what nobody shares */
} yoke_scaling;

/* *list, which belongs to the run until the next call; *count: 0 if tasks are not
 * recorded. */
YOKE_API yoke_status yoke_run_scaling(yoke_run *run, int *count,
                                      const yoke_scaling **list, yoke_err *err);

/* What subsystem i would have cost if the waveforms at its inputs had been
 * known beforehand: the least that any coupling can do with.  Estimated by its
 * last solve in each window, which is not known (zero) if it was solved as one
 * with others; measured after yoke_run_replay.  False at the end. */
YOKE_API bool yoke_run_oracle(const yoke_run *run, int i, yoke_work *work);

/* Keeps the outputs of all subsystems over the whole run, for the replay.  To
 * be called before the first window. */
YOKE_API yoke_status yoke_run_keep_waves(yoke_run *run, yoke_err *err);

/* Solves every subsystem once more, alone, from the start to the time reached,
 * with the waveforms that the run accepted.  `apart`, which may be NULL: the
 * largest difference of its outputs from those of the run, over the tolerance.
 */
YOKE_API yoke_status yoke_run_replay(yoke_run *run, double *apart,
                                     yoke_err *err);

/* The rate per sweep that the linearisation at the initial values predicts
 * (yoke_model_contraction, for steps as long as the windows): median over the
 * windows in which a rate was measured, over all if there are none.  NAN where
 * it is not told: with several schedules, relaxation, or more than 200 signals.
 */
YOKE_API yoke_status yoke_run_predict(yoke_run *run, double *rate,
                                      yoke_err *err);

/* The recorded variables at a time of the last accepted window; `value` has as
 * many entries as there are variables.  For the watcher's `window`. */
YOKE_API void yoke_run_at(yoke_run *run, double t, double *value);

/* The derivatives of the recorded variables by time at the time reached, from
 * the left; zero at the start.  `value` as above. */
YOKE_API void yoke_run_slopes(const yoke_run *run, double *value);

/* The first time after t, in the last window, at which something happened: an
 * event or a breakpoint; INFINITY: nothing did.  For the watcher's `window`. */
YOKE_API double yoke_run_instant(const yoke_run *run, double t);

/* Port-Hamiltonian subsystems: what their structure guarantees, and where the
 * energy went. */
typedef struct yoke_power {
    int blocks, pairs;   /* subsystems, paired ports between them */
    bool split;          /* the scheme is port-waves or lions-mercier */
    const char *method;  /* what is done in a window */
    double step, window; /* of the split schemes */
    double mu, omega;    /* weight exp(-2 omega t) of the norm */
    double q;            /* guaranteed reduction per sweep; 1: none */
    double guaranteed;   /* sweeps per window at most; INFINITY: no bound */
    double bound, optimum, lambda; /* (21) of Bartel and others at lambda, its
                                      least value, and where */
    double matrix;                 /* q of the matrix-valued lambda */
    const char *statement;         /* which theorem holds for this system */
    double frequency;    /* 1/s, of the coupling: plain sweeps over a window
                            of length T grow as (frequency T)^k / k! */
    double growth, peak; /* log10 of the largest growth over the run without
                            windows, and after how many sweeps */

    /* After a run; NAN: not known. */
    double sweeps, worst; /* per window: mean and most */
    double rate;          /* largest measured, in the norm above */
    double begun, stored, dissipated, supplied, defect; /* energy */
} yoke_power;

/* Before a run.  False: no subsystem is port-Hamiltonian.  A failure says what
 * of the structure or of the options is not permitted. */
YOKE_API yoke_status yoke_model_power(yoke_model *model,
                                      const yoke_run_options *options,
                                      bool *found, yoke_power *out,
                                      yoke_err *err);

/* Of a run so far; false: no subsystem is port-Hamiltonian. */
YOKE_API bool yoke_run_power(const yoke_run *run, yoke_power *out);

/* Value of variable "subsystem.name" (unknown or output) at the time reached.
 */
YOKE_API yoke_status yoke_run_value(const yoke_run *run, const char *name,
                                    double *value, yoke_err *err);

/* All in one: create, advance to options.stop, close.  `result` may be NULL; it
 * is filled on failure too. */
YOKE_API yoke_status yoke_simulate(yoke_model *model,
                                   const yoke_run_options *options,
                                   yoke_run_result *result, yoke_err *err);

YOKE_END_C

#endif
