/* comp/fmu/direct.c -- do outputs of a co-simulation FMU follow inputs at once?
 *
 * Where the description does not say so it is tried, since what it leaves out
 * costs the order of all steps, and an algebraic loop never agrees.  Both
 * versions of the standard permit to set inputs and to get outputs before the
 * initialisation ends; and some FMUs tell new outputs after a step only.  So two
 * copies of the process make a very short step, one of them with other inputs,
 * and two a shorter one: what follows at once does not fall with the length.
 */
#define _GNU_SOURCE
#include "comp/fmu/simulation.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds that a probe may take in its copy; its exit status for yes. */
enum { PATIENCE = 10, YES = 42 };

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

/* In a copy of the process, before the initialisation ends. */
static bool follows_inputs(yk_fmu_simulation *s, const double *u0)
{
    const int p = s->e.output.count;
    double *before = s->y, *after = s->y_end;

    if (yk_fmu_get(s->e.instance, p, s->e.output.signal, before, NULL) !=
        YOKE_OK)
        return true;
    for (int k = 0; k < s->smooth.count; k++) {
        s->smooth.value[k] = moved(u0[s->smooth.at[k]], k);
    }
    if (yk_fmu_set(s->e.instance, s->smooth.count, s->smooth.signal,
                   s->smooth.value, NULL) != YOKE_OK ||
        yk_fmu_get(s->e.instance, p, s->e.output.signal, after, NULL) !=
            YOKE_OK)
        return true;
    return memcmp(before, after, (size_t)p * sizeof *before) != 0;
}

void yk_fmu_try_direct(yk_fmu_simulation *s, const double *u0)
{
    const int declared = declared_direct(s);
    int state = 0;

    s->direct = declared != 0;
    if (declared >= 0 || s->smooth.count == 0 || !yk_fmu_can_copy()) return;
    const pid_t copy = fork();
    if (copy == 0) {
        alarm(PATIENCE);
        _exit(follows_inputs(s, u0) ? 1 : YES);
    }
    if (copy > 0 && waitpid(copy, &state, 0) == copy)
        s->direct = !(WIFEXITED(state) && WEXITSTATUS(state) == YES);
}

/* The outputs after a step of length h, with inputs as they are at the start or
 * moved, by a copy. */
static bool step_copy(yk_fmu_simulation *s, double h, bool move, double *y)
{
    const int p = s->e.output.count;
    int state = 0;

    const pid_t copy = fork();
    if (copy == 0) {
        bool event = false;
        double reached = s->t;

        alarm(PATIENCE);
        for (int k = 0; k < s->smooth.count; k++) {
            const double value = s->scratch[s->smooth.at[k]];
            s->smooth.value[k] = move ? moved(value, k) : value;
        }
        const bool done =
            yk_fmu_set(s->e.instance, s->smooth.count, s->smooth.signal,
                       s->smooth.value, NULL) == YOKE_OK &&
            yk_fmu_step(s->e.instance, s->t, h, &reached, &event, NULL) ==
                YOKE_OK &&
            yk_fmu_get(s->e.instance, p, s->e.output.signal, s->shared, NULL) ==
                YOKE_OK;
        _exit(done ? YES : 1);
    }
    if (copy < 0) return false;
    while (waitpid(copy, &state, 0) < 0) {
    }
    if (!WIFEXITED(state) || WEXITSTATUS(state) != YES) return false;
    memcpy(y, s->shared, (size_t)p * sizeof *y);
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
