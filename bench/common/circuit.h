/* bench/common/circuit.h -- one circuit on several sides: Yoke with sleeping
 * cells, Yoke on the whole circuit, ngspice; times compared at equal error. */
#ifndef BENCH_CIRCUIT_H
#define BENCH_CIRCUIT_H

#include "bench.h"

#include <stdio.h>

typedef struct bench_circuit {
    const char *name; /* "5000", "64 bit": in front of all results */
    const char *hint; /* how the first side solves it; NULL: sleeping cells */
    const char *side; /* its name then */
    double target;    /* error at which times are compared, V rms */
    bool whole;       /* the sides that solve everything take part */
    double seconds;   /* ngspice is stopped after this processor time */
    void *self;

    /* The netlist up to .options, which is added, and .end. */
    void (*write)(void *self, FILE *f);

    int observed; /* columns that errors are measured on */
    const char *(*observe)(void *self, int k);

    /* OPTIONAL.  Is the result right?  Ends the program with a message if it is
     * not. */
    void (*check)(void *self, const yoke_table *result, const char *side);
} bench_circuit;

/* Runs all sides and writes their results. */
void bench_compare_circuit(const bench_circuit *c, const char *folder);

/* A level-1 NMOS "n" and PMOS "p".  Without tox the gate has its overlap
 * capacitances only, which are the same in both programs. */
void bench_write_models(FILE *f);

/* Makes a folder for `run` and removes it afterwards. */
int bench_in_folder(void (*run)(const char *folder, bool quick),
                    const bench_arguments *a);

#endif
