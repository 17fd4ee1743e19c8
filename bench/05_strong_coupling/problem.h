/* problem.h -- random coupled problems with known solutions.
 *
 *   states     ODEs coupled by signals through states.  alpha: the coupling
 *              conductance over those of the subsystems; the plain iteration
 *              contracts on windows shorter than about 1/alpha of their times
 *   loop       signals with direct feedthrough: by algebraic equations, by
 *              outputs, or by charges that depend on inputs
 *   circuit    C_i y_i' + g_i(y_i) + s_i(t) = P_i' u,  sum P_i y_i = d(t)
 *   velocity   M_i q_i'' = phi_i - G_i' lambda,  sum G_i q_i' = d'(t)
 *   position   the same with  sum G_i q_i = d(t)
 *   stabilised the same with  sum G_i q_i'' and terms of d', d
 *
 * Except in the first alpha is the spectral radius of one plain sweep of the
 * chosen order and owners, for windows that tend to zero.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "part.h"
#include "random.h"

enum { MOST_PARTS = 8, MOST_ROWS = 7, MOST_LINKS = 128 };

typedef enum family {
    STATES,
    LOOP,
    CIRCUIT,
    VELOCITY,
    POSITION,
    STABILISED,
    FAMILIES
} family;

extern const char *const family_name[FAMILIES];

/* Several rows 0 = sum y - d(t) with their multipliers. */
typedef struct joint {
    char name[16];
    int rows, members, owner;
    int part[MOST_PARTS];
    int output[MOST_PARTS]; /* of each member: its first, others follow */
    course lambda[MOST_ROWS], offset[MOST_ROWS];
    char base[MOST_ROWS][8]; /* names of the outputs, without ".v" */
    const basis *basis;
} joint;

typedef struct problem {
    family family;
    bool nonlinear;
    double alpha, stop;
    int parts, joints, links;
    basis basis;
    part part[MOST_PARTS];
    joint joint[MOST_ROWS];
    yoke_link link[MOST_LINKS]; /* between parts only */
    int order[MOST_PARTS];
    char schedule[256]; /* for readers */
    char names[64];     /* the order, as an option */
    bool owned;         /* constraints have owners whatever the run says */
    bool given;    /* initial values are taken as given: index 2 and more */
    double eta;    /* of the stabilised form */
    char note[80]; /* what was drawn, in words */
} problem;

/* Problem `number` of the sequence `seed`; families take turns. */
void problem_draw(problem *p, unsigned long seed, unsigned long number);

/* Borrows the problem. */
yoke_status problem_model(yoke_model **out, problem *p, yoke_err *err);

/* Used by the families. */
void problem_signal(problem *p, int to, int input, int from, int output,
                    double weight);
course problem_course(dice *d, double size);
bool draw_states(problem *p, dice *d, double alpha);
bool draw_loop(problem *p, dice *d, double alpha);
bool draw_network(problem *p, dice *d, double alpha);

#endif
