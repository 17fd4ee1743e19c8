/* comp/equation/events/relation.h -- relations whose values are held between
 * events.
 *
 *     r = a < b      d = b - a      g = d where r is false, -d where it is true
 *     n = floor(x)                  g = n - x, and another one x - n - 1
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
int yk_relations_count(const yk_relations *all); /* indicators */

/* g of each, from w, which has the held values. */
void yk_relations_indicate(const yk_relations *all, double t, const double *w,
                           double *g);

/* The number of the scalar relation that has indicator k: its own, but for the
 * upper ends of whole numbers, which come behind all others. */
int yk_relations_scalar(const yk_relations *all, int k);

/* What is true of the upper end of a whole number becomes true of the lower one:
 * of[indicators]. */
void yk_relations_join(const yk_relations *all, bool *of);

/* out[order + 1]: bounds of what relation k compares along a path, as of
 * yoke_courses; become those of g. */
void yk_relations_enclose(const yk_relations *all, int k, const double *w,
                          int order, double (*out)[2]);

/* The held values in w become those that belong to w.  True: one was another.
 */
bool yk_relations_settle(const yk_relations *all, double t, double *w);

/* The same of those alone of which the value before is read. */
void yk_relations_reset(const yk_relations *all, double t, double *before);

/* Their values become those before.  True: one was another. */
bool yk_relations_pass(const yk_relations *all, const double *after,
                       double *before);

/* Those that happened, from w, change in `after`; of those that matter in one
 * direction only, all get their values there, and in `before` those that belong to
 * it.  True: one of them is at its threshold still and changes with what follows. */
bool yk_relations_change(const yk_relations *all, double t,
                         const bool *happened, const double *w, double *after,
                         double *before);

/* Those that follow get the values that belong to `after`, where that is
 * certain: farther from the threshold than `moved`, two other rows of values or
 * NULL, are from `after`, and otherwise than at `begin`.  Those that are
 * locked[indicators] stay, and those that change are so from then on; those that
 * read values before a round change `between` two rounds only.  True: one was
 * another. */
bool yk_relations_follow(const yk_relations *all, double t, bool between,
                         const double *begin, const double *const moved[2],
                         bool *locked, double *after);

void yk_relations_about(const yk_relations *all, int k, yoke_event_about *out);

#endif
