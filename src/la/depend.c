/* la/depend.c -- rows of a matrix that depend on each other.
 *
 * The rows are orthogonalised one after the other, twice for accuracy, each
 * with the combination of rows that it is.  A row that vanishes gives a
 * combination of independent rows and itself, all of which it needs: a smallest
 * dependent set.
 *
 * Limits: dense; m^2 (m + n) operations.
 */
#include "la/depend.h"

#include "base/text.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

static const double part_of = 1e-8; /* smaller weights do not count */

static void subtract(int n, double w, const double *from, double *to)
{
    for (int i = 0; i < n; i++) to[i] -= w * from[i];
}

/* Row i minus what the rows before make of it; `weight` likewise. */
static void reduce(int i, int m, int n, const double *base,
                   const double *made_of, double *row, double *weight)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < i; k++) {
            const double *const b = base + (size_t)k * (size_t)n;
            const double w = yk_dot(n, b, row);
            subtract(n, w, b, row);
            subtract(m, w, made_of + (size_t)k * (size_t)m, weight);
        }
}

yoke_status yk_dependent_row(int m, int n, const double *a, double vanishing,
                             int *row, double *weight, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *base = NULL, *made_of = NULL;

    *row = -1;
    memset(weight, 0, (size_t)m * sizeof *weight);
    YK_GO(yk_doubles(&base, (size_t)m * (size_t)n + 1, err));
    YK_GO(yk_doubles(&made_of, (size_t)m * (size_t)m + 1, err));
    memcpy(base, a, (size_t)m * (size_t)n * sizeof *base);
    for (int i = 0; i < m && *row < 0; i++) {
        double *const b = base + (size_t)i * (size_t)n;
        double *const w = made_of + (size_t)i * (size_t)m;
        const double before = sqrt(yk_dot(n, b, b));
        w[i] = 1.0;
        reduce(i, m, n, base, made_of, b, w);
        const double after = sqrt(yk_dot(n, b, b));
        if (!(after > vanishing * before)) {
            *row = i;
            memcpy(weight, w, (size_t)m * sizeof *weight);
            break;
        }
        for (int j = 0; j < n; j++) b[j] /= after;
        for (int j = 0; j < m; j++) w[j] /= after;
    }
done:
    YK_FREE(base, made_of);
    return status;
}

int yk_list_weighted(char *text, size_t room, int n, const double *weight,
                     const char *const *name)
{
    double least = 0.0;
    int count = 0, left = 0;

    for (int i = 0; i < n; i++) least = fmax(least, part_of * fabs(weight[i]));
    for (int i = 0; i < n; i++) count += fabs(weight[i]) > least;
    left = count;
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        if (!(fabs(weight[i]) > least)) continue;
        left--;
        yk_append(text, room, "%s\"%.60s\"",
                  !text[0]    ? ""
                  : left == 0 ? " and "
                              : ", ",
                  name[i]);
    }
    return count;
}
