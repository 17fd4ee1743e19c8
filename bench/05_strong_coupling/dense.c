/* dense.c -- small matrices, row by row. */
#include "dense.h"

#include <math.h>
#include <string.h>

enum { SQUARINGS = 14 };

static void exchange_rows(int n, double *a, int i, int j)
{
    for (int k = 0; k < n; k++) {
        const double keep = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = keep;
    }
}

bool dense_inverse(int n, const double *a, double *inverse)
{
    double work[DENSE_MOST * DENSE_MOST];

    memcpy(work, a, (size_t)(n * n) * sizeof *work);
    for (int i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(work[i * n + c]) > fabs(work[best * n + c])) best = i;
        if (!(fabs(work[best * n + c]) > 1e-300)) return false;
        exchange_rows(n, work, c, best);
        exchange_rows(n, inverse, c, best);
        const double pivot = work[c * n + c];
        for (int k = 0; k < n; k++) {
            work[c * n + k] /= pivot;
            inverse[c * n + k] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const double factor = work[i * n + c];
            if (i == c || factor == 0.0) continue;
            for (int k = 0; k < n; k++) {
                work[i * n + k] -= factor * work[c * n + k];
                inverse[i * n + k] -= factor * inverse[c * n + k];
            }
        }
    }
    return true;
}

double dense_norm(int rows, int cols, const double *a)
{
    double most = 0.0;

    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int j = 0; j < cols; j++) sum += fabs(a[i * cols + j]);
        most = fmax(most, sum);
    }
    return most;
}

static void square(int n, double *a)
{
    double product[DENSE_MOST * DENSE_MOST] = { 0.0 };

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double factor = a[i * n + k];
            if (factor == 0.0) continue;
            for (int j = 0; j < n; j++)
                product[i * n + j] += factor * a[k * n + j];
        }
    memcpy(a, product, (size_t)(n * n) * sizeof *a);
}

double dense_radius(int n, const double *a)
{
    double work[DENSE_MOST * DENSE_MOST], log_size = 0.0, power = 1.0;

    memcpy(work, a, (size_t)(n * n) * sizeof *work);
    for (int s = 0; s <= SQUARINGS; s++) {
        const double size = dense_norm(n, n, work);
        if (!(size > 0.0)) return 0.0;
        for (int i = 0; i < n * n; i++) work[i] /= size;
        log_size += log(size) / power;
        if (s == SQUARINGS) break;
        square(n, work);
        power *= 2.0;
    }
    return exp(log_size);
}
