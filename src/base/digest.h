/* base/digest.h -- SHA-256, to recognise bytes that were seen before. */
#ifndef YK_DIGEST_H
#define YK_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { YK_DIGEST_SIZE = 32, YK_DIGEST_TEXT = 2 * YK_DIGEST_SIZE + 1 };

typedef struct yk_digest {
    uint32_t h[8];
    uint64_t length;         /* bytes so far */
    unsigned char block[64]; /* length % 64 of them wait here */
} yk_digest;

void yk_digest_begin(yk_digest *d);
void yk_digest_add(yk_digest *d, const void *bytes, size_t length);
/* The text with its final 0, so that neighbours do not run together. */
void yk_digest_text(yk_digest *d, const char *text);
void yk_digest_end(yk_digest *d, unsigned char out[YK_DIGEST_SIZE]);

/* As hexadecimal text. */
void yk_digest_write(const unsigned char digest[YK_DIGEST_SIZE],
                     char out[YK_DIGEST_TEXT]);

#endif
