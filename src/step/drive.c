/* step/drive.c -- a method becomes a propagator: windows, segments, steps.
 *
 * A sweep starts from the accepted point (t0, x, q) and goes to t1 in segments
 * that end at the breakpoints of the system, at its events and, for methods
 * that choose their steps, at jumps and kinks of the inputs.  The charges q are
 * carried along, not recomputed: an input that jumps does not create charge.
 */
#include "step/drive.h"
#include "step/policy.h"

#include "base/lengths.h"
#include "base/vector.h"
#include "sys/call.h"
#include "sys/motion.h"
#include "sys/system.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- The accepted point -------------------------------------------------- */

size_t yk_driver_poly_size(const yk_driver *d)
{
    return (size_t)(d->method->degree + 1) * (size_t)d->p.n;
}

void yk_driver_copy_poly(const yk_driver *d, yk_poly *to, const yk_poly *from)
{
    double *const coef = to->coef;

    *to = *from;
    to->coef = coef;
    if (from->valid && coef)
        memcpy(coef, from->coef, yk_driver_poly_size(d) * sizeof *coef);
}

static void keep_point(yk_driver *d)
{
    yk_problem *p = &d->p;
    yk_step_point *k = &d->kept;

    k->t = p->t;
    k->eta = p->eta;
    k->h_last = d->h_last;
    k->pace = d->pace;
    k->taken = d->taken;
    k->modes_at = d->modes_at;
    k->h_stuck = p->h_stuck;
    k->stamps = p->stamp ? p->stamp : p->stamps + 1;
    p->window++;
    k->control = d->control;
    yk_copy(k->x, p->x, p->n);
    yk_copy(k->q, p->q, p->n);
    yk_copy(k->f, p->f, p->n);
    yk_copy(k->u, p->u, p->m);
    yk_copy(k->u_left, p->u, p->m);
    yk_driver_copy_poly(d, &k->poly, &p->poly);
    if (d->method->keep) d->method->keep(d->self);
    yk_events_keep(&d->events);
    yk_look_keep(d);
    yk_growing_keep(d);
    yk_steep_keep(&d->steep, p);
    yk_turns_keep(d);
    if (k->memory) yk_system_save(p->system, k->memory);
    d->there = true;
}

/* A repeated sweep may use the Jacobians and factors of the one before, but not
 * of one that failed: they may belong to values that no solution has.  One of
 * another point is used only after its contraction has been measured there: a
 * matrix that is much too large makes increments small, not solutions good. */
static void reuse_jacobians(yk_driver *d)
{
    yk_problem *p = &d->p;

    p->oldest = 0;
    if (p->affine) return;
    if (!p->options.warm || d->failed) p->stamp = 0;
    if (!p->options.warm || d->failed || !d->swept) return;
    if (!p->stamp) p->stamp = p->values;
    if (p->stamp != d->kept.stamps) p->eta = INFINITY;
    p->oldest = d->kept.stamps;
}

/* Nobody has moved it since it was kept; who has events or is asked by constraints may
 * have been. */
static bool is_there(const yk_driver *d)
{
    return d->there && !d->motion && d->events.count == 0;
}

/* Without `warm` nothing learnt in an earlier sweep may change this one. */
static void return_to_point(yk_driver *d)
{
    yk_problem *p = &d->p;
    const yk_step_point *k = &d->kept;

    if (!is_there(d)) {
        yk_copy(p->x, k->x, p->n);
        yk_copy(p->q, k->q, p->n);
        yk_copy(p->f, k->f, p->n);
        yk_driver_copy_poly(d, &p->poly, &k->poly);
        yk_look_back(d);
    }
    d->there = false;
    p->t = k->t;
    yk_copy(p->u, k->u, p->m);
    d->control = k->control;
    p->eta = k->eta;
    d->h_last = k->h_last;
    d->pace = k->pace;
    d->taken = k->taken;
    d->modes_at = k->modes_at;
    p->h_stuck = k->h_stuck;
    d->stuck = 0;
    reuse_jacobians(d);
    if (d->method->back) d->method->back(d->self);
    yk_events_back(&d->events);
    yk_growing_back(d);
    yk_steep_back(&d->steep, p);
    yk_turns_back(d);
    if (k->memory) yk_system_restore(p->system, k->memory);
}

/* ---- Breakpoints --------------------------------------------------------- */

static bool is_break(yk_driver *d, double t, double length)
{
    const double tiny = yk_rounding_beside(t, length);

    return yk_system_next_break(d->p.system, t - tiny) <= t + tiny;
}

/* Do the pieces of u on both sides of knot i disagree by more than matters? The
 * slopes of other steppers' polynomials always do, by the size of their errors;
 * by much more where a source was switched.  A knot of one input is one of all,
 * so a subsystem with many asks often. */
static bool jumps(const yk_problem *p, const yk_wave *u, int i)
{
    const double *left = yk_wave_coef(u, i - 1), *right = yk_wave_coef(u, i);
    const double before = yk_wave_knot(u, i) - yk_wave_knot(u, i - 1);
    const double after = yk_wave_knot(u, i + 1) - yk_wave_knot(u, i);
    const double h = fmin(before, after);
    const int degree = yk_wave_degree(u, i - 1);
    const bool flat = yk_wave_degree(u, i) == 0;
    const double part = h / before, next = flat ? 0.0 : h / after;
    const double *slope = flat ? right : right + p->m;

    for (int c = 0; c < p->m; c++) {
        double end = 0.0, rise = 0.0, size = fabs(right[c]);
        for (int k = 0; k <= degree; k++) {
            const double coef = left[k * p->m + c];
            end += coef;
            rise += k * coef;
            if (fabs(coef) > size) size = fabs(coef);
        }
        const double tolerance = yk_tolerance_u(p, size);
        if (fabs(end - right[c]) > YK_STEP_JUMP * tolerance ||
            fabs(rise * part - slope[c] * next) > YK_STEP_KINK * tolerance)
            return true;
    }
    return false;
}

static double next_jump(yk_driver *d, double t1)
{
    const yk_wave *u = d->p.wave;
    const double after = d->p.t + 1e-12 * (t1 - d->p.t) + yk_rounding(t1);

    if (d->p.m == 0) return INFINITY;
    for (; d->knot < yk_wave_pieces(u); d->knot++) {
        const double t = yk_wave_knot(u, d->knot);
        if (t >= t1) break;
        if (d->knot > 0 && t > after && jumps(&d->p, u, d->knot)) return t;
    }
    return INFINITY;
}

/* Instants that agree to rounding are one. */
static void align_inputs(yk_driver *d, double least)
{
    yk_problem *p = &d->p;
    const double begin = yk_instant_near(d, p->begin, least);
    const double end = yk_instant_near(d, p->end, least);

    p->begin_knot = begin > p->begin && begin < p->end ? begin : p->begin;
    p->end_knot = end < p->end && end > p->begin_knot ? end : INFINITY;
    p->begin_jump = begin;
    p->end_jumps = !isnan(end);
}

/* The segment that begins at p->t. */
static void find_segment(yk_driver *d, double t1)
{
    yk_problem *p = &d->p;
    const double length = t1 - p->t;
    const double least = fmax(1e-12 * length, yk_rounding_beside(t1, p->t));
    double stop = yk_system_next_break(p->system, p->t + least);

    p->begin = p->t;
    p->begin_break = is_break(d, p->t, length);
    p->end_break = stop <= t1 + least;
    p->end = stop < t1 - least ? stop : t1;
    if (d->method->stepping != YK_FIXED) {
        const double jump = next_jump(d, t1);
        if (jump < p->end - least) {
            p->end = jump;
            p->end_break = false;
        }
    }
    align_inputs(d, least);
    p->u_time = NAN;
    d->output.y_time = NAN;
}

/* Inputs at the beginning differ from those x belongs to by more than the
 * iteration between subsystems leaves open; at the end of the run no step
 * follows that would see less. */
static bool input_jumped(yk_driver *d)
{
    yk_problem *p = &d->p;
    const double least = d->finishes ? YK_STEP_JUMP_AT_END : YK_EVENT_NOISE;
    const double *u = yk_input(p, p->t);

    for (int c = 0; c < p->m; c++) {
        const double size = fmax(fabs(u[c]), fabs(p->u[c]));
        if (fabs(u[c] - p->u[c]) > least * yk_tolerance_u(p, size)) return true;
    }
    return false;
}

/* The present point after a jump of the inputs, of the equations or of the
 * unknowns, consistent again.  *jumped: there was one. */
static yoke_status rejoin(yk_driver *d, double t1, bool first, bool *jumped,
                          yoke_err *err)
{
    yk_problem *p = &d->p;
    bool early = false, event = false;

    *jumped = p->begin_break || input_jumped(d);
    yk_instant_arrive(d);
    if (yk_instant_hold(d)) {
        if (!yk_system_has_rhs(p->system))
            YK_TRY(yk_rejoin_solve(&d->rejoin, p, err));
        YK_TRY(yk_events_apply(d, &early, err));
        yk_instant_release(d);
    }
    if ((*jumped || d->leapt) && !yk_system_has_rhs(p->system) &&
        !(d->method->rejoins && p->facts->events == 0 && !d->finishes))
        YK_TRY(yk_rejoin_solve(&d->rejoin, p, err));
    YK_TRY(yk_events_apply(d, &event, err));
    YK_TRY(yk_instant_leave(d, err));
    event = event || early;
    d->events.fresh = event;
    if (event) {
        find_segment(d, t1);      /* its breakpoints may be others now */
        p->previous_jumps = true; /* the sweep before knows nothing of it */
    }
    *jumped = *jumped || event || d->leapt;
    if (!*jumped) return YOKE_OK;
    if (p->deep && p->poly.valid) /* they are those before the jump */
        p->h_stuck = fmax(p->h_stuck, t1 - p->t);
    p->poly.valid = false;
    d->pace = (yk_step_pace){ 0 };
    yk_turns_restart(d);
    yk_control_restart(&d->control);
    if (event || (!first && !d->leapt)) d->control.h *= 0.1;
    return YOKE_OK;
}

static yoke_status note_instant(yk_driver *d, yoke_err *err)
{
    YK_TRY(YK_GROW(&d->instant, &d->instant_room, d->instants + 1, err));
    d->instant[d->instants++] = d->p.t;
    return YOKE_OK;
}

static yoke_status begin_segment(yk_driver *d, double t1, bool first,
                                 yoke_err *err)
{
    yk_problem *p = &d->p;
    bool jumped = false;

    find_segment(d, t1);
    d->rejoin.stale = false;
    YK_TRY(rejoin(d, t1, first, &jumped, err));
    p->stale = d->rejoin.stale && !p->deep;
    if (jumped) YK_TRY(note_instant(d, err));
    d->tape.whole = first && !jumped;
    if (jumped) yk_steep_jump(&d->steep);
    if (jumped) YK_TRY(yk_motion_remember(d, err));
    const bool smooth = d->smooth && !jumped;
    yk_look_segment(d);
    if (d->method->needs_f && (jumped || !first || !d->kept.f_known))
        YK_TRY(yk_eval(p, p->t, p->x, NULL, p->f, err));
    if (d->method->begin) YK_TRY(d->method->begin(d->self, smooth, err));
    d->smooth = true;
    return YOKE_OK;
}

/* ---- The propagator -------------------------------------------------------
 */

/* The end of the run: what happens there, and the values it leaves up to t1. */
static yoke_status finish(yk_driver *d, double t1, yk_wave *y, yoke_err *err)
{
    yk_problem *p = &d->p;
    const yk_step_output *out = &d->output;
    bool jumped = false;

    find_segment(d, t1);
    YK_TRY(rejoin(d, t1, true, &jumped, err));
    if (p->m) yk_copy(p->u, yk_input(p, p->t), p->m);
    if (yk_events_end(&d->events)) {
        yk_instant_arrive(d);
        YK_TRY(yk_events_apply(d, &jumped, err));
    }
    if (p->p)
        YK_TRY(yoke_system_output(p->system, yk_time(p, p->t), p->x,
                                  yk_input(p, p->t), out->y, err));
    YK_TRY(yk_wave_append_constant(y, t1, out->y, err));
    for (int i = 0; i < out->watches; i++) out->part[i] = p->x[out->watch[i]];
    YK_TRY(yk_wave_append_constant(d->watched, t1, out->part, err));
    p->t = t1;
    return YOKE_OK;
}

static yoke_status run_segments(yk_driver *d, double t1, yk_wave *y,
                                yoke_err *err)
{
    yk_problem *p = &d->p;
    const double window = t1 - p->t;

    d->division.open = false;
    if (d->finishes) return finish(d, t1, y, err);
    for (bool first = true; p->t < t1; first = false) {
        YK_TRY(begin_segment(d, t1, first, err));
        YK_TRY(yk_advance(d, window, y, err));
        yk_copy(p->u, yk_input(p, p->t), p->m);
    }
    return YOKE_OK;
}

static yoke_status check_sweep(const yk_driver *d, double t1, const yk_wave *u,
                               const yk_wave *y, yoke_err *err)
{
    const yk_problem *p = &d->p;
    const double tiny =
        1e-9 * (t1 - d->kept.t) + yk_rounding_beside(t1, d->kept.t);

    if (!d->started)
        return yk_fail(err, YOKE_E_ARG, "subsystem \"%s\" is not started",
                       p->name);
    if (!(t1 > d->kept.t) || !isfinite(t1))
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": window end t1 = %g is not after %g",
                       p->name, t1, d->kept.t);
    if (yk_wave_dim(y) != p->p)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\" has %d outputs, the waveform %d",
                       p->name, p->p, yk_wave_dim(y));
    if (p->m == 0) return YOKE_OK;
    if (!u || yk_wave_dim(u) != p->m || yk_wave_pieces(u) < 1)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\" has %d inputs, the waveform %d in %d "
                       "pieces",
                       p->name, p->m, u ? yk_wave_dim(u) : 0,
                       u ? yk_wave_pieces(u) : 0);
    if (yk_wave_begin(u) > d->kept.t + tiny || yk_wave_end(u) < t1 - tiny)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": inputs on [%g, %g] do not cover the "
                       "window [%g, %g]",
                       p->name, yk_wave_begin(u), yk_wave_end(u), d->kept.t,
                       t1);
    return YOKE_OK;
}

/* The trace of the sweep before serves the next one from the same point; not
 * for guesses if it has jumps, which may be elsewhere this time. */
static void turn_traces(yk_driver *d, bool jumped)
{
    yk_wave *const last = d->trace;

    d->p.previous = NULL;
    d->p.previous_jumps = jumped;
    d->p.previous_cursor = 0;
    d->grid = 0;
    if (!last) return;
    d->trace = d->previous;
    d->previous = last;
    if (d->swept && yk_wave_pieces(last) > 0) d->p.previous = last;
    yk_wave_clear(d->trace, d->kept.t);
}

/* How far the end of the window moved since its last sweep. */
static void note_end(yk_driver *d)
{
    const yk_problem *p = &d->p;

    d->moved = d->swept ? 0.0 : NAN;
    for (int i = 0; d->swept && i < p->n; i++) {
        const double size = yk_tolerance(p->atol[i], p->options.rtol, p->x[i]);
        d->moved = fmax(d->moved, fabs(p->x[i] - d->x_end[i]) / size);
    }
    yk_copy(d->x_end, p->x, p->n);
}

static yk_reading drive_reading(void *self)
{
    const yk_driver *d = self;

    if (!d->reads) return YOKE_READ_NOTHING;
    return d->unsure ? YOKE_READ_UNSURE : YOKE_READ_INPUTS;
}

static double drive_moved(void *self)
{
    return ((yk_driver *)self)->moved;
}

/* A coarser sweep lends its waveform to the next one, but not its grid.  Deep
 * unknowns would differ too much between two grids. */
static void drive_loosen(void *self, double factor)
{
    yk_driver *d = self;

    if (d->method->stepping == YK_ADAPTIVE && !d->p.deep)
        d->loose_next = factor;
}

static void drive_limit(void *self, long steps)
{
    yk_driver *d = self;

    d->limit = d->method->stepping == YK_FIXED ? LONG_MAX : steps;
}

/* The tolerances of the sweep that begins now. */
static void take_tolerance(yk_driver *d)
{
    d->same_tolerance = d->loose_next == d->loose;
    d->loose = d->loose_next;
    d->loose_next = 1.0;
    d->p.kappa = d->kappa * d->loose;
}

/* The spline through the points of the grid, if that is wanted. */
static yoke_status smooth_outputs(yk_driver *d, yk_wave *y, yoke_err *err)
{
    if (!d->chords || d->finishes) return YOKE_OK;
    YK_TRY(yk_wave_copy(d->chords, y, err));
    return yk_spline_through(&d->spline, y, d->chords, d->instants, d->instant,
                             err);
}

yoke_status yk_driver_sweep(yk_driver *d, double t1, const yk_wave *u,
                            yk_wave *y, yoke_err *err)
{
    const double clock = yk_clock();

    YK_TRY(check_sweep(d, t1, u, y, err));
    const bool jumped = d->events.jumped || d->leaps;
    return_to_point(d);
    turn_traces(d, jumped);
    take_tolerance(d);
    d->p.wave = d->inputs = u;
    d->p.cursor = 0;
    d->knot = 0;
    d->instants = d->memories.count = 0;
    d->leapt = d->leaps = d->reads = d->unsure = false;
    d->leap_time = -INFINITY;
    d->tries = 0;
    d->longest = 0.0;
    d->p.work.sweeps++;
    yk_wave_clear(y, d->p.t);
    yk_wave_clear(d->watched, d->p.t);
    yk_look_sweep(d, t1);
    yk_tape_begin(d);
    yoke_status status = run_segments(d, t1, y, err);
    if (status == YOKE_OK) status = smooth_outputs(d, y, err);
    d->p.wave = NULL;
    d->failed = status != YOKE_OK;
    if (status == YOKE_OK) note_end(d);
    if (d->memory_end) yk_system_save(d->p.system, d->memory_end);
    d->swept = true;
    d->p.work.seconds += yk_clock() - clock;
    return status;
}

static yoke_status drive_sweep(void *self, double t1, const yk_wave *u,
                               yk_wave *y, yoke_err *err)
{
    yk_driver *d = self;

    return d->front.on ? yk_front_sweep(d, t1, u, y, err)
                       : yk_driver_sweep(d, t1, u, y, err);
}

void yk_driver_accept(yk_driver *d)
{
    /* Others may have used the system since the sweep. */
    if (d->memory_end) yk_system_restore(d->p.system, d->memory_end);
    if (d->motion) yk_events_shifted(d);
    keep_point(d);
    d->kept.f_known = d->method->needs_f &&
                      d->method->stepping == YK_ADAPTIVE && !d->p.deep &&
                      !d->finishes;
    yk_tape_accept(d);
    d->swept = d->failed = false;
}

static yoke_status drive_accept(void *self, yoke_err *err)
{
    yk_driver *d = self;
    bool landed = true;

    if (!d->started || !d->swept)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": nothing to accept before a sweep",
                       d->p.name);
    if (d->front.on) YK_TRY(yk_front_accept(d, &landed, err));
    if (landed) yk_driver_accept(d);
    return YOKE_OK;
}

/* Which units a sweep has reached that was given up depends on who runs at once
 * with whom; what they do next must not.  Nor would its trace be of use: it may be
 * that of values which no solution has. */
static yoke_status drive_forget(void *self, yoke_err *err)
{
    yk_driver *d = self;

    d->swept = d->failed = false;
    if (!d->p.affine) d->p.stamp = 0;
    return d->front.on ? yk_front_forget(d, err) : YOKE_OK;
}

static void drive_arrive(void *self, const double *u)
{
    yk_driver *d = self;

    if (!d->front.crosses) yk_copy(d->kept.u_left, u, d->p.m);
}

static yoke_status start_values(yk_driver *d, double t0, const double *x0,
                                const double *u0, yoke_err *err)
{
    yk_problem *p = &d->p;

    p->t = p->begin = p->end = p->begin_knot = t0;
    p->end_knot = INFINITY;
    p->begin_jump = NAN;
    p->end_jumps = false;
    p->begin_break = p->end_break = false;
    p->wave = NULL;
    p->u_time = NAN;
    if (p->m) yk_copy(p->u, u0, p->m);
    yk_copy(p->x, x0 ? x0 : p->facts->x0, p->n);
    if (!x0 && !p->options.given) YK_TRY(yk_initial(p, err));
    return yk_eval(p, t0, p->x, p->q, NULL, err);
}

/* A first step: a hundredth of the time in which the charges would change by
 * their own size, but not so short that rounding makes deep unknowns
 * inaccurate; 0: they do not change, and nothing is deep. */
static yoke_status first_step(yk_driver *d, yoke_err *err)
{
    yk_problem *p = &d->p;
    double charge = 0.0, rate = 0.0;

    YK_TRY(yk_eval(p, p->t, p->x, NULL, p->f, err));
    for (int i = 0; i < p->n; i++) {
        const double size = p->atol[i] / p->options.rtol;
        if (!p->charge[i]) continue;
        charge = fmax(charge, fabs(p->q[i]) / size);
        rate = fmax(rate, fabs(p->f[i]) / size);
    }
    d->first_step = fmax(rate > 0.0 ? 0.01 * charge / rate : 0.0,
                         fmax(p->h_noise, p->h_begin));
    return YOKE_OK;
}

/* `anew`: at the start of the run, not in its middle. */
static yoke_status start_at(yk_driver *d, bool anew, double t0,
                            const double *x0, const double *u0, double *y0,
                            yoke_err *err)
{
    yk_problem *p = &d->p;
    const double clock = yk_clock();

    if (p->m > 0 && !u0)
        return yk_fail(err, YOKE_E_ARG, "subsystem \"%s\": u0 is missing",
                       p->name);
    d->started = d->swept = d->smooth = d->failed = d->finishes = false;
    yk_steep_start(&d->steep, t0);
    for (int i = 0; i < p->n; i++) p->tight[i] = 1.0;
    p->poly.valid = false;
    p->eta = 1.0;
    if (!p->affine) p->stamp = 0;
    d->control =
        (yk_control){ .order = d->method->order, .steady = d->method->steady };
    if (anew) yk_system_reset(p->system);
    d->pace = (yk_step_pace){ 0 };
    YK_TRY(start_values(d, t0, x0, u0, err));
    YK_TRY(yk_events_start(d, err));
    yk_look_start(d);
    yk_turns_start(d);
    p->h_stuck = 0.0;
    if (d->method->stepping == YK_ADAPTIVE) {
        YK_TRY(yk_find_depth(p, err));
        YK_TRY(first_step(d, err));
    }
    if (p->p) YK_TRY(yoke_system_output(p->system, t0, p->x, p->u, y0, err));
    keep_point(d);
    yk_front_start(d);
    d->kept.f_known = false;
    d->started = true;
    p->work.seconds += yk_clock() - clock;
    return YOKE_OK;
}

static yoke_status drive_start(void *self, double t0, const double *x0,
                               const double *u0, double *y0, yoke_err *err)
{
    return start_at(self, true, t0, x0, u0, y0, err);
}

static bool drive_quiet(void *self)
{
    yk_driver *d = self;

    if (d->events.count == 0) return true;
    if (d->kept.memory) yk_system_restore(d->p.system, d->kept.memory);
    return !yk_events_near(d) && !is_break(d, d->kept.t, 0.0);
}

static yoke_status drive_join(void *self, double t0, const double *x0,
                              const double *u0, double *y0, yoke_err *err)
{
    yk_driver *d = self;

    YK_TRY(start_at(d, false, t0, x0, u0, y0, err));
    for (int k = 0; k < d->events.count; k++) d->events.mark[k].pending = false;
    yk_events_keep(&d->events);
    return YOKE_OK;
}

static void drive_give(void *self, double *x)
{
    const yk_driver *d = self;

    yk_copy(x, d->front.t > d->kept.t ? d->front.x : d->kept.x, d->p.n);
    if (d->kept.memory) yk_system_restore(d->p.system, d->kept.memory);
}

static const yk_wave *drive_watched(void *self)
{
    const yk_driver *d = self;

    return d->front.longer ? d->front.watched : d->watched;
}

static int drive_instants(void *self, const double **t)
{
    const yk_driver *d = self;
    int first = 0;

    while (d->front.t > d->kept.t && first < d->instants &&
           d->instant[first] < d->front.t)
        first++;
    *t = d->instant + first;
    return d->instants - first;
}

static double drive_next_break(void *self, double t)
{
    return yk_system_next_break(((yk_driver *)self)->p.system, t);
}

/* Of the length that errors permit: no step may be longer. */
static double permitted(const yk_driver *d, double h)
{
    const double most = d->p.options.max_step;

    return fmin(most > 0.0 ? fmin(h, most) : h, yk_look_longest(d));
}

static double drive_step(void *self)
{
    const yk_driver *d = self;

    if (d->front.crosses) return permitted(d, d->control.h);
    if (d->method->stepping == YK_ADAPTIVE)
        return d->kept.control.h > 0.0 ? permitted(d, d->kept.control.h)
                                       : d->first_step;
    if (d->method->stepping == YK_FREE) return d->longest;
    return d->method->stepping == YK_FIXED && d->p.options.steps == 0
               ? d->p.options.step
               : 0.0;
}

static bool drive_anew(void *self)
{
    return ((yk_driver *)self)->method->stepping == YK_FREE;
}

static bool drive_due(void *self)
{
    yk_driver *d = self;

    if (d->events.count == 0) return false;
    if (d->kept.memory) yk_system_restore(d->p.system, d->kept.memory);
    return yk_events_wait(d) || is_break(d, d->kept.t, 0.0);
}

static void drive_finish(void *self)
{
    ((yk_driver *)self)->finishes = true;
}

static void drive_work(void *self, yoke_work *work)
{
    *work = ((yk_driver *)self)->p.work;
}

static void drive_free(void *self)
{
    yk_driver *d = self;

    if (!d) return;
    if (d->method) d->method->free(d->self);
    yk_output_free(&d->output);
    yk_rejoin_free(&d->rejoin);
    yk_events_free(&d->events);
    yk_look_free(&d->look);
    yk_growing_free(&d->grow);
    yk_steep_free(&d->steep);
    yk_turns_free(&d->turns);
    yk_tape_free(&d->tape);
    yk_front_free(&d->front);
    yk_wave_free(d->watched);
    yk_wave_free(d->chords);
    yk_spline_clear(&d->spline);
    yk_wave_free(d->trace);
    yk_wave_free(d->previous);
    YK_FREE(d->kept.x, d->kept.q, d->kept.f, d->kept.u, d->kept.u_left,
            d->kept.poly.coef, d->kept.memory, d->memory_end, d->x_end, d->jump,
            d->instant);
    yk_response_free(d->response);
    yk_motion_free(d->motion);
    YK_FREE(d->x_inside, d->x_motion, d->u_motion, d->x_kicked,
            d->memories.begin, d->memories.bytes);
    yk_problem_free(&d->p);
    yk_free(d);
}

static yoke_status make_point(yk_driver *d, yoke_err *err)
{
    const size_t bytes = d->p.facts->memory_bytes;
    yk_step_point *k = &d->kept;

    YK_TRY(YK_DOUBLES((size_t)d->p.n + 1, err, &k->x, &k->q, &k->f));
    YK_TRY(YK_DOUBLES((size_t)d->p.m + 1, err, &k->u, &k->u_left));
    YK_TRY(YK_DOUBLES((size_t)d->p.n + 1, err, &d->x_end, &d->jump));
    if (bytes) YK_TRY(yk_alloc(&k->memory, bytes, 1, err));
    if (bytes) YK_TRY(yk_alloc(&d->memory_end, bytes, 1, err));
    if (!d->method->shape) return YOKE_OK;
    YK_TRY(yk_doubles(&d->p.poly.coef, yk_driver_poly_size(d) + 1, err));
    return yk_doubles(&k->poly.coef, yk_driver_poly_size(d) + 1, err);
}

static yoke_status make_waves(yk_driver *d, int watches, yoke_err *err)
{
    YK_TRY(yk_wave_create(&d->watched, watches, err));
    if (d->p.options.dense == YOKE_DENSE_SPLINE)
        YK_TRY(yk_wave_create(&d->chords, d->p.p, err));
    if (!d->p.options.warm || !d->method->shape) return YOKE_OK;
    YK_TRY(yk_wave_create(&d->trace, d->p.n, err));
    return yk_wave_create(&d->previous, d->p.n, err);
}

/* Newton's tolerance relative to atol + rtol |x|: with fixed steps small enough
 * to see the error of the method alone. */
static double newton_tolerance(const yk_method *method,
                               const yoke_stepper_options *o)
{
    if (o->newton > 0.0) return o->newton;
    if (method->stepping == YK_FIXED)
        return fmin(1.0, YK_STEP_KAPPA_FIXED / o->rtol);
    return fmax(10.0 * DBL_EPSILON / o->rtol, YK_STEP_KAPPA);
}

static bool drive_deep(void *self, int unknown)
{
    const yk_driver *d = self;

    return d->p.deep && d->p.depth[unknown] > 0;
}

static const yk_handover_ops drive_handover = {
    .give = drive_give,
    .quiet = drive_quiet,
    .take = drive_join,
    .join = drive_join,
    .deep = drive_deep,
};

static const yk_propagator_ops drive_ops = {
    .kind = "stepper",
    .start = drive_start,
    .sweep = drive_sweep,
    .accept = drive_accept,
    .forget = drive_forget,
    .arrive = drive_arrive,
    .watched = drive_watched,
    .instants = drive_instants,
    .next_break = drive_next_break,
    .moved = drive_moved,
    .reading = drive_reading,
    .answer = &yk_drive_answer,
    .motion = &yk_drive_motion,
    .tape = &yk_drive_tape,
    .front = &yk_drive_front,
    .loosen = drive_loosen,
    .limit = drive_limit,
    .step = drive_step,
    .anew = drive_anew,
    .due = drive_due,
    .finish = drive_finish,
    .handover = &drive_handover,
    .work = drive_work,
    .free = drive_free,
};

yoke_status yk_drive_create(yk_propagator *out, const yk_method *method,
                            yoke_system *system,
                            const yoke_stepper_options *options, int watches,
                            const int *watch, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_driver *d = NULL;

    YK_TRY(YK_NEW(&d, 1, err));
    d->method = method;
    YK_GO(yk_problem_create(&d->p, system, options, err));
    d->p.kappa = d->kappa = newton_tolerance(method, options);
    d->loose = d->loose_next = 1.0;
    d->limit = LONG_MAX;
    YK_GO(make_point(d, err));
    YK_GO(make_waves(d, watches, err));
    YK_GO(yk_output_create(&d->output, &d->p, watches, watch, err));
    YK_GO(yk_rejoin_create(&d->rejoin, &d->p, err));
    if (method->stepping != YK_FIXED)
        YK_GO(yk_growing_create(&d->grow, &d->p, err));
    if (method->stepping != YK_FIXED)
        YK_GO(yk_steep_create(&d->steep, &d->p, err));
    d->output.steep = d->steep.outputs > 0 ? &d->steep : NULL;
    YK_GO(yk_turns_create(&d->turns, &d->p, err));
    YK_GO(yk_events_create(&d->events, &d->p,
                           method->shape ? yk_driver_poly_size(d) + 1 : 0,
                           err));
    YK_GO(yk_look_create(&d->look, &d->p, method,
                         method->shape ? yk_driver_poly_size(d) : 0, err));
    YK_GO(method->create(&d->self, method, &d->p, err));
    *out = (yk_propagator){ &drive_ops, d, d->p.m, d->p.p, watches, false };
    d = NULL;
done:
    drive_free(d);
    return status;
}
