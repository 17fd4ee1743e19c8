/* iter/constraint/collocated_probe.c -- how equations answer to multipliers.
 *
 * A multiplier is raised by delta over the whole window, and the parts are
 * solved once more.  What the equations change by, over delta, is z(s), s the
 * time since the beginning: the answer to a step.  As a polynomial it has no
 * value at s = 0 where parts do not follow the multiplier at once, and neither
 * value nor slope where the equations are between positions.
 *
 * delta is such that the change stands out of the errors of the parts, and is
 * no larger than what the equations are made of.
 */
#include "iter/constraint/collocated.h"
#include "iter/policy.h"

#include "base/tolerance.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = YK_PROBE_SAMPLES, MOST_TRIES = 8 };

/* A value, or a slope over the window, that is below this part of the answer at
 * its largest is none. */
static const double nothing = 0.02;

yoke_status yk_probe_create(yk_probe *p, int n, yoke_err *err)
{
    const size_t room = SAMPLES * (size_t)n;

    p->at = -1;
    YK_TRY(YK_DOUBLES(room, err, &p->before, &p->after));
    return yk_wave_create(&p->base, n, err);
}

void yk_probe_clear(yk_probe *p)
{
    yk_wave_free(p->base);
    YK_FREE(p->before, p->after);
}

static double sample_time(const yk_collocated *c, int k)
{
    return k == SAMPLES - 1 ? c->t1 : c->t + (c->t1 - c->t) * k / (SAMPLES - 1);
}

static yoke_status sample(yk_collocated *c, const yk_wave *u, double *out,
                          yoke_err *err)
{
    for (int k = 0; k < SAMPLES; k++)
        YK_TRY(yk_collocated_equations(c, u, sample_time(c, k), k == 0,
                                       out + k * c->n, c->scale, err));
    return YOKE_OK;
}

static yoke_status raise(yk_collocated *c, yk_wave *y, yoke_err *err)
{
    const yk_probe *p = &c->probe;
    const double one = 1.0;

    yk_wave_clear(c->one, c->t);
    YK_TRY(yk_wave_append_constant(c->one, c->t1, &one, err));
    for (int i = 0; i < c->n; i++)
        c->of.term[i] = (yk_wave_term){ p->base, i, i, 1.0 };
    c->of.term[c->n] = (yk_wave_term){ c->one, 0, p->at, p->delta };
    return yk_wave_combine(y, c->t, c->t1, c->n + 1, c->of.term, err);
}

/* delta for multiplier `at`: a part of its size, if that is known. */
static void begin_at(yk_collocated *c, int at)
{
    yk_probe *p = &c->probe;

    p->at = at;
    p->tried = 0;
    p->delta = c->most[at] > 0.0 ? YK_ITER_PROBE * c->most[at] : YK_ITER_PROBE;
}

yoke_status yk_probe_begin(yk_collocated *c, const yk_wave *u, yk_wave *y,
                           yoke_err *err)
{
    for (int i = 0; i < c->n; i++)
        c->of.term[i] = (yk_wave_term){ u, c->inputs + i, i, 1.0 };
    YK_TRY(yk_wave_combine(c->probe.base, c->t, c->t1, c->n, c->of.term, err));
    YK_TRY(sample(c, u, c->probe.before, err));
    begin_at(c, 0);
    return raise(c, y, err);
}

/* By how much the change stands out of the errors of the parts, and how large it
 * is relative to the terms of the equations. */
static void weigh(const yk_collocated *c, double *over_noise, double *over_size)
{
    const yk_probe *p = &c->probe;

    *over_noise = *over_size = 0.0;
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < c->n; i++) {
            const double change =
                fabs(p->after[k * c->n + i] - p->before[k * c->n + i]);
            const double noise = YK_ITER_COLLOCATED_TIGHT *
                                 yk_tolerance(c->atol, c->rtol, c->scale[i]);
            *over_noise = fmax(*over_noise, change / noise);
            *over_size = fmax(*over_size, change / (c->scale[i] + c->atol));
        }
}

/* z of row i from the samples. */
static yoke_status fit(yk_collocated *c, int i, yoke_err *err)
{
    const yk_probe *p = &c->probe;
    yk_step_response *z = &c->z[i * c->n + p->at];
    double a[SAMPLES * YK_STEP_RESPONSE], b[SAMPLES], most = 0.0;
    int first = 0;

    z->length = c->t1 - c->t;
    for (int k = 0; k < SAMPLES; k++) {
        b[k] = (p->after[k * c->n + i] - p->before[k * c->n + i]) / p->delta;
        most = fmax(most, fabs(b[k]));
    }
    for (;; first++) { /* powers that play no part are left out */
        const int count = YK_STEP_RESPONSE - first;
        for (int q = 0; q < count; q++)
            for (int k = 0; k < SAMPLES; k++)
                a[q * SAMPLES + k] = pow((double)k / (SAMPLES - 1), q + first);
        memset(z->coef, 0, sizeof z->coef);
        YK_TRY(yk_least_squares(SAMPLES, count, a, b, 1e-12, z->coef + first,
                                NULL, err));
        if (first == 2 || fabs(z->coef[first]) > nothing * most) break;
    }
    return YOKE_OK;
}

static const char *name_of(const yk_collocated *c, int i)
{
    return yoke_system_facts(c->of.cluster->system)->x_name[i];
}

/* Multiplier `at` is done. */
static yoke_status take(yk_collocated *c, yoke_err *err)
{
    for (int i = 0; i < c->n; i++) YK_TRY(fit(c, i, err));
    return YOKE_OK;
}

/* Does an equation answer neither at once nor with a rate? */
static yoke_status check_degrees(const yk_collocated *c, yoke_err *err)
{
    for (int i = 0; i < c->n; i++) {
        bool answers = false;
        for (int k = 0; k < c->n; k++) {
            const yk_step_response *z = &c->z[i * c->n + k];
            answers = answers || z->coef[0] != 0.0 || z->coef[1] != 0.0;
        }
        if (answers) continue;
        return yk_fail(
            err, YOKE_E_MODEL,
            "constraint \"%s\": the equation of \"%s\" answers to no "
            "multiplier within a short time, as one between positions. From "
            "positions of closed parts alone multipliers would be off by a "
            "thousand times their errors and more: add \"form: velocity\", "
            "which reads the velocities, outputs NAME.v (an FMU has them where "
            "it declares the derivative of NAME), or write the equation "
            "between velocities",
            c->of.cluster->name, name_of(c, i));
    }
    return YOKE_OK;
}

yoke_status yk_probe_go_on(yk_collocated *c, const yk_wave *u, yk_wave *y,
                           bool *more, yoke_err *err)
{
    yk_probe *p = &c->probe;
    double over_noise, over_size;

    *more = true;
    YK_TRY(sample(c, u, p->after, err));
    weigh(c, &over_noise, &over_size);
    const bool small = over_noise<YK_ITER_PROBE_CLEAR, large = over_size> 1.0 &&
                       over_noise > YK_ITER_PROBE_LOUD;
    if ((small || large) && ++p->tried < MOST_TRIES) {
        p->delta *=
            fmin(fmax(YK_ITER_PROBE_AIM / fmax(over_noise, 1e-12), 1e-6), 1e6);
        return raise(c, y, err);
    }
    if (small)
        return yk_fail(err, YOKE_E_MODEL,
                       "constraint \"%s\": the multiplier \"%s\", raised by "
                       "%.3g over [%.9g, %.9g], changes none of its equations; "
                       "does it enter the parts that these read?",
                       c->of.cluster->name, name_of(c, p->at), p->delta, c->t,
                       c->t1);
    YK_TRY(take(c, err));
    if (p->at + 1 < c->n) {
        begin_at(c, p->at + 1);
        return raise(c, y, err);
    }
    p->at = -1;
    *more = false;
    c->known = true;
    c->stale = c->factored = false;
    c->since = c->t;
    c->until = c->t1;
    return check_degrees(c, err);
}
