/* step/event/event_fixture.h -- a subsystem with events, its stepper and the
 * jumps. */
#ifndef YK_EVENT_FIXTURE_H
#define YK_EVENT_FIXTURE_H

#include "check.h"

#include "step/steppers.h"
#include "yoke/check.h"
#include "yoke/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_JUMPS = 400 };

typedef struct bench {
    yoke_system *system;
    yk_propagator p;
    yk_wave *u, *y;
    yoke_err err;
    double t;
    double end[4]; /* outputs at the end of the last window */
    int jumps;     /* of the outputs so far, and when */
    double when[MOST_JUMPS];
} bench;

static inline bool is_missing(const char *method)
{
#ifdef YOKE_HAVE_SUNDIALS
    (void)method;
    return false;
#else
    return strcmp(method, "ida") == 0;
#endif
}

static inline yoke_stepper_options options_for(const char *method, double step)
{
    yoke_stepper_options options = yoke_stepper_defaults();

    snprintf(options.method, sizeof options.method, "%s", method);
    options.step = strcmp(method, "ida") ? step : 0.0;
    return options;
}

static inline yoke_status open_bench(bench *b, const yoke_system_ops *ops,
                                     void *self, const yoke_system_info *info,
                                     const yoke_stepper_options *options)
{
    const int watch[] = { 0 };
    const double u0 = 0.0;
    yoke_status status =
        yoke_system_create(&b->system, "plant", ops, self, info, &b->err);

    if (status == YOKE_OK)
        status =
            yk_stepper_create(&b->p, b->system, options, 1, watch, &b->err);
    if (status == YOKE_OK) status = yk_wave_create(&b->u, info->m, &b->err);
    if (status == YOKE_OK) status = yk_wave_create(&b->y, b->p.p, &b->err);
    if (status != YOKE_OK) return status;
    yk_wave_clear(b->u, 0.0);
    return b->p.ops->start(b->p.self, 0.0, NULL, &u0, b->end, &b->err);
}

static inline void close_bench(bench *b)
{
    if (b->p.self) b->p.ops->free(b->p.self);
    yk_wave_free(b->u);
    yk_wave_free(b->y);
    yoke_system_free(b->system);
    memset(b, 0, sizeof *b);
}

static inline yoke_status sweep(bench *b, double t1)
{
    return b->p.ops->sweep(b->p.self, t1, b->u, b->y, &b->err);
}

static inline void note_jump(bench *b, double t)
{
    if (b->jumps < MOST_JUMPS) b->when[b->jumps] = t;
    b->jumps++;
}

/* The jumps of y, also between the last window and this one. */
static inline void note_jumps(bench *b)
{
    const int dim = yk_wave_dim(b->y);

    for (int i = 0; i < yk_wave_pieces(b->y); i++) {
        const double *coef = yk_wave_coef(b->y, i);
        bool jump = false;
        for (int c = 0; c < dim; c++) {
            jump = jump || fabs(coef[c] - b->end[c]) > 1e-12;
            b->end[c] = 0.0;
            for (int k = yk_wave_degree(b->y, i); k >= 0; k--)
                b->end[c] += coef[k * dim + c];
        }
        if (jump) note_jump(b, yk_wave_knot(b->y, i));
    }
}

static inline void window(bench *b, double t1)
{
    CHECK_OK(sweep(b, t1), &b->err);
    note_jumps(b);
    CHECK_OK(b->p.ops->accept(b->p.self, &b->err), &b->err);
    b->t = t1;
}

#endif
