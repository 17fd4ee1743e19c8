/* yoke/profile.h -- variables that are one quantity along a coordinate.
 *
 * The deflection of a wire over x, the carriers of a diode, the temperatures of
 * a rod: a component says which of its variables belong together, and where
 * they are.  Results carry it, so that the report can draw the shape at any
 * time; docs/manual/results.md is the reference.
 */
#ifndef YOKE_PROFILE_H
#define YOKE_PROFILE_H

#include "yoke/status.h"

/* A point that moves along the profile: a contact, a front. */
typedef struct yoke_mark {
    const char *name;
    double at, speed;     /* it is at the coordinate  at + speed time */
    const char *variable; /* the value there; NULL: zero */
} yoke_mark;

/* A line from the profile to another one at the same coordinate: a dropper. */
typedef struct yoke_tie {
    double at;
    const char *to; /* name of the other profile */
} yoke_tie;

typedef struct yoke_profile {
    const char *name;
    const char *label, *unit;       /* of the values: "deflection", "m" */
    const char *along, *along_unit; /* of the coordinate: "x", "m" */
    int points;                     /* at least 2 */
    const double *at;               /* coordinates, increasing */
    const char *const *variable;    /* names; NULL: the value is zero there */
    int marks, ties;
    const yoke_mark *mark;
    const yoke_tie *tie;
} yoke_profile;

#endif
