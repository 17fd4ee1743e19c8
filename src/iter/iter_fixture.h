/* iter/iter_fixture.h -- units without a solver, whose iterates are known.
 *
 *     y(t) = offset + wave sin t + gain sum u(t)
 */
#ifndef YK_ITER_FIXTURE_H
#define YK_ITER_FIXTURE_H

#include "check.h"

#include "exec/exec.h"
#include "iter/iteration.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 3, FEEDS = 3, ROWS = 2000, DEGREE = 6 };

typedef struct fake {
    double offset, wave, gain;
    double steep;       /* gain = steep times the length of the window */
    double retry_above; /* longer windows have no solution; 0: all have */
    double inside;      /* what `moved` tells, times the change of y */
    double t, end, last;
    int m;
    long sweeps, accepts, forgets, starts_wrong;
    char *order; /* every solve adds the letter of the unit */
    char letter;
} fake;

static inline yoke_status fake_start(void *self, double t0, const double *x0,
                                     const double *u0, double *y0,
                                     yoke_err *err)
{
    (void)self, (void)t0, (void)x0, (void)u0, (void)y0, (void)err;
    return YOKE_OK;
}

static inline yoke_status fake_sweep(void *self, double t1, const yk_wave *u,
                                     yk_wave *y, yoke_err *err)
{
    fake *f = self;
    const double length = t1 - f->t;
    const double gain = f->steep != 0.0 ? f->steep * length : f->gain;
    double value[DEGREE + 1];

    f->sweeps++;
    if (f->order) strcat(f->order, (char[]){ f->letter, '\0' });
    if (f->retry_above > 0.0 && length > f->retry_above)
        return yk_fail(err, YOKE_RETRY, "a window of %g is too long", length);
    if (f->m && yk_wave_begin(u) != f->t) f->starts_wrong++;
    for (int k = 0; k <= DEGREE; k++) {
        const double t = f->t + length * k / DEGREE;
        double in[FEEDS] = { 0 };
        if (f->m) yk_wave_eval(u, t, NULL, in);
        value[k] = f->offset + f->wave * sin(t);
        for (int c = 0; c < f->m; c++) value[k] += gain * in[c];
    }
    yk_wave_clear(y, f->t);
    f->end = t1;
    f->last = value[DEGREE];
    return yk_wave_append_samples(y, t1, DEGREE, value, err);
}

static inline yoke_status fake_accept(void *self, yoke_err *err)
{
    fake *f = self;

    (void)err;
    f->t = f->end;
    f->accepts++;
    return YOKE_OK;
}

static inline yoke_status fake_forget(void *self, yoke_err *err)
{
    (void)err;
    ((fake *)self)->forgets++;
    return YOKE_OK;
}

static inline double fake_moved(void *self)
{
    return ((fake *)self)->inside;
}

static inline void fake_work(void *self, yoke_work *work)
{
    work->sweeps = ((fake *)self)->sweeps;
}

static inline void fake_free(void *self)
{
    (void)self;
}

static const yk_propagator_ops fake_ops = {
    .kind = "fake",
    .start = fake_start,
    .sweep = fake_sweep,
    .accept = fake_accept,
    .forget = fake_forget,
    .work = fake_work,
    .free = fake_free,
};

static const yk_propagator_ops fake_moving_ops = {
    .kind = "fake",
    .start = fake_start,
    .sweep = fake_sweep,
    .accept = fake_accept,
    .moved = fake_moved,
    .work = fake_work,
    .free = fake_free,
};

/* A ring of units: unit i reads unit (i + 1) mod units, unless changed. */
typedef struct rig {
    int units;
    fake fake[UNITS];
    yk_propagator propagator[UNITS];
    yk_feed feed[UNITS][FEEDS];
    yk_unit unit[UNITS];
    int output_id[UNITS], variable[UNITS];
    int cluster[UNITS], stage[UNITS + 1], member[UNITS];
    yoke_schedule schedule;
    yoke_iterate_options options;
    yk_iteration *it;
    yoke_sweep row[ROWS];
    int rows, stop_after; /* windows; 0: none */
    char order[4 * ROWS];
    double y0[UNITS];
} rig;

static inline yoke_status rig_row(void *context, const yoke_sweep *sweep,
                                  yoke_err *err)
{
    rig *r = context;

    (void)err;
    if (r->rows < ROWS) r->row[r->rows++] = *sweep;
    return YOKE_OK;
}

static inline yoke_status rig_accepted(void *context, double t0, double t1,
                                       yoke_err *err)
{
    const rig *r = context;

    assert_true(t1 > t0);
    if (r->stop_after && yk_iteration_result(r->it)->windows == r->stop_after)
        return yk_fail(err, YOKE_STOPPED, "enough");
    return YOKE_OK;
}

static inline void rig_schedule(rig *r, bool jacobi)
{
    r->schedule = (yoke_schedule){ .nodes = r->units,
                                   .clusters = r->units,
                                   .stages = jacobi ? 1 : r->units,
                                   .cluster = r->cluster,
                                   .stage = r->stage,
                                   .member = r->member };
    for (int i = 0; i < r->units; i++) {
        r->cluster[i] = r->member[i] = i;
        r->stage[i + 1] = jacobi ? r->units : i + 1;
    }
}

/* Zero-initialised, then this; then the units may be changed. */
static inline void rig_prepare(rig *r, int units, bool jacobi)
{
    static const char *const name[] = { "a", "b", "c" };

    r->units = units;
    r->options = (yoke_iterate_options){
        .window = 0.25,
        .min_window = 1e-3,
        .rtol = 1e-6,
        .atol = 1e-9,
        .max_sweeps = 60,
        .fraction = 0.1,
        .relax = 1.0,
        .accelerate = YOKE_ACCELERATE_NONE,
        .extrapolate = 1,
        .skip = true,
    };
    for (int i = 0; i < units; i++) {
        r->fake[i].m = 1;
        r->fake[i].letter = (char)('a' + i);
        r->fake[i].order = r->order;
        r->feed[i][0] = (yk_feed){ (i + 1) % units, 0, 0, 1.0, NULL };
        r->output_id[i] = r->variable[i] = i;
        r->propagator[i] =
            (yk_propagator){ &fake_ops, &r->fake[i], 1, 1, 0, false };
        r->unit[i] = (yk_unit){ .name = name[i],
                                .propagator = &r->propagator[i],
                                .feeds = 1,
                                .feed = r->feed[i],
                                .output_id = &r->output_id[i] };
    }
    rig_schedule(r, jacobi);
}

/* The unit reads nothing. */
static inline void rig_source(rig *r, int i)
{
    r->fake[i].m = r->propagator[i].m = r->unit[i].feeds = 0;
}

static inline void rig_create(rig *r)
{
    static const char *const name[] = { "a.y", "b.y", "c.y" };
    const yk_plan plan = { r->units, r->unit, &r->schedule, 1.0 };
    const yk_iteration_setup setup = {
        .plans = 1,
        .plan = &plan,
        .outputs = r->units,
        .variables = r->units,
        .variable = r->variable,
        .variable_name = name,
        .options = &r->options,
        .executor = yk_executor_serial(),
        .sweep = rig_row,
        .accepted = rig_accepted,
        .context = r,
    };
    const double *y0[UNITS];
    const double *const *plans[1] = { y0 };
    yoke_err err;

    for (int i = 0; i < r->units; i++) y0[i] = &r->y0[i];
    CHECK_OK(yk_iteration_create(&r->it, &setup, &err), &err);
    CHECK_OK(yk_iteration_start(r->it, 0.0, plans, &err), &err);
}

static inline void rig_free(rig *r)
{
    for (int i = 0; i < r->units; i++)
        assert_int_equal(r->fake[i].starts_wrong, 0);
    yk_iteration_free(r->it);
}

/* Value of unit i at time t in the last accepted window. */
static inline double rig_value(const rig *r, int i, double t)
{
    double value = 0.0;

    yk_wave_eval(yk_iteration_wave(r->it, 0, i), t, NULL, &value);
    return value;
}

#endif
