/* left.c -- the left mass: x'' = -k x + c (u - x), as a program of its own.
 *
 *     cc -O2 -I PREFIX/include left.c -o left -lm
 *
 * It takes the steps that it is told, each exact for an input that is a
 * straight line over it, and keeps nothing that a copy of its process would not
 * have.
 */
#define YOKE_PROGRAM_CODE
#include <yoke/program.h>

typedef struct mass {
    double k, c, x, v;
} mass;

static int set(void *self, yoke_program *run, const char *name,
               const char *value)
{
    mass *m = (mass *)self;

    if (strcmp(name, "k") == 0)
        m->k = strtod(value, NULL);
    else if (strcmp(name, "c") == 0)
        m->c = strtod(value, NULL);
    else if (strcmp(name, "x") == 0)
        m->x = strtod(value, NULL);
    else
        return yoke_program_fail(run, "there is no parameter \"%s\"", name);
    return 0;
}

static int start(void *self, yoke_program *run, double t, const double *u,
                 double *y)
{
    const mass *m = (mass *)self;

    (void)run, (void)t, (void)u;
    y[0] = m->x;
    return 0;
}

/* u = u0 + s (t - a): the motion about rest = c u / w^2, which moves with
 * c s / w^2. */
static void step(mass *m, double h, double u0, double u1)
{
    const double w2 = m->k + m->c, w = sqrt(w2);
    const double pace = m->c * (u1 - u0) / h / w2;
    const double a = m->x - m->c * u0 / w2, b = (m->v - pace) / w;

    m->x = m->c * u1 / w2 + a * cos(w * h) + b * sin(w * h);
    m->v = pace + w * (b * cos(w * h) - a * sin(w * h));
}

static int advance(void *self, yoke_program *run, double t0, double t1)
{
    mass *m = (mass *)self;
    const int n = yoke_program_steps(run);
    double a = t0;

    for (int i = 1; i <= n; i++) {
        const double b = i == n ? t1 : t0 + (t1 - t0) * i / n;

        step(m, b - a, yoke_program_input(run, 0, a),
             yoke_program_input(run, 0, b));
        yoke_program_point(run, b, &m->x, &m->v);
        a = b;
    }
    return 0;
}

int main(void)
{
    static const char *const units[] = { "u", "m", "x", "m", NULL };
    yoke_program_ops ops = { 0 };
    mass m = { 1.0, 1.0, 0.0, 0.0 };

    ops.flags = YOKE_PROGRAM_COPIES;
    ops.start = start;
    ops.advance = advance;
    ops.set = set;
    ops.units = units;
    return yoke_program_main(&ops, &m);
}
