/* comp/equation/structure/reduce.h -- structural index and its reduction. */
#ifndef YK_REDUCE_H
#define YK_REDUCE_H

#include "comp/equation/structure/structure.h"

/* Finds how often each equation must be differentiated (model->index), adds the
 * derivatives to model->equation, chooses dummy derivatives at the start values
 * (model->dummy) and describes this in model->text. */
yoke_status yk_reduce(yk_model *model, const yk_incidence *incidence,
                      yoke_err *err);

/* dummy.c: c[rows] says how often each of the original equations, the first
 * `templates` ones, was differentiated. */
yoke_status yk_choose_dummies(yk_model *model, int templates, const int *c,
                              yoke_err *err);

#endif
