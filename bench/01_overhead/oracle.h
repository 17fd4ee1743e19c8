/* The least work a coupled solution can take, and its error.
 *
 * The oracle of the library (yoke_run_replay) integrates every subsystem once,
 * alone, over the whole run, with the final waveforms at its inputs.  Errors
 * are measured against the composition of all subsystems, solved at a tolerance
 * 1000 times tighter.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "problems.h"
#include "wave/wave.h"

typedef struct oracle {
    yoke_work work;
    double estimate; /* residuals as a run estimates them without a replay */
    double apart;    /* outputs of the replay from those of the run, as
                         multiple of the tolerance */
    yk_wave *exact;  /* all coupled outputs */
    double *size;    /* largest value of each */
    int *at;         /* of each link: the output it begins at */
} oracle;

void oracle_create(oracle *oracle, const problem *problem);

/* A coupled run and its replay; may be repeated: the work is that of the last
 * time. */
void oracle_run(oracle *oracle, const problem *problem,
                const yoke_run_options *options);
void oracle_free(oracle *oracle);

/* Error of the output at the beginning of link l, at t, as multiple of atol +
 * rtol max|y|. */
double oracle_error(const oracle *oracle, const problem *problem, int l,
                    double t, double value);

#endif
