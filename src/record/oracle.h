/* record/oracle.h -- the accepted waveforms of a whole run. */
#ifndef YK_ORACLE_H
#define YK_ORACLE_H

#include "record/tally.h"

typedef struct yk_oracle {
    const yk_tally *tally; /* borrowed */
    yk_cluster *cluster;   /* one for each subsystem; NULL: nothing is kept */
    int *read;             /* of each output id: its place in the wave, or -1 */
    int *reads;            /* of each subsystem: how many of its outputs */
    yk_wave **wave;        /* of each: those outputs */
    yk_wave **part;        /* one window of each */
    yk_wave_term *term;
    double *end; /* of each window */
    int ends;
    size_t end_room;
} yk_oracle;

/* From now on the waveforms are kept. */
yoke_status yk_oracle_keep(yk_oracle *o, double start, yoke_err *err);
void yk_oracle_free(yk_oracle *o);

/* Keeps those of an accepted window, if asked to. */
yoke_status yk_oracle_window(yk_oracle *o, double t0, double t1, yoke_err *err);

#endif
