/* yoke/optional.h -- what else a subsystem may offer to those who solve it.
 *
 *     help      bounds, limits, projections             exponentials
 *     initial   equations that hold at the start        initial equations
 *     courses   bounds of functions of time             pulses, sine sweeps
 *     curves    bounds of functions that bend sharply   diodes, saturations
 *     cells     pieces that may rest                    large circuits
 *     ports     the port-Hamiltonian form               power balance
 *     aliases   variables that are no unknowns          equation models
 *
 * Each is a field of yoke_system_info, borrowed, NULL if absent.  A subsystem
 * needs none of them; events are in yoke/event.h.
 */
#ifndef YOKE_OPTIONAL_H
#define YOKE_OPTIONAL_H

#include "yoke/system.h"

/* ---- aliases ------------------------------------------------------------- */

/* Variables that were removed from the unknowns because they are one of them,
 * up to its sign, or constant.  They are recorded on request. */
typedef struct yoke_aliases {
    int count;
    const char *const *name; /* of each */
    const char *const *unit; /* "": not known */
    const int *unknown;      /* of each; -1: a constant */
    const double *factor;    /* of the unknown; or the constant */
} yoke_aliases;

/* ---- help ---------------------------------------------------------------- */

/* Why is something not finite at t, x, u?  row: of q and f; n + k: output k.
 * column: the slope by that unknown; -1: the value.
 *
 * row -1: all is finite, but no step is possible, however short.  Which operation
 * comes to the end of where it has a value if one goes to t_next, x_next, u_next:
 * by at least the part `least` of its way to that?
 *
 * In the answer `row` is where it stands; -1: the text says so itself, and with
 * which values. */
typedef struct yoke_question {
    int row, column;
    double t, t_next, least;
    const double *x, *u, *x_next, *u_next;
} yoke_question;

/* Exponential functions, densities that must stay positive, invariants that
 * time steps miss: where a solver would lose its way, the subsystem leads it.
 * Every entry is OPTIONAL. */
typedef struct yoke_help_ops {
    /* How accurately it will be solved, relative; called before anything else.
     * It may save work below that. */
    void (*accuracy)(void *self, double rtol);

    /* Bounds a change dx of the unknowns from x on, so that x + dx makes sense:
     * Newton's increments and first guesses.  True: something was bounded. */
    bool (*bound)(void *self, const double *x, double *dx);

    /* Newton's method would end at x, after a last move by dx (and of the
     * inputs by du, NULL: 0): are q and f so nearly linear over it that the
     * next move is negligible?  For exponential functions, for which the
     * contraction seen before tells nothing. */
    bool (*settled)(void *self, double t, const double *x, const double *dx,
                    const double *u, const double *du);

    /* Begins (`on`) or ends an iteration of Newton's method in which functions
     * that would run away are taken at points nearer to the last ones and
     * continued linearly from there: by `eval`, and by `jacobian` at the point
     * of the last `eval`.  x, u: where they are at the beginning.  While it
     * lasts, `settled` is false if the last `eval` did so.  Needs `settled`,
     * and the flag YOKE_LIMITS. */
    void (*limit)(void *self, bool on, double t, const double *x,
                  const double *u);

    /* Begins (`on`) or ends calls of somebody else than who solves it: what it
     * remembers of the last calls in order to save work is afterwards what it was
     * before.  Needed where results depend on that, if only by rounding. */
    void (*aside)(void *self, bool on);

    /* Invariants that time steps miss by their errors: moves x to the nearest
     * point at which they hold.  Steppers call it after every step.  missed:
     * the largest that positions and velocities missed before. */
    yoke_status (*project)(void *self, double t, double *x, double missed[2],
                           yoke_err *err);

    /* Where an unknown stands in what the user wrote, as "at the node of v(a) of
     * x.cir: r1 (line 2), c1 (line 3)".  False: it cannot be told. */
    bool (*place)(void *self, int unknown, char *text, size_t size);

    /* The answer to a question: the operation and its arguments, as "sqrt(-1)".
     * False: it cannot be told. */
    bool (*explain)(void *self, yoke_question *question, char *text,
                    size_t size);
} yoke_help_ops;

/* ---- initial ------------------------------------------------------------- */

/* How the unknowns of a system begin where more is said than that the charges
 * of x0 are kept: initial equations, and values that are fixed whatever the
 * inputs are.  At the start of a run these equations are solved together with
 * what is coupled to them. */
typedef struct yoke_initial_ops {
    /* REQUIRED.  The equations as a system without charges, 0 = f(t, z, u),
     * with the inputs and outputs of this one, to be freed by the caller;
     * place[n]: where the unknowns are in z.  Its x0 are guesses.  It uses the
     * memory of this one.  choice = 0, 1, ...: sets of unknowns that keep their
     * start values, the best first.  *out stays NULL: there are no more;
     * with choice = 0: x0 are the initial values at t. */
    yoke_status (*create)(void *self, double t, int choice, yoke_system **out,
                          int *place, yoke_err *err);

    /* REQUIRED.  x and u solve them: may the run begin there?  YOKE_RETRY: no,
     * another choice is needed.  What an event at the start is going to change
     * gets the value before it.  The memory may change. */
    yoke_status (*accept)(void *self, double t, double *x, const double *u,
                          yoke_err *err);

    /* REQUIRED.  False: if they cannot be solved x0 will do, with algebraic
     * unknowns that are solved for. */
    bool (*required)(void *self);
} yoke_initial_ops;

/* ---- courses and curves -------------------------------------------------- */

/* Functions g(t) of time alone that occur in q, f or h.  What they do is known
 * before a step is taken, so no step passes over a pulse of theirs, however
 * narrow (docs/methods/inputs.md). */
#define YOKE_COURSE_ORDER 4
typedef struct yoke_courses {
    int count;
    /* out[k], k = 0 ... order: least and largest value of the k-th derivative
     * of course i on [from, to], divided by k!, or a wider interval; infinite
     * if it cannot be told.  Between breakpoints each course is smooth. */
    void (*enclose)(void *self, int i, double from, double to, int order,
                    double (*out)[2]);
    void *self;
    bool shown; /* some occur in h */
} yoke_courses;

/* What unknowns and inputs do in a step: out as of `yoke_courses`, of unknown
 * i, or of input i - n for i >= n. */
typedef struct yoke_path {
    void (*enclose)(void *self, int i, double from, double to, int order,
                    double (*out)[2]);
    void *self;
} yoke_path;

/* Functions of unknowns, inputs and time in f that may bend within a small part
 * of what they run through: exp, tanh, quotients, high powers.  After a step
 * the path is known, so the step is tested where one of them differs most from
 * what its points have seen (docs/methods/inputs.md). */
typedef struct yoke_curves {
    int count;
    /* As of `yoke_courses`, along the path. */
    void (*enclose)(void *self, int i, const yoke_path *path, double from,
                    double to, int order, double (*out)[2]);
    /* The same of output k, for those who read it. */
    void (*output)(void *self, int k, const yoke_path *path, double from,
                   double to, int order, double (*out)[2]);
    void *self;
    /* OPTIONAL.  The same of indicator k (yoke/event.h), with the present
     * memory: then no event is passed over, however short the indicator is
     * above zero (docs/methods/events.md). */
    void (*indicator)(void *self, int k, const yoke_path *path, double from,
                      double to, int order, double (*out)[2]);
    bool shown; /* outputs bend too: some are not +-x, +-u */
} yoke_curves;

/* ---- cells --------------------------------------------------------------- */

/* A system of some unknowns of a larger one, the whole, with their equations.
 * The lists are valid as long as the system. */
typedef struct yoke_cell_part {
    yoke_system *system; /* to be freed by the caller */
    /* Its inputs: unknowns of the whole that occur in its equations and are not
     * its own, then inputs of the whole. */
    int foreigns, inputs;
    const int *foreign, *input;
    int outputs;
    const int *output; /* its outputs, those of the whole */
    const int *event;  /* of each event: that of the whole */
} yoke_cell_part;

/* How a large system falls into cells: unknowns, with the equations of the same
 * numbers, that act on other cells through few variables.  Steppers use it to
 * leave cells alone that are at rest.  Whatever an equation or an event of a
 * cell depends on has a place in C, G, Cu or Gu. */
typedef struct yoke_cells {
    int count;
    const int *cell;        /* of each unknown */
    const int *output_cell; /* of each output; while the cell is still and at
                               rest so is the output */
    const int *event_cell;  /* of each event */

    /* A part of it, with the memory that the whole has at present; `x`: values
     * of all unknowns.  Its outputs are those of its cells. */
    yoke_status (*part)(void *self, int unknowns, const int *unknown,
                        const double *x, yoke_cell_part *out, yoke_err *err);

    /* Do the equations of the cell stay the same on [t0, t1], as long as the
     * inputs do?  t1 may be INFINITY. */
    bool (*is_still)(void *self, int cell, double t0, double t1);

    /* Does no event of the cell happen at t while each unknown stays within
     * slack[n] of its value?  REQUIRED if there are events. */
    bool (*is_far)(void *self, int cell, double t, const double *x,
                   const double *slack);

    /* The memory of the whole becomes that of the part, where it has one.
     * REQUIRED if there is memory. */
    void (*absorb)(void *self, const yoke_system *part);
} yoke_cells;

/* ---- ports --------------------------------------------------------------- */

/* The port-Hamiltonian form of a linear system,
 *
 *     d/dt (E x) = (J - R) Q x + B u + G r(t),     y = B' Q x,
 *
 * J skew, R symmetric and E'Q symmetric, both positive semidefinite, Q
 * invertible.  It is what q, f and h evaluate to; input k and output k are a
 * port, u_k y_k is the power that enters there. */
typedef struct yoke_ports {
    yoke_matrix E, J, R, Q; /* n by n, all with patterns */
    yoke_matrix B;          /* n by m */
    yoke_matrix G;          /* n by `sources` */
    int sources;
    void (*source)(void *self, double t, double *r); /* r[sources] */
    void *self;
} yoke_ports;

#endif
