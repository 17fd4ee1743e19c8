/* comp/closed/subsystem.h -- a closed part as a subsystem of a system file.
 *
 * What programs and engines have in common: inputs and outputs with names, a
 * worker for each run, outputs at the start, predictions by differences, and
 * the sentences of the summary.
 */
#ifndef YK_CLOSED_SUBSYSTEM_H
#define YK_CLOSED_SUBSYSTEM_H

#include "part/part.h"
#include "yoke/stepper.h"
#include "yoke/system.h"

/* All is copied.  The worker gets the settings and beside them `tolerance`,
 * `absolute` (tolerances), `span` (of the run), `longest` (step) and `step` (if
 * one is given). */
typedef struct yk_closed_facts {
    const char *name;   /* of the subsystem */
    const char *place;  /* of it in a file, "a.yaml:3:4", or NULL */
    const char *kind;   /* in reports: "program" */
    const char *engine; /* kind of the maker */
    int inputs, outputs;
    const char *const *input, *const *output;
    int settings;
    const char *const *key, *const *value;
    double seconds, bytes; /* limits */
    bool replay;           /* never copied by fork */
    bool direct;           /* outputs may depend on inputs at once */

    /* What nobody tests, behind the name: with steps that are compared, with a
     * given step, with error control of its own. */
    const char *compared, *given, *own;
} yk_closed_facts;

yoke_status yk_closed_system(yoke_system **out, const yk_closed_facts *facts,
                             yoke_err *err);

/* In an engine: the number of a setting, or `preset`. */
double yk_closed_number(const yk_part_spec *spec, const char *key,
                        double preset);

/* ---- inputs and outputs over a window, for engines --------------------- */

/* Means of the inputs over [a, b], exact; `scratch` has room for one value of
 * each. */
void yk_closed_means(const yk_wave *u, double a, double b, double *scratch,
                     double *out);

/* Points of p outputs at times that do not decrease; two at one time are a
 * jump.  Where there is no slope it is that of a parabola. */
typedef struct yk_closed_points {
    int p, count;
    double *t, *y, *slope; /* slope NAN: none */
    size_t t_room, y_room, slope_room;
    double *coef; /* scratch, 4 p */
    double *instant;
    int instants;
    size_t instant_room;
} yk_closed_points;

yoke_status yk_closed_points_create(yk_closed_points *points, int p,
                                    yoke_err *err);
void yk_closed_points_clear(yk_closed_points *points);
/* Removes all / adds one and returns where its outputs are; the slopes are
 * unknown. */
void yk_closed_points_reset(yk_closed_points *points);
yoke_status yk_closed_points_add(yk_closed_points *points, double t, double **y,
                                 yoke_err *err);
/* Cubics through all points, and the instants of jumps.  The first and the last
 * point are at the ends of the window. */
yoke_status yk_closed_points_wave(yk_closed_points *points, yk_wave *y,
                                  yoke_err *err);

#endif
