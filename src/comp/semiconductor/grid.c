/* comp/semiconductor/grid.c -- points of the grid, equal or graded.
 *
 * Graded: the distance of points grows linearly with the distance z from the
 * nearest junction,  h(z) = finest + g z.  A stretch of length d beside a
 * junction then has  ln(1 + g d / finest) / g  cells; g is chosen so that they
 * sum up to the number wanted.  Every junction is a point.
 */
#include "comp/semiconductor/device.h"

#include <math.h>

enum { HALVINGS = 100 };

/* A stretch from a junction at `from` to `to`, in either direction. */
typedef struct stretch {
    double from, to;
    int cells;
} stretch;

static double cells_of(const stretch *s, double finest, double g)
{
    const double d = fabs(s->to - s->from);

    return g * d < 1e-9 * finest ? d / finest : log1p(g * d / finest) / g;
}

static double total(const stretch *s, int count, double finest, double g)
{
    double sum = 0.0;

    for (int k = 0; k < count; k++) sum += cells_of(&s[k], finest, g);
    return sum;
}

/* g with the wanted number of cells; 0 if equal cells are fine enough. */
static double growth(const stretch *s, int count, double finest, int cells)
{
    double low = 0.0, high = 1.0;

    if (total(s, count, finest, 0.0) <= cells) return 0.0;
    while (total(s, count, finest, high) > cells && high < 1e6) high *= 2.0;
    for (int k = 0; k < HALVINGS; k++) {
        const double mid = 0.5 * (low + high);
        if (total(s, count, finest, mid) > cells)
            low = mid;
        else
            high = mid;
    }
    return high;
}

/* Distance from the junction of point k of the stretch. */
static double distance(const stretch *s, double finest, double g, int k)
{
    const double d = fabs(s->to - s->from), part = (double)k / s->cells;

    if (g == 0.0) return d * part;
    return finest / g * expm1(part * log1p(g * d / finest));
}

/* From the ends and junctions: halves between junctions. */
static int divide(const double *junction, int count, double length, stretch *s)
{
    int made = 0;

    s[made++] = (stretch){ junction[0], 0.0, 0 };
    for (int k = 0; k + 1 < count; k++) {
        const double mid = 0.5 * (junction[k] + junction[k + 1]);
        s[made++] = (stretch){ junction[k], mid, 0 };
        s[made++] = (stretch){ junction[k + 1], mid, 0 };
    }
    s[made++] = (stretch){ junction[count - 1], length, 0 };
    return made;
}

static yoke_status fill_graded(const yk_diode *given, stretch *s, int count,
                               double **x, int *cells, yoke_err *err)
{
    const double g = growth(s, count, given->finest, given->cells);
    int at = 0;

    *cells = 0;
    for (int k = 0; k < count; k++) {
        const double share = cells_of(&s[k], given->finest, g);
        s[k].cells = share > 1.0 ? (int)lround(fmin(share, 1e7)) : 1;
        *cells += s[k].cells;
    }
    if (*cells > 2 * given->cells + 4 * count)
        return yk_fail(err, YOKE_E_ARG,
                       "the grid would have %d cells instead of %d; make the "
                       "finest distance, %g m, larger",
                       *cells, given->cells, given->finest);
    YK_TRY(yk_doubles(x, (size_t)*cells + 1, err));
    for (int k = 0; k < count; k++) {
        const bool back = s[k].to < s[k].from;
        for (int j = 0; j < s[k].cells; j++)
            (*x)[at++] = back
                             ? s[k].from - distance(&s[k], given->finest, g,
                                                    s[k].cells - j)
                             : s[k].from + distance(&s[k], given->finest, g, j);
    }
    (*x)[0] = 0.0;
    (*x)[at] = given->length;
    return YOKE_OK;
}

static yoke_status graded(const yk_diode *given, double **x, int *cells,
                          yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *junction = NULL;
    stretch *s = NULL;
    int junctions = 0;

    YK_GO(yk_doping_junctions(given, &junction, &junctions, err));
    YK_GO(YK_NEW(&s, 2 * (size_t)junctions + 2, err));
    if (junctions == 0) {
        junction[0] = 0.5 * given->length;
        junctions = 1;
    }
    const int count = divide(junction, junctions, given->length, s);
    YK_GO(fill_graded(given, s, count, x, cells, err));
done:
    YK_FREE(s, junction);
    return status;
}

yoke_status yk_diode_grid(const yk_diode *given, double **x, int *cells,
                          yoke_err *err)
{
    if (given->points > 0) {
        *cells = given->points - 1;
        return yk_copy_doubles(x, given->point, (size_t)given->points, err);
    }
    if (given->finest > 0.0) return graded(given, x, cells, err);
    *cells = given->cells;
    YK_TRY(yk_doubles(x, (size_t)*cells + 1, err));
    for (int k = 0; k <= *cells; k++) (*x)[k] = given->length * k / *cells;
    return YOKE_OK;
}
