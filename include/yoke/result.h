/* yoke/result.h -- tables on disk: results, coupling log, pictures.
 *
 * A result file holds named tables of doubles.  The table "result" has `time`
 * first and dotted names; the table "coupling" is the coupling log.
 *
 *     name.csv   RFC 4180; the table "result"; other tables go to files beside
 *                it, name.coupling.csv, the notes to name.notes.csv
 *     name.h5    HDF5: one group per table with the dataset `data` (rows by
 *                columns), attributes `names`, `units`; provenance as
 *                attributes of the file
 *     name.raw   as ngspice writes it; the table "result"
 */
#ifndef YOKE_RESULT_H
#define YOKE_RESULT_H

#include "yoke/profile.h"
#include "yoke/status.h"

#include <stdbool.h>

YOKE_BEGIN_C

/* A table in memory: value[row * cols + col]. */
typedef struct yoke_table {
    int rows, cols;
    char **name, **unit;
    double *value;
} yoke_table;

/* Reads `table` ("result", "coupling") of a file written as above, or any CSV
 * file with a header line. */
YOKE_API yoke_status yoke_table_read(yoke_table **out, const char *path,
                                     const char *table, yoke_err *err);
YOKE_API void yoke_table_free(yoke_table *table); /* accepts NULL */

/* Writes it as the table "result" of a new file; the extension of `path`
 * decides: .csv, .h5 or .raw; others are refused. */
YOKE_API yoke_status yoke_table_write(const yoke_table *table, const char *path,
                                      yoke_err *err);

/* Takes what a run writes to result files, for those who want it in memory: see
 * yoke_watcher.  Rows come in blocks, at the latest when yoke_run_advance
 * returns.  All that is handed over is borrowed for the call. */
typedef struct yoke_sink {
    /* A new table; its number is how many there were before, `unit` may be
     * NULL.  A run that begins again opens its tables again: `begin` is called
     * first, and all that came before is void. */
    yoke_status (*begin)(void *context, yoke_err *err);
    yoke_status (*table)(void *context, const char *table, int cols,
                         const char *const *name, const char *const *unit,
                         yoke_err *err);
    yoke_status (*rows)(void *context, int table, int rows, const double *value,
                        yoke_err *err);
    yoke_status (*note)(void *context, const char *name, const char *text,
                        yoke_err *err); /* NULL: notes are not wanted */
    void *context;
} yoke_sink;

/* The notes of a file written as above.  A text that cannot be read is left
 * out. */
typedef struct yoke_notes {
    int count;
    char **name, **text;
} yoke_notes;

YOKE_API yoke_status yoke_notes_read(yoke_notes **out, const char *path,
                                     yoke_err *err);
YOKE_API void yoke_notes_free(yoke_notes *notes); /* accepts NULL */

/* The text under this name, or NULL; borrowed. */
YOKE_API const char *yoke_notes_find(const yoke_notes *notes, const char *name);

/* The profiles that the note "profiles" tells of; the variables are columns of
 * the table "result" and may be absent there.  None without the note; one that
 * is damaged is refused with its line. */
typedef struct yoke_profiles {
    int count;
    yoke_profile *profile;
} yoke_profiles;

YOKE_API yoke_status yoke_profiles_read(yoke_profiles **out,
                                        const yoke_notes *notes, yoke_err *err);
YOKE_API void yoke_profiles_free(yoke_profiles *profiles); /* accepts NULL */

/* Column with this name, or -1. */
YOKE_API int yoke_table_find(const yoke_table *table, const char *name);

/* Largest difference of a column of b from the same column of a, b interpolated
 * linearly to the times of a in the common interval: absolute, at which time,
 * and relative to the largest value of a. */
typedef struct yoke_difference {
    double max_abs, max_rel, rms, at_time;
} yoke_difference;

YOKE_API yoke_status yoke_table_compare(const yoke_table *a,
                                        const yoke_table *b, const char *name,
                                        yoke_difference *out, yoke_err *err);

/* Whether a column of two tables agrees within atol + rtol times its largest
 * value, at the times of both, in the common interval.  Between rows a table is
 * a straight line, whose error is estimated; a jump may be sampled on either
 * side. */
typedef enum yoke_outcome {
    YOKE_PASSES,
    YOKE_FAILS,  /* also: a value is not a number */
    YOKE_UNCLEAR /* the rows are too far apart to tell */
} yoke_outcome;

typedef struct yoke_verdict {
    yoke_outcome outcome;
    yoke_difference difference; /* the largest that counts */
    double allowed;
    double unsure; /* the largest error of a straight line */
    int sides;     /* jumps that were sampled on different sides */
    bool covered;  /* both tables begin and end at the same times */
} yoke_verdict;

YOKE_API yoke_status yoke_table_judge(const yoke_table *a, const yoke_table *b,
                                      const char *name, double rtol,
                                      double atol, yoke_verdict *out,
                                      yoke_err *err);

/* A picture of columns over time, by gnuplot; the extension of `path` decides:
 * .png or .svg.  Columns of several tables may be mixed. */
typedef struct yoke_curve {
    const yoke_table *table;
    int column;
    const char *label; /* NULL: the column's name */
    int panel;         /* from 0 on; panels stand one below the other */
    int x_column;      /* of its table; 0: that of the options */
} yoke_curve;

typedef struct yoke_plot_options {
    const char *title, *x_label, *y_label; /* may be NULL */
    bool log_x, log_y, points;
    int width, height; /* pixels; 0: 960 by 540 */
    int x_column;      /* of every table; 0 is `time` */
} yoke_plot_options;

YOKE_API yoke_status yoke_plot(const char *path, int curves,
                               const yoke_curve *curve,
                               const yoke_plot_options *options, yoke_err *err);

YOKE_END_C

#endif
