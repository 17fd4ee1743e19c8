/* step/method.h -- what a time stepping method sees and what it provides.
 *
 * A method advances one subsystem
 *
 *     d/dt q(t, x, u(t)) + f(t, x, u(t)) = 0
 *
 * step by step; drive.c decides about windows, breakpoints, step sizes and
 * output.  The point (t, x, q) reached so far and the trial point live in the
 * yk_problem, which every method shares with the driver.
 *
 * Rows of the equations whose C and Cu are structurally empty are *algebraic*:
 * there f = 0 is the whole equation.  The other rows have *charge*.
 */
#ifndef YK_METHOD_H
#define YK_METHOD_H

#include "base/base.h"
#include "base/tolerance.h"
#include "la/lu.h"
#include "sys/propagator.h"
#include "wave/wave.h"
#include "yoke/stepper.h"

/* x on [t, t + h] = sum_k coef[k * n + i] theta^k, theta in [0, 1]. */
typedef struct yk_poly {
    double t, h;
    int degree;
    double *coef;
    bool valid;
} yk_poly;

/* The largest product of theta less the nodes in [0, 1], for the last nodes. */
typedef struct yk_node_peak {
    int degree; /* 0: none yet */
    double theta[YOKE_WAVE_MAX_DEGREE + 1], most;
} yk_node_peak;

/* Weights of the next term of a polynomial at these nodes, for the last beginning
 * of the step before. */
typedef struct yk_next_weights {
    int degree; /* 0: none yet */
    double theta[YOKE_WAVE_MAX_DEGREE + 1], begin;
    double lagrange[YOKE_WAVE_MAX_DEGREE + 1], scale;
} yk_next_weights;

typedef struct yk_problem {
    yoke_system *system;
    const yoke_system_info *facts;
    const char *name;
    yoke_stepper_options options;
    int n, m, p;
    bool affine;
    bool linear;       /* affine at each time, or affine */
    bool charge_input; /* Cu has places: q depends on u */
    bool feedthrough;  /* Hu has places */
    bool *charge;      /* n: the row has charge */
    bool *read;        /* n: an output depends on the unknown */
    int algebraic;     /* number of rows without */
    double *atol;      /* n: atol times nominal value */
    double *tight;     /* n: errors must be below this part of the tolerance */
    double kappa;      /* Newton's tolerance in the norm of the weights */
    yoke_work work;

    /* The present point, the inputs belonging to it, and the trial point. */
    double t;
    double *x, *q, *f, *u;
    double *x_new, *q_new, *f_new;
    double h_most; /* free methods: the next step is at most this long */

    /* The present segment: no breakpoint lies inside. */
    double begin, end;
    bool begin_break, end_break;
    bool end_jumps; /* inputs jump at the end, or within rounding of it */
    /* Where inputs jump within rounding of the ends of the segment: they are
     * taken from the right of the one at the beginning, from the left of the
     * other one up to the end.  Else the beginning, and INFINITY. */
    double begin_knot, end_knot;
    double begin_jump; /* such a jump at the beginning, before or after; NAN */
    const yk_wave *wave; /* the inputs; borrowed during a sweep */
    int cursor;
    double u_time;
    double *u_now;

    /* Jacobians and their union.  Each evaluation has a number, its stamp.
     * stamp: of the one in use, 0: a new one is wanted; stamps: the last given;
     * values: of what is in C and G, 0: nothing; oldest: matrices with a
     * Jacobian since then will do, 0: only the one in use. */
    yoke_pattern *both;
    int *c_at, *g_at;
    double *C, *G;
    long stamp, stamps, values, oldest;
    double stamp_time; /* of the last evaluation */
    long window;       /* number of the present window */

    /* Newton: contraction of the last solve (INFINITY: to be measured before it
     * is relied on), and how much it took. */
    double eta;
    double effort; /* iterations / permitted iterations of the last step */
    bool singular; /* the last failure was a singular matrix */

    /* Explicit methods: h |lambda| as the data of the last step tell it, 0:
     * they do not; and the unknown that it shows in. */
    double rate;
    int rate_of;
    double growth; /* |R(h lambda)| of modes that do not grow by themselves, by
                      `confirm`; 0: within the bound, or it grows by itself */

    yk_poly poly;            /* of the last step */
    const yk_wave *previous; /* x of the previous sweep, or NULL */
    bool previous_jumps;     /* it is no guess, only a grid */
    int previous_cursor;
    double *weight; /* n, scratch of the norms */
    yk_node_peak peak;
    yk_next_weights next;

    /* Systems of index 2 and more (deep_unknowns.c). */
    int *depth;     /* n: the unknown answers to errors like 1/h^depth */
    bool *forgets;  /* n: deep, and no charge depends on it: its value at the
                       beginning of a step does not matter */
    bool deep;      /* some unknown has a depth */
    bool handed_on; /* some has, and does not forget */
    double *noise;  /* n: what rounding errors do to x */
    double blur;    /* of the last step: by how much, at most, noise makes a
                       tolerance larger, */
    int blur_in;    /* and of which unknown */
    double h_noise; /* in shorter steps that is more than their tolerance */
    double h_begin; /* the same if x had its nominal size: for a first step */
    double h_stuck; /* in shorter ones their given values are not believed */
    bool stale;     /* those without charge are from before a jump, and not
                       deep */
} yk_problem;

yoke_status yk_problem_create(yk_problem *p, yoke_system *system,
                              const yoke_stepper_options *options,
                              yoke_err *err);
void yk_problem_free(yk_problem *p);

/* No charge depends on the unknown, and what it begins with is not what the
 * equations say there: deep, or from before a jump. */
bool yk_begins_anyhow(const yk_problem *p, int k);

/* The time at which callbacks are asked: t, except at a breakpoint of the
 * system, where it lies a few roundings inside the segment. */
double yk_time(const yk_problem *p, double t);

/* The inputs at t: from the right at the beginning of the segment, from the
 * left elsewhere.  Borrowed until the next call. */
const double *yk_input(yk_problem *p, double t);

/* q and f (either may be NULL) at t with the inputs there; counted. */
yoke_status yk_eval(yk_problem *p, double t, const double *x, double *q,
                    double *f, yoke_err *err);

/* May Newton's method end at x, reached by a last move of dx? */
bool yk_step_settled(yk_problem *p, double t, const double *x,
                     const double *dx);

/* C and G into p->C, p->G, with a new stamp; counted. */
yoke_status yk_jacobian(yk_problem *p, double t, const double *x,
                        yoke_err *err);

/* Does an unknown follow its equation rather than its own past in a step with
 * the matrix s C + G?  By the places of the present Jacobian that C has. */
bool yk_is_stiff(const yk_problem *p, double s);

/* Before Newton's method: an affine system is evaluated once for all. */
yoke_status yk_jacobian_once(yk_problem *p, double t, const double *x,
                             yoke_err *err);

/* Newton's method begins with a new Jacobian, and no other matrices will do. */
void yk_forget_matrices(yk_problem *p);

/* A guess of x(t): the previous sweep, else the last polynomial continued, else
 * the present value. */
void yk_step_guess(yk_problem *p, double t, double *x);

void yk_poly_eval(const yk_poly *poly, int n, double t, double *x);

/* The polynomial through x(t) at `degree` + 1 different nodes theta[k];
 * value[k] is the vector at theta[k].  Writes p->poly for [p->t, p->t + h]. */
void yk_poly_through(yk_problem *p, double h, int degree, const double *theta,
                     const double *const *value);

/* The next term of the polynomial through them (as above, a new step from
 * p->t), from the value where the last step began: term_i times the product of
 * theta - theta[k].  0 for deep unknowns, and if there is no last step. */
void yk_poly_next(yk_problem *p, double h, int degree, const double *theta,
                  const double *const *value, double *term);

/* Its largest size inside the step, in units of p->weight: root mean square
 * over all unknowns, or the largest of those that outputs depend on. */
double yk_poly_error(yk_problem *p, int degree, const double *theta,
                     const double *term);

/* What may be wrong with unknown i, and with an input or an output, of which no
 * nominal value is known. */
static inline double yk_tolerance_x(const yk_problem *p, int i, double x)
{
    return p->tight[i] * yk_tolerance(p->atol[i], p->options.rtol, x);
}

/* The same of an unknown by itself, whatever outputs make of it: what moves is
 * compared with it to tell rates. */
static inline double yk_size_x(const yk_problem *p, int i, double x)
{
    return yk_tolerance(p->options.atol * p->facts->nominal[i], p->options.rtol,
                        x);
}

static inline double yk_tolerance_u(const yk_problem *p, double u)
{
    return yk_tolerance(p->options.atol, p->options.rtol, u);
}

/* p->weight: the tolerances at x, or at the larger end of the present step.
 * Norms of v / weight: the root mean square is at least a quarter of the
 * largest; in a large system of which a small part moves the mean would hide
 * its errors. */
void yk_weights(yk_problem *p, const double *x);
void yk_weights_step(yk_problem *p);
double yk_norm_max(const yk_problem *p, const double *v);
double yk_norm_rms(const yk_problem *p, const double *v);

/* The root mean square of errors e that the steps of a method of order 2 add
 * up, e = c h^3 x''': 1 where a run makes half a tolerance while the
 * solution goes on by its own time scale (a radian of an oscillation).  With
 * |x'''| = X / T^3 that time has T / h steps, and
 *
 *     (T / h) e = g w   <=>   e = w sqrt(g^3 w / (c X)),   g = 1/2.
 *
 * X = peak, the largest |x| so far; a tolerance w above it asks for no more.
 * Algebraic and deep unknowns have errors that do not add up. */
double yk_norm_sum(const yk_problem *p, double c, const double *peak,
                   const double *e);

/* The name of the unknown with the largest v / weight. */
const char *yk_worst(const yk_problem *p, const double *v);

/* Measures p->depth and p->h_noise at the present point (deep_unknowns.c). */
yoke_status yk_find_depth(yk_problem *p, yoke_err *err);

/* ---- Matrices s C + g G (matrix.c) -------------------------------------- */

/* Rows without charge are always those of G. */
typedef struct yk_matrix yk_matrix;

yoke_status yk_matrix_create(yk_matrix **out, const yk_problem *p,
                             bool is_complex, yoke_err *err);
void yk_matrix_free(yk_matrix *matrix);

/* Factors (re + i im) C + g G unless that has been done with the present
 * Jacobian or, nearer to the present time, with one since p->oldest; counted.
 * Solutions are then with this matrix.  YOKE_RETRY and p->singular if it is
 * singular. */
yoke_status yk_matrix_factor(yk_problem *p, yk_matrix *matrix, double re,
                             double im, double g, yoke_err *err);
yoke_status yk_matrix_solve(yk_problem *p, yk_matrix *matrix, double *b,
                            yoke_err *err);

/* Is the present factorisation that of a matrix that may be singular but for
 * rounding? */
bool yk_matrix_is_doubtful(const yk_matrix *matrix);

/* The matrix that is solved with has the Jacobian in use. */
bool yk_matrix_is_current(const yk_problem *p, const yk_matrix *matrix);

/* p->noise at (x, f) with the factored matrix s C + G (deep_unknowns.c). */
yoke_status yk_find_noise(yk_problem *p, yk_matrix *matrix, double s,
                          const double *x, const double *f, double *scratch,
                          yoke_err *err);

/* Adds it to p->weight of deep unknowns. */
void yk_deepen_weights(yk_problem *p);

/* A step of length h with these weights is accepted: notes it in p->work. */
void yk_note_blur(yk_problem *p, double h);

/* ---- Newton's method for one stage (newton.c) --------------------------- */

typedef struct yk_newton {
    yk_matrix *matrix;
    double *dx, *noise, *guess;
    double theta, first; /* largest contraction of the solves since they were
                            set to 0 and INFINITY, and the least of their first
                            increments */
} yk_newton;

/* A step begins; what the solves of one say about their contraction. */
void yk_newton_watch(yk_newton *newton);
void yk_newton_rate(const yk_newton *newton, const yk_problem *p, double *theta,
                    double *first);

yoke_status yk_newton_create(yk_newton *newton, const yk_problem *p,
                             yoke_err *err);
void yk_newton_free(yk_newton *newton);

/* Solves at time t, for x,
 *
 *     s (q(t, x, u) - qhat) + g f(t, x, u) = 0   on rows with charge
 *     f(t, x, u) = 0                             on algebraic rows
 *
 * from the guess in x; q and f are those at the solution (updated linearly by
 * the last increment).  YOKE_RETRY: no convergence. */
yoke_status yk_newton_solve(yk_newton *newton, yk_problem *p, double t,
                            double s, double g, const double *qhat, double *x,
                            double *q, double *f, yoke_err *err);

/* ---- Methods ------------------------------------------------------------ */

enum { YK_STAGES = 4, YK_TAPE_NODES = YOKE_WAVE_MAX_DEGREE + 1 };

/* What a method knows of a step it has just tried: the points at which it has
 * read the inputs, and q and f there; NULL: it does not have them.  It has
 * factored s C + G. */
typedef struct yk_stages {
    int count;
    double theta[YK_STAGES];
    const double *q[YK_STAGES], *f[YK_STAGES];
    yk_matrix *matrix;
    double s;
} yk_stages;

typedef enum yk_stepping {
    YK_FIXED,    /* the driver gives the step */
    YK_ADAPTIVE, /* the driver chooses the step by the error estimate */
    YK_FREE      /* the method chooses its own steps */
} yk_stepping;

/* For methods whose steps can be corrected later (tape.h).  The stages of a
 * step are its points after the first; the last one is its end. */
typedef struct yk_tape_method {
    int stages;
    double theta[YK_STAGES];
    int extra; /* vectors x, behind those of the stages, of its own: what they
                  change by goes with dx */

    /* Methods with a past, steps of one length: their equation reads the charges
     * of so many points before the beginning of a step, and their polynomial
     * goes through so many. */
    int past, through;

    /* Weight of the charge j points before the beginning, less that of the
     * beginning; `solve` has the sum of these in place of df0.  The charge j
     * points before the window.  Can the step just tried be corrected? */
    double (*weigh)(const void *self, int j);
    const double *(*charge)(const void *self, int j);
    bool (*able)(const void *self);

    /* Newton's contraction in the step just tried, and the size of its first
     * increment in tolerances. */
    void (*rate)(void *self, double *theta, double *first);

    /* x, q and f of the stages, from the step just tried and back into it. */
    void (*store)(void *self, double *const *x, double *const *q,
                  double *const *f);
    void (*load)(void *self, const double *const *x, const double *const *q,
                 const double *const *f);

    /* Changes dx of the stages of a step of length h for changes dq of their
     * charges, less those of the beginning, and df of f that are not by dx; df0:
     * of f at the beginning.  Its own vectors are in dx as they are, or nothing
     * if only changes are asked for.  The matrix is that of p->stamp. */
    yoke_status (*solve)(void *self, double h, const double *df0,
                         const double *const *dq, const double *const *df,
                         double *const *dx, yoke_err *err);

    /* Adaptive methods: the error of the step, of length h, that was loaded. */
    yoke_status (*judge)(void *self, double h, double *error, yoke_err *err);
} yk_tape_method;

typedef struct yk_method {
    const char *name, *text;
    yk_stepping stepping;
    int order;        /* of the error estimate if adaptive */
    int degree;       /* highest degree of its polynomials */
    double stable;    /* explicit: h |lambda| that is stable; 0: any */
    bool needs_f;     /* p->f is to be valid at the beginning of each segment */
    bool rejoins;     /* `begin` makes the algebraic unknowns consistent */
    bool stages;      /* has the dense output of its stages */
    bool steady;      /* adaptive: a change of the step costs accuracy */
    const void *data; /* coefficients, for methods that share a file */
    const yk_tape_method *tape; /* OPTIONAL */

    yoke_status (*create)(void **out, const struct yk_method *method,
                          yk_problem *p, yoke_err *err);

    /* OPTIONAL.  At (p->t, p->x, p->q) a segment begins that ends at p->end.
     * smooth: the one before joins without a break. */
    yoke_status (*begin)(void *self, bool smooth, yoke_err *err);

    /* Tries a step from p->t to t of length h (equal but for rounding); writes
     * p->x_new, q_new, f_new.  *error <= 1: accurate (adaptive).  A free method
     * goes as far as it likes, up to t, and writes *t_reached. */
    yoke_status (*step)(void *self, double t, double h, double *error,
                        double *t_reached, yoke_err *err);

    /* OPTIONAL, explicit methods.  p->rate of the step just tried, of length h
     * to t, once more, by further evaluations, and p->growth.  p->rate
     * INFINITY: with modes of which there is little in the step. */
    yoke_status (*confirm)(void *self, double t, double h, yoke_err *err);

    /* OPTIONAL.  The stages of the step just tried, of length h.  h = 0: only
     * the points of the next one. */
    void (*inside)(void *self, double h, yk_stages *out);

    /* OPTIONAL, free methods.  d/dt q + f at a time inside the last step. */
    yoke_status (*defect)(void *self, double t, double *g, yoke_err *err);

    /* Writes p->poly of the step just tried, of length h.  REQUIRED unless
     * `dense` is given. */
    void (*shape)(void *self, double h);

    /* OPTIONAL.  The step is accepted; p->x and p->x_new are its ends. */
    void (*commit)(void *self);

    /* OPTIONAL, for methods without a p->poly, of which they set the degree.
     * Values of some unknowns inside the last step: value[j] = x[index[j]](t).
     */
    yoke_status (*dense)(void *self, double t, int count, const int *index,
                         double *value, yoke_err *err);

    /* OPTIONAL.  Remember the history of earlier steps; return to it. */
    void (*keep)(void *self);
    void (*back)(void *self);

    /* OPTIONAL.  Somebody has moved the present point by dx and dq: so is the
     * past, or the next steps would see a jump. */
    void (*shift)(void *self, const double *dx, const double *dq);

    void (*free)(void *self); /* accepts NULL */
} yk_method;

/* What steppers.c lists. */
extern const yk_method yk_euler, yk_midpoint, yk_heun, yk_rk4;
extern const yk_method yk_stormer;
extern const yk_method yk_implicit_euler, yk_trapezoidal;
extern const yk_method yk_bdf[6];
extern const yk_method yk_trbdf2, yk_genalpha, yk_radau5;
#ifdef YOKE_HAVE_SUNDIALS
extern const yk_method yk_ida;
#endif

/* The propagator of `method` (drive.c). */
yoke_status yk_drive_create(yk_propagator *out, const yk_method *method,
                            yoke_system *system,
                            const yoke_stepper_options *options, int watches,
                            const int *watch, yoke_err *err);

/* The propagator that leaves cells at rest alone (latent.c); is it of use? */
bool yk_latent_suits(const yk_method *method, const yoke_system *system);
yoke_status yk_latent_create(yk_propagator *out, const yk_method *method,
                             yoke_system *system,
                             const yoke_stepper_options *options, int watches,
                             const int *watch, yoke_err *err);

#endif
