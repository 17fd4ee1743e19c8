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
#include "iter/correct.h"
#include "iter/anderson.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

/* Steps of the grid: about as many as the subsystems take themselves. */
enum { LEAST_STEPS = 16, MOST_STEPS = 256 };

/* Entries of M - I smaller than this, relative to the tolerances, need no exact
 * treatment. */
static const double rough = 1e-6;

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
static const double short_step = 1e-5;

struct yk_correct {
    yk_plan_state *plan;
    const yoke_iterate_options *options;
    yk_interface *interface;
    bool exact;            /* M is applied to the waveforms themselves */
    bool linear, march;    /* with a linearisation; with its history */
    yk_anderson *anderson; /* NULL: without */
    int size;
    const yk_late *late;
    double t0, t1;
    int steps;          /* of the grid */
    double step;        /* of the linearisation; 0: none */
    bool chosen;        /* the grid of this window */
    bool stale;         /* a new linearisation is wanted */
    bool stopped;       /* no correction in this window */
    int skip, distrust; /* windows without; the next time */
    int applied;        /* corrections in this window */
    int grown, slow;    /* those in a row that grew, or hardly shrank */
    int stuck;          /* sweeps in a row with hardly less to correct */
    double norm, rest;  /* of the last one; of F(w) - w before it */
    double omega;       /* of Aitken's method */
    double *m;          /* size by size */
    const char **name;  /* of the late components */
    double *a, *column; /* the user's A, factored I - A; a vector */
    int *pivot;
    double *r, *w;          /* points of the grid by late components */
    double *dw, *smooth;    /* the same */
    double *before;         /* r of the last sweep, for Aitken's method */
    double *weight;         /* scale at every point, for Anderson's method */
    double *scale;          /* tolerance of each late component */
    double *sample, *taken; /* outputs of one unit, new and old */
    double *second, *coef;  /* of the spline */
    yoke_wave *extra;       /* the part that is interpolated */
    yoke_wave_term *term;
};

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
    yk_free(c->name);
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
    const size_t grid = n * (MOST_STEPS + 1);
    double **const block[] = { &c->r,      &c->w,      &c->dw,    &c->smooth,
                               &c->before, &c->weight, &c->second };

    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        YK_TRY(yk_doubles(block[k], grid, err));
    YK_TRY(yk_doubles(&c->m, n * n, err));
    YK_TRY(yk_doubles(&c->a, n * n, err));
    YK_TRY(yk_doubles(&c->column, n, err));
    YK_TRY(yk_ints(&c->pivot, n, err));
    YK_TRY(YK_NEW(&c->name, n, err));
    for (size_t l = 0; l < n; l++) c->name[l] = "";
    YK_TRY(yk_doubles(&c->scale, n, err));
    YK_TRY(yk_doubles(&c->sample, outs, err));
    YK_TRY(yk_doubles(&c->taken, outs, err));
    YK_TRY(yk_doubles(&c->coef, 4 * n, err));
    YK_TRY(YK_NEW(&c->term, outs * (2 + 2 * n), err));
    return yoke_wave_create(&c->extra, c->size, err);
}

/* A matrix of the user takes the place of the linearisation. */
static bool is_given(const yk_correct *c)
{
    return c->options->accelerate == YOKE_ACCELERATE_PRECONDITION &&
           c->options->preconditioner;
}

/* What the chosen way needs, and what the units can. */
static yoke_status choose(yk_correct *c, bool *possible, yoke_err *err)
{
    const yoke_accelerate way = c->options->accelerate;
    const bool can = yk_interface_can(c->interface);
    const bool automatic = way == YOKE_ACCELERATE_AUTO;

    c->linear = can && !is_given(c) &&
                (automatic || way == YOKE_ACCELERATE_NEWTON ||
                 way == YOKE_ACCELERATE_PRECONDITION);
    c->march = c->linear && way != YOKE_ACCELERATE_PRECONDITION;
    c->omega = 1.0;
    const bool anderson = automatic || way == YOKE_ACCELERATE_ANDERSON;
    *possible = c->size > 0 && (c->linear || anderson || is_given(c) ||
                                way == YOKE_ACCELERATE_AITKEN);
    if (!*possible || !anderson) return YOKE_OK;
    return yk_anderson_create(&c->anderson, (size_t)c->size * (MOST_STEPS + 1),
                              err);
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
}

/* ---- the linear part ------------------------------------------------------
 */

static void choose_steps(yk_correct *c)
{
    int pieces = 0, steps = LEAST_STEPS;

    for (int i = 0; i < c->plan->plan.units; i++) {
        const int own = yoke_wave_pieces(c->plan->unit[i].y);
        if (own > pieces) pieces = own;
    }
    while (steps < MOST_STEPS && steps < 4 * pieces) steps *= 2;
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

/* I - A of the user at time t, factored. */
static yoke_status factor_given(yk_correct *c, double t, yoke_err *err)
{
    const int n = c->size;
    int row = -1;

    memset(c->a, 0, (size_t)(n * n) * sizeof *c->a);
    YK_TRY(c->options->preconditioner(c->options->preconditioner_context, t, n,
                                      c->name, c->a, err));
    if (!yk_all_finite(c->a, n * n, &row))
        return yk_fail(
            err, YOKE_E_ARG,
            "preconditioner: A is not finite at t = %g in the row of "
            "\"%.300s\"",
            t, c->name[row / n]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c->a[i * n + j] = (i == j) - c->a[i * n + j];
    const yoke_status status = yk_dense_factor(n, c->a, c->pivot, &row, NULL);
    if (status <= 0) return status;
    return yk_fail(err, YOKE_E_ARG,
                   "preconditioner: I - A is singular at t = %g, in the row of "
                   "\"%.300s\"",
                   t, c->name[row]);
}

/* M at the end of the window. */
static yoke_status take_given(yk_correct *c, yoke_err *err)
{
    const int n = c->size;

    YK_TRY(factor_given(c, c->t1, err));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) c->column[i] = i == j;
        YK_TRY(yk_dense_solve(n, c->a, c->pivot, 1, c->column, err));
        for (int i = 0; i < n; i++) c->m[i * n + j] = c->column[i];
    }
    return YOKE_OK;
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
        if (is_given(c)) return take_given(c, err);
        scaled_identity(c, c->omega);
        return YOKE_OK;
    }
    if (!c->stale && same) return YOKE_OK;
    c->step = 0.0;
    YK_TRY(yk_interface_linearise(c->interface, h, err));
    memcpy(c->m, yk_interface_inverse(c->interface),
           (size_t)(c->size * c->size) * sizeof *c->m);
    c->step = h;
    c->stale = false;
    if (c->anderson) yk_anderson_reset(c->anderson);
    return YOKE_OK;
}

/* Adds `weight` times the unit's late components at time t to point k: F(w) - w
 * to r, w to w. */
static void add_sample(yk_correct *c, int unit, int k, double weight)
{
    double *r = c->r + k * c->size, *w = c->w + k * c->size;

    for (int l = 0; l < c->size; l++) {
        if (c->late[l].unit != unit) continue;
        const int at = c->late[l].component;
        r[l] += weight * (c->sample[at] - c->taken[at]);
        w[l] += weight * c->taken[at];
    }
}

/* The grid sees local averages, so that what is rough between its points is not
 * mistaken for something smooth: 8 points within one step to either side, with
 * weights that leave cubic polynomials as they are.  The ends are points. */
static void sample_unit(yk_correct *c, int unit)
{
    const yk_unit_state *s = &c->plan->unit[unit];
    const yoke_wave *made = s->y, *taken = s->moved ? s->old : s->y;
    const double h = (c->t1 - c->t0) / c->steps;
    int at[2] = { 0, 0 };

    yoke_wave_eval_right(made, c->t0, NULL, c->sample);
    yoke_wave_eval_right(taken, c->t0, NULL, c->taken);
    add_sample(c, unit, 0, 1.0);
    for (int j = 0; j < 4 * c->steps; j++) {
        const int k = j / 4;
        const double s0 = (j % 4 + 0.5) / 4.0, s1 = 1.0 - s0;
        const double t = c->t0 + (k + s0) * h;
        yoke_wave_eval(made, t, &at[0], c->sample);
        yoke_wave_eval(taken, t, &at[1], c->taken);
        if (k > 0) add_sample(c, unit, k, 0.2890625 - 0.5 * s0 * s0);
        if (k + 1 < c->steps)
            add_sample(c, unit, k + 1, 0.2890625 - 0.5 * s1 * s1);
    }
    yoke_wave_eval(made, c->t1, NULL, c->sample);
    yoke_wave_eval(taken, c->t1, NULL, c->taken);
    add_sample(c, unit, c->steps, 1.0);
}

static void sample(yk_correct *c)
{
    const size_t bytes = (size_t)(c->size * (c->steps + 1)) * sizeof *c->r;

    memset(c->r, 0, bytes);
    memset(c->w, 0, bytes);
    for (int i = 0; i < c->plan->plan.units; i++) {
        bool any = false;
        for (int l = 0; l < c->size; l++) any = any || c->late[l].unit == i;
        if (any) sample_unit(c, i);
    }
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
        c->scale[l] = c->options->atol + c->options->rtol * most;
    }
}

/* ---- the waveforms --------------------------------------------------------
 */

/* Entry (i, j) of M - I, if it is applied to the waveforms themselves. */
static double exact_entry(const yk_correct *c, int i, int j)
{
    const double m = c->m[i * c->size + j] - (i == j);

    if (!c->exact) return 0.0;
    return c->march && fabs(m) * c->scale[j] <= rough * c->scale[i] ? 0.0 : m;
}

/* Into `smooth`: dw - r without the parts that are applied exactly. */
static void subtract_exact(yk_correct *c)
{
    const int n = c->size;

    for (int k = 0; k <= c->steps; k++)
        for (int i = 0; i < n; i++)
            c->smooth[k * n + i] = c->dw[k * n + i] - c->r[k * n + i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double m = exact_entry(c, i, j);
            for (int k = 0; m != 0.0 && k <= c->steps; k++)
                c->smooth[k * n + i] -= m * c->r[k * n + j];
        }
}

/* Second derivatives, times h^2, of the cubic spline through the points of one
 * component; the third derivative is continuous at the first and last inner
 * point (not a knot there). */
static void bend(const double *value, int stride, int steps, double *second)
{
    double diagonal[MOST_STEPS];

    /* 1/6 m[k-1] + 2/3 m[k] + 1/6 m[k+1] = second difference */
    for (int k = 1; k < steps; k++)
        second[k] = value[(k + 1) * stride] - 2.0 * value[k * stride] +
                    value[(k - 1) * stride];
    diagonal[1] = 1.0; /* m[0] = 2 m[1] - m[2] */
    for (int k = 2; k < steps; k++) {
        const double below = k == steps - 1 ? 0.0 : 1.0 / 6.0;
        const double above = k == 2 ? 0.0 : 1.0 / 6.0;
        diagonal[k] = (k == steps - 1 ? 1.0 : 2.0 / 3.0) -
                      below * above / diagonal[k - 1];
        second[k] -= below / diagonal[k - 1] * second[k - 1];
    }
    second[steps - 1] /= diagonal[steps - 1];
    for (int k = steps - 2; k >= 1; k--) {
        const double above = k == 1 ? 0.0 : 1.0 / 6.0;
        second[k] = (second[k] - above * second[k + 1]) / diagonal[k];
    }
    second[0] = 2.0 * second[1] - second[2];
    second[steps] = 2.0 * second[steps - 1] - second[steps - 2];
}

/* The piece after point k of the spline, for all components. */
static void spline_piece(yk_correct *c, int k)
{
    const int n = c->size;

    for (int i = 0; i < n; i++) {
        const double *m = c->second + i * (c->steps + 1);
        const double left = c->smooth[k * n + i];
        const double right = c->smooth[(k + 1) * n + i];
        c->coef[i] = left;
        c->coef[n + i] = right - left - (2.0 * m[k] + m[k + 1]) / 6.0;
        c->coef[2 * n + i] = 0.5 * m[k];
        c->coef[3 * n + i] = (m[k + 1] - m[k]) / 6.0;
    }
}

static yoke_status interpolate(yk_correct *c, yoke_err *err)
{
    for (int i = 0; i < c->size; i++)
        bend(c->smooth + i, c->size, c->steps, c->second + i * (c->steps + 1));
    yoke_wave_clear(c->extra, c->t0);
    for (int k = 0; k < c->steps; k++) {
        const double t = k + 1 == c->steps
                             ? c->t1
                             : c->t0 + (k + 1) * (c->t1 - c->t0) / c->steps;
        spline_piece(c, k);
        YK_TRY(yoke_wave_append(c->extra, t, 3, c->coef, err));
    }
    return YOKE_OK;
}

static int add(yk_correct *c, int terms, const yoke_wave *wave, int from,
               int to, double weight)
{
    c->term[terms] = (yoke_wave_term){ wave, from, to, weight };
    return terms + 1;
}

/* The waves of a late component as they were made and as they were read. */
static const yoke_wave *made(const yk_correct *c, int l)
{
    const yk_unit_state *s = &c->plan->unit[c->late[l].unit];
    return s->corrected ? s->made : s->y;
}

static const yoke_wave *taken(const yk_correct *c, int l)
{
    const yk_unit_state *s = &c->plan->unit[c->late[l].unit];
    return s->moved ? s->old : made(c, l);
}

/* w + dw = F(w) + (M - I) r + extra for the late components of a unit. */
static yoke_status correct_unit(yk_correct *c, int index, yoke_err *err)
{
    yk_unit_state *s = &c->plan->unit[index];
    const int p = s->unit->propagator->p;
    int terms = 0;
    bool any = false;

    for (int o = 0; o < p; o++) terms = add(c, terms, s->y, o, o, 1.0);
    for (int i = 0; i < c->size; i++) {
        if (c->late[i].unit != index) continue;
        any = true;
        const int to = c->late[i].component;
        terms = add(c, terms, c->extra, i, to, 1.0);
        for (int j = 0; j < c->size; j++) {
            const double m = exact_entry(c, i, j);
            const int from = c->late[j].component;
            if (m == 0.0 || made(c, j) == taken(c, j)) continue;
            terms = add(c, terms, made(c, j), from, to, m);
            terms = add(c, terms, taken(c, j), from, to, -m);
        }
    }
    if (!any) return YOKE_OK;
    YK_TRY(yoke_wave_combine(s->made, c->t0, c->t1, terms, c->term, err));
    yoke_wave *const w = s->y;
    s->y = s->made;
    s->made = w;
    s->corrected = true;
    return YOKE_OK;
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

/* dw = (I - A(t))^-1 r. */
static yoke_status solve_given(yk_correct *c, yoke_err *err)
{
    const int n = c->size;

    memcpy(c->dw, c->r, (size_t)(n * (c->steps + 1)) * sizeof *c->dw);
    for (int k = 0; k <= c->steps; k++) {
        const double t = c->t0 + k * (c->t1 - c->t0) / c->steps;
        YK_TRY(factor_given(c, k == c->steps ? c->t1 : t, err));
        YK_TRY(yk_dense_solve(n, c->a, c->pivot, 1, c->dw + k * n, err));
    }
    return YOKE_OK;
}

/* dw of the newest r on the grid, with what is known now. */
static yoke_status solve(yk_correct *c, yoke_err *err)
{
    const int n = c->size;

    if (c->march)
        return yk_interface_march(c->interface, c->steps + 1, c->r, c->dw,
                                  c->smooth, err);
    if (is_given(c)) return solve_given(c, err);
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
    if (is_given(c)) return false;
    return c->linear ? c->grown > 0 || c->stuck >= MOST_STUCK
                     : c->grown > MOST_GROWN;
}

/* YOKE_RETRY: there is no correction. */
static yoke_status find(yk_correct *c, yoke_err *err)
{
    YK_TRY(linearise(c, err));
    sample(c);
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
    if (status != YOKE_OK || harmful(c)) {
        stop(c);
        return YOKE_OK;
    }
    subtract_exact(c);
    YK_TRY(interpolate(c, err));
    for (int i = 0; i < c->plan->plan.units; i++)
        YK_TRY(correct_unit(c, i, err));
    *done = true;
    return YOKE_OK;
}
