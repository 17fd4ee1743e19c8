/* tests/fmu/model.c -- small FMUs of every character, FMI 2.0 and 3.0.
 *
 * The model is one mass of the two-mass oscillator,
 *
 *     x' = v,   m v' = - k x + c (u - x),   y = x,
 *
 * with parameters m, k, c and start values of x and v, and an event: v changes
 * its sign when x falls below `floor`, and `bounces` counts how often.  What else
 * it does is said by definitions:
 *
 *     FMI=2|3     version of the standard
 *     STATE       can save its state; LIES: but forgets v in it; LATE: after 40
 *                 steps only
 *     OUTSIDE=t   v grows besides when the steps of all sweeps have made up this
 *                 time, which no state has
 *     CRASH, EXIT, HANG, DISCARD, TALK, EAT   at t = 0.5
 *     THREADS     starts one; DAEMON: a process that leaves the group, whose
 *                 number it appends to the file YOKE_TEST_PIDS
 *     ROUNDS      upwards from its first step on
 *     PAST        wants its next event a second ago
 *     SKIPS=h     does nothing in a communication step shorter than this
 *     EULER=h     co-simulation by Euler steps of this length, which does
 *                 nothing for a shorter communication step
 *
 * Value references: 0 time, 1 x, 2 v, 3 u, 4 y, 5 m, 6 k, 7 c, 8 floor,
 * 9 der(x), 10 der(v), 11 bounces, 12 the text "label".
 */
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef FMI
#define FMI 2
#endif
#define UNUSED __attribute__((unused))
#define EXPORT __attribute__((visibility("default")))
enum { OK, WARNING, DISCARDED, ERROR };
enum { TIME, X, V, U, Y, M, K, C, FLOOR, DX, DV, REALS };

typedef struct model {
    double value[REALS];
    int bounces;
    bool below; /* x < floor, held between events */
    double own; /* time reached by fixed steps */
    int steps;
} model;

/* ---- mathematics ------------------------------------------------------- */

static void slopes(const model *m, double x, double v, double *dx, double *dv)
{
    const double *p = m->value;

    *dx = v;
    *dv = (-p[K] * x + p[C] * (p[U] - x)) / p[M];
}

static void update(model *m)
{
    slopes(m, m->value[X], m->value[V], &m->value[DX], &m->value[DV]);
    m->value[Y] = m->value[X];
}

UNUSED static void rk4(model *m, double h)
{
    double x = m->value[X], v = m->value[V], a[4], b[4];

    slopes(m, x, v, &a[0], &b[0]);
    slopes(m, x + h / 2 * a[0], v + h / 2 * b[0], &a[1], &b[1]);
    slopes(m, x + h / 2 * a[1], v + h / 2 * b[1], &a[2], &b[2]);
    slopes(m, x + h * a[2], v + h * b[2], &a[3], &b[3]);
    m->value[X] = x + h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    m->value[V] = v + h / 6 * (b[0] + 2 * b[1] + 2 * b[2] + b[3]);
}

UNUSED static void bounce(model *m)
{
    const bool below = m->value[X] < m->value[FLOOR];

    if (below && !m->below) {
        m->value[V] = -m->value[V];
        m->bounces++;
    }
    m->below = below;
}

static void trouble(double t)
{
    if (t < 0.5) return;
#if defined(CRASH)
    signal(SIGSEGV, SIG_DFL); /* sanitizers have their own */
    raise(SIGSEGV);
#elif defined(EXIT)
    exit(3);
#elif defined(HANG)
    sleep(1000);
#elif defined(EAT)
    for (;;) {
        char *more = malloc(1u << 26);
        if (!more) abort();
        memset(more, 1, 1u << 26);
    }
#endif
}

UNUSED static void leave(void)
{
    const char *path = getenv("YOKE_TEST_PIDS");
    FILE *file = path ? fopen(path, "a") : NULL;

    if (!file) return;
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        sleep(1000);
        _exit(0);
    }
    fprintf(file, "%ld\n", (long)child);
    fclose(file);
}

static int advance(model *m, double t, double h)
{
#ifdef SKIPS
    if (h < SKIPS) return OK;
#endif
#ifdef EULER
    while (m->own + EULER <= t + h + 1e-12) {
        double dx, dv;

        slopes(m, m->value[X], m->value[V], &dx, &dv);
        m->value[X] += EULER * dx;
        m->value[V] += EULER * dv;
        m->own += EULER;
    }
#else
    const int n = (int)ceil(h / 1e-3);

    for (int i = 0; i < n; i++) {
        rk4(m, h / n);
        bounce(m);
    }
#endif
#ifdef OUTSIDE
    static double outside;

    outside += h;
    if (outside > OUTSIDE) m->value[V] += 0.3 * h;
#endif
    m->value[TIME] = t + h;
    m->steps++;
    update(m);
#ifdef ROUNDS
    fesetround(FE_UPWARD);
#endif
#ifdef DAEMON
    if (m->steps < 4) leave();
#endif
#ifdef TALK
    printf("step to %g\n", t + h);
    fflush(stdout);
#endif
    trouble(t + h);
#ifdef DISCARD
    if (t + h >= 0.5) return DISCARDED;
#endif
    return OK;
}

UNUSED static void *idle(void *unused)
{
    sleep(1000);
    return unused;
}

static model *create(const char *token)
{
    static const double start[REALS] = {
        [X] = 1.0, [M] = 1.0, [K] = 39.5, [C] = 0.0, [FLOOR] = -1e9
    };
    model *m;

    if (!token || strcmp(token, "{yoke-test}") != 0) return NULL;
    m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->value, start, sizeof start);
    update(m);
#ifdef THREADS
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
#endif
    return m;
}

static int get_reals(model *m, const unsigned *r, size_t n, double *value)
{
    update(m);
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= REALS) return ERROR;
        value[i] = m->value[r[i]];
    }
    return OK;
}

static int set_reals(model *m, const unsigned *r, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= REALS) return ERROR;
        m->value[r[i]] = value[i];
    }
    return OK;
}

UNUSED static int save(model *m, void **state)
{
    if (!*state) *state = malloc(sizeof *m);
    if (!*state) return ERROR;
    memcpy(*state, m, sizeof *m);
    return OK;
}

UNUSED static int restore(model *m, const void *state)
{
    const double v = m->value[V];
    const bool late = m->steps > 40;

    memcpy(m, state, sizeof *m);
#ifdef LIES
    m->value[V] = v;
#elif defined(LATE)
    if (late) m->value[V] = v;
#endif
    (void)v, (void)late;
    return OK;
}

/* A relation that is held: negative while it stays as it is. */
static double indicator(const model *m)
{
    return m->value[X] - m->value[FLOOR];
}

/* ---- FMI 2.0 ----------------------------------------------------------- */
#if FMI == 2

EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}
EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}
EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid,
                             const char *resources, const void *callbacks,
                             int visible, int logging)
{
    (void)name, (void)type, (void)resources, (void)callbacks, (void)visible,
        (void)logging;
    return create(guid);
}
EXPORT void fmi2FreeInstance(void *c)
{
    free(c);
}
EXPORT int fmi2SetupExperiment(void *c, int given, double tolerance,
                               double start, int ends, double stop)
{
    (void)given, (void)tolerance, (void)ends, (void)stop;
    ((model *)c)->value[TIME] = ((model *)c)->own = start;
    return OK;
}
EXPORT int fmi2EnterInitializationMode(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi2ExitInitializationMode(void *c)
{
    model *m = c;

    m->below = indicator(m) < 0.0;
    update(m);
    return OK;
}
EXPORT int fmi2Terminate(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi2Reset(void *c)
{
    (void)c;
    return ERROR;
}
EXPORT int fmi2GetReal(void *c, const unsigned *r, size_t n, double *value)
{
    return get_reals(c, r, n, value);
}
EXPORT int fmi2SetReal(void *c, const unsigned *r, size_t n,
                       const double *value)
{
    return set_reals(c, r, n, value);
}
EXPORT int fmi2GetInteger(void *c, const unsigned *r, size_t n, int *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] != 11) return ERROR;
        value[i] = ((model *)c)->bounces;
    }
    return OK;
}
EXPORT int fmi2SetString(void *c, const unsigned *r, size_t n,
                         const char *const *value)
{
    (void)c;
    for (size_t i = 0; i < n; i++) {
        if (r[i] != 12) return ERROR;
        printf("label %s\n", value[i]);
    }
    return OK;
}
#ifdef STATE
EXPORT int fmi2GetFMUstate(void *c, void **state)
{
    return save(c, state);
}
EXPORT int fmi2SetFMUstate(void *c, void *state)
{
    return restore(c, state);
}
EXPORT int fmi2FreeFMUstate(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}
#endif
EXPORT int fmi2DoStep(void *c, double t, double h, int no_back)
{
    (void)no_back;
    return advance(c, t, h);
}
EXPORT int fmi2SetTime(void *c, double t)
{
    ((model *)c)->value[TIME] = t;
    trouble(t);
    return OK;
}
EXPORT int fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    (void)n;
    ((model *)c)->value[X] = x[0];
    ((model *)c)->value[V] = x[1];
    return OK;
}
EXPORT int fmi2GetContinuousStates(void *c, double *x, size_t n)
{
    (void)n;
    x[0] = ((model *)c)->value[X];
    x[1] = ((model *)c)->value[V];
    return OK;
}
EXPORT int fmi2GetNominalsOfContinuousStates(void *c, double *x, size_t n)
{
    (void)c, (void)n;
    x[0] = x[1] = 1.0;
    return OK;
}
EXPORT int fmi2GetDerivatives(void *c, double *x, size_t n)
{
    (void)n;
    update(c);
    x[0] = ((model *)c)->value[DX];
    x[1] = ((model *)c)->value[DV];
    return OK;
}
EXPORT int fmi2GetEventIndicators(void *c, double *z, size_t n)
{
    (void)n;
    z[0] = indicator(c);
    return OK;
}
EXPORT int fmi2EnterEventMode(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi2NewDiscreteStates(void *c, void *info)
{
    struct {
        int again, terminate, nominals, values, defined;
        double next;
    } *out = info;

    memset(out, 0, sizeof *out);
#ifdef PAST
    out->defined = 1;
    out->next = ((model *)c)->value[TIME] - 1.0;
#endif
    /* At the located instant x is floor to rounding; falling decides. */
    if (!((model *)c)->below && indicator(c) < 1e-9 &&
        ((model *)c)->value[V] < 0.0) {
        ((model *)c)->value[V] *= -1.0;
        ((model *)c)->bounces++;
        out->values = 1;
    }
    return OK;
}
EXPORT int fmi2EnterContinuousTimeMode(void *c)
{
    (void)c;
    return OK;
}

/* ---- FMI 3.0 ----------------------------------------------------------- */
#else

EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}
EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token,
                                          const char *resources, bool visible,
                                          bool logging, void *environment,
                                          void *log)
{
    (void)name, (void)resources, (void)visible, (void)logging,
        (void)environment, (void)log;
    return create(token);
}
EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token,
                                         const char *resources, bool visible,
                                         bool logging, bool events, bool early,
                                         const uint32_t *needed, size_t n,
                                         void *environment, void *log,
                                         void *update_)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)events,
        (void)early, (void)needed, (void)n, (void)environment, (void)log,
        (void)update_;
    return create(token);
}
EXPORT void fmi3FreeInstance(void *c)
{
    free(c);
}
EXPORT int fmi3EnterInitializationMode(void *c, bool given, double tolerance,
                                       double start, bool ends, double stop)
{
    (void)given, (void)tolerance, (void)ends, (void)stop;
    ((model *)c)->value[TIME] = ((model *)c)->own = start;
    return OK;
}
EXPORT int fmi3ExitInitializationMode(void *c)
{
    model *m = c;

    m->below = indicator(m) < 0.0;
    update(m);
    return OK;
}
EXPORT int fmi3Terminate(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi3GetFloat64(void *c, const uint32_t *r, size_t n, double *value,
                          size_t count)
{
    return count == n ? get_reals(c, r, n, value) : ERROR;
}
EXPORT int fmi3SetFloat64(void *c, const uint32_t *r, size_t n,
                          const double *value, size_t count)
{
    return count == n ? set_reals(c, r, n, value) : ERROR;
}
EXPORT int fmi3GetInt32(void *c, const uint32_t *r, size_t n, int32_t *value,
                        size_t count)
{
    (void)r;
    if (n != 1 || count != 1) return ERROR;
    value[0] = ((model *)c)->bounces;
    return OK;
}
#ifdef STATE
EXPORT int fmi3GetFMUState(void *c, void **state)
{
    return save(c, state);
}
EXPORT int fmi3SetFMUState(void *c, void *state)
{
    return restore(c, state);
}
EXPORT int fmi3FreeFMUState(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}
#endif
EXPORT int fmi3DoStep(void *c, double t, double h, bool no_back, bool *event,
                      bool *end, bool *early, double *reached)
{
    (void)no_back;
    *event = *end = *early = false;
    *reached = t + h;
    return advance(c, t, h);
}
EXPORT int fmi3SetTime(void *c, double t)
{
    ((model *)c)->value[TIME] = t;
    trouble(t);
    return OK;
}
EXPORT int fmi3SetContinuousStates(void *c, const double *x, size_t n)
{
    (void)n;
    ((model *)c)->value[X] = x[0];
    ((model *)c)->value[V] = x[1];
    return OK;
}
EXPORT int fmi3GetContinuousStates(void *c, double *x, size_t n)
{
    (void)n;
    x[0] = ((model *)c)->value[X];
    x[1] = ((model *)c)->value[V];
    return OK;
}
EXPORT int fmi3GetNominalsOfContinuousStates(void *c, double *x, size_t n)
{
    (void)c, (void)n;
    x[0] = x[1] = 1.0;
    return OK;
}
EXPORT int fmi3GetContinuousStateDerivatives(void *c, double *x, size_t n)
{
    (void)n;
    update(c);
    x[0] = ((model *)c)->value[DX];
    x[1] = ((model *)c)->value[DV];
    return OK;
}
EXPORT int fmi3GetEventIndicators(void *c, double *z, size_t n)
{
    (void)n;
    z[0] = indicator(c);
    return OK;
}
EXPORT int fmi3EnterEventMode(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi3UpdateDiscreteStates(void *c, bool *again, bool *end,
                                    bool *nominals, bool *values, bool *defined,
                                    double *next)
{
    *again = *end = *nominals = *values = *defined = false;
    *next = 0.0;
    if (!((model *)c)->below && indicator(c) < 1e-9 &&
        ((model *)c)->value[V] < 0.0) {
        ((model *)c)->value[V] *= -1.0;
        ((model *)c)->bounces++;
        *values = true;
    }
    return OK;
}
EXPORT int fmi3EnterContinuousTimeMode(void *c)
{
    (void)c;
    return OK;
}
#endif
