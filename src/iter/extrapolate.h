/* iter/extrapolate.h -- the first guess in a window: the past extrapolated, in the
 * way that would have been best before.
 */
#ifndef YK_GUESS_H
#define YK_GUESS_H

#include "wave/wave.h"
#include "yoke/iterate.h"

enum { YK_GUESSES = 2 * (YOKE_EXTRAPOLATE_MAX + 1) + 3, YK_GUESS_POINTS = 3 };

/* What all ways to guess make of the past in a window [begin, end] behind one of
 * this length: weights of its values, for each of some points.  The same for all
 * units. */
typedef struct yk_guess_rule {
    double begin, end, length;
    double weight[YK_GUESSES][YK_GUESS_POINTS][YOKE_EXTRAPOLATE_MAX + 1];
} yk_guess_rule;

typedef struct yk_guess {
    yk_wave *past, *spare;
    double *a,
        *b; /* values of the past; true ones at some points, and tolerances */
    double length;            /* of the last window, behind a break */
    bool fresh;               /* nothing is known since a break: order 0 */
    int choice;               /* for the next window */
    double error[YK_GUESSES]; /* of each way, averaged; NAN: not known */
} yk_guess;

yoke_status yk_guess_create(yk_guess *guess, int dim, yoke_err *err);
void yk_guess_free(yk_guess *guess);

/* The past is constant, from t0 - length to t0. */
yoke_status yk_guess_start(yk_guess *guess, double t0, double length,
                           const double *value, yoke_err *err);

/* Order of the polynomial that the next guess will be. */
int yk_guess_order(const yk_guess *guess, const yoke_iterate_options *options);

/* dst = guess from the end of the past to t1. */
yoke_status yk_guess_make(const yk_guess *guess,
                          const yoke_iterate_options *options, yk_wave *dst,
                          double t1, yoke_err *err);

void yk_guess_weigh(yk_guess_rule *rule, double begin, double end,
                    double length);

/* The next window turned out to be `now`: judges all ways, on the components
 * that are marked, relative to the tolerance, and adds it to the past.  The rule,
 * borrowed, saves work if it is that of this window; NULL: none.  What is
 * older than `since`, at most the end of `now`, tells nothing about what
 * follows (a breakpoint, a jump) and is forgotten; -INFINITY: nothing is. */
yoke_status yk_guess_learn(yk_guess *guess, const yoke_iterate_options *options,
                           const yk_guess_rule *rule, const yk_wave *now,
                           const bool *marked, double since, yoke_err *err);

/* The last knot of `now` at which a marked component jumps, by more than its
 * tolerance and by more than it varies otherwise; -INFINITY: none. */
double yk_guess_jump(const yoke_iterate_options *options, const yk_wave *now,
                     const bool *marked);

#endif
