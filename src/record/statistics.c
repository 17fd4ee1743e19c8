/* record/statistics.c -- what a column did, taken from its polynomials.
 *
 * A piece is p(s) = sum c_k s^k, s in [0, 1].  On it
 *
 *     c_0 + sum min(c_k, 0)  <=  p  <=  c_0 + sum max(c_k, 0),
 *
 * so most pieces cannot hold a new extreme.  For the others the zeros of p' are
 * bracketed on LOOKS equal parts and bisected: two zeros within one part are
 * seen as none, which takes a polynomial of degree 4 or more that turns twice
 * within a tenth of a step; between such zeros it hardly moves.
 *
 * Mean and square are exact: int p = sum c_k / (k + 1), and
 * int p^2 = sum c_j c_k / (j + k + 1), over the length of the piece.
 */
#include "record/statistics.h"

#include "wave/waveform.h"

#include <math.h>
#include <stddef.h>

enum { LOOKS = 10, HALVINGS = 50, ROOM = YOKE_WAVE_MAX_DEGREE + 1 };

typedef struct piece {
    double t, h; /* begins at t, is h long */
    int degree;
    double c[ROOM];
} piece;

void yk_statistics_value(yk_statistics *s, double t, double x)
{
    if (x < s->least) {
        s->least = x;
        s->least_at = t;
    }
    if (x > s->most) {
        s->most = x;
        s->most_at = t;
    }
}

static double value(const piece *p, double s)
{
    double x = p->c[p->degree];

    for (int k = p->degree - 1; k >= 0; k--) x = x * s + p->c[k];
    return x;
}

static double slope(const piece *p, double s)
{
    double x = 0.0;

    for (int k = p->degree; k >= 1; k--) x = x * s + k * p->c[k];
    return x;
}

/* p' changes its sign between a and b. */
static double turn(const piece *p, double a, double b)
{
    const bool rises = slope(p, a) > 0.0;

    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (a + b);
        if ((slope(p, middle) > 0.0) == rises)
            a = middle;
        else
            b = middle;
    }
    return 0.5 * (a + b);
}

static void look_for_extremes(yk_statistics *s, const piece *p)
{
    double low = p->c[0], high = p->c[0];

    for (int k = 1; k <= p->degree; k++) {
        low += fmin(p->c[k], 0.0);
        high += fmax(p->c[k], 0.0);
    }
    if (low >= s->least && high <= s->most) return;
    yk_statistics_value(s, p->t, p->c[0]);
    yk_statistics_value(s, p->t + p->h, value(p, 1.0));
    for (int k = 0; p->degree > 1 && k < LOOKS; k++) {
        const double a = (double)k / LOOKS, b = (k + 1.0) / LOOKS;
        if ((slope(p, a) > 0.0) == (slope(p, b) > 0.0)) continue;
        const double at = turn(p, a, b);
        yk_statistics_value(s, p->t + at * p->h, value(p, at));
    }
}

static void add_integrals(yk_statistics *s, const piece *p)
{
    double area = 0.0, square = 0.0;

    for (int j = 0; j <= p->degree; j++) {
        area += p->c[j] / (j + 1);
        for (int k = 0; k < j; k++)
            square += 2.0 * p->c[j] * p->c[k] / (j + k + 1);
        square += p->c[j] * p->c[j] / (2 * j + 1);
    }
    s->area += p->h * area;
    s->square += p->h * square;
}

/* The polynomial of [a, b], a part of the piece with s = (t - t0) / h. */
static void restrict_to(piece *p, double a, double b)
{
    const double begin = (a - p->t) / p->h, factor = (b - a) / p->h;
    double power = 1.0;

    for (int j = 0; j < p->degree; j++) /* shift by `begin` */
        for (int k = p->degree - 1; k >= j; k--) p->c[k] += begin * p->c[k + 1];
    for (int k = 0; k <= p->degree; k++) {
        p->c[k] *= power;
        power *= factor;
    }
    p->t = a;
    p->h = b - a;
}

void yk_statistics_window(yk_statistics *s, const yk_curve *curve, double t0,
                          double t1)
{
    const yk_wave *w = curve->wave;
    const size_t dim = (size_t)yk_wave_dim(w);

    if (yk_wave_pieces(w) < 1) return;
    for (int i = yk_wave_piece(w, t0, true, NULL); i < yk_wave_pieces(w); i++) {
        const double *c = yk_wave_coef(w, i) + curve->component;
        const double begin = yk_wave_knot(w, i), end = yk_wave_knot(w, i + 1);
        piece p = { begin, end - begin, yk_wave_degree(w, i), { 0.0 } };
        if (begin >= t1) return;
        for (int k = 0; k <= p.degree; k++) p.c[k] = c[(size_t)k * dim];
        if (begin < t0 || end > t1)
            restrict_to(&p, fmax(begin, t0), fmin(end, t1));
        look_for_extremes(s, &p);
        add_integrals(s, &p);
    }
}
