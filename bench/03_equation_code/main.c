/* Residual plus Jacobian of equation models against hand-written C, and how the
 * time of the compiler grows with the number of equations.
 *
 * All sides are called through yoke_system_eval and yoke_system_jacobian, and
 * the hand-written one also directly.  Times are the best of several rounds, in
 * which the sides take turns.
 */
#include "bench.h"
#include "hand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 4, ROUNDS = 9 };
static const char *const side_name[SIDES] = { "native", "interpreter",
                                              "by_hand", "by_hand_direct" };

typedef struct measured {
    double best[SIDES]; /* seconds for one residual and one Jacobian */
    double difference;  /* largest, native against by hand, relative */
    bool same_bits;     /* native and interpreter */
} measured;

static yoke_system *compiled(const hand *h, int cells, const char *compiler,
                             yoke_equation_report *report)
{
    const yoke_equation_options options = { .compiler = compiler };
    char text[4000];
    yoke_system *system = NULL;
    yoke_err err;

    const int length = snprintf(text, sizeof text, h->text, cells);
    bench_need(yoke_equation_parse(&system, h->name, h->name, text,
                                   (size_t)length, &options, report, &err),
               &err);
    return system;
}

static void evaluate(yoke_system *s, const double *x, double *f, double *g)
{
    const yoke_jacobian jac = { .G = g };
    yoke_err err;

    bench_need(yoke_system_eval(s, 0.0, x, NULL, NULL, f, &err), &err);
    bench_need(yoke_system_jacobian(s, 0.0, x, NULL, &jac, &err), &err);
}

static double time_side(const hand *h, int cells, yoke_system *s,
                        const double *x, double *f, double *g, int repeat)
{
    const double begin = bench_clock();

    for (int k = 0; k < repeat; k++)
        if (s)
            evaluate(s, x, f, g);
        else {
            h->f(cells, x, f);
            h->g(cells, x, g);
        }
    return (bench_clock() - begin) / repeat;
}

static double difference(const double *a, const double *b, int n)
{
    double most = 0.0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / (1.0 + fabs(b[i])));
    return most;
}

static measured measure(const hand *h, int cells, int repeat)
{
    measured m = { .same_bits = true };
    yoke_equation_report report;
    yoke_system *s[SIDES] = { NULL };
    yoke_err err;
    double *out[SIDES];

    s[0] = compiled(h, cells, "cc", &report);
    if (!report.compiled) {
        fprintf(stderr, "not compiled: %s\n", report.text);
        exit(1);
    }
    s[1] = compiled(h, cells, NULL, NULL);
    bench_need(h->create(&s[2], cells, &err), &err);
    const int n = yoke_system_facts(s[0])->n;
    const int places = yoke_pattern_count(yoke_system_facts(s[0])->G);
    if (places != yoke_pattern_count(yoke_system_facts(s[2])->G)) {
        fprintf(stderr, "%s: the patterns differ\n", h->name);
        exit(1);
    }
    double *x = bench_new((size_t)n, sizeof *x);
    for (int j = 0; j < n; j++) x[j] = 1.0 + 0.3 * sin(0.1 * j);
    for (int k = 0; k < SIDES; k++) {
        out[k] = bench_new((size_t)(n + places), sizeof *out[k]);
        m.best[k] = INFINITY;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < SIDES; k++)
            m.best[k] = fmin(m.best[k], time_side(h, cells, s[k], x, out[k],
                                                  out[k] + n, repeat));
    m.difference = difference(out[0], out[2], n + places);
    m.same_bits =
        memcmp(out[0], out[1], (size_t)(n + places) * sizeof *out[0]) == 0;
    for (int k = 0; k < SIDES; k++) {
        yoke_system_free(s[k]);
        free(out[k]);
    }
    free(x);
    return m;
}

static void compare(const hand *h, int equations, int repeat)
{
    const measured m = measure(h, equations / h->per_cell, repeat);

    printf("%-12s", h->name);
    for (int k = 0; k < SIDES; k++) {
        char quantity[64];
        printf("  %8.1f", 1e6 * m.best[k]);
        snprintf(quantity, sizeof quantity, "%s_seconds", side_name[k]);
        bench_put(h->name, quantity, m.best[k]);
    }
    printf("  %6.2f\n", m.best[0] / m.best[2]);
    bench_put(h->name, "native_over_by_hand", m.best[0] / m.best[2]);
    bench_put(h->name, "difference", m.difference);
    bench_put(h->name, "native_and_interpreter_same_bits", m.same_bits);
}

/* Front end, structure and code; slope of log time over log equations. */
static void growth(const hand *h, const int *size, int count)
{
    double n[8], seconds[8];

    for (int i = 0; i < count; i++) {
        yoke_equation_report r;
        char quantity[64];
        const double begin = bench_clock();
        yoke_system_free(compiled(h, size[i] / h->per_cell, "cc", &r));
        n[i] = size[i];
        seconds[i] = bench_clock() - begin;
        printf("%-12s %8d equations  read %.3f s  structure %.3f s  code %.3f "
               "s  all %.3f s\n",
               h->name, size[i], r.read_seconds, r.structure_seconds,
               r.code_seconds, seconds[i]);
        snprintf(quantity, sizeof quantity, "compile_seconds_%d", size[i]);
        bench_put(h->name, quantity, seconds[i]);
    }
    bench_put(h->name, "compile_slope", bench_slope(count, n, seconds));
}

int main(int argc, char **argv)
{
    const bench_arguments a = bench_read_arguments(argc, argv);
    const int size[] = { 10000, 30000, 100000, 300000 };

    bench_open(a.file);
    printf("one residual and one Jacobian of 10,000 equations, microseconds\n");
    printf("%-12s  %8s  %8s  %8s  %8s  %6s\n", "model", "native", "interp.",
           "by hand", "direct", "ratio");
    for (const hand *h = hands; h->name; h++)
        compare(h, 10000, a.quick ? 20 : 200);
    printf("\ntime of the compiler\n");
    for (const hand *h = hands; h->name; h++) growth(h, size, a.quick ? 2 : 4);
    bench_close();
    return 0;
}
