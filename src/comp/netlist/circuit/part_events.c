/* comp/netlist/circuit/part_events.c -- events of a part: switches, then the
 * branches of expressions that are held between events (expr/hold.h). */
#include "comp/netlist/circuit/part.h"

#include <math.h>
#include <string.h>

/* ---- what is held ---------------------------------------------------------- */

const yk_part_function *yk_part_hold_of(const yk_net_part *p, int hold, int *k)
{
    const yk_part_function *fn = &p->function[p->hold_function[hold]];

    *k = hold - fn->first_hold;
    return fn;
}

const double *yk_part_values(const yk_net_part *p, const yk_part_function *fn,
                             const yk_expr_step *step, int steps, double t)
{
    for (int v = 0; v < fn->vars; v++)
        fn->arg[v] = p->z[fn->plus[v]] - p->z[fn->minus[v]];
    yk_expr_values(step, steps, t >= 0.0 ? t : 0.0, fn->arg, fn->work);
    return fn->work;
}

const double *yk_part_held_values(const yk_net_part *p,
                                  const yk_part_function *fn, double t)
{
    return yk_part_values(p, fn, fn->held->step, fn->held->steps, t);
}

void yk_part_set_held(yk_net_part *p, int hold, double value)
{
    int k = 0;
    const yk_part_function *fn = yk_part_hold_of(p, hold, &k);

    p->held[hold] = value;
    yk_held_set(fn->held, k, value, fn->arg);
}

/* Branches may depend on one another: until all fit. */
bool yk_part_settle(yk_net_part *p, double t, const double *x, const double *u)
{
    bool again = true;

    yk_part_gather(p, t, x, u);
    bool changed = yk_part_follow(p);
    for (int round = 0; again && round <= p->holds; round++) {
        again = false;
        for (int f = 0; f < p->functions; f++) {
            const yk_part_function *fn = &p->function[f];
            if (!fn->held) continue;
            const double *value = yk_part_held_values(p, fn, t);
            for (int k = 0; k < fn->held->holds; k++) {
                const int at = fn->first_hold + k;
                const double now = yk_hold_value(
                    &fn->held->hold[k], yk_held_argument(fn->held, k, value));
                again = again || now < p->held[at] || now > p->held[at];
                yk_part_set_held(p, at, now);
            }
        }
        changed = changed || again;
    }
    return changed;
}

/* ---- memory ---------------------------------------------------------------- */

size_t yk_part_memory(const yk_net_part *p)
{
    return (size_t)p->switches * sizeof *p->closed +
           (size_t)p->holds * sizeof *p->held;
}

void yk_part_save(void *self, void *bytes)
{
    const yk_net_part *p = self;
    const size_t held = (size_t)p->holds * sizeof *p->held;

    memcpy(bytes, p->held, held);
    memcpy((char *)bytes + held, p->closed,
           (size_t)p->switches * sizeof *p->closed);
}

void yk_part_restore(void *self, const void *bytes)
{
    yk_net_part *p = self;
    const size_t held = (size_t)p->holds * sizeof *p->held;

    memcpy(p->held, bytes, held);
    memcpy(p->closed, (const char *)bytes + held,
           (size_t)p->switches * sizeof *p->closed);
    for (int k = 0; k < p->holds; k++) yk_part_set_held(p, k, p->held[k]);
}

/* ---- switches -------------------------------------------------------------- */

static unsigned char next_memory(const yk_part_switch *s, unsigned char closed,
                                 double control)
{
    const bool above = control > 0.5 * (s->rises + s->falls);

    if (!s->early) return closed ^ YK_SWITCH_CLOSED;
    if (closed & YK_SWITCH_BETWEEN) return above ? YK_SWITCH_CLOSED : 0;
    return YK_SWITCH_BETWEEN | (closed ^ YK_SWITCH_CLOSED);
}

double yk_switch_beyond(const yk_part_switch *s, unsigned char closed,
                        double control)
{
    if (!s->early) return closed ? s->falls - control : control - s->rises;
    if (closed & YK_SWITCH_BETWEEN)
        return fmax(s->falls - control, control - s->rises);
    return closed ? s->rises - control : control - s->falls;
}

static double control_of(const yk_net_part *p, const yk_part_switch *s)
{
    return p->z[s->plus] - (s->minus >= 0 ? p->z[s->minus] : 0.0);
}

bool yk_part_follow(yk_net_part *p)
{
    bool changed = false;

    for (int k = 0; k < p->switches; k++) {
        const yk_part_switch *s = &p->sw[k];
        const double v = control_of(p, s);
        unsigned char now = p->closed[k];
        if (v > s->rises)
            now = YK_SWITCH_CLOSED;
        else if (v < s->falls)
            now = 0;
        else if (s->early)
            now =
                (unsigned char)(YK_SWITCH_BETWEEN + (s->starts_closed ? 1 : 0));
        changed = changed || now != p->closed[k];
        p->closed[k] = now;
    }
    return changed;
}

/* ---- events ---------------------------------------------------------------- */

/* V or A: a control that is at a level has not passed it. */
static const double at_level = 1e-300;

static yoke_status indicate(void *self, double t, const double *x,
                            const double *u, double *g, yoke_err *err)
{
    yk_net_part *p = self;

    (void)err;
    yk_part_gather(p, t, x, u);
    for (int k = 0; k < p->switches; k++) {
        const yk_part_switch *s = &p->sw[k];
        g[k] = yk_switch_beyond(s, p->closed[k], control_of(p, s)) - at_level;
    }
    for (int f = 0; f < p->functions; f++) {
        const yk_part_function *fn = &p->function[f];
        if (!fn->held) continue;
        const double *value = yk_part_held_values(p, fn, t);
        for (int k = 0; k < fn->held->holds; k++)
            g[p->switches + fn->first_hold + k] = yk_hold_above(
                &fn->held->hold[k], yk_held_argument(fn->held, k, value),
                p->held[fn->first_hold + k]);
    }
    return YOKE_OK;
}

static yoke_status apply(void *self, double t, const double *x, const double *u,
                         const bool *happened, double *x_new, yoke_err *err)
{
    yk_net_part *p = self;

    (void)x_new, (void)err;
    yk_part_gather(p, t, x, u);
    for (int k = 0; k < p->switches; k++) {
        const yk_part_switch *s = &p->sw[k];
        if (happened[k])
            p->closed[k] = next_memory(s, p->closed[k], control_of(p, s));
    }
    happened += p->switches;
    for (int h = 0; h < p->holds; h++) {
        int k = 0;
        if (!happened[h]) continue;
        const yk_part_function *fn = yk_part_hold_of(p, h, &k);
        const yk_hold *hold = &fn->held->hold[k];
        const int twin = yk_hold_twin(hold, h);
        if (twin < h && happened[twin]) continue;
        const double d =
            yk_held_argument(fn->held, k, yk_part_held_values(p, fn, t));
        const double now = yk_hold_change(hold, d, p->held[h]);
        yk_part_set_held(p, h, now);
        yk_part_set_held(p, twin, now);
    }
    return YOKE_OK;
}

static yoke_status settle(void *self, double t, const double *x,
                          const double *u, double *x_new, bool *changed,
                          yoke_err *err)
{
    (void)x_new, (void)err;
    *changed = yk_part_settle(self, t, x, u);
    return YOKE_OK;
}

static void about(void *self, int event, yoke_event_about *out)
{
    const yk_net_part *p = self;
    int k = 0;

    if (event < p->switches) {
        out->text = p->circuit->held_text[p->sw[event].element];
        out->level = true;
        return;
    }
    const yk_part_function *fn = yk_part_hold_of(p, event - p->switches, &k);
    const yk_hold *h = &fn->held->hold[k];
    *out = (yoke_event_about){ .text = p->circuit->held_text[fn->element],
                               .level = true,
                               .kink = h->kink,
                               .watched = h->watched };
}

const yoke_event_ops yk_part_events = {
    .indicate = indicate, .apply = apply, .settle = settle, .about = about
};
