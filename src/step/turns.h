/* step/turns.h -- free oscillations, whose errors add up.
 *
 * A system without inputs and without curved functions of time that swings does
 * so by itself.  If it is hardly damped, what one step loses stays lost: the
 * errors of all steps add up, and where the period depends on the amplitude
 * their sum does too.  So once it is seen to swing, the errors of steps are
 * held to a part of the tolerance that shrinks with the turns (half periods)
 * that are to come.
 *
 * A turn is where an unknown with charge turns round.  It counts in a row if
 * it swings by many tolerances and by no less than a part of the swing before.
 * Jumps, events and breakpoints start again.  docs/methods/step-control.md.
 */
#ifndef YK_STEP_TURNS_H
#define YK_STEP_TURNS_H

#include "step/method.h"

struct yk_driver;

/* Of one unknown. */
typedef struct yk_turn {
    double at, swing; /* value where it last turned; how far it had come */
    double time;      /* when that was */
    double length;    /* of that half period */
    int count;        /* in a row */
    signed char way;  /* it rises, falls, or neither is known */
} yk_turn;

typedef struct yk_turns {
    yk_turn *turn, *kept; /* n; NULL: it does not swing freely, or need not */
    double harder, kept_harder; /* errors count so many times */
    double stop;                /* of the run; 0: not known */
} yk_turns;

/* Does nothing where options do not ask for it or something drives the
 * system. */
yoke_status yk_turns_create(yk_turns *t, const yk_problem *p, yoke_err *err);
void yk_turns_free(yk_turns *t);
void yk_turns_keep(struct yk_driver *d);
void yk_turns_back(struct yk_driver *d);

/* At the start of the run. */
void yk_turns_start(struct yk_driver *d);

/* After a jump. */
void yk_turns_restart(struct yk_driver *d);

/* Before the step is accepted. */
void yk_turns_note(struct yk_driver *d);

#endif
