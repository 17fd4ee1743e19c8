/* part/manners.h -- what foreign code may leave changed: arithmetic
 * (rounding, traps) and the decimal point, of the process and of the thread.
 */
#ifndef YK_PART_MANNERS_H
#define YK_PART_MANNERS_H

#include <fenv.h>

typedef struct yk_manners {
    fenv_t arithmetic;
    char numbers[64]; /* the locale of the process */
    void *thread;     /* that of the thread */
} yk_manners;

/* Before a foreign call, and after it. */
void yk_manners_keep(yk_manners *m);
void yk_manners_put_back(const yk_manners *m);

#endif
