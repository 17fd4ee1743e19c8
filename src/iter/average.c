/* iter/average.c -- several plans: their outputs averaged. */
#include "iter/window.h"

/* Every plan offers the outputs that are read, tested or recorded; others, of a
 * subsystem that is a cluster by itself in some plan only, may be missing in
 * another plan.  Nobody reads them and they are not averaged. */
static bool in_all_plans(const yk_iteration *it, int id)
{
    for (int p = 0; p < it->plans; p++)
        if (it->where[2 * (p * it->setup.outputs + id)] < 0) return false;
    return true;
}

static yoke_status mix_unit(yk_iteration *it, int index, double t0, double t1,
                            yoke_err *err)
{
    const yk_unit *unit = it->plan[0].unit[index].unit;
    int terms = 0;

    for (int k = 0; k < unit->propagator->p; k++)
        for (int p = 0; p < it->plans; p++) {
            const int id = unit->output_id[k];
            if (!in_all_plans(it, id)) break;
            const int *at = &it->where[2 * (p * it->setup.outputs + id)];
            it->mix_term[terms++] = (yk_wave_term){
                .wave = it->plan[p].unit[at[0]].y,
                .from = at[1],
                .to = k,
                .weight = it->plan[p].plan.weight,
            };
        }
    return yk_wave_combine(it->mix[index], t0, t1, terms, it->mix_term, err);
}

/* Takes the averaged outputs, component by component, from plan 0. */
static yoke_status take_mixed(yk_iteration *it, int plan, int index, double t0,
                              double t1, yoke_err *err)
{
    yk_unit_state *s = &it->plan[plan].unit[index];
    int terms = 0;

    s->version++;
    for (int k = 0; k < s->unit->propagator->p; k++) {
        if (!in_all_plans(it, s->unit->output_id[k])) continue;
        const int *at = &it->where[2 * s->unit->output_id[k]];
        it->mix_term[terms++] = (yk_wave_term){
            .wave = it->plan[0].unit[at[0]].y,
            .from = at[1],
            .to = k,
            .weight = 1.0,
        };
    }
    return yk_wave_combine(s->y, t0, t1, terms, it->mix_term, err);
}

yoke_status yk_mix_plans(yk_iteration *it, double t0, double t1, yoke_err *err)
{
    if (it->plans == 1) return YOKE_OK;
    for (int i = 0; i < it->plan[0].plan.units; i++)
        YK_TRY(mix_unit(it, i, t0, t1, err));
    for (int i = 0; i < it->plan[0].plan.units; i++) {
        yk_wave *w = it->plan[0].unit[i].y;
        it->plan[0].unit[i].y = it->mix[i];
        it->plan[0].unit[i].version++;
        it->mix[i] = w;
    }
    for (int p = 1; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++)
            YK_TRY(take_mixed(it, p, i, t0, t1, err));
    return YOKE_OK;
}
