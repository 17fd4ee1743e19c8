/* comp/fmu/steps.c -- the communication steps of a co-simulation FMU.
 *
 * An FMU holds its inputs over a step.  Where steps can be chosen they come in
 * pairs, and the two held values have the integral and the first moment of the
 * input over the pair [a, b], L = b - a:
 *
 *     v = mean -+ slope L / 3,
 *     mean = 1/L int u,   slope = 12/L^3 int (s - (a+b)/2) u(s) ds.
 *
 * For x' = f(x) + B u the error of x at b is then of order L^5, so that outputs
 * at the ends of pairs are of fourth order.  In the middle of a pair they are
 * not, and nobody reads them.  An FMU that takes slopes gets mean and slope in
 * one step, or, where an output follows the input at once, in two.
 *
 * An output that follows the input at once must see u(b) itself.  FMI 3 permits
 * to set inputs before outputs are read; FMI 2 does not, so a short third step
 * has that value, and the first two the moments that are left.
 *
 * What changes at events only is held from the instant at which it changes: no
 * step passes over it.
 *
 * What acts at an instant [lo, hi], known that well, reads inputs at hi, and what
 * jumps there does so at lo: of several parts that act at one instant each reads
 * what the others have made of it, as in one model (docs/methods/events.md).  So
 * no window ends between: the FMU goes on to hi.
 */
#include "comp/fmu/simulation.h"

#include "base/lengths.h"
#include "step/policy.h"

#include <math.h>
#include <string.h>

/* The length of the third step, as a part of all three: what a step costs does
 * not depend on it, and the moments are well conditioned. */
static const double LAST = 0.125;

/* The length of a step by which outputs are told, as a part of the window. */
static const double FIRST = 1e-9;

/* Times that are the same but for rounding, relative to the window. */
static const double SAME = 1e-9;

/* After a jump of an input comes a step of this length, as a part of the window:
 * an instant that others know less well may be in it. */
static const double BEHIND = 1e-6;

/* Jumps of inputs and outputs below this part of a tolerance do not count. */
static const double VISIBLE = 0.01;

/* Outputs that move so many times as much in one half of it as in the other
 * jump. */
static const double STEEP = 4.0;

/* How far behind the beginning of a window jumps are, as a part of the interval
 * in which they happen. */
static const double LITTLE = 1e-3;

/* Steps that are looked at, see did_nothing. */
enum { LOOKS = 200, TRIES = 1000 };

/* ---- inputs ------------------------------------------------------------ */

/* Adds the moments over [left, right], in which u is smooth, by Gauss. */
static void add_moments(yk_fmu_simulation *s, double middle, double left,
                        double right)
{
    static const double node[2] = { 0.339981043584856, 0.861136311594053 };
    static const double weight[2] = { 0.652145154862546, 0.347854845137454 };
    const int m = s->e.input.count;

    for (int g = 0; g < 4; g++) {
        const double at = (g & 1 ? 1.0 : -1.0) * node[g / 2];
        const double t = 0.5 * (left + right) + 0.5 * (right - left) * at;
        const double w = 0.5 * (right - left) * weight[g / 2];

        yk_wave_eval(s->wave, t, &s->cursor, s->scratch);
        for (int k = 0; k < m; k++) {
            s->mean[k] += w * s->scratch[k];
            s->first[k] += w * (t - middle) * (s->scratch[k] - s->slope[k]);
        }
    }
}

/* mean and first become the mean and the slope over [a, b].  A constant has no
 * slope, and is taken away: a step that passes a jump is so short that what is
 * lost in t - middle would be as large as the slope. */
static void find_moments(yk_fmu_simulation *s, double a, double b)
{
    const int m = s->e.input.count, pieces = yk_wave_pieces(s->wave);
    const double length = b - a;
    double left = a;

    for (int k = 0; k < m; k++) s->mean[k] = s->first[k] = 0.0;
    yk_wave_eval(s->wave, 0.5 * (a + b), NULL, s->slope);
    while (s->knot < pieces && yk_wave_knot(s->wave, s->knot) <= a) s->knot++;
    for (int i = s->knot; left < b; i++) {
        const double knot = i >= pieces ? b : fmin(yk_wave_knot(s->wave, i), b);

        if (knot <= left) continue;
        add_moments(s, 0.5 * (a + b), left, knot);
        left = knot;
    }
    for (int k = 0; k < m; k++) {
        s->mean[k] /= length;
        s->first[k] *= 12.0 / (length * length * length);
    }
}

static yoke_status give(yk_fmu_simulation *s, yk_fmu_some *list,
                        const double *all, yoke_err *err)
{
    for (int k = 0; k < list->count; k++) list->value[k] = all[list->at[k]];
    return yk_fmu_set(s->e.instance, list->count, list->signal, list->value,
                      err);
}

/* ---- outputs and events ------------------------------------------------ */

/* `after` a step: only then slopes are those of the outputs. */
yoke_status yk_fmu_add_point(yk_fmu_simulation *s, double t, bool after,
                             yoke_err *err)
{
    const int p = s->e.output.count;
    yk_fmu_some *some = &s->sloped;
    double *value = NULL, *slope = NULL;

    YK_TRY(yk_trace_add(&s->trace, t, &value, &slope, err));
    YK_TRY(yk_fmu_get(s->e.instance, p, s->e.output.signal, value, err));
    for (int c = 0; c < p; c++) {
        slope[c] = NAN;
        s->size[c] = fmax(s->size[c], fabs(value[c]));
        if (!isfinite(value[c]))
            return yk_fail(err, YOKE_RETRY,
                           "output \"%.100s\" is %g at t = %.9g",
                           s->e.output.name[c], value[c], t);
    }
    if (!after || some->count == 0) return YOKE_OK;
    YK_TRY(yk_fmu_get_slopes(s->e.instance, some->count, some->signal,
                             some->value, err));
    for (int k = 0; k < some->count; k++) slope[some->at[k]] = some->value[k];
    return YOKE_OK;
}

/* At this rate the run would not come to its end. */
static yoke_status count_event(yk_fmu_simulation *s, double t, yoke_err *err)
{
    s->work.events++;
    if (s->lately == 0) s->since = t;
    if (++s->lately <= YK_EVENT_LATELY) return YOKE_OK;
    const double each = (t - s->since) / YK_EVENT_LATELY;
    s->lately = 1;
    s->since = t;
    if (!(s->span > YK_EVENT_IN_ALL * each)) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL,
                   "%d events of the FMU until t = %.9g, one every %.3g s on "
                   "average: that would be %.2g in this run, too many to "
                   "follow; model what they do on average, or stop earlier",
                   YK_EVENT_LATELY, t, each, s->span / each);
}

/* The other inputs, as they are at t; between events they are means. */
static yoke_status give_now(yk_fmu_simulation *s, double t, yoke_err *err)
{
    yk_wave_eval_right(s->wave, fmin(t + SAME * (s->end - s->t), s->end), NULL,
                       s->now);
    for (int k = 0; k < s->smooth.count; k++)
        s->now[k] = s->now[s->smooth.at[k]];
    return yk_fmu_set(s->e.instance, s->smooth.count, s->smooth.signal, s->now,
                      err);
}

/* Event mode, perhaps with new values of the inputs that are held. */
static yoke_status handle_event(yk_fmu_simulation *s, double t,
                                const double *all, yoke_err *err)
{
    yk_fmu_event happened = { .again = true };

    YK_TRY(yk_fmu_event_mode(s->e.instance, err));
    if (all) YK_TRY(give(s, &s->held, all, err));
    YK_TRY(give_now(s, t, err));
    for (int k = 0; happened.again; k++) {
        if (k > TRIES)
            return yk_fail(err, YOKE_E_NUMERIC,
                           "the events of the FMU at t = %.9g do not come to "
                           "an end",
                           t);
        YK_TRY(yk_fmu_update(s->e.instance, &happened, err));
    }
    s->next = happened.next;
    YK_TRY(yk_fmu_time_mode(s->e.instance, err));
    YK_TRY(count_event(s, t, err));
    YK_TRY(yk_fmu_add_point(s, t, false, err));
    return yk_fmu_set(s->e.instance, s->smooth.count, s->smooth.signal,
                      s->smooth.value, err);
}

/* Outputs are not smooth at t.  FMI 2 does not let them be read again. */
static yoke_status break_trace(yk_fmu_simulation *s, double t, yoke_err *err)
{
    const size_t p = (size_t)s->e.output.count;
    double *value = NULL, *slope = NULL;

    if (s->e.description->version == 3)
        return yk_fmu_add_point(s, t, false, err);
    YK_TRY(yk_trace_add(&s->trace, t, &value, &slope, err));
    memcpy(value, value - p, p * sizeof *value);
    for (size_t c = 0; c < p; c++) slope[c] = NAN;
    return YOKE_OK;
}

/* Values of the held inputs from t on, as they are at `read`. */
static yoke_status give_held(yk_fmu_simulation *s, double t, double read,
                             yoke_err *err)
{
    bool changed = false;

    if (s->held.count == 0) return YOKE_OK;
    yk_wave_eval_right(s->wave, read, NULL, s->scratch);
    for (int k = 0; k < s->held.count; k++)
        changed = changed || s->held.value[k] != s->scratch[s->held.at[k]];
    if (s->e.description->simulation.event_mode)
        return changed ? handle_event(s, t, s->scratch, err) : YOKE_OK;
    YK_TRY(give(s, &s->held, s->scratch, err));
    return changed ? break_trace(s, t, err) : YOKE_OK;
}

/* The FMU may come less far than asked for, and go on from there. */
static yoke_status step_to(yk_fmu_simulation *s, double t, double end,
                           yoke_err *err)
{
    for (int tries = 0; t < end; tries++) {
        double reached = t;
        bool event = false;
        const double to = fmin(end, fmax(s->next, t));

        if (tries > TRIES)
            return yk_fail(err, YOKE_E_CALLBACK,
                           "the FMU comes no farther than t = %.9g", t);
        if (to == t) { /* due where a window or an event has ended */
            YK_TRY(handle_event(s, t, NULL, err));
            continue;
        }
        s->from = t;
        s->to = to;
        YK_TRY(yk_fmu_step(s->e.instance, t, to - t, &reached, &event, err));
        if (s->strayed)
            return yk_fail(err, YOKE_E_CALLBACK,
                           "the FMU asks for inputs at a time outside of its "
                           "step from t = %.9g to %.9g",
                           t, to);
        s->work.steps++;
        s->work.residuals++;
        if (!(reached >= t && reached <= to + SAME * fabs(to - t)))
            return yk_fail(err, YOKE_E_CALLBACK,
                           "the FMU says that a step from t = %.9g to %.9g "
                           "ended at %.9g",
                           t, to, reached);
        if (event && reached > t) tries = 0;
        t = to - reached <= 1e-12 * fabs(to) ? to : reached;
        if (!event && t < s->next) continue;
        YK_TRY(yk_fmu_add_point(s, t, true, err));
        YK_TRY(handle_event(s, t, NULL, err));
    }
    return YOKE_OK;
}

/* ---- steps that do nothing --------------------------------------------- */

static bool look_before(yk_fmu_simulation *s)
{
    const int n = s->states.count;

    if (n == 0 || s->looks >= LOOKS) return false;
    s->looks++;
    return yk_fmu_get(s->e.instance, n, s->states.signal, s->x, NULL) ==
               YOKE_OK &&
           yk_fmu_get(s->e.instance, n, s->slopes.signal, s->x + n, NULL) ==
               YOKE_OK;
}

/* A step shorter than the FMU's own may be passed over in silence: the states
 * have slopes, and not one bit of them has changed. */
static yoke_status did_nothing(yk_fmu_simulation *s, double t, double h,
                               yoke_err *err)
{
    static const double visible = 1e-6; /* of the size of a state */
    const int n = s->states.count;
    double *after = s->x + 2 * n;
    bool moves = false;
    char hint[100];

    if (yk_fmu_get(s->e.instance, n, s->states.signal, after, NULL) !=
            YOKE_OK ||
        memcmp(s->x, after, (size_t)n * sizeof *after) != 0)
        return YOKE_OK;
    for (int i = 0; i < n; i++) {
        const yk_fmu_variable *v =
            &s->e.description->variable[s->states.signal[i].variable];
        const double size = fmax(v->nominal, fabs(s->x[i]));

        moves = moves || fabs(s->x[n + i]) * h > visible * size;
    }
    if (!moves) return YOKE_OK;
    yk_fmu_default_step(s, hint, sizeof hint);
    return yk_fail(
        err, YOKE_E_MODEL,
        "the FMU did nothing from t = %.9g to %.9g, although its "
        "states have slopes: the steps of its own solver are longer; "
        "set `step` to a multiple of them%s",
        t, t + h, hint);
}

/* ---- one pair ---------------------------------------------------------- */

/* Values with the moments over [a, b]: two of equal length, and the one at the
 * end over `last`. */
static yoke_status step_pair(yk_fmu_simulation *s, double a, double b,
                             double last, yoke_err *err)
{
    const int m = s->e.input.count;
    const double length = b - a, half = 0.5 * (length - last);
    const double c1 = 0.5 * (half - length), c2 = c1 + half;
    double *const v1 = s->scratch, *const v2 = s->slope, *const end = s->mean;

    if (last > 0.0)
        yk_wave_eval(s->wave, b, NULL, s->scratch);
    else
        memcpy(s->scratch, s->mean, (size_t)m * sizeof *s->mean);
    for (int k = 0; k < m; k++) {
        const double at_end = s->scratch[k];
        const double sum = (length * s->mean[k] - last * at_end) / half;
        const double moment = (s->first[k] * length * length * length / 12.0 -
                               last * at_end * 0.5 * (length - last)) /
                              half;

        v1[k] = (c2 * sum - moment) / half;
        v2[k] = sum - v1[k];
        end[k] = at_end;
    }
    YK_TRY(give(s, &s->smooth, v1, err));
    YK_TRY(step_to(s, a, a + half, err));
    YK_TRY(give(s, &s->smooth, v2, err));
    YK_TRY(step_to(s, a + half, last > 0.0 ? b - last : b, err));
    if (!(last > 0.0)) return YOKE_OK;
    YK_TRY(give(s, &s->smooth, end, err));
    return step_to(s, b - last, b, err);
}

/* A step with the line value + slope (t - a). */
static yoke_status step_line(yk_fmu_simulation *s, double a, double b,
                             const double *value, const double *slope,
                             yoke_err *err)
{
    YK_TRY(give(s, &s->smooth, value, err));
    for (int k = 0; k < s->smooth.count; k++)
        s->slope[k] = slope[s->smooth.at[k]];
    YK_TRY(yk_fmu_set_slopes(s->e.instance, s->smooth.count, s->smooth.signal,
                             s->slope, err));
    return step_to(s, a, b, err);
}

/* With the line through the input at both ends. */
static yoke_status step_ends(yk_fmu_simulation *s, double a, double b,
                             yoke_err *err)
{
    yk_wave_eval(s->wave, b, NULL, s->first);
    yk_wave_eval_right(s->wave, a, NULL, s->mean);
    for (int k = 0; k < s->e.input.count; k++)
        s->first[k] = (s->first[k] - s->mean[k]) / (b - a);
    return step_line(s, a, b, s->mean, s->first, err);
}

/* The line over [a, b - last] that has the moments over [a, b] together with
 * the one through both ends of the rest. */
static void line_before(yk_fmu_simulation *s, double a, double b, double last)
{
    const double length = b - a, l = length - last;
    double *const right = s->scratch, *const left = s->slope;

    yk_wave_eval_right(s->wave, b - last, NULL, left);
    yk_wave_eval(s->wave, b, NULL, right);
    for (int k = 0; k < s->e.input.count; k++) {
        const double rest = 0.5 * last * (left[k] + right[k]);
        const double moment =
            0.5 * l * rest + last * last * (right[k] - left[k]) / 12.0;
        const double mean = (length * s->mean[k] - rest) / l;
        const double slope =
            s->first[k] * length * length * length - 12.0 * moment;

        s->first[k] = (slope + 6.0 * last * l * mean) / (l * l * l);
        s->mean[k] = mean - 0.5 * l * s->first[k];
    }
}

/* Value and slope.  Where outputs follow at once, the end is that of the input,
 * and a given step has that and not the moments. */
static yoke_status step_sloped(yk_fmu_simulation *s, double a, double b,
                               bool chosen, yoke_err *err)
{
    const double last = LAST * (b - a);

    if (s->direct && !chosen) return step_ends(s, a, b, err);
    if (s->direct) {
        line_before(s, a, b, last);
        YK_TRY(step_line(s, a, b - last, s->mean, s->first, err));
        return step_ends(s, b - last, b, err);
    }
    for (int k = 0; k < s->e.input.count; k++)
        s->mean[k] -= 0.5 * (b - a) * s->first[k];
    return step_line(s, a, b, s->mean, s->first, err);
}

/* Inputs during a step, where the FMU asks for them. */
static void midway(void *context, double t, bool set, bool get)
{
    yk_fmu_simulation *s = context;

    (void)get;
    const double slack = SAME * (s->to - s->from);

    if (!set) return;
    s->strayed = s->strayed || !(t >= s->from - slack && t <= s->to + slack);
    if (s->strayed) return;
    yk_wave_eval(s->wave, t, NULL, s->scratch);
    for (int k = 0; k < s->smooth.count; k++) {
        const double value = s->scratch[s->smooth.at[k]];

        if (s->e.description->variable[s->smooth.signal[k].variable].midway)
            yk_fmu_set(s->e.instance, 1, &s->smooth.signal[k], &value, NULL);
    }
}

yoke_status yk_fmu_step_inputs(yk_fmu_simulation *s, double a, double b,
                               yoke_err *err)
{
    const yk_fmu_kind *kind = &s->e.description->simulation;
    const bool chosen = !(s->e.step > 0.0);

    if (s->smooth.count == 0) return step_to(s, a, b, err);
    find_moments(s, a, b);
    if (kind->interpolates && s->e.description->version == 2)
        return step_sloped(s, a, b, chosen, err);
    if (chosen)
        return step_pair(
            s, a, b,
            s->direct && s->e.description->version == 2 ? LAST * (b - a) : 0.0,
            err);
    YK_TRY(give(s, &s->smooth, s->mean, err));
    return step_to(s, a, b, err);
}

yoke_status yk_fmu_step_once(yk_fmu_simulation *s, double a, double b,
                             yoke_err *err)
{
    YK_TRY(give_held(s, a, a, err));
    const bool looked = look_before(s);
    YK_TRY(yk_fmu_step_inputs(s, a, b, err));
    if (looked) YK_TRY(did_nothing(s, a, b - a, err));
    if (s->smooth.count > 0 && s->e.description->version == 3 &&
        (s->direct || s->sloped.count > 0)) {
        yk_wave_eval(s->wave, b, NULL, s->scratch);
        YK_TRY(give(s, &s->smooth, s->scratch, err));
    }
    const int points = s->trace.points;
    if (points > 0 && s->trace.time[points - 1] >= b) return YOKE_OK;
    return yk_fmu_add_point(s, b, true, err);
}

/* ---- the window -------------------------------------------------------- */

/* The first time after t at which a held input changes, or t1. */
static double next_change(yk_fmu_simulation *s, double t, double t1)
{
    const int m = s->e.input.count, pieces = yk_wave_pieces(s->wave);
    const bool any = s->e.description->simulation.variable_step;

    for (int i = 1; s->held.count > 0 && any && i < pieces; i++) {
        const double knot = yk_wave_knot(s->wave, i);
        const double *left = yk_wave_coef(s->wave, i - 1);
        const double *right = yk_wave_coef(s->wave, i);

        if (!(knot > t + SAME * (t1 - s->t))) continue;
        if (!(knot < t1 - SAME * (t1 - s->t))) break;
        for (int k = 0; k < s->held.count; k++) {
            const int at = s->held.at[k];
            double value = 0.0;

            for (int d = 0; d <= yk_wave_degree(s->wave, i - 1); d++)
                value += left[d * m + at];
            if (value != right[at]) return knot;
        }
    }
    return t1;
}

/* How [a, b] is divided: by the given step from its beginning, which the window
 * must be a multiple of unless the FMU takes any; or evenly. */
static yoke_status count_steps(const yk_fmu_simulation *s, double a, double b,
                               double t1, int *count, double *h, yoke_err *err)
{
    const double length = b - a, step = s->e.step;
    const double share = s->steps * length / (t1 - s->t);

    /* Between jumps too polynomials go through five points, and with twice as many
     * steps in the window there are more: sqrt 2 times is 1/4 of the error. */
    const double least =
        length < t1 - s->t && s->marks == 0 ? 2.0 * sqrt(s->steps) : 1.0;

    *count = (int)fmax(yk_whole_steps(share), yk_whole_steps(least));
    *h = length / *count;
    if (!(step > 0.0)) return YOKE_OK;
    const double ratio = length / step, whole = nearbyint(ratio);
    const bool fits = whole >= 1.0 && fabs(ratio - whole) < 1e-6;
    if (!fits && !s->e.description->simulation.variable_step)
        return yk_fail(err, YOKE_E_ARG,
                       "the window [%.9g, %.9g] is not a multiple of the step "
                       "%.9g, and the FMU takes no other; set the window",
                       s->t, t1, step);
    *count = (int)(fits ? whole : ceil(ratio));
    *h = fits ? length / whole : step;
    return YOKE_OK;
}

/* Where sweeps did not agree jumps are looked for. */
static yoke_status step(yk_fmu_simulation *s, double a, double b, yoke_err *err)
{
    const bool looked = s->look_to > a && s->look_from < b;

    if (!looked || s->e.description->simulation.event_mode)
        return yk_fmu_step_once(s, a, b, err);
    YK_TRY(give_held(s, a, a, err));
    return yk_fmu_step_looking(s, a, b, err);
}

static yoke_status run_part(yk_fmu_simulation *s, double a, double b, double t1,
                            yoke_err *err)
{
    int n = 0;
    double h = 0.0;

    YK_TRY(count_steps(s, a, b, t1, &n, &h, err));
    for (int i = 0; i < n; i++)
        YK_TRY(step(s, a + i * h, i + 1 == n ? b : a + (i + 1) * h, err));
    return YOKE_OK;
}

/* The mark that begins or ends behind t first, or NULL. */
static const double *next_mark(const yk_fmu_simulation *s, double t)
{
    for (int i = 0; i < s->marks; i++)
        if (s->mark[2 * i + 1] > t) return s->mark + 2 * i;
    return NULL;
}

yoke_status yk_fmu_step_over(yk_fmu_simulation *s, double a, double b,
                             yoke_err *err)
{
    YK_TRY(give_held(s, a, b, err));
    yk_wave_eval_right(s->wave, b, NULL, s->scratch);
    YK_TRY(give(s, &s->smooth, s->scratch, err));
    return step_to(s, a, b, err);
}

/* Outputs that do not jump bend where inputs jump: polynomials end there. */
yoke_status yk_fmu_bend(yk_fmu_simulation *s, double t, yoke_err *err)
{
    const size_t p = (size_t)s->e.output.count;
    double *value = NULL, *slope = NULL;

    YK_TRY(yk_fmu_end_run(s, t, err));
    YK_TRY(yk_trace_add(&s->trace, t, &value, &slope, err));
    memcpy(value, value - p, p * sizeof *value);
    for (size_t c = 0; c < p; c++) slope[c] = NAN;
    s->trace.bend[s->trace.points - 1] = true;
    return YOKE_OK;
}

/* In two steps, since some act in the first one behind the instant.  Where the
 * window begins there is nothing before the jump, so it is a little later.  What
 * only its inputs do need not make its outputs jump. */
static yoke_status pass_mark(yk_fmu_simulation *s, double a, double b, bool own,
                             yoke_err *err)
{
    const double middle = 0.5 * (a + b);
    const double at = a > s->t ? a : a + LITTLE * (b - a);
    double left = 0.0, right = 0.0;

    YK_TRY(yk_fmu_step_over(s, a, middle, err));
    YK_TRY(yk_fmu_moved(s, &left, err));
    YK_TRY(yk_fmu_step_over(s, middle, b, err));
    YK_TRY(yk_fmu_moved(s, &right, err));
    /* What is steep moves as much in both. */
    right = fabs(right - left);
    if (!own && !(fmax(left, right) > VISIBLE + STEEP * fmin(left, right)))
        return a > s->t ? yk_fmu_bend(s, a, err) : YOKE_OK;
    YK_TRY(yk_fmu_end_run(s, at, err));
    YK_TRY(yk_fmu_add_point(s, at, false, err));
    s->trace.late[s->trace.points - 1] = b - at;
    return YOKE_OK;
}

/* Do smooth inputs jump from left to right? */
static bool do_jump(const yk_fmu_simulation *s, const double *left,
                    const double *right)
{
    for (int k = 0; k < s->smooth.count; k++) {
        const double a = left[s->smooth.at[k]], b = right[s->smooth.at[k]];

        if (fabs(b - a) >
            VISIBLE * (s->e.atol + s->e.tolerance * fmax(fabs(a), fabs(b))))
            return true;
    }
    return false;
}

/* The first instant from t on at which smooth inputs jump, or t1. */
static double next_jump(yk_fmu_simulation *s, double t, double t1)
{
    const size_t m = (size_t)s->e.input.count;
    const bool free =
        !(s->e.step > 0.0) && s->e.description->simulation.variable_step;
    int i = s->jump;

    if (!free || s->smooth.count == 0) return t1;
    for (; i < yk_wave_pieces(s->wave); i++) {
        const double at = yk_wave_knot(s->wave, i);

        if (at < t) continue;
        yk_wave_eval_right(s->wave, at, NULL, s->scratch);
        memcpy(s->slope, s->u, m * sizeof *s->u);
        if (i > 0) yk_wave_eval(s->wave, at, NULL, s->slope);
        if (do_jump(s, s->slope, s->scratch)) break;
    }
    s->jump = i;
    return i < yk_wave_pieces(s->wave) ? yk_wave_knot(s->wave, i) : t1;
}

/* From a as far as one rule goes. */
static yoke_status run_on(yk_fmu_simulation *s, double *a, double t1,
                          yoke_err *err)
{
    const double *mark = next_mark(s, *a);
    const double begin = *a, jump = next_jump(s, begin, t1);
    double b = fmin(next_change(s, *a, t1), jump), over = begin;
    if (s->next > *a) b = fmin(b, s->next);
    bool own = false;

    if (jump <= begin) over = fmin(begin + BEHIND * (t1 - s->t), t1);
    if (mark && mark[0] <= over) {
        over = fmax(over, mark[1]);
        own = true;
    }
    if (over > begin) {
        b = over;
        YK_TRY(pass_mark(s, *a, b, own, err));
    } else {
        if (mark) b = fmin(b, mark[0]);
        YK_TRY(run_part(s, *a, b, t1, err));
    }
    *a = b;
    return YOKE_OK;
}

/* Slopes of outputs that contradict the outputs are not asked for again. */
static void doubt_slopes(yk_fmu_simulation *s)
{
    for (int k = 0; k < s->sloped.count; k++)
        if (!yk_trace_believes(&s->trace, s->sloped.at[k])) {
            yk_trace_forget(&s->trace);
            s->sloped.count = 0;
        }
}

/* The outputs where the window begins: those of the accepted point, or, if they
 * follow the inputs at once, those with the inputs of now, which may have jumped
 * (multipliers do).  An FMU of FMI 2 need not tell these before its next step: if
 * no bit has changed, that is a very short one.  *from: where it is then. */
static yoke_status first_point(yk_fmu_simulation *s, double t1, double *from,
                               yoke_err *err)
{
    const int p = s->e.output.count;
    const bool chosen = !(s->e.step > 0.0);
    const double a = s->t, h = next_jump(s, a, t1) > a ? FIRST : BEHIND;
    const double b = a + fmax(h * (t1 - a), 1e-14 * fabs(a));
    double *value = NULL, *slope = NULL;

    *from = s->at;
    YK_TRY(yk_trace_add(&s->trace, a, &value, &slope, err));
    memcpy(value, s->y, (size_t)p * sizeof *value);
    for (int c = 0; c < p; c++) slope[c] = NAN;
    if (!s->direct || s->smooth.count == 0 || s->at > a) return YOKE_OK;
    yk_wave_eval_right(s->wave, a, NULL, s->scratch);
    YK_TRY(give(s, &s->smooth, s->scratch, err));
    YK_TRY(yk_fmu_get(s->e.instance, p, s->e.output.signal, value, err));
    if (!chosen || s->e.description->version == 3 ||
        memcmp(value, s->y, (size_t)p * sizeof *value) != 0)
        return YOKE_OK;
    YK_TRY(yk_fmu_step_over(s, a, b, err));
    *from = b;
    s->trace.late[s->trace.points - 1] = b - a;
    return yk_fmu_get(
        s->e.instance, p, s->e.output.signal,
        s->trace.value + (size_t)(s->trace.points - 1) * (size_t)p, err);
}

yoke_status yk_fmu_run_steps(yk_fmu_simulation *s, double t1, const yk_wave *u,
                             yk_wave *y, yoke_err *err)
{
    const size_t p = (size_t)s->e.output.count;
    const bool watched = s->e.description->simulation.midway;
    yoke_status status = YOKE_OK;
    double a = s->t;

    s->wave = u;
    s->next = s->next_event;
    s->end = t1;
    s->knot = s->cursor = s->jump = s->lately = s->copies = 0;
    for (size_t c = 0; c < p; c++) s->size[c] = fabs(s->y[c]);
    yk_trace_begin(&s->trace);
    YK_TRY(first_point(s, t1, &a, err));
    if (watched) yk_fmu_watch(s->e.instance, midway, s);
    while (status == YOKE_OK && a < t1) status = run_on(s, &a, t1, err);
    if (status == YOKE_OK && s->trace.time[s->trace.points - 1] < t1)
        status = yk_fmu_end_run(s, t1, err);
    if (watched) yk_fmu_watch(s->e.instance, NULL, NULL);
    YK_TRY(status);
    doubt_slopes(s);
    memcpy(s->y_end, s->trace.value + (size_t)(s->trace.points - 1) * p,
           p * sizeof *s->y);
    yk_wave_eval(u, t1, NULL, s->u1);
    s->t1 = t1;
    s->at1 = a;
    const bool chosen = !(s->e.step > 0.0) &&
                        s->e.description->simulation.variable_step &&
                        !s->e.description->simulation.event_mode;
    return yk_trace_write(&s->trace, s->e.output.discrete, chosen, y, err);
}
