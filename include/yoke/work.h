/* yoke/work.h -- the work that was done for a subsystem. */
#ifndef YOKE_WORK_H
#define YOKE_WORK_H

/* Work done so far; counts since creation, `seconds` of wall time. */
typedef struct yoke_work {
    long sweeps;         /* windows solved, repeated ones included */
    long steps;          /* time steps accepted */
    long rejected;       /* time steps repeated */
    long residuals;      /* evaluations of (q, f) */
    long jacobians;      /* evaluations of (C, G) */
    long factorizations; /* of c C / h + G, a complex one counts as one */
    long solves;         /* triangular solves, a complex one counts as one */
    long events;         /* instants at which state events were applied */
    double seconds;
    double missed[2]; /* the most that a projection removed from positions and
                         velocities; 0: none */
    /* Fixed steps: the largest effect of what an input did between the points
     * of a step, in tolerances, when, and the unknown it shows in. */
    double overlooked, overlooked_time;
    int overlooked_in;
    /* Events that came within a tolerance of their thresholds and did not
     * happen: how many; the time and number of the last. */
    long grazes;
    double grazed_time;
    int grazed_event;

    /* One more than the unknown that began below its atol, not at 0, and grew
     * to a thousand times that by its inputs; 0: none. */
    int grown;

    /* Steps in which rounding errors of a constraint make the error that is
     * permitted to a multiplier more than ten tolerances: their time, that
     * error in its mean, in tolerances, and the unknown, in the last one. */
    double blurred, blur;
    int blurred_in;
    /* By how many of its own tolerances an output or a rate is off if an input is
     * off by one: the largest such gain along the run, when, and the unknown, or
     * n + the output.  0: not known. */
    double gain, gain_time;
    int gain_in;
    double cells[2]; /* where cells at rest are not solved: cells times time,
                        of those that were and of all; 0: nowhere */
} yoke_work;

#endif
