/* iter/constraint/bends.c -- where delayed signals jump or bend.
 *
 * Multipliers follow forces at once, so their polynomials end where a force is not
 * smooth.  What happens in a unit is the unit's to report; a bend that comes back after a
 * delay belongs to no unit any more.  It lies at a knot, where the pieces of the
 * waveform are not continued by one another.
 */
#include "iter/constraint/unit.h"
#include "iter/policy.h"

#include "base/tolerance.h"

#include <math.h>

/* A delayed waveform, and how the last accepted window left it. */
struct yk_delayed {
    const yk_wave *wave; /* borrowed */
    double *value, *slope, length;
};

void yk_bends_clear(yk_multipliers *c)
{
    for (int k = 0; k < c->delayed_count; k++)
        YK_FREE(c->delayed[k].value, c->delayed[k].slope);
    yk_free(c->delayed);
}

static yoke_status add(yk_multipliers *c, const yk_wave *wave, yoke_err *err)
{
    const size_t dim = (size_t)yk_wave_dim(wave);

    for (int k = 0; k < c->delayed_count; k++)
        if (c->delayed[k].wave == wave) return YOKE_OK;
    YK_TRY(YK_GROW(&c->delayed, &c->delayed_room, c->delayed_count + 1, err));
    yk_delayed *const d = &c->delayed[c->delayed_count];
    *d = (yk_delayed){ .wave = wave };
    c->delayed_count++;
    return YK_DOUBLES(dim, err, &d->value, &d->slope);
}

yoke_status yk_bends_bind(yk_multipliers *c, int units, const yk_unit *all,
                          yoke_err *err)
{
    for (int i = 0; i < units; i++)
        for (int f = 0; f < all[i].feeds; f++)
            if (all[i].feed[f].delayed)
                YK_TRY(add(c, all[i].feed[f].delayed, err));
    return YOKE_OK;
}

/* Value and slope of component i where piece k ends. */
static void end_of(const yk_wave *w, int k, int i, double *value, double *slope)
{
    const double *coef = yk_wave_coef(w, k);
    const int dim = yk_wave_dim(w);
    const double length = yk_wave_knot(w, k + 1) - yk_wave_knot(w, k);

    *value = *slope = 0.0;
    for (int j = 0; j <= yk_wave_degree(w, k); j++) {
        *value += coef[j * dim + i];
        *slope += j * coef[j * dim + i] / length;
    }
}

/* Does component i, which came with this value and slope from a piece of this
 * length, not go on so in piece k? */
static bool bends(const yk_multipliers *c, const yk_wave *w, int k, int i,
                  double value, double slope, double before)
{
    const double *coef = yk_wave_coef(w, k);
    const int dim = yk_wave_dim(w);
    const double length = yk_wave_knot(w, k + 1) - yk_wave_knot(w, k);
    const double rise = yk_wave_degree(w, k) > 0 ? coef[dim + i] / length : 0.0;
    const double tolerance =
        yk_tolerance(c->atol, c->rtol, fmax(fabs(value), fabs(coef[i])));

    return fabs(coef[i] - value) > YK_ITER_CONSTRAINT_JUMP * tolerance ||
           fabs(rise - slope) * fmin(length, before) >
               YK_ITER_CONSTRAINT_BEND * tolerance;
}

/* Piece k does not continue what is before it. */
static bool bends_at(const yk_multipliers *c, const yk_delayed *d, int k)
{
    const yk_wave *w = d->wave;
    const double before =
        k > 0 ? yk_wave_knot(w, k) - yk_wave_knot(w, k - 1) : d->length;

    for (int i = 0; i < yk_wave_dim(w); i++) {
        double value = d->value[i], slope = d->slope[i];
        if (k > 0) end_of(w, k - 1, i, &value, &slope);
        if (bends(c, w, k, i, value, slope, before)) return true;
    }
    return false;
}

double yk_bends_next(const yk_multipliers *c, double t)
{
    double next = INFINITY;

    for (int q = 0; q < c->delayed_count; q++) {
        const yk_delayed *d = &c->delayed[q];
        for (int k = 0; k < yk_wave_pieces(d->wave); k++) {
            const double knot = yk_wave_knot(d->wave, k);
            if (knot >= next || knot >= c->t1) break;
            if (knot > t && bends_at(c, d, k)) next = knot;
        }
    }
    return next;
}

void yk_bends_accept(yk_multipliers *c)
{
    for (int q = 0; q < c->delayed_count; q++) {
        yk_delayed *const d = &c->delayed[q];
        const int last = yk_wave_pieces(d->wave) - 1;
        if (last < 0) continue;
        for (int i = 0; i < yk_wave_dim(d->wave); i++)
            end_of(d->wave, last, i, &d->value[i], &d->slope[i]);
        d->length =
            yk_wave_knot(d->wave, last + 1) - yk_wave_knot(d->wave, last);
    }
}
