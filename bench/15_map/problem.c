/* bench/15_map/problem.c -- the parts and their coupling. */
#include "problem.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>

typedef struct line {
    int n;
    double s, c, phase;
} line;

const char *map_shape_name(map_shape shape)
{
    static const char *const name[] = { "ring", "star", "chain" };

    return name[shape];
}

static bool is_fast(const map_problem *p, int k)
{
    return p->half ? k % 2 == 1 : k == p->parts / 2;
}

static int size_of(const map_problem *p, int k)
{
    return p->unknowns > 0 ? p->unknowns : 2 + 7 * k % 39;
}

/* ---- one part ------------------------------------------------------------ */

static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const line *l = self;
    const int n = l->n;

    (void)err;
    for (int j = 0; q && j < n; j++) q[j] = x[j];
    for (int j = 0; f && j < n; j++) {
        double rate = -0.1 * x[j] * x[j] * x[j];
        rate -= j == 0 ? x[j] : 0.1 * x[j];
        if (j > 0) rate += x[j - 1] - x[j];
        if (j + 1 < n) rate += x[j + 1] - x[j];
        if (j == 0) rate += l->c * (u[0] - x[0]);
        if (j + 1 == n) rate += sin(l->s * t + l->phase);
        f[j] = -l->s * rate;
    }
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    y[0] = x[0];
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    const line *l = self;
    double *g = jac->G;

    (void)t, (void)u, (void)err;
    for (int j = 0; jac->C && j < l->n; j++) jac->C[j] = 1.0;
    for (int j = 0; g && j < l->n; j++) {
        double own = 0.3 * x[j] * x[j] + (j == 0 ? 1.0 : 0.1);
        own += (j > 0) + (j + 1 < l->n) + (j == 0 ? l->c : 0.0);
        if (j > 0) *g++ = -l->s;
        *g++ = l->s * own;
        if (j + 1 < l->n) *g++ = -l->s;
    }
    if (jac->Gu) jac->Gu[0] = -l->s * l->c;
    if (jac->Hx) jac->Hx[0] = 1.0;
    return YOKE_OK;
}

static yoke_pattern *pattern(int rows, int cols, int count, const int *row,
                             const int *col)
{
    yoke_pattern *out = NULL;
    yoke_err err;

    bench_need(yoke_pattern_create(&out, rows, cols, count, row, col, &err),
               &err);
    return out;
}

static yoke_pattern *band(int n, int width)
{
    int *row = bench_new(3 * (size_t)n, sizeof *row);
    int *col = bench_new(3 * (size_t)n, sizeof *col);
    int count = 0;

    for (int j = 0; j < n; j++)
        for (int i = j - width; i <= j + width; i++) {
            if (i < 0 || i >= n) continue;
            row[count] = i;
            col[count++] = j;
        }
    yoke_pattern *out = pattern(n, n, count, row, col);
    free(row);
    free(col);
    return out;
}

static yoke_system *part(const map_problem *p, int k)
{
    static const yoke_system_ops ops = { .kind = "line",
                                         .eval = eval,
                                         .output = output,
                                         .jacobian = jacobian,
                                         .free = free };
    static const char *const u_name[] = { "u" }, *const y_name[] = { "y" };
    line *l = bench_new(1, sizeof *l);
    const int zero = 0, n = l->n = size_of(p, k);
    yoke_pattern *C = band(n, 0), *G = band(n, 1);
    yoke_pattern *Gu = pattern(n, 1, 1, &zero, &zero);
    yoke_pattern *Hx = pattern(1, n, 1, &zero, &zero);
    yoke_system *out = NULL;
    char name[20];
    yoke_err err;

    l->s = is_fast(p, k) ? p->ratio : 1.0;
    l->c = p->c;
    l->phase = k % 7;
    const yoke_system_info info = { .n = n,
                                    .m = 1,
                                    .p = 1,
                                    .u_name = u_name,
                                    .y_name = y_name,
                                    .C = C,
                                    .G = G,
                                    .Gu = Gu,
                                    .Hx = Hx };
    snprintf(name, sizeof name, "p%d", k);
    bench_need(yoke_system_create(&out, name, &ops, l, &info, &err), &err);
    yoke_pattern_free(C);
    yoke_pattern_free(G);
    yoke_pattern_free(Gu);
    yoke_pattern_free(Hx);
    return out;
}

/* ---- coupling ------------------------------------------------------------ */

void map_neighbours(const map_problem *p, int k, int *first, int *step,
                    int *count)
{
    const int m = p->parts;

    *step = 1;
    *count = 1;
    if (p->shape == MAP_STAR) {
        *first = k == 0 ? 1 : 0;
        *count = k == 0 ? m - 1 : 1;
    } else if (p->shape == MAP_CHAIN && (k == 0 || k == m - 1))
        *first = k == 0 ? 1 : m - 2;
    else {
        *first = (k + m - 1) % m;
        *step = 2;
        *count = m > 2 ? 2 : 1;
    }
}

yoke_model *map_model(const map_problem *p)
{
    yoke_model *model = NULL;
    yoke_err err;

    bench_need(yoke_model_create(&model, &err), &err);
    for (int k = 0; k < p->parts; k++)
        bench_need(yoke_model_add(model, part(p, k), NULL, &err), &err);
    for (int k = 0; k < p->parts; k++) {
        int first = 0, step = 0, count = 0;
        map_neighbours(p, k, &first, &step, &count);
        for (int i = 0; i < count; i++) {
            char to[24], from[24];
            snprintf(to, sizeof to, "p%d.u", k);
            snprintf(from, sizeof from, "p%d.y", (first + i * step) % p->parts);
            bench_need(yoke_graph_signal(yoke_model_graph(model), to, from,
                                         1.0 / count, &err),
                       &err);
        }
    }
    return model;
}

void map_write(const map_problem *p, FILE *f)
{
    fprintf(f,
            "yoke: 1\nrun: {stop: %g, rtol: 1e-6, atol: 1e-8}\nsubsystems:\n",
            p->stop);
    for (int k = 0; k < p->parts; k++) {
        const double s = is_fast(p, k) ? p->ratio : 1.0;
        fprintf(f,
                "  p%d: {linear: {A: [[%g, %g], [%g, %g]], B: [%g, 0], "
                "x0: [%.4f, 0], source: ['0', '%g*sin(%g*time+%d)'], "
                "H: [[1, 0]], y: y, u: u}}\n",
                k, -s * (1.2 + p->c), s, s, -2.2 * s, s * p->c, cos(k), 0.5 * s,
                s, k % 7);
    }
    fputs("couplings:\n", f);
    for (int k = 0; k < p->parts; k++) {
        int first = 0, step = 0, count = 0;
        map_neighbours(p, k, &first, &step, &count);
        fprintf(f, "  - signal: p%d.u =", k);
        for (int i = 0; i < count; i++)
            fprintf(f, "%s %.9g*p%d.y", i ? " +" : "", 1.0 / count,
                    (first + i * step) % p->parts);
        fputc('\n', f);
    }
}
