/* bench/09_inverter_chain/main.c -- a pulse travels through chains of CMOS
 * inverters: Yoke with sleeping cells, Yoke on the whole circuit, ngspice.
 *
 * Every side runs at several tolerances; errors are measured against a run with
 * tight tolerances, and times compared at equal error.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOLERANCES = 3 };

static const double target =
    3e-3; /* error at which times are compared, V rms */
static const double per_stage = 0.05e-9, lead_in = 6e-9;

/* Without tox the gate has its overlap capacitances only, which are the same in
 * both programs. */
static void write_netlist(const char *path, int stages, bool latent,
                          double reltol, double vntol)
{
    FILE *f = fopen(path, "w");

    if (!f) {
        perror(path);
        exit(1);
    }
    fprintf(f,
            "chain of %d inverters\n* yoke: latent %s\n"
            ".model n nmos vto=0.7 kp=100u lambda=0.02 gamma=0.4 phi=0.65 "
            "cgso=4e-10 cgdo=4e-10 cj=1e-4 cjsw=1e-10\n"
            ".model p pmos vto=-0.7 kp=40u lambda=0.02 gamma=0.4 phi=0.65 "
            "cgso=4e-10 cgdo=4e-10 cj=1e-4 cjsw=1e-10\n"
            "vdd vdd 0 3.3\nvin n0 0 pulse(0 3.3 0.2n 0.1n 0.1n 2n 1)\n",
            stages, latent ? "yes" : "no");
    for (int k = 0; k < stages; k++)
        fprintf(f,
                "mn%d n%d n%d 0 0 n w=2u l=0.5u as=2p ad=2p ps=6u pd=6u\n"
                "mp%d n%d n%d vdd vdd p w=5u l=0.5u as=5p ad=5p ps=10u "
                "pd=10u\nc%d n%d 0 5f\n",
                k, k + 1, k, k, k + 1, k, k, k + 1);
    fprintf(f,
            ".options reltol=%g vntol=%g\n.tran 0.02n %gn\n"
            ".save v(n%d) v(n%d)\n.end\n",
            reltol, vntol, 1e9 * (lead_in + per_stage * stages), stages / 2,
            stages);
    fclose(f);
}

typedef struct measured {
    double seconds, error, residuals;
} measured;

static double rms_error(const yoke_table *reference, const char *path,
                        int stages)
{
    yoke_table *t = NULL;
    yoke_err err = { YOKE_OK, "" };
    double sum = 0.0;

    bench_need(yoke_table_read(&t, path, "result", &err), &err);
    for (int k = 1; k <= 2; k++) {
        yoke_difference d;
        char name[32];
        snprintf(name, sizeof name, "v(n%d)", k * stages / 2);
        bench_need(yoke_table_compare(reference, t, name, &d, &err), &err);
        sum += d.rms * d.rms;
    }
    yoke_table_free(t);
    return sqrt(sum / 2.0);
}

static measured run_yoke(const char *circuit, const char *result)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run_result r;
    measured m = { 0.0, 0.0, 0.0 };

    const double begin = bench_clock();
    bench_need(yoke_file_read(&file, circuit, NULL, &err), &err);
    yoke_run_options options = *yoke_file_run_options(file);
    options.output = result;
    bench_need(yoke_simulate(yoke_file_model(file), &options, &r, &err), &err);
    m.seconds = bench_clock() - begin;
    m.residuals = (double)r.work.residuals;
    yoke_file_free(file);
    return m;
}

/* false: there is no ngspice, or it failed. */
static bool run_ngspice(const char *circuit, const char *result, measured *m)
{
    char command[800];

    snprintf(command, sizeof command, "ngspice -b -r %s %s >/dev/null 2>&1",
             result, circuit);
    const double begin = bench_clock();
    if (system(command) != 0) return false;
    m->seconds = bench_clock() - begin;
    return access(result, R_OK) == 0;
}

/* Seconds at the target error, on the line through the two nearest points in
 * logarithms; NAN: never so accurate. */
static double time_at_target(const measured *m, int count)
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
 * (too little). */
static double time_near_target(const measured *m, int count)
{
    const double between = time_at_target(m, count);

    if (count == 0 || isfinite(between)) return between;
    return m[0].error <= target ? m[0].seconds : m[count - 1].seconds;
}

typedef struct side {
    const char *name;
    bool latent, spice;
    double reltol[TOLERANCES]; /* falling */
} side;

static const side sides[] = {
    { "sleeping", true, false, { 2e-2, 3e-3, 5e-4 } },
    { "whole", false, false, { 2e-2, 1e-3, 1e-4 } },
    { "ngspice", false, true, { 1e-3, 1e-4, 1e-5 } },
};
enum { SIDES = sizeof sides / sizeof *sides };

static void one_size(int stages, const char *folder, int most_whole)
{
    char circuit[300], result[300], name[64];
    yoke_table *reference = NULL;
    yoke_err err = { YOKE_OK, "" };
    double at[SIDES];
    bool bound[SIDES] = { false }; /* it never was accurate enough */

    snprintf(circuit, sizeof circuit, "%s/chain.cir", folder);
    snprintf(result, sizeof result, "%s/reference.raw", folder);
    write_netlist(circuit, stages, true, 1e-6, 1e-7);
    run_yoke(circuit, result);
    bench_need(yoke_table_read(&reference, result, "result", &err), &err);
    for (int s = 0; s < SIDES; s++) {
        measured m[TOLERANCES];
        int count = 0;
        at[s] = NAN;
        if (!sides[s].latent && stages > most_whole) continue;
        for (int k = 0; k < TOLERANCES; k++) {
            const double reltol = sides[s].reltol[k];
            write_netlist(circuit, stages, sides[s].latent, reltol,
                          0.1 * reltol);
            snprintf(result, sizeof result, "%s/result.raw", folder);
            if (!sides[s].spice)
                m[count] = run_yoke(circuit, result);
            else if (!run_ngspice(circuit, result, &m[count])) {
                puts("  ngspice: not there, left out");
                break;
            }
            m[count].error = rms_error(reference, result, stages);
            printf("%6d stages  %-9s reltol %7.0e  %8.3f s  rms %.2e V\n",
                   stages, sides[s].name, reltol, m[count].seconds,
                   m[count].error);
            fflush(stdout);
            snprintf(name, sizeof name, "%d-%s-%.0e", stages, sides[s].name,
                     reltol);
            bench_put(name, "seconds", m[count].seconds);
            bench_put(name, "error", m[count].error);
            if (!sides[s].spice)
                bench_put(name, "residuals", m[count].residuals);
            count++;
            if (m[count - 1].seconds > 60.0) break;
        }
        at[s] = time_near_target(m, count);
        bound[s] = count > 0 && m[count - 1].error > target;
    }
    snprintf(name, sizeof name, "%d", stages);
    printf("%6d stages at %.0e V: %.3f s", stages, target, at[0]);
    bench_put(name, "seconds at equal error", at[0]);
    for (int s = 1; s < SIDES; s++)
        if (isfinite(at[s])) {
            char quantity[48];
            printf(", %s %s%.3f s = %.1f times", sides[s].name,
                   bound[s] ? "more than " : "", at[s], at[s] / at[0]);
            snprintf(quantity, sizeof quantity, "%s over sleeping",
                     sides[s].name);
            bench_put(name, quantity, at[s] / at[0]);
        }
    puts("\n");
    yoke_table_free(reference);
}

int main(int argc, char **argv)
{
    static const int sizes[] = { 50, 500, 5000, 50000 };
    const bench_arguments a = bench_read_arguments(argc, argv);
    char folder[] = "/tmp/yoke_bench.XXXXXX", command[64];

    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    bench_open(a.file);
    for (int k = 0; k < (a.quick ? 2 : 4); k++)
        one_size(a.quick ? sizes[k] / 2 : sizes[k], folder, 5000);
    bench_close();
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : 1;
}
