/* step/tape.h -- the steps of a sweep, kept, and corrected when the inputs turn
 * out to be others.
 *
 * The equations of the stages, linearised at what the step has found, with the
 * matrices C and G that it was solved with:
 *
 *     charge of stage j   dq_j = C dX_j + Cu du_j,     f   df_j = G dX_j + Gu du_j
 *
 * in place of q and f in the formula of the method; the charge at the beginning
 * of a step is that at the end of the step before.  Between the stages dx is the
 * polynomial through its values there, as x is: corrected steps are steps like
 * any others.  docs/methods/states.md has the whole.
 */
#ifndef YK_STEP_TAPE_H
#define YK_STEP_TAPE_H

#include "step/method.h"
#include "sys/propagator.h"
#include "sys/system.h"

struct yk_driver;

/* C and G as a step has used them. */
typedef struct yk_tape_matrices {
    long stamp;
    double time, *C, *G;
} yk_tape_matrices;

typedef struct yk_tape_step {
    double t, end, h;
    double theta, first; /* Newton's contraction, its first increment */
    double missed; /* what was found between the stages, beyond the error */
    double effort; /* of Newton's method */
    int matrices;  /* number of its C and G; -1: its own */
    yk_tape_matrices own;
    double *x0, *q0, *f0;                               /* its beginning */
    double *x[YK_STAGES], *q[YK_STAGES], *f[YK_STAGES]; /* its stages */
    double *dx0, *dq0, *df0;                            /* the last answer */
    double *dx[YK_STAGES], *dq[YK_STAGES], *df[YK_STAGES];
    yoke_jacobian slopes; /* derivatives at its end; C NULL: no room yet */
} yk_tape_step;

typedef struct yk_tape {
    const yk_tape_method *method;
    bool on, broken;
    double lenient, lenient_next; /* largest error of a step, in tolerances */
    double missed;                /* of the step that is being accepted */
    int steps;
    size_t room;
    yk_tape_step *step;
    int matrices;
    size_t matrix_room;
    yk_tape_matrices *matrix;
    yoke_jacobian before; /* derivatives where the sweep begins, or those of an
                             affine system */
    bool known, renewed;  /* they are; those of the steps are */
    const yk_wave *changed; /* inputs of the last answer; borrowed */
    bool quiet;             /* there is none: nothing changes */
    bool kicked;            /* the end is not that of the last step any more */
    double *node;           /* its values at the stages of a step */
    double *du, *value;     /* m; room for values of outputs */
    double *a[YK_STAGES], *b[YK_STAGES]; /* n: right hand sides */
    double *c[YK_STAGES];                /* n: a solution */
    /* Row i: weights of the beginning, the stages and the points before at i
     * parts of a step that has as many as its polynomial has degrees. */
    double weight[YK_TAPE_NODES][YK_TAPE_NODES];
    double
        place[YK_TAPE_NODES]; /* where these values are, and over the product */
    double share[YK_TAPE_NODES]; /* of the distances from the others */
    bool weighed;
    bool
        whole; /* the sweep is one segment, and nothing happened at its start */
} yk_tape;

void yk_tape_free(yk_tape *tape);

/* A sweep begins; it is accepted; the step from p->t to t, of length h, is about to be
 * accepted; something happened that cannot be corrected. */
void yk_tape_begin(struct yk_driver *d);
void yk_tape_accept(struct yk_driver *d);
yoke_status yk_tape_add(struct yk_driver *d, double t, double h, yoke_err *err);
void yk_tape_break(struct yk_driver *d);

/* The time of stage i of a step. */
double yk_tape_time(const yk_tape *tape, const yk_tape_step *step, int i);

/* Sweeps can be kept, and are. */
bool yk_tape_is_on(const struct yk_driver *d);

/* The operations of yk_tape_ops on all steps of the sweep (front.c). */
yoke_status yk_tape_answer(struct yk_driver *d, const yk_wave *du, bool whole,
                           yk_wave *dy, yoke_err *err);
yoke_status yk_tape_apply(struct yk_driver *d, const yk_wave *u, yk_wave *y,
                          yk_tape_result *result, yoke_err *err);
yoke_status yk_tape_renew(struct yk_driver *d, const yk_wave *u,
                          yk_renewal what, yoke_err *err);
bool yk_tape_is_ready(void *driver);

/* What it borrows from the problem while it works on steps. */
typedef struct yk_tape_loan {
    double t, stamp_time, *C, *G;
    long stamp, oldest;
    const yk_wave *wave;
} yk_tape_loan;

yk_tape_loan yk_tape_lend(const yk_problem *p);
void yk_tape_give_back(yk_problem *p, const yk_tape_loan *loan);

/* YK_RENEW_EVENTS (tape_search.c). */
yoke_status yk_tape_search(struct yk_driver *d, yoke_err *err);

/* For tape_doubt.c: the matrices of a step are in use; weights of the values at the
 * nodes of a step at theta of it. */
void yk_tape_take(struct yk_driver *d, const yk_tape_step *step);
void yk_tape_lagrange(const yk_tape *tape, double theta, double *weight);

/* Tolerances by which corrections are judged. */
void yk_tape_weights(yk_problem *p, const double *x);

/* The largest change of inputs that no stage of a step has seen, in tolerances.
 * piece: where the change is read, goes on from step to step; node: scratch. */
double yk_tape_between(struct yk_driver *d, const yk_tape_step *step,
                       int *piece, double *node);

/* The change of inputs where the window begins, in tolerances. */
double yk_tape_begun(struct yk_driver *d);

/* Adds the size of the last answer in a step and what it leaves. */
yoke_status yk_tape_measure(struct yk_driver *d, const yk_tape_step *step,
                            yk_tape_result *result, yoke_err *err);

extern const yk_tape_ops yk_drive_tape;

#endif
