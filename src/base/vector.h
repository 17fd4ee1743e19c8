/* base/vector.h -- vectors of n numbers. */
#ifndef YK_VECTOR_H
#define YK_VECTOR_H

#include <math.h>
#include <string.h>

static inline void yk_copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static inline void yk_zero(double *v, int n)
{
    memset(v, 0, (size_t)n * sizeof *v);
}

static inline void yk_swap(double **a, double **b)
{
    double *const c = *a;

    *a = *b;
    *b = c;
}

/* From the first to the last. */
static inline double yk_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* to += factor * from */
static inline void yk_add(int n, double factor, const double *from, double *to)
{
    for (int i = 0; i < n; i++) to[i] += factor * from[i];
}

/* Largest |v_i|. */
static inline double yk_largest(const double *v, int n)
{
    double most = 0.0;

    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* Of `count` increasing numbers, each `stride` behind the one before, the last
 * that is not above x; -1: none. */
static inline int yk_last_below(const double *v, int count, int stride,
                                double x)
{
    int low = -1, high = count;

    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (x < v[stride * middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

#endif
