/* comp/fmu/trace.h -- outputs of an FMU at points of time, as a waveform.
 *
 * Two points at one time are the values before and after an event; the second may
 * have been known a little later only, and is continued back.  Between
 * such times outputs are smooth, and each piece is the cubic with the values at
 * its ends and their slopes, which are those of the FMU, or of the polynomial
 * through the five nearest points.  Values at the points that are of fourth order
 * in their distance give a waveform of fourth order.
 */
#ifndef YK_FMU_TRACE_H
#define YK_FMU_TRACE_H

#include "base/base.h"
#include "wave/wave.h"

typedef struct yk_fmu_trace {
    int p, points;
    double *time; /* of points, not decreasing */
    double *late; /* by how much later it was known */
    bool *bend;   /* at the second of two: no event, smooth but there */
    double *value, *slope; /* p of each point; slope NAN: not known */
    size_t time_room, late_room, bend_room, value_room, slope_room;
    double *coef;   /* of a piece */
    double *left;   /* slopes of a piece: at its beginning, */
    double *right;  /* and at its end */
    double *breaks; /* times of events */
    size_t break_room;
    int broken;
} yk_fmu_trace;

yoke_status yk_trace_create(yk_fmu_trace *t, int p, yoke_err *err);
void yk_trace_clear(yk_fmu_trace *t);

void yk_trace_begin(yk_fmu_trace *t);

/* A new point; its values and slopes are to be filled in. */
yoke_status yk_trace_add(yk_fmu_trace *t, double time, double **value,
                         double **slope, yoke_err *err);

/* Are the slopes of output c that are given those of its values?  True if there
 * are too few points to tell. */
bool yk_trace_believes(const yk_fmu_trace *t, int c);
void yk_trace_forget(yk_fmu_trace *t); /* all slopes */

/* held[p]: the output is constant between two points, and changes at the second;
 * `between`: it has changed somewhere between them. */
yoke_status yk_trace_write(yk_fmu_trace *t, const bool *held, bool between,
                           yk_wave *y, yoke_err *err);

#endif
