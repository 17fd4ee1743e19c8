/* iter/correct/grid.c -- from waveforms to the grid of the correction and back. */
#include "iter/correct/grid.h"
#include "base/tolerance.h"
#include "iter/policy.h"
#include "wave/waveform.h"

#include <math.h>
#include <string.h>

struct yk_grid_room {
    int *first;             /* units + 1: the first late one of each unit */
    double *sample, *taken; /* outputs of one unit, new and old */
    double *second, *coef;  /* of the spline */
    double *row;            /* coefficients of a piece */
    yk_wave *extra;         /* the part that is interpolated */
    yk_wave_term *term;
    int *cursor, extra_cursor; /* two of each unit */
    size_t points, terms;      /* room of the vectors; of term */
};

static void room_free(yk_grid_room *r)
{
    if (!r) return;
    yk_wave_free(r->extra);
    YK_FREE(r->sample, r->taken, r->second, r->coef, r->row, r->term, r->cursor,
            r->first, r);
}

void yk_grid_clear(yk_grid *g)
{
    yk_rows_clear(&g->m);
    YK_FREE(g->r, g->w, g->dw, g->smooth, g->scale, g->counts, g->name);
    room_free(g->room);
    yk_interface_free(g->interface);
}

static size_t most_outputs(const yk_plan *plan)
{
    int most = 0;

    for (int i = 0; i < plan->units; i++)
        if (plan->unit[i].propagator->p > most)
            most = plan->unit[i].propagator->p;
    return (size_t)most;
}

static yoke_status make_room(yk_grid *g, yoke_err *err)
{
    const size_t n = (size_t)g->size, outs = most_outputs(&g->plan->plan);
    const size_t units = (size_t)g->plan->plan.units;

    YK_TRY(YK_NEW(&g->room, 1, err));
    yk_grid_room *r = g->room;
    YK_TRY(YK_DOUBLES(outs, err, &r->sample, &r->taken));
    YK_TRY(yk_doubles(&r->coef, 4 * n, err));
    YK_TRY(yk_doubles(&r->row, outs * (YOKE_WAVE_MAX_DEGREE + 1), err));
    YK_TRY(yk_ints(&r->cursor, 2 * units, err));
    YK_TRY(yk_ints(&r->first, units + 1, err));
    for (size_t l = 0; l < n; l++) r->first[g->late[l].unit + 1]++;
    for (size_t i = 0; i < units; i++) r->first[i + 1] += r->first[i];
    return yk_wave_create(&r->extra, g->size, err);
}

yoke_status yk_grid_create(yk_grid *g, yk_interface *interface,
                           yk_plan_state *plan,
                           const yoke_iterate_options *options, yoke_err *err)
{
    g->plan = plan;
    g->options = options;
    g->interface = interface;
    g->size = yk_interface_size(g->interface, &g->late);
    const size_t n = (size_t)g->size;
    YK_TRY(yk_rows_diagonal(&g->m, g->size, 0.0, err));
    YK_TRY(YK_DOUBLES(n, err, &g->scale, &g->counts));
    YK_TRY(YK_NEW(&g->name, n, err));
    for (size_t l = 0; l < n; l++) {
        g->counts[l] = 1.0;
        g->name[l] = "";
    }
    return make_room(g, err);
}

yoke_status yk_grid_steps(yk_grid *g, int steps, yoke_err *err)
{
    const size_t need = (size_t)g->size * ((size_t)steps + 1);
    double **const vector[] = { &g->r, &g->w, &g->dw, &g->smooth,
                                &g->room->second };

    g->steps = steps;
    if (need <= g->room->points) return YOKE_OK;
    g->room->points = 0;
    for (int k = 0; k < 5; k++) {
        yk_free(*vector[k]);
        *vector[k] = NULL;
        YK_TRY(yk_doubles(vector[k], need, err));
    }
    g->room->points = need;
    return YOKE_OK;
}

void yk_grid_scale(yk_grid *g)
{
    for (int l = 0; l < g->size; l++) {
        double most = 0.0;
        for (int k = l; k < g->size * (g->steps + 1); k += g->size)
            most = fmax(most, fabs(g->w[k] + g->dw[k]));
        g->scale[l] = yk_tolerance(g->options->atol / g->counts[l],
                                   g->options->rtol, most);
    }
}

double yk_grid_norm(const yk_grid *g, const double *v)
{
    double most = 0.0;

    for (int i = 0; i < g->size * (g->steps + 1); i++) {
        const double size = fabs(v[i]) / g->scale[i % g->size];
        if (!(size <= most)) most = size;
    }
    return most;
}

/* Adds `weight` times the unit's late components at time t to point k: F(w) - w
 * to r, w to w. */
static void add_sample(yk_grid *g, int unit, int k, double weight)
{
    double *r = g->r + k * g->size, *w = g->w + k * g->size;

    for (int l = g->room->first[unit]; l < g->room->first[unit + 1]; l++) {
        const int at = g->late[l].component;
        r[l] += weight * (g->room->sample[at] - g->room->taken[at]);
        w[l] += weight * g->room->taken[at];
    }
}

/* The grid sees local averages, so that what is rough between its points is not
 * mistaken for something smooth: 8 points within one step to either side, with
 * weights that leave cubic polynomials as they are.  The ends are points. */
static void sample_unit(yk_grid *g, int unit)
{
    const yk_unit_state *s = &g->plan->unit[unit];
    const yk_wave *made = s->y, *taken = s->moved ? s->old : s->y;
    const double h = (g->t1 - g->t0) / g->steps;
    int at[2] = { 0, 0 };

    yk_wave_eval_right(made, g->t0, NULL, g->room->sample);
    yk_wave_eval_right(taken, g->t0, NULL, g->room->taken);
    add_sample(g, unit, 0, 1.0);
    for (int j = 0; j < 4 * g->steps; j++) {
        const int k = j / 4;
        const double s0 = (j % 4 + 0.5) / 4.0, s1 = 1.0 - s0;
        const double t = g->t0 + (k + s0) * h;
        yk_wave_eval(made, t, &at[0], g->room->sample);
        yk_wave_eval(taken, t, &at[1], g->room->taken);
        if (k > 0) add_sample(g, unit, k, 0.2890625 - 0.5 * s0 * s0);
        if (k + 1 < g->steps)
            add_sample(g, unit, k + 1, 0.2890625 - 0.5 * s1 * s1);
    }
    yk_wave_eval(made, g->t1, NULL, g->room->sample);
    yk_wave_eval(taken, g->t1, NULL, g->room->taken);
    add_sample(g, unit, g->steps, 1.0);
}

static bool has_late(const yk_grid *g, int index)
{
    return g->room->first[index] < g->room->first[index + 1];
}

void yk_grid_sample(yk_grid *g)
{
    const size_t bytes = (size_t)(g->size * (g->steps + 1)) * sizeof *g->r;

    memset(g->r, 0, bytes);
    memset(g->w, 0, bytes);
    for (int i = 0; i < g->plan->plan.units; i++) {
        if (has_late(g, i)) sample_unit(g, i);
    }
}

/* Entry k of M - I, in row i, if it is applied to the waveforms themselves. */
static double exact_entry(const yk_grid *g, int i, int k)
{
    const double m = g->m.value[k];

    if (!g->exact) return 0.0;
    return g->history && fabs(m) * g->scale[g->m.col[k]] <=
                             YK_ITER_ROUGH * g->scale[i]
               ? 0.0
               : m;
}

/* Into `smooth`: dw - r without the parts that are applied exactly. */
static void subtract_exact(yk_grid *g)
{
    const int n = g->size;

    for (int k = 0; k <= g->steps; k++)
        for (int i = 0; i < n; i++)
            g->smooth[k * n + i] = g->dw[k * n + i] - g->r[k * n + i];
    for (int i = 0; i < n; i++)
        for (int e = g->m.start[i]; e < g->m.start[i + 1]; e++) {
            const double m = exact_entry(g, i, e);
            const int j = g->m.col[e];
            for (int k = 0; m != 0.0 && k <= g->steps; k++)
                g->smooth[k * n + i] -= m * g->r[k * n + j];
        }
}

/* Second derivatives, times h^2, of the cubic spline through the points of one
 * component; the third derivative is continuous at the first and last inner
 * point (not a knot there). */
static void bend(const double *value, int stride, int steps, double *second)
{
    double diagonal[YK_MOST_STEPS];

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
static void spline_piece(yk_grid *g, int k)
{
    const int n = g->size;

    for (int i = 0; i < n; i++) {
        const double *m = g->room->second + i * (g->steps + 1);
        const double left = g->smooth[k * n + i];
        const double right = g->smooth[(k + 1) * n + i];
        g->room->coef[i] = left;
        g->room->coef[n + i] = right - left - (2.0 * m[k] + m[k + 1]) / 6.0;
        g->room->coef[2 * n + i] = 0.5 * m[k];
        g->room->coef[3 * n + i] = (m[k + 1] - m[k]) / 6.0;
    }
}

static yoke_status interpolate(yk_grid *g, yoke_err *err)
{
    for (int i = 0; i < g->size; i++)
        bend(g->smooth + i, g->size, g->steps,
             g->room->second + i * (g->steps + 1));
    yk_wave_clear(g->room->extra, g->t0);
    for (int k = 0; k < g->steps; k++) {
        const double t = k + 1 == g->steps
                             ? g->t1
                             : g->t0 + (k + 1) * (g->t1 - g->t0) / g->steps;
        spline_piece(g, k);
        YK_TRY(yk_wave_append(g->room->extra, t, 3, g->room->coef, err));
    }
    return YOKE_OK;
}

/* The waves of a late component as they were made and as they were read. */
static const yk_wave *made(const yk_grid *g, int l)
{
    const yk_unit_state *s = &g->plan->unit[g->late[l].unit];
    return s->corrected ? s->made : s->y;
}

static const yk_wave *taken(const yk_grid *g, int l)
{
    const yk_unit_state *s = &g->plan->unit[g->late[l].unit];
    return s->moved ? s->old : made(g, l);
}

/* Adds (M - I) r of the exact entries at time t to the late components of a
 * unit, which are at out[component]. */
static void add_exact(yk_grid *g, int index, double t, bool right, double *out)
{
    void (*const eval)(const yk_wave *, double, int *, double *) =
        right ? yk_wave_eval_right : yk_wave_eval;

    for (int i = g->room->first[index]; i < g->room->first[index + 1]; i++) {
        int unit = -1;
        for (int k = g->m.start[i]; k < g->m.start[i + 1]; k++) {
            const int j = g->m.col[k], from = g->late[j].component;
            const double m = exact_entry(g, i, k);
            if (m == 0.0 || made(g, j) == taken(g, j)) continue;
            if (g->late[j].unit != unit) {
                unit = g->late[j].unit;
                eval(made(g, j), t, &g->room->cursor[2 * unit],
                     g->room->sample);
                eval(taken(g, j), t, &g->room->cursor[2 * unit + 1],
                     g->room->taken);
            }
            out[g->late[i].component] +=
                m * (g->room->sample[from] - g->room->taken[from]);
        }
    }
}

/* Adds the interpolated part at time t, the late components of a unit. */
static void add_extra(yk_grid *g, int index, double t, double *out)
{
    const yk_wave *w = g->room->extra;
    const int piece = yk_wave_piece(w, t, false, &g->room->extra_cursor);
    const double a = yk_wave_knot(w, piece), b = yk_wave_knot(w, piece + 1);
    const double *c = yk_wave_coef(w, piece), theta = (t - a) / (b - a);
    const int n = g->size;

    for (int i = g->room->first[index]; i < g->room->first[index + 1]; i++)
        out[g->late[i].component] +=
            c[i] +
            theta * (c[n + i] + theta * (c[2 * n + i] + theta * c[3 * n + i]));
}

/* w + dw = F(w) + (M - I) r + extra at time t, the late components of a unit.
 */
static void corrected_values(yk_grid *g, int index, double t, bool right,
                             double *out)
{
    yk_unit_state *s = &g->plan->unit[index];

    if (right)
        yk_wave_eval_right(s->y, t, &g->room->cursor[2 * index], out);
    else
        yk_wave_eval(s->y, t, &g->room->cursor[2 * index], out);
    add_extra(g, index, t, out);
    if (g->exact) add_exact(g, index, t, right, out);
}

/* A piece of the corrected outputs: what the sweep makes is a polynomial there,
 * and so is what it makes of the solution; corrections are taken at points of
 * the piece and leave that space no more than a sweep does. */
static yoke_status correct_piece(yk_grid *g, int index, int piece,
                                 yoke_err *err)
{
    yk_unit_state *s = &g->plan->unit[index];
    const int p = s->unit->propagator->p, degree = yk_wave_degree(s->y, piece);
    const double a = yk_wave_knot(s->y, piece);
    const double b = yk_wave_knot(s->y, piece + 1);
    const double *own = yk_wave_coef(s->y, piece);
    double *row = g->room->row;

    for (int k = 0; k <= degree; k++) {
        const double theta = degree > 0 ? (double)k / degree : 0.5;
        const double t = k < degree || degree == 0 ? a + theta * (b - a) : b;
        corrected_values(g, index, t, k == 0 && degree > 0, row + k * p);
    }
    yk_rows_from_samples(row, degree, p);
    for (int o = 0; o < p; o++)
        for (int k = 0; !s->late[o] && k <= degree; k++)
            row[k * p + o] = own[k * p + o];
    return yk_wave_append(s->made, b, degree, row, err);
}

/* Is some inner knot of `of` none of y? */
static bool lacks_knots(const yk_wave *y, const yk_wave *of)
{
    const double close = 1e-9 * (yk_wave_end(y) - yk_wave_begin(y));
    int k = 0;

    for (int i = 1; i < yk_wave_pieces(of); i++) {
        const double t = yk_wave_knot(of, i);
        while (k < yk_wave_pieces(y) && yk_wave_knot(y, k) < t - close) k++;
        if (yk_wave_knot(y, k) > t + close) return true;
    }
    return false;
}

/* Does the unit make pieces of its own, much longer than what it reads is made
 * of?  With feedthrough every knot of its inputs is one of its outputs; and if
 * there is feedthrough all around, every knot of w is one of F(w).  With
 * history pieces that are nearly as short as those of the inputs are left
 * alone: there the steps of an adaptive method, which move from sweep to sweep,
 * do more harm than what is between them. */
static bool has_own_pieces(const yk_grid *g, const yk_unit_state *s)
{
    if (!s->solved || s->unit->feeds == 0) return false;
    if (g->history)
        return YK_ITER_OWN_PIECES * yk_wave_pieces(s->y) <=
                   yk_wave_pieces(s->u_last) &&
               lacks_knots(s->y, s->u_last);
    return lacks_knots(s->y, s->u_last) ||
           (s->moved && lacks_knots(s->y, s->old));
}

/* Everything that corrected_values reads is read from the start again. */
static void rewind(yk_grid *g, int index)
{
    const int first = g->room->first[index], end = g->room->first[index + 1];
    int *cursor = g->room->cursor;

    g->room->extra_cursor = cursor[2 * index] = 0;
    for (int k = g->m.start[first]; g->exact && k < g->m.start[end]; k++) {
        const int unit = g->late[g->m.col[k]].unit;
        cursor[2 * unit] = cursor[2 * unit + 1] = 0;
    }
}

static yoke_status correct_pieces(yk_grid *g, int index, yoke_err *err)
{
    yk_unit_state *s = &g->plan->unit[index];

    rewind(g, index);
    yk_wave_clear(s->made, g->t0);
    for (int k = 0; k < yk_wave_pieces(s->y); k++)
        YK_TRY(correct_piece(g, index, k, err));
    return YOKE_OK;
}

/* Most terms that a correction of this unit takes. */
static yoke_status make_terms(yk_grid *g, int index, yoke_err *err)
{
    const int first = g->room->first[index], end = g->room->first[index + 1];
    const int p = g->plan->unit[index].unit->propagator->p;

    return YK_GROW(
        &g->room->term, &g->room->terms,
        (size_t)(p + end - first + 2 * (g->m.start[end] - g->m.start[first])),
        err);
}

static int add(yk_grid *g, int terms, const yk_wave *wave, int from, int to,
               double weight)
{
    g->room->term[terms] = (yk_wave_term){ wave, from, to, weight };
    return terms + 1;
}

/* The same on all knots. */
static yoke_status correct_everywhere(yk_grid *g, int index, yoke_err *err)
{
    yk_unit_state *s = &g->plan->unit[index];
    const int p = s->unit->propagator->p;
    int terms = 0;

    YK_TRY(make_terms(g, index, err));
    for (int o = 0; o < p; o++) terms = add(g, terms, s->y, o, o, 1.0);
    for (int i = g->room->first[index]; i < g->room->first[index + 1]; i++) {
        const int to = g->late[i].component;
        terms = add(g, terms, g->room->extra, i, to, 1.0);
        for (int k = g->m.start[i]; k < g->m.start[i + 1]; k++) {
            const double m = exact_entry(g, i, k);
            const int j = g->m.col[k], from = g->late[j].component;
            if (m == 0.0 || made(g, j) == taken(g, j)) continue;
            terms = add(g, terms, made(g, j), from, to, m);
            terms = add(g, terms, taken(g, j), from, to, -m);
        }
    }
    return yk_wave_combine(s->made, g->t0, g->t1, terms, g->room->term, err);
}

static yoke_status correct_unit(yk_grid *g, int index, yoke_err *err)
{
    yk_unit_state *s = &g->plan->unit[index];

    if (!has_late(g, index)) return YOKE_OK;
    YK_TRY(has_own_pieces(g, s) ? correct_pieces(g, index, err)
                                : correct_everywhere(g, index, err));
    yk_wave *const w = s->y;
    s->y = s->made;
    s->made = w;
    s->corrected = true;
    s->version++;
    return YOKE_OK;
}

yoke_status yk_grid_correct(yk_grid *g, yoke_err *err)
{
    subtract_exact(g);
    YK_TRY(interpolate(g, err));
    for (int i = 0; i < g->plan->plan.units; i++)
        YK_TRY(correct_unit(g, i, err));
    return YOKE_OK;
}
