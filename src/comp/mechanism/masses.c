/* comp/mechanism/masses.c -- point masses on a line, springs, dampers, bars.
 *
 *     m_i x_i'' = sum of spring forces + force_i(t) + u_i,   sum w_i x_i = d(t)
 */
#include "base/arena.h"
#include "comp/mechanism/mechanism.h"

#include "comp/mechanism/masses.h"

#include <math.h>
#include <string.h>

typedef struct masses {
    int masses, springs, bars, drives, inputs;
    double *mass;
    int *input; /* of each mass: its input, or -1 */
    yk_masses_spring *spring;
    double *weight; /* bars by masses */
    int *drive;     /* of each bar */
    double *led;    /* d, d', d'' of each drive */
    double *force;
    void (*act)(void *context, double t, double *force);
    void (*lead)(void *context, double t, double *drive);
    void *act_context, *lead_context;
    double (*next_break)(void *context, double t);
} masses;

static void masses_free(void *self)
{
    masses *s = self;

    if (!s) return;
    YK_FREE(s->mass, s->input, s->spring, s->weight, s->drive, s->led, s->force,
            s);
}

static yoke_status mass(void *self, const double *q, double *M, yoke_err *err)
{
    const masses *s = self;

    (void)q, (void)err;
    for (int i = 0; i < s->masses; i++) M[i * s->masses + i] = s->mass[i];
    return YOKE_OK;
}

static double of(const double *z, int i)
{
    return i < 0 ? 0.0 : z[i];
}

static yoke_status force(void *self, double t, const double *q, const double *v,
                         const double *u, double *phi, yoke_err *err)
{
    const masses *s = self;

    (void)err;
    if (s->act) {
        memset(s->force, 0, (size_t)s->masses * sizeof *s->force);
        s->act(s->act_context, t, s->force);
    }
    for (int i = 0; i < s->masses; i++)
        phi[i] = s->force[i] + (s->input[i] >= 0 ? u[s->input[i]] : 0.0);
    for (int k = 0; k < s->springs; k++) {
        const yk_masses_spring *c = &s->spring[k];
        const double pull =
            c->stiffness * (of(q, c->to) - of(q, c->from) - c->rest) +
            c->damping * (of(v, c->to) - of(v, c->from));
        if (c->to >= 0) phi[c->to] -= pull;
        if (c->from >= 0) phi[c->from] += pull;
    }
    return YOKE_OK;
}

static yoke_status constrain(void *self, double t, const double *q,
                             const double *v, const yoke_motion *gamma,
                             yoke_err *err)
{
    const masses *s = self;
    const int n = s->masses;

    (void)v, (void)err;
    if (s->lead) s->lead(s->lead_context, t, s->led);
    for (int k = 0; k < s->bars; k++) {
        const double *const w = s->weight + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) {
            gamma->G[k * n + i] = w[i];
            gamma->value[k] += w[i] * q[i];
        }
        if (s->drive[k] < 0) continue;
        const double *const d = s->led + 3 * s->drive[k];
        gamma->value[k] -= d[0];
        gamma->rate[k] -= d[1];
        gamma->bend[k] -= d[2];
    }
    return YOKE_OK;
}

/* ---- what the user gives ------------------------------------------------- */

static yoke_status check_spring(const yk_masses *g, int k, yoke_err *err)
{
    const yk_masses_spring *c = &g->spring[k];

    if (c->from < -1 || c->from >= g->masses || c->to < -1 ||
        c->to >= g->masses || c->from == c->to)
        return yk_fail(err, YOKE_E_ARG,
                       "spring %d joins two of the %d masses or the ground "
                       "(-1), not %d and %d",
                       k + 1, g->masses, c->from, c->to);
    if (!isfinite(c->stiffness) || c->stiffness < 0.0 ||
        !isfinite(c->damping) || c->damping < 0.0 || !isfinite(c->rest))
        return yk_fail(err, YOKE_E_ARG,
                       "spring %d: stiffness %g N/m and damping %g N s/m must "
                       "not be negative, the length %g m finite",
                       k + 1, c->stiffness, c->damping, c->rest);
    return YOKE_OK;
}

static yoke_status copy(masses *s, const yk_masses *g, yoke_err *err)
{
    const size_t n = (size_t)g->masses;

    s->masses = g->masses;
    s->springs = g->springs;
    s->bars = g->bars;
    s->act = g->act;
    s->lead = g->lead;
    s->act_context = g->act_context;
    s->lead_context = g->lead_context;
    s->next_break = g->next_break;
    YK_TRY(YK_DOUBLES(n, err, &s->mass, &s->force));
    YK_TRY(yk_ints(&s->input, n, err));
    YK_TRY(YK_NEW(&s->spring, g->springs, err));
    YK_TRY(yk_doubles(&s->weight, (size_t)g->bars * n, err));
    YK_TRY(yk_ints(&s->drive, (size_t)g->bars, err));
    for (int i = 0; i < g->masses; i++) {
        s->mass[i] = g->mass[i].mass;
        s->input[i] = g->mass[i].input ? s->inputs++ : -1;
    }
    for (int k = 0; k < g->springs; k++) {
        YK_TRY(check_spring(g, k, err));
        s->spring[k] = g->spring[k];
    }
    for (int k = 0; k < g->bars; k++) {
        memcpy(s->weight + (size_t)k * n, g->bar[k].weight,
               n * sizeof *s->weight);
        s->drive[k] = g->lead ? g->bar[k].drive : -1;
        if (s->drive[k] >= s->drives) s->drives = s->drive[k] + 1;
    }
    return yk_doubles(&s->led, 3 * (size_t)s->drives, err);
}

/* ---- the mechanism ------------------------------------------------------- */

typedef struct lists {
    const char **q, **u, **bar, **unit;
    yk_labels text;
    double *q0, *v0;
} lists;

static void lists_clear(lists *l)
{
    YK_FREE(l->q, l->u, l->bar, l->unit, l->q0, l->v0);
    yk_arena_clear(&l->text.arena);
}

static yoke_status make_lists(lists *l, const yk_masses *g, yoke_err *err)
{
    int inputs = 0;

    YK_TRY(YK_NEW(&l->q, g->masses, err));
    YK_TRY(YK_NEW(&l->u, g->masses, err));
    YK_TRY(YK_NEW(&l->bar, g->bars, err));
    YK_TRY(YK_NEW(&l->unit, g->masses + g->bars, err));
    for (int k = 0; k < g->masses + g->bars; k++) l->unit[k] = "m";
    YK_TRY(YK_DOUBLES((size_t)g->masses, err, &l->q0, &l->v0));
    for (int i = 0; i < g->masses; i++) {
        const yk_masses_mass *m = &g->mass[i];
        l->q[i] = m->name;
        l->q0[i] = m->x0;
        l->v0[i] = m->v0;
        if (m->input) l->u[inputs++] = yk_label(&l->text, "%s.force", m->name);
    }
    for (int k = 0; k < g->bars; k++) l->bar[k] = g->bar[k].name;
    return l->text.status;
}

static double next_break(void *self, double t)
{
    const masses *s = self;
    double next = INFINITY;

    if (s->next_break && s->act) next = s->next_break(s->act_context, t);
    if (s->next_break && s->lead)
        next = fmin(next, s->next_break(s->lead_context, t));
    return next;
}

static const yoke_mechanism_ops masses_ops = {
    .mass = mass,
    .force = force,
    .constrain = constrain,
    .free = masses_free,
    .next_break = next_break,
};

yoke_status yk_masses_create(yoke_system **out, const char *name,
                             const yk_masses *given, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    masses *s = NULL;
    lists l = { .text = { .err = err } };

    YK_GO(YK_NEW(&s, 1, err));
    YK_GO(copy(s, given, err));
    YK_GO(make_lists(&l, given, err));
    const yoke_mechanism mechanism = {
        .n = s->masses,
        .m = s->inputs,
        .constraints = s->bars,
        .affine = true,
        .formulation = given->formulation,
        .eta = given->eta,
        .start = given->start,
        .assemble = given->assemble,
        .q0 = l.q0,
        .v0 = l.v0,
        .q_name = l.q,
        .u_name = l.u,
        .constraint_name = l.bar,
        .q_unit = l.unit,
        .constraint_unit = l.unit,
        .straight = given->straight || (!given->act && !given->lead),
    };
    masses *const taken = s;
    s = NULL;
    YK_GO(
        yoke_mechanism_create(out, name, &masses_ops, taken, &mechanism, err));
done:
    if (s) yk_prefix(err, "subsystem \"%s\"", name ? name : "unnamed");
    masses_free(s);
    lists_clear(&l);
    return status;
}
