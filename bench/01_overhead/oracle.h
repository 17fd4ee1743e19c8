/* The least work a coupled solution can take: every subsystem integrated once,
 * alone, over the whole run, with the exact waveforms at its inputs.
 *
 * The exact waveforms are those of the composition of all subsystems, solved at
 * a tolerance 1000 times tighter.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "problems.h"

typedef struct oracle {
    yoke_work work;
    double error;     /* as multiple of the tolerance */
    yoke_wave *exact; /* all coupled outputs */
    double *size;     /* largest value of each */
    int *at;          /* of each link: the output it begins at */
} oracle;

void oracle_create(oracle *oracle, const problem *problem);

/* May be repeated; the work is that of the last time. */
void oracle_run(oracle *oracle, const problem *problem);
void oracle_free(oracle *oracle);

/* Error of the output at the beginning of link l, at t, as multiple of atol +
 * rtol max|y|. */
double oracle_error(const oracle *oracle, const problem *problem, int l,
                    double t, double value);

#endif
