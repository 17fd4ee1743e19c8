/* bench/10_logic/gates.c -- netlists of gates. */
#include "gates.h"

#include "circuit.h"

#include <string.h>

/* One transistor: n or p with drain, gate, source. */
static void transistor(FILE *f, int number, char kind, const char *drain,
                       const char *gate, const char *source)
{
    fprintf(f, "m%d %s %s %s %s %c w=%s l=0.5u %s\n", number, drain, gate,
            source, kind == 'n' ? "0" : "vdd", kind, kind == 'n' ? "2u" : "5u",
            kind == 'n' ? "as=2p ad=2p ps=6u pd=6u"
                        : "as=5p ad=5p ps=10u pd=10u");
}

/* Both networks of a static gate: words "kind drain gate source". */
static void gate(FILE *f, int count, const char *const (*list)[4])
{
    for (int k = 0; k < count; k++)
        transistor(f, k + 1, list[k][0][0], list[k][1], list[k][2], list[k][3]);
}

/* Mirror adder: cb = not (a b + ci (a + b)), sb = not (a b ci + cb (a + b +
 * ci)). */
static const char *const full_adder[][4] = {
    { "n", "c1", "a", "0" },   { "n", "c1", "b", "0" },
    { "n", "cb", "ci", "c1" }, { "n", "c2", "a", "0" },
    { "n", "cb", "b", "c2" },  { "p", "c3", "a", "vdd" },
    { "p", "c3", "b", "vdd" }, { "p", "cb", "ci", "c3" },
    { "p", "c4", "a", "vdd" }, { "p", "cb", "b", "c4" },
    { "n", "s1", "a", "0" },   { "n", "s1", "b", "0" },
    { "n", "s1", "ci", "0" },  { "n", "sb", "cb", "s1" },
    { "n", "s2", "a", "0" },   { "n", "s3", "b", "s2" },
    { "n", "sb", "ci", "s3" }, { "p", "s4", "a", "vdd" },
    { "p", "s4", "b", "vdd" }, { "p", "s4", "ci", "vdd" },
    { "p", "sb", "cb", "s4" }, { "p", "s5", "a", "vdd" },
    { "p", "s6", "b", "s5" },  { "p", "sb", "ci", "s6" },
};

static const char *const nand[][4] = {
    { "n", "y", "a", "m" },
    { "n", "m", "b", "0" },
    { "p", "y", "a", "vdd" },
    { "p", "y", "b", "vdd" },
};

static const char *const inverter[][4] = {
    { "n", "out", "in", "0" },
    { "p", "out", "in", "vdd" },
};

void gates_write(FILE *f)
{
    bench_write_models(f);
    fputs(".subckt inverter in out vdd\n", f);
    gate(f, 2, inverter);
    fputs("cl out 0 3f\n.ends\n.subckt and a b out vdd\n", f);
    gate(f, 4, nand);
    fputs("xi y out vdd inverter\n.ends\n.subckt full a b ci s co vdd\n", f);
    gate(f, 24, full_adder);
    fputs("xc cb co vdd inverter\nxs sb s vdd inverter\n.ends\n"
          "vdd vdd 0 3.3\nvone one 0 3.3\nvzero zero 0 0\n",
          f);
}

void gates_write_adder(FILE *f, int bits)
{
    for (int k = 0; k < bits; k++)
        fprintf(f, "x%d one zero c%d s%d c%d vdd full\n", k, k, k, k + 1);
}

/* Row i adds the products of bit i to what the rows before have summed up, one
 * place further to the left. */
void gates_write_multiplier(FILE *f, int bits)
{
    for (int i = 0; i < bits; i++)
        for (int j = 0; j < bits; j++) {
            char above[32], below[32], carry[32];
            fprintf(f, "xa%d_%d one in q%d_%d vdd and\n", i, j, i, j);
            if (i == 0) continue;
            if (j == bits - 1)
                snprintf(above, sizeof above, i == 1 ? "zero" : "k%d_%d", i - 1,
                         bits);
            else
                snprintf(above, sizeof above, i == 1 ? "q%d_%d" : "t%d_%d",
                         i - 1, j + 1);
            if (j == 0)
                snprintf(below, sizeof below, "p%d", i);
            else if (i == bits - 1)
                snprintf(below, sizeof below, "p%d", i + j);
            else
                snprintf(below, sizeof below, "t%d_%d", i, j);
            if (j == 0)
                strcpy(carry, "zero");
            else
                snprintf(carry, sizeof carry, "k%d_%d", i, j);
            fprintf(f, "xf%d_%d q%d_%d %s %s %s ", i, j, i, j, above, carry,
                    below);
            if (i == bits - 1 && j == bits - 1)
                fprintf(f, "p%d vdd full\n", 2 * bits - 1);
            else
                fprintf(f, "k%d_%d vdd full\n", i, j + 1);
        }
    /* The first bit of the product is one AND. */
    fputs("xp zero q0_0 zero p0 nc vdd full\n", f);
}
