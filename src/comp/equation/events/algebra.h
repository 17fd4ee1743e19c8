/* comp/equation/events/algebra.h -- algebraic unknowns at an instant.
 *
 * What happens at an event reads algebraic unknowns as they follow from what
 * the same instant has changed so far: discrete variables, relations, inputs.
 * They are solved for inside the event iteration with the charges kept,
 *
 *     C x = C x-   on rows with charge,      0 = f(t, x, u)   on the others,
 *
 * for the blocks of the block triangular form that both depend on such changes
 * and are read by conditions, actions or relations.
 */
#ifndef YK_EQUATION_ALGEBRA_H
#define YK_EQUATION_ALGEBRA_H

#include "comp/equation/code/layout.h"

struct yk_subsystem;

typedef struct yk_algebra yk_algebra;

/* memory[n]: unknowns that get values at events.  *out stays NULL if nothing is
 * to be solved for; *whole false: the equations have no block triangular form.
 */
yoke_status yk_algebra_create(yk_algebra **out, yk_model *model,
                              const yk_layout *layout, const bool *memory,
                              bool *whole, yoke_err *err);
void yk_algebra_free(yk_algebra *algebra); /* accepts NULL, as all do */

/* Sets read[n] of the unknowns that an expression reads. */
yoke_status yk_columns_read(yk_model *model, const yk_layout *layout,
                            const yk_template *t, bool *read, yoke_err *err);

/* Does an expression read what jumps at events and is solved for here? */
yoke_status yk_algebra_reads(const yk_algebra *algebra, yk_model *model,
                             const yk_template *t, bool *out, yoke_err *err);

/* The values w are taken as they are: what has changed since is what differs
 * from them. */
void yk_algebra_accept(yk_algebra *algebra, const double *w);

/* Solves for the unknowns in w, if what they depend on has changed or if
 * `anyway`; *solved: they were.  YOKE_RETRY: no solution was found; the message
 * names the unknowns and equations. */
yoke_status yk_algebra_solve(yk_algebra *algebra, struct yk_subsystem *s,
                             double t, double *w, bool anyway, bool *solved,
                             yoke_err *err);

/* The unknowns of `from` go to `to`. */
void yk_algebra_copy(const yk_algebra *algebra, const double *from, double *to);

/* `to` becomes w with the unknowns moved by what the solution may be wrong,
 * compared with w and w0; two ways. */
void yk_algebra_move(const yk_algebra *algebra, const double *w,
                     const double *w0, int way, double *to);

/* The unknowns that are not under d/dt, into x[n]. */
void yk_algebra_write(const yk_algebra *algebra, const double *w, double *x);

#endif
