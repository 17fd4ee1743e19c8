/* iter/correct/correct.h -- better coupling waveforms between two sweeps.
 *
 * A sweep made F(w) of the late waveforms w.  The plain iteration goes on with
 * F(w); here w + dw takes its place, with dw from the linearised sweep
 * (iter/correct/interface.h), from the differences of past sweeps (iter/correct/anderson.h), or
 * from both.
 */
#ifndef YK_CORRECT_H
#define YK_CORRECT_H

#include "iter/correct/interface.h"

typedef struct yk_correct yk_correct;

/* NULL is written if there is nothing to correct: no late component, or units
 * that cannot be linearised.  Borrows the plan and the options. */
yoke_status yk_correct_create(yk_correct **out, yk_plan_state *plan,
                              const yoke_iterate_options *options,
                              yoke_err *err);
void yk_correct_free(yk_correct *correct); /* accepts NULL */

/* Takes the names of the variables, which are borrowed, for messages and for
 * the user's preconditioner; variable_at: of each output id, or -1.  Accepts
 * NULL. */
void yk_correct_names(yk_correct *correct, const yk_iteration_setup *setup,
                      const int *variable_at);

/* A new window, or the same once more. */
void yk_correct_begin(yk_correct *correct, double t0, double t1);

/* After a sweep: replaces the late components of the outputs; what the sweep
 * made is kept in `made`.  *done: false if it could not. */
yoke_status yk_correct_apply(yk_correct *correct, bool *done, yoke_err *err);

/* Why there was no correction the last time; "": there was one, or none was
 * tried.  Accepts NULL. */
const char *yk_correct_why_not(const yk_correct *correct);

/* The window was accepted with this reduction per sweep (NAN: not known). */
void yk_correct_accept(yk_correct *correct, double rate);

#endif
