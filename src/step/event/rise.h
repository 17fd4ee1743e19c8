/* step/event/rise.h -- where a known function of a step first rises to zero
 * (rise.c). */
#ifndef YK_STEP_RISE_H
#define YK_STEP_RISE_H

#include "yoke/optional.h"

/* phi = sign (g - level), g indicator k along the path. */
typedef struct yk_rise {
    const yoke_curves *curves;
    yoke_path path;
    int k;
    double sign, level;
    int looks; /* enclosures to go */
} yk_rise;

/* The first time in (from, to] at which phi is above zero, and one before it
 * with nothing in between that is; phi is below zero at `from`.  False: there
 * is none, or that is not known. */
bool yk_rise_first(yk_rise *c, double from, double to, double *below,
                   double *at);

#endif
