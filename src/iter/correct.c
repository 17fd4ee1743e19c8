/* iter/correct.c -- better coupling waveforms between two sweeps.
 *
 * With r = F(w) - w the correction dw solves dw - F' dw = r on a grid of N
 * equal steps.  At each instant
 *
 *     dw(t) = M r(t) + M history(t),      M = (I - S)^-1.
 *
 * The second part is smooth and interpolated from the grid.  The first part may
 * be rough, on the scale of the subsystems' own steps; where M differs from the
 * identity it is applied to the waveforms themselves, exactly, so that nothing
 * between the points of the grid is left for a strong coupling to amplify.  For
 * the history r is averaged around each point.
 *
 * Without history, and with S for h -> 0, this is the preconditioner of Arnold
 * and Guenther (2001), equations (2.12) to (2.14): M = (I - A)^-1.  An A(t)
 * given by the user is taken at each point of the grid, and at the end of the
 * window for the part that is applied exactly.  Without a linearisation M = I,
 * and Anderson's method does the rest; Aitken's has M = omega I.
 */
#include "iter/correction.h"

#include "base/tolerance.h"

#include <math.h>
#include <string.h>

/* A linearisation serves again while the iteration contracts at least so; else
 * a new one is made, if need be after each sweep. */
static const double good_rate = 0.1;

/* Corrections that shrink less than this, twice in a row, need more than the
 * linearisation; those that grow are given up. */
static const double slow_rate = 0.3;
enum { MOST_DISTRUST = 64, MOST_STUCK = 3 };

/* Without a linearisation the first steps may grow: they are where the
 * differences come from. */
enum { MOST_GROWN = 4 };

/* Corrections that do not matter, relative to the tolerance. */
static const double small = 1e-3;

/* h -> 0 relative to the window. */
static const double short_step = 1e-6;

void yk_correct_free(yk_correct *c)
{
    if (!c) return;
    yk_interface_free(c->interface);
    yk_anderson_free(c->anderson);
    yoke_wave_free(c->extra);
    double *const block[] = { c->m,      c->r,      c->w,      c->dw,
                              c->smooth, c->before, c->weight, c->scale,
                              c->sample, c->taken,  c->second, c->coef };
    for (size_t k = 0; k < sizeof block / sizeof *block; k++) yk_free(block[k]);
    yk_free(c->term);
    yk_free(c->row);
    yk_free(c->cursor);
    yk_free(c->first);
    yk_free(c->name);
    yk_free(c->counts);
    yk_free(c->node);
    yk_free(c->a);
    yk_free(c->column);
    yk_free(c->pivot);
    yk_free(c);
}

static int most_outputs(const yk_plan *plan)
{
    int most = 0;

    for (int i = 0; i < plan->units; i++)
        if (plan->unit[i].propagator->p > most)
            most = plan->unit[i].propagator->p;
    return most;
}

static yoke_status build(yk_correct *c, yoke_err *err)
{
    const size_t n = (size_t)c->size;
    const size_t outs = (size_t)most_outputs(&c->plan->plan);
    const size_t units = (size_t)c->plan->plan.units;
    const size_t grid = n * (YK_MOST_STEPS + 1);
    double **const block[] = { &c->r,      &c->w,      &c->dw,    &c->smooth,
                               &c->before, &c->weight, &c->second };

    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        YK_TRY(yk_doubles(block[k], grid, err));
    YK_TRY(yk_doubles(&c->m, n * n, err));
    YK_TRY(yk_doubles(&c->a, n * n, err));
    if (c->linear && !c->march)
        YK_TRY(yk_doubles(&c->node, n * n * (YK_MOST_PARTS + 1), err));
    YK_TRY(yk_doubles(&c->column, n, err));
    YK_TRY(yk_ints(&c->pivot, n, err));
    YK_TRY(YK_NEW(&c->name, n, err));
    for (size_t l = 0; l < n; l++) c->name[l] = "";
    YK_TRY(yk_doubles(&c->counts, n, err));
    for (size_t l = 0; l < n; l++) c->counts[l] = 1.0;
    YK_TRY(yk_doubles(&c->scale, n, err));
    YK_TRY(yk_doubles(&c->sample, outs, err));
    YK_TRY(yk_doubles(&c->taken, outs, err));
    YK_TRY(yk_doubles(&c->coef, 4 * n, err));
    YK_TRY(YK_NEW(&c->term, outs * (2 + 2 * n), err));
    YK_TRY(yk_doubles(&c->row, outs * (YOKE_WAVE_MAX_DEGREE + 1), err));
    YK_TRY(yk_ints(&c->cursor, 2 * units, err));
    YK_TRY(yk_ints(&c->first, units + 1, err));
    for (size_t l = 0; l < n; l++) c->first[c->late[l].unit + 1]++;
    for (size_t i = 0; i < units; i++) c->first[i + 1] += c->first[i];
    return yoke_wave_create(&c->extra, c->size, err);
}

/* What the chosen way needs, and what the units can. */
static yoke_status choose(yk_correct *c, bool *possible, yoke_err *err)
{
    const yoke_accelerate way = c->options->accelerate;
    const bool can = yk_interface_can(c->interface);
    const bool automatic = way == YOKE_ACCELERATE_AUTO;

    c->linear = can && !yk_precond_given(c) &&
                (automatic || way == YOKE_ACCELERATE_NEWTON ||
                 way == YOKE_ACCELERATE_PRECONDITION);
    c->march = c->linear && way != YOKE_ACCELERATE_PRECONDITION;
    c->omega = 1.0;
    const bool anderson = automatic || way == YOKE_ACCELERATE_ANDERSON;
    *possible = c->size > 0 && (c->linear || anderson || yk_precond_given(c) ||
                                way == YOKE_ACCELERATE_AITKEN);
    if (!*possible || !anderson) return YOKE_OK;
    return yk_anderson_create(&c->anderson,
                              (size_t)c->size * (YK_MOST_STEPS + 1), err);
}

yoke_status yk_correct_create(yk_correct **out, yk_plan_state *plan,
                              const yoke_iterate_options *options,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_correct *c = NULL;
    bool possible = false;

    *out = NULL;
    YK_TRY(YK_NEW(&c, 1, err));
    c->plan = plan;
    c->options = options;
    YK_GO(yk_interface_create(&c->interface, plan, err));
    c->size = yk_interface_size(c->interface, &c->late);
    YK_GO(choose(c, &possible, err));
    if (!possible) goto done;
    YK_GO(build(c, err));
    *out = c;
    c = NULL;
done:
    yk_correct_free(c);
    return status;
}

void yk_correct_names(yk_correct *c, const yk_iteration_setup *setup)
{
    for (int l = 0; c && l < c->size; l++) {
        const yk_unit *unit = &c->plan->plan.unit[c->late[l].unit];
        if (setup->weight)
            c->counts[l] = setup->weight[unit->output_id[c->late[l].component]];
        for (int v = 0; v < setup->variables; v++)
            if (setup->variable[v] == unit->output_id[c->late[l].component])
                c->name[l] = setup->variable_name[v];
    }
}

void yk_correct_begin(yk_correct *c, double t0, double t1)
{
    c->t0 = t0;
    c->t1 = t1;
    c->chosen = false;
    c->stopped = c->skip > 0;
    c->skip -= c->skip > 0;
    c->applied = c->grown = c->slow = c->stuck = 0;
    if (c->anderson) yk_anderson_begin(c->anderson);
}

void yk_correct_accept(yk_correct *c, double rate)
{
    if (!c->stopped && c->applied > 1) c->distrust = 0;
    c->stale = c->stale || rate > good_rate;
    c->node_time = c->t1;
    c->node_step = c->step; /* the last matrix begins the next window */
}

/* ---- the linear part ------------------------------------------------------
 */

static void choose_steps(yk_correct *c)
{
    int pieces = 0, steps = YK_LEAST_STEPS;

    for (int i = 0; i < c->plan->plan.units; i++) {
        const int own = yoke_wave_pieces(c->plan->unit[i].y);
        if (own > pieces) pieces = own;
    }
    while (steps < YK_MOST_STEPS && steps < 4 * pieces) steps *= 2;
    if (steps <= c->steps && 4 * steps > c->steps) return;
    c->steps = steps;
    if (c->anderson) yk_anderson_reset(c->anderson);
}

static void scaled_identity(yk_correct *c, double factor)
{
    for (int i = 0; i < c->size; i++)
        for (int j = 0; j < c->size; j++)
            c->m[i * c->size + j] = i == j ? factor : 0.0;
}

/* What nobody reads of a waveform, between the points that a subsystem looks
 * at, has F' = 0: applied to it, M leaves the part I - M of it.  What is read
 * there and is not on the grid grows by S in each sweep.  Unless I - M is a
 * clear reduction, M is applied to the waveforms as they are in every other
 * sweep: the one takes what is read, the other what is not. */
static void choose_exact(yk_correct *c)
{
    static const double most = 0.8;
    double norm = 0.0;

    for (int i = 0; i < c->size && c->march; i++) {
        double sum = 0.0;
        for (int j = 0; j < c->size; j++)
            sum += fabs((i == j) - c->m[i * c->size + j]) * c->scale[j];
        norm = fmax(norm, sum / c->scale[i]);
    }
    c->exact = norm < most || c->applied % 2 == 0;
}

/* M for this window, and the linearisation behind it. */
static yoke_status linearise(yk_correct *c, yoke_err *err)
{
    if (!c->chosen) choose_steps(c);
    c->chosen = true;
    const double h =
        c->march ? (c->t1 - c->t0) / c->steps : (c->t1 - c->t0) * short_step;
    const bool same = fabs(h - c->step) <= 1e-9 * h;
    if (!same && c->anderson) yk_anderson_reset(c->anderson);
    if (!c->linear) {
        c->step = h;
        if (yk_precond_given(c)) return yk_precond_take_given(c, err);
        scaled_identity(c, c->omega);
        return YOKE_OK;
    }
    if (!c->stale && same && (c->march || c->applied > 0)) return YOKE_OK;
    c->step = 0.0;
    if (c->march) {
        YK_TRY(yk_interface_linearise(c->interface, h, c->name, err));
        memcpy(c->m, yk_interface_inverse(c->interface),
               (size_t)(c->size * c->size) * sizeof *c->m);
    } else
        YK_TRY(yk_precond_take_along(c, h, err));
    c->step = h;
    c->stale = false;
    if (c->anderson) yk_anderson_reset(c->anderson);
    return YOKE_OK;
}

/* The tolerance of each component, by the size of the corrected waveforms; the
 * same in all sweeps of a window, so that corrections can be compared.  What a
 * sweep makes is no measure: a strong coupling makes it too large at first. */
static void measure_scale(yk_correct *c)
{
    for (int l = 0; l < c->size; l++) {
        double most = 0.0;
        for (int k = l; k < c->size * (c->steps + 1); k += c->size)
            most = fmax(most, fabs(c->w[k] + c->dw[k]));
        c->scale[l] = yk_tolerance(c->options->atol / c->counts[l],
                                   c->options->rtol, most);
    }
}

/* ---- the correction -------------------------------------------------------
 */

/* omega of Aitken's method from the last two residuals. */
static void aitken(yk_correct *c)
{
    const int count = c->size * (c->steps + 1);
    double above = 0.0, below = 0.0;

    for (int i = 0; i < count && c->applied > 0; i++) {
        const double scale = c->scale[i % c->size];
        const double change = (c->r[i] - c->before[i]) / scale;
        above += c->before[i] / scale * change;
        below += change * change;
    }
    if (below > 0.0) c->omega *= -above / below;
    if (!(fabs(c->omega) < 1e6) || c->omega == 0.0) c->omega = 1.0;
    memcpy(c->before, c->r, (size_t)count * sizeof *c->r);
    scaled_identity(c, c->omega);
}

/* dw of the newest r on the grid, with what is known now. */
static yoke_status solve(yk_correct *c, yoke_err *err)
{
    const int n = c->size;

    if (c->march)
        return yk_interface_march(c->interface, c->steps + 1, c->r, c->dw,
                                  c->smooth, err);
    if (yk_precond_given(c)) return yk_precond_solve_given(c, err);
    if (c->linear) {
        yk_precond_solve_along(c);
        return YOKE_OK;
    }
    if (c->options->accelerate == YOKE_ACCELERATE_AITKEN) aitken(c);
    for (int k = 0; k <= c->steps; k++)
        for (int i = 0; i < n; i++) {
            c->dw[k * n + i] = 0.0;
            for (int j = 0; j < n; j++)
                c->dw[k * n + i] += c->m[i * n + j] * c->r[k * n + j];
        }
    return YOKE_OK;
}

static double norm(const yk_correct *c, const double *v)
{
    double most = 0.0;

    for (int i = 0; i < c->size * (c->steps + 1); i++) {
        const double size = fabs(v[i]) / c->scale[i % c->size];
        if (!(size <= most)) most = size;
    }
    return most;
}

/* Newton's step; with a new linearisation if the old one is no longer good. */
static yoke_status newton(yk_correct *c, yoke_err *err)
{
    const double last = c->norm, rest = c->rest;

    YK_TRY(solve(c, err));
    if (c->applied == 0) measure_scale(c);
    c->norm = norm(c, c->dw);
    c->rest = norm(c, c->r);
    if (c->applied == 0) return YOKE_OK;
    c->stuck = c->rest > 0.9 * rest && c->rest > 1.0 ? c->stuck + 1 : 0;
    if (c->norm < small || c->norm <= good_rate * last) return YOKE_OK;
    c->slow = c->norm > slow_rate * last ? c->slow + 1 : 0;
    c->grown = c->norm > last ? c->grown + 1 : 0;
    /* Differences are worth something only with one linearisation. */
    if (!c->march || (c->anderson && c->slow >= 2)) return YOKE_OK;
    c->stale = true;
    YK_TRY(linearise(c, err));
    YK_TRY(solve(c, err));
    c->norm = norm(c, c->dw);
    return YOKE_OK;
}

/* Beside a linearisation only if that alone is slow. */
static yoke_status quasi_newton(yk_correct *c, yoke_err *err)
{
    const int count = c->size * (c->steps + 1);

    if (!c->anderson || (c->linear && c->slow < 2)) return YOKE_OK;
    for (int i = 0; i < count; i++) c->weight[i] = c->scale[i % c->size];
    YK_TRY(yk_anderson_step(c->anderson, count, c->w, c->dw, c->weight,
                            c->smooth, err));
    for (int i = 0; i < count; i++) c->dw[i] += c->smooth[i];
    return YOKE_OK;
}

/* It did harm: the plain iteration goes on from what the sweep made, and the
 * next windows do without it, the more the oftener that happens. */
static void stop(yk_correct *c)
{
    c->stopped = true;
    c->step = 0.0; /* another window needs another linearisation */
    c->skip = c->distrust;
    c->distrust = c->distrust ? 2 * c->distrust : 1;
    if (c->distrust > MOST_DISTRUST) c->distrust = MOST_DISTRUST;
}

static bool harmful(const yk_correct *c)
{
    if (yk_precond_given(c)) return false;
    return c->linear ? c->grown > 0 || c->stuck >= MOST_STUCK
                     : c->grown > MOST_GROWN;
}

const char *yk_correct_why_not(const yk_correct *c)
{
    return c ? c->why.text : "";
}

/* YOKE_RETRY: there is no correction. */
static yoke_status find(yk_correct *c, yoke_err *err)
{
    YK_TRY(linearise(c, err));
    yk_grid_sample(c);
    choose_exact(c);
    YK_TRY(newton(c, err));
    YK_TRY(quasi_newton(c, err));
    c->applied++;
    if (yk_all_finite(c->dw, c->size * (c->steps + 1), NULL)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY, "the correction is not finite");
}

yoke_status yk_correct_apply(yk_correct *c, bool *done, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };

    *done = false;
    if (c->stopped) return YOKE_OK;
    const yoke_status status = find(c, &why);
    if (status < 0) {
        if (err) *err = why;
        return status;
    }
    c->why = why;
    if (status != YOKE_OK || harmful(c)) {
        stop(c);
        return YOKE_OK;
    }
    yk_grid_subtract_exact(c);
    YK_TRY(yk_grid_correct(c, err));
    *done = true;
    return YOKE_OK;
}
