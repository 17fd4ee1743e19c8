/* iter/grid.c -- from waveforms to the grid of the correction and back. */
#include "iter/correction.h"
#include "wave/waveform.h"

#include <math.h>
#include <string.h>

/* Entries of M - I smaller than this, relative to the tolerances, need no exact
 * treatment. */
static const double rough = 1e-6;

/* Adds `weight` times the unit's late components at time t to point k: F(w) - w
 * to r, w to w. */
static void add_sample(yk_correct *c, int unit, int k, double weight)
{
    double *r = c->r + k * c->size, *w = c->w + k * c->size;

    for (int l = c->first[unit]; l < c->first[unit + 1]; l++) {
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

static bool has_late(const yk_correct *c, int index)
{
    return c->first[index] < c->first[index + 1];
}

void yk_grid_sample(yk_correct *c)
{
    const size_t bytes = (size_t)(c->size * (c->steps + 1)) * sizeof *c->r;

    memset(c->r, 0, bytes);
    memset(c->w, 0, bytes);
    for (int i = 0; i < c->plan->plan.units; i++) {
        if (has_late(c, i)) sample_unit(c, i);
    }
}
/* Entry (i, j) of M - I, if it is applied to the waveforms themselves. */
static double exact_entry(const yk_correct *c, int i, int j)
{
    const double m = c->m[i * c->size + j] - (i == j);

    if (!c->exact) return 0.0;
    return c->march && fabs(m) * c->scale[j] <= rough * c->scale[i] ? 0.0 : m;
}

void yk_grid_subtract_exact(yk_correct *c)
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

/* Adds (M - I) r of the exact entries at time t to the late components of a
 * unit, which are at out[component]. */
static void add_exact(yk_correct *c, int index, double t, bool right,
                      double *out)
{
    void (*const eval)(const yoke_wave *, double, int *, double *) =
        right ? yoke_wave_eval_right : yoke_wave_eval;
    int unit = -1;

    for (int j = 0; j < c->size; j++) {
        const int from = c->late[j].component;
        if (made(c, j) == taken(c, j)) continue;
        if (c->late[j].unit != unit) {
            unit = c->late[j].unit;
            eval(made(c, j), t, &c->cursor[2 * unit], c->sample);
            eval(taken(c, j), t, &c->cursor[2 * unit + 1], c->taken);
        }
        for (int i = c->first[index]; i < c->first[index + 1]; i++)
            out[c->late[i].component] +=
                exact_entry(c, i, j) * (c->sample[from] - c->taken[from]);
    }
}

/* w + dw = F(w) + (M - I) r + extra at time t, the late components of a unit.
 */
static void corrected_values(yk_correct *c, int index, double t, bool right,
                             double *out)
{
    yk_unit_state *s = &c->plan->unit[index];

    if (right)
        yoke_wave_eval_right(s->y, t, &c->cursor[2 * index], out);
    else
        yoke_wave_eval(s->y, t, &c->cursor[2 * index], out);
    yoke_wave_eval(c->extra, t, &c->extra_cursor, c->column);
    for (int i = c->first[index]; i < c->first[index + 1]; i++)
        out[c->late[i].component] += c->column[i];
    if (c->exact) add_exact(c, index, t, right, out);
}

/* A piece of the corrected outputs: what the sweep makes is a polynomial there,
 * and so is what it makes of the solution; corrections are taken at points of
 * the piece and leave that space no more than a sweep does. */
static yoke_status correct_piece(yk_correct *c, int index, int piece,
                                 yoke_err *err)
{
    yk_unit_state *s = &c->plan->unit[index];
    const int p = s->unit->propagator->p,
              degree = yoke_wave_degree(s->y, piece);
    const double a = yoke_wave_knot(s->y, piece);
    const double b = yoke_wave_knot(s->y, piece + 1);
    const double *own = yoke_wave_coef(s->y, piece);
    double *row = c->row;

    for (int k = 0; k <= degree; k++) {
        const double theta = degree > 0 ? (double)k / degree : 0.5;
        const double t = k < degree || degree == 0 ? a + theta * (b - a) : b;
        corrected_values(c, index, t, k == 0 && degree > 0, row + k * p);
    }
    yk_rows_from_samples(row, degree, p);
    for (int o = 0; o < p; o++)
        for (int k = 0; !s->late[o] && k <= degree; k++)
            row[k * p + o] = own[k * p + o];
    return yoke_wave_append(s->made, b, degree, row, err);
}

/* Is some inner knot of `of` none of y? */
static bool lacks_knots(const yoke_wave *y, const yoke_wave *of)
{
    const double close = 1e-9 * (yoke_wave_end(y) - yoke_wave_begin(y));
    int k = 0;

    for (int i = 1; i < yoke_wave_pieces(of); i++) {
        const double t = yoke_wave_knot(of, i);
        while (k < yoke_wave_pieces(y) && yoke_wave_knot(y, k) < t - close) k++;
        if (yoke_wave_knot(y, k) > t + close) return true;
    }
    return false;
}

/* Does the unit make pieces of its own, much longer than what it reads is made
 * of?  With feedthrough every knot of its inputs is one of its outputs; and if
 * there is feedthrough all around, every knot of w is one of F(w).  With
 * history pieces that are nearly as short as those of the inputs are left
 * alone: there the steps of an adaptive method, which move from sweep to sweep,
 * do more harm than what is between them. */
static bool has_own_pieces(const yk_correct *c, const yk_unit_state *s)
{
    enum { MUCH = 4 };

    if (!s->solved || s->unit->feeds == 0) return false;
    if (c->march)
        return MUCH * yoke_wave_pieces(s->y) <= yoke_wave_pieces(s->u_last) &&
               lacks_knots(s->y, s->u_last);
    return lacks_knots(s->y, s->u_last) ||
           (s->moved && lacks_knots(s->y, s->old));
}

static yoke_status correct_pieces(yk_correct *c, int index, yoke_err *err)
{
    yk_unit_state *s = &c->plan->unit[index];

    c->extra_cursor = 0;
    for (int i = 0; i < 2 * c->plan->plan.units; i++) c->cursor[i] = 0;
    yoke_wave_clear(s->made, c->t0);
    for (int k = 0; k < yoke_wave_pieces(s->y); k++)
        YK_TRY(correct_piece(c, index, k, err));
    return YOKE_OK;
}

static int add(yk_correct *c, int terms, const yoke_wave *wave, int from,
               int to, double weight)
{
    c->term[terms] = (yoke_wave_term){ wave, from, to, weight };
    return terms + 1;
}

/* The same on all knots. */
static yoke_status correct_everywhere(yk_correct *c, int index, yoke_err *err)
{
    yk_unit_state *s = &c->plan->unit[index];
    const int p = s->unit->propagator->p;
    int terms = 0;

    for (int o = 0; o < p; o++) terms = add(c, terms, s->y, o, o, 1.0);
    for (int i = c->first[index]; i < c->first[index + 1]; i++) {
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
    return yoke_wave_combine(s->made, c->t0, c->t1, terms, c->term, err);
}

static yoke_status correct_unit(yk_correct *c, int index, yoke_err *err)
{
    yk_unit_state *s = &c->plan->unit[index];

    if (!has_late(c, index)) return YOKE_OK;
    YK_TRY(has_own_pieces(c, s) ? correct_pieces(c, index, err)
                                : correct_everywhere(c, index, err));
    yoke_wave *const w = s->y;
    s->y = s->made;
    s->made = w;
    s->corrected = true;
    return YOKE_OK;
}

yoke_status yk_grid_correct(yk_correct *c, yoke_err *err)
{
    YK_TRY(interpolate(c, err));
    for (int i = 0; i < c->plan->plan.units; i++)
        YK_TRY(correct_unit(c, i, err));
    return YOKE_OK;
}
