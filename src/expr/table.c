/* expr/table.c -- values and slopes of tables. */
#include "expr/table.h"
#include "base/vector.h"

#include <math.h>

int yk_table_piece(const double *table, int rows, double x)
{
    const int k = yk_last_below(table, rows - 1, 2, x);

    return k < 0 ? 0 : k;
}

static double slope_of(const double *r)
{
    return (r[3] - r[1]) / (r[2] - r[0]);
}

double yk_slope(const double *table, int rows, double x)
{
    if (rows < 2 || x < table[0] || x > table[2 * rows - 2]) return 0.0;
    return slope_of(table + 2 * yk_table_piece(table, rows, x));
}

static double on_line(const double *table, int rows, double x)
{
    const double *r = table + 2 * yk_table_piece(table, rows, x);

    return r[1] + slope_of(r) * (x - r[0]);
}

double yk_interpolate(const double *table, int rows, double x)
{
    if (rows < 1) return 0.0;
    if (x <= table[0]) return table[1];
    if (x >= table[2 * rows - 2]) return table[2 * rows - 1];
    return on_line(table, rows, x);
}

/* A tenth of the shorter piece beside row k. */
static double reach_of(const double *table, int rows, int k)
{
    const double *c = table + 2 * k;
    const double below = k > 0 ? c[0] - c[-2] : INFINITY;
    const double above = k < rows - 1 ? c[2] - c[0] : INFINITY;

    return 0.1 * fmin(below, above);
}

int yk_table_levels(yk_op op, int rows)
{
    return op == YK_OP_ROUNDED && rows > 1 ? 2 * rows : rows;
}

double yk_table_level(yk_op op, const double *table, int rows, int k)
{
    if (op != YK_OP_ROUNDED || rows < 2) return table[2 * k];
    const double reach = reach_of(table, rows, k / 2);
    return table[2 * (k / 2)] + (k % 2 ? reach : -reach);
}

int yk_table_count(yk_op op, const double *table, int rows, double x, bool at)
{
    int low = 0, high = yk_table_levels(op, rows);

    while (low < high) {
        const int middle = (low + high) / 2;
        const double level = yk_table_level(op, table, rows, middle);
        if (at ? !(level > x) : level < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Near a point ngspice's table is a parabola.  True if x lies there. */
static bool at_corner(const double *table, int rows, int k, double x, double *y,
                      double *d)
{
    const double *c = table + 2 * k;
    const double reach = reach_of(table, rows, k);
    const double rises = k > 0 ? slope_of(c - 2) : 0.0;
    const double leaves = k < rows - 1 ? slope_of(c) : 0.0;
    const double in = x - c[0] + reach;

    if (in <= 0.0 || in >= 2.0 * reach) return false;
    *d = rises + (leaves - rises) * in / (2.0 * reach);
    *y = c[1] + rises * (x - c[0]) + (leaves - rises) * in * in / (4.0 * reach);
    return true;
}

static double rounded(const double *table, int rows, double x, double *d)
{
    const int k = yk_table_piece(table, rows, x);
    double y;

    if (at_corner(table, rows, k, x, &y, d) ||
        at_corner(table, rows, k + 1, x, &y, d))
        return y;
    *d = 0.0;
    if (x <= table[0]) return table[1];
    if (x >= table[2 * rows - 2]) return table[2 * rows - 1];
    *d = slope_of(table + 2 * k);
    return on_line(table, rows, x);
}

double yk_table_value(yk_op op, const double *table, int rows, double x)
{
    double d;

    switch (op) {
    case YK_OP_LINES:
        return on_line(table, rows, x);
    case YK_OP_SLOPE:
        return yk_slope(table, rows, x);
    case YK_OP_ROUNDED:
        return rounded(table, rows, x, &d);
    default:
        return yk_interpolate(table, rows, x);
    }
}

double yk_table_slope(yk_op op, const double *table, int rows, double x)
{
    double d;

    switch (op) {
    case YK_OP_LINES:
        return slope_of(table + 2 * yk_table_piece(table, rows, x));
    case YK_OP_SLOPE:
        return 0.0;
    case YK_OP_ROUNDED:
        rounded(table, rows, x, &d);
        return d;
    default:
        return yk_slope(table, rows, x);
    }
}
