/* base/blocks.h -- blocks of a heap whose memory is kept as an image.
 *
 * Blocks have one of four sizes per power of two; free ones wait in a list for
 * each size.  Memory comes in chunks, each twice as large as the one before.  What
 * says which blocks are free is part of the image, so a heap that is restored
 * hands out the same blocks in the same order.
 */
#ifndef YK_BASE_BLOCKS_H
#define YK_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    YK_BLOCK_HEADER = 16, /* bytes before each block: its size, is it in use */
    YK_BLOCK_CHUNKS = 24,
    YK_BLOCK_CLASSES = 160
};

typedef struct yk_blocks {
    void *empty[YK_BLOCK_CLASSES]; /* lists of free blocks */
    size_t used[YK_BLOCK_CHUNKS];  /* bytes of each chunk */
    int chunks, slot;              /* slot: see base/image.h */
} yk_blocks;

/* The class of a block, and how long its blocks are. */
int yk_block_class(size_t bytes, size_t *size);

/* Bytes of chunk i. */
static inline size_t yk_chunk_size(int i)
{
    return (size_t)1 << (18 + i);
}

/* Where chunk i is, in memory of its own; NULL: it cannot be had. */
typedef char *yk_chunk(void *self, int i);

/* A block of at least so many bytes, or NULL. */
char *yk_block_take(yk_blocks *b, size_t bytes, yk_chunk *chunk, void *self);

/* Its bytes become zero: half of an old address beside a number would be taken
 * for an address (base/loaded.h). */
void yk_block_give_back(yk_blocks *b, char *block);

size_t yk_block_size(const char *block);
bool yk_block_is_live(const char *block);

/* What of a block and its header goes into an image: of a free one, the place of
 * the next. */
size_t yk_block_kept(const char *block);

#endif
