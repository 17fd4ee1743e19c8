/* comp/netlist/analyse/measure.h -- .measure on a table of rows.
 *
 * The first column of the table is the scale (time, frequency, a swept
 * source); between rows every signal is taken as a straight line.  A signal is
 * a column, v(a,b) with two columns v(a) and v(b), or, of complex columns,
 * vm, vdb, vp (radians), vr, vi and the same of currents; v(a) alone is the
 * real part, as in ngspice; or par(...), an expression of real columns.
 */
#ifndef YK_MEASURE_H
#define YK_MEASURE_H

#include "comp/netlist/analyse/analyse.h"

/* `result` holds those of the measures before; NULL: they are not known yet,
 * and param= has none.  *value is NAN if there is no result.  YOKE_E_ARG: the
 * line says what is not understood or not supported, or there is no such
 * column; YOKE_E_MODEL: the waveforms do not do what is to be measured (no such
 * crossing, nothing in the interval).  Messages begin with file:line. */
yoke_status yk_net_measure_eval(const yk_net_measure *measure,
                                const yk_net_rows *rows, const double *result,
                                double *value, yoke_err *err);

/* Calls `visit` for the columns v(...), i(...) that a measure needs; texts
 * live only during the call.  What is not understood is left out here and told
 * by yk_net_measure_eval. */
yoke_status yk_net_measure_columns(const yk_net_measure *measure,
                                   yoke_status (*visit)(void *context,
                                                        const char *name,
                                                        yoke_err *err),
                                   void *context, yoke_err *err);

/* No more columns than this. */
int yk_net_measure_most(const yk_net_measure *measure);

/* The value of a part such as vdb(a,b) or ip(v1) of complex columns in one row;
 * false: the text is no such part, or there is no such column. */
bool yk_net_part_of_row(const yk_net_rows *rows, const char *text, int row,
                        double *value);

#endif
