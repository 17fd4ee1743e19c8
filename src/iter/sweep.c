/* iter/sweep.c -- runs a schedule: inputs from outputs, then solve, stage by
 * stage.
 *
 * The inputs of all members of a stage are made before any of them is solved:
 * with one stage this is Jacobi's iteration, with one member per stage that of
 * Gauss and Seidel.
 */
#include "iter/stage.h"
#include "iter/policy.h"

#include <limits.h>
#include <math.h>

static void swap_waves(yk_wave **a, yk_wave **b)
{
    yk_wave *c = *a;

    *a = *b;
    *b = c;
}

static yoke_status gather(yk_plan_state *plan, int index,
                          const yk_sweep_setup *setup, yoke_err *err)
{
    yk_unit_state *s = &plan->unit[index];
    const yk_unit *unit = s->unit;

    for (int k = 0; k < unit->feeds; k++)
        s->term[k] = (yk_wave_term){
            .wave = unit->feed[k].delayed ? unit->feed[k].delayed
                                          : plan->unit[unit->feed[k].unit].y,
            .from = unit->feed[k].from,
            .to = unit->feed[k].to,
            .weight = unit->feed[k].weight,
        };
    return yk_wave_combine(s->u, setup->t0, setup->t1, unit->feeds, s->term,
                           err);
}

/* Steps of a unit so far. */
static long steps_of(const yk_propagator *p)
{
    yoke_work work = { 0 };

    p->ops->work(p->self, &work);
    return work.steps + work.rejected;
}

/* How many steps a solve may take whose inputs have not converged: so many
 * times those of its first solve in this window, of the windows before, and of
 * the first solves of the units that made its inputs; 20,000 where nothing is
 * known, few where windows may be as short as they like.  What needs more is asked
 * for by inputs that no solution has, as the current of a diode at a voltage that was
 * extrapolated; a shorter window, or all as one, takes less.  Where that does not help
 * they may be more: behind a jump steps are short whatever the window is. */
static long step_limit(const yk_plan_state *plan, const yk_unit_state *s,
                       const yk_sweep_setup *setup)
{
    const double length = setup->t1 - setup->t0;
    const bool free = setup->options->window == 0.0;
    const double few =
        free ? ldexp(YK_ITER_FREE_STEPS, setup->halved / YK_ITER_FREE_WINDOWS)
             : YK_ITER_UNKNOWN_STEPS;
    const double least = fmin(few, YK_ITER_LEAST_STEPS),
                 unknown = fmin(few, YK_ITER_UNKNOWN_STEPS),
                 again = free ? YK_ITER_AGAIN_STEPS : YK_ITER_OWN_STEPS;
    double limit =
        s->steps > 0 ? fmax(least, again * (double)s->steps) : unknown;

    if (setup->final) return LONG_MAX;
    limit = fmax(limit, YK_ITER_OWN_STEPS * s->density * length);
    for (int k = 0; k < s->unit->feeds; k++) {
        if (s->unit->feed[k].delayed)
            limit = fmax(limit, YK_ITER_OTHER_STEPS * yk_wave_pieces(s->u));
        if (s->unit->feed[k].delayed) continue;
        const yk_unit_state *from = &plan->unit[s->unit->feed[k].unit];
        limit = fmax(limit, YK_ITER_OTHER_STEPS * fmax((double)from->steps,
                                                       from->density * length));
    }
    return (long)fmin(limit, 1e9);
}

typedef struct stage_jobs {
    yk_plan_state *plan;
    const yk_sweep_setup *setup;
} stage_jobs;

static yoke_status solve_unit(void *context, int index, yoke_err *err)
{
    const stage_jobs *jobs = context;
    yk_unit_state *s = &jobs->plan->unit[index];
    const yk_propagator *p = s->unit->propagator;
    yoke_status status;

    if (!s->moved) swap_waves(&s->y, &s->old);
    s->moved = true;
    s->version++;
    s->solved = s->corrected = false;
    s->loose = 1.0;
    if (p->ops->loosen && jobs->setup->loose > 1.0) {
        s->loose = jobs->setup->loose;
        p->ops->loosen(p->self, s->loose);
    }
    if (jobs->setup->lenient && p->ops->tape && s->unit->feeds > 0)
        p->ops->tape->lenient(p->self, YK_ITER_STATES_LENIENT);
    if (p->ops->limit) p->ops->limit(p->self, s->most_steps);
    const long before = steps_of(p);
    const double work = yk_stage_work(s->unit);
    status = p->ops->sweep(p->self, jobs->setup->t1, s->u, s->y, err);
    if (s->steps == 0) s->steps = steps_of(p) - before;
    s->effort = s->spent = yk_stage_work(s->unit) - work;
    if (status == YOKE_OK && jobs->setup->options->relax != 1.0)
        status = yk_wave_relax(s->y, s->old, jobs->setup->options->relax, err);
    if (status != YOKE_OK) {
        yk_prefix(err, "\"%.100s\"", s->unit->name);
        return status;
    }
    swap_waves(&s->u, &s->u_last);
    s->solved = true;
    return YOKE_OK;
}

/* A unit that is not solved again makes what it made before. */
static void return_made(yk_unit_state *s)
{
    if (!s->corrected) return;
    swap_waves(&s->y, &s->old);
    swap_waves(&s->y, &s->made);
    s->moved = true;
    s->version++;
    s->corrected = false;
}

/* It would make the same once more: its inputs are those of its last solve,
 * which was at least as accurate as is asked for now. */
static bool may_skip(const yk_unit_state *s, const yk_sweep_setup *setup)
{
    return setup->may_skip && s->solved && s->loose <= setup->loose &&
           yk_wave_equal(s->u, s->u_last);
}

/* What a solve may not ask while others of its stage are solved. */
static void begin_solve(yk_plan_state *plan, int index,
                        const yk_sweep_setup *setup)
{
    yk_unit_state *s = &plan->unit[index];

    s->most_steps = step_limit(plan, s, setup);
    s->spent = 0.0;
}

/* Solves the first `count` of plan->job, whose inputs have been made. */
static yoke_status solve_all(yk_plan_state *plan, int count,
                             const yk_sweep_setup *setup, int *solved,
                             yoke_err *err)
{
    stage_jobs jobs = { plan, setup };
    const yk_stage stage = { .count = count,
                             .unit = plan->job,
                             .job = solve_unit,
                             .context = &jobs,
                             .share = 1.0,
                             .sends = true };

    for (int k = 0; k < count; k++) begin_solve(plan, plan->job[k], setup);
    *solved += count;
    const yoke_status status = yk_stage_solve(plan, &stage, err);
    yk_stage_count(plan, count, plan->job);
    return status;
}

static yoke_status run_stage(yk_plan_state *plan, int stage,
                             const yk_sweep_setup *setup, int *solved,
                             int *skipped, yoke_err *err)
{
    const yoke_schedule *s = plan->plan.schedule;
    int count = 0;

    for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
        const int index = s->member[k];
        const yk_unit_state *unit = &plan->unit[index];
        YK_TRY(gather(plan, index, setup, err));
        if (may_skip(unit, setup)) {
            ++*skipped;
            return_made(&plan->unit[index]);
        } else
            plan->job[count++] = index;
    }
    return solve_all(plan, count, setup, solved, err);
}

/* Passes on how a stage ended.  Where it was given up some units have been solved in
 * this sweep and others not, by the division into stages: it is not kept. */
static yoke_status give_up(yk_plan_state *plan, yoke_status failed,
                           yoke_err *err)
{
    for (int i = 0; failed > 0 && i < plan->plan.units; i++) {
        const yk_propagator *p = plan->unit[i].unit->propagator;
        if (p->ops->forget) YK_TRY(p->ops->forget(p->self, err));
    }
    return failed;
}

yoke_status yk_sweep_some(yk_plan_state *plan, const yk_sweep_setup *setup,
                          bool (*wanted)(const void *context, int unit),
                          const void *context, int *solved, yoke_err *err)
{
    const yoke_schedule *s = plan->plan.schedule;

    for (int stage = 0; stage < s->stages; stage++) {
        int count = 0;
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            if (!wanted(context, s->member[k])) continue;
            YK_TRY(gather(plan, s->member[k], setup, err));
            plan->job[count++] = s->member[k];
        }
        if (count == 0) continue;
        const yoke_status status = solve_all(plan, count, setup, solved, err);
        if (status != YOKE_OK) return give_up(plan, status, err);
    }
    return YOKE_OK;
}

yoke_status yk_sweep_run(yk_plan_state *plan, const yk_sweep_setup *setup,
                         int *solved, int *skipped, yoke_err *err)
{
    for (int i = 0; i < plan->plan.units; i++) plan->unit[i].moved = false;
    for (int s = 0; s < plan->plan.schedule->stages; s++) {
        const yoke_status status =
            run_stage(plan, s, setup, solved, skipped, err);
        if (status != YOKE_OK) return give_up(plan, status, err);
    }
    return YOKE_OK;
}

/* The last stage each unit runs in; `stages` for one that never runs. */
static void find_stages(yk_plan_state *plan)
{
    const yoke_schedule *s = plan->plan.schedule;

    for (int i = 0; i < plan->plan.units; i++) plan->stage[i] = s->stages;
    plan->twice = false;
    for (int stage = 0; stage < s->stages; stage++)
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            if (plan->stage[s->member[k]] < s->stages) plan->twice = true;
            plan->stage[s->member[k]] = stage;
        }
}

bool yk_sweep_order(yk_plan_state *plan)
{
    bool exact = true;

    find_stages(plan);
    for (int i = 0; i < plan->plan.units; i++) {
        const yk_unit *unit = plan->unit[i].unit;
        for (int f = 0; f < unit->feeds; f++) {
            plan->unit[i].seen[f] = true; /* before the window begins */
            if (unit->feed[f].delayed) continue;
            plan->unit[unit->feed[f].unit].read[unit->feed[f].from] = true;
            plan->unit[i].seen[f] =
                plan->stage[unit->feed[f].unit] < plan->stage[i];
            if (plan->unit[i].seen[f]) continue;
            plan->unit[unit->feed[f].unit].late[unit->feed[f].from] = true;
            exact = false;
        }
    }
    return exact;
}

yoke_status yk_unit_sizes(yk_unit_state *s, yoke_err *err)
{
    if (s->sized == s->version) return YOKE_OK;
    YK_TRY(yk_wave_distance(s->y, NULL, s->size, err));
    s->sized = s->version;
    return YOKE_OK;
}

bool yk_any_late(const yk_unit_state *s)
{
    for (int k = 0; k < s->unit->propagator->p; k++)
        if (s->late[k]) return true;
    return false;
}
