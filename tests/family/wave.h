/* family/wave.h -- exact solutions as piecewise Chebyshev series.
 *
 * A wave is a list of panels without gaps, each a series of degree 16 that is
 * cut in two until it is exact to about 1e-13 of the largest value.  Kinks and
 * jumps need not be known: panels become as short as numbers permit there.
 * Nothing here uses the library that is judged.
 */
#ifndef FAMILY_WAVE_H
#define FAMILY_WAVE_H

#include <stdbool.h>

enum { WAVE_NODES = 17, WAVE_STATES = 8 };

typedef struct wave_panel {
    double lo, hi, c[WAVE_NODES];
} wave_panel;

typedef struct wave {
    wave_panel *panel;
    int count, room;
    double most; /* largest |value| at a node */
    bool bad;    /* memory, too many panels, a function that is not finite */
} wave;

/* A function of time, or of a value. */
typedef double wave_function(void *context, double t);

void wave_free(wave *w); /* accepts NULL; a wave lives on the heap */

/* f on [lo, hi], begun with panels no longer than `grain`: shorter than what f
 * does. */
wave *wave_of(wave_function *f, void *context, double lo, double hi,
              double grain);

/* Constant pieces: value[0] from lo, value[i] from time[i - 1] on. */
wave *wave_pieces(const double *time, const double *value, int count, double lo,
                  double hi);

double wave_at(const wave *w, double t);

/* Panel i is but the place of a jump; what it says is not meant. */
bool wave_tiny(const wave *w, int i);

/* Largest |value| on [0, t], at the nodes. */
double wave_most(const wave *w, double t);

/* Instants, to 1e-8 of the whole, where the value changes by more than `part`
 * of its largest; returns how many, writes at most `room`. */
int wave_jumps(const wave *w, double part, double *at, int room);

/* g(u(t)); the panels of u are begun with `cuts` parts each. */
wave *wave_map(const wave *u, wave_function *g, void *context, int cuts);

/* h(t, u1(t), u2(t)) with the panels of both. */
typedef double wave_pair(void *context, double a, double b);
wave *wave_join(const wave *a, const wave *b, wave_pair *h, void *context,
                int cuts);

/* x' = rate u, x(start) = x0. */
wave *wave_integral(const wave *u, double rate, double x0);

/* tau x' = u - x, x(start) = x0. */
wave *wave_filter(const wave *u, double tau, double x0);

/* u(t - delay) for t >= lo + delay, `past` before. */
wave *wave_delay(const wave *u, double delay, double past);

/* Crossings of u through `level`, upward (direction 1), downward (-1) or both
 * (0); returns how many, writes at most `room`.  `nearest`, if not NULL, is how
 * close a turn of u comes to the level. */
int wave_crossings(const wave *u, double level, int direction, double *at,
                   int room, double *nearest);

/* x' = f(t, x) with n <= WAVE_STATES unknowns on [lo, hi], which is cut at
 * `breaks`; not for stiff systems.  Fills out[0 .. n-1]. */
typedef void wave_rhs(void *context, double t, const double *x, double *xdot);
bool wave_ode(wave_rhs *f, void *context, int n, const double *x0, double lo,
              double hi, double grain, const double *breaks, int count,
              wave **out);

/* x' = A x + b, n <= WAVE_STATES: x becomes x(t + h). */
void wave_linear_step(int n, const double *A, const double *b, double h,
                      double *x);

#endif
