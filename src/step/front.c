/* step/front.c -- steps that cross the end of a window (front.h).
 *
 * Three times matter: that of the point kept, a; the beginning of the window, t >=
 * a; and the head b >= t1.  Whoever asks sees [t, t1]; the steps and the tape have
 * [a, b].  Changes of inputs are nothing on [a, t], where they are accepted, and
 * hold their last value on [t1, b].
 */
#include "step/front.h"

#include "base/vector.h"
#include "step/drive.h"
#include "step/policy.h"
#include "sys/call.h"

#include <math.h>

static yk_front *front_of(yk_driver *d)
{
    return &d->front;
}

static void keep(yk_front *f)
{
    f->kept.reach = f->reach;
    f->kept.wait = f->wait;
    f->kept.pause = f->pause;
}

void yk_front_free(yk_front *f)
{
    yk_wave *const wave[] = { f->before, f->past,  f->u,    f->y,      f->du,
                              f->dy,     f->spare, f->part, f->watched };

    for (int k = 0; k < (int)(sizeof wave / sizeof *wave); k++)
        yk_wave_free(wave[k]);
    YK_FREE(f->x, f->now, f->none, f->y_at, f->du_end, f->term);
}

/* On failure what there is stays: it is made once, and freed with the rest. */
static yoke_status make(yk_driver *d, yoke_err *err)
{
    yk_front *f = front_of(d);
    const yk_problem *p = &d->p;
    yk_wave **const input[] = { &f->before, &f->past,  &f->u,
                                &f->du,     &f->spare, &f->part };

    for (int k = 0; k < (int)(sizeof input / sizeof *input); k++)
        if (!*input[k]) YK_TRY(yk_wave_create(input[k], p->m, err));
    if (!f->y) YK_TRY(yk_wave_create(&f->y, p->p, err));
    if (!f->dy) YK_TRY(yk_wave_create(&f->dy, p->p, err));
    if (!f->watched)
        YK_TRY(yk_wave_create(&f->watched, yk_wave_dim(d->watched), err));
    if (!f->x) YK_TRY(YK_DOUBLES((size_t)p->n + 1, err, &f->x, &f->now));
    if (!f->none) YK_TRY(yk_doubles(&f->none, (size_t)p->p + 1, err));
    if (!f->y_at) YK_TRY(yk_doubles(&f->y_at, 2 * (size_t)p->p + 1, err));
    if (!f->du_end) YK_TRY(yk_doubles(&f->du_end, (size_t)p->m + 1, err));
    if (!f->term) YK_TRY(YK_NEW(&f->term, 2 * p->m + 1, err));
    yk_wave_clear(f->before, d->kept.t);
    f->t = f->t1 = f->head = d->kept.t;
    f->reach = INFINITY;
    f->on = true;
    keep(f);
    return YOKE_OK;
}

void yk_front_start(yk_driver *d)
{
    yk_front *f = front_of(d);

    f->crosses = f->longer = f->spoilt = false;
    f->t = f->t1 = f->head = f->limit = d->kept.t;
    f->wait = f->pause = 0;
    f->reach = INFINITY;
    keep(f);
    if (f->before) yk_wave_clear(f->before, f->t);
}

/* ---- Waveforms ----------------------------------------------------------- */

/* f->du: a change of the inputs in the window, for all steps. */
static yoke_status extend_change(yk_driver *d, const yk_wave *du, yoke_err *err)
{
    yk_front *f = front_of(d);

    yk_wave_clear(f->du, d->kept.t);
    for (int c = 0; c < d->p.m; c++) f->du_end[c] = 0.0;
    if (f->t > d->kept.t)
        YK_TRY(yk_wave_append_constant(f->du, f->t, f->du_end, err));
    YK_TRY(yk_wave_append_all(f->du, du, err));
    if (!(f->head > f->t1)) return YOKE_OK;
    yk_wave_eval(du, f->t1, NULL, f->du_end);
    return yk_wave_append_constant(f->du, f->head, f->du_end, err);
}

/* dst = a + weight b on [t0, t1]. */
static yoke_status add(yk_front *f, int m, yk_wave *dst, const yk_wave *a,
                       double weight, const yk_wave *b, double t0, double t1,
                       yoke_err *err)
{
    for (int c = 0; c < m; c++) {
        f->term[2 * c] = (yk_wave_term){ a, c, c, 1.0 };
        f->term[2 * c + 1] = (yk_wave_term){ b, c, c, weight };
    }
    return yk_wave_combine(dst, t0, t1, 2 * m, f->term, err);
}

/* What the window sees of the steps. */
static yoke_status show(yk_driver *d, yk_wave *y, yoke_err *err)
{
    yk_front *f = front_of(d);

    YK_TRY(yk_wave_restrict(y, f->y, f->t, f->t1, err));
    return yk_wave_restrict(f->watched, d->watched, f->t, f->t1, err);
}

/* ---- Corrections --------------------------------------------------------- */

/* The unknowns at time t of the steps: the polynomial through their stages. */
static void value_at(const yk_driver *d, double t, double *x)
{
    const yk_tape *tape = &d->tape;
    const int stages = tape->method->stages;
    int k = 0;

    while (k < tape->steps - 1 && tape->step[k].end < t) k++;
    const yk_tape_step *s = &tape->step[k];
    const double at = (t - s->t) / (s->end - s->t);
    for (int i = 0; i < d->p.n; i++) x[i] = 0.0;
    for (int a = 0; a <= stages; a++) {
        const double own = a ? tape->method->theta[a - 1] : 0.0;
        double weight = 1.0;
        for (int b = 0; b <= stages; b++) {
            const double other = b ? tape->method->theta[b - 1] : 0.0;
            if (b != a) weight *= (at - other) / (own - other);
        }
        for (int i = 0; i < d->p.n; i++)
            x[i] += weight * (a ? s->x[a - 1] : s->x0)[i];
    }
}

/* By how much the steps have moved where they are accepted, in tolerances. */
static double moved_past(yk_driver *d)
{
    yk_front *f = front_of(d);
    yk_problem *p = &d->p;
    double *const y = f->y_at + p->p, most = 0.0;

    if (!(f->t > d->kept.t)) return 0.0;
    value_at(d, f->t, f->now);
    for (int i = 0; i < p->n; i++)
        most = fmax(most,
                    fabs(f->now[i] - f->x[i]) / yk_tolerance_x(p, i, f->x[i]));
    yk_wave_eval_right(f->y, f->t, NULL, y);
    for (int c = 0; c < p->p; c++)
        most = fmax(most, fabs(y[c] - f->y_at[c]) /
                              yk_tolerance_u(p, fabs(f->y_at[c])));
    return most;
}

/* Do the steps still serve? */
static bool serves(yk_driver *d, const yk_tape_result *r)
{
    if (!(r->error <= 1.0) || !(r->between <= 1.0)) return false;
    if (!d->p.affine && !(r->size <= YK_STEP_FRONT_FAR)) return false;
    return moved_past(d) <= YK_STEP_FRONT_PAST;
}

/* *small: the change has no visible effect. */
static yoke_status is_small(yk_driver *d, const yk_wave *du, bool *small,
                            yoke_err *err)
{
    yk_front *f = front_of(d);

    *small = false;
    if (!f->crosses) return YOKE_OK;
    YK_TRY(yk_wave_distance(du, NULL, f->du_end, err));
    for (int c = 0; c < d->p.m; c++)
        if (!(f->du_end[c] <= YK_STEP_FRONT_SMALL * yk_tolerance_u(&d->p, 0.0)))
            return YOKE_OK;
    *small = true;
    return YOKE_OK;
}

yoke_status yk_front_answer(yk_driver *d, const yk_wave *du, bool whole,
                            yk_wave *dy, yoke_err *err)
{
    yk_front *f = front_of(d);

    YK_TRY(is_small(d, du, &f->nothing, err));
    if (f->nothing) {
        for (int c = 0; c < d->p.p; c++) f->none[c] = 0.0;
        yk_wave_clear(dy, f->t);
        return yk_wave_append_constant(dy, f->t1, f->none, err);
    }
    f->idle = false;
    YK_TRY(extend_change(d, du, err));
    YK_TRY(yk_tape_answer(d, f->du, whole, f->dy, err));
    return yk_wave_restrict(dy, f->dy, f->t, f->t1, err);
}

yoke_status yk_front_apply(yk_driver *d, yk_wave *y, yk_tape_result *result,
                           yoke_err *err)
{
    yk_front *f = front_of(d);
    yk_wave *const used = f->spare;

    *result =
        (yk_tape_result){ .steps = d->tape.steps,
                          .first = d->tape.step[0].end - d->tape.step[0].t };
    if (f->nothing) return show(d, y, err);
    YK_TRY(add(f, d->p.m, used, f->u, 1.0, f->du, d->kept.t, f->head, err));
    f->spare = f->u;
    f->u = used;
    YK_TRY(yk_tape_apply(d, f->u, f->y, result, err));
    if (f->crosses && !serves(d, result)) {
        f->spoilt = true;
        result->between = fmax(result->between, INFINITY);
    }
    return show(d, y, err);
}

/* The steps for the inputs u of the window, if they are to be had by a correction.
 */
static yoke_status follow(yk_driver *d, const yk_wave *u, yk_wave *y,
                          bool *good, yoke_err *err)
{
    yk_front *f = front_of(d);
    yk_tape_result result = { 0 };

    *good = false;
    if (!yk_tape_is_ready(d)) return YOKE_OK;
    YK_TRY(add(f, d->p.m, f->part, u, -1.0, f->u, f->t, f->t1, err));
    if (!d->tape.renewed && !(d->p.affine && d->tape.known))
        YK_TRY(yk_tape_renew(d, f->u, YK_RENEW_SLOPES, err));
    YK_TRY(yk_front_answer(d, f->part, true, y, err));
    YK_TRY(yk_front_apply(d, y, &result, err));
    d->moved = result.size;
    *good = !f->spoilt && result.left <= YK_STEP_KAPPA;
    return YOKE_OK;
}

/* ---- Sweeps -------------------------------------------------------------- */

/* The steps are given up: the next ones begin where these did. */
static yoke_status give_up(yk_driver *d, yoke_err *err)
{
    yk_front *f = front_of(d);

    if (!f->crosses) return YOKE_OK;
    f->crosses = f->spoilt = false;
    f->reach = f->t - d->kept.t;
    f->pause = f->pause ? 2 * f->pause : 1;
    if (f->pause > YK_STEP_FRONT_PAUSE) f->pause = YK_STEP_FRONT_PAUSE;
    f->wait = f->pause;
    if (!(f->t > d->kept.t)) return YOKE_OK;
    return yk_wave_restrict(f->past, f->u, d->kept.t, f->t, err);
}

static bool able(const yk_driver *d)
{
    return d->method == &yk_radau5 && yk_tape_is_on(d) && d->p.m > 0 &&
           d->events.count == 0 && !d->kept.memory && !d->finishes &&
           d->tape.lenient_next <= 1.0 && d->loose_next == 1.0;
}

/* The nearest number with few digits: times that others find in another way are
 * the same. */
static double round_time(double t, double length)
{
    const double unit = ldexp(1.0, ilogb(length) - 20);

    return unit * round(t / unit);
}

/* Where the step that the unit would like to take ends: on the grid of windows
 * like this one.  Not behind t1: it does not cross it. */
static double find_head(yk_driver *d)
{
    const yk_front *f = &d->front;
    const double length = f->t1 - f->t;
    const double reach = fmax(f->reach, YK_STEP_FRONT_LEAST * length);
    const double most = d->kept.t + fmin(d->kept.control.h, reach) - f->t;
    const double limit =
        fmin(f->limit, yk_system_next_break(d->p.system, f->t));
    const double windows = floor(most / length * (1.0 + 1e-9));

    if (!able(d) || f->wait > 0 || windows < YK_STEP_FRONT_LEAST ||
        limit - f->t < YK_STEP_FRONT_LEAST * (1.0 - 1e-9) * length)
        return f->t1;
    return fmin(round_time(f->t + windows * length, length), limit);
}

/* f->u goes on to `head`, through points of what the inputs were. */
static yoke_status predict(yk_driver *d, const yk_wave *u, double head,
                           yoke_err *err)
{
    yk_front *f = front_of(d);
    const double ahead = head - f->t1;

    YK_TRY(yk_wave_copy(f->spare, f->before, err));
    if (yk_wave_pieces(f->spare) == 0) yk_wave_clear(f->spare, f->t);
    YK_TRY(yk_wave_append_all(f->spare, u, err));
    const double known = f->t1 - yk_wave_begin(f->spare);
    const double span = fmin(known, YK_STEP_FRONT_SPAN * ahead);
    const int order = (int)fmin(3.0, floor(span / ahead + 0.5));
    YK_TRY(yk_wave_extrapolate(f->part, f->spare, head, order, span, err));
    return yk_wave_append_all(f->u, f->part, err);
}

/* f->u: the inputs from the point kept to t1. */
static yoke_status join(yk_driver *d, const yk_wave *u, yoke_err *err)
{
    yk_front *f = front_of(d);

    yk_wave_clear(f->u, d->kept.t);
    if (f->t > d->kept.t) YK_TRY(yk_wave_append_all(f->u, f->past, err));
    return yk_wave_append_all(f->u, u, err);
}

/* Tries to cross the end of the window. */
static yoke_status launch(yk_driver *d, const yk_wave *u, double head,
                          yk_wave *y, yoke_err *err)
{
    yk_front *f = front_of(d);
    yoke_err why = { YOKE_OK, "" };

    YK_TRY(join(d, u, err));
    YK_TRY(predict(d, u, head, err));
    f->head = head;
    const yoke_status status = yk_driver_sweep(d, head, f->u, f->y, &why);
    if (status < 0) {
        if (err) *err = why;
        return status;
    }
    f->crosses = f->longer = true;
    f->spoilt = false;
    if (status == YOKE_OK && d->instants == 0 && yk_tape_is_ready(d))
        return show(d, y, err);
    return give_up(d, err);
}

/* Ends with the window, but may have begun before it. */
static yoke_status go(yk_driver *d, const yk_wave *u, yk_wave *y, yoke_err *err)
{
    yk_front *f = front_of(d);

    f->head = f->t1;
    f->longer = f->t > d->kept.t;
    if (!f->longer) return yk_driver_sweep(d, f->t1, u, y, err);
    YK_TRY(join(d, u, err));
    YK_TRY(yk_driver_sweep(d, f->t1, f->u, f->y, err));
    return show(d, y, err);
}

yoke_status yk_front_sweep(yk_driver *d, double t1, const yk_wave *u,
                           yk_wave *y, yoke_err *err)
{
    yk_front *f = front_of(d);

    f->t1 = t1;
    f->idle = f->crosses;
    if (f->crosses && (f->spoilt || t1 > f->head || !able(d)))
        YK_TRY(give_up(d, err));
    if (f->crosses) {
        bool good = false;
        yoke_err why = { YOKE_OK, "" };
        const yoke_status status = follow(d, u, y, &good, &why);
        if (status < 0 && err) *err = why;
        if (status < 0 || (status == YOKE_OK && good)) return status;
        YK_TRY(give_up(d, err));
    }
    const double head = find_head(d);
    if (head > t1) YK_TRY(launch(d, u, head, y, err));
    return f->crosses ? YOKE_OK : go(d, u, y, err);
}

/* ---- Acceptance ---------------------------------------------------------- */

/* The inputs of the window, for predictions; they are kept where they are of use,
 * and are as old as such a one goes back. */
static yoke_status remember(yk_driver *d, yoke_err *err)
{
    yk_front *f = front_of(d);
    const double step = f->crosses ? d->control.h : d->kept.control.h;
    const double from = f->t1 - (YK_STEP_FRONT_SPAN + 1.0) * step;
    const double begin = yk_wave_begin(f->before);

    if (d->instants > 0 || step < f->t1 - f->t) yk_wave_clear(f->before, f->t);
    if (step < f->t1 - f->t) {
        yk_wave_clear(f->before, f->t1);
        return YOKE_OK;
    }
    YK_TRY(yk_wave_restrict(f->part, d->inputs, f->t, f->t1, err));
    if (yk_wave_pieces(f->before) > 0 && from > begin && from < f->t) {
        YK_TRY(yk_wave_restrict(f->spare, f->before, from, f->t, err));
        yk_wave *const old = f->before;
        f->before = f->spare;
        f->spare = old;
    }
    return yk_wave_append_all(f->before, f->part, err);
}

yoke_status yk_front_accept(yk_driver *d, bool *landed, yoke_err *err)
{
    yk_front *f = front_of(d);

    if (d->p.m > 0 && able(d)) YK_TRY(remember(d, err));
    if (f->wait > 0) f->wait--;
    *landed = !f->crosses || !(f->head > f->t1);
    if (*landed && f->crosses) {
        f->pause = f->wait = 0;
        f->reach = fmax(f->reach, YK_STEP_FRONT_GROW * (f->head - d->kept.t));
    }
    if (*landed) f->crosses = false;
    f->t = f->t1;
    keep(f);
    if (*landed) return YOKE_OK;
    value_at(d, f->t, f->x);
    yk_wave_eval(f->y, f->t, NULL, f->y_at);
    return YOKE_OK;
}

yoke_status yk_front_forget(yk_driver *d, yoke_err *err)
{
    yk_front *f = front_of(d);
    const bool crosses = f->crosses;

    f->crosses = f->spoilt = false;
    f->reach = f->kept.reach;
    f->wait = f->kept.wait;
    f->pause = f->kept.pause;
    if (!crosses || !(f->t > d->kept.t)) return YOKE_OK;
    return yk_wave_restrict(f->past, f->u, d->kept.t, f->t, err);
}

/* ---- What the iteration asks --------------------------------------------- */

/* The point kept comes to the accepted time, with the inputs up to there. */
static yoke_status land(yk_driver *d, yoke_err *err)
{
    yk_front *f = front_of(d);

    YK_TRY(give_up(d, err));
    if (!(f->t > d->kept.t)) return YOKE_OK;
    f->head = f->t1 = f->t;
    f->longer = false;
    yoke_err why = { YOKE_OK, "" };
    const yoke_status status = yk_driver_sweep(d, f->t, f->past, f->y, &why);
    if (status < 0 && err) *err = why;
    if (status != YOKE_OK) return status < 0 ? status : YOKE_OK;
    yk_driver_accept(d);
    return YOKE_OK;
}

static yoke_status front_permit(void *self, double limit, yoke_err *err)
{
    yk_driver *d = self;
    yk_front *f = front_of(d);

    f->limit = limit;
    if (limit > f->t && !f->on && able(d)) YK_TRY(make(d, err));
    return limit > f->t ? YOKE_OK : land(d, err);
}

static double front_head(void *self)
{
    const yk_front *f = &((const yk_driver *)self)->front;

    return f->crosses && !f->spoilt ? f->head : INFINITY;
}

static double front_price(void *self)
{
    const yk_driver *d = self;

    if (!d->front.on || d->front.wait > 0 || !able(d)) return INFINITY;
    return d->front.idle ? 0.0 : YK_STEP_FRONT_WINDOW;
}

const yk_front_ops yk_drive_front = {
    .permit = front_permit,
    .head = front_head,
    .price = front_price,
};
