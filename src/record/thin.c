/* record/thin.c -- which points of a polyline are needed.
 *
 * Douglas and Peucker: of the points between two that are kept the one that is
 * farthest from their chord is kept if it is farther than `tol`, then both
 * halves are looked at.  Which points a larger `tol` would keep is known from the
 * same walk: those whose distance, and that of all before them, is larger.  The
 * distance is that of the values at the same time, the largest over all columns,
 * each in its scale.  Two points at one time are the sides of a jump; the chord
 * from the first misses the second by all of it.
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

/* The point between a and b farthest from their chord, -1: none by more than
 * *most, which becomes its distance. */
static int farthest(const yk_polyline *line, int a, int b, double *most)
{
    int where = -1;

    for (int i = a + 1; i < b; i++) {
        const double d =
            deviation(line, row_of(line, a), row_of(line, b), row_of(line, i));
        if (d <= *most) continue;
        *most = d;
        where = i;
    }
    return where;
}

void yk_thin(const yk_polyline *line, double tol, double *level, int *stack)
{
    int left = 0;

    for (int next = 1; next < line->count; next++) {
        int depth = 0;
        if (level[next] < INFINITY) continue;
        stack[depth++] = next;
        while (depth > 0) {
            const int right = stack[depth - 1];
            double most = tol;
            const int where = farthest(line, left, right, &most);
            if (where >= 0) {
                level[where] = fmin(most, fmin(level[left], level[right]));
                stack[depth++] = where;
                continue;
            }
            left = right;
            depth--;
        }
    }
}
