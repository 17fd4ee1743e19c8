/* comp/equation/events/relation.h -- relations whose values are held between
 * events.
 *
 *     r = a < b      d = b - a      g = d where r is false, -d where it is true
 *     n = floor(x)                  g = max(n - x, x - n - 1)
 *     a piece [a, b] of a table     g = max(a - x, x - b)
 *
 * Below zero the held value is right; at zero or above there is an event.  a <
 * b and a <= b differ at zero alone: a number below all others makes the
 * difference.  A relation that matters in one direction only (flat.h) has the g
 * of that direction, and its value is computed when it is needed.
 */
#ifndef YK_RELATION_H
#define YK_RELATION_H

#include "comp/equation/code/interpret.h"
#include "yoke/event.h"
#include "yoke/system.h"

typedef struct yk_relations yk_relations;

/* Borrows the model; *out stays NULL if there are none.  follows[relations]:
 * changes within an instant too (yk_relations_follow), so both directions
 * matter. */
yoke_status yk_relations_create(yk_relations **out, yk_model *model,
                                const bool *follows, yoke_err *err);
void yk_relations_free(yk_relations *all);       /* accepts NULL, as all do */
int yk_relations_count(const yk_relations *all); /* scalar ones */

/* g of each, from w, which has the held values. */
void yk_relations_indicate(const yk_relations *all, double t, const double *w,
                           double *g);

/* out[order + 1]: bounds of what relation k compares along a path, as of
 * yoke_courses; become those of g. */
void yk_relations_enclose(const yk_relations *all, int k, const double *w,
                          int order, double (*out)[2]);

/* The held values in w become those that belong to w.  True: one was another.
 */
bool yk_relations_settle(const yk_relations *all, double t, double *w);

/* Those that happened change in `after`; of those that matter in one direction
 * only, all get their values, and `before` those from before.  True: one of
 * them is at its threshold still and changes with what follows. */
bool yk_relations_change(const yk_relations *all, double t,
                         const bool *happened, double *after, double *before);

/* Those that follow get the values that belong to `after`, where that is
 * certain: farther from the threshold than `moved`, two other rows of values,
 * are from `after`, and otherwise than at `begin`.  Those that are locked[scalars]
 * stay, and those that change are so from then on.  True: one was another. */
bool yk_relations_follow(const yk_relations *all, double t, const double *begin,
                         const double *const moved[2], bool *locked,
                         double *after);

void yk_relations_about(const yk_relations *all, int k, yoke_event_about *out);

#endif
