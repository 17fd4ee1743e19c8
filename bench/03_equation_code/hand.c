/* The models by hand, as someone who wants them fast writes them: one pass over
 * the cells, values of G stored where the compressed columns want them.
 */
#include "hand.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cells {
    int cells;
    const hand *hand;
} cells;

/* ---- A rod that radiates: n temperatures, tridiagonal -------------------- */

static const char rod_text[] =
    "model Rod\n"
    "  parameter Integer n = %d;\n"
    "  parameter Real a = 0.7, b = 0.02, s = 1e-3;\n"
    "  Real T[n](each start = 1.5);\n"
    "equation\n"
    "  der(T[1]) = a*(T[2] - T[1]) - b*(T[1]^4 - s);\n"
    "  for i in 2:n-1 loop\n"
    "    der(T[i]) = a*(T[i-1] - 2*T[i] + T[i+1]) - b*(T[i]^4 - s);\n"
    "  end for;\n"
    "  der(T[n]) = a*(T[n-1] - T[n]) - b*(T[n]^4 - s);\n"
    "end Rod;\n";

static void rod_f(int n, const double *T, double *f)
{
    const double a = 0.7, b = 0.02, s = 1e-3;

    for (int i = 1; i < n - 1; i++) {
        const double square = T[i] * T[i];
        f[i] = -(a * (T[i - 1] - 2.0 * T[i] + T[i + 1]) -
                 b * (square * square - s));
    }
    f[0] = -(a * (T[1] - T[0]) - b * (T[0] * T[0] * T[0] * T[0] - s));
    f[n - 1] = -(a * (T[n - 2] - T[n - 1]) -
                 b * (T[n - 1] * T[n - 1] * T[n - 1] * T[n - 1] - s));
}

/* Column j holds rows j - 1, j, j + 1 from place 3 j - 1 on. */
static void rod_g(int n, const double *T, double *g)
{
    const double a = 0.7, b = 0.02;

    for (int j = 1; j < n - 1; j++) {
        g[3 * j - 1] = -a;
        g[3 * j] = 2.0 * a + 4.0 * b * (T[j] * T[j] * T[j]);
        g[3 * j + 1] = -a;
    }
    g[0] = a + 4.0 * b * (T[0] * T[0] * T[0]);
    g[1] = -a;
    g[3 * n - 4] = -a;
    g[3 * n - 3] = a + 4.0 * b * (T[n - 1] * T[n - 1] * T[n - 1]);
}

/* ---- The Brusselator with diffusion: u and v of n cells ------------------ */

static const char brusselator_text[] =
    "model Brusselator\n"
    "  parameter Integer n = %d;\n"
    "  parameter Real A = 1, B = 3, d = 0.02*4;\n"
    "  Real u[n](each start = 1.2), v[n](each start = 3.1);\n"
    "equation\n"
    "  der(u[1]) = A + u[1]^2*v[1] - (B + 1)*u[1] + d*(u[2] - u[1]);\n"
    "  for i in 2:n-1 loop\n"
    "    der(u[i]) = A + u[i]^2*v[i] - (B + 1)*u[i]\n"
    "                + d*(u[i-1] - 2*u[i] + u[i+1]);\n"
    "  end for;\n"
    "  der(u[n]) = A + u[n]^2*v[n] - (B + 1)*u[n] + d*(u[n-1] - u[n]);\n"
    "  der(v[1]) = B*u[1] - u[1]^2*v[1] + d*(v[2] - v[1]);\n"
    "  for i in 2:n-1 loop\n"
    "    der(v[i]) = B*u[i] - u[i]^2*v[i] + d*(v[i-1] - 2*v[i] + v[i+1]);\n"
    "  end for;\n"
    "  der(v[n]) = B*u[n] - u[n]^2*v[n] + d*(v[n-1] - v[n]);\n"
    "end Brusselator;\n";

static void brusselator_f(int n, const double *x, double *f)
{
    const double A = 1.0, B = 3.0, d = 0.08, *u = x, *v = x + n;

    for (int i = 0; i < n; i++) {
        const double r = u[i] * u[i] * v[i];
        const double du = i == 0       ? u[1] - u[0]
                          : i == n - 1 ? u[n - 2] - u[n - 1]
                                       : u[i - 1] - 2.0 * u[i] + u[i + 1];
        const double dv = i == 0       ? v[1] - v[0]
                          : i == n - 1 ? v[n - 2] - v[n - 1]
                                       : v[i - 1] - 2.0 * v[i] + v[i + 1];
        f[i] = -(A + r - (B + 1.0) * u[i] + d * du);
        f[n + i] = -(B * u[i] - r + d * dv);
    }
}

/* Column u[i]: u[i-1], u[i], u[i+1], v[i].  Column v[i]: u[i], v[i-1], v[i],
 * v[i+1]. */
static void brusselator_g(int n, const double *x, double *g)
{
    const double B = 3.0, d = 0.08, *u = x, *v = x + n;

    for (int i = 0; i < n; i++) {
        const double w = i == 0 || i == n - 1 ? d : 2.0 * d;
        const double uv = 2.0 * (u[i] * v[i]);
        if (i > 0) *g++ = -d;
        *g++ = -(uv - (B + 1.0) - w);
        if (i < n - 1) *g++ = -d;
        *g++ = uv - B;
    }
    for (int i = 0; i < n; i++) {
        const double w = i == 0 || i == n - 1 ? d : 2.0 * d;
        const double uu = u[i] * u[i];
        *g++ = -uu;
        if (i > 0) *g++ = -d;
        *g++ = uu + w;
        if (i < n - 1) *g++ = -d;
    }
}

/* ---- A ladder of diodes: voltages v, currents c (algebraic) -------------- */

static const char diodes_text[] =
    "model Diodes\n"
    "  parameter Integer n = %d;\n"
    "  Real v[n](each start = 0.1), c[n](each start = 0);\n"
    "equation\n"
    "  for i in 1:n loop\n"
    "    c[i] = 0.01*(exp(v[i]/0.5) - 1);\n"
    "  end for;\n"
    "  der(v[1]) = v[2] - v[1] - c[1];\n"
    "  for i in 2:n-1 loop\n"
    "    der(v[i]) = v[i-1] - 2*v[i] + v[i+1] - c[i];\n"
    "  end for;\n"
    "  der(v[n]) = v[n-1] - v[n] - c[n];\n"
    "end Diodes;\n";

static void diodes_f(int n, const double *x, double *f)
{
    const double *v = x, *c = x + n;

    for (int i = 0; i < n; i++) f[i] = c[i] - 0.01 * (exp(v[i] / 0.5) - 1.0);
    f[n] = -(v[1] - v[0] - c[0]);
    for (int i = 1; i < n - 1; i++)
        f[n + i] = -(v[i - 1] - 2.0 * v[i] + v[i + 1] - c[i]);
    f[2 * n - 1] = -(v[n - 2] - v[n - 1] - c[n - 1]);
}

/* Column v[i]: its diode, then three rows of charges; column c[i]: two. */
static void diodes_g(int n, const double *x, double *g)
{
    for (int i = 0; i < n; i++) {
        *g++ = -(0.01 * exp(x[i] / 0.5) / 0.5);
        if (i > 0) *g++ = -1.0;
        *g++ = i == 0 || i == n - 1 ? 1.0 : 2.0;
        if (i < n - 1) *g++ = -1.0;
    }
    for (int i = 0; i < n; i++) {
        *g++ = 1.0;
        *g++ = 1.0;
    }
}

/* ---- As subsystems ------------------------------------------------------- */

static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const cells *c = self;
    const int n = c->cells * c->hand->per_cell;

    (void)t;
    (void)u;
    (void)err;
    if (q) memcpy(q, x, (size_t)n * sizeof *q);
    if (f) c->hand->f(c->cells, x, f);
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    const cells *c = self;

    (void)t;
    (void)u;
    (void)err;
    if (jac->G) c->hand->g(c->cells, x, jac->G);
    return YOKE_OK;
}

static const yoke_system_ops ops = {
    .kind = "by hand", .eval = eval, .jacobian = jacobian, .free = free
};

/* Takes only G; its places are those of the compiled model, which the driver
 * compares. */
static yoke_status create(yoke_system **out, const hand *h, int count,
                          const yoke_pattern *G, yoke_err *err)
{
    cells *self = bench_new(1, sizeof *self);
    const int n = count * h->per_cell;

    self->cells = count;
    self->hand = h;
    const yoke_system_info info = { .n = n, .G = G };
    return yoke_system_create(out, h->name, &ops, self, &info, err);
}

/* Rows of each column in order: `rows` writes them and returns how many. */
static yoke_status from_columns(yoke_system **out, const hand *h, int count,
                                int (*rows)(int n, int j, int *row),
                                yoke_err *err)
{
    const int n = count * h->per_cell;
    int *row = bench_new((size_t)n * 4, sizeof *row);
    int *col = bench_new((size_t)n * 4, sizeof *col), places = 0;
    yoke_pattern *G = NULL;

    for (int j = 0; j < n; j++) {
        const int more = rows(count, j, row + places);
        for (int k = 0; k < more; k++) col[places + k] = j;
        places += more;
    }
    bench_need(yoke_pattern_create(&G, n, n, places, row, col, err), err);
    const yoke_status status = create(out, h, count, G, err);
    yoke_pattern_free(G);
    free(row);
    free(col);
    return status;
}

static int near(int n, int i, int from, int *row)
{
    int count = 0;

    for (int k = i - 1; k <= i + 1; k++)
        if (k >= 0 && k < n) row[count++] = from + k;
    return count;
}

static int rod_rows(int n, int j, int *row)
{
    return near(n, j, 0, row);
}

static int brusselator_rows(int n, int j, int *row)
{
    if (j < n) {
        const int count = near(n, j, 0, row);
        row[count] = n + j;
        return count + 1;
    }
    row[0] = j - n;
    return 1 + near(n, j - n, n, row + 1);
}

static int diodes_rows(int n, int j, int *row)
{
    row[0] = j < n ? j : j - n;
    if (j < n) return 1 + near(n, j, n, row + 1);
    row[1] = j;
    return 2;
}

static yoke_status create_rod(yoke_system **out, int n, yoke_err *err)
{
    return from_columns(out, &hands[0], n, rod_rows, err);
}

static yoke_status create_brusselator(yoke_system **out, int n, yoke_err *err)
{
    return from_columns(out, &hands[1], n, brusselator_rows, err);
}

static yoke_status create_diodes(yoke_system **out, int n, yoke_err *err)
{
    return from_columns(out, &hands[2], n, diodes_rows, err);
}

const hand hands[] = {
    { "rod", rod_text, 1, create_rod, rod_f, rod_g },
    { "brusselator", brusselator_text, 2, create_brusselator, brusselator_f,
      brusselator_g },
    { "diodes", diodes_text, 2, create_diodes, diodes_f, diodes_g },
    { .name = NULL },
};
