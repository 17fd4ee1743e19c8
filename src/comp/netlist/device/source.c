/* comp/netlist/device/source.c -- PULSE, SIN, EXP, PWL, SFFM and AM.
 *
 * Definitions and defaults: ngspice 39 manual, section 4.1.
 */
#include "comp/netlist/device/source.h"
#include "base/vector.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Argument k, or `preset` if it is missing; times that must be positive count
 * as missing if they are zero. */
static double argument(const yk_net_source *s, int k, double preset)
{
    return k < s->args ? s->arg[k] : preset;
}

static double positive(const yk_net_source *s, int k, double preset)
{
    return k < s->args && s->arg[k] > 0.0 ? s->arg[k] : preset;
}

static yoke_status make_pwl(yk_stimulus *out, const yk_net_source *s,
                            yk_arena *arena, yk_net_place at, yoke_err *err)
{
    const int points = s->args / 2;
    double *time = NULL;

    if (points == 0 || s->args % 2)
        return yk_net_fail(err, YOKE_E_MODEL, at,
                           "PWL needs pairs of time and value, this one has "
                           "%d numbers",
                           s->args);
    YK_TRY(YK_TAKE(arena, &time, 2 * points, err));
    for (int k = 0; k < points; k++) {
        time[k] = s->arg[2 * k];
        time[points + k] = s->arg[2 * k + 1];
        if (k && time[k] < time[k - 1])
            return yk_net_fail(err, YOKE_E_MODEL, at,
                               "times of PWL must not decrease: %g after %g",
                               time[k], time[k - 1]);
    }
    out->points = points;
    out->time = time;
    out->value = time + points;
    out->delay = s->delay_by;
    out->repeat = s->has_repeat ? s->repeat : -1.0;
    if (out->repeat >= 0.0 && out->repeat >= time[points - 1])
        return yk_net_fail(err, YOKE_E_MODEL, at,
                           "r = %g of PWL is not before its last time %g",
                           out->repeat, time[points - 1]);
    return YOKE_OK;
}

static void make_pulse(yk_stimulus *out, const yk_net_source *s, double tstep,
                       double tstop)
{
    out->v[0] = argument(s, 0, 0.0);
    out->v[1] = argument(s, 1, 0.0);
    out->v[2] = argument(s, 2, 0.0);   /* delay */
    out->v[3] = positive(s, 3, tstep); /* rise */
    out->v[4] = positive(s, 4, tstep); /* fall */
    out->v[5] = positive(s, 5, tstop); /* width */
    out->v[6] = positive(s, 6, INFINITY);
    out->v[7] = positive(s, 7, INFINITY); /* number of pulses */
}

/* A delay of 0 counts as left out, as in ngspice. */
static void make_exp(yk_stimulus *out, const yk_net_source *s, double tstep)
{
    out->v[0] = argument(s, 0, 0.0);
    out->v[1] = argument(s, 1, 0.0);
    out->v[2] = positive(s, 2, tstep);
    out->v[3] = positive(s, 3, tstep);
    out->v[4] = positive(s, 4, out->v[2] + tstep);
    out->v[5] = positive(s, 5, tstep);
}

yoke_status yk_source_make(yk_stimulus *out, const yk_net_source *s,
                           double tstep, double tstop, yk_arena *arena,
                           yk_net_place at, yoke_err *err)
{
    *out = (yk_stimulus){ .repeat = -1.0 };
    if (!s) return YOKE_OK;
    out->shape = s->shape;
    if (s->shape == YK_SHAPE_PULSE)
        make_pulse(out, s, tstep, tstop);
    else if (s->shape == YK_SHAPE_EXP)
        make_exp(out, s, tstep);
    else if (s->shape == YK_SHAPE_PWL)
        YK_TRY(make_pwl(out, s, arena, at, err));
    else
        for (int k = 0; k < 7; k++) out->v[k] = argument(s, k, 0.0);
    if (s->shape == YK_SHAPE_SIN || s->shape == YK_SHAPE_SFFM) {
        if (s->shape == YK_SHAPE_SIN) {
            out->v[2] = positive(s, 2, 1.0 / tstop);
            out->v[6] = out->v[3] + positive(s, 6, INFINITY) / out->v[2];
        }
        if (s->shape == YK_SHAPE_SFFM) {
            out->v[2] = positive(s, 2, 1.0 / tstop);
            out->v[4] = positive(s, 4, 1.0 / tstop);
        }
    }
    /* Without a DC value the operating point has the value at t = 0. */
    out->dc = s->has_dc || s->shape == YK_SHAPE_NONE
                  ? s->dc
                  : yk_source_value(out, 0.0);
    return YOKE_OK;
}

static double pulse(const double *v, double t)
{
    double at = t - v[2];

    if (at <= 0.0 || (isfinite(v[6]) && at > v[6] * v[7])) return v[0];
    if (isfinite(v[6]) && at > v[6]) at -= v[6] * floor(at / v[6]);
    if (at < v[3]) return v[0] + (v[1] - v[0]) * at / v[3];
    at -= v[3];
    if (at <= v[5]) return v[1];
    at -= v[5];
    return at < v[4] ? v[1] + (v[0] - v[1]) * at / v[4] : v[0];
}

/* Offset, amplitude, frequency, delay, damping, phase in degrees, end of the
 * last cycle. */
static double sine(const double *v, double t)
{
    const double at = t - v[3], phase = v[5] * pi / 180.0;

    if (at <= 0.0 || t > v[6]) return v[0] + v[1] * sin(phase);
    return v[0] + v[1] * sin(2.0 * pi * v[2] * at + phase) * exp(-at * v[4]);
}

static double exponential(const double *v, double t)
{
    double value = v[0];

    if (t > v[2]) value += (v[1] - v[0]) * (1.0 - exp(-(t - v[2]) / v[3]));
    if (t > v[4]) value += (v[0] - v[1]) * (1.0 - exp(-(t - v[4]) / v[5]));
    return value;
}

/* Time inside the table. */
static double table_time(const yk_stimulus *s, double t)
{
    const double last = s->time[s->points - 1];
    double at = t - s->delay;

    if (s->repeat < 0.0 || at <= last) return at;
    const double period = last - s->repeat;
    return s->repeat + fmod(at - s->repeat, period);
}

/* The last point at or before `at`, -1: none. */
static int before(const yk_stimulus *s, double at)
{
    return yk_last_below(s->time, s->points, 1, at);
}

static double table(const yk_stimulus *s, double t)
{
    const double at = table_time(s, t);
    const int k = before(s, at);

    if (k < 0) return s->value[0];
    if (k == s->points - 1) return s->value[k];
    const double part = (at - s->time[k]) / (s->time[k + 1] - s->time[k]);
    return s->value[k] + part * (s->value[k + 1] - s->value[k]);
}

/* Offset, amplitude, carrier, index, signal, phases in degrees. */
static double modulated(const double *v, double t)
{
    const double carrier = 2.0 * pi * v[2] * t + v[5] * pi / 180.0;
    const double signal = 2.0 * pi * v[4] * t + v[6] * pi / 180.0;

    return v[0] + v[1] * sin(carrier + v[3] * sin(signal));
}

/* Amplitude, offset, modulating and carrier frequency, delay, phase. */
static double amplitude(const double *v, double t)
{
    const double at = t - v[4], phase = v[5] * pi / 180.0;

    if (at <= 0.0) return 0.0;
    return v[0] * (v[1] + sin(2.0 * pi * v[2] * at + phase)) *
           sin(2.0 * pi * v[3] * at + phase);
}

double yk_source_value(const yk_stimulus *s, double t)
{
    if (!(t >= 0.0)) return s->dc;
    switch (s->shape) {
    case YK_SHAPE_PULSE:
        return pulse(s->v, t);
    case YK_SHAPE_SIN:
        return sine(s->v, t);
    case YK_SHAPE_EXP:
        return exponential(s->v, t);
    case YK_SHAPE_PWL:
        return table(s, t);
    case YK_SHAPE_SFFM:
        return modulated(s->v, t);
    case YK_SHAPE_AM:
        return amplitude(s->v, t);
    case YK_SHAPE_NONE:
        break;
    }
    return s->dc;
}

/* ---- corners ------------------------------------------------------------- */

static double first_after(double t, const double *corner, int count)
{
    double best = INFINITY;

    for (int k = 0; k < count; k++)
        if (corner[k] > t && corner[k] < best) best = corner[k];
    return best;
}

static double pulse_break(const double *v, double t)
{
    const bool periodic = isfinite(v[6]);
    double corner[8];

    if (t < v[2]) return v[2];
    const double end = periodic ? v[2] + v[6] * v[7] : INFINITY;
    if (t >= end) return INFINITY;
    const double turn = periodic ? floor((t - v[2]) / v[6]) : 0.0;
    for (int k = 0; k < 2; k++) { /* this period and the next */
        double *c = corner + 4 * k;
        c[0] = v[2] + (periodic ? (turn + k) * v[6] : 0.0);
        c[1] = c[0] + v[3];
        c[2] = c[1] + v[5];
        c[3] = c[2] + v[4];
        /* A period may cut its pulse short. */
        for (int j = 1; periodic && j < 4; j++)
            if (c[j] > c[0] + v[6]) c[j] = c[0] + v[6];
    }
    return fmin(first_after(t, corner, periodic ? 8 : 4), end);
}

static double table_break(const yk_stimulus *s, double t)
{
    const double last = s->time[s->points - 1];
    const double at = table_time(s, t);
    const int k = before(s, at);

    if (k + 1 < s->points) return t + (s->time[k + 1] - at);
    if (s->repeat < 0.0) return INFINITY;
    const int r = before(s, s->repeat);
    return r + 1 < s->points ? t + (s->time[r + 1] - s->repeat) + (last - at)
                             : INFINITY;
}

double yk_source_break(const yk_stimulus *s, double t)
{
    double next = INFINITY;

    switch (s->shape) {
    case YK_SHAPE_PULSE:
        next = pulse_break(s->v, t);
        break;
    case YK_SHAPE_SIN:
        next = fmin(first_after(t, s->v + 3, 1), first_after(t, s->v + 6, 1));
        break;
    case YK_SHAPE_EXP:
        next = fmin(first_after(t, s->v + 2, 1), first_after(t, s->v + 4, 1));
        break;
    case YK_SHAPE_PWL:
        next = table_break(s, t);
        break;
    case YK_SHAPE_AM:
        next = first_after(t, s->v + 4, 1);
        break;
    case YK_SHAPE_SFFM:
    case YK_SHAPE_NONE:
        break;
    }
    /* Rounding must not give the same corner twice. */
    return next > t ? next : nextafter(t, INFINITY);
}

bool yk_source_is_straight(const yk_stimulus *s)
{
    return s->shape == YK_SHAPE_NONE || s->shape == YK_SHAPE_PULSE ||
           s->shape == YK_SHAPE_PWL;
}

/* Shapes of straight lines are still between two corners with equal values. */
bool yk_source_is_still(const yk_stimulus *s, double t0, double t1)
{
    if (s->shape == YK_SHAPE_NONE) return true;
    if (!isfinite(t0) || !isfinite(t1)) return false;
    if (s->shape != YK_SHAPE_PULSE && s->shape != YK_SHAPE_PWL) return false;
    return yk_source_break(s, t0) >= t1 &&
           yk_source_value(s, t0) == yk_source_value(s, t1);
}
