/* comp/fmu/idle.c -- is an FMU at rest, or does it do nothing in short steps?
 *
 * A solver with steps of its own may pass over communication steps that are
 * shorter, in silence.  Where the FMU tells its states that is seen at once
 * (steps.c).  Where it does not, outputs that stay the same in every bit over a
 * window are looked at: in copies of the process one long step is made, and the
 * same time in short ones.  If something happens in the first and nothing in the
 * second, there is no result.
 */
#include "comp/fmu/simulation.h"

#include <math.h>
#include <stdio.h>

enum { PATIENCE = 60, MOST_STEPS = 1000, CHANGED = 1, SAME };

/* All smooth outputs of the sweep have one value. */
static bool is_constant(const yk_fmu_simulation *s)
{
    const yk_fmu_trace *t = &s->trace;
    bool any = false;

    for (int c = 0; c < t->p; c++) {
        if (s->e.output.discrete[c]) continue;
        any = true;
        for (int k = 1; k < t->points; k++)
            if (t->value[k * t->p + c] != t->value[c]) return false;
    }
    return any && t->points > 1;
}

/* `count` steps of length h from t on. */
typedef struct trial {
    yk_fmu_simulation *s;
    double t, h;
    int count;
} trial;

/* In a copy. */
static int run_steps(void *context)
{
    const trial *try = context;
    yk_fmu_simulation *s = try->s;
    const int p = s->e.output.count;
    bool event = false;
    double reached = try->t;

    for (int k = 0; k < try->count; k++)
        if (yk_fmu_step(s->e.instance, try->t + k * try->h, try->h, &reached,
                        &event, NULL) != YOKE_OK)
            return 0;
    if (yk_fmu_get(s->e.instance, p, s->e.output.signal, s->y_end, NULL) !=
        YOKE_OK)
        return 0;
    for (int c = 0; c < p; c++)
        if (!s->e.output.discrete[c] && s->y_end[c] != s->trace.value[c])
            return CHANGED;
    return SAME;
}

void yk_fmu_default_step(const yk_fmu_simulation *s, char *text, size_t room)
{
    const double step = s->e.description->step;

    text[0] = '\0';
    if (step > 0.0)
        snprintf(text, room, ", its default experiment says %.9g s", step);
}

yoke_status yk_fmu_check_idle(yk_fmu_simulation *s, double t1, yoke_err *err)
{
    const double spacing = (t1 - s->t) / fmax(s->trace.points - 1, 1);
    const double h = s->e.step > 0.0 ? spacing : 0.5 * spacing;
    const double rest = isfinite(s->e.stop) ? 0.5 * (s->e.stop - t1) : INFINITY;
    const int count = (int)fmin(floor(rest / h), MOST_STEPS);
    char hint[100];

    if (s->states.count > 0 || !is_constant(s) || count < 2) return YOKE_OK;
    if (!yk_fmu_can_copy()) return YOKE_OK;
    trial far = { s, s->at1, count * h, 1 }, near = { s, s->at1, h, count };
    if (yk_fmu_ask_copy(run_steps, &far, PATIENCE) != CHANGED ||
        yk_fmu_ask_copy(run_steps, &near, PATIENCE) != SAME)
        return YOKE_OK;
    yk_fmu_default_step(s, hint, sizeof hint);
    return yk_fail(
        err, YOKE_E_MODEL,
        "the FMU did nothing from t = %.9g to %.9g, nor would it go "
        "on in such steps, but in a longer one it does: the steps of "
        "its own solver are longer; set `step` to a multiple of them%s",
        s->t, t1, hint);
}
