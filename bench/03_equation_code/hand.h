/* The models of this benchmark as text and as hand-written C. */
#ifndef HAND_H
#define HAND_H

#include <yoke/equation.h>

typedef struct hand {
    const char *name;
    const char *text; /* with one %d: the number of cells */
    int per_cell;     /* unknowns per cell */
    yoke_status (*create)(yoke_system **out, int cells, yoke_err *err);
    /* f and the values of G without anything around them. */
    void (*f)(int cells, const double *x, double *f);
    void (*g)(int cells, const double *x, double *g);
} hand;

/* Ends with a NULL name. */
extern const hand hands[];

#endif
