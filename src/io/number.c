/* io/number.c -- the fewest of 15, 16 or 17 digits that read back the same.
 *
 * The text is that of printf's %.15g, %.16g or %.17g, the first that is read as
 * the value again.  printf is exact for any number of digits, by arithmetic of
 * hundreds of digits; here 128 bits serve:
 *
 *     value = m 2^e,    B = value 10^k  in [10^16, 10^17),   k an integer,
 *
 * B has 17 digits before the point.  It is computed with a 64-bit fraction and
 * lies between what is computed and SURE units of 2^-64 more.  Decimals of n
 * digits are multiples of 10^(17-n) there; the nearest one reads back if it is
 * closer to B than half the distance of neighbouring doubles.  Where a
 * comparison is closer than what is sure (ties, mostly) printf decides.
 *
 * 10^k = 10^(27 a) 10^b, 0 <= b < 27: a table of 26 powers with 128 bits,
 * truncated, and 5^b < 2^63, exact.  The product has a relative error below
 * 3 * 2^-127; with B < 2^57 that is less than a unit of 2^-64.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SURE = 4, FIRST_POWER = -12, STEP = 27, DIGITS = 17 };

/* A number with 128 bits. */
typedef struct wide {
    uint64_t high, low;
} wide;

/* The leading 128 bits of 10^(27 a), a = -12 ... 13. */
static const wide power_of_ten[] = {
    { 0xcf42894a5dce35ea, 0x52064cac828675b9 }, /* -324 */
    { 0xa76c582338ed2621, 0xaf2af2b80af6f24e }, /* -297 */
    { 0x873e4f75e2224e68, 0x5a7744a6e804a291 }, /* -270 */
    { 0xda7f5bf590966848, 0xaf39a475506a899e }, /* -243 */
    { 0xb080392cc4349dec, 0xbd8d794d96aacfb3 }, /* -216 */
    { 0x8e938662882af53e, 0x547eb47b7282ee9c }, /* -189 */
    { 0xe65829b3046b0afa, 0x0cb4a5a3112a5112 }, /* -162 */
    { 0xba121a4650e4ddeb, 0x92f34d62616ce413 }, /* -135 */
    { 0x964e858c91ba2655, 0x3a6a07f8d510f86f }, /* -108 */
    { 0xf2d56790ab41c2a2, 0xfae27299423fb9c3 }, /* -81 */
    { 0xc428d05aa4751e4c, 0xaa97e14c3c26b886 }, /* -54 */
    { 0x9e74d1b791e07e48, 0x775ea264cf55347d }, /* -27 */
    { 0x8000000000000000, 0x0000000000000000 }, /* 0 */
    { 0xcecb8f27f4200f3a, 0x0000000000000000 }, /* 27 */
    { 0xa70c3c40a64e6c51, 0x999090b65f67d924 }, /* 54 */
    { 0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3 }, /* 81 */
    { 0xda01ee641a708de9, 0xe80e6f4820cc9495 }, /* 108 */
    { 0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f }, /* 135 */
    { 0x8e41ade9fbebc27d, 0x14588f13be847307 }, /* 162 */
    { 0xe5d3ef282a242e81, 0x8f1668c8a86da5fa }, /* 189 */
    { 0xb9a74a0637ce2ee1, 0x6d953e2bd7173692 }, /* 216 */
    { 0x95f83d0a1fb69cd9, 0x4abdaf101564f98e }, /* 243 */
    { 0xf24a01a73cf2dccf, 0xbc633b39673c8cec }, /* 270 */
    { 0xc3b8358109e84f07, 0x0a862f80ec4700c8 }, /* 297 */
    { 0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1 }, /* 324 */
    { 0xff6d0b3492801150, 0x9798278aea58efff }, /* 351 */
};

static const uint64_t power_of_five[] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
};

static wide multiply(uint64_t a, uint64_t b)
{
    const uint64_t mask = 0xffffffffu;
    const uint64_t a1 = a >> 32, a0 = a & mask, b1 = b >> 32, b0 = b & mask;
    const uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32);
    const uint64_t other = a0 * b1 + (cross & mask);

    return (wide){ a1 * b1 + (cross >> 32) + (other >> 32),
                   (other << 32) | (low & mask) };
}

/* The leading 128 bits of the 192 of p x, and by how many bits p x was shifted
 * to the left for that; x > 0. */
static wide multiply_wide(wide p, uint64_t x, int *shift)
{
    const int zeros = __builtin_clzll(x);
    const wide low = multiply(p.low, x << zeros);
    const wide high = multiply(p.high, x << zeros);
    const uint64_t middle = high.low + low.high;
    const wide top = { high.high + (middle < high.low), middle };
    const bool once = !(top.high >> 63);

    *shift = zeros + once;
    return once ? (wide){ top.high << 1 | top.low >> 63,
                          top.low << 1 | low.low >> 63 }
                : top;
}

/* floor(log2(10^k)) for |k| < 1000. */
static int log2_of_power(int k)
{
    const long scaled = k * 1741647L; /* log2(10) 2^19 */

    return (int)(scaled >= 0 ? scaled >> 19 : -((-scaled + 524287) >> 19));
}

/* 10^k = p 2^q with 2^127 <= p < 2^128. */
static wide ten_to(int k, int *q)
{
    static const int base = -FIRST_POWER * STEP;
    const int a = (k + base) / STEP, b = (k + base) % STEP;
    int shift = 0;

    *q = log2_of_power(k) - 127;
    return b ? multiply_wide(power_of_ten[a], power_of_five[b], &shift)
             : power_of_ten[a];
}

/* Number of 17 digits before the point, with a fraction of 2^-64. */
typedef struct fixed {
    uint64_t whole, part;
} fixed;

static fixed shift_right(wide p, int bits) /* of p 2^-128, so 1 is the unit */
{
    if (bits >= 128) return (fixed){ 0, 0 };
    if (bits >= 64)
        return (fixed){ 0, bits == 64 ? p.high : p.high >> (bits - 64) };
    return bits == 0 ? (fixed){ p.high, p.low }
                     : (fixed){ p.high >> bits,
                                p.high << (64 - bits) | p.low >> bits };
}

static fixed add(fixed a, fixed b)
{
    const uint64_t part = a.part + b.part;

    return (fixed){ a.whole + b.whole + (part < a.part), part };
}

static fixed subtract(fixed a, fixed b)
{
    return (fixed){ a.whole - b.whole - (a.part < b.part), a.part - b.part };
}

/* The value and half the distances to its neighbours, times 10^k. */
typedef struct scaled {
    fixed value, below, above;
} scaled;

static scaled scale(uint64_t m, int e, int k, bool is_power)
{
    int q = 0, shift = 0;
    const wide p = ten_to(k, &q);
    const wide product = multiply_wide(p, m, &shift);
    /* m p = product 2^(64 - shift), all times 2^(e + q) */
    const int bits = -(e + q + 64 - shift) - 64;
    const int half = -(e + q - 1) - 64;

    return (scaled){ shift_right(product, bits),
                     shift_right(p, half + is_power), shift_right(p, half) };
}

/* -1: a < b; 1: a > b; 0: they are too close to tell. */
static int compare(fixed a, fixed b)
{
    const fixed sure = { 0, SURE };

    if (add(a, sure).whole < b.whole ||
        (add(a, sure).whole == b.whole && add(a, sure).part < b.part))
        return -1;
    if (add(b, sure).whole < a.whole ||
        (add(b, sure).whole == a.whole && add(b, sure).part < a.part))
        return 1;
    return 0;
}

enum { NO, YES, UNSURE };

/* Whether the nearest multiple of `unit` reads back; *out is that multiple. */
static int try_unit(const scaled *s, uint64_t unit, uint64_t *out)
{
    const uint64_t rest = s->value.whole % unit;
    const fixed over = { rest, s->value.part };
    const fixed middle = { unit / 2, unit == 1 ? UINT64_C(1) << 63 : 0 };
    const int side = compare(over, middle);

    if (side == 0) return UNSURE;
    *out = s->value.whole - rest + (side > 0 ? unit : 0);
    const fixed away = side < 0 ? over : subtract((fixed){ unit, 0 }, over);
    const int inside = compare(away, side < 0 ? s->below : s->above);
    return inside == 0 ? UNSURE : inside < 0 ? YES : NO;
}

/* ---- text ---------------------------------------------------------------- */

/* As %.*g with `precision`: the digits d of `text` mean d.ddd 10^exponent. */
static size_t layout(char *out, const char *text, int digits, int exponent,
                     int precision)
{
    char *at = out;

    if (exponent < -4 || exponent >= precision) {
        *at++ = text[0];
        if (digits > 1) *at++ = '.';
        memcpy(at, text + 1, (size_t)digits - 1);
        at += digits - 1;
        *at++ = 'e';
        *at++ = exponent < 0 ? '-' : '+';
        const int size = abs(exponent);
        if (size >= 100) *at++ = (char)('0' + size / 100);
        *at++ = (char)('0' + size / 10 % 10);
        *at++ = (char)('0' + size % 10);
        return (size_t)(at - out);
    }
    if (exponent < 0) {
        memcpy(at, "0.000", (size_t)(1 - exponent));
        at += 1 - exponent;
    }
    for (int i = 0; i < digits || i <= exponent; i++) {
        if (i > 0 && i == exponent + 1) *at++ = '.';
        *at++ = i < digits ? text[i] : '0';
    }
    return (size_t)(at - out);
}

/* `number` has 17 digits, or is 10^17; the value is number 10^-k. */
static size_t write_digits(char *out, uint64_t number, int k, int precision)
{
    char text[DIGITS + 1];
    int digits = DIGITS, exponent = DIGITS - 1 - k;

    if (number == UINT64_C(100000000000000000)) {
        number /= 10;
        exponent++;
    }
    for (int i = DIGITS - 1; i >= 0; i--) {
        text[i] = (char)('0' + number % 10);
        number /= 10;
    }
    while (digits > 1 && text[digits - 1] == '0') digits--;
    return layout(out, text, digits, exponent, precision);
}

static size_t write_exactly(char *out, double value)
{
    int length = 0;

    for (int digits = 15; digits <= DIGITS; digits++) {
        length = snprintf(out, YK_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    return (size_t)length;
}

/* Positive and finite; 0: printf must decide. */
static size_t write_fast(char *out, double value)
{
    uint64_t bits = 0;

    memcpy(&bits, &value, sizeof bits);
    const int biased = (int)(bits >> 52);
    const uint64_t part = bits & ((UINT64_C(1) << 52) - 1);
    const uint64_t m = biased ? part | UINT64_C(1) << 52 : part;
    const int e = (biased ? biased : 1) - 1075;
    int k = DIGITS - 1 - (int)floor(log10(value));
    scaled s = scale(m, e, k, biased > 1 && part == 0);
    const uint64_t least = UINT64_C(10000000000000000);

    if (s.value.whole >= 10 * least || s.value.whole < least) {
        k += s.value.whole < least ? 1 : -1; /* log10 was rounded */
        s = scale(m, e, k, biased > 1 && part == 0);
        if (s.value.whole >= 10 * least || s.value.whole < least) return 0;
    }
    for (int digits = 15; digits <= DIGITS; digits++) {
        static const uint64_t unit[] = { 100, 10, 1 };
        uint64_t number = 0;
        const int back = try_unit(&s, unit[digits - 15], &number);
        if (back == UNSURE) return 0;
        if (back == YES) return write_digits(out, number, k, digits);
    }
    return 0;
}

size_t yk_number_write(char out[YK_NUMBER_SIZE], double value)
{
    const bool minus = signbit(value);

    if (isnan(value)) { /* printf may add a sign or a payload */
        memcpy(out, "nan", 4);
        return 3;
    }
    if (value == 0.0 || isinf(value)) {
        const char *text = value == 0.0 ? "-0" : "-inf";
        const size_t length = strlen(text) - !minus;
        memcpy(out, text + !minus, length + 1);
        return length;
    }
    if (minus) out[0] = '-';
    const size_t length = write_fast(out + minus, fabs(value));
    if (length == 0) return write_exactly(out, value);
    out[length + minus] = '\0';
    return length + minus;
}
