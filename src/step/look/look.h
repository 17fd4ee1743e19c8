/* step/look/look.h -- no step passes over what its inputs do (look.c). */
#ifndef YK_STEP_LOOK_H
#define YK_STEP_LOOK_H

#include "step/method.h"
#include "wave/wave.h"

struct yk_driver;

/* What belongs to the accepted point, so that repeated sweeps repeat their
 * steps. */
typedef struct yk_look_watch {
    int awake; /* steps to go that are no longer than the inputs permit */
    int easy;  /* first steps in a row that were far within their bound */
    double h;  /* the last step; 0: none, or the solution was not smooth */
    bool runs; /* it took unknowns through new values, without an error */

    /* The course of the last surprise (look_time.c), 1, 2, ...; steps to go
     * that end where its deviation times their length is at most half of
     * `reach`, which is one tolerance. */
    int course, alert;
    double reach;
} yk_look_watch;

/* Most inputs that are remembered as seen in one step. */
enum { YK_SEEN = 24 };

/* Times inside a step, the inputs there, and how far these are from what the
 * step has seen; -1: tested (look_points.c). */
typedef struct yk_points {
    int count;
    size_t room, u_room, near_room;
    double *time, *u, *near;
    double *node; /* inputs at the points of the method */
    int seens;
    double *seen;         /* inputs that were seen */
    double *here, *drift; /* m: scratch */
    double *low, *high;   /* m: inputs of this window and those before */
    double deviation;     /* largest |u - I| over the range of the input */
    double *most;         /* m: the largest |u - I| of each input */
    int *where;           /* m: and its candidate */
} yk_points;

typedef struct yk_step_look {
    yk_look_watch now, kept;
    yk_points points;
    double *kept_low, *kept_high; /* m */
    double *least, *most;         /* n: unknowns since the start */
    double *kept_least, *kept_most;
    double *slope;  /* m: of the inputs where the last window ended */
    double *ending; /* m: the same of the present sweep */
    bool swept;     /* ending is known */
    bool sloped;    /* slope is known */
    bool first;     /* the step begins a segment that is not smooth */
    bool *charge;   /* n: the row has charge, be it of time alone */
    bool *rate;     /* n: the unknown is the rate of a charge (rates.c) */

    /* The step being looked at. */
    yk_poly poly;
    bool shaped; /* it is that of the step just tried */
    yk_stages stages;
    double h, bound;
    bool by_inputs; /* tests need no evaluation: constant matrices */
    bool by_course; /* the step is rejected because of time alone */
    int by_curve;   /* the curve it is rejected for, 1, 2, ... */
    double *gauge, *kept_gauge; /* curves: h D that makes a tolerance */
    int limit;                  /* of the number of tests */
    long turn;                  /* fixed steps since the start */
    int tests;
    double worst, worst_time; /* the largest test so far */
    int worst_of;             /* the unknown that it shows in */
    double *x, *q, *f, *e;    /* n */
    yk_matrix *matrix;        /* for methods that show none of theirs */
    double *Cu, *Gu;          /* of an affine system */
    bool known;               /* they are */
} yk_step_look;

/* `coefs` numbers for the polynomial of a step. */
yoke_status yk_look_create(yk_step_look *look, const yk_problem *p,
                           const yk_method *method, size_t coefs,
                           yoke_err *err);
void yk_look_free(yk_step_look *look);

/* A run starts; the present point is accepted; a sweep returns to it. */
void yk_look_start(struct yk_driver *d);
void yk_look_keep(struct yk_driver *d);
void yk_look_back(struct yk_driver *d);

/* A sweep to t1 begins; one of its segments begins. */
void yk_look_sweep(struct yk_driver *d, double t1);
void yk_look_segment(struct yk_driver *d);

/* No step is longer, whatever inputs do; INFINITY: there is no such limit. */
double yk_look_longest(const struct yk_driver *d);

/* How long the next step may be, of which h is wanted. */
yoke_status yk_look_limit(struct yk_driver *d, double h, double *most,
                          yoke_err *err);

/* Looks at the step of length h that was just tried and is within its
 * error, in the same units: *missed > 1 rejects it. */
yoke_status yk_look_step(struct yk_driver *d, double h, double error,
                         double *missed, yoke_err *err);

/* p->poly of a step that is accepted, where unknowns begin with values that do
 * not belong to the segment: without these values, for the waveforms.  True: it
 * has changed. */
bool yk_look_mend(struct yk_driver *d);

/* What to try after that; the step is accepted. */
yoke_status yk_look_shorter(struct yk_driver *d, double h, double missed,
                            double *next, yoke_err *err);
void yk_look_accept(struct yk_driver *d, double t, double h);

/* rate[n]: the unknown is the rate of a charge; charge[n]: the row has charge
 * (rates.c). */
yoke_status yk_find_rates(const yk_problem *p, const bool *charge, bool *rate,
                          yoke_err *err);

/* Notes in p->work what a fixed step of length h to t, just tried, has
 * overlooked; at most one step in eight is looked at. */
yoke_status yk_look_fixed(struct yk_driver *d, double t, double h,
                          yoke_err *err);

/* ---- One time inside a step (look_error.c) ------------------------------- */

/* What is known of the step, of length h, that was just tried; h = 0: of the
 * next one. */
void yk_look_stages(const struct yk_driver *d, double h, yk_stages *out);

/* Takes the error at t, with the inputs u, into look.worst. */
yoke_status yk_look_test(struct yk_driver *d, double t, const double *u,
                         yoke_err *err);

/* The error of a step of length h, just tried, in which f is off by look.e. */
yoke_status yk_look_weigh(struct yk_driver *d, double h, double *size,
                          yoke_err *err);

/* The same of a fixed step of length h from `begin` on, at t, because of time
 * alone, with the present unknowns. */
yoke_status yk_look_test_fixed(struct yk_driver *d, double begin, double h,
                               double t, yoke_err *err);

/* Does the segment begin with a value of unknown j that does not belong to it?
 * A rate jumps at a kink; others where no consistent values were found. */
bool yk_look_is_stale(const struct yk_driver *d, int j);

/* ---- Time alone (look_time.c) -------------------------------------------- */

/* Tests the step where functions of time alone deviate most from what it has
 * seen. */
yoke_status yk_look_at_time(struct yk_driver *d, yoke_err *err);

/* Does course i deviate from the polynomial through its values at the nodes of
 * [t, t + h], and where most? */
bool yk_course_passes(const yk_problem *p, const yk_stages *nodes, int i,
                      double t, double h, double *where);

/* Takes what fixed steps of length h, the last ones up to t, have not seen of
 * time into look.worst. */
yoke_status yk_look_at_fixed_time(struct yk_driver *d, double t, double h,
                                  int steps, yoke_err *err);

/* After a surprise: how long the next step may be, of which *h is wanted. */
void yk_look_before(struct yk_driver *d, double *h);

/* ---- Unknowns and inputs (look_curve.c) ---------------------------------- */

/* The path of a step (yoke_path): unknowns by a polynomial, inputs by their
 * waveforms. */
typedef struct yk_track {
    const yk_problem *p;
    const yk_poly *x;
} yk_track;
void yk_look_follow(void *track, int i, double from, double to, int order,
                    double (*out)[2]);

/* look.poly of a method that shows none: through its values in the step of
 * length h just tried. */
yoke_status yk_look_sample(struct yk_driver *d, double h, yoke_err *err);

/* Tests the step where curves of the system deviate most from what it has seen.
 */
yoke_status yk_look_at_curves(struct yk_driver *d, yoke_err *err);

/* After a rejection for a curve: the longest of h/2, h/4, ... that sees it. */
double yk_look_curve_ends(struct yk_driver *d, double h);

/* Does output k deviate from the polynomial through its values at the nodes of
 * [t, t + h], a part of the step, and where most? */
bool yk_output_passes(yk_track *track, const yk_stages *nodes, int k, double t,
                      double h, double *where);

/* ---- Candidates (look_points.c) ------------------------------------------ */

yoke_status yk_points_create(yk_points *c, const yk_problem *p, yoke_err *err);
void yk_points_free(yk_points *c);

/* Takes u on [t0, t1] into the ranges. */
void yk_points_range(yk_points *c, const yk_wave *u, double t0, double t1);
double yk_points_width(const yk_points *c, int input);

/* Where pieces of u, of [t, t + h], end that many pieces later, or INFINITY. */
double yk_points_reach(const yk_wave *u, double t, int pieces);

/* Of the polynomial through the points of a method: weights of its values at
 * theta. */
void yk_points_weights(const yk_stages *nodes, double theta, double *weight);

/* The deviation of u on [t, t + h] from its interpolation at the points of a
 * method.  `keep`: with the candidates, their `near` infinite. */
yoke_status yk_points_collect(yk_points *c, yk_problem *p,
                              const yk_stages *nodes, double t, double h,
                              bool keep, yoke_err *err);

/* Would no candidate be tested, by bounds that are cheap?  The points of the method
 * begin with 0 and end with 1; affine: only deviations are asked for. */
bool yk_points_calm(const yk_points *c, const yk_problem *p,
                    const yk_stages *nodes, double t, double h);

/* The inputs at one time count as seen. */
void yk_points_see(yk_points *c, int m, const double *u);

/* The candidate that is farthest from what was seen, by a part of the ranges;
 * -1: none is farther than `least`. */
int yk_points_farthest(const yk_points *c, double least);

/* +-u of one input or of two, each over its range. */
typedef struct yk_direction {
    int count, input[2];
    double sign[2];
} yk_direction;

/* The candidate that is farthest in that direction, if it is farther than all
 * that was seen by more than `least`; -1: it is not. */
int yk_points_extreme(const yk_points *c, int m, const yk_direction *a,
                      double least);

#endif
