/* comp/closed/answers.h -- what every closed part answers in the same way.
 *
 * A part is opened by its own kind; what is asked of it then is the same for
 * FMUs, programs and netlists in ngspice: outputs at the start, differences for
 * predictions, what a run cost, limits in the system file.
 */
#ifndef YK_CLOSED_ANSWERS_H
#define YK_CLOSED_ANSWERS_H

#include "file/component.h"
#include "part/part.h"
#include "yoke/stepper.h"

/* Answers that are remembered.  The first point of a run asks with zero inputs,
 * before it has others, and with those it has, in turn; a difference with one of
 * them moved besides. */
enum { YK_ANSWERS = 4 };

typedef struct yk_closed_answers {
    const char *name; /* of the subsystem, borrowed */
    int m, p;
    double *nominal; /* of the inputs, at first 1 */

    /* Options NULL: only the outputs at the start are asked for. */
    yoke_status (*open)(void *self, const yoke_stepper_options *options,
                        yk_propagator *out, yoke_err *err);
    void *self;
    yk_part_facts told; /* of the last run */
    bool aside;         /* what is opened now is not of the run */
    bool unlike;        /* one did not repeat a window */

    /* The last answers at a start: inputs, outputs, times of each. */
    double *u, *y, t[YK_ANSWERS];
    int answered, oldest;
} yk_closed_answers;

/* Room for m inputs and p outputs; the other entries are the caller's. */
yoke_status yk_answers_create(yk_closed_answers *a, int m, int p,
                              yoke_err *err);
void yk_answers_clear(yk_closed_answers *a);

/* A propagator for a run, of which `told` is kept up to date unless it is opened
 * aside. */
yoke_status yk_answers_run(yk_closed_answers *a,
                           const yoke_stepper_options *options,
                           yk_propagator *out, yoke_err *err);

/* Outputs at the start t.  Each answer is a part of its own, so the last ones
 * are remembered. */
yoke_status yk_answers_start(yk_closed_answers *a, double t, const double *u,
                             double *y, yoke_err *err);

/* z[p * m] by differences, see yk_closed in sys/closed.h. */
yoke_status yk_answers_differences(yk_closed_answers *a, double t,
                                   const double *u, double h, double *z,
                                   yoke_err *err);

/* How it went back, what it cost, and what it wrote at last; "": it did not
 * run. */
void yk_answers_cost(const yk_closed_answers *a, char *text, size_t room);

/* Steps are not longer than this; 0: no limit.  Options may be NULL. */
double yk_answers_longest_step(const yoke_stepper_options *options);

/* time_limit, memory_limit, replay. */
typedef struct yk_closed_limits {
    double seconds, bytes;
    bool replay;
} yk_closed_limits;

yoke_status yk_closed_read_limits(const yk_reader *r, const yk_yaml *node,
                                  yk_closed_limits *out, yoke_err *err);

#endif
