/* step/event/scan.c -- where the indicators of events are looked at in a step.
 *
 * An indicator may follow an input, and then it moves as the input does, not as
 * the step: so its points are the knots of the inputs, the turns of each of
 * them (zeros of its derivative inside a piece), and PARTS equal parts of the
 * step.  After an event there are some more near the beginning, at 4^-k: a ball
 * may have left the ground and be back long before the first part.
 *
 * Points besides these are those at which bounds of an indicator show that it
 * rises (rise.c).
 *
 * A knot at which an input jumps is looked at from both sides where steps pass
 * over jumps.
 */
#include "step/event/event.h"
#include "step/policy.h"
#include "wave/waveform.h"

#include <float.h>
#include <math.h>

/* The next of the equal parts and of those near the beginning. */
static double next_part(const yk_scan *s)
{
    const double begin = s->p->t, length = s->end - begin;
    const int j = s->part - s->close;

    if (j < 0) return begin + ldexp(length, 2 * j - 2);
    return j + 1 < YK_EVENT_PARTS
               ? begin + length * ((j + 1.0) / YK_EVENT_PARTS)
               : s->end;
}

/* The derivative of component c of a piece in theta = (t - knot)/h. */
static double slope(const double *coef, int degree, int dim, int c,
                    double theta)
{
    double sum = 0.0;

    for (int k = degree; k >= 1; k--)
        sum = sum * theta + k * coef[(size_t)k * (size_t)dim + (size_t)c];
    return sum;
}

/* The first zero of the derivative in (from, 1): closed for degrees up to 3,
 * for higher ones bracketed by sixteenths; 1: none. */
static double turn(const double *coef, int degree, int dim, int c, double from)
{
    enum { CELLS = 16, HALVINGS = 40 };
    double a = from, fa = slope(coef, degree, dim, c, a);

    if (degree == 2) {
        const double s0 = slope(coef, 2, dim, c, 0.0);
        const double s1 = slope(coef, 2, dim, c, 1.0);
        const double at = s0 / (s0 - s1);
        return s0 * s1 < 0.0 && at > from ? at : 1.0;
    }
    for (int i = 1; i <= CELLS; i++) {
        double b = from + (1.0 - from) * i / CELLS;
        const double fb = slope(coef, degree, dim, c, b);
        if (fa * fb < 0.0) {
            for (int k = 0; k < HALVINGS; k++) {
                const double m = 0.5 * (a + b);
                if (slope(coef, degree, dim, c, m) * fa > 0.0)
                    a = m;
                else
                    b = m;
            }
            return b;
        }
        a = b;
        fa = fb;
    }
    return 1.0;
}

/* The first turn of an input after s->at in its piece, or the piece's end. */
static double next_turn(const yk_scan *s)
{
    const yk_wave *u = s->p->wave;
    const int degree = yk_wave_degree(u, s->knot), dim = s->p->m;
    const double *coef = yk_wave_coef(u, s->knot);
    const double begin = yk_wave_knot(u, s->knot);
    const double h = yk_wave_knot(u, s->knot + 1) - begin;
    const double from = fmax(s->at - begin, 0.0) / h + 1e-6;
    double first = 1.0;

    if (degree < 2 || from >= 1.0) return s->piece;
    for (int c = 0; c < dim; c++)
        first = fmin(first, turn(coef, degree, dim, c, from));
    const double next = begin + first * h; /* a piece may be a few roundings */
    return first < 1.0 && next > s->at ? next : s->piece;
}

/* The piece that begins at or before s->at and ends after it. */
static void find_piece(yk_scan *s)
{
    const yk_wave *u = s->p->wave;
    const int last = u ? yk_wave_pieces(u) - 1 : -1;

    s->piece = INFINITY;
    if (last < 0 || s->p->m == 0) return;
    while (s->knot < last && yk_wave_knot(u, s->knot + 1) <= s->at) s->knot++;
    if (yk_wave_knot(u, s->knot + 1) > s->at)
        s->piece = yk_wave_knot(u, s->knot + 1);
}

yk_scan yk_scan_begin(yk_problem *p, double end, int close, bool both)
{
    yk_scan s = {
        .p = p, .end = end, .at = p->t, .close = close, .more = 3, .both = both
    };
    const yk_wave *u = p->wave;

    if (p->m > 0 && u && yk_wave_pieces(u) > 0)
        s.knot = yk_wave_piece(u, p->t, true, NULL);
    find_piece(&s);
    return s;
}

/* Breakpoints are known to rounding: so near to one an indicator of time may be
 * on either side of it.  Such points are passed over. */
static double pass_over(const yk_scan *s, double next)
{
    const yk_problem *p = s->p;
    const double tiny = 32.0 * DBL_EPSILON * fmax(fabs(p->t), s->end - p->t);

    if (p->begin_break && p->t == p->begin)
        next = fmax(next, fmin(p->t + tiny, s->end));
    if (p->end_break && s->end == p->end && next > s->end - tiny) next = s->end;
    return next;
}

double yk_scan_next(yk_scan *s)
{
    double next = fmin(next_part(s), s->end);

    if (s->both && s->on_knot)
        next = fmin(next, s->at + 8.0 * DBL_EPSILON *
                                      fmax(fabs(s->at), s->end - s->p->t));
    else if (s->piece < INFINITY)
        next = fmin(next, next_turn(s));
    while (s->more < 3 && s->besides[s->more] <= s->at) s->more++;
    if (s->more < 3) next = fmin(next, s->besides[s->more]);
    next = pass_over(s, next);
    s->on_knot = next == s->piece;
    while (next < s->end && next_part(s) <= next) s->part++;
    s->at = next;
    find_piece(s);
    return next;
}
