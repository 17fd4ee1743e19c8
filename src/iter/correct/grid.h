/* iter/correct/grid.h -- the late waveforms on a grid of the window, and the way
 * back from a correction there to corrected outputs of the units.
 */
#ifndef YK_CORRECT_GRID_H
#define YK_CORRECT_GRID_H

#include "iter/correct/interface.h"

/* Steps of the grid: about as many as the subsystems take themselves. */
enum { YK_LEAST_STEPS = 16, YK_MOST_STEPS = 256 };

typedef struct yk_grid_room yk_grid_room;

/* Vectors have `size` values at each of the steps + 1 points. */
typedef struct yk_grid {
    yk_plan_state *plan;
    const yoke_iterate_options *options;
    yk_interface *interface;
    int size;            /* late components */
    const yk_late *late; /* sorted by units */
    const char **name;   /* of each */
    double *counts;      /* of each: how much its errors count */
    double *scale;       /* of each: tolerance, the same in all sweeps of a
                            window */
    double t0, t1;
    int steps;
    double *r, *w;  /* F(w) - w, w */
    double *dw;     /* the correction */
    yk_rows m;      /* M - I: what r(t) adds to dw(t) at once besides itself */
    bool exact;     /* m is applied to the waveforms themselves */
    bool history;   /* dw has a part that comes from earlier points */
    double *smooth; /* dw - r without what is applied exactly; also room */
    yk_grid_room *room;
} yk_grid;

/* Takes the interface, also if it fails, borrows its plan and the options.  r, w
 * and dw are not known yet, M = I. */
yoke_status yk_grid_create(yk_grid *grid, yk_interface *interface,
                           yk_plan_state *plan,
                           const yoke_iterate_options *options, yoke_err *err);
void yk_grid_clear(yk_grid *grid);

/* Another number of steps; vectors lose their values. */
yoke_status yk_grid_steps(yk_grid *grid, int steps, yoke_err *err);

/* r = F(w) - w and w on the grid. */
void yk_grid_sample(yk_grid *grid);

/* Largest value of a vector, relative to the tolerances. */
double yk_grid_norm(const yk_grid *grid, const double *v);

/* The tolerances, by the size of the corrected waveforms.  What a sweep makes is
 * no measure: a strong coupling makes it too large at first. */
void yk_grid_scale(yk_grid *grid);

/* From dw on the grid to corrected outputs of all units.  What a correction does
 * to the unknowns inside a unit belongs here too, unit by unit. */
yoke_status yk_grid_correct(yk_grid *grid, yoke_err *err);

#endif
