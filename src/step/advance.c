/* step/advance.c -- the steps of one segment.
 *
 * Fixed steps: a segment of length L has ceil(L / h) equal steps; one that has
 * no solution ends the sweep with YOKE_RETRY.  A step with an event is taken in
 * two parts, so that the grid stays the same.
 *
 * Explicit methods tell h |lambda| of what the solution does in each step.  If
 * it is beyond the stability bound in the mean of the last steps, errors have
 * grown more than the solution; then, or if a few steps leap, the sweep ends,
 * and so does the run: shorter windows would hide it, not cure it.
 *
 * Adaptive methods follow control.c.  A step that has no solution, or whose
 * error is too large, is repeated shorter, down to the least step.  A repeated
 * sweep proposes the grid of the one before.
 *
 * If the error stays, because unknowns jump by the same amount however short
 * the step is, the least step is a leap: it is accepted, and the solution goes
 * on from there as after a breakpoint.
 */
#include "step/drive.h"
#include "step/policy.h"
#include "sys/call.h"

#include "base/finite.h"
#include "base/lengths.h"
#include "base/vector.h"

#include <math.h>

/* A very long sweep of a large system keeps the trace of its beginning.  A leap
 * leaves a gap, which the next step, to t, covers. */
static bool traceable(const yk_driver *d, double t)
{
    static const double gap = 1e-2;

    return (yk_wave_pieces(d->trace) + 1.0) * (double)yk_driver_poly_size(d) <=
               YK_STEP_TRACE_ROOM &&
           d->p.t - yk_wave_end(d->trace) <= gap * (t - d->p.t);
}

/* The end of the step moves to where the invariants of the system hold, and the
 * polynomial of the step with it. */
static yoke_status project(yk_driver *d, double t, yoke_err *err)
{
    yk_problem *p = &d->p;
    double missed[2];

    if (!p->facts->help->project) return YOKE_OK;
    YK_TRY(yk_system_project(p->system, t, p->x_new, missed, err));
    for (int k = 0; k < 2; k++)
        p->work.missed[k] = fmax(p->work.missed[k], missed[k]);
    return yk_eval(p, t, p->x_new, p->q_new, p->f_new, err);
}

static void move_end(yk_problem *p)
{
    const yk_poly *poly = &p->poly;
    const size_t n = (size_t)p->n;

    for (size_t i = 0; i < n; i++) {
        double end = 0.0;
        for (int k = poly->degree; k >= 0; k--)
            end += poly->coef[(size_t)k * n + i];
        poly->coef[n + i] += p->x_new[i] - end;
    }
}

/* The waveforms of the step.  A leap becomes a jump between two pieces, unless
 * the window ends with it. */
static yoke_status write_step(yk_driver *d, double t, yk_wave *y, yoke_err *err)
{
    yk_problem *p = &d->p;
    const yk_method *method = d->method;

    if (d->leapt && t < p->end) return YOKE_OK;
    YK_TRY(
        yk_output_step(&d->output, p, method, d->self, t, y, d->watched, err));
    if (!d->trace || !traceable(d, t)) return YOKE_OK;
    return yk_output_trace(&d->output, p, method, d->self, t, d->trace, err);
}

/* Is the step the first one behind a jump, whose deep unknowns are not the ones
 * it begins with? */
static bool begins_anew(yk_driver *d, double h)
{
    const yk_problem *p = &d->p;
    const bool behind = d->behind_leap;

    d->behind_leap = false;
    if (!d->method->inside || !d->method->shape) return false;
    if (p->stale) return true;
    return p->deep && !d->leapt && !p->poly.valid && (behind || h < p->h_stuck);
}

static void rebegin(yk_driver *d, double h)
{
    yk_stages at;

    d->method->inside(d->self, h, &at);
    yk_poly_rebegin(&d->p, &at);
}

/* The polynomial of the step, which may have been made when it was looked at. */
static void shape(yk_driver *d, double h, bool anew)
{
    const yk_poly before = d->p.poly;

    if (anew || !d->look.shaped || d->look.poly.t != d->p.t ||
        d->look.poly.h != h || d->p.facts->help->project) {
        d->method->shape(d->self, h);
        return;
    }
    d->p.poly = d->look.poly;
    d->look.poly = before;
    d->look.shaped = false;
}

/* The trial point becomes the present one; its waveforms are written.  Nothing
 * to do if an event happens where the step begins. */
static yoke_status accept_step(yk_driver *d, double t, double h, yk_wave *y,
                               yoke_err *err)
{
    yk_problem *p = &d->p;
    const yk_method *method = d->method;

    if (t == p->t) return YOKE_OK;
    YK_TRY(project(d, t, err));
    const bool anew = begins_anew(d, h);
    for (int k = 0; anew && k < p->n; k++)
        if (yk_begins_anyhow(p, k)) p->x[k] = p->x_new[k]; /* of its size */
    if (method->shape) shape(d, h, anew);
    if (anew) rebegin(d, h);
    if (p->facts->help->project && p->poly.degree > 0) move_end(p);
    const bool mended = yk_look_mend(d);
    if (method->commit) method->commit(d->self);
    YK_TRY(write_step(d, t, y, err));
    yk_turns_note(d);
    if (mended) method->shape(d->self, h); /* the next step goes on from it */
    if (anew || mended || d->leapt) yk_tape_break(d);
    YK_TRY(yk_tape_add(d, t, h, err));
    yk_look_accept(d, t, h);
    yk_steep_step(&d->steep, p, t);
    yk_swap(&p->x, &p->x_new);
    yk_swap(&p->q, &p->q_new);
    yk_swap(&p->f, &p->f_new);
    p->t = t;
    p->stale = false;
    p->h_stuck *= 0.5;
    d->stuck = 0;
    d->last.text[0] = '\0';
    p->work.steps++;
    yk_note_blur(p, h);
    return YOKE_OK;
}

static double same_length(yk_driver *d, double h)
{
    if (fabs(h - d->h_last) > YK_STEP_SAME_LENGTH * h) d->h_last = h;
    return d->h_last;
}

static const char follows_derivative[] =
    "it follows the derivative of an input, whose waveform is known to a "
    "tolerance only: solve it and what feeds it as one (cluster: auto)";

/* Steps become short in front of a break when a system gives there what is
 * behind it; a shorter window would have the same steps. */
static bool nearly_there(const yk_driver *d)
{
    const yk_problem *p = &d->p;

    return p->end - p->t < YK_STEP_NEARLY_THERE * (p->end - d->kept.t) &&
           d->tries / YK_STEP_NEARLY_MORE < d->limit;
}

/* A sweep may be the whole run, so its steps can be stopped; and they are
 * counted, since inputs that have not converged say nothing about it. */
static yoke_status ask(yk_driver *d, yoke_err *err)
{
    const yoke_stepper_options *o = &d->p.options;

    if (d->tries++ >= d->limit && !nearly_there(d))
        return yk_fail(err, YOKE_RETRY,
                       "subsystem \"%s\": its inputs have not converged, and "
                       "its steps had come to t = %.9g after %ld of them: %s",
                       d->p.name, d->p.t, d->limit,
                       d->leaps && yoke_pattern_count(d->p.facts->Cu) > 0
                           ? follows_derivative
                           : "solve it and what feeds it as one (cluster: "
                             "auto)");
    if (!o->stop || !o->stop(o->stop_context)) return YOKE_OK;
    return yk_fail(err, YOKE_STOPPED, "its steps had come to t = %.9g", d->p.t);
}

yoke_status yk_try_step(yk_driver *d, double t, double h, double *error,
                        yoke_err *err)
{
    yk_problem *p = &d->p;
    double reached = t;
    int bad = 0;

    p->effort = 0.0;
    p->rate = 0.0;
    d->look.shaped = false;
    *error = 0.0;
    YK_TRY(d->method->step(d->self, t, h, error, &reached, err));
    if (!yk_few_finite(p->x_new, p->n, &bad))
        return yk_fail(err, YOKE_RETRY, "\"%s\" is %g after the step",
                       p->facts->x_name[bad], p->x_new[bad]);
    if (!isfinite(*error))
        return yk_fail(err, YOKE_RETRY, "the error estimate is not finite");
    return YOKE_OK;
}

/* ---- Fixed steps ----------------------------------------------------------
 */

static yoke_status divide(yk_driver *d, double window, yoke_err *err)
{
    const yoke_stepper_options *o = &d->p.options;
    const double length = d->p.end - d->p.begin;
    const double parts =
        o->steps > 0 ? o->steps * (length / window) : length / o->step;
    const double count = fmax(1.0, ceil(parts * (1.0 - 1e-12) - 1e-12));

    d->division = (yk_division){ d->p.begin, d->p.end, count, 1.0, true };
    if (count <= 1e9) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "subsystem \"%s\": step = %g divides [%g, %g] into %g steps",
                   d->p.name, o->step, d->p.begin, d->p.end, count);
}

/* The end of the next step, and its length: that of all, or what is left of it
 * after an event. */
static double next_point(yk_driver *d, double *h)
{
    const yk_division *v = &d->division;
    const double length = v->end - v->begin;
    const double t =
        v->next < v->count ? v->begin + length * (v->next / v->count) : v->end;

    *h = d->p.t == d->p.begin && d->p.begin != v->begin
             ? t - d->p.t
             : same_length(d, length / v->count);
    return t;
}

/* Is it time to look for modes of which there is little?  After 4, 32, 256 ...
 * steps. */
static bool time_to_look(yk_driver *d)
{
    if (!d->method->confirm) return false;
    if (d->modes_at == 0.0) d->modes_at = 4.0;
    d->taken += 1.0;
    if (d->taken < d->modes_at) return false;
    d->modes_at *= 8.0;
    return true;
}

/* Inputs bend the path too, and the method cannot tell them from its own modes:
 * then only leaps and the mean of many steps count. */
static bool blurred(const yk_driver *d)
{
    return !d->method->confirm && d->p.m > 0;
}

/* Takes the rate of the step to t into the mean.  True: it looks too long, near
 * the bound in the mean of many steps, beyond it in the mean of a few or at the
 * end. */
static bool suspicious(yk_driver *d, double t)
{
    const yk_problem *p = &d->p;
    const int i = p->rate_of;
    const double moved = fabs(p->x_new[i] - p->x[i]);
    const double stable = d->method->stable;
    yk_step_pace *pace = &d->pace;

    if (stable == 0.0 || !(p->rate > 0.0)) {
        *pace = (yk_step_pace){ 0 };
        return false;
    }
    if (pace->count < YK_STEP_PACE_MEAN) pace->count++;
    if (pace->quiet > 0) pace->quiet--;
    pace->mean += (log(p->rate) - pace->mean) / pace->count;
    const bool leaps = p->rate > YK_STEP_PACE_LEAP * stable &&
                       moved > fabs(p->x[i]) + p->facts->nominal[i];
    pace->leaps = leaps ? pace->leaps + 1 : 0;
    const bool early = !blurred(d) && t == p->end && pace->quiet == 0 &&
                       exp(pace->mean) > stable;
    return early || pace->leaps == YK_STEP_PACE_LEAPS ||
           (pace->count == YK_STEP_PACE_MEAN &&
            exp(pace->mean) > YK_STEP_PACE_SUSPECT * stable);
}

/* What the method, or the bound of its stability, says of the step. */
static bool grows(const yk_driver *d)
{
    const yk_problem *p = &d->p;

    if (d->method->confirm) return p->growth > 1.0 + YK_STEP_PACE_GROWS;
    return p->growth != 0.0 && p->rate > d->method->stable;
}

/* Is the step too long for an explicit method?  A window cannot be the cure:
 * the next steps would be as long.  Only inputs that another sweep may change
 * give a second chance. */
static yoke_status check_stability(yk_driver *d, double t, double h,
                                   yoke_err *err)
{
    yk_problem *p = &d->p;
    const yk_method *method = d->method;
    const bool look = time_to_look(d), doubt = suspicious(d, t);
    const bool leaps = d->pace.leaps == YK_STEP_PACE_LEAPS;

    if (!look && !doubt) return YOKE_OK;
    if (doubt) {
        if (!leaps) p->rate = exp(d->pace.mean);
        d->pace = (yk_step_pace){ .quiet = 4 * YK_STEP_PACE_MEAN };
    }
    if (look) p->rate = INFINITY;
    if (method->confirm) YK_TRY(method->confirm(d->self, t, h, err));
    const bool steep = leaps && p->growth == 0.0 && isfinite(p->rate) &&
                       p->rate > method->stable;
    if (!steep && !grows(d)) return YOKE_OK;
    const bool again = steep || blurred(d) || (p->m > 0 && !d->unstable);
    d->unstable = !steep;
    return yk_fail(err, again ? YOKE_RETRY : YOKE_E_NUMERIC,
                   "\"%s\" = %.3g: h |lambda| is %.3g, but %s is stable up to "
                   "%.2g; take a step of %.2g or less, or an implicit method",
                   p->facts->x_name[p->rate_of], p->x_new[p->rate_of], p->rate,
                   method->name, method->stable, h * method->stable / p->rate);
}

/* After a step to *t that has no solution: up to where there is one, if an event
 * is the reason; *t is where it ends. */
static yoke_status step_short(yk_driver *d, double *t, yk_wave *y, bool *event,
                              yoke_err *err)
{
    yk_problem *p = &d->p;
    const double near =
        fmax(yk_rounding_beside(p->t, *t),
             YK_STEP_SAME_INSTANT * p->options.rtol * (*t - p->t));
    double low = p->t, high = *t, error = 0.0, h = 0.0;

    while (high - low > near) {
        const double middle = 0.5 * (low + high);
        const yoke_status status =
            yk_try_step(d, middle, middle - p->t, &error, err);
        if (status < 0) return status;
        if (status == YOKE_OK)
            low = middle;
        else
            high = middle;
    }
    *t = low;
    h = low - p->t;
    if (h > 0.0) {
        YK_TRY(yk_try_step(d, low, h, &error, err));
        YK_TRY(yk_events_locate(d, t, &h, event, err));
        YK_TRY(accept_step(d, *t, h, y, err));
    }
    if (*event) return YOKE_OK;
    return yk_events_ahead(d, p->t + 4.0 * near, 4.0 * near, &h, event, err);
}

/* To t, or to the first event before. */
static yoke_status fixed_step(yk_driver *d, double t, double h, yk_wave *y,
                              bool *event, yoke_err *err)
{
    yk_problem *p = &d->p;
    const double whole = t, begin = p->t, length = h;
    double error = 0.0;

    yoke_status status = yk_try_step(d, t, h, &error, err);
    if (status > 0 && d->events.count > 0) {
        yoke_err why = *err;
        YK_TRY(step_short(d, &t, y, event, err));
        if (*event) return YOKE_OK;
        *err = why;
    }
    if (status == YOKE_OK) status = check_stability(d, t, h, err);
    if (status == YOKE_OK) status = yk_look_fixed(d, t, h, err);
    if (status == YOKE_OK) status = yk_events_locate(d, &t, &h, event, err);
    if (status == YOKE_OK) status = accept_step(d, t, h, y, err);
    if (status > 0 || status == YOKE_E_NUMERIC) {
        yk_prefix(err, "subsystem \"%s\": step from t = %.10g, length %.3g",
                  p->name, begin, length);
        p->work.rejected++;
    }
    if (status == YOKE_OK && t == whole) d->division.next += 1.0;
    return status;
}

static yoke_status fixed_steps(yk_driver *d, double window, yk_wave *y,
                               yoke_err *err)
{
    yk_division *v = &d->division;
    bool event = false;

    if (!v->open || v->end != d->p.end) YK_TRY(divide(d, window, err));
    while (v->next <= v->count && !event) {
        double h = 0.0;
        YK_TRY(ask(d, err));
        const double t = next_point(d, &h);
        YK_TRY(fixed_step(d, t, h, y, &event, err));
    }
    v->open = v->next <= v->count;
    return YOKE_OK;
}

/* ---- Adaptive steps -------------------------------------------------------
 */

/* The end of the step that the sweep before took from here; a longer one if it
 * wants to grow to twice that.  INFINITY: no such grid, or one that is not to be
 * kept. */
static double grid_point(yk_driver *d)
{
    const yk_wave *w = d->p.previous;
    const double t = d->p.t, least = YK_STEP_SAME_LENGTH * d->control.h;

    if (!w || !d->same_tolerance || d->tape.lenient > 1.0) return INFINITY;
    const int last = yk_wave_pieces(w);
    while (d->grid <= last && yk_wave_knot(w, d->grid) <= t + least) d->grid++;
    if (d->grid > last) return INFINITY;
    int i = d->grid;
    while (i < last && yk_wave_knot(w, i + 1) - t <= 0.5 * d->control.h) i++;
    return yk_wave_knot(w, i);
}

/* The end of the next step, which is no longer than `limit`. */
static double propose(yk_driver *d, double limit)
{
    const yk_problem *p = &d->p;
    const double rest = p->end - p->t;

    if (p->options.max_step > 0.0) limit = fmin(limit, p->options.max_step);
    const double h = fmin(d->control.h, limit);
    const double most = fmin(2.0 * h, limit * (1.0 + YK_STEP_SAME_LENGTH));
    const double grid = grid_point(d);
    if (!d->control.rejected && grid - p->t <= most && grid <= p->end)
        return p->end - grid <= YK_STEP_SAME_LENGTH * rest ? p->end : grid;
    if (rest <= h * (1.0 + YK_STEP_SAME_LENGTH)) return p->end;
    if (rest < 2.0 * h) return p->t + 0.5 * rest;
    return p->t + h;
}

/* Also bounds what rounding may do to deep unknowns. */
static double least_step(const yk_problem *p)
{
    const double of_time = fmax(yk_rounding(p->t), 1e-30 * (p->end - p->begin));

    return fmax(p->options.min_step, fmax(of_time, 1e-4 * p->h_noise));
}

/* A sweep whose steps are judged later begins with its whole length: its units are
 * to have the same steps. */
static void first_step(yk_driver *d)
{
    const yk_problem *p = &d->p;
    yk_control *c = &d->control;

    if (d->tape.lenient > 1.0) c->h = fmax(c->h, p->end - p->begin);
    if (c->h > 0.0) return;
    c->h = p->options.step > 0.0
               ? p->options.step
               : fmax(YK_STEP_FIRST * (p->end - p->begin),
                      fmax(p->h_noise,
                           fmin(p->h_begin, 0.1 * (p->end - p->begin))));
}

/* The unknown that the last attempt changed most; the first of those that are
 * multiples of each other, as a voltage and its current. */
static int fastest(yk_driver *d)
{
    static const double alike_change = 1.01;
    yk_problem *p = &d->p;
    double most = 0.0;
    int at = 0;

    yk_weights(p, p->x);
    for (int i = 0; i < p->n; i++) {
        const double moved = fabs(p->x_new[i] - p->x[i]) / p->weight[i];
        if (!(moved > alike_change * most)) continue;
        most = moved;
        at = i;
    }
    return at;
}

/* Goes on from the window's begin beyond the present point, into x_new and u. */
static bool go_on(yk_driver *d, double by, double *u)
{
    yk_problem *p = &d->p;
    const yk_step_point *from = &d->kept;
    const double far = by / (p->t - from->t);

    if (!(p->t > from->t) || !isfinite(far)) return false;
    for (int i = 0; i < p->n; i++)
        p->x_new[i] = p->x[i] + far * (p->x[i] - from->x[i]);
    for (int c = 0; c < p->m; c++) u[c] += far * (u[c] - from->u[c]);
    return true;
}

/* An equation that comes to the root of a negative number, a division by zero
 * and the like if all goes on a little; or if the unknowns are less or more by
 * their tolerances.  x_new is lost. */
static bool find_edge(yk_driver *d, char *text, size_t size)
{
    yk_problem *p = &d->p;
    const double by = YK_STEP_NEARS * least_step(p);
    double *u = NULL, *u_next = NULL;
    bool found = false;

    if (YK_DOUBLES((size_t)p->m + 1, NULL, &u, &u_next) != YOKE_OK)
        return false;
    if (p->m) yk_copy(u, yk_input(p, p->t), p->m);
    if (p->m) yk_copy(u_next, u, p->m);
    yoke_question ask = { .t = p->t,
                          .t_next = p->t + by,
                          .least = 1.0,
                          .x = p->x,
                          .u = u,
                          .x_next = p->x_new,
                          .u_next = u_next };
    if (go_on(d, by, u_next))
        found = yk_system_edge(p->system, &ask, text, size);
    ask.u_next = u;
    for (int side = -1; !found && side <= 1; side += 2) {
        for (int i = 0; i < p->n; i++)
            p->x_new[i] = p->x[i] + side * p->weight[i];
        found = yk_system_edge(p->system, &ask, text, size);
    }
    YK_FREE(u, u_next);
    return found;
}

/* No shorter step is possible: a function that ends, a discontinuity or a corner,
 * or a pole if an unknown for which rtol counts more than atol grows by a
 * visible part in so short a time. */
static yoke_status too_small(yk_driver *d, double h, yoke_err *err)
{
    static const double visible = 1e-4;
    yk_problem *p = &d->p;
    const int at = fastest(d);
    const double before = fabs(p->x[at]), after = fabs(p->x_new[at]);
    const bool pole = p->options.rtol * before > p->atol[at] &&
                      fabs(after / before - 1.0) > visible;

    char edge[700] = "";
    const bool ends = find_edge(d, edge, sizeof edge - 1);
    const bool why = !ends && d->last.text[0] != '\0';

    const yoke_status status = yk_fail(
        err, YOKE_RETRY,
        "subsystem \"%s\", t = %.10g: %.700s%sstep of %.3g is below the "
        "least permitted; \"%s\" = %.3g %s%s%.600s",
        p->name, p->t, edge, ends ? "; " : "", h, p->facts->x_name[at],
        p->x[at],
        pole ? "grows without bound, as at a pole" : "changes fastest",
        why ? "; last attempt: " : "", why ? d->last.text : "");
    return yk_system_place(p->system, at, status, err);
}

/* An error that shorter and shorter steps make smaller by less than they are
 * shorter, or that is left where rounding rules, is one of the values that deep
 * unknowns begin with; they are no longer believed then. */
static void note_stuck(yk_driver *d, double h, double error)
{
    if (d->stuck == 0 || error < d->stuck_error * (h / d->stuck_last)) {
        d->stuck = 0;
        d->stuck_h = h;
    }
    d->stuck_last = h;
    d->stuck_error = error;
    if (++d->stuck >= YK_STEP_STUCK || h < 0.01 * d->p.h_noise)
        d->p.h_stuck = fmax(d->p.h_stuck, d->stuck_h);
}

/* ---- Leaps ---------------------------------------------------------------
 */

/* Notes the jump of a rejected attempt.  True: the attempt before had the same.
 * Unknowns with a rate cannot do so; those that a constraint ties to a jump
 * can, and then deep unknowns (deep_unknowns.c) carry its impulse. */
static bool same_jump(yk_driver *d)
{
    yk_problem *p = &d->p;
    bool same = d->jump_time == p->t;

    yk_weights(p, p->x);
    for (int j = 0; j < p->n; j++) {
        const double jump = p->x_new[j] - p->x[j];
        const double change = fabs(jump - d->jump[j]);
        d->jump[j] = jump;
        if (p->depth[j] > 0 || !(fabs(jump) > p->weight[j])) continue;
        same = same && change <= p->weight[j];
    }
    d->jump_time = p->t;
    return same;
}

/* What the rejected attempt moves is algebraic and hardly more than zero before:
 * it rises like a root, whose slope has no end, and numbers have no instants in
 * between to follow it. */
static bool takes_root(yk_driver *d)
{
    const yk_problem *p = &d->p;
    const yoke_pattern *C = p->facts->C;

    for (int k = 0; k < p->n; k++) {
        const double moved = fabs(p->x_new[k] - p->x[k]);
        if (!(moved > p->weight[k])) continue;
        if (C->start[k + 1] > C->start[k] ||
            p->options.rtol * fabs(p->x[k]) > p->atol[k])
            return false;
    }
    return true;
}

/* Deep unknowns carry the impulse 1/h of a jump; after it they have nothing to
 * do with it, rather with what they were before. */
static void forget_impulse(yk_problem *p)
{
    for (int k = 0; k < p->n; k++)
        if (p->forgets[k]) p->x[k] = p->x_new[k];
}

/* What ends leaps without end of unknown k. */
static const char *advice(const yk_problem *p, int k)
{
    const yoke_system_info *f = p->facts;

    if (yoke_pattern_count(f->Cu) > 0 && f->C->start[k] == f->C->start[k + 1])
        return follows_derivative;
    return "give the switching a hysteresis or a smooth transition";
}

/* Accepts the last attempt, of length h to t, though its error is too large:
 * it is as short as can be, and leaps.  Events are not looked for on the way:
 * indicators jump there, and what they are after it is seen where the next
 * segment begins. */
static yoke_status leap(yk_driver *d, double t, double h, yk_wave *y,
                        bool *event, yoke_err *err)
{
    d->leapt = d->leaps = true;
    d->leap_count = d->p.t - d->leap_time < 1e3 * h ? d->leap_count + 1 : 0;
    d->leap_time = t;
    if (d->leap_count > YK_STEP_MOST_LEAPS) {
        const int at = fastest(d);
        const yoke_status status =
            yk_fail(err, YOKE_RETRY,
                    "subsystem \"%s\", t = %.10g: \"%s\" switches between "
                    "%.6g and %.6g without end: %s",
                    d->p.name, d->p.t, d->p.facts->x_name[at], d->p.x[at],
                    d->p.x_new[at], advice(&d->p, at));
        return yk_system_place(d->p.system, at, status, err);
    }
    d->control.h = 0.1 * d->jump_h;
    YK_TRY(accept_step(d, t, h, y, err));
    forget_impulse(&d->p);
    *event = true; /* ends the segment */
    return YOKE_OK;
}

/* Times closer than this are one when an event is located (locate.c). */
static double same_instant(const yk_driver *d)
{
    return fmax(least_step(&d->p),
                YK_STEP_SAME_INSTANT * d->p.options.rtol * d->jump_h);
}

/* An attempt of length h to t that has no solution, too large an error, or
 * `missed` too much inside.  It is repeated shorter, or leaps. */
static yoke_status reject(yk_driver *d, yoke_status status, double t, double h,
                          double error, double missed, yk_wave *y,
                          bool *accepted, bool *event, yoke_err *err)
{
    yk_problem *p = &d->p;

    p->work.rejected++;
    if (yk_system_limits(p->system)) p->eta = INFINITY;
    if (!d->control.rejected) d->jump_h = h;
    if (status > 0) {
        yk_forget_matrices(p); /* they belong to values that are no solution */
        yk_control_failed(&d->control, h);
        return yk_events_ahead(d, t, same_instant(d), &d->control.h, event,
                               err);
    }
    if (missed > 1.0) {
        YK_TRY(yk_look_shorter(d, h, missed, &d->control.h, err));
        d->control.rejected = true;
    } else {
        yk_fail(&d->last, YOKE_RETRY, "the error is %.3g times the tolerance",
                error);
        yk_control_reject(&d->control, h, error, p->effort);
    }
    note_stuck(d, h, fmax(error, missed));
    const bool same = same_jump(d);
    if (h > 1e3 * least_step(p) || d->control.h >= least_step(p) ||
        !(same || takes_root(d)))
        return YOKE_OK;
    *accepted = true;
    return leap(d, t, h, y, event, err);
}

/* The step is taken again: the tolerances have changed. */
static yoke_status repeat(yk_driver *d, double h)
{
    d->p.work.rejected++;
    d->control.h = h;
    d->control.rejected = true;
    return YOKE_OK;
}

/* One attempt; *accepted tells the outcome. */
static yoke_status attempt(yk_driver *d, yk_wave *y, bool *accepted,
                           bool *event, yoke_err *err)
{
    yk_problem *p = &d->p;
    /* One below the least would be lost in the rounding of time. */
    const double wanted = d->control.h = fmax(d->control.h, least_step(p));
    const double most = d->tape.lenient;
    double limit = 2.0 * wanted, error = 0.0, missed = 0.0, shorter = 0.0;

    YK_TRY(yk_look_limit(d, limit, &limit, err));
    double t = propose(d, limit), h = same_length(d, t - p->t);
    yoke_status status = yk_try_step(d, t, h, &error, &d->last);
    error *= d->turns.harder / d->loose;
    if (status == YOKE_OK && error <= most)
        status = yk_growing_check(d, h, &shorter, &d->last);
    if (shorter > 0.0) return repeat(d, shorter);
    if (status == YOKE_OK && error <= most)
        status = yk_look_step(d, h, error, &missed, &d->last);
    const bool accurate = fmax(error, missed) <= most;
    if (status == YOKE_OK && accurate)
        status = yk_events_locate(d, &t, &h, event, &d->last);
    if (status < 0) {
        if (err) *err = d->last;
        return status;
    }
    *accepted = status == YOKE_OK && accurate;
    if (*accepted && *event) {
        yk_tape_break(d);
        return accept_step(d, t, h, y, err);
    }
    d->tape.missed = fmax(0.0, missed - error);
    if (*accepted) {
        /* What was missed contains what is estimated, or less of it. */
        yk_control_accept(&d->control, h,
                          fmin(fmax(error, missed - error), 1.0), p->effort);
        /* A step cut short tells nothing against the longer one. */
        if (t == p->end || limit < wanted)
            d->control.h = fmax(d->control.h, wanted);
        return accept_step(d, t, h, y, err);
    }
    return reject(d, status, t, h, error, missed, y, accepted, event, err);
}

/* No step is possible.  An event at hand is the reason, or there is none. */
static yoke_status last_resort(yk_driver *d, bool *event, yoke_err *err)
{
    const double near = 64.0 * least_step(&d->p);
    double h = d->control.h;

    YK_TRY(yk_events_ahead(d, d->p.t + near, near, &h, event, err));
    return *event ? YOKE_OK : too_small(d, d->control.h, err);
}

static yoke_status adaptive_steps(yk_driver *d, yk_wave *y, yoke_err *err)
{
    yk_problem *p = &d->p;
    bool event = false;
    int tiny = 0; /* accepted steps in a row that want one below the least */

    first_step(d);
    d->behind_leap = d->leapt;
    d->leapt = false;
    while (p->t < p->end && !event) {
        bool accepted = false;
        YK_TRY(ask(d, err));
        YK_TRY(attempt(d, y, &accepted, &event, err));
        if (event) break;
        const bool below = d->control.h < least_step(p);
        tiny = accepted && below ? tiny + 1 : 0;
        if (below && (!accepted || tiny == YK_STEP_TINY))
            YK_TRY(last_resort(d, &event, err));
    }
    return YOKE_OK;
}

/* A step of a method that chooses its own, from the present point up to t; it
 * begins again with shorter ones until nothing is missed inside. */
static yoke_status free_step(yk_driver *d, double *t, yoke_err *err)
{
    yk_problem *p = &d->p;
    double limit = INFINITY;

    for (;;) {
        double error = 0.0, missed = 0.0, next = 0.0;
        YK_TRY(yk_look_limit(d, p->end - p->t, &p->h_most, err));
        p->h_most = fmin(p->h_most, limit);
        *t = p->end;
        YK_TRY(d->method->step(d->self, p->end, 0.0, &error, t, err));
        const double h = *t - p->t;
        if (h < least_step(p)) {
            yk_fail(&d->last, YOKE_RETRY, "%s goes no further",
                    d->method->name);
            return too_small(d, h, err);
        }
        YK_TRY(yk_growing_check(d, h, &next, err));
        if (next == 0.0) {
            YK_TRY(yk_look_step(d, h, 0.0, &missed, err));
            if (missed <= 1.0) return YOKE_OK;
            YK_TRY(yk_look_shorter(d, h, missed, &next, err));
        }
        p->work.rejected++;
        limit = next;
        if (next < least_step(p)) return too_small(d, next, err);
        YK_TRY(d->method->begin(d->self, true, err));
    }
}

static yoke_status free_steps(yk_driver *d, yk_wave *y, yoke_err *err)
{
    yk_problem *p = &d->p;
    bool event = false;

    while (p->t < p->end && !event) {
        const double near = 64.0 * least_step(p);
        double t = p->end;
        YK_TRY(ask(d, err));
        const yoke_status status = free_step(d, &t, err);
        double h = t - p->t;
        if (status > 0)
            YK_TRY(yk_events_ahead(d, p->t + near, near, &h, &event, NULL));
        if (event) break;
        if (status != YOKE_OK) return status;
        d->longest = fmax(d->longest, h);
        YK_TRY(yk_events_locate(d, &t, &h, &event, err));
        YK_TRY(accept_step(d, t, h, y, err));
    }
    return YOKE_OK;
}

yoke_status yk_advance(yk_driver *d, double window, yk_wave *y, yoke_err *err)
{
    switch (d->method->stepping) {
    case YK_FIXED:
        return fixed_steps(d, window, y, err);
    case YK_ADAPTIVE:
        return adaptive_steps(d, y, err);
    default:
        return free_steps(d, y, err);
    }
}
