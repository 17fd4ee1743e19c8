/* family/wave.c -- piecewise Chebyshev series, adaptive.
 *
 * Nodes of the first kind, so no node lies on a jump at the end of a panel:
 *
 *     t_k = cos(pi (k + 1/2) / N),   f(t) = sum c_j T_j(t),
 *     c_j = (2 - [j = 0]) / N sum_k f(t_k) cos(pi j (k + 1/2) / N).
 *
 * A panel is accepted when its last three coefficients are below 1e-14 of the
 * largest value of the wave so far, when they are below 1e-10 and a cut did not
 * make them smaller (rounding of what the function is made of, or a kink in a
 * panel that is short already), or when it cannot be cut any more.
 */
#include "wave.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = WAVE_NODES, DEEPEST = 48, MOST = 1000000 };

static const double pi = 3.14159265358979323846;

/* cos(pi j (k + 1/2) / N) */
static double cosines[N][N];
static bool ready;

static void prepare(void)
{
    if (ready) return;
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) cosines[j][k] = cos(pi * j * (k + 0.5) / N);
    ready = true;
}

static double node(double lo, double hi, int k)
{
    return 0.5 * (lo + hi) + 0.5 * (hi - lo) * cosines[1][k];
}

static wave *new_wave(void)
{
    prepare();
    return calloc(1, sizeof(wave));
}

void wave_free(wave *w)
{
    if (!w) return;
    free(w->panel);
    free(w);
}

static wave_panel *append(wave *w, double lo, double hi)
{
    if (w->count >= MOST) w->bad = true;
    if (w->bad) return NULL;
    if (w->count == w->room) {
        const int room = w->room ? 2 * w->room : 64;
        wave_panel *more = realloc(w->panel, (size_t)room * sizeof *more);
        if (!more) {
            w->bad = true;
            return NULL;
        }
        w->panel = more;
        w->room = room;
    }
    wave_panel *p = &w->panel[w->count++];
    p->lo = lo;
    p->hi = hi;
    return p;
}

static void series(const double *value, double *c)
{
    for (int j = 0; j < N; j++) {
        double sum = 0.0;
        for (int k = 0; k < N; k++) sum += value[k] * cosines[j][k];
        c[j] = sum * (j ? 2.0 : 1.0) / N;
    }
}

static double largest(const double *value)
{
    double most = 0.0;

    for (int k = 0; k < N; k++) most = fmax(most, fabs(value[k]));
    return most;
}

static double tail_of(const double *c)
{
    return fmax(fmax(fabs(c[N - 1]), fabs(c[N - 2])), fabs(c[N - 3]));
}

/* `before`: the tail of the panel that was cut. */
static bool resolved(double tail, double before, double most)
{
    return tail <= 1e-14 * most || most == 0.0 ||
           (tail <= 1e-10 * most && tail > 0.2 * before);
}

/* The size of what comes, so that a slow begin is not resolved to its last
 * digit. */
static void foresee(wave *w, wave_function *f, void *context, double lo,
                    double hi)
{
    for (int k = 0; k < 5; k++) {
        const double v = fabs(f(context, lo + (hi - lo) * (k + 0.5) / 5.0));
        if (isfinite(v)) w->most = fmax(w->most, v);
    }
}

/* No double between the ends that would help. */
static bool too_short(double lo, double hi, int depth)
{
    return depth >= DEEPEST ||
           hi - lo <= 8.0 * DBL_EPSILON * fmax(fabs(lo), fabs(hi));
}

static double value(const wave_panel *p, double t)
{
    const double s = (2.0 * t - p->lo - p->hi) / (p->hi - p->lo);
    double b1 = 0.0, b2 = 0.0;

    for (int j = N - 1; j > 0; j--) {
        const double b = 2.0 * s * b1 - b2 + p->c[j];
        b2 = b1;
        b1 = b;
    }
    return s * b1 - b2 + p->c[0];
}

/* A jump beside an end lies outside of all nodes: a look at both ends. */
static bool ends_agree(wave_function *f, void *context, const wave_panel *p,
                       double most)
{
    const double h = p->hi - p->lo;

    for (int k = 0; k < 2; k++) {
        const double t = k ? p->hi - 1e-6 * h : p->lo + 1e-6 * h;
        if (fabs(f(context, t) - value(p, t)) > 1e-9 * most) return false;
    }
    return true;
}

static void fit(wave *w, wave_function *f, void *context, double lo, double hi,
                double before, int depth)
{
    wave_panel p = { .lo = lo, .hi = hi };
    double at[N];

    for (int k = 0; k < N; k++) {
        at[k] = f(context, node(lo, hi, k));
        if (!isfinite(at[k])) w->bad = true;
    }
    if (w->bad) return;
    const double most = fmax(w->most, largest(at));
    series(at, p.c);
    const double tail = tail_of(p.c);
    if (too_short(lo, hi, depth) ||
        (resolved(tail, before, most) && ends_agree(f, context, &p, most))) {
        wave_panel *q = append(w, lo, hi);
        if (q) *q = p;
        w->most = most;
        return;
    }
    fit(w, f, context, lo, 0.5 * (lo + hi), tail, depth + 1);
    fit(w, f, context, 0.5 * (lo + hi), hi, tail, depth + 1);
}

wave *wave_of(wave_function *f, void *context, double lo, double hi,
              double grain)
{
    wave *w = new_wave();
    const int parts = 1 + (int)((hi - lo) / grain);

    if (!w) return NULL;
    for (int i = 0; i < parts; i++)
        foresee(w, f, context, lo + (hi - lo) * i / parts,
                lo + (hi - lo) * (i + 1) / parts);
    for (int i = 0; i < parts; i++)
        fit(w, f, context, lo + (hi - lo) * i / parts,
            i + 1 < parts ? lo + (hi - lo) * (i + 1) / parts : hi, INFINITY, 0);
    return w;
}

wave *wave_pieces(const double *time, const double *value, int count, double lo,
                  double hi)
{
    wave *w = new_wave();

    for (int i = 0; i < count && w; i++) {
        const double from = i ? fmax(time[i - 1], lo) : lo;
        const double to = i + 1 < count ? fmin(time[i], hi) : hi;
        wave_panel *p = to > from ? append(w, from, to) : NULL;
        if (!p) continue;
        memset(p->c, 0, sizeof p->c);
        p->c[0] = value[i];
        w->most = fmax(w->most, fabs(value[i]));
    }
    return w;
}

static int place(const wave *w, double t)
{
    int lo = 0, hi = w->count - 1;

    while (lo < hi) {
        const int mid = (lo + hi + 1) / 2;
        if (w->panel[mid].lo <= t)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

double wave_at(const wave *w, double t)
{
    const wave_panel *p = &w->panel[place(w, t)];

    return value(p, fmin(fmax(t, p->lo), p->hi));
}

/* The panel around a jump is as short as numbers permit, and its series swings
 * beyond the values on both sides. */
bool wave_tiny(const wave *w, int i)
{
    const double whole = w->panel[w->count - 1].hi - w->panel[0].lo;

    return w->panel[i].hi - w->panel[i].lo < 1e-11 * whole;
}

double wave_most(const wave *w, double t)
{
    double most = 0.0;

    for (int i = 0; i < w->count && w->panel[i].lo <= t; i++) {
        const wave_panel *p = &w->panel[i];
        if (wave_tiny(w, i)) continue;
        for (int k = 0; k <= 8; k++) {
            const double s = p->lo + (p->hi - p->lo) * k / 8.0;
            if (s <= t) most = fmax(most, fabs(value(p, s)));
        }
    }
    return most;
}

/* Values on both sides of a run of panels that are too short to matter. */
int wave_jumps(const wave *w, double part, double *at, int room)
{
    const double whole = w->panel[w->count - 1].hi - w->panel[0].lo;
    int count = 0;

    for (int i = 0; i + 1 < w->count;) {
        int next = i + 1;
        while (next + 1 < w->count &&
               w->panel[next].hi - w->panel[next].lo < 1e-9 * whole)
            next++;
        const double a = value(&w->panel[i], w->panel[i].hi);
        const double b = value(&w->panel[next], w->panel[next].lo);
        if (fabs(b - a) > part * w->most) {
            if (count < room) at[count] = w->panel[next].lo;
            count++;
        }
        i = next;
    }
    return count;
}

/* ---- functions of waves -------------------------------------------------- */

typedef struct mapped {
    const wave *a, *b;
    const wave_panel *p, *q;
    wave_function *g;
    wave_pair *h;
    void *context;
} mapped;

static double map_value(void *self, double t)
{
    const mapped *m = self;

    return m->g(m->context, value(m->p, t));
}

wave *wave_map(const wave *u, wave_function *g, void *context, int cuts)
{
    wave *w = new_wave();
    mapped m = { .a = u, .g = g, .context = context };

    if (!w) return NULL;
    w->bad = u->bad;
    for (int i = 0; i < u->count; i++) {
        m.p = &u->panel[i];
        foresee(w, map_value, &m, m.p->lo, m.p->hi);
    }
    for (int i = 0; i < u->count; i++) {
        m.p = &u->panel[i];
        const double lo = m.p->lo, h = m.p->hi - m.p->lo;
        const bool tiny = too_short(lo, m.p->hi, 0);
        const int parts = tiny ? 1 : cuts;
        for (int k = 0; k < parts; k++)
            fit(w, map_value, &m, lo + h * k / parts,
                k + 1 < parts ? lo + h * (k + 1) / parts : m.p->hi, INFINITY,
                0);
    }
    return w;
}

static double join_value(void *self, double t)
{
    const mapped *m = self;

    return m->h(m->context, value(m->p, t), value(m->q, t));
}

/* As foresee, on the panels of one of the two. */
static void foresee_pair(wave *w, const mapped *m, const wave *on)
{
    for (int i = 0; i < on->count; i++)
        for (int k = 0; k < 5; k++) {
            const wave_panel *p = &on->panel[i];
            const double t = p->lo + (p->hi - p->lo) * (k + 0.5) / 5.0;
            const double v =
                fabs(m->h(m->context, wave_at(m->a, t), wave_at(m->b, t)));
            if (isfinite(v)) w->most = fmax(w->most, v);
        }
}

wave *wave_join(const wave *a, const wave *b, wave_pair *pair, void *context,
                int cuts)
{
    wave *w = new_wave();
    mapped m = { .a = a, .b = b, .h = pair, .context = context };
    int i = 0, j = 0;

    if (!w) return NULL;
    w->bad = a->bad || b->bad;
    w->most = 1e-13 * fmax(a->most, b->most); /* what is less is rounding */
    foresee_pair(w, &m, a);
    foresee_pair(w, &m, b);
    while (i < a->count && j < b->count) {
        m.p = &a->panel[i];
        m.q = &b->panel[j];
        const double lo = fmax(m.p->lo, m.q->lo), hi = fmin(m.p->hi, m.q->hi);
        const int parts = too_short(lo, hi, 0) ? 1 : cuts;
        for (int k = 0; k < parts && hi > lo; k++)
            fit(w, join_value, &m, lo + (hi - lo) * k / parts,
                k + 1 < parts ? lo + (hi - lo) * (k + 1) / parts : hi, INFINITY,
                0);
        if (m.p->hi <= hi) i++;
        if (m.q->hi <= hi) j++;
    }
    return w;
}

/* int T_j = T_{j+1} / (2 (j + 1)) - T_{j-1} / (2 (j - 1)) */
static void integrate(const double *c, double half, double at_lo, double *out)
{
    double d[N + 1] = { 0.0 }, low = 0.0;

    d[1] += c[0];
    d[2] += 0.25 * c[1];
    for (int j = 2; j < N; j++) {
        if (j + 1 <= N) d[j + 1] += 0.5 * c[j] / (j + 1);
        d[j - 1] -= 0.5 * c[j] / (j - 1);
    }
    for (int j = 1; j < N; j++) {
        out[j] = half * d[j];
        low += j % 2 ? -out[j] : out[j];
    }
    out[0] = at_lo - low;
}

wave *wave_integral(const wave *u, double rate, double x0)
{
    wave *w = new_wave();
    double x = x0;

    if (!w) return NULL;
    w->bad = u->bad;
    w->most = fabs(x0);
    for (int i = 0; i < u->count; i++) {
        const wave_panel *p = &u->panel[i];
        wave_panel *q = append(w, p->lo, p->hi);
        if (!q) break;
        integrate(p->c, 0.5 * (p->hi - p->lo) * rate, x, q->c);
        x = value(q, q->hi);
        w->most = fmax(w->most, fabs(x));
    }
    return w;
}

/* ---- tau x' = u - x ------------------------------------------------------ */

static bool gauss(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (a[best * n + k] == 0.0) return false;
        for (int j = 0; j < n; j++) {
            const double keep = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = keep;
        }
        const double keep = b[k];
        b[k] = b[best];
        b[best] = keep;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
    return true;
}

/* Collocation for the coefficients: N - 1 nodes inside and the start. */
static bool collocate(const wave_panel *u, double lo, double hi, double tau,
                      double x0, double *c)
{
    double a[N * N];
    const double slope = tau * 2.0 / (hi - lo);

    for (int i = 0; i < N - 1; i++) {
        const double angle = pi * (i + 0.5) / (N - 1), s = cos(angle);
        for (int j = 0; j < N; j++) /* T_j' = j sin(j a) / sin(a) */
            a[i * N + j] =
                cos(j * angle) + slope * j * sin(j * angle) / sin(angle);
        c[i] = value(u, 0.5 * (lo + hi) + 0.5 * (hi - lo) * s);
    }
    for (int j = 0; j < N; j++) a[(N - 1) * N + j] = j % 2 ? -1.0 : 1.0;
    c[N - 1] = x0;
    return gauss(N, a, c);
}

static double filter(wave *w, const wave_panel *u, double lo, double hi,
                     double tau, double x0, double before, int depth)
{
    double c[N];
    const double most = fmax(w->most, fabs(x0));

    if (!collocate(u, lo, hi, tau, x0, c)) w->bad = true;
    if (w->bad) return x0;
    const double tail = tail_of(c);
    if (resolved(tail, before, most) || too_short(lo, hi, depth)) {
        wave_panel *p = append(w, lo, hi);
        if (!p) return x0;
        memcpy(p->c, c, sizeof c);
        const double x1 = value(p, hi);
        w->most = fmax(most, fabs(x1));
        return x1;
    }
    const double mid = 0.5 * (lo + hi);
    const double x = filter(w, u, lo, mid, tau, x0, tail, depth + 1);
    return filter(w, u, mid, hi, tau, x, tail, depth + 1);
}

wave *wave_filter(const wave *u, double tau, double x0)
{
    wave *w = new_wave();
    double x = x0;

    if (!w) return NULL;
    w->bad = u->bad;
    w->most = fmax(fabs(x0), 1e-6 * u->most);
    for (int i = 0; i < u->count; i++)
        x = filter(w, &u->panel[i], u->panel[i].lo, u->panel[i].hi, tau, x,
                   INFINITY, 0);
    return w;
}

wave *wave_delay(const wave *u, double delay, double past)
{
    wave *w = new_wave();
    const double lo = u->panel[0].lo, hi = u->panel[u->count - 1].hi;

    if (!w) return NULL;
    w->bad = u->bad;
    w->most = fmax(u->most, fabs(past));
    wave_panel *p = append(w, lo, fmin(lo + delay, hi));
    if (!p) return w;
    memset(p->c, 0, sizeof p->c);
    p->c[0] = past;
    for (int i = 0; i < u->count; i++) {
        const double a = u->panel[i].lo + delay, b = u->panel[i].hi + delay;
        if (!(b > a) || a >= hi) continue;
        p = append(w, a, b);
        if (p) memcpy(p->c, u->panel[i].c, sizeof p->c);
    }
    return w;
}

/* ---- crossings ----------------------------------------------------------- */

static double crossing(const wave *u, double level, bool above, double lo,
                       double hi)
{
    for (int k = 0; k < 200 && hi > lo; k++) {
        const double mid = 0.5 * (lo + hi);
        if (mid <= lo || mid >= hi) break;
        if ((wave_at(u, mid) - level > 0.0) == above)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

/* Samples: SAMPLES in each panel; in a panel of 17 smooth coefficients nothing
 * turns more often. */
int wave_crossings(const wave *u, double level, int direction, double *at,
                   int room, double *nearest)
{
    enum { SAMPLES = 24 };
    double t0 = u->panel[0].lo, v0 = value(&u->panel[0], t0) - level;
    double slope = 0.0, least = fabs(v0);
    int count = 0;

    for (int i = 0; i < u->count; i++)
        for (int k = 0; k <= SAMPLES && !wave_tiny(u, i); k++) {
            const wave_panel *p = &u->panel[i];
            const double t = p->lo + (p->hi - p->lo) * k / SAMPLES;
            const double v = value(p, t) - level;
            const bool up = v > 0.0 && v0 <= 0.0, down = v <= 0.0 && v0 > 0.0;
            if (!(t > t0)) continue;
            if ((v - v0) * slope < 0.0) least = fmin(least, fabs(v0));
            if (v != v0) slope = v - v0;
            if ((up && direction >= 0) || (down && direction <= 0)) {
                if (count < room)
                    at[count] = crossing(u, level, v0 > 0.0, t0, t);
                count++;
            }
            t0 = t;
            v0 = v;
        }
    if (nearest) *nearest = fmin(least, fabs(v0));
    return count;
}
