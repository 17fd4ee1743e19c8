/* step/front.h -- steps that cross the end of a window.
 *
 * A unit whose step is longer than the windows takes it as a whole: from the
 * point kept, at or before the beginning t of the window, to its *head* behind
 * the window's end t1, with inputs that are known up to t1 and continued by a
 * polynomial from there.  While windows end before the head the step is not
 * taken again; what its inputs turn out to be is a correction along its tape.  The
 * point stays where it is until a window ends at the head.  docs/methods/front.md.
 */
#ifndef YK_STEP_FRONT_H
#define YK_STEP_FRONT_H

#include "sys/propagator.h"
#include "wave/wave.h"

struct yk_driver;

typedef struct yk_front {
    bool on;      /* it has been permitted once: there is memory */
    bool crosses; /* the steps kept reach to the head, behind the window */
    bool longer;  /* waveforms of the last sweep are longer than its window */
    bool idle;    /* in this window nothing moved it */
    bool nothing; /* the last answer was nothing */
    bool spoilt;  /* the steps do not serve any more */
    double t, t1; /* the accepted time; the end of the last sweep's window */
    double head;  /* where the steps end */
    double limit; /* they may not reach further */
    double reach; /* longest that is tried, by what has come of the last ones */
    int wait;     /* windows until the next one is tried */
    int pause;    /* the same, after the next that fails */
    struct {
        double reach;
        int wait, pause;
    } kept;           /* the three at the accepted time */
    yk_wave *before;  /* accepted inputs up to t, to be continued */
    yk_wave *past;    /* the same from the point kept on, if nothing crosses */
    yk_wave *u, *y;   /* inputs and outputs of the steps */
    yk_wave *du, *dy; /* and their changes */
    yk_wave *spare, *part; /* scratch: inputs */
    yk_wave *watched;      /* in the window */
    double *x, *now;       /* unknowns at t as accepted; scratch */
    double *y_at;          /* outputs there; and as much scratch */
    double *du_end, *none; /* scratch: m, p */
    yk_wave_term *term;
} yk_front;

void yk_front_free(yk_front *front);
void yk_front_start(struct yk_driver *d);

yoke_status yk_front_sweep(struct yk_driver *d, double t1, const yk_wave *u,
                           yk_wave *y, yoke_err *err);

/* *landed: the point kept moves to the end of the window. */
yoke_status yk_front_accept(struct yk_driver *d, bool *landed, yoke_err *err);

/* Steps beyond the accepted time, and what came of them since, are forgotten. */
yoke_status yk_front_forget(struct yk_driver *d, yoke_err *err);

/* The operations of the tape, on steps that are longer than the window. */
yoke_status yk_front_answer(struct yk_driver *d, const yk_wave *du, bool whole,
                            yk_wave *dy, yoke_err *err);
yoke_status yk_front_apply(struct yk_driver *d, yk_wave *y,
                           yk_tape_result *result, yoke_err *err);

extern const yk_front_ops yk_drive_front;

#endif
