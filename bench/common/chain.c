/* bench/common/chain.c -- a chain of RC cells as a Yoke system. */
#include "chain.h"

#include "bench.h"
#include "la/pattern.h"

#include <math.h>
#include <stdlib.h>

chain *chain_create(int n)
{
    chain *s = bench_new(1, sizeof *s);

    s->n = n;
    s->a = bench_new((size_t)n, sizeof *s->a);
    s->b = bench_new((size_t)n, sizeof *s->b);
    return s;
}

void chain_free(chain *s)
{
    if (!s) return;
    free(s->a);
    free(s->b);
    free(s);
}

double chain_conductance(const chain *s, int k)
{
    if (k == 0) return s->g_left;
    return k == s->n ? s->g_right : s->g;
}

void chain_currents(const chain *s, double t, const double *v, const double *u,
                    double *f)
{
    const int n = s->n;
    const double sine = sin(s->omega * t), cosine = cos(s->omega * t);
    const double left = s->has_left ? u[0] : 0.0;
    const double right = s->has_right ? u[s->has_left ? 1 : 0] : 0.0;
    double current = s->g_left * (left - v[0]); /* into cell k from the left */

    for (int k = 0; k < n; k++) {
        const double next =
            k + 1 < n ? s->g * (v[k] - v[k + 1]) : s->g_right * (v[k] - right);
        f[k] =
            next - current + s->leak * v[k] - s->a[k] * sine - s->b[k] * cosine;
        current = next;
    }
}

static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const chain *s = self;

    (void)err;
    for (int k = 0; q && k < s->n; k++) q[k] = s->c * x[k];
    if (f) chain_currents(s, t, x, u, f);
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    (void)t, (void)u, (void)err;
    y[0] = x[0];
    y[1] = x[((const chain *)self)->n - 1];
    return YOKE_OK;
}

/* G column by column: above, on and below the diagonal. */
static void fill_g(const chain *s, double *G)
{
    for (int k = 0; k < s->n; k++) {
        const double left = chain_conductance(s, k),
                     right = chain_conductance(s, k + 1);
        if (k > 0) *G++ = -left;
        *G++ = left + right + s->leak;
        if (k + 1 < s->n) *G++ = -right;
    }
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    const chain *s = self;

    (void)t, (void)x, (void)u, (void)err;
    for (int k = 0; jac->C && k < s->n; k++) jac->C[k] = s->c;
    if (jac->G) fill_g(s, jac->G);
    if (jac->Gu) {
        double *gu = jac->Gu;
        if (s->has_left) *gu++ = -s->g_left;
        if (s->has_right) *gu = -s->g_right;
    }
    if (jac->Hx) jac->Hx[0] = jac->Hx[1] = 1.0;
    return YOKE_OK;
}

static void release(void *self)
{
    chain_free(self);
}

/* ---- patterns ----------------------------------------------------------- */

static yoke_status tridiagonal(yoke_pattern **out, int n, yoke_err *err)
{
    int *row = bench_new(3 * (size_t)n, sizeof *row);
    int *col = bench_new(3 * (size_t)n, sizeof *col);
    int count = 0;

    for (int j = 0; j < n; j++)
        for (int i = j - 1; i <= j + 1; i++) {
            if (i < 0 || i >= n) continue;
            row[count] = i;
            col[count++] = j;
        }
    const yoke_status status =
        yoke_pattern_create(out, n, n, count, row, col, err);
    free(row);
    free(col);
    return status;
}

static yoke_status input_pattern(yoke_pattern **out, const chain *s,
                                 yoke_err *err)
{
    const int row[2] = { s->has_left ? 0 : s->n - 1, s->n - 1 };
    const int col[2] = { 0, 1 };
    const int inputs = s->has_left + s->has_right;

    return yoke_pattern_create(out, s->n, inputs, inputs, row, col, err);
}

static yoke_status output_pattern(yoke_pattern **out, const chain *s,
                                  yoke_err *err)
{
    const int row[2] = { 0, 1 }, col[2] = { 0, s->n - 1 };

    return yoke_pattern_create(out, 2, s->n, 2, row, col, err);
}

yoke_status chain_system(yoke_system **out, const char *name, chain *s,
                         unsigned flags, const double *v0, yoke_err *err)
{
    static const yoke_system_ops ops = { .kind = "chain",
                                         .eval = eval,
                                         .output = output,
                                         .jacobian = jacobian,
                                         .free = release };
    static const char *const both[] = { "left", "right" };
    static const char *const ends[] = { "first", "last" };
    yoke_pattern *C = NULL, *G = NULL, *Gu = NULL, *Hx = NULL;
    yoke_status status = YOKE_OK;

    bench_need(yk_pattern_identity(&C, s->n, err), err);
    bench_need(tridiagonal(&G, s->n, err), err);
    bench_need(input_pattern(&Gu, s, err), err);
    bench_need(output_pattern(&Hx, s, err), err);
    const yoke_system_info info = {
        .n = s->n,
        .m = s->has_left + s->has_right,
        .p = 2,
        .flags = flags,
        .x0 = v0,
        .u_name = s->has_left ? both : both + 1,
        .y_name = ends,
        .C = C,
        .G = G,
        .Gu = Gu,
        .Hx = Hx,
    };
    status = yoke_system_create(out, name, &ops, s, &info, err);
    yoke_pattern_free(C);
    yoke_pattern_free(G);
    yoke_pattern_free(Gu);
    yoke_pattern_free(Hx);
    return status;
}
