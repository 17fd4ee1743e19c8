/* iter/constraint/unit.c -- constraints as a unit: the waveform of their
 * multipliers.
 *
 * Repeated sweeps of a window keep its pieces, so that iterates differ by what
 * the iteration changes alone.
 */
#include "iter/constraint/unit.h"
#include "iter/policy.h"

#include "base/tolerance.h"

#include <math.h>
#include <string.h>

enum { DEGREE = YK_MULTIPLIER_DEGREE, POINTS = YK_MULTIPLIER_POINTS };

typedef yk_multipliers unit;

static void unit_free(void *self)
{
    unit *c = self;

    if (!c) return;
    yk_bends_clear(c);
    yk_constraint_node_clear(&c->node);
    yk_constraint_common_clear(&c->of);
    YK_FREE(c->value, c->read, c->change, c->pending, c->poly, c->change_poly,
            c->last, c->tail, c->most, c->lambda, c->u, c->knot, c->piece,
            c->reached, c->ever, c->dx, c->du);
    yk_free(c);
}

/* The units as accurate as the multipliers need them. */
static yoke_status tighten(unit *c, yoke_err *err)
{
    for (int i = 0; i < c->n; i++) {
        c->ever[i] = fmax(c->ever[i], c->most[i]);
        c->tail[i] = yk_tolerance(c->atol, c->rtol, c->ever[i]);
    }
    c->tight = true;
    return yk_constraint_node_tighten(&c->node, c->t, c->t1, c->tail, err);
}

/* Is what has changed only noise?  It is as small as rounding makes second
 * derivatives, and does not fall any more.  Then the multipliers stay as they
 * were read. */
static bool settled(unit *c, const double *size)
{
    const int count = c->pieces * POINTS;
    const double stall = YK_ITER_CONSTRAINT_STALL;
    double most = 0.0;

    for (int k = 0; k < count; k++)
        for (int i = 0; i < c->n; i++) {
            const int at = k * c->n + i;
            if (c->value[at] != c->read[at])
                most = fmax(most, fabs(c->value[at] - c->read[at]) /
                                      fmax(c->most[i],
                                           YK_ITER_CONSTRAINT_LOST * size[i]));
        }
    const bool stalls =
        most > stall * c->moved[0] && c->moved[0] > stall * c->moved[1];
    c->moved[1] = c->moved[0];
    c->moved[0] = most;
    if (++c->sweeps < 2) return false;
    return most <= YK_ITER_CONSTRAINT_ROUNDING ||
           (c->sweeps > 3 && most <= YK_ITER_CONSTRAINT_NOISE && stalls);
}

/* The multipliers stay as the units have read them. */
static void keep_read(unit *c)
{
    for (int k = 0; k < c->pieces; k++) {
        const size_t at = (size_t)(k * POINTS * c->n);
        memcpy(c->value + at, c->read + at,
               (size_t)(POINTS * c->n) * sizeof *c->value);
        yk_multipliers_shape(c, k, c->value, c->last, c->poly);
    }
}

/* Did events of the units cut pieces of the last sweep?  They may be elsewhere
 * now. */
static bool events_inside(const unit *c)
{
    for (int k = 1; c->events && k < c->pieces; k++)
        if (c->piece[k].cut) return true;
    return false;
}

static yoke_status unit_sweep(void *self, double t1, const yk_wave *u,
                              yk_wave *y, yoke_err *err)
{
    unit *c = self;
    const bool again = c->swept && c->t1 == t1;

    if (!again) c->sweeps = 0;
    c->t1 = t1;
    /* Units that are solved again have other steps, and other events. */
    if (!again || events_inside(c) ||
        (c->along && c->sweeps < YK_ITER_STATES_SWEEPS))
        YK_TRY(yk_multipliers_divide(c, t1, err));
    c->swept = false;
    c->of.work.sweeps++;
    YK_TRY(yk_multipliers_sample(c, u, err));
    YK_TRY(yk_constraint_node_sizes(&c->node, c->lambda, err));
    memset(c->pending, 0,
           (size_t)(c->pieces * POINTS * c->n) * sizeof *c->pending);
    if (settled(c, c->lambda)) keep_read(c);
    YK_TRY(yk_multipliers_write(c, c->poly, y, err));
    c->swept = true;
    return c->tight ? YOKE_OK : tighten(c, err);
}

/* ---- the propagator ------------------------------------------------------ */

static yoke_status unit_start(void *self, double t0, const double *x0,
                              const double *u0, double *y0, yoke_err *err)
{
    unit *c = self;
    const double *x = x0 ? x0 : yoke_system_facts(c->of.cluster->system)->x0;

    (void)u0, (void)err;
    c->t = c->t1 = t0;
    c->swept = c->tight = false;
    c->length = c->last_length = 0.0;
    c->slopes = 0;
    c->linear = false;
    memset(c->ever, 0, (size_t)c->n * sizeof *c->ever);
    for (int i = 0; i < c->n; i++) c->of.end[i] = y0[i] = x[i];
    return YOKE_OK;
}

static yoke_status unit_settle(void *self, yoke_err *err)
{
    unit *c = self;
    yk_constraint_node *n = &c->node;

    YK_TRY(yk_multipliers_shocks(c, err));
    YK_TRY(yk_constraint_node_project(n, c->t, c->t1, c->rtol, c->atol, err));
    memcpy(c->reached, n->v, (size_t)(n->most * n->inputs) * sizeof *n->v);
    return tighten(c, err);
}

static yoke_status unit_accept(void *self, yoke_err *err)
{
    unit *c = self;

    (void)err;
    /* The last coefficient grows like the power DEGREE + 1 of the length. */
    c->length = (c->t1 - c->t) / c->pieces *
                fmin(pow(YK_ITER_CONSTRAINT_AIM / fmax(c->rest, 1e-300),
                         1.0 / (DEGREE + 1)),
                     YK_ITER_CONSTRAINT_GROW);
    yk_constraint_arrive(&c->of);
    yk_bends_accept(c);
    memcpy(c->last, c->poly + (size_t)((c->pieces - 1) * POINTS * c->n),
           (size_t)(POINTS * c->n) * sizeof *c->last);
    c->last_length = c->knot[c->pieces] - c->knot[c->pieces - 1];
    if (c->happened && !c->linear)
        c->slopes = 0; /* those of its end are not those of its beginning */
    if (c->slopes > 0) yk_constraint_node_carry(&c->node);
    c->t = c->t1;
    c->swept = false;
    return YOKE_OK;
}

/* It has no steps of its own: those of the unit with the longest. */
static double unit_step(void *self)
{
    const unit *c = self;
    double most = 0.0;

    for (int i = 0; i < c->node.parts; i++) {
        const yk_propagator *p = c->node.part[i].p;
        if (c->node.part[i].reads > 0 && p->ops->step)
            most = fmax(most, p->ops->step(p->self));
    }
    return most;
}

static const yk_handover_ops handover = {
    .give = yk_constraint_give,
    .take = unit_start,
    .join = unit_start,
};

static const yk_propagator_ops unit_ops = {
    .kind = "constraint",
    .start = unit_start,
    .sweep = unit_sweep,
    .settle = unit_settle,
    .accept = unit_accept,
    .watched = yk_constraint_watched,
    .next_break = yk_constraint_next_break,
    .moved = yk_constraint_moved,
    .step = unit_step,
    .handover = &handover,
    .tape = &yk_multipliers_tape,
    .work = yk_constraint_work,
    .free = unit_free,
};

static yoke_status build(void *self, const yk_constraint_setup *setup,
                         yoke_err *err)
{
    unit *c = self;
    const yoke_system_info *f = yoke_system_facts(setup->cluster->system);
    const size_t n = (size_t)f->n;

    c->rtol = setup->rtol;
    c->atol = setup->atol;
    c->n = f->n;
    YK_TRY(yk_constraint_node_create(&c->node, setup, err));
    YK_TRY(yk_doubles(&c->last, POINTS * n, err));
    YK_TRY(YK_DOUBLES(n, err, &c->tail, &c->lambda, &c->ever));
    YK_TRY(yk_doubles(&c->most, 2 * n, err));
    YK_TRY(
        yk_doubles(&c->reached, YK_CONSTRAINT_LEVELS * (size_t)f->m + 1, err));
    return yk_doubles(&c->u, (size_t)f->m + n, err);
}

yoke_status yk_constraint_unit_create(yk_propagator *out,
                                      const yk_constraint_setup *setup,
                                      yoke_err *err)
{
    return yk_constraint_make(out, &unit_ops, sizeof(unit), build, setup, err);
}

yoke_status yk_constraint_unit_bind(const yk_propagator *unit_of, int units,
                                    const yk_unit *all, int self, yoke_err *err)
{
    unit *c = unit_of->self;
    int unknowns = 0, inputs = 0;

    YK_TRY(yk_constraint_node_bind(&c->node, units, all, self, err));
    YK_TRY(yk_bends_bind(c, units, all, err));
    for (int i = 0; i < c->node.parts; i++) {
        const yk_constraint_part *part = &c->node.part[i];
        if (part->reads == 0) continue;
        const int n = part->p->ops->motion->unknowns(part->p->self);
        if (n > unknowns) unknowns = n;
        if (part->p->m > inputs) inputs = part->p->m;
        const yk_tape_ops *tape = part->p->ops->tape;
        c->events = c->events || (tape && tape->watchful(part->p->self));
    }
    YK_TRY(yk_doubles(&c->dx, (size_t)unknowns + 1, err));
    return yk_doubles(&c->du, (size_t)inputs + 1, err);
}
