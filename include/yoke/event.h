/* yoke/event.h -- optional: events of a subsystem.
 *
 * State events are instants that depend on the solution, at which unknowns jump
 * or the memory of the subsystem changes.  An event happens when its indicator
 * rises from below zero to zero or above, between two points of the solution or
 * in a jump; it happens again only after the indicator has been below zero
 * again.  An indicator that is not below zero at the start is no event, unless
 * `begin` says so.
 *
 * Indicators should be continuous between events and change their sign with a
 * slope: then the instant is found to rounding.  Time events need no indicator:
 * see `next_break` of yoke_system_ops.
 *
 * `indicate` and `apply` are enough for a switch, a stop, a bouncing ball.  The
 * rest is for languages with relations and discrete variables.
 */
#ifndef YOKE_EVENT_H
#define YOKE_EVENT_H

#include "yoke/system.h"

/* What a subsystem says about its solution: unusual, but no error. */
typedef struct yoke_remark {
    const char *text; /* borrowed */
    double since;     /* time; -INFINITY: always; NAN: it is not so */
} yoke_remark;

/* What event k is. */
typedef struct yoke_event_about {
    const char *text; /* for messages, as "tank.mo:7: h > 2"; borrowed; NULL:
                         nothing is known */
    bool level; /* the indicator belongs to something held, such as the value of
                   a relation, that `apply` changes when the event happens.  It
                   is below zero where what is held is right; above zero is an
                   event whether it has been below or not. */
    bool kink;  /* what is held is a branch of something continuous: a little
                   beyond zero nothing is wrong yet, and whoever watches may
                   allow as much as the tolerances do */
    bool watched;  /* nothing is held: steps end there, and that is all.  It may
                     be forgotten if it happens too often. */
    bool terminal; /* happens at the end of the run, after all others */
    bool timed;    /* the indicator depends on nothing but time */
} yoke_event_about;

/* One instant, as several subsystems solved together meet it: at an instant the
 * discrete unknowns of all have their new values at once, and the other
 * unknowns that get new values at events get them at its end. */
typedef struct yoke_instant {
    double t;
    const double *x;        /* unknowns when what happens now began */
    const double *x_now;    /* the same with the new values of the discrete ones
                               and of those that follow from them algebraically,
                               as far as they are known; inputs of members come
                               from these */
    const double *x_before; /* before the instant */
    const double *u, *u_before; /* inputs now; before the instant */
    const bool *happened;       /* events */
    const void *memory; /* to begin with, or NULL: as it is.  x_now and u belong
                           to the memory as it is */
} yoke_instant;

/* What events have to do with each other through inputs and outputs. */
typedef struct yoke_event_facts {
    const bool *discrete; /* n: the unknown changes at events only, and what
                             else happens at that instant sees its new value */
    const unsigned char *jump;  /* p: how the output may jump at an event */
    const unsigned char *reads; /* m: values of the input that what happens at
                                   an event depends on, YOKE_READS_... */
    bool joint; /* several subsystems, and events of one may depend on what
                   events change in others: see yoke_instant */
} yoke_event_facts;

/* What is known of an input that is a waveform. */
typedef struct yoke_input_facts {
    unsigned char how; /* how it may jump at events of others: YOKE_JUMP_... */
    bool circular; /* what it does then may depend, at the same instant, on what
                      events of the subsystem itself do */
    const char *from; /* the output it comes from, as "tank.level", or NULL */
} yoke_input_facts;

#define YOKE_READS_NOW    1u /* at that instant */
#define YOKE_READS_BEFORE 2u /* before it */

#define YOKE_JUMP_DISCRETE 1u /* with discrete unknowns, or memory */
#define YOKE_JUMP_STATE    2u /* with unknowns that events give new values */

/* yoke_system_info.event; each gets the `self` of the system. */
typedef struct yoke_event_ops {
    /* REQUIRED.  g[events]; pure. */
    yoke_status (*indicate)(void *self, double t, const double *x,
                            const double *u, double *g, yoke_err *err);

    /* REQUIRED.  Called at the instant of events; happened[events] says which.
     * x_new comes as a copy of x; write the new values.  May change the memory.
     * The charges become q(t, x_new, u); then the algebraic equations are
     * solved again with the charges kept.  If that, or a change of other
     * indicators, makes more events happen, it is called once more. */
    yoke_status (*apply)(void *self, double t, const double *x, const double *u,
                         const bool *happened, double *x_new, yoke_err *err);

    /* OPTIONAL; default none.  happened[events], which comes false: the events
     * that happen at the start itself, whatever their indicators are; pure.
     * They are applied before the first step. */
    yoke_status (*begin)(void *self, double t, const double *x, const double *u,
                         bool *happened, yoke_err *err);

    /* OPTIONAL.  Remark k, as the memory is, or false at the end of the list:
     * an assertion that does not hold and only warns. */
    bool (*remark)(void *self, int k, yoke_remark *out);

    /* OPTIONAL.  At the start, before anything happens: what is held between
     * events, and the unknowns that follow from it, get the values that belong
     * to x and u.  x_new comes as a copy of x; the memory may change.
     * *changed: something was otherwise. */
    yoke_status (*settle)(void *self, double t, const double *x,
                          const double *u, double *x_new, bool *changed,
                          yoke_err *err);

    /* OPTIONAL.  *out comes zeroed; the same answer at all times. */
    void (*about)(void *self, int k, yoke_event_about *out);

    /* OPTIONAL; default `apply` with x and u, which knows no values before.
     * The same with all that is known of the instant. */
    yoke_status (*meet)(void *self, const yoke_instant *at, double *x_new,
                        yoke_err *err);
} yoke_event_ops;

#endif
