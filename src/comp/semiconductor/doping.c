/* comp/semiconductor/doping.c -- profiles of donors less acceptors.
 *
 * A box of the grid holds the doping between its ends, so its mean is what
 * counts: exact for layers and tables, Gauss's rule with 5 points otherwise. A
 * junction on a node then has the mean of both sides, whatever side the node is
 * taken to belong to.
 */
#include "comp/semiconductor/device.h"
#include "base/vector.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 2000, HALVINGS = 60 };

static double table_at(const yk_diode_doping *p, double x)
{
    const int last = p->points - 1;

    if (!(x >= p->x[0] && x <= p->x[last])) return 0.0;
    const int k = yk_last_below(p->x, last, 1, x);
    const double part = (x - p->x[k]) / (p->x[k + 1] - p->x[k]);
    return p->value[k] + part * (p->value[k + 1] - p->value[k]);
}

static double part_at(const yk_diode_doping *p, double x, int side)
{
    if (p->kind == YK_DOPING_TABLE) return table_at(p, x);
    if (p->kind == YK_DOPING_FUNCTION) return p->function(p->context, x);
    if (p->kind == YK_DOPING_GAUSSIAN) {
        const double z = (x - p->at) / p->width;
        return p->density * exp(-0.5 * z * z);
    }
    const bool inside =
        side < 0 ? x > p->from && x <= p->to : x >= p->from && x < p->to;
    return inside ? p->density : 0.0;
}

double yk_doping_at(const yk_diode *given, double x, int side)
{
    double sum = 0.0;

    for (int k = 0; k < given->dopings; k++)
        sum += part_at(&given->doping[k], x, side);
    return sum;
}

static double gauss(const yk_diode_doping *p, double a, double b)
{
    static const double at[] = { -0.9061798459386640, -0.5384693101056831, 0.0,
                                 0.5384693101056831, 0.9061798459386640 };
    static const double weight[] = { 0.2369268850561891, 0.4786286704993665,
                                     0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891 };
    double sum = 0.0;

    for (int k = 0; k < 5; k++)
        sum += 0.5 * (b - a) * weight[k] *
               part_at(p, 0.5 * (a + b) + 0.5 * (b - a) * at[k], 1);
    return sum;
}

/* Integral over [a, b], divided where the table has its points. */
static double table_sum(const yk_diode_doping *p, double a, double b)
{
    double sum = 0.0;

    for (int k = 0; k + 1 < p->points; k++) {
        const double low = fmax(a, p->x[k]), high = fmin(b, p->x[k + 1]);
        if (low >= high) continue;
        const double slope =
            (p->value[k + 1] - p->value[k]) / (p->x[k + 1] - p->x[k]);
        sum += (high - low) *
               (p->value[k] + slope * (0.5 * (low + high) - p->x[k]));
    }
    return sum;
}

static double part_sum(const yk_diode_doping *p, double a, double b)
{
    if (p->kind == YK_DOPING_TABLE) return table_sum(p, a, b);
    if (p->kind != YK_DOPING_LAYER) return gauss(p, a, b);
    const double low = fmax(a, p->from), high = fmin(b, p->to);
    return high > low ? p->density * (high - low) : 0.0;
}

double yk_doping_mean(const yk_diode *given, double a, double b)
{
    double sum = 0.0;

    for (int k = 0; k < given->dopings; k++)
        sum += part_sum(&given->doping[k], a, b);
    return sum / (b - a);
}

/* Where the sign changes in [a, b], whose ends have different ones. */
static double bisect(const yk_diode *given, double a, double b)
{
    const bool up = yk_doping_at(given, b, -1) > 0.0;

    for (int k = 0; k < HALVINGS; k++) {
        const double mid = 0.5 * (a + b);
        if ((yk_doping_at(given, mid, 1) > 0.0) == up)
            b = mid;
        else
            a = mid;
    }
    return 0.5 * (a + b);
}

/* Sorts and removes those that are closer than `gap`. */
static int tidy(double *at, int count, double gap)
{
    int kept = 0;

    if (count > 1) qsort(at, (size_t)count, sizeof *at, yk_compare_doubles);
    for (int k = 0; k < count; k++)
        if (kept == 0 || at[k] - at[kept - 1] > gap) at[kept++] = at[k];
    return kept;
}

yoke_status yk_doping_junctions(const yk_diode *given, double **at, int *count,
                                yoke_err *err)
{
    const double dx = given->length / SAMPLES;
    int found = 0;

    YK_TRY(yk_doubles(at, 2 * (size_t)given->dopings + SAMPLES + 1, err));
    for (int k = 0; k < given->dopings; k++) {
        const yk_diode_doping *p = &given->doping[k];
        if (p->kind != YK_DOPING_LAYER) continue;
        if (p->from > 0.0 && p->from < given->length) (*at)[found++] = p->from;
        if (p->to > 0.0 && p->to < given->length) (*at)[found++] = p->to;
    }
    for (int k = 0; k < SAMPLES; k++) {
        const double a = k * dx, b = a + dx;
        const double left = yk_doping_at(given, a, 1);
        const double right = yk_doping_at(given, b, -1);
        if (left * right < 0.0) (*at)[found++] = bisect(given, a, b);
    }
    *count = tidy(*at, found, 1e-6 * given->length);
    return YOKE_OK;
}
