/* comp/fmu/scout.c -- jumps of outputs that the FMU does not tell.
 *
 * An FMU without event mode passes over its own events in silence: outputs that
 * jump in a step [a, b] look like very steep ones, however short the step is.
 * Where two sweeps do not agree (part/closed.c) copies of the process are sent
 * ahead: each makes one step from a and tells the outputs at its end.  The jump is
 * where they leave the parabola through the last points, by more than half of
 * what it is at b, and is found by halving.  It is one if what differs at both ends
 * of what is left does not fall with its length; otherwise [a, b] is a step as any
 * other.
 * Then a step ends before it, a very short one passes it, and it is a break of
 * the waveform as an event of the FMU's own would be.
 *
 * Outputs that bend leave the parabola in proportion to the time since.  A step ends
 * where they are off by a tenth of a tolerance, and polynomials end there, too.
 */
#define _GNU_SOURCE
#include "comp/fmu/simulation.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum { PATIENCE = 60, HALVINGS = 60, SLOPE_AT = 64, SURE = 5 };

/* Copies of a sweep: some seconds.  A jump needs 30. */
enum { MOST_COPIES = 1500 };

/* A jump is left in this part of the step, or of the time. */
static const double CLOSE = 1e-9, ROUNDING = 1e-13;

/* What is looked at more closely, and what is a jump: tolerances. */
static const double ODD = 1.0, JUMP = 1.0;

/* A kink is where they are off by so many tolerances.  Half way from there to the
 * end of the step they are off by half as much as there; what is of second order
 * by a quarter. */
static const double KINK = 0.1, HALF[2] = { 0.4, 0.65 };

/* Points nearer than this part of a step are near. */
static const double NEAR = 0.3;

typedef struct one_step {
    yk_fmu_simulation *s;
    double a, b;
} one_step;

/* What compares its inputs with something acts at the instant at which they are
 * there, and not where held values are, so the end of the step has those of the
 * end.  What looks at the time when a step begins acts in that end, too. */
static int step_ahead(void *context)
{
    const one_step *step = context;
    yk_fmu_simulation *s = step->s;
    const double a = step->a, b = step->b;
    const double end = b - fmax(CLOSE * (b - a), ROUNDING * fabs(b));
    const bool apart = end > a;

    return yk_fmu_step_inputs(s, a, apart ? end : b, NULL) == YOKE_OK &&
           (!apart || yk_fmu_step_over(s, end, b, NULL) == YOKE_OK) &&
           yk_fmu_get(s->e.instance, s->e.output.count, s->e.output.signal,
                      s->shared, NULL) == YOKE_OK;
}

/* The outputs at b, by a copy that makes a step from here; false: it could
 * not. */
static bool ahead(yk_fmu_simulation *s, double a, double b, double *y)
{
    one_step step = { s, a, b };

    s->work.rejected++;
    s->copies++;
    if (!yk_fmu_ask_copy(step_ahead, &step, PATIENCE)) return false;
    memcpy(y, s->shared, (size_t)s->e.output.count * sizeof *y);
    return true;
}

/* How far y is from what is expected, now + h (slope + h bend), or from `now`
 * alone without a course; in tolerances. */
static double measure(const yk_fmu_simulation *s, const double *y,
                      const double *now, const double *course, double h)
{
    const int p = s->e.output.count;
    double most = 0.0;

    for (int c = 0; c < p; c++) {
        const double nominal =
            s->e.description->variable[s->e.output.signal[c].variable].nominal;
        const double expected =
            now[c] + (course ? h * (course[c] + h * course[p + c]) : 0.0);
        const double size = fmax(fmax(fabs(now[c]), fabs(y[c])), s->size[c]);
        const double least = fmin(s->e.atol * nominal, s->e.tolerance);

        most =
            fmax(most, fabs(y[c] - expected) / (least + s->e.tolerance * size));
    }
    return most;
}

/* Are there points before the last one in its smooth run? */
static bool has_company(const yk_fmu_trace *t)
{
    return t->points > 1 && t->time[t->points - 1] > t->time[t->points - 2];
}

/* Points of the smooth run before a, at most two; the last one first. */
static int before(const yk_fmu_trace *t, double a, int point[2])
{
    int count = 0;

    for (int i = t->points - 1; i >= 0 && count < 2; i--) {
        if (i + 1 < t->points && !(t->time[i] < t->time[i + 1])) break;
        if (t->time[i] < a) point[count++] = i;
    }
    return count;
}

/* Slope and bend at a, where outputs are `now`, of the parabola or line through
 * the last points; or the slope by a copy that goes a little ahead. */
static bool find_course(yk_fmu_simulation *s, double a, double b,
                        const double *now, double *course)
{
    const yk_fmu_trace *t = &s->trace;
    const int p = s->e.output.count;
    int point[2] = { 0, 0 };
    const int count = before(t, a, point);
    const double h = count > 0 ? t->time[point[0]] - a : (b - a) / SLOPE_AT;
    const double h2 = t->time[point[1]] - a;

    if (count == 0 && !ahead(s, a, a + h, course)) return false;
    for (int c = 0; c < p; c++) {
        const double y = count > 0 ? t->value[point[0] * p + c] : course[c];
        course[c] = (y - now[c]) / h;
        course[p + c] = 0.0;
        if (count < 2) continue;
        const double d2 = (t->value[point[1] * p + c] - now[c]) / h2;
        course[p + c] = (d2 - course[c]) / (h2 - h);
        course[c] -= h * course[p + c];
    }
    return true;
}

/* At the beginning of a smooth run nothing tells the course before it. */
static bool jumps_at_once(yk_fmu_simulation *s, double a, double t,
                          const double *now, double *then)
{
    return !has_company(&s->trace) && ahead(s, a, t, then) &&
           measure(s, then, now, NULL, 0.0) > JUMP;
}

typedef enum what { SMOOTH, JUMPS, BENDS } what;

/* Outputs leave their course, are `odd` at *hi, and do not jump.  Do they bend in
 * [a, *hi]?  Then *hi is just behind it. */
static what find_kink(yk_fmu_simulation *s, double a, double *hi, double odd)
{
    const size_t p = (size_t)s->e.output.count;
    double *course = s->scout, *middle = course + 4 * p, *now = middle + p;
    const double b = *hi;
    double lo = a;

    for (int k = 0; k < HALVINGS; k++) {
        const double t = 0.5 * (lo + *hi);
        if (!ahead(s, a, t, middle)) return SMOOTH;
        *(measure(s, middle, now, course, t - a) > KINK ? hi : &lo) = t;
        if (*hi < b && odd * (*hi - lo) <= 0.5 * KINK * (b - *hi)) break;
    }
    const double t = 0.5 * (*hi + b);
    if (!ahead(s, a, t, middle)) return SMOOTH;
    const double part = measure(s, middle, now, course, t - a) / odd;
    return part > HALF[0] && part < HALF[1] ? BENDS : SMOOTH;
}

/* Is there a jump in [a, *hi]?  Then it is in [*lo, *hi].  What differs at both
 * ends of what is left falls with its length if there is none. */
static what find_jump(yk_fmu_simulation *s, double a, double *lo, double *hi)
{
    const double b = *hi;
    const size_t p = (size_t)s->e.output.count;
    double *course = s->scout, *left = course + 2 * p, *right = left + p,
           *middle = right + p, *now = middle + p;
    const double h = *hi - a;
    const double close = fmax(CLOSE * h, ROUNDING * fmax(fabs(a), fabs(*hi)));

    *lo = a;
    if (yk_fmu_get(s->e.instance, (int)p, s->e.output.signal, now, NULL) !=
        YOKE_OK)
        return SMOOTH;
    if (jumps_at_once(s, a, a + close, now, middle)) {
        *hi = a + close;
        return JUMPS;
    }
    if (!find_course(s, a, *hi, now, course) || !ahead(s, a, *hi, right))
        return SMOOTH;
    memcpy(left, now, p * sizeof *left);
    const double all = measure(s, right, left, NULL, 0.0);
    const double whole = measure(s, right, now, course, h);
    double odd = whole;
    for (int k = 0; k < HALVINGS && odd > ODD && *hi - *lo > close; k++) {
        const double t = 0.5 * (*lo + *hi);
        if (!ahead(s, a, t, middle)) return SMOOTH;
        const double here = measure(s, middle, now, course, t - a);
        const bool gone = here > 0.5 * odd;
        memcpy(gone ? right : left, middle, p * sizeof *middle);
        if (gone) odd = here;
        *(gone ? hi : lo) = t;
        const double rest = measure(s, right, left, NULL, 0.0);
        if (rest <= JUMP || (k >= SURE && rest <= 1.5 * all * (*hi - *lo) / h))
            odd = 0.0;
    }
    if (odd > ODD) return JUMPS;
    *hi = b;
    return whole > ODD ? find_kink(s, a, hi, whole) : SMOOTH;
}

yoke_status yk_fmu_moved(yk_fmu_simulation *s, double *out, yoke_err *err)
{
    const size_t p = (size_t)s->e.output.count;
    const double *last = s->trace.value + (size_t)(s->trace.points - 1) * p;

    YK_TRY(
        yk_fmu_get(s->e.instance, (int)p, s->e.output.signal, s->scout, err));
    *out = measure(s, s->scout, last, NULL, 0.0);
    return YOKE_OK;
}

/* The last point is moved there: polynomials through points that are very near to
 * each other are noise. */
yoke_status yk_fmu_end_run(yk_fmu_simulation *s, double t, yoke_err *err)
{
    const size_t p = (size_t)s->e.output.count;
    double *value = NULL, *slope = NULL;

    if (has_company(&s->trace) || s->trace.time[s->trace.points - 1] >= t) {
        s->trace.time[s->trace.points - 1] = t;
        return YOKE_OK;
    }
    s->trace.late[s->trace.points - 1] = 0.0;
    YK_TRY(yk_trace_add(&s->trace, t, &value, &slope, err));
    memcpy(value, value - p, p * sizeof *value);
    for (size_t c = 0; c < p; c++) slope[c] = NAN;
    return YOKE_OK;
}

/* Over the jump, from lo to *hi, or a little farther: two steps are not the one
 * of the copy, to the last bit.  It is at lo; where the window begins at *hi. */
static yoke_status pass(yk_fmu_simulation *s, double lo, double *hi, double b,
                        yoke_err *err)
{
    const size_t p = (size_t)s->e.output.count;
    const size_t at = (size_t)(s->trace.points - 1) * p;
    double *after = s->scout;
    const bool first = lo <= s->t;
    double jump = lo;

    for (;;) {
        YK_TRY(yk_fmu_step_over(s, lo, *hi, err));
        YK_TRY(
            yk_fmu_get(s->e.instance, (int)p, s->e.output.signal, after, err));
        if (*hi >= b ||
            measure(s, after, s->trace.value + at, NULL, 0.0) > JUMP)
            break;
        const double next = fmin(*hi + 2.0 * (*hi - lo), b);
        lo = *hi;
        *hi = next;
    }
    if (first) jump = *hi;
    YK_TRY(yk_fmu_end_run(s, jump, err));
    s->work.events++;
    YK_TRY(yk_fmu_add_point(s, jump, false, err));
    s->trace.late[s->trace.points - 1] = *hi - jump;
    return YOKE_OK;
}

/* To lo, before a jump; a point that is near is given up for it. */
static yoke_status approach(yk_fmu_simulation *s, double a, double lo, double h,
                            yoke_err *err)
{
    if (lo == a) return YOKE_OK;
    const bool near = lo - a < NEAR * h && has_company(&s->trace);
    if (near) s->trace.points--;
    return yk_fmu_step_once(s, a, lo, err);
}

yoke_status yk_fmu_step_looking(yk_fmu_simulation *s, double a, double b,
                                yoke_err *err)
{
    const double h = b - a;
    const bool last = b >= s->end;

    while (a < b) {
        double lo = a, hi = b;

        if (s->copies > MOST_COPIES)
            return yk_fail(err, YOKE_RETRY,
                           "%d copies of the process were sent ahead until "
                           "t = %.9g to find jumps of its outputs",
                           s->copies, a);
        const what found = find_jump(s, a, &lo, &hi);
        if (found == SMOOTH) {
            /* A rest behind a jump, but at the end, needs no point. */
            if (b - a < NEAR * h && !last)
                return yk_fmu_step_inputs(s, a, b, err);
            return yk_fmu_step_once(s, a, b, err);
        }
        YK_TRY(approach(s, a, found == BENDS ? hi : lo, h, err));
        YK_TRY(found == BENDS ? yk_fmu_bend(s, hi, err)
                              : pass(s, lo, &hi, b, err));
        a = hi;
    }
    return YOKE_OK;
}

yoke_status yk_fmu_scout_create(yk_fmu_simulation *s, yoke_err *err)
{
    const size_t p = (size_t)s->e.output.count + 1;

    YK_TRY(YK_DOUBLES(p, err, &s->size));
    YK_TRY(yk_doubles(&s->scout, 6 * p, err));
    void *shared = mmap(NULL, p * sizeof(double), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return yk_fail(err, YOKE_E_MEMORY, "no memory to share");
    s->shared = shared;
    return YOKE_OK;
}

void yk_fmu_scout_clear(yk_fmu_simulation *s)
{
    const size_t p = (size_t)s->e.output.count + 1;

    if (s->shared) munmap(s->shared, p * sizeof(double));
    YK_FREE(s->size, s->scout);
    s->shared = NULL;
}
