/* comp/netlist/ngspice/engine.c -- a netlist in ngspice over a window.
 *
 * ngspice runs one transient analysis from beginning to end, in this process and
 * thread.  It asks for the values of sources at any time, which are the inputs;
 * it is told where the window ends, lands there, and pauses because a source
 * that we drive says so.  `resume` is the next window.  It cannot go back: a
 * sweep runs in a copy of the process (part/serve.c).
 */
#define _GNU_SOURCE
#include "base/text.h"
#include "comp/netlist/ngspice/engine.h"
#include "base/bytes.h"
#include "comp/closed/subsystem.h"
#include "comp/netlist/ngspice/deck.h"
#include "comp/netlist/ngspice/library.h"
#include "comp/netlist/ngspice/policy.h"
#include "comp/netlist/ngspice/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NAME = 200, SAID = 400, MOST_MIB = 64, INSTANTS = 4096 };

typedef struct output {
    char vector[NAME]; /* in ngspice */
    char name[NAME];   /* for messages */
    double factor;
} output;

/* Instants of jumps in a window, of this sweep and the one before.  All copies
 * of the process see them. */
typedef struct jumps {
    double begin; /* of the window */
    int now, last;
    double t[INSTANTS], before[INSTANTS];
} jumps;

typedef struct circuit {
    yk_ng_library ng;
    yk_ng_watch watch;
    jumps *jumps;
    bool listing; /* what is printed is the netlist */
    int m, p;
    char (*source)[NAME]; /* of each input, in lower case */
    output *output;
    yk_ng_set *set;
    int sets;
    char **line; /* ours */
    int lines;
    char *path;
    double rtol, atol, span, longest;

    /* While ngspice runs. */
    double t, t1;       /* accepted; end of the sweep */
    const yk_wave *u;   /* NULL: u0 */
    double *u0, *u_end; /* inputs at t, at t1 */
    double *value, at;
    double most; /* step */
    bool arrived;
    bool pause, paused;              /* at the next point; at the last one */
    yk_closed_points points, smooth; /* as they came, with corners split */
    int *corner, corners;            /* points at which something begins */
    size_t corner_room;
    double *y, *y_end;
    int steps;
    char first[SAID], last[SAID]; /* errors of ngspice */
    yoke_work work;
} circuit;

/* ---- what ngspice calls ------------------------------------------------ */

/* Lines of pauses are ours. */
static bool is_ours(const char *text)
{
    return strstr(text, "condition met") || strstr(text, "pause requested") ||
           strstr(text, "simulation interrupted");
}

static int print(char *text, int id, void *context)
{
    circuit *c = context;
    const char *line = text;

    (void)id;
    if (strncmp(line, "stdout ", 7) == 0 || strncmp(line, "stderr ", 7) == 0)
        line += 7;
    if (c->listing) return yk_ng_watch_line(&c->watch, line, NULL) != YOKE_OK;
    if (is_ours(line) || !line[0]) return 0;
    printf("%s\n", line);
    if (strncmp(text, "stderr ", 7) != 0) return 0;
    if (strncasecmp(line, "note", 4) == 0) return 0;
    snprintf(c->last, SAID, "%s", line);
    if (c->first[0] || strstr(line, "rror") || strstr(line, "too small"))
        yk_append(c->first, SAID, "%s%s", c->first[0] ? "; " : "", line);
    return 0;
}

static int status_line(char *text, int id, void *context)
{
    (void)text, (void)id, (void)context;
    return 0;
}

static int quit(int status, bool at_once, bool asked, int id, void *context)
{
    (void)at_once, (void)asked, (void)id, (void)context;
    printf("ngspice ends itself with status %d\n", status);
    fflush(stdout);
    _exit(3);
}

static int begin(void *about, int id, void *context)
{
    (void)about, (void)id, (void)context;
    return 0;
}

static int thread(bool running, int id, void *context)
{
    (void)running, (void)id, (void)context;
    return 0;
}

static const yk_ng_value *find_value(const yk_ng_point *p, const char *name)
{
    const size_t length = strlen(name);

    for (int i = 0; i < p->count; i++) {
        const char *there = p->value[i]->name;

        if (strcasecmp(there, name) == 0) return p->value[i];
        if (strncasecmp(there, "v(", 2) == 0 && strlen(there) == length + 3 &&
            strncasecmp(there + 2, name, length) == 0)
            return p->value[i];
    }
    return NULL;
}

static double near(const circuit *c)
{
    return YK_NGSPICE_NEAR * (c->t1 - c->t);
}

static void add_corner(circuit *c, int i)
{
    if (c->corners > 0 && c->corner[c->corners - 1] == i) return;
    if (YK_GROW(&c->corner, &c->corner_room, c->corners + 1, NULL) == YOKE_OK)
        c->corner[c->corners++] = i;
}

/* After a breakpoint ngspice starts again, with a step that has nothing to do
 * with the last one; otherwise the next step is 0.9 to 2 times as long.  The
 * step is looked at before it is tried, and, as it may be shortened again, when
 * it is accepted. */
static void see_corner(circuit *c, double step)
{
    const yk_closed_points *s = &c->points;
    const int last = s->count - 1;

    if (last < 1 || yk_ng_watch_searches(&c->watch)) return;
    const double ratio = step / (s->t[last] - s->t[last - 1]);
    if (ratio > YK_NGSPICE_SHORTER && ratio < YK_NGSPICE_LONGER) return;
    add_corner(c, last);
}

/* The same jump has the same instant in the sweep before, if that is near. */
static double same_instant(circuit *c, double t)
{
    jumps *j = c->jumps;
    double least = YK_NGSPICE_SAME * c->rtol * c->watch.longest, out = t;

    for (int i = 0; i < j->last; i++)
        if (fabs(j->before[i] - t) <= least) {
            least = fabs(j->before[i] - t);
            out = j->before[i];
        }
    if (j->now < INSTANTS) j->t[j->now++] = out;
    return out;
}

/* Where the waveform jumps that has the point t behind the jump: the point
 * before it is moved there, too. */
static double jump_at(circuit *c, double t)
{
    yk_closed_points *s = &c->points;
    const int last = s->count - 1;
    const double least = last > 0 ? s->t[last - 1] : c->t1;
    double at = same_instant(c, s->t[last]);

    if (t == c->t1) at = t;
    if (at > least && at <= c->t1) s->t[last] = at;
    return s->t[last];
}

/* A point is accepted. */
static int data(yk_ng_point *p, int count, int id, void *context)
{
    circuit *c = context;
    double t = NAN, *y = NULL;
    const int had = c->points.count;

    (void)count, (void)id;
    for (int i = 0; i < p->count; i++)
        if (p->value[i]->is_scale) t = p->value[i]->re;
    if (!c->u && had > 0) return 0; /* the start is one point */
    if (!c->u || c->t1 - t <= near(c)) t = c->t1;
    if (!(t >= c->t)) return 0;
    if (c->u && had > 0 && c->watch.jumped)
        t = jump_at(c, t);
    else if (had > 0 && t <= c->points.t[had - 1])
        return 0;
    if (c->u && had > 0) see_corner(c, t - c->points.t[had - 1]);
    if (yk_closed_points_add(&c->points, t, &y, NULL) != YOKE_OK) return 0;
    for (int k = 0; k < c->p; k++) {
        const yk_ng_value *v = find_value(p, c->output[k].vector);

        y[k] = v ? c->output[k].factor * v->re : NAN;
    }
    c->arrived = c->t1 - t <= near(c);
    c->work.steps++;
    return 0;
}

static int source(double *value, double t, char *name, int id, void *context)
{
    circuit *c = context;

    (void)id;
    *value = 0.0;
    if (strcasecmp(name, YK_NG_FLAG_V) == 0) {
        *value = t >= c->t1 - near(c) || c->pause ? 1.0 : 0.0;
        return 0;
    }
    if (c->u && t != c->at) {
        yk_wave_eval(c->u, fmin(fmax(t, c->t), c->t1), NULL, c->value);
        c->at = t;
    }
    /* At its beginning a run is at the operating point, whatever the inputs are
     * behind it. */
    const double *now = c->u && t > 0.0 ? c->value : c->u0;
    for (int k = 0; k < c->m; k++)
        if (strcasecmp(name, c->source[k]) == 0) *value = now[k];
    return 0;
}

/* Behind a step that ngspice accepts: no jump may be in it. */
static int check_step(circuit *c, double t, double old, double *step,
                      bool again)
{
    const double least = YK_NGSPICE_TIME * fmax(c->span, c->t1);

    if (!c->u) return 0;
    if (again) {
        yk_ng_watch_rejected(&c->watch, &c->ng, c->rtol, t, old, least, step);
        return 0;
    }
    if (!yk_ng_watch_accepts(&c->watch, &c->ng, c->rtol, t, old, least, step))
        return 1;
    if (c->watch.jumped) c->ng.breakpoint(t);
    c->paused = c->pause;
    return 0;
}

/* Before a step: no longer than permitted, and to the end of the window, the
 * last two of equal length so that none is tiny. */
static int sync_step(double t, double *step, double old, int again, int id,
                     int place, void *context)
{
    circuit *c = context;

    (void)id;
    c->work.residuals++;
    if (again) c->work.rejected++;
    if (place != 0) return check_step(c, t, old, step, again);
    see_corner(c, *step);
    const double left = c->t1 - t;
    *step = yk_ng_watch_limit(&c->watch, t, fmin(*step, c->most));
    c->pause = yk_ng_watch_close(&c->watch, YK_NGSPICE_CLOSE);
    if (left <= 0.0) return 0;
    if (*step >= left * (1.0 - 1e-9))
        *step = left;
    else if (2.0 * *step > left)
        *step = 0.5 * left;
    return 0;
}

/* ---- commands ---------------------------------------------------------- */

static void command(circuit *c, const char *format, double value)
{
    char text[300];

    snprintf(text, sizeof text, format, value);
    c->ng.command(text);
}

static yoke_status tell(const circuit *c, yoke_status status, const char *what,
                        yoke_err *err)
{
    yk_fail(err, status, "ngspice %s", what);
    if (c->first[0] || c->last[0])
        yk_suffix(err, ": %.400s", c->first[0] ? c->first : c->last);
    return status;
}

/* What is asked for at n. */
static double reltol_of(const circuit *c)
{
    const double n = c->steps;

    return fmin(c->rtol, YK_NGSPICE_MOST) / (n * n * n);
}

static void set_tolerances(circuit *c, double step_error)
{
    const double reltol = reltol_of(c);
    const double least = fmax(0.1 * c->atol, YK_NGSPICE_LEAST);

    command(c, "option reltol=%.17g", reltol);
    command(c, "option trtol=%.17g", step_error);
    command(c, "option vntol=%.17g", fmin(YK_NGSPICE_VOLT * reltol, least));
    command(c, "option abstol=%.17g", fmin(YK_NGSPICE_AMPERE * reltol, least));
    command(c, "option chgtol=%.17g", YK_NGSPICE_COULOMB * reltol);
}

static bool differ(const circuit *c, const double *a, const double *b)
{
    for (int k = 0; k < c->m; k++)
        if (fabs(a[k] - b[k]) > c->rtol * fmax(fabs(a[k]), fabs(b[k])))
            return true;
    return false;
}

/* Jumps of the inputs, at the beginning of the window too: the rule of second
 * order would take the mean of both sides. */
static void set_breakpoints(circuit *c, const yk_wave *u)
{
    double *right = c->value + c->m;

    yk_wave_eval_right(u, c->t, NULL, right);
    if (differ(c, c->u0, right)) {
        c->ng.breakpoint(c->t);
        add_corner(c, 0);
    }
    for (int i = 1; i < yk_wave_pieces(u); i++) {
        const double t = yk_wave_knot(u, i);

        yk_wave_eval(u, t, NULL, c->value);
        yk_wave_eval_right(u, t, NULL, right);
        if (t > c->t && t < c->t1 && differ(c, c->value, right))
            c->ng.breakpoint(t);
    }
}

/* All outputs of the points are there. */
static yoke_status check_points(const circuit *c, yoke_err *err)
{
    for (int i = 0; i < c->points.count; i++)
        for (int k = 0; k < c->p; k++)
            if (isnan(c->points.y[(size_t)i * (size_t)c->p + (size_t)k]))
                return yk_fail(err, YOKE_E_ARG,
                               "ngspice does not give \"%s\" (its vector "
                               "\"%s\") at t = %.9g; is there such a node or "
                               "element in %.200s?",
                               c->output[k].name, c->output[k].vector,
                               c->points.t[i], c->path);
    return YOKE_OK;
}

/* ---- corners ----------------------------------------------------------- */

/* What three points behind point i say of output k at its time, if straight
 * lines and parabolas agree about a jump there; otherwise its own value. */
static double right_value(const circuit *c, int i, int k)
{
    const yk_closed_points *s = &c->points;
    const size_t p = (size_t)s->p;
    const double *t = s->t + i, *y = s->y + (size_t)i * p + (size_t)k;
    const double d1 = (y[2 * p] - y[p]) / (t[2] - t[1]);
    const double d2 = (y[3 * p] - y[2 * p]) / (t[3] - t[2]);
    const double bend = (d2 - d1) / (t[3] - t[1]);
    const double line = y[p] + d1 * (t[0] - t[1]);
    const double curve = line + bend * (t[0] - t[1]) * (t[0] - t[2]);
    const double jump = fabs(curve - y[0]);

    /* Points that are close together say nothing far away. */
    if (t[1] - t[0] > YK_NGSPICE_FAR * (t[2] - t[1])) return y[0];
    if (jump <= c->atol + c->rtol * fmax(fabs(y[0]), fabs(curve))) return y[0];
    return fabs(curve - line) <= YK_NGSPICE_AGREE * jump ? curve : y[0];
}

/* Points at corners are there twice: before and behind. */
static yoke_status split_corners(circuit *c, yoke_err *err)
{
    const yk_closed_points *s = &c->points;
    const size_t p = (size_t)s->p;
    double *y = NULL;

    yk_closed_points_reset(&c->smooth);
    for (int i = 0, k = 0; i < s->count; i++) {
        YK_TRY(yk_closed_points_add(&c->smooth, s->t[i], &y, err));
        memcpy(y, s->y + (size_t)i * p, p * sizeof *y);
        while (k < c->corners && c->corner[k] < i) k++;
        /* The step before a breakpoint is cut, too; the next one is it. */
        if (k == c->corners || c->corner[k] != i || i + 3 >= s->count ||
            (i > 0 && k + 1 < c->corners && c->corner[k + 1] == i + 1))
            continue;
        if (i == 0 || s->t[i] > s->t[i - 1])
            YK_TRY(yk_closed_points_add(&c->smooth, s->t[i], &y, err));
        for (size_t j = 0; j < p; j++) y[j] = right_value(c, i, (int)j);
    }
    return YOKE_OK;
}

/* ---- the propagator ---------------------------------------------------- */

static yoke_status circuit_start(void *self, double t0, const double *x0,
                                 const double *u0, double *y0, yoke_err *err)
{
    circuit *c = self;

    (void)x0;
    if (t0 != 0.0)
        return yk_fail(err, YOKE_E_ARG,
                       "ngspice begins at t = 0, and the run at %.9g", t0);
    c->t = c->t1 = 0.0;
    if (c->m) memcpy(c->u0, u0, (size_t)c->m * sizeof *u0);
    c->u = NULL;
    c->most = INFINITY;
    c->steps = 1;
    yk_closed_points_reset(&c->points);
    set_tolerances(c, YK_NGSPICE_STEP_ERROR);
    command(c, "run", 0.0);
    if (c->points.count == 0)
        return tell(c, YOKE_E_MODEL, "found no operating point", err);
    YK_TRY(check_points(c, err));
    memcpy(c->y, c->points.y, (size_t)c->p * sizeof *y0);
    memcpy(y0, c->y, (size_t)c->p * sizeof *y0);
    return YOKE_OK;
}

/* To the end of the window.  The step with a jump in it is as short as it can
 * be, so no error of it counts: ngspice would shorten it for ever. */
static void resume(circuit *c)
{
    for (bool again = true; again;
         again = c->paused && !c->arrived && !c->watch.chatters) {
        c->pause = c->paused = false;
        if (c->watch.count > 0)
            set_tolerances(c, yk_ng_watch_close(&c->watch, 1.0)
                                  ? YK_NGSPICE_ANY_ERROR
                                  : YK_NGSPICE_STEP_ERROR);
        command(c, "resume", 0.0);
    }
}

/* A sweep begins: what was found by the one before is remembered. */
static void begin_jumps(circuit *c)
{
    jumps *j = c->jumps;

    j->last = j->begin == c->t ? j->now : 0;
    memcpy(j->before, j->t, (size_t)j->last * sizeof *j->t);
    j->now = 0;
    j->begin = c->t;
}

static yoke_status circuit_sweep(void *self, double t1, const yk_wave *u,
                                 yk_wave *y, yoke_err *err)
{
    circuit *c = self;
    double *first = NULL;
    char what[100];

    if (reltol_of(c) < YK_NGSPICE_LEAST)
        return yk_fail(err, YOKE_RETRY,
                       "ngspice cannot be more accurate than with reltol = "
                       "%.1g, which is not enough for [%.9g, %.9g]; take a "
                       "larger rtol",
                       YK_NGSPICE_LEAST, c->t, t1);
    c->work.sweeps++;
    c->t1 = t1;
    c->u = u;
    c->at = NAN;
    c->most = fmin(c->longest, t1 - c->t) / (c->steps + YK_NGSPICE_APART);
    begin_jumps(c);
    yk_ng_watch_begin(&c->watch);
    c->arrived = false;
    c->corners = 0;
    c->first[0] = c->last[0] = '\0';
    yk_closed_points_reset(&c->points);
    YK_TRY(yk_closed_points_add(&c->points, c->t, &first, err));
    memcpy(first, c->y, (size_t)c->p * sizeof *first);
    set_tolerances(c, YK_NGSPICE_STEP_ERROR);
    if (c->t == 0.0) add_corner(c, 0);
    if (c->m > 0) set_breakpoints(c, u);
    resume(c);
    const int last = c->points.count - 1;
    if (c->watch.chatters)
        return yk_fail(err, YOKE_RETRY,
                       "a switch or comparator of %.300s opens and closes "
                       "again and again in ngspice near t = %.9g; leave out "
                       "engine: ngspice, or give it another threshold",
                       c->path, c->watch.last);
    if (!c->arrived) {
        snprintf(what, sizeof what, "comes no farther than t = %.9g",
                 c->points.t[last]);
        return tell(c, YOKE_RETRY, what, err);
    }
    YK_TRY(check_points(c, err));
    memcpy(c->y_end, c->points.y + (size_t)last * (size_t)c->p,
           (size_t)c->p * sizeof *first);
    if (c->m > 0) yk_wave_eval(u, t1, NULL, c->u_end);
    YK_TRY(split_corners(c, err));
    return yk_closed_points_wave(&c->smooth, y, err);
}

static yoke_status circuit_accept(void *self, yoke_err *err)
{
    circuit *c = self;

    (void)err;
    c->t = c->t1;
    memcpy(c->y, c->y_end, (size_t)c->p * sizeof *c->y);
    memcpy(c->u0, c->u_end, (size_t)c->m * sizeof *c->u0);
    return YOKE_OK;
}

static int circuit_instants(void *self, const double **t)
{
    const circuit *c = self;

    *t = c->smooth.instant;
    return c->smooth.instants;
}

static void circuit_work(void *self, yoke_work *work)
{
    const circuit *c = self;

    *work = c->work;
}

static void circuit_free(void *self)
{
    circuit *c = self;

    if (!c) return;
    yk_closed_points_clear(&c->points);
    yk_closed_points_clear(&c->smooth);
    yk_ng_watch_clear(&c->watch);
    if (c->jumps) munmap(c->jumps, sizeof *c->jumps);
    yk_free(c->corner);
    for (int i = 0; i < c->sets; i++) {
        YK_FREE((void *)(size_t)c->set[i].name,
                (void *)(size_t)c->set[i].value);
    }
    for (int i = 0; i < c->lines; i++) yk_free(c->line[i]);
    YK_FREE(c->source, c->output, c->set, c->line, c->path, c->u0, c->u_end,
            c->value, c->y, c->y_end, c);
}

static const yk_propagator_ops circuit_ops = {
    .kind = "netlist in ngspice",
    .start = circuit_start,
    .sweep = circuit_sweep,
    .accept = circuit_accept,
    .instants = circuit_instants,
    .work = circuit_work,
    .free = circuit_free,
};

static void divide(void *self, int steps)
{
    circuit *c = self;

    c->steps = steps > 0 ? steps : 1;
}

/* ---- settings ---------------------------------------------------------- */

static yoke_status add_line(circuit *c, yoke_err *err, const char *format,
                            const char *a, const char *b)
{
    char text[2 * NAME + 100];

    snprintf(text, sizeof text, format, a, b);
    return yk_copy_text(&c->line[c->lines++], text, err);
}

/* source ELEMENT | into NODE | v NODE */
static yoke_status add_input(circuit *c, const char *what, yoke_err *err)
{
    char *name = c->source[c->m++];

    if (strncmp(what, "source ", 7) == 0) {
        snprintf(name, NAME, "%s", what + 7);
        return YOKE_OK;
    }
    const bool current = strncmp(what, "into ", 5) == 0;
    const char *node = what + (current ? 5 : 2);
    snprintf(name, NAME, "%cyk%d", current ? 'i' : 'v', c->m);
    return current ? add_line(c, err, "%s 0 %s external 0", name, node)
                   : add_line(c, err, "%s %s 0 external 0", name, node);
}

/* The source that drives the node by a voltage. */
static const char *driver(const circuit *c, const yk_part_spec *spec,
                          const char *node)
{
    int k = 0;

    for (int i = 0; i < spec->settings; i++) {
        if (strncmp(spec->key[i], "in:", 3) != 0) continue;
        if (strncmp(spec->value[i], "v ", 2) == 0 &&
            strcmp(spec->value[i] + 2, node) == 0)
            return c->source[k];
        k++;
    }
    return "";
}

/* What is kept, in the words of .save. */
static yoke_status save_vector(circuit *c, const char *vector, yoke_err *err)
{
    const char *branch = strstr(vector, "#branch");
    char name[NAME];

    snprintf(name, sizeof name, "%.*s",
             (int)(branch ? (size_t)(branch - vector) : strlen(vector)),
             vector);
    if (vector[0] == '@') return add_line(c, err, ".save %s%s", name, "");
    return add_line(c, err, ".save %s(%s)", branch ? "i" : "v", name);
}

/* vector NAME | into NODE */
static yoke_status add_output(circuit *c, const yk_part_spec *spec,
                              const char *name, const char *what, yoke_err *err)
{
    output *o = &c->output[c->p++];

    o->factor = 1.0;
    snprintf(o->name, NAME, "%s", name);
    if (strncmp(what, "into ", 5) == 0) {
        o->factor = -1.0;
        snprintf(o->vector, NAME, "%s#branch", driver(c, spec, what + 5));
    } else
        snprintf(o->vector, NAME, "%s", what + 7);
    return save_vector(c, o->vector, err);
}

static yoke_status add_set(circuit *c, const char *name, const char *value,
                           yoke_err *err)
{
    char *copy = NULL;
    yk_ng_set *s = &c->set[c->sets++];

    YK_TRY(yk_copy_text(&copy, name, err));
    s->name = copy;
    copy = NULL;
    YK_TRY(yk_copy_text(&copy, value, err));
    s->value = copy;
    return YOKE_OK;
}

static yoke_status read_settings(circuit *c, const yk_part_spec *spec,
                                 yoke_err *err)
{
    const char *path = yk_part_setting(spec, "netlist");
    const size_t room = (size_t)spec->settings + 2;

    if (!path) return yk_fail(err, YOKE_E_ARG, "no netlist");
    YK_TRY(yk_copy_text(&c->path, path, err));
    YK_TRY(YK_NEW(&c->source, spec->m + 1, err));
    YK_TRY(YK_NEW(&c->output, spec->p + 1, err));
    YK_TRY(YK_NEW(&c->set, room, err));
    YK_TRY(YK_NEW(&c->line, 2 * room, err));
    for (int i = 0; i < spec->settings; i++)
        if (strncmp(spec->key[i], "in:", 3) == 0 && c->m < spec->m)
            YK_TRY(add_input(c, spec->value[i], err));
    for (int i = 0; i < spec->settings; i++)
        if (strncmp(spec->key[i], "out:", 4) == 0 && c->p < spec->p)
            YK_TRY(add_output(c, spec, spec->key[i] + 4, spec->value[i], err));
    for (int i = 0; i < spec->settings; i++)
        if (strncmp(spec->key[i], "set:", 4) == 0)
            YK_TRY(add_set(c, spec->key[i] + 4, spec->value[i], err));
    c->rtol = yk_closed_number(spec, "tolerance", 1e-6);
    c->atol = yk_closed_number(spec, "absolute", 1e-6);
    c->span = yk_closed_number(spec, "span", 0.0);
    c->longest = yk_closed_number(spec, "longest", INFINITY);
    if (c->m == spec->m && c->p == spec->p) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG, "%d inputs and %d outputs", c->m, c->p);
}

/* ---- life -------------------------------------------------------------- */

/* Relative paths of .include are those of the netlist. */
static void go_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];

    if (!slash) return;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    if (chdir(folder) != 0) printf("cannot go to %s\n", folder);
}

static yoke_status load(circuit *c, yoke_err *err)
{
    yk_ng_wish wish = { .path = c->path,
                        .sources = 0,
                        .sets = c->sets,
                        .set = c->set,
                        .lines = c->lines,
                        .line = (const char *const *)c->line,
                        .span = c->span };
    const char **sources = NULL;
    yk_ng_deck deck = { 0 };
    char *text = NULL;
    size_t length = 0;
    yoke_status status;

    YK_GO(YK_NEW(&sources, c->m + 1, err));
    for (int k = 0; k < c->m; k++)
        if (strncmp(c->source[k], "iyk", 3) && strncmp(c->source[k], "vyk", 3))
            sources[wish.sources++] = c->source[k];
    wish.source = sources;
    YK_GO(yk_bytes_read(&text, &length, c->path, MOST_MIB, err));
    YK_GO(yk_ng_deck_make(&deck, text, &wish, err));
    go_beside(c->path);
    for (int i = 0; i < deck.before.count; i++)
        c->ng.command(deck.before.at[i]);
    if (c->ng.circuit(deck.line) != 0)
        status = tell(c, YOKE_E_MODEL, "does not take the netlist", err);
done:
    yk_ng_deck_clear(&deck);
    YK_FREE(sources, text);
    return status;
}

static yoke_status begin_ngspice(circuit *c, yoke_err *err)
{
    char text[2 * NAME];
    int id = 0;

    YK_TRY(yk_ng_open(&c->ng, err));
    if (c->ng.init(print, status_line, quit, data, begin, thread, c) != 0 ||
        c->ng.init_sync(source, source, sync_step, &id, c) != 0)
        return yk_fail(err, YOKE_E_MISSING, "ngspice does not begin");
    command(c, "set num_threads=1", 0.0);
    c->first[0] = c->last[0] = '\0';
    YK_TRY(load(c, err));
    for (int i = 0; i < c->sets; i++) {
        if (!c->set[i].is_element) continue;
        snprintf(text, sizeof text, "alter %.100s = %.60s", c->set[i].name,
                 c->set[i].value);
        c->ng.command(text);
    }
    snprintf(text, sizeof text, "stop when %s > 0.5", YK_NG_FLAG);
    c->ng.command(text);
    c->listing = true;
    command(c, "listing expand", 0.0);
    c->listing = false;
    return YOKE_OK;
}

static yoke_status share_jumps(circuit *c, yoke_err *err)
{
    void *at = mmap(NULL, sizeof *c->jumps, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED)
        return yk_fail(err, YOKE_E_MEMORY, "no memory for instants");
    c->jumps = at;
    c->jumps->begin = NAN;
    return YOKE_OK;
}

yoke_status yk_ngspice_make(const yk_part_spec *spec, yk_part_engine *out,
                            yoke_err *err)
{
    circuit *c = NULL;
    yoke_status status;
    const size_t m = (size_t)spec->m + 1, p = (size_t)spec->p + 1;

    YK_TRY(YK_NEW(&c, 1, err));
    c->steps = 1;
    YK_GO(read_settings(c, spec, err));
    YK_GO(YK_DOUBLES(2 * m, err, &c->u0, &c->u_end, &c->value));
    YK_GO(YK_DOUBLES(p, err, &c->y, &c->y_end));
    YK_GO(yk_closed_points_create(&c->points, spec->p, err));
    YK_GO(yk_closed_points_create(&c->smooth, spec->p, err));
    YK_GO(add_line(c, err, ".save %s(%s)", "v", YK_NG_FLAG));
    YK_GO(share_jumps(c, err));
    YK_GO(begin_ngspice(c, err));
    *out = (yk_part_engine){
        .propagator = { .ops = &circuit_ops,
                        .self = c,
                        .m = spec->m,
                        .p = spec->p },
        .divide = divide,
        .halves = true,
    };
    return YOKE_OK;
done:
    circuit_free(c);
    return status;
}
