/* tests/fmu/port.c -- an FMU with a physical port, FMI 2.0, both kinds.
 *
 *     x' = v,   m v' = F cos(w t) + p.f - k x - c v - n x^3,   p.v = v
 *
 * It is driven by a force and answers with its velocity; with m a capacitance,
 * c a conductance and k the inverse of an inductance it is a circuit that takes
 * a current and answers with its voltage.  `acc` is v', `power` p.f x.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK, WARNING, DISCARDED, ERROR };
enum { TIME, X, V, FORCE, PORT, M, K, C, N, F, W, DX, ACC, POWER, REALS };

typedef struct part {
    double value[REALS];
} part;

static void slopes(const part *p, double t, double x, double v, double *dx,
                   double *dv)
{
    const double *a = p->value;
    const double f = a[F] * cos(a[W] * t);

    *dx = v;
    *dv = (f + a[FORCE] - a[K] * x - a[C] * v - a[N] * x * x * x) / a[M];
}

static void update(part *p)
{
    double *a = p->value;

    slopes(p, a[TIME], a[X], a[V], &a[DX], &a[ACC]);
    a[PORT] = a[V];
    a[POWER] = a[FORCE] * a[X];
}

static void rk4(part *p, double h)
{
    const double t = p->value[TIME], x = p->value[X], v = p->value[V];
    double a[4], b[4];

    slopes(p, t, x, v, &a[0], &b[0]);
    slopes(p, t + h / 2, x + h / 2 * a[0], v + h / 2 * b[0], &a[1], &b[1]);
    slopes(p, t + h / 2, x + h / 2 * a[1], v + h / 2 * b[1], &a[2], &b[2]);
    slopes(p, t + h, x + h * a[2], v + h * b[2], &a[3], &b[3]);
    p->value[X] = x + h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    p->value[V] = v + h / 6 * (b[0] + 2 * b[1] + 2 * b[2] + b[3]);
    p->value[TIME] = t + h;
}

static void advance(part *p, double t, double h)
{
    const int n = (int)ceil(h / 5e-4);

    p->value[TIME] = t;
    for (int i = 0; i < n; i++) rk4(p, h / n);
    p->value[TIME] = t + h;
    update(p);
}

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
    part *p = strcmp(guid, "{yoke-port}") == 0 ? calloc(1, sizeof *p) : NULL;

    (void)name, (void)type, (void)resources, (void)callbacks, (void)visible,
        (void)logging;
    if (p) p->value[M] = 1.0;
    return p;
}
EXPORT void fmi2FreeInstance(void *c)
{
    free(c);
}
EXPORT int fmi2SetupExperiment(void *c, int given, double tolerance,
                               double start, int ends, double stop)
{
    (void)given, (void)tolerance, (void)ends, (void)stop;
    ((part *)c)->value[TIME] = start;
    return OK;
}
EXPORT int fmi2EnterInitializationMode(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi2ExitInitializationMode(void *c)
{
    update(c);
    return OK;
}
EXPORT int fmi2Terminate(void *c)
{
    (void)c;
    return OK;
}
EXPORT int fmi2GetReal(void *c, const unsigned *r, size_t n, double *value)
{
    part *p = c;

    update(p);
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= REALS) return ERROR;
        value[i] = p->value[r[i]];
    }
    return OK;
}
EXPORT int fmi2SetReal(void *c, const unsigned *r, size_t n,
                       const double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= REALS) return ERROR;
        ((part *)c)->value[r[i]] = value[i];
    }
    return OK;
}
EXPORT int fmi2DoStep(void *c, double t, double h, int no_back)
{
    (void)no_back;
    advance(c, t, h);
    return OK;
}
EXPORT int fmi2SetTime(void *c, double t)
{
    ((part *)c)->value[TIME] = t;
    return OK;
}
EXPORT int fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    (void)n;
    ((part *)c)->value[X] = x[0];
    ((part *)c)->value[V] = x[1];
    return OK;
}
EXPORT int fmi2GetContinuousStates(void *c, double *x, size_t n)
{
    (void)n;
    x[0] = ((part *)c)->value[X];
    x[1] = ((part *)c)->value[V];
    return OK;
}
EXPORT int fmi2GetNominalsOfContinuousStates(void *c, double *x, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++) x[i] = 1.0;
    return OK;
}
EXPORT int fmi2GetDerivatives(void *c, double *x, size_t n)
{
    part *p = c;

    (void)n;
    update(p);
    x[0] = p->value[DX];
    x[1] = p->value[ACC];
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
