/* yoke/report.h -- a page about a run: one HTML file that needs nothing else.
 *
 * Waveforms, profiles, the iterates of a window, convergence, decisions, work,
 * options and the graph of the system, as far as the result file, and those
 * beside a .csv file, hold them.
 */
#ifndef YOKE_REPORT_H
#define YOKE_REPORT_H

#include "yoke/status.h"

YOKE_BEGIN_C

typedef struct yoke_report_options {
    const char *title; /* NULL: the note "system", or the name of the file */
    int variables;     /* most columns of the result; 0: 200 */
    int points;        /* most points per variable, at least 10; 0: 5000.  Of
                          longer tables the least and the largest value of each
                          of points / 2 intervals are taken */
    int pictures;
    const char *const *picture; /* .svg and .png files shown at the end */
} yoke_report_options;

/* `html` ends in .html or .htm.  `options` may be NULL. */
YOKE_API yoke_status yoke_report_write(const char *result, const char *html,
                                       const yoke_report_options *options,
                                       yoke_err *err);

/* The page without its data, for who serves it: HTML with the marks
 * @YOKE_TITLE@ (twice), @YOKE_PICTURES@, @YOKE_SHAPES@ and @YOKE_DATA@, the
 * last for JSON in which no < is left. */
YOKE_API const char *yoke_report_template(void);

YOKE_END_C

#endif
