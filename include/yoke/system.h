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
 * This page is all that most subsystems need.  What else one may offer is in
 * yoke/event.h (state events) and yoke/optional.h; subsystems made of matrices
 * or of other subsystems are in yoke/compose.h.
 */
#ifndef YOKE_SYSTEM_H
#define YOKE_SYSTEM_H

#include "yoke/profile.h"
#include "yoke/sparse.h"

#include <stdbool.h>

YOKE_BEGIN_C

typedef struct yoke_system yoke_system;

/* Values of the six Jacobians, each in the order of its pattern:
 *
 *     C = dq/dx   G = df/dx   Cu = dq/du   Gu = df/du   Hx = dh/dx   Hu = dh/du
 *
 * A NULL member is not wanted.  The arrays come zeroed. */
typedef struct yoke_jacobian {
    double *C, *G, *Cu, *Gu, *Hx, *Hu;
} yoke_jacobian;

/* Every callback returns YOKE_OK, YOKE_RETRY (not defined at this point, a
 * smaller step may avoid it) or a negative status (stop).  A result that is not
 * finite counts as YOKE_RETRY.  Calls on one `self` never overlap, unless the
 * system is YOKE_REENTRANT; those on others may, if both are YOKE_PARALLEL.
 *
 * No callback knows about windows or iterations.  Callbacks are pure: the same
 * arguments give the same result.  A subsystem that has memory of its own (a
 * switch, a hysteresis) changes it only in `restore` and at events. */
typedef struct yoke_system_ops {
    const char *kind; /* appears in reports */

    /* q[n] and f[n]; either pointer may be NULL: not wanted.
     * REQUIRED unless `rhs` is given; then q = x and f = -rhs. */
    yoke_status (*eval)(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err);

    /* y[p].  OPTIONAL; default y = x, p = n. */
    yoke_status (*output)(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err);

    /* OPTIONAL; default coloured finite differences. */
    yoke_status (*jacobian)(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err);

    /* x' of an ODE: xdot[n].  OPTIONAL; explicit steppers use it if it is
     * there, and otherwise solve for the charges. */
    yoke_status (*rhs)(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err);

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

/* Flags.  The conformance check verifies the first two.
 *
 * AFFINE     q, f, h are affine in x and u, with matrices that are constant
 *            whatever t and the memory are: each matrix is factored once, and
 *            Newton's method takes one step
 * LINEAR     the same with matrices that may depend on t (a contact that moves
 *            along a wire); AFFINE includes it
 * OWN_NAMES  the names of unknowns and outputs belong to it alone: results show
 *            them without the name of the subsystem, as v(out) of a netlist
 * LIMITS     help->settled and help->limit are there and of use
 * ITERATED   the callbacks iterate inside, from where they were last: the same
 *            arguments give the same result to ten digits (Jacobians: to four),
 *            not in every bit
 * TIMELESS   q, f, h depend on t not at all, or as straight lines between
 *            breakpoints.  Otherwise nothing tells a stepper where in time
 *            something happens, and it looks for itself, with steps of at most
 *            1/54 of the run (docs/methods/inputs.md)
 * HIDDEN     its variables are recorded only if they are asked for, and a
 *            schedule need not name it: it runs first then
 * PARALLEL   the callbacks write to nothing that other subsystems use, so they
 *            may run at once with those of others, in another thread.  Without
 *            it they run in the thread that called yoke_run_advance, one
 *            subsystem after the other (option jobs of a run)
 * REENTRANT  calls of eval, rhs and output may overlap, too: they write to nothing
 *            but their results.  Needs PARALLEL.  Columns of differences of a
 *            subsystem without `jacobian` are computed at once then
 */
#define YOKE_AFFINE    1u
#define YOKE_LINEAR    2u
#define YOKE_OWN_NAMES 4u
#define YOKE_LIMITS    8u
#define YOKE_ITERATED  16u
#define YOKE_TIMELESS  32u
#define YOKE_HIDDEN    64u
#define YOKE_PARALLEL  128u
#define YOKE_REENTRANT 256u

/* What the user fills in.  Zero-initialise it; only n (and p, if `output` is
 * given) must be set. */
typedef struct yoke_system_info {
    int n, m, p;
    unsigned flags;             /* YOKE_AFFINE, ... */
    size_t memory_bytes;        /* for save and restore */
    const double *x0;           /* initial values, n; NULL: zero */
    const double *nominal;      /* sizes of the unknowns, n, > 0; NULL: one */
    const bool *guess;          /* n: x0 is a guess that may move where it
                                   contradicts the equations; NULL: none is */
    const char *const *x_name;  /* n;  NULL: x1, x2, ... */
    const char *const *u_name;  /* m;  NULL: u1, u2, ... */
    const char *const *y_name;  /* p;  NULL: y1 ... (names of x if y = x) */
    const char *const *eq_name; /* n, equations;  NULL: equation 1, ... */

    /* Places of the Jacobians.  NULL: found by probing the callbacks at a few
     * seeded random points near x0 (n + m at most 4000; for larger systems they
     * must be given).  If `jacobian` is given the patterns it fills must be
     * given too; a NULL pattern is then an empty one. */
    const yoke_pattern *C, *G, *Cu, *Gu, *Hx, *Hu;

    /* For methods for second-order systems: how many unknowns are positions (0:
     * unknown), and the unknowns (position, velocity) of each (NULL: x[0..k)
     * and x[k..2k)). */
    int positions;
    const int (*position)[2];

    /* Optional interfaces, all borrowed; NULL: absent, or not known. */
    int events;                               /* number of indicators */
    const struct yoke_event_ops *event;       /* yoke/event.h */
    const struct yoke_event_facts *at_events; /* yoke/event.h */
    const struct yoke_help_ops *help;         /* the others: yoke/optional.h */
    const struct yoke_initial_ops *initial;
    const struct yoke_courses *courses;
    const struct yoke_curves *curves;
    const struct yoke_cells *cells;
    const struct yoke_ports *ports;
    const struct yoke_aliases *aliases; /* copied */
    const struct yk_closed *closed;     /* FMUs; not for others */

    /* Units for results and pictures, as text: n unknowns, p outputs.  NULL, or
     * an entry that is NULL: none is known.  (If y = x those of x serve.) */
    const char *const *x_unit, *const *y_unit;
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

YOKE_END_C

#endif
