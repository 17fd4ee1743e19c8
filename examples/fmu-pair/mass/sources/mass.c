/* A mass on a spring, as a co-simulation FMU of FMI 2.0 in one file:
 *
 *     x' = v,   m v' = -k x + c (other - x)
 *
 * It solves this by Runge-Kutta steps of at most 1 ms, holds its input over a
 * communication step, and cannot save its state: like most FMUs.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, ERROR = 3 };
enum { X, V, OTHER, M, K, C, DX, DV, VARIABLES };

typedef struct mass {
    double value[VARIABLES];
} mass;

static void slopes(const double *p, double x, double v, double *dx, double *dv)
{
    *dx = v;
    *dv = (-p[K] * x + p[C] * (p[OTHER] - x)) / p[M];
}

static void update(mass *m)
{
    double *p = m->value;

    slopes(p, p[X], p[V], &p[DX], &p[DV]);
}

static void runge_kutta(double *p, double h)
{
    const double x = p[X], v = p[V];
    double a[4], b[4];

    slopes(p, x, v, &a[0], &b[0]);
    slopes(p, x + h / 2 * a[0], v + h / 2 * b[0], &a[1], &b[1]);
    slopes(p, x + h / 2 * a[1], v + h / 2 * b[1], &a[2], &b[2]);
    slopes(p, x + h * a[2], v + h * b[2], &a[3], &b[3]);
    p[X] = x + h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    p[V] = v + h / 6 * (b[0] + 2 * b[1] + 2 * b[2] + b[3]);
}

void *fmi2Instantiate(const char *name, int type, const char *guid,
                      const char *resources, const void *callbacks, int visible,
                      int logging)
{
    static const double start[VARIABLES] = {
        [X] = 1.0, [M] = 1.0, [K] = 39.478417604357434, [C] = 157.91367041742973
    };
    mass *m =
        strcmp(guid, "{mass-on-a-spring}") == 0 ? malloc(sizeof *m) : NULL;

    (void)name, (void)type, (void)resources, (void)callbacks, (void)visible,
        (void)logging;
    if (m) memcpy(m->value, start, sizeof start);
    return m;
}

void fmi2FreeInstance(void *c)
{
    free(c);
}

int fmi2SetupExperiment(void *c, int given, double tolerance, double start,
                        int ends, double stop)
{
    (void)c, (void)given, (void)tolerance, (void)start, (void)ends, (void)stop;
    return OK;
}

int fmi2EnterInitializationMode(void *c)
{
    (void)c;
    return OK;
}

int fmi2ExitInitializationMode(void *c)
{
    (void)c;
    return OK;
}

int fmi2Terminate(void *c)
{
    (void)c;
    return OK;
}

int fmi2SetReal(void *c, const unsigned *reference, size_t n,
                const double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (reference[i] >= DX) return ERROR;
        ((mass *)c)->value[reference[i]] = value[i];
    }
    return OK;
}

int fmi2GetReal(void *c, const unsigned *reference, size_t n, double *value)
{
    update(c);
    for (size_t i = 0; i < n; i++) {
        if (reference[i] >= VARIABLES) return ERROR;
        value[i] = ((mass *)c)->value[reference[i]];
    }
    return OK;
}

int fmi2DoStep(void *c, double t, double h, int no_back)
{
    const int n = (int)ceil(h / 1e-3);

    (void)t, (void)no_back;
    for (int i = 0; i < n; i++) runge_kutta(((mass *)c)->value, h / n);
    return OK;
}
