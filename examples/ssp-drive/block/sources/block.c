/* block.c -- a block of first order as an FMU (FMI 2.0, co-simulation):
 *
 *     T x' = k1 u1 + k2 u2 - p x,    y = g x + d u1
 *
 * Over a communication step the inputs are constant, so the step is exact.
 * Nothing can be saved: Yoke goes back in time by copies of the process.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { U1, U2, Y, X, T, P, K1, K2, G, D, VARIABLES };
enum { OK = 0, FAILED = 3 };

static const double start[VARIABLES] = { [T] = 1, [K1] = 1, [G] = 1 };

static void set_output(double *v)
{
    v[Y] = v[G] * v[X] + v[D] * v[U1];
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

void *fmi2Instantiate(const char *name, int type, const char *guid,
                      const char *resources, const void *functions, int visible,
                      int logging)
{
    double *v = malloc(sizeof start);

    (void)name, (void)type, (void)guid, (void)resources, (void)functions;
    (void)visible, (void)logging;
    if (v) memcpy(v, start, sizeof start);
    return v;
}

void fmi2FreeInstance(void *v)
{
    free(v);
}

int fmi2SetupExperiment(void *v, int has_tolerance, double tolerance,
                        double begin, int has_end, double end)
{
    (void)v, (void)has_tolerance, (void)tolerance, (void)begin;
    (void)has_end, (void)end;
    return OK;
}

int fmi2EnterInitializationMode(void *v)
{
    (void)v;
    return OK;
}

int fmi2ExitInitializationMode(void *v)
{
    set_output(v);
    return OK;
}

int fmi2Terminate(void *v)
{
    (void)v;
    return OK;
}

int fmi2Reset(void *v)
{
    memcpy(v, start, sizeof start);
    return OK;
}

int fmi2SetReal(void *v, const unsigned *r, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= VARIABLES) return FAILED;
        ((double *)v)[r[i]] = value[i];
    }
    return OK;
}

int fmi2GetReal(void *v, const unsigned *r, size_t n, double *value)
{
    set_output(v);
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= VARIABLES) return FAILED;
        value[i] = ((double *)v)[r[i]];
    }
    return OK;
}

/* x = e^(-p h / T) x + (1 - e^(-p h / T)) / p * (k1 u1 + k2 u2). */
int fmi2DoStep(void *instance, double t, double h, int no_going_back)
{
    double *v = instance;
    const double s = v[P] * h / v[T];
    const double share = s == 0 ? h / v[T] : -expm1(-s) / v[P];

    (void)t, (void)no_going_back;
    v[X] = exp(-s) * v[X] + share * (v[K1] * v[U1] + v[K2] * v[U2]);
    set_output(v);
    return OK;
}
