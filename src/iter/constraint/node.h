/* iter/constraint/node.h -- multipliers at one instant. */
#ifndef YK_ITER_CONSTRAINT_NODE_H
#define YK_ITER_CONSTRAINT_NODE_H

#include "iter/constraint/constraint.h"

enum { YK_CONSTRAINT_LEVELS = 3 }; /* g, g', g'' */

/* Multiplier `from` enters input list[to] of the part, or output `from` of the
 * part is read as input `to` of the constraint. */
typedef struct yk_constraint_link {
    int from, to;
    double weight;
} yk_constraint_link;

/* A unit that the constraint reads or acts on. */
typedef struct yk_constraint_part {
    const char *name;
    const yk_propagator *p;
    int count; /* inputs with multipliers */
    int *input;
    int enters, reads;
    yk_constraint_link *enter, *read;
    double *y, *a; /* what it tells */
    double *mu;    /* count */
    double *tight; /* of each unknown: its tolerance over what was asked for */
    double *W[2],
        *V[2]; /* what unknowns and signals do to the multipliers, rows
                            by them: where a window begins and where it ends */
} yk_constraint_part;

typedef struct yk_constraint_node {
    const yoke_graph *graph;
    const yk_cluster *cluster;
    int rows, inputs; /* equations and multipliers; outputs that are read */
    int parts;
    yk_constraint_part *part;
    int *degree; /* r of each row; NULL: not known yet */
    int most;    /* of them */
    double *v;   /* inputs and their derivatives */
    double *D;   /* rows by inputs */
    double *g;   /* LEVELS times rows */
    double *S;   /* rows by rows: of row k for its degree */
    double *factor, *mu;
    double *v_side, *g_side; /* for slopes */
    int *pivot;
} yk_constraint_node;

yoke_status yk_constraint_node_create(yk_constraint_node *n,
                                      const yk_constraint_setup *setup,
                                      yoke_err *err);
void yk_constraint_node_clear(yk_constraint_node *n);
yoke_status yk_constraint_node_bind(yk_constraint_node *n, int units,
                                    const yk_unit *all, int self,
                                    yoke_err *err);

/* The degrees, at this instant: they do not change. */
yoke_status yk_constraint_node_degrees(yk_constraint_node *n,
                                       const yk_instant_of *at, yoke_err *err);

/* change[rows] = -S^-1 g^(r) at an instant of the last sweep. */
yoke_status yk_constraint_node_solve(yk_constraint_node *n,
                                     const yk_instant_of *at, double *change,
                                     yoke_err *err);

/* n->v, n->g and n->D at an instant, derivatives up to `level`. */
yoke_status yk_constraint_node_read(yk_constraint_node *n,
                                    const yk_instant_of *at, int level,
                                    yoke_err *err);

/* n->g and n->D, derivatives up to `level`, from n->v. */
yoke_status yk_constraint_node_differentiate(yk_constraint_node *n,
                                             const yk_instant_of *at, int level,
                                             yoke_err *err);

/* Sizes of the terms that the multipliers are the sum of, at the last instant:
 * size[rows] = |S^-1| sum |D y^(r)|.  What cancels is lost. */
yoke_status yk_constraint_node_sizes(yk_constraint_node *n, double *size,
                                     yoke_err *err);

/* How much errors of the units as large as their tolerances change the
 * multipliers at the end t of a sweep that began at t0, over tolerance[rows]:
 * the units get tolerances with which that is no more than it may be. */
yoke_status yk_constraint_node_tighten(yk_constraint_node *n, double t0,
                                       double t, const double *tolerance,
                                       yoke_err *err);

/* Moves the ends of the units: g and its derivatives below r vanish at the end
 * t of a sweep that began at t0. */
yoke_status yk_constraint_node_project(yk_constraint_node *n, double t0,
                                       double t, double rtol, double atol,
                                       yoke_err *err);

/* ---- slopes.c: what unknowns and signals do to the multipliers ------------ */

/* Those at the end t of a sweep that began at t0; they become those of the
 * beginning. */
yoke_status yk_constraint_node_slopes(yk_constraint_node *n, double t0,
                                      double t, yoke_err *err);
void yk_constraint_node_carry(yk_constraint_node *n);

/* They are the same everywhere. */
bool yk_constraint_node_is_linear(const yk_constraint_node *n);

/* out[rows] += what changes dx and du of a part do at the part s of the window. */
void yk_constraint_part_change(const yk_constraint_node *n,
                               const yk_constraint_part *part, double s,
                               const double *dx, const double *du, double *out);

#endif
