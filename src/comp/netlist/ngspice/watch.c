/* comp/netlist/ngspice/watch.c -- finds the instants at which devices jump.
 *
 * A switch is a conductance g, which current i and power p tell: g = i^2 / p.  It
 * has two values.  A source with relations has a voltage or a current; it jumps
 * where it is not what the line through its last two values says, by a part of
 * its size that no smooth source moves by in a step that is accurate.
 *
 * A jump in a step of length h is searched for by bisection until it is known to
 * YK_NGSPICE_INSTANT rtol h: on the scale of h all that is smooth is resolved.
 */
#include "comp/netlist/ngspice/watch.h"
#include "comp/netlist/ngspice/policy.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which devices ----------------------------------------------------- */

/* Has the expression a relation, or a function that jumps? */
static bool may_jump(const char *text)
{
    static const char *const function[] = { "u",    "u2",  "sgn", "floor",
                                            "ceil", "int", "nint" };

    if (strpbrk(text, "<>?") || strstr(text, "==")) return true;
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        const size_t length = strlen(function[i]);

        for (const char *at = text; (at = strstr(at, function[i])); at++) {
            const char *end = at + length;

            while (*end == ' ') end++;
            if (*end == '(' &&
                (at == text ||
                 (!isalnum((unsigned char)at[-1]) && at[-1] != '_')))
                return true;
        }
    }
    return false;
}

static yoke_status watch(yk_ng_watch *w, const char *name, size_t length,
                         const char *first, const char *second, yoke_err *err)
{
    if (length + 6 > YK_NG_WATCHED_NAME) return YOKE_OK;
    YK_TRY(YK_GROW(&w->device, &w->room, w->count + 1, err));
    yk_ng_watched *d = &w->device[w->count++];
    *d = (yk_ng_watched){ .value = NAN, .before = NAN, .last = -INFINITY };
    snprintf(d->first, sizeof d->first, "@%.*s[%s]", (int)length, name, first);
    if (second)
        snprintf(d->second, sizeof d->second, "@%.*s[%s]", (int)length, name,
                 second);
    w->t = w->before = NAN;
    w->until = INFINITY;
    return YOKE_OK;
}

yoke_status yk_ng_watch_line(yk_ng_watch *w, const char *line, yoke_err *err)
{
    char *end = NULL;
    const long number = strtol(line, &end, 10); /* "   12 : s1 ..." */

    if (number < 2 || strncmp(end, " : ", 3) != 0) return YOKE_OK; /* title */
    const char *name = end + 3;
    const size_t length = strcspn(name, " \t");
    const char *rest = name + length, *sign = strchr(rest, '=');

    if (tolower((unsigned char)*name) == 'a') w->events = true;
    if (tolower((unsigned char)*name) == 's' ||
        tolower((unsigned char)*name) == 'w')
        return watch(w, name, length, "i", "p", err);
    if (tolower((unsigned char)*name) != 'b' || !sign || !may_jump(sign + 1))
        return YOKE_OK;
    while (sign > rest && isspace((unsigned char)sign[-1])) sign--;
    const bool current = sign > rest && tolower((unsigned char)sign[-1]) == 'i';
    return watch(w, name, length, current ? "i" : "v", NULL, err);
}

void yk_ng_watch_clear(yk_ng_watch *w)
{
    yk_free(w->device);
    *w = (yk_ng_watch){ 0 };
}

/* ---- jumps ------------------------------------------------------------- */

/* ngspice keeps what it is asked for as a vector of the plot, and would answer
 * the same the next time. */
static double ask(const yk_ng_library *ng, char *name)
{
    char text[YK_NG_WATCHED_NAME + 8];
    const yk_ng_vector *v = ng->vector(name);
    const double value = v && v->real && v->length > 0 ? v->real[0] : NAN;

    snprintf(text, sizeof text, "unlet %s", name);
    ng->command(text);
    return value;
}

/* NAN: no current flows, or ngspice does not tell. */
static double value_of(const yk_ng_library *ng, yk_ng_watched *d)
{
    const double first = ask(ng, d->first);

    if (!d->second[0]) return first;
    const double power = ask(ng, d->second), square = first * first;
    return square > 0.0 && power > 0.0 ? square / power : NAN;
}

/* In a plot of their own: that of the run has its vectors. */
static void ask_all(yk_ng_watch *w, const yk_ng_library *ng)
{
    static char ours[] = "setplot const";
    char theirs[100];

    snprintf(theirs, sizeof theirs, "setplot %.80s", ng->plot());
    ng->command(ours);
    for (int i = 0; i < w->count; i++)
        w->device[i].trial = value_of(ng, &w->device[i]);
    ng->command(theirs);
}

static bool jumps(const yk_ng_watch *w, const yk_ng_watched *d, double rtol,
                  double t)
{
    if (isnan(d->trial) || isnan(d->value)) return false;
    if (d->second[0])
        return fabs(d->trial - d->value) >
               YK_NGSPICE_SWITCH * fmax(d->trial, d->value);
    /* The line is of second order, and a step is accurate where that term is
     * about the root of the tolerance. */
    const double size = fmax(d->size, fabs(d->trial));
    double line = d->value;

    if (!isnan(d->before) && w->t > w->before)
        line += (d->value - d->before) * (t - w->t) / (w->t - w->before);
    return fmin(fabs(d->trial - line), fabs(d->trial - d->value)) >
           sqrt(rtol) * size;
}

static void keep(yk_ng_watch *w, double t)
{
    for (int i = 0; i < w->count; i++) {
        yk_ng_watched *d = &w->device[i];

        if (isnan(d->trial)) continue;
        d->before = w->jumped ? NAN : d->value;
        d->value = d->trial;
        d->size = fmax(d->size, fabs(d->trial));
    }
    w->before = w->t;
    w->t = t;
    w->until = INFINITY;
}

void yk_ng_watch_begin(yk_ng_watch *w)
{
    w->jumped = false;
    w->until = INFINITY;
}

bool yk_ng_watch_searches(const yk_ng_watch *w)
{
    return w->count > 0 && isfinite(w->until);
}

/* Half of what is left; at last behind it, where the device has jumped for
 * certain.  Just before it, the state of a switch may be that of a step which was
 * not accepted, since ngspice begins there. */
static double next_step(const yk_ng_watch *w, double left)
{
    return left > w->fine ? 0.5 * left : left + w->fine;
}

double yk_ng_watch_limit(const yk_ng_watch *w, double t, double step)
{
    const double left = w->until - t;

    if (w->count == 0 || (step < left && left > w->fine)) return step;
    return next_step(w, left);
}

bool yk_ng_watch_close(const yk_ng_watch *w, double times)
{
    return yk_ng_watch_searches(w) && w->until - w->t <= times * w->fine;
}

/* A device that falls back at once, and jumps again, chatters: those are no
 * instants.  ngspice forgets the state of a switch with hysteresis if it comes
 * back between both thresholds a few steps after it has changed. */
static void count_jumps(yk_ng_watch *w, double rtol, double t, double least)
{
    for (int i = 0; i < w->count; i++) {
        yk_ng_watched *d = &w->device[i];

        if (!jumps(w, d, rtol, t)) continue;
        d->soon = t - d->last < YK_NGSPICE_SOON * least ? d->soon + 1 : 0;
        d->last = w->last = t;
        if (d->soon > YK_NGSPICE_CHATTER) w->chatters = true;
    }
}

/* Is there a jump in the step of length `old` to t? */
static bool look(yk_ng_watch *w, const yk_ng_library *ng, double rtol, double t,
                 double old, double least)
{
    bool found = false;

    ask_all(w, ng);
    for (int i = 0; i < w->count; i++)
        found = found || jumps(w, &w->device[i], rtol, t);
    if (isinf(w->until)) {
        w->longest = old;
        w->fine = fmax(least, YK_NGSPICE_INSTANT * rtol * old);
    }
    return found;
}

void yk_ng_watch_rejected(yk_ng_watch *w, const yk_ng_library *ng, double rtol,
                          double t, double old, double least, double *step)
{
    if (w->count == 0 || w->events || w->chatters) return;
    if (!look(w, ng, rtol, t + old, old, least) || t + old >= w->until) return;
    w->until = t + old;
    *step = next_step(w, old);
}

bool yk_ng_watch_accepts(yk_ng_watch *w, const yk_ng_library *ng, double rtol,
                         double t, double old, double least, double *step)
{
    w->jumped = false;
    if (w->count == 0 || w->events || w->chatters) return true;
    const bool found = look(w, ng, rtol, t, old, least);
    const double until = w->until;

    if (found && (t < until || old > 2.0 * w->fine)) {
        w->until = t;
        *step = next_step(w, old);
        return false;
    }
    w->jumped = found;
    if (found) count_jumps(w, rtol, t, least);
    keep(w, t);
    if (!found && until > t) w->until = until; /* it is still ahead */
    return true;
}
