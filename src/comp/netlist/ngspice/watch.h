/* comp/netlist/ngspice/watch.h -- finds the instants at which devices jump.
 *
 * ngspice does not look for the instant at which a switch opens or a comparator
 * tips over: it sees it at the end of a step that was chosen for other reasons.
 * So switches and sources with relations are watched.  A step in which one of
 * them jumps is repeated with half its length, until it is so short that nobody
 * cares where in it the jump was.
 */
#ifndef YK_NGSPICE_WATCH_H
#define YK_NGSPICE_WATCH_H

#include "comp/netlist/ngspice/library.h"

enum { YK_NG_WATCHED_NAME = 220 };

typedef struct yk_ng_watched {
    char first[YK_NG_WATCHED_NAME];  /* vector; of a switch: its current */
    char second[YK_NG_WATCHED_NAME]; /* its power, or "" */
    double value, before, size; /* at the last two points; the largest ever */
    double trial;               /* at the end of the step that is tried */
    double last;                /* jump */
    int soon;                   /* jumps that followed each other at once */
} yk_ng_watched;

typedef struct yk_ng_watch {
    int count;
    yk_ng_watched *device;
    size_t room;
    bool events; /* there are devices that must not be disturbed */

    double t, before; /* of the last two points; NAN: none */
    double until;     /* a jump is not behind it; INFINITY: none was seen */
    double longest;   /* step in which it was seen */
    double fine;      /* it is not searched for in steps shorter than this */
    double last;      /* jump */
    bool chatters;    /* a device jumps to and fro */
    bool jumped;      /* in the step that was accepted last */
} yk_ng_watch;

/* A line of the netlist without subcircuits, as `listing expand` prints it. */
yoke_status yk_ng_watch_line(yk_ng_watch *w, const char *line, yoke_err *err);
void yk_ng_watch_clear(yk_ng_watch *w);

/* A sweep begins. */
void yk_ng_watch_begin(yk_ng_watch *w);

/* The step that comes next, from t, while a jump is searched for. */
double yk_ng_watch_limit(const yk_ng_watch *w, double t, double step);

/* Is a jump searched for? */
bool yk_ng_watch_searches(const yk_ng_watch *w);

/* Is it known to this many times the least step? */
bool yk_ng_watch_close(const yk_ng_watch *w, double times);

/* ngspice repeats a step from t, which had the length `old`.  If a jump is in
 * it, it is searched for, and *step is the next one to try. */
void yk_ng_watch_rejected(yk_ng_watch *w, const yk_ng_library *ng, double rtol,
                          double t, double old, double least, double *step);

/* A step that ngspice would accept was made to t: is it?  `least`: steps not
 * longer than that are.  Otherwise *step is the next one to try. */
bool yk_ng_watch_accepts(yk_ng_watch *w, const yk_ng_library *ng, double rtol,
                         double t, double old, double least, double *step);

#endif
