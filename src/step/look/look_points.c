/* step/look/look_points.c -- where a step might have overlooked its inputs.
 *
 * Candidates are the knots of the inputs inside the step and points inside each
 * piece.  They are judged in the space of values of u, each input relative to
 * its range: what matters is whether a value has been seen, not when.  Most steps
 * need none of them: bounds of the one piece that they are in say that no candidate
 * would be tested.
 */
#include "step/look/look.h"

#include "step/policy.h"
#include "wave/waveform.h"

#include <float.h>
#include <math.h>
#include <string.h>

void yk_points_free(yk_points *c)
{
    YK_FREE(c->time, c->u, c->near, c->node, c->seen, c->here, c->drift, c->low,
            c->high, c->most, c->where);
}

yoke_status yk_points_create(yk_points *c, const yk_problem *p, yoke_err *err)
{
    const size_t m = (size_t)p->m + 1;

    YK_TRY(yk_doubles(&c->node, YK_STAGES * m, err));
    YK_TRY(yk_doubles(&c->seen, YK_SEEN * m, err));
    YK_TRY(
        YK_DOUBLES(m, err, &c->here, &c->drift, &c->low, &c->high, &c->most));
    return yk_ints(&c->where, m, err);
}

/* Neither is NAN; fmax and fmin are calls. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* ---- Ranges -------------------------------------------------------------- */

static void widen(yk_points *c, int m, const double *u)
{
    for (int k = 0; k < m; k++) {
        c->low[k] = smaller(c->low[k], u[k]);
        c->high[k] = larger(c->high[k], u[k]);
    }
}

void yk_points_range(yk_points *c, const yk_wave *u, double t0, double t1)
{
    const int m = yk_wave_dim(u);
    const int last = yk_wave_piece(u, t1, false, NULL);

    for (int i = yk_wave_piece(u, t0, true, NULL); i <= last; i++) {
        const double a = larger(t0, u->knot[i]);
        const double b = smaller(t1, u->knot[i + 1]);
        const int parts = u->degree[i] > 1 ? 2 : 1;
        for (int j = 0; j <= parts; j++) {
            yk_piece_eval(u, i, a + (b - a) * j / parts, c->here);
            widen(c, m, c->here);
        }
    }
}

double yk_points_width(const yk_points *c, int input)
{
    return larger(c->high[input] - c->low[input], 0.0);
}

double yk_points_reach(const yk_wave *u, double t, int pieces)
{
    const int i = yk_wave_piece(u, t, true, NULL);

    return i + pieces < u->pieces ? u->knot[i + pieces] - t : INFINITY;
}

/* ---- Candidates ---------------------------------------------------------- */

void yk_points_weights(const yk_stages *nodes, double theta, double *weight)
{
    for (int i = 0; i < nodes->count; i++) {
        weight[i] = 1.0;
        for (int j = 0; j < nodes->count; j++)
            if (j != i)
                weight[i] *= (theta - nodes->theta[j]) /
                             (nodes->theta[i] - nodes->theta[j]);
    }
}

/* The inputs at the points of the method. */
static void see_nodes(yk_points *c, const yk_problem *p, const yk_stages *nodes,
                      double t, double h)
{
    for (int i = 0; i < nodes->count; i++) {
        const bool begins = nodes->theta[i] == 0.0;
        const double at = t + nodes->theta[i] * h;
        const int piece = yk_wave_piece(p->wave, at, begins, NULL);
        yk_piece_eval(p->wave, piece, at, c->node + i * p->m);
    }
}

/* The parts of the weights that do not depend on the point. */
static void find_scales(const yk_stages *nodes, double *scale)
{
    for (int i = 0; i < nodes->count; i++) {
        double product = 1.0;
        for (int j = 0; j < nodes->count; j++)
            if (j != i) product *= nodes->theta[i] - nodes->theta[j];
        scale[i] = 1.0 / product;
    }
}

static void find_weights(const yk_stages *nodes, const double *scale,
                         double theta, double *weight)
{
    double before = 1.0, behind = 1.0;

    for (int i = 0; i < nodes->count; i++) {
        weight[i] = scale[i] * before;
        before *= theta - nodes->theta[i];
    }
    for (int i = nodes->count - 1; i >= 0; i--) {
        weight[i] *= behind;
        behind *= theta - nodes->theta[i];
    }
}

/* |u - I| of the inputs `here`; keeps them as a candidate if it is asked to. */
static void judge(yk_points *c, const yk_problem *p, const yk_stages *nodes,
                  const double *scale, double t, double theta, bool keep)
{
    const int m = p->m;
    double weight[YK_STAGES];

    find_weights(nodes, scale, theta, weight);
    for (int k = 0; k < m; k++) {
        double value = 0.0;
        for (int i = 0; i < nodes->count; i++)
            value += weight[i] * c->node[i * m + k];
        const double drift = fabs(c->here[k] - value);
        const double width = yk_points_width(c, k);
        if (width > 0.0) c->deviation = larger(c->deviation, drift / width);
        if (!keep || drift <= c->most[k]) continue;
        c->most[k] = drift;
        c->where[k] = c->count;
    }
    if (!keep) return;
    c->time[c->count] = t;
    c->near[c->count] = INFINITY;
    memcpy(c->u + (size_t)c->count * (size_t)m, c->here,
           (size_t)m * sizeof *c->u);
    c->count++;
}

/* Points inside a piece of a step over so many pieces. */
static int parts_of(int pieces, int degree)
{
    if (pieces == 1) return 8;
    if (pieces <= 4) return 4;
    return degree > 1 ? 2 : 1;
}

yoke_status yk_points_collect(yk_points *c, yk_problem *p,
                              const yk_stages *nodes, double t, double h,
                              bool keep, yoke_err *err)
{
    const yk_wave *u = p->wave;
    const int from = yk_wave_piece(u, t, true, NULL);
    const int last = yk_wave_piece(u, t + h, false, NULL);
    const int pieces = last - from + 1;
    const size_t most = 8 * (size_t)pieces + 8, m = (size_t)p->m;
    double scale[YK_STAGES];

    find_scales(nodes, scale);
    c->count = c->seens = 0;
    c->deviation = 0.0;
    if (keep) {
        YK_TRY(YK_GROW(&c->time, &c->room, most, err));
        YK_TRY(YK_GROW(&c->near, &c->near_room, most, err));
        YK_TRY(YK_GROW(&c->u, &c->u_room, most * m, err));
        memset(c->most, 0, m * sizeof *c->most);
    }
    see_nodes(c, p, nodes, t, h);
    for (int i = from; i <= last; i++) {
        const double a = larger(t, u->knot[i]);
        const double b = smaller(t + h, u->knot[i + 1]);
        const int parts = parts_of(pieces, u->degree[i]);
        for (int j = i == from; j < parts + (i < last); j++) {
            const double at = a + (b - a) * j / parts;
            yk_piece_eval(u, i, at, c->here);
            judge(c, p, nodes, scale, at, (at - t) / h, keep);
        }
    }
    return YOKE_OK;
}

/* ---- Nothing to test ------------------------------------------------------- */

/* An input of a step that is `part` of a piece: bounds of the derivatives in
 * theta = (t - knot) / length of the piece. */
typedef struct course {
    double size;  /* of its values */
    double slope; /* in the middle of the step */
    double bend;  /* |second derivative| */
    double wave;  /* |fourth derivative| / 24 */
} course;

static course follow(const double *coef, int m, int degree, double middle)
{
    course out = { .size = fabs(coef[0]) };
    double power = 1.0;

    for (int k = 1; k <= degree; k++, power *= middle) {
        const double c = coef[k * m], size = fabs(c);
        out.size += size;
        out.slope += k * c * power;
        out.bend += k * (k - 1) * size;
        out.wave += k * (k - 1) * (k - 2) * (k - 3) / 24.0 * size;
    }
    return out;
}

/* The largest |(theta - c_0) ... (theta - c_3)|, c_0 = 0 and c_3 = 1, at most. */
static double node_bound(const yk_stages *nodes)
{
    const double a = nodes->theta[1], b = nodes->theta[2];
    const double inside = 0.25 * (b - a) * (b - a);

    return 0.25 * larger(inside, larger(a * b, (1.0 - a) * (1.0 - b)));
}

/* Half of the largest distance of neighbouring points. */
static double half_gap(const yk_stages *nodes)
{
    double gap = 0.0;

    for (int i = 1; i < nodes->count; i++)
        gap = larger(gap, nodes->theta[i] - nodes->theta[i - 1]);
    return 0.5 * gap;
}

/* An input that rises or falls over all of the step is between values that were seen,
 * and nearer to one of them than they to one another. */
static bool is_known(const yk_points *c, const yk_problem *p,
                     const yk_stages *nodes, const course *u, double part)
{
    const double width = yk_points_width(c, 0);
    const double turn = 0.5 * part * u->bend;
    const double steepest = fabs(u->slope) + turn;

    if (!(width > 0.0)) return true;
    return 64.0 * DBL_EPSILON * u->size <= p->options.rtol * width &&
           fabs(u->slope) >= turn &&
           half_gap(nodes) * part * steepest <=
               0.999 * YK_LOOK_NEW_VALUE * width;
}

bool yk_points_calm(const yk_points *c, const yk_problem *p,
                    const yk_stages *nodes, double t, double h)
{
    const yk_wave *const u = p->wave;
    const int i = yk_wave_piece(u, t, true, NULL), m = p->m;
    const double length = u->knot[i + 1] - u->knot[i], part = h / length;
    const double middle = (t - u->knot[i]) / length + 0.5 * part;

    if (nodes->count != 4 || nodes->theta[0] != 0.0 || nodes->theta[3] != 1.0 ||
        (i + 1 < u->pieces && u->knot[i + 1] < t + h) || part > 1.0 + 1e-9 ||
        (m > 1 && !p->affine))
        return false;
    const double missed = part * part * part * part * node_bound(nodes);
    for (int k = 0; k < m; k++) {
        const course of =
            follow(u->coef + u->offset[i] + k, m, u->degree[i], middle);
        const double size = larger(fabs(c->low[k]), fabs(c->high[k]));
        if (missed * of.wave + 64.0 * DBL_EPSILON * of.size >
            0.999 * yk_tolerance_u(p, size))
            return false;
        if (!p->affine && !is_known(c, p, nodes, &of, part)) return false;
    }
    return true;
}

/* ---- What was seen ------------------------------------------------------- */

void yk_points_see(yk_points *c, int m, const double *u)
{
    if (c->seens < YK_SEEN)
        memcpy(c->seen + m * c->seens++, u, (size_t)m * sizeof *u);
    for (int i = 0; i < c->count; i++) {
        const double *const v = c->u + (size_t)i * (size_t)m;
        double far = 0.0;
        for (int k = 0; k < m; k++) {
            const double width = yk_points_width(c, k);
            if (width > 0.0) far = larger(far, fabs(v[k] - u[k]) / width);
        }
        c->near[i] = smaller(c->near[i], far);
    }
}

int yk_points_farthest(const yk_points *c, double least)
{
    int best = -1;

    for (int i = 0; i < c->count; i++) {
        if (c->near[i] <= least) continue;
        least = c->near[i];
        best = i;
    }
    return best;
}

/* Sum of +-u / range of one input, or of two. */
static double sum_of(const yk_points *c, const yk_direction *a, const double *u)
{
    double sum = 0.0;

    for (int k = 0; k < a->count; k++) {
        const double width = yk_points_width(c, a->input[k]);
        if (width > 0.0) sum += a->sign[k] * u[a->input[k]] / width;
    }
    return sum;
}

int yk_points_extreme(const yk_points *c, int m, const yk_direction *a,
                      double least)
{
    double best = -INFINITY, seen = -INFINITY;
    int at = -1;

    for (int i = 0; i < c->seens; i++)
        seen = larger(seen, sum_of(c, a, c->seen + (size_t)i * (size_t)m));
    for (int i = 0; i < c->count; i++) {
        const double sum = sum_of(c, a, c->u + (size_t)i * (size_t)m);
        if (sum <= best) continue;
        best = sum;
        at = i;
    }
    return best > seen + least ? at : -1;
}
