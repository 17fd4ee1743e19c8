/* random.c -- splitmix64 (Steele, Lea, Flood 2014). */
#include "random.h"

#include <math.h>

static unsigned long long next(dice *d)
{
    unsigned long long z = d->state += 0x9e3779b97f4a7c15ull;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

dice dice_of(unsigned long seed, unsigned long stream)
{
    dice d = { seed };

    d.state = next(&d) ^ stream;
    d.state = next(&d);
    return d;
}

double dice_between(dice *d, double least, double most)
{
    return least + (most - least) * ((double)(next(d) >> 11) * 0x1p-53);
}

double dice_log(dice *d, double least, double most)
{
    return pow(10.0, dice_between(d, least, most));
}

double dice_signed(dice *d, double least, double most)
{
    const double size = dice_between(d, least, most);

    return dice_flip(d) ? size : -size;
}

int dice_pick(dice *d, int count)
{
    return (int)((next(d) >> 33) % (unsigned long long)count);
}

bool dice_flip(dice *d)
{
    return next(d) >> 63;
}

void dice_shuffle(dice *d, int count, int *list)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = dice_pick(d, i + 1), keep = list[i];
        list[i] = list[j];
        list[j] = keep;
    }
}
