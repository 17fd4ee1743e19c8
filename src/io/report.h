/* io/report.h -- the parts of a report.
 *
 * report.c puts the data into the page; report_data.c turns a result file into
 * JSON; report_json.c knows how JSON is written; report_profile.c chooses what
 * is shown of profiles, report_shapes.c draws some of it for pages without
 * JavaScript.  The page itself is made from web/ when the library is built.
 *
 * Needs _POSIX_C_SOURCE 200809L.
 */
#ifndef YK_IO_REPORT_H
#define YK_IO_REPORT_H

#include "io/text.h"
#include "yoke/report.h"
#include "yoke/result.h"

/* HTML with the marks @YOKE_TITLE@ (twice), @YOKE_SHAPES@ and @YOKE_DATA@; ends
 * with a zero. */
extern const unsigned char yk_report_page[];

/* Text between quotes.  Safe inside <script>: <, > and & are escaped; bytes
 * that are not UTF-8 become the replacement character. */
yoke_status yk_json_text(yk_text *out, const char *text, yoke_err *err);

/* "name": , with a comma in front unless it is the first after a brace. */
yoke_status yk_json_key(yk_text *out, const char *name, yoke_err *err);
yoke_status yk_json_pair(yk_text *out, const char *name, const char *text,
                         yoke_err *err);
yoke_status yk_json_int(yk_text *out, const char *name, int value,
                        yoke_err *err);

/* Numbers between brackets; null for what is not finite.  Each keeps `digits`
 * digits, and as many of the range of all; 17: they are exact.  Behind
 * YK_POINT only. */
yoke_status yk_json_numbers(yk_text *out, int count, const double *value,
                            int digits, yoke_err *err);

yoke_status yk_json_real(yk_text *out, const char *name, double value,
                         yoke_err *err);

/* Text for HTML. */
yoke_status yk_html_text(yk_text *out, const char *text, yoke_err *err);

/* ---- profiles ------------------------------------------------------------ */

/* A profile whose columns are in the table. */
typedef struct yk_report_shape {
    const yoke_profile *profile;
    int group;    /* those of one group are drawn together */
    int points;   /* shown */
    int *point;   /* which ones */
    int *column;  /* of each; -1: zero */
    int *mark_at; /* columns of the marks; -1: zero, -2: not there */
    double least, most;
    bool log; /* decimal logarithms are shown: positive values over powers of
                 ten, such as densities of carriers */
} yk_report_shape;

/* Rows at about equal times. */
typedef struct yk_shapes {
    const yoke_table *table; /* borrowed */
    int count, groups, frames;
    yk_report_shape *shape;
    int *row;        /* of each frame */
    bool *is_column; /* of each column of the table: belongs to a profile */
} yk_shapes;

/* `profiles` and `table` must outlive them. */
yoke_status yk_shapes_create(yk_shapes *out, const yoke_profiles *profiles,
                             const yoke_table *table, yoke_err *err);
void yk_shapes_clear(yk_shapes *shapes);

double yk_shape_value(const yk_shapes *shapes, int row, int column);
/* What is shown of it. */
double yk_shape_shown(const yk_shapes *shapes, const yk_report_shape *shape,
                      int row, int column);

/* As JSON; as SVG. */
yoke_status yk_report_profiles(yk_text *out, const yk_shapes *shapes,
                               yoke_err *err);
yoke_status yk_report_shapes(yk_text *out, const yk_shapes *shapes,
                             yoke_err *err);

/* ---- the data ------------------------------------------------------------ */

typedef struct yk_report {
    const char *path;
    const yoke_notes *notes;
    const yoke_table *result;
    const yk_shapes *shapes;
    const char *no_profiles;     /* why there are none though there should be */
    yoke_report_options options; /* all set */
} yk_report;

/* Everything the page shows. */
yoke_status yk_report_data(yk_text *out, const yk_report *report,
                           yoke_err *err);

#endif
