/* tests/fmu/block.c -- an FMU with every type of variable.
 *
 *     x' = a x + q,   q = b gear u where `on`, else 0;   y = c x + d u
 *
 * a, b, c, d and `level` are parameters; u is real, `on` Boolean, `gear` an
 * integer; `mode`, an enumeration, is off (q = 0) or linear.  Outputs besides y:
 * `positive`, x > 0, and `count`, how often x has come to `level` from below; then
 * it begins at 0 again.  FMI 3 has arrays too: z = 2 w + x, each of length 3.
 *
 * Held inputs make the equation exact over a step.  Definitions:
 *
 *     FMI=2|3   version of the standard
 *     EARLY     ends its step where x comes to `level`, for event mode (FMI 3)
 *     MIDWAY    asks for u in the middle of its steps (FMI 3);  ASTRAY: behind
 *               them
 *     SLOPES    tells the derivative of y;  LYING: a wrong one
 *     SLOPED    takes the derivative of u over a step (FMI 2)
 *     CACHED    outputs are those of the end of the last step
 *
 * If the environment has YOKE_TEST_DAWDLE its directional derivatives take their time.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef FMI
#define FMI 3
#endif
#define UNUSED __attribute__((unused))
#define EXPORT __attribute__((visibility("default")))
enum { OK, WARNING, DISCARDED, ERROR };
enum { TIME, X, DX, U, Y, A, B, C, D, LEVEL, REALS };
enum { ON = 10, GEAR, MODE, POSITIVE, COUNT, W, Z };

typedef void update_callback(void *, double, bool, bool, bool, bool, bool *,
                             double *);

typedef struct block {
    double value[REALS], w[3], cached;
    double rise; /* of u in the next step, per second */
    bool on, positive, stepped;
    int gear, mode, count;
    bool at_level; /* an event is to be handled */
    void *environment;
    update_callback *update;
} block;

/* ---- mathematics ------------------------------------------------------- */

static double drive(const block *b)
{
    return b->on && b->mode == 2 ? b->value[B] * b->gear * b->value[U] : 0.0;
}

static double output(const block *b)
{
    return b->value[C] * b->value[X] + b->value[D] * b->value[U];
}

static void refresh(block *b)
{
    b->value[DX] = b->value[A] * b->value[X] + drive(b);
    b->value[Y] = output(b);
#ifdef CACHED
    if (b->stepped) b->value[Y] = b->cached;
#endif
    b->positive = b->value[X] > 0.0;
}

static double after(const block *b, double h)
{
    const double a = b->value[A], q = drive(b);

    return fabs(a) < 1e-12 ? b->value[X] + q * h
                           : b->value[X] * exp(a * h) + q / a * expm1(a * h);
}

/* When x comes to the level within h, or a negative number. */
static double hit(const block *b, double h)
{
    double low = 0.0, high = h;

    if (!(b->value[X] < b->value[LEVEL] && after(b, h) >= b->value[LEVEL]))
        return -1.0;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);

        if (after(b, middle) >= b->value[LEVEL])
            high = middle;
        else
            low = middle;
    }
    return high;
}

UNUSED static void restart(block *b)
{
    b->value[X] = 0.0;
    b->count++;
    b->at_level = false;
}

static void move(block *b, double h)
{
    b->value[X] = after(b, h);
    b->value[TIME] += h;
}

/* To the end of the step, or to the event; returns the time reached. */
static double advance(block *b, double t, double h)
{
    const double end = t + h;

    b->value[TIME] = t;
    while (end - b->value[TIME] > 1e-13) {
        const double rest = end - b->value[TIME], at = hit(b, rest);

        move(b, at >= 0.0 ? at : rest);
        if (at < 0.0) break;
#ifdef EARLY
        b->value[X] = b->value[LEVEL];
        b->at_level = true;
        return b->value[TIME];
#else
        restart(b);
#endif
    }
    b->value[TIME] = end;
    return end;
}

static block *create(const char *token)
{
    static const double start[REALS] = {
        [A] = -1.0, [B] = 1.0, [C] = 1.0, [LEVEL] = 1e9
    };
    block *b = token && strcmp(token, "{yoke-block}") == 0
                   ? calloc(1, sizeof *b)
                   : NULL;

    if (!b) return NULL;
    memcpy(b->value, start, sizeof start);
    b->on = true;
    b->gear = 1;
    b->mode = 2;
    refresh(b);
    return b;
}

static void finish_step(block *b)
{
    b->cached = output(b);
    b->stepped = true;
}

static int get_reals(block *b, const unsigned *r, size_t n, double *value)
{
    refresh(b);
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= REALS) return ERROR;
        value[i] = b->value[r[i]];
    }
    return OK;
}

static int set_reals(block *b, const unsigned *r, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= REALS) return ERROR;
        b->value[r[i]] = value[i];
    }
    return OK;
}

/* d(der x, y) / d(x, u). */
static double partial(const block *b, unsigned of, unsigned by)
{
    if (of == DX && by == X) return b->value[A];
    if (of == DX && by == U)
        return b->on && b->mode == 2 ? b->value[B] * b->gear : 0.0;
    if (of == Y && by == X) return b->value[C];
    return of == Y && by == U ? b->value[D] : 0.0;
}

static int directional(const block *b, const unsigned *of, size_t n,
                       const unsigned *by, size_t m, const double *seed,
                       double *out)
{
    const struct timespec while_others_work = { 0, 500000 };

    if (getenv("YOKE_TEST_DAWDLE")) nanosleep(&while_others_work, NULL);
    for (size_t i = 0; i < n; i++) {
        out[i] = 0.0;
        for (size_t k = 0; k < m; k++)
            out[i] += partial(b, of[i], by[k]) * seed[k];
    }
    return OK;
}

UNUSED static double slope(block *b)
{
    refresh(b);
#ifdef LYING
    return 17.0;
#else
    return b->value[C] * b->value[DX];
#endif
}

/* ---- FMI 2.0 ----------------------------------------------------------- */
#if FMI == 2

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
    ((block *)c)->value[TIME] = start;
    return OK;
}
EXPORT int fmi2EnterInitializationMode(void *c)
{
    refresh(c);
    return OK;
}
EXPORT int fmi2ExitInitializationMode(void *c)
{
    refresh(c);
    return OK;
}
EXPORT int fmi2Terminate(void *c)
{
    (void)c;
    return OK;
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
    const block *b = c;

    for (size_t i = 0; i < n; i++)
        value[i] = r[i] == COUNT ? b->count : r[i] == MODE ? b->mode : b->gear;
    return OK;
}
EXPORT int fmi2SetInteger(void *c, const unsigned *r, size_t n,
                          const int *value)
{
    block *b = c;

    for (size_t i = 0; i < n; i++)
        if (r[i] == MODE)
            b->mode = value[i];
        else if (r[i] == GEAR)
            b->gear = value[i];
        else
            return ERROR;
    return OK;
}
EXPORT int fmi2GetBoolean(void *c, const unsigned *r, size_t n, int *value)
{
    refresh(c);
    for (size_t i = 0; i < n; i++)
        value[i] = r[i] == ON ? ((block *)c)->on : ((block *)c)->positive;
    return OK;
}
EXPORT int fmi2SetBoolean(void *c, const unsigned *r, size_t n,
                          const int *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] != ON) return ERROR;
        ((block *)c)->on = value[i] != 0;
    }
    return OK;
}
EXPORT int fmi2DoStep(void *c, double t, double h, int no_back)
{
    (void)no_back;
#ifdef SLOPED
    block *b = c;
    const double u = b->value[U];

    /* Exact for a = 0, else of second order in h / 64; y sees the end. */
    for (int i = 0; i < 64; i++) {
        b->value[U] = u + b->rise * h * (i + 0.5) / 64;
        advance(b, t + h * i / 64, h / 64);
    }
    b->value[TIME] = t + h;
    b->value[U] = u + b->rise * h;
    b->rise = 0.0;
#else
    advance(c, t, h);
#endif
    finish_step(c);
    return OK;
}
#ifdef SLOPED
EXPORT int fmi2SetRealInputDerivatives(void *c, const unsigned *r, size_t n,
                                       const int *order, const double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] != U || order[i] != 1) return ERROR;
        ((block *)c)->rise = value[i];
    }
    return OK;
}
#endif
#ifdef SLOPES
EXPORT int fmi2GetRealOutputDerivatives(void *c, const unsigned *r, size_t n,
                                        const int *order, double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] != Y || order[i] != 1) return ERROR;
        value[i] = slope(c);
    }
    return OK;
}
#endif
EXPORT int fmi2GetDirectionalDerivative(void *c, const unsigned *of, size_t n,
                                        const unsigned *by, size_t m,
                                        const double *seed, double *out)
{
    return directional(c, of, n, by, m, seed, out);
}
EXPORT int fmi2SetTime(void *c, double t)
{
    ((block *)c)->value[TIME] = t;
    return OK;
}
EXPORT int fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    (void)n;
    ((block *)c)->value[X] = x[0];
    return OK;
}
EXPORT int fmi2GetContinuousStates(void *c, double *x, size_t n)
{
    (void)n;
    x[0] = ((block *)c)->value[X];
    return OK;
}
EXPORT int fmi2GetNominalsOfContinuousStates(void *c, double *x, size_t n)
{
    (void)c, (void)n;
    x[0] = 1.0;
    return OK;
}
EXPORT int fmi2GetDerivatives(void *c, double *x, size_t n)
{
    (void)n;
    refresh(c);
    x[0] = ((block *)c)->value[DX];
    return OK;
}
EXPORT int fmi2EnterEventMode(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi2NewDiscreteStates(void *c, void *info)
{
    (void)c;
    memset(info, 0, 5 * sizeof(int));
    return OK;
}
EXPORT int fmi2EnterContinuousTimeMode(void *c)
{
    (void)c;
    return OK;
}

/* ---- FMI 3.0 ----------------------------------------------------------- */
#else

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
                                         update_callback *update)
{
    block *b = create(token);

    (void)name, (void)resources, (void)visible, (void)logging, (void)log;
#ifdef EARLY
    if (!events || !early) return NULL;
#endif
#ifdef MIDWAY
    if (!update || n != 1 || needed[0] != U) return NULL;
#endif
    (void)events, (void)early, (void)needed, (void)n;
    if (b) b->environment = environment;
    if (b) b->update = update;
    return b;
}
EXPORT void fmi3FreeInstance(void *c)
{
    free(c);
}
EXPORT int fmi3EnterInitializationMode(void *c, bool given, double tolerance,
                                       double start, bool ends, double stop)
{
    (void)given, (void)tolerance, (void)ends, (void)stop;
    ((block *)c)->value[TIME] = start;
    refresh(c);
    return OK;
}
EXPORT int fmi3ExitInitializationMode(void *c)
{
    refresh(c);
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
    const block *b = c;

    if (n == 1 && count == 3 && (r[0] == W || r[0] == Z)) {
        for (int k = 0; k < 3; k++)
            value[k] = r[0] == W ? b->w[k] : 2.0 * b->w[k] + b->value[X];
        return OK;
    }
    return n == count ? get_reals(c, r, n, value) : ERROR;
}
EXPORT int fmi3SetFloat64(void *c, const uint32_t *r, size_t n,
                          const double *value, size_t count)
{
    if (n == 1 && count == 3 && r[0] == W) {
        memcpy(((block *)c)->w, value, 3 * sizeof *value);
        return OK;
    }
    return n == count ? set_reals(c, r, n, value) : ERROR;
}
EXPORT int fmi3GetInt16(void *c, const uint32_t *r, size_t n, int16_t *value,
                        size_t count)
{
    if (n != 1 || count != 1) return ERROR;
    value[0] =
        (int16_t)(r[0] == COUNT ? ((block *)c)->count : ((block *)c)->gear);
    return OK;
}
EXPORT int fmi3SetInt16(void *c, const uint32_t *r, size_t n,
                        const int16_t *value, size_t count)
{
    if (n != 1 || count != 1 || r[0] != GEAR) return ERROR;
    ((block *)c)->gear = value[0];
    return OK;
}
EXPORT int fmi3SetInt64(void *c, const uint32_t *r, size_t n,
                        const int64_t *value, size_t count)
{
    if (n != 1 || count != 1 || r[0] != MODE) return ERROR;
    ((block *)c)->mode = (int)value[0];
    return OK;
}
EXPORT int fmi3GetBoolean(void *c, const uint32_t *r, size_t n, bool *value,
                          size_t count)
{
    if (n != count) return ERROR;
    refresh(c);
    for (size_t i = 0; i < n; i++)
        value[i] = r[i] == ON ? ((block *)c)->on : ((block *)c)->positive;
    return OK;
}
EXPORT int fmi3SetBoolean(void *c, const uint32_t *r, size_t n,
                          const bool *value, size_t count)
{
    if (n != count) return ERROR;
    for (size_t i = 0; i < n; i++) {
        if (r[i] != ON) return ERROR;
        ((block *)c)->on = value[i];
    }
    return OK;
}
EXPORT int fmi3DoStep(void *c, double t, double h, bool no_back, bool *event,
                      bool *end, bool *early, double *reached)
{
    block *b = c;
    double from = t;

    (void)no_back;
    *end = false;
#ifdef MIDWAY
    for (int i = 0; i < 64; i++) {
        bool back = false;
        double when = 0.0;

        from = t + h * i / 64;
#ifdef ASTRAY
        b->update(b->environment, t + 2.0 * h, true, false, false, false, NULL,
                  NULL);
        (void)back, (void)when;
#else
        b->update(b->environment, t + h * (i + 0.5) / 64, true, false, false,
                  false, &back, &when);
#endif
        advance(b, from, h / 64);
    }
    *reached = t + h;
#else
    *reached = advance(b, from, h);
#endif
    finish_step(b);
    *event = b->at_level;
    *early = *reached < t + h;
    return OK;
}
#ifdef SLOPES
EXPORT int fmi3GetOutputDerivatives(void *c, const uint32_t *r, size_t n,
                                    const int32_t *order, double *value,
                                    size_t count)
{
    if (n != 1 || count != 1 || r[0] != Y || order[0] != 1) return ERROR;
    value[0] = slope(c);
    return OK;
}
#endif
EXPORT int fmi3GetDirectionalDerivative(void *c, const uint32_t *of, size_t n,
                                        const uint32_t *by, size_t m,
                                        const double *seed, size_t seeds,
                                        double *out, size_t outs)
{
    if (seeds != m || outs != n) return ERROR;
    return directional(c, of, n, by, m, seed, out);
}
EXPORT int fmi3SetTime(void *c, double t)
{
    ((block *)c)->value[TIME] = t;
    return OK;
}
EXPORT int fmi3SetContinuousStates(void *c, const double *x, size_t n)
{
    (void)n;
    ((block *)c)->value[X] = x[0];
    return OK;
}
EXPORT int fmi3GetContinuousStates(void *c, double *x, size_t n)
{
    (void)n;
    x[0] = ((block *)c)->value[X];
    return OK;
}
EXPORT int fmi3GetNominalsOfContinuousStates(void *c, double *x, size_t n)
{
    (void)c, (void)n;
    x[0] = 1.0;
    return OK;
}
EXPORT int fmi3GetContinuousStateDerivatives(void *c, double *x, size_t n)
{
    (void)n;
    refresh(c);
    x[0] = ((block *)c)->value[DX];
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
    if (((block *)c)->at_level) restart(c);
    return OK;
}
EXPORT int fmi3EnterContinuousTimeMode(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi3EnterStepMode(void *c)
{
    (void)c;
    return OK;
}
#endif
