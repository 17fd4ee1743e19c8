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
 *
 * Initial equations that find no unknown to determine, the others having taken
 * them all, are spare: they are not solved, but must hold in the end.
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
    int initial_row;   /* of the first initial equation */
    int all_rows;      /* with the spare ones */
    int *row_of;       /* all_rows: number among the rows, or -1: spare */
    int *row_at;       /* rows: which of all_rows */
    yk_eq_entry *only; /* all_rows: the entry of the one unknown of an initial
                          equation; col < 0: it has others */
    double *all;       /* all_rows: residuals */
    int slope_count;
    yk_eq_start_code *code; /* of each template of initial equations */
    double *workspace;

    char *file, *system;       /* names */
    char **z_name, **row_name; /* n + p, all_rows */
};

/* Which unknowns are solved for: pick[n + p] is a number among them, or -1:
 * keeps its start value.  Refuses initial equations that ask for too much. */
yoke_status yk_eq_initial_choose(const yk_eq_initial *p, bool respect_fixed,
                                 int *pick, yoke_err *err);

/* spare[rows]: no unknown is left for it. */
yoke_status yk_eq_initial_spare(const yk_eq_initial *p, bool *spare,
                                yoke_err *err);

/* Do the spare equations hold, for the values as they were set?  YOKE_E_MODEL:
 * one does not; it is named with its size. */
yoke_status yk_eq_initial_check_spare(yk_eq_initial *p, double t,
                                      yoke_err *err);

/* These equations as a system without charges (initial_system.c). */
yoke_status yk_eq_initial_system(yoke_system **out, yk_eq_initial *p,
                                 bool respect_fixed, yoke_err *err);

/* All values from z and u (NULL: as they are), the slopes of inputs zero. */
void yk_eq_initial_set(const yk_eq_initial *p, const double *z,
                       const double *u);
/* The derivatives p stay as they are. */
void yk_eq_initial_set_x(const yk_eq_initial *p, const double *x,
                         const double *u);
const char *yk_eq_initial_row_name(const yk_eq_initial *p, int row);

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
