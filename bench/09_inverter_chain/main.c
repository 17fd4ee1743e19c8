/* bench/09_inverter_chain/main.c -- a pulse travels through chains of CMOS
 * inverters: Yoke with sleeping cells, Yoke on the whole circuit, ngspice.
 *
 * Every side runs at several tolerances; errors are measured against a run with
 * tight tolerances, and times compared at equal error.
 */
#include "circuit.h"

static const double target = 3e-3; /* V rms */
static const double per_stage = 0.05e-9, lead_in = 6e-9;

typedef struct chain {
    int stages;
    char name[2][32]; /* of the nodes in the middle and at the end */
} chain;

static void write_chain(void *self, FILE *f)
{
    const chain *c = self;

    bench_write_models(f);
    fputs("vdd vdd 0 3.3\nvin n0 0 pulse(0 3.3 0.2n 0.1n 0.1n 2n 1)\n", f);
    for (int k = 0; k < c->stages; k++)
        fprintf(f,
                "mn%d n%d n%d 0 0 n w=2u l=0.5u as=2p ad=2p ps=6u pd=6u\n"
                "mp%d n%d n%d vdd vdd p w=5u l=0.5u as=5p ad=5p ps=10u "
                "pd=10u\nc%d n%d 0 5f\n",
                k, k + 1, k, k, k + 1, k, k, k + 1);
    fprintf(f, ".tran 0.02n %gn\n.save %s %s\n",
            1e9 * (lead_in + per_stage * c->stages), c->name[0], c->name[1]);
}

static const char *observe(void *self, int k)
{
    return ((chain *)self)->name[k];
}

static void one_size(int stages, const char *folder, int most_whole)
{
    chain c = { .stages = stages };
    char name[32];

    for (int k = 0; k < 2; k++)
        snprintf(c.name[k], sizeof c.name[k], "v(n%d)", (k + 1) * stages / 2);
    snprintf(name, sizeof name, "%d", stages);
    const bench_circuit circuit = { .name = name,
                                    .target = target,
                                    .whole = stages <= most_whole,
                                    .seconds = 600,
                                    .self = &c,
                                    .write = write_chain,
                                    .observed = 2,
                                    .observe = observe };
    bench_compare_circuit(&circuit, folder);
}

static void run(const char *folder, bool quick)
{
    static const int sizes[] = { 50, 500, 5000, 50000 };

    for (int k = 0; k < (quick ? 2 : 4); k++)
        one_size(quick ? sizes[k] / 2 : sizes[k], folder, 5000);
}

int main(int argc, char **argv)
{
    const bench_arguments a = bench_read_arguments(argc, argv);

    return bench_in_folder(run, &a);
}
