/* wave/history.h -- the past of a waveform, as long as a delay may ask for it.
 *
 * Memory and work are proportional to the pieces within the longest delay.
 */
#ifndef YK_HISTORY_H
#define YK_HISTORY_H

#include "base/base.h"
#include "wave/wave.h"

typedef struct yk_history yk_history;

/* `dim` components that are remembered for `span` > 0. */
yoke_status yk_history_create(yk_history **out, int dim, double span,
                              yoke_err *err);
void yk_history_free(yk_history *history); /* accepts NULL */

/* Forgets everything: it was value[dim] up to t. */
yoke_status yk_history_start(yk_history *history, double t, const double *value,
                             yoke_err *err);

/* Continues with the components component[dim] of `wave`, which begins where
 * the history ends. */
yoke_status yk_history_add(yk_history *history, const yk_wave *wave,
                           const int *component, yoke_err *err);

/* dst(t) = history(t - delay) on [t0, t1], its knots moved by the delay.  At
 * most `span` of the past is asked for, and nothing after its end but for
 * rounding. */
yoke_status yk_history_read(const yk_history *history, double t0, double t1,
                            double delay, yk_wave *dst, yoke_err *err);

/* The values at one instant, from the left. */
void yk_history_value(const yk_history *history, double t, double *value);

#endif
