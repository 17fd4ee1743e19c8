/* bench/10_logic/main.c -- a carry ripples through adders of CMOS gates, and
 * all bits of a multiplier change at once: Yoke with sleeping cells, Yoke on
 * the whole circuit, ngspice.  Sums and products are checked. */
#include "circuit.h"
#include "gates.h"

#include <stdlib.h>

static const double target = 1e-3; /* V rms */
static const double supply = 3.3;

typedef struct logic {
    bool is_multiplier;
    int bits, outputs;
    double stop; /* s */
    char text[32];
} logic;

/* Output k: sums, then the last carry; or the product. */
static const char *observe(void *self, int k)
{
    logic *l = self;

    if (l->is_multiplier)
        snprintf(l->text, sizeof l->text, "v(p%d)", k);
    else if (k < l->bits)
        snprintf(l->text, sizeof l->text, "v(s%d)", k);
    else
        snprintf(l->text, sizeof l->text, "v(c%d)", l->bits);
    return l->text;
}

static void write_logic(void *self, FILE *f)
{
    logic *l = self;

    gates_write(f);
    fprintf(f, "vin %s 0 pulse(0 3.3 0.2n 0.1n 0.1n 1 2)\n",
            l->is_multiplier ? "in" : "c0");
    if (l->is_multiplier)
        gates_write_multiplier(f, l->bits);
    else
        gates_write_adder(f, l->bits);
    fprintf(f, ".tran 0.02n %gn\n.save", 1e9 * l->stop);
    for (int k = 0; k < l->outputs; k++) fprintf(f, " %s", observe(l, k));
    fputs("\n", f);
}

/* Bit k of 11...1 (+ 0 or 1), or of 11...1 times 0 or 11...1. */
static int bit(const logic *l, int k, bool after)
{
    if (!l->is_multiplier) return k == l->bits ? after : !after;
    if (!after) return 0;
    /* (2^n - 1)^2 = 2^2n - 2^(n+1) + 1 */
    return k == 0 || k > l->bits;
}

static void check_row(logic *l, const yoke_table *t, int row, bool after,
                      const char *side)
{
    for (int k = 0; k < l->outputs; k++) {
        const int column = yoke_table_find(t, observe(l, k));
        const double v =
            column < 0 ? -1.0 : t->value[(size_t)(row * t->cols + column)];
        const double want = bit(l, k, after) ? supply : 0.0;
        if (v > want - 0.05 * supply && v < want + 0.05 * supply) continue;
        fprintf(stderr, "%s, %d bits: %s is %g V %s, not %g V\n", side, l->bits,
                l->text, v, after ? "at the end" : "at the start", want);
        exit(1);
    }
}

static void check(void *self, const yoke_table *t, const char *side)
{
    check_row(self, t, 0, false, side);
    check_row(self, t, t->rows - 1, true, side);
}

static void one(bool is_multiplier, int bits, const char *folder)
{
    logic l = { .is_multiplier = is_multiplier,
                .bits = bits,
                .outputs = is_multiplier ? 2 * bits : bits + 1,
                .stop = is_multiplier ? 2e-9 + 0.8e-9 * bits
                                      : 3e-9 + 0.3e-9 * bits };
    char name[32];

    snprintf(name, sizeof name, "%s-%d", is_multiplier ? "multiplier" : "adder",
             bits);
    const bench_circuit circuit = { .name = name,
                                    .target = target,
                                    .whole = true,
                                    .seconds = 300,
                                    .self = &l,
                                    .write = write_logic,
                                    .observed = l.outputs,
                                    .observe = observe,
                                    .check = check };
    bench_compare_circuit(&circuit, folder);
}

static void run(const char *folder, bool quick)
{
    if (quick) {
        one(false, 8, folder);
        one(true, 3, folder);
        return;
    }
    for (int bits = 16; bits <= 64; bits *= 2) one(false, bits, folder);
    one(true, 8, folder);
}

int main(int argc, char **argv)
{
    const bench_arguments a = bench_read_arguments(argc, argv);

    return bench_in_folder(run, &a);
}
