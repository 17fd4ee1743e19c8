/* iter/ph/window.h -- one window of a uniform grid: stages of all blocks. */
#ifndef YK_PH_WINDOW_H
#define YK_PH_WINDOW_H

#include "exec/exec.h"
#include "la/lti.h"
#include "graph/ph_net.h"
#include "sys/propagator.h"

/* The state of all blocks at the start of the window, what drives them, and the
 * stages of the last sweep.  A point is a stage of a step: steps * stages of
 * them. */
typedef struct yk_window {
    const yk_ph_net *net;
    const yk_rk *rk;
    double t0, h;
    bool end_break; /* the end is a breakpoint: sources are those before it */
    int steps, points, most; /* most: steps there is room for */
    double *e0, *e1;         /* E x at both ends, of all blocks */
    double **X;              /* of each block: points by n */
    double **drive;          /* of each block: points by (sources + outers) */
    double *t;               /* of each point */
    double *decay, omega; /* of each point: exp(-2 omega (t - t0)); omega NAN:
                                not yet in this window */
    double *r;            /* one value of all sources or outer inputs */
    yoke_work work;       /* of all blocks together */
    const yk_executor *executor; /* borrowed; NULL: one after the other */
    double *price;               /* of the blocks that run at once */
    double spent, path; /* prices of all solves, and of the longest of those
                           that may run at once, one after the other */
} yk_window;

yoke_status yk_window_create(yk_window **out, const yk_ph_net *net,
                             const yk_rk *rk, int most, yoke_err *err);
void yk_window_free(yk_window *w); /* accepts NULL */

/* A window of equal steps, at most `most`, from t0 to t1; sources and outer
 * inputs (NULL: none) are sampled. */
void yk_window_place(yk_window *w, double t0, double t1, int steps,
                     const yk_wave *outer);

/* What drives block i at a point, added to f[n]. */
void yk_window_drive(const yk_window *w, int i, int point, double *f);

/* Stages of block i over the window with the steps of `lti`, from e0 to e1;
 * homogeneous: from zero, with nothing that drives.  `feed` adds what comes from
 * other blocks at a point to f[n]. */
typedef void (*yk_window_feed)(void *context, int i, int point, double *f);
yoke_status yk_window_solve(yk_window *w, int i, yk_lti *lti, bool homogeneous,
                            yk_window_feed feed, void *context, yoke_err *err);

/* solve(context, block) for `count` blocks (block NULL: the first ones), which
 * may run at once: each is one call of yk_window_solve, and is counted here. */
yoke_status yk_window_solve_all(yk_window *w, int count, const int *block,
                                yk_job solve, void *context, yoke_err *err);

/* Factors block i for the step of the window; names what nothing determines. */
yoke_status yk_window_factor(yk_window *w, int i, yk_lti *lti, yoke_err *err);

/* Sum over the points of h b (a - b)^2 exp(-2 omega (t - t0)); b may be NULL.
 */
double yk_window_square(yk_window *w, double omega, const double *a,
                        const double *b);

/* Energy over the window. */
typedef struct yk_balance {
    double start, end; /* stored */
    double dissipated, supplied;
    double defect; /* end - start + dissipated - supplied */
} yk_balance;

/* Stored energy of e = E x at both ends, and the integrals by the quadrature of
 * the method.  `weights` makes e to x, see yk_energy_create. */
typedef struct yk_energy yk_energy;
yoke_status yk_energy_create(yk_energy **out, const yk_ph_net *net,
                             yoke_err *err);
void yk_energy_free(yk_energy *energy); /* accepts NULL */
/* x of block i from e = E x, where e tells it; the other entries are left. */
yoke_status yk_energy_state(yk_energy *energy, int i, const double *e,
                            double *x, yoke_err *err);
yoke_status yk_energy_window(yk_energy *energy, const yk_window *w,
                             yk_balance *out, yoke_err *err);

#endif
