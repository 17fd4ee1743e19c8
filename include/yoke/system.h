/* yoke/system.h -- a subsystem: unknowns, inputs, outputs, in charge form.
 *
 *     d/dt q(t, x, u) + f(t, x, u) = 0     x in R^n   unknowns, differential
 *                                                     and algebraic together
 *                  y = h(t, x, u)          u in R^m   inputs
 *                                          y in R^p   outputs
 *
 * An ODE x' = g has q = x, f = -g; an algebraic equation has q = 0.  Because q
 * may depend on u, the derivative of an input needs nothing special.
 *
 * No callback knows about windows or iterations.  Callbacks are pure: the same
 * arguments give the same result.  A subsystem that has memory of its own (a
 * switch, a hysteresis) changes it only in `restore` and, at events, in
 * `apply`; see below.
 */
#ifndef YOKE_SYSTEM_H
#define YOKE_SYSTEM_H

#include "yoke/profile.h"
#include "yoke/sparse.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct yoke_system yoke_system;

/* Values of the six Jacobians, each in the order of its pattern:
 *
 *     C = dq/dx   G = df/dx   Cu = dq/du   Gu = df/du   Hx = dh/dx   Hu = dh/du
 *
 * A NULL member is not wanted.  The arrays come zeroed.
 */
typedef struct yoke_jacobian {
    double *C, *G, *Cu, *Gu, *Hx, *Hu;
} yoke_jacobian;

/* Every callback returns YOKE_OK, YOKE_RETRY (not defined at this point, a
 * smaller step may avoid it) or a negative status (stop).  A result that is not
 * finite counts as YOKE_RETRY.  Calls on one `self` never overlap.
 */
typedef struct yoke_system_ops {
    const char *kind; /* appears in reports */

    /* q[n] and f[n]; either pointer may be NULL: not wanted.
     * REQUIRED unless `rhs` is given; then q = x and f = -rhs. */
    yoke_status (*eval)(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err);

    /* y[p].  OPTIONAL; default y = x, p = n. */
    yoke_status (*output)(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err);

    /* OPTIONAL; default coloured finite differences.  `jac` as above. */
    yoke_status (*jacobian)(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err);

    /* x' of an ODE: xdot[n].  OPTIONAL; explicit steppers use it if it is
     * there, and otherwise solve for the charges. */
    yoke_status (*rhs)(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err);

    /* How accurately it will be solved, relative; before the first call.
     * OPTIONAL: it may save work below that. */
    void (*accuracy)(void *self, double rtol);

    /* Newton's method would end at x, after a last move by dx (and of the
     * inputs by du, NULL: 0): are q and f so nearly linear over it that the
     * next move is negligible?  OPTIONAL: for exponential functions, for which
     * the contraction seen before tells nothing. */
    bool (*settled)(void *self, double t, const double *x, const double *dx,
                    const double *u, const double *du);

    /* Begins (`on`) or ends an iteration of Newton's method in which functions
     * that would run away are taken at points nearer to the last ones and
     * continued linearly from there: by `eval`, and by `jacobian` at the point
     * of the last `eval`.  x, u: where they are at the beginning.  While it
     * lasts, `settled` is false if the last `eval` did so.  OPTIONAL, and needs
     * `settled`. */
    void (*limit)(void *self, bool on, double t, const double *x,
                  const double *u);

    /* The first breakpoint after t, or INFINITY: a time at which q, f or h is
     * not smooth in t.  No step crosses it.  OPTIONAL. */
    double (*next_break)(void *self, double t);

    /* Writes / reads the `memory_bytes` of a subsystem with memory.  OPTIONAL,
     * both or none.  `save` is called at both ends of a sweep, `restore`
     * before each sweep and when its end is accepted. */
    void (*save)(void *self, void *bytes);
    void (*restore)(void *self, const void *bytes);

    void (*free)(void *self); /* OPTIONAL: called once; accepts NULL. */
} yoke_system_ops;

/* What a subsystem says about its solution: unusual, but no error. */
typedef struct yoke_remark {
    const char *text; /* borrowed */
    double since;     /* time; NAN: it is not so */
} yoke_remark;

/* What event k is. */
typedef struct yoke_event_about {
    const char *text; /* for messages, as "tank.mo:7: h > 2"; borrowed; NULL:
                         nothing is known */
    bool level; /* the indicator belongs to something held, such as the value of
                   a relation, that `apply` changes when the event happens.  It
                   is below zero where what is held is right; above zero is an
                   event whether it has been below or not. */
    bool kink;  /* what is held is a branch of something continuous: a little
                   beyond zero nothing is wrong yet, and whoever watches may
                   allow as much as the tolerances do */
    bool watched;  /* nothing is held: steps end there, and that is all.  It may
                     be forgotten if it happens too often. */
    bool terminal; /* happens at the end of the run, after all others */
} yoke_event_about;

/* One instant, as several subsystems solved together meet it: at an instant the
 * discrete unknowns of all have their new values at once, and the other unknowns
 * that get new values at events get them at its end. */
typedef struct yoke_instant {
    double t;
    const double *x;        /* unknowns when what happens now began */
    const double *x_now;    /* the same with the new values of the discrete ones
                               and of those that follow from them algebraically,
                               as far as they are known; inputs of members come
                               from these */
    const double *x_before; /* before the instant */
    const double *u, *u_before; /* inputs now; before the instant */
    const bool *happened;       /* events */
    const void *memory; /* to begin with, or NULL: as it is.  x_now and u belong
                           to the memory as it is */
} yoke_instant;

/* What events have to do with each other through inputs and outputs. */
typedef struct yoke_event_facts {
    const bool *discrete; /* n: the unknown changes at events only, and what
                             else happens at that instant sees its new value */
    const unsigned char *jump;  /* p: how the output may jump at an event */
    const unsigned char *reads; /* m: values of the input that what happens at
                                   an event depends on, YOKE_READS_... */
    bool joint; /* several subsystems, and events of one may depend on what
                   events change in others: see yoke_instant */
} yoke_event_facts;

/* What is known of an input that is a waveform. */
typedef struct yoke_input_facts {
    unsigned char how; /* how it may jump at events of others: YOKE_JUMP_... */
    bool circular; /* what it does then may depend, at the same instant, on what
                      events of the subsystem itself do */
    const char *from; /* the output it comes from, as "tank.level", or NULL */
} yoke_input_facts;

#define YOKE_READS_NOW    1u /* at that instant */
#define YOKE_READS_BEFORE 2u /* before it */

#define YOKE_JUMP_DISCRETE 1u /* with discrete unknowns, or memory */
#define YOKE_JUMP_STATE    2u /* with unknowns that events give new values */

/* State events: instants that depend on the solution, at which unknowns jump or
 * the memory of the subsystem changes.  An event happens when its indicator
 * rises from below zero to zero or above, between two points of the solution or
 * in a jump; it happens again only after the indicator has been below zero
 * again.  An indicator that is not below zero at the start is no event, unless
 * `begin` says so.
 *
 * Indicators should be continuous between events and change their sign with a
 * slope: then the instant is found to rounding.  Time events need no indicator:
 * see `next_break`. */
typedef struct yoke_event_ops {
    /* REQUIRED.  g[events]; pure. */
    yoke_status (*indicate)(void *self, double t, const double *x,
                            const double *u, double *g, yoke_err *err);

    /* REQUIRED.  Called at the instant of events; happened[events] says which.
     * x_new comes as a copy of x; write the new values.  May change the memory.
     * The charges become q(t, x_new, u); then the algebraic equations are
     * solved again with the charges kept.  If that, or a change of other
     * indicators, makes more events happen, it is called once more. */
    yoke_status (*apply)(void *self, double t, const double *x, const double *u,
                         const bool *happened, double *x_new, yoke_err *err);

    /* OPTIONAL; default none.  happened[events], which comes false: the events
     * that happen at the start itself, whatever their indicators are; pure.
     * They are applied before the first step. */
    yoke_status (*begin)(void *self, double t, const double *x, const double *u,
                         bool *happened, yoke_err *err);

    /* OPTIONAL.  Remark k, as the memory is, or false at the end of the list:
     * an assertion that does not hold and only warns. */
    bool (*remark)(void *self, int k, yoke_remark *out);

    /* OPTIONAL.  At the start, before anything happens: what is held between
     * events, and the unknowns that follow from it, get the values that belong
     * to x and u.  x_new comes as a copy of x; the memory may change.
     * *changed: something was otherwise. */
    yoke_status (*settle)(void *self, double t, const double *x,
                          const double *u, double *x_new, bool *changed,
                          yoke_err *err);

    /* OPTIONAL.  *out comes zeroed; the same answer at all times. */
    void (*about)(void *self, int k, yoke_event_about *out);

    /* OPTIONAL; default `apply` with x and u, which knows no values before.
     * The same with all that is known of the instant. */
    yoke_status (*meet)(void *self, const yoke_instant *at, double *x_new,
                        yoke_err *err);
} yoke_event_ops;

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

/* What unknowns and inputs do in a step: out as of `yoke_courses`, of unknown i,
 * or of input i - n for i >= n. */
typedef struct yoke_path {
    void (*enclose)(void *self, int i, double from, double to, int order,
                    double (*out)[2]);
    void *self;
} yoke_path;

/* Functions of unknowns, inputs and time in f that may bend within a small part
 * of what they run through: exp, tanh, quotients, high powers.  After a step the
 * path is known, so the step is tested where one of them differs most from what
 * its points have seen (docs/methods/inputs.md). */
typedef struct yoke_curves {
    int count;
    /* As of `yoke_courses`, along the path. */
    void (*enclose)(void *self, int i, const yoke_path *path, double from,
                    double to, int order, double (*out)[2]);
    /* The same of output k, for those who read it. */
    void (*output)(void *self, int k, const yoke_path *path, double from,
                   double to, int order, double (*out)[2]);
    void *self;
} yoke_curves;

/* C, G, Cu, Gu, Hx and Hu are constant: q, f, h are affine in x and u (t may
 * enter in any way), with the same matrices whatever the memory is.  Then each
 * matrix is factored once and Newton's method takes one step.  The conformance
 * check verifies it. */
#define YOKE_AFFINE 1u

/* q, f, h are affine in x and u, with matrices that may depend on t (a contact
 * that moves along a wire).  Then explicit methods find the algebraic unknowns
 * in one step of Newton's method.  YOKE_AFFINE includes it; the conformance
 * check verifies it. */
#define YOKE_LINEAR 2u

/* The names of its unknowns and outputs belong to it alone: results show them
 * without the name of the subsystem, as v(out) of a netlist. */
#define YOKE_OWN_NAMES 4u

/* `settled` and `limit` are there and of use. */
#define YOKE_LIMITS 8u

/* The callbacks iterate inside, from where they were last: the same arguments
 * give the same result to ten digits (Jacobians: to four), not in every bit. */
#define YOKE_ITERATED 16u

/* q, f and h depend on t not at all, or as straight lines between the
 * breakpoints of `next_break`.  Otherwise nothing tells a stepper where in time
 * something happens, and it looks for itself, with steps of at most 1/54 of the
 * run (docs/methods/inputs.md). */
#define YOKE_TIMELESS 32u

/* What the user fills in.  Everything but `event`, `at_events`, `initial`,
 * `cells`, `ports`, `courses` and `curves` is copied.
 * Zero-initialise it; only n (and p, if `output` is given) must be set. */
typedef struct yoke_system_info {
    int n, m, p;
    unsigned flags;           /* YOKE_AFFINE, ... */
    int positions;            /* how many unknowns are positions, for methods
                                 for second-order systems; 0: unknown */
    const int (*position)[2]; /* the unknowns (position, velocity) of each;
                                 NULL: x[0..k) and x[k..2k) */
    /* Invariants that time steps miss by their errors: moves x to the nearest
     * point at which they hold.  Steppers call it after every step.  missed:
     * the largest that positions and velocities missed before.  NULL: none. */
    yoke_status (*project)(void *self, double t, double *x, double missed[2],
                           yoke_err *err);
    /* Bounds a change dx of the unknowns from x on, so that x + dx makes sense:
     * Newton's increments and first guesses.  True: something was bounded.
     * NULL: no bounds. */
    bool (*bound)(void *self, const double *x, double *dx);
    size_t memory_bytes;               /* for save and restore */
    int events;                        /* number of indicators */
    const yoke_event_ops *event;       /* borrowed; NULL if events is 0 */
    const yoke_event_facts *at_events; /* borrowed; NULL: not known */
    const yoke_cells *cells;           /* borrowed; NULL: not known */
    const yoke_ports *ports;           /* borrowed; NULL: not known */
    const yoke_courses *courses;       /* borrowed; NULL: not known, or none */
    const yoke_initial_ops *initial;   /* borrowed; NULL: x0 and its charges */
    const yoke_curves *curves;         /* borrowed; NULL: not known */
    const double *x0;                  /* initial values, n; NULL: zero */
    const double *nominal;      /* sizes of the unknowns, n, > 0; NULL: one */
    const char *const *x_name;  /* n;  NULL: x1, x2, ... */
    const char *const *u_name;  /* m;  NULL: u1, u2, ... */
    const char *const *y_name;  /* p;  NULL: y1 ... (names of x if y = x) */
    const char *const *eq_name; /* n, equations;  NULL: equation 1, ... */

    /* Places of the Jacobians.  NULL: found by probing the callbacks at a few
     * seeded random points near x0 (n + m at most 4000; for larger systems they
     * must be given).  If `jacobian` is given the patterns it fills must be
     * given too; a NULL pattern is then an empty one. */
    const yoke_pattern *C, *G, *Cu, *Gu, *Hx, *Hu;
} yoke_system_info;

/* Takes `self`, also on failure (then `ops->free` has been called).  Borrows
 * `ops`, copies `info`.  `name` is used in messages. */
YOKE_API yoke_status yoke_system_create(yoke_system **out, const char *name,
                                        const yoke_system_ops *ops, void *self,
                                        const yoke_system_info *info,
                                        yoke_err *err);
YOKE_API void yoke_system_free(yoke_system *system); /* accepts NULL */

/* The facts, all pointers filled in; borrowed, valid as long as the system. */
YOKE_API const yoke_system_info *yoke_system_facts(const yoke_system *system);
YOKE_API const char *yoke_system_name(const yoke_system *system);
YOKE_API const char *yoke_system_kind(const yoke_system *system);

/* Adds a profile of unknowns and outputs; texts that are NULL are empty.
 * Copies.  Refuses names that the system does not have, and a profile of the
 * same name.  A composite has the profiles of its members, the member's name
 * and a dot in front of all names. */
YOKE_API yoke_status yoke_system_add_profile(yoke_system *system,
                                             const yoke_profile *profile,
                                             yoke_err *err);

/* All of them; borrowed.  Returns how many. */
YOKE_API int yoke_system_profiles(const yoke_system *system,
                                  const yoke_profile **list);

/* Call the callbacks; the defaults above are applied, results checked to be
 * finite, and messages begin with the subsystem, the equation and the time. */
YOKE_API yoke_status yoke_system_eval(yoke_system *system, double t,
                                      const double *x, const double *u,
                                      double *q, double *f, yoke_err *err);
YOKE_API yoke_status yoke_system_output(yoke_system *system, double t,
                                        const double *x, const double *u,
                                        double *y, yoke_err *err);
YOKE_API yoke_status yoke_system_jacobian(yoke_system *system, double t,
                                          const double *x, const double *u,
                                          const yoke_jacobian *jac,
                                          yoke_err *err);

/* x'; YOKE_E_MISSING if the system has no `rhs`. */
YOKE_API yoke_status yoke_system_rhs(yoke_system *system, double t,
                                     const double *x, const double *u,
                                     double *xdot, yoke_err *err);
YOKE_API bool yoke_system_has_rhs(const yoke_system *system);

/* g[events]; happened[events], set to false first; and x_new[n], which `apply`
 * need not fill: it comes as x. */
YOKE_API yoke_status yoke_system_indicate(yoke_system *system, double t,
                                          const double *x, const double *u,
                                          double *g, yoke_err *err);
YOKE_API yoke_status yoke_system_begin(yoke_system *system, double t,
                                       const double *x, const double *u,
                                       bool *happened, yoke_err *err);
YOKE_API yoke_status yoke_system_apply(yoke_system *system, double t,
                                       const double *x, const double *u,
                                       const bool *happened, double *x_new,
                                       yoke_err *err);
YOKE_API yoke_status yoke_system_meet(yoke_system *system,
                                      const yoke_instant *at, double *x_new,
                                      yoke_err *err);
YOKE_API yoke_status yoke_system_settle(yoke_system *system, double t,
                                        const double *x, const double *u,
                                        double *x_new, bool *changed,
                                        yoke_err *err);
YOKE_API void yoke_system_about(yoke_system *system, int k,
                                yoke_event_about *out);
YOKE_API bool yoke_system_remark(yoke_system *system, int k, yoke_remark *out);
YOKE_API void yoke_system_accuracy(yoke_system *system, double rtol);
YOKE_API bool yoke_system_limits(const yoke_system *system);
YOKE_API void yoke_system_limit(yoke_system *system, bool on, double t,
                                const double *x, const double *u);
YOKE_API bool yoke_system_settled(yoke_system *system, double t,
                                  const double *x, const double *dx,
                                  const double *u, const double *du);

/* Moves x[n] to where the invariants hold; nothing to do without `project`. */
YOKE_API yoke_status yoke_system_project(yoke_system *system, double t,
                                         double *x, double missed[2],
                                         yoke_err *err);

/* Bounds dx[n] as `bound` says; false without it. */
YOKE_API bool yoke_system_bound(yoke_system *system, const double *x,
                                double *dx);
YOKE_API double yoke_system_next_break(yoke_system *system, double t);
YOKE_API yoke_status yoke_system_part(yoke_system *system, int unknowns,
                                      const int *unknown, const double *x,
                                      yoke_cell_part *out, yoke_err *err);
YOKE_API bool yoke_system_is_still(yoke_system *system, int cell, double t0,
                                   double t1);
YOKE_API bool yoke_system_is_far(yoke_system *system, int cell, double t,
                                 const double *x, const double *slack);
YOKE_API void yoke_system_absorb(yoke_system *system, const yoke_system *part);
YOKE_API void yoke_system_save(yoke_system *system, void *bytes);
YOKE_API void yoke_system_restore(yoke_system *system, const void *bytes);

/* ---- Ready-made systems ------------------------------------------------ */

/* d/dt (E x + F u) = A x + B u + b r(t),   y = H x + D u
 *
 * Dense, row by row; a NULL matrix is zero (E: the identity).  `source`, which
 * may be NULL, writes r[n] with b = 1; `context` is borrowed.  Copies the
 * matrices; zero entries are no places of the patterns.  H = D = NULL: y = x;
 * H = NULL alone is zero. */
typedef struct yoke_linear {
    int n, m, p;
    const double *E, *A, *F, *B, *H, *D;
    void (*source)(void *context, double t, double *r);
    void *context;
    const double *x0;
    const char *const *x_name, *const *u_name, *const *y_name, *const *eq_name;
    /* Breakpoints of the source, as in yoke_system_ops; NULL: none. `straight`:
     * it is linear in t between them. */
    double (*next_break)(void *context, double t);
    bool straight;
} yoke_linear;

YOKE_API yoke_status yoke_linear_create(yoke_system **out, const char *name,
                                        const yoke_linear *linear,
                                        yoke_err *err);

/* A part of a system: some of its equations with as many of its unknowns.  The
 * other unknowns that occur in these equations become inputs, under their own
 * names, followed by the inputs of `whole`; the outputs are the part's
 * unknowns.  Borrows `whole`, which must outlive it and must have no events.
 *
 * Each evaluation evaluates all of `whole`: meant for cutting up small systems
 * by hand, not for large ones. */
YOKE_API yoke_status yoke_part_create(yoke_system **out, const char *name,
                                      yoke_system *whole, int count,
                                      const int *unknown, const int *equation,
                                      yoke_err *err);

/* ---- Composition ------------------------------------------------------- */

/* One entry of u = K y: u[to.input] += weight * y[from.output]. */
typedef struct yoke_link {
    int to, input;    /* subsystem and its input */
    int from, output; /* subsystem and its output */
    double weight;
} yoke_link;

/* Several subsystems and their inner links as one system of the same form, with
 * assembled Jacobians.  Unknowns: those of the members in order, then one for
 * each inner input whose sources depend on their own inputs (an algebraic loop
 * is solved, not refused).  Names get the member's name and a dot in front.
 * Events: those of the members in order.
 *
 * `open` lists the inputs of the whole as pairs (member, input); an open input
 * is added to its inner links.  Every other input must have a link.  `out`
 * lists the outputs of the whole as pairs (member, output); NULL: all outputs
 * of all members in order.  Borrows the members, copies the lists. */
typedef struct yoke_composition {
    int members, links, opens, outs;
    yoke_system *const *member;
    const yoke_link *link;
    const int (*open)[2];
    const int (*out)[2];
} yoke_composition;

YOKE_API yoke_status yoke_compose(yoke_system **out, const char *name,
                                  const yoke_composition *parts, yoke_err *err);

#ifdef __cplusplus
}
#endif

#endif
