/* iter/constraint/shock.c -- events that a constraint cannot follow.
 *
 * Where something happens forces may jump, and multipliers with them.  If g or
 * a derivative below g^(r) jumps, because an event sets the velocity of one unit
 * and not that of another, the multiplier is an impulse, which no waveform
 * holds: the states would be moved to the constraint, and the impulse be lost.
 */
#include "iter/constraint/unit.h"
#include "iter/policy.h"

#include "base/tolerance.h"

#include <math.h>
#include <string.h>

/* The name of the unit whose output jumps the most in row k of level l. */
static const char *find_culprit(const yk_constraint_node *n, int k, int l,
                                const double *jump)
{
    const char *name = "?";
    double most = -1.0;

    for (int i = 0; i < n->parts; i++)
        for (int r = 0; r < n->part[i].reads; r++) {
            const int to = n->part[i].read[r].to;
            const double size =
                fabs(n->D[k * n->inputs + to] * jump[l * n->inputs + to]);
            if (!(size > most)) continue;
            most = size;
            name = n->part[i].name;
        }
    return name;
}

/* What the constraint reads has jumped by jump[] at time t; n->v and n->D are
 * those after it. */
static yoke_status judge(const yk_multipliers *c, double t, const double *jump,
                         yoke_err *err)
{
    const yk_constraint_node *n = &c->node;

    for (int k = 0; k < n->rows; k++)
        for (int l = 0; l < n->degree[k]; l++) {
            double sum = 0.0, size = 0.0;
            for (int j = 0; j < n->inputs; j++) {
                const double d = n->D[k * n->inputs + j];
                sum += d * jump[l * n->inputs + j];
                size = fmax(size, fabs(d * n->v[l * n->inputs + j]));
                size = fmax(size, fabs(d * (n->v[l * n->inputs + j] -
                                            jump[l * n->inputs + j])));
            }
            if (fabs(sum) <=
                YK_ITER_CONSTRAINT_SHOCK * yk_tolerance(c->atol, c->rtol, size))
                continue;
            return yk_fail(
                err, YOKE_JOIN,
                "constraint \"%s\" at t = %.9g: an event of \"%s\" makes the "
                "%s of \"%s\" jump by %.3g. The multiplier "
                "would be an impulse, which subsystems that stay apart cannot "
                "exchange: solve them as one (cluster: auto), or let an event "
                "at "
                "a known time set all that the constraint holds together",
                n->cluster->name, t, find_culprit(n, k, l, jump),
                l == 0 ? "equation" : "derivative of the equation",
                yoke_system_facts(n->cluster->system)->x_name[k], sum);
        }
    return YOKE_OK;
}

/* What the constraint reads on both sides of knot k. */
static yoke_status look_at(yk_multipliers *c, int k, double *jump,
                           yoke_err *err)
{
    yk_constraint_node *n = &c->node;
    const size_t count = (size_t)(n->most * n->inputs);
    yk_instant_of at = { .t = c->knot[k], .scale = c->t1 - c->t };

    if (k > 0) {
        yk_multipliers_smooth(c, k - 1, &at);
        YK_TRY(yk_constraint_node_read(n, &at, n->most - 1, err));
        memcpy(jump, n->v, count * sizeof *jump);
    } else
        memcpy(jump, c->reached, count * sizeof *jump);
    yk_multipliers_smooth(c, k, &at);
    YK_TRY(yk_constraint_node_read(n, &at, n->most - 1, err));
    for (size_t j = 0; j < count; j++) jump[j] = n->v[j] - jump[j];
    return judge(c, at.t, jump, err);
}

yoke_status yk_multipliers_shocks(yk_multipliers *c, yoke_err *err)
{
    const yk_constraint_node *n = &c->node;
    double *jump = NULL;
    yoke_status status = YOKE_OK;

    c->happened = false;
    if (n->most > 0)
        YK_TRY(yk_doubles(&jump, (size_t)(n->most * n->inputs), err));
    for (int k = 0; status == YOKE_OK && k < c->pieces; k++) {
        if (!c->piece[k].cut || (k == 0 && !(c->last_length > 0.0))) continue;
        c->happened = true;
        if (n->most > 0) status = look_at(c, k, jump, err);
    }
    yk_free(jump);
    return status;
}
