/* The coupled problems.  Each fills a model. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include <yoke/yoke.h>

typedef struct problem {
    char name[64];
    double stop, window, rtol, atol;
    int groups;         /* subsystems, those solved as one counted once */
    int unknowns;       /* in all */
    const char *record; /* the coupled outputs */
    const char *order;  /* of a sweep; "": as added */
    yoke_scheme scheme;
    yoke_model *model;
} problem;

problem two_masses(double window);
problem wang_hou_modnak(double window);
problem rc_chain(int cells, int blocks, double window);

/* The same chain without the way back, by Jacobi's iteration: one block more
 * has its final inputs after every sweep. */
problem rc_cascade(int cells, int blocks, double window);

void problem_free(problem *problem);

#endif
