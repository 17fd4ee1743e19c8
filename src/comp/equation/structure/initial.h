/* comp/equation/structure/initial.h -- the equations of the initial values, for
 * the files initial*.c.
 *
 * Unknowns z are x and, if initial equations are given, the derivatives p under
 * d/dt; equations are
 *
 *     f(t, x, u) + C p = 0      (without initial equations: rows without
 *                                charge)
 *     initial equations
 *     x_j = start_j             for as many unknowns as are left over.
 */
#ifndef YK_EQUATION_INITIAL_H
#define YK_EQUATION_INITIAL_H

#include "comp/equation/code/subsystem.h"

/* Where the value of an entry comes from. */
typedef enum yk_eq_source {
    YK_FROM_J,      /* [G | Gu] */
    YK_FROM_C,      /* C */
    YK_FROM_INITIAL /* slopes of the initial equations */
} yk_eq_source;

/* An entry of the matrix: value `from` of a source goes to (row, col). */
typedef struct yk_eq_entry {
    int row, col;
    yk_eq_source source;
    int from;
    double sign;
} yk_eq_entry;

typedef struct yk_eq_entries {
    yk_eq_entry *at;
    int count;
    size_t room;
} yk_eq_entries;

/* An initial equation: its residual, and its slopes by what it refers to. */
typedef struct yk_eq_start_code {
    yk_code residual, slope;
} yk_eq_start_code;

struct yk_eq_initial {
    yk_subsystem *s; /* borrowed; s->w is where values are put */
    int n, p;        /* unknowns x and p */
    int rows;        /* equations, without x_j = start_j */
    int *p_slot;     /* slot of each p */
    int *row_of_f;   /* of each row of f, or -1 */
    yk_eq_entries of_z, of_u;
    double *start, *size; /* n + p */
    double *f, *J, *slopes;
    bool *state, *fixed; /* n */
    bool *ruled;    /* n: its start value is that before an equation of discrete
                    variables, or a condition with initial(), gave it another */
    double *before; /* n: the value before conditions with initial() */
    int initial_row; /* of the first initial equation */
    int slope_count;
    yk_eq_start_code *code; /* of each template of initial equations */
    double *workspace;

    char *file, *system; /* names */
    char **z_name, **row_name;
};

/* Which unknowns are solved for: pick[n + p] is a number among them, or -1:
 * keeps its start value.  Refuses initial equations that ask for too much. */
yoke_status yk_eq_initial_choose(const yk_eq_initial *p, bool respect_fixed,
                                 int *pick, yoke_err *err);

/* All values from z and u (NULL: as they are), the slopes of inputs zero. */
void yk_eq_initial_set(const yk_eq_initial *p, const double *z,
                       const double *u);

/* r[rows], and J and the slopes, for the values as they were set. */
void yk_eq_initial_residual(yk_eq_initial *p, double t, const double *z,
                            double *r);
void yk_eq_initial_slopes(yk_eq_initial *p, double t);

/* value[place[k]] += entry k; place < 0: left out. */
void yk_eq_initial_add(const yk_eq_initial *p, const yk_eq_entries *entries,
                       const int *place, double *value);

/* Refuses values of fixed unknowns that are not those asked for: YOKE_RETRY. */
yoke_status yk_eq_initial_check_fixed(const yk_eq_initial *p, const double *z,
                                      yoke_err *err);

#endif
