/* random.h -- seeded random numbers, the same on every machine. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>

typedef struct dice {
    unsigned long long state;
} dice;

dice dice_of(unsigned long seed, unsigned long stream);
double dice_between(dice *d, double least, double most);
double dice_log(dice *d, double least, double most); /* 10^(least ... most) */
double dice_signed(dice *d, double least, double most); /* either sign */
int dice_pick(dice *d, int count);                      /* 0 ... count - 1 */
bool dice_flip(dice *d);
void dice_shuffle(dice *d, int count, int *list);

#endif
