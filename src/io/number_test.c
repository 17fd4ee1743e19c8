/* io/number_test.c -- numbers as text: the same as printf writes, and read back
 * to the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "io/text.h"

#include "check.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the text must be. */
static void by_printf(char *out, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, YK_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value) return;
    }
}

static void check(double value)
{
    char text[YK_NUMBER_SIZE], want[YK_NUMBER_SIZE];

    by_printf(want, value);
    const size_t length = yk_number_write(text, value);
    if (strcmp(text, want) != 0 || length != strlen(want)) {
        fprintf(stderr, "%a: \"%s\" instead of \"%s\"\n", value, text, want);
        fail();
    }
}

static double from_bits(uint64_t bits)
{
    double value = 0.0;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t next(uint64_t *state) /* xorshift, 64 bits */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void random_bits_are_written_as_printf_does(void **state)
{
    uint64_t seed = 88172645463325252u;
    (void)state;

    for (int i = 0; i < 1000000; i++) {
        const double value = from_bits(next(&seed));
        if (isfinite(value)) check(value);
    }
}

static void subnormal_numbers_too(void **state)
{
    uint64_t seed = 4101842887655102017u;
    (void)state;

    for (int i = 0; i < 200000; i++)
        check(from_bits(next(&seed) >> (12 + i % 52)));
}

/* Short decimals, integers, sums of them: what people write. */
static void so_are_the_numbers_of_people(void **state)
{
    uint64_t seed = 2685821657736338717u;
    (void)state;

    for (int i = 0; i < 300000; i++) {
        const double whole = (double)(next(&seed) % 1000000);
        static const double ten[] = { 1e-9, 1e-3, 1.0, 10.0, 1e6, 1e15, 1e21 };
        check(whole * ten[i % 7]);
        check(whole / ten[i % 7]);
        check(-whole / 1000.0 + 0.1);
        check(i * 0.001);
    }
}

static void powers_and_their_neighbours_too(void **state)
{
    (void)state;

    for (int e = -1074; e < 1024; e++) {
        const double value = ldexp(1.0, e);
        check(value);
        check(nextafter(value, 0.0));
        check(nextafter(value, INFINITY) < INFINITY ? nextafter(value, INFINITY)
                                                    : value);
    }
    for (int k = -323; k <= 308; k++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", k);
        const double value = strtod(text, NULL);
        check(value);
        check(nextafter(value, 0.0));
        check(nextafter(value, INFINITY));
        check(5.0 * value < INFINITY ? 5.0 * value : value);
    }
    check(DBL_MAX);
    check(DBL_MIN);
    check(0.0);
    check(-0.0);
    check(INFINITY);
    check(-INFINITY);
    check(9007199254740993.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bits_are_written_as_printf_does),
        cmocka_unit_test(subnormal_numbers_too),
        cmocka_unit_test(so_are_the_numbers_of_people),
        cmocka_unit_test(powers_and_their_neighbours_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
