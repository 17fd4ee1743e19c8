/* comp/equation/structure/structure.h -- which unknowns occur in which
 * equations. */
#ifndef YK_STRUCTURE_H
#define YK_STRUCTURE_H

#include "comp/equation/code/model.h"

/* Row by row: the unknowns (roots) of a scalar equation and the order of their
 * derivative there; an element may occur twice. */
typedef struct yk_incidence {
    int rows;
    int *start;   /* rows + 1 */
    int *element; /* start[rows] */
    signed char *order;
} yk_incidence;

yoke_status yk_incidence_create(yk_incidence *out, const yk_model *model,
                                yoke_err *err);
void yk_incidence_free(yk_incidence *incidence);

/* Removes a = b, a = -b and a = constant: fills root, sign and value. */
yoke_status yk_eliminate_aliases(yk_model *model, yoke_err *err);

/* Refuses a model whose equations cannot determine its unknowns, naming the
 * variables and equations of the part that is wrong.  An unknown and its
 * derivative count as one. */
yoke_status yk_check_structure(const yk_model *model,
                               const yk_incidence *incidence, yoke_err *err);

/* w[slots]: start values of all elements, tables, and zero derivatives. */
void yk_eq_start_values(const yk_model *model, double *w);

#endif
