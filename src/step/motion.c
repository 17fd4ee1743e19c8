/* step/motion.c -- how the outputs of a driven system move at an instant of its
 * last sweep, for constraints. */
#include "step/drive.h"

#include "base/vector.h"
#include "sys/call.h"
#include "sys/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

static yoke_status need(yk_driver *d, yoke_err *err)
{
    if (d->motion) return YOKE_OK;
    if (!d->trace)
        return yk_fail(err, YOKE_E_MODEL,
                       "\"%s\": the stepper %s does not keep its unknowns "
                       "between steps, which a constraint that stays apart "
                       "needs; use radau5",
                       d->p.name, d->method->name);
    YK_TRY(YK_DOUBLES((size_t)d->p.n + 1, err, &d->x_motion, &d->x_kicked));
    YK_TRY(yk_doubles(&d->u_motion, (size_t)d->p.m + 1, err));
    return yk_motion_create(&d->motion, d->p.system, err);
}

static yoke_status motion_want(void *self, int output, yoke_err *err)
{
    yk_driver *d = self;

    YK_TRY(need(d, err));
    yk_motion_want(d->motion, output);
    return YOKE_OK;
}

/* Work of the motion is work of the subsystem. */
static void count_work(yk_driver *d)
{
    long residuals = 0, jacobians = 0, factorizations = 0;

    yk_motion_work(d->motion, &residuals, &jacobians, &factorizations);
    d->p.work.residuals += residuals - d->motion_work[0];
    d->p.work.jacobians += jacobians - d->motion_work[1];
    d->p.work.factorizations += factorizations - d->motion_work[2];
    d->motion_work[0] = residuals;
    d->motion_work[1] = jacobians;
    d->motion_work[2] = factorizations;
}

/* Explicit functions of time are differentiated with steps that do not get
 * shorter with the window: part of the length of the run. */
static const double least_scale = 1e-3;

/* The square of a move, in parts of rtol, that may be left out. */
static const double linear = 1e-4;

/* The stage at this time of the last sweep: its unknowns, and the equations
 * there.  The last step ends where the sweep does. */
static bool find_stage(const yk_driver *d, double t, yk_motion_point *point)
{
    const yk_tape *tape = &d->tape;
    int k = 0, last = tape->steps - 1;

    if (!tape->on || tape->broken || tape->steps == 0) return false;
    if (t >= d->p.t && tape->kicked) {
        point->x = d->x_kicked;
        point->q = d->p.q;
        point->f = d->p.f;
        return true;
    }
    while (k < last) { /* the first step that does not end before t */
        const int middle = (k + last) / 2;
        if (tape->step[middle].end >= t)
            last = middle;
        else
            k = middle + 1;
    }
    for (int i = 0; i < tape->method->stages; i++) {
        const yk_tape_step *s = &tape->step[k];
        if (fabs(yk_tape_time(tape, s, i) - t) > 1e-10 * s->h) continue;
        point->x = s->x[i];
        point->q = s->q[i];
        point->f = s->f[i];
        return true;
    }
    return false;
}

/* The same where the sweep begins: the equations go on from the window before,
 * at the end that a constraint has moved, with the inputs of that; unless
 * something has happened. */
static bool find_begin(const yk_driver *d, double t, yk_motion_point *point)
{
    const yk_tape *tape = &d->tape;

    if (!tape->on || tape->broken || tape->steps == 0 || !d->kept.f_known ||
        t != tape->step[0].t)
        return false;
    point->x = tape->step[0].x0;
    point->q = tape->step[0].q0;
    point->f = tape->step[0].f0;
    if (d->instants == 0 || d->instant[0] > t) point->u_of = d->kept.u;
    return true;
}

/* ---- between events ------------------------------------------------------- */

/* Room for one memory: any of them may be that of a structure. */
static size_t stride_of(const yk_driver *d)
{
    return (d->p.facts->memory_bytes + 15) / 16 * 16;
}

yoke_status yk_motion_remember(yk_driver *d, yoke_err *err)
{
    yk_step_memories *s = &d->memories;
    const size_t count = (size_t)s->count + 1, stride = stride_of(d);

    if (!d->motion || stride == 0) return YOKE_OK;
    YK_TRY(YK_GROW(&s->begin, &s->begin_room, count, err));
    YK_TRY(yk_grow((void **)&s->bytes, &s->bytes_room, count, stride, err));
    yk_system_save(d->p.system, s->bytes + (size_t)s->count * stride);
    s->begin[s->count++] = d->p.t;
    return YOKE_OK;
}

/* The system becomes what it was at an instant of the last sweep, which lies
 * behind number `k` of its own; -1: before them all. */
static int go_back(yk_driver *d, const yk_instant_of *at)
{
    const double middle = 0.5 * (at->from + at->to);
    const yk_step_memories *s = &d->memories;
    int k = s->count - 1;

    if (!d->memory_end) return -1;
    while (at->t < d->p.t && k >= 0 && s->begin[k] > middle) k--;
    yk_system_restore(d->p.system, at->t >= d->p.t ? d->memory_end
                                   : k < 0
                                       ? d->kept.memory
                                       : s->bytes + (size_t)k * stride_of(d));
    if (s->count > 0) yk_motion_anew(d->motion);
    return k;
}

/* The system as it is at the end of the sweep. */
static void go_on(yk_driver *d)
{
    if (d->memory_end) yk_system_restore(d->p.system, d->memory_end);
}

/* The unknowns of the last sweep at the instant, behind number k of its own:
 * instants of others that agree with it to rounding may be before it. */
static yoke_status find_unknowns(yk_driver *d, const yk_instant_of *at, int k,
                                 yoke_err *err)
{
    const yk_problem *p = &d->p;
    const yk_step_memories *s = &d->memories;
    const double from = k >= 0 ? fmax(s->begin[k], at->from) : at->from;
    const double to = k + 1 < s->count ? s->begin[k + 1] : at->to;
    const double t = fmin(fmax(at->t, from), to);

    if (at->t >= p->t)
        yk_copy(d->x_motion, p->x, p->n);
    else if (yk_wave_pieces(d->trace) > 0 && yk_wave_end(d->trace) >= t) {
        if (t == from)
            yk_wave_eval_right(d->trace, t, NULL, d->x_motion);
        else
            yk_wave_eval(d->trace, t, NULL, d->x_motion);
    } else
        return yk_fail(err, YOKE_RETRY,
                       "\"%s\" does not know its unknowns at t = %.9g any "
                       "more; shorter windows help",
                       p->name, at->t);
    return YOKE_OK;
}

/* Goes to the instant, with the unknowns and inputs of the last sweep there. */
static yoke_status go_to(yk_driver *d, const yk_instant_of *at, yoke_err *err)
{
    const yk_problem *p = &d->p;
    const double tiny =
        8.0 * DBL_EPSILON * fmax(fabs(at->t), at->to - at->from);
    yk_motion_point point = { .t = at->t,
                              .from = at->from + tiny,
                              .to = at->to - tiny,
                              .scale = fmax(at->scale,
                                            least_scale * p->options.span),
                              .careful = at->careful,
                              .x = d->x_motion,
                              .u = d->u_motion };

    const int memory = go_back(d, at);
    point.t = fmin(fmax(at->t, point.from), point.to);
    if (!(at->t == at->from ? find_begin : find_stage)(d, at->t, &point))
        YK_TRY(find_unknowns(d, at, memory, err));
    if (at->anew) point.q = point.f = NULL;
    if (p->m == 0) {
    } else if (at->t == at->from)
        yk_wave_eval_right(d->inputs, at->t, NULL, d->u_motion);
    else
        yk_wave_eval(d->inputs, at->t, NULL, d->u_motion);
    return yk_motion_at(d->motion, &point, err);
}

static yoke_status motion_tell(void *self, const yk_instant_of *at, int level,
                               int count, const int *input, double *y,
                               double *a, yoke_err *err)
{
    yk_driver *d = self;

    YK_TRY(need(d, err));
    yoke_status status = go_to(d, at, err);
    if (status == YOKE_OK && y)
        status = yk_motion_rates(d->motion, level, y, err);
    if (status == YOKE_OK && a)
        status = yk_motion_mobility(d->motion, level, count, input, a, err);
    go_on(d);
    count_work(d);
    return status;
}

/* Moves whose square is nothing: the equations follow the Jacobian. */
static bool is_near(const yk_problem *p, const double *x, const double *dx)
{
    const double part = sqrt(linear * p->options.rtol);

    for (int i = 0; i < p->n && !p->affine; i++)
        if (fabs(dx[i]) > part * (fabs(x[i]) + p->facts->nominal[i]))
            return false;
    return true;
}

/* What has been moved was at x and q before; the trial point is free. */
static void shift(yk_driver *d, double *x, double *q)
{
    const yk_problem *p = &d->p;

    for (int i = 0; i < p->n; i++) {
        x[i] = p->x[i] - x[i];
        q[i] = p->q[i] - q[i];
    }
    d->method->shift(d->self, x, q);
}

static yoke_status kick(yk_driver *d, int level, int count, const int *input,
                        const double *mu, yoke_err *err)
{
    yk_problem *p = &d->p;
    const double length = p->t - d->kept.t;
    const yk_instant_of end = { p->t, d->kept.t, p->t, length, false, false };

    YK_TRY(go_to(d, &end, err));
    memset(d->x_motion, 0, (size_t)p->n * sizeof *d->x_motion);
    YK_TRY(
        yk_motion_kick(d->motion, level, count, input, mu, d->x_motion, err));
    const double *const x = yk_motion_x(d->motion);
    const bool near = is_near(p, x, d->x_motion);
    d->tape.kicked = true;
    yk_copy(p->x_new, p->x, p->n);
    yk_copy(p->q_new, p->q, p->n);
    if (near) yk_motion_moved(d->motion, d->x_motion, p->q, p->f);
    /* Unknowns without charge stay what the step has found: a move of a tolerance
     * is many of theirs at a stiff port, and dies out at once. */
    const yoke_pattern *c = p->facts->C;
    for (int i = 0; i < p->n; i++) {
        d->x_kicked[i] = x[i] + d->x_motion[i];
        if (c->start[i] < c->start[i + 1] || !near) p->x[i] = d->x_kicked[i];
    }
    if (!near) YK_TRY(yk_eval(p, p->t, p->x, p->q, p->f, err));
    if (d->method->shift) shift(d, p->x_new, p->q_new);
    return YOKE_OK;
}

static yoke_status motion_kick(void *self, int level, int count,
                               const int *input, const double *mu,
                               yoke_err *err)
{
    yk_driver *d = self;

    YK_TRY(need(d, err));
    const yoke_status status = kick(d, level, count, input, mu, err);
    count_work(d);
    return status;
}

static yoke_status motion_shake(void *self, int level, int i, double *y,
                                yoke_err *err)
{
    yk_driver *d = self;
    const yk_problem *p = &d->p;
    const yk_instant_of end = { p->t,  d->kept.t, p->t, p->t - d->kept.t,
                                false, false };
    yoke_status status = YOKE_OK;

    YK_TRY(need(d, err));
    if (i == 0) status = go_to(d, &end, err);
    memset(d->x_motion, 0, (size_t)p->n * sizeof *d->x_motion);
    d->x_motion[i] = yk_tolerance(p->atol[i], p->options.rtol, p->x[i]);
    if (status == YOKE_OK)
        status = yk_motion_shake(d->motion, level, d->x_motion, y, err);
    count_work(d);
    return status;
}

static int motion_unknowns(void *self)
{
    return ((yk_driver *)self)->p.n;
}

/* Not below what rounding leaves. */
static void motion_tighten(void *self, const double *factor)
{
    yk_problem *p = &((yk_driver *)self)->p;
    const double least = fmin(1.0, 100.0 * DBL_EPSILON / p->options.rtol);

    for (int i = 0; i < p->n; i++) p->tight[i] = fmax(factor[i], least);
}

static yoke_status motion_slope(void *self, int level, int i, double *y,
                                yoke_err *err)
{
    yk_driver *d = self;

    const yoke_status status = yk_motion_slope(d->motion, level, i, y, err);
    count_work(d);
    return status;
}

static int motion_steps(void *self)
{
    const yk_tape *tape = &((yk_driver *)self)->tape;

    return tape->on && !tape->broken ? tape->steps : 0;
}

static double motion_step_end(void *self, int k)
{
    return ((yk_driver *)self)->tape.step[k].end;
}

static int motion_stages(void *self, const double **place)
{
    const yk_tape *tape = &((yk_driver *)self)->tape;

    *place = tape->on ? tape->method->theta : NULL;
    return tape->on ? tape->method->stages : 0;
}

static bool motion_affine(void *self)
{
    return ((const yk_driver *)self)->p.affine;
}

const yk_motion_ops yk_drive_motion = {
    .want = motion_want,
    .tell = motion_tell,
    .kick = motion_kick,
    .shake = motion_shake,
    .unknowns = motion_unknowns,
    .slope = motion_slope,
    .steps = motion_steps,
    .step_end = motion_step_end,
    .stages = motion_stages,
    .affine = motion_affine,
    .tighten = motion_tighten,
};
