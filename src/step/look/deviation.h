/* step/look/deviation.h -- the largest deviation of a function from the
 * polynomial through its values at the points of a step (deviation.c). */
#ifndef YK_LOOK_DEVIATION_H
#define YK_LOOK_DEVIATION_H

#include "step/method.h"

/* Most enclosures for one function in one step.  A pulse of 1e-12 of the step
 * takes 80. */
enum { YK_PIECES = 400 };

/* As of yoke_courses. */
typedef void (*yk_encloser)(void *self, int i, double from, double to,
                            int order, double (*out)[2]);

typedef struct yk_search_piece {
    double a, b, bound; /* parts of the step; of |D| */
} yk_search_piece;

typedef struct yk_search {
    yk_encloser enclose;
    void *self;
    int which; /* function */
    double t, h;
    int count; /* points */
    double theta[YK_STAGES], coef[YK_STAGES];
    double spread; /* what the points see of the first term left out */
    double floor;  /* deviations up to this do not matter */
    double sure;   /* upper / lower when a search ends */
    double
        range[2];   /* encloses the function, once it was asked what they see */
    double seen[2]; /* its least and largest value at the points and tests */
    double lower, where, upper;
    bool undefined; /* at a point of the step nothing is known */
    int budget;     /* enclosures, at most YK_PIECES */
    int pieces;
    yk_search_piece heap[YK_PIECES + 2];
} yk_search;

/* Begins with the function `which` on [t, t + h].  False: there is no room for
 * any deviation. */
bool yk_search_begin(yk_search *s, yk_encloser bounds, void *self, int which,
                     double t, double h);

/* The polynomial through the points, s->coef, and s->spread. */
void yk_search_interpolate(yk_search *s, const yk_stages *nodes);

/* The same; true: they see all of the function. */
bool yk_search_sees(yk_search *s, const yk_stages *nodes);

/* s->lower <= max |D|, reached at s->where, <= s->upper; no nearer than that if
 * it is above `enough`. */
void yk_search_largest(yk_search *s, double enough);

/* Instead of D: does the function leave `seen` by more than `least`, and where
 * is it farthest outside?  The polynomial is lost. */
bool yk_search_beyond(yk_search *s, double least);

/* The value at s->where counts as seen. */
void yk_search_see(yk_search *s);

/* |D| at a time of the step, once the points have been interpolated; NAN: not
 * known. */
double yk_search_deviation(const yk_search *s, double t);

/* The largest product of the distances of a place in [0, 1] to the points,
 * or a little more. */
double yk_search_widest(const yk_stages *nodes);

#endif
