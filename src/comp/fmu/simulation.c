/* comp/fmu/simulation.c -- co-simulation FMUs over a window.
 *
 * The window is divided into communication steps.  An input that the FMU holds
 * over a step gets its mean over the step, which makes an error of second order
 * in the step; where the FMU takes derivatives, value and slope.  What changes
 * at events only is the value at the beginning of the step.
 *
 * Between communication points outputs are cubics with the slopes of parabolas
 * through three points; what changes at events only is constant.
 *
 * Whether it can go back is not believed but tried, in a copy of the process:
 * save, step, restore, step must give the same bits.
 */
#define _GNU_SOURCE
#include "comp/fmu/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Steps that are looked at, see did_nothing. */
enum { LOOKS = 200 };

typedef struct simulation {
    yk_fmu_engine e;
    yk_fmu_signals states, slopes; /* where the FMU tells them */
    double *x;                     /* before, slope, after */
    int looks;
    double t, t1; /* accepted; end of the last sweep */
    int steps;    /* per window, if no step is given */
    bool goes_back, tried;
    void *state;       /* at t */
    double *u, *slope; /* of a step */
    double *y, *y_end; /* outputs at t, at t1 */
    double *point;     /* outputs at the points of a window */
    size_t point_room;
    double *coef; /* of a piece */
    yoke_work work;
} simulation;

/* ---- inputs ------------------------------------------------------------ */

/* Means of the input over [a, b], exact: Gauss on every piece. */
static void mean_inputs(const yoke_wave *u, double a, double b, double *scratch,
                        double *out)
{
    static const double node[2] = { 0.339981043584856, 0.861136311594053 };
    static const double weight[2] = { 0.652145154862546, 0.347854845137454 };
    const int m = yoke_wave_dim(u);
    double left = a;

    for (int k = 0; k < m; k++) out[k] = 0.0;
    for (int i = 1; left < b; i++) {
        const bool last = i >= yoke_wave_pieces(u);
        const double knot = last ? b : fmin(yoke_wave_knot(u, i), b);

        if (knot <= left) continue;
        for (int g = 0; g < 4; g++) {
            const double s = (g & 1 ? 1.0 : -1.0) * node[g / 2];
            const double t = 0.5 * (left + knot) + 0.5 * (knot - left) * s;

            yoke_wave_eval(u, t, NULL, scratch);
            for (int k = 0; k < m; k++)
                out[k] += 0.5 * (knot - left) * weight[g / 2] * scratch[k];
        }
        left = knot;
    }
    for (int k = 0; k < m; k++) out[k] /= b - a;
}

static yoke_status give_inputs(simulation *s, const yoke_wave *u, double a,
                               double b, yoke_err *err)
{
    yk_fmu_engine *e = &s->e;
    const int m = e->input.count;
    const yk_fmu_kind *kind = &e->description->simulation;
    double *now = s->slope;

    if (m == 0) return YOKE_OK;
    mean_inputs(u, a, b, now, s->u);
    yoke_wave_eval_right(u, a, NULL, now);
    for (int k = 0; k < m; k++)
        if (e->input.discrete[k] || kind->interpolates) s->u[k] = now[k];
    YK_TRY(yk_fmu_set(e->instance, m, e->input.signal, s->u, err));
    if (!kind->interpolates) return YOKE_OK;
    yoke_wave_eval(u, b, NULL, now);
    for (int k = 0; k < m; k++)
        now[k] = e->input.discrete[k] ? 0.0 : (now[k] - s->u[k]) / (b - a);
    return yk_fmu_set_slopes(e->instance, m, e->input.signal, now, err);
}

/* ---- outputs ----------------------------------------------------------- */

/* h times the slope of output c at point i of 0 ... n, by parabolas. */
static double slope_at(const double *y, int n, int p, int i, int c)
{
#define Y(k) y[(size_t)(k) * (size_t)p + (size_t)c]
    if (n == 1) return Y(1) - Y(0);
    if (i == 0) return -1.5 * Y(0) + 2.0 * Y(1) - 0.5 * Y(2);
    if (i == n) return 1.5 * Y(n) - 2.0 * Y(n - 1) + 0.5 * Y(n - 2);
    return 0.5 * (Y(i + 1) - Y(i - 1));
#undef Y
}

static void make_piece(const simulation *s, int n, int i, double *coef)
{
    const int p = s->e.output.count;
    const double *left = s->point + (size_t)i * (size_t)p, *right = left + p;

    for (int c = 0; c < p; c++) {
        const double d = right[c] - left[c];
        const bool held = s->e.output.discrete[c];
        const double a = held ? 0.0 : slope_at(s->point, n, p, i, c);
        const double b = held ? 0.0 : slope_at(s->point, n, p, i + 1, c);
        const double rise = held ? 0.0 : d;

        coef[c] = left[c];
        coef[p + c] = a;
        coef[2 * p + c] = 3.0 * rise - 2.0 * a - b;
        coef[3 * p + c] = a + b - 2.0 * rise;
    }
}

static yoke_status write_outputs(simulation *s, const double *time, int n,
                                 yoke_wave *y, yoke_err *err)
{
    yoke_wave_clear(y, time[0]);
    for (int i = 0; i < n; i++) {
        make_piece(s, n, i, s->coef);
        YK_TRY(yoke_wave_append(y, time[i + 1], 3, s->coef, err));
    }
    return YOKE_OK;
}

/* ---- steps ------------------------------------------------------------- */

/* The FMU may come less far than asked for, and go on from there. */
static yoke_status step_to(simulation *s, double t, double end, yoke_err *err)
{
    for (int tries = 0; t < end; tries++) {
        double reached = t;
        bool event = false;
        yk_fmu_event happened = { .again = true };

        if (tries > 1000)
            return yk_fail(err, YOKE_E_CALLBACK,
                           "the FMU comes no farther than t = %.9g", t);
        YK_TRY(yk_fmu_step(s->e.instance, t, end - t, &reached, &event, err));
        s->work.steps++;
        if (event) {
            YK_TRY(yk_fmu_event_mode(s->e.instance, err));
            while (happened.again)
                YK_TRY(yk_fmu_update(s->e.instance, &happened, err));
            YK_TRY(yk_fmu_time_mode(s->e.instance, err));
            s->work.events++;
        }
        t = reached;
        if (end - t < 1e-12 * fabs(end)) t = end;
    }
    return YOKE_OK;
}

/* ---- steps that do nothing --------------------------------------------- */

/* Signals of the states and their derivatives, where the structure has them. */
static yoke_status find_states(simulation *s, yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;
    const char **x = NULL, **slope = NULL;
    int bad = -1;
    yoke_status status;

    YK_GO(YK_NEW(&x, d->derivatives + 1, err));
    YK_GO(YK_NEW(&slope, d->derivatives + 1, err));
    for (int i = 0; i < d->derivatives; i++) {
        const yk_fmu_variable *v = &d->variable[d->derivative[i].variable];

        slope[i] = v->name;
        x[i] = d->variable[v->state].name;
    }
    YK_GO(yk_fmu_choose(d, d->derivatives, x, &s->states, &bad, err));
    YK_GO(yk_fmu_choose(d, d->derivatives, slope, &s->slopes, &bad, err));
    YK_GO(yk_doubles(&s->x, 3 * (size_t)s->states.count + 1, err));
done:
    yk_free(x);
    yk_free(slope);
    return status;
}

static bool look_before(simulation *s)
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
static yoke_status did_nothing(simulation *s, double t, double h, yoke_err *err)
{
    static const double visible = 1e-6; /* of the size of a state */
    const int n = s->states.count;
    double *after = s->x + 2 * n;
    bool moves = false;

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
    return yk_fail(
        err, YOKE_E_MODEL,
        "the FMU did nothing from t = %.9g to %.9g, although its "
        "states have slopes: the steps of its own solver are longer; "
        "set `step` to a multiple of them",
        t, t + h);
}

/* How the window is divided: by the given step from its beginning, which the
 * window must be a multiple of unless the FMU takes any; or evenly. */
static yoke_status count_steps(const simulation *s, double t1, int *count,
                               double *h, yoke_err *err)
{
    const double length = t1 - s->t, step = s->e.step;

    *count = s->steps;
    *h = length / s->steps;
    if (!(step > 0.0)) return YOKE_OK;
    const double ratio = length / step, whole = nearbyint(ratio);
    const bool fits = whole >= 1.0 && fabs(ratio - whole) < 1e-6;
    if (!fits && !s->e.description->simulation.variable_step)
        return yk_fail(err, YOKE_E_ARG,
                       "the window [%.9g, %.9g] is no multiple of the step "
                       "%.9g, and the FMU takes no other; set the window",
                       s->t, t1, step);
    *count = (int)(fits ? whole : ceil(ratio));
    *h = fits ? length / whole : step;
    return YOKE_OK;
}

static yoke_status run_steps(simulation *s, double t1, const yoke_wave *u,
                             yoke_wave *y, yoke_err *err)
{
    const int p = s->e.output.count;
    int n = 0;
    double h = 0.0, *time;

    YK_TRY(count_steps(s, t1, &n, &h, err));
    YK_TRY(yk_grow((void **)&s->point, &s->point_room,
                   (size_t)(n + 1) * (size_t)(p + 1), sizeof *s->point, err));
    time = s->point + (size_t)(n + 1) * (size_t)p;
    memcpy(s->point, s->y, (size_t)p * sizeof *s->y);
    for (int i = 0; i <= n; i++) time[i] = i == n ? t1 : s->t + i * h;
    for (int i = 0; i < n; i++) {
        YK_TRY(give_inputs(s, u, time[i], time[i + 1], err));
        const bool looked = look_before(s);
        YK_TRY(step_to(s, time[i], time[i + 1], err));
        if (looked) YK_TRY(did_nothing(s, time[i], time[i + 1] - time[i], err));
        YK_TRY(yk_fmu_get(s->e.instance, p, s->e.output.signal,
                          s->point + (size_t)(i + 1) * (size_t)p, err));
        s->work.residuals++;
    }
    memcpy(s->y_end, s->point + (size_t)n * (size_t)p,
           (size_t)p * sizeof *s->y);
    s->t1 = t1;
    return write_outputs(s, time, n, y, err);
}

/* ---- going back -------------------------------------------------------- */

/* In a copy of the process, so nothing that happens here is seen. */
static bool repeats_itself(simulation *s, double t1, const yoke_wave *u,
                           yoke_wave *y)
{
    yoke_wave *first = NULL;
    void *state = NULL;
    bool same = false;

    if (yoke_wave_create(&first, s->e.output.count, NULL) == YOKE_OK &&
        yk_fmu_save(s->e.instance, &state, NULL) == YOKE_OK &&
        run_steps(s, t1, u, first, NULL) == YOKE_OK &&
        yk_fmu_restore(s->e.instance, state, NULL) == YOKE_OK &&
        run_steps(s, t1, u, y, NULL) == YOKE_OK)
        same = yoke_wave_equal(first, y);
    return same;
}

static void try_state(simulation *s, double t1, const yoke_wave *u,
                      yoke_wave *y)
{
    int state = 0;

    s->tried = true;
    const pid_t copy = fork();
    if (copy == 0) {
        alarm(60);
        _exit(repeats_itself(s, t1, u, y) ? 42 : 1);
    }
    if (copy > 0 && waitpid(copy, &state, 0) == copy)
        s->goes_back = WIFEXITED(state) && WEXITSTATUS(state) == 42;
}

/* ---- the propagator ---------------------------------------------------- */

static yoke_status simulation_start(void *self, double t0, const double *x0,
                                    const double *u0, double *y0, yoke_err *err)
{
    simulation *s = self;
    yk_fmu_event happened = { .again = true };

    (void)x0;
    YK_TRY(yk_fmu_engine_start(&s->e, t0, u0, err));
    if (s->e.description->simulation.event_mode) {
        while (happened.again)
            YK_TRY(yk_fmu_update(s->e.instance, &happened, err));
        YK_TRY(yk_fmu_time_mode(s->e.instance, err));
    }
    YK_TRY(yk_fmu_get(s->e.instance, s->e.output.count, s->e.output.signal,
                      s->y, err));
    memcpy(y0, s->y, (size_t)s->e.output.count * sizeof *y0);
    s->t = s->t1 = t0;
    return YOKE_OK;
}

static yoke_status simulation_sweep(void *self, double t1, const yoke_wave *u,
                                    yoke_wave *y, yoke_err *err)
{
    simulation *s = self;

    s->work.sweeps++;
    if (s->goes_back) {
        if (s->state)
            YK_TRY(yk_fmu_restore(s->e.instance, s->state, err));
        else
            YK_TRY(yk_fmu_save(s->e.instance, &s->state, err));
    }
    return run_steps(s, t1, u, y, err);
}

static yoke_status simulation_accept(void *self, yoke_err *err)
{
    simulation *s = self;

    s->t = s->t1;
    memcpy(s->y, s->y_end, (size_t)s->e.output.count * sizeof *s->y);
    if (!s->goes_back) return YOKE_OK;
    return yk_fmu_save(s->e.instance, &s->state, err);
}

static double simulation_step(void *self)
{
    const simulation *s = self;

    return s->e.step > 0.0 ? s->e.step : (s->t1 - s->t) / s->steps;
}

static void simulation_work(void *self, yoke_work *work)
{
    const simulation *s = self;

    *work = s->work;
}

static void simulation_free(void *self)
{
    simulation *s = self;

    if (!s) return;
    if (s->e.instance) yk_fmu_forget(s->e.instance, &s->state);
    yk_fmu_engine_close(&s->e);
    yk_free(s->u);
    yk_free(s->slope);
    yk_free(s->y);
    yk_free(s->y_end);
    yk_free(s->point);
    yk_free(s->coef);
    yk_free(s->x);
    yk_free(s);
}

static const yoke_propagator_ops simulation_ops = {
    .kind = "co-simulation FMU",
    .start = simulation_start,
    .sweep = simulation_sweep,
    .accept = simulation_accept,
    .step = simulation_step,
    .work = simulation_work,
    .free = simulation_free,
};

static void divide(void *self, int steps)
{
    simulation *s = self;

    s->steps = steps > 0 ? steps : 1;
}

static bool back(void *self, double t1, const yoke_wave *u, yoke_wave *y)
{
    simulation *s = self;

    if (!s->tried && s->e.description->simulation.state) try_state(s, t1, u, y);
    return s->goes_back;
}

yoke_status yk_fmu_make_simulation(const yk_part_spec *spec,
                                   yk_part_engine *out, yoke_err *err)
{
    simulation *s = NULL;
    yoke_status status;
    const size_t m = (size_t)spec->m + 1, p = (size_t)spec->p + 1;

    YK_TRY(YK_NEW(&s, 1, err));
    s->steps = 1;
    YK_GO(yk_doubles(&s->u, m, err));
    YK_GO(yk_doubles(&s->slope, m, err));
    YK_GO(yk_doubles(&s->y, p, err));
    YK_GO(yk_doubles(&s->y_end, p, err));
    YK_GO(yk_doubles(&s->coef, 4 * p, err));
    YK_GO(yk_fmu_engine_open(&s->e, spec, false, err));
    YK_GO(find_states(s, err));
    *out = (yk_part_engine){
        .propagator = { .ops = &simulation_ops,
                        .self = s,
                        .m = spec->m,
                        .p = spec->p },
        .goes_back = back,
        .divide = s->e.step > 0.0 ? NULL : divide,
    };
    return YOKE_OK;
done:
    simulation_free(s);
    return status;
}
