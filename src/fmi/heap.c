/* fmi/heap.c -- the memory of one instance: allocation and images.
 *
 * Chunks of memory (base/blocks.h) are only given back at the end.
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
    CHUNKS = YK_BLOCK_CHUNKS,
    HEADER = YK_BLOCK_HEADER,
    FORMAT = 1 /* of the bytes of an image */
};

/* What belongs to the image besides the bytes of the chunks. */
typedef struct layout {
    void *root;
    yk_blocks blocks;
} layout;

struct yk_heap {
    layout now;
    char *chunk[CHUNKS]; /* NULL: not needed so far */
};

struct yk_saved_heap {
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
        if (heap->chunk[i]) munmap(heap->chunk[i], yk_chunk_size(i));
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
    for (int i = 0; h && i < h->now.blocks.chunks; i++)
        if (h->chunk[i] &&
            (size_t)((const char *)block - h->chunk[i]) < yk_chunk_size(i))
            return true;
    return false;
}

/* Chunk i always has the same size, so an image fits into any heap. */
static char *chunk(void *self, int i)
{
    yk_heap *h = self;

    if (!h->chunk[i]) h->chunk[i] = map(yk_chunk_size(i));
    return h->chunk[i];
}

void *yk_heap_resize(void *old, size_t bytes)
{
    yk_heap *h = current;

    if (!h || (old && !is_mine(h, old))) return __real_realloc(old, bytes);
    const size_t before = old ? yk_block_size(old) : 0;
    if (old && bytes <= before) return old;
    char *block = yk_block_take(&h->now.blocks, bytes, chunk, h);
    if (!block || !old) return block;
    memcpy(block, old, before);
    yk_block_give_back(&h->now.blocks, old);
    return block;
}

void yk_heap_release(void *block)
{
    if (!block) return;
    if (is_mine(current, block))
        yk_block_give_back(&current->now.blocks, block);
    else
        __real_free(block);
}

/* ---- images ------------------------------------------------------------- */

static yoke_status no_memory(size_t bytes, yoke_err *err)
{
    return yoke_fail(err, YOKE_E_MEMORY, "out of memory: %zu bytes for a state",
                     bytes);
}

static yoke_status make_image(yk_saved_heap **image, size_t size, yoke_err *err)
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

    for (int i = 0; i < heap->now.blocks.chunks; i++)
        for (size_t k = HEADER; k < heap->now.blocks.used[i];
             k += yk_block_size(heap->chunk[i] + k) + HEADER)
            sum += yk_block_kept(heap->chunk[i] + k);
    return sum;
}

yoke_status yk_heap_save(yk_saved_heap **image, const yk_heap *heap,
                         yoke_err *err)
{
    const yoke_status status = make_image(image, count_kept(heap), err);
    char *to = status == YOKE_OK ? (*image)->bytes : NULL;

    if (status != YOKE_OK) return status;
    (*image)->then = heap->now;
    for (int i = 0; i < heap->now.blocks.chunks; i++) {
        (*image)->at[i] = heap->chunk[i];
        for (size_t k = HEADER; k < heap->now.blocks.used[i];
             k += yk_block_size(heap->chunk[i] + k) + HEADER) {
            const char *block = heap->chunk[i] + k;
            memcpy(to, block - HEADER, yk_block_kept(block));
            to += yk_block_kept(block);
        }
    }
    return YOKE_OK;
}

yoke_status yk_heap_restore(const yk_saved_heap *image, yk_heap *heap,
                            yoke_err *err)
{
    const char *from = image->bytes;

    for (int i = 0; i < image->then.blocks.chunks; i++)
        if (image->then.blocks.used[i] && image->at[i] != heap->chunk[i])
            return yoke_fail(err, YOKE_E_ARG,
                             "this state belongs to another instance");
    heap->now = image->then;
    for (int i = 0; i < heap->now.blocks.chunks; i++)
        for (size_t k = HEADER; k < heap->now.blocks.used[i];
             k += yk_block_size(heap->chunk[i] + k) + HEADER) {
            const size_t kept = yk_block_kept(from + HEADER);
            memcpy(heap->chunk[i] + k - HEADER, from, kept);
            from += kept;
        }
    return YOKE_OK;
}

void yk_saved_heap_free(yk_saved_heap *image)
{
    if (!image) return;
    __real_free(image->bytes);
    __real_free(image);
}

/* ---- bytes -------------------------------------------------------------- */

/* Where the binary is: the linker defines both. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

size_t yk_saved_heap_size(const yk_saved_heap *image)
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

void yk_heap_write(const yk_saved_heap *image, const char *key, void *out)
{
    char *bytes = out;
    head h;

    memset(&h, 0, sizeof h);
    h.format = FORMAT;
    h.chunks = (uint32_t)image->then.blocks.chunks;
    h.size = yk_saved_heap_size(image);
    h.begin = (uintptr_t)__ehdr_start;
    h.length = (uint64_t)(_end - __ehdr_start);
    memcpy(h.magic, magic, sizeof magic);
    snprintf(h.key, sizeof h.key, "%s", key);
    for (int i = 0; i < image->then.blocks.chunks; i++)
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

    for (int i = 0; i < then->blocks.chunks; i++) {
        size_t k = 0;
        if (then->blocks.used[i] > yk_chunk_size(i)) return false;
        while (k < then->blocks.used[i]) {
            if (size - at < HEADER + sizeof(void *)) return false;
            const char *block = bytes + at + HEADER;
            if (yk_block_size(block) > yk_chunk_size(i)) return false;
            k += yk_block_size(block) + HEADER;
            if (yk_block_kept(block) > size - at) return false;
            at += yk_block_kept(block);
        }
        if (k != then->blocks.used[i]) return false;
    }
    return at == size;
}

/* What is at `word` of the old process, here. */
static uint64_t moved(uint64_t word, const head *h, const layout *then,
                      const yk_heap *heap)
{
    if (word - h->begin < h->length)
        return word - h->begin + (uintptr_t)__ehdr_start;
    for (int i = 0; i < then->blocks.chunks; i++)
        if (then->blocks.used[i] && word - h->at[i] <= then->blocks.used[i])
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
    for (int i = 0; i < then->blocks.chunks; i++)
        if (then->blocks.used[i] && !chunk(heap, i))
            return no_memory(yk_chunk_size(i), err);
    return YOKE_OK;
}

yoke_status yk_heap_read(yk_saved_heap **image, yk_heap *heap, const char *key,
                         const void *bytes, size_t size, yoke_err *err)
{
    head h = { .size = 0 };
    layout then;
    yk_saved_heap *made = NULL;

    if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
    yoke_status status = check_bytes(&h, key, bytes, size, err);
    if (status != YOKE_OK) return status;
    memcpy(&then, (const char *)bytes + sizeof h, sizeof then);
    if (then.blocks.chunks != (int)h.chunks ||
        !fits(&then, (const char *)bytes + sizeof h + sizeof then,
              size - sizeof h - sizeof then))
        return yoke_fail(err, YOKE_E_ARG, "the bytes of the state are damaged");
    status = reserve(heap, &then, err);
    if (status == YOKE_OK)
        status = make_image(&made, size - sizeof h - sizeof then, err);
    if (status != YOKE_OK) return status;
    memcpy(made->bytes, (const char *)bytes + sizeof h + sizeof then,
           made->size);
    for (int i = 0; i < then.blocks.chunks; i++) made->at[i] = heap->chunk[i];
    move_words(made->bytes, made->size, &h, &then, heap);
    move_words((char *)&then, offsetof(layout, blocks.used), &h, &then, heap);
    made->then = then;
    yk_saved_heap_free(*image);
    *image = made;
    return YOKE_OK;
}
