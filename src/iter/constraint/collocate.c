/* iter/constraint/collocate.c -- polynomials through Radau's points.
 *
 * The points are the zeros of P_n - P_{n-1}, P Legendre's polynomials on
 * [-1, 1], moved to [0, 1].
 */
#include "iter/constraint/collocate.h"

#include <math.h>
#include <stdbool.h>

enum { MOST = YK_RADAU_MOST, GAUSS = 6 };

static const double gauss_place[GAUSS] = {
    0.03376524289842398609, 0.16939530676686774317, 0.38069040695840154568,
    0.61930959304159845432, 0.83060469323313225683, 0.96623475710157601391
};
static const double gauss_weight[GAUSS] = {
    0.08566224618958517252, 0.18038078652406930378, 0.23395696728634552369,
    0.23395696728634552369, 0.18038078652406930378, 0.08566224618958517252
};

/* P_n(x). */
static double legendre(int n, double x)
{
    double before = 1.0, now = x;

    if (n == 0) return 1.0;
    for (int k = 1; k < n; k++) {
        const double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
        before = now;
        now = next;
    }
    return now;
}

static double radau(int n, double x)
{
    return legendre(n, x) - legendre(n - 1, x);
}

static double zero_between(int n, double low, double high)
{
    const bool rises = radau(n, low) < 0.0;

    for (int i = 0; i < 200 && high - low > 0.0; i++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if ((radau(n, middle) < 0.0) == rises)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static void find_places(yk_radau_points *r)
{
    const int fine = 400, n = r->count;
    int found = 0;

    for (int k = 0; k < fine && found < n - 1; k++) { /* the last is known */
        const double a = -1.0 + 2.0 * k / fine, b = a + 2.0 / fine;
        if (k == fine - 1 || (radau(n, a) < 0.0) == (radau(n, b) < 0.0))
            continue;
        r->place[found++] = 0.5 + 0.5 * zero_between(n, a, b);
    }
    r->place[n - 1] = 1.0;
}

/* The powers of the polynomial that is 1 at point j, 0 at the others. */
static void find_powers(yk_radau_points *r, int j)
{
    double a[MOST] = { 1.0 };
    int degree = 0;

    for (int k = 0; k < r->count; k++) {
        const double size = r->place[j] - r->place[k];
        if (k == j) continue;
        degree++;
        for (int i = degree; i >= 0; i--)
            a[i] = ((i > 0 ? a[i - 1] : 0.0) - r->place[k] * a[i]) / size;
    }
    for (int i = 0; i < r->count; i++) r->power[i][j] = a[i];
}

void yk_radau_points_make(yk_radau_points *r, int count)
{
    double top = 1.0; /* of the powers of P_{count-1} on [0, 1] */

    r->count = count;
    find_places(r);
    for (int k = 1; k < count; k++) top *= 2.0 * (2 * k - 1) / k;
    for (int j = 0; j < count; j++) {
        find_powers(r, j);
        r->tail[j] = r->power[count - 1][j] / top;
    }
}

double yk_step_response_at(const yk_step_response *z, double s)
{
    const double x = fmin(s / z->length, 1.0);
    double sum = 0.0, slope = 0.0;

    for (int k = YK_STEP_RESPONSE - 1; k >= 0; k--) {
        slope = slope * x + sum;
        sum = sum * x + z->coef[k];
    }
    return s > z->length ? sum + slope * (s / z->length - 1.0) : sum;
}

/* What the polynomial of point j on the piece [a, b] does at time t > a. */
static double effect(const yk_collocation *c, const yk_step_response *z,
                     double a, double b, int j, double t)
{
    const yk_radau_points *r = &c->points;
    const double to = fmin(t, b), length = b - a;
    double sum = yk_step_response_at(z, t - a) * r->power[0][j];

    for (int q = 0; q < GAUSS; q++) {
        const double s = a + (to - a) * gauss_place[q];
        const double x = (s - a) / length;
        double slope = 0.0;
        for (int k = r->count - 1; k > 0; k--)
            slope = slope * x + k * r->power[k][j];
        sum += gauss_weight[q] * (to - a) / length * slope *
               yk_step_response_at(z, t - s);
    }
    if (t > b && j == r->count - 1) sum -= yk_step_response_at(z, t - b);
    return sum;
}

void yk_collocation_matrix(const yk_collocation *c, double *matrix)
{
    const int points = c->points.count, n = c->n;
    const int size = c->pieces * points * n;

    for (int i = 0; i < size * size; i++) matrix[i] = 0.0;
    for (int row = 0; row < c->pieces * points; row++) {
        const double *at = &c->knot[row / points];
        const double place = c->points.place[row % points];
        const double t = place == 1.0 ? at[1] : at[0] + place * (at[1] - at[0]);
        for (int col = 0; col / points <= row / points; col++) {
            const double *from = &c->knot[col / points];
            if (col >= c->pieces * points) break;
            for (int i = 0; i < n; i++)
                for (int k = 0; k < n; k++)
                    matrix[(row * n + i) * size + col * n + k] = effect(
                        c, &c->z[i * n + k], from[0], from[1], col % points, t);
        }
    }
}
