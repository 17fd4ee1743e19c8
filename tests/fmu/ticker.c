/* tests/fmu/ticker.c -- a co-simulation FMU (FMI 3) with events that it does not
 * announce: every 0.1 s it ends its step and asks for event mode, and nothing else
 * happens.  x' = -x + u, y = x, exact for held inputs.
 *
 * Value references: 0 y, 1 u.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct ticker {
    double value[2], t, next;
} ticker;

EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

EXPORT void *fmi3InstantiateCoSimulation(const char *n, const char *id,
                                         const char *r, bool v, bool l,
                                         bool events, bool early,
                                         const uint32_t *needed, size_t count,
                                         void *environment, void *log,
                                         void *update)
{
    ticker *b = calloc(1, sizeof *b);

    (void)n, (void)id, (void)r, (void)v, (void)l, (void)needed, (void)count,
        (void)environment, (void)log, (void)update;
    if (!b || !events || !early) return NULL;
    b->value[0] = 1.0;
    b->next = 0.1;
    return b;
}

EXPORT void fmi3FreeInstance(void *c)
{
    free(c);
}

EXPORT int fmi3EnterInitializationMode(void *c, bool g, double tol, double t,
                                       bool e, double stop)
{
    (void)g, (void)tol, (void)e, (void)stop;
    ((ticker *)c)->t = t;
    return 0;
}

EXPORT int fmi3ExitInitializationMode(void *c)
{
    (void)c;
    return 0;
}

EXPORT int fmi3EnterEventMode(void *c)
{
    (void)c;
    return 0;
}

EXPORT int fmi3EnterStepMode(void *c)
{
    (void)c;
    return 0;
}

EXPORT int fmi3Terminate(void *c)
{
    (void)c;
    return 0;
}

EXPORT int fmi3GetFloat64(void *c, const uint32_t *r, size_t n, double *v,
                          size_t count)
{
    (void)count;
    for (size_t i = 0; i < n; i++) v[i] = ((ticker *)c)->value[r[i]];
    return 0;
}

EXPORT int fmi3SetFloat64(void *c, const uint32_t *r, size_t n, const double *v,
                          size_t count)
{
    (void)count;
    for (size_t i = 0; i < n; i++) ((ticker *)c)->value[r[i]] = v[i];
    return 0;
}

EXPORT int fmi3DoStep(void *c, double t, double h, bool no, bool *event,
                      bool *end, bool *early, double *reached)
{
    ticker *b = c;
    double *x = b->value, u = b->value[1];

    (void)no;
    *end = false;
    *event = t + h >= b->next - 1e-12;
    *early = t + h > b->next + 1e-12;
    *reached = *early ? b->next : t + h;
    *x = u + (*x - u) * exp(t - *reached);
    b->t = *reached;
    return 0;
}

EXPORT int fmi3UpdateDiscreteStates(void *c, bool *again, bool *end,
                                    bool *nominals, bool *values, bool *defined,
                                    double *next)
{
    ticker *b = c;

    *again = *end = *nominals = *values = *defined = false;
    *next = 0.0;
    if (b->t >= b->next - 1e-12) b->next += 0.1;
    return 0;
}
