/* record/record.h -- what is kept of a run: rows of recorded variables, the log
 * of the coupling, iterates, remarks, drifts and notes. */
#ifndef YK_RECORD_H
#define YK_RECORD_H

#include "io/writer.h"
#include "iter/units.h"
#include "model/model.h"
#include "record/choice.h"
#include "record/tally.h"
#include "yoke/result.h"
#include "yoke/run.h"

/* A recorded variable: where its value is found in plan 0. */
typedef struct yk_record_column {
    int node;
    bool is_output; /* component of the output waveform; otherwise watched */
    int index;      /* unknown or output of the node */
    int unit, component;
} yk_record_column;

/* A column of the result file: a column of the record times a factor, or a
 * constant. */
typedef struct yk_record_shown {
    char *name;
    const char *unit; /* borrowed */
    int column;       /* -1: `factor` is the value */
    double factor;
} yk_record_shown;

/* What is left of a constraint, see yoke_run_drift. */
typedef struct yk_record_drift {
    int column;
    double largest, t;
} yk_record_drift;

/* A remark of a subsystem that became true. */
typedef struct yk_record_noted {
    int node, number;
    yoke_remark remark;
} yk_record_noted;

typedef struct yk_record_times {
    int count;
    double *at;
    size_t room;
} yk_record_times;

typedef struct yk_record {
    const yoke_model *model; /* borrowed, as the next four */
    const yoke_graph *graph;
    const yoke_run_options *options;
    yk_units *units;
    const yk_tally *tally;
    const yoke_sink *sink; /* NULL: rows go to files only */

    int columns;
    yk_record_column *column;
    char **name; /* of each */
    int shows;   /* columns of the result file */
    yk_record_shown *shown;
    double *shown_row;
    double *row;             /* time, then the values at the time reached */
    double *scratch;         /* one value of the widest waveform */
    bool waits;              /* the first row waits for the first window */
    double next_row;         /* number of the next row of the regular grid */
    double last_row;         /* time of the last row written */
    yk_record_times when;    /* rows of the present window */
    yk_record_times instant; /* where both sides are written */
    double *left;            /* the left side */

    yk_choice *rows;           /* of YOKE_EVERY_AUTO; else NULL */
    yk_statistics *statistics; /* of each column; NULL: nothing is written */
    int statistics_table;
    double *scale, *floor; /* of each: range; what the solver may err */
    yk_curve *curve;       /* of each, in the present window */
    double *look_price;    /* of looking at a group of them */

    yk_record_noted *remark;
    char *rest_text; /* of a remark of verify/rest.c, or NULL */
    int remarks;
    size_t remark_room;

    yk_writer *writer; /* NULL: nothing is written */
    int result_table, log_table, work_table, iterate_table, steps_table;
    double *steps_row, steps_next; /* NULL: no steps are counted */
    int groupings;                 /* notes of what is solved together */
    double *log_row;
    bool log_split;  /* the log has the columns of a split unit */
    int coupled;     /* variables of the first units */
    int *coupled_id; /* output id of each */
    int *coupled_at; /* of each: number among the present variables, or -1 */
    int (*iterate_at)[2]; /* of each: unit and component of plan 0, or -1 */
    double *iterate_row;  /* NULL: iterates are not recorded */
    double last_flush;

    int drifts;
    yk_record_drift *drift;

    int notes; /* name and text of each, in order */
    char **note;
    size_t note_room;
} yk_record;

/* That of a run (run/results.c). */
const yk_record *yk_run_record(const yoke_run *run);

/* The variables, by the option `record`; their places in the units, which may
 * be others later; room for one value of each waveform. */
yoke_status yk_record_choose(yk_record *r, yoke_err *err);
yoke_status yk_record_place(yk_record *r, yoke_err *err);
yoke_status yk_record_room(yk_record *r, yoke_err *err);
void yk_record_find_coupled(yk_record *r); /* the units are others */

/* Opens the result files and their tables; `split`: the log is that of a unit
 * that iterates inside. */
yoke_status yk_record_open(yk_record *r, bool split, yoke_err *err);
void yk_record_free(yk_record *r);

yoke_status yk_record_first(yk_record *r, double t, const double *const *x,
                            const double *y, yoke_err *err);
/* The first row, if it waits for a window, which has been accepted. */
yoke_status yk_record_now(yk_record *r, yoke_err *err);
yoke_status yk_record_window(yk_record *r, double t0, double t1, yoke_err *err);

/* The ends of the steps in the window that is accepted, of all units that have
 * columns, in order. */
yoke_status yk_record_steps(const yk_record *r, yk_record_times *times,
                            yoke_err *err);
yoke_status yk_record_sweep(yk_record *r, const yoke_sweep *sweep,
                            double predicted, yoke_err *err);
yoke_status yk_record_last(yk_record *r, yoke_err *err);

/* Something happened at the end of the run: the values after it become the last
 * row, and those before it the one before. */
yoke_status yk_record_beyond(yk_record *r, yoke_err *err);

/* The unit of a column, "" if none is known. */
const char *yk_record_unit(const yk_record *r, int column);

/* The waveform of the last window that holds a column; the values of all columns
 * at a time of it. */
const yk_wave *yk_record_wave(const yk_record *r,
                              const yk_record_column *column);
void yk_record_at(const yk_record *r, double t, double *value);
/* Their derivatives there, from the left. */
void yk_record_slopes(const yk_record *r, double t, double *value);

/* The same into `row`, from the left or from the right; writes a row. */
void yk_record_fill(yk_record *r, double t, bool right);
yoke_status yk_record_write(yk_record *r, const double *row, yoke_err *err);

/* Do values on both sides of an instant differ by more than what rounding and an
 * open iteration leave? */
bool yk_record_jumped(const yk_record *r, int count, const double *left,
                      const double *right);

/* Takes a remark; its text lives as long as the record. */
yoke_status yk_record_remark(yk_record *r, const yk_record_noted *noted,
                             yoke_err *err);
yoke_status yk_record_note_remarks(yk_record *r, yoke_err *err);

/* Writes a note where there is a file; keeps it for a run that begins again. */
yoke_status yk_record_write_note(yk_record *r, const char *name,
                                 const char *text, yoke_err *err);
yoke_status yk_record_note(yk_record *r, const char *name, const char *text,
                           yoke_err *err);

/* record/shown.c: what the file shows of the columns: they, and aliases. */
int yk_shown_most(const yk_record *r); /* columns that aliases may need */
yoke_status yk_shown_choose(yk_record *r, yoke_err *err);
yoke_status yk_shown_check(const yk_record *r, yoke_err *err);
const double *yk_shown_row(yk_record *r, const double *row);
yk_statistics yk_shown_statistics(const yk_record *r, int k, double span);
void yk_shown_free(yk_record *r);

/* record/window.c: which rows of a window are written; least, most, mean and
 * rms of each column, a row each in the table "statistics". */
yoke_status yk_window_open(yk_record *r, yoke_err *err);
yoke_status yk_window_first(yk_record *r, yoke_err *err);
yoke_status yk_window_end(yk_record *r, yoke_err *err);
void yk_window_close(yk_record *r);

/* record/drift.c: the largest drift of recorded constraints. */
yoke_status yk_drift_create(yk_record *r, yoke_err *err);
void yk_drift_window(yk_record *r);

/* record/journal.c: what a result file says about its run: options and graph as
 * notes, iterates, the work at the end. */
yoke_status yk_journal_open(yk_record *r, yoke_err *err);
yoke_status yk_journal_window(yk_record *r, double t, yoke_err *err);
/* What is solved together from now on. */
yoke_status yk_journal_together(yk_record *r, yoke_err *err);
/* The notes that a run has from its beginning on, and what is solved together
 * now, to `note` of a sink. */
yoke_status yk_journal_describe(const yk_record *r, const yoke_sink *to,
                                yoke_err *err);
void yk_journal_find_iterates(yk_record *r);
yoke_status yk_journal_sweep(yk_record *r, const yoke_sweep *sweep,
                             yoke_err *err);
yoke_status yk_journal_failure(yk_record *r, const yoke_err *why,
                               yoke_err *err);
yoke_status yk_journal_end(yk_record *r, const yoke_run_result *end,
                           yoke_err *err);

#endif
