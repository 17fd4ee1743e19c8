/* base/digest.c -- SHA-256.
 *
 * The message, one bit 1, zeros and its length in bits fill blocks of 64 bytes;
 * each is mixed into eight words by 64 rounds.  The constants are the leading
 * 32 bits of the fractional parts of square roots (the first eight primes) and
 * cube roots (the first 64).  Reference: FIPS 180-4, sections 4.1.2, 5 and 6.2.
 */
#include "base/digest.h"

#include <stdio.h>
#include <string.h>

static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19 };

static const uint32_t cubes[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void mix(uint32_t h[8], const unsigned char block[64])
{
    uint32_t w[64], s[8];

    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        const uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = (turn(b, 17) ^ turn(b, 19) ^ b >> 10) + w[t - 7] +
               (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[t - 16];
    }
    memcpy(s, h, sizeof s);
    for (int t = 0; t < 64; t++) {
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t p = s[7] +
                           (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                           choice + cubes[t] + w[t];
        const uint32_t q =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += p;
        s[0] = p + q;
    }
    for (int k = 0; k < 8; k++) h[k] += s[k];
}

void yk_digest_begin(yk_digest *d)
{
    *d = (yk_digest){ .length = 0 };
    memcpy(d->h, first, sizeof first);
}

void yk_digest_add(yk_digest *d, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;

    while (length > 0) {
        const size_t used = (size_t)(d->length % 64), room = 64 - used;
        const size_t take = length < room ? length : room;
        memcpy(d->block + used, from, take);
        d->length += take;
        from += take;
        length -= take;
        if (take == room) mix(d->h, d->block);
    }
}

void yk_digest_text(yk_digest *d, const char *text)
{
    yk_digest_add(d, text, strlen(text) + 1);
}

void yk_digest_end(yk_digest *d, unsigned char out[YK_DIGEST_SIZE])
{
    static const unsigned char padding[64] = { 0x80 };
    const uint64_t bits = 8 * d->length;
    const size_t used = (size_t)(d->length % 64);
    unsigned char size[8];

    for (int k = 0; k < 8; k++) size[k] = (unsigned char)(bits >> (56 - 8 * k));
    yk_digest_add(d, padding, used < 56 ? 56 - used : 120 - used);
    yk_digest_add(d, size, sizeof size);
    for (int k = 0; k < YK_DIGEST_SIZE; k++)
        out[k] = (unsigned char)(d->h[k / 4] >> (24 - 8 * (k % 4)));
}

void yk_digest_write(const unsigned char digest[YK_DIGEST_SIZE],
                     char out[YK_DIGEST_TEXT])
{
    for (int k = 0; k < YK_DIGEST_SIZE; k++)
        snprintf(out + 2 * k, 3, "%02x", digest[k]);
}
