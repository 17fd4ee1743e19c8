/* tests/fuzz/checkpoint_fuzz.c -- the reader of checkpoints takes any bytes, also
 * with sizes and a digest that are right, and reads nothing outside of them. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include "base/digest.h"
#include "run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

static void take(char *bytes, size_t size)
{
    yk_checkpoint_bytes b;
    yoke_err err = { YOKE_OK, "" };
    const char *key = NULL, *value = NULL;
    size_t at = 0, sum = 0;

    if (yk_checkpoint_parse(&b, bytes, size, "fuzz", &err) != YOKE_OK) {
        if (strncmp(err.text, "checkpoint fuzz:", 16) != 0) abort();
        return;
    }
    while (yk_checkpoint_pair(&b.own, &at, &key, &value))
        sum += strlen(key) + strlen(value) + 2;
    if (sum > b.head.about) abort();
    yk_checkpoint_clear(&b);
}

static char *copy(const void *from, size_t size, size_t room)
{
    char *bytes = malloc(room + 1);

    if (!bytes) abort();
    if (size) memcpy(bytes, from, size);
    return bytes;
}

/* The first byte says how much of the rest is text; blocks follow. */
static void take_sealed(const uint8_t *data, size_t size)
{
    yk_checkpoint_head head = { .magic = "yokeckp",
                                .format = YK_CHECKPOINT_FORMAT };
    yk_image_layout layout = { .chunks = 1 };
    yk_digest d;

    head.about = size > 0 && data[0] < size ? data[0] : 0;
    head.layout = sizeof layout;
    head.image = size - head.about;
    layout.used[0] =
        size > 2 ? (size_t)16 * (data[1] + 256u * (data[2] & 3u)) : 0;
    const size_t all = sizeof head + sizeof layout + size + YK_DIGEST_SIZE;
    char *bytes = copy(&head, sizeof head, all), *to = bytes + sizeof head;
    if (head.about) memcpy(to, data, head.about);
    to += head.about;
    memcpy(to, &layout, sizeof layout);
    to += sizeof layout;
    if (head.image) memcpy(to, data + head.about, head.image);
    to += head.image;
    yk_digest_begin(&d);
    yk_digest_add(&d, bytes, all - YK_DIGEST_SIZE);
    yk_digest_end(&d, (unsigned char *)to);
    take(bytes, all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    take(copy(data, size, size), size);
    take_sealed(data, size);
    return 0;
}

FUZZ_MAIN("checkpoint");
