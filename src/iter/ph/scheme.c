/* iter/ph/scheme.c -- sweeps over one window, and when to stop. */
#include "iter/ph/scheme.h"

#include "base/tolerance.h"
#include "iter/policy.h"
#include "iter/stop.h"

#include <math.h>

/* Changes below this part of the iterates are rounding: no rate is measured. */
static const double rounding = 1e-13;

/* Sweeps that are enough if the first left this bound and each later one reduces
 * it by the rate. */
static double promise(double bound, double fraction, double rate)
{
    if (bound <= fraction) return 1.0;
    if (!(rate < 1.0)) return INFINITY;
    return rate == 0.0 ? 2.0 : 1.0 + ceil(log(bound / fraction) / -log(rate));
}

/* Norms of one sweep, and what they tell. */
static yoke_status judge(const yk_scheme *s, const yk_wave_test *test,
                         double growth, double size, double change[2],
                         yk_wave_result *out, yoke_err *err)
{
    const double before = change[0];

    change[0] = s->change(s->iterate, s->omega);
    change[1] = s->change(s->iterate, 0.0);
    if (!isfinite(change[1]))
        return yk_fail(err, YOKE_RETRY,
                       "the waveforms at the ports are not finite after %d "
                       "sweeps; a shorter window keeps them within range",
                       out->sweeps);
    if (s->plain && before > 0.0 &&
        change[0] > rounding * s->size(s->iterate, s->omega))
        out->rate = fmax(out->rate, change[0] / before);
    const bool same = change[1] == 0.0;
    out->last = same ? 0.0 : change[1] / size;
    out->bound = same ? 0.0 : growth * change[0] / size;
    if (out->promised == 0.0)
        out->promised =
            s->plain ? promise(out->bound, test->fraction, s->rate) : INFINITY;
    return YOKE_OK;
}

yoke_status yk_scheme_iterate(const yk_scheme *s, const yk_wave_test *test,
                              yk_wave_result *out, yoke_err *err)
{
    static const char *const name[2] = { "weighted", "unweighted" };
    const double length = s->window->h * s->window->steps;
    const double growth = exp(s->omega * length) / (1.0 - s->rate);
    double change[2] = { NAN, NAN };
    yk_scheme_turn turn = { .most = test->max_sweeps, .go_on = true };

    *out = (yk_wave_result){ 0 };
    while (turn.go_on) {
        const double before = change[0];
        YK_TRY(s->sweep(s->solver, &turn.sweeps, err));
        out->sweeps = turn.sweeps;
        const double size = yk_tolerance(test->atol * s->unit(s->iterate),
                                         test->rtol, s->size(s->iterate, 0.0));
        YK_TRY(judge(s, test, growth, size, change, out, err));
        yk_wave_sweep row = { .sweep = out->sweeps,
                              .change = out->last,
                              .rate = before > 0.0 ? change[0] / before : NAN,
                              .estimate = out->bound,
                              .variables = 2,
                              .variable_change = change,
                              .variable_name = name };
        row.accepted = out->converged =
            yk_stop_enough(test->stop, test->max_sweeps, &row, test->fraction);
        const bool stop = test->watch && test->watch(test->context, &row);
        turn.go_on = !out->converged && !stop && turn.sweeps < turn.most;
        turn.limit = YK_ITER_PH_ENOUGH * test->fraction * size / growth;
        if (s->next) YK_TRY(s->next(s->solver, &turn, err));
    }
    out->sweeps = turn.sweeps;
    return YOKE_OK;
}
