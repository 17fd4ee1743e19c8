/* A uniform RC line with a known solution.
 *
 *     v_k' = g (v_{k-1} - 2 v_k + v_{k+1}) + F phi_f(k) sin(omega t)
 *
 * k = 0 ... n-1, open at both ends (v_{-1} = v_0, v_n = v_{n-1}).  The
 * eigenvectors are phi_m(k) = cos(m (k + 1/2) pi / n) with the rates
 * lambda_m = 4 g sin^2(m pi / (2 n)).  The solution is a constant voltage, five
 * modes that decay at rates from 0.1 to 1000, and one that is forced; the
 * fastest rate of the line is 4 g = 40000.  Every cell takes part.
 */
#ifndef LINE_H
#define LINE_H

#include "chain.h"

enum { LINE_MODES = 6 };

typedef struct rc_line {
    int n;
    double g, offset, omega;
    double force; /* F, on the last mode */
    double angle[LINE_MODES], rate[LINE_MODES], start[LINE_MODES];
} rc_line;

rc_line line_create(int n);

/* v_k(t), k = 0 ... n-1. */
double line_exact(const rc_line *line, int k, double t);

/* Cells [first, first + n) as a block; neighbours if it does not end there. */
chain *line_block(const rc_line *line, int first, int n);

#endif
