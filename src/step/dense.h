/* step/dense.h -- the waveforms a step leaves behind. */
#ifndef YK_STEP_DENSE_H
#define YK_STEP_DENSE_H

#include "step/method.h"
#include "wave/wave.h"

typedef struct yk_step_output {
    bool same;  /* y = x */
    int needed; /* unknowns that h depends on */
    int *need;  /* their numbers */
    int watches;
    int *watch;
    int *all;               /* 0, 1, ..., n-1 */
    double *part;           /* values of some unknowns, several samples */
    double *x;              /* n: arguments of h */
    double *y;              /* samples of y */
    double *y_end;          /* y at the end of the last step */
    double y_time;          /* its time, or NAN */
    struct yk_steep *steep; /* who looks at outputs; borrowed; NULL: none */
    int checked; /* degree of these weights, at the points of a check */
    double weight[2][YOKE_WAVE_MAX_DEGREE + 1];
} yk_step_output;

yoke_status yk_output_create(yk_step_output *out, const yk_problem *p,
                             int watches, const int *watch, yoke_err *err);
void yk_output_free(yk_step_output *out);

/* Appends the step from p->t to t, whose end is p->x_new, to y and to the
 * watched unknowns.  To be called after the method's commit. */
yoke_status yk_output_step(yk_step_output *out, yk_problem *p,
                           const yk_method *method, void *self, double t,
                           yk_wave *y, yk_wave *watched, yoke_err *err);

/* All unknowns over the step, for the next sweep's guesses. */
yoke_status yk_output_trace(yk_step_output *out, yk_problem *p,
                            const yk_method *method, void *self, double t,
                            yk_wave *trace, yoke_err *err);

/* Deep unknowns that no charge depends on: the polynomial of the step just
 * tried goes through its stages alone, p->x with it.  Their values before a jump
 * say nothing about the beginning. */
void yk_poly_rebegin(yk_problem *p, const yk_stages *at);

#endif
