/* bench/common/circuit.c -- one circuit on several sides.  Times are processor
 * seconds, of this process or of ngspice. */
#define _XOPEN_SOURCE 700
#include "circuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOLERANCES = 4 };

typedef struct side {
    const char *name;
    bool first, spice;
    double reltol[TOLERANCES]; /* falling; 0: no more */
} side;

static const side sides[] = {
    { "sleeping", true, false, { 2e-2, 3e-3, 5e-4 } },
    { "whole", false, false, { 2e-2, 1e-3, 1e-4 } },
    { "ngspice", false, true, { 1e-3, 1e-4, 1e-5, 1e-6 } },
};
enum { SIDES = sizeof sides / sizeof *sides };

typedef struct measured {
    double seconds, error, residuals;
} measured;

void bench_write_models(FILE *f)
{
    fputs(".model n nmos vto=0.7 kp=100u lambda=0.02 gamma=0.4 phi=0.65 "
          "cgso=4e-10 cgdo=4e-10 cj=1e-4 cjsw=1e-10\n"
          ".model p pmos vto=-0.7 kp=40u lambda=0.02 gamma=0.4 phi=0.65 "
          "cgso=4e-10 cgdo=4e-10 cj=1e-4 cjsw=1e-10\n",
          f);
}

static double processor_seconds(int who)
{
    struct rusage r;

    getrusage(who, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void write_netlist(const bench_circuit *c, const char *path, bool first,
                          double reltol)
{
    FILE *f = fopen(path, "w");

    if (!f) {
        perror(path);
        exit(1);
    }
    fprintf(f, "%s\n* yoke: %s\n", c->name,
            !first    ? "latent no"
            : c->hint ? c->hint
                      : "latent yes");
    c->write(c->self, f);
    fprintf(f, ".options reltol=%g vntol=%g\n.end\n", reltol, 0.1 * reltol);
    fclose(f);
}

/* Against the reference; NULL: only whether it is right. */
static double rms_error(const bench_circuit *c, const yoke_table *reference,
                        const char *path, const char *name)
{
    yoke_table *t = NULL;
    yoke_err err = { YOKE_OK, "" };
    double sum = 0.0;

    bench_need(yoke_table_read(&t, path, "result", &err), &err);
    for (int k = 0; reference && k < c->observed; k++) {
        yoke_difference d;
        bench_need(
            yoke_table_compare(reference, t, c->observe(c->self, k), &d, &err),
            &err);
        sum += d.rms * d.rms;
    }
    if (c->check) c->check(c->self, t, name);
    yoke_table_free(t);
    return sqrt(sum / c->observed);
}

static measured run_yoke(const char *circuit, const char *result)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run_result r;
    measured m = { 0.0, 0.0, 0.0 };

    const double begin = processor_seconds(RUSAGE_SELF);
    bench_need(yoke_file_read(&file, circuit, NULL, &err), &err);
    yoke_run_options options = *yoke_file_run_options(file);
    options.output = result;
    bench_need(yoke_simulate(yoke_file_model(file), &options, &r, &err), &err);
    m.seconds = processor_seconds(RUSAGE_SELF) - begin;
    m.residuals = (double)r.work.residuals;
    yoke_file_free(file);
    return m;
}

typedef enum outcome { DONE, MISSING, STOPPED } outcome;

static outcome run_ngspice(const bench_circuit *c, const char *circuit,
                           const char *result, measured *m)
{
    char command[900];

    snprintf(command, sizeof command,
             "ulimit -t %.0f; exec ngspice -b -r %s %s >/dev/null 2>&1",
             c->seconds, result, circuit);
    remove(result);
    const double begin = processor_seconds(RUSAGE_CHILDREN);
    const int status = system(command);
    m->seconds = processor_seconds(RUSAGE_CHILDREN) - begin;
    m->residuals = NAN;
    if (status == 0 && access(result, R_OK) == 0) return DONE;
    return WIFSIGNALED(status) ? STOPPED : MISSING;
}

/* Seconds at the target error, on the line through the two nearest points in
 * logarithms; NAN: never so accurate. */
static double time_at_target(const measured *m, int count, double target)
{
    for (int k = 0; k + 1 < count; k++) {
        const double a = log(m[k].error), b = log(m[k + 1].error);
        if (!((a - log(target)) * (b - log(target)) <= 0.0)) continue;
        const double part = a == b ? 0.0 : (log(target) - a) / (b - a);
        return exp(log(m[k].seconds) +
                   part * (log(m[k + 1].seconds) - log(m[k].seconds)));
    }
    return NAN;
}

/* Where no two points lie on both sides of the target: the cheapest run if all
 * are better (it is charged too much), the most accurate one if all are worse
 * (too little: *bound). */
static double time_near_target(const measured *m, int count, double target,
                               bool *bound)
{
    const double between = time_at_target(m, count, target);

    *bound = false;
    if (count == 0 || isfinite(between)) return between;
    *bound = !(m[0].error <= target);
    return *bound ? m[count - 1].seconds : m[0].seconds;
}

static const char *name_of(const bench_circuit *c, const side *s)
{
    return s->first && c->side ? c->side : s->name;
}

/* One run of a side; false: there was none. */
static bool run_once(const bench_circuit *c, const side *s, double reltol,
                     const yoke_table *reference, const char *folder,
                     measured *m)
{
    char circuit[300], result[300], name[96];
    outcome what = DONE;

    snprintf(circuit, sizeof circuit, "%s/circuit.cir", folder);
    snprintf(result, sizeof result, "%s/result.raw", folder);
    write_netlist(c, circuit, s->first, reltol);
    if (s->spice)
        what = run_ngspice(c, circuit, result, m);
    else
        *m = run_yoke(circuit, result);
    if (what == MISSING) {
        puts("  ngspice: not there, left out");
        return false;
    }
    m->error = what == DONE ? rms_error(c, reference, result, name_of(c, s))
                            : INFINITY;
    printf("%10s  %-9s reltol %7.0e  %8.3f s  rms %.2e V%s\n", c->name,
           name_of(c, s), reltol, m->seconds, m->error,
           what == STOPPED ? ", stopped" : "");
    fflush(stdout);
    snprintf(name, sizeof name, "%s-%s-%.0e", c->name, name_of(c, s), reltol);
    bench_put(name, "seconds", m->seconds);
    if (what == DONE) bench_put(name, "error", m->error);
    if (!s->spice) bench_put(name, "residuals", m->residuals);
    return true;
}

static void report(const bench_circuit *c, const double *at, const bool *bound)
{
    printf("%10s at %.0e V: %s%.3f s", c->name, c->target,
           bound[0] ? "more than " : "", at[0]);
    bench_put(c->name, "seconds at equal error", at[0]);
    for (int s = 1; s < SIDES; s++)
        if (isfinite(at[s])) {
            char quantity[48];
            printf(", %s %s%.3f s = %.1f times", sides[s].name,
                   bound[s] ? "more than " : "", at[s], at[s] / at[0]);
            snprintf(quantity, sizeof quantity, "%s over %s", sides[s].name,
                     name_of(c, &sides[0]));
            bench_put(c->name, quantity, at[s] / at[0]);
        }
    puts("\n");
}

void bench_compare_circuit(const bench_circuit *c, const char *folder)
{
    char circuit[300], result[300];
    yoke_table *reference = NULL;
    yoke_err err = { YOKE_OK, "" };
    double at[SIDES];
    bool bound[SIDES] = { false };

    snprintf(circuit, sizeof circuit, "%s/circuit.cir", folder);
    snprintf(result, sizeof result, "%s/reference.raw", folder);
    write_netlist(c, circuit, true, 1e-6);
    run_yoke(circuit, result);
    rms_error(c, NULL, result, "reference");
    bench_need(yoke_table_read(&reference, result, "result", &err), &err);
    for (int s = 0; s < SIDES; s++) {
        measured m[TOLERANCES];
        int count = 0;
        at[s] = NAN;
        if (!sides[s].first && !c->whole) continue;
        while (count < TOLERANCES && sides[s].reltol[count] > 0.0 &&
               run_once(c, &sides[s], sides[s].reltol[count], reference, folder,
                        &m[count])) {
            count++;
            if (!(m[count - 1].seconds <= 60.0)) break;
        }
        at[s] = time_near_target(m, count, c->target, &bound[s]);
    }
    report(c, at, bound);
    yoke_table_free(reference);
}

int bench_in_folder(void (*run)(const char *folder, bool quick),
                    const bench_arguments *a)
{
    char folder[] = "/tmp/yoke_bench.XXXXXX", command[64];

    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    bench_open(a->file);
    run(folder, a->quick);
    bench_close();
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : 1;
}
