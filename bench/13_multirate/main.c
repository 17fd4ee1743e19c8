/* bench/13_multirate/main.c -- a converter at 1 MHz with a slow load, and
 * rectifiers at different frequencies on a weak grid: parts with time scales of
 * their own, against the whole circuit and ngspice. */
#include "circuit.h"

#include <math.h>
#include <stdlib.h>

typedef struct problem {
    int size; /* cells of the load, or rectifiers */
    char text[32];
} problem;

/* ---- a buck converter, and a load that is a line of slow cells ----------- */

static void write_converter(void *self, FILE *f)
{
    const problem *p = self;

    fputs(".model sw sw(vt=2.5 vh=0.5 ron=20m roff=1meg)\n"
          ".model d d is=1e-9 n=1.05 rs=10m cjo=500p\n"
          "vin in 0 24\n"
          "vg g 0 pulse(0 5 0 20n 20n 400n 1u)\n"
          "s1 in x g 0 sw\n"
          "rx x sn 10\ncs sn 0 1n\n"
          "d1 0 x d\n"
          "l1 x lo 10u\nrl lo out 10m\nco out 0 47u\nrco out o0 0.1\n",
          f);
    for (int k = 0; k < p->size; k++)
        fprintf(f, "r%d o%d o%d 1\nc%d o%d 0 2u\nrg%d o%d 0 1k\n", k, k, k + 1,
                k, k + 1, k, k + 1);
    fputs(".tran 100n 200u\n.save v(out) v(o1) v(o10) v(o100)\n", f);
}

static const char *observe_converter(void *self, int k)
{
    static const char *const name[] = { "v(out)", "v(o1)", "v(o10)",
                                        "v(o100)" };

    (void)self;
    return name[k];
}

/* ---- rectifiers ---------------------------------------------------------- */

/* Frequencies from 400 to 1200 Hz and phases, spread evenly. */
static double spread(int k, double ratio)
{
    return fmod(k * ratio, 1.0);
}

static void write_bank(void *self, FILE *f)
{
    const problem *p = self;
    const int n = p->size;

    fputs(".model d d is=1e-9 n=1.05 rs=20m cjo=200p tt=20n\n", f);
    fprintf(f, "vg g 0 24\nrg g gl %g\nlg gl bus %g\ncb bus 0 %g\n", 5.0 / n,
            200e-6 / n, 470e-6 * n);
    for (int k = 0; k < n; k++)
        fprintf(f,
                "v%d s%d 0 sin(0 30 %.6g 0 0 %.6g)\nrs%d s%d a%d 0.5\n"
                "d%d a%d o%d d\nc%d o%d 0 1m\nrl%d o%d 0 200\nrc%d o%d bus 2\n",
                k, k, 400.0 * (1.0 + 2.0 * spread(k, 0.6180339887)),
                360.0 * spread(k, 0.7548776662), k, k, k, k, k, k, k, k, k, k,
                k, k);
    fputs(".tran 10u 10m\n.save v(bus)", f);
    for (int k = 0; k < n; k += n / 10) fprintf(f, " v(o%d)", k);
    fputs("\n", f);
}

static const char *observe_bank(void *self, int k)
{
    problem *p = self;

    if (k == 0) return "v(bus)";
    snprintf(p->text, sizeof p->text, "v(o%d)", (k - 1) * (p->size / 10));
    return p->text;
}

/* ---- both ---------------------------------------------------------------- */

static void converter(int size, const char *folder)
{
    problem p = { .size = size };
    char name[32];

    snprintf(name, sizeof name, "converter-%d", size);
    const bench_circuit c = { .name = name,
                              .target = 1e-3,
                              .whole = true,
                              .seconds = 300,
                              .self = &p,
                              .write = write_converter,
                              .observed = 4,
                              .observe = observe_converter };
    bench_compare_circuit(&c, folder);
}

static void bank(int size, const char *hint, const char *side,
                 const char *folder)
{
    problem p = { .size = size };
    char name[32];

    snprintf(name, sizeof name, "bank-%d", size);
    const bench_circuit c = { .name = name,
                              .side = side,
                              .hint = hint,
                              .target = 3e-3,
                              .whole = true,
                              .seconds = 300,
                              .self = &p,
                              .write = write_bank,
                              .observed = 11,
                              .observe = observe_bank };
    bench_compare_circuit(&c, folder);
}

static void run(const char *folder, bool quick)
{
    converter(quick ? 100 : 1000, folder);
    bank(quick ? 10 : 200, "partition cells", "cells", folder);
}

int main(int argc, char **argv)
{
    const bench_arguments a = bench_read_arguments(argc, argv);

    return bench_in_folder(run, &a);
}
