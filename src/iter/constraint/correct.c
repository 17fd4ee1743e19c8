/* iter/constraint/correct.c -- multipliers in the linear problem of a window.
 *
 * lambda is a function of the unknowns x of the units that the constraint reads,
 * and of the signals u that these read.  When a march along their steps changes
 * them by dx and du, lambda changes by
 *
 *     d lambda = sum over units of W dx + V du,    W = -S^-1 d g^(r) / dx,
 *
 * W and V linear between both ends of the window.  What is left after a
 * correction is measured where the window ends: lambda of the unknowns there,
 * evaluated again, against the polynomial.
 */
#include "iter/constraint/unit.h"
#include "iter/policy.h"

#include "base/tolerance.h"

#include <math.h>

enum { DEGREE = YK_MULTIPLIER_DEGREE, POINTS = YK_MULTIPLIER_POINTS };

static void multipliers_keep(void *self, bool on)
{
    ((yk_multipliers *)self)->on = on;
}

static void multipliers_lenient(void *self, double most)
{
    (void)self, (void)most;
}

/* The pieces are along steps, and nothing happens between them. */
static bool multipliers_ready(void *self)
{
    const yk_multipliers *c = self;

    if (!c->on || !c->swept) return false;
    for (int k = 1; k < c->pieces; k++)
        if (c->piece[k].cut) return false;
    for (int i = 0; i < c->node.parts; i++) {
        const yk_constraint_part *part = &c->node.part[i];
        const yk_motion_ops *motion = part->p->ops->motion;
        if (part->reads == 0) continue;
        if (!motion->steps || motion->steps(part->p->self) == 0) return false;
    }
    return true;
}

static bool multipliers_affine(void *self)
{
    return ((const yk_multipliers *)self)->linear;
}

static bool never(void *self)
{
    (void)self;
    return false;
}

static bool always(void *self)
{
    (void)self;
    return true;
}

/* ---- the answer ---------------------------------------------------------- */

/* d lambda at t, added to out[n]. */
static void add_change(yk_multipliers *c, double t, double *out)
{
    const double part_of = (t - c->t) / (c->t1 - c->t);

    for (int i = 0; i < c->node.parts; i++) {
        const yk_constraint_part *part = &c->node.part[i];
        const yk_propagator *p = part->p;
        if (part->reads == 0 || !p->ops->tape || !p->ops->tape->change ||
            !p->ops->tape->change(p->self, t, c->dx, c->du))
            continue;
        yk_constraint_part_change(&c->node, part, part_of, c->dx, c->du, out);
    }
}

static yoke_status multipliers_answer(void *self, const yk_wave *du, bool whole,
                                      yk_wave *dy, yoke_err *err)
{
    yk_multipliers *c = self;

    (void)du;
    for (int k = 0; k < c->pieces; k++) {
        const size_t at = (size_t)(k * POINTS * c->n);
        const double t0 = c->knot[k], h = c->knot[k + 1] - t0;
        const yk_multiplier_piece *p = &c->piece[k];
        double *const change = c->change + at;
        for (int j = p->first; j < POINTS; j++) {
            for (int i = 0; i < c->n; i++)
                change[j * c->n + i] =
                    whole ? c->pending[(int)at + j * c->n + i] : 0.0;
            add_change(c, p->place[j] == 1.0 ? t0 + h : t0 + p->place[j] * h,
                       change + j * c->n);
        }
        yk_multipliers_shape(c, k, c->change, NULL, c->change_poly);
    }
    return yk_multipliers_append(c, c->change_poly, dy, err);
}

/* ---- applying it --------------------------------------------------------- */

yoke_status yk_multipliers_write(yk_multipliers *c, const double *poly,
                                 yk_wave *y, yoke_err *err)
{
    const double *last = poly + (size_t)((c->pieces - 1) * POINTS * c->n);

    YK_TRY(yk_multipliers_append(c, poly, y, err));
    for (int i = 0; i < c->n; i++) {
        c->of.end[c->n + i] = 0.0;
        for (int k = 0; k < POINTS; k++)
            c->of.end[c->n + i] += last[k * c->n + i];
    }
    return yk_constraint_watch(&c->of, y, c->t, c->t1, err);
}

/* How far the multipliers of the corrected unknowns are from those of the
 * polynomial, `value`, at time t, in tolerances. */
static yoke_status measure_at(yk_multipliers *c, const yk_wave *u, double t,
                              const double *value, double *left, yoke_err *err)
{
    const yk_instant_of at = {
        .t = t, .from = c->t, .to = c->t1, .scale = c->t1 - c->t, .anew = true
    };

    YK_TRY(yk_multipliers_at(c, u, &at, c->tail, c->most + c->n, err));
    YK_TRY(yk_constraint_node_sizes(&c->node, c->lambda, err));
    for (int i = 0; i < c->n; i++) {
        const double size = fmax(c->most[i], c->ever[i]);
        const double off = fabs(c->tail[i] - value[i]);
        const double noise = YK_ITER_CONSTRAINT_ROUNDING *
                             fmax(size, YK_ITER_CONSTRAINT_LOST * c->lambda[i]);
        if (off > noise)
            *left = fmax(*left, off / yk_tolerance(c->atol, c->rtol, size));
    }
    return YOKE_OK;
}

/* The same where the window ends, and in the middle of one with many steps: there
 * the slopes, which are linear in between, are not those of any point. */
static yoke_status measure(yk_multipliers *c, const yk_wave *u, double *left,
                           yoke_err *err)
{
    const int middle = (c->pieces - 1) / 2;

    *left = 0.0;
    if (c->linear) return YOKE_OK;
    if (c->grouped && c->pieces > 1)
        YK_TRY(measure_at(c, u, c->knot[middle + 1],
                          c->value + (middle * POINTS + DEGREE) * c->n, left,
                          err));
    return measure_at(c, u, c->t1, c->of.end + c->n, left, err);
}

static yoke_status multipliers_apply(void *self, const yk_wave *u, yk_wave *y,
                                     yk_tape_result *result, yoke_err *err)
{
    yk_multipliers *c = self;
    const int count = c->pieces * POINTS * c->n;

    (void)u;
    *result =
        (yk_tape_result){ .steps = 1, .first = c->t1 - c->t, .measured = true };
    for (int j = 0; j < count; j++) {
        c->value[j] += c->change[j];
        c->poly[j] += c->change_poly[j];
        c->pending[j] = 0.0;
        const double size = fabs(c->value[j]);
        if (size > c->most[j % c->n]) c->most[j % c->n] = size;
    }
    return yk_multipliers_write(c, c->poly, y, err);
}

static yoke_status multipliers_left(void *self, const yk_wave *u, double *left,
                                    yoke_err *err)
{
    return measure(self, u, left, err);
}

static yoke_status multipliers_renew(void *self, const yk_wave *u,
                                     yk_renewal what, yoke_err *err)
{
    yk_multipliers *c = self;

    if (what == YK_RENEW_EQUATIONS) YK_TRY(yk_multipliers_renew(c, u, err));
    if (c->linear && c->slopes > 0) return YOKE_OK;
    YK_TRY(yk_constraint_node_slopes(&c->node, c->t, c->t1, err));
    c->linear = yk_constraint_node_is_linear(&c->node);
    if (c->slopes == 0) yk_constraint_node_carry(&c->node);
    if (c->slopes == 0) c->slopes = 1;
    return YOKE_OK;
}

const yk_tape_ops yk_multipliers_tape = {
    .keep = multipliers_keep,
    .lenient = multipliers_lenient,
    .ready = multipliers_ready,
    .affine = multipliers_affine,
    .passes = never,
    .follows = always,
    .watchful = never,
    .fixed = never,
    .answer = multipliers_answer,
    .apply = multipliers_apply,
    .left = multipliers_left,
    .renew = multipliers_renew,
};
