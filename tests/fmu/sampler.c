/* tests/fmu/sampler.c -- y = g u at 0, h, 2 h, ..., held between them, in the
 * event mode of FMI 3 (co-simulation).  Definitions:
 *
 *     EARLY     ends its step there
 *     TOLD      tells when it wants the next event
 *
 * Value references: 0 time, 1 y, 2 u, 3 g, 4 h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

enum { TIME, Y, U, G, H, REALS };

typedef struct sampler {
    double v[REALS], next;
    int n;
} sampler;

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token,
                                         const char *resources, bool visible,
                                         bool logging, bool events, bool early,
                                         const uint32_t *needed, size_t n,
                                         void *environment, void *log,
                                         void *update)
{
    sampler *s = calloc(1, sizeof *s);

    (void)name, (void)token, (void)resources, (void)visible, (void)logging,
        (void)events, (void)early, (void)needed, (void)n, (void)environment,
        (void)log, (void)update;
    s->v[G] = 1.0;
    s->v[H] = 0.01;
    return s;
}

EXPORT void fmi3FreeInstance(void *c)
{
    free(c);
}

EXPORT int fmi3EnterInitializationMode(void *c, bool given, double tolerance,
                                       double start, bool ends, double stop)
{
    (void)given, (void)tolerance, (void)ends, (void)stop;
    ((sampler *)c)->v[TIME] = start;
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
    for (size_t i = 0; i < n; i++) v[i] = ((sampler *)c)->v[r[i]];
    return 0;
}

EXPORT int fmi3SetFloat64(void *c, const uint32_t *r, size_t n, const double *v,
                          size_t count)
{
    (void)count;
    for (size_t i = 0; i < n; i++) ((sampler *)c)->v[r[i]] = v[i];
    return 0;
}

EXPORT int fmi3UpdateDiscreteStates(void *c, bool *again, bool *end,
                                    bool *nominals, bool *values, bool *defined,
                                    double *next)
{
    sampler *s = c;

    *again = *end = *nominals = *values = *defined = false;
    if (s->v[TIME] >= s->next - 1e-12) {
        s->v[Y] = s->v[G] * s->v[U];
        s->next = s->v[H] * ++s->n;
    }
#ifdef TOLD
    *defined = true;
    *next = s->next;
#else
    (void)next;
#endif
    return 0;
}

EXPORT int fmi3DoStep(void *c, double t, double h, bool no_back, bool *event,
                      bool *end, bool *early, double *reached)
{
    sampler *s = c;

    (void)no_back;
    *end = *early = false;
    *reached = t + h;
    *event = s->next <= t + h + 1e-13;
#ifdef EARLY
    if (s->next < t + h - 1e-13) {
        *early = true;
        *reached = s->next;
    }
#endif
    s->v[TIME] = *reached;
    return 0;
}
