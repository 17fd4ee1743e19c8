/* fmi/heap.c -- the memory of one instance: allocation and images.
 *
 * Blocks have one of four sizes per power of two; free ones wait in a list for
 * each size.  Memory comes in chunks, which are only given back at the end.
 * What says which blocks are free is part of the image (`layout`), so a restored
 * heap hands out the same blocks in the same order.
 *
 * Bytes of an image hold addresses of the process that wrote them.  A word that
 * lies in the range of an old chunk, or of the old place of the binary, is
 * taken for an address and moved.  As a double such a word is below 1e-309, as
 * two integers the upper one names a region of the address space that was drawn at
 * random, and no text has such bytes: other data do not look like that.
 */
#define _GNU_SOURCE
#include "fmi/heap.h"

#include "base/blocks.h"
#include "base/digest.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CLASSES = 160,
    CHUNKS = 24,
    HEADER = 16,     /* bytes before each block */
    LEAST = 1 << 18, /* bytes of the first chunk */
    MOST_SHIFT = 38, /* no block is larger than 2^38 */
    FORMAT = 1       /* of the bytes of an image */
};

/* What belongs to the image besides the bytes of the chunks. */
typedef struct layout {
    void *root;
    void *empty[CLASSES]; /* lists of free blocks */
    size_t used[CHUNKS];
    int chunks;
} layout;

struct yk_heap {
    layout now;
    char *chunk[CHUNKS]; /* NULL: not needed so far */
};

struct yk_image {
    layout then;
    const void *at[CHUNKS]; /* where the chunks are */
    char *bytes;            /* of all chunks */
    size_t size, room;
};

/* The beginning of the bytes of an image; the layout and the chunks follow. */
typedef struct head {
    char magic[8];
    uint32_t format, chunks;
    uint64_t size;                /* of all */
    uint64_t begin, length;       /* of the binary, where it was */
    char key[YK_DIGEST_TEXT + 7]; /* of the FMU */
    unsigned char content[YK_DIGEST_SIZE];
    uint64_t at[CHUNKS];
} head;

static const char magic[8] = "yokefmu";

static _Thread_local yk_heap *current;

/* Those of the C library (fmi/wrap.c). */
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *block);

/* ---- sizes -------------------------------------------------------------- */

static size_t size_of(const void *block)
{
    size_t size;

    memcpy(&size, (const char *)block - HEADER, sizeof size);
    return size;
}

static void set_live(void *block, bool live)
{
    const size_t word = live;

    memcpy((char *)block - HEADER + sizeof(size_t), &word, sizeof word);
}

/* What of a block goes into an image: of a free one, the place of the next. */
static size_t kept_of(const char *block)
{
    size_t live;

    memcpy(&live, block - HEADER + sizeof(size_t), sizeof live);
    return HEADER + (live ? size_of(block) : sizeof(void *));
}

/* Chunk i always has the same size, so an image fits into any heap. */
static size_t chunk_size(int i)
{
    return (size_t)LEAST << i;
}

/* ---- life --------------------------------------------------------------- */

static void *map(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

yk_heap *yk_heap_create(void)
{
    return map(sizeof(yk_heap));
}

void yk_heap_free(yk_heap *heap)
{
    if (!heap) return;
    for (int i = 0; i < CHUNKS; i++)
        if (heap->chunk[i]) munmap(heap->chunk[i], chunk_size(i));
    munmap(heap, sizeof *heap);
}

yk_heap *yk_heap_enter(yk_heap *heap)
{
    yk_heap *before = current;

    current = heap;
    return before;
}

void yk_heap_set_root(yk_heap *heap, void *root)
{
    heap->now.root = root;
}

void *yk_heap_root(const yk_heap *heap)
{
    return heap->now.root;
}

/* ---- allocation --------------------------------------------------------- */

static bool is_mine(const yk_heap *h, const void *block)
{
    for (int i = 0; h && i < h->now.chunks; i++)
        if (h->chunk[i] &&
            (size_t)((const char *)block - h->chunk[i]) < chunk_size(i))
            return true;
    return false;
}

static bool need_chunk(yk_heap *h, int i)
{
    if (!h->chunk[i]) h->chunk[i] = map(chunk_size(i));
    return h->chunk[i] != NULL;
}

/* A chunk with room for `bytes` becomes the last one in use; smaller ones are
 * left out. */
static bool add_chunk(yk_heap *h, size_t bytes)
{
    int i = h->now.chunks;

    while (i < CHUNKS && chunk_size(i) < bytes) h->now.used[i++] = 0;
    if (i >= CHUNKS || !need_chunk(h, i)) return false;
    h->now.used[i] = 0;
    h->now.chunks = i + 1;
    return true;
}

static void *take(yk_heap *h, size_t bytes)
{
    size_t size = 0;
    char *block = NULL;

    if (bytes > (size_t)1 << MOST_SHIFT) return NULL;
    const int class = yk_block_class(bytes, &size);
    if (h->now.empty[class]) {
        block = h->now.empty[class];
        memcpy(&h->now.empty[class], block, sizeof(void *));
        set_live(block, true);
        return block;
    }
    const size_t whole = size + HEADER;
    const int last = h->now.chunks - 1;
    if (last < 0 || chunk_size(last) - h->now.used[last] < whole)
        if (!add_chunk(h, whole)) return NULL;
    const int c = h->now.chunks - 1;
    block = h->chunk[c] + h->now.used[c] + HEADER;
    h->now.used[c] += whole;
    memcpy(block - HEADER, &size, sizeof size);
    set_live(block, true);
    return block;
}

static void give_back(yk_heap *h, void *block)
{
    size_t size = 0;
    const int class = yk_block_class(size_of(block), &size);

    memcpy(block, &h->now.empty[class], sizeof(void *));
    set_live(block, false);
    h->now.empty[class] = block;
}

void *yk_heap_resize(void *old, size_t bytes)
{
    yk_heap *h = current;

    if (!h || (old && !is_mine(h, old))) return __real_realloc(old, bytes);
    const size_t before = old ? size_of(old) : 0;
    if (old && bytes <= before) return old;
    void *block = take(h, bytes);
    if (!block || !old) return block;
    memcpy(block, old, before);
    give_back(h, old);
    return block;
}

void yk_heap_release(void *block)
{
    if (!block) return;
    if (is_mine(current, block))
        give_back(current, block);
    else
        __real_free(block);
}

/* ---- images ------------------------------------------------------------- */

static yoke_status no_memory(size_t bytes, yoke_err *err)
{
    return yoke_fail(err, YOKE_E_MEMORY, "out of memory: %zu bytes for a state",
                     bytes);
}

static yoke_status make_image(yk_image **image, size_t size, yoke_err *err)
{
    if (!*image) {
        *image = __real_realloc(NULL, sizeof **image);
        if (!*image) return no_memory(sizeof **image, err);
        memset(*image, 0, sizeof **image);
    }
    if ((*image)->room < size) {
        char *bytes = __real_realloc((*image)->bytes, size);
        if (!bytes) return no_memory(size, err);
        (*image)->bytes = bytes;
        (*image)->room = size;
    }
    (*image)->size = size;
    return YOKE_OK;
}

static size_t count_kept(const yk_heap *heap)
{
    size_t sum = 0;

    for (int i = 0; i < heap->now.chunks; i++)
        for (size_t k = HEADER; k < heap->now.used[i];
             k += size_of(heap->chunk[i] + k) + HEADER)
            sum += kept_of(heap->chunk[i] + k);
    return sum;
}

yoke_status yk_image_save(yk_image **image, const yk_heap *heap, yoke_err *err)
{
    const yoke_status status = make_image(image, count_kept(heap), err);
    char *to = status == YOKE_OK ? (*image)->bytes : NULL;

    if (status != YOKE_OK) return status;
    (*image)->then = heap->now;
    for (int i = 0; i < heap->now.chunks; i++) {
        (*image)->at[i] = heap->chunk[i];
        for (size_t k = HEADER; k < heap->now.used[i];
             k += size_of(heap->chunk[i] + k) + HEADER) {
            const char *block = heap->chunk[i] + k;
            memcpy(to, block - HEADER, kept_of(block));
            to += kept_of(block);
        }
    }
    return YOKE_OK;
}

yoke_status yk_image_restore(const yk_image *image, yk_heap *heap,
                             yoke_err *err)
{
    const char *from = image->bytes;

    for (int i = 0; i < image->then.chunks; i++)
        if (image->then.used[i] && image->at[i] != heap->chunk[i])
            return yoke_fail(err, YOKE_E_ARG,
                             "this state belongs to another instance");
    heap->now = image->then;
    for (int i = 0; i < heap->now.chunks; i++)
        for (size_t k = HEADER; k < heap->now.used[i];
             k += size_of(heap->chunk[i] + k) + HEADER) {
            const size_t kept = kept_of(from + HEADER);
            memcpy(heap->chunk[i] + k - HEADER, from, kept);
            from += kept;
        }
    return YOKE_OK;
}

void yk_image_free(yk_image *image)
{
    if (!image) return;
    __real_free(image->bytes);
    __real_free(image);
}

/* ---- bytes -------------------------------------------------------------- */

/* Where the binary is: the linker defines both. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

size_t yk_image_size(const yk_image *image)
{
    return sizeof(head) + sizeof(layout) + image->size;
}

/* Of everything but itself. */
static void digest_content(const head *h, const char *bytes,
                           unsigned char out[YK_DIGEST_SIZE])
{
    head bare = *h;
    yk_digest d;

    memset(bare.content, 0, sizeof bare.content);
    yk_digest_begin(&d);
    yk_digest_add(&d, &bare, sizeof bare);
    yk_digest_add(&d, bytes + sizeof bare, (size_t)h->size - sizeof bare);
    yk_digest_end(&d, out);
}

void yk_image_write(const yk_image *image, const char *key, void *out)
{
    char *bytes = out;
    head h;

    memset(&h, 0, sizeof h);
    h.format = FORMAT;
    h.chunks = (uint32_t)image->then.chunks;
    h.size = yk_image_size(image);
    h.begin = (uintptr_t)__ehdr_start;
    h.length = (uint64_t)(_end - __ehdr_start);
    memcpy(h.magic, magic, sizeof magic);
    snprintf(h.key, sizeof h.key, "%s", key);
    for (int i = 0; i < image->then.chunks; i++)
        h.at[i] = (uintptr_t)image->at[i];
    memcpy(bytes + sizeof h, &image->then, sizeof image->then);
    memcpy(bytes + sizeof h + sizeof(layout), image->bytes, image->size);
    digest_content(&h, bytes, h.content);
    memcpy(bytes, &h, sizeof h);
}

/* Do the blocks fill the chunks and the bytes? */
static bool fits(const layout *then, const char *bytes, size_t size)
{
    size_t at = 0;

    for (int i = 0; i < then->chunks; i++) {
        size_t k = 0;
        if (then->used[i] > chunk_size(i)) return false;
        while (k < then->used[i]) {
            if (size - at < HEADER + sizeof(void *)) return false;
            const char *block = bytes + at + HEADER;
            if (size_of(block) > chunk_size(i)) return false;
            k += size_of(block) + HEADER;
            if (kept_of(block) > size - at) return false;
            at += kept_of(block);
        }
        if (k != then->used[i]) return false;
    }
    return at == size;
}

/* What is at `word` of the old process, here. */
static uint64_t moved(uint64_t word, const head *h, const layout *then,
                      const yk_heap *heap)
{
    if (word - h->begin < h->length)
        return word - h->begin + (uintptr_t)__ehdr_start;
    for (int i = 0; i < then->chunks; i++)
        if (then->used[i] && word - h->at[i] <= then->used[i])
            return word - h->at[i] + (uintptr_t)heap->chunk[i];
    return word;
}

static void move_words(char *bytes, size_t size, const head *h,
                       const layout *then, const yk_heap *heap)
{
    for (size_t k = 0; k + sizeof(uint64_t) <= size; k += sizeof(uint64_t)) {
        uint64_t word, there;

        memcpy(&word, bytes + k, sizeof word);
        there = moved(word, h, then, heap);
        if (there != word) memcpy(bytes + k, &there, sizeof there);
    }
}

static yoke_status check_bytes(const head *h, const char *key,
                               const char *bytes, size_t size, yoke_err *err)
{
    unsigned char content[YK_DIGEST_SIZE];

    if (size < sizeof *h + sizeof(layout) || h->size != size ||
        memcmp(h->magic, magic, sizeof magic) != 0 || h->format != FORMAT ||
        h->chunks > CHUNKS)
        return yoke_fail(err, YOKE_E_ARG,
                         "these %zu bytes are not a state of this FMU", size);
    if (strncmp(h->key, key, sizeof h->key) != 0)
        return yoke_fail(err, YOKE_E_ARG, "the state was saved by another FMU");
    digest_content(h, bytes, content);
    if (memcmp(content, h->content, sizeof content) != 0)
        return yoke_fail(err, YOKE_E_ARG, "the bytes of the state are damaged");
    return YOKE_OK;
}

static yoke_status reserve(yk_heap *heap, const layout *then, yoke_err *err)
{
    for (int i = 0; i < then->chunks; i++)
        if (then->used[i] && !need_chunk(heap, i))
            return no_memory(chunk_size(i), err);
    return YOKE_OK;
}

yoke_status yk_image_read(yk_image **image, yk_heap *heap, const char *key,
                          const void *bytes, size_t size, yoke_err *err)
{
    head h = { .size = 0 };
    layout then;
    yk_image *made = NULL;

    if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
    yoke_status status = check_bytes(&h, key, bytes, size, err);
    if (status != YOKE_OK) return status;
    memcpy(&then, (const char *)bytes + sizeof h, sizeof then);
    if (then.chunks != (int)h.chunks ||
        !fits(&then, (const char *)bytes + sizeof h + sizeof then,
              size - sizeof h - sizeof then))
        return yoke_fail(err, YOKE_E_ARG, "the bytes of the state are damaged");
    status = reserve(heap, &then, err);
    if (status == YOKE_OK)
        status = make_image(&made, size - sizeof h - sizeof then, err);
    if (status != YOKE_OK) return status;
    memcpy(made->bytes, (const char *)bytes + sizeof h + sizeof then,
           made->size);
    for (int i = 0; i < then.chunks; i++) made->at[i] = heap->chunk[i];
    move_words(made->bytes, made->size, &h, &then, heap);
    move_words((char *)&then, offsetof(layout, used), &h, &then, heap);
    made->then = then;
    yk_image_free(*image);
    *image = made;
    return YOKE_OK;
}
