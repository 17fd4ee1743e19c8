/* base/numbers.c -- clock, random numbers, finiteness. */
#define _POSIX_C_SOURCE 199309L
#include "base/base.h"

#include <math.h>
#include <time.h>

double yk_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Marsaglia's xorshift with Vigna's multiplier, the upper 53 bits. */
double yk_random(unsigned long long *state)
{
    unsigned long long s = *state;

    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    *state = s;
    return (double)((s * 2685821657736338717ull) >> 11) / 9007199254740992.0;
}

bool yk_all_finite(const double *v, int n, int *at)
{
    double few = 0.0, sum[8]; /* several, which the processor adds at once */
    int last = 0;

    if (n < 8) {
        for (; last < n; last++) few += v[last] * 0.0;
        if (few == 0.0) return true;
    }
    for (int k = 0; k < 8; k++) sum[k] = 0.0;
    for (last = 0; last + 8 <= n; last += 8) /* 0 unless Inf or NaN */
        for (int k = 0; k < 8; k++) sum[k] += v[last + k] * 0.0;
    for (; last < n; last++) sum[0] += v[last] * 0.0;
    for (int k = 1; k < 8; k++) sum[0] += sum[k];
    if (sum[0] == 0.0) return true;
    for (int i = 0; i < n; i++) {
        if (isfinite(v[i])) continue;
        if (at) *at = i;
        break;
    }
    return false;
}

int yk_compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

int yk_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}
