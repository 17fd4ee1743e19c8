/* tests/program/linked.c -- the same with yoke/program.h.
 *
 *     linked save|copies|again|controls */
#define YOKE_PROGRAM_CODE
#include <yoke/program.h>

typedef struct lag {
    double x;
    int straight; /* inputs must be straight */
} lag;

static int start(void *self, yoke_program *run, double t, const double *u,
                 double *y)
{
    (void)t, (void)u;
    if (yoke_program_find_input(run, "u") != 0 ||
        yoke_program_find_output(run, "y") != 0 ||
        yoke_program_find_input(run, "nothing") != -1 ||
        yoke_program_inputs(run) != 1 || yoke_program_outputs(run) != 1 ||
        !(yoke_program_rtol(run) > 0.0) || !(yoke_program_atol(run) > 0.0))
        return yoke_program_fail(run, "names or tolerances");
    y[0] = ((lag *)self)->x;
    return 0;
}

/* With error control: straight inputs, and enough points for any tolerance that
 * the tests ask for. */
static int advance(void *self, yoke_program *run, double t0, double t1)
{
    lag *l = (lag *)self;
    const int told = yoke_program_steps(run), n = told > 0 ? told : 64;
    double a = t0;

    for (int i = 1; i <= n; i++) {
        const double b = i == n ? t1 : t0 + (t1 - t0) * i / n, h = b - a;
        const double u0 = yoke_program_input(run, 0, a);
        const double s = (yoke_program_input(run, 0, b) - u0) / h;
        const double middle = yoke_program_mean(run, 0, a, b);
        const double off = middle - (u0 + 0.5 * s * h);

        if (l->straight && fabs(off) > 1e-9 * (1.0 + fabs(u0)))
            return yoke_program_retry(run, "the input is not straight");
        l->x = (l->x - u0 + s) * exp(-h) + u0 - s + s * h;
        const double slope = u0 + s * h - l->x;
        yoke_program_point(run, b, &l->x, &slope);
        a = b;
    }
    return 0;
}

static int set(void *self, yoke_program *run, const char *name,
               const char *value)
{
    if (strcmp(name, "factor") != 0)
        return yoke_program_fail(run, "no %s", name);
    ((lag *)self)->x *= strtod(value, NULL);
    return 0;
}

static void *save(void *self)
{
    lag *copy = (lag *)malloc(sizeof *copy);

    if (copy) *copy = *(lag *)self;
    return copy;
}

static int restore(void *self, const void *state)
{
    *(lag *)self = *(const lag *)state;
    return 0;
}

static void forget(void *self, void *state)
{
    (void)self;
    free(state);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "again";
    static const char *const units[] = { "u", "N", "y", "m", NULL };
    lag l = { 1.0, 0 };
    yoke_program_ops ops = {
        .start = start, .advance = advance, .set = set, .units = units
    };

    if (strcmp(kind, "save") == 0) {
        ops.save = save;
        ops.restore = restore;
        ops.forget = forget;
    }
    if (strcmp(kind, "copies") == 0) ops.flags = YOKE_PROGRAM_COPIES;
    l.straight = strcmp(kind, "controls") == 0;
    if (l.straight) ops.flags = YOKE_PROGRAM_CONTROLS | YOKE_PROGRAM_COPIES;
    return yoke_program_main(&ops, &l);
}
