/* tests/fmu/guest.c -- co-simulation FMUs (FMI 2) that do not keep to themselves.
 *
 *     x' = w(t) - x + u,   w(t) = t,   y = x,
 *
 * by the exact solution for held inputs.  By definitions it
 *
 *     FILES    reads w from a file, line by line, as it goes on
 *     SHARED   has x in memory that copies of the process share
 *     PIPE     has x in a process of its own
 *     TRAPS    traps invalid operations and divisions from its start on
 *     LOCALE   writes decimal commas from its start on, if there is such a locale
 *     DEAF     does not want to hear of children, and aborts at t = 0.5
 *     READS    tells another y whenever it is asked
 *
 * Value references: 0 y, 1 u, 2 x, 3 an integer, 4 an enumeration.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define UNUSED __attribute__((unused))

typedef struct guest {
    double x, u, t, left, right, w_left, w_right;
    double *shared;
    FILE *table;
    int ask, answer, asked;
} guest;

/* x(h) of x' = w + v s - x + u. */
static double go(double x, double w, double v, double u, double h)
{
    const double rest = w + u - v;

    return rest + v * h + (x - rest) * exp(-h);
}

UNUSED static void open_table(guest *g)
{
    g->table = tmpfile();
    for (int i = 0; i <= 4000; i++) fprintf(g->table, "%-40.17g\n", i * 1e-3);
    rewind(g->table);
    g->right = -1e-3;
}

/* The line after the last one, while it is needed. */
UNUSED static int look_up(guest *g, double t)
{
    char line[80];

    while (g->right < t) {
        g->left = g->right;
        g->w_left = g->w_right;
        if (!fgets(line, sizeof line, g->table)) return 3;
        g->right += 1e-3;
        g->w_right = strtod(line, NULL);
    }
    return 0;
}

UNUSED static void begin_process(guest *g)
{
    int to[2], from[2];
    double q[4], x = 1.0;

    if (pipe(to) != 0 || pipe(from) != 0) abort();
    if (fork() == 0) {
        close(to[1]);
        while (read(to[0], q, sizeof q) == sizeof q) {
            x = go(x, q[0], q[1], q[2], q[3]);
            if (write(from[1], &x, sizeof x) != sizeof x) break;
        }
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    g->ask = to[1];
    g->answer = from[0];
}

EXPORT void *fmi2Instantiate(const char *n, int t, const char *id,
                             const char *r, const void *c, int v, int l)
{
    guest *g = calloc(1, sizeof *g);

    (void)n, (void)t, (void)id, (void)r, (void)c, (void)v, (void)l;
    g->x = 1.0;
#if defined(FILES)
    open_table(g);
#elif defined(SHARED)
    g->shared = mmap(NULL, sizeof *g->shared, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
#elif defined(PIPE)
    begin_process(g);
#elif defined(TRAPS)
    feenableexcept(FE_INVALID | FE_DIVBYZERO);
#elif defined(LOCALE)
    setlocale(LC_ALL, "de_DE.UTF-8");
#elif defined(DEAF)
    signal(SIGCHLD, SIG_IGN);
#endif
    return g;
}

EXPORT void fmi2FreeInstance(void *c)
{
    free(c);
}

EXPORT int fmi2SetupExperiment(void *c, int g, double tol, double s, int e,
                               double st)
{
    (void)g, (void)tol, (void)e, (void)st;
    ((guest *)c)->t = s;
    return 0;
}

EXPORT int fmi2EnterInitializationMode(void *c)
{
    (void)c;
    return 0;
}

EXPORT int fmi2ExitInitializationMode(void *c)
{
    guest *g = c;

    if (g->shared) *g->shared = g->x;
    return 0;
}

EXPORT int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++)
        *(r[i] == 1 ? &((guest *)c)->u : &((guest *)c)->x) = v[i];
    return 0;
}

EXPORT int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v)
{
    guest *g = c;

    for (size_t i = 0; i < n; i++)
        v[i] = r[i] == 1 ? g->u : g->shared ? *g->shared : g->x;
#ifdef READS
    v[0] += 1e-12 * ++g->asked;
#endif
    return 0;
}

EXPORT int fmi2SetInteger(void *c, const unsigned *r, size_t n, const int *v)
{
    (void)c, (void)r, (void)n, (void)v;
    return 0;
}

EXPORT int fmi2DoStep(void *c, double t, double h, int no)
{
    guest *g = c;
    double w = t, v = 1.0;

    (void)no;
#if defined(FILES)
    if (look_up(g, t + 0.5 * h)) return 3;
    v = (g->w_right - g->w_left) / (g->right - g->left);
    w = g->w_left + (t - g->left) * v;
#elif defined(DEAF)
    if (t > 0.5) abort();
#elif defined(PIPE)
    double q[4] = { w, v, g->u, h };
    if (write(g->ask, q, sizeof q) != sizeof q ||
        read(g->answer, &g->x, sizeof g->x) != sizeof g->x)
        return 3;
    return 0;
#endif
    if (g->shared) g->x = *g->shared;
    g->x = go(g->x, w, v, g->u, h);
    if (g->shared) *g->shared = g->x;
    return 0;
}

EXPORT int fmi2Terminate(void *c)
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
