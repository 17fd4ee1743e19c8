/* The turning part of a motor, as a co-simulation FMU of FMI 2.0 in one file:
 *
 *     J speed' = k i - d speed,   emf = k speed
 *
 * It solves this by Runge-Kutta steps of at most 1 ms, holds its input over a
 * communication step, and cannot save its state: like most FMUs.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, ERROR = 3 };
enum { SPEED, EMF, I, J, K, D, VARIABLES };

typedef struct motor {
    double value[VARIABLES];
} motor;

static double slope(const double *p, double speed)
{
    return (p[K] * p[I] - p[D] * speed) / p[J];
}

static void runge_kutta(double *p, double h)
{
    const double w = p[SPEED];
    const double a = slope(p, w), b = slope(p, w + h / 2 * a);
    const double c = slope(p, w + h / 2 * b), d = slope(p, w + h * c);

    p[SPEED] = w + h / 6 * (a + 2 * b + 2 * c + d);
}

void *fmi2Instantiate(const char *name, int type, const char *guid,
                      const char *resources, const void *callbacks, int visible,
                      int logging)
{
    static const double start[VARIABLES] = {
        [J] = 0.002, [K] = 0.1, [D] = 0.001
    };
    motor *m = strcmp(guid, "{yoke-motor}") == 0 ? malloc(sizeof *m) : NULL;

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
        if (reference[i] >= VARIABLES || reference[i] == EMF) return ERROR;
        ((motor *)c)->value[reference[i]] = value[i];
    }
    return OK;
}

int fmi2GetReal(void *c, const unsigned *reference, size_t n, double *value)
{
    double *p = ((motor *)c)->value;

    p[EMF] = p[K] * p[SPEED];
    for (size_t i = 0; i < n; i++) {
        if (reference[i] >= VARIABLES) return ERROR;
        value[i] = p[reference[i]];
    }
    return OK;
}

int fmi2DoStep(void *c, double t, double h, int no_back)
{
    const int n = (int)ceil(h / 1e-3);

    (void)t, (void)no_back;
    for (int i = 0; i < n; i++) runge_kutta(((motor *)c)->value, h / n);
    return OK;
}
