/* iter/states.h -- one sweep per window: the unknowns inside the units are
 * corrected with the waveforms between them.
 *
 * After a sweep the inputs u_i that unit i was solved with differ from what the
 * others have made meanwhile, by r_i.  Linearised along the steps that each unit
 * has taken, y_i + A_i du_i are its outputs for the inputs u_i + du_i, and
 *
 *     du_i = r_i + sum_j K_ij A_j du_j
 *
 * makes inputs and outputs agree.  The late outputs v are the unknowns of this
 * problem: one march through the schedule gives v -> A (r + K v), and GMRES
 * solves it in the space of waveforms.  docs/methods/states.md.
 */
#ifndef YK_STATES_H
#define YK_STATES_H

#include "iter/sweep.h"

typedef struct yk_states yk_states;

/* Borrows the plan; *out is NULL if some unit cannot be corrected. */
yoke_status yk_states_create(yk_states **out, yk_plan_state *plan,
                             const yk_iteration_setup *setup, yoke_err *err);
void yk_states_free(yk_states *states); /* accepts NULL */

/* What has become of a window.
 *
 * A loop that amplifies is stable only because what goes round in it cancels, at
 * each instant.  Between the stages of a step a waveform is interpolated: where
 * units have different stages their interpolations do not cancel, and the loop
 * amplifies them.  So all units take the same single step then. */
typedef struct yk_settled {
    bool possible;  /* false: the iteration goes on as without */
    double change;  /* of the late waveforms, before any correction */
    double left;    /* largest error left, in tolerances */
    double size;    /* largest change of an unknown */
    int again;      /* units that must be solved again */
    double shorter; /* the window should have this length: see above; 0: none */
    bool even;      /* all units should take the same steps */
} yk_settled;

/* After a sweep over [t0, t1]: corrects all units until at most `allowed` is
 * left.  Evaluates where that is not enough. */
yoke_status yk_states_settle(yk_states *states, double t0, double t1,
                             double allowed, yk_settled *out, yoke_err *err);

/* Must the unit be solved again? */
bool yk_states_again(const yk_states *states, int unit);

/* By how much a sweep amplifies late waveforms, in the last windows. */
double yk_states_gain(const yk_states *states);

/* The window is accepted: by which factor late outputs have grown in it that are
 * below their absolute tolerance; at least 1. */
yoke_status yk_states_growth(yk_states *states, double *growth, yoke_err *err);

#endif
