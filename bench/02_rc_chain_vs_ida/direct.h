/* The line by SUNDIALS IDA with KLU, called directly. */
#ifndef DIRECT_H
#define DIRECT_H

#include "line.h"

/* What one run did, on either side. */
typedef struct outcome {
    double setup, seconds; /* before the first step; all of it */
    long steps, residuals, jacobians, factorizations, solves;
    double error; /* root mean square and ... */
    double worst; /* ... largest, over sampled cells and output times */
} outcome;

/* Error at sampled cells; `error` holds sums until finished. */
enum { SAMPLE_FIRST = 499, SAMPLE_EVERY = 1000 };

typedef struct sampler {
    const rc_line *line;
    int count;
    double sum, worst;
} sampler;

void sample(sampler *s, int k, double t, double value);

void direct_run(const rc_line *line, double rtol, double atol, double stop,
                int outputs, outcome *out);

#endif
