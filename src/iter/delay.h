/* iter/delay.h -- signals with a delay: inputs that are the past of outputs.
 *
 * Over a window no longer than the shortest delay a delayed signal is known
 * before the window begins: no sweep changes it.  So it is no coupling at all
 * for the iteration: not in the order of the units, not in the convergence
 * test, and a system whose loops all have a delay needs one sweep.
 */
#ifndef YK_DELAY_H
#define YK_DELAY_H

#include "graph/graph.h"
#include "wave/wave.h"

typedef struct yk_delays yk_delays;

/* For the delayed links of a graph.  *out is NULL if there is none; every
 * function accepts that. */
yoke_status yk_delays_create(yk_delays **out, const yoke_graph *graph,
                             yoke_err *err);
void yk_delays_free(yk_delays *delays);

/* The past before t: of each output its value in y, or that of the link.
 * y[first_out[node] + output]. */
yoke_status yk_delays_start(yk_delays *delays, double t, const int *first_out,
                            const double *y, yoke_err *err);

/* The shortest delay; INFINITY: none. */
double yk_delays_least(const yk_delays *delays);

/* Delayed waveforms over [t0, t1], t1 - t0 at most the shortest delay. */
yoke_status yk_delays_read(yk_delays *delays, double t0, double t1,
                           yoke_err *err);

/* The waveform that link l of the graph reads, and its component; filled by
 * yk_delays_read.  NULL: link l has no delay. */
const yk_wave *yk_delays_wave(const yk_delays *delays, int l, int *component);

/* What link l reads at t, without its weight. */
double yk_delays_value(const yk_delays *delays, int l, double t);

/* Remembers a window.  `find` gives the waveform over it that has an output,
 * by its number first_out[node] + output, and the component. */
typedef const yk_wave *(*yk_find_output)(const void *context, int output,
                                         int *component);
yoke_status yk_delays_keep(yk_delays *delays, yk_find_output find,
                           const void *context, yoke_err *err);

#endif
