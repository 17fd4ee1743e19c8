/* comp/equation/structure/chart.h -- local coordinates on the manifold of
 * constraints.
 *
 * Constraints g(z) = 0 with slopes H, m by n, leave n - m of the unknowns z
 * free.  Where H is constant the same unknowns can be the states forever.
 * Otherwise the states are combinations T z,
 *
 *     d/dt (T z) - T w = 0,      w = dz/dt as unknowns,
 *
 * T being n - m orthonormal rows that span the null space of H where T was made
 * last.  T is part of the memory of the subsystem and is made again, as an
 * event, when the null space has turned away from it too far.
 */
#ifndef YK_CHART_H
#define YK_CHART_H

#include "comp/equation/code/interpret.h"

/* A place of H: the slope of a scalar equation by one reference. */
typedef struct yk_chart_place {
    int row, element;          /* scalar equation, root */
    double value;              /* at the start values, with the sign */
    bool constant;             /* at all times */
    int number, instance, ref; /* of the equation and of the reference */
    int sign;                  /* of the alias */
} yk_chart_place;

/* Equations that were differentiated and are connected by their unknowns. */
typedef struct yk_chart_component {
    int rows, cols, count;
    const int *row, *element;    /* which they are */
    const int *row_number;       /* number here of each scalar equation ... */
    const int *col_number;       /* ... and element */
    const yk_chart_place *entry; /* count */
} yk_chart_component;

/* slope `ref` times weight is added to a column of H. */
typedef struct yk_chart_term {
    int ref, column;
    double weight;
} yk_chart_term;

typedef struct yk_chart_row {
    int number, instance; /* of the equation */
    int first, count;     /* of its terms */
} yk_chart_row;

typedef struct yk_chart {
    int component; /* charts of one component are changed together */
    int rows, cols;
    int *element, *order; /* cols: z is this derivative of this element */
    double *size, mean;   /* cols: nominal values; their geometric mean */
    bool *kept;           /* cols: z keeps its value at the start */
    yk_chart_row *row;
    yk_chart_term *term;
    size_t term_room;
    int terms;
    char name[YK_NAME_SIZE]; /* of its first equation */

    /* Set by layout.c: rows of the subsystem from `first`, columns of z and w,
     * places of T in C and G, row by row. */
    int first;
    int *state, *rate, *c_at, *g_at;

    /* In the memory: least cosine, 0 if nothing is watched; complement of T,
     * and T. */
    double *least, *q, *t;
} yk_chart;

typedef struct yk_charts {
    int count, components;
    int combinations; /* rows of all T */
    size_t room;
    yk_chart *chart;
    int codes;
    yk_code *code; /* slopes of each equation that has a row */
    int *code_of;  /* of each equation, or -1 */
    double *workspace;
    size_t numbers;
    double *memory;
    double *h, *basis, *product, *rest; /* of one chart */
} yk_charts;

/* chart_make.c: marks the dummies of a component whose slopes are not all
 * constant and adds its charts to model->charts.  c[rows] says how often each
 * scalar equation was differentiated.  *regular is false if the constraints
 * depend on each other. */
yoke_status yk_charts_add(yk_model *model, const yk_chart_component *p,
                          const int *c, bool *regular, yoke_err *err);

/* Code and memory, once all components are there. */
yoke_status yk_charts_finish(yk_model *model, yoke_err *err);
void yk_charts_free(yk_charts *charts); /* accepts NULL */

/* The chart that has this derivative of an element as z, or NULL; accepts
 * charts = NULL. */
const yk_chart *yk_charts_find(const yk_charts *charts, int element, int order);

/* New coordinates at w.  Where the constraints depend on each other the kept
 * unknowns are the states, and nothing is watched. */
void yk_charts_start(yk_charts *charts, const yk_model *model, double t,
                     const double *w);

/* g[components]: rises to zero when a component needs new coordinates. */
void yk_charts_indicate(yk_charts *charts, const yk_model *model, double t,
                        const double *w, double *g);

/* Which components need new coordinates at the start, where w may be far from
 * where they were made. */
void yk_charts_begin(yk_charts *charts, const yk_model *model, double t,
                     const double *w, bool *happened);

/* New coordinates for the components that happened, and for others that can do
 * with them.  given[columns of x] marks unknowns that got a new value: they
 * become coordinates of their own, so that they keep it.  YOKE_RETRY where the
 * constraints depend on each other or do not leave given unknowns free. */
yoke_status yk_charts_apply(yk_charts *charts, const yk_model *model, double t,
                            const double *w, const bool *happened,
                            const bool *given, yoke_err *err);

/* T to its places in C and in J, with a minus. */
void yk_charts_store(const yk_charts *charts, double *C, double *J);

#endif
