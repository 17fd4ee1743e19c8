/* step/look/deviation.c -- the largest deviation of a function from the
 * polynomial through its values at the points of a step.
 *
 * A step sees g at its points; I is the polynomial through these values.  D = g
 * - I is what it has not seen.  On a piece of the step with the middle m and
 * half the length r, Taylor's formula bounds it,
 *
 *     |D| <= sum_k |D_k(m)| r^k + r^4 max |g^(4)| / 4!,    k = 0 ... 3,
 *
 * where interval arithmetic gives the last term; so does the enclosure of g
 * less the range of I, and the mean value theorem.  Pieces are halved, the one
 * with the largest bound first, until the largest |D| is known within SURE: of
 * a pulse that is narrower than the step by 2^k that takes 2 k pieces, of a
 * thousand pulses no more.  So no pulse is too narrow to be found.
 *
 * Where g is resolved there is nothing to do: D is less than what the
 * polynomial leaves over at the step's own points, which its estimate sees.
 * Then one enclosure of the whole step is all that this costs.
 */
#include "step/look/deviation.h"
#include "base/lengths.h"
#include "step/policy.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double largest(const double v[2])
{
    return fmax(fabs(v[0]), fabs(v[1]));
}

static void enclose(const yk_search *s, double from, double to, int order,
                    double (*out)[2])
{
    s->enclose(s->self, s->which, from, to, order, out);
}

/* Values near the rounding of g are no matter. */
static void note_value(yk_search *s, const double v[2])
{
    const double size = largest(v);

    if (size <= DBL_MAX)
        s->floor = fmax(s->floor,
                        fmax(4.0 * (v[1] - v[0]), 64.0 * DBL_EPSILON * size));
}

static double value_at(yk_search *s, double t)
{
    double v[1][2];

    enclose(s, t, t, 0, v);
    note_value(s, v[0]);
    if (!(largest(v[0]) <= DBL_MAX)) s->undefined = true;
    return 0.5 * (v[0][0] + v[0][1]);
}

static void see(yk_search *s, double value)
{
    s->seen[0] = fmin(s->seen[0], value);
    s->seen[1] = fmax(s->seen[1], value);
}

void yk_search_see(yk_search *s)
{
    see(s, value_at(s, s->where));
}

/* ---- The polynomial ------------------------------------------------------ */

/* Newton's divided differences of g, then powers of theta. */
static void interpolate(yk_search *s)
{
    double d[YK_STAGES] = { 0.0 };
    const int n = s->count;

    s->seen[0] = INFINITY;
    s->seen[1] = -INFINITY;
    for (int i = 0; i < n; i++) {
        d[i] = value_at(s, s->t + s->theta[i] * s->h);
        see(s, d[i]);
    }
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--)
            d[i] = (d[i] - d[i - 1]) / (s->theta[i] - s->theta[i - k]);
    for (int k = 0; k < n; k++) s->coef[k] = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        for (int k = n - 1; k > 0; k--)
            s->coef[k] = s->coef[k - 1] - s->theta[i] * s->coef[k];
        s->coef[0] = d[i] - s->theta[i] * s->coef[0];
    }
    s->spread = fabs(d[n - 1]);
    for (int i = 1; i < n; i++) s->spread *= s->theta[i];
}

/* Taylor coefficients of I at theta = m. */
static void shifted(const yk_search *s, double m, double out[4])
{
    for (int k = 0; k < 4; k++) out[k] = k < s->count ? s->coef[k] : 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 2; k >= i; k--) out[k] += m * out[k + 1];
}

double yk_search_widest(const yk_stages *nodes)
{
    double most = 0.0;

    for (int j = 1; j < 12; j++) {
        double product = 1.0;
        for (int i = 0; i < nodes->count; i++)
            product *= fabs(j / 12.0 - nodes->theta[i]);
        most = fmax(most, product);
    }
    return 1.3 * most; /* between these places */
}

double yk_search_deviation(const yk_search *s, double t)
{
    const double theta = (t - s->t) / s->h;
    double sum = 0.0, v[1][2];

    enclose(s, t, t, 0, v);
    for (int k = s->count - 1; k >= 0; k--) sum = sum * theta + s->coef[k];
    return fabs(0.5 * (v[0][0] + v[0][1]) - sum);
}

/* ---- Pieces -------------------------------------------------------------- */

static double bound_of(yk_search *s, double a, double b)
{
    const double m = 0.5 * (a + b), r = 0.5 * (b - a), h = s->h;
    const double at = s->t + m * h;
    double point[4][2], all[5][2], line[4], taylor = 0.0;
    double power = 1.0, scale = 1.0;

    enclose(s, at, at, 3, point);
    enclose(s, s->t + a * h, s->t + b * h, 4, all);
    shifted(s, m, line);
    const double here = fabs(0.5 * (point[0][0] + point[0][1]) - line[0]);
    note_value(s, point[0]);
    if (here > s->lower) {
        s->lower = here;
        s->where = at;
    }
    for (int k = 0; k < 4; k++, power *= r, scale *= h) {
        taylor += power * fmax(fabs(point[k][0] * scale - line[k]),
                               fabs(point[k][1] * scale - line[k]));
    }
    taylor += power * scale * largest(all[4]);
    const double tilt =
        fabs(line[1]) + 2.0 * r * fabs(line[2]) + 3.0 * r * r * fabs(line[3]);
    const double bent =
        r * (fabs(line[1]) + r * (fabs(line[2]) + r * fabs(line[3])));
    const double plain =
        fmax(fabs(all[0][0] - line[0]), fabs(all[0][1] - line[0])) + bent;
    const double mean = here + r * (h * largest(all[1]) + tilt);
    double bound = plain;
    if (taylor < bound) bound = taylor;
    if (mean < bound) bound = mean;
    return isnan(bound) ? INFINITY : bound;
}

static void push(yk_search *s, double a, double b)
{
    const yk_search_piece p = { a, b, bound_of(s, a, b) };
    int at = s->pieces++;

    while (at > 0 && s->heap[(at - 1) / 2].bound < p.bound) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = p;
}

static yk_search_piece pop(yk_search *s)
{
    const yk_search_piece top = s->heap[0], last = s->heap[--s->pieces];
    int at = 0;

    for (;;) {
        int child = 2 * at + 1;
        if (child >= s->pieces) break;
        if (child + 1 < s->pieces &&
            s->heap[child + 1].bound > s->heap[child].bound)
            child++;
        if (s->heap[child].bound <= last.bound) break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return top;
}

void yk_search_largest(yk_search *s, double enough)
{
    const double narrow =
        64.0 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t + s->h)) / s->h;

    s->lower = s->upper = 0.0;
    s->where = s->t + 0.5 * s->h;
    s->pieces = 0;
    push(s, 0.0, 1.0);
    for (int looks = 0; s->pieces > 0; looks += 2) {
        s->upper = s->heap[0].bound;
        if (s->upper <= fmax(s->sure * s->lower, s->floor)) break;
        if (s->lower > enough || looks >= s->budget) break;
        const yk_search_piece p = pop(s);
        if (p.b - p.a <= narrow) continue; /* no room for anything */
        const double middle = 0.5 * (p.a + p.b);
        push(s, p.a, middle);
        push(s, middle, p.b);
    }
    if (s->pieces == 0) s->upper = s->lower;
}

/* From s->where to the top of that hill, by Newton's method for the slope. */
static void climb(yk_search *s)
{
    for (int i = 0; i < 6; i++) {
        double v[3][2];
        enclose(s, s->where, s->where, 2, v);
        const double slope = v[1][0] + v[1][1], bend = v[2][0] + v[2][1];
        const double t = s->where - 0.5 * slope / bend;
        if (!(t > s->t && t < s->t + s->h)) break;
        const double far = fabs(value_at(s, t) - s->coef[0]);
        if (!(far > s->lower)) break;
        s->lower = far;
        s->where = t;
    }
}

bool yk_search_beyond(yk_search *s, double least)
{
    const double half = 0.5 * (s->seen[1] - s->seen[0]);

    if (s->range[0] >= s->seen[0] - least && s->range[1] <= s->seen[1] + least)
        return false;
    s->coef[0] = 0.5 * (s->seen[0] + s->seen[1]);
    for (int k = 1; k < s->count; k++) s->coef[k] = 0.0;
    s->floor = fmax(s->floor, half + least);
    s->sure = YK_LOOK_NEAR_TOP;
    yk_search_largest(s, INFINITY);
    climb(s);
    return s->lower > half + least;
}

/* ---- One function over one step ------------------------------------------ */

/* What two points see of a bend: those of the ends. */
static double bend(const yk_search *s)
{
    double v[3][2], w[3][2];

    enclose(s, s->t, s->t, 2, v);
    enclose(s, s->t + s->h, s->t + s->h, 2, w);
    const double most = s->h * s->h * fmax(largest(v[2]), largest(w[2]));
    return most <= DBL_MAX ? most : 0.0; /* not known */
}

bool yk_search_begin(yk_search *s, yk_encloser bounds, void *self, int which,
                     double t, double h)
{
    s->enclose = bounds;
    s->self = self;
    s->which = which;
    /* At the ends of a segment branches change. */
    s->t = t + yk_rounding(t);
    s->h = t + h - yk_rounding(t + h) - s->t;
    s->floor = 0.0;
    s->sure = YK_LOOK_SURE;
    s->lower = s->upper = 0.0;
    s->budget = YK_PIECES;
    s->undefined = false;
    return s->h > 0.0;
}

void yk_search_interpolate(yk_search *s, const yk_stages *nodes)
{
    s->count = nodes->count;
    for (int i = 0; i < nodes->count; i++) s->theta[i] = nodes->theta[i];
    interpolate(s);
}

bool yk_search_sees(yk_search *s, const yk_stages *nodes)
{
    double all[5][2];

    s->count = nodes->count;
    for (int i = 0; i < nodes->count; i++) s->theta[i] = nodes->theta[i];
    enclose(s, s->t, s->t + s->h, s->count, all);
    s->range[0] = all[0][0];
    s->range[1] = all[0][1];
    memcpy(s->seen, s->range, sizeof s->seen);
    if (all[0][0] == all[0][1]) return true;
    interpolate(s);
    if (s->count == 2) s->spread = bend(s);
    double bound = yk_search_widest(nodes) * largest(all[s->count]);
    for (int i = 0; i < s->count; i++) bound *= s->h;
    return bound <= fmax(s->spread, s->floor);
}
