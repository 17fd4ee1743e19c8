/* bench/15_map/bank.c -- a bank of rectifiers on one weak source, iterated and as one.
 *
 * Rectifier k charges its own C_k, loaded by R_k, through a diode from the voltage u
 * of the source, which has an inner resistance and a capacitor,
 *
 *     C_k v' = i_k - v / R_k,          i_k = I_s (exp((u - v) / 0.05) - 1),
 *     C_s u' = (e(t) - u) / R_s - sum i_k,     e = sin(2 pi t),
 *
 * with the exponential continued by a straight line beyond 1 A.  Loads and
 * capacitors differ, so the diodes turn on one after the other. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct rectifier {
    double c, r;
} rectifier;

static const double saturation = 1e-9, thermal = 0.05;

static double diode(double v, double *slope)
{
    const double most = thermal * log(1.0 / saturation);
    const double i = saturation * exp(fmin(v, most) / thermal);

    *slope = i / thermal;
    return i - saturation + (v > most ? *slope * (v - most) : 0.0);
}

static yoke_status rectifier_eval(void *self, double t, const double *x,
                                  const double *u, double *q, double *f,
                                  yoke_err *err)
{
    const rectifier *p = self;
    double slope = 0.0;

    (void)t, (void)err;
    if (q) q[0] = p->c * x[0];
    if (f) f[0] = x[0] / p->r - diode(u[0] - x[0], &slope);
    return YOKE_OK;
}

static yoke_status rectifier_output(void *self, double t, const double *x,
                                    const double *u, double *y, yoke_err *err)
{
    double slope = 0.0;

    (void)self, (void)t, (void)err;
    y[0] = diode(u[0] - x[0], &slope);
    return YOKE_OK;
}

static yoke_status source_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)err;
    if (q) q[0] = 0.02 * x[0];
    if (f) f[0] = (x[0] - sin(6.283185307179586 * t)) / 0.5 + u[0];
    return YOKE_OK;
}

static yoke_system *add(const char *name, const yoke_system_ops *ops,
                        void *self, const yoke_system_info *info)
{
    yoke_system *out = NULL;
    yoke_err err;

    bench_need(yoke_system_create(&out, name, ops, self, info, &err), &err);
    return out;
}

static yoke_model *bank(int parts)
{
    static const yoke_system_ops rectifier_ops = { .kind = "rectifier",
                                                   .eval = rectifier_eval,
                                                   .output = rectifier_output,
                                                   .free = free };
    static const yoke_system_ops source_ops = { .kind = "source",
                                                .eval = source_eval };
    static const char *const u_name[] = { "u" }, *const y_name[] = { "y" };
    const yoke_system_info info = {
        .n = 1, .m = 1, .p = 1, .u_name = u_name, .y_name = y_name
    };
    yoke_model *model = NULL;
    char name[20], from[24];
    yoke_err err;

    bench_need(yoke_model_create(&model, &err), &err);
    for (int k = 0; k < parts; k++) {
        rectifier *p = bench_new(1, sizeof *p);
        *p = (rectifier){ 0.01 * (1.0 + 9.0 * k / parts) / parts,
                          20.0 * parts / (1.0 + (k * 7) % 13) };
        snprintf(name, sizeof name, "r%d", k);
        bench_need(yoke_model_add(model, add(name, &rectifier_ops, p, &info),
                                  NULL, &err),
                   &err);
    }
    bench_need(yoke_model_add(model, add("source", &source_ops, NULL, &info),
                              NULL, &err),
               &err);
    for (int k = 0; k < parts; k++) {
        snprintf(name, sizeof name, "r%d.u", k);
        snprintf(from, sizeof from, "r%d.y", k);
        bench_need(yoke_graph_signal(yoke_model_graph(model), name, "source.y",
                                     1.0, &err),
                   &err);
        bench_need(yoke_graph_signal(yoke_model_graph(model), "source.u", from,
                                     1.0, &err),
                   &err);
    }
    return model;
}

typedef struct outcome {
    double seconds, residuals, *end;
    int count;
} outcome;

static outcome solve(yoke_model *model, int which, double rtol)
{
    yoke_run_options o = yoke_run_defaults();
    yoke_run_result r = { .t = 0.0 };
    const double *value = NULL;
    yoke_run *run = NULL;
    outcome out;
    yoke_err err;

    o.stop = 4.0;
    o.iterate.rtol = rtol;
    o.iterate.atol = 1e-2 * rtol;
    o.spot = 0.0;
    if (which == 0) o.cluster = YOKE_CLUSTER_NONE;
    if (which == 1) o.scheme = YOKE_MONOLITHIC;
    const double began = (double)clock() / CLOCKS_PER_SEC;
    bench_need(yoke_run_create(&run, model, &o, NULL, &err), &err);
    bench_need(yoke_run_advance(run, o.stop, &err), &err);
    out.seconds = (double)clock() / CLOCKS_PER_SEC - began;
    yoke_run_summary(run, &r);
    out.residuals = (double)r.work.residuals;
    out.count = yoke_run_variables(run, NULL, &value);
    out.end = bench_new((size_t)out.count, sizeof *out.end);
    for (int k = 0; k < out.count; k++) out.end[k] = value[k];
    bench_need(yoke_run_close(run, &err), &err);
    return out;
}

static double distance(const outcome *a, const outcome *b)
{
    double most = 0.0;

    for (int k = 0; k < a->count && k < b->count; k++)
        most = fmax(most, fabs(a->end[k] - b->end[k]) /
                              (1e-8 + 1e-6 * fabs(b->end[k])));
    return most;
}

int main(int count, char **text)
{
    static const char *const side[] = { "iterated", "monolithic", "automatic" };
    const bench_arguments a = bench_read_arguments(count, text);
    outcome out[3];
    char what[40];

    bench_open(a.file);
    yoke_model *model = bank(a.quick ? 40 : 200);
    const outcome exact = solve(model, 1, 1e-9);
    printf("%-12s %10s %9s %8s\n", "bank", "residuals", "s", "error");
    for (int k = 0; k < 3; k++) {
        out[k] = solve(model, k, 1e-6);
        const double error = distance(&out[k], &exact);
        printf("%-12s %10.0f %9.3f %8.2f\n", side[k], out[k].residuals,
               out[k].seconds, error);
        snprintf(what, sizeof what, "%s-residuals", side[k]);
        bench_put("bank", what, out[k].residuals);
        snprintf(what, sizeof what, "%s-seconds", side[k]);
        bench_put("bank", what, out[k].seconds);
        snprintf(what, sizeof what, "%s-error", side[k]);
        bench_put("bank", what, error);
    }
    bench_put("bank", "monolithic-over-iterated",
              out[1].seconds / out[0].seconds);
    printf("monolithic over iterated: %.2f\n", out[1].seconds / out[0].seconds);
    for (int k = 0; k < 3; k++) free(out[k].end);
    free(exact.end);
    yoke_model_free(model);
    bench_close();
    return 0;
}
