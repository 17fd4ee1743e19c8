/* sys/response.h -- the answer of a system to small changes of its inputs.
 *
 * Linearised at one point, on a grid of equal steps h, by the two-step backward
 * differentiation formula for the charges:
 *
 *     dq_n = C dx_n + Cu du_n
 *     (3/2 dq_n - 2 dq_{n-1} + 1/2 dq_{n-2}) / h + G dx_n + Gu du_n = 0
 *     dy_n = Hx dx_n + Hu du_n
 *
 * with no charge changed at the start, dq_0 = dq_{-1} = 0.  The part of dy_n
 * that du_n causes at once is Z du_n,
 *
 *     Z = Hu - Hx (c C + G)^-1 (c Cu + Gu),      c = 3 / (2 h).
 */
#ifndef YK_RESPONSE_H
#define YK_RESPONSE_H

#include "sys/system.h"

typedef struct yk_response yk_response;

/* Borrows the system. */
yoke_status yk_response_create(yk_response **out, yoke_system *system,
                               yoke_err *err);
void yk_response_free(yk_response *response); /* accepts NULL */

/* Takes the Jacobians at a point; nothing to do for the second point of an
 * affine system. */
yoke_status yk_response_linearise(yk_response *response, double t,
                                  const double *x, const double *u,
                                  yoke_err *err);

/* How fast its unknowns move by themselves, 1/s: largest entry of a column of G
 * over that of C; 0: not known. */
double yk_response_rate(const yk_response *response);

/* Factors c C + G and makes Z; nothing to do if that is what was factored last.
 * YOKE_RETRY: the matrix is singular. */
yoke_status yk_response_factor(yk_response *response, double c, yoke_err *err);

/* Is there nothing to do? */
bool yk_response_ready(const yk_response *response, double c);

/* Z[p * m] of the last factored matrix, row by row; borrowed. */
const double *yk_response_matrix(const yk_response *response);

/* What unit changes of the inputs do to the unknowns at once: m columns of n;
 * borrowed. */
const double *yk_response_unknowns(const yk_response *response);

/* The march over the grid: begin it; dy[p] at the next point if its inputs do
 * not change; take du[m] there and go on. */
void yk_response_begin(yk_response *response);
yoke_status yk_response_history(yk_response *response, double *dy,
                                yoke_err *err);
void yk_response_follow(yk_response *response, const double *du);

#endif
