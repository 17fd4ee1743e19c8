/* part/part.h -- closed parts: subsystems in processes of their own.
 *
 *     yoke  <-- socket: control; shared memory: waveforms -->  yoke-worker
 *
 * A part that cannot be opened is an engine: a propagator that a worker makes.
 * Here it is a propagator like any other.  One exchange per sweep takes the
 * inputs over and brings the outputs back.  A part that crashes, exits or hangs
 * takes nothing with it: the sweep fails with what is known of its death.
 *
 * Every sweep of a window begins at the same state, by the best way there is:
 *
 *     state    the engine goes back by itself;
 *     fork     the worker holds the state of the window's beginning, each sweep
 *              runs in a copy of it, and the accepted copy takes its place;
 *     replay   a new worker repeats all windows accepted so far.
 */
#ifndef YK_PART_H
#define YK_PART_H

#include "base/base.h"
#include "sys/propagator.h"

#include <sys/types.h>

/* How a part goes back to the beginning of a window. */
typedef enum yk_part_way {
    YK_PART_BY_STATE,
    YK_PART_BY_FORK,
    YK_PART_BY_REPLAY
} yk_part_way;

/* What a worker is to make, and what it may use.  Texts are copied. */
typedef struct yk_part_spec {
    const char *name; /* of the part, for messages */
    const char *kind; /* of the engine, see yk_part_maker */
    int settings;
    const char *const *key, *const *value;
    int m, p;    /* inputs, outputs */
    double rtol; /* tolerance of the outputs, where the part has no error */
    const double *atol; /* control of its own; p, copied; NULL: rtol for all;
                           INFINITY: an output that is not compared */
    double longest;     /* step there; 0: as long as a window */
    bool aside;         /* beside a run, as a second solution: twice as many
                           steps there at least, since what no output shows yet
                           would else have the same error in both; and the
                           first sweep of every window is made twice where
                           the part goes back by its own state */
    bool *unlike;       /* becomes true where it does not repeat a window; NULL:
                           nobody asks; borrowed */
    double seconds;     /* at most, for one call; 0: no limit */
    double bytes;       /* of memory at most; 0: no limit */
    bool replay;        /* never fork: the part has threads, or a licence */
    const char *worker; /* program; NULL: the one that belongs to the library */
    const struct yk_part_maker *inside; /* engines of this process: the part has
                                           none of its own, and no limits; it
                                           goes back by its state or by replay;
                                           NULL: a worker */

    /* Asked while an answer is awaited; true ends the part.  NULL: never. */
    bool (*stop)(void *context);
    void *stop_context; /* borrowed */
} yk_part_spec;

/* The value of a setting, or NULL. */
const char *yk_part_setting(const yk_part_spec *spec, const char *key);

/* An engine, made inside the worker. */
typedef struct yk_part_engine {
    yk_propagator propagator;

    /* OPTIONAL.  Asked before the first sweep with its arguments: may `sweep`
     * be repeated?  Without it, or if not, it is called once between two calls
     * of `accept`. */
    bool (*goes_back)(void *self, double t1, const yk_wave *u, yk_wave *y);

    /* OPTIONAL.  Sweeps take this many steps from now on.  Then the part has no
     * error control of its own, and yoke compares sweeps with n and 2 n. */
    void (*divide)(void *self, int steps);

    /* OPTIONAL.  Sweeps look for jumps of the outputs that were not reported, in
     * [from, to], from now on; NAN: nowhere.  Only in a process of its own,
     * which may be copied. */
    void (*look)(void *self, double from, double to);

    /* OPTIONAL.  The next sweep passes each [mark[2 i], mark[2 i + 1]] in steps
     * of its own, and its waveform has a break there: outputs may jump.  The
     * last one may end behind the window.  They are in order, and do not
     * overlap.  Borrowed during the sweep. */
    void (*mark)(void *self, int marks, const double *mark);

    /* `steps` is no number of steps in a window: with 2 n all of them, however
     * long the window is, are half as long as with n. */
    bool halves;
} yk_part_engine;

typedef struct yk_part_maker {
    const char *kind; /* NULL: the end of the list */
    yoke_status (*make)(const yk_part_spec *spec, yk_part_engine *out,
                        yoke_err *err);
} yk_part_maker;

/* What is known of a part. */
typedef struct yk_part_facts {
    yk_part_way way;
    int steps; /* per window at present, chosen by comparing; 0: by the part */
    long exchanges;     /* with the worker */
    double seconds;     /* of waiting for it */
    const char *said;   /* the last that it wrote to its standard output or
                            error, borrowed; "": nothing */
    size_t said_in_all; /* bytes */
} yk_part_facts;

/* A propagator for the part.  Its worker starts with it. */
yoke_status yk_part_create(yk_propagator *out, const yk_part_spec *spec,
                           yoke_err *err);
/* What is known now.  Or: *out is kept up to date, as long as it lives. */
void yk_part_tell(const yk_propagator *part, yk_part_facts *out);
void yk_part_keep_telling(const yk_propagator *part, yk_part_facts *out);

/* The body of the program yoke-worker: serves what is at the other end of
 * `socket` with `memory` shared, until it is asked to end or dies.  Returns the
 * exit status. */
int yk_part_serve(int socket, int memory, const yk_part_maker *makers);

/* How many threads this process has.  A copy of it has one. */
int yk_part_threads(void);

/* After so many accepted windows: is the first sweep made twice, to see whether
 * the part still comes back to where it was?  After 1, 4 and 16, and every 64th. */
bool yk_part_is_due(int windows);

/* fork() that leaves positions in files alone: the copy has its own, so what it
 * reads is not missing where the original goes on. */
pid_t yk_part_copy(void);

/* Was this program started as a worker? */
bool yk_part_is_worker(void);

/* The file descriptors that a worker finds these at. */
enum { YK_PART_SOCKET = 3, YK_PART_MEMORY = 4 };

#endif
