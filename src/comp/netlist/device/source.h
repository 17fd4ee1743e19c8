/* comp/netlist/device/source.h -- independent sources as functions of time. */
#ifndef YK_SOURCE_H
#define YK_SOURCE_H

#include "comp/netlist/netlist.h"

/* A source with all arguments known; `arg` has them in the order of the
 * netlist. */
typedef struct yk_stimulus {
    yk_net_shape shape;
    double dc;
    double v[8]; /* pulse, sin, exp, sffm, am */
    int points;  /* pwl */
    const double *time, *value;
    double delay, repeat; /* pwl: begins at delay; repeat: from this time of
                           the table on, negative: once */
} yk_stimulus;

/* Arguments left out get the values ngspice gives them, which depend on the
 * step and stop time of the analysis.  `from` may be NULL: zero. */
yoke_status yk_source_make(yk_stimulus *out, const yk_net_source *from,
                           double tstep, double tstop, yk_arena *arena,
                           yk_net_place at, yoke_err *err);

/* Value at t; t < 0 or NAN: the DC value, for operating points. */
double yk_source_value(const yk_stimulus *source, double t);

/* Constant, or straight lines between corners? */
bool yk_source_is_straight(const yk_stimulus *source);

/* Is it constant on [t0, t1]?  -INFINITY, INFINITY: for ever. */
bool yk_source_is_still(const yk_stimulus *source, double t0, double t1);

/* First corner after t, or INFINITY. */
double yk_source_break(const yk_stimulus *source, double t);

#endif
