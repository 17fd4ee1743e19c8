/* family/wave_ode.c -- reference solutions of ordinary differential equations.
 *
 * Picard's iteration on panels: x <- x0 + int f(s, x(s)) ds, the integral by
 * the Chebyshev series of f at the nodes, until nothing changes; a panel that
 * does not contract by the time, or whose series is not resolved, is cut in
 * two.  The order is 17, the error that of rounding.
 */
#include "wave.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = WAVE_NODES, MOST = WAVE_STATES, TURNS = 60, DEEPEST = 40 };

static const double pi = 3.14159265358979323846;

typedef struct panels {
    wave_rhs *f;
    void *context;
    int n;
    wave **out;
    double scale[MOST];
    double x[MOST];
} panels;

static bool append(wave *w, double lo, double hi, const double *c)
{
    if (w->count == w->room) {
        const int room = w->room ? 2 * w->room : 64;
        wave_panel *more = realloc(w->panel, (size_t)room * sizeof *more);
        if (!more) return false;
        w->panel = more;
        w->room = room;
    }
    wave_panel *p = &w->panel[w->count++];
    p->lo = lo;
    p->hi = hi;
    memcpy(p->c, c, sizeof p->c);
    return true;
}

static double sum_at(const double *c, double s)
{
    double b1 = 0.0, b2 = 0.0;

    for (int j = N - 1; j > 0; j--) {
        const double b = 2.0 * s * b1 - b2 + c[j];
        b2 = b1;
        b1 = b;
    }
    return s * b1 - b2 + c[0];
}

/* The series of x0 + half * int_{-1}^s g, g by its values at the nodes. */
static void integral(const double *g, double half, double x0, double *out)
{
    double c[N], d[N + 1] = { 0.0 }, low = 0.0;

    for (int j = 0; j < N; j++) {
        double sum = 0.0;
        for (int k = 0; k < N; k++) sum += g[k] * cos(pi * j * (k + 0.5) / N);
        c[j] = sum * (j ? 2.0 : 1.0) / N;
    }
    d[1] = c[0];
    d[2] = 0.25 * c[1];
    for (int j = 2; j < N; j++) {
        d[j + 1] += 0.5 * c[j] / (j + 1);
        d[j - 1] -= 0.5 * c[j] / (j - 1);
    }
    for (int j = 1; j < N; j++) {
        out[j] = half * d[j];
        low += j % 2 ? -out[j] : out[j];
    }
    out[0] = x0 - low;
}

/* True: c holds the solution on [lo, hi]. */
static bool picard(panels *p, double lo, double hi, double c[MOST][N])
{
    double x[MOST][N], g[MOST][N], point[MOST], rate[MOST];

    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < N; k++) x[i][k] = p->x[i];
    for (int turn = 0; turn < TURNS; turn++) {
        double change = 0.0;
        for (int k = 0; k < N; k++) {
            const double s = cos(pi * (k + 0.5) / N);
            for (int i = 0; i < p->n; i++) point[i] = x[i][k];
            p->f(p->context, 0.5 * (lo + hi) + 0.5 * (hi - lo) * s, point,
                 rate);
            for (int i = 0; i < p->n; i++) g[i][k] = rate[i];
        }
        for (int i = 0; i < p->n; i++) {
            integral(g[i], 0.5 * (hi - lo), p->x[i], c[i]);
            for (int k = 0; k < N; k++) {
                const double next = sum_at(c[i], cos(pi * (k + 0.5) / N));
                const double size = fmax(p->scale[i], fabs(next));
                if (!isfinite(next)) return false;
                change = fmax(change, fabs(next - x[i][k]) / size);
                x[i][k] = next;
            }
        }
        if (change <= 4.0 * DBL_EPSILON) break;
        if (turn == TURNS - 1) return false;
    }
    for (int i = 0; i < p->n; i++)
        for (int j = N - 3; j < N; j++)
            if (fabs(c[i][j]) > 1e-14 * p->scale[i]) return false;
    return true;
}

static bool solve(panels *p, double lo, double hi, int depth)
{
    double c[MOST][N];

    if (picard(p, lo, hi, c)) {
        for (int i = 0; i < p->n; i++) {
            if (!append(p->out[i], lo, hi, c[i])) return false;
            p->x[i] = sum_at(c[i], 1.0);
            p->scale[i] = fmax(p->scale[i], fabs(p->x[i]));
            p->out[i]->most = p->scale[i];
        }
        return true;
    }
    const double mid = 0.5 * (lo + hi);
    if (depth >= DEEPEST) return false;
    return solve(p, lo, mid, depth + 1) && solve(p, mid, hi, depth + 1);
}

bool wave_ode(wave_rhs *f, void *context, int n, const double *x0, double lo,
              double hi, double grain, const double *breaks, int count,
              wave **out)
{
    panels p = { .f = f, .context = context, .n = n, .out = out };
    double t = lo;

    for (int i = 0; i < n; i++) {
        out[i] = calloc(1, sizeof(wave));
        if (!out[i]) return false;
        p.x[i] = x0[i];
        p.scale[i] = fmax(fabs(x0[i]), 1e-3);
    }
    for (int b = 0; b <= count; b++) {
        const double end = b < count ? fmin(breaks[b], hi) : hi;
        if (end <= t) continue;
        const int parts = 1 + (int)((end - t) / grain);
        const double from = t;
        for (int k = 0; k < parts; k++) {
            const double next =
                k + 1 < parts ? from + (end - from) * (k + 1) / parts : end;
            if (!solve(&p, t, next, 0)) return false;
            t = next;
        }
    }
    return true;
}

/* ---- matrix exponentials ------------------------------------------------- */

enum { WIDE = MOST + 1 };

static void product(int n, const double *a, const double *b, double *out)
{
    double c[WIDE * WIDE];

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    memcpy(out, c, (size_t)(n * n) * sizeof *c);
}

/* exp([A b; 0 0] h) by its series on h / 2^k, then k squares; the identity is
 * kept apart so that small exponents lose nothing. */
void wave_linear_step(int n, const double *A, const double *b, double h,
                      double *x)
{
    double m[WIDE * WIDE] = { 0.0 }, e[WIDE * WIDE], term[WIDE * WIDE];
    double size = 0.0, x1[WIDE];
    const int w = n + 1;
    int halves = 0;

    for (int i = 0; i < n; i++) {
        double row = fabs(b[i] * h);
        for (int j = 0; j < n; j++) {
            m[i * w + j] = A[i * n + j] * h;
            row += fabs(m[i * w + j]);
        }
        m[i * w + n] = b[i] * h;
        size = fmax(size, row);
    }
    for (; size > 0.25; size *= 0.5) halves++;
    for (int i = 0; i < w * w; i++) m[i] = ldexp(m[i], -halves);
    memcpy(e, m, sizeof e);
    memcpy(term, m, sizeof term);
    for (int k = 2; k < 16; k++) { /* e = exp(m) - 1 */
        product(w, term, m, term);
        for (int i = 0; i < w * w; i++) {
            term[i] /= k;
            e[i] += term[i];
        }
    }
    for (int k = 0; k < halves; k++) { /* (1 + e)^2 - 1 = 2 e + e^2 */
        product(w, e, e, term);
        for (int i = 0; i < w * w; i++) e[i] = 2.0 * e[i] + term[i];
    }
    for (int i = 0; i < n; i++) {
        x1[i] = x[i] + e[i * w + n];
        for (int j = 0; j < n; j++) x1[i] += e[i * w + j] * x[j];
    }
    memcpy(x, x1, (size_t)n * sizeof *x);
}
