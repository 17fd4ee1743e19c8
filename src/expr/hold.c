/* expr/hold.c -- one branch that is held between events. */
#include "expr/hold.h"
#include "base/vector.h"

#include <math.h>

/* Less than any difference of numbers that are not equal. */
static const double least = 1e-300;

/* Held instead of a point of a table, where x is beyond its ends. */
static const double beyond = 1e290;

/* Infinite differences are differences too. */
static double bounded(double d)
{
    return d > 1e300 ? 1e300 : d < -1e300 ? -1e300 : d;
}

/* The piece of the table in which x lies, from *low to *high. */
static void find_piece(const yk_hold *h, double x, double *low, double *high)
{
    const double *p = h->table;
    const int n = yk_last_below(p, h->rows, 2, x) + 1;

    *low = n == 0 ? -INFINITY : p[2 * (n - 1)];
    *high = n == h->rows ? INFINITY : p[2 * n];
}

/* A point inside the piece. */
static double place_in(double low, double high)
{
    if (low == -INFINITY) return -beyond;
    return high == INFINITY ? beyond : 0.5 * (low + high);
}

double yk_hold_value(const yk_hold *h, double d)
{
    double low, high;

    if (h->op == YK_OP_FLOOR) return floor(d);
    if (h->op == YK_OP_INTERPOLATE) {
        find_piece(h, d, &low, &high);
        return place_in(low, high);
    }
    return (h->op == YK_OP_LESS ? d > 0.0 : d >= 0.0) ? 1.0 : 0.0;
}

static bool is_free(const yk_hold *h, double held)
{
    return h->kink && (h->op == YK_OP_INTERPOLATE ? held > 2.0 * beyond
                                                  : held > 0.25 && held < 0.75);
}

double yk_hold_above(const yk_hold *h, double d, double held)
{
    double low, high;

    d = bounded(d);
    if (is_free(h, held)) return -fabs(d) - least;
    if (h->op == YK_OP_INTERPOLATE) {
        find_piece(h, held, &low, &high);
        return bounded(fmax(low - d, d - high) - least);
    }
    if (h->op == YK_OP_FLOOR) {
        low = held - d - least;
        high = d - (held + 1.0);
        return h->side < 0 ? low : h->side > 0 ? high : fmax(low, high);
    }
    const bool strict = h->op == YK_OP_LESS;
    if (held > 0.5) return strict ? -d : -d - least;
    return strict ? d - least : d;
}

void yk_hold_enclose(const yk_hold *h, int order, const yk_jet *d, double held,
                     yk_jet *out)
{
    double low = held, high = held + 1.0;
    yk_jet end, below, above;

    if (is_free(h, held)) {
        yk_jet_apply(YK_OP_ABS, order, d, d, d, &below);
        yk_jet_apply(YK_OP_NEGATE, order, &below, d, d, out);
        return;
    }
    if (h->op == YK_OP_LESS || h->op == YK_OP_LESS_EQUAL) {
        *out = *d;
        if (held > 0.5) yk_jet_apply(YK_OP_NEGATE, order, d, d, d, out);
        return;
    }
    if (h->op == YK_OP_INTERPOLATE) find_piece(h, held, &low, &high);
    yk_jet_number(bounded(low), order, &end);
    yk_jet_apply(YK_OP_SUBTRACT, order, &end, d, d, &below);
    yk_jet_number(bounded(high), order, &end);
    yk_jet_apply(YK_OP_SUBTRACT, order, d, &end, d, &above);
    if (h->side == 0)
        yk_jet_apply(YK_OP_MAX, order, &below, &above, d, out);
    else
        *out = h->side < 0 ? below : above;
}

double yk_hold_change(const yk_hold *h, double d, double held)
{
    double low, high;

    if (is_free(h, held)) return yk_hold_value(h, d);
    if (h->op == YK_OP_INTERPOLATE) {
        find_piece(h, held, &low, &high);
        const bool up = d - high > low - d;
        return yk_hold_value(h, up ? fmax(d, high)
                                   : fmin(d, nextafter(low, -beyond)));
    }
    if (h->op != YK_OP_FLOOR) return held > 0.5 ? 0.0 : 1.0;
    const double now = floor(d);
    return d - held > 0.5 ? fmax(now, held + 1.0) : fmin(now, held - 1.0);
}
