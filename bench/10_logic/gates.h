/* bench/10_logic/gates.h -- adders and multipliers of CMOS gates as netlists.
 */
#ifndef GATES_H
#define GATES_H

#include <stdio.h>

/* Subcircuits: inverter (2 transistors), AND (6), full adder (28, mirror
 * adder), and the supply "vdd" with the constants "one" and "zero". */
void gates_write(FILE *f);

/* A ripple-carry adder: 11...1 + 0 + carry in "c0", sums "s0", "s1", ...,
 * carries "c1", ... */
void gates_write_adder(FILE *f, int bits);

/* An array of bits^2 ANDs and full adders: 11...1 times "in" in all bits,
 * product "p0" ... */
void gates_write_multiplier(FILE *f, int bits);

#endif
