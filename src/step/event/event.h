/* step/event/event.h -- state events of one subsystem (event.c, locate.c). */
#ifndef YK_STEP_EVENT_H
#define YK_STEP_EVENT_H

#include "step/method.h"

#include <math.h>

struct yk_driver;

/* What is remembered of one indicator. */
typedef struct yk_mark {
    bool armed;    /* has been below zero since the event last happened */
    bool pending;  /* happens at the present time and is not applied yet */
    double band;   /* values not below -band count as zero when arming; a kink
                     happens above it */
    double last;   /* when it last happened */
    int close;     /* how often in a row it came back at almost the same time */
    bool level;    /* above zero is an event, armed or not (system.h) */
    int again;     /* how often in a row it happened without being armed */
    bool kink;     /* nothing jumps (system.h) */
    double most;   /* the largest size of the indicator of a kink so far */
    double spent;  /* tolerances that its wrong branch has cost since it was
                     below zero */
    bool tight;    /* a kink of this step: it happens at zero */
    bool watched;  /* nothing is held (system.h) */
    bool off;      /* and it happened too often */
    long steps;    /* of the run, when it last happened */
    bool terminal; /* happens at the end of the run (system.h) */
    double ahead;  /* when it last happened because it would just after */
} yk_mark;

/* Events of all kinds within a very short time. */
typedef struct yk_crowd {
    double begin;
    int count;
} yk_crowd;

/* What happened in a sweep, in the order of time. */
typedef struct yk_past_event {
    double t;
    int k;
} yk_past_event;

typedef struct yk_event_list {
    int count;
    size_t room;
    yk_past_event *event;
} yk_event_list;

typedef struct yk_events {
    int count;
    yk_mark *mark, *kept; /* now; at the accepted point */
    yk_event_list made;   /* in this sweep */
    yk_event_list prior;  /* in the one before, from the same point */
    yk_crowd crowd, kept_crowd;
    yk_crowd lately, kept_lately; /* events of all kinds, one after the other */
    double instant;               /* of the last call of apply */
    int applied;                  /* calls of apply at that time */
    double located, gap; /* the last instant that was searched for, and by how
                            much it may be too early */
    bool fresh;  /* nothing but events since the present time was reached */
    bool jumped; /* there was an event in this sweep */
    bool timed;  /* indicators depend on time alone */

    /* Of the step being tried. */
    yk_poly poly;
    bool *seen;       /* armed at the point looked at last */
    bool *rose;       /* what was found to happen */
    bool *happened;   /* what apply gets */
    double *g, *size; /* indicators; their largest values in the step */
    double *past[3];  /* at the last points looked at */
    double *x, *u, *x_moved;
    int *all; /* 0, 1, ..., n-1 */

    /* Of kinks, if there are any. */
    bool kinks;
    bool banded;               /* their bands are those of the present step */
    double *g_moved, *u_moved; /* at a point nearby, as x_moved */
    double beyond, beyond_at;  /* the largest indicator inside its band, as a
                                  part of that, and when (branch.c) */
    bool *other;               /* kinks whose other branch is tried */
    double *f;
    void *branches; /* the memory as it is */
    /* Of the present instant (simultaneous.c). */
    const yoke_event_facts *facts; /* or NULL */
    double before;                 /* its time, once something is known */
    double *u_late;                /* inputs, as if they did not jump */
    double *x_before, *u_before;   /* unknowns and inputs before it */
    bool shares;     /* events read inputs that others' events change */
    int discretes;   /* joint events: discrete unknowns */
    double *x_start; /* where what happens now began */
    bool *together, *follows; /* what happens; algebraic unknowns */
    void *memory, *memory_new;
} yk_events;

/* `coefs` numbers for the polynomial of a step; 0: the method has none. */
yoke_status yk_events_create(yk_events *e, const yk_problem *p, size_t coefs,
                             yoke_err *err);
void yk_events_free(yk_events *e);

/* At the start: what is below zero is armed. */
yoke_status yk_events_start(struct yk_driver *d, yoke_err *err);

/* Did event k happen at t in the sweep before, times within `tiny` being one? */
bool yk_events_prior(const yk_events *e, int k, double t, double tiny);

/* The accepted point: remember it, return to it; and to it in a sweep that stays. */
void yk_events_keep(yk_events *e);
void yk_events_back(yk_events *e);
void yk_events_again(yk_events *e);

/* At the beginning of a segment: applies what is pending or has happened in a
 * jump, until nothing more happens. */
yoke_status yk_events_apply(struct yk_driver *d, bool *applied, yoke_err *err);

/* The accepted point is the end of the run: does anything wait for the next
 * window, or for the end?  Events that would happen within rounding of it are
 * pending afterwards. */
bool yk_events_wait(struct yk_driver *d);

/* Does anything wait for the next window, or is an indicator so close to zero that
 * something may? */
bool yk_events_near(struct yk_driver *d);

/* Those of the end of the run are pending; false: there are none. */
bool yk_events_end(yk_events *e);

/* A constraint or a correction has moved the point since it was reached: events
 * that wait for the next window happen once, whichever side of zero their
 * indicators are on now. */
void yk_events_shifted(struct yk_driver *d);

/* If e->g, which belongs to t and x, has kinks above zero: their bands, once
 * for each step. */
yoke_status yk_events_bands(struct yk_driver *d, double t, const double *x,
                            yoke_err *err);
/* Which events happen now; the others are armed if they are below zero. */
yoke_status yk_events_happen(struct yk_driver *d, bool *any, yoke_err *err);
/* Counts those that happened; YOKE_RETRY: they come to no end. */
yoke_status yk_events_count(struct yk_driver *d, yoke_err *err);

/* ---- simultaneous.c ---- */

yoke_status yk_instant_create(yk_events *e, const yk_problem *p, yoke_err *err);
void yk_instant_free(yk_events *e);

/* The first jump, no farther than `least` from t, of an input that events read
 * and others' events change; NAN: none. */
double yk_instant_near(const struct yk_driver *d, double t, double least);

/* Before anything changes at the present time. */
void yk_instant_arrive(struct yk_driver *d);

/* Inputs that jump now with states of others are what they were until what
 * happens by itself has happened; yk_instant_release ends that.  False: there
 * is none. */
bool yk_instant_hold(struct yk_driver *d);
void yk_instant_release(struct yk_driver *d);

/* After all that happens now.  YOKE_JOIN: an indicator is so near to zero where
 * others jump that it may happen at the same instant. */
yoke_status yk_instant_leave(struct yk_driver *d, yoke_err *err);

/* What has happened is applied: x and the memory jump, and all that follows
 * from them. */
yoke_status yk_instant_meet(struct yk_driver *d, yoke_err *err);

/* ---- branch.c: kinks that are above zero, but inside their bands ---- */

yoke_status yk_branch_create(yk_events *e, const yk_problem *p, yoke_err *err);

/* A step is looked at; e->g belongs to t. */
void yk_branch_begin(yk_events *e);
void yk_branch_note(yk_events *e, double t);

/* Kinks that happen, as e->g is, happen at zero.  False: they did. */
bool yk_branch_tighten(yk_events *e);

/* Those beyond zero at t, with the unknowns x and e->g there, in a step of
 * length h: do their branches cost too much?  Then they happen at zero. */
yoke_status yk_branch_test(struct yk_driver *d, double h, double t,
                           const double *x, bool *tightened, yoke_err *err);

/* How far g is above its threshold, for the search of the instant; -INFINITY:
 * whatever it is, it is no event. */
static inline double yk_mark_above(const yk_mark *mark, bool armed, double g)
{
    if (mark->off) return -INFINITY;
    if (mark->kink) return mark->tight ? g : g - mark->band;
    if (armed) return g;
    return mark->level ? g - mark->band : -INFINITY;
}

static inline bool yk_mark_fires(const yk_mark *mark, bool armed, double g)
{
    if (mark->off) return false;
    if (mark->kink) return g > (mark->tight ? 0.0 : mark->band);
    return armed ? g >= 0.0 : mark->level && g > mark->band;
}

/* scan.c: the points of a step at which indicators are looked at, in increasing
 * order: equal parts, knots and turns of the inputs. */
typedef struct yk_scan {
    yk_problem *p;
    double end;   /* of the step */
    double at;    /* the last point */
    double piece; /* end of the piece of the inputs that `at` lies in */
    int knot;     /* its number */
    int part, close;
    int more; /* points besides, increasing, from the first that is left */
    double besides[3];
    bool both;    /* both sides of a knot */
    bool on_knot; /* `at` is one */
} yk_scan;

/* From p->t to `end`; `close` points more near the beginning. */
yk_scan yk_scan_begin(yk_problem *p, double end, int close, bool both);
double yk_scan_next(yk_scan *s); /* the last one is `end` */

/* domain_end.c: after a step to `end` that failed.  If an event lies ahead, *h,
 * of the next attempt, becomes less than the way there; if that is less than
 * 2 `least`, the event is pending at the present time: *now. */
yoke_status yk_events_ahead(struct yk_driver *d, double end, double least,
                            double *h, bool *now, yoke_err *err);

/* Looks for the first event in the step from p->t to *t of length *h that has
 * just been tried.  If there is one, the trial point becomes one at its instant
 * and the event is pending; *t = p->t means at once, without a step.
 * YOKE_RETRY: no such step. */
yoke_status yk_events_locate(struct yk_driver *d, double *t, double *h,
                             bool *found, yoke_err *err);

/* The same for a step that has been made and is another one now: is there an event
 * in it, or a kink that is beyond zero? */
yoke_status yk_events_search(struct yk_driver *d, double t, double h,
                             bool *found, yoke_err *err);

#endif
