/* tests/fmu/nasty.c -- co-simulation FMUs (FMI 2) that make trouble, by the
 * parameter `mode`:
 *
 *     0  sampled: y = g u at d, d + h, d + 2 h, ..., held between them
 *     1  Euler steps of its own length h for 0.1 x' = g u - x, y = x
 *     2  y = g u, told with the values of the last step
 *     3  sampled as 0, at instants that are not equidistant
 *     4  y = g u and a little of the clock on the wall at its last step
 *     5  a lag, exact; y is not a number after one of its steps
 *     6  a lag that discards every step
 *     7  a lag that discards steps longer than h
 *     8  a relay: y = g for u > 0, else -g
 *     9  k counts the times 0.35 h, 1.35 h, ...; y = x of a lag
 *    10  a lag by one Euler step per communication step
 *    11  y = x + d u, x a lag
 *    12  two sampled parts in one, with periods h and 0.7 h
 *    14  sampled as 0, in the first step behind the instant
 *    15  y = g u, with a delay of one step
 *    16  a jump of y by 1 at t = h, besides a lag
 *    17  y = |t - h|
 *    18  y = 0 until a step with u > h, then g
 *
 * THREADS: a thread makes the steps.  Value references: 0 y, 1 u, 2 mode, 3 g,
 * 4 h, 5 d, 6 k (integer), 7 gain of y.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { Y, U, MODE, G, H, D, K, SCALE, REALS };

typedef struct nasty {
    double v[REALS], x, held, other, t, tick, second, old;
    int calls, k, n;
    double from, length; /* of the step that a thread makes */
#ifdef THREADS
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int state; /* 0: nothing to do, 1: a step, 2: the end */
#endif
} nasty;

static void lag(nasty *b, double h)
{
    const double u = b->v[G] * b->v[U];

    b->x = u + (b->x - u) * exp(-h / 0.1);
}

static double output(nasty *b)
{
    const double *v = b->v;

    switch ((int)v[MODE]) {
    case 0:
    case 3:
    case 14:
    case 18:
        return b->held;
    case 12:
        return b->held + b->other;
    case 2:
    case 15:
        return b->old;
    case 4:
        return v[G] * v[U] + b->held;
    case 5:
        return b->calls == 150 ? NAN : b->x;
    case 8:
        return v[U] > 0.0 ? v[G] : -v[G];
    case 11:
        return b->x + v[D] * v[U];
    case 16:
        return b->x + (b->t >= v[H] ? 1.0 : 0.0);
    case 17:
        return fabs(b->t - v[H]);
    default:
        return b->x;
    }
}

/* Samples at ticks in (.., end]. */
static void sample(nasty *b, double end)
{
    const double *v = b->v;

    while (b->tick <= end + 1e-12) {
        b->held = v[G] * v[U];
        b->n++;
        b->tick = b->v[MODE] == 3 ? v[H] * (b->n + 0.3 * sin(b->n * b->n))
                                  : v[D] + v[H] * b->n;
    }
    while (b->second <= end + 1e-12) {
        b->other = 0.5 * v[G] * v[U];
        b->second += 0.7 * v[H];
    }
}

static void step(nasty *b, double t, double h)
{
    const double *v = b->v;
    struct timespec now;

    switch ((int)v[MODE]) {
    case 0:
    case 3:
    case 12:
        sample(b, t + h);
        break;
    case 14:
        sample(b, t);
        break;
    case 1:
        while (b->tick + v[H] <= t + h + 1e-12) {
            b->x += v[H] * (v[G] * v[U] - b->x) / 0.1;
            b->tick += v[H];
        }
        break;
    case 18:
        if (v[U] > v[H]) b->held = v[G];
        break;
    case 2:
        b->old = v[G] * v[U];
        break;
    case 15:
        b->old = b->other;
        b->other = v[G] * v[U];
        break;
    case 10:
        b->x += h * (v[G] * v[U] - b->x) / 0.1;
        break;
    case 4:
        clock_gettime(CLOCK_MONOTONIC, &now);
        b->held = 1e-15 * (double)now.tv_nsec;
        break;
    default:
        lag(b, h);
    }
    b->t = t + h;
    if (v[MODE] == 9) b->k = (int)floor((b->t + 1e-12) / v[H] + 0.65);
}

#ifdef THREADS
static void *work(void *self)
{
    nasty *b = self;

    pthread_mutex_lock(&b->lock);
    while (b->state != 2) {
        if (b->state == 1) {
            step(b, b->from, b->length);
            b->state = 0;
            pthread_cond_broadcast(&b->wake);
        }
        pthread_cond_wait(&b->wake, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void make_step(nasty *b, double t, double h)
{
    pthread_mutex_lock(&b->lock);
    b->from = t;
    b->length = h;
    b->state = 1;
    pthread_cond_broadcast(&b->wake);
    while (b->state == 1) pthread_cond_wait(&b->wake, &b->lock);
    pthread_mutex_unlock(&b->lock);
}
#else
#define make_step step
#endif

EXPORT void *fmi2Instantiate(const char *n, int t, const char *g, const char *r,
                             const void *c, int v, int l)
{
    nasty *b = calloc(1, sizeof *b);

    (void)n, (void)t, (void)g, (void)r, (void)c, (void)v, (void)l;
    b->v[G] = b->v[SCALE] = 1.0;
    b->v[H] = 0.01;
#ifdef THREADS
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->wake, NULL);
    pthread_create(&b->thread, NULL, work, b);
#endif
    return b;
}

EXPORT void fmi2FreeInstance(void *c)
{
#ifdef THREADS
    nasty *b = c;

    pthread_mutex_lock(&b->lock);
    b->state = 2;
    pthread_cond_broadcast(&b->wake);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
#endif
    free(c);
}

EXPORT int fmi2SetupExperiment(void *c, int g, double tol, double s, int e,
                               double st)
{
    (void)g, (void)tol, (void)e, (void)st;
    ((nasty *)c)->t = s;
    return 0;
}

EXPORT int fmi2EnterInitializationMode(void *c)
{
    (void)c;
    return 0;
}

EXPORT int fmi2ExitInitializationMode(void *c)
{
    nasty *b = c;

    b->old = b->other = b->v[MODE] == 12 ? 0.0 : b->v[G] * b->v[U];
    b->tick = b->v[MODE] == 1 ? 0.0 : b->v[D];
    return 0;
}

EXPORT int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++) ((nasty *)c)->v[r[i]] = v[i];
    return 0;
}

EXPORT int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v)
{
    nasty *b = c;

    b->v[Y] = b->v[SCALE] * output(b);
    for (size_t i = 0; i < n; i++) v[i] = b->v[r[i]];
    return 0;
}

EXPORT int fmi2GetInteger(void *c, const unsigned *r, size_t n, int *v)
{
    (void)r;
    for (size_t i = 0; i < n; i++) v[i] = ((nasty *)c)->k;
    return 0;
}

EXPORT int fmi2SetInteger(void *c, const unsigned *r, size_t n, const int *v)
{
    (void)c, (void)r, (void)n, (void)v;
    return 0;
}

EXPORT int fmi2DoStep(void *c, double t, double h, int no)
{
    nasty *b = c;
    const int mode = (int)b->v[MODE];

    (void)no;
    b->calls++;
    if (mode == 6 || (mode == 7 && h > b->v[H])) return 2;
    make_step(b, t, h);
    return 0;
}

EXPORT int fmi2GetRealStatus(void *c, int kind, double *v)
{
    (void)kind;
    *v = ((nasty *)c)->t;
    return 0;
}

EXPORT int fmi2Terminate(void *c)
{
    (void)c;
    return 0;
}

EXPORT int fmi2Reset(void *c)
{
    (void)c;
    return 0;
}

EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

EXPORT int fmi2SetDebugLogging(void *c, int l, size_t n, const char *const *k)
{
    (void)c, (void)l, (void)n, (void)k;
    return 0;
}

EXPORT int fmi2CancelStep(void *c)
{
    (void)c;
    return 0;
}
