/* wave/wave_fixture.h -- waveforms for the tests of this folder. */
#ifndef YK_WAVE_FIXTURE_H
#define YK_WAVE_FIXTURE_H

#include "check.h"

#include "wave/waveform.h"

#include <math.h>

static inline yk_wave *new_wave(int dim, double t0)
{
    yk_wave *w = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(yk_wave_create(&w, dim, &err), &err);
    yk_wave_clear(w, t0);
    return w;
}

/* Pieces of random lengths over [t0, t1], of random degrees up to `degree`,
 * with jumps; dim <= 64. */
static inline void fill_random(yk_wave *w, unsigned long long seed, int pieces,
                               int degree, double t0, double t1)
{
    double coef[64 * (YOKE_WAVE_MAX_DEGREE + 1)];
    yoke_err err = { YOKE_OK, "" };

    yk_wave_clear(w, t0);
    for (int i = 1; i <= pieces; i++) {
        const double shift = 0.4 * (yk_random(&seed) - 0.5);
        const double x = i == pieces ? 1.0 : (i + shift) / pieces;
        const int d = (int)(yk_random(&seed) * (degree + 1));
        for (int k = 0; k < yk_wave_dim(w) * (d + 1); k++)
            coef[k] = 2.0 * yk_random(&seed) - 1.0;
        CHECK_OK(yk_wave_append(w, t0 + x * (t1 - t0), d, coef, &err), &err);
    }
}

static inline yk_wave *random_wave(unsigned long long seed, int dim, int pieces,
                                   int degree, double t0, double t1)
{
    yk_wave *w = new_wave(dim, t0);
    fill_random(w, seed, pieces, degree, t0, t1);
    return w;
}

static inline double value_of(const yk_wave *w, int c, double t)
{
    double v[64];
    yk_wave_eval(w, t, NULL, v);
    return v[c];
}

static inline double right_value_of(const yk_wave *w, int c, double t)
{
    double v[64];
    yk_wave_eval_right(w, t, NULL, v);
    return v[c];
}

#endif
