/* bench/15_map/problem.h -- M parts, some of them fast, coupled by signals.
 *
 * Part k is a line of n_k cells with a nonlinear loss, driven at its far end,
 *
 *     x_1' = s (-x_1 - x_1^3/10 + x_2 - x_1 + c (u - x_1))
 *     x_j' = s (-x_j/10 - x_j^3/10 + x_{j-1} - 2 x_j + x_{j+1})
 *     x_n' = s (-x_n/10 - x_n^3/10 + x_{n-1} - x_n + sin(s t + phase)),
 *
 * y = x_1, with s = 1 for slow parts and s = R for fast ones.  u is the mean of
 * the neighbours' y.
 */
#ifndef MAP_PROBLEM_H
#define MAP_PROBLEM_H

#include <yoke/yoke.h>

#include <stdbool.h>
#include <stdio.h>

typedef enum map_shape { MAP_RING, MAP_STAR, MAP_CHAIN } map_shape;

typedef struct map_problem {
    int parts;
    bool half;    /* half of the parts are fast, every second one; else one */
    double ratio; /* R */
    double c;     /* strength of the coupling */
    map_shape shape;
    int unknowns; /* of each part; 0: from 2 to 40 */
    double stop;
} map_problem;

const char *map_shape_name(map_shape shape);

/* Parts that part k reads: *first, and *count in steps of *step, modulo the
 * number of parts. */
void map_neighbours(const map_problem *p, int k, int *first, int *step,
                    int *count);

yoke_model *map_model(const map_problem *p);

/* The same coupling of linear parts with two unknowns, as a system file. */
void map_write(const map_problem *p, FILE *f);

#endif
