/* io/report.h -- the parts of a report.
 *
 * report.c puts the data into the page; report_data.c turns a result file into
 * JSON; report_json.c knows how JSON is written.  The page itself is made from
 * web/ when the library is built.
 *
 * Needs _POSIX_C_SOURCE 200809L.
 */
#ifndef YK_IO_REPORT_H
#define YK_IO_REPORT_H

#include "io/text.h"
#include "yoke/report.h"
#include "yoke/result.h"

/* HTML with the marks @YOKE_TITLE@ and @YOKE_DATA@; ends with a zero. */
extern const unsigned char yk_report_page[];

/* Text between quotes.  Safe inside <script>: <, > and & are escaped; bytes
 * that are not UTF-8 become the replacement character. */
yoke_status yk_json_text(yk_text *out, const char *text, yoke_err *err);

/* "name": , with a comma in front unless it is the first after a brace. */
yoke_status yk_json_key(yk_text *out, const char *name, yoke_err *err);
yoke_status yk_json_int(yk_text *out, const char *name, int value,
                        yoke_err *err);

/* Numbers between brackets; null for what is not finite.  Each keeps `digits`
 * digits, and as many of the range of all; 17: they are exact.  Between
 * yk_locale_enter and yk_locale_leave only. */
yoke_status yk_json_numbers(yk_text *out, int count, const double *value,
                            int digits, yoke_err *err);

/* Everything the page shows.  All options are set. */
yoke_status yk_report_data(yk_text *out, const char *path,
                           const yoke_notes *notes,
                           const yoke_report_options *options, yoke_err *err);

#endif
