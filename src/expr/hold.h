/* expr/hold.h -- branches that are held between events.
 *
 * A relation jumps, a kink bends, and a step across either is of first order at
 * best.  So the branch is held while a step is made: relations by their value,
 * floor by its whole number, tables by a place in the piece.  An event is where
 * another one would be right.  All others are made of these four:
 *
 *     min, max, abs    a branch each, with a <= b
 *     sign(a)          (0 < a) - (a < 0)
 *     ceil, round      -floor(-a), floor(a + 1/2)
 *     trunc(a)         floor(a) if 0 <= a, else ceil(a)
 *
 * A whole number has two ends, and whether one has been passed is remembered of
 * each: an argument that rests at 2 and jumps to 3 goes from one to the other.
 * So floor is two holds (`side`), one after the other, of one value.
 *
 * docs/methods/events.md.
 */
#ifndef YK_EXPR_HOLD_H
#define YK_EXPR_HOLD_H

#include "base/arena.h"
#include "expr/program.h"

/* What a kink holds before it is known: 1 is the first branch, 0 the second; of
 * a table, a point inside the piece. */
#define YK_FREE_BRANCH 0.5
#define YK_FREE_PLACE  1e300

/* ---- one branch -----------------------------------------------------------
 *
 * d: b - a of a < b and a <= b, x of floor(x) and of tables. */

typedef struct yk_hold {
    yk_op op;     /* LESS, LESS_EQUAL, FLOOR, INTERPOLATE */
    bool kink;    /* nothing jumps */
    bool watched; /* steps end there, but nothing reads what is held */
    bool extends; /* INTERPOLATE: straight on beyond the ends */
    int side;     /* FLOOR: -1 the lower end, 1 the upper one, 0 both */
    int rows;
    const double *table;
    int plus, minus; /* yk_held: d is the first step less the second and `by`;
                        -1: 0 */
    double by;
    int variable; /* yk_held: that has what is held; tables: the first of three,
                     y0, slope and x0 of the line; -1: none */
} yk_hold;

/* What belongs to d. */
double yk_hold_value(const yk_hold *hold, double d);

/* Below zero where `held` is right. */
double yk_hold_above(const yk_hold *hold, double d, double held);

/* The same along a path on which d has these bounds. */
void yk_hold_enclose(const yk_hold *hold, int order, const yk_jet *d,
                     double held, yk_jet *out);

/* What comes after `held`, though d may be there but for rounding only. */
double yk_hold_change(const yk_hold *hold, double d, double held);

/* The other side of hold k of an expression, or k: both hold the same. */
static inline int yk_hold_twin(const yk_hold *hold, int k)
{
    return k - hold->side;
}

/* ---- an expression --------------------------------------------------------
 *
 * The same with what is held as more variables behind its own. */

typedef struct yk_held {
    int steps;
    yk_expr_step *step; /* the last one is its value */
    int variables;      /* those of the expression, then those behind them */
    int holds, kinks;
    yk_hold *hold;
} yk_held;

/* *out NULL: nothing depends on an `open` variable and has a corner.  `kinks`
 * false: only what jumps is held.  Copies into the arena, but for tables. */
yoke_status yk_held_make(yk_held **out, yk_arena *arena, int steps,
                         const yk_expr_step *step, int variables,
                         const bool *open, bool kinks, yoke_err *err);

/* d of hold k, from the values of the steps. */
double yk_held_argument(const yk_held *held, int k, const double *value);

/* The variables that belong to what hold k holds. */
void yk_held_set(const yk_held *held, int k, double value, double *y);

#endif
