/* record/thin.c -- which points of a polyline are needed.
 *
 * Douglas and Peucker: of the points between two that are kept the one that is
 * farthest from their chord is kept if it is farther than `tol`, then both
 * halves are looked at.  The distance is that of the values at the same time,
 * the largest over all columns, each in its scale.  Two points at one time are
 * the sides of a jump; the chord from the first misses the second by all of it.
 */
#include "record/choice.h"

#include <math.h>
#include <stddef.h>

static const double *row_of(const yk_polyline *line, int i)
{
    return line->row + (size_t)i * ((size_t)line->columns + 1);
}

static double deviation(const yk_polyline *line, const double *a,
                        const double *b, const double *x)
{
    const double part = b[0] > a[0] ? (x[0] - a[0]) / (b[0] - a[0]) : 0.0;
    double largest = 0.0;

    for (int c = 0; c < line->columns; c++) {
        if (line->scale[c] == 0.0) continue;
        const double chord = a[c + 1] + part * (b[c + 1] - a[c + 1]);
        const double d = fabs(x[c + 1] - chord) / line->scale[c];
        if (d > largest) largest = d;
    }
    return largest;
}

static int farthest(const yk_polyline *line, int a, int b, double tol)
{
    int where = -1;

    for (int i = a + 1; i < b; i++) {
        const double d =
            deviation(line, row_of(line, a), row_of(line, b), row_of(line, i));
        if (d <= tol) continue;
        tol = d;
        where = i;
    }
    return where;
}

int yk_thin(const yk_polyline *line, double tol, bool *keep, int *stack)
{
    int kept = 1, left = 0;

    for (int next = 1; next < line->count; next++) {
        int depth = 0;
        if (!keep[next]) continue;
        stack[depth++] = next;
        while (depth > 0) {
            const int right = stack[depth - 1];
            const int where = farthest(line, left, right, tol);
            if (where >= 0) {
                keep[where] = true;
                stack[depth++] = where;
                continue;
            }
            left = right;
            depth--;
            kept++;
        }
    }
    return kept;
}
