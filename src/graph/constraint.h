/* graph/constraint.h -- what a constraint is made of. */
#ifndef YK_CONSTRAINT_H
#define YK_CONSTRAINT_H

#include "yoke/graph.h"

enum { YK_LEVELS = 3 }; /* y, y', y'' */

typedef struct yk_constraint {
    int count, inputs;
    double *weight;       /* of a function: its slopes, or NULL */
    yoke_pattern *places; /* of them; NULL: differences */
    yoke_form form;
    double part[YK_LEVELS]; /* weights of d, d', d'' */
    double *d;              /* d, d', d'' */
    bool rates;             /* offset writes all of them in any form */
    void (*offset)(void *context, double t, double *d);
    void (*function)(void *context, double t, const double *y, double *g);
    void (*slopes)(void *context, double t, const double *y, double *slope);
    void *context;
    double (*next_break)(void *context, double t);
} yk_constraint;

#endif
