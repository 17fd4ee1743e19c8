/* comp/fmu/direct.c -- do outputs of a co-simulation FMU follow inputs at once?
 *
 * Where the description does not say so it is tried, since what it leaves out
 * costs the order of all steps, and an algebraic loop never agrees.  Both
 * versions of the standard permit to set inputs and to get outputs before the
 * initialisation ends; and some FMUs tell new outputs after a step only.  So two
 * copies of the process make a very short step, one of them with other inputs,
 * and two a shorter one: what follows at once does not fall with the length.
 */
#include "comp/fmu/simulation.h"

#include <math.h>
#include <string.h>

/* Seconds that a probe may take in its copy. */
enum { PATIENCE = 10 };

/* Length of the short steps, of the first window; how much shorter the other
 * is; by how much inputs are moved, and what is noise of the outputs. */
static const double SHORT = 1e-6, SHORTER = 1.0 / 16, MOVED = 1e-3,
                    NOISE = 1e-10;

/* What the description says: -1 nothing, or it does not matter, 0 no, 1 yes. */
static int declared_direct(const yk_fmu_simulation *s)
{
    const yk_fmu_description *d = s->e.description;
    int listed = 0;

    for (int o = 0; o < d->outputs; o++) {
        const yk_fmu_unknown *out = &d->output[o];

        if (!out->listed) return -1;
        listed++;
        for (int k = 0; k < out->count; k++)
            if (d->variable[out->known[k]].causality == YK_FMU_INPUT &&
                d->variable[out->known[k]].variability == YK_FMU_CONTINUOUS)
                return 1;
    }
    return listed > 0 ? 0 : -1;
}

static double moved(double value, int k)
{
    return value + MOVED * (1.0 + 0.1 * k) * fmax(fabs(value), 1.0);
}

/* A step of length h at u, with smooth inputs as they are or moved. */
typedef struct probe {
    yk_fmu_simulation *s;
    const double *u;
    double h;
    bool move;
} probe;

static yoke_status set_inputs(const probe *try)
{
    yk_fmu_simulation *s = try->s;

    for (int k = 0; k < s->smooth.count; k++) {
        const double value = try->u[s->smooth.at[k]];
        s->smooth.value[k] = try->move ? moved(value, k) : value;
    }
    return yk_fmu_set(s->e.instance, s->smooth.count, s->smooth.signal,
                      s->smooth.value, NULL);
}

/* In a copy of the process, before the initialisation ends. */
static int ignores_inputs(void *context)
{
    const probe *try = context;
    yk_fmu_simulation *s = try->s;
    const int p = s->e.output.count;
    double *before = s->y, *after = s->y_end;

    return yk_fmu_get(s->e.instance, p, s->e.output.signal, before, NULL) ==
               YOKE_OK &&
           set_inputs(try) == YOKE_OK &&
           yk_fmu_get(s->e.instance, p, s->e.output.signal, after, NULL) ==
               YOKE_OK &&
           memcmp(before, after, (size_t)p * sizeof *before) == 0;
}

void yk_fmu_try_direct(yk_fmu_simulation *s, const double *u0)
{
    const int declared = declared_direct(s);
    probe try = { s, u0, 0.0, true };

    s->direct = declared != 0;
    if (declared >= 0 || s->smooth.count == 0 || !yk_fmu_can_copy()) return;
    s->direct = !yk_fmu_ask_copy(ignores_inputs, &try, PATIENCE);
}

static int make_step(void *context)
{
    const probe *try = context;
    yk_fmu_simulation *s = try->s;
    bool event = false;
    double reached = s->t;

    return set_inputs(try) == YOKE_OK &&
           yk_fmu_step(s->e.instance, s->t, try->h, &reached, &event, NULL) ==
               YOKE_OK &&
           yk_fmu_get(s->e.instance, s->e.output.count, s->e.output.signal,
                      s->shared, NULL) == YOKE_OK;
}

/* The outputs after a step of length h, with inputs as they are at the start or
 * moved, by a copy. */
static bool step_copy(yk_fmu_simulation *s, double h, bool move, double *y)
{
    probe try = { s, s->scratch, h, move };

    if (!yk_fmu_ask_copy(make_step, &try, PATIENCE)) return false;
    memcpy(y, s->shared, (size_t)s->e.output.count * sizeof *y);
    return true;
}

void yk_fmu_try_steps(yk_fmu_simulation *s, double t1, const yk_wave *u)
{
    const size_t p = (size_t)s->e.output.count;
    const double h = SHORT * (t1 - s->t);
    double *a = s->scout, *b = a + p, *c = b + p, *d = c + p;

    if (s->direct || s->smooth.count == 0 || !yk_fmu_can_copy()) return;
    yk_wave_eval_right(u, s->t, NULL, s->scratch);
    if (!step_copy(s, h, false, a) || !step_copy(s, h, true, b) ||
        !step_copy(s, SHORTER * h, false, c) ||
        !step_copy(s, SHORTER * h, true, d))
        return;
    for (size_t k = 0; k < p; k++) {
        const double size = fmax(fabs(a[k]), fabs(b[k]));

        if (s->e.output.discrete[k]) continue;
        s->direct = s->direct || (fabs(d[k] - c[k]) > 0.5 * fabs(b[k] - a[k]) &&
                                  fabs(d[k] - c[k]) > NOISE * size);
    }
}
