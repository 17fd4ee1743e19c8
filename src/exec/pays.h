/* exec/pays.h -- is a batch worth waking threads for? */
#ifndef YK_EXEC_PAYS_H
#define YK_EXEC_PAYS_H

#include "exec/exec.h"
#include "exec/policy.h"

static inline double yk_batch_price(const yk_batch *b, int i)
{
    return b->price ? b->price[i] : YK_EXEC_PAYS;
}

/* What the threads would take off the caller, if there were enough of them, is
 * enough. */
static inline bool yk_batch_pays(const yk_batch *b)
{
    double sum = 0.0, alone = 0.0, largest = 0.0;

    for (int i = 0; i < b->count; i++) {
        const double price = yk_batch_price(b, i);
        sum += price;
        if (b->alone && b->alone[i])
            alone += price;
        else if (price > largest)
            largest = price;
    }
    return sum - (alone > largest ? alone : largest) >= YK_EXEC_PAYS;
}

#endif
